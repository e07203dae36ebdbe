//! What a server holds open while a call is executed (D-86): step by step, and what holds after every step of a random sequence.

use std::collections::BTreeSet;

use countersign_core::answer::{AnswerBody, Misfit};
use countersign_core::call::{CallState, Settled};
use countersign_core::change::{Act, Change};
use countersign_core::head::Head;
use countersign_core::ids::RequestId;
use countersign_core::input::{Input, Outcome, OutcomeKind, Refusal, RunInput};
use countersign_core::mode::Mode;
use countersign_core::request::{AnsweredAs, ClosedReason, Closing, MOST_HELD, MOST_MESSAGE, PassedBy, RequestKind};
use countersign_core::run::{Phase, RunEnd};
use countersign_core::step::held_digest;

use crate::ops::Kind;
use crate::play::{Play, call, reject, starting};

/// D-86 after every step: what is held has a call that is executed, and it takes part in nothing else.
pub(crate) fn look(before: &Head, kind: &Kind, changes: &[Change], play: &Play) {
    let head = &play.head;
    for (id, held) in &head.held {
        assert_eq!((*id, held.request.kind), (held.request.id, RequestKind::Input));
        let call = head.calls.get(&held.request.call).expect("D-86: what is held has a call");
        let run = head.run.as_ref().expect("D-86: and a run that executes it");
        assert!(
            matches!(call.state, CallState::Started { run: by, .. } if by == run.id),
            "D-86: its call is being executed, not {:?}",
            call.state
        );
        assert!(run.phase != Phase::Stopping, "D-88, D-91: a stop withdraws it");
        assert!(head.started_by(call.id).is_none(), "a sub-agent's start asks nothing itself");
        assert_eq!(Some(held.request.digest), held_digest(call, &held.message, &held.schema), "D-77");
        assert!(held.message.len() <= MOST_MESSAGE && head.held_by(call.id).len() <= MOST_HELD, "D-86: bounded");
        assert!(!head.requests.contains_key(id), "D-86: it is no request of the conversation's set");
        assert!(!head.answered_in_queue().contains(id), "D-86: its answer is never queued");
    }
    let mut closed = BTreeSet::new();
    for change in changes {
        let Change::QuestionClosed { question, call, closing, answer, .. } = change else { continue };
        closed.insert(*question);
        let given = matches!(closing, Closing::Answered { verdict: AnsweredAs::DataGiven });
        assert_eq!(given, answer.is_some(), "D-86: the server gets what was filled in, and nothing else");
        match closing {
            Closing::Answered { verdict } => {
                assert!(matches!(kind, Kind::Start { .. }), "D-86: only a person answers: {kind:?}");
                assert!(matches!(verdict, AnsweredAs::DataGiven | AnsweredAs::Rejected { .. }), "N-54");
                assert!(matches!(head.calls[call].state, CallState::Started { .. }), "D-86: its call goes on");
            }
            Closing::PassedBy { by } => assert_eq!(*by, PassedBy::Withdrawn, "D-75"),
        }
    }
    for (id, held) in &before.held {
        assert!(
            head.held.contains_key(id) || closed.contains(id),
            "D-86: a question is closed, not forgotten: {held:?}"
        );
    }
    // Where servers' questions are all that a step is about, it touches nothing else: nothing is asked, passed by, begun or ended.
    let only = |change: &Change| matches!(change, Change::QuestionHeld(_) | Change::QuestionClosed { .. });
    if !changes.is_empty() && changes.iter().all(only) {
        let mut without = head.clone();
        without.held.clone_from(&before.held);
        without.conversation.revision = before.conversation.revision;
        assert_eq!(&without, before, "D-86: outside TX-START");
        assert!(play.acts.iter().all(|act| *act == Act::Notice), "D-86: and nothing is carried out: {:?}", play.acts);
    }
    if *kind == Kind::Held {
        assert!(changes.iter().all(only), "D-86: a server that asks or withdraws moves nothing else");
    }
}

fn data(value: &str) -> AnswerBody {
    AnswerBody::Data { value: value.to_owned() }
}

/// A run whose call is being executed by a server that asked.
fn asked() -> Play {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[call("remote", "{}")]);
    play.ask(play.started()[0], 1).unwrap();
    play
}

fn closings(play: &Play) -> Vec<(Closing, Option<String>)> {
    let closed = play.log.iter().filter_map(|change| match change {
        Change::QuestionClosed { closing, answer, .. } => Some((closing.clone(), answer.clone())),
        _ => None,
    });
    closed.collect()
}

const WITHDRAWN: Closing = Closing::PassedBy { by: PassedBy::Withdrawn };

/// D-86: the run goes on beside the question; it doesn't end asking, and the answer goes to whoever waits.
#[test]
fn d_86_an_answer_is_given_in_place() {
    let mut play = asked();
    assert_eq!((play.standing_of(), play.run_ends()), (vec![("remote", "started")], Vec::new()));
    assert_eq!((play.head.requests.len(), play.head.held.len()), (0, 1), "it isn't one of the set");
    let step = play.answer_held(1, data("good")).unwrap();
    assert_eq!((step.changes.len(), step.acts.len()), (1, 0), "nothing but the question");
    let given = Closing::Answered { verdict: AnsweredAs::DataGiven };
    assert_eq!(closings(&play), [(given, Some("the answer".to_owned()))]);
    play.finish_first();
    assert_eq!(play.ends()[0].1, Settled::Succeeded);
    assert!(play.calls_model(), "the call's own end goes on with the run");
}

/// D-86, N-54: declining is an answer; approving is none.
#[test]
fn d_86_a_question_is_filled_in_or_declined() {
    let mut play = asked();
    let refused = play.answer_held(1, AnswerBody::Approve).unwrap_err();
    assert_eq!(refused, Refusal::WrongKind(RequestId([1; 16]), Misfit::NeedsData));
    play.answer_held(1, reject("not yours")).unwrap();
    let verdict = AnsweredAs::Rejected { reason: Some("not yours".to_owned()) };
    assert_eq!(closings(&play), [(Closing::Answered { verdict }, None)]);
    assert_eq!(play.standing_of(), [("remote", "started")], "its call was approved and goes on");
}

/// D-50, D-77: what doesn't fit, or is about something else than what is stored, closes nothing.
#[test]
fn d_86_only_what_fits_closes_it() {
    let mut play = asked();
    assert!(matches!(play.answer_held(1, data("bad")).unwrap_err(), Refusal::InvalidData(_)));
    let mut answer = countersign_core::answer::Answer {
        request: RequestId([1; 16]),
        digest: play.head.held[&RequestId([1; 16])].request.digest,
        body: data("good"),
    };
    answer.digest.0[0] ^= 1;
    let input = RunInput { answers: vec![answer], ..play.input() };
    assert!(matches!(play.start(input).unwrap_err(), Refusal::DigestMismatch(_)));
    assert_eq!((play.head.held.len(), closings(&play).len()), (1, 0));
}

/// CL-8, CL-11: a late answer is told like any other.
#[test]
fn d_86_a_late_answer_is_told_why() {
    let mut play = asked();
    play.answer_held(1, data("good")).unwrap();
    let late = play.answer_held(1, data("good")).unwrap_err();
    assert_eq!(late, Refusal::ApprovalClosed(vec![(RequestId([1; 16]), ClosedReason::Answered)]));
    play.ask(play.started()[0], 2).unwrap();
    play.give(Input::Withdrawn { question: RequestId([2; 16]) }).unwrap();
    let late = play.answer_held(2, data("good")).unwrap_err();
    assert_eq!(late, Refusal::ApprovalClosed(vec![(RequestId([2; 16]), ClosedReason::PassedBy)]));
}

/// D-75, D-86: whatever ends the call withdraws the question, before the call has its end.
#[test]
fn d_75_a_question_is_withdrawn_with_its_call() {
    let withdraw = Input::Withdrawn { question: RequestId([1; 16]) };
    let outcome = Outcome { kind: OutcomeKind::Succeeded, text: "done".to_owned(), left: None };
    let (run, call) = (asked().run(), asked().started()[0]);
    let ends = [
        ("the server takes it back", Some(withdraw)),
        ("the call ends", Some(Input::CallFinished { run, call, outcome })),
        ("the person stops", Some(Input::Stop)),
        ("the app dies", None),
    ];
    for (what, end) in ends {
        let mut play = asked();
        match end {
            Some(input) => drop(play.give(input).unwrap()),
            None => drop(play.die()),
        }
        assert_eq!(closings(&play), [(WITHDRAWN, None)], "{what}");
        assert!(play.head.held.is_empty(), "{what}");
        assert_eq!(play.closed[&RequestId([1; 16])], ClosedReason::PassedBy, "{what}: details change no reason");
    }
}

/// D-54, D-86: after a crash nobody knows what the call did that had asked, also where the tool only reads.
#[test]
fn d_86_a_call_that_had_asked_is_of_unknown_outcome() {
    for (tool, asks) in [("remote", true), ("read", true), ("read", false)] {
        let mut play = Play::new(Mode::Default);
        play.say("Go.").unwrap();
        play.reply(&[call(tool, "{}")]);
        if asks {
            play.ask(play.started()[0], 1).unwrap();
        }
        play.die();
        let end = if asks { Settled::OutcomeUnknown } else { Settled::Errored };
        assert_eq!((&play.ends()[0].1, play.run_ends()), (&end, vec![RunEnd::Interrupted]), "{tool} {asks}");
    }
}

/// D-86, D-88: text said meanwhile is steering and closes nothing; a stop closes it and waits for its call.
#[test]
fn d_86_words_leave_it_open_and_a_stop_does_not() {
    let mut play = asked();
    play.say("And that.").unwrap();
    assert_eq!((play.head.steering.len(), play.head.held.len()), (1, 1));
    play.give(Input::Stop).unwrap();
    assert_eq!((play.standing_of(), play.head.held.len()), (vec![("remote", "started")], 0));
    assert!(play.ask(play.started()[0], 2).is_err(), "a call that is being stopped asks nobody");
    play.finish(play.started()[0], OutcomeKind::Stopped);
    assert_eq!(play.run_ends(), [RunEnd::Cancelled]);
}

/// D-08, D-86: beside answers that wait for the run's end, the one to a server doesn't wait, and nothing of it is queued.
#[test]
fn d_86_it_is_never_queued_and_passes_nothing_by() {
    let mut play = Play::with_agents(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[starting("scout"), call("remote", "{}")]);
    let scout = play.child("scout");
    play.reply_in(scout, "", &[call("write", "{}")]);
    play.ask(play.started()[0], 1).unwrap();
    let open = play.open();
    assert_eq!((open.len(), play.head.held.len()), (1, 1));
    play.answer_held(1, data("good")).unwrap();
    assert_eq!((play.open(), play.head.queued.is_none()), (open, true));
    // In one input with the other: that one waits, this one doesn't.
    play.ask(play.started()[0], 2).unwrap();
    let held = play.head.held[&RequestId([2; 16])].request.clone();
    let mut answers = play.answers(&[(0, AnswerBody::Approve)]);
    answers.push(countersign_core::answer::Answer { request: held.id, digest: held.digest, body: data("good") });
    let input = RunInput { answers, ..play.input() };
    play.start(input).unwrap();
    assert_eq!(play.head.queued.as_ref().unwrap().answers.len(), 1);
    assert!(play.head.held.is_empty());
}

/// D-86: a server asks only while its call is executed, not too much, and nobody in a Quick task.
#[test]
fn d_86_a_question_is_bounded() {
    let mut play = asked();
    let running = play.started()[0];
    for name in 2..=u8::try_from(MOST_HELD).unwrap() {
        play.ask(running, name).unwrap();
    }
    assert!(play.ask(running, 9).is_err(), "too many at once");
    play.answer_held(1, reject("")).unwrap();
    play.ask(running, 9).expect("there is room again");
    play.answer_held(9, reject("")).unwrap();
    let long = Input::Asked {
        run: play.run(),
        call: running,
        question: RequestId([10; 16]),
        message: "m".repeat(MOST_MESSAGE + 1),
        schema: "{}".to_owned(),
    };
    assert!(play.give(long).is_err(), "a message that is too long");
    assert!(play.ask(running, 2).is_err(), "a name that is taken");
    play.finish_first();
    assert!(play.ask(running, 11).is_err(), "its call is over");
    let mut quick = Play::quick(Mode::Default);
    quick.say("Go.").unwrap();
    quick.reply(&[call("remote", "{}")]);
    assert!(quick.ask(quick.started()[0], 1).is_err(), "D-47: nobody is there");
}

/// D-39, D-86: a server of a sub-agent's call asks just the same, and its run goes on.
#[test]
fn d_86_a_call_of_a_sub_agent_asks_too() {
    let mut play = Play::with_agents(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[starting("helper")]);
    let helper = play.child("helper");
    play.reply_in(helper, "", &[call("remote", "{}")]);
    play.ask(play.started()[0], 1).unwrap();
    play.answer_held(1, data("good")).unwrap();
    assert_eq!(play.head.children[&helper].phase, Phase::Tools, "it isn't suspended by it");
    play.finish_first();
    assert_eq!(play.waits_for_model(), [helper]);
}
