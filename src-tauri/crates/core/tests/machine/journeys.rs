//! A conversation's ways, step by step: asking, answering, rejecting, passing by, stopping, and the round limit.

use countersign_core::answer::{AnswerBody, Reach};
use countersign_core::call::{Dropped, Settled, Warrant};
use countersign_core::change::{Act, Change, OfferedTools};
use countersign_core::ids::RequestId;
use countersign_core::input::{Input, Loss, OutcomeKind, Refusal, Verdict};
use countersign_core::mode::Mode;
use countersign_core::request::{Closing, PassedBy};
use countersign_core::run::{Phase, RunEnd};

use crate::play::{Play, call, for_conversation, judge, names, reject, says};

/// RT-1, RT-2, RT-6, RT-7, RT-9, AS-1, IT-2, IT-3: ask, answer, execute, one model call, the end.
#[test]
fn ask_answer_go_on() {
    let mut play = Play::new(Mode::Default);
    play.limit = 1;
    play.say("Write it.").unwrap();
    let step = play.reply(&[call("write", "{\"a\": 1}")]);
    assert_eq!(step.acts, [Act::Notice], "the run is over; nothing waits in memory");
    assert_eq!(play.run_ends(), [RunEnd::Asked]);
    assert_eq!(play.executed(), []);

    let step = play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    assert!(matches!(step.acts[..], [Act::RunCall { .. }]), "before the model is called");
    play.finish_first();
    assert!(play.calls_model());
    assert_eq!(play.head.run.as_ref().unwrap().rounds, 0, "an answered batch costs no round");
    play.reply(&[]);
    assert_eq!(play.run_ends(), [RunEnd::Asked, RunEnd::Completed]);
    assert_eq!(names(&play.executed()), ["write"]);
    assert!(play.is_idle());
}

/// AS-4, AS-5, D-01, D-03, E-02, E-05: everything of a batch that asks is held, and runs or not as its requests were answered.
#[test]
fn a_batch_waits_together() {
    let batch = [call("read", "{}"), call("write", "{}"), call("nobody", "{}"), call("shell", "{}")];
    let ask = || {
        let mut play = Play::new(Mode::Default);
        play.say("Go.").unwrap();
        play.reply(&batch);
        assert_eq!(
            play.standing_of(),
            [("read", "held"), ("write", "waiting"), ("nobody", "held"), ("shell", "waiting")]
        );
        assert_eq!(play.executed(), [], "nothing of it runs");
        play
    };
    let run_out = |play: &mut Play| {
        while !play.started().is_empty() {
            play.finish_first();
        }
        assert!(play.calls_model());
    };

    let mut approved = ask();
    approved.answer(&[(0, AnswerBody::Approve), (1, AnswerBody::Approve)]).unwrap();
    run_out(&mut approved);
    assert_eq!(names(&approved.executed()), ["read", "write", "shell"]);

    let mut one = ask();
    one.answer(&[(1, AnswerBody::Approve)]).unwrap();
    run_out(&mut one);
    assert_eq!(names(&one.executed()), ["read", "shell"]);
    assert!(one.ends().contains(&("write".to_owned(), Settled::Dropped { why: Dropped::PassedBy }, None)));

    let mut rejected = ask();
    rejected.answer(&[(0, reject("a")), (1, reject("b"))]).unwrap();
    run_out(&mut rejected);
    assert_eq!(names(&rejected.executed()), ["read"], "a bystander runs after a rejection");

    let mut passed = ask();
    passed.say("Never mind.").unwrap();
    assert!(passed.calls_model());
    assert_eq!(passed.executed(), []);
    assert_eq!(passed.head.calls.len(), 0);
}

/// AN-5, E-09 to E-13: each rejection carries its own words.
#[test]
fn rejections_carry_their_own_reasons() {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{\"n\":1}"), call("write", "{\"n\":2}"), call("write", "{\"n\":3}")]);
    play.answer(&[
        (0, reject("because of the first")),
        (1, AnswerBody::Reject { reason: Some("  ".to_owned()) }),
        (2, AnswerBody::Reject { reason: None }),
    ])
    .unwrap();
    let texts: Vec<String> = play.ends().into_iter().map(|(_, _, text)| text.unwrap()).collect();
    assert!(texts[0].contains("because of the first"));
    assert_eq!(texts[1], texts[2], "blank is none");
    assert!(!texts[1].contains("first"), "nothing leaks between calls");
    assert!(texts[0].starts_with(&texts[1]));
    assert!(play.calls_model(), "a rejection ends nothing");
}

/// D-83, L-020: what the person wasn't told of is refused whole.
#[test]
fn what_would_be_lost_is_named() {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{}"), call("shell", "{}")]);
    let requests: Vec<_> = play.head.requests_in_order().iter().map(|one| one.id).collect();
    let before = play.head.clone();
    let mut input = play.input();
    input.text = Some("Else.".to_owned());
    input.passes_by = Some([Loss::Request(requests[0])].into());
    assert_eq!(play.start(input.clone()).unwrap_err(), Refusal::WouldPassBy(vec![Loss::Request(requests[1])]));
    assert_eq!(play.head, before);
    input.passes_by = Some(requests.iter().map(|id| Loss::Request(*id)).collect());
    play.start(input).unwrap();
    let passed = play.log.iter().filter(|change| {
        matches!(change, Change::RequestClosed { closing: Closing::PassedBy { by: PassedBy::NewInput }, .. })
    });
    assert_eq!(passed.count(), 2);
}

/// SA-2, SA-7, D-13, D-16, D-73, M-13 to M-15: what a standing approval covers, and that revoking it asks again.
#[test]
fn standing_approvals() {
    for (reach, same, other) in [(Reach::Tool, true, true), (Reach::Exact, true, false)] {
        let mut play = Play::new(Mode::Default);
        play.say("Go.").unwrap();
        play.reply(&[call("write", "{\"a\":1,\"b\":2}")]);
        play.answer(&[(0, for_conversation(reach))]).unwrap();
        play.finish_first();
        for (arguments, covered) in [("{\"b\": 2, \"a\": 1}", same), ("{\"a\":1,\"b\":2.0}", other)] {
            let mut again = play.clone();
            again.reply(&[call("write", arguments)]);
            assert_eq!(again.runs_calls(), usize::from(covered), "{reach:?} {arguments}");
            assert_eq!(again.head.requests.len(), usize::from(!covered));
        }
        let mut elsewhere = play.clone();
        elsewhere.reply(&[call("shell", "{}")]);
        assert_eq!(elsewhere.head.requests.len(), 1, "another tool asks");

        let was = play.head.standing[0].clone();
        let standing = was.id;
        let request = RequestId([9; 16]);
        let again = Input::Unrevoke { was: was.clone(), request };
        assert!(play.give(again.clone()).is_err(), "what is in force can't be given back");
        play.give(Input::Revoke { standing }).unwrap();
        let mut back = play.clone();
        back.give(again).unwrap();
        back.reply(&[call("write", "{\"a\":1,\"b\":2}")]);
        assert_eq!((back.runs_calls(), back.head.requests.len()), (1, 0), "given back, it covers again (f.14)");
        assert_ne!(back.head.standing[0].id, standing, "under an id of its own");
        back.give(Input::Revoke { standing: back.head.standing[0].id }).unwrap();
        play.reply(&[call("write", "{\"a\":1,\"b\":2}")]);
        assert_eq!(play.head.requests.len(), 1, "a revoked approval covers nothing");
        play.answer(&[(0, for_conversation(reach))]).unwrap();
        assert_eq!(play.head.standing.len(), 1);
        assert!(play.give(Input::Revoke { standing }).is_err(), "a revoked approval can't be revoked");
    }
}

/// D-13: a sibling of an approval for the conversation isn't answered by it.
#[test]
fn a_standing_approval_answers_only_its_own_request() {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{\"n\":1}"), call("write", "{\"n\":2}")]);
    play.answer(&[(0, for_conversation(Reach::Tool))]).unwrap();
    assert_eq!(play.executed().len(), 1);
    assert_eq!(play.ends()[0].1, Settled::Dropped { why: Dropped::PassedBy });
}

/// RU-1 to RU-13, AU-2, AU-3, D-12, D-17, D-21, M-16: guards come first, in every mode.
#[test]
fn guards_come_first() {
    let no = || Verdict::Reject { reason: "forbidden".to_owned() };
    for mode in [Mode::Default, Mode::Auto] {
        let mut play = Play::new(mode);
        play.say("Go.").unwrap();
        let calls = [call("write", "{\"n\":1}"), call("write", "{\"n\":2}")];
        let judged = [vec![Verdict::Approve], vec![Verdict::Approve, no()]].map(|said| {
            let mut one = judge(&play.tools, &calls[0]);
            one.verdicts = says(&said);
            one
        });
        play.reply_judged("", &calls, judged.to_vec());
        assert_eq!(play.executed().len(), 1, "{mode:?}: approved by a rule, no question");
        let [(_, Settled::RejectedByRule { by, .. }, Some(text))] = &play.ends()[..] else {
            panic!("{:?}", play.ends());
        };
        assert_eq!(by, &["g1"]);
        assert!(text.contains("forbidden"));
        play.finish_first();
        assert_eq!(play.head.run.as_ref().unwrap().rounds, 1, "it used up a round");
    }
    // A verdict is kept while its batch waits, and a failed guard asks even in Auto.
    let mut play = Play::new(Mode::Auto);
    play.say("Go.").unwrap();
    let calls = [call("write", "{}"), call("shell", "{}"), call("shell", "{}")];
    let said =
        [vec![Verdict::Failed { why: "broken".to_owned() }, Verdict::Approve], vec![no()], vec![Verdict::Approve]];
    let judged = said
        .iter()
        .map(|said| {
            let mut one = judge(&play.tools, &calls[0]);
            one.verdicts = says(said);
            one
        })
        .collect();
    play.reply_judged("", &calls, judged);
    assert_eq!(play.standing_of(), [("write", "waiting"), ("shell", "held"), ("shell", "held")]);
    play.answer(&[(0, reject(""))]).unwrap();
    assert_eq!(names(&play.executed()), ["shell"]);
    let rule = Warrant::Rule { name: "g0".to_owned() };
    assert!(
        play.log.iter().any(|change| { matches!(change, Change::CallStarted { warrant, .. } if *warrant == rule) })
    );
}

/// IT-1, IT-5, IT-6, E-37, E-38, N-68, D-42: the limit, the last word without tools, and a call that comes all the same.
#[test]
fn the_round_limit() {
    let mut play = Play::new(Mode::Auto);
    play.limit = 2;
    play.say("Go.").unwrap();
    for round in 0..2 {
        play.reply(&[call("write", &format!("{{\"n\":{round}}}"))]);
        play.finish_first();
    }
    let [Act::CallModel { tools: OfferedTools::None, .. }] = play.acts[..] else {
        panic!("{:?}", play.acts);
    };
    assert_eq!(play.head.run.as_ref().unwrap().phase, Phase::LastWord);
    play.reply(&[call("write", "{}")]);
    assert_eq!(play.run_ends(), [RunEnd::Limit]);
    assert_eq!(play.executed().len(), 2);
    let (_, settled, text) = play.ends().pop().unwrap();
    assert_eq!(settled, Settled::Fault, "it is returned, not executed");
    assert!(text.unwrap().contains("limit"));

    // L-149: another run has another budget, and nothing needs to be said for it.
    play.start(play.input()).unwrap();
    assert_eq!(play.head.run.as_ref().unwrap().rounds, 0);
    assert!(play.calls_model());
}

/// B-01, B-02, D-55, D-71: a failed model call keeps the results; trying again goes on from them.
#[test]
fn a_failed_model_call_keeps_the_results() {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{}")]);
    let answers = play.answers(&[(0, AnswerBody::Approve)]);
    let again = countersign_core::input::RunInput { answers, ..play.input() };
    play.start(again.clone()).unwrap();
    play.finish_first();
    play.fail_model();
    assert!(play.is_idle());
    let late = countersign_core::input::RunInput { closed: play.closed.clone(), ..again };
    assert!(matches!(play.start(late), Err(Refusal::ApprovalClosed(_))));
    play.start(play.input()).unwrap();
    assert!(play.calls_model());
    assert_eq!(play.view().len(), 3, "the message, the call, its result");
    assert_eq!(play.executed().len(), 1);
    play.reply(&[]);
    let nothing = play.start(play.input());
    assert!(matches!(nothing, Err(Refusal::IllegalInput { .. })), "D-99: {nothing:?}");
}

/// N-80, N-81, D-88, D-91, L-043: stopping while the model is asked, while tools run, and while something waits.
#[test]
fn stopping() {
    let mut play = Play::new(Mode::Auto);
    assert_eq!(play.give(Input::Stop).unwrap_err(), Refusal::NotRunning);
    play.say("Go.").unwrap();
    let run = play.run();
    let step = play.give(Input::Stop).unwrap();
    assert_eq!(step.acts, [Act::CancelModel { run }]);
    assert_eq!(play.run_ends(), [RunEnd::Cancelled]);
    let late = play.give(Input::ModelReplied { run, reply: crate::play::reply("late", &[]), judged: vec![] });
    assert_eq!(late.unwrap().changes, [], "a late reply changes nothing");

    play.say("Again.").unwrap();
    play.reply(&[call("write", "{\"n\":1}"), call("write", "{\"n\":2}")]);
    let step = play.give(Input::Stop).unwrap();
    assert!(matches!(step.acts[..], [Act::CancelCalls { .. }]));
    assert!(play.give(Input::Stop).is_err(), "it is being stopped already");
    let call_id = play.started()[0];
    play.finish(call_id, OutcomeKind::Stopped);
    assert_eq!(play.run_ends().last(), Some(&RunEnd::Cancelled));
    assert_eq!(play.executed().len(), 1, "nothing further starts");
    assert!(play.is_idle());
    assert!(!play.calls_model());

    let mut waits = Play::new(Mode::Plan);
    waits.say("Plan.").unwrap();
    waits.reply(&[crate::play::plan("# Plan"), call("read", "{}")]);
    let runs = waits.run_ends().len();
    let step = waits.give(Input::Stop).unwrap();
    assert_eq!(step.acts, []);
    assert!(waits.is_idle());
    assert_eq!(waits.run_ends().len(), runs, "without a run");
    assert_eq!(waits.head.conversation.mode, Mode::Plan);
    waits.say("Something else.").unwrap();
}
