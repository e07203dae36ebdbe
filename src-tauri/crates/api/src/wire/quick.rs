//! Quick tasks: one run without a conversation to go on with, its result, and the rounds that it ran.

use serde::{Deserialize, Serialize};

use super::asking::Spent;
use super::conversation::{Entry, FailureHelp};
use super::inbox::Mode;
use super::text::{Block, Shown};

/// A Quick task in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct QuickTask {
    /// Which.
    pub id: String,
    /// The agent that does it.
    pub agent: String,
    /// Its name.
    pub agent_name: Shown,
    /// The workspace folder.
    pub folder: Shown,
    /// The mode that it runs in.
    pub mode: Mode,
    /// What was asked for.
    pub text: Shown,
    /// When it was started.
    pub at: i64,
    /// Where it stands.
    pub state: QuickState,
    /// What the model answered in the end; empty while there is nothing, and where the run failed.
    pub result: Vec<Block>,
    /// The rounds that ran, in order: what the model said on the way, and its calls.
    pub rounds: Vec<Entry>,
    /// What its model calls used up.
    pub spent: Spent,
}

/// Where a Quick task stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum QuickState {
    /// It goes on.
    Running {
        /// Since when.
        since: i64,
        /// Rounds so far.
        round: u32,
        /// How many there may be.
        limit: u32,
        /// Whether the person stopped it and it is settling.
        stopping: bool,
    },
    /// It is done.
    Done,
    /// The limit of rounds was reached; the model had a last word.
    Limit,
    /// It came to a call that would have had to ask. Nothing of that round ran.
    WouldAsk {
        /// The tool of that call.
        tool: Shown,
        /// How many rounds ran before.
        rounds: u32,
    },
    /// The model couldn't be used.
    Failed {
        /// In words.
        text: String,
        /// What helps.
        help: FailureHelp,
    },
    /// The person stopped it.
    Stopped,
    /// Countersign ended while it ran.
    Interrupted,
}

/// A Quick task in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct QuickRow {
    /// Which.
    pub id: String,
    /// Its place; pages go by it.
    pub place: i64,
    /// What was asked for, on one line.
    pub title: Shown,
    /// The agent's name.
    pub agent_name: Shown,
    /// When it was started.
    pub at: i64,
    /// How many calls ran.
    pub calls: i64,
    /// Where it stands.
    pub state: QuickState,
}

/// A page of Quick tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct QuickPage {
    /// The newest first.
    pub rows: Vec<QuickRow>,
    /// Ask again with this `before` for older ones; none if there are none.
    pub older: Option<i64>,
}
