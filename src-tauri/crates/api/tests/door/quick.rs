//! Quick tasks through the door: started, watched, listed, and ended where they would have asked.

use countersign_api::commands::request;
use countersign_api::display::text::plain;
use countersign_api::wire::agent::Switches;
use countersign_api::wire::conversation::{Entry, EntryBody};
use countersign_api::wire::inbox::{Mode, Thread};
use countersign_api::wire::quick::{QuickState, QuickTask};
use countersign_api::wire::window::{ApiError, FeedWhat, Space};

use crate::house::{House, calls, next_event, says};

async fn start(house: &House, mode: Option<Mode>) -> QuickTask {
    let request = request::start_quick_task { agent: house.agent.clone(), text: "Count the notes.".to_owned(), mode };
    house.app.start_quick_task(Space::Main, request).await.unwrap()
}

async fn task(house: &House, id: &str) -> QuickTask {
    house.app.quick_task(Space::Main, request::quick_task { id: id.to_owned() }).await.unwrap()
}

/// Waits until it is over.
async fn over(house: &House, id: &str) -> QuickTask {
    let mut feed = house.app.subscribe();
    loop {
        let now = task(house, id).await;
        if !matches!(now.state, QuickState::Running { .. }) {
            return now;
        }
        next_event(&mut feed, |what| matches!(what, FeedWhat::Quick { .. }).then_some(())).await;
    }
}

fn asks_first(tool: &str) -> request::switch_tools {
    let switches =
        Switches { off_tools: Vec::new(), off_groups: Vec::new(), ask_first: vec![tool.to_owned()], unreadable: false };
    request::switch_tools { switches }
}

/// D-105: its result and its rounds are there, after a restart too, and no list of conversations has it.
#[tokio::test]
async fn a_task_runs_and_is_listed_beside_conversations() {
    let house = House::new([calls(&[("read_file", "{}")]), says("Two notes.")]).await;
    let mut feed = house.app.subscribe();
    let started = start(&house, None).await;
    let done = over(&house, &started.id).await;
    assert_eq!((&done.state, done.mode), (&QuickState::Done, Mode::Default));
    assert!(format!("{:?}", done.result).contains("Two notes."));
    assert_eq!((plain(&done.text), done.rounds.len()), ("Count the notes.".to_owned(), 1));
    let EntryBody::Assistant { calls, .. } = &done.rounds[0].body else { panic!("{:?}", done.rounds) };
    assert_eq!(calls[0].words, "ran, no approval needed");
    assert_eq!(house.ran(), ["read_file {}"]);
    let offered: Vec<String> =
        house.stage.prompts.lock().unwrap()[0].tools.iter().map(|tool| tool.identity.name.clone()).collect();
    assert_eq!(offered, ["read_file"]);
    let detail = house.detail(&calls[0].call).await;
    assert_eq!(detail.thread, Thread::QuickTask);

    let house = house.restart().await;
    assert_eq!(task(&house, &done.id).await, done);
    let page = house.app.quick_tasks(Space::Main, request::quick_tasks { before: None }).await.unwrap();
    assert_eq!((page.rows.len(), page.rows[0].calls, page.older), (1, 1, None));
    let snapshot = house.snapshot().await;
    assert!(snapshot.conversations.is_empty() && snapshot.sets.is_empty());
    while let Ok(event) = feed.try_recv() {
        let listed = matches!(event.what, FeedWhat::Conversation { .. } | FeedWhat::Set { .. });
        assert!(!listed, "{event:?}");
    }
}

/// D-47, N-104: the end names the tool, earlier rounds stand, the Inbox stays empty and nobody is notified.
#[tokio::test]
async fn a_task_that_would_ask_ends_with_the_tools_name() {
    let reads = || calls(&[("read_file", "{}")]);
    let house = House::new([reads(), reads()]).await;
    let held = house.hold_tools();
    let started = start(&house, None).await;
    // The first round runs before anything is switched.
    let has_called = |entry: &Entry| matches!(&entry.body, EntryBody::Assistant { .. });
    while !task(&house, &started.id).await.rounds.iter().any(has_called) {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    house.app.switch_tools(Space::Main, asks_first("read_file")).await.unwrap();
    drop(held);
    let ended = over(&house, &started.id).await;
    match &ended.state {
        QuickState::WouldAsk { tool, rounds } => assert_eq!((plain(tool), *rounds), ("read_file".to_owned(), 1)),
        other => panic!("{other:?}"),
    }
    assert!(ended.result.is_empty());
    let words: Vec<String> = ended
        .rounds
        .iter()
        .flat_map(|entry| match &entry.body {
            EntryBody::Assistant { calls, .. } => calls.iter().map(|call| call.words.clone()).collect(),
            EntryBody::User { .. } | EntryBody::Agent { .. } => Vec::new(),
        })
        .collect();
    assert_eq!(words[0], "ran, no approval needed");
    assert!(words[1].contains("it would have asked"), "{words:?}");
    assert_eq!(house.ran().len(), 1);
    assert!(house.snapshot().await.sets.is_empty());
    assert!(house.told().iter().all(|told| matches!(told, crate::house::Told::Withdrawn(_))));
}

/// D-44: in Auto its writes run and history says who let them; Auto is never the choice that is kept.
#[tokio::test]
async fn auto_is_chosen_anew_each_time() {
    let house = House::new([]).await;
    let names = |mode| request::quick_tools { agent: house.agent.clone(), mode };
    let tools = house.app.quick_tools(Space::Main, names(Mode::Auto)).await.unwrap();
    assert_eq!(tools, ["read_file", "write_file", "run_command"]);
    assert_eq!(house.app.quick_tools(Space::Main, names(Mode::Plan)).await.unwrap(), ["read_file"]);
    let planned = start(&house, Some(Mode::Plan)).await;
    assert_eq!(house.snapshot().await.settings.quick_mode, Some(Mode::Plan));
    // Its model takes what is to be said next, whenever that is asked.
    over(&house, &planned.id).await;
    house.stage.replies.lock().unwrap().push_back(calls(&[("write_file", r#"{"path":"a"}"#)]));
    let started = start(&house, Some(Mode::Auto)).await;
    assert_eq!(over(&house, &started.id).await.state, QuickState::Done);
    assert_eq!(house.ran().last().unwrap(), r#"write_file {"path":"a"}"#);
    let page = house.app.history(Space::Main, request::history { before: None, query: String::new() }).await.unwrap();
    assert_eq!((page.rows[0].decision.as_str(), plain(&page.rows[0].by)), ("Ran", "Auto".to_owned()));
    let settings = house.snapshot().await.settings;
    assert_eq!((settings.quick_mode, settings.quick_agent), (None, Some(house.agent.clone())));
}

/// What can't start says why, and leaves nothing; what runs can be stopped, what is over removed.
#[tokio::test]
async fn starting_stopping_removing() {
    let house = House::new([calls(&[("read_file", "{}")])]).await;
    let blank = request::start_quick_task { agent: house.agent.clone(), text: " \n".to_owned(), mode: None };
    assert!(matches!(house.app.start_quick_task(Space::Main, blank).await, Err(ApiError::Invalid { .. })));
    let nobody = request::start_quick_task { agent: "0".repeat(32), text: "a".to_owned(), mode: None };
    assert!(matches!(house.app.start_quick_task(Space::Main, nobody).await, Err(ApiError::NotFound { .. })));
    let held = house.hold_tools();
    let started = start(&house, None).await;
    let id = started.id.clone();
    let remove = || house.app.remove_quick_task(Space::Main, request::remove_quick_task { id: id.clone() });
    assert!(matches!(remove().await, Err(ApiError::Refused { .. })), "it still runs");
    let agent = house.agent.clone();
    let gone = house.app.delete_agent(Space::Main, request::delete_agent { id: agent.clone() }).await;
    assert!(matches!(gone, Err(ApiError::Refused { .. })), "its agent is at work");
    drop(held);
    over(&house, &id).await;
    remove().await.unwrap();
    assert!(matches!(remove().await, Err(ApiError::NotFound { .. })));
    let page = house.app.quick_tasks(Space::Main, request::quick_tasks { before: None }).await.unwrap();
    assert!(page.rows.is_empty());
    house.app.delete_agent(Space::Main, request::delete_agent { id: agent }).await.unwrap();
}
