//! Carrying out what a step asks for: calling the model, judging its calls, executing a claimed call. Each act is a task
//! that reports back with a letter; none of them writes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use countersign_core::call::{Call, CallState, Warrant};
use countersign_core::change::{Left, OfferedTools};
use countersign_core::conversation::ConversationKind;
use countersign_core::digest::exact;
use countersign_core::head::{Head, Thread};
use countersign_core::ids::{CallId, ConversationId, RunId};
use countersign_core::input::{
    GuardVerdict, Input, Judged, ModelReply, Outcome, OutcomeKind, ProposedCall, RunInput, Verdict,
};
use countersign_core::mode::Mode;
use countersign_core::offer::{is_offered, offer, offer_below};
use countersign_core::parse;
use countersign_core::run::{Failure, FailureKind};
use countersign_core::tool::{EXIT_PLAN_MODE, Mark, Origin, Tool, exit_plan_mode, requires_approval};
use countersign_core::transcript::{Meanwhile, check};
use countersign_core::words;
use countersign_store::record::Record;
use tokio_util::task::AbortOnDropHandle;

use crate::crew::Member;
use crate::engine::Shared;
use crate::feed::News;
use crate::mailbox::{Desk, Letter};
use crate::ports::{Asks, Deltas, GuardedCall, GuardedRun, Outfit, Prepared, Prompt, ToRun, Whole};
use crate::question;

/// Streamed text is passed on at most this often.
const DELTA_EVERY: Duration = Duration::from_millis(100);
/// How long a stopped call may take to settle (D-91).
const SETTLE: Duration = Duration::from_secs(5);
/// How long a guard may take; then it counts as failed and the call asks (D-17).
const GUARD: Duration = Duration::from_secs(10);

/// Calls a thread's model with the thread as it stands.
pub(crate) fn call_model(desk: &mut Desk, run: RunId, thread: Thread, tools: OfferedTools) {
    let shared = Arc::clone(&desk.shared);
    let conversation = desk.conversation;
    let member = desk.head.as_ref().and_then(|head| member_of(desk, head, thread));
    let (Some(head), Some(Member { profile, outfit, .. }), Some(kept)) =
        (&desk.head, member.clone(), desk.threads.get_mut(&thread))
    else {
        report(shared, conversation, failed(run, FailureKind::Agent, "the agent is not ready"));
        return;
    };
    let mode = head.mode_in(thread);
    // What the run is told about calls that wait, where the person said something after it had asked (D-96).
    let meanwhile = (!head.calls_in(thread).is_empty()).then(|| Meanwhile::of(head, thread));
    let settled = kept.transcript.settled_len();
    let messages = match kept.transcript.view(meanwhile.as_ref()) {
        Ok(messages) => messages,
        Err(error) => {
            tracing::error!(%error, "the history can't be sent");
            report(shared, conversation, failed(run, FailureKind::Agent, "the stored history can't be sent"));
            return;
        }
    };
    if let Err(error) = check(&messages, kept.checked) {
        tracing::error!(%error, "the outgoing history is not one that a provider accepts");
        // In a test or a debug build this must not pass unseen; in a release the provider has the last word.
        debug_assert!(false, "bad outgoing history: {error}");
    }
    kept.checked = settled;
    let all = member.as_ref().map(Member::tools).unwrap_or_default();
    // A Quick task has nobody to hand a plan to (D-46).
    let plans = thread.is_none() && head.conversation.kind == ConversationKind::Thread;
    let planning = match (plans, thread) {
        (true, _) => words::PLANNING,
        (false, Some(_)) => words::PLANNING_BELOW,
        (false, None) => words::PLANNING_ALONE,
    };
    let prompt = Prompt {
        system: match mode {
            Mode::Plan => format!("{}\n\n{planning}", profile.instructions).trim().to_owned(),
            Mode::Default | Mode::Auto => profile.instructions,
        },
        messages,
        tools: match tools {
            OfferedTools::OfMode if plans => offer(&all, mode),
            OfferedTools::OfMode => offer_below(&all, mode),
            OfferedTools::None => Vec::new(),
        },
    };
    let prices = profile.asking.prices;
    let stop = desk.model.clone();
    // Text is shown as it comes for the conversation's own model; what a sub-agent says is shown when it has said it.
    let deltas = if thread.is_none() { deltas(&shared, conversation, run) } else { Deltas::nowhere() };
    desk.shared.tasks.spawn(async move {
        let called = tokio::spawn({
            let outfit = outfit.clone();
            async move { outfit.model.reply(prompt, deltas).await }
        });
        let abort = called.abort_handle();
        let reply = tokio::select! {
            reply = called => reply,
            () = stop.cancelled() => {
                abort.abort();
                return;
            }
        };
        let input = match reply {
            Ok(Ok(mut reply)) => {
                // At the prices of the revision that the run has: what they change to later changes nothing that was (E-34).
                if let (Some(usage), Some(prices)) = (&mut reply.usage, prices) {
                    usage.cost = Some(prices.cost(usage));
                }
                let judged = match tools {
                    // No call of a last word runs, so nobody needs to look at one (E-38).
                    OfferedTools::None => vec![Judged::default(); reply.calls.len()],
                    OfferedTools::OfMode => tokio::select! {
                        judged = judge(conversation, member.as_ref(), &outfit, &reply, thread, mode) => count_rejections(&shared, conversation, judged).await,
                        () = stop.cancelled() => return,
                    },
                };
                Input::ModelReplied { run, reply, judged }
            }
            Ok(Err(failure)) => Input::ModelFailed { run, failure },
            Err(panicked) => {
                tracing::error!(%panicked, "the model's adapter broke");
                failed(run, FailureKind::Refused, "the model's adapter broke; the log says more")
            }
        };
        post(&shared, conversation, input).await;
    });
}

/// The agent of a thread.
fn member_of(desk: &Desk, head: &Head, thread: Thread) -> Option<Member> {
    desk.crew.as_ref()?.member(thread.is_none(), head.agent_of(thread)).cloned()
}

/// The run has ended and answers wait: they start the next one (D-08).
pub(crate) fn start_queued(desk: &Desk) {
    report(Arc::clone(&desk.shared), desk.conversation, Input::StartQueued(RunInput::default()));
}

/// The run can't go on, because its history can't be read; the person is told, and may try again.
pub(crate) fn no_history(desk: &Desk, run: RunId) {
    let input = failed(run, FailureKind::Agent, "the stored history can't be read");
    report(Arc::clone(&desk.shared), desk.conversation, input);
}

/// Executes a claimed call.
pub(crate) fn run_call(desk: &mut Desk, run: RunId, call: Call, also: Option<Left>) {
    let shared = Arc::clone(&desk.shared);
    let conversation = desk.conversation;
    let stop = desk.calls.child_token();
    let found = desk.head.as_ref().and_then(|head| member_of(desk, head, head.thread_of(&call)));
    let Some(Member { outfit, .. }) = found else {
        let outcome = outcome(OutcomeKind::Failed, "the agent's tools are not ready");
        report(shared, conversation, Input::CallFinished { run, call: call.id, outcome });
        return;
    };
    let to_run = ToRun {
        tool: call.tool.clone(),
        identity: call.identity.clone(),
        arguments: call.to_execute().to_owned(),
        preconditions: call.preconditions.clone(),
        also,
        asks: Asks::of(&shared, conversation, run, call.id),
        whole: Whole::default(),
    };
    let whole = to_run.whole.clone();
    desk.shared.tasks.spawn(async move {
        let executing = tokio::spawn({
            let stop = stop.clone();
            async move { outfit.toolbox.run(to_run, stop).await }
        });
        let abort = executing.abort_handle();
        let given_up = async {
            stop.cancelled().await;
            tokio::time::sleep(SETTLE).await;
        };
        let outcome = tokio::select! {
            finished = executing => finished.unwrap_or_else(|panicked| {
                tracing::error!(%panicked, "a tool broke");
                outcome(OutcomeKind::Unknown, words::OUTCOME_UNKNOWN)
            }),
            () = given_up => {
                abort.abort();
                outcome(OutcomeKind::Unknown, words::OUTCOME_UNKNOWN)
            }
        };
        if let Some(text) = whole.take() {
            // Before the result, so that whoever sees that can see this. Without it the result stands for itself.
            let record = Record::Output { conversation, call: call.id, text };
            if let Err(error) = shared.store.record(record).await {
                tracing::warn!(%error, "what a call gave in whole isn't kept");
            }
        }
        post(&shared, conversation, Input::CallFinished { run, call: call.id, outcome }).await;
    });
}

/// Finds out everything about a reply's calls that deciding needs, outside the mailbox's turn (D-101). What breaks on the way
/// never lets a call through: a guard that panics has failed (D-17), a look that panics is a fault of the call.
async fn judge(
    conversation: ConversationId,
    member: Option<&Member>,
    outfit: &Outfit,
    reply: &ModelReply,
    thread: Thread,
    mode: Mode,
) -> Vec<Judged> {
    // As they are now: what was switched while the model replied counts.
    let tools = &member.map(Member::tools).unwrap_or_default();
    let mut judged = Vec::with_capacity(reply.calls.len());
    let mut guarded: Vec<(usize, GuardedCall)> = Vec::new();
    for (position, proposed) in reply.calls.iter().enumerate() {
        let (one, bound) = look_at(outfit, tools, proposed, thread, mode).await;
        judged.push(one);
        guarded.extend(bound.map(|call| (position, call)));
    }
    let Some(member) = member.filter(|_| !outfit.guards.is_empty() && !guarded.is_empty()) else { return judged };
    let (positions, calls): (Vec<usize>, Vec<GuardedCall>) = guarded.into_iter().unzip();
    let run = member.guarded_run(conversation);
    for (position, said) in positions.into_iter().zip(ask_guards(outfit, run, calls).await) {
        if let Some(one) = judged.get_mut(position) {
            one.verdicts = said;
        }
    }
    judged
}

/// Adds how often the person rejected each call before (D-79). What can't be counted is asked about as ever.
async fn count_rejections(shared: &Shared, conversation: ConversationId, judged: Vec<Judged>) -> Vec<Judged> {
    let mut judged = judged;
    for one in judged.iter_mut().filter(|one| !one.exact.is_empty()) {
        match shared.store.rejections(conversation, &one.exact, i64::MAX).await {
            Ok(before) => one.rejections = before.len(),
            Err(error) => tracing::warn!(%error, "earlier rejections can't be counted"),
        }
    }
    judged
}

/// What every guard says of every call (RU-4), in the order of the calls, and for each in the order of registration.
async fn ask_guards(outfit: &Outfit, run: GuardedRun, calls: Vec<GuardedCall>) -> Vec<Vec<GuardVerdict>> {
    let mut said: Vec<Vec<GuardVerdict>> = calls.iter().map(|_| Vec::new()).collect();
    let asked = Arc::new((run, calls));
    for guard in outfit.guards.iter().filter(|guard| guard.has_a_say()) {
        let judging = AbortOnDropHandle::new(tokio::spawn({
            let (guard, asked) = (Arc::clone(guard), Arc::clone(&asked));
            async move { guard.judge(&asked.0, &asked.1).await }
        }));
        let (mut verdicts, why) = match tokio::time::timeout(GUARD, judging).await {
            Ok(Ok(verdicts)) => (verdicts, "it gave no verdict"),
            Ok(Err(panicked)) => {
                tracing::error!(%panicked, guard = guard.name(), "a guard broke");
                (Vec::new(), "it broke; the log says more")
            }
            Err(_) => (Vec::new(), "it gave no verdict in time"),
        };
        let failed = GuardVerdict { guard: guard.name().to_owned(), verdict: Verdict::Failed { why: why.to_owned() } };
        verdicts.resize(said.len(), vec![failed]);
        for (one, verdicts) in said.iter_mut().zip(verdicts) {
            one.extend(verdicts);
        }
    }
    said
}

/// Lets the guards look again at calls that are about to run on an approval that was given before (D-18).
pub(crate) fn judge_calls(desk: &mut Desk, run: RunId, calls: Vec<Call>) {
    let shared = Arc::clone(&desk.shared);
    let conversation = desk.conversation;
    let thread = desk.head.as_ref().and_then(|head| head.thread_of_run(run));
    let member = desk.head.as_ref().zip(thread).and_then(|(head, thread)| member_of(desk, head, thread));
    let stop = desk.calls.clone();
    desk.shared.tasks.spawn(async move {
        let mut verdicts = BTreeMap::new();
        let mut guarded = Vec::new();
        for call in calls {
            if let Some(one) = member.as_ref().and_then(|member| guarded_call(&member.tools(), &call)) {
                guarded.push((call.id, one));
            } else {
                // What can't be shown to a guard can't pass one.
                let verdict = Verdict::Failed { why: "the call can't be read".to_owned() };
                verdicts.insert(call.id, vec![GuardVerdict { guard: "guards".to_owned(), verdict }]);
            }
        }
        let (ids, guarded): (Vec<CallId>, Vec<GuardedCall>) = guarded.into_iter().unzip();
        if let Some(member) = &member {
            let said = tokio::select! {
                said = ask_guards(&member.outfit, member.guarded_run(conversation), guarded) => said,
                () = stop.cancelled() => return,
            };
            verdicts.extend(ids.into_iter().zip(said));
        }
        post(&shared, conversation, Input::CallsJudged { run, verdicts }).await;
    });
}

/// A stored call as a guard sees it: the very arguments that would run. None if its tool is gone, which the core says.
fn guarded_call(tools: &[Tool], call: &Call) -> Option<GuardedCall> {
    let key = call.identity.as_ref()?.key();
    let tool = tools.iter().find(|tool| tool.identity.key() == key).cloned()?;
    let tree = parse::arguments(call.to_execute()).ok()?;
    let (arguments, preconditions) = (call.to_execute().to_owned(), call.preconditions.clone());
    // What a person approved they had on screen, with whatever the guards couldn't tell.
    let answered = matches!(call.state, CallState::Approved(Warrant::Answer { .. }));
    Some(GuardedCall { tool, arguments, tree, preconditions, answered })
}

async fn look_at(
    outfit: &Outfit,
    tools: &[Tool],
    proposed: &ProposedCall,
    thread: Thread,
    mode: Mode,
) -> (Judged, Option<GuardedCall>) {
    let nothing = |fault: Option<String>| (Judged { fault, ..Judged::default() }, None);
    // Below the conversation's own agent nobody hands in a plan (SU-3).
    let is_plan = proposed.name == EXIT_PLAN_MODE && thread.is_none();
    let plan_tool = is_plan.then(exit_plan_mode);
    let Some(tool) = plan_tool.as_ref().or_else(|| tools.iter().find(|tool| tool.identity.name == proposed.name))
    else {
        // The core says what becomes of a tool that isn't there.
        return nothing(None);
    };
    let tree = match parse::arguments(&proposed.arguments) {
        Ok(tree) => tree,
        Err(fault) => return nothing(Some(fault.to_string())),
    };
    // What isn't offered is neither looked at nor shown to a guard (D-32, D-37). A mode that is looser when the core decides is
    // not possible within a run; a stricter one only adds to what the core refuses.
    let offered = if is_plan { mode == Mode::Plan } else { is_offered(tool, mode) };
    if !offered {
        return nothing(None);
    }
    let starts_agent = matches!(tool.identity.origin, Origin::SubAgent { .. });
    let prepared = if is_plan || starts_agent {
        Prepared::default()
    } else {
        let looking = AbortOnDropHandle::new(tokio::spawn({
            let (toolbox, name, tree) = (Arc::clone(&outfit.toolbox), proposed.name.clone(), tree.clone());
            async move { toolbox.prepare(&name, &tree).await }
        }));
        looking.await.unwrap_or_else(|panicked| {
            tracing::error!(%panicked, tool = proposed.name, "a tool broke while it looked at a call");
            Prepared { fault: Some("the tool broke while it looked at the call".to_owned()), ..Prepared::default() }
        })
    };
    let schema = prepared.schema.filter(|_| tool.marks.has(Mark::NeedsInput));
    let shapeless = schema.as_deref().and_then(|schema| question::usable(schema).err());
    let judged = Judged {
        fault: prepared.fault.or(shapeless),
        exact: exact(&tool.identity, &tree, &prepared.preconditions),
        preconditions: prepared.preconditions.clone(),
        schema,
        rejections: 0,
        before: prepared.before,
        verdicts: Vec::new(),
    };
    let bound = (judged.fault.is_none() && requires_approval(tool)).then(|| GuardedCall {
        tool: tool.clone(),
        arguments: proposed.arguments.clone(),
        tree,
        preconditions: prepared.preconditions,
        answered: false,
    });
    (judged, bound)
}

fn deltas(shared: &Arc<Shared>, conversation: ConversationId, run: RunId) -> Deltas {
    let news = shared.news.clone();
    let state = Mutex::new((String::new(), None::<Instant>));
    Deltas::to(move |piece| {
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        state.0.push_str(piece);
        let now = Instant::now();
        if state.1.is_none_or(|last| now.duration_since(last) >= DELTA_EVERY) {
            state.1 = Some(now);
            let _ = news.send(News::Delta { conversation, run, text: state.0.clone() });
        }
    })
}

fn failed(run: RunId, kind: FailureKind, text: &str) -> Input {
    Input::ModelFailed { run, failure: Failure { kind, text: text.to_owned() } }
}

fn outcome(kind: OutcomeKind, text: &str) -> Outcome {
    Outcome { kind, text: text.to_owned(), left: None }
}

fn report(shared: Arc<Shared>, conversation: ConversationId, input: Input) {
    let tasks = shared.tasks.clone();
    tasks.spawn(async move { post(&shared, conversation, input).await });
}

async fn post(shared: &Arc<Shared>, conversation: ConversationId, input: Input) {
    if let Err(error) = shared.post(conversation, Letter { input, done: None }).await {
        tracing::info!(%error, "a report came after the end");
    }
}
