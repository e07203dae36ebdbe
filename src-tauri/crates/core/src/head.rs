//! The head of a conversation: everything that deciding what happens next needs, and nothing that grows with its
//! length. [`Head::apply`] is the model that the store is tested against.

use std::collections::BTreeMap;

use crate::call::{Call, CallState};
use crate::change::{Change, MessageBody};
use crate::conversation::{Conversation, Standing};
use crate::ids::{CallId, MessageId, RequestId};
use crate::request::Request;
use crate::run::{Run, Steering};

/// What is true of a conversation right now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The conversation itself.
    pub conversation: Conversation,
    /// The run that hasn't ended, if there is one. There is never a second (D-07).
    pub run: Option<Run>,
    /// Calls that are not settled.
    pub calls: BTreeMap<CallId, Call>,
    /// Open requests.
    pub requests: BTreeMap<RequestId, Request>,
    /// Standing approvals in force.
    pub standing: Vec<Standing>,
    /// What the person said to the run that it hasn't taken, in order (D-89).
    pub steering: Vec<Steering>,
    /// Where each message with unsettled calls stands, so that calls have an order across batches.
    pub order: BTreeMap<MessageId, i64>,
}

impl Head {
    /// The head of a conversation that was just made.
    pub fn new(conversation: Conversation) -> Self {
        Self {
            conversation,
            run: None,
            calls: BTreeMap::new(),
            requests: BTreeMap::new(),
            standing: Vec::new(),
            steering: Vec::new(),
            order: BTreeMap::new(),
        }
    }

    /// The unsettled calls in the model's order: by message, then by position.
    pub fn calls_in_order(&self) -> Vec<&Call> {
        let mut calls: Vec<&Call> = self.calls.values().collect();
        calls.sort_by_key(|call| (self.order.get(&call.message).copied().unwrap_or(i64::MAX), call.position));
        calls
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

    /// Makes a change true. Changes that name something that isn't there change nothing; the store refuses them.
    pub fn apply(&mut self, change: &Change) {
        match change {
            Change::ConversationCreated(conversation) => *self = Self::new(conversation.clone()),
            Change::ConversationRenamed { title } => self.conversation.title.clone_from(title),
            Change::ConversationDeleted => {
                self.calls.clear();
                self.requests.clear();
                self.standing.clear();
                self.steering.clear();
                self.order.clear();
            }
            Change::ModeSet { mode, auto_chain } => {
                self.conversation.mode = *mode;
                self.conversation.auto_chain = *auto_chain;
            }
            Change::RunStarted(run) => self.run = Some(run.clone()),
            Change::RunPhase { run, phase, rounds } => {
                if let Some(current) = self.run.as_mut().filter(|current| current.id == *run) {
                    current.phase = *phase;
                    current.rounds = *rounds;
                }
            }
            Change::RunEnded { run, .. } => {
                if self.run.as_ref().is_some_and(|current| current.id == *run) {
                    self.run = None;
                }
            }
            Change::SteeringQueued(steering) => self.steering.push(steering.clone()),
            Change::SteeringTaken { taken: gone } | Change::SteeringReturned { returned: gone } => {
                self.steering.retain(|one| !gone.contains(&one.id));
            }
            Change::MessageAdded(message) => {
                self.conversation.next_seq = message.seq + 1;
                self.order.insert(message.id, message.seq);
                self.conversation.awaits_reply = match message.body {
                    MessageBody::User { .. } => true,
                    MessageBody::Assistant { .. } => false,
                };
            }
            Change::CallProposed { call, .. } => match &call.state {
                CallState::Held(_) | CallState::Waiting(_) | CallState::Approved(_) | CallState::Started { .. } => {
                    self.calls.insert(call.id, call.clone());
                }
                CallState::Settled(settled) => self.conversation.awaits_reply |= settled.is_seen_by_model(),
            },
            Change::CallApproved { call, warrant } => self.set(*call, CallState::Approved(warrant.clone())),
            Change::CallFilledIn { call, executed } => {
                if let Some(call) = self.calls.get_mut(call) {
                    call.executed = Some(executed.clone());
                }
            }
            Change::CallHeld { call, kept } => self.set(*call, CallState::Held(kept.clone())),
            Change::CallWaits { call, request } => self.set(*call, CallState::Waiting(*request)),
            Change::CallStarted { call, run, warrant, at } => {
                self.set(*call, CallState::Started { warrant: warrant.clone(), run: *run, at: *at });
            }
            Change::CallSettled { call, settled, left, .. } => {
                self.calls.remove(call);
                self.conversation.awaits_reply |= settled.is_seen_by_model();
                if let (Some(left), Some(run)) = (left, self.run.as_mut()) {
                    run.left.insert(left.path.clone(), left.content.clone());
                }
            }
            Change::RequestOpened { request, .. } => {
                self.requests.insert(request.id, request.clone());
            }
            Change::RequestClosed { request, .. } => {
                self.requests.remove(request);
            }
            Change::StandingGranted { standing, .. } => self.standing.push(standing.clone()),
            Change::StandingUsed { .. } => {}
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
