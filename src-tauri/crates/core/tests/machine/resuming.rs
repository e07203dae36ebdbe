//! What was approved and not run when the process died: it runs when the person says so, and only then.

use countersign_core::answer::AnswerBody;
use countersign_core::call::{Dropped, Settled};
use countersign_core::digest::Digest;
use countersign_core::input::{Input, Loss, Refusal, RunInput};
use countersign_core::mode::Mode;
use countersign_core::run::RunEnd;

use crate::play::{Play, call, names};

/// Two approved calls, the first of which ran when the process died.
fn died_after_the_first() -> Play {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{\"n\":1}"), call("write", "{\"n\":2}"), call("shell", "{}")]);
    play.answer(&[(0, AnswerBody::Approve), (1, AnswerBody::Approve), (2, AnswerBody::Approve)]).unwrap();
    play.die();
    assert_eq!(play.standing_of(), [("write", "approved"), ("shell", "approved")]);
    assert_eq!(play.run_ends().last(), Some(&RunEnd::Interrupted));
    play
}

/// D-53, D-92, D-106: continuing is a decision with a digest; what isn't continued is let go and named.
#[test]
fn continuing() {
    let mut play = died_after_the_first();
    let resumable = play.resumable();
    let with = |play: &Play, resume: Vec<_>| RunInput { resume, ..play.input() };
    let (first, second) = (resumable[0], resumable[1]);
    let wrong = with(&play, vec![first, (second.0, Digest([3; 32]))]);
    assert_eq!(play.start(wrong).unwrap_err(), Refusal::CallDigestMismatch(second.0));
    let mut partly = with(&play, vec![first]);
    partly.passes_by = Some(std::collections::BTreeSet::new());
    assert_eq!(
        play.start(partly.clone()).unwrap_err(),
        Refusal::WouldPassBy(vec![Loss::Call(second.0)]),
        "approved calls are named like requests"
    );
    partly.passes_by = Some([Loss::Call(second.0)].into());
    play.start(partly).unwrap();
    assert_eq!(play.runs_calls(), 1);
    play.finish_first();
    assert!(play.calls_model());
    assert_eq!(names(&play.executed()), ["write", "write"]);
    assert!(play.ends().contains(&("shell".to_owned(), Settled::Dropped { why: Dropped::NeverRun }, None)));
    let again = with(&play, vec![first]);
    play.reply(&[]);
    assert!(matches!(play.start(again), Err(Refusal::IllegalInput { .. })), "what ran is never continued");
}

/// D-53, B-04: dropped by the person, by other input, by a stop, by deletion; never run.
#[test]
fn letting_go() {
    let mut dropped = died_after_the_first();
    let calls = dropped.approved();
    dropped.give(Input::Drop { calls: calls.clone() }).unwrap();
    assert!(dropped.is_idle());
    assert!(dropped.give(Input::Drop { calls }).is_err(), "what is gone can't be dropped");
    // Its first call's unknown outcome is something the model hasn't seen.
    dropped.start(dropped.input()).unwrap();
    assert!(dropped.calls_model());
    assert_eq!(dropped.executed().len(), 1);

    let mut spoken = died_after_the_first();
    spoken.say("Leave it.").unwrap();
    assert!(spoken.calls_model());
    assert_eq!(spoken.executed().len(), 1);
    assert_eq!(spoken.view().len(), 4, "message, turn, the one result, message: {:#?}", spoken.view());

    let mut stopped = died_after_the_first();
    stopped.give(Input::Stop).unwrap();
    assert!(stopped.is_idle());

    let mut deleted = died_after_the_first();
    deleted.give(Input::Delete).unwrap();
    assert!(deleted.is_idle());
}

/// D-97: an approval that Auto gave doesn't outlive Auto, and one that was revoked lets nothing run.
#[test]
fn a_lapsed_warrant_asks_when_it_is_continued() {
    let mut play = Play::new(Mode::Auto);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{\"n\":1}"), call("write", "{\"n\":2}")]);
    play.die();
    play.give(Input::Tighten { mode: Mode::Default }).unwrap();
    let input = RunInput { resume: play.resumable(), text: Some("Go on.".to_owned()), ..play.input() };
    play.start(input).unwrap();
    assert_eq!(play.executed().len(), 1);
    assert_eq!(play.head.requests.len(), 1);
    assert_eq!(play.run_ends().last(), Some(&RunEnd::Asked));
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    play.finish_first();
    assert!(play.calls_model());
    assert_eq!(play.executed().len(), 2);
}
