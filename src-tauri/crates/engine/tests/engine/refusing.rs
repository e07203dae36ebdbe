//! Refusals: each is complete, comes before every effect, and names its reason.

use countersign_core::answer::{Answer, AnswerBody};
use countersign_core::digest::Digest;
use countersign_core::ids::RequestId;
use countersign_core::input::{Input, Loss, Refusal, RunInput};
use countersign_core::mode::{Mode, Until};
use countersign_core::request::ClosedReason;
use countersign_core::run::{Failure, FailureKind};
use countersign_engine::error::EngineError;

use crate::house::{House, call, calls, text_input};

fn refusal(outcome: Result<(), EngineError>) -> Refusal {
    match outcome {
        Err(EngineError::Refused(refusal)) => refusal,
        other => panic!("a refusal was expected: {other:?}"),
    }
}

/// CL-8 to CL-13, D-62, M-01, M-04, N-28, L-019, L-041: a stale answer changes not a byte, and what is left goes on without it.
#[tokio::test]
async fn a_stale_answer_changes_nothing() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[call("write", "{\"n\":1}")]).await;
    let answered = house.open_requests().await[0];
    house.script.will([calls(&[call("write", "{\"n\":2}")])]);
    house.answer(&[(0, AnswerBody::Approve)]).await;
    let passed = house.open_requests().await[0];
    house.ask(&[call("write", "{\"n\":3}"), call("shell", "{}")]).await;
    let mut input = house.answers(&[(0, AnswerBody::Approve), (1, AnswerBody::Approve)]).await;
    let good = input.answers.clone();
    let never = RequestId([9; 16]);
    for request in [passed, answered, never, answered] {
        input.answers.push(Answer { request, digest: Digest([0; 32]), body: AnswerBody::Approve });
    }
    input.text = Some("And this.".to_owned());
    input.mode = Some(Mode::Auto);
    let (bytes, asked, ran) = (house.bytes(), house.script.calls(), house.ran());
    house.commits();
    let expected =
        vec![(passed, ClosedReason::PassedBy), (answered, ClosedReason::Answered), (never, ClosedReason::Unknown)];
    assert_eq!(refusal(house.start(input.clone()).await), Refusal::ApprovalClosed(expected));
    assert!(house.bytes() == bytes, "CL-9: not a byte is stored");
    assert_eq!((house.script.calls(), house.ran()), (asked, ran));
    assert_eq!(house.commits().len(), 0, "and nothing is shown");
    assert_eq!(house.open_requests().await.len(), 2, "CL-12: the others stay open");

    input.answers = good;
    house.start(input).await.unwrap();
    house.settled().await;
    assert_eq!(house.effects().len(), 2, "CL-13: without them it goes on");
}

/// D-26 to D-29, D-77, D-83: each refusal leaves every byte as it was.
#[tokio::test]
async fn every_refusal_leaves_every_byte() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[call("write", "{}"), call("shell", "{}")]).await;
    let one = house.answers(&[(0, AnswerBody::Approve)]).await;
    let with = |change: fn(&mut RunInput)| {
        let mut input = one.clone();
        change(&mut input);
        Input::Start(input)
    };
    let inputs = vec![
        with(|input| input.answers[0].digest = Digest([7; 32])),
        with(|input| {
            input.answers[0].body = AnswerBody::ApprovePlan { into: Mode::Auto, until: Until::Stays, ends_at: None }
        }),
        with(|input| input.passes_by = Some(std::collections::BTreeSet::new())),
        with(|input| input.resume.push((countersign_core::ids::CallId([1; 16]), Digest([1; 32])))),
        Input::Tighten { mode: Mode::Auto },
        Input::Drop { calls: vec![countersign_core::ids::CallId([1; 16])] },
        Input::Revoke { standing: countersign_core::ids::StandingId([1; 16]) },
        Input::Rename { title: "  ".to_owned() },
    ];
    let bytes = house.bytes();
    for input in inputs {
        let said = refusal(house.input(input.clone()).await);
        assert!(house.bytes() == bytes, "{said:?} stored something");
        if let Refusal::WouldPassBy(losses) = said {
            assert_eq!(losses, [Loss::Request(house.open_requests().await[1])]);
        }
    }
    assert_eq!(house.ran().len(), 0);
}

/// B-03, D-68: what can't start closes nothing.
#[tokio::test]
async fn a_run_that_cant_start_closes_nothing() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[call("write", "{}")]).await;
    let missing = Failure { kind: FailureKind::Folder, text: "the folder is gone".to_owned() };
    *house.wardrobe.missing.lock().unwrap() = Some(missing.clone());
    let bytes = house.bytes();
    let input = house.answers(&[(0, AnswerBody::Approve)]).await;
    let outcome = house.start(input.clone()).await;
    assert!(matches!(&outcome, Err(EngineError::Outfit(failure)) if *failure == missing), "{outcome:?}");
    assert!(house.bytes() == bytes);
    *house.wardrobe.missing.lock().unwrap() = None;
    house.start(input).await.unwrap();
    house.settled().await;
    assert_eq!(house.ran(), ["write"]);
}

/// D-07, D-59, L-014, L-044: other conversations, busy ones, and deleted ones.
#[tokio::test]
async fn busy_elsewhere_and_gone() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[call("write", "{}")]).await;
    let mine = house.answers(&[(0, AnswerBody::Approve)]).await;
    let request = mine.answers[0].request;
    let other = house.create(2, Mode::Default).await;
    let unknown = Refusal::ApprovalClosed(vec![(request, ClosedReason::Unknown)]);
    assert_eq!(
        refusal(house.engine.input(other, Input::Start(mine.clone())).await),
        unknown,
        "D-62: no hint that it exists"
    );
    house.engine.input(other, Input::Delete).await.unwrap();
    assert_eq!(house.open_requests().await, [request], "another conversation's end is nothing to it");

    house.script.will([crate::house::Turn::Hangs]);
    house.start(text_input("Go on.")).await.unwrap();
    assert_eq!(refusal(house.start(crate::house::listed_input("And.")).await), Refusal::Busy);
    let closed = Refusal::ApprovalClosed(vec![(request, ClosedReason::PassedBy)]);
    assert_eq!(refusal(house.start(mine.clone()).await), closed, "D-07: closed is said even while a run goes on");
    assert_eq!(refusal(house.input(Input::Delete).await), Refusal::Busy);
    house.input(Input::Stop).await.unwrap();
    assert_eq!(refusal(house.input(Input::Stop).await), Refusal::NotRunning);

    house.input(Input::Delete).await.unwrap();
    assert_eq!(refusal(house.start(mine).await), unknown, "D-59: deleted is unknown");
    let outcome = house.start(text_input("Anybody?")).await;
    assert!(matches!(outcome, Err(EngineError::NotFound)), "{outcome:?}");
}

/// D-59: what waits behind a deletion in the same commit is told that the conversation is gone.
#[tokio::test]
async fn nothing_happens_behind_a_deletion() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[call("write", "{}")]).await;
    let answers = house.answers(&[(0, AnswerBody::Approve)]).await;
    let (deleted, renamed, started, answered) = tokio::join!(
        house.input(Input::Delete),
        house.input(Input::Rename { title: "Gone".to_owned() }),
        house.start(text_input("Go.")),
        house.start(answers),
    );
    deleted.unwrap();
    assert!(matches!(renamed, Err(EngineError::NotFound)), "{renamed:?}");
    assert!(matches!(started, Err(EngineError::NotFound)), "{started:?}");
    assert!(matches!(refusal(answered), Refusal::ApprovalClosed(_)));
    assert_eq!(house.engine.store().unfinished().await.unwrap(), []);
}
