//! Conversations: the list, one conversation's entries, and sending to it.

use serde::{Deserialize, Serialize};

use super::asking::Spent;
use super::inbox::{Decision, Mode};
use super::text::{Block, Shown};

/// A row of the list of conversations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct ConversationRow {
    /// Which.
    pub id: String,
    /// Its name.
    pub title: Shown,
    /// The agent.
    pub agent: String,
    /// The agent's name.
    pub agent_name: Shown,
    /// The model's name.
    pub model: Shown,
    /// The workspace folder.
    pub folder: Shown,
    /// Its mode.
    pub mode: Mode,
    /// Whether Auto ends with the run.
    pub auto_ends: bool,
    /// When Auto ends at the latest, in milliseconds since 1970; none if it has no such time.
    pub auto_until: Option<i64>,
    /// What it is doing.
    pub state: ConversationState,
    /// When something last happened.
    pub at: i64,
    /// Open requests.
    pub waiting: u32,
    /// Calls that were approved and not run.
    pub approved: u32,
    /// Standing approvals in force.
    pub standing: u32,
    /// What the person said to the run that it hasn't taken yet.
    pub steering: Vec<Shown>,
    /// Agents that go on beside the run.
    pub beside: Vec<Beside>,
    /// Whether answers wait for the run to end; they can be taken back.
    pub queued: bool,
    /// What its model calls used up so far, those of the agents below included.
    pub spent: Spent,
}

/// An agent that goes on beside the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Beside {
    /// What it is called.
    pub name: Shown,
    /// Since when.
    pub since: i64,
    /// Whether it waits for the person.
    pub waits: bool,
}

/// What a conversation is doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum ConversationState {
    /// A run is going on.
    Running {
        /// Since when.
        since: i64,
        /// Rounds so far.
        round: u32,
        /// Rounds that there may be.
        limit: u32,
        /// The tools that are executing, and the agents that work for the run.
        doing: Vec<Shown>,
        /// Whether it is being stopped.
        stopping: bool,
    },
    /// Something waits for the person.
    Waiting,
    /// Nothing happens; the person can write.
    Idle {
        /// Whether the last run left something for the model: *Try again* or *Continue* is offered.
        unfinished: bool,
    },
    /// The last run failed.
    Failed {
        /// In one sentence.
        text: String,
        /// What would help.
        help: FailureHelp,
    },
}

/// What would help after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum FailureHelp {
    /// Trying again.
    Retry,
    /// Changing the agent: key, model, address, folder.
    EditAgent,
}

/// A page of a conversation, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Transcript {
    /// Which conversation.
    pub conversation: String,
    /// Its entries.
    pub entries: Vec<Entry>,
    /// Ask again with this `before` for older ones; none if there are none.
    pub older: Option<i64>,
    /// Ask again with this `after` for newer ones; none if there are none.
    pub newer: Option<i64>,
}

/// Where words were said in a conversation, or are part of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct FoundWords {
    /// The places, newest first.
    pub places: Vec<Found>,
    /// Whether there are more than are given.
    pub more: bool,
}

/// Conversations in which words were said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct FoundConversations {
    /// Each with the newest place where they were, the one that changed last first.
    pub found: Vec<FoundConversation>,
    /// Whether there are more than are given.
    pub more: bool,
}

/// A conversation in which words were said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct FoundConversation {
    /// Which.
    pub conversation: String,
    /// Where.
    pub place: Found,
}

/// A place where words were said, or that a call holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Found {
    /// The entry of the conversation's own thread, by which its page is asked for.
    pub seq: i64,
    /// The entry itself: another one if it lies within a sub-agent.
    pub entry: i64,
    /// The calls that started the sub-agents that it lies within, the outermost first.
    pub within: Vec<String>,
    /// When.
    pub at: i64,
    /// Who said it.
    pub speaker: Speaker,
    /// The call that it is part of; none for words.
    pub call: Option<String>,
    /// What stands around it, in one line.
    pub excerpt: Shown,
}

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// The person.
    Person,
    /// An agent.
    Agent,
    /// Nobody: it is a call's name, its arguments or its result.
    Call,
}

/// An entry of a conversation. Entries are replaced whole by their `seq`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Entry {
    /// Its place.
    pub seq: i64,
    /// When.
    pub at: i64,
    /// What it is.
    pub body: EntryBody,
    /// The end of the run that it is the last entry of.
    pub end: Option<RunEnded>,
    /// What happened to the conversation itself behind it, in order.
    pub marks: Vec<Mark>,
}

/// Something that happened to a conversation between two entries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Mark {
    /// When.
    pub at: i64,
    /// What.
    pub what: MarkKind,
}

/// What happened to a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum MarkKind {
    /// The mode was changed.
    Mode {
        /// To what.
        mode: Mode,
        /// Whether it ends with the run (D-74).
        ends: bool,
        /// When it ends at the latest, where it was given a time (D-82).
        until: Option<i64>,
    },
    /// It was forked: everything before is a copy (D-59).
    Forked {
        /// The conversation that it was forked from; none if that was deleted.
        conversation: Option<String>,
        /// What that is called; none if nothing of it is left.
        title: Option<Shown>,
    },
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct RunEnded {
    /// When.
    pub at: i64,
    /// Why, where it isn't that the agent had done: "limit of 25 rounds", "stopped".
    pub words: Option<String>,
    /// Whether it came to its limit of rounds, and could go on.
    pub goes_on: bool,
    /// What the run used up, the agents below included.
    pub spent: Spent,
}

/// What an entry is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "e")]
pub enum EntryBody {
    /// The person wrote.
    User {
        /// Their words.
        text: Shown,
    },
    /// An agent that goes on beside the run has something to say.
    Agent {
        /// What it is called.
        name: Shown,
        /// Its words, formatted.
        blocks: Vec<Block>,
    },
    /// The model replied.
    Assistant {
        /// Its words, formatted.
        blocks: Vec<Block>,
        /// Its calls.
        calls: Vec<CallLine>,
    },
}

/// A call in a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct CallLine {
    /// Which.
    pub call: String,
    /// The request, if it asked.
    pub request: Option<String>,
    /// App-built words.
    pub verb: Shown,
    /// Path, command line or id.
    pub target: Shown,
    /// Who decided and how it ended: "ran, no approval needed", "ran · you", "rejected · you", "waits for you".
    pub words: String,
    /// How it is drawn.
    pub tone: CallTone,
    /// The result, as the model got it; none while it has none.
    pub result: Option<Shown>,
    /// The sub-agent that it started, with everything that it did.
    pub agent: Option<AgentBlock>,
    /// What its server asked while it was executed, in order (D-86).
    pub asked: Vec<AskedLine>,
}

/// What a server asked in the middle of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct AskedLine {
    /// The question.
    pub request: String,
    /// App-built words.
    pub verb: Shown,
    /// What the server says, shortened.
    pub target: Shown,
    /// Who answered, or why nobody did: "answered · you", "withdrawn: the server stopped waiting".
    pub words: String,
    /// How it is drawn.
    pub tone: CallTone,
}

/// A sub-agent in a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct AgentBlock {
    /// What it is called.
    pub name: Shown,
    /// Whether it goes on beside the run.
    pub beside: bool,
    /// Where it stands: "at work", "waits for you", "done", "stopped".
    pub words: String,
    /// How that is drawn.
    pub tone: CallTone,
    /// Its messages; the first is its task.
    pub entries: Vec<Entry>,
}

/// How a call is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum CallTone {
    /// It ran.
    Ran,
    /// It ran and failed.
    Failed,
    /// It was rejected or refused.
    Rejected,
    /// It waits.
    Waiting,
    /// It runs.
    Running,
    /// It may or may not have happened.
    Unknown,
    /// It was never made, for the model.
    Never,
}

/// What is sent to a conversation: the one command that decides (with the text that goes along).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Send {
    /// To which.
    pub conversation: String,
    /// Verdicts.
    pub answers: Vec<SentAnswer>,
    /// A new message.
    pub text: Option<String>,
    /// A mode from now on; absent changes nothing.
    pub mode: Option<Mode>,
    /// When that mode, if it is Auto, goes back to Default, in milliseconds since 1970: in a minute at the earliest, in a day at the
    /// latest.
    #[serde(default)]
    pub auto_until: Option<i64>,
    /// Ids of the rows that the person was told would expire.
    pub passes_by: Vec<String>,
}

/// A verdict on its way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct SentAnswer {
    /// The row's id.
    pub request: String,
    /// The digest of what was on screen.
    pub digest: String,
    /// What it says.
    pub decision: Decision,
}

/// A standing approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct StandingRow {
    /// Which.
    pub id: String,
    /// The conversation.
    pub conversation: String,
    /// Its name.
    pub title: Shown,
    /// The tool.
    pub tool: Shown,
    /// "any arguments" or "this exact call".
    pub reach: String,
    /// Since when.
    pub since: i64,
    /// How often it let a call run.
    pub used: i64,
    /// When last.
    pub last_used: Option<i64>,
}
