//! The model behind a real HTTP server that speaks the chat-completions stream, cut into pieces at random places.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use countersign_core::agent::{AgentProfile, WireFormat};
use countersign_core::answer::AnswerBody;
use countersign_core::mode::Mode;
use countersign_core::run::{Failure, FailureKind, RunEnd};
use countersign_core::server::ServerProfile;
use countersign_engine::engine::Engine;
use countersign_engine::ports::{Outfit, Outfitter, Purpose, SystemClock};
use countersign_models::remote::Remote;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::house::{House, text_input};

/// How a response ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    Well,
    /// The connection breaks in the middle of the stream.
    Cut,
    /// An error stands in the stream.
    Error,
}

/// A server that plays its responses in order and writes down what it was sent.
struct Server {
    address: String,
    requests: Arc<Mutex<Vec<Value>>>,
}

fn events(pieces: &[Value], ends: Ends) -> Vec<u8> {
    let mut stream = String::new();
    for piece in pieces {
        write!(stream, "data: {piece}\r\n\r\n: a comment\n\n").unwrap();
    }
    match ends {
        Ends::Well => stream.push_str("data: [DONE]\n\n"),
        Ends::Cut => {}
        Ends::Error => stream.push_str("data: {\"error\":{\"message\":\"the model fell over\",\"code\":500}}\n\n"),
    }
    stream.into_bytes()
}

fn delta(delta: Value, finish: Option<&str>) -> Value {
    json!({ "id": "x", "object": "chat.completion.chunk", "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] })
}

/// Two calls whose arguments come in turns, piece by piece, split inside of a string and of a character outside ASCII.
fn two_calls() -> Vec<Value> {
    let piece = |index: u32, arguments: &str| {
        delta(json!({ "tool_calls": [{ "index": index, "function": { "arguments": arguments } }] }), None)
    };
    let begin = |index: u32, id: &str, name: &str| {
        let function = json!({ "name": name, "arguments": "" });
        delta(json!({ "tool_calls": [{ "index": index, "id": id, "type": "function", "function": function }] }), None)
    };
    vec![
        delta(json!({ "role": "assistant", "content": "Grüße, " }), None),
        delta(json!({ "content": "I'll do both." }), None),
        begin(0, "call_a", "write"),
        piece(0, "{\"text\": \"ä"),
        begin(1, "call_b", "write"),
        piece(1, "{\"n\":"),
        piece(0, "😀\\n\\\"\"}"),
        piece(1, "  2.0}"),
        delta(json!({}), Some("tool_calls")),
    ]
}

fn done() -> Vec<Value> {
    vec![delta(json!({ "role": "assistant", "content": "Done." }), None), delta(json!({}), Some("stop"))]
}

impl Server {
    async fn new(responses: Vec<(Vec<Value>, Ends)>, mut seed: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/v1", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let written = Arc::clone(&requests);
        tokio::spawn(async move {
            for (pieces, ends) in responses {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = read_request(&mut stream).await;
                written.lock().unwrap().push(request);
                respond(&mut stream, &events(&pieces, ends), ends, &mut seed).await;
            }
        });
        Self { address, requests }
    }
}

pub(crate) async fn read_request(stream: &mut TcpStream) -> Value {
    let mut bytes = Vec::new();
    loop {
        let mut buffer = [0; 4096];
        let read = stream.read(&mut buffer).await.unwrap();
        bytes.extend_from_slice(&buffer[..read]);
        let Some(head) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let headers = String::from_utf8_lossy(&bytes[..head]).to_ascii_lowercase();
        let length: usize =
            headers.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap().trim().parse().unwrap();
        if bytes.len() >= head + 4 + length {
            return serde_json::from_slice(&bytes[head + 4..]).unwrap();
        }
    }
}

pub(crate) async fn respond(stream: &mut TcpStream, body: &[u8], ends: Ends, seed: &mut u64) {
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut rest = body;
    while !rest.is_empty() {
        // A fixed sequence from a seed: small pieces, so that every kind of border is cut somewhere.
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let size = usize::try_from(*seed >> 33).unwrap() % 7 + 1;
        let (piece, next) = rest.split_at(size.min(rest.len()));
        stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes()).await.unwrap();
        stream.write_all(piece).await.unwrap();
        stream.write_all(b"\r\n").await.unwrap();
        stream.flush().await.unwrap();
        tokio::task::yield_now().await;
        rest = next;
    }
    if ends != Ends::Cut {
        stream.write_all(b"0\r\n\r\n").await.unwrap();
    }
    stream.shutdown().await.unwrap();
}

/// A short answer that is no stream.
pub(crate) async fn status(stream: &mut TcpStream, code: u16, body: &str) {
    let head = format!("HTTP/1.1 {code} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n", body.len());
    stream.write_all(format!("{head}connection: close\r\n\r\n{body}").as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
}

/// The tools of the house with the model of the server.
struct Wired {
    house: Arc<crate::house::Wardrobe>,
    address: String,
}

#[async_trait]
impl Outfitter for Wired {
    async fn outfit(
        &self,
        profile: &AgentProfile,
        servers: &[ServerProfile],
        purpose: Purpose,
    ) -> Result<Outfit, Failure> {
        let model = Remote::new(WireFormat::OpenAiChat, &self.address, "a-model", None)?;
        Ok(Outfit { model: Arc::new(model), ..self.house.outfit(profile, servers, purpose).await? })
    }
}

async fn wired(server: &Server) -> House {
    let mut house = House::new(Mode::Default).await;
    let wired = Wired { house: Arc::clone(&house.wardrobe), address: server.address.clone() };
    house.engine.close().await;
    let store = house.engine.store().clone();
    house.engine = Engine::open(store, Arc::new(wired), Arc::new(SystemClock), None).await.unwrap();
    house.news = house.engine.news();
    house
}

/// E-01, E-07, L-004, L-025, L-029: two parallel calls, one approved and one rejected; the provider gets exactly one result each.
#[tokio::test]
async fn two_parallel_calls() {
    for seed in 0..8 {
        let server = Server::new(vec![(two_calls(), Ends::Well), (done(), Ends::Well)], seed).await;
        let mut house = wired(&server).await;
        house.start(text_input("Do both.")).await.unwrap();
        let head = house.settled().await;
        let asked: Vec<_> = head.calls_in_order().iter().map(|call| call.arguments.clone()).collect();
        assert_eq!(asked, ["{\"text\": \"ä😀\\n\\\"\"}", "{\"n\":  2.0}"], "the exact text, seed {seed}");
        house.answer(&[(0, AnswerBody::Approve), (1, crate::house::reject("not twice"))]).await;
        assert_eq!(house.last_end().await, Some(RunEnd::Completed));
        assert_eq!(house.effects(), ["{\"text\": \"ä😀\\n\\\"\"}"]);
        let requests = server.requests.lock().unwrap();
        let [first, second] = &requests[..] else { panic!("two requests were expected") };
        assert_eq!(first["stream"], json!(true));
        assert!(first["tools"].as_array().is_some_and(|tools| tools.len() > 5));
        let messages = second["messages"].as_array().unwrap();
        let roles: Vec<&str> = messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
        assert_eq!(roles, ["system", "user", "assistant", "tool", "tool"]);
        assert_eq!(messages[2]["tool_calls"].as_array().unwrap().len(), 2, "both calls in one turn");
        assert_eq!((&messages[3]["tool_call_id"], &messages[4]["tool_call_id"]), (&json!("call_a"), &json!("call_b")));
        assert!(messages[4]["content"].as_str().unwrap().contains("not twice"));
    }
}

/// D-71, L-026: a stream that breaks asks nothing and runs nothing; what was there stays, and trying again works.
#[tokio::test]
async fn an_error_in_the_middle() {
    for ends in [Ends::Cut, Ends::Error] {
        let unfinished = two_calls()[..6].to_vec();
        // The server answers however often the adapter tries again by itself.
        let mut responses = vec![(unfinished, ends); 8];
        responses.push((done(), Ends::Well));
        let server = Server::new(responses, 42).await;
        let mut house = wired(&server).await;
        house.start(text_input("Do both.")).await.unwrap();
        let head = house.settled().await;
        let end = house.last_end().await;
        let Some(RunEnd::Failed { failure }) = end else { panic!("{end:?}") };
        assert!(matches!(failure.kind, FailureKind::Cut | FailureKind::Refused), "{failure:?}");
        assert_eq!((head.calls.len(), head.requests.len(), house.ran().len()), (0, 0, 0));
        assert!(head.conversation.awaits_reply, "it can be tried again");
        assert_eq!(head.conversation.next_seq, 2, "nothing of the reply is kept");
    }
}
