//! RU and SA: what guards and standing approvals decide before a person is asked.

use std::sync::Arc;

use countersign_core::answer::{AnswerBody, Reach};
use countersign_core::call::{Settled, Warrant};
use countersign_core::change::Change;
use countersign_core::input::{Input, Verdict};
use countersign_core::mode::Mode;

use crate::house::{self, House, calls, guard};
use crate::play::{Play, call, for_conversation, judge, names, reject, says};

fn no(reason: &str) -> Verdict {
    Verdict::Reject { reason: reason.to_owned() }
}

/// A call of `write` in a mode, with what the guards say; standing approval or not.
fn judged(mode: Mode, standing: bool, verdicts: &[Verdict]) -> Play {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    if standing {
        play.reply(&[call("write", "{}")]);
        play.answer(&[(0, for_conversation(Reach::Tool))]).unwrap();
        play.finish_first();
        play.reply(&[]);
        play.say("On.").unwrap();
    }
    if mode != Mode::Default {
        play.fail_model();
        let mut input = play.input();
        input.text = Some("In that mode.".to_owned());
        input.mode = Some(mode);
        play.start(input).unwrap();
    }
    play.log.clear();
    let one = call("write", "{}");
    let mut judged = judge(&play.tools, &one);
    judged.verdicts = says(verdicts);
    play.reply_judged("", &[one], vec![judged]);
    play
}

fn warrant(play: &Play) -> Option<Warrant> {
    play.log.iter().find_map(|change| match change {
        Change::CallStarted { warrant, .. } => Some(warrant.clone()),
        _ => None,
    })
}

#[tokio::test]
async fn ru_1_rules_are_asked_while_the_run_goes_on() {
    let mut house = House::new(Mode::Default).await;
    house.guards(&[guard("g", |_| Verdict::Approve)]);
    house.ask(&[house::call("write", "{}")]).await;
    assert_eq!((house.ran().len(), house.script.calls()), (1, 2), "one run, no question");
}

#[test]
fn ru_2_reject_approve_abstain() {
    assert!(matches!(judged(Mode::Default, false, &[no("n")]).ends()[0].1, Settled::RejectedByRule { .. }));
    assert_eq!(judged(Mode::Default, false, &[Verdict::Approve]).executed().len(), 1);
    assert_eq!(judged(Mode::Default, false, &[Verdict::Abstain]).head.requests.len(), 1);
}

#[tokio::test]
async fn ru_4_every_rule_sees_every_bound_call_and_no_other() {
    let mut house = House::new(Mode::Default).await;
    let (one, two) = (guard("one", |_| Verdict::Approve), guard("two", |_| Verdict::Abstain));
    house.guards(&[Arc::clone(&one), Arc::clone(&two)]);
    house.ask(&[house::call("write", "{}"), house::call("read", "{}"), house::call("shell", "{}")]).await;
    for guard in [one, two] {
        assert_eq!(*guard.saw.lock().unwrap(), [["write", "shell"]], "{}", guard.name);
    }
}

#[tokio::test]
async fn ru_5_a_rule_sees_the_very_call_that_would_run() {
    let text = "{\"n\":  1.0}";
    let mut house = House::new(Mode::Default).await;
    let seen = Arc::new(std::sync::Mutex::new(String::new()));
    let sees = Arc::clone(&seen);
    house.guards(&[guard("g", move |call| {
        sees.lock().unwrap().clone_from(&call.arguments);
        Verdict::Approve
    })]);
    house.ask(&[house::call("write", text)]).await;
    assert_eq!((seen.lock().unwrap().as_str(), house.effects()), (text, vec![text.to_owned()]));
}

#[tokio::test]
async fn ru_6_a_rule_reads_bare_strings_and_literals() {
    let mut house = House::new(Mode::Default).await;
    house.guards(&[guard("g", |call| {
        let text = call.tree.get("path").and_then(|path| path.as_text());
        let number = call.tree.get("n");
        let is_right = text == Some("a\"b") && number == Some(&countersign_core::parse::Tree::Number("1.0".to_owned()));
        if is_right { Verdict::Approve } else { Verdict::Reject { reason: "misread".to_owned() } }
    })]);
    house.ask(&[house::call("write", "{\"path\": \"a\\\"b\", \"n\": 1.0}")]).await;
    assert_eq!(house.ran().len(), 1);
}

#[test]
fn ru_8_a_rejection_holds_in_every_mode_with_its_reason() {
    for mode in [Mode::Default, Mode::Auto] {
        let play = judged(mode, false, &[no("not on Fridays")]);
        assert!(play.ends()[0].2.as_ref().unwrap().contains("not on Fridays"), "{mode:?}");
        assert!(play.executed().is_empty() && play.calls_model());
    }
}

#[test]
fn ru_9_nothing_overrules_a_rejection() {
    let play = judged(Mode::Auto, true, &[Verdict::Approve, no("no"), Verdict::Approve]);
    assert!(play.executed().is_empty());
}

#[test]
fn ru_10_an_approval_lets_it_through() {
    let play = judged(Mode::Default, false, &[Verdict::Abstain, Verdict::Approve]);
    assert_eq!(warrant(&play), Some(Warrant::Rule { name: "g1".to_owned() }));
}

#[test]
fn ru_11_abstaining_leaves_it_to_the_next() {
    let play = judged(Mode::Default, true, &[Verdict::Abstain]);
    assert!(matches!(warrant(&play), Some(Warrant::Standing { .. })));
}

#[test]
fn ru_12_then_the_mode_decides() {
    assert_eq!(warrant(&judged(Mode::Auto, false, &[])), Some(Warrant::Auto));
    assert_eq!(judged(Mode::Default, false, &[]).head.requests.len(), 1);
}

#[test]
fn ru_13_what_a_rule_lets_through_uses_up_rounds() {
    let mut play = judged(Mode::Default, false, &[Verdict::Approve]);
    play.finish_first();
    assert_eq!(play.head.run.as_ref().unwrap().rounds, 1);
}

#[test]
fn sa_1_it_approves_the_request_that_it_answers() {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{}")]);
    play.answer(&[(0, for_conversation(Reach::Tool))]).unwrap();
    assert_eq!(names(&play.executed()), ["write"]);
    assert!(matches!(warrant(&play), Some(Warrant::Answer { .. })));
}

#[test]
fn sa_2_later_calls_of_the_tool_run_with_any_arguments_and_others_ask() {
    let mut play = judged(Mode::Default, true, &[]);
    play.finish_first();
    play.reply(&[call("write", "{\"other\": 1}")]);
    assert_eq!(play.runs_calls(), 1);
    play.finish_first();
    play.reply(&[call("shell", "{}")]);
    assert_eq!(play.head.requests.len(), 1);
}

#[tokio::test]
async fn sa_3_it_survives_a_restart() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{\"n\":1}")]).await;
    house.answer(&[(0, for_conversation(Reach::Tool))]).await;
    let mut house = house.again().await;
    house.ask(&[house::call("write", "{\"n\":2}")]).await;
    assert_eq!(house.ran(), ["write"]);
}

#[test]
fn sa_4_it_decides_when_rules_abstain() {
    assert!(matches!(warrant(&judged(Mode::Default, true, &[Verdict::Abstain])), Some(Warrant::Standing { .. })));
}

/// Also accept 16 and surface 35.
#[test]
fn sa_5_a_rules_rejection_beats_it() {
    let play = judged(Mode::Default, true, &[no("no")]);
    assert!(play.executed().is_empty());
    assert_eq!(play.head.standing.len(), 1, "D-12: it stays stored");
}

#[test]
fn sa_6_it_decides_for_reading_tools_while_planning() {
    let mut play = Play::new(Mode::Plan);
    play.say("Plan.").unwrap();
    play.reply(&[call("peek", "{}")]);
    play.answer(&[(0, for_conversation(Reach::Tool))]).unwrap();
    play.finish_first();
    play.reply(&[call("peek", "{\"n\":2}")]);
    assert_eq!((play.runs_calls(), play.head.conversation.mode), (1, Mode::Plan));
}

#[test]
fn sa_7_it_interrupts_nothing_and_uses_up_rounds() {
    let mut play = judged(Mode::Default, true, &[]);
    assert!(play.head.requests.is_empty());
    play.finish_first();
    assert_eq!(play.head.run.as_ref().unwrap().rounds, 1);
}

#[tokio::test]
async fn d_15_it_covers_nothing_in_another_conversation_or_of_another_profile() {
    crate::agents::a_standing_approval_is_bound_to_its_profile();
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    house.answer(&[(0, for_conversation(Reach::Tool))]).await;
    house.conversation = house.create(2, Mode::Default).await;
    house.script.will([calls(&[house::call("write", "{}")])]);
    house.say("Go.").await;
    assert_eq!(house.open_requests().await.len(), 1);
}

#[test]
fn d_12_a_rejection_leaves_the_standing_approval_stored() {
    let mut play = judged(Mode::Default, true, &[no("no")]);
    play.reply(&[call("write", "{}")]);
    assert_eq!(play.runs_calls(), 1, "the next one, that no rule rejects, runs by it");
}

/// Also surface 41.
#[test]
fn d_13_it_answers_no_sibling() {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{\"n\":1}"), call("write", "{\"n\":2}")]);
    let mut rejected = play.clone();
    play.answer(&[(0, for_conversation(Reach::Tool))]).unwrap();
    assert_eq!(play.executed().len(), 1, "passed by");
    rejected.answer(&[(0, for_conversation(Reach::Tool)), (1, reject("no"))]).unwrap();
    assert_eq!(rejected.executed().len(), 1, "rejected");
}

#[test]
fn d_14_another_origin_is_another_tool_and_revoking_asks_again() {
    let mut play = judged(Mode::Default, true, &[]);
    play.finish_first();
    let standing = play.head.standing[0].id;
    play.give(Input::Revoke { standing }).unwrap();
    play.reply(&[call("write", "{}")]);
    assert_eq!(play.head.requests.len(), 1);
}

#[test]
fn d_16_it_covers_later_calls_of_the_very_run() {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{}")]);
    play.answer(&[(0, for_conversation(Reach::Tool))]).unwrap();
    play.finish_first();
    play.reply(&[call("write", "{}")]);
    assert_eq!(play.runs_calls(), 1);
    play.finish_first();
    play.fail_model();
    assert_eq!(play.head.standing.len(), 1, "and survives the run's failure");
}

#[test]
fn d_17_a_failed_rule_asks_whatever_else_approves() {
    let failed = || Verdict::Failed { why: "broken".to_owned() };
    for (mode, standing, verdicts) in [
        (Mode::Auto, false, vec![failed()]),
        (Mode::Default, true, vec![failed()]),
        (Mode::Default, false, vec![Verdict::Approve, failed()]),
    ] {
        assert_eq!(judged(mode, standing, &verdicts).head.requests.len(), 1, "{verdicts:?}");
    }
    let both = judged(Mode::Default, false, &[no("first"), failed(), no("second")]);
    let told = both.ends()[0].2.clone().unwrap();
    assert!(told.contains("first\nsecond"), "all reasons, in order: {told}");
}

#[tokio::test]
async fn d_18_a_rule_that_came_since_rejects_an_approved_call() {
    for (by_then, runs) in [(no("frozen"), 0), (Verdict::Failed { why: "gone".to_owned() }, 0), (Verdict::Approve, 1)] {
        let mut house = House::new(Mode::Default).await;
        house.ask(&[house::call("write", "{}")]).await;
        let says = by_then.clone();
        house.guards(&[guard("g", move |_| says.clone())]);
        house.answer(&[(0, AnswerBody::Approve)]).await;
        assert_eq!(house.ran().len(), runs, "{by_then:?}");
        let told = format!("{:?}", house.script.last().messages);
        assert_eq!(told.contains("frozen"), matches!(by_then, Verdict::Reject { .. }), "{told}");
    }
}

#[test]
fn d_21_a_verdict_is_kept_while_its_batch_waits() {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    let batch = [call("write", "{\"n\":1}"), call("write", "{\"n\":2}"), call("write", "{\"n\":3}")];
    let said = [vec![Verdict::Approve], vec![], vec![no("no")]];
    let judged = said.iter().map(|said| {
        let mut one = judge(&play.tools, &batch[0]);
        one.verdicts = says(said);
        one
    });
    let judged = judged.collect();
    play.reply_judged("", &batch, judged);
    assert_eq!(play.standing_of().iter().map(|one| one.1).collect::<Vec<_>>(), ["held", "waiting", "held"]);
    play.answer(&[(0, reject("no"))]).unwrap();
    assert_eq!(play.executed()[0].arguments, "{\"n\":1}");
    assert!(play.ends().iter().any(|end| matches!(end.1, Settled::RejectedByRule { .. })));
}

#[test]
fn d_73_exact_covers_equal_arguments_only() {
    for (arguments, covered) in [
        ("{\"a\":1,\"b\":[1,2]}", 1),
        (" { \"b\" : [1, 2], \"a\" : 1 } ", 1),
        ("{\"a\":1.0,\"b\":[1,2]}", 0),
        ("{\"a\":1,\"b\":[2,1]}", 0),
        ("{\"a\":1}", 0),
    ] {
        let mut play = Play::new(Mode::Default);
        play.say("Go.").unwrap();
        play.reply(&[call("shell", "{\"a\":1,\"b\":[1,2]}")]);
        play.answer(&[(0, for_conversation(Reach::Exact))]).unwrap();
        play.finish_first();
        play.reply(&[call("shell", arguments)]);
        assert_eq!(play.runs_calls(), covered, "{arguments}");
    }
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[call("shell", "{}")]);
    assert!(play.answer(&[(0, for_conversation(Reach::Tool))]).is_err(), "any command needs its own word");
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
}
