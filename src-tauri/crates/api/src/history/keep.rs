//! What leaves history: what is older than the person wants to keep it, and a span of time that they choose (N-84).

use std::sync::Arc;
use std::time::Duration;

use countersign_core::ids::At;
use countersign_store::read::search::MOST_COUNTED;

use crate::desk::Desk;
use crate::wire::history::{Going, Span};
use crate::wire::window::{ApiError, FeedWhat, Space};

/// Decisions a commit.
const SLICE: i64 = 100;
/// Between two slices others have the disk.
const PAUSE: Duration = Duration::from_millis(30);
/// How often it is looked for what became too old.
const EVERY: Duration = Duration::from_secs(60 * 60);
/// After the start everything else comes first.
const AFTER_START: Duration = Duration::from_secs(10);
const DAY: i64 = 24 * 60 * 60 * 1_000;

/// Sweeps by age until the space closes. The Rehearsal keeps what it has; it goes as a whole.
pub(super) async fn by_age(desk: Arc<Desk>) {
    if desk.space != Space::Main {
        return;
    }
    let mut wait = AFTER_START;
    loop {
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = desk.history.kept_otherwise.notified() => {}
            () = desk.closing.cancelled() => return,
        }
        wait = EVERY;
        if let Some(days) = desk.settings().keep_days {
            let to = desk.host.clock.now().0 - i64::from(days) * DAY;
            if let Err(error) = erase(&desk, Span { from: 0, to }).await {
                tracing::warn!(?error, "what is too old couldn't be taken out of history; it is tried again");
            }
        }
    }
}

/// How many decisions of a span may go.
pub(super) async fn going(desk: &Desk, span: Span) -> Result<Going, ApiError> {
    super::index::catch_up(desk).await?;
    let all = desk.engine.store().may_go(At(span.from), At(span.to), 0, MOST_COUNTED + 1).await?;
    let count = i64::try_from(all.len()).unwrap_or(i64::MAX);
    Ok(Going { count: count.min(MOST_COUNTED), more: count > MOST_COUNTED })
}

/// Takes those of a span out that may go, in slices; how many went.
pub(super) async fn erase(desk: &Desk, span: Span) -> Result<i64, ApiError> {
    super::index::catch_up(desk).await?;
    let store = desk.engine.store();
    let (mut behind, mut gone) = (0, 0);
    while !desk.closing.is_cancelled() {
        let slice = store.may_go(At(span.from), At(span.to), behind, SLICE).await?;
        let Some(last) = slice.last() else { break };
        behind = *last;
        gone += i64::try_from(slice.len()).unwrap_or_default();
        store.erase(slice, At(span.to), desk.host.clock.now()).await?;
        tokio::time::sleep(PAUSE).await;
    }
    if gone > 0 {
        desk.feed.publish(desk.space, FeedWhat::History);
    }
    Ok(gone)
}
