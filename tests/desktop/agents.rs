//! Agents that start others, in the real window: whose call asks, what answering does, and answers that wait for a run to end.

use countersign_tests::desktop::{CONTROL, Desktop, ENTER, Model, TestFolder, Turn, id};
use serde_json::{Value, json};

fn runs(words: &str, command: &str) -> Turn {
    Turn::says(words).calls("run_command", json!({ "command": command }))
}

fn other(agent: &str, tool: &str, way: &str) -> Value {
    json!([{ "agent": agent, "tool": tool, "description": "Looks things up.", "beside": way == "beside",
        "asks_first": false }])
}

fn open_conversation(desktop: &Desktop, conversation: &str) {
    desktop.keys("gc");
    desktop.click(&id(&format!("conversation-{conversation}")));
    desktop.wait_for(&id("composer"));
}

/// D-39, SU-3: what an agent asks that another started is a request of the conversation, with the way to it; answering goes on
/// with it first, and what it found goes to whoever called it.
#[test]
fn what_a_started_agent_asks_shows_the_way_to_it_and_goes_on_when_answered() {
    let folder = TestFolder::new();
    let found = Model::serve([runs("I look it up.", "echo looked >> looked.txt"), Turn::says("It costs 41 a seat.")]);
    let task = json!({ "task": "Find out what a seat costs." });
    let asks = Model::serve([
        Turn::says("I let somebody look.").calls("researcher", task),
        Turn::says("The researcher says 41."),
    ]);
    let desktop = Desktop::start(&folder);
    desktop.wait_for(&id("first-run"));
    let researcher = desktop.agent("Researcher", &found, &folder.work());
    let analyst =
        desktop.agent_that_starts("Analyst", &asks, &folder.work(), &other(&researcher, "researcher", "waits"));
    let conversation = desktop.converse(&analyst, "Price survey", "default");

    let row = desktop.wait_for_row("echo looked");
    assert!(row.text.contains("researcher ›"), "the row begins its second line with who asks: {row:?}");
    desktop.go_to(&row);
    desktop.wait_for_text(&id("reason-goes-to"), "Your reason goes to researcher");
    let title = desktop.text("[data-testid=detail] h1");
    assert_eq!(title, "Price survey › researcher › Run a command");
    desktop.wait_until_armed(&row);
    desktop.shot("agent-request-light");

    open_conversation(&desktop, &conversation);
    let block = "[data-testid^=agent-]";
    desktop.wait_for_text(block, "waits for you");
    desktop.wait_for_text(block, "Find out what a seat costs.");
    desktop.wait_for_text(block, "echo looked");

    desktop.keys("gi");
    desktop.decide(&row, "a", "will approve");
    desktop.until("its call ran", || folder.work().join("looked.txt").exists());
    desktop.until("its caller went on", || asks.asked() == 2);
    let told = asks.told().pop().expect("it was asked again");
    assert!(told.contains("It costs 41 a seat."), "what it found is the call's result: {told}");
    assert_eq!(found.asked(), 2, "it went on, and wasn't started again");

    open_conversation(&desktop, &conversation);
    desktop.wait_for_text(&id("transcript"), "The researcher says 41.");
    desktop.wait_for_text(block, "done");
    desktop.until("what it did can be unfolded", || {
        if !desktop.text(block).contains("It costs 41 a seat.") {
            desktop.click("[data-testid^=agent-] > button");
        }
        desktop.text(block).contains("It costs 41 a seat.")
    });
    desktop.keys("gh");
    desktop.until("History says who made the call", || {
        let rows = desktop.script("return document.querySelector('[data-testid=history-row]')?.innerText ?? ''");
        rows.as_str().is_some_and(|row| row.contains("› researcher") && row.contains("Approved"))
    });
}

/// D-08, D-80, D-89: while a run goes on, an answer to an agent beside it waits for its end, can be taken back until then, and
/// goes on with that agent when it leaves.
#[test]
fn an_answer_beside_a_run_waits_for_its_end_and_can_be_taken_back() {
    let folder = TestFolder::new();
    let checks = Model::serve([runs("I check.", "echo checked >> checked.txt"), Turn::says("All links work.")]);
    let task = json!({ "task": "Follow every link." });
    let works = Model::serve([
        Turn::says("Somebody checks meanwhile.").calls("checker", task),
        Turn::says("The images are done.").held(),
        Turn::says("And the links are."),
    ]);
    let desktop = Desktop::start(&folder);
    desktop.wait_for(&id("first-run"));
    let checker = desktop.agent("Checker", &checks, &folder.work());
    let site = desktop.agent_that_starts("Site", &works, &folder.work(), &other(&checker, "checker", "beside"));
    let conversation = desktop.converse(&site, "Site launch", "default");

    let row = desktop.wait_for_row("echo checked");
    assert!(row.text.contains("checker 1 ›"), "{row:?}");
    open_conversation(&desktop, &conversation);
    desktop.wait_for_text(&id("beside"), "checker 1 suspended: waits for you");
    desktop.wait_for_text(&id("composer-send"), "Steer");

    desktop.keys("gi");
    desktop.go_to(&row);
    desktop.decide(&row, "a", "will approve");
    let state = "[data-testid=detail-state][data-state=queued]";
    desktop.wait_for(state);
    desktop.wait_for_row("queued");
    desktop.shot("agent-queued-light");
    assert!(!folder.work().join("checked.txt").exists(), "nothing runs while the run goes on");
    desktop.keys("u");
    desktop.wait_for_row("will approve");
    desktop.until("it is sent once more", || {
        if !desktop.has(state) {
            desktop.chord(&format!("{CONTROL}{ENTER}"));
        }
        desktop.has(state)
    });
    open_conversation(&desktop, &conversation);
    desktop.wait_for_text(&id("queued"), "Queued until the run ends");

    works.go_on();
    desktop.until("it ran when the run had ended", || folder.work().join("checked.txt").exists());
    desktop.wait_for_text(&id("transcript"), "And the links are.");
    desktop.wait_until_gone(&id("queued"));
    let told = works.told().pop().expect("it was asked again");
    assert!(told.contains("All links work."), "what the agent beside it says comes in as a message: {told}");
    let ran = std::fs::read_to_string(folder.work().join("checked.txt")).expect("it ran");
    assert_eq!(ran, "checked\n", "once");
}
