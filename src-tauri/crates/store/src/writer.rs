//! The one writer: a task that owns the writing connection, so that no caller's dropped future leaves a transaction
//! open, and takes all that waits into one commit.

use countersign_core::change::Change;
use countersign_core::head::Head;
use countersign_core::ids::{At, ConversationId};
use sqlx::sqlite::SqliteConnection;
use sqlx::{Connection as _, query};
use tokio::sync::{mpsc, oneshot, watch};

use crate::apply::{HeadFacts, apply};
use crate::erase::erase;
use crate::error::StoreError;
use crate::journal;
use crate::open::Disk;
use crate::record::{Record, write};

/// The most pieces that share one commit.
const MOST_TOGETHER: usize = 64;

const SAVE: &str = "SAVEPOINT piece";
const BACK: &str = "ROLLBACK TO piece";
const RELEASE: &str = "RELEASE piece";
const COMMIT: &str = "COMMIT";
const ROLLBACK: &str = "ROLLBACK";
/// SQLite takes the present size where the limit is smaller.
const FULL: &str = "PRAGMA max_page_count = 1";
const ROOMY: &str = "PRAGMA max_page_count = 4294967294";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[SAVE, BACK, RELEASE, COMMIT, ROLLBACK, FULL, ROOMY];

/// A piece of work for the writer.
pub(crate) struct Piece {
    pub(crate) work: Work,
    pub(crate) done: oneshot::Sender<Result<(), StoreError>>,
}

pub(crate) enum Work {
    Step {
        conversation: ConversationId,
        expected: i64,
        facts: HeadFacts,
        changes: Vec<Change>,
        at: At,
    },
    Record(Record),
    /// Takes decisions out of history, if they may still go and were made before a time.
    Erase {
        seqs: Vec<i64>,
        before: At,
        at: At,
    },
    /// Something that may wait, and shares no commit with what may not.
    Beside(Record),
    Pretend(Disk),
}

impl Work {
    pub(crate) fn step(head: &Head, expected: i64, changes: Vec<Change>, at: At) -> Self {
        let conversation = &head.conversation;
        let facts = HeadFacts { awaits_reply: conversation.awaits_reply, next_seq: conversation.next_seq };
        Self::Step { conversation: conversation.id, expected, facts, changes, at }
    }

    fn may_wait(&self) -> bool {
        match self {
            Self::Step { .. } | Self::Record(_) | Self::Pretend(_) => false,
            Self::Erase { .. } | Self::Beside(_) => true,
        }
    }
}

/// Writes what comes until nobody can send any more or the store is closed, then closes the connection and says so.
pub(crate) async fn run(
    mut connection: SqliteConnection,
    mut pieces: mpsc::Receiver<Piece>,
    mut closing: watch::Receiver<bool>,
    ended: watch::Sender<bool>,
) {
    let mut batch = Vec::with_capacity(MOST_TOGETHER);
    let mut disk = Disk::Roomy;
    let mut open = true;
    loop {
        let taken = tokio::select! {
            taken = pieces.recv_many(&mut batch, MOST_TOGETHER) => taken,
            _ = closing.changed(), if open => {
                // What was given before is still stored; what comes later is refused.
                pieces.close();
                open = false;
                continue;
            }
        };
        if taken == 0 {
            break;
        }
        // A decision never waits for what is only filled in behind it.
        let (later, now): (Vec<_>, Vec<_>) = batch.drain(..).partition(|piece| piece.work.may_wait());
        if !now.is_empty() {
            commit(&mut connection, now, &mut disk).await;
        }
        for piece in later {
            commit(&mut connection, vec![piece], &mut disk).await;
        }
    }
    if let Err(error) = connection.close().await {
        tracing::warn!(%error, "the database wasn't closed cleanly");
    }
    // Nobody may wait for it.
    let _ = ended.send(true);
}

/// Stores some pieces in one commit and tells who waits for them.
async fn commit(connection: &mut SqliteConnection, pieces: Vec<Piece>, disk: &mut Disk) {
    let mut waiting = Vec::with_capacity(pieces.len());
    match together(connection, pieces, &mut waiting, disk).await {
        Ok(()) => {
            for (done, result) in waiting {
                // A caller that went away doesn't need its answer.
                let _ = done.send(result);
            }
        }
        Err(error) => {
            tracing::error!(%error, "a commit failed; nothing of it is stored");
            let _ = query(ROLLBACK).execute(connection).await;
            let full = matches!(error, StoreError::Full);
            for (done, result) in waiting {
                let failed = result.and(Err(if full { StoreError::Full } else { StoreError::NotStored }));
                let _ = done.send(failed);
            }
        }
    }
}

type Waiting = Vec<(oneshot::Sender<Result<(), StoreError>>, Result<(), StoreError>)>;

async fn together(
    connection: &mut SqliteConnection,
    pieces: Vec<Piece>,
    waiting: &mut Waiting,
    disk: &mut Disk,
) -> Result<(), StoreError> {
    let mut works = Vec::with_capacity(pieces.len());
    for piece in pieces {
        waiting.push((piece.done, Ok(())));
        works.push(piece.work);
    }
    let mut tip = journal::begin(connection).await?;
    // A piece that is alone takes nobody along when it is rolled back.
    let alone = works.len() == 1;
    let mut pretended = false;
    for (work, (_, result)) in works.into_iter().zip(waiting.iter_mut()) {
        if !alone {
            query(SAVE).execute(&mut *connection).await?;
        }
        let done = match &work {
            Work::Step { conversation, expected, facts, changes, at } => {
                apply(connection, tip, *conversation, *expected, *facts, changes, *at).await.map(Some)
            }
            Work::Erase { seqs, before, at } => erase(connection, tip, seqs, *before, *at).await.map(Some),
            Work::Record(record) | Work::Beside(record) => write(connection, record).await.map(|()| None),
            Work::Pretend(as_if) => {
                (*disk, pretended) = (*as_if, true);
                pretend(connection, *as_if).await.map(|()| None)
            }
        };
        match done {
            Ok(new) => tip = new.unwrap_or(tip),
            // SQLite has rolled back the whole transaction, the savepoint with it: nobody's piece is stored.
            Err(StoreError::Full) => return Err(StoreError::Full),
            Err(error) => {
                *result = Err(error);
                if alone {
                    query(ROLLBACK).execute(&mut *connection).await?;
                    return Ok(());
                }
                query(BACK).execute(&mut *connection).await?;
            }
        }
        if !alone {
            query(RELEASE).execute(&mut *connection).await?;
        }
    }
    if !pretended {
        commits_once_more(disk)?;
    }
    query(COMMIT).execute(&mut *connection).await?;
    Ok(())
}

/// Counts a commit of a disk that a test has let break.
fn commits_once_more(disk: &mut Disk) -> Result<(), StoreError> {
    match disk {
        Disk::Full | Disk::Roomy => Ok(()),
        Disk::Breaks { after: 0 } | Disk::Dies { after: 0 } => {
            if cfg!(debug_assertions) && matches!(disk, Disk::Dies { .. }) {
                std::process::abort();
            }
            Err(StoreError::Sql(sqlx::Error::Io(std::io::Error::other("the disk is broken, as a test asked for"))))
        }
        Disk::Breaks { after } | Disk::Dies { after } => {
            *after -= 1;
            Ok(())
        }
    }
}

async fn pretend(connection: &mut SqliteConnection, disk: Disk) -> Result<(), StoreError> {
    let limit = match disk {
        Disk::Full => FULL,
        Disk::Roomy | Disk::Breaks { .. } | Disk::Dies { .. } => ROOMY,
    };
    query(limit).execute(connection).await?;
    Ok(())
}
