//! A model behind an endpoint that speaks OpenAI-compatible chat completions: hosted services, Ollama, LM Studio,
//! vLLM, llama.cpp. Streams, and asks for tools.

mod assemble;
mod message;
mod outgoing;

use std::time::Duration;

use async_trait::async_trait;
use countersign_core::input::ModelReply;
use countersign_core::run::{Failure, FailureKind};
use countersign_engine::ports::{Deltas, Model, Prompt};
use futures_util::StreamExt as _;
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use secrecy::SecretString;

use crate::endpoint::{Endpoint, body};
use crate::failure::{failure, of_body, of_event, of_request, of_status};
use crate::sse;
use assemble::{Assembly, Taken};
use message::Counting;

/// How often a request is made again that wasn't answered.
const MOST_RETRIES: u32 = 3;
/// The wait before the first of them; it doubles.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// The longest wait that an endpoint may ask for.
const MOST_WAIT: Duration = Duration::from_secs(30);

/// A model at an endpoint.
#[derive(Debug, Clone)]
pub struct OpenAiChat {
    endpoint: Endpoint,
    model: String,
    retries: u32,
    first_wait: Duration,
}

/// A reply, and how it came.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) reply: ModelReply,
    pub(crate) came: Came,
}

/// How a reply came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Came {
    /// In pieces.
    Streamed,
    /// At once, although a stream was asked for.
    Whole,
}

impl OpenAiChat {
    /// A model by its name at a base address such as `http://127.0.0.1:11434/v1`.
    ///
    /// # Errors
    /// A [`Failure`] if address or key can't be used at all; nothing is sent for that.
    pub fn new(base_url: &str, model: impl Into<String>, key: Option<SecretString>) -> Result<Self, Failure> {
        let endpoint = Endpoint::new(base_url, key, None)?;
        Ok(Self { endpoint, model: model.into(), retries: MOST_RETRIES, first_wait: FIRST_WAIT })
    }

    /// The same model with another wait before the first retry; tests don't want to wait.
    pub fn with_first_wait(self, first_wait: Duration) -> Self {
        Self { first_wait, ..self }
    }

    /// A model that says at once what is wrong.
    pub(crate) fn without_retries(endpoint: Endpoint, model: &str) -> Self {
        Self { endpoint, model: model.to_owned(), retries: 0, first_wait: FIRST_WAIT }
    }

    /// One request and its reply.
    ///
    /// # Errors
    /// A [`Failure`]; nothing of the reply is kept then (D-71).
    pub(crate) async fn exchange(&self, prompt: &Prompt, deltas: &Deltas) -> Result<Exchange, Failure> {
        let request = |counting| {
            let body = message::request(&self.model, prompt, counting)
                .map_err(|_| failure(FailureKind::Refused, "the conversation can't be written as a request"))?;
            if let Err(error) = outgoing::check(&body, prompt) {
                tracing::error!(%error, "the outgoing request is not what the conversation says");
                debug_assert!(false, "bad outgoing request: {error}");
            }
            Ok(body)
        };
        let response = match self.answered(request(Counting::Asked)?).await {
            // Some servers don't know the field; a refusal has cost nothing.
            Err(refused) if refused.kind == FailureKind::Refused && refused.text.contains("stream_options") => {
                self.answered(request(Counting::NotAsked)?).await?
            }
            answered => answered?,
        };
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if kind.starts_with("text/html") {
            let text =
                format!("{} answers with a web page, not with a model; is the address right?", self.endpoint.host());
            return Err(failure(FailureKind::Refused, text));
        }
        if kind.starts_with("application/json") {
            let whole = body(response, &self.endpoint.host()).await?;
            let mut assembly = Assembly::default();
            self.take(&mut assembly, "", &whole, deltas)?;
            return Ok(Exchange { reply: self.complete(assembly)?, came: Came::Whole });
        }
        let reply = self.stream(response, deltas).await?;
        Ok(Exchange { reply, came: Came::Streamed })
    }

    /// Makes the request until it is answered. Only what can't have been begun is tried again: refused connections
    /// and answers that ask for it, never a reply that broke off.
    async fn answered(&self, request: String) -> Result<Response, Failure> {
        let mut wait = self.first_wait;
        for attempt in 0.. {
            let sent =
                self.endpoint.post("chat/completions").header(CONTENT_TYPE, "application/json").body(request.clone());
            let (failure, asked) = match sent.send().await {
                Ok(response) if response.status().is_success() => return Ok(response),
                Ok(response) => {
                    let status = response.status();
                    let asked = asked_wait(&response);
                    // The status says enough if the words don't arrive.
                    let words = body(response, &self.endpoint.host()).await.unwrap_or_default();
                    let failure = of_status(status, &words, &self.model, self.endpoint.key());
                    let may_retry = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
                    if !may_retry || asked.is_some_and(|asked| asked > MOST_WAIT) {
                        return Err(failure);
                    }
                    (failure, asked)
                }
                Err(error) => {
                    let failure = of_request(&error, &self.endpoint.host());
                    if !error.is_connect() {
                        return Err(failure);
                    }
                    (failure, None)
                }
            };
            if attempt >= self.retries {
                return Err(failure);
            }
            tracing::info!(attempt, text = %failure.text, "asking the model again");
            tokio::time::sleep(asked.unwrap_or(wait)).await;
            wait = wait.saturating_mul(2);
        }
        Err(failure(FailureKind::Unreachable, "the model was never asked"))
    }

    async fn stream(&self, response: Response, deltas: &Deltas) -> Result<ModelReply, Failure> {
        let host = self.endpoint.host();
        let mut parser = sse::Parser::default();
        let mut assembly = Assembly::default();
        let mut bytes = response.bytes_stream();
        while let Some(chunk) = bytes.next().await {
            let chunk = match chunk {
                Ok(chunk) => chunk,
                // The model had said that it was done; only the goodbye is missing.
                Err(_) if assembly.is_done() => break,
                Err(error) => return Err(of_body(&error, &host)),
            };
            let events = parser.feed(&chunk).map_err(|fault| failure(FailureKind::Cut, fault.to_string()))?;
            for event in events {
                if let Taken::End = self.take(&mut assembly, &event.name, &event.data, deltas)? {
                    return self.complete(assembly);
                }
            }
        }
        if let Some(event) = parser.finish() {
            self.take(&mut assembly, &event.name, &event.data, deltas)?;
        }
        self.complete(assembly)
    }

    fn take(&self, assembly: &mut Assembly, name: &str, data: &str, deltas: &Deltas) -> Result<Taken, Failure> {
        if name == "error" {
            return Err(of_event(data, self.endpoint.key()));
        }
        assembly.take(data, deltas).map_err(|fault| match fault {
            assemble::Fault::Error(data) => of_event(&data, self.endpoint.key()),
            fault @ (assemble::Fault::Unreadable | assemble::Fault::TooLarge) => {
                failure(FailureKind::Cut, fault.to_string())
            }
        })
    }

    fn complete(&self, assembly: Assembly) -> Result<ModelReply, Failure> {
        assembly.reply().ok_or_else(|| {
            let text = format!("the reply from {} ended in the middle; nothing of it was kept", self.endpoint.host());
            failure(FailureKind::Cut, text)
        })
    }
}

#[async_trait]
impl Model for OpenAiChat {
    async fn reply(&self, prompt: Prompt, deltas: Deltas) -> Result<ModelReply, Failure> {
        self.exchange(&prompt, &deltas).await.map(|exchange| exchange.reply)
    }
}

fn asked_wait(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests;
