//! What the real providers refuse, in this crate's tests and in the journeys': a history is read from the bytes that are sent and knows
//! nothing of the conversation. Sources are the providers' public documentation and the words of their refusals.
#![allow(dead_code, reason = "two test binaries share this file, and each uses its own part of it")]

use std::collections::{BTreeMap, BTreeSet};

use countersign_core::agent::WireFormat;
use serde_json::Value;

/// A provider of one format, which remembers what it signed.
#[derive(Debug, Default)]
pub(crate) struct Strict {
    /// Opaque texts that it gave out, each with the block or item that it stood in.
    signed: BTreeMap<String, Value>,
}

type Refusal = Result<(), String>;

fn refuse(text: impl Into<String>) -> Refusal {
    Err(text.into())
}

fn list<'a>(value: &'a Value, name: &str) -> Result<&'a [Value], String> {
    value[name].as_array().map(Vec::as_slice).ok_or_else(|| format!("`{name}` is no list"))
}

fn text<'a>(value: &'a Value, name: &str) -> Result<&'a str, String> {
    value[name].as_str().ok_or_else(|| format!("`{name}` is no text in {value}"))
}

fn is_name(name: &str) -> bool {
    let fit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=64).contains(&name.len()) && name.bytes().all(fit)
}

impl Strict {
    /// Remembers what is about to be sent in a turn: thinking, redacted thinking, reasoning.
    pub(crate) fn sign(&mut self, part: &Value) {
        if let Some(seal) = seal(part) {
            self.signed.insert(seal.to_owned(), part.clone());
        }
    }

    /// Whether an opaque part is one that was given out, and unchanged.
    fn signature(&self, part: &Value) -> Refusal {
        let Some(seal) = seal(part) else { return refuse(format!("an opaque part without its seal: {part}")) };
        match self.signed.get(seal) {
            Some(given) if given == part => Ok(()),
            Some(given) => refuse(format!("invalid signature: {part} was given out as {given}")),
            None => refuse(format!("invalid signature: {part} was never given out")),
        }
    }

    /// Whether the provider of a format takes a request.
    pub(crate) fn accepts(&self, format: WireFormat, body: &Value) -> Refusal {
        match format {
            WireFormat::OpenAiChat => chat(body),
            WireFormat::OpenAiResponses => self.responses(body),
            WireFormat::AnthropicMessages => self.messages(body),
        }
    }

    /// Responses: each call has its output and each output its call; reasoning stands before the item that it led to.
    fn responses(&self, body: &Value) -> Refusal {
        if body["store"] != Value::Bool(false) {
            return refuse("this organisation stores nothing");
        }
        let mut called: BTreeMap<&str, bool> = BTreeMap::new();
        let mut reasoning: Option<&Value> = None;
        for item in list(body, "input")? {
            let kind = item["type"].as_str().unwrap_or("message");
            if let Some(reasoning) = reasoning.take_if(|_| kind != "reasoning")
                && !(kind == "function_call" || (kind == "message" && item["role"] == "assistant"))
            {
                return refuse(format!("reasoning was provided without its required following item: {reasoning}"));
            }
            match kind {
                "reasoning" => {
                    self.signature(item)?;
                    reasoning = Some(item);
                }
                "message" => match text(item, "role")? {
                    "user" if item["content"].is_string() => {}
                    "assistant" if item["content"].is_string() || !list(item, "content")?.is_empty() => {}
                    other => return refuse(format!("invalid message of {other}: {item}")),
                },
                "function_call" => {
                    let (id, name) = (text(item, "call_id")?, text(item, "name")?);
                    if id.is_empty() || id.len() > 64 || !is_name(name) {
                        return refuse(format!("invalid call {id} of {name}"));
                    }
                    text(item, "arguments")?;
                    if called.insert(id, false).is_some() {
                        return refuse(format!("duplicate call {id}"));
                    }
                }
                "function_call_output" => {
                    let id = text(item, "call_id")?;
                    text(item, "output")?;
                    match called.get_mut(id) {
                        Some(answered @ false) => *answered = true,
                        Some(_) => return refuse(format!("two outputs of {id}")),
                        None => {
                            return refuse(format!("no tool call found for function call output with call_id {id}"));
                        }
                    }
                }
                other => return refuse(format!("invalid item {other}")),
            }
        }
        if reasoning.is_some() {
            return refuse("reasoning was provided without its required following item");
        }
        match called.iter().find(|(_, answered)| !**answered) {
            Some((id, _)) => refuse(format!("no tool output found for function call {id}")),
            None => Ok(()),
        }
    }

    /// Messages: results stand first in the message behind their calls; thinking is unchanged; no text is empty.
    fn messages(&self, body: &Value) -> Refusal {
        let Some(most) = body["max_tokens"].as_u64() else { return refuse("max_tokens: field required") };
        let thinks = body["thinking"]["type"] == "enabled";
        if thinks {
            let budget = body["thinking"]["budget_tokens"].as_u64().unwrap_or_default();
            if budget < 1024 || budget >= most {
                return refuse("`max_tokens` must be greater than `thinking.budget_tokens`, which is at least 1024");
            }
            if !body["temperature"].is_null() {
                return refuse("`temperature` may only be set to 1 when thinking is enabled");
            }
            if !began_with_thinking(list(body, "messages")?) {
                return refuse("messages: expected `thinking` or `redacted_thinking`, but found `tool_use`");
            }
        }
        if body["temperature"].as_f64().is_some_and(|temperature| temperature > 1.0) {
            return refuse("temperature: range: 0..1");
        }
        let mut marks =
            list(body, "tools").unwrap_or_default().iter().filter(|tool| !tool["cache_control"].is_null()).count();
        let mut ids: BTreeSet<&str> = BTreeSet::new();
        let mut waiting: BTreeSet<&str> = BTreeSet::new();
        let messages = list(body, "messages")?;
        let ends = |at: usize| messages.get(at).map(|message| message["role"].as_str());
        if ends(0) != Some(Some("user")) || ends(messages.len() - 1) != Some(Some("user")) {
            return refuse("a conversation begins and ends with the user");
        }
        for block in list(body, "system").unwrap_or_default() {
            marks += usize::from(!block["cache_control"].is_null());
            said(block)?;
        }
        for message in messages {
            let content = list(message, "content")?;
            if content.is_empty() {
                return refuse("a message must have non-empty content");
            }
            let role = text(message, "role")?;
            if role == "assistant" && !waiting.is_empty() {
                return refuse(format!(
                    "tool_use ids were found without tool_result blocks immediately after: {waiting:?}"
                ));
            }
            let mut answers = true;
            for block in content {
                marks += usize::from(!block["cache_control"].is_null());
                match (role, text(block, "type")?) {
                    ("user", "tool_result") if answers => {
                        let id = text(block, "tool_use_id")?;
                        said_in(block, "content")?;
                        if !waiting.remove(id) {
                            return refuse(format!("unexpected tool_use_id in tool_result: {id}"));
                        }
                    }
                    ("user", "text") => {
                        answers = false;
                        said(block)?;
                    }
                    ("assistant", "text") => said(block)?,
                    ("assistant", "thinking" | "redacted_thinking") => self.signature(block)?,
                    ("assistant", "tool_use") => {
                        let (id, name) = (text(block, "id")?, text(block, "name")?);
                        if !is_name(id) || !is_name(name) || !block["input"].is_object() {
                            return refuse(format!("invalid tool_use {block}"));
                        }
                        if !ids.insert(id) {
                            return refuse(format!("tool_use ids must be unique: {id}"));
                        }
                        waiting.insert(id);
                    }
                    (role, other) => return refuse(format!("a block {other} of {role} can't stand there")),
                }
            }
            if role == "assistant" {
                let last = content.last().map(|block| &block["type"]);
                if last.is_some_and(|kind| kind == "thinking" || kind == "redacted_thinking") {
                    return refuse("the final block in an assistant message cannot be thinking");
                }
            } else if !waiting.is_empty() {
                return refuse(format!(
                    "tool_use ids were found without tool_result blocks immediately after: {waiting:?}"
                ));
            }
        }
        if !ids.is_empty() && list(body, "tools").unwrap_or_default().is_empty() {
            return refuse("requests which include tool_use or tool_result blocks must define tools");
        }
        if marks > 4 { refuse("a maximum of 4 blocks with cache_control may be provided") } else { Ok(()) }
    }
}

/// Chat completions: each call is answered directly behind its turn, by exactly one message.
fn chat(body: &Value) -> Refusal {
    let mut waiting: BTreeSet<&str> = BTreeSet::new();
    for message in list(body, "messages")? {
        let role = text(message, "role")?;
        if role == "tool" {
            let id = text(message, "tool_call_id")?;
            if !waiting.remove(id) {
                return refuse(format!("messages with role 'tool' must answer a preceding tool call: {id}"));
            }
            text(message, "content")?;
            continue;
        }
        if !waiting.is_empty() {
            return refuse(format!("tool calls must be followed by tool messages; missing: {waiting:?}"));
        }
        match role {
            "system" | "user" => drop(text(message, "content")?),
            "assistant" => {
                for call in message["tool_calls"].as_array().into_iter().flatten() {
                    if !waiting.insert(text(call, "id")?) {
                        return refuse("two calls have the same id");
                    }
                    text(&call["function"], "arguments")?;
                    text(&call["function"], "name")?;
                }
                if message["tool_calls"].as_array().is_some_and(Vec::is_empty) {
                    return refuse("[] is too short - 'tool_calls'");
                }
                if waiting.is_empty() {
                    text(message, "content")?;
                }
            }
            other => return refuse(format!("invalid role {other}")),
        }
    }
    if waiting.is_empty() { Ok(()) } else { refuse(format!("no result for {waiting:?}")) }
}

/// Whether the calls and results at the end, if there are any, began with thinking.
fn began_with_thinking(messages: &[Value]) -> bool {
    let is = |message: &Value, kinds: &[&str]| {
        let blocks = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        blocks.iter().any(|block| block["type"].as_str().is_some_and(|kind| kinds.contains(&kind)))
    };
    let mut turns = Vec::new();
    for pair in messages.rchunks(2) {
        match pair {
            [model, person] if is(person, &["tool_result"]) => turns.push(model),
            _ => break,
        }
    }
    turns.is_empty() || turns.iter().any(|turn| is(turn, &["thinking", "redacted_thinking"]))
}

/// What stands for an opaque part's contents.
fn seal(part: &Value) -> Option<&str> {
    let name = match part["type"].as_str()? {
        "reasoning" => "encrypted_content",
        "thinking" => "signature",
        "redacted_thinking" => "data",
        _ => return None,
    };
    part[name].as_str()
}

fn said(block: &Value) -> Refusal {
    said_in(block, "text")
}

fn said_in(block: &Value, name: &str) -> Refusal {
    if text(block, name)?.trim().is_empty() {
        refuse("text content blocks must contain non-whitespace text")
    } else {
        Ok(())
    }
}
