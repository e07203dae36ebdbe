//! N, M and B: pausing, resuming, dying, and what history must hold.

use countersign_core::answer::{AnswerBody, Reach};
use countersign_core::call::{CallState, Settled};
use countersign_core::input::{Input, RunInput, Verdict};
use countersign_core::mode::Mode;
use countersign_core::run::{Failure, FailureKind, RunEnd};
use countersign_core::tool::{Effect, Mark, requires_approval};
use countersign_core::transcript::check;
use countersign_engine::error::EngineError;
use countersign_store::open::Disk;

use crate::house::{self, House, Turn, calls, guard};
use crate::play::{Play, call, for_conversation, names, tool};

fn asked(calls: &[countersign_core::input::ProposedCall]) -> Play {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(calls);
    play
}

#[test]
fn n_02_a_marked_tool_without_effect_is_bound() {
    assert!(requires_approval(&tool("t", Effect::Read, &[Mark::RequiresApproval])));
}

#[test]
fn n_03_writes_are_bound_of_either_kind() {
    assert_eq!(asked(&[call("write", "{}"), call("set", "{}")]).head.requests.len(), 2);
}

#[test]
fn n_04_a_reading_tool_isnt() {
    assert!(asked(&[call("browse", "{}")]).head.requests.is_empty());
}

#[tokio::test]
async fn n_13_the_pause_comes_before_every_call_of_the_turn() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("read", "{}"), house::call("write", "{}")]).await;
    assert_eq!(house.ran().len(), 0);
    let again = house.again().await;
    assert_eq!(again.head().await.calls.len(), 2);
}

#[test]
fn n_14_a_tool_that_isnt_offered_never_asks() {
    let mut play = Play::new(Mode::Plan);
    play.say("Plan.").unwrap();
    play.reply(&[call("write", "{}")]);
    assert!(play.head.requests.is_empty() && play.calls_model());
}

#[test]
fn n_17_denied_isnt_failed() {
    let mut play = asked(&[call("write", "{}")]);
    play.answer(&[(0, crate::play::reject("no"))]).unwrap();
    play.reply(&[]);
    assert_eq!(play.run_ends(), [RunEnd::Asked, RunEnd::Completed]);
}

#[test]
fn n_18_a_tool_that_is_gone_by_then_doesnt_run() {
    let mut play = asked(&[call("write", "{}")]);
    play.tools.clear();
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    assert!(play.executed().is_empty() && play.calls_model());
    assert_eq!(play.ends()[0].1, Settled::NoLongerPermitted);
}

#[tokio::test]
async fn n_19_all_tools_gone_is_one_model_call_without_tools() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    house.tools.list.lock().unwrap().clear();
    let before = house.script.calls();
    house.answer(&[(0, AnswerBody::Approve)]).await;
    assert_eq!((house.script.calls(), house.script.last().tools.len()), (before + 1, 0));
}

#[test]
fn n_20_the_continuation_may_ask_again() {
    let mut play = asked(&[call("write", "{}")]);
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    play.finish_first();
    play.reply(&[call("shell", "{}")]);
    assert_eq!((play.run_ends(), play.head.requests.len()), (vec![RunEnd::Asked, RunEnd::Asked], 1));
}

#[tokio::test]
async fn n_23_a_pause_that_cant_be_stored_is_never_announced() {
    let mut house = House::new(Mode::Default).await;
    house.script.will([Turn::Says(countersign_core::input::ModelReply {
        text: "x".repeat(300_000),
        ..house::calling(&[house::call("write", "{}")])
    })]);
    house.engine.store().pretend(Disk::Full).await.unwrap();
    house.start(house::text_input("Go.")).await.unwrap();
    loop {
        match house.hear().await {
            countersign_engine::feed::News::Stuck { why: Some(_), .. } => break,
            countersign_engine::feed::News::Committed { head, .. } => assert!(head.requests.is_empty()),
            _ => {}
        }
    }
    assert_eq!(house.open_requests().await, []);
    house.engine.store().pretend(Disk::Roomy).await.unwrap();
    house.settled().await;
    assert_eq!(house.open_requests().await.len(), 1, "and asks when it is stored");
}

#[test]
fn n_25_a_stop_before_the_pause_leaves_no_request() {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    let run = play.run();
    play.give(Input::Stop).unwrap();
    let reply = crate::play::reply("", &[call("write", "{}")]);
    let judged = vec![crate::play::judge(&play.tools, &call("write", "{}"))];
    play.give(Input::ModelReplied { run, reply, judged }).unwrap();
    assert!(play.is_idle());
    assert_eq!(play.run_ends(), [RunEnd::Cancelled]);
}

#[tokio::test]
async fn n_29_an_agent_that_is_gone_leaves_it_waiting() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    let failure = Failure { kind: FailureKind::Agent, text: "gone".to_owned() };
    *house.wardrobe.missing.lock().unwrap() = Some(failure);
    let answer = house.answers(&[(0, AnswerBody::Approve)]).await;
    assert!(matches!(house.start(answer).await, Err(EngineError::Outfit(_))));
    assert_eq!(house.open_requests().await.len(), 1);
}

#[tokio::test]
async fn n_32_of_two_approvals_one_wins() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    let answer = house.answers(&[(0, AnswerBody::Approve)]).await;
    let (one, two) = tokio::join!(house.start(answer.clone()), house.start(answer));
    assert_eq!(usize::from(one.is_ok()) + usize::from(two.is_ok()), 1);
    house.settled().await;
    assert_eq!(house.effects().len(), 1);
}

#[tokio::test]
async fn n_35_an_approval_that_cant_be_stored_runs_nothing() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    house.engine.store().pretend(Disk::Full).await.unwrap();
    let mut answer = house.answers(&[(0, AnswerBody::Approve)]).await;
    answer.text = Some("x".repeat(300_000));
    assert!(matches!(house.start(answer).await, Err(EngineError::Store(_))));
    assert_eq!((house.ran().len(), house.open_requests().await.len()), (0, 1));
}

#[tokio::test]
async fn n_37_the_decision_stands_before_the_execution() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    house.commits();
    house.answer(&[(0, AnswerBody::Approve)]).await;
    let kinds: Vec<&str> = house.commits().concat().iter().map(countersign_core::change::Change::kind).collect();
    let at = |kind: &str| kinds.iter().position(|one| *one == kind).unwrap();
    assert!(at("request_closed") < at("call_started") && at("call_started") < at("call_settled"));
    house.engine.store().check_journal().await.unwrap();
}

#[test]
fn n_68_the_limit_is_an_end_of_its_own() {
    let mut play = Play::new(Mode::Auto);
    play.limit = 1;
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{}")]);
    play.finish_first();
    play.reply(&[]);
    assert_eq!(play.run_ends(), [RunEnd::Limit]);
}

#[tokio::test]
async fn n_72_a_broken_tools_words_stay_here() {
    let mut house = House::new(Mode::Auto).await;
    house.ask(&[house::call("unlooked", "{}")]).await;
    let told = format!("{:?}", house.script.last().messages);
    assert!(told.contains("not executed") && !told.contains("breaks while it looks"), "{told}");
}

#[test]
fn n_76_a_write_that_may_have_happened_isnt_repeated() {
    let mut play = Play::new(Mode::Auto);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{}")]);
    play.die();
    assert_eq!(play.ends()[0].1, Settled::OutcomeUnknown);
    play.start(play.input()).unwrap();
    assert_eq!(play.executed().len(), 1);
}

#[tokio::test]
async fn n_78_a_result_that_cant_be_stored_repeats_nothing() {
    let mut house = House::new(Mode::Auto).await;
    house.script.will([calls(&[house::call("huge", "{}")])]);
    house.start(house::text_input("Go.")).await.unwrap();
    house.tools.began.notified().await;
    house.engine.store().pretend(Disk::Full).await.unwrap();
    house.tools.end.notify_one();
    while !matches!(house.hear().await, countersign_engine::feed::News::Stuck { why: Some(_), .. }) {}
    let house = house.again().await;
    assert_eq!(house.last_end().await, Some(RunEnd::Interrupted), "death makes it unknown");
    assert_eq!(house.ran().len(), 0);
}

#[test]
fn n_80_what_runs_settles_and_nothing_further_starts() {
    let mut play = Play::new(Mode::Auto);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{}"), call("shell", "{}")]);
    play.give(Input::Stop).unwrap();
    play.finish_first();
    assert_eq!((names(&play.executed()), play.run_ends()), (vec!["write"], vec![RunEnd::Cancelled]));
}

#[test]
fn n_81_a_late_end_changes_nothing() {
    let mut play = Play::new(Mode::Auto);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{}")]);
    let (run, call) = (play.run(), play.started()[0]);
    play.die();
    let outcome = countersign_core::input::Outcome {
        kind: countersign_core::input::OutcomeKind::Succeeded,
        text: "late".to_owned(),
        left: None,
    };
    assert_eq!(play.give(Input::CallFinished { run, call, outcome }).unwrap().changes, []);
}

#[test]
fn n_82_what_waits_is_invisible_to_recovery() {
    let mut play = asked(&[call("write", "{}")]);
    assert_eq!(play.die(), []);
}

#[test]
fn m_02_an_answer_is_bound_to_the_recorded_call() {
    let mut play = asked(&[call("write", "{\"n\":1}")]);
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    assert_eq!(play.executed()[0].arguments, "{\"n\":1}");
}

#[test]
fn m_07_held_calls_run_with_their_own_batch() {
    let mut play = asked(&[call("read", "{\"batch\":1}"), call("write", "{}")]);
    play.say("Else.").unwrap();
    play.reply(&[call("read", "{\"batch\":2}"), call("write", "{}")]);
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    play.finish_first();
    assert_eq!(play.executed()[0].arguments, "{\"batch\":2}");
    assert_eq!(play.executed().len(), 2);
}

#[test]
fn m_08_held_calls_of_a_passed_by_batch_dont_run() {
    let mut play = asked(&[call("read", "{}"), call("write", "{}")]);
    play.say("Else.").unwrap();
    assert!(play.executed().is_empty());
}

#[test]
fn m_11_a_held_call_that_needs_approval_by_then_doesnt_run() {
    let mut play = asked(&[call("read", "{}"), call("write", "{}")]);
    play.tools[0] = tool("read", Effect::Read, &[Mark::RequiresApproval]);
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    assert_eq!(names(&play.executed()), ["write"]);
}

#[test]
fn m_14_two_equal_standing_approvals_are_one() {
    let mut play = asked(&[call("write", "{\"n\":1}"), call("write", "{\"n\":2}")]);
    play.answer(&[(0, for_conversation(Reach::Tool)), (1, for_conversation(Reach::Tool))]).unwrap();
    assert_eq!(play.head.standing.len(), 1);
}

#[test]
fn m_15_exact_without_arguments_covers_none_with() {
    let mut play = asked(&[call("write", "{}")]);
    play.answer(&[(0, for_conversation(Reach::Exact))]).unwrap();
    play.finish_first();
    play.reply(&[call("write", "{\"n\":1}")]);
    assert_eq!(play.head.requests.len(), 1);
}

#[tokio::test]
async fn m_16_rules_run_before_standing_approvals() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    house.answer(&[(0, for_conversation(Reach::Tool))]).await;
    house.guards(&[guard("no", |_| Verdict::Reject { reason: "no".to_owned() })]);
    house.ask(&[house::call("write", "{}")]).await;
    assert_eq!(house.ran().len(), 1);
}

#[test]
fn m_18_an_endless_model_meets_the_limit() {
    let mut play = Play::new(Mode::Auto);
    play.say("Go.").unwrap();
    for _ in 0..20 {
        if play.head.run.is_some() {
            play.reply(&[call("write", "{}")]);
            while !play.started().is_empty() {
                play.finish_first();
            }
        }
    }
    assert_eq!(play.run_ends(), [RunEnd::Limit]);
}

#[test]
fn m_21_the_models_view_has_no_bookkeeping() {
    let mut play = asked(&[call("write", "{}")]);
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    play.finish_first();
    play.reply(&[]);
    let view = format!("{:?}", play.view());
    assert_eq!(play.view().len(), 4, "user, turn with the call, result, turn");
    assert!(!view.to_lowercase().contains("approv"), "{view}");
}

#[tokio::test]
async fn b_01_the_result_survives_a_failed_model_call() {
    let mut house = House::new(Mode::Default).await;
    house.script.will([calls(&[house::call("write", "{}")]), Turn::Fails(FailureKind::Cut)]);
    house.say("Go.").await;
    house.answer(&[(0, AnswerBody::Approve)]).await;
    house.say("Something else.").await;
    let messages = house.script.last().messages;
    assert!(format!("{messages:?}").contains("write is done"));
    check(&messages, 0).unwrap();
}

#[tokio::test]
async fn b_02_the_retried_answer_is_told_answered() {
    let mut house = House::new(Mode::Default).await;
    house.script.will([calls(&[house::call("write", "{}")]), Turn::Fails(FailureKind::Cut)]);
    house.say("Go.").await;
    let answer = house.answers(&[(0, AnswerBody::Approve)]).await;
    house.start(answer.clone()).await.unwrap();
    house.settled().await;
    let told = format!("{:?}", house.start(answer).await);
    assert!(told.contains("Answered"), "{told}");
    assert_eq!(house.effects().len(), 1);
}

#[tokio::test]
async fn b_03_a_run_that_cant_start_leaves_the_request_open() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    let failure = Failure { kind: FailureKind::Folder, text: "gone".to_owned() };
    *house.wardrobe.missing.lock().unwrap() = Some(failure);
    let answer = house.answers(&[(0, AnswerBody::Approve)]).await;
    house.start(answer).await.unwrap_err();
    assert_eq!(house.open_requests().await.len(), 1);
}

#[test]
fn b_04_approved_and_never_run_reaches_no_provider() {
    let mut play = asked(&[call("write", "{\"n\":1}"), call("write", "{\"n\":2}")]);
    play.answer(&[(0, AnswerBody::Approve), (1, AnswerBody::Approve)]).unwrap();
    play.die();
    play.say("Else.").unwrap();
    let items = play.transcript.view(None).unwrap();
    check(&items, 0).unwrap();
    assert!(!format!("{items:?}").contains("\"n\\\":2"), "a dangling call");
}

#[tokio::test]
async fn b_05_recovery_frees_the_conversation() {
    let house = House::new(Mode::Default).await;
    house.script.will([Turn::Hangs]);
    house.start(house::text_input("Go.")).await.unwrap();
    house.script.asked.notified().await;
    let mut house = house.again().await;
    assert_eq!(house.last_end().await, Some(RunEnd::Interrupted));
    house.say("Again.").await;
    assert_eq!(house.last_end().await, Some(RunEnd::Completed));
}

#[tokio::test]
async fn b_06_a_long_history_stays_whole() {
    let mut house = House::new(Mode::Default).await;
    for n in 0..12 {
        house.ask(&[house::call("write", &format!("{{\"n\":{n}}}")), house::call("read", "{}")]).await;
        match n % 3 {
            0 => drop(house.answer(&[(0, AnswerBody::Approve)]).await),
            1 => drop(house.answer(&[(0, house::reject("no"))]).await),
            _ => drop(house.say("Else.").await),
        }
        check(&house.script.last().messages, 0).unwrap();
    }
}

#[tokio::test]
async fn b_07_an_answer_needs_no_text() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    let answer = house.answers(&[(0, AnswerBody::Approve)]).await;
    assert_eq!(answer.text, None);
    house.start(RunInput { ..answer }).await.unwrap();
    house.settled().await;
    assert_eq!(house.ran(), ["write"]);
}

#[tokio::test]
async fn b_08_reloading_between_ask_and_answer_still_matches() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    let answer = house.answers(&[(0, AnswerBody::Approve)]).await;
    let mut house = house.again().await;
    house.start(answer).await.unwrap();
    let head = house.settled().await;
    assert!(!head.calls.values().any(|call| matches!(call.state, CallState::Waiting(_))));
    assert_eq!(house.ran(), ["write"]);
}
