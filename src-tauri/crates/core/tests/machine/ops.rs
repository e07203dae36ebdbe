//! Random inputs: one thing after the other that may happen to a conversation, most of it fitting the state that it meets. The
//! store's tests draw from here too.
#![allow(dead_code, reason = "several test binaries share this file, and each uses its own part of it")]

use std::collections::BTreeSet;

use countersign_core::answer::{Answer, AnswerBody, AnyCommand, Reach};
use countersign_core::change::{Change, Left, MessageBody, Returned};
use countersign_core::digest::Digest;
use countersign_core::ids::{CallId, RequestId, RunId, StandingId};
use countersign_core::input::{Input, Judged, Loss, Outcome, OutcomeKind, ProposedCall, Verdict};
use countersign_core::mode::{Mode, Until};
use countersign_core::request::{MOST_MESSAGE, Request};
use countersign_core::run::Phase;
use countersign_core::tool::{Declared, Origin};
use proptest::prelude::*;

use super::play::{self, Play, call, into, judge, plan, says, starting};

/// What an input was, as far as the properties care.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Start {
        told: Option<BTreeSet<Loss>>,
    },
    Reply,
    Finished,
    Stop,
    Tighten,
    Died,
    /// A model gave no reply.
    Failed,
    /// A server asked, or took its question back.
    Held,
    /// The guards looked again at these.
    Looked(Vec<CallId>),
    Other,
}

/// One thing that may happen; what it hits is chosen by the state that it meets.
#[derive(Debug, Clone)]
pub(crate) enum Op {
    Start(StartOp),
    /// Whose model, and what it calls.
    Reply(u8, Vec<(u8, u8)>),
    Fail,
    Steer,
    Look(u8),
    Finish(u8, u8),
    Stop,
    Tighten(Mode),
    Drop(u8),
    Revoke(u8),
    Rename,
    Delete,
    /// Queued answers are drafts again.
    TakeBack,
    /// The queued answers start their run; what the shell adds may say that data doesn't fit any more.
    StartQueued(u8),
    Die,
    /// The profile's tools change.
    Tools(u8),
    Late(u8),
    /// The server of a call that runs asks something: which call, and what is odd about it.
    Ask(u8, u8),
    /// Held questions are answered, and nothing else is said.
    AnswerHeld(Vec<(u8, u8, u8)>),
    /// A server takes a question back.
    Withdraw(u8),
    /// It is forked, from its end or from a message of the person.
    Fork(u8),
}

#[derive(Debug, Clone)]
pub(crate) struct StartOp {
    pub(crate) text: bool,
    /// Which request, which verdict, which twist.
    pub(crate) answers: Vec<(u8, u8, u8)>,
    pub(crate) resume: u8,
    pub(crate) mode: Option<Mode>,
    pub(crate) told: u8,
}

pub(crate) fn mode() -> impl Strategy<Value = Mode> {
    prop_oneof![Just(Mode::Plan), Just(Mode::Default), Just(Mode::Auto)]
}

pub(crate) fn op() -> impl Strategy<Value = Op> {
    let start = (
        any::<bool>(),
        prop::collection::vec((any::<u8>(), any::<u8>(), any::<u8>()), 0..5),
        any::<u8>(),
        prop::option::weighted(0.2, mode()),
        any::<u8>(),
    )
        .prop_map(|(text, answers, resume, mode, told)| Op::Start(StartOp { text, answers, resume, mode, told }));
    prop_oneof![
        30 => start,
        40 => (any::<u8>(), prop::collection::vec((any::<u8>(), any::<u8>()), 0..6))
            .prop_map(|(whose, calls)| Op::Reply(whose, calls)),
        2 => Just(Op::TakeBack),
        6 => any::<u8>().prop_map(Op::StartQueued),
        2 => Just(Op::Fail),
        7 => Just(Op::Steer),
        6 => any::<u8>().prop_map(Op::Look),
        40 => (any::<u8>(), any::<u8>()).prop_map(|(which, how)| Op::Finish(which, how)),
        4 => Just(Op::Stop),
        8 => mode().prop_map(Op::Tighten),
        3 => any::<u8>().prop_map(Op::Drop),
        4 => any::<u8>().prop_map(Op::Revoke),
        2 => Just(Op::Rename),
        1 => Just(Op::Delete),
        7 => Just(Op::Die),
        5 => any::<u8>().prop_map(Op::Tools),
        2 => any::<u8>().prop_map(Op::Late),
        12 => (any::<u8>(), any::<u8>()).prop_map(|(which, twist)| Op::Ask(which, twist)),
        6 => prop::collection::vec((any::<u8>(), any::<u8>(), any::<u8>()), 1..3).prop_map(Op::AnswerHeld),
        2 => any::<u8>().prop_map(Op::Withdraw),
        3 => any::<u8>().prop_map(Op::Fork),
    ]
}

fn proposed(kind: u8) -> ProposedCall {
    match kind % 23 {
        17 | 18 => starting("helper"),
        19 => starting("scout"),
        20 => starting("asker"),
        21 => starting("diver"),
        22 => call("helper", "{}"),
        14 | 15 => call("ask", "{\"question\":1}"),
        16 => call("pick", "{}"),
        0 | 1 => call("read", "{\"path\":\"a\"}"),
        2 => call("browse", "{}"),
        3 => call("peek", "{\"path\":\"b\"}"),
        4 | 5 => call("write", &format!("{{\"n\":{}}}", kind % 3)),
        6 => call("set", "{\"k\":1}"),
        7 => call("shell", "{\"command\":\"ls\"}"),
        8 => call("remote", "{}"),
        9 => call("nobody", "{}"),
        10 => call("write", "{not json"),
        11 => plan("# Do it"),
        12 => plan(" "),
        _ => call("set", "{\"k\":2}"),
    }
}

fn verdicts(kind: u8) -> Vec<Verdict> {
    match kind % 8 {
        0 => vec![Verdict::Approve],
        1 => vec![Verdict::Abstain, Verdict::Reject { reason: "no".to_owned() }],
        2 => vec![Verdict::Approve, Verdict::Failed { why: "broken".to_owned() }],
        _ => vec![Verdict::Abstain],
    }
}

fn body(kind: u8) -> AnswerBody {
    match kind % 12 {
        10 => AnswerBody::Data { value: "good".to_owned() },
        11 => AnswerBody::Data { value: "bad".to_owned() },
        0 | 1 => AnswerBody::Approve,
        2 => AnswerBody::ApproveWithNote { note: "carefully".to_owned(), tell: kind < 128 },
        3 => AnswerBody::Reject { reason: None },
        4 => AnswerBody::Reject { reason: Some("why".to_owned()) },
        5 | 6 => AnswerBody::ApproveForConversation {
            reach: if kind < 128 { Reach::Tool } else { Reach::Exact },
            any_command: AnyCommand::NotAsked,
        },
        7 => into(Mode::Auto, Until::RunEnds),
        8 => into(Mode::Auto, Until::Stays),
        _ => into(if kind < 200 { Mode::Default } else { Mode::Plan }, Until::Stays),
    }
}

/// The answers of an input, most of them to open requests, and the id of a request that isn't open if one was named.
fn answers(play: &Play, picks: &[(u8, u8, u8)]) -> Vec<Answer> {
    // What servers hold open can be answered along with the rest; it goes its own way.
    let held = play.head.held.values().map(|held| &held.request);
    answers_to(play, &play.head.requests_in_order().into_iter().chain(held).collect::<Vec<_>>(), picks)
}

fn answers_to(play: &Play, open: &[&Request], picks: &[(u8, u8, u8)]) -> Vec<Answer> {
    let closed: Vec<RequestId> = play.closed.keys().copied().collect();
    let pick = |which: u8, twist: u8| -> Option<(RequestId, Digest)> {
        match twist % 24 {
            0 => closed.get(usize::from(which) % closed.len().max(1)).map(|id| (*id, Digest([0; 32]))),
            1 => Some((RequestId([which; 16]), Digest([0; 32]))),
            twist => {
                let request = open.get(usize::from(which) % open.len().max(1))?;
                let digest = if twist == 2 { Digest([9; 32]) } else { request.digest };
                Some((request.id, digest))
            }
        }
    };
    let made = picks.iter().filter_map(|(which, say, twist)| {
        let (request, digest) = pick(*which, *twist)?;
        // A body that fits is chosen more often than not, or nearly every input would be refused for its kind.
        let is_plan =
            open.iter().any(|one| one.id == request && one.kind == countersign_core::request::RequestKind::Plan);
        let is_question =
            open.iter().any(|one| one.id == request && one.kind == countersign_core::request::RequestKind::Input);
        let body = match (body(*say), is_plan, twist % 5) {
            (AnswerBody::Reject { reason }, _, _) => AnswerBody::Reject { reason },
            (AnswerBody::Data { value }, _, _) if is_question => AnswerBody::Data { value },
            (AnswerBody::Data { .. }, _, 1..) => AnswerBody::Approve,
            (_, _, 1..) if is_question => AnswerBody::Data { value: "good".to_owned() },
            (AnswerBody::ApproveForConversation { .. }, true, 1..) => into(Mode::Auto, Until::RunEnds),
            (AnswerBody::ApprovePlan { .. }, false, 1..) => AnswerBody::Approve,
            (body, _, _) => body,
        };
        Some(Answer { request, digest, body })
    });
    made.collect()
}

/// The input that an operation is in this state; none if it can't be put into words here.
pub(crate) fn input(play: &Play, op: &Op) -> Option<(Kind, Input)> {
    let run = play.head.run.as_ref().map(|run| run.id);
    Some(match op {
        Op::Start(start) => {
            let told = told(play, start.told);
            let mut resume = play.resumable();
            resume.retain(|_| start.resume < 160);
            if start.resume % 16 == 3
                && let Some(first) = resume.first_mut()
            {
                first.1 = Digest([1; 32]);
            }
            let mut input = play.input();
            input.text = start.text.then(|| "Go on.".to_owned());
            input.answers = answers(play, &start.answers);
            input.resume = resume;
            input.mode = start.mode;
            input.passes_by.clone_from(&told);
            input.data = play.checks(&input.answers);
            (Kind::Start { told }, Input::Start(input))
        }
        Op::Reply(whose, calls) => {
            let waiting = play.waits_for_model();
            let run = waiting.get(usize::from(*whose) % waiting.len().max(1)).copied().or(run)?;
            let tools = play.tools_in(run);
            let proposed: Vec<ProposedCall> = calls.iter().map(|(kind, _)| self::proposed(*kind)).collect();
            let judged = proposed
                .iter()
                .zip(calls)
                .map(|(one, (_, said))| Judged { verdicts: says(&verdicts(*said)), ..judge(&tools, one) })
                .collect();
            let text = if calls.len() == 1 { "" } else { "Words." };
            let reply = play::reply(text, &proposed);
            (Kind::Reply, Input::ModelReplied { run, reply, judged })
        }
        Op::Fail => {
            let failure = countersign_core::run::Failure {
                kind: countersign_core::run::FailureKind::Cut,
                text: "cut".to_owned(),
            };
            let run = play.waits_for_model().first().copied().or(run)?;
            (Kind::Failed, Input::ModelFailed { run, failure })
        }
        Op::Finish(which, how) => {
            let started = play.started();
            let call = *started.get(usize::from(*which) % started.len().max(1))?;
            (Kind::Finished, finished(play, call, *how))
        }
        Op::Steer => (Kind::Other, Input::Steer { text: "And this.".to_owned() }),
        Op::Look(how) => {
            let (run, looks) = play.looked_at()?;
            let verdict = |index: usize| match (usize::from(*how) >> index) % 8 {
                0 => Verdict::Reject { reason: "not now".to_owned() },
                1 => Verdict::Failed { why: "broken".to_owned() },
                2 => Verdict::Approve,
                _ => Verdict::Abstain,
            };
            let verdicts = looks.iter().enumerate().map(|(index, call)| (*call, says(&[verdict(index)]))).collect();
            (Kind::Looked(looks), Input::CallsJudged { run, verdicts })
        }
        Op::Stop => (Kind::Stop, Input::Stop),
        Op::Tighten(mode) => (Kind::Tighten, Input::Tighten { mode: *mode }),
        Op::Drop(mask) => {
            let mut calls = play.approved();
            calls.retain(|call| call.0[0] & mask != 0 && !play.head.is_behind_suspended(&play.head.calls[call]));
            (Kind::Other, Input::Drop { calls })
        }
        Op::Revoke(which) => {
            let standing = &play.head.standing;
            let id = standing
                .get(usize::from(*which) % standing.len().max(1))
                .map_or(StandingId([*which; 16]), |one| one.id);
            (Kind::Other, Input::Revoke { standing: id })
        }
        Op::Rename => (Kind::Other, Input::Rename { title: "Named".to_owned() }),
        Op::Delete => (Kind::Stop, Input::Delete),
        Op::Late(which) => (Kind::Finished, finished(play, CallId([*which; 16]), *which)),
        Op::TakeBack => (Kind::Other, Input::ReturnQueued { why: Returned::TakenBack }),
        Op::StartQueued(which) => {
            let queued = play.head.queued.as_ref()?;
            let mut input = play.input();
            input.data = play.checks(&queued.answers);
            if which.is_multiple_of(5) {
                input.data.clear();
            }
            (Kind::Start { told: None }, Input::StartQueued(input))
        }
        Op::Ask(which, twist) => {
            let started = play.started();
            let call = started.get(usize::from(*which) % started.len().max(1)).copied().unwrap_or(CallId([*which; 16]));
            let run = if twist % 16 == 1 { RunId([0; 16]) } else { run? };
            let mut id = [0x51; 16];
            id[8..].copy_from_slice(&(play.log.len() as u64).to_be_bytes());
            let known = play.head.held.keys().chain(play.head.requests.keys()).next().copied();
            let question = known.filter(|_| twist % 16 == 2).unwrap_or(RequestId(id));
            let message = if twist % 16 == 3 { "m".repeat(MOST_MESSAGE + 1) } else { "Which?".to_owned() };
            (Kind::Held, Input::Asked { run, call, question, message, schema: format!("{{\"schema\":{which}}}") })
        }
        Op::AnswerHeld(picks) => {
            let held: Vec<&Request> = play.head.held.values().map(|held| &held.request).collect();
            let mut input = play.input();
            input.answers = answers_to(play, &held, picks);
            input.data = play.checks(&input.answers);
            if input.answers.is_empty() {
                return None;
            }
            (Kind::Start { told: None }, Input::Start(input))
        }
        Op::Withdraw(which) => {
            let question = play.head.held.keys().nth(usize::from(*which) % play.head.held.len().max(1));
            (Kind::Held, Input::Withdrawn { question: question.copied().unwrap_or(RequestId([*which; 16])) })
        }
        Op::Die | Op::Tools(_) | Op::Fork(_) => return None,
    })
}

/// Where a fork of it would end: at its end, behind one of the person's messages, or at what can't be its end.
pub(crate) fn fork_place(play: &Play, which: u8) -> Option<i64> {
    let said = |change: &Change| match change {
        Change::MessageAdded(message) | Change::MessageCopied { message, .. } => {
            (message.thread.is_none() && matches!(message.body, MessageBody::User { .. })).then_some(message.seq)
        }
        _ => None,
    };
    let places: Vec<i64> = play.log.iter().filter_map(said).collect();
    match which % 8 {
        0..4 => None,
        4 => Some(i64::from(which)),
        _ => places.get(usize::from(which / 8) % places.len().max(1)).copied(),
    }
}

fn finished(play: &Play, call: CallId, how: u8) -> Input {
    let kind = match how % 6 {
        0 => OutcomeKind::Failed,
        1 => OutcomeKind::ChangedSinceAsked,
        2 => OutcomeKind::Unknown,
        3 => OutcomeKind::Stopped,
        _ => OutcomeKind::Succeeded,
    };
    let run = play.head.run.as_ref().map(|run| run.id);
    Input::CallFinished {
        run: run.unwrap_or(RunId([0; 16])),
        call,
        outcome: Outcome {
            kind,
            text: "a result".to_owned(),
            left: how.is_multiple_of(3).then(|| Left { path: format!("file{}", how % 2), content: "ab".repeat(32) }),
        },
    }
}

/// What the person was told: nothing was said, all of it, or half.
fn told(play: &Play, how: u8) -> Option<BTreeSet<Loss>> {
    let requests = play.head.requests.keys().map(|id| Loss::Request(*id));
    let calls = play.resumable().into_iter().map(|(call, _)| Loss::Call(call));
    let all = requests.chain(calls);
    match how % 4 {
        0 | 1 => None,
        2 => Some(all.collect()),
        _ => Some(all.enumerate().filter(|(index, _)| index % 2 == 0).map(|(_, loss)| loss).collect()),
    }
}

/// The tools that the profile has now: all, without `write`, or with `remote` asking first.
pub(crate) fn change_tools(play: &mut Play, which: u8) {
    let agents = play.tools.iter().filter(|tool| matches!(tool.identity.origin, Origin::SubAgent { .. })).cloned();
    play.tools = play::tools().into_iter().chain(agents.collect::<Vec<_>>()).collect();
    match which % 4 {
        0 => play.tools.retain(|tool| tool.identity.name != "write"),
        1 => {
            for tool in &mut play.tools {
                if let Origin::Server { declared, .. } = &mut tool.identity.origin {
                    *declared = Declared::AsksFirst;
                }
            }
        }
        _ => {}
    }
}

/// Most of what happens fits the state: a model replies when it was asked, a call ends when it runs. One in eight stays as it
/// was drawn, so that what doesn't fit is tried too.
pub(crate) fn fitting(play: &Play, op: &Op, stubborn: u8) -> Op {
    if stubborn.is_multiple_of(8) {
        return op.clone();
    }
    let phase = play.head.run.as_ref().map(|run| run.phase);
    // Answers to what a background agent asks come while the run goes on.
    let answers_meanwhile = !play.head.requests.is_empty() && stubborn.is_multiple_of(3);
    let someone_replies = !play.waits_for_model().is_empty();
    match (op, phase) {
        (Op::Start(_) | Op::Reply(..) | Op::Finish(..), None) if play.head.queued.is_some() => {
            Op::StartQueued(stubborn)
        }
        // What is said after the run had asked is rare by itself.
        (Op::Start(_) | Op::Finish(..), Some(Phase::Asked)) if stubborn % 4 == 1 => Op::Steer,
        (Op::Start(_), Some(_)) if answers_meanwhile => Op::Start(StartOp {
            text: stubborn.is_multiple_of(2),
            answers: (0..3).map(|which| (which, stubborn / 2 + which, 3)).collect(),
            resume: 255,
            mode: None,
            told: 0,
        }),
        (Op::Start(_) | Op::Reply(..), Some(_)) if !play.started().is_empty() && stubborn % 16 == 5 => {
            Op::Ask(stubborn / 16, 0)
        }
        (Op::Start(_) | Op::Reply(..) | Op::Finish(..), Some(_)) if !play.head.held.is_empty() && stubborn % 4 == 2 => {
            Op::AnswerHeld(vec![(stubborn / 4, stubborn / 3, 3)])
        }
        (Op::Start(_) | Op::Reply(..) | Op::Finish(..), Some(_)) if !play.looks.is_empty() => Op::Look(stubborn),
        (Op::Start(_) | Op::Reply(..), Some(_))
            if !(play.started().is_empty() || someone_replies && stubborn % 2 == 1) =>
        {
            Op::Finish(stubborn, stubborn)
        }
        (Op::Start(_) | Op::Finish(..), Some(_)) if someone_replies => {
            Op::Reply(stubborn / 7, vec![(stubborn, stubborn / 2), (stubborn / 3, stubborn / 5)])
        }
        (Op::Reply(..) | Op::Finish(..), None) => Op::Start(StartOp {
            text: play.head.requests.is_empty(),
            answers: (0..5).map(|which| (which, stubborn / 2 + which, 3)).collect(),
            resume: stubborn % 160,
            mode: None,
            told: 0,
        }),
        _ => op.clone(),
    }
}
