//! Every point at which something can break in a conversation's life: before and after each commit, before a tool begins, while
//! it works, and between its end and the storing of its result. At each point the process is aborted, or the disk fails.
//!
//! Whatever the point: what a person was told is stored, nothing runs twice, what is said to have succeeded did, and the
//! conversation is in a state that the person can leave.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use async_trait::async_trait;
use countersign_core::agent::AgentProfile;
use countersign_core::answer::{Answer, AnswerBody};
use countersign_core::call::{CallState, Settled};
use countersign_core::change::Change;
use countersign_core::head::Head;
use countersign_core::ids::{At, RequestId};
use countersign_core::input::{Input, NewConversation, Outcome, OutcomeKind, RunInput};
use countersign_core::mode::{Mode, Until};
use countersign_core::parse::Tree;
use countersign_core::request::RequestKind;
use countersign_core::run::{Failure, RunEnd};
use countersign_core::step::call_digest;
use countersign_core::tool::{Effect, Mark, Tool};
use countersign_engine::engine::{AfterCommit, Engine};
use countersign_engine::error::EngineError;
use countersign_engine::feed::News;
use countersign_engine::ports::{Clock, Outfit, Outfitter, Prepared, ToRun, Toolbox};
use countersign_store::error::StoreError;
use countersign_store::open::{Disk, Store};
use countersign_store::record::Record;
use tokio_util::sync::CancellationToken;

use crate::house::{AGENT, Script, call, calls, conversation, outcome, plan, profile, tool};

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
}

/// Commits of a whole life, the making of the conversation included, and its executions.
fn size(life: Life) -> (u32, usize) {
    match life {
        Life::Batch => (8, 3),
        Life::Planned => (8, 2),
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

fn append(folder: &Path, file: &str, line: &str) {
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(folder.join(file)).unwrap();
    writeln!(file, "{line}").unwrap();
}

fn lines(folder: &Path, file: &str) -> Vec<String> {
    std::fs::read_to_string(folder.join(file)).unwrap_or_default().lines().map(str::to_owned).collect()
}

/// Tools whose executions have a beginning and an end, each of which leaves its mark in a file.
struct Tools {
    folder: PathBuf,
    executions: AtomicUsize,
    breaks: Box<dyn Fn(usize, Moment) + Send + Sync>,
}

#[async_trait]
impl Toolbox for Tools {
    fn tools(&self) -> Vec<Tool> {
        vec![tool("read", Effect::Read, &[Mark::ReadOnly]), tool("write", Effect::Write, &[])]
    }

    async fn prepare(&self, _tool: &str, _arguments: &Tree) -> Prepared {
        Prepared::default()
    }

    async fn run(&self, call: ToRun, _stop: CancellationToken) -> Outcome {
        let nth = self.executions.fetch_add(1, Ordering::SeqCst) + 1;
        (self.breaks)(nth, Moment::Before);
        append(&self.folder, "begun", &call.arguments);
        (self.breaks)(nth, Moment::While);
        append(&self.folder, "done", &call.arguments);
        (self.breaks)(nth, Moment::After);
        outcome(OutcomeKind::Succeeded, &format!("{} is done", call.arguments))
    }
}

struct Wardrobe {
    script: Arc<Script>,
    tools: Arc<Tools>,
}

#[async_trait]
impl Outfitter for Wardrobe {
    async fn outfit(&self, _profile: &AgentProfile) -> Result<Outfit, Failure> {
        let (model, toolbox) = (Arc::clone(&self.script) as _, Arc::clone(&self.tools) as _);
        Ok(Outfit { model, toolbox, guards: Vec::new() })
    }
}

#[derive(Default)]
struct Ticks(AtomicI64);

impl Clock for Ticks {
    fn now(&self) -> At {
        At(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// A process: an engine with its tools and its model, on the database of a folder.
struct Process {
    engine: Engine,
    script: Arc<Script>,
    folder: PathBuf,
}

impl Process {
    async fn open(
        folder: &Path,
        after_commit: Option<AfterCommit>,
        breaks: impl Fn(usize, Moment) + Send + Sync + 'static,
    ) -> Result<Self, EngineError> {
        let store = Store::open(&folder.join("house.sqlite")).await?;
        if store.agent(AGENT).await?.is_none() {
            store.record(Record::Agent(Box::new(profile()))).await?;
        }
        let tools = Tools { folder: folder.to_owned(), executions: AtomicUsize::new(0), breaks: Box::new(breaks) };
        let script = Arc::new(Script::default());
        let wardrobe = Arc::new(Wardrobe { script: Arc::clone(&script), tools: Arc::new(tools) });
        let engine = Engine::open(store, wardrobe, Arc::new(Ticks::default()), after_commit).await?;
        Ok(Self { engine, script, folder: folder.to_owned() })
    }

    async fn quiet(folder: &Path) -> Self {
        Self::open(folder, None, |_, _| {}).await.unwrap()
    }

    async fn head(&self) -> Option<Head> {
        self.engine.store().head(conversation(1)).await.unwrap()
    }

    async fn create(&self, life: Life) -> Result<(), EngineError> {
        let mode = match life {
            Life::Batch => Mode::Default,
            Life::Planned => Mode::Plan,
        };
        let new = NewConversation { id: conversation(1), agent: AGENT, title: "c".to_owned(), mode };
        self.engine.create(new).await.map(|_| ())
    }

    /// Gives an input, and writes down that the person was told it is done.
    async fn give(&self, input: RunInput) -> Result<(), EngineError> {
        let answered: Vec<RequestId> = input.answers.iter().map(|answer| answer.request).collect();
        self.engine.input(conversation(1), Input::Start(input)).await?;
        for request in answered {
            append(&self.folder, "answered", &request.to_string());
        }
        Ok(())
    }

    /// Waits until no run goes on.
    async fn settled(&self) {
        let mut news = self.engine.news();
        loop {
            if self.head().await.is_none_or(|head| head.run.is_none()) {
                return;
            }
            let patience = std::time::Duration::from_millis(200);
            if let Ok(Ok(News::Committed { changes, .. })) = tokio::time::timeout(patience, news.recv()).await {
                for change in changes.iter() {
                    if let Change::RequestOpened { request, .. } = change {
                        append(&self.folder, "shown", &request.id.to_string());
                    }
                }
            }
        }
    }

    /// What a person does who says yes to whatever waits; none if nothing does.
    async fn next(&self) -> Option<RunInput> {
        let head = self.head().await?;
        let answers: Vec<Answer> = head
            .requests_in_order()
            .into_iter()
            .map(|request| Answer {
                request: request.id,
                digest: request.digest,
                body: match request.kind {
                    RequestKind::Plan => AnswerBody::ApprovePlan { into: Mode::Auto, until: Until::RunEnds },
                    RequestKind::Call | RequestKind::Input => AnswerBody::Approve,
                },
            })
            .collect();
        let resume: Vec<_> = head
            .calls_in_order()
            .into_iter()
            .filter(|call| matches!(call.state, CallState::Approved(_)))
            .map(|call| (call.id, call_digest(call, RequestKind::Call).unwrap()))
            .collect();
        let waits = !answers.is_empty() || !resume.is_empty() || head.conversation.awaits_reply;
        waits.then_some(RunInput { answers, resume, ..RunInput::default() })
    }

    /// A whole life. A person who is told that something couldn't be stored tries again, once there is room.
    async fn live(&self, life: Life) {
        let two = [call("read", "{\"n\":0}"), call("write", "{\"n\":1}"), call("write", "{\"n\":2}")];
        match life {
            Life::Batch => self.script.will([calls(&two)]),
            Life::Planned => self.script.will([calls(&[plan("# Write twice")]), calls(&two[1..])]),
        }
        while let Err(error) = self.create(life).await {
            self.mends(&error).await;
        }
        let text = || RunInput { text: Some("Go.".to_owned()), ..RunInput::default() };
        while let Err(error) = self.give(text()).await {
            self.mends(&error).await;
        }
        self.settled().await;
        while let Some(input) = self.next().await {
            match self.give(input).await {
                Ok(()) => self.settled().await,
                Err(error) => self.mends(&error).await,
            }
        }
    }

    async fn mends(&self, error: &EngineError) {
        assert!(matches!(error, EngineError::Store(StoreError::NotStored | StoreError::Sql(_))), "{error:?}");
        self.engine.store().pretend(Disk::Roomy).await.unwrap();
    }

    async fn close(self) {
        self.engine.close().await;
        self.engine.store().clone().close().await;
    }
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
        assert!(!head.requests.contains_key(&request), "{what}: an answer that was taken is lost");
    }
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
    let facts: Vec<_> = messages.into_iter().flat_map(|message| message.calls).collect();
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
    for fact in &facts {
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
        for life in [Life::Batch, Life::Planned] {
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
    let life = if life == "Batch" { Life::Batch } else { Life::Planned };
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
}

/// Each point × the process is aborted.
#[tokio::test]
async fn aborted_at_every_point() {
    for life in [Life::Batch, Life::Planned] {
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

/// Each point × the disk fails, and works again: the same process goes on, and it ends as if nothing had been.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broken_disk_at_every_point_that_is_mended() {
    let mut lives = tokio::task::JoinSet::new();
    for life in [Life::Batch, Life::Planned] {
        for point in points(life) {
            lives.spawn(async move {
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
                    Life::Batch => vec!["{\"n\":0}", "{\"n\":1}", "{\"n\":2}"],
                    Life::Planned => vec!["{\"n\":1}", "{\"n\":2}"],
                };
                assert_eq!(lines(folder.path(), "done"), expected, "{life:?}, {point:?}: nothing is lost");
                let end = process.engine.store().last_end(conversation(1)).await.unwrap();
                assert_eq!(end, Some(RunEnd::Completed), "{life:?}, {point:?}");
                process.close().await;
                can_be_left(folder.path(), life, &format!("{life:?}, a disk mended at {point:?}")).await;
            });
        }
    }
    while let Some(lived) = lives.join_next().await {
        lived.unwrap();
    }
}

/// Each point × the disk fails and stays so until the process is over; the next one finds a state with a way on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broken_disk_at_every_point_that_stays() {
    let mut lives = tokio::task::JoinSet::new();
    for life in [Life::Batch, Life::Planned] {
        for point in points(life) {
            lives.spawn(async move {
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
            });
        }
    }
    while let Some(lived) = lives.join_next().await {
        lived.unwrap();
    }
}

async fn lives_until_told(process: &Process, life: Life) {
    let two = [call("read", "{\"n\":0}"), call("write", "{\"n\":1}"), call("write", "{\"n\":2}")];
    process.script.will(match life {
        Life::Batch => vec![calls(&two)],
        Life::Planned => vec![calls(&[plan("# Write twice")]), calls(&two[1..])],
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
