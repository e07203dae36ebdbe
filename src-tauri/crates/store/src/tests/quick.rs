//! Quick tasks in the schema: whatever is asked of the store, nothing under one can wait.

use countersign_core::change::Change;
use countersign_core::ids::{At, ConversationId, RequestId};
use countersign_core::mode::Mode;
use countersign_core::run::RunEnd;
use sqlx::query;

use super::play::{Play, call};
use super::{beside, keep, store};
use crate::error::StoreError;

/// D-105: the schema itself refuses a request, a waiting call and a change of kind.
#[tokio::test]
async fn nothing_under_it_can_wait() {
    let (folder, store) = store().await;
    let mut play = Play::quick(Mode::Auto);
    let made = play.head.clone();
    store.apply(&made, 0, play.log.clone(), play.at()).await.unwrap();
    play.say("Do it.").unwrap();
    play.reply(&[call("write", "{}")]);
    store.apply(&play.head, 0, play.log[1..].to_vec(), play.at()).await.unwrap();

    // What a thread asks, moved under the task.
    let mut thread = Play::new(Mode::Default);
    thread.say("Go.").unwrap();
    thread.reply(&[call("write", "{}")]);
    keep(&store, &thread).await;
    let asked = thread.log.iter().find_map(|change| match change {
        Change::RequestOpened { request, before } => Some((request.clone(), before.clone())),
        _ => None,
    });
    let (mut request, before) = asked.unwrap();
    let started = play.started()[0];
    (request.id, request.call) = (RequestId([9; 16]), started);
    let refused = store.apply(&play.head, 1, vec![Change::RequestOpened { request, before }], At(9)).await;
    assert!(
        matches!(&refused, Err(StoreError::Sql(error)) if error.to_string().contains("holds no request")),
        "{refused:?}"
    );

    let mut connection = beside(&folder.path().join("test.sqlite")).await;
    for (statement, word) in [
        ("UPDATE call SET state = 'waiting' WHERE conversation = ?", "waits for nobody"),
        ("UPDATE call SET state = 'held' WHERE conversation = ?", "waits for nobody"),
        ("UPDATE request SET conversation = ?", "holds no request"),
        ("UPDATE conversation SET kind = 'thread' WHERE id = ?", "keeps its kind"),
    ] {
        let task = play.head.conversation.id.0.to_vec();
        let outcome = query(statement).bind(task).execute(&mut connection).await;
        let error = outcome.expect_err(statement).to_string();
        assert!(error.contains(word), "{statement}: {error}");
    }
    let thread = thread.head.conversation.id.0.to_vec();
    query("UPDATE call SET state = 'held' WHERE conversation = ?").bind(thread).execute(&mut connection).await.unwrap();
}

/// It is in no list of conversations, its head and end read back, and it keeps no agent from going once it is over.
#[tokio::test]
async fn it_reads_back_and_is_in_no_list() {
    let (_folder, store) = store().await;
    let mut play = Play::quick(Mode::Default);
    store.apply(&play.head, 0, play.log.clone(), play.at()).await.unwrap();
    let id = play.head.conversation.id;
    assert_eq!(store.quick_task(id).await.unwrap().unwrap().run, None, "made, and not started");
    play.say("Do it.").unwrap();
    store.apply(&play.head, 0, play.log[1..].to_vec(), play.at()).await.unwrap();
    assert_eq!(store.head(id).await.unwrap().as_ref(), Some(&play.head));
    assert_eq!(store.conversations_of(super::play::AGENT).await.unwrap(), 1, "it is at work");
    let so_far = play.log.len();
    play.reply(&[call("read", "{}"), call("write", "{}")]);
    store.apply(&play.head, 1, play.log[so_far..].to_vec(), play.at()).await.unwrap();

    let fact = store.quick_task(id).await.unwrap().unwrap();
    let run = fact.run.clone().unwrap();
    assert_eq!(run.ended.unwrap().0, RunEnd::WouldAsk { tool: "write".to_owned(), rounds: 0 });
    assert_eq!((run.phase, fact.calls), (None, 0));
    assert_eq!(store.quick_tasks(i64::MAX, 10).await.unwrap(), std::slice::from_ref(&fact));
    assert_eq!(store.quick_tasks(fact.place, 10).await.unwrap(), []);
    assert!(store.conversations().await.unwrap().is_empty());
    assert_eq!(store.waiting_conversations().await.unwrap(), Vec::<ConversationId>::new());
    assert_eq!(store.conversations_of(super::play::AGENT).await.unwrap(), 0);
}
