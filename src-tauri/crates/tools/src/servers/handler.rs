//! What a server may ask of us: a person's input, our roots, nothing else; and what it tells us.

#![expect(deprecated, reason = "the servers that there are still ask for roots and log; newer ones just don't")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use countersign_engine::ports::{Asks, Question, Said};
use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult, CustomRequest, CustomResult,
    ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationCapability, ErrorCode, ErrorData,
    FormElicitationCapability, Implementation, ListRootsResult, LoggingMessageNotificationParam,
    ProgressNotificationParam, ProgressToken, RequestId, Root, RootsCapabilities, ServerResult,
};
use rmcp::service::{InboundStreamOrigin, NotificationContext, RequestContext, RoleClient, ServiceError};
use tokio::sync::{Notify, oneshot, watch};
use tokio_util::sync::CancellationToken;

use super::journal::Journal;
use super::result::short;

/// How long a call that was given up may still be asked for.
const GIVEN_UP: Duration = Duration::from_secs(600);

/// Where the answer of a call comes.
pub(super) type Answer = oneshot::Receiver<Result<ServerResult, ServiceError>>;

/// The calls that a server is working on. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Calls(Arc<Mutex<Table>>);

#[derive(Default)]
struct Table {
    next: u64,
    calls: BTreeMap<u64, InFlight>,
}

struct InFlight {
    id: Option<RequestId>,
    token: Option<ProgressToken>,
    asks: Asks,
    life: watch::Sender<Life>,
    /// Nobody waits for it any more, and the server may still be at it.
    given_up: bool,
}

/// Signs of life of a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Life {
    /// How often the server said that it goes on.
    pub(super) signs: u64,
    /// How many questions to the person are open.
    pub(super) asking: usize,
}

/// A call's place among those in flight; gone when it is dropped.
pub(super) struct Slot {
    calls: Calls,
    number: u64,
    pub(super) life: watch::Receiver<Life>,
}

impl Calls {
    /// Takes a place, before the call is sent.
    pub(super) fn enter(&self, asks: Asks) -> Slot {
        let (life, seen) = watch::channel(Life::default());
        let mut table = self.lock();
        let number = table.next;
        table.next += 1;
        table.calls.insert(number, InFlight { id: None, token: None, asks, life, given_up: false });
        Slot { calls: self.clone(), number, life: seen }
    }

    /// Whether any call is going on.
    pub(super) fn any(&self) -> bool {
        !self.lock().calls.is_empty()
    }

    /// The call that a server asks something for: the one that the question came beside, else the only one. With several at once it
    /// can't be told, and the wrong person's conversation is no place to ask.
    fn asking(&self, origin: Option<&RequestId>) -> Result<Asking, &'static str> {
        let table = self.lock();
        let mut found = match origin {
            Some(id) => table.calls.iter().filter(|(_, call)| call.id.as_ref() == Some(id)).collect::<Vec<_>>(),
            None => table.calls.iter().collect(),
        };
        found.retain(|(_, call)| origin.is_none() || !call.given_up);
        if origin.is_none() && found.iter().any(|(_, call)| call.given_up) {
            return Err("it asked something while it may still be at a call that was given up");
        }
        let (Some((number, call)), None) = (found.pop(), found.pop()) else {
            return Err(match table.calls.len() {
                0 => "it asked something while no call was going on",
                _ => "it asked something while several calls were going on, and didn't say for which",
            });
        };
        call.life.send_modify(|life| life.asking += 1);
        Ok(Asking { calls: self.clone(), number: *number, asks: call.asks.clone() })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slot {
    /// The call was sent.
    pub(super) fn sent(&self, id: RequestId, token: ProgressToken) {
        if let Some(call) = self.calls.lock().calls.get_mut(&self.number) {
            (call.id, call.token) = (Some(id), Some(token));
        }
    }
}

impl Slot {
    /// Nobody waits for the call any more. Its place stays taken until the server has answered after all, or for ten minutes.
    pub(super) fn give_up(self, mut answer: Answer, over: CancellationToken) {
        if let Some(call) = self.calls.lock().calls.get_mut(&self.number) {
            call.given_up = true;
        }
        tokio::spawn(async move {
            let answered = async {
                if (&mut answer).await.is_err() {
                    std::future::pending::<()>().await;
                }
            };
            tokio::select! {
                () = answered => {}
                () = over.cancelled() => {}
                () = tokio::time::sleep(GIVEN_UP) => {}
            }
            drop(self);
        });
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.calls.lock().calls.remove(&self.number);
    }
}

/// A question that is open for a call; while it is, the call's time stands still.
struct Asking {
    calls: Calls,
    number: u64,
    asks: Asks,
}

impl Drop for Asking {
    fn drop(&mut self) {
        if let Some(call) = self.calls.lock().calls.get(&self.number) {
            call.life.send_modify(|life| life.asking = life.asking.saturating_sub(1));
        }
    }
}

/// Answers a server and listens to it.
pub(super) struct Handler {
    pub(super) calls: Calls,
    pub(super) roots: Vec<String>,
    pub(super) relist: Arc<Notify>,
    pub(super) journal: Journal,
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        let form = FormElicitationCapability::default();
        capabilities.elicitation = Some(ElicitationCapability::new().with_form(form));
        if !self.roots.is_empty() {
            capabilities.roots = Some(RootsCapabilities::default());
        }
        ClientConfig::new(capabilities, Implementation::new("countersign", env!("CARGO_PKG_VERSION")))
    }

    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        self.journal.note("it asked to use the agent's model, which was declined");
        Err(ErrorData::new(ErrorCode::INVALID_REQUEST, "sampling is declined: this client lends no model", None))
    }

    async fn on_custom_request(
        &self,
        _: CustomRequest,
        _: RequestContext<RoleClient>,
    ) -> Result<CustomResult, ErrorData> {
        // Its name is the server's own text, and belongs into no answer and no log.
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "this client has no such method", None))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let refused = |why: String| {
            self.journal.note(format!("a question of its was not shown: {why}"));
            Err(ErrorData::new(ErrorCode::INVALID_REQUEST, why, None))
        };
        let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = request else {
            return refused("only questions with a form can be asked here".to_owned());
        };
        let Ok(schema) = serde_json::to_string(&requested_schema) else {
            return refused("its form can't be read".to_owned());
        };
        let origin = match context.extensions.get::<InboundStreamOrigin>() {
            Some(InboundStreamOrigin::OutboundRequest(id)) => Some(id),
            _ => None,
        };
        let asking = match self.calls.asking(origin) {
            Ok(asking) => asking,
            Err(why) => return refused(why.to_owned()),
        };
        let said = tokio::select! {
            said = asking.asks.ask(Question { message, schema }) => said,
            () = context.ct.cancelled() => Said::Withdrawn,
        };
        match said {
            Said::Data(text) => match serde_json::from_str(&text) {
                Ok(content) => Ok(ElicitResult::new(ElicitationAction::Accept).with_content(content)),
                Err(_) => Ok(ElicitResult::new(ElicitationAction::Cancel)),
            },
            Said::Declined => Ok(ElicitResult::new(ElicitationAction::Decline)),
            Said::Withdrawn => Ok(ElicitResult::new(ElicitationAction::Cancel)),
            Said::CantAsk(why) => refused(why),
        }
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(self.roots.iter().map(|root| Root::new(file_uri(root))).collect()))
    }

    async fn on_progress(&self, progress: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let table = self.calls.lock();
        let call = table.calls.values().find(|call| call.token.as_ref() == Some(&progress.progress_token));
        if let Some(call) = call {
            call.life.send_modify(|life| life.signs += 1);
        }
    }

    async fn on_logging_message(&self, message: LoggingMessageNotificationParam, _: NotificationContext<RoleClient>) {
        self.journal.line(short(&message.data.to_string()).as_bytes());
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.relist.notify_one();
    }
}

/// A folder as a `file:` address.
fn file_uri(folder: &str) -> String {
    let mut uri = "file://".to_owned();
    for byte in folder.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            other => {
                let _ = write!(uri, "%{other:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_told_as_an_address() {
        assert_eq!(file_uri("/home/me/my files/ü?"), "file:///home/me/my%20files/%C3%BC%3F");
    }

    /// A question is shown for the call that it belongs to, or for none.
    #[tokio::test]
    async fn a_question_is_asked_for_one_call_only() {
        let (calls, over) = (Calls::default(), CancellationToken::new());
        assert!(calls.asking(None).is_err(), "no call is going on");
        let one = calls.enter(Asks::nobody());
        assert!(calls.asking(None).is_ok());
        let other = calls.enter(Asks::nobody());
        assert!(calls.asking(None).is_err(), "it can't be told which");
        other.sent(RequestId::Number(7), ProgressToken(RequestId::Number(7)));
        assert!(calls.asking(Some(&RequestId::Number(7))).is_ok_and(|asking| asking.number == other.number));
        assert!(calls.asking(Some(&RequestId::Number(8))).is_err());

        // The server may still be at a call that was given up, so what it asks isn't taken for the other one's.
        let (answered, answer) = oneshot::channel();
        other.give_up(answer, over.clone());
        assert!(calls.asking(None).is_err());
        answered.send(Err(ServiceError::TransportClosed)).unwrap();
        while calls.lock().calls.len() > 1 {
            tokio::task::yield_now().await;
        }
        assert!(calls.asking(None).is_ok_and(|asking| asking.number == one.number));
    }
}
