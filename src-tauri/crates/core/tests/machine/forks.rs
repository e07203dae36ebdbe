//! Forks: what they hold of their source, and what they don't (D-59).

use std::collections::BTreeSet;

use countersign_core::answer::{AnswerBody, Reach};
use countersign_core::call::{CallState, Dropped, Settled};
use countersign_core::change::{Change, MessageBody};
use countersign_core::fork::{NewFork, fork};
use countersign_core::ids::{At, ConversationId, Ids};
use countersign_core::input::{OutcomeKind, Refusal};
use countersign_core::mode::{Mode, Until};
use countersign_core::run::RunEnd;
use countersign_core::transcript::{ViewItem, check};

use crate::play::{Play, call, for_conversation, into, plan, starting};

/// Forks a play and looks at what came of it; none if that place can't be its end.
pub(crate) fn made(play: &mut Play, upto: Option<i64>) -> Option<Play> {
    let (head, source) = (play.head.clone(), play.source());
    let forked = play.fork(upto);
    assert_eq!((&play.head, play.source()), (&head, source.clone()), "D-59: nothing of the source changes");
    let Ok(forked) = forked else {
        let said = |place: i64| {
            source
                .messages
                .iter()
                .any(|one| one.message.seq == place && matches!(one.message.body, MessageBody::User { .. }))
        };
        let fits = upto.map_or(!source.messages.is_empty(), said);
        assert!(!fits, "D-59: whatever goes on or waits, it can be forked at {upto:?}");
        return None;
    };
    let (new, old) = (&forked.head.conversation, &head.conversation);
    assert!(forked.is_idle() && forked.acts.is_empty(), "D-59: no open request, and nothing goes on");
    assert!(forked.head.standing.is_empty(), "D-59: no standing approval");
    assert!(forked.head.steering.is_empty() && forked.head.queued.is_none(), "nothing that was said and not taken");
    let expected = if old.mode == Mode::Auto { Mode::Default } else { old.mode };
    assert_eq!((new.mode, new.auto_chain, new.agent), (expected, None, old.agent));
    let copied = forked.source();
    assert!(copied.runs.iter().all(|run| run.end.is_some()));
    let of_source: BTreeSet<[u8; 16]> = ids(&source);
    assert!(ids(&copied).is_disjoint(&of_source), "no id of the source is one of the fork's");
    let view = forked.transcript.view(None).expect("nothing is unsettled");
    check(&view, 0).expect("every call has its result directly behind it");
    if upto.is_none() {
        let waits = !head.calls_in(None).is_empty();
        assert_eq!(copied.messages.len(), source.messages.len());
        if !waits {
            assert_eq!(Ok(&view), play.transcript.view(None).as_ref(), "the model is sent the same");
            assert_eq!(new.awaits_reply, old.awaits_reply);
        }
    } else {
        assert!(new.awaits_reply, "the model hasn't replied to the last words");
        assert!(matches!(view.last().map(AsRef::as_ref), Some(ViewItem::User { .. })));
    }
    for (copy, past) in copied.messages.iter().zip(&source.messages) {
        assert_eq!(copy.calls.len(), past.calls.len(), "every call is there");
        for (copy, past) in copy.calls.iter().zip(&past.calls) {
            match &past.call.state {
                CallState::Settled(settled) => {
                    assert_eq!((&copy.call.state, &copy.result), (&CallState::Settled(settled.clone()), &past.result));
                }
                open => {
                    let left = CallState::Settled(Settled::Dropped { why: Dropped::LeftInSource });
                    assert_eq!((&copy.call.state, &copy.result), (&left, &None), "never made: {open:?}");
                }
            }
            assert_eq!((&copy.call.arguments, &copy.call.executed), (&past.call.arguments, &past.call.executed));
        }
    }
    Some(forked)
}

fn ids(of: &countersign_core::fork::Source) -> BTreeSet<[u8; 16]> {
    let runs = of.runs.iter().map(|run| run.id.0);
    let messages = of.messages.iter().map(|one| one.message.id.0);
    let calls = of.messages.iter().flat_map(|one| &one.calls).map(|past| past.call.id.0);
    runs.chain(messages).chain(calls).collect()
}

fn ends(play: &Play) -> Vec<(String, Settled)> {
    let calls = play.source().messages.into_iter().flat_map(|one| one.calls);
    let ends = calls.filter_map(|past| match past.call.state {
        CallState::Settled(settled) => Some((past.call.tool, settled)),
        _ => None,
    });
    ends.collect()
}

const LEFT: Settled = Settled::Dropped { why: Dropped::LeftInSource };

/// D-59: what waits in the source was never made in the fork, which can be talked to at once; the source still waits.
#[test]
fn a_fork_of_what_waits_has_nothing_open() {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[call("read", "{}"), call("write", "{}")]);
    let mut forked = made(&mut play, None).unwrap();
    assert_eq!(play.head.requests.len(), 1);
    assert_eq!(ends(&forked), [("read".to_owned(), LEFT), ("write".to_owned(), LEFT)]);
    let text = |text: &str| ViewItem::User { text: text.to_owned() };
    let words = ViewItem::Assistant { text: "Words.".to_owned(), raw: None, calls: Vec::new(), dropped: 2 };
    assert_eq!(forked.view(), [text("Go."), words.clone()]);
    forked.say("Something else.").unwrap();
    assert!(forked.calls_model());
    assert_eq!(forked.view(), [text("Go."), words, text("Something else.")]);
}

/// D-59: a standing approval stays where it was given; the same call asks in the fork.
#[test]
fn a_standing_approval_stays_with_the_source() {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{}")]);
    play.answer(&[(0, for_conversation(Reach::Tool))]).unwrap();
    let claimed = play.started();
    let mut meanwhile = made(&mut play, None).unwrap();
    assert_eq!(ends(&meanwhile), [("write".to_owned(), LEFT)], "what runs in the source was never made here");
    play.finish(claimed[0], OutcomeKind::Succeeded);
    play.reply(&[]);
    let mut forked = made(&mut play, None).unwrap();
    assert_eq!(ends(&forked), [("write".to_owned(), Settled::Succeeded)]);
    for play in [&mut meanwhile, &mut forked] {
        play.say("Again.").unwrap();
        play.reply(&[call("write", "{}")]);
        assert_eq!(play.standing_of(), [("write", "waiting")]);
    }
    play.say("Again.").unwrap();
    play.reply(&[call("write", "{}")]);
    assert_eq!(play.standing_of(), [("write", "started")], "the source's own holds");
}

/// D-59, D-74: Auto isn't taken along, whether it ends with the run or stays.
#[test]
fn auto_is_not_taken_along() {
    for until in [Until::RunEnds, Until::Stays] {
        let mut play = Play::new(Mode::Plan);
        play.say("Go.").unwrap();
        play.reply(&[plan("# Do it")]);
        play.answer(&[(0, into(Mode::Auto, until))]).unwrap();
        let mut forked = made(&mut play, None).unwrap();
        assert_eq!(ends(&forked), [("exit_plan_mode".to_owned(), Settled::PlanAccepted)]);
        forked.say("Write.").unwrap();
        forked.reply(&[call("write", "{}")]);
        assert_eq!(forked.standing_of(), [("write", "waiting")]);
    }
    let mut play = Play::new(Mode::Plan);
    play.say("Go.").unwrap();
    assert_eq!(made(&mut play, None).unwrap().head.conversation.mode, Mode::Plan);
}

/// D-59: approved and not run when the process died; the approval is the source's.
#[test]
fn an_approval_that_never_ran_stays_with_the_source() {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{\"n\":1}"), call("write", "{\"n\":2}")]);
    play.answer(&[(0, AnswerBody::Approve), (1, AnswerBody::Approve)]).unwrap();
    play.die();
    assert_eq!(play.approved().len(), 1);
    let forked = made(&mut play, None).unwrap();
    assert_eq!(ends(&forked), [("write".to_owned(), Settled::OutcomeUnknown), ("write".to_owned(), LEFT)]);
    assert!(forked.resumable().is_empty());
}

/// D-59: from a message of the person everything up to it is there, and it can be answered anew.
#[test]
fn a_fork_ends_at_a_message_of_the_persons() {
    let mut play = Play::new(Mode::Default);
    play.say("First.").unwrap();
    play.reply(&[]);
    play.say("Second.").unwrap();
    play.reply(&[]);
    let mut forked = made(&mut play, Some(3)).unwrap();
    let run_ends: Vec<_> = forked.source().runs.into_iter().filter_map(|run| run.end.map(|(end, _)| end)).collect();
    assert_eq!(run_ends, [RunEnd::Completed, RunEnd::Forked]);
    let before = forked.view();
    forked.start(forked.input()).unwrap();
    assert!(forked.calls_model() && forked.view() == before, "the model answers what was said last");
    for place in [0, 2, 5] {
        let refused = play.fork(Some(place)).err();
        assert!(matches!(refused, Some(Refusal::IllegalInput { input: "forking", .. })), "{place}: {refused:?}");
    }
}

/// D-59, D-93: of a sub-agent the result is there, and nothing of its inside; one that waits was never started.
#[test]
fn the_inside_of_sub_agents_stays_in_the_source() {
    let mut play = Play::with_agents(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[starting("helper")]);
    let helper = play.child("helper");
    play.reply_in(helper, "Found.", &[]);
    play.reply(&[starting("helper")]);
    let helper = play.child("helper");
    play.reply_in(helper, "", &[call("write", "{}")]);
    let forked = made(&mut play, None).unwrap();
    assert_eq!(ends(&forked), [("helper".to_owned(), Settled::Succeeded), ("helper".to_owned(), LEFT)]);
    assert!(forked.log.iter().all(|change| !matches!(change, Change::RunStarted(_))));
    assert!(forked.view().iter().any(|item| matches!(item, ViewItem::Results(results) if results[0].text == "Found.")));
}

/// D-59, E-34: nothing that was used up in the source is used up in the fork.
#[test]
fn tokens_are_the_sources() {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[]);
    let forked = made(&mut play, None).unwrap();
    let used = forked.source().messages.into_iter().filter_map(|one| match one.message.body {
        MessageBody::Assistant { usage, .. } => Some(usage),
        _ => None,
    });
    assert_eq!(used.collect::<Vec<_>>(), [None]);
}

/// D-59, D-105: what can't be forked says why.
#[test]
fn what_cant_be_forked_says_why() {
    let new = |title: &str| NewFork { id: ConversationId([0xF0; 16]), title: title.to_owned(), upto: None };
    let because = |play: &Play, title: &str| match fork(&play.source(), new(title), At(9), Ids::default()) {
        Err(Refusal::IllegalInput { because, .. }) => because,
        other => panic!("{other:?}"),
    };
    let mut play = Play::new(Mode::Default);
    assert_eq!(because(&play, "Fork"), "nothing was said in it yet");
    play.say("Go.").unwrap();
    assert_eq!(because(&play, " "), "a name can't be blank");
    let mut quick = Play::quick(Mode::Default);
    quick.say("Go.").unwrap();
    assert_eq!(because(&quick, "Fork"), "a Quick task is one run and no more");
}
