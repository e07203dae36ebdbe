//! History: every decision, newest first; what it is searched, counted and exported by, and whether its record adds up.

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
    /// Whether nobody answered before the conversation went on.
    pub expired: bool,
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
    /// Newest first; empty where the query has faults.
    pub rows: Vec<HistoryRow>,
    /// Ask again with this `before` for older ones; none if there are none.
    pub older: Option<i64>,
    /// How many decisions there are in all.
    pub total: i64,
    /// When the first one was made.
    pub since: Option<i64>,
    /// How the query was read.
    pub filter: FilterState,
    /// How many decisions can't be found by a query yet, because they are still being read for it.
    pub unread: i64,
    /// Whether the record adds up.
    pub chain: ChainState,
}

/// How a query was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum FilterState {
    /// It lets everything through.
    None,
    /// It is in force.
    On {
        /// What it lets through, in words.
        words: String,
        /// How many that is.
        matched: i64,
        /// Whether it is more than that; so many aren't counted.
        more: bool,
    },
    /// Parts of it can't be read, so nothing was searched for.
    Faulty {
        /// Which.
        faults: Vec<QueryFault>,
    },
}

/// A part of a query that can't be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct QueryFault {
    /// Where it begins, in UTF-16 units.
    pub from: u32,
    /// Where it ends.
    pub to: u32,
    /// Why, as a sentence.
    pub text: String,
}

/// Whether the record adds up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum ChainState {
    /// It wasn't checked since the start.
    Unchecked,
    /// It is being checked.
    Checking {
        /// So many entries add up so far.
        entries: i64,
    },
    /// It adds up.
    Whole {
        /// How many entries.
        entries: i64,
        /// The last one's hash.
        hash: String,
        /// When that was checked.
        at: i64,
    },
    /// It doesn't.
    Broken {
        /// From this entry on.
        entry: i64,
        /// When that entry was made.
        at: i64,
        /// The last decision before it, for showing it in the list; none if there is none.
        before: Option<i64>,
        /// Whether entries are missing at the end that were there at the last check.
        shorter: bool,
    },
}

/// A group of what the found decisions are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct FacetGroup {
    /// Which: `is`, `by`, `outcome`, `kind`, `agent`, `tool`.
    pub key: String,
    /// Its values, the most frequent first.
    pub values: Vec<FacetValue>,
}

/// One value with how often it is among what was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct FacetValue {
    /// What choosing it writes into the query.
    pub token: String,
    /// Its name.
    pub label: Shown,
    /// How often.
    pub count: i64,
}

/// What the found decisions are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct HistoryFacets {
    /// By what they can be narrowed.
    pub groups: Vec<FacetGroup>,
    /// Whether only the newest were counted, and how many those are; none if all were.
    pub newest: Option<i64>,
}

/// A span of time, in milliseconds UTC. The window makes the days and months, because they are the person's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Span {
    /// From this on.
    pub from: i64,
    /// To before this.
    pub to: i64,
}

/// A month of the rail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct HistoryMonth {
    /// How many decisions.
    pub count: i64,
    /// A page before this place begins with its newest decision; none if it has none.
    pub before: Option<i64>,
}

/// What the charts of history show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct HistoryCharts {
    /// In each span.
    pub days: Vec<DayCount>,
    /// Over all of them, by who or what decided, the most frequent first.
    pub by: Vec<FacetValue>,
    /// How often deciding took less than 5 s, 15 s, a minute, 5 minutes, an hour, and more.
    pub took: Vec<i64>,
}

/// Decisions of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct DayCount {
    /// The person decided.
    pub asked: i64,
    /// Decided without asking.
    pub unasked: i64,
}

/// How an export is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    /// One JSON object a line.
    Jsonl,
    /// A table.
    Csv,
    /// To read.
    Markdown,
}

/// What an export is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum ExportOf {
    /// Decisions of history.
    History,
    /// A conversation.
    Conversation,
    /// All that is kept.
    Everything,
}

/// What an export wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Exported {
    /// The file.
    pub file: String,
    /// The file beside it that says what it holds.
    pub manifest: String,
    /// How many decisions, messages, or lines of everything.
    pub count: i64,
    /// The SHA-256 of the file.
    pub sha256: String,
}

/// What is stored of a decision's way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct DecisionRecord {
    /// In order.
    pub moments: Vec<Moment>,
    /// What was decided, as its row says.
    pub decision: String,
    /// By whom or what.
    pub by: Shown,
    /// The person's reason or note.
    pub reason: Option<Shown>,
    /// The digest of what was on screen; none where nobody was asked.
    pub digest: Option<String>,
    /// Whether the stored bytes still have that digest.
    pub matches: bool,
}

/// A moment of a decision's way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Moment {
    /// What happened.
    pub what: MomentKind,
    /// When.
    pub at: i64,
}

/// What happened at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum MomentKind {
    /// The model made the call, and nobody was asked.
    Proposed,
    /// The person was asked.
    Asked,
    /// The person first had it on screen.
    Seen,
    /// The person staged what was sent.
    Staged,
    /// It was decided.
    Decided,
    /// It was started.
    Started,
    /// It was over.
    Ended,
}

/// How many decisions would leave history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Going {
    /// So many.
    pub count: i64,
    /// Whether it is more than that; so many aren't counted.
    pub more: bool,
}
