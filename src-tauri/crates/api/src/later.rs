//! *Later*: sets that the person put aside, until a time or until they are back. It only makes quiet: nothing closes, nothing is
//! decided, drafts stay, and what is new in a set brings it back.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use countersign_core::ids::{At, ConversationId, RequestId};
use countersign_store::record::Record;
use countersign_store::table::later::LaterFact;
use tokio::sync::Notify;

use crate::desk::{Desk, SetId};
use crate::error::{invalid, not_found};
use crate::wire::inbox::{Later, LaterUntil, RequestRow};
use crate::wire::window::ApiError;
use crate::words::{Thing, say};

/// The longest sleep of the timer. It looks at the clock anew then, which a suspended computer or a changed clock moves.
const NAP: Duration = Duration::from_secs(20);
/// How long it sleeps while nothing has a time; what gets one wakes it.
const IDLE: Duration = Duration::from_secs(3600);

/// The sets that are quiet, as stored.
#[derive(Debug, Default)]
pub(crate) struct Laters {
    sets: Mutex<HashMap<[u8; 16], LaterFact>>,
    changed: Notify,
}

impl Laters {
    /// Takes what is stored; for opening.
    pub(crate) fn take(&self, stored: Vec<LaterFact>) {
        *self.lock() = stored.into_iter().map(|fact| (fact.set, fact)).collect();
    }

    /// Until when a set is quiet; none if it isn't, or something of it was asked after it was put aside.
    pub(crate) fn of(&self, set: SetId, rows: &[RequestRow]) -> Option<Later> {
        let fact = self.lock().get(&set.bytes()).copied()?;
        let anew = rows.iter().any(|row| row.opened_at > fact.at.0);
        (!anew).then_some(Later { until: fact.until.map(|at| at.0) })
    }

    /// Whether anything waits for the person to be back.
    pub(crate) fn any_until_back(&self) -> bool {
        self.lock().values().any(|fact| fact.until.is_none())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<[u8; 16], LaterFact>> {
        self.sets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Puts a set aside. Its drafts stay; a grace that runs is stopped, so that nothing leaves while nobody looks.
///
/// # Errors
/// If nothing of that set waits, or the time is over already.
pub(crate) async fn put(desk: &Arc<Desk>, id: &str, until: LaterUntil) -> Result<(), ApiError> {
    let set = find(desk, id).await?;
    let at = desk.host.clock.now();
    let until = match until {
        LaterUntil::Back => None,
        LaterUntil::At { at: until } if until > at.0 => Some(At(until)),
        LaterUntil::At { .. } => return Err(invalid("until", say().time_is_over())),
    };
    let fact = LaterFact { set: set.bytes(), conversation: set.conversation, at, until };
    desk.engine.store().record(Record::Later(fact)).await?;
    desk.laters.lock().insert(fact.set, fact);
    desk.laters.changed.notify_one();
    desk.graces.stop(set);
    crate::drafts::publish(desk, set.conversation).await?;
    crate::notices::refresh(desk, set.conversation, true);
    Ok(())
}

/// Brings a set back.
///
/// # Errors
/// If nothing of that set waits.
pub(crate) async fn end(desk: &Arc<Desk>, id: &str) -> Result<(), ApiError> {
    let set = find(desk, id).await?;
    bring_back(desk, &|fact| fact.set == set.bytes()).await
}

/// The person is back: what waits for that is there again.
///
/// # Errors
/// If it can't be stored.
pub(crate) async fn back(desk: &Arc<Desk>) -> Result<(), ApiError> {
    bring_back(desk, &|fact| fact.until.is_none()).await
}

/// Something new is asked in a conversation's own set; it was put aside without it.
///
/// # Errors
/// If it can't be stored.
pub(crate) async fn asked_anew(desk: &Arc<Desk>, of: ConversationId) -> Result<(), ApiError> {
    forget(desk, &|fact| fact.set == of.0).await.map(drop)
}

/// A conversation is gone, or a question that a server held open.
///
/// # Errors
/// If it can't be stored.
pub(crate) async fn gone(desk: &Arc<Desk>, of: ConversationId, question: Option<RequestId>) -> Result<(), ApiError> {
    let is = |fact: &LaterFact| match question {
        Some(question) => fact.set == question.0,
        None => fact.conversation == of,
    };
    forget(desk, &is).await.map(drop)
}

/// Brings back what is due, until the space closes.
pub(crate) async fn watch(desk: Arc<Desk>) {
    loop {
        let now = desk.host.clock.now();
        let next = desk.laters.lock().values().filter_map(|fact| fact.until).min();
        let wait = match next {
            Some(at) if at <= now => {
                if let Err(error) = bring_back(&desk, &|fact| fact.until.is_some_and(|at| at <= now)).await {
                    tracing::warn!(?error, "a set that was put aside can't be brought back; it is tried again");
                } else {
                    continue;
                }
                NAP
            }
            Some(at) => Duration::from_millis(u64::try_from(at.0 - now.0).unwrap_or_default()).min(NAP),
            None => IDLE,
        };
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = desk.laters.changed.notified() => {}
            () = desk.closing.cancelled() => return,
        }
    }
}

async fn bring_back(desk: &Arc<Desk>, which: &(dyn Fn(&LaterFact) -> bool + Sync)) -> Result<(), ApiError> {
    for fact in forget(desk, which).await? {
        crate::drafts::publish(desk, fact.conversation).await?;
        crate::notices::refresh(desk, fact.conversation, true);
    }
    Ok(())
}

/// Drops what is put aside and says what that was.
async fn forget(desk: &Arc<Desk>, which: &(dyn Fn(&LaterFact) -> bool + Sync)) -> Result<Vec<LaterFact>, ApiError> {
    let gone: Vec<LaterFact> = desk.laters.lock().values().copied().filter(|fact| which(fact)).collect();
    if gone.is_empty() {
        return Ok(gone);
    }
    let sets = gone.iter().map(|fact| fact.set).collect();
    desk.engine.store().record(Record::LaterGone { sets }).await?;
    let mut kept = desk.laters.lock();
    for fact in &gone {
        kept.remove(&fact.set);
    }
    drop(kept);
    Ok(gone)
}

/// The set of an id, if something of it waits.
async fn find(desk: &Desk, id: &str) -> Result<SetId, ApiError> {
    let bytes = crate::desk::row(id)?;
    let store = desk.engine.store();
    let set = match store.held_fact(bytes).await? {
        Some(held) => SetId::held(held.call.conversation, RequestId(bytes)),
        None => SetId::own(crate::desk::conversation(id)?),
    };
    desk.set(set).await?.map(|_| set).ok_or_else(|| not_found(Thing::Request))
}
