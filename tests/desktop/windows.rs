//! The quick panel, which a key of the desktop's own brings up, and a request in a window of its own.

use std::time::Duration;

use countersign_tests::desktop::{Desktop, TestFolder, id};

const PANEL: &str = "^Countersign: what waits$";

/// (f.11): a second start with `--panel` brings the panel up and leaves the window as it is. Esc puts it away, and it can come again.
#[test]
fn surface_15_a_second_start_brings_the_quick_panel_up_and_esc_puts_it_away() {
    let folder = TestFolder::new();
    let desktop = Desktop::start(&folder);
    desktop.wait_for(&id("first-run"));
    for round in 1..=2 {
        let (code, said) = desktop.start_again_with(&["--panel"]);
        assert_eq!(code, Some(0), "{said}");
        desktop.until("the panel is up", || desktop.windows_named(PANEL).len() == 1);
        assert_eq!(desktop.visible_windows(), 1, "the window stays, round {round}");
        let panel = desktop.windows_named(PANEL).remove(0);
        desktop.until("Esc puts it away", || {
            // Its page may still be on its way when it is first on the screen.
            desktop.run("xdotool", "xdotool", &["windowfocus", &panel]);
            desktop.run("xdotool", "xdotool", &["key", "Escape"]);
            std::thread::sleep(Duration::from_millis(300));
            desktop.windows_named(PANEL).is_empty()
        });
    }
}

/// (f.11): Shift+Enter.
#[test]
fn what_is_no_request_gets_no_window() {
    let folder = TestFolder::new();
    let desktop = Desktop::start(&folder);
    desktop.wait_for(&id("first-run"));
    let tried = desktop.script_to_its_end(
        "const [done] = [arguments[arguments.length - 1]];
        window.__TAURI_INTERNALS__.invoke('detach', { request: '../panel' }).then(() => done('opened'), (why) => done(String(why)));",
        &serde_json::json!([]),
    );
    assert_eq!(tried, serde_json::json!("There is no such request."));
    assert_eq!(desktop.visible_windows(), 1);
}

/// (c.6): the global key, off until somebody wants it, opens the panel and nothing else.
#[test]
fn the_global_key_opens_the_panel_once_it_is_switched_on() {
    let folder = TestFolder::new();
    let desktop = Desktop::start(&folder);
    desktop.wait_for(&id("first-run"));
    let press = || desktop.run("xdotool", "xdotool", &["key", "ctrl+alt+space"]);
    press();
    std::thread::sleep(Duration::from_millis(500));
    assert!(desktop.windows_named(PANEL).is_empty(), "it is off at first");
    let mut settings = desktop.invoke("snapshot", &serde_json::json!({})).unwrap()["settings"].clone();
    settings["global_key"] = serde_json::json!(true);
    desktop.invoke("save_settings", &serde_json::json!({ "settings": settings })).unwrap();
    desktop.until("the key opens the panel", || {
        press();
        std::thread::sleep(Duration::from_millis(300));
        desktop.windows_named(PANEL).len() == 1
    });
}

/// (c.13): at 200 % the page has half of the room, and its layout knows it.
#[test]
fn zoom_is_the_windows_own() {
    let folder = TestFolder::new();
    let desktop = Desktop::start(&folder);
    desktop.wait_for(&id("first-run"));
    let width = || desktop.script("return window.innerWidth").as_f64().unwrap_or_default();
    let before = width();
    let mut settings = desktop.invoke("snapshot", &serde_json::json!({})).unwrap()["settings"].clone();
    settings["zoom"] = serde_json::json!(200);
    desktop.invoke("save_settings", &serde_json::json!({ "settings": settings })).unwrap();
    desktop.until("the page has half of the room", || (width() * 2.0 - before).abs() < 4.0);
    assert_eq!(desktop.script("return matchMedia('(max-width: 899px)').matches"), serde_json::json!(true));
    assert_eq!(desktop.script("return getComputedStyle(document.getElementById('app')).transform"), "none");
}
