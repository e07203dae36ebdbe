//! What history says was decided, by whom; and that it says so only of what was.

use countersign_core::answer::{AnswerBody, Reach};
use countersign_core::input::{Input, Verdict};
use countersign_core::mode::{Mode, Until};

use super::play::{Play, call, for_conversation, into, judge, plan, reject, says};
use super::{keep, store};
use crate::open::Store;

async fn stored(play: &Play) -> (tempfile::TempDir, Store) {
    let (folder, store) = store().await;
    keep(&store, play).await;
    (folder, store)
}

/// Tool, decision, by whom, words; newest first.
async fn history(store: &Store) -> Vec<(String, String, String, Option<String>)> {
    let facts = store.history(i64::MAX, 100).await.unwrap();
    let decided = facts.into_iter().map(|fact| {
        let decided = fact.decided.expect("history has decisions only");
        (fact.call.tool, decided.decision, decided.by, decided.words)
    });
    decided.collect()
}

fn line(tool: &str, decision: &str, by: &str, words: Option<&str>) -> (String, String, String, Option<String>) {
    (tool.to_owned(), decision.to_owned(), by.to_owned(), words.map(str::to_owned))
}

#[tokio::test]
async fn every_decision_has_its_line() {
    let mut play = Play::new(Mode::Plan);
    play.say("Plan.").unwrap();
    play.reply(&[plan("# Plan")]);
    play.answer(&[(0, into(Mode::Default, Until::Stays))]).unwrap();
    play.reply(&[call("write", "{}"), call("shell", "{}"), call("read", "{}")]);
    play.answer(&[(0, for_conversation(Reach::Tool)), (1, reject("too much"))]).unwrap();
    play.finish_first();
    play.finish_first();
    play.reply(&[call("write", "{\"n\":2}")]);
    play.finish_first();
    let one = call("shell", "{}");
    let no = Verdict::Reject { reason: "forbidden".to_owned() };
    let judged = [vec![Verdict::Approve], vec![no]].map(|said| {
        let mut judged = judge(&play.tools, &one);
        judged.verdicts = says(&said);
        judged
    });
    play.reply_judged("", &[one.clone(), one], judged.to_vec());
    play.finish_first();
    play.reply(&[call("shell", "{}")]);
    play.say("Else.").unwrap();
    let (_folder, store) = stored(&play).await;
    let expected = [
        line("shell", "expired", "conversation", None),
        line("shell", "ran", "rule", Some("g0")),
        line("shell", "rejected", "rule", Some("g0")),
        line("write", "ran", "standing", None),
        line("shell", "rejected", "person", Some("too much")),
        line("write", "approved_conversation", "person", None),
        line("exit_plan_mode", "plan_default", "person", None),
    ];
    assert_eq!(history(&store).await, expected);
    assert_eq!(store.history_total().await.unwrap().0, 7);
    let page = store.history(6, 2).await.unwrap();
    let seqs: Vec<i64> = page.iter().map(|fact| fact.decided.as_ref().unwrap().seq).collect();
    assert_eq!(seqs, [5, 4], "a page goes on where the last one ended");
    let used = store.standing().await.unwrap();
    assert_eq!(used[0].used, 1, "SA-2, D-104: counted in the claim");
}

/// D-97: what Auto let run is history when it runs. What asks again, or was stopped before, never ran.
#[tokio::test]
async fn nothing_ran_before_it_was_claimed() {
    let batch = [call("write", "{\"n\":1}"), call("write", "{\"n\":2}")];
    let mut play = Play::new(Mode::Auto);
    play.say("Go.").unwrap();
    play.reply(&batch);
    let mut stopped = play.clone();
    play.give(Input::Tighten { mode: Mode::Default }).unwrap();
    play.finish_first();
    assert_eq!(play.head.requests.len(), 1);
    let (_folder, store) = stored(&play).await;
    assert_eq!(history(&store).await, [line("write", "ran", "auto", None)], "the other one asks");
    play.log.clear();
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    store.apply(&play.head, 1, play.log.clone(), play.at()).await.unwrap();
    assert_eq!(history(&store).await[0], line("write", "approved", "person", None));

    stopped.give(Input::Stop).unwrap();
    stopped.finish_first();
    let (_folder, store) = stored(&stopped).await;
    assert_eq!(history(&store).await, [line("write", "ran", "auto", None)], "the other one never ran");
}
