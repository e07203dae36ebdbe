//! What can happen to a conversation, and the typed refusals.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::agent::ToolSet;
use crate::answer::{Answer, Misfit};
use crate::change::{Left, Returned};
use crate::conversation::Standing;
use crate::digest::Digest;
use crate::ids::{AgentId, At, CallId, ConversationId, OwnerId, RequestId, RunId, StandingId};
use crate::mode::{AutoEnd, Mode};
use crate::policy::{Denied, Explained, ModeSetting, Ruling};
use crate::request::{ClosedReason, Precondition};
use crate::run::{Caps, Failure};
use crate::spending::Usage;
use crate::tool::Tool;

/// One thing that happens to a conversation. All inputs of a conversation are ordered.
#[derive(Debug, Clone)]
pub enum Input {
    /// A person, or a caller, starts a run.
    Start(RunInput),
    /// The model's reply is complete and its calls were judged.
    ModelReplied {
        /// Of which run.
        run: RunId,
        /// The reply.
        reply: ModelReply,
        /// One for each call, in the same order.
        judged: Vec<Judged>,
    },
    /// The model gave no usable reply; nothing of it is stored.
    ModelFailed {
        /// Of which run.
        run: RunId,
        /// Why.
        failure: Failure,
    },
    /// The guards had their second look at calls that are about to run (D-18).
    CallsJudged {
        /// Of which run.
        run: RunId,
        /// What they said of each.
        verdicts: BTreeMap<CallId, Vec<GuardVerdict>>,
    },
    /// A claimed call is over.
    CallFinished {
        /// Of which run.
        run: RunId,
        /// Which.
        call: CallId,
        /// How.
        outcome: Outcome,
    },
    /// The server of a call that is being executed asks the person something, and waits (D-86). Its answer comes with
    /// [`Input::Start`], like every other.
    Asked {
        /// Of which run of the conversation.
        run: RunId,
        /// The call that is executed.
        call: CallId,
        /// What the question is called; new and random.
        question: RequestId,
        /// What the server says.
        message: String,
        /// The JSON Schema of what is filled in; the shell has checked that it can be asked.
        schema: String,
    },
    /// Nobody waits for the answer to a held question any more (D-75). One that is closed already stays as it is.
    Withdrawn {
        /// Which question.
        question: RequestId,
    },
    /// The person says something to the run that is going on (ST-1).
    Steer {
        /// Their words, not blank.
        text: String,
    },
    /// The answers that were queued start their run (D-08). What they need from the shell comes along as with [`Input::Start`];
    /// answers, text and mode are those that are stored.
    StartQueued(RunInput),
    /// Queued answers become drafts again: the person takes them back, or their run can't start (D-89, D-100).
    ReturnQueued {
        /// Why.
        why: Returned,
    },
    /// The person stops the conversation: its run, or what waits in it (D-88).
    Stop,
    /// A change to a stricter mode; it acts at once (D-82).
    Tighten {
        /// The stricter mode.
        mode: Mode,
    },
    /// Nothing but the time: what ends at a time is looked at, as with any other input (D-82).
    TimePassed,
    /// Calls that were approved and not run are let go (D-53).
    Drop {
        /// Which.
        calls: Vec<CallId>,
    },
    /// A standing approval is taken back.
    Revoke {
        /// Which.
        standing: StandingId,
    },
    /// The person takes a revocation back: the same holds again from now on, under an id of its own.
    Unrevoke {
        /// What it was, as it was stored.
        was: Standing,
        /// The request that it was given on.
        request: RequestId,
    },
    /// Another name.
    Rename {
        /// Not blank.
        title: String,
    },
    /// The conversation goes.
    Delete,
}

/// What a run is started with.
#[derive(Debug, Clone, Default)]
pub struct RunInput {
    /// A new message.
    pub text: Option<String>,
    /// Verdicts on open requests.
    pub answers: Vec<Answer>,
    /// Approved calls that shall run now, with the digest of what was shown (D-53, D-106).
    pub resume: Vec<(CallId, Digest)>,
    /// A mode for the conversation from now on; absent changes nothing (D-25).
    pub mode: Option<Mode>,
    /// When the Auto that this input brings goes back to Default; absent: when somebody changes it.
    pub auto_until: Option<At>,
    /// What the run may use at most; the caller's list can only narrow (N-65).
    pub tools: ToolSet,
    /// Whether the agent's mode can be set at all; filled in by the shell (D-70).
    pub modes: ModeSetting,
    /// What the person was told would expire (D-83). A caller without a list passes none and names nothing.
    pub passes_by: Option<BTreeSet<Loss>>,
    /// What the data of each answer to a question amounts to, checked by the shell against the frozen schema (D-50).
    pub data: BTreeMap<RequestId, DataCheck>,
    /// Why each answered request that isn't open was closed; looked up by the shell.
    pub closed: BTreeMap<RequestId, ClosedReason>,
    /// Round limit of the agent profile, at least 1.
    pub limit: u32,
    /// What the run and everything below it may do together (D-109).
    pub caps: Caps,
    /// Revision of the agent profile.
    pub agent_revision: i64,
    /// The process that will run it (D-90).
    pub owner: Option<OwnerId>,
}

/// Answers that wait for the run to end (D-08). There is at most one such input a conversation; further answers join it (D-100).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Queued {
    /// The verdicts, in the order in which they came.
    pub answers: Vec<Answer>,
    /// What was written beside them.
    pub text: Option<String>,
    /// The mode that came with the last of them that brought one.
    pub mode: Option<Mode>,
    /// The end of the Auto that came so.
    #[serde(default)]
    pub auto_until: Option<At>,
    /// What the person was told would expire; none from a caller without a list (D-83).
    pub passes_by: Option<BTreeSet<Loss>>,
    /// The process that took them; if it dies they are drafts again.
    pub owner: OwnerId,
    /// When the first came.
    pub at: At,
}

/// What a person's data amounts to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DataCheck {
    /// It fits. The tool never executes; this is its result (D-107).
    Result(String),
    /// It fits. The call runs with these arguments: declared keys from the person, all others from the model (N-48).
    Execute(String),
    /// It doesn't fit; one fault a field.
    Invalid(Vec<FieldFault>),
}

/// What is wrong with a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldFault {
    /// The field's key; blank for the whole.
    pub field: String,
    /// What about it.
    pub fault: DataFault,
}

/// In which way what was filled in doesn't fit what was asked (D-50). Whoever shows it says it in the person's language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum DataFault {
    /// The question itself can't be read (any more), so nothing fits it.
    Unreadable,
    /// Answers by their keys were expected.
    NotAnObject,
    /// It must be filled in.
    Missing,
    /// It is none of the choices.
    NotAChoice,
    /// It is of another kind.
    NotA(DataKind),
    /// It is smaller than this.
    Below(String),
    /// It must be larger than this.
    NotAbove(String),
    /// It is larger than this.
    Above(String),
    /// It must be smaller than this.
    NotBelow(String),
    /// It isn't a multiple of this.
    NotAMultiple(String),
    /// It has fewer characters.
    TooShort(u64),
    /// It has more characters.
    TooLong(u64),
    /// It has fewer entries.
    TooFew(u64),
    /// It has more entries.
    TooMany(u64),
    /// An entry is there twice.
    Twice,
    /// It doesn't follow the asker's pattern.
    Pattern(String),
    /// It isn't what a format's name says, such as `email`.
    Format(String),
    /// Nobody asked for it.
    NotAsked,
    /// It doesn't fit in a way that has no name here.
    Other,
}

/// What kind of value was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DataKind {
    /// Text.
    Text,
    /// A number without a fraction.
    Whole,
    /// A number.
    Number,
    /// Yes or no.
    YesNo,
    /// A list.
    List,
    /// Values by their keys.
    Object,
    /// Nothing at all.
    Nothing,
}

/// Something that an input would let go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "id")]
pub enum Loss {
    /// An open request.
    Request(RequestId),
    /// A call that was approved and not run (D-106).
    Call(CallId),
}

/// A complete reply of a model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelReply {
    /// Its words.
    pub text: String,
    /// The turn exactly as received.
    pub raw: Option<String>,
    /// Its calls, in order.
    pub calls: Vec<ProposedCall>,
    /// Tokens and their cost; none where the provider doesn't say them.
    pub usage: Option<Usage>,
}

/// A call as the model wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedCall {
    /// The provider's id.
    pub provider_id: String,
    /// The tool's name.
    pub name: String,
    /// The exact argument text.
    pub arguments: String,
}

/// What the shell found out about a proposed call, outside the mailbox's turn (D-101).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Judged {
    /// Why it can't run at all, in words for the model: unreadable arguments, a path outside, no such text.
    pub fault: Option<String>,
    /// See [`crate::call::Call::exact`].
    pub exact: String,
    /// What is true now (D-85).
    pub preconditions: Vec<Precondition>,
    /// For a tool that needs typed input: the schema of what is asked, usable and not empty (N-44).
    pub schema: Option<String>,
    /// The file's present content, where it is text of bounded size.
    pub before: Option<String>,
    /// How often the person rejected the same call since they last wrote something (D-79).
    pub rejections: usize,
    /// What the guards say, in order of registration.
    pub verdicts: Vec<GuardVerdict>,
}

/// One guard's word on a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardVerdict {
    /// The guard's name.
    pub guard: String,
    /// What it says.
    pub verdict: Verdict,
}

/// What a guard says (RU-2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "says")]
pub enum Verdict {
    /// Let it through, unless another rejects.
    Approve,
    /// Don't run it; holds in every mode (RU-8).
    Reject {
        /// Told to the model.
        reason: String,
    },
    /// Nothing to say.
    Abstain,
    /// It couldn't be evaluated; the call must ask (D-17).
    Failed {
        /// For the person, not the model.
        why: String,
    },
}

/// How a tool call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Which kind of end.
    pub kind: OutcomeKind,
    /// The result for the model.
    pub text: String,
    /// What a write left.
    pub left: Option<Left>,
}

/// Kinds of end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OutcomeKind {
    /// It worked.
    Succeeded,
    /// It ran and failed.
    Failed,
    /// It didn't run, because what was true at ask time no longer held (D-85).
    ChangedSinceAsked,
    /// It was stopped while running (D-91).
    Stopped,
    /// It was started and nobody knows how it ended.
    Unknown,
}

/// What surrounds a conversation at the moment of a step, gathered by the shell.
#[derive(Debug, Clone, Copy)]
pub struct World<'a> {
    /// The tools that the agent profile has right now, after the policy gates; asked again before every claim (D-51).
    pub tools: &'a [Tool],
    /// Whether the profile has guards; without any, nothing waits for them.
    pub guards: Guards,
    /// What the gates say of every tool that there is; for telling why one isn't among `tools`.
    pub gates: &'a [Explained],
    /// The profiles that may run below it: each that is named as a sub-agent at any depth and can be used now.
    pub agents: &'a BTreeMap<AgentId, SubAgent>,
}

/// No sub-agents.
pub static NO_AGENTS: BTreeMap<AgentId, SubAgent> = BTreeMap::new();

/// A profile that may run below another.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SubAgent {
    /// Its tools right now, as in [`World::tools`].
    pub tools: Vec<Tool>,
    /// Whether it has guards.
    pub guards: Guards,
    /// Its own round limit, at least 1 (D-40).
    pub limit: u32,
    /// The revision of its profile.
    pub revision: i64,
    /// What the gates say of each of its tools, as in [`World::gates`].
    pub gates: Vec<Explained>,
}

impl<'a> World<'a> {
    /// The tools of a profile: the conversation's own, or one below it; none if it can't be used any more.
    pub fn tools_of(&self, own: bool, agent: AgentId) -> &'a [Tool] {
        if own { self.tools } else { self.agents.get(&agent).map_or(&[], |one| &one.tools) }
    }

    /// Whether a profile has guards.
    pub fn guards_of(&self, own: bool, agent: AgentId) -> Guards {
        if own { self.guards } else { self.agents.get(&agent).map_or(Guards::None, |one| one.guards) }
    }

    /// Why a profile may not use a tool of this name here; none if no gate stands in its way, or if there is no such tool.
    pub fn denied(&self, own: bool, agent: AgentId, name: &str) -> Option<&'a Denied> {
        let gates = if own { self.gates } else { self.agents.get(&agent).map_or(&[][..], |one| &one.gates) };
        gates.iter().find(|one| one.name == name).and_then(|one| match &one.ruling {
            Ruling::Denied(denied) => Some(denied),
            Ruling::Offered | Ruling::Noted(_) => None,
        })
    }
}

/// Whether an agent profile has guards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Guards {
    /// None.
    #[default]
    None,
    /// At least one.
    Some,
}

/// What a new conversation is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewConversation {
    /// Which.
    pub id: ConversationId,
    /// Whose.
    pub agent: AgentId,
    /// Its name.
    pub title: String,
    /// Its first mode (MO-14).
    pub mode: Mode,
    /// When that goes back to Default, if it is Auto; checked by whoever asks for it ([`crate::mode::check_end`]).
    pub auto_until: Option<At>,
}

/// Why an input changes nothing. Nothing is stored and nothing closes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// At least one answer names a closed request; all of them are listed (CL-8, CL-11).
    #[error("{} of the answers came too late", .0.len())]
    ApprovalClosed(Vec<(RequestId, ClosedReason)>),
    /// An answer doesn't fit its request.
    #[error("{1}")]
    WrongKind(RequestId, Misfit),
    /// Data doesn't fit what was asked; nothing closes and it can be sent again (D-50).
    #[error("what was filled in doesn't fit what was asked")]
    InvalidData(Vec<(RequestId, Vec<FieldFault>)>),
    /// What was displayed isn't what is stored (D-77).
    #[error("what was shown is not what is stored")]
    DigestMismatch(Vec<RequestId>),
    /// A call to be resumed was shown differently (D-77, D-106).
    #[error("what was shown of an approved call is not what is stored")]
    CallDigestMismatch(CallId),
    /// The input would let something go that the person wasn't told about (D-83).
    #[error("{} more would expire", .0.len())]
    WouldPassBy(Vec<Loss>),
    /// The input names a mode, and this agent's mode is no setting (D-70).
    #[error("the mode of this agent's conversations can't be set")]
    ModeNotConfigurable,
    /// The end time that Auto was to have can't be (D-82).
    #[error("{0}")]
    AutoEnd(AutoEnd),
    /// There is nothing to stop.
    #[error("nothing is running or waiting in this conversation")]
    NotRunning,
    /// A run is going on.
    #[error("a run is going on in this conversation")]
    Busy,
    /// The run has more untaken words of the person than it may have (D-109).
    #[error("the run hasn't taken the last {0} words yet")]
    TooMuchSteering(usize),
    /// The input doesn't fit the state; both are named.
    #[error("{input} can't be done: {because}")]
    IllegalInput {
        /// What was tried.
        input: &'static str,
        /// Why it doesn't fit.
        because: &'static str,
    },
}
