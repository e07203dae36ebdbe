//! Answers that are given while a run still goes on: they wait as one stored input and start the next run when this one has
//! ended (D-08, D-100).

use super::{Draft, start};
use crate::change::{Change, Returned};
use crate::faults::{self, Fault};
use crate::ids::{OwnerId, RequestId};
use crate::input::{Loss, Queued, Refusal, RunInput};
use crate::request::ClosedReason;

/// Puts answers to open requests into the queue; they join those that wait already. The answers have been admitted: they name
/// open requests, fit them, and carry their digests.
pub(super) fn join(draft: &mut Draft<'_>, input: &RunInput) -> Result<(), Refusal> {
    if !input.resume.is_empty() {
        return Err(Refusal::Busy);
    }
    let before = draft.head.answered_in_queue();
    let again: Vec<(RequestId, ClosedReason)> = input
        .answers
        .iter()
        .map(|answer| answer.request)
        .filter(|request| before.contains(request))
        .map(|request| (request, ClosedReason::Answered))
        .collect();
    if !again.is_empty() {
        return Err(Refusal::ApprovalClosed(again));
    }
    let text = input.text.as_ref().filter(|text| !text.trim().is_empty()).cloned();
    let owner = input.owner.unwrap_or(OwnerId([0; 16]));
    let mut queued = draft.head.queued.clone().unwrap_or(Queued {
        answers: Vec::new(),
        text: None,
        mode: None,
        auto_until: None,
        passes_by: None,
        owner,
        at: draft.at,
    });
    for answer in &input.answers {
        if !queued.answers.iter().any(|one| one.request == answer.request) {
            queued.answers.push(answer.clone());
        }
    }
    queued.text = match (queued.text, text) {
        (Some(before), Some(text)) => Some(format!("{before}\n{text}")),
        (before, text) => before.or(text),
    };
    if input.mode.is_some() {
        (queued.mode, queued.auto_until) = (input.mode, input.auto_until);
    }
    if let Some(told) = &input.passes_by {
        queued.passes_by.get_or_insert_default().extend(told);
    }
    if let Some(told) = &mut queued.passes_by {
        told.retain(|loss| match loss {
            Loss::Request(request) => !queued.answers.iter().any(|answer| answer.request == *request),
            Loss::Call(_) => true,
        });
    }
    draft.push(Change::AnswersQueued(queued));
    Ok(())
}

/// The run has ended: the queued answers start the next one. Everything is checked again; what doesn't hold any more makes all of
/// them drafts, and nothing starts (D-100).
pub(super) fn begin(draft: &mut Draft<'_>, given: RunInput) {
    let Some(queued) = draft.head.queued.clone() else { return };
    if draft.head.run.is_some() {
        return;
    }
    if faults::on(Fault::QueueNever) {
        return;
    }
    let (head, ids) = (draft.head.clone(), draft.ids.clone());
    let (changes, acts) = (draft.changes.len(), draft.acts.len());
    draft.push(Change::AnswersTaken);
    let input = RunInput {
        text: queued.text,
        answers: queued.answers,
        mode: queued.mode,
        auto_until: queued.auto_until,
        passes_by: queued.passes_by,
        ..given
    };
    if let Err(refusal) = start::start(draft, input) {
        draft.head = head;
        draft.ids = ids;
        draft.changes.truncate(changes);
        draft.acts.truncate(acts);
        draft.push(Change::AnswersReturned { why: Returned::Refused { why: refusal.to_string() } });
    }
}

/// The queued answers are drafts again.
pub(super) fn give_back(draft: &mut Draft<'_>, why: Returned) -> Result<(), Refusal> {
    if draft.head.queued.is_none() {
        let because = "none are waiting to be sent";
        return Err(Refusal::IllegalInput { input: "taking answers back", because });
    }
    draft.push(Change::AnswersReturned { why });
    Ok(())
}
