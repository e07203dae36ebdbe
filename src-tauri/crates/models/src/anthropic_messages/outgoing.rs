//! The last look at a request for Messages.

use countersign_core::transcript::{ViewCall, ViewItem, ViewResult};
use countersign_engine::ports::Prompt;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::message::{blocks, call_ids};
use crate::outgoing::BadRequest;

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    messages: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Sent<'a> {
    role: String,
    #[serde(borrow)]
    content: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct SentBlock {
    r#type: String,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    tool_use_id: Option<String>,
}

/// Checks a request's body against the prompt that it was made from.
///
/// # Errors
/// The first [`BadRequest`].
pub(crate) fn check(body: &str, prompt: &Prompt) -> Result<(), BadRequest> {
    let unreadable = |error: serde_json::Error| BadRequest::Unreadable(error.to_string());
    let body: Body<'_> = serde_json::from_str(body).map_err(unreadable)?;
    let expected = expected(prompt);
    let mut waiting: Vec<String> = Vec::new();
    for (at, expected) in expected.iter().enumerate() {
        let Some(bytes) = body.messages.get(at) else {
            return Err(BadRequest::Length { found: body.messages.len(), expected: at + 1 });
        };
        let sent: Sent<'_> = serde_json::from_str(bytes.get()).map_err(unreadable)?;
        let parts = sent.content.iter().map(|block| serde_json::from_str(block.get()));
        let parts: Vec<SentBlock> = parts.collect::<Result<_, _>>().map_err(unreadable)?;
        match expected {
            Expected::Person { results, words } => {
                let (first, rest) = parts.split_at_checked(results.len()).ok_or(BadRequest::Results { at })?;
                let answered: Vec<String> = first.iter().filter_map(|part| part.tool_use_id.clone()).collect();
                let only_words = rest.iter().all(|part| part.r#type == "text") && rest.len() == *words;
                if sent.role != "user" || answered != waiting || answered.len() != results.len() || !only_words {
                    return Err(BadRequest::Results { at });
                }
                waiting.clear();
            }
            Expected::Model { nth, raw, calls, dropped } => {
                if sent.role != "assistant" || !waiting.is_empty() {
                    return Err(BadRequest::Results { at });
                }
                waiting = parts
                    .into_iter()
                    .filter(|part| part.r#type == "tool_use")
                    .map(|part| part.id.unwrap_or_default())
                    .collect();
                if waiting != call_ids(*raw, *nth, calls) {
                    return Err(BadRequest::Calls { at });
                }
                if let Some(raw) = raw {
                    same(raw, bytes, &sent.content, calls, *dropped).ok_or(BadRequest::Rewritten { at })?;
                }
            }
        }
    }
    if !waiting.is_empty() {
        return Err(BadRequest::Results { at: expected.len() });
    }
    let (found, expected) = (body.messages.len(), expected.len());
    if found == expected { Ok(()) } else { Err(BadRequest::Length { found, expected }) }
}

/// A message as the conversation has it.
enum Expected<'a> {
    /// Results, and then words.
    Person { results: &'a [ViewResult], words: usize },
    /// A turn of the model, with its place among the items of the view.
    Model { nth: usize, raw: Option<&'a str>, calls: &'a [ViewCall], dropped: usize },
}

fn expected(prompt: &Prompt) -> Vec<Expected<'_>> {
    let mut expected: Vec<Expected<'_>> = Vec::new();
    for (nth, item) in prompt.messages.iter().enumerate() {
        match item.as_ref() {
            ViewItem::Assistant { raw, calls, dropped, .. } => {
                expected.push(Expected::Model { nth, raw: raw.as_deref(), calls, dropped: *dropped });
            }
            ViewItem::Results(results) => expected.push(Expected::Person { results, words: 0 }),
            ViewItem::User { .. } => match expected.last_mut() {
                Some(Expected::Person { words, .. }) => *words += 1,
                Some(Expected::Model { .. }) | None => expected.push(Expected::Person { results: &[], words: 1 }),
            },
        }
    }
    // A turn of the model can't be the end.
    if let Some(Expected::Model { .. }) = expected.last() {
        expected.push(Expected::Person { results: &[], words: 1 });
    }
    expected
}

/// Whether a turn is sent as it was received; of one that lost calls, whether every block that is left is, and only thinking went with
/// them. A record of another format says nothing of this one's bytes.
fn same(raw: &str, bytes: &RawValue, sent: &[&RawValue], calls: &[ViewCall], dropped: usize) -> Option<()> {
    let Some(received) = blocks(raw) else { return Some(()) };
    if dropped == 0 {
        return (bytes.get() == raw.trim()).then_some(());
    }
    let mut place = 0_u32;
    let mut expected: Vec<&str> = Vec::new();
    let mut thinking: Vec<&str> = Vec::new();
    let mut before = String::new();
    for block in received {
        let kind = serde_json::from_str::<SentBlock>(block.get()).ok()?.r#type;
        match kind.as_str() {
            "thinking" | "redacted_thinking" => {
                if before == "tool_use" {
                    thinking.clear();
                }
                thinking.push(block.get());
            }
            "tool_use" => {
                if calls.iter().any(|call| call.position == place) {
                    expected.append(&mut thinking);
                    expected.push(block.get());
                }
                place += 1;
            }
            _ => {
                if before == "tool_use" {
                    thinking.clear();
                }
                expected.append(&mut thinking);
                expected.push(block.get());
            }
        }
        before = kind;
    }
    let found: Vec<&str> = sent.iter().map(|block| block.get()).collect();
    (found == expected).then_some(())
}

#[cfg(test)]
mod tests;
