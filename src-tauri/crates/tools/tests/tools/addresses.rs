//! Servers of tools behind an address: a hostile one, and one that sends its callers elsewhere.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use countersign_core::agent::KeySource;
use countersign_core::input::OutcomeKind;
use countersign_core::server::{Launch, ServerProfile, Value, Variable};
use countersign_engine::ports::Toolbox as _;
use countersign_tools::servers::State;
use serde_json::json;

use crate::servers::{ID, profile, run, with};

/// What is answered: a status line with further headers, and a body.
type Answer = (String, Vec<u8>);
/// Stands in a body for 100 MiB of text.
const HUGE: &str = "<100 MiB>";
static MEBIBYTE: &[u8] = &[b'x'; 1024 * 1024];
/// The headers of a request, by small letters.
type Headers = BTreeMap<String, String>;

/// Answers every request with what the function says of its headers and body: a status line, further headers, and a body.
fn serve(answer: impl Fn(&Headers, &serde_json::Value) -> Answer + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let answer = Arc::new(answer);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            std::thread::spawn(move || one(stream, &*answer));
        }
    });
    port
}

fn one(mut stream: TcpStream, answer: &dyn Fn(&Headers, &serde_json::Value) -> Answer) {
    let mut lines = BufReader::new(stream.try_clone().unwrap());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        if lines.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
            break;
        }
        let (name, value) = line.split_once(": ").unwrap_or(("request", &line));
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    if lines.read_exact(&mut body).is_err() {
        return;
    }
    let message = serde_json::from_slice(&body).unwrap_or_default();
    let (head, body) = answer(&headers, &message);
    let body = String::from_utf8(body).unwrap();
    // What is huge is made while it is sent: the memory of this process is what other tests measure.
    let (start, end) = body.split_once(HUGE).unwrap_or((&body, ""));
    let filler = if body.contains(HUGE) { 100 } else { 0 };
    let length = start.len() + filler * MEBIBYTE.len() + end.len();
    let head = format!("HTTP/1.1 {head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    let pieces = [head.as_bytes(), start.as_bytes()].into_iter();
    let pieces = pieces.chain(std::iter::repeat_n(MEBIBYTE, filler)).chain([end.as_bytes()]);
    for piece in pieces {
        if stream.write_all(piece).is_err() {
            return;
        }
    }
}

fn ok(message: &serde_json::Value, result: &serde_json::Value) -> Answer {
    let body = json!({"jsonrpc": "2.0", "id": message["id"], "result": result}).to_string();
    ("200 OK\r\nContent-Type: application/json".to_owned(), body.into_bytes())
}

fn at(port: u16, headers: Vec<Variable>) -> ServerProfile {
    let launch = Launch::Http { url: format!("http://127.0.0.1:{port}/mcp"), headers };
    ServerProfile { launch, start_s: 20, ..profile("well") }
}

#[tokio::test]
async fn a_hostile_address_is_held_to_its_size_and_says_so() {
    let sent = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&sent);
    let port = serve(move |headers, message| {
        seen.lock().unwrap().push(headers.get("authorization").cloned());
        match message["method"].as_str().unwrap_or_default() {
            "initialize" => ok(
                message,
                &json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "h", "version": "1"}}),
            ),
            "tools/list" => {
                let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
                ok(message, &json!({"tools": [tool("huge"), tool("small")]}))
            }
            "tools/call" if message["params"]["name"] == "huge" => {
                ok(message, &json!({"content": [{"type": "text", "text": HUGE}]}))
            }
            "tools/call" => ok(message, &json!({"content": [{"type": "text", "text": "small"}]})),
            _ => ("202 Accepted".to_owned(), Vec::new()),
        }
    });
    let secret = Value::Secret { from: KeySource::Keyring };
    let (servers, tools) = with(at(port, vec![Variable { name: "Authorization".to_owned(), value: secret }])).await;
    assert_eq!(servers.status(ID).unwrap().state, State::Running, "{:?}", servers.log(ID));
    let small = run(&tools, "small", "{}").await;
    assert_eq!((small.kind, small.text.as_str()), (OutcomeKind::Succeeded, "small"));
    let huge = run(&tools, "huge", "{}").await;
    assert_eq!(huge.kind, OutcomeKind::Unknown, "{huge:?}");
    assert!(huge.text.contains("may have been carried out"), "{huge:?}");
    servers.stop_all().await;
    let sent = sent.lock().unwrap();
    assert!(sent.iter().all(|header| header.as_deref() == Some("Bearer s3cret")), "{sent:?}");
}

/// A key in a header doesn't follow a server elsewhere.
#[tokio::test]
async fn an_address_that_sends_its_callers_elsewhere_is_not_followed() {
    let visits = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&visits);
    let elsewhere = serve(move |_, message| {
        seen.fetch_add(1, Ordering::SeqCst);
        ok(message, &json!({}))
    });
    let port = serve(move |_, _| {
        (format!("307 Temporary Redirect\r\nLocation: http://127.0.0.1:{elsewhere}/mcp"), Vec::new())
    });
    let (servers, tools) = with(at(port, Vec::new())).await;
    assert!(matches!(servers.status(ID).unwrap().state, State::Failed { .. }));
    assert!(tools.tools().is_empty());
    assert_eq!(visits.load(Ordering::SeqCst), 0);
    servers.stop_all().await;
}
