//! Staging, grace and undo: in Rust, stored, the same for every window, and never sent by themselves after a restart.

use countersign_api::commands::request;
use countersign_api::wire::inbox::Decision;
use countersign_api::wire::settings::Settings;
use countersign_api::wire::window::{ApiError, Space};

use crate::house::{House, calls, now, says};

fn two() -> countersign_core::input::ModelReply {
    calls(&[("write_file", r#"{"path":"a","content":"x"}"#), ("write_file", r#"{"path":"b","content":"y"}"#)])
}

async fn grace(house: &House, grace_ms: Option<i64>) {
    let settings = Settings { grace_ms, ..Settings::default() };
    house.app.save_settings(Space::Main, request::save_settings { settings }).await.unwrap();
}

#[tokio::test]
async fn a_set_leaves_by_itself_when_its_last_decision_is_staged() {
    let house = House::new([two(), says("done")]).await;
    grace(&house, Some(300)).await;
    let set = house.ask("write").await;
    house.stage_decision(&set.rows[0].id, Decision::Approve).await.unwrap();
    assert_eq!(house.set_of(&set.conversation).await.grace, None, "one of two is not a whole set");
    house.stage_decision(&set.rows[1].id, Decision::Reject { reason: Some("no".to_owned()) }).await.unwrap();
    assert_eq!(house.ran(), Vec::<String>::new(), "nothing leaves within the grace");
    house.until("the set is gone", |snapshot| snapshot.sets.is_empty().then_some(())).await;
    house.rest(&set.conversation).await;
    assert_eq!(house.ran(), [r#"write_file {"path":"a","content":"x"}"#]);
}

#[tokio::test]
async fn undo_within_the_grace_stops_it_and_keeps_the_rest() {
    let house = House::new([two()]).await;
    grace(&house, Some(10_000)).await;
    let set = house.ask("write").await;
    for row in &set.rows {
        house.stage_decision(&row.id, Decision::Approve).await.unwrap();
    }
    let staged = house.set_of(&set.conversation).await;
    assert!(staged.grace.is_some_and(|grace| grace.ends_at > now().0), "the grace runs");
    house.app.unstage(Space::Main, request::unstage { id: set.rows[1].id.clone() }).await.unwrap();
    let undone = house.set_of(&set.conversation).await;
    assert_eq!(undone.grace, None);
    assert!(undone.rows[0].draft.is_some() && undone.rows[1].draft.is_none());
}

#[tokio::test]
async fn accept_24_surface_12_what_is_staged_survives_a_restart_and_is_not_sent_by_itself() {
    let house = House::new([two(), says("done")]).await;
    grace(&house, Some(10_000)).await;
    let set = house.ask("write").await;
    for row in &set.rows {
        house.stage_decision(&row.id, Decision::Approve).await.unwrap();
    }
    let house = house.restart().await;
    let again = house.set_of(&set.conversation).await;
    assert!(again.rows.iter().all(|row| row.draft.is_some()), "both decisions are there");
    assert_eq!(again.grace, None, "and no timer runs");
    assert_eq!(house.ran(), Vec::<String>::new());
    house.answer(&again, &[(0, Decision::Approve), (1, Decision::Approve)]).await.unwrap();
    house.rest(&set.conversation).await;
    assert_eq!(house.ran().len(), 2);
}

#[tokio::test]
async fn accept_28_an_approval_with_a_red_fact_waits_for_send() {
    let house = House::new([calls(&[("run_command", r#"{"command":"rm -rf ../exports"}"#)])]).await;
    grace(&house, Some(0)).await;
    let set = house.ask("clean").await;
    assert!(set.rows[0].high_risk);
    house.stage_decision(&set.rows[0].id, Decision::Approve).await.unwrap();
    let staged = house.set_of(&set.conversation).await;
    assert!(staged.waits_for_send && staged.grace.is_none(), "it doesn't leave by a timer");
    assert_eq!(house.ran(), Vec::<String>::new());
    house.app.unstage(Space::Main, request::unstage { id: set.rows[0].id.clone() }).await.unwrap();
    house.stage_decision(&set.rows[0].id, Decision::Reject { reason: None }).await.unwrap();
    house.until("the rejection left by itself", |snapshot| snapshot.sets.is_empty().then_some(())).await;
}

#[tokio::test]
async fn without_grace_it_waits_for_send() {
    let house = House::new([two()]).await;
    grace(&house, None).await;
    let set = house.ask("write").await;
    for row in &set.rows {
        house.stage_decision(&row.id, Decision::Approve).await.unwrap();
    }
    let staged = house.set_of(&set.conversation).await;
    assert!(staged.grace.is_none() && !staged.waits_for_send);
    assert_eq!(house.ran(), Vec::<String>::new());
}

#[tokio::test]
async fn a_pattern_that_cant_be_read_is_refused_and_changes_nothing() {
    let house = House::new([]).await;
    let with = |masks: &[&str]| Settings {
        masks: masks.iter().map(|mask| (*mask).to_owned()).collect(),
        grace_ms: Some(1_000),
        ..Settings::default()
    };
    let settings = with(&["ACME-[0-9]+", "("]);
    let refused = house.app.save_settings(Space::Main, request::save_settings { settings }).await;
    assert!(matches!(refused, Err(ApiError::Invalid { ref field, .. }) if field == "masks"), "{refused:?}");
    assert_eq!(house.snapshot().await.settings.grace_ms, Settings::default().grace_ms);
    let settings = with(&["ACME-[0-9]+"]);
    house.app.save_settings(Space::Main, request::save_settings { settings }).await.unwrap();
}
