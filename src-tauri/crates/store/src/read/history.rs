//! History: every decision, by keyset pages, newest first.

use sqlx::{Row as _, query};

use super::inbox::{CallFact, read_call};
use crate::error::StoreError;
use crate::open::Store;

const PAGE: &str = "SELECT call.*, request.id AS request_id, request.kind AS request_kind, \
    request.digest AS request_digest, NULL AS request_before, request.opened_at AS request_opened_at, \
    request.closing AS request_closing, request.closed_at AS request_closed_at, request.state AS request_state, \
    conversation.title AS conversation_title, conversation.agent AS conversation_agent, \
    conversation.deleted_at AS conversation_deleted_at, proposer.parent_call IS NOT NULL AS is_below FROM call \
    JOIN run AS proposer ON proposer.id = call.proposed_by \
    JOIN conversation ON conversation.id = call.conversation \
    LEFT JOIN request ON request.rowid = (SELECT max(rowid) FROM request AS newest WHERE newest.call = call.id) \
    WHERE call.decided_seq IS NOT NULL AND call.decided_seq < ? ORDER BY call.decided_seq DESC LIMIT ?";
const TOTAL: &str = "SELECT count(*), min(decided_at) FROM call WHERE decided_seq IS NOT NULL";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[PAGE, TOTAL];

impl Store {
    /// A page of decisions before `before`, newest first.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn history(&self, before: i64, limit: i64) -> Result<Vec<CallFact>, StoreError> {
        query(PAGE).bind(before).bind(limit).fetch_all(&self.readers).await?.iter().map(read_call).collect()
    }

    /// How many decisions there are, and when the first was made.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn history_total(&self) -> Result<(i64, Option<i64>), StoreError> {
        let row = query(TOTAL).fetch_one(&self.readers).await?;
        Ok((row.try_get(0)?, row.try_get(1)?))
    }
}
