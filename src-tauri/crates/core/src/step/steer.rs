//! Steering: what a person says to a run that is going on. It is stored until the run's next model call takes it.

use super::Draft;
use crate::change::{Change, Message, MessageBody};
use crate::ids::{MessageId, RunId};
use crate::input::Refusal;
use crate::run::{Phase, Steering};

/// The most words that a run may have before it (D-109).
const MOST: usize = 32;

/// Stores the person's words for the run. When no run is going on they are refused and stay with the person (D-83).
pub(super) fn steer(draft: &mut Draft<'_>, text: String) -> Result<(), Refusal> {
    match draft.head.run.as_ref().map(|run| run.phase) {
        None | Some(Phase::Stopping) => return Err(Refusal::NotRunning),
        Some(Phase::Resolving | Phase::Model | Phase::LastWord | Phase::Tools) => {}
    }
    if text.trim().is_empty() {
        return Err(Refusal::IllegalInput { input: "adding to the run", because: "there are no words" });
    }
    if draft.head.steering.len() >= MOST {
        return Err(Refusal::TooMuchSteering(MOST));
    }
    let id: MessageId = draft.ids.take()?;
    draft.push(Change::SteeringQueued(Steering { id, text, at: draft.at }));
    Ok(())
}

/// The run takes everything that was said, in order: each becomes a message before the model is called.
pub(super) fn take(draft: &mut Draft<'_>, run: RunId) {
    let waiting = draft.head.steering.clone();
    if waiting.is_empty() {
        return;
    }
    draft.push(Change::SteeringTaken { taken: waiting.iter().map(|one| one.id).collect() });
    for one in waiting {
        let seq = draft.head.conversation.next_seq;
        let body = MessageBody::User { text: one.text };
        draft.push(Change::MessageAdded(Message { id: one.id, seq, run, body, at: draft.at }));
    }
}
