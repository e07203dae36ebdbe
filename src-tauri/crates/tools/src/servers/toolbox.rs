//! A server's tools as the engine asks for them, and the tools of a folder and of servers together.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use countersign_core::input::{Outcome, OutcomeKind};
use countersign_core::parse::{self, Tree};
use countersign_core::policy::Place;
use countersign_core::server::{Definition, ServerProfile, ServerTool, names};
use countersign_core::tool::Tool;
use countersign_engine::ports::{Asks, Prepared, ToRun, Toolbox, Whole};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotification, CancelledNotificationParam, ClientNotification,
    ClientRequest, ServerResult,
};
use rmcp::service::{PeerRequestOptions, RequestHandle, RoleClient, ServiceError};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::connection::Line;
use super::exact;
use super::handler::Life;
use super::keeper::Keeper;
use super::result;

/// How long a call that was cancelled may take to end (D-91).
const STOP_GRACE: Duration = Duration::from_secs(5);
/// However often a server says that it goes on, a call ends after this many of its times.
const MOST_TIMES: u32 = 30;

/// The tools of one server for one agent, with the person's word on each as it was when the run started.
pub struct ServerTools {
    profile: ServerProfile,
    keeper: Keeper,
    made: Mutex<Option<Made>>,
}

/// Tools made from a list of definitions; made anew when the list is another one.
#[derive(Clone)]
struct Made {
    from: Arc<Vec<Definition>>,
    tools: Arc<Vec<Offered>>,
}

struct Offered {
    /// The server's name for it.
    raw: String,
    tool: Tool,
}

impl ServerTools {
    pub(super) fn new(profile: ServerProfile, keeper: Keeper) -> Self {
        Self { profile, keeper, made: Mutex::new(None) }
    }

    fn offered(&self) -> Arc<Vec<Offered>> {
        let definitions = self.keeper.definitions();
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = made.as_ref().filter(|made| Arc::ptr_eq(&made.from, &definitions)) {
            return Arc::clone(&made.tools);
        }
        let tools = tools_of(&self.profile, &definitions).into_iter();
        let tools = tools.map(|(definition, one)| Offered { raw: definition.name.clone(), tool: one.tool });
        let tools = Arc::new(tools.collect::<Vec<_>>());
        *made = Some(Made { from: definitions, tools: Arc::clone(&tools) });
        tools
    }

    /// Whether a tool's name is one of this server's: no other begins like it.
    fn has(&self, name: &str) -> bool {
        name.strip_prefix(&self.profile.handle).is_some_and(|rest| rest.starts_with("__"))
    }
}

/// A server's tools as they stand, each with what the server says of it.
pub fn tools_of<'a>(profile: &ServerProfile, definitions: &'a [Definition]) -> Vec<(&'a Definition, ServerTool)> {
    let raw: Vec<&str> = definitions.iter().map(|one| one.name.as_str()).collect();
    let named = definitions.iter().zip(names(&profile.handle, &raw));
    named.filter_map(|(definition, name)| Some((definition, profile.tool(definition, name?)))).collect()
}

#[async_trait]
impl Toolbox for ServerTools {
    fn tools(&self) -> Vec<Tool> {
        if !self.profile.on {
            return Vec::new();
        }
        self.offered().iter().map(|one| one.tool.clone()).collect()
    }

    fn place(&self, tool: &str) -> Place {
        if self.has(tool) { self.profile.place() } else { Place::UNCLASSIFIED }
    }

    async fn prepare(&self, _: &str, arguments: &Tree) -> Prepared {
        let fault = exact::arguments(arguments, &parse::to_text(arguments)).err();
        Prepared { fault, ..Prepared::default() }
    }

    async fn run(&self, call: ToRun, stop: CancellationToken) -> Outcome {
        let failed = |text: String| Outcome { kind: OutcomeKind::Failed, text, left: None };
        let offered = self.offered();
        let Some(one) = offered.iter().find(|one| one.tool.identity.name == call.tool) else {
            return failed(format!(
                "the server has no tool `{}` any more; nothing was sent",
                result::short(&call.tool)
            ));
        };
        // D-87: what was approved is what runs. The core looked before; the server may have changed its tools since.
        if call.identity.as_ref().is_none_or(|asked| asked.key() != one.tool.identity.key()) {
            let text = countersign_core::words::tool_changed(&call.tool);
            return Outcome { kind: OutcomeKind::ChangedSinceAsked, text, left: None };
        }
        let arguments = parse::arguments(&call.arguments).map_err(|fault| fault.to_string());
        let arguments = match arguments.and_then(|tree| exact::arguments(&tree, &call.arguments)) {
            Ok(arguments) => arguments,
            Err(fault) => return failed(fault),
        };
        if self.keeper.line().is_err() {
            // It ended since the run began; it is given one chance to come back.
            tokio::select! {
                () = self.keeper.ready() => {}
                () = stop.cancelled() => {}
            }
        }
        let line = match self.keeper.line() {
            Ok(line) => line,
            Err(why) => return failed(format!("{why}; nothing was sent")),
        };
        let limit = Duration::from_secs(u64::from(self.profile.call_s));
        let order = Order { name: one.raw.clone(), arguments, limit, asks: call.asks, whole: call.whole };
        send(&line, order, &stop).await
    }
}

/// A call as it is sent.
struct Order {
    /// The server's name for the tool.
    name: String,
    arguments: Map<String, Value>,
    /// How long it may go without a sign of life.
    limit: Duration,
    /// Asks the person what the server wants to know meanwhile.
    asks: Asks,
    /// Takes all of the answer, where the result has less.
    whole: Whole,
}

/// Sends a call and waits for its end: the answer, the connection's end, the person's stop, or silence for too long.
async fn send(line: &Line, order: Order, stop: &CancellationToken) -> Outcome {
    let Order { name, arguments, limit, asks, whole } = order;
    if stop.is_cancelled() {
        return Outcome { kind: OutcomeKind::Stopped, text: "stopped before it was sent".to_owned(), left: None };
    }
    let mut slot = line.calls.enter(asks);
    let params = CallToolRequestParams::new(name).with_arguments(arguments);
    let request = CallToolRequest::new(params);
    let request = ClientRequest::CallToolRequest(request);
    let options = PeerRequestOptions::no_options();
    let Ok(mut handle) = line.peer.send_cancellable_request(request, options).await else {
        // It never left.
        let text = "the server has just ended; nothing was sent".to_owned();
        return Outcome { kind: OutcomeKind::Failed, text, left: None };
    };
    slot.sent(handle.id.clone(), handle.progress_token.clone());
    let over = line.over.cancelled();
    let answered = tokio::select! {
        answered = &mut handle.rx => answered.unwrap_or(Err(ServiceError::TransportClosed)),
        () = over => Err(ServiceError::TransportClosed),
        () = stop.cancelled() => return stopped(line, handle, &whole).await,
        () = silence(&mut slot.life, limit) => return silent(line, &handle, limit).await,
    };
    match answered {
        Ok(ServerResult::CallToolResult(answer)) => result::outcome(answer, &whole),
        // A result without any content reads like an empty one.
        Ok(ServerResult::EmptyResult(_)) => {
            Outcome { kind: OutcomeKind::Succeeded, text: "(no content)".to_owned(), left: None }
        }
        Ok(_) => result::failure(&ServiceError::UnexpectedResponse, None),
        Err(error) => {
            if matches!(error, ServiceError::TransportSend(_)) {
                // There is no connection that could close: this is how the end of a server behind an address is noticed.
                line.cut_off.because("it can't be reached any more".to_owned());
                line.over.cancel();
            }
            result::failure(&error, line.cut_off.why())
        }
    }
}

/// Ends when there was no sign of life for the given time. While a person is asked, no time passes.
async fn silence(life: &mut tokio::sync::watch::Receiver<Life>, limit: Duration) {
    let mut left = MOST_TIMES;
    loop {
        let Life { asking, .. } = *life.borrow_and_update();
        if asking > 0 {
            if life.changed().await.is_err() {
                return std::future::pending().await;
            }
            continue;
        }
        tokio::select! {
            () = tokio::time::sleep(limit) => return,
            changed = life.changed() => {
                left = left.saturating_sub(u32::from(changed.is_ok()));
                if changed.is_err() || left == 0 {
                    return tokio::time::sleep(limit).await;
                }
            }
        }
    }
}

async fn stopped(line: &Line, mut handle: RequestHandle<RoleClient>, whole: &Whole) -> Outcome {
    cancel(line, &handle, "stopped by the person").await;
    match tokio::time::timeout(STOP_GRACE, &mut handle.rx).await {
        Ok(Ok(Ok(ServerResult::CallToolResult(answer)))) => result::outcome(answer, whole),
        Ok(_) | Err(_) => Outcome {
            kind: OutcomeKind::Unknown,
            text: "stopped; the server was told, and what it had done by then may have happened".to_owned(),
            left: None,
        },
    }
}

async fn silent(line: &Line, handle: &RequestHandle<RoleClient>, limit: Duration) -> Outcome {
    cancel(line, handle, "no sign of life").await;
    Outcome {
        kind: OutcomeKind::Unknown,
        text: format!("the server gave no sign of life for {} s; the call may have been carried out", limit.as_secs()),
        left: None,
    }
}

/// Tells the server that nobody waits any more. One that doesn't read isn't waited for.
async fn cancel(line: &Line, handle: &RequestHandle<RoleClient>, why: &str) {
    let told = CancelledNotificationParam::new(Some(handle.id.clone()), Some(why.to_owned()));
    let told = ClientNotification::CancelledNotification(CancelledNotification::new(told));
    let _ = tokio::time::timeout(Duration::from_secs(1), line.peer.send_notification(told)).await;
}

/// The tools of a folder and of servers together.
pub struct Joined {
    own: Arc<dyn Toolbox>,
    servers: Vec<ServerTools>,
}

impl Joined {
    /// The agent's own tools, and those of its servers.
    pub fn new(own: Arc<dyn Toolbox>, servers: Vec<ServerTools>) -> Self {
        Self { own, servers }
    }

    fn of(&self, tool: &str) -> &dyn Toolbox {
        let server = self.servers.iter().find(|server| server.has(tool));
        server.map_or(&*self.own, |server| server as &dyn Toolbox)
    }
}

#[async_trait]
impl Toolbox for Joined {
    fn tools(&self) -> Vec<Tool> {
        self.own.tools().into_iter().chain(self.servers.iter().flat_map(Toolbox::tools)).collect()
    }

    fn place(&self, tool: &str) -> Place {
        self.of(tool).place(tool)
    }

    async fn prepare(&self, tool: &str, arguments: &Tree) -> Prepared {
        self.of(tool).prepare(tool, arguments).await
    }

    async fn run(&self, call: ToRun, stop: CancellationToken) -> Outcome {
        self.of(&call.tool).run(call, stop).await
    }
}
