//! A Quick task in the real window: from the key to its result, and where it would have asked.

use countersign_tests::desktop::{CONTROL, Desktop, ENTER, ESCAPE, Model, TestFolder, Turn, id};
use serde_json::json;

fn task_is(desktop: &Desktop, state: &str) {
    desktop.wait_for(&format!("[data-testid=quick-outcome][data-state={state}]"));
}

fn ask(desktop: &Desktop, text: &str) {
    desktop.chord(&format!("{CONTROL}n"));
    desktop.wait_for(&id("quick-text"));
    desktop.fill(&id("quick-text"), text);
}

/// D-105, N-104: it runs on what needs nobody; one whose tool comes to ask ends with the tool's name, and the Inbox stays
/// empty; both are in History after a restart.
#[test]
fn a_quick_task_from_the_key_to_its_end() {
    let folder = TestFolder::new();
    std::fs::write(folder.work().join("todo.md"), "- [ ] call the printer\n").unwrap();
    let look = || Turn::says("I look at the notes.").calls("read_file", json!({ "path": "todo.md" }));
    let model = Model::serve([
        look(),
        Turn::says("One point is open: **call the printer**."),
        look(),
        Turn::says("Once more, to be sure.").calls("read_file", json!({ "path": "todo.md" })).held(),
    ]);
    let mut desktop = Desktop::start(&folder);
    desktop.wait_for(&id("first-run"));
    desktop.agent("Notes", &model, &folder.work());
    desktop.wait_for(&id("nav-inbox"));

    ask(&desktop, "Which points are open?");
    desktop.wait_for_text(&id("quick-tools"), "read_file");
    assert!(!desktop.text(&id("quick-tools")).contains("write_file"), "only what needs nobody");
    desktop.in_both_themes("quick");
    desktop.keys(ENTER);
    task_is(&desktop, "done");
    desktop.wait_for_text(&id("quick-result"), "call the printer");
    assert!(!model.told()[0].contains("\"write_file\""), "the model isn't offered more either");
    desktop.in_both_themes("quick-done");
    desktop.keys(ESCAPE);

    ask(&desktop, "And which are done?");
    desktop.keys(ENTER);
    desktop.until("it looks a second time", || model.asked() == 4);
    let switches = json!({ "off_tools": [], "off_groups": [], "ask_first": ["read_file"], "unreadable": false });
    desktop.invoke("switch_tools", &json!({ "switches": switches })).unwrap();
    model.go_on();
    task_is(&desktop, "would_ask");
    desktop.wait_for_text(&id("quick-would-ask"), "read_file would have had to ask you");
    desktop.in_both_themes("quick-would-ask");
    desktop.keys(ESCAPE);
    assert_eq!(desktop.badge(), "", "nothing of it is in the Inbox");

    desktop.quit();
    desktop.open();
    desktop.wait_for(&id("nav-history"));
    desktop.script("location.hash = '/history/tasks'");
    desktop.until("both are listed", || desktop.count(&id("quick-row")) == 2);
    desktop.click(&id("quick-row"));
    task_is(&desktop, "would_ask");
    desktop.in_both_themes("quick-history");
    desktop.script("location.hash = '/settings/tools'");
    desktop.wait_for(&id("house-read_file"));
    desktop.in_both_themes("settings-tools");
    desktop.script("location.hash = '/settings/agents'");
    desktop.wait_for(&id("agent-zone"));
    desktop.script("document.querySelector('[data-testid=agent-zone]').scrollIntoView()");
    desktop.script("document.querySelectorAll('[data-testid=agent-zone] input')[3].click()");
    desktop.wait_for_text(&id("note-run_command"), "Held back");
    desktop.in_both_themes("agent-zone");
    desktop.script("document.querySelector('[data-testid=save-agent]').scrollIntoView()");
    desktop.in_both_themes("agent-tools");
}
