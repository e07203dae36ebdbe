//! The table `held`: questions that a server holds open while it executes a call (D-86).

use countersign_core::faults::{self, Fault};
use countersign_core::ids::{At, ConversationId, RequestId};
use countersign_core::request::{Closing, Held, Request, RequestKind};
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{Row as _, query};

use super::call::next_place;
use super::run::must_change;
use crate::error::StoreError;
use crate::row::{id, json};

const INSERT: &str = "INSERT INTO held (id, conversation, call, message, schema, digest, opened_at, state) \
    VALUES (?, ?, ?, ?, ?, ?, ?, 'open')";
/// It closes once: only from `open`, whatever the code above believes. Its place is the next among all decisions.
const CLOSE: &str = concat!(
    "UPDATE held SET state = ?, closing = ?, answer = ?, closed_at = ?, decided_seq = ",
    next_place!(),
    " WHERE id = ? AND conversation = ? AND state = 'open'"
);
/// What a fault closes with.
const CLOSE_ALWAYS: &str = concat!(
    "UPDATE held SET state = ?, closing = ?, answer = ?, closed_at = ?, decided_seq = ",
    next_place!(),
    " WHERE id = ? AND conversation = ?"
);
pub(crate) const OPEN: &str = "SELECT * FROM held WHERE conversation = ? AND state = 'open'";
pub(crate) const REASON: &str = "SELECT held.state FROM held JOIN conversation ON conversation.id = held.conversation \
    WHERE held.id = ? AND held.conversation = ? AND conversation.deleted_at IS NULL";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[INSERT, CLOSE, CLOSE_ALWAYS, OPEN, REASON];

pub(crate) async fn insert(to: &mut SqliteConnection, of: ConversationId, held: &Held) -> Result<(), StoreError> {
    query(INSERT)
        .bind(held.request.id.0.to_vec())
        .bind(of.0.to_vec())
        .bind(held.request.call.0.to_vec())
        .bind(&held.message)
        .bind(&held.schema)
        .bind(held.request.digest.0.to_vec())
        .bind(held.request.opened_at.0)
        .execute(to)
        .await?;
    Ok(())
}

pub(crate) async fn close(
    to: &mut SqliteConnection,
    of: ConversationId,
    question: RequestId,
    closing: &Closing,
    answer: Option<&str>,
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
        .bind(answer)
        .bind(at.0)
        .bind(question.0.to_vec())
        .bind(of.0.to_vec())
        .execute(&mut *to)
        .await?;
    must_change(done.rows_affected(), "a closing of a held question that isn't open")?;
    // Whoever closed it, a start after a crash as well: what was staged for it is sent with nothing (D-86).
    super::draft::unstage(to, question.0).await
}

pub(crate) fn read(row: &SqliteRow) -> Result<Held, StoreError> {
    Ok(Held {
        request: Request {
            id: id(row, "id")?,
            call: id(row, "call")?,
            kind: RequestKind::Input,
            preconditions: Vec::new(),
            digest: super::request::digest(row, "digest")?,
            opened_at: At(row.try_get("opened_at")?),
        },
        message: row.try_get("message")?,
        schema: row.try_get("schema")?,
    })
}
