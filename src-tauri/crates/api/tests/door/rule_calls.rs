//! A rule from several calls of history: it fits all of them, says what it can't be made from, and is as narrow as it can be.

use countersign_api::commands::request;
use countersign_api::wire::inbox::Decision;
use countersign_api::wire::rules::{RuleDraft, RuleSource};
use countersign_api::wire::window::{ApiError, Space};
use countersign_core::input::ModelReply;
use countersign_rules::rule::{Condition, Life, Rule, RuleTool, RuleVerdict, Scope, Test};

use crate::house::{House, calls, says};

fn command(text: &str) -> ModelReply {
    calls(&[("run_command", &format!("{{\"command\":{}}}", serde_json::to_string(text).unwrap()))])
}

fn file(path: &str) -> (&'static str, String) {
    ("write_file", format!("{{\"path\":\"{path}\",\"content\":\"{}\"}}", "x".repeat(300)))
}

async fn draft(house: &House, ids: &[String]) -> Result<RuleDraft, ApiError> {
    let from = RuleSource::Calls { ids: ids.to_vec() };
    house.app.rule_draft(Space::Main, request::rule_draft { from }).await
}

/// Decides about everything that waits in a conversation of its own, and gives the ids of the calls.
async fn decided(house: &House, reply: ModelReply, decision: &Decision) -> Vec<String> {
    house.stage.replies.lock().unwrap().extend([reply, says("Done.")]);
    let set = house.ask("go").await;
    let answers: Vec<(usize, Decision)> = (0..set.rows.len()).map(|index| (index, decision.clone())).collect();
    house.answer(&set, &answers).await.unwrap();
    house.rest(&set.conversation).await;
    set.rows.into_iter().map(|row| row.id).collect()
}

/// Whether a rule matches a call, by the function that judges.
async fn fits(house: &House, rule: &Rule, id: &str) -> bool {
    let look = request::rule_look { rule: rule.clone(), front: Some(id.to_owned()) };
    let look = house.app.rule_look(Space::Main, look).await.unwrap();
    assert_eq!(look.faults, []);
    look.front.unwrap()
}

fn one_of(key: &str, values: &[&str]) -> Condition {
    let values = values.iter().map(|&value| value.to_owned()).collect();
    Condition::Argument { path: vec![key.to_owned()], test: Test::OneOf { values } }
}

/// c.10: commands that differ become one of them; their first words are a step wider.
#[tokio::test]
async fn a_rule_from_several_commands_fits_all_of_them_and_no_other() {
    let house = House::new([]).await;
    let mut ids = Vec::new();
    for text in ["git log -1", "git log -2", "git log -1"] {
        ids.extend(decided(&house, command(text), &Decision::Approve).await);
    }
    let other = decided(&house, command("git log -3"), &Decision::Approve).await;
    let made = draft(&house, &ids).await.unwrap();
    assert_eq!(made.rule.conditions, [one_of("command", &["git log -1", "git log -2"])]);
    let git_log = |words: &[&str]| Condition::Words {
        words: words.iter().map(|&word| word.to_owned()).collect(),
        flags: Vec::new(),
        further: true,
    };
    let wider: Vec<&Condition> = made.offers.iter().filter(|one| !one.on).map(|one| &one.condition).collect();
    assert_eq!(wider, [&git_log(&["git", "log"]), &git_log(&["git"])]);
    assert!(made.offers.iter().all(|one| one.approves && one.group == made.offers[0].group));
    assert_eq!(made.rule.tool, RuleTool::BuiltIn { name: "run_command".to_owned() });
    assert_eq!((&made.rule.name[..], made.rule.verdict.clone(), made.chosen), ("git log", RuleVerdict::Approve, true));
    // They are of three conversations, so it holds where all of them are.
    assert!(matches!(made.rule.scope, Scope::Agent { .. }) && made.rule.life == Life::Forever, "{:?}", made.rule);
    for id in &ids {
        assert!(fits(&house, &made.rule, id).await);
    }
    assert!(!fits(&house, &made.rule, &other[0]).await, "as narrow as it can be");
    // A command that can't be taken apart is held to its very text, and nothing wider is offered.
    let odd = decided(&house, command("git log -1 | head"), &Decision::Approve).await;
    let made = draft(&house, &[ids[0].clone(), odd[0].clone()]).await.unwrap();
    assert_eq!(made.rule.conditions, [one_of("command", &["git log -1", "git log -1 | head"])]);
    assert!(made.unreadable.is_some() && made.offers.iter().all(|one| one.on));
    assert!(fits(&house, &made.rule, &odd[0]).await && fits(&house, &made.rule, &ids[0]).await);
}

/// c.10: what is the same stays, what differs becomes one of, with the folder and the beginning that they share.
#[tokio::test]
async fn a_rule_from_several_files_keeps_what_they_share() {
    let house = House::new([]).await;
    let both = [file("notes/a.md"), file("notes/b.md")];
    let both: Vec<(&str, &str)> = both.iter().map(|(tool, arguments)| (*tool, arguments.as_str())).collect();
    let ids = decided(&house, calls(&both), &Decision::Approve).await;
    let made = draft(&house, &ids).await.unwrap();
    assert_eq!(made.rule.conditions, [one_of("path", &["notes/a.md", "notes/b.md"])], "content is none");
    let begins = Test::StartsWith { text: "notes/".to_owned() };
    assert!(
        made.offers
            .iter()
            .any(|one| one.condition == Condition::Argument { path: vec!["path".to_owned()], test: begins.clone() })
    );
    assert!(
        matches!(made.rule.scope, Scope::Conversation { .. }) && matches!(made.rule.life, Life::Conversation { .. })
    );
    for id in &ids {
        assert!(fits(&house, &made.rule, id).await);
    }
    // The same call twice is that call.
    let again = decided(&house, calls(&both[..1]), &Decision::Approve).await;
    let made = draft(&house, &[ids[0].clone(), again[0].clone()]).await.unwrap();
    let is = Test::Is { value: "notes/a.md".to_owned() };
    assert_eq!(made.rule.conditions, [Condition::Argument { path: vec!["path".to_owned()], test: is }]);
}

/// What no rule can be made from is said, and whoever rejected some of it says themselves what the rule does.
#[tokio::test]
async fn what_no_rule_can_be_made_from_is_said() {
    let house = House::new([]).await;
    let approved = decided(&house, command("ls"), &Decision::Approve).await;
    let rejected = decided(&house, command("ls -a"), &Decision::Reject { reason: None }).await;
    let (tool, arguments) = file("a");
    let other = decided(&house, calls(&[(tool, &arguments)]), &Decision::Approve).await;
    let refused = |outcome: Result<RuleDraft, ApiError>| match outcome {
        Err(ApiError::Refused { message }) => message,
        other => panic!("{other:?}"),
    };
    let differ = refused(draft(&house, &[approved[0].clone(), other[0].clone()]).await);
    assert!(differ.contains("different tools"), "{differ}");
    assert!(refused(draft(&house, &[]).await).contains("1 to 50"));
    let mixed = draft(&house, &[approved[0].clone(), rejected[0].clone()]).await.unwrap();
    assert!(!mixed.chosen);
    let all = draft(&house, &rejected).await.unwrap();
    assert!(!all.chosen && matches!(all.rule.verdict, RuleVerdict::Reject { .. }));
    assert!(draft(&house, &["0".repeat(32)]).await.is_err());
}
