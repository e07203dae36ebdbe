//! Judges folders before an agent may work in them.

use std::path::{Path, PathBuf};

use countersign_api::host::Folders;

/// Workspace folders, kept apart from Countersign's own.
pub(crate) struct WorkspaceFolders {
    refused: Vec<PathBuf>,
}

impl WorkspaceFolders {
    /// `refused` are Countersign's own.
    pub(crate) fn new(refused: Vec<PathBuf>) -> Self {
        Self { refused }
    }
}

impl Folders for WorkspaceFolders {
    fn check(&self, folder: &str) -> Result<(), String> {
        countersign_tools::refused::check_workspace(Path::new(folder), &self.refused).map(|_| ())
    }
}
