//! The second look at approved calls, with guards that change between the question and the answer (D-18).

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use countersign_core::answer::AnswerBody;
use countersign_core::call::Settled;
use countersign_core::input::{Input, Verdict};
use countersign_core::mode::Mode;
use countersign_core::run::RunEnd;

use crate::house::{House, Says, call, guard};

/// A guard that can change its mind, and one call of `write` that waits.
async fn waiting() -> (House, Arc<Says>, Arc<Mutex<Verdict>>) {
    let mut house = House::new(Mode::Default).await;
    let verdict = Arc::new(Mutex::new(Verdict::Abstain));
    let says = Arc::clone(&verdict);
    let guard = guard("second", move |_| match says.lock().unwrap().clone() {
        Verdict::Failed { why } if why == "panic" => std::panic::panic_any("the guard breaks"),
        verdict => verdict,
    });
    house.guards(&[Arc::clone(&guard)]);
    house.ask(&[call("write", "{}"), call("read", "{}")]).await;
    assert_eq!(house.open_requests().await.len(), 1);
    (house, guard, verdict)
}

/// What the model is told at the end, and that the approved call never ran.
async fn refused(house: &House) -> String {
    assert_eq!((house.ran(), house.effects().len()), (vec!["read".to_owned()], 0), "only its neighbour runs");
    assert_eq!(house.last_end().await, Some(RunEnd::Completed), "and the run goes on");
    let facts = house.engine.store().history(i64::MAX, 10).await.unwrap();
    let fact = facts.iter().find(|fact| fact.about().call.tool == "write").unwrap();
    let settled = format!("{:?}", fact.about().call.state);
    assert!(settled.contains("RejectedByRule") && settled.contains("second"), "{settled}");
    format!("{:?}", house.script.last().messages)
}

/// D-18, RU-9: a rule that is there since the question was asked wins over the person's approval, and the model is told why.
#[tokio::test]
async fn a_guard_that_rejects_by_now() {
    let (mut house, guard, verdict) = waiting().await;
    *verdict.lock().unwrap() = Verdict::Reject { reason: "frozen since noon".to_owned() };
    house.answer(&[(0, AnswerBody::Approve)]).await;
    let told = refused(&house).await;
    assert!(told.contains("frozen since noon"), "{told}");
    assert_eq!(*guard.saw.lock().unwrap(), [["write"], ["write"]], "RU-4: the plain call is never shown");
}

/// D-18: approving and abstaining change nothing.
#[tokio::test]
async fn a_guard_that_lets_it_be() {
    for said in [Verdict::Approve, Verdict::Abstain] {
        let (mut house, guard, verdict) = waiting().await;
        verdict.lock().unwrap().clone_from(&said);
        house.answer(&[(0, AnswerBody::Approve)]).await;
        assert_eq!(house.ran(), ["write", "read"], "{said:?}");
        assert_eq!(guard.saw.lock().unwrap().len(), 2);
    }
}

/// D-17, D-18: a guard that fails or breaks lets nothing run.
#[tokio::test]
async fn a_guard_that_breaks() {
    for why in ["unreadable", "panic"] {
        let (mut house, _, verdict) = waiting().await;
        *verdict.lock().unwrap() = Verdict::Failed { why: why.to_owned() };
        house.answer(&[(0, AnswerBody::Approve)]).await;
        let told = refused(&house).await;
        assert!(told.contains("could not be checked") && !told.contains(why), "{told}");
    }
}

/// D-18: neither does one that doesn't answer in time.
#[tokio::test]
async fn a_guard_that_never_answers() {
    let (mut house, guard, _) = waiting().await;
    guard.hangs.store(true, Ordering::Relaxed);
    house.start(house.answers(&[(0, AnswerBody::Approve)]).await).await.unwrap();
    guard.asked.notified().await;
    assert_eq!(house.ran().len(), 0);
    // Only while nothing but the guard is waited for: the store's own waits are not to time out.
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(11)).await;
    tokio::time::resume();
    house.settled().await;
    assert!(refused(&house).await.contains("could not be checked"));
}

/// N-80, RU-7: a stop while a guard looks runs nothing, and the conversation is usable at once.
#[tokio::test]
async fn a_stop_while_a_guard_looks() {
    let (mut house, guard, _) = waiting().await;
    guard.hangs.store(true, Ordering::Relaxed);
    house.start(house.answers(&[(0, AnswerBody::Approve)]).await).await.unwrap();
    guard.asked.notified().await;
    house.input(Input::Stop).await.unwrap();
    assert_eq!(house.last_end().await, Some(RunEnd::Cancelled));
    guard.hangs.store(false, Ordering::Relaxed);
    house.say("Else.").await;
    assert_eq!((house.ran().len(), house.last_end().await), (0, Some(RunEnd::Completed)));
}

/// D-18, D-21: a verdict that was kept while its batch waited is looked at again, too.
#[tokio::test]
async fn a_kept_verdict_is_looked_at_again() {
    let mut house = House::new(Mode::Default).await;
    let frozen = Arc::new(Mutex::new(false));
    let is_frozen = Arc::clone(&frozen);
    house.guards(&[guard("second", move |call| {
        match (*is_frozen.lock().unwrap(), call.tool.identity.name.as_str()) {
            (true, "write") => Verdict::Reject { reason: "frozen".to_owned() },
            (false, "write") => Verdict::Approve,
            (_, _) => Verdict::Abstain,
        }
    })]);
    house.ask(&[call("write", "{}"), call("shell", "{}")]).await;
    *frozen.lock().unwrap() = true;
    house.answer(&[(0, AnswerBody::Approve)]).await;
    assert_eq!(house.ran(), ["shell"]);
    let facts = house.engine.store().history(i64::MAX, 10).await.unwrap();
    let rejected = |tool: &str| {
        let state =
            facts.iter().find(|fact| fact.about().call.tool == tool).map(|fact| fact.about().call.state.clone());
        matches!(state, Some(countersign_core::call::CallState::Settled(Settled::RejectedByRule { .. })))
    };
    assert!(rejected("write") && !rejected("shell"));
}
