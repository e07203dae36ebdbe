//! Questions that servers hold open, and those that are closed (D-86).

use countersign_core::ids::{At, CallId, RequestId};
use countersign_core::request::{Closing, Held};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, query};

use super::inbox::CallFact;
use crate::error::StoreError;
use crate::open::Store;
use crate::table::held;

const ONE: &str = "SELECT * FROM held WHERE id = ?";
const CLOSED: &str = "SELECT * FROM held WHERE state <> 'open' ORDER BY closed_at DESC, rowid DESC LIMIT ?";
const OF_CALL: &str = "SELECT * FROM held WHERE call = ? ORDER BY rowid";
pub(crate) const PAGE: &str =
    "SELECT * FROM held WHERE decided_seq > 0 AND decided_seq < ? ORDER BY decided_seq DESC LIMIT ?";
/// Decisions by their places among all decisions.
pub(crate) const BY_SEQS: &str = "SELECT * FROM held WHERE decided_seq IN (SELECT value FROM json_each(?))";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[ONE, CLOSED, OF_CALL, PAGE, BY_SEQS];

/// A held question with how it closed.
#[derive(Debug, Clone)]
pub struct HeldQuestion {
    /// The question.
    pub held: Held,
    /// How it closed and when; none while it is open.
    pub closed: Option<(Closing, At)>,
    /// What the server got, as JSON text, if it got anything.
    pub answer: Option<String>,
    /// Its place among all decisions; none while it is open, below zero where it isn't in history any more (N-84).
    pub seq: Option<i64>,
}

/// A held question with the call that is executed meanwhile.
#[derive(Debug, Clone)]
pub struct HeldFact {
    /// The question.
    pub question: HeldQuestion,
    /// The call. What was decided about the call itself is a decision of its own.
    pub call: CallFact,
}

impl Store {
    /// A held question by its id; none if it is none.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn held_fact(&self, question: [u8; 16]) -> Result<Option<HeldFact>, StoreError> {
        match self.held_question(RequestId(question)).await? {
            Some(question) => Ok(Some(self.held_with_call(question).await?)),
            None => Ok(None),
        }
    }

    /// A held question by its id, without its call; none if it is none.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn held_question(&self, question: RequestId) -> Result<Option<HeldQuestion>, StoreError> {
        let row = query(ONE).bind(question.0.to_vec()).fetch_optional(&self.readers).await?;
        row.as_ref().map(read).transpose()
    }

    /// Held questions that closed lately, the newest first.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn closed_held(&self, limit: i64) -> Result<Vec<HeldFact>, StoreError> {
        self.with_calls(query(CLOSED).bind(limit).fetch_all(&self.readers).await?).await
    }

    /// What the server of a call asked while it was executed, in order.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn held_of(&self, call: CallId) -> Result<Vec<HeldQuestion>, StoreError> {
        query(OF_CALL).bind(call.0.to_vec()).fetch_all(&self.readers).await?.iter().map(read).collect()
    }

    /// Held questions that closed before a place among all decisions, the newest first.
    pub(crate) async fn held_before(&self, before: i64, limit: i64) -> Result<Vec<HeldFact>, StoreError> {
        self.with_calls(query(PAGE).bind(before).bind(limit).fetch_all(&self.readers).await?).await
    }

    pub(crate) async fn with_calls(&self, rows: Vec<SqliteRow>) -> Result<Vec<HeldFact>, StoreError> {
        let mut facts = Vec::with_capacity(rows.len());
        for row in rows {
            facts.push(self.held_with_call(read(&row)?).await?);
        }
        Ok(facts)
    }

    async fn held_with_call(&self, question: HeldQuestion) -> Result<HeldFact, StoreError> {
        let call = self.call_fact(question.held.request.call.0).await?;
        let call =
            call.ok_or_else(|| StoreError::Unreadable { what: "a held question without its call".to_owned() })?;
        Ok(HeldFact { question, call })
    }
}

impl HeldQuestion {
    /// Which.
    pub fn id(&self) -> RequestId {
        self.held.request.id
    }
}

fn read(row: &SqliteRow) -> Result<HeldQuestion, StoreError> {
    let closing: Option<&str> = row.try_get("closing")?;
    let closing: Option<Closing> = closing.map(serde_json::from_str).transpose()?;
    Ok(HeldQuestion {
        held: held::read(row)?,
        closed: closing.zip(row.try_get::<Option<i64>, _>("closed_at")?.map(At)),
        answer: row.try_get("answer")?,
        seq: row.try_get("decided_seq")?,
    })
}
