//! Takes decisions out of history (N-84): those that are over, of conversations in which nothing waits and nothing goes on.
//!
//! A decision's place becomes negative, so that it is in no page and its number is nobody else's. What was decided about stays as long
//! as its conversation does, whose words it is part of; of a deleted conversation it goes as well. The journal keeps its rows and has one
//! more that says how many went.

use countersign_core::call::{CallState, Settled};
use countersign_core::change::MessageBody;
use countersign_core::ids::{At, ConversationId};
use countersign_core::request::{Closing, PassedBy};
use sha2::{Digest as _, Sha256};
use sqlx::sqlite::SqliteConnection;
use sqlx::{Row as _, query};

use crate::error::StoreError;
use crate::journal::{self, Tip};
use crate::open::Store;
use crate::row::json;
use crate::table::search;

macro_rules! may_go {
    ($what:literal, $rest:literal) => {
        concat!(
            "SELECT ",
            $what,
            " FROM decision LEFT JOIN call ON call.decided_seq = decision.seq ",
            "LEFT JOIN held ON held.decided_seq = decision.seq ",
            "JOIN conversation ON conversation.id = coalesce(call.conversation, held.conversation) ",
            "WHERE NOT EXISTS (SELECT 1 FROM run WHERE run.conversation = conversation.id AND run.phase <> 'ended') ",
            "AND NOT EXISTS (SELECT 1 FROM call AS other WHERE other.conversation = conversation.id ",
            "AND other.state <> 'settled') ",
            "AND NOT EXISTS (SELECT 1 FROM request WHERE request.conversation = conversation.id ",
            "AND request.state = 'open') ",
            "AND NOT EXISTS (SELECT 1 FROM held AS asks WHERE asks.conversation = conversation.id ",
            "AND asks.state = 'open') ",
            "AND NOT EXISTS (SELECT 1 FROM queued WHERE queued.conversation = conversation.id) ",
            $rest
        )
    };
}

const SOME: &str = may_go!(
    "decision.seq",
    "AND decision.at >= ? AND decision.at < ? AND decision.seq > ? ORDER BY decision.seq LIMIT ?"
);
const OF_THESE: &str = may_go!(
    "decision.seq, conversation.id, conversation.deleted_at IS NOT NULL AS deleted",
    "AND decision.seq IN (SELECT value FROM json_each(?)) AND decision.at < ? ORDER BY decision.seq"
);
const CALLS_OUT: &str = "UPDATE call SET decided_seq = -decided_seq WHERE decided_seq = ?";
const HELD_OUT: &str = "UPDATE held SET decided_seq = -decided_seq WHERE decided_seq = ?";
const BLANK_CALLS: &str = "UPDATE call SET provider_id = '', arguments = '{}', schema = NULL, executed = NULL, exact = '', \
    preconditions = '[]', verdicts = '[]', result = NULL, warrant = NULL, decided_words = NULL, state_detail = ?2 \
    WHERE state = 'settled' AND decided_seq = ?1";
const BLANK_REQUESTS: &str = "UPDATE request SET before = NULL, closing = ?2 WHERE state <> 'open' \
    AND call IN (SELECT id FROM call WHERE decided_seq = ?1)";
const NO_OUTPUT: &str = "DELETE FROM output WHERE call IN (SELECT id FROM call WHERE decided_seq = ?)";
const BLANK_HELD: &str =
    "UPDATE held SET message = '', schema = '{}', answer = NULL, closing = ?2 WHERE decided_seq = ?1";
/// Whether nothing of a conversation is in history any more.
const LEFT: &str = "SELECT EXISTS (SELECT 1 FROM call WHERE conversation = ?1 AND decided_seq > 0) \
    OR EXISTS (SELECT 1 FROM held WHERE conversation = ?1 AND decided_seq > 0)";
const WIPE_CALLS: &str = "UPDATE call SET provider_id = '', arguments = '{}', schema = NULL, executed = NULL, exact = '', \
    preconditions = '[]', verdicts = '[]', result = NULL, warrant = NULL, decided_words = NULL, state_detail = ?2 \
    WHERE conversation = ?1 AND state = 'settled'";
const WIPE_MESSAGES: &str = "UPDATE message SET body = ?2, raw = NULL WHERE conversation = ?1";
const WIPE_STANDING: &str = "UPDATE standing SET exact = NULL WHERE conversation = ? AND exact IS NOT NULL";
const WIPE_STEERING: &str = "UPDATE steering SET body = '' WHERE conversation = ? AND state <> 'queued'";
const WIPE_NOTICED: &str = "DELETE FROM noticed WHERE conversation = ?";
const WIPE_DRAFTS: &str = "DELETE FROM draft WHERE conversation = ?";
const WIPE_TYPED: &str = "DELETE FROM typed WHERE conversation = ?";
const WIPE_RUNS: &str = "UPDATE run SET left_in_files = '{}' WHERE conversation = ? AND phase = 'ended'";
const WIPE_TITLE: &str = "UPDATE conversation SET title = '' WHERE id = ? AND deleted_at IS NOT NULL";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[
    SOME,
    OF_THESE,
    CALLS_OUT,
    HELD_OUT,
    BLANK_CALLS,
    BLANK_REQUESTS,
    NO_OUTPUT,
    BLANK_HELD,
    LEFT,
    WIPE_CALLS,
    WIPE_MESSAGES,
    WIPE_STANDING,
    WIPE_STEERING,
    WIPE_NOTICED,
    WIPE_DRAFTS,
    WIPE_TYPED,
    WIPE_RUNS,
    WIPE_TITLE,
];

impl Store {
    /// Decisions of a span of time that may go, the oldest first, behind a place. Only those in the index are looked at.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn may_go(&self, from: At, to: At, behind: i64, limit: i64) -> Result<Vec<i64>, StoreError> {
        let rows = query(SOME).bind(from.0).bind(to.0).bind(behind).bind(limit).fetch_all(&self.readers).await?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }
}

/// Takes those of `seqs` out that may still go, if they were decided before `to`. Looked at again here, in the transaction: what came to wait
/// meanwhile stays.
pub(crate) async fn erase(
    to: &mut SqliteConnection,
    tip: Tip,
    seqs: &[i64],
    before: At,
    now: At,
) -> Result<Tip, StoreError> {
    let rows = query(OF_THESE).bind(serde_json::to_string(seqs)?).bind(before.0).fetch_all(&mut *to).await?;
    let over = json(&CallState::Settled(Settled::OutcomeUnknown))?;
    let closed = json(&Closing::PassedBy { by: PassedBy::Withdrawn })?;
    let (mut gone, mut deleted) = (Vec::new(), std::collections::BTreeSet::new());
    for row in &rows {
        let seq: i64 = row.try_get(0)?;
        for statement in [CALLS_OUT, HELD_OUT] {
            query(statement).bind(seq).execute(&mut *to).await?;
        }
        if row.try_get("deleted")? {
            query(BLANK_REQUESTS).bind(-seq).bind(&closed).execute(&mut *to).await?;
            query(NO_OUTPUT).bind(-seq).execute(&mut *to).await?;
            query(BLANK_CALLS).bind(-seq).bind(&over).execute(&mut *to).await?;
            query(BLANK_HELD).bind(-seq).bind(&closed).execute(&mut *to).await?;
            deleted.insert(row.try_get::<Vec<u8>, _>(1)?);
        }
        gone.push(seq);
    }
    if gone.is_empty() {
        return Ok(tip);
    }
    for conversation in &deleted {
        if query(LEFT).bind(conversation).fetch_one(&mut *to).await?.try_get::<i64, _>(0)? == 0 {
            wipe(to, conversation, &over).await?;
        }
    }
    search::remove(to, &gone).await?;
    let what = Sha256::digest(serde_json::to_vec(&gone)?);
    journal::note(to, tip, ConversationId([0; 16]), "history_erased", &what.into(), now).await
}

/// What a deleted conversation held goes when nothing of it is in history any more. Its rows stay as husks, which others refer to.
async fn wipe(to: &mut SqliteConnection, conversation: &[u8], over: &str) -> Result<(), StoreError> {
    let nothing = json(&MessageBody::User { text: String::new() })?;
    query(WIPE_CALLS).bind(conversation).bind(over).execute(&mut *to).await?;
    query(WIPE_MESSAGES).bind(conversation).bind(nothing).execute(&mut *to).await?;
    for statement in [WIPE_STANDING, WIPE_STEERING, WIPE_NOTICED, WIPE_DRAFTS, WIPE_TYPED, WIPE_RUNS, WIPE_TITLE] {
        query(statement).bind(conversation).execute(&mut *to).await?;
    }
    Ok(())
}
