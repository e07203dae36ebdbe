//! The Rehearsal's script: what its agent says and calls. It goes by the view alone, so that it plays on in the right
//! place after a restart, after a rejection, and after something was passed by.

use std::time::Duration;

use countersign_core::input::ModelReply;
use countersign_core::tool::EXIT_PLAN_MODE;
use countersign_core::transcript::ViewItem;
use countersign_engine::ports::Prompt;

use crate::scripted::{Scripted, calls, says};

/// How long the script waits before each word.
const PACE: Duration = Duration::from_millis(25);

/// How many steps its long command has before the last one.
const COPIES: usize = 40;

/// The plan that the script hands in.
const PLAN: &str = "# Clean up the drafts\n\n\
    1. Read both files in `drafts` and see what is still needed.\n\
    2. Write `drafts/README.md` that says what each file is for.\n\
    3. Leave the letter as it is.\n\
    4. Say which files can be deleted, and delete nothing.\n";

/// The model of the Rehearsal.
pub fn model() -> Scripted {
    Scripted::by_view(play).with_pace(PACE)
}

/// The next turn: by how many lines the person has said, and how many turns with calls the model made since.
fn play(prompt: &Prompt) -> ModelReply {
    let said = prompt.messages.iter().filter(|item| matches!(item.as_ref(), ViewItem::User { .. })).count();
    let turns = prompt
        .messages
        .iter()
        .rev()
        .take_while(|item| !matches!(item.as_ref(), ViewItem::User { .. }))
        .filter(|item| matches!(item.as_ref(), ViewItem::Assistant { calls, .. } if !calls.is_empty()))
        .count();
    match said {
        1 => tidy(turns),
        2 => make_room(turns),
        3 => overview(turns),
        4 | 5 => list(said, turns),
        6 => plan(prompt, turns),
        7 => delete(turns),
        8 => says("All right, I leave the drafts alone. Nothing was deleted."),
        _ => says("This is a rehearsal: I only know my lines. Connect a model to talk to a real agent."),
    }
}

fn tidy(turns: usize) -> ModelReply {
    match turns {
        0 => calls("I look at the list first.", &[("look", "read_file", r#"{"path":"notes/todo.md"}"#)]),
        1 => calls(
            "I tick off the printer and count the notes.",
            &[
                (
                    "tick",
                    "edit_file",
                    r#"{"path":"notes/todo.md","old_text":"- [ ] call the printer","new_text":"- [x] call the printer"}"#,
                ),
                ("count", "run_command", r#"{"command":"wc -l notes/*.md"}"#),
            ],
        ),
        _ => says("The list is up to date."),
    }
}

/// A command that is longer than any window, and dangerous only at its end.
fn make_room(turns: usize) -> ModelReply {
    if turns > 0 {
        return says("Understood, I leave everything where it is.");
    }
    let copies: Vec<String> = (1..=COPIES).map(|n| format!("cp notes/meeting.md room/meeting-{n:02}.md")).collect();
    let command = format!("mkdir -p room && {} && rm -rf notes drafts", copies.join(" && "));
    let arguments = serde_json::json!({ "command": command }).to_string();
    calls("I put everything in one place.", &[("room", "run_command", &arguments)])
}

/// A path that reads otherwise than it is written.
fn overview(turns: usize) -> ModelReply {
    if turns > 0 {
        return says("Then there is no overview for now.");
    }
    let path = "notes/over\u{202e}dm.weiv";
    let content = "# Notes\n\n- todo.md: what is open\n- meeting.md: what was decided\n";
    let arguments = serde_json::json!({ "path": path, "content": content }).to_string();
    calls("I write a short overview of the folder.", &[("overview", "write_file", &arguments)])
}

fn list(said: usize, turns: usize) -> ModelReply {
    let look = |words: &str, id: &str| calls(words, &[(id, "run_command", r#"{"command":"ls -l notes"}"#)]);
    match (said, turns) {
        (4, 0) => look("I check what the folder holds.", "list"),
        (4, 1) => look("And again, to be sure.", "again"),
        (5, 0) => look("Once more.", "once-more"),
        _ => says("It holds the list and the meeting."),
    }
}

fn plan(prompt: &Prompt, turns: usize) -> ModelReply {
    let planning = prompt.tools.iter().any(|tool| tool.identity.name == EXIT_PLAN_MODE);
    if planning {
        if turns == 0 {
            return calls("I look before I plan.", &[("drafts", "list_files", r#"{"path":"drafts"}"#)]);
        }
        let arguments = serde_json::json!({ "plan": PLAN }).to_string();
        return calls("This is what I would do.", &[("plan", EXIT_PLAN_MODE, &arguments)]);
    }
    let written = prompt.messages.iter().any(|item| {
        matches!(item.as_ref(), ViewItem::Assistant { calls, .. } if calls.iter().any(|call| call.provider_id == "readme"))
    });
    if written {
        return says("Done as planned. `old-idea.md` can be deleted; I deleted nothing.");
    }
    calls(
        "I carry the plan out.",
        &[
            ("letter", "read_file", r#"{"path":"drafts/letter.md"}"#),
            (
                "readme",
                "write_file",
                r##"{"path":"drafts/README.md","content":"# Drafts\n\n- letter.md: not finished\n- old-idea.md: not needed\n"}"##,
            ),
        ],
    )
}

fn delete(turns: usize) -> ModelReply {
    match turns {
        0 => calls("I delete the old draft.", &[("delete", "run_command", r#"{"command":"rm drafts/old-idea.md"}"#)]),
        _ => says("Understood."),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn user(text: &str) -> Arc<ViewItem> {
        Arc::new(ViewItem::User { text: text.to_owned() })
    }

    #[test]
    fn every_line_of_the_script_is_readable_arguments() {
        for said in 1..=8 {
            for turns in 0..5 {
                let mut messages: Vec<Arc<ViewItem>> = (0..said).map(|_| user("go on")).collect();
                for turn in 0..turns {
                    let call = countersign_core::transcript::ViewCall {
                        provider_id: format!("c{turn}"),
                        position: 0,
                        name: "read_file".to_owned(),
                        arguments: "{}".to_owned(),
                    };
                    let text = String::new();
                    messages.push(Arc::new(ViewItem::Assistant { text, raw: None, calls: vec![call], dropped: 0 }));
                }
                let reply = play(&Prompt { system: String::new(), messages, tools: Vec::new() });
                for call in reply.calls {
                    countersign_core::parse::arguments(&call.arguments).unwrap();
                }
            }
        }
    }
}
