//! The process is killed around the saving of a rule: right before, in the middle, right after. The next one finds the rule whole or not
//! at all, never some of it, and what it decides is what is stored.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use countersign_api::commands::request;
use countersign_api::wire::inbox::Mode;
use countersign_api::wire::window::Space;
use countersign_rules::rule::{Condition, Life, Rule, RuleTool, RuleVerdict, Scope, Test};

use crate::app::App;
use crate::house::{call, calls};

const FOLDER: &str = "COUNTERSIGN_SAVING_FOLDER";
const WHAT: &str = "COUNTERSIGN_SAVING_WHAT";
/// Said right before the save around which the process is killed, and right after it.
const BEGINS: &str = "the save begins";
const IS_DONE: &str = "the save is done";

/// What the process is saving when it is killed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    New,
    Changed,
}

/// A rule of many parts: it lets `write` run for thirty numbers from the first on.
fn rule(name: &str, first: u32) -> Rule {
    let values = (first..first + 30).map(|number| number.to_string()).collect();
    Rule {
        id: String::new(),
        revision: 0,
        name: name.to_owned(),
        former: Vec::new(),
        on: true,
        verdict: RuleVerdict::Approve,
        tool: RuleTool::BuiltIn { name: "write".to_owned() },
        conditions: vec![Condition::Argument { path: vec!["n".to_owned()], test: Test::OneOf { values } }],
        any_arguments: false,
        scope: Scope::Everywhere,
        life: Life::Forever,
        note: format!("From {first} on. ").repeat(20).trim().to_owned(),
        samples: Vec::new(),
        made_at: 0,
        ended_at: None,
    }
}

async fn save(app: &App, rule: Rule) -> Rule {
    let saved = app.countersign.save_rule(Space::Main, request::save_rule { rule }).await.unwrap();
    assert_eq!(saved.faults, []);
    saved.row.unwrap().rule
}

/// The life that is cut short, in a process of its own; without the variables there is none.
#[tokio::test]
async fn a_life_that_saves() {
    let (Some(folder), Some(what)) = (std::env::var_os(FOLDER), std::env::var_os(WHAT)) else { return };
    let app = App::at(Path::new(&folder)).await;
    let kept = save(&app, rule("kept", 100)).await;
    let next = match what.to_str() {
        Some("new") => rule("new", 200),
        _ => Rule { id: kept.id, revision: kept.revision, ..rule("kept", 200) },
    };
    println!("{BEGINS}");
    save(&app, next).await;
    println!("{IS_DONE}");
    // Until it is killed.
    std::future::pending::<()>().await;
}

/// Lives until so long after the save began, or after it was done; whether it said that it was done.
fn live(folder: &Path, what: What, after: Option<Duration>) -> bool {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["saving::a_life_that_saves", "--exact", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder)
        .env(WHAT, if what == What::New { "new" } else { "changed" })
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.contains(BEGINS)), "it never came to the save");
    match after {
        Some(after) => std::thread::sleep(after),
        None => assert!(lines.any(|line| line.contains(IS_DONE)), "it was never done"),
    }
    child.kill().unwrap();
    child.wait().unwrap();
    after.is_none() || lines.any(|line| line.contains(IS_DONE))
}

/// Which of these numbers `write` runs for without asking, in a new conversation.
async fn runs_for(app: &mut App, numbers: &[u32]) -> Vec<u32> {
    let mut runs = Vec::new();
    for number in numbers {
        app.script.will([calls(&[call("write", &format!("{{\"n\":{number}}}"))])]);
        let before = app.ran().len();
        let conversation = app.begin("Go.", Some(Mode::Default)).await;
        match (app.ran().len() - before, app.rows(&conversation).await.len()) {
            (1, 0) => runs.push(*number),
            (0, 1) => {}
            other => panic!("{number}: {other:?}"),
        }
    }
    runs
}

/// The parts of a rule that the person gave it.
fn parts(rule: &Rule) -> Rule {
    Rule { id: String::new(), revision: 0, made_at: 0, ..rule.clone() }
}

#[tokio::test]
async fn killed_around_the_saving_of_a_rule() {
    let mut moments: Vec<Option<Duration>> =
        (0..7).map(|step| Some(Duration::from_micros(step * step * 300))).collect();
    moments.push(None);
    for what in [What::New, What::Changed] {
        for after in &moments {
            let folder = tempfile::tempdir().unwrap();
            let told = live(folder.path(), what, *after);
            let mut app = App::at(folder.path()).await;
            let list = app.countersign.rules(Space::Main, request::rules {}).await.unwrap();
            assert_eq!(list.unreadable, 0, "{after:?}");
            let found: Vec<Rule> = list.rows.iter().map(|row| parts(&row.rule)).collect();
            let (before, then) = match what {
                What::New => (vec![rule("kept", 100)], vec![rule("kept", 100), rule("new", 200)]),
                What::Changed => (vec![rule("kept", 100)], vec![rule("kept", 200)]),
            };
            let is_there = found.len() == then.len() && then.iter().all(|one| found.contains(one));
            assert!(is_there || found == before, "{after:?}: neither before nor after: {found:?}");
            assert!(is_there || !told, "{after:?}: what was said to be saved is saved");
            println!("{after:?} after the save began: {}", if is_there { "whole" } else { "absent" });
            // The first and the last value of each.
            let expected: &[u32] = match (what, is_there) {
                (_, false) => &[100, 129],
                (What::New, true) => &[100, 129, 200, 229],
                (What::Changed, true) => &[200, 229],
            };
            assert_eq!(runs_for(&mut app, &[100, 129, 130, 200, 229, 230]).await, expected, "{after:?}");
            // It can be saved, or changed, from there on.
            let again = list.rows.iter().map(|row| row.rule.clone()).find(|one| one.name == "kept").unwrap();
            save(&app, Rule { note: "Again.".to_owned(), ..again }).await;
            app.countersign.quit().await;
        }
    }
}
