//! One task a conversation: takes what happens to it in order, lets the core step, stores, shows, and starts the acts.
//!
//! What waits is folded into one commit (D-102). A commit that fails is as if nothing had happened: the head is read
//! again, people are told, and results that the shell brought are kept and their storing is tried again (D-110).

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use countersign_core::agent::{AgentProfile, ToolSet};
use countersign_core::answer::AnswerBody;
use countersign_core::change::{Act, Change, Returned};
use countersign_core::conversation::ConversationKind;
use countersign_core::faults::{self, Fault};
use countersign_core::head::{Head, Thread};
use countersign_core::ids::{AgentId, ConversationId, RequestId, RunId};
use countersign_core::input::{Input, RunInput, SubAgent, World};
use countersign_core::step::{Step, step};
use countersign_core::transcript::Transcript;
use countersign_store::error::StoreError;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::act;
use crate::crew::Crew;
use crate::engine::Shared;
use crate::error::EngineError;
use crate::feed::News;
use crate::late::{closed_by, not_there, same};
use crate::question;

/// The most inputs that share one commit.
const MOST_TOGETHER: usize = 64;
/// How long a mailbox without a run stays open.
const IDLE: Duration = Duration::from_secs(60);
/// How long until storing a result is tried again.
const AGAIN: Duration = Duration::from_secs(1);
/// How often a step is made again because another process was first.
const RACES: usize = 3;

/// An input on its way.
pub(crate) struct Letter {
    pub(crate) input: Input,
    /// Who waits for the outcome; none for what the shell itself reports.
    pub(crate) done: Option<oneshot::Sender<Result<(), EngineError>>>,
}

/// What a mailbox knows between letters.
pub(crate) struct Desk {
    pub(crate) shared: Arc<Shared>,
    pub(crate) conversation: ConversationId,
    /// The agents that the run needs: its own and those below it.
    pub(crate) crew: Option<Crew>,
    /// The views of the threads whose models were called, as they are kept up.
    pub(crate) threads: BTreeMap<Thread, Kept>,
    pub(crate) model: CancellationToken,
    pub(crate) calls: CancellationToken,
    pub(crate) head: Option<Head>,
    /// Whether a run goes on; known even while the head has to be read again.
    running: bool,
    kept: VecDeque<Letter>,
}

/// A thread's view, and how many of its items were checked when it was sent last.
#[derive(Default)]
pub(crate) struct Kept {
    pub(crate) transcript: Transcript,
    pub(crate) checked: usize,
}

pub(crate) async fn run(shared: Arc<Shared>, conversation: ConversationId, mut letters: mpsc::Receiver<Letter>) {
    let mut desk = Desk {
        model: shared.closing.child_token(),
        calls: shared.closing.child_token(),
        shared,
        conversation,
        crew: None,
        threads: BTreeMap::new(),
        head: None,
        running: false,
        kept: VecDeque::new(),
    };
    loop {
        let mut batch = Vec::new();
        let wait = if desk.kept.is_empty() { IDLE } else { AGAIN };
        tokio::select! {
            taken = letters.recv_many(&mut batch, MOST_TOGETHER) => {
                if taken == 0 {
                    return;
                }
            }
            () = tokio::time::sleep(wait) => {
                if desk.kept.is_empty() && !desk.running && desk.shared.retire(conversation, &mut letters) {
                    return;
                }
            }
        }
        let kept: Vec<Letter> = desk.kept.drain(..).collect();
        let was_stuck = !kept.is_empty();
        let mut batch: Vec<Letter> = kept.into_iter().chain(batch).collect();
        if desk.shared.closing.is_cancelled() {
            // What people ask for now would be stored and never carried out.
            let (people, reports): (Vec<_>, Vec<_>) = batch.into_iter().partition(|letter| letter.done.is_some());
            for letter in people {
                answer(letter.done, Err(EngineError::Closing));
            }
            batch = reports;
        }
        if batch.is_empty() {
            continue;
        }
        desk.take(batch).await;
        if was_stuck && desk.kept.is_empty() {
            let _ = desk.shared.news.send(News::Stuck { conversation, why: None });
        }
    }
}

/// What came of a letter before the commit.
struct Pending {
    letter: Letter,
    outcome: Result<(), EngineError>,
}

impl Desk {
    async fn take(&mut self, batch: Vec<Letter>) {
        let mut letters = batch;
        for attempt in 0.. {
            self.forget_the_dead();
            let from_cache = self.head.is_some();
            let (pending, changes, acts, head, expected) = match self.step_all(letters).await {
                Ok(stepped) => stepped,
                Err((letters, error)) => {
                    self.give_up(letters, &error);
                    return;
                }
            };
            // What another process stored meanwhile may be the answer to a refusal: nobody is told "unknown" or "busy" by a head
            // that is out of date (D-102).
            let refused = pending.iter().any(|one| one.outcome.is_err());
            if from_cache && refused && attempt < RACES && self.is_stale(expected).await {
                self.forget();
                letters = pending.into_iter().map(|one| one.letter).collect();
                continue;
            }
            if changes.is_empty() {
                self.head = Some(head);
                reply(pending);
                return;
            }
            let acts = if faults::on(Fault::ActFirst) { self.act_first(&head, acts).await } else { acts };
            let at = self.shared.clock.now();
            match self.shared.store.apply(&head, expected, changes.clone(), at).await {
                Ok(()) => {
                    self.commit(head, changes, acts, pending).await;
                    return;
                }
                Err(StoreError::Stale { .. }) if attempt < RACES => {
                    self.forget();
                    letters = pending.into_iter().map(|one| one.letter).collect();
                }
                Err(error) => {
                    tracing::error!(%error, "a step couldn't be stored");
                    self.give_up(pending.into_iter().map(|one| one.letter).collect(), &error);
                    return;
                }
            }
        }
    }

    /// What a fault does: it acts on what isn't stored.
    async fn act_first(&mut self, head: &Head, acts: Vec<Act>) -> Vec<Act> {
        self.head = Some(head.clone());
        for act in acts {
            let _ = self.carry_out(act).await;
        }
        Vec::new()
    }

    /// Lets go of a head whose run belongs to a process that died since; reading it again settles that run.
    fn forget_the_dead(&mut self) {
        if self.head.as_ref().is_some_and(|head| self.shared.is_left_behind(head)) {
            self.forget();
        }
    }

    /// Whether something else is stored than what the kept head says. What can't be read is found out by the next step.
    async fn is_stale(&self, expected: i64) -> bool {
        match self.shared.store.conversation(self.conversation).await {
            Ok(Some((stored, _))) => stored.revision != expected,
            Ok(None) => true,
            Err(_) => false,
        }
    }

    /// Steps the letters in order on a copy of the head.
    async fn step_all(
        &mut self,
        letters: Vec<Letter>,
    ) -> Result<(Vec<Pending>, Vec<Change>, Vec<Act>, Head, i64), (Vec<Letter>, StoreError)> {
        let mut head = match &self.head {
            Some(head) => head.clone(),
            None => match self.shared.store.head(self.conversation).await {
                Ok(Some(mut head)) => match self.shared.settle_dead(&mut head).await {
                    Ok(_) => head,
                    Err(error) => return Err((letters, error)),
                },
                Ok(None) => {
                    self.running = false;
                    for letter in letters {
                        answer(letter.done, Err(not_there(&letter.input)));
                    }
                    let what = "the conversation is gone".to_owned();
                    return Err((Vec::new(), StoreError::Misfit { what }));
                }
                Err(error) => return Err((letters, error)),
            },
        };
        self.running = head.run.is_some();
        let expected = head.conversation.revision;
        let mut gone = false;
        let (mut pending, mut changes, mut acts) = (Vec::new(), Vec::new(), Vec::new());
        for letter in letters {
            if gone {
                let outcome = Err(not_there(&letter.input));
                pending.push(Pending { letter, outcome });
                continue;
            }
            let outcome = match self.step_one(&head, &letter.input, &changes).await {
                Ok(step) => {
                    gone = step.changes.iter().any(|change| matches!(change, Change::ConversationDeleted));
                    changes.extend(step.changes);
                    acts.extend(step.acts);
                    head = step.head;
                    // One commit, one revision, however many steps are folded into it.
                    head.conversation.revision = if changes.is_empty() { expected } else { expected + 1 };
                    Ok(())
                }
                Err(error) => Err(error),
            };
            pending.push(Pending { letter, outcome });
        }
        Ok((pending, changes, acts, head, expected))
    }

    /// `so_far` is what the letters before it in the same commit lead to; the store doesn't have it yet.
    async fn step_one(&mut self, head: &Head, input: &Input, so_far: &[Change]) -> Result<Step, EngineError> {
        let mut input = input.clone();
        let mut touched = head.calls.len() + head.children.len();
        match &mut input {
            Input::Start(start) => self.add_to_start(head, start, so_far).await?,
            Input::StartQueued(start) => {
                if let Some(queued) = &head.queued {
                    start.answers.clone_from(&queued.answers);
                    if let Err(error) = self.add_to_start(head, start, so_far).await {
                        input = Input::ReturnQueued { why: Returned::Refused { why: error.to_string() } };
                    }
                }
            }
            Input::ModelReplied { reply, .. } => touched += reply.calls.len(),
            Input::ModelFailed { .. }
            | Input::CallsJudged { .. }
            | Input::CallFinished { .. }
            | Input::Asked { .. }
            | Input::Withdrawn { .. }
            | Input::Steer { .. }
            | Input::ReturnQueued { .. }
            | Input::Stop
            | Input::Tighten { .. }
            | Input::TimePassed
            | Input::Drop { .. }
            | Input::Unrevoke { .. }
            | Input::Revoke { .. }
            | Input::Rename { .. }
            | Input::Delete => {}
        }
        let own = self.crew.as_ref().map(Crew::own).unwrap_or_default();
        let agents: BTreeMap<AgentId, SubAgent> = self.crew.as_ref().map(Crew::below).unwrap_or_default();
        let world = World { tools: &own.tools, guards: own.guards, gates: &own.gates, agents: &agents };
        Ok(step(head, input, world, self.shared.clock.now(), Shared::ids(touched))?)
    }

    /// What the shell adds to an input that starts a run.
    async fn add_to_start(&mut self, head: &Head, start: &mut RunInput, so_far: &[Change]) -> Result<(), EngineError> {
        let unknown: Vec<RequestId> = start
            .answers
            .iter()
            .map(|answer| answer.request)
            .filter(|request| head.answerable(*request).is_none())
            .collect();
        // Nobody but the engine says that data fits.
        start.data.clear();
        for answer in &start.answers {
            let AnswerBody::Data { value } = &answer.body else { continue };
            let asked = head.requests.get(&answer.request).and_then(|request| head.calls.get(&request.call));
            let check = match (asked, head.held.get(&answer.request)) {
                (Some(call), _) => question::check(call, value),
                (None, Some(held)) => question::check_held(held, value),
                (None, None) => continue,
            };
            start.data.entry(answer.request).or_insert(check);
        }
        if !unknown.is_empty() {
            start.closed = self.shared.store.closed_reasons(self.conversation, &unknown).await?;
            start.closed.extend(so_far.iter().filter_map(closed_by));
        }
        start.owner = Some(self.shared.owner.id);
        // A run that can't start must not cost an outfit; and what is closed or busy is said first.
        if unknown.is_empty() && head.run.is_none() {
            let profile = self.outfit(head).await?;
            if let Some(crew) = &mut self.crew {
                crew.narrow(start.tools.clone());
                if head.conversation.kind == ConversationKind::Quick {
                    let names = crew.unattended(start.mode.unwrap_or(head.conversation.mode));
                    crew.narrow(ToolSet::Only { names });
                }
            }
            start.limit = profile.round_limit();
            start.modes = profile.policy.modes;
            start.caps = profile.caps;
            start.agent_revision = profile.revision;
        }
        Ok(())
    }

    /// The agent's model, tools and guards, and those of the agents below it, found afresh for each run.
    async fn outfit(&mut self, head: &Head) -> Result<AgentProfile, EngineError> {
        let crew = Crew::find(&self.shared, head).await?;
        let profile = crew.profile().clone();
        self.crew = Some(crew);
        Ok(profile)
    }

    async fn commit(&mut self, head: Head, changes: Vec<Change>, acts: Vec<Act>, pending: Vec<Pending>) {
        self.keep_up(&changes);
        self.running = head.run.is_some();
        let gone = changes.iter().any(|change| matches!(change, Change::ConversationDeleted));
        self.shared.committed(changes, &head);
        self.head = (!gone).then_some(head);
        reply(pending);
        for act in acts {
            let asked = match &act {
                Act::CallModel { run, .. } => Some(*run),
                Act::JudgeCalls { .. }
                | Act::RunCall { .. }
                | Act::CancelModel { .. }
                | Act::CancelCalls { .. }
                | Act::StartQueued
                | Act::Notice => None,
            };
            if let Err(error) = self.carry_out(act).await {
                tracing::error!(%error, "an act couldn't be carried out");
                if let Some(run) = asked {
                    act::no_history(self, run);
                }
            }
        }
    }

    async fn carry_out(&mut self, act: Act) -> Result<(), StoreError> {
        if self.shared.closing.is_cancelled() {
            return Ok(());
        }
        match act {
            Act::CallModel { run, tools } => {
                // A run that ended meanwhile, in the same commit, asks nobody.
                let Some(thread) = self.head.as_ref().and_then(|head| head.thread_of_run(run)) else { return Ok(()) };
                if let std::collections::btree_map::Entry::Vacant(place) = self.threads.entry(thread) {
                    let transcript = self.shared.store.transcript(self.conversation, thread).await?;
                    place.insert(Kept { transcript, checked: 0 });
                }
                act::call_model(self, run, thread, tools);
            }
            Act::JudgeCalls { run, calls } => {
                let head = self.head.as_ref();
                let calls = calls.iter().filter_map(|call| head?.calls.get(call).cloned()).collect();
                act::judge_calls(self, run, calls);
            }
            Act::RunCall { run, call, also } => {
                if let Some(call) = self.head.as_ref().and_then(|head| head.calls.get(&call)).cloned() {
                    act::run_call(self, run, call, also);
                }
            }
            // What comes behind it may be of the next run already, folded into the same commit: it gets a new token.
            Act::CancelModel { .. } => cancel(&mut self.model, &self.shared.closing),
            Act::CancelCalls { .. } => cancel(&mut self.calls, &self.shared.closing),
            Act::StartQueued => act::start_queued(self),
            Act::Notice => {}
        }
        Ok(())
    }

    /// A step couldn't be stored: nothing happened. People are told; results of the shell are kept (D-110).
    fn give_up(&mut self, letters: Vec<Letter>, error: &StoreError) {
        self.forget();
        for letter in letters {
            match letter.done {
                Some(done) => answer(Some(done), Err(EngineError::Store(same(error)))),
                None => self.kept.push_back(letter),
            }
        }
        if !self.kept.is_empty() {
            let why = Some(error.to_string());
            let _ = self.shared.news.send(News::Stuck { conversation: self.conversation, why });
        }
    }

    fn forget(&mut self) {
        self.head = None;
        self.threads.clear();
    }

    /// Lets the kept views take part in what became true. A sub-agent's begins with it and goes with it.
    fn keep_up(&mut self, changes: &[Change]) {
        let mut ended: Vec<RunId> = Vec::new();
        for change in changes {
            match change {
                Change::RunStarted(run) if run.child.is_some() => {
                    let transcript = Transcript::of(Some(run.id));
                    self.threads.insert(Some(run.id), Kept { transcript, checked: 0 });
                }
                Change::RunEnded { run, .. } => ended.push(*run),
                _ => {}
            }
            for kept in self.threads.values_mut() {
                kept.transcript.apply(change);
            }
        }
        self.threads.retain(|thread, _| thread.is_none_or(|run| !ended.contains(&run)));
        for kept in self.threads.values_mut() {
            kept.transcript.settle();
        }
    }
}

/// Cancels what was started with a token, and nothing that is started later.
fn cancel(token: &mut CancellationToken, parent: &CancellationToken) {
    std::mem::replace(token, parent.child_token()).cancel();
}

fn reply(pending: Vec<Pending>) {
    for one in pending {
        if let (None, Err(error)) = (&one.letter.done, &one.outcome) {
            tracing::error!(%error, "a report of the shell was refused");
        }
        answer(one.letter.done, one.outcome);
    }
}

fn answer(done: Option<oneshot::Sender<Result<(), EngineError>>>, outcome: Result<(), EngineError>) {
    if let Some(done) = done {
        // A caller that went away doesn't need its answer.
        let _ = done.send(outcome);
    }
}
