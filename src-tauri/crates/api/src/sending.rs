//! Sending: answers, a message and a mode leave as one input, all or nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use countersign_core::answer::{Answer, AnswerBody, AnyCommand, Reach};
use countersign_core::call::CallState;
use countersign_core::change::Returned;
use countersign_core::digest::Digest;
use countersign_core::head::Head;
use countersign_core::ids::{At, CallId, ConversationId, RequestId};
use countersign_core::input::{Input, Loss, RunInput};
use countersign_core::mode::Until;
use countersign_store::record::Record;

use crate::cards::core_mode;
use crate::desk::{Desk, SetId};
use crate::drafts::{keep_refusal, while_sending};
use crate::error::{not_found, refused};
use crate::wire::conversation::{Send, SentAnswer};
use crate::wire::inbox::{self, Decision};
use crate::wire::window::ApiError;
use crate::words::{Thing, say};

/// Sends. On a refusal nothing is stored, every draft that can still be sent is kept, and the set says why.
pub(crate) async fn send(desk: &Arc<Desk>, sent: Send) -> Result<(), ApiError> {
    let of = crate::desk::conversation(&sent.conversation)?;
    let head = desk.engine.store().head(of).await?.ok_or_else(|| not_found(Thing::Conversation))?;
    let set = set_of(&head, of, &sent);
    let done = while_sending(desk, set, deliver(desk, of, &head, &sent)).await;
    match done {
        Ok(()) => {
            let store = desk.engine.store();
            // What waits for the run to end stays a draft until it is sent: it can come back.
            let queued = store.head(of).await?.map(|head| head.answered_in_queue()).unwrap_or_default();
            let rows = sent.answers.iter().filter_map(|answer| crate::desk::row(&answer.request).ok());
            let rows = rows.filter(|row| !queued.contains(&RequestId(*row))).collect();
            store.record(Record::DraftsGone { rows }).await?;
            if sent.text.is_some() {
                store.record(Record::Typed { conversation: of, text: String::new() }).await?;
            }
            crate::drafts::publish(desk, of).await
        }
        Err(error) if sent.answers.is_empty() => {
            crate::drafts::publish(desk, of).await?;
            Err(error)
        }
        Err(error) => {
            keep_refusal(desk, set, &sent, &error).await?;
            Err(error)
        }
    }
}

/// The set that is sent: the conversation's own, unless it is one answer to a question that a server holds open (D-86).
fn set_of(head: &Head, of: ConversationId, sent: &Send) -> SetId {
    let rows: Vec<_> = sent.answers.iter().filter_map(|answer| crate::desk::row(&answer.request).ok()).collect();
    match rows[..] {
        [row] if head.held.contains_key(&RequestId(row)) => SetId::held(of, RequestId(row)),
        _ => SetId::own(of),
    }
}

async fn deliver(desk: &Desk, of: ConversationId, head: &Head, sent: &Send) -> Result<(), ApiError> {
    let mut input = RunInput {
        text: sent.text.clone().filter(|text| !text.trim().is_empty()),
        mode: sent.mode.map(core_mode),
        auto_until: sent.auto_until.map(At),
        ..RunInput::default()
    };
    let mut told = BTreeSet::new();
    for id in &sent.passes_by {
        let row = crate::desk::row(id)?;
        // A row is a request or a call; the core knows which of the two it is.
        told.insert(Loss::Request(RequestId(row)));
        told.insert(Loss::Call(CallId(row)));
    }
    let mut dropped = Vec::new();
    for answer in &sent.answers {
        let row = crate::desk::row(&answer.request)?;
        let digest = answer.digest.parse().map_err(|_| refused(say().nothing_shown()))?;
        let call = CallId(row);
        let approved = head.run.is_none()
            && head
                .calls
                .get(&call)
                .is_some_and(|one| matches!(one.state, CallState::Approved(_)) && !head.is_behind_suspended(one));
        if !approved {
            reach_is_offered(head, RequestId(row), &answer.decision)?;
            let body = body(head, RequestId(row), &answer.decision)?;
            input.answers.push(Answer { request: RequestId(row), digest, body });
            continue;
        }
        match &answer.decision {
            Decision::Approve => input.resume.push((call, digest)),
            Decision::Reject { .. } => {
                shown_as_stored(head, call, digest, answer)?;
                dropped.push(call);
                told.insert(Loss::Call(call));
            }
            Decision::ApproveWithNote { .. }
            | Decision::ApproveForConversation { .. }
            | Decision::ApprovePlan { .. }
            | Decision::Correct { .. }
            | Decision::Answer { .. } => {
                return Err(refused(say().run_or_drop()));
            }
        }
    }
    let only_drops = !dropped.is_empty() && input.text.is_none() && input.answers.is_empty() && input.resume.is_empty();
    if only_drops {
        return Ok(desk.engine.input(of, Input::Drop { calls: dropped }).await?);
    }
    input.passes_by = Some(told);
    Ok(desk.engine.input(of, Input::Start(input)).await?)
}

/// Takes queued answers back; they are drafts again (D-89).
pub(crate) async fn take_back(desk: &Arc<Desk>, of: ConversationId) -> Result<(), ApiError> {
    Ok(desk.engine.input(of, Input::ReturnQueued { why: Returned::TakenBack }).await?)
}

/// A reach that wasn't offered isn't taken: a command of several parts is approved exactly as it is, or once (D-73).
fn reach_is_offered(head: &Head, request: RequestId, decision: &Decision) -> Result<(), ApiError> {
    let Decision::ApproveForConversation { reach, .. } = decision else { return Ok(()) };
    let call = head.requests.get(&request).and_then(|request| head.calls.get(&request.call));
    match call {
        Some(call) if !crate::detail::reaches_of(call).contains(reach) => Err(refused(say().several_parts())),
        // A request that isn't open has its own refusal.
        Some(_) | None => Ok(()),
    }
}

/// Dropping, too, is decided on what was shown.
fn shown_as_stored(head: &Head, call: CallId, shown: Digest, answer: &SentAnswer) -> Result<(), ApiError> {
    let stored = head
        .calls
        .get(&call)
        .and_then(|call| countersign_core::step::call_digest(call, countersign_core::request::RequestKind::Call));
    if stored == Some(shown) {
        return Ok(());
    }
    Err(ApiError::DigestMismatch { message: say().shown_changed(), ids: vec![answer.request.clone()] })
}

fn body(head: &Head, request: RequestId, decision: &Decision) -> Result<AnswerBody, ApiError> {
    Ok(match decision {
        Decision::Correct { edits } => {
            let call = head.requests.get(&request).and_then(|request| head.calls.get(&request.call));
            // Of a request that isn't open the core says so, whatever is answered.
            let reason = call.map(|call| crate::correction::reason(call, edits)).transpose()?;
            AnswerBody::Reject { reason }
        }
        Decision::Approve => AnswerBody::Approve,
        Decision::ApproveWithNote { note, tell } => AnswerBody::ApproveWithNote { note: note.clone(), tell: *tell },
        Decision::ApproveForConversation { reach, any_command } => AnswerBody::ApproveForConversation {
            reach: match reach {
                inbox::Reach::Tool => Reach::Tool,
                inbox::Reach::Exact => Reach::Exact,
            },
            any_command: if *any_command { AnyCommand::Confirmed } else { AnyCommand::NotAsked },
        },
        Decision::Reject { reason } => AnswerBody::Reject { reason: reason.clone() },
        Decision::Answer { value } => AnswerBody::Data { value: value.clone() },
        Decision::ApprovePlan { into, only_this_plan, ends_at } => AnswerBody::ApprovePlan {
            into: core_mode(*into),
            until: if *only_this_plan { Until::RunEnds } else { Until::Stays },
            ends_at: ends_at.map(At),
        },
    })
}
