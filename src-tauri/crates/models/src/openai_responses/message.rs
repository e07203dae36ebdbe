//! Writes the request: the model's view of a conversation as items.

use countersign_core::tool::Tool;
use countersign_core::transcript::{ViewCall, ViewItem};
use countersign_engine::ports::Prompt;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::turn::{Belongs, Part, kept};
use crate::wish::{Extra, Wish};

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<&'a str>,
    input: Vec<Item<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<ToolEntry<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'static str>,
    stream: bool,
    store: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    include: Option<[&'static str; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Reasoning>,
}

#[derive(Serialize)]
struct Reasoning {
    effort: &'static str,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Item<'a> {
    Words { role: &'static str, content: &'a str },
    Call { r#type: &'static str, call_id: String, name: String, arguments: &'a str },
    Result { r#type: &'static str, call_id: String, output: &'a str },
    Raw(Box<RawValue>),
}

#[derive(Serialize)]
struct ToolEntry<'a> {
    r#type: &'static str,
    name: &'a str,
    description: &'a str,
    parameters: Box<RawValue>,
    /// Left out, it would mean a mode that refuses most schemas.
    strict: bool,
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
    let mut input = Vec::new();
    // The ids of the calls whose results come next.
    let mut ids: Vec<String> = Vec::new();
    for (at, item) in prompt.messages.iter().enumerate() {
        match item.as_ref() {
            ViewItem::User { text } => input.push(Item::Words { role: "user", content: text }),
            ViewItem::Assistant { text, raw, calls, dropped } => {
                ids = call_ids(raw.as_deref(), at, calls);
                match raw.as_deref().and_then(|raw| replayed(raw, calls, *dropped)) {
                    Some(items) => input.extend(items.into_iter().map(Item::Raw)),
                    None => rebuild(text, calls, &ids, &mut input),
                }
            }
            ViewItem::Results(results) => {
                input.extend(results.iter().zip(ids.drain(..)).map(|(result, call_id)| Item::Result {
                    r#type: "function_call_output",
                    call_id,
                    output: &result.text,
                }));
            }
        }
    }
    let tools: Vec<ToolEntry<'_>> = prompt.tools.iter().map(tool).collect::<serde_json::Result<_>>()?;
    serde_json::to_string(&Request {
        model,
        instructions: Some(prompt.system.as_str()).filter(|system| !system.trim().is_empty()),
        input,
        tool_choice: (!tools.is_empty()).then_some("auto"),
        tools,
        stream: true,
        store: false,
        include: (wish.extra == Extra::Asked).then_some(["reasoning.encrypted_content"]),
        max_output_tokens: wish.most_tokens,
        temperature: wish.temperature(),
        reasoning: wish.effort().map(|effort| Reasoning { effort }),
    })
}

/// The items of a turn that was received in this format; none for any other record.
pub(super) fn items(raw: &str) -> Option<Vec<&RawValue>> {
    let items: Vec<&RawValue> = serde_json::from_str(raw).ok()?;
    items.iter().all(|item| part(item).is_some()).then_some(items)
}

/// What an item is; none if it isn't one.
pub(super) fn part(item: &RawValue) -> Option<Part> {
    let kind: Kind = serde_json::from_str(item.get()).ok()?;
    Some(match kind.r#type.as_str() {
        "function_call" => Part::Call,
        "reasoning" => Part::Opaque,
        _ => Part::Other,
    })
}

/// The ids under which a turn's calls are sent: its own, or new ones where the turn came in another format, since those may be anything.
pub(super) fn call_ids(raw: Option<&str>, at: usize, calls: &[ViewCall]) -> Vec<String> {
    let own = raw.is_some_and(|raw| items(raw).is_some());
    let id = |call: &ViewCall| if own { call.provider_id.clone() } else { format!("call_{at}_{}", call.position) };
    calls.iter().map(id).collect()
}

/// The items as they were received, without those of dropped calls (D-108).
fn replayed(raw: &str, calls: &[ViewCall], dropped: usize) -> Option<Vec<Box<RawValue>>> {
    let items = items(raw)?;
    let parts: Vec<Part> = items.iter().filter_map(|item| part(item)).collect();
    let kept = if dropped == 0 { vec![true; items.len()] } else { kept(&parts, calls, Belongs::ToTheNext) };
    Some(items.into_iter().zip(kept).filter(|(_, keep)| *keep).map(|(item, _)| item.to_owned()).collect())
}

fn rebuild<'a>(text: &'a str, calls: &'a [ViewCall], ids: &[String], input: &mut Vec<Item<'a>>) {
    if !text.trim().is_empty() {
        input.push(Item::Words { role: "assistant", content: text });
    }
    input.extend(calls.iter().zip(ids).map(|(call, id)| Item::Call {
        r#type: "function_call",
        call_id: id.clone(),
        name: crate::turn::fit_name(&call.name),
        arguments: &call.arguments,
    }));
}

fn tool(tool: &Tool) -> serde_json::Result<ToolEntry<'_>> {
    let parameters = RawValue::from_string(tool.parameters.clone())?;
    let (name, description) = (tool.identity.name.as_str(), tool.description.as_str());
    Ok(ToolEntry { r#type: "function", name, description, parameters, strict: false })
}
