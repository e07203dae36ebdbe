//! The table `steering`: what a person, or a background agent, said to a run that was going on.

use countersign_core::ids::{At, ConversationId, MessageId};
use countersign_core::run::{Said, Steering};
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{Row as _, query};

use super::run::must_change;
use crate::error::StoreError;
use crate::row::id;

const INSERT: &str = "INSERT INTO steering (id, conversation, agent, body, at, state) VALUES (?, ?, ?, ?, ?, 'queued')";
const UNTYPE: &str = "DELETE FROM typed WHERE conversation = ?";
const TAKE: &str = "UPDATE steering SET state = 'taken' WHERE id = ? AND state = 'queued'";
const RETURN: &str = "UPDATE steering SET state = 'returned' WHERE id = ? AND state = 'queued'";
/// Behind what is being typed already: nothing that a person wrote is overwritten.
const TYPE: &str = "INSERT INTO typed (conversation, body) SELECT conversation, body FROM steering WHERE id = ? \
    ON CONFLICT (conversation) DO UPDATE SET body = typed.body || char(10) || excluded.body";
pub(crate) const QUEUED: &str = "SELECT * FROM steering WHERE conversation = ? AND state = 'queued' ORDER BY rowid";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[INSERT, UNTYPE, TAKE, RETURN, TYPE, QUEUED];

/// Stores the words; with them the composer is empty, in the same transaction, so that what comes back later isn't wiped.
pub(crate) async fn insert(to: &mut SqliteConnection, of: ConversationId, one: &Steering) -> Result<(), StoreError> {
    let agent = match &one.from {
        Said::Person => {
            query(UNTYPE).bind(of.0.to_vec()).execute(&mut *to).await?;
            None
        }
        Said::Agent { name } => Some(name),
    };
    query(INSERT)
        .bind(one.id.0.to_vec())
        .bind(of.0.to_vec())
        .bind(agent)
        .bind(&one.text)
        .bind(one.at.0)
        .execute(to)
        .await?;
    Ok(())
}

pub(crate) async fn take(to: &mut SqliteConnection, taken: &[MessageId]) -> Result<(), StoreError> {
    for one in taken {
        let done = query(TAKE).bind(one.0.to_vec()).execute(&mut *to).await?;
        must_change(done.rows_affected(), "a taking of words that aren't waiting")?;
    }
    Ok(())
}

/// The words are the person's draft again (D-89).
pub(crate) async fn give_back(to: &mut SqliteConnection, returned: &[MessageId]) -> Result<(), StoreError> {
    for one in returned {
        let done = query(RETURN).bind(one.0.to_vec()).execute(&mut *to).await?;
        must_change(done.rows_affected(), "a return of words that aren't waiting")?;
        query(TYPE).bind(one.0.to_vec()).execute(&mut *to).await?;
    }
    Ok(())
}

pub(crate) fn read(row: &SqliteRow) -> Result<Steering, StoreError> {
    let from = match row.try_get("agent")? {
        Some(name) => Said::Agent { name },
        None => Said::Person,
    };
    Ok(Steering { id: id(row, "id")?, text: row.try_get("body")?, from, at: At(row.try_get("at")?) })
}
