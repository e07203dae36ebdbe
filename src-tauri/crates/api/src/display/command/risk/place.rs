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
    /// Components below the workspace; none once it was left, or can't be told.
    below: Option<Vec<String>>,
}

impl Cwd {
    /// In the workspace folder.
    pub(crate) fn at(root: &str) -> Self {
        Self { root: root.trim_end_matches('/').to_owned(), below: Some(Vec::new()) }
    }

    /// Where a path leads from here.
    pub(crate) fn place(&self, path: &str) -> Place {
        match self.follow(path) {
            Some(_) => Place::Inside,
            None => Place::Outside,
        }
    }

    /// Goes to a folder.
    pub(crate) fn go(&mut self, path: &str) {
        self.below = if path.contains('$') || path == "-" { None } else { self.follow(path) };
    }

    fn follow(&self, path: &str) -> Option<Vec<String>> {
        let (mut below, path) = if path.starts_with('/') {
            if self.root.is_empty() {
                return None;
            }
            let inside = path.strip_prefix(&self.root).filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
            (Vec::new(), inside)
        } else if path.starts_with('~') {
            return None;
        } else {
            (self.below.clone()?, path)
        };
        for component in path.split('/') {
            match component {
                "" | "." => {}
                ".." => {
                    below.pop()?;
                }
                name => below.push(name.to_owned()),
            }
        }
        Some(below)
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
