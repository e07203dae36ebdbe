//! The last look at a request before it leaves: what stands in its bytes is a history that a provider accepts and that tells what
//! happened. The view was checked when it was made; this reads the text that is sent, so that nothing between the two can go wrong.
//!
//! In a test or a debug build a fault stops everything; in a release it is logged, and the provider has the last word.

use countersign_core::transcript::{ViewCall, ViewItem};
use countersign_engine::ports::Prompt;
use serde::Deserialize;
use serde_json::value::RawValue;

/// What is wrong with a request's messages.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadRequest {
    /// It isn't what a request looks like.
    #[error("the request can't be read: {0}")]
    Unreadable(String),
    /// A call isn't followed by exactly its result (b.6.6 of the specification).
    #[error("message {at}: the results don't match the calls before them")]
    Results {
        /// Which message.
        at: usize,
    },
    /// A turn has calls that were never made, for the model, or lacks some (CL-5).
    #[error("message {at}: its calls aren't those of the conversation")]
    Calls {
        /// Which message.
        at: usize,
    },
    /// A turn that was received goes back with other bytes (D-108, L-055).
    #[error("message {at}: a turn that was received is not sent back as it was")]
    Rewritten {
        /// Which message.
        at: usize,
    },
    /// A message too few or too many.
    #[error("the request has {found} messages where the conversation has {expected}")]
    Length {
        /// What the request has.
        found: usize,
        /// What it should have.
        expected: usize,
    },
}

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
pub(super) fn check(body: &str, prompt: &Prompt) -> Result<(), BadRequest> {
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
                    if let Some(raw) = raw {
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

/// Whether a turn is sent as it was received; of one that lost calls, whether every field and every call that is left is. A record that
/// is no object can't be sent at all, and the turn is rebuilt from what is known of it.
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

#[cfg(test)]
mod tests;
