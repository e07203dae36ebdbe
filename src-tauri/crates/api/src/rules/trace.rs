//! Why a call is decided as it is: the same look, the same rules and the same decision as when it would run, without running it.

use countersign_core::agent::ToolSet;
use countersign_core::call::Warrant;
use countersign_core::decide::{Decision, decide, decide_plan};
use countersign_core::digest::exact;
use countersign_core::input::{GuardVerdict, Verdict};
use countersign_core::offer::offer;
use countersign_core::parse;
use countersign_core::policy::{Gates, offerable};
use countersign_core::tool::{Mark, Origin};
use countersign_engine::ports::{GuardedCall, GuardedRun, Prepared, registered};

use crate::cards;
use crate::commands::request;
use crate::desk::{self, Desk};
use crate::display::text::{one_line, safe, words};
use crate::error::not_found;
use crate::wire::inbox::Reach;
use crate::wire::rules::{CallText, RuleTrace, TraceOutcome, TraceRow, TraceSays};
use crate::wire::text::Shown;
use crate::wire::window::ApiError;
use crate::words::{Thing, say};

/// The longest name of a rule that is shown.
const NAME_WIDTH: usize = 80;
/// The longest reason in a row.
const REASON_WIDTH: usize = 400;

/// What rules said, as rows.
pub(crate) fn rows(said: &[GuardVerdict]) -> Vec<TraceRow> {
    let row = |one: &GuardVerdict| {
        let (says, reason) = match &one.verdict {
            Verdict::Abstain => (TraceSays::Abstains, Vec::new()),
            Verdict::Approve => (TraceSays::Approves, Vec::new()),
            Verdict::Reject { reason } => (TraceSays::Rejects, one_line(reason, REASON_WIDTH)),
            Verdict::Failed { why } => (TraceSays::Failed, one_line(why, REASON_WIDTH)),
        };
        TraceRow { name: one_line(&one.guard, NAME_WIDTH), says, reason }
    };
    said.iter().map(row).collect()
}

/// What would become of a call.
pub(crate) async fn call(desk: &Desk, request: request::trace_call) -> Result<RuleTrace, ApiError> {
    let of = desk::conversation(&request.conversation)?;
    let store = desk.engine.store();
    let head = store.head(of).await?.ok_or_else(|| not_found(Thing::Conversation))?;
    let profile = store.agent(head.conversation.agent).await?.ok_or_else(|| not_found(Thing::Agent))?;
    let nothing = |fault: Shown| RuleTrace {
        rows: Vec::new(),
        standing: None,
        mode: request.mode,
        outcome: TraceOutcome::NotLookedAt,
        fault,
    };
    let tree = match parse::arguments(&request.arguments) {
        Ok(tree) => tree,
        Err(fault) => return Ok(nothing(words(say().arguments_fault(&fault)))),
    };
    let outfit = match desk.outfit(&profile).await {
        Ok(outfit) => outfit,
        Err(why) => return Ok(nothing(safe(&why))),
    };
    let registered = registered(outfit.toolbox.as_ref());
    let gates = Gates { switches: &desk.engine.switches(), tools: &profile.tools, policy: &profile.policy };
    let mode = cards::core_mode(request.mode);
    let offered = offer(&offerable(&ToolSet::All, &registered, gates), mode);
    let Some(tool) = offered.into_iter().find(|tool| tool.identity.name == request.tool) else {
        return Ok(nothing(Vec::new()));
    };
    let is_plan = tool.identity.origin == Origin::Conversation;
    let prepared = if is_plan { Prepared::default() } else { outfit.toolbox.prepare(&request.tool, &tree).await };
    if let Some(fault) = prepared.fault {
        return Ok(nothing(safe(&fault)));
    }
    let hash = exact(&tool.identity, &tree, &prepared.preconditions);
    let standing = head.standing.iter().find(|one| one.covers(&tool.identity, &hash));
    let run = GuardedRun { conversation: of, agent: profile.id, folder: profile.folder.clone() };
    let guarded = GuardedCall {
        tool: tool.clone(),
        arguments: request.arguments.clone(),
        tree,
        preconditions: prepared.preconditions,
        answered: false,
    };
    let bound = countersign_core::tool::requires_approval(&tool);
    let said = if bound { desk.rules.say(&run, &guarded) } else { Vec::new() };
    let decision = if is_plan { decide_plan(&said) } else { decide(&tool, &said, standing.map(|one| one.id), mode) };
    Ok(RuleTrace {
        rows: rows(&said),
        standing: standing.map(|one| match one.cover.reach() {
            countersign_core::answer::Reach::Exact => Reach::Exact,
            countersign_core::answer::Reach::Tool => Reach::Tool,
        }),
        mode: request.mode,
        outcome: match decision {
            _ if tool.marks.has(Mark::NeedsInput) => TraceOutcome::AsksInput,
            Decision::Ask => TraceOutcome::Asks,
            Decision::Reject { .. } => TraceOutcome::Rejected,
            Decision::Run(Warrant::NotNeeded | Warrant::Answer { .. }) => TraceOutcome::RunsUnmarked,
            Decision::Run(Warrant::Rule { .. }) => TraceOutcome::RunsByRule,
            Decision::Run(Warrant::Standing { .. }) => TraceOutcome::RunsByStanding,
            Decision::Run(Warrant::Auto) => TraceOutcome::RunsByAuto,
        },
        fault: Vec::new(),
    })
}

/// A stored call, for trying it again.
pub(crate) async fn text(desk: &Desk, id: &str) -> Result<CallText, ApiError> {
    let fact = desk.engine.store().call_fact(desk::row(id)?).await?.ok_or_else(|| not_found(Thing::Request))?;
    let there = fact.decided.as_ref().is_none_or(|decided| decided.seq > 0);
    Ok(CallText {
        conversation: (!fact.deleted).then(|| fact.conversation.to_string()),
        tool: fact.call.tool,
        arguments: there.then_some(fact.call.arguments),
    })
}
