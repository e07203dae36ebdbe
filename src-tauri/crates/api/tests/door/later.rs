//! *Later*: a set is quiet, keeps its drafts, decides nothing, and comes back.

use countersign_api::commands::request;
use countersign_api::wire::inbox::{Decision, LaterUntil, SetCard};
use countersign_api::wire::settings::Settings;
use countersign_api::wire::window::{ApiError, Space};

use crate::house::{House, Told, calls, now, says};

fn two() -> countersign_core::input::ModelReply {
    calls(&[("write_file", r#"{"path":"a","content":"x"}"#), ("write_file", r#"{"path":"b","content":"y"}"#)])
}

async fn later(house: &House, set: &SetCard, until: LaterUntil) -> Result<(), ApiError> {
    house.app.later(Space::Main, request::later { set: set.id.clone(), until }).await
}

/// (f.18) 33.
#[tokio::test]
async fn accept_33_later_quiets_the_whole_set_and_keeps_its_drafts() {
    let house = House::new([two()]).await;
    let set = house.ask("write").await;
    house.stage_decision(&set.rows[0].id, Decision::Approve).await.unwrap();
    later(&house, &set, LaterUntil::At { at: now().0 + 3_600_000 }).await.unwrap();
    let quiet = house.set_of(&set.conversation).await;
    assert!(quiet.later.is_some_and(|later| later.until.is_some()));
    assert!(quiet.rows[0].draft.is_some(), "what was staged stays");
    let house = house.restart().await;
    let again = house.set_of(&set.conversation).await;
    assert!(again.later.is_some() && again.rows[0].draft.is_some(), "after a restart, too");
    house.app.not_later(Space::Main, request::not_later { set: set.id.clone() }).await.unwrap();
    assert_eq!(house.set_of(&set.conversation).await.later, None);
    assert_eq!(house.ran(), Vec::<String>::new(), "nothing was decided by it");
}

#[tokio::test]
async fn a_set_comes_back_when_its_time_has_come_or_the_person() {
    let house = House::new([two(), two()]).await;
    let (timed, back) = (house.ask("write").await, house.ask("write more").await);
    later(&house, &timed, LaterUntil::At { at: now().0 + 700 }).await.unwrap();
    later(&house, &back, LaterUntil::Back).await.unwrap();
    let of = |sets: &[SetCard], id: &str| sets.iter().find(|set| set.id == id).unwrap().later;
    let snapshot = house.snapshot().await;
    assert!(of(&snapshot.sets, &timed.id).is_some() && of(&snapshot.sets, &back.id).is_some());
    house.until("the time has come", |now| of(&now.sets, &timed.id).is_none().then_some(())).await;
    assert!(of(&house.snapshot().await.sets, &back.id).is_some());
    house.app.person_is_back().await;
    assert!(of(&house.snapshot().await.sets, &back.id).is_none());
}

#[tokio::test]
async fn later_stops_a_grace_and_nothing_leaves() {
    let house = House::new([two()]).await;
    let settings = Settings { grace_ms: Some(300), ..Settings::default() };
    house.app.save_settings(Space::Main, request::save_settings { settings }).await.unwrap();
    let set = house.ask("write").await;
    for row in &set.rows {
        house.stage_decision(&row.id, Decision::Approve).await.unwrap();
    }
    later(&house, &set, LaterUntil::Back).await.unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(600)).await;
    let kept = house.set_of(&set.conversation).await;
    assert!(kept.grace.is_none() && kept.rows.iter().all(|row| row.draft.is_some()));
    assert_eq!(house.ran(), Vec::<String>::new());
}

#[tokio::test]
async fn what_is_new_in_a_set_brings_it_back_and_a_set_that_is_gone_is_forgotten() {
    let house = House::new([two(), two()]).await;
    let set = house.ask("write").await;
    later(&house, &set, LaterUntil::Back).await.unwrap();
    house.answer(&set, &[(0, Decision::Approve), (1, Decision::Approve)]).await.unwrap();
    let next =
        house.until("it asks again", |now| now.sets.first().filter(|now| now.rows[0].id != set.rows[0].id).cloned());
    assert_eq!(next.await.later, None, "it wasn't this that was put aside");
    let gone = request::delete_conversation { conversation: set.conversation.clone() };
    house.app.delete_conversation(Space::Main, gone).await.unwrap();
    let late = later(&house, &set, LaterUntil::Back).await;
    assert!(matches!(late, Err(ApiError::NotFound { .. })), "{late:?}");
}

#[tokio::test]
async fn a_time_that_is_over_is_refused() {
    let house = House::new([two()]).await;
    let set = house.ask("write").await;
    let past = later(&house, &set, LaterUntil::At { at: now().0 - 1 }).await;
    assert!(matches!(past, Err(ApiError::Invalid { .. })), "{past:?}");
    assert_eq!(house.set_of(&set.conversation).await.later, None);
}

/// Surface case 63: "not now" is no denial, and is quiet.
#[tokio::test]
async fn surface_63_a_set_that_was_put_aside_is_not_told() {
    let house = House::new([two(), says("done")]).await;
    let set = house.ask("write").await;
    house.until_told("the set", |told| matches!(told.last(), Some(Told::Shown(_)))).await;
    later(&house, &set, LaterUntil::Back).await.unwrap();
    house.until_told("that it is quiet", |told| matches!(told.last(), Some(Told::Withdrawn(_)))).await;
    house.app.person_is_back().await;
    house.until_told("it again", |told| matches!(told.last(), Some(Told::Shown(_)))).await;
}
