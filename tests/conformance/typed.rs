//! IN and N: questions that only a person can answer, and what can be registered together.

use std::sync::Arc;

use countersign_core::answer::{AnswerBody, Misfit};
use countersign_core::call::Settled;
use countersign_core::input::{DataCheck, FieldFault, Refusal, RunInput, Verdict};
use countersign_core::mode::Mode;
use countersign_core::request::{ClosedReason, RequestKind};
use countersign_core::run::{FailureKind, RunEnd};
use countersign_core::tool::{Effect, Mark, requires_approval};
use countersign_engine::error::EngineError;
use countersign_engine::question;

use crate::house::{House, call, calls, guard, reject, text_input, tool};

const FIELDS: &str = r#"{"type":"object","properties":{"branch":{"type":"string","enum":["main","next"]},
    "days":{"type":"integer","minimum":1},"drafts":{"type":"boolean"}},"required":["branch"]}"#;

fn fields(more: &str) -> String {
    format!("{{\"fields\":{FIELDS}{more}}}")
}

fn asking(name: &str) -> countersign_core::input::ProposedCall {
    call(name, &fields(""))
}

fn data(value: &str) -> AnswerBody {
    AnswerBody::Data { value: value.to_owned() }
}

async fn asked(mode: Mode, batch: &[countersign_core::input::ProposedCall]) -> House {
    let mut house = House::new(mode).await;
    house.ask(batch).await;
    house
}

async fn kinds(house: &House) -> Vec<RequestKind> {
    house.head().await.requests_in_order().iter().map(|request| request.kind).collect()
}

async fn refused(house: &House, bodies: &[(usize, AnswerBody)]) -> Refusal {
    let bytes = house.bytes();
    let input = house.answers(bodies).await;
    match house.start(input).await {
        Err(EngineError::Refused(refusal)) => {
            assert!(house.bytes() == bytes, "{refusal:?} stored something");
            refusal
        }
        other => panic!("a refusal was expected: {other:?}"),
    }
}

fn faulty(refusal: Refusal) -> Vec<String> {
    match refusal {
        Refusal::InvalidData(faulty) => {
            let faults = faulty.into_iter().flat_map(|(_, faults)| faults);
            faults.map(|FieldFault { field, .. }| field).collect()
        }
        other => panic!("{other:?}"),
    }
}

/// What the model was sent last, as text.
fn told(house: &House) -> String {
    format!("{:?}", house.script.last().messages)
}

#[tokio::test]
async fn in_1_a_tool_says_that_it_needs_a_persons_input() {
    let house = asked(Mode::Default, &[asking("order")]).await;
    assert_eq!(kinds(&house).await, [RequestKind::Input]);
    let other = asked(Mode::Default, &[asking("read")]).await;
    assert_eq!((kinds(&other).await, other.ran()), (vec![], vec!["read".to_owned()]), "fields don't make a question");
}

#[tokio::test]
async fn in_2_it_needs_no_approval() {
    assert!(!requires_approval(&tool("order", Effect::Read, &[Mark::NeedsInput])));
    let mut house = House::new(Mode::Default).await;
    let no = guard("no", |_| Verdict::Reject { reason: "no".to_owned() });
    house.guards(&[Arc::clone(&no)]);
    house.ask(&[asking("order")]).await;
    house.answer(&[(0, data(r#"{"branch":"main"}"#))]).await;
    assert_eq!((house.ran(), no.saw.lock().unwrap().len()), (vec!["order".to_owned()], 0), "no rule is asked");
}

#[tokio::test]
async fn in_3_the_run_ends_and_waits_for_it() {
    let house = asked(Mode::Default, &[asking("ask_user")]).await;
    assert_eq!((house.last_end().await, house.ran().len()), (Some(RunEnd::Asked), 0));
    let mut house = house.again().await;
    house.answer(&[(0, data(r#"{"branch":"main"}"#))]).await;
    assert_eq!(house.last_end().await, Some(RunEnd::Completed));
}

/// What a run is told whose agent has one more tool.
async fn with(one: countersign_core::tool::Tool) -> Result<(), String> {
    let house = House::new(Mode::Default).await;
    house.tools.list.lock().unwrap().push(one);
    let bytes = house.bytes();
    match house.start(text_input("Go.")).await {
        Ok(()) => Ok(()),
        Err(EngineError::Outfit(failure)) if failure.kind == FailureKind::Agent => {
            assert!(house.bytes() == bytes && house.script.calls() == 0);
            Err(failure.text)
        }
        Err(other) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn n_10_approval_and_input_together_are_refused_at_registration() {
    for (effect, marks) in
        [(Effect::Write, &[Mark::NeedsInput][..]), (Effect::Read, &[Mark::NeedsInput, Mark::RequiresApproval])]
    {
        assert!(with(tool("both", effect, marks)).await.unwrap_err().contains("`both`"));
    }
}

#[tokio::test]
async fn n_11_input_tools_that_need_no_approval_can_be_registered() {
    with(tool("more", Effect::Read, &[Mark::NeedsInput, Mark::ReadOnly])).await.unwrap();
    let mut remote = tool("remote", Effect::Write, &[Mark::NeedsInput]);
    let declared = countersign_core::tool::Declared::Undeclared;
    remote.identity.origin = countersign_core::tool::Origin::Server {
        server: "s".to_owned(),
        launch: "l".to_owned(),
        definition: "d".to_owned(),
        declared,
    };
    with(remote).await.unwrap();
}

#[tokio::test]
async fn n_12_two_tools_with_one_name_are_refused_at_registration() {
    assert!(with(tool("read", Effect::Write, &[])).await.unwrap_err().contains("`read`"));
}

#[tokio::test]
async fn n_43_a_question_names_its_tool_and_schema_and_nothing_of_its_turn_runs() {
    let house = asked(Mode::Default, &[call("read", "{}"), asking("order")]).await;
    let head = house.head().await;
    let waits = &head.calls[&head.requests_in_order()[0].call];
    assert_eq!(waits.tool, "order");
    let schema = waits.schema.as_deref().unwrap();
    assert!(schema.contains("\"branch\"") && question::usable(schema).is_ok(), "{schema}");
    assert_eq!(house.ran().len(), 0);
}

#[tokio::test]
async fn n_44_a_question_about_nothing_is_never_asked() {
    for arguments in ["{}", r#"{"fields":{}}"#, r#"{"fields":{"type":"object","properties":{}}}"#] {
        let house = asked(Mode::Default, &[call("ask_user", arguments)]).await;
        assert_eq!((kinds(&house).await, house.last_end().await), (vec![], Some(RunEnd::Completed)), "{arguments}");
        assert!(told(&house).contains("not executed"), "{}", told(&house));
    }
}

#[tokio::test]
async fn n_45_an_input_tool_that_isnt_offered_never_asks() {
    let house = asked(Mode::Plan, &[asking("order")]).await;
    assert_eq!(kinds(&house).await, []);
    assert!(told(&house).contains("not available while planning"), "{}", told(&house));
}

#[tokio::test]
async fn n_46_an_approval_and_a_question_are_a_request_each() {
    let mut house = asked(Mode::Default, &[call("write", "{}"), asking("order")]).await;
    assert_eq!(kinds(&house).await, [RequestKind::Call, RequestKind::Input]);
    house.answer(&[(0, AnswerBody::Approve), (1, data(r#"{"branch":"main"}"#))]).await;
    assert_eq!(house.ran(), ["write", "order"]);
}

#[tokio::test]
async fn n_47_what_doesnt_fit_closes_nothing_and_can_be_sent_again() {
    let mut house = asked(Mode::Default, &[asking("order")]).await;
    for (value, field) in [("{}", "branch"), (r#"{"branch":"main","days":"soon"}"#, "days"), ("[]", "")] {
        assert_eq!(faulty(refused(&house, &[(0, data(value))]).await), [field], "{value}");
    }
    house.answer(&[(0, data(r#"{"branch":"main"}"#))]).await;
    assert_eq!(house.ran(), ["order"]);
}

#[tokio::test]
async fn n_48_declared_keys_are_the_persons_and_the_others_the_models() {
    let more = r#","branch":"next","scope":"tickets","n":9007199254740993"#;
    let mut house = asked(Mode::Default, &[call("order", &fields(more))]).await;
    house.answer(&[(0, data(r#"{"branch":"main","scope":"mine"}"#))]).await;
    let ran = house.tools.ran.lock().unwrap()[0].arguments.clone();
    for part in [r#""branch":"main""#, r#""scope":"tickets""#, r#""n":9007199254740993"#] {
        assert!(ran.contains(part), "{part} in {ran}");
    }
    assert!(!ran.contains(r#""branch":"next""#) && !ran.contains("mine"), "{ran}");
    let facts = house.engine.store().history(i64::MAX, 10).await.unwrap();
    assert_eq!(facts[0].about().call.arguments, fields(more), "the model's own stay stored beside them");
}

#[tokio::test]
async fn n_49_two_questions_are_two_requests() {
    let mut house = asked(Mode::Default, &[asking("ask_user"), asking("ask_user")]).await;
    house.answer(&[(0, data(r#"{"branch":"main"}"#)), (1, data(r#"{"branch":"next"}"#))]).await;
    let told = told(&house);
    assert!(told.contains(r#"{\"branch\":\"main\"}"#) && told.contains(r#"{\"branch\":\"next\"}"#), "{told}");
}

#[tokio::test]
async fn n_50_a_stored_schema_that_cant_be_read_fits_nothing() {
    let house = asked(Mode::Default, &[asking("order")]).await;
    let mut stored = house.head().await.calls.into_values().next().unwrap();
    assert!(matches!(question::check(&stored, r#"{"branch":"main"}"#), DataCheck::Execute(_)));
    for schema in [None, Some(""), Some("{}"), Some("true"), Some(r#"{"type":"object"}"#)] {
        stored.schema = schema.map(str::to_owned);
        let check = question::check(&stored, r#"{"branch":"main"}"#);
        assert!(matches!(check, DataCheck::Invalid(_)), "{schema:?}: {check:?}");
    }
}

#[tokio::test]
async fn n_51_the_second_of_two_submissions_is_told() {
    let mut house = asked(Mode::Default, &[asking("order")]).await;
    let input = house.answers(&[(0, data(r#"{"branch":"main"}"#))]).await;
    let request = input.answers[0].request;
    let (one, two) = tokio::join!(house.start(input.clone()), house.start(input));
    one.unwrap();
    let answered = Refusal::ApprovalClosed(vec![(request, ClosedReason::Answered)]);
    assert!(matches!(two, Err(EngineError::Refused(told)) if told == answered));
    house.settled().await;
    assert_eq!(house.ran(), ["order"]);
}

#[tokio::test]
async fn n_53_a_write_that_nobody_approved_doesnt_run_when_its_sibling_is_answered() {
    let mut house = asked(Mode::Default, &[call("late", "{}"), asking("ask_user")]).await;
    house.tools.list.lock().unwrap().push(tool("late", Effect::Write, &[]));
    house.answer(&[(0, data(r#"{"branch":"main"}"#))]).await;
    assert_eq!(house.ran().len(), 0);
    let turns = house.engine.store().messages(house.conversation, i64::MAX, 10).await.unwrap();
    let late = turns.iter().flat_map(|turn| &turn.calls).find(|fact| fact.call.tool == "late").unwrap();
    assert!(late.result.as_ref().unwrap().contains("not executed"), "and that is recorded: {:?}", late.result);
}

#[tokio::test]
async fn n_54_a_question_isnt_answered_by_a_yes() {
    let house = asked(Mode::Default, &[asking("order")]).await;
    let request = house.open_requests().await[0];
    let told = refused(&house, &[(0, AnswerBody::Approve)]).await;
    assert_eq!(told, Refusal::WrongKind(request, Misfit::NeedsData));
    assert_eq!((house.ran().len(), house.open_requests().await.len()), (0, 1), "it doesn't run empty");
}

#[tokio::test]
async fn n_55_the_text_of_a_form_becomes_what_is_declared() {
    let declared = r#"{"fields":{"type":"object","properties":{"days":{"type":"integer"},"rate":{"type":"number"},
        "note":{"type":"string"},"sure":{"type":"boolean"},"all":{"type":"boolean"}},"required":["sure"]}}"#;
    let mut house = asked(Mode::Default, &[call("ask_user", declared)]).await;
    assert_eq!(faulty(refused(&house, &[(0, data(r#"{"days":"soon"}"#))]).await), ["days"], "left to fail");
    house.answer(&[(0, data(r#"{"days":" 14 ","rate":"","note":"5"}"#))]).await;
    let told = told(&house);
    let expected = r#"{\"days\":14,\"note\":\"5\",\"sure\":false}"#;
    assert!(told.contains(expected), "{told}");
}

#[tokio::test]
async fn n_56_a_schema_that_makes_no_form_is_no_question() {
    for schema in [r#"{"type":"string"}"#, r#"{"type":"object"}"#, "\"text\"", "[]"] {
        let house = asked(Mode::Default, &[call("order", &format!("{{\"fields\":{schema}}}"))]).await;
        assert_eq!((kinds(&house).await, house.ran().len()), (vec![], 0), "{schema}");
    }
}

#[tokio::test]
async fn n_57_what_is_kept_of_a_submission_is_that_it_was_made() {
    let mut house = asked(Mode::Default, &[asking("order")]).await;
    house.commits();
    house.answer(&[(0, data(r#"{"branch":"main"}"#))]).await;
    let changes = house.commits().concat();
    let closed = changes.iter().find(|change| change.kind() == "request_closed").unwrap();
    let closed = format!("{closed:?}");
    assert!(closed.contains("DataGiven") && !closed.contains("main"), "{closed}");
    let facts = house.engine.store().history(i64::MAX, 10).await.unwrap();
    let request = format!("{:?}", facts[0].about().request);
    assert!(request.contains("DataGiven") && !request.contains("main"), "{request}");
}

#[tokio::test]
async fn d_49_a_question_lives_like_every_request() {
    let mut house = asked(Mode::Default, &[asking("order")]).await;
    house.answer(&[(0, reject("ask somebody else"))]).await;
    assert!(told(&house).contains("declined") && told(&house).contains("ask somebody else"), "{}", told(&house));
    house.ask(&[asking("order")]).await;
    let late = house.answers(&[(0, data(r#"{"branch":"main"}"#))]).await;
    let passed = vec![(late.answers[0].request, ClosedReason::PassedBy)];
    house.say("Never mind.").await;
    let told = house.start(late).await;
    assert!(matches!(told, Err(EngineError::Refused(Refusal::ApprovalClosed(closed))) if closed == passed));
    assert_eq!(house.ran().len(), 0);
}

#[tokio::test]
async fn d_50_invalid_data_beside_a_valid_answer_refuses_both() {
    let mut house = asked(Mode::Default, &[call("write", "{}"), asking("order"), asking("ask_user")]).await;
    let bad = [(0, AnswerBody::Approve), (1, data("{}")), (2, data(r#"{"branch":"x"}"#))];
    assert_eq!(faulty(refused(&house, &bad).await), ["branch", "branch"], "every fault is named");
    // Nobody but the engine says that data fits.
    let mut forged = house.answers(&bad[..2]).await;
    forged.data = [(forged.answers[1].request, DataCheck::Execute("{}".to_owned()))].into();
    assert!(house.start(forged).await.is_err());
    assert_eq!((house.open_requests().await.len(), house.ran().len()), (3, 0));
    let good = data(r#"{"branch":"main"}"#);
    house.answer(&[(0, AnswerBody::Approve), (1, good.clone()), (2, good)]).await;
    assert_eq!(house.ran(), ["write", "order"], "an answer to ask_user is the result and runs nothing (D-107)");
    let facts = house.engine.store().history(i64::MAX, 10).await.unwrap();
    let given = |state: &countersign_core::call::CallState| {
        matches!(state, countersign_core::call::CallState::Settled(Settled::DataGiven))
    };
    assert!(facts.iter().any(|fact| fact.about().call.tool == "ask_user" && given(&fact.about().call.state)));
}

#[tokio::test]
async fn d_69_a_question_pauses_in_every_mode() {
    for mode in [Mode::Default, Mode::Plan, Mode::Auto] {
        let house = asked(mode, &[asking("ask_user")]).await;
        assert_eq!(kinds(&house).await, [RequestKind::Input], "{mode:?}");
    }
    let mut house = House::new(Mode::Plan).await;
    house.script.will([calls(&[])]);
    house.say("Plan.").await;
    let offered = house.script.last().tools;
    let is_offered = |name: &str| offered.iter().any(|tool| tool.identity.name == name);
    assert!(is_offered("ask_user") && !is_offered("order"), "in Plan only if it is marked read-only");
    house.start(RunInput::default()).await.unwrap_err();
}
