//! Whether the record adds up: the journal's chain is checked behind everything else after the start, and when somebody asks.
//!
//! A chain alone can't tell that its end was cut off. So the end of the last check is kept in a file beside the database, and the next
//! check looks for it.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use countersign_store::journal::{Checked, Link};
use serde::{Deserialize, Serialize};

use crate::desk::Desk;
use crate::wire::history::ChainState;
use crate::wire::window::{ApiError, FeedWhat};

/// Entries a part.
const PART: i64 = 2_000;
/// How long after the start it begins.
const AFTER_START: Duration = Duration::from_secs(3);
/// Between two parts everything else comes first.
const PAUSE: Duration = Duration::from_millis(25);

/// Where the chain ended at the last check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Kept {
    entries: i64,
    hash: String,
}

/// Checks once, in small parts, some time after the start.
pub(super) async fn after_start(desk: Arc<Desk>) {
    tokio::select! {
        () = tokio::time::sleep(AFTER_START) => {}
        () = desk.closing.cancelled() => return,
    }
    if let Err(error) = check(&desk, PAUSE).await {
        tracing::warn!(?error, "the record couldn't be checked");
    }
}

/// Checks all of it and returns what was found.
pub(super) async fn now(desk: &Desk) -> Result<ChainState, ApiError> {
    check(desk, Duration::ZERO).await
}

async fn check(desk: &Desk, pause: Duration) -> Result<ChainState, ApiError> {
    let _alone = desk.history.checking.lock().await;
    let store = desk.engine.store();
    let kept = kept(desk).await;
    let mut so_far = Link::START;
    let found = loop {
        if desk.closing.is_cancelled() {
            return Ok(state(desk));
        }
        set(desk, ChainState::Checking { entries: so_far.seq });
        // A part ends where the last check ended, so that its hash is looked at.
        let to_kept = kept.as_ref().map_or(0, |kept| kept.entries - so_far.seq);
        let part = if to_kept > 0 { PART.min(to_kept) } else { PART };
        let checked = store.check_chain(so_far, part).await?;
        if let (Some(kept), Checked::More(link) | Checked::Whole(link)) = (&kept, &checked)
            && link.seq == kept.entries
            && hex(&link.hash) != kept.hash
        {
            break broken(desk, link.seq, link.at, false).await?;
        }
        match checked {
            Checked::More(link) => so_far = link,
            Checked::Whole(link) if kept.as_ref().is_some_and(|kept| kept.entries > link.seq) => {
                break broken(desk, link.seq + 1, link.at, true).await?;
            }
            Checked::Whole(link) => {
                keep(desk, &Kept { entries: link.seq, hash: hex(&link.hash) }).await;
                let at = desk.host.clock.now().0;
                break ChainState::Whole { entries: link.seq, hash: hex(&link.hash), at };
            }
            Checked::Broken { seq, at } => break broken(desk, seq, at, false).await?,
        }
        tokio::time::sleep(pause).await;
    };
    set(desk, found.clone());
    desk.feed.publish(desk.space, FeedWhat::History);
    Ok(found)
}

async fn broken(desk: &Desk, entry: i64, at: i64, shorter: bool) -> Result<ChainState, ApiError> {
    tracing::error!(entry, at, shorter, "the record doesn't add up");
    let before = desk.engine.store().place_before(at.saturating_add(1)).await?;
    Ok(ChainState::Broken { entry, at, before, shorter })
}

/// What is known of it now.
pub(super) fn state(desk: &Desk) -> ChainState {
    desk.history.chain.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or(ChainState::Unchecked)
}

fn set(desk: &Desk, state: ChainState) {
    *desk.history.chain.lock().unwrap_or_else(PoisonError::into_inner) = Some(state);
}

fn file(desk: &Desk) -> PathBuf {
    desk.engine.store().path().with_extension("chain.json")
}

async fn kept(desk: &Desk) -> Option<Kept> {
    let text = tokio::fs::read_to_string(file(desk)).await.ok()?;
    serde_json::from_str(&text).ok()
}

/// What can't be kept is checked the next time as if it were the first.
async fn keep(desk: &Desk, kept: &Kept) {
    let Ok(text) = serde_json::to_string(kept) else { return };
    if let Err(error) = tokio::fs::write(file(desk), text).await {
        tracing::warn!(%error, "the end of the record couldn't be kept beside the database");
    }
}

/// A hash as it is written.
pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string can't fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
