//! The table `conversation`.

use countersign_core::conversation::{Conversation, Forked};
use countersign_core::ids::{At, ConversationId};
use countersign_core::mode::Mode;
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{Row as _, query};

use crate::error::StoreError;
use crate::row::{from_word, id, maybe_id, word};

const INSERT: &str = "INSERT INTO conversation (id, kind, agent, title, mode, auto_chain, auto_until, awaits_reply, \
    next_seq, revision, created_at, touched_at, forked_from, forked_before) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?)";
const REVISION: &str = "SELECT revision FROM conversation WHERE id = ? AND deleted_at IS NULL";
/// Checks the revision and raises it, in one.
const BUMP: &str = "UPDATE conversation SET revision = revision + 1, awaits_reply = ?, next_seq = ?, touched_at = ? \
    WHERE id = ? AND revision = ? AND deleted_at IS NULL";
const RENAME: &str = "UPDATE conversation SET title = ? WHERE id = ?";
const MODE: &str = "UPDATE conversation SET mode = ?, auto_chain = ?, auto_until = ? WHERE id = ?";
/// Behind the last message of the conversation's own thread, where it is shown.
const MODE_CHANGED: &str = "INSERT INTO mode_change (conversation, behind, mode, ends, until, at) VALUES (?1, \
    (SELECT coalesce(max(seq), 0) FROM message WHERE conversation = ?1 AND thread IS NULL), ?2, ?3, ?4, ?5)";
const DELETE: &str = "UPDATE conversation SET deleted_at = ? WHERE id = ? AND deleted_at IS NULL";
pub(crate) const ONE: &str = "SELECT * FROM conversation WHERE id = ? AND deleted_at IS NULL";
/// What a person goes on with; a Quick task is in no list of conversations (D-105).
pub(crate) const ALL: &str =
    "SELECT * FROM conversation WHERE kind = 'thread' AND deleted_at IS NULL ORDER BY touched_at DESC";
/// What keeps an agent from being deleted. A Quick task that is over needs its agent no more.
pub(crate) const OF_AGENT: &str = "SELECT count(*) FROM conversation WHERE agent = ? AND deleted_at IS NULL \
    AND (kind = 'thread' OR EXISTS (SELECT 1 FROM run WHERE run.conversation = conversation.id AND phase <> 'ended'))";
/// Those whose Auto ends at a time, the nearest first.
pub(crate) const AUTO_ENDS: &str = "SELECT id, auto_until FROM conversation \
    WHERE auto_until IS NOT NULL AND deleted_at IS NULL ORDER BY auto_until";
pub(crate) const UNFINISHED: &str = "SELECT conversation FROM run WHERE phase <> 'ended' AND parent_call IS NULL \
    UNION SELECT conversation FROM queued";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] =
    &[INSERT, REVISION, BUMP, RENAME, MODE, MODE_CHANGED, DELETE, ONE, ALL, OF_AGENT, AUTO_ENDS, UNFINISHED];

pub(crate) async fn insert(to: &mut SqliteConnection, conversation: &Conversation) -> Result<(), StoreError> {
    query(INSERT)
        .bind(conversation.id.0.to_vec())
        .bind(word(&conversation.kind)?)
        .bind(conversation.agent.0.to_vec())
        .bind(&conversation.title)
        .bind(word(&conversation.mode)?)
        .bind(conversation.auto_chain.map(|run| run.0.to_vec()))
        .bind(conversation.auto_until.map(|end| end.0))
        .bind(i64::from(conversation.awaits_reply))
        .bind(conversation.next_seq)
        .bind(conversation.created_at.0)
        .bind(conversation.created_at.0)
        .bind(conversation.forked.map(|forked| forked.from.0.to_vec()))
        .bind(conversation.forked.map(|forked| forked.before))
        .execute(to)
        .await?;
    Ok(())
}

/// The stored revision; none if the conversation isn't there (any more).
pub(crate) async fn revision(
    to: &mut SqliteConnection,
    conversation: ConversationId,
) -> Result<Option<i64>, StoreError> {
    let row = query(REVISION).bind(conversation.0.to_vec()).fetch_optional(to).await?;
    Ok(row.map(|row| row.try_get(0)).transpose()?)
}

/// Raises the revision from the expected one; whether that was the stored one.
pub(crate) async fn bump(
    to: &mut SqliteConnection,
    conversation: ConversationId,
    expected: i64,
    awaits_reply: bool,
    next_seq: i64,
    at: At,
) -> Result<bool, StoreError> {
    let done = query(BUMP)
        .bind(i64::from(awaits_reply))
        .bind(next_seq)
        .bind(at.0)
        .bind(conversation.0.to_vec())
        .bind(expected)
        .execute(to)
        .await?;
    Ok(done.rows_affected() == 1)
}

pub(crate) async fn rename(to: &mut SqliteConnection, id: ConversationId, title: &str) -> Result<(), StoreError> {
    query(RENAME).bind(title).bind(id.0.to_vec()).execute(to).await?;
    Ok(())
}

pub(crate) async fn set_mode(
    to: &mut SqliteConnection,
    id: ConversationId,
    mode: Mode,
    auto_chain: Option<countersign_core::ids::RunId>,
    auto_until: Option<At>,
    at: At,
) -> Result<(), StoreError> {
    let chain = auto_chain.map(|run| run.0.to_vec());
    let until = auto_until.map(|end| end.0);
    query(MODE).bind(word(&mode)?).bind(chain).bind(until).bind(id.0.to_vec()).execute(&mut *to).await?;
    let ends = i64::from(auto_chain.is_some());
    query(MODE_CHANGED).bind(id.0.to_vec()).bind(word(&mode)?).bind(ends).bind(until).bind(at.0).execute(to).await?;
    Ok(())
}

pub(crate) async fn delete(to: &mut SqliteConnection, id: ConversationId, at: At) -> Result<(), StoreError> {
    query(DELETE).bind(at.0).bind(id.0.to_vec()).execute(to).await?;
    Ok(())
}

pub(crate) fn read(row: &SqliteRow) -> Result<Conversation, StoreError> {
    Ok(Conversation {
        id: id(row, "id")?,
        kind: from_word(row.try_get("kind")?)?,
        agent: id(row, "agent")?,
        title: row.try_get("title")?,
        mode: from_word(row.try_get("mode")?)?,
        auto_chain: maybe_id(row, "auto_chain")?,
        auto_until: row.try_get::<Option<i64>, _>("auto_until")?.map(At),
        awaits_reply: row.try_get::<i64, _>("awaits_reply")? != 0,
        next_seq: row.try_get("next_seq")?,
        revision: row.try_get("revision")?,
        created_at: At(row.try_get("created_at")?),
        forked: match (maybe_id(row, "forked_from")?, row.try_get("forked_before")?) {
            (Some(from), Some(before)) => Some(Forked { from, before }),
            (None, _) | (_, None) => None,
        },
    })
}
