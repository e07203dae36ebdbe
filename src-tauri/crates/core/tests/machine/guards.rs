//! The second look: a rule that is there since an approval was given still has its say before the call runs (D-18).

use countersign_core::answer::AnswerBody;
use countersign_core::call::Settled;
use countersign_core::change::Act;
use countersign_core::input::{Guards, Input, Verdict};
use countersign_core::mode::Mode;

use crate::play::{Play, call, says};

fn approved() -> Play {
    let mut play = Play::new(Mode::Default);
    play.guards = Guards::Some;
    play.say("Go.").unwrap();
    play.reply(&[call("read", "{}"), call("write", "{}")]);
    let step = play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    assert!(matches!(step.acts[..], [Act::RunCall { .. }]), "what needs no approval isn't shown to a rule (RU-4)");
    play.finish_first();
    assert!(matches!(play.acts[..], [Act::JudgeCalls { .. }]), "the approved call is shown again, before it runs");
    assert_eq!(play.executed().len(), 1);
    play
}

/// D-18, RU-9: a rejection wins over the person's approval; nothing else changes it.
#[test]
fn only_a_rejection_counts() {
    for verdict in [Verdict::Abstain, Verdict::Approve] {
        let mut play = approved();
        play.look_again(&verdict);
        assert_eq!(play.executed().len(), 2, "{verdict:?} changes nothing");
    }
    let mut rejected = approved();
    rejected.look_again(&Verdict::Reject { reason: "frozen".to_owned() });
    assert_eq!(rejected.executed().len(), 1);
    let (_, settled, result) = rejected.ends().pop().unwrap();
    assert!(matches!(settled, Settled::RejectedByRule { .. }), "{settled:?}");
    assert!(result.unwrap().contains("frozen"));
    assert!(rejected.calls_model(), "the run goes on");
}

/// D-17, D-18: a guard that can't be asked doesn't let the call run.
#[test]
fn a_guard_that_fails_rejects() {
    let mut play = approved();
    play.look_again(&Verdict::Failed { why: "gone".to_owned() });
    assert_eq!(play.executed().len(), 1);
}

/// What was decided in this run the guards have just seen.
#[test]
fn what_was_decided_now_is_not_looked_at_twice() {
    let mut play = Play::new(Mode::Auto);
    play.guards = Guards::Some;
    play.say("Go.").unwrap();
    let step = play.reply(&[call("write", "{}")]);
    assert!(matches!(step.acts[..], [Act::RunCall { .. }]));
}

/// D-18, D-84: of more neighbours than run together one is rejected; the one that moves up gets its own look and the others
/// begin. Two looks that take turns would hold them up for ever.
#[test]
fn a_call_that_moves_up_is_looked_at_by_itself() {
    let mut play = Play::new(Mode::Default);
    play.guards = Guards::Some;
    play.say("Go.").unwrap();
    let batch: Vec<_> = (0..9).map(|n| call("set", &format!("{{\"n\":{n}}}"))).collect();
    play.reply(&batch);
    let answers: Vec<_> = (0..9).map(|n| (n, AnswerBody::Approve)).collect();
    play.answer(&answers).unwrap();
    assert_eq!(play.looks.len(), 8);
    let no = Verdict::Reject { reason: "not this one".to_owned() };
    let verdicts = play.looks.iter().enumerate().map(|(n, call)| {
        let verdict = if n == 3 { no.clone() } else { Verdict::Abstain };
        (*call, says(&[verdict]))
    });
    let verdicts = verdicts.collect();
    play.give(Input::CallsJudged { run: play.run(), verdicts }).unwrap();
    assert_eq!(play.started().len(), 7, "what was looked at begins");
    while !play.started().is_empty() {
        play.finish_first();
    }
    assert_eq!(play.looks.len(), 1);
    play.look_again(&Verdict::Approve);
    play.finish_first();
    assert_eq!(play.executed().len(), 8);
    assert!(play.calls_model());
}

/// RU-7, N-80: a second look ends with the run, and what it finds then changes nothing.
#[test]
fn a_second_look_ends_with_the_run() {
    let mut play = approved();
    let (run, looks) = (play.run(), play.looks.clone());
    let step = play.give(Input::Stop).unwrap();
    assert!(step.acts.iter().any(|act| matches!(act, Act::CancelCalls { .. })), "{:?}", step.acts);
    let verdicts = looks.iter().map(|call| (*call, says(&[Verdict::Approve]))).collect();
    assert_eq!(play.give(Input::CallsJudged { run, verdicts }).unwrap().changes, []);
    assert_eq!(play.executed().len(), 1);
}

/// D-51: a tool that goes while the guards look is said to be gone, not to be rejected by a rule.
#[test]
fn a_tool_that_goes_while_the_guards_look() {
    let mut play = approved();
    play.tools.retain(|tool| tool.identity.name != "write");
    play.look_again(&Verdict::Failed { why: "the call can't be read".to_owned() });
    assert_eq!(play.ends().pop().unwrap().1, Settled::NoLongerPermitted);
    assert!(play.executed().len() == 1 && play.calls_model());
}
