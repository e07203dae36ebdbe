use countersign_core::ids::{AgentId, ConversationId};
use countersign_core::parse;
use countersign_core::tool::{Declared, Effect, Marks, Tool, ToolIdentity, exit_plan_mode};

use super::*;
use crate::command::plain_words;
use crate::rule::{Life, Sample};

const HERE: ConversationId = ConversationId([1; 16]);
const ME: AgentId = AgentId([2; 16]);

fn run() -> GuardedRun {
    GuardedRun { conversation: HERE, agent: ME, folder: "/w/site".to_owned() }
}

fn tool(origin: Origin, name: &str, marks: &[Mark]) -> Tool {
    Tool {
        identity: ToolIdentity { origin, name: name.to_owned() },
        description: String::new(),
        parameters: "{}".to_owned(),
        effect: Effect::Write,
        marks: Marks::of(marks.iter().copied()),
    }
}

fn own() -> Origin {
    Origin::BuiltIn { agent: ME, root: "/w/site".to_owned() }
}

fn server(id: &str, definition: &str) -> Origin {
    Origin::Server {
        server: id.to_owned(),
        launch: "l".to_owned(),
        definition: definition.to_owned(),
        declared: Declared::AsksFirst,
    }
}

fn call(tool: Tool, arguments: &str, preconditions: Vec<Precondition>) -> GuardedCall {
    let tree = parse::arguments(arguments).unwrap();
    GuardedCall { tool, arguments: arguments.to_owned(), tree, preconditions, answered: false }
}

fn command(text: &str) -> GuardedCall {
    let arguments = to_text(&Tree::Object(vec![("command".to_owned(), Tree::Text(text.to_owned()))]));
    let at = Precondition::Folder { path: "/w/site".to_owned() };
    call(tool(own(), "run_command", &[Mark::FreeForm]), &arguments, vec![at])
}

fn write(path: &str, resolved: &str) -> GuardedCall {
    let arguments = to_text(&Tree::Object(vec![("path".to_owned(), Tree::Text(path.to_owned()))]));
    let file = Precondition::File { path: resolved.to_owned(), content: None };
    call(tool(own(), "write_file", &[]), &arguments, vec![file])
}

fn ticket(arguments: &str) -> GuardedCall {
    call(tool(server("s", "d"), "close_ticket", &[]), arguments, Vec::new())
}

fn rule(verdict: RuleVerdict, tool: RuleTool, conditions: Vec<Condition>) -> Rule {
    Rule {
        id: String::new(),
        revision: 1,
        name: "the rule".to_owned(),
        former: Vec::new(),
        on: true,
        verdict,
        tool,
        conditions,
        any_arguments: false,
        scope: Scope::Everywhere,
        life: Life::Forever,
        note: String::new(),
        samples: Vec::<Sample>::new(),
        made_at: 0,
        ended_at: None,
    }
}

fn reject() -> RuleVerdict {
    RuleVerdict::Reject { reason: "no".to_owned() }
}

fn named(name: &str) -> RuleTool {
    RuleTool::BuiltIn { name: name.to_owned() }
}

fn at(key: &str, test: Test) -> Condition {
    Condition::Argument { path: vec![key.to_owned()], test }
}

fn words(words: &[&str], further: bool) -> Condition {
    Condition::Words { words: words.iter().map(|&one| one.to_owned()).collect(), flags: Vec::new(), further }
}

fn says(rule: &Rule, call: &GuardedCall) -> &'static str {
    match judge(&[Ready::new(rule.clone())], 0, &run(), call, 1_000).as_slice() {
        [] => "nothing",
        [one] => match one.verdict {
            Verdict::Approve => "approve",
            Verdict::Reject { .. } => "reject",
            Verdict::Abstain => "abstain",
            Verdict::Failed { .. } => "failed",
        },
        _ => "several",
    }
}

/// Accept 19, L-074, L-083, L-085.
#[test]
fn accept_19_surface_33_an_approval_by_words_lets_nothing_else_run() {
    let status = rule(RuleVerdict::Approve, named("run_command"), vec![words(&["git", "status"], true)]);
    for (text, said) in [
        ("git status", "approve"),
        ("git status --short", "approve"),
        ("git  \"status\"", "approve"),
        ("git status; rm x", "abstain"),
        ("git status $(x)", "abstain"),
        ("git status `x`", "abstain"),
        ("git status > f", "abstain"),
        ("git status && git status", "abstain"),
        ("git status | sh", "abstain"),
        ("git status &", "abstain"),
        ("git status\nrm x", "abstain"),
        ("A=1 git status", "abstain"),
        ("git -C /etc status", "abstain"),
        ("/tmp/git status", "abstain"),
        ("sudo git status", "abstain"),
        ("git stat", "abstain"),
        ("git", "abstain"),
        ("", "abstain"),
    ] {
        assert_eq!(says(&status, &command(text)), said, "{text:?}");
    }
    let whole = rule(RuleVerdict::Approve, named("run_command"), vec![words(&["npm", "test"], false)]);
    assert_eq!(says(&whole, &command("npm test")), "approve");
    assert_eq!(says(&whole, &command("npm test --x")), "abstain");
    // A rule that came into the store in another way is held to the same.
    for conditions in [
        vec![words(&["sudo"], true)],
        vec![words(&[], true)],
        vec![at("command", Test::StartsWith { text: "git".to_owned() })],
        vec![at("command", Test::Contains { text: "git".to_owned() })],
        vec![at("command", Test::Pattern { pattern: ".*".to_owned() })],
        vec![at("command", Test::Inside { folder: "/".to_owned() })],
        vec![Condition::DownloadToShell],
        vec![],
    ] {
        let rule = rule(RuleVerdict::Approve, named("run_command"), conditions);
        assert_eq!(says(&rule, &command("sudo git status")), "abstain", "{:?}", rule.conditions);
    }
    let exactly = at("command", Test::Is { value: "ls | wc -l".to_owned() });
    let exactly = rule(RuleVerdict::Approve, named("run_command"), vec![exactly]);
    assert_eq!(says(&exactly, &command("ls | wc -l")), "approve");
    assert_eq!(says(&exactly, &command("ls | wc -l ")), "abstain");
    let ticked = Rule { any_arguments: true, ..rule(RuleVerdict::Approve, named("run_command"), vec![]) };
    assert_eq!(says(&ticked, &command("anything | at all")), "approve");
}

/// D-17, D-18: what can't be told asks; what a person approved then runs, unless the rule rejects it for sure.
#[test]
fn doubt_asks_once() {
    let sudo = rule(reject(), named("run_command"), vec![words(&["sudo"], true)]);
    for (text, first, then) in [
        ("sudo ls", "reject", "reject"),
        ("$X ls", "failed", "abstain"),
        ("(sudo ls)", "failed", "abstain"),
        ("ls", "abstain", "abstain"),
    ] {
        let call = command(text);
        assert_eq!(says(&sudo, &call), first, "{text}");
        assert_eq!(says(&sudo, &GuardedCall { answered: true, ..call }), then, "{text}");
    }
    let said = judge(&[], 1, &run(), &command("ls"), 0);
    assert!(matches!(said.as_slice(), [GuardVerdict { verdict: Verdict::Failed { .. }, .. }]), "{said:?}");
}

/// D-87, L-088: a tool is who it is, not what it is called.
#[test]
fn a_rule_is_about_one_tool() {
    let key = tool(server("s", "d"), "close_ticket", &[]).identity.key();
    let of = |server: &str, key: Option<&str>| RuleTool::Server {
        server: server.to_owned(),
        name: "close_ticket".to_owned(),
        key: key.map(str::to_owned),
    };
    let approve = |tool| rule(RuleVerdict::Approve, tool, vec![]);
    assert_eq!(says(&approve(of("s", Some(&key))), &ticket("{}")), "approve");
    assert_eq!(says(&approve(of("s", None)), &ticket("{}")), "nothing");
    assert_eq!(says(&approve(of("other", Some(&key))), &ticket("{}")), "nothing");
    assert_eq!(says(&approve(named("close_ticket")), &ticket("{}")), "nothing");
    assert_eq!(says(&approve(RuleTool::Any), &ticket("{}")), "nothing");
    let changed = call(tool(server("s", "changed"), "close_ticket", &[]), "{}", Vec::new());
    assert_eq!(says(&approve(of("s", Some(&key))), &changed), "nothing", "its definition changed");
    assert_eq!(
        says(&rule(reject(), of("s", Some(&key)), vec![]), &changed),
        "reject",
        "a rejection holds all the same"
    );
    assert_eq!(says(&rule(reject(), RuleTool::Any, vec![]), &ticket("{}")), "reject");
    let plan = call(exit_plan_mode(), r#"{"plan":"x"}"#, Vec::new());
    assert_eq!(says(&rule(reject(), RuleTool::Any, vec![]), &plan), "nothing");
    assert_eq!(says(&rule(reject(), RuleTool::Plan, vec![]), &plan), "reject");
    assert_eq!(says(&approve(RuleTool::Plan), &plan), "nothing", "D-33");
}

#[test]
fn a_rule_holds_in_its_place_and_time() {
    let base = || rule(reject(), RuleTool::Any, vec![]);
    for (scope, said) in [
        (Scope::Conversation { conversation: HERE }, "reject"),
        (Scope::Conversation { conversation: ConversationId([9; 16]) }, "nothing"),
        (Scope::Agent { agent: ME }, "reject"),
        (Scope::Agent { agent: AgentId([9; 16]) }, "nothing"),
        (Scope::Folder { folder: "/w".to_owned() }, "reject"),
        (Scope::Folder { folder: "/w/site/".to_owned() }, "reject"),
        (Scope::Folder { folder: "/w/si".to_owned() }, "nothing"),
    ] {
        assert_eq!(says(&Rule { scope: scope.clone(), ..base() }, &ticket("{}")), said, "{scope:?}");
    }
    assert_eq!(says(&Rule { life: Life::Until { at: 1_001 }, ..base() }, &ticket("{}")), "reject");
    assert_eq!(says(&Rule { life: Life::Until { at: 1_000 }, ..base() }, &ticket("{}")), "nothing");
    assert_eq!(says(&Rule { on: false, ..base() }, &ticket("{}")), "nothing");
    assert_eq!(says(&Rule { ended_at: Some(1), ..base() }, &ticket("{}")), "nothing");
}

/// RU-5, RU-6, and the doubts of lists and absent keys.
#[test]
fn arguments_are_compared_as_texts() {
    let all = |key: &str, test: Test| {
        [
            rule(RuleVerdict::Approve, ticket_tool(), vec![at(key, test.clone())]),
            rule(reject(), ticket_tool(), vec![at(key, test)]),
        ]
    };
    let is = |value: &str| Test::Is { value: value.to_owned() };
    let both = ["approve", "reject"];
    let neither = ["abstain", "abstain"];
    for (key, test, arguments, said) in [
        ("id", is("1234"), r#"{"id":"1234"}"#, both),
        ("id", is("1234"), r#"{"id":1234}"#, both),
        ("id", is("1e3"), r#"{"id":1000}"#, neither),
        ("id", is("true"), r#"{"id":true}"#, both),
        ("id", is(""), r#"{"id":""}"#, both),
        ("id", is("x"), "{}", neither),
        ("id", Test::OneOf { values: vec!["1".to_owned(), "2".to_owned()] }, r#"{"id":2}"#, both),
        ("id", Test::StartsWith { text: "ab".to_owned() }, r#"{"id":"abc"}"#, both),
        ("id", Test::StartsWith { text: "bc".to_owned() }, r#"{"id":"abc"}"#, neither),
        ("id", Test::Contains { text: "BC".to_owned() }, r#"{"id":"abcd"}"#, ["abstain", "reject"]),
        ("id", Test::Pattern { pattern: "b".to_owned() }, r#"{"id":"abc"}"#, ["abstain", "reject"]),
        ("id", Test::Pattern { pattern: "a|abc".to_owned() }, r#"{"id":"abc"}"#, both),
        ("id", Test::Pattern { pattern: "a".to_owned() }, "{\"id\":\"a\\nb\"}", ["abstain", "reject"]),
        ("id", is("a"), r#"{"id":["a","a"]}"#, both),
        ("id", is("a"), r#"{"id":["a","b"]}"#, ["abstain", "reject"]),
        ("id", is("a"), r#"{"id":[]}"#, neither),
        ("id", Test::Host { host: "a.example".to_owned(), below: false }, r#"{"id":"https://a.example/x"}"#, both),
        ("id", Test::Host { host: "a.example".to_owned(), below: false }, r#"{"id":"https://A.example./x"}"#, both),
        ("id", Test::Host { host: "example".to_owned(), below: true }, r#"{"id":"https://a.example/x"}"#, both),
        ("id", Test::Host { host: "a.example".to_owned(), below: true }, r#"{"id":"https://ba.example/x"}"#, neither),
        (
            "id",
            Test::Host { host: "a.example".to_owned(), below: false },
            r#"{"id":"a.example/x"}"#,
            ["abstain", "reject"],
        ),
        (
            "id",
            Test::Host { host: "b\u{fc}cher.example".to_owned(), below: false },
            r#"{"id":"https://xn--bcher-kva.example/"}"#,
            both,
        ),
        (
            "id",
            Test::Host { host: "xn--bcher-kva.example".to_owned(), below: true },
            "{\"id\":\"https://a.B\u{dc}CHER.example/\"}",
            both,
        ),
        ("id", Test::Host { host: "127.0.0.1".to_owned(), below: false }, r#"{"id":"http://0x7f.1/"}"#, both),
        (
            "id",
            Test::Host { host: "a.example".to_owned(), below: false },
            r#"{"id":"https://a.example@b.example/"}"#,
            neither,
        ),
        (
            "id",
            Test::Host { host: "b.example".to_owned(), below: false },
            r#"{"id":"https://a.example@b.example/"}"#,
            ["abstain", "reject"],
        ),
        (
            "id",
            Test::Host { host: "a.example".to_owned(), below: false },
            r#"{"id":"https://a.example:8443/"}"#,
            ["abstain", "reject"],
        ),
    ] {
        let [approve, reject] = all(key, test.clone());
        let call = ticket(arguments);
        assert_eq!([says(&approve, &call), says(&reject, &call)], said, "{test:?} {arguments}");
    }
    let deep = Condition::Argument { path: vec!["a".to_owned(), "b".to_owned()], test: is("1") };
    let [approve, reject] =
        [RuleVerdict::Approve, reject()].map(|verdict| rule(verdict, ticket_tool(), vec![deep.clone()]));
    for (arguments, said) in [
        (r#"{"a":{"b":1}}"#, both),
        (r#"{"a":[{"b":1},{"b":1}]}"#, both),
        (r#"{"a":[{"b":1},{"b":2}]}"#, ["abstain", "reject"]),
        (r#"{"a":[{"b":1},{}]}"#, ["abstain", "reject"]),
        (r#"{"a":1}"#, neither),
    ] {
        let call = ticket(arguments);
        assert_eq!([says(&approve, &call), says(&reject, &call)], said, "{arguments}");
    }
}

fn ticket_tool() -> RuleTool {
    let identity = tool(server("s", "d"), "close_ticket", &[]).identity;
    RuleTool::Server { server: "s".to_owned(), name: "close_ticket".to_owned(), key: Some(identity.key()) }
}

/// L-089: `..`, links and folders that only begin alike.
#[test]
fn a_path_lies_where_it_leads() {
    let inside = |folder: &str| at("path", Test::Inside { folder: folder.to_owned() });
    for (folder, path, resolved, said) in [
        ("src", "src/a.rs", "src/a.rs", ["approve", "reject"]),
        ("/w/site/src", "src/a.rs", "src/a.rs", ["approve", "reject"]),
        ("src", "src/../a.rs", "a.rs", ["abstain", "abstain"]),
        ("src", "srcs/a.rs", "srcs/a.rs", ["abstain", "abstain"]),
        // A link that leads in, and one that leads out.
        ("secret", "link/x", "secret/x", ["approve", "reject"]),
        ("src", "src/link", "elsewhere/x", ["abstain", "reject"]),
        ("secret", "a/../secret/x", "secret/x", ["approve", "reject"]),
    ] {
        let call = write(path, resolved);
        let [approve, reject] =
            [RuleVerdict::Approve, reject()].map(|verdict| rule(verdict, named("write_file"), vec![inside(folder)]));
        assert_eq!([says(&approve, &call), says(&reject, &call)], said, "{folder} {path}");
    }
    let secret = at("command", Test::Inside { folder: "/secret".to_owned() });
    let secret = rule(reject(), named("run_command"), vec![secret]);
    for (text, said) in [
        ("cat /secret/x", "reject"),
        ("cat /srv/../secret/x", "reject"),
        ("cat ../../secret/x", "reject"),
        ("cp --target-directory=/secret a", "reject"),
        ("tar -C/secret -x", "reject"),
        ("echo a > /secret/x", "reject"),
        ("cd / && cat secret/x", "reject"),
        ("ls /secret", "reject"),
        ("cat $F", "failed"),
        ("cat /sec*/x", "failed"),
        ("cat ~/x", "failed"),
        ("cat <<E > /secret/x\nE", "failed"),
        ("cat /secrets/x", "abstain"),
        ("ls src/*.rs", "abstain"),
        ("ls", "abstain"),
    ] {
        assert_eq!(says(&secret, &command(text)), said, "{text}");
    }
    // What a server is given nobody has followed.
    let of_server = rule(RuleVerdict::Approve, ticket_tool(), vec![inside("/w/site")]);
    assert_eq!(says(&of_server, &ticket(r#"{"path":"/w/site/a"}"#)), "abstain");
}

/// L-092: a rejecting rule says so whatever stands beside it; several rules each say their own.
#[test]
fn every_rule_is_asked() {
    let rules = [
        Rule { name: "yes".to_owned(), ..rule(RuleVerdict::Approve, ticket_tool(), vec![]) },
        Rule { name: "no".to_owned(), ..rule(reject(), RuleTool::Any, vec![]) },
        Rule { name: "other".to_owned(), ..rule(reject(), named("run_command"), vec![]) },
        Rule {
            name: "unread".to_owned(),
            ..rule(reject(), RuleTool::Any, vec![at("id", Test::Pattern { pattern: "(".to_owned() })])
        },
    ];
    let ready: Vec<Ready> = rules.into_iter().map(Ready::new).collect();
    let said = judge(&ready, 0, &run(), &ticket("{}"), 0);
    let said: Vec<(&str, bool)> =
        said.iter().map(|one| (one.guard.as_str(), matches!(one.verdict, Verdict::Failed { .. }))).collect();
    assert_eq!(said, [("yes", false), ("no", false), ("unread", true)]);
}

proptest::proptest! {
    /// L-077: random bytes never yield an approval by words.
    #[test]
    fn random_commands_are_not_approved(text in "\\PC{0,60}") {
        let status = rule(RuleVerdict::Approve, named("run_command"), vec![words(&["git", "status"], true)]);
        if says(&status, &command(&text)) == "approve" {
            let read = plain_words(&text).unwrap();
            proptest::prop_assert!(read.starts_with(&["git".to_owned(), "status".to_owned()]));
        }
    }
}
