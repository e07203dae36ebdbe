//! Executing calls: claiming them one group at a time, and what follows when they are over.

use std::collections::BTreeMap;

use super::{Draft, quick, steer, stop, tree};
use crate::call::{Call, CallState, Dropped, Kept, Settled, Warrant};
use crate::change::{Act, Change, Left};
use crate::conversation::ConversationKind;
use crate::decide::{Decision, decide};
use crate::faults::{self, Fault};
use crate::head::Thread;
use crate::ids::{CallId, RequestId, RunId};
use crate::input::{GuardVerdict, Guards, Outcome, OutcomeKind, Refusal, Verdict};
use crate::mode::Mode;
use crate::request::{Precondition, Request, RequestKind};
use crate::run::Phase;
use crate::tool::{Origin, Tool, ToolIdentity, requires_approval};
use crate::words;

/// How many parallel-safe neighbours run beside each other at most (D-84).
const MOST_AT_ONCE: usize = 8;

/// Claims the next calls of a thread, in the model's order; with none left, its model is called.
///
/// A call is claimed only here, right before it begins, and every check that can change meanwhile is made here again:
/// the tool is still there and still what it was (D-51), and the warrant still holds (D-97).
pub(super) fn begin(draft: &mut Draft<'_>, thread: Thread) -> Result<(), Refusal> {
    begin_with(draft, thread, &BTreeMap::new())
}

/// The guards looked again at calls that are about to run. Only a rejection counts now, and a guard that failed rejects: an
/// approval that was given before says nothing about a rule that is there since (D-18).
pub(super) fn judged(
    draft: &mut Draft<'_>,
    run: RunId,
    verdicts: &BTreeMap<CallId, Vec<GuardVerdict>>,
) -> Result<(), Refusal> {
    let Some(thread) = draft.head.thread_of_run(run) else { return Ok(()) };
    let phase = draft.head.run_of(thread).map(|run| run.phase);
    if !matches!(phase, Some(Phase::Resolving | Phase::Tools)) || draft.head.has_started(thread) {
        return Ok(());
    }
    for (call, said) in verdicts {
        // A call whose tool is gone since is no guard's business: what begins next says so (D-51).
        let waits = draft.head.calls.get(call).is_some_and(|call| match &call.state {
            CallState::Approved(warrant) => refusal(draft, thread, call, warrant).is_none(),
            CallState::Held(_)
            | CallState::Waiting(_)
            | CallState::Started { .. }
            | CallState::Suspended { .. }
            | CallState::Settled(_) => false,
        });
        let Some((by, reason)) = objection(said).filter(|_| waits) else { continue };
        let text = words::rejected_by_rule(&reason);
        draft.settle(*call, Settled::RejectedByRule { by, reason }, Some(text));
    }
    begin_with(draft, thread, verdicts)
}

/// Who objects to a call that was approved before, and why.
fn objection(said: &[GuardVerdict]) -> Option<(Vec<String>, String)> {
    let mut by = Vec::new();
    let mut reasons = Vec::new();
    for one in said {
        match &one.verdict {
            Verdict::Reject { reason } => reasons.push(reason.as_str()),
            Verdict::Failed { .. } => reasons.push("it could not be checked"),
            Verdict::Approve | Verdict::Abstain => continue,
        }
        by.push(one.guard.clone());
    }
    (!by.is_empty()).then(|| (by, reasons.join("\n")))
}

/// Whether the guards must look again before the call begins: it was let run by a person or by a verdict that was kept, in an
/// earlier run. What was decided in this run they have just seen. A sub-agent's run is one from its start to its end: its phase
/// says whether its batch was resumed.
fn needs_second_look(draft: &Draft<'_>, thread: Thread, call: &Call, warrant: &Warrant) -> bool {
    let guards = draft.world.guards_of(thread.is_none(), draft.head.agent_of(thread));
    match (guards, warrant) {
        (Guards::None, _) | (Guards::Some, Warrant::NotNeeded) => false,
        (Guards::Some, Warrant::Rule { .. } | Warrant::Standing { .. } | Warrant::Auto | Warrant::Answer { .. }) => {
            let earlier = draft.head.run_of(thread).is_some_and(|run| match thread {
                None => run.id != call.proposed_by,
                Some(_) => run.phase == Phase::Resolving,
            });
            !faults::on(Fault::NoSecondLook) && earlier && tool_of(draft, thread, call).is_some_and(requires_approval)
        }
    }
}

fn begin_with(
    draft: &mut Draft<'_>,
    thread: Thread,
    seen: &BTreeMap<CallId, Vec<GuardVerdict>>,
) -> Result<(), Refusal> {
    let Some(run) = draft.head.run_of(thread).map(|run| run.id) else {
        return Ok(());
    };
    loop {
        // What comes after a call that waits for a person inside it has its turn when that goes on (D-94).
        if draft.head.has_suspended(thread) {
            return tree::suspend(draft, thread);
        }
        let approved: Vec<(Call, Warrant)> = draft
            .calls_in(thread)
            .into_iter()
            .filter_map(|call| match &call.state {
                CallState::Approved(warrant) => {
                    let warrant = warrant.clone();
                    Some((call, warrant))
                }
                CallState::Held(_)
                | CallState::Waiting(_)
                | CallState::Started { .. }
                | CallState::Suspended { .. }
                | CallState::Settled(_) => None,
            })
            .collect();
        let Some((first, warrant)) = approved.first() else {
            return call_model(draft, thread);
        };
        if let Some((settled, refusal)) = refusal(draft, thread, first, warrant) {
            draft.settle(first.id, settled, Some(refusal));
            continue;
        }
        if !holds(draft, thread, warrant) {
            if decide_again(draft, thread, &approved)? {
                return Ok(());
            }
            continue;
        }
        // Whatever can't begin now has its turn later; what is before it doesn't wait for that.
        let beside = approved.iter().skip(1).take_while(|(call, warrant)| {
            first.is_parallel_safe()
                && call.is_parallel_safe()
                && refusal(draft, thread, call, warrant).is_none()
                && holds(draft, thread, warrant)
        });
        let mut group: Vec<(Call, Warrant)> =
            approved.iter().take(1).chain(beside.take(MOST_AT_ONCE - 1)).cloned().collect();
        let is_unseen = |(call, warrant): &(Call, Warrant)| {
            !seen.contains_key(&call.id) && needs_second_look(draft, thread, call, warrant)
        };
        let ready = group.iter().take_while(|one| !is_unseen(one)).count();
        if ready < group.len() && (seen.is_empty() || ready == 0) {
            let calls = group.iter().filter(|one| is_unseen(one)).map(|(call, _)| call.id).collect();
            draft.acts.push(Act::JudgeCalls { run, calls });
            return Ok(());
        }
        // A call that moved up while the guards looked waits for its own look. What they have seen doesn't wait for it, or
        // the two looks would take turns for ever.
        group.truncate(ready);
        for (call, warrant) in group {
            claim(draft, thread, &call, warrant)?;
        }
        // What started a background agent, or couldn't start a sub-agent, is over already.
        if draft.head.has_started(thread) || draft.head.run_of(thread).is_none_or(|current| current.id != run) {
            return Ok(());
        }
    }
}

/// A claimed call is over.
pub(super) fn finished(draft: &mut Draft<'_>, run: RunId, call: CallId, outcome: Outcome) -> Result<(), Refusal> {
    let executed = draft.head.calls.get(&call).and_then(|call| match &call.state {
        CallState::Started { run: by, .. } if *by == run => Some((draft.head.thread_of(call), call.tool.clone())),
        CallState::Started { .. }
        | CallState::Held(_)
        | CallState::Waiting(_)
        | CallState::Approved(_)
        | CallState::Suspended { .. }
        | CallState::Settled(_) => None,
    });
    let goes_on = draft.head.run.as_ref().is_some_and(|current| current.id == run);
    let (Some((thread, tool)), true) = (executed, goes_on) else {
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
    draft.push(Change::CallSettled { call, settled, result, left, at: draft.at });
    tree::count(draft, thread, &tool, outcome.kind);
    go_on(draft, thread)
}

/// A call of the thread is over: with the last one that had started, the thread goes on.
pub(super) fn go_on(draft: &mut Draft<'_>, thread: Thread) -> Result<(), Refusal> {
    if draft.head.has_started(thread) {
        return Ok(());
    }
    match draft.head.run_of(thread).map(|run| run.phase) {
        Some(Phase::Stopping) => stop::stopped(draft, thread),
        Some(Phase::Resolving | Phase::Tools) => begin(draft, thread),
        Some(Phase::Model | Phase::LastWord | Phase::Asked | Phase::Background | Phase::Suspended) | None => Ok(()),
    }
}

/// The tool of a call as it is now; none if it isn't there any more, or is another one.
fn tool_of<'a>(draft: &Draft<'a>, thread: Thread, call: &Call) -> Option<&'a Tool> {
    let key = call.identity.as_ref()?.key();
    let mut tools = draft.tools(thread).iter();
    tools.find(|tool| tool.identity.key() == key)
}

/// Whether what let a call run still does (D-97). What a person, a rule or the tool itself decided doesn't lapse here.
fn holds(draft: &Draft<'_>, thread: Thread, warrant: &Warrant) -> bool {
    match warrant {
        Warrant::NotNeeded | Warrant::Rule { .. } | Warrant::Answer { .. } => true,
        _ if faults::on(Fault::WarrantNeverLapses) => true,
        Warrant::Auto => draft.head.mode_in(thread) == Mode::Auto,
        Warrant::Standing { id } => draft.head.standing.iter().any(|one| one.id == *id),
    }
}

/// How a call ends that may not be claimed, and why in words for the model; none if it may.
fn refusal(draft: &Draft<'_>, thread: Thread, call: &Call, warrant: &Warrant) -> Option<(Settled, String)> {
    let not_permitted = |words: String| Some((Settled::NoLongerPermitted, words));
    match (tool_of(draft, thread, call), warrant) {
        _ if faults::on(Fault::NoGateAtClaim) => None,
        (None, _) if was_replaced(draft, thread, call) => {
            Some((Settled::ChangedSinceAsked, words::tool_changed(&call.tool)))
        }
        (None, _) if is_of_absent_server(draft, thread, call) => {
            Some((Settled::Errored, words::SERVER_ABSENT.to_owned()))
        }
        (None, _) => not_permitted(words::no_longer_permitted(draft.denied(thread, &call.tool))),
        (Some(tool), Warrant::NotNeeded) if requires_approval(tool) => {
            not_permitted(words::NEEDS_APPROVAL_NOW.to_owned())
        }
        // Filling in is no approval (N-53, IN-2).
        (Some(tool), Warrant::Answer { .. }) if call.executed.is_some() && requires_approval(tool) => {
            not_permitted(words::NEEDS_APPROVAL_NOW.to_owned())
        }
        (Some(_), _) => None,
    }
}

/// Whether a call's tool belongs to a server of which there is no tool at all now: it isn't running, or isn't there.
fn is_of_absent_server(draft: &Draft<'_>, thread: Thread, call: &Call) -> bool {
    let server = |identity: &ToolIdentity| match &identity.origin {
        Origin::Server { server, .. } => Some(server.clone()),
        Origin::BuiltIn { .. } | Origin::SubAgent { .. } | Origin::Conversation => None,
    };
    let of = call.identity.as_ref().and_then(server);
    of.is_some_and(|of| {
        draft.denied(thread, &call.tool).is_none()
            && draft.tools(thread).iter().all(|tool| server(&tool.identity).as_ref() != Some(&of))
    })
}

/// Whether the server that a call's tool belongs to is launched otherwise now, or says something else of the tool (D-87).
fn was_replaced(draft: &Draft<'_>, thread: Thread, call: &Call) -> bool {
    let identity = call.identity.as_ref();
    identity.is_some_and(|was| draft.tools(thread).iter().any(|tool| was.was_replaced_by(&tool.identity)))
}

/// Claims a call. The conversation's own run is the one that executes it, in whatever thread it lies (D-93).
fn claim(draft: &mut Draft<'_>, thread: Thread, call: &Call, warrant: Warrant) -> Result<(), Refusal> {
    let Some(run) = draft.head.run.as_ref().map(|run| run.id) else { return Ok(()) };
    let used = match &warrant {
        Warrant::Standing { id } => Some(*id),
        Warrant::NotNeeded | Warrant::Rule { .. } | Warrant::Auto | Warrant::Answer { .. } => None,
    };
    draft.push(Change::CallStarted { call: call.id, run, warrant, at: draft.at });
    if let Some(standing) = used {
        draft.push(Change::StandingUsed { standing, at: draft.at });
    }
    if let Some(Origin::SubAgent { agent, goes }) = call.identity.as_ref().map(|identity| &identity.origin) {
        return tree::start(draft, thread, call, *agent, *goes);
    }
    let left = draft.head.run_of(thread).map(|run| &run.left);
    let also = call.preconditions.iter().find_map(|precondition| match precondition {
        Precondition::File { path, .. } => {
            let content = left?.get(path)?.clone();
            Some(Left { path: path.clone(), content })
        }
        Precondition::Folder { .. } | Precondition::Environment { .. } | Precondition::Confined { .. } => None,
    });
    draft.acts.push(Act::RunCall { run, call: call.id, also });
    Ok(())
}

/// Calls a thread's model; the conversation's own with whatever was said to the run meanwhile (TX-STEER, M-22, M-23, D-99).
pub(super) fn call_model(draft: &mut Draft<'_>, thread: Thread) -> Result<(), Refusal> {
    let Some((run, rounds, limit)) = draft.head.run_of(thread).map(|run| (run.id, run.rounds, run.limit)) else {
        return Ok(());
    };
    if tree::is_at_cap(draft, thread) {
        return tree::at_cap(draft, thread);
    }
    if thread.is_none() {
        steer::take(draft, run);
        if !draft.head.conversation.awaits_reply && !draft.head.children.is_empty() {
            // Only background agents go on: there is nothing that the model could reply to (D-99).
            tree::rest(draft);
            return Ok(());
        }
    }
    tree::ask_model(draft, thread, run, rounds >= limit);
    Ok(())
}

/// Decides a call again whose turn has come and whose warrant lapsed, because the mode became stricter or a standing approval
/// was revoked (D-82, D-97). If it must ask, the others of its batch that lapsed are decided with it, so that the person is
/// asked once; the unstarted rest waits along and the run ends asking. Returns whether it did.
fn decide_again(draft: &mut Draft<'_>, thread: Thread, approved: &[(Call, Warrant)]) -> Result<bool, Refusal> {
    let mut asks: Vec<&Call> = Vec::new();
    for (call, warrant) in approved {
        if holds(draft, thread, warrant) {
            continue;
        }
        // Its turn says that the tool is gone; nobody is asked about a call that can't run (D-51).
        let Some(tool) = tool_of(draft, thread, call) else { continue };
        let standing = draft.head.standing.iter().find(|one| one.covers(&tool.identity, &call.exact));
        // The guards had nothing to say about it, or their word would be its warrant.
        match decide(tool, &[], standing.map(|one| one.id), draft.head.mode_in(thread)) {
            Decision::Run(warrant) => draft.push(Change::CallApproved { call: call.id, warrant }),
            // What the person said goes before the question: the call is dropped instead of asked (D-11).
            Decision::Ask | Decision::Reject { .. } if thread.is_none() && draft.head.has_words() => {
                draft.settle(call.id, Settled::Dropped { why: Dropped::PassedBy }, None);
            }
            Decision::Ask | Decision::Reject { .. } => asks.push(call),
        }
        if asks.is_empty() {
            return Ok(false);
        }
    }
    if let (Some(first), ConversationKind::Quick) = (asks.first(), draft.head.conversation.kind) {
        let tool = first.tool.clone();
        quick::fail(draft, thread, tool)?;
        return Ok(true);
    }
    for (call, _) in approved {
        if asks.iter().any(|one| one.id == call.id) {
            ask(draft, call)?;
            continue;
        }
        let state = draft.head.calls.get(&call.id).map(|call| &call.state);
        if let Some(CallState::Approved(warrant)) = state {
            let kept = Kept::Run { warrant: warrant.clone() };
            draft.push(Change::CallHeld { call: call.id, kept });
        }
    }
    tree::suspend(draft, thread)?;
    Ok(true)
}

fn ask(draft: &mut Draft<'_>, call: &Call) -> Result<(), Refusal> {
    let digest = super::call_digest(call, RequestKind::Call).ok_or(Refusal::IllegalInput {
        input: "asking again",
        because: "a call without a tool can't be asked about",
    })?;
    let id: RequestId = draft.ids.take()?;
    draft.push(Change::CallWaits { call: call.id, request: id });
    let request = Request {
        id,
        call: call.id,
        kind: RequestKind::Call,
        preconditions: call.preconditions.clone(),
        digest,
        opened_at: draft.at,
    };
    draft.push(Change::RequestOpened { request, before: None });
    Ok(())
}
