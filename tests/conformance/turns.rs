//! What the families of the round trip, of answering, closing, rules, modes and limits leave beside their main rows.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use countersign_core::agent::AgentProfile;
use countersign_core::answer::{AnswerBody, Reach};
use countersign_core::change::Change;
use countersign_core::input::{Guards, Input, Refusal, Verdict};
use countersign_core::mode::Mode;
use countersign_core::request::ClosedReason;
use countersign_core::run::RunEnd;
use countersign_core::transcript::ViewItem;
use countersign_engine::error::EngineError;
use countersign_store::record::Record;

use crate::house::{self, House, calls, guard, profile};
use crate::play::{Play, call, for_conversation, judge, names, says};

fn asked(calls: &[countersign_core::input::ProposedCall]) -> Play {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(calls);
    play
}

/// A house that asks about a write, and whose agent has other settings by the time of the answer.
async fn edited() -> House {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    let other = AgentProfile { revision: 2, rounds: 1, instructions: "Be brief.".to_owned(), ..profile() };
    house.engine.store().record(Record::Agent(Box::new(other))).await.unwrap();
    house
}

#[tokio::test]
async fn as_9_the_request_is_there_before_the_run_is_over() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    let commits = house.commits();
    let asking = commits.iter().find(|commit| commit.iter().any(|one| matches!(one, Change::RequestOpened { .. })));
    let at = |kind: &str| asking.unwrap().iter().position(|one| one.kind() == kind).unwrap();
    assert!(at("request_opened") < at("run_ended"), "{asking:?}");
}

#[tokio::test]
async fn an_6_the_answering_run_has_the_settings_of_its_own_moment() {
    let mut house = edited().await;
    house.commits();
    house.answer(&[(0, AnswerBody::Approve)]).await;
    let run = house.commits().concat().into_iter().find_map(|change| match change {
        Change::RunStarted(run) => Some(run),
        _ => None,
    });
    let run = run.expect("a run was started");
    assert_eq!((run.agent_revision, run.limit), (2, 1));
    assert_eq!(house.script.last().system, "Be brief.");
}

#[tokio::test]
async fn an_7_other_settings_are_no_error() {
    let mut house = edited().await;
    house.answer(&[(0, AnswerBody::Approve)]).await;
    assert_eq!((house.ran(), house.last_end().await), (vec!["write".to_owned()], Some(RunEnd::Completed)));
}

#[tokio::test]
async fn cl_3_what_a_rule_decides_is_closed_as_answered() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    house.guards(&[guard("no", |_| Verdict::Reject { reason: "frozen".to_owned() })]);
    let answer = house.answers(&[(0, AnswerBody::Approve)]).await;
    house.start(answer.clone()).await.unwrap();
    house.settled().await;
    assert_eq!((house.open_requests().await, house.ran().len()), (vec![], 0));
    let Err(EngineError::Refused(Refusal::ApprovalClosed(closed))) = house.start(answer).await else {
        panic!("it is closed");
    };
    assert_eq!(closed[0].1, ClosedReason::Answered);
}

#[tokio::test]
async fn ru_3_rules_are_found_for_each_run() {
    let mut house = House::new(Mode::Auto).await;
    let (first, second) = (guard("first", |_| Verdict::Abstain), guard("second", |_| Verdict::Abstain));
    house.guards(&[Arc::clone(&first)]);
    house.ask(&[house::call("write", "{}")]).await;
    house.guards(&[Arc::clone(&first), Arc::clone(&second)]);
    house.ask(&[house::call("write", "{}")]).await;
    assert_eq!((first.saw.lock().unwrap().len(), second.saw.lock().unwrap().len()), (2, 1));
    house.guards(&[second]);
    house.ask(&[house::call("write", "{}")]).await;
    assert_eq!(first.saw.lock().unwrap().len(), 2, "one that is gone is asked no more");
}

#[tokio::test]
async fn ru_7_a_rule_ends_with_the_run() {
    let mut house = House::new(Mode::Auto).await;
    let slow = guard("slow", |_| Verdict::Approve);
    slow.hangs.store(true, Ordering::Relaxed);
    house.guards(&[Arc::clone(&slow)]);
    house.script.will([calls(&[house::call("write", "{}")])]);
    house.start(house::text_input("Go.")).await.unwrap();
    slow.asked.notified().await;
    house.input(Input::Stop).await.unwrap();
    house.settled().await;
    assert_eq!((house.last_end().await, house.ran().len()), (Some(RunEnd::Cancelled), 0));
    slow.hangs.store(false, Ordering::Relaxed);
    house.say("Again.").await;
    assert_eq!(house.last_end().await, Some(RunEnd::Completed));
}

#[test]
fn au_4_nothing_but_a_rule_stops_a_call_in_auto() {
    let mut play = Play::new(Mode::Auto);
    play.say("Go.").unwrap();
    let batch: Vec<_> = ["write", "shell", "set", "peek", "remote", "read"].map(|name| call(name, "{}")).to_vec();
    let mut judged: Vec<_> = batch.iter().map(|one| judge(&play.tools, one)).collect();
    judged[1].verdicts = says(&[Verdict::Reject { reason: "no commands".to_owned() }]);
    play.reply_judged("", &batch, judged);
    while !play.started().is_empty() {
        play.finish_first();
    }
    assert_eq!(names(&play.executed()), ["write", "set", "peek", "remote", "read"]);
    assert!(play.head.requests.is_empty() && play.calls_model());
}

#[test]
fn it_2_approved_calls_belong_to_the_answering_run() {
    let mut play = asked(&[call("write", "{}")]);
    let asking = play.head.calls_in_order()[0].proposed_by;
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    let by = play.log.iter().find_map(|change| match change {
        Change::CallStarted { run, .. } => Some(*run),
        _ => None,
    });
    assert_eq!(by, Some(play.run()));
    assert_ne!(by, Some(asking));
}

#[test]
fn it_5_a_rule_a_standing_approval_and_auto_each_use_up_a_round() {
    let mut play = asked(&[call("write", "{}")]);
    play.answer(&[(0, for_conversation(Reach::Tool))]).unwrap();
    play.finish_first();
    let rounds = |play: &Play| play.head.run.as_ref().unwrap().rounds;
    assert_eq!(rounds(&play), 0, "what a person approved uses up none");
    play.reply(&[call("write", "{\"n\":1}")]);
    assert_eq!(rounds(&play), 1, "a standing approval");
    play.finish_first();
    let one = call("shell", "{}");
    let mut judged = vec![judge(&play.tools, &one)];
    judged[0].verdicts = says(&[Verdict::Approve]);
    play.reply_judged("", &[one], judged);
    assert_eq!(rounds(&play), 2, "a rule");
    let mut auto = Play::new(Mode::Auto);
    auto.say("Go.").unwrap();
    auto.reply(&[call("write", "{}")]);
    assert_eq!(rounds(&auto), 1, "Auto");
}

#[test]
fn mo_1_a_run_has_one_mode() {
    for mode in [Mode::Default, Mode::Plan, Mode::Auto] {
        let mut play = Play::new(Mode::Default);
        let input =
            countersign_core::input::RunInput { text: Some("Go.".to_owned()), mode: Some(mode), ..play.input() };
        play.start(input).unwrap();
        assert_eq!((play.head.run.as_ref().unwrap().mode_start, play.head.conversation.mode), (mode, mode));
    }
}

#[test]
fn mo_14_the_inputs_mode_goes_before_the_one_that_the_conversation_was_given() {
    let given = |mode: Option<Mode>| {
        let mut play = Play::new(Mode::Plan);
        let input = countersign_core::input::RunInput { text: Some("Go.".to_owned()), mode, ..play.input() };
        play.start(input).unwrap();
        play.head.conversation.mode
    };
    assert_eq!((given(Some(Mode::Auto)), given(None)), (Mode::Auto, Mode::Plan));
}

#[test]
fn e_04_the_mark_is_found_among_other_marks() {
    use countersign_core::tool::{Effect, Mark, requires_approval};
    let marks = [Mark::ReadOnly, Mark::ParallelSafe, Mark::FreeForm, Mark::RequiresApproval];
    let tool = crate::play::tool("read", Effect::Read, &marks);
    assert!(requires_approval(&tool));
    let mut play = Play::new(Mode::Default);
    play.tools[0] = tool;
    play.say("Go.").unwrap();
    play.reply(&[call("read", "{}")]);
    assert_eq!((play.head.requests.len(), play.executed().len()), (1, 0));
}

#[tokio::test]
async fn e_16_a_rejected_call_is_over_for_every_later_run() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    house.answer(&[(0, house::reject("no"))]).await;
    let mut house = house.again().await;
    house.say("Go on.").await;
    assert_eq!((house.open_requests().await, house.ran().len()), (vec![], 0));
    let told = format!("{:?}", house.script.last().messages);
    assert_eq!(told.matches("rejected this call").count(), 1, "{told}");
}

#[test]
fn e_25_text_in_the_answering_message_follows_the_result() {
    let mut play = asked(&[call("write", "{}")]);
    let input = countersign_core::input::RunInput {
        text: Some("And be quick.".to_owned()),
        answers: play.answers(&[(0, AnswerBody::Approve)]),
        ..play.input()
    };
    play.start(input).unwrap();
    play.finish_first();
    let view = play.view();
    assert!(matches!(&view[2], ViewItem::Results(results) if results.len() == 1));
    assert!(matches!(&view[3], ViewItem::User { text } if text == "And be quick."));
}

#[test]
fn e_30_a_call_keeps_the_providers_id() {
    let mut play = asked(&[call("write", "{}")]);
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    play.finish_first();
    let view = play.view();
    let (ViewItem::Assistant { calls, .. }, ViewItem::Results(results)) = (&view[1], &view[2]) else {
        panic!("{view:?}");
    };
    assert_eq!((calls[0].provider_id.as_str(), results[0].provider_id.as_str()), ("p-write", "p-write"));
}

#[test]
fn e_36_a_tool_that_becomes_bound_while_the_run_goes_on_asks() {
    use countersign_core::tool::{Effect, Mark};
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[call("read", "{\"n\":1}")]);
    play.tools[0] = crate::play::tool("read", Effect::Read, &[Mark::RequiresApproval]);
    play.finish_first();
    play.reply(&[call("read", "{\"n\":2}")]);
    assert_eq!((play.executed().len(), play.head.requests.len()), (1, 1));
}

#[test]
fn d_79_a_call_rejected_three_times_is_asked_about_no_more() {
    let mut play = asked(&[call("write", "{}")]);
    for rejections in 1..=3 {
        play.answer(&[(0, crate::play::reject("no"))]).unwrap();
        let one = call("write", "{}");
        let judged = countersign_core::input::Judged { rejections, ..judge(&play.tools, &one) };
        play.reply_judged("", &[one], vec![judged]);
        assert_eq!(play.head.requests.len(), usize::from(rejections < 3), "after {rejections}");
    }
    let (_, settled, result) = play.ends().pop().unwrap();
    assert!(matches!(&settled, countersign_core::call::Settled::RejectedByRule { by, .. } if by[0].contains("three")));
    assert!(result.unwrap().contains("three times"));
    assert_eq!(play.executed().len(), 0);
}

#[test]
fn d_19_a_rule_that_approves_by_now_releases_nothing_that_waits() {
    let mut play = asked(&[call("write", "{\"n\":1}"), call("write", "{\"n\":2}")]);
    play.guards = Guards::Some;
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    play.look_again(&Verdict::Approve);
    assert_eq!(play.executed().len(), 1);
    assert_eq!(play.executed()[0].arguments, "{\"n\":1}", "the other one was passed by");
}

#[test]
fn d_22_a_rejected_sibling_waits_along_with_its_verdict() {
    use countersign_core::call::{CallState, Kept};
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    let batch = [call("shell", "{}"), call("write", "{}")];
    let mut judged: Vec<_> = batch.iter().map(|one| judge(&play.tools, one)).collect();
    judged[0].verdicts = says(&[Verdict::Reject { reason: "no commands".to_owned() }]);
    play.reply_judged("", &batch, judged);
    let CallState::Held(Kept::Reject { by, reason }) = &play.head.calls_in_order()[0].state else {
        panic!("{:?}", play.standing_of());
    };
    assert_eq!((by.as_slice(), reason.as_str()), (["g0".to_owned()].as_slice(), "no commands"));
}

#[test]
fn d_65_only_an_answer_is_an_answer() {
    let mut play = asked(&[call("write", "{}")]);
    let request = play.head.requests_in_order()[0].id;
    let text = format!("Approved: {request}");
    play.say(&text).unwrap();
    play.reply_judged(&text, &[], vec![]);
    assert!(play.executed().is_empty());
    assert_eq!(play.closed.get(&request), Some(&ClosedReason::PassedBy));
}

#[tokio::test]
async fn d_101_a_reply_is_decided_by_the_state_of_its_own_moment() {
    let mut house = House::new(Mode::Auto).await;
    house.script.will([house::Turn::Waits(house::calling(&[house::call("write", "{}")]))]);
    house.start(house::text_input("Go.")).await.unwrap();
    house.script.asked.notified().await;
    house.input(Input::Tighten { mode: Mode::Default }).await.unwrap();
    house.script.go.notify_one();
    house.settled().await;
    assert_eq!((house.ran().len(), house.open_requests().await.len()), (0, 1));
}

#[test]
fn d_104_a_built_in_tool_is_its_profile_and_folder_and_a_use_is_counted_in_the_claim() {
    use countersign_core::tool::Origin;
    let mut play = asked(&[call("write", "{}")]);
    play.answer(&[(0, for_conversation(Reach::Tool))]).unwrap();
    play.finish_first();
    let step = play.reply(&[call("write", "{\"n\":1}")]);
    let at = |wanted: fn(&Change) -> bool| step.changes.iter().position(wanted);
    let claimed = at(|change| matches!(change, Change::CallStarted { .. })).unwrap();
    assert_eq!(at(|change| matches!(change, Change::StandingUsed { .. })), Some(claimed + 1));
    play.finish_first();
    let write = play.tools.iter_mut().find(|tool| tool.identity.name == "write").unwrap();
    let Origin::BuiltIn { root, .. } = &mut write.identity.origin else { panic!("it is built in") };
    *root = "/elsewhere".to_owned();
    play.reply(&[call("write", "{\"n\":2}")]);
    assert_eq!(play.head.requests.len(), 1, "another folder is another tool");
}
