//! Stopping: a run that is going on, what waits, what was approved and never ran, and the conversation as a whole.

use super::{Draft, held, tree};
use crate::call::{CallState, Dropped, Settled};
use crate::change::{Act, Change};
use crate::head::Thread;
use crate::ids::CallId;
use crate::input::Refusal;
use crate::mode::Mode;
use crate::request::PassedBy;
use crate::run::{Phase, RunEnd};
use crate::words;

pub(super) fn stop(draft: &mut Draft<'_>) -> Result<(), Refusal> {
    let Some((run, phase)) = draft.head.run.as_ref().map(|run| (run.id, run.phase)) else {
        return stop_waiting(draft);
    };
    if phase == Phase::Stopping {
        return Err(Refusal::IllegalInput { input: "stopping", because: "it is being stopped already" });
    }
    let phases: Vec<Phase> = draft.head.run.iter().chain(draft.head.children.values()).map(|run| run.phase).collect();
    if phases.iter().any(|phase| matches!(phase, Phase::Model | Phase::LastWord)) {
        draft.acts.push(Act::CancelModel { run });
    }
    if phases.iter().any(|phase| matches!(phase, Phase::Resolving | Phase::Tools)) {
        // Guards that look again end with the run, too (RU-7).
        draft.acts.push(Act::CancelCalls { run });
    }
    // Whoever waits for an answer is told at once, before its call is stopped (D-86, D-91).
    held::withdraw_all(draft, None);
    tree::leave(draft, &[], PassedBy::Stopped)?;
    // What hasn't started never will; what has started settles and reports first (N-80).
    for call in draft.calls() {
        tree::drop_call(draft, &call, PassedBy::Stopped);
    }
    let mut threads: Vec<Thread> = draft.head.deepest_first().into_iter().map(Some).collect();
    threads.push(None);
    for thread in threads {
        draft.phase(thread, Phase::Stopping);
    }
    for run in draft.head.deepest_first() {
        stopped(draft, Some(run))?;
    }
    stopped(draft, None)
}

/// A thread that is being stopped ends once nothing of it is executing any more; then whoever waits for it does.
pub(super) fn stopped(draft: &mut Draft<'_>, thread: Thread) -> Result<(), Refusal> {
    let stopping = draft.head.run_of(thread).is_some_and(|run| run.phase == Phase::Stopping);
    if !stopping || draft.head.has_started(thread) {
        return Ok(());
    }
    match thread {
        Some(run) => {
            let text = words::agent_stopped(&draft.ran(run));
            tree::end(draft, run, RunEnd::Cancelled, Settled::Stopped, text)
        }
        // Background agents settle first: the run isn't over before they are (BG-2).
        None if draft.head.working_beside() > 0 => Ok(()),
        None => {
            draft.end_run(RunEnd::Cancelled);
            Ok(())
        }
    }
}

/// Stop while something waits: everything open closes, without a run and without a model call (D-88).
fn stop_waiting(draft: &mut Draft<'_>) -> Result<(), Refusal> {
    if draft.head.calls.is_empty() && draft.head.children.is_empty() {
        return Err(Refusal::NotRunning);
    }
    drop_all(draft)
}

/// Nothing runs: all that waits goes, in sub-agents too, and what they executed is said (D-107).
fn drop_all(draft: &mut Draft<'_>) -> Result<(), Refusal> {
    tree::leave(draft, &[], PassedBy::Stopped)?;
    for call in draft.calls() {
        tree::drop_call(draft, &call, PassedBy::Stopped);
    }
    end_chain(draft);
    Ok(())
}

/// The person lets approved calls go that never ran (D-53). A sub-agent in which nothing waits any more is stopped (D-95).
pub(super) fn drop_approved(draft: &mut Draft<'_>, calls: &[CallId]) -> Result<(), Refusal> {
    if draft.head.run.is_some() {
        return Err(Refusal::Busy);
    }
    if calls.is_empty() {
        return Err(Refusal::IllegalInput { input: "dropping calls", because: "none is named" });
    }
    for id in calls {
        let approved =
            draft.head.calls.get(id).is_some_and(|call| {
                matches!(call.state, CallState::Approved(_)) && !draft.head.is_behind_suspended(call)
            });
        if !approved {
            let because = "it is not waiting to be continued";
            return Err(Refusal::IllegalInput { input: "dropping a call", because });
        }
        draft.settle(*id, Settled::Dropped { why: Dropped::NeverRun }, None);
    }
    // Something waits in a sub-agent as long as a request is open, or an approved call is offered, in it or below it.
    let waiting = tree::gone_on_with(draft, |call| match &call.state {
        CallState::Waiting(_) => true,
        CallState::Approved(_) => !draft.head.is_behind_suspended(call),
        CallState::Held(_) | CallState::Started { .. } | CallState::Suspended { .. } | CallState::Settled(_) => false,
    });
    tree::leave(draft, &waiting, PassedBy::Stopped)?;
    Ok(())
}

pub(super) fn delete(draft: &mut Draft<'_>) -> Result<(), Refusal> {
    if draft.head.run.is_some() {
        return Err(Refusal::Busy);
    }
    drop_all(draft)?;
    draft.push(Change::ConversationDeleted);
    Ok(())
}

fn end_chain(draft: &mut Draft<'_>) {
    if draft.head.conversation.auto_chain.is_some() {
        draft.push(Change::ModeSet { mode: Mode::Default, auto_chain: None, auto_until: None });
    }
}
