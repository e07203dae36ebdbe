//! Random sequences of up to fifty inputs against the properties. `DEEP=1` plays a hundred thousand of them.

use countersign_core::answer::{Answer, AnswerBody};
use countersign_core::change::{Act, Returned};
use countersign_core::head::Head;
use countersign_core::input::{Guards, Input, Refusal, Verdict};
use countersign_core::mode::Mode;
use countersign_core::request::{Closing, PassedBy, RequestKind};
use countersign_core::run::{Phase, Said};
use countersign_core::step::Step;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::forks;
use crate::invariants::Witness;
use crate::ops::{Kind, Op, change_tools, fitting, fork_place, input, mode, op};
use crate::play::Play;

/// What a sequence reached; the corpus as a whole must have reached everything.
#[derive(Debug, Default)]
struct Reached {
    steps: usize,
    refused: usize,
    executed: usize,
    asked_again: usize,
    recovered_with_approved: usize,
    answered: usize,
    agents: usize,
    suspended: usize,
    resumed: usize,
    background_news: usize,
    queued: usize,
    queue_started: usize,
    asked_beside: usize,
    asked_then_told: usize,
    held: usize,
    held_below: usize,
    held_answered: usize,
    held_withdrawn: usize,
    two_levels: usize,
    forks: usize,
    forks_that_left: usize,
}

fn play_all(start: Mode, guards: Guards, limit: u32, ops: &[(Op, u8)], reached: &mut Reached) {
    let mut play = Play::with_agents(start);
    play.guards = guards;
    play.limit = limit;
    let mut witness = Witness::default();
    for (drawn, stubborn) in ops {
        if *stubborn % 32 == 0 {
            reaches_idle_by_stopping(play.clone());
            reaches_idle_by_approving(play.clone());
        }
        let before = play.head.clone();
        let op = &fitting(&play, drawn, *stubborn);
        match op {
            Op::Tools(which) => {
                change_tools(&mut play, *which);
                continue;
            }
            Op::Die => {
                let changes = play.die();
                witness.look(&before, &Kind::Died, &changes, &play);
                reached.recovered_with_approved += usize::from(!play.approved().is_empty());
                continue;
            }
            Op::Fork(which) => {
                let place = fork_place(&play, *which);
                if let Some(forked) = forks::made(&mut play, place) {
                    reached.forks += 1;
                    reached.forks_that_left += usize::from(!before.calls.is_empty());
                    reaches_idle_by_approving(forked.clone());
                    if which % 4 == 1 {
                        // It is a conversation like any other from here on.
                        play = forked;
                        witness = Witness::of(&play);
                    }
                }
                continue;
            }
            Op::Start(_)
            | Op::Reply(..)
            | Op::Fail
            | Op::Steer
            | Op::Look(_)
            | Op::Finish(..)
            | Op::Stop
            | Op::Tighten(_)
            | Op::Drop(_)
            | Op::Revoke(_)
            | Op::Rename
            | Op::TakeBack
            | Op::StartQueued(_)
            | Op::Delete
            | Op::Ask(..)
            | Op::AnswerHeld(_)
            | Op::Withdraw(_)
            | Op::Late(_) => {}
        }
        let Some((kind, input)) = input(&play, op) else {
            continue;
        };
        let is_delete = matches!(op, Op::Delete);
        match play.give(input) {
            Ok(step) => {
                witness.look(&before, &kind, &step.changes, &play);
                never_silent(&before, op, &step);
                count(reached, &before, &step.changes, &kind);
                if is_delete {
                    assert!(play.is_idle(), "b.6.9: nothing of a deleted conversation is open");
                    return;
                }
            }
            Err(refusal) => {
                assert_eq!(play.head, before, "b.6.2: a refusal changes nothing");
                assert_refusal_is_true(&play, &refusal);
                reached.refused += 1;
            }
        }
    }
    reaches_idle_by_stopping(play.clone());
    reaches_idle_by_approving(play);
}

fn count(reached: &mut Reached, before: &Head, changes: &[countersign_core::change::Change], kind: &Kind) {
    use countersign_core::change::Change;
    reached.steps += 1;
    for change in changes {
        match change {
            Change::CallStarted { .. } => reached.executed += 1,
            Change::CallWaits { .. } => reached.asked_again += 1,
            Change::RunStarted(run) => {
                if let Some(child) = &run.child {
                    reached.agents += 1;
                    reached.two_levels += usize::from(child.parent.is_some());
                }
            }
            Change::CallSuspended { .. } => reached.suspended += 1,
            Change::CallResumed { .. } => reached.resumed += 1,
            Change::SteeringQueued(one) if one.from != Said::Person => reached.background_news += 1,
            Change::AnswersQueued(_) => reached.queued += 1,
            Change::AnswersTaken => reached.queue_started += 1,
            Change::RunPhase { phase: Phase::Asked, .. } => reached.asked_beside += 1,
            Change::RequestClosed { closing: Closing::PassedBy { by: PassedBy::Steering }, .. } => {
                reached.asked_then_told += 1;
            }
            Change::QuestionHeld(held) => {
                reached.held += 1;
                let below = before.calls.get(&held.request.call).and_then(|call| before.thread_of(call));
                reached.held_below += usize::from(below.is_some());
            }
            Change::QuestionClosed { closing: Closing::Answered { .. }, .. } => reached.held_answered += 1,
            Change::QuestionClosed { closing: Closing::PassedBy { .. }, .. } => reached.held_withdrawn += 1,
            Change::RequestClosed { .. } => {
                reached.answered += usize::from(matches!(kind, Kind::Start { .. }));
            }
            _ => {}
        }
    }
}

/// Nothing that happens is met with silence: what isn't refused is stored, and what is done about it was stored with it. Only a report
/// of the shell about something that is over leads to nothing, and a second look may lead to a further one.
fn never_silent(before: &Head, op: &Op, step: &Step) {
    if !step.changes.is_empty() {
        return;
    }
    match op {
        Op::Reply(..) | Op::Fail => {
            let mut runs = before.run.iter().chain(before.children.values());
            let waits = runs.any(|run| matches!(run.phase, Phase::Model | Phase::LastWord));
            assert!(
                !waits && step.acts.is_empty(),
                "{op:?} of a run that waits for it is met with silence: {before:?}"
            );
        }
        Op::Finish(..) => panic!("the end of a call that runs is met with silence: {before:?}"),
        // What nobody waits for any more was answered before, or is gone.
        Op::Withdraw(_) => assert!(before.held.is_empty() && step.acts.is_empty(), "a question stays open"),
        Op::Late(_) => assert!(step.acts.is_empty(), "what is over leads to {:?}", step.acts),
        Op::Look(_) => {
            let looks = step.acts.iter().all(|act| matches!(act, Act::JudgeCalls { .. }));
            assert!(looks, "a look leads to {:?} and nothing of it is stored", step.acts);
        }
        // The shell starts what was queued, when no run goes on and it is still there.
        Op::StartQueued(_) => {
            let early = before.run.is_some() || before.queued.is_none();
            assert!(early && step.acts.is_empty(), "queued answers are left lying: {before:?}");
        }
        Op::Start(_)
        | Op::Steer
        | Op::Stop
        | Op::Tighten(_)
        | Op::Drop(_)
        | Op::Revoke(_)
        | Op::Rename
        | Op::TakeBack
        | Op::Delete
        | Op::Ask(..)
        | Op::AnswerHeld(_)
        | Op::Die
        | Op::Fork(_)
        | Op::Tools(_) => panic!("a person who asks for {op:?} is met with silence: {before:?}"),
    }
}

/// A refusal names what is true.
fn assert_refusal_is_true(play: &Play, refusal: &Refusal) {
    match refusal {
        Refusal::ApprovalClosed(gone) => {
            assert!(!gone.is_empty());
            for (request, reason) in gone {
                if play.head.answered_in_queue().contains(request) {
                    continue;
                }
                assert!(play.head.answerable(*request).is_none());
                let known = play.closed.get(request);
                assert_eq!(
                    known.copied(),
                    (*reason != countersign_core::request::ClosedReason::Unknown).then_some(*reason),
                    "CL-11"
                );
            }
        }
        Refusal::WrongKind(request, _) => assert!(play.head.answerable(*request).is_some()),
        Refusal::InvalidData(faulty) => {
            assert!(faulty.iter().all(|(request, _)| play.head.answerable(*request).is_some()), "D-50");
        }
        Refusal::DigestMismatch(requests) => {
            assert!(requests.iter().all(|request| play.head.answerable(*request).is_some()));
        }
        Refusal::WouldPassBy(losses) => assert!(!losses.is_empty()),
        Refusal::Busy => assert!(play.head.run.is_some() || play.head.queued.is_some()),
        Refusal::NotRunning => {
            assert!(play.head.run.as_ref().is_none_or(|run| run.phase == Phase::Stopping));
        }
        Refusal::TooMuchSteering(most) => assert!(play.head.steering.len() >= *most),
        Refusal::AutoEnd(_) => panic!("no sequence gives Auto an end that can't be"),
        Refusal::ModeNotConfigurable => panic!("every mode of these sequences can be set"),
        Refusal::CallDigestMismatch(_) => assert!(play.head.run.is_none()),
        Refusal::IllegalInput { because, .. } => {
            assert!(!because.contains("too few ids"), "the pool of ids is always big enough");
        }
    }
}

/// Whatever the state: stopping, and letting what runs finish, leads to idle.
fn reaches_idle_by_stopping(mut play: Play) {
    for _ in 0..20 {
        if play.is_idle() {
            return;
        }
        let stopping = play.head.run.as_ref().is_some_and(|run| run.phase == Phase::Stopping);
        if stopping {
            play.finish_first();
        } else if play.head.queued.is_some() && play.head.run.is_none() {
            play.give(Input::ReturnQueued { why: Returned::TakenBack }).expect("what is queued can be taken back");
        } else {
            play.give(Input::Stop).expect("what goes on can be stopped");
        }
    }
    panic!("no way out of {:?}", play.head);
}

/// Whatever the state: saying yes to everything leads to idle too.
fn reaches_idle_by_approving(mut play: Play) {
    for _ in 0..60 {
        if play.is_idle() {
            return;
        }
        let waiting = play.waits_for_model().first().copied();
        match (&play.head.run, waiting) {
            (Some(_), Some(run)) => {
                play.reply_in(run, "Done.", &[]);
            }
            (Some(_), None) if !play.looks.is_empty() => {
                play.look_again(&Verdict::Abstain);
            }
            (Some(_), None) => {
                play.finish_first();
            }
            (None, _) if play.head.queued.is_some() => {
                let mut input = play.input();
                input.data = play.checks(&play.head.queued.as_ref().unwrap().answers);
                play.give(Input::StartQueued(input)).expect("queued answers start or come back");
            }
            (None, _) => {
                let input = countersign_core::input::RunInput {
                    answers: play
                        .head
                        .requests
                        .values()
                        .map(|request| Answer {
                            request: request.id,
                            digest: request.digest,
                            body: match request.kind {
                                RequestKind::Input => AnswerBody::Data { value: "good".to_owned() },
                                RequestKind::Call | RequestKind::Plan => AnswerBody::Approve,
                            },
                        })
                        .collect(),
                    resume: play.resumable(),
                    ..play.input()
                };
                play.start(input).expect("what waits can be approved, and what was approved can go on");
            }
        }
    }
    panic!("approving never ends: {:?}", play.head);
}

/// Also field 152.
#[test]
fn every_sequence_keeps_the_properties() {
    let deep = std::env::var("DEEP").is_ok_and(|value| value == "1");
    let cases = if deep { 100_000 } else { 1_000 };
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let reached = std::cell::RefCell::new(Reached::default());
    let guards = prop_oneof![Just(Guards::None), Just(Guards::Some)];
    let sequences = (mode(), guards, 1..5_u32, prop::collection::vec((op(), any::<u8>()), 1..50));
    TestRunner::new(config)
        .run(&sequences, |(start, guards, limit, ops)| {
            play_all(start, guards, limit, &ops, &mut reached.borrow_mut());
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    let reached = reached.into_inner();
    let enough = |found: usize, wanted: usize, what: &str| {
        assert!(found >= wanted, "the sequences are too shallow for {what}: {reached:?}");
    };
    enough(reached.steps, 5_000, "steps");
    enough(reached.executed, 1_000, "executed calls");
    enough(reached.answered, 300, "closed requests");
    enough(reached.refused, 500, "refusals");
    // About twenty are drawn.
    enough(reached.asked_again, 3, "lapsed warrants");
    enough(reached.recovered_with_approved, 10, "approved and not run");
    enough(reached.agents, 500, "sub-agents");
    enough(reached.two_levels, 30, "sub-agents of sub-agents");
    enough(reached.suspended, 100, "sub-agents that wait");
    enough(reached.resumed, 50, "sub-agents that go on");
    enough(reached.background_news, 50, "answers of background agents");
    enough(reached.asked_beside, 20, "runs that ask while background agents work");
    enough(reached.asked_then_told, 3, "questions that the run's own reply passes by");
    enough(reached.held, 100, "questions that servers hold");
    enough(reached.held_below, 20, "questions that servers of sub-agents hold");
    enough(reached.held_answered, 20, "held questions that are answered");
    enough(reached.held_withdrawn, 60, "held questions that are withdrawn");
    enough(reached.queued, 20, "queued answers");
    enough(reached.forks, 150, "forks");
    enough(reached.forks_that_left, 60, "forks that leave something in their source");
    enough(reached.queue_started, 3, "queued answers that start");
}
