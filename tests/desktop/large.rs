//! Large things in the real window: long commands, changes, conversations and a long history. What is asserted are counts, which
//! hold on a busy machine; the times (P16, P17) are printed: `./dev bench ui`.

use std::time::{SystemTime, UNIX_EPOCH};

use countersign_tests::desktop::{Desktop, Model, TestFolder, Turn, id};
use serde_json::{Value, json};

/// The most elements that a page with something large in it may have.
const MOST_ELEMENTS: u64 = 6_000;

/// Watches the page: how long each key takes until something is painted after it, when rows and payloads are painted, and how many
/// long tasks there were.
const WATCH: &str = "
    if (window.watched) return;
    const painted = (then) => requestAnimationFrame(() => {
        const channel = new MessageChannel();
        channel.port1.onmessage = then;
        channel.port2.postMessage(0);
    });
    window.watched = { keys: [], rows: {}, shown: {} };
    addEventListener('keydown', () => {
        const began = performance.now();
        painted(() => watched.keys.push(performance.now() - began));
    }, true);
    const look = () => {
        for (const row of document.querySelectorAll('[data-testid^=row-]')) {
            const name = row.dataset.row;
            if (!(name in watched.rows)) {
                watched.rows[name] = 0;
                painted(() => (watched.rows[name] = performance.timeOrigin + performance.now()));
            }
        }
        const payload = document.querySelector('[data-testid=payload]');
        const of = document.querySelector('[data-testid^=row-][aria-current=true]')?.dataset.row;
        if (payload && payload.children.length > 0 && of && !(of in watched.shown)) {
            watched.shown[of] = 0;
            painted(() => (watched.shown[of] = performance.timeOrigin + performance.now()));
        }
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
    look();";

fn numbered(count: usize, of: usize) -> String {
    let mut text = String::new();
    for line in 0..count {
        text.push_str(&(line % of).to_string());
        text.push('\n');
    }
    text
}

/// Lines of a command, as many as make it so many bytes, with a dangerous end.
fn long_command(bytes: usize) -> String {
    let line = "printf '%s\\n' one two three four five six seven eight nine ten\n";
    format!("{}rm -rf ../elsewhere", line.repeat(bytes / line.len()))
}

fn elements(desktop: &Desktop) -> u64 {
    desktop.script("return document.querySelectorAll('*').length").as_u64().unwrap()
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64() * 1000.0
}

fn is_bench() -> bool {
    std::env::var_os("UI_BENCH").is_some()
}

#[allow(clippy::print_stdout, reason = "a measurement prints what it found")]
fn say(what: &str, mut took: Vec<f64>) {
    if took.is_empty() {
        println!("{what}: nothing was seen");
        return;
    }
    took.sort_by(f64::total_cmp);
    let at = |percent: usize| took[(took.len() - 1) * percent / 100];
    println!("{what}: {} times, p50 {:.0} ms, p90 {:.0} ms, most {:.0} ms", took.len(), at(50), at(90), at(100));
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().filter_map(Value::as_f64).collect()
}

/// When a row, or what is shown of it, was painted, in milliseconds since 1970.
fn painted(desktop: &Desktop, what: &str, row: &str) -> f64 {
    let mut at = 0.0;
    desktop.until(&format!("{what} of {row} is painted"), || {
        at = desktop.script(&format!("return watched.{what}['{row}'] ?? 0")).as_f64().unwrap_or_default();
        at > 0.0
    });
    at
}

/// Selects a row by a key or a click of the page itself, so that the time of WebDriver isn't in it; gives when.
fn select(desktop: &Desktop, row: &str) -> f64 {
    let began = desktop.script(&format!(
        "delete watched.shown['{row}'];
        const began = performance.timeOrigin + performance.now();
        document.querySelector('[data-testid=\"row-{row}\"]').click();
        return began;"
    ));
    began.as_f64().unwrap()
}

/// A command of 20,000 lines and arguments of megabytes are drawn in part and can be read whole; in the smallest window
/// the buttons are in view.
#[test]
fn field_133_field_136_large_arguments_are_drawn_in_part_and_the_buttons_stay() {
    let folder = TestFolder::new();
    let lines = "ls 0\nls 1\n".repeat(10_000);
    let (old, new) = (numbered(100_000, 7), numbered(100_000, 9));
    std::fs::write(folder.work().join("numbers.txt"), old).unwrap();
    let model = Model::serve([Turn::says("All of it.")
        .calls("run_command", json!({ "command": format!("{lines}rm -rf ../elsewhere") }))
        .calls("write_file", json!({ "path": "numbers.txt", "content": new }))
        .calls("write_file", json!({ "path": "large.txt", "content": "0123456789abcde\n".repeat(500_000) }))]);
    let desktop = Desktop::start(&folder);
    desktop.wait_for(&id("first-run"));
    let agent = desktop.agent("Bulk", &model, &folder.work());
    desktop.converse(&agent, "Go.", "default");
    desktop.wait_for_row("numbers.txt");
    desktop.script(WATCH);
    for (words, inside) in [("ls 0", "ls 0"), ("numbers.txt", "\n"), ("large.txt", "0123456789abcde")] {
        let row = desktop.wait_for_row(words);
        select(&desktop, &row.id);
        desktop.until("it is shown", || {
            let text = desktop.script("return document.querySelector('[data-testid=payload]')?.innerText ?? ''");
            text.as_str().unwrap().contains(inside)
        });
        assert!(elements(&desktop) < MOST_ELEMENTS, "{words}: {} elements", elements(&desktop));
        desktop.resize(720, 480);
        // Both buttons are whole in the window, and nothing lies on them.
        let buttons = desktop.script(
            "return ['approve', 'reject'].map((name) => {
                const button = document.querySelector(`[data-testid=${name}]`);
                if (!button) return name + ' is missing';
                const at = button.getBoundingClientRect();
                const within = at.top >= 0 && at.left >= 0 && at.bottom <= innerHeight && at.right <= innerWidth;
                const top = document.elementFromPoint(at.left + at.width / 2, at.top + at.height / 2);
                return within && button.contains(top) ? '' : name + ' is covered or cut: ' + JSON.stringify(at);
            }).filter((text) => text !== '')",
        );
        assert_eq!(buttons, json!([]), "{words}");
        desktop.resize(1120, 720);
    }
    // The end of the command is reached, and only then it can be approved.
    let row = desktop.wait_for_row("ls 0");
    select(&desktop, &row.id);
    desktop.wait_for_text(&id("approve"), "Read to the end");
    desktop.until("the end is in view", || {
        desktop.script(
            "for (const one of document.querySelectorAll('*')) {
                if (one.scrollHeight > one.clientHeight + 40) one.scrollTop = one.scrollHeight;
            }",
        );
        let text = desktop.script("return document.querySelector('[data-testid=payload]').innerText");
        text.as_str().unwrap().contains("../elsewhere")
    });
    desktop.until("it can be approved now", || !desktop.text(&id("approve")).contains("Read to the end"));
}

/// A history and a conversation of thousands keep a bounded part of themselves in the page.
#[test]
fn thousands_of_decisions_and_messages_are_a_bounded_page() {
    let folder = TestFolder::new();
    let (rounds, says) = if is_bench() { (20, 2_500) } else { (3, 150) };
    let write = |turn: Turn, at: i32| turn.calls("write_file", json!({ "path": format!("{at}.txt"), "content": "x" }));
    let turns = (0..rounds).map(|_| (0..100).fold(Turn::says("I write."), write));
    let more = (0..says).map(|number| Turn::says(&format!("Answer {number}.")));
    let model = Model::serve(turns.chain([Turn::says("Done.")]).chain(more));
    let desktop = Desktop::start(&folder);
    desktop.wait_for(&id("first-run"));
    let agent = desktop.agent("Reader", &model, &folder.work());
    let conversation = desktop.converse(&agent, "Write a lot.", "auto");
    let rests = || {
        let snapshot = desktop.invoke("snapshot", &json!({})).unwrap();
        let rows = snapshot["conversations"].as_array().unwrap();
        rows.iter().any(|row| row["id"] == json!(conversation) && row["state"]["state"] != json!("running"))
    };
    desktop.until("the run is over", rests);
    for number in 0..says {
        let send = json!({ "conversation": conversation, "answers": [], "text": format!("Message {number}"),
            "mode": null, "passes_by": [] });
        desktop.until("the message is taken", || desktop.invoke("send", &json!({ "send": send })).is_ok());
        desktop.until("it is answered", rests);
    }
    desktop.keys("g");
    desktop.keys("h");
    desktop.wait_for("[data-testid=history-row]");
    assert!(elements(&desktop) < MOST_ELEMENTS, "history: {} elements", elements(&desktop));
    desktop.keys("g");
    desktop.keys("c");
    desktop.click(&format!("[data-testid=\"conversation-{conversation}\"]"));
    desktop.wait_for(&id("transcript"));
    desktop.wait_for_text(&id("transcript"), &format!("Answer {}", says - 1));
    assert!(elements(&desktop) < MOST_ELEMENTS, "the conversation: {} elements", elements(&desktop));
    // Up to the beginning and back.
    for _ in 0..60 {
        desktop.script("document.querySelector('[data-testid=transcript]').scrollTop = 0");
        std::thread::sleep(std::time::Duration::from_millis(20));
        if desktop.text(&id("transcript")).contains("Write a lot.") {
            break;
        }
    }
    assert!(elements(&desktop) < MOST_ELEMENTS, "its beginning: {} elements", elements(&desktop));
}

/// P16 and P17 in the real window. That there is something to measure is asserted, how long it takes is printed.
#[allow(clippy::print_stdout, reason = "a measurement prints what it found")]
#[test]
fn a_row_and_a_key_are_painted_by_themselves() {
    let rounds = if is_bench() { 24 } else { 3 };
    let folder = TestFolder::new();
    let (old, new) = (numbered(200_000, 7), numbered(200_000, 9));
    std::fs::write(folder.work().join("numbers.txt"), old).unwrap();
    let small = (0..rounds).map(|number| {
        Turn::says("One more.")
            .calls("write_file", json!({ "path": format!("file{number}.txt"), "content": "x" }))
            .held()
    });
    let large = Turn::says("Large.")
        .calls("run_command", json!({ "command": long_command(120_000) }))
        .calls("write_file", json!({ "path": "numbers.txt", "content": new }))
        .calls("write_file", json!({ "path": "one.txt", "content": "0123456789abcde\n".repeat(65_000) }))
        .calls("write_file", json!({ "path": "large.txt", "content": "0123456789abcde\n".repeat(650_000) }))
        .held();
    let model = Model::serve(small.chain([Turn::says("Never.").held(), large]));
    let desktop = Desktop::start(&folder);
    desktop.wait_for(&id("first-run"));
    let agent = desktop.agent("Bench", &model, &folder.work());
    desktop.wait_for(&id("nav-inbox"));
    desktop.script(WATCH);

    let mut rows = Vec::new();
    let conversation = desktop.converse(&agent, "Write.", "default");
    for number in 0..rounds {
        desktop.until("the model is asked", || model.asked() > number);
        let began = now();
        model.go_on();
        let row = desktop.wait_for_row(&format!("file{number}.txt"));
        rows.push(painted(&desktop, "rows", &row.id) - began);
        let answers = json!([{ "request": row.id, "digest": desktop.digest(&row.id), "decision": { "say": "reject", "reason": null } }]);
        let send =
            json!({ "conversation": conversation, "answers": answers, "text": null, "mode": null, "passes_by": [] });
        desktop.invoke("send", &json!({ "send": send })).unwrap();
    }
    desktop.invoke("stop", &json!({ "conversation": conversation })).unwrap();
    say("P16 model's last byte → row painted", rows);

    desktop.script("watched.keys.length = 0");
    for _ in 0..60 {
        desktop.keys("j");
    }
    let keys = numbers(&desktop.script("return watched.keys"));
    assert!(!keys.is_empty(), "keys are seen by the page");
    say("P16 J → painted", keys);
    if !is_bench() {
        return;
    }

    let asked = model.asked();
    model.go_on();
    desktop.converse(&agent, "Something large.", "default");
    desktop.until("the model is asked", || model.asked() > asked);
    model.go_on();
    for (what, words) in [
        ("120 kB command", "printf"),
        ("200,000-line change", "numbers.txt"),
        ("1 MB of arguments", "one.txt"),
        ("10 MB of arguments", "large.txt"),
    ] {
        let row = desktop.wait_for_row(words);
        let began = select(&desktop, &row.id);
        say(&format!("P17 {what}: selected → painted"), vec![painted(&desktop, "shown", &row.id) - began]);
        let asked = desktop.script_to_its_end(
            "const [id, done] = arguments, began = performance.now();
            __TAURI_INTERNALS__.invoke('detail', { space: 'main', request: { id } })
                .then((detail) => done([performance.now() - began, JSON.stringify(detail).length / 1000]));",
            &json!([row.id]),
        );
        say(&format!("P17 {what}: of it asking the process"), vec![asked[0].as_f64().unwrap()]);
        println!("P17 {what}: {:.0} kB from the process", asked[1].as_f64().unwrap());
        desktop.script("watched.keys.length = 0");
        for _ in 0..10 {
            desktop.keys(" ");
        }
        say(&format!("P16 {what}: Space → painted"), numbers(&desktop.script("return watched.keys")));
        println!("P17 {what}: {} elements in the page", elements(&desktop));
    }
}
