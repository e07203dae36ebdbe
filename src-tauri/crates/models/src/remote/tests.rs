use std::sync::{Arc, Mutex};

use countersign_core::input::ProposedCall;
use countersign_core::spending::Usage;
use countersign_core::tool::{Effect, Marks, Origin, Tool, ToolIdentity};
use countersign_core::transcript::{ViewCall, ViewResult};
use proptest::prelude::*;

use super::*;
use crate::server::{Answer, Server};

const KEY: &str = "sk-0123456789abcdef";

fn prompt() -> Prompt {
    let user = ViewItem::User { text: "hi".to_owned() };
    let tool = Tool {
        identity: ToolIdentity { origin: Origin::Conversation, name: "look".to_owned() },
        description: "Looks.".to_owned(),
        parameters: r#"{"type":"object","maximum":9007199254740993}"#.to_owned(),
        effect: Effect::Read,
        marks: Marks::default(),
    };
    Prompt { system: "be brief".to_owned(), messages: vec![Arc::new(user)], tools: vec![tool] }
}

fn model(server: &Server) -> Remote {
    let key = Some(SecretString::from(KEY));
    Remote::new(WireFormat::OpenAiChat, &server.base(), "m", key).unwrap().with_first_wait(Duration::from_millis(1))
}

/// The reply, or what went wrong, and the text that was streamed.
async fn ask(server: &Server) -> (Result<ModelReply, Failure>, String) {
    let streamed = Arc::new(Mutex::new(String::new()));
    let sink = Arc::clone(&streamed);
    let reply = model(server).reply(prompt(), Deltas::to(move |piece| sink.lock().unwrap().push_str(piece))).await;
    if let Err(failure) = &reply {
        assert!(!failure.text.contains("sk-012") && !failure.text.contains(KEY), "no key in a text: {}", failure.text);
    }
    let streamed = streamed.lock().unwrap().clone();
    (reply, streamed)
}

fn events(events: &[&str]) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).collect::<Vec<_>>().concat()
}

/// A reply with words and two calls whose pieces are mixed.
fn two_calls() -> String {
    let first = r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"look","arguments":""}}]}}]}"#;
    format!(
        ": a comment\r\n\r\n{}",
        events(&[
            r#"{"choices":[{"index":0,"delta":{"content":"Größe "}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"😀"}}]}"#,
            first,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"n\":90071992"}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"write","arguments":"{\"é\":"}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"54740993}"}},{"index":1,"function":{"arguments":"1}"}}]}}]}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}],"usage":null}"#,
            r#"{"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":5}}"#,
            "[DONE]",
        ])
    )
}

fn check_two_calls(reply: &ModelReply) {
    let call = |id: &str, name: &str, arguments: &str| ProposedCall {
        provider_id: id.to_owned(),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
    };
    assert_eq!(reply.text, "Größe 😀");
    assert_eq!(reply.calls, [call("a", "look", r#"{"n":9007199254740993}"#), call("b", "write", r#"{"é":1}"#)]);
    assert_eq!(reply.usage, Some(Usage { input: 12, output: 5, ..Usage::default() }));
}

#[tokio::test]
async fn a_reply_with_two_calls_comes_whole_and_goes_back_the_same() {
    let server = Server::with(vec![Answer::stream(&two_calls(), &[])]).await;
    let (reply, streamed) = ask(&server).await;
    let reply = reply.unwrap();
    check_two_calls(&reply);
    assert_eq!(streamed, "Größe 😀");
    let request = &server.requests()[0];
    assert!(request.line.starts_with("POST /v1/chat/completions "), "{}", request.line);
    assert!(
        request.head.to_ascii_lowercase().contains(&format!("authorization: bearer {KEY}")),
        "the key goes in its header"
    );
    assert!(!request.body.contains(KEY), "and nowhere else");
    for part in [
        r#""stream":true"#,
        r#""stream_options":{"include_usage":true}"#,
        r#""tool_choice":"auto""#,
        r#"{"role":"system","content":"be brief"}"#,
        r#""parameters":{"type":"object","maximum":9007199254740993}"#,
    ] {
        assert!(request.body.contains(part), "{part} is in {}", request.body);
    }

    let raw = reply.raw.clone().unwrap();
    let calls = reply.calls.iter().zip(0..).map(|(call, position)| ViewCall {
        provider_id: call.provider_id.clone(),
        position,
        name: call.name.clone(),
        arguments: call.arguments.clone(),
    });
    let results =
        reply.calls.iter().map(|call| ViewResult { provider_id: call.provider_id.clone(), text: "ok".to_owned() });
    let mut next = prompt();
    next.messages.push(Arc::new(ViewItem::Assistant {
        text: reply.text,
        raw: Some(raw.clone()),
        calls: calls.collect(),
        dropped: 0,
    }));
    next.messages.push(Arc::new(ViewItem::Results(results.collect())));
    model(&server).reply(next, Deltas::nowhere()).await.unwrap();
    assert!(server.requests()[1].body.contains(&raw), "byte for byte");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Wherever the network cuts the bytes, the reply is the same.
    #[test]
    fn any_split_gives_the_same_reply(cuts in prop::collection::vec(0_usize..1_600, 0..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let server = Server::with(vec![Answer::stream(&two_calls(), &cuts)]).await;
            check_two_calls(&ask(&server).await.0.unwrap());
        });
    }
}

#[tokio::test]
async fn nothing_is_kept_of_a_reply_that_breaks_off() {
    let whole = two_calls();
    let done = whole.find(r#"{"choices":[{"delta":{},"finish_reason""#).unwrap();
    let half = &whole[..done - "data: ".len()];
    let error = format!("{half}data: {{\"error\":{{\"message\":\"overloaded {KEY}\"}}}}\n\ndata: [DONE]\n\n");
    let named = format!("{half}event: error\ndata: {{\"message\":\"out of memory\"}}\n\n");
    for (name, answer, text) in [
        ("ends without a sign", Answer::stream(half, &[]), "ended in the middle"),
        ("the connection goes", Answer::stream(half, &[]).cut(), "broke off"),
        ("goes in the middle of a line", Answer::stream(&whole[..done + 4], &[7, 90]).cut(), "broke off"),
        ("an error in the middle", Answer::stream(&error, &[200]), "broke off its reply with an error"),
        ("a named error", Answer::stream(&named, &[]), "broke off its reply: out of memory"),
        ("not JSON", Answer::stream(&format!("{half}data: oops\n\n"), &[]), "can't be read"),
        ("empty", Answer::stream("", &[]), "ended in the middle"),
    ] {
        let server = Server::with(vec![answer]).await;
        let (reply, _) = ask(&server).await;
        let failure = reply.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Cut, "{name}: {}", failure.text);
        assert!(failure.text.contains(text), "{name}: {}", failure.text);
        assert_eq!(server.requests().len(), 1, "{name}: a reply that had begun isn't asked for again");
    }
}

#[tokio::test]
async fn a_missing_goodbye_costs_nothing() {
    let whole = two_calls();
    let until = whole.find("data: [DONE]").unwrap();
    for answer in [Answer::stream(&whole[..until], &[]), Answer::stream(&whole[..until], &[]).cut()] {
        let server = Server::with(vec![answer]).await;
        check_two_calls(&ask(&server).await.0.unwrap());
    }
}

#[tokio::test]
async fn refusals_have_their_kinds() {
    let echo = format!(r#"{{"error":{{"message":"wrong key {KEY}"}}}}"#);
    for (answer, kind, requests) in [
        (Answer::json(401, &echo), FailureKind::Unauthorized, 1),
        (Answer::json(403, &echo), FailureKind::Unauthorized, 1),
        (Answer::json(404, r#"{"error":{"message":"model 'm' not found"}}"#), FailureKind::UnknownModel, 1),
        (Answer::json(400, r#"{"error":{"message":"x","code":"model_not_found"}}"#), FailureKind::UnknownModel, 1),
        (Answer::json(400, &echo), FailureKind::Refused, 1),
        (Answer::json(500, &echo), FailureKind::Refused, 4),
        (Answer::json(429, "{}"), FailureKind::Refused, 4),
        (Answer::json(429, "{}").with("retry-after: 31"), FailureKind::Refused, 1),
        (Answer::status(302, "text/plain", "").with("location: http://127.0.0.1:9/"), FailureKind::Refused, 1),
        (Answer::status(200, "text/html", "<html>"), FailureKind::Refused, 1),
    ] {
        let server = Server::with(vec![answer.clone()]).await;
        let failure = ask(&server).await.0.unwrap_err();
        assert_eq!(failure.kind, kind, "{answer:?}: {}", failure.text);
        assert_eq!(server.requests().len(), requests, "{answer:?}");
    }
}

#[tokio::test]
async fn what_passes_is_asked_for_again() {
    let ok = Answer::stream(&two_calls(), &[]);
    let server =
        Server::with(vec![Answer::json(429, "{}").with("retry-after: 0"), Answer::json(503, "busy"), ok]).await;
    check_two_calls(&ask(&server).await.0.unwrap());
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn an_endpoint_that_counts_no_tokens_is_asked_without() {
    let server = Server::start(|request, _| {
        if request.body.contains("stream_options") {
            Answer::json(422, r#"{"detail":"extra field stream_options"}"#)
        } else {
            Answer::stream(&two_calls(), &[])
        }
    })
    .await;
    check_two_calls(&ask(&server).await.0.unwrap());
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn nobody_there_is_said() {
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let model = Remote::new(WireFormat::OpenAiChat, &format!("http://127.0.0.1:{port}"), "m", None).unwrap();
    let failure = model.with_first_wait(Duration::ZERO).reply(prompt(), Deltas::nowhere()).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unreachable);
    assert!(failure.text.contains(&format!("127.0.0.1:{port}")), "{}", failure.text);
}

#[tokio::test]
async fn a_reply_at_once_is_taken_too() {
    let body = r#"{"choices":[{"message":{"role":"assistant","content":"Hi","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}"#;
    let server = Server::with(vec![Answer::json(200, body)]).await;
    let reply = ask(&server).await.0.unwrap();
    assert_eq!((reply.text.as_str(), reply.calls.len()), ("Hi", 1));
}

#[tokio::test]
async fn dropping_the_call_ends_it() {
    let server = Server::with(vec![Answer::stream(&two_calls(), &(0..1_600).collect::<Vec<_>>())]).await;
    let late = Arc::new(Mutex::new(String::new()));
    let sink = Arc::clone(&late);
    let model = model(&server);
    let call = model.reply(prompt(), Deltas::to(move |piece| sink.lock().unwrap().push_str(piece)));
    assert!(tokio::time::timeout(Duration::from_millis(20), call).await.is_err(), "it takes longer than that");
    let at_drop = late.lock().unwrap().clone();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(*late.lock().unwrap(), at_drop, "nothing comes after it was dropped");
}

#[test]
fn a_debug_form_shows_no_key() {
    let model = Remote::new(WireFormat::OpenAiChat, "http://127.0.0.1:1", "m", Some(SecretString::from(KEY))).unwrap();
    assert!(!format!("{model:?}").contains("0123456789"));
}

mod formats;
mod settings;
