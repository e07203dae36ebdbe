//! D-86, D-75 and M-26: what somebody else's process holds open while a call is executed, at the level of the engine and its port.

use countersign_core::answer::{Answer, AnswerBody};
use countersign_core::call::{CallState, Settled};
use countersign_core::change::Change;
use countersign_core::digest::Digest;
use countersign_core::input::{Input, Refusal, RunInput};
use countersign_core::mode::Mode;
use countersign_core::request::{ClosedReason, Closing, Held, PassedBy, RequestKind};
use countersign_core::run::RunEnd;
use countersign_core::tool::{Declared, Origin};
use countersign_engine::error::EngineError;

use crate::house::{House, TICKET, call, calls, helpdesk, listed_input, starting, text_input};

async fn asked(mode: Mode) -> (House, Held) {
    let mut house = House::new(mode).await;
    let held = house.asked_by_server("{}").await;
    (house, held)
}

fn data(value: &str) -> AnswerBody {
    AnswerBody::Data { value: value.to_owned() }
}

async fn state_of_call(house: &House, held: &Held) -> CallState {
    house.engine.store().call(held.request.call).await.unwrap().unwrap().state
}

async fn closing(house: &House, held: &Held) -> Closing {
    let fact = house.engine.store().held_fact(held.request.id.0).await.unwrap().unwrap();
    fact.question.closed.expect("it is closed").0
}

const WITHDRAWN: Closing = Closing::PassedBy { by: PassedBy::Withdrawn };

fn closed_as(outcome: Result<(), EngineError>, held: &Held) -> Option<ClosedReason> {
    match outcome {
        Err(EngineError::Refused(Refusal::ApprovalClosed(closed))) => {
            closed.iter().find(|(request, _)| *request == held.request.id).map(|(_, reason)| *reason)
        }
        _ => None,
    }
}

#[tokio::test]
async fn d_86_what_a_server_asks_is_answered_in_place_and_withdrawn_with_it() {
    a_server_asks_while_its_call_is_executed().await;
    it_is_answered_in_place_and_its_run_goes_on().await;
    a_surface_that_names_no_loss_answers_it_too().await;
    words_to_the_run_leave_it_open().await;
    data_is_checked_before_anything_closes().await;
    it_holds_nothing_back_and_is_held_back_by_nothing().await;
    a_late_answer_is_told_like_any_other().await;
    the_next_start_withdraws_what_a_dead_process_held().await;
    a_quick_task_asks_nobody().await;
    the_digest_is_of_the_message_the_schema_and_the_tool().await;
}

#[tokio::test]
async fn d_75_what_is_taken_back_is_passed_by_as_withdrawn() {
    a_server_that_stops_withdraws_what_it_asked().await;
    a_stop_withdraws_it_with_its_call().await;
}

#[tokio::test]
async fn m_26_an_approved_call_asks_before_the_model_is_called_again() {
    let mut house = House::new(Mode::Default).await;
    let mut tool = helpdesk();
    if let Origin::Server { declared, .. } = &mut tool.identity.origin {
        *declared = Declared::AsksFirst;
    }
    house.tools.list.lock().unwrap().push(tool);
    house.ask(&[call("helpdesk", "{}")]).await;
    let approved = house.answers(&[(0, AnswerBody::Approve)]).await;
    house.start(approved).await.unwrap();
    let held = house.until_held().await;
    assert_eq!(house.script.calls(), 1, "the model waits for what the call still needs");
    house.answer_held(&held, data(r#"{"ticket":7}"#)).await.unwrap();
    house.settled().await;
    assert_eq!((house.script.calls(), house.results()), (2, vec![r#"the server got {"ticket":7}"#.to_owned()]));
}

async fn a_server_asks_while_its_call_is_executed() {
    for mode in [Mode::Default, Mode::Auto] {
        let (house, held) = asked(mode).await;
        let head = house.head().await;
        assert_eq!((held.request.kind, held.message.as_str()), (RequestKind::Input, "Which ticket?"), "{mode:?}");
        assert_eq!(held.schema, TICKET, "{mode:?}");
        assert!(matches!(state_of_call(&house, &held).await, CallState::Started { .. }), "{mode:?}");
        assert!(head.run.is_some() && head.requests.is_empty(), "{mode:?}: it never counts as asked");
        assert_eq!(house.engine.store().waiting_conversations().await.unwrap(), [house.conversation], "{mode:?}");
    }
}

async fn it_is_answered_in_place_and_its_run_goes_on() {
    let (mut house, held) = asked(Mode::Default).await;
    let run = house.head().await.run.unwrap().id;
    house.answer_held(&held, data(r#"{"ticket":7}"#)).await.unwrap();
    house.settled().await;
    assert_eq!(house.results(), [r#"the server got {"ticket":7}"#]);
    let changes: Vec<Change> = house.commits().into_iter().flatten().collect();
    let starts = changes.iter().filter(|change| matches!(change, Change::RunStarted(_))).count();
    assert_eq!(starts, 1, "no run starts for it (TX-START)");
    assert!(
        changes.iter().any(
            |change| matches!(change, Change::RunEnded { run: ended, end: RunEnd::Completed, .. } if *ended == run)
        )
    );
    assert!(!changes.iter().any(|change| matches!(change, Change::AnswersQueued(_))), "D-08 has no part in it");
}

async fn a_surface_that_names_no_loss_answers_it_too() {
    let (mut house, held) = asked(Mode::Default).await;
    let answer = Answer { request: held.request.id, digest: held.request.digest, body: data(r#"{"ticket":7}"#) };
    house.start(RunInput { answers: vec![answer], text: None, ..listed_input("") }).await.unwrap();
    house.settled().await;
    assert_eq!(house.results(), [r#"the server got {"ticket":7}"#]);
}

async fn words_to_the_run_leave_it_open() {
    let (mut house, held) = asked(Mode::Default).await;
    house.input(Input::Steer { text: "And mind the gap.".to_owned() }).await.unwrap();
    assert_eq!(house.head().await.held.len(), 1);
    house.answer_held(&held, data(r#"{"ticket":7}"#)).await.unwrap();
    house.settled().await;
    let told = format!("{:?}", house.script.last().messages);
    assert!(told.contains("mind the gap") && told.contains("the server got"), "{told}");
}

async fn data_is_checked_before_anything_closes() {
    let (house, held) = asked(Mode::Default).await;
    for value in ["{}", "[]", r#"{"ticket":0}"#, r#"{"ticket":"lots"}"#] {
        let refused = house.answer_held(&held, data(value)).await;
        assert!(matches!(refused, Err(EngineError::Refused(Refusal::InvalidData(_)))), "{value} (D-50)");
    }
    let other = Answer { request: held.request.id, digest: Digest([1; 32]), body: data(r#"{"ticket":7}"#) };
    let refused = house.start(RunInput { answers: vec![other], ..RunInput::default() }).await;
    assert!(matches!(refused, Err(EngineError::Refused(Refusal::DigestMismatch(_)))), "D-77");
    let refused = house.answer_held(&held, AnswerBody::Approve).await;
    assert!(matches!(refused, Err(EngineError::Refused(Refusal::WrongKind(..)))), "N-54");
    assert_eq!(house.head().await.held.len(), 1);
}

async fn it_holds_nothing_back_and_is_held_back_by_nothing() {
    let mut house = House::with_agents(Mode::Default).await;
    house.tools.list.lock().unwrap().push(helpdesk());
    house.wardrobe.script_of(crate::house::SCOUT).will([calls(&[call("write", "{}")])]);
    house.script.will([calls(&[starting("scout"), call("helpdesk", "{}")])]);
    house.start(text_input("Go.")).await.unwrap();
    let held = house.until_held().await;
    while house.head().await.requests.is_empty() {
        house.hear().await;
    }
    let beside = house.answers(&[(0, AnswerBody::Approve)]).await;
    house.start(beside).await.unwrap();
    let head = house.head().await;
    assert_eq!((head.queued.is_some(), head.held.len()), (true, 1), "the background agent's waits for the run (D-08)");
    house.answer_held(&held, data(r#"{"ticket":7}"#)).await.unwrap();
    assert!(house.head().await.held.is_empty(), "and this one doesn't");
    while house.effects().is_empty() {
        house.hear().await;
    }
    house.settled().await;
}

async fn a_late_answer_is_told_like_any_other() {
    let (mut house, held) = asked(Mode::Default).await;
    house.answer_held(&held, AnswerBody::Reject { reason: None }).await.unwrap();
    let late = house.answer_held(&held, data(r#"{"ticket":7}"#)).await;
    assert_eq!(closed_as(late, &held), Some(ClosedReason::Answered), "CL-8, CL-11");
    house.settled().await;
    assert_eq!(house.results(), ["the server was declined"]);
}

async fn a_server_that_stops_withdraws_what_it_asked() {
    let (mut house, held) = asked(Mode::Default).await;
    house.tools.end.notify_one();
    house.settled().await;
    assert_eq!(closing(&house, &held).await, WITHDRAWN);
    let late = house.answer_held(&held, data(r#"{"ticket":7}"#)).await;
    assert_eq!(closed_as(late, &held), Some(ClosedReason::PassedBy), "the detail changes no reason");
}

async fn a_stop_withdraws_it_with_its_call() {
    let (mut house, held) = asked(Mode::Default).await;
    house.input(Input::Stop).await.unwrap();
    assert_eq!(closing(&house, &held).await, WITHDRAWN, "at once, before the call has its end (D-91)");
    house.settled().await;
    assert_eq!(state_of_call(&house, &held).await, CallState::Settled(Settled::Stopped));
    assert_eq!(house.last_end().await, Some(RunEnd::Cancelled));
}

async fn the_next_start_withdraws_what_a_dead_process_held() {
    let (house, held) = asked(Mode::Default).await;
    let house = house.again().await;
    assert_eq!(closing(&house, &held).await, WITHDRAWN);
    assert_eq!(state_of_call(&house, &held).await, CallState::Settled(Settled::OutcomeUnknown));
    assert_eq!(house.last_end().await, Some(RunEnd::Interrupted));
    assert!(house.engine.store().waiting_conversations().await.unwrap().is_empty(), "nobody waits for an answer");
    let late = house.answer_held(&held, data(r#"{"ticket":7}"#)).await;
    assert_eq!(closed_as(late, &held), Some(ClosedReason::PassedBy));
}

async fn a_quick_task_asks_nobody() {
    let mut house = House::new(Mode::Default).await;
    house.tools.list.lock().unwrap().push(helpdesk());
    house.script.will([calls(&[call("helpdesk", "{}")])]);
    house.quick(Mode::Default, countersign_core::agent::ToolSet::All).await;
    assert!(house.results()[0].starts_with("the server can't ask"), "{:?} (D-47)", house.results());
}

async fn the_digest_is_of_the_message_the_schema_and_the_tool() {
    let (house, held) = asked(Mode::Default).await;
    let call = house.head().await.calls[&held.request.call].clone();
    let digest = |call, message, schema| countersign_core::step::held_digest(call, message, schema);
    assert_eq!(digest(&call, &held.message, &held.schema), Some(held.request.digest));
    let mut other = call.clone();
    other.identity.as_mut().unwrap().name.push('2');
    for changed in [
        digest(&call, "Which other?", &held.schema),
        digest(&call, &held.message, "{}"),
        digest(&other, &held.message, &held.schema),
    ] {
        assert_ne!(changed, Some(held.request.digest));
    }
}
