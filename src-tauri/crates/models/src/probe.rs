//! Tests a connection step by step, lists an endpoint's models, and finds model servers on this machine.

use std::sync::Arc;
use std::time::Duration;

use countersign_core::agent::WireFormat;
use countersign_core::asking::{ExtraHeader, ModelSettings};
use countersign_core::run::{Failure, FailureKind};
use countersign_core::tool::{Effect, Marks, Origin, Tool, ToolIdentity};
use countersign_core::transcript::ViewItem;
use countersign_engine::ports::{Deltas, Prompt, Seen, Step, StepName};
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
/// The most models that are named where one isn't known.
const MOST_NAMED: usize = 5;
/// Where servers of models usually listen on this machine.
const USUAL_PORTS: &[(&str, u16)] = &[("Ollama", 11_434), ("LM Studio", 1_234), ("llama.cpp", 8_080), ("vLLM", 8_000)];

/// A server of models on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What is expected there, such as "Ollama".
    pub program: String,
    /// Its base address.
    pub base_url: String,
    /// The models that it offers.
    pub models: Vec<String>,
}

/// The steps, in order.
const STEPS: [StepName; 5] = [StepName::Reached, StepName::Key, StepName::Model, StepName::Streams, StepName::Tools];

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
            let name = if failure.kind == FailureKind::Unauthorized { StepName::Key } else { StepName::Reached };
            return vec![no(name, Seen::Failed(failure))];
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
        let name = STEPS.get(steps.len()).copied().unwrap_or(StepName::Tools);
        steps.push(no(name, Seen::TookTooLong { host }));
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
            Ok(Ok(Listed::Models(models))) => Some(Found { program: (*name).to_owned(), base_url, models }),
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
        Err(failure) => return steps.push(no(StepName::Reached, Seen::NoAnswer(failure))),
    };
    if let Listed::Status(status @ (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN), _) = &listed {
        steps.push(reached(&host));
        return steps.push(no(StepName::Key, refused_key(status.as_u16(), key)));
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
        steps.push(no(StepName::Tools, Seen::DidNotCall { model: model.to_owned() }));
    } else {
        steps.push(yes(StepName::Tools, Seen::Called { model: model.to_owned() }));
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
        FailureKind::Unreachable => steps.push(no(StepName::Reached, Seen::Failed(fault))),
        FailureKind::Unauthorized => {
            steps.push(reached(host));
            steps.push(no(StepName::Key, refused_key(401, key)));
        }
        FailureKind::UnknownModel => match listed {
            Listed::Status(StatusCode::NOT_FOUND, _) | Listed::Unreadable => {
                steps.push(no(StepName::Reached, Seen::NoModelHere { host: host.to_owned() }));
            }
            Listed::Models(_) | Listed::Status(..) => {
                steps.push(reached(host));
                steps.push(yes(StepName::Key, key_seen(key)));
                steps.push(no(StepName::Model, unknown_model(host, model, listed)));
            }
        },
        FailureKind::Refused if is_about_tools(&fault.text) => {
            // Without tools it shows whether anything else is wrong.
            match chat.exchange(&question(Vec::new()), &Deltas::nowhere()).await {
                Ok(exchange) => {
                    known(host, model, key, steps);
                    streamed(exchange.came, steps);
                    steps.push(no(StepName::Tools, Seen::TakesNoTools { model: model.to_owned(), said: fault }));
                }
                Err(other) => {
                    steps.push(reached(host));
                    steps.push(yes(StepName::Key, key_seen(key)));
                    steps.push(no(StepName::Model, Seen::Failed(other)));
                }
            }
        }
        FailureKind::Refused | FailureKind::Agent | FailureKind::Folder => {
            steps.push(reached(host));
            steps.push(yes(StepName::Key, key_seen(key)));
            steps.push(no(StepName::Model, Seen::Failed(fault)));
        }
        FailureKind::Cut | FailureKind::TimedOut => {
            known(host, model, key, steps);
            steps.push(no(StepName::Streams, Seen::Failed(fault)));
        }
    }
}

fn known(host: &str, model: &str, key: KeyUse, steps: &mut Vec<Step>) {
    steps.push(reached(host));
    steps.push(yes(StepName::Key, key_seen(key)));
    steps.push(yes(StepName::Model, Seen::Knows { host: host.to_owned(), model: model.to_owned() }));
}

fn streamed(came: Came, steps: &mut Vec<Step>) {
    steps.push(yes(
        StepName::Streams,
        match came {
            Came::Streamed => Seen::Streamed,
            Came::Whole => Seen::CameWhole,
        },
    ));
}

fn unknown_model(host: &str, model: &str, listed: &Listed) -> Seen {
    let (offers, more) = match listed {
        Listed::Models(models) => {
            let some: Vec<String> = models.iter().take(MOST_NAMED).cloned().collect();
            let more = models.len() > some.len();
            (Some(some), more)
        }
        Listed::Status(..) | Listed::Unreadable => (None, false),
    };
    Seen::UnknownModel { host: host.to_owned(), model: model.to_owned(), offers, more }
}

fn refused_key(code: u16, key: KeyUse) -> Seen {
    match key {
        KeyUse::None => Seen::KeyWanted { code },
        KeyUse::Sent | KeyUse::SentInTheOpen => Seen::KeyRefused { code },
    }
}

fn key_seen(key: KeyUse) -> Seen {
    match key {
        KeyUse::None => Seen::NoKeyNeeded,
        KeyUse::Sent => Seen::KeyAccepted { in_the_open: false },
        KeyUse::SentInTheOpen => Seen::KeyAccepted { in_the_open: true },
    }
}

fn reached(host: &str) -> Step {
    yes(StepName::Reached, Seen::Answers { host: host.to_owned() })
}

fn yes(name: StepName, seen: Seen) -> Step {
    Step { name, ok: true, seen }
}

fn no(name: StepName, seen: Seen) -> Step {
    Step { name, ok: false, seen }
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
