//! Looking at files and writing them.

use std::os::unix::fs::PermissionsExt as _;

use countersign_core::agent::ToolSet;
use countersign_core::change::Left;
use countersign_core::digest::content_hash;
use countersign_core::ids::AgentId;
use countersign_core::input::OutcomeKind;
use countersign_core::request::Precondition;
use countersign_core::tool::Origin;
use countersign_engine::ports::{Asks, ToRun, Toolbox as _, Whole};
use countersign_tools::toolbox::WorkspaceTools;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::{BOTH, Bench, helper};

fn file(path: &str, content: Option<&str>) -> Vec<Precondition> {
    vec![Precondition::File { path: path.to_owned(), content: content.map(|content| content_hash(content.as_bytes())) }]
}

#[tokio::test]
async fn folders_are_listed_and_files_are_read_and_searched() {
    for opening in BOTH {
        let bench = Bench::new(opening);
        bench.put("src/main.rs", "fn main() {}\n// main\n");
        bench.put("src/deep/er/x.txt", "main\r\nno\n");
        bench.put("image", b"main\0");
        bench.put(".git/config", "main");
        let list = bench.call("list_files", json!({})).await.text;
        assert_eq!(list, ".git/\nimage\nsrc/\nsrc/deep/\nsrc/main.rs\n");
        let deep = bench.call("list_files", json!({ "path": "src", "depth": 8 })).await.text;
        assert_eq!(deep, "deep/\ndeep/er/\ndeep/er/x.txt\nmain.rs\n");
        let absolute = bench.work.join("src/main.rs");
        let read = bench.call("read_file", json!({ "path": absolute, "offset": 2 })).await.text;
        assert_eq!(read, "// main\n");
        let found = bench.call("search_files", json!({ "pattern": "^.*main$" })).await.text;
        assert_eq!(found, "src/main.rs:2: // main\n");
        let found =
            bench.call("search_files", json!({ "pattern": "main", "include": ".txt", "path": "src" })).await.text;
        assert_eq!(found, "src/deep/er/x.txt:1: main\n");
        let found = bench.call("search_files", json!({ "pattern": "fn", "path": "src/main.rs" })).await.text;
        assert_eq!(found, "src/main.rs:1: fn main() {}\n");
    }
}

#[tokio::test]
async fn a_pattern_that_cannot_be_used_is_refused_before_it_runs() {
    let bench = Bench::new(BOTH[0]);
    for (pattern, words) in
        [("(", "can't be read: unclosed group"), ("a(?=b)", "look-around"), ("(\\w{500}){500}", "too large")]
    {
        let fault = bench.prepare("search_files", &json!({ "pattern": pattern })).await.fault.unwrap();
        assert!(fault.contains(words), "{fault}");
    }
}

#[tokio::test]
async fn many_hits_and_long_lines_are_cut_and_said_to_be() {
    let bench = Bench::new(BOTH[0]);
    bench.put("many", "hit\n".repeat(500));
    let found = bench.call("search_files", json!({ "pattern": "hit" })).await.text;
    assert_eq!(found.matches("many:").count(), 200);
    assert!(found.ends_with("[ended early: 200 lines match; there may be more]\n"), "{found}");
    bench.put("many", "x".repeat(5000));
    let found = bench.call("search_files", json!({ "pattern": "x" })).await.text;
    assert!(found.len() < 400 && found.trim_end().ends_with(" …"), "{found}");
    for index in 0..2100 {
        bench.put(&format!("d/{index}"), "");
    }
    let list = bench.call("list_files", json!({ "path": "d" })).await.text;
    assert!(list.ends_with("[cut after 2000 names; list a folder below, or fewer levels]\n"));
}

/// D-85.
#[tokio::test]
async fn what_is_true_at_ask_time_is_taken_down() {
    for opening in BOTH {
        let bench = Bench::new(opening);
        bench.put("a/file", "old");
        bench.put("bytes", b"\xff");
        bench.put("big", "x".repeat(1024 * 1024 + 1));
        let write = async |path: &str| bench.prepare("write_file", &json!({ "path": path, "content": "new" })).await;
        let existing = write("./a//file").await;
        assert_eq!((existing.preconditions, existing.before), (file("a/file", Some("old")), Some("old".to_owned())));
        let absent = write("x/y/z").await;
        assert_eq!((absent.preconditions, absent.before), (file("x/y/z", None), None));
        assert_eq!(write("bytes").await.before, None);
        assert_eq!(write("big").await.before, None);
        let command = bench.prepare("run_command", &json!({ "command": "true" })).await;
        let folder = Precondition::Folder { path: bench.work.to_string_lossy().into_owned() };
        assert_eq!(command.preconditions.first(), Some(&folder), "the rest is looked at with confinement");
        assert!(!bench.work.join("x").exists(), "looking makes nothing");
    }
}

#[tokio::test]
async fn files_are_made_replaced_and_edited() {
    for opening in BOTH {
        let bench = Bench::new(opening);
        let made = bench.call("write_file", json!({ "path": "a/b/file", "content": "one\ntwo\n" })).await;
        assert_eq!((made.kind, made.text.as_str()), (OutcomeKind::Succeeded, "made `a/b/file` with 8 bytes"));
        std::fs::set_permissions(bench.work.join("a/b/file"), std::fs::Permissions::from_mode(0o751)).unwrap();
        let edited = bench.call("edit_file", json!({ "path": "a/b/file", "old_text": "two", "new_text": "2" })).await;
        assert_eq!((edited.kind, edited.text.as_str()), (OutcomeKind::Succeeded, "edited `a/b/file` at line 2"));
        let left = Left { path: "a/b/file".to_owned(), content: content_hash(b"one\n2\n") };
        assert_eq!(edited.left, Some(left));
        let wrote = bench.call("write_file", json!({ "path": "a/b/file", "content": "" })).await;
        assert_eq!(wrote.text, "wrote `a/b/file` with 0 bytes");
        assert_eq!(bench.content("a/b/file"), "");
        let mode = std::fs::metadata(bench.work.join("a/b/file")).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o751, "the mode is kept");
        assert_eq!(bench.names(), ["outside", "outside/secret", "work", "work/a", "work/a/b", "work/a/b/file"]);
    }
}

#[tokio::test]
async fn an_edit_must_match_exactly_once() {
    let bench = Bench::new(BOTH[0]);
    bench.put("f", "aaa b\r\nc\r\n");
    bench.put("bytes", b"\xff");
    for (path, old, words) in [
        ("f", "x", "`old_text` doesn't stand in `f`"),
        ("f", "aa", "more than once"),
        ("f", "b\nc", "its lines end in \\r\\n"),
        ("none", "x", "`none` doesn't exist"),
        ("bytes", "x", "is not UTF-8 text"),
    ] {
        let fault = bench.prepare("edit_file", &json!({ "path": path, "old_text": old, "new_text": "y" })).await.fault;
        assert!(fault.as_ref().is_some_and(|fault| fault.contains(words)), "{path} {old}: {fault:?}");
    }
    assert_eq!(bench.content("f"), "aaa b\r\nc\r\n");
}

/// D-85: executed only if what was true at ask time still is.
#[tokio::test]
async fn a_file_that_changed_since_it_was_asked_is_left_alone() {
    for opening in BOTH {
        for (name, before, after) in [
            ("changed", Some("old text"), Some("old text, changed")),
            ("removed", Some("old text"), None),
            ("appeared", None, Some("old text")),
        ] {
            for tool in ["write_file", "edit_file"] {
                if tool == "edit_file" && before.is_none() {
                    continue;
                }
                let bench = Bench::new(opening);
                if let Some(content) = before {
                    bench.put("d/f", content);
                }
                let arguments = match tool {
                    "write_file" => json!({ "path": "d/f", "content": "new" }),
                    _ => json!({ "path": "d/f", "old_text": "old", "new_text": "new" }),
                };
                let prepared = bench.prepare(tool, &arguments).await;
                assert_eq!(prepared.fault, None);
                match after {
                    Some(content) => bench.put("d/f", content),
                    None => std::fs::remove_file(bench.work.join("d/f")).unwrap(),
                }
                let outcome = bench.run(tool, &arguments, prepared.preconditions, None).await;
                assert_eq!(outcome.kind, OutcomeKind::ChangedSinceAsked, "{name} {tool}: {}", outcome.text);
                assert_eq!(outcome.text, "`d/f` changed since you asked, so nothing was done; read it again");
                assert_eq!(std::fs::read_to_string(bench.work.join("d/f")).ok().as_deref(), after, "{name} {tool}");
            }
        }
    }
}

/// D-98.
#[tokio::test]
async fn what_the_batch_itself_left_is_accepted() {
    let bench = Bench::new(BOTH[0]);
    bench.put("f", "one two");
    let first = json!({ "path": "f", "old_text": "one", "new_text": "1" });
    let second = json!({ "path": "./f", "old_text": "two", "new_text": "2" });
    let (asked_first, asked_second) =
        (bench.prepare("edit_file", &first).await, bench.prepare("edit_file", &second).await);
    let left = bench.run("edit_file", &first, asked_first.preconditions, None).await.left;
    assert!(left.is_some());
    let elsewhere = left.clone().map(|left| Left { path: "g".to_owned(), ..left });
    for also in [None, elsewhere] {
        let outcome = bench.run("edit_file", &second, asked_second.preconditions.clone(), also).await;
        assert_eq!(outcome.kind, OutcomeKind::ChangedSinceAsked);
    }
    let outcome = bench.run("edit_file", &second, asked_second.preconditions.clone(), left.clone()).await;
    assert_eq!(outcome.kind, OutcomeKind::Succeeded, "{}", outcome.text);
    assert_eq!(bench.content("f"), "1 2");
    let again = bench.run("edit_file", &second, asked_second.preconditions, outcome.left).await;
    assert_eq!(again.kind, OutcomeKind::Failed, "an edit must still match exactly once");
}

#[tokio::test]
async fn a_write_without_its_precondition_is_not_done() {
    let bench = Bench::new(BOTH[0]);
    let outcome = bench.run("write_file", &json!({ "path": "f", "content": "x" }), vec![], None).await;
    assert_eq!(outcome.kind, OutcomeKind::Failed);
    assert!(!bench.work.join("f").exists());
    let outcome = bench.run("run_command", &json!({ "command": "touch f" }), vec![], None).await;
    assert_eq!(outcome.kind, OutcomeKind::ChangedSinceAsked);
    assert!(!bench.work.join("f").exists());
}

#[tokio::test]
async fn a_stopped_write_changes_nothing() {
    let bench = Bench::new(BOTH[0]);
    bench.put("f", "old");
    let stop = CancellationToken::new();
    stop.cancel();
    for tool in ["write_file", "search_files", "list_files"] {
        let arguments = match tool {
            "write_file" => json!({ "path": "f", "content": "new" }),
            "search_files" => json!({ "pattern": "x" }),
            _ => json!({}),
        };
        let preconditions = bench.prepare(tool, &arguments).await.preconditions;
        let call = ToRun {
            tool: tool.to_owned(),
            identity: None,
            arguments: arguments.to_string(),
            preconditions,
            also: None,
            asks: Asks::nobody(),
            whole: Whole::default(),
        };
        assert_eq!(bench.tools.run(call, stop.clone()).await.kind, OutcomeKind::Stopped, "{tool}");
    }
    assert_eq!(bench.content("f"), "old");
    assert_eq!(bench.names(), ["outside", "outside/secret", "work", "work/f"]);
}

#[tokio::test]
async fn a_vanished_folder_is_said_to_be_gone() {
    for opening in BOTH {
        let bench = Bench::new(opening);
        std::fs::rename(&bench.work, bench.home.join("elsewhere")).unwrap();
        for (tool, arguments) in [
            ("read_file", json!({ "path": "f" })),
            ("list_files", json!({})),
            ("write_file", json!({ "path": "f", "content": "x" })),
            ("run_command", json!({ "command": "true" })),
        ] {
            let fault = bench.prepare(tool, &arguments).await.fault.unwrap();
            assert!(fault.contains("was moved or removed"), "{tool}: {fault}");
        }
    }
}

#[tokio::test]
async fn only_the_chosen_tools_are_there() {
    let bench = Bench::new(BOTH[0]);
    let chosen = ToolSet::Only { names: vec!["read_file".to_owned(), "rm_rf".to_owned()] };
    let tools = WorkspaceTools::new(AgentId([7; 16]), &bench.work, vec![], chosen, helper()).unwrap();
    let [tool] = &tools.tools()[..] else { panic!("one tool was chosen that there is") };
    let origin = Origin::BuiltIn { agent: AgentId([7; 16]), root: bench.work.to_string_lossy().into_owned() };
    assert_eq!((&tool.identity.origin, tool.identity.name.as_str()), (&origin, "read_file"));
    let call = ToRun {
        tool: "write_file".to_owned(),
        identity: None,
        arguments: json!({ "path": "f", "content": "x" }).to_string(),
        preconditions: file("f", None),
        also: None,
        asks: Asks::nobody(),
        whole: Whole::default(),
    };
    let outcome = tools.run(call, CancellationToken::new()).await;
    assert_eq!((outcome.kind, outcome.text.as_str()), (OutcomeKind::Failed, "there is no tool `write_file`"));
}
