//! The workspace folder as a handle, and opening files relative to it.
//!
//! # Design
//! Where the kernel has `openat2`, it resolves the whole path in one call and refuses whatever leaves the folder;
//! symbolic links that stay in it work. Elsewhere each part is opened from the folder before it and links are refused.
//! Either way the decision is made on what was opened, never on a path that could mean something else a moment later.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, openat, statat};
use rustix::io::Errno;

use crate::fault::{self, Fault};
use crate::refused::{FileId, Refused, RefusedNow, check_workspace};
use crate::way::{Part, Way};

/// Opens a folder only to open things relative to it.
#[cfg(target_os = "linux")]
pub(crate) const HANDLE: OFlags = OFlags::PATH;
/// Opens a folder only to open things relative to it.
#[cfg(not(target_os = "linux"))]
pub(crate) const HANDLE: OFlags = OFlags::RDONLY;

/// Never waits for the other end of a pipe, never takes a terminal, never leaks into a command.
const LOOK: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// How often a path is resolved anew when the tree changes under it.
const TRIES: usize = 16;

/// How paths are resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// By the kernel, in one call.
    Kernel,
    /// Part by part, without following links.
    ByPart,
}

/// An open workspace folder. Everything in it is opened relative to this handle.
#[derive(Debug)]
pub struct Workspace {
    root: OwnedFd,
    id: FileId,
    path: PathBuf,
    refused: Refused,
    opening: Opening,
}

/// A regular file that was opened for reading.
#[derive(Debug)]
pub(crate) struct OpenFile {
    pub(crate) file: File,
    pub(crate) stat: Stat,
    /// Resolved, relative to the workspace folder.
    pub(crate) relative: String,
    /// The folder that it lies in.
    pub(crate) parent: OwnedFd,
}

/// A folder that was opened for listing.
#[derive(Debug)]
pub(crate) struct OpenFolder {
    pub(crate) handle: OwnedFd,
    /// Resolved, relative to the workspace folder; empty for the folder itself.
    pub(crate) relative: String,
}

/// What a path leads to.
pub(crate) enum Opened {
    File(OpenFile),
    Folder(OpenFolder),
}

impl Workspace {
    /// Opens a workspace folder after checking it.
    ///
    /// # Errors
    /// Words for the person; see [`check_workspace`].
    pub fn open(folder: &Path, refused: Vec<PathBuf>) -> Result<Self, String> {
        let path = check_workspace(folder, &refused)?;
        let flags = HANDLE | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let unusable =
            |errno| format!("the workspace folder `{}` can't be opened: {}", path.display(), fault::words(errno));
        let root = rustix::fs::open(&path, flags, Mode::empty()).map_err(unusable)?;
        let id = FileId::of(&fstat(&root).map_err(unusable)?);
        let opening = probe(&root);
        Ok(Self { root, id, path, refused: Refused::new(refused), opening })
    }

    /// The same folder with another way of opening; the tests run both.
    #[must_use]
    pub fn with_opening(mut self, opening: Opening) -> Self {
        self.opening = opening;
        self
    }

    /// How paths are resolved here.
    pub fn opening(&self) -> Opening {
        self.opening
    }

    /// The resolved, absolute path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn root(&self) -> BorrowedFd<'_> {
        self.root.as_fd()
    }

    pub(crate) fn refused(&self) -> &Refused {
        &self.refused
    }

    /// Reads a path as the model wrote it.
    pub(crate) fn way(&self, written: &str) -> Result<Way, Fault> {
        Way::read(written, &self.path)
    }

    /// Makes sure that the handle still is what the path names.
    pub(crate) fn still_there(&self) -> Result<(), Fault> {
        match rustix::fs::stat(&self.path) {
            Ok(stat) if FileId::of(&stat) == self.id => Ok(()),
            Ok(_) | Err(_) => Err(Fault::RootGone(self.path.display().to_string())),
        }
    }

    /// Opens what a path leads to: a regular file or a folder, in the workspace and not refused.
    pub(crate) fn look(&self, way: &Way) -> Result<Opened, Fault> {
        self.still_there()?;
        let mut last = Fault::Moved(way.written.clone());
        for _ in 0..TRIES {
            match self.look_once(way) {
                Err(fault @ Fault::Moved(_)) => last = fault,
                done => return done,
            }
        }
        Err(last)
    }

    /// Opens a regular file for reading.
    pub(crate) fn file(&self, way: &Way) -> Result<OpenFile, Fault> {
        match self.look(way)? {
            Opened::File(_) if way.folder => Err(Fault::NotAFolder(way.written.clone())),
            Opened::File(file) => Ok(file),
            Opened::Folder(_) => Err(Fault::Folder(way.written.clone())),
        }
    }

    /// Opens a folder.
    pub(crate) fn folder(&self, way: &Way) -> Result<OpenFolder, Fault> {
        match self.look(way)? {
            Opened::Folder(folder) => Ok(folder),
            Opened::File(_) => Err(Fault::NotAFolder(way.written.clone())),
        }
    }

    fn look_once(&self, way: &Way) -> Result<Opened, Fault> {
        let (handle, relative) = self.open_parts(&way.parts, LOOK, &way.written)?;
        let stat = fstat(&handle).map_err(fault::system("look at", &way.written))?;
        let refused = self.refused.now();
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => {
                self.keep_out(&refused, &handle, &way.written)?;
                Ok(Opened::Folder(OpenFolder { handle, relative }))
            }
            FileType::RegularFile => {
                let (folder, name) = relative.rsplit_once('/').unwrap_or(("", &relative));
                let parent = self.resolved_folder(folder, &way.written)?;
                self.keep_out(&refused, &parent, &way.written)?;
                let there = statat(&parent, name, AtFlags::SYMLINK_NOFOLLOW);
                let id = FileId::of(&stat);
                if there.is_err() || there.is_ok_and(|there| FileId::of(&there) != id) {
                    return Err(Fault::Moved(way.written.clone()));
                }
                if refused.shares(&stat) {
                    return Err(Fault::Refused(way.written.clone()));
                }
                Ok(Opened::File(OpenFile { file: File::from(handle), stat, relative, parent }))
            }
            FileType::Symlink
            | FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Unknown => Err(Fault::Special(way.written.clone())),
        }
    }

    /// Fails if the folder belongs to Countersign.
    pub(crate) fn keep_out(&self, refused: &RefusedNow, folder: impl AsFd, written: &str) -> Result<(), Fault> {
        if refused.holds(folder, self.id).map_err(fault::system("look at", written))? {
            return Err(Fault::Refused(written.to_owned()));
        }
        Ok(())
    }

    /// Opens a folder by its resolved path, in which there is no link any more. One that turned up since is refused.
    pub(crate) fn resolved_folder(&self, relative: &str, written: &str) -> Result<OwnedFd, Fault> {
        let way = Way::resolved(written, relative);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let (handle, _) = self.open_by_part(&way.parts, flags, written)?;
        Ok(handle)
    }

    fn open_parts(&self, parts: &[Part], flags: OFlags, written: &str) -> Result<(OwnedFd, String), Fault> {
        match self.opening {
            #[cfg(target_os = "linux")]
            Opening::Kernel => self.open_by_kernel(parts, flags, written),
            #[cfg(not(target_os = "linux"))]
            Opening::Kernel => self.open_by_part(parts, flags, written),
            Opening::ByPart => self.open_by_part(parts, flags, written),
        }
    }

    #[cfg(target_os = "linux")]
    fn open_by_kernel(&self, parts: &[Part], flags: OFlags, written: &str) -> Result<(OwnedFd, String), Fault> {
        use rustix::fs::{ResolveFlags, openat2};

        let text = Way::text(parts);
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        for _ in 0..TRIES {
            match openat2(&self.root, &text, flags, Mode::empty(), resolve) {
                Ok(handle) => {
                    let relative = self.relative(&handle, written)?;
                    return Ok((handle, relative));
                }
                // Something was renamed while the kernel walked; it could not tell whether it left the folder.
                Err(Errno::AGAIN) => {}
                Err(errno) => return Err(fault::opening(written, errno)),
            }
        }
        Err(Fault::Moved(written.to_owned()))
    }

    /// Where an open file lies, relative to the folder, as the kernel says.
    #[cfg(target_os = "linux")]
    fn relative(&self, handle: &OwnedFd, written: &str) -> Result<String, Fault> {
        use std::os::fd::AsRawFd as _;

        let link = format!("/proc/self/fd/{}", handle.as_raw_fd());
        let path = std::fs::read_link(link).map_err(fault::failed("look at", written))?;
        let inside = path.strip_prefix(&self.path).map_err(|_| Fault::Moved(written.to_owned()))?;
        inside.to_str().map(str::to_owned).ok_or_else(|| Fault::NotUtf8Name(written.to_owned()))
    }

    fn open_by_part(&self, parts: &[Part], flags: OFlags, written: &str) -> Result<(OwnedFd, String), Fault> {
        let mut names: Vec<&str> = Vec::new();
        let mut folders: Vec<OwnedFd> = Vec::new();
        let step = HANDLE | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for (index, part) in parts.iter().enumerate() {
            let top = folders.last().map_or(self.root.as_fd(), AsFd::as_fd);
            match part {
                Part::Up => {
                    names.pop();
                    folders.pop().ok_or_else(|| Fault::Outside(written.to_owned()))?;
                }
                Part::Name(name) if index + 1 == parts.len() => {
                    let handle = open_no_link(top, name, flags | OFlags::NOFOLLOW, written)?;
                    names.push(name);
                    return Ok((handle, names.join("/")));
                }
                Part::Name(name) => {
                    let folder = open_no_link(top, name, step, written)?;
                    names.push(name);
                    folders.push(folder);
                }
            }
        }
        let top = folders.last().map_or(self.root.as_fd(), AsFd::as_fd);
        let handle = openat(top, ".", flags, Mode::empty()).map_err(|errno| fault::opening(written, errno))?;
        Ok((handle, names.join("/")))
    }
}

/// Opens one name in a folder and says so if it is a link.
pub(crate) fn open_no_link(folder: BorrowedFd<'_>, name: &str, flags: OFlags, written: &str) -> Result<OwnedFd, Fault> {
    openat(folder, name, flags, Mode::empty()).map_err(|errno| {
        let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
        let link = stat.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink);
        if link { Fault::Link(written.to_owned()) } else { fault::opening(written, errno) }
    })
}

/// Whether the kernel has `openat2`; some containers answer with a denial instead of saying that it is missing.
#[cfg(target_os = "linux")]
fn probe(root: &OwnedFd) -> Opening {
    use rustix::fs::{ResolveFlags, openat2};

    let flags = HANDLE | OFlags::DIRECTORY | OFlags::CLOEXEC;
    match openat2(root, ".", flags, Mode::empty(), ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS) {
        Ok(_) => Opening::Kernel,
        Err(_) => Opening::ByPart,
    }
}

#[cfg(not(target_os = "linux"))]
fn probe(_root: &OwnedFd) -> Opening {
    Opening::ByPart
}
