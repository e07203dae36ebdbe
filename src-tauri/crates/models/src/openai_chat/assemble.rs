//! Puts a reply together from its pieces, and with it the message that is sent back in later rounds.
//!
//! # Design
//! Values are kept as the text that came ([`RawValue`]), so that numbers and fields that mean nothing to us go back
//! unchanged. Providers differ in how they name the pieces of calls: by index, by id, by neither.

use std::collections::{BTreeMap, BTreeSet};

use countersign_core::input::{ModelReply, ProposedCall};
use countersign_core::spending::Usage;
use countersign_engine::ports::Deltas;
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::json::{is_null, is_object, object, read};
use crate::reading::{Assembly, DONE, Fault, MOST_BYTES, MOST_CALLS, Taken};

type Fields = BTreeMap<String, Box<RawValue>>;

/// A reply that is on its way.
#[derive(Debug, Default)]
pub(crate) struct Chat {
    text: String,
    calls: Vec<Building>,
    rest: BTreeMap<String, Kept>,
    usage: Option<Usage>,
    finish: Finish,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Finish {
    #[default]
    Open,
    Done,
    /// No more tokens were left.
    AtLimit,
}

/// A call that is on its way.
#[derive(Debug, Default)]
struct Building {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    rest: BTreeMap<String, Kept>,
    function_rest: BTreeMap<String, Kept>,
}

/// A field that isn't ours, kept for sending it back.
#[derive(Debug)]
enum Kept {
    Text(String),
    List(Vec<Box<RawValue>>),
    Other(Box<RawValue>),
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Option<Vec<Choice>>,
    usage: Option<Tokens>,
    error: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Option<Box<RawValue>>,
    message: Option<Box<RawValue>>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    prompt_tokens: Option<u64>,
    #[serde(default)]
    completion_tokens: Option<u64>,
    #[serde(default)]
    prompt_tokens_details: Option<Details>,
    /// Some servers say it here.
    #[serde(default)]
    prompt_cache_hit_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct Details {
    #[serde(default)]
    cached_tokens: Option<u64>,
}

impl Tokens {
    /// The numbers that came replace those before them; the last ones hold.
    fn after(self, before: Option<Usage>) -> Option<Usage> {
        let cached = self.prompt_tokens_details.and_then(|details| details.cached_tokens);
        let cached = cached.or(self.prompt_cache_hit_tokens);
        if before.is_none() && self.prompt_tokens.is_none() && self.completion_tokens.is_none() {
            return None;
        }
        let before = before.unwrap_or_default();
        let input = self.prompt_tokens.unwrap_or(before.input);
        Some(Usage {
            input,
            output: self.completion_tokens.unwrap_or(before.output),
            cached: cached.unwrap_or(before.cached).min(input),
            ..before
        })
    }
}

#[derive(Deserialize)]
struct TextPart {
    text: Option<String>,
}

impl Assembly for Chat {
    fn take(&mut self, data: &str, deltas: &Deltas) -> Result<Taken, Fault> {
        if data == DONE {
            if self.finish == Finish::Open {
                self.finish = Finish::Done;
            }
            return Ok(Taken::End);
        }
        let chunk: Chunk = read(data)?;
        if chunk.error.is_some_and(|error| !is_null(&error)) {
            return Err(Fault::Error(data.to_owned()));
        }
        if let Some(tokens) = chunk.usage {
            self.usage = tokens.after(self.usage);
        }
        // Only one reply was asked for.
        if let Some(choice) = chunk.choices.unwrap_or_default().into_iter().next() {
            if let Some(delta) = choice.delta.or(choice.message).filter(|delta| !is_null(delta)) {
                self.delta(&delta, deltas)?;
            }
            match choice.finish_reason.as_deref() {
                Some("error") => return Err(Fault::Error(data.to_owned())),
                Some("length") => self.finish = Finish::AtLimit,
                Some(reason) if !reason.is_empty() => self.finish = Finish::Done,
                Some(_) | None => {}
            }
        }
        Ok(Taken::More)
    }

    fn is_done(&self) -> bool {
        self.finish != Finish::Open
    }

    fn reply(mut self: Box<Self>) -> Result<ModelReply, Fault> {
        if self.finish == Finish::AtLimit && self.calls.last().is_some_and(|call| !is_object(&call.arguments)) {
            return Err(Fault::LimitInCall);
        }
        if self.text.is_empty()
            && self.calls.is_empty()
            && let Some(Kept::Text(refusal)) = self.rest.get("refusal")
        {
            self.text.clone_from(refusal);
        }
        self.name_calls();
        let raw = self.raw();
        let calls = self.calls.into_iter().map(|call| ProposedCall {
            provider_id: call.id,
            name: call.name,
            arguments: call.arguments,
        });
        Ok(ModelReply { text: self.text, raw, calls: calls.collect(), usage: self.usage })
    }
}

impl Chat {
    fn delta(&mut self, delta: &RawValue, deltas: &Deltas) -> Result<(), Fault> {
        let fields: Fields = read(delta.get())?;
        for (name, value) in fields {
            if is_null(&value) {
                continue;
            }
            match name.as_str() {
                "role" => {}
                "content" => {
                    let text = words(&value)?;
                    if !text.is_empty() {
                        deltas.send(&text);
                        self.text.push_str(&text);
                    }
                }
                "tool_calls" => {
                    for call in read::<Vec<Fields>>(value.get())? {
                        self.call(call)?;
                    }
                }
                _ => keep(&mut self.rest, name, value)?,
            }
        }
        let size = self.text.len() + self.calls.iter().map(|call| call.arguments.len()).sum::<usize>();
        if size > MOST_BYTES || self.calls.len() > MOST_CALLS {
            return Err(Fault::TooLarge);
        }
        Ok(())
    }

    fn call(&mut self, mut fields: Fields) -> Result<(), Fault> {
        let mut take = |name: &str| fields.remove(name).filter(|value| !is_null(value));
        let index: Option<u64> = take("index").map(|value| read(value.get())).transpose()?;
        let id: String = take("id").map(|value| read(value.get())).transpose()?.unwrap_or_default();
        let mut function: Fields = take("function").map(|value| read(value.get())).transpose()?.unwrap_or_default();
        take("type");
        let name: String = function
            .remove("name")
            .filter(|value| !is_null(value))
            .map(|value| read(value.get()))
            .transpose()?
            .unwrap_or_default();
        let arguments = match function.remove("arguments").filter(|value| !is_null(value)) {
            // Some servers send the arguments as an object, not as its text.
            Some(value) if !value.get().starts_with('"') => value.get().to_owned(),
            Some(value) => read(value.get())?,
            None => String::new(),
        };
        let place = self.place(index, &id, &name, &arguments);
        if place == self.calls.len() {
            self.calls.push(Building { index, ..Building::default() });
        }
        let Some(call) = self.calls.get_mut(place) else {
            return Err(Fault::Unreadable);
        };
        if call.id.is_empty() {
            call.id = id;
        }
        if call.name.is_empty() {
            call.name = name;
        } else if call.name != name && call.arguments.is_empty() {
            call.name.push_str(&name);
        }
        call.arguments.push_str(&arguments);
        for (name, value) in fields {
            if !is_null(&value) {
                keep(&mut call.rest, name, value)?;
            }
        }
        for (name, value) in function {
            if !is_null(&value) {
                keep(&mut call.function_rest, name, value)?;
            }
        }
        Ok(())
    }

    /// The place of the call that a piece belongs to; the number of calls for a new one.
    fn place(&self, index: Option<u64>, id: &str, name: &str, arguments: &str) -> usize {
        let new = self.calls.len();
        let by_id = || self.calls.iter().rposition(|call| !id.is_empty() && call.id == id);
        let found = match index {
            Some(_) => self.calls.iter().rposition(|call| call.index == index),
            None => by_id().or_else(|| (name.is_empty() && id.is_empty()).then(|| new.checked_sub(1)).flatten()),
        };
        let Some(place) = found else { return new };
        let Some(call) = self.calls.get(place) else {
            return new;
        };
        let other_id = !id.is_empty() && !call.id.is_empty() && call.id != id;
        // The same index and no id, but another whole call.
        let begins_again = id.is_empty()
            && !name.is_empty()
            && !arguments.trim().is_empty()
            && serde_json::from_str::<&RawValue>(&call.arguments).is_ok();
        if other_id {
            by_id().unwrap_or(new)
        } else if begins_again {
            new
        } else {
            place
        }
    }

    /// Gives every call an id that no other call of the turn has.
    fn name_calls(&mut self) {
        let given: BTreeSet<String> = self.calls.iter().map(|call| call.id.clone()).collect();
        let mut used = BTreeSet::new();
        let mut number = 0;
        for call in &mut self.calls {
            if call.id.is_empty() || used.contains(&call.id) {
                loop {
                    number += 1;
                    call.id = format!("call_{number}");
                    if !given.contains(&call.id) && !used.contains(&call.id) {
                        break;
                    }
                }
            }
            used.insert(call.id.clone());
        }
    }

    /// The message as it is sent back. Its calls stand in the order of the reply's calls.
    fn raw(&self) -> Option<String> {
        let mut message: Vec<(&str, Box<RawValue>)> = vec![("role", to_raw_value("assistant").ok()?)];
        let content = (!self.text.is_empty() || self.calls.is_empty()).then_some(self.text.as_str());
        message.push(("content", to_raw_value(&content).ok()?));
        for (name, kept) in &self.rest {
            message.push((name, kept.raw()?));
        }
        if !self.calls.is_empty() {
            let calls: Option<Vec<Box<RawValue>>> = self.calls.iter().map(Building::raw).collect();
            message.push(("tool_calls", to_raw_value(&calls?).ok()?));
        }
        object(&message).map(|raw| raw.get().to_owned())
    }
}

impl Building {
    fn raw(&self) -> Option<Box<RawValue>> {
        let mut function =
            vec![("name", to_raw_value(&self.name).ok()?), ("arguments", to_raw_value(&self.arguments).ok()?)];
        for (name, kept) in &self.function_rest {
            function.push((name, kept.raw()?));
        }
        let mut call = vec![("id", to_raw_value(&self.id).ok()?), ("type", to_raw_value("function").ok()?)];
        call.push(("function", object(&function)?));
        for (name, kept) in &self.rest {
            call.push((name, kept.raw()?));
        }
        object(&call)
    }
}

impl Kept {
    fn raw(&self) -> Option<Box<RawValue>> {
        match self {
            Self::Text(text) => to_raw_value(text).ok(),
            Self::List(items) => to_raw_value(items).ok(),
            Self::Other(value) => Some(value.clone()),
        }
    }
}

/// Pieces of text are joined, lists are joined, of anything else the last one holds.
fn keep(rest: &mut BTreeMap<String, Kept>, name: String, value: Box<RawValue>) -> Result<(), Fault> {
    let new = match value.get().as_bytes().first() {
        Some(b'"') => Kept::Text(read(value.get())?),
        Some(b'[') => Kept::List(read(value.get())?),
        Some(_) | None => Kept::Other(value),
    };
    match (rest.get_mut(&name), new) {
        (Some(Kept::Text(text)), Kept::Text(more)) => text.push_str(&more),
        (Some(Kept::List(items)), Kept::List(more)) => items.extend(more),
        (_, new) => {
            rest.insert(name, new);
        }
    }
    Ok(())
}

/// The words of a content: a text, or a list of parts of which some are text.
fn words(value: &RawValue) -> Result<String, Fault> {
    if value.get().starts_with('[') {
        let parts: Vec<TextPart> = read(value.get())?;
        return Ok(parts.into_iter().filter_map(|part| part.text).collect());
    }
    read(value.get())
}

#[cfg(test)]
mod tests;
