//! Runs without a conversation to go on with: Quick tasks, and what becomes of one that would ask.

use std::sync::Arc;

use countersign_core::agent::ToolSet;
use countersign_core::answer::{Answer, AnswerBody};
use countersign_core::call::{Dropped, Settled};
use countersign_core::change::{Change, MessageBody};
use countersign_core::digest::Digest;
use countersign_core::ids::RequestId;
use countersign_core::input::{NewConversation, Refusal, RunInput, Verdict};
use countersign_core::mode::Mode;
use countersign_core::request::ClosedReason;
use countersign_core::run::RunEnd;
use countersign_engine::error::EngineError;
use countersign_store::error::StoreError;
use countersign_store::open::Disk;

use crate::gates::{asks_first, only};
use crate::house::{House, Turn, call, calling, calls, guard, words};

/// A task whose tool becomes bound while the model thinks: it calls `read`, and by then that asks.
async fn becomes_bound(house: &mut House, mode: Mode) {
    house.script.will([
        calls(&[call("read", "{\"n\":1}")]),
        Turn::Waits(calling(&[call("slow_read", "{}"), call("read", "{\"n\":2}"), call("peek", "{}")])),
    ]);
    house.start_quick(mode, ToolSet::All).await.unwrap();
    // The second model call is the one that waits.
    while house.script.calls() < 2 {
        house.hear().await;
    }
    house.script.asked.notified().await;
    house.engine.switch(asks_first(&["read"])).await.unwrap();
    house.tools.end.notify_one();
    house.script.go.notify_one();
    house.settled().await;
}

fn would_ask(end: Option<RunEnd>) -> Option<(String, u32)> {
    match end {
        Some(RunEnd::WouldAsk { tool, rounds }) => Some((tool, rounds)),
        _ => None,
    }
}

#[tokio::test]
async fn as_6_a_question_needs_a_conversation_that_keeps_it() {
    let mut house = House::new(Mode::Default).await;
    assert_eq!(house.ask(&[call("peek", "{}")]).await.requests.len(), 1);
    becomes_bound(&mut house, Mode::Default).await;
    assert!(house.head().await.requests.is_empty(), "without one nothing is kept");
}

#[tokio::test]
async fn as_7_without_one_the_run_fails_and_names_the_tool() {
    let mut house = House::new(Mode::Default).await;
    becomes_bound(&mut house, Mode::Default).await;
    assert_eq!(would_ask(house.last_end().await), Some(("read".to_owned(), 1)));
    let mut free = House::new(Mode::Default).await;
    free.script.will([calls(&[call("read", "{}")])]);
    free.quick(Mode::Default, ToolSet::All).await;
    assert_eq!(free.last_end().await, Some(RunEnd::Completed), "only where something asks");
}

#[tokio::test]
async fn as_8_a_rule_or_auto_or_a_conversation_help() {
    let mut ruled = House::new(Mode::Default).await;
    ruled.guards(&[guard("yes", |_| Verdict::Approve)]);
    becomes_bound(&mut ruled, Mode::Default).await;
    assert_eq!(ruled.last_end().await, Some(RunEnd::Completed));
    assert_eq!(ruled.ran().iter().filter(|tool| *tool == "read").count(), 2);

    let mut auto = House::new(Mode::Default).await;
    becomes_bound(&mut auto, Mode::Auto).await;
    assert_eq!(auto.last_end().await, Some(RunEnd::Completed));

    let mut kept = House::new(Mode::Default).await;
    kept.engine.switch(asks_first(&["read"])).await.unwrap();
    assert_eq!(kept.ask(&[call("read", "{}")]).await.requests.len(), 1);
}

#[tokio::test]
async fn n_24_a_run_that_cant_be_stored_never_begins() {
    let house = House::new(Mode::Default).await;
    house.engine.store().pretend(Disk::Full).await.unwrap();
    house.script.will([calls(&[call("write", "{}")])]);
    let id = crate::house::conversation(99);
    let new = NewConversation {
        id,
        agent: crate::house::AGENT,
        title: "Task".to_owned(),
        mode: Mode::Auto,
        auto_until: None,
    };
    let outcome = house.engine.quick(new, "x".repeat(300_000), ToolSet::All).await;
    assert!(matches!(outcome, Err(EngineError::Store(StoreError::Full))), "{outcome:?}");
    assert_eq!((house.script.calls(), house.ran().len()), (0, 0));
}

#[tokio::test]
async fn n_75_what_isnt_stored_as_claimed_doesnt_run() {
    let mut house = House::new(Mode::Default).await;
    let long = format!("{{\"text\":\"{}\"}}", "x".repeat(300_000));
    house.script.will([Turn::Waits(calling(&[call("write", &long)]))]);
    house.start_quick(Mode::Auto, ToolSet::All).await.unwrap();
    house.script.asked.notified().await;
    house.engine.store().pretend(Disk::Full).await.unwrap();
    house.script.go.notify_one();
    while !matches!(house.hear().await, countersign_engine::feed::News::Stuck { why: Some(_), .. }) {}
    assert_eq!(house.effects(), [""; 0], "refused before it runs");
    house.engine.store().pretend(Disk::Roomy).await.unwrap();
    house.settled().await;
    assert_eq!(house.effects().len(), 1);
}

#[tokio::test]
async fn n_103_with_no_tool_left_the_answer_comes_without_tools() {
    let mut house = House::new(Mode::Default).await;
    house.script.will([Turn::Says(words("From memory."))]);
    house.quick(Mode::Default, only(&["write", "ghost"])).await;
    assert_eq!((house.script.calls(), house.offered().len()), (1, 0));
    assert_eq!(house.last_end().await, Some(RunEnd::Completed));
}

#[tokio::test]
async fn n_104_a_tool_that_asks_all_the_same_fails_the_run_and_leaves_no_entry() {
    let mut house = House::new(Mode::Default).await;
    becomes_bound(&mut house, Mode::Default).await;
    assert!(would_ask(house.last_end().await).is_some());
    assert!(house.engine.store().waiting_conversations().await.unwrap().is_empty());
    assert!(house.engine.store().waiting_calls(house.conversation).await.unwrap().is_empty());
}

#[tokio::test]
async fn n_105_an_empty_list_isnt_taken_for_an_absent_one() {
    let mut house = House::new(Mode::Default).await;
    house.quick(Mode::Auto, only(&[])).await;
    assert_eq!(house.offered(), [""; 0]);
    let mut absent = House::new(Mode::Default).await;
    absent.quick(Mode::Auto, ToolSet::All).await;
    assert!(absent.offered().len() > 5);
}

#[tokio::test]
async fn d_47_nothing_of_the_batch_runs_and_no_request_is_stored() {
    let mut house = House::new(Mode::Default).await;
    becomes_bound(&mut house, Mode::Default).await;
    assert_eq!(house.ran(), ["read"], "the round before, and no sibling");
    let opened = house.commits().into_iter().flatten().any(|change| matches!(change, Change::RequestOpened { .. }));
    assert!(!opened);
    let page = house.engine.store().messages(house.conversation, i64::MAX, 10).await.unwrap();
    let never = countersign_core::call::CallState::Settled(Settled::Dropped { why: Dropped::NobodyToAsk });
    assert!(
        page[0].calls.len() == 3
            && page[0].calls.iter().all(|fact| fact.call.state == never || fact.call.tool == "peek")
    );
}

#[tokio::test]
async fn d_63_earlier_rounds_stand_and_the_first_asking_tool_is_named() {
    let mut house = House::new(Mode::Default).await;
    becomes_bound(&mut house, Mode::Default).await;
    assert_eq!(would_ask(house.last_end().await), Some(("read".to_owned(), 1)), "not the plain one before it");
    let task = house.task().await;
    assert_eq!((task.run.unwrap().rounds, task.calls), (1, 1));
    let page = house.engine.store().messages(house.conversation, i64::MAX, 10).await.unwrap();
    let ran = page.iter().find(|fact| fact.calls.iter().any(|one| one.result.is_some())).unwrap();
    assert_eq!(ran.calls[0].result.as_deref(), Some("read is done"));
    assert!(matches!(&page.last().unwrap().message.body, MessageBody::User { text } if text == "Do it."));
}

#[tokio::test]
async fn d_64_answers_to_it_are_unknown() {
    let mut house = House::new(Mode::Default).await;
    let known = house.ask(&[call("write", "{}")]).await.requests_in_order()[0].clone();
    house.quick(Mode::Default, ToolSet::All).await;
    let answer = |request| Answer { request, digest: Digest([0; 32]), body: AnswerBody::Approve };
    let (elsewhere, never) = (answer(known.id), answer(RequestId([7; 16])));
    let before = house.bytes();
    let outcome = house.start(RunInput { answers: vec![elsewhere, never], ..RunInput::default() }).await;
    let Err(EngineError::Refused(Refusal::ApprovalClosed(closed))) = outcome else { panic!("{outcome:?}") };
    assert_eq!(closed.len(), 2);
    assert!(closed.iter().all(|(_, reason)| *reason == ClosedReason::Unknown), "{closed:?}");
    assert_eq!(house.bytes(), before);
}

#[tokio::test]
async fn d_105_it_is_stored_listed_and_recovered_like_any_run() {
    let mut house = House::new(Mode::Default).await;
    house.script.will([calls(&[call("slow", "{}"), call("write", "{}")])]);
    house.start_quick(Mode::Auto, ToolSet::All).await.unwrap();
    house.tools.began.notified().await;
    let (task, folder) = (house.conversation, Arc::clone(&house.folder));
    assert!(house.task().await.run.unwrap().ended.is_none());
    // Another process comes after the first has died: the lock is gone, and so is whoever ran it.
    house.engine.close().await;
    let dead = House::open(folder, None).await;
    let fact = dead.engine.store().quick_task(task).await.unwrap().unwrap();
    assert!(fact.run.as_ref().unwrap().ended.is_some(), "{fact:?}");
    let listed = dead.engine.store().quick_tasks(i64::MAX, 10).await.unwrap();
    assert_eq!(listed, [fact]);
    let conversations = dead.engine.store().conversations().await.unwrap();
    assert!(conversations.iter().all(|(one, _)| one.id != task));
    let head = dead.engine.store().head(task).await.unwrap().unwrap();
    assert!(head.calls.is_empty() && head.run.is_none(), "nothing of it waits for a click");
    assert!(dead.effects().is_empty());
}
