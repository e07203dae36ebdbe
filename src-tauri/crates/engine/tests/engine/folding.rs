//! What waits is folded into one commit, and what races has one winner.

use countersign_core::answer::AnswerBody;
use countersign_core::change::Change;
use countersign_core::input::{Input, Refusal};
use countersign_core::mode::Mode;
use countersign_core::request::ClosedReason;
use countersign_engine::error::EngineError;

use crate::house::{House, call, calls, reject, text_input};

/// CL-10, D-61, D-102, N-32, L-031, L-032: two answers to one request, 200 times at the same moment.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn surface_19_two_answers_have_one_winner() {
    let mut house = House::new(Mode::Default).await;
    house.script.will((0..200).map(|n| calls(&[call("write", &format!("{{\"n\":{n}}}"))])));
    house.say("Go.").await;
    for n in 0..200 {
        let input = house.answers(&[(0, AnswerBody::Approve)]).await;
        let request = input.answers[0].request;
        let race = |body: AnswerBody| {
            let (engine, conversation, mut input) = (house.engine.clone(), house.conversation, input.clone());
            input.answers[0].body = body;
            tokio::spawn(async move { engine.input(conversation, Input::Start(input)).await })
        };
        let (one, two) = (race(AnswerBody::Approve), race(AnswerBody::Approve));
        let outcomes = [one.await.unwrap(), two.await.unwrap()];
        let won = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
        assert_eq!(won, 1, "{n}: {outcomes:?}");
        let told = outcomes.into_iter().find_map(Result::err).unwrap();
        let EngineError::Refused(Refusal::ApprovalClosed(gone)) = told else { panic!("{n}: {told:?}") };
        assert_eq!(gone, [(request, ClosedReason::Answered)], "the loser is told why");
        house.settled().await;
    }
    let expected: Vec<String> = (0..200).map(|n| format!("{{\"n\":{n}}}")).collect();
    assert_eq!(house.effects(), expected, "each ran once");
}

/// CL-10, D-102: the same when both answers share a commit; the store doesn't know of the first one yet.
#[tokio::test]
async fn two_answers_in_one_commit() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[call("write", "{}")]).await;
    let yes = house.answers(&[(0, AnswerBody::Approve)]).await;
    let no = house.answers(&[(0, reject("no"))]).await;
    let request = yes.answers[0].request;
    house.commits();
    let (first, second) = tokio::join!(house.start(yes), house.start(no));
    first.unwrap();
    let Err(EngineError::Refused(Refusal::ApprovalClosed(gone))) = second else { panic!("{second:?}") };
    assert_eq!(gone, [(request, ClosedReason::Answered)]);
    house.settled().await;
    assert_eq!(house.effects().len(), 1);
}

/// N-80, D-102: stopping and going on at the same moment; the new run isn't stopped with the old one.
#[tokio::test]
async fn stop_and_go_on_in_one_commit() {
    let mut house = House::new(Mode::Auto).await;
    house.script.will([crate::house::Turn::Hangs]);
    house.start(text_input("Think.")).await.unwrap();
    house.script.asked.notified().await;
    let (stopped, started) = tokio::join!(house.input(Input::Stop), house.start(text_input("Something else.")));
    stopped.unwrap();
    started.unwrap();
    house.settled().await;
    assert_eq!(house.script.calls(), 2, "the second run had its model call");
    assert_eq!(house.last_end().await, Some(countersign_core::run::RunEnd::Completed));

    // The same with tools: the stopped call settles in the commit in which the next run starts.
    house.script.will([calls(&[call("slow", "{}")]), calls(&[call("slow", "{}")])]);
    house.start(text_input("Slowly.")).await.unwrap();
    house.tools.began.notified().await;
    house.input(Input::Stop).await.unwrap();
    house.settled().await;
    house.start(text_input("Again.")).await.unwrap();
    house.tools.began.notified().await;
    house.tools.end.notify_one();
    house.settled().await;
    assert_eq!(house.last_end().await, Some(countersign_core::run::RunEnd::Completed));
}

/// D-84, D-102: neighbours that only read run beside each other, at most eight, and their ends share commits.
#[tokio::test]
async fn reading_calls_run_beside_each_other() {
    let mut house = House::new(Mode::Default).await;
    let mut batch = vec![call("slow_read", "{}"); 10];
    batch.push(call("read", "{}"));
    house.script.will([calls(&batch)]);
    house.start(text_input("Look.")).await.unwrap();
    let begun = |house: &House| house.ran().len();
    while begun(&house) < 8 {
        house.tools.began.notified().await;
    }
    assert_eq!(house.tools.at_once.lock().unwrap().1, 8, "eight at once and no more");
    house.commits();
    house.tools.end.notify_waiters();
    while begun(&house) < 11 {
        house.tools.began.notified().await;
        if begun(&house) == 10 {
            break;
        }
    }
    let commits = house.commits();
    let settled = commits.iter().flatten().filter(|change| matches!(change, Change::CallSettled { .. })).count();
    assert!(settled >= 8);
    assert!(commits.len() <= 4, "eight ends in {} commits", commits.len());
    while house.head().await.run.is_some() {
        house.tools.end.notify_waiters();
        house.hear().await;
    }
    assert_eq!(house.ran().len(), 11);
    assert_eq!(house.tools.at_once.lock().unwrap().1, 8);
}

/// D-84: calls that write run one after the other, in the model's order.
#[tokio::test]
async fn writing_calls_run_in_order() {
    let mut house = House::new(Mode::Auto).await;
    let batch: Vec<_> = (0..5).map(|n| call("write", &format!("{{\"n\":{n}}}"))).collect();
    house.ask(&batch).await;
    let expected: Vec<String> = (0..5).map(|n| format!("{{\"n\":{n}}}")).collect();
    assert_eq!(house.effects(), expected);
    assert_eq!(house.tools.at_once.lock().unwrap().1, 1);
}
