//! What becomes of a run whose process died (TX-RECOVER). Nothing runs by itself and nothing runs twice.

use super::{Draft, tree};
use crate::call::{Call, CallState, Settled};
use crate::change::{Change, Returned};
use crate::faults::{self, Fault};
use crate::head::{Head, Thread};
use crate::ids::{At, Ids, RunId};
use crate::input::{Guards, NO_AGENTS, Refusal, World};
use crate::quick;
use crate::run::RunEnd;
use crate::words;

/// Nothing is claimed and no model is asked, so no tool and no profile counts.
const NOTHING: World<'static> = World { tools: &[], guards: Guards::None, gates: &[], agents: &NO_AGENTS };

/// The changes that settle an unfinished run and everything below it; none if there is no run.
///
/// A started call that only reads failed and may be called again. Any other may or may not have happened and is never
/// repeated by itself (D-54). Open requests stay open. Calls that were approved and not started wait for the person:
/// run it now, or drop it (D-53). Words that the run didn't take, and answers that waited for its end, are the person's drafts again
/// (D-89). An Auto that was meant for one plan ends (D-74). A sub-agent in which something still waits is suspended, and so is
/// everything above it; any other was interrupted (D-95).
///
/// # Errors
/// [`Refusal::IllegalInput`] if there are fewer ids than background agents.
pub fn recover(head: &Head, at: At, ids: Ids) -> Result<Vec<Change>, Refusal> {
    let mut draft = Draft { head: head.clone(), world: NOTHING, at, ids, changes: Vec::new(), acts: Vec::new() };
    if head.run.is_some() {
        for change in quick::left_behind(head, at) {
            draft.push(change);
        }
        for child in head.deepest_first() {
            cut_started(&mut draft, Some(child));
            settle_agent(&mut draft, child)?;
        }
        cut_started(&mut draft, None);
        draft.end_run(RunEnd::Interrupted);
    }
    if head.queued.is_some() {
        draft.push(Change::AnswersReturned { why: Returned::Restart });
    }
    // There is no process that could act: what it leads to waits for the person.
    Ok(draft.changes)
}

fn cut_started(draft: &mut Draft<'_>, thread: Thread) {
    if !faults::on(Fault::RerunStarted) {
        return tree::cut_started(draft, thread);
    }
    for call in draft.calls_in(thread) {
        if let CallState::Started { warrant, .. } = call.state {
            draft.push(Change::CallApproved { call: call.id, warrant });
        }
    }
}

/// A sub-agent, after all that are below it.
fn settle_agent(draft: &mut Draft<'_>, run: RunId) -> Result<(), Refusal> {
    let waits = |call: &Call| match &call.state {
        CallState::Waiting(_) | CallState::Approved(_) | CallState::Suspended { .. } => true,
        CallState::Held(_) | CallState::Started { .. } | CallState::Settled(_) => false,
    };
    if draft.head.calls_in(Some(run)).into_iter().any(waits) && !faults::on(Fault::InterruptWaiting) {
        tree::wait(draft, run);
        return Ok(());
    }
    let text = words::agent_interrupted(&draft.ran(run));
    tree::close(draft, run, RunEnd::Interrupted, Settled::Errored, text)
}
