//! What a round trip costs: a message, calls that need approval, the run's end, a yes, the tools, the last words; all of it stored.
//! The model and the tools take no time of their own. (long because it is one program with its own model, tools and numbers)
//!
//! Without arguments, times of each kind of round trip. With `--conversations N --scenario single|parallel10|history200|grow500|
//! together50` (and `--history H`, `--rounds R`, `--calls C`, `--dir DIR`, `--variant cold|one-thread`) one measurement, printed as one
//! line of JSON. `cold` opens the database anew between the question and the answer.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a measurement stops at the first thing that is not as it should be, and its numbers are small"
)]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use async_trait::async_trait;
use countersign_core::agent::{AgentProfile, ModelChoice, ToolSet};
use countersign_core::answer::{Answer, AnswerBody};
use countersign_core::change::{Change, Message, MessageBody};
use countersign_core::head::Head;
use countersign_core::ids::{AgentId, At, ConversationId, MessageId, OwnerId, RunId};
use countersign_core::input::{Input, ModelReply, NewConversation, Outcome, OutcomeKind, ProposedCall, RunInput};
use countersign_core::mode::Mode;
use countersign_core::parse::Tree;
use countersign_core::run::{Caps, Failure, Phase, Run, RunEnd};
use countersign_core::server::ServerProfile;
use countersign_core::spending::Usage;
use countersign_core::tool::{Effect, Mark, Marks, Origin, Tool, ToolIdentity};
use countersign_core::transcript::ViewItem;
use countersign_engine::engine::{AfterCommit, Engine};
use countersign_engine::feed::News;
use countersign_engine::ports::{Clock, Deltas, Model, Outfit, Outfitter, Prepared, Prompt, Purpose, ToRun, Toolbox};
use countersign_store::open::Store;
use countersign_store::record::Record;
use rustix::time::{ClockId, clock_gettime};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

const AGENT: AgentId = AgentId([0xA6; 16]);

/// Calls when it is spoken to, and ends when it is given results.
struct Replies {
    calls: usize,
}

#[async_trait]
impl Model for Replies {
    async fn reply(&self, prompt: Prompt, _deltas: Deltas) -> Result<ModelReply, Failure> {
        let usage = Some(Usage { input: 100, output: 100, ..Usage::default() });
        if matches!(prompt.messages.last().map(Arc::as_ref), Some(ViewItem::Results(_))) {
            return Ok(ModelReply { text: "f".repeat(400), usage, ..ModelReply::default() });
        }
        let call = |n: usize| ProposedCall {
            provider_id: format!("call_{n}"),
            name: "act".to_owned(),
            arguments: format!("{{\"text\":\"{}\"}}", "a".repeat(200)),
        };
        Ok(ModelReply { calls: (0..self.calls).map(call).collect(), usage, ..ModelReply::default() })
    }
}

/// One tool that needs approval and does nothing.
#[derive(Default)]
struct Acts {
    executed: AtomicUsize,
    answered: Mutex<Option<Instant>>,
    /// How long after an answer its first tool began.
    began_after: Mutex<Vec<Duration>>,
}

#[async_trait]
impl Toolbox for Acts {
    fn tools(&self) -> Vec<Tool> {
        let origin = Origin::BuiltIn { agent: AGENT, root: "/bench".to_owned() };
        vec![Tool {
            identity: ToolIdentity { origin, name: "act".to_owned() },
            description: String::new(),
            parameters: "{}".to_owned(),
            effect: Effect::Write,
            marks: Marks::of([Mark::ParallelSafe]),
        }]
    }

    async fn prepare(&self, _tool: &str, _arguments: &Tree) -> Prepared {
        Prepared::default()
    }

    async fn run(&self, _call: ToRun, _stop: CancellationToken) -> Outcome {
        if let Some(answered) = self.answered.lock().unwrap().take() {
            self.began_after.lock().unwrap().push(answered.elapsed());
        }
        self.executed.fetch_add(1, Ordering::Relaxed);
        Outcome { kind: OutcomeKind::Succeeded, text: "r".repeat(200), left: None }
    }
}

struct Wardrobe {
    model: Arc<Replies>,
    acts: Arc<Acts>,
}

#[async_trait]
impl Outfitter for Wardrobe {
    async fn outfit(&self, _profile: &AgentProfile, _: &[ServerProfile], _: Purpose) -> Result<Outfit, Failure> {
        let (model, toolbox) = (Arc::clone(&self.model) as _, Arc::clone(&self.acts) as _);
        Ok(Outfit { model, toolbox, guards: Vec::new() })
    }
}

struct Wall;

impl Clock for Wall {
    fn now(&self) -> At {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        At(i64::try_from(since.as_millis()).unwrap())
    }
}

/// An engine to measure.
struct Bench {
    engine: Engine,
    news: broadcast::Receiver<News>,
    acts: Arc<Acts>,
    commits: Arc<AtomicUsize>,
    calls: usize,
    path: PathBuf,
    /// How long an answer took to be stored.
    stored_after: Vec<Duration>,
}

impl Bench {
    async fn open(path: &Path, calls: usize) -> Self {
        let store = Store::open(path).await.unwrap();
        if store.agent(AGENT).await.unwrap().is_none() {
            let profile = AgentProfile {
                id: AGENT,
                revision: 1,
                name: "Bench".to_owned(),
                instructions: String::new(),
                model: ModelChoice::Scripted,
                folder: "/bench".to_owned(),
                start_mode: Mode::Default,
                rounds: 20,
                tools: ToolSet::All,
                sub_agents: Vec::new(),
                policy: countersign_core::policy::AgentPolicy::default(),
                commands: countersign_core::confine::CommandSettings::default(),
                servers: Vec::new(),
                asking: countersign_core::asking::ModelSettings::default(),
                reaches: countersign_core::fetch::Reaches::default(),
                caps: Caps::default(),
            };
            store.record(Record::Agent(Box::new(profile))).await.unwrap();
        }
        let (acts, commits) = (Arc::new(Acts::default()), Arc::new(AtomicUsize::new(0)));
        let wardrobe = Arc::new(Wardrobe { model: Arc::new(Replies { calls }), acts: Arc::clone(&acts) });
        let counted = Arc::clone(&commits);
        let after: AfterCommit = Arc::new(move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
        });
        let engine = Engine::open(store, wardrobe, Arc::new(Wall), Some(after)).await.unwrap();
        let news = engine.news();
        Self { engine, news, acts, commits, calls, path: path.to_owned(), stored_after: Vec::new() }
    }

    /// A conversation with some messages of 1 KB behind it.
    async fn conversation(&self, number: usize, history: usize) -> ConversationId {
        let id = ConversationId(bytes(1, number));
        let new =
            NewConversation { id, agent: AGENT, title: format!("c{number}"), mode: Mode::Default, auto_until: None };
        let head = self.engine.create(new).await.unwrap();
        if history > 0 {
            self.seed(head, number, history).await;
        }
        id
    }

    async fn seed(&self, head: Head, number: usize, history: usize) {
        let (mut head, run) = (head, RunId(bytes(2, number)));
        let mut changes = vec![Change::RunStarted(Run {
            id: run,
            phase: Phase::Model,
            rounds: 0,
            limit: 1,
            mode_start: Mode::Default,
            owner: OwnerId([0; 16]),
            agent_revision: 1,
            left: std::collections::BTreeMap::new(),
            model_calls: 0,
            agents_started: 0,
            caps: Caps::default(),
            child: None,
            started_at: At(0),
        })];
        for seq in 0..history {
            let id = MessageId(bytes(3, number * 10_000 + seq));
            let text = "h".repeat(1_000);
            let body = match seq % 2 {
                0 => MessageBody::User { text },
                _ => MessageBody::Assistant { text, raw: None, usage: None },
            };
            let seq = head.conversation.next_seq + i64::try_from(seq).unwrap();
            changes.push(Change::MessageAdded(Message { id, seq, run, thread: None, body, at: At(0) }));
        }
        changes.push(Change::RunEnded { run, end: RunEnd::Completed, at: At(0) });
        let expected = head.conversation.revision;
        for change in &changes {
            head.apply(change);
        }
        head.conversation.revision = expected + 1;
        head.tidy();
        self.engine.store().apply(&head, expected, changes, At(0)).await.unwrap();
    }

    /// Says something, and waits until the run has asked.
    async fn ask(&mut self, of: ConversationId) -> Head {
        let input = RunInput { text: Some("u".repeat(200)), ..RunInput::default() };
        self.engine.input(of, Input::Start(input)).await.unwrap();
        let head = self.ended(of).await;
        assert_eq!(head.requests.len(), self.calls);
        head
    }

    fn yes(head: &Head) -> Input {
        let answers = head.requests_in_order().into_iter().map(|request| Answer {
            request: request.id,
            digest: request.digest,
            body: AnswerBody::Approve,
        });
        Input::Start(RunInput { answers: answers.collect(), ..RunInput::default() })
    }

    async fn answer(&mut self, head: &Head) {
        let of = head.conversation.id;
        let before = Instant::now();
        *self.acts.answered.lock().unwrap() = Some(before);
        self.engine.input(of, Self::yes(head)).await.unwrap();
        self.stored_after.push(before.elapsed());
        self.ended(of).await;
    }

    async fn ended(&mut self, of: ConversationId) -> Head {
        loop {
            match self.news.recv().await {
                Ok(News::Committed { conversation, changes, head })
                    if conversation == of && changes.iter().any(|one| matches!(one, Change::RunEnded { .. })) =>
                {
                    return Head::clone(&head);
                }
                Ok(_) => {}
                Err(error) => panic!("the news were lost: {error}"),
            }
        }
    }

    async fn round_trip(&mut self, of: ConversationId) {
        let head = self.ask(of).await;
        self.answer(&head).await;
    }

    /// The same engine in a new process, as far as one process can play that.
    async fn again(self) -> Self {
        self.engine.close().await;
        self.engine.store().clone().close().await;
        let mut again = Self::open(&self.path, self.calls).await;
        again.acts.executed.store(self.acts.executed.load(Ordering::Relaxed), Ordering::Relaxed);
        again.commits.store(self.commits.load(Ordering::Relaxed), Ordering::Relaxed);
        again.acts.began_after.lock().unwrap().extend(self.acts.began_after.lock().unwrap().iter());
        again.stored_after = self.stored_after;
        again
    }

    async fn close(self) {
        self.engine.close().await;
        self.engine.store().clone().close().await;
    }
}

fn bytes(kind: u8, number: usize) -> [u8; 16] {
    let mut bytes = [kind; 16];
    bytes[8..].copy_from_slice(&(number as u64).to_be_bytes());
    bytes
}

/// CPU time of this process, all threads, in milliseconds.
fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

fn runtime(variant: &str) -> tokio::runtime::Runtime {
    let mut builder = match variant {
        "one-thread" => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    builder.enable_all().build().unwrap()
}

fn percentile(times: &[Duration], hundredths: usize) -> f64 {
    let mut times = times.to_vec();
    times.sort();
    times.get((times.len() * hundredths / 100).min(times.len().saturating_sub(1))).map_or(0.0, |time| ms(*time))
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

struct Arguments(Vec<String>);

impl Arguments {
    fn text(&self, name: &str) -> Option<&str> {
        let at = self.0.iter().position(|one| one == name)?;
        self.0.get(at + 1).map(String::as_str)
    }

    fn number(&self, name: &str) -> Option<usize> {
        self.text(name).map(|text| text.parse().unwrap())
    }
}

fn main() {
    let arguments = Arguments(std::env::args().collect());
    if arguments.text("--scenario").is_none() && arguments.text("--conversations").is_none() {
        divan::main();
        return;
    }
    let scenario = arguments.text("--scenario").unwrap_or("single").to_owned();
    let (calls, history, rounds) = match scenario.as_str() {
        "parallel10" => (10, 0, 1),
        "history200" => (1, 200, 1),
        "grow500" => (1, 0, 500),
        "single" | "together50" => (1, 0, 1),
        other => panic!("there is no scenario `{other}`"),
    };
    assert_ne!(arguments.text("--sync"), Some("NORMAL"), "the store syncs every commit");
    let variant = arguments.text("--variant").unwrap_or("").to_owned();
    let folder = arguments.text("--dir").map(str::to_owned).or_else(|| std::env::var("BENCH_DIR").ok());
    let folder = PathBuf::from(folder.unwrap_or_else(|| env!("CARGO_TARGET_TMPDIR").to_owned()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("countersign-{scenario}-{}.sqlite", std::process::id()));
    let measured = Measured {
        calls: arguments.number("--calls").unwrap_or(calls),
        history: arguments.number("--history").unwrap_or(history),
        rounds: arguments.number("--rounds").unwrap_or(rounds),
        conversations: arguments.number("--conversations").unwrap_or(50),
        variant: variant.clone(),
        scenario,
    };
    let line = runtime(&variant).block_on(async {
        match measured.scenario.as_str() {
            "together50" => together(&measured, &path).await,
            _ => one_after_the_other(&measured, &path).await,
        }
    });
    println!("{line}");
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{end}", path.display()));
    }
    for entry in std::fs::read_dir(&folder).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(&*path.file_stem().unwrap().to_string_lossy()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

struct Measured {
    scenario: String,
    variant: String,
    conversations: usize,
    calls: usize,
    history: usize,
    rounds: usize,
}

async fn one_after_the_other(measured: &Measured, path: &Path) -> String {
    let Measured { conversations, calls, history, rounds, .. } = *measured;
    let mut bench = Bench::open(path, calls).await;
    let mut ids = Vec::new();
    for number in 0..conversations {
        ids.push(bench.conversation(number, history).await);
    }
    bench.commits.store(0, Ordering::Relaxed);
    let (cpu_began, began) = (cpu(), Instant::now());
    let (mut times, mut curve, mut cpu_before) = (Vec::new(), Vec::new(), cpu_began);
    let each = (rounds / 10).max(1);
    for id in ids {
        for round in 1..=rounds {
            let at = Instant::now();
            if measured.variant == "cold" {
                let head = bench.ask(id).await;
                bench = bench.again().await;
                bench.answer(&head).await;
            } else {
                bench.round_trip(id).await;
            }
            times.push(at.elapsed());
            if rounds > 1 && round % each == 0 {
                let now = cpu();
                let per_round = (now - cpu_before) / each as f64;
                curve.push(format!("{{\"round\":{round},\"cpu_ms_per_rt\":{per_round:.3}}}"));
                cpu_before = now;
            }
        }
    }
    let (cpu_ms, wall) = (cpu() - cpu_began, began.elapsed().as_secs_f64());
    let trips = conversations * rounds;
    let executed = bench.acts.executed.load(Ordering::Relaxed);
    assert_eq!(executed, trips * calls, "each call ran once");
    let commits = bench.commits.load(Ordering::Relaxed) as f64 / trips as f64;
    let began_after = bench.acts.began_after.lock().unwrap().clone();
    let (tool_50, tool_99) = (percentile(&began_after, 50), percentile(&began_after, 99));
    let (commit_50, commit_99) = (percentile(&bench.stored_after, 50), percentile(&bench.stored_after, 99));
    bench.close().await;
    let disk = std::fs::metadata(path).unwrap().len();
    let curve = if curve.is_empty() { String::new() } else { format!(",\"curve\":[{}]", curve.join(",")) };
    format!(
        "{{\"peer\":\"countersign\",\"scenario\":\"{}\",\"variant\":\"{}\",\"store\":\"sqlite\",\"sync\":\"FULL\",\
         \"conversations\":{conversations},\"calls\":{calls},\"history\":{history},\"rounds\":{rounds},\
         \"round_trips\":{trips},\"wall_s\":{wall:.3},\"rt_per_s\":{:.1},\"approvals_per_s\":{:.1},\
         \"cpu_ms_per_rt\":{:.3},\"resume_p50_ms\":{:.3},\"resume_p99_ms\":{:.3},\"rss_peak_mb\":{:.1},\
         \"disk_bytes\":{disk},\"disk_bytes_per_rt\":{},\"executed\":{executed},\"commits_per_rt\":{commits:.2},\
         \"answer_to_tool_p50_ms\":{tool_50:.3},\"answer_to_tool_p99_ms\":{tool_99:.3},\
         \"answer_stored_p50_ms\":{commit_50:.3},\"answer_stored_p99_ms\":{commit_99:.3}{curve}}}",
        measured.scenario,
        measured.variant,
        trips as f64 / wall,
        (trips * calls) as f64 / wall,
        cpu_ms / trips as f64,
        percentile(&times, 50),
        percentile(&times, 99),
        peak_megabytes(),
        disk / trips as u64,
    )
}

/// Half of the conversations are answered one after the other, the other half all at once.
async fn together(measured: &Measured, path: &Path) -> String {
    let mut bench = Bench::open(path, measured.calls).await;
    let mut heads = Vec::new();
    for number in 0..measured.conversations * 2 {
        let id = bench.conversation(number, measured.history).await;
        heads.push(bench.ask(id).await);
    }
    let (alone, at_once) = heads.split_at(measured.conversations);
    let began = Instant::now();
    for head in alone {
        bench.answer(head).await;
    }
    let sequential = alone.len() as f64 / began.elapsed().as_secs_f64();
    bench.commits.store(0, Ordering::Relaxed);
    let (began, cpu_began) = (Instant::now(), cpu());
    let answers = at_once.iter().map(|head| {
        let (engine, of, input) = (bench.engine.clone(), head.conversation.id, Bench::yes(head));
        tokio::spawn(async move { engine.input(of, input).await })
    });
    for answer in answers.collect::<Vec<_>>() {
        answer.await.unwrap().unwrap();
    }
    let mut left = at_once.len();
    while left > 0 {
        if let News::Committed { changes, .. } = bench.news.recv().await.unwrap() {
            left -= changes.iter().filter(|change| matches!(change, Change::RunEnded { .. })).count();
        }
    }
    let (wall, cpu_ms) = (began.elapsed().as_secs_f64(), cpu() - cpu_began);
    let together = at_once.len() as f64 / wall;
    bench.close().await;
    format!(
        "{{\"peer\":\"countersign\",\"scenario\":\"together50\",\"conversations\":{},\"sequential_per_s\":{sequential:.1},\
         \"together_per_s\":{together:.1},\"ratio\":{:.2},\"rt_per_s\":{together:.1},\"cpu_ms_per_rt\":{:.3}}}",
        measured.conversations,
        together / sequential,
        cpu_ms / at_once.len() as f64,
    )
}

fn peak_megabytes() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes: f64 = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0.0);
    kilobytes / 1024.0
}

/// A bench with one conversation, on a disk of its own.
fn one(calls: usize, history: usize) -> (tempfile::TempDir, tokio::runtime::Runtime, Bench, ConversationId) {
    let (folder, runtime) = (tempfile::tempdir().unwrap(), runtime(""));
    let (bench, id) = runtime.block_on(async {
        let bench = Bench::open(&folder.path().join("bench.sqlite"), calls).await;
        let id = bench.conversation(0, history).await;
        (bench, id)
    });
    (folder, runtime, bench, id)
}

fn trips(bencher: divan::Bencher<'_, '_>, calls: usize, history: usize) {
    let (_folder, runtime, mut bench, id) = one(calls, history);
    bencher.bench_local(|| runtime.block_on(bench.round_trip(id)));
    runtime.block_on(bench.close());
}

#[divan::bench(sample_count = 200, sample_size = 1)]
fn single(bencher: divan::Bencher<'_, '_>) {
    trips(bencher, 1, 0);
}

#[divan::bench(sample_count = 100, sample_size = 1)]
fn parallel10(bencher: divan::Bencher<'_, '_>) {
    trips(bencher, 10, 0);
}

#[divan::bench(sample_count = 100, sample_size = 1)]
fn history800(bencher: divan::Bencher<'_, '_>) {
    trips(bencher, 1, 800);
}

/// Fifty rounds each, so that the last samples have hundreds behind them.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn grow500(bencher: divan::Bencher<'_, '_>) {
    let (_folder, runtime, mut bench, id) = one(1, 0);
    bencher.bench_local(|| {
        runtime.block_on(async {
            for _ in 0..50 {
                bench.round_trip(id).await;
            }
        });
    });
    runtime.block_on(bench.close());
}
