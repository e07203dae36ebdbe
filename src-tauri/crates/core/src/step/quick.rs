//! What becomes of a Quick task that would have to ask.

use super::reply::Placement;
use super::{Draft, tree};
use crate::call::{CallState, Dropped, Settled};
use crate::head::Thread;
use crate::input::{GuardVerdict, Refusal, Verdict};
use crate::request::RequestKind;
use crate::run::RunEnd;
use crate::words;

/// A call that nothing decided. If a guard that failed is the reason, the call is rejected in neutral words: nobody is there
/// to look at it, and a broken guard lets nothing through (D-17). Otherwise it asks, which ends the task.
pub(super) fn place(verdicts: &[GuardVerdict]) -> Placement {
    let failed = |one: &&GuardVerdict| matches!(one.verdict, Verdict::Failed { .. });
    let by: Vec<String> = verdicts.iter().filter(failed).map(|one| one.guard.clone()).collect();
    if by.is_empty() {
        return Placement::Ask(RequestKind::Call);
    }
    Placement::Reject { by, reason: "it could not be checked".to_owned() }
}

/// Ends the thread in which a call would ask, with an error of its own. What hasn't started in it never will; earlier rounds
/// stand (D-47, D-63). Of a sub-agent the error is the result of the call that started it, and its caller goes on (D-39).
pub(super) fn fail(draft: &mut Draft<'_>, thread: Thread, tool: String) -> Result<(), Refusal> {
    for call in draft.calls_in(thread) {
        if matches!(call.state, CallState::Approved(_)) {
            draft.settle(call.id, Settled::Dropped { why: Dropped::NobodyToAsk }, None);
        }
    }
    let rounds = draft.head.run_of(thread).map_or(0, |run| run.rounds);
    match thread {
        None => {
            tree::cut_off(draft, "the task that it belongs to ended.")?;
            draft.end_run(RunEnd::WouldAsk { tool, rounds });
            Ok(())
        }
        Some(run) => {
            let text = words::agent_would_ask(&tool, &draft.ran(run));
            tree::end(draft, run, RunEnd::WouldAsk { tool, rounds }, Settled::Errored, text)
        }
    }
}
