//! ST and M: what a person says to a run that goes on.

use countersign_core::answer::AnswerBody;
use countersign_core::call::{Dropped, Settled};
use countersign_core::change::Change;
use countersign_core::input::{Input, Refusal};
use countersign_core::mode::Mode;
use countersign_core::request::ClosedReason;
use countersign_core::run::{FailureKind, RunEnd};
use countersign_core::transcript::ViewItem;
use countersign_engine::error::EngineError;

use crate::house::{self, House, Turn, calling, calls, text_input, words};
use crate::play::{Play, call, plan};

fn steer(text: &str) -> Input {
    Input::Steer { text: text.to_owned() }
}

/// A house whose run's model waits with a turn while something is said to it.
async fn steered(turn: Turn, said: &[&str]) -> House {
    let mut house = House::new(Mode::Default).await;
    house.script.will([turn]);
    house.commits();
    house.start(text_input("Go.")).await.unwrap();
    house.script.asked.notified().await;
    for text in said {
        house.input(steer(text)).await.unwrap();
    }
    house
}

async fn goes_on(house: &mut House) {
    house.script.go.notify_one();
    house.settled().await;
}

fn runs(commits: &[Vec<Change>]) -> usize {
    commits.concat().iter().filter(|change| matches!(change, Change::RunStarted(_))).count()
}

/// The person's words among the last messages that the model was sent.
fn heard(house: &House) -> Vec<String> {
    let messages = house.script.last().messages;
    let heard = messages.iter().filter_map(|item| match item.as_ref() {
        ViewItem::User { text } => Some(text.clone()),
        ViewItem::Assistant { .. } | ViewItem::Results(_) => None,
    });
    heard.collect()
}

#[tokio::test]
async fn st_1_a_run_that_goes_on_takes_words() {
    let mut house = steered(Turn::Waits(words("Well.")), &["and this"]).await;
    goes_on(&mut house).await;
    assert_eq!(heard(&house), ["Go.", "and this"]);
    assert_eq!((runs(&house.commits()), house.last_end().await), (1, Some(RunEnd::Completed)));
}

#[tokio::test]
async fn st_2_words_before_a_question_go_before_it() {
    let turn = Turn::Waits(calling(&[house::call("read", "{}"), house::call("write", "{}")]));
    let mut house = steered(turn, &["no, leave that"]).await;
    goes_on(&mut house).await;
    assert_eq!(heard(&house).last().map(String::as_str), Some("no, leave that"));
    assert!(!format!("{:?}", house.script.last().messages).contains("write"), "the calls were never made");
    assert_eq!((house.ran().len(), house.last_end().await), (0, Some(RunEnd::Completed)));
}

#[tokio::test]
async fn st_3_what_waits_leaves_out_what_words_overtook() {
    let turn = Turn::Waits(calling(&[house::call("write", "{\"n\":1}")]));
    let mut house = steered(turn, &["first something else"]).await;
    house.script.will([calls(&[house::call("write", "{\"n\":2}")])]);
    goes_on(&mut house).await;
    let head = house.head().await;
    let waits: Vec<&str> = head.calls_in_order().iter().map(|call| call.arguments.as_str()).collect();
    assert_eq!((waits, head.requests.len()), (vec!["{\"n\":2}"], 1));
}

#[tokio::test]
async fn st_4_what_was_shown_as_waiting_is_closed_by_no_words() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    let shown = house.open_requests().await;
    let told = house.input(steer("wait")).await;
    assert!(matches!(told, Err(EngineError::Refused(Refusal::NotRunning))), "{told:?}");
    assert_eq!(house.open_requests().await, shown);
    house.answer(&[(0, AnswerBody::Approve)]).await;
    assert_eq!(house.ran(), ["write"]);
}

#[tokio::test]
async fn st_5_an_answer_to_what_was_overtaken_is_told_so() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    let late = house.answers(&[(0, AnswerBody::Approve)]).await;
    let request = late.answers[0].request;
    house.script.will([Turn::Waits(words("Well."))]);
    house.start(text_input("Something else.")).await.unwrap();
    house.script.asked.notified().await;
    house.input(steer("and this")).await.unwrap();
    let closed = Refusal::ApprovalClosed(vec![(request, ClosedReason::PassedBy)]);
    assert!(matches!(house.start(late).await, Err(EngineError::Refused(told)) if told == closed));
    goes_on(&mut house).await;
    assert_eq!((house.ran().len(), heard(&house).pop()), (0, Some("and this".to_owned())));
}

#[tokio::test]
async fn m_22_words_and_a_reply_without_calls() {
    let mut house = steered(Turn::Waits(words("Well.")), &["one", "two"]).await;
    goes_on(&mut house).await;
    assert_eq!((house.script.calls(), runs(&house.commits())), (2, 1), "another model call in the same run");
    let spent = house.engine.store().spent(house.conversation).await.unwrap();
    assert_eq!((spent.input, spent.output), (14, 6), "both are counted");
}

#[tokio::test]
async fn m_23_words_and_calls_that_run() {
    let mut house = steered(Turn::Waits(calling(&[house::call("read", "{}")])), &["and this"]).await;
    goes_on(&mut house).await;
    assert_eq!(house.ran(), ["read"]);
    let messages = house.script.last().messages;
    assert!(matches!(messages[messages.len() - 2].as_ref(), ViewItem::Results(_)), "calls first: {messages:?}");
    assert_eq!(heard(&house), ["Go.", "and this"]);
}

#[tokio::test]
async fn m_24_words_at_once_are_taken_once_each() {
    let mut house = steered(Turn::Waits(words("Well.")), &[]).await;
    let (a, b, c) = tokio::join!(house.input(steer("a")), house.input(steer("b")), house.input(steer("c")));
    for told in [a, b, c] {
        told.unwrap();
    }
    goes_on(&mut house).await;
    let once = ["Go.", "a", "b", "c"];
    assert_eq!(heard(&house), once);
    let mut house = house.again().await;
    house.say("d").await;
    assert_eq!(heard(&house), [&once[..], &["d"]].concat(), "neither lost nor taken again after a restart");
}

#[tokio::test]
async fn d_09_words_that_were_taken_and_never_answered_stay_said() {
    let mut house = steered(Turn::Waits(calling(&[house::call("read", "{}")])), &["and this"]).await;
    house.script.will([Turn::Fails(FailureKind::Cut)]);
    goes_on(&mut house).await;
    assert!(matches!(house.last_end().await, Some(RunEnd::Failed { .. })));
    house.start(countersign_core::input::RunInput::default()).await.unwrap();
    house.settled().await;
    assert_eq!((heard(&house), house.ran().len()), (vec!["Go.".to_owned(), "and this".to_owned()], 1));
}

#[test]
fn d_11_no_question_is_raised_that_words_would_close_at_once() {
    let plans = (Mode::Plan, [call("read", "{}"), plan("# Plan")]);
    let asks = (Mode::Default, [call("ask", "{}"), call("write", "{}")]);
    for (mode, batch) in [plans, asks] {
        let mut play = Play::new(mode);
        play.say("Go.").unwrap();
        play.give(steer("first this")).unwrap();
        let step = play.reply(&batch);
        assert!(!step.changes.iter().any(|change| matches!(change, Change::RequestOpened { .. })), "{mode:?}");
        let dropped = Settled::Dropped { why: Dropped::PassedBy };
        assert!(play.ends().len() == 2 && play.ends().iter().all(|end| end.1 == dropped), "{:?}", play.ends());
        assert!(play.calls_model());
    }
}

#[tokio::test]
async fn d_89_words_to_a_run_are_stored_and_come_back() {
    let house = steered(Turn::Hangs, &["one", "two"]).await;
    let mut house = house.again().await;
    let typed = house.engine.store().typed(house.conversation).await.unwrap();
    assert_eq!(typed.as_deref(), Some("one\ntwo"), "the person's draft again");
    house.say("Else.").await;
    assert_eq!(heard(&house), ["Go.", "Else."], "and never sent by itself");
}

#[tokio::test]
async fn d_109_words_before_a_run_and_all_below_it_are_bounded() {
    crate::agents::breadth_is_bounded();
    let mut house = steered(Turn::Waits(words("Well.")), &["more"; 32]).await;
    let told = house.input(steer("one too many")).await;
    assert!(matches!(told, Err(EngineError::Refused(Refusal::TooMuchSteering(32)))), "{told:?}");
    goes_on(&mut house).await;
    assert_eq!(heard(&house).len(), 33);
}
