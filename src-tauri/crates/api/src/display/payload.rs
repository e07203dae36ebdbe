//! The payload of a request in the form that suits it, and the words of its row. Both come from the stored bytes.

use countersign_core::fetch::HTTP_FETCH;
use countersign_core::parse::{Fault, Tree, arguments as parse};
use countersign_core::request::{Precondition, RequestKind};
use countersign_core::tool::{ASK_USER, EXIT_PLAN_MODE};

use super::address::Address;
use super::facts::{Content, before_content, folder, scalar};
use super::long::{Cut as _, Whole};
use super::text::fragments::Fragments;
use super::text::{one_line, path, safe, words};
use super::tree::Rows;
use super::{command, diff, markdown, text};
use crate::wire::inbox::RowGroup;
use crate::wire::payload::{Payload, PlanChange, Unlocks};
use crate::wire::text::Shown;
use crate::words::say;

/// The length of a row's target.
const TARGET_WIDTH: usize = 40;
/// The length of a tool's name.
const NAME_WIDTH: usize = 48;

/// A payload as it crosses, and what of it is kept for whoever reads on.
#[derive(Debug)]
pub(crate) struct Displayed {
    pub(crate) payload: Payload,
    pub(crate) main: Option<Whole>,
    pub(crate) since: Option<Whole>,
}

impl Displayed {
    /// One that crosses whole.
    pub(crate) fn short(payload: Payload) -> Self {
        Self { payload, main: None, since: None }
    }
}

/// What a payload is made of, all of it stored and never changed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stored<'a> {
    pub(crate) kind: RequestKind,
    pub(crate) tool: &'a str,
    pub(crate) arguments: &'a str,
    /// The schema of a question.
    pub(crate) schema: Option<&'a str>,
    pub(crate) preconditions: &'a [Precondition],
    /// The file's content at ask time, where it is at hand.
    pub(crate) before: Option<&'a str>,
    /// The arguments of the plan that was sent back before this one.
    pub(crate) plan_before: Option<&'a str>,
}

/// What would run. `tree` are the arguments as they were read. What a plan unlocks is for the caller to say.
pub(crate) fn of(stored: Stored<'_>, tree: Result<&Tree, &Fault>) -> Displayed {
    match stored.kind {
        RequestKind::Input => super::question::of(stored.schema.unwrap_or_default(), stored.tool, stored.arguments),
        RequestKind::Plan => plan(stored.arguments, stored.plan_before),
        RequestKind::Call => match tree {
            Ok(tree) => of_call(stored.tool, tree, stored.preconditions, stored.before),
            Err(fault) => Displayed::short(Payload::Unreadable { why: fault_words(fault) }),
        },
    }
}

fn plan(arguments: &str, before: Option<&str>) -> Displayed {
    let text = plan_text(arguments);
    let (blocks, rest) = markdown::split(&text);
    let rest = Fragments::of(rest.into());
    let since = before.map(plan_text).filter(|before| *before != text).map(|before| diff::lines(&before, &text));
    let change =
        since.as_ref().map(|lines| PlanChange { added: lines.added, removed: lines.removed, lines: lines.long() });
    let outline = markdown::outline_of(&blocks);
    let payload = Payload::Plan { blocks, rest: rest.long(), outline, unlocks: Unlocks::default(), since: change };
    Displayed { payload, main: Some(Whole::Text(rest)), since: since.map(Whole::Lines) }
}

/// The words of a row: what is done, to what, and which filter it belongs to.
pub fn row(tool: &str, arguments: &str, preconditions: &[Precondition]) -> (Shown, Shown, RowGroup) {
    if tool == ASK_USER {
        let tree = parse(arguments).ok();
        let question = tree.as_ref().and_then(|tree| tree.get("question")).and_then(Tree::as_text);
        let target = question.map_or_else(Shown::new, |question| say().quoted(one_line(question, TARGET_WIDTH)));
        return (words(say().asks_for_input()), target, RowGroup::Other);
    }
    if tool == EXIT_PLAN_MODE {
        let plan = plan_text(arguments);
        let verb = match markdown::steps(&plan) {
            Some(steps) => say().plan_steps(steps.into()),
            None => say().plan_words(markdown::words(&plan).into()),
        };
        return (words(verb), markdown::title(&plan).unwrap_or_default(), RowGroup::Plans);
    }
    let tree = parse(arguments).ok();
    let text = |key: &str| tree.as_ref().and_then(|tree| tree.get(key)).and_then(Tree::as_text);
    if let Some(address) = tree.as_ref().and_then(|tree| address(tool, tree)) {
        return (words(say().fetch()), address.target(TARGET_WIDTH), RowGroup::Other);
    }
    let file = |verb: String| (words(verb), path(text("path").unwrap_or_default(), TARGET_WIDTH), RowGroup::Files);
    match (tool, text("path"), text("command")) {
        ("run_command", _, Some(command)) => {
            (words(say().run_command()), one_line(command, TARGET_WIDTH), RowGroup::Commands)
        }
        ("edit_file", Some(_), _) => file(say().edit_file()),
        ("write_file", Some(_), _) => file(match before_content(preconditions, None) {
            Content::Absent => say().create_file(),
            Content::Known | Content::Unreadable | Content::Unknown => say().write_file(),
        }),
        ("read_file", Some(_), _) => file(say().read_file()),
        ("list_files", folder, _) => {
            (words(say().list_files()), path(folder.unwrap_or("."), TARGET_WIDTH), RowGroup::Files)
        }
        ("search_files", _, _) => {
            (words(say().search_files()), first_argument(tree.as_ref(), arguments), RowGroup::Files)
        }
        _ => (say().call(one_line(tool, NAME_WIDTH)), first_argument(tree.as_ref(), arguments), RowGroup::Other),
    }
}

/// How many hidden characters a person is shown in the arguments of a call: in keys and values as they are used, not
/// as JSON writes them, where an escape would count for nothing.
pub(crate) fn hidden_count(arguments: &str, tree: Result<&Tree, &Fault>) -> u32 {
    match tree {
        Ok(tree) => hidden_in(tree),
        Err(_) => text::hidden_in(arguments),
    }
}

// INVARIANT: the strict reader bounds the depth, so this recursion does.
fn hidden_in(tree: &Tree) -> u32 {
    match tree {
        Tree::Null | Tree::Bool(_) | Tree::Number(_) => 0,
        Tree::Text(value) => text::hidden_in(value),
        Tree::List(items) => items.iter().map(hidden_in).fold(0, u32::saturating_add),
        Tree::Object(pairs) => pairs
            .iter()
            .map(|(key, value)| text::hidden_in(key).saturating_add(hidden_in(value)))
            .fold(0, u32::saturating_add),
    }
}

/// The text of a plan, from the arguments of the call that handed it in, or as it is.
pub fn plan_text(arguments: &str) -> String {
    let tree = parse(arguments).ok();
    match tree.as_ref().and_then(|tree| tree.get("plan")).and_then(Tree::as_text) {
        Some(plan) => plan.to_owned(),
        None => arguments.to_owned(),
    }
}

fn of_call(tool: &str, tree: &Tree, preconditions: &[Precondition], before: Option<&str>) -> Displayed {
    let text = |key: &str| tree.get(key).and_then(Tree::as_text);
    if let Some(address) = address(tool, tree) {
        let (host, rows) = address.payload(tree);
        let payload = Payload::Fetch { host, nodes: rows.long() };
        return Displayed { main: Some(Whole::Nodes(rows)), ..Displayed::short(payload) };
    }
    match (tool, text("path"), text("command")) {
        ("run_command", _, Some(command)) => {
            let folder = folder(preconditions);
            let (segments, analysable) = command::segments_in(command, folder);
            let payload = Payload::Command { segments: segments.long(), analysable, folder: safe(folder) };
            Displayed { main: Some(Whole::Segments(segments)), ..Displayed::short(payload) }
        }
        ("write_file", Some(path), _) => match (text("content"), before_content(preconditions, before), before) {
            (Some(content), Content::Absent, _) => {
                let lines = diff::created(content);
                let payload = Payload::Create { path: safe(path), lines: lines.long() };
                Displayed { main: Some(Whole::Lines(lines)), ..Displayed::short(payload) }
            }
            (Some(content), Content::Known | Content::Unreadable | Content::Unknown, before) => {
                change(path, before.unwrap_or_default(), content)
            }
            (None, _, _) => of_tree(tree),
        },
        ("edit_file", Some(path), _) => match (text("old_text"), text("new_text")) {
            (Some(old), Some(new)) => match before.and_then(|before| Some((before, replaced(before, old, new)?))) {
                Some((before, after)) => change(path, before, &after),
                None => change(path, old, new),
            },
            (Some(_) | None, _) => of_tree(tree),
        },
        _ => of_tree(tree),
    }
}

fn of_tree(tree: &Tree) -> Displayed {
    let rows = Rows::of(tree.clone());
    let payload = Payload::Tree { nodes: rows.long() };
    Displayed { main: Some(Whole::Nodes(rows)), ..Displayed::short(payload) }
}

/// The address that a call fetches.
fn address(tool: &str, arguments: &Tree) -> Option<Address> {
    (tool == HTTP_FETCH).then(|| Address::of(arguments)).flatten()
}

fn change(path: &str, before: &str, after: &str) -> Displayed {
    let lines = diff::lines(before, after);
    let (added, removed) = (lines.added, lines.removed);
    let payload = Payload::Diff { path: safe(path), added, removed, lines: lines.long() };
    Displayed { main: Some(Whole::Lines(lines)), ..Displayed::short(payload) }
}

/// The text after an edit; none if what is to be replaced doesn't stand there exactly once.
fn replaced(before: &str, old: &str, new: &str) -> Option<String> {
    let mut places = before.match_indices(old);
    let (at, _) = places.next().filter(|_| !old.is_empty())?;
    if places.next().is_some() {
        return None;
    }
    let (head, tail) = (before.get(..at)?, before.get(at + old.len()..)?);
    Some(format!("{head}{new}{tail}"))
}

fn first_argument(tree: Option<&Tree>, arguments: &str) -> Shown {
    let Some(Tree::Object(pairs)) = tree else {
        return one_line(arguments, TARGET_WIDTH);
    };
    let is_scalar = |value: &Tree| matches!(value, Tree::Text(_) | Tree::Number(_) | Tree::Bool(_));
    match pairs.iter().find(|(_, value)| is_scalar(value)) {
        Some((key, value)) => one_line(&format!("{key} {}", scalar(value)), TARGET_WIDTH),
        None => Shown::new(),
    }
}

/// Why a text isn't arguments, with the key that it may name made safe.
fn fault_words(fault: &Fault) -> String {
    text::plain(&safe(&say().arguments_fault(fault)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display::text::{join, plain};
    use crate::wire::payload::{DiffLine, Segment};

    fn payload(
        kind: RequestKind,
        tool: &str,
        arguments: &str,
        given: &[Precondition],
        before: Option<&str>,
    ) -> Payload {
        let stored = Stored { kind, tool, arguments, schema: None, preconditions: given, before, plan_before: None };
        of(stored, parse(arguments).as_ref()).payload
    }

    fn call(tool: &str, arguments: &str, before: Option<&str>) -> Payload {
        let folder = [Precondition::Folder { path: "/work/shop".to_owned() }];
        payload(RequestKind::Call, tool, arguments, &folder, before)
    }

    #[test]
    fn rows_are_named_by_the_app() {
        let absent = [Precondition::File { path: "a".to_owned(), content: None }];
        for (tool, arguments, expected) in [
            ("run_command", r#"{"command":"npm test\nls"}"#, ("Run a command", "npm test⟨⏎⟩ls", RowGroup::Commands)),
            (
                "edit_file",
                r#"{"path":"src/a.rs","old_text":"","new_text":""}"#,
                ("Edit a file", "src/a.rs", RowGroup::Files),
            ),
            ("write_file", r#"{"path":"a","content":""}"#, ("Create a file", "a", RowGroup::Files)),
            ("read_file", r#"{"path":"a"}"#, ("Read a file", "a", RowGroup::Files)),
            ("list_files", "{}", ("List files", ".", RowGroup::Files)),
            ("search_files", r#"{"pattern":"x"}"#, ("Search files", "pattern x", RowGroup::Files)),
            ("http_fetch", r#"{"url":"https://a.test/b?c=d"}"#, ("Fetch", "a.test/b", RowGroup::Other)),
            (
                "close\u{202E}",
                r#"{"note":{"a":1},"id":1234}"#,
                ("Call close⟨U+202E right-to-left override⟩", "id 1234", RowGroup::Other),
            ),
            ("x", "not json", ("Call x", "not json", RowGroup::Other)),
            (EXIT_PLAN_MODE, r##"{"plan":"# Go\n1. a\n2. b"}"##, ("Plan: 2 steps", "Go", RowGroup::Plans)),
            (EXIT_PLAN_MODE, r#"{"plan":"just do it"}"#, ("Plan: 3 words", "just do it", RowGroup::Plans)),
        ] {
            let (verb, target, group) = row(tool, arguments, &absent);
            assert_eq!((plain(&verb).as_str(), plain(&target).as_str(), group), expected, "{tool} {arguments}");
        }
    }

    #[test]
    fn payloads_take_the_form_that_suits_them() {
        let Payload::Command { segments, analysable: true, folder } =
            call("run_command", r#"{"command":"ls && ls /work/shop"}"#, None)
        else {
            panic!("a command is drawn as one")
        };
        assert_eq!((segments.head.len(), plain(&folder).as_str()), (2, "/work/shop"));
        assert!(!segments.head.iter().any(|segment: &Segment| segment.high_risk));

        let edit = r#"{"path":"a","old_text":"two","new_text":"2"}"#;
        let Payload::Diff { added: 1, removed: 1, lines, .. } = call("edit_file", edit, Some("one\ntwo\n")) else {
            panic!("an edit is drawn in its file")
        };
        assert!(matches!(lines.head[1], DiffLine::Removed { old: 2, .. }), "with the lines of the file");
        assert!(matches!(call("edit_file", edit, None), Payload::Diff { added: 1, removed: 1, .. }));

        let write = r#"{"path":"a","content":"x"}"#;
        let absent = [Precondition::File { path: "a".to_owned(), content: None }];
        let created = payload(RequestKind::Call, "write_file", write, &absent, None);
        assert!(matches!(created, Payload::Create { .. }));
        assert!(matches!(call("write_file", write, Some("y")), Payload::Diff { .. }));
        assert!(matches!(call("write_file", r#"{"path":1}"#, None), Payload::Tree { .. }));
        assert!(matches!(call("ask", "{}", None), Payload::Tree { .. }));
        assert!(matches!(call(HTTP_FETCH, r#"{"url":"https://a.test/"}"#, None), Payload::Fetch { .. }));
        assert!(matches!(call(HTTP_FETCH, r#"{"url":"file:///a"}"#, None), Payload::Tree { .. }));
        assert!(matches!(call("ask", r#"{"a":1,"a":2}"#, None), Payload::Unreadable { .. }));

        let plan = payload(RequestKind::Plan, EXIT_PLAN_MODE, r##"{"plan":"# Go"}"##, &[], None);
        let Payload::Plan { outline, .. } = plan else { panic!("a plan is drawn as one") };
        assert_eq!(outline.len(), 1);
    }

    #[test]
    fn hidden_characters_count_as_they_are_used() {
        for (arguments, expected) in [
            (r#"{"command":"ls"}"#, 0),
            (r#"{"command":"a\u202eb","\u200b":["\u200b\u200b"]}"#, 4),
            (r#"{"content":"a\r\nb"}"#, 0),
            ("not json \u{202E}", 1),
        ] {
            assert_eq!(hidden_count(arguments, parse(arguments).as_ref()), expected, "{arguments}");
        }
    }

    /// Nothing panics and nothing hidden survives, whatever the arguments are.
    #[test]
    fn accept_11_surface_06_hostile_arguments_are_drawn() {
        for text in [
            "",
            r#"{"url":"https://a\u202e.test/\u202e"}"#,
            "\u{202E}",
            "{",
            "[]",
            "null",
            r#"{"path":"\u202e","command":"\u202e"}"#,
        ] {
            for tool in ["run_command", "write_file", "edit_file", "read_file", HTTP_FETCH, EXIT_PLAN_MODE, "other"] {
                for kind in [RequestKind::Call, RequestKind::Plan] {
                    let drawn = serde_json::to_string(&payload(kind, tool, text, &[], None)).unwrap();
                    let (verb, target, _) = row(tool, text, &[]);
                    assert!(
                        !drawn.contains('\u{202E}') && !plain(&join([verb, target])).contains('\u{202E}'),
                        "{tool} {text}"
                    );
                }
            }
        }
    }
}
