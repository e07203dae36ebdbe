//! SU, and what D says of agents below the conversation's own that their callers wait for.

use countersign_core::answer::{AnswerBody, Reach};
use countersign_core::call::{CallState, Settled};
use countersign_core::change::{Act, Change, MessageBody};
use countersign_core::ids::{CallId, RunId};
use countersign_core::input::{Input, OutcomeKind};
use countersign_core::mode::{Mode, Until};
use countersign_core::offer::{offer, offer_below};
use countersign_core::run::{Phase, RunEnd, Said};
use countersign_core::transcript::ViewItem;

use crate::house::{self, DIVER, HELPER, House, Turn, calls};
use crate::play::{Play, call, for_conversation, into, names, plan, starting};

/// A conversation whose model has just started these.
pub(crate) fn started(mode: Mode, calls: &[countersign_core::input::ProposedCall]) -> Play {
    let mut play = Play::with_agents(mode);
    play.say("Go.").unwrap();
    play.reply(calls);
    play
}

/// A helper that asks to write, and its run.
fn helper_asks() -> (Play, RunId) {
    let mut play = started(Mode::Default, &[starting("helper")]);
    let helper = play.child("helper");
    play.reply_in(helper, "", &[call("write", "{\"n\":1}")]);
    (play, helper)
}

pub(crate) fn phase(play: &Play) -> Option<Phase> {
    play.head.run.as_ref().map(|run| run.phase)
}

pub(crate) fn result_of(play: &Play, tool: &str) -> String {
    let ends = play.ends();
    let end = ends.iter().rev().find(|(name, ..)| name == tool).expect("the call is over");
    end.2.clone().unwrap_or_default()
}

/// The texts of the results and messages of a view, in order.
pub(crate) fn texts(view: &[ViewItem]) -> Vec<String> {
    let mut texts = Vec::new();
    for item in view {
        match item {
            ViewItem::User { text } | ViewItem::Assistant { text, .. } => texts.push(text.clone()),
            ViewItem::Results(results) => texts.extend(results.iter().map(|result| result.text.clone())),
        }
    }
    texts
}

#[test]
fn su_1_plan_offers_sub_agents_without_a_mark() {
    let mut play = started(Mode::Plan, &[starting("helper")]);
    let offered = offer(&play.tools, Mode::Plan);
    assert!(offered.iter().any(|tool| tool.identity.name == "helper"));
    assert_eq!(play.head.children.len(), 1, "it runs");
    let helper = play.child("helper");
    play.reply_in(helper, "Found it.", &[]);
    assert_eq!(result_of(&play, "helper"), "Found it.");
}

#[test]
fn su_2_in_plan_it_has_its_own_read_only_tools() {
    let mut play = started(Mode::Plan, &[starting("helper")]);
    let helper = play.child("helper");
    let offered = offer_below(&play.tools_in(helper), play.head.mode_in(Some(helper)));
    let names: Vec<&str> = offered.iter().map(|tool| tool.identity.name.as_str()).collect();
    assert_eq!(names, ["read", "peek", "ask", "diver"]);
    play.reply_in(helper, "", &[call("write", "{}"), call("read", "{}")]);
    assert!(result_of(&play, "write").contains("not available while planning"));
    assert_eq!(names_of_started(&play), ["helper", "read"]);
}

fn names_of_started(play: &Play) -> Vec<&str> {
    let mut calls: Vec<_> = play.head.calls_in_order();
    calls.retain(|call| matches!(call.state, CallState::Started { .. }));
    calls.iter().map(|call| call.tool.as_str()).collect()
}

#[test]
fn su_3_it_hands_in_no_plan() {
    let mut play = started(Mode::Plan, &[starting("helper")]);
    let helper = play.child("helper");
    assert!(!offer_below(&play.tools_in(helper), Mode::Plan).iter().any(|tool| tool.identity.name == "exit_plan_mode"));
    play.reply_in(helper, "", &[plan("# Mine")]);
    assert!(play.head.requests.is_empty());
    assert!(result_of(&play, "exit_plan_mode").contains("it makes the plan"));
    play.reply_in(helper, "Three files.", &[]);
    assert!(texts(&play.view()).contains(&"Three files.".to_owned()), "what it found goes to its caller");
    play.reply(&[plan("# Ours")]);
    assert_eq!(play.head.requests.len(), 1);
}

/// D-15: the rest of what it says of standing approvals.
pub(crate) fn a_standing_approval_is_bound_to_its_profile() {
    let (mut play, helper) = helper_asks();
    play.answer(&[(0, for_conversation(Reach::Tool))]).unwrap();
    play.finish_first();
    play.reply_in(helper, "", &[call("write", "{\"n\":2}")]);
    assert_eq!(play.head.requests.len(), 0, "the same profile's tool");
    play.finish_first();
    play.reply_in(helper, "Done.", &[]);
    play.reply(&[call("write", "{\"n\":3}")]);
    assert_eq!(play.head.requests.len(), 1, "the caller's tool of the same name asks");
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    play.finish_first();
    play.reply(&[starting("helper")]);
    let again = play.child("helper");
    play.reply_in(again, "", &[call("write", "{\"n\":4}")]);
    assert_eq!(play.head.requests.len(), 0, "D-104: a later instance of the profile is covered");
}

#[test]
fn d_39_what_a_sub_agent_asks_is_the_conversations_and_the_innermost_goes_on_first() {
    let mut play = started(Mode::Default, &[starting("helper")]);
    let helper = play.child("helper");
    play.reply_in(helper, "", &[starting("diver")]);
    let diver = play.child("diver");
    play.reply_in(diver, "", &[call("write", "{\"n\":1}")]);
    assert_eq!(play.run_ends(), [RunEnd::Asked]);
    let request = play.head.requests_in_order()[0].clone();
    let asking = &play.head.calls[&request.call];
    assert_eq!(play.head.path_of(play.head.thread_of(asking)), ["helper", "diver"]);
    assert_eq!(play.standing_of(), [("helper", "suspended"), ("diver", "suspended"), ("write", "waiting")]);
    let step = play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    assert_eq!(play.standing_of(), [("helper", "started"), ("diver", "started"), ("write", "started")]);
    let run: Vec<&Act> =
        step.acts.iter().filter(|act| matches!(act, Act::RunCall { .. } | Act::CallModel { .. })).collect();
    assert_eq!(run.len(), 1, "only the innermost call begins: {run:?}");
    play.finish_first();
    assert!(play.acts.iter().any(|act| matches!(act, Act::CallModel { run, .. } if *run == diver)));
    play.reply_in(diver, "Dived.", &[]);
    assert!(play.acts.iter().any(|act| matches!(act, Act::CallModel { run, .. } if *run == helper)));
    play.reply_in(helper, "Helped.", &[]);
    assert_eq!(result_of(&play, "helper"), "Helped.");
    assert!(play.calls_model());
    play.reply(&[]);
    assert!(play.is_idle());
}

#[test]
fn d_40_it_inherits_the_mode_and_counts_its_own_rounds() {
    let mut play = started(Mode::Auto, &[starting("helper")]);
    let helper = play.child("helper");
    for n in 0..3 {
        play.reply_in(helper, "", &[call("write", &format!("{{\"n\":{n}}}"))]);
        assert!(play.head.requests.is_empty(), "Auto is inherited");
        play.finish_first();
    }
    assert_eq!(play.head.children[&helper].rounds, 3);
    assert_eq!(play.head.run.as_ref().unwrap().rounds, 1, "its rounds are its own");
    play.reply_in(helper, "", &[call("write", "{}")]);
    play.finish_first();
    play.reply_in(helper, "Enough.", &[]);
    assert!(play.calls_model(), "its limit of 4 ended it, not its caller");

    // A plan that is approved meanwhile changes nothing in it.
    let mut play = started(Mode::Plan, &[starting("scout")]);
    let scout = play.child("scout");
    play.reply_in(scout, "", &[call("peek", "{}")]);
    play.reply(&[plan("# Do it")]);
    let requests = play.head.requests_in_order();
    let at = requests.iter().position(|one| play.head.calls[&one.call].tool == "exit_plan_mode").unwrap();
    let other = 1 - at;
    play.answer(&[(at, into(Mode::Auto, Until::Stays)), (other, AnswerBody::Approve)]).unwrap();
    assert_eq!((play.head.conversation.mode, play.head.mode_in(Some(scout))), (Mode::Auto, Mode::Plan));
}

#[test]
fn d_81_a_suspended_call_never_vanishes() {
    let mut play = started(Mode::Default, &[starting("helper"), starting("helper")]);
    let helpers: Vec<RunId> = {
        let calls: Vec<CallId> = play.head.calls_in(None).iter().map(|call| call.id).collect();
        calls.iter().map(|call| play.head.started_by(*call).unwrap()).collect()
    };
    play.reply_in(helpers[0], "", &[call("set", "{\"k\":1}")]);
    assert_eq!(phase(&play), Some(Phase::Tools), "the other one is at work");
    play.reply_in(helpers[1], "", &[call("read", "{}")]);
    play.finish_first();
    play.reply_in(helpers[1], "", &[call("write", "{\"n\":2}")]);
    assert_eq!(play.run_ends(), [RunEnd::Asked], "it asks when all that had started has settled");
    // One is answered, the other is left.
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    assert_eq!(play.head.children.keys().collect::<Vec<_>>(), [&helpers[0]]);
    let left = result_of(&play, "helper");
    assert!(left.contains("the person moved on") && left.contains("1 call (read)"), "{left}");
    play.finish_first();
    play.reply_in(helpers[0], "Set.", &[]);
    let view = texts(&play.view());
    assert!(view.contains(&left) && view.contains(&"Set.".to_owned()), "{view:?}");
}

#[test]
fn d_93_a_sub_agent_is_one_run_from_start_to_end() {
    let (mut play, helper) = helper_asks();
    let first = play.log.iter().find_map(|change| match change {
        Change::RunStarted(run) if run.child.is_none() => Some(run.id),
        _ => None,
    });
    assert_eq!(play.head.children[&helper].phase, Phase::Suspended);
    assert_eq!(play.die(), [], "what waits is nothing to recovery");
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    let second = play.run();
    assert_ne!(Some(second), first);
    let executing = play.log.iter().rev().find_map(|change| match change {
        Change::CallStarted { run, .. } => Some(*run),
        _ => None,
    });
    assert_eq!(executing, Some(second), "a call names the conversation's run that executes it");
    play.finish_first();
    play.reply_in(helper, "", &[call("write", "{\"n\":2}")]);
    assert_eq!(play.head.children[&helper].rounds, 0, "answered batches cost no round here either");
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    play.finish_first();
    play.reply_in(helper, "Done.", &[]);
    let runs = play.log.iter().filter(|change| matches!(change, Change::RunStarted(run) if run.child.is_some()));
    assert_eq!(runs.count(), 1, "L-121: paused twice, resumed twice, one row");
}

#[test]
fn d_94_what_stands_behind_a_suspended_call_goes_on_with_it() {
    let mut play = started(Mode::Auto, &[starting("helper"), call("write", "{\"n\":2}")]);
    let helper = play.child("helper");
    play.reply_in(helper, "", &[call("ask", "{}")]);
    assert_eq!(play.standing_of(), [("helper", "suspended"), ("write", "approved"), ("ask", "waiting")]);
    assert!(play.resumable().is_empty(), "it is no call to be continued");
    let mut left = play.clone();
    play.answer(&[(0, AnswerBody::Data { value: "good".to_owned() })]).unwrap();
    assert_eq!(names(&play.executed()), ["helper"]);
    play.reply_in(helper, "Asked.", &[]);
    assert_eq!(names(&play.executed()), ["helper", "write"], "in order");

    let mut input = left.input();
    input.passes_by = Some(left.open().into_iter().map(countersign_core::input::Loss::Request).collect());
    input.text = Some("Else.".to_owned());
    left.start(input).unwrap();
    let dropped =
        left.ends().iter().any(|(tool, settled, _)| tool == "write" && matches!(settled, Settled::Dropped { .. }));
    assert!(dropped && names(&left.executed()) == ["helper"], "passed by: it is dropped, and needed no naming");
}

#[test]
fn d_95_recovery_goes_from_the_leaves_up() {
    // Something waits below: it stays suspended. The other one was at work: interrupted, and says what it had done.
    let mut play = started(Mode::Default, &[starting("helper"), starting("helper")]);
    let helpers: Vec<RunId> = {
        let calls: Vec<CallId> = play.head.calls_in(None).iter().map(|call| call.id).collect();
        calls.iter().map(|call| play.head.started_by(*call).unwrap()).collect()
    };
    play.reply_in(helpers[0], "", &[call("write", "{\"n\":1}")]);
    play.reply_in(helpers[1], "", &[call("read", "{}")]);
    play.finish_first();
    play.reply_in(helpers[1], "", &[call("remote", "{}")]);
    play.die();
    assert_eq!(play.standing_of(), [("helper", "suspended"), ("write", "waiting")]);
    let ended = result_of(&play, "helper");
    assert!(ended.contains("Interrupted") && ended.contains("2 calls (read, remote), 1 of unknown outcome"), "{ended}");
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    assert!(play.runs_calls() == 1, "answering resumes it");

    // Approved and not started in a sub-agent: it waits with it; letting it go stops it.
    let mut play = started(Mode::Auto, &[starting("helper")]);
    let helper = play.child("helper");
    play.reply_in(helper, "", &[call("write", "{\"n\":1}"), call("write", "{\"n\":2}")]);
    play.die();
    assert_eq!(play.standing_of(), [("helper", "suspended"), ("write", "approved")]);
    let calls = play.approved();
    play.give(Input::Drop { calls }).unwrap();
    assert!(play.is_idle());
    assert!(result_of(&play, "helper").contains("1 call (write), 1 of unknown outcome"));

    // A background agent's interruption is a message.
    let mut play = started(Mode::Default, &[starting("scout")]);
    play.die();
    assert!(matches!(&play.head.steering[..], [one] if one.from != Said::Person && one.text.contains("Interrupted")));
}

#[test]
fn field_l_109_nothing_below_a_plan_writes_at_any_depth() {
    let mut play = started(Mode::Plan, &[starting("helper")]);
    let helper = play.child("helper");
    play.reply_in(helper, "", &[starting("diver")]);
    let diver = play.child("diver");
    let offered = offer_below(&play.tools_in(diver), play.head.mode_in(Some(diver)));
    assert!(offered.iter().all(|tool| tool.marks.has(countersign_core::tool::Mark::ReadOnly)));
    play.reply_in(diver, "", &[call("write", "{}"), call("shell", "{}"), call("set", "{}")]);
    assert_eq!(names_of_started(&play), ["helper", "diver"], "none of them runs");
    assert!(play.head.requests.is_empty());
}

#[tokio::test]
async fn field_l_116_a_nested_request_surfaces_and_its_approval_ends_nothing() {
    let mut house = House::with_agents(Mode::Default).await;
    house.wardrobe.script_of(HELPER).will([calls(&[house::starting("diver")])]);
    house.wardrobe.script_of(DIVER).will([calls(&[house::call("write", "{\"n\":1}")])]);
    house.script.will([calls(&[house::starting("helper")])]);
    let head = house.say("Go.").await;
    let waiting = house.engine.store().waiting_calls(house.conversation).await.unwrap();
    let path = house.engine.store().path_of(waiting[0].call.proposed_by).await.unwrap();
    let path: Vec<&str> = path.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!((head.requests.len(), waiting.len(), path), (1, 1, vec!["helper", "diver"]));
    let mut house = house.again().await;
    house.wardrobe.script_of(DIVER).will([Turn::Says(house::words("Dived."))]);
    house.wardrobe.script_of(HELPER).will([Turn::Says(house::words("Helped."))]);
    house.answer(&[(0, AnswerBody::Approve)]).await;
    assert_eq!((house.ran(), house.last_end().await), (vec!["write".to_owned()], Some(RunEnd::Completed)));
    let last = house.script.last();
    let told = format!("{:?}", last.messages);
    assert!(told.contains("Helped.") && !told.contains("Dived."), "the caller gets its own sub-agent's answer: {told}");
}

#[test]
fn field_l_118_auto_reaches_down_and_nothing_waits_unseen() {
    let mut play = started(Mode::Auto, &[starting("helper")]);
    let helper = play.child("helper");
    play.reply_in(helper, "", &[starting("diver")]);
    let diver = play.child("diver");
    play.reply_in(diver, "", &[call("write", "{}"), call("ask", "{}")]);
    let asks: Vec<&str> = play.head.requests.values().map(|one| play.head.calls[&one.call].tool.as_str()).collect();
    assert_eq!(asks, ["ask"], "what Auto doesn't answer is a request of the conversation");
    play.answer(&[(0, AnswerBody::Data { value: "good".to_owned() })]).unwrap();
    assert_eq!(names(&play.executed()), ["helper", "diver", "write"]);
    // Stricter at once, all the way down (D-82).
    play.finish_first();
    play.give(Input::Tighten { mode: Mode::Default }).unwrap();
    play.reply_in(diver, "", &[call("write", "{\"n\":2}")]);
    assert_eq!(play.head.requests.len(), 1);
}

#[test]
fn field_l_121_every_pause_of_a_sub_agent_is_resumed() {
    let (mut play, helper) = helper_asks();
    for n in 2..4 {
        play.answer(&[(0, AnswerBody::Approve)]).unwrap();
        play.finish_first();
        play.reply_in(helper, "", &[call("write", &format!("{{\"n\":{n}}}"))]);
    }
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    play.finish_first();
    play.reply_in(helper, "Done.", &[]);
    let resumed = play.log.iter().filter(|change| matches!(change, Change::CallResumed { .. })).count();
    assert_eq!((resumed, names(&play.executed())), (3, vec!["helper", "write", "write", "write"]));
    assert_eq!(result_of(&play, "helper"), "Done.");
}

#[tokio::test]
async fn field_l_122_an_approval_is_no_new_task() {
    let mut house = House::with_agents(Mode::Default).await;
    house.wardrobe.script_of(HELPER).will([calls(&[house::call("write", "{}")])]);
    house.script.will([calls(&[house::starting("helper")])]);
    house.say("Go.").await;
    let (root, helper) = (house.script.calls(), house.wardrobe.script_of(HELPER).calls());
    house.answer(&[(0, AnswerBody::Approve)]).await;
    assert_eq!(house.wardrobe.script_of(HELPER).calls(), helper + 1, "it goes on once");
    assert_eq!(house.script.calls(), root + 1, "and its caller is called once, with the answer");
    let started = house.commits().into_iter().flatten();
    let started = started.filter(|change| matches!(change, Change::RunStarted(run) if run.child.is_some()));
    assert_eq!(started.count(), 1, "no new delegation");
}

/// D-109: the caps of a run and all below it.
pub(crate) fn breadth_is_bounded() {
    // Eight at work beside a run, and the ninth is told so.
    let mut play = started(Mode::Default, &vec![starting("scout"); 9]);
    assert_eq!(play.head.working_beside(), 8);
    assert!(result_of(&play, "scout").contains("as many agents work beside"));
    play.give(Input::Stop).unwrap();

    // A profile can have less, and never more.
    let less = countersign_core::run::Caps { model_calls: 900, agents: 1, beside: 900 };
    assert_eq!(less.clamped(), countersign_core::run::Caps { model_calls: 200, agents: 1, beside: 8 });
    let mut play = Play::with_agents(Mode::Default);
    let mut input = play.input();
    input.text = Some("Go.".to_owned());
    input.caps = less;
    play.start(input).unwrap();
    play.reply(&[starting("helper"), starting("helper")]);
    assert_eq!(play.head.children.len(), 1);
    assert!(result_of(&play, "helper").contains("as many agents as it may"));

    // Fifty below a run.
    let mut play = Play::with_agents(Mode::Default);
    play.limit = 200;
    play.say("Go.").unwrap();
    for _ in 0..50 {
        play.reply(&[starting("helper")]);
        let helper = play.child("helper");
        play.reply_in(helper, "Done.", &[]);
    }
    play.reply(&[starting("helper")]);
    assert!(play.head.children.is_empty() && result_of(&play, "helper").contains("as many agents as it may"));

    // Two hundred model calls, all threads counted; then the run ends at its limit, and whoever was at work is cut off.
    let mut play = Play::with_agents(Mode::Auto);
    play.limit = 300;
    play.say("Go.").unwrap();
    play.reply(&[starting("scout")]);
    while play.head.run.is_some() {
        let root = play.run();
        let runs = play.waits_for_model();
        let Some(run) = runs.iter().find(|run| **run == root) else { panic!("the run hangs") };
        play.reply_in(*run, "", &[call("read", "{}")]);
        if !play.started().is_empty() {
            play.finish(play.started()[0], OutcomeKind::Succeeded);
        }
    }
    let replies = play.log.iter().filter(|change| matches!(change, Change::MessageAdded(message) if matches!(message.body, MessageBody::Assistant { .. })));
    assert!(replies.count() <= 200);
    assert_eq!(play.run_ends().last(), Some(&RunEnd::Limit));
    assert!(play.head.children.is_empty());
}
