//! PL and the decisions about plans.

use countersign_core::answer::{AnswerBody, Reach};
use countersign_core::call::Settled;
use countersign_core::input::{Input, Refusal, Verdict};
use countersign_core::mode::{Mode, Until};

use crate::house::{self, House};
use crate::play::{Play, call, for_conversation, into, judge, names, plan, reject, says};

fn planned(calls: &[countersign_core::input::ProposedCall]) -> Play {
    let mut play = Play::new(Mode::Plan);
    play.say("Plan.").unwrap();
    play.reply(calls);
    play
}

fn mode(play: &Play) -> Mode {
    play.head.conversation.mode
}

#[tokio::test]
async fn pl_2_only_marked_tools_and_the_plan_are_visible() {
    let mut house = House::new(Mode::Plan).await;
    house.say("Plan.").await;
    let names: Vec<String> = house.script.last().tools.iter().map(|tool| tool.identity.name.clone()).collect();
    assert_eq!(names, ["read", "peek", "ask_user", "exit_plan_mode"], "a reading tool without the mark is hidden too");
}

#[tokio::test]
async fn pl_3_the_instruction_is_there_in_plan_only() {
    let mut house = House::new(Mode::Plan).await;
    house.ask(&[house::plan("# Plan")]).await;
    assert!(house.script.last().system.contains("plan mode"));
    house.answer(&[(0, AnswerBody::Approve)]).await;
    assert!(!house.script.last().system.contains("plan mode"));
}

#[test]
fn pl_5_a_plan_is_one_request() {
    assert_eq!(planned(&[plan("# Plan"), call("read", "{}")]).head.requests.len(), 1);
}

#[test]
fn pl_6_a_plan_is_approved_into_default_or_auto() {
    for (target, admitted) in [(Mode::Default, true), (Mode::Auto, true), (Mode::Plan, false)] {
        let mut play = planned(&[plan("# Plan")]);
        assert_eq!(play.answer(&[(0, into(target, Until::Stays))]).is_ok(), admitted, "{target:?}");
    }
}

/// Also surface 44.
#[tokio::test]
async fn pl_7_the_answering_run_goes_on_in_the_new_mode() {
    let mut house = House::new(Mode::Plan).await;
    house.ask(&[house::plan("# Plan")]).await;
    house.answer(&[(0, into(Mode::Auto, Until::Stays))]).await;
    assert!(house.script.last().tools.iter().any(|tool| tool.identity.name == "write"));
}

#[test]
fn pl_8_into_auto_nothing_asks() {
    let mut play = planned(&[plan("# Plan")]);
    play.answer(&[(0, into(Mode::Auto, Until::Stays))]).unwrap();
    play.reply(&[call("write", "{}")]);
    assert_eq!(play.runs_calls(), 1);
}

#[test]
fn pl_9_a_rejection_is_criticism_and_planning_goes_on() {
    let mut play = planned(&[plan("# Plan")]);
    play.answer(&[(0, reject("too coarse"))]).unwrap();
    assert!(play.ends()[0].2.as_ref().unwrap().contains("too coarse"));
    assert_eq!(mode(&play), Mode::Plan);
}

#[test]
fn pl_10_a_tool_without_the_mark_is_hidden() {
    let play = planned(&[call("browse", "{}")]);
    assert!(play.executed().is_empty(), "although it only reads");
}

#[tokio::test]
async fn pl_11_outside_plan_there_is_no_plan_to_hand_in() {
    for mode in [Mode::Default, Mode::Auto] {
        let mut house = House::new(mode).await;
        house.say("Go.").await;
        assert!(!house.script.last().tools.iter().any(|tool| tool.identity.name == "exit_plan_mode"));
    }
}

#[test]
fn mo_12_a_plan_into_auto_that_stays_stays() {
    let mut play = planned(&[plan("# Plan")]);
    play.answer(&[(0, into(Mode::Auto, Until::Stays))]).unwrap();
    play.reply(&[]);
    play.say("More.").unwrap();
    assert_eq!(mode(&play), Mode::Auto);
}

#[test]
fn d_26_a_plan_into_plan_is_refused() {
    let mut play = planned(&[plan("# Plan")]);
    assert!(matches!(play.answer(&[(0, into(Mode::Plan, Until::Stays))]), Err(Refusal::WrongKind(..))));
}

#[test]
fn d_27_a_plain_yes_is_into_default() {
    let mut play = planned(&[plan("# Plan")]);
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    assert_eq!(mode(&play), Mode::Default);
}

#[test]
fn d_28_a_plan_is_no_tool_to_trust() {
    let mut play = planned(&[plan("# Plan")]);
    assert!(matches!(play.answer(&[(0, for_conversation(Reach::Tool))]), Err(Refusal::WrongKind(..))));
}

#[test]
fn d_29_a_call_is_no_plan() {
    let mut play = planned(&[call("peek", "{}")]);
    assert!(matches!(play.answer(&[(0, into(Mode::Auto, Until::Stays))]), Err(Refusal::WrongKind(..))));
    assert_eq!(play.head.requests.len(), 1);
}

#[test]
fn d_30_a_plans_siblings_wait_and_run_whatever_is_said() {
    for body in [AnswerBody::Approve, reject("no")] {
        let mut play = planned(&[plan("# Plan"), call("read", "{}")]);
        assert!(play.executed().is_empty());
        play.answer(&[(0, body)]).unwrap();
        assert_eq!(names(&play.executed()), ["read"]);
    }
}

#[test]
fn d_31_the_last_plan_is_the_request() {
    let mut play = planned(&[plan("# First"), plan("# Second")]);
    let waiting = play.head.calls[&play.head.requests_in_order()[0].call].arguments.clone();
    assert!(waiting.contains("Second"));
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    assert!(play.ends().iter().any(|end| end.2.as_ref().is_some_and(|text| text.contains("later one"))));
}

#[test]
fn d_32_a_plan_outside_plan_is_an_error_and_no_question() {
    for other in [Mode::Default, Mode::Auto] {
        let mut play = Play::new(other);
        play.say("Go.").unwrap();
        play.reply(&[plan("# Plan")]);
        assert_eq!((play.head.requests.len(), mode(&play), play.calls_model()), (0, other, true));
    }
}

#[test]
fn d_33_only_a_person_accepts_a_plan() {
    for (verdict, asks) in [(Verdict::Approve, 1), (Verdict::Reject { reason: "no".to_owned() }, 0)] {
        let mut play = Play::new(Mode::Plan);
        play.say("Plan.").unwrap();
        let one = plan("# Plan");
        let mut judged = judge(&play.tools, &one);
        judged.verdicts = says(&[verdict]);
        play.reply_judged("", &[one], vec![judged]);
        assert_eq!((play.head.requests.len(), mode(&play)), (asks, Mode::Plan));
    }
}

#[test]
fn d_34_no_plan_no_question() {
    for arguments in ["{}", "{\"plan\":\"\"}", "{\"plan\":\" \\n\"}", "{\"plan\":[]}", "{"] {
        let play = planned(&[call("exit_plan_mode", arguments)]);
        assert!(play.head.requests.is_empty() && play.calls_model(), "{arguments}");
    }
}

#[test]
fn d_35_a_plans_answer_wins_over_a_mode_beside_it() {
    let mut play = planned(&[plan("# Plan")]);
    let mut input = play.input();
    input.answers = play.answers(&[(0, into(Mode::Auto, Until::Stays))]);
    input.mode = Some(Mode::Plan);
    play.start(input).unwrap();
    assert_eq!(mode(&play), Mode::Auto);
}

#[test]
fn d_36_a_bound_reading_tool_asks_while_planning() {
    let mut play = planned(&[call("peek", "{}"), plan("# Plan")]);
    assert_eq!(play.head.requests.len(), 2);
    play.answer(&[(0, AnswerBody::Approve), (1, reject("look again"))]).unwrap();
    assert_eq!((names(&play.executed()), mode(&play)), (vec!["peek"], Mode::Plan));
}

#[test]
fn d_37_a_hidden_tool_is_an_error_and_spares_its_siblings() {
    let play = planned(&[call("write", "{}"), call("read", "{}")]);
    assert_eq!(names(&play.executed()), ["read"]);
    assert!(play.ends()[0].2.as_ref().unwrap().contains("planning"));
}

#[test]
fn d_38_an_approved_write_runs_although_the_run_plans() {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{}")]);
    let mut input = play.input();
    input.answers = play.answers(&[(0, AnswerBody::Approve)]);
    input.mode = Some(Mode::Plan);
    play.start(input).unwrap();
    assert_eq!((names(&play.executed()), mode(&play)), (vec!["write"], Mode::Plan));
}

#[test]
fn d_74_auto_for_this_plan_ends_with_every_end_that_doesnt_ask() {
    let begin = || {
        let mut play = planned(&[plan("# Plan")]);
        play.answer(&[(0, into(Mode::Auto, Until::RunEnds))]).unwrap();
        assert_eq!(mode(&play), Mode::Auto);
        play
    };
    let mut completed = begin();
    completed.reply(&[]);
    let mut failed = begin();
    failed.fail_model();
    let mut cancelled = begin();
    cancelled.give(Input::Stop).unwrap();
    let mut died = begin();
    died.die();
    for play in [completed, failed, cancelled, died] {
        assert_eq!(mode(&play), Mode::Default, "{:?}", play.run_ends());
    }
}

#[test]
fn d_107_a_plan_never_executes() {
    let mut play = planned(&[plan("# Plan")]);
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    assert!(play.executed().is_empty());
    assert_eq!(play.ends()[0].1, Settled::PlanAccepted);
}
