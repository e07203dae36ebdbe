//! A tool call: what the model wrote, kept as the exact text, and where it stands (b.4 of the specification).

use serde::{Deserialize, Serialize};

use crate::ids::{At, CallId, MessageId, RequestId, RunId, StandingId};
use crate::mode::Mode;
use crate::request::Precondition;
use crate::tool::{Effect, Marks, ToolIdentity};

/// A call of a model's response, as stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Call {
    /// Ours and random.
    pub id: CallId,
    /// The assistant message that holds it. All calls of one message are one batch.
    pub message: MessageId,
    /// Its place among the calls of that message, from 0.
    pub position: u32,
    /// The provider's id; results go back under it (D-56).
    pub provider_id: String,
    /// The tool's name as the model wrote it.
    pub tool: String,
    /// Who that is; none if no such tool was offered.
    pub identity: Option<ToolIdentity>,
    /// What the tool does, as declared when the call was made.
    pub effect: Effect,
    /// The tool's marks when the call was made.
    pub marks: Marks,
    /// The exact text that the model sent (AS-3). Nothing is filled in or put in order.
    pub arguments: String,
    /// For typed input: the JSON Schema of what the person fills in, frozen when it was asked (D-49).
    pub schema: Option<String>,
    /// What runs instead, where a person filled in declared keys (N-48); none: the arguments themselves.
    pub executed: Option<String>,
    /// Hash of identity, canonical arguments and folder, for standing approvals of reach `Exact` (D-73, D-104).
    pub exact: String,
    /// What was true when it was proposed (D-85).
    pub preconditions: Vec<Precondition>,
    /// The run that the model proposed it in.
    pub proposed_by: RunId,
    /// The mode that it was judged in. A sub-agent that it starts begins in it (D-110).
    pub mode: Mode,
    /// Where it stands.
    pub state: CallState,
}

/// Where a call stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "state", content = "detail")]
pub enum CallState {
    /// It waits along with a batch that asks; its own verdict is kept (D-21).
    Held(Kept),
    /// It waits for a person.
    Waiting(RequestId),
    /// It may run and hasn't begun.
    Approved(Warrant),
    /// It was claimed; from here on it is never started again.
    Started {
        /// Why it runs.
        warrant: Warrant,
        /// The run that executes it.
        run: RunId,
        /// When it was claimed.
        at: At,
    },
    /// It started a sub-agent that waits for a person (D-81). Going on is a return, not a second start.
    Suspended {
        /// Why it ran.
        warrant: Warrant,
    },
    /// It is over.
    Settled(Settled),
}

/// The verdict that a held call keeps until its batch is resumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kept")]
pub enum Kept {
    /// It runs then.
    Run {
        /// Why.
        warrant: Warrant,
    },
    /// It is rejected then.
    Reject {
        /// The rules that reject it, in order of registration.
        by: Vec<String>,
        /// Their reasons, one a line.
        reason: String,
    },
    /// It can't run; the model is told then (E-05).
    Fault {
        /// What the model is told.
        text: String,
    },
}

/// Why a call runs: stored with every started call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "warrant")]
pub enum Warrant {
    /// Its tool needs no approval.
    NotNeeded,
    /// A rule approved it.
    Rule {
        /// Which.
        name: String,
    },
    /// A standing approval covers it.
    Standing {
        /// Which.
        id: StandingId,
    },
    /// The conversation was in Auto.
    Auto,
    /// A person approved it.
    Answer {
        /// Which request they answered.
        request: RequestId,
    },
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "settled")]
pub enum Settled {
    /// It ran and gave a result.
    Succeeded,
    /// It ran and failed, or was only reading when the process died (D-54).
    Errored,
    /// It was never a call that could run: unknown tool, unreadable arguments, not offered.
    Fault,
    /// A person rejected it.
    RejectedByPerson {
        /// Their words.
        reason: Option<String>,
    },
    /// Rules rejected it.
    RejectedByRule {
        /// Which.
        by: Vec<String>,
        /// What the model was told.
        reason: String,
    },
    /// It had been approved, but may not run any more (D-51).
    NoLongerPermitted,
    /// What was true at ask time no longer held (D-85).
    ChangedSinceAsked,
    /// The model doesn't see it (CL-5).
    Dropped {
        /// Why.
        why: Dropped,
    },
    /// It was started and the process died: it may or may not have happened (D-54).
    OutcomeUnknown,
    /// Stopped while it ran, by the person or because they moved on; the effect may have happened (D-81, D-91).
    Stopped,
    /// A person's data is its result; nothing ran (D-107).
    DataGiven,
    /// The plan was accepted; nothing ran (D-107).
    PlanAccepted,
}

/// Why a call was dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dropped {
    /// The conversation moved on (CL-4).
    PassedBy,
    /// The person stopped the conversation (D-88).
    Stopped,
    /// It was approved but never run, and the person let it go (D-53).
    NeverRun,
    /// Its batch would have asked where nobody could be asked (D-47).
    NobodyToAsk,
    /// It hadn't ended where its conversation was forked: it goes on there, and the fork never makes it (D-59).
    LeftInSource,
}

impl Call {
    /// The exact argument text that runs.
    pub fn to_execute(&self) -> &str {
        self.executed.as_deref().unwrap_or(&self.arguments)
    }

    /// Why it runs, while it is executing or waits for the sub-agent that it started.
    pub(crate) fn claimed_by(&self) -> Option<&Warrant> {
        match &self.state {
            CallState::Started { warrant, .. } | CallState::Suspended { warrant } => Some(warrant),
            CallState::Held(_) | CallState::Waiting(_) | CallState::Approved(_) | CallState::Settled(_) => None,
        }
    }

    /// Whether it may run beside its neighbours (D-84): it only reads, or its tool was declared parallel-safe.
    pub fn is_parallel_safe(&self) -> bool {
        self.effect == Effect::Read || self.marks.has(crate::tool::Mark::ParallelSafe)
    }
}

impl Settled {
    /// Whether the model is sent the call. Dropped calls were never made (CL-5).
    pub fn is_seen_by_model(&self) -> bool {
        !matches!(self, Self::Dropped { .. })
    }
}
