//! What becomes of a run whose process died (TX-RECOVER). Nothing runs by itself and nothing runs twice.

use crate::call::{CallState, Settled};
use crate::change::Change;
use crate::head::Head;
use crate::ids::At;
use crate::mode::Mode;
use crate::run::RunEnd;
use crate::tool::Effect;
use crate::words;

/// The changes that settle an unfinished run; none if there is no run.
///
/// A started call that only reads failed and may be called again. Any other may or may not have happened and is never
/// repeated by itself (D-54). Open requests stay open. Calls that were approved and not started wait for the person:
/// run it now, or drop it (D-53). Words that the run didn't take are the person's draft again (D-89). An Auto that was meant for one plan ends (D-74).
pub fn recover(head: &Head, at: At) -> Vec<Change> {
    let Some(run) = &head.run else {
        return Vec::new();
    };
    let mut changes = Vec::new();
    for call in head.calls_in_order() {
        if !matches!(call.state, CallState::Started { .. }) {
            continue;
        }
        let (settled, text) = match call.effect {
            Effect::Read => (Settled::Errored, words::INTERRUPTED),
            Effect::IdempotentWrite | Effect::Write => (Settled::OutcomeUnknown, words::OUTCOME_UNKNOWN),
        };
        let result = Some(text.to_owned());
        changes.push(Change::CallSettled { call: call.id, settled, result, left: None, at });
    }
    if !head.steering.is_empty() {
        changes.push(Change::SteeringReturned { returned: head.steering.iter().map(|one| one.id).collect() });
    }
    changes.push(Change::RunEnded { run: run.id, end: RunEnd::Interrupted, at });
    if head.conversation.auto_chain.is_some() {
        changes.push(Change::ModeSet { mode: Mode::Default, auto_chain: None });
    }
    changes
}
