//! Tool servers: what the person set up, how they stand, what they say, and what the person says of it.

use serde::{Deserialize, Serialize};

use super::agent::KeySource;
use super::text::Shown;

/// A tool server as the editor shows and saves it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Server {
    /// Which; none for a new one.
    pub id: Option<String>,
    /// Goes up with every save; 0 for a new one.
    pub revision: i64,
    /// The name that the person sees.
    pub name: String,
    /// What the names of its tools begin with for models; blank for a new one, and never changed.
    pub handle: String,
    /// How it is reached.
    pub launch: Launch,
    /// Whether it is used.
    pub on: bool,
    /// What its results can show.
    pub data: Data,
    /// Folders that it is told about when it asks.
    pub roots: Vec<String>,
    /// Seconds that it may take to start, 1 to 300.
    pub start_s: u32,
    /// Seconds that a call may take without a sign of life, 1 to 3600.
    pub call_s: u32,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "by")]
pub enum Launch {
    /// A program on this computer.
    Command {
        /// The program.
        program: String,
        /// Its arguments; no shell reads them.
        args: Vec<String>,
        /// Variables of its environment.
        env: Vec<Variable>,
        /// The folder that it starts in; none is the home folder.
        folder: Option<String>,
    },
    /// An address.
    Http {
        /// The address.
        url: String,
        /// Headers of every request.
        headers: Vec<Variable>,
    },
}

/// A variable of the environment, or a header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value; none for one that is kept with the keys.
    pub text: Option<String>,
    /// Where a kept value is; `none` for one that is no secret.
    pub from: KeySource,
}

/// What a server's results can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Data {
    /// What anybody on the network can have.
    Public,
    /// What the person writes for the agent.
    Given,
    /// What is in the agent's folder.
    Workspace,
    /// Anything on this computer.
    Machine,
    /// Nobody said; counted as the most.
    Unclassified,
}

/// A server to be saved, with the values that were typed for its secrets.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct SaveServer {
    /// The server.
    pub server: Server,
    /// Values that were typed; those of other variables stay as they are.
    pub secrets: Vec<TypedSecret>,
}

/// A value that was typed for a secret.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct TypedSecret {
    /// The variable's name.
    pub name: String,
    /// The value. Never logged and never sent back.
    pub value: String,
}

impl std::fmt::Debug for SaveServer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("SaveServer").field("server", &self.server).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for TypedSecret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("TypedSecret").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A server in the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct ServerRow {
    /// The server.
    pub server: Server,
    /// How it stands.
    pub state: ServerState,
    /// What it calls itself; its own words.
    pub calls_itself: Option<Shown>,
    /// How many tools it has, as far as is known.
    pub tools: u32,
    /// How many of them lost something that the person had loosened, because the server changed.
    pub tightened: u32,
    /// What was left out of its list, in words; blank if nothing was.
    pub cut: String,
    /// Names of the agents that use it.
    pub agents: Vec<String>,
}

/// How a server stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum ServerState {
    /// Switched off.
    Off,
    /// Nothing needed it yet.
    Idle,
    /// It is being started.
    Starting,
    /// It answers.
    Running,
    /// It can't be used.
    Failed {
        /// Why; it may quote the server.
        why: Shown,
        /// In how many seconds it is tried again; none if it isn't, until somebody needs it.
        again_s: Option<u32>,
    },
}

/// A server with everything that is said of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct ServerDetail {
    /// As in the list.
    pub row: ServerRow,
    /// What the person said of all its tools.
    pub word: ToolWord,
    /// The fingerprint of the launch and of all tools as they are now; a word that loosens is said of exactly this.
    pub fingerprint: String,
    /// Whether that word loosens something, and the launch it was said of is another one now.
    pub word_lost: bool,
    /// Its tools, in its own order.
    pub tools: Vec<ServerToolRow>,
}

/// What a person says of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct ToolWord {
    /// Whether calls ask first; none for one tool is as for all, for all of them that they ask.
    pub asks: Option<ServerAsks>,
    /// Whether Plan mode offers it.
    pub read_only: bool,
    /// Whether calls may run beside each other.
    pub parallel_safe: bool,
}

/// Whether calls ask first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum ServerAsks {
    /// They ask.
    First,
    /// They run without asking.
    Never,
}

/// A tool of a server in the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct ServerToolRow {
    /// The server's name for it, exactly; for commands, never for showing.
    pub key: String,
    /// The server's name for it.
    pub name: Shown,
    /// What models are told it is called.
    pub told: String,
    /// The beginning of its description, in the server's words.
    pub description: Shown,
    /// What the server claims: "read-only", "destructive" and so on; shown as its words, never believed.
    pub claims: Vec<String>,
    /// What the person said of it.
    pub word: ToolWord,
    /// The fingerprint of what the server says of it now; a word is said of exactly this.
    pub fingerprint: String,
    /// Whether something that the person had loosened doesn't hold any more.
    pub tightened: bool,
    /// Whether it is switched off for all agents.
    pub off: bool,
    /// What happens to a call in Default.
    pub in_default: InMode,
    /// What happens to a call in Plan.
    pub in_plan: InMode,
    /// What happens to a call in Auto.
    pub in_auto: InMode,
    /// When a call of it was started last, in milliseconds since 1970.
    pub last_used_at: Option<i64>,
}

/// What happens to a tool's calls in a mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum InMode {
    /// It isn't offered.
    Hidden,
    /// A call asks.
    Asks,
    /// A call runs without asking.
    Runs,
}

/// A tool of a server in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct ServerTool {
    /// As in the list.
    pub row: ServerToolRow,
    /// The server's title for it.
    pub title: Option<Shown>,
    /// Its description, all that was kept, at most 64 KiB of it.
    pub description: Shown,
    /// Its JSON Schema, with line breaks.
    pub schema: Shown,
}

/// A line of a server's log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct ServerLogLine {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Whether Countersign wrote it.
    pub ours: bool,
    /// The line.
    pub text: Shown,
}

/// A server that was found in pasted text, before it is saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct FoundToolServer {
    /// The server as it would be saved.
    pub server: Server,
    /// What would be started or reached, as displayed text.
    pub would_start: Shown,
    /// Values that stood in the text and that look like secrets: they are kept with the keys when it is saved.
    pub secrets: Vec<TypedSecret>,
    /// Why it can't be saved as it stands, in words; none if it can.
    pub fault: Option<String>,
}

impl PartialEq for TypedSecret {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.value == other.value
    }
}

impl Eq for TypedSecret {}
