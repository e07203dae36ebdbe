//! The Inbox: sets of requests, what was staged for them, and one request in detail; long because a row, its draft and its detail are one
//! subject, and each field says what it is for.

use serde::{Deserialize, Serialize};

use super::compare::{Correction, Edit};
use super::payload::{Fact, Payload, Raw};
use super::rules::TraceRow;
use super::text::Shown;

/// The mode of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Only looks, then hands in a plan.
    Plan,
    /// Calls that need approval ask.
    Default,
    /// Calls run unless a rule rejects them.
    Auto,
}

/// Everything that waits in one conversation: answered together, by one sending.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct SetCard {
    /// Which set: the conversation's own has its id; a question that a server holds open is a set of its own and has the
    /// question's.
    pub id: String,
    /// The conversation.
    pub conversation: String,
    /// Its name.
    pub title: Shown,
    /// Its mode.
    pub mode: Mode,
    /// Whether Auto ends with the run ("until this run ends").
    pub auto_ends: bool,
    /// When Auto ends at the latest, in milliseconds since 1970.
    pub auto_until: Option<i64>,
    /// When the oldest of them asked.
    pub oldest_at: i64,
    /// The requests, in the model's order, and calls that were approved and not run.
    pub rows: Vec<RequestRow>,
    /// Calls of the same response that wait along and need no answer.
    pub held: Vec<HeldRow>,
    /// The time that a staged set leaves by itself, while it runs.
    pub grace: Option<Grace>,
    /// What stands between the set and the agent.
    pub sending: Sending,
    /// Whether a high-risk call is staged as approved, so that the set waits for *Send*.
    pub waits_for_send: bool,
    /// Why the last sending was refused.
    pub refused: Option<SendRefused>,
    /// Until when the person put it aside; none if they didn't.
    pub later: Option<Later>,
}

/// A set that is quiet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Later {
    /// Until when; none: until the person is back.
    pub until: Option<i64>,
}

/// Until when a set is put aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum LaterUntil {
    /// Until a time that is yet to come.
    At {
        /// It, in milliseconds UTC.
        at: i64,
    },
    /// Until the person, who was away, is back.
    Back,
}

/// Where the sending of a set stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Sending {
    /// Nothing is under way.
    Idle,
    /// It is being sent.
    Sending,
    /// It waits for the run to end and can be taken back (D-08).
    Queued,
}

/// A grace period that is running.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Grace {
    /// When the set leaves.
    pub ends_at: i64,
    /// How long it was in all, in milliseconds.
    pub total_ms: i64,
}

/// Why a set wasn't sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct SendRefused {
    /// In words.
    pub text: String,
    /// How many of the staged answers can still be sent.
    pub left: u32,
}

/// A row of the Inbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct RequestRow {
    /// The request, or the call for one that was approved and not run.
    pub id: String,
    /// What it is.
    pub kind: RowKind,
    /// The sub-agents that the call lies in, the outermost first; empty for the conversation's own.
    pub path: Vec<Shown>,
    /// App-built words: "Run a command", "Edit a file", "Call close_ticket", "Plan: 6 steps".
    pub verb: Shown,
    /// Path, command line or id, shortened with chips.
    pub target: Shown,
    /// Which chip of the filter it belongs to.
    pub group: RowGroup,
    /// Whether a red fact is among its facts.
    pub high_risk: bool,
    /// When it asked.
    pub opened_at: i64,
    /// When the person rejected the same call before, in what they last asked for; none if they didn't.
    pub rejected_at: Option<i64>,
    /// What is staged for it.
    pub draft: Option<Draft>,
    /// Whether what is staged was sent and waits for the run to end (D-08). More answers of the set can join it.
    pub queued: bool,
    /// Whether an agent that goes on beside the run asked. Words to the run leave that open (D-80).
    pub beside: bool,
    /// The server that waits for the answer while it executes a call. Then the row is a set of its own (D-86).
    pub held_by: Option<Shown>,
}

/// A sub-agent on the way down to a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct PathAgent {
    /// What it is called.
    pub name: Shown,
    /// Its model.
    pub model: Shown,
    /// What it was started with.
    pub task: Shown,
}

/// What a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum RowKind {
    /// A call that asks.
    Call,
    /// A plan.
    Plan,
    /// A question: something to fill in.
    Question,
    /// A call that was approved and hasn't run (after a crash).
    Approved,
}

/// The filter's groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum RowGroup {
    /// Plans.
    Plans,
    /// Commands.
    Commands,
    /// Files.
    Files,
    /// Everything else.
    Other,
}

/// A call that waits along.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct HeldRow {
    /// App-built words.
    pub verb: Shown,
    /// Path, command line or id.
    pub target: Shown,
    /// What happens to it: "runs after your answer", "rule *x* rejects it", "can't run: …".
    pub then: Shown,
}

/// A staged decision: not sent, can be taken back. Kept in Rust, the same in every window, and after a restart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Draft {
    /// What it says.
    pub decision: Decision,
    /// The digest of what was on screen.
    pub digest: String,
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "say")]
pub enum Decision {
    /// Approve once; for a call that was approved and not run: run it now.
    Approve,
    /// Approve once, with a note for history.
    ApproveWithNote {
        /// The person's words; blank is no note.
        note: String,
        /// Whether the agent is told after the call.
        tell: bool,
    },
    /// Approve for this conversation.
    ApproveForConversation {
        /// How far.
        reach: Reach,
        /// Ticked: any command of a tool that runs commands.
        any_command: bool,
    },
    /// Reject, or send a plan back; for a call that was approved and not run: drop it.
    Reject {
        /// The person's words.
        reason: Option<String>,
    },
    /// Reject, with the arguments that would have been approved as the reason. The agent asks again with them, or doesn't.
    Correct {
        /// What should be otherwise.
        edits: Vec<Edit>,
    },
    /// What was asked for.
    Answer {
        /// A JSON object, one value a filled-in field.
        value: String,
    },
    /// Approve a plan into a mode.
    ApprovePlan {
        /// Default or Auto.
        into: Mode,
        /// "For this plan only": back to Default when the run ends.
        only_this_plan: bool,
        /// When Auto goes back to Default at the latest, in milliseconds since 1970: in a minute at the earliest, in a day at the
        /// latest, both when it is staged and when it is sent.
        #[serde(default)]
        ends_at: Option<i64>,
    },
}

/// How far an approval for the conversation reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// Every later call of the tool.
    Tool,
    /// The same arguments in the same folder.
    Exact,
}

/// The server that a call's tool belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct OfServer {
    /// Its name, as the person gave it; none if it was deleted.
    pub name: Option<String>,
    /// The beginning of what it says of the tool; its own words, empty if they aren't known now.
    pub says: Shown,
    /// What it claims of the tool; its own words, never believed.
    pub claims: Vec<String>,
    /// Whether it asks because the server changed what the person had loosened.
    pub tightened: bool,
    /// Whether the server says something else of the tool since this was asked, so that approving would not run it (D-87).
    pub replaced: bool,
}

/// One request in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[expect(clippy::struct_excessive_bools, reason = "each says of one thing whether it is so")]
pub struct Detail {
    /// The request, or the call for one without a request.
    pub id: String,
    /// The number under which its payload is kept for whoever reads on in it (`payload_part`, `find_in_payload`).
    pub opened: u32,
    /// What it is.
    pub kind: RowKind,
    /// The conversation.
    pub conversation: String,
    /// Its name; none if it was deleted.
    pub title: Option<Shown>,
    /// The sub-agents that the call lies in, the outermost first; empty for the conversation's own. A reason goes to the last.
    pub path: Vec<PathAgent>,
    /// What it was made in.
    pub thread: Thread,
    /// The conversation's mode now.
    pub mode: Mode,
    /// Whether Auto ends with the run.
    pub auto_ends: bool,
    /// When Auto ends at the latest, in milliseconds since 1970.
    pub auto_until: Option<i64>,
    /// App-built words.
    pub verb: Shown,
    /// The tool's name.
    pub tool: Shown,
    /// The model's name.
    pub model: Shown,
    /// The workspace folder, with `~` for the home folder.
    pub folder: Shown,
    /// When it asked.
    pub opened_at: i64,
    /// What would run.
    pub payload: Payload,
    /// The exact stored text.
    pub raw: Raw,
    /// What the app found out about it.
    pub facts: Vec<Fact>,
    /// For a command, what it runs under; none for any other call and for commands from before that was recorded.
    pub confined: Option<Confined>,
    /// What wasn't sent and the tool's schema would fill in (D-76). What runs is what was sent.
    pub defaults: Vec<DefaultValue>,
    /// Whether the tool isn't there any more, so that approving would not run it.
    pub gone: bool,
    /// That the tool can show more than a model where the agent's runs should be sent, in words; none if it can't, or nobody said
    /// where the model runs. Such a tool is offered only where the agent's page says so.
    pub above: Option<String>,
    /// For a tool of a server: the server, and what it says.
    pub server: Option<OfServer>,
    /// How many hidden characters the payload holds.
    pub hidden: u32,
    /// Why it asks.
    pub why: Why,
    /// What the model said in the same response.
    pub agent_says: Option<Shown>,
    /// What "approve for this conversation" can reach; empty where it isn't offered.
    pub reaches: Vec<Reach>,
    /// Whether the reach `Tool` needs its own tick, because the tool runs free-form commands.
    pub any_command_tick: bool,
    /// When the person rejected the same call before, in what they last asked for; none if they didn't.
    pub rejected_at: Option<i64>,
    /// What the person wanted instead of the call before, where this one comes after such a rejection.
    pub correction: Option<Correction>,
    /// For a plan: only read-only tools ran in this run.
    pub only_reads_ran: bool,
    /// The server that waits for the answer while it executes a call, and gets it; the question is in its words (D-86).
    pub held_by: Option<Shown>,
    /// What such a server got, as the JSON text of an object; none while it got nothing.
    pub answer: Option<String>,
    /// Where it stands.
    pub state: DetailState,
}

/// What a command runs under.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Confined {
    /// Whether it is held in at all.
    pub held: bool,
    /// What that means, in app-built words.
    pub text: String,
}

/// An argument that wasn't sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct DefaultValue {
    /// Its name.
    pub name: Shown,
    /// What the schema says that it is then.
    pub value: Shown,
}

/// Where a request stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum DetailState {
    /// It can be answered; the digest belongs to exactly this detail.
    Open {
        /// Goes along with the answer.
        digest: String,
        /// What is staged.
        draft: Option<Draft>,
        /// The file isn't what it was when it asked; approving would not run it.
        changed: bool,
    },
    /// It was approved and hasn't run: run it now, or drop it.
    ApprovedNotRun {
        /// Goes along with *Run it now*.
        digest: String,
        /// When it was approved.
        at: i64,
        /// What is staged.
        draft: Option<Draft>,
    },
    /// It is closed.
    Closed {
        /// When.
        at: i64,
        /// In words: "Expired: the conversation moved on", "Approved by you".
        label: String,
        /// In words, longer: "A new message started the next run at 14:05, so this call was never made."
        text: String,
        /// Whether it expired, so that *Ask again…* is offered.
        expired: bool,
        /// Whether it was started and nobody knows whether it happened, so that the person can tell the agent (D-54).
        in_doubt: bool,
        /// How it ended, if it ran.
        outcome: Option<String>,
        /// Its result, if it has one.
        result: Option<Shown>,
        /// How many bytes it gave in whole, where `result` isn't all of it.
        whole: Option<i64>,
    },
}

/// A part of what a call gave in whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct ResultPart {
    /// Its text.
    pub text: Shown,
    /// Which part, counted from 0.
    pub part: u32,
    /// How many there are.
    pub parts: i64,
}

/// Why a request asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Why {
    /// "12 looked, none decided".
    pub rules: Shown,
    /// "none for this tool".
    pub standing: String,
    /// "Default asks".
    pub mode: String,
    /// What every rule said that was about it, in their order.
    pub trace: Vec<TraceRow>,
}

/// A request that closed lately.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct ClosedRow {
    /// The request.
    pub id: String,
    /// The conversation.
    pub conversation: String,
    /// Its name; none if it was deleted.
    pub title: Option<Shown>,
    /// The sub-agents that the call lay in, the outermost first.
    pub path: Vec<Shown>,
    /// App-built words.
    pub verb: Shown,
    /// Path, command line or id.
    pub target: Shown,
    /// "Approved", "Rejected", "Expired: conversation moved on", "Outcome unknown".
    pub label: String,
    /// How that counts.
    pub was: ClosedAs,
    /// Whether it expired.
    pub expired: bool,
    /// Whether nobody knows what became of its call.
    pub unknown: bool,
    /// When.
    pub at: i64,
}

/// What became of a request, for counting: the label is words, in whatever language is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum ClosedAs {
    /// Approved, in whatever way.
    Approved,
    /// Rejected, or sent back.
    Rejected,
    /// A question that was answered.
    Answered,
    /// A question that was declined.
    Declined,
    /// Nobody answered.
    Expired,
}

/// What a call was made in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Thread {
    /// A conversation.
    Conversation,
    /// A Quick task.
    QuickTask,
}
