//! Agent profiles, testing a connection, and servers found on this machine.

use serde::{Deserialize, Serialize};

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
    /// What a run and the agents below it may do together.
    pub caps: Caps,
    /// The agents that it can start.
    pub sub_agents: Vec<SubAgent>,
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
    /// Whether its calls ask in Default.
    pub asks: bool,
    /// Whether it is there in Plan mode.
    pub in_plan: bool,
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
