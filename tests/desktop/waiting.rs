//! A request that waits outlives the app, and one that the conversation left behind can't be answered any more.

use countersign_tests::desktop::{CONTROL, Desktop, ENTER, Model, TestFolder, Turn, id};
use serde_json::json;

/// A call that leaves a line behind each time that it runs.
fn appends(words: &str, line: &str) -> Turn {
    Turn::says(words).calls("run_command", json!({ "command": format!("echo {line} >> ran.txt") }))
}

fn ran(folder: &TestFolder) -> String {
    std::fs::read_to_string(folder.work().join("ran.txt")).unwrap_or_default()
}

#[test]
fn accept_05_surface_05_a_request_waits_through_a_kill_and_runs_once() {
    let folder = TestFolder::new();
    let model = Model::serve([appends("I write it down.", "once"), Turn::says("It is written down.")]);
    let mut desktop = Desktop::start(&folder);
    desktop.wait_for(&id("first-run"));
    let agent = desktop.agent("Nightly check", &model, &folder.work());
    desktop.converse(&agent, "Check the site.", "default");
    let row = desktop.wait_for_row("echo once");
    assert_eq!(desktop.badge(), "1");
    let told_before = desktop.told().len();
    desktop.kill();

    // As after a login: nobody has looked at the window yet, so the desktop has to tell it again.
    desktop.open_hidden();
    desktop.until("the request is told again", || desktop.told().len() > told_before);
    let notice = desktop.notices().pop().expect("it is on the screen");
    assert!(notice.title.contains("wants to run a command"), "{notice:?}");
    assert_eq!(ran(&folder), "", "a start runs nothing");
    desktop.press(&notice, "Review");
    desktop.until("the window is there", || desktop.visible_windows() == 1);
    let again = desktop.wait_for_row("echo once");
    assert_eq!(again.id, row.id, "it is the same request");
    assert_eq!(desktop.rows().len(), 1);
    assert_eq!(desktop.badge(), "1", "the badge equals the count");
    assert_eq!(model.asked(), 1, "a start asks no model");

    desktop.decide(&again, "a", "will approve");
    desktop.until("it ran", || !ran(&folder).is_empty());
    desktop.until("the conversation went on with its result", || model.asked() == 2);
    desktop.wait_until_gone(&id(&format!("row-{}", row.id)));
    assert_eq!(desktop.badge(), "");
    desktop.kill();
    desktop.open();
    desktop.wait_for(&id("nav-history"));
    desktop.keys("gh");
    desktop.until("History has the one decision", || {
        desktop.history() == ["Run a command | echo once >> ran.txt | Approved · you | ran ok"]
    });
    assert_eq!(ran(&folder), "once\n", "exactly once, over two kills");
}

#[test]
fn accept_04_a_message_passes_what_waits_by_and_the_window_takes_no_answer_to_it() {
    let folder = TestFolder::new();
    let asks =
        appends("Two things.", "first").calls("run_command", json!({ "command": "echo second >> ran.txt" })).held();
    let model = Model::serve([asks, Turn::says("All right."), appends("One more.", "third"), Turn::says("Fine.")]);
    let desktop = Desktop::start(&folder);
    desktop.wait_for(&id("first-run"));
    let agent = desktop.agent("Nightly check", &model, &folder.work());
    let conversation = desktop.converse(&agent, "Check the site.", "default");

    // In the conversation nothing of the request is in sight when it comes, so the desktop tells it.
    desktop.keys("gc");
    desktop.click(&id(&format!("conversation-{conversation}")));
    desktop.wait_for(&id("composer"));
    model.go_on();
    desktop.wait_for_notice("two requests wait", |notice| notice.body.contains('2'));
    let picture = desktop.invoke("snapshot", &json!({})).unwrap();
    let request = picture["sets"][0]["rows"][0]["id"].as_str().unwrap().to_owned();
    let digest = desktop.digest(&request);
    assert_eq!(desktop.badge(), "2");
    desktop.fill(&id("composer"), "Never mind.");
    desktop.keys(ENTER);
    desktop.wait_for_text(&id("guard"), "Sending this drops 2 open requests");
    assert_eq!(model.asked(), 1, "nothing is sent by the guard alone");
    desktop.keys(ENTER);
    assert!(desktop.has(&id("guard")), "Enter alone doesn't send past the guard");
    desktop.wait_for("[data-testid=guard-send]:not(.unarmed)");
    desktop.click(&id("guard-send"));
    desktop.until("the message is sent", || model.asked() == 2);
    desktop.wait_for_text(&id("transcript"), "never made: the conversation moved on");
    desktop.until("the notification is withdrawn", || desktop.notices().is_empty());
    assert_eq!(desktop.badge(), "");

    desktop.keys("\u{E00C}");
    desktop.click(&id("nav-inbox"));
    desktop.click(&id("tab-closed"));
    desktop.until("both rows say why they are closed", || {
        let rows =
            desktop.script("return [...document.querySelectorAll('[data-testid=closed-row]')].map((e) => e.innerText)");
        let rows = rows.as_array().cloned().unwrap_or_default();
        rows.len() == 2
            && rows.iter().all(|row| row.as_str().is_some_and(|row| row.contains("Expired: conversation moved on")))
    });
    desktop.click(&id("closed-row"));
    desktop.wait_for_text("[data-testid=detail-state][data-state=closed]", "never made");
    desktop.wait_for("[data-testid=ask-again]");
    assert!(!desktop.has(&id("approve")), "there is nothing to press");
    desktop.keys("a");
    desktop.chord(&format!("{CONTROL}{ENTER}"));
    assert_refused(&desktop, &conversation, &request, &digest);

    // A detail that was open before the process knew better: the press comes in the moment of the expiry.
    desktop.click(&id("tab-waiting"));
    desktop.invoke("send", &send(&conversation, Some("And now?"), &json!([]), &json!([]))).unwrap();
    let third = desktop.wait_for_row("echo third");
    desktop.go_to(&third);
    desktop.wait_until_armed(&third);
    let stale = desktop.digest(&third.id);
    let message = json!([send(&conversation, Some("Stop."), &json!([]), &json!([third.id]))]);
    desktop.script_to_its_end(
        "const [request, done] = arguments;
        window.__TAURI_INTERNALS__.invoke('send', { space: 'main', request }).then(() => {
            document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }));
            done(true);
        });",
        &message,
    );
    desktop.wait_until_gone(&id(&format!("row-{}", third.id)));
    assert_refused(&desktop, &conversation, &third.id, &stale);
    desktop.until("the conversation went on", || model.asked() == 4);
    assert_eq!(ran(&folder), "", "nothing of it ever ran");
    desktop.keys("gh");
    desktop.until("History says of all three that they expired", || {
        let history = desktop.history();
        history.len() == 3 && history.iter().all(|row| row.ends_with("Expired · conversation moved on | never made"))
    });
}

fn send(
    conversation: &str,
    text: Option<&str>,
    answers: &serde_json::Value,
    passes_by: &serde_json::Value,
) -> serde_json::Value {
    json!({ "send": {
        "conversation": conversation, "answers": answers, "text": text, "mode": null, "passes_by": passes_by,
    } })
}

/// The process itself refuses both ways of answering, with the reason, whatever a window believes.
fn assert_refused(desktop: &Desktop, conversation: &str, request: &str, digest: &str) {
    let decision = json!({ "say": "approve" });
    let staged = desktop.invoke("stage", &json!({ "id": request, "decision": decision, "digest": digest }));
    let staged = staged.expect_err("a decision about what expired is refused");
    assert_eq!(staged["code"], "approval_closed", "{staged}");
    let answers = json!([{ "request": request, "digest": digest, "decision": decision }]);
    let sent = desktop.invoke("send", &send(conversation, None, &answers, &json!([])));
    let sent = sent.expect_err("an answer to what expired is refused");
    assert_eq!(sent["code"], "approval_closed", "{sent}");
    assert!(sent["closed"][0]["label"].as_str().is_some_and(|label| label.contains("conversation moved on")), "{sent}");
}
