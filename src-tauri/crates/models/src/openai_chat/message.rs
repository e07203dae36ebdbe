//! Writes the request: the model's view of a conversation as messages.
//!
//! # Design
//! A turn that was received is sent back byte for byte where that is possible, because providers put things into it
//! that only they understand (reasoning, signatures) and because caches of prefixes depend on it.

use std::collections::BTreeMap;

use countersign_core::tool::Tool;
use countersign_core::transcript::{ViewCall, ViewItem};
use countersign_engine::ports::Prompt;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::wish::{Extra, LimitField, Wish};

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<ToolEntry<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'static str>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Message<'a> {
    Words {
        role: &'static str,
        content: &'a str,
    },
    Result {
        role: &'static str,
        tool_call_id: &'a str,
        content: &'a str,
    },
    Turn {
        role: &'static str,
        content: Option<&'a str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<CallEntry<'a>>,
    },
    Raw(Box<RawValue>),
}

#[derive(Serialize)]
struct CallEntry<'a> {
    id: &'a str,
    r#type: &'static str,
    function: FunctionEntry<'a>,
}

#[derive(Serialize)]
struct FunctionEntry<'a> {
    name: &'a str,
    arguments: &'a str,
}

#[derive(Serialize)]
struct ToolEntry<'a> {
    r#type: &'static str,
    function: Definition<'a>,
}

#[derive(Serialize)]
struct Definition<'a> {
    name: &'a str,
    description: &'a str,
    parameters: Box<RawValue>,
}

/// The request's body.
///
/// # Errors
/// If it can't be written, which only a tool with an unreadable schema can cause.
pub(crate) fn request(model: &str, prompt: &Prompt, wish: Wish) -> serde_json::Result<String> {
    let mut messages = Vec::new();
    if !prompt.system.trim().is_empty() {
        messages.push(Message::Words { role: "system", content: &prompt.system });
    }
    for item in &prompt.messages {
        match item.as_ref() {
            ViewItem::User { text } => messages.push(Message::Words { role: "user", content: text }),
            ViewItem::Assistant { text, raw, calls, dropped } => {
                let replayed =
                    raw.as_deref().and_then(|raw| if *dropped == 0 { whole(raw) } else { without(raw, calls) });
                messages.push(replayed.map_or_else(|| rebuilt(text, calls), Message::Raw));
            }
            ViewItem::Results(results) => {
                messages.extend(results.iter().map(|result| Message::Result {
                    role: "tool",
                    tool_call_id: &result.provider_id,
                    content: &result.text,
                }));
            }
        }
    }
    let tools: Vec<ToolEntry<'_>> = prompt.tools.iter().map(tool).collect::<serde_json::Result<_>>()?;
    let tool_choice = (!tools.is_empty()).then_some("auto");
    let stream_options = match wish.extra {
        Extra::Asked => Some(StreamOptions { include_usage: true }),
        Extra::NotAsked => None,
    };
    let (older, newer) = match wish.limit {
        LimitField::Older => (wish.most_tokens, None),
        LimitField::Newer => (None, wish.most_tokens),
    };
    serde_json::to_string(&Request {
        model,
        messages,
        stream: true,
        stream_options,
        tools,
        tool_choice,
        max_tokens: older,
        max_completion_tokens: newer,
        temperature: wish.temperature(),
        reasoning_effort: wish.effort(),
    })
}

fn tool(tool: &Tool) -> serde_json::Result<ToolEntry<'_>> {
    let parameters = RawValue::from_string(tool.parameters.clone())?;
    let function = Definition { name: &tool.identity.name, description: &tool.description, parameters };
    Ok(ToolEntry { r#type: "function", function })
}

/// The turn exactly as it was received; none if it was received in another format.
fn whole(raw: &str) -> Option<Box<RawValue>> {
    is_own(raw).then(|| RawValue::from_string(raw.to_owned()).ok()).flatten()
}

/// Whether a record is a message of this format: an object whose content is no list of blocks.
pub(crate) fn is_own(raw: &str) -> bool {
    let Ok(fields) = serde_json::from_str::<BTreeMap<String, &RawValue>>(raw) else { return false };
    fields.get("content").is_none_or(|content| !content.get().starts_with('['))
}

/// The turn as it was received, without the calls that aren't in the view. What is left keeps its bytes.
fn without(raw: &str, calls: &[ViewCall]) -> Option<Box<RawValue>> {
    if !is_own(raw) {
        return None;
    }
    let mut fields: BTreeMap<String, Box<RawValue>> = serde_json::from_str(raw).ok()?;
    let all: Vec<Box<RawValue>> = serde_json::from_str(fields.remove("tool_calls")?.get()).ok()?;
    let mut kept = Vec::new();
    for call in calls {
        let position = usize::try_from(call.position).ok()?;
        kept.push(all.get(position)?);
    }
    if !kept.is_empty() {
        fields.insert("tool_calls".to_owned(), serde_json::value::to_raw_value(&kept).ok()?);
    }
    serde_json::value::to_raw_value(&fields).ok()
}

fn rebuilt<'a>(text: &'a str, calls: &'a [ViewCall]) -> Message<'a> {
    let tool_calls: Vec<CallEntry<'_>> = calls
        .iter()
        .map(|call| CallEntry {
            id: &call.provider_id,
            r#type: "function",
            function: FunctionEntry { name: &call.name, arguments: &call.arguments },
        })
        .collect();
    let content = (!text.is_empty() || tool_calls.is_empty()).then_some(text);
    Message::Turn { role: "assistant", content, tool_calls }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use countersign_core::transcript::ViewResult;

    use super::*;

    fn call(id: &str, position: u32) -> ViewCall {
        ViewCall {
            provider_id: id.to_owned(),
            position,
            name: "t".to_owned(),
            arguments: "{\"n\":9007199254740993}".to_owned(),
        }
    }

    fn written(items: Vec<ViewItem>) -> String {
        let prompt =
            Prompt { system: String::new(), messages: items.into_iter().map(Arc::new).collect(), tools: Vec::new() };
        request("m", &prompt, Wish::default()).unwrap()
    }

    #[test]
    fn turns_are_replayed_byte_for_byte() {
        let raw = r#"{"role":"assistant", "content":null,"x":9007199254740993,"tool_calls":[{"id":"a","x":1.0},{"id":"b","x":2.0}]}"#;
        let turn = |calls: Vec<ViewCall>, dropped| ViewItem::Assistant {
            text: String::new(),
            raw: Some(raw.to_owned()),
            calls,
            dropped,
        };
        assert!(written(vec![turn(vec![call("a", 0), call("b", 1)], 0)]).contains(raw));
        let less = written(vec![turn(vec![call("b", 1)], 1)]);
        assert!(less.contains(r#""tool_calls":[{"id":"b","x":2.0}],"x":9007199254740993"#), "{less}");
        assert!(!written(vec![turn(vec![], 2)]).contains("tool_calls"), "no call is left to be sent");
    }

    #[test]
    fn turns_without_a_record_are_rebuilt() {
        let turn = |text: &str, raw: Option<&str>, calls| ViewItem::Assistant {
            text: text.to_owned(),
            raw: raw.map(str::to_owned),
            calls,
            dropped: 0,
        };
        for raw in [None, Some("not json"), Some("[1]")] {
            let text = written(vec![
                ViewItem::User { text: "hi".to_owned() },
                turn("", raw, vec![call("a", 0)]),
                ViewItem::Results(vec![ViewResult { provider_id: "a".to_owned(), text: "done".to_owned() }]),
                turn("bye", raw, vec![]),
            ]);
            assert_eq!(
                text,
                concat!(
                    r#"{"model":"m","messages":[{"role":"user","content":"hi"},"#,
                    r#"{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"t","arguments":"{\"n\":9007199254740993}"}}]},"#,
                    r#"{"role":"tool","tool_call_id":"a","content":"done"},{"role":"assistant","content":"bye"}],"#,
                    r#""stream":true,"stream_options":{"include_usage":true}}"#
                )
            );
        }
    }
}
