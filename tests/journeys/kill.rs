//! The process is killed after every commit of a round trip. Whatever the moment, the next process finds a state with a way on,
//! and no effect happens twice. (Invariant 1 of the architecture.)

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use countersign_core::answer::AnswerBody;
use countersign_core::call::CallState;
use countersign_core::input::RunInput;
use countersign_core::mode::Mode;
use countersign_core::request::RequestKind;
use countersign_core::run::RunEnd;
use countersign_core::step::call_digest;
use countersign_engine::engine::AfterCommit;

use crate::house::{House, call, calls, conversation, effects};

const FOLDER: &str = "COUNTERSIGN_JOURNEY_FOLDER";
const LAST: &str = "COUNTERSIGN_JOURNEY_LAST_COMMIT";

/// One whole round trip: created, asked, answered with three calls that run, ended. Eight commits.
async fn round_trip(folder: &Path, after_commit: Option<AfterCommit>) {
    let mut house = House::at(folder, after_commit).await;
    house.create(1, Mode::Default).await;
    house.script.will([calls(&[call("read", "{}"), call("write", "{\"n\":1}"), call("write", "{\"n\":2}")])]);
    house.say("Go.").await;
    house.answer(&[(0, AnswerBody::Approve), (1, AnswerBody::Approve)]).await;
    assert_eq!(house.last_end().await, Some(RunEnd::Completed));
    // What was stored last is carried out before the process may end.
    house.engine.close().await;
}

/// The life that is cut short, in a process of its own; without the variables it is a whole one.
#[tokio::test]
async fn a_life() {
    let last: Option<usize> = std::env::var(LAST).ok().map(|last| last.parse().unwrap());
    let Some(folder) = std::env::var_os(FOLDER) else {
        let folder = tempfile::tempdir().unwrap();
        round_trip(folder.path(), None).await;
        assert_eq!(effects(folder.path()), ["{\"n\":1}", "{\"n\":2}"]);
        return;
    };
    let commits = AtomicUsize::new(0);
    let dies: AfterCommit = Arc::new(move |_| {
        if Some(commits.fetch_add(1, Ordering::SeqCst) + 1) == last {
            std::process::abort();
        }
    });
    round_trip(Path::new(&folder), Some(dies)).await;
}

/// Plays a life up to its nth commit; whether it was cut short.
fn live(folder: &Path, last: usize) -> bool {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["kill::a_life", "--exact", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder)
        .env(LAST, last.to_string())
        .output()
        .unwrap();
    let aborted = child.status.code().is_none();
    assert!(aborted || child.status.success(), "{}", String::from_utf8_lossy(&child.stderr));
    aborted
}

/// What the next process finds: how the last run ended, what asks, what was approved and not run, what happened so far.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    end: Option<RunEnd>,
    asks: usize,
    approved: usize,
    effects: Vec<String>,
}

async fn found(house: &House, folder: &Path) -> Found {
    let head = house.head().await;
    assert_eq!(head.run, None, "nothing runs by itself");
    let approved = head.calls.values().filter(|call| matches!(call.state, CallState::Approved(_))).count();
    Found { end: house.last_end().await, asks: head.requests.len(), approved, effects: effects(folder) }
}

/// Says yes to whatever waits until nothing waits any more.
async fn go_on(house: &mut House) {
    for _ in 0..10 {
        let head = house.head().await;
        let answers: Vec<_> = (0..head.requests.len()).map(|index| (index, AnswerBody::Approve)).collect();
        let resume = head
            .calls_in_order()
            .into_iter()
            .filter(|call| matches!(call.state, CallState::Approved(_)))
            .map(|call| (call.id, call_digest(call, RequestKind::Call).unwrap()))
            .collect::<Vec<_>>();
        if answers.is_empty() && resume.is_empty() && !head.conversation.awaits_reply {
            return;
        }
        let input = RunInput { resume, ..house.answers(&answers).await };
        house.start(input).await.unwrap();
        house.settled().await;
    }
    panic!("there is no end to it: {:?}", house.head().await);
}

#[tokio::test]
async fn killed_after_every_commit() {
    let found_is = |end, asks, approved, effects: &[&str]| Found {
        end,
        asks,
        approved,
        effects: effects.iter().map(|&line| line.to_owned()).collect(),
    };
    let (one, two) = ("{\"n\":1}", "{\"n\":2}");
    let interrupted = || Some(RunEnd::Interrupted);
    // After each commit: what is found, and what has happened in the end.
    let expected = [
        (found_is(None, 0, 0, &[]), vec![]),
        (found_is(interrupted(), 0, 0, &[]), vec![]),
        (found_is(Some(RunEnd::Asked), 2, 0, &[]), vec![one, two]),
        (found_is(interrupted(), 0, 2, &[]), vec![one, two]),
        // The first write was claimed: it may have happened, so it is never started again.
        (found_is(interrupted(), 0, 1, &[]), vec![two]),
        (found_is(interrupted(), 0, 0, &[one]), vec![one]),
        (found_is(interrupted(), 0, 0, &[one, two]), vec![one, two]),
        (found_is(Some(RunEnd::Completed), 0, 0, &[one, two]), vec![one, two]),
    ];
    for (index, (first, last)) in expected.into_iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        assert!(live(folder.path(), index + 1), "commit {} was never reached", index + 1);
        let mut house = House::at(folder.path(), None).await;
        house.conversation = conversation(1);
        assert_eq!(found(&house, folder.path()).await, first, "after commit {}", index + 1);
        go_on(&mut house).await;
        assert_eq!(effects(folder.path()), last, "after commit {}", index + 1);
        let head = house.head().await;
        assert!(head.calls.is_empty() && head.requests.is_empty() && head.run.is_none());
        house.engine.store().check_journal().await.unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    assert!(!live(folder.path(), 9), "a round trip of three calls has eight commits");
}

/// Killed before the answer, in the answer, and once more in the second life: still once.
#[tokio::test]
async fn a_message_instead_lets_it_go() {
    let folder = tempfile::tempdir().unwrap();
    assert!(live(folder.path(), 4));
    let mut house = House::at(folder.path(), None).await;
    house.say("Leave it.").await;
    let head = house.head().await;
    assert!(head.calls.is_empty());
    assert_eq!(effects(folder.path()), Vec::<String>::new(), "what was approved and not run needs a click");
}
