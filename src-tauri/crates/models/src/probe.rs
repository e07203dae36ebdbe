//! Tests a connection step by step, lists an endpoint's models, and finds model servers on this machine.

use std::sync::Arc;
use std::time::Duration;

use countersign_core::agent::WireFormat;
use countersign_core::asking::{ExtraHeader, ModelSettings};
use countersign_core::run::{Failure, FailureKind};
use countersign_core::tool::{Effect, Marks, Origin, Tool, ToolIdentity};
use countersign_core::transcript::ViewItem;
use countersign_engine::ports::{Deltas, Prompt};
use futures_util::future::join_all;
use reqwest::StatusCode;
use secrecy::SecretString;
use serde::Deserialize;

use crate::endpoint::{Endpoint, body};
use crate::failure::{failure, is_about_tools, of_request, of_status};
use crate::remote::{Came, Exchange, Remote};

/// How long a server on this machine has for its answer.
const LOCAL_TIME: Duration = Duration::from_millis(300);
/// How long a whole test may take; a local model may have to be loaded first.
const TEST_TIME: Duration = Duration::from_secs(120);
/// The most models that are listed.
const MOST_MODELS: usize = 1_000;
/// Where servers of models usually listen on this machine.
const USUAL_PORTS: &[(&str, u16)] = &[("Ollama", 11_434), ("LM Studio", 1_234), ("llama.cpp", 8_080), ("vLLM", 8_000)];

/// One step of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// "reached", "key accepted", "model known", "streams" or "calls tools".
    pub name: &'static str,
    /// Whether it worked.
    pub ok: bool,
    /// What was seen, and what to do if it didn't work.
    pub text: String,
}

/// A server of models on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// "Ollama on this machine".
    pub name: String,
    /// Its base address.
    pub base_url: String,
    /// The models that it offers.
    pub models: Vec<String>,
}

const REACHED: &str = "reached";
const KEY: &str = "key accepted";
const MODEL: &str = "model known";
const STREAMS: &str = "streams";
const TOOLS: &str = "calls tools";

/// Tests a connection, asking as an agent's settings say; `secrets` are the values of those of its headers that are none of its text. The
/// first step that fails is the last.
pub async fn test_connection(
    format: WireFormat,
    base_url: &str,
    model: &str,
    key: Option<SecretString>,
    settings: &ModelSettings,
    secrets: Vec<(String, SecretString)>,
) -> Vec<Step> {
    let has_key = key.is_some();
    let made = Endpoint::new(format, base_url, key, None).and_then(|at| at.with_headers(&settings.headers, secrets));
    let endpoint = match made {
        Ok(endpoint) => endpoint,
        Err(failure) => {
            let name = if failure.kind == FailureKind::Unauthorized { KEY } else { REACHED };
            return vec![no(name, sentence(&failure.text))];
        }
    };
    let host = endpoint.host();
    let key_use = match (has_key, endpoint.is_open_on_the_way()) {
        (false, _) => KeyUse::None,
        (true, false) => KeyUse::Sent,
        (true, true) => KeyUse::SentInTheOpen,
    };
    let mut steps = Vec::new();
    let tested = tokio::time::timeout(TEST_TIME, test(endpoint, model, key_use, settings, &mut steps)).await;
    if tested.is_err() {
        let name = [REACHED, KEY, MODEL, STREAMS, TOOLS].get(steps.len()).copied().unwrap_or(TOOLS);
        steps.push(no(
            name,
            format!("{host} took longer than two minutes. Is the model still being loaded? Try again."),
        ));
    }
    steps
}

/// The models that an endpoint offers, in its own order; `headers` go with the question, and `secrets` are the values of those that are
/// none of their text.
///
/// # Errors
/// A [`Failure`] that says why there is no list.
pub async fn list_models(
    format: WireFormat,
    base_url: &str,
    key: Option<SecretString>,
    headers: &[ExtraHeader],
    secrets: Vec<(String, SecretString)>,
) -> Result<Vec<String>, Failure> {
    let endpoint = Endpoint::new(format, base_url, key, None)?.with_headers(headers, secrets)?;
    match models(&endpoint).await? {
        Listed::Models(models) => Ok(models),
        Listed::Status(status, words) => Err(of_status(status, &words, "", endpoint.secrets())),
        Listed::Unreadable => {
            Err(failure(FailureKind::Refused, format!("{} doesn't list its models", endpoint.host())))
        }
    }
}

/// Servers of models that answer at the usual ports of this machine.
pub async fn find_local_servers() -> Vec<Found> {
    find_servers_at(USUAL_PORTS).await
}

/// The same at given ports, each with the name of what is expected there.
pub async fn find_servers_at(ports: &[(&str, u16)]) -> Vec<Found> {
    let looks = ports.iter().map(|(name, port)| async move {
        let base_url = format!("http://127.0.0.1:{port}/v1");
        let endpoint = Endpoint::new(WireFormat::OpenAiChat, &base_url, None, Some(LOCAL_TIME)).ok()?;
        match tokio::time::timeout(LOCAL_TIME, models(&endpoint)).await {
            Ok(Ok(Listed::Models(models))) => Some(Found { name: format!("{name} on this machine"), base_url, models }),
            Ok(Ok(Listed::Status(..) | Listed::Unreadable) | Err(_)) | Err(_) => None,
        }
    });
    join_all(looks).await.into_iter().flatten().collect()
}

/// What happens to a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyUse {
    /// There is none.
    None,
    /// It is sent, and nobody on the way can read it.
    Sent,
    /// It is sent, and whoever is on the way can read it.
    SentInTheOpen,
}

/// What asking for the list of models led to.
enum Listed {
    Models(Vec<String>),
    Status(StatusCode, String),
    Unreadable,
}

#[derive(Deserialize)]
struct List {
    #[serde(alias = "models")]
    data: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(alias = "name", alias = "model")]
    id: String,
}

async fn models(endpoint: &Endpoint) -> Result<Listed, Failure> {
    let response = endpoint.get_models().send().await.map_err(|error| of_request(&error, &endpoint.host()))?;
    let status = response.status();
    let words = body(response, &endpoint.host()).await?;
    if !status.is_success() {
        return Ok(Listed::Status(status, words));
    }
    let Ok(list) = serde_json::from_str::<List>(&words) else {
        return Ok(Listed::Unreadable);
    };
    let names = list.data.into_iter().map(|entry| entry.id.chars().filter(|letter| !letter.is_control()).collect());
    Ok(Listed::Models(names.take(MOST_MODELS).collect()))
}

async fn test(endpoint: Endpoint, model: &str, key: KeyUse, settings: &ModelSettings, steps: &mut Vec<Step>) {
    let host = endpoint.host();
    let listed = match models(&endpoint).await {
        Ok(listed) => listed,
        Err(failure) => {
            let advice = "Is the address right, and is the server running?";
            return steps.push(no(REACHED, format!("{}. {advice}", capital(&failure.text))));
        }
    };
    if let Listed::Status(status @ (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN), _) = &listed {
        steps.push(yes(REACHED, format!("{host} answers.")));
        return steps.push(no(KEY, refused_key(status.as_u16(), key)));
    }
    let chat = Remote::without_retries(endpoint, model).asking(settings);
    let exchange = chat.exchange(&question(vec![ping()]), &Deltas::nowhere()).await;
    match exchange {
        Ok(exchange) => answered(&host, model, key, &exchange, steps),
        Err(fault) => failed(&host, model, key, &listed, fault, &chat, steps).await,
    }
}

fn answered(host: &str, model: &str, key: KeyUse, exchange: &Exchange, steps: &mut Vec<Step>) {
    known(host, model, key, steps);
    streamed(exchange.came, steps);
    if exchange.reply.calls.is_empty() {
        steps.push(no(
            TOOLS,
            format!("{model} answered, but didn't call the tool that it was asked to call. Models that are made for tools work best."),
        ));
    } else {
        steps.push(yes(TOOLS, format!("{model} called the tool.")));
    }
}

async fn failed(
    host: &str,
    model: &str,
    key: KeyUse,
    listed: &Listed,
    fault: Failure,
    chat: &Remote,
    steps: &mut Vec<Step>,
) {
    match fault.kind {
        FailureKind::Unreachable => steps.push(no(REACHED, sentence(&fault.text))),
        FailureKind::Unauthorized => {
            steps.push(yes(REACHED, format!("{host} answers.")));
            steps.push(no(KEY, refused_key(401, key)));
        }
        FailureKind::UnknownModel => match listed {
            Listed::Status(StatusCode::NOT_FOUND, _) | Listed::Unreadable => {
                let advice = "Most addresses end in /v1.";
                steps.push(no(REACHED, format!("{host} answers, but not as a model at this address. {advice}")));
            }
            Listed::Models(_) | Listed::Status(..) => {
                steps.push(yes(REACHED, format!("{host} answers.")));
                steps.push(yes(KEY, key_words(key)));
                steps.push(no(MODEL, unknown_model(host, model, listed)));
            }
        },
        FailureKind::Refused if is_about_tools(&fault.text) => {
            // Without tools it shows whether anything else is wrong.
            match chat.exchange(&question(Vec::new()), &Deltas::nowhere()).await {
                Ok(exchange) => {
                    known(host, model, key, steps);
                    streamed(exchange.came, steps);
                    let advice = "Choose a model that supports tools.";
                    steps.push(no(TOOLS, format!("{model} doesn't take tools. {advice} {}", sentence(&fault.text))));
                }
                Err(other) => {
                    steps.push(yes(REACHED, format!("{host} answers.")));
                    steps.push(yes(KEY, key_words(key)));
                    steps.push(no(MODEL, sentence(&other.text)));
                }
            }
        }
        FailureKind::Refused | FailureKind::Agent | FailureKind::Folder => {
            steps.push(yes(REACHED, format!("{host} answers.")));
            steps.push(yes(KEY, key_words(key)));
            steps.push(no(MODEL, sentence(&fault.text)));
        }
        FailureKind::Cut | FailureKind::TimedOut => {
            known(host, model, key, steps);
            steps.push(no(STREAMS, sentence(&fault.text)));
        }
    }
}

fn known(host: &str, model: &str, key: KeyUse, steps: &mut Vec<Step>) {
    steps.push(yes(REACHED, format!("{host} answers.")));
    steps.push(yes(KEY, key_words(key)));
    steps.push(yes(MODEL, format!("{host} knows {model}.")));
}

fn streamed(came: Came, steps: &mut Vec<Step>) {
    steps.push(match came {
        Came::Streamed => yes(STREAMS, "The reply came in pieces.".to_owned()),
        Came::Whole => {
            yes(STREAMS, "The reply came at once, not in pieces. It works, but you see text late.".to_owned())
        }
    });
}

fn unknown_model(host: &str, model: &str, listed: &Listed) -> String {
    match listed {
        Listed::Models(models) if !models.is_empty() => {
            let some: Vec<&str> = models.iter().take(5).map(String::as_str).collect();
            let more = if models.len() > some.len() { ", …" } else { "" };
            format!("{host} doesn't know {model}. It offers {}{more}.", some.join(", "))
        }
        Listed::Models(_) => format!("{host} offers no model. Load one there first."),
        Listed::Status(..) | Listed::Unreadable => {
            format!("{host} doesn't know {model}. Check the name.")
        }
    }
}

fn refused_key(code: u16, key: KeyUse) -> String {
    match key {
        KeyUse::None => format!("This endpoint wants a key ({code}). Enter one."),
        KeyUse::Sent | KeyUse::SentInTheOpen => {
            format!("The key was refused ({code}). Check that it is whole, still valid, and meant for this address.")
        }
    }
}

fn key_words(key: KeyUse) -> String {
    match key {
        KeyUse::None => "No key is needed.",
        KeyUse::Sent => "The key was accepted.",
        KeyUse::SentInTheOpen => "The key was accepted. It travels unencrypted: use an https address if there is one.",
    }
    .to_owned()
}

fn yes(name: &'static str, text: String) -> Step {
    Step { name, ok: true, text }
}

fn no(name: &'static str, text: String) -> Step {
    Step { name, ok: false, text }
}

fn sentence(text: &str) -> String {
    let text = capital(text);
    if text.ends_with(['.', '?', '!', '…']) { text } else { format!("{text}.") }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn question(tools: Vec<Tool>) -> Prompt {
    let text = if tools.is_empty() {
        "Answer with the word ready."
    } else {
        "This tests a connection. Call the tool `ping` once, with no arguments, and say nothing else."
    };
    let messages = vec![Arc::new(ViewItem::User { text: text.to_owned() })];
    Prompt { system: String::new(), messages, tools }
}

fn ping() -> Tool {
    Tool {
        identity: ToolIdentity { origin: Origin::Conversation, name: "ping".to_owned() },
        description: "Shows that tools can be called. Takes no arguments.".to_owned(),
        parameters: r#"{"type":"object","properties":{},"additionalProperties":false}"#.to_owned(),
        effect: Effect::Read,
        marks: Marks::default(),
    }
}

#[cfg(test)]
mod tests;
