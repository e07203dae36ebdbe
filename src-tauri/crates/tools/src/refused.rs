//! Folders that no tool may touch: Countersign's own data, configuration and runtime folders. An agent that could
//! write there could approve its own calls.
//!
//! They are compared by device and inode, so that no link, mount or other spelling gets around it; a path is only the
//! means to find them. They are looked up anew each time, because they may be made after the run began.

use std::collections::HashSet;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, Stat, fstat, openat};

/// The most entries of the refused folders that are looked at.
const MOST_ENTRIES: usize = 20_000;
/// The most folders that are walked up.
const MOST_LEVELS: usize = 512;

/// What tells two files apart: device and inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct FileId(u64, u64);

impl FileId {
    /// The identity in what the system says about a file.
    #[allow(clippy::unnecessary_cast, clippy::cast_sign_loss, reason = "the fields' types differ between systems")]
    pub(crate) fn of(stat: &Stat) -> Self {
        Self(stat.st_dev as u64, stat.st_ino as u64)
    }

    pub(crate) fn at(path: &Path) -> Option<Self> {
        std::fs::metadata(path).ok().map(|metadata| Self(metadata.dev(), metadata.ino()))
    }
}

/// The refused folders.
#[derive(Debug, Clone, Default)]
pub(crate) struct Refused {
    places: Vec<PathBuf>,
}

impl Refused {
    pub(crate) fn new(places: Vec<PathBuf>) -> Self {
        Self { places }
    }

    pub(crate) fn places(&self) -> &[PathBuf] {
        &self.places
    }

    /// What there is of the folders right now: they themselves and everything in them, because a mount or a hard link
    /// may lead to any of it.
    pub(crate) fn now(&self) -> RefusedNow {
        let mut now =
            RefusedNow { ids: self.places.iter().filter_map(|place| FileId::at(place)).collect(), seen: Seen::All };
        let mut folders = self.places.clone();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                if now.ids.len() == MOST_ENTRIES {
                    now.seen = Seen::Part;
                    return now;
                }
                let Ok(metadata) = entry.metadata() else {
                    continue;
                };
                if metadata.is_dir() {
                    folders.push(entry.path());
                }
                now.ids.insert(FileId(metadata.dev(), metadata.ino()));
            }
        }
        now
    }

    /// Whether the text names one of the folders.
    pub(crate) fn named_in(&self, text: &std::ffi::OsStr) -> bool {
        let text = text.as_encoded_bytes();
        self.places.iter().any(|place| {
            let place = place.as_os_str().as_encoded_bytes();
            !place.is_empty() && text.windows(place.len()).any(|window| window == place)
        })
    }
}

/// The refused folders as they were at one moment; made for one operation and then dropped.
pub(crate) struct RefusedNow {
    ids: HashSet<FileId>,
    seen: Seen,
}

/// How much of the folders was looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    All,
    Part,
}

impl RefusedNow {
    /// Whether this very folder is a refused one, or one of those in it.
    pub(crate) fn is(&self, folder: FileId) -> bool {
        self.ids.contains(&folder)
    }

    /// Whether the open folder is a refused one or lies in one. `root` ends the walk: nothing above it is refused,
    /// since a workspace inside a refused folder is refused itself.
    pub(crate) fn holds(&self, folder: impl AsFd, root: FileId) -> rustix::io::Result<bool> {
        if self.ids.is_empty() {
            return Ok(false);
        }
        let mut id = FileId::of(&fstat(&folder)?);
        let mut up = None;
        for _ in 0..MOST_LEVELS {
            if self.is(id) {
                return Ok(true);
            }
            if id == root {
                return Ok(false);
            }
            let flags = crate::workspace::HANDLE | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let parent = match &up {
                None => openat(&folder, "..", flags, Mode::empty())?,
                Some(folder) => openat(folder, "..", flags, Mode::empty())?,
            };
            let above = FileId::of(&fstat(&parent)?);
            if above == id {
                return Ok(false);
            }
            id = above;
            up = Some(parent);
        }
        // Deeper than anything real: whatever this is, it isn't opened.
        Ok(true)
    }

    /// Whether a file is one of a refused folder, whatever it is called here. If not all of them could be looked at,
    /// a file with several names counts as one.
    pub(crate) fn shares(&self, stat: &Stat) -> bool {
        self.ids.contains(&FileId::of(stat)) || (self.seen == Seen::Part && stat.st_nlink > 1)
    }
}

/// Checks a workspace folder and gives its resolved path. Called when an agent profile is saved and when a run starts.
///
/// # Errors
/// Words for the person: it isn't absolute, doesn't exist, isn't a folder, contains one of the refused folders or
/// lies in one.
pub fn check_workspace(folder: &Path, refused: &[PathBuf]) -> Result<PathBuf, String> {
    let shown = folder.display();
    if !folder.is_absolute() {
        return Err(format!("the workspace folder `{shown}` must be an absolute path"));
    }
    let resolved = match folder.canonicalize() {
        Ok(resolved) => resolved,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(format!("the workspace folder `{shown}` doesn't exist"));
        }
        Err(error) => {
            let why = rustix::io::Errno::from_io_error(&error).map_or_else(|| error.to_string(), crate::fault::words);
            return Err(format!("the workspace folder `{shown}` can't be opened: {why}"));
        }
    };
    if !resolved.is_dir() {
        return Err(format!("the workspace folder `{shown}` is not a folder"));
    }
    if resolved.to_str().is_none() {
        return Err(format!("the path of the workspace folder `{shown}` is not UTF-8"));
    }
    let own = FileId::at(&resolved);
    for place in refused {
        let place = existing(place);
        let inside = place.starts_with(&resolved) || place.ancestors().any(|above| FileId::at(above) == own);
        if inside {
            return Err(format!(
                "the workspace folder `{shown}` contains Countersign's own folder `{}`; choose a folder beside it",
                place.display()
            ));
        }
        let id = FileId::at(&place);
        let around =
            resolved.starts_with(&place) || (id.is_some() && resolved.ancestors().any(|above| FileId::at(above) == id));
        if around {
            return Err(format!(
                "the workspace folder `{shown}` lies in Countersign's own folder `{}`; choose a folder outside it",
                place.display()
            ));
        }
    }
    Ok(resolved)
}

/// The path with everything resolved that exists of it.
pub(crate) fn existing(path: &Path) -> PathBuf {
    for above in path.ancestors() {
        if let Ok(resolved) = above.canonicalize() {
            return match path.strip_prefix(above) {
                Ok(rest) if !rest.as_os_str().is_empty() => resolved.join(rest),
                Ok(_) | Err(_) => resolved,
            };
        }
    }
    path.to_owned()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_workspace_is_apart_from_countersigns_own_folders() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let data = home.join("share/countersign");
        std::fs::create_dir_all(data.join("sub")).unwrap();
        std::fs::create_dir_all(home.join("work")).unwrap();
        std::fs::write(home.join("file"), "").unwrap();
        symlink(home.join("share"), home.join("link")).unwrap();
        symlink(&data, home.join("other")).unwrap();
        let not_there_yet = home.join("later/run");
        let refused = [home.join("other"), not_there_yet];
        for (folder, expected) in [
            ("work", None),
            ("share", Some("contains Countersign's own folder")),
            ("link", Some("contains Countersign's own folder")),
            ("", Some("contains Countersign's own folder")),
            ("share/countersign", Some("Countersign's own folder")),
            ("share/countersign/sub", Some("lies in Countersign's own folder")),
            ("link/countersign/sub", Some("lies in Countersign's own folder")),
            ("file", Some("is not a folder")),
            ("none", Some("doesn't exist")),
        ] {
            let checked = check_workspace(&home.join(folder), &refused);
            match expected {
                None => assert_eq!(checked, Ok(home.join(folder)), "`{folder}` is fine"),
                Some(words) => {
                    assert!(checked.clone().is_err_and(|text| text.contains(words)), "`{folder}`: {checked:?}");
                }
            }
        }
        assert!(check_workspace(Path::new("work"), &[]).unwrap_err().contains("absolute"));
        assert!(check_workspace(Path::new("/"), &refused).is_err(), "the root contains everything");
        std::fs::create_dir_all(home.join("later")).unwrap();
        assert!(check_workspace(&home.join("later"), &refused).is_err(), "it would contain the folder once it is made");
    }
}
