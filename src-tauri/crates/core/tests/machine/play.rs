//! A conversation played by hand: a head, its transcript, and every change so far. The store's tests and the conformance tests
//! play with it too, so it stands on nothing but the core; long because all of them share this one player.
#![allow(dead_code, reason = "several test binaries share this file, and each uses its own part of it")]

use std::collections::{BTreeMap, BTreeSet};

use countersign_core::agent::SubAgentEntry;
use countersign_core::answer::{Answer, AnswerBody, AnyCommand, Reach};
use countersign_core::call::{Call, CallState, Settled};
use countersign_core::change::{Act, Change};
use countersign_core::digest::{Digest, exact};
use countersign_core::fork::{NewFork, PastCall, PastMessage, PastRun, Source, fork};
use countersign_core::head::Head;
use countersign_core::ids::{AgentId, At, CallId, ConversationId, Ids, RequestId, RunId};
use countersign_core::input::{
    DataCheck, DataFault, FieldFault, GuardVerdict, Guards, Input, Judged, ModelReply, NewConversation, Outcome,
    OutcomeKind, ProposedCall, Refusal, RunInput, SubAgent, Verdict, World,
};
use countersign_core::mode::{Mode, Until};
use countersign_core::parse;
use countersign_core::policy::Explained;
use countersign_core::quick::create_quick;
use countersign_core::request::{ClosedReason, Closing, RequestKind};
use countersign_core::run::{Failure, FailureKind, Goes, Phase, Run, RunEnd};
use countersign_core::spending::Usage;
use countersign_core::step::recover::recover;
use countersign_core::step::{Step, call_digest, create, step};
use countersign_core::tool::{Declared, Effect, Mark, Marks, Origin, Tool, ToolIdentity};
use countersign_core::transcript::{Transcript, ViewItem};

/// The agent of every played conversation.
pub(crate) const AGENT: AgentId = AgentId([0xA6; 16]);

/// A tool of the agent's own.
pub(crate) fn tool(name: &str, effect: Effect, marks: &[Mark]) -> Tool {
    Tool {
        identity: ToolIdentity {
            origin: Origin::BuiltIn { agent: AGENT, root: "/work".to_owned() },
            name: name.to_owned(),
        },
        description: String::new(),
        parameters: "{}".to_owned(),
        effect,
        marks: Marks::of(marks.iter().copied()),
    }
}

/// One tool of each kind that the machine treats differently.
pub(crate) fn tools() -> Vec<Tool> {
    vec![
        tool("read", Effect::Read, &[Mark::ReadOnly]),
        tool("browse", Effect::Read, &[]),
        tool("peek", Effect::Read, &[Mark::RequiresApproval, Mark::ReadOnly]),
        tool("write", Effect::Write, &[]),
        tool("set", Effect::IdempotentWrite, &[Mark::ParallelSafe]),
        tool("shell", Effect::Write, &[Mark::FreeForm]),
        tool("ask", Effect::Read, &[Mark::NeedsInput, Mark::ReadOnly]),
        tool("pick", Effect::Read, &[Mark::NeedsInput]),
        Tool {
            identity: ToolIdentity {
                origin: Origin::Server {
                    server: "s".to_owned(),
                    launch: "l".to_owned(),
                    definition: "d".to_owned(),
                    declared: Declared::RunsFree,
                },
                name: "remote".to_owned(),
            },
            ..tool("remote", Effect::Write, &[])
        },
    ]
}

/// The profile that `helper` starts, and the caller waits for.
pub(crate) const HELPER: AgentId = AgentId([0xB1; 16]);
/// The profile that `scout` starts beside the run.
pub(crate) const SCOUT: AgentId = AgentId([0xB2; 16]);
/// The profile that the helper starts in turn.
pub(crate) const DIVER: AgentId = AgentId([0xB3; 16]);

/// A tool that starts a sub-agent.
pub(crate) fn starts(name: &str, agent: AgentId, goes: Goes, asks_first: bool) -> Tool {
    let tool = name.to_owned();
    SubAgentEntry { agent, tool, description: String::new(), goes, asks_first }.as_tool()
}

/// The tools of a sub-agent: the agent's own kinds, bound to its profile.
pub(crate) fn tools_of(agent: AgentId) -> Vec<Tool> {
    let mut tools = tools();
    for tool in &mut tools {
        if let Origin::BuiltIn { agent: bound, .. } = &mut tool.identity.origin {
            *bound = agent;
        }
    }
    tools
}

/// A sub-agent with those tools and others that start further ones.
pub(crate) fn sub_agent(agent: AgentId, more: Vec<Tool>) -> SubAgent {
    let tools = tools_of(agent).into_iter().chain(more).collect();
    SubAgent { tools, guards: Guards::None, limit: 4, revision: 1, gates: Vec::new() }
}

/// A call that starts a sub-agent.
pub(crate) fn starting(name: &str) -> ProposedCall {
    call(name, "{\"task\":\"Look.\"}")
}

/// A call as a model writes it: the provider's id is the same for equal names, because providers repeat theirs.
pub(crate) fn call(name: &str, arguments: &str) -> ProposedCall {
    ProposedCall { provider_id: format!("p-{name}"), name: name.to_owned(), arguments: arguments.to_owned() }
}

/// A plan as a model hands it in.
pub(crate) fn plan(text: &str) -> ProposedCall {
    call("exit_plan_mode", &serde_json::json!({ "plan": text }).to_string())
}

/// A reply with these calls.
pub(crate) fn reply(text: &str, calls: &[ProposedCall]) -> ModelReply {
    ModelReply {
        text: text.to_owned(),
        raw: None,
        calls: calls.to_vec(),
        usage: Some(Usage { input: 10, output: 1, ..Usage::default() }),
    }
}

/// What the shell finds out about a call, without guards.
pub(crate) fn judge(tools: &[Tool], proposed: &ProposedCall) -> Judged {
    match (parse::arguments(&proposed.arguments), tools.iter().find(|tool| tool.identity.name == proposed.name)) {
        (Err(fault), _) => Judged { fault: Some(fault.to_string()), ..Judged::default() },
        (Ok(tree), Some(tool)) => Judged {
            exact: exact(&tool.identity, &tree, &[]),
            schema: tool.marks.has(Mark::NeedsInput).then(|| "{\"schema\":1}".to_owned()),
            ..Judged::default()
        },
        (Ok(_), None) => Judged::default(),
    }
}

/// What guards called `g0`, `g1`, … say.
pub(crate) fn says(verdicts: &[Verdict]) -> Vec<GuardVerdict> {
    verdicts
        .iter()
        .enumerate()
        .map(|(index, verdict)| GuardVerdict { guard: format!("g{index}"), verdict: verdict.clone() })
        .collect()
}

pub(crate) fn reject(reason: &str) -> AnswerBody {
    AnswerBody::Reject { reason: Some(reason.to_owned()) }
}

pub(crate) fn for_conversation(reach: Reach) -> AnswerBody {
    AnswerBody::ApproveForConversation { reach, any_command: AnyCommand::NotAsked }
}

pub(crate) fn into(into: Mode, until: Until) -> AnswerBody {
    AnswerBody::ApprovePlan { into, until, ends_at: None }
}

/// A conversation being played.
#[derive(Clone)]
pub(crate) struct Play {
    pub(crate) head: Head,
    pub(crate) tools: Vec<Tool>,
    /// What the gates say, for tools that they hold back.
    pub(crate) gates: Vec<Explained>,
    pub(crate) limit: u32,
    pub(crate) guards: Guards,
    /// The profiles that may run below it.
    pub(crate) agents: BTreeMap<AgentId, SubAgent>,
    /// Calls that the guards were asked to look at again and haven't yet.
    pub(crate) looks: Vec<CallId>,
    pub(crate) transcript: Transcript,
    /// Those of sub-agents, by their runs.
    pub(crate) below: BTreeMap<RunId, Transcript>,
    /// Every change so far, in order.
    pub(crate) log: Vec<Change>,
    /// The acts of the last step.
    pub(crate) acts: Vec<Act>,
    pub(crate) closed: BTreeMap<RequestId, ClosedReason>,
    now: i64,
    drawn: u64,
}

impl Play {
    /// A new conversation in a mode.
    pub(crate) fn new(mode: Mode) -> Self {
        let new = NewConversation {
            id: ConversationId([0xC0; 16]),
            agent: AGENT,
            title: "Played".to_owned(),
            mode,
            auto_until: None,
        };
        let made = create(new, At(1));
        Self {
            head: made.head,
            tools: tools(),
            gates: Vec::new(),
            limit: 8,
            guards: Guards::None,
            agents: BTreeMap::new(),
            looks: Vec::new(),
            transcript: Transcript::default(),
            below: BTreeMap::new(),
            log: made.changes,
            acts: Vec::new(),
            closed: BTreeMap::new(),
            now: 1,
            drawn: 0,
        }
    }

    /// The same conversation whose agent can start others: `helper` in line, `scout` beside, and `asker`, a helper that asks first.
    /// The helper can start `diver`.
    pub(crate) fn with_agents(mode: Mode) -> Self {
        let mut play = Self::new(mode);
        play.tools.push(starts("helper", HELPER, Goes::InLine, false));
        play.tools.push(starts("asker", HELPER, Goes::InLine, true));
        play.tools.push(starts("scout", SCOUT, Goes::Beside, false));
        play.agents.insert(HELPER, sub_agent(HELPER, vec![starts("diver", DIVER, Goes::InLine, false)]));
        play.agents.insert(SCOUT, sub_agent(SCOUT, Vec::new()));
        play.agents.insert(DIVER, sub_agent(DIVER, Vec::new()));
        play
    }

    /// What a Quick task in a mode is stored under; nothing is said yet.
    pub(crate) fn quick(mode: Mode) -> Self {
        let new = NewConversation {
            id: ConversationId([0xC1; 16]),
            agent: AGENT,
            title: "Task".to_owned(),
            mode,
            auto_until: None,
        };
        let made = create_quick(new, At(1));
        // Other ids than those of a conversation that is played beside it.
        Self { head: made.head, log: made.changes, drawn: 1 << 32, ..Self::new(mode) }
    }

    /// Ids like those that the shell draws: all different, in no order that means anything.
    fn ids(&mut self, calls: usize) -> Ids {
        let pool = (0..Ids::needed(calls))
            .map(|_| {
                self.drawn += 1;
                let mixed = self.drawn.wrapping_mul(0x9E37_79B9_7F4A_7C15);
                let mut id = [0; 16];
                id[..8].copy_from_slice(&mixed.to_be_bytes());
                id[8..].copy_from_slice(&self.drawn.to_be_bytes());
                id
            })
            .collect();
        Ids::new(pool)
    }

    pub(crate) fn at(&self) -> At {
        At(self.now)
    }

    /// So many milliseconds pass, in which nothing happens; or the clock is set back by as many.
    pub(crate) fn wait(&mut self, milliseconds: i64) {
        self.now += milliseconds;
    }

    /// Steps, and makes what it leads to true.
    pub(crate) fn give(&mut self, input: Input) -> Result<Step, Refusal> {
        self.now += 1;
        let touched = match &input {
            Input::ModelReplied { reply, .. } => reply.calls.len() + self.head.calls.len() + self.head.children.len(),
            _ => self.head.calls.len() + self.head.children.len(),
        };
        if let Input::CallsJudged { verdicts, .. } = &input {
            self.looks.retain(|call| !verdicts.contains_key(call));
        }
        let ids = self.ids(touched);
        let world = World { tools: &self.tools, guards: self.guards, agents: &self.agents, gates: &self.gates };
        let step = step(&self.head, input, world, At(self.now), ids)?;
        self.take(&step.changes);
        self.head = step.head.clone();
        self.acts.clone_from(&step.acts);
        self.looks
            .retain(|call| self.head.calls.get(call).is_some_and(|call| matches!(call.state, CallState::Approved(_))));
        if self.head.run.is_none() {
            self.looks.clear();
        }
        for act in &step.acts {
            if let Act::JudgeCalls { calls, .. } = act {
                self.looks.extend(calls);
            }
        }
        Ok(step)
    }

    /// The process dies, and the next one settles what it left.
    pub(crate) fn die(&mut self) -> Vec<Change> {
        self.now += 1;
        let ids = self.ids(self.head.children.len());
        let changes = recover(&self.head, At(self.now), ids).expect("enough ids");
        for change in &changes {
            self.head.apply(change);
        }
        if !changes.is_empty() {
            self.head.conversation.revision += 1;
        }
        self.head.tidy();
        self.take(&changes);
        self.acts.clear();
        self.looks.clear();
        changes
    }

    fn take(&mut self, changes: &[Change]) {
        for change in changes {
            self.transcript.apply(change);
            if let Change::RunStarted(run) = change
                && run.child.is_some()
            {
                self.below.insert(run.id, Transcript::of(Some(run.id)));
            }
            for transcript in self.below.values_mut() {
                transcript.apply(change);
            }
            if let Change::RequestClosed { request, closing, .. }
            | Change::QuestionClosed { question: request, closing, .. } = change
            {
                let reason = match closing {
                    Closing::Answered { .. } => ClosedReason::Answered,
                    Closing::PassedBy { .. } => ClosedReason::PassedBy,
                };
                self.closed.insert(*request, reason);
            }
            self.log.push(change.clone());
        }
        self.transcript.settle();
        self.below.values_mut().for_each(Transcript::settle);
    }

    /// What the conversation holds on its own thread, put together from its changes.
    pub(crate) fn source(&self) -> Source {
        let mut runs: Vec<PastRun> = Vec::new();
        let mut messages: Vec<PastMessage> = Vec::new();
        let mut of_call: BTreeMap<CallId, usize> = BTreeMap::new();
        for change in &self.log {
            match change {
                Change::RunStarted(run) if run.child.is_none() => runs.push(PastRun {
                    id: run.id,
                    rounds: run.rounds,
                    limit: run.limit,
                    mode_start: run.mode_start,
                    agent_revision: run.agent_revision,
                    started_at: run.started_at,
                    end: None,
                }),
                Change::RunCopied { run, .. } => runs.push(run.clone()),
                Change::RunPhase { run, rounds, .. } => {
                    runs.iter_mut().filter(|one| one.id == *run).for_each(|one| one.rounds = *rounds);
                }
                Change::RunEnded { run, end, at } => {
                    runs.iter_mut().filter(|one| one.id == *run).for_each(|one| one.end = Some((end.clone(), *at)));
                }
                Change::MessageAdded(message) | Change::MessageCopied { message, .. } if message.thread.is_none() => {
                    messages.push(PastMessage { message: message.clone(), calls: Vec::new() });
                }
                Change::CallProposed { call, result, .. } | Change::CallCopied { call, result, .. } => {
                    if let Some(place) = messages.iter().rposition(|one| one.message.id == call.message) {
                        of_call.insert(call.id, place);
                        messages[place].calls.push(PastCall { call: call.clone(), result: result.clone() });
                    }
                }
                Change::CallFilledIn { call, executed } => {
                    if let Some(past) = found(&mut messages, &of_call, *call) {
                        past.call.executed = Some(executed.clone());
                    }
                }
                Change::CallSettled { call, settled, result, .. } => {
                    if let Some(past) = found(&mut messages, &of_call, *call) {
                        past.call.state = CallState::Settled(settled.clone());
                        past.result.clone_from(result);
                    }
                }
                _ => {}
            }
        }
        for past in messages.iter_mut().flat_map(|one| &mut one.calls) {
            if let Some(open) = self.head.calls.get(&past.call.id) {
                past.call = open.clone();
            }
        }
        Source { conversation: self.head.conversation.clone(), runs, messages }
    }

    /// Forks the conversation; nothing of it changes. The fork is played like any other, with the same tools and agents.
    pub(crate) fn fork(&mut self, upto: Option<i64>) -> Result<Self, Refusal> {
        self.now += 1;
        let source = self.source();
        let mut ids = self.ids(source.ids_needed());
        let id = ids.take().expect("enough ids");
        let made = fork(&source, NewFork { id, title: "Forked".to_owned(), upto }, At(self.now), ids)?;
        let mut forked = Self {
            head: made.head,
            looks: Vec::new(),
            transcript: Transcript::default(),
            below: BTreeMap::new(),
            log: Vec::new(),
            acts: made.acts,
            closed: BTreeMap::new(),
            ..self.clone()
        };
        forked.take(&made.changes);
        Ok(forked)
    }

    /// An input with what the shell adds to it.
    pub(crate) fn input(&self) -> RunInput {
        RunInput { closed: self.closed.clone(), limit: self.limit, agent_revision: 1, ..RunInput::default() }
    }

    pub(crate) fn start(&mut self, input: RunInput) -> Result<Step, Refusal> {
        let data = self.checks(&input.answers);
        self.give(Input::Start(RunInput { data, ..input }))
    }

    /// The guards had their second look; each of them says the same of every call.
    pub(crate) fn look_again(&mut self, verdict: &Verdict) -> Step {
        let (run, calls) = self.looked_at().expect("the guards look at something");
        let verdicts = calls.iter().map(|call| (*call, says(std::slice::from_ref(verdict)))).collect();
        self.give(Input::CallsJudged { run, verdicts }).unwrap()
    }

    /// The first thread whose calls the guards look at, and those calls.
    pub(crate) fn looked_at(&self) -> Option<(RunId, Vec<CallId>)> {
        let thread_of = |call: &CallId| self.head.calls.get(call).map(|call| self.head.thread_of(call));
        let thread = self.looks.first().and_then(thread_of)?;
        let run = self.head.run_of(thread)?.id;
        Some((run, self.looks.iter().filter(|call| thread_of(call) == Some(thread)).copied().collect()))
    }

    /// What the shell says of the data of these answers: `ask` never executes, `pick` does, and `bad` fits nothing.
    pub(crate) fn checks(&self, answers: &[Answer]) -> BTreeMap<RequestId, DataCheck> {
        let check = |answer: &Answer| {
            let AnswerBody::Data { value } = &answer.body else { return None };
            let call = &self.head.calls[&self.head.answerable(answer.request)?.call];
            let held = self.head.held.contains_key(&answer.request);
            let check = match (value.as_str(), call.tool.as_str()) {
                ("bad", _) => DataCheck::Invalid(vec![FieldFault { field: "a".to_owned(), fault: DataFault::Other }]),
                (_, "pick") if !held => DataCheck::Execute("{\"filled\":1}".to_owned()),
                _ => DataCheck::Result("the answer".to_owned()),
            };
            Some((answer.request, check))
        };
        // The first answer to a request is the one that counts.
        answers.iter().rev().filter_map(check).collect()
    }

    pub(crate) fn say(&mut self, text: &str) -> Result<Step, Refusal> {
        let input = RunInput { text: Some(text.to_owned()), ..self.input() };
        self.start(input)
    }

    /// Answers open requests by their place among the calls.
    pub(crate) fn answer(&mut self, bodies: &[(usize, AnswerBody)]) -> Result<Step, Refusal> {
        let input = RunInput { answers: self.answers(bodies), ..self.input() };
        self.start(input)
    }

    pub(crate) fn answers(&self, bodies: &[(usize, AnswerBody)]) -> Vec<Answer> {
        let requests = self.head.requests_in_order();
        bodies
            .iter()
            .map(|(index, body)| Answer {
                request: requests[*index].id,
                digest: requests[*index].digest,
                body: body.clone(),
            })
            .collect()
    }

    /// The server of a call that runs asks something.
    pub(crate) fn ask(&mut self, call: CallId, name: u8) -> Result<Step, Refusal> {
        let (question, message) = (RequestId([name; 16]), "Which one?".to_owned());
        let run = self.head.run.as_ref().map_or(RunId([0; 16]), |run| run.id);
        self.give(Input::Asked { run, call, question, message, schema: "{\"schema\":1}".to_owned() })
    }

    /// Answers what a server holds open, and says nothing else.
    pub(crate) fn answer_held(&mut self, name: u8, body: AnswerBody) -> Result<Step, Refusal> {
        let request = RequestId([name; 16]);
        let digest = self.head.held.get(&request).map_or(Digest([0; 32]), |held| held.request.digest);
        self.start(RunInput { answers: vec![Answer { request, digest, body }], ..self.input() })
    }

    /// The model replies with these calls, judged without guards.
    pub(crate) fn reply(&mut self, calls: &[ProposedCall]) -> Step {
        let judged = calls.iter().map(|one| judge(&self.tools, one)).collect();
        self.reply_judged("Words.", calls, judged)
    }

    /// The model of a run replies, the conversation's own or a sub-agent's; it is judged with that agent's tools.
    pub(crate) fn reply_in(&mut self, run: RunId, text: &str, calls: &[ProposedCall]) -> Step {
        let tools = self.tools_in(run);
        let judged = calls.iter().map(|one| judge(&tools, one)).collect();
        let reply = reply(text, calls);
        self.give(Input::ModelReplied { run, reply, judged }).expect("a reply is never refused")
    }

    /// The tools of the agent whose run it is.
    pub(crate) fn tools_in(&self, run: RunId) -> Vec<Tool> {
        match self.head.child(run) {
            Some(child) => self.agents.get(&child.agent).map(|agent| agent.tools.clone()).unwrap_or_default(),
            None => self.tools.clone(),
        }
    }

    /// The runs that wait for their model, sub-agents first.
    pub(crate) fn waits_for_model(&self) -> Vec<RunId> {
        let runs = self.head.children.values().chain(&self.head.run);
        runs.filter(|run| matches!(run.phase, Phase::Model | Phase::LastWord)).map(|run| run.id).collect()
    }

    /// The sub-agents' runs with this name.
    pub(crate) fn child(&self, name: &str) -> RunId {
        let named = |run: &&Run| run.child.as_ref().is_some_and(|child| child.name.starts_with(name));
        self.head.children.values().find(named).expect("such a sub-agent is there").id
    }

    pub(crate) fn reply_judged(&mut self, text: &str, calls: &[ProposedCall], judged: Vec<Judged>) -> Step {
        let run = self.run();
        let reply = reply(text, calls);
        self.give(Input::ModelReplied { run, reply, judged }).expect("a reply is never refused")
    }

    pub(crate) fn fail_model(&mut self) -> Step {
        let failure = Failure { kind: FailureKind::Unreachable, text: "nothing answers".to_owned() };
        let run = self.run();
        self.give(Input::ModelFailed { run, failure }).unwrap()
    }

    pub(crate) fn finish(&mut self, call: CallId, kind: OutcomeKind) -> Step {
        let run = self.run();
        let outcome = Outcome { kind, text: format!("result of {call}"), left: None };
        self.give(Input::CallFinished { run, call, outcome }).unwrap()
    }

    /// Finishes the first call that runs, well.
    pub(crate) fn finish_first(&mut self) -> Step {
        let call = self.started()[0];
        self.finish(call, OutcomeKind::Succeeded)
    }

    pub(crate) fn run(&self) -> RunId {
        self.head.run.as_ref().expect("a run goes on").id
    }

    /// The ids of the calls that run.
    pub(crate) fn started(&self) -> Vec<CallId> {
        self.ids_of(|state| matches!(state, CallState::Started { .. }))
    }

    pub(crate) fn approved(&self) -> Vec<CallId> {
        self.ids_of(|state| matches!(state, CallState::Approved(_)))
    }

    fn ids_of(&self, wanted: impl Fn(&CallState) -> bool) -> Vec<CallId> {
        let calls = self.head.calls_in_order().into_iter().filter(|call| self.head.started_by(call.id).is_none());
        calls.filter(|call| wanted(&call.state)).map(|call| call.id).collect()
    }

    /// The approved calls with what a person must have been shown of them.
    pub(crate) fn resumable(&self) -> Vec<(CallId, Digest)> {
        let digest =
            |id: &CallId| call_digest(&self.head.calls[id], RequestKind::Call).expect("an approved call has one");
        let behind = |id: &&CallId| self.head.is_behind_suspended(&self.head.calls[*id]);
        self.approved().iter().filter(|id| !behind(id)).map(|id| (*id, digest(id))).collect()
    }

    /// The tools' names of the calls that wait, wait along and run, in order.
    pub(crate) fn standing_of(&self) -> Vec<(&str, &'static str)> {
        let calls = self.head.calls_in_order().into_iter();
        calls
            .map(|call| {
                let state = match &call.state {
                    CallState::Held(_) => "held",
                    CallState::Waiting(_) => "waiting",
                    CallState::Approved(_) => "approved",
                    CallState::Started { .. } => "started",
                    CallState::Suspended { .. } => "suspended",
                    CallState::Settled(_) => "settled",
                };
                (call.tool.as_str(), state)
            })
            .collect()
    }

    /// How each call ended, by tool, in the order of ending; and the result that the model was given.
    pub(crate) fn ends(&self) -> Vec<(String, Settled, Option<String>)> {
        let mut tools: BTreeMap<CallId, String> = BTreeMap::new();
        let mut ends = Vec::new();
        for change in &self.log {
            match change {
                Change::CallProposed { call, result, .. } => {
                    tools.insert(call.id, call.tool.clone());
                    if let CallState::Settled(settled) = &call.state {
                        ends.push((call.tool.clone(), settled.clone(), result.clone()));
                    }
                }
                Change::CallSettled { call, settled, result, .. } => {
                    ends.push((tools[call].clone(), settled.clone(), result.clone()));
                }
                _ => {}
            }
        }
        ends
    }

    /// How the runs ended, in order.
    pub(crate) fn run_ends(&self) -> Vec<RunEnd> {
        let ends = self.log.iter().filter_map(|change| match change {
            Change::RunEnded { end, .. } => Some(end.clone()),
            _ => None,
        });
        ends.collect()
    }

    /// The calls that were claimed, in order, as they were proposed.
    pub(crate) fn executed(&self) -> Vec<Call> {
        let mut proposed: BTreeMap<CallId, Call> = BTreeMap::new();
        let mut executed = Vec::new();
        for change in &self.log {
            match change {
                Change::CallProposed { call, .. } => {
                    proposed.insert(call.id, call.clone());
                }
                Change::CallStarted { call, .. } => executed.push(proposed[call].clone()),
                _ => {}
            }
        }
        executed
    }

    /// What the model would be sent now.
    pub(crate) fn view(&self) -> Vec<ViewItem> {
        let items = self.transcript.view(None).expect("nothing is unsettled");
        items.iter().map(|item| ViewItem::clone(item)).collect()
    }

    /// Whether the last step called the model.
    pub(crate) fn calls_model(&self) -> bool {
        self.acts.iter().any(|act| matches!(act, Act::CallModel { .. }))
    }

    /// Whether the last step executes a call.
    pub(crate) fn runs_calls(&self) -> usize {
        let runs = self.acts.iter();
        runs.filter(|act| matches!(act, Act::RunCall { .. })).count()
    }

    /// Whether nothing goes on and nothing waits.
    pub(crate) fn is_idle(&self) -> bool {
        self.head.run.is_none()
            && self.head.children.is_empty()
            && self.head.calls.is_empty()
            && self.head.requests.is_empty()
            && self.head.held.is_empty()
    }

    pub(crate) fn open(&self) -> BTreeSet<RequestId> {
        self.head.requests.keys().copied().collect()
    }
}

fn found<'a>(
    messages: &'a mut [PastMessage],
    of_call: &BTreeMap<CallId, usize>,
    call: CallId,
) -> Option<&'a mut PastCall> {
    let message = messages.get_mut(*of_call.get(&call)?)?;
    message.calls.iter_mut().find(|past| past.call.id == call)
}

/// The tools' names of some calls.
pub(crate) fn names(calls: &[Call]) -> Vec<&str> {
    calls.iter().map(|call| call.tool.as_str()).collect()
}
