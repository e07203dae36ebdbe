//! History: every decision, by keyset pages, newest first.

use sqlx::{Row as _, query};

use super::held::{self, HeldFact};
use super::inbox::{CallFact, read_call};
use crate::error::StoreError;
use crate::open::Store;

const PAGE: &str = "SELECT call.*, request.id AS request_id, request.kind AS request_kind, \
    request.digest AS request_digest, NULL AS request_before, request.opened_at AS request_opened_at, \
    request.closing AS request_closing, request.closed_at AS request_closed_at, request.state AS request_state, \
    conversation.title AS conversation_title, conversation.agent AS conversation_agent, \
    conversation.deleted_at AS conversation_deleted_at, proposer.parent_call IS NOT NULL AS is_below, \
    EXISTS (SELECT 1 FROM held WHERE held.call = call.id) AS has_asked FROM call \
    JOIN run AS proposer ON proposer.id = call.proposed_by \
    JOIN conversation ON conversation.id = call.conversation \
    LEFT JOIN request ON request.rowid = (SELECT max(rowid) FROM request AS newest WHERE newest.call = call.id) \
    WHERE call.decided_seq IS NOT NULL AND call.decided_seq < ? ORDER BY call.decided_seq DESC LIMIT ?";
const TOTAL: &str = "SELECT count(*), min(decided_at) FROM call WHERE decided_seq IS NOT NULL";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[PAGE, TOTAL];

/// Something that was decided.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "nearly all are calls, and a page holds a hundred")]
pub enum DecisionFact {
    /// About a call.
    Call(CallFact),
    /// About a question that a server held open while it executed one.
    Held(HeldFact),
}

impl DecisionFact {
    /// The call that it is about, or that was executed meanwhile.
    pub fn about(&self) -> &CallFact {
        match self {
            Self::Call(fact) => fact,
            Self::Held(fact) => &fact.call,
        }
    }

    fn seq(&self) -> i64 {
        match self {
            Self::Call(fact) => fact.decided.as_ref().map_or(0, |decided| decided.seq),
            Self::Held(fact) => fact.question.seq.unwrap_or_default(),
        }
    }
}

impl Store {
    /// A page of decisions before `before`, newest first.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn history(&self, before: i64, limit: i64) -> Result<Vec<DecisionFact>, StoreError> {
        let rows = query(PAGE).bind(before).bind(limit).fetch_all(&self.readers).await?;
        let calls = rows.iter().map(|row| read_call(row).map(DecisionFact::Call));
        let mut page = calls.collect::<Result<Vec<_>, _>>()?;
        page.extend(self.held_before(before, limit).await?.into_iter().map(DecisionFact::Held));
        page.sort_by_key(|fact| std::cmp::Reverse(fact.seq()));
        page.truncate(usize::try_from(limit).unwrap_or_default());
        Ok(page)
    }

    /// How many decisions there are, and when the first was made.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn history_total(&self) -> Result<(i64, Option<i64>), StoreError> {
        let calls = query(TOTAL).fetch_one(&self.readers).await?;
        let held = query(held::TOTAL).fetch_one(&self.readers).await?;
        let total = calls.try_get::<i64, _>(0)? + held.try_get::<i64, _>(0)?;
        let since = [calls.try_get::<Option<i64>, _>(1)?, held.try_get(1)?].into_iter().flatten().min();
        Ok((total, since))
    }
}
