//! A Countersign in a folder of its own, with a model that plays what the test says and tools that write down what ran;
//! long because every test of the door plays in this one house.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use countersign_api::app::Countersign;
use countersign_api::commands::request;
use countersign_api::host::{Confining, Connections, Desktop, Folders, Host, Kept, Keys, ServerStatus, ToolServers};
use countersign_api::wire::conversation::{Send, SentAnswer};
use countersign_api::wire::inbox::{Decision, Detail, DetailState, SetCard};
use countersign_api::wire::settings::Settings;
use countersign_api::wire::window::{ApiError, FeedEvent, FeedWhat, Snapshot, Space};
use countersign_core::agent::{AgentProfile, KeySource, ModelChoice, ToolSet};
use countersign_core::change::Change;
use countersign_core::digest::content_hash;
use countersign_core::head::Head;
use countersign_core::ids::{AgentId, At, ConversationId, ServerId};
use countersign_core::input::{ModelReply, Outcome, OutcomeKind, ProposedCall};
use countersign_core::mode::Mode;
use countersign_core::parse::Tree;
use countersign_core::policy::{AgentPolicy, DataClass, Place, Registered, ToolGroup};
use countersign_core::request::Precondition;
use countersign_core::run::Failure;
use countersign_core::server::{Launch, Seen, ServerProfile, Word};
use countersign_core::tool::{Declared, Effect, Mark, Marks, Origin, Tool, ToolIdentity};
use countersign_engine::ports::{
    Attendance, Clock, Deltas, Model, Notice, NoticeCapabilities, Notices, Outfit, Outfitter, Prepared, Presence,
    Prompt, Purpose, Question, SystemClock, ToRun, Toolbox,
};
use countersign_store::open::Store;
use countersign_store::record::Record;
use tokio_util::sync::CancellationToken;

/// How long a test waits for something that has to come.
const PATIENCE: Duration = Duration::from_secs(20);

/// What the model says next, and what ran.
#[derive(Default)]
pub(crate) struct Stage {
    pub(crate) replies: Mutex<VecDeque<ModelReply>>,
    /// What the models of agents below say, by the agent's name.
    pub(crate) below: Mutex<BTreeMap<String, VecDeque<ModelReply>>>,
    /// Tools that aren't there.
    pub(crate) gone: Mutex<Vec<String>>,
    pub(crate) prompts: Mutex<Vec<Prompt>>,
    pub(crate) ran: Mutex<Vec<String>>,
    pub(crate) file: Mutex<String>,
    pub(crate) notices: Mutex<Vec<Told>>,
    pub(crate) no_notices: Mutex<bool>,
    /// Who is there.
    pub(crate) attendance: Mutex<Attendance>,
    /// How far the clock is ahead of the machine's, in milliseconds.
    pub(crate) ahead: std::sync::atomic::AtomicI64,
    /// Whether somebody shows tray icons.
    pub(crate) tray: Mutex<bool>,
    /// Whether the session starts the app.
    pub(crate) login: Mutex<bool>,
    /// What the window and the app were told to do.
    pub(crate) went: Mutex<Vec<&'static str>>,
    /// How tool servers stand.
    pub(crate) servers: Mutex<BTreeMap<ServerId, ServerStatus>>,
    pub(crate) woken: Mutex<Vec<ServerId>>,
    pub(crate) stopped: Mutex<Vec<ServerId>>,
    /// Revisions of servers as the machine was told of them.
    pub(crate) present: Mutex<Vec<i64>>,
    /// Secrets that were kept: of agents by `agent` or `agent.header`, of servers by their variables.
    pub(crate) kept: Mutex<BTreeMap<String, String>>,
    /// Whether the tool of a server is there that asks in the middle of its calls.
    pub(crate) server: Mutex<bool>,
    /// Lets that server stop waiting for an answer.
    pub(crate) server_stops: tokio::sync::Notify,
    /// What each call's result is, and what it gives in whole.
    pub(crate) result: Mutex<Option<String>>,
    pub(crate) whole: Mutex<Option<String>>,
    /// While somebody holds it, no tool ends.
    pub(crate) gate: Arc<tokio::sync::RwLock<()>>,
}

/// What the desktop was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Told {
    Shown(Notice),
    Withdrawn(ConversationId),
    Rung(u8),
}

/// A Countersign with its folder and its stage.
pub(crate) struct House {
    pub(crate) folder: Arc<tempfile::TempDir>,
    pub(crate) stage: Arc<Stage>,
    pub(crate) app: Arc<Countersign>,
    pub(crate) agent: String,
}

pub(crate) fn says(text: &str) -> ModelReply {
    ModelReply { text: text.to_owned(), ..ModelReply::default() }
}

pub(crate) fn calls(calls: &[(&str, &str)]) -> ModelReply {
    let calls = calls.iter().enumerate().map(|(index, (name, arguments))| ProposedCall {
        provider_id: format!("c{index}"),
        name: (*name).to_owned(),
        arguments: (*arguments).to_owned(),
    });
    ModelReply { text: "I do this.".to_owned(), calls: calls.collect(), ..ModelReply::default() }
}

impl House {
    /// A new house with one agent.
    pub(crate) async fn new(replies: impl IntoIterator<Item = ModelReply>) -> Self {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        let stage = Arc::new(Stage::default());
        stage.replies.lock().unwrap().extend(replies);
        let host = host(&folder, &stage);
        let profile = profile(&folder);
        let agent = profile.id.to_string();
        let store = Store::open(&Countersign::database(&host)).await.unwrap();
        store.record(Record::Agent(Box::new(profile))).await.unwrap();
        store.close().await;
        let app = Countersign::open(host).await.unwrap();
        Self { folder, stage, app, agent }
    }

    /// The same folder, opened again by a new Countersign.
    pub(crate) async fn restart(self) -> Self {
        self.app.quit().await;
        drop(self.app);
        let app = Countersign::open(host(&self.folder, &self.stage)).await.unwrap();
        Self { app, ..self }
    }

    pub(crate) async fn snapshot(&self) -> Snapshot {
        self.app.snapshot(Space::Main, request::snapshot {}).await.unwrap()
    }

    /// Starts a conversation in which a server asks in the middle of its call, and waits until it does.
    pub(crate) async fn asked_by_server(&self) -> SetCard {
        self.serve("help\u{202e}desk").await;
        self.ask("Close it.").await
    }

    /// The server is there, under a name that the person gives it.
    pub(crate) async fn serve(&self, name: &str) {
        *self.stage.server.lock().unwrap() = true;
        let (program, args, env) = ("desk".to_owned(), Vec::new(), Vec::new());
        let store = Store::open(&Countersign::database(&host(&self.folder, &self.stage))).await.unwrap();
        let before = store.server(SERVER).await.unwrap().map_or(0, |before| before.revision);
        store.close().await;
        let profile = ServerProfile {
            id: SERVER,
            revision: before + 1,
            name: name.to_owned(),
            handle: "desk".to_owned(),
            launch: Launch::Command { program, args, env, folder: None },
            on: true,
            data: DataClass::Given,
            all: Word::default(),
            seen: Seen::default(),
            tools: BTreeMap::new(),
            roots: Vec::new(),
            start_s: 1,
            call_s: 1,
        };
        self.record(Record::Server(Box::new(profile))).await;
    }

    /// Stores something as another process would.
    pub(crate) async fn record(&self, record: Record) {
        let store = Store::open(&Countersign::database(&host(&self.folder, &self.stage))).await.unwrap();
        store.record(record).await.unwrap();
        store.close().await;
    }

    /// Makes something true of a conversation, as another process would.
    pub(crate) async fn beside(&self, of: &str, changes: impl FnOnce(&Head) -> Vec<Change>) {
        let store = Store::open(&Countersign::database(&host(&self.folder, &self.stage))).await.unwrap();
        let mut head = store.head(of.parse().unwrap()).await.unwrap().unwrap();
        let (expected, changes) = (head.conversation.revision, changes(&head));
        for change in &changes {
            head.apply(change);
        }
        store.apply(&head, expected, changes, now()).await.unwrap();
        store.close().await;
    }

    /// What the model was told last, as it was sent.
    pub(crate) fn last_prompt(&self) -> String {
        format!("{:?}", self.stage.prompts.lock().unwrap().last().unwrap().messages)
    }

    /// Starts a conversation and waits until it asks.
    pub(crate) async fn ask(&self, text: &str) -> SetCard {
        let agent = self.agent.clone();
        let request = request::start_conversation { agent, text: Some(text.to_owned()), mode: None, auto_until: None };
        let row = self.app.start_conversation(Space::Main, request).await.unwrap();
        self.set_of(&row.id).await
    }

    /// Waits until something waits in the conversation.
    pub(crate) async fn set_of(&self, conversation: &str) -> SetCard {
        self.until("something waits", |snapshot| {
            snapshot.sets.iter().find(|set| set.conversation == conversation).cloned()
        })
        .await
    }

    /// Waits until a snapshot shows something.
    pub(crate) async fn until<T>(&self, what: &str, find: impl Fn(&Snapshot) -> Option<T>) -> T {
        let mut feed = self.app.subscribe();
        let waited = tokio::time::timeout(PATIENCE, async {
            loop {
                if let Some(found) = find(&self.snapshot().await) {
                    return found;
                }
                let _ = feed.recv().await;
            }
        });
        waited.await.unwrap_or_else(|_| panic!("it never happened that {what}"))
    }

    /// Waits until the conversation is at rest.
    pub(crate) async fn rest(&self, conversation: &str) {
        use countersign_api::wire::conversation::ConversationState;
        self.until("the conversation rests", |snapshot| {
            let row = snapshot.conversations.iter().find(|row| row.id == conversation)?;
            (!matches!(row.state, ConversationState::Running { .. })).then_some(())
        })
        .await;
    }

    pub(crate) async fn detail(&self, id: &str) -> Detail {
        self.app.detail(Space::Main, request::detail { id: id.to_owned() }).await.unwrap()
    }

    pub(crate) async fn digest(&self, id: &str) -> String {
        match self.detail(id).await.state {
            DetailState::Open { digest, .. } | DetailState::ApprovedNotRun { digest, .. } => digest,
            DetailState::Closed { label, .. } => panic!("{id} is closed: {label}"),
        }
    }

    pub(crate) async fn stage_decision(&self, id: &str, decision: Decision) -> Result<(), ApiError> {
        let digest = self.digest(id).await;
        self.app.stage(Space::Main, request::stage { id: id.to_owned(), decision, digest }).await
    }

    pub(crate) async fn send(&self, send: Send) -> Result<(), ApiError> {
        self.app.send(Space::Main, request::send { send }).await
    }

    /// Answers rows at once, with what is on screen.
    pub(crate) async fn answer(&self, set: &SetCard, decisions: &[(usize, Decision)]) -> Result<(), ApiError> {
        let mut answers = Vec::new();
        for (index, decision) in decisions {
            let request = set.rows[*index].id.clone();
            let digest = self.digest(&request).await;
            answers.push(SentAnswer { request, digest, decision: decision.clone() });
        }
        let passes_by = Vec::new();
        self.send(Send {
            conversation: set.conversation.clone(),
            answers,
            text: None,
            mode: None,
            auto_until: None,
            passes_by,
        })
        .await
    }

    /// Lets no tool end until what is returned is dropped.
    pub(crate) fn hold_tools(&self) -> tokio::sync::OwnedRwLockWriteGuard<()> {
        Arc::clone(&self.stage.gate).try_write_owned().unwrap()
    }

    pub(crate) fn ran(&self) -> Vec<String> {
        self.stage.ran.lock().unwrap().clone()
    }

    pub(crate) fn told(&self) -> Vec<Told> {
        self.stage.notices.lock().unwrap().clone()
    }

    /// Changes settings.
    pub(crate) async fn set(&self, change: impl FnOnce(&mut Settings)) {
        let mut settings = self.snapshot().await.settings;
        change(&mut settings);
        self.app.save_settings(Space::Main, request::save_settings { settings }).await.unwrap();
    }

    /// Minutes go by, and the host looks at who is there.
    pub(crate) async fn later(&self, minutes: i64) {
        self.stage.ahead.fetch_add(minutes * 60_000, std::sync::atomic::Ordering::SeqCst);
        self.app.attend().await;
    }

    /// Waits until the desktop was told something.
    pub(crate) async fn until_told(&self, what: &str, find: impl Fn(&[Told]) -> bool) {
        let waited = tokio::time::timeout(PATIENCE, async {
            while !find(&self.told()) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        waited.await.unwrap_or_else(|_| panic!("it never happened that {what}: {:?}", self.told()));
    }
}

/// The next event that fits.
pub(crate) async fn next_event<T>(
    feed: &mut tokio::sync::broadcast::Receiver<FeedEvent>,
    fits: impl Fn(&FeedWhat) -> Option<T>,
) -> T {
    let waited = tokio::time::timeout(PATIENCE, async {
        loop {
            if let Some(found) = fits(&feed.recv().await.unwrap().what) {
                return found;
            }
        }
    });
    waited.await.expect("the event never came")
}

fn profile(folder: &tempfile::TempDir) -> AgentProfile {
    AgentProfile {
        id: AgentId(*uuid::Uuid::new_v4().as_bytes()),
        revision: 1,
        name: "Helper".to_owned(),
        instructions: "Be brief.".to_owned(),
        model: ModelChoice::OpenAiChat {
            base_url: "http://127.0.0.1:1".to_owned(),
            model: "test".to_owned(),
            key: KeySource::None,
        },
        folder: folder.path().to_string_lossy().into_owned(),
        start_mode: Mode::Default,
        rounds: 10,
        tools: ToolSet::All,
        sub_agents: Vec::new(),
        caps: countersign_core::run::Caps::default(),
        policy: AgentPolicy::default(),
        commands: countersign_core::confine::CommandSettings::default(),
        servers: Vec::new(),
        asking: countersign_core::asking::ModelSettings::default(),
        reaches: countersign_core::fetch::Reaches::default(),
    }
}

pub(crate) fn host(folder: &Arc<tempfile::TempDir>, stage: &Arc<Stage>) -> Host {
    let port = Arc::new(Ports { stage: Arc::clone(stage), folder: folder.path().to_owned() });
    Host {
        data_folder: folder.path().to_owned(),
        rehearsal_folder: folder.path().join("rehearsal"),
        rehearsal_workspace: folder.path().join("rehearsal-workspace"),
        home: None,
        clock: Arc::clone(&port) as Arc<dyn Clock>,
        presence: Arc::clone(&port) as Arc<dyn Presence>,
        desktop: Arc::clone(&port) as Arc<dyn Desktop>,
        notices: Arc::clone(&port) as Arc<dyn Notices>,
        outfitter: Arc::clone(&port) as Arc<dyn Outfitter>,
        keys: Arc::clone(&port) as Arc<dyn Keys>,
        connections: Arc::clone(&port) as Arc<dyn Connections>,
        folders: Arc::clone(&port) as Arc<dyn Folders>,
        servers: Arc::clone(&port) as Arc<dyn ToolServers>,
        confining: port as Arc<dyn Confining>,
        catalogue: all_tools(AgentId([0; 16]), "")
            .into_iter()
            .map(|tool| Registered { place: place(&tool.identity.name), tool })
            .collect(),
        version: "0.0.0".to_owned(),
        system: "linux".to_owned(),
    }
}

pub(crate) struct Ports {
    pub(crate) stage: Arc<Stage>,
    folder: PathBuf,
}

#[async_trait]
impl Notices for Ports {
    async fn show(&self, notice: Notice) -> Result<(), String> {
        if *self.stage.no_notices.lock().unwrap() {
            return Err("no notification service answers".to_owned());
        }
        self.stage.notices.lock().unwrap().push(Told::Shown(notice));
        Ok(())
    }

    async fn withdraw(&self, conversation: ConversationId) {
        self.stage.notices.lock().unwrap().push(Told::Withdrawn(conversation));
    }

    async fn capabilities(&self) -> NoticeCapabilities {
        let server = (!*self.stage.no_notices.lock().unwrap()).then(|| "test".to_owned());
        NoticeCapabilities { server, actions: true, can: vec!["actions".to_owned()] }
    }

    async fn chime(&self, volume: u8) {
        self.stage.notices.lock().unwrap().push(Told::Rung(volume));
    }
}

impl Clock for Ports {
    fn now(&self) -> At {
        At(SystemClock.now().0 + self.stage.ahead.load(std::sync::atomic::Ordering::SeqCst))
    }
}

#[async_trait]
impl Presence for Ports {
    async fn look(&self) -> Attendance {
        *self.stage.attendance.lock().unwrap()
    }
}

impl Desktop for Ports {
    fn has_tray(&self) -> bool {
        *self.stage.tray.lock().unwrap()
    }

    fn show_window(&self) {
        self.stage.went.lock().unwrap().push("shown");
    }

    fn hide_window(&self) {
        self.stage.went.lock().unwrap().push("hidden");
    }

    fn quit(&self) {
        self.stage.went.lock().unwrap().push("quit");
    }

    fn starts_at_login(&self) -> bool {
        *self.stage.login.lock().unwrap()
    }

    fn start_at_login(&self, on: bool) -> Result<(), String> {
        *self.stage.login.lock().unwrap() = on;
        Ok(())
    }
}

#[async_trait]
impl Outfitter for Ports {
    async fn outfit(&self, profile: &AgentProfile, _: &[ServerProfile], _: Purpose) -> Result<Outfit, Failure> {
        let tools = Tools { stage: Arc::clone(&self.stage), agent: profile.id, folder: self.folder.clone() };
        let model = Player { stage: Arc::clone(&self.stage), name: profile.name.clone() };
        Ok(Outfit { model: Arc::new(model), toolbox: Arc::new(tools), guards: Vec::new() })
    }
}

#[async_trait]
impl Keys for Ports {
    async fn keep(&self, agent: AgentId, what: Kept<'_>, source: &KeySource, secret: &str) -> Result<(), String> {
        match source {
            KeySource::Keyring => Err("no key store answers".to_owned()),
            KeySource::None | KeySource::Env { .. } | KeySource::File => {
                self.stage.kept.lock().unwrap().insert(kept_name(agent, what), secret.to_owned());
                Ok(())
            }
        }
    }

    async fn forget(&self, agent: AgentId, what: Kept<'_>) {
        self.stage.kept.lock().unwrap().remove(&kept_name(agent, what));
    }

    async fn probe(&self) -> Result<(), String> {
        Err("no key store answers".to_owned())
    }
}

fn kept_name(agent: AgentId, what: Kept<'_>) -> String {
    match what {
        Kept::Key => agent.to_string(),
        Kept::Header(name) => format!("{agent}.{name}"),
    }
}

struct Player {
    stage: Arc<Stage>,
    name: String,
}

#[async_trait]
impl Model for Player {
    async fn reply(&self, prompt: Prompt, deltas: Deltas) -> Result<ModelReply, Failure> {
        self.stage.prompts.lock().unwrap().push(prompt);
        let below = self.stage.below.lock().unwrap().get_mut(&self.name).map(VecDeque::pop_front);
        let reply = below.unwrap_or_else(|| self.stage.replies.lock().unwrap().pop_front());
        let reply = reply.unwrap_or_else(|| says("Done."));
        deltas.send(&reply.text);
        Ok(reply)
    }
}

const PARAMETERS: &str = r#"{"type":"object","properties":{"path":{"type":"string"},"force":{"type":"boolean","default":true},"mode":{"default":"0644"}}}"#;

fn all_tools(agent: AgentId, root: &str) -> Vec<Tool> {
    let tool = |name: &str, effect, marks: &[Mark]| Tool {
        identity: ToolIdentity { origin: Origin::BuiltIn { agent, root: root.to_owned() }, name: name.to_owned() },
        description: String::new(),
        parameters: PARAMETERS.to_owned(),
        effect,
        marks: Marks::of(marks.iter().copied()),
    };
    vec![
        tool("read_file", Effect::Read, &[Mark::ReadOnly]),
        tool("write_file", Effect::IdempotentWrite, &[]),
        tool("run_command", Effect::Write, &[Mark::FreeForm]),
        tool("ask_user", Effect::Read, &[Mark::ReadOnly, Mark::NeedsInput]),
    ]
}

fn place(tool: &str) -> Place {
    let (group, data) = match tool {
        "read_file" => (ToolGroup::Look, DataClass::Workspace),
        "write_file" => (ToolGroup::Change, DataClass::Workspace),
        "run_command" => (ToolGroup::Command, DataClass::Machine),
        _ => (ToolGroup::Ask, DataClass::Given),
    };
    Place { group, data }
}

struct Tools {
    stage: Arc<Stage>,
    agent: AgentId,
    folder: PathBuf,
}

#[async_trait]
impl Toolbox for Tools {
    fn tools(&self) -> Vec<Tool> {
        let gone = self.stage.gone.lock().unwrap().clone();
        let mut tools = all_tools(self.agent, &self.folder.to_string_lossy());
        tools.retain(|tool| !gone.contains(&tool.identity.name));
        if *self.stage.server.lock().unwrap() {
            let (server, launch) = (SERVER.to_string(), "l".to_owned());
            let origin = Origin::Server { server, launch, definition: "d".to_owned(), declared: Declared::RunsFree };
            let identity = ToolIdentity { origin, name: "close_ticket".to_owned() };
            tools.extend(tools.first().cloned().map(|tool| Tool { identity, effect: Effect::Write, ..tool }));
        }
        tools
    }

    fn place(&self, tool: &str) -> Place {
        place(tool)
    }

    async fn prepare(&self, tool: &str, arguments: &Tree) -> Prepared {
        match tool {
            "write_file" => {
                let file = self.stage.file.lock().unwrap().clone();
                let path = arguments.get("path").and_then(Tree::as_text).unwrap_or_default().to_owned();
                let content = Some(content_hash(file.as_bytes()));
                let preconditions = vec![Precondition::File { path, content }];
                Prepared { preconditions, before: Some(file), ..Prepared::default() }
            }
            "ask_user" => {
                let schema = arguments.get("fields").map(countersign_core::parse::to_text);
                Prepared { schema, ..Prepared::default() }
            }
            _ => Prepared::default(),
        }
    }

    async fn run(&self, call: ToRun, _: CancellationToken) -> Outcome {
        self.stage.ran.lock().unwrap().push(format!("{} {}", call.tool, call.arguments));
        if call.tool == "close_ticket" {
            let question =
                Question { message: "Which ticket,\u{200b} and whose key?".to_owned(), schema: TICKET.to_owned() };
            let said = tokio::select! {
                said = call.asks.ask(question) => format!("{said:?}"),
                () = self.stage.server_stops.notified() => "the server stopped".to_owned(),
            };
            return Outcome { kind: OutcomeKind::Succeeded, text: said, left: None };
        }
        drop(self.stage.gate.read().await);
        if let Some(whole) = self.stage.whole.lock().unwrap().clone() {
            call.whole.keep(whole);
        }
        let text = self.stage.result.lock().unwrap().clone().unwrap_or_else(|| "ok".to_owned());
        Outcome { kind: OutcomeKind::Succeeded, text, left: None }
    }
}

/// The server that asks in the middle of its calls.
pub(crate) const SERVER: ServerId = ServerId([9; 16]);

/// What the server asks for.
pub(crate) const TICKET: &str = r#"{"type":"object","properties":{"ticket":{"type":"integer","minimum":1},
    "note":{"type":"string","title":"Access token"}},"required":["ticket"]}"#;

/// The time of the machine; tests compare orders, not moments.
pub(crate) fn now() -> At {
    SystemClock.now()
}
