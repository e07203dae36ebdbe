//! The model's view of a conversation, and the checker of every outgoing history.
//!
//! The view is computed from stored messages and calls, which are never rewritten (D-57). Everything before the first
//! unsettled call never changes any more, so a [`Transcript`] keeps that prefix rendered and a round only adds to it:
//! the cost of a round doesn't grow with the conversation (D-103).

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::call::{Call, CallState};
use crate::change::{Change, MessageBody};
use crate::faults::{self, Fault};
use crate::head::{Head, Thread};
use crate::ids::{CallId, MessageId};
use crate::words;

/// One item of what the model is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ViewItem {
    /// A person's message, or what a background agent has to say.
    User {
        /// Their words.
        text: String,
    },
    /// The model's own turn.
    Assistant {
        /// Its words.
        text: String,
        /// The turn exactly as received, for byte-for-byte replay.
        raw: Option<String>,
        /// The calls that it made and that weren't dropped, in order.
        calls: Vec<ViewCall>,
        /// How many of its calls were dropped; if there are any, `raw` must be sent without them.
        dropped: usize,
    },
    /// The results of the turn directly before, one for each call, in the same order.
    Results(Vec<ViewResult>),
}

/// A call in the view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewCall {
    /// The provider's id.
    pub provider_id: String,
    /// Its place among the calls of the stored turn, dropped ones counted.
    pub position: u32,
    /// The tool's name as the model wrote it.
    pub name: String,
    /// The exact argument text.
    pub arguments: String,
}

/// A result in the view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewResult {
    /// The provider's id of the call that it belongs to.
    pub provider_id: String,
    /// What the model is given.
    pub text: String,
}

/// A stored message with its calls, in storage form.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Which message.
    pub id: MessageId,
    /// What it is.
    pub body: MessageBody,
    /// Its calls, by position.
    pub calls: Vec<EntryCall>,
}

/// A call of an entry.
#[derive(Debug, Clone)]
pub struct EntryCall {
    /// Which.
    pub id: CallId,
    /// As the view shows it.
    pub view: ViewCall,
    /// Where it stands for the view.
    pub standing: EntryStanding,
}

/// Where a call stands, as far as the view cares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryStanding {
    /// Not settled.
    Open,
    /// It started a sub-agent that waits for a person.
    Suspended,
    /// Settled with a result.
    Result(String),
    /// Never made, for the model.
    Dropped,
}

/// A thread's view, kept up by applying the same changes that are stored.
#[derive(Debug, Clone, Default)]
pub struct Transcript {
    thread: Thread,
    settled: Vec<Arc<ViewItem>>,
    tail: Vec<Entry>,
}

/// A history that no provider accepts, or that would tell the model something else than what happened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadHistory {
    /// A call has no result directly behind it.
    #[error("call `{0}` has no result")]
    CallWithoutResult(String),
    /// Results don't match the calls before them.
    #[error("the results don't match the calls before them")]
    ResultsDontMatch,
    /// The calls of a turn aren't those of its record that weren't dropped, so that a record can't be sent without the others.
    #[error("the calls of a turn don't stand where its record has them")]
    CallsOutOfPlace,
    /// An assistant turn says nothing and calls nothing.
    #[error("an assistant turn is empty")]
    EmptyTurn,
    /// A call is still open.
    #[error("call `{0}` is not settled")]
    Unsettled(String),
}

/// What a model is told of calls that wait while it is called all the same (D-96). Nothing of it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Meanwhile(BTreeMap<CallId, String>);

impl Meanwhile {
    /// For a thread as it stands now: suspended calls have their stop text, all others that wait are left out.
    pub fn of(head: &Head, thread: Thread) -> Self {
        let suspended = head.calls_in(thread).into_iter().filter_map(|call| match &call.state {
            CallState::Suspended { .. } => {
                let ran = head.started_by(call.id).and_then(|run| head.child(run)).map(|child| child.ran.clone());
                Some((call.id, words::moved_on(&ran.unwrap_or_default())))
            }
            CallState::Held(_)
            | CallState::Waiting(_)
            | CallState::Approved(_)
            | CallState::Started { .. }
            | CallState::Settled(_) => None,
        });
        Self(suspended.collect())
    }
}

impl Transcript {
    /// An empty one of a thread.
    pub fn of(thread: Thread) -> Self {
        Self { thread, ..Self::default() }
    }

    /// Adds a stored entry, in the order of storage; for loading.
    pub fn load(&mut self, entry: Entry) {
        self.tail.push(entry);
        self.settle();
    }

    /// Takes part in what became true.
    pub fn apply(&mut self, change: &Change) {
        match change {
            Change::MessageAdded(message) | Change::MessageCopied { message, .. } if message.thread == self.thread => {
                self.tail.push(Entry { id: message.id, body: message.body.clone(), calls: Vec::new() });
            }
            Change::CallProposed { call, result, .. } | Change::CallCopied { call, result, .. } => {
                if let Some(entry) = self.tail.iter_mut().rev().find(|entry| entry.id == call.message) {
                    entry.calls.push(EntryCall::of(call, result.clone()));
                }
            }
            Change::CallSettled { call, settled, result, .. } => {
                let standing = if settled.is_seen_by_model() || faults::on(Fault::DroppedInView) {
                    EntryStanding::Result(result.clone().unwrap_or_default())
                } else {
                    EntryStanding::Dropped
                };
                self.stand(*call, standing);
            }
            Change::CallSuspended { call, .. } => self.stand(*call, EntryStanding::Suspended),
            Change::CallResumed { call, .. } => self.stand(*call, EntryStanding::Open),
            Change::MessageAdded(_)
            | Change::MessageCopied { .. }
            | Change::RunCopied { .. }
            | Change::ConversationCreated(_)
            | Change::ConversationRenamed { .. }
            | Change::ConversationDeleted
            | Change::ModeSet { .. }
            | Change::RunStarted(_)
            | Change::RunPhase { .. }
            | Change::RunEnded { .. }
            | Change::AgentRan { .. }
            | Change::AnswersQueued(_)
            | Change::AnswersTaken
            | Change::AnswersReturned { .. }
            | Change::SteeringQueued(_)
            | Change::SteeringTaken { .. }
            | Change::SteeringReturned { .. }
            | Change::CallApproved { .. }
            | Change::CallFilledIn { .. }
            | Change::CallHeld { .. }
            | Change::CallWaits { .. }
            | Change::CallStarted { .. }
            | Change::RequestOpened { .. }
            | Change::RequestClosed { .. }
            | Change::QuestionHeld(_)
            | Change::QuestionClosed { .. }
            | Change::StandingGranted { .. }
            | Change::StandingUsed { .. }
            | Change::StandingRevoked { .. } => {}
        }
    }

    fn stand(&mut self, call: CallId, standing: EntryStanding) {
        let found = self.tail.iter_mut().rev().flat_map(|entry| &mut entry.calls).find(|one| one.id == call);
        if let Some(found) = found {
            found.standing = standing;
        }
    }

    /// Moves what can't change any more into the rendered prefix. Called once a whole step has been applied, because
    /// the calls of a message come as changes of their own behind it.
    pub fn settle(&mut self) {
        let open = self.tail.iter().position(Entry::is_open).unwrap_or(self.tail.len());
        for entry in self.tail.drain(..open) {
            render(&entry, &mut self.settled);
        }
    }

    /// The view as it is sent now. Where the model is called while calls wait, `meanwhile` says what it is told of them (D-96).
    ///
    /// # Errors
    /// [`BadHistory::Unsettled`] if a call still waits or runs and nothing is said of that; a model call then would be a fault
    /// of ours.
    pub fn view(&self, meanwhile: Option<&Meanwhile>) -> Result<Vec<Arc<ViewItem>>, BadHistory> {
        let mut items = self.settled.clone();
        for entry in &self.tail {
            if !entry.is_open() {
                render(entry, &mut items);
                continue;
            }
            let open = entry.calls.iter().find(|call| call.is_open()).map(|call| call.view.provider_id.clone());
            let Some(meanwhile) = meanwhile else {
                return Err(BadHistory::Unsettled(open.unwrap_or_default()));
            };
            let mut shown = entry.clone();
            for call in shown.calls.iter_mut().filter(|call| call.is_open()) {
                call.standing = meanwhile
                    .0
                    .get(&call.id)
                    .map_or(EntryStanding::Dropped, |text| EntryStanding::Result(text.clone()));
            }
            render(&shown, &mut items);
        }
        Ok(items)
    }

    /// How many items are rendered for good; a round checks only what comes behind them.
    pub fn settled_len(&self) -> usize {
        self.settled.len()
    }
}

impl Entry {
    fn is_open(&self) -> bool {
        self.calls.iter().any(EntryCall::is_open)
    }
}

impl EntryCall {
    fn is_open(&self) -> bool {
        matches!(self.standing, EntryStanding::Open | EntryStanding::Suspended)
    }

    /// The entry form of a call with its result, if it has one.
    pub fn of(call: &Call, result: Option<String>) -> Self {
        let standing = match &call.state {
            CallState::Held(_) | CallState::Waiting(_) | CallState::Approved(_) | CallState::Started { .. } => {
                EntryStanding::Open
            }
            CallState::Suspended { .. } => EntryStanding::Suspended,
            CallState::Settled(settled) if settled.is_seen_by_model() => {
                EntryStanding::Result(result.unwrap_or_default())
            }
            CallState::Settled(_) => EntryStanding::Dropped,
        };
        let view = ViewCall {
            provider_id: call.provider_id.clone(),
            position: call.position,
            name: call.tool.clone(),
            arguments: call.arguments.clone(),
        };
        Self { id: call.id, view, standing }
    }
}

fn render(entry: &Entry, items: &mut Vec<Arc<ViewItem>>) {
    match &entry.body {
        MessageBody::User { text } => items.push(Arc::new(ViewItem::User { text: text.clone() })),
        MessageBody::Agent { name, text } => {
            items.push(Arc::new(ViewItem::User { text: words::from_agent(name, text) }));
        }
        MessageBody::Assistant { text, raw, usage: _ } => {
            let mut calls = Vec::new();
            let mut results = Vec::new();
            for call in &entry.calls {
                if let EntryStanding::Result(text) = &call.standing {
                    calls.push(call.view.clone());
                    results.push(ViewResult { provider_id: call.view.provider_id.clone(), text: text.clone() });
                }
            }
            let dropped = entry.calls.len() - calls.len();
            // A turn that lost all its calls and never had words was never made, for the model (D-57).
            if calls.is_empty() && text.trim().is_empty() {
                return;
            }
            items.push(Arc::new(ViewItem::Assistant { text: text.clone(), raw: raw.clone(), calls, dropped }));
            if !results.is_empty() {
                items.push(Arc::new(ViewItem::Results(results)));
            }
        }
    }
}

/// Checks a history from item `from` on; everything before was checked when it was sent the last time.
///
/// # Errors
/// The first [`BadHistory`].
pub fn check(items: &[Arc<ViewItem>], from: usize) -> Result<(), BadHistory> {
    // The item before may be the turn that the first new item's results belong to.
    let start = from.saturating_sub(1).min(items.len());
    let mut waiting: Option<&[ViewCall]> = None;
    for (index, item) in items.iter().enumerate().skip(start) {
        if let (Some([first, ..]), ViewItem::User { .. } | ViewItem::Assistant { .. }) = (waiting, item.as_ref()) {
            return Err(BadHistory::CallWithoutResult(first.provider_id.clone()));
        }
        match item.as_ref() {
            ViewItem::User { .. } => {}
            ViewItem::Assistant { text, calls, dropped, raw: _ } => {
                let places: Vec<usize> = calls.iter().filter_map(|call| usize::try_from(call.position).ok()).collect();
                let whole = calls.len() + dropped;
                if !places.is_sorted_by(|one, next| one < next) || places.last().is_some_and(|last| *last >= whole) {
                    return Err(BadHistory::CallsOutOfPlace);
                }
                if calls.is_empty() && text.trim().is_empty() {
                    return Err(BadHistory::EmptyTurn);
                }
                waiting = (!calls.is_empty()).then_some(calls.as_slice());
            }
            ViewItem::Results(results) => {
                let calls = waiting.take().unwrap_or_default();
                let same = calls.len() == results.len()
                    && calls.iter().zip(results).all(|(call, result)| call.provider_id == result.provider_id);
                // A check that starts in the middle can begin at results whose turn was checked before.
                let begins_inside = start > 0 && index == start;
                if !same && !begins_inside {
                    return Err(BadHistory::ResultsDontMatch);
                }
            }
        }
    }
    match waiting {
        Some([first, ..]) => Err(BadHistory::CallWithoutResult(first.provider_id.clone())),
        Some([]) | None => Ok(()),
    }
}
