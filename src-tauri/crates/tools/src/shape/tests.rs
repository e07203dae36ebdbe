use countersign_core::parse;
use countersign_core::tool::requires_approval;

use super::*;

#[test]
fn looking_is_free_and_everything_else_asks() {
    let bound = |tool: Tool| (tool.identity.name.clone(), requires_approval(&tool), tool.marks.has(Mark::ReadOnly));
    let list: Vec<_> = catalogue().into_iter().map(|one| bound(one.tool)).collect();
    let expected = [
        ("list_files", false, true),
        ("read_file", false, true),
        ("search_files", false, true),
        ("write_file", true, false),
        ("edit_file", true, false),
        ("run_command", true, false),
        ("http_fetch", true, true),
        ("ask_user", false, true),
    ];
    assert_eq!(list, expected.map(|(name, asks, reads)| (name.to_owned(), asks, reads)));
}

/// UN-3, MO-4: what a fetch sends out is seen by a person first, so nobody who is alone has it; Plan offers it, and it asks.
#[test]
fn a_fetch_is_for_those_who_can_be_asked() {
    use countersign_core::mode::Mode;
    use countersign_core::offer::is_offered;
    use countersign_core::unattended::{Inside, unattended_in};
    let tools: Vec<Tool> = catalogue().into_iter().map(|one| one.tool).collect();
    let names: Vec<String> = tools.iter().map(|tool| tool.identity.name.clone()).collect();
    for mode in [Mode::Plan, Mode::Default, Mode::Auto] {
        let alone = unattended_in(mode, &names, &tools, |_| Inside::Nothing);
        assert_eq!(alone.iter().any(|name| name == HTTP_FETCH), mode == Mode::Auto, "{mode:?}");
        let fetch = tools.iter().find(|tool| tool.identity.name == HTTP_FETCH).unwrap();
        assert!(is_offered(fetch, mode) && requires_approval(fetch), "{mode:?}");
    }
}

#[test]
fn every_schema_is_closed_and_says_what_each_argument_is() {
    for Registered { tool, place: _ } in catalogue() {
        let schema: Value = serde_json::from_str(&tool.parameters).unwrap();
        assert_eq!(schema["additionalProperties"], json!(false));
        for (name, property) in schema["properties"].as_object().unwrap() {
            assert!(property["description"].as_str().unwrap().len() > 10, "{name} of {}", tool.identity.name);
        }
    }
}

#[test]
fn arguments_that_do_not_fit_are_refused_in_words() {
    for (tool, arguments, words) in [
        ("read_file", "{}", "needs the argument `path`"),
        ("read_file", r#"{"path":1}"#, "must be a string"),
        ("read_file", r#"{"path":null}"#, "must be a string"),
        ("read_file", r#"{"path":"a","lines":3}"#, "has no argument `lines`; it takes `path`, `offset`, `limit`"),
        ("read_file", r#"{"path":"a","offset":0}"#, "at least 1"),
        ("read_file", r#"{"path":"a","offset":1.0}"#, "whole number"),
        ("read_file", r#"{"path":"a","limit":"3"}"#, "whole number"),
        ("list_files", r#"{"depth":9}"#, "from 1 to 8"),
        ("write_file", r#"{"path":"a"}"#, "needs the argument `content`"),
        ("edit_file", r#"{"path":"a","old_text":"","new_text":"b"}"#, "`old_text` is empty"),
        ("edit_file", r#"{"path":"a","old_text":"b","new_text":"b"}"#, "nothing would change"),
        ("run_command", r#"{"command":"ls","timeout_s":601}"#, "from 1 to 600"),
        ("run_command", r#"{"command":"  "}"#, "is empty"),
        ("run_command", "{\"command\":\"a\\u0000b\"}", "NUL"),
    ] {
        let tree = parse::arguments(arguments).unwrap();
        let fault = Kind::named(tool).unwrap().read(&tree).unwrap_err();
        assert!(fault.contains(words) && !fault.ends_with('.'), "{tool} {arguments}: {fault}");
    }
}

#[test]
fn arguments_that_fit_are_read() {
    let tree = parse::arguments(r#"{"command":"ls","timeout_s":600}"#).unwrap();
    let expected = Asked::Command { command: "ls".to_owned(), timeout_s: Some(600) };
    assert_eq!(Kind::Command.read(&tree), Ok(expected));
    let tree = parse::arguments("{}").unwrap();
    assert_eq!(Kind::List.read(&tree), Ok(Asked::List { path: None, depth: None }));
}
