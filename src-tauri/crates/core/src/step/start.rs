//! Starting a run: TX-START of the specification, all or nothing.

use std::collections::BTreeSet;

use super::{Draft, call_digest, calls, held, queue, steer, tree};
use crate::answer::{Admitted, AnswerBody, FilledIn, Reach, admit};
use crate::call::{Call, CallState, Dropped, Kept, Settled, Warrant};
use crate::change::{Change, Message, MessageBody};
use crate::conversation::{Cover, Standing};
use crate::faults::{self, Fault};
use crate::ids::{At, CallId, MessageId, OwnerId, RequestId, RunId};
use crate::input::{Loss, Refusal, RunInput};
use crate::mode::{Mode, Until, check_end};
use crate::policy::ModeSetting;
use crate::request::{AnsweredAs, Closing, PassedBy, RequestKind};
use crate::run::{Goes, Phase, Run};
use crate::words;

pub(super) fn start(draft: &mut Draft<'_>, input: RunInput) -> Result<(), Refusal> {
    let mut input = input;
    let admitted = admit(&input.answers, &draft.head, &input.closed, &input.data)?;
    check_ends(draft, &input)?;
    let answers = input.answers.len();
    held::answer(draft, &mut input, &admitted);
    if input.answers.len() < answers && says_nothing_else(&input) {
        return Ok(());
    }
    if draft.head.run.is_some() || draft.head.queued.is_some() {
        return while_running(draft, &input);
    }
    let resumed = admit_resumed(draft, &input)?;
    let losses = losses(draft, &admitted, &resumed);
    if let Some(told) = &input.passes_by {
        let untold: Vec<Loss> = losses.iter().copied().filter(|loss| !told.contains(loss)).collect();
        if !untold.is_empty() && !faults::on(Fault::ForgetLoss) {
            return Err(Refusal::WouldPassBy(untold));
        }
    }
    if input.mode.is_some() && input.modes == ModeSetting::Fixed {
        return Err(Refusal::ModeNotConfigurable);
    }
    let text = input.text.as_ref().filter(|text| !text.trim().is_empty()).cloned();
    let says_nothing = admitted.is_empty() && resumed.is_empty() && text.is_none();
    let nothing_new = !draft.head.conversation.awaits_reply && draft.head.steering.is_empty();
    if says_nothing && losses.is_empty() && nothing_new {
        let because = "the model has nothing new to reply to";
        return Err(Refusal::IllegalInput { input: "starting a run without a message", because });
    }

    let run: RunId = draft.ids.take()?;
    let (mode, auto_chain, auto_until) = mode_of(draft, &admitted, &resumed, &input, run);
    let executes = !admitted.is_empty() || !resumed.is_empty();
    draft.push(Change::RunStarted(Run {
        id: run,
        phase: if executes { Phase::Resolving } else { Phase::Model },
        rounds: 0,
        limit: input.limit.max(1),
        mode_start: mode,
        owner: input.owner.unwrap_or(OwnerId([0; 16])),
        agent_revision: input.agent_revision,
        left: std::collections::BTreeMap::new(),
        caps: input.caps.clamped(),
        model_calls: 0,
        agents_started: 0,
        child: None,
        started_at: draft.at,
    }));
    let now = &draft.head.conversation;
    if (mode, auto_chain, auto_until) != (now.mode, now.auto_chain, now.auto_until) {
        draft.push(Change::ModeSet { mode, auto_chain, auto_until });
    }
    let goes_on = tree::gone_on_with(draft, |call| match &call.state {
        CallState::Waiting(request) => admitted.get(*request).is_some(),
        CallState::Approved(_) => resumed.contains(&call.id),
        CallState::Held(_) | CallState::Started { .. } | CallState::Suspended { .. } | CallState::Settled(_) => false,
    });
    settle_batches(draft, run, &admitted, &resumed, &goes_on)?;
    tree::leave(draft, &goes_on, PassedBy::NewInput)?;
    tree::resume(draft, run, &goes_on);
    // What background agents said comes before the new text (D-41).
    steer::take(draft, run);
    if let Some(text) = text {
        let id: MessageId = draft.ids.take()?;
        let (seq, body) = (draft.head.conversation.next_seq, MessageBody::User { text });
        draft.push(Change::MessageAdded(Message { id, seq, run, thread: None, body, at: draft.at }));
    }
    // The innermost go on first; whoever waits for one of them has its turn when that has ended.
    for child in draft.head.deepest_first() {
        if goes_on.contains(&child) {
            calls::go_on(draft, Some(child))?;
        }
    }
    if draft.head.run.as_ref().is_some_and(|current| current.id == run) && !draft.head.has_started(None) {
        calls::begin(draft, None)?;
    }
    Ok(())
}

/// An end time that comes with Auto must be one (D-82). Checked before anything else becomes of the input, and again when it was
/// queued and its turn has come.
fn check_ends(draft: &Draft<'_>, input: &RunInput) -> Result<(), Refusal> {
    if let Some(end) = input.auto_until {
        // Without a mode there is nothing that it could be the end of.
        check_end(input.mode.unwrap_or_default(), end, draft.at).map_err(Refusal::AutoEnd)?;
    }
    for answer in &input.answers {
        if let AnswerBody::ApprovePlan { into, ends_at: Some(end), .. } = &answer.body {
            check_end(*into, *end, draft.at).map_err(Refusal::AutoEnd)?;
        }
    }
    Ok(())
}

/// Whether an input was about held questions and nothing else: then it is done with them, and starts, queues and passes by
/// nothing (D-86).
fn says_nothing_else(input: &RunInput) -> bool {
    let silent = input.text.as_ref().is_none_or(|text| text.trim().is_empty());
    silent && input.answers.is_empty() && input.resume.is_empty() && input.mode.is_none()
}

/// A run goes on, or answers wait for their turn. More answers join those; words of a caller that has no list of losses are said to
/// the run (D-07, D-08). Anything else has to wait.
fn while_running(draft: &mut Draft<'_>, input: &RunInput) -> Result<(), Refusal> {
    let stopping = draft.head.run.as_ref().is_some_and(|run| run.phase == Phase::Stopping);
    if stopping {
        return Err(Refusal::Busy);
    }
    if !input.answers.is_empty() {
        return queue::join(draft, input);
    }
    match &input.text {
        Some(text) if input.passes_by.is_none() && input.mode.is_none() && input.resume.is_empty() => {
            steer::steer(draft, text.clone())
        }
        Some(_) | None => Err(Refusal::Busy),
    }
}

/// The approved calls that the input continues, each shown as it is stored (D-53, D-106).
fn admit_resumed(draft: &Draft<'_>, input: &RunInput) -> Result<BTreeSet<CallId>, Refusal> {
    let mut resumed = BTreeSet::new();
    for (id, shown) in &input.resume {
        let call = draft.head.calls.get(id).filter(|call| matches!(call.state, CallState::Approved(_)));
        let Some(call) = call else {
            let because = "it is not waiting to be continued";
            return Err(Refusal::IllegalInput { input: "continuing a call", because });
        };
        if call_digest(call, RequestKind::Call) != Some(*shown) {
            return Err(Refusal::CallDigestMismatch(*id));
        }
        resumed.insert(*id);
    }
    Ok(resumed)
}

/// What this input would let go: open requests that it doesn't answer, approved calls that it doesn't continue.
fn losses(draft: &Draft<'_>, admitted: &Admitted, resumed: &BTreeSet<CallId>) -> Vec<Loss> {
    let mut losses = Vec::new();
    for call in draft.head.calls_in_order() {
        match &call.state {
            CallState::Waiting(request) if admitted.get(*request).is_none() => losses.push(Loss::Request(*request)),
            CallState::Approved(_) if !resumed.contains(&call.id) && !draft.head.is_behind_suspended(call) => {
                losses.push(Loss::Call(call.id));
            }
            CallState::Waiting(_)
            | CallState::Approved(_)
            | CallState::Held(_)
            | CallState::Started { .. }
            | CallState::Suspended { .. }
            | CallState::Settled(_) => {}
        }
    }
    losses
}

/// The mode that the run starts in. A plan's answer comes first (D-35), then a mode in the input (MO-11). A run that
/// answers nothing ends an Auto that was meant for one plan only (D-74).
fn mode_of(
    draft: &Draft<'_>,
    admitted: &Admitted,
    resumed: &BTreeSet<CallId>,
    input: &RunInput,
    run: RunId,
) -> (Mode, Option<RunId>, Option<At>) {
    let plan = draft.head.requests.values().find_map(|request| match (request.kind, admitted.get(request.id)) {
        (RequestKind::Plan, Some(AnswerBody::Approve)) => Some((Mode::Default, Until::Stays, None)),
        (RequestKind::Plan, Some(AnswerBody::ApprovePlan { into, until, ends_at })) => Some((*into, *until, *ends_at)),
        (
            RequestKind::Plan,
            Some(
                AnswerBody::ApproveForConversation { .. }
                | AnswerBody::ApproveWithNote { .. }
                | AnswerBody::Reject { .. }
                | AnswerBody::Data { .. },
            )
            | None,
        )
        | (RequestKind::Call | RequestKind::Input, _) => None,
    });
    let conversation = &draft.head.conversation;
    match (plan, input.mode) {
        (Some((Mode::Auto, Until::RunEnds, end)), _) => (Mode::Auto, Some(run), end),
        (Some((mode, _, end)), _) => (mode, None, end),
        (None, Some(mode)) => (mode, None, input.auto_until),
        (None, None) => {
            let goes_on = !admitted.is_empty() || !resumed.is_empty();
            match conversation.auto_chain {
                Some(_) if !goes_on => (Mode::Default, None, None),
                chain => (conversation.mode, chain, conversation.auto_until),
            }
        }
    }
}

fn settle_batches(
    draft: &mut Draft<'_>,
    run: RunId,
    admitted: &Admitted,
    resumed: &BTreeSet<CallId>,
    goes_on: &[RunId],
) -> Result<(), Refusal> {
    let calls = draft.calls();
    let answered = |call: &Call| match &call.state {
        CallState::Waiting(request) => admitted.get(*request).is_some(),
        CallState::Held(_)
        | CallState::Approved(_)
        | CallState::Started { .. }
        | CallState::Suspended { .. }
        | CallState::Settled(_) => false,
    };
    // What waits behind a suspended call goes on with it, if anything of its batch does (D-94).
    let stays_behind = |draft: &Draft<'_>, call: &Call| {
        draft.head.is_behind_suspended(call) && {
            let thread = draft.head.thread_of(call);
            goes_on.iter().any(|run| {
                draft.head.child(*run).is_some_and(|child| child.parent == thread && child.goes == Goes::InLine)
            })
        }
    };
    // A batch is resumed if at least one of its requests was answered (D-03).
    let batches: BTreeSet<MessageId> = calls.iter().filter(|call| answered(call)).map(|call| call.message).collect();
    for call in &calls {
        match &call.state {
            CallState::Waiting(request) => {
                if let Some(body) = admitted.get(*request) {
                    answer(draft, run, call, *request, body, admitted.filled_in(*request))?;
                } else {
                    close(draft, run, *request, Closing::PassedBy { by: PassedBy::NewInput });
                    draft.settle(call.id, Settled::Dropped { why: Dropped::PassedBy }, None);
                }
            }
            CallState::Held(kept) if batches.contains(&call.message) => resume_held(draft, call.id, kept),
            CallState::Held(_) if faults::on(Fault::ForgetSibling) => {}
            CallState::Held(_) => draft.settle(call.id, Settled::Dropped { why: Dropped::PassedBy }, None),
            CallState::Approved(_) if resumed.contains(&call.id) || stays_behind(draft, call) => {}
            CallState::Approved(_) => tree::drop_call(draft, call, PassedBy::NewInput),
            CallState::Started { .. } | CallState::Suspended { .. } | CallState::Settled(_) => {}
        }
    }
    Ok(())
}

fn resume_held(draft: &mut Draft<'_>, call: CallId, kept: &Kept) {
    match kept {
        Kept::Run { warrant } => draft.push(Change::CallApproved { call, warrant: warrant.clone() }),
        Kept::Reject { .. } if faults::on(Fault::ForgetKept) => {
            draft.push(Change::CallApproved { call, warrant: Warrant::Auto });
        }
        Kept::Reject { by, reason } => {
            let settled = Settled::RejectedByRule { by: by.clone(), reason: reason.clone() };
            draft.settle(call, settled, Some(words::rejected_by_rule(reason)));
        }
        Kept::Fault { text } => draft.settle(call, Settled::Fault, Some(text.clone())),
    }
}

fn close(draft: &mut Draft<'_>, run: RunId, request: RequestId, closing: Closing) {
    draft.push(Change::RequestClosed { request, closing, by_run: Some(run), at: draft.at });
}

fn answer(
    draft: &mut Draft<'_>,
    run: RunId,
    call: &Call,
    request: RequestId,
    body: &AnswerBody,
    filled_in: Option<&FilledIn>,
) -> Result<(), Refusal> {
    let kind = draft.head.requests.get(&request).map(|one| one.kind);
    let is_plan = kind == Some(RequestKind::Plan);
    let verdict = match body {
        AnswerBody::Approve if is_plan => {
            AnsweredAs::PlanApproved { into: Mode::Default, until: Until::Stays, ends_at: None }
        }
        AnswerBody::ApprovePlan { into, until, ends_at } => {
            AnsweredAs::PlanApproved { into: *into, until: *until, ends_at: *ends_at }
        }
        AnswerBody::Approve => AnsweredAs::Approved,
        AnswerBody::ApproveWithNote { note, tell } => match words_of(Some(note)) {
            Some(note) => AnsweredAs::ApprovedWithNote { note, told: *tell },
            None => AnsweredAs::Approved,
        },
        AnswerBody::ApproveForConversation { reach, .. } => AnsweredAs::ApprovedForConversation { reach: *reach },
        AnswerBody::Reject { reason } => AnsweredAs::Rejected { reason: words_of(reason.as_deref()) },
        AnswerBody::Data { .. } => AnsweredAs::DataGiven,
    };
    close(draft, run, request, Closing::Answered { verdict: verdict.clone() });
    let warrant = Warrant::Answer { request };
    match verdict {
        // A plan is an answer, not an execution: its result is written here (D-107).
        AnsweredAs::PlanApproved { into, until: _, ends_at: _ } => {
            draft.settle(call.id, Settled::PlanAccepted, Some(words::plan_accepted(into)));
        }
        AnsweredAs::Rejected { reason } => {
            let text = match kind {
                Some(RequestKind::Plan) => words::plan_sent_back(reason.as_deref()),
                Some(RequestKind::Input) => words::declined(reason.as_deref()),
                Some(RequestKind::Call) | None => words::rejected_by_person(reason.as_deref()),
            };
            draft.settle(call.id, Settled::RejectedByPerson { reason }, Some(text));
        }
        AnsweredAs::DataGiven => match filled_in {
            Some(FilledIn::Result(result)) => draft.settle(call.id, Settled::DataGiven, Some(result.clone())),
            Some(FilledIn::Execute(executed)) => {
                draft.push(Change::CallFilledIn { call: call.id, executed: executed.clone() });
                draft.push(Change::CallApproved { call: call.id, warrant });
            }
            // Only checked data is admitted, so this can't be; if it were, nothing would run.
            None => draft.settle(call.id, Settled::NoLongerPermitted, Some(words::NO_LONGER_PERMITTED.to_owned())),
        },
        AnsweredAs::Approved => draft.push(Change::CallApproved { call: call.id, warrant }),
        AnsweredAs::ApprovedWithNote { note, told } => {
            draft.push(Change::CallApproved { call: call.id, warrant });
            if told {
                // Results stand directly behind their turn, so the model reads this after the result (D-78).
                let id: MessageId = draft.ids.take()?;
                let thread = draft.head.thread_of(call);
                let (seq, run) = (draft.head.conversation.next_seq, thread.unwrap_or(run));
                let body = MessageBody::User { text: words::note_on(&call.tool, &note) };
                draft.push(Change::MessageAdded(Message { id, seq, run, thread, body, at: draft.at }));
            }
        }
        AnsweredAs::ApprovedForConversation { reach } => {
            draft.push(Change::CallApproved { call: call.id, warrant });
            grant(draft, call, request, reach)?;
        }
    }
    Ok(())
}

/// Stores a standing approval with the answer, so that it covers later calls of this very run (D-16); one that is
/// there already isn't stored again (M-14).
fn grant(draft: &mut Draft<'_>, call: &Call, request: RequestId, reach: Reach) -> Result<(), Refusal> {
    let Some(identity) = call.identity.clone() else {
        return Ok(());
    };
    let cover = match reach {
        Reach::Tool => Cover::Tool,
        Reach::Exact => Cover::Exact(call.exact.clone()),
    };
    let key = identity.key();
    if draft.head.standing.iter().any(|one| one.identity.key() == key && one.cover == cover) {
        return Ok(());
    }
    let standing = Standing { id: draft.ids.take()?, identity, cover, since: draft.at };
    draft.push(Change::StandingGranted { standing, request });
    Ok(())
}

/// The person's words; blank counts as none (E-13).
pub(super) fn words_of(reason: Option<&str>) -> Option<String> {
    reason.map(str::trim).filter(|reason| !reason.is_empty()).map(str::to_owned)
}
