//! Two real windows, each of a process of its own, on one database: whoever is second is told so.

use std::os::unix::fs::symlink;
use std::sync::Barrier;

use countersign_tests::desktop::{Desktop, Model, TestFolder, Turn, id};
use serde_json::{Value, json};

/// How often they race.
const ROUNDS: usize = 20;

/// A window of a process of its own, with its own lock, settings and logs, on the database of another folder.
fn beside(first: &TestFolder, own: &TestFolder) -> Desktop {
    let mut desktop = Desktop::start(own);
    desktop.wait_for(&id("first-run"));
    desktop.quit();
    for name in ["countersign.sqlite", "countersign.sqlite-wal", "countersign.sqlite-shm"] {
        // What the other has no need for isn't there.
        let _ = std::fs::remove_file(own.data().join(name));
    }
    std::fs::remove_dir_all(own.data().join("countersign.owners")).unwrap();
    for name in ["countersign.sqlite", "countersign.owners"] {
        symlink(first.data().join(name), own.data().join(name)).unwrap();
    }
    desktop.open();
    desktop
}

/// The one request of the conversation that was asked for this file, as a window's snapshot has it.
fn asked(desktop: &Desktop, conversation: &str, file: &str) -> Option<String> {
    let snapshot = desktop.invoke("snapshot", &json!({})).expect("a snapshot");
    let sets = snapshot["sets"].as_array()?;
    let set = sets.iter().find(|set| set["conversation"] == conversation)?;
    let row = set["rows"].as_array()?.iter().find(|row| row["target"].to_string().contains(file))?;
    row["id"].as_str().map(str::to_owned)
}

/// N-32, D-61, D-90: two windows answer the same request at the same moment, twenty times. Exactly one wins each time, the other is
/// told that it was answered already, and the call runs once.
#[test]
fn accept_03_surface_03_of_two_real_windows_one_wins_each_time() {
    let folder = TestFolder::new();
    let turns = (0..ROUNDS).map(|round| {
        // Not a command: its environment is part of what is approved, and the two windows have different home folders.
        Turn::says("Next.").calls("write_file", json!({ "path": format!("round{round}.txt"), "content": "ran" }))
    });
    let model = Model::serve(turns.chain([Turn::says("All done.")]));
    let first = Desktop::start(&folder);
    first.wait_for(&id("first-run"));
    let agent = first.agent("Racer", &model, &folder.work());
    let conversation = first.converse(&agent, "Go on.", "default");
    first.until("the first request is there", || asked(&first, &conversation, "round0.txt").is_some());
    let own = TestFolder::new();
    let second = beside(&folder, &own);
    second.wait_for(&id("nav-inbox"));

    let mut won = [0, 0];
    for round in 0..ROUNDS {
        let file = format!("round{round}.txt");
        first.until("it asks", || asked(&first, &conversation, &file).is_some());
        let request = asked(&first, &conversation, &file).unwrap();
        let start = Barrier::new(2);
        let answer = |desktop: &Desktop| -> Result<Value, Value> {
            let answers =
                json!([{ "request": request, "digest": desktop.digest(&request), "decision": { "say": "approve" } }]);
            let send = json!({ "conversation": conversation, "answers": answers, "text": null, "mode": null, "passes_by": [] });
            start.wait();
            desktop.invoke("send", &json!({ "send": send }))
        };
        let outcomes = std::thread::scope(|scope| {
            let (one, two) = (scope.spawn(|| answer(&first)), scope.spawn(|| answer(&second)));
            [one.join().unwrap(), two.join().unwrap()]
        });
        let winners: Vec<usize> = (0..2).filter(|window| outcomes[*window].is_ok()).collect();
        assert_eq!(winners.len(), 1, "round {round}: {outcomes:?}");
        won[winners[0]] += 1;
        let told = outcomes[1 - winners[0]].as_ref().unwrap_err();
        assert_eq!(told["code"], "approval_closed", "round {round}: {told}");
        assert_eq!(told["closed"][0]["label"], "Already answered", "round {round}: {told}");
    }
    first.until("the model has said all", || model.asked() > ROUNDS);
    let written = std::fs::read_dir(folder.work()).unwrap().count();
    assert_eq!(written, ROUNDS, "each was carried out");
    first.until("the run is over", || {
        let snapshot = first.invoke("snapshot", &json!({})).expect("a snapshot");
        snapshot["conversations"][0]["state"]["is"] == "idle"
    });
    assert_eq!(model.asked(), ROUNDS + 1, "and once each: a second answer would have called the model again");
    println!("the first window won {} times, the second {}", won[0], won[1]);
}
