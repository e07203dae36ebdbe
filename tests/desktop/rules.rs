//! A rule of the person's own in the real window: made from a request by its keys, and from then on it decides.

use countersign_tests::desktop::{CONTROL, Desktop, ENTER, Model, TestFolder, Turn, id};
use serde_json::json;

/// f.2: "rule from a request, shown conditions kept" takes `.` and Mod+Enter; the request in front still waits (D-19).
#[test]
fn surface_34_a_rule_is_made_from_a_request_by_two_keys() {
    let folder = TestFolder::new();
    let run = |command: &str| Turn::says("One more.").calls("run_command", json!({ "command": command }));
    let model = Model::serve([run("echo one"), run("echo one"), run("echo one; echo two"), Turn::says("Done.")]);
    let desktop = Desktop::start(&folder);
    desktop.wait_for(&id("first-run"));
    let agent = desktop.agent("Worker", &model, &folder.work());
    desktop.converse(&agent, "Go.", "default");
    let first = desktop.wait_for_row("echo one");
    desktop.go_to(&first);
    desktop.wait_until_armed(&first);
    desktop.until("the builder is there", || {
        if !desktop.has("[role=dialog]") {
            desktop.keys(".");
        }
        desktop.has("[role=dialog]")
    });
    desktop.wait_for_text("[role=dialog]", "echo one");
    let mut pressed = false;
    desktop.until("the rule is saved", || {
        if desktop.has("[role=dialog]") && desktop.has("[data-testid=sheet-confirm]:not(.unarmed)") {
            desktop.chord(&format!("{CONTROL}{ENTER}"));
            pressed = true;
        }
        pressed && !desktop.has("[role=dialog]")
    });
    let rules = desktop.invoke("rules", &json!({})).unwrap();
    assert_eq!(rules["rows"].as_array().unwrap().len(), 1, "{rules}");
    assert_eq!(desktop.rows().len(), 1, "what waits waits on");

    desktop.wait_until_armed(&first);
    desktop.decide(&first, "a", "will approve");
    // The second call is the same and runs; the third is another one and asks.
    let third = desktop.wait_for_row("echo two");
    assert!(model.asked() >= 3, "the second ran without asking");
    desktop.go_to(&third);
    desktop.keys("gr");
    desktop.wait_for_text("main", "1 match");
}
