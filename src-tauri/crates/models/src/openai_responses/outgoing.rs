//! The last look at a request for Responses.

use countersign_core::transcript::{ViewCall, ViewItem};
use countersign_engine::ports::Prompt;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::message::{call_ids, items};
use crate::outgoing::BadRequest;

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    input: Vec<&'a RawValue>,
    store: bool,
}

#[derive(Deserialize)]
struct Sent {
    #[serde(default)]
    r#type: Option<String>,
    #[serde(default)]
    role: Option<String>,
    #[serde(default)]
    call_id: Option<String>,
}

/// Checks a request's body against the prompt that it was made from.
///
/// # Errors
/// The first [`BadRequest`].
pub(crate) fn check(body: &str, prompt: &Prompt) -> Result<(), BadRequest> {
    let unreadable = |error: serde_json::Error| BadRequest::Unreadable(error.to_string());
    let body: Body<'_> = serde_json::from_str(body).map_err(unreadable)?;
    if body.store {
        return Err(BadRequest::Unreadable("it would be stored at the provider".to_owned()));
    }
    let sent: Vec<Sent> =
        body.input.iter().map(|item| serde_json::from_str(item.get())).collect::<Result<_, _>>().map_err(unreadable)?;
    let mut at = 0;
    let mut waiting: Vec<String> = Vec::new();
    for (nth, item) in prompt.messages.iter().enumerate() {
        let too_short = || BadRequest::Length { found: body.input.len(), expected: body.input.len() + 1 };
        match item.as_ref() {
            ViewItem::User { .. } => {
                let one = sent.get(at).ok_or_else(too_short)?;
                if one.role.as_deref() != Some("user") || !waiting.is_empty() {
                    return Err(BadRequest::Results { at });
                }
                at += 1;
            }
            ViewItem::Assistant { raw, calls, dropped, .. } => {
                if !waiting.is_empty() {
                    return Err(BadRequest::Results { at });
                }
                // A turn goes as far as nothing of another kind comes.
                let of_turn = |one: &Sent| match one.r#type.as_deref() {
                    Some("function_call_output") => false,
                    Some(_) | None => one.role.as_deref() != Some("user"),
                };
                let rest = sent.get(at..).unwrap_or_default();
                let reach = rest.iter().position(|one| !of_turn(one)).unwrap_or(rest.len());
                let taken = if let Some(received) = raw.as_deref().and_then(items) {
                    let bytes = body.input.get(at..at + reach).unwrap_or_default();
                    same(&received, bytes, calls, *dropped).ok_or(BadRequest::Rewritten { at })?
                } else {
                    let begins = rest.first().is_some_and(|one| one.role.as_deref() == Some("assistant"));
                    usize::from(begins) + calls.len()
                };
                let turn = rest.get(..taken).ok_or_else(too_short)?;
                let called: Vec<String> = turn.iter().filter_map(call_of).collect();
                if called != call_ids(raw.as_deref(), nth, calls) {
                    return Err(BadRequest::Calls { at });
                }
                waiting = called;
                at += taken;
            }
            ViewItem::Results(results) => {
                if waiting.len() != results.len() {
                    return Err(BadRequest::Results { at });
                }
                for call in waiting.drain(..) {
                    let one = sent.get(at).ok_or_else(too_short)?;
                    if one.r#type.as_deref() != Some("function_call_output") || one.call_id.as_ref() != Some(&call) {
                        return Err(BadRequest::Results { at });
                    }
                    at += 1;
                }
            }
        }
    }
    if !waiting.is_empty() {
        return Err(BadRequest::Results { at });
    }
    if at == sent.len() { Ok(()) } else { Err(BadRequest::Length { found: sent.len(), expected: at }) }
}

fn call_of(one: &Sent) -> Option<String> {
    one.call_id.clone().filter(|_| one.r#type.as_deref() == Some("function_call"))
}

/// How many of the items that are sent are those of the turn: all that were received, in order and with their bytes, less dropped
/// calls and the reasoning directly before each of them (D-108). None if anything else is missing or differs.
fn same(received: &[&RawValue], sent: &[&RawValue], calls: &[ViewCall], dropped: usize) -> Option<usize> {
    let kind = |item: &RawValue| serde_json::from_str::<Sent>(item.get()).ok()?.r#type;
    let mut place = 0_u32;
    let mut expected: Vec<&str> = Vec::new();
    let mut reasoning: Vec<&str> = Vec::new();
    for item in received {
        match kind(item)?.as_str() {
            "reasoning" => reasoning.push(item.get()),
            "function_call" => {
                if dropped == 0 || calls.iter().any(|call| call.position == place) {
                    expected.append(&mut reasoning);
                    expected.push(item.get());
                }
                reasoning.clear();
                place += 1;
            }
            _ => {
                expected.append(&mut reasoning);
                expected.push(item.get());
            }
        }
    }
    let found: Vec<&str> = sent.iter().take(expected.len()).map(|item| item.get()).collect();
    (found == expected).then_some(expected.len())
}

#[cfg(test)]
mod tests;
