//! The engine's door: create a conversation, give it inputs, listen.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use countersign_core::agent::ToolSet;
use countersign_core::change::Change;
use countersign_core::faults::{self, Fault};
use countersign_core::fork::{NewFork, fork};
use countersign_core::head::Head;
use countersign_core::ids::{AgentId, ConversationId, Ids};
use countersign_core::input::{Input, NewConversation, RunInput};
use countersign_core::mode::Mode;
use countersign_core::policy::Switches;
use countersign_core::quick::create_quick;
use countersign_core::step::create;
use countersign_core::step::recover::recover;
use countersign_store::error::StoreError;
use countersign_store::open::Store;
use countersign_store::record::Record;
use tokio::sync::{Notify, broadcast, mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::asks::Askers;
use crate::crew::Crew;
use crate::ends;
use crate::error::EngineError;
use crate::feed::News;
use crate::mailbox::{self, Letter};
use crate::owner::Owner;
use crate::ports::{Clock, Outfitter};

/// How many pieces of news a slow listener may lag behind before it is told that it missed some.
const FEED: usize = 4096;
/// How many inputs may wait for a conversation.
const INPUTS: usize = 1024;
/// The setting that holds what is switched for all agents.
const SWITCHES: &str = "switches";

/// Called after each commit, before anything of it is shown or carried out. For tests that let the process die there.
pub type AfterCommit = Arc<dyn Fn(&[Change]) + Send + Sync>;

/// Runs conversations. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    pub(crate) shared: Arc<Shared>,
}

pub(crate) struct Shared {
    pub(crate) store: Store,
    pub(crate) owner: Owner,
    pub(crate) outfitter: Arc<dyn Outfitter>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) news: broadcast::Sender<News>,
    pub(crate) closing: CancellationToken,
    pub(crate) tasks: TaskTracker,
    pub(crate) after_commit: Option<AfterCommit>,
    pub(crate) askers: Askers,
    /// Told when an Auto got an end time.
    pub(crate) new_end: Notify,
    switches: RwLock<Arc<Switches>>,
    mailboxes: Mutex<HashMap<ConversationId, mpsc::Sender<Letter>>>,
}

impl Engine {
    /// An engine over a store. Before it is returned, every run of a process that died is settled (TX-RECOVER), and every Auto
    /// whose time was over meanwhile is Default (D-82); nothing runs by itself.
    ///
    /// # Errors
    /// [`EngineError::Store`] if the store can't be read or written.
    pub async fn open(
        store: Store,
        outfitter: Arc<dyn Outfitter>,
        clock: Arc<dyn Clock>,
        after_commit: Option<AfterCommit>,
    ) -> Result<Self, EngineError> {
        let owner = Owner::take(store.path()).map_err(|source| {
            EngineError::Store(StoreError::Open { path: store.path().to_owned(), source: Box::new(source) })
        })?;
        let switches = Switches::read(store.setting(SWITCHES).await?.as_deref());
        let (news, _) = broadcast::channel(FEED);
        let shared = Arc::new(Shared {
            store,
            owner,
            outfitter,
            clock,
            news,
            closing: CancellationToken::new(),
            tasks: TaskTracker::new(),
            after_commit,
            askers: Askers::default(),
            new_end: Notify::new(),
            switches: RwLock::new(Arc::new(switches)),
            mailboxes: Mutex::new(HashMap::new()),
        });
        for conversation in shared.store.unfinished().await? {
            let Some(mut head) = shared.store.head(conversation).await? else {
                continue;
            };
            shared.settle_dead(&mut head).await?;
        }
        ends::end_those_over(&shared).await?;
        shared.tasks.spawn(ends::watch(Arc::clone(&shared)));
        Ok(Self { shared })
    }

    /// The store, for reading.
    pub fn store(&self) -> &Store {
        &self.shared.store
    }

    /// Listens to what happens from now on.
    pub fn news(&self) -> broadcast::Receiver<News> {
        self.shared.news.subscribe()
    }

    /// Makes a conversation.
    ///
    /// # Errors
    /// [`EngineError::Store`].
    pub async fn create(&self, new: NewConversation) -> Result<Head, EngineError> {
        let at = self.shared.clock.now();
        let step = create(new, at);
        self.shared.store.apply(&step.head, 0, step.changes.clone(), at).await?;
        self.shared.committed(step.changes, &step.head);
        Ok(step.head)
    }

    /// Forks a conversation, also while it runs or waits: nothing of it changes, so its mailbox isn't asked (D-59).
    ///
    /// # Errors
    /// [`EngineError::NotFound`] if it isn't there, [`EngineError::Refused`] if it can't be forked there, [`EngineError::Store`].
    pub async fn fork(&self, source: ConversationId, new: NewFork) -> Result<Head, EngineError> {
        let found = self.shared.store.fork_source(source).await?.ok_or(EngineError::NotFound)?;
        let at = self.shared.clock.now();
        let step = fork(&found, new, at, Shared::ids(found.ids_needed()))?;
        self.shared.store.apply(&step.head, 0, step.changes.clone(), at).await?;
        self.shared.committed(step.changes, &step.head);
        Ok(step.head)
    }

    /// Starts a Quick task: one run on the tools that need nobody, stored under `new.id`, with the run's own list of tools at
    /// most (N-65). It never pauses; a call that would have to ask ends it with an error of its own (D-47).
    ///
    /// # Errors
    /// An [`EngineError`]; then nothing of it runs, and nothing is left of it.
    pub async fn quick(&self, new: NewConversation, text: String, tools: ToolSet) -> Result<(), EngineError> {
        let (id, at) = (new.id, self.shared.clock.now());
        let step = create_quick(new, at);
        self.shared.store.apply(&step.head, 0, step.changes.clone(), at).await?;
        self.shared.committed(step.changes, &step.head);
        let started = self.input(id, Input::Start(RunInput { text: Some(text), tools, ..RunInput::default() })).await;
        if started.is_err()
            && let Err(error) = self.input(id, Input::Delete).await
        {
            tracing::warn!(%error, "a Quick task that couldn't start is left without a run");
        }
        started
    }

    /// The tools that a Quick task of an agent would have now, by name.
    ///
    /// # Errors
    /// An [`EngineError`] if the agent can't run.
    pub async fn unattended(&self, agent: AgentId, mode: Mode) -> Result<Vec<String>, EngineError> {
        Ok(Crew::of(&self.shared, agent, Vec::new()).await?.unattended(mode))
    }

    /// What is switched for all agents.
    pub fn switches(&self) -> Arc<Switches> {
        self.shared.switches()
    }

    /// Switches tools for all agents. It counts for the very next call, also of runs that go on.
    ///
    /// # Errors
    /// [`EngineError::Store`]; then nothing is switched.
    pub async fn switch(&self, switches: Switches) -> Result<(), EngineError> {
        let value = serde_json::to_string(&switches).map_err(StoreError::from)?;
        self.shared.store.record(Record::Setting { name: SWITCHES.to_owned(), value }).await?;
        *self.shared.switches.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(switches);
        Ok(())
    }

    /// Gives a conversation an input and returns when it was stored or refused. What follows from it goes on by itself.
    ///
    /// # Errors
    /// An [`EngineError`]; then nothing changed.
    pub async fn input(&self, conversation: ConversationId, input: Input) -> Result<(), EngineError> {
        let (done, answer) = oneshot::channel();
        self.shared.post(conversation, Letter { input, done: Some(done) }).await?;
        answer.await.map_err(|_| EngineError::Closing)?
    }

    /// Stops everything that runs: model calls are dropped, commands are killed. What couldn't settle in time is
    /// settled at the next start.
    pub async fn close(&self) {
        self.shared.closing.cancel();
        self.shared.lock().clear();
        self.shared.tasks.close();
        self.shared.tasks.wait().await;
        self.shared.owner.release();
    }

    /// Where the database is.
    pub fn path(&self) -> PathBuf {
        self.shared.store.path().to_owned()
    }
}

impl Shared {
    pub(crate) fn switches(&self) -> Arc<Switches> {
        Arc::clone(&self.switches.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts a letter into a conversation's mailbox, opening it if it isn't open.
    pub(crate) async fn post(
        self: &Arc<Self>,
        conversation: ConversationId,
        letter: Letter,
    ) -> Result<(), EngineError> {
        let mut letter = letter;
        loop {
            let mailbox = {
                let mut mailboxes = self.lock();
                // Asked while the list is locked: closing empties it, and a mailbox that came in later would never end.
                if self.closing.is_cancelled() {
                    return Err(EngineError::Closing);
                }
                let mailbox = mailboxes.entry(conversation).or_insert_with(|| {
                    let (sender, letters) = mpsc::channel(INPUTS);
                    self.tasks.spawn(mailbox::run(Arc::clone(self), conversation, letters));
                    sender
                });
                mailbox.clone()
            };
            match mailbox.send(letter).await {
                Ok(()) => return Ok(()),
                // The mailbox closed between the look-up and the sending; open a new one.
                Err(returned) => {
                    letter = returned.0;
                    self.forget(conversation, &mailbox);
                }
            }
        }
    }

    /// Takes a mailbox out of the list so that it can close; none if a letter arrived meanwhile.
    pub(crate) fn retire(&self, conversation: ConversationId, letters: &mut mpsc::Receiver<Letter>) -> bool {
        let mut mailboxes = self.lock();
        if !letters.is_empty() {
            return false;
        }
        mailboxes.remove(&conversation);
        letters.close();
        true
    }

    /// Settles a run whose process died (TX-RECOVER); one whose process lives is left alone (N-77, N-82). Returns whether it did.
    pub(crate) async fn settle_dead(&self, head: &mut Head) -> Result<bool, StoreError> {
        if !self.is_left_behind(head) {
            return Ok(false);
        }
        let expected = head.conversation.revision;
        let at = self.clock.now();
        // There are always enough: one for each sub-agent, and more.
        let changes = recover(head, at, Self::ids(head.children.len())).unwrap_or_default();
        for change in &changes {
            head.apply(change);
        }
        head.conversation.revision = expected + 1;
        head.tidy();
        self.store.apply(head, expected, changes.clone(), at).await?;
        self.committed(changes, head);
        Ok(true)
    }

    /// Whether a process that died left something behind that nobody settles otherwise: a run, or answers that were to follow one.
    pub(crate) fn is_left_behind(&self, head: &Head) -> bool {
        match (&head.run, &head.queued) {
            (Some(run), _) => faults::on(Fault::IgnoreOwner) || !self.owner.is_alive(run.owner),
            (None, Some(queued)) => !self.owner.is_alive(queued.owner),
            (None, None) => false,
        }
    }

    pub(crate) fn committed(&self, changes: Vec<Change>, head: &Head) {
        if let Some(after_commit) = &self.after_commit {
            after_commit(&changes);
        }
        self.askers.tell(&changes);
        if changes.iter().any(ends::gives_one) {
            self.new_end.notify_one();
        }
        let (conversation, head) = (head.conversation.id, Arc::new(head.clone()));
        // Nobody needs to listen.
        let _ = self.news.send(News::Committed { conversation, changes: Arc::new(changes), head });
    }

    /// Random ids for an input that touches some calls.
    pub(crate) fn ids(calls: usize) -> Ids {
        Ids::new((0..Ids::needed(calls)).map(|_| *uuid::Uuid::now_v7().as_bytes()).collect())
    }

    fn forget(&self, conversation: ConversationId, closed: &mpsc::Sender<Letter>) {
        let mut mailboxes = self.lock();
        if mailboxes.get(&conversation).is_some_and(|one| one.same_channel(closed)) {
            mailboxes.remove(&conversation);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<ConversationId, mpsc::Sender<Letter>>> {
        // The map is whole after every operation on it, so a panic elsewhere doesn't spoil it.
        self.mailboxes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
