//! *Runs without asking*: every tool of a conversation's agent with what would become of its calls, by the function that decides.

use countersign_core::agent::ToolSet;
use countersign_core::call::Warrant;
use countersign_core::conversation::Cover;
use countersign_core::decide::{Decision, decide};
use countersign_core::input::{GuardVerdict, Verdict};
use countersign_core::offer::is_offered;
use countersign_core::parse::Tree;
use countersign_core::policy::{DataClass, Gates, Place, Registered, Ruling, ToolGroup, explain};
use countersign_core::tool::{Declared, Mark, Origin, Tool, exit_plan_mode};
use countersign_engine::ports::{GuardedCall, GuardedRun, registered};
use countersign_rules::judge::Ready;
use countersign_rules::rule::Rule;

use super::show::Names;
use crate::cards;
use crate::desk::{self, Desk};
use crate::display::text::{one_line, words};
use crate::error::{not_found, refused};
use crate::wire::inbox::Mode;
use crate::wire::rules::{RunsCause, RunsRow, RunsVerdict};
use crate::wire::text::Shown;
use crate::wire::window::ApiError;
use crate::words::Thing;

/// The longest name that is shown.
const NAME_WIDTH: usize = 80;

/// The tools of a conversation's agent in a mode; what runs although nobody said anything about it comes first.
pub(crate) async fn rows(desk: &Desk, conversation: &str, mode: Mode) -> Result<Vec<RunsRow>, ApiError> {
    let of = desk::conversation(conversation)?;
    let store = desk.engine.store();
    let head = store.head(of).await?.ok_or_else(|| not_found(Thing::Conversation))?;
    let profile = store.agent(head.conversation.agent).await?.ok_or_else(|| not_found(Thing::Agent))?;
    let names = Names::read(desk).await?;
    let outfit = desk.outfit(&profile).await.map_err(refused)?;
    let mut registered = registered(outfit.toolbox.as_ref());
    registered.extend(profile.sub_agents.iter().map(|entry| Registered {
        tool: entry.as_tool(),
        place: Place { group: ToolGroup::Agent, data: DataClass::Given },
    }));
    let switches = desk.engine.switches();
    let gates = Gates { switches: &switches, tools: &profile.tools, policy: &profile.policy };
    let explained = explain(&ToolSet::All, &registered, gates);
    let run = GuardedRun { conversation: of, agent: profile.id, folder: profile.folder.clone() };
    let kept = desk.rules.kept();
    let now = desk.host.clock.now().0;
    let mode = cards::core_mode(mode);
    let mut rows: Vec<RunsRow> = Vec::new();
    for (one, explained) in registered.iter().zip(explained) {
        let tool = switches.mark(one.tool.clone());
        let about: Vec<&Rule> = about(&kept.rules, &run, &tool, now);
        let standing: Vec<_> = head.standing.iter().filter(|one| one.identity.key() == tool.identity.key()).collect();
        let any = standing.iter().find(|one| one.cover == Cover::Tool).map(|one| one.id);
        let (verdict, cause, gate) = match &explained.ruling {
            Ruling::Denied(denied) => (RunsVerdict::NotOffered, RunsCause::Gate, words(crate::agents::denied(denied))),
            Ruling::Offered | Ruling::Noted(_) if !is_offered(&tool, mode) => {
                (RunsVerdict::NotOffered, RunsCause::Plan, Vec::new())
            }
            Ruling::Offered | Ruling::Noted(_) if tool.marks.has(Mark::NeedsInput) => {
                (RunsVerdict::AsksInput, RunsCause::Input, Vec::new())
            }
            Ruling::Offered | Ruling::Noted(_) => {
                let said = of_all_calls(&about, kept.unreadable);
                let (verdict, cause) = decided(&decide(&tool, &said, any, mode), &tool);
                (verdict, cause, Vec::new())
            }
        };
        let named = |approving: bool| -> Vec<Shown> {
            let those = about.iter().filter(|rule| rule.verdict.approves() == approving);
            those.map(|rule| one_line(&rule.name, NAME_WIDTH)).collect()
        };
        let (server, undeclared) = match &tool.identity.origin {
            Origin::Server { server, declared, .. } => (names.server(server), *declared == Declared::Undeclared),
            Origin::BuiltIn { .. } | Origin::SubAgent { .. } | Origin::Conversation => (None, false),
        };
        rows.push(RunsRow {
            tool: one_line(&tool.identity.name, NAME_WIDTH),
            server,
            verdict,
            cause,
            gate,
            approving: named(true),
            rejecting: named(false),
            rejecting_rules: rejecting(&about),
            exact: u32::try_from(standing.iter().filter(|one| one.cover != Cover::Tool).count()).unwrap_or(u32::MAX),
            undeclared: undeclared && verdict == RunsVerdict::Runs,
        });
    }
    if mode == countersign_core::mode::Mode::Plan {
        let tool = exit_plan_mode();
        let about = about(&kept.rules, &run, &tool, now);
        rows.push(RunsRow {
            tool: words(tool.identity.name.clone()),
            server: None,
            verdict: RunsVerdict::Asks,
            cause: RunsCause::PlanWaits,
            gate: Vec::new(),
            approving: Vec::new(),
            rejecting: about.iter().map(|rule| one_line(&rule.name, NAME_WIDTH)).collect(),
            rejecting_rules: about.iter().map(|rule| rule.id.clone()).collect(),
            exact: 0,
            undeclared: false,
        });
    }
    rows.sort_by_key(|row| !row.undeclared);
    Ok(rows)
}

/// The rules in force that are about a tool in a run.
pub(crate) fn about<'a>(rules: &'a [Ready], run: &GuardedRun, tool: &Tool, now: i64) -> Vec<&'a Rule> {
    let call = GuardedCall {
        tool: tool.clone(),
        arguments: "{}".to_owned(),
        tree: Tree::Object(Vec::new()),
        preconditions: Vec::new(),
        answered: false,
    };
    rules.iter().filter(|one| one.is_about(run, &call, now)).map(Ready::rule).collect()
}

/// The rules that reject, by their ids.
fn rejecting(about: &[&Rule]) -> Vec<String> {
    about.iter().filter(|rule| !rule.verdict.approves()).map(|rule| rule.id.clone()).collect()
}

/// What rules say of every call of a tool: only those without conditions do.
fn of_all_calls(about: &[&Rule], unreadable: usize) -> Vec<GuardVerdict> {
    let all = about.iter().filter(|rule| rule.conditions.is_empty());
    let mut said: Vec<GuardVerdict> = all
        .map(|rule| GuardVerdict {
            guard: rule.name.clone(),
            verdict: match &rule.verdict {
                countersign_rules::rule::RuleVerdict::Approve => Verdict::Approve,
                countersign_rules::rule::RuleVerdict::Reject { reason } => Verdict::Reject { reason: reason.clone() },
            },
        })
        .collect();
    if unreadable > 0 {
        said.push(GuardVerdict { guard: "rules".to_owned(), verdict: Verdict::Failed { why: String::new() } });
    }
    said
}

fn decided(decision: &Decision, tool: &Tool) -> (RunsVerdict, RunsCause) {
    let free = matches!(&tool.identity.origin, Origin::Server { declared: Declared::RunsFree, .. });
    match decision {
        Decision::Ask => (RunsVerdict::Asks, RunsCause::Approval),
        Decision::Reject { .. } => (RunsVerdict::Rejected, RunsCause::Rule),
        Decision::Run(Warrant::NotNeeded | Warrant::Answer { .. }) if free => (RunsVerdict::Runs, RunsCause::RunsFree),
        Decision::Run(Warrant::NotNeeded | Warrant::Answer { .. }) => (RunsVerdict::Runs, RunsCause::NotMarked),
        Decision::Run(Warrant::Rule { .. }) => (RunsVerdict::Runs, RunsCause::Rule),
        Decision::Run(Warrant::Standing { .. }) => (RunsVerdict::Runs, RunsCause::Standing),
        Decision::Run(Warrant::Auto) => (RunsVerdict::Runs, RunsCause::Auto),
    }
}
