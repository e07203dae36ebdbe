//! A process whose tools have moments at which something can break, and a person in front of it who says yes to everything.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use async_trait::async_trait;
use countersign_core::agent::{AgentProfile, SubAgentEntry};
use countersign_core::answer::{Answer, AnswerBody};
use countersign_core::call::CallState;
use countersign_core::change::Change;
use countersign_core::head::Head;
use countersign_core::ids::{At, RequestId};
use countersign_core::input::{Input, NewConversation, Outcome, OutcomeKind, RunInput};
use countersign_core::mode::{Mode, Until};
use countersign_core::parse::Tree;
use countersign_core::request::{Held, RequestKind};
use countersign_core::run::{Failure, Goes};
use countersign_core::server::ServerProfile;
use countersign_core::step::call_digest;
use countersign_core::tool::{Effect, Mark, Tool, ToolIdentity};
use countersign_engine::engine::{AfterCommit, Engine};
use countersign_engine::error::EngineError;
use countersign_engine::feed::News;
use countersign_engine::ports::{Clock, Outfit, Outfitter, Prepared, Purpose, Question, ToRun, Toolbox};
use countersign_store::error::StoreError;
use countersign_store::open::{Disk, Store};
use countersign_store::record::Record;
use tokio_util::sync::CancellationToken;

use super::{Life, Moment};
use crate::house::{
    AGENT, HELPER, Script, TICKET, call, calls, conversation, helpdesk, outcome, plan, profile, starting, tool,
};

pub(super) fn append(folder: &Path, file: &str, line: &str) {
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(folder.join(file)).unwrap();
    writeln!(file, "{line}").unwrap();
}

pub(super) fn lines(folder: &Path, file: &str) -> Vec<String> {
    std::fs::read_to_string(folder.join(file)).unwrap_or_default().lines().map(str::to_owned).collect()
}

/// Tools whose executions have a beginning and an end, each of which leaves its mark in a file.
pub(super) struct Tools {
    pub(super) folder: PathBuf,
    pub(super) executions: AtomicUsize,
    pub(super) breaks: Box<dyn Fn(usize, Moment) + Send + Sync>,
}

#[async_trait]
impl Toolbox for Tools {
    fn tools(&self) -> Vec<Tool> {
        let desk = Tool { identity: helpdesk().identity, ..tool("desk", Effect::Read, &[]) };
        let desk = Tool { identity: ToolIdentity { name: "desk".to_owned(), ..desk.identity }, ..desk };
        vec![tool("read", Effect::Read, &[Mark::ReadOnly]), tool("write", Effect::Write, &[]), desk]
    }

    async fn prepare(&self, _tool: &str, _arguments: &Tree) -> Prepared {
        Prepared::default()
    }

    async fn run(&self, call: ToRun, _stop: CancellationToken) -> Outcome {
        let nth = self.executions.fetch_add(1, Ordering::SeqCst) + 1;
        (self.breaks)(nth, Moment::Before);
        append(&self.folder, "begun", &call.arguments);
        (self.breaks)(nth, Moment::While);
        if call.tool == "desk" {
            // Whatever it is told, and also where it couldn't ask, the server does what it was called for.
            call.asks.ask(Question { message: "Which?".to_owned(), schema: TICKET.to_owned() }).await;
        }
        append(&self.folder, "done", &call.arguments);
        (self.breaks)(nth, Moment::After);
        outcome(OutcomeKind::Succeeded, &format!("{} is done", call.arguments))
    }
}

pub(super) struct Wardrobe {
    pub(super) script: Arc<Script>,
    pub(super) tools: Arc<Tools>,
}

#[async_trait]
impl Outfitter for Wardrobe {
    async fn outfit(&self, _profile: &AgentProfile, _: &[ServerProfile], _: Purpose) -> Result<Outfit, Failure> {
        let (model, toolbox) = (Arc::clone(&self.script) as _, Arc::clone(&self.tools) as _);
        Ok(Outfit { model, toolbox, guards: Vec::new() })
    }
}

#[derive(Default)]
pub(super) struct Ticks(AtomicI64);

impl Clock for Ticks {
    fn now(&self) -> At {
        At(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// A process: an engine with its tools and its model, on the database of a folder.
pub(super) struct Process {
    pub(super) engine: Engine,
    pub(super) script: Arc<Script>,
    pub(super) folder: PathBuf,
}

impl Process {
    pub(super) async fn open(
        folder: &Path,
        after_commit: Option<AfterCommit>,
        breaks: impl Fn(usize, Moment) + Send + Sync + 'static,
    ) -> Result<Self, EngineError> {
        let store = Store::open(&folder.join("house.sqlite")).await?;
        if store.agent(AGENT).await?.is_none() {
            let helper = AgentProfile { id: HELPER, name: "Helper".to_owned(), ..profile() };
            let entry = SubAgentEntry {
                agent: HELPER,
                tool: "helper".to_owned(),
                description: String::new(),
                goes: Goes::InLine,
                asks_first: false,
            };
            store.record(Record::Agent(Box::new(helper))).await?;
            store.record(Record::Agent(Box::new(AgentProfile { sub_agents: vec![entry], ..profile() }))).await?;
        }
        let tools = Tools { folder: folder.to_owned(), executions: AtomicUsize::new(0), breaks: Box::new(breaks) };
        let script = Arc::new(Script::default());
        let wardrobe = Arc::new(Wardrobe { script: Arc::clone(&script), tools: Arc::new(tools) });
        let engine = Engine::open(store, wardrobe, Arc::new(Ticks::default()), after_commit).await?;
        Ok(Self { engine, script, folder: folder.to_owned() })
    }

    pub(super) async fn quiet(folder: &Path) -> Self {
        Self::open(folder, None, |_, _| {}).await.unwrap()
    }

    pub(super) async fn head(&self) -> Option<Head> {
        self.engine.store().head(conversation(1)).await.unwrap()
    }

    pub(super) async fn create(&self, life: Life) -> Result<(), EngineError> {
        let mode = match life {
            Life::Batch | Life::Below | Life::Held => Mode::Default,
            Life::Planned => Mode::Plan,
        };
        let new = NewConversation { id: conversation(1), agent: AGENT, title: "c".to_owned(), mode, auto_until: None };
        self.engine.create(new).await.map(|_| ())
    }

    /// Gives an input, and writes down that the person was told it is done.
    pub(super) async fn give(&self, input: RunInput) -> Result<(), EngineError> {
        let answered: Vec<RequestId> = input.answers.iter().map(|answer| answer.request).collect();
        self.engine.input(conversation(1), Input::Start(input)).await?;
        for request in answered {
            append(&self.folder, "answered", &request.to_string());
        }
        Ok(())
    }

    /// Waits until no run goes on, or a server waits for an answer.
    pub(super) async fn settled(&self) {
        let mut news = self.engine.news();
        loop {
            if self.head().await.is_none_or(|head| head.run.is_none() || !head.held.is_empty()) {
                return;
            }
            let patience = std::time::Duration::from_millis(200);
            if let Ok(Ok(News::Committed { changes, .. })) = tokio::time::timeout(patience, news.recv()).await {
                for change in changes.iter() {
                    if let Change::RequestOpened { request, .. } | Change::QuestionHeld(Held { request, .. }) = change {
                        append(&self.folder, "shown", &request.id.to_string());
                    }
                }
            }
        }
    }

    /// What a person does who says yes to whatever waits; none if nothing does.
    pub(super) async fn next(&self) -> Option<RunInput> {
        let head = self.head().await?;
        // What a server holds open is answered while its run goes on; nothing else waits meanwhile.
        let open = head.requests_in_order().into_iter().chain(head.held.values().map(|held| &held.request));
        let answers: Vec<Answer> = open
            .map(|request| Answer {
                request: request.id,
                digest: request.digest,
                body: match request.kind {
                    RequestKind::Plan => {
                        AnswerBody::ApprovePlan { into: Mode::Auto, until: Until::RunEnds, ends_at: None }
                    }
                    RequestKind::Call => AnswerBody::Approve,
                    RequestKind::Input => AnswerBody::Data { value: "{\"ticket\":7}".to_owned() },
                },
            })
            .collect();
        let resume: Vec<_> = head
            .calls_in_order()
            .into_iter()
            .filter(|call| matches!(call.state, CallState::Approved(_)) && !head.is_behind_suspended(call))
            .map(|call| (call.id, call_digest(call, RequestKind::Call).unwrap()))
            .collect();
        let waits = !answers.is_empty() || !resume.is_empty() || head.conversation.awaits_reply;
        waits.then_some(RunInput { answers, resume, ..RunInput::default() })
    }

    /// A whole life. A person who is told that something couldn't be stored tries again, once there is room.
    pub(super) async fn live(&self, life: Life) {
        let two = [call("read", "{\"n\":0}"), call("write", "{\"n\":1}"), call("write", "{\"n\":2}")];
        match life {
            Life::Batch => self.script.will([calls(&two)]),
            Life::Planned => self.script.will([calls(&[plan("# Write twice")]), calls(&two[1..])]),
            Life::Below => self.script.will([calls(&[starting("helper")]), calls(&two)]),
            Life::Held => self.script.will([calls(&[call("desk", "{\"n\":0}")])]),
        }
        while let Err(error) = self.create(life).await {
            self.mends(&error).await;
        }
        let text = || RunInput { text: Some("Go.".to_owned()), ..RunInput::default() };
        while let Err(error) = self.give(text()).await {
            self.mends(&error).await;
        }
        self.settled().await;
        while let Some(input) = self.next().await {
            match self.give(input).await {
                Ok(()) => self.settled().await,
                Err(error) => self.mends(&error).await,
            }
        }
    }

    async fn mends(&self, error: &EngineError) {
        assert!(matches!(error, EngineError::Store(StoreError::NotStored | StoreError::Sql(_))), "{error:?}");
        self.engine.store().pretend(Disk::Roomy).await.unwrap();
    }

    pub(super) async fn close(self) {
        self.engine.close().await;
        self.engine.store().clone().close().await;
    }
}
