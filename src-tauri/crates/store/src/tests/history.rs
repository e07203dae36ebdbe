//! What history says was decided, by whom; and that it says so only of what was.

use countersign_core::answer::{AnswerBody, Reach};
use countersign_core::change::Change;
use countersign_core::digest::Digest;
use countersign_core::input::{Input, Verdict};
use countersign_core::mode::{Mode, Until};
use countersign_core::request::Closing;

use super::play::{Play, call, for_conversation, into, judge, plan, reject, says};
use super::{keep, store};
use crate::open::Store;
use crate::read::history::DecisionFact;
use crate::record::Record;

async fn stored(play: &Play) -> (tempfile::TempDir, Store) {
    let (folder, store) = store().await;
    keep(&store, play).await;
    (folder, store)
}

/// Tool, decision, by whom, words; newest first.
async fn history(store: &Store) -> Vec<(String, String, String, Option<String>)> {
    let facts = store.history(i64::MAX, 100).await.unwrap();
    let decided = facts.into_iter().map(|fact| {
        let DecisionFact::Call(fact) = fact else { panic!("no server asked here") };
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
    let seqs: Vec<i64> = page.iter().map(|fact| fact.about().decided.as_ref().unwrap().seq).collect();
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

/// D-86, N-57: what a server asked is a decision of its own in history, beside that about its call, with its place among all of
/// them; a page goes over both.
#[tokio::test]
async fn d_86_what_a_server_asked_is_in_history() {
    let mut play = Play::new(Mode::Auto);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{}")]);
    play.ask(play.started()[0], 1).unwrap();
    play.answer_held(1, AnswerBody::Data { value: "good".to_owned() }).unwrap();
    play.ask(play.started()[0], 2).unwrap();
    play.finish_first();
    play.reply(&[call("write", "{\"n\":2}")]);
    let (_folder, store) = stored(&play).await;
    let all = store.history(i64::MAX, 10).await.unwrap();
    let said = |fact: &DecisionFact| match fact {
        DecisionFact::Call(fact) => (fact.decided.as_ref().unwrap().seq, "call".to_owned(), None),
        DecisionFact::Held(fact) => {
            let (closing, _) = fact.question.closed.clone().unwrap();
            let how = if matches!(closing, Closing::Answered { .. }) { "answered" } else { "withdrawn" };
            (fact.question.seq.unwrap(), how.to_owned(), fact.question.answer.clone())
        }
    };
    let expected = [
        (4, "call".to_owned(), None),
        (3, "withdrawn".to_owned(), None),
        (2, "answered".to_owned(), Some("the answer".to_owned())),
        (1, "call".to_owned(), None),
    ];
    assert_eq!(all.iter().map(said).collect::<Vec<_>>(), expected);
    let page = store.history(4, 2).await.unwrap();
    assert_eq!(page.iter().map(|fact| said(fact).0).collect::<Vec<_>>(), [3, 2]);
    assert_eq!(store.history_total().await.unwrap().0, 4);
    assert_eq!(store.closed_held(10).await.unwrap().len(), 2);
    let call = all[1].about().call.id;
    assert_eq!(store.held_of(call).await.unwrap().len(), 2, "and beside its call");
    let question = all[2].about();
    assert_eq!(question.decided.as_ref().map(|decided| decided.seq), Some(1), "its call's own decision stays its own");
}

/// D-86: what was staged for a held question goes with it, whoever closes it; what was staged beside it stays.
#[tokio::test]
async fn d_86_a_draft_goes_with_its_question() {
    let mut play = Play::new(Mode::Auto);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{}")]);
    play.ask(play.started()[0], 1).unwrap();
    let (_folder, store) = stored(&play).await;
    let conversation = play.head.conversation.id;
    for row in [[1; 16], [2; 16]] {
        let (decision, digest) = ("{}".to_owned(), Digest([0; 32]));
        store.record(Record::Draft { row, conversation, decision, digest, at: play.at() }).await.unwrap();
    }
    let changes = play.die();
    store.apply(&play.head, 1, changes, play.at()).await.unwrap();
    let left: Vec<_> = store.drafts(conversation).await.unwrap().into_iter().map(|draft| draft.row).collect();
    assert_eq!(left, [[2; 16]]);
}

/// D-47, D-86: whatever the code above believes, a question begins while its call is executed, and never in a Quick task.
#[tokio::test]
async fn d_86_the_schema_holds_no_question_of_a_call_that_does_not_run() {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{}")]);
    let (_folder, store) = stored(&play).await;
    let mut running = Play::new(Mode::Auto);
    running.say("Go.").unwrap();
    running.reply(&[call("write", "{}")]);
    let mut held = running.ask(running.started()[0], 1).unwrap().changes;
    let waits = *play.head.calls.keys().next().unwrap();
    let Some(Change::QuestionHeld(question)) = held.first_mut() else { panic!("a question was expected") };
    question.request.call = waits;
    let refused = store.apply(&play.head, 1, held, play.at()).await;
    assert!(refused.is_err(), "its call waits for a person itself");
}
