//! What can go wrong with the store.

use std::path::PathBuf;

/// A failure of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database was written by a newer Countersign; it is left alone.
    #[error("the database {path} was written by a newer version of Countersign (its schema is {found}, this version knows {known})", path = .path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// The schema that it has.
        found: i64,
        /// The newest schema that this version knows.
        known: i64,
    },
    /// The folder or the file can't be made or opened.
    #[error("the database {path} can't be opened", path = .path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// There is no room on the disk.
    #[error("the disk is full")]
    Full,
    /// Somebody else stored a step of the same conversation first.
    #[error("the conversation changed meanwhile (revision {found}, expected {expected})")]
    Stale {
        /// The revision that the step was made on.
        expected: i64,
        /// The stored one.
        found: i64,
    },
    /// A change named something that isn't there or isn't in the state that it needs.
    #[error("a change doesn't fit what is stored: {what}")]
    Misfit {
        /// Which and why.
        what: String,
    },
    /// A stored row can't be read.
    #[error("a stored row can't be read: {what}")]
    Unreadable {
        /// Which.
        what: String,
    },
    /// SQLite said no.
    #[error("the database refused a statement")]
    Sql(#[source] sqlx::Error),
    /// The transaction that held the change didn't commit; nothing of it is stored.
    #[error("the change couldn't be stored")]
    NotStored,
    /// The writer is gone; the app is quitting.
    #[error("the store is closed")]
    Closed,
}

/// SQLite's primary result code for a full disk.
const SQLITE_FULL: &str = "13";

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        let full = error
            .as_database_error()
            .and_then(sqlx::error::DatabaseError::code)
            .is_some_and(|code| code.parse::<i64>().is_ok_and(|code| (code & 0xFF).to_string() == SQLITE_FULL));
        if full { Self::Full } else { Self::Sql(error) }
    }
}

impl From<serde_json::Error> for StoreError {
    fn from(error: serde_json::Error) -> Self {
        Self::Unreadable { what: error.to_string() }
    }
}
