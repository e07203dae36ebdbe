//! The Rehearsal from the first start to History, by the keys that its own sentences name.

use std::time::{Duration, Instant};

use countersign_tests::desktop::{Desktop, TestFolder, id};
use serde_json::json;

/// The tour takes no longer than this, however long somebody reads on top of it.
const LONGEST: Duration = Duration::from_secs(90);

/// Keeps every sentence of the strip, also those that stand only for a moment.
const LISTEN: &str = "
    window.sentences = [];
    const listen = () => {
        const said = document.querySelector('[data-testid=rehearsal-text]')?.innerText;
        if (said && window.sentences.at(-1) !== said) window.sentences.push(said);
    };
    new MutationObserver(listen).observe(document.body, { subtree: true, childList: true, characterData: true });";

#[test]
fn accept_23_surface_87_by_its_own_sentences_to_history() {
    let folder = TestFolder::new();
    let desktop = Desktop::start(&folder);
    desktop.click(&id("start-rehearsal"));
    desktop.wait_for(&id("go-on"));
    desktop.script(LISTEN);
    let began = Instant::now();
    desktop.click(&id("go-on"));

    // What only reads has run by now, and nobody was asked: the first that asks is the set of two.
    let edit = desktop.wait_for_row("notes/todo.md");
    let count = desktop.wait_for_row("wc -l");
    assert_eq!(desktop.rows().len(), 2, "two wait together: {:?}", desktop.rows());
    desktop.wait_for_text(&id("rehearsal-text"), "Press A to approve one, R to reject the other; U takes");
    assert_eq!(desktop.badge(), "2");
    desktop.decide(&edit, "a", "will approve");
    desktop.until("the other one is next", || desktop.rows().iter().any(|row| row.id == count.id && row.selected));
    desktop.keys("u");
    desktop.until("the decision is taken back, and its row is shown", || {
        desktop.rows().iter().any(|row| row.id == edit.id && row.selected && !row.text.contains("will"))
    });
    desktop.decide(&edit, "a", "will approve");
    desktop.decide(&count, "r", "will reject");

    // Sent together after the grace: the edit is made, and the next line asks for something worse.
    let room = desktop.wait_for_row("mkdir -p room");
    desktop.wait_for_text(&id("rehearsal-text"), "Space reads on, and Approve comes at its end");
    let todo = std::fs::read_to_string(stage(&folder).join("notes/todo.md")).unwrap();
    assert!(todo.contains("[x] call the printer"), "the approved edit was made: {todo}");
    desktop.go_to(&room);
    desktop.wait_for("[data-testid=detail-state][data-state=gate]");
    desktop.keys("a");
    assert!(!desktop.text("[data-row][aria-current]").contains("will approve"), "what isn't read isn't approved");
    desktop.until("its end is read", || {
        desktop.keys(" ");
        desktop.has("[data-testid=detail-state][data-state=waiting]")
    });
    desktop.decide(&room, "r", "will reject");

    let overview = desktop.wait_for_row("dm.weiv");
    desktop.wait_for_text(&id("rehearsal-text"), "A hidden character in the path is shown as a chip");
    desktop.go_to(&overview);
    desktop.wait_for_text(&id("detail"), "U+202E");
    desktop.decide(&overview, "r", "will reject");

    let list = desktop.wait_for_row("ls -l notes");
    desktop.wait_for_text(&id("rehearsal-text"), "Press J, then Shift+A to approve this command for the conversation");
    desktop.go_to(&list);
    desktop.decide_in_sheet(&list, "will approve");

    // The same call ran a second time without asking. Revoked, the third one asks again.
    desktop.wait_for_text(&id("rehearsal-text"), "revoke the approval");
    assert!(desktop.rows().is_empty(), "nobody was asked for the same call: {:?}", desktop.rows());
    desktop.keys("gr");
    desktop.click("[data-testid^=revoke]");
    desktop.wait_for_text(&id("rehearsal-text"), "revoked, it asks again");
    desktop.keys("gi");
    let again = desktop.wait_for_row("ls -l notes");
    desktop.go_to(&again);
    desktop.decide(&again, "a", "will approve");

    let plan = desktop.wait_for_row("Clean up the drafts");
    desktop.wait_for_text(&id("rehearsal-text"), "Shift+A approves it into Auto, for this plan only.");
    desktop.go_to(&plan);
    desktop.wait_for_text(&id("plan"), "Leave the letter as it is");
    assert!(!stage(&folder).join("drafts/README.md").exists(), "a plan alone writes nothing");
    desktop.decide_in_sheet(&plan, "will approve");

    // Auto wrote the file, and ended with the plan: the next call asks again.
    let delete = desktop.wait_for_row("rm drafts/old-idea.md");
    desktop.wait_for_text(&id("rehearsal-text"), "Leave this one alone and watch");
    assert!(stage(&folder).join("drafts/README.md").is_file(), "the plan was carried out");
    assert_eq!(desktop.text("h2 + [data-testid=mode-badge]").trim(), "Default", "Auto was for this plan only");
    desktop.go_to(&delete);
    desktop.wait_for_text(&id("rehearsal-text"), "That was all of it.");
    assert!(desktop.rows().is_empty(), "nothing waits any more: {:?}", desktop.rows());
    assert_eq!(desktop.badge(), "");
    desktop.wait_for_text("[data-testid=detail-state][data-state=closed]", "never made");

    let sentences = desktop.script("return window.sentences.length");
    assert_eq!(
        sentences,
        json!(10),
        "one sentence a step, three for the approval and its revoke: {}",
        desktop.script("return window.sentences")
    );
    assert!(stage(&folder).join("drafts/old-idea.md").is_file(), "what expired was not run");

    desktop.keys("gh");
    desktop.until("History holds every decision", || desktop.history().len() == 10);
    let wanted = [
        "Run a command | rm drafts/old-idea.md | Expired · conversation moved on | never made",
        "Create a file | drafts/README.md | Ran · Auto | ran ok",
        "Plan: 4 steps | Clean up the drafts | Approved into Auto · you | went on",
        "Run a command | ls -l notes | Approved · you | ran ok",
        "Run a command | ls -l notes | Ran · standing approval | ran ok",
        "Run a command | ls -l notes | Approved, conversation · you | ran ok",
        "Run a command | wc -l notes/*.md | Rejected · you | told the agent",
        "Edit a file | notes/todo.md | Approved · you | ran ok",
    ];
    let (bad, good): (Vec<_>, Vec<_>) =
        desktop.history().into_iter().partition(|row| row.contains("dm.weiv") || row.contains("mkdir -p room"));
    assert_eq!(good, wanted);
    assert_eq!(bad.len(), 2, "{bad:?}");
    assert!(bad.iter().all(|row| row.ends_with("| Rejected · you | told the agent")), "{bad:?}");
    let took = began.elapsed();
    assert!(took < LONGEST, "the tour took {} s", took.as_secs());

    // What only read is in the conversation, with the word that nobody had to be asked.
    desktop.keys("gc");
    desktop.click("[data-testid^=\"conversation-\"]");
    desktop.wait_for_text(&id("transcript"), "no approval needed");

    desktop.click(&id("rehearsal-remove"));
    desktop.wait_until_gone(&id("rehearsal-strip"));
    desktop.wait_for(&id("connect-save"));
    desktop.until("its folder is gone", || !stage(&folder).exists());
    let left = everything_in(folder.path());
    assert!(!left.iter().any(|file| file.contains("rehearsal")), "nothing of it is left: {left:?}");
    let main = desktop.invoke("snapshot", &json!({})).unwrap();
    assert_eq!(main["rehearsal"], json!(null));
    assert_eq!(main["conversations"], json!([]), "the person's own space never saw any of it");
}

/// The throw-away folder that the Rehearsal's tools work in.
fn stage(folder: &TestFolder) -> std::path::PathBuf {
    let found = everything_in(folder.path()).into_iter().find(|file| file.ends_with("drafts/letter.md"));
    found.map_or_else(
        || folder.path().join("no-stage"),
        |letter| std::path::Path::new(&letter).parent().unwrap().parent().unwrap().to_owned(),
    )
}

fn everything_in(folder: &std::path::Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            found.push(entry.path().to_string_lossy().into_owned());
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
        }
    }
    found
}
