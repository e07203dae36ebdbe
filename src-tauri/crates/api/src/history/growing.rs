//! A new file that is written part by part, with its hash: however long it gets, only one part is in memory. It is whole in the end, or
//! not there.

use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use tokio::io::AsyncWriteExt as _;

use super::chain;
use super::export::{create, failed};
use crate::wire::window::ApiError;

/// A file that isn't whole yet. Dropped before [`Growing::end`], it goes.
#[derive(Debug)]
pub(super) struct Growing {
    path: PathBuf,
    file: tokio::fs::File,
    hash: Sha256,
    whole: bool,
}

impl Growing {
    /// A new file.
    ///
    /// # Errors
    /// If there is one already, or it can't be made.
    pub(super) async fn new(path: &Path) -> Result<Self, ApiError> {
        let file = create(path).await?;
        Ok(Self { path: path.to_owned(), file, hash: Sha256::new(), whole: false })
    }

    /// Puts a part behind the others.
    ///
    /// # Errors
    /// If it can't be written.
    pub(super) async fn put(&mut self, part: &str) -> Result<(), ApiError> {
        self.hash.update(part.as_bytes());
        self.file.write_all(part.as_bytes()).await.map_err(|error| failed(&self.path, &error))
    }

    /// The SHA-256 of all of it, which is on the disk then, hexadecimal.
    ///
    /// # Errors
    /// If it can't be written.
    pub(super) async fn end(mut self) -> Result<String, ApiError> {
        let written = async {
            self.file.flush().await?;
            self.file.sync_all().await
        };
        written.await.map_err(|error| failed(&self.path, &error))?;
        self.whole = true;
        Ok(chain::hex(&self.hash.clone().finalize()))
    }
}

impl Drop for Growing {
    fn drop(&mut self) {
        if !self.whole {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
