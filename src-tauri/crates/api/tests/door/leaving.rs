//! The way out: closing the window, quitting, and what is asked before. Nothing that waits is lost, and nothing leaves that the
//! person didn't send.

use std::time::Duration;

use countersign_api::commands::request;
use countersign_api::wire::desktop::{Leave, Leaving};
use countersign_api::wire::inbox::Decision;
use countersign_api::wire::window::{FeedWhat, Space};

use crate::house::{House, next_event};
use crate::notices::{settle, wants};

impl House {
    fn went(&self) -> Vec<&'static str> {
        std::mem::take(&mut *self.stage.went.lock().unwrap())
    }

    async fn leave(&self, leave: Leave) {
        self.app.leave(Space::Main, request::leave { leave }).await.unwrap();
    }
}

async fn asked(feed: &mut tokio::sync::broadcast::Receiver<countersign_api::wire::window::FeedEvent>) -> Leaving {
    next_event(feed, |what| match what {
        FeedWhat::Leaving { ask } => *ask,
        _ => None,
    })
    .await
}

#[tokio::test]
async fn the_tray_is_told_once_and_then_closing_hides() {
    let house = wants("ls").await;
    *house.stage.tray.lock().unwrap() = true;
    let mut feed = house.app.subscribe();
    house.app.close_pressed().await;
    assert_eq!((asked(&mut feed).await, house.went()), (Leaving::Tray, vec![]));
    house.leave(Leave::Hide).await;
    assert_eq!(house.went(), ["hidden"]);
    house.app.close_pressed().await;
    assert_eq!(house.went(), ["hidden"], "told once");
    house.set(|settings| settings.close_to_tray = false).await;
    house.app.close_pressed().await;
    assert_eq!(house.went(), ["quit"]);
}

#[tokio::test]
async fn without_a_tray_it_is_asked_once_and_the_answer_holds_until_the_setting_changes() {
    let house = wants("ls").await;
    let mut feed = house.app.subscribe();
    house.app.close_pressed().await;
    assert_eq!(asked(&mut feed).await, Leaving::NoTray);
    house.leave(Leave::Stay).await;
    house.app.close_pressed().await;
    assert_eq!((asked(&mut feed).await, house.went()), (Leaving::NoTray, vec![]), "no answer is no answer");
    house.leave(Leave::Hide).await;
    house.app.close_pressed().await;
    assert_eq!(house.went(), ["hidden", "hidden"]);
    house.set(|settings| settings.close_to_tray = false).await;
    house.set(|settings| settings.close_to_tray = true).await;
    house.app.close_pressed().await;
    assert_eq!(asked(&mut feed).await, Leaving::NoTray);
    house.leave(Leave::Quit).await;
    assert_eq!(house.went(), ["quit"]);
    house.app.close_pressed().await;
    assert_eq!(house.went(), ["quit"]);
}

#[tokio::test]
async fn quitting_names_what_stays_open_and_keeps_it() {
    let house = wants("ls").await;
    let set = house.ask("Nightly check").await;
    let mut feed = house.app.subscribe();
    house.app.quit_pressed().await;
    assert_eq!(asked(&mut feed).await, Leaving::Quit { open: 1, leaving: 0 });
    assert_eq!(house.went(), ["shown"], "the question is in the window, so that comes up");
    house.leave(Leave::Quit).await;
    assert_eq!(house.went(), ["quit"]);
    let house = house.restart().await;
    assert_eq!(house.set_of(&set.conversation).await.rows, set.rows);
}

#[tokio::test]
async fn quitting_during_the_grace_sends_or_keeps_as_the_person_says() {
    for leave in [Leave::SendAndQuit, Leave::Quit] {
        let house = wants("ls").await;
        house.set(|settings| settings.grace_ms = Some(10_000)).await;
        let set = house.ask("Nightly check").await;
        house.stage_decision(&set.rows[0].id, Decision::Reject { reason: None }).await.unwrap();
        let mut feed = house.app.subscribe();
        house.app.quit_pressed().await;
        assert_eq!(asked(&mut feed).await, Leaving::Quit { open: 1, leaving: 1 });
        house.leave(leave).await;
        let house = house.restart().await;
        settle().await;
        let sets = house.snapshot().await.sets;
        if leave == Leave::SendAndQuit {
            assert!(sets.is_empty(), "it was sent");
            assert_eq!(house.snapshot().await.closed[0].label, "Rejected");
        } else {
            assert!(sets[0].rows[0].draft.is_some(), "it is decided and not sent");
            assert_eq!(sets[0].grace, None, "and doesn't leave by itself");
        }
    }
}

#[tokio::test]
async fn who_presses_quit_again_means_it_and_where_nothing_waits_nothing_is_asked() {
    let house = wants("ls").await;
    house.app.quit_pressed().await;
    assert_eq!(house.went(), ["quit"]);
    house.ask("Nightly check").await;
    house.app.quit_pressed().await;
    house.app.quit_pressed().await;
    assert_eq!(house.went(), ["shown", "quit"]);
}

#[tokio::test]
async fn start_at_login_shows_the_truth_of_the_session() {
    let house = wants("ls").await;
    house.set(|settings| settings.start_at_login = true).await;
    assert!(*house.stage.login.lock().unwrap());
    // Somebody switches it off in the desktop's own settings.
    *house.stage.login.lock().unwrap() = false;
    assert!(!house.snapshot().await.settings.start_at_login);
    house.set(|settings| settings.volume = 10).await;
    assert!(!*house.stage.login.lock().unwrap(), "another setting doesn't switch it on again");
}

#[tokio::test]
async fn surface_47_surface_50_all_conversations_go_back_to_default_at_once() {
    use countersign_api::wire::inbox::Mode;
    let house = wants("ls").await;
    let agent = house.agent.clone();
    let start = request::start_conversation { agent, text: None, mode: Some(Mode::Auto), auto_until: None };
    house.app.start_conversation(Space::Main, start).await.unwrap();
    assert_eq!(house.app.tray().await.auto, 1);
    house.app.all_to_default().await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(house.app.tray().await.auto, 0);
}
