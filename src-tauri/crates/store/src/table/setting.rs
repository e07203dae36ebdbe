//! The tables `setting` and `typed`: what the person chose, and what they are typing.

use countersign_core::ids::ConversationId;
use sqlx::query;
use sqlx::sqlite::SqliteConnection;

use crate::error::StoreError;

const SET: &str =
    "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
pub(crate) const GET: &str = "SELECT value FROM setting WHERE name = ?";
const TYPE: &str = "INSERT INTO typed (conversation, body) VALUES (?, ?) ON CONFLICT (conversation) DO UPDATE SET body = excluded.body";
const UNTYPE: &str = "DELETE FROM typed WHERE conversation = ?";
pub(crate) const TYPED: &str = "SELECT body FROM typed WHERE conversation = ?";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[SET, GET, TYPE, UNTYPE, TYPED];

pub(crate) async fn set(to: &mut SqliteConnection, name: &str, value: &str) -> Result<(), StoreError> {
    query(SET).bind(name).bind(value).execute(to).await?;
    Ok(())
}

pub(crate) async fn keep_typed(to: &mut SqliteConnection, of: ConversationId, text: &str) -> Result<(), StoreError> {
    if text.trim().is_empty() {
        query(UNTYPE).bind(of.0.to_vec()).execute(to).await?;
    } else {
        query(TYPE).bind(of.0.to_vec()).bind(text).execute(to).await?;
    }
    Ok(())
}
