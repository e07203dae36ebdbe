//! Typed input: it pauses in every mode, what doesn't fit closes nothing, and the person's data is what counts.

use countersign_core::answer::{AnswerBody, Misfit};
use countersign_core::call::Settled;
use countersign_core::change::Act;
use countersign_core::input::{OutcomeKind, Refusal};
use countersign_core::mode::Mode;
use countersign_core::request::RequestKind;
use countersign_core::run::RunEnd;
use countersign_core::tool::{Effect, Mark, RegistrationFault, register};

use crate::play::{Play, call, reject, tool};

fn data(value: &str) -> AnswerBody {
    AnswerBody::Data { value: value.to_owned() }
}

fn asks(mode: Mode, name: &str) -> Play {
    let mut play = Play::new(mode);
    play.say("Go.").unwrap();
    play.reply(&[call(name, "{}")]);
    play
}

/// IN-1 to IN-3, D-49, D-69, N-43: a question is a request of its own kind, in every mode.
#[test]
fn a_question_pauses_in_every_mode() {
    for mode in [Mode::Default, Mode::Plan, Mode::Auto] {
        let play = asks(mode, "ask");
        assert_eq!(play.run_ends(), [RunEnd::Asked], "{mode:?}");
        let requests = play.head.requests_in_order();
        assert_eq!((requests.len(), requests[0].kind), (1, RequestKind::Input));
        assert!(play.head.calls.values().all(|call| call.schema.is_some()), "its schema is frozen with it");
    }
    let hidden = asks(Mode::Plan, "pick");
    assert!(hidden.head.requests.is_empty(), "in Plan only if it only reads, as every tool");
}

/// D-107: the answer is the result; nothing runs.
#[test]
fn an_answer_is_the_result() {
    let mut play = asks(Mode::Default, "ask");
    let step = play.answer(&[(0, data("good"))]).unwrap();
    assert!(matches!(step.acts[..], [Act::CallModel { .. }]), "nothing is executed");
    assert_eq!(play.ends(), [("ask".to_owned(), Settled::DataGiven, Some("the answer".to_owned()))]);
}

/// N-48, D-49: a tool that executes gets the filled-in arguments, and the model's stay stored beside them.
#[test]
fn what_was_filled_in_is_what_runs() {
    let mut play = asks(Mode::Default, "pick");
    play.answer(&[(0, data("good"))]).unwrap();
    let call = play.head.calls.values().next().unwrap();
    assert_eq!((call.to_execute(), call.arguments.as_str()), ("{\"filled\":1}", "{}"));
    play.finish(play.started()[0], OutcomeKind::Succeeded);
    assert!(play.calls_model());
}

/// N-47, D-50: what doesn't fit is refused before anything is claimed, with a valid answer beside it too, and can be sent again.
#[test]
fn what_does_not_fit_closes_nothing() {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[call("ask", "{}"), call("write", "{}")]);
    let before = play.head.clone();
    match play.answer(&[(0, data("bad")), (1, AnswerBody::Approve)]) {
        Err(Refusal::InvalidData(faulty)) => assert_eq!(faulty[0].1[0].field, "a"),
        other => panic!("{other:?}"),
    }
    assert_eq!(play.head, before);
    play.answer(&[(0, data("good")), (1, AnswerBody::Approve)]).unwrap();
    assert_eq!(play.executed().len(), 1);
}

/// N-54, D-29: a question isn't approved, and a call isn't answered with data.
#[test]
fn each_kind_has_its_answers() {
    let mut play = asks(Mode::Default, "ask");
    let id = play.head.requests_in_order()[0].id;
    assert_eq!(play.answer(&[(0, AnswerBody::Approve)]).unwrap_err(), Refusal::WrongKind(id, Misfit::NeedsData));
    let mut other = asks(Mode::Default, "write");
    let id = other.head.requests_in_order()[0].id;
    assert_eq!(other.answer(&[(0, data("good"))]).unwrap_err(), Refusal::WrongKind(id, Misfit::NotAQuestion));
}

/// D-49: declining is told to the model.
#[test]
fn declining_is_told() {
    let mut play = asks(Mode::Default, "ask");
    play.answer(&[(0, reject("not now"))]).unwrap();
    let (_, settled, result) = play.ends().remove(0);
    assert_eq!(settled, Settled::RejectedByPerson { reason: Some("not now".to_owned()) });
    let result = result.unwrap();
    assert!(result.contains("declined") && result.contains("not now"), "{result}");
}

/// N-53, IN-2: filling in is no approval; a tool that needs one by the time of the answer doesn't run.
#[test]
fn filling_in_is_no_approval() {
    let mut play = asks(Mode::Default, "pick");
    play.tools = vec![tool("pick", Effect::Write, &[])];
    play.answer(&[(0, data("good"))]).unwrap();
    assert!(play.executed().is_empty());
    let (_, settled, result) = play.ends().remove(0);
    assert_eq!(settled, Settled::NoLongerPermitted);
    assert!(result.unwrap().contains("needs approval"));
}

/// N-46, N-49: two questions and an approval of one reply are three requests.
#[test]
fn each_call_has_its_own_request() {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[call("ask", "{}"), call("ask", "{}"), call("write", "{}")]);
    assert_eq!(play.head.requests.len(), 3);
}

/// N-10, N-11, N-12, D-33.
#[test]
fn what_can_be_registered_together() {
    let asking = |effect, marks: &[Mark]| register(vec![tool("t", effect, marks)]);
    let both = Err(RegistrationFault::ApprovalAndInput("t".to_owned()));
    assert_eq!(asking(Effect::Write, &[Mark::NeedsInput]), both);
    assert_eq!(asking(Effect::Read, &[Mark::NeedsInput, Mark::RequiresApproval]), both);
    assert!(asking(Effect::Read, &[Mark::NeedsInput]).is_ok());
    let twice = vec![tool("t", Effect::Read, &[]), tool("t", Effect::Write, &[])];
    assert_eq!(register(twice), Err(RegistrationFault::Duplicate("t".to_owned())));
    let reserved = register(vec![tool("exit_plan_mode", Effect::Read, &[])]);
    assert_eq!(reserved, Err(RegistrationFault::Reserved("exit_plan_mode".to_owned())));
}
