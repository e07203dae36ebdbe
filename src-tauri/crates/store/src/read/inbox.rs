//! The Inbox's read model: one call with its request, its conversation, and what was decided.

use countersign_core::call::Call;
use countersign_core::change::MessageBody;
use countersign_core::digest::Digest;
use countersign_core::ids::{AgentId, At, CallId, ConversationId, RequestId};
use countersign_core::input::GuardVerdict;
use countersign_core::request::{Closing, RequestKind};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, query};

use crate::error::StoreError;
use crate::open::Store;
use crate::row::{from_json, from_word, id, maybe_id};
use crate::table::{call, message, request};

macro_rules! call_facts {
    ($rest:literal) => {
        concat!(
            "SELECT call.*, request.id AS request_id, request.kind AS request_kind, request.digest AS request_digest, ",
            "request.before AS request_before, request.opened_at AS request_opened_at, request.closing AS ",
            "request_closing, request.closed_at AS request_closed_at, request.state AS request_state, ",
            "conversation.title AS conversation_title, conversation.agent AS conversation_agent, ",
            "conversation.deleted_at AS conversation_deleted_at, proposer.parent_call IS NOT NULL AS is_below, ",
            "EXISTS (SELECT 1 FROM held WHERE held.call = call.id) AS has_asked FROM call ",
            "JOIN run AS proposer ON proposer.id = call.proposed_by ",
            "JOIN conversation ON conversation.id = call.conversation ",
            // A call that asked again (D-97) has several requests; the newest is the one that counts.
            "LEFT JOIN request ON request.rowid = (SELECT max(rowid) FROM request AS newest WHERE newest.call = call.id) ",
            $rest
        )
    };
}

pub(crate) use call_facts;

const OPEN: &str = call_facts!(
    "WHERE call.conversation = ? AND call.state IN ('waiting', 'held', 'approved') ORDER BY call.proposed_at, call.position"
);
const WAITING_CONVERSATIONS: &str = "SELECT waits.conversation, min(waits.since) AS oldest FROM ( \
    SELECT call.conversation, call.proposed_at AS since FROM call WHERE call.state = 'waiting' OR call.state = 'approved' \
    AND NOT EXISTS (SELECT 1 FROM run WHERE run.conversation = call.conversation AND run.phase <> 'ended' \
    AND run.parent_call IS NULL) \
    UNION ALL SELECT held.conversation, held.opened_at FROM held WHERE held.state = 'open') AS waits \
    JOIN conversation ON conversation.id = waits.conversation WHERE conversation.deleted_at IS NULL \
    GROUP BY waits.conversation ORDER BY oldest";
const BY_REQUEST: &str = call_facts!("WHERE call.id = (SELECT call FROM request AS asked WHERE asked.id = ?)");
const BY_CALL: &str = call_facts!("WHERE call.id = ?");
/// Decisions by their places among all decisions.
pub(crate) const BY_SEQS: &str = call_facts!("WHERE call.decided_seq IN (SELECT value FROM json_each(?))");
const CLOSED: &str =
    call_facts!("WHERE request.state <> 'open' ORDER BY request.closed_at DESC, request.rowid DESC LIMIT ?");
pub(crate) const CALLS_OF_MESSAGE: &str = call_facts!("WHERE call.message = ? ORDER BY call.position");
const READS_ONLY: &str =
    "SELECT count(*) FROM call WHERE proposed_by = ? AND started_at IS NOT NULL AND effect <> 'read'";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] =
    &[OPEN, WAITING_CONVERSATIONS, BY_REQUEST, BY_CALL, BY_SEQS, CLOSED, CALLS_OF_MESSAGE, READS_ONLY];

/// A call with everything that is shown of it.
#[derive(Debug, Clone)]
pub struct CallFact {
    /// The call.
    pub call: Call,
    /// Its conversation.
    pub conversation: ConversationId,
    /// Whether a sub-agent made it (D-40).
    pub below: bool,
    /// Its conversation's name.
    pub title: String,
    /// Its conversation's agent.
    pub agent: AgentId,
    /// Whether the conversation was deleted.
    pub deleted: bool,
    /// The request, if it asked.
    pub request: Option<RequestFact>,
    /// The result that the model got.
    pub result: Option<String>,
    /// What the guards said.
    pub verdicts: Vec<GuardVerdict>,
    /// When it was proposed.
    pub proposed_at: At,
    /// When it was claimed.
    pub started_at: Option<At>,
    /// When it was over.
    pub settled_at: Option<At>,
    /// What was decided about it.
    pub decided: Option<DecidedFact>,
    /// Whether its server asked something while it was executed (D-86).
    pub asked: bool,
}

/// A request with how it closed.
#[derive(Debug, Clone)]
pub struct RequestFact {
    /// Which.
    pub id: RequestId,
    /// What kind.
    pub kind: RequestKind,
    /// Its digest.
    pub digest: Digest,
    /// The content that the file had.
    pub before: Option<String>,
    /// When it asked.
    pub opened_at: At,
    /// How it closed; none while it is open.
    pub closed: Option<(Closing, At)>,
}

/// A decision as history has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecidedFact {
    /// Its place among all decisions; below zero for one that isn't in history any more (N-84), 0 for the copy that a fork has of one.
    pub seq: i64,
    /// When.
    pub at: At,
    /// `approved`, `approved_conversation`, `plan_default`, `plan_auto`, `rejected`, `ran`, `expired`.
    pub decision: String,
    /// `person`, `rule`, `standing`, `auto`, `conversation`.
    pub by: String,
    /// The rule's name, or the person's reason.
    pub words: Option<String>,
}

impl Store {
    /// Conversations in which something waits for the person, the oldest first.
    ///
    /// # Errors
    /// A [`StoreError`]: an Inbox that can't be read is never shown as an empty one.
    pub async fn waiting_conversations(&self) -> Result<Vec<ConversationId>, StoreError> {
        let rows = query(WAITING_CONVERSATIONS).fetch_all(&self.readers).await?;
        rows.iter().map(|row| id(row, "conversation")).collect()
    }

    /// Everything of a conversation that waits or waits along, in the model's order.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn waiting_calls(&self, of: ConversationId) -> Result<Vec<CallFact>, StoreError> {
        let rows = query(OPEN).bind(of.0.to_vec()).fetch_all(&self.readers).await?;
        rows.iter().map(read_call).collect()
    }

    /// The call that a row's id names: a request's, or a call's own.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn call_fact(&self, row: [u8; 16]) -> Result<Option<CallFact>, StoreError> {
        let by_request = query(BY_REQUEST).bind(row.to_vec()).fetch_optional(&self.readers).await?;
        let found = match by_request {
            Some(found) => Some(found),
            None => query(BY_CALL).bind(row.to_vec()).fetch_optional(&self.readers).await?,
        };
        found.as_ref().map(read_call).transpose()
    }

    /// Requests that closed lately, the newest first.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn closed_calls(&self, limit: i64) -> Result<Vec<CallFact>, StoreError> {
        query(CLOSED).bind(limit).fetch_all(&self.readers).await?.iter().map(read_call).collect()
    }

    /// What the model said in the response that holds a call.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn words_of(&self, call: &Call) -> Result<String, StoreError> {
        let row = query(message::ONE).bind(call.message.0.to_vec()).fetch_optional(&self.readers).await?;
        Ok(match row.as_ref().map(message::body).transpose()? {
            Some(MessageBody::Assistant { text, .. }) => text,
            Some(MessageBody::User { .. } | MessageBody::Agent { .. }) | None => String::new(),
        })
    }

    /// Whether nothing but reading tools was started by calls of the run that made this call.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn only_reads_ran(&self, call: &Call) -> Result<bool, StoreError> {
        let row = query(READS_ONLY).bind(call.proposed_by.0.to_vec()).fetch_one(&self.readers).await?;
        Ok(row.try_get::<i64, _>(0)? == 0)
    }

    /// A call by its own id.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn call(&self, call: CallId) -> Result<Option<Call>, StoreError> {
        let row = query(call::ONE).bind(call.0.to_vec()).fetch_optional(&self.readers).await?;
        row.as_ref().map(call::read).transpose()
    }
}

pub(crate) fn read_call(row: &SqliteRow) -> Result<CallFact, StoreError> {
    let at = |column: &str| -> Result<Option<At>, StoreError> { Ok(row.try_get::<Option<i64>, _>(column)?.map(At)) };
    let request = match maybe_id(row, "request_id")? {
        None => None,
        Some(id) => {
            let closing: Option<&str> = row.try_get("request_closing")?;
            let closing: Option<Closing> = closing.map(serde_json::from_str).transpose()?;
            Some(RequestFact {
                id,
                kind: from_word(row.try_get("request_kind")?)?,
                digest: request::digest(row, "request_digest")?,
                before: row.try_get("request_before")?,
                opened_at: At(row.try_get("request_opened_at")?),
                closed: closing.zip(at("request_closed_at")?),
            })
        }
    };
    let decided = match row.try_get::<Option<String>, _>("decision")? {
        None => None,
        Some(decision) => Some(DecidedFact {
            seq: row.try_get::<Option<i64>, _>("decided_seq")?.unwrap_or_default(),
            at: At(row.try_get("decided_at")?),
            decision,
            by: row.try_get("decided_by")?,
            words: row.try_get("decided_words")?,
        }),
    };
    Ok(CallFact {
        call: call::read(row)?,
        conversation: id(row, "conversation")?,
        below: row.try_get("is_below")?,
        title: row.try_get("conversation_title")?,
        agent: id(row, "conversation_agent")?,
        deleted: row.try_get::<Option<i64>, _>("conversation_deleted_at")?.is_some(),
        request,
        result: row.try_get("result")?,
        verdicts: from_json(row, "verdicts")?,
        proposed_at: At(row.try_get("proposed_at")?),
        started_at: at("started_at")?,
        settled_at: at("settled_at")?,
        decided,
        asked: row.try_get("has_asked")?,
    })
}
