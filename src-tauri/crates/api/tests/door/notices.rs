//! Notifications: one a conversation, replaced, withdrawn on every way out, and a press that decides only what is on
//! screen.

use countersign_api::commands::request;
use countersign_api::wire::conversation::Send;
use countersign_api::wire::inbox::Decision;
use countersign_api::wire::settings::Settings;
use countersign_api::wire::window::{FeedWhat, Space};
use countersign_engine::ports::{Notice, NoticeAction, NoticePress};

use crate::house::{House, Told, calls, next_event, says};

fn shown(told: &[Told]) -> Vec<Notice> {
    told.iter()
        .filter_map(|one| match one {
            Told::Shown(notice) => Some(notice.clone()),
            Told::Withdrawn(_) => None,
        })
        .collect()
}

fn withdrawn(told: &[Told]) -> bool {
    matches!(told.last(), Some(Told::Withdrawn(_)))
}

async fn one_command(house: &House) -> (countersign_api::wire::inbox::SetCard, Notice) {
    let set = house.ask("Nightly check").await;
    house.until_told("it is shown", |told| !shown(told).is_empty()).await;
    (set, shown(&house.told()).remove(0))
}

#[tokio::test]
async fn a_waiting_call_is_told_without_the_agents_words_and_without_the_command() {
    let house = House::new([calls(&[("run_command", r#"{"command":"git push --force"}"#)])]).await;
    let (_, notice) = one_command(&house).await;
    assert_eq!(notice.title, "Nightly check wants to run a command");
    assert!(!notice.body.contains("git"), "the level Target says what kind, not what: {}", notice.body);
    assert!(notice.rejects.is_some(), "one call waits, so it can be rejected there");
}

#[tokio::test]
async fn it_is_withdrawn_when_answered_passed_by_stopped_or_deleted() {
    for way in ["answer", "message", "stop", "delete", "look"] {
        let house = House::new([calls(&[("run_command", r#"{"command":"ls"}"#)]), says("ok")]).await;
        let (set, _) = one_command(&house).await;
        let conversation = set.conversation.clone();
        let id = set.rows[0].id.clone();
        match way {
            "answer" => house.answer(&set, &[(0, Decision::Approve)]).await.unwrap(),
            "message" => {
                let (answers, mode, text) = (Vec::new(), None, Some("no".to_owned()));
                house.send(Send { conversation, answers, text, mode, passes_by: vec![id] }).await.unwrap();
            }
            "stop" => house.app.stop(Space::Main, request::stop { conversation }).await.unwrap(),
            "delete" => {
                let request = request::delete_conversation { conversation };
                house.app.delete_conversation(Space::Main, request).await.unwrap();
            }
            _ => {
                let looking = request::looking { focused: true, request: Some(id) };
                house.app.looking(Space::Main, looking).await.unwrap();
            }
        }
        house.until_told(way, withdrawn).await;
    }
}

#[tokio::test]
async fn a_press_decides_only_what_is_on_screen() {
    let house = House::new([calls(&[("run_command", r#"{"command":"ls"}"#)]), says("ok")]).await;
    let settings = Settings { grace_ms: Some(0), ..Settings::default() };
    house.app.save_settings(Space::Main, request::save_settings { settings }).await.unwrap();
    let (set, notice) = one_command(&house).await;
    let press =
        |token: &str, action| NoticePress { conversation: notice.conversation, token: token.to_owned(), action };
    let mut feed = house.app.subscribe();
    house.app.notice_pressed(press("forged", NoticeAction::Reject)).await;
    let opened = next_event(&mut feed, |what| match what {
        FeedWhat::Show { request } => Some(request.clone()),
        _ => None,
    });
    assert_eq!(opened.await, Some(set.rows[0].id.clone()), "an unknown token opens and decides nothing");
    assert_eq!(house.set_of(&set.conversation).await.rows[0].draft, None);

    let house = House::new([calls(&[("run_command", r#"{"command":"ls"}"#)]), says("ok")]).await;
    let settings = Settings { grace_ms: Some(0), ..Settings::default() };
    house.app.save_settings(Space::Main, request::save_settings { settings }).await.unwrap();
    let (set, notice) = one_command(&house).await;
    let (conversation, token) = (notice.conversation, notice.token);
    house.app.notice_pressed(NoticePress { conversation, token, action: NoticeAction::Reject }).await;
    house.rest(&set.conversation).await;
    house.until("it is rejected", |snapshot| snapshot.sets.is_empty().then_some(())).await;
    assert_eq!(house.snapshot().await.closed[0].label, "Rejected");
    assert_eq!(house.ran(), Vec::<String>::new());
}

#[tokio::test]
async fn after_a_restart_what_waits_is_told_again() {
    let house = House::new([calls(&[("run_command", r#"{"command":"ls"}"#)])]).await;
    one_command(&house).await;
    let house = house.restart().await;
    house.until_told("it is told again", |told| shown(told).len() == 2).await;
}

#[tokio::test]
async fn without_a_notification_service_everything_else_works_and_says_so() {
    let house = House::new([calls(&[("run_command", r#"{"command":"ls"}"#)]), says("ok")]).await;
    *house.stage.no_notices.lock().unwrap() = true;
    let set = house.ask("one").await;
    assert!(house.snapshot().await.notices.unwrap().contains("Notifications are off"));
    house.answer(&set, &[(0, Decision::Approve)]).await.unwrap();
    house.rest(&set.conversation).await;
    assert_eq!(house.ran().len(), 1);
}
