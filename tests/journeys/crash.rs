//! Every point at which something can break in a conversation's life: before and after each commit, before a tool begins, while
//! it works, and between its end and the storing of its result. At each point the process is aborted, or the disk fails.
//!
//! Whatever the point: what a person was told is stored, nothing runs twice, what is said to have succeeded did, and the
//! conversation is in a state that the person can leave.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use countersign_core::call::{CallState, Settled};
use countersign_core::ids::RequestId;
use countersign_core::input::RunInput;
use countersign_core::mode::Mode;
use countersign_core::run::RunEnd;
use countersign_engine::engine::{AfterCommit, Engine};
use countersign_engine::error::EngineError;
use countersign_engine::feed::News;
use countersign_store::open::{Disk, Store};

use crate::house::{call, calls, conversation, plan, starting};

use process::{Process, Ticks, Tools, Wardrobe, lines};

mod process;

const FOLDER: &str = "COUNTERSIGN_CRASH_FOLDER";
const POINT: &str = "COUNTERSIGN_CRASH_POINT";
const LIFE: &str = "COUNTERSIGN_CRASH_LIFE";

/// Where something breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Point {
    /// At the nth commit, with its statements written.
    BeforeCommit(u32),
    /// Right after the nth commit, with nothing of it shown or carried out.
    AfterCommit(u32),
    /// At the nth execution of a tool, at one of its moments.
    Tool(usize, Moment),
}

/// A moment of an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    Before,
    While,
    After,
}

/// What the conversation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Life {
    /// Two writes are asked for beside a read.
    Batch,
    /// A plan goes into Auto until its run ends, and two writes run unasked.
    Planned,
    /// A sub-agent asks for two writes beside a read.
    Below,
    /// A server asks in the middle of a call, and is answered while it waits (D-86).
    Held,
}

const LIVES: [Life; 4] = [Life::Batch, Life::Planned, Life::Below, Life::Held];

/// Commits of a whole life, the making of the conversation included, and its executions.
fn size(life: Life) -> (u32, usize) {
    match life {
        Life::Batch => (8, 3),
        Life::Planned => (8, 2),
        Life::Below => (10, 3),
        Life::Held => (7, 1),
    }
}

fn points(life: Life) -> Vec<Point> {
    let (commits, executions) = size(life);
    let before = (1..=commits).map(Point::BeforeCommit);
    let after = (1..=commits).map(Point::AfterCommit);
    let moments = [Moment::Before, Moment::While, Moment::After];
    let tools = (1..=executions).flat_map(|nth| moments.map(|moment| Point::Tool(nth, moment)));
    before.chain(after).chain(tools).collect()
}

/// What must hold in a folder that nobody uses any more, and then of the conversation's way to its end.
async fn can_be_left(folder: &Path, life: Life, what: &str) {
    let process = Process::quiet(folder).await;
    let store = process.engine.store();
    let Some(head) = process.head().await else {
        assert!(lines(folder, "begun").is_empty(), "{what}: nothing runs in a conversation that isn't there");
        return;
    };
    assert_eq!(head.run, None, "{what}: nothing runs by itself");
    for shown in lines(folder, "shown") {
        let request: RequestId = shown.parse().unwrap();
        assert!(store.conversation_of_request(request).await.unwrap().is_some(), "{what}: b.6.7: shown, not stored");
    }
    for answered in lines(folder, "answered") {
        let request: RequestId = answered.parse().unwrap();
        assert!(head.answerable(request).is_none(), "{what}: an answer that was taken is lost");
    }
    assert!(head.held.is_empty(), "{what}: D-86: no server waits any more");
    what_happened_is_known(&process, what).await;
    let mut steps = 0;
    while let Some(input) = process.next().await {
        process.give(input).await.unwrap_or_else(|error| panic!("{what}: no way on: {error}"));
        process.settled().await;
        steps += 1;
        assert!(steps < 10, "{what}: no end to it");
    }
    let head = process.head().await.unwrap();
    assert!(head.calls.is_empty() && head.requests.is_empty() && head.run.is_none(), "{what}: {head:?}");
    if life == Life::Planned {
        assert_ne!(head.conversation.mode, Mode::Auto, "{what}: Auto was for one run");
    }
    what_happened_is_known(&process, what).await;
    process.engine.store().check_journal().await.unwrap();
    process.close().await;
}

/// Nothing ran twice, and what is stored about each call is what the world says.
async fn what_happened_is_known(process: &Process, what: &str) {
    let count = |file: &str| {
        let mut counted: BTreeMap<String, usize> = BTreeMap::new();
        for line in lines(&process.folder, file) {
            *counted.entry(line).or_default() += 1;
        }
        counted
    };
    let (begun, done) = (count("begun"), count("done"));
    let messages = process.engine.store().messages(conversation(1), i64::MAX, 100).await.unwrap();
    let mut facts: Vec<_> = messages.into_iter().flat_map(|message| message.calls).collect();
    for index in 0..facts.len() {
        if let Some(agent) = process.engine.store().started_by(facts[index].call.id).await.unwrap() {
            let below = process.engine.store().thread(agent.run).await.unwrap();
            facts.extend(below.into_iter().flat_map(|message| message.calls));
        }
    }
    for (arguments, times) in &begun {
        assert!(*times == 1, "{what}: {arguments} ran {times} times");
        let fact = facts.iter().find(|fact| fact.call.arguments == *arguments);
        let claimed = fact.is_some_and(|fact| match &fact.call.state {
            CallState::Started { .. } => true,
            CallState::Settled(settled) => {
                matches!(settled, Settled::Succeeded | Settled::Errored | Settled::OutcomeUnknown | Settled::Stopped)
            }
            CallState::Held(_) | CallState::Waiting(_) | CallState::Approved(_) | CallState::Suspended { .. } => false,
        });
        assert!(claimed, "{what}: {arguments} ran and nothing says so: {:?}", fact.map(|fact| &fact.call.state));
    }
    // What starts a sub-agent executes nothing itself.
    for fact in facts.iter().filter(|fact| fact.call.tool != "helper") {
        let times = done.get(&fact.call.arguments).copied().unwrap_or(0);
        match &fact.call.state {
            CallState::Settled(Settled::Succeeded) => assert_eq!(times, 1, "{what}: {}", fact.call.arguments),
            CallState::Settled(Settled::OutcomeUnknown) => assert!(times <= 1, "{what}: {}", fact.call.arguments),
            _ => {}
        }
    }
}

/// A life that is cut short, in a process of its own; without the variables it is a whole one.
#[tokio::test]
async fn a_life_with_a_point() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        for life in LIVES {
            let folder = tempfile::tempdir().unwrap();
            let commits = Arc::new(AtomicUsize::new(0));
            let counts = Arc::clone(&commits);
            let count: AfterCommit = Arc::new(move |_| {
                counts.fetch_add(1, Ordering::SeqCst);
            });
            let process = Process::open(folder.path(), Some(count), |_, _| {}).await.unwrap();
            process.live(life).await;
            let end = process.engine.store().last_end(conversation(1)).await.unwrap();
            assert_eq!(end, Some(RunEnd::Completed));
            let found = (u32::try_from(commits.load(Ordering::SeqCst)).unwrap(), lines(folder.path(), "done").len());
            assert_eq!(found, size(life), "the points are all there are");
            process.close().await;
            can_be_left(folder.path(), life, "a whole life").await;
        }
        return;
    };
    let (life, index) = (std::env::var(LIFE).unwrap(), std::env::var(POINT).unwrap().parse::<usize>().unwrap());
    let life = LIVES.into_iter().find(|one| format!("{one:?}") == life).unwrap();
    let point = points(life)[index];
    let commits = AtomicUsize::new(0);
    let after: AfterCommit = Arc::new(move |_| {
        let nth = u32::try_from(commits.fetch_add(1, Ordering::SeqCst) + 1).unwrap();
        if point == Point::AfterCommit(nth) {
            std::process::abort();
        }
    });
    let breaks = move |nth, moment| {
        if point == Point::Tool(nth, moment) {
            std::process::abort();
        }
    };
    let process = Process::open(Path::new(&folder), Some(after), breaks).await.unwrap();
    if let Point::BeforeCommit(nth) = point {
        process.engine.store().pretend(Disk::Dies { after: nth - 1 }).await.unwrap();
    }
    process.live(life).await;
    // What was stored last is carried out before the process may end.
    process.engine.close().await;
}

/// Each point × the process is aborted.
#[tokio::test]
async fn aborted_at_every_point() {
    for life in LIVES {
        for (index, point) in points(life).into_iter().enumerate() {
            let folder = tempfile::tempdir().unwrap();
            let child = Command::new(std::env::current_exe().unwrap())
                .args(["crash::a_life_with_a_point", "--exact", "--nocapture", "--test-threads=1"])
                .env(FOLDER, folder.path())
                .env(LIFE, format!("{life:?}"))
                .env(POINT, index.to_string())
                .output()
                .unwrap();
            let told = String::from_utf8_lossy(&child.stderr);
            assert!(child.status.code().is_none(), "{life:?}, {point:?} was never reached: {told}");
            can_be_left(folder.path(), life, &format!("{life:?}, aborted at {point:?}")).await;
        }
    }
}

/// Each point of each life, all at once.
async fn at_every_point<F: Future<Output = ()> + Send + 'static>(lived: impl Fn(Life, Point) -> F) {
    let mut lives = tokio::task::JoinSet::new();
    for life in LIVES {
        for point in points(life) {
            lives.spawn(lived(life, point));
        }
    }
    while let Some(lived) = lives.join_next().await {
        lived.unwrap();
    }
}

/// Each point × the disk fails, and works again: the same process goes on, and it ends as if nothing had been.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broken_disk_at_every_point_that_is_mended() {
    at_every_point(|life, point| async move {
        let folder = tempfile::tempdir().unwrap();
        let process = with_a_broken_disk(folder.path(), point).await;
        let mut news = process.engine.news();
        let store = process.engine.store().clone();
        // Whoever is told that a result couldn't be stored makes room.
        let mending = tokio::spawn(async move {
            while let Ok(told) = news.recv().await {
                if matches!(told, News::Stuck { why: Some(_), .. }) {
                    store.pretend(Disk::Roomy).await.unwrap();
                }
            }
        });
        process.live(life).await;
        mending.abort();
        let expected = match life {
            Life::Batch | Life::Below => vec!["{\"n\":0}", "{\"n\":1}", "{\"n\":2}"],
            Life::Planned => vec!["{\"n\":1}", "{\"n\":2}"],
            Life::Held => vec!["{\"n\":0}"],
        };
        assert_eq!(lines(folder.path(), "done"), expected, "{life:?}, {point:?}: nothing is lost");
        let end = process.engine.store().last_end(conversation(1)).await.unwrap();
        assert_eq!(end, Some(RunEnd::Completed), "{life:?}, {point:?}");
        process.close().await;
        can_be_left(folder.path(), life, &format!("{life:?}, a disk mended at {point:?}")).await;
    })
    .await;
}

/// Each point × the disk fails and stays so until the process is over; the next one finds a state with a way on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broken_disk_at_every_point_that_stays() {
    at_every_point(|life, point| async move {
        let folder = tempfile::tempdir().unwrap();
        let process = with_a_broken_disk(folder.path(), point).await;
        let mut news = process.engine.news();
        let broken = async {
            loop {
                match news.recv().await {
                    Ok(News::Stuck { why: Some(_), .. }) => return,
                    Ok(_) => {}
                    Err(error) => panic!("{error}"),
                }
            }
        };
        // Either the person is told, and doesn't try again, or the engine keeps what it couldn't store.
        tokio::select! {
            () = lives_until_told(&process, life) => {}
            () = broken => {}
        }
        process.engine.close().await;
        process.engine.store().pretend(Disk::Roomy).await.unwrap();
        process.engine.store().clone().close().await;
        can_be_left(folder.path(), life, &format!("{life:?}, a disk broken at {point:?}")).await;
    })
    .await;
}

async fn lives_until_told(process: &Process, life: Life) {
    let two = [call("read", "{\"n\":0}"), call("write", "{\"n\":1}"), call("write", "{\"n\":2}")];
    process.script.will(match life {
        Life::Batch => vec![calls(&two)],
        Life::Planned => vec![calls(&[plan("# Write twice")]), calls(&two[1..])],
        Life::Below => vec![calls(&[starting("helper")]), calls(&two)],
        Life::Held => vec![calls(&[call("desk", "{\"n\":0}")])],
    });
    if process.create(life).await.is_err() {
        return;
    }
    let mut input = Some(RunInput { text: Some("Go.".to_owned()), ..RunInput::default() });
    while let Some(next) = input {
        if process.give(next).await.is_err() {
            return;
        }
        process.settled().await;
        input = process.next().await;
    }
}

/// A process whose disk breaks at a point.
async fn with_a_broken_disk(folder: &Path, point: Point) -> Process {
    let store: Arc<std::sync::OnceLock<Store>> = Arc::default();
    let breaks = {
        let store = Arc::clone(&store);
        move || {
            let store = store.get().expect("the process is open").clone();
            let handle = tokio::runtime::Handle::current();
            // The engine waits for its hooks, and the writer is a task of its own.
            tokio::task::block_in_place(|| handle.block_on(store.pretend(Disk::Breaks { after: 0 }))).unwrap();
        }
    };
    let (breaks, commits) = (Arc::new(breaks), AtomicUsize::new(0));
    let at_commit = Arc::clone(&breaks);
    let after: AfterCommit = Arc::new(move |_| {
        let nth = u32::try_from(commits.fetch_add(1, Ordering::SeqCst) + 1).unwrap();
        if point == Point::AfterCommit(nth) {
            at_commit();
        }
    });
    let at_tool = move |nth, moment| {
        if point == Point::Tool(nth, moment) {
            breaks();
        }
    };
    let process = Process::open(folder, Some(after), at_tool).await.unwrap();
    assert!(store.set(process.engine.store().clone()).is_ok());
    if let Point::BeforeCommit(nth) = point {
        process.engine.store().pretend(Disk::Breaks { after: nth - 1 }).await.unwrap();
    }
    process
}

/// The disk fails while the next process settles what a dead one left: it doesn't open, and the one after it does.
#[tokio::test]
async fn a_broken_disk_while_recovering() {
    let folder = tempfile::tempdir().unwrap();
    let claimed = points(Life::Batch).iter().position(|point| *point == Point::Tool(2, Moment::While)).unwrap();
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["crash::a_life_with_a_point", "--exact", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder.path())
        .env(LIFE, "Batch")
        .env(POINT, claimed.to_string())
        .output()
        .unwrap();
    assert!(child.status.code().is_none());
    let store = Store::open(&folder.path().join("house.sqlite")).await.unwrap();
    let before = store.head(conversation(1)).await.unwrap().unwrap();
    store.pretend(Disk::Breaks { after: 0 }).await.unwrap();
    let tools =
        Tools { folder: folder.path().to_owned(), executions: AtomicUsize::new(0), breaks: Box::new(|_, _| {}) };
    let wardrobe = Arc::new(Wardrobe { script: Arc::default(), tools: Arc::new(tools) });
    let opened = Engine::open(store.clone(), wardrobe, Arc::new(Ticks::default()), None).await;
    assert!(matches!(opened.err(), Some(EngineError::Store(_))), "what can't be settled is said");
    assert_eq!(store.head(conversation(1)).await.unwrap(), Some(before), "and nothing of it is stored");
    store.pretend(Disk::Roomy).await.unwrap();
    store.close().await;
    can_be_left(folder.path(), Life::Batch, "a disk broken while recovering").await;
}
