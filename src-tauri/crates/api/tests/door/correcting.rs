//! *Suggest other arguments*: a rejection that says what would have been approved, recognised when the call comes back.

use countersign_api::commands::request;
use countersign_api::display::text::plain;
use countersign_api::wire::compare::{Edit, Similar};
use countersign_api::wire::inbox::{Decision, Detail, Mode, SetCard};
use countersign_api::wire::payload::{DiffPart, Payload};
use countersign_api::wire::window::{ApiError, Space};

use crate::house::{House, calls, says};

const FORCED: &str = "{\"command\":\"git push --force\\u200b\",\"timeout_s\":5}";

fn edit(value: &str) -> Decision {
    Decision::Correct { edits: vec![Edit { key: "command".to_owned(), value: Some(value.to_owned()) }] }
}

async fn detail(house: &House, set: &SetCard) -> Detail {
    house.detail(&set.rows[0].id).await
}

fn drawn(parts: &[DiffPart]) -> String {
    parts.iter().map(|part| if part.changed { format!("[{}]", plain(&part.text)) } else { plain(&part.text) }).collect()
}

/// Surface case 74.
#[tokio::test]
async fn surface_74_a_correction_is_a_rejection_and_is_recognised_when_it_comes_back() {
    let right = calls(&[("run_command", r#"{ "timeout_s" : 5, "command" : "git push" }"#)]);
    let house = House::new([calls(&[("run_command", FORCED)]), right, says("done")]).await;
    let set = house.ask("push").await;
    assert_eq!(detail(&house, &set).await.correction, None);
    house.answer(&set, &[(0, edit("\"git push\""))]).await.unwrap();
    let again =
        house.until("it asks again", |now| now.sets.first().filter(|now| now.rows[0].id != set.rows[0].id).cloned());
    let again = again.await;
    assert_eq!(house.ran(), Vec::<String>::new(), "the corrected call is not run; the agent asks");
    let told = house.last_prompt();
    assert!(told.contains("Use these arguments instead"), "{told}");
    let matches = detail(&house, &again).await.correction.expect("recognised");
    assert!(matches.differences.is_empty() && matches.more == 0, "key order and spaces don't matter");
}

#[tokio::test]
async fn another_call_than_the_corrected_one_says_what_differs() {
    let other = calls(&[("run_command", r#"{"command":"git push --dry-run","timeout_s":5}"#)]);
    let house = House::new([calls(&[("run_command", FORCED)]), other, says("done")]).await;
    let set = house.ask("push").await;
    house.answer(&set, &[(0, edit("\"git push\""))]).await.unwrap();
    let again =
        house.until("it asks again", |now| now.sets.first().filter(|now| now.rows[0].id != set.rows[0].id).cloned());
    let differs = detail(&house, &again.await).await.correction.expect("recognised").differences;
    assert_eq!(differs.len(), 1);
    assert_eq!(drawn(differs[0].this.as_ref().unwrap()), "git push[ --dry-run]");
}

#[tokio::test]
async fn what_isnt_edited_keeps_its_hidden_characters_and_what_is_shows_them() {
    let house = House::new([calls(&[("run_command", FORCED)]), says("done")]).await;
    let set = house.ask("push").await;
    let id = set.rows[0].id.clone();
    let fields = house.app.arguments(Space::Main, request::arguments { id }).await.unwrap();
    assert_eq!(
        fields.iter().map(|field| (field.key.as_str(), field.is_text)).collect::<Vec<_>>(),
        [("command", true), ("timeout_s", false)]
    );
    assert!(fields[0].text.contains("U+200B"), "{}", fields[0].text);
    let only_time = Decision::Correct { edits: vec![Edit { key: "timeout_s".to_owned(), value: None }] };
    house.answer(&set, &[(0, only_time)]).await.unwrap();
    house.rest(&set.conversation).await;
    let told = house.last_prompt();
    assert!(
        told.contains("force\\\\u200b") || told.contains("force\u{200b}") || told.contains("force\\u{200b}"),
        "{told}"
    );
}

#[tokio::test]
async fn a_correction_that_corrects_nothing_or_is_no_json_is_refused() {
    let house = House::new([calls(&[("run_command", FORCED)])]).await;
    let set = house.ask("push").await;
    let id = set.rows[0].id.clone();
    let none = house.stage_decision(&id, Decision::Correct { edits: Vec::new() }).await;
    assert!(matches!(none, Err(ApiError::Refused { .. })), "{none:?}");
    let broken = house.stage_decision(&id, edit("git push")).await;
    assert!(matches!(broken, Err(ApiError::Invalid { ref field, .. }) if field == "command"), "{broken:?}");
    assert!(house.set_of(&set.conversation).await.rows[0].draft.is_none());
}

#[tokio::test]
async fn similar_decisions_say_how_they_differ() {
    let call =
        |branch: &str| calls(&[("run_command", format!(r#"{{"command":"git push origin {branch}"}}"#).as_str())]);
    let house = House::new([call("main"), call("two"), call("three"), says("done")]).await;
    let first = house.ask("push").await;
    house.answer(&first, &[(0, Decision::Approve)]).await.unwrap();
    let next = |than: String| {
        move |now: &countersign_api::wire::window::Snapshot| {
            now.sets.first().filter(|now| now.rows[0].id != than).cloned()
        }
    };
    let second = house.until("the second", next(first.rows[0].id.clone())).await;
    house.answer(&second, &[(0, Decision::Reject { reason: None })]).await.unwrap();
    let third = house.until("the third", next(second.rows[0].id.clone())).await;
    let rows: Vec<Similar> =
        house.app.similar(Space::Main, request::similar { id: third.rows[0].id.clone() }).await.unwrap();
    let said: Vec<_> = rows
        .iter()
        .map(|row| (row.decision.as_str(), row.last_approved, drawn(row.differences[0].other.as_ref().unwrap())))
        .collect();
    assert_eq!(
        said,
        [
            ("Rejected", false, "git push origin [two]".to_owned()),
            ("Approved", true, "git push origin [main]".to_owned())
        ]
    );
}

/// (f.2): a recent reason is one key away.
#[tokio::test]
async fn surface_25_recent_reasons_are_offered_once_each_and_corrections_are_none() {
    let call = |n: u32| calls(&[("run_command", format!(r#"{{"command":"git push {n}"}}"#).as_str())]);
    let house = House::new((0..4).map(call).chain([says("done")])).await;
    let mut set = house.ask("push").await;
    let no = |reason: &str| Decision::Reject { reason: Some(reason.to_owned()) };
    for decision in [no("wrong branch"), edit("\"git pull\""), no("dry run first"), no("wrong branch")] {
        let before = set.rows[0].id.clone();
        house.answer(&set, &[(0, decision)]).await.unwrap();
        let next = house.until("what comes next", |now| match now.sets.first() {
            None => now.conversations[0].waiting.eq(&0).then_some(None),
            Some(next) => (next.rows[0].id != before).then(|| Some(next.clone())),
        });
        if let Some(next) = next.await {
            set = next;
        }
    }
    let reasons = house.app.reasons(Space::Main, request::reasons {}).await.unwrap();
    assert_eq!(reasons, ["wrong branch", "dry run first"]);
}

/// (c.10): a plan that comes back says what changed since the one that was sent back.
#[tokio::test]
async fn a_plan_says_what_changed_since_it_was_sent_back() {
    let plan = |text: &str| calls(&[("exit_plan_mode", serde_json::json!({ "plan": text }).to_string().as_str())]);
    let house =
        House::new([plan("1. Read\n2. Bump the docs\n"), plan("1. Read\n2. Bump\n3. Test\n"), says("done")]).await;
    let request = request::start_conversation {
        agent: house.agent.clone(),
        text: Some("make a plan".to_owned()),
        mode: Some(Mode::Plan),
        auto_until: None,
    };
    let row = house.app.start_conversation(Space::Main, request).await.unwrap();
    let set = house.set_of(&row.id).await;
    assert!(matches!(detail(&house, &set).await.payload, Payload::Plan { since: None, .. }));
    house.answer(&set, &[(0, Decision::Reject { reason: Some("leave the docs".to_owned()) })]).await.unwrap();
    let next =
        house.until("the next plan", |now| now.sets.first().filter(|now| now.rows[0].id != set.rows[0].id).cloned());
    let Payload::Plan { since: Some(since), .. } = detail(&house, &next.await).await.payload else {
        panic!("it says what changed")
    };
    assert_eq!((since.added, since.removed), (2, 1));
}
