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
use crate::open::Store;

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
const SLICE: &str = "SELECT seq, at, kind, content, hash FROM journal WHERE seq > ? ORDER BY seq LIMIT ?";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[INSERT[0], INSERT[1], INSERT[2], INSERT[3], SLICE];

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

/// Adds a row that records something beside a conversation's changes.
pub(crate) async fn note(
    to: &mut SqliteConnection,
    tip: Tip,
    conversation: ConversationId,
    kind: &str,
    content: &[u8; 32],
    at: At,
) -> Result<Tip, StoreError> {
    let seq = tip.seq + 1;
    let hash = link(&tip.hash, seq, at.0, kind, content);
    query(INSERT[0])
        .bind(seq)
        .bind(at.0)
        .bind(conversation.0.to_vec())
        .bind(kind)
        .bind(None::<Vec<u8>>)
        .bind(content.to_vec())
        .bind(hash.to_vec())
        .execute(to)
        .await?;
    Ok(Tip { seq, hash })
}

/// A place in the chain up to which it adds up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// How many entries that is.
    pub seq: i64,
    /// The hash of the last one, which stands for all before it.
    pub hash: [u8; 32],
    /// When the last one was made.
    pub at: i64,
}

impl Link {
    /// Before the first entry.
    pub const START: Self = Self { seq: 0, hash: [0; 32], at: 0 };
}

/// What checking a part of the chain found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checked {
    /// It adds up so far, and there may be more.
    More(Link),
    /// It adds up to its end.
    Whole(Link),
    /// From this entry on it doesn't add up: it was changed, taken out, or put somewhere else.
    Broken {
        /// Which entry.
        seq: i64,
        /// When the entry was made that is found in its place.
        at: i64,
    },
}

impl Store {
    /// Checks the next `limit` entries of the chain behind a link that adds up.
    ///
    /// # Errors
    /// A [`StoreError`], if it can't be read.
    pub async fn check_chain(&self, from: Link, limit: i64) -> Result<Checked, StoreError> {
        let mut last = from;
        let rows = query(SLICE).bind(from.seq).bind(limit).fetch_all(&self.readers).await?;
        for row in &rows {
            let (seq, at): (i64, i64) = (row.try_get("seq")?, row.try_get("at")?);
            let kind: &str = row.try_get("kind")?;
            let content = hash_of(row.try_get("content")?)?;
            let hash = link(&last.hash, last.seq + 1, at, kind, &content);
            if seq != last.seq + 1 || hash != hash_of(row.try_get("hash")?)? {
                return Ok(Checked::Broken { seq: last.seq + 1, at });
            }
            last = Link { seq, hash, at };
        }
        let is_end = i64::try_from(rows.len()).is_ok_and(|count| count < limit);
        Ok(if is_end { Checked::Whole(last) } else { Checked::More(last) })
    }
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
