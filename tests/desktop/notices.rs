//! A request that comes to wait is told by the desktop, and a press on that brings the person to it.

use countersign_tests::desktop::{Desktop, Server, TestFolder, id};

/// Starts the Rehearsal, whose first act ends with two calls that ask, and looks away before it does: what the person
/// is looking at is not told.
fn rehearse_unseen(desktop: &Desktop) {
    desktop.click(&id("start-rehearsal"));
    desktop.wait_for(&id("go-on"));
    hide(desktop);
    desktop.script("setTimeout(() => document.querySelector('[data-testid=go-on]').click())");
    desktop.wait_for(&id("rehearsal-strip"));
}

/// Takes the window off the screen, as if it were minimised.
fn hide(desktop: &Desktop) {
    let window = desktop.run("xdotool", "xdotool", &["search", "--onlyvisible", "--name", "^Countersign$"]);
    desktop.run("xdotool", "xdotool", &["windowunmap", "--sync", window.trim()]);
    desktop.until("the window is hidden", || desktop.visible_windows() == 0);
}

#[test]
fn accept_21_field_l_142_a_press_on_review_brings_the_person_to_the_request_and_takes_the_notice_away() {
    let folder = TestFolder::new();
    let desktop = Desktop::start(&folder);
    desktop.wait_for(&id("first-run"));
    rehearse_unseen(&desktop);
    let notice = desktop.wait_for_notice("two requests wait", |notice| notice.body.contains('2'));
    let labels: Vec<&str> = notice.actions.iter().map(|(_, label)| label.as_str()).collect();
    assert_eq!(labels, ["Review", "Review"], "with two that wait, no button decides: {notice:?}");
    desktop.press(&notice, "Review");
    desktop.until("the window is back", || desktop.visible_windows() == 1);
    desktop.wait_for(&id("detail"));
    desktop.wait_for(&id("approve"));
    desktop.until("the notification is taken away", || desktop.notices().is_empty());
    desktop.shot("reviewed");
}

#[test]
fn surface_53_the_first_start_tries_a_button_and_a_click_out() {
    for (label, said) in [("Review", "The Review button works here."), ("", "A click works here.")] {
        let folder = TestFolder::new();
        let desktop = Desktop::start(&folder);
        desktop.click(&id("start-rehearsal"));
        desktop.click(&id("first-run-test"));
        let notice = desktop.wait_for_notice("the test", |notice| notice.title.contains("reach you"));
        desktop.wait_for_text("[role=status]", "Waiting");
        hide(&desktop);
        desktop.press(&notice, label);
        desktop.until("the window is back", || desktop.visible_windows() == 1);
        desktop.wait_for_text("[role=status]", said);
        desktop.wait_for_text("[role=status]", "Countersign's tests");
        desktop.wait_for_text("[role=status]", "body-markup");
        desktop.until("the test is taken away", || desktop.notices().is_empty());
    }
}

#[test]
fn surface_89_field_l_146_dunst_shows_it_and_its_action_comes_back() {
    let folder = TestFolder::new();
    let desktop = Desktop::start_with(&folder, Server::Dunst);
    desktop.wait_for(&id("first-run"));
    rehearse_unseen(&desktop);
    desktop.until("dunst shows a notification", || desktop.dunst_shows().trim() == "1");
    desktop.run("dunstctl", "dunst", &["action"]);
    desktop.until("the window is back", || desktop.visible_windows() == 1);
    desktop.wait_for(&id("detail"));
}

#[test]
fn accept_22_without_notifications_the_inbox_shows_it_all_the_same() {
    let folder = TestFolder::new();
    let desktop = Desktop::start_with(&folder, Server::None);
    desktop.click(&id("start-rehearsal"));
    desktop.click(&id("first-run-test"));
    desktop.wait_for_text("[role=status]", "Nothing arrived");
    desktop.click(&id("go-on"));
    desktop.wait_for("[data-testid^=\"row-\"]");
}
