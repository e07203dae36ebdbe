//! Puts a reply together from its items. Each comes whole, in an event of its own when it is done, and its bytes are kept as they came;
//! the pieces before it are only for showing.

use std::collections::{BTreeMap, BTreeSet};

use countersign_core::input::{ModelReply, ProposedCall};
use countersign_core::spending::Usage;
use countersign_engine::ports::Deltas;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::message::part;
use crate::json::{is_null, is_object, list, read};
use crate::reading::{Assembly, DONE, Fault, MOST_BYTES, MOST_CALLS, Taken};
use crate::turn::without_loose_end;

/// A reply that is on its way.
#[derive(Debug, Default)]
pub(crate) struct Responses {
    begun: BTreeSet<u64>,
    items: BTreeMap<u64, Box<RawValue>>,
    usage: Option<Usage>,
    end: End,
    /// How many texts began; the second and later ones are set apart.
    texts: BTreeSet<u64>,
}

/// How it ended.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum End {
    /// Not yet.
    #[default]
    Open,
    /// The model was done.
    Whole,
    /// Something stopped it, a limit or a filter; what there is counts.
    Stopped,
}

#[derive(Deserialize)]
struct Event {
    #[serde(default)]
    r#type: Option<String>,
    #[serde(default)]
    object: Option<String>,
    #[serde(default)]
    output_index: Option<u64>,
    #[serde(default)]
    item: Option<Box<RawValue>>,
    #[serde(default)]
    delta: Option<Box<RawValue>>,
    #[serde(default)]
    response: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Response {
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    error: Option<Box<RawValue>>,
    #[serde(default)]
    output: Option<Vec<Box<RawValue>>>,
    #[serde(default)]
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    input_tokens: Option<u64>,
    #[serde(default)]
    output_tokens: Option<u64>,
    #[serde(default)]
    input_tokens_details: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    #[serde(default)]
    cached_tokens: Option<u64>,
}

impl Tokens {
    /// None where no number came.
    fn counted(self) -> Option<Usage> {
        if self.input_tokens.is_none() && self.output_tokens.is_none() {
            return None;
        }
        let input = self.input_tokens.unwrap_or_default();
        let cached = self.input_tokens_details.and_then(|details| details.cached_tokens).unwrap_or_default();
        Some(Usage {
            input,
            output: self.output_tokens.unwrap_or_default(),
            cached: cached.min(input),
            ..Usage::default()
        })
    }
}

#[derive(Deserialize)]
struct Item {
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    call_id: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Option<String>,
    #[serde(default)]
    content: Option<Vec<Piece>>,
}

#[derive(Deserialize)]
struct Piece {
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
}

impl Assembly for Responses {
    fn take(&mut self, data: &str, deltas: &Deltas) -> Result<Taken, Fault> {
        if data == DONE {
            return Ok(Taken::More);
        }
        let event: Event = read(data)?;
        let Some(kind) = event.r#type.as_deref() else {
            // A response that came at once.
            return if event.object.as_deref() == Some("response") {
                self.end(data)
            } else {
                Err(Fault::Error(data.to_owned()))
            };
        };
        let place = event.output_index;
        match kind {
            "error" => return Err(Fault::Error(data.to_owned())),
            "response.output_text.delta" | "response.refusal.delta" => {
                if let Some(delta) = event.delta {
                    let apart = self.texts.insert(place.unwrap_or_default()) && self.texts.len() > 1;
                    if apart {
                        deltas.send("\n\n");
                    }
                    deltas.send(&read::<String>(delta.get())?);
                }
            }
            "response.output_item.added" => {
                self.begun.insert(place.ok_or(Fault::Unreadable)?);
            }
            "response.output_item.done" => {
                let item = event.item.ok_or(Fault::Unreadable)?;
                self.items.insert(place.ok_or(Fault::Unreadable)?, item);
            }
            "response.completed" | "response.incomplete" | "response.failed" | "response.cancelled" => {
                return self.end(event.response.as_deref().ok_or(Fault::Unreadable)?.get());
            }
            // What else there is only tells of progress, or is for showing.
            _ => {}
        }
        let size: usize = self.items.values().map(|item| item.get().len()).sum();
        if size > MOST_BYTES || self.items.len() > 2 * MOST_CALLS {
            return Err(Fault::TooLarge);
        }
        Ok(Taken::More)
    }

    fn is_done(&self) -> bool {
        self.end != End::Open
    }

    fn reply(self: Box<Self>) -> Result<ModelReply, Fault> {
        let Self { items, usage, end, .. } = *self;
        let mut items: Vec<Box<RawValue>> = items.into_values().collect();
        let parts = items.iter().map(|item| part(item)).collect::<Option<Vec<_>>>().ok_or(Fault::Unreadable)?;
        // Reasoning that nothing follows is never taken back.
        items.truncate(without_loose_end(&parts));
        let mut texts: Vec<String> = Vec::new();
        let mut calls: Vec<ProposedCall> = Vec::new();
        let last = items.len().saturating_sub(1);
        for (index, bytes) in items.iter().enumerate() {
            let kind: Kind = read(bytes.get())?;
            match kind.r#type.as_str() {
                "message" => {
                    let item: Item = read(bytes.get())?;
                    let pieces = item.content.unwrap_or_default().into_iter();
                    let text: String = pieces.filter_map(|piece| piece.text.or(piece.refusal)).collect();
                    texts.extend((!text.is_empty()).then_some(text));
                }
                "function_call" => {
                    let item: Item = read(bytes.get())?;
                    let (Some(provider_id), Some(name)) = (item.call_id, item.name) else {
                        return Err(Fault::Unreadable);
                    };
                    let arguments = item.arguments.unwrap_or_default();
                    let cut = end == End::Stopped && index == last && !is_object(&arguments);
                    if cut || item.status.as_deref() == Some("incomplete") {
                        return Err(Fault::LimitInCall);
                    }
                    if provider_id.is_empty() || calls.iter().any(|call| call.provider_id == provider_id) {
                        return Err(Fault::Unreadable);
                    }
                    calls.push(ProposedCall { provider_id, name, arguments });
                }
                _ => {}
            }
        }
        if calls.len() > MOST_CALLS {
            return Err(Fault::TooLarge);
        }
        let raw = (!items.is_empty()).then(|| list(items.iter().map(AsRef::as_ref)));
        Ok(ModelReply { text: texts.join("\n\n"), raw, calls, usage })
    }
}

#[derive(Deserialize)]
struct Kind {
    r#type: String,
}

impl Responses {
    /// Takes the response that stands in the last event.
    fn end(&mut self, response: &str) -> Result<Taken, Fault> {
        let Response { status, error, output, usage } = read(response)?;
        if error.is_some_and(|error| !is_null(&error)) || matches!(status.as_deref(), Some("failed" | "cancelled")) {
            return Err(Fault::Error(response.to_owned()));
        }
        self.usage = usage.and_then(Tokens::counted);
        // An item that began must have ended; where no event said so, the response itself has it.
        let missing = self.begun.iter().any(|place| !self.items.contains_key(place));
        if self.items.is_empty() || missing {
            let output = output.unwrap_or_default();
            if missing && output.is_empty() {
                return Err(Fault::Unreadable);
            }
            self.items = (0..).zip(output).collect();
        }
        self.end = if status.as_deref() == Some("incomplete") { End::Stopped } else { End::Whole };
        Ok(Taken::End)
    }
}
