//! The journal: one row for each applied change, in the transaction that applied it, each chained to the one before.
//!
//! It holds kind, subject and a hash of the content, never the content: a changed decision shows, and yet content can
//! be erased. The chain is SHA-256 over the previous hash, seq, time, kind and content hash, with length prefixes.

use countersign_core::change::Change;
use countersign_core::ids::{At, ConversationId};
use sha2::{Digest as _, Sha256};
use sqlx::sqlite::SqliteConnection;
use sqlx::{Row as _, query};

use crate::error::StoreError;

/// Begins the writer's transaction and says where the chain ends.
const BEGIN: &str = "BEGIN IMMEDIATE; SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1";
/// Each with twice as many rows as the one before, so that a step needs few statements and the prepared ones are few.
const INSERT: [&str; 4] = [
    "INSERT INTO journal (seq, at, conversation, kind, subject, content, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
    "INSERT INTO journal (seq, at, conversation, kind, subject, content, hash) VALUES (?, ?, ?, ?, ?, ?, ?), \
        (?, ?, ?, ?, ?, ?, ?)",
    "INSERT INTO journal (seq, at, conversation, kind, subject, content, hash) VALUES (?, ?, ?, ?, ?, ?, ?), \
        (?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?)",
    "INSERT INTO journal (seq, at, conversation, kind, subject, content, hash) VALUES (?, ?, ?, ?, ?, ?, ?), \
        (?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?), \
        (?, ?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?, ?)",
];
const ALL: &str = "SELECT seq, at, kind, content, hash FROM journal ORDER BY seq";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[INSERT[0], INSERT[1], INSERT[2], INSERT[3], ALL];

/// The end of the chain: how many rows, and the last hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tip {
    seq: i64,
    hash: [u8; 32],
}

/// Begins a transaction that writes, and reads the end of the chain.
pub(crate) async fn begin(from: &mut SqliteConnection) -> Result<Tip, StoreError> {
    match query(BEGIN).fetch_optional(from).await? {
        None => Ok(Tip { seq: 0, hash: [0; 32] }),
        Some(row) => Ok(Tip { seq: row.try_get(0)?, hash: hash_of(row.try_get(1)?)? }),
    }
}

/// Adds a row for each change and returns the new end.
pub(crate) async fn add(
    to: &mut SqliteConnection,
    tip: Tip,
    conversation: ConversationId,
    changes: &[Change],
    at: At,
) -> Result<Tip, StoreError> {
    let (mut tip, mut left) = (tip, changes);
    while !left.is_empty() {
        let fits = INSERT.iter().enumerate().rev().find(|(power, _)| 1 << power <= left.len());
        let Some((power, insert)) = fits else { break };
        let (now, later) = left.split_at(1 << power);
        let mut adding = query(*insert);
        for change in now {
            let content: [u8; 32] = Sha256::digest(serde_json::to_vec(change)?).into();
            let seq = tip.seq + 1;
            let hash = link(&tip.hash, seq, at.0, change.kind(), &content);
            adding = adding
                .bind(seq)
                .bind(at.0)
                .bind(conversation.0.to_vec())
                .bind(change.kind())
                .bind(change.subject().map(|id| id.to_vec()))
                .bind(content.to_vec())
                .bind(hash.to_vec());
            tip = Tip { seq, hash };
        }
        adding.execute(&mut *to).await?;
        left = later;
    }
    Ok(tip)
}

/// Checks the whole chain.
///
/// # Errors
/// [`StoreError::Unreadable`] that names the first row at which it doesn't add up.
pub(crate) async fn check(from: &mut SqliteConnection) -> Result<i64, StoreError> {
    let mut tip = Tip { seq: 0, hash: [0; 32] };
    for row in query(ALL).fetch_all(from).await? {
        let seq: i64 = row.try_get("seq")?;
        let content = hash_of(row.try_get("content")?)?;
        let hash = link(&tip.hash, tip.seq + 1, row.try_get("at")?, row.try_get("kind")?, &content);
        if seq != tip.seq + 1 || hash != hash_of(row.try_get("hash")?)? {
            return Err(StoreError::Unreadable { what: format!("the journal doesn't add up from entry {seq}") });
        }
        tip = Tip { seq, hash };
    }
    Ok(tip.seq)
}

fn link(before: &[u8; 32], seq: i64, at: i64, kind: &str, content: &[u8; 32]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in
        [b"countersign journal 1".as_slice(), before, &seq.to_be_bytes(), &at.to_be_bytes(), kind.as_bytes(), content]
    {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

fn hash_of(bytes: &[u8]) -> Result<[u8; 32], StoreError> {
    bytes.try_into().map_err(|_| StoreError::Unreadable { what: "a hash of the journal".to_owned() })
}
