//! The table `message`. Messages are appended and never rewritten.

use countersign_core::change::{Message, MessageBody};
use countersign_core::ids::ConversationId;
use countersign_core::spending::{Cost, Currency, Usage};
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{Row as _, query};

use crate::error::StoreError;

/// The most that is believed of one call: what a server says must not make a sum overflow.
const MOST_TOKENS: u64 = 1_000_000_000_000;
/// The same for its cost: a million of any currency.
const MOST_NANO: i64 = 1_000_000_000_000_000;

const INSERT: &str = "INSERT INTO message (id, conversation, seq, run, thread, role, agent, body, raw, counted, tokens_in, \
    tokens_out, cached_in, written_in, cost_nano, currency, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
pub(crate) const OF_CONVERSATION: &str = "SELECT * FROM message WHERE conversation = ? AND thread IS NULL ORDER BY seq";
pub(crate) const OF_THREAD: &str = "SELECT * FROM message WHERE thread = ? ORDER BY seq";
pub(crate) const PAGE: &str = "SELECT * FROM message WHERE conversation = ? AND thread IS NULL AND seq < ? \
    ORDER BY seq DESC LIMIT ?";
/// The same in the other direction: behind a place, the oldest first.
pub(crate) const PAGE_BEHIND: &str = "SELECT * FROM message WHERE conversation = ? AND thread IS NULL AND seq > ? \
    ORDER BY seq LIMIT ?";
pub(crate) const ONE: &str = "SELECT * FROM message WHERE id = ?";
/// The end of the run that a message is the last of on the conversation's own thread.
pub(crate) const ENDS: &str = "SELECT run.* FROM message JOIN run ON run.id = message.run \
    WHERE message.id = ? AND message.thread IS NULL AND run.phase = 'ended' AND message.run IS NOT (\
    SELECT later.run FROM message AS later WHERE later.conversation = message.conversation AND later.thread IS NULL \
    AND later.seq > message.seq ORDER BY later.seq LIMIT 1)";
/// The last message of a run on the conversation's own thread.
pub(crate) const LAST_OF_RUN: &str = "SELECT message.id FROM message JOIN run ON run.id = message.run \
    WHERE message.conversation = run.conversation AND message.run = ? AND message.thread IS NULL \
    ORDER BY message.seq DESC LIMIT 1";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[INSERT, OF_CONVERSATION, OF_THREAD, PAGE, PAGE_BEHIND, ONE, ENDS, LAST_OF_RUN];

/// What a call used up, as it is stored and added up.
pub(crate) struct Used {
    pub(crate) counted: bool,
    pub(crate) input: i64,
    pub(crate) output: i64,
    pub(crate) cached: i64,
    pub(crate) written: i64,
    pub(crate) nano: Option<i64>,
    pub(crate) currency: Option<String>,
}

impl Used {
    pub(crate) fn of(usage: Option<Usage>) -> Self {
        let number = |tokens: u64| i64::try_from(tokens.min(MOST_TOKENS)).unwrap_or_default();
        let tokens = usage.unwrap_or_default();
        Self {
            counted: usage.is_some(),
            input: number(tokens.input),
            output: number(tokens.output),
            cached: number(tokens.cached),
            written: number(tokens.written),
            nano: tokens.cost.map(|cost| cost.nano.min(MOST_NANO)),
            currency: tokens.cost.map(|cost| cost.currency.as_str().to_owned()),
        }
    }
}

pub(crate) async fn insert(to: &mut SqliteConnection, of: ConversationId, message: &Message) -> Result<(), StoreError> {
    let (role, agent, text, raw, usage) = match &message.body {
        MessageBody::User { text } => ("user", None, text, None, None),
        MessageBody::Agent { name, text } => ("user", Some(name), text, None, None),
        MessageBody::Assistant { text, raw, usage } => ("assistant", None, text, raw.as_ref(), *usage),
    };
    let used = Used::of(usage);
    query(INSERT)
        .bind(message.id.0.to_vec())
        .bind(of.0.to_vec())
        .bind(message.seq)
        .bind(message.run.0.to_vec())
        .bind(message.thread.map(|run| run.0.to_vec()))
        .bind(role)
        .bind(agent)
        .bind(text)
        .bind(raw)
        .bind(used.counted)
        .bind(used.input)
        .bind(used.output)
        .bind(used.cached)
        .bind(used.written)
        .bind(used.nano)
        .bind(used.currency)
        .bind(message.at.0)
        .execute(to)
        .await?;
    Ok(())
}

pub(crate) fn body(row: &SqliteRow) -> Result<MessageBody, StoreError> {
    let tokens = |column: &str| -> Result<u64, StoreError> {
        Ok(u64::try_from(row.try_get::<i64, _>(column)?).unwrap_or_default())
    };
    let text: String = row.try_get("body")?;
    Ok(match row.try_get::<&str, _>("role")? {
        "user" => match row.try_get("agent")? {
            Some(name) => MessageBody::Agent { name, text },
            None => MessageBody::User { text },
        },
        _ => MessageBody::Assistant {
            text,
            raw: row.try_get("raw")?,
            usage: if row.try_get("counted")? {
                Some(Usage {
                    input: tokens("tokens_in")?,
                    output: tokens("tokens_out")?,
                    cached: tokens("cached_in")?,
                    written: tokens("written_in")?,
                    cost: match (row.try_get("cost_nano")?, currency(row)?) {
                        (Some(nano), Some(currency)) => Some(Cost { nano, currency }),
                        (None, _) | (_, None) => None,
                    },
                })
            } else {
                None
            },
        },
    })
}

/// The currency of a row; none where there is no price.
fn currency(row: &SqliteRow) -> Result<Option<Currency>, StoreError> {
    let letters: Option<&str> = row.try_get("currency")?;
    let unreadable = |letters: &str| StoreError::Unreadable { what: format!("the currency is {letters}") };
    letters.map(|letters| Currency::new(letters).ok_or_else(|| unreadable(letters))).transpose()
}
