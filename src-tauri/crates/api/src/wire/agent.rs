//! Agent profiles, testing a connection, and servers found on this machine.

use serde::{Deserialize, Serialize};

use super::asking::{Asking, HeaderSecret};
use super::inbox::Mode;
use super::text::Shown;

/// An agent as the editor shows and saves it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Agent {
    /// Which; none for a new one.
    pub id: Option<String>,
    /// Goes up with every save; 0 for a new one.
    pub revision: i64,
    /// Its name.
    pub name: String,
    /// What the model is told first.
    pub instructions: String,
    /// How the endpoint is spoken to.
    pub format: WireFormat,
    /// Base address of the endpoint, such as `http://127.0.0.1:11434/v1`.
    pub base_url: String,
    /// The model's name there.
    pub model: String,
    /// Where the key is kept.
    pub key: KeySource,
    /// The workspace folder, absolute.
    pub folder: String,
    /// The mode that a new conversation starts in.
    pub start_mode: Mode,
    /// Rounds a run.
    pub rounds: u32,
    /// Its tools; none means all.
    pub tools: Option<Vec<String>>,
    /// The tool servers whose tools it has, by id.
    #[serde(default)]
    pub servers: Vec<String>,
    /// What a run and the agents below it may do together.
    pub caps: Caps,
    /// The agents that it can start.
    pub sub_agents: Vec<SubAgent>,
    /// The groups that its tools may come from; none means all.
    pub groups: Option<Vec<Group>>,
    /// Where its model runs, as the person says.
    #[serde(default)]
    pub zone: Zone,
    /// What happens to tools that can show more than a model there may be sent.
    #[serde(default)]
    pub ceiling: Ceiling,
    /// Whether its commands are held in.
    #[serde(default)]
    pub hold: Hold,
    /// Whether its commands can use the network; off only for commands that are held in.
    #[serde(default)]
    pub network: Network,
    /// How its model is asked.
    #[serde(default)]
    pub asking: Asking,
    /// Whether it can fetch from this computer and private networks.
    #[serde(default)]
    pub private_addresses: bool,
}

/// Whether commands are held in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Hold {
    /// As far as the machine can.
    #[default]
    Strongest,
    /// Where the machine can't, they don't run.
    Required,
    /// They aren't.
    Never,
}

/// Whether commands can use the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// They can.
    #[default]
    On,
    /// They can't, this machine's own services included.
    Off,
}

/// What a run and the agents below it may do together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Caps {
    /// Model calls, 1 to 200.
    pub model_calls: u32,
    /// Agents that start, 0 to 50.
    pub agents: u32,
    /// Agents at work beside the run at once, 0 to 8.
    pub beside: u32,
}

/// An agent that another can start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct SubAgent {
    /// Which.
    pub agent: String,
    /// What the model calls it: 1 to 64 letters, digits, `_` or `-`.
    pub tool: String,
    /// What the model is told about it.
    pub description: String,
    /// Whether it goes on beside the run, or the caller waits for its answer.
    pub beside: bool,
    /// Whether starting it asks first.
    pub asks_first: bool,
}

/// What a tool is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// It looks at files.
    Look,
    /// It changes files.
    Change,
    /// It runs commands.
    Command,
    /// It fetches from the network.
    Web,
    /// It asks the person.
    Ask,
    /// It is another agent.
    Agent,
    /// It belongs to a tool server.
    Server,
    /// Nobody said.
    Other,
}

/// Where a model runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Zone {
    /// The person hasn't said; nothing is held back.
    #[default]
    Unstated,
    /// On this computer.
    Local,
    /// On machines of the person's own, or of their organisation.
    Private,
    /// Anywhere else.
    External,
}

/// What happens to a tool above the zone's ceiling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Ceiling {
    /// It isn't offered.
    #[default]
    Enforce,
    /// It is offered, and flagged.
    Observe,
}

/// What the gates say of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Ruling {
    /// The agent can use it.
    Offered,
    /// It can use it, although it shows more than a model in this place should be sent.
    Noted {
        /// In words.
        text: String,
    },
    /// It can't.
    Denied {
        /// In words, the first gate that it doesn't pass.
        text: String,
    },
}

/// Whether a tool's calls ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Asks {
    /// They do, and no setting lifts that.
    Always,
    /// They do, because the person wants it.
    Chosen,
    /// They run free.
    Never,
    /// They are questions to the person.
    Question,
}

/// What the person switched for all agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Switches {
    /// Tools that are off, by name.
    pub off_tools: Vec<String>,
    /// Groups that are off.
    pub off_groups: Vec<Group>,
    /// Reading tools that ask all the same, by name.
    pub ask_first: Vec<String>,
    /// Whether what was stored couldn't be read; then every tool is off until something is switched again.
    pub unreadable: bool,
}

/// How an endpoint is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum WireFormat {
    /// OpenAI-compatible chat completions.
    OpenAiChat,
    /// OpenAI Responses.
    OpenAiResponses,
    /// Anthropic Messages.
    AnthropicMessages,
}

/// Where a key is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "from")]
pub enum KeySource {
    /// No key.
    None,
    /// In the system's key store.
    Keyring,
    /// In an environment variable.
    Env {
        /// Its name.
        name: String,
    },
    /// In a file that only the person can read.
    File,
}

/// Saving an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct SaveAgent {
    /// The agent.
    pub agent: Agent,
    /// A new key, if one was typed. It goes to the key store and is never sent back.
    pub new_key: Option<String>,
    /// Secrets of headers, those that were typed.
    #[serde(default)]
    pub new_headers: Vec<HeaderSecret>,
}

/// One step of testing a connection, in order; the first that fails ends the test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct TestStep {
    /// "reached", "key accepted", "model known", "streams", "calls tools".
    pub name: String,
    /// Whether it worked.
    pub ok: bool,
    /// In words, what was seen and what to do.
    pub text: String,
}

/// A model server that answers on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct FoundServer {
    /// "Ollama on this machine".
    pub name: String,
    /// Its base address.
    pub base_url: String,
    /// The models that it offers.
    pub models: Vec<String>,
}

/// A tool, for choosing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct ToolRow {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: Shown,
    /// What it is for.
    pub group: Group,
    /// What the gates say of it for the agent as it stands in the editor.
    pub ruling: Ruling,
    /// Whether its calls ask in Default.
    pub asks: Asks,
    /// Whether it is there in Plan mode.
    pub in_plan: bool,
}

/// What this machine offers for holding commands in, found out by trying it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Confining {
    /// Why commands can't be held in, in words; none where they can.
    pub no_files: Option<String>,
    /// Why the network can't be off for them, in words; none where it can.
    pub no_network: Option<String>,
}

/// How keys can be kept on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct KeyStores {
    /// Whether the system's key store answers.
    pub keyring: bool,
    /// Why not, in words.
    pub why: Option<String>,
}
