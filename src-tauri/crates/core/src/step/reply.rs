//! The model replied, or failed to: every call of the reply is decided, and either the batch runs or it asks.

use super::{Draft, call_digest, calls, plan_text, quick, tree};
use crate::agent::task_text;
use crate::call::{Call, CallState, Dropped, Kept, Settled, Warrant};
use crate::change::{Change, Message, MessageBody};
use crate::conversation::ConversationKind;
use crate::decide::{Decision, decide, decide_plan};
use crate::faults::{self, Fault};
use crate::head::Thread;
use crate::ids::{CallId, MessageId, RequestId, RunId};
use crate::input::{Judged, ModelReply, ProposedCall, Refusal};
use crate::mode::Mode;
use crate::offer::is_offered;
use crate::request::{Request, RequestKind};
use crate::run::{Failure, Phase, RunEnd};
use crate::tool::{EXIT_PLAN_MODE, Effect, Mark, Marks, Origin, Tool, exit_plan_mode};
use crate::words;

/// How often the same call is asked about after a rejection before it is rejected by itself (D-79).
const MOST_REJECTIONS: usize = 3;
/// The name under which history has such a rejection.
const REPEATED: &str = "repeated after three rejections";

/// What was decided about a proposed call.
struct Placed {
    tool: Option<Tool>,
    verdict: Placement,
}

pub(super) enum Placement {
    Fault(String),
    Run(Warrant),
    Reject { by: Vec<String>, reason: String },
    Ask(RequestKind),
}

pub(super) fn replied(
    draft: &mut Draft<'_>,
    run: RunId,
    reply: ModelReply,
    judged: Vec<Judged>,
) -> Result<(), Refusal> {
    let Some((thread, phase)) = waits_for_model(draft, run) else {
        return Ok(());
    };
    if thread.is_none() {
        // The run replied to what was said after it had asked: now what it asked is passed by (CL-6, D-09).
        tree::pass_by_own(draft)?;
    }
    let message: MessageId = draft.ids.take()?;
    let words = reply.text.clone();
    let body = MessageBody::Assistant { text: reply.text, raw: reply.raw, usage: reply.usage };
    let seq = draft.head.conversation.next_seq;
    draft.push(Change::MessageAdded(Message { id: message, seq, run, thread, body, at: draft.at }));
    let last_word = phase == Phase::LastWord;
    let steered = thread.is_none() && draft.head.has_words();
    if reply.calls.is_empty() {
        return said_all(draft, thread, last_word, words);
    }
    let mut judged = judged;
    judged.resize_with(reply.calls.len(), || Judged {
        fault: Some("it was not looked at".to_owned()),
        ..Judged::default()
    });
    if last_word {
        for (position, (proposed, judged)) in reply.calls.into_iter().zip(judged).enumerate() {
            let placed = Placed { tool: None, verdict: Placement::Fault(words::LIMIT.to_owned()) };
            propose(draft, run, message, position, proposed, judged, placed, Together::Runs)?;
        }
        // What was said at the limit gets one further word, and no new round (D-110).
        return said_all(draft, thread, last_word, words);
    }

    let last_plan = reply.calls.iter().rposition(|call| call.name == EXIT_PLAN_MODE);
    let placed: Vec<Placed> = reply
        .calls
        .iter()
        .zip(&judged)
        .enumerate()
        .map(|(position, (proposed, judged))| place(draft, thread, proposed, judged, Some(position) == last_plan))
        .collect();
    let asks = placed.iter().any(|one| matches!(one.verdict, Placement::Ask(_)));
    let nobody = asks && draft.head.conversation.kind == ConversationKind::Quick;
    let would_ask = first_asking(&reply.calls, &placed).filter(|_| nobody);
    let together = match (asks, steered) {
        (false, _) => Together::Runs,
        (true, _) if nobody => Together::Dropped(Dropped::NobodyToAsk),
        (true, false) => Together::Asks,
        // No question is raised that the person's own words would close at once (D-11).
        (true, true) => Together::Dropped(Dropped::PassedBy),
    };
    for (position, ((proposed, judged), placed)) in reply.calls.into_iter().zip(judged).zip(placed).enumerate() {
        propose(draft, run, message, position, proposed, judged, placed, together)?;
    }
    if let Some(tool) = would_ask {
        return quick::fail(draft, thread, tool);
    }
    match together {
        Together::Asks => tree::suspend(draft, thread)?,
        Together::Dropped(_) => calls::call_model(draft, thread)?,
        Together::Runs => {
            // A round is counted once, when a batch that was decided in this run goes through (D-42). Batches of
            // nothing but faults count too, or a model that errs for ever would never meet the limit.
            let one = u32::from(!faults::on(Fault::UncountedRounds));
            if let Some((run, rounds)) = draft.head.run_of(thread).map(|run| (run.id, run.rounds)) {
                let rounds = rounds.saturating_add(one);
                draft.push(Change::RunPhase { run, phase: Phase::Tools, rounds });
            }
            calls::begin(draft, thread)?;
        }
    }
    Ok(())
}

/// The model made no call that runs: the thread is done, unless something was said to it meanwhile or goes on beside it.
fn said_all(draft: &mut Draft<'_>, thread: Thread, last_word: bool, words: String) -> Result<(), Refusal> {
    let Some(run) = thread else {
        let waits_for_all = last_word && draft.head.working_beside() > 0 && !draft.head.has_words();
        if !draft.head.steering.is_empty() && !waits_for_all {
            return calls::call_model(draft, None);
        }
        tree::rest(draft);
        return Ok(());
    };
    let end = if last_word { RunEnd::Limit } else { RunEnd::Completed };
    let text = match (words.trim().is_empty(), last_word) {
        (false, _) => words,
        (true, true) => words::AGENT_AT_LIMIT.to_owned(),
        (true, false) => words::AGENT_SAID_NOTHING.to_owned(),
    };
    tree::end(draft, run, end, Settled::Succeeded, text)
}

pub(super) fn failed(draft: &mut Draft<'_>, run: RunId, failure: Failure) -> Result<(), Refusal> {
    match waits_for_model(draft, run) {
        None => Ok(()),
        Some((None, _)) => {
            tree::cut_off(draft, "the run's model failed.")?;
            draft.end_run(RunEnd::Failed { failure });
            Ok(())
        }
        Some((Some(child), _)) => {
            let text = words::agent_failed(&failure.text, &draft.ran(child));
            tree::end(draft, child, RunEnd::Failed { failure }, Settled::Errored, text)
        }
    }
}

fn waits_for_model(draft: &Draft<'_>, run: RunId) -> Option<(Thread, Phase)> {
    let thread = draft.head.thread_of_run(run)?;
    let phase = draft.head.run_of(thread)?.phase;
    match phase {
        Phase::Model | Phase::LastWord => Some((thread, phase)),
        Phase::Resolving | Phase::Tools | Phase::Asked | Phase::Background | Phase::Suspended | Phase::Stopping => None,
    }
}

/// The tool of the first call that asks.
fn first_asking(calls: &[ProposedCall], placed: &[Placed]) -> Option<String> {
    let asking = placed.iter().position(|one| matches!(one.verdict, Placement::Ask(_)))?;
    calls.get(asking).map(|call| call.name.clone())
}

fn place(draft: &Draft<'_>, thread: Thread, proposed: &ProposedCall, judged: &Judged, is_last_plan: bool) -> Placed {
    let mode = draft.head.mode_in(thread);
    if proposed.name == EXIT_PLAN_MODE {
        if draft.head.conversation.kind == ConversationKind::Quick {
            return Placed { tool: Some(exit_plan_mode()), verdict: Placement::Fault(words::NOT_PLANNING.to_owned()) };
        }
        return place_plan(mode, thread, proposed, judged, is_last_plan);
    }
    let Some(tool) = draft.tools(thread).iter().find(|tool| tool.identity.name == proposed.name) else {
        let why = match draft.denied(thread, &proposed.name) {
            Some(denied) => words::denied(&proposed.name, denied),
            None => words::unknown_tool(&proposed.name),
        };
        return Placed { tool: None, verdict: Placement::Fault(why) };
    };
    let verdict = if !is_offered(tool, mode) {
        Placement::Fault(words::hidden_while_planning(&proposed.name))
    } else if let Some(why) = &judged.fault {
        Placement::Fault(words::fault(why))
    } else if matches!(tool.identity.origin, Origin::SubAgent { .. }) && task_text(&proposed.arguments).is_none() {
        Placement::Fault(words::NO_TASK.to_owned())
    } else if tool.marks.has(Mark::NeedsInput) {
        // Whatever the mode: Auto answers whether, not what (D-69).
        match &judged.schema {
            Some(_) => Placement::Ask(RequestKind::Input),
            None => Placement::Fault(words::NO_QUESTION.to_owned()),
        }
    } else {
        let standing = draft.head.standing.iter().find(|one| one.covers(&tool.identity, &judged.exact));
        match decide(tool, &judged.verdicts, standing.map(|one| one.id), mode) {
            Decision::Run(warrant) => Placement::Run(warrant),
            // In the place of asking only: what a rule or a standing approval lets through runs (D-110).
            Decision::Ask if judged.rejections >= MOST_REJECTIONS => {
                Placement::Reject { by: vec![REPEATED.to_owned()], reason: words::REJECTED_OFTEN.to_owned() }
            }
            Decision::Ask if draft.head.conversation.kind == ConversationKind::Quick => quick::place(&judged.verdicts),
            Decision::Ask => Placement::Ask(RequestKind::Call),
            Decision::Reject { by, reason } => Placement::Reject { by, reason },
        }
    };
    Placed { tool: Some(tool.clone()), verdict }
}

fn place_plan(mode: Mode, thread: Thread, proposed: &ProposedCall, judged: &Judged, is_last: bool) -> Placed {
    let verdict = match mode {
        // Whoever called a sub-agent hands in the plan (SU-3).
        Mode::Plan | Mode::Default | Mode::Auto if thread.is_some() => {
            Placement::Fault(words::NOT_YOUR_PLAN.to_owned())
        }
        Mode::Default | Mode::Auto => Placement::Fault(words::NOT_PLANNING.to_owned()),
        Mode::Plan if plan_text(&proposed.arguments).is_none() => Placement::Fault(words::NO_PLAN.to_owned()),
        Mode::Plan if !is_last => Placement::Fault(words::SUPERSEDED.to_owned()),
        Mode::Plan => match decide_plan(&judged.verdicts) {
            Decision::Ask | Decision::Run(_) => Placement::Ask(RequestKind::Plan),
            Decision::Reject { by, reason } => Placement::Reject { by, reason },
        },
    };
    Placed { tool: Some(exit_plan_mode()), verdict }
}

/// Whether the batch runs at once or waits for a person; nothing of a batch that asks executes (AS-4).
#[derive(Clone, Copy)]
enum Together {
    Runs,
    Asks,
    Dropped(Dropped),
}

#[expect(clippy::too_many_arguments, reason = "one call's facts from three sources; a struct would only rename them")]
fn propose(
    draft: &mut Draft<'_>,
    run: RunId,
    message: MessageId,
    position: usize,
    proposed: ProposedCall,
    judged: Judged,
    placed: Placed,
    together: Together,
) -> Result<(), Refusal> {
    let id = match faults::id_of_a_call(&proposed.provider_id) {
        Some(same) => CallId(same),
        None => draft.ids.take()?,
    };
    let (state, result, asks) = match (placed.verdict, together) {
        (_, Together::Dropped(why)) => (CallState::Settled(Settled::Dropped { why }), None, None),
        (Placement::Fault(text), Together::Runs) => (CallState::Settled(Settled::Fault), Some(text), None),
        (Placement::Fault(text), Together::Asks) => (CallState::Held(Kept::Fault { text }), None, None),
        (Placement::Run(warrant), Together::Runs) => (CallState::Approved(warrant), None, None),
        (Placement::Run(warrant), Together::Asks) => (CallState::Held(Kept::Run { warrant }), None, None),
        (Placement::Reject { by, reason }, Together::Runs) => {
            let text = words::rejected_by_rule(&reason);
            (CallState::Settled(Settled::RejectedByRule { by, reason }), Some(text), None)
        }
        (Placement::Reject { by, reason }, Together::Asks) => {
            (CallState::Held(Kept::Reject { by, reason }), None, None)
        }
        (Placement::Ask(kind), Together::Runs | Together::Asks) => {
            let request: RequestId = draft.ids.take()?;
            (CallState::Waiting(request), None, Some((request, kind)))
        }
    };
    let call = Call {
        id,
        message,
        position: u32::try_from(position).unwrap_or(u32::MAX),
        provider_id: proposed.provider_id,
        tool: proposed.name,
        identity: placed.tool.as_ref().map(|tool| tool.identity.clone()),
        effect: placed.tool.as_ref().map_or(Effect::Write, |tool| tool.effect),
        marks: placed.tool.map_or_else(Marks::default, |tool| tool.marks),
        arguments: proposed.arguments,
        schema: judged.schema,
        executed: None,
        exact: judged.exact,
        preconditions: judged.preconditions,
        proposed_by: run,
        mode: draft.head.mode_in(draft.head.thread_of_run(run).flatten()),
        state,
    };
    let opened = match asks {
        Some((request, kind)) => {
            let digest = call_digest(&call, kind).ok_or(Refusal::IllegalInput {
                input: "asking",
                because: "a call without a tool can't be asked about",
            })?;
            let preconditions = call.preconditions.clone();
            Some(Request { id: request, call: id, kind, preconditions, digest, opened_at: draft.at })
        }
        None => None,
    };
    draft.push(Change::CallProposed { call, result, verdicts: judged.verdicts, at: draft.at });
    if let Some(request) = opened {
        draft.push(Change::RequestOpened { request, before: judged.before });
    }
    Ok(())
}
