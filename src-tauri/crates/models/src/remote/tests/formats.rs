//! What is the same for all formats, and what each has of its own, over HTTP.

use super::*;

fn recorded(format: WireFormat, name: &str) -> String {
    let folder = match format {
        WireFormat::OpenAiChat => "openai_chat",
        WireFormat::OpenAiResponses => "openai_responses",
        WireFormat::AnthropicMessages => "anthropic_messages",
    };
    std::fs::read_to_string(format!("{}/fixtures/{folder}/{name}.sse", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn remote(format: WireFormat, server: &Server) -> Remote {
    let key = Some(SecretString::from(KEY));
    Remote::new(format, &server.base(), "m", key).unwrap().with_first_wait(Duration::from_millis(1))
}

async fn asked(format: WireFormat, answers: Vec<Answer>) -> (Result<ModelReply, Failure>, Vec<crate::server::Request>) {
    let server = Server::with(answers).await;
    let reply = remote(format, &server).reply(prompt(), Deltas::nowhere()).await;
    if let Err(failure) = &reply {
        assert!(!failure.text.contains("sk-012"), "no key in a text: {}", failure.text);
    }
    (reply, server.requests())
}

/// The prompt of the next round, with a result for each call.
fn next(reply: &ModelReply) -> Prompt {
    let calls = reply.calls.iter().zip(0..).map(|(call, position)| ViewCall {
        provider_id: call.provider_id.clone(),
        position,
        name: call.name.clone(),
        arguments: call.arguments.clone(),
    });
    let results = reply.calls.iter().map(|call| call.provider_id.clone());
    let mut next = prompt();
    next.messages.push(Arc::new(ViewItem::Assistant {
        text: reply.text.clone(),
        raw: reply.raw.clone(),
        calls: calls.collect(),
        dropped: 0,
    }));
    let results = results.map(|provider_id| ViewResult { provider_id, text: "ok".to_owned() });
    next.messages.push(Arc::new(ViewItem::Results(results.collect())));
    next
}

/// L-055: each format asks at its place, with its key, and sends a turn back as it came.
#[tokio::test]
async fn each_format_asks_in_its_own_way() {
    for (format, path, key) in [
        (WireFormat::OpenAiChat, "/v1/chat/completions", format!("authorization: bearer {KEY}")),
        (WireFormat::OpenAiResponses, "/v1/responses", format!("authorization: bearer {KEY}")),
        (WireFormat::AnthropicMessages, "/v1/messages", format!("x-api-key: {KEY}")),
    ] {
        let server = Server::with(vec![Answer::stream(&recorded(format, "thinking_call"), &[40, 500, 501])]).await;
        let model = remote(format, &server);
        let reply = model.reply(prompt(), Deltas::nowhere()).await.unwrap();
        model.reply(next(&reply), Deltas::nowhere()).await.unwrap();
        let requests = server.requests();
        for request in &requests {
            let head = request.head.to_ascii_lowercase();
            assert!(request.line.starts_with(&format!("POST {path} ")), "{}", request.line);
            assert!(head.contains(&key) && !request.body.contains(KEY), "the key goes in its header and nowhere else");
            assert_eq!(head.contains("anthropic-version: 2023-06-01"), format == WireFormat::AnthropicMessages);
            assert_eq!(head.contains("authorization"), format != WireFormat::AnthropicMessages);
            assert!(request.body.contains("\"stream\":true") && request.body.contains("9007199254740993"));
        }
        let raw = reply.raw.unwrap();
        let inside = raw.trim_start_matches('[').trim_end_matches(']');
        assert!(requests[1].body.contains(inside), "byte for byte: {inside} in {}", requests[1].body);
    }
}

/// D-71: nothing is kept of a reply that breaks off, and it isn't asked for again by itself.
#[tokio::test]
async fn a_reply_that_had_begun_is_never_asked_for_again() {
    for format in WireFormat::ALL {
        let whole = recorded(format, "parallel_calls");
        let half = &whole[..whole.len() / 2];
        let error = recorded(format, "error");
        for answer in [Answer::stream(half, &[]), Answer::stream(half, &[10]).cut(), Answer::stream(&error, &[])] {
            let (reply, requests) = asked(format, vec![answer]).await;
            let failure = reply.unwrap_err();
            assert_eq!((failure.kind, requests.len()), (FailureKind::Cut, 1), "{format:?}: {}", failure.text);
        }
    }
}

#[tokio::test]
async fn what_passes_is_asked_for_again_in_each_format() {
    for format in WireFormat::ALL {
        let ok = Answer::stream(&recorded(format, "text"), &[]);
        let busy = Answer::json(529, r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#);
        let many = Answer::json(429, "{}").with("retry-after: 0");
        let (reply, requests) = asked(format, vec![many, busy, ok]).await;
        assert_eq!((reply.unwrap().text.as_str(), requests.len()), ("Grüße, Welt 😀", 3), "{format:?}");
        let long = Answer::json(429, "{}").with("retry-after: 3600");
        assert_eq!(asked(format, vec![long]).await.1.len(), 1, "{format:?}: nobody waits for an hour");
    }
}

/// What is refused is left out, and stays out.
#[tokio::test]
async fn an_endpoint_is_asked_for_less_once() {
    for (format, word, refusal, later) in [
        (
            WireFormat::OpenAiResponses,
            "reasoning.encrypted_content",
            r#"{"error":{"message":"Encrypted content is not supported with this model.","param":"include"}}"#,
            "\"store\":false",
        ),
        (
            WireFormat::AnthropicMessages,
            "\"max_tokens\":32000",
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: 32000 > 4096, which is the maximum allowed number of output tokens for m"}}"#,
            "\"max_tokens\":4096",
        ),
    ] {
        let server = Server::start(move |request, _| {
            if request.body.contains(word) {
                Answer::json(400, refusal)
            } else {
                Answer::stream(&recorded(format, "text"), &[])
            }
        })
        .await;
        let model = remote(format, &server);
        for _ in 0..2 {
            model.clone().reply(prompt(), Deltas::nowhere()).await.unwrap();
        }
        let requests = server.requests();
        assert_eq!(requests.len(), 3, "{format:?}: the second reply is asked for with what was learned");
        assert!(requests[1..].iter().all(|request| request.body.contains(later)), "{format:?}");
    }
}

/// What another provider sealed can't be opened: the turns are written anew, and every call still has its result. A refusal of something
/// else is one.
#[tokio::test]
async fn a_history_with_foreign_seals_is_written_anew() {
    for (format, seal, refusal) in [
        (WireFormat::OpenAiChat, "thought_signature", "property 'reasoning_content' is unsupported"),
        (WireFormat::OpenAiResponses, "gAAAAABoX", "The encrypted content gAAA could not be verified."),
        (WireFormat::AnthropicMessages, "EqQBCgIYA", "messages.1.content.0: Invalid `signature` in `thinking` block"),
    ] {
        let earlier = Server::with(vec![Answer::stream(&recorded(format, "thinking_call"), &[])]).await;
        let reply = remote(format, &earlier).reply(prompt(), Deltas::nowhere()).await.unwrap();
        let next = next(&reply);
        let refusal = serde_json::json!({ "error": { "message": refusal } }).to_string();
        let server = Server::start(move |request, _| {
            if request.body.contains(seal) {
                Answer::json(400, &refusal)
            } else {
                Answer::stream(&recorded(format, "text"), &[])
            }
        })
        .await;
        let model = remote(format, &server);
        for _ in 0..2 {
            model.reply(next.clone(), Deltas::nowhere()).await.unwrap();
        }
        let requests = server.requests();
        assert_eq!(requests.len(), 3, "{format:?}: refused once, and known from then on");
        let strict = crate::strict::Strict::default();
        for request in &requests[1..] {
            assert_eq!(strict.accepts(format, &serde_json::from_str(&request.body).unwrap()), Ok(()), "{format:?}");
            assert!(request.body.contains("\"ok\""), "the results are there: {}", request.body);
        }
        let other = Answer::json(400, r#"{"error":{"message":"no credit left"}}"#);
        let server = Server::with(vec![other]).await;
        let failure = remote(format, &server).reply(next, Deltas::nowhere()).await.unwrap_err();
        assert_eq!((failure.kind, server.requests().len()), (FailureKind::Refused, 1), "{format:?}");
    }
}

#[tokio::test]
async fn what_the_provider_declines_is_said() {
    let format = WireFormat::AnthropicMessages;
    let (reply, requests) = asked(format, vec![Answer::stream(&recorded(format, "refusal"), &[])]).await;
    let failure = reply.unwrap_err();
    assert_eq!((failure.kind, requests.len()), (FailureKind::Refused, 1));
    assert_eq!(failure.text, "the provider declined to go on with this conversation: This isn't allowed.");
}

#[tokio::test]
async fn a_reply_at_once_is_taken_in_each_format() {
    for (format, body) in [
        (
            WireFormat::OpenAiResponses,
            r#"{"object":"response","status":"completed","output":[{"type":"function_call","call_id":"a","name":"f","arguments":"{}"}],"usage":{"input_tokens":3,"output_tokens":2}}"#,
        ),
        (
            WireFormat::AnthropicMessages,
            r#"{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":2}}"#,
        ),
    ] {
        let (reply, _) = asked(format, vec![Answer::json(200, body)]).await;
        let reply = reply.unwrap();
        let call = ProposedCall { provider_id: "a".to_owned(), name: "f".to_owned(), arguments: "{}".to_owned() };
        assert_eq!(
            (reply.calls, reply.usage),
            (vec![call], Some(Usage { input: 3, output: 2, ..Usage::default() })),
            "{format:?}"
        );
    }
}
