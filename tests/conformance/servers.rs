//! Tools of servers: the operator declares, the server never does.

use countersign_core::answer::Reach;
use countersign_core::call::{CallState, Settled};
use countersign_core::change::Change;
use countersign_core::ids::ServerId;
use countersign_core::mode::Mode;
use countersign_core::offer::is_offered;
use countersign_core::policy::DataClass;
use countersign_core::server::{Asks, Claims, Definition, Launch, Seen, ServerProfile, Word, names};
use countersign_core::tool::{Declared, Origin, Tool, requires_approval};

use crate::play::{Play, call, for_conversation};

fn server(number: u8, handle: &str, program: &str) -> ServerProfile {
    let launch = Launch::Command { program: program.to_owned(), args: vec![], env: vec![], folder: None };
    ServerProfile {
        id: ServerId([number; 16]),
        revision: 1,
        name: handle.to_owned(),
        handle: handle.to_owned(),
        launch,
        on: true,
        data: DataClass::Unclassified,
        all: Word::default(),
        seen: Seen::default(),
        tools: std::collections::BTreeMap::new(),
        roots: vec![],
        start_s: 30,
        call_s: 120,
    }
}

/// What a server says of a tool that it wants trusted.
fn says(name: &str, description: &str) -> Definition {
    let claims =
        Claims { read_only: Some(true), destructive: Some(false), idempotent: Some(true), open_world: Some(false) };
    let (title, schema) = (None, "{}".to_owned());
    Definition { name: name.to_owned(), title, description: description.to_owned(), schema, claims }
}

fn tool(server: &ServerProfile, definition: &Definition) -> Tool {
    let name = names(&server.handle, &[&definition.name]).remove(0).unwrap();
    server.tool(definition, name).tool
}

/// A conversation with one tool of a server beside the usual ones.
fn with(tool: Tool) -> Play {
    let mut play = Play::new(Mode::Default);
    play.tools.push(tool);
    play.say("Go.").unwrap();
    play
}

fn put(play: &mut Play, tool: Tool) {
    let at = play.tools.iter().position(|one| one.identity.name == tool.identity.name).unwrap();
    play.tools[at] = tool;
}

#[test]
fn n_09_a_hint_that_it_only_reads_lifts_nothing() {
    let desk = server(1, "desk", "npx");
    let liar = tool(&desk, &says("get_env", "Only reads"));
    assert!(requires_approval(&liar) && !is_offered(&liar, Mode::Plan));
    let mut play = with(liar);
    play.reply(&[call("desk__get_env", "{}")]);
    assert_eq!(play.head.requests.len(), 1);
}

#[test]
fn field_l_091_a_read_only_hint_gates_until_the_person_marks_it() {
    let mut desk = server(1, "desk", "npx");
    let said = says("get_env", "Only reads");
    assert!(!is_offered(&tool(&desk, &said), Mode::Plan));
    desk.say_of(&said, Word { read_only: true, ..Word::default() });
    assert!(is_offered(&tool(&desk, &said), Mode::Plan), "the person's mark is another thing than the server's hint");
    assert!(requires_approval(&tool(&desk, &said)), "and lifts no approval");
}

#[test]
fn d_45_a_servers_tool_always_carries_a_declaration() {
    let mut desk = server(1, "desk", "npx");
    let said = says("close", "");
    let declared = |server: &ServerProfile| match tool(server, &said).identity.origin {
        Origin::Server { declared, .. } => declared,
        _ => panic!("it is a server's"),
    };
    assert_eq!(declared(&desk), Declared::AsksFirst, "nobody said anything");
    desk.say_of_all(Word { asks: Some(Asks::Never), ..Word::default() }, std::slice::from_ref(&said));
    assert_eq!(declared(&desk), Declared::RunsFree);
}

#[test]
fn d_87_what_changed_loses_trust_what_was_approved_of_it_is_not_run_and_a_label_changes_nothing() {
    another_launch_or_definition_is_another_tool();
    what_was_approved_of_the_old_one_is_not_run_by_the_new();
    a_new_label_changes_nothing();
}

fn another_launch_or_definition_is_another_tool() {
    let was = says("close", "Closes a ticket");
    for (server_now, said_now) in
        [(server(1, "desk", "evil"), was.clone()), (server(1, "desk", "npx"), says("close", "Closes every ticket"))]
    {
        let mut play = with(tool(&server(1, "desk", "npx"), &was));
        play.reply(&[call("desk__close", "{}")]);
        play.answer(&[(0, for_conversation(Reach::Tool))]).unwrap();
        play.finish_first();
        play.reply(&[call("desk__close", "{}")]);
        assert_eq!(play.head.requests.len(), 0, "the same one is covered");
        play.finish_first();
        put(&mut play, tool(&server_now, &said_now));
        play.reply(&[call("desk__close", "{}")]);
        assert_eq!(play.head.requests.len(), 1, "what was trusted was the other one");
    }
}

fn what_was_approved_of_the_old_one_is_not_run_by_the_new() {
    let desk = server(1, "desk", "npx");
    let mut play = with(tool(&desk, &says("close", "Closes a ticket")));
    play.reply(&[call("desk__close", "{}")]);
    put(&mut play, tool(&desk, &says("close", "Closes every ticket")));
    let step = play.answer(&[(0, countersign_core::answer::AnswerBody::Approve)]).unwrap();
    assert!(play.executed().is_empty());
    let settled = step.changes.iter().find_map(|change| match change {
        Change::CallSettled { settled, result, .. } => Some((settled.clone(), result.clone().unwrap_or_default())),
        _ => None,
    });
    let (settled, result) = settled.unwrap();
    assert_eq!(settled, Settled::ChangedSinceAsked);
    assert!(result.contains("not executed") && result.contains("desk__close"), "{result}");
    assert!(play.head.calls.values().all(|call| !matches!(call.state, CallState::Started { .. })));
}

fn a_new_label_changes_nothing() {
    let said = says("close", "Closes a ticket");
    let mut play = with(tool(&server(1, "desk", "npx"), &said));
    play.reply(&[call("desk__close", "{}")]);
    play.answer(&[(0, for_conversation(Reach::Tool))]).unwrap();
    play.finish_first();
    put(&mut play, tool(&ServerProfile { name: "Support".to_owned(), ..server(1, "desk", "npx") }, &said));
    play.reply(&[call("desk__close", "{}")]);
    assert_eq!(play.head.requests.len(), 0);
}

#[test]
fn field_l_088_names_of_two_servers_never_collapse_into_trust() {
    let (one, other) = (server(1, "a", "npx"), server(2, "a-b", "npx"));
    let mut play = with(tool(&one, &says("b_c", "")));
    play.tools.push(tool(&other, &says("c", "")));
    let told: Vec<String> = play.tools.iter().rev().take(2).map(|tool| tool.identity.name.clone()).collect();
    assert_eq!(told, ["a-b__c", "a__b_c"]);
    play.reply(&[call("a__b_c", "{}")]);
    play.answer(&[(0, for_conversation(Reach::Tool))]).unwrap();
    play.finish_first();
    play.reply(&[call("a-b__c", "{}")]);
    assert_eq!(play.head.requests.len(), 1, "the other server's tool asks");
    // The same name from another server, pointed at by the same handle, asks too.
    let again = tool(&server(3, "a", "npx"), &says("b_c", ""));
    put(&mut play, again);
    play.answer(&[(0, countersign_core::answer::AnswerBody::Reject { reason: None })]).unwrap();
    play.reply(&[call("a__b_c", "{}")]);
    assert_eq!(play.head.requests.len(), 1);
}
