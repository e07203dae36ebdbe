//! The window: its first picture, what changes afterwards, settings, and errors.

use serde::{Deserialize, Serialize};

use super::agent::Agent;
use super::conversation::{ConversationRow, Entry};
use super::desktop::Leaving;
use super::inbox::{ClosedRow, SetCard};
use super::settings::Settings;
use crate::words::Spoken;

/// Which of the two rooms a command means: the person's own, or the Rehearsal with its own database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Space {
    /// The person's own.
    Main,
    /// The Rehearsal.
    Rehearsal,
}

/// Everything that a window needs to start, at one moment of the feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Snapshot {
    /// Events with a `seq` not above this one are already in it.
    pub seq: i64,
    /// Which space it is of.
    pub space: Space,
    /// What waits.
    pub sets: Vec<SetCard>,
    /// What closed lately, newest first, at most 20.
    pub closed: Vec<ClosedRow>,
    /// Conversations.
    pub conversations: Vec<ConversationRow>,
    /// Agents.
    pub agents: Vec<Agent>,
    /// Settings.
    pub settings: Settings,
    /// Whether this is the first start: nothing was set up and the first-run screen wasn't left.
    pub first_run: bool,
    /// The Rehearsal, if it is going on.
    pub rehearsal: Option<RehearsalState>,
    /// Whether a Rehearsal is stored (so that it can be removed).
    pub rehearsal_stored: bool,
    /// Whether notifications work, in words for a strip if they don't.
    pub notices: Option<String>,
    /// The version of the app.
    pub version: String,
    /// Where the data is.
    pub data_folder: String,
    /// The system, for showing keys: `linux`, `macos`, `windows`.
    pub system: String,
    /// What the system speaks, as far as the app speaks it: what the language *System* means.
    pub system_speaks: Spoken,
}

/// The state of the Rehearsal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct RehearsalState {
    /// The conversation in which it plays.
    pub conversation: String,
    /// The step that waits for the person, from 1; `steps + 1` when it is over.
    pub step: u32,
    /// How many there are.
    pub steps: u32,
    /// One sentence: what to do now; names the key.
    pub text: String,
}

/// One thing that changed. A window applies events in order of `seq`; after a gap it takes a snapshot again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct FeedEvent {
    /// Its place. Streamed text has none (0): it is shown only and replaced by the committed entry.
    pub seq: i64,
    /// Of which space.
    pub space: Space,
    /// What.
    pub what: FeedWhat,
}

/// What changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "f")]
pub enum FeedWhat {
    /// What waits in a conversation; none if nothing does.
    Set {
        /// Which set ([`SetCard::id`]).
        id: String,
        /// What waits; none if nothing of it does any more.
        set: Option<Box<SetCard>>,
    },
    /// Requests closed; newest first.
    Closed {
        /// Which.
        rows: Vec<ClosedRow>,
    },
    /// A conversation's row.
    Conversation {
        /// The row.
        row: Box<ConversationRow>,
    },
    /// A conversation is gone.
    ConversationGone {
        /// Which.
        conversation: String,
    },
    /// Entries came or changed.
    Entries {
        /// In which conversation.
        conversation: String,
        /// The entries.
        entries: Vec<Entry>,
    },
    /// The model is writing. Replaced by the committed entry, or dropped when the run ends.
    Delta {
        /// In which conversation.
        conversation: String,
        /// The text so far, displayed plain.
        text: String,
    },
    /// The kept text of a conversation's composer changed: what a run that ended hadn't taken came back.
    Typed {
        /// Of which conversation.
        conversation: String,
        /// All of the kept text.
        text: String,
    },
    /// A Quick task went on. What it is now is loaded by whoever shows it.
    Quick {
        /// Which.
        task: String,
    },
    /// History grew.
    History,
    /// Agents changed.
    Agents {
        /// All of them.
        agents: Vec<Agent>,
    },
    /// Tool servers changed: their settings, how they stand, or their tools. What they are now is loaded by whoever shows it.
    Servers,
    /// Rules changed, or one ended. What they are now is loaded by whoever shows them.
    Rules,
    /// Settings changed.
    Settings {
        /// All of them.
        settings: Settings,
    },
    /// The Rehearsal went on, or ended (none).
    Rehearsal {
        /// Its state.
        state: Option<RehearsalState>,
    },
    /// The person pressed a notification, or something else asks to show a request or the Inbox.
    Show {
        /// The request; none for the Inbox itself.
        request: Option<String>,
    },
    /// The window or the app is about to go, and the person is asked first; none when that is answered.
    Leaving {
        /// What is asked.
        ask: Option<Leaving>,
    },
    /// Something is wrong with the whole app, or not any more (none).
    Trouble {
        /// In words.
        text: Option<String>,
    },
}

/// Why a command did nothing. A code exists where the window does something about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "code")]
pub enum ApiError {
    /// Answers came too late; nothing was sent.
    ApprovalClosed {
        /// In words.
        message: String,
        /// Each closed one, with what the person is told.
        closed: Vec<ClosedAnswer>,
    },
    /// More would expire than the person was told; nothing was sent.
    WouldPassBy {
        /// In words.
        message: String,
        /// Ids of the rows.
        ids: Vec<String>,
    },
    /// What was shown isn't what is stored; load it again. Nothing was sent.
    DigestMismatch {
        /// In words.
        message: String,
        /// Ids of the rows.
        ids: Vec<String>,
    },
    /// What was filled in doesn't fit; nothing was sent and nothing closed.
    InvalidAnswer {
        /// In words.
        message: String,
        /// What is wrong, field by field.
        faults: Vec<AnswerFault>,
    },
    /// A run is going on; the text is kept.
    Busy {
        /// In words.
        message: String,
    },
    /// The run had ended before it could take the words; they stay in the composer.
    NotRunning {
        /// In words.
        message: String,
    },
    /// There is no such thing (any more).
    NotFound {
        /// In words.
        message: String,
    },
    /// A field of a form isn't right.
    Invalid {
        /// In words.
        message: String,
        /// Which field.
        field: String,
    },
    /// Not allowed in this state.
    Refused {
        /// In words.
        message: String,
    },
    /// The disk is full: decisions are off until there is room.
    DiskFull {
        /// In words.
        message: String,
    },
    /// Something broke.
    Broken {
        /// In words.
        message: String,
    },
}

/// What is wrong with a field of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct AnswerFault {
    /// The field's key; blank for the whole.
    pub field: String,
    /// In words.
    pub text: super::text::Shown,
}

/// An answer that came too late.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct ClosedAnswer {
    /// The request.
    pub request: String,
    /// In words: "Already answered", "Expired: conversation moved on", "Expired: no longer known".
    pub label: String,
}
