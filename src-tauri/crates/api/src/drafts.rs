//! Drafts of answers and the grace in which a staged set can still be taken back. Both live here, not in a window: every
//! window sees the same, and what was staged survives a restart. The timer doesn't: nothing is sent by itself at launch.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use countersign_core::call::CallState;
use countersign_core::change::Returned;
use countersign_core::digest::Digest;
use countersign_core::ids::{ConversationId, RequestId};
use countersign_core::input::DataCheck;
use countersign_core::request::RequestKind;
use countersign_core::step::{call_digest, held_digest};
use countersign_engine::question;
use countersign_store::read::held::HeldFact;
use countersign_store::read::inbox::CallFact;
use countersign_store::record::Record;
use tokio_util::sync::CancellationToken;

use crate::cards;
use crate::desk::{Desk, SetId};
use crate::error::{closed_label, invalid_answer, not_found, refused};
use crate::wire::conversation::{Send, SentAnswer};
use crate::wire::inbox::{Decision, Draft, Grace, RequestRow, SendRefused};
use crate::wire::window::{ApiError, ClosedAnswer, FeedWhat};
use crate::words::{Thing, say};

/// The longest grace that can be set.
const LONGEST_MS: i64 = 10_000;

/// The running graces and what became of the last sending, by set.
#[derive(Debug, Default)]
pub(crate) struct Graces(Mutex<HashMap<SetId, State>>);

#[derive(Debug, Default)]
struct State {
    grace: Option<(Grace, CancellationToken)>,
    sending: bool,
    refused: Option<SendRefused>,
}

impl Graces {
    /// What a set shows: its grace, whether it is being sent, why it wasn't.
    pub(crate) fn state(&self, of: SetId) -> (Option<Grace>, bool, Option<SendRefused>) {
        let states = self.lock();
        let state = states.get(&of);
        (
            state.and_then(|state| state.grace.as_ref()).map(|(grace, _)| grace.clone()),
            state.is_some_and(|state| state.sending),
            state.and_then(|state| state.refused.clone()),
        )
    }

    /// The sets whose grace is running.
    pub(crate) fn running(&self) -> Vec<SetId> {
        self.lock().iter().filter(|(_, state)| state.grace.is_some()).map(|(of, _)| *of).collect()
    }

    /// Stops a set's grace; its drafts stay.
    pub(crate) fn stop(&self, of: SetId) {
        if let Some((_, timer)) = self.lock().get_mut(&of).and_then(|state| state.grace.take()) {
            timer.cancel();
        }
    }

    /// Stops a set's grace and keeps nothing of it: it is gone for good.
    pub(crate) fn forget(&self, of: SetId) {
        self.stop(of);
        self.lock().remove(&of);
    }

    /// Stops every grace, for quitting: everything staged is kept and nothing is sent.
    pub(crate) fn stop_all(&self) {
        for (_, state) in self.lock().drain() {
            if let Some((_, timer)) = state.grace {
                timer.cancel();
            }
        }
    }

    fn start(&self, of: SetId, grace: Grace) -> CancellationToken {
        let timer = CancellationToken::new();
        let mut states = self.lock();
        if let Some((_, before)) = states.entry(of).or_default().grace.replace((grace, timer.clone())) {
            before.cancel();
        }
        timer
    }

    fn set_sending(&self, of: SetId, sending: bool) {
        self.change(of, |state| state.sending = sending);
    }

    fn refuse(&self, of: SetId, refused: Option<SendRefused>) {
        self.change(of, |state| state.refused = refused);
    }

    /// Changes what is known of a set; where nothing is left to know, nothing is kept.
    fn change(&self, of: SetId, change: impl FnOnce(&mut State)) {
        let mut states = self.lock();
        let state = states.entry(of).or_default();
        change(state);
        if state.grace.is_none() && !state.sending && state.refused.is_none() {
            states.remove(&of);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<SetId, State>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a set has an approval of a call with a red fact staged: then it leaves only by *Send*.
pub(crate) fn waits_for_send(rows: &[RequestRow]) -> bool {
    rows.iter().any(|row| {
        row.high_risk
            && row.draft.as_ref().is_some_and(|draft| match draft.decision {
                Decision::Approve
                | Decision::ApproveWithNote { .. }
                | Decision::ApproveForConversation { .. }
                | Decision::ApprovePlan { .. } => true,
                Decision::Reject { .. } | Decision::Correct { .. } | Decision::Answer { .. } => false,
            })
    })
}

/// Stages a decision. With the last one of a set its grace begins.
pub(crate) async fn stage(desk: &Arc<Desk>, id: &str, decision: Decision, digest: &str) -> Result<(), ApiError> {
    let row = crate::desk::row(id)?;
    if let Some(held) = desk.engine.store().held_fact(row).await? {
        return stage_held(desk, &held, decision, digest).await;
    }
    let fact = desk.engine.store().call_fact(row).await?.ok_or_else(|| not_found(Thing::Request))?;
    let kind = fact.request.as_ref().map_or(RequestKind::Call, |request| request.kind);
    if !can_be_staged(desk, &fact, row).await? {
        return Err(ApiError::ApprovalClosed {
            message: say().too_late(),
            closed: vec![ClosedAnswer { request: id.to_owned(), label: late_label(&fact) }],
        });
    }
    let fits = match (&decision, &fact.call.state) {
        (
            Decision::ApproveWithNote { .. }
            | Decision::ApproveForConversation { .. }
            | Decision::ApprovePlan { .. }
            | Decision::Correct { .. }
            | Decision::Answer { .. },
            CallState::Approved(_),
        ) => false,
        (Decision::Answer { .. }, _) => kind == RequestKind::Input,
        (Decision::Approve, CallState::Waiting(_)) => kind != RequestKind::Input,
        (Decision::ApproveWithNote { .. } | Decision::ApproveForConversation { .. } | Decision::Correct { .. }, _) => {
            kind == RequestKind::Call
        }
        (Decision::ApprovePlan { into, .. }, _) => kind == RequestKind::Plan && *into != crate::wire::inbox::Mode::Plan,
        (Decision::Approve | Decision::Reject { .. }, _) => true,
    };
    if !fits {
        return Err(refused(say().wrong_answer()));
    }
    if let Decision::ApproveForConversation { reach, .. } = &decision
        && !crate::detail::reaches_of(&fact.call).contains(reach)
    {
        return Err(refused(say().several_parts()));
    }
    if let Decision::Answer { value } = &decision
        && let DataCheck::Invalid(faults) = question::check(&fact.call, value)
    {
        return Err(invalid_answer(faults));
    }
    if let Decision::Correct { edits } = &decision {
        crate::correction::reason(&fact.call, edits)?;
    }
    let stored = call_digest(&fact.call, kind).ok_or_else(|| not_found(Thing::Request))?;
    keep(desk, SetId::own(fact.conversation), row, &decision, stored, digest).await
}

/// Stages an answer to what a server holds open: filled in, or declined. It is a set of its own (D-86).
async fn stage_held(desk: &Arc<Desk>, fact: &HeldFact, decision: Decision, digest: &str) -> Result<(), ApiError> {
    let (id, held) = (fact.question.id(), &fact.question.held);
    if let Some((closing, _)) = &fact.question.closed {
        return Err(ApiError::ApprovalClosed {
            message: say().too_late(),
            closed: vec![ClosedAnswer {
                request: id.to_string(),
                label: say().closed(crate::asked::closed_as(closing)),
            }],
        });
    }
    match &decision {
        Decision::Answer { value } => {
            if let DataCheck::Invalid(faults) = question::check_held(held, value) {
                return Err(invalid_answer(faults));
            }
        }
        Decision::Reject { .. } => {}
        Decision::Approve
        | Decision::ApproveWithNote { .. }
        | Decision::ApproveForConversation { .. }
        | Decision::Correct { .. }
        | Decision::ApprovePlan { .. } => return Err(refused(say().wrong_answer())),
    }
    let stored = held_digest(&fact.call.call, &held.message, &held.schema).ok_or_else(|| not_found(Thing::Request))?;
    keep(desk, SetId::held(fact.call.conversation, id), id.0, &decision, stored, digest).await
}

/// Keeps what was staged, decided on what is stored, and begins the grace of its set.
async fn keep(
    desk: &Arc<Desk>,
    set: SetId,
    row: [u8; 16],
    decision: &Decision,
    stored: Digest,
    shown: &str,
) -> Result<(), ApiError> {
    if stored.to_string() != shown {
        return Err(ApiError::DigestMismatch { message: say().shown_changed(), ids: vec![RequestId(row).to_string()] });
    }
    let decision = serde_json::to_string(decision).map_err(|error| refused(say().unexpected(&error.to_string())))?;
    let (at, conversation) = (desk.host.clock.now(), set.conversation);
    desk.engine.store().record(Record::Draft { row, conversation, decision, digest: stored, at }).await?;
    desk.graces.refuse(set, None);
    begin_grace(desk, set).await?;
    publish(desk, conversation).await
}

/// Says why answers that were queued came back (D-100).
pub(crate) fn came_back(desk: &Desk, of: ConversationId, why: &Returned, left: usize) {
    let text = match why {
        Returned::TakenBack | Returned::Restart => return,
        Returned::Refused { why } => say().queued_not_sent(why),
    };
    let left = u32::try_from(left).unwrap_or(u32::MAX);
    desk.graces.refuse(SetId::own(of), Some(SendRefused { text, left }));
}

/// Takes a staged decision back and stops the set's grace.
pub(crate) async fn unstage(desk: &Arc<Desk>, id: &str) -> Result<(), ApiError> {
    let row = crate::desk::row(id)?;
    let store = desk.engine.store();
    let set = if let Some(held) = store.held_fact(row).await? {
        SetId::held(held.call.conversation, RequestId(row))
    } else {
        let fact = store.call_fact(row).await?.ok_or_else(|| not_found(Thing::Request))?;
        SetId::own(fact.conversation)
    };
    let head = store.head(set.conversation).await?;
    if head.is_some_and(|head| head.answered_in_queue().contains(&RequestId(row))) {
        return Err(refused(say().queued_first()));
    }
    desk.graces.stop(set);
    store.record(Record::DraftsGone { rows: vec![row] }).await?;
    desk.graces.refuse(set, None);
    // A notice may say that it is staged.
    crate::notices::refresh(desk, set.conversation, true);
    publish(desk, set.conversation).await
}

/// Tells every window what waits in a conversation now.
pub(crate) async fn publish(desk: &Desk, of: ConversationId) -> Result<(), ApiError> {
    let (own, sets) = (of.to_string(), desk.sets_of(of).await?);
    if !sets.iter().any(|set| set.id == own) {
        desk.feed.publish(desk.space, FeedWhat::Set { id: own, set: None });
    }
    for set in sets {
        desk.feed.publish(desk.space, FeedWhat::Set { id: set.id.clone(), set: Some(Box::new(set)) });
    }
    Ok(())
}

async fn can_be_staged(desk: &Desk, fact: &CallFact, row: [u8; 16]) -> Result<bool, ApiError> {
    if fact.deleted {
        return Ok(false);
    }
    let Some(head) = desk.engine.store().head(fact.conversation).await? else { return Ok(false) };
    Ok(match &fact.call.state {
        // What is queued is as good as sent; it can be taken back first.
        CallState::Waiting(request) => request.0 == row && !head.answered_in_queue().contains(request),
        CallState::Approved(_) => fact.call.id.0 == row && head.run.is_none() && !head.is_behind_suspended(&fact.call),
        CallState::Held(_) | CallState::Started { .. } | CallState::Suspended { .. } | CallState::Settled(_) => false,
    })
}

fn late_label(fact: &CallFact) -> String {
    if fact.deleted {
        return say().closed(closed_label(countersign_core::request::ClosedReason::Unknown));
    }
    match fact.request.as_ref().and_then(|request| request.closed.as_ref()) {
        Some((closing, _)) => say().closed(cards::closed_as(fact, closing)),
        None => cards::outcome(fact).0,
    }
}

/// Begins the grace if everything of the set is staged, nothing in it waits for *Send*, and the person wants one.
async fn begin_grace(desk: &Arc<Desk>, of: SetId) -> Result<(), ApiError> {
    desk.graces.stop(of);
    let Some(set) = desk.set(of).await? else {
        return Ok(());
    };
    let Some(total_ms) = desk.settings().grace_ms.map(|ms| ms.clamp(0, LONGEST_MS)) else {
        return Ok(());
    };
    let queued = set.sending == crate::wire::inbox::Sending::Queued;
    if queued || set.waits_for_send || set.rows.iter().any(|row| row.draft.is_none()) {
        return Ok(());
    }
    let ends_at = desk.host.clock.now().0 + total_ms;
    let timer = desk.graces.start(of, Grace { ends_at, total_ms });
    let desk = Arc::clone(desk);
    tokio::spawn(async move {
        let wait = Duration::from_millis(u64::try_from(total_ms).unwrap_or_default());
        tokio::select! {
            () = timer.cancelled() => {}
            () = desk.closing.cancelled() => {}
            () = tokio::time::sleep(wait) => {
                // From here on it can't be taken back; what is sent is what is staged at this moment.
                if timer.is_cancelled() {
                    return;
                }
                desk.graces.stop(of);
                if let Err(error) = send_staged(&desk, of).await {
                    tracing::info!(?error, "a staged set wasn't sent");
                }
            }
        }
    });
    Ok(())
}

/// Sends every set whose grace is running, at once; for the way out. What isn't taken is kept.
pub(crate) async fn send_leaving(desk: &Arc<Desk>) {
    for of in desk.graces.running() {
        desk.graces.stop(of);
        if let Err(error) = send_staged(desk, of).await {
            tracing::info!(?error, "a staged set wasn't sent on the way out");
        }
    }
}

async fn send_staged(desk: &Arc<Desk>, of: SetId) -> Result<(), ApiError> {
    let conversation = of.conversation.to_string();
    let answers = drafts_of(desk, of)
        .await?
        .into_iter()
        .map(|(request, draft)| SentAnswer { request, digest: draft.digest, decision: draft.decision })
        .collect();
    let send = Send { conversation, answers, text: None, mode: None, auto_until: None, passes_by: Vec::new() };
    crate::sending::send(desk, send).await
}

/// What is staged in a set, by row.
async fn drafts_of(desk: &Desk, of: SetId) -> Result<Vec<(String, Draft)>, ApiError> {
    let held = desk.engine.store().head(of.conversation).await?.map(|head| head.held).unwrap_or_default();
    let mut drafts = desk.drafts(of.conversation).await?;
    drafts.retain(|(row, _)| row.parse().is_ok_and(|row: RequestId| of.sends(row, &held)));
    Ok(drafts)
}

/// Marks a set as being sent while something is done, so that no window offers to send it twice.
pub(crate) async fn while_sending<T>(
    desk: &Arc<Desk>,
    of: SetId,
    doing: impl Future<Output = Result<T, ApiError>>,
) -> Result<T, ApiError> {
    desk.graces.stop(of);
    desk.graces.refuse(of, None);
    desk.graces.set_sending(of, true);
    // Whatever comes of it, the set doesn't stay marked as being sent.
    let done = match publish(desk, of.conversation).await {
        Ok(()) => doing.await,
        Err(error) => Err(error),
    };
    desk.graces.set_sending(of, false);
    done
}

/// Keeps why a set wasn't sent, for its bar. Answers that came too late lose their drafts; the others are kept.
pub(crate) async fn keep_refusal(desk: &Arc<Desk>, of: SetId, sent: &Send, error: &ApiError) -> Result<(), ApiError> {
    let text = match error {
        ApiError::ApprovalClosed { closed, .. } => {
            // What waits for the run to end is answered too, and stays a draft: it can come back.
            let queued = desk
                .engine
                .store()
                .head(of.conversation)
                .await?
                .map(|head| head.answered_in_queue())
                .unwrap_or_default();
            let rows = closed.iter().filter_map(|one| crate::desk::row(&one.request).ok());
            let rows = rows.filter(|row| !queued.contains(&RequestId(*row))).collect();
            desk.engine.store().record(Record::DraftsGone { rows }).await?;
            say().expired_unsent(closed.len() as u64, sent.answers.len() as u64)
        }
        ApiError::WouldPassBy { .. } => say().new_request_unsent(sent.answers.len() as u64),
        ApiError::DigestMismatch { message, ids } => {
            let rows = ids.iter().filter_map(|id| crate::desk::row(id).ok()).collect();
            desk.engine.store().record(Record::DraftsGone { rows }).await?;
            message.clone()
        }
        ApiError::Busy { message }
        | ApiError::InvalidAnswer { message, .. }
        | ApiError::NotRunning { message }
        | ApiError::NotFound { message }
        | ApiError::Invalid { message, .. }
        | ApiError::Refused { message }
        | ApiError::DiskFull { message }
        | ApiError::Broken { message } => say().not_sent(message),
    };
    let left = u32::try_from(drafts_of(desk, of).await?.len()).unwrap_or(u32::MAX);
    desk.graces.refuse(of, Some(SendRefused { text, left }));
    crate::notices::refresh(desk, of.conversation, true);
    publish(desk, of.conversation).await
}
