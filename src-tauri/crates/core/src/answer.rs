//! Answers, and the check that admits all of an input's answers or none (CL-12).

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::faults::{self, Fault};
use crate::head::Head;
use crate::ids::{At, RequestId};
use crate::input::{DataCheck, Refusal};
use crate::mode::{Mode, Until};
use crate::request::{ClosedReason, Request, RequestKind};
use crate::tool::Mark;

/// A person's verdict on a request. It names the request and what was on screen; it cannot carry a call (MA-3).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Which request. The link is this id and nothing else (MA-1).
    pub request: RequestId,
    /// The digest of what was displayed (D-77).
    pub digest: Digest,
    /// What they said.
    pub body: AnswerBody,
}

/// What a person says to a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "say")]
pub enum AnswerBody {
    /// Run the stored call once (RT-9). For a plan: into Default (D-27).
    Approve,
    /// Run the stored call once, with a note for history (D-78). It never changes the call; blank is no note.
    ApproveWithNote {
        /// The person's words.
        note: String,
        /// Whether the model is told them after the call's result.
        tell: bool,
    },
    /// Run it, and let later calls of the tool in this conversation run too (SA-1, SA-2).
    ApproveForConversation {
        /// How far that reaches (D-73).
        reach: Reach,
        /// Said explicitly: any command of a tool that runs free-form commands (D-73).
        any_command: AnyCommand,
    },
    /// Don't run it. The model is told, and the reason with it (AN-4, AN-5).
    Reject {
        /// The person's words; blank counts as none (E-13).
        reason: Option<String>,
    },
    /// The data that was asked for, as a JSON object. What it amounts to was checked by the shell
    /// ([`crate::input::RunInput::data`]).
    Data {
        /// The JSON text, as the form made it.
        value: String,
    },
    /// Accept the plan (PL-6).
    ApprovePlan {
        /// Default or Auto; Plan is no target (D-26).
        into: Mode,
        /// How long Auto holds (D-74).
        until: Until,
        /// When it goes back to Default at the latest (D-82).
        #[serde(default)]
        ends_at: Option<At>,
    },
}

/// How far a standing approval reaches (D-73).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// Every later call of the tool, any arguments.
    Tool,
    /// Later calls with the same arguments in the same folder.
    Exact,
}

/// Whether the person said explicitly that a free-form command tool may run any command (D-73).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnyCommand {
    /// They ticked it.
    Confirmed,
    /// They didn't; the reach `Tool` is refused for such a tool.
    NotAsked,
}

/// An answer whose kind or data doesn't fit its request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// D-29.
    #[error("only a question can be answered with data")]
    NotAQuestion,
    /// N-54.
    #[error("this needs to be filled in, not approved")]
    NeedsData,
    /// D-28.
    #[error("a plan can't be approved for the whole conversation")]
    PlanForConversation,
    /// D-78: a note goes with a call.
    #[error("a note can go with a call that is approved, not with a plan")]
    NoteOnPlan,
    /// D-29.
    #[error("only a plan can be approved into a mode")]
    NotAPlan,
    /// D-26.
    #[error("a plan is approved into Default or Auto, not into Plan")]
    PlanIntoPlan,
    /// D-73.
    #[error("approving any command of this tool needs its own confirmation")]
    AnyCommandNotConfirmed,
}

/// The answers of one input, checked as a whole. Only [`admit`] builds it, so whoever holds one knows that every
/// answer in it names an open request, fits it, and carries the digest of what is stored.
#[derive(Debug)]
pub struct Admitted {
    answers: BTreeMap<RequestId, AnswerBody>,
    filled_in: BTreeMap<RequestId, FilledIn>,
}

/// What data that fits amounts to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilledIn {
    /// It is the call's result; nothing runs (D-107).
    Result(String),
    /// The call runs with these arguments (N-48).
    Execute(String),
}

impl Admitted {
    /// What was said to a request, if anything.
    pub fn get(&self, request: RequestId) -> Option<&AnswerBody> {
        self.answers.get(&request)
    }

    /// What the data given to a request amounts to; none if none was given.
    pub fn filled_in(&self, request: RequestId) -> Option<&FilledIn> {
        self.filled_in.get(&request)
    }

    /// Whether the input holds no answer at all.
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }
}

/// Checks all answers of an input against the head, all or nothing. `closed` says why each named request that is
/// not open was closed; one that it doesn't name is unknown (D-62).
///
/// The order of refusals is D-83's: closed, wrong kind or invalid data, digest. Of several answers to one request the first counts
/// and the others are ignored, whatever they say (MA-5, D-04).
///
/// # Errors
/// [`Refusal::ApprovalClosed`] with every closed request (CL-11); [`Refusal::WrongKind`]; [`Refusal::InvalidData`] with every
/// fault (D-50); [`Refusal::DigestMismatch`].
pub fn admit(
    answers: &[Answer],
    head: &Head,
    closed: &BTreeMap<RequestId, ClosedReason>,
    data: &BTreeMap<RequestId, DataCheck>,
) -> Result<Admitted, Refusal> {
    let mut gone = Vec::new();
    let mut seen = BTreeSet::new();
    for answer in answers {
        if head.answerable(answer.request).is_none() && seen.insert(answer.request) {
            let reason = closed.get(&answer.request).copied().unwrap_or(ClosedReason::Unknown);
            gone.push((answer.request, reason));
        }
    }
    if !gone.is_empty() && !faults::on(Fault::AcceptClosed) {
        return Err(Refusal::ApprovalClosed(gone));
    }
    let mut admitted: BTreeMap<RequestId, AnswerBody> = BTreeMap::new();
    let mut firsts: Vec<(&Answer, &Request)> = Vec::new();
    for answer in answers {
        if let Some(request) = head.answerable(answer.request)
            && let Entry::Vacant(first) = admitted.entry(answer.request)
        {
            first.insert(answer.body.clone());
            firsts.push((answer, request));
        }
    }
    for (answer, request) in &firsts {
        fits(&answer.body, request, head).map_err(|misfit| Refusal::WrongKind(answer.request, misfit))?;
    }
    let mut filled_in = BTreeMap::new();
    let mut invalid = Vec::new();
    for (answer, request) in &firsts {
        if !matches!(answer.body, AnswerBody::Data { .. }) {
            continue;
        }
        match data.get(&request.id) {
            Some(DataCheck::Result(result)) => {
                filled_in.insert(request.id, FilledIn::Result(result.clone()));
            }
            Some(DataCheck::Execute(arguments)) => {
                filled_in.insert(request.id, FilledIn::Execute(arguments.clone()));
            }
            Some(DataCheck::Invalid(faults)) => invalid.push((request.id, faults.clone())),
            // What nobody checked doesn't count as fitting.
            None => invalid.push((request.id, Vec::new())),
        }
    }
    if !invalid.is_empty() {
        return Err(Refusal::InvalidData(invalid));
    }
    let differing: Vec<RequestId> =
        firsts.iter().filter(|(answer, request)| answer.digest != request.digest).map(|(_, r)| r.id).collect();
    if !differing.is_empty() && !faults::on(Fault::IgnoreDigest) {
        return Err(Refusal::DigestMismatch(differing));
    }
    Ok(Admitted { answers: admitted, filled_in })
}

fn fits(body: &AnswerBody, request: &Request, head: &Head) -> Result<(), Misfit> {
    match (body, request.kind) {
        (AnswerBody::Reject { .. }, _)
        | (AnswerBody::Data { .. }, RequestKind::Input)
        | (AnswerBody::ApproveWithNote { .. }, RequestKind::Call)
        | (AnswerBody::Approve, RequestKind::Call | RequestKind::Plan) => Ok(()),
        (AnswerBody::ApproveWithNote { .. }, RequestKind::Plan) => Err(Misfit::NoteOnPlan),
        (AnswerBody::Data { .. }, RequestKind::Call | RequestKind::Plan) => Err(Misfit::NotAQuestion),
        (
            AnswerBody::Approve
            | AnswerBody::ApproveWithNote { .. }
            | AnswerBody::ApproveForConversation { .. }
            | AnswerBody::ApprovePlan { .. },
            RequestKind::Input,
        ) => Err(Misfit::NeedsData),
        (AnswerBody::ApproveForConversation { .. }, RequestKind::Plan) => Err(Misfit::PlanForConversation),
        (AnswerBody::ApproveForConversation { reach, any_command }, RequestKind::Call) => {
            let free_form = head.calls.get(&request.call).is_some_and(|call| call.marks.has(Mark::FreeForm));
            match (reach, any_command) {
                (Reach::Tool, AnyCommand::NotAsked) if free_form => Err(Misfit::AnyCommandNotConfirmed),
                (Reach::Tool | Reach::Exact, AnyCommand::Confirmed | AnyCommand::NotAsked) => Ok(()),
            }
        }
        (AnswerBody::ApprovePlan { .. }, RequestKind::Call) => Err(Misfit::NotAPlan),
        (AnswerBody::ApprovePlan { into, .. }, RequestKind::Plan) => match into {
            Mode::Plan => Err(Misfit::PlanIntoPlan),
            Mode::Default | Mode::Auto => Ok(()),
        },
    }
}
