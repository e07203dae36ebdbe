//! Calls to compare one with: what the person decided about the same tool, and what they wanted instead.

use countersign_core::call::Call;
use countersign_core::ids::{At, ConversationId};
use sqlx::{Row as _, query};

use super::inbox::{CallFact, call_facts, read_call};
use crate::error::StoreError;
use crate::open::Store;

const SIMILAR: &str = call_facts!(
    "WHERE call.tool = ? AND call.decided_by = 'person' AND call.decided_seq > 0 AND call.id <> ? \
    ORDER BY call.decided_seq DESC LIMIT ?"
);
const REJECTED: &str = call_facts!(
    "WHERE call.conversation = ? AND call.decision = 'rejected' AND call.decided_by = 'person' AND call.tool = ? \
    AND call.decided_at <= ? AND call.id <> ? ORDER BY call.decided_seq DESC, call.rowid DESC LIMIT 1"
);
const BETWEEN: &str = "SELECT count(*) FROM message JOIN call ON call.message = message.id \
    WHERE message.conversation = ?1 AND call.tool = ?2 \
    AND message.seq > (SELECT seq FROM message WHERE id = ?3) AND message.seq < (SELECT seq FROM message WHERE id = ?4)";
const REASONS: &str = "SELECT decided_words FROM call WHERE decision = 'rejected' AND decided_by = 'person' \
    AND decided_words IS NOT NULL AND decided_seq > 0 ORDER BY decided_seq DESC LIMIT ?";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[SIMILAR, REJECTED, BETWEEN, REASONS];

impl Store {
    /// What the person decided last about calls of the same tool, newest first, in any conversation.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn similar(&self, call: &Call, limit: i64) -> Result<Vec<CallFact>, StoreError> {
        let rows =
            query(SIMILAR).bind(&call.tool).bind(call.id.0.to_vec()).bind(limit).fetch_all(&self.readers).await?;
        rows.iter().map(read_call).collect()
    }

    /// The reasons that the person gave last, newest first, as often as they gave them.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn reasons(&self, limit: i64) -> Result<Vec<String>, StoreError> {
        let rows = query(REASONS).bind(limit).fetch_all(&self.readers).await?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }

    /// The person's rejection that a call is the answer to: the last one of its tool in its conversation, if no other call of that
    /// tool was made since.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn rejection_before(
        &self,
        of: ConversationId,
        call: &Call,
        proposed_at: At,
    ) -> Result<Option<CallFact>, StoreError> {
        let row = query(REJECTED)
            .bind(of.0.to_vec())
            .bind(&call.tool)
            .bind(proposed_at.0)
            .bind(call.id.0.to_vec())
            .fetch_optional(&self.readers)
            .await?;
        let Some(rejected) = row.as_ref().map(read_call).transpose()? else { return Ok(None) };
        let between: i64 = query(BETWEEN)
            .bind(of.0.to_vec())
            .bind(&call.tool)
            .bind(rejected.call.message.0.to_vec())
            .bind(call.message.0.to_vec())
            .fetch_one(&self.readers)
            .await?
            .try_get(0)?;
        Ok((between == 0 && rejected.call.message != call.message).then_some(rejected))
    }
}
