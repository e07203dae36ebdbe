//! RQ and AS: which calls ask, and what a run that asks leaves.

use countersign_core::change::{Act, Change};
use countersign_core::mode::Mode;
use countersign_core::request::RequestKind;
use countersign_core::run::RunEnd;
use countersign_core::tool::{Declared, Effect, Mark, Marks, Origin, requires_approval};

use crate::house::{self, House};
use crate::play::{Play, call, plan, tool};

fn asked(calls: &[countersign_core::input::ProposedCall]) -> Play {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(calls);
    play
}

fn remote(declared: Declared) -> countersign_core::tool::Tool {
    let mut one = tool("r", Effect::Write, &[]);
    one.identity.origin =
        Origin::Server { server: "s".to_owned(), launch: "l".to_owned(), definition: "d".to_owned(), declared };
    one
}

#[test]
fn rq_1_every_call_of_a_marked_tool_asks() {
    for arguments in ["{}", "", "{\"path\": \"a\"}"] {
        assert_eq!(asked(&[call("peek", arguments)]).standing_of(), [("peek", "waiting")], "`{arguments}`");
    }
}

#[test]
fn rq_2_a_declared_server_covers_every_tool_of_it() {
    let mut play = Play::new(Mode::Default);
    let mut another = remote(Declared::AsksFirst);
    "another".clone_into(&mut another.identity.name);
    play.tools = vec![remote(Declared::AsksFirst), another];
    play.say("Go.").unwrap();
    play.reply(&[call("r", "{}"), call("another", "{}")]);
    assert_eq!(play.head.requests.len(), 2);
}

#[test]
fn rq_3_the_mark_travels_with_the_tool() {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.tools.push(tool("late", Effect::Read, &[Mark::RequiresApproval]));
    play.reply(&[call("late", "{}")]);
    assert_eq!(play.head.requests.len(), 1, "a tool that came while the run went on");
}

#[test]
fn rq_4_the_machine_asks_the_one_predicate() {
    for one in crate::play::tools() {
        let name = one.identity.name.clone();
        let play = asked(&[call(&name, "{}")]);
        let asks = play.head.requests.values().any(|request| request.kind == RequestKind::Call);
        assert_eq!(asks, requires_approval(&one), "{name}");
    }
}

#[test]
fn rq_5_a_local_write_is_bound_whatever_its_kind() {
    assert!(requires_approval(&tool("a", Effect::Write, &[])));
    assert!(requires_approval(&tool("a", Effect::IdempotentWrite, &[])));
    assert!(!requires_approval(&tool("a", Effect::Read, &[])));
}

#[test]
fn rq_6_for_a_remote_tool_the_operators_word_counts() {
    for (declared, bound) in [(Declared::Undeclared, false), (Declared::RunsFree, false), (Declared::AsksFirst, true)] {
        assert_eq!(requires_approval(&remote(declared)), bound, "{declared:?}");
    }
}

#[test]
fn rq_7_the_operator_binds_a_server() {
    let mut reads = remote(Declared::AsksFirst);
    reads.effect = Effect::Read;
    assert!(requires_approval(&reads));
}

#[test]
fn rq_8_a_setting_can_bind_a_read_and_lift_no_write() {
    assert!(requires_approval(&tool("a", Effect::Read, &[Mark::RequiresApproval])));
    assert!(requires_approval(&tool("a", Effect::Write, &[Mark::ReadOnly, Mark::ParallelSafe])));
}

#[tokio::test]
async fn as_1_the_run_is_over_and_the_call_unmade() {
    let mut house = House::new(Mode::Default).await;
    let head = house.ask(&[house::call("write", "{}")]).await;
    assert_eq!((head.run, house.last_end().await, house.ran().len()), (None, Some(RunEnd::Asked), 0));
}

#[test]
fn as_2_the_step_names_what_waits_and_nothing_where_nothing_does() {
    let play = asked(&[call("write", "{}"), call("shell", "{}")]);
    assert_eq!((play.head.requests.len(), &play.acts), (2, &vec![Act::Notice]));
    assert_eq!(asked(&[call("read", "{}")]).head.requests.len(), 0);
}

#[tokio::test]
async fn as_3_the_arguments_are_the_models_own_text() {
    let text = " {\"b\" :1.50, \"a\":\"\\u0041\" }\n";
    let mut house = House::new(Mode::Default).await;
    let head = house.ask(&[house::call("write", text)]).await;
    assert_eq!(head.calls_in_order()[0].arguments, text);
}

#[test]
fn as_4_nothing_of_a_batch_that_asks_runs() {
    let play = asked(&[call("read", "{}"), call("write", "{}"), call("remote", "{}")]);
    assert_eq!(play.standing_of(), [("read", "held"), ("write", "waiting"), ("remote", "held")]);
    assert!(play.executed().is_empty());
}

#[test]
fn as_5_the_others_run_after_a_rejection_too() {
    let mut play = asked(&[call("write", "{}"), call("read", "{}")]);
    play.answer(&[(0, crate::play::reject("no"))]).unwrap();
    assert_eq!(crate::play::names(&play.executed()), ["read"]);
}

#[test]
fn pl_4_a_plan_ends_the_run_with_its_text_as_argument() {
    let mut play = Play::new(Mode::Plan);
    play.say("Plan.").unwrap();
    play.reply(&[plan("# The plan")]);
    assert_eq!(play.run_ends(), [RunEnd::Asked]);
    let call = &play.head.calls_in_order()[0];
    assert_eq!(countersign_core::step::plan_text(&call.arguments).as_deref(), Some("# The plan"));
}

#[test]
fn rt_3_rules_then_standing_approvals_then_the_mode() {
    let play = asked(&[call("write", "{}")]);
    let opened = play.log.iter().filter(|change| matches!(change, Change::RequestOpened { .. })).count();
    assert_eq!(opened, 1, "none of the three decided");
    let mut marked = tool("read", Effect::Read, &[]);
    marked.marks = Marks::of([]);
    assert_eq!(asked(&[call("read", "{}")]).executed().len(), 1, "no question without need");
}
