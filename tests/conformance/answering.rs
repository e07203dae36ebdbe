//! RT, AN, MA: the round trip, what an answer does, and what links it to its question.

use countersign_core::answer::{Answer, AnswerBody};
use countersign_core::change::{Act, Change};
use countersign_core::ids::RequestId;
use countersign_core::input::Refusal;
use countersign_core::mode::Mode;
use countersign_core::run::RunEnd;
use countersign_core::transcript::ViewItem;
use countersign_engine::feed::News;

use crate::house::{self, House, calls};
use crate::play::{Play, call, names, reject};

fn asked(calls: &[countersign_core::input::ProposedCall]) -> Play {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(calls);
    play
}

#[tokio::test]
async fn rt_1_nothing_waits_in_memory() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    assert_eq!(house.engine.store().unfinished().await.unwrap(), [], "no run goes on");
    let again = house.again().await;
    assert_eq!(again.open_requests().await.len(), 1, "and no process is needed to keep the question");
}

#[tokio::test]
async fn rt_2_the_answer_is_the_next_runs_input() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    let mut house = house.again().await;
    house.answer(&[(0, AnswerBody::Approve)]).await;
    assert_eq!((house.ran(), house.last_end().await), (vec!["write".to_owned()], Some(RunEnd::Completed)));
}

#[tokio::test]
async fn rt_4_the_first_model_call_gets_history_and_input() {
    let mut house = House::new(Mode::Default).await;
    house.say("One.").await;
    house.say("Two.").await;
    let messages = house.script.last().messages;
    let users: Vec<&str> = messages
        .iter()
        .filter_map(|item| match item.as_ref() {
            ViewItem::User { text } => Some(text.as_str()),
            ViewItem::Assistant { .. } | ViewItem::Results(_) => None,
        })
        .collect();
    assert_eq!((users, messages.len()), (vec!["One.", "Two."], 3));
}

#[tokio::test]
async fn rt_5_a_request_that_is_shown_is_stored() {
    let mut house = House::new(Mode::Default).await;
    house.script.will([calls(&[house::call("write", "{}")])]);
    house.start(house::text_input("Go.")).await.unwrap();
    loop {
        if let News::Committed { changes, .. } = house.hear().await
            && let Some(request) = changes.iter().find_map(|change| match change {
                Change::RequestOpened { request, .. } => Some(request.id),
                _ => None,
            })
        {
            assert_eq!(house.open_requests().await, [request]);
            return;
        }
    }
}

#[tokio::test]
async fn rt_6_the_tool_runs_before_the_one_model_call() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    let before = house.script.calls();
    house.answer(&[(0, AnswerBody::Approve)]).await;
    assert_eq!(house.script.calls(), before + 1);
    let Some(ViewItem::Results(results)) = house.script.last().messages.last().map(|item| ViewItem::clone(item)) else {
        panic!("the model gets the result");
    };
    assert_eq!(results[0].text, "write is done");
}

#[tokio::test]
async fn rt_7_what_runs_is_the_stored_copy() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{\"v\": 1}")]).await;
    // Another call of the same tool with the same provider's id comes later; it changes nothing about the stored one.
    house.script.will([calls(&[house::call("write", "{\"v\": 2}")])]);
    house.answer(&[(0, AnswerBody::Approve)]).await;
    assert_eq!(house.effects(), ["{\"v\": 1}"]);
}

#[test]
fn rt_8_an_answer_carries_an_id_a_digest_and_a_verdict_and_no_call() {
    let play = asked(&[call("write", "{}")]);
    let request = play.head.requests_in_order()[0];
    let Answer { request: id, digest, body: _ } =
        Answer { request: request.id, digest: request.digest, body: AnswerBody::Approve };
    assert_eq!((id, digest), (request.id, request.digest));
    assert!("".parse::<RequestId>().is_err(), "a blank id is none");
}

#[test]
fn rt_9_one_approval_one_execution() {
    let mut play = asked(&[call("write", "{}")]);
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    play.finish_first();
    play.reply(&[call("write", "{}")]);
    assert_eq!((play.executed().len(), play.head.requests.len()), (1, 1), "the next call asks again");
}

#[tokio::test]
async fn rt_10_questions_approvals_and_mode_are_stored_together() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    house.script.will([calls(&[house::call("shell", "{}")])]);
    let mut input = house.answers(&[(0, crate::play::for_conversation(countersign_core::answer::Reach::Tool))]).await;
    input.mode = Some(Mode::Default);
    house.start(input).await.unwrap();
    house.settled().await;
    let house = house.again().await;
    let head = house.head().await;
    assert_eq!((head.requests.len(), head.standing.len(), head.conversation.mode), (1, 1, Mode::Default));
}

#[test]
fn an_1_each_request_has_its_own_verdict() {
    let mut play = asked(&[call("write", "{}"), call("shell", "{}")]);
    play.answer(&[(0, reject("no")), (1, AnswerBody::Approve)]).unwrap();
    assert_eq!(names(&play.executed()), ["shell"]);
}

#[test]
fn an_2_one_input_holds_all_answers_in_any_order() {
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let mut play = asked(&[call("write", "{\"n\":1}"), call("shell", "{}"), call("set", "{}")]);
        play.answer(&order.map(|index| (index, AnswerBody::Approve))).unwrap();
        while !play.started().is_empty() {
            play.finish_first();
        }
        assert_eq!(names(&play.executed()), ["write", "shell", "set"], "model order, whatever the order of answers");
    }
}

#[test]
fn an_3_an_approved_call_runs() {
    let mut play = asked(&[call("write", "{}")]);
    let step = play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    assert!(matches!(step.acts[..], [Act::RunCall { .. }]));
}

/// Also surface 22.
#[test]
fn an_4_a_rejection_is_told_and_the_run_goes_on() {
    let mut play = asked(&[call("write", "{}")]);
    play.answer(&[(0, AnswerBody::Reject { reason: None })]).unwrap();
    assert!(play.calls_model() && play.head.run.is_some());
    let ViewItem::Results(results) = &play.view()[2] else { panic!("a result was expected") };
    assert!(results[0].text.contains("rejected"));
}

/// Also surface 25.
#[test]
fn an_5_the_reason_reaches_the_model() {
    let mut play = asked(&[call("write", "{}")]);
    play.answer(&[(0, reject("the other file"))]).unwrap();
    let ViewItem::Results(results) = &play.view()[2] else { panic!("a result was expected") };
    assert!(results[0].text.contains("the other file"));
}

#[test]
fn an_8_what_the_run_doesnt_answer_it_closes() {
    let mut play = asked(&[call("write", "{}"), call("shell", "{}")]);
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    assert!(play.head.requests.is_empty());
}

#[tokio::test]
async fn an_9_answering_needs_no_object_of_the_asking_run() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    let (request, digest) = {
        let head = house.head().await;
        let request = head.requests_in_order()[0];
        (request.id.to_string(), request.digest.to_string())
    };
    let mut house = house.again().await;
    let answer =
        Answer { request: request.parse().unwrap(), digest: digest.parse().unwrap(), body: AnswerBody::Approve };
    house.start(countersign_core::input::RunInput { answers: vec![answer], ..Default::default() }).await.unwrap();
    house.settled().await;
    assert_eq!(house.ran(), ["write"]);
}

#[test]
fn ma_1_the_link_is_the_requests_id() {
    let mut play = asked(&[call("write", "{\"n\":1}"), call("write", "{\"n\":2}")]);
    let ids: Vec<_> = play.head.requests_in_order().iter().map(|one| one.id).collect();
    assert_ne!(ids[0], ids[1], "although the provider's id, the tool and the place are the same");
    play.answer(&[(1, AnswerBody::Approve)]).unwrap();
    assert_eq!(play.executed()[0].arguments, "{\"n\":2}");
}

#[test]
fn ma_2_the_call_stored_with_the_request_runs() {
    let mut play = asked(&[call("write", "{\"n\":1}")]);
    let stored = play.head.calls[&play.head.requests_in_order()[0].call].clone();
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    assert_eq!(play.executed()[0].id, stored.id);
}

#[test]
fn ma_4_the_executed_arguments_are_those_that_were_shown() {
    let mut play = asked(&[call("write", "{\"n\":1}")]);
    let shown = play.head.requests_in_order()[0].digest;
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    let ran = &play.executed()[0];
    let digest = countersign_core::step::call_digest(ran, countersign_core::request::RequestKind::Call);
    assert_eq!(digest, Some(shown));
}

#[test]
fn ma_5_the_first_of_several_answers_counts() {
    let mut play = asked(&[call("write", "{}")]);
    play.answer(&[(0, reject("no")), (0, AnswerBody::Approve)]).unwrap();
    assert!(play.executed().is_empty());
    let mut play = asked(&[call("write", "{}")]);
    play.answer(&[(0, AnswerBody::Approve), (0, reject("no"))]).unwrap();
    assert_eq!(play.executed().len(), 1);
}

#[test]
fn d_83_a_loss_that_wasnt_told_refuses_the_whole_input() {
    let mut play = asked(&[call("write", "{}"), call("shell", "{}")]);
    let mut input = play.input();
    input.answers = play.answers(&[(0, AnswerBody::Approve)]);
    input.passes_by = Some(std::collections::BTreeSet::new());
    assert!(matches!(play.start(input), Err(Refusal::WouldPassBy(losses)) if losses.len() == 1));
    assert_eq!(play.head.requests.len(), 2);
}
