//! CL: how a request closes, and what a late answer is told.

use countersign_core::answer::{Answer, AnswerBody, Reach};
use countersign_core::change::Change;
use countersign_core::digest::Digest;
use countersign_core::fork::NewFork;
use countersign_core::ids::{ConversationId, RequestId};
use countersign_core::input::{Input, Refusal};
use countersign_core::mode::Mode;
use countersign_core::request::{AnsweredAs, ClosedReason, Closing};
use countersign_engine::error::EngineError;

use crate::house::{self, House, calls};
use crate::play::{Play, call, reject};

fn asked(calls: &[countersign_core::input::ProposedCall]) -> Play {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(calls);
    play
}

fn closings(play: &Play) -> Vec<Closing> {
    let closings = play.log.iter().filter_map(|change| match change {
        Change::RequestClosed { closing, .. } => Some(closing.clone()),
        _ => None,
    });
    closings.collect()
}

fn gone(outcome: Result<(), EngineError>) -> Vec<(RequestId, ClosedReason)> {
    match outcome {
        Err(EngineError::Refused(Refusal::ApprovalClosed(gone))) => gone,
        other => panic!("{other:?}"),
    }
}

/// Also surface 82 and surface 83.
#[tokio::test]
async fn cl_1_nothing_closes_by_age() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    let asked = house.open_requests().await;
    for _ in 0..3 {
        house.input(Input::Rename { title: "Later".to_owned() }).await.unwrap();
        house = house.again().await;
    }
    assert_eq!(house.open_requests().await, asked);
}

#[test]
fn cl_2_answering_closes() {
    for (body, verdict) in [
        (AnswerBody::Approve, AnsweredAs::Approved),
        (reject("no"), AnsweredAs::Rejected { reason: Some("no".to_owned()) }),
    ] {
        let mut play = asked(&[call("write", "{}")]);
        play.answer(&[(0, body)]).unwrap();
        assert_eq!(closings(&play), [Closing::Answered { verdict }]);
    }
}

#[test]
fn cl_4_other_input_closes_at_the_start_of_its_run() {
    let mut play = asked(&[call("write", "{}")]);
    let step = play.say("Else.").unwrap();
    assert!(
        step.changes
            .iter()
            .any(|change| matches!(change, Change::RequestClosed { closing: Closing::PassedBy { .. }, .. }))
    );
    assert!(play.head.run.is_some(), "at its start, not at its end");
}

#[test]
fn cl_5_for_the_model_a_passed_by_call_was_never_made() {
    let mut play = asked(&[call("write", "{}"), call("read", "{}")]);
    play.say("Else.").unwrap();
    let view = format!("{:?}", play.view());
    assert!(!view.contains("write") && !view.contains("read\"") && !view.contains("Results"), "{view}");
}

#[tokio::test]
async fn cl_8_answering_what_is_closed_is_an_error_of_its_own() {
    let mut house = House::new(Mode::Plan).await;
    house.ask(&[house::plan("# Plan")]).await;
    let answer = house.answers(&[(0, AnswerBody::Approve)]).await;
    house.say("Else.").await;
    for body in [
        AnswerBody::Approve,
        reject("no"),
        crate::play::into(Mode::Auto, countersign_core::mode::Until::Stays),
        crate::play::for_conversation(countersign_core::answer::Reach::Tool),
    ] {
        let mut late = answer.clone();
        late.answers[0].body = body;
        assert_eq!(gone(house.start(late).await)[0].1, ClosedReason::PassedBy);
    }
}

#[tokio::test]
async fn cl_9_the_error_comes_before_every_effect() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    let mut input = house.answers(&[(0, AnswerBody::Approve)]).await;
    let unknown = Answer { request: RequestId([5; 16]), digest: Digest([0; 32]), body: AnswerBody::Approve };
    input.answers.push(unknown);
    let (bytes, asked) = (house.bytes(), house.script.calls());
    gone(house.start(input).await);
    assert!(house.bytes() == bytes);
    assert_eq!((house.ran().len(), house.script.calls()), (0, asked));
}

#[tokio::test]
async fn cl_10_a_re_post_is_told_answered_and_an_old_card_passed_by() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    let answered = house.answers(&[(0, AnswerBody::Approve)]).await;
    house.start(answered.clone()).await.unwrap();
    house.settled().await;
    assert_eq!(gone(house.start(answered).await)[0].1, ClosedReason::Answered);
    house.ask(&[house::call("write", "{}")]).await;
    let old = house.answers(&[(0, AnswerBody::Approve)]).await;
    house.say("Else.").await;
    assert_eq!(gone(house.start(old).await)[0].1, ClosedReason::PassedBy);
}

#[tokio::test]
async fn cl_11_every_closed_one_is_named_with_its_reason() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}"), house::call("shell", "{}")]).await;
    let both = house.answers(&[(0, AnswerBody::Approve), (1, AnswerBody::Approve)]).await;
    let mut first = both.clone();
    first.answers.truncate(1);
    house.start(first).await.unwrap();
    house.settled().await;
    let reasons: Vec<ClosedReason> = gone(house.start(both).await).iter().map(|one| one.1).collect();
    assert_eq!(reasons, [ClosedReason::Answered, ClosedReason::PassedBy]);
}

#[tokio::test]
async fn cl_12_one_closed_answer_voids_the_input() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    let mut input = house.answers(&[(0, AnswerBody::Approve)]).await;
    input.answers.push(Answer { request: RequestId([5; 16]), digest: Digest([0; 32]), body: AnswerBody::Approve });
    input.mode = Some(Mode::Auto);
    input.text = Some("Go on.".to_owned());
    gone(house.start(input).await);
    let head = house.head().await;
    assert_eq!((head.requests.len(), head.conversation.mode), (1, Mode::Default));
    assert_eq!(house.ran().len(), 0);
}

#[tokio::test]
async fn cl_13_without_the_closed_ones_it_goes_through() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    let good = house.answers(&[(0, AnswerBody::Approve)]).await;
    let mut bad = good.clone();
    bad.answers.push(Answer { request: RequestId([5; 16]), digest: Digest([0; 32]), body: AnswerBody::Approve });
    let named: Vec<RequestId> = gone(house.start(bad.clone()).await).iter().map(|one| one.0).collect();
    bad.answers.retain(|answer| !named.contains(&answer.request));
    house.start(bad).await.unwrap();
    house.settled().await;
    assert_eq!(house.ran(), ["write"]);
}

#[test]
fn cl_14_partial_answers_are_allowed_and_lossy() {
    let mut play = asked(&[call("write", "{\"n\":1}"), call("write", "{\"n\":2}")]);
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    assert_eq!((play.executed().len(), play.head.requests.len()), (1, 0));
}

#[tokio::test]
async fn d_62_another_conversations_request_is_unknown() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    let mine = house.answers(&[(0, AnswerBody::Approve)]).await;
    let other = house.create(2, Mode::Default).await;
    let told = gone(house.engine.input(other, Input::Start(mine)).await);
    assert_eq!(told[0].1, ClosedReason::Unknown);
}

#[tokio::test]
async fn d_59_a_deleted_conversations_request_is_unknown_and_a_fork_copies_none() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{\"n\":1}")]).await;
    let standing = crate::play::for_conversation(Reach::Tool);
    house.answer(&[(0, standing)]).await;
    house.ask(&[house::call("shell", "{\"command\":\"ls\"}")]).await;
    let mine = house.answers(&[(0, AnswerBody::Approve)]).await;
    let source = house.conversation;

    let id = ConversationId([0xF0; 16]);
    let new = NewFork { id, title: "Forked".to_owned(), upto: None };
    let fork = house.engine.fork(source, new).await.unwrap();
    assert!(fork.requests.is_empty() && fork.standing.is_empty());
    house.conversation = id;
    assert_eq!(gone(house.start(mine.clone()).await)[0].1, ClosedReason::Unknown, "D-62: it is another's request");
    let ran = house.tools.ran.lock().unwrap().len();
    let asks = house.ask(&[house::call("write", "{\"n\":2}")]).await;
    assert_eq!(
        (asks.requests.len(), house.tools.ran.lock().unwrap().len()),
        (1, ran),
        "the same tool asks in the fork"
    );

    house.conversation = source;
    assert_eq!(house.open_requests().await.len(), 1, "the source still waits");
    house.start(mine).await.unwrap();
    house.settled().await;
    assert_eq!(house.tools.ran.lock().unwrap().len(), ran + 1);

    house.ask(&[house::call("shell", "{\"command\":\"ls\"}")]).await;
    let mine = house.answers(&[(0, AnswerBody::Approve)]).await;
    house.input(Input::Delete).await.unwrap();
    assert_eq!(gone(house.start(mine).await)[0].1, ClosedReason::Unknown);
    house.conversation = id;
    assert_eq!(house.open_requests().await.len(), 1, "the fork outlives its source");
}

#[tokio::test]
async fn d_07_a_closed_answer_is_told_so_while_a_run_goes_on() {
    let mut house = House::new(Mode::Default).await;
    house.script.will([calls(&[house::call("write", "{}")]), house::Turn::Hangs]);
    house.say("Go.").await;
    let answer = house.answers(&[(0, AnswerBody::Approve)]).await;
    house.start(answer.clone()).await.unwrap();
    let told = gone(house.start(answer).await);
    assert_eq!(told[0].1, ClosedReason::Answered);
    assert!(matches!(house.start(house::listed_input("And.")).await, Err(EngineError::Refused(Refusal::Busy))));
    // A caller that has no list of losses says it to the run instead.
    house.start(house::text_input("And.")).await.unwrap();
    let steering: Vec<String> = house.head().await.steering.into_iter().map(|one| one.text).collect();
    assert_eq!(steering, ["And."]);
    house.engine.close().await;
}

#[test]
fn d_72_closed_is_said_before_malformed() {
    let mut play = asked(&[call("write", "{}")]);
    let mut input = play.input();
    input.answers = play.answers(&[(0, crate::play::into(Mode::Auto, countersign_core::mode::Until::Stays))]);
    assert!(matches!(play.start(input.clone()), Err(Refusal::WrongKind(..))));
    input.answers.push(Answer { request: RequestId([5; 16]), digest: Digest([0; 32]), body: AnswerBody::Approve });
    assert!(matches!(play.start(input), Err(Refusal::ApprovalClosed(_))));
}
