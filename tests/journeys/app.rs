//! Countersign as a surface sees it, with everything around it that a desktop would bring: the test is its host.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use countersign_api::app::Countersign;
use countersign_api::commands::request;
use countersign_api::host::{Confining, Connections, Desktop, Folders, Host, Kept, Keys, Typed};
use countersign_api::wire::agent::FoundServer;
use countersign_api::wire::conversation::{Send, SentAnswer};
use countersign_api::wire::history::HistoryPage;
use countersign_api::wire::inbox::{Decision, Detail, DetailState, Mode, SetCard};
use countersign_api::wire::window::{ApiError, FeedEvent, Snapshot, Space};
use countersign_core::agent::{AgentProfile, KeySource};
use countersign_core::confine::Offered;
use countersign_core::ids::{AgentId, ConversationId, ServerId};
use countersign_engine::ports::{Attendance, Notice, NoticeCapabilities, Notices, Presence, Step, SystemClock};
use countersign_store::open::Store;
use countersign_store::record::Record;
use tokio::sync::{Notify, broadcast};

use crate::house::{self, AGENT, House, Script, Tools, Wardrobe};
use crate::machines::{Equipped, Machines};

/// Notices that are only written down.
#[derive(Default)]
pub(crate) struct Board {
    shown: Mutex<Vec<Notice>>,
    withdrawn: Mutex<Vec<ConversationId>>,
    moved: Notify,
}

impl Board {
    /// The conversation's notice that is on the board, once there is one.
    pub(crate) async fn notice(&self, conversation: &str) -> Notice {
        let found =
            || self.shown.lock().unwrap().iter().find(|one| one.conversation.to_string() == conversation).cloned();
        loop {
            if let Some(notice) = found() {
                return notice;
            }
            tokio::time::timeout(Duration::from_secs(20), self.moved.notified()).await.expect("a notice within 20 s");
        }
    }

    /// Waits until the conversation's notice was taken away.
    pub(crate) async fn gone(&self, conversation: &str) {
        while !self.withdrawn.lock().unwrap().iter().any(|one| one.to_string() == conversation) {
            tokio::time::timeout(Duration::from_secs(20), self.moved.notified()).await.expect("withdrawn within 20 s");
        }
    }
}

#[async_trait]
impl Notices for Board {
    async fn show(&self, notice: Notice) -> Result<(), String> {
        self.shown.lock().unwrap().push(notice);
        self.moved.notify_one();
        Ok(())
    }

    async fn withdraw(&self, conversation: ConversationId) {
        self.withdrawn.lock().unwrap().push(conversation);
        self.moved.notify_one();
    }

    async fn capabilities(&self) -> NoticeCapabilities {
        NoticeCapabilities { server: Some("board".to_owned()), actions: true, can: Vec::new() }
    }

    async fn chime(&self, _: u8) {}
}

struct Nothing;

#[async_trait]
impl Keys for Nothing {
    async fn keep(&self, _: AgentId, _: Kept<'_>, _: &KeySource, _: &str) -> Result<(), String> {
        Ok(())
    }

    async fn forget(&self, _: AgentId, _: Kept<'_>) {}

    async fn probe(&self) -> Result<(), String> {
        Ok(())
    }
}

#[async_trait]
impl Connections for Nothing {
    async fn test(&self, _: &AgentProfile, _: Typed<'_>) -> Vec<Step> {
        Vec::new()
    }

    async fn models(&self, _: &AgentProfile, _: Typed<'_>) -> Result<Vec<String>, String> {
        Ok(Vec::new())
    }

    async fn find(&self) -> Vec<FoundServer> {
        Vec::new()
    }
}

impl Folders for Nothing {
    fn check(&self, _: &str) -> Result<(), String> {
        Ok(())
    }
}

#[async_trait]
impl Presence for Nothing {
    async fn look(&self) -> Attendance {
        Attendance::default()
    }
}

impl Desktop for Nothing {
    fn has_tray(&self) -> bool {
        false
    }

    fn show_window(&self) {}

    fn hide_window(&self) {}

    fn quit(&self) {}

    fn starts_at_login(&self) -> bool {
        false
    }

    fn start_at_login(&self, _: bool) -> Result<(), String> {
        Ok(())
    }
}

#[async_trait]
impl Confining for Nothing {
    async fn offered(&self) -> Offered {
        Offered { files: Ok(()), network: Ok(()) }
    }
}

/// An open app and the hands on it.
pub(crate) struct App {
    pub(crate) countersign: Arc<Countersign>,
    pub(crate) script: Arc<Script>,
    pub(crate) tools: Arc<Tools>,
    pub(crate) board: Arc<Board>,
    feed: broadcast::Receiver<FeedEvent>,
    folder: Arc<tempfile::TempDir>,
}

fn host(folder: &Path, wardrobe: Arc<Wardrobe>, board: Arc<Board>) -> Host {
    let machines = Machines::default();
    Host {
        data_folder: folder.to_owned(),
        rehearsal_folder: folder.join("rehearsal"),
        rehearsal_workspace: folder.join("workspace"),
        home: None,
        clock: Arc::new(SystemClock),
        notices: board,
        presence: Arc::new(Nothing),
        desktop: Arc::new(Nothing),
        outfitter: Arc::new(Equipped { wardrobe, machines: machines.clone() }),
        keys: Arc::new(Nothing),
        connections: Arc::new(Nothing),
        folders: Arc::new(Nothing),
        servers: Arc::new(machines),
        confining: Arc::new(Nothing),
        catalogue: Vec::new(),
        version: "0".to_owned(),
        system: "linux".to_owned(),
    }
}

impl App {
    /// A new app that knows one agent.
    pub(crate) async fn new() -> Self {
        Self::open(Arc::new(tempfile::tempdir().unwrap())).await
    }

    async fn open(folder: Arc<tempfile::TempDir>) -> Self {
        let app = Self::at(folder.path()).await;
        Self { folder, ..app }
    }

    /// The app of a folder that somebody else keeps.
    pub(crate) async fn at(folder: &Path) -> Self {
        // The agent is there before the app is, as after an earlier start.
        let store = Store::open(&folder.join("countersign.sqlite")).await.unwrap();
        if store.agent(AGENT).await.unwrap().is_none() {
            store.record(Record::Agent(Box::new(house::profile()))).await.unwrap();
        }
        store.close().await;
        let wardrobe = House::wardrobe(folder);
        let board = Arc::new(Board::default());
        let (script, tools) = (Arc::clone(&wardrobe.script), Arc::clone(&wardrobe.tools));
        let countersign = Countersign::open(host(folder, wardrobe, Arc::clone(&board))).await.unwrap();
        let feed = countersign.subscribe();
        let folder = Arc::new(tempfile::tempdir().unwrap());
        Self { countersign, script, tools, board, feed, folder }
    }

    /// Gives the app's agent the tools of servers.
    pub(crate) async fn give(&self, servers: Vec<ServerId>) {
        let store = Store::open(&self.folder.path().join("countersign.sqlite")).await.unwrap();
        let profile = AgentProfile { servers, revision: 2, ..house::profile() };
        store.record(Record::Agent(Box::new(profile))).await.unwrap();
        store.close().await;
    }

    /// Quit and start again.
    pub(crate) async fn again(self) -> Self {
        self.countersign.quit().await;
        Self::open(self.folder).await
    }

    pub(crate) async fn snapshot(&self) -> Snapshot {
        self.countersign.snapshot(Space::Main, request::snapshot {}).await.unwrap()
    }

    /// A conversation begins with a text; returns its id when something waits or all is done.
    pub(crate) async fn begin(&mut self, text: &str, mode: Option<Mode>) -> String {
        let start = request::start_conversation {
            agent: AGENT.to_string(),
            text: Some(text.to_owned()),
            mode,
            auto_until: None,
        };
        let row = self.countersign.start_conversation(Space::Main, start).await.unwrap();
        self.quiet(&row.id).await;
        row.id
    }

    /// The set of a conversation, if something waits in it.
    pub(crate) async fn set(&self, conversation: &str) -> Option<SetCard> {
        self.snapshot().await.sets.into_iter().find(|set| set.conversation == conversation)
    }

    /// The rows that wait in a conversation, in order.
    pub(crate) async fn rows(&self, conversation: &str) -> Vec<String> {
        self.set(conversation).await.map(|set| set.rows.into_iter().map(|row| row.id).collect()).unwrap_or_default()
    }

    pub(crate) async fn detail(&self, id: &str) -> Detail {
        self.countersign.detail(Space::Main, request::detail { id: id.to_owned() }).await.unwrap()
    }

    /// What a person must have been shown to decide about a row.
    pub(crate) async fn digest(&self, id: &str) -> String {
        match self.detail(id).await.state {
            DetailState::Open { digest, .. } | DetailState::ApprovedNotRun { digest, .. } => digest,
            DetailState::Closed { text, .. } => panic!("{id} is closed: {text}"),
        }
    }

    pub(crate) async fn decided(&self, decisions: &[(&str, Decision)]) -> Vec<SentAnswer> {
        let mut answers = Vec::new();
        for (id, decision) in decisions {
            let (request, digest) = ((*id).to_owned(), self.digest(id).await);
            answers.push(SentAnswer { request, digest, decision: decision.clone() });
        }
        answers
    }

    /// Sends decisions, each with the digest of what its detail shows, and waits until nothing goes on.
    pub(crate) async fn answer(&mut self, conversation: &str, decisions: &[(&str, Decision)]) {
        let answers = self.decided(decisions).await;
        self.send(Send { answers, ..nothing(conversation) }).await.unwrap();
        self.quiet(conversation).await;
    }

    pub(crate) async fn send(&self, send: Send) -> Result<(), ApiError> {
        self.countersign.send(Space::Main, request::send { send }).await
    }

    pub(crate) async fn history(&self) -> HistoryPage {
        self.countersign.history(Space::Main, request::history { before: None, query: String::new() }).await.unwrap()
    }

    /// Waits until no run goes on in a conversation.
    pub(crate) async fn quiet(&mut self, conversation: &str) {
        loop {
            let snapshot = self.snapshot().await;
            let row = snapshot.conversations.iter().find(|row| row.id == conversation).unwrap();
            if !matches!(row.state, countersign_api::wire::conversation::ConversationState::Running { .. }) {
                return;
            }
            let heard = tokio::time::timeout(Duration::from_secs(20), self.feed.recv()).await;
            heard.expect("something happens within 20 s").expect("the app is there");
        }
    }

    pub(crate) fn ran(&self) -> Vec<String> {
        self.tools.ran.lock().unwrap().iter().map(|call| format!("{} {}", call.tool, call.arguments)).collect()
    }
}

/// A sending of nothing yet.
pub(crate) fn nothing(conversation: &str) -> Send {
    Send {
        conversation: conversation.to_owned(),
        answers: Vec::new(),
        text: None,
        mode: None,
        auto_until: None,
        passes_by: Vec::new(),
    }
}
