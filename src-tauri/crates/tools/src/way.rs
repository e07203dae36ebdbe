//! A path as the model wrote it, read once. Nothing is looked up here.

use std::path::Path;

use crate::fault::Fault;

/// The most bytes of a path; the limit of the system's own calls.
const MOST_BYTES: usize = 4096;

/// A path relative to the workspace folder. It may still lead out of it by `..` or a link; opening decides that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Way {
    /// As the model wrote it, for messages.
    pub(crate) written: String,
    /// Without `.` and empty parts.
    pub(crate) parts: Vec<Part>,
    /// Whether it can only name a folder, because it ends in `/`, `.` or `..`.
    pub(crate) folder: bool,
}

/// One part of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// `..`
    Up,
    /// A name.
    Name(String),
}

impl Way {
    /// Reads a path. An absolute one is accepted if it starts with the workspace folder's own path, because models
    /// like to write those; what follows is then opened like any other.
    pub(crate) fn read(written: &str, root: &Path) -> Result<Self, Fault> {
        if written.trim().is_empty() {
            return Err(Fault::Empty);
        }
        if written.contains('\0') {
            return Err(Fault::Nul);
        }
        if written.len() > MOST_BYTES {
            return Err(Fault::TooLong);
        }
        let inside = if written.starts_with('/') {
            let root = root.to_str().map(|root| root.trim_end_matches('/'));
            let rest = root
                .and_then(|root| written.strip_prefix(root))
                .filter(|rest| rest.is_empty() || rest.starts_with('/'));
            rest.ok_or_else(|| Fault::Outside(written.to_owned()))?
        } else {
            written
        };
        let folder = inside.is_empty() || matches!(inside.rsplit('/').next(), Some("" | "." | ".."));
        let parts = inside.split('/').filter(|part| !part.is_empty() && *part != ".");
        let parts = parts.map(|part| if part == ".." { Part::Up } else { Part::Name(part.to_owned()) }).collect();
        Ok(Self { written: written.to_owned(), parts, folder })
    }

    /// The workspace folder itself.
    pub(crate) fn root() -> Self {
        Self { written: ".".to_owned(), parts: Vec::new(), folder: true }
    }

    /// The parts as one relative text for the system; `.` if there are none.
    pub(crate) fn text(parts: &[Part]) -> String {
        if parts.is_empty() {
            return ".".to_owned();
        }
        let names = parts.iter().map(|part| match part {
            Part::Up => "..",
            Part::Name(name) => name.as_str(),
        });
        names.collect::<Vec<_>>().join("/")
    }

    /// A way made of a resolved relative path; messages still name what the model wrote.
    pub(crate) fn resolved(written: &str, relative: &str) -> Self {
        let parts = relative.split('/').filter(|part| !part.is_empty() && *part != ".");
        let parts = parts.map(|part| Part::Name(part.to_owned())).collect();
        Self { written: written.to_owned(), parts, folder: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_as_the_system_would() {
        let root = Path::new("/home/me/work");
        let read = |written: &str| Way::read(written, root).map(|way| (Way::text(&way.parts), way.folder));
        for (written, text, folder) in [
            ("a.txt", "a.txt", false),
            ("./a//b", "a/b", false),
            ("a/", "a", true),
            ("a/..", "a/..", true),
            (".", ".", true),
            ("/home/me/work", ".", true),
            ("/home/me/work/a", "a", false),
            ("/home/me/work/../x", "../x", false),
            ("...", "...", false),
            (" a", " a", false),
        ] {
            assert_eq!(read(written), Ok((text.to_owned(), folder)), "`{written}`");
        }
        for (written, fault) in [
            ("", Fault::Empty),
            (" \n", Fault::Empty),
            ("a\0b", Fault::Nul),
            ("/etc/passwd", Fault::Outside("/etc/passwd".to_owned())),
            ("/home/me/workshop/a", Fault::Outside("/home/me/workshop/a".to_owned())),
            (&"a/".repeat(2100), Fault::TooLong),
        ] {
            assert_eq!(read(written), Err(fault), "`{written}`");
        }
    }
}
