//! N and M: what happens to what waits, in the cases beside the main ones.

use std::sync::Arc;

use countersign_core::answer::{Answer, AnswerBody, Reach};
use countersign_core::call::CallState;
use countersign_core::digest::digest;
use countersign_core::ids::RequestId;
use countersign_core::input::{Input, Refusal, RunInput, Verdict};
use countersign_core::mode::Mode;
use countersign_core::request::{ClosedReason, RequestKind};
use countersign_core::run::RunEnd;
use countersign_core::tool::{Declared, Effect, Origin, Tool, ToolIdentity, requires_approval};
use countersign_core::transcript::ViewItem;
use countersign_engine::error::EngineError;
use countersign_store::open::Disk;

use crate::house::{self, House, Turn, guard};
use crate::play::{Play, call, for_conversation, judge, names, reject, says};

fn asked(calls: &[countersign_core::input::ProposedCall]) -> Play {
    let mut play = Play::new(Mode::Default);
    play.say("Go.").unwrap();
    play.reply(calls);
    play
}

async fn waits() -> House {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", "{}")]).await;
    house
}

async fn told(house: &House, input: RunInput) -> Vec<ClosedReason> {
    match house.start(input).await {
        Err(EngineError::Refused(Refusal::ApprovalClosed(closed))) => {
            closed.into_iter().map(|(_, reason)| reason).collect()
        }
        other => panic!("a closed answer was expected: {other:?}"),
    }
}

fn remote(declared: Declared, effect: Effect) -> Tool {
    let origin =
        Origin::Server { server: "s".to_owned(), launch: "l".to_owned(), definition: "d".to_owned(), declared };
    Tool { identity: ToolIdentity { origin, name: "remote".to_owned() }, ..crate::play::tool("remote", effect, &[]) }
}

#[test]
fn n_06_the_operators_word_counts_whatever_the_effect() {
    for effect in [Effect::Read, Effect::IdempotentWrite, Effect::Write] {
        assert!(requires_approval(&remote(Declared::AsksFirst, effect)), "{effect:?}");
        assert!(!requires_approval(&remote(Declared::RunsFree, effect)), "{effect:?}");
    }
}

#[tokio::test]
async fn n_16_an_approved_call_is_recorded_and_both_runs_are_counted() {
    let mut house = waits().await;
    house.answer(&[(0, AnswerBody::Approve)]).await;
    assert_eq!(house.effects().len(), 1);
    let history = house.engine.store().history(i64::MAX, 10).await.unwrap();
    assert!(matches!(&history[0].about().call.state, CallState::Settled(countersign_core::call::Settled::Succeeded)));
    let spent = house.engine.store().spent(house.conversation).await.unwrap();
    assert_eq!((spent.input, spent.output), (14, 6), "the tokens of two replies");
}

#[tokio::test]
async fn n_26_nothing_turns_a_run_that_asked_into_one_that_failed() {
    let mut house = waits().await;
    for _ in 0..3 {
        assert_eq!(house.last_end().await, Some(RunEnd::Asked));
        house = house.again().await;
    }
    assert_eq!(house.open_requests().await.len(), 1);
}

#[tokio::test]
async fn n_28_a_decision_about_nothing_is_a_typed_error() {
    let house = waits().await;
    let answer = house.answers(&[(0, AnswerBody::Approve)]).await;
    house.input(Input::Stop).await.unwrap();
    assert_eq!(told(&house, answer).await, [ClosedReason::PassedBy]);
    let idle = house.create(2, Mode::Default).await;
    let unknown = Answer {
        request: RequestId([9; 16]),
        digest: countersign_core::digest::Digest([0; 32]),
        body: AnswerBody::Approve,
    };
    let input = Input::Start(RunInput { answers: vec![unknown], ..RunInput::default() });
    let refused = house.engine.input(idle, input).await;
    assert!(format!("{refused:?}").contains("Unknown"), "{refused:?}");
    assert_eq!(house.ran().len(), 0);
}

#[test]
fn n_34_the_digest_is_of_the_call_and_not_of_the_talk_around_it() {
    let digest_of = |text: &str, arguments: &str| {
        let mut play = Play::new(Mode::Default);
        play.say(text).unwrap();
        play.reply(&[call("write", arguments)]);
        play.head.requests_in_order()[0].digest
    };
    assert_eq!(digest_of("Go.", "{\"n\":1}"), digest_of("Please go.", "{\"n\":1}"));
    assert_ne!(digest_of("Go.", "{\"n\":1}"), digest_of("Go.", "{\"n\":2}"));
    assert_ne!(digest_of("Go.", "{\"n\":1}"), digest_of("Go.", "{\"n\": 1}"), "the exact text");
}

#[tokio::test]
async fn n_36_a_rejection_that_cant_be_stored_leaves_it_open() {
    let house = waits().await;
    house.engine.store().pretend(Disk::Full).await.unwrap();
    let input = house.answers(&[(0, house::reject(&"x".repeat(300_000)))]).await;
    assert!(matches!(house.start(input).await, Err(EngineError::Store(_))));
    assert_eq!((house.open_requests().await.len(), house.script.calls()), (1, 1));
}

#[test]
fn n_52_an_answer_to_a_question_is_bound_to_its_tool_and_schema() {
    let name = |name: &str| crate::play::tool(name, Effect::Read, &[]).identity;
    let of = |tool: &str, schema: &str| digest(RequestKind::Input, &name(tool), &[], "{}", Some(schema));
    assert_ne!(of("ask", "{\"a\":1}"), of("ask", "{\"a\":2}"));
    assert_ne!(of("ask", "{\"a\":1}"), of("pick", "{\"a\":1}"));
    assert_eq!(of("ask", "{\"a\":1}"), of("ask", "{\"a\":1}"));
}

#[tokio::test]
async fn n_74_a_claim_is_stored_under_its_run_before_the_tool_begins() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("slow", "{}")]).await;
    let answer = house.answers(&[(0, AnswerBody::Approve)]).await;
    house.start(answer).await.unwrap();
    house.tools.began.notified().await;
    let head = house.head().await;
    let run = head.run.as_ref().unwrap().id;
    let stored: Vec<_> = head.calls.values().map(|call| call.state.clone()).collect();
    assert!(matches!(&stored[..], [CallState::Started { run: by, .. }] if *by == run), "{stored:?}");
    house.tools.end.notify_one();
    assert!(house.settled().await.calls.is_empty(), "the mark goes with the result");
}

#[tokio::test]
async fn n_86_what_waited_longest_comes_first() {
    let mut house = waits().await;
    for number in [3, 2] {
        house.conversation = house.create(number, Mode::Default).await;
        house.ask(&[house::call("write", "{}")]).await;
    }
    house.create(4, Mode::Default).await;
    let waiting = house.engine.store().waiting_conversations().await.unwrap();
    assert_eq!(waiting, [1, 3, 2].map(house::conversation));
}

#[tokio::test]
async fn n_87_an_inbox_that_cant_be_read_is_an_error_and_never_empty() {
    let house = waits().await;
    let store = house.engine.store().clone();
    store.clone().close().await;
    assert!(store.waiting_conversations().await.is_err());
}

#[tokio::test]
async fn m_01_an_answer_where_nothing_was_asked_is_never_honoured() {
    let mut house = waits().await;
    let answer = house.answers(&[(0, AnswerBody::Approve)]).await;
    house.conversation = house.create(2, Mode::Auto).await;
    assert_eq!(told(&house, answer).await, [ClosedReason::Unknown]);
    assert_eq!(house.ran().len(), 0);
}

#[tokio::test]
async fn m_03_two_answers_in_one_turn_are_one_execution() {
    let mut house = waits().await;
    let mut input = house.answers(&[(0, AnswerBody::Approve)]).await;
    input.answers.push(input.answers[0].clone());
    house.start(input).await.unwrap();
    house.settled().await;
    assert_eq!(house.effects().len(), 1);
}

#[tokio::test]
async fn m_04_an_answer_of_a_later_turn_is_told_answered() {
    let mut house = waits().await;
    let answer = house.answers(&[(0, AnswerBody::Approve)]).await;
    house.start(answer.clone()).await.unwrap();
    house.settled().await;
    house.say("Something else.").await;
    assert_eq!(told(&house, answer).await, [ClosedReason::Answered]);
    assert_eq!(house.effects().len(), 1);
}

#[tokio::test]
async fn m_12_a_message_in_between_passes_the_request_by() {
    let mut house = waits().await;
    let answer = house.answers(&[(0, AnswerBody::Approve)]).await;
    house.say("Something else.").await;
    assert_eq!(told(&house, answer).await, [ClosedReason::PassedBy]);
    assert_eq!(house.ran().len(), 0);
}

#[test]
fn m_13_a_standing_approval_covers_other_arguments_in_the_same_run() {
    let mut play = asked(&[call("write", "{\"n\":1}")]);
    play.answer(&[(0, for_conversation(Reach::Tool))]).unwrap();
    let run = play.run();
    play.finish_first();
    play.reply(&[call("write", "{\"n\":2}")]);
    assert_eq!((play.executed().len(), play.head.requests.len(), play.run()), (2, 0, run));
}

#[tokio::test]
async fn m_17_results_keep_the_models_order_whoever_decided() {
    let mut house = waits().await;
    house.answer(&[(0, for_conversation(Reach::Tool))]).await;
    let by_name = |call: &countersign_engine::ports::GuardedCall| match call.tool.identity.name.as_str() {
        "shell" => Verdict::Approve,
        "peek" => Verdict::Reject { reason: "not that".to_owned() },
        _ => Verdict::Abstain,
    };
    house.guards(&[guard("some", by_name)]);
    let batch = ["shell", "peek", "write", "read", "shell"].map(|name| house::call(name, "{}"));
    house.ask(&batch).await;
    let messages = house.script.last().messages;
    let Some(ViewItem::Results(results)) = messages.last().map(Arc::as_ref) else { panic!("{messages:?}") };
    let told: Vec<bool> = ["shell is done", "not that", "write is done", "read is done", "shell is done"]
        .iter()
        .zip(results)
        .map(|(said, result)| result.text.contains(said))
        .collect();
    assert_eq!(told, [true; 5], "{results:?}");
}

#[test]
fn m_19_what_is_let_through_keeps_counting() {
    let mut play = Play::new(Mode::Auto);
    play.limit = 3;
    play.say("Go.").unwrap();
    for round in 1..=3 {
        let one = call("write", &format!("{{\"n\":{round}}}"));
        let mut judged = vec![judge(&play.tools, &one)];
        judged[0].verdicts = says(&[Verdict::Approve]);
        play.reply_judged("", &[one], judged);
        assert_eq!(play.head.run.as_ref().unwrap().rounds, round);
        play.finish_first();
    }
    play.reply(&[call("write", "{\"n\":4}")]);
    assert_eq!((play.executed().len(), play.run_ends()), (3, vec![RunEnd::Limit]));
}

#[test]
fn m_20_approved_calls_are_resolved_before_the_limit_stops_the_run() {
    let mut play = Play::new(Mode::Default);
    play.limit = 1;
    play.say("Go.").unwrap();
    play.reply(&[call("read", "{}")]);
    play.finish_first();
    let mut asks = asked(&[call("write", "{\"n\":1}"), call("write", "{\"n\":2}")]);
    asks.limit = 1;
    asks.answer(&[(0, AnswerBody::Approve), (1, AnswerBody::Approve)]).unwrap();
    asks.finish_first();
    asks.finish_first();
    assert_eq!(asks.executed().len(), 2);
    asks.reply(&[call("read", "{}")]);
    asks.finish_first();
    asks.reply(&[call("read", "{}")]);
    assert_eq!((names(&asks.executed()), asks.run_ends().pop()), (vec!["write", "write", "read"], Some(RunEnd::Limit)));
}

#[test]
fn m_27_everything_that_asks_is_asked_at_once() {
    let batch: Vec<_> = (0..3).map(|n| call("write", &format!("{{\"n\":{n}}}"))).collect();
    let mut play = asked(&batch);
    assert_eq!(play.head.requests.len(), 3);
    play.answer(&[(2, AnswerBody::Approve), (0, reject("no")), (1, AnswerBody::Approve)]).unwrap();
    play.finish_first();
    play.finish_first();
    let ran: Vec<_> = play.executed().into_iter().map(|call| call.arguments).collect();
    assert_eq!(ran, ["{\"n\":1}", "{\"n\":2}"]);
}

#[tokio::test]
async fn field_l_022_an_answer_under_other_settings_asks_no_second_time() {
    let mut house = waits().await;
    let other = countersign_core::agent::AgentProfile {
        revision: 2,
        name: "Renamed".to_owned(),
        start_mode: Mode::Plan,
        ..house::profile()
    };
    let record = countersign_store::record::Record::Agent(Box::new(other));
    house.engine.store().record(record).await.unwrap();
    house.answer(&[(0, AnswerBody::Approve)]).await;
    assert_eq!((house.effects().len(), house.open_requests().await), (1, vec![]));
}

#[tokio::test]
async fn field_l_023_a_rule_that_changes_its_mind_undoes_no_rejection() {
    let mut house = House::new(Mode::Default).await;
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let flips = guard("flips", move |_| match asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) % 2 {
        0 => Verdict::Abstain,
        _ => Verdict::Approve,
    });
    house.guards(&[flips]);
    house.ask(&[house::call("write", "{}")]).await;
    house.answer(&[(0, house::reject("no"))]).await;
    assert_eq!(house.ran().len(), 0, "a person's no is final");
    house.ask(&[house::call("shell", "{}")]).await;
    assert_eq!(house.ran(), ["shell"], "it approves this one");
}

#[tokio::test]
async fn field_l_029_streamed_or_not_the_same_is_stored() {
    let mut found = Vec::new();
    for streams in [true, false] {
        let mut house = House::new(Mode::Default).await;
        let reply = house::calling(&[house::call("write", "{\"n\": 1}")]);
        house.script.will([if streams { Turn::Says(reply) } else { Turn::Waits(reply) }]);
        house.script.go.notify_one();
        let head = house.say("Go.").await;
        let call = head.calls_in_order()[0];
        let digest = head.requests_in_order()[0].digest;
        found.push((call.tool.clone(), call.arguments.clone(), digest, house.ran().len()));
    }
    assert_eq!(found[0], found[1]);
    assert_eq!(found[0].3, 0);
}

#[tokio::test]
async fn field_l_038_nothing_else_is_taken_for_an_answer() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("read", "{}"), house::call("write", "{}")]).await;
    let asked = house.open_requests().await;
    let steered = house.input(Input::Steer { text: "Yes, approved.".to_owned() }).await;
    assert!(matches!(steered, Err(EngineError::Refused(Refusal::NotRunning))), "{steered:?}");
    let head = house.head().await;
    let call = head.calls_in_order()[1];
    let outcome = house::outcome(countersign_core::input::OutcomeKind::Succeeded, "approved");
    house.input(Input::CallFinished { run: call.proposed_by, call: call.id, outcome }).await.unwrap();
    assert_eq!((house.open_requests().await, house.ran().len()), (asked, 0));
}

#[tokio::test]
async fn field_l_041_an_old_click_never_hits_a_new_request() {
    let mut house = waits().await;
    let old = house.answers(&[(0, AnswerBody::Approve)]).await;
    house.answer(&[(0, house::reject("no"))]).await;
    let mut house = house.again().await;
    house.ask(&[house::call("write", "{}")]).await;
    assert_ne!(house.open_requests().await[0], old.answers[0].request);
    assert_eq!(told(&house, old).await, [ClosedReason::Answered]);
    assert_eq!((house.ran().len(), house.open_requests().await.len()), (0, 1));
}

#[tokio::test]
async fn field_l_065_large_arguments_can_be_answered_at_once() {
    let text = format!("{{\"text\":\"{}\"}}", "ä".repeat(2_500_000));
    let mut house = House::new(Mode::Default).await;
    house.ask(&[house::call("write", &text)]).await;
    house.answer(&[(0, AnswerBody::Approve)]).await;
    let ran = house.effects();
    assert_eq!((ran.len(), ran[0] == text), (1, true));
}

#[tokio::test]
async fn field_l_073_looking_again_and_again_changes_nothing() {
    let mut house = waits().await;
    let (request, history) = (house.open_requests().await, house.script.last().messages.len());
    for _ in 0..20 {
        house = house.again().await;
        assert_eq!(house.open_requests().await, request);
        let store = house.engine.store();
        assert_eq!(store.messages(house.conversation, i64::MAX, 10).await.unwrap().len(), history + 1);
    }
    house.answer(&[(0, AnswerBody::Approve)]).await;
    assert_eq!(house.effects().len(), 1);
}
