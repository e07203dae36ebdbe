//! The dry run: what a rule would have done with the calls of the last days. It asks the rule itself.

use std::collections::BTreeMap;

use countersign_core::ids::{AgentId, At};
use countersign_core::input::Verdict;
use countersign_core::tool::{Origin, requires_approval};
use countersign_engine::ports::{GuardedCall, GuardedRun};
use countersign_rules::judge::Ready;
use countersign_rules::rule::{Rule, RuleTool};
use countersign_store::read::past::PastCall;

use super::known::as_seen;
use crate::cards;
use crate::desk::Desk;
use crate::display::text::words;
use crate::wire::rules::{DryRow, DryRun};
use crate::wire::window::ApiError;

/// How many days back.
const DAYS: u32 = 30;
/// A day, in milliseconds.
const DAY: i64 = 24 * 3_600_000;
/// The most calls that are looked at.
const MOST: i64 = 20_000;
/// The most that are shown.
const ROWS: usize = 20;

/// Tries a rule on the calls of the last days.
pub(super) async fn run(desk: &Desk, rule: &Rule) -> Result<DryRun, ApiError> {
    let store = desk.engine.store();
    let since = At(desk.host.clock.now().0 - i64::from(DAYS) * DAY);
    let calls = store.past_calls(since, MOST).await?;
    let all = store.past_calls_count(since).await?;
    let agents = store.agents().await?;
    let folders: BTreeMap<AgentId, &str> = agents.iter().map(|one| (one.id, one.folder.as_str())).collect();
    let ready = Ready::new(Rule { on: true, ended_at: None, ..rule.clone() });
    let (mut bound, mut against, mut others, mut matched) = (0, Vec::new(), Vec::new(), 0);
    for past in &calls {
        let folder = folders.get(&past.agent).copied().unwrap_or_default();
        let Some((run, call)) = seen(past, folder) else { continue };
        // A plan is a matter of its own, of which only rules about plans speak.
        let is_plan = call.tool.identity.origin == Origin::Conversation;
        if !requires_approval(&call.tool) || is_plan != (rule.tool == RuleTool::Plan) {
            continue;
        }
        bound += 1;
        if !decides(&ready, &run, &call) {
            continue;
        }
        matched += 1;
        if is_against(rule.verdict.approves(), past) { against.push(past) } else { others.push(past) }
    }
    let mut rows = Vec::new();
    let shown = against.iter().map(|past| (past, true)).chain(others.iter().map(|past| (past, false)));
    for (past, against) in shown.take(ROWS) {
        if let Some(fact) = store.call_fact(past.id.0).await? {
            let (verb, target, _) = cards::call_row(&fact.call);
            let decision = words(cards::history_row(&fact, Vec::new()).map(|row| row.decision).unwrap_or_default());
            let title = cards::title(&fact.title);
            rows.push(DryRow { id: past.id.to_string(), at: past.at.0, title, verb, target, against, decision });
        }
    }
    Ok(DryRun {
        days: DAYS,
        calls: bound,
        matched,
        against: i64::try_from(against.len()).unwrap_or(i64::MAX),
        rows,
        untold: store.past_calls_gone(since).await?,
        beyond: (all - i64::try_from(calls.len()).unwrap_or(i64::MAX)).max(0),
    })
}

/// Whether the rule would have decided the call. What it couldn't tell it wouldn't have decided: the person is asked.
fn decides(ready: &Ready, run: &GuardedRun, call: &GuardedCall) -> bool {
    // Its time is of no matter: the question is what it would have done.
    ready.is_about(run, call, i64::MIN)
        && match ready.verdict(run, call) {
            Verdict::Approve | Verdict::Reject { .. } => true,
            Verdict::Abstain | Verdict::Failed { .. } => false,
        }
}

/// Whether the person decided otherwise.
fn is_against(approves: bool, past: &PastCall) -> bool {
    past.by == "person" && if approves { past.decision == "rejected" } else { past.decision.starts_with("approved") }
}

/// A past call as the rule would have seen it; none if its arguments can't be read.
pub(super) fn seen(past: &PastCall, folder: &str) -> Option<(GuardedRun, GuardedCall)> {
    let folder = match &past.identity.origin {
        Origin::BuiltIn { root, .. } => root.as_str(),
        Origin::Server { .. } | Origin::SubAgent { .. } | Origin::Conversation => folder,
    };
    let run = GuardedRun { conversation: past.conversation, agent: past.agent, folder: folder.to_owned() };
    let call = as_seen(&past.identity, past.effect, &past.marks, &past.arguments, &past.preconditions)?;
    Some((run, call))
}
