//! Presses on notifications: what they decide, what they don't, how they are taken back, and what is said when an answer
//! doesn't get through.

use std::time::Duration;

use countersign_api::app::desktop::Pressed;
use countersign_api::commands::request;
use countersign_api::wire::conversation::Send;
use countersign_api::wire::settings::Privacy;
use countersign_api::wire::window::{FeedWhat, Space};
use countersign_engine::ports::{Attendance, Notice, NoticeAction};

use crate::house::{House, next_event};
use crate::notices::{press, settle, shown, told_of, wants, withdrawn};

fn unlocked() -> Attendance {
    Attendance { locked: Some(false), ..Attendance::default() }
}

/// A house in which *Approve* can be pressed.
async fn can_approve(command: &str) -> House {
    let house = wants(command).await;
    *house.stage.attendance.lock().unwrap() = unlocked();
    let full = |settings: &mut countersign_api::wire::settings::Settings| {
        (settings.approve_from_notice, settings.privacy) = (true, Privacy::Full);
    };
    house.set(full).await;
    house
}

async fn next(house: &House, count: usize) -> Notice {
    house.until_told("the next is shown", |told| shown(told).len() >= count).await;
    shown(&house.told()).remove(count - 1)
}

#[tokio::test]
async fn surface_64_approve_is_offered_only_where_every_condition_holds() {
    let house = can_approve("git status").await;
    let (_, notice) = told_of(&house).await;
    assert_eq!(notice.body, "git status");
    assert_eq!(notice.offers, [NoticeAction::Reject, NoticeAction::Approve]);
    for (what, command) in [
        ("high risk", "rm -rf a"),
        ("not known", "if x; then y; fi"),
        ("talks to somebody", "curl https://x.test/"),
        ("more than one line", "git status\nls"),
        ("a secret in it", "TOKEN=abcdef git status"),
        ("too long", &format!("echo {}", "x".repeat(200))),
        ("hidden characters", "git\u{202e} status"),
    ] {
        let house = can_approve(command).await;
        let (_, notice) = told_of(&house).await;
        assert_eq!(notice.offers, [NoticeAction::Reject], "{what}");
    }
    for what in ["off", "level", "locked", "unknown"] {
        let house = can_approve("git status").await;
        match what {
            "off" => house.set(|settings| settings.approve_from_notice = false).await,
            "level" => house.set(|settings| settings.privacy = Privacy::Target).await,
            "locked" => house.stage.attendance.lock().unwrap().locked = Some(true),
            _ => house.stage.attendance.lock().unwrap().locked = None,
        }
        let (_, notice) = told_of(&house).await;
        assert_eq!(notice.offers, [NoticeAction::Reject], "{what}");
        let press = press(notice.conversation, &notice.token, NoticeAction::Approve);
        assert_eq!(house.app.notice_pressed(press).await, Pressed::Shows, "{what}: a press that wasn't offered");
        settle().await;
        assert!(house.ran().is_empty(), "{what}");
    }
}

#[tokio::test]
async fn surface_64_what_was_locked_since_approves_nothing() {
    let house = can_approve("git status").await;
    let (set, notice) = told_of(&house).await;
    house.stage.attendance.lock().unwrap().locked = Some(true);
    let press = press(notice.conversation, &notice.token, NoticeAction::Approve);
    assert_eq!(house.app.notice_pressed(press).await, Pressed::Shows);
    assert_eq!(house.set_of(&set.conversation).await.rows[0].draft, None);
}

#[tokio::test]
async fn surface_53_approve_stages_with_grace_and_sends() {
    let house = can_approve("git status").await;
    house.set(|settings| settings.grace_ms = Some(1_500)).await;
    let (set, notice) = told_of(&house).await;
    let pressed = house.app.notice_pressed(press(notice.conversation, &notice.token, NoticeAction::Approve)).await;
    assert_eq!(pressed, Pressed::Done, "the window stays where it is");
    let staged = next(&house, 2).await;
    assert_eq!((staged.title.as_str(), staged.body.as_str()), ("Approved: leaves in 2 s", "Nightly check: git status"));
    assert_eq!(staged.offers, [NoticeAction::Undo]);
    assert!(house.ran().is_empty(), "it has not left");
    house.until_told("it is sent", withdrawn).await;
    house.rest(&set.conversation).await;
    assert_eq!(house.ran(), [r#"run_command {"command":"git status"}"#]);
    let twice = press(notice.conversation, &notice.token, NoticeAction::Approve);
    house.app.notice_pressed(twice).await;
    settle().await;
    assert_eq!(house.ran().len(), 1, "a press that comes again runs nothing again");
}

#[tokio::test]
async fn surface_53_undo_takes_it_back_and_what_waits_is_told_again() {
    for action in [NoticeAction::Approve, NoticeAction::Reject] {
        let house = can_approve("git status").await;
        let (set, notice) = told_of(&house).await;
        house.app.notice_pressed(press(notice.conversation, &notice.token, action)).await;
        let staged = next(&house, 2).await;
        assert!(staged.title.starts_with(if action == NoticeAction::Approve { "Approved" } else { "Rejected" }));
        let undo = press(staged.conversation, &staged.token, NoticeAction::Undo);
        assert_eq!(house.app.notice_pressed(undo).await, Pressed::Done);
        let again = next(&house, 3).await;
        assert_eq!(again.title, notice.title);
        tokio::time::sleep(Duration::from_secs(4)).await;
        assert!(house.ran().is_empty() && house.set_of(&set.conversation).await.rows[0].draft.is_none());
    }
}

#[tokio::test]
async fn without_a_grace_the_notice_says_that_send_is_missing() {
    let house = can_approve("git status").await;
    house.set(|settings| settings.grace_ms = None).await;
    let (set, notice) = told_of(&house).await;
    house.app.notice_pressed(press(notice.conversation, &notice.token, NoticeAction::Reject)).await;
    let staged = next(&house, 2).await;
    assert_eq!(staged.title, "Rejected, but not sent yet");
    assert!(staged.body.starts_with("Open Countersign and press Send."), "{}", staged.body);
    assert_eq!(staged.offers, [NoticeAction::Undo]);
    settle().await;
    assert!(house.set_of(&set.conversation).await.rows[0].draft.is_some());
    assert_eq!(shown(&house.told()).len(), 2, "said once");
}

#[tokio::test]
async fn field_l_124_an_answer_that_cant_be_delivered_is_said_in_a_new_notice() {
    let house = can_approve("git status").await;
    let (set, notice) = told_of(&house).await;
    house.app.notice_pressed(press(notice.conversation, &notice.token, NoticeAction::Approve)).await;
    next(&house, 2).await;
    // The conversation moves on while the answer is staged.
    let (answers, mode, text) = (Vec::new(), None, Some("never mind".to_owned()));
    let (conversation, passes_by) = (set.conversation.clone(), vec![set.rows[0].id.clone()]);
    house.send(Send { conversation, answers, text, mode, auto_until: None, passes_by }).await.unwrap();
    let late = next(&house, 3).await;
    assert_eq!(late.title, "Your answer was not sent");
    assert!(late.body.contains("xpired") && late.body.contains("git status"), "{}", late.body);
    settle().await;
    assert!(house.ran().is_empty());
    let mut feed = house.app.subscribe();
    house.app.notice_pressed(press(late.conversation, &late.token, NoticeAction::Review)).await;
    let opened = next_event(&mut feed, |what| match what {
        FeedWhat::Show { request } => Some(request.clone()),
        _ => None,
    });
    assert_eq!(opened.await, Some(set.rows[0].id.clone()), "its closed state, never a blank view");
}

#[tokio::test]
async fn surface_54_a_press_decides_only_what_is_on_screen() {
    let house = wants("ls").await;
    let (set, notice) = told_of(&house).await;
    let mut feed = house.app.subscribe();
    assert_eq!(
        house.app.notice_pressed(press(notice.conversation, "forged", NoticeAction::Reject)).await,
        Pressed::Shows
    );
    let opened = next_event(&mut feed, |what| match what {
        FeedWhat::Show { request } => Some(request.clone()),
        _ => None,
    });
    assert_eq!(opened.await, Some(set.rows[0].id.clone()), "an unknown token opens and decides nothing");
    assert_eq!(house.set_of(&set.conversation).await.rows[0].draft, None);

    // It closes; a press on what is gone opens its closed state.
    let conversation = set.conversation.clone();
    house.app.stop(Space::Main, request::stop { conversation }).await.unwrap();
    house.until_told("it is withdrawn", withdrawn).await;
    house.app.notice_pressed(press(notice.conversation, &notice.token, NoticeAction::Reject)).await;
    let opened = next_event(&mut feed, |what| match what {
        FeedWhat::Show { request } => Some(request.clone()),
        _ => None,
    });
    assert_eq!(opened.await, Some(set.rows[0].id.clone()));
}

#[tokio::test]
async fn a_rejection_at_once_leaves_nothing_on_the_screen() {
    let house = wants("ls").await;
    house.set(|settings| settings.grace_ms = Some(0)).await;
    let (set, notice) = told_of(&house).await;
    house.app.notice_pressed(press(notice.conversation, &notice.token, NoticeAction::Reject)).await;
    house.rest(&set.conversation).await;
    house.until("it is rejected", |snapshot| snapshot.sets.is_empty().then_some(())).await;
    house.until_told("nothing is left", withdrawn).await;
    assert_eq!(house.snapshot().await.closed[0].label, "Rejected");
    assert!(house.ran().is_empty());
}
