//! `http_fetch`: gets one address of the web, as text.
//!
//! # Design
//! What a person approves is the host on the card. So nothing leads elsewhere: the name is resolved once, every address that it has must
//! be allowed, and those very addresses are connected to; no proxy stands between; a redirect is followed only within the same host, and
//! is otherwise told to the model, whose next call asks again. Nothing of the person goes along: no key, no cookie, a fixed name of the
//! program. Before the person has said yes no name is looked up, because even that tells somebody.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use countersign_core::fetch::Reaches;
use countersign_core::input::{Outcome, OutcomeKind};
use countersign_engine::ports::Whole;
use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, LOCATION};
use reqwest::{Client, Response, StatusCode, Url};
use tokio_util::sync::CancellationToken;

use crate::read::grouped;

mod address;

/// How long connecting may take.
const CONNECT_TIME: Duration = Duration::from_secs(10);
/// How long all of it may take, redirects included.
const WHOLE_TIME: Duration = Duration::from_secs(60);
/// How many redirects are followed.
const MOST_REDIRECTS: usize = 5;
/// How much of an answer is read, unpacked.
const MOST_READ: usize = 5 * 1024 * 1024;
/// The most bytes of text that come back.
pub(crate) const MOST_TEXT: u64 = 256 * 1024;
/// The longest address.
const MOST_URL: usize = 8 * 1024;

/// Finds the addresses of a name. Tests stand in for it.
#[async_trait]
pub(crate) trait Resolver: Send + Sync + std::fmt::Debug {
    /// All addresses of a host.
    ///
    /// # Errors
    /// What the system says.
    async fn resolve(&self, host: &str, port: u16) -> std::io::Result<Vec<SocketAddr>>;
}

/// The system's own way.
#[derive(Debug)]
struct SystemResolver;

#[async_trait]
impl Resolver for SystemResolver {
    async fn resolve(&self, host: &str, port: u16) -> std::io::Result<Vec<SocketAddr>> {
        Ok(tokio::net::lookup_host((host, port)).await?.collect())
    }
}

/// Fetches for one agent.
#[derive(Debug, Clone)]
pub(crate) struct Fetcher {
    reaches: Reaches,
    resolver: Arc<dyn Resolver>,
    connect: Duration,
    whole: Duration,
}

impl Fetcher {
    /// With the system's own name service.
    pub(crate) fn new(reaches: Reaches) -> Self {
        Self { reaches, resolver: Arc::new(SystemResolver), connect: CONNECT_TIME, whole: WHOLE_TIME }
    }

    /// Fetches. Stopped, it lets go at once; what had been sent was sent.
    pub(crate) async fn fetch(
        &self,
        address: &str,
        most: Option<u64>,
        whole: &Whole,
        stop: CancellationToken,
    ) -> Outcome {
        let fetched = tokio::select! {
            fetched = tokio::time::timeout(self.whole, self.fetched(address, most, whole)) => fetched,
            () = stop.cancelled() => {
                return outcome(OutcomeKind::Stopped, "stopped; what was asked of the server may have reached it".to_owned());
            }
        };
        match fetched {
            Ok(Ok(text)) => outcome(OutcomeKind::Succeeded, text),
            Ok(Err(fault)) => outcome(OutcomeKind::Failed, fault),
            Err(_) => {
                let seconds = self.whole.as_secs();
                outcome(OutcomeKind::Failed, format!("it took longer than {seconds} s, so it was given up"))
            }
        }
    }

    async fn fetched(&self, address: &str, most: Option<u64>, whole: &Whole) -> Result<String, String> {
        let first = target(address, self.reaches)?;
        let client = self.client(&first).await?;
        let mut at = first;
        for redirects in 0.. {
            let response = client.get(at.clone()).send().await.map_err(|error| failed(&error, &at))?;
            let Some(next) = redirect(&response, &at) else {
                return page(response, &at, redirects, most.unwrap_or(MOST_TEXT), whole).await;
            };
            let code = response.status().as_u16();
            let next = match next {
                Ok(next) => target(next.as_str(), self.reaches).map_err(|fault| format!("{code}, and {fault}"))?,
                Err(said) => {
                    return Err(format!(
                        "{code}: the server points elsewhere with an address that can't be read: {said}"
                    ));
                }
            };
            if !same_host(&at, &next) {
                return Ok(format!(
                    "[{code}: the server points to {next}, which is another place. It wasn't followed; fetch that address if you need it.]"
                ));
            }
            if redirects == MOST_REDIRECTS {
                return Err(format!(
                    "the server points on and on; given up after {MOST_REDIRECTS} redirects, at {next}"
                ));
            }
            at = next;
        }
        Err("the server was never asked".to_owned())
    }

    /// A client that can reach the host of an address at what its name is now, and nothing else.
    async fn client(&self, at: &Url) -> Result<Client, String> {
        let host = at.host_str().unwrap_or_default();
        let mut builder = Client::builder()
            .no_proxy()
            .no_gzip()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .connect_timeout(self.connect)
            .user_agent(concat!("countersign/", env!("CARGO_PKG_VERSION")));
        // A literal address was looked at with the rest of the text.
        if literal(at).is_none() {
            let port = at.port_or_known_default().unwrap_or_default();
            let found = self.resolver.resolve(host, port).await;
            let found = found.map_err(|error| format!("the name {host} can't be found: {error}"))?;
            if found.is_empty() {
                return Err(format!("the name {host} has no address"));
            }
            // One that isn't allowed is enough: whoever owns the name could mean that one.
            let bad = found.iter().find_map(|one| Some((one.ip(), address::refused(one.ip(), self.reaches)?)));
            if let Some((ip, what)) = bad {
                return Err(refusal(host, &format!("{ip}, {what}"), self.reaches));
            }
            // The port of the address that was looked up would hold for a redirect from http to https, too; 0 is "the URL's own".
            let found = found.into_iter().map(|mut one| {
                if one.port() == port {
                    one.set_port(0);
                }
                one
            });
            builder = builder.resolve_to_addrs(host, &found.collect::<Vec<_>>());
        }
        builder.build().map_err(|_| "no connections can be made on this machine".to_owned())
    }
}

/// Reads an address that is to be fetched, and refuses what needs no look at the network to be refused.
///
/// # Errors
/// Words for the model.
pub(crate) fn target(address: &str, reaches: Reaches) -> Result<Url, String> {
    if address.len() > MOST_URL {
        return Err(format!("`url` is longer than {} bytes", grouped(MOST_URL as u64)));
    }
    let mut at =
        Url::parse(address.trim()).map_err(|error| format!("`url` can't be read ({error}); give the whole address"))?;
    if !matches!(at.scheme(), "http" | "https") {
        return Err(format!("only http:// and https:// can be fetched, not {}:", at.scheme()));
    }
    if !at.username().is_empty() || at.password().is_some() {
        return Err("`url` holds a name or a password; addresses with one aren't fetched".to_owned());
    }
    let host = at.host_str().filter(|host| !host.is_empty()).ok_or("`url` names no host")?;
    if let Some(what) = literal(&at).and_then(|ip| address::refused(ip, reaches)) {
        return Err(refusal(host, what, reaches));
    }
    at.set_fragment(None);
    Ok(at)
}

fn refusal(host: &str, what: &str, reaches: Reaches) -> String {
    let way = match reaches {
        Reaches::Public => {
            "; only public addresses can be fetched, unless the person allows others in this agent's settings"
        }
        Reaches::Private => "",
    };
    format!("{host} is {what}, so nothing was sent{way}")
}

/// The address that stands in the place of a name.
fn literal(at: &Url) -> Option<IpAddr> {
    at.host_str()?.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// Where an answer points to, if it does.
fn redirect(response: &Response, at: &Url) -> Option<Result<Url, String>> {
    let points = [
        StatusCode::MOVED_PERMANENTLY,
        StatusCode::FOUND,
        StatusCode::SEE_OTHER,
        StatusCode::TEMPORARY_REDIRECT,
        StatusCode::PERMANENT_REDIRECT,
    ];
    if !points.contains(&response.status()) {
        return None;
    }
    let to = response.headers().get(LOCATION)?;
    let Ok(to) = to.to_str() else { return Some(Err("it isn't text".to_owned())) };
    Some(at.join(to).map_err(|error| error.to_string()))
}

/// Whether what was approved covers the next address: the same host and port, and no way that more can read along on.
fn same_host(at: &Url, next: &Url) -> bool {
    let place = |url: &Url| (url.host_str().map(str::to_owned), url.port_or_known_default());
    let upgraded = (at.scheme(), next.scheme()) == ("http", "https")
        && at.host_str() == next.host_str()
        && (at.port(), next.port()) == (None, None);
    upgraded || (at.scheme() == next.scheme() && place(at) == place(next))
}

/// An answer as the model gets it: what it is, and its text, cut with the amount stated.
async fn page(mut response: Response, at: &Url, redirects: usize, most: u64, whole: &Whole) -> Result<String, String> {
    let status = response.status();
    let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
    let kind = header(CONTENT_TYPE)
        .unwrap_or_default()
        .chars()
        .filter(|letter| !letter.is_control())
        .take(120)
        .collect::<String>();
    let said = header(CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
    let mut head = format!("[{status}, {}", if kind.is_empty() { "of no stated kind" } else { &kind });
    if redirects > 0 {
        head = format!("{head}, after {redirects} redirects from {at}");
    }
    if !is_text(&kind) {
        let size = said.map_or_else(|| "of unstated size".to_owned(), |size| format!("{} bytes", grouped(size)));
        return Ok(format!("{head}, {size}. It is no text, so it wasn't read.]"));
    }
    let mut bytes = Vec::new();
    let mut more = false;
    while let Some(chunk) = response.chunk().await.map_err(|error| failed(&error, at))? {
        let fits = chunk.len().min(MOST_READ - bytes.len());
        bytes.extend_from_slice(chunk.get(..fits).unwrap_or_default());
        if fits < chunk.len() {
            more = true;
            break;
        }
    }
    if bytes.contains(&0) {
        return Ok(format!(
            "{head}, {} bytes. It is no text, whatever the server calls it.]",
            grouped(bytes.len() as u64)
        ));
    }
    let read = grouped(bytes.len() as u64);
    let size = match (more, said) {
        (false, _) => format!("{read} bytes"),
        (true, Some(said)) => format!("the first {read} of {} bytes were read", grouped(said)),
        (true, None) => format!("the first {read} bytes were read and more came"),
    };
    let (text, broken) = decoded(bytes, &kind);
    let kept = cut(&text, most);
    let left = text.len() - kept.len();
    let broken = if broken { "; bytes that are no UTF-8 are shown as \u{fffd}" } else { "" };
    if left > 0 {
        whole.keep(format!("{head}, {size}{broken}]\n{text}"));
    }
    let foot = if left > 0 { format!("\n[{} bytes left out]", grouped(left as u64)) } else { String::new() };
    Ok(format!("{head}, {size}{broken}]\n{kept}{foot}"))
}

/// Whether a kind of content is text. What is of no stated kind is looked at.
fn is_text(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let named =
        ["json", "xml", "javascript", "ecmascript", "yaml", "x-yaml", "toml", "x-ndjson", "jsonl", "sql", "graphql"];
    match kind.split_once('/') {
        None => kind.is_empty(),
        Some(("text", _)) => true,
        Some(("application", what)) => named.contains(&what) || what.ends_with("+json") || what.ends_with("+xml"),
        Some((_, what)) => what.ends_with("+xml"),
    }
}

/// As text: what says that it is Latin-1 is that, all else is UTF-8, with what isn't marked.
fn decoded(bytes: Vec<u8>, kind: &str) -> (String, bool) {
    let kind = kind.to_ascii_lowercase();
    let latin = ["iso-8859-1", "latin1", "windows-1252", "us-ascii"].iter().any(|name| kind.contains(name));
    match String::from_utf8(bytes) {
        Ok(text) => (text, false),
        Err(error) if latin => (error.into_bytes().into_iter().map(char::from).collect(), false),
        Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), true),
    }
}

/// The beginning of a text, with no character split.
fn cut(text: &str, most: u64) -> &str {
    let most = usize::try_from(most.min(MOST_TEXT)).unwrap_or_default();
    let end = (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or_default()).unwrap_or(text)
}

/// What went wrong, without an address in it that the server chose.
fn failed(error: &reqwest::Error, at: &Url) -> String {
    use std::error::Error as _;
    let host = at.host_str().unwrap_or_default();
    let mut cause = error.source();
    while let Some(next) = cause.and_then(std::error::Error::source) {
        cause = Some(next);
    }
    let why = cause.map(ToString::to_string).unwrap_or_default();
    let why: String = why.chars().filter(|letter| !letter.is_control()).take(300).collect();
    if error.is_connect() {
        format!("nothing answers at {host}: {why}")
    } else if error.is_timeout() {
        format!("{host} didn't answer in time")
    } else {
        format!("the connection to {host} broke off: {why}")
    }
}

fn outcome(kind: OutcomeKind, text: String) -> Outcome {
    Outcome { kind, text, left: None }
}

#[cfg(test)]
mod tests;
