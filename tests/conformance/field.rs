//! L: faults that other products have had, as tests that they are not ours.

use std::collections::BTreeSet;

use countersign_core::answer::{Answer, AnswerBody};
use countersign_core::ids::RequestId;
use countersign_core::input::Input;
use countersign_core::mode::{Mode, Until};
use countersign_core::run::RunEnd;
use countersign_core::transcript::{ViewItem, check};

use crate::house::{self, House, calls};
use crate::play::{Play, call, into, reject};

fn asked(calls: &[countersign_core::input::ProposedCall]) -> Play {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(calls);
    play
}

#[tokio::test]
async fn field_l_001_an_ungated_siblings_result_isnt_lost() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}"), house::call("read", "{}")]).await;
    house.answer(&[(0, AnswerBody::Approve)]).await;
    let Some(ViewItem::Results(results)) = house.script.last().messages.last().map(|item| ViewItem::clone(item)) else {
        panic!("results were expected");
    };
    let texts: Vec<&str> = results.iter().map(|result| result.text.as_str()).collect();
    assert_eq!(texts, ["write is done", "read is done"]);
}

#[tokio::test]
async fn field_l_002_three_gated_calls_and_a_restart() {
    let mut house = House::new(Mode::Default).await;
    let batch: Vec<_> = (0..3).map(|n| house::call("write", &format!("{{\"n\":{n}}}"))).collect();
    house.ask(&batch).await;
    let ids = house.open_requests().await;
    let mut house = house.again().await;
    assert_eq!(house.open_requests().await, ids);
    house.answer(&[(2, AnswerBody::Approve), (0, AnswerBody::Approve), (1, AnswerBody::Approve)]).await;
    assert_eq!(house.effects(), ["{\"n\":0}", "{\"n\":1}", "{\"n\":2}"]);
}

#[tokio::test]
async fn field_l_004_two_parallel_calls_of_one_tool() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{\"id\":1234}"), house::call("write", "{\"id\":5678}")]).await;
    house.answer(&[(0, AnswerBody::Approve), (1, AnswerBody::Approve)]).await;
    assert_eq!(house.effects(), ["{\"id\":1234}", "{\"id\":5678}"]);
    check(&house.script.last().messages, 0).unwrap();
}

#[tokio::test]
async fn field_l_005_one_of_two_calls_of_one_tool() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{\"id\":1234}"), house::call("write", "{\"id\":5678}")]).await;
    house.answer(&[(0, house::reject("closed already")), (1, AnswerBody::Approve)]).await;
    assert_eq!(house.effects(), ["{\"id\":5678}"]);
    let Some(ViewItem::Results(results)) = house.script.last().messages.last().map(|item| ViewItem::clone(item)) else {
        panic!("results were expected");
    };
    assert!(results[0].text.contains("closed already") && !results[1].text.contains("closed already"));
}

#[tokio::test]
async fn field_l_007_five_hundred_requests_at_once_have_their_own_ids() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&vec![house::call("write", "{}"); 500]).await;
    let ids: BTreeSet<RequestId> = house.open_requests().await.into_iter().collect();
    assert_eq!(ids.len(), 500);
}

#[test]
fn field_l_010_a_rejected_call_runs_nowhere() {
    let mut play = asked(&[call("write", "{}")]);
    play.answer(&[(0, reject("no"))]).unwrap();
    play.reply(&[]);
    assert!(play.executed().is_empty());
    let ViewItem::Results(results) = &play.view()[2] else { panic!("a result was expected") };
    assert_eq!(results.len(), 1);
}

#[test]
fn field_l_011_a_report_about_a_call_that_wasnt_claimed_changes_nothing() {
    let mut play = asked(&[call("write", "{}")]);
    let call = play.head.calls_in_order()[0].id;
    let run = play.head.calls[&call].proposed_by;
    let outcome = countersign_core::input::Outcome {
        kind: countersign_core::input::OutcomeKind::Succeeded,
        text: "smuggled".to_owned(),
        left: None,
    };
    assert_eq!(play.give(Input::CallFinished { run, call, outcome }).unwrap().changes, []);
}

#[test]
fn field_l_013_a_no_to_one_call_stops_nothing() {
    let mut play = asked(&[call("write", "{\"n\":1}"), call("write", "{\"n\":2}"), call("shell", "{}")]);
    play.answer(&[(0, reject("no")), (1, AnswerBody::Approve), (2, AnswerBody::Approve)]).unwrap();
    play.finish_first();
    play.finish_first();
    assert!(play.calls_model());
    assert_eq!(play.executed().len(), 2);
}

#[tokio::test]
async fn field_l_014_closing_one_conversation_touches_no_other() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    let asked = house.open_requests().await;
    let other = house.create(2, Mode::Default).await;
    house.engine.input(other, Input::Delete).await.unwrap();
    assert_eq!(house.open_requests().await, asked);
}

#[tokio::test]
async fn field_l_016_what_runs_is_what_was_stored_byte_for_byte() {
    let text = "{\"a\":\"\\u00e4\",  \"n\":1e3}";
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", text)]).await;
    let mut house = house.again().await;
    house.answer(&[(0, AnswerBody::Approve)]).await;
    assert_eq!(house.effects(), [text]);
}

#[tokio::test]
async fn field_l_019_a_forged_answer_runs_nothing() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    let mut input = house.answers(&[(0, AnswerBody::Approve)]).await;
    let digest = input.answers[0].digest;
    input.answers = vec![Answer { request: RequestId([3; 16]), digest, body: AnswerBody::Approve }];
    assert!(format!("{:?}", house.start(input).await).contains("Unknown"));
    assert_eq!((house.ran().len(), house.open_requests().await.len()), (0, 1));
}

#[test]
fn field_l_020_a_missing_decision_is_no_yes() {
    let mut play = asked(&[call("write", "{\"n\":1}"), call("write", "{\"n\":2}")]);
    play.answer(&[(0, reject("no"))]).unwrap();
    assert!(play.executed().is_empty());
}

#[tokio::test]
async fn field_l_025_unreadable_arguments_are_never_taken_for_empty_ones() {
    let mut house = House::new(Mode::Auto).await;
    house.ask(&[house::call("write", "{\"path\": \"a")]).await;
    assert_eq!(house.ran().len(), 0);
    assert!(format!("{:?}", house.script.last().messages).contains("not valid JSON"));
}

#[test]
fn field_l_028_a_blank_plan_is_no_card() {
    let mut play = Play::new(Mode::Plan);
    play.say("Plan.").unwrap();
    play.reply(&[call("exit_plan_mode", "{\"plan\":\"  \"}")]);
    assert!(play.head.requests.is_empty());
}

#[tokio::test]
async fn field_l_031_a_double_click_runs_once() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    let answer = house.answers(&[(0, AnswerBody::Approve)]).await;
    let (one, two) = tokio::join!(house.start(answer.clone()), house.start(answer));
    one.unwrap();
    assert!(format!("{two:?}").contains("Answered"));
    house.settled().await;
    assert_eq!(house.effects().len(), 1);
}

#[test]
fn field_l_037_an_answer_isnt_used_for_the_next_question() {
    let mut play = asked(&[call("write", "{}")]);
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    play.finish_first();
    play.reply(&[call("write", "{}")]);
    assert_eq!((play.executed().len(), play.head.requests.len()), (1, 1));
}

#[test]
fn field_l_043_a_stop_while_a_plan_waits_leaves_a_usable_conversation() {
    let mut play = Play::new(Mode::Plan);
    play.say("Plan.").unwrap();
    play.reply(&[crate::play::plan("# Plan")]);
    play.give(Input::Stop).unwrap();
    assert_eq!(play.head.conversation.mode, Mode::Plan);
    play.say("Something else.").unwrap();
    assert!(play.calls_model());
}

#[tokio::test]
async fn field_l_044_a_deleted_conversations_request_leaves_the_inbox() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    house.input(Input::Delete).await.unwrap();
    let store = house.engine.store();
    assert_eq!(store.waiting_conversations().await.unwrap(), []);
    let history = store.history(i64::MAX, 10).await.unwrap();
    assert_eq!((history.len(), history[0].about().deleted), (1, true), "history keeps it");
}

#[tokio::test]
async fn field_l_097_conversations_dont_share_approvals_or_modes() {
    let mut house = House::new(Mode::Default).await;
    house.create(2, Mode::Auto).await;
    house.ask(&[house::call("write", "{}")]).await;
    house.answer(&[(0, crate::play::for_conversation(countersign_core::answer::Reach::Tool))]).await;
    house.conversation = house.create(3, Mode::Default).await;
    house.script.will([calls(&[house::call("write", "{}")])]);
    let head = house.say("Go.").await;
    assert_eq!((head.requests.len(), head.conversation.mode), (1, Mode::Default));
}

#[test]
fn field_l_101_one_refusal_isnt_remembered() {
    let mut play = asked(&[call("write", "{}")]);
    play.answer(&[(0, reject("not now"))]).unwrap();
    play.reply(&[call("write", "{}")]);
    assert_eq!(play.head.requests.len(), 1);
}

#[test]
fn field_l_106_a_plan_into_default_asks_for_the_next_call() {
    let mut play = Play::new(Mode::Plan);
    play.say("Plan.").unwrap();
    play.reply(&[crate::play::plan("# Plan")]);
    play.answer(&[(0, into(Mode::Default, Until::Stays))]).unwrap();
    play.reply(&[call("write", "{}")]);
    assert_eq!(play.head.requests.len(), 1);
}

#[test]
fn field_l_113_a_plan_that_was_never_approved_is_never_carried_out() {
    let mut play = Play::new(Mode::Plan);
    play.say("Plan.").unwrap();
    play.reply(&[crate::play::plan("# Plan")]);
    for _ in 0..5 {
        play.say("Something else.").unwrap();
        play.reply(&[call("write", "{}")]);
        play.reply(&[]);
    }
    assert_eq!(play.head.conversation.mode, Mode::Plan);
    assert!(play.executed().is_empty());
}

#[test]
fn field_l_149_the_limit_locks_nothing() {
    let mut play = Play::new(Mode::Auto);
    play.limit = 1;
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{}")]);
    play.finish_first();
    play.reply(&[]);
    assert_eq!(play.run_ends(), [RunEnd::Limit]);
    play.say("Go on.").unwrap();
    play.reply(&[call("write", "{}")]);
    assert_eq!(play.runs_calls(), 1, "a new run has a new budget");
}

#[tokio::test]
async fn field_l_151_a_request_is_found_from_its_id_alone() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    let house = house.again().await;
    let request = house.open_requests().await[0];
    let store = house.engine.store();
    assert_eq!(store.conversation_of_request(request).await.unwrap(), Some(house.conversation));
    let fact = store.call_fact(request.0).await.unwrap().unwrap();
    assert_eq!((fact.call.tool.as_str(), fact.conversation), ("write", house.conversation));
}
