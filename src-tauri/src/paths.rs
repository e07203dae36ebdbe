//! Where everything lies. The one place that knows; Tauri's own paths are not used, because they are named after the
//! bundle identifier and would make a second set of folders.

use std::fs::{DirBuilder, Permissions};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use directories::{BaseDirs, ProjectDirs};

/// Read and entered by the person alone.
const PRIVATE_FOLDER: u32 = 0o700;
/// Read and written by the person alone.
const PRIVATE_FILE: u32 = 0o600;

/// Countersign's folders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Paths {
    /// The database, the Rehearsal, what the window's engine keeps.
    pub(crate) data: PathBuf,
    /// Keys in files, and what the window looked like.
    pub(crate) config: PathBuf,
    /// The socket on which a second start is heard.
    pub(crate) runtime: PathBuf,
    /// Logs.
    pub(crate) logs: PathBuf,
    /// The Rehearsal's throw-away workspace. It lies outside the folders above, because no tool may touch those.
    pub(crate) stage: PathBuf,
    /// The person's home folder.
    pub(crate) home: Option<PathBuf>,
}

impl Paths {
    /// The usual folders, or all of them in a chosen one.
    ///
    /// # Errors
    /// Words for the person, if there is no home folder or the chosen folder can't be used.
    pub(crate) fn find(chosen: Option<&Path>) -> Result<Self, String> {
        let base = BaseDirs::new();
        let home = base.as_ref().map(|base| base.home_dir().to_owned());
        let of_session = base.as_ref().and_then(|base| base.runtime_dir()).map(|folder| folder.join("countersign"));
        let (data, config, stage) = if let Some(chosen) = chosen {
            let data = std::path::absolute(chosen)
                .map_err(|error| format!("the data folder `{}` can't be used: {error}", chosen.display()))?;
            check_chosen(&data)?;
            let config = data.join("config");
            let mut beside = data.clone().into_os_string();
            beside.push("-rehearsal");
            (data, config, PathBuf::from(beside))
        } else {
            let project = ProjectDirs::from("app", "", "countersign")
                .ok_or("there is no home folder to keep anything in; name one with --data-dir")?;
            let stage = project.cache_dir().join("rehearsal");
            (project.data_local_dir().to_owned(), project.config_dir().to_owned(), stage)
        };
        Ok(Self {
            runtime: of_session.unwrap_or_else(|| data.join("run")),
            logs: data.join("logs"),
            data,
            config,
            stage,
            home,
        })
    }

    /// The folder that was chosen for everything; none if the usual ones are used.
    pub(crate) fn given(&self) -> Option<&Path> {
        (self.config == self.data.join("config")).then_some(self.data.as_path())
    }

    /// Makes what is missing, all of it private.
    ///
    /// # Errors
    /// Words for the person.
    pub(crate) fn make(&self) -> Result<(), String> {
        for folder in [&self.data, &self.config, &self.runtime, &self.logs, &self.webview(), &self.keys()] {
            make_private(folder)
                .map_err(|error| format!("the folder `{}` can't be made: {error}", folder.display()))?;
        }
        Ok(())
    }

    /// Takes other people's access from the files that lie directly in the data folder; the folder itself already keeps
    /// them out, and this holds when it is copied somewhere else.
    pub(crate) fn close_files(&self) {
        for entry in std::fs::read_dir(&self.data).into_iter().flatten().flatten() {
            let Ok(metadata) = entry.metadata() else { continue };
            if metadata.is_file()
                && metadata.permissions().mode() & 0o077 != 0
                && let Err(error) = std::fs::set_permissions(entry.path(), Permissions::from_mode(PRIVATE_FILE))
            {
                tracing::warn!(%error, "a file of the data folder can't be made private");
            }
        }
    }

    /// The file whose lock says that the data is in use.
    pub(crate) fn lock(&self) -> PathBuf {
        self.data.join("lock")
    }

    /// The Rehearsal's database. No tool may touch it, the Rehearsal's own least of all; they play on the stage.
    pub(crate) fn rehearsal(&self) -> PathBuf {
        self.data.join("rehearsal")
    }

    /// What the window's engine keeps.
    pub(crate) fn webview(&self) -> PathBuf {
        self.data.join("window")
    }

    /// Keys in files, one an agent.
    pub(crate) fn keys(&self) -> PathBuf {
        self.config.join("keys")
    }

    /// The window's size and place.
    pub(crate) fn window_state(&self) -> PathBuf {
        self.config.join("window.json")
    }

    /// The folders that no tool may touch: who can write there could approve for the person.
    pub(crate) fn refused(&self) -> Vec<PathBuf> {
        vec![self.data.clone(), self.config.clone(), self.runtime.clone(), self.logs.clone()]
    }
}

/// A chosen folder is going to be made private, so it must be empty, ours already, or not there yet.
fn check_chosen(folder: &Path) -> Result<(), String> {
    let shown = folder.display();
    match std::fs::read_dir(folder) {
        Ok(mut entries) => {
            if entries.next().is_some() && !folder.join("lock").is_file() {
                return Err(format!(
                    "the data folder `{shown}` holds something that isn't Countersign's; choose an empty folder or a new one"
                ));
            }
            Ok(())
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(format!("the data folder `{shown}` can't be used: {error}")),
    }
}

fn make_private(folder: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(PRIVATE_FOLDER).create(folder)?;
    let mode = std::fs::metadata(folder)?.permissions().mode();
    if mode & 0o777 != PRIVATE_FOLDER {
        std::fs::set_permissions(folder, Permissions::from_mode(PRIVATE_FOLDER))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn everything_is_private_and_refused_to_tools() {
        let folder = tempfile::tempdir().unwrap();
        let chosen = folder.path().join("new");
        let mut paths = Paths::find(Some(&chosen)).unwrap();
        paths.runtime = folder.path().join("run");
        paths.make().unwrap();
        for made in [&paths.data, &paths.config, &paths.runtime, &paths.logs, &paths.keys(), &paths.webview()] {
            assert_eq!(mode(made), 0o700, "{}", made.display());
            assert!(paths.refused().iter().any(|refused| made.starts_with(refused)), "{}", made.display());
        }
        assert_eq!(paths.stage, folder.path().join("new-rehearsal"));
        let refused = |path: &Path| paths.refused().iter().any(|refused| path.starts_with(refused));
        assert!(refused(&paths.rehearsal()) && !refused(&paths.stage), "tools play on the stage, and nowhere else");
        let database = paths.data.join("countersign.sqlite");
        std::fs::write(&database, "").unwrap();
        std::fs::set_permissions(&database, Permissions::from_mode(0o644)).unwrap();
        paths.close_files();
        assert_eq!(mode(&database), 0o600);
    }

    #[test]
    fn a_folder_of_somebody_elses_things_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Paths::find(Some(folder.path())).is_ok(), "an empty one can be taken");
        std::fs::write(folder.path().join("letter.txt"), "").unwrap();
        let error = Paths::find(Some(folder.path())).unwrap_err();
        assert!(error.contains("isn't Countersign's"), "{error}");
        std::fs::write(folder.path().join("lock"), "").unwrap();
        assert!(Paths::find(Some(folder.path())).is_ok(), "ours can be opened again");
    }
}
