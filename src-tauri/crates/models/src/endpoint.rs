//! An address that speaks one of the wire formats, and how it is talked to.

use std::net::IpAddr;
use std::time::Duration;

use countersign_core::agent::WireFormat;
use countersign_core::asking::{self as core_asking, ExtraHeader};
use countersign_core::run::{Failure, FailureKind};
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use reqwest::{Client, RequestBuilder, Response, Url};
use secrecy::{ExposeSecret as _, SecretString};

use crate::failure::{failure, of_body};

/// How long connecting may take.
const CONNECT_TIME: Duration = Duration::from_secs(10);
/// How long nothing may come. There is no limit for a whole reply: models may think for long.
const READ_TIME: Duration = Duration::from_secs(120);

/// How much of an answer that isn't streamed is read.
pub(crate) const MOST_BODY: usize = 16 * 1024 * 1024;

/// The version of its interface that Anthropic wants to be told.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// An endpoint with its key. The debug form shows no key.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    format: WireFormat,
    base: Url,
    key: Option<SecretString>,
    headers: Vec<(HeaderName, HeaderValue)>,
    /// What must not stand in a text: the key, and the headers' values.
    secrets: Vec<SecretString>,
    client: Client,
}

impl Endpoint {
    /// Checks the address and the key and makes a client for them.
    ///
    /// # Errors
    /// A [`Failure`] that says what is wrong with address or key.
    pub(crate) fn new(
        format: WireFormat,
        base_url: &str,
        key: Option<SecretString>,
        connect: Option<Duration>,
    ) -> Result<Self, Failure> {
        let wrong = |text: &str| failure(FailureKind::Agent, text);
        let base = Url::parse(base_url.trim())
            .map_err(|_| wrong("the address can't be read; it begins with http:// or https://"))?;
        if !matches!(base.scheme(), "http" | "https") || base.host_str().is_none() {
            return Err(wrong("the address must begin with http:// or https:// and name a host"));
        }
        if !base.username().is_empty() || base.password().is_some() {
            return Err(wrong("the address holds a name or a password; the key has a field of its own"));
        }
        let key = key.filter(|key| !key.expose_secret().trim().is_empty());
        if let Some(key) = &key {
            header(format, key)
                .ok_or_else(|| failure(FailureKind::Unauthorized, "the key has characters that can't be sent"))?;
        }
        // A redirect could carry key and conversation elsewhere; a retry inside the client could pay twice.
        let builder = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .connect_timeout(connect.unwrap_or(CONNECT_TIME))
            .read_timeout(READ_TIME)
            .user_agent(concat!("countersign/", env!("CARGO_PKG_VERSION")));
        let builder = if is_loopback(&base) { builder.no_proxy() } else { builder };
        let client = builder.build().map_err(|_| wrong("no connections can be made on this machine"))?;
        let secrets = key.iter().cloned().collect();
        Ok(Self { format, base, key, headers: Vec::new(), secrets, client })
    }

    /// The same endpoint with headers of the person's own, which go with every request. `secrets` are the values of those that are none
    /// of their text.
    ///
    /// # Errors
    /// A [`Failure`] that names the header that can't be sent.
    pub(crate) fn with_headers(
        mut self,
        headers: &[ExtraHeader],
        secrets: Vec<(String, SecretString)>,
    ) -> Result<Self, Failure> {
        for ExtraHeader { name, value } in headers {
            let wrong = |what| failure(FailureKind::Agent, format!("the header `{name}` {what}"));
            let value = match value {
                core_asking::HeaderValue::Plain { text } => text.trim(),
                core_asking::HeaderValue::Secret | core_asking::HeaderValue::Env { .. } => {
                    let found = secrets.iter().find(|(of, _)| of == name);
                    found.ok_or_else(|| wrong("has no value"))?.1.expose_secret().trim()
                }
            };
            let mut sent = HeaderValue::from_str(value).map_err(|_| wrong("has a value that can't be sent"))?;
            sent.set_sensitive(true);
            let called = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong("has no name that can be sent"))?;
            self.headers.push((called, sent));
        }
        self.secrets.extend(secrets.into_iter().map(|(_, value)| value));
        Ok(self)
    }

    /// How it is spoken to.
    pub(crate) fn format(&self) -> WireFormat {
        self.format
    }

    /// The host as it is named in texts.
    pub(crate) fn host(&self) -> String {
        let host = self.base.host_str().unwrap_or_default();
        match self.base.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }

    /// What has to be kept out of texts.
    pub(crate) fn secrets(&self) -> &[SecretString] {
        &self.secrets
    }

    /// Whether what is sent can be read on the way.
    pub(crate) fn is_open_on_the_way(&self) -> bool {
        self.base.scheme() == "http" && !is_loopback(&self.base)
    }

    pub(crate) fn post(&self, path: &str) -> RequestBuilder {
        self.with_key(self.client.post(self.address(path)))
    }

    /// Asks for the list of models, as many as it gives at once.
    pub(crate) fn get_models(&self) -> RequestBuilder {
        let mut address = self.address("models");
        match self.format {
            WireFormat::OpenAiChat | WireFormat::OpenAiResponses => {}
            // It would give twenty.
            WireFormat::AnthropicMessages => drop(address.query_pairs_mut().append_pair("limit", "1000")),
        }
        self.with_key(self.client.get(address))
    }

    fn address(&self, path: &str) -> Url {
        let mut address = self.base.clone();
        let base = address.path().trim_end_matches('/').to_owned();
        address.set_path(&format!("{base}/{path}"));
        address
    }

    fn with_key(&self, request: RequestBuilder) -> RequestBuilder {
        let request = match self.format {
            WireFormat::OpenAiChat | WireFormat::OpenAiResponses => request,
            WireFormat::AnthropicMessages => request.header("anthropic-version", ANTHROPIC_VERSION),
        };
        let request = match self.key.as_ref().and_then(|key| header(self.format, key)) {
            Some((name, value)) => request.header(name, value),
            None => request,
        };
        self.headers.iter().fold(request, |request, (name, value)| request.header(name, value))
    }
}

/// Reads an answer whole, up to a bound.
///
/// # Errors
/// A [`Failure`] if it breaks off or is too large.
pub(crate) async fn body(mut response: Response, host: &str) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| of_body(&error, host))? {
        if bytes.len() + chunk.len() > MOST_BODY {
            return Err(failure(FailureKind::Refused, format!("the answer from {host} is larger than 16 MiB")));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn header(format: WireFormat, key: &SecretString) -> Option<(HeaderName, HeaderValue)> {
    let key = key.expose_secret().trim();
    let (name, value) = match format {
        WireFormat::OpenAiChat | WireFormat::OpenAiResponses => (AUTHORIZATION, format!("Bearer {key}")),
        WireFormat::AnthropicMessages => (HeaderName::from_static("x-api-key"), key.to_owned()),
    };
    let mut value = HeaderValue::from_str(&value).ok()?;
    value.set_sensitive(true);
    Some((name, value))
}

/// Whether an address is on this machine, so that no proxy may stand between.
fn is_loopback(address: &Url) -> bool {
    let host = address.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.ends_with(".localhost") || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked_and_extended() {
        let endpoint =
            |address| Endpoint::new(WireFormat::OpenAiChat, address, Some("sk-secret".to_owned().into()), None);
        for (base, expected) in [
            ("http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1/models"),
            (" https://x.test/v1/ ", "https://x.test/v1/models"),
            ("https://x.test", "https://x.test/models"),
            ("https://x.test/a?api-version=2", "https://x.test/a/models?api-version=2"),
        ] {
            assert_eq!(endpoint(base).unwrap().address("models").as_str(), expected);
        }
        for base in ["", "x.test/v1", "ftp://x.test", "file:///etc", "https://key@x.test/v1", "http://"] {
            assert_eq!(endpoint(base).unwrap_err().kind, FailureKind::Agent, "{base}");
        }
        let shown = format!("{:?}", endpoint("https://x.test").unwrap());
        assert!(!shown.contains("sk-secret"), "a debug form shows no key");
        let broken =
            Endpoint::new(WireFormat::OpenAiChat, "https://x.test", Some("a\nb".to_owned().into()), None).unwrap_err();
        assert_eq!(broken.kind, FailureKind::Unauthorized);
    }

    #[test]
    fn what_travels_in_the_open_is_known() {
        for (address, expected) in [("http://10.0.0.1", true), ("http://127.0.0.1", false), ("https://x.test", false)] {
            assert_eq!(
                Endpoint::new(WireFormat::OpenAiChat, address, None, None).unwrap().is_open_on_the_way(),
                expected,
                "{address}"
            );
        }
    }

    #[test]
    fn this_machine_is_known() {
        for (address, expected) in [
            ("http://localhost:1", true),
            ("http://127.8.0.1", true),
            ("http://[::1]:5", true),
            ("http://a.localhost", true),
            ("http://localhost.test", false),
            ("http://10.0.0.1", false),
        ] {
            assert_eq!(is_loopback(&Url::parse(address).unwrap()), expected, "{address}");
        }
    }
}
