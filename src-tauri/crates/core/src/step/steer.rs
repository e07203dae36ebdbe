//! Steering: what a person says to a run that is going on. It is stored until the run's next model call takes it.

use super::{Draft, calls};
use crate::change::{Change, Message, MessageBody};
use crate::ids::{MessageId, RunId};
use crate::input::Refusal;
use crate::run::{Phase, Said, Steering};

/// The most words that a run may have before it (D-109).
const MOST: usize = 32;

/// Stores the person's words for the run. When no run is going on they are refused and stay with the person (D-83).
pub(super) fn steer(draft: &mut Draft<'_>, text: String) -> Result<(), Refusal> {
    match draft.head.run.as_ref().map(|run| run.phase) {
        None | Some(Phase::Stopping | Phase::Suspended) => return Err(Refusal::NotRunning),
        Some(Phase::Resolving | Phase::Model | Phase::LastWord | Phase::Tools | Phase::Asked | Phase::Background) => {}
    }
    if text.trim().is_empty() {
        return Err(Refusal::IllegalInput { input: "adding to the run", because: "there are no words" });
    }
    let untaken = draft.head.steering.iter().filter(|one| one.from == Said::Person).count();
    if untaken >= MOST {
        return Err(Refusal::TooMuchSteering(MOST));
    }
    let id: MessageId = draft.ids.take()?;
    draft.push(Change::SteeringQueued(Steering { id, text, from: Said::Person, at: draft.at }));
    // A run that only waits for background agents takes it at once; what it had asked stays open until it has replied (D-09).
    match draft.head.run.as_ref().map(|run| run.phase) {
        Some(Phase::Asked | Phase::Background) => calls::call_model(draft, None),
        Some(Phase::Resolving | Phase::Model | Phase::LastWord | Phase::Tools | Phase::Suspended | Phase::Stopping)
        | None => Ok(()),
    }
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
        let body = match one.from {
            Said::Person => MessageBody::User { text: one.text },
            Said::Agent { name } => MessageBody::Agent { name, text: one.text },
        };
        draft.push(Change::MessageAdded(Message { id: one.id, seq, run, thread: None, body, at: draft.at }));
    }
}
