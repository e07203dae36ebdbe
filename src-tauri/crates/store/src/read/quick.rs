//! Quick tasks: each is one run with nothing around it. The newest first.

use countersign_core::conversation::Conversation;
use countersign_core::ids::{At, ConversationId};
use countersign_core::run::{Phase, RunEnd};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, query};

use crate::error::StoreError;
use crate::open::Store;
use crate::row::from_word;
use crate::table::conversation;

macro_rules! quick_facts {
    ($rest:literal) => {
        concat!(
            "SELECT conversation.*, conversation.rowid AS place, run.phase, run.rounds, run.round_limit, ",
            "run.started_at, run.ended_at, run.ending FROM conversation LEFT JOIN run ON run.rowid = ",
            // The first run is the task's own.
            "(SELECT min(rowid) FROM run AS first WHERE first.conversation = conversation.id) ",
            "WHERE conversation.kind = 'quick' AND conversation.deleted_at IS NULL ",
            $rest
        )
    };
}

const PAGE: &str = quick_facts!("AND conversation.rowid < ? ORDER BY conversation.rowid DESC LIMIT ?");
const ONE: &str = quick_facts!("AND conversation.id = ?");
const CALLS: &str = "SELECT count(*) FROM call WHERE conversation = ? AND started_at IS NOT NULL";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[PAGE, ONE, CALLS];

/// A Quick task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuickFact {
    /// What it is stored under.
    pub conversation: Conversation,
    /// Its place among all of them; pages go by it.
    pub place: i64,
    /// Its run; none if that couldn't be started.
    pub run: Option<QuickRun>,
    /// How many calls began.
    pub calls: i64,
}

/// The run of a Quick task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuickRun {
    /// Rounds so far.
    pub rounds: u32,
    /// How many there may be.
    pub limit: u32,
    /// When it started.
    pub started_at: At,
    /// How and when it ended; none while it goes on.
    pub ended: Option<(RunEnd, At)>,
    /// What it is doing; none once it has ended.
    pub phase: Option<Phase>,
}

impl Store {
    /// A page of Quick tasks: at most `limit` before `before`, the newest first.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn quick_tasks(&self, before: i64, limit: i64) -> Result<Vec<QuickFact>, StoreError> {
        let rows = query(PAGE).bind(before).bind(limit).fetch_all(&self.readers).await?;
        let mut facts = Vec::with_capacity(rows.len());
        for row in &rows {
            facts.push(self.quick_fact(row).await?);
        }
        Ok(facts)
    }

    /// One Quick task; none if it isn't there (any more), or is a conversation.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn quick_task(&self, of: ConversationId) -> Result<Option<QuickFact>, StoreError> {
        match query(ONE).bind(of.0.to_vec()).fetch_optional(&self.readers).await? {
            Some(row) => self.quick_fact(&row).await.map(Some),
            None => Ok(None),
        }
    }

    async fn quick_fact(&self, row: &SqliteRow) -> Result<QuickFact, StoreError> {
        let conversation = conversation::read(row)?;
        let calls = query(CALLS).bind(conversation.id.0.to_vec()).fetch_one(&self.readers).await?.try_get(0)?;
        Ok(QuickFact { place: row.try_get("place")?, run: run(row)?, conversation, calls })
    }
}

fn run(row: &SqliteRow) -> Result<Option<QuickRun>, StoreError> {
    let Some(phase) = row.try_get::<Option<&str>, _>("phase")? else { return Ok(None) };
    let small = |column: &str| -> Result<u32, StoreError> {
        let value: i64 = row.try_get(column)?;
        u32::try_from(value).map_err(|_| StoreError::Unreadable { what: format!("{column} is {value}") })
    };
    let ending: Option<&str> = row.try_get("ending")?;
    let ending: Option<RunEnd> = ending.map(serde_json::from_str).transpose()?;
    let ended_at = row.try_get::<Option<i64>, _>("ended_at")?.map(At);
    Ok(Some(QuickRun {
        rounds: small("rounds")?,
        limit: small("round_limit")?,
        started_at: At(row.try_get("started_at")?),
        ended: ending.zip(ended_at),
        phase: if phase == "ended" { None } else { Some(from_word(phase)?) },
    }))
}
