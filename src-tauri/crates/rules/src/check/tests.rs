use super::*;
use crate::rule::{RuleVerdict, Sample};
use crate::shipped::shipped;
use countersign_core::ids::{AgentId, ConversationId};
use countersign_core::parse;
use countersign_core::tool::{Effect, Mark, Marks, Origin, ToolIdentity};

const COMMANDS: Option<Known> = Some(Known { free_form: true, asks: true });
const OTHER: Option<Known> = Some(Known { free_form: false, asks: true });

fn rule(verdict: RuleVerdict, conditions: Vec<Condition>) -> Rule {
    let mut rule = shipped(0).remove(0);
    rule.verdict = verdict;
    rule.conditions = conditions;
    rule.samples.clear();
    rule
}

fn kinds(rule: &Rule, known: Option<Known>) -> Vec<FaultKind> {
    faults(rule, known, 1_000).into_iter().map(|fault| fault.kind).collect()
}

fn words(words: &[&str], further: bool) -> Condition {
    Condition::Words { words: words.iter().map(|&one| one.to_owned()).collect(), flags: Vec::new(), further }
}

fn at(key: &str, test: Test) -> Condition {
    Condition::Argument { path: vec![key.to_owned()], test }
}

fn reject() -> RuleVerdict {
    RuleVerdict::Reject { reason: String::new() }
}

#[test]
fn what_an_approval_may_not_go_by_a_rejection_may() {
    let text = || "git".to_owned();
    for (condition, known, approval, rejection) in [
        (words(&["git", "status"], true), COMMANDS, None, None),
        (words(&["sudo"], true), COMMANDS, Some(FaultKind::Launcher), None),
        (words(&["sudo", "ls"], false), COMMANDS, None, None),
        (words(&[], true), COMMANDS, Some(FaultKind::Empty), Some(FaultKind::Empty)),
        (words(&["git"], true), OTHER, Some(FaultKind::NoCommand), Some(FaultKind::NoCommand)),
        (at("command", Test::StartsWith { text: text() }), COMMANDS, Some(FaultKind::FreeForm), None),
        (at("command", Test::Pattern { pattern: text() }), COMMANDS, Some(FaultKind::FreeForm), None),
        (at("command", Test::Is { value: text() }), COMMANDS, None, None),
        (at("id", Test::StartsWith { text: text() }), OTHER, None, None),
        (at("id", Test::StartsWith { text: String::new() }), OTHER, Some(FaultKind::Empty), Some(FaultKind::Empty)),
        (at("id", Test::Contains { text: text() }), OTHER, Some(FaultKind::RejectOnly), None),
        (
            at("id", Test::Pattern { pattern: "(".to_owned() }),
            OTHER,
            Some(FaultKind::Pattern),
            Some(FaultKind::Pattern),
        ),
        (at("id", Test::OneOf { values: vec![] }), OTHER, Some(FaultKind::Empty), Some(FaultKind::Empty)),
        (at("id", Test::Inside { folder: "~/x".to_owned() }), OTHER, Some(FaultKind::Folder), Some(FaultKind::Folder)),
        (
            at("id", Test::Host { host: "a/b".to_owned(), below: true }),
            OTHER,
            Some(FaultKind::Host),
            Some(FaultKind::Host),
        ),
        (at("id", Test::Is { value: "x".repeat(5000) }), OTHER, Some(FaultKind::TooLong), Some(FaultKind::TooLong)),
        (Condition::DownloadToShell, COMMANDS, Some(FaultKind::RejectOnly), None),
    ] {
        for (verdict, fault) in [(RuleVerdict::Approve, approval), (reject(), rejection)] {
            let rule = rule(verdict, vec![condition.clone()]);
            assert_eq!(kinds(&rule, known), fault.into_iter().collect::<Vec<_>>(), "{:?} {condition:?}", rule.verdict);
        }
    }
}

#[test]
fn the_rule_itself_is_looked_at() {
    let base = || rule(reject(), vec![words(&["sudo"], true)]);
    let yes = || rule(RuleVerdict::Approve, vec![]);
    for (rule, known, fault) in [
        (Rule { name: String::new(), ..base() }, COMMANDS, FaultKind::Name),
        (Rule { name: " a".to_owned(), ..base() }, COMMANDS, FaultKind::Name),
        (Rule { name: "x".repeat(81), ..base() }, COMMANDS, FaultKind::Name),
        (Rule { name: "a, b".to_owned(), ..base() }, COMMANDS, FaultKind::NameSigns),
        (Rule { name: "a \"b".to_owned(), ..base() }, COMMANDS, FaultKind::NameSigns),
        (Rule { note: "x".repeat(5000), ..base() }, COMMANDS, FaultKind::TooLong),
        (Rule { life: Life::Until { at: 1_000 }, ..base() }, COMMANDS, FaultKind::Over),
        (Rule { scope: Scope::Folder { folder: "src".to_owned() }, ..base() }, COMMANDS, FaultKind::Folder),
        (yes(), COMMANDS, FaultKind::NeedsTick),
        (yes(), None, FaultKind::NeedsTick),
        (Rule { tool: RuleTool::Plan, ..yes() }, OTHER, FaultKind::Plan),
        (Rule { tool: RuleTool::Any, ..yes() }, OTHER, FaultKind::NeedsTool),
        (yes(), Some(Known { free_form: false, asks: false }), FaultKind::RunsAnyway),
        (
            rule(reject(), vec![at("path", Test::Contains { text: "secret".to_owned() })]),
            Some(Known { free_form: false, asks: false }),
            FaultKind::NotSeen,
        ),
    ] {
        assert_eq!(kinds(&rule, known), [fault], "{rule:?}");
    }
    assert_eq!(kinds(&Rule { any_arguments: true, ..yes() }, COMMANDS), []);
    assert_eq!(kinds(&yes(), OTHER), []);
}

fn run() -> GuardedRun {
    GuardedRun { conversation: ConversationId([1; 16]), agent: AgentId([2; 16]), folder: "/w".to_owned() }
}

fn command(arguments: &str) -> Option<GuardedCall> {
    let tool = Tool {
        identity: ToolIdentity {
            origin: Origin::BuiltIn { agent: AgentId([2; 16]), root: "/w".to_owned() },
            name: "run_command".to_owned(),
        },
        description: String::new(),
        parameters: "{}".to_owned(),
        effect: Effect::Write,
        marks: Marks::of([Mark::FreeForm]),
    };
    let tree = parse::arguments(arguments).ok()?;
    Some(GuardedCall { tool, arguments: arguments.to_owned(), tree, preconditions: Vec::new(), answered: false })
}

/// L-080: a rule that doesn't do what its samples say is not saved; the shipped rules do.
#[test]
fn samples_say_what_a_rule_must_do() {
    for rule in shipped(0) {
        assert!(!rule.samples.is_empty(), "{}", rule.name);
        assert_eq!(kinds(&rule, COMMANDS), [], "{}", rule.name);
        assert_eq!(samples(&rule, &run(), &command), [], "{}", rule.name);
    }
    let sample = |matches, arguments: &str| Sample { matches, arguments: arguments.to_owned() };
    let mut rule = rule(reject(), vec![words(&["sudo"], true)]);
    rule.samples = vec![
        sample(true, r#"{"command":"ls"}"#),
        sample(false, r#"{"command":"sudo ls"}"#),
        sample(true, "{"),
        sample(true, r#"{"command":"sudo ls"}"#),
    ];
    let found: Vec<FaultKind> = samples(&rule, &run(), &command).into_iter().map(|fault| fault.kind).collect();
    assert_eq!(found, [FaultKind::SampleMissed, FaultKind::SampleHit, FaultKind::Sample]);
}
