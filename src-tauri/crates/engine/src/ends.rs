//! The end times of Auto: whoever has one goes back to Default at that time (D-82). No call runs for want of this: the core looks
//! at the time with every input. This only lets the change happen, and show, when nothing else does.

use std::sync::Arc;
use std::time::Duration;

use countersign_core::change::Change;
use countersign_core::ids::{At, ConversationId};
use countersign_core::input::Input;
use countersign_core::mode::is_over;
use countersign_store::error::StoreError;
use tokio::sync::oneshot;

use crate::engine::Shared;
use crate::mailbox::Letter;

/// The longest that is slept at once: a machine that was suspended doesn't count that time, and clocks are set.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

/// Whether a change gives an Auto an end time, so that somebody has to watch for it.
pub(crate) fn gives_one(change: &Change) -> bool {
    matches!(change, Change::ModeSet { auto_until: Some(_), .. })
        || matches!(change, Change::ConversationCreated(new) if new.auto_until.is_some())
}

/// Ends what is over now, and returns when it is stored; says when to look again.
pub(crate) async fn end_those_over(shared: &Arc<Shared>) -> Result<Option<At>, StoreError> {
    let (ends, now) = (shared.store.auto_ends().await?, shared.clock.now());
    let (over, later): (Vec<_>, Vec<_>) = ends.into_iter().partition(|(_, end)| is_over(*end, now));
    let mut stored = true;
    for (conversation, _) in over {
        stored &= end(shared, conversation).await;
    }
    Ok(if stored { later.first().map(|(_, end)| *end) } else { Some(now) })
}

/// Whether it was stored.
async fn end(shared: &Arc<Shared>, conversation: ConversationId) -> bool {
    let (done, stored) = oneshot::channel();
    let letter = Letter { input: Input::TimePassed, done: Some(done) };
    if shared.post(conversation, letter).await.is_err() {
        // The engine closes; the next one looks when it opens.
        return true;
    }
    if let Ok(Err(error)) = stored.await {
        tracing::warn!(%error, "the end of an Auto couldn't be stored; it is tried again, and holds for every call all the same");
        return false;
    }
    true
}

/// Watches for as long as the engine is open.
pub(crate) async fn watch(shared: Arc<Shared>) {
    loop {
        let next = match end_those_over(&shared).await {
            Ok(next) => next,
            Err(error) => {
                tracing::warn!(%error, "the end times of Auto couldn't be read");
                Some(shared.clock.now())
            }
        };
        let left = next.map(|end| u64::try_from(end.0.saturating_sub(shared.clock.now().0)).unwrap_or(0));
        // Never a busy loop, also where storing fails.
        let wait = left.map(|left| Duration::from_millis(left).clamp(Duration::from_millis(100), LOOK_AGAIN));
        let asleep = async {
            match wait {
                Some(wait) => tokio::time::sleep(wait).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = shared.closing.cancelled() => return,
            () = shared.new_end.notified() => {}
            () = asleep => {}
        }
    }
}
