//! Who runs a conversation. A process draws a random id and holds a lock on a file of that name for as long as it lives; the
//! kernel lets go of the lock when it dies, however it dies. There is no clock in it: a process that was asleep for a week still
//! owns its runs (D-90).

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use countersign_core::ids::OwnerId;

/// This process as the owner of runs.
#[derive(Debug)]
pub(crate) struct Owner {
    pub(crate) id: OwnerId,
    folder: PathBuf,
    /// Held until the process dies, or lets go in order.
    lock: Mutex<Option<File>>,
}

impl Owner {
    /// Draws an id and takes its lock, in a folder beside the database.
    pub(crate) fn take(database: &Path) -> std::io::Result<Self> {
        let folder = database.with_extension("owners");
        std::fs::create_dir_all(&folder)?;
        let id = OwnerId(*uuid::Uuid::new_v4().as_bytes());
        let lock = OpenOptions::new().create_new(true).write(true).open(folder.join(id.to_string()))?;
        lock.lock()?;
        Ok(Self { id, folder, lock: Mutex::new(Some(lock)) })
    }

    /// Lets go in order: this process runs nothing any more.
    pub(crate) fn release(&self) {
        if self.lock.lock().unwrap_or_else(PoisonError::into_inner).take().is_some() {
            let _ = std::fs::remove_file(self.folder.join(self.id.to_string()));
        }
    }

    /// Whether the process of this id is alive: this one, or one that holds its lock. What can't be found out counts as alive,
    /// so that a run is never settled under somebody's hands.
    pub(crate) fn is_alive(&self, owner: OwnerId) -> bool {
        if owner == self.id {
            return true;
        }
        let path = self.folder.join(owner.to_string());
        match OpenOptions::new().write(true).open(&path) {
            Err(error) => error.kind() != std::io::ErrorKind::NotFound,
            Ok(file) => match file.try_lock() {
                Ok(()) => {
                    // It is dead, and ids are never drawn twice.
                    let _ = std::fs::remove_file(&path);
                    false
                }
                Err(TryLockError::WouldBlock | TryLockError::Error(_)) => true,
            },
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D-90, N-77: alive is whoever holds its lock, and nothing else.
    #[test]
    fn alive_is_who_holds_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("countersign.sqlite");
        let one = Owner::take(&database).unwrap();
        let other = Owner::take(&database).unwrap();
        assert!(one.is_alive(one.id) && one.is_alive(other.id) && other.is_alive(one.id));
        let gone = other.id;
        drop(other);
        assert!(!one.is_alive(gone));
        assert!(!one.is_alive(OwnerId([7; 16])), "an id that nobody ever had");
    }
}
