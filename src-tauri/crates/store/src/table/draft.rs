//! The table `draft`: what a person decided and didn't send yet.

use countersign_core::digest::Digest;
use countersign_core::ids::{At, ConversationId};
use sqlx::query;
use sqlx::sqlite::SqliteConnection;

use crate::error::StoreError;

const STAGE: &str = "INSERT INTO draft (row, conversation, decision, digest, at) VALUES (?, ?, ?, ?, ?) \
    ON CONFLICT (row) DO UPDATE SET decision = excluded.decision, digest = excluded.digest, at = excluded.at";
const UNSTAGE: &str = "DELETE FROM draft WHERE row = ?";
pub(crate) const OF_CONVERSATION: &str = "SELECT * FROM draft WHERE conversation = ? ORDER BY at";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[STAGE, UNSTAGE, OF_CONVERSATION];

pub(crate) async fn stage(
    to: &mut SqliteConnection,
    row: [u8; 16],
    of: ConversationId,
    decision: &str,
    digest: &Digest,
    at: At,
) -> Result<(), StoreError> {
    query(STAGE)
        .bind(row.to_vec())
        .bind(of.0.to_vec())
        .bind(decision)
        .bind(digest.0.to_vec())
        .bind(at.0)
        .execute(to)
        .await?;
    Ok(())
}

pub(crate) async fn unstage(to: &mut SqliteConnection, row: [u8; 16]) -> Result<(), StoreError> {
    query(UNSTAGE).bind(row.to_vec()).execute(to).await?;
    Ok(())
}
