//! Named cases of the functions that decide: which answers an input may carry, which tools are offered, what becomes of a run
//! whose process died.

use std::collections::BTreeMap;

use countersign_core::answer::{Answer, AnswerBody, AnyCommand, Misfit, Reach, admit};
use countersign_core::call::{CallState, Settled};
use countersign_core::change::Change;
use countersign_core::digest::Digest;
use countersign_core::ids::{At, Ids, RequestId};
use countersign_core::input::Refusal;
use countersign_core::mode::{Mode, Until};
use countersign_core::offer::offer;
use countersign_core::request::ClosedReason;
use countersign_core::run::RunEnd;
use countersign_core::step::recover::recover;

use crate::play::{Play, call, for_conversation, into, plan, reject, tools};

/// A conversation in Plan in which a reading call, a free-form call and a plan wait. The free-form one can't be made in Plan, so
/// the mode is tightened after it.
fn three_waiting() -> Play {
    let mut play = Play::new(Mode::Plan);
    play.tools.iter_mut().filter(|tool| tool.identity.name == "shell").for_each(|tool| {
        use countersign_core::tool::{Mark, Marks};
        tool.marks = Marks::of([Mark::FreeForm, Mark::ReadOnly]);
    });
    play.say("Look.").unwrap();
    play.reply(&[call("peek", "{}"), call("shell", "{}"), plan("# Plan")]);
    play
}

/// CL-8, CL-11, MA-1, D-04, D-26 to D-29, D-62, D-72, D-73, D-77, D-83, E-20.
#[test]
fn admitting_answers_is_all_or_nothing() {
    let play = three_waiting();
    let [peek, shell, plan] = play.head.requests_in_order()[..] else {
        panic!("three requests were expected");
    };
    let (gone, unknown) = (RequestId([0xAA; 16]), RequestId([0xBB; 16]));
    let closed = BTreeMap::from([(gone, ClosedReason::PassedBy)]);
    let say = |request: RequestId, digest: Digest, body: AnswerBody| Answer { request, digest, body };
    let approve = |one: &countersign_core::request::Request| say(one.id, one.digest, AnswerBody::Approve);
    let none = Digest([0; 32]);
    let any_command = AnswerBody::ApproveForConversation { reach: Reach::Tool, any_command: AnyCommand::Confirmed };
    let cases: Vec<(&str, Vec<Answer>, Result<usize, Refusal>)> = vec![
        ("no answer at all", vec![], Ok(0)),
        ("one of three", vec![approve(peek)], Ok(1)),
        ("all three, in any order", vec![approve(plan), approve(peek), approve(shell)], Ok(3)),
        ("one twice", vec![approve(peek), say(peek.id, peek.digest, reject("no"))], Ok(1)),
        (
            "a later duplicate is not even looked at",
            vec![approve(peek), say(peek.id, none, into(Mode::Plan, Until::Stays))],
            Ok(1),
        ),
        (
            "a closed one beside a good one, each named once",
            vec![
                approve(peek),
                say(gone, none, AnswerBody::Approve),
                say(unknown, none, AnswerBody::Approve),
                say(gone, none, reject("no")),
            ],
            Err(Refusal::ApprovalClosed(vec![(gone, ClosedReason::PassedBy), (unknown, ClosedReason::Unknown)])),
        ),
        (
            "closed is said before a wrong kind and a wrong digest",
            vec![say(peek.id, none, into(Mode::Auto, Until::Stays)), say(gone, none, AnswerBody::Approve)],
            Err(Refusal::ApprovalClosed(vec![(gone, ClosedReason::PassedBy)])),
        ),
        (
            "a wrong kind is said before a wrong digest",
            vec![say(shell.id, none, AnswerBody::Approve), say(peek.id, none, into(Mode::Auto, Until::Stays))],
            Err(Refusal::WrongKind(peek.id, Misfit::NotAPlan)),
        ),
        (
            "wrong digests are all named",
            vec![
                say(shell.id, none, AnswerBody::Approve),
                approve(peek),
                say(plan.id, peek.digest, AnswerBody::Approve),
            ],
            Err(Refusal::DigestMismatch(vec![shell.id, plan.id])),
        ),
        (
            "a rejection needs the digest too",
            vec![say(peek.id, none, reject("no"))],
            Err(Refusal::DigestMismatch(vec![peek.id])),
        ),
        (
            "a plan for the whole conversation",
            vec![say(plan.id, plan.digest, for_conversation(Reach::Tool))],
            Err(Refusal::WrongKind(plan.id, Misfit::PlanForConversation)),
        ),
        (
            "a plan into Plan",
            vec![say(plan.id, plan.digest, into(Mode::Plan, Until::Stays))],
            Err(Refusal::WrongKind(plan.id, Misfit::PlanIntoPlan)),
        ),
        ("a plan into Auto", vec![say(plan.id, plan.digest, into(Mode::Auto, Until::RunEnds))], Ok(1)),
        (
            "any command, without the word for it",
            vec![say(shell.id, shell.digest, for_conversation(Reach::Tool))],
            Err(Refusal::WrongKind(shell.id, Misfit::AnyCommandNotConfirmed)),
        ),
        ("any command, confirmed", vec![say(shell.id, shell.digest, any_command)], Ok(1)),
        ("exactly this command", vec![say(shell.id, shell.digest, for_conversation(Reach::Exact))], Ok(1)),
        (
            "any arguments of a tool that runs no commands",
            vec![say(peek.id, peek.digest, for_conversation(Reach::Tool))],
            Ok(1),
        ),
    ];
    for (name, answers, expected) in cases {
        let admitted = admit(&answers, &play.head, &closed, &play.checks(&answers)).map(|admitted| {
            let all = play.head.requests.keys();
            all.filter(|id| admitted.get(**id).is_some()).count()
        });
        assert_eq!(admitted, expected, "{name}");
    }
    let twice = [say(peek.id, peek.digest, reject("first")), approve(peek)];
    let admitted = admit(&twice, &play.head, &closed, &play.checks(&twice)).unwrap();
    assert_eq!(admitted.get(peek.id), Some(&reject("first")), "the first answer counts (MA-5)");
}

/// MO-3 to MO-5, PL-2, PL-10, PL-11, D-36.
#[test]
fn what_each_mode_offers() {
    let all = ["read", "browse", "peek", "write", "set", "shell", "ask", "pick", "remote"];
    for (mode, expected) in [
        (Mode::Default, all.to_vec()),
        (Mode::Auto, all.to_vec()),
        (Mode::Plan, vec!["read", "peek", "ask", "exit_plan_mode"]),
    ] {
        let offered = offer(&tools(), mode);
        let names: Vec<&str> = offered.iter().map(|tool| tool.identity.name.as_str()).collect();
        assert_eq!(names, expected, "{mode:?}");
    }
    assert_eq!(offer(&[], Mode::Default), vec![], "no tool is no tool (D-48)");
}

/// TX-RECOVER, D-53, D-54, D-74, B-05, N-76, N-82.
#[test]
fn recovering() {
    let idle = Play::new(Mode::Default);
    assert_eq!(recover(&idle.head, At(9), Ids::default()).unwrap(), vec![], "nothing went on");

    let mut waits = Play::new(Mode::Default);
    waits.say("Write.").unwrap();
    waits.reply(&[call("write", "{}")]);
    assert_eq!(
        recover(&waits.head, At(9), Ids::default()).unwrap(),
        vec![],
        "a request waits without a run, so a dead process is nothing to it"
    );

    let mut asked_model = Play::new(Mode::Default);
    asked_model.say("Hello.").unwrap();
    let run = asked_model.run();
    let interrupted = Change::RunEnded { run, end: RunEnd::Interrupted, at: At(9) };
    assert_eq!(recover(&asked_model.head, At(9), Ids::default()).unwrap(), vec![interrupted]);

    for (tool, expected) in
        [("read", Settled::Errored), ("write", Settled::OutcomeUnknown), ("set", Settled::OutcomeUnknown)]
    {
        let mut runs = Play::new(Mode::Auto);
        runs.say("Do both.").unwrap();
        runs.reply(&[call(tool, "{}"), call("write", "{\"second\":1}")]);
        assert_eq!(runs.standing_of(), [(tool, "started"), ("write", "approved")]);
        runs.die();
        assert_eq!(runs.ends()[0].1, expected, "{tool}");
        assert!(runs.ends()[0].2.is_some(), "the model is told");
        assert_eq!(runs.standing_of(), [("write", "approved")], "what had not started waits for the person");
        assert_eq!(runs.head.run, None);
        assert_eq!(runs.die(), vec![], "recovering twice does nothing");
    }
}

/// D-74 in TX-RECOVER, and TX-RECOVER for a run that is being stopped.
#[test]
fn recovering_ends_an_auto_for_one_plan_and_a_stop() {
    let mut play = Play::new(Mode::Plan);
    play.say("Plan.").unwrap();
    play.reply(&[plan("# Plan")]);
    play.answer(&[(0, into(Mode::Auto, Until::RunEnds))]).unwrap();
    play.reply(&[call("write", "{}")]);
    assert_eq!(play.head.conversation.mode, Mode::Auto);
    play.give(countersign_core::input::Input::Stop).unwrap();
    play.die();
    assert_eq!(play.head.conversation.mode, Mode::Default);
    assert_eq!(play.head.conversation.auto_chain, None);
    assert!(play.is_idle());
    assert!(!play.head.calls.values().any(|call| matches!(call.state, CallState::Started { .. })));
    assert_eq!(play.run_ends().last(), Some(&RunEnd::Interrupted));
}
