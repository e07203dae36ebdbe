//! History: every decision, newest first.

use serde::{Deserialize, Serialize};

use super::text::Shown;

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct HistoryRow {
    /// Its place; pages go by it.
    pub seq: i64,
    /// The id for the detail: the request, or the call if it never asked.
    pub id: String,
    /// When it was decided.
    pub at: i64,
    /// The conversation's name.
    pub title: Shown,
    /// The sub-agents that the call lay in, the outermost first.
    pub path: Vec<Shown>,
    /// App-built words.
    pub verb: Shown,
    /// Path, command line or id.
    pub target: Shown,
    /// "Approved", "Rejected", "Ran", "Sent back", "Expired".
    pub decision: String,
    /// "you", "Auto", "standing approval", "rule: no sudo", "conversation moved on".
    pub by: Shown,
    /// "ran ok", "failed", "told the agent", "never made", "outcome unknown", "running".
    pub outcome: String,
    /// How the outcome is drawn.
    pub tone: OutcomeTone,
    /// From asking to deciding, in milliseconds; none where nobody was asked.
    pub took_ms: Option<i64>,
}

/// How an outcome is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum OutcomeTone {
    /// Neutral.
    Plain,
    /// It ran well.
    Ok,
    /// It failed.
    Failed,
    /// Nobody knows.
    Unknown,
}

/// A page of history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct HistoryPage {
    /// Newest first.
    pub rows: Vec<HistoryRow>,
    /// Ask again with this `before` for older ones; none if there are none.
    pub older: Option<i64>,
    /// How many decisions there are in all.
    pub total: i64,
    /// When the first one was made.
    pub since: Option<i64>,
}
