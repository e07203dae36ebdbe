//! Replacing a file's content: a temporary file in the same folder, then a rename, so that nobody ever sees half a file.
//!
//! Not kept: extended attributes and access lists of the old file, and its set-user-id bits, which must not pass to
//! content that an agent wrote.

use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};

use countersign_core::change::Left;
use countersign_core::digest::content_hash;
use rustix::fs::{
    AtFlags, FileType, Gid, Mode, OFlags, RenameFlags, Stat, Uid, fchmod, fchown, fstat, fsync, mkdirat, openat,
    renameat, renameat_with, statat, unlinkat,
};
use rustix::io::Errno;
use tokio_util::sync::CancellationToken;

use crate::fault::{self, Fault};
use crate::refused::FileId;
use crate::way::{Part, Way};
use crate::workspace::{OpenFile, Opened, Workspace, open_no_link};

/// The most bytes of a file that is replaced or edited; its whole content is hashed and kept in memory for that.
pub(crate) const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// Where a write goes.
pub(crate) struct Target {
    written: String,
    /// Resolved, relative to the workspace folder.
    pub(crate) relative: String,
    /// What is there now.
    pub(crate) now: Now,
}

/// What is at the target.
pub(crate) enum Now {
    /// A regular file with this content.
    File { open: OpenFile, content: Vec<u8> },
    /// Nothing. The nearest folder that exists, and the folders to be made in it.
    Absent { nearest: OwnedFd, missing: Vec<String>, name: String },
}

impl Target {
    /// SHA-256 of the present content, or none if there is no file (D-85).
    pub(crate) fn hash(&self) -> Option<String> {
        match &self.now {
            Now::File { content, .. } => Some(content_hash(content)),
            Now::Absent { .. } => None,
        }
    }

    /// The present content, as long as it is text.
    pub(crate) fn text(&self) -> Result<Option<&str>, Fault> {
        match &self.now {
            Now::File { content, .. } => {
                let text = std::str::from_utf8(content).map_err(|_| Fault::NotText(self.written.clone()))?;
                Ok(Some(text))
            }
            Now::Absent { .. } => Ok(None),
        }
    }
}

/// Looks at where a write would go.
pub(crate) fn target(workspace: &Workspace, written: &str) -> Result<Target, Fault> {
    let way = workspace.way(written)?;
    match workspace.look(&way) {
        Ok(Opened::Folder(_)) => Err(Fault::Folder(way.written)),
        Ok(Opened::File(_)) if way.folder => Err(Fault::NotAFolder(way.written)),
        Ok(Opened::File(mut open)) => {
            if open.stat.st_nlink > 1 {
                return Err(Fault::HardLinks(way.written));
            }
            let size = u64::try_from(open.stat.st_size).unwrap_or(u64::MAX);
            if size > MOST_BYTES {
                return Err(Fault::TooLarge { path: way.written, size, most: MOST_BYTES });
            }
            let mut content = Vec::new();
            let reading = std::io::Read::by_ref(&mut open.file).take(MOST_BYTES + 1).read_to_end(&mut content);
            reading.map_err(fault::failed("read", written))?;
            let relative = open.relative.clone();
            Ok(Target { written: way.written, relative, now: Now::File { open, content } })
        }
        Err(Fault::Absent(_)) => absent(workspace, way),
        Err(fault) => Err(fault),
    }
}

fn absent(workspace: &Workspace, way: Way) -> Result<Target, Fault> {
    if way.folder {
        return Err(Fault::Folder(way.written));
    }
    let mut parts = way.parts.clone();
    let mut missing: Vec<String> = Vec::new();
    loop {
        // A missing folder with `..` behind it can't be resolved, and making it would be a guess.
        match parts.pop() {
            Some(Part::Name(name)) => missing.insert(0, name),
            Some(Part::Up) | None => return Err(Fault::Absent(way.written)),
        }
        let above = Way { written: way.written.clone(), parts: parts.clone(), folder: true };
        let nearest = match workspace.folder(&above) {
            Ok(nearest) => nearest,
            Err(Fault::Absent(_)) => continue,
            Err(fault) => return Err(fault),
        };
        let first = missing.first().map(String::as_str).unwrap_or_default();
        match statat(&nearest.handle, first, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink => {
                return Err(Fault::DeadLink(way.written));
            }
            Ok(_) => return Err(Fault::Moved(way.written)),
            Err(Errno::NOENT) => {}
            Err(errno) => return Err(fault::opening(&way.written, errno)),
        }
        let rest = missing.join("/");
        let relative = if nearest.relative.is_empty() { rest } else { format!("{}/{rest}", nearest.relative) };
        let Some(name) = missing.pop() else {
            return Err(Fault::Absent(way.written));
        };
        return Ok(Target {
            written: way.written,
            relative,
            now: Now::Absent { nearest: nearest.handle, missing, name },
        });
    }
}

/// Puts the content where the target is, if what was looked at is still there. Says what it left (D-98).
pub(crate) fn put(
    workspace: &Workspace,
    target: Target,
    content: &[u8],
    stop: &CancellationToken,
) -> Result<Left, Fault> {
    let Target { written, relative, now } = target;
    match now {
        Now::File { open, .. } => {
            let name = relative.rsplit('/').next().unwrap_or(&relative);
            let temporary = Temporary::fill(&open.parent, &written, content, Some(&open.stat))?;
            if stop.is_cancelled() {
                return Err(Fault::Stopped);
            }
            let there =
                statat(&open.parent, name, AtFlags::SYMLINK_NOFOLLOW).map_err(|_| Fault::Changed(written.clone()))?;
            if !same(&there, &open.stat) {
                return Err(Fault::Changed(written.clone()));
            }
            temporary.rename(name, Over::Old)?;
        }
        Now::Absent { nearest, missing, name } => {
            let folder = make_folders(workspace, nearest, &missing, &written)?;
            let temporary = Temporary::fill(&folder, &written, content, None)?;
            if stop.is_cancelled() {
                return Err(Fault::Stopped);
            }
            temporary.rename(&name, Over::Nothing)?;
        }
    }
    Ok(Left { path: relative, content: content_hash(content) })
}

/// Whether a file is the one that was read, unchanged as far as its times and size tell.
fn same(there: &Stat, read: &Stat) -> bool {
    FileId::of(there) == FileId::of(read)
        && there.st_size == read.st_size
        && there.st_mtime == read.st_mtime
        && there.st_mtime_nsec == read.st_mtime_nsec
        && there.st_nlink == read.st_nlink
}

fn make_folders(workspace: &Workspace, nearest: OwnedFd, missing: &[String], written: &str) -> Result<OwnedFd, Fault> {
    let mut folder = nearest;
    for name in missing {
        match mkdirat(&folder, name.as_str(), Mode::from_raw_mode(0o777)) {
            Ok(()) => {}
            // It was absent a moment ago; whatever is there now, nobody was asked about it.
            Err(Errno::EXIST) => return Err(Fault::Changed(written.to_owned())),
            Err(errno) => return Err(fault::system("make a folder for", written)(errno)),
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        folder = open_no_link(folder.as_fd(), name, flags, written)?;
    }
    workspace.keep_out(&workspace.refused().now(), &folder, written)?;
    Ok(folder)
}

/// What a rename may replace.
#[derive(Clone, Copy)]
enum Over {
    Nothing,
    Old,
}

/// A file beside the target. It goes away again unless it was renamed.
struct Temporary<'a> {
    folder: &'a OwnedFd,
    written: &'a str,
    name: String,
}

impl<'a> Temporary<'a> {
    /// Makes the file, fills it and has it on the disk.
    fn fill(folder: &'a OwnedFd, written: &'a str, content: &[u8], old: Option<&Stat>) -> Result<Self, Fault> {
        let name = format!(".countersign-{:016x}.tmp", random());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // Closed to others until it has the old file's mode; a new file takes what the umask leaves.
        let mode = Mode::from_raw_mode(if old.is_some() { 0o600 } else { 0o666 });
        let handle = openat(folder, name.as_str(), flags, mode).map_err(fault::system("write", written))?;
        let temporary = Self { folder, written, name };
        let mut file = std::fs::File::from(handle);
        file.write_all(content).map_err(fault::failed("write", written))?;
        if let Some(old) = old {
            let new = fstat(&file).map_err(fault::system("write", written))?;
            if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid) {
                // Only root may give files away; everybody else ends up owning what they write.
                let _ = fchown(&file, Some(Uid::from_raw(old.st_uid)), Some(Gid::from_raw(old.st_gid)));
            }
            fchmod(&file, Mode::from_raw_mode(old.st_mode & 0o777)).map_err(fault::system("write", written))?;
        }
        fsync(&file).map_err(fault::system("write", written))?;
        Ok(temporary)
    }

    fn rename(self, name: &str, over: Over) -> Result<(), Fault> {
        let renamed = match over {
            Over::Old => renameat(self.folder, self.name.as_str(), self.folder, name),
            Over::Nothing => {
                match renameat_with(self.folder, self.name.as_str(), self.folder, name, RenameFlags::NOREPLACE) {
                    // Some file systems can't do that; looking first leaves only a moment in between.
                    Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                        match statat(self.folder, name, AtFlags::SYMLINK_NOFOLLOW) {
                            Ok(_) => Err(Errno::EXIST),
                            Err(_) => renameat(self.folder, self.name.as_str(), self.folder, name),
                        }
                    }
                    done => done,
                }
            }
        };
        match renamed {
            Ok(()) => {}
            Err(Errno::EXIST | Errno::ISDIR | Errno::NOTEMPTY) => {
                return Err(Fault::Changed(self.written.to_owned()));
            }
            Err(errno) => return Err(fault::system("write", self.written)(errno)),
        }
        // The content is safe already; a folder that can't be synced only means that the name may be lost in a crash.
        let _ = fsync(self.folder);
        Ok(())
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        // After a rename the name is gone, and that is all there is to it.
        let _ = unlinkat(self.folder, self.name.as_str(), AtFlags::empty());
    }
}

/// Not secret, only unlikely to exist.
fn random() -> u64 {
    use std::hash::{BuildHasher as _, Hasher as _};
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}
