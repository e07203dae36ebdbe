//! UN: which tools can be used with nobody there to ask.

use countersign_core::agent::ToolSet;
use countersign_core::input::{Input, Verdict};
use countersign_core::mode::Mode;
use countersign_core::policy::{DataClass, ToolGroup};
use countersign_core::run::{Failure, FailureKind, RunEnd};
use countersign_core::tool::{EXIT_PLAN_MODE, Effect, Mark, Tool, exit_plan_mode, requires_approval};
use countersign_core::unattended::{
    Inside, unattended, unattended_in, unattended_in_auto_where_writes_run_unasked as unattended_in_auto,
};

use crate::gates::{asks_first, off, only};
use crate::house::{House, call, guard, tool};

fn registered() -> Vec<Tool> {
    vec![
        tool("read1", Effect::Read, &[Mark::ReadOnly]),
        tool("read2", Effect::Read, &[]),
        tool("write", Effect::Write, &[]),
        tool("set", Effect::IdempotentWrite, &[]),
        tool("marked", Effect::Read, &[Mark::RequiresApproval]),
        tool("input", Effect::Read, &[Mark::NeedsInput]),
        crate::play::tools().into_iter().find(|tool| tool.identity.name == "remote").unwrap(),
        exit_plan_mode(),
    ]
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

fn kept(asked: &[&str]) -> Vec<String> {
    unattended(&names(asked), &registered(), |_| Inside::Nothing)
}

#[tokio::test]
async fn un_1_who_can_ask_nobody_gets_a_failed_run_where_others_get_a_question() {
    let mut house = House::new(Mode::Default).await;
    let asked = house.ask(&[call("write", "{}")]).await;
    assert_eq!((asked.requests.len(), house.last_end().await), (1, Some(RunEnd::Asked)), "and all that a resume needs");
    house.tools.list.lock().unwrap().retain(|tool| tool.identity.name == "read");
    house.script.will([crate::house::Turn::Waits(crate::house::calling(&[call("read", "{}")]))]);
    house.start_quick(Mode::Default, ToolSet::All).await.unwrap();
    house.engine.switch(asks_first(&["read"])).await.unwrap();
    house.script.go.notify_one();
    house.settled().await;
    assert!(matches!(house.last_end().await, Some(RunEnd::WouldAsk { .. })));
}

#[tokio::test]
async fn un_2_a_list_that_never_pauses() {
    for tool in kept(&["read1", "write", "input", "remote", "marked", "read2"]) {
        let mut play = crate::play::Play::quick(Mode::Default);
        play.tools = registered();
        play.say("Do it.").unwrap();
        play.reply(&[crate::play::call(&tool, "{}")]);
        assert_eq!(play.runs_calls(), 1, "{tool}");
    }
}

#[test]
fn un_3_names_in_their_order_come_back_in_their_order() {
    assert_eq!(kept(&["read2", "write", "read1", "read2"]), ["read2", "read1", "read2"]);
}

#[test]
fn un_4_a_tool_that_becomes_bound_leaves_by_itself() {
    let mut tools = registered();
    for tool in &mut tools {
        let stays = unattended(&names(&[&tool.identity.name]), std::slice::from_ref(tool), |_| Inside::Nothing);
        assert!(stays.is_empty() || !requires_approval(tool), "{}", tool.identity.name);
    }
    assert_eq!(unattended(&names(&["read1"]), &tools, |_| Inside::Nothing), ["read1"]);
    tools[0].effect = Effect::Write;
    assert_eq!(unattended(&names(&["read1"]), &tools, |_| Inside::Nothing), [""; 0]);
}

#[test]
fn un_5_a_remote_tool_that_nobody_bound_stays() {
    assert_eq!(kept(&["remote"]), ["remote"], "although it writes");
}

#[test]
fn un_6_either_kind_of_pause_disqualifies() {
    let input = &registered()[5];
    assert!(input.marks.has(Mark::NeedsInput) && !requires_approval(input));
    assert_eq!(kept(&["input"]), [""; 0]);
}

#[test]
fn un_7_a_name_that_nobody_knows_goes() {
    assert_eq!(kept(&["ghost", "read1"]), ["read1"]);
    assert_eq!(unattended(&names(&["read1"]), &[], |_| Inside::Nothing), [""; 0]);
}

#[tokio::test]
async fn un_8_it_narrows_what_the_policy_let_through() {
    let mut house = House::new(Mode::Default).await;
    house.engine.switch(off(&["read"], &[])).await.unwrap();
    house.quick(Mode::Default, only(&["read", "slow_read", "write"])).await;
    assert_eq!(house.offered(), ["slow_read"], "the policy first, the filter second");
}

#[test]
fn un_9_the_filter_doesnt_know_the_policy() {
    // It takes names and tools and nothing that a gate looks at, so that a gate can change without it.
    let (names, tools): (Vec<String>, Vec<Tool>) = (names(&["read2", "set"]), registered());
    assert_eq!(unattended(&names, &tools, |_| Inside::Nothing), ["read2"]);
    let filter = include_str!("../../src-tauri/crates/core/src/unattended.rs");
    let code: String = filter.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    assert!(!code.contains("policy"), "each can be widened without the other");
}

#[tokio::test]
async fn un_10_a_run_on_the_narrowed_list_never_pauses() {
    let mut house = House::new(Mode::Default).await;
    house.tools.list.lock().unwrap().retain(|tool| !["slow_read", "stubborn", "huge"].contains(&&*tool.identity.name));
    house.say("Go.").await;
    let all: Vec<_> = house.offered().iter().map(|name| call(name, "{}")).collect();
    assert!(all.len() > 5, "tools of every kind");
    house.script.will([crate::house::calls(&all)]);
    house.quick(Mode::Default, ToolSet::All).await;
    assert_eq!(house.last_end().await, Some(RunEnd::Completed));
    assert_eq!(house.ran(), ["read"]);
}

#[tokio::test]
async fn un_11_a_reading_tool_that_the_person_lets_ask_drops_out() {
    let mut house = House::new(Mode::Default).await;
    house.engine.switch(asks_first(&["read"])).await.unwrap();
    house.quick(Mode::Default, only(&["read", "slow_read"])).await;
    assert_eq!(house.offered(), ["slow_read"]);
}

#[tokio::test]
async fn un_12_arguments_play_no_part() {
    let mut house = House::new(Mode::Default).await;
    house.guards(&[guard("small ones", |call| match call.arguments.as_str() {
        "{\"small\":1}" => Verdict::Approve,
        _ => Verdict::Abstain,
    })]);
    house.quick(Mode::Default, ToolSet::All).await;
    assert!(!house.offered().contains(&"write".to_owned()), "what depends on arguments is no property of a tool");
}

#[test]
fn n_96_a_reading_tool_stays() {
    assert_eq!(kept(&["read1"]), ["read1"]);
}

#[test]
fn n_97_writes_of_either_kind_go() {
    assert_eq!(kept(&["write", "set"]), [""; 0]);
}

#[test]
fn n_98_a_marked_reading_tool_goes() {
    assert_eq!(kept(&["marked"]), [""; 0]);
}

#[test]
fn n_99_an_input_tool_goes_in_every_mode() {
    for mode in [Mode::Default, Mode::Auto, Mode::Plan] {
        assert_eq!(unattended_in(mode, &names(&["input"]), &registered(), |_| Inside::Nothing), [""; 0], "{mode:?}");
    }
}

#[test]
fn n_100_an_unknown_name_goes_in_auto_too() {
    assert_eq!(unattended_in_auto(&names(&["ghost", "write"]), &registered(), |_| Inside::Nothing), ["write"]);
}

#[test]
fn n_101_the_given_order_and_not_the_registrys() {
    assert_eq!(kept(&["read2", "write", "ghost", "input", "read1", "marked"]), ["read2", "read1"]);
}

#[tokio::test]
async fn d_43_a_rule_that_would_approve_keeps_nothing_in() {
    let mut house = House::new(Mode::Default).await;
    house.guards(&[guard("yes", |_| Verdict::Approve)]);
    house.quick(Mode::Default, ToolSet::All).await;
    assert!(!house.offered().contains(&"write".to_owned()));
}

#[tokio::test]
async fn d_44_auto_keeps_writes_plan_keeps_reading_marks_and_standing_approvals_count_for_nothing() {
    let all = names(&["read2", "write", "read1", "marked", "input"]);
    let kept = |mode| unattended_in(mode, &all, &registered(), |_| Inside::Nothing);
    assert_eq!(kept(Mode::Default), ["read2", "read1"]);
    assert_eq!(kept(Mode::Auto), ["read2", "write", "read1", "marked"]);
    assert_eq!(kept(Mode::Plan), ["read1"]);
    let mut house = House::new(Mode::Default).await;
    house.ask(&[call("write", "{}")]).await;
    let always = crate::play::for_conversation(countersign_core::answer::Reach::Tool);
    house.answer(&[(0, always)]).await;
    house.quick(Mode::Default, ToolSet::All).await;
    assert!(!house.offered().contains(&"write".to_owned()));
}

/// The caller answers for what is inside by asking the same filter, as deep as it goes.
fn inside(tool: &Tool) -> Inside {
    let offered = match tool.identity.name.as_str() {
        "reader" => vec!["read1", "deeper"],
        "writer" => vec!["read1", "worse"],
        "deeper" => vec!["read2"],
        "worse" => vec!["write"],
        _ => return Inside::Nothing,
    };
    let asked = names(&offered);
    let kept = unattended(&asked, &with_agents(), inside);
    if kept == asked { Inside::Unattended } else { Inside::MayAsk }
}

fn with_agents() -> Vec<Tool> {
    let agents = ["reader", "writer", "deeper", "worse"].map(|name| tool(name, Effect::Read, &[]));
    registered().into_iter().chain(agents).collect()
}

#[test]
fn d_46_a_plan_is_never_unattended_and_an_agent_is_what_it_has_inside() {
    let plan = names(&[EXIT_PLAN_MODE]);
    for mode in [Mode::Default, Mode::Auto, Mode::Plan] {
        assert_eq!(unattended_in(mode, &plan, &registered(), |_| Inside::Nothing), [""; 0], "{mode:?}");
    }
    assert_eq!(unattended(&names(&["writer", "reader", "read1"]), &with_agents(), inside), ["reader", "read1"]);
    // One that fails all the same fails alone, and its caller goes on.
    let mut play = crate::play::Play::with_agents(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[crate::play::starting("helper")]);
    let helper = play.child("helper");
    let failure = Failure { kind: FailureKind::Cut, text: "it was cut off.".to_owned() };
    play.give(Input::ModelFailed { run: helper, failure }).unwrap();
    assert!(play.calls_model(), "its caller goes on");
    assert!(play.ends()[0].2.as_ref().unwrap().contains("it was cut off"));
}

/// The class of a tool is the gates' business: the filter keeps what it can show and what it can't.
#[tokio::test]
async fn n_102_the_loop_gets_the_narrowed_list_and_the_callers_agent() {
    let mut house = House::new(Mode::Default).await;
    house.place("read", ToolGroup::Look, DataClass::Workspace);
    house.quick(Mode::Default, only(&["write", "slow_read", "read", "ask_user"])).await;
    assert_eq!(house.offered(), ["read", "slow_read"]);
    assert_eq!(house.script.last().system, "Be helpful.");
    assert_eq!(house.task().await.conversation.agent, crate::house::AGENT);
}
