//! Opening a database: its file, its pragmas, its migrations, and the handle that everything else uses.

use std::path::{Path, PathBuf};
use std::time::Duration;

use countersign_core::change::Change;
use countersign_core::head::Head;
use countersign_core::ids::At;
use sqlx::migrate::Migrator;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{ConnectOptions as _, Connection as _, Row as _, SqlitePool, query};
use tokio::sync::{mpsc, oneshot};

use crate::error::StoreError;
use crate::record::Record;
use crate::writer::{self, Piece, Work};

pub(crate) static MIGRATIONS: Migrator = sqlx::migrate!("./migrations");

/// How many pieces may wait for the writer before a sender waits too.
const QUEUE: usize = 256;
/// Reading connections.
const READERS: u32 = 4;

const VERSION: &str = "SELECT coalesce(max(version), 0) FROM _sqlx_migrations";
const HAS_MIGRATIONS: &str = "SELECT count(*) FROM sqlite_schema WHERE name = '_sqlx_migrations'";
const BACKUP: &str = "VACUUM INTO ?";

/// A handle on an open database. Cheap to clone; the last one that goes lets the writer finish and close.
#[derive(Debug, Clone)]
pub struct Store {
    pub(crate) readers: SqlitePool,
    writer: mpsc::Sender<Piece>,
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
            .pragma("trusted_schema", "OFF")
            .disable_statement_logging();
        let cant_open = |source: sqlx::Error| match StoreError::from(source) {
            StoreError::Sql(source) => StoreError::Open {
                path: path.to_owned(),
                source: Box::new(source),
            },
            other => other,
        };
        let mut connection = SqliteConnection::connect_with(&options)
            .await
            .map_err(cant_open)?;
        make_private(path)?;
        if existed {
            refuse_newer(&mut connection, path).await?;
        }
        MIGRATIONS
            .run(&mut connection)
            .await
            .map_err(|error| match error {
                sqlx::migrate::MigrateError::Execute(source) => cant_open(source),
                other => StoreError::Open {
                    path: path.to_owned(),
                    source: Box::new(other),
                },
            })?;
        let readers = SqlitePoolOptions::new()
            .min_connections(1)
            .max_connections(READERS)
            .idle_timeout(None)
            .max_lifetime(None)
            .connect_with(options.read_only(true).create_if_missing(false))
            .await
            .map_err(cant_open)?;
        let (writer, pieces) = mpsc::channel(QUEUE);
        tokio::spawn(writer::run(connection, pieces));
        Ok(Self {
            readers,
            writer,
            path: path.to_owned(),
        })
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
    pub async fn apply(
        &self,
        head: &Head,
        expected: i64,
        changes: Vec<Change>,
        at: At,
    ) -> Result<(), StoreError> {
        self.write(Work::step(head, expected, changes, at)).await
    }

    /// Stores something beside conversations.
    ///
    /// # Errors
    /// As [`Store::apply`].
    pub async fn record(&self, record: Record) -> Result<(), StoreError> {
        self.write(Work::Record(record)).await
    }

    /// Waits until everything that was given to the writer before is stored, and closes the reading connections.
    pub async fn close(self) {
        let nothing = Record::DraftsGone { rows: Vec::new() };
        if self.record(nothing).await.is_err() {
            tracing::warn!("the store was closed already");
        }
        self.readers.close().await;
    }

    async fn write(&self, work: Work) -> Result<(), StoreError> {
        let (done, answer) = oneshot::channel();
        self.writer
            .send(Piece { work, done })
            .await
            .map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }
}

async fn refuse_newer(connection: &mut SqliteConnection, path: &Path) -> Result<(), StoreError> {
    let has: i64 = query(HAS_MIGRATIONS)
        .fetch_one(&mut *connection)
        .await?
        .try_get(0)?;
    if has == 0 {
        return Ok(());
    }
    let found: i64 = query(VERSION)
        .fetch_one(&mut *connection)
        .await?
        .try_get(0)?;
    let known = MIGRATIONS
        .iter()
        .map(|migration| migration.version)
        .max()
        .unwrap_or_default();
    if found > known {
        return Err(StoreError::Newer {
            path: path.to_owned(),
            found,
            known,
        });
    }
    if found < known {
        let copy = path.with_extension(format!("before-{known}.sqlite"));
        if !copy.exists() {
            query(BACKUP)
                .bind(copy.to_string_lossy().into_owned())
                .execute(&mut *connection)
                .await?;
            make_private(&copy)?;
        }
    }
    Ok(())
}

/// The file is for the person alone.
fn make_private(path: &Path) -> Result<(), StoreError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).map_err(
            |source| StoreError::Open {
                path: path.to_owned(),
                source: Box::new(source),
            },
        )?;
    }
    Ok(())
}
