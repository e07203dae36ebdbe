//! `list_files`: a folder's names, some levels deep.

use std::fmt::Write as _;
use std::os::fd::{AsFd as _, OwnedFd};

use rustix::fs::{AtFlags, Dir, FileType, OFlags, fstat, statat};
use tokio_util::sync::CancellationToken;

use crate::fault::{self, Fault};
use crate::refused::{FileId, RefusedNow};
use crate::way::Way;
use crate::workspace::{Workspace, open_no_link};

/// The most names that are listed.
pub(crate) const MOST_NAMES: usize = 2000;
/// The most names that are taken from one folder.
const MOST_IN_FOLDER: usize = 100_000;
/// The levels that are listed if nothing is said.
const DEFAULT_DEPTH: u64 = 2;

/// One name in a folder.
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) kind: FileType,
}

/// Whether all of it was taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whole {
    Yes,
    No,
}

/// Lists a folder.
pub(crate) fn list(
    workspace: &Workspace,
    path: Option<&str>,
    depth: Option<u64>,
    stop: &CancellationToken,
) -> Result<String, Fault> {
    let way = path.map_or_else(|| Ok(Way::root()), |path| workspace.way(path))?;
    let folder = workspace.folder(&way)?;
    let refused = workspace.refused().now();
    let mut listing = Listing { refused, stop, text: String::new(), names: 0 };
    let depth = depth.unwrap_or(DEFAULT_DEPTH);
    let whole = listing.add(&folder.handle, &way.written, "", depth)?;
    if listing.names == 0 {
        return Ok("the folder is empty".to_owned());
    }
    if whole == Whole::No {
        let _ = writeln!(listing.text, "[cut after {MOST_NAMES} names; list a folder below, or fewer levels]");
    }
    Ok(listing.text)
}

/// The names in an open folder, sorted. Names that aren't UTF-8 can't be asked for and are left out.
pub(crate) fn entries(folder: &OwnedFd, written: &str) -> Result<(Vec<Entry>, Whole), Fault> {
    let mut entries = Vec::new();
    let mut whole = Whole::Yes;
    for entry in Dir::read_from(folder).map_err(fault::system("list", written))? {
        let entry = entry.map_err(fault::system("list", written))?;
        let Ok(name) = entry.file_name().to_str() else {
            continue;
        };
        if matches!(name, "." | "..") {
            continue;
        }
        let kind = match entry.file_type() {
            // Not every file system says it in the listing.
            FileType::Unknown => match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => FileType::from_raw_mode(stat.st_mode),
                Err(_) => continue,
            },
            kind => kind,
        };
        if entries.len() == MOST_IN_FOLDER {
            whole = Whole::No;
            break;
        }
        entries.push(Entry { name: name.to_owned(), kind });
    }
    entries.sort_by(|one, other| one.name.cmp(&other.name));
    Ok((entries, whole))
}

/// Opens a folder found in a listing, unless it is a refused one.
pub(crate) fn below(
    folder: &OwnedFd,
    name: &str,
    refused: &RefusedNow,
    written: &str,
) -> Result<Option<OwnedFd>, Fault> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = open_no_link(folder.as_fd(), name, flags, written)?;
    let id = FileId::of(&fstat(&handle).map_err(fault::system("look at", written))?);
    Ok((!refused.is(id)).then_some(handle))
}

struct Listing<'a> {
    refused: RefusedNow,
    stop: &'a CancellationToken,
    text: String,
    names: usize,
}

impl Listing<'_> {
    fn add(&mut self, folder: &OwnedFd, written: &str, prefix: &str, depth: u64) -> Result<Whole, Fault> {
        // A folder that is taken in part has more names than are listed anyway.
        let (entries, _) = entries(folder, written)?;
        for Entry { name, kind } in entries {
            if self.stop.is_cancelled() {
                return Err(Fault::Stopped);
            }
            if self.names == MOST_NAMES {
                return Ok(Whole::No);
            }
            self.names += 1;
            let path = format!("{prefix}{name}");
            let _ = match kind {
                FileType::Directory => writeln!(self.text, "{path}/"),
                FileType::Symlink => writeln!(self.text, "{path} (symbolic link)"),
                FileType::RegularFile => writeln!(self.text, "{path}"),
                FileType::Fifo
                | FileType::Socket
                | FileType::CharacterDevice
                | FileType::BlockDevice
                | FileType::Unknown => {
                    writeln!(self.text, "{path} (not a regular file)")
                }
            };
            if kind == FileType::Directory && depth > 1 && name != ".git" {
                match below(folder, &name, &self.refused, &path) {
                    Ok(Some(handle)) => {
                        if self.add(&handle, &path, &format!("{path}/"), depth - 1)? == Whole::No {
                            return Ok(Whole::No);
                        }
                    }
                    Ok(None) => {}
                    Err(fault) => {
                        let _ = writeln!(self.text, "[{fault}]");
                    }
                }
            }
        }
        Ok(Whole::Yes)
    }
}
