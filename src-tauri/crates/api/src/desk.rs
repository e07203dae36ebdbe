//! A desk: one space with its engine and everything that a surface sees of it. The person's own space is one, the
//! Rehearsal another, each with its own database.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use countersign_core::agent::AgentProfile;
use countersign_core::call::{Call, CallState};
use countersign_core::head::Head;
use countersign_core::ids::{CallId, ConversationId, NotAnId, RequestId};
use countersign_core::request::Held;
use countersign_engine::engine::Engine;
use countersign_engine::ports::{Outfit, Purpose};
use countersign_rules::guard::Rules;
use countersign_store::open::Store;
use countersign_store::read::inbox::CallFact;
use tokio_util::sync::CancellationToken;

use crate::cards;
use crate::drafts::Graces;
use crate::entries::conversation_row;
use crate::error::not_found;
use crate::feed::Feed;
use crate::history::Tending;
use crate::host::Host;
use crate::later::Laters;
use crate::notices::Shown;
use crate::opened::Opened;
use crate::rules::Guarded;
use crate::wire::conversation::ConversationRow;
use crate::wire::inbox::{ClosedRow, Draft, Sending, SetCard};
use crate::wire::settings::Settings;
use crate::wire::window::{ApiError, Space};
use crate::words::Thing;

/// Which set: what is answered together, by one sending. A conversation has its own, and each question that a server holds open
/// in it is one of its own (D-86): it neither waits for the others nor holds them back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SetId {
    pub(crate) conversation: ConversationId,
    held: Option<RequestId>,
}

impl SetId {
    /// A conversation's own set.
    pub(crate) fn own(conversation: ConversationId) -> Self {
        Self { conversation, held: None }
    }

    /// A question that a server holds open.
    pub(crate) fn held(conversation: ConversationId, question: RequestId) -> Self {
        Self { conversation, held: Some(question) }
    }

    /// Its id as stored: the conversation's, or the question's.
    pub(crate) fn bytes(self) -> [u8; 16] {
        self.held.map_or(self.conversation.0, |question| question.0)
    }

    /// Whether a row's draft is sent with this set. `held` are the questions that servers hold open in the conversation.
    pub(crate) fn sends(self, row: RequestId, held: &BTreeMap<RequestId, Held>) -> bool {
        match self.held {
            Some(question) => question == row,
            None => !held.contains_key(&row),
        }
    }
}

/// How many closed requests *Just closed* holds.
pub(crate) const JUST_CLOSED: i64 = 20;

/// One space.
pub(crate) struct Desk {
    pub(crate) space: Space,
    pub(crate) host: Host,
    pub(crate) engine: Engine,
    pub(crate) feed: Arc<Feed>,
    pub(crate) settings: Arc<Mutex<Settings>>,
    pub(crate) looking: Arc<Mutex<Looking>>,
    pub(crate) graces: Graces,
    pub(crate) shown: Shown,
    pub(crate) laters: Laters,
    pub(crate) closing: CancellationToken,
    pub(crate) history: Tending,
    pub(crate) rules: Arc<Rules>,
    pub(crate) opened: Opened,
}

/// What the person is looking at, as each window last said.
#[derive(Debug, Clone, Default)]
pub(crate) struct Looking(HashMap<String, (bool, Option<String>)>);

impl Looking {
    /// What a window says: whether it has the focus, and the request that it shows.
    pub(crate) fn say(&mut self, window: String, focused: bool, request: Option<String>) {
        if !focused && request.is_none() {
            self.0.remove(&window);
            return;
        }
        // Only one has the focus; one that was closed can't say that it lost it.
        if focused {
            for (other, _) in self.0.values_mut() {
                *other = false;
            }
        }
        self.0.insert(window, (focused, request));
    }

    /// Whether the person is at one of the windows.
    pub(crate) fn is_here(&self) -> bool {
        self.0.values().any(|(focused, _)| *focused)
    }

    /// Whether the window that has the focus shows one of these rows.
    pub(crate) fn at_one_of(&self, rows: &[String]) -> bool {
        self.0.values().any(|(focused, request)| *focused && request.as_ref().is_some_and(|one| rows.contains(one)))
    }
}

impl Desk {
    /// Opens a space's database and settles what a dead process left.
    pub(crate) async fn open(
        space: Space,
        path: &Path,
        host: Host,
        feed: Arc<Feed>,
        settings: Arc<Mutex<Settings>>,
        looking: Arc<Mutex<Looking>>,
        after_commit: Option<countersign_engine::engine::AfterCommit>,
    ) -> Result<Arc<Self>, ApiError> {
        let store = Store::open(path).await?;
        let rules = Arc::new(Rules::new(Arc::clone(&host.clock)));
        crate::rules::open(&store, &rules, host.clock.now().0).await?;
        let outfitter = Arc::new(Guarded { inner: Arc::clone(&host.outfitter), rules: Arc::clone(&rules) });
        let engine = Engine::open(store, outfitter, Arc::clone(&host.clock), after_commit).await?;
        let news = engine.news();
        let desk = Arc::new(Self {
            space,
            host,
            engine,
            feed,
            settings,
            looking,
            graces: Graces::default(),
            shown: Shown::default(),
            laters: Laters::default(),
            closing: CancellationToken::new(),
            history: Tending::default(),
            rules,
            opened: Opened::default(),
        });
        desk.laters.take(desk.engine.store().later().await?);
        tokio::spawn(crate::telling::tell(Arc::clone(&desk), news));
        tokio::spawn(crate::later::watch(Arc::clone(&desk)));
        crate::history::tend(&desk);
        for conversation in desk.engine.store().waiting_conversations().await? {
            crate::notices::refresh(&desk, conversation, true);
        }
        Ok(desk)
    }

    /// An agent as it would run now, for looking at its tools; nothing is started for it.
    pub(crate) async fn outfit(&self, profile: &AgentProfile) -> Result<Outfit, String> {
        let servers = match profile.servers.as_slice() {
            [] => Vec::new(),
            _ => self.engine.store().servers().await.map_err(|error| error.to_string())?,
        };
        let servers: Vec<_> = servers.into_iter().filter(|server| profile.servers.contains(&server.id)).collect();
        self.host.outfitter.outfit(profile, &servers, Purpose::Look).await.map_err(|failure| failure.text)
    }

    /// The settings as they are now.
    pub(crate) fn settings(&self) -> Settings {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether a run is going on in a conversation.
    pub(crate) async fn is_running(&self, of: ConversationId) -> Result<bool, ApiError> {
        Ok(self.engine.store().head(of).await?.is_some_and(|head| head.run.is_some()))
    }

    /// What is staged in a conversation, by row.
    pub(crate) async fn drafts(&self, of: ConversationId) -> Result<Vec<(String, Draft)>, ApiError> {
        let stored = self.engine.store().drafts(of).await?;
        let draft = |one: countersign_store::read::conversation::DraftFact| {
            let decision = serde_json::from_str(&one.decision).ok()?;
            Some((CallId(one.row).to_string(), Draft { decision, digest: one.digest.to_string() }))
        };
        // A draft that can't be read is as good as none: nothing is sent of it, and the row asks again.
        Ok(stored.into_iter().filter_map(draft).collect())
    }

    /// When the person rejected the same call before (D-79).
    pub(crate) async fn rejected_before(&self, fact: &CallFact) -> Result<Option<i64>, ApiError> {
        let store = self.engine.store();
        let Some(seq) = store.seq_of(fact.call.message).await? else { return Ok(None) };
        let before = store.rejections(fact.conversation, &fact.call.exact, seq).await?;
        Ok(before.last().map(|at| at.0))
    }

    /// What waits in one set; none if nothing does.
    pub(crate) async fn set(&self, of: SetId) -> Result<Option<SetCard>, ApiError> {
        let Some(head) = self.engine.store().head(of.conversation).await? else {
            return Ok(None);
        };
        match of.held {
            None => self.own_set(of.conversation, &head).await,
            Some(question) => self.held_set(of.conversation, &head, question).await,
        }
    }

    /// All sets of a conversation: its own first, then what servers hold open, the oldest first.
    pub(crate) async fn sets_of(&self, of: ConversationId) -> Result<Vec<SetCard>, ApiError> {
        let Some(head) = self.engine.store().head(of).await? else {
            return Ok(Vec::new());
        };
        let mut sets: Vec<SetCard> = self.own_set(of, &head).await?.into_iter().collect();
        let mut held: Vec<&Held> = head.held.values().collect();
        held.sort_by_key(|held| (held.request.opened_at, held.request.id));
        for question in held {
            sets.extend(self.held_set(of, &head, question.request.id).await?);
        }
        Ok(sets)
    }

    /// Everything that waits in a conversation as if it were one set, for telling of it; none if nothing waits but what the
    /// person put aside.
    pub(crate) async fn all_waiting(&self, of: ConversationId) -> Result<Option<SetCard>, ApiError> {
        let mut sets = self.sets_of(of).await?.into_iter().filter(|set| set.later.is_none());
        let Some(mut all) = sets.next() else { return Ok(None) };
        all.rows.extend(sets.flat_map(|set| set.rows));
        Ok(Some(all))
    }

    /// A question that a server holds open, as a set of one row.
    async fn held_set(
        &self,
        of: ConversationId,
        head: &Head,
        question: RequestId,
    ) -> Result<Option<SetCard>, ApiError> {
        let fact = self.engine.store().held_fact(question.0).await?;
        let Some(fact) = fact.filter(|fact| fact.question.closed.is_none()) else { return Ok(None) };
        let id = question.to_string();
        let draft = self.drafts(of).await?.into_iter().find(|(row, _)| *row == id).map(|(_, draft)| draft);
        let (grace, sending, refused) = self.graces.state(SetId::held(of, question));
        let rows = vec![crate::asked::row(self.engine.store(), &fact, draft).await?];
        Ok(Some(SetCard {
            id,
            conversation: of.to_string(),
            title: cards::title(&head.conversation.title),
            mode: cards::mode(head.conversation.mode),
            auto_ends: head.conversation.auto_chain.is_some(),
            auto_until: head.conversation.auto_until.map(|end| end.0),
            oldest_at: fact.question.held.request.opened_at.0,
            later: self.laters.of(SetId::held(of, question), &rows),
            rows,
            held: Vec::new(),
            grace,
            sending: if sending { Sending::Sending } else { Sending::Idle },
            waits_for_send: false,
            refused,
        }))
    }

    /// What waits in a conversation's own set; none if nothing does. While a run goes on that is what background agents ask.
    async fn own_set(&self, of: ConversationId, head: &Head) -> Result<Option<SetCard>, ApiError> {
        let store = self.engine.store();
        let waits = |call: &Call| match &call.state {
            CallState::Waiting(_) => true,
            CallState::Approved(_) => head.run.is_none() && !head.is_behind_suspended(call),
            CallState::Held(_) | CallState::Started { .. } | CallState::Suspended { .. } | CallState::Settled(_) => {
                false
            }
        };
        if !head.calls.values().any(waits) {
            return Ok(None);
        }
        let drafts = self.drafts(of).await?;
        let queued = head.answered_in_queue();
        let (mut rows, mut held) = (Vec::new(), Vec::new());
        for fact in store.waiting_calls(of).await? {
            match &fact.call.state {
                CallState::Held(kept) => held.push(cards::held_row(&fact, kept)),
                CallState::Waiting(_) | CallState::Approved(_) if waits(&fact.call) => {
                    let path = cards::path_of(store, &fact).await?;
                    let id = cards::row_id(&fact);
                    let draft = drafts.iter().find(|(row, _)| *row == id).map(|(_, draft)| draft.clone());
                    let rejected_at = self.rejected_before(&fact).await?;
                    let mut row = cards::request_row(&fact, path, draft, rejected_at);
                    row.queued = fact.request.as_ref().is_some_and(|request| queued.contains(&request.id));
                    row.beside = head.is_beside(&fact.call);
                    rows.push(row);
                }
                CallState::Waiting(_)
                | CallState::Approved(_)
                | CallState::Started { .. }
                | CallState::Suspended { .. }
                | CallState::Settled(_) => {}
            }
        }
        let (grace, sending, refused) = self.graces.state(SetId::own(of));
        Ok(Some(SetCard {
            id: of.to_string(),
            conversation: of.to_string(),
            title: cards::title(&head.conversation.title),
            mode: cards::mode(head.conversation.mode),
            auto_ends: head.conversation.auto_chain.is_some(),
            auto_until: head.conversation.auto_until.map(|end| end.0),
            oldest_at: rows.iter().map(|row| row.opened_at).min().unwrap_or_default(),
            waits_for_send: crate::drafts::waits_for_send(&rows),
            later: self.laters.of(SetId::own(of), &rows),
            rows,
            held,
            grace,
            sending: match (sending, head.queued.is_some()) {
                (true, _) => Sending::Sending,
                (false, true) => Sending::Queued,
                (false, false) => Sending::Idle,
            },
            refused,
        }))
    }

    /// Everything that waits, the oldest first.
    pub(crate) async fn sets(&self) -> Result<Vec<SetCard>, ApiError> {
        let mut sets = Vec::new();
        for conversation in self.engine.store().waiting_conversations().await? {
            sets.extend(self.sets_of(conversation).await?);
        }
        Ok(sets)
    }

    /// What closed lately.
    pub(crate) async fn closed(&self) -> Result<Vec<ClosedRow>, ApiError> {
        let store = self.engine.store();
        let facts = store.closed_calls(JUST_CLOSED).await?;
        let mut rows = Vec::with_capacity(facts.len());
        for fact in &facts {
            let path = cards::path_of(store, fact).await?;
            rows.extend(cards::closed_row(fact, path));
        }
        for fact in &store.closed_held(JUST_CLOSED).await? {
            let path = cards::path_of(store, &fact.call).await?;
            rows.extend(crate::asked::closed_row(fact, path));
        }
        rows.sort_by_key(|row| std::cmp::Reverse(row.at));
        rows.truncate(usize::try_from(JUST_CLOSED).unwrap_or_default());
        Ok(rows)
    }

    /// All conversations, the one that changed last first.
    pub(crate) async fn conversations(&self) -> Result<Vec<ConversationRow>, ApiError> {
        let mut rows = Vec::new();
        for (conversation, _) in self.engine.store().conversations().await? {
            rows.push(conversation_row(self, conversation.id).await?);
        }
        Ok(rows)
    }

    /// Stops everything in this space and takes its notices away.
    pub(crate) async fn close(&self) {
        self.closing.cancel();
        self.graces.stop_all();
        crate::notices::withdraw_all(self).await;
        self.engine.close().await;
        self.engine.store().clone().close().await;
    }
}

/// A row's id from the wire.
pub(crate) fn row(id: &str) -> Result<[u8; 16], ApiError> {
    id.parse::<CallId>().map(|id| id.0).map_err(|_: NotAnId| not_found(Thing::Request))
}

/// A conversation's id from the wire.
pub(crate) fn conversation(id: &str) -> Result<ConversationId, ApiError> {
    id.parse().map_err(|_: NotAnId| not_found(Thing::Conversation))
}
