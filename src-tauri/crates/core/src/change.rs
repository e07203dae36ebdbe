//! The one vocabulary of change: what the core says becomes true. The store applies it, the journal records it, the
//! feed shows it. And the acts that the shell carries out once that is stored.

use serde::{Deserialize, Serialize};

use crate::call::{Call, Settled, Warrant};
use crate::conversation::{Conversation, Standing};
use crate::fork::PastRun;
use crate::head::Thread;
use crate::ids::{At, CallId, MessageId, RequestId, RunId, StandingId};
use crate::input::{GuardVerdict, Queued};
use crate::mode::Mode;
use crate::request::{Closing, Held, Request};
use crate::run::{Phase, Ran, Run, RunEnd, Steering};
use crate::spending::Usage;

/// Something that becomes true. Applied in order, in one transaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum Change {
    /// A conversation begins.
    ConversationCreated(Conversation),
    /// It got another name.
    ConversationRenamed {
        /// The new one.
        title: String,
    },
    /// It and everything in it that waits is gone; answers to it are told Unknown (D-59). History keeps its decisions.
    ConversationDeleted,
    /// The mode changed (MO-8).
    ModeSet {
        /// The new mode.
        mode: Mode,
        /// The first run of an Auto that ends by itself (D-74).
        auto_chain: Option<RunId>,
        /// When Auto goes back to Default by itself (D-82).
        auto_until: Option<At>,
    },
    /// A run started.
    RunStarted(Run),
    /// A run goes on to something else.
    RunPhase {
        /// Which.
        run: RunId,
        /// What it does now.
        phase: Phase,
        /// Rounds so far.
        rounds: u32,
    },
    /// A run is over; it never changes again.
    RunEnded {
        /// Which.
        run: RunId,
        /// Why.
        end: RunEnd,
        /// When.
        at: At,
    },
    /// A sub-agent executed something.
    AgentRan {
        /// Its run.
        run: RunId,
        /// Everything that it executed so far.
        ran: Ran,
    },
    /// A word to the run waits to be taken (D-89, D-99).
    SteeringQueued(Steering),
    /// The run took what was said to it: each becomes a message with its id (TX-STEER).
    SteeringTaken {
        /// Which, in order.
        taken: Vec<MessageId>,
    },
    /// The run ended before it took them: they are the person's draft again (D-89).
    SteeringReturned {
        /// Which, in order.
        returned: Vec<MessageId>,
    },
    /// Answers wait for the run to end; together with those that waited before, if there were any (D-100).
    AnswersQueued(Queued),
    /// The queued answers start a run.
    AnswersTaken,
    /// The queued answers are drafts again (D-89, D-100).
    AnswersReturned {
        /// Why.
        why: Returned,
    },
    /// A run of another conversation is part of this fork (D-59). It used up nothing here.
    RunCopied {
        /// As it is here: it has ended.
        run: PastRun,
        /// The run that it is a copy of.
        of: RunId,
    },
    /// A message of another conversation is part of this fork (D-59).
    MessageCopied {
        /// As it is here.
        message: Message,
        /// The message that it is a copy of.
        of: MessageId,
    },
    /// A call of another conversation is part of this fork (D-59). It is over, and no decision of its own in history.
    CallCopied {
        /// As it is here.
        call: Call,
        /// The result that the model is given; none for a dropped call.
        result: Option<String>,
        /// The call that it is a copy of. Who decided, and when it was made and ran, is known from there.
        of: CallId,
    },
    /// A message joins the conversation. Messages are never rewritten.
    MessageAdded(Message),
    /// The model made a call; `call.state` says where it stands at once.
    CallProposed {
        /// The call.
        call: Call,
        /// The result that the model is given, where the call is settled at once.
        result: Option<String>,
        /// What the guards said, in order of registration.
        verdicts: Vec<GuardVerdict>,
        /// When.
        at: At,
    },
    /// A call may run now.
    CallApproved {
        /// Which.
        call: CallId,
        /// Why.
        warrant: Warrant,
    },
    /// A person filled in what was asked: the call runs with these arguments (N-48).
    CallFilledIn {
        /// Which.
        call: CallId,
        /// The argument text that runs.
        executed: String,
    },
    /// A call that was approved is held again (D-97).
    CallHeld {
        /// Which.
        call: CallId,
        /// The verdict that it keeps.
        kept: crate::call::Kept,
    },
    /// A call that was approved asks again (D-97); the request follows.
    CallWaits {
        /// Which.
        call: CallId,
        /// For what.
        request: RequestId,
    },
    /// A call is claimed: it begins after this is stored, and never again.
    CallStarted {
        /// Which.
        call: CallId,
        /// The run that executes it.
        run: RunId,
        /// Why.
        warrant: Warrant,
        /// When.
        at: At,
    },
    /// A call started a sub-agent that waits for a person now (D-81).
    CallSuspended {
        /// Which.
        call: CallId,
        /// Why it ran.
        warrant: Warrant,
    },
    /// The sub-agent of a suspended call goes on (D-81).
    CallResumed {
        /// Which.
        call: CallId,
        /// The conversation's run that goes on with it.
        run: RunId,
        /// Why it ran.
        warrant: Warrant,
        /// When.
        at: At,
    },
    /// A call is over.
    CallSettled {
        /// Which.
        call: CallId,
        /// How.
        settled: Settled,
        /// What the model is given; none for a dropped call.
        result: Option<String>,
        /// What its own write left in a file (D-98).
        left: Option<Left>,
        /// When.
        at: At,
    },
    /// A question is open.
    RequestOpened {
        /// The question.
        request: Request,
        /// The content that the file had, for showing the difference; only text of bounded size.
        before: Option<String>,
    },
    /// A question is closed; it never opens again.
    RequestClosed {
        /// Which.
        request: RequestId,
        /// How.
        closing: Closing,
        /// The run that closed it, where one did.
        by_run: Option<RunId>,
        /// When.
        at: At,
    },
    /// A server asks while it executes a call, and waits (D-86).
    QuestionHeld(Held),
    /// Such a question is closed: answered in place, or withdrawn. It never opens again.
    QuestionClosed {
        /// Which.
        question: RequestId,
        /// The call that is executed meanwhile.
        call: CallId,
        /// How; passed by only as withdrawn.
        closing: Closing,
        /// What was filled in, as the JSON text that the server gets; none if it gets none.
        answer: Option<String>,
        /// When.
        at: At,
    },
    /// Later calls may run (SA-1).
    StandingGranted {
        /// The approval.
        standing: Standing,
        /// The request that it was given on.
        request: RequestId,
    },
    /// A standing approval let a call run; counted in the claim (D-104).
    StandingUsed {
        /// Which.
        standing: StandingId,
        /// When.
        at: At,
    },
    /// Later calls ask again.
    StandingRevoked {
        /// Which.
        standing: StandingId,
        /// When.
        at: At,
    },
}

/// Why queued answers are drafts again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "because")]
pub enum Returned {
    /// The person took them back.
    TakenBack,
    /// The process died before the run ended; nothing is sent by itself (D-89).
    Restart,
    /// They were refused when their run was to start.
    Refused {
        /// In words.
        why: String,
    },
}

/// What a write left in a file (D-98).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Left {
    /// Resolved path, relative to the workspace folder.
    pub path: String,
    /// SHA-256 of the content, in hexadecimal.
    pub content: String,
}

/// A stored message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Message {
    /// Which.
    pub id: MessageId,
    /// Its place in the conversation.
    pub seq: i64,
    /// The run that it belongs to.
    pub run: RunId,
    /// The sub-agent's run whose messages it is one of; none for the conversation's own.
    pub thread: Thread,
    /// What it is.
    pub body: MessageBody,
    /// When.
    pub at: At,
}

/// What a message is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum MessageBody {
    /// A person wrote it.
    User {
        /// Their words.
        text: String,
    },
    /// A background agent has something to say (D-99).
    Agent {
        /// What it is called.
        name: String,
        /// What it says; a model wrote it.
        text: String,
    },
    /// The model replied. Its calls are stored beside it.
    Assistant {
        /// Its words.
        text: String,
        /// The assistant's turn exactly as the provider sent it, for replaying it byte for byte.
        raw: Option<String>,
        /// Tokens and their cost, where the provider says them.
        usage: Option<Usage>,
    },
}

/// What the shell carries out after the changes are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Call the model with the thread as it now stands.
    CallModel {
        /// For which run, the conversation's or a sub-agent's.
        run: RunId,
        /// Offered tools: all of the mode's, or none for the last word.
        tools: OfferedTools,
    },
    /// Let the guards look again at calls that a person, or a verdict that was kept, let run (D-18).
    JudgeCalls {
        /// For which run, the conversation's or a sub-agent's.
        run: RunId,
        /// Which.
        calls: Vec<CallId>,
    },
    /// Execute a claimed call.
    RunCall {
        /// For which run of the conversation.
        run: RunId,
        /// Which.
        call: CallId,
        /// A content hash that is accepted beside the one of ask time: what this batch's own edit left (D-98).
        also: Option<Left>,
    },
    /// Stop the model call that is under way.
    CancelModel {
        /// Of which run.
        run: RunId,
    },
    /// Stop the calls that are running; each still reports how it ended.
    CancelCalls {
        /// Of which run.
        run: RunId,
    },
    /// The run has ended: the queued answers start the next one (D-08).
    StartQueued,
    /// Something waits for a person now.
    Notice,
}

/// Which tools a model call is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OfferedTools {
    /// Those of the conversation's mode ([`crate::offer::offer`]).
    OfMode,
    /// None: the model is asked for its last word (E-37).
    None,
}

impl Change {
    /// A short name for the journal.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::ConversationCreated(_) => "conversation_created",
            Self::ConversationRenamed { .. } => "conversation_renamed",
            Self::ConversationDeleted => "conversation_deleted",
            Self::ModeSet { .. } => "mode_set",
            Self::RunStarted(_) => "run_started",
            Self::RunPhase { .. } => "run_phase",
            Self::RunEnded { .. } => "run_ended",
            Self::AgentRan { .. } => "agent_ran",
            Self::SteeringQueued(_) => "steering_queued",
            Self::SteeringTaken { .. } => "steering_taken",
            Self::SteeringReturned { .. } => "steering_returned",
            Self::AnswersQueued(_) => "answers_queued",
            Self::AnswersTaken => "answers_taken",
            Self::AnswersReturned { .. } => "answers_returned",
            Self::RunCopied { .. } => "run_copied",
            Self::MessageCopied { .. } => "message_copied",
            Self::CallCopied { .. } => "call_copied",
            Self::MessageAdded(_) => "message_added",
            Self::CallProposed { .. } => "call_proposed",
            Self::CallApproved { .. } => "call_approved",
            Self::CallFilledIn { .. } => "call_filled_in",
            Self::CallHeld { .. } => "call_held",
            Self::CallWaits { .. } => "call_waits",
            Self::CallStarted { .. } => "call_started",
            Self::CallSuspended { .. } => "call_suspended",
            Self::CallResumed { .. } => "call_resumed",
            Self::CallSettled { .. } => "call_settled",
            Self::RequestOpened { .. } => "request_opened",
            Self::RequestClosed { .. } => "request_closed",
            Self::QuestionHeld(_) => "question_held",
            Self::QuestionClosed { .. } => "question_closed",
            Self::StandingGranted { .. } => "standing_granted",
            Self::StandingUsed { .. } => "standing_used",
            Self::StandingRevoked { .. } => "standing_revoked",
        }
    }

    /// The id of what changed, for the journal: the call of a call change, the request of a request change.
    pub fn subject(&self) -> Option<[u8; 16]> {
        match self {
            Self::ConversationCreated(conversation) => Some(conversation.id.0),
            Self::ConversationRenamed { .. }
            | Self::ConversationDeleted
            | Self::ModeSet { .. }
            | Self::SteeringTaken { .. }
            | Self::SteeringReturned { .. }
            | Self::AnswersQueued(_)
            | Self::AnswersTaken
            | Self::AnswersReturned { .. } => None,
            Self::RunStarted(run) => Some(run.id.0),
            Self::RunPhase { run, .. } | Self::AgentRan { run, .. } | Self::RunEnded { run, .. } => Some(run.0),
            Self::SteeringQueued(steering) => Some(steering.id.0),
            Self::RunCopied { run, .. } => Some(run.id.0),
            Self::MessageAdded(message) | Self::MessageCopied { message, .. } => Some(message.id.0),
            Self::CallProposed { call, .. } | Self::CallCopied { call, .. } => Some(call.id.0),
            Self::CallApproved { call, .. }
            | Self::CallFilledIn { call, .. }
            | Self::CallHeld { call, .. }
            | Self::CallWaits { call, .. }
            | Self::CallStarted { call, .. }
            | Self::CallSuspended { call, .. }
            | Self::CallResumed { call, .. }
            | Self::CallSettled { call, .. } => Some(call.0),
            Self::RequestOpened { request, .. } => Some(request.id.0),
            Self::RequestClosed { request, .. } => Some(request.0),
            Self::QuestionHeld(held) => Some(held.request.id.0),
            Self::QuestionClosed { question, .. } => Some(question.0),
            Self::StandingGranted { standing, .. } => Some(standing.id.0),
            Self::StandingUsed { standing, .. } | Self::StandingRevoked { standing, .. } => Some(standing.0),
        }
    }
}
