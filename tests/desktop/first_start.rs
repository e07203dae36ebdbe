//! What holds before anything was set up: the window comes, nothing foreign runs in it, and there is one of it.

use countersign_tests::desktop::{Desktop, TestFolder, id};
use serde_json::json;

#[test]
fn the_first_start_offers_the_rehearsal_and_a_model() {
    let folder = TestFolder::new();
    let mut desktop = Desktop::start(&folder);
    desktop.wait_for(&id("first-run"));
    desktop.wait_for(&id("start-rehearsal"));
    desktop.wait_for(&id("connect-model"));
    desktop.shot("first-run");
    assert!(folder.data().join("countersign.sqlite").is_file(), "the data lies where the environment says");

    desktop.kill();
    desktop.open();
    desktop.wait_for(&id("first-run"));
}

#[test]
fn accept_13_surface_90_nothing_foreign_runs_in_the_window() {
    let folder = TestFolder::new();
    let desktop = Desktop::start(&folder);
    desktop.wait_for(&id("first-run"));
    // Some of it is tried in a task of the page's own: what the driver runs isn't always held to the page's rules.
    desktop.script(
        r#"
        window.tried = {};
        const attempt = (name, act) => {
            try { act(); } catch (refused) { window.tried[name] = String(refused); }
        };
        window.addEventListener("securitypolicyviolation", (event) => {
            window.tried[event.effectiveDirective] = event.blockedURI;
        });
        attempt("inline", () => {
            const inline = document.createElement("script");
            inline.append(document.createTextNode("window.foreign = 'inline'"));
            document.body.append(inline);
        });
        attempt("handler", () => {
            const image = document.createElement("img");
            image.setAttribute("onerror", "window.foreign = 'handler'");
            image.src = "data:image/png;base64,broken";
            document.body.append(image);
        });
        attempt("markup", () => {
            const place = document.createElement("div");
            place.innerHTML = "<img src=x onerror='window.foreign = 1'>";
            document.body.append(place);
        });
        attempt("frame", () => {
            const frame = document.createElement("iframe");
            frame.src = "https://example.com/";
            document.body.append(frame);
        });
        attempt("window", () => { window.opened = window.open("https://example.com/"); });
        fetch("https://example.com/").catch(() => { window.tried.fetch = "refused"; });
        setTimeout(() => {
            attempt("eval", () => { window.evaluated = (0, eval)("1 + 1"); });
            attempt("function", () => { window.evaluated = new Function("return 1 + 1")(); });
        });
    "#,
    );
    for tried in ["eval", "function", "handler", "markup", "fetch", "frame-src", "connect-src"] {
        desktop.until(&format!("`{tried}` is refused"), || {
            desktop.script(&format!("return window.tried[{tried:?}] !== undefined")) == json!(true)
        });
    }
    let ran = desktop.script("return [window.foreign, window.evaluated, window.opened].map((one) => one ?? null)");
    assert_eq!(ran, json!([null, null, null]), "nothing of it ran: {}", desktop.script("return window.tried"));
    assert_eq!(desktop.script("return location.protocol"), json!("tauri:"));

    desktop.script("location.href = 'https://example.com/'");
    desktop.script("location.assign('data:text/html,foreign')");
    desktop.wait_for(&id("first-run"));
    assert_eq!(desktop.script("return location.protocol"), json!("tauri:"), "the window goes nowhere");
    assert_eq!(desktop.visible_windows(), 1, "and opens no other");
}

#[test]
fn a_second_start_brings_up_the_first() {
    let folder = TestFolder::new();
    let desktop = Desktop::start(&folder);
    desktop.wait_for(&id("first-run"));
    desktop.until("the window is on the screen", || desktop.visible_windows() == 1);
    let window = desktop.run("xdotool", "xdotool", &["search", "--onlyvisible", "--name", "^Countersign$"]);
    desktop.run("xdotool", "xdotool", &["windowunmap", "--sync", window.trim()]);
    desktop.until("the window is hidden", || desktop.visible_windows() == 0);

    let (code, said) = desktop.start_again();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("already running"), "{said}");
    desktop.until("the window is back", || desktop.visible_windows() == 1);
    assert!(desktop.has(&id("first-run")), "it is the same one");
}
