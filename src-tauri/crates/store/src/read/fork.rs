//! What a fork is made of, and what is shown of where it came from and of how its mode changed.

use std::collections::BTreeMap;

use countersign_core::change::Message;
use countersign_core::fork::{PastCall, PastMessage, PastRun, Source};
use countersign_core::ids::{At, ConversationId, MessageId};
use countersign_core::mode::Mode;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, query};

use crate::error::StoreError;
use crate::open::Store;
use crate::row::{from_word, id, maybe_id};
use crate::table::{call, conversation, message};

const RUNS: &str = "SELECT * FROM run WHERE conversation = ? AND parent_call IS NULL ORDER BY rowid";
/// The source of the fork whose last copy this message is.
const FORKED_BEHIND: &str = "SELECT source.id, source.title, source.deleted_at, conversation.created_at FROM message \
    JOIN conversation ON conversation.id = message.conversation AND conversation.forked_before = message.seq + 1 \
    JOIN conversation AS source ON source.id = conversation.forked_from WHERE message.id = ? AND message.thread IS NULL";
const MODES_BEHIND: &str = "SELECT mode_change.mode, mode_change.ends, mode_change.until, mode_change.at \
    FROM message JOIN mode_change ON mode_change.conversation = message.conversation \
    AND mode_change.behind = message.seq \
    WHERE message.id = ? AND message.thread IS NULL ORDER BY mode_change.rowid";
const LAST: &str = "SELECT id FROM message WHERE conversation = ? AND thread IS NULL ORDER BY seq DESC LIMIT 1";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[RUNS, FORKED_BEHIND, MODES_BEHIND, LAST];

/// Where a fork came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForkFact {
    /// The conversation that it was forked from.
    pub from: ConversationId,
    /// What that is called; blank if nothing of it is left.
    pub title: String,
    /// Whether it was deleted.
    pub deleted: bool,
    /// When it was forked.
    pub at: At,
}

/// A change of a conversation's mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModeFact {
    /// What it was set to.
    pub mode: Mode,
    /// Whether it ends with the run (D-74).
    pub ends: bool,
    /// When it ends at the latest, where it was given a time (D-82).
    pub until: Option<At>,
    /// When.
    pub at: At,
}

impl Store {
    /// What a conversation holds on its own thread, read in one go; none if it isn't there (any more).
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn fork_source(&self, of: ConversationId) -> Result<Option<Source>, StoreError> {
        let mut reading = self.readers.begin().await?;
        let key = of.0.to_vec();
        let Some(row) = query(conversation::ONE).bind(&key).fetch_optional(&mut *reading).await? else {
            return Ok(None);
        };
        let runs = query(RUNS).bind(&key).fetch_all(&mut *reading).await?;
        let mut calls: BTreeMap<MessageId, Vec<PastCall>> = BTreeMap::new();
        for row in query(call::OF_CONVERSATION).bind(&key).fetch_all(&mut *reading).await? {
            let call = call::read(&row)?;
            let past = PastCall { result: row.try_get("result")?, call };
            calls.entry(past.call.message).or_default().push(past);
        }
        let mut messages = Vec::new();
        for row in query(message::OF_CONVERSATION).bind(&key).fetch_all(&mut *reading).await? {
            let message = read_message(&row)?;
            let calls = calls.remove(&message.id).unwrap_or_default();
            messages.push(PastMessage { message, calls });
        }
        let runs = runs.iter().map(read_run).collect::<Result<_, _>>()?;
        Ok(Some(Source { conversation: conversation::read(&row)?, runs, messages }))
    }

    /// Where the fork came from whose last copy a message is; none for any other message.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn forked_behind(&self, message: MessageId) -> Result<Option<ForkFact>, StoreError> {
        let row = query(FORKED_BEHIND).bind(message.0.to_vec()).fetch_optional(&self.readers).await?;
        row.map(|row| {
            Ok(ForkFact {
                from: id(&row, "id")?,
                title: row.try_get("title")?,
                deleted: row.try_get::<Option<i64>, _>("deleted_at")?.is_some(),
                at: At(row.try_get("created_at")?),
            })
        })
        .transpose()
    }

    /// How the mode was changed behind a message of a conversation's own thread, before the next one came; in order.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn modes_behind(&self, message: MessageId) -> Result<Vec<ModeFact>, StoreError> {
        let rows = query(MODES_BEHIND).bind(message.0.to_vec()).fetch_all(&self.readers).await?;
        rows.iter()
            .map(|row| {
                Ok(ModeFact {
                    mode: from_word(row.try_get("mode")?)?,
                    ends: row.try_get::<i64, _>("ends")? != 0,
                    until: row.try_get::<Option<i64>, _>("until")?.map(At),
                    at: At(row.try_get("at")?),
                })
            })
            .collect()
    }

    /// The last message of a conversation's own thread; none while nothing was said.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn last_message(&self, of: ConversationId) -> Result<Option<MessageId>, StoreError> {
        let row = query(LAST).bind(of.0.to_vec()).fetch_optional(&self.readers).await?;
        row.map(|row| id(&row, "id")).transpose()
    }
}

pub(super) fn read_message(row: &SqliteRow) -> Result<Message, StoreError> {
    Ok(Message {
        id: id(row, "id")?,
        seq: row.try_get("seq")?,
        run: id(row, "run")?,
        thread: maybe_id(row, "thread")?,
        body: message::body(row)?,
        at: At(row.try_get("at")?),
    })
}

fn read_run(row: &SqliteRow) -> Result<PastRun, StoreError> {
    let small = |column: &str| -> Result<u32, StoreError> {
        let value: i64 = row.try_get(column)?;
        u32::try_from(value).map_err(|_| StoreError::Unreadable { what: format!("{column} is {value}") })
    };
    let ending: Option<&str> = row.try_get("ending")?;
    let end = match (ending, row.try_get::<Option<i64>, _>("ended_at")?) {
        (Some(ending), Some(at)) => Some((serde_json::from_str(ending)?, At(at))),
        (None, _) | (_, None) => None,
    };
    Ok(PastRun {
        id: id(row, "id")?,
        rounds: small("rounds")?,
        limit: small("round_limit")?,
        mode_start: from_word(row.try_get("mode_start")?)?,
        agent_revision: row.try_get("agent_revision")?,
        started_at: At(row.try_get("started_at")?),
        end,
    })
}
