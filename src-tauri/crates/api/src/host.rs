//! What a surface's host provides: the ports that only the desktop shell (and a test) can fill.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use countersign_core::agent::{AgentProfile, KeySource};
use countersign_core::confine::Offered;
use countersign_core::ids::{AgentId, ServerId};
use countersign_core::policy::Registered;
use countersign_core::server::{Definition, ServerProfile};
use countersign_engine::ports::{Clock, Notices, Outfitter, Presence, Step};
use tokio::sync::watch;

use crate::wire::agent::FoundServer;
use crate::wire::asking::HeaderSecret;

/// Everything that Countersign needs of its host.
#[derive(Clone)]
pub struct Host {
    /// The folder of the database; made by the host, private to the person.
    pub data_folder: PathBuf,
    /// The folder of the Rehearsal's database.
    pub rehearsal_folder: PathBuf,
    /// The Rehearsal's throw-away workspace. It lies outside Countersign's own folders, which no tool may touch.
    pub rehearsal_workspace: PathBuf,
    /// The person's home folder, for showing paths with `~`.
    pub home: Option<PathBuf>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Desktop notifications.
    pub notices: Arc<dyn Notices>,
    /// Whether somebody is there.
    pub presence: Arc<dyn Presence>,
    /// The window, the tray and the session around them.
    pub desktop: Arc<dyn Desktop>,
    /// Models, tools and guards of agent profiles.
    pub outfitter: Arc<dyn Outfitter>,
    /// Where keys are kept.
    pub keys: Arc<dyn Keys>,
    /// Model endpoints.
    pub connections: Arc<dyn Connections>,
    /// Workspace folders.
    pub folders: Arc<dyn Folders>,
    /// Tool servers.
    pub servers: Arc<dyn ToolServers>,
    /// What commands can be held in with.
    pub confining: Arc<dyn Confining>,
    /// The tools that an agent can have, for choosing among them.
    pub catalogue: Vec<Registered>,
    /// The version of the app.
    pub version: String,
    /// `linux`, `macos` or `windows`.
    pub system: String,
}

/// A secret of an agent's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kept<'a> {
    /// The key of its endpoint.
    Key,
    /// What stands in the header of this name.
    Header(&'a str),
}

/// What was typed in the editor and isn't kept yet.
#[derive(Debug, Clone, Copy)]
pub struct Typed<'a> {
    /// The key; none if none was typed.
    pub key: Option<&'a str>,
    /// Secrets of headers.
    pub headers: &'a [HeaderSecret],
}

/// Keeps the keys of model endpoints, and the secrets of headers. Never the database, a log or a window.
#[async_trait]
pub trait Keys: Send + Sync {
    /// Stores a secret of an agent's where its profile says. An environment variable is only checked, not written.
    ///
    /// # Errors
    /// Words for the person: what is wrong and what to do.
    async fn keep(&self, agent: AgentId, what: Kept<'_>, source: &KeySource, secret: &str) -> Result<(), String>;

    /// Removes a secret of an agent's from wherever it is.
    async fn forget(&self, agent: AgentId, what: Kept<'_>);

    /// Whether the system's key store answers; if not, why.
    ///
    /// # Errors
    /// Words for the person.
    async fn probe(&self) -> Result<(), String>;
}

/// Looks at model endpoints.
#[async_trait]
pub trait Connections: Send + Sync {
    /// Tests a profile's endpoint, with what was just typed or what is kept.
    async fn test(&self, profile: &AgentProfile, typed: Typed<'_>) -> Vec<Step>;

    /// The models that it offers.
    ///
    /// # Errors
    /// Words for the person.
    async fn models(&self, profile: &AgentProfile, typed: Typed<'_>) -> Result<Vec<String>, String>;

    /// Servers on this machine's usual ports.
    async fn find(&self) -> Vec<FoundServer>;
}

/// Tool servers, as they run on this machine.
#[async_trait]
pub trait ToolServers: Send + Sync {
    /// How a server stands; none if it was never needed.
    fn status(&self, server: ServerId) -> Option<ServerStatus>;

    /// Has a server started without waiting for it.
    fn wake(&self, profile: &ServerProfile);

    /// What a server wrote to its standard error and what happened to it, the newest last.
    fn log(&self, server: ServerId) -> Vec<ServerLog>;

    /// A server is set up like this from now on. What that tightens holds for the very next call, also of runs that go on (D-82).
    fn present(&self, profile: &ServerProfile);

    /// Stops a server that isn't there any more; runs that go on find none of its tools.
    async fn remove(&self, server: ServerId);

    /// Stops a server; the next who needs it starts it afresh.
    async fn stop(&self, server: ServerId);

    /// Stops all of them.
    async fn stop_all(&self);

    /// Counts up whenever a server's state or tools change.
    fn changed(&self) -> watch::Receiver<u64>;

    /// Keeps the value of a server's variable where its profile says. An environment variable is only checked, not written.
    ///
    /// # Errors
    /// Words for the person.
    async fn keep(&self, server: ServerId, variable: &str, source: &KeySource, value: &str) -> Result<(), String>;

    /// Removes the kept values of these variables.
    async fn forget(&self, server: ServerId, variables: &[String]);
}

/// How a tool server stands.
#[derive(Debug, Clone)]
pub struct ServerStatus {
    /// Whether it answers.
    pub health: ServerHealth,
    /// What it says of its tools, as far as is known.
    pub definitions: Arc<Vec<Definition>>,
    /// What was left out of its list, in words.
    pub cut: String,
    /// What it calls itself.
    pub calls_itself: Option<String>,
}

/// Whether a tool server answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerHealth {
    /// It isn't running.
    Idle,
    /// It is being started.
    Starting,
    /// It answers.
    Running,
    /// It can't be used.
    Failed {
        /// Why; it may quote the server.
        why: String,
        /// In how many seconds it is tried again.
        again_s: Option<u64>,
    },
}

/// A line of a tool server's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerLog {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Whether Countersign wrote it.
    pub ours: bool,
    /// The line.
    pub text: String,
}

/// Judges workspace folders.
pub trait Folders: Send + Sync {
    /// Whether the folder can be a workspace: absolute, there, and neither inside nor around Countersign's own folders.
    ///
    /// # Errors
    /// Words for the person.
    fn check(&self, folder: &str) -> Result<(), String>;
}

/// Holding commands in.
#[async_trait]
pub trait Confining: Send + Sync {
    /// What this machine offers, found out by trying it once.
    async fn offered(&self) -> Offered;
}

/// The window, the tray and the session around them.
pub trait Desktop: Send + Sync {
    /// Whether somebody shows tray icons right now, so that a hidden window can be brought back.
    fn has_tray(&self) -> bool;

    /// Brings the window up.
    fn show_window(&self);

    /// Hides the window; the app goes on.
    fn hide_window(&self);

    /// Ends the app in an orderly way. Returns at once.
    fn quit(&self);

    /// Whether the app starts with the session, as the session itself has it.
    fn starts_at_login(&self) -> bool;

    /// Has the app start with the session, or not any more.
    ///
    /// # Errors
    /// Words for the person.
    fn start_at_login(&self, on: bool) -> Result<(), String>;
}
