//! History: every decision, by keyset pages, newest first.

use countersign_core::ids::{At, ConversationId};
use sqlx::{Row as _, query};

use super::held::HeldFact;
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
    WHERE call.decided_seq > 0 AND call.decided_seq < ? ORDER BY call.decided_seq DESC LIMIT ?";
/// The first of those that aren't in the index yet; the others are counted there, so that a page costs the same at any number.
const SINCE: &str = "SELECT min(at) FROM (SELECT * FROM (SELECT decided_at AS at FROM call WHERE decided_seq > ?1 \
    ORDER BY decided_seq LIMIT 1) UNION ALL SELECT * FROM (SELECT closed_at AS at FROM held WHERE decided_seq > ?1 \
    ORDER BY decided_seq LIMIT 1))";

/// By way of the messages: what a conversation has is found by them.
const COUNT_OF: &str = "SELECT count(call.decided_seq) + (SELECT count(*) FROM message JOIN call ON call.message = message.id \
    JOIN held ON held.call = call.id WHERE message.conversation = ?1 AND held.decided_seq > 0) \
    FROM message JOIN call ON call.message = message.id WHERE message.conversation = ?1 AND call.decided_seq > 0";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[COUNT_OF, PAGE, SINCE];

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

    /// Its place among all decisions.
    pub fn seq(&self) -> i64 {
        match self {
            Self::Call(fact) => fact.decided.as_ref().map_or(0, |decided| decided.seq),
            Self::Held(fact) => fact.question.seq.unwrap_or_default(),
        }
    }
}

impl Store {
    /// How many decisions of a conversation are in history.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn decisions_of(&self, of: ConversationId) -> Result<i64, StoreError> {
        Ok(query(COUNT_OF).bind(of.0.to_vec()).fetch_one(&self.readers).await?.try_get(0)?)
    }

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
        let fill = self.index_fill().await?;
        let since = match fill.since {
            Some(At(since)) => Some(since),
            None => query(SINCE).bind(fill.filled.max(0)).fetch_one(&self.readers).await?.try_get(0)?,
        };
        Ok((fill.entries + fill.pending, since))
    }
}
