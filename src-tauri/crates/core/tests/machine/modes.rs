//! Plan, Auto and what tightens them.

use countersign_core::answer::{AnswerBody, Reach};
use countersign_core::call::Settled;
use countersign_core::ids::At;
use countersign_core::input::{Input, Refusal, RunInput, Verdict};
use countersign_core::mode::{AutoEnd, LONGEST_AUTO, Mode, SHORTEST_AUTO, Until};
use countersign_core::run::RunEnd;

use crate::play::{Play, call, for_conversation, into, judge, names, plan, reject, says, starting};

fn planning() -> Play {
    let mut play = Play::new(Mode::Plan);
    play.say("Plan it.").unwrap();
    play.reply(&[plan("# Do it")]);
    play
}

fn mode(play: &Play) -> Mode {
    play.head.conversation.mode
}

/// PL-4 to PL-8, MO-12, D-27, D-35, D-74, L-106, L-107: a plan approved into each mode, and how long that holds.
#[test]
fn a_plan_is_approved_into_a_mode() {
    for (body, runs, after) in [
        (AnswerBody::Approve, false, Mode::Default),
        (into(Mode::Default, Until::Stays), false, Mode::Default),
        (into(Mode::Default, Until::RunEnds), false, Mode::Default),
        (into(Mode::Auto, Until::RunEnds), true, Mode::Default),
        (into(Mode::Auto, Until::Stays), true, Mode::Auto),
    ] {
        let mut play = planning();
        assert_eq!(play.head.requests.len(), 1, "PL-5");
        let mut input = play.input();
        input.answers = play.answers(&[(0, body.clone())]);
        input.mode = Some(Mode::Plan);
        play.start(input).unwrap();
        assert!(play.calls_model(), "a plan is an answer, nothing executes");
        assert_eq!(play.ends()[0].1, Settled::PlanAccepted);
        play.reply(&[call("write", "{}")]);
        assert_eq!(play.runs_calls() == 1, runs, "{body:?}");
        if runs {
            play.finish_first();
            play.reply(&[]);
        }
        assert_eq!(mode(&play), after, "{body:?}");
        assert_eq!(play.head.conversation.auto_chain, None);
    }
}

/// D-74: Auto for this plan goes through runs that ask, and ends with the first that doesn't, or with other input.
#[test]
fn auto_for_this_plan_only() {
    let begin = || {
        let mut play = planning();
        play.answer(&[(0, into(Mode::Auto, Until::RunEnds))]).unwrap();
        let failed = [Verdict::Failed { why: "broken".to_owned() }];
        let one = call("write", "{}");
        let mut judged = judge(&play.tools, &one);
        judged.verdicts = says(&failed);
        play.reply_judged("", &[one], vec![judged]);
        assert_eq!(play.run_ends().last(), Some(&RunEnd::Asked));
        assert_eq!(mode(&play), Mode::Auto, "an asking end doesn't end it");
        play
    };
    let mut answered = begin();
    answered.answer(&[(0, AnswerBody::Approve)]).unwrap();
    answered.finish_first();
    assert_eq!(mode(&answered), Mode::Auto);
    answered.reply(&[call("shell", "{}")]);
    assert_eq!(answered.runs_calls(), 1);
    answered.finish_first();
    answered.fail_model();
    assert_eq!(mode(&answered), Mode::Default, "a failed end ends it (D-24 yields)");

    let mut passed = begin();
    passed.say("Something else.").unwrap();
    assert_eq!(mode(&passed), Mode::Default, "a run that answers nothing ends it at its start");

    let mut stopped = begin();
    stopped.give(Input::Stop).unwrap();
    assert_eq!(mode(&stopped), Mode::Default, "D-107");
}

/// An input that turns Auto on until so many milliseconds from now.
fn auto_for(play: &Play, text: &str, milliseconds: i64) -> RunInput {
    let mut input = play.input();
    (input.text, input.mode) = (Some(text.to_owned()), Some(Mode::Auto));
    // The step that takes it comes a millisecond later.
    input.auto_until = Some(At(play.at().0 + 1 + milliseconds));
    input
}

const HOUR: i64 = 3_600_000;

/// D-82: an Auto that was given an end goes back to Default at that time, before anything that comes then is decided.
#[test]
fn auto_ends_at_its_time() {
    let mut play = Play::new(Mode::Default);
    play.start(auto_for(&play, "Go.", HOUR)).unwrap();
    play.reply(&[call("write", "{}")]);
    assert_eq!(play.runs_calls(), 1, "until then it is Auto");
    play.finish_first();
    play.wait(HOUR);
    play.reply(&[call("write", "{\"late\":true}"), call("read", "{}")]);
    assert_eq!((mode(&play), play.head.conversation.auto_until), (Mode::Default, None));
    assert_eq!(play.standing_of(), [("write", "waiting"), ("read", "held")], "no timer was needed for it to ask");
    assert_eq!(play.run_ends(), [RunEnd::Asked]);

    // Of a batch that runs, what hasn't started asks; what has goes on.
    let mut play = Play::new(Mode::Default);
    play.start(auto_for(&play, "Go.", HOUR)).unwrap();
    play.reply(&[call("write", "{\"n\":1}"), call("write", "{\"n\":2}")]);
    play.wait(HOUR);
    play.finish_first();
    assert_eq!(play.standing_of(), [("write", "waiting")], "D-97");
    assert_eq!(names(&play.executed()), ["write"]);

    // When nothing else happens the shell says that time has passed; a moment before, that changes nothing.
    let mut play = Play::new(Mode::Default);
    play.start(auto_for(&play, "Go.", HOUR)).unwrap();
    play.reply(&[]);
    play.wait(HOUR - 3);
    assert_eq!(play.give(Input::TimePassed).unwrap().changes, []);
    play.wait(1);
    assert_eq!(mode(&play), Mode::Auto);
    let step = play.give(Input::TimePassed).unwrap();
    assert_eq!((step.changes.len(), mode(&play)), (1, Mode::Default));
    assert_eq!(play.give(Input::TimePassed).unwrap().changes, []);
    // Whoever presses Default at that very moment isn't told that it can't be.
    let mut play = Play::new(Mode::Default);
    play.start(auto_for(&play, "Go.", HOUR)).unwrap();
    play.wait(HOUR);
    play.give(Input::Tighten { mode: Mode::Default }).unwrap();
    assert_eq!(mode(&play), Mode::Default);
}

/// D-82: the end holds in agents below, for a run that inherits the mode, and if the clock was set back to before it began.
#[test]
fn an_end_of_auto_holds_everywhere() {
    let mut play = Play::with_agents(Mode::Default);
    play.start(auto_for(&play, "Go.", HOUR)).unwrap();
    play.reply(&[starting("helper")]);
    play.wait(HOUR);
    let child = *play.head.children.keys().next().unwrap();
    play.reply_in(child, "", &[call("write", "{}")]);
    assert_eq!((names(&play.executed()), play.head.requests.len()), (vec!["helper"], 1), "the agent below asks, too");

    let mut play = Play::new(Mode::Default);
    play.start(auto_for(&play, "Go.", HOUR)).unwrap();
    play.reply(&[]);
    play.say("More.").unwrap();
    assert_eq!(mode(&play), Mode::Auto, "the next run inherits it with its end");
    play.wait(HOUR);
    play.reply(&[call("write", "{}")]);
    assert_eq!(play.head.requests.len(), 1);

    for back in [1, 30 * 24] {
        let mut play = Play::new(Mode::Default);
        play.wait(40 * 24 * HOUR);
        play.start(auto_for(&play, "Go.", HOUR)).unwrap();
        play.wait(-back * HOUR);
        play.reply(&[call("write", "{}")]);
        assert_eq!(play.runs_calls() == 1, back == 1, "nobody can tell how long it lasted: it asks");
    }

    // The person gives it anew, or another mode: the end is the one that came last.
    let mut play = Play::new(Mode::Default);
    play.start(auto_for(&play, "Go.", HOUR)).unwrap();
    play.reply(&[]);
    let mut input = play.input();
    (input.text, input.mode) = (Some("Stay.".to_owned()), Some(Mode::Auto));
    play.start(input).unwrap();
    assert_eq!((mode(&play), play.head.conversation.auto_until), (Mode::Auto, None));
}

/// D-74, D-82: a plan approved into Auto with an end: whichever comes first, the run's end or the time.
#[test]
fn a_plan_is_approved_into_auto_with_an_end() {
    for until in [Until::RunEnds, Until::Stays] {
        let mut play = planning();
        let ends_at = Some(At(play.at().0 + 1 + HOUR));
        play.answer(&[(0, AnswerBody::ApprovePlan { into: Mode::Auto, until, ends_at })]).unwrap();
        assert_eq!(play.head.conversation.auto_until, ends_at);
        let mut early = play.clone();
        early.reply(&[]);
        assert_eq!(mode(&early) == Mode::Default, until == Until::RunEnds);
        assert_eq!(early.head.conversation.auto_until.is_none(), until == Until::RunEnds);
        play.wait(HOUR);
        play.reply(&[call("write", "{}")]);
        assert_eq!((mode(&play), play.head.requests.len()), (Mode::Default, 1));
        assert_eq!((play.head.conversation.auto_chain, play.head.conversation.auto_until), (None, None));
    }
}

/// D-82: what can't be an end is refused, and nothing starts; answers that were queued too long are drafts again (D-100).
#[test]
fn an_end_of_auto_must_be_one() {
    for (milliseconds, fault) in [
        (-1, Some(AutoEnd::Over)),
        (0, Some(AutoEnd::Over)),
        (SHORTEST_AUTO - 1, Some(AutoEnd::TooNear)),
        (SHORTEST_AUTO, None),
        (LONGEST_AUTO, None),
        (LONGEST_AUTO + 1, Some(AutoEnd::TooFar)),
    ] {
        let expected = fault.map_or(Ok(()), |fault| Err(Refusal::AutoEnd(fault)));
        let mut play = Play::new(Mode::Default);
        let before = play.head.clone();
        let came_of_it = play.start(auto_for(&play, "Go.", milliseconds));
        assert_eq!(came_of_it.map(|_| ()), expected, "{milliseconds}");
        assert_eq!(play.head == before, fault.is_some());

        let mut play = planning();
        let ends_at = Some(At(play.at().0 + 1 + milliseconds));
        let body = AnswerBody::ApprovePlan { into: Mode::Auto, until: Until::Stays, ends_at };
        assert_eq!(play.answer(&[(0, body)]).map(|_| ()), expected, "{milliseconds}");
        assert_eq!(play.head.requests.is_empty(), fault.is_none(), "a refused answer closes nothing");
    }
    for other in [None, Some(Mode::Default), Some(Mode::Plan)] {
        let mut play = Play::new(Mode::Default);
        let mut input = auto_for(&play, "Go.", HOUR);
        input.mode = other;
        assert_eq!(play.start(input).unwrap_err(), Refusal::AutoEnd(AutoEnd::NotAuto));
    }
    let mut play = planning();
    let ends_at = Some(At(play.at().0 + HOUR));
    let body = AnswerBody::ApprovePlan { into: Mode::Default, until: Until::Stays, ends_at };
    assert_eq!(play.answer(&[(0, body)]).unwrap_err(), Refusal::AutoEnd(AutoEnd::NotAuto));
}

/// PL-9, L-104, L-113: a plan sent back is planned again.
#[test]
fn a_plan_is_sent_back() {
    let mut play = planning();
    play.answer(&[(0, reject("smaller steps"))]).unwrap();
    assert_eq!(mode(&play), Mode::Plan);
    let (_, settled, text) = play.ends().pop().unwrap();
    assert!(matches!(settled, Settled::RejectedByPerson { .. }));
    assert!(text.unwrap().contains("smaller steps"));
    play.reply(&[call("write", "{}")]);
    assert_eq!(play.executed(), [], "still planning");
    assert!(play.ends().pop().unwrap().2.unwrap().contains("planning"));
    play.reply(&[plan("# Smaller")]);
    assert_eq!(play.head.requests.len(), 1);
}

/// D-30 to D-34, D-36, D-37, L-028, L-103, L-110: what Plan makes of a batch.
#[test]
fn a_batch_while_planning() {
    let mut play = Play::new(Mode::Plan);
    play.say("Plan it.").unwrap();
    play.reply(&[plan("# First"), call("read", "{}"), call("write", "{}"), plan("# Second")]);
    assert_eq!(
        play.standing_of(),
        [("exit_plan_mode", "held"), ("read", "held"), ("write", "held"), ("exit_plan_mode", "waiting")]
    );
    play.answer(&[(0, into(Mode::Auto, Until::Stays))]).unwrap();
    play.finish_first();
    assert_eq!(names(&play.executed()), ["read"], "a hidden tool doesn't run, whatever the plan was approved into");
    let told: Vec<String> =
        play.ends().into_iter().filter_map(|(_, settled, text)| text.filter(|_| settled == Settled::Fault)).collect();
    assert!(told[0].contains("later one") && told[1].contains("planning"), "{told:?}");

    for blank in ["{}", "{\"plan\": \" \"}", "{\"plan\": 4}", "not json"] {
        let mut play = Play::new(Mode::Plan);
        play.say("Plan it.").unwrap();
        play.reply(&[call("exit_plan_mode", blank)]);
        assert_eq!(play.head.requests.len(), 0, "{blank}: no card without a plan");
        assert!(play.calls_model());
    }
    for other in [Mode::Default, Mode::Auto] {
        let mut play = Play::new(other);
        play.say("Go.").unwrap();
        play.reply(&[plan("# Plan")]);
        assert_eq!((play.head.requests.len(), mode(&play)), (0, other), "D-32");
        assert!(play.ends()[0].2.as_ref().unwrap().contains("not available"));
    }
    // D-33: rules can only reject a plan.
    for (verdict, requests) in [(Verdict::Approve, 1), (Verdict::Reject { reason: "weak".to_owned() }, 0)] {
        let mut play = Play::new(Mode::Plan);
        play.say("Plan it.").unwrap();
        let one = plan("# Plan");
        let mut judged = judge(&play.tools, &one);
        judged.verdicts = says(&[verdict]);
        play.reply_judged("", &[one], vec![judged]);
        assert_eq!(play.head.requests.len(), requests);
        assert_eq!(mode(&play), Mode::Plan);
    }
    // D-36: a reading tool that needs approval asks beside the plan.
    let mut play = Play::new(Mode::Plan);
    play.say("Plan it.").unwrap();
    play.reply(&[call("peek", "{}"), plan("# Plan")]);
    assert_eq!(play.head.requests.len(), 2);
}

/// MO-8, MO-10, MO-11, MO-15, D-23, D-25, D-38, L-115: a mode in the input, and none.
#[test]
fn a_mode_goes_with_the_input() {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{}")]);
    let mut switched = play.clone();
    let mut input = switched.input();
    input.text = Some("Go on.".to_owned());
    input.mode = Some(Mode::Auto);
    switched.start(input).unwrap();
    assert_eq!(switched.executed(), [], "what waited isn't approved by a later Auto");
    switched.reply(&[call("write", "{}")]);
    assert_eq!(switched.runs_calls(), 1);
    switched.finish_first();
    switched.reply(&[]);
    switched.say("More.").unwrap();
    assert_eq!(mode(&switched), Mode::Auto, "the next run inherits it");

    let mut input = play.input();
    input.answers = play.answers(&[(0, AnswerBody::Approve)]);
    input.mode = Some(Mode::Plan);
    play.start(input).unwrap();
    assert_eq!(names(&play.executed()), ["write"], "the person approved that very call");
    play.finish_first();
    play.reply(&[call("shell", "{}")]);
    assert_eq!(play.executed().len(), 1, "and then it plans");
}

/// D-82, D-97: tightening acts on what hasn't started; what a person approved isn't touched.
#[test]
fn tightening_acts_at_once() {
    let mut play = Play::new(Mode::Auto);
    play.say("Go.").unwrap();
    {
        let looser = Mode::Auto;
        let refused = play.give(Input::Tighten { mode: looser });
        assert!(matches!(refused, Err(Refusal::IllegalInput { .. })));
    }
    play.reply(&[
        call("write", "{\"n\":1}"),
        call("write", "{\"n\":2}"),
        call("read", "{}"),
        call("write", "{\"n\":3}"),
    ]);
    play.give(Input::Tighten { mode: Mode::Default }).unwrap();
    assert_eq!(mode(&play), Mode::Default);
    assert_eq!(play.started().len(), 1, "what has started goes on");
    play.finish_first();
    assert_eq!(play.standing_of(), [("write", "waiting"), ("read", "held"), ("write", "waiting")]);
    assert_eq!(play.run_ends(), [RunEnd::Asked]);
    play.answer(&[(0, AnswerBody::Approve), (1, reject(""))]).unwrap();
    play.finish_first();
    play.finish_first();
    assert!(play.calls_model());
    assert_eq!(names(&play.executed()), ["write", "write", "read"]);

    // A person's approval behind a lapsed one waits with it and keeps its word; before it, it runs first.
    let failed = [Verdict::Failed { why: "broken".to_owned() }];
    let calls = [call("write", "{\"n\":1}"), call("write", "{\"n\":2}")];
    let mut play = Play::new(Mode::Auto);
    play.say("Go.").unwrap();
    let mut judged = vec![judge(&play.tools, &calls[0]), judge(&play.tools, &calls[1])];
    judged[0].verdicts = says(&failed);
    play.reply_judged("", &calls, judged);
    assert_eq!(play.standing_of(), [("write", "waiting"), ("write", "held")]);
    play.give(Input::Tighten { mode: Mode::Default }).unwrap();
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    assert_eq!(play.standing_of(), [("write", "started"), ("write", "approved")], "the approved call runs first");
    play.finish_first();
    assert_eq!(play.standing_of(), [("write", "waiting")], "then the other one asks");
}

/// D-97: a call whose turn has come and that something else covers now runs; that a later one must ask doesn't hold it back.
#[test]
fn what_is_covered_otherwise_runs_in_its_turn() {
    let mut play = Play::new(Mode::Auto);
    play.say("Go.").unwrap();
    let calls = [call("write", "{\"n\":1}"), call("write", "{\"n\":1}"), call("shell", "{}")];
    let mut judged: Vec<_> = calls.iter().map(|one| judge(&play.tools, one)).collect();
    judged[1].verdicts = says(&[Verdict::Failed { why: "broken".to_owned() }]);
    play.reply_judged("", &calls, judged);
    assert_eq!(play.standing_of(), [("write", "held"), ("write", "waiting"), ("shell", "held")]);
    let mut input = play.input();
    input.answers = play.answers(&[(0, for_conversation(Reach::Exact))]);
    input.mode = Some(Mode::Default);
    play.start(input).unwrap();
    assert_eq!(play.standing_of(), [("write", "started"), ("write", "approved"), ("shell", "approved")]);
    play.finish_first();
    play.finish_first();
    assert_eq!(play.standing_of(), [("shell", "waiting")]);
}

/// D-51, D-97, N-18, N-53, M-11: tools that change while something waits.
#[test]
fn tools_change_while_something_waits() {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{}"), call("remote", "{}"), call("shell", "{}")]);
    play.tools.retain(|tool| tool.identity.name != "write");
    for tool in &mut play.tools {
        if tool.identity.name == "remote" {
            use countersign_core::tool::{Mark, Marks};
            tool.marks = Marks::of([Mark::RequiresApproval]);
        }
    }
    play.answer(&[(0, AnswerBody::Approve), (1, AnswerBody::Approve)]).unwrap();
    assert_eq!(names(&play.executed()), ["shell"]);
    let ends = play.ends();
    assert_eq!((&ends[0].1, &ends[1].1), (&Settled::NoLongerPermitted, &Settled::NoLongerPermitted));
    assert!(ends[1].2.as_ref().unwrap().contains("needs approval now"));

    // A standing approval doesn't cover a tool that only has the same name (D-14).
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{}")]);
    play.answer(&[(0, for_conversation(Reach::Tool))]).unwrap();
    play.finish_first();
    for tool in &mut play.tools {
        if let countersign_core::tool::Origin::BuiltIn { root, .. } = &mut tool.identity.origin {
            "/elsewhere".clone_into(root);
        }
    }
    play.reply(&[call("write", "{}")]);
    assert_eq!(play.head.requests.len(), 1);
}
