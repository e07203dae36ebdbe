//! Two who answer the same set at the same moment: two windows on one feed, and two processes on one database. One wins; the other is
//! told that it was answered, and the tool runs once.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use countersign_api::app::Countersign;
use countersign_api::commands::request;
use countersign_api::wire::conversation::{ConversationState, Send, SentAnswer};
use countersign_api::wire::inbox::{Decision, DetailState};
use countersign_api::wire::window::{ApiError, FeedEvent, Space};
use countersign_core::answer::AnswerBody;
use countersign_core::input::{Input, Refusal};
use countersign_core::mode::Mode;
use countersign_core::request::ClosedReason;
use countersign_engine::error::EngineError;
use tokio::sync::{Barrier, broadcast};

use crate::app::{App, nothing};
use crate::house::{House, call, calls, conversation};

const FOLDER: &str = "COUNTERSIGN_RACE_FOLDER";

fn rounds() -> usize {
    if std::env::var("DEEP").is_ok_and(|deep| deep == "1") { 1_000 } else { 50 }
}

/// A window: it learns from the feed that something waits, loads what it shows, and approves when the other one has seen it too.
async fn window(
    countersign: Arc<Countersign>,
    mut feed: broadcast::Receiver<FeedEvent>,
    seen: Arc<Barrier>,
    sent: Arc<Barrier>,
    rounds: usize,
) -> Vec<Result<(), ApiError>> {
    let mut outcomes = Vec::new();
    for _ in 0..rounds {
        let set = loop {
            let snapshot = countersign.snapshot(Space::Main, request::snapshot {}).await.unwrap();
            if let Some(set) = snapshot.sets.into_iter().next() {
                break set;
            }
            let heard = feed.recv().await;
            assert!(!matches!(heard, Err(broadcast::error::RecvError::Closed)), "the app is there");
        };
        let row = set.rows[0].id.clone();
        let detail = countersign.detail(Space::Main, request::detail { id: row.clone() }).await.unwrap();
        let DetailState::Open { digest, .. } = detail.state else { panic!("{row} waits") };
        seen.wait().await;
        let answers = vec![SentAnswer { request: row, digest, decision: Decision::Approve }];
        let send = Send { answers, ..nothing(&set.conversation) };
        outcomes.push(countersign.send(Space::Main, request::send { send }).await);
        sent.wait().await;
    }
    outcomes
}

/// Waits until no run goes on, on a feed of its own: the app's would fill up over a thousand sets.
async fn idle(app: &App, conversation: &str) {
    loop {
        let mut feed = app.countersign.subscribe();
        let snapshot = app.snapshot().await;
        let row = snapshot.conversations.iter().find(|row| row.id == conversation).unwrap();
        if !matches!(row.state, ConversationState::Running { .. }) {
            return;
        }
        let heard = tokio::time::timeout(std::time::Duration::from_secs(20), feed.recv()).await;
        assert!(heard.is_ok(), "something happens within 20 s");
    }
}

/// CL-10, D-61, L-031, L-032: two windows of one app, each on its own feed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_windows_one_wins() {
    let rounds = rounds();
    let mut app = App::new().await;
    let (seen, sent) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(3)));
    let windows = [(); 2].map(|()| {
        let (countersign, feed) = (Arc::clone(&app.countersign), app.countersign.subscribe());
        tokio::spawn(window(countersign, feed, Arc::clone(&seen), Arc::clone(&sent), rounds))
    });
    let ask = |n: usize| calls(&[call("write", &format!("{{\"n\":{n}}}"))]);
    app.script.will([ask(0)]);
    let conversation = app.begin("Go.", None).await;
    for n in 0..rounds {
        sent.wait().await;
        idle(&app, &conversation).await;
        if n + 1 < rounds {
            app.script.will([ask(n + 1)]);
            app.send(Send { text: Some("Again.".to_owned()), ..nothing(&conversation) }).await.unwrap();
        }
    }
    let [one, two] = windows;
    let (one, two) = (one.await.unwrap(), two.await.unwrap());
    let mut won = [0, 0];
    for (round, both) in one.into_iter().zip(two).enumerate() {
        let told = match both {
            (Ok(()), Err(told)) => (0, told),
            (Err(told), Ok(())) => (1, told),
            both => panic!("round {round}: exactly one wins: {both:?}"),
        };
        won[told.0] += 1;
        let ApiError::ApprovalClosed { closed, .. } = told.1 else { panic!("round {round}: {:?}", told.1) };
        assert_eq!(closed.len(), 1, "round {round}");
        let said = format!("{closed:?}").to_lowercase();
        assert!(said.contains("answered"), "round {round}: the loser is told why: {said}");
    }
    let expected: Vec<String> = (0..rounds).map(|n| format!("write {{\"n\":{n}}}")).collect();
    assert_eq!(app.ran(), expected, "each ran once");
    println!("{rounds} sets; the windows won {won:?}");
}

/// What became of an answer, as one word for the other process.
fn word(outcome: &Result<(), EngineError>) -> String {
    match outcome {
        Ok(()) => "won".to_owned(),
        Err(EngineError::Refused(Refusal::ApprovalClosed(closed)))
            if closed.iter().all(|(_, reason)| *reason == ClosedReason::Answered) =>
        {
            "answered".to_owned()
        }
        Err(other) => format!("{other:?}"),
    }
}

/// The other process. It reads what waits when it is told to, and answers when it is told to.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_answers() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let mut house = House::at(Path::new(&folder), None).await;
    house.conversation = conversation(1);
    let mut line = String::new();
    loop {
        line.clear();
        if std::io::stdin().read_line(&mut line).unwrap() == 0 {
            break;
        }
        assert_eq!(line, "look\n");
        let input = house.answers(&[(0, AnswerBody::Approve)]).await;
        eprintln!("ready");
        line.clear();
        std::io::stdin().read_line(&mut line).unwrap();
        assert_eq!(line, "go\n");
        eprintln!("going");
        let outcome = house.input(Input::Start(input)).await;
        eprintln!("{}", word(&outcome));
    }
    house.engine.close().await;
}

/// N-32, D-61, D-90: two real processes on one database, each with its own lock.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_real_processes_one_wins() {
    let rounds = rounds();
    let house = House::new(Mode::Default).await;
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["racing::a_process_that_answers", "--exact", "--nocapture", "--test-threads=1"])
        .env(FOLDER, house.folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut tell = child.stdin.take().unwrap();
    let mut hear = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut won = [0, 0];
    for round in 0..rounds {
        house.script.will([calls(&[call("write", &format!("{{\"n\":{round}}}"))])]);
        house.start(crate::house::text_input("Go.")).await.unwrap();
        while house.head().await.run.is_some() {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
        let input = house.answers(&[(0, AnswerBody::Approve)]).await;
        tell.write_all(b"look\n").unwrap();
        assert_eq!(hear.next().unwrap().unwrap(), "ready", "round {round}");
        tell.write_all(b"go\n").unwrap();
        // Now one is a little ahead, now the other.
        let goes_second = round % 2 == 1;
        if goes_second {
            assert_eq!(hear.next().unwrap().unwrap(), "going", "round {round}");
        }
        let mine = word(&house.input(Input::Start(input)).await);
        if !goes_second {
            assert_eq!(hear.next().unwrap().unwrap(), "going", "round {round}");
        }
        let theirs = hear.next().unwrap().unwrap();
        match (mine.as_str(), theirs.as_str()) {
            ("won", "answered") => won[0] += 1,
            ("answered", "won") => won[1] += 1,
            both => panic!("round {round}: exactly one wins, and the other is told so: {both:?}"),
        }
        while house.head().await.run.is_some() {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
    }
    drop(tell);
    assert!(child.wait().unwrap().success());
    let expected: Vec<String> = (0..rounds).map(|n| format!("{{\"n\":{n}}}")).collect();
    assert_eq!(house.effects(), expected, "each ran once, whoever won");
    println!("{rounds} sets; the processes won {won:?}");
}
