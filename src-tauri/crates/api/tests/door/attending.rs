//! Reminders, the person's coming back, quiet hours, pauses and the sound: all of them only tell or don't.

use std::time::Duration;

use countersign_api::wire::desktop::Pause;
use countersign_api::wire::inbox::{Decision, LaterUntil};
use countersign_api::wire::settings::QuietHours;
use countersign_api::wire::window::Space;
use countersign_engine::ports::Attendance;

use countersign_api::commands::request;

use crate::house::{House, Told, calls, now, says};
use crate::notices::{settle, shown, told_of, wants};

fn count(house: &House) -> usize {
    shown(&house.told()).len()
}

fn idle(house: &House, seconds: Option<u64>) {
    let idle = seconds.map(Duration::from_secs);
    *house.stage.attendance.lock().unwrap() = Attendance { idle, locked: None, undisturbed: None };
}

#[tokio::test]
async fn surface_61_it_is_told_again_twice_and_then_never() {
    let house = wants("ls").await;
    told_of(&house).await;
    for (minutes, expected) in [(9, 1), (2, 2), (1, 2), (58, 3), (600, 3), (6_000, 3)] {
        house.later(minutes).await;
        assert_eq!(count(&house), expected, "after {minutes} more minutes");
    }
    let all = house.told();
    assert_eq!(shown(&all)[1].title, "Nightly check still wants to run a command");
    assert!(matches!(all[1], Told::Withdrawn(_)), "taken away first, so that it comes up anew");
}

#[tokio::test]
async fn surface_61_whoever_comes_back_is_told_once() {
    let house = wants("ls").await;
    told_of(&house).await;
    for (seconds, expected) in [(Some(1), 1), (Some(299), 1), (Some(1), 1), (Some(301), 1), (None, 1), (Some(2), 2)] {
        idle(&house, seconds);
        house.later(0).await;
        assert_eq!(count(&house), expected, "idle for {seconds:?}");
    }
    for seconds in [301, 1, 301, 1] {
        idle(&house, Some(seconds));
        house.later(0).await;
    }
    assert_eq!(count(&house), 2, "once for a set");
}

#[tokio::test]
async fn surface_59_no_reminder_where_it_is_switched_off_answered_or_looked_at() {
    let house = wants("ls").await;
    let (set, _) = told_of(&house).await;
    let request = Some(set.rows[0].id.clone());
    house
        .app
        .looking(Space::Main, request::looking { window: "main".to_owned(), focused: true, request })
        .await
        .unwrap();
    house.later(11).await;
    assert_eq!(count(&house), 1, "it is on the screen");
    house
        .app
        .looking(Space::Main, request::looking { window: "main".to_owned(), focused: false, request: None })
        .await
        .unwrap();
    house.set(|settings| settings.reminders = false).await;
    house.later(1).await;
    assert_eq!(count(&house), 1);
    house.set(|settings| settings.reminders = true).await;
    house.later(1).await;
    assert_eq!(count(&house), 2, "opened and left undecided it still waits");
    house.answer(&set, &[(0, Decision::Approve)]).await.unwrap();
    house.rest(&set.conversation).await;
    settle().await;
    house.later(600).await;
    assert_eq!(count(&house), 2);
}

#[tokio::test]
async fn accept_25_quiet_hours_decide_nothing_and_what_waits_is_told_once_when_they_end() {
    let house = wants("ls").await;
    house.set(|settings| settings.quiet_hours = Some(QuietHours { from: 0, to: 0 })).await;
    let set = house.ask("Nightly check").await;
    settle().await;
    house.later(600).await;
    assert_eq!((house.told().len(), house.ran().len()), (0, 0), "silent, and nothing was decided");
    let waiting = house.set_of(&set.conversation).await;
    assert_eq!((waiting.rows[0].id.clone(), waiting.rows[0].draft.clone()), (set.rows[0].id.clone(), None));
    assert_eq!(house.app.tray().await.silent.as_deref(), Some("Quiet hours"));
    house.set(|settings| settings.quiet_hours = None).await;
    house.later(0).await;
    house.until_told("it is told", |told| shown(told).len() == 1).await;
    house.later(0).await;
    settle().await;
    assert_eq!(count(&house), 1, "once");
    assert_eq!(house.set_of(&set.conversation).await.rows, waiting.rows);
}

#[tokio::test]
async fn surface_66_a_pause_silences_ends_by_itself_and_can_be_ended() {
    let house = wants("ls").await;
    house.app.pause(Pause::HalfHour).await.unwrap();
    let tray = house.app.tray().await;
    assert!(tray.paused && tray.silent.unwrap().starts_with("Notifications paused until "));
    let set = house.ask("Nightly check").await;
    settle().await;
    house.later(29).await;
    assert_eq!(count(&house), 0);
    assert_eq!(house.set_of(&set.conversation).await.rows[0].draft, None);
    house.later(2).await;
    house.until_told("it is told", |told| shown(told).len() == 1).await;
    assert_eq!(house.snapshot().await.settings.paused_until, None, "what is over isn't shown as a pause");
    for pause in [Pause::Hour, Pause::Tomorrow] {
        house.app.pause(pause).await.unwrap();
        assert!(house.app.tray().await.paused);
    }
    house.app.pause(Pause::Over).await.unwrap();
    assert!(!house.app.tray().await.paused);
}

/// The number on the app's icon is that of open requests: not of sets, drafts, calls that wait along or conversations in Auto; and
/// none as soon as none is open, whatever closed it.
#[tokio::test]
async fn surface_62_the_badge_is_the_number_of_open_requests_and_nothing_else() {
    let two = || calls(&[("run_command", r#"{"command":"ls"}"#), ("run_command", r#"{"command":"ls -a"}"#)]);
    let along = calls(&[("run_command", r#"{"command":"pwd"}"#), ("read_file", r#"{"path":"a"}"#)]);
    let house = House::new([two(), along, two(), says("Then not."), says("Done.")]).await;
    let badge = async |house: &House| house.app.tray().await.waiting;
    assert_eq!(badge(&house).await, 0);
    let first = house.ask("one").await;
    assert_eq!(badge(&house).await, 2, "requests, not sets");
    let second = house.ask("two").await;
    assert_eq!(badge(&house).await, 3, "what waits along waits for nobody");
    house.stage_decision(&second.rows[0].id, Decision::Reject { reason: None }).await.unwrap();
    assert_eq!(badge(&house).await, 3, "a draft hasn't left");
    let until = LaterUntil::At { at: now().0 + 3_600_000 };
    house.app.later(Space::Main, request::later { set: first.id.clone(), until }).await.unwrap();
    assert_eq!(badge(&house).await, 3, "what is put off is still open");
    let house = house.restart().await;
    assert_eq!(badge(&house).await, 3, "after a restart, too");
    let third = house.ask("three").await;
    assert_eq!(badge(&house).await, 5);

    // Deleted, answered, passed by: each takes its own away, and the last one all.
    let conversation = first.conversation.clone();
    house.app.delete_conversation(Space::Main, request::delete_conversation { conversation }).await.unwrap();
    assert_eq!(badge(&house).await, 3);
    house.answer(&second, &[(0, Decision::Reject { reason: None })]).await.unwrap();
    house.rest(&second.conversation).await;
    assert_eq!(badge(&house).await, 2);
    house.app.stop(Space::Main, request::stop { conversation: third.conversation.clone() }).await.unwrap();
    house.until("it is stopped", |now| now.sets.is_empty().then_some(())).await;
    assert_eq!(badge(&house).await, 0);
}

#[tokio::test]
async fn the_sound_is_off_unless_wanted_and_once_in_ten_seconds() {
    let house = wants("ls").await;
    let (_, silent) = told_of(&house).await;
    assert_eq!(silent.sound, None);
    let house = House::new(std::iter::repeat_n(calls(&[("run_command", r#"{"command":"ls"}"#)]), 3)).await;
    house.set(|settings| (settings.sound, settings.volume) = (true, 40)).await;
    let (_, first) = told_of(&house).await;
    let (_, second) = told_of(&house).await;
    house.stage.ahead.fetch_add(10_000, std::sync::atomic::Ordering::SeqCst);
    let (_, third) = told_of(&house).await;
    assert_eq!([first.sound, second.sound, third.sound], [Some(40), None, Some(40)]);
}

#[tokio::test]
async fn where_no_notification_can_be_shown_the_sound_says_it() {
    let house = wants("ls").await;
    *house.stage.no_notices.lock().unwrap() = true;
    house.ask("Nightly check").await;
    house.until_told("it rings", |told| told == [Told::Rung(50)]).await;
    let house = wants("ls").await;
    *house.stage.no_notices.lock().unwrap() = true;
    house.set(|settings| settings.volume = 0).await;
    house.ask("Nightly check").await;
    settle().await;
    assert!(house.told().is_empty(), "a volume of nothing is silence");
}

#[tokio::test]
async fn surface_63_what_is_put_off_is_not_told_until_the_person_is_back() {
    use countersign_api::wire::inbox::LaterUntil;
    let house = wants("ls").await;
    let (set, _) = told_of(&house).await;
    let later = request::later { set: set.id.clone(), until: LaterUntil::Back };
    house.app.later(Space::Main, later).await.unwrap();
    house.until_told("it is taken away", crate::notices::withdrawn).await;
    house.later(600).await;
    assert_eq!(count(&house), 1, "no reminder of what was put off");
    for seconds in [400, 1] {
        idle(&house, Some(seconds));
        house.later(0).await;
    }
    house.until_told("it is told", |told| shown(told).len() == 2).await;
    settle().await;
    house.later(0).await;
    assert_eq!(count(&house), 2, "once");
    assert!(house.ran().is_empty() && house.set_of(&set.conversation).await.rows[0].draft.is_none());
}
