//! What it costs to ask the rules about a call (P17): twenty rules and a command of a kilobyte.
//!
//! `./dev bench rules`

use countersign_core::ids::{AgentId, ConversationId};
use countersign_core::parse::{Tree, to_text};
use countersign_core::tool::{Effect, Mark, Marks, Origin, Tool, ToolIdentity};
use countersign_engine::ports::{GuardedCall, GuardedRun};
use countersign_rules::judge::{Ready, judge};
use countersign_rules::rule::{Condition, Rule, RuleVerdict, Test};
use countersign_rules::shipped::shipped;

fn main() {
    divan::main();
}

fn rules() -> Vec<Ready> {
    let all = shipped(0);
    let word = |one: &str| one.to_owned();
    let more = (0..).map(|number| Rule {
        name: format!("rule {number}"),
        verdict: if number % 2 == 0 { RuleVerdict::Approve } else { RuleVerdict::Reject { reason: String::new() } },
        conditions: vec![match number % 4 {
            0 => {
                Condition::Words { words: vec![word("git"), format!("sub{number}")], flags: Vec::new(), further: true }
            }
            1 => Condition::Words { words: vec![format!("program{number}")], flags: vec![word("-f")], further: true },
            2 => Condition::Argument {
                path: vec![word("command")],
                test: Test::Is { value: format!("git status {number}") },
            },
            _ => Condition::Argument {
                path: vec![word("command")],
                test: Test::Inside { folder: format!("/secret{number}") },
            },
        }],
        ..all.first().cloned().unwrap_or_else(|| std::process::exit(1))
    });
    all.iter().cloned().chain(more).take(20).map(Ready::new).collect()
}

fn call(command: &str) -> GuardedCall {
    let tree = Tree::Object(vec![("command".to_owned(), Tree::Text(command.to_owned()))]);
    let origin = Origin::BuiltIn { agent: AgentId([1; 16]), root: "/w".to_owned() };
    GuardedCall {
        tool: Tool {
            identity: ToolIdentity { origin, name: "run_command".to_owned() },
            description: String::new(),
            parameters: String::new(),
            effect: Effect::Write,
            marks: Marks::of([Mark::FreeForm]),
        },
        arguments: to_text(&tree),
        tree,
        preconditions: Vec::new(),
        answered: false,
    }
}

fn ask(bencher: divan::Bencher<'_, '_>, command: &str) {
    let (rules, call) = (rules(), call(command));
    let run = GuardedRun { conversation: ConversationId([1; 16]), agent: AgentId([1; 16]), folder: "/w".to_owned() };
    bencher.bench(|| judge(&rules, 0, &run, &call, 0));
}

/// One plain command.
#[divan::bench]
fn plain_1_kb(bencher: divan::Bencher<'_, '_>) {
    ask(bencher, &format!("cargo nextest run {}", "package ".repeat(126)));
}

/// Many parts, quotes and starters.
#[divan::bench]
fn parts_1_kb(bencher: divan::Bencher<'_, '_>) {
    ask(bencher, &"sudo -u me sh -c 'cd a/b && ls \"x y\"' | tee log; ".repeat(20));
}

/// A megabyte: what a hostile model would send.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn parts_1_mb(bencher: divan::Bencher<'_, '_>) {
    ask(bencher, &"sudo -u me sh -c 'cd a/b && ls \"x y\"' | tee log; ".repeat(20_000));
}
