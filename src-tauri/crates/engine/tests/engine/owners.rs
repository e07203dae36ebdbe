//! Two processes on one database, played by two engines on one file: whose run it is, that nobody settles what lives, and
//! that of two answers to one set exactly one counts (D-90, N-32, N-77, N-79, N-82).

use countersign_core::answer::AnswerBody;
use countersign_core::call::Settled;
use countersign_core::input::{Input, Refusal, RunInput};
use countersign_core::mode::Mode;
use countersign_core::request::ClosedReason;
use countersign_core::run::RunEnd;
use countersign_engine::error::EngineError;

use crate::house::{House, call, listed_input, text_input};

/// N-77, D-90: a second process leaves a live run alone and doesn't start one of its own beside it; once the owner is gone, the
/// next that looks settles it.
#[tokio::test]
async fn surface_08_a_live_run_is_left_alone_and_a_dead_one_is_settled() {
    let mut one = House::new(Mode::Auto).await;
    one.script.will([crate::house::Turn::Says(crate::house::calling(&[call("slow", "{}")]))]);
    one.start(text_input("Go.")).await.unwrap();
    one.tools.began.notified().await;
    let other = House::at(one.folder.path(), None).await;
    assert!(other.head().await.run.is_some(), "it opened and settled nothing");
    let busy = other.start(listed_input("Me too.")).await;
    assert!(matches!(busy, Err(EngineError::Refused(Refusal::Busy))), "{busy:?}");
    one.tools.end.notify_one();
    assert!(one.settled().await.calls.is_empty());
    assert_eq!(one.last_end().await, Some(RunEnd::Completed), "the owner carried it to its end");

    one.script.will([crate::house::Turn::Says(crate::house::calling(&[call("slow", "{}")]))]);
    one.start(text_input("Again.")).await.unwrap();
    one.tools.began.notified().await;
    // The process is gone: it writes nothing more, and the kernel lets go of its lock.
    one.engine.close().await;
    let started = other.start(text_input("Now me.")).await;
    assert!(started.is_ok(), "{started:?}");
    let ends: Vec<Settled> = {
        let messages = other.engine.store().messages(other.conversation, i64::MAX, 100).await.unwrap();
        let calls = messages.into_iter().flat_map(|message| message.calls);
        calls
            .filter_map(|fact| match fact.call.state {
                countersign_core::call::CallState::Settled(settled) => Some(settled),
                _ => None,
            })
            .collect()
    };
    assert!(ends.contains(&Settled::OutcomeUnknown), "what it was doing may or may not have happened: {ends:?}");
}

/// N-32, D-61: two processes answer the same set at once, a thousand times; one wins, the other is told that it was answered, and
/// the tool runs once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_processes_one_wins() {
    let mut one = House::new(Mode::Default).await;
    let other = House::at(one.folder.path(), None).await;
    let rounds = if std::env::var("DEEP").is_ok_and(|deep| deep == "1") { 1_000 } else { 100 };
    for round in 0..rounds {
        one.ask(&[call("write", "{}")]).await;
        let input = one.answers(&[(0, AnswerBody::Approve)]).await;
        let start = |input: RunInput| Input::Start(input);
        let (mine, theirs) = tokio::join!(one.input(start(input.clone())), other.input(start(input)));
        let told = match (mine, theirs) {
            (Ok(()), Err(told)) | (Err(told), Ok(())) => told,
            both => panic!("round {round}: exactly one wins: {both:?}"),
        };
        match told {
            EngineError::Refused(Refusal::ApprovalClosed(closed)) => {
                assert_eq!(closed.iter().map(|(_, reason)| *reason).collect::<Vec<_>>(), [ClosedReason::Answered]);
            }
            told => panic!("round {round}: the loser is told why: {told:?}"),
        }
        while one.head().await.run.is_some() {
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(one.effects().len(), rounds, "each approval ran once");
}
