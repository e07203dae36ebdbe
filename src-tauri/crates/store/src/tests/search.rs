//! History by a filter, what leaves it by age, and the chain that keeps adding up.

use countersign_core::answer::AnswerBody;
use countersign_core::ids::At;
use countersign_core::mode::Mode;
use sqlx::{Row as _, query};

use super::play::{Play, call, reject};
use super::{beside, keep, store};
use crate::journal::{Checked, Link};
use crate::open::Store;
use crate::read::history::DecisionFact;
use crate::read::search::{Filter, Word};
use crate::record::Record;
use crate::table::search::{Entry, Facet, tokens};

fn entry(fact: &DecisionFact, text: &str) -> Entry {
    let about = fact.about();
    let decided = about.decided.clone().unwrap();
    let by = if decided.by == "person" { "you" } else { "auto" };
    Entry {
        seq: fact.seq(),
        at: decided.at,
        took: (by == "you").then_some(4_000),
        tool: about.call.tool.clone(),
        decision: decided.decision,
        by: by.to_owned(),
        rules: Vec::new(),
        outcome: if about.settled_at.is_some() { "ok" } else { "pending" }.to_owned(),
        kind: "other".to_owned(),
        agent: about.agent.to_string(),
        conversation: about.conversation.to_string(),
        unsettled: about.settled_at.is_none(),
        text: text.to_owned(),
    }
}

async fn fill(store: &Store, text: &str) {
    let fill = store.index_fill().await.unwrap();
    let (facts, to) = store.unindexed(fill.filled, 100).await.unwrap();
    let entries = facts.iter().map(|fact| entry(fact, &format!("{text} {}", fact.about().call.arguments))).collect();
    store.record_beside(Record::Indexed { entries, filled: to }).await.unwrap();
}

fn words(text: &str) -> Filter {
    Filter { words: vec![Word { text: text.to_owned(), begins: false }], ..Filter::default() }
}

fn is(facet: Facet, value: &str) -> Filter {
    Filter { any: vec![(facet, vec![value.to_owned()])], ..Filter::default() }
}

/// Two calls rejected and approved by the person.
fn two() -> Play {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{\"n\":\"git push --force\"}"), call("shell", "{\"n\":\"ls\"}")]);
    play.answer(&[(0, reject("no")), (1, AnswerBody::Approve)]).unwrap();
    play
}

#[test]
fn words_are_letters_and_digits_and_hold_no_mark() {
    assert_eq!(tokens("Git push --FORCE-with_lease ×2"), ["git", "push", "force", "with", "lease", "2"]);
    assert_eq!(tokens("\u{E000}7 nach Größe"), ["7", "nach", "größe"], "nobody can write what marks a facet");
    assert_eq!(tokens("部署v2"), ["部", "署", "v2"]);
    assert!(tokens("-- !").is_empty());
}

#[tokio::test]
async fn a_filter_finds_by_words_facets_and_time_and_counts() {
    let play = two();
    let (_folder, store) = store().await;
    keep(&store, &play).await;
    assert_eq!(store.index_fill().await.unwrap().pending, 2, "nothing is in the index in the decision's own commit");
    assert_eq!(store.history_total().await.unwrap().0, 2, "and yet they are counted");
    fill(&store, "Nightly").await;
    let hits = async |filter: &Filter| store.found(filter, i64::MAX, 50).await.unwrap();
    assert_eq!(hits(&Filter::default()).await, [2, 1]);
    assert_eq!(hits(&words("FORCE")).await, [1]);
    assert_eq!(hits(&words("push force")).await, [1], "all parts of a word must be in it");
    assert_eq!(hits(&words("forc")).await, [0_i64; 0], "whole words");
    let begins = Filter { words: vec![Word { text: "forc".to_owned(), begins: true }], ..Filter::default() };
    assert_eq!(hits(&begins).await, [1]);
    assert_eq!(hits(&is(Facet::Tool, "shell")).await, [2]);
    assert_eq!(hits(&is(Facet::Decision, "rejected")).await, [1]);
    assert_eq!(hits(&is(Facet::Tool, "nothing")).await, [0_i64; 0]);
    let either = Filter { any: vec![(Facet::Tool, vec!["shell".into(), "write".into()])], ..words("nightly") };
    assert_eq!(hits(&either).await, [2, 1], "one of the values, and the word");
    assert_eq!(store.found(&either, 2, 50).await.unwrap(), [1], "a page goes on where the last one ended");
    assert_eq!(store.count_found(&either).await.unwrap(), 2);
    let at = store.history(i64::MAX, 1).await.unwrap()[0].about().decided.as_ref().unwrap().at;
    let late = Filter { after: Some(At(at.0 + 1)), ..Filter::default() };
    assert_eq!(hits(&late).await, [0_i64; 0]);
    let now = Filter { after: Some(at), before: Some(At(at.0 + 1)), ..words("nightly") };
    assert_eq!(hits(&now).await, [2, 1]);
    let facets = store.facets(&words("force")).await.unwrap();
    assert_eq!(facets[0], (Facet::Tool, vec![("write".to_owned(), 1)]));
    let spans = store.decided_in(&[(0, at.0), (at.0, at.0 + 1)]).await.unwrap();
    assert_eq!((spans[0].len(), spans[1].get("you")), (0, Some(&2)));
    assert_eq!(store.took_in(0, i64::MAX).await.unwrap(), [2, 0, 0, 0, 0, 0]);
}

/// What became of a decision is searched when it is known, and by other rules the index is filled anew.
#[tokio::test]
async fn the_index_follows_what_became_of_a_decision() {
    let mut play = two();
    let (_folder, store) = store().await;
    keep(&store, &play).await;
    fill(&store, "").await;
    assert_eq!(store.found(&is(Facet::Outcome, "pending"), i64::MAX, 9).await.unwrap(), [2]);
    assert!(store.settled_since(10).await.unwrap().0.is_empty());
    play.log.clear();
    play.finish_first();
    store.apply(&play.head, 1, play.log.clone(), play.at()).await.unwrap();
    let (settled, gone) = store.settled_since(10).await.unwrap();
    assert_eq!((settled.len(), gone.len()), (1, 0));
    let entries = settled.iter().map(|fact| entry(fact, "")).collect();
    store.record_beside(Record::Indexed { entries, filled: 0 }).await.unwrap();
    assert_eq!(store.found(&is(Facet::Outcome, "ok"), i64::MAX, 9).await.unwrap(), [2, 1]);
    assert!(store.settled_since(10).await.unwrap().0.is_empty());
    assert_eq!(store.index_fill().await.unwrap().entries, 2, "in place of what was there");
    store.record_beside(Record::IndexAfresh { stamp: "two".to_owned() }).await.unwrap();
    let afresh = store.index_fill().await.unwrap();
    assert_eq!((afresh.filled, afresh.entries, afresh.pending, afresh.stamp.as_str()), (0, 0, 2, "two"));
    assert!(store.found(&Filter::default(), i64::MAX, 9).await.unwrap().is_empty());
    fill(&store, "again").await;
    assert_eq!(store.found(&words("again"), i64::MAX, 9).await.unwrap(), [2, 1]);
}

/// N-84: age alone takes nothing out that waits or goes on; what is over goes, out of pages and search, and the chain still adds up.
#[tokio::test]
async fn n_84_only_what_is_over_goes_by_age() {
    let mut play = two();
    let (folder, store) = store().await;
    keep(&store, &play).await;
    fill(&store, "Nightly").await;
    let ever = At(i64::MAX);
    assert!(store.may_go(At(0), ever, 0, 10).await.unwrap().is_empty(), "a call of it is still executed");
    store.erase(vec![1, 2], ever, At(9)).await.unwrap();
    assert_eq!(store.history(i64::MAX, 9).await.unwrap().len(), 2, "whoever asks for it");
    play.log.clear();
    play.finish_first();
    play.reply(&[call("shell", "{\"n\":3}")]);
    store.apply(&play.head, 1, play.log.clone(), play.at()).await.unwrap();
    assert!(store.may_go(At(0), ever, 0, 10).await.unwrap().is_empty(), "a request of it waits");
    play.log.clear();
    play.answer(&[(0, reject("no"))]).unwrap();
    play.reply(&[]);
    store.apply(&play.head, 2, play.log.clone(), play.at()).await.unwrap();
    fill(&store, "Nightly").await;
    assert_eq!(store.may_go(At(0), At(0), 0, 10).await.unwrap(), [0_i64; 0], "younger than that");
    assert_eq!(store.may_go(At(0), ever, 0, 10).await.unwrap(), [1, 2, 3]);
    let entries = store.check_journal().await.unwrap();
    store.erase(vec![1, 3], ever, At(9)).await.unwrap();
    assert_eq!(store.check_journal().await.unwrap(), entries + 1, "a row says that they went");
    let left: Vec<i64> = store.history(i64::MAX, 9).await.unwrap().iter().map(DecisionFact::seq).collect();
    assert_eq!(left, [2]);
    assert_eq!(store.found(&words("force"), i64::MAX, 9).await.unwrap(), [0_i64; 0], "nor is it found");
    assert_eq!(store.history_total().await.unwrap().0, 1);
    let conversation = play.head.conversation.id;
    let said = store.messages(conversation, i64::MAX, 9).await.unwrap();
    assert!(format!("{said:?}").contains("--force"), "the conversation keeps its own words as long as it is there");
    play.log.clear();
    play.say("More.").unwrap();
    play.reply(&[call("shell", "{\"n\":4}")]);
    play.answer(&[(0, reject("no"))]).unwrap();
    play.reply(&[]);
    store.apply(&play.head, 3, play.log.clone(), play.at()).await.unwrap();
    assert_eq!(store.history(i64::MAX, 1).await.unwrap()[0].seq(), 4, "no place is given twice");

    // Of a deleted conversation the content goes as well.
    play.log.clear();
    play.give(countersign_core::input::Input::Delete).unwrap();
    store.apply(&play.head, 4, play.log.clone(), play.at()).await.unwrap();
    fill(&store, "").await;
    store.erase(vec![2, 4], ever, At(9)).await.unwrap();
    store.check_journal().await.unwrap();
    let all = super::dump(&folder.path().join("test.sqlite")).await.join("\n");
    for secret in ["--force", "Go.", "More."] {
        assert!(!all.contains(secret), "{secret} is still there");
    }
}

/// What was changed in the journal shows, whatever it was, with its place; the part before it still adds up.
#[tokio::test]
async fn a_broken_link_shows_where() {
    for (what, damage) in [
        ("hash altered", "UPDATE journal SET hash = zeroblob(32) WHERE seq = 5"),
        ("content altered", "UPDATE journal SET content = zeroblob(32) WHERE seq = 5"),
        ("row removed", "DELETE FROM journal WHERE seq = 5"),
        ("time altered", "UPDATE journal SET at = at - 1 WHERE seq = 5"),
        (
            "two swapped",
            "UPDATE journal SET seq = -5 WHERE seq = 5; UPDATE journal SET seq = 5 WHERE seq = 6; \
            UPDATE journal SET seq = 6 WHERE seq = -5",
        ),
    ] {
        let (folder, store) = store().await;
        keep(&store, &two()).await;
        let Checked::Whole(whole) = store.check_chain(Link::START, 1_000).await.unwrap() else { panic!("{what}") };
        let mut connection = beside(&folder.path().join("test.sqlite")).await;
        let at: i64 = query("SELECT at FROM journal WHERE seq = 5").fetch_one(&mut connection).await.unwrap().get(0);
        query(damage).execute(&mut connection).await.unwrap();
        let found = store.check_chain(Link::START, 1_000).await.unwrap();
        let Checked::Broken { seq, at: found_at } = found else { panic!("{what}: {found:?}") };
        assert_eq!(seq, 5, "{what}");
        assert!((found_at - at).abs() <= 1, "{what}");
        // In parts it is found as well, and not before.
        let Checked::More(first) = store.check_chain(Link::START, 4).await.unwrap() else { panic!("{what}") };
        assert_eq!(first.seq, 4);
        assert!(matches!(store.check_chain(first, 4).await.unwrap(), Checked::Broken { seq: 5, .. }), "{what}");
        assert!(whole.seq > 5);
    }
}
