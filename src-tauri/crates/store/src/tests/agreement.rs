//! What the store reads back is what the core says is true, after every step of random sequences.

use countersign_core::change::{Change, MessageBody};
use countersign_core::mode::Mode;
use countersign_core::transcript::Meanwhile;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use sqlx::Row as _;

use super::ops::{Op, change_tools, fitting, fork_place, input, mode, op};
use super::play::Play;
use super::{keep, store};
use crate::open::Store;

async fn follow(start: Mode, limit: u32, ops: &[(Op, u8)]) -> usize {
    let (_folder, store) = store().await;
    let mut play = Play::with_agents(start);
    play.limit = limit;
    store.apply(&play.head, 0, play.log.clone(), play.at()).await.unwrap();
    let mut stored = 1;
    let mut journal = play.log.len();
    for (drawn, stubborn) in ops {
        let expected = play.head.conversation.revision;
        let op = fitting(&play, drawn, *stubborn);
        let changes = match &op {
            Op::Tools(which) => {
                change_tools(&mut play, *which);
                continue;
            }
            Op::Die => play.die(),
            Op::Fork(which) => {
                let place = fork_place(&play, *which);
                let Some(forked) = fork(&store, &mut play, place).await else { continue };
                stored += 1;
                journal += forked.log.len();
                if which % 4 == 1 {
                    play = forked;
                }
                continue;
            }
            Op::Start(_)
            | Op::Reply(..)
            | Op::Fail
            | Op::Steer
            | Op::Look(_)
            | Op::Finish(..)
            | Op::Stop
            | Op::Tighten(_)
            | Op::Drop(_)
            | Op::Revoke(_)
            | Op::Rename
            | Op::TakeBack
            | Op::StartQueued(_)
            | Op::Delete
            | Op::Ask(..)
            | Op::AnswerHeld(_)
            | Op::Withdraw(_)
            | Op::Late(_) => {
                let Some((_, input)) = input(&play, &op) else { continue };
                match play.give(input) {
                    Ok(step) => step.changes,
                    Err(_) => continue,
                }
            }
        };
        if changes.is_empty() {
            continue;
        }
        stored += 1;
        journal += changes.len();
        store.apply(&play.head, expected, changes.clone(), play.at()).await.unwrap_or_else(|error| {
            panic!("the store refused what the core said: {error}\n{changes:#?}");
        });
        let head = store.head(play.head.conversation.id).await.unwrap();
        if matches!(op, Op::Delete) {
            assert_eq!(head, None, "a deleted conversation has no head");
            return stored;
        }
        assert_eq!(head.as_ref(), Some(&play.head), "after {changes:#?}");
        // E-34: every reply is in the conversation's sum once, whoever's it was.
        let replies = play.log.iter().filter(|change| is_reply(change)).count();
        let replies = i64::try_from(replies).unwrap();
        let spent = store.spent(play.head.conversation.id).await.unwrap();
        assert_eq!((spent.calls, spent.counted, spent.input, spent.output), (replies, replies, 10 * replies, replies));
        let threads = std::iter::once((None, &play.transcript));
        let below = play.below.iter().filter(|(run, _)| play.head.children.contains_key(run));
        for (thread, kept) in threads.chain(below.map(|(run, transcript)| (Some(*run), transcript))) {
            let transcript = store.transcript(play.head.conversation.id, thread).await.unwrap();
            assert_eq!(transcript.settled_len(), kept.settled_len());
            let meanwhile = Meanwhile::of(&play.head, thread);
            assert_eq!(transcript.view(Some(&meanwhile)), kept.view(Some(&meanwhile)), "the view that a scan finds");
        }
    }
    let entries = store.check_journal().await.unwrap();
    assert_eq!(entries, i64::try_from(journal).unwrap(), "one entry a change");
    stored
}

/// Forks a conversation; what is stored of the fork is what the core says of it, and nothing of its source changes (D-59).
async fn fork(store: &Store, play: &mut Play, place: Option<i64>) -> Option<Play> {
    let of = play.head.conversation.id;
    assert_eq!(store.fork_source(of).await.unwrap(), Some(play.source()), "what a fork is made of");
    let forked = play.fork(place).ok()?;
    let decided = decisions(store).await;
    store.apply(&forked.head, 0, forked.log.clone(), play.at()).await.unwrap_or_else(|error| {
        panic!("the store refused what the core said: {error}\n{:#?}", forked.log);
    });
    let id = forked.head.conversation.id;
    assert_eq!(store.head(id).await.unwrap().as_ref(), Some(&forked.head));
    assert_eq!(store.head(of).await.unwrap().as_ref(), Some(&play.head), "nothing of the source changes");
    assert_eq!(store.fork_source(id).await.unwrap(), Some(forked.source()), "a fork can be forked");
    let transcript = store.transcript(id, None).await.unwrap();
    assert_eq!(transcript.view(None), forked.transcript.view(None));
    assert_eq!(store.spent(id).await.unwrap().calls, 0, "E-34: what was used up counts once");
    assert_eq!(decisions(store).await, decided, "history has no decision twice");
    Some(forked)
}

/// The places of all decisions in history.
async fn decisions(store: &Store) -> Vec<i64> {
    let rows = sqlx::query("SELECT decided_seq FROM call WHERE decided_seq IS NOT NULL ORDER BY 1");
    rows.fetch_all(&store.readers).await.unwrap().iter().map(|row| row.get(0)).collect()
}

fn is_reply(change: &Change) -> bool {
    matches!(change, Change::MessageAdded(message) if matches!(message.body, MessageBody::Assistant { .. }))
}

/// Invariant 3 of the architecture: `Head::apply` and the store agree (the store's half of D-103).
#[test]
fn the_store_agrees_with_the_core() {
    let deep = std::env::var("DEEP").is_ok_and(|value| value == "1");
    let config = Config { cases: if deep { 3_000 } else { 60 }, failure_persistence: None, ..Config::default() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let stored = std::cell::Cell::new(0);
    let sequences = (mode(), 1..5_u32, prop::collection::vec((op(), any::<u8>()), 10..50));
    TestRunner::new(config)
        .run(&sequences, |(start, limit, ops)| {
            stored.set(stored.get() + runtime.block_on(follow(start, limit, &ops)));
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    assert!(stored.get() > 600, "the sequences are too shallow: {}", stored.get());
}

/// Standing approvals of the same moment keep their order, whatever their ids are.
#[tokio::test]
async fn standing_approvals_keep_their_order() {
    use super::play::{call, for_conversation};
    use countersign_core::answer::Reach;
    let (_folder, store) = store().await;
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    let calls: Vec<_> = (0..6).map(|n| call("write", &format!("{{\"n\":{n}}}"))).collect();
    play.reply(&calls);
    let answers: Vec<_> = (0..6).map(|index| (index, for_conversation(Reach::Exact))).collect();
    play.answer(&answers).unwrap();
    keep(&store, &play).await;
    let mut head = store.head(play.head.conversation.id).await.unwrap().unwrap();
    head.conversation.revision = play.head.conversation.revision;
    assert_eq!(head.standing, play.head.standing);
    assert_eq!(head, play.head);
}
