//! Stopping: a run that is going on, what waits, what was approved and never ran, and the conversation as a whole.

use super::Draft;
use crate::call::{Call, CallState, Dropped, Settled};
use crate::change::{Act, Change};
use crate::ids::CallId;
use crate::input::Refusal;
use crate::mode::Mode;
use crate::request::{Closing, PassedBy};
use crate::run::{Phase, RunEnd};

pub(super) fn stop(draft: &mut Draft<'_>) -> Result<(), Refusal> {
    let Some((run, phase)) = draft.head.run.as_ref().map(|run| (run.id, run.phase)) else {
        return stop_waiting(draft);
    };
    match phase {
        Phase::Model | Phase::LastWord => {
            draft.acts.push(Act::CancelModel { run });
            draft.end_run(RunEnd::Cancelled);
        }
        Phase::Resolving | Phase::Tools => {
            // What hasn't started never will; what has started settles and reports first (N-80).
            for call in draft.calls() {
                drop_unstarted(draft, &call, Dropped::Stopped);
            }
            if draft.has_started() {
                let rounds = draft.head.run.as_ref().map_or(0, |run| run.rounds);
                draft.phase(Phase::Stopping, rounds);
                draft.acts.push(Act::CancelCalls { run });
            } else {
                // Guards that look again end with the run (RU-7).
                draft.acts.push(Act::CancelCalls { run });
                draft.end_run(RunEnd::Cancelled);
            }
        }
        Phase::Stopping => {
            return Err(Refusal::IllegalInput { input: "stopping", because: "it is being stopped already" });
        }
    }
    Ok(())
}

/// Stop while something waits: everything open closes, without a run and without a model call (D-88).
fn stop_waiting(draft: &mut Draft<'_>) -> Result<(), Refusal> {
    if draft.head.calls.is_empty() {
        return Err(Refusal::NotRunning);
    }
    for call in draft.calls() {
        drop_unstarted(draft, &call, Dropped::Stopped);
    }
    end_chain(draft);
    Ok(())
}

/// The person lets approved calls go that never ran (D-53).
pub(super) fn drop_approved(draft: &mut Draft<'_>, calls: &[CallId]) -> Result<(), Refusal> {
    if draft.head.run.is_some() {
        return Err(Refusal::Busy);
    }
    for id in calls {
        let approved = draft.head.calls.get(id).is_some_and(|call| matches!(call.state, CallState::Approved(_)));
        if !approved {
            let because = "it is not waiting to be continued";
            return Err(Refusal::IllegalInput { input: "dropping a call", because });
        }
        draft.settle(*id, Settled::Dropped { why: Dropped::NeverRun }, None);
    }
    Ok(())
}

pub(super) fn delete(draft: &mut Draft<'_>) -> Result<(), Refusal> {
    if draft.head.run.is_some() {
        return Err(Refusal::Busy);
    }
    for call in draft.calls() {
        drop_unstarted(draft, &call, Dropped::Stopped);
    }
    end_chain(draft);
    draft.push(Change::ConversationDeleted);
    Ok(())
}

fn drop_unstarted(draft: &mut Draft<'_>, call: &Call, why: Dropped) {
    match &call.state {
        CallState::Waiting(request) => {
            let closing = Closing::PassedBy { by: PassedBy::Stopped };
            draft.push(Change::RequestClosed { request: *request, closing, by_run: None, at: draft.at });
            draft.settle(call.id, Settled::Dropped { why }, None);
        }
        CallState::Held(_) => draft.settle(call.id, Settled::Dropped { why }, None),
        CallState::Approved(_) => draft.settle(call.id, Settled::Dropped { why: Dropped::NeverRun }, None),
        CallState::Started { .. } | CallState::Settled(_) => {}
    }
}

fn end_chain(draft: &mut Draft<'_>) {
    if draft.head.conversation.auto_chain.is_some() {
        draft.push(Change::ModeSet { mode: Mode::Default, auto_chain: None });
    }
}
