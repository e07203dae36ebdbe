//! What becomes of a run whose process died (TX-RECOVER). Nothing runs by itself and nothing runs twice.

use crate::call::{CallState, Settled};
use crate::change::{Change, Returned};
use crate::faults::{self, Fault};
use crate::head::Head;
use crate::ids::{At, Ids, OutOfIds, RunId};
use crate::mode::Mode;
use crate::quick;
use crate::run::{Goes, Phase, Ran, RunEnd, Said, Steering};
use crate::step::cut_call;
use crate::words;

/// The changes that settle an unfinished run and everything below it; none if there is no run.
///
/// A started call that only reads failed and may be called again. Any other may or may not have happened and is never
/// repeated by itself (D-54). Open requests stay open. Calls that were approved and not started wait for the person:
/// run it now, or drop it (D-53). Words that the run didn't take, and answers that waited for its end, are the person's drafts again
/// (D-89). An Auto that was meant for one plan ends (D-74). A sub-agent in which something still waits is suspended, and so is
/// everything above it; any other was interrupted (D-95).
///
/// # Errors
/// [`OutOfIds`] if there are fewer ids than background agents.
pub fn recover(head: &Head, at: At, ids: Ids) -> Result<Vec<Change>, OutOfIds> {
    let mut ids = ids;
    let mut settling = Settling { head: head.clone(), changes: Vec::new(), at };
    if let Some(run) = head.run.as_ref().map(|run| run.id) {
        for change in quick::left_behind(head, at) {
            settling.push(change);
        }
        for child in head.deepest_first() {
            settling.started_calls(Some(child));
            settling.child(child, &mut ids)?;
        }
        settling.started_calls(None);
        let own = settling.head.steering.iter().filter(|one| one.from == Said::Person);
        let returned: Vec<_> = own.map(|one| one.id).collect();
        if !returned.is_empty() {
            settling.push(Change::SteeringReturned { returned });
        }
        settling.push(Change::RunEnded { run, end: RunEnd::Interrupted, at });
        if head.conversation.auto_chain.is_some() {
            settling.push(Change::ModeSet { mode: Mode::Default, auto_chain: None });
        }
    }
    if head.queued.is_some() {
        settling.push(Change::AnswersReturned { why: Returned::Restart });
    }
    Ok(settling.changes)
}

struct Settling {
    head: Head,
    changes: Vec<Change>,
    at: At,
}

impl Settling {
    fn push(&mut self, change: Change) {
        self.head.apply(&change);
        self.changes.push(change);
    }

    /// Settles what was executing in a thread. A call whose sub-agent is still there waits with it.
    fn started_calls(&mut self, thread: Option<RunId>) {
        let calls: Vec<_> = self.head.calls_in(thread).into_iter().cloned().collect();
        for call in calls {
            let CallState::Started { warrant, .. } = &call.state else { continue };
            if faults::on(Fault::RerunStarted) {
                self.push(Change::CallApproved { call: call.id, warrant: warrant.clone() });
                continue;
            }
            if self.head.started_by(call.id).is_some() {
                continue;
            }
            let (settled, text, _) = cut_call(call.effect);
            let unknown = u32::from(settled == Settled::OutcomeUnknown);
            let result = Some(text.to_owned());
            self.push(Change::CallSettled { call: call.id, settled, result, left: None, at: self.at });
            if let Some((run, child)) = thread.and_then(|run| Some((run, self.head.child(run)?))) {
                let mut ran = child.ran.clone();
                ran.add(&Ran { calls: std::iter::once((call.tool.clone(), 1)).collect(), unknown });
                self.push(Change::AgentRan { run, ran });
            }
        }
    }

    /// A sub-agent, after all that are below it.
    fn child(&mut self, run: RunId, ids: &mut Ids) -> Result<(), OutOfIds> {
        let Some((child, phase, rounds)) =
            self.head.children.get(&run).and_then(|run| Some((run.child.clone()?, run.phase, run.rounds)))
        else {
            return Ok(());
        };
        let warrant = self.head.calls.get(&child.call).and_then(|call| match &call.state {
            CallState::Started { warrant, .. } => Some(warrant.clone()),
            CallState::Held(_)
            | CallState::Waiting(_)
            | CallState::Approved(_)
            | CallState::Suspended { .. }
            | CallState::Settled(_) => None,
        });
        let waits = self.head.calls_in(Some(run)).into_iter().any(|call| match &call.state {
            CallState::Waiting(_) | CallState::Approved(_) | CallState::Suspended { .. } => true,
            CallState::Held(_) | CallState::Started { .. } | CallState::Settled(_) => false,
        });
        if waits && !faults::on(Fault::InterruptWaiting) {
            if phase != Phase::Suspended {
                self.push(Change::RunPhase { run, phase: Phase::Suspended, rounds });
            }
            if let Some(warrant) = warrant {
                self.push(Change::CallSuspended { call: child.call, warrant });
            }
            return Ok(());
        }
        if let Some((parent, above)) = child.parent.and_then(|parent| Some((parent, self.head.child(parent)?))) {
            let mut ran = above.ran.clone();
            ran.add(&child.ran);
            self.push(Change::AgentRan { run: parent, ran });
        }
        self.push(Change::RunEnded { run, end: RunEnd::Interrupted, at: self.at });
        let text = words::agent_interrupted(&child.ran);
        match child.goes {
            Goes::InLine => self.push(Change::CallSettled {
                call: child.call,
                settled: Settled::Errored,
                result: Some(text),
                left: None,
                at: self.at,
            }),
            Goes::Beside => {
                let from = Said::Agent { name: child.name };
                self.push(Change::SteeringQueued(Steering { id: ids.take()?, text, from, at: self.at }));
            }
        }
        Ok(())
    }
}
