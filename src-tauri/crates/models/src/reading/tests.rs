//! Streams as the providers' documentation has them, one for each thing that can come, read at any border.

use std::sync::{Arc, Mutex};

use countersign_core::spending::Usage;
use proptest::prelude::*;

use super::*;

const TEXT: &str = "text";
const ONE_CALL: &str = "one_call";
const PARALLEL_CALLS: &str = "parallel_calls";
const THINKING_CALL: &str = "thinking_call";
const REFUSAL: &str = "refusal";
const ERROR: &str = "error";
const LIMIT: &str = "limit";

fn folder(format: WireFormat) -> &'static str {
    match format {
        WireFormat::OpenAiChat => "openai_chat",
        WireFormat::OpenAiResponses => "openai_responses",
        WireFormat::AnthropicMessages => "anthropic_messages",
    }
}

fn recorded(format: WireFormat, name: &str) -> Vec<u8> {
    let path = format!("{}/fixtures/{}/{name}.sse", env!("CARGO_MANIFEST_DIR"), folder(format));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every recorded stream.
fn all() -> Vec<(WireFormat, String, Vec<u8>)> {
    let of = |format| {
        let path = format!("{}/fixtures/{}", env!("CARGO_MANIFEST_DIR"), folder(format));
        let mut names: Vec<String> = std::fs::read_dir(path)
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap().replace(".sse", ""))
            .collect();
        names.sort();
        names.into_iter().map(move |name| (format, name.clone(), recorded(format, &name)))
    };
    WireFormat::ALL.into_iter().flat_map(of).collect()
}

/// The reply, and what was shown while it came.
fn told(format: WireFormat, chunks: &[&[u8]]) -> (Result<ModelReply, Fault>, String) {
    let shown = Arc::new(Mutex::new(String::new()));
    let sink = Arc::clone(&shown);
    let deltas = Deltas::to(move |piece| sink.lock().unwrap().push_str(piece));
    let mut reading = Reading::new(format);
    let mut fed = Ok(Taken::More);
    for chunk in chunks {
        fed = reading.feed(chunk, &deltas);
        if fed != Ok(Taken::More) {
            break;
        }
    }
    let reply = fed.and_then(|_| reading.finish(&deltas));
    let shown = shown.lock().unwrap().clone();
    (reply, shown)
}

fn reply(format: WireFormat, name: &str) -> ModelReply {
    let (reply, shown) = told(format, &[&recorded(format, name)]);
    let reply = reply.unwrap_or_else(|fault| panic!("{format:?} {name}: {fault}"));
    if name != REFUSAL {
        assert_eq!(shown.trim(), reply.text, "{format:?} {name}: what was shown is what was said");
    }
    reply
}

fn calls(reply: &ModelReply) -> Vec<String> {
    reply.calls.iter().map(|call| format!("{} {} {}", call.provider_id, call.name, call.arguments)).collect()
}

/// What the recorded Messages say of the cache: read from it, put into it.
const CACHE: (u64, u64) = (5, 10);

/// E-34, L-004, L-025: words and calls come out the same, whatever the format; argument texts are exact.
#[test]
fn every_format_says_the_same() {
    for format in WireFormat::ALL {
        let anthropic = format == WireFormat::AnthropicMessages;
        let input = |tokens| if anthropic { tokens + 15 } else { tokens };
        let (first, a, b) = if anthropic {
            ("toolu_01T1x1fJ34qAmk2tNTrN7Up6", "toolu_a", "toolu_b")
        } else {
            ("call_DdmO9pD3xa9XTPNJ32zg2hcA", "call_a", "call_b")
        };
        let text = reply(format, TEXT);
        assert_eq!((text.text.as_str(), text.calls.len()), ("Grüße, Welt 😀", 0), "{format:?}");
        let (cached, written) = if anthropic { CACHE } else { (0, 0) };
        let used = |tokens, output| Some(Usage { input: input(tokens), output, cached, written, cost: None });
        assert_eq!(text.usage, used(19, 8), "{format:?}");

        let one = reply(format, ONE_CALL);
        assert_eq!(calls(&one), [format!("{first} write {{\"text\": \"ä😀\\n\"}}")], "{format:?}");
        assert_eq!(one.usage, used(82, 17), "{format:?}");

        let two = reply(format, PARALLEL_CALLS);
        assert_eq!(two.text, "I'll do both.", "{format:?}");
        let expected = [format!("{a} write {{\"n\":9007199254740993}}"), format!("{b} write {{\"n\":  2.0}}")];
        assert_eq!(calls(&two), expected, "{format:?}");
    }
}

/// D-108, L-055: what only the provider understands is kept with its bytes.
#[test]
fn records_keep_their_bytes() {
    let raw = |format, name| reply(format, name).raw.unwrap();
    assert_eq!(
        raw(WireFormat::OpenAiChat, THINKING_CALL),
        concat!(
            r#"{"role":"assistant","content":null,"reasoning_content":"The file must change.","tool_calls":["#,
            r#"{"id":"call_a","type":"function","function":{"name":"write","arguments":"{\"n\":1}"},"#,
            r#""extra_content":{"google":{"thought_signature":"c2lnLTE="}}}]}"#
        )
    );
    assert_eq!(
        raw(WireFormat::OpenAiResponses, THINKING_CALL),
        concat!(
            r#"[{"id":"rs_1","type":"reasoning","encrypted_content":"gAAAAABoX+/=one","summary":[{"type":"summary_text","text":"The file must change."}]},"#,
            r#"{"id":"fc_1","type":"function_call","status":"completed","arguments":"{\"n\":1}","call_id":"call_a","name":"write"},"#,
            r#"{"id":"rs_2","type":"reasoning","encrypted_content":"gAAAAABoX+/=two","summary":[]},"#,
            r#"{"id":"fc_2","type":"function_call","status":"completed","arguments":"{\"n\":2}","call_id":"call_b","name":"write"}]"#
        )
    );
    assert_eq!(
        raw(WireFormat::AnthropicMessages, THINKING_CALL),
        concat!(
            r#"{"role":"assistant","content":["#,
            r#"{"type":"thinking","thinking":"The file must change.","signature":"EqQBCgIYAhIM1gbcDa9GJwZA2b3h+/="},"#,
            r#"{"type":"redacted_thinking","data":"EmwKAhgBEgy3va3pzix/LafPsn4a"},"#,
            r#"{"type":"tool_use","id":"toolu_a","name":"write","input":{"n":1}},"#,
            r#"{"type":"tool_use","id":"toolu_b","name":"write","input":{"n":2}}]}"#
        ),
        "a text without a word is no part of it"
    );
    assert!(raw(WireFormat::AnthropicMessages, PARALLEL_CALLS).contains(r#""input":{"n":  2.0}"#));
    assert!(raw(WireFormat::AnthropicMessages, ONE_CALL).contains(r#""input":{"text": "ä😀\n"}"#));
}

/// Texts of one turn: messages of their own stand apart, blocks that only part a sentence don't.
#[test]
fn several_texts_are_one_reply() {
    assert_eq!(reply(WireFormat::OpenAiResponses, "two_texts").text, "First this.\n\nThen that.");
    let anthropic = reply(WireFormat::AnthropicMessages, "two_texts");
    assert_eq!(anthropic.text, "First this, then that.");
    let cited = r#"{"citations":[{"type":"char_location","cited_text":"that","document_index":0,"start_char_index":0,"end_char_index":4}],"type":"text","text":"then that."}"#;
    assert!(anthropic.raw.as_deref().is_some_and(|raw| raw.contains(cited)), "{:?}", anthropic.raw);
}

/// D-71: what doesn't come to its end, whatever the reason, is no reply.
#[test]
fn faults_are_told_apart() {
    for format in WireFormat::ALL {
        let fault = |name: &str| told(format, &[&recorded(format, name)]).0.unwrap_err();
        assert!(
            matches!(fault(ERROR), Fault::Error(said) if said.contains("verloaded") || said.contains("The server had"))
        );
        assert_eq!(fault(LIMIT), Fault::LimitInCall, "{format:?}: half a call is none");
    }
    for format in [WireFormat::OpenAiChat, WireFormat::OpenAiResponses] {
        assert_eq!(reply(format, REFUSAL).text, "I can't help with that.", "{format:?}");
    }
    let anthropic = WireFormat::AnthropicMessages;
    let declined = told(anthropic, &[&recorded(anthropic, REFUSAL)]).0;
    assert_eq!(declined, Err(Fault::Declined(Some("This isn't allowed.".to_owned()))));
}

/// D-71, L-026: wherever a recorded stream is cut off, it gives nothing, or all of it.
#[test]
fn a_cut_stream_gives_nothing_half() {
    let mut whole = 0;
    for (format, name, bytes) in all() {
        let expected = told(format, &[&bytes]).0;
        for length in 0..bytes.len() {
            match told(format, &[&bytes[..length]]).0 {
                Err(_) => {}
                // Only the counted tokens, which come behind the end, may be missing.
                Ok(mut reply) => {
                    let expected =
                        expected.as_ref().unwrap_or_else(|fault| panic!("{format:?} {name} {length}: {fault}"));
                    reply.usage = expected.usage;
                    assert_eq!(&reply, expected, "{format:?} {name} {length}");
                    whole += 1;
                }
            }
        }
    }
    assert!(whole > 100, "ends without a goodbye were among them");
}

/// However the bytes of a recorded stream are cut, the reply is the same.
#[test]
fn any_single_border_changes_nothing() {
    for (format, name, bytes) in all() {
        let expected = told(format, &[&bytes]);
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(told(format, &single), expected, "{format:?} {name}: byte by byte");
        for border in 0..bytes.len() {
            let (one, two) = bytes.split_at(border);
            assert_eq!(told(format, &[one, two]), expected, "{format:?} {name} at {border}");
        }
    }
}

proptest! {
    /// The same with many borders at once.
    #[test]
    fn any_split_gives_the_same(borders in prop::collection::vec(any::<prop::sample::Index>(), 1..30)) {
        for (format, name, bytes) in all() {
            let mut cuts: Vec<usize> = borders.iter().map(|border| border.index(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let chunks: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(told(format, &chunks), told(format, &[&bytes]), "{:?} {}", format, name);
        }
    }
}
