//! Sending: all or nothing, with every refusal in words and nothing lost.

use countersign_api::commands::request;
use countersign_api::wire::conversation::{ConversationRow, ConversationState, Send, SentAnswer};
use countersign_api::wire::inbox::{Decision, DetailState, Mode, Reach};
use countersign_api::wire::window::{ApiError, Snapshot, Space};

use crate::house::{House, calls, says};

fn text(conversation: &str, text: &str, passes_by: Vec<String>) -> Send {
    let (conversation, text) = (conversation.to_owned(), Some(text.to_owned()));
    Send { conversation, answers: Vec::new(), text, mode: None, auto_until: None, passes_by }
}

/// RT-2, RT-6, RT-7, AN-3.
#[tokio::test]
async fn an_approved_call_runs_once_and_the_conversation_goes_on() {
    let command = r#"{"command":"ls"}"#;
    let house = House::new([calls(&[("run_command", command)]), says("There it is.")]).await;
    let set = house.ask("What is here?").await;
    assert_eq!(house.ran(), Vec::<String>::new(), "nothing runs before the answer");
    house.answer(&set, &[(0, Decision::Approve)]).await.unwrap();
    house.rest(&set.conversation).await;
    assert_eq!(house.ran(), [format!("run_command {command}")]);
    assert_eq!(house.stage.prompts.lock().unwrap().len(), 2, "one model call asks, one answers");
    match house.detail(&set.rows[0].id).await.state {
        DetailState::Closed { label, outcome, expired, .. } => {
            assert_eq!((label.as_str(), outcome.as_deref(), expired), ("Approved by you", Some("ran ok"), false));
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn surface_07_what_has_an_open_request_is_never_shown_as_running() {
    let house = House::new([calls(&[("run_command", r#"{"command":"ls"}"#)])]).await;
    let set = house.ask("one").await;
    let waits = |snapshot: &Snapshot| {
        let row = snapshot.conversations.iter().find(|row| row.id == set.conversation)?;
        matches!(row.state, ConversationState::Waiting).then_some(())
    };
    house.until("it waits", waits).await;
    let house = house.restart().await;
    house.until("it waits after a restart", waits).await;
}

/// What was approved is running at once, and whoever else asks is answered meanwhile.
#[tokio::test]
async fn field_l_143_a_long_call_is_shown_as_running_and_others_go_on() {
    let ask = || calls(&[("run_command", r#"{"command":"sleep 60"}"#)]);
    let house = House::new([ask(), ask(), says("one"), says("two")]).await;
    let (first, second) = (house.ask("one").await, house.ask("two").await);
    let tools = house.hold_tools();
    for set in [&first, &second] {
        house.answer(set, &[(0, Decision::Approve)]).await.unwrap();
        let runs = |snapshot: &Snapshot| {
            let row = snapshot.conversations.iter().find(|row| row.id == set.conversation)?;
            let ConversationState::Running { doing, .. } = &row.state else { return None };
            (!doing.is_empty() && snapshot.sets.iter().all(|other| other.id != set.id)).then_some(())
        };
        house.until("it runs, and its card is gone", runs).await;
    }
    let running = |row: &ConversationRow| matches!(row.state, ConversationState::Running { .. });
    assert!(house.snapshot().await.conversations.iter().all(running), "both are still at it");
    drop(tools);
    house.rest(&first.conversation).await;
    house.rest(&second.conversation).await;
    assert_eq!(house.ran().len(), 2);
}

/// CL-10, CL-12: a stale answer is told why, changes nothing, and its valid sibling isn't executed.
#[tokio::test]
async fn accept_02_one_closed_answer_voids_the_whole_sending() {
    let house = House::new([calls(&[("run_command", r#"{"command":"a"}"#)]), says("done")]).await;
    let first = house.ask("one").await;
    let digest = house.digest(&first.rows[0].id).await;
    house.answer(&first, &[(0, Decision::Approve)]).await.unwrap();
    house.rest(&first.conversation).await;
    house.stage.replies.lock().unwrap().push_back(calls(&[("run_command", r#"{"command":"b"}"#)]));
    house.send(text(&first.conversation, "again", Vec::new())).await.unwrap();
    let second = house.set_of(&first.conversation).await;
    let stale = SentAnswer { request: first.rows[0].id.clone(), digest, decision: Decision::Approve };
    let fresh = SentAnswer {
        request: second.rows[0].id.clone(),
        digest: house.digest(&second.rows[0].id).await,
        decision: Decision::Approve,
    };
    let conversation = first.conversation.clone();
    let send = Send {
        conversation,
        answers: vec![stale, fresh],
        text: None,
        mode: None,
        auto_until: None,
        passes_by: Vec::new(),
    };
    match house.send(send).await {
        Err(ApiError::ApprovalClosed { closed, .. }) => {
            assert_eq!(closed.len(), 1);
            assert_eq!(closed[0].label, "Already answered");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(house.ran().len(), 1, "the valid answer beside it was not executed");
    let set = house.set_of(&first.conversation).await;
    assert!(set.refused.unwrap().text.starts_with("1 of 2 answers had expired"), "the set says why");
    house.answer(&second, &[(0, Decision::Approve)]).await.unwrap();
    house.rest(&first.conversation).await;
    assert_eq!(house.ran().len(), 2, "sending again without it works (CL-13)");
}

/// D-83, CL-4, CL-5.
#[tokio::test]
async fn accept_04_a_message_passes_requests_by_only_if_the_person_was_told() {
    let house = House::new([calls(&[("run_command", r#"{"command":"a"}"#)]), says("fine")]).await;
    let set = house.ask("one").await;
    let request = set.rows[0].id.clone();
    let digest = house.digest(&request).await;
    match house.send(text(&set.conversation, "never mind", Vec::new())).await {
        Err(ApiError::WouldPassBy { ids, .. }) => assert_eq!(ids, std::slice::from_ref(&request)),
        other => panic!("{other:?}"),
    }
    assert_eq!(house.set_of(&set.conversation).await.rows[0].id, request, "it still waits");
    house.send(text(&set.conversation, "never mind", vec![request.clone()])).await.unwrap();
    house.rest(&set.conversation).await;
    let closed = house.snapshot().await.closed;
    assert_eq!((closed[0].id.clone(), closed[0].label.as_str()), (request.clone(), "Expired: conversation moved on"));
    let late = request::stage { id: request.clone(), decision: Decision::Approve, digest };
    match house.app.stage(Space::Main, late).await {
        Err(ApiError::ApprovalClosed { closed, .. }) => assert_eq!(closed[0].label, "Expired: conversation moved on"),
        other => panic!("{other:?}"),
    }
    let prompts = house.stage.prompts.lock().unwrap();
    let last = format!("{:?}", prompts.last().unwrap().messages);
    assert!(!last.contains("run_command"), "for the model the call was never made: {last}");
}

/// D-77.
#[tokio::test]
async fn accept_09_an_answer_to_something_else_than_what_is_stored_is_refused() {
    let house = House::new([calls(&[("run_command", r#"{"command":"a"}"#)])]).await;
    let set = house.ask("one").await;
    let answer = SentAnswer { request: set.rows[0].id.clone(), digest: "0".repeat(64), decision: Decision::Approve };
    let conversation = set.conversation.clone();
    let send =
        Send { conversation, answers: vec![answer], text: None, mode: None, auto_until: None, passes_by: Vec::new() };
    assert!(matches!(house.send(send).await, Err(ApiError::DigestMismatch { .. })));
    assert_eq!(house.ran(), Vec::<String>::new());
    assert_eq!(house.set_of(&set.conversation).await.rows.len(), 1);
}

/// SA-2, D-73: the reach is what the person said; revoking makes the next call ask.
#[tokio::test]
async fn accept_15_surface_26_a_standing_approval_reaches_as_far_as_was_said_and_can_be_revoked() {
    let (same, other) = (r#"{"command":"ls"}"#, r#"{"command":"pwd"}"#);
    let house = House::new([
        calls(&[("run_command", same)]),
        calls(&[("run_command", same)]),
        calls(&[("run_command", other)]),
    ])
    .await;
    let set = house.ask("one").await;
    let exact = Decision::ApproveForConversation { reach: Reach::Exact, any_command: false };
    house.answer(&set, &[(0, exact)]).await.unwrap();
    let set = house
        .until("the other command asks", |snapshot| {
            snapshot.sets.iter().find(|now| now.rows[0].id != set.rows[0].id).cloned()
        })
        .await;
    assert_eq!(house.ran().len(), 2, "the same call ran by the standing approval");
    let standing = house.app.standing(Space::Main, request::standing {}).await.unwrap();
    assert_eq!((standing.len(), standing[0].used, standing[0].reach.as_str()), (1, 1, "this exact call"));
    house.app.revoke(Space::Main, request::revoke { id: standing[0].id.clone() }).await.unwrap();
    house.stage.replies.lock().unwrap().push_back(calls(&[("run_command", same)]));
    house.answer(&set, &[(0, Decision::Reject { reason: None })]).await.unwrap();
    house
        .until("the same call asks again", |snapshot| {
            snapshot.sets.iter().find(|now| now.rows[0].id != set.rows[0].id).cloned()
        })
        .await;
    let unticked = Decision::ApproveForConversation { reach: Reach::Tool, any_command: false };
    let set = house.set_of(&set.conversation).await;
    assert!(
        matches!(house.answer(&set, &[(0, unticked)]).await, Err(ApiError::Refused { .. })),
        "any command needs its own tick"
    );
}

/// D-73: a command of several parts is never approved for any arguments.
#[tokio::test]
async fn surface_28_a_command_of_several_parts_is_offered_exactly_as_it_is() {
    let house = House::new([calls(&[("run_command", r#"{"command":"ls && rm -rf x"}"#)])]).await;
    let set = house.ask("one").await;
    assert_eq!(house.detail(&set.rows[0].id).await.reaches, [Reach::Exact]);
    let any = Decision::ApproveForConversation { reach: Reach::Tool, any_command: true };
    assert!(matches!(house.stage_decision(&set.rows[0].id, any.clone()).await, Err(ApiError::Refused { .. })));
    assert!(matches!(house.answer(&set, &[(0, any)]).await, Err(ApiError::Refused { .. })));
}

/// PL-6 to PL-9, D-74.
#[tokio::test]
async fn accept_17_surface_43_a_plan_goes_back_and_then_into_auto_until_the_run_ends() {
    let plan = |text: &str| calls(&[("exit_plan_mode", &format!(r##"{{"plan":"# {text}\n\n1. one\n2. two"}}"##))]);
    let house = House::new([plan("First"), plan("Second"), calls(&[("run_command", r#"{"command":"ls"}"#)])]).await;
    let start = request::start_conversation {
        agent: house.agent.clone(),
        text: Some("plan it".to_owned()),
        mode: Some(Mode::Plan),
        auto_until: None,
    };
    let row = house.app.start_conversation(Space::Main, start).await.unwrap();
    let set = house.set_of(&row.id).await;
    let reason = Some("shorter".to_owned());
    house.answer(&set, &[(0, Decision::Reject { reason })]).await.unwrap();
    let first = set.rows[0].id.clone();
    let set = house
        .until("the second plan waits", |snapshot| snapshot.sets.iter().find(|set| set.rows[0].id != first).cloned())
        .await;
    assert_eq!(set.mode, Mode::Plan, "a plan that was sent back leaves the mode");
    assert!(format!("{:?}", house.stage.prompts.lock().unwrap().last().unwrap().messages).contains("shorter"));
    let into = Decision::ApprovePlan { into: Mode::Auto, only_this_plan: true, ends_at: None };
    house.answer(&set, &[(0, into)]).await.unwrap();
    house.rest(&row.id).await;
    assert_eq!(house.ran(), [r#"run_command {"command":"ls"}"#], "in Auto it ran without asking");
    let row = house.snapshot().await.conversations[0].clone();
    assert_eq!(row.mode, Mode::Default, "and with the run the mode is Default again");
}

/// ST-1, M-23, D-83, D-89: words to a run are taken with its next model call; too late they are refused, and what a run that
/// ended hadn't taken is in the composer again.
#[tokio::test]
async fn words_to_a_run_are_taken_or_come_back() {
    let house = House::new([calls(&[("run_command", r#"{"command":"a"}"#)])]).await;
    let set = house.ask("one").await;
    let conversation = set.conversation.clone();
    let steer = |text: &str| request::steer { conversation: conversation.clone(), text: text.to_owned() };
    match house.app.steer(Space::Main, steer("too late")).await {
        Err(ApiError::NotRunning { .. }) => {}
        other => panic!("{other:?}"),
    }
    let held = house.hold_tools();
    house.answer(&set, &[(0, Decision::Approve)]).await.unwrap();
    house.app.steer(Space::Main, steer("and quickly")).await.unwrap();
    let row = house.snapshot().await.conversations[0].clone();
    assert_eq!(row.steering.len(), 1, "it is seen to wait");
    drop(held);
    house.rest(&conversation).await;
    let last = format!("{:?}", house.stage.prompts.lock().unwrap().last().unwrap().messages);
    assert!(last.contains("and quickly"), "the next model call has it: {last}");

    house.stage.replies.lock().unwrap().push_back(calls(&[("run_command", r#"{"command":"b"}"#)]));
    house.send(text(&conversation, "again", Vec::new())).await.unwrap();
    let set = house.set_of(&conversation).await;
    let held = house.hold_tools();
    house.answer(&set, &[(0, Decision::Approve)]).await.unwrap();
    house.app.steer(Space::Main, steer("never taken")).await.unwrap();
    house.app.stop(Space::Main, request::stop { conversation: conversation.clone() }).await.unwrap();
    drop(held);
    house.rest(&conversation).await;
    let kept = house.app.kept_draft(Space::Main, request::kept_draft { conversation }).await.unwrap();
    assert_eq!(kept, "never taken");
}

/// D-79, D-110: the card says that the same call was rejected before; after three rejections it is rejected by itself, and what
/// the person says anew starts afresh.
#[tokio::test]
async fn the_same_call_again_is_said_and_at_last_rejected() {
    let same = || calls(&[("run_command", r#"{"command":"ls"}"#)]);
    let house = House::new([same(), same(), same(), same(), says("I stop")]).await;
    let mut set = house.ask("one").await;
    assert_eq!(set.rows[0].rejected_at, None);
    for round in 0..3 {
        let before = set.rows[0].id.clone();
        house.answer(&set, &[(0, Decision::Reject { reason: None })]).await.unwrap();
        if round == 2 {
            break;
        }
        set = house
            .until("it asks again", |snapshot| snapshot.sets.iter().find(|set| set.rows[0].id != before).cloned())
            .await;
        assert!(set.rows[0].rejected_at.is_some(), "the row says so");
        assert!(house.detail(&set.rows[0].id).await.rejected_at.is_some(), "and the card");
    }
    house.rest(&set.conversation).await;
    assert!(house.snapshot().await.sets.is_empty(), "the fourth isn't asked any more");
    let page = house.app.history(Space::Main, request::history { before: None, query: String::new() }).await.unwrap();
    assert_eq!(page.rows.len(), 4);
    assert!(format!("{:?}", page.rows[0].by).contains("repeated after three rejections"));
    house.stage.replies.lock().unwrap().push_back(same());
    house.send(text(&set.conversation, "do it after all", Vec::new())).await.unwrap();
    let again = house.set_of(&set.conversation).await;
    assert_eq!(again.rows[0].rejected_at, None, "a new word of the person starts afresh");
}
