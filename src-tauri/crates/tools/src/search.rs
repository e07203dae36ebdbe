//! `search_files`: lines that match a regular expression. Time grows linearly with what is read, and what is read,
//! kept and opened is bounded.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsFd as _, OwnedFd};

use regex::bytes::{Regex, RegexBuilder};
use rustix::fs::{FileType, OFlags, fstat};
use tokio_util::sync::CancellationToken;

use crate::fault::{self, Fault};
use crate::list::{Entry, Whole, below, entries};
use crate::read::grouped;
use crate::refused::RefusedNow;
use crate::way::Way;
use crate::workspace::{Opened, Workspace, open_no_link};

/// The most files that are opened.
const MOST_FILES: u64 = 20_000;
/// The most bytes that are read in all.
const MOST_BYTES: u64 = 256 * 1024 * 1024;
/// The most bytes of one file.
const MOST_FILE_BYTES: u64 = 8 * 1024 * 1024;
/// The most lines that come back.
const MOST_HITS: usize = 200;
/// The most characters of a line that are shown.
const MOST_LINE: usize = 300;
/// How deep folders are followed.
const MOST_DEPTH: usize = 64;
/// The most memory for a compiled pattern.
const MOST_PATTERN: usize = 1024 * 1024;

/// Compiles a pattern.
///
/// # Errors
/// Words for the model.
pub(crate) fn pattern(text: &str) -> Result<Regex, String> {
    let built = RegexBuilder::new(text).size_limit(MOST_PATTERN).dfa_size_limit(MOST_PATTERN).build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => "the regular expression is too large".to_owned(),
        error => {
            let text = error.to_string();
            let last = text.lines().last().unwrap_or_default();
            format!(
                "the regular expression can't be read: {}",
                last.trim_start_matches("error: ").trim_end_matches('.')
            )
        }
    })
}

/// Searches a file or a folder.
pub(crate) fn search(
    workspace: &Workspace,
    pattern: &Regex,
    path: Option<&str>,
    include: Option<&str>,
    stop: &CancellationToken,
) -> Result<String, Fault> {
    let way = path.map_or_else(|| Ok(Way::root()), |path| workspace.way(path))?;
    let mut search = Search {
        pattern,
        include: include.unwrap_or_default(),
        stop,
        refused: workspace.refused().now(),
        text: String::new(),
        hits: 0,
        files: 0,
        bytes: 0,
        large: 0,
    };
    let ended = match workspace.look(&way)? {
        Opened::File(open) => search.file(open.file, &open.relative),
        Opened::Folder(folder) => search.folder(&folder.handle, &folder.relative, 0),
    };
    let bound = match ended {
        Ok(()) => None,
        Err(End::Stopped) => return Err(Fault::Stopped),
        Err(End::Bound(bound)) => Some(bound),
    };
    if search.hits == 0 {
        let _ = writeln!(search.text, "[no line matches; {} files were searched]", grouped(search.files));
    }
    if let Some(bound) = bound {
        let _ = writeln!(search.text, "[ended early: {bound}; there may be more]");
    }
    if search.large > 0 {
        let _ = writeln!(search.text, "[{} files over 8 MiB were left out]", grouped(search.large));
    }
    Ok(search.text)
}

enum End {
    Stopped,
    Bound(&'static str),
}

struct Search<'a> {
    pattern: &'a Regex,
    include: &'a str,
    stop: &'a CancellationToken,
    refused: RefusedNow,
    text: String,
    hits: usize,
    files: u64,
    bytes: u64,
    large: u64,
}

impl Search<'_> {
    fn folder(&mut self, folder: &OwnedFd, prefix: &str, depth: usize) -> Result<(), End> {
        if depth > MOST_DEPTH {
            return Err(End::Bound("folders are nested deeper than 64 levels"));
        }
        // What can't be opened or vanished meanwhile is passed over; a search isn't the place to fail for it.
        let Ok((entries, whole)) = entries(folder, prefix) else {
            return Ok(());
        };
        for Entry { name, kind } in entries {
            if self.stop.is_cancelled() {
                return Err(End::Stopped);
            }
            let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
            match kind {
                FileType::Directory if name != ".git" => {
                    if let Ok(Some(handle)) = below(folder, &name, &self.refused, &path) {
                        self.folder(&handle, &path, depth + 1)?;
                    }
                }
                FileType::RegularFile if name.ends_with(self.include) => {
                    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                    if let Ok(handle) = open_no_link(folder.as_fd(), &name, flags, &path) {
                        self.file(File::from(handle), &path)?;
                    }
                }
                FileType::Directory
                | FileType::RegularFile
                | FileType::Symlink
                | FileType::Fifo
                | FileType::Socket
                | FileType::CharacterDevice
                | FileType::BlockDevice
                | FileType::Unknown => {}
            }
        }
        match whole {
            Whole::Yes => Ok(()),
            Whole::No => Err(End::Bound("a folder has over 100,000 names")),
        }
    }

    fn file(&mut self, file: File, path: &str) -> Result<(), End> {
        let Ok(stat) = fstat(&file) else {
            return Ok(());
        };
        let regular = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
        if !regular || self.refused.shares(&stat) {
            return Ok(());
        }
        if u64::try_from(stat.st_size).unwrap_or(u64::MAX) > MOST_FILE_BYTES {
            self.large += 1;
            return Ok(());
        }
        if self.files == MOST_FILES {
            return Err(End::Bound("20,000 files were searched"));
        }
        self.files += 1;
        let mut content = Vec::new();
        if file.take(MOST_FILE_BYTES).read_to_end(&mut content).map_err(fault::failed("read", path)).is_err() {
            return Ok(());
        }
        self.bytes = self.bytes.saturating_add(content.len() as u64);
        if content.iter().take(8 * 1024).any(|byte| *byte == 0) {
            return Ok(());
        }
        // The line end at the end of a file begins no further line.
        let lines = content.strip_suffix(b"\n").unwrap_or(&content);
        for (index, line) in lines.split(|byte| *byte == b'\n').enumerate() {
            if !self.pattern.is_match(line) {
                continue;
            }
            if self.hits == MOST_HITS {
                return Err(End::Bound("200 lines match"));
            }
            self.hits += 1;
            let line = String::from_utf8_lossy(line);
            let line = line.trim_end_matches('\r');
            let shown: String = line.chars().take(MOST_LINE).collect();
            let rest = if shown.len() < line.len() { " …" } else { "" };
            let _ = writeln!(self.text, "{path}:{}: {shown}{rest}", index + 1);
        }
        if self.bytes > MOST_BYTES {
            return Err(End::Bound("256 MiB were read"));
        }
        Ok(())
    }
}
