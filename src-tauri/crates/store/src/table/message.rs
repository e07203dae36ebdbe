//! The table `message`. Messages are appended and never rewritten.

use countersign_core::change::{Message, MessageBody, Usage};
use countersign_core::ids::ConversationId;
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{Row as _, query};

use crate::error::StoreError;

const INSERT: &str = "INSERT INTO message (id, conversation, seq, run, thread, role, agent, body, raw, tokens_in, \
    tokens_out, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
pub(crate) const OF_CONVERSATION: &str = "SELECT * FROM message WHERE conversation = ? AND thread IS NULL ORDER BY seq";
pub(crate) const OF_THREAD: &str = "SELECT * FROM message WHERE thread = ? ORDER BY seq";
pub(crate) const PAGE: &str = "SELECT * FROM message WHERE conversation = ? AND thread IS NULL AND seq < ? \
    ORDER BY seq DESC LIMIT ?";
pub(crate) const ONE: &str = "SELECT * FROM message WHERE id = ?";
pub(crate) const TOKENS: &str = "SELECT coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0) FROM message \
    WHERE conversation = ?";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[INSERT, OF_CONVERSATION, OF_THREAD, PAGE, ONE, TOKENS];

pub(crate) async fn insert(to: &mut SqliteConnection, of: ConversationId, message: &Message) -> Result<(), StoreError> {
    let (role, agent, text, raw, usage) = match &message.body {
        MessageBody::User { text } => ("user", None, text, None, Usage::default()),
        MessageBody::Agent { name, text } => ("user", Some(name), text, None, Usage::default()),
        MessageBody::Assistant { text, raw, usage } => ("assistant", None, text, raw.as_ref(), *usage),
    };
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
        .bind(i64::try_from(usage.input).unwrap_or(i64::MAX))
        .bind(i64::try_from(usage.output).unwrap_or(i64::MAX))
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
            usage: Usage { input: tokens("tokens_in")?, output: tokens("tokens_out")? },
        },
    })
}
