//! What happens next: one input on one head gives the changes that become true and the acts that follow.

mod calls;
mod held;
mod queue;
mod quick;
pub mod recover;
mod reply;
mod start;
mod steer;
mod stop;
mod tree;

use crate::call::{Call, Settled};
use crate::change::{Act, Change};
use crate::conversation::{Conversation, ConversationKind, Standing};
use crate::digest::{Digest, digest};
use crate::faults::{self, Fault};
use crate::head::{Head, Thread};
use crate::ids::{At, CallId, Ids, MessageId, OutOfIds, RunId};
use crate::input::{Input, NewConversation, Refusal, World};
use crate::mode::{Mode, is_over};
use crate::policy::Denied;
use crate::request::RequestKind;
use crate::run::{Phase, Ran, RunEnd, Said};
use crate::tool::Tool;

/// The outcome of a step. Nothing of it is true before the changes are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What becomes true, in order.
    pub changes: Vec<Change>,
    /// What is carried out after that.
    pub acts: Vec<Act>,
    /// The head with the changes applied.
    pub head: Head,
}

/// Says what an input leads to. An input of the shell that comes too late (its run has ended) leads to nothing.
///
/// # Errors
/// A [`Refusal`] that names why; then nothing changes.
pub fn step(head: &Head, input: Input, world: World<'_>, at: At, ids: Ids) -> Result<Step, Refusal> {
    crate::quick::admits(head, &input)?;
    let mut draft = Draft { head: head.clone(), world, at, ids, changes: Vec::new(), acts: Vec::new() };
    // Before anything is decided: no call runs by an Auto whose time is over, whoever was late to say so.
    let lapsed = lapse(&mut draft);
    match input {
        Input::Start(input) => start::start(&mut draft, input)?,
        Input::StartQueued(input) => queue::begin(&mut draft, input),
        Input::ReturnQueued { why } => queue::give_back(&mut draft, why)?,
        Input::ModelReplied { run, reply, judged } => reply::replied(&mut draft, run, reply, judged)?,
        Input::ModelFailed { run, failure } => reply::failed(&mut draft, run, failure)?,
        Input::CallsJudged { run, verdicts } => calls::judged(&mut draft, run, &verdicts)?,
        Input::CallFinished { run, call, outcome } => calls::finished(&mut draft, run, call, outcome)?,
        Input::Asked { run, call, question, message, schema } => {
            held::asked(&mut draft, run, call, held::Question { id: question, message, schema })?;
        }
        Input::Withdrawn { question } => held::withdraw(&mut draft, question),
        Input::Steer { text } => steer::steer(&mut draft, text)?,
        Input::Stop => stop::stop(&mut draft)?,
        // What was asked for has happened already.
        Input::Tighten { mode: Mode::Default } if lapsed => {}
        Input::Tighten { mode } => tighten(&mut draft, mode)?,
        Input::TimePassed => {}
        Input::Drop { calls } => stop::drop_approved(&mut draft, &calls)?,
        Input::Revoke { standing } => {
            if !draft.head.standing.iter().any(|one| one.id == standing) {
                return Err(Refusal::IllegalInput { input: "revoking", because: "there is no such standing approval" });
            }
            draft.push(Change::StandingRevoked { standing, at });
        }
        Input::Unrevoke { was, request } => {
            let is_there = |one: &Standing| one.identity.key() == was.identity.key() && one.cover == was.cover;
            if draft.head.standing.iter().any(is_there) {
                return Err(Refusal::IllegalInput { input: "giving it back", because: "the same is in force already" });
            }
            let standing = Standing { id: draft.ids.take()?, since: at, ..was };
            draft.push(Change::StandingGranted { standing, request });
        }
        Input::Rename { title } => {
            let title = title.trim().to_owned();
            if title.is_empty() {
                return Err(Refusal::IllegalInput { input: "renaming", because: "a name can't be blank" });
            }
            draft.push(Change::ConversationRenamed { title });
        }
        Input::Delete => stop::delete(&mut draft)?,
    }
    Ok(draft.finish())
}

/// The changes that make a new conversation.
pub fn create(new: NewConversation, at: At) -> Step {
    let conversation = Conversation {
        id: new.id,
        kind: ConversationKind::Thread,
        agent: new.agent,
        title: new.title,
        mode: new.mode,
        auto_chain: None,
        auto_until: new.auto_until,
        awaits_reply: false,
        next_seq: 1,
        revision: 0,
        created_at: at,
        forked: None,
    };
    let head = Head::new(conversation.clone());
    Step { changes: vec![Change::ConversationCreated(conversation)], acts: Vec::new(), head }
}

/// The digest that an answer must carry for a call as it is stored (D-77): for a plan over its text, for any other
/// call over its exact arguments. `None` for a call of an unknown tool, which never asks.
pub fn call_digest(call: &Call, kind: RequestKind) -> Option<Digest> {
    let identity = call.identity.as_ref()?;
    match kind {
        RequestKind::Call => Some(digest(kind, identity, &call.preconditions, call.to_execute(), None)),
        RequestKind::Input => {
            let schema = call.schema.as_deref()?;
            Some(digest(kind, identity, &call.preconditions, &call.arguments, Some(schema)))
        }
        RequestKind::Plan => {
            plan_text(&call.arguments).map(|plan| digest(kind, identity, &call.preconditions, &plan, None))
        }
    }
}

/// The digest that an answer to a held question must carry (D-77, D-86). `None` for a call of an unknown tool, which nobody
/// executes.
pub fn held_digest(call: &Call, message: &str, schema: &str) -> Option<Digest> {
    call.identity.as_ref().map(|identity| crate::digest::held(identity, message, schema))
}

/// The plan among the arguments of `exit_plan_mode`; none if it is missing, blank or no text (D-34).
pub fn plan_text(arguments: &str) -> Option<String> {
    let tree = crate::parse::arguments(arguments).ok()?;
    let plan = tree.get("plan")?.as_text()?;
    (!plan.trim().is_empty()).then(|| plan.to_owned())
}

/// Auto goes back to Default when its time is over (D-82), with every input that comes then or later; whether it did.
fn lapse(draft: &mut Draft<'_>) -> bool {
    let over = draft.head.conversation.auto_until.is_some_and(|end| is_over(end, draft.at));
    if over && !faults::on(Fault::AutoOutlasts) {
        draft.push(Change::ModeSet { mode: Mode::Default, auto_chain: None, auto_until: None });
        return true;
    }
    false
}

fn tighten(draft: &mut Draft<'_>, mode: Mode) -> Result<(), Refusal> {
    if mode >= draft.head.conversation.mode {
        let because = "only a stricter mode acts at once; another goes with the next message or answer";
        return Err(Refusal::IllegalInput { input: "changing the mode", because });
    }
    draft.push(Change::ModeSet { mode, auto_chain: None, auto_until: None });
    Ok(())
}

/// A step being made: a copy of the head with the changes so far applied.
struct Draft<'a> {
    head: Head,
    world: World<'a>,
    at: At,
    ids: Ids,
    changes: Vec<Change>,
    acts: Vec<Act>,
}

impl<'a> Draft<'a> {
    /// The tools of a thread's agent as they are now.
    fn tools(&self, thread: Thread) -> &'a [Tool] {
        self.world.tools_of(thread.is_none(), self.head.agent_of(thread))
    }

    /// Why a thread's agent may not use a tool of this name; none if no gate stands in its way.
    fn denied(&self, thread: Thread, name: &str) -> Option<&'a Denied> {
        self.world.denied(thread.is_none(), self.head.agent_of(thread), name)
    }

    fn push(&mut self, change: Change) {
        if let Change::CallSettled { call, .. } = &change {
            // Whoever executed the call waits for nothing any more, however it ended (D-86).
            held::withdraw_all(self, Some(*call));
        }
        self.head.apply(&change);
        self.changes.push(change);
    }

    fn finish(mut self) -> Step {
        if !self.changes.is_empty() {
            self.head.conversation.revision += 1;
        }
        self.head.tidy();
        Step { changes: self.changes, acts: self.acts, head: self.head }
    }

    fn settle(&mut self, call: CallId, settled: Settled, result: Option<String>) {
        self.push(Change::CallSettled { call, settled, result, left: None, at: self.at });
    }

    /// A thread goes on to something else.
    fn phase(&mut self, thread: Thread, phase: Phase) {
        let Some(run) = self.head.run_of(thread).filter(|run| run.phase != phase) else { return };
        self.push(Change::RunPhase { run: run.id, phase, rounds: run.rounds });
    }

    /// What a sub-agent executed so far.
    fn ran(&self, run: RunId) -> Ran {
        self.head.child(run).map(|child| child.ran.clone()).unwrap_or_default()
    }

    /// Ends the conversation's own run. Auto "for this plan only" ends with every end that doesn't ask (D-74).
    fn end_run(&mut self, end: RunEnd) {
        let Some(run) = self.head.run.as_ref().map(|run| run.id) else {
            return;
        };
        let asked = end == RunEnd::Asked;
        // What the run didn't take is the person's draft again; it is never lost and never sent by itself (D-89).
        let own = self.head.steering.iter().filter(|one| one.from == Said::Person);
        let returned: Vec<MessageId> = own.map(|one| one.id).collect();
        if !returned.is_empty() {
            self.push(Change::SteeringReturned { returned });
        }
        self.push(Change::RunEnded { run, end, at: self.at });
        if !asked && self.head.conversation.auto_chain.is_some() && !faults::on(Fault::AutoStays) {
            self.push(Change::ModeSet { mode: Mode::Default, auto_chain: None, auto_until: None });
        }
        if asked {
            self.acts.push(Act::Notice);
        }
        if self.head.queued.is_some() {
            self.acts.push(Act::StartQueued);
        }
    }

    /// All unsettled calls, of every thread.
    fn calls(&self) -> Vec<Call> {
        self.head.calls_in_order().into_iter().cloned().collect()
    }

    /// The unsettled calls of a thread.
    fn calls_in(&self, thread: Thread) -> Vec<Call> {
        self.head.calls_in(thread).into_iter().cloned().collect()
    }
}

impl From<OutOfIds> for Refusal {
    fn from(_: OutOfIds) -> Self {
        Refusal::IllegalInput { input: "the step", because: "it brought too few ids" }
    }
}
