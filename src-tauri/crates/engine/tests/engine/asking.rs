//! A server that asks while it executes a call: what it is told, and what becomes of its question (D-86).

use std::sync::Arc;

use countersign_core::answer::AnswerBody;
use countersign_core::input::{Input, Refusal};
use countersign_core::mode::Mode;
use countersign_core::request::{ClosedReason, MOST_MESSAGE};
use countersign_core::run::RunEnd;
use countersign_engine::error::EngineError;
use countersign_engine::ports::{Asks, Question, Said};

use crate::house::{House, TICKET, call, calls, helpdesk, text_input};

fn data(value: &str) -> AnswerBody {
    AnswerBody::Data { value: value.to_owned() }
}

/// What the server said that it was told, once its run is over.
async fn told(house: &mut House) -> String {
    house.settled().await;
    house.results().join("\n")
}

/// D-50, D-86: the answer is checked against what was asked, read as that declares it, stored, and then passed on.
#[tokio::test]
async fn d_86_an_answer_reaches_the_server() {
    let mut house = House::new(Mode::Default).await;
    let held = house.asked_by_server("{}").await;
    let refused = house.answer_held(&held, data(r#"{"ticket":"0"}"#)).await.unwrap_err();
    assert!(matches!(&refused, EngineError::Refused(Refusal::InvalidData(faults)) if faults[0].1[0].field == "ticket"));
    house.answer_held(&held, data(r#"{"ticket":" 7 "}"#)).await.unwrap();
    assert_eq!(told(&mut house).await, r#"the server got {"ticket":7}"#);
    let late = house.answer_held(&held, data(r#"{"ticket":7}"#)).await.unwrap_err();
    let closed = vec![(held.request.id, ClosedReason::Answered)];
    assert!(matches!(late, EngineError::Refused(Refusal::ApprovalClosed(why)) if why == closed));
    assert_eq!(house.last_end().await, Some(RunEnd::Completed), "it never counted as asked");
}

/// D-86: declining is told as such.
#[tokio::test]
async fn d_86_a_server_is_declined() {
    let mut house = House::new(Mode::Default).await;
    let held = house.asked_by_server("{}").await;
    house.answer_held(&held, AnswerBody::Reject { reason: None }).await.unwrap();
    assert_eq!(told(&mut house).await, "the server was declined");
}

/// D-75: when nobody waits any more the question closes, and the person's answer is late.
#[tokio::test]
async fn d_75_a_question_goes_with_whoever_waits() {
    let mut house = House::new(Mode::Default).await;
    let held = house.asked_by_server("{}").await;
    house.tools.end.notify_one();
    assert_eq!(told(&mut house).await, "never mind");
    let late = house.answer_held(&held, data(r#"{"ticket":7}"#)).await.unwrap_err();
    let closed = vec![(held.request.id, ClosedReason::PassedBy)];
    assert!(matches!(late, EngineError::Refused(Refusal::ApprovalClosed(why)) if why == closed));
}

/// D-75, D-86: a waiting that is given up takes its question back at once, while its call goes on.
#[tokio::test]
async fn d_75_giving_up_takes_the_question_back() {
    let mut house = House::new(Mode::Auto).await;
    house.script.will([calls(&[call("slow", "{}")])]);
    house.start(text_input("Go.")).await.unwrap();
    house.tools.began.notified().await;
    let asks = house.tools.ran.lock().unwrap()[0].asks.clone();
    let question = Question { message: "Which?".to_owned(), schema: TICKET.to_owned() };
    let waiting = tokio::spawn({
        let (asks, question) = (asks.clone(), question.clone());
        async move { asks.ask(question).await }
    });
    let held = house.until_held().await;
    waiting.abort();
    while !house.head().await.held.is_empty() {
        house.hear().await;
    }
    let reasons = house.engine.store().closed_reasons(house.conversation, &[held.request.id]).await.unwrap();
    assert_eq!(reasons[&held.request.id], ClosedReason::PassedBy);
    assert_eq!(house.head().await.calls.len(), 1, "its call goes on");
    house.tools.end.notify_one();
    house.settled().await;
    let late = asks.ask(question).await;
    assert!(matches!(late, Said::CantAsk(_)), "a line that outlives its call asks nobody: {late:?}");
    assert!(house.head().await.held.is_empty());
}

/// D-88, D-91: a stop tells the server before its call is stopped.
#[tokio::test]
async fn d_86_a_stop_withdraws_it() {
    let mut house = House::new(Mode::Default).await;
    house.asked_by_server("{}").await;
    house.input(Input::Stop).await.unwrap();
    house.settled().await;
    assert_eq!(house.last_end().await, Some(RunEnd::Cancelled));
    house.say("What now?").await;
    assert!(house.results()[0].contains("the server was told nothing"), "{:?}", house.results());
}

/// D-86, N-44, N-56: what can't be asked is told to the server, and nobody sees it.
#[tokio::test]
async fn d_86_what_can_not_be_asked_is_never_shown() {
    let mut house = House::new(Mode::Default).await;
    house.tools.list.lock().unwrap().push(helpdesk());
    let long = format!(r#"{{"message":"{}"}}"#, "m".repeat(MOST_MESSAGE + 1));
    let elsewhere = r#"{"schema":{"type":"object","properties":{"a":{"$ref":"http://127.0.0.1:1/x"}}}}"#;
    for arguments in [r#"{"schema":{"type":"string"}}"#, elsewhere, long.as_str()] {
        house.ask(&[call("helpdesk", arguments)]).await;
        let told = house.results().pop().unwrap();
        assert!(told.starts_with("the server can't ask: "), "{told}");
        let asked = house.commits().into_iter().flatten().any(|change| change.kind() == "question_held");
        assert!(!asked, "{told}");
    }
    let nobody = Asks::nobody().ask(Question { message: String::new(), schema: TICKET.to_owned() }).await;
    assert!(matches!(nobody, Said::CantAsk(_)));
}

/// D-86: a server that asks and takes back, over and over, is stopped from asking.
#[tokio::test]
async fn d_86_nobody_is_worn_down() {
    let mut house = House::new(Mode::Auto).await;
    house.script.will([calls(&[call("slow", "{}")])]);
    house.start(text_input("Go.")).await.unwrap();
    house.tools.began.notified().await;
    let asks = house.tools.ran.lock().unwrap()[0].asks.clone();
    let question = Question { message: "Now?".to_owned(), schema: TICKET.to_owned() };
    let mut asked = 0;
    let last = loop {
        let said = tokio::select! {
            said = asks.ask(question.clone()) => Some(said),
            _ = house.until_held() => None,
        };
        match said {
            Some(said) => break said,
            None => asked += 1,
        }
        while !house.head().await.held.is_empty() {
            house.hear().await;
        }
    };
    assert!(matches!(last, Said::CantAsk(_)) && asked == 32, "{last:?} after {asked}");
    house.tools.end.notify_one();
    house.settled().await;
}

/// D-54, D-86, D-90: what the app's end leaves is settled by the next start.
#[tokio::test]
async fn d_86_the_end_of_the_app_withdraws_it() {
    let mut house = House::new(Mode::Default).await;
    let held = house.asked_by_server("{}").await;
    let house = house.again().await;
    let head = house.head().await;
    assert!(head.held.is_empty() && head.calls.is_empty() && head.run.is_none());
    let fact = house.engine.store().held_fact(held.request.id.0).await.unwrap().unwrap();
    assert!(format!("{:?}", fact.question.closed).contains("Withdrawn"));
    assert!(format!("{:?}", fact.call.call.state).contains("OutcomeUnknown"));
    assert_eq!(house.last_end().await, Some(RunEnd::Interrupted));
}

/// D-61, D-86, D-90: a second process answers what the first one's server asks, or stops it; the server is told either way.
#[tokio::test]
async fn d_86_a_second_process_answers_or_stops_it() {
    for stops in [false, true] {
        let mut house = House::new(Mode::Default).await;
        let held = house.asked_by_server("{}").await;
        let mut other = House::open(Arc::clone(&house.folder), None).await;
        other.conversation = house.conversation;
        if stops {
            other.input(Input::Stop).await.unwrap();
        } else {
            other.answer_held(&held, data(r#"{"ticket":7}"#)).await.unwrap();
        }
        house.settled_elsewhere().await;
        let result = house.engine.store().call_fact(held.request.call.0).await.unwrap().unwrap().result.unwrap();
        let wanted = if stops { "the server was told nothing" } else { r#"the server got {"ticket":7}"# };
        assert_eq!(result, wanted);
    }
}
