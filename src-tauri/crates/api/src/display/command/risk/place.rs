//! Where a written path leads, by its letters alone: nothing is looked up on the disk.

/// Where something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// Not outside, as far as the letters say.
    Inside,
    /// Outside the workspace.
    Outside,
}

/// The folder that a part of a command works in, followed through `cd`.
#[derive(Debug)]
pub(crate) struct Cwd {
    /// The workspace folder, absolute; empty if it isn't known.
    root: String,
    now: Now,
}

#[derive(Debug, Clone)]
enum Now {
    /// These components below the workspace.
    Below(Vec<String>),
    /// Outside the workspace.
    Left,
    /// Only known when it runs.
    Unknown,
}

impl Cwd {
    /// In the workspace folder.
    pub(crate) fn at(root: &str) -> Self {
        Self { root: root.trim_end_matches('/').to_owned(), now: Now::Below(Vec::new()) }
    }

    /// Where a path leads from here.
    pub(crate) fn place(&self, path: &str) -> Place {
        match self.follow(path) {
            Now::Below(_) | Now::Unknown => Place::Inside,
            Now::Left => Place::Outside,
        }
    }

    /// Goes to a folder.
    pub(crate) fn go(&mut self, path: &str) {
        self.now = if path.contains('$') || path == "-" { Now::Unknown } else { self.follow(path) };
    }

    fn follow(&self, path: &str) -> Now {
        let (mut below, path) = if path.starts_with('/') {
            let inside = path.strip_prefix(&self.root).filter(|rest| rest.is_empty() || rest.starts_with('/'));
            match inside {
                Some(inside) if !self.root.is_empty() => (Vec::new(), inside),
                Some(_) | None => return Now::Left,
            }
        } else if path.starts_with('~') {
            return Now::Left;
        } else {
            match &self.now {
                Now::Below(below) => (below.clone(), path),
                other @ (Now::Left | Now::Unknown) => return other.clone(),
            }
        };
        for component in path.split('/') {
            match component {
                "" | "." => {}
                ".." => {
                    if below.pop().is_none() {
                        return Now::Left;
                    }
                }
                name => below.push(name.to_owned()),
            }
        }
        Now::Below(below)
    }
}

/// The host of an address that a word is or holds.
pub(super) fn host(word: &str) -> Option<&str> {
    let lower = word.to_ascii_lowercase();
    let start = ["https://", "http://", "ftp://", "ssh://", "git://", "wss://", "ws://"]
        .iter()
        .find_map(|scheme| lower.find(scheme).map(|at| at + scheme.len()))?;
    let rest = word.get(start..)?;
    let ends = |letter: char| letter.is_whitespace() || "/?#\\\"'`()<>{}|;&,".contains(letter);
    let authority = rest.split(ends).next()?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = if host.starts_with('[') { host } else { host.split(':').next()? };
    (!host.is_empty()).then_some(host)
}
