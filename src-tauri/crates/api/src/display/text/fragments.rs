//! Long text in fragments that are displayed one by one and give, one after the other, what the text as a whole would: no fragment
//! ends where a chip would stand, within a letter and its marks, or in a run of blanks.

use std::ops::Range;
use std::sync::Arc;

use unicode_segmentation::GraphemeCursor;

use super::{Begins, hidden, is_mark, mask, safe_with, within};
use crate::display::long::Cut;
use crate::wire::text::Shown;

/// About how long a fragment is, in bytes: some lines.
const LENGTH: usize = 600;
/// How much longer it gets so that it ends with a line, in bytes.
const NEAR: usize = 600;
/// No terminal sequence on one chip is longer, in bytes.
const ESCAPE: usize = super::MOST_ESCAPE + 2;
/// How far around a fragment secrets are looked for that reach into it, in bytes.
const AROUND: usize = mask::LONGEST;

/// A text that is displayed in fragments.
#[derive(Debug, Clone)]
pub(crate) struct Fragments {
    text: Arc<str>,
    /// Where each begins, and where the last one ends.
    borders: Vec<usize>,
}

impl Fragments {
    /// Cuts a text; a short one is one fragment, an empty one none.
    pub(crate) fn of(text: Arc<str>) -> Self {
        let mut borders = vec![0];
        let mut from = 0;
        while from < text.len() {
            from = end(&text, from);
            borders.push(from);
        }
        Self { text, borders }
    }

    /// The text that is cut.
    pub(crate) fn text(&self) -> &Arc<str> {
        &self.text
    }

    fn range(&self, at: usize) -> Range<usize> {
        let border = |at: usize| self.borders.get(at).copied().unwrap_or(self.text.len());
        border(at)..border(at + 1)
    }

    /// The source of one.
    pub(crate) fn source(&self, at: usize) -> &str {
        self.text.get(self.range(at)).unwrap_or_default()
    }

    /// The displayed form of one.
    pub(crate) fn shown(&self, at: usize) -> Shown {
        self.shown_with(at, &self.secrets(self.range(at)))
    }

    /// What is covered in a stretch of the text, as stretches of the whole; what stands around it is looked at too.
    fn secrets(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let (mut from, mut to) = (range.start.saturating_sub(AROUND), self.text.len().min(range.end + AROUND));
        while !self.text.is_char_boundary(from) {
            from -= 1;
        }
        while !self.text.is_char_boundary(to) {
            to += 1;
        }
        let found = mask::covers(self.text.get(from..to).unwrap_or_default());
        found.into_iter().map(|one| one.start + from..one.end + from).collect()
    }

    fn shown_with(&self, at: usize, secrets: &[Range<usize>]) -> Shown {
        let before = self.range(at).start.checked_sub(1).and_then(|at| self.text.as_bytes().get(at));
        let begins = if before.is_none_or(|byte| *byte == b'\n') { Begins::Line } else { Begins::Inside };
        safe_with(self.source(at), begins, &within(secrets, &self.range(at)))
    }

    /// Whether a line ends where one ends.
    pub(crate) fn ends_line(&self, at: usize) -> bool {
        self.source(at).ends_with('\n')
    }
}

impl Cut for Fragments {
    type Item = Shown;

    fn len(&self) -> usize {
        self.borders.len() - 1
    }

    fn characters(&self, at: usize) -> usize {
        self.source(at).chars().count()
    }

    fn draw(&self, range: Range<usize>) -> Vec<Shown> {
        let secrets = self.secrets(self.range(range.start).start..self.range(range.end.saturating_sub(1)).end);
        range.map(|at| self.shown_with(at, &secrets)).collect()
    }
}

/// Where the fragment that begins at a place ends: behind a line if one ends nearby, else at the first border that is one.
fn end(text: &str, from: usize) -> usize {
    let target = from + LENGTH;
    if target >= text.len() {
        return text.len();
    }
    let bytes = text.as_bytes();
    let lines = (target..bytes.len().min(target + NEAR)).filter(|at| bytes.get(at - 1) == Some(&b'\n'));
    lines
        .into_iter()
        .find(|at| is_border(text, *at))
        .or_else(|| (target..text.len()).find(|at| is_border(text, *at)))
        .unwrap_or(text.len())
}

/// The first place in a stretch of a text where it may be cut so that both sides look as they do in one.
pub(super) fn border(text: &str, from: usize, to: usize) -> Option<usize> {
    (from..to.min(text.len())).find(|at| is_border(text, *at))
}

/// Whether a text may be cut at a place so that both sides look as they do in one.
fn is_border(text: &str, at: usize) -> bool {
    let Some((head, tail)) = text.split_at_checked(at) else { return false };
    let (Some(before), Some(next)) = (head.chars().next_back(), tail.chars().next()) else { return false };
    let is_blank = |letter: char| matches!(letter, ' ' | '\t' | '\n');
    if is_blank(next) || matches!(before, ' ' | '\t') || is_mark(next) || (before == next && hidden::is_hidden(next)) {
        return false;
    }
    let escapes = head.as_bytes().iter().rev().take(ESCAPE).any(|byte| *byte == 0x1B);
    let ascii = before.is_ascii_graphic() && next.is_ascii_graphic();
    !escapes
        && (before == '\n' || ascii || GraphemeCursor::new(at, text.len(), true).is_boundary(text, 0).unwrap_or(false))
}

#[cfg(test)]
mod tests {
    use super::super::{join, safe};
    use super::*;

    fn same(text: &str) -> usize {
        let fragments = Fragments::of(text.into());
        let sources: String = (0..fragments.len()).map(|at| fragments.source(at)).collect();
        assert_eq!(sources, text, "nothing is lost");
        assert_eq!(join(fragments.draw(0..fragments.len())), safe(text), "each looks as it does in the whole");
        fragments.len()
    }

    #[test]
    fn surface_06_fragments_give_what_the_whole_text_gives() {
        let words = "The quick brown fox\tjumps; over 1 lazy dog. ";
        for (text, least) in [
            (String::new(), 0),
            (words.repeat(400), 20),
            (words.replace(". ", ".\n").repeat(400), 10),
            (format!("{}\n", "x".repeat(9_000)).repeat(3), 20),
            (" ".repeat(5_000), 1),
            (format!("a{}b", "\n".repeat(5_000)), 2),
            (format!("{}    indented\n", "\n".repeat(3)).repeat(500), 10),
            ("\u{202E}".repeat(3_000), 1),
            ("\u{202E}\u{200B}".repeat(3_000), 10),
            ("\u{1b}[31mred\u{1b}[0m".repeat(900), 1),
            (format!("{}plain words here, many of them, and more ", "\u{1b}[38;5;201m").repeat(300), 10),
            ("a\u{300}\u{301}\u{302}".repeat(2_000), 10),
            (format!("z{}", "\u{300}".repeat(40)).repeat(300), 10),
            ("漢字かな交じり文。".repeat(700), 10),
            ("👩\u{200D}👩\u{200D}👧\u{FE0F}1\u{FE0F}\u{20E3}".repeat(900), 10),
            ("a\r\n".repeat(3_000), 10),
            (format!("--token {} and words ", "9f8e7d6c".repeat(40)).repeat(60), 10),
            (format!("token={}", "9f8e7d6c".repeat(400)), 1),
        ] {
            let count = same(&text);
            assert!(count >= least, "{count} fragments of {:?}", text.chars().take(12).collect::<String>());
        }
    }

    #[test]
    fn a_fragment_is_some_lines() {
        let fragments = Fragments::of("0123456789abcde\n".repeat(10_000).into());
        let lengths = (0..fragments.len()).map(|at| fragments.source(at).len());
        assert!(lengths.clone().all(|length| length <= LENGTH + NEAR), "{:?}", lengths.max());
        assert!((0..fragments.len()).all(|at| fragments.ends_line(at)), "it ends with a line where there are lines");
    }
}
