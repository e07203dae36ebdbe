//! Executing calls: claiming them one group at a time, and what follows when they are over.

use super::Draft;
use crate::call::{Call, CallState, Kept, Settled, Warrant};
use crate::change::{Act, Change, Left, OfferedTools};
use crate::ids::{CallId, RequestId, RunId};
use crate::input::{Outcome, OutcomeKind, Refusal};
use crate::mode::Mode;
use crate::request::{Precondition, Request, RequestKind};
use crate::run::{Phase, RunEnd};
use crate::tool::requires_approval;
use crate::words;

/// How many parallel-safe neighbours run beside each other at most (D-84).
const MOST_AT_ONCE: usize = 8;

/// Claims the next calls, in the model's order; with none left, the model is called.
///
/// A call is claimed only here, right before it begins, and every check that can change meanwhile is made here again:
/// the tool is still there and still what it was (D-51), and the warrant still holds (D-97).
pub(super) fn begin(draft: &mut Draft<'_>) -> Result<(), Refusal> {
    let Some(run) = draft.head.run.as_ref().map(|run| run.id) else {
        return Ok(());
    };
    loop {
        let approved: Vec<Call> = draft
            .calls()
            .into_iter()
            .filter(|call| matches!(call.state, CallState::Approved(_)))
            .collect();
        let Some(first) = approved.first() else {
            call_model(draft, run);
            return Ok(());
        };
        let group = if first.is_parallel_safe() {
            approved
                .iter()
                .take_while(|call| call.is_parallel_safe())
                .take(MOST_AT_ONCE)
                .count()
        } else {
            1
        };
        if ask_again(draft, &approved)? {
            return Ok(());
        }
        let mut claimed = 0;
        for call in approved.iter().take(group) {
            // Deciding again may have replaced the warrant; the head has the one that holds.
            let Some(CallState::Approved(warrant)) = draft
                .head
                .calls
                .get(&call.id)
                .map(|call| call.state.clone())
            else {
                continue;
            };
            match permitted(draft, call, &warrant) {
                Some(refusal) => draft.settle(
                    call.id,
                    Settled::NoLongerPermitted,
                    Some(refusal.to_owned()),
                ),
                None => {
                    claim(draft, run, call, warrant);
                    claimed += 1;
                }
            }
        }
        if claimed > 0 {
            return Ok(());
        }
    }
}

/// A claimed call is over.
pub(super) fn finished(
    draft: &mut Draft<'_>,
    run: RunId,
    call: CallId,
    outcome: Outcome,
) -> Result<(), Refusal> {
    let started = draft.head.calls.get(&call).is_some_and(
        |call| matches!(&call.state, CallState::Started { run: by, .. } if *by == run),
    );
    let current = draft
        .head
        .run
        .as_ref()
        .filter(|current| current.id == run)
        .map(|current| current.phase);
    let (true, Some(phase)) = (started, current) else {
        return Ok(());
    };
    let settled = match outcome.kind {
        OutcomeKind::Succeeded => Settled::Succeeded,
        OutcomeKind::Failed => Settled::Errored,
        OutcomeKind::ChangedSinceAsked => Settled::ChangedSinceAsked,
        OutcomeKind::Stopped => Settled::Stopped,
        OutcomeKind::Unknown => Settled::OutcomeUnknown,
    };
    let (result, left) = (Some(outcome.text), outcome.left);
    draft.push(Change::CallSettled {
        call,
        settled,
        result,
        left,
        at: draft.at,
    });
    if draft.has_started() {
        return Ok(());
    }
    match phase {
        Phase::Stopping => draft.end_run(RunEnd::Cancelled),
        Phase::Resolving | Phase::Tools | Phase::Model | Phase::LastWord => begin(draft)?,
    }
    Ok(())
}

/// Why a call may not be claimed, in words for the model; none if it may.
fn permitted(draft: &Draft<'_>, call: &Call, warrant: &Warrant) -> Option<&'static str> {
    let identity = call.identity.as_ref().map(crate::tool::ToolIdentity::key);
    let tool = draft
        .world
        .tools
        .iter()
        .find(|tool| Some(tool.identity.key()) == identity);
    match (tool, warrant) {
        (None, _) => Some(words::NO_LONGER_PERMITTED),
        (Some(tool), Warrant::NotNeeded) if requires_approval(tool) => {
            Some(words::NEEDS_APPROVAL_NOW)
        }
        (Some(_), _) => None,
    }
}

fn claim(draft: &mut Draft<'_>, run: RunId, call: &Call, warrant: Warrant) {
    let used = match &warrant {
        Warrant::Standing { id } => Some(*id),
        Warrant::NotNeeded | Warrant::Rule { .. } | Warrant::Auto | Warrant::Answer { .. } => None,
    };
    draft.push(Change::CallStarted {
        call: call.id,
        run,
        warrant,
        at: draft.at,
    });
    if let Some(standing) = used {
        draft.push(Change::StandingUsed {
            standing,
            at: draft.at,
        });
    }
    let left = draft.head.run.as_ref().map(|run| &run.left);
    let also = call
        .preconditions
        .iter()
        .find_map(|precondition| match precondition {
            Precondition::File { path, .. } => {
                let content = left?.get(path)?.clone();
                Some(Left {
                    path: path.clone(),
                    content,
                })
            }
            Precondition::Folder { .. } => None,
        });
    draft.acts.push(Act::RunCall {
        run,
        call: call.id,
        also,
    });
}

fn call_model(draft: &mut Draft<'_>, run: RunId) {
    let Some((rounds, limit)) = draft.head.run.as_ref().map(|run| (run.rounds, run.limit)) else {
        return;
    };
    let (phase, tools) = if rounds >= limit {
        (Phase::LastWord, OfferedTools::None)
    } else {
        (Phase::Model, OfferedTools::OfMode)
    };
    draft.phase(phase, rounds);
    draft.acts.push(Act::CallModel { run, tools });
}

/// Decides calls again whose warrant lapsed because the mode became stricter or a standing approval was revoked
/// (D-82, D-97). If one of them must ask now, the unstarted rest of the batch waits with it and the run ends asking.
/// Returns whether it did.
fn ask_again(draft: &mut Draft<'_>, approved: &[Call]) -> Result<bool, Refusal> {
    let mut asks: Vec<&Call> = Vec::new();
    for call in approved {
        let CallState::Approved(warrant) = &call.state else {
            continue;
        };
        let holds = match warrant {
            Warrant::NotNeeded | Warrant::Rule { .. } | Warrant::Answer { .. } => true,
            Warrant::Auto => draft.head.conversation.mode == Mode::Auto,
            Warrant::Standing { id } => draft.head.standing.iter().any(|one| one.id == *id),
        };
        if holds {
            continue;
        }
        let cover = call.identity.as_ref().and_then(|identity| {
            draft
                .head
                .standing
                .iter()
                .find(|one| one.covers(identity, &call.exact))
                .map(|one| one.id)
        });
        match (cover, draft.head.conversation.mode) {
            (Some(id), _) => draft.push(Change::CallApproved {
                call: call.id,
                warrant: Warrant::Standing { id },
            }),
            (None, Mode::Auto) => draft.push(Change::CallApproved {
                call: call.id,
                warrant: Warrant::Auto,
            }),
            (None, Mode::Default | Mode::Plan) => asks.push(call),
        }
    }
    if asks.is_empty() {
        return Ok(false);
    }
    for call in approved {
        if asks.iter().any(|one| one.id == call.id) {
            let id: RequestId = draft.ids.take()?;
            let Some(digest) = super::call_digest(call, RequestKind::Call) else {
                continue;
            };
            draft.push(Change::CallWaits {
                call: call.id,
                request: id,
            });
            let request = Request {
                id,
                call: call.id,
                kind: RequestKind::Call,
                preconditions: call.preconditions.clone(),
                digest,
                opened_at: draft.at,
            };
            draft.push(Change::RequestOpened {
                request,
                before: None,
            });
        } else if let Some(CallState::Approved(warrant)) = draft
            .head
            .calls
            .get(&call.id)
            .map(|call| call.state.clone())
        {
            draft.push(Change::CallHeld {
                call: call.id,
                kept: Kept::Run { warrant },
            });
        }
    }
    draft.end_run(RunEnd::Asked);
    Ok(true)
}
