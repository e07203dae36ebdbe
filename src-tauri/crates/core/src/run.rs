//! A run: one call of the agent on an input (b.2 of the specification).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ids::{At, MessageId, OwnerId, RunId};
use crate::mode::Mode;

/// A run that hasn't ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Run {
    /// Which.
    pub id: RunId,
    /// What it is doing.
    pub phase: Phase,
    /// Batches decided in this run that executed (D-42).
    pub rounds: u32,
    /// How many there may be, at least 1 (IT-1).
    pub limit: u32,
    /// The mode that it started in.
    pub mode_start: Mode,
    /// The process that runs it. While that lives nobody else settles the run or carries it on (D-90).
    pub owner: OwnerId,
    /// The revision of the agent profile that it runs with.
    pub agent_revision: i64,
    /// What the run's own edits left in files: path to content hash, so that a later edit of the same batch isn't
    /// taken for somebody else's change (D-98).
    pub left: BTreeMap<String, String>,
    /// When it started.
    pub started_at: At,
}

/// A person's word to a run that is going on. Stored until the run takes it (D-89).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Steering {
    /// Which; the message that it becomes has the same id.
    pub id: MessageId,
    /// Their words.
    pub text: String,
    /// When it came.
    pub at: At,
}

/// What a run is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Executing what a person approved, before the model is called (RT-6).
    Resolving,
    /// Waiting for the model.
    Model,
    /// Waiting for the model's last word, for which it is offered no tools (E-37).
    LastWord,
    /// Executing a batch that was decided in this run.
    Tools,
    /// The person stopped it; what had started is settling and nothing further starts (N-80).
    Stopping,
}

/// Why a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "end")]
pub enum RunEnd {
    /// The model gave its answer.
    Completed,
    /// Something waits for a person (AS-1).
    Asked,
    /// The round limit was reached (N-68).
    Limit,
    /// The model couldn't be used; results that it had are kept (D-55).
    Failed {
        /// What went wrong, for the person.
        failure: Failure,
    },
    /// The person stopped it.
    Cancelled,
    /// The process died (TX-RECOVER).
    Interrupted,
}

/// Why a model call failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What kind, so that the surface can offer the right way on.
    pub kind: FailureKind,
    /// One sentence, without secrets.
    pub text: String,
}

/// Kinds of failure that a person does different things about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// Nothing answers at the address.
    Unreachable,
    /// The key was refused.
    Unauthorized,
    /// The endpoint doesn't know the model.
    UnknownModel,
    /// The endpoint said no for another reason.
    Refused,
    /// The stream broke off; nothing of the reply was kept (D-71).
    Cut,
    /// Nothing came for too long.
    TimedOut,
    /// The workspace folder isn't there, or may not be used.
    Folder,
    /// The agent profile can't be used.
    Agent,
}
