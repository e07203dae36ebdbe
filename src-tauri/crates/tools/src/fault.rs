//! Why a file operation can't be done, in words for the model. Paths stand as the model wrote them.

use rustix::io::Errno;

/// A file operation that can't be done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    #[error("the path is empty; name a file or folder relative to the workspace folder")]
    Empty,
    #[error("the path contains a NUL character")]
    Nul,
    #[error("the path is longer than 4096 bytes")]
    TooLong,
    #[error("`{0}` is outside the workspace folder, or leads out of it; only what lies in it can be opened")]
    Outside(String),
    #[error("`{0}` belongs to Countersign itself; no tool may open it")]
    Refused(String),
    #[error("`{0}` doesn't exist")]
    Absent(String),
    #[error("`{0}` is a folder, not a file")]
    Folder(String),
    #[error("`{0}` is not a folder")]
    NotAFolder(String),
    #[error("`{0}` is not a regular file")]
    Special(String),
    #[error("`{0}` leads through a symbolic link that can't be followed safely")]
    Link(String),
    #[error("`{0}` is a symbolic link that leads nowhere; it isn't written through")]
    DeadLink(String),
    #[error("`{0}` has several hard links; writing it could change a file elsewhere, so it isn't written")]
    HardLinks(String),
    #[error("`{path}` has {size} bytes; files over {most} bytes aren't read for this")]
    TooLarge { path: String, size: u64, most: u64 },
    #[error("`{0}` resolves to a name that isn't UTF-8")]
    NotUtf8Name(String),
    #[error("`{0}` is not UTF-8 text")]
    NotText(String),
    #[error("`{0}` changed while it was being opened; try again")]
    Moved(String),
    /// What was true at ask time no longer holds (D-85).
    #[error("`{0}` changed since you asked, so nothing was done; read it again")]
    Changed(String),
    #[error("the workspace folder `{0}` was moved or removed")]
    RootGone(String),
    #[error("stopped before anything was changed")]
    Stopped,
    #[error("could not {doing} `{path}`: {}", words(*.errno))]
    System { doing: &'static str, path: String, errno: Errno },
}

/// Turns what the system said while opening a path into words.
pub(crate) fn opening(path: &str, errno: Errno) -> Fault {
    match errno {
        Errno::NOENT => Fault::Absent(path.to_owned()),
        Errno::XDEV => Fault::Outside(path.to_owned()),
        Errno::LOOP => Fault::Link(path.to_owned()),
        Errno::NOTDIR => Fault::NotAFolder(path.to_owned()),
        Errno::NXIO | Errno::NODEV => Fault::Special(path.to_owned()),
        errno => Fault::System { doing: "open", path: path.to_owned(), errno },
    }
}

/// For `map_err` on a system call.
pub(crate) fn system(doing: &'static str, path: &str) -> impl FnOnce(Errno) -> Fault {
    move |errno| Fault::System { doing, path: path.to_owned(), errno }
}

/// For `map_err` on a standard library call.
pub(crate) fn failed(doing: &'static str, path: &str) -> impl FnOnce(std::io::Error) -> Fault {
    move |error| Fault::System {
        doing,
        path: path.to_owned(),
        errno: Errno::from_io_error(&error).unwrap_or(Errno::IO),
    }
}

/// What an error number means for somebody who can't look it up.
pub(crate) fn words(errno: Errno) -> String {
    match errno {
        Errno::NOSPC => "the disk is full; nothing was changed".to_owned(),
        Errno::DQUOT => "the disk quota is used up; nothing was changed".to_owned(),
        Errno::ROFS => "the file system is read-only".to_owned(),
        Errno::ACCESS | Errno::PERM => "permission is denied".to_owned(),
        Errno::NAMETOOLONG => "a name in the path is too long".to_owned(),
        Errno::MFILE | Errno::NFILE => "too many files are open".to_owned(),
        Errno::FBIG => "the file would get too large".to_owned(),
        Errno::IO => "the disk reported an error".to_owned(),
        errno => {
            let text = std::io::Error::from(errno).to_string().to_lowercase();
            text.split(" (os error").next().unwrap_or_default().to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_named_and_nothing_ends_in_a_full_stop() {
        let text = system("write", "a.txt")(Errno::NOSPC).to_string();
        assert_eq!(text, "could not write `a.txt`: the disk is full; nothing was changed");
        for errno in [Errno::NOSPC, Errno::DQUOT, Errno::IO, Errno::TXTBSY, Errno::BUSY, Errno::ACCESS] {
            let words = words(errno);
            assert!(!words.is_empty() && !words.ends_with('.') && !words.contains("os error"), "`{words}`");
        }
    }
}
