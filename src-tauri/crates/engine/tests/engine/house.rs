//! A house to play in: an engine over a store on disk, a model that says what it was told to say, tools that write down what
//! they are asked to do. Journeys and conformance tests play here too; long because all of them share this one house.
#![allow(dead_code, reason = "several test binaries share this file, and each uses its own part of it")]

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use countersign_core::agent::{AgentProfile, ModelChoice, SubAgentEntry, ToolSet};
use countersign_core::answer::{Answer, AnswerBody};
use countersign_core::change::Change;
use countersign_core::head::Head;
use countersign_core::ids::{AgentId, At, ConversationId, RequestId};
use countersign_core::input::{
    GuardVerdict, Input, ModelReply, NewConversation, Outcome, OutcomeKind, ProposedCall, RunInput, Verdict,
};
use countersign_core::mode::Mode;
use countersign_core::parse::Tree;
use countersign_core::policy::{AgentPolicy, DataClass, Place, ToolGroup};
use countersign_core::request::Held;
use countersign_core::run::{Failure, FailureKind, Goes, RunEnd};
use countersign_core::server::ServerProfile;
use countersign_core::spending::Usage;
use countersign_core::tool::{Declared, Effect, Mark, Marks, Origin, Tool, ToolIdentity};
use countersign_core::transcript::ViewItem;
use countersign_engine::engine::{AfterCommit, Engine};
use countersign_engine::error::EngineError;
use countersign_engine::feed::News;
use countersign_engine::ports::{
    Asks, Clock, Deltas, Guard, GuardedCall, GuardedRun, Model, Outfit, Outfitter, Prepared, Prompt, Purpose, Question,
    Said, ToRun, Toolbox,
};
use countersign_store::open::Store;
use countersign_store::read::quick::QuickFact;
use countersign_store::record::Record;
use tokio::sync::{Notify, broadcast};
use tokio_util::sync::CancellationToken;

/// The agent of the house.
pub(crate) const AGENT: AgentId = AgentId([0xA6; 16]);
/// Agents below it.
pub(crate) const HELPER: AgentId = AgentId([0xB1; 16]);
pub(crate) const SCOUT: AgentId = AgentId([0xB2; 16]);
pub(crate) const DIVER: AgentId = AgentId([0xB3; 16]);

/// What the model does when it is asked.
pub(crate) enum Turn {
    Says(ModelReply),
    Fails(FailureKind),
    /// It breaks.
    Panics,
    /// It never answers.
    Hangs,
    /// It says this when it is told to go on.
    Waits(ModelReply),
}

/// A model that plays its turns in order, and says *Done.* when it has none left.
#[derive(Default)]
pub(crate) struct Script {
    turns: Mutex<VecDeque<Turn>>,
    pub(crate) prompts: Mutex<Vec<Prompt>>,
    /// A call has come in; for turns that hang or wait.
    pub(crate) asked: Notify,
    /// Lets a turn that waits go on.
    pub(crate) go: Notify,
}

#[async_trait]
impl Model for Script {
    async fn reply(&self, prompt: Prompt, deltas: Deltas) -> Result<ModelReply, Failure> {
        self.prompts.lock().unwrap().push(prompt);
        self.asked.notify_one();
        let turn = self.turns.lock().unwrap().pop_front();
        match turn {
            None => Ok(words("Done.")),
            Some(Turn::Says(reply)) => {
                deltas.send(&reply.text);
                Ok(reply)
            }
            Some(Turn::Fails(kind)) => Err(Failure { kind, text: "it didn't work".to_owned() }),
            Some(Turn::Panics) => panic!("the scripted model breaks"),
            Some(Turn::Hangs) => std::future::pending().await,
            Some(Turn::Waits(reply)) => {
                self.go.notified().await;
                Ok(reply)
            }
        }
    }
}

impl Script {
    pub(crate) fn will(&self, turns: impl IntoIterator<Item = Turn>) {
        self.turns.lock().unwrap().extend(turns);
    }

    pub(crate) fn calls(&self) -> usize {
        self.prompts.lock().unwrap().len()
    }

    pub(crate) fn last(&self) -> Prompt {
        self.prompts.lock().unwrap().last().expect("the model was asked").clone()
    }
}

/// The tools of the house. What runs is written down and, for `write`, appended to a file.
pub(crate) struct Tools {
    pub(crate) list: Mutex<Vec<Tool>>,
    pub(crate) ran: Mutex<Vec<ToRun>>,
    /// Where tools stand; one that isn't here is unclassified.
    pub(crate) places: Mutex<HashMap<String, Place>>,
    /// How many calls run at this moment, and the most that ever did.
    pub(crate) at_once: Mutex<(usize, usize)>,
    /// A `slow` call has begun.
    pub(crate) began: Notify,
    /// Lets a `slow` call end.
    pub(crate) end: Notify,
    effects: PathBuf,
}

/// A tool of the house.
pub(crate) fn tool(name: &str, effect: Effect, marks: &[Mark]) -> Tool {
    Tool {
        identity: ToolIdentity {
            origin: Origin::BuiltIn { agent: AGENT, root: "/house".to_owned() },
            name: name.to_owned(),
        },
        description: String::new(),
        parameters: "{}".to_owned(),
        effect,
        marks: Marks::of(marks.iter().copied()),
    }
}

fn all_tools() -> Vec<Tool> {
    vec![
        tool("read", Effect::Read, &[Mark::ReadOnly]),
        tool("peek", Effect::Read, &[Mark::ReadOnly, Mark::RequiresApproval]),
        tool("write", Effect::Write, &[]),
        tool("shell", Effect::Write, &[Mark::FreeForm]),
        tool("slow", Effect::Write, &[]),
        tool("slow_read", Effect::Read, &[]),
        tool("stubborn", Effect::Read, &[]),
        tool("breaks", Effect::Write, &[]),
        tool("huge", Effect::Read, &[]),
        tool("unlooked", Effect::Write, &[]),
        tool("ask_user", Effect::Read, &[Mark::NeedsInput, Mark::ReadOnly]),
        tool("order", Effect::Read, &[Mark::NeedsInput]),
    ]
}

#[async_trait]
impl Toolbox for Tools {
    fn tools(&self) -> Vec<Tool> {
        self.list.lock().unwrap().clone()
    }

    fn place(&self, tool: &str) -> Place {
        self.places.lock().unwrap().get(tool).copied().unwrap_or(Place::UNCLASSIFIED)
    }

    async fn prepare(&self, tool: &str, arguments: &Tree) -> Prepared {
        assert_ne!(tool, "unlooked", "the tool breaks while it looks");
        let fault = arguments.get("outside").map(|_| "it lies outside the folder".to_owned());
        let schema = arguments.get("fields").map(countersign_core::parse::to_text);
        Prepared { fault, schema, ..Prepared::default() }
    }

    async fn run(&self, call: ToRun, stop: CancellationToken) -> Outcome {
        let (tool, arguments, asks) = (call.tool.clone(), call.arguments.clone(), call.asks.clone());
        if tool == "write" {
            use std::io::Write as _;
            let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&self.effects).unwrap();
            writeln!(file, "{}", call.arguments).unwrap();
        }
        self.ran.lock().unwrap().push(call);
        {
            let mut at_once = self.at_once.lock().unwrap();
            at_once.0 += 1;
            at_once.1 = at_once.1.max(at_once.0);
        }
        let outcome = match tool.as_str() {
            "slow" | "slow_read" => {
                self.began.notify_one();
                tokio::select! {
                    () = self.end.notified() => outcome(OutcomeKind::Succeeded, "slowly done"),
                    () = stop.cancelled() => outcome(OutcomeKind::Stopped, "stopped; the effect may have happened"),
                }
            }
            "helpdesk" => tokio::select! {
                told = ask_as_server(&asks, &arguments) => told,
                // The server takes its question back, and its call ends.
                () = self.end.notified() => outcome(OutcomeKind::Succeeded, "never mind"),
            },
            "stubborn" => {
                self.began.notify_one();
                std::future::pending().await
            }
            "breaks" => panic!("the tool breaks"),
            "huge" => {
                self.began.notify_one();
                self.end.notified().await;
                outcome(OutcomeKind::Succeeded, &"x".repeat(400_000))
            }
            other => outcome(OutcomeKind::Succeeded, &format!("{other} is done")),
        };
        self.at_once.lock().unwrap().0 -= 1;
        outcome
    }
}

/// What a server asks in the middle of a call, where its arguments don't say otherwise.
pub(crate) const TICKET: &str =
    r#"{"type":"object","properties":{"ticket":{"type":"integer","minimum":1}},"required":["ticket"]}"#;

/// A server that asks in the middle of a call, and says in its result what it was told.
async fn ask_as_server(asks: &Asks, arguments: &str) -> Outcome {
    let given: serde_json::Value = serde_json::from_str(arguments).unwrap();
    let message = given["message"].as_str().unwrap_or("Which ticket?").to_owned();
    let schema = given.get("schema").map_or(TICKET.to_owned(), ToString::to_string);
    match asks.ask(Question { message, schema }).await {
        Said::Data(data) => outcome(OutcomeKind::Succeeded, &format!("the server got {data}")),
        Said::Declined => outcome(OutcomeKind::Failed, "the server was declined"),
        Said::Withdrawn => outcome(OutcomeKind::Stopped, "the server was told nothing"),
        Said::CantAsk(why) => outcome(OutcomeKind::Failed, &format!("the server can't ask: {why}")),
    }
}

/// The tool of a server that asks in the middle of a call. Its calls run free.
pub(crate) fn helpdesk() -> Tool {
    let (server, launch) = ("helpdesk".to_owned(), "l".to_owned());
    let origin = Origin::Server { server, launch, definition: "d".to_owned(), declared: Declared::RunsFree };
    Tool { identity: ToolIdentity { origin, name: "helpdesk".to_owned() }, ..tool("helpdesk", Effect::Write, &[]) }
}

pub(crate) fn outcome(kind: OutcomeKind, text: &str) -> Outcome {
    Outcome { kind, text: text.to_owned(), left: None }
}

/// A guard that judges by name: what it says to a call of a tool.
pub(crate) struct Says {
    pub(crate) name: &'static str,
    pub(crate) say: Box<dyn Fn(&GuardedCall) -> Verdict + Send + Sync>,
    pub(crate) saw: Mutex<Vec<Vec<String>>>,
    /// Asked once more, it says so and never answers.
    pub(crate) hangs: AtomicBool,
    pub(crate) asked: Notify,
}

#[async_trait]
impl Guard for Says {
    fn name(&self) -> &str {
        self.name
    }

    async fn judge(&self, _: &GuardedRun, calls: &[GuardedCall]) -> Vec<Vec<GuardVerdict>> {
        let saw = calls.iter().map(|call| call.tool.identity.name.clone()).collect();
        self.saw.lock().unwrap().push(saw);
        if self.hangs.load(Ordering::Relaxed) {
            self.asked.notify_one();
            std::future::pending::<()>().await;
        }
        let said = |call| GuardVerdict { guard: self.name.to_owned(), verdict: (self.say)(call) };
        calls.iter().map(|call| vec![said(call)]).collect()
    }
}

pub(crate) fn guard(name: &'static str, say: impl Fn(&GuardedCall) -> Verdict + Send + Sync + 'static) -> Arc<Says> {
    let (saw, hangs, asked) = (Mutex::default(), AtomicBool::default(), Notify::new());
    Arc::new(Says { name, say: Box::new(say), saw, hangs, asked })
}

/// The tools of the house, as another agent's own.
struct Bound {
    tools: Arc<Tools>,
    agent: AgentId,
}

#[async_trait]
impl Toolbox for Bound {
    fn tools(&self) -> Vec<Tool> {
        let mut tools = self.tools.tools();
        for tool in &mut tools {
            if let Origin::BuiltIn { agent, .. } = &mut tool.identity.origin {
                *agent = self.agent;
            }
        }
        tools
    }

    fn place(&self, tool: &str) -> Place {
        self.tools.place(tool)
    }

    async fn prepare(&self, tool: &str, arguments: &Tree) -> Prepared {
        self.tools.prepare(tool, arguments).await
    }

    async fn run(&self, call: ToRun, stop: CancellationToken) -> Outcome {
        self.tools.run(call, stop).await
    }
}

/// What an agent of the house comes to life with.
pub(crate) struct Wardrobe {
    pub(crate) script: Arc<Script>,
    /// What the models of agents below it say.
    pub(crate) scripts: Mutex<BTreeMap<AgentId, Arc<Script>>>,
    pub(crate) tools: Arc<Tools>,
    pub(crate) guards: Mutex<Vec<Arc<Says>>>,
    /// What is missing, if something is.
    pub(crate) missing: Mutex<Option<Failure>>,
}

#[async_trait]
impl Outfitter for Wardrobe {
    async fn outfit(&self, profile: &AgentProfile, _: &[ServerProfile], _: Purpose) -> Result<Outfit, Failure> {
        if let Some(missing) = self.missing.lock().unwrap().clone() {
            return Err(missing);
        }
        let guards = self.guards.lock().unwrap().iter().map(|one| Arc::clone(one) as Arc<dyn Guard>).collect();
        if profile.id == AGENT {
            let (model, toolbox) = (Arc::clone(&self.script) as _, Arc::clone(&self.tools) as _);
            return Ok(Outfit { model, toolbox, guards });
        }
        let model = self.script_of(profile.id);
        let toolbox = Arc::new(Bound { tools: Arc::clone(&self.tools), agent: profile.id });
        Ok(Outfit { model, toolbox, guards })
    }
}

impl Wardrobe {
    /// What the model of an agent below the house's own says.
    pub(crate) fn script_of(&self, agent: AgentId) -> Arc<Script> {
        Arc::clone(self.scripts.lock().unwrap().entry(agent).or_default())
    }
}

/// A clock that moves with every look.
#[derive(Default)]
struct Ticks(AtomicI64);

impl Clock for Ticks {
    fn now(&self) -> At {
        At(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// An engine with everything around it.
pub(crate) struct House {
    pub(crate) engine: Engine,
    pub(crate) conversation: ConversationId,
    pub(crate) script: Arc<Script>,
    pub(crate) tools: Arc<Tools>,
    pub(crate) wardrobe: Arc<Wardrobe>,
    pub(crate) news: broadcast::Receiver<News>,
    heard: Vec<Vec<Change>>,
    /// The conversation's revision that was heard of last.
    heard_of: i64,
    pub(crate) folder: Arc<tempfile::TempDir>,
}

impl House {
    /// A new house with one conversation in a mode.
    pub(crate) async fn new(mode: Mode) -> Self {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        let mut house = Self::open(folder, None).await;
        house.conversation = house.create(1, mode).await;
        house
    }

    /// A house whose agent can start others: `helper`, `scout` beside the run; and the helper can start `diver`.
    pub(crate) async fn with_agents(mode: Mode) -> Self {
        let house = Self::new(mode).await;
        house.hire().await;
        house
    }

    /// Stores the agents below the house's own.
    pub(crate) async fn hire(&self) {
        let entry = |agent: AgentId, tool: &str, goes: Goes| SubAgentEntry {
            agent,
            tool: tool.to_owned(),
            description: format!("Starts {tool}."),
            goes,
            asks_first: false,
        };
        let named = |id: AgentId, name: &str, sub_agents: Vec<SubAgentEntry>| AgentProfile {
            id,
            name: name.to_owned(),
            instructions: format!("You are {name}."),
            sub_agents,
            ..profile()
        };
        let below = vec![entry(HELPER, "helper", Goes::InLine), entry(SCOUT, "scout", Goes::Beside)];
        for profile in [
            named(AGENT, "Agent", below),
            named(HELPER, "Helper", vec![entry(DIVER, "diver", Goes::InLine)]),
            named(SCOUT, "Scout", Vec::new()),
            named(DIVER, "Diver", Vec::new()),
        ] {
            self.engine.store().record(Record::Agent(Box::new(profile))).await.unwrap();
        }
    }

    /// The house of a folder, with whatever is stored in it.
    pub(crate) async fn open(folder: Arc<tempfile::TempDir>, after_commit: Option<AfterCommit>) -> Self {
        let house = Self::at(folder.path(), after_commit).await;
        Self { folder, ..house }
    }

    /// The house of a folder that somebody else keeps.
    pub(crate) async fn at(folder: &Path, after_commit: Option<AfterCommit>) -> Self {
        let store = Store::open(&folder.join("house.sqlite")).await.unwrap();
        if store.agent(AGENT).await.unwrap().is_none() {
            store.record(Record::Agent(Box::new(profile()))).await.unwrap();
        }
        let wardrobe = Self::wardrobe(folder);
        let (script, tools) = (Arc::clone(&wardrobe.script), Arc::clone(&wardrobe.tools));
        let clock = Arc::new(Ticks::default());
        let engine = Engine::open(store, Arc::clone(&wardrobe) as _, clock, after_commit).await.unwrap();
        let news = engine.news();
        let folder = Arc::new(tempfile::tempdir().unwrap());
        Self {
            engine,
            conversation: conversation(1),
            script,
            tools,
            wardrobe,
            news,
            heard: Vec::new(),
            heard_of: 0,
            folder,
        }
    }

    /// What the agents of a house come to life with.
    pub(crate) fn wardrobe(folder: &Path) -> Arc<Wardrobe> {
        let tools = Arc::new(Tools {
            list: Mutex::new(all_tools()),
            ran: Mutex::default(),
            places: Mutex::default(),
            at_once: Mutex::default(),
            began: Notify::new(),
            end: Notify::new(),
            effects: folder.join("effects"),
        });
        Arc::new(Wardrobe {
            script: Arc::new(Script::default()),
            scripts: Mutex::default(),
            tools,
            guards: Mutex::default(),
            missing: Mutex::default(),
        })
    }

    /// Everything is closed and opened again, as after quitting.
    pub(crate) async fn again(self) -> Self {
        let (conversation, folder) = (self.conversation, Arc::clone(&self.folder));
        self.engine.close().await;
        self.engine.store().clone().close().await;
        let mut again = Self::open(folder, None).await;
        again.conversation = conversation;
        again
    }

    pub(crate) async fn create(&self, number: u8, mode: Mode) -> ConversationId {
        let new = NewConversation {
            id: conversation(number),
            agent: AGENT,
            title: format!("c{number}"),
            mode,
            auto_until: None,
        };
        self.engine.create(new).await.unwrap();
        conversation(number)
    }

    pub(crate) async fn input(&self, input: Input) -> Result<(), EngineError> {
        self.engine.input(self.conversation, input).await
    }

    pub(crate) async fn start(&self, input: RunInput) -> Result<(), EngineError> {
        self.input(Input::Start(input)).await
    }

    /// Says something and waits until nothing goes on any more.
    pub(crate) async fn say(&mut self, text: &str) -> Head {
        self.start(text_input(text)).await.unwrap();
        self.settled().await
    }

    /// The model will make these calls, then end; says something and waits until nothing goes on any more.
    pub(crate) async fn ask(&mut self, calls: &[ProposedCall]) -> Head {
        self.script.will([Turn::Says(calling(calls))]);
        self.say("Go.").await
    }

    /// Starts a Quick task and waits until it is over. From then on the house is about it.
    pub(crate) async fn quick(&mut self, mode: Mode, tools: ToolSet) -> QuickFact {
        self.start_quick(mode, tools).await.unwrap();
        self.settled().await;
        self.task().await
    }

    pub(crate) async fn start_quick(&mut self, mode: Mode, tools: ToolSet) -> Result<(), EngineError> {
        self.conversation = conversation(99);
        let new =
            NewConversation { id: self.conversation, agent: AGENT, title: "Task".to_owned(), mode, auto_until: None };
        self.engine.quick(new, "Do it.".to_owned(), tools).await
    }

    /// The Quick task that the house is about.
    pub(crate) async fn task(&self) -> QuickFact {
        self.engine.store().quick_task(self.conversation).await.unwrap().expect("the task is stored")
    }

    /// Saves another profile of the house's agent.
    pub(crate) async fn save(&self, profile: AgentProfile) {
        self.engine.store().record(Record::Agent(Box::new(profile))).await.unwrap();
    }

    pub(crate) fn place(&self, tool: &str, group: ToolGroup, data: DataClass) {
        self.tools.places.lock().unwrap().insert(tool.to_owned(), Place { group, data });
    }

    /// The names of the tools that the model was offered last.
    pub(crate) fn offered(&self) -> Vec<String> {
        self.script.last().tools.iter().map(|tool| tool.identity.name.clone()).collect()
    }

    /// The results that the model was sent last, in order.
    pub(crate) fn results(&self) -> Vec<String> {
        let messages = self.script.last().messages;
        let results = messages.iter().rev().find_map(|item| match item.as_ref() {
            ViewItem::Results(results) => Some(results.iter().map(|one| one.text.clone()).collect()),
            ViewItem::User { .. } | ViewItem::Assistant { .. } => None,
        });
        results.unwrap_or_default()
    }

    /// The model calls a server that asks in the middle of it; returns when it waits for an answer.
    pub(crate) async fn asked_by_server(&mut self, arguments: &str) -> Held {
        self.tools.list.lock().unwrap().push(helpdesk());
        self.script.will([calls(&[call("helpdesk", arguments)])]);
        self.start(text_input("Go.")).await.unwrap();
        self.until_held().await
    }

    /// Waits until a server waits for an answer.
    pub(crate) async fn until_held(&mut self) -> Held {
        loop {
            if let Some(held) = self.head().await.held.values().next() {
                return held.clone();
            }
            self.hear().await;
        }
    }

    /// Answers what a server holds open, and nothing else.
    pub(crate) async fn answer_held(&self, held: &Held, body: AnswerBody) -> Result<(), EngineError> {
        let answer = Answer { request: held.request.id, digest: held.request.digest, body };
        self.start(RunInput { answers: vec![answer], ..RunInput::default() }).await
    }

    /// Answers open requests by their place, and waits until nothing goes on any more.
    pub(crate) async fn answer(&mut self, bodies: &[(usize, AnswerBody)]) -> Head {
        let input = self.answers(bodies).await;
        self.start(input).await.unwrap();
        self.settled().await
    }

    pub(crate) async fn answers(&self, bodies: &[(usize, AnswerBody)]) -> RunInput {
        let head = self.head().await;
        let requests = head.requests_in_order();
        let answers = bodies.iter().map(|(index, body)| Answer {
            request: requests[*index].id,
            digest: requests[*index].digest,
            body: body.clone(),
        });
        RunInput { answers: answers.collect(), ..RunInput::default() }
    }

    pub(crate) async fn head(&self) -> Head {
        self.engine.store().head(self.conversation).await.unwrap().expect("the conversation is there")
    }

    pub(crate) async fn open_requests(&self) -> Vec<RequestId> {
        self.head().await.requests_in_order().iter().map(|request| request.id).collect()
    }

    pub(crate) async fn last_end(&self) -> Option<RunEnd> {
        self.engine.store().last_end(self.conversation).await.unwrap()
    }

    /// Waits until no run goes on in the conversation.
    pub(crate) async fn settled(&mut self) -> Head {
        loop {
            let head = self.head().await;
            if head.run.is_none() {
                self.catch_up(head.conversation.revision).await;
                return head;
            }
            self.hear().await;
        }
    }

    /// Hears what is already stored: a commit is told a moment after it can be read. What another process stored never is.
    async fn catch_up(&mut self, revision: i64) {
        let heard = async {
            while self.heard_of < revision {
                self.hear().await;
            }
        };
        let _ = tokio::time::timeout(Duration::from_secs(1), heard).await;
    }

    /// Waits until no run goes on, also where another process has a part in that, of which this one hears nothing.
    pub(crate) async fn settled_elsewhere(&self) {
        let waited = tokio::time::timeout(Duration::from_secs(20), async {
            while self.head().await.run.is_some() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        waited.await.expect("the run ends within 20 s");
    }

    /// The next piece of news.
    pub(crate) async fn hear(&mut self) -> News {
        let news = tokio::time::timeout(Duration::from_secs(20), self.news.recv())
            .await
            .expect("something happens within 20 s")
            .expect("the engine is there");
        self.keep(&news);
        news
    }

    fn keep(&mut self, news: &News) {
        if let News::Committed { conversation, changes, head } = news {
            self.heard.push(changes.to_vec());
            if *conversation == self.conversation {
                self.heard_of = head.conversation.revision;
            }
        }
    }

    /// All changes that were heard since the last time, one list a commit.
    pub(crate) fn commits(&mut self) -> Vec<Vec<Change>> {
        while let Ok(news) = self.news.try_recv() {
            self.keep(&news);
        }
        std::mem::take(&mut self.heard)
    }

    /// The tools that ran, in order.
    pub(crate) fn ran(&self) -> Vec<String> {
        self.tools.ran.lock().unwrap().iter().map(|call| call.tool.clone()).collect()
    }

    /// The lines that `write` left.
    pub(crate) fn effects(&self) -> Vec<String> {
        effects(self.folder.path())
    }

    /// The bytes of everything that is stored.
    pub(crate) fn bytes(&self) -> Vec<Vec<u8>> {
        ["house.sqlite", "house.sqlite-wal"].map(|name| std::fs::read(self.folder.path().join(name)).unwrap()).to_vec()
    }

    pub(crate) fn guards(&self, guards: &[Arc<Says>]) {
        *self.wardrobe.guards.lock().unwrap() = guards.to_vec();
    }
}

/// The lines that `write` left in a folder.
pub(crate) fn effects(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join("effects")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

pub(crate) fn conversation(number: u8) -> ConversationId {
    ConversationId([number; 16])
}

pub(crate) fn profile() -> AgentProfile {
    AgentProfile {
        id: AGENT,
        revision: 1,
        name: "Agent".to_owned(),
        instructions: "Be helpful.".to_owned(),
        model: ModelChoice::Scripted,
        folder: "/house".to_owned(),
        start_mode: Mode::Default,
        rounds: 8,
        sub_agents: Vec::new(),
        caps: countersign_core::run::Caps::default(),
        tools: ToolSet::All,
        policy: AgentPolicy::default(),
        commands: countersign_core::confine::CommandSettings::default(),
        servers: Vec::new(),
        asking: countersign_core::asking::ModelSettings::default(),
        reaches: countersign_core::fetch::Reaches::default(),
    }
}

/// A message as a surface sends it, with the list of what the person was told would expire.
pub(crate) fn listed_input(text: &str) -> RunInput {
    RunInput { passes_by: Some(std::collections::BTreeSet::new()), ..text_input(text) }
}

pub(crate) fn text_input(text: &str) -> RunInput {
    RunInput { text: Some(text.to_owned()), ..RunInput::default() }
}

pub(crate) fn words(text: &str) -> ModelReply {
    ModelReply {
        text: text.to_owned(),
        usage: Some(Usage { input: 7, output: 3, ..Usage::default() }),
        ..ModelReply::default()
    }
}

pub(crate) fn calling(calls: &[ProposedCall]) -> ModelReply {
    ModelReply { calls: calls.to_vec(), ..words("I'll do that.") }
}

/// The model makes these calls.
pub(crate) fn calls(calls: &[ProposedCall]) -> Turn {
    Turn::Says(calling(calls))
}

pub(crate) fn call(name: &str, arguments: &str) -> ProposedCall {
    ProposedCall { provider_id: "call_1".to_owned(), name: name.to_owned(), arguments: arguments.to_owned() }
}

/// A call that starts a sub-agent.
pub(crate) fn starting(name: &str) -> ProposedCall {
    call(name, "{\"task\": \"Look around.\"}")
}

pub(crate) fn plan(text: &str) -> ProposedCall {
    let name = "exit_plan_mode".to_owned();
    let arguments = format!("{{\"plan\": {}}}", quoted(text));
    ProposedCall { provider_id: "plan_1".to_owned(), name, arguments }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

pub(crate) fn reject(reason: &str) -> AnswerBody {
    AnswerBody::Reject { reason: Some(reason.to_owned()) }
}
