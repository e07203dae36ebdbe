//! What a person does with the app's own things: rows, decisions, real keys; and what the window's page can ask of the
//! process behind it.

use serde_json::{Value, json};

use super::{Desktop, Model, id};

/// A row of the Inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its request.
    pub id: String,
    /// All that it shows.
    pub text: String,
    /// Whether its detail is the one that is shown.
    pub selected: bool,
}

/// Enter, as WebDriver spells it.
pub const ENTER: &str = "\u{E007}";
/// Shift, as WebDriver spells it.
pub const SHIFT: &str = "\u{E008}";
/// Escape, as WebDriver spells it.
pub const ESCAPE: &str = "\u{E00C}";
/// Ctrl, as WebDriver spells it.
pub const CONTROL: &str = "\u{E009}";

impl Desktop {
    /// The rows that wait, in the order of the list.
    pub fn rows(&self) -> Vec<Row> {
        let rows = self.script(
            "return [...document.querySelectorAll('[data-testid^=\"row-\"]')].map((row) =>
                ({ id: row.dataset.row, text: row.innerText, selected: row.ariaCurrent === 'true' }))",
        );
        let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let rows = rows.as_array().cloned().unwrap_or_default();
        rows.iter()
            .map(|row| Row { id: text(row, "id"), text: text(row, "text"), selected: row["selected"] == json!(true) })
            .collect()
    }

    /// Waits for a row that shows some words, and gives it.
    pub fn wait_for_row(&self, words: &str) -> Row {
        let mut found = None;
        self.until(&format!("a row with `{words}`"), || {
            found = self.rows().into_iter().find(|row| row.text.contains(words));
            found.is_some()
        });
        found.expect("just found")
    }

    /// Waits until a row is selected and what is shown of it can be decided.
    pub fn wait_until_armed(&self, row: &Row) {
        self.until(&format!("`{}` can be decided", row.text), || self.is_armed(row));
    }

    fn is_armed(&self, row: &Row) -> bool {
        self.has(&format!("{}[aria-current=true]", id(&format!("row-{}", row.id))))
            && self.has("[data-testid=approve]:not(.unarmed)")
    }

    /// Presses J, or K for a row above, until a row is selected.
    pub fn go_to(&self, row: &Row) {
        self.until(&format!("`{}` is selected", row.text), || {
            let rows = self.rows();
            let target = rows.iter().position(|one| one.id == row.id);
            let now = rows.iter().position(|one| one.selected);
            if target.is_some() && target == now {
                return true;
            }
            self.keys(if now > target { "k" } else { "j" });
            false
        });
    }

    /// Presses a key that decides, once the row's detail is armed, until the row shows what will be.
    pub fn decide(&self, row: &Row, key: &str, becomes: &str) {
        let mut pressed = false;
        self.until(&format!("`{}` becomes `{becomes}` by {key}", row.text), || {
            let done = self.has_become(row, becomes, pressed);
            if !done && self.is_armed(row) {
                self.keys(key);
                pressed = true;
            }
            done
        });
    }

    /// Opens a sheet with Shift+A and confirms it with A.
    pub fn decide_in_sheet(&self, row: &Row, becomes: &str) {
        self.until(&format!("a sheet for `{}`", row.text), || {
            if !self.has("[role=dialog]") && self.is_armed(row) {
                self.chord(&format!("{SHIFT}a"));
            }
            self.has("[role=dialog]")
        });
        let mut pressed = false;
        self.until(&format!("`{}` becomes `{becomes}`", row.text), || {
            let done = self.has_become(row, becomes, pressed);
            if !done && self.has("[data-testid=sheet-confirm]:not(.unarmed)") {
                self.keys("a");
                pressed = true;
            }
            done
        });
    }

    /// Whether a row shows what will be; a slow look finds that it has left already.
    fn has_become(&self, row: &Row, becomes: &str, pressed: bool) -> bool {
        match self.rows().into_iter().find(|one| one.id == row.id) {
            Some(now) => now.text.contains(becomes) || now.text.contains("sending"),
            None => pressed,
        }
    }

    /// What the Inbox's badge says; nothing without one.
    pub fn badge(&self) -> String {
        let badge = self.script("return document.querySelector('[data-testid=nav-inbox] .badge')?.innerText ?? ''");
        badge.as_str().unwrap_or_default().to_owned()
    }

    /// Calls a command of the process as the page could, and gives its answer or why it was refused.
    ///
    /// # Errors
    /// What the command rejected with.
    pub fn invoke(&self, command: &str, request: &Value) -> Result<Value, Value> {
        let call = json!([command, { "space": "main", "request": request }]);
        let answer = self.script_to_its_end(
            "const [command, sent, done] = arguments;
            window.__TAURI_INTERNALS__.invoke(command, sent).then((ok) => done({ ok }), (no) => done({ no }));",
            &call,
        );
        match answer.get("no") {
            Some(no) => Err(no.clone()),
            None => Ok(answer["ok"].clone()),
        }
    }

    /// An agent with the model, that works in a folder; gives its id. Whatever the first start asks is skipped.
    pub fn agent(&self, name: &str, model: &Model, folder: &std::path::Path) -> String {
        self.agent_that_starts(name, model, folder, &json!([]))
    }

    /// The same, and it can start others: each with its agent's id, its name for the model, and how it goes.
    pub fn agent_that_starts(&self, name: &str, model: &Model, folder: &std::path::Path, others: &Value) -> String {
        let agent = json!({
            "id": null, "revision": 0, "name": name, "instructions": "", "format": "open_ai_chat", "base_url": model.address(),
            "model": "qwen3", "key": { "from": "none" }, "folder": folder, "start_mode": "default", "rounds": 25,
            "tools": null, "sub_agents": others, "caps": { "model_calls": 200, "agents": 50, "beside": 8 },
        });
        let saved = self.invoke("save_agent", &json!({ "save": { "agent": agent, "new_key": null } }));
        if self.has(&id("first-run")) {
            self.click(&id("skip-first-run"));
        }
        saved.expect("the agent is saved")["id"].as_str().expect("an id").to_owned()
    }

    /// Starts a conversation with its first message; gives its id.
    pub fn converse(&self, agent: &str, text: &str, mode: &str) -> String {
        let started = self.invoke("start_conversation", &json!({ "agent": agent, "text": text, "mode": mode }));
        started.expect("the conversation starts")["id"].as_str().expect("an id").to_owned()
    }

    /// What can be decided about a request: its digest, as its detail shows it.
    pub fn digest(&self, request: &str) -> String {
        let detail = self.invoke("detail", &json!({ "id": request })).expect("its detail");
        detail["state"]["digest"].as_str().unwrap_or_else(|| panic!("it isn't open: {detail}")).to_owned()
    }

    /// Every decision of history, newest first, as the list shows it.
    pub fn history(&self) -> Vec<String> {
        let rows = self.script(
            "return [...document.querySelectorAll('[data-testid=history-row]')].map((row) =>
                [...row.children].slice(2, 6).map((cell) => cell.innerText.trim()).join(' | '))",
        );
        let rows = rows.as_array().cloned().unwrap_or_default();
        rows.iter().filter_map(|row| row.as_str().map(str::to_owned)).collect()
    }

    /// The window's id on the screen, while it is visible.
    pub fn window(&self) -> String {
        let found = self.run("xdotool", "xdotool", &["search", "--onlyvisible", "--name", "^Countersign$"]);
        let mut windows = found.lines();
        let window = windows.next().expect("the window is on the screen").to_owned();
        assert_eq!(windows.next(), None, "there is one of it");
        window
    }

    /// Makes the window so large, in pixels.
    pub fn resize(&self, width: u32, height: u32) {
        let window = self.window();
        self.hands(&["windowsize", &window, &width.to_string(), &height.to_string()]);
        self.until(&format!("the window is {width} × {height}"), || {
            self.script("return [innerWidth, innerHeight]") == json!([width, height])
        });
    }

    /// A program that presses and moves as hands do.
    pub fn hands(&self, what: &[&str]) {
        self.run("xdotool", "xdotool", what);
    }
}
