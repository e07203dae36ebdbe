//! A server's tools as the engine asks for them, and the tools of a folder and of servers together.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use countersign_core::input::{Outcome, OutcomeKind};
use countersign_core::parse::{self, Tree};
use countersign_core::policy::Place;
use countersign_core::server::{Definition, ServerProfile};
use countersign_core::tool::{Declared, Mark, Marks, Origin, Tool, ToolIdentity, requires_approval};
use countersign_engine::ports::{Asks, Prepared, ToRun, Toolbox, Whole};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotification, CancelledNotificationParam, ClientNotification,
    ClientRequest, ServerResult,
};
use rmcp::service::{PeerRequestOptions, RequestHandle, RoleClient, ServiceError};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::Servers;
use super::connection::Line;
use super::exact;
use super::handler::{Life, Slot};
use super::keeper::Keeper;
use super::result;

/// How long a call that was cancelled may take to end (D-91).
const STOP_GRACE: Duration = Duration::from_secs(5);
/// However often a server says that it goes on, a call ends after this many of its times.
const MOST_TIMES: u32 = 30;

/// The tools of one server for one agent: with the person's word on each as it was when the run started, and at least as strict
/// as their word is now (D-82).
pub struct ServerTools {
    profile: ServerProfile,
    servers: Servers,
    /// Whether the server's list was read for this run; if it couldn't be, nothing of it is trusted.
    fresh: bool,
    made: Mutex<Option<Made>>,
}

/// Tools made from a list of definitions and the present word; made anew when one of them is another.
#[derive(Clone)]
struct Made {
    from: Arc<Vec<Definition>>,
    by: Arc<ServerProfile>,
    tools: Arc<Vec<Offered>>,
}

struct Offered {
    /// The server's name for it.
    raw: String,
    tool: Tool,
}

impl ServerTools {
    pub(super) fn new(profile: ServerProfile, servers: Servers, fresh: bool) -> Self {
        Self { profile, servers, fresh, made: Mutex::new(None) }
    }

    /// The server as it is set up now, and whoever keeps it; none if it is off or gone.
    fn keeper(&self) -> Option<(Arc<ServerProfile>, Keeper)> {
        let now = self.servers.now(&self.profile).filter(|now| now.on)?;
        let keeper = self.servers.keeper(&now);
        Some((now, keeper))
    }

    fn offered(&self) -> Arc<Vec<Offered>> {
        let Some((now, keeper)) = self.keeper() else { return Arc::default() };
        let definitions = keeper.definitions();
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |made: &&Made| Arc::ptr_eq(&made.from, &definitions) && made.by.revision == now.revision;
        if let Some(made) = made.as_ref().filter(same) {
            return Arc::clone(&made.tools);
        }
        let tools = now.tools(&definitions).into_iter();
        let tools = tools.map(|(definition, one)| Offered {
            raw: definition.name.clone(),
            tool: self.at_most(definition, one.tool),
        });
        let tools = Arc::new(tools.collect::<Vec<_>>());
        *made = Some(Made { from: definitions, by: now, tools: Arc::clone(&tools) });
        tools
    }

    /// A tool as it is now, trusted at most as far as it was when the run started.
    fn at_most(&self, definition: &Definition, now: Tool) -> Tool {
        let then = self.profile.tool(definition, now.identity.name.clone()).tool;
        let trusted = |mark: &Mark| self.fresh && then.marks.has(*mark);
        let marks = now.marks.iter().filter(|mark| *mark == Mark::RequiresApproval || trusted(mark));
        let marks = Marks::of(marks.collect::<Vec<_>>());
        let Origin::Server { server, launch, definition, declared } = now.identity.origin.clone() else { return now };
        let declared = if self.fresh && !requires_approval(&then) { declared } else { Declared::AsksFirst };
        let identity = ToolIdentity {
            origin: Origin::Server { server, launch, definition, declared },
            name: now.identity.name.clone(),
        };
        Tool { identity, marks, ..now }
    }

    /// The server's name for the tool of a call, if that tool is what it was when the call was proposed: what was approved is what runs
    /// (D-87).
    fn raw_name(&self, call: &ToRun) -> Result<String, Outcome> {
        let offered = self.offered();
        let Some(one) = offered.iter().find(|one| one.tool.identity.name == call.tool) else {
            let tool = result::short(&call.tool);
            return Err(failed(format!("the server has no tool `{tool}` any more; nothing was sent")));
        };
        if call.identity.as_ref().is_none_or(|asked| asked.key() != one.tool.identity.key()) {
            let text = countersign_core::words::tool_changed(&call.tool);
            return Err(Outcome { kind: OutcomeKind::ChangedSinceAsked, text, left: None });
        }
        Ok(one.raw.clone())
    }

    /// Whether a tool's name is one of this server's: no other begins like it.
    fn has(&self, name: &str) -> bool {
        name.strip_prefix(&self.profile.handle).is_some_and(|rest| rest.starts_with("__"))
    }
}

#[async_trait]
impl Toolbox for ServerTools {
    fn tools(&self) -> Vec<Tool> {
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
        if let Err(outcome) = self.raw_name(&call) {
            return outcome;
        }
        let arguments = parse::arguments(&call.arguments).map_err(|fault| fault.to_string());
        let arguments = match arguments.and_then(|tree| exact::arguments(&tree, &call.arguments)) {
            Ok(arguments) => arguments,
            Err(fault) => return failed(fault),
        };
        let Some((now, keeper)) = self.keeper() else {
            return failed("the server was switched off or removed; nothing was sent".to_owned());
        };
        if keeper.line().is_err() {
            // It ended since the run began; it is given one chance to come back.
            tokio::select! {
                _ = keeper.ready() => {}
                () = stop.cancelled() => {}
            }
        }
        let line = match keeper.line() {
            Ok(line) => line,
            Err(why) => return failed(format!("{why}; nothing was sent")),
        };
        // One that was started again may have other tools than before.
        let name = match self.raw_name(&call) {
            Ok(name) => name,
            Err(outcome) => return outcome,
        };
        let limit = Duration::from_secs(u64::from(now.call_s));
        let order = Order { name, arguments, limit, asks: call.asks, whole: call.whole };
        send(&line, order, &stop).await
    }
}

fn failed(text: String) -> Outcome {
    Outcome { kind: OutcomeKind::Failed, text, left: None }
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
        return failed("the server has just ended; nothing was sent".to_owned());
    };
    slot.sent(handle.id.clone(), handle.progress_token.clone());
    let over = line.over.cancelled();
    let answered = tokio::select! {
        answered = &mut handle.rx => answered.unwrap_or(Err(ServiceError::TransportClosed)),
        () = over => Err(ServiceError::TransportClosed),
        () = stop.cancelled() => return stopped(line, handle, slot, &whole).await,
        () = silence(&mut slot.life, limit) => return silent(line, handle, slot, limit).await,
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

/// Ends when there was no sign of life for the given time, or after [`MOST_TIMES`] of it whatever the signs. While a person is
/// asked, no time passes.
async fn silence(life: &mut tokio::sync::watch::Receiver<Life>, limit: Duration) {
    let mut whole = limit * MOST_TIMES;
    loop {
        let asking = life.borrow_and_update().asking > 0;
        if asking {
            if life.changed().await.is_err() {
                return std::future::pending().await;
            }
            continue;
        }
        let began = tokio::time::Instant::now();
        let changed = tokio::time::timeout(limit.min(whole), life.changed()).await;
        whole = whole.saturating_sub(began.elapsed());
        match changed {
            Ok(Ok(())) if !whole.is_zero() => {}
            Ok(Ok(())) | Err(_) => return,
            // The sender lives as long as the call's place does.
            Ok(Err(_)) => return tokio::time::sleep(limit).await,
        }
    }
}

async fn stopped(line: &Line, mut handle: RequestHandle<RoleClient>, slot: Slot, whole: &Whole) -> Outcome {
    cancel(line, &handle, "stopped by the person").await;
    match tokio::time::timeout(STOP_GRACE, &mut handle.rx).await {
        Ok(Ok(Ok(ServerResult::CallToolResult(answer)))) => result::outcome(answer, whole),
        answered => {
            if answered.is_err() {
                slot.give_up(handle.rx, (*line.over).clone());
            }
            let text = "stopped; the server was told, and what it had done by then may have happened".to_owned();
            Outcome { kind: OutcomeKind::Unknown, text, left: None }
        }
    }
}

async fn silent(line: &Line, handle: RequestHandle<RoleClient>, slot: Slot, limit: Duration) -> Outcome {
    cancel(line, &handle, "no sign of life").await;
    slot.give_up(handle.rx, (*line.over).clone());
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

#[cfg(test)]
mod tests {
    use tokio::sync::watch;

    use super::*;

    /// Signs of life keep a call going however many there are, a question stops its time, and silence ends it.
    #[tokio::test]
    async fn silence_ends_a_call_and_nothing_else_does_early() {
        let (life, mut seen) = watch::channel(Life::default());
        let limit = Duration::from_secs(1);
        let began = tokio::time::Instant::now();
        let signs = tokio::spawn(async move {
            for _ in 0..40 {
                life.send_modify(|life| life.signs += 1);
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            life.send_modify(|life| life.asking = 1);
            tokio::time::sleep(Duration::from_millis(2500)).await;
            life.send_modify(|life| life.asking = 0);
            tokio::time::sleep(Duration::from_secs(60)).await;
        });
        silence(&mut seen, limit).await;
        assert!(began.elapsed() > Duration::from_secs(5), "{:?}", began.elapsed());
        assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
        signs.abort();
    }
}
