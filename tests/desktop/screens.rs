//! Every screen of the real window with something real on it: nothing sticks out, and `./dev shots` pictures it.

use std::path::PathBuf;

use countersign_tests::desktop::{Desktop, Model, TestFolder, Turn, id};
use serde_json::{Value, json};

const RULES: &str = "\
# Which tickets are closed without a person.

[queue]
name = \"inbound\"
language = [\"en\", \"de\"]

[[rule]]
match = \"spam\"
close = \"always\"

[[rule]]
match = \"duplicate\"
close = \"ask\"

[limits]
per_day = 200
";
const OLD: &str = "match = \"duplicate\"\nclose = \"ask\"\n\n[limits]\n";
const NEW: &str =
    "match = \"duplicate\"\nclose = \"always\"\nkeep = [\"security\"]\n\n[limits]\nper_run = 25\ndry_run = false\n";
const PUSH: &str = "git add -A && git commit -m \"close duplicates of 1201\" && git push origin HEAD --force && \
                    rm -rf build                                      ../exports";
const PLAN: &str = "# Prepare the 2.4 release\n\n\
    1. Read the merged pull requests since `v2.3.1` and group them by area.\n\
    2. Write `CHANGELOG.md` for 2.4, one line a change.\n\
    3. Bump the version in `Cargo.toml` and the docs.\n\
    4. Run the test suite; stop and report if anything fails.\n\
    5. Draft the announcement in `news/2.4.md`.\n\
    6. Open a pull request with all of it.\n";

/// What a working day leaves behind: three agents, each with its model, folder and conversation.
struct Day {
    desktop: Desktop,
    triage: String,
    // They answer as long as the pictures are taken.
    _models: Vec<Model>,
}

fn workspace(folder: &TestFolder, name: &str) -> PathBuf {
    let place = folder.path().join("home/work").join(name);
    std::fs::create_dir_all(&place).unwrap();
    place
}

fn run(command: &str) -> (&'static str, Value) {
    ("run_command", json!({ "command": command }))
}

fn turn(text: &str, calls: &[(&str, Value)]) -> Turn {
    calls.iter().fold(Turn::says(text), |turn, (tool, arguments)| turn.calls(tool, arguments.clone()))
}

/// Decides what waits of a conversation, in the order of its rows.
fn answer(desktop: &Desktop, conversation: &str, words: &str, decision: &Value) {
    let row = desktop.wait_for_row(words);
    let digest = desktop.digest(&row.id);
    let answers = json!([{ "request": row.id, "digest": digest, "decision": decision }]);
    let send = json!({ "conversation": conversation, "answers": answers, "text": null, "mode": null, "passes_by": [] });
    desktop.invoke("send", &json!({ "send": send })).unwrap();
    desktop.wait_until_gone(&id(&format!("row-{}", row.id)));
}

fn start(desktop: &Desktop, agent: &str, title: &str, text: &str, mode: &str) -> String {
    let conversation = desktop.converse(agent, text, mode);
    desktop.invoke("rename", &json!({ "conversation": conversation, "title": title })).unwrap();
    conversation
}

fn a_day(folder: &TestFolder) -> Day {
    let helpdesk = workspace(folder, "helpdesk");
    std::fs::create_dir(helpdesk.join("triage")).unwrap();
    std::fs::write(helpdesk.join("triage/rules.toml"), RULES).unwrap();
    let product = workspace(folder, "product");
    std::fs::write(product.join("CHANGELOG.md"), "# 2.3.1\n\n- Keep the order of labels.\n").unwrap();
    let site = workspace(folder, "site");
    std::fs::write(site.join("report.txt"), "214 passed\n0 failed\n").unwrap();

    let triage = Model::serve([
        turn("I look at the rules first.", &[("read_file", json!({ "path": "triage/rules.toml" }))]),
        turn("How many rules are there?", &[run("grep -c rule triage/rules.toml")]),
        turn("And once more, to be sure.", &[run("grep -c rule triage/rules.toml")]),
        turn("I publish what I have.", &[run("git push --force")]),
        turn(
            "I keep a note of the two tickets.",
            &[("write_file", json!({ "path": "triage/notes.md", "content": "# Duplicates\n\n- 1234 repeats 1201\n" }))],
        ),
        turn(
            "Duplicates were always approved, so I made closing them the default and kept security tickets out.",
            &[run(PUSH), ("edit_file", json!({ "path": "triage/rules.toml", "old_text": OLD, "new_text": NEW }))],
        ),
    ]);
    let notes = Model::serve([
        turn("I look before I plan.", &[("read_file", json!({ "path": "CHANGELOG.md" }))]),
        turn(
            "This is what I would do.",
            &[("exit_plan_mode", json!({ "plan": PLAN.replace("the docs", "all docs") }))],
        ),
        turn("With the docs left out:", &[("exit_plan_mode", json!({ "plan": PLAN.replace(" and the docs", "") }))]),
    ]);
    let check = Model::serve([
        turn("I read the report of the night.", &[("read_file", json!({ "path": "report.txt" }))]),
        turn("I count what failed.", &[run("grep failed report.txt")]),
        Turn::says("Nothing failed.").held(),
    ]);

    let desktop = Desktop::start(folder);
    desktop.wait_for(&id("first-run"));
    desktop.wait_for(&id("start-rehearsal"));
    picture(&desktop, "first-run");
    let agents = [
        desktop.agent("Helpdesk", &triage, &helpdesk),
        desktop.agent("Release", &notes, &product),
        desktop.agent("Site", &check, &site),
    ];
    desktop.wait_for(&id("nav-inbox"));
    let first = start(&desktop, &agents[0], "Ticket triage", "Close what is a duplicate of 1201.", "default");
    let standing = json!({ "say": "approve_for_conversation", "reach": "exact", "any_command": false });
    answer(&desktop, &first, "grep -c rule", &standing);
    answer(
        &desktop,
        &first,
        "git push --force",
        &json!({ "say": "reject", "reason": "not --force; open a pull request" }),
    );
    answer(&desktop, &first, "triage/notes.md", &json!({ "say": "approve" }));
    desktop.wait_for_row("triage/rules.toml");
    let second = start(&desktop, &agents[1], "Release notes", "Prepare the next release.", "plan");
    let back = json!({ "say": "reject", "reason": "Leave the docs for the docs team." });
    answer(&desktop, &second, "Prepare the 2.4 release", &back);
    desktop.wait_for_row("Prepare the 2.4 release");
    start(&desktop, &agents[2], "Nightly check", "Compare the site with the baseline.", "auto");
    desktop.until("the night's model is asked a third time", || check.asked() == 3);
    Day { desktop, triage: first, _models: vec![triage, notes, check] }
}

/// Takes a picture of a screen that has come to rest, and of which nothing sticks out of the window.
fn picture(desktop: &Desktop, name: &str) {
    desktop.until("everything has come to rest", || {
        desktop.script("return document.getAnimations().every((one) => one.playState === 'finished')") == json!(true)
    });
    let beyond = desktop.script(
        "return [...document.querySelectorAll('button, h1, h2, p, pre, [data-testid]')]
            .filter((one) => !one.closest('.for-readers, [class*=for-readers]'))
            .map((one) => [one.getBoundingClientRect(), one])
            .filter(([box]) => box.width > 1 && (box.right > innerWidth + 1 || box.left < -1))
            .map(([, one]) => one.innerText)",
    );
    assert_eq!(beyond, json!([]), "{name}: nothing sticks out at the sides");
    let fonts = desktop.script("return [...document.fonts].some((font) => font.status === 'loaded')");
    assert_eq!(fonts, json!(true), "{name}: the app's own letters are used");
    desktop.shot(name);
}

fn in_theme(desktop: &Desktop, theme: &str) {
    let mut settings = desktop.invoke("snapshot", &json!({})).unwrap()["settings"].clone();
    settings["theme"] = json!(theme);
    desktop.invoke("save_settings", &json!({ "settings": settings })).unwrap();
    desktop.until("the window has changed", || {
        desktop.script("return document.documentElement.dataset.theme ?? 'system'") == json!(theme)
    });
}

#[test]
fn every_screen_with_something_on_it() {
    let folder = TestFolder::new();
    let day = a_day(&folder);
    let desktop = &day.desktop;
    let size = desktop.script("return [innerWidth, innerHeight]");
    assert_eq!(size, json!([1120, 720]), "the window opens at the size that the screens are drawn for");

    let command = desktop.wait_for_row("../exports");
    let edit = desktop.wait_for_row("triage/rules.toml");
    let plan = desktop.wait_for_row("Prepare the 2.4 release");
    assert_eq!(desktop.badge(), "3");
    desktop.go_to(&command);
    desktop.wait_for_text(&id("confined"), "onfined: ");
    for theme in ["light", "dark"] {
        in_theme(desktop, theme);
        for (row, shows, name) in
            [(&command, "--force", "inbox"), (&edit, "per_run", "edit"), (&plan, "Draft the announcement", "plan")]
        {
            desktop.go_to(row);
            desktop.wait_for_text(&id("detail"), shows);
            desktop.wait_until_armed(row);
            picture(desktop, &format!("{name}-{theme}"));
        }
    }

    in_theme(desktop, "light");
    desktop.keys("gc");
    desktop.click(&id(&format!("conversation-{}", day.triage)));
    desktop.wait_for_text(&id("transcript"), "kept security tickets out");
    picture(desktop, "conversation-light");
    desktop.keys("gh");
    desktop.until("History is there", || desktop.history().len() == 6);
    picture(desktop, "history-light");
    desktop.keys("gr");
    desktop.wait_for_text("main", "Ticket triage");
    picture(desktop, "rules-light");
    desktop.keys("gs");
    picture(desktop, "settings-light");
    desktop.click(&id("settings-agents"));
    desktop.wait_for(&id("agent-name"));
    picture(desktop, "agents-light");
    // What this machine offers is found out by trying; either way it is said.
    desktop.wait_for_text(&id("agent-hold"), "ommand");
    desktop.script("document.querySelector('[data-testid=agent-hold]').scrollIntoView()");
    picture(desktop, "confine-light");
    desktop.click(&id("settings-tools"));
    desktop.wait_for_text(&id("confining"), "This machine can");
    desktop.script("document.querySelector('[data-testid=confining]').scrollIntoView()");
    picture(desktop, "tools-light");
    desktop.click(&id("settings-agents"));
    desktop.wait_for(&id("agent-name"));
    in_theme(desktop, "dark");
    picture(desktop, "agents-dark");
}

/// An agent whose started agents ask three levels down, and one that goes on while another asks beside it.
fn a_crew(folder: &TestFolder) -> (Desktop, [String; 2], Vec<Model>) {
    let survey = workspace(folder, "survey");
    let task = |task: &str| json!({ "task": task });
    let text = "# Vendor B\n\n41 a seat, 50 seats at least.\n";
    let translates = Model::serve([turn(
        "This is the list in English.",
        &[("write_file", json!({ "path": "notes/vendor-b.md", "content": text }))],
    )]);
    let reads = Model::serve([turn(
        "The list of vendor B is in German.",
        &[("translator", task("Put the price list of vendor B into English."))],
    )]);
    let researches = Model::serve([turn(
        "I have the three lists.",
        &[("reader", task("Read the price lists in downloads/ and give the figures."))],
    )]);
    let compares = Model::serve([turn(
        "I let the researcher look, and compare when the figures are there.",
        &[("researcher", task("Find out what the three vendors charge for 50 seats."))],
    )]);
    let checks = Model::serve([turn("I follow them one by one.", &[run("npm run check-links")])]);
    let works = Model::serve([
        turn("The links can be checked beside me.", &[("link_checker", task("Follow every link of the new pages."))]),
        Turn::says("The images are done.").held(),
    ]);

    let desktop = Desktop::start(folder);
    desktop.wait_for(&id("first-run"));
    let starts = |agent: &str, tool: &str, beside: bool| {
        let told = "Give it one task with everything that it needs to know.";
        json!([{ "agent": agent, "tool": tool, "description": told, "beside": beside, "asks_first": false }])
    };
    let translator = desktop.agent("Translator", &translates, &survey);
    let reader = starts(&translator, "translator", false);
    let reader = desktop.agent_that_starts("Reader", &reads, &survey, &reader);
    let researcher = starts(&reader, "reader", false);
    let researcher = desktop.agent_that_starts("Researcher", &researches, &survey, &researcher);
    let analyst = starts(&researcher, "researcher", false);
    let analyst = desktop.agent_that_starts("Analyst", &compares, &survey, &analyst);
    let checker = desktop.agent("Link checker", &checks, &survey);
    let site = desktop.agent_that_starts("Site", &works, &survey, &starts(&checker, "link_checker", true));
    let first =
        start(&desktop, &analyst, "Price survey", "What would 50 seats cost with the three vendors?", "default");
    desktop.wait_for_row("notes/vendor-b.md");
    let second = start(&desktop, &site, "Site launch", "Get the site ready for the launch.", "default");
    desktop.wait_for_row("npm run check-links");
    (desktop, [first, second], vec![translates, reads, researches, compares, checks, works])
}

#[test]
fn what_started_agents_ask_and_do() {
    let folder = TestFolder::new();
    let (desktop, [survey, launch], _models) = a_crew(&folder);
    let desktop = &desktop;
    let deep = desktop.wait_for_row("notes/vendor-b.md");
    assert!(deep.text.contains("1 agent"), "the middle of the way is a number: {deep:?}");
    for theme in ["light", "dark"] {
        in_theme(desktop, theme);
        desktop.keys("gi");
        desktop.go_to(&deep);
        desktop.wait_for_text("[data-testid=detail] h1", "translator");
        desktop.click(&id("path-chip"));
        desktop.wait_for_text(&id("path-list"), "Read the price lists");
        desktop.wait_until_armed(&deep);
        picture(desktop, &format!("agents-path-{theme}"));
        desktop.until("the field of the note is open", || {
            if !desktop.has(&id("note")) {
                if !desktop.has(&id("approve-note")) {
                    desktop.click(&id("approve-menu"));
                }
                desktop.click(&id("approve-note"));
            }
            desktop.has(&id("note"))
        });
        desktop.fill(&id("note"), "The list is public.");
        picture(desktop, &format!("agents-note-{theme}"));
        desktop.script("document.activeElement.blur()");
        desktop.keys("gc");
        desktop.click(&id(&format!("conversation-{survey}")));
        desktop.wait_for_text(&id("transcript"), "vendor-b.md");
        picture(desktop, &format!("agents-nested-{theme}"));
        desktop.click(&id(&format!("conversation-{launch}")));
        desktop.wait_for_text(&id("beside"), "waits for you");
        picture(desktop, &format!("agents-beside-{theme}"));
        desktop.keys("gs");
        desktop.click(&id("settings-agents"));
        desktop.wait_for(&id("sub-agents"));
        desktop.script(
            "[...document.querySelectorAll('main li button')].find((one) => one.innerText.startsWith('Analyst')).click()",
        );
        desktop.wait_for(&id("sub-agent-0"));
        desktop.script("document.querySelector('[data-testid=sub-agents]').scrollIntoView()");
        picture(desktop, &format!("agents-start-{theme}"));
    }
}
