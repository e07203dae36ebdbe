//! A model server on this machine that speaks chat completions as a stream: what it says is written by the test, and it
//! says it when the test lets it.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use serde_json::{Value, json};

/// The most letters of arguments in one event.
const PIECE: usize = 100_000;

/// One turn of the model: words, and calls as tool and arguments.
#[derive(Debug, Clone)]
pub struct Turn {
    text: String,
    calls: Vec<(String, Value)>,
    held: bool,
}

impl Turn {
    /// Words alone end a run.
    pub fn says(text: &str) -> Self {
        Self { text: text.to_owned(), calls: Vec::new(), held: false }
    }

    /// And calls a tool.
    #[must_use]
    pub fn calls(mut self, tool: &str, arguments: Value) -> Self {
        self.calls.push((tool.to_owned(), arguments));
        self
    }

    /// Is only said when the test lets it.
    #[must_use]
    pub fn held(mut self) -> Self {
        self.held = true;
        self
    }
}

#[derive(Debug, Default)]
struct Script {
    turns: VecDeque<Turn>,
    asked: usize,
    told: Vec<String>,
    let_go: usize,
}

/// The server. It serves until the test ends.
#[derive(Debug)]
pub struct Model {
    address: String,
    script: Arc<(Mutex<Script>, Condvar)>,
}

impl Model {
    /// Plays the turns in order, one for each time that it is asked; afterwards it has nothing more to say.
    pub fn serve(turns: impl IntoIterator<Item = Turn>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port for the model");
        let address = format!("http://{}/v1", listener.local_addr().expect("its address"));
        let script = Script { turns: turns.into_iter().collect(), ..Script::default() };
        let script = Arc::new((Mutex::new(script), Condvar::new()));
        let played = Arc::clone(&script);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let script = Arc::clone(&played);
                // Whoever asked may be killed in the middle; that is the test's business.
                std::thread::spawn(move || drop(answer(stream, &script)));
            }
        });
        Self { address, script }
    }

    /// What an agent calls its endpoint.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// How often it was asked.
    pub fn asked(&self) -> usize {
        self.script.0.lock().unwrap_or_else(PoisonError::into_inner).asked
    }

    /// What it was sent, one text for each time that it was asked.
    pub fn told(&self) -> Vec<String> {
        self.script.0.lock().unwrap_or_else(PoisonError::into_inner).told.clone()
    }

    /// Lets one held turn be said.
    pub fn go_on(&self) {
        self.script.0.lock().unwrap_or_else(PoisonError::into_inner).let_go += 1;
        self.script.1.notify_all();
    }
}

fn answer(stream: TcpStream, script: &(Mutex<Script>, Condvar)) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    let mut line = String::new();
    let mut asks = false;
    while reader.read_line(&mut line)? > 2 {
        asks |= line.starts_with("POST") && line.contains("/chat/completions");
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or_default();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let mut stream = reader.into_inner();
    if !asks {
        return stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    }
    let told = String::from_utf8_lossy(&body).into_owned();
    script.0.lock().unwrap_or_else(PoisonError::into_inner).told.push(told);
    let turn = next(script);
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")?;
    for event in events(&turn) {
        write!(stream, "data: {event}\n\n")?;
    }
    stream.write_all(b"data: [DONE]\n\n")
}

fn next((script, changed): &(Mutex<Script>, Condvar)) -> Turn {
    let mut script = script.lock().unwrap_or_else(PoisonError::into_inner);
    script.asked += 1;
    let turn = script.turns.pop_front().unwrap_or_else(|| Turn::says("I have nothing more to say."));
    if turn.held {
        while script.let_go == 0 {
            script = changed.wait(script).unwrap_or_else(PoisonError::into_inner);
        }
        script.let_go -= 1;
    }
    turn
}

fn events(turn: &Turn) -> Vec<Value> {
    let chunk = |delta: Value, finish: Option<&str>| {
        json!({ "id": "turn", "object": "chat.completion.chunk",
            "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] })
    };
    let mut events = vec![chunk(json!({ "role": "assistant", "content": turn.text }), None)];
    for (index, (tool, arguments)) in turn.calls.iter().enumerate() {
        let function = json!({ "name": tool, "arguments": "" });
        let call = json!({ "index": index, "id": format!("call_{index}"), "type": "function", "function": function });
        events.push(chunk(json!({ "tool_calls": [call] }), None));
        // Nobody sends megabytes in one piece.
        let letters: Vec<char> = arguments.to_string().chars().collect();
        for piece in letters.chunks(PIECE) {
            let more = json!({ "index": index, "function": { "arguments": piece.iter().collect::<String>() } });
            events.push(chunk(json!({ "tool_calls": [more] }), None));
        }
    }
    events.push(chunk(json!({}), Some(if turn.calls.is_empty() { "stop" } else { "tool_calls" })));
    events
}
