//! What the writer refuses, what it keeps together, and what a full disk does.

use countersign_core::answer::AnswerBody;
use countersign_core::call::{Settled, Warrant};
use countersign_core::change::Change;
use countersign_core::ids::{At, ConversationId};
use countersign_core::input::{Input, NewConversation};
use countersign_core::mode::Mode;
use countersign_core::request::{Closing, PassedBy};
use sqlx::query;

use super::play::{AGENT, Play, call};
use super::{beside, dump, keep, store};
use crate::error::StoreError;
use crate::open::{Disk, Store};
use crate::record::Record;

/// A conversation of two calls of which the first runs, stored.
async fn running(store: &Store) -> Play {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{\"n\":1}"), call("write", "{\"n\":2}")]);
    play.answer(&[(0, AnswerBody::Approve), (1, AnswerBody::Approve)]).unwrap();
    keep(store, &play).await;
    play.head.conversation.revision = 1;
    play
}

async fn refused(store: &Store, play: &Play, changes: Vec<Change>) {
    let before = dump(store.path()).await;
    let outcome = store.apply(&play.head, 1, changes.clone(), At(9)).await;
    assert!(matches!(outcome, Err(StoreError::Misfit { .. })), "{changes:?}: {outcome:?}");
    assert_eq!(dump(store.path()).await, before, "a refused step leaves nothing behind");
}

/// b.6.4, b.6.11, RT-9: whatever the code above believes, nothing starts twice, closes twice or changes after its end.
#[tokio::test]
async fn what_happened_once_is_refused_a_second_time() {
    let (_folder, store) = store().await;
    let play = running(&store).await;
    let run = play.run();
    let (started, approved) = (play.started()[0], play.approved()[0]);
    let request = *play.closed.keys().next().unwrap();
    let closing = Closing::PassedBy { by: PassedBy::Stopped };
    let settle = |call| Change::CallSettled {
        call,
        settled: Settled::Succeeded,
        result: Some("r".to_owned()),
        left: None,
        at: At(9),
    };
    let rename = || Change::ConversationRenamed { title: "Other".to_owned() };
    let warrant = Warrant::Auto;
    refused(
        &store,
        &play,
        vec![rename(), Change::CallStarted { call: started, run, warrant: warrant.clone(), at: At(9) }],
    )
    .await;
    refused(&store, &play, vec![rename(), Change::CallApproved { call: started, warrant: warrant.clone() }]).await;
    refused(&store, &play, vec![Change::RequestClosed { request, closing, by_run: None, at: At(9) }]).await;
    refused(&store, &play, vec![settle(started), settle(started)]).await;
    refused(&store, &play, vec![settle(approved), Change::CallStarted { call: approved, run, warrant, at: At(9) }])
        .await;
    let end = || Change::RunEnded { run, end: countersign_core::run::RunEnd::Cancelled, at: At(9) };
    refused(&store, &play, vec![end(), end()]).await;
    let phase = countersign_core::run::Phase::Model;
    refused(&store, &play, vec![end(), Change::RunPhase { run, phase, rounds: 1 }]).await;
    let standing = countersign_core::ids::StandingId([1; 16]);
    refused(&store, &play, vec![Change::StandingUsed { standing, at: At(9) }]).await;
    refused(&store, &play, vec![Change::StandingRevoked { standing, at: At(9) }]).await;
}

/// D-07: one active run a conversation, by the schema itself.
#[tokio::test]
async fn a_second_run_is_refused() {
    let (_folder, store) = store().await;
    let play = running(&store).await;
    let second =
        countersign_core::run::Run { id: countersign_core::ids::RunId([7; 16]), ..play.head.run.clone().unwrap() };
    let outcome = store.apply(&play.head, 1, vec![Change::RunStarted(second)], At(9)).await;
    assert!(matches!(outcome, Err(StoreError::Sql(_))), "{outcome:?}");
}

/// D-102, N-32: of two steps made on the same revision one is stored.
#[tokio::test]
async fn a_stale_step_is_refused() {
    let (_folder, store) = store().await;
    let play = running(&store).await;
    let rename = |title: &str| vec![Change::ConversationRenamed { title: title.to_owned() }];
    store.apply(&play.head, 1, rename("first"), At(9)).await.unwrap();
    let late = store.apply(&play.head, 1, rename("second"), At(9)).await;
    assert!(matches!(late, Err(StoreError::Stale { expected: 1, found: 2 })), "{late:?}");
    let (conversation, _) = store.conversation(play.head.conversation.id).await.unwrap().unwrap();
    assert_eq!(conversation.title, "first");
}

fn another(number: u8) -> (countersign_core::head::Head, Vec<Change>) {
    let new = NewConversation {
        id: ConversationId([number; 16]),
        agent: AGENT,
        title: format!("c{number}"),
        mode: Mode::Default,
        auto_until: None,
    };
    let made = countersign_core::step::create(new, At(5));
    (made.head, made.changes)
}

/// Architecture 6: what waits shares a commit; a refused piece in the middle takes nothing with it.
#[tokio::test]
async fn pieces_share_a_commit_and_not_a_fate() {
    let (_folder, store) = store().await;
    let (head, changes) = another(1);
    store.apply(&head, 0, changes, At(5)).await.unwrap();
    let write = |expected: i64, title: &str| {
        let (store, head, title) = (store.clone(), head.clone(), title.to_owned());
        async move { store.apply(&head, expected, vec![Change::ConversationRenamed { title }], At(6)).await }
    };
    let record = store.record(Record::Setting { name: "a".to_owned(), value: "1".to_owned() });
    let journal = store.check_journal().await.unwrap();
    // All are sent before the writer runs: the runtime has one thread, and it comes to the writer when all of these wait.
    let (first, stale, record, second) = tokio::join!(write(0, "first"), write(0, "stale"), record, write(1, "second"));
    first.unwrap();
    assert!(matches!(stale, Err(StoreError::Stale { .. })), "{stale:?}");
    record.unwrap();
    second.unwrap();
    let (conversation, _) = store.conversation(head.conversation.id).await.unwrap().unwrap();
    assert_eq!((conversation.title.as_str(), conversation.revision), ("second", 2));
    assert_eq!(store.setting("a").await.unwrap().as_deref(), Some("1"));
    assert_eq!(store.check_journal().await.unwrap(), journal + 2, "the chain has no gap where one was refused");
}

/// RT-5, N-23: a full disk is said as what it is, nothing of the step is stored, and there is a way on.
#[tokio::test]
async fn a_full_disk_loses_nothing() {
    let (_folder, store) = store().await;
    let mut play = running(&store).await;
    let before = dump(store.path()).await;
    store.pretend(Disk::Full).await.unwrap();
    let run = play.run();
    let call_id = play.started()[0];
    let outcome = countersign_core::input::Outcome {
        kind: countersign_core::input::OutcomeKind::Succeeded,
        text: "x".repeat(300_000),
        left: None,
    };
    let step = play.give(Input::CallFinished { run, call: call_id, outcome }).unwrap();
    let small = Record::Setting { name: "a".to_owned(), value: "1".to_owned() };
    // A small piece in the same commit is told the truth too: it isn't stored either.
    let (full, beside) = tokio::join!(store.apply(&play.head, 1, step.changes.clone(), play.at()), store.record(small));
    assert!(matches!(full, Err(StoreError::Full)), "{full:?}");
    assert!(matches!(beside, Err(StoreError::Full)), "{beside:?}");
    assert_eq!(dump(store.path()).await, before);

    store.pretend(Disk::Roomy).await.unwrap();
    store.apply(&play.head, 1, step.changes, play.at()).await.unwrap();
    let mut head = store.head(play.head.conversation.id).await.unwrap().unwrap();
    head.conversation.revision = play.head.conversation.revision;
    assert_eq!(head, play.head);
    store.check_journal().await.unwrap();
}

/// D-103: a changed row of the journal shows, wherever it was changed.
#[tokio::test]
async fn a_changed_journal_shows() {
    for damage in [
        "UPDATE journal SET kind = 'call_settled' WHERE seq = 3",
        "UPDATE journal SET at = at + 1 WHERE seq = 3",
        "UPDATE journal SET content = zeroblob(32) WHERE seq = 3",
        "UPDATE journal SET hash = zeroblob(32) WHERE seq = 3",
        "DELETE FROM journal WHERE seq = 3",
    ] {
        let (folder, store) = store().await;
        let play = running(&store).await;
        assert_eq!(store.check_journal().await.unwrap(), i64::try_from(play.log.len()).unwrap());
        let mut connection = beside(&folder.path().join("test.sqlite")).await;
        query(damage).execute(&mut connection).await.unwrap();
        let found = store.check_journal().await;
        assert!(matches!(found, Err(StoreError::Unreadable { .. })), "{damage}: {found:?}");
    }
}
