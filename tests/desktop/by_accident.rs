//! What a person does without meaning a decision decides nothing: typing, leaning on a key, opening, coming back.

use countersign_tests::desktop::{Desktop, ENTER, Model, TestFolder, Turn, id};
use serde_json::json;

fn command(words: &str, name: &str) -> Turn {
    Turn::says(words).calls("run_command", json!({ "command": format!("touch {name}") }))
}

/// Two requests of one set wait in the Inbox, so that whatever is staged of one is never sent by itself.
fn two_wait(folder: &TestFolder) -> (Desktop, Model) {
    let asks = command("Two files.", "one").calls("run_command", json!({ "command": "touch two" }));
    let model = Model::serve([asks]);
    let desktop = Desktop::start(folder);
    desktop.wait_for(&id("first-run"));
    let agent = desktop.agent("Nightly check", &model, &folder.work());
    desktop.converse(&agent, "Go on.", "default");
    desktop.wait_for_row("touch one");
    desktop.wait_for_row("touch two");
    focus(&desktop);
    (desktop, model)
}

/// Gives the window the real keyboard, as a desktop's window manager does.
fn focus(desktop: &Desktop) {
    desktop.hands(&["windowfocus", "--sync", &desktop.window()]);
    desktop.until("the window has the keyboard", || desktop.script("return document.hasFocus()") == json!(true));
}

fn decided(desktop: &Desktop) -> usize {
    desktop.rows().iter().filter(|row| row.text.contains("will ")).count()
}

/// Counts what the page hears from the real keyboard and the real pointer.
fn listen(desktop: &Desktop) {
    desktop.script(
        "window.heard = { keys: 0, repeats: 0, presses: 0 };
        addEventListener('keydown', (event) => { window.heard[event.repeat ? 'repeats' : 'keys'] += 1; }, true);
        addEventListener('click', () => { window.heard.presses += 1; }, true);",
    );
}

fn heard(desktop: &Desktop, what: &str) -> i64 {
    desktop.script(&format!("return window.heard[{what:?}]")).as_i64().unwrap_or_default()
}

#[test]
fn accept_07_surface_13_surface_17_field_l_130_typing_while_a_request_arrives_decides_nothing() {
    let folder = TestFolder::new();
    let model = Model::serve([command("I make a file.", "made").held()]);
    let desktop = Desktop::start(&folder);
    desktop.wait_for(&id("first-run"));
    let agent = desktop.agent("Nightly check", &model, &folder.work());
    let conversation = desktop.converse(&agent, "Go on.", "default");
    desktop.until("the model is asked", || model.asked() == 1);
    focus(&desktop);
    desktop.click(&id("nav-conversations"));
    desktop.click(&id(&format!("conversation-{conversation}")));
    desktop.click(&id("composer"));
    let text = || desktop.script("return document.querySelector('[data-testid=composer]').value");
    let letters = || text().as_str().map_or(0, str::len);
    desktop.hands(&["type", "--delay", "20", "aaaaa"]);
    desktop.until("the letters are in the text", || letters() == 5);
    model.go_on();
    let mut typed = 5;
    desktop.until("the request arrives while somebody types", || {
        desktop.hands(&["type", "--delay", "5", "a"]);
        typed += 1;
        desktop.badge() == "1"
    });
    desktop.hands(&["type", "--delay", "20", "aAraA"]);
    typed += 5;
    desktop.until("every letter is in the text", || letters() == typed);
    desktop.click(&id("nav-inbox"));
    let row = desktop.wait_for_row("touch made");
    desktop.wait_until_armed(&row);
    assert_eq!(decided(&desktop), 0, "{:?}", desktop.rows());
    assert!(!folder.work().join("made").exists(), "nothing ran");
}

#[test]
fn accept_08_surface_19_a_key_that_is_held_down_decides_once_or_not_at_all() {
    let folder = TestFolder::new();
    let (desktop, _model) = two_wait(&folder);
    listen(&desktop);
    let first = desktop.rows().into_iter().next().expect("the first row");
    desktop.wait_until_armed(&first);

    // Whoever leans on the key before anything is armed has pressed too early, and the repeats don't count.
    desktop.keys("jk");
    desktop.go_to(&first);
    desktop.script("document.querySelector('[data-row][aria-current=true]').focus()");
    hold_a(&desktop, || heard(&desktop, "repeats") >= 1);
    let early = decided(&desktop);
    assert!(early <= 1, "{:?}", desktop.rows());
    if early == 1 {
        desktop.keys("u");
        desktop.until("it is taken back", || decided(&desktop) == 0);
    }

    // One deliberate press that isn't let go: one decision, although the next row is armed long before the end.
    desktop.go_to(&first);
    desktop.wait_until_armed(&first);
    let before = heard(&desktop, "repeats");
    let second = desktop.rows().into_iter().next_back().expect("the second row");
    hold_a(&desktop, || {
        let next_is_armed = desktop.has(&format!("[data-testid=row-{}][aria-current=true]", second.id))
            && desktop.has("[data-testid=approve]:not(.unarmed)");
        heard(&desktop, "repeats") > before + 20 && (next_is_armed || decided(&desktop) > 1)
    });
    assert_eq!(decided(&desktop), 1, "{:?}", desktop.rows());
    assert!(!folder.work().join("one").exists() && !folder.work().join("two").exists(), "nothing ran");
}

/// Holds the real A down until it is so.
fn hold_a(desktop: &Desktop, is_so: impl FnMut() -> bool) {
    desktop.hands(&["keydown", "a"]);
    desktop.until("the key was held down long enough", is_so);
    desktop.hands(&["keyup", "a"]);
}

#[test]
fn surface_21_enter_and_space_open_and_turn_pages_and_decide_nothing() {
    let folder = TestFolder::new();
    let (desktop, _model) = two_wait(&folder);
    listen(&desktop);
    let first = desktop.rows().into_iter().next().expect("the first row");
    desktop.wait_until_armed(&first);
    desktop.script("document.querySelector('[data-row][aria-current=true]').focus()");
    desktop.keys(&format!("{ENTER} {ENTER} {ENTER}"));
    desktop.hands(&["key", "--delay", "20", "Return", "space", "Return", "space", "KP_Enter"]);
    desktop.until("the keys came through", || heard(&desktop, "keys") >= 10);
    assert_eq!(decided(&desktop), 0, "{:?}", desktop.rows());
    let focused =
        desktop.script("return document.activeElement.dataset.testid ?? document.activeElement.dataset.pane ?? ''");
    assert_eq!(focused, json!("detail"), "Enter went into the detail as a whole, and to no button in it");
    desktop.wait_until_armed(&first);
    assert_eq!(desktop.badge(), "2", "both wait as before");
}

#[test]
fn accept_06_surface_14_the_click_that_brings_the_window_back_decides_nothing() {
    let folder = TestFolder::new();
    let (desktop, _model) = two_wait(&folder);
    let first = desktop.rows().into_iter().next().expect("the first row");
    desktop.wait_until_armed(&first);
    listen(&desktop);
    let (x, y) = place(&desktop, &id("approve"));
    let window = desktop.window();

    desktop.script(TIMES);
    // Somebody works in another window, and comes back by a click that happens to meet Approve. A machine that is busy with other
    // things may bring the window long before the click; that isn't the click that is meant, and is taken back and tried again.
    let tried = (0..TRIES).any(|_| {
        let presses = heard(&desktop, "presses");
        desktop.hands(&["mousemove", &x, &y]);
        desktop.hands(&["windowunmap", "--sync", &window]);
        desktop.until("the window is away", || desktop.visible_windows() == 0);
        desktop.hands(&[
            "windowmap",
            "--sync",
            &window,
            "windowfocus",
            "--sync",
            &window,
            "mousemove",
            &x,
            &y,
            "click",
            "1",
        ]);
        desktop.until("the click came through", || heard(&desktop, "presses") > presses);
        let between = desktop.script("return window.times.press - window.times.back").as_f64().unwrap_or(f64::MAX);
        if between < STILL_MS {
            return true;
        }
        desktop.until("what was decided so late is taken back", || {
            desktop.keys("u");
            decided(&desktop) == 0
        });
        desktop.go_to(&first);
        desktop.wait_until_armed(&first);
        false
    });
    assert!(tried, "this machine never brought the window and the click within {STILL_MS} ms");
    assert_eq!(decided(&desktop), 0, "{:?}", desktop.rows());

    // The same click once things have been still decides exactly the one that it is about.
    focus(&desktop);
    desktop.wait_until_armed(&first);
    desktop.hands(&["mousemove", &x, &y, "click", "1"]);
    desktop.until("a deliberate press decides", || decided(&desktop) == 1);
    assert!(desktop.rows()[0].text.contains("will approve"), "{:?}", desktop.rows());
}

/// How long the window must have been in front before a press counts, in milliseconds.
const STILL_MS: f64 = 600.0;
/// How often the click that brings the window back is tried.
const TRIES: usize = 6;
/// Notes when the window came back and when it was pressed.
const TIMES: &str = "
    window.times = { back: 0, press: 0 };
    const back = () => { window.times.back = performance.now(); };
    addEventListener('focus', back);
    document.addEventListener('visibilitychange', back);
    addEventListener('pointerdown', () => { window.times.press = performance.now(); }, true);";

/// The middle of something on the screen.
fn place(desktop: &Desktop, css: &str) -> (String, String) {
    let middle = desktop.script(&format!(
        "const box = document.querySelector({css:?}).getBoundingClientRect();
        return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)]"
    ));
    (middle[0].to_string(), middle[1].to_string())
}
