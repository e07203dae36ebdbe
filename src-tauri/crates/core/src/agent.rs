//! Agent profiles: who runs, with which model, where, and with which tools.

use serde::{Deserialize, Serialize};

use crate::ids::AgentId;
use crate::mode::Mode;

/// The default number of rounds of a run.
pub const DEFAULT_ROUNDS: u32 = 25;
/// The most rounds that a profile may ask for.
pub const MOST_ROUNDS: u32 = 200;

/// An agent as the person set it up. Saving one makes a new revision; a run keeps the one that it started with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentProfile {
    /// Which.
    pub id: AgentId,
    /// Goes up by one with every save, from 1.
    pub revision: i64,
    /// The name that the person sees.
    pub name: String,
    /// What the model is told before everything else.
    pub instructions: String,
    /// Which model.
    pub model: ModelChoice,
    /// The workspace folder, absolute.
    pub folder: String,
    /// The mode that a new conversation starts in (MO-6).
    pub start_mode: Mode,
    /// Rounds a run, 1 to [`MOST_ROUNDS`] (IT-1).
    pub rounds: u32,
    /// Which tools it has.
    pub tools: ToolSet,
}

/// Which model an agent talks to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum ModelChoice {
    /// An endpoint that speaks OpenAI-compatible chat completions.
    OpenAiChat {
        /// The base address, such as `http://127.0.0.1:11434/v1`.
        base_url: String,
        /// The model's name there.
        model: String,
        /// Where its key is. The key itself is never stored here.
        key: KeySource,
    },
    /// The script of the Rehearsal; no network, no key.
    Scripted,
}

/// Where an endpoint's key is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "from")]
pub enum KeySource {
    /// The endpoint wants none.
    None,
    /// In the system's key store, under the agent's id.
    Keyring,
    /// In an environment variable.
    Env {
        /// Its name.
        name: String,
    },
    /// In a file that only the person can read, after they agreed to it.
    File,
}

/// A set of tools. Absent and empty can't be confused (D-48).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "are")]
pub enum ToolSet {
    /// All that there are.
    All,
    /// Exactly these; an empty list is no tool at all.
    Only {
        /// Their names.
        names: Vec<String>,
    },
}

impl ToolSet {
    /// Whether the tool of this name is in the set.
    pub fn has(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only { names } => names.iter().any(|one| one == name),
        }
    }
}
