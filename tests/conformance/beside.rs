//! BG, and what D says of background agents and of answers that wait for a run to end; CL-6 and CL-7.

use countersign_core::answer::AnswerBody;
use countersign_core::change::{Act, Change, MessageBody, Returned};
use countersign_core::ids::RunId;
use countersign_core::input::{Input, Refusal};
use countersign_core::mode::Mode;
use countersign_core::request::{ClosedReason, Closing, PassedBy};
use countersign_core::run::{Phase, RunEnd};
use countersign_core::transcript::{Meanwhile, ViewItem};

use crate::agents::{phase, result_of, started, texts};
use crate::house::{self, House, SCOUT, Turn, calls};
use crate::play::{Play, call, names, reject, starting};

/// A run that has asked to write while a scout is at work beside it, and the scout's run.
fn asks_beside() -> (Play, RunId) {
    let mut play = started(Mode::Default, &[starting("scout")]);
    let scout = play.child("scout");
    play.reply(&[call("write", "{\"n\":1}")]);
    (play, scout)
}

#[test]
fn bg_1_its_answer_leaves_every_request_open() {
    let (mut play, scout) = asks_beside();
    let open = play.open();
    play.reply_in(scout, "All quiet.", &[]);
    assert_eq!((play.open(), open.len()), (open.clone(), 1));
}

#[test]
fn bg_2_a_run_that_asked_ends_when_nobody_is_at_work_beside_it() {
    let (mut play, scout) = asks_beside();
    assert_eq!(phase(&play), Some(Phase::Asked));
    play.reply_in(scout, "", &[call("read", "{}")]);
    assert_eq!(phase(&play), Some(Phase::Asked), "it is at work");
    play.finish_first();
    play.reply_in(scout, "All quiet.", &[]);
    assert_eq!(play.run_ends(), [RunEnd::Completed, RunEnd::Asked]);
    assert!(!play.calls_model(), "nobody calls the model over an unanswered call");
}

#[test]
fn cl_6_words_after_the_ask_close_it_once_they_were_replied_to() {
    let (mut play, scout) = asks_beside();
    let request = *play.open().first().unwrap();
    play.give(Input::Steer { text: "Don't.".to_owned() }).unwrap();
    assert!(play.calls_model() && play.open().contains(&request), "both halves are needed");
    play.reply(&[]);
    assert!(!play.open().contains(&request));
    assert_eq!(play.closed[&request], ClosedReason::PassedBy);
    assert!(!texts(&play.view()).iter().any(|text| text.contains("write")), "the call was never made");
    play.reply_in(scout, "Done.", &[]);
}

#[test]
fn cl_7_background_results_close_nothing() {
    let mut play = started(Mode::Default, &[starting("scout"), starting("scout")]);
    let scouts: Vec<RunId> = play.head.children.keys().copied().collect();
    play.reply_in(scouts[0], "", &[call("write", "{}")]);
    let open = play.open();
    play.reply_in(scouts[1], "Quiet here.", &[]);
    play.reply(&[]);
    assert_eq!(play.open(), open, "neither another agent's answer nor the reply to it");
}

#[test]
fn d_08_an_answer_waits_for_the_run_to_end() {
    let (mut play, scout) = asks_beside();
    let request = *play.open().first().unwrap();
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    assert!(play.open().contains(&request) && play.executed().len() == 1, "it closes and runs nothing yet");
    play.reply_in(scout, "Quiet.", &[]);
    assert!(play.acts.iter().any(|act| matches!(act, Act::StartQueued)));
    assert!(play.open().contains(&request));
    play.give(Input::StartQueued(play.input())).unwrap();
    assert_eq!(play.closed[&request], ClosedReason::Answered);
    assert_eq!(names(&play.executed()), ["scout", "write"]);

    // Words that overtake it make it a draft, and it is told so.
    let (mut play, scout) = asks_beside();
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    play.give(Input::Steer { text: "Never mind.".to_owned() }).unwrap();
    play.reply(&[]);
    play.reply_in(scout, "Quiet.", &[]);
    play.reply(&[]);
    let step = play.give(Input::StartQueued(play.input())).unwrap();
    assert!(matches!(&step.changes[..], [Change::AnswersReturned { why: Returned::Refused { .. } }]), "{step:?}");
    assert!(play.head.run.is_none() && play.acts.is_empty(), "nothing starts by itself");
}

#[test]
fn d_10_what_words_close_is_passed_by() {
    let (mut play, _) = asks_beside();
    play.give(Input::Steer { text: "Don't.".to_owned() }).unwrap();
    let step = play.reply(&[]);
    let closings: Vec<&Closing> = step
        .changes
        .iter()
        .filter_map(|change| match change {
            Change::RequestClosed { closing, .. } => Some(closing),
            _ => None,
        })
        .collect();
    assert_eq!(closings, [&Closing::PassedBy { by: PassedBy::Steering }]);
}

#[test]
fn d_41_what_a_background_agent_says_comes_after_the_results_and_before_new_text() {
    let (mut play, scout) = asks_beside();
    play.reply_in(scout, "All quiet.", &[]);
    let mut input = play.input();
    input.answers = play.answers(&[(0, AnswerBody::Approve)]);
    input.text = Some("And then stop.".to_owned());
    play.start(input).unwrap();
    play.finish_first();
    let view = texts(&play.view());
    let place =
        |part: &str| view.iter().position(|text| text.contains(part)).unwrap_or_else(|| panic!("{part}: {view:?}"));
    assert!(place("result of") < place("All quiet.") && place("All quiet.") < place("And then stop."));
}

#[test]
fn d_80_a_background_agent_that_asks_is_suspended() {
    let mut play = started(Mode::Default, &[starting("scout")]);
    let scout = play.child("scout");
    play.reply_in(scout, "", &[call("write", "{\"n\":1}")]);
    assert_eq!(phase(&play), Some(Phase::Model), "the run goes on");
    play.reply(&[]);
    assert_eq!(play.run_ends(), [RunEnd::Asked], "it ends, and something asks");
    let mut left = play.clone();
    play.answer(&[(0, AnswerBody::Approve)]).unwrap();
    assert_eq!(phase(&play), Some(Phase::Background), "it is resumed as a background agent");
    play.finish_first();
    play.reply_in(scout, "Written.", &[]);
    assert!(texts(&play.view()).iter().any(|text| text.contains("Written.")));

    // A further run that doesn't answer stops it.
    left.say("Something else.").unwrap();
    assert!(left.head.children.is_empty() && left.head.requests.is_empty());
    let said = texts(&left.view());
    assert!(said.iter().any(|text| text.contains("the person moved on")), "{said:?}");

    // Words that the run's own model replied to close only its own requests.
    let mut play = started(Mode::Default, &[starting("scout"), starting("scout")]);
    let scouts: Vec<RunId> = play.head.children.keys().copied().collect();
    play.reply_in(scouts[0], "", &[call("write", "{\"n\":1}")]);
    play.reply(&[call("write", "{\"n\":2}")]);
    play.give(Input::Steer { text: "Don't.".to_owned() }).unwrap();
    play.reply(&[]);
    let open: Vec<&str> =
        play.head.requests.values().map(|one| play.head.calls[&one.call].arguments.as_str()).collect();
    assert_eq!(open, ["{\"n\":1}"]);
}

#[test]
fn d_96_a_model_that_is_called_while_calls_wait_isnt_shown_them() {
    let mut play = started(Mode::Default, &[starting("scout")]);
    play.reply(&[starting("helper")]);
    let helper = play.child("helper");
    play.reply_in(helper, "", &[call("write", "{}")]);
    assert_eq!(phase(&play), Some(Phase::Asked));
    play.give(Input::Steer { text: "Leave it.".to_owned() }).unwrap();
    let meanwhile = Meanwhile::of(&play.head, None);
    let view: Vec<ViewItem> =
        play.transcript.view(Some(&meanwhile)).unwrap().iter().map(|item| ViewItem::clone(item)).collect();
    let shown = texts(&view);
    assert!(
        shown.iter().any(|text| text.contains("the person moved on")),
        "a suspended one has its stop text: {shown:?}"
    );
    assert!(play.head.has_suspended(None) && play.open().len() == 1, "nothing of that is stored");
    // It fails: everything stays open (D-09).
    let mut failed = play.clone();
    failed.fail_model();
    assert!(failed.open().len() == 1 && failed.head.has_suspended(None));
    play.reply(&[]);
    assert!(play.open().is_empty() && !play.head.has_suspended(None), "replied to, it becomes true");

    let (mut play, _) = asks_beside();
    play.give(Input::Steer { text: "Leave it.".to_owned() }).unwrap();
    let view = play.transcript.view(Some(&Meanwhile::of(&play.head, None))).unwrap();
    let calls = view.iter().any(|item| matches!(item.as_ref(), ViewItem::Assistant { calls, .. } if calls.iter().any(|call| call.name == "write")));
    assert!(!calls, "one that waits is as if it had never been made");
}

#[test]
fn d_99_a_background_agents_call_has_its_result_at_once() {
    let mut play = started(Mode::Default, &[starting("scout")]);
    let scout = play.child("scout");
    assert!(result_of(&play, "scout").contains("scout 1"), "it is told its name");
    assert!(play.calls_model(), "the run goes on beside it");
    play.reply(&[]);
    assert_eq!(phase(&play), Some(Phase::Background), "nothing to say, and somebody is at work");
    play.reply_in(scout, "Quiet.", &[]);
    assert!(play.calls_model(), "its message leads to the model");
    let results = play.ends().iter().filter(|(tool, ..)| tool == "scout").count();
    assert_eq!(results, 1, "never a second result");
    let message = play.log.iter().any(|change| matches!(change, Change::MessageAdded(message) if matches!(&message.body, MessageBody::Agent { name, .. } if name == "scout 1")));
    assert!(message);
    play.reply(&[]);
    assert!(play.is_idle());
    // Nothing new for the model: refused, here and in a conversation in which nothing was said yet.
    assert!(matches!(play.start(play.input()), Err(Refusal::IllegalInput { .. })));
    let mut empty = Play::new(Mode::Default);
    assert!(matches!(empty.start(empty.input()), Err(Refusal::IllegalInput { .. })));
}

#[test]
fn d_100_one_queued_input_a_conversation() {
    let mut play = started(Mode::Default, &[starting("scout")]);
    let scout = play.child("scout");
    play.reply(&[call("write", "{\"n\":1}"), call("write", "{\"n\":2}")]);
    let mut first = play.input();
    first.answers = play.answers(&[(0, AnswerBody::Approve)]);
    first.text = Some("One.".to_owned());
    first.passes_by = Some(play.open().into_iter().map(countersign_core::input::Loss::Request).collect());
    play.start(first.clone()).unwrap();
    let told = play.start(first);
    assert!(
        matches!(told, Err(Refusal::ApprovalClosed(gone)) if gone[0].1 == ClosedReason::Answered),
        "answered in the queue"
    );
    let mut second = play.input();
    second.answers = play.answers(&[(1, reject("no"))]);
    second.text = Some("Two.".to_owned());
    second.mode = Some(Mode::Auto);
    play.start(second).unwrap();
    let queued = play.head.queued.clone().unwrap();
    assert_eq!((queued.answers.len(), queued.text.as_deref(), queued.mode), (2, Some("One.\nTwo."), Some(Mode::Auto)));
    assert!(queued.passes_by.unwrap().is_empty(), "less what is answered");
    let mut back = play.clone();
    back.give(Input::ReturnQueued { why: Returned::TakenBack }).unwrap();
    assert!(back.head.queued.is_none() && back.open().len() == 2);
    let mut died = play.clone();
    died.die();
    assert!(died.head.queued.is_none() && died.open().len() == 2, "D-89: drafts again after a restart");
    play.reply_in(scout, "Quiet.", &[]);
    play.give(Input::StartQueued(play.input())).unwrap();
    assert_eq!((names(&play.executed()), play.head.conversation.mode), (vec!["scout", "write"], Mode::Auto));
}

#[tokio::test]
async fn field_l_119_a_background_agents_call_is_never_denied_in_silence() {
    let mut house = House::with_agents(Mode::Default).await;
    house.wardrobe.script_of(SCOUT).will([calls(&[house::call("write", "{\"n\":1}")])]);
    house.script.will([calls(&[house::starting("scout")])]);
    house.say("Go.").await;
    assert_eq!((house.open_requests().await.len(), house.last_end().await), (1, Some(RunEnd::Asked)));
    let mut house = house.again().await;
    assert_eq!(house.open_requests().await.len(), 1, "nothing of it was in memory");
    house.wardrobe.script_of(SCOUT).will([Turn::Says(house::words("Written."))]);
    house.answer(&[(0, AnswerBody::Approve)]).await;
    assert_eq!(house.ran(), ["write"]);
    assert!(format!("{:?}", house.script.last().messages).contains("Written."));
}
