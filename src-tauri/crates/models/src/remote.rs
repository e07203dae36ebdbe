//! A model behind an address, in any of the wire formats. What is sent and how a reply is read is each format's own; when to ask, when
//! to ask again and when not to is the same for all, and is here.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use countersign_core::agent::WireFormat;
use countersign_core::asking::ModelSettings;
use countersign_core::input::ModelReply;
use countersign_core::run::{Failure, FailureKind};
use countersign_core::transcript::ViewItem;
use countersign_engine::ports::{Deltas, Model, Prompt};
use futures_util::StreamExt as _;
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use secrecy::SecretString;

use crate::endpoint::{Endpoint, body};
use crate::failure::{failure, fit, of_body, of_event, of_request, of_status};
use crate::reading::{Fault, Reading, Taken};
use crate::wish::{Turns, Wish, is_about_items};
use crate::{anthropic_messages, openai_chat, openai_responses, outgoing};

/// How often a request is made again that wasn't answered.
const MOST_RETRIES: u32 = 3;
/// The wait before the first of them; it doubles.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// The longest wait that an endpoint may ask for.
const MOST_WAIT: Duration = Duration::from_secs(30);

/// How often a request is asked again with less of what was refused.
const MOST_REFUSALS: usize = 3;

/// A model at an endpoint.
#[derive(Debug, Clone)]
pub struct Remote {
    endpoint: Endpoint,
    model: String,
    retries: u32,
    first_wait: Duration,
    /// What the endpoint grants, as far as it was learned.
    wish: Arc<Mutex<Wish>>,
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

impl Remote {
    /// A model by its name at a base address such as `http://127.0.0.1:11434/v1`.
    ///
    /// # Errors
    /// A [`Failure`] if address or key can't be used at all; nothing is sent for that.
    pub fn new(
        format: WireFormat,
        base_url: &str,
        model: impl Into<String>,
        key: Option<SecretString>,
    ) -> Result<Self, Failure> {
        let endpoint = Endpoint::new(format, base_url, key, None)?;
        Ok(Self { retries: MOST_RETRIES, ..Self::without_retries(endpoint, model) })
    }

    /// The same model, asked as an agent's settings say; `secrets` are the values of those of their headers that are none of their text.
    ///
    /// # Errors
    /// A [`Failure`] if it can't be asked like that; nothing is sent for that.
    pub fn with_settings(
        self,
        settings: &ModelSettings,
        secrets: Vec<(String, SecretString)>,
    ) -> Result<Self, Failure> {
        let checked = settings.check(self.endpoint.format());
        checked.map_err(|fault| failure(FailureKind::Agent, fault.to_string()))?;
        let endpoint = self.endpoint.with_headers(&settings.headers, secrets)?;
        Ok(Self { endpoint, ..self }.asking(settings))
    }

    /// The same model with the wishes of an agent's settings.
    pub(crate) fn asking(self, settings: &ModelSettings) -> Self {
        Self { wish: Arc::new(Mutex::new(Wish::from(settings))), ..self }
    }

    /// The same model with another wait before the first retry; tests don't want to wait.
    pub fn with_first_wait(self, first_wait: Duration) -> Self {
        Self { first_wait, ..self }
    }

    /// A model that says at once what is wrong.
    pub(crate) fn without_retries(endpoint: Endpoint, model: impl Into<String>) -> Self {
        Self { endpoint, model: model.into(), retries: 0, first_wait: FIRST_WAIT, wish: Arc::default() }
    }

    /// One request and its reply.
    ///
    /// # Errors
    /// A [`Failure`]; nothing of the reply is kept then (D-71).
    pub(crate) async fn exchange(&self, prompt: &Prompt, deltas: &Deltas) -> Result<Exchange, Failure> {
        let response = self.granted(prompt).await?;
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if kind.starts_with("text/html") {
            let text =
                format!("{} answers with a web page, not with a model; is the address right?", self.endpoint.host());
            return Err(failure(FailureKind::Refused, text));
        }
        if kind.starts_with("application/json") {
            let whole = body(response, &self.endpoint.host()).await?;
            let reply = Reading::new(self.endpoint.format()).whole(&whole, deltas);
            return Ok(Exchange { reply: reply.map_err(|fault| self.explained(fault))?, came: Came::Whole });
        }
        let reply = self.stream(response, deltas).await?;
        Ok(Exchange { reply, came: Came::Streamed })
    }

    /// Asks, and asks with less where something that not every endpoint has is refused.
    async fn granted(&self, prompt: &Prompt) -> Result<Response, Failure> {
        let format = self.endpoint.format();
        let mut wish = *self.wish.lock().unwrap_or_else(PoisonError::into_inner);
        for _ in 0..MOST_REFUSALS {
            match self.answered(self.request(prompt, wish)?).await {
                Err(refused) if refused.kind == FailureKind::Refused || is_about_items(&refused.text) => {
                    tracing::info!(text = %refused.text, "asking the model for less");
                    wish = wish.after(&refused.text, format).ok_or_else(|| said_of_settings(refused, wish))?;
                    *self.wish.lock().unwrap_or_else(PoisonError::into_inner) = wish;
                }
                answered => return answered,
            }
        }
        self.answered(self.request(prompt, wish)?).await.map_err(|refused| said_of_settings(refused, wish))
    }

    fn request(&self, prompt: &Prompt, wish: Wish) -> Result<String, Failure> {
        let format = self.endpoint.format();
        let anew;
        let prompt = match wish.turns {
            Turns::AsTheyCame => prompt,
            Turns::Anew => {
                anew = without_records(prompt);
                &anew
            }
        };
        let body = request(format, &self.model, prompt, wish)
            .map_err(|_| failure(FailureKind::Refused, "the conversation can't be written as a request"))?;
        if let Err(error) = outgoing::check(format, &body, prompt) {
            tracing::error!(%error, "the outgoing request is not what the conversation says");
            debug_assert!(false, "bad outgoing request: {error}");
        }
        Ok(body)
    }

    /// Makes the request until it is answered. Only what can't have been begun is tried again: refused connections
    /// and answers that ask for it, never a reply that broke off.
    async fn answered(&self, request: String) -> Result<Response, Failure> {
        let mut wait = self.first_wait;
        for attempt in 0.. {
            let sent = self.endpoint.post(path(self.endpoint.format()));
            let sent = sent.header(CONTENT_TYPE, "application/json").body(request.clone());
            let (failure, asked) = match sent.send().await {
                Ok(response) if response.status().is_success() => return Ok(response),
                Ok(response) => {
                    let status = response.status();
                    let asked = asked_wait(&response);
                    // The status says enough if the words don't arrive.
                    let words = body(response, &self.endpoint.host()).await.unwrap_or_default();
                    let failure = of_status(status, &words, &self.model, self.endpoint.secrets());
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
        let mut reading = Reading::new(self.endpoint.format());
        let mut bytes = response.bytes_stream();
        while let Some(chunk) = bytes.next().await {
            let chunk = match chunk {
                Ok(chunk) => chunk,
                // The model had said that it was done; only the goodbye is missing.
                Err(_) if reading.is_done() => break,
                Err(error) => return Err(of_body(&error, &host)),
            };
            if reading.feed(&chunk, deltas).map_err(|fault| self.explained(fault))? == Taken::End {
                break;
            }
        }
        reading.finish(deltas).map_err(|fault| self.explained(fault))
    }

    fn explained(&self, fault: Fault) -> Failure {
        let (host, secrets) = (self.endpoint.host(), self.endpoint.secrets());
        match fault {
            Fault::Error(data) => of_event(&data, secrets),
            Fault::Unfinished => {
                failure(FailureKind::Cut, format!("the reply from {host} ended in the middle; nothing of it was kept"))
            }
            Fault::Declined(why) => {
                let said = why.and_then(|why| fit(&why, secrets)).map(|why| format!(": {why}")).unwrap_or_default();
                failure(FailureKind::Refused, format!("{}{said}", Fault::Declined(None)))
            }
            Fault::Stream(_) | Fault::Unreadable | Fault::TooLarge | Fault::LimitInCall => {
                failure(FailureKind::Cut, fault.to_string())
            }
        }
    }
}

#[async_trait]
impl Model for Remote {
    async fn reply(&self, prompt: Prompt, deltas: Deltas) -> Result<ModelReply, Failure> {
        self.exchange(&prompt, &deltas).await.map(|exchange| exchange.reply)
    }
}

/// A request's body in a format.
pub(crate) fn request(format: WireFormat, model: &str, prompt: &Prompt, wish: Wish) -> serde_json::Result<String> {
    match format {
        WireFormat::OpenAiChat => openai_chat::message::request(model, prompt, wish),
        WireFormat::OpenAiResponses => openai_responses::message::request(model, prompt, wish),
        WireFormat::AnthropicMessages => anthropic_messages::message::request(model, prompt, wish),
    }
}

/// A refusal of what the agent's settings ask for says so, and leads there.
fn said_of_settings(refused: Failure, wish: Wish) -> Failure {
    match wish.refused_setting(&refused.text).filter(|_| refused.kind == FailureKind::Refused) {
        Some(what) => {
            let text = format!("the agent's settings ask for {what}, and the model refuses it: {}", refused.text);
            failure(FailureKind::Agent, text)
        }
        None => refused,
    }
}

/// The same prompt as if no turn had been kept as it came.
fn without_records(prompt: &Prompt) -> Prompt {
    let without = |item: &Arc<ViewItem>| match item.as_ref() {
        ViewItem::Assistant { text, calls, dropped, raw: Some(_) } => {
            Arc::new(ViewItem::Assistant { text: text.clone(), raw: None, calls: calls.clone(), dropped: *dropped })
        }
        ViewItem::Assistant { raw: None, .. } | ViewItem::User { .. } | ViewItem::Results(_) => Arc::clone(item),
    };
    Prompt { messages: prompt.messages.iter().map(without).collect(), ..prompt.clone() }
}

/// Where below the base address replies are asked for.
fn path(format: WireFormat) -> &'static str {
    match format {
        WireFormat::OpenAiChat => "chat/completions",
        WireFormat::OpenAiResponses => "responses",
        WireFormat::AnthropicMessages => "messages",
    }
}

fn asked_wait(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests;
