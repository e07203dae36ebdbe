//! The table `standing`: approvals that let later calls run.

use countersign_core::conversation::{Cover, Standing};
use countersign_core::ids::{At, ConversationId, RequestId, StandingId};
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{Row as _, query};

use super::run::must_change;
use crate::error::StoreError;
use crate::row::{from_json, id, json};

const INSERT: &str = "INSERT INTO standing (id, conversation, identity, exact, since, request, used) \
    VALUES (?, ?, ?, ?, ?, ?, 0)";
const USE: &str = "UPDATE standing SET used = used + 1, last_used_at = ? WHERE id = ? AND revoked_at IS NULL";
const REVOKE: &str = "UPDATE standing SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL";
pub(crate) const IN_FORCE: &str = "SELECT * FROM standing WHERE conversation = ? AND revoked_at IS NULL ORDER BY rowid";
pub(crate) const ALL_IN_FORCE: &str = "SELECT standing.*, conversation.title FROM standing JOIN conversation \
    ON conversation.id = standing.conversation WHERE revoked_at IS NULL AND conversation.deleted_at IS NULL \
    ORDER BY conversation.title, since";
pub(crate) const OF: &str = "SELECT conversation FROM standing WHERE id = ?";
/// One that was taken back, while it can be given back.
pub(crate) const REVOKED: &str = "SELECT * FROM standing WHERE id = ? AND revoked_at >= ?";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[INSERT, USE, REVOKE, IN_FORCE, ALL_IN_FORCE, OF, REVOKED];

pub(crate) async fn insert(
    to: &mut SqliteConnection,
    of: ConversationId,
    standing: &Standing,
    request: RequestId,
) -> Result<(), StoreError> {
    let exact = match &standing.cover {
        Cover::Tool => None,
        Cover::Exact(hash) => Some(hash),
    };
    query(INSERT)
        .bind(standing.id.0.to_vec())
        .bind(of.0.to_vec())
        .bind(json(&standing.identity)?)
        .bind(exact)
        .bind(standing.since.0)
        .bind(request.0.to_vec())
        .execute(to)
        .await?;
    Ok(())
}

pub(crate) async fn count_use(to: &mut SqliteConnection, standing: StandingId, at: At) -> Result<(), StoreError> {
    let done = query(USE).bind(at.0).bind(standing.0.to_vec()).execute(to).await?;
    must_change(done.rows_affected(), "a use of a standing approval that isn't in force")
}

pub(crate) async fn revoke(to: &mut SqliteConnection, standing: StandingId, at: At) -> Result<(), StoreError> {
    let done = query(REVOKE).bind(at.0).bind(standing.0.to_vec()).execute(to).await?;
    must_change(done.rows_affected(), "a revocation of a standing approval that isn't in force")
}

pub(crate) fn read(row: &SqliteRow) -> Result<Standing, StoreError> {
    let exact: Option<String> = row.try_get("exact")?;
    Ok(Standing {
        id: id(row, "id")?,
        identity: from_json(row, "identity")?,
        cover: exact.map_or(Cover::Tool, Cover::Exact),
        since: At(row.try_get("since")?),
    })
}
