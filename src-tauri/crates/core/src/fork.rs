//! A fork: a new conversation that begins with what another one holds, up to a point (D-59).
//!
//! # Design
//!
//! Everything in it is a copy under ids of its own, so that neither conversation can reach into the other: answers, results
//! and decisions go by ids. What was decided stays with who decided it, and in history once, as the source's. What hadn't ended in the
//! source was never made for the fork, so the model's view there is whole: one result a call. The inside of sub-agents isn't
//! copied; their results are.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::call::{Call, CallState, Dropped, Settled};
use crate::change::{Change, Message, MessageBody};
use crate::conversation::{Conversation, ConversationKind, Forked};
use crate::head::Head;
use crate::ids::{At, ConversationId, Ids, MessageId, RunId};
use crate::input::Refusal;
use crate::mode::Mode;
use crate::run::RunEnd;
use crate::step::Step;

/// What a conversation holds on its own thread, as it is stored; read in one go, so that it fits together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The conversation.
    pub conversation: Conversation,
    /// Its own runs, in order.
    pub runs: Vec<PastRun>,
    /// The messages of its own thread, in order.
    pub messages: Vec<PastMessage>,
}

/// What is kept of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PastRun {
    /// Which.
    pub id: RunId,
    /// Batches that executed.
    pub rounds: u32,
    /// How many there could be.
    pub limit: u32,
    /// The mode that it started in.
    pub mode_start: Mode,
    /// The revision of the agent profile that it ran with.
    pub agent_revision: i64,
    /// When it started.
    pub started_at: At,
    /// How and when it ended; none while it goes on.
    pub end: Option<(RunEnd, At)>,
}

/// A stored message with its calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastMessage {
    /// The message.
    pub message: Message,
    /// Its calls, by position.
    pub calls: Vec<PastCall>,
}

/// A stored call with the result that the model was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastCall {
    /// The call.
    pub call: Call,
    /// The result, if it has one.
    pub result: Option<String>,
}

/// What a fork is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFork {
    /// Which it will be.
    pub id: ConversationId,
    /// Its name, not blank.
    pub title: String,
    /// The place of the message of the person that is the last one in it; none: everything.
    pub upto: Option<i64>,
}

impl Source {
    /// How many ids a fork of it may need at most.
    pub fn ids_needed(&self) -> usize {
        self.runs.len() + self.messages.iter().map(|one| 1 + one.calls.len()).sum::<usize>()
    }
}

/// The changes that make a fork. Nothing of the source changes, whatever goes on or waits there. The fork has no requests, no
/// standing approvals and nothing that was said and not taken; in Auto it doesn't begin.
///
/// # Errors
/// [`Refusal::IllegalInput`] for a Quick task, a blank name, a conversation in which nothing was said, and a place that isn't
/// a message of the person's.
pub fn fork(source: &Source, new: NewFork, at: At, ids: Ids) -> Result<Step, Refusal> {
    let refused = |because| Refusal::IllegalInput { input: "forking", because };
    match source.conversation.kind {
        ConversationKind::Thread => {}
        ConversationKind::Quick => return Err(refused("a Quick task is one run and no more")),
    }
    let title = new.title.trim().to_owned();
    if title.is_empty() {
        return Err(refused("a name can't be blank"));
    }
    let wanted = match new.upto {
        None => source.messages.as_slice(),
        Some(place) => {
            let is_there =
                |one: &PastMessage| one.message.seq == place && matches!(one.message.body, MessageBody::User { .. });
            let last = source.messages.iter().position(is_there);
            let last = last.ok_or_else(|| refused("only a message that you wrote can be its last one"))?;
            source.messages.get(..=last).unwrap_or_default()
        }
    };
    if wanted.is_empty() {
        return Err(refused("nothing was said in it yet"));
    }
    let mut copying =
        Copying { ids, at, runs: BTreeMap::new(), changes: Vec::new(), seq: 0, awaits: false, left: false };
    for run in &source.runs {
        copying.run(run, wanted, &source.messages)?;
    }
    for past in wanted {
        copying.message(past)?;
    }
    let Copying { changes: copies, seq, awaits, left, .. } = copying;
    // Of a whole copy the source knows best whether its model has something to reply to: a result can come behind a reply (D-99).
    let whole = new.upto.is_none() && !left;
    let conversation = Conversation {
        id: new.id,
        kind: ConversationKind::Thread,
        agent: source.conversation.agent,
        title,
        mode: match source.conversation.mode {
            Mode::Auto => Mode::Default,
            mode @ (Mode::Default | Mode::Plan) => mode,
        },
        auto_chain: None,
        auto_until: None,
        awaits_reply: if whole { source.conversation.awaits_reply } else { awaits },
        next_seq: seq + 1,
        revision: 0,
        created_at: at,
        forked: Some(Forked { from: source.conversation.id, before: seq + 1 }),
    };
    let head = Head::new(conversation.clone());
    let changes = std::iter::once(Change::ConversationCreated(conversation)).chain(copies).collect();
    Ok(Step { changes, acts: Vec::new(), head })
}

/// A fork being made.
struct Copying {
    ids: Ids,
    at: At,
    /// What each run of the source is called here.
    runs: BTreeMap<RunId, RunId>,
    changes: Vec<Change>,
    /// The place of the last message.
    seq: i64,
    /// Whether the model has something that it hasn't replied to.
    awaits: bool,
    /// Whether something is left in the source.
    left: bool,
}

impl Copying {
    /// Copies a run, if a message of it is copied. It ends as it did, if all of it is; otherwise where the conversation was forked.
    fn run(&mut self, run: &PastRun, wanted: &[PastMessage], all: &[PastMessage]) -> Result<(), Refusal> {
        let of_it = |messages: &[PastMessage]| messages.iter().filter(|one| one.message.run == run.id).count();
        let copied = of_it(wanted);
        if copied == 0 {
            return Ok(());
        }
        let id: RunId = self.ids.take()?;
        self.runs.insert(run.id, id);
        let end = run.end.clone().filter(|_| copied == of_it(all));
        let end = Some(end.unwrap_or((RunEnd::Forked, self.at)));
        self.changes.push(Change::RunCopied { run: PastRun { id, end, ..run.clone() }, of: run.id });
        Ok(())
    }

    fn message(&mut self, past: &PastMessage) -> Result<(), Refusal> {
        let id: MessageId = self.ids.take()?;
        self.seq += 1;
        let of = &past.message;
        let body = match &of.body {
            MessageBody::User { .. } | MessageBody::Agent { .. } => of.body.clone(),
            // What it used up was used up in the source.
            MessageBody::Assistant { text, raw, usage: _ } => {
                MessageBody::Assistant { text: text.clone(), raw: raw.clone(), usage: None }
            }
        };
        self.awaits = !matches!(body, MessageBody::Assistant { .. });
        let run = self.run_of(of.run)?;
        let message = Message { id, seq: self.seq, run, thread: None, body, at: of.at };
        self.changes.push(Change::MessageCopied { message, of: of.id });
        for call in &past.calls {
            self.call(call, id)?;
        }
        Ok(())
    }

    fn call(&mut self, past: &PastCall, message: MessageId) -> Result<(), Refusal> {
        let settled = match &past.call.state {
            CallState::Settled(settled) => settled.clone(),
            CallState::Held(_)
            | CallState::Waiting(_)
            | CallState::Approved(_)
            | CallState::Started { .. }
            | CallState::Suspended { .. } => {
                self.left = true;
                Settled::Dropped { why: Dropped::LeftInSource }
            }
        };
        let seen = settled.is_seen_by_model();
        self.awaits |= seen;
        let call = Call {
            id: self.ids.take()?,
            message,
            proposed_by: self.run_of(past.call.proposed_by)?,
            state: CallState::Settled(settled),
            ..past.call.clone()
        };
        let result = past.result.clone().filter(|_| seen);
        self.changes.push(Change::CallCopied { call, result, of: past.call.id });
        Ok(())
    }

    /// What a run of the source is called here.
    fn run_of(&self, run: RunId) -> Result<RunId, Refusal> {
        let because = "a message belongs to no run of its conversation";
        self.runs.get(&run).copied().ok_or(Refusal::IllegalInput { input: "forking", because })
    }
}
