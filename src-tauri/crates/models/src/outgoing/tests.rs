//! Bad requests are known, and no sequence of inputs leads to one.

use std::sync::Arc;

use countersign_core::change::Act;
use countersign_core::input::{Guards, Input};
use countersign_core::mode::Mode;
use countersign_core::transcript::{Meanwhile, ViewCall, ViewItem, ViewResult};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;
use crate::remote::request;
use crate::strict::Strict;
use crate::wish::Wish;

#[path = "../../../core/tests/machine/ops.rs"]
mod ops;
#[path = "../../../core/tests/machine/play.rs"]
mod play;

use ops::{Op, change_tools, fitting, input, mode, op};
use play::Play;

fn call(id: &str, position: u32) -> ViewCall {
    ViewCall { provider_id: id.to_owned(), position, name: "t".to_owned(), arguments: "{}".to_owned() }
}

fn prompt(items: Vec<ViewItem>) -> Prompt {
    Prompt { system: "s".to_owned(), messages: items.into_iter().map(Arc::new).collect(), tools: Vec::new() }
}

/// A turn as it might be received: two calls, and things that only the provider understands.
const RAW: &str =
    r#"{"role":"assistant", "content":"w","sig":"a+/=\u00e9","tool_calls":[{"id":"a","x":1.0},{"id":"b","x":2.0}]}"#;

fn turn(calls: Vec<ViewCall>, dropped: usize) -> ViewItem {
    ViewItem::Assistant { text: "w".to_owned(), raw: Some(RAW.to_owned()), calls, dropped }
}

fn results(ids: &[&str]) -> ViewItem {
    let result = |id: &&str| ViewResult { provider_id: (*id).to_owned(), text: "r".to_owned() };
    ViewItem::Results(ids.iter().map(result).collect())
}

/// b.6.6, CL-5, D-108, L-034, L-055: what an adapter could do wrong between the view and the bytes.
#[test]
fn a_bad_request_is_known() {
    let good = prompt(vec![
        ViewItem::User { text: "u".to_owned() },
        turn(vec![call("a", 0), call("b", 1)], 0),
        results(&["a", "b"]),
        turn(vec![call("b", 1)], 1),
        results(&["b"]),
        turn(vec![], 2),
    ]);
    let body = request(WireFormat::OpenAiChat, "m", &good, Wish::default()).unwrap();
    assert_eq!(check(WireFormat::OpenAiChat, &body, &good), Ok(()));
    let changed = |from: &str, to: &str| {
        assert!(body.contains(from), "{from} is not in {body}");
        check(WireFormat::OpenAiChat, &body.replacen(from, to, 1), &good)
    };
    let tool = r#"{"role":"tool","tool_call_id":"a","content":"r"},"#;
    for (what, found, expected) in [
        ("a result is missing", changed(tool, ""), BadRequest::Results { at: 3 }),
        ("a result is there twice", changed(tool, &tool.repeat(2)), BadRequest::Results { at: 4 }),
        (
            "a result of another call",
            changed(r#"tool_call_id":"b""#, r#"tool_call_id":"c""#),
            BadRequest::Results { at: 4 },
        ),
        ("a turn's bytes", changed(r"a+/=\u00e9", "a+/=é"), BadRequest::Rewritten { at: 2 }),
        (
            "a blank in a turn",
            changed(r#""assistant", "content""#, r#""assistant","content""#),
            BadRequest::Rewritten { at: 2 },
        ),
        (
            "a dropped call is back",
            changed(r#""tool_calls":[{"id":"b","x":2.0}]"#, r#""tool_calls":[{"id":"a","x":1.0},{"id":"b","x":2.0}]"#),
            BadRequest::Calls { at: 5 },
        ),
        (
            "the other call of a turn",
            changed(r#""tool_calls":[{"id":"b","x":2.0}]"#, r#""tool_calls":[{"id":"a","x":1.0}]"#),
            BadRequest::Rewritten { at: 5 },
        ),
        (
            "words between a call and its result",
            changed(tool, r#"{"role":"user","content":"u"},"#),
            BadRequest::Results { at: 3 },
        ),
    ] {
        assert_eq!(found, Err(expected), "{what}");
    }
    let more = changed(r#"],"stream""#, r#",{"role":"user","content":"more"}],"stream""#);
    assert_eq!(more, Err(BadRequest::Length { found: 9, expected: 8 }), "a message of nobody");
    assert!(matches!(check(WireFormat::OpenAiChat, "no json", &good), Err(BadRequest::Unreadable(_))));
}

/// What the model says, as a provider of a format would write it down; some of it in odd bytes, and each call behind something that only
/// the provider understands. `number` makes the latter different each time.
fn received(format: WireFormat, input: &mut Input, odd: u8, number: usize, provider: &mut Strict) {
    let Input::ModelReplied { reply, .. } = input else { return };
    let text = serde_json::to_string(&reply.text).unwrap();
    let sign = ["\\u202e", "ä", "1e400", " "][usize::from(odd % 4)];
    let quoted = |text: &str| serde_json::to_string(text).unwrap();
    let opaque = |place: usize, parts: &mut Vec<String>| {
        let seal = format!("{number}.{place}{sign}");
        match format {
            WireFormat::OpenAiChat => {}
            WireFormat::OpenAiResponses => {
                parts.push(format!(r#"{{"type":"reasoning", "id":"r","summary":[],"encrypted_content":"{seal}"}}"#));
            }
            WireFormat::AnthropicMessages => {
                parts.push(format!(r#"{{"type":"thinking", "thinking":"ä","signature":"{seal}"}}"#));
                parts.push(format!(r#"{{"type":"redacted_thinking", "data":"red {seal}"}}"#));
            }
        }
    };
    let mut parts = Vec::new();
    // Thinking stands before the words, before the first call, or before each.
    if odd & 4 != 0 {
        opaque(100, &mut parts);
    }
    if format != WireFormat::OpenAiChat && !reply.text.trim().is_empty() {
        parts.push(match format {
            WireFormat::OpenAiResponses => {
                format!(
                    r#"{{"type":"message","role":"assistant", "content":[{{"type":"output_text","text":{text}}}]}}"#
                )
            }
            _ => format!(r#"{{"type":"text", "text":{text}}}"#),
        });
    }
    for (place, call) in reply.calls.iter_mut().enumerate() {
        if odd & 8 != 0 && (place == 0 || odd & 16 != 0) {
            opaque(place, &mut parts);
        }
        // Servers that speak chat completions may give the same ids in each turn; the others never give one twice.
        call.provider_id = match format {
            WireFormat::OpenAiChat => format!("call_{place}"),
            WireFormat::OpenAiResponses | WireFormat::AnthropicMessages => format!("c_{number}_{place}"),
        };
        let (id, name, arguments) = (&call.provider_id, &call.name, quoted(&call.arguments));
        parts.push(match format {
            WireFormat::OpenAiChat => {
                format!(r#"{{"id":"{id}", "type":"function","function":{{"name":"{name}","arguments":{arguments}}}}}"#)
            }
            WireFormat::OpenAiResponses => {
                format!(r#"{{"type":"function_call", "call_id":"{id}","name":"{name}","arguments":{arguments}}}"#)
            }
            WireFormat::AnthropicMessages => {
                let input =
                    if crate::json::is_object(&call.arguments) { &call.arguments } else { r#"{"INVALID_JSON":""}"# };
                format!(r#"{{"type":"tool_use", "id":"{id}","name":"{name}","input":{input}}}"#)
            }
        });
    }
    if parts.is_empty() && format != WireFormat::OpenAiChat {
        return;
    }
    for part in &parts {
        provider.sign(&serde_json::from_str(part).unwrap());
    }
    let parts = parts.join(", ");
    reply.raw = Some(match format {
        WireFormat::OpenAiChat => {
            let calls = if parts.is_empty() { String::new() } else { format!(r#","tool_calls":[{parts}]"#) };
            format!(r#"{{"role":"assistant","content":{text},  "reasoning":"{sign}"{calls}}}"#)
        }
        WireFormat::OpenAiResponses => format!("[{parts}]"),
        WireFormat::AnthropicMessages => format!(r#"{{"role":"assistant",  "content":[{parts}]}}"#),
    });
}

/// What the last step sends to models, the run's own and those of its sub-agents.
fn prompts(play: &Play) -> Vec<Prompt> {
    let asked = play.acts.iter().filter_map(|act| match act {
        Act::CallModel { run, .. } => play.head.thread_of_run(*run),
        _ => None,
    });
    let prompts = asked.map(|thread| {
        let transcript = thread.map_or(&play.transcript, |run| &play.below[&run]);
        let waits = !play.head.calls_in(thread).is_empty();
        let meanwhile = waits.then(|| Meanwhile::of(&play.head, thread));
        let messages = transcript.view(meanwhile.as_ref()).unwrap();
        let system = if play.head.conversation.mode == Mode::Plan { "plan" } else { "" }.to_owned();
        Prompt { system, messages, tools: Vec::new() }
    });
    prompts.collect()
}

/// b.6.6, CL-5, D-108: whatever happens in a conversation, each request that leaves is one that its provider accepts and says what
/// happened; also where another provider had the conversation before.
#[test]
fn every_history_can_be_sent() {
    let deep = std::env::var("DEEP").is_ok_and(|value| value == "1");
    let config = Config { cases: if deep { 1_500 } else { 200 }, failure_persistence: None, ..Config::default() };
    for format in WireFormat::ALL {
        let (sent, lost) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
        let guards = prop_oneof![Just(Guards::None), Just(Guards::Some)];
        let sequences = (mode(), guards, 1..5_u32, prop::collection::vec((op(), any::<u8>()), 10..50));
        TestRunner::new(config.clone())
            .run(&sequences, |(start, guards, limit, ops)| {
                let mut play = Play::new(start);
                let mut provider = Strict::default();
                (play.guards, play.limit) = (guards, limit);
                for (number, (drawn, stubborn)) in ops.iter().enumerate() {
                    let op = &fitting(&play, drawn, *stubborn);
                    match op {
                        Op::Tools(which) => change_tools(&mut play, *which),
                        Op::Die => drop(play.die()),
                        _ => {
                            let Some((_, mut input)) = input(&play, op) else { continue };
                            received(format, &mut input, *stubborn, number, &mut provider);
                            if play.give(input).is_err() {
                                continue;
                            }
                            for prompt in prompts(&play) {
                                for other in WireFormat::ALL {
                                    let body = request(other, "m", &prompt, Wish::default()).unwrap();
                                    assert_eq!(check(other, &body, &prompt), Ok(()), "{other:?}: {body}");
                                    assert_eq!(provider.accepts(other, &serde_json::from_str(&body).unwrap()), Ok(()), "{other:?}: {body}");
                                }
                                sent.set(sent.get() + 1);
                                let less = prompt.messages.iter().filter(|item| {
                                    matches!(item.as_ref(), ViewItem::Assistant { dropped: 1.., calls, .. } if !calls.is_empty())
                                });
                                lost.set(lost.get() + less.count());
                            }
                        }
                    }
                }
                Ok(())
            })
            .unwrap_or_else(|failure| panic!("{format:?}: {failure}"));
        let (sent, lost) = (sent.get(), lost.get());
        assert!(sent > 600 && lost > 12, "too shallow: {sent} sent, {lost} turns with less");
    }
}
