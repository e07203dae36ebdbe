//! The head of a conversation: everything that deciding what happens next needs, and nothing that grows with its
//! length. [`Head::apply`] is the model that the store is tested against.

use std::collections::{BTreeMap, BTreeSet};

use crate::call::{Call, CallState};
use crate::change::{Change, MessageBody};
use crate::conversation::{Conversation, Standing};
use crate::faults::{self, Fault};
use crate::ids::{AgentId, CallId, MessageId, RequestId, RunId};
use crate::input::Queued;
use crate::mode::Mode;
use crate::request::{Held, Request};
use crate::run::{Child, Goes, Phase, Run, Said, Steering};

/// Whose messages and calls: none is the conversation's own, otherwise the run of a sub-agent, which is one run from its start
/// to its end (D-93).
pub type Thread = Option<RunId>;

/// What is true of a conversation right now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The conversation itself.
    pub conversation: Conversation,
    /// The conversation's own run that hasn't ended, if there is one. There is never a second (D-07).
    pub run: Option<Run>,
    /// Runs of sub-agents that haven't ended. Suspended ones outlive the run that they were started in (D-93).
    pub children: BTreeMap<RunId, Run>,
    /// Calls that are not settled, of all threads.
    pub calls: BTreeMap<CallId, Call>,
    /// Open requests.
    pub requests: BTreeMap<RequestId, Request>,
    /// Questions that somebody else's process holds open while it executes a call (D-86).
    pub held: BTreeMap<RequestId, Held>,
    /// Standing approvals in force.
    pub standing: Vec<Standing>,
    /// What was said to the run that it hasn't taken, in order (D-89, D-99).
    pub steering: Vec<Steering>,
    /// Answers that wait for the run to end (D-08, D-100).
    pub queued: Option<Queued>,
    /// Where each message with unsettled calls stands, so that calls have an order across batches.
    pub order: BTreeMap<MessageId, i64>,
}

impl Head {
    /// The head of a conversation that was just made.
    pub fn new(conversation: Conversation) -> Self {
        Self {
            conversation,
            run: None,
            children: BTreeMap::new(),
            calls: BTreeMap::new(),
            requests: BTreeMap::new(),
            held: BTreeMap::new(),
            standing: Vec::new(),
            steering: Vec::new(),
            queued: None,
            order: BTreeMap::new(),
        }
    }

    /// The unsettled calls in the model's order: by message, then by position.
    pub fn calls_in_order(&self) -> Vec<&Call> {
        let mut calls: Vec<&Call> = self.calls.values().collect();
        calls.sort_by_key(|call| (self.order.get(&call.message).copied().unwrap_or(i64::MAX), call.position));
        calls
    }

    /// The unsettled calls of a thread in the model's order.
    pub fn calls_in(&self, thread: Thread) -> Vec<&Call> {
        self.calls_in_order().into_iter().filter(|call| self.thread_of(call) == thread).collect()
    }

    /// The open requests in the order of their calls.
    pub fn requests_in_order(&self) -> Vec<&Request> {
        let mut requests: Vec<&Request> = self.requests.values().collect();
        requests.sort_by_key(|request| {
            self.calls
                .get(&request.call)
                .map(|call| (self.order.get(&call.message).copied().unwrap_or(i64::MAX), call.position))
        });
        requests
    }

    /// What an answer can name: an open request, or a question that is held open (D-86).
    pub fn answerable(&self, id: RequestId) -> Option<&Request> {
        self.requests.get(&id).or_else(|| self.held.get(&id).map(|held| &held.request))
    }

    /// The questions that are held open while a call is executed, the oldest first.
    pub fn held_by(&self, call: CallId) -> Vec<&Held> {
        let mut held: Vec<&Held> = self.held.values().filter(|held| held.request.call == call).collect();
        held.sort_by_key(|held| (held.request.opened_at, held.request.id));
        held
    }

    /// The thread that a call belongs to.
    pub fn thread_of(&self, call: &Call) -> Thread {
        self.children.contains_key(&call.proposed_by).then_some(call.proposed_by)
    }

    /// The thread of a run that hasn't ended.
    pub fn thread_of_run(&self, run: RunId) -> Option<Thread> {
        if self.run.as_ref().is_some_and(|root| root.id == run) {
            return Some(None);
        }
        self.children.contains_key(&run).then_some(Some(run))
    }

    /// The run of a thread; none for the conversation's own while nothing runs in it.
    pub fn run_of(&self, thread: Thread) -> Option<&Run> {
        match thread {
            None => self.run.as_ref(),
            Some(run) => self.children.get(&run),
        }
    }

    fn run_mut(&mut self, run: RunId) -> Option<&mut Run> {
        match self.run.as_mut() {
            Some(root) if root.id == run => Some(root),
            Some(_) | None => self.children.get_mut(&run),
        }
    }

    /// Where a sub-agent's run belongs.
    pub fn child(&self, run: RunId) -> Option<&Child> {
        self.children.get(&run).and_then(|run| run.child.as_ref())
    }

    /// Whose thread it is.
    pub fn agent_of(&self, thread: Thread) -> AgentId {
        thread.and_then(|run| self.child(run)).map_or(self.conversation.agent, |child| child.agent)
    }

    /// The mode that holds in a thread: for a sub-agent the stricter of the one that it inherited and the conversation's (D-82).
    pub fn mode_in(&self, thread: Thread) -> Mode {
        let mode = self.conversation.mode;
        let child = thread.and_then(|run| self.children.get(&run)).filter(|_| !faults::on(Fault::LooserBelow));
        child.map_or(mode, |run| run.mode_start.min(mode))
    }

    /// The sub-agents' runs that a thread lies in, itself first, up to the one that the conversation's own model started.
    pub fn up_from(&self, thread: Thread) -> Vec<RunId> {
        let mut up = Vec::new();
        let mut at = thread;
        while let Some(run) = at.filter(|run| !up.contains(run)) {
            up.push(run);
            at = self.child(run).and_then(|child| child.parent);
        }
        up
    }

    /// What the sub-agents are called that a thread lies in, the outermost first; empty for the conversation's own.
    pub fn path_of(&self, thread: Thread) -> Vec<String> {
        let up = self.up_from(thread);
        up.iter().rev().filter_map(|run| Some(self.child(*run)?.name.clone())).collect()
    }

    /// All sub-agents' runs, those furthest down first.
    pub fn deepest_first(&self) -> Vec<RunId> {
        let mut runs: Vec<RunId> = self.children.keys().copied().collect();
        runs.sort_by_key(|run| std::cmp::Reverse(self.up_from(Some(*run)).len()));
        runs
    }

    /// The sub-agent's run that a call started, while it hasn't ended.
    pub fn started_by(&self, call: CallId) -> Option<RunId> {
        let mut runs = self.children.iter();
        runs.find(|(_, run)| run.child.as_ref().is_some_and(|child| child.call == call)).map(|(id, _)| *id)
    }

    /// Whether a call of the thread is being executed.
    pub fn has_started(&self, thread: Thread) -> bool {
        self.calls
            .values()
            .any(|call| matches!(call.state, CallState::Started { .. }) && self.thread_of(call) == thread)
    }

    /// Whether a call of the thread waits for a sub-agent that waits for a person.
    pub fn has_suspended(&self, thread: Thread) -> bool {
        self.calls
            .values()
            .any(|call| matches!(call.state, CallState::Suspended { .. }) && self.thread_of(call) == thread)
    }

    /// Whether an approved call waits behind a suspended one of its batch. It goes on when that does, and isn't offered to be run
    /// by itself (D-94).
    pub fn is_behind_suspended(&self, call: &Call) -> bool {
        matches!(call.state, CallState::Approved(_)) && self.has_suspended(self.thread_of(call))
    }

    /// Whether a call lies in a background agent, or below one: words to the run leave what it asks open (D-80).
    pub fn is_beside(&self, call: &Call) -> bool {
        self.is_below_beside(self.thread_of(call))
    }

    /// Whether a thread is a background agent's, or lies below one.
    pub(crate) fn is_below_beside(&self, thread: Thread) -> bool {
        let top = self.up_from(thread).last().copied();
        top.and_then(|top| self.child(top)).is_some_and(|child| child.goes == Goes::Beside)
    }

    /// Background agents that are at work: neither ended nor waiting for a person (D-80).
    pub fn working_beside(&self) -> usize {
        let beside = |run: &&Run| run.child.as_ref().is_some_and(|child| child.goes == Goes::Beside);
        self.children.values().filter(beside).filter(|run| run.phase != Phase::Suspended).count()
    }

    /// Whether the person said something that the run hasn't taken.
    pub fn has_words(&self) -> bool {
        self.steering.iter().any(|one| one.from == Said::Person)
    }

    /// The requests that queued answers answer already.
    pub fn answered_in_queue(&self) -> BTreeSet<RequestId> {
        self.queued.iter().flat_map(|queued| &queued.answers).map(|answer| answer.request).collect()
    }

    /// Makes a change true. Changes that name something that isn't there change nothing; the store refuses them.
    pub fn apply(&mut self, change: &Change) {
        match change {
            Change::ConversationCreated(conversation) => *self = Self::new(conversation.clone()),
            Change::ConversationRenamed { title } => self.conversation.title.clone_from(title),
            Change::ConversationDeleted => {
                self.children.clear();
                self.calls.clear();
                self.requests.clear();
                self.held.clear();
                self.standing.clear();
                self.steering.clear();
                self.queued = None;
                self.order.clear();
            }
            Change::ModeSet { mode, auto_chain, auto_until } => {
                self.conversation.mode = *mode;
                self.conversation.auto_chain = *auto_chain;
                self.conversation.auto_until = *auto_until;
            }
            Change::RunStarted(run) if run.child.is_some() => {
                self.children.insert(run.id, run.clone());
                if let Some(root) = self.run.as_mut() {
                    root.agents_started = root.agents_started.saturating_add(1);
                }
            }
            Change::RunStarted(run) => self.run = Some(run.clone()),
            Change::RunPhase { run, phase, rounds } => {
                if let Some(current) = self.run_mut(*run) {
                    current.phase = *phase;
                    current.rounds = *rounds;
                }
            }
            Change::RunEnded { run, .. } => {
                if self.run.as_ref().is_some_and(|current| current.id == *run) {
                    self.run = None;
                }
                self.children.remove(run);
            }
            Change::AgentRan { run, ran } => {
                if let Some(child) = self.children.get_mut(run).and_then(|run| run.child.as_mut()) {
                    child.ran = ran.clone();
                }
            }
            Change::SteeringQueued(steering) => self.steering.push(steering.clone()),
            Change::SteeringTaken { taken: gone } | Change::SteeringReturned { returned: gone } => {
                self.steering.retain(|one| !gone.contains(&one.id));
            }
            Change::AnswersQueued(queued) => self.queued = Some(queued.clone()),
            Change::AnswersTaken | Change::AnswersReturned { .. } => self.queued = None,
            Change::MessageAdded(message) => {
                self.conversation.next_seq = message.seq + 1;
                self.order.insert(message.id, message.seq);
                let replied = matches!(message.body, MessageBody::Assistant { .. });
                if let Some(root) = self.run.as_mut().filter(|_| replied) {
                    root.model_calls = root.model_calls.saturating_add(1);
                }
                if message.thread.is_none() {
                    self.conversation.awaits_reply = !replied;
                }
            }
            Change::CallProposed { call, .. } => match &call.state {
                CallState::Held(_)
                | CallState::Waiting(_)
                | CallState::Approved(_)
                | CallState::Started { .. }
                | CallState::Suspended { .. } => {
                    self.calls.insert(call.id, call.clone());
                }
                CallState::Settled(settled) => {
                    let own = self.thread_of(call).is_none();
                    self.conversation.awaits_reply |= own && settled.is_seen_by_model();
                }
            },
            Change::CallApproved { call, warrant } => self.set(*call, CallState::Approved(warrant.clone())),
            Change::CallFilledIn { call, executed } => {
                if let Some(call) = self.calls.get_mut(call) {
                    call.executed = Some(executed.clone());
                }
            }
            Change::CallHeld { call, kept } => self.set(*call, CallState::Held(kept.clone())),
            Change::CallWaits { call, request } => self.set(*call, CallState::Waiting(*request)),
            Change::CallStarted { call, run, warrant, at } | Change::CallResumed { call, run, warrant, at } => {
                self.set(*call, CallState::Started { warrant: warrant.clone(), run: *run, at: *at });
            }
            Change::CallSuspended { call, warrant } => {
                self.set(*call, CallState::Suspended { warrant: warrant.clone() });
            }
            Change::CallSettled { call, settled, left, .. } => {
                let thread = self.calls.get(call).map(|call| self.thread_of(call));
                self.calls.remove(call);
                if thread == Some(None) {
                    self.conversation.awaits_reply |= settled.is_seen_by_model();
                }
                let run = thread.and_then(|thread| self.run_of(thread)).map(|run| run.id);
                if let (Some(left), Some(run)) = (left, run.and_then(|run| self.run_mut(run))) {
                    run.left.insert(left.path.clone(), left.content.clone());
                }
            }
            Change::RequestOpened { request, .. } => {
                self.requests.insert(request.id, request.clone());
            }
            Change::RequestClosed { request, .. } => {
                self.requests.remove(request);
            }
            Change::QuestionHeld(held) => {
                self.held.insert(held.request.id, held.clone());
            }
            Change::QuestionClosed { question, .. } => {
                self.held.remove(question);
            }
            Change::StandingGranted { standing, .. } => self.standing.push(standing.clone()),
            // What is copied is over, and what follows from it stands in the conversation that was made.
            Change::StandingUsed { .. }
            | Change::RunCopied { .. }
            | Change::MessageCopied { .. }
            | Change::CallCopied { .. } => {}
            Change::StandingRevoked { standing, .. } => self.standing.retain(|one| one.id != *standing),
        }
    }

    /// Forgets where messages stand whose calls are all settled, so that the head doesn't grow.
    pub fn tidy(&mut self) {
        let calls = &self.calls;
        self.order.retain(|message, _| calls.values().any(|call| call.message == *message));
    }

    fn set(&mut self, call: CallId, state: CallState) {
        if let Some(call) = self.calls.get_mut(&call) {
            call.state = state;
        }
    }
}
