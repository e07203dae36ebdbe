//! Writes the request: the model's view of a conversation as messages of blocks.
//!
//! # Design
//! Cache marks stand where nothing changes any more: behind the instructions (which come behind the tools), and behind the last two of
//! the person's messages, so that each round finds what the one before it wrote. A turn of the model is never marked: it goes back with
//! the bytes that came.

use countersign_core::asking::Thinking;
use countersign_core::tool::Tool;
use countersign_core::transcript::{ViewCall, ViewItem};
use countersign_engine::ports::Prompt;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::json::{is_object, list};
use crate::turn::{Belongs, Part, fit_name, kept};
use crate::wish::Wish;

/// Stands where a person, or a tool, said nothing; an empty text is refused.
const NOTHING: &str = "(nothing)";
/// Stands behind a turn of the model that ends the history, as one does whose calls were all dropped: the format would take it for the
/// beginning of the reply.
const GO_ON: &str = "Go on.";
/// How many of the person's messages are marked.
const MARKED: usize = 2;

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    max_tokens: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<ToolEntry<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Block<'a>>,
    messages: Vec<Message<'a>>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Thoughts>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Thoughts {
    Enabled { budget_tokens: u32 },
    Disabled,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Message<'a> {
    Person { role: &'static str, content: Vec<Block<'a>> },
    Model(Box<RawValue>),
}

#[derive(Serialize)]
struct Block<'a> {
    #[serde(flatten)]
    what: What<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Choice>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum What<'a> {
    Text { text: &'a str },
    ToolResult { tool_use_id: String, content: &'a str },
}

#[derive(Serialize)]
struct Call<'a> {
    r#type: &'static str,
    id: &'a str,
    name: String,
    input: Box<RawValue>,
}

#[derive(Serialize)]
struct ToolEntry<'a> {
    name: String,
    description: &'a str,
    input_schema: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Choice>,
}

/// A word in the place where the format wants an object around it.
#[derive(Serialize)]
struct Choice {
    r#type: &'static str,
}

const MARK: Choice = Choice { r#type: "ephemeral" };

/// A turn as it is sent back.
#[derive(Deserialize)]
struct Turn<'a> {
    #[serde(borrow)]
    content: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Kind {
    r#type: String,
}

/// The request's body.
///
/// # Errors
/// If it can't be written, which only a tool with an unreadable schema can cause.
pub(crate) fn request(model: &str, prompt: &Prompt, wish: Wish) -> serde_json::Result<String> {
    let mut messages = messages(prompt)?;
    mark(&mut messages);
    let words = |text| Block { what: What::Text { text }, cache_control: Some(MARK) };
    let system: Vec<Block<'_>> =
        Some(prompt.system.as_str()).filter(|text| !text.trim().is_empty()).map(words).into_iter().collect();
    let mut tools: Vec<ToolEntry<'_>> = prompt.tools.iter().map(tool).collect::<serde_json::Result<_>>()?;
    let mut tool_choice = None;
    if tools.is_empty() {
        tools = gone(prompt)?;
        tool_choice = (!tools.is_empty()).then_some(Choice { r#type: "none" });
    }
    if let (true, Some(last)) = (system.is_empty(), tools.last_mut()) {
        last.cache_control = Some(MARK);
    }
    serde_json::to_string(&Request {
        model,
        max_tokens: wish.tokens(),
        tools,
        tool_choice,
        system,
        messages,
        stream: true,
        temperature: wish.temperature(),
        thinking: thoughts(prompt, wish.thinking),
    })
}

/// What is said of thinking. A round of calls that began without it has to end without it, or the history is refused: so it is with a
/// conversation that waited for the person while they switched it on.
fn thoughts(prompt: &Prompt, thinking: Thinking) -> Option<Thoughts> {
    match thinking {
        Thinking::Off => Some(Thoughts::Disabled),
        Thinking::Budget { tokens } => may_think(prompt).then_some(Thoughts::Enabled { budget_tokens: tokens }),
        Thinking::Unstated | Thinking::Effort { .. } => None,
    }
}

/// Whether what the model is in the middle of, if it is, began with thinking.
fn may_think(prompt: &Prompt) -> bool {
    let mut items = prompt.messages.iter().rev().peekable();
    let mut inside = false;
    loop {
        while items.next_if(|item| matches!(item.as_ref(), ViewItem::User { .. })).is_some() {}
        if items.next_if(|item| matches!(item.as_ref(), ViewItem::Results(_))).is_none() {
            return !inside;
        }
        inside = true;
        match items.next().map(AsRef::as_ref) {
            Some(ViewItem::Assistant { raw, .. }) => {
                let blocks = raw.as_deref().and_then(blocks).unwrap_or_default();
                if blocks.iter().any(|block| is_thinking(block)) {
                    return true;
                }
            }
            Some(ViewItem::User { .. } | ViewItem::Results(_)) | None => return false,
        }
    }
}

fn is_thinking(block: &RawValue) -> bool {
    let kind: Result<Kind, _> = serde_json::from_str(block.get());
    kind.is_ok_and(|kind| matches!(kind.r#type.as_str(), "thinking" | "redacted_thinking"))
}

/// Results and what a person says are one message, results first, as the format wants it.
fn messages(prompt: &Prompt) -> serde_json::Result<Vec<Message<'_>>> {
    let mut messages: Vec<Message<'_>> = Vec::new();
    let mut ids: Vec<String> = Vec::new();
    for (at, item) in prompt.messages.iter().enumerate() {
        let what: Vec<What<'_>> = match item.as_ref() {
            ViewItem::User { text } => vec![What::Text { text: said(text) }],
            ViewItem::Results(results) => {
                let results = results.iter().zip(ids.drain(..));
                results
                    .map(|(result, tool_use_id)| What::ToolResult { tool_use_id, content: said(&result.text) })
                    .collect()
            }
            ViewItem::Assistant { text, raw, calls, dropped } => {
                ids = call_ids(raw.as_deref(), at, calls);
                let turn = match raw.as_deref().and_then(|raw| replayed(raw, calls, *dropped)) {
                    Some(turn) => turn,
                    None => rebuilt(text, calls, &ids)?,
                };
                messages.push(Message::Model(turn));
                continue;
            }
        };
        let blocks = what.into_iter().map(|what| Block { what, cache_control: None });
        match messages.last_mut() {
            Some(Message::Person { content, .. }) => content.extend(blocks),
            Some(Message::Model(_)) | None => {
                messages.push(Message::Person { role: "user", content: blocks.collect() });
            }
        }
    }
    if let Some(Message::Model(_)) = messages.last() {
        let block = Block { what: What::Text { text: GO_ON }, cache_control: None };
        messages.push(Message::Person { role: "user", content: vec![block] });
    }
    Ok(messages)
}

fn mark(messages: &mut [Message<'_>]) {
    let persons = messages.iter_mut().rev().filter_map(|message| match message {
        Message::Person { content, .. } => content.last_mut(),
        Message::Model(_) => None,
    });
    for block in persons.take(MARKED) {
        block.cache_control = Some(MARK);
    }
}

fn said(text: &str) -> &str {
    if text.trim().is_empty() { NOTHING } else { text }
}

/// The blocks of a turn that was received in this format; none for any other record.
pub(super) fn blocks(raw: &str) -> Option<Vec<&RawValue>> {
    let turn: Turn<'_> = serde_json::from_str(raw).ok()?;
    turn.content.iter().all(|block| part(block).is_some()).then_some(turn.content)
}

/// What a block is; none if it isn't one.
pub(super) fn part(block: &RawValue) -> Option<Part> {
    let kind: Kind = serde_json::from_str(block.get()).ok()?;
    Some(part_of(&kind.r#type))
}

/// What a block of this kind is.
pub(super) fn part_of(kind: &str) -> Part {
    match kind {
        "tool_use" => Part::Call,
        "thinking" | "redacted_thinking" => Part::Opaque,
        _ => Part::Other,
    }
}

/// The ids under which a turn's calls are sent: its own, or new ones where the turn came in another format, since those may have any
/// letters and may come twice.
pub(super) fn call_ids(raw: Option<&str>, at: usize, calls: &[ViewCall]) -> Vec<String> {
    let own = raw.is_some_and(|raw| blocks(raw).is_some());
    let id = |call: &ViewCall| if own { call.provider_id.clone() } else { format!("call_{at}_{}", call.position) };
    calls.iter().map(id).collect()
}

/// A call's arguments as the object that the format wants. What isn't one is sent as the text that it is.
pub(super) fn input(arguments: &str) -> Option<Box<RawValue>> {
    if arguments.trim().is_empty() {
        return RawValue::from_string("{}".to_owned()).ok();
    }
    if is_object(arguments) {
        return RawValue::from_string(arguments.trim().to_owned()).ok();
    }
    let text = serde_json::to_string(arguments).ok()?;
    RawValue::from_string(format!("{{\"INVALID_JSON\":{text}}}")).ok()
}

/// The turn as it was received, without the blocks of dropped calls; thinking goes with the last call that it led to (D-108).
fn replayed(raw: &str, calls: &[ViewCall], dropped: usize) -> Option<Box<RawValue>> {
    let blocks = blocks(raw)?;
    if dropped == 0 {
        return RawValue::from_string(raw.to_owned()).ok();
    }
    let parts: Vec<Part> = blocks.iter().filter_map(|block| part(block)).collect();
    let kept = kept(&parts, calls, Belongs::ToTheCalls);
    let left = blocks.into_iter().zip(kept).filter(|(_, keep)| *keep).map(|(block, _)| block);
    RawValue::from_string(format!("{{\"role\":\"assistant\",\"content\":{}}}", list(left))).ok()
}

fn rebuilt(text: &str, calls: &[ViewCall], ids: &[String]) -> serde_json::Result<Box<RawValue>> {
    let mut content = Vec::new();
    if !text.trim().is_empty() {
        content.push(to_raw_value(&What::Text { text })?);
    }
    for (call, id) in calls.iter().zip(ids) {
        let input = match input(&call.arguments) {
            Some(input) => input,
            None => to_raw_value(&serde_json::Map::new())?,
        };
        content.push(to_raw_value(&Call { r#type: "tool_use", id, name: fit_name(&call.name), input })?);
    }
    RawValue::from_string(format!("{{\"role\":\"assistant\",\"content\":{}}}", list(content.iter().map(AsRef::as_ref))))
}

fn tool(tool: &Tool) -> serde_json::Result<ToolEntry<'_>> {
    let input_schema = RawValue::from_string(tool.parameters.clone())?;
    let name = tool.identity.name.clone();
    Ok(ToolEntry { name, description: &tool.description, input_schema, cache_control: None })
}

/// Tools that were called and aren't offered any more: a history with calls is refused where no tool is named at all. None of these can
/// be called.
fn gone(prompt: &Prompt) -> serde_json::Result<Vec<ToolEntry<'static>>> {
    let mut names: Vec<String> = Vec::new();
    for item in &prompt.messages {
        if let ViewItem::Assistant { calls, .. } = item.as_ref() {
            for call in calls {
                let name = fit_name(&call.name);
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
    }
    let entry = |name| {
        let input_schema = RawValue::from_string(r#"{"type":"object"}"#.to_owned())?;
        Ok(ToolEntry { name, description: "Not offered any more.", input_schema, cache_control: None })
    };
    names.into_iter().map(entry).collect()
}
