//! Questions that somebody else's process holds open while it executes a call: opened, answered in place, withdrawn (D-86).
//! None of it starts, ends, queues or passes by anything else.

use super::Draft;
use crate::answer::{Admitted, AnswerBody, FilledIn};
use crate::call::{Call, CallState};
use crate::change::{Act, Change};
use crate::faults::{self, Fault};
use crate::ids::{CallId, RequestId, RunId};
use crate::input::{Refusal, RunInput};
use crate::request::{AnsweredAs, Closing, Held, MOST_HELD, MOST_MESSAGE, PassedBy, Request, RequestKind};
use crate::run::Phase;

/// What a server asks.
pub(super) struct Question {
    pub(super) id: RequestId,
    pub(super) message: String,
    pub(super) schema: String,
}

/// A server asks while it executes a call. Unlike every other question this one is refused when it comes too late, because
/// somebody waits for it.
pub(super) fn asked(draft: &mut Draft<'_>, run: RunId, call: CallId, question: Question) -> Result<(), Refusal> {
    let cant = |because| Err(Refusal::IllegalInput { input: "asking", because });
    let goes_on = draft.head.run.as_ref().is_some_and(|root| root.id == run && root.phase != Phase::Stopping);
    let executing = |call: &&Call| matches!(&call.state, CallState::Started { run: by, .. } if *by == run);
    let executed = draft.head.calls.get(&call).filter(executing).filter(|_| goes_on);
    let digest = executed.and_then(|call| super::held_digest(call, &question.message, &question.schema));
    let Some(digest) = digest.filter(|_| draft.head.started_by(call).is_none()) else {
        return cant("the call isn't being executed any more");
    };
    if draft.head.held_by(call).len() >= MOST_HELD {
        return cant("too many of its questions are open");
    }
    if question.message.len() > MOST_MESSAGE {
        return cant("what it says is too long");
    }
    if draft.head.answerable(question.id).is_some() {
        return cant("a question is called so already");
    }
    let request = Request {
        id: question.id,
        call,
        kind: RequestKind::Input,
        preconditions: Vec::new(),
        digest,
        opened_at: draft.at,
    };
    draft.push(Change::QuestionHeld(Held { request, message: question.message, schema: question.schema }));
    draft.acts.push(Act::Notice);
    Ok(())
}

/// Answers the held questions among those that an input answers, and takes them out of it. The others go their own way: they
/// start a run or wait for one, and these do neither.
pub(super) fn answer(draft: &mut Draft<'_>, input: &mut RunInput, admitted: &Admitted) {
    let answered: Vec<Held> =
        draft.head.held.values().filter(|held| admitted.get(held.request.id).is_some()).cloned().collect();
    for held in answered {
        let question = held.request.id;
        let (verdict, answer) = match admitted.get(question) {
            Some(AnswerBody::Data { .. }) => match admitted.filled_in(question) {
                Some(FilledIn::Result(text)) => (AnsweredAs::DataGiven, Some(text.clone())),
                // Only checked data is admitted, so this can't be; if it were, the server would get nothing.
                Some(FilledIn::Execute(_)) | None => (AnsweredAs::Rejected { reason: None }, None),
            },
            Some(AnswerBody::Reject { reason }) => {
                let reason = super::start::words_of(reason.as_deref());
                (AnsweredAs::Rejected { reason }, None)
            }
            // Nothing else fits a question (N-54).
            Some(
                AnswerBody::Approve
                | AnswerBody::ApproveWithNote { .. }
                | AnswerBody::ApproveForConversation { .. }
                | AnswerBody::ApprovePlan { .. },
            )
            | None => continue,
        };
        let closing = Closing::Answered { verdict };
        draft.push(Change::QuestionClosed { question, call: held.request.call, closing, answer, at: draft.at });
        input.answers.retain(|one| one.request != question);
        input.data.remove(&question);
    }
}

/// Nobody waits for the answer any more.
pub(super) fn withdraw(draft: &mut Draft<'_>, question: RequestId) {
    let Some(call) = draft.head.held.get(&question).map(|held| held.request.call) else { return };
    let closing = Closing::PassedBy { by: PassedBy::Withdrawn };
    draft.push(Change::QuestionClosed { question, call, closing, answer: None, at: draft.at });
}

/// Withdraws what is held open while a call is executed; without a call, everything.
pub(super) fn withdraw_all(draft: &mut Draft<'_>, call: Option<CallId>) {
    if faults::on(Fault::KeepHeld) {
        return;
    }
    let held = draft.head.held.values().filter(|held| call.is_none_or(|call| held.request.call == call));
    let questions: Vec<RequestId> = held.map(|held| held.request.id).collect();
    for question in questions {
        withdraw(draft, question);
    }
}
