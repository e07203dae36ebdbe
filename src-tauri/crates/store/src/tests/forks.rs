//! What a fork keeps of its source, as it is shown (D-59).

use countersign_core::answer::AnswerBody;
use countersign_core::call::{CallState, Settled};
use countersign_core::ids::CallId;
use countersign_core::input::OutcomeKind;
use countersign_core::mode::Mode;

use super::play::{Play, call, reject};
use super::{keep, store};
use crate::record::Record;

/// D-59: a fork's calls say who decided them, without being decisions of history; the whole of a result is there as well.
#[tokio::test]
async fn what_was_decided_is_shown_in_a_fork_and_in_history_once() {
    let (_folder, store) = store().await;
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{\"n\":1}"), call("write", "{\"n\":2}")]);
    play.answer(&[(0, AnswerBody::Approve), (1, reject("not that"))]).unwrap();
    let ran = play.started()[0];
    play.finish(ran, OutcomeKind::Succeeded);
    play.reply(&[call("write", "{\"n\":3}")]);
    keep(&store, &play).await;
    let conversation = play.head.conversation.id;
    store.record(Record::Output { conversation, call: ran, text: "all of it".to_owned() }).await.unwrap();
    let forked = play.fork(None).unwrap();
    store.apply(&forked.head, 0, forked.log.clone(), play.at()).await.unwrap();
    let of = forked.head.conversation.id;
    let page = store.messages(of, i64::MAX, 10).await.unwrap();
    let calls: Vec<_> = page.iter().rev().flat_map(|one| &one.calls).collect();
    let decided: Vec<_> = calls
        .iter()
        .map(|fact| {
            fact.decided.as_ref().map(|one| (one.seq, one.decision.as_str(), one.by.as_str(), one.words.as_deref()))
        })
        .collect();
    assert_eq!(
        decided,
        [
            Some((0, "approved", "person", None)),
            Some((0, "rejected", "person", Some("not that"))),
            None, // It waits in the source.
        ]
    );
    assert!(calls.iter().all(|fact| fact.request.is_none()), "no request of the source is one of the fork's");
    assert_eq!(calls[0].call.state, CallState::Settled(Settled::Succeeded));
    assert!(calls[0].started_at.is_some() && calls[2].started_at.is_none());
    let copy: CallId = calls[0].call.id;
    assert_eq!(store.output_part(copy, 0).await.unwrap().as_deref(), Some("all of it"));
    assert_eq!(store.last_message(of).await.unwrap(), Some(page[0].message.id));
    let behind = store.forked_behind(page[0].message.id).await.unwrap().unwrap();
    assert_eq!((behind.from, behind.title.as_str(), behind.deleted), (conversation, "Played", false));
    assert_eq!(store.forked_behind(page[1].message.id).await.unwrap(), None);
    // The third call of the same tool as a rejected one: it is known here as well, from the copies.
    let rejections = store.rejections(of, &calls[1].call.exact, i64::MAX).await.unwrap();
    assert_eq!(rejections.len(), 1, "D-79 holds in the fork");
}

/// The mode's changes stand behind the message that they came after, with their time.
#[tokio::test]
async fn changes_of_the_mode_have_a_place_and_a_time() {
    let (_folder, store) = store().await;
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[]);
    let mut input = play.input();
    (input.text, input.mode) = (Some("In Auto.".to_owned()), Some(Mode::Auto));
    play.start(input).unwrap();
    play.reply(&[]);
    play.give(countersign_core::input::Input::Tighten { mode: Mode::Plan }).unwrap();
    keep(&store, &play).await;
    let page = store.messages(play.head.conversation.id, i64::MAX, 10).await.unwrap();
    let mut modes = Vec::new();
    for fact in page.iter().rev() {
        let behind = store.modes_behind(fact.message.id).await.unwrap();
        modes.push(behind.into_iter().map(|one| (one.mode, one.ends)).collect::<Vec<_>>());
    }
    assert_eq!(modes, [vec![], vec![(Mode::Auto, false)], vec![], vec![(Mode::Plan, false)]]);
}
