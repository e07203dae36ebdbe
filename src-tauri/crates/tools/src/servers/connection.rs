//! Connecting to a server: starting its program or reaching its address, shaking hands, reading its list of tools.

use std::collections::HashMap;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use countersign_core::ids::ServerId;
use countersign_core::server::{Launch, Value, Variable};
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::{ClientRequest, ListToolsRequest, PaginatedRequestParams, ServerResult};
use rmcp::service::{ClientInitializeError, RoleClient, RunningService, ServiceError};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{Peer, ServiceExt as _};
use rustix::process::{Pid, Signal, kill_process_group};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};
use tokio::process::{Child, Command};

use super::Secrets;
use super::handler::Handler;
use super::journal::Journal;
use super::listing::Listing;
use super::pipes::{CutOff, Pipes};
use super::result::short;
use crate::exec::environment;

/// How long a server may take to end by itself, and again after it was told to.
const FAREWELL: Duration = Duration::from_secs(2);
/// How long an address may take to answer a connection.
const REACH: Duration = Duration::from_secs(10);
/// The longest message of an address, in bytes. Its values can't be counted before it is read, as those of a program's message are,
/// and a value takes many times the room of its text; so less text is taken.
const MOST_OVER_HTTP: usize = 4 * 1024 * 1024;
/// The most pages of a list that are read.
const MOST_PAGES: usize = 200;

/// A server that answers.
pub(super) struct Connected {
    pub(super) service: RunningService<RoleClient, Handler>,
    pub(super) process: Option<Process>,
    pub(super) cut_off: CutOff,
}

/// The program of a server, with everything that it started in its process group.
pub(super) struct Process {
    child: Child,
    group: Option<Pid>,
}

impl Process {
    /// Ends it: first it is waited for, since its input is closed, then it is told to, then it is killed.
    pub(super) async fn end(mut self) -> Option<String> {
        for signal in [None, Some(Signal::TERM), Some(Signal::KILL)] {
            if let (Some(signal), Some(group)) = (signal, self.group) {
                let _ = kill_process_group(group, signal);
            }
            if let Ok(Ok(status)) = tokio::time::timeout(FAREWELL, self.child.wait()).await {
                // What it left in its group goes with it.
                self.kill_group();
                return Some(status.to_string());
            }
        }
        None
    }

    fn kill_group(&mut self) {
        if let Some(group) = self.group.take() {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill_group();
    }
}

/// Connects and shakes hands.
///
/// # Errors
/// Words for the person; they may quote the server.
pub(super) async fn connect(
    server: ServerId,
    launch: &Launch,
    secrets: &dyn Secrets,
    handler: Handler,
) -> Result<Connected, String> {
    let values = values(server, launch.variables(), secrets).await?;
    let cut_off = CutOff::default();
    match launch {
        Launch::Command { program, args, folder, .. } => {
            let journal = handler.journal.clone();
            let mut child = start(program, args, folder.as_deref(), &values)?;
            let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
            let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
            let process = Process { child, group };
            let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
                return Err("its input and output couldn't be opened".to_owned());
            };
            let errors = tokio::spawn(read_errors(stderr, journal.clone()));
            let transport = Pipes::new(stdout, stdin, cut_off.clone(), journal.clone());
            match handler.serve(transport).await {
                Ok(service) => Ok(Connected { service, process: Some(process), cut_off }),
                Err(error) => {
                    let ended = process.end().await;
                    // Its last words are the best hint, if nothing that it left behind keeps them open.
                    let _ = tokio::time::timeout(Duration::from_millis(500), errors).await;
                    Err(not_started(&error, cut_off.why(), ended, &journal))
                }
            }
        }
        Launch::Http { url, .. } => {
            let client = reqwest::Client::builder()
                // Keys in headers don't follow a server elsewhere.
                .redirect(reqwest::redirect::Policy::none())
                .connect_timeout(REACH)
                .pool_max_idle_per_host(0)
                .build()
                .map_err(|error| format!("it can't be reached: {}", short(&error.to_string())))?;
            let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
            config.custom_headers = headers(&values)?;
            config.max_sse_event_size = MOST_OVER_HTTP;
            config.max_json_response_size = MOST_OVER_HTTP;
            // A call whose session went away may have been carried out; it is never sent a second time.
            config.reinit_on_expired_session = false;
            let transport = StreamableHttpClientTransport::with_client(client, config);
            match handler.serve(transport).await {
                Ok(service) => Ok(Connected { service, process: None, cut_off }),
                Err(error) if error.is_authorization_required() => {
                    Err("it wants a key; give it one as a header, such as `Authorization`".to_owned())
                }
                Err(error) => Err(format!("it can't be used: {}", short(&error.to_string()))),
            }
        }
    }
}

/// The server's list of tools.
///
/// # Errors
/// Words for the person.
pub(super) async fn list(peer: &Peer<RoleClient>) -> Result<(Listing, bool), String> {
    let mut listing = Listing::default();
    let mut cursor = None;
    for _ in 0..MOST_PAGES {
        let mut params = PaginatedRequestParams::default();
        params.cursor = cursor;
        let request = ListToolsRequest::with_param(params);
        let page = match peer.send_request(ClientRequest::ListToolsRequest(request)).await {
            Ok(ServerResult::ListToolsResult(page)) => page,
            Ok(_) => return Err("its list of tools isn't one".to_owned()),
            Err(ServiceError::McpError(error)) => {
                return Err(format!("it won't list its tools: {}", short(&error.message)));
            }
            Err(error) => return Err(format!("it didn't list its tools: {}", short(&error.to_string()))),
        };
        for tool in page.tools {
            listing.push(tool);
        }
        cursor = page.next_cursor;
        if cursor.is_none() || listing.is_full() {
            return Ok((listing, cursor.is_some()));
        }
    }
    Ok((listing, true))
}

async fn values(
    server: ServerId,
    variables: &[Variable],
    secrets: &dyn Secrets,
) -> Result<Vec<(String, SecretString)>, String> {
    let mut values = Vec::with_capacity(variables.len());
    for Variable { name, value } in variables {
        let value = match value {
            Value::Plain { text } => SecretString::from(text.as_str()),
            Value::Secret { from } => {
                let read = secrets.read(server, name, from).await;
                read.map_err(|why| format!("`{name}` can't be read: {why}"))?
            }
        };
        values.push((name.clone(), value));
    }
    Ok(values)
}

fn start(
    program: &str,
    args: &[String],
    folder: Option<&str>,
    values: &[(String, SecretString)],
) -> Result<Child, String> {
    let plain = std::env::vars_os().filter(|(name, _)| environment::is_plain(name));
    let home = std::env::var("HOME").ok();
    let folder = folder.map(str::to_owned).or(home).unwrap_or_else(|| "/".to_owned());
    if !std::path::Path::new(&folder).is_dir() {
        return Err(format!("the folder {folder} isn't there"));
    }
    let mut command = Command::new(program);
    command.args(args).env_clear().envs(plain).current_dir(folder).process_group(0).kill_on_drop(true);
    command.envs(values.iter().map(|(name, value)| (name, value.expose_secret())));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("there is no program `{}` in PATH", short(program)),
        std::io::ErrorKind::PermissionDenied => format!("`{}` can't be run: permission denied", short(program)),
        _ => format!("`{}` can't be started: {error}", short(program)),
    })
}

fn headers(values: &[(String, SecretString)]) -> Result<HashMap<HeaderName, HeaderValue>, String> {
    let pair = |(name, value): &(String, SecretString)| {
        let fault = || format!("the header `{name}` can't be sent");
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| fault())?;
        let mut value = HeaderValue::from_str(value.expose_secret()).map_err(|_| fault())?;
        value.set_sensitive(true);
        Ok((header, value))
    };
    values.iter().map(pair).collect()
}

/// Reads what a server writes to its standard error, line by line, however long its lines are.
async fn read_errors(stderr: impl AsyncRead + Unpin, journal: Journal) {
    let mut stderr = BufReader::new(stderr);
    loop {
        let mut line = Vec::new();
        match (&mut stderr).take(4096).read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => journal.line(&line),
        }
    }
}

/// Why a program didn't come up: its own last words are the best hint.
fn not_started(error: &ClientInitializeError, why: Option<String>, ended: Option<String>, journal: &Journal) -> String {
    if let Some(why) = why {
        return why;
    }
    let said = journal.lines().into_iter().rev().find(|line| !line.ours && !line.text.trim().is_empty());
    let said = said.map(|line| format!(": {}", short(line.text.trim()))).unwrap_or_default();
    match (error, ended) {
        (ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::TransportError { .. }, Some(status)) => {
            format!("it ended before it answered ({status}){said}")
        }
        (error, _) => format!("it doesn't speak the protocol: {}", short(&error.to_string())),
    }
}

/// Lists the tools within a time.
pub(super) async fn list_within(peer: &Peer<RoleClient>, most: Duration) -> Result<(Listing, bool), String> {
    let listed = tokio::time::timeout(most, list(peer)).await;
    listed.unwrap_or_else(|_| Err(format!("it didn't list its tools within {} s", most.as_secs())))
}

/// A connection's parts, shared with those who call.
#[derive(Clone)]
pub(super) struct Line {
    pub(super) peer: Peer<RoleClient>,
    pub(super) calls: super::handler::Calls,
    pub(super) cut_off: CutOff,
    pub(super) over: Arc<tokio_util::sync::CancellationToken>,
}

impl Line {
    /// Whether something can be sent.
    pub(super) fn is_open(&self) -> bool {
        !self.over.is_cancelled() && !self.peer.is_transport_closed()
    }
}
