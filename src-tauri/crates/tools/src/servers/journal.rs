//! What a server wrote to its standard error, and what happened to it: the last of it, bounded.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// The longest line that is kept, in bytes.
const MOST_LINE: usize = 2 * 1024;
/// The most that is kept, in bytes.
const MOST: usize = 256 * 1024;

/// A line of a server's log. Hostile text, unless it is ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Whether Countersign wrote it.
    pub ours: bool,
    /// The text, at most 2 KiB.
    pub text: String,
}

/// A server's log. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct Journal(Arc<Mutex<Lines>>);

#[derive(Debug, Default)]
struct Lines {
    lines: VecDeque<LogLine>,
    bytes: usize,
}

impl Journal {
    /// What happened, in our words.
    pub(super) fn note(&self, text: impl Into<String>) {
        self.push(true, text.into());
    }

    /// A line that the server wrote.
    pub(super) fn line(&self, text: &[u8]) {
        let text = String::from_utf8_lossy(text.get(..MOST_LINE).unwrap_or(text));
        self.push(false, text.trim_end_matches(['\n', '\r']).to_owned());
    }

    pub(super) fn lines(&self) -> Vec<LogLine> {
        self.lock().lines.iter().cloned().collect()
    }

    fn push(&self, ours: bool, text: String) {
        let end = (0..=text.len().min(MOST_LINE)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
        let text = text.get(..end).unwrap_or_default().to_owned();
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let at = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
        let mut log = self.lock();
        log.bytes += text.len();
        log.lines.push_back(LogLine { at, ours, text });
        // An empty line costs something too.
        while log.bytes > MOST || log.lines.len() > MOST / 64 {
            let Some(gone) = log.lines.pop_front() else { break };
            log.bytes -= gone.text.len();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Lines> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_much_is_written_the_end_is_kept_and_no_more() {
        let log = Journal::default();
        log.note("started");
        for number in 0..20_000 {
            log.line(format!("{number} {}\r\n", "x".repeat(100)).as_bytes());
        }
        for _ in 0..20_000 {
            log.line(b"\n");
        }
        log.line("é".repeat(4000).as_bytes());
        let lines = log.lines();
        let bytes: usize = lines.iter().map(|line| line.text.len()).sum();
        assert!(bytes <= MOST && lines.len() <= MOST / 64, "{bytes} bytes in {} lines", lines.len());
        let last = lines.last().unwrap();
        assert!(!last.ours && last.text.starts_with("éé") && last.text.len() <= MOST_LINE + 3, "{}", last.text.len());
    }
}
