//! Past calls as a rule would have seen them, and what rules decided.

use countersign_core::ids::{AgentId, At, CallId, ConversationId};
use countersign_core::request::Precondition;
use countersign_core::tool::{Effect, Marks, ToolIdentity};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, query};

use crate::error::StoreError;
use crate::open::Store;
use crate::row::{from_json, from_word, id};

const PAST: &str = "SELECT call.id, call.conversation, call.identity, call.effect, call.marks, call.arguments, \
    call.preconditions, call.decided_at, call.decision, call.decided_by, \
    coalesce(proposer.agent, conversation.agent) AS by_agent FROM call \
    JOIN run AS proposer ON proposer.id = call.proposed_by JOIN conversation ON conversation.id = call.conversation \
    WHERE call.decided_at >= ? AND call.decided_seq > 0 AND call.identity IS NOT NULL \
    ORDER BY call.decided_at DESC LIMIT ?";
/// How many left history since then; what they were isn't stored any more.
const GONE: &str = "SELECT count(*) FROM call WHERE decided_at >= ? AND decided_seq < 0 AND identity IS NOT NULL";
const COUNT: &str = "SELECT count(*) FROM call WHERE decided_at >= ? AND decided_seq > 0 AND identity IS NOT NULL";
const BY_RULE: &str = "SELECT decided_words, count(*) AS times, max(decided_at) AS last FROM call \
    WHERE decided_by = 'rule' AND decided_words IS NOT NULL GROUP BY decided_words";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[PAST, COUNT, GONE, BY_RULE];

/// A past call.
#[derive(Debug, Clone)]
pub struct PastCall {
    /// Which.
    pub id: CallId,
    /// Its conversation.
    pub conversation: ConversationId,
    /// The agent that made it.
    pub agent: AgentId,
    /// Its tool.
    pub identity: ToolIdentity,
    /// What the tool did, as declared then.
    pub effect: Effect,
    /// The tool's marks then.
    pub marks: Marks,
    /// Its exact arguments.
    pub arguments: String,
    /// What was true then.
    pub preconditions: Vec<Precondition>,
    /// When it was decided.
    pub at: At,
    /// What: `approved`, `approved_conversation`, `rejected`, `ran`, `expired`, …
    pub decision: String,
    /// By whom: `person`, `rule`, `standing`, `auto`, `conversation`.
    pub by: String,
}

/// What rules of one name, or several together, decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ByRule {
    /// The names, joined by `, `.
    pub names: String,
    /// How often.
    pub times: i64,
    /// When last.
    pub last: At,
}

impl Store {
    /// Calls that were decided since, the newest first, and at most so many.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn past_calls(&self, since: At, limit: i64) -> Result<Vec<PastCall>, StoreError> {
        let rows = query(PAST).bind(since.0).bind(limit).fetch_all(&self.readers).await?;
        rows.iter().map(past_call).collect()
    }

    /// How many calls were decided since.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn past_calls_count(&self, since: At) -> Result<i64, StoreError> {
        Ok(query(COUNT).bind(since.0).fetch_one(&self.readers).await?.try_get(0)?)
    }

    /// How many calls that were decided since aren't stored any more.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn past_calls_gone(&self, since: At) -> Result<i64, StoreError> {
        Ok(query(GONE).bind(since.0).fetch_one(&self.readers).await?.try_get(0)?)
    }

    /// What rules decided, by their names.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn decided_by_rules(&self) -> Result<Vec<ByRule>, StoreError> {
        let rows = query(BY_RULE).fetch_all(&self.readers).await?;
        let read = |row: &SqliteRow| {
            Ok(ByRule {
                names: row.try_get("decided_words")?,
                times: row.try_get("times")?,
                last: At(row.try_get("last")?),
            })
        };
        rows.iter().map(read).collect()
    }
}

fn past_call(row: &SqliteRow) -> Result<PastCall, StoreError> {
    Ok(PastCall {
        id: id(row, "id")?,
        conversation: id(row, "conversation")?,
        agent: id(row, "by_agent")?,
        identity: from_json(row, "identity")?,
        effect: from_word(row.try_get("effect")?)?,
        marks: from_json(row, "marks")?,
        arguments: row.try_get("arguments")?,
        preconditions: from_json(row, "preconditions")?,
        at: At(row.try_get("decided_at")?),
        decision: row.try_get("decision")?,
        by: row.try_get("decided_by")?,
    })
}
