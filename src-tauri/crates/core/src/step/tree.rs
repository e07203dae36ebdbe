//! Sub-agents: runs below the conversation's own run. Each is one row from its start to its end; what asks in it waits on the
//! conversation, and everything above it waits along (D-39, D-80, D-81, D-93).

use super::{Draft, calls, stop};
use crate::agent::{DEEPEST, task_text};
use crate::call::{Call, CallState, Dropped, Settled};
use crate::change::{Act, Change, Message, MessageBody, OfferedTools};
use crate::faults::{self, Fault};
use crate::head::Thread;
use crate::ids::{AgentId, MessageId, RunId};
use crate::input::{OutcomeKind, Refusal, SubAgent};
use crate::request::{Closing, PassedBy};
use crate::run::{Child, Goes, Phase, Run, RunEnd, Said, Steering};
use crate::tool::Effect;
use crate::words;

/// A claimed call starts a sub-agent. Where it can't, that is the call's result.
pub(super) fn start(
    draft: &mut Draft<'_>,
    thread: Thread,
    call: &Call,
    agent: AgentId,
    goes: Goes,
) -> Result<(), Refusal> {
    // A sub-agent's own background agents would outlive what its caller waits for: below the first level they go in line.
    let goes = if thread.is_some() { Goes::InLine } else { goes };
    let sub = draft.world.agents.get(&agent).cloned();
    let task = task_text(call.to_execute());
    let why = match (unable(draft, thread, agent, goes), &sub, &task) {
        (Some(why), _, _) => Some(why),
        (None, None, _) => Some(words::NO_AGENT),
        (None, Some(_), None) => Some(words::NO_TASK),
        (None, Some(_), Some(_)) => None,
    };
    if let Some(why) = why {
        draft.settle(call.id, Settled::Errored, Some(why.to_owned()));
    }
    let (None, Some(sub), Some(task)) = (why, sub, task) else { return Ok(()) };
    let Some(root) = draft.head.run.clone() else { return Ok(()) };
    let id: RunId = draft.ids.take()?;
    let name = match goes {
        Goes::InLine => call.tool.clone(),
        Goes::Beside => format!("{} {}", call.tool, root.agents_started.saturating_add(1)),
    };
    draft.push(Change::RunStarted(run_of(draft, id, &root, call, thread, agent, goes, &name, &sub)));
    if goes == Goes::Beside {
        // Its answer comes as a message; the call is over as soon as it has started (D-99).
        draft.settle(call.id, Settled::Succeeded, Some(words::started_beside(&name)));
    }
    let message: MessageId = draft.ids.take()?;
    let seq = draft.head.conversation.next_seq;
    let body = MessageBody::User { text: task };
    draft.push(Change::MessageAdded(Message { id: message, seq, run: id, thread: Some(id), body, at: draft.at }));
    calls::call_model(draft, Some(id))
}

#[expect(clippy::too_many_arguments, reason = "a run's facts from the call, its caller and its profile")]
fn run_of(
    draft: &Draft<'_>,
    id: RunId,
    root: &Run,
    call: &Call,
    parent: Thread,
    agent: AgentId,
    goes: Goes,
    name: &str,
    sub: &SubAgent,
) -> Run {
    Run {
        id,
        phase: Phase::Model,
        rounds: 0,
        limit: sub.limit.max(1),
        // The mode in which it was called, also if its batch was held meanwhile (D-40, D-110).
        mode_start: call.mode,
        owner: root.owner,
        agent_revision: sub.revision,
        left: std::collections::BTreeMap::new(),
        caps: root.caps,
        model_calls: 0,
        agents_started: 0,
        child: Some(Child {
            call: call.id,
            parent,
            agent,
            name: name.to_owned(),
            goes,
            ran: crate::run::Ran::default(),
        }),
        started_at: draft.at,
    }
}

/// Why no sub-agent of this profile can start here, in words for the model.
fn unable(draft: &Draft<'_>, thread: Thread, agent: AgentId, goes: Goes) -> Option<&'static str> {
    let up = draft.head.up_from(thread);
    let on_the_way = |run: &RunId| draft.head.child(*run).map(|child| child.agent);
    if up.len() >= DEEPEST
        || agent == draft.head.conversation.agent
        || up.iter().filter_map(on_the_way).any(|one| one == agent)
    {
        return Some(words::TOO_DEEP);
    }
    let root = draft.head.run.as_ref()?;
    if root.agents_started >= root.caps.agents {
        return Some(words::TOO_MANY_AGENTS);
    }
    let beside = u32::try_from(draft.head.working_beside()).unwrap_or(u32::MAX);
    (goes == Goes::Beside && beside >= root.caps.beside).then_some(words::TOO_MANY_BESIDE)
}

/// Whether the run and everything below it have called models as often as they may (D-109). Calls under way are counted.
pub(super) fn is_at_cap(draft: &Draft<'_>, thread: Thread) -> bool {
    let under_way = |run: &&Run| matches!(run.phase, Phase::Model | Phase::LastWord);
    let others = draft.head.children.values().filter(|run| Some(run.id) != thread).filter(under_way).count();
    let Some(root) = &draft.head.run else { return false };
    root.model_calls.saturating_add(u32::try_from(others).unwrap_or(u32::MAX)) >= root.caps.model_calls
}

/// Adds an executed call to what its sub-agent ran.
pub(super) fn count(draft: &mut Draft<'_>, thread: Thread, tool: &str, how: OutcomeKind) {
    let Some((run, child)) = thread.and_then(|run| Some((run, draft.head.child(run)?))) else { return };
    let mut ran = child.ran.clone();
    let unknown = match how {
        OutcomeKind::ChangedSinceAsked => return,
        OutcomeKind::Unknown => 1,
        OutcomeKind::Succeeded | OutcomeKind::Failed | OutcomeKind::Stopped => 0,
    };
    let one = crate::run::Ran { calls: std::iter::once((tool.to_owned(), 1)).collect(), unknown };
    ran.add(&one);
    draft.push(Change::AgentRan { run, ran });
}

/// A sub-agent is done: its call has a result, or its message waits, and whoever waited for that goes on.
pub(super) fn end(
    draft: &mut Draft<'_>,
    run: RunId,
    end: RunEnd,
    settled: Settled,
    text: String,
) -> Result<(), Refusal> {
    let Some(child) = draft.head.child(run).cloned() else { return Ok(()) };
    close(draft, run, end, settled, text)?;
    match child.goes {
        Goes::InLine => calls::go_on(draft, child.parent),
        Goes::Beside => beside_changed(draft),
    }
}

/// Ends a sub-agent's run and nothing else. None of its calls may be unsettled any more.
pub(super) fn close(
    draft: &mut Draft<'_>,
    run: RunId,
    end: RunEnd,
    settled: Settled,
    text: String,
) -> Result<(), Refusal> {
    let Some(child) = draft.head.child(run).cloned() else { return Ok(()) };
    if let Some((parent, above)) = child.parent.and_then(|run| Some((run, draft.head.child(run)?))) {
        let mut ran = above.ran.clone();
        ran.add(&child.ran);
        draft.push(Change::AgentRan { run: parent, ran });
    }
    draft.push(Change::RunEnded { run, end, at: draft.at });
    match child.goes {
        Goes::InLine => draft.settle(child.call, settled, Some(text)),
        Goes::Beside => {
            let id: MessageId = draft.ids.take()?;
            let from = Said::Agent { name: child.name };
            draft.push(Change::SteeringQueued(Steering { id, text, from, at: draft.at }));
        }
    }
    Ok(())
}

/// A thread can do no more before a person has answered: something in it or below it asks, and all that had started settled
/// (D-81). Everything that waits for it waits along.
pub(super) fn suspend(draft: &mut Draft<'_>, thread: Thread) -> Result<(), Refusal> {
    let Some(run) = thread else {
        ask(draft);
        return Ok(());
    };
    let Some(child) = draft.head.child(run).cloned() else { return Ok(()) };
    wait(draft, run);
    draft.acts.push(Act::Notice);
    match child.goes {
        // Nothing of the run above waits for it, and one that has nothing else to wait for ends.
        Goes::Beside => beside_changed(draft),
        Goes::InLine if draft.head.has_started(child.parent) => Ok(()),
        Goes::InLine => suspend(draft, child.parent),
    }
}

/// A sub-agent waits, and the call that it was started by with it.
pub(super) fn wait(draft: &mut Draft<'_>, run: RunId) {
    draft.phase(Some(run), Phase::Suspended);
    let Some(call) = draft.head.child(run).map(|child| child.call) else { return };
    let executing = draft.head.calls.get(&call).filter(|call| matches!(call.state, CallState::Started { .. }));
    if let Some(warrant) = executing.and_then(Call::claimed_by).cloned() {
        draft.push(Change::CallSuspended { call, warrant });
    }
}

/// The conversation's own run asked. It ends once no background agent is at work (BG-2).
fn ask(draft: &mut Draft<'_>) {
    if draft.head.working_beside() == 0 || faults::on(Fault::EndsBesideWork) {
        draft.end_run(RunEnd::Asked);
        return;
    }
    draft.phase(None, Phase::Asked);
    draft.acts.push(Act::Notice);
}

/// The conversation's own model has nothing more to say. The run ends once no background agent is at work (D-99).
pub(super) fn rest(draft: &mut Draft<'_>) {
    let Some(root) = &draft.head.run else { return };
    let (rounds, limit) = (root.rounds, root.limit);
    if draft.head.working_beside() > 0 {
        draft.phase(None, Phase::Background);
        return;
    }
    // What a suspended background agent asks is what waits now (D-80).
    let asks = draft.head.children.values().any(|run| run.phase == Phase::Suspended);
    draft.end_run(match (asks, rounds >= limit) {
        (true, _) => RunEnd::Asked,
        (false, true) => RunEnd::Limit,
        (false, false) => RunEnd::Completed,
    });
}

/// A background agent ended or waits for a person: the conversation's own run may go on or end.
fn beside_changed(draft: &mut Draft<'_>) -> Result<(), Refusal> {
    if faults::on(Fault::BackgroundCloses) {
        pass_by_own(draft)?;
    }
    let Some(root) = &draft.head.run else { return Ok(()) };
    let (phase, spent) = (root.phase, root.rounds >= root.limit);
    let working = draft.head.working_beside() > 0;
    match phase {
        Phase::Asked if !working => draft.end_run(RunEnd::Asked),
        // At the limit there is one last word, when all of them are done.
        Phase::Background if !(draft.head.steering.is_empty() || working && spent) => {
            return calls::call_model(draft, None);
        }
        Phase::Background if !working => rest(draft),
        Phase::Stopping => stop::stopped(draft, None)?,
        Phase::Asked
        | Phase::Background
        | Phase::Resolving
        | Phase::Model
        | Phase::LastWord
        | Phase::Tools
        | Phase::Suspended => {}
    }
    Ok(())
}

/// The sub-agents that an input goes on with: those that a request lies in that it answers, or a call that it continues, and
/// everything above them.
pub(super) fn gone_on_with(draft: &Draft<'_>, is_answered: impl Fn(&Call) -> bool) -> Vec<RunId> {
    let mut runs = Vec::new();
    for call in draft.head.calls.values().filter(|call| is_answered(call)) {
        for run in draft.head.up_from(draft.head.thread_of(call)) {
            if !runs.contains(&run) {
                runs.push(run);
            }
        }
    }
    runs
}

/// Suspended sub-agents go on: their calls are executing again, as returns and not as second starts (D-81, D-93).
pub(super) fn resume(draft: &mut Draft<'_>, root: RunId, runs: &[RunId]) {
    for run in runs {
        draft.phase(Some(*run), Phase::Resolving);
        let Some(call) = draft.head.child(*run).map(|child| child.call) else { continue };
        let suspended = draft.head.calls.get(&call).filter(|call| matches!(call.state, CallState::Suspended { .. }));
        if let Some(warrant) = suspended.and_then(Call::claimed_by).cloned() {
            draft.push(Change::CallResumed { call, run: root, warrant, at: draft.at });
        }
    }
}

/// Lets every sub-agent go that waits and isn't among those that go on. What it executed is said in its result; it never
/// vanishes.
pub(super) fn leave(draft: &mut Draft<'_>, stay: &[RunId], by: PassedBy) -> Result<(), Refusal> {
    for run in draft.head.deepest_first() {
        let waits = draft.head.children.get(&run).is_some_and(|run| run.phase == Phase::Suspended);
        if waits && !stay.contains(&run) && !faults::on(Fault::LeaveSuspended) {
            leave_one(draft, run, by)?;
        }
    }
    Ok(())
}

fn leave_one(draft: &mut Draft<'_>, run: RunId, by: PassedBy) -> Result<(), Refusal> {
    for call in draft.calls_in(Some(run)) {
        drop_call(draft, &call, by);
    }
    let ran = draft.ran(run);
    let text = match by {
        PassedBy::NewInput | PassedBy::Steering => words::moved_on(&ran),
        PassedBy::Stopped | PassedBy::Withdrawn => words::agent_stopped(&ran),
    };
    close(draft, run, RunEnd::Cancelled, Settled::Stopped, text)
}

/// A call that hasn't started never will.
pub(super) fn drop_call(draft: &mut Draft<'_>, call: &Call, by: PassedBy) {
    let why = match by {
        PassedBy::Stopped | PassedBy::Withdrawn => Dropped::Stopped,
        PassedBy::NewInput | PassedBy::Steering => Dropped::PassedBy,
    };
    match &call.state {
        CallState::Waiting(request) => {
            let by_run = draft.head.run.as_ref().map(|run| run.id).filter(|_| by != PassedBy::Stopped);
            let closing = Closing::PassedBy { by };
            draft.push(Change::RequestClosed { request: *request, closing, by_run, at: draft.at });
            draft.settle(call.id, Settled::Dropped { why }, None);
        }
        CallState::Held(_) => draft.settle(call.id, Settled::Dropped { why }, None),
        CallState::Approved(_) if draft.head.is_behind_suspended(call) => {
            draft.settle(call.id, Settled::Dropped { why }, None);
        }
        CallState::Approved(_) => draft.settle(call.id, Settled::Dropped { why: Dropped::NeverRun }, None),
        CallState::Started { .. } | CallState::Suspended { .. } | CallState::Settled(_) => {}
    }
}

/// What waits of the conversation's own calls is passed by, because the run replied to what was said after it (TX-STEER-DONE).
/// Background agents keep their requests (D-80).
pub(super) fn pass_by_own(draft: &mut Draft<'_>) -> Result<(), Refusal> {
    if draft.head.calls_in(None).is_empty() {
        return Ok(());
    }
    let children = draft.head.children.keys().copied();
    let beside: Vec<RunId> = children.filter(|run| draft.head.is_below_beside(Some(*run))).collect();
    for call in draft.calls_in(None) {
        drop_call(draft, &call, PassedBy::Steering);
    }
    leave(draft, &beside, PassedBy::Steering)
}

/// The run ends although sub-agents are at work, because its model failed or a cap was reached: they are cut off where they are.
/// What had started may have happened.
pub(super) fn cut_off(draft: &mut Draft<'_>, why: &str) -> Result<(), Refusal> {
    let at_work: Vec<RunId> = draft
        .head
        .deepest_first()
        .into_iter()
        .filter(|run| {
            let up = draft.head.up_from(Some(*run));
            let top = up.last().and_then(|top| draft.head.children.get(top));
            top.is_some_and(|top| top.phase != Phase::Suspended)
        })
        .collect();
    if at_work.is_empty() {
        return Ok(());
    }
    if let Some(root) = draft.head.run.as_ref().map(|run| run.id) {
        draft.acts.push(Act::CancelModel { run: root });
        draft.acts.push(Act::CancelCalls { run: root });
    }
    for run in at_work {
        cut_started(draft, Some(run));
        for call in draft.calls_in(Some(run)) {
            drop_call(draft, &call, PassedBy::Stopped);
        }
        let text = words::agent_failed(why, &draft.ran(run));
        close(draft, run, RunEnd::Cancelled, Settled::Errored, text)?;
    }
    Ok(())
}

/// Settles what is executing in a thread and can't report any more (D-54). A call whose sub-agent is still there waits with it.
pub(super) fn cut_started(draft: &mut Draft<'_>, thread: Thread) {
    for call in draft.calls_in(thread) {
        if !matches!(call.state, CallState::Started { .. }) || draft.head.started_by(call.id).is_some() {
            continue;
        }
        // What a server did that had asked for something is as unknown as what a write did (D-86).
        let asked = !draft.head.held_by(call.id).is_empty();
        let (settled, text, how) = match call.effect {
            Effect::Read if !asked => (Settled::Errored, words::INTERRUPTED, OutcomeKind::Failed),
            Effect::Read | Effect::IdempotentWrite | Effect::Write => {
                (Settled::OutcomeUnknown, words::OUTCOME_UNKNOWN, OutcomeKind::Unknown)
            }
        };
        draft.settle(call.id, settled, Some(text.to_owned()));
        count(draft, thread, &call.tool, how);
    }
}

/// A sub-agent's model calls are over; see [`calls::call_model`].
pub(super) fn at_cap(draft: &mut Draft<'_>, thread: Thread) -> Result<(), Refusal> {
    let Some(run) = thread else {
        cut_off(draft, words::AGENT_AT_LIMIT)?;
        draft.end_run(RunEnd::Limit);
        return Ok(());
    };
    let text = words::agent_failed(words::AGENT_AT_LIMIT, &draft.ran(run));
    end(draft, run, RunEnd::Limit, Settled::Errored, text)
}

/// Calls a model for a thread.
pub(super) fn ask_model(draft: &mut Draft<'_>, thread: Thread, run: RunId, spent: bool) {
    let (phase, tools) =
        if spent { (Phase::LastWord, OfferedTools::None) } else { (Phase::Model, OfferedTools::OfMode) };
    draft.phase(thread, phase);
    draft.acts.push(Act::CallModel { run, tools });
}
