//! Opening a database: its file, its pragmas, its migrations, and the handle that everything else uses.

use std::path::{Path, PathBuf};
use std::time::Duration;

use countersign_core::change::Change;
use countersign_core::head::Head;
use countersign_core::ids::At;
use sqlx::migrate::Migrator;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Row as _, SqlitePool, query};
use tokio::sync::{mpsc, oneshot, watch};

use crate::error::StoreError;
use crate::record::Record;
use crate::writer::{self, Piece, Work};

pub(crate) static MIGRATIONS: Migrator = sqlx::migrate!("./migrations");

/// How many pieces may wait for the writer before a sender waits too.
const QUEUE: usize = 256;
/// Reading connections.
const READERS: u32 = 4;

const VERSION: &str = "SELECT coalesce(max(version), 0) FROM _sqlx_migrations";
const CHECK_KEYS: &str = "PRAGMA foreign_key_check";
const KEYS: &str = "PRAGMA foreign_keys = ON";
const HAS_MIGRATIONS: &str = "SELECT count(*) FROM sqlite_schema WHERE name = '_sqlx_migrations'";
const BACKUP: &str = "VACUUM INTO ?";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[VERSION, HAS_MIGRATIONS, BACKUP];

/// What a test makes of the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disk {
    /// The database can't grow.
    Full,
    /// It can, and nothing of the following holds any more.
    Roomy,
    /// After so many more commits each fails with an error of the disk, all of its statements written.
    Breaks {
        /// How many still work.
        after: u32,
    },
    /// At the commit after so many more the process ends, all of its statements written. In a release build it breaks instead.
    Dies {
        /// How many still work.
        after: u32,
    },
}

/// A handle on an open database. Cheap to clone; the last one that goes lets the writer finish and close.
#[derive(Debug, Clone)]
pub struct Store {
    pub(crate) readers: SqlitePool,
    writer: mpsc::Sender<Piece>,
    closing: watch::Sender<bool>,
    ended: watch::Receiver<bool>,
    path: PathBuf,
}

impl Store {
    /// Opens the database file, making it if it isn't there, and brings its schema up to date. Before an older schema
    /// is changed, a copy is put beside the file.
    ///
    /// # Errors
    /// [`StoreError::Newer`] if a newer version wrote it: then it isn't touched. [`StoreError::Open`] if it can't be
    /// opened, [`StoreError::Full`] if there is no room.
    pub async fn open(path: &Path) -> Result<Self, StoreError> {
        let existed = path.exists();
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(Duration::from_secs(5))
            .pragma("trusted_schema", "OFF");
        // Tests count statements and rows by what is logged of them. A release build says nothing and loses no time over it.
        let options = if cfg!(debug_assertions) { options } else { options.disable_statement_logging() };
        if existed {
            refuse_newer(path).await?;
        } else {
            make_file(path)?;
        }
        make_private(path)?;
        let cant_open = |source: sqlx::Error| match StoreError::from(source) {
            StoreError::Sql(source) => StoreError::Open { path: path.to_owned(), source: Box::new(source) },
            other => other,
        };
        // One connection, lent by a pool of one: sqlx's migrations take a pool's without a borrow that is held over waits.
        let writing = SqlitePoolOptions::new()
            .min_connections(1)
            .max_connections(1)
            .idle_timeout(None)
            .max_lifetime(None)
            // Some tables are made anew by a migration, which others refer to; what they refer to is checked behind it.
            .connect_with(options.clone().foreign_keys(false))
            .await
            .map_err(cant_open)?;
        keep_a_copy(&writing, path).await?;
        let changes_schema = version(&writing).await.map_err(cant_open)? < newest_known();
        MIGRATIONS.run(&writing).await.map_err(|error| match error {
            sqlx::migrate::MigrateError::Execute(source) => cant_open(source),
            other => StoreError::Open { path: path.to_owned(), source: Box::new(other) },
        })?;
        if changes_schema && let Some(row) = query(CHECK_KEYS).fetch_optional(&writing).await.map_err(cant_open)? {
            let table: String = row.try_get(0).map_err(cant_open)?;
            return Err(StoreError::Unreadable { what: format!("a row of `{table}` refers to one that isn't there") });
        }
        query(KEYS).execute(&writing).await.map_err(cant_open)?;
        let connection = writing.acquire().await.map_err(cant_open)?.detach();
        let readers = SqlitePoolOptions::new()
            .min_connections(1)
            .max_connections(READERS)
            .idle_timeout(None)
            .max_lifetime(None)
            .connect_with(options.read_only(true).create_if_missing(false))
            .await
            .map_err(cant_open)?;
        let (writer, pieces) = mpsc::channel(QUEUE);
        let (closing, is_closing) = watch::channel(false);
        let (has_ended, ended) = watch::channel(false);
        tokio::spawn(writer::run(connection, pieces, is_closing, has_ended));
        Ok(Self { readers, writer, closing, ended, path: path.to_owned() })
    }

    /// The database file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Stores a step: all of its changes, or none. `head` is the head with the changes applied, `expected` the revision
    /// that the step was made on.
    ///
    /// # Errors
    /// [`StoreError::Stale`] if somebody else was first; [`StoreError::Misfit`] if a change doesn't fit what is stored;
    /// [`StoreError::Full`] if there is no room. In each case nothing is stored.
    pub async fn apply(&self, head: &Head, expected: i64, changes: Vec<Change>, at: At) -> Result<(), StoreError> {
        self.write(Work::step(head, expected, changes, at)).await
    }

    /// Stores something beside conversations.
    ///
    /// # Errors
    /// As [`Store::apply`].
    pub async fn record(&self, record: Record) -> Result<(), StoreError> {
        self.write(Work::Record(record)).await
    }

    /// Stores something that may wait, in a commit of its own, so that no decision waits for it.
    ///
    /// # Errors
    /// As [`Store::apply`].
    pub async fn record_beside(&self, record: Record) -> Result<(), StoreError> {
        self.write(Work::Beside(record)).await
    }

    /// Takes decisions out of history that were made before a time, those of them that may go (N-84); `at` is now.
    ///
    /// # Errors
    /// As [`Store::apply`].
    pub async fn erase(&self, seqs: Vec<i64>, before: At, at: At) -> Result<(), StoreError> {
        self.write(Work::Erase { seqs, before, at }).await
    }

    /// Lets the disk seem full, broken, or roomy again. For tests: what such a disk does can't be made otherwise without one.
    ///
    /// # Errors
    /// As [`Store::apply`].
    pub async fn pretend(&self, disk: Disk) -> Result<(), StoreError> {
        self.write(Work::Pretend(disk)).await
    }

    /// Waits until everything that was given to the writer before is stored, and closes all connections, also for other handles on
    /// the same store. Afterwards nothing of this process holds the file.
    pub async fn close(mut self) {
        // The readers first: only a connection that may write folds the log into the file when it is the last to go.
        self.readers.close().await;
        // The writer may have ended already.
        let _ = self.closing.send(true);
        let _ = self.ended.wait_for(|ended| *ended).await;
    }

    async fn write(&self, work: Work) -> Result<(), StoreError> {
        let (done, answer) = oneshot::channel();
        self.writer.send(Piece { work, done }).await.map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }
}

/// Looks at the version before anything of the file can change: even the journal mode of the other connections would.
async fn refuse_newer(path: &Path) -> Result<(), StoreError> {
    let cant_open = |source| StoreError::Open { path: path.to_owned(), source: Box::new(source) };
    let looking = SqliteConnectOptions::new().filename(path).read_only(true).busy_timeout(Duration::from_secs(5));
    let looking = SqlitePoolOptions::new()
        .max_connections(1)
        .connect_with(looking.disable_statement_logging())
        .await
        .map_err(cant_open)?;
    let found = version(&looking).await.map_err(cant_open)?;
    looking.close().await;
    let known = newest_known();
    if found > known {
        return Err(StoreError::Newer { path: path.to_owned(), found, known });
    }
    Ok(())
}

/// Before an older schema is changed, its database is copied.
async fn keep_a_copy(writing: &SqlitePool, path: &Path) -> Result<(), StoreError> {
    let (found, known) = (version(writing).await?, newest_known());
    let copy = path.with_extension(format!("before-{known}.sqlite"));
    if found == 0 || found >= known || copy.exists() {
        return Ok(());
    }
    query(BACKUP).bind(copy.to_string_lossy().into_owned()).execute(writing).await?;
    make_private(&copy)
}

/// The newest migration that a database has; 0 for a new one.
async fn version(database: &SqlitePool) -> Result<i64, sqlx::Error> {
    let has: i64 = query(HAS_MIGRATIONS).fetch_one(database).await?.try_get(0)?;
    if has == 0 {
        return Ok(0);
    }
    query(VERSION).fetch_one(database).await?.try_get(0)
}

fn newest_known() -> i64 {
    MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or_default()
}

/// Makes the file before SQLite does, so that neither it nor what SQLite puts beside it is ever readable for others.
fn make_file(path: &Path) -> Result<(), StoreError> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let made = options.open(path);
    made.map(drop).map_err(|source| StoreError::Open { path: path.to_owned(), source: Box::new(source) })
}

/// The file is for the person alone.
fn make_private(path: &Path) -> Result<(), StoreError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))
            .map_err(|source| StoreError::Open { path: path.to_owned(), source: Box::new(source) })?;
    }
    Ok(())
}
