//! What a process that died left on the screen. The ids of what is shown lie in a file, with the server that gave them; the next
//! start takes those away that the same server still shows, before it tells anew what waits.

use std::path::PathBuf;

/// The file.
#[derive(Debug, Clone)]
pub(super) struct Left {
    place: PathBuf,
}

impl Left {
    pub(super) fn at(place: PathBuf) -> Self {
        Self { place }
    }

    /// Keeps what is shown by this server now.
    pub(super) fn keep(&self, server: &str, ids: &[u32]) {
        let kept = if ids.is_empty() {
            match std::fs::remove_file(&self.place) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
                other => other,
            }
        } else {
            let ids: Vec<String> = ids.iter().map(u32::to_string).collect();
            std::fs::write(&self.place, format!("{server}\n{}\n", ids.join("\n")))
        };
        if let Err(error) = kept {
            tracing::debug!(%error, "what is shown can't be noted");
        }
    }

    /// What was left with this very server; then nothing is any more.
    pub(super) fn take(&self, server: &str) -> Vec<u32> {
        let text = std::fs::read_to_string(&self.place).unwrap_or_default();
        let _ = std::fs::remove_file(&self.place);
        let mut lines = text.lines();
        // Another server, or another session, gave its ids to others.
        if lines.next() != Some(server) {
            return Vec::new();
        }
        lines.filter_map(|line| line.parse().ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_server_is_asked_to_take_things_away() {
        let folder = tempfile::tempdir().unwrap();
        let left = Left::at(folder.path().join("shown"));
        assert!(left.take("a").is_empty());
        left.keep("a", &[3, 7]);
        assert_eq!(left.take("a"), [3, 7]);
        assert!(left.take("a").is_empty(), "once");
        left.keep("a", &[3]);
        assert!(left.take("b").is_empty());
        left.keep("a", &[3]);
        left.keep("a", &[]);
        assert!(left.take("a").is_empty());
    }
}
