//! Ask, answer, go on.

use countersign_core::answer::AnswerBody;
use countersign_core::change::Change;
use countersign_core::mode::Mode;
use countersign_core::run::RunEnd;
use countersign_core::transcript::ViewItem;

use crate::house::{House, call, calls, reject};

/// RT-4 to RT-7, RT-9, D-84, P2: five commits, two model calls, one execution of the stored text.
#[tokio::test]
async fn a_plain_round_trip() {
    let mut house = House::new(Mode::Default).await;
    house.commits();
    house.ask(&[call("write", "{\"exact\":  1.0}")]).await;
    assert_eq!(house.script.calls(), 1);
    assert_eq!(house.last_end().await, Some(RunEnd::Asked));
    assert_eq!(house.ran().len(), 0);
    let head = house.answer(&[(0, AnswerBody::Approve)]).await;
    assert_eq!(house.script.calls(), 2, "one model call from the approval to the answer (RT-6)");
    assert_eq!(house.effects(), ["{\"exact\":  1.0}"], "the exact text, once");
    assert_eq!(house.last_end().await, Some(RunEnd::Completed));
    assert!(head.calls.is_empty() && head.requests.is_empty());

    let commits = house.commits();
    let kinds: Vec<Vec<&str>> = commits.iter().map(|changes| changes.iter().map(Change::kind).collect()).collect();
    let expected = [
        vec!["run_started", "message_added"],
        vec!["message_added", "call_proposed", "request_opened", "run_ended"],
        vec!["run_started", "request_closed", "call_approved", "call_started"],
        vec!["call_settled", "run_phase"],
        vec!["message_added", "run_ended"],
    ];
    assert_eq!(kinds, expected, "message | request | decision and claim | result | answer");

    let prompt = house.script.last();
    let [ViewItem::User { .. }, ViewItem::Assistant { calls, .. }, ViewItem::Results(results)] =
        &prompt.messages.iter().map(|item| ViewItem::clone(item)).collect::<Vec<_>>()[..]
    else {
        panic!("{:#?}", prompt.messages);
    };
    assert_eq!(calls[0].arguments, "{\"exact\":  1.0}");
    assert_eq!((results[0].provider_id.as_str(), results[0].text.as_str()), ("call_1", "write is done"));
}

/// RT-5: what is shown is in the store already.
#[tokio::test]
async fn field_l_145_stored_first_then_shown() {
    let mut house = House::new(Mode::Default).await;
    house.script.will([calls(&[call("write", "{}")])]);
    house.start(crate::house::text_input("Go.")).await.unwrap();
    loop {
        let countersign_engine::feed::News::Committed { changes, head, .. } = house.hear().await else { continue };
        let stored = house.head().await;
        assert!(stored.conversation.revision >= head.conversation.revision, "shown before it was stored");
        for change in changes.iter() {
            if let Change::RequestOpened { request, .. } = change {
                assert!(stored.requests.contains_key(&request.id));
                return;
            }
        }
    }
}

/// RT-2, AN-9, B-08: the answer is given to another process.
#[tokio::test]
async fn a_restart_between() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[call("write", "{\"n\":1}"), call("read", "{}"), call("shell", "{}")]).await;
    let asked = house.head().await;
    let mut house = house.again().await;
    assert_eq!(house.head().await, asked, "everything is there again");
    assert_eq!(house.script.calls() + house.ran().len(), 0, "nothing runs by itself");
    house.answer(&[(0, AnswerBody::Approve), (1, reject("no shell"))]).await;
    assert_eq!(house.ran(), ["write", "read"]);
    assert_eq!(house.script.calls(), 1);
    let prompt = house.script.last();
    let Some(ViewItem::Results(results)) = prompt.messages.last().map(|item| ViewItem::clone(item)) else {
        panic!("{:#?}", prompt.messages);
    };
    assert!(results[2].text.contains("no shell"));
}

/// RQ-3, PL-3, PL-7, MO-4: what the model is offered and told in each mode.
#[tokio::test]
async fn what_the_model_is_offered() {
    let mut house = House::new(Mode::Plan).await;
    house.script.will([calls(&[crate::house::plan("# Plan")])]);
    house.say("Plan.").await;
    let names = |prompt: &countersign_engine::ports::Prompt| -> Vec<String> {
        prompt.tools.iter().map(|tool| tool.identity.name.clone()).collect()
    };
    let planning = house.script.last();
    assert_eq!(names(&planning), ["read", "peek", "ask_user", "exit_plan_mode"]);
    assert!(planning.system.starts_with("Be helpful.") && planning.system.contains("plan mode"));
    house.answer(&[(0, AnswerBody::Approve)]).await;
    let working = house.script.last();
    assert_eq!(working.system, "Be helpful.");
    assert!(names(&working).contains(&"write".to_owned()));
    assert!(!names(&working).contains(&"exit_plan_mode".to_owned()));
}
