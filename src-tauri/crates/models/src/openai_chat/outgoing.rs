//! The last look at a request for chat completions.

use countersign_core::transcript::{ViewCall, ViewItem};
use countersign_engine::ports::Prompt;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::message::is_own;
use crate::outgoing::BadRequest;

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    messages: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Sent {
    role: String,
    #[serde(default)]
    tool_call_id: Option<String>,
    #[serde(default)]
    tool_calls: Vec<SentCall>,
}

#[derive(Deserialize)]
struct SentCall {
    #[serde(default)]
    id: String,
}

/// Checks a request's body against the prompt that it was made from.
///
/// # Errors
/// The first [`BadRequest`].
pub(crate) fn check(body: &str, prompt: &Prompt) -> Result<(), BadRequest> {
    let unreadable = |error: serde_json::Error| BadRequest::Unreadable(error.to_string());
    let body: Body<'_> = serde_json::from_str(body).map_err(unreadable)?;
    let begins = usize::from(!prompt.system.trim().is_empty());
    let mut messages = body.messages.iter().enumerate().skip(begins);
    let mut expected = begins;
    let mut waiting: Vec<String> = Vec::new();
    for item in &prompt.messages {
        let results = match item.as_ref() {
            ViewItem::User { .. } | ViewItem::Assistant { .. } => 1,
            ViewItem::Results(results) => results.len(),
        };
        expected += results;
        for nth in 0..results {
            let Some((at, bytes)) = messages.next() else {
                return Err(BadRequest::Length { found: body.messages.len(), expected });
            };
            let sent: Sent = serde_json::from_str(bytes.get()).map_err(unreadable)?;
            match item.as_ref() {
                ViewItem::User { .. } => {
                    if sent.role != "user" || !waiting.is_empty() {
                        return Err(BadRequest::Results { at });
                    }
                }
                ViewItem::Assistant { raw, calls, dropped, .. } => {
                    if sent.role != "assistant" || !waiting.is_empty() {
                        return Err(BadRequest::Results { at });
                    }
                    if sent.tool_calls.len() != calls.len() {
                        return Err(BadRequest::Calls { at });
                    }
                    if let Some(raw) = raw.as_deref().filter(|raw| is_own(raw)) {
                        same_bytes(raw, bytes, calls, *dropped).ok_or(BadRequest::Rewritten { at })?;
                    }
                    waiting = sent.tool_calls.into_iter().map(|call| call.id).collect();
                }
                ViewItem::Results(_) => {
                    let belongs = sent.role == "tool" && sent.tool_call_id == waiting.get(nth).cloned();
                    let last = nth + 1 == results;
                    if !belongs || (last && waiting.len() != results) {
                        return Err(BadRequest::Results { at });
                    }
                    if last {
                        waiting.clear();
                    }
                }
            }
        }
    }
    if messages.next().is_some() {
        return Err(BadRequest::Length { found: body.messages.len(), expected });
    }
    if !waiting.is_empty() {
        return Err(BadRequest::Results { at: expected });
    }
    Ok(())
}

/// Whether a turn is sent as it was received; of one that lost calls, whether every field and every call that is left is.
fn same_bytes(raw: &str, sent: &RawValue, calls: &[ViewCall], dropped: usize) -> Option<()> {
    let Ok(fields) = serde_json::from_str::<Fields<'_>>(raw) else { return Some(()) };
    if dropped == 0 {
        return (sent.get() == raw.trim()).then_some(());
    }
    let sent: Fields<'_> = serde_json::from_str(sent.get()).ok()?;
    let all = fields.calls()?;
    let kept = sent.calls()?;
    let same_calls = kept.len() == calls.len()
        && calls.iter().zip(&kept).all(|(call, kept)| {
            let position = usize::try_from(call.position).ok();
            position.and_then(|position| all.get(position)).is_some_and(|all| all.get() == kept.get())
        });
    let others = |fields: &Fields<'_>| {
        let others = fields.0.iter().filter(|(key, _)| key.as_str() != "tool_calls");
        others.map(|(key, value)| (key.clone(), value.get().to_owned())).collect::<Vec<_>>()
    };
    (same_calls && others(&fields) == others(&sent)).then_some(())
}

#[derive(Deserialize)]
struct Fields<'a>(#[serde(borrow)] std::collections::BTreeMap<String, &'a RawValue>);

impl<'a> Fields<'a> {
    fn calls(&self) -> Option<Vec<&'a RawValue>> {
        let Some(calls) = self.0.get("tool_calls") else { return Some(Vec::new()) };
        let calls: &'a RawValue = calls;
        serde_json::from_str(calls.get()).ok()
    }
}
