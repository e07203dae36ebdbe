//! The table `later`: sets that the person put aside.

use countersign_core::ids::{At, CallId, ConversationId};
use sqlx::sqlite::SqliteConnection;
use sqlx::{Row as _, query};

use crate::error::StoreError;
use crate::open::Store;
use crate::row::id;

const PUT: &str = "INSERT INTO later (id, conversation, at, until_at) VALUES (?, ?, ?, ?) \
    ON CONFLICT (id) DO UPDATE SET at = excluded.at, until_at = excluded.until_at";
const TAKE: &str = "DELETE FROM later WHERE id = ?";
const ALL: &str = "SELECT * FROM later";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[PUT, TAKE, ALL];

/// A set that is quiet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaterFact {
    /// The conversation's id for its own set, the question's for one that a server holds open.
    pub set: [u8; 16],
    /// The conversation.
    pub conversation: ConversationId,
    /// When it was put aside.
    pub at: At,
    /// Until when; none: until the person is back.
    pub until: Option<At>,
}

pub(crate) async fn put(to: &mut SqliteConnection, later: &LaterFact) -> Result<(), StoreError> {
    query(PUT)
        .bind(later.set.to_vec())
        .bind(later.conversation.0.to_vec())
        .bind(later.at.0)
        .bind(later.until.map(|at| at.0))
        .execute(to)
        .await?;
    Ok(())
}

pub(crate) async fn take(to: &mut SqliteConnection, set: [u8; 16]) -> Result<(), StoreError> {
    query(TAKE).bind(set.to_vec()).execute(to).await?;
    Ok(())
}

impl Store {
    /// The sets that are quiet.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn later(&self) -> Result<Vec<LaterFact>, StoreError> {
        let rows = query(ALL).fetch_all(&self.readers).await?;
        rows.iter()
            .map(|row| {
                Ok(LaterFact {
                    set: id::<CallId>(row, "id")?.0,
                    conversation: id(row, "conversation")?,
                    at: At(row.try_get("at")?),
                    until: row.try_get::<Option<i64>, _>("until_at")?.map(At),
                })
            })
            .collect()
    }
}
