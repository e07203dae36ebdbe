//! Requests: the stored questions that a person can answer, and how they close.

use serde::{Deserialize, Serialize};

use crate::answer::Reach;
use crate::confine::Confinement;
use crate::digest::Digest;
use crate::ids::{At, CallId, RequestId, RunId};
use crate::mode::{Mode, Until};

/// A stored question. It stays open until the conversation moves past it; no clock closes it (CL-1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Request {
    /// Random and ours (D-56).
    pub id: RequestId,
    /// The call that waits.
    pub call: CallId,
    /// What is asked.
    pub kind: RequestKind,
    /// What was true when it was asked, checked again right before execution (D-85).
    pub preconditions: Vec<Precondition>,
    /// The digest of everything that a person must have seen to answer (D-77).
    pub digest: Digest,
    /// When it was asked.
    pub opened_at: At,
}

/// The kinds of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestKind {
    /// May this call run?
    Call,
    /// Is this plan accepted? Raised by `exit_plan_mode` (PL-4).
    Plan,
    /// What does the person fill in? Pauses in every mode (D-49, D-69).
    Input,
}

/// Something that was true at ask time (D-85).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Precondition {
    /// The file's content had this SHA-256; none means that there was no file.
    File {
        /// The resolved path, relative to the workspace folder.
        path: String,
        /// SHA-256 in hexadecimal, or none for absent.
        content: Option<String>,
    },
    /// The command runs in this folder.
    Folder {
        /// The resolved, absolute path.
        path: String,
    },
    /// The command sees an environment with this SHA-256 over its names and values (D-73).
    Environment {
        /// In hexadecimal.
        sha256: String,
    },
    /// The command runs under this (D-73).
    Confined {
        /// What it is held to.
        confinement: Confinement,
    },
}

/// How a request was closed, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "how")]
pub enum Closing {
    /// Somebody answered it (CL-2).
    Answered {
        /// What they said.
        verdict: AnsweredAs,
    },
    /// The conversation went on without it (CL-4).
    PassedBy {
        /// What went on.
        by: PassedBy,
    },
}

/// What an answer amounted to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "as")]
pub enum AnsweredAs {
    /// Approved this once.
    Approved,
    /// Approved this once, with the person's note (D-78).
    ApprovedWithNote {
        /// Never blank.
        note: String,
        /// Whether the model was told.
        told: bool,
    },
    /// Approved for the conversation (SA-1).
    ApprovedForConversation {
        /// How far it reaches.
        reach: Reach,
    },
    /// Rejected, with the person's words if there were any.
    Rejected {
        /// Never blank.
        reason: Option<String>,
    },
    /// Data was given. The values are in the call, not here (N-57).
    DataGiven,
    /// The plan was accepted into a mode (PL-6).
    PlanApproved {
        /// Default or Auto.
        into: Mode,
        /// How long Auto holds.
        until: Until,
        /// When it goes back to Default at the latest (D-82).
        #[serde(default)]
        ends_at: Option<At>,
    },
}

/// What a conversation went on with when it passed a request by. Details never change what an answer is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PassedBy {
    /// A further input started the next run.
    NewInput,
    /// The person stopped the conversation (D-88).
    Stopped,
    /// The run replied to what the person said after the question (D-10).
    Steering,
    /// Somebody else's process held it open, and doesn't any more: it took it back, its call ended, or the app did (D-75, D-86).
    Withdrawn,
}

/// How many questions of one call can be open at once (D-86).
pub const MOST_HELD: usize = 4;

/// The longest message of a held question, in bytes (D-86).
pub const MOST_MESSAGE: usize = 8 * 1024;

/// A question that somebody else's process holds open while it executes a call: the one exception to "nothing in memory waits
/// for a person" (D-86). It is answered in place while the run goes on, and withdrawn when its call ends. It is none of
/// [`crate::head::Head::requests`], so that nothing that asks, queues or passes by takes part in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Held {
    /// What is asked, always of the kind `Input` and without preconditions. Its call is executing.
    pub request: Request,
    /// What the server says, at most [`MOST_MESSAGE`] bytes.
    pub message: String,
    /// The JSON Schema of what is filled in, frozen when it was asked.
    pub schema: String,
}

/// What a late answer is told (CL-11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClosedReason {
    /// The first answer counted.
    Answered,
    /// The conversation moved on.
    PassedBy,
    /// Not a request of this conversation (D-62).
    Unknown,
}

/// A request that is not open any more, as far as a late answer needs to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClosedRequest {
    /// Which.
    pub id: RequestId,
    /// Why.
    pub reason: ClosedReason,
    /// The run that closed it, where one did.
    pub by_run: Option<RunId>,
}
