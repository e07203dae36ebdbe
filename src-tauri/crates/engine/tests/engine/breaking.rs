//! What breaks around a run: the model, a tool, a guard, the disk. Each is an outcome that somebody is told; none is silence.

use countersign_core::answer::AnswerBody;
use countersign_core::input::{Input, Refusal, RunInput, Verdict};
use countersign_core::mode::Mode;
use countersign_core::run::{FailureKind, RunEnd};
use countersign_core::transcript::ViewItem;
use countersign_engine::error::EngineError;
use countersign_engine::feed::News;
use countersign_store::error::StoreError;
use countersign_store::open::Disk;

use crate::house::{House, Turn, call, calls, guard, text_input};

fn last_results(house: &House) -> Vec<String> {
    let prompt = house.script.last();
    let results = prompt.messages.iter().rev().find_map(|item| match item.as_ref() {
        ViewItem::Results(results) => Some(results.iter().map(|result| result.text.clone()).collect()),
        ViewItem::User { .. } | ViewItem::Assistant { .. } => None,
    });
    results.expect("the model was sent results")
}

/// B-01, B-02, D-55: the tool ran, the model call failed; nothing is lost, and the tool never runs again.
#[tokio::test]
async fn the_model_fails_after_the_tool_ran() {
    let mut house = House::new(Mode::Default).await;
    house.script.will([calls(&[call("write", "{}")]), Turn::Fails(FailureKind::Unreachable)]);
    house.say("Go.").await;
    let answer = house.answers(&[(0, AnswerBody::Approve)]).await;
    house.start(answer.clone()).await.unwrap();
    house.settled().await;
    assert!(
        matches!(house.last_end().await, Some(RunEnd::Failed { failure }) if failure.kind == FailureKind::Unreachable)
    );
    let retried = house.start(answer).await;
    assert!(matches!(retried, Err(EngineError::Refused(Refusal::ApprovalClosed(_)))), "{retried:?}");
    house.start(RunInput::default()).await.unwrap();
    house.settled().await;
    assert_eq!(last_results(&house), ["write is done"]);
    assert_eq!((house.effects().len(), house.last_end().await), (1, Some(RunEnd::Completed)));
}

/// D-71, L-152: an adapter that breaks ends the run with a failure, not in silence.
#[tokio::test]
async fn the_model_breaks() {
    let mut house = House::new(Mode::Default).await;
    house.script.will([Turn::Panics]);
    house.say("Go.").await;
    assert!(matches!(house.last_end().await, Some(RunEnd::Failed { .. })));
    assert_eq!(house.head().await.conversation.next_seq, 2, "nothing of a reply is kept");
}

/// D-54, E-44, N-72: a tool that breaks has an unknown outcome, and its words stay in the log.
#[tokio::test]
async fn a_tool_breaks() {
    let mut house = House::new(Mode::Auto).await;
    house.ask(&[call("breaks", "{}"), call("unlooked", "{}"), call("write", "{}")]).await;
    let results = last_results(&house);
    assert!(results[0].contains("may or may not have happened"), "{results:?}");
    assert!(!results[0].contains("the tool breaks"));
    assert!(results[1].contains("not executed"), "{results:?}");
    assert_eq!(house.ran(), ["breaks", "write"]);
}

/// L-025, L-026, E-05, E-41, N-14, N-45: what can't run is said, and nobody is asked about it.
#[tokio::test]
async fn a_call_that_cant_run() {
    let mut house = House::new(Mode::Default).await;
    house
        .ask(&[
            call("write", "{\"a\": "),
            call("write", "[]"),
            call("write", "{\"a\":1,\"a\":2}"),
            call("nobody", "{}"),
            call("write", "{\"outside\": true}"),
            call("exit_plan_mode", "{\"plan\":\"x\"}"),
        ])
        .await;
    assert_eq!(house.open_requests().await, []);
    assert_eq!(house.ran().len(), 0);
    let results = last_results(&house);
    for (result, said) in results.iter().zip(["JSON", "object", "twice", "nobody", "outside", "not available"]) {
        assert!(result.contains(said), "{result}");
    }
    assert_eq!(results.len(), 6);
}

/// D-17, AU-2, RU-4, RU-7: a guard that fails, panics or says too little asks, in Auto too; and each sees what is bound.
#[tokio::test]
async fn a_broken_guard_asks() {
    for broken in ["fails", "panics"] {
        let mut house = House::new(Mode::Auto).await;
        let breaking = guard("breaking", move |_| {
            assert_eq!(broken, "fails", "the guard breaks");
            Verdict::Failed { why: "unreadable".to_owned() }
        });
        let approving = guard("approving", |_| Verdict::Approve);
        house.guards(&[breaking, std::sync::Arc::clone(&approving)]);
        house.ask(&[call("read", "{}"), call("write", "{}"), call("write", "not json")]).await;
        assert_eq!(house.open_requests().await.len(), 1, "{broken}");
        assert_eq!(house.ran().len(), 0, "{broken}: nothing of the batch runs");
        assert_eq!(*approving.saw.lock().unwrap(), [["write"]], "bound calls that can run, and only those");
        let call = house.head().await.requests_in_order()[0].call;
        let verdicts = house.engine.store().verdicts(call).await.unwrap();
        assert!(matches!(verdicts[0].verdict, Verdict::Failed { .. }), "D-92: the card can say so");
        house.answer(&[(0, AnswerBody::Approve)]).await;
        assert_eq!(house.ran(), ["read"], "still broken when its turn came, so it doesn't run (D-18)");
        let view = format!("{:?}", house.script.last().messages);
        assert!(view.contains("could not be checked"), "and the model is told: {view}");
    }
}

/// D-32, D-33, D-37: a guard isn't shown what isn't offered, and can't accept a plan.
#[tokio::test]
async fn guards_while_planning() {
    let mut house = House::new(Mode::Plan).await;
    let watching = guard("watching", |_| Verdict::Approve);
    house.guards(&[std::sync::Arc::clone(&watching)]);
    house.ask(&[call("write", "{}"), call("peek", "{}"), crate::house::plan("# Plan")]).await;
    assert_eq!(*watching.saw.lock().unwrap(), [["peek", "exit_plan_mode"]]);
    assert_eq!(house.open_requests().await.len(), 1, "only the plan asks");
}

/// D-110, N-78: a result that can't be stored is kept, said, and stored when there is room again; the tool never runs twice.
#[tokio::test]
async fn a_result_that_cant_be_stored_is_kept() {
    let mut house = House::new(Mode::Default).await;
    house.script.will([calls(&[call("huge", "{}")])]);
    house.start(text_input("Go.")).await.unwrap();
    house.tools.began.notified().await;
    house.engine.store().pretend(Disk::Full).await.unwrap();
    house.tools.end.notify_one();
    loop {
        if let News::Stuck { why: Some(why), .. } = house.hear().await {
            assert!(why.contains("full"), "{why}");
            break;
        }
    }
    // A person who does something meanwhile is told as well, and nothing of it happens.
    let big = Input::Rename { title: "t".repeat(200_000) };
    let outcome = house.input(big).await;
    assert!(matches!(outcome, Err(EngineError::Store(StoreError::Full))), "{outcome:?}");
    house.engine.store().pretend(Disk::Roomy).await.unwrap();
    loop {
        if let News::Stuck { why: None, .. } = house.hear().await {
            break;
        }
    }
    house.settled().await;
    assert_eq!(house.ran(), ["huge"]);
    assert_eq!(last_results(&house)[0].len(), 400_000, "the result is whole");
    assert_eq!(house.last_end().await, Some(RunEnd::Completed));
}

/// D-48, D-51, N-18, N-19: the tools of the moment decide, also when all of them are gone.
#[tokio::test]
async fn all_tools_are_gone_when_the_answer_comes() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[call("write", "{}"), call("read", "{}")]).await;
    house.tools.list.lock().unwrap().clear();
    house.answer(&[(0, AnswerBody::Approve)]).await;
    assert_eq!(house.ran().len(), 0);
    assert!(last_results(&house).iter().all(|result| result.contains("no longer permitted")));
    assert_eq!(house.script.last().tools, [], "no tool is no tool");
    assert_eq!(house.last_end().await, Some(RunEnd::Completed));
}
