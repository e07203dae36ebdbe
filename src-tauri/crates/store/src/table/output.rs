//! The table `output`: what a call gave in whole, where the model got less of it.

use countersign_core::ids::{CallId, ConversationId};
use sqlx::query;
use sqlx::sqlite::SqliteConnection;

use crate::error::StoreError;

/// How many bytes a part has, or a few less, since no character is split.
pub(crate) const PART: usize = 64 * 1024;

const INSERT: &str = "INSERT OR REPLACE INTO output (call, part, conversation, bytes, body) VALUES (?, ?, ?, ?, ?)";
const DELETE: &str = "DELETE FROM output WHERE conversation = ?";
/// How large it is, and how many parts it has.
pub(crate) const SIZE: &str = "SELECT bytes, (SELECT count(*) FROM output AS all_parts WHERE all_parts.call = output.call) AS parts \
    FROM output WHERE call = ? AND part = 0";
pub(crate) const ONE: &str = "SELECT body FROM output WHERE call = ? AND part = ?";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[INSERT, DELETE, SIZE, ONE];

/// A text in parts.
pub(crate) fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = (1..=PART.min(rest.len())).rev().find(|end| rest.is_char_boundary(*end));
        let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
        parts.push(part);
        rest = after;
    }
    parts
}

pub(crate) async fn keep(
    to: &mut SqliteConnection,
    of: ConversationId,
    call: CallId,
    text: &str,
) -> Result<(), StoreError> {
    let bytes = i64::try_from(text.len()).unwrap_or(i64::MAX);
    for (part, body) in (0_i64..).zip(parts(text)) {
        query(INSERT)
            .bind(call.0.to_vec())
            .bind(part)
            .bind(of.0.to_vec())
            .bind(bytes)
            .bind(body)
            .execute(&mut *to)
            .await?;
    }
    Ok(())
}

pub(crate) async fn delete(to: &mut SqliteConnection, of: ConversationId) -> Result<(), StoreError> {
    query(DELETE).bind(of.0.to_vec()).execute(to).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_the_text_and_split_no_character() {
        for text in [String::new(), "a".to_owned(), "ä€😀".repeat(40_000), "x".repeat(3 * PART)] {
            let parts = parts(&text);
            assert_eq!(parts.concat(), text);
            assert!(parts.iter().all(|part| !part.is_empty() && part.len() <= PART));
        }
    }
}
