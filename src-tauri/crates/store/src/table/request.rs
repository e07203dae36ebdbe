//! The table `request`.

use countersign_core::digest::Digest;
use countersign_core::faults::{self, Fault};
use countersign_core::ids::{At, ConversationId, RequestId, RunId};
use countersign_core::request::{ClosedReason, Closing, Precondition, Request};
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{Row as _, query};

use super::run::must_change;
use crate::error::StoreError;
use crate::row::{from_word, id, json, word};

const INSERT: &str = "INSERT INTO request (id, conversation, call, kind, digest, before, opened_at, state) \
    VALUES (?, ?, ?, ?, ?, ?, ?, 'open')";
/// A request closes once: only from `open`, whatever the code above believes.
const CLOSE: &str = "UPDATE request SET state = ?, closing = ?, closed_at = ?, closed_by = ? \
    WHERE id = ? AND conversation = ? AND state = 'open'";
/// What a fault closes with.
const CLOSE_ALWAYS: &str = "UPDATE request SET state = ?, closing = ?, closed_at = ?, closed_by = ? \
    WHERE id = ? AND conversation = ?";
const CALL: &str = "SELECT call FROM request WHERE id = ?";
pub(crate) const OPEN: &str = "SELECT request.*, call.preconditions FROM request JOIN call ON call.id = request.call \
    WHERE request.conversation = ? AND request.state = 'open'";
pub(crate) const REASON: &str = "SELECT request.state FROM request JOIN conversation ON \
    conversation.id = request.conversation WHERE request.id = ? AND request.conversation = ? \
    AND conversation.deleted_at IS NULL";
pub(crate) const OF: &str = "SELECT conversation FROM request WHERE id = ?1 \
    UNION ALL SELECT conversation FROM held WHERE id = ?1";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[INSERT, CLOSE, CLOSE_ALWAYS, CALL, OPEN, REASON, OF];

pub(crate) async fn insert(
    to: &mut SqliteConnection,
    of: ConversationId,
    request: &Request,
    before: Option<&str>,
) -> Result<(), StoreError> {
    query(INSERT)
        .bind(request.id.0.to_vec())
        .bind(of.0.to_vec())
        .bind(request.call.0.to_vec())
        .bind(word(&request.kind)?)
        .bind(request.digest.0.to_vec())
        .bind(before)
        .bind(request.opened_at.0)
        .execute(to)
        .await?;
    Ok(())
}

pub(crate) async fn close(
    to: &mut SqliteConnection,
    of: ConversationId,
    request: RequestId,
    closing: &Closing,
    by_run: Option<RunId>,
    at: At,
) -> Result<(), StoreError> {
    let state = match closing {
        Closing::Answered { .. } => "answered",
        Closing::PassedBy { .. } => "passed_by",
    };
    let close = if faults::on(Fault::CloseTwice) { CLOSE_ALWAYS } else { CLOSE };
    let done = query(close)
        .bind(state)
        .bind(json(closing)?)
        .bind(at.0)
        .bind(by_run.map(|run| run.0.to_vec()))
        .bind(request.0.to_vec())
        .bind(of.0.to_vec())
        .execute(to)
        .await?;
    must_change(done.rows_affected(), "a closing of a request that isn't open")
}

/// The call that a request is about.
pub(crate) async fn call_of(
    to: &mut SqliteConnection,
    request: RequestId,
) -> Result<countersign_core::ids::CallId, StoreError> {
    let row = query(CALL).bind(request.0.to_vec()).fetch_optional(to).await?;
    let row = row.ok_or_else(|| StoreError::Misfit { what: "a request that isn't stored".to_owned() })?;
    id(&row, "call")
}

pub(crate) fn read(row: &SqliteRow) -> Result<Request, StoreError> {
    let preconditions: Vec<Precondition> = crate::row::from_json(row, "preconditions")?;
    Ok(Request {
        id: id(row, "id")?,
        call: id(row, "call")?,
        kind: from_word(row.try_get("kind")?)?,
        preconditions,
        digest: digest(row, "digest")?,
        opened_at: At(row.try_get("opened_at")?),
    })
}

pub(crate) fn digest(row: &SqliteRow, column: &str) -> Result<Digest, StoreError> {
    let bytes: &[u8] = row.try_get(column)?;
    let bytes = bytes.try_into().map_err(|_| StoreError::Unreadable { what: format!("{column} is no digest") })?;
    Ok(Digest(bytes))
}

pub(crate) fn reason(state: &str) -> ClosedReason {
    match state {
        "answered" => ClosedReason::Answered,
        _ => ClosedReason::PassedBy,
    }
}
