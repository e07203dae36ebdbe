//! A run: one call of the agent on an input (b.2 of the specification).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ids::{AgentId, At, CallId, MessageId, OwnerId, RunId};
use crate::mode::Mode;

/// A run that hasn't ended: the conversation's own, or one of a sub-agent below it (D-93).
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
    /// How much it and everything below it may do together (D-109). Set for the conversation's own run.
    pub caps: Caps,
    /// How often it and everything below it called a model (D-109). Counted for the conversation's own run only.
    pub model_calls: u32,
    /// How many sub-agents started below it (D-109). Counted for the conversation's own run only.
    pub agents_started: u32,
    /// For a sub-agent's run: where it belongs. None for the conversation's own.
    pub child: Option<Child>,
    /// When it started.
    pub started_at: At,
}

/// How much a run and everything below it may do together (D-109). A profile can set less than the default, never more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caps {
    /// Model calls, 1 to 200.
    pub model_calls: u32,
    /// Sub-agents that start, 0 to 50.
    pub agents: u32,
    /// Background agents at work at once, 0 to 8.
    pub beside: u32,
}

impl Default for Caps {
    fn default() -> Self {
        Self { model_calls: 200, agents: 50, beside: 8 }
    }
}

impl Caps {
    /// What a profile says, within what there may be.
    #[must_use]
    pub fn clamped(self) -> Self {
        let most = Self::default();
        Self {
            model_calls: self.model_calls.clamp(1, most.model_calls),
            agents: self.agents.min(most.agents),
            beside: self.beside.min(most.beside),
        }
    }
}

/// Where a sub-agent's run belongs. It is one row from its start to its end, however many runs of the conversation it is
/// resumed in (D-93).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Child {
    /// The call that started it.
    pub call: CallId,
    /// The sub-agent's run whose model made that call; none if it was the conversation's own.
    pub parent: Option<RunId>,
    /// Whose run it is.
    pub agent: AgentId,
    /// What it is called: the tool's name, and a number for one that goes on beside the run.
    pub name: String,
    /// Whether the caller waits for it.
    pub goes: Goes,
    /// What it executed, everything below it counted.
    pub ran: Ran,
}

/// Whether a sub-agent's caller waits for its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goes {
    /// The answer is the call's result.
    InLine,
    /// It is a background agent: it goes on beside the run, and its answer comes in as a message (D-99).
    Beside,
}

/// What a sub-agent executed, so that stopping it can say so (D-81, D-95).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Ran {
    /// How many calls by the tool's name.
    pub calls: BTreeMap<String, u32>,
    /// Of how many of them nobody knows the outcome.
    pub unknown: u32,
}

impl Ran {
    /// Adds what another executed.
    pub fn add(&mut self, other: &Self) {
        for (tool, count) in &other.calls {
            let calls = self.calls.entry(tool.clone()).or_default();
            *calls = calls.saturating_add(*count);
        }
        self.unknown = self.unknown.saturating_add(other.unknown);
    }
}

/// Something said to a run, by the person or by a background agent. Stored until the run takes it (D-89, D-99).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Steering {
    /// Which; the message that it becomes has the same id.
    pub id: MessageId,
    /// The words.
    pub text: String,
    /// Who said it.
    pub from: Said,
    /// When it came.
    pub at: At,
}

/// Who said something to a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum Said {
    /// The person. What a run doesn't take of it is their draft again.
    Person,
    /// A background agent. It is input of the next run if this one doesn't take it (D-41).
    Agent {
        /// What it is called.
        name: String,
    },
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
    /// It asked, and ends once the background agents beside it have finished or wait themselves (BG-2, D-80).
    Asked,
    /// Its model has nothing more to say; it ends once the background agents beside it have finished or wait themselves (D-99).
    Background,
    /// A sub-agent waits for a person: in it or below it something asks. Nobody owns it meanwhile (D-93).
    Suspended,
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
    /// A Quick task came to a call that would have had to ask, and there is nobody to ask. Nothing of that batch ran; what
    /// ran before stands (D-47, D-63).
    WouldAsk {
        /// The tool of the first call that would have asked.
        tool: String,
        /// How many rounds ran before.
        rounds: u32,
    },
    /// The person stopped it.
    Cancelled,
    /// The process died (TX-RECOVER).
    Interrupted,
    /// A fork's copy of a run ends where the conversation was forked; what came after is the source's alone (D-59).
    Forked,
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
