//! What a person says to a run that is going on: when it is taken, what it closes, and that it is never lost.

use countersign_core::call::{Dropped, Settled};
use countersign_core::change::{Change, MessageBody};
use countersign_core::ids::Ids;
use countersign_core::input::{Input, Refusal};
use countersign_core::mode::Mode;
use countersign_core::run::RunEnd;

use crate::play::{Play, call};

fn steer(play: &mut Play, text: &str) {
    play.give(Input::Steer { text: text.to_owned() }).unwrap();
}

/// The words that a step made messages of.
fn said(changes: &[Change]) -> Vec<&str> {
    changes
        .iter()
        .filter_map(|change| match change {
            Change::MessageAdded(message) => match &message.body {
                MessageBody::User { text } | MessageBody::Agent { text, .. } => Some(text.as_str()),
                MessageBody::Assistant { .. } => None,
            },
            _ => None,
        })
        .collect()
}

/// ST-1, M-22: a run whose model is done goes on with what was said meanwhile.
#[test]
fn words_during_the_last_reply_lead_to_another_model_call() {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    steer(&mut play, "one");
    steer(&mut play, "two");
    let step = play.reply(&[]);
    assert_eq!(said(&step.changes), ["one", "two"], "in order, after the reply");
    assert!(play.calls_model());
    assert_eq!(play.run_ends(), [], "the same run goes on");
    play.reply(&[]);
    assert_eq!(play.run_ends(), [RunEnd::Completed]);
}

/// M-23: calls first; what was said goes with the next model call.
#[test]
fn words_wait_for_the_calls_that_run() {
    let mut play = Play::new(Mode::Auto);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{}")]);
    steer(&mut play, "and this");
    let step = play.finish_first();
    assert_eq!(said(&step.changes), ["and this"]);
    assert!(play.calls_model());
}

/// D-11, ST-2, ST-3: what was said before the question is asked goes before it; no card is raised that would die at once.
#[test]
fn a_question_that_was_overtaken_is_never_raised() {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    steer(&mut play, "no, something else");
    let step = play.reply(&[call("read", "{}"), call("write", "{}")]);
    assert!(!step.changes.iter().any(|change| matches!(change, Change::RequestOpened { .. })));
    let dropped = Settled::Dropped { why: Dropped::PassedBy };
    assert!(play.ends().iter().all(|(_, settled, result)| *settled == dropped && result.is_none()));
    assert_eq!(play.ends().len(), 2, "the bystander is dropped with it");
    assert_eq!(said(&step.changes), ["no, something else"]);
    assert!(play.calls_model());
    play.reply(&[call("write", "{}")]);
    assert_eq!(play.run_ends(), [RunEnd::Asked], "the next question is asked as ever");
}

/// D-110: at the limit what was said gets one further word, and no further round.
#[test]
fn words_at_the_limit_get_a_word_and_no_round() {
    let mut play = Play::new(Mode::Auto);
    play.limit = 1;
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{}")]);
    play.finish_first();
    steer(&mut play, "wait");
    play.reply(&[call("write", "{}")]);
    assert!(play.calls_model());
    assert_eq!(play.head.run.as_ref().unwrap().rounds, 1);
    play.reply(&[]);
    assert_eq!(play.run_ends(), [RunEnd::Limit]);
}

/// D-83, D-89: what came too late is refused, and what a run didn't take is the person's draft again.
#[test]
fn words_are_refused_or_given_back_and_never_lost() {
    let mut play = Play::new(Mode::Default);
    assert_eq!(play.give(Input::Steer { text: "x".to_owned() }).unwrap_err(), Refusal::NotRunning);
    play.say("Go.").unwrap();
    assert!(play.give(Input::Steer { text: "  ".to_owned() }).is_err(), "blank is nothing");
    steer(&mut play, "kept");
    let step = play.give(Input::Stop).unwrap();
    assert!(
        step.changes
            .iter()
            .any(|change| matches!(change, Change::SteeringReturned { returned } if returned.len() == 1))
    );
    assert!(play.is_idle());

    let mut died = Play::new(Mode::Auto);
    died.say("Go.").unwrap();
    died.reply(&[call("write", "{}")]);
    steer(&mut died, "kept");
    let changes = countersign_core::step::recover::recover(&died.head, died.at(), Ids::default()).unwrap();
    assert!(changes.iter().any(|change| matches!(change, Change::SteeringReturned { .. })));
}

/// D-109: a run has a bounded number of words before it.
#[test]
fn words_are_bounded() {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    for _ in 0..32 {
        steer(&mut play, "more");
    }
    assert_eq!(play.give(Input::Steer { text: "one too many".to_owned() }).unwrap_err(), Refusal::TooMuchSteering(32));
}
