//! The table `noticed`: when the person saw a request, and staged what was sent of it.

use countersign_core::ids::{At, ConversationId};
use sqlx::sqlite::SqliteConnection;
use sqlx::{Row as _, query};

use crate::error::StoreError;
use crate::open::Store;

/// The first look counts.
const SEEN: &str = "INSERT INTO noticed (row, conversation, seen_at) VALUES (?, ?, ?) \
    ON CONFLICT (row) DO UPDATE SET seen_at = excluded.seen_at WHERE seen_at IS NULL";
/// The last staging counts, as that is what was sent.
const STAGED: &str = "INSERT INTO noticed (row, conversation, staged_at) VALUES (?, ?, ?) \
    ON CONFLICT (row) DO UPDATE SET staged_at = excluded.staged_at";
const OF: &str = "SELECT seen_at, staged_at FROM noticed WHERE row = ?";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[SEEN, STAGED, OF];

/// When a request was noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Noticed {
    /// First on screen, in a window that had the focus.
    pub seen_at: Option<At>,
    /// Last staged.
    pub staged_at: Option<At>,
}

pub(crate) async fn saw(
    to: &mut SqliteConnection,
    row: [u8; 16],
    of: ConversationId,
    at: At,
) -> Result<(), StoreError> {
    query(SEEN).bind(row.to_vec()).bind(of.0.to_vec()).bind(at.0).execute(to).await?;
    Ok(())
}

pub(crate) async fn staged(
    to: &mut SqliteConnection,
    row: [u8; 16],
    of: ConversationId,
    at: At,
) -> Result<(), StoreError> {
    query(STAGED).bind(row.to_vec()).bind(of.0.to_vec()).bind(at.0).execute(to).await?;
    Ok(())
}

impl Store {
    /// When a request was noticed.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn noticed(&self, row: [u8; 16]) -> Result<Noticed, StoreError> {
        let found = query(OF).bind(row.to_vec()).fetch_optional(&self.readers).await?;
        let Some(found) = found else { return Ok(Noticed::default()) };
        Ok(Noticed {
            seen_at: found.try_get::<Option<i64>, _>("seen_at")?.map(At),
            staged_at: found.try_get::<Option<i64>, _>("staged_at")?.map(At),
        })
    }
}
