//! D: what was decided where the sources are silent. Those about plans, modes, rules and closing stand beside their rows.

use countersign_core::answer::AnswerBody;
use countersign_core::call::{Dropped, Settled, Warrant};
use countersign_core::change::Change;
use countersign_core::digest::Digest;
use countersign_core::input::{Input, Loss, Refusal, RunInput};
use countersign_core::mode::Mode;
use countersign_core::request::{Closing, PassedBy};
use countersign_core::run::FailureKind;
use countersign_core::transcript::ViewItem;

use crate::house::{self, House, Turn, calls};
use crate::play::{Play, call, names, reject};

fn asked(calls: &[countersign_core::input::ProposedCall]) -> Play {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(calls);
    play
}

/// Two approved writes; the process died while the first ran.
fn died() -> Play {
    let mut play = asked(&[call("write", "{\"n\":1}"), call("write", "{\"n\":2}")]);
    play.answer(&[(0, AnswerBody::Approve), (1, AnswerBody::Approve)]).unwrap();
    play.die();
    play
}

#[test]
fn d_01_a_held_call_has_no_request_and_cant_be_answered() {
    let mut play = asked(&[call("read", "{}"), call("write", "{}")]);
    let held = play.head.calls_in_order()[0].id;
    let mut input = play.input();
    input.answers = play.answers(&[(0, AnswerBody::Approve)]);
    input.answers[0].request = countersign_core::ids::RequestId(held.0);
    assert!(matches!(play.start(input), Err(Refusal::ApprovalClosed(_))));
}

#[test]
fn d_02_partial_answers_take_effect() {
    let mut play = asked(&[call("write", "{\"n\":1}"), call("write", "{\"n\":2}")]);
    play.answer(&[(1, AnswerBody::Approve)]).unwrap();
    assert_eq!(play.executed()[0].arguments, "{\"n\":2}");
    assert!(play.head.requests.is_empty());
}

#[test]
fn d_03_bystanders_run_unless_the_whole_batch_is_passed_by() {
    let batch = [call("read", "{}"), call("write", "{\"n\":1}"), call("write", "{\"n\":2}")];
    let mut rejected = asked(&batch);
    rejected.answer(&[(0, reject("")), (1, reject(""))]).unwrap();
    let mut partly = asked(&batch);
    partly.answer(&[(0, reject(""))]).unwrap();
    let mut passed = asked(&batch);
    passed.say("Else.").unwrap();
    assert_eq!(
        [rejected, partly, passed].map(|play| play.executed().len()),
        [1, 1, 0],
        "all rejected, partly answered, passed by"
    );
}

#[test]
fn d_04_a_contradicting_duplicate_is_ignored() {
    let mut play = asked(&[call("write", "{}")]);
    let always = crate::play::for_conversation(countersign_core::answer::Reach::Tool);
    play.answer(&[(0, reject("no")), (0, always)]).unwrap();
    assert!(play.executed().is_empty() && play.head.standing.is_empty());
}

/// Also accept 32.
#[test]
fn d_05_text_beside_answers_follows_the_results() {
    let mut play = asked(&[call("write", "{}")]);
    let mut input = play.input();
    input.answers = play.answers(&[(0, AnswerBody::Approve)]);
    input.text = Some("And this.".to_owned());
    play.start(input).unwrap();
    play.finish_first();
    assert!(matches!(play.view().last(), Some(ViewItem::User { text }) if text == "And this."));
}

#[test]
fn d_06_a_run_without_input_closes_too() {
    let mut play = asked(&[call("write", "{}")]);
    play.start(play.input()).unwrap();
    assert!(play.head.requests.is_empty() && play.calls_model());
}

#[tokio::test]
async fn d_48_no_tool_is_no_tool() {
    let mut house = House::new(Mode::Default).await;
    house.tools.list.lock().unwrap().clear();
    house.say("Go.").await;
    assert_eq!(house.script.last().tools, []);
    let none = countersign_core::agent::ToolSet::Only { names: vec![] };
    assert!(!none.has("read") && countersign_core::agent::ToolSet::All.has("read"));
}

#[test]
fn d_51_the_gates_are_asked_again_before_every_claim() {
    let mut play = asked(&[call("write", "{}"), call("shell", "{}")]);
    play.answer(&[(0, AnswerBody::Approve), (1, AnswerBody::Approve)]).unwrap();
    play.tools.retain(|tool| tool.identity.name != "shell");
    play.finish_first();
    assert_eq!(names(&play.executed()), ["write"]);
    assert!(play.ends()[1].2.as_ref().unwrap().contains("no longer permitted"));
}

#[test]
fn d_53_approved_and_not_run_waits_for_a_click() {
    let mut play = died();
    assert_eq!(play.standing_of(), [("write", "approved")]);
    assert!(play.acts.is_empty(), "nothing runs by itself");
    let mut dropped = play.clone();
    let calls = dropped.approved();
    dropped.give(Input::Drop { calls }).unwrap();
    assert!(dropped.is_idle());
    let input = RunInput { resume: play.resumable(), ..play.input() };
    play.start(input).unwrap();
    assert_eq!(play.executed().len(), 2);
}

#[test]
fn d_54_a_read_may_be_repeated_a_write_may_have_happened() {
    for (tool, expected) in [("browse", Settled::Errored), ("write", Settled::OutcomeUnknown)] {
        let mut play = Play::new(Mode::Auto);
        play.say("Go.").unwrap();
        play.reply(&[call(tool, "{}")]);
        play.die();
        assert_eq!(play.ends()[0].1, expected);
    }
}

#[tokio::test]
async fn d_55_trying_again_starts_from_the_results() {
    let mut house = House::new(Mode::Auto).await;
    house.script.will([calls(&[house::call("write", "{}")]), Turn::Fails(FailureKind::TimedOut)]);
    house.say("Go.").await;
    house.start(RunInput::default()).await.unwrap();
    house.settled().await;
    assert!(format!("{:?}", house.script.last().messages).contains("write is done"));
    assert_eq!(house.effects().len(), 1);
}

#[test]
fn d_56_our_ids_are_new_and_the_providers_are_data() {
    let mut play = asked(&[call("write", "{\"n\":1}"), call("write", "{\"n\":2}")]);
    let calls = play.head.calls_in_order();
    assert_eq!(calls[0].provider_id, calls[1].provider_id);
    assert_ne!(calls[0].id, calls[1].id);
    play.answer(&[(0, reject("one")), (1, reject("two"))]).unwrap();
    let ViewItem::Results(results) = &play.view()[2] else { panic!("results were expected") };
    assert!(results[0].text.contains("one") && results[1].text.contains("two"));
}

#[test]
fn d_57_a_turns_words_stay_when_its_calls_go() {
    let mut play = asked(&[call("write", "{}")]);
    play.say("Else.").unwrap();
    assert!(matches!(&play.view()[1], ViewItem::Assistant { text, calls, dropped: 1, .. }
        if text == "Words." && calls.is_empty()));
}

#[test]
fn d_58_a_rejection_is_one_sentence_and_the_reason() {
    let mut play = asked(&[call("write", "{}")]);
    play.answer(&[(0, reject("because"))]).unwrap();
    let told = play.ends()[0].2.clone().unwrap();
    assert!(told.contains("not executed") && told.contains("because"));
}

#[tokio::test]
async fn d_61_the_loser_of_a_race_is_told_answered() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    let (yes, no) =
        (house.answers(&[(0, AnswerBody::Approve)]).await, house.answers(&[(0, house::reject("no"))]).await);
    let (first, second) = tokio::join!(house.start(yes), house.start(no));
    first.unwrap();
    assert!(format!("{:?}", second.unwrap_err()).contains("Answered"));
    house.settled().await;
}

#[tokio::test]
async fn d_68_what_doesnt_commit_closes_nothing() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    house.engine.store().pretend(countersign_store::open::Disk::Full).await.unwrap();
    let mut answer = house.answers(&[(0, AnswerBody::Approve)]).await;
    answer.text = Some("x".repeat(300_000));
    house.start(answer.clone()).await.unwrap_err();
    assert_eq!(house.open_requests().await.len(), 1);
    house.engine.store().pretend(countersign_store::open::Disk::Roomy).await.unwrap();
    house.start(answer).await.unwrap();
    house.settled().await;
    assert_eq!(house.ran(), ["write"]);
}

#[tokio::test]
async fn d_71_an_incomplete_reply_stores_and_asks_nothing() {
    let mut house = House::new(Mode::Default).await;
    house.script.will([Turn::Fails(FailureKind::Cut)]);
    let head = house.say("Go.").await;
    assert_eq!((head.conversation.next_seq, head.requests.len()), (2, 0));
}

#[test]
fn d_77_what_was_shown_must_be_what_is_stored() {
    let mut play = asked(&[call("write", "{}")]);
    let mut input = play.input();
    input.answers = play.answers(&[(0, AnswerBody::Approve)]);
    input.answers[0].digest = Digest([0; 32]);
    assert!(matches!(play.start(input), Err(Refusal::DigestMismatch(ids)) if ids.len() == 1));
    assert_eq!(play.head.requests.len(), 1);
}

#[test]
fn d_84_reads_run_together_writes_in_order() {
    let mut play = Play::new(Mode::Auto);
    play.say("Go.").unwrap();
    let mut batch = vec![call("browse", "{}"); 10];
    batch.extend([call("write", "{}"), call("shell", "{}")]);
    play.reply(&batch);
    assert_eq!(play.runs_calls(), 8, "at most eight at once");
    let mut most = Vec::new();
    while !play.started().is_empty() {
        play.finish_first();
        if play.runs_calls() > 0 {
            most.push(play.runs_calls());
        }
    }
    assert_eq!(most, [2, 1, 1]);
}

#[test]
fn d_85_a_call_whose_file_changed_says_so() {
    let mut play = asked(&[call("write", "{}")]);
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    let call = play.started()[0];
    play.finish(call, countersign_core::input::OutcomeKind::ChangedSinceAsked);
    assert_eq!(play.ends()[0].1, Settled::ChangedSinceAsked);
    assert!(play.calls_model());
}

#[test]
fn d_88_a_stop_while_something_waits_closes_it_without_a_run() {
    let mut play = asked(&[call("write", "{}")]);
    let step = play.give(Input::Stop).unwrap();
    assert!(step.acts.is_empty() && play.is_idle());
    assert!(play.log.iter().any(|change| matches!(
        change,
        Change::RequestClosed { closing: Closing::PassedBy { by: PassedBy::Stopped }, by_run: None, .. }
    )));
}

#[tokio::test]
async fn d_91_a_stopped_tool_says_what_may_have_happened() {
    let mut house = House::new(Mode::Auto).await;
    house.script.will([calls(&[house::call("slow", "{}")])]);
    house.start(house::text_input("Go.")).await.unwrap();
    house.tools.began.notified().await;
    house.input(Input::Stop).await.unwrap();
    house.settled().await;
    house.say("And?").await;
    assert!(format!("{:?}", house.script.last().messages).contains("may have happened"));
}

#[test]
fn d_92_continuing_needs_the_digest_of_what_is_shown() {
    let mut play = died();
    let mut resume = play.resumable();
    resume[0].1 = Digest([0; 32]);
    let input = RunInput { resume, ..play.input() };
    assert!(matches!(play.start(input), Err(Refusal::CallDigestMismatch(_))));
}

#[test]
fn d_97_a_lapsed_warrant_asks_in_its_turn() {
    let mut play = Play::new(Mode::Auto);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{\"n\":1}"), call("write", "{\"n\":2}"), call("read", "{}")]);
    play.give(Input::Tighten { mode: Mode::Default }).unwrap();
    play.finish_first();
    assert_eq!(play.standing_of(), [("write", "waiting"), ("read", "held")]);
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    let warrants: Vec<&Warrant> = play
        .log
        .iter()
        .filter_map(|change| match change {
            Change::CallStarted { warrant, .. } => Some(warrant),
            _ => None,
        })
        .collect();
    assert!(matches!(warrants[..], [Warrant::Auto, Warrant::Answer { .. }]), "{warrants:?}");
}

#[test]
fn d_98_an_edits_own_trace_isnt_somebody_elses_change() {
    let mut play = Play::new(Mode::Auto);
    play.say("Go.").unwrap();
    let batch = [call("write", "{\"n\":1}"), call("write", "{\"n\":2}")];
    let judged = batch.iter().map(|one| {
        let mut judged = crate::play::judge(&play.tools, one);
        let path = "a.txt".to_owned();
        judged.preconditions = vec![countersign_core::request::Precondition::File { path, content: None }];
        judged
    });
    let judged = judged.collect();
    play.reply_judged("", &batch, judged);
    let (run, first) = (play.run(), play.started()[0]);
    let left = countersign_core::change::Left { path: "a.txt".to_owned(), content: "hash".to_owned() };
    let outcome = countersign_core::input::Outcome {
        kind: countersign_core::input::OutcomeKind::Succeeded,
        text: "done".to_owned(),
        left: Some(left.clone()),
    };
    let step = play.give(Input::CallFinished { run, call: first, outcome }).unwrap();
    assert!(
        matches!(&step.acts[..], [countersign_core::change::Act::RunCall { also: Some(also), .. }] if *also == left)
    );
}

#[tokio::test]
async fn d_102_what_waits_shares_a_commit() {
    let mut house = House::new(Mode::Default).await;
    house.commits();
    let name = |title: &str| Input::Rename { title: title.to_owned() };
    let (a, b, c) = tokio::join!(house.input(name("a")), house.input(name(" ")), house.input(name("c")));
    a.unwrap();
    b.unwrap_err();
    c.unwrap();
    assert_eq!(house.commits().len(), 1, "three inputs, one of them refused, one commit");
    let head = house.head().await;
    assert_eq!((head.conversation.title.as_str(), head.conversation.revision), ("c", 1));
}

#[test]
fn d_103_the_head_doesnt_grow() {
    let mut play = Play::new(Mode::Auto);
    play.limit = 100;
    play.say("Go.").unwrap();
    for _ in 0..50 {
        play.reply(&[call("write", "{}"), call("read", "{}")]);
        while !play.started().is_empty() {
            play.finish_first();
        }
    }
    assert_eq!((play.head.calls.len(), play.head.order.len(), play.head.requests.len()), (0, 0, 0));
}

#[test]
fn d_106_what_isnt_continued_is_named_like_a_request() {
    let mut play = died();
    let lost = play.approved()[0];
    let mut input = play.input();
    input.text = Some("Else.".to_owned());
    input.passes_by = Some(std::collections::BTreeSet::new());
    let told = play.start(input.clone());
    assert!(matches!(told, Err(Refusal::WouldPassBy(losses)) if losses == [Loss::Call(lost)]));
    input.passes_by = Some([Loss::Call(lost)].into());
    play.start(input).unwrap();
    assert!(play.ends().iter().any(|end| end.1 == Settled::Dropped { why: Dropped::NeverRun }));
}

#[tokio::test]
async fn d_110_a_busy_conversation_says_busy_and_a_held_agent_keeps_its_mode() {
    let house = House::new(Mode::Default).await;
    house.script.will([Turn::Hangs]);
    house.start(house::text_input("Go.")).await.unwrap();
    let told = format!("{:?}", house.start(house::listed_input("And.")).await);
    assert!(told.contains("Busy"), "{told}");
    house.engine.close().await;

    let mut play = Play::with_agents(Mode::Plan);
    play.say("Go.").unwrap();
    play.reply(&[crate::play::plan("# Do it"), crate::play::starting("helper")]);
    play.answer(&[(0, crate::play::into(Mode::Auto, countersign_core::mode::Until::Stays))]).unwrap();
    let helper = play.child("helper");
    assert_eq!((play.head.conversation.mode, play.head.mode_in(Some(helper))), (Mode::Auto, Mode::Plan));
}
