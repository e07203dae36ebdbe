//! What an agent asks and what it is told in between, in the real window.

use countersign_tests::desktop::{Desktop, ENTER, Model, TestFolder, Turn, id};
use serde_json::json;

/// D-49, D-50, D-107: a question is a form; what doesn't fit isn't sent; the answer is what the model is told, and nothing runs.
#[test]
fn a_question_is_answered_in_its_form() {
    let folder = TestFolder::new();
    let fields = json!({
        "type": "object",
        "properties": {
            "branch": { "type": "string", "enum": ["main", "release/2.4"], "title": "Branch" },
            "days": { "type": "integer", "minimum": 1, "maximum": 90, "title": "Days to compare" },
        },
        "required": ["branch", "days"],
    });
    let question = json!({ "question": "Which branch is the baseline?", "fields": fields });
    let model = Model::serve([Turn::says("I need to know.").calls("ask_user", question), Turn::says("Thank you.")]);
    let desktop = Desktop::start(&folder);
    desktop.wait_for(&id("first-run"));
    let agent = desktop.agent("Nightly check", &model, &folder.work());
    desktop.converse(&agent, "Compare the builds.", "auto");
    let row = desktop.wait_for_row("Which branch is the baseline?");
    desktop.go_to(&row);
    desktop.wait_for_text(&id("detail"), "Days to compare");
    desktop.wait_until_armed(&row);
    desktop.shot("question-light");
    desktop.click("[data-field=branch] input[type=radio]");
    desktop.fill("[data-field=days] input", "91");
    desktop.wait_for(&id("approve"));
    desktop.until("what is out of range is said at the field", || {
        desktop.click(&id("approve"));
        desktop.text("[data-field=days]").contains("90")
            && desktop.script("return document.querySelectorAll('[data-field=days] [aria-invalid=true]').length")
                != json!(0)
    });
    assert_eq!(model.asked(), 1, "and nothing is sent");
    desktop.fill("[data-field=days] input", "14");
    desktop.until("it is staged and then sent", || {
        // The bar may go between a look and a press, so both are one.
        desktop.script("document.querySelector('[data-testid=approve]')?.click()");
        model.asked() == 2
    });
    let told = model.told().pop().expect("it was asked again");
    assert!(told.contains(r#"{\"branch\":\"main\",\"days\":14}"#), "the model has the answer: {told}");
    desktop.keys("gh");
    desktop.until("History has it as answered", || {
        desktop.history().first().is_some_and(|row| row.contains("Asks for input") && row.contains("Answered · you"))
    });
}

/// ST-1, M-23: what is said while a command runs reaches the model with the command's result.
#[test]
fn a_word_to_a_running_agent_goes_with_its_next_step() {
    let folder = TestFolder::new();
    let waits = json!({ "command": "while [ ! -e go ]; do sleep 0.1; done; echo done" });
    let model = Model::serve([Turn::says("I wait.").calls("run_command", waits), Turn::says("I heard you.")]);
    let desktop = Desktop::start(&folder);
    desktop.wait_for(&id("first-run"));
    let agent = desktop.agent("Nightly check", &model, &folder.work());
    let conversation = desktop.converse(&agent, "Wait for the file.", "auto");
    desktop.keys("gc");
    desktop.click(&id(&format!("conversation-{conversation}")));
    desktop.wait_for_text(&id("composer-send"), "Steer");
    desktop.fill(&id("composer"), "And then stop.");
    desktop.keys(ENTER);
    desktop.wait_for_text(&id("steering"), "And then stop.");
    assert_eq!(model.asked(), 1, "it waits for the next step");
    std::fs::write(folder.work().join("go"), "").expect("the file can be made");
    desktop.until("the next step came", || model.asked() == 2);
    let told = model.told().pop().expect("it was asked again");
    let (result, word) = (told.find("exit status 0"), told.find("And then stop."));
    assert!(result.is_some() && result < word, "first the result, then the word: {told}");
    desktop.wait_until_gone(&id("steering"));
    desktop.wait_for_text(&id("transcript"), "I heard you.");
}

/// What arrives, elsewhere or here, is told at the side: it neither covers nor moves what somebody is typing in.
#[test]
fn surface_56_what_arrives_covers_nothing_that_is_typed_in() {
    let folder = TestFolder::new();
    let asks = || Turn::says("I look.").calls("run_command", json!({ "command": "ls" }));
    let model = Model::serve([Turn::says("Hello."), asks(), asks()]);
    let desktop = Desktop::start(&folder);
    desktop.wait_for(&id("first-run"));
    let agent = desktop.agent("Nightly check", &model, &folder.work());
    let conversation = desktop.converse(&agent, "Say hello.", "default");
    desktop.keys("gc");
    desktop.click(&id(&format!("conversation-{conversation}")));
    desktop.wait_for_text(&id("transcript"), "Hello.");
    desktop.fill(&id("composer"), "Half a sen");
    // Its middle and its corners are its own, to the pixel, and where they are.
    let free = || {
        desktop.script(
            "const box = document.querySelector('[data-testid=composer]').getBoundingClientRect();
            const points = [[0.5, 0.5], [0.02, 0.1], [0.98, 0.1], [0.02, 0.9], [0.98, 0.9]];
            const covered = points.filter(([x, y]) => {
                const top = document.elementFromPoint(box.left + box.width * x, box.top + box.height * y);
                return top?.dataset.testid !== 'composer';
            });
            return [covered.length, Math.round(box.bottom), Math.round(box.left), Math.round(box.width)];",
        )
    };
    let before = free();
    assert_eq!(before[0], json!(0), "{before}");
    desktop.converse(&agent, "Look around.", "default");
    desktop.until("it asks", || desktop.badge() == "1");
    assert_eq!(free(), before, "what another conversation asks");
    let send =
        json!({ "conversation": conversation, "answers": [], "text": "Look here.", "mode": null, "passes_by": [] });
    desktop.invoke("send", &json!({ "send": send })).expect("it is at rest");
    desktop.until("it asks here, too", || desktop.badge() == "2");
    desktop.wait_for_text("main", "Answer in the Inbox");
    assert_eq!(free(), before, "what this conversation asks");
    let typed = desktop.script("return document.querySelector('[data-testid=composer]').value");
    assert_eq!(typed, json!("Half a sen"));
}

/// D-78: a note goes with the approval; the call is the one that was shown, and the model is told the words behind its result.
#[test]
fn a_note_goes_along_with_an_approval() {
    let folder = TestFolder::new();
    let writes = json!({ "command": "echo once >> ran.txt" });
    let model = Model::serve([Turn::says("I write it.").calls("run_command", writes), Turn::says("I keep to it.")]);
    let desktop = Desktop::start(&folder);
    desktop.wait_for(&id("first-run"));
    let agent = desktop.agent("Nightly check", &model, &folder.work());
    desktop.converse(&agent, "Write it down.", "default");
    let row = desktop.wait_for_row("echo once");
    desktop.go_to(&row);
    desktop.wait_until_armed(&row);
    desktop.click(&id("approve-menu"));
    desktop.click(&id("approve-note"));
    desktop.fill(&id("note"), "Only this once.");
    desktop.click(&id("note-tell"));
    assert_eq!(
        desktop.rows().first().map(|row| row.text.contains("will approve")),
        Some(false),
        "nothing is decided yet"
    );
    desktop.until("it is staged and then sent", || {
        desktop.script("document.querySelector('[data-testid=note-confirm]')?.click()");
        model.asked() == 2
    });
    let ran = std::fs::read_to_string(folder.work().join("ran.txt")).expect("it ran");
    assert_eq!(ran, "once\n", "the call that was shown, and no other");
    let told = model.told().pop().expect("it was asked again");
    let (result, note) = (told.find("exit status 0"), told.find("Only this once."));
    assert!(result.is_some() && result < note, "first the result, then the note: {told}");
    desktop.keys("gi");
    desktop.click(&id("tab-closed"));
    desktop.click(&id("closed-row"));
    desktop.wait_for_text(&id("detail-state"), "Your note (told to the agent): “Only this once.”");
}
