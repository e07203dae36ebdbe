//! What of an agent's settings each format is sent, and what becomes of a refusal.

use countersign_core::asking::{Effort, ExtraHeader, HeaderValue, ModelSettings, Thinking};
use serde_json::{Value, json};

use super::*;
use crate::strict::Strict;

fn header(name: &str, value: HeaderValue) -> ExtraHeader {
    ExtraHeader { name: name.to_owned(), value }
}

fn full(format: WireFormat) -> ModelSettings {
    let thinking = match format {
        WireFormat::OpenAiChat | WireFormat::OpenAiResponses => Thinking::Effort { effort: Effort::High },
        WireFormat::AnthropicMessages => Thinking::Budget { tokens: 2_048 },
    };
    // Messages take no temperature with thinking.
    let temperature = (format != WireFormat::AnthropicMessages).then_some(70);
    ModelSettings { temperature, most_tokens: Some(4_096), thinking, ..ModelSettings::default() }
}

fn recorded(format: WireFormat) -> String {
    let folder = match format {
        WireFormat::OpenAiChat => "openai_chat",
        WireFormat::OpenAiResponses => "openai_responses",
        WireFormat::AnthropicMessages => "anthropic_messages",
    };
    std::fs::read_to_string(format!("{}/fixtures/{folder}/text.sse", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn asking(format: WireFormat, server: &Server, settings: &ModelSettings) -> Remote {
    let key = Some(SecretString::from(KEY));
    let model = Remote::new(format, &server.base(), "m", key).unwrap().with_first_wait(Duration::from_millis(1));
    let secrets = vec![("X-Gate".to_owned(), SecretString::from("gate-secret-77"))];
    model.with_settings(settings, secrets).unwrap()
}

/// The body that is sent, which the strict provider takes.
async fn sent(format: WireFormat, settings: &ModelSettings) -> Value {
    let server = Server::with(vec![Answer::stream(&recorded(format), &[])]).await;
    asking(format, &server, settings).reply(prompt(), Deltas::nowhere()).await.unwrap();
    let body: Value = serde_json::from_str(&server.requests()[0].body).unwrap();
    assert_eq!(Strict::default().accepts(format, &body), Ok(()), "{format:?}");
    body
}

#[tokio::test]
async fn each_format_is_told_in_its_own_fields() {
    for (format, expected) in [
        (WireFormat::OpenAiChat, json!({ "temperature": 0.7, "max_tokens": 4096, "reasoning_effort": "high" })),
        (
            WireFormat::OpenAiResponses,
            json!({ "temperature": 0.7, "max_output_tokens": 4096, "reasoning": { "effort": "high" } }),
        ),
        (
            WireFormat::AnthropicMessages,
            json!({ "max_tokens": 4096, "thinking": { "type": "enabled", "budget_tokens": 2048 } }),
        ),
    ] {
        let plain = sent(format, &ModelSettings::default()).await;
        let mut body = sent(format, &full(format)).await;
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(&body[name], value, "{format:?}: {name}");
            body[name].take();
        }
        // Nothing else differs, and where nothing is said nothing is sent.
        let mut rest = plain.clone();
        for name in expected.as_object().unwrap().keys() {
            assert!(rest[name].is_null() || name == "max_tokens", "{format:?}: {name} is sent unasked");
            rest[name].take();
        }
        assert_eq!(body, rest, "{format:?}");
        let off = ModelSettings { thinking: Thinking::Off, ..ModelSettings::default() };
        let body = sent(format, &off).await;
        match format {
            WireFormat::OpenAiChat => assert_eq!(body["reasoning_effort"], "none"),
            WireFormat::OpenAiResponses => assert_eq!(body["reasoning"], json!({ "effort": "none" })),
            WireFormat::AnthropicMessages => assert_eq!(body["thinking"], json!({ "type": "disabled" })),
        }
    }
    let temperature = ModelSettings { temperature: Some(5), ..ModelSettings::default() };
    assert_eq!(sent(WireFormat::AnthropicMessages, &temperature).await["temperature"], json!(0.05));
    // Where the person says no limit there is room beside the thinking.
    let deep = ModelSettings { thinking: Thinking::Budget { tokens: 60_000 }, ..ModelSettings::default() };
    assert_eq!(sent(WireFormat::AnthropicMessages, &deep).await["max_tokens"], 68_000);
}

/// D-108, L-055: from round to round what was sent before stays byte for byte, whatever the settings are.
#[tokio::test]
async fn the_history_keeps_its_bytes_whatever_is_asked_for() {
    for format in WireFormat::ALL {
        for settings in [ModelSettings::default(), full(format)] {
            let server = Server::start(move |_, _| Answer::stream(&recorded(format), &[])).await;
            let model = asking(format, &server, &settings);
            let reply = model.reply(prompt(), Deltas::nowhere()).await.unwrap();
            let mut next = prompt();
            next.messages.push(Arc::new(ViewItem::Assistant {
                text: reply.text.clone(),
                raw: reply.raw.clone(),
                calls: Vec::new(),
                dropped: 0,
            }));
            next.messages.push(Arc::new(ViewItem::User { text: "And?".to_owned() }));
            model.reply(next, Deltas::nowhere()).await.unwrap();
            let requests = server.requests();
            // Cache marks move on in Messages; what stands before the last message of the first request doesn't change.
            let (first, second) = (requests[0].body.as_str(), requests[1].body.as_str());
            let same = first.bytes().zip(second.bytes()).take_while(|(one, other)| one == other).count();
            let last = first.rfind("user").unwrap();
            assert!(same > last, "{format:?}: {} is what stays of {first}", &first[..same]);
            let behind = |body: &str| body[body.rfind("\"stream\":true").unwrap()..].to_owned();
            assert_eq!(behind(first), behind(second), "{format:?}: what is asked for stays");
        }
    }
}

/// A server that doesn't know the newer field would pass over it in silence, so the older one is tried first.
#[tokio::test]
async fn chat_is_limited_in_the_field_that_the_server_takes() {
    let format = WireFormat::OpenAiChat;
    let refusal = r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."}}"#;
    let server = Server::start(move |request, _| {
        if request.body.contains("\"max_tokens\"") {
            Answer::json(400, refusal)
        } else {
            Answer::stream(&recorded(format), &[])
        }
    })
    .await;
    let settings = ModelSettings { most_tokens: Some(900), ..ModelSettings::default() };
    let model = asking(format, &server, &settings);
    for _ in 0..2 {
        model.reply(prompt(), Deltas::nowhere()).await.unwrap();
    }
    let requests = server.requests();
    assert_eq!(requests.len(), 3, "learned once");
    assert!(requests[1..].iter().all(|request| request.body.contains("\"max_completion_tokens\":900")));
}

/// What the person asks for is never left out in silence: the refusal says which setting it is about.
#[tokio::test]
async fn a_model_that_refuses_a_setting_is_said_to() {
    for (format, refusal, what) in [
        (
            WireFormat::OpenAiChat,
            "Unsupported value: 'temperature' does not support 0.7 with this model.",
            "temperature",
        ),
        (WireFormat::OpenAiChat, "Unrecognized request argument supplied: reasoning_effort", "thinking"),
        (WireFormat::OpenAiChat, "max_tokens is too large: 4096. This model supports at most 2048.", "tokens a reply"),
        (WireFormat::OpenAiResponses, "Unsupported parameter: 'reasoning.effort' is not supported", "thinking"),
        (WireFormat::OpenAiResponses, "Unsupported parameter: 'temperature'", "temperature"),
        (
            WireFormat::AnthropicMessages,
            "thinking.enabled.budget_tokens: this model does not support thinking",
            "thinking",
        ),
        (
            WireFormat::AnthropicMessages,
            "max_tokens: 4096 > 2000, which is the maximum allowed number of output tokens",
            "tokens a reply",
        ),
    ] {
        let body = json!({ "error": { "message": refusal } }).to_string();
        let server = Server::start(move |_, _| Answer::json(400, &body)).await;
        let failure = asking(format, &server, &full(format)).reply(prompt(), Deltas::nowhere()).await.unwrap_err();
        assert_eq!((failure.kind, server.requests().len()), (FailureKind::Agent, 1), "{format:?}: {}", failure.text);
        assert!(failure.text.contains(what) && failure.text.contains(refusal), "{}", failure.text);
    }
    let wrong = Remote::new(WireFormat::OpenAiChat, "http://127.0.0.1:9", "m", None).unwrap();
    let failure = wrong.with_settings(&full(WireFormat::AnthropicMessages), Vec::new()).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Agent, "a setting that the format hasn't is refused before anything is sent");
}

/// Headers go with every request; what is secret in them is in no text.
#[tokio::test]
async fn headers_go_along_and_their_secrets_stay_out_of_texts() {
    let headers =
        vec![header("x-tenant", HeaderValue::Plain { text: "blue".to_owned() }), header("X-Gate", HeaderValue::Secret)];
    let settings = ModelSettings { headers, ..ModelSettings::default() };
    for format in WireFormat::ALL {
        let said = r#"{"error":{"message":"gate-secret-77 is not known here"}}"#;
        let server = Server::with(vec![Answer::json(400, said)]).await;
        let model = asking(format, &server, &settings);
        let failure = model.reply(prompt(), Deltas::nowhere()).await.unwrap_err();
        assert!(!failure.text.contains("gate-sec") && !format!("{model:?}").contains("gate-sec"), "{}", failure.text);
        let head = server.requests()[0].head.to_ascii_lowercase();
        assert!(head.contains("x-tenant: blue\r\n") && head.contains("x-gate: gate-secret-77\r\n"), "{head}");
        assert!(!server.requests()[0].body.contains("gate-secret"));
        let none = Remote::new(format, &server.base(), "m", None).unwrap().with_settings(&settings, Vec::new());
        assert!(none.unwrap_err().text.contains("X-Gate"), "a secret that is nowhere is said");
    }
}

/// D-108: a round that began without thinking ends without it, or Messages refuse the history; the next one thinks.
#[tokio::test]
async fn thinking_that_was_switched_on_in_a_pause_begins_with_the_next_turn() {
    let format = WireFormat::AnthropicMessages;
    let call = |raw: &str| {
        let mut prompt = prompt();
        prompt.messages.push(Arc::new(ViewItem::Assistant {
            text: String::new(),
            raw: Some(raw.to_owned()),
            calls: vec![ViewCall {
                provider_id: "a".to_owned(),
                position: 0,
                name: "write".to_owned(),
                arguments: "{}".to_owned(),
            }],
            dropped: 0,
        }));
        let result = ViewResult { provider_id: "a".to_owned(), text: "ok".to_owned() };
        prompt.messages.push(Arc::new(ViewItem::Results(vec![result])));
        prompt
    };
    let plain = r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"write","input":{}}]}"#;
    let thought = json!({ "type": "thinking", "thinking": "Hm.", "signature": "S" });
    let thinking = format!(
        r#"{{"role":"assistant","content":[{thought},{{"type":"tool_use","id":"a","name":"write","input":{{}}}}]}}"#
    );
    let say = |mut prompt: Prompt| {
        prompt.messages.push(Arc::new(ViewItem::User { text: "And this.".to_owned() }));
        prompt
    };
    let over = |mut prompt: Prompt| {
        let text = "Done.".to_owned();
        prompt.messages.push(Arc::new(ViewItem::Assistant { text, raw: None, calls: Vec::new(), dropped: 0 }));
        say(prompt)
    };
    for (prompt, expected) in [
        (call(plain), false),
        (say(call(plain)), false),
        (over(call(plain)), true),
        (call(&thinking), true),
        (say(call(&thinking)), true),
    ] {
        let server = Server::with(vec![Answer::stream(&recorded(format), &[])]).await;
        asking(format, &server, &full(format)).reply(prompt, Deltas::nowhere()).await.unwrap();
        let body: Value = serde_json::from_str(&server.requests()[0].body).unwrap();
        assert_eq!(body["thinking"]["type"] == "enabled", expected, "{body}");
        let mut strict = Strict::default();
        strict.sign(&thought);
        assert_eq!(strict.accepts(format, &body), Ok(()), "{body}");
    }
}
