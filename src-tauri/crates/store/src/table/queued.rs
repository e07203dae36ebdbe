//! The table `queued`: answers that wait for the run to end (D-08).

use countersign_core::ids::ConversationId;
use countersign_core::input::Queued;
use sqlx::query;
use sqlx::sqlite::{SqliteConnection, SqliteRow};

use super::run::must_change;
use crate::error::StoreError;
use crate::row::{from_json, json};

const PUT: &str = "INSERT INTO queued (conversation, input, at) VALUES (?, ?, ?) \
    ON CONFLICT (conversation) DO UPDATE SET input = excluded.input, at = excluded.at";
const TAKE: &str = "DELETE FROM queued WHERE conversation = ?";
/// Words beside the answers go back to the composer, behind what is being typed already.
const TYPE: &str = "INSERT INTO typed (conversation, body) VALUES (?, ?) \
    ON CONFLICT (conversation) DO UPDATE SET body = typed.body || char(10) || excluded.body";
pub(crate) const WAITING: &str = "SELECT input FROM queued WHERE conversation = ?";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[PUT, TAKE, TYPE, WAITING];

pub(crate) async fn put(to: &mut SqliteConnection, of: ConversationId, queued: &Queued) -> Result<(), StoreError> {
    query(PUT).bind(of.0.to_vec()).bind(json(queued)?).bind(queued.at.0).execute(to).await?;
    Ok(())
}

pub(crate) async fn take(to: &mut SqliteConnection, of: ConversationId) -> Result<(), StoreError> {
    let done = query(TAKE).bind(of.0.to_vec()).execute(to).await?;
    must_change(done.rows_affected(), "a start of answers that aren't waiting")
}

pub(crate) async fn give_back(to: &mut SqliteConnection, of: ConversationId) -> Result<(), StoreError> {
    let row = query(WAITING).bind(of.0.to_vec()).fetch_optional(&mut *to).await?;
    let text = row.as_ref().map(read).transpose()?.and_then(|queued| queued.text);
    let done = query(TAKE).bind(of.0.to_vec()).execute(&mut *to).await?;
    must_change(done.rows_affected(), "a return of answers that aren't waiting")?;
    if let Some(text) = text {
        query(TYPE).bind(of.0.to_vec()).bind(text).execute(to).await?;
    }
    Ok(())
}

pub(crate) fn read(row: &SqliteRow) -> Result<Queued, StoreError> {
    from_json(row, "input")
}
