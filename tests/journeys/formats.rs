//! Every cycle of asking and answering, through each wire format, against a provider that refuses what the real one refuses: a result
//! without its call, a call without its result, a signature that was changed.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use countersign_core::agent::{AgentProfile, WireFormat};
use countersign_core::answer::AnswerBody;
use countersign_core::asking::{Effort, ModelSettings, Thinking};
use countersign_core::input::RunInput;
use countersign_core::mode::{Mode, Until};
use countersign_core::run::{Failure, FailureKind, RunEnd};
use countersign_core::server::ServerProfile;
use countersign_engine::engine::Engine;
use countersign_engine::ports::{Outfit, Outfitter, Purpose, SystemClock};
use countersign_models::remote::Remote;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::house::{House, Wardrobe, reject, text_input};
use crate::http::{Ends, read_request, respond, status};

#[path = "../../src-tauri/crates/models/src/strict.rs"]
mod strict;

use strict::Strict;

/// What the model says, whatever the format.
#[derive(Clone)]
enum Say {
    Words(&'static str),
    /// Words, and then calls, each with its tool and its exact argument text; before the first it thinks.
    Calls(&'static [(&'static str, &'static str)]),
    /// The same, but the connection goes away in the middle.
    Cut,
}

const WRITES: &[(&str, &str)] = &[("write", "{\"text\": \"ä😀\\n\"}"), ("write", "{\"n\":  2.0}")];
const PLAN: &[(&str, &str)] = &[("exit_plan_mode", "{\"plan\":\"# Do it\"}")];

/// A provider of one format.
struct Provider {
    address: String,
    /// What was sent to it, and what of that it refused.
    requests: Arc<Mutex<Vec<Value>>>,
    refused: Arc<Mutex<Vec<String>>>,
}

impl Provider {
    async fn new(format: WireFormat, says: Vec<Say>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/v1", listener.local_addr().unwrap());
        let (requests, refused) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(Vec::new())));
        let (written, told) = (Arc::clone(&requests), Arc::clone(&refused));
        tokio::spawn(async move {
            let mut strict = Strict::default();
            let mut seed = 7;
            for (number, say) in says.into_iter().enumerate() {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = read_request(&mut stream).await;
                let taken = strict.accepts(format, &request);
                written.lock().unwrap().push(request);
                if let Err(why) = taken {
                    let body = json!({ "error": { "message": why } }).to_string();
                    told.lock().unwrap().push(why);
                    status(&mut stream, 400, &body).await;
                    continue;
                }
                let (events, ends) = stream_of(format, &say, number, &mut strict);
                respond(&mut stream, events.as_bytes(), ends, &mut seed).await;
            }
        });
        Self { address, requests, refused }
    }

    /// What was sent, if all of it was taken.
    fn taken(&self) -> Vec<Value> {
        assert_eq!(*self.refused.lock().unwrap(), Vec::<String>::new(), "nothing is refused");
        self.requests.lock().unwrap().clone()
    }
}

fn stream_of(format: WireFormat, say: &Say, number: usize, strict: &mut Strict) -> (String, Ends) {
    let (words, calls) = match say {
        Say::Words(words) => (*words, &[][..]),
        Say::Calls(calls) => ("I'll do that.", *calls),
        Say::Cut => ("I'll do that.", WRITES),
    };
    let mut events = match format {
        WireFormat::OpenAiChat => chat(words, calls, number),
        WireFormat::OpenAiResponses => responses(words, calls, number, strict),
        WireFormat::AnthropicMessages => messages(words, calls, number, strict),
    };
    if let Say::Cut = say {
        let half = events.len() / 2;
        events.truncate((half..events.len()).find(|at| events.is_char_boundary(*at)).unwrap());
        return (events, Ends::Cut);
    }
    (events, Ends::Well)
}

/// A text in pieces of a few characters.
fn pieces(text: &str) -> Vec<String> {
    text.chars().collect::<Vec<_>>().chunks(3).map(|piece| piece.iter().collect()).collect()
}

fn chat(words: &str, calls: &[(&str, &str)], number: usize) -> String {
    let mut stream = String::new();
    let mut delta = |delta: Value, finish: Option<&str>| {
        let event = json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] });
        write!(stream, "data: {event}\n\n").unwrap();
    };
    delta(json!({ "role": "assistant", "reasoning_content": format!("hm {number}") }), None);
    for piece in pieces(words) {
        delta(json!({ "content": piece }), None);
    }
    for (index, (name, arguments)) in calls.iter().enumerate() {
        let function = json!({ "name": name, "arguments": "" });
        let call =
            json!({ "index": index, "id": format!("call_{number}_{index}"), "type": "function", "function": function });
        delta(json!({ "tool_calls": [call] }), None);
        for piece in pieces(arguments) {
            delta(json!({ "tool_calls": [{ "index": index, "function": { "arguments": piece } }] }), None);
        }
    }
    delta(json!({}), Some(if calls.is_empty() { "stop" } else { "tool_calls" }));
    stream.push_str("data: [DONE]\n\n");
    stream
}

fn responses(words: &str, calls: &[(&str, &str)], number: usize, strict: &mut Strict) -> String {
    let mut stream = String::new();
    let mut event =
        |event: Value| write!(stream, "event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()).unwrap();
    event(json!({ "type": "response.created", "response": { "status": "in_progress", "output": [] } }));
    let text = json!({ "type": "output_text", "text": words, "annotations": [] });
    let mut items = vec![
        json!({ "id": format!("msg_{number}"), "type": "message", "role": "assistant", "status": "completed", "content": [text] }),
    ];
    for (index, (name, arguments)) in calls.iter().enumerate() {
        items.push(json!({ "id": format!("rs_{number}_{index}"), "type": "reasoning", "summary": [], "encrypted_content": format!("gAAAA+/={number}.{index}") }));
        items.push(json!({ "id": format!("fc_{number}_{index}"), "type": "function_call", "status": "completed", "arguments": arguments, "call_id": format!("call_{number}_{index}"), "name": name }));
    }
    for (place, item) in items.iter().enumerate() {
        strict.sign(item);
        let mut begun = item.clone();
        begun["status"] = json!("in_progress");
        event(json!({ "type": "response.output_item.added", "output_index": place, "item": begun }));
        if item["type"] == "message" {
            for piece in pieces(words) {
                event(
                    json!({ "type": "response.output_text.delta", "output_index": place, "content_index": 0, "delta": piece }),
                );
            }
        }
        event(json!({ "type": "response.output_item.done", "output_index": place, "item": item }));
    }
    event(json!({ "type": "response.completed", "response": { "status": "completed", "output": items } }));
    stream
}

fn messages(words: &str, calls: &[(&str, &str)], number: usize, strict: &mut Strict) -> String {
    let mut stream = String::new();
    let mut event =
        |event: Value| write!(stream, "event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()).unwrap();
    let mut place = 0;
    let mut block = |start: Value, deltas: Vec<Value>| {
        event(json!({ "type": "content_block_start", "index": place, "content_block": start }));
        for delta in deltas {
            event(json!({ "type": "content_block_delta", "index": place, "delta": delta }));
        }
        event(json!({ "type": "content_block_stop", "index": place }));
        place += 1;
    };
    let text = pieces(words).into_iter().map(|piece| json!({ "type": "text_delta", "text": piece })).collect();
    block(json!({ "type": "text", "text": "" }), text);
    if !calls.is_empty() {
        let (thinking, signature) = (format!("hm {number}"), format!("Eq+/={number}"));
        strict.sign(&json!({ "type": "thinking", "thinking": thinking, "signature": signature }));
        let mut deltas: Vec<Value> =
            pieces(&thinking).into_iter().map(|piece| json!({ "type": "thinking_delta", "thinking": piece })).collect();
        deltas.push(json!({ "type": "signature_delta", "signature": signature }));
        block(json!({ "type": "thinking", "thinking": "", "signature": "" }), deltas);
        let redacted = json!({ "type": "redacted_thinking", "data": format!("red+/={number}") });
        strict.sign(&redacted);
        block(redacted, Vec::new());
    }
    for (index, (name, arguments)) in calls.iter().enumerate() {
        let start = json!({ "type": "tool_use", "id": format!("toolu_{number}_{index}"), "name": name, "input": {} });
        let deltas = pieces(arguments).into_iter();
        block(start, deltas.map(|piece| json!({ "type": "input_json_delta", "partial_json": piece })).collect());
    }
    let reason = if calls.is_empty() { "end_turn" } else { "tool_use" };
    event(json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": { "output_tokens": 5 } }));
    event(json!({ "type": "message_stop" }));
    stream
}

/// The tools of the house with the provider's model.
struct Wired {
    house: Arc<Wardrobe>,
    format: WireFormat,
    address: String,
    asking: ModelSettings,
}

#[async_trait]
impl Outfitter for Wired {
    async fn outfit(
        &self,
        profile: &AgentProfile,
        servers: &[ServerProfile],
        purpose: Purpose,
    ) -> Result<Outfit, Failure> {
        let model = Remote::new(self.format, &self.address, "a-model", None)?;
        let model = model.with_settings(&self.asking, Vec::new())?;
        Ok(Outfit { model: Arc::new(model), ..self.house.outfit(profile, servers, purpose).await? })
    }
}

/// Everything is closed, and opened again with the provider's model.
async fn wire(house: &mut House, format: WireFormat, provider: &Provider) {
    wire_asking(house, format, provider, ModelSettings::default()).await;
}

/// The same, with the model asked as these settings say.
async fn wire_asking(house: &mut House, format: WireFormat, provider: &Provider, asking: ModelSettings) {
    let wired = Wired { house: Arc::clone(&house.wardrobe), format, address: provider.address.clone(), asking };
    house.engine.close().await;
    let store = house.engine.store().clone();
    house.engine = Engine::open(store, Arc::new(wired), Arc::new(SystemClock), None).await.unwrap();
    house.news = house.engine.news();
}

async fn house(format: WireFormat, mode: Mode, says: Vec<Say>) -> (House, Provider) {
    let provider = Provider::new(format, says).await;
    let mut house = House::new(mode).await;
    wire(&mut house, format, &provider).await;
    (house, provider)
}

fn exact() -> Vec<&'static str> {
    WRITES.iter().map(|(_, arguments)| *arguments).collect()
}

/// E-01, E-07, L-004, L-025, L-029, L-055: approved, rejected and mixed, with everything closed while it waits.
#[tokio::test]
async fn answers_go_back_in_every_format() {
    for format in WireFormat::ALL {
        for answers in [
            [AnswerBody::Approve, AnswerBody::Approve],
            [reject("not now"), reject("not ever")],
            [AnswerBody::Approve, reject("not twice")],
        ] {
            let (mut house, provider) =
                house(format, Mode::Default, vec![Say::Calls(WRITES), Say::Words("Done.")]).await;
            house.start(text_input("Do both.")).await.unwrap();
            let head = house.settled().await;
            let asked: Vec<_> = head.calls_in_order().iter().map(|call| call.arguments.clone()).collect();
            assert_eq!(asked, exact(), "{format:?}: the exact text");
            wire(&mut house, format, &provider).await;
            let bodies: Vec<(usize, AnswerBody)> = answers.iter().cloned().enumerate().collect();
            house.answer(&bodies).await;
            assert_eq!(house.last_end().await, Some(RunEnd::Completed), "{format:?} {answers:?}");
            let run: Vec<&str> = exact()
                .into_iter()
                .zip(&answers)
                .filter(|(_, answer)| matches!(answer, AnswerBody::Approve))
                .map(|(text, _)| text)
                .collect();
            assert_eq!(house.effects(), run, "{format:?}");
            let sent = provider.taken();
            assert_eq!(sent.len(), 2, "{format:?}");
            let told = sent[1].to_string();
            for answer in &answers {
                if let AnswerBody::Reject { reason: Some(reason) } = answer {
                    assert!(told.contains(reason.as_str()), "{format:?}: {reason} is not in {told}");
                }
            }
        }
    }
}

/// D-57, D-108, L-034: what the conversation moves past was never called, for the model, and takes along what belonged to it.
#[tokio::test]
async fn what_is_passed_by_leaves_every_format() {
    for format in WireFormat::ALL {
        for answered in [None, Some(0), Some(1)] {
            let says = vec![Say::Calls(WRITES), Say::Words("Fine."), Say::Calls(WRITES), Say::Words("Done.")];
            let (mut house, provider) = house(format, Mode::Default, says).await;
            house.start(text_input("Do both.")).await.unwrap();
            house.settled().await;
            let bodies: Vec<(usize, AnswerBody)> =
                answered.into_iter().map(|place| (place, AnswerBody::Approve)).collect();
            let answers = house.answers(&bodies).await;
            house.start(RunInput { text: Some("Something else.".to_owned()), ..answers }).await.unwrap();
            house.settled().await;
            assert_eq!(house.last_end().await, Some(RunEnd::Completed), "{format:?} {answered:?}");
            // Another two, so that a turn that lost its calls is history by then.
            house.start(text_input("Both again.")).await.unwrap();
            house.settled().await;
            house.answer(&[(0, AnswerBody::Approve), (1, reject("no"))]).await;
            let sent = provider.taken();
            assert_eq!(sent.len(), 4, "{format:?}");
            let told = sent[1].to_string();
            for (place, id) in ["0_0", "0_1"].into_iter().enumerate() {
                assert_eq!(told.contains(id), answered == Some(place), "{format:?}: {id} in {told}");
            }
            assert!(told.contains("I'll do that.") && told.contains("Something else."), "{format:?}: {told}");
        }
    }
}

/// D-108, AN-6: thinking, temperature and a limit that are switched on while a request waits count from the answering run on, and no
/// provider refuses the history for them.
#[tokio::test]
async fn what_is_asked_of_a_model_can_change_while_it_waits() {
    for format in WireFormat::ALL {
        let says = vec![Say::Calls(WRITES), Say::Words("Done."), Say::Words("Again.")];
        let (mut house, provider) = house(format, Mode::Default, says).await;
        house.start(text_input("Do both.")).await.unwrap();
        house.settled().await;
        let messages = format == WireFormat::AnthropicMessages;
        let effort = Thinking::Effort { effort: Effort::Low };
        let asking = ModelSettings {
            temperature: (!messages).then_some(20),
            most_tokens: Some(9_000),
            thinking: if messages { Thinking::Budget { tokens: 2_048 } } else { effort },
            ..ModelSettings::default()
        };
        wire_asking(&mut house, format, &provider, asking).await;
        house.answer(&[(0, AnswerBody::Approve), (1, reject("no"))]).await;
        house.start(text_input("And now?")).await.unwrap();
        house.settled().await;
        assert_eq!(house.last_end().await, Some(RunEnd::Completed), "{format:?}");
        let sent = provider.taken();
        assert_eq!(sent.len(), 3, "{format:?}");
        let asked = |request: &Value| match format {
            WireFormat::OpenAiChat => (request["max_tokens"] == 9_000, request["reasoning_effort"] == "low"),
            WireFormat::OpenAiResponses => {
                (request["max_output_tokens"] == 9_000, request["reasoning"]["effort"] == "low")
            }
            WireFormat::AnthropicMessages => {
                (request["max_tokens"] == 9_000, request["thinking"]["budget_tokens"] == 2_048)
            }
        };
        assert_eq!(sent.iter().map(asked).collect::<Vec<_>>()[0], (false, false), "{format:?}");
        assert_eq!(asked(&sent[2]), (true, true), "{format:?}");
    }
}

/// PL-3, PL-6, D-26: a plan is sent back, made again, approved into Auto, and its call runs.
#[tokio::test]
async fn plans_go_through_every_format() {
    for format in WireFormat::ALL {
        let says = vec![Say::Calls(PLAN), Say::Calls(PLAN), Say::Calls(WRITES), Say::Words("Done.")];
        let (mut house, provider) = house(format, Mode::Plan, says).await;
        house.start(text_input("Plan it.")).await.unwrap();
        house.settled().await;
        house.answer(&[(0, reject("smaller steps"))]).await;
        house.answer(&[(0, AnswerBody::ApprovePlan { into: Mode::Auto, until: Until::RunEnds, ends_at: None })]).await;
        assert_eq!(house.last_end().await, Some(RunEnd::Completed), "{format:?}");
        assert_eq!(house.effects(), exact(), "{format:?}");
        let sent = provider.taken();
        assert_eq!(sent.len(), 4, "{format:?}");
        assert!(sent[1].to_string().contains("smaller steps"), "{format:?}");
        let tools = |request: &Value| request["tools"].as_array().unwrap().len();
        assert!(tools(&sent[0]) < tools(&sent[2]), "{format:?}: every tool is offered once the plan is approved");
    }
}

/// D-71, L-026: a stream that breaks leaves nothing, and one more try goes through.
#[tokio::test]
async fn a_cut_stream_leaves_nothing_in_every_format() {
    for format in WireFormat::ALL {
        let (mut house, provider) = house(format, Mode::Default, vec![Say::Cut, Say::Words("Done.")]).await;
        house.start(text_input("Do both.")).await.unwrap();
        let head = house.settled().await;
        let Some(RunEnd::Failed { failure }) = house.last_end().await else { panic!("{format:?}: it was cut") };
        assert_eq!(failure.kind, FailureKind::Cut, "{format:?}: {failure:?}");
        assert_eq!((head.calls.len(), head.requests.len(), head.conversation.next_seq), (0, 0, 2), "{format:?}");
        assert!(head.conversation.awaits_reply, "{format:?}: it can be tried again");
        assert_eq!(provider.taken().len(), 1, "{format:?}: nobody paid twice");
        house.start(RunInput::default()).await.unwrap();
        house.settled().await;
        assert_eq!(house.last_end().await, Some(RunEnd::Completed), "{format:?}");
        let sent = provider.taken();
        assert_eq!(sent[0], sent[1], "{format:?}: the same is asked again");
    }
}

/// L-055: a conversation goes on where another format left it, and back again, with calls in its history.
#[tokio::test]
async fn the_format_can_change_between_runs() {
    for first in WireFormat::ALL {
        for second in WireFormat::ALL.into_iter().filter(|second| *second != first) {
            let says = || vec![Say::Calls(WRITES), Say::Words("Done."), Say::Words("Done.")];
            let (mut house, one) = house(first, Mode::Auto, says()).await;
            house.start(text_input("Do both.")).await.unwrap();
            house.settled().await;
            let other = Provider::new(second, says()).await;
            wire(&mut house, second, &other).await;
            house.start(text_input("Again.")).await.unwrap();
            house.settled().await;
            wire(&mut house, first, &one).await;
            house.start(text_input("What was done?")).await.unwrap();
            house.settled().await;
            assert_eq!(house.last_end().await, Some(RunEnd::Completed), "{first:?} {second:?}");
            assert_eq!(house.effects().len(), 4, "{first:?} {second:?}");
            assert_eq!((one.taken().len(), other.taken().len()), (3, 2), "{first:?} {second:?}");
        }
    }
}
