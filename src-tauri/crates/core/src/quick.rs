//! A Quick task: one run without a conversation to go on with. It works with tools that need nobody and can never pause.
//!
//! # Design
//!
//! It is stored as a conversation of its own kind that no list shows (D-105), so that claiming, fencing, recovery and the
//! journal are the same ones as everywhere. What it may not do is held in three places: nothing that needs a person is given
//! to it ([`admits`]), a call that would ask ends it ([`crate::run::RunEnd::WouldAsk`]), and the database refuses a request
//! under it.

use crate::call::{CallState, Dropped, Settled};
use crate::change::Change;
use crate::conversation::ConversationKind;
use crate::head::Head;
use crate::ids::At;
use crate::input::{Input, NewConversation, Refusal, RunInput};
use crate::request::ClosedReason;
use crate::step::{Step, create};

/// The changes that make what a Quick task is stored under.
pub fn create_quick(new: NewConversation, at: At) -> Step {
    let mut step = create(new, at);
    step.head.conversation.kind = ConversationKind::Quick;
    step.changes = vec![Change::ConversationCreated(step.head.conversation.clone())];
    step
}

/// Whether a conversation takes this input at all; everything but a Quick task does.
///
/// # Errors
/// [`Refusal::ApprovalClosed`] for answers: there is nothing that they could belong to (D-64).
/// [`Refusal::IllegalInput`] for whatever would go on with it.
pub(crate) fn admits(head: &Head, input: &Input) -> Result<(), Refusal> {
    match head.conversation.kind {
        ConversationKind::Thread => return Ok(()),
        ConversationKind::Quick => {}
    }
    match input {
        Input::Start(start) => admits_start(head, start),
        Input::Steer { .. }
        | Input::Drop { .. }
        | Input::Revoke { .. }
        | Input::Unrevoke { .. }
        | Input::Rename { .. } => {
            Err(Refusal::IllegalInput { input: "going on with it", because: "a Quick task is one run and no more" })
        }
        Input::Asked { .. } => {
            Err(Refusal::IllegalInput { input: "asking", because: "nobody is there to be asked in a Quick task" })
        }
        Input::ModelReplied { .. }
        | Input::Withdrawn { .. }
        | Input::ModelFailed { .. }
        | Input::CallsJudged { .. }
        | Input::CallFinished { .. }
        | Input::StartQueued(_)
        | Input::ReturnQueued { .. }
        | Input::Stop
        | Input::Tighten { .. }
        | Input::TimePassed
        | Input::Delete => Ok(()),
    }
}

fn admits_start(head: &Head, start: &RunInput) -> Result<(), Refusal> {
    if !start.answers.is_empty() {
        let unknown: std::collections::BTreeSet<_> = start.answers.iter().map(|answer| answer.request).collect();
        let unknown = unknown.into_iter().map(|request| (request, ClosedReason::Unknown));
        return Err(Refusal::ApprovalClosed(unknown.collect()));
    }
    // Messages are numbered from 1, so a first one says that its run began.
    if head.run.is_some() || head.conversation.next_seq > 1 {
        return Err(Refusal::IllegalInput {
            input: "starting it again",
            because: "a Quick task is one run and no more",
        });
    }
    Ok(())
}

/// What a dead process left of a Quick task: nobody is there to say *Run it now*, so what was let through and hadn't begun
/// never will.
pub(crate) fn left_behind(head: &Head, at: At) -> Vec<Change> {
    let left = match head.conversation.kind {
        ConversationKind::Thread => Vec::new(),
        ConversationKind::Quick => head.calls_in_order(),
    };
    let never = Settled::Dropped { why: Dropped::NeverRun };
    left.into_iter()
        .filter(|call| matches!(call.state, CallState::Approved(_)))
        .map(|call| Change::CallSettled { call: call.id, settled: never.clone(), result: None, left: None, at })
        .collect()
}
