//! Puts a reply together from its blocks, each with the bytes that came: letters of a text are joined as they were written, escapes
//! included, so that a signature or a number is never written anew.

use std::collections::BTreeMap;

use countersign_core::input::{ModelReply, ProposedCall};
use countersign_core::spending::Usage;
use countersign_engine::ports::Deltas;
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};

use super::message::{input, part_of};
use crate::json::{Ordered, is_null, letters, list, object, read, text_of};
use crate::reading::{Assembly, DONE, Fault, MOST_BYTES, MOST_CALLS, Taken};
use crate::turn::{Part, without_loose_end};

/// A reply that is on its way.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    blocks: BTreeMap<u64, Building>,
    stop: Option<String>,
    why: Option<String>,
    done: bool,
    tokens: Tokens,
    kept: usize,
}

/// A block that is on its way.
#[derive(Debug, Default)]
struct Building {
    kind: String,
    fields: Vec<(String, Value)>,
    /// The letters of a call's arguments.
    arguments: String,
}

/// A field of a block.
#[derive(Debug)]
enum Value {
    /// A text, in its letters.
    Text(String),
    /// Items that came one by one.
    List(Vec<Box<RawValue>>),
    /// Anything else.
    Other(Box<RawValue>),
}

#[derive(Deserialize)]
struct Event {
    #[serde(default)]
    r#type: String,
    #[serde(default)]
    index: Option<u64>,
    #[serde(default)]
    content_block: Option<Ordered>,
    #[serde(default)]
    delta: Option<Box<RawValue>>,
    #[serde(default)]
    message: Option<Message>,
    #[serde(default)]
    usage: Option<Tokens>,
    // These are there when a message comes at once.
    #[serde(default)]
    content: Option<Vec<Ordered>>,
    #[serde(default)]
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    usage: Option<Tokens>,
}

#[derive(Debug, Default, Deserialize)]
struct Tokens {
    #[serde(default)]
    input_tokens: Option<u64>,
    #[serde(default)]
    cache_creation_input_tokens: Option<u64>,
    #[serde(default)]
    cache_read_input_tokens: Option<u64>,
    #[serde(default)]
    output_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct Stop {
    #[serde(default)]
    stop_reason: Option<String>,
    #[serde(default)]
    stop_details: Option<StopDetails>,
}

#[derive(Deserialize)]
struct StopDetails {
    #[serde(default)]
    explanation: Option<String>,
}

impl Assembly for Messages {
    fn take(&mut self, data: &str, deltas: &Deltas) -> Result<Taken, Fault> {
        if data == DONE {
            return Ok(Taken::More);
        }
        let event: Event = read(data)?;
        match event.r#type.as_str() {
            "message_start" => self.count(event.message.and_then(|message| message.usage)),
            "content_block_start" => {
                let block = event.content_block.ok_or(Fault::Unreadable)?;
                self.begin(event.index.ok_or(Fault::Unreadable)?, block, deltas)?;
            }
            "content_block_delta" => {
                let delta = event.delta.ok_or(Fault::Unreadable)?;
                self.delta(event.index.ok_or(Fault::Unreadable)?, read(delta.get())?, deltas)?;
            }
            "message_delta" => {
                self.count(event.usage);
                if let Some(delta) = event.delta {
                    let stop: Stop = read(delta.get())?;
                    self.why = stop.stop_details.and_then(|details| details.explanation);
                    self.done |= stop.stop_reason.is_some();
                    self.stop = stop.stop_reason;
                }
            }
            "message_stop" => {
                self.done = true;
                return Ok(Taken::End);
            }
            "message" => {
                self.count(event.usage);
                for (index, block) in (0..).zip(event.content.unwrap_or_default()) {
                    self.begin(index, block, deltas)?;
                }
                (self.stop, self.done) = (event.stop_reason, true);
                return Ok(Taken::End);
            }
            "error" | "" => return Err(Fault::Error(data.to_owned())),
            // Pings, ends of blocks, and what may be added to the format.
            _ => {}
        }
        if self.kept > MOST_BYTES || self.blocks.len() > 2 * MOST_CALLS {
            return Err(Fault::TooLarge);
        }
        Ok(Taken::More)
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn reply(self: Box<Self>) -> Result<ModelReply, Fault> {
        let stop = self.stop.as_deref();
        if stop == Some("refusal") {
            return Err(Fault::Declined(self.why));
        }
        let at_limit = matches!(stop, Some("max_tokens" | "model_context_window_exceeded"));
        if at_limit && self.blocks.last_key_value().is_some_and(|(_, last)| part_of(&last.kind) == Part::Call) {
            return Err(Fault::LimitInCall);
        }
        let usage = self.tokens.counted();
        let mut reply = ModelReply { usage, ..ModelReply::default() };
        let mut blocks: Vec<(Part, Box<RawValue>)> = Vec::new();
        for block in self.blocks.into_values() {
            let part = part_of(&block.kind);
            match part {
                Part::Call => {
                    let call = block.call()?;
                    if call.provider_id.is_empty() || reply.calls.iter().any(|one| one.provider_id == call.provider_id)
                    {
                        return Err(Fault::Unreadable);
                    }
                    blocks.push((part, block.raw(Some(&call.arguments))?));
                    reply.calls.push(call);
                }
                Part::Other if block.kind == "text" => {
                    let text = block.text("text")?;
                    // A text without a word comes now and then, and is refused when it comes back.
                    if !text.trim().is_empty() {
                        reply.text.push_str(&text);
                        blocks.push((part, block.raw(None)?));
                    }
                }
                Part::Opaque | Part::Other => blocks.push((part, block.raw(None)?)),
            }
        }
        if reply.calls.len() > MOST_CALLS {
            return Err(Fault::TooLarge);
        }
        // A turn must not end with thinking either.
        let parts: Vec<Part> = blocks.iter().map(|(part, _)| *part).collect();
        blocks.truncate(without_loose_end(&parts));
        if !blocks.is_empty() {
            let content = list(blocks.iter().map(|(_, block)| block.as_ref()));
            reply.raw = Some(format!("{{\"role\":\"assistant\",\"content\":{content}}}"));
        }
        Ok(reply)
    }
}

impl Messages {
    fn count(&mut self, tokens: Option<Tokens>) {
        let Some(tokens) = tokens else { return };
        // The last number of each kind holds.
        let last = |old: Option<u64>, new: Option<u64>| new.or(old);
        let old = std::mem::take(&mut self.tokens);
        self.tokens = Tokens {
            input_tokens: last(old.input_tokens, tokens.input_tokens),
            cache_creation_input_tokens: last(old.cache_creation_input_tokens, tokens.cache_creation_input_tokens),
            cache_read_input_tokens: last(old.cache_read_input_tokens, tokens.cache_read_input_tokens),
            output_tokens: last(old.output_tokens, tokens.output_tokens),
        };
    }

    fn begin(&mut self, index: u64, Ordered(fields): Ordered, deltas: &Deltas) -> Result<(), Fault> {
        let mut block = Building::default();
        for (name, value) in fields {
            self.kept += value.get().len();
            if name == "type" {
                block.kind = read(value.get())?;
            }
            let value = match letters(&value) {
                Some(letters) => Value::Text(letters.to_owned()),
                None => Value::Other(value),
            };
            block.fields.push((name, value));
        }
        if block.kind.is_empty() || self.blocks.contains_key(&index) {
            return Err(Fault::Unreadable);
        }
        if block.kind == "text" {
            show(&block.text("text")?, deltas);
        }
        self.blocks.insert(index, block);
        Ok(())
    }

    fn delta(&mut self, index: u64, Ordered(fields): Ordered, deltas: &Deltas) -> Result<(), Fault> {
        let block = self.blocks.get_mut(&index).ok_or(Fault::Unreadable)?;
        for (name, value) in fields {
            self.kept += value.get().len();
            match (name.as_str(), letters(&value)) {
                ("type", _) => {}
                ("partial_json", Some(letters)) => block.arguments.push_str(letters),
                ("citation", None) if !is_null(&value) => block.push("citations", value)?,
                (_, Some(letters)) => {
                    if name == "text" && block.kind == "text" {
                        // Half a character is shown with its other half, at the end.
                        show(&text_of(letters).unwrap_or_default(), deltas);
                    }
                    block.join(&name, letters);
                }
                // Numbers and the like tell of progress; they are no part of a block.
                (_, None) => {}
            }
        }
        Ok(())
    }
}

fn show(text: &str, deltas: &Deltas) {
    if !text.is_empty() {
        deltas.send(text);
    }
}

impl Tokens {
    /// What is from the cache, or goes into it, is counted beside the rest; none where no number came.
    fn counted(&self) -> Option<Usage> {
        if self.input_tokens.is_none() && self.output_tokens.is_none() {
            return None;
        }
        let (cached, written) = (self.cache_read_input_tokens, self.cache_creation_input_tokens);
        let (cached, written) = (cached.unwrap_or_default(), written.unwrap_or_default());
        Some(Usage {
            input: self.input_tokens.unwrap_or_default().saturating_add(cached).saturating_add(written),
            output: self.output_tokens.unwrap_or_default(),
            cached,
            written,
            cost: None,
        })
    }
}

impl Building {
    fn field(&self, name: &str) -> Option<&Value> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, value)| value)
    }

    /// Joins letters to a text that the block has or that belongs to its kind. Other texts are no part of it.
    fn join(&mut self, name: &str, letters: &str) {
        match self.fields.iter_mut().find(|(field, _)| field == name) {
            Some((_, Value::Text(text))) => text.push_str(letters),
            Some((_, value)) => *value = Value::Text(letters.to_owned()),
            None if matches!(name, "text" | "thinking" | "signature") => {
                self.fields.push((name.to_owned(), Value::Text(letters.to_owned())));
            }
            None => {}
        }
    }

    fn push(&mut self, name: &str, item: Box<RawValue>) -> Result<(), Fault> {
        match self.fields.iter_mut().find(|(field, _)| field == name) {
            Some((_, Value::List(items))) => items.push(item),
            Some((_, value @ Value::Other(_))) => {
                let mut items: Vec<Box<RawValue>> = match value {
                    Value::Other(list) if !is_null(list) => read(list.get())?,
                    Value::Other(_) | Value::Text(_) | Value::List(_) => Vec::new(),
                };
                items.push(item);
                *value = Value::List(items);
            }
            Some((_, Value::Text(_))) => return Err(Fault::Unreadable),
            None => self.fields.push((name.to_owned(), Value::List(vec![item]))),
        }
        Ok(())
    }

    fn text(&self, name: &str) -> Result<String, Fault> {
        match self.field(name) {
            Some(Value::Text(letters)) => text_of(letters),
            Some(Value::List(_) | Value::Other(_)) | None => Ok(String::new()),
        }
    }

    fn call(&self) -> Result<ProposedCall, Fault> {
        let streamed = text_of(&self.arguments)?;
        let arguments = match self.field("input") {
            // What came at once stands in the block itself.
            Some(Value::Other(input)) if streamed.trim().is_empty() => input.get().to_owned(),
            Some(_) | None => streamed,
        };
        Ok(ProposedCall { provider_id: self.text("id")?, name: self.text("name")?, arguments })
    }

    /// The block as it is sent back. A call has its arguments in their bytes.
    fn raw(&self, arguments: Option<&str>) -> Result<Box<RawValue>, Fault> {
        let mut fields: Vec<(&str, Box<RawValue>)> = Vec::new();
        for (name, value) in &self.fields {
            let value = match (name.as_str(), arguments, value) {
                ("input", Some(_), _) => continue,
                (_, _, Value::Text(letters)) => {
                    RawValue::from_string(format!("\"{letters}\"")).map_err(|_| Fault::Unreadable)?
                }
                (_, _, Value::List(items)) => to_raw_value(items).map_err(|_| Fault::Unreadable)?,
                (_, _, Value::Other(value)) => value.clone(),
            };
            fields.push((name, value));
        }
        if let Some(arguments) = arguments {
            fields.push(("input", input(arguments).ok_or(Fault::Unreadable)?));
        }
        object(&fields).ok_or(Fault::Unreadable)
    }
}
