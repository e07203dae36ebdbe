//! Quick tasks: whatever happens to one, it never waits for anybody.

use countersign_core::call::{CallState, Dropped, Settled};
use countersign_core::change::Change;
use countersign_core::input::{Input, Judged, OutcomeKind, Refusal, Verdict};
use countersign_core::mode::Mode;
use countersign_core::run::RunEnd;
use countersign_core::tool::{Mark, Marks};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::play::{Play, call, judge, says, starting};

fn started(mode: Mode) -> Play {
    let mut play = Play::quick(mode);
    play.say("Do it.").unwrap();
    play
}

/// D-47, D-63: the task ends, names the first tool that would have asked, and what ran before stands.
#[test]
fn a_call_that_would_ask_ends_it_and_nothing_of_its_batch_runs() {
    let mut play = started(Mode::Default);
    play.reply(&[call("read", "{}")]);
    play.finish_first();
    play.reply(&[call("read", "{\"n\":2}"), call("write", "{}"), call("ask", "{}")]);
    assert_eq!(play.run_ends(), [RunEnd::WouldAsk { tool: "write".to_owned(), rounds: 1 }]);
    assert_eq!(play.executed().len(), 1, "only the round before");
    assert!(play.is_idle());
    let never = Settled::Dropped { why: Dropped::NobodyToAsk };
    assert_eq!(play.ends().iter().filter(|(_, settled, _)| *settled == never).count(), 3);
}

fn with_agents(mode: Mode) -> Play {
    let like = Play::with_agents(mode);
    let mut play = Play::quick(mode);
    (play.tools, play.agents) = (like.tools, like.agents);
    play
}

/// D-39, D-47: a sub-agent that would ask fails; its caller is told which tool it was, and goes on.
#[test]
fn a_sub_agent_that_would_ask_fails_and_its_caller_goes_on() {
    let mut play = with_agents(Mode::Default);
    play.say("Do it.").unwrap();
    play.reply(&[starting("helper")]);
    let helper = play.child("helper");
    play.reply_in(helper, "I'll write.", &[call("write", "{}"), call("read", "{}")]);
    assert!(play.executed().iter().all(|call| call.tool == "helper"), "nothing of that batch runs");
    let ends = play.run_ends();
    assert_eq!(ends, [RunEnd::WouldAsk { tool: "write".to_owned(), rounds: 0 }], "the sub-agent's, and not the task's");
    let (_, settled, result) = play.ends().into_iter().find(|(tool, ..)| tool == "helper").unwrap();
    assert_eq!(settled, Settled::Errored);
    assert!(result.unwrap().contains("`write` would have had to ask"));
    play.reply(&[]);
    assert_eq!(play.run_ends().last(), Some(&RunEnd::Completed));
    assert!(play.is_idle());
}

/// The task ends while a background agent works: that is cut off, and nothing of it waits.
#[test]
fn a_task_that_would_ask_takes_its_background_agents_along() {
    let mut play = with_agents(Mode::Default);
    play.say("Do it.").unwrap();
    play.reply(&[starting("scout")]);
    play.reply(&[call("write", "{}")]);
    assert!(matches!(play.run_ends().last(), Some(RunEnd::WouldAsk { .. })), "{:?}", play.run_ends());
    assert!(play.is_idle() && play.head.children.is_empty());
}

/// D-17: where nobody can be asked, a guard that failed rejects in neutral words.
#[test]
fn a_guard_that_failed_rejects_where_nobody_can_be_asked() {
    let mut play = started(Mode::Auto);
    let write = call("write", "{}");
    let verdicts = says(&[Verdict::Approve, Verdict::Failed { why: "a secret of the guard".to_owned() }]);
    let judged = Judged { verdicts, ..judge(&play.tools, &write) };
    play.reply_judged("Words.", &[write], vec![judged]);
    let (_, settled, result) = &play.ends()[0];
    assert!(matches!(settled, Settled::RejectedByRule { by, .. } if by == &["g1"]), "{settled:?}");
    assert!(!result.as_ref().unwrap().contains("secret"));
    assert!(play.calls_model(), "a rejection is a result, and the run goes on");
}

/// D-97: what only Auto let through never runs once the mode is stricter; the run ends as one that would ask.
#[test]
fn a_stricter_mode_ends_it_instead_of_asking() {
    let mut play = started(Mode::Auto);
    play.reply(&[call("shell", "{}"), call("write", "{}")]);
    play.give(Input::Tighten { mode: Mode::Default }).unwrap();
    play.finish_first();
    assert_eq!(play.run_ends(), [RunEnd::WouldAsk { tool: "write".to_owned(), rounds: 1 }]);
    assert_eq!(crate::play::names(&play.executed()), ["shell"]);
    assert!(play.is_idle());
}

#[test]
fn it_is_one_run_and_no_more() {
    let mut play = started(Mode::Default);
    play.reply(&[]);
    let refused = |refusal: Result<_, Refusal>| matches!(refusal, Err(Refusal::IllegalInput { .. }));
    assert!(refused(play.say("More.")));
    assert!(refused(play.give(Input::Steer { text: "And this.".to_owned() })));
    assert!(refused(play.give(Input::Rename { title: "Other".to_owned() })));
}

/// What was let through and hadn't begun never will: nobody is there to say *Run it now* (D-53 has no place here).
#[test]
fn a_dead_process_leaves_nothing_that_waits() {
    let mut play = started(Mode::Auto);
    play.reply(&[call("write", "{\"n\":1}"), call("write", "{\"n\":2}")]);
    play.die();
    assert!(play.is_idle());
    let ends: Vec<Settled> = play.ends().into_iter().map(|(_, settled, _)| settled).collect();
    assert_eq!(ends, [Settled::Dropped { why: Dropped::NeverRun }, Settled::OutcomeUnknown]);
    assert_eq!(play.run_ends(), [RunEnd::Interrupted]);
}

#[derive(Debug, Clone)]
enum Op {
    Reply(Vec<usize>),
    Start(&'static str),
    Finish,
    Tighten,
    Bind(usize),
    Gone(usize),
    Die,
    Stop,
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => prop::collection::vec(0..9_usize, 0..4).prop_map(Op::Reply),
        6 => Just(Op::Finish),
        2 => prop_oneof![Just("helper"), Just("scout"), Just("diver")].prop_map(Op::Start),
        1 => Just(Op::Tighten),
        1 => (0..9_usize).prop_map(Op::Bind),
        1 => (0..9_usize).prop_map(Op::Gone),
        1 => Just(Op::Die),
        1 => Just(Op::Stop),
    ]
}

fn act(play: &mut Play, op: &Op) -> Vec<Change> {
    // Whoever waits for its model, the conversation's own or a sub-agent's.
    let model = play.waits_for_model().last().copied();
    let step = match (op, model) {
        (Op::Reply(which), Some(run)) => {
            let tools = crate::play::tools();
            let calls: Vec<_> = which.iter().map(|&one| call(&tools[one].identity.name, "{}")).collect();
            Some(play.reply_in(run, "Words.", &calls))
        }
        (Op::Start(name), Some(run)) => Some(play.reply_in(run, "Words.", &[starting(name)])),
        (Op::Finish, _) => {
            let first = play.started().first().copied();
            first.map(|call| play.finish(call, OutcomeKind::Succeeded))
        }
        (Op::Tighten, _) => play.give(Input::Tighten { mode: Mode::Default }).ok(),
        (Op::Stop, _) => play.give(Input::Stop).ok(),
        (Op::Bind(which), _) => {
            let name = crate::play::tools()[*which].identity.name.clone();
            if let Some(tool) = play.tools.iter_mut().find(|tool| tool.identity.name == name) {
                tool.marks = Marks::of([Mark::RequiresApproval]);
            }
            None
        }
        (Op::Gone(which), _) => {
            let name = crate::play::tools()[*which].identity.name.clone();
            play.tools.retain(|tool| tool.identity.name != name);
            None
        }
        (Op::Die, _) => return play.die(),
        (Op::Reply(_) | Op::Start(_), None) => None,
    };
    step.map(|step| step.changes).unwrap_or_default()
}

/// N-104, D-105: in no sequence does a request open, a call wait, or a call of a batch that would ask begin.
#[test]
fn no_sequence_makes_it_wait() {
    let config = Config { cases: 500, failure_persistence: None, ..Config::default() };
    let would_ask = std::cell::Cell::new(0);
    let modes = prop_oneof![Just(Mode::Default), Just(Mode::Auto), Just(Mode::Plan)];
    TestRunner::new(config)
        .run(&(modes, prop::collection::vec(op(), 1..40)), |(mode, ops)| {
            let mut play = with_agents(mode);
            play.say("Do it.").unwrap();
            for op in &ops {
                let changes = act(&mut play, op);
                let ends = changes
                    .iter()
                    .any(|change| matches!(change, Change::RunEnded { end: RunEnd::WouldAsk { .. }, .. }));
                would_ask.set(would_ask.get() + usize::from(ends));
                for change in &changes {
                    assert!(!matches!(change, Change::RequestOpened { .. } | Change::CallWaits { .. }), "{change:?}");
                }
                let waits = |state: &CallState| {
                    matches!(state, CallState::Waiting(_) | CallState::Held(_) | CallState::Suspended { .. })
                };
                assert!(!play.head.calls.values().any(|call| waits(&call.state)));
                let over = play.is_idle() && play.head.children.is_empty();
                assert!(play.head.run.is_some() || over, "what has ended holds nothing back");
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    assert!(would_ask.get() > 50, "the sequences are too shallow: {}", would_ask.get());
}
