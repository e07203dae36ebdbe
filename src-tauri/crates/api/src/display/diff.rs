//! Differences of files as lines to read. Unchanged stretches are folded with their amount, added lines never.
//!
//! # Design
//! Comparing gives one small mark a line; a line is drawn, and its changed words are looked for, when somebody reads it. So a change of
//! hundreds of thousands of lines costs what comparing costs.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use similar::{ChangeTag, DiffOp, TextDiffConfig};

use super::long::Cut;
use super::mask;
use super::text::{Begins, safe, safe_with, within};
use crate::wire::payload::{DiffLine, DiffPart};

/// Unchanged lines that are shown around a change.
const CONTEXT: usize = 3;
/// The fewest lines that are worth a fold.
const LEAST_FOLD: usize = 2;
/// Beyond this nothing is compared: everything is removed and added.
const MOST_BYTES: usize = 4 * 1024 * 1024;
/// Beyond this a changed stretch is shown by whole lines.
const MOST_INLINE_LINES: usize = 400;
/// The longest time that comparing may take: what a person waits for is drawn within 200 ms (P17).
const MOST_TIME: Duration = Duration::from_millis(60);
/// The longest time that looking for the changed words of what is drawn at once may take.
const MOST_WORDS_TIME: Duration = Duration::from_millis(60);

/// A text and where its lines begin.
#[derive(Debug)]
struct Side {
    text: Arc<str>,
    /// One more than there are lines: the last one is the end.
    borders: Vec<usize>,
}

impl Side {
    fn of(text: &str) -> Self {
        let mut borders = vec![0];
        borders.extend(text.split_inclusive('\n').scan(0, |at, line| {
            *at += line.len();
            Some(*at)
        }));
        Self { text: text.into(), borders }
    }

    fn len(&self) -> usize {
        self.borders.len() - 1
    }

    fn line(&self, at: usize) -> &str {
        match (self.borders.get(at), self.borders.get(at + 1)) {
            (Some(from), Some(to)) => self.text.get(*from..*to).unwrap_or_default(),
            (Some(_) | None, _) => "",
        }
    }

    fn all(&self) -> Vec<&str> {
        self.some(0..self.len())
    }

    fn some(&self, range: Range<usize>) -> Vec<&str> {
        range.map(|at| self.line(at)).collect()
    }
}

/// What a line is; numbers count from 0.
#[derive(Debug, Clone, Copy)]
enum Line {
    Same {
        old: usize,
        new: usize,
    },
    Removed {
        old: usize,
        replaced: Option<usize>,
        begins: bool,
    },
    Added {
        new: usize,
        replaced: Option<usize>,
        begins: bool,
    },
    Folded(usize),
    /// There is no line break at the end of the line before.
    NoFinalBreak,
}

/// The lines of a change.
#[derive(Debug)]
pub(crate) struct Lines {
    before: Side,
    after: Side,
    lines: Vec<Line>,
    /// Lines that replace others and are few enough to show their changed words.
    replaced: Vec<(Range<usize>, Range<usize>)>,
    /// How many were added and removed.
    pub(crate) added: u32,
    pub(crate) removed: u32,
}

/// The lines of a change.
pub(crate) fn lines(before: &str, after: &str) -> Lines {
    let mut lines = Lines::empty(Side::of(before), Side::of(after));
    if before.len() + after.len() > MOST_BYTES {
        lines.changed(0..lines.before.len(), 0..lines.after.len(), None);
        return lines;
    }
    let operations: Vec<DiffOp> = {
        let (old, new) = (lines.before.all(), lines.after.all());
        TextDiffConfig::default().timeout(MOST_TIME).diff_slices(&old, &new).ops().to_vec()
    };
    for (index, operation) in operations.iter().enumerate() {
        match *operation {
            DiffOp::Equal { old_index, new_index, len } => {
                let shown_first = if index == 0 { 0 } else { CONTEXT };
                let shown_last = if index + 1 == operations.len() { 0 } else { CONTEXT };
                lines.same((old_index, new_index), len, (shown_first, shown_last));
            }
            DiffOp::Delete { .. } | DiffOp::Insert { .. } | DiffOp::Replace { .. } => {
                let (old, new) = (operation.old_range(), operation.new_range());
                let by_words =
                    matches!(operation, DiffOp::Replace { .. }) && old.len() + new.len() <= MOST_INLINE_LINES;
                let replaced = by_words.then(|| {
                    lines.replaced.push((old.clone(), new.clone()));
                    lines.replaced.len() - 1
                });
                lines.changed(old, new, replaced);
            }
        }
    }
    lines
}

/// The lines of a new file; all added.
pub(crate) fn created(content: &str) -> Lines {
    let mut lines = Lines::empty(Side::of(""), Side::of(content));
    lines.changed(0..0, 0..lines.after.len(), None);
    lines
}

impl Lines {
    fn empty(before: Side, after: Side) -> Self {
        Self { before, after, lines: Vec::new(), replaced: Vec::new(), added: 0, removed: 0 }
    }

    /// About how many bytes it keeps.
    pub(crate) fn bytes(&self) -> usize {
        self.before.text.len() + self.after.text.len() + size_of::<Line>() * self.lines.len()
    }

    fn same(&mut self, (old, new): (usize, usize), len: usize, (first, last): (usize, usize)) {
        let hidden = len.saturating_sub(first + last);
        let folded = if hidden < LEAST_FOLD { 0 } else { hidden };
        for index in 0..len {
            if folded > 0 && index == first {
                self.lines.push(Line::Folded(folded));
            }
            if folded > 0 && (first..first + folded).contains(&index) {
                continue;
            }
            self.lines.push(Line::Same { old: old + index, new: new + index });
            self.end(!self.after.line(new + index).ends_with('\n'));
        }
    }

    fn changed(&mut self, old: Range<usize>, new: Range<usize>, replaced: Option<usize>) {
        let mut begins = true;
        for old in old {
            self.lines.push(Line::Removed { old, replaced, begins });
            self.removed = self.removed.saturating_add(1);
            begins = false;
            self.end(!self.before.line(old).ends_with('\n'));
        }
        for new in new {
            self.lines.push(Line::Added { new, replaced, begins });
            self.added = self.added.saturating_add(1);
            begins = false;
            self.end(!self.after.line(new).ends_with('\n'));
        }
    }

    fn end(&mut self, no_break: bool) {
        if no_break {
            self.lines.push(Line::NoFinalBreak);
        }
    }

    /// The lines of a stretch that was replaced, with their changed words: those before and those after.
    fn words(&self, replaced: usize, deadline: Instant) -> Words {
        let mut words = Words::default();
        let Some((old, new)) = self.replaced.get(replaced).cloned() else { return words };
        let (before, after) = (self.before.some(old.clone()), self.after.some(new.clone()));
        let diff = TextDiffConfig::default().deadline(deadline).diff_slices(&before, &after);
        let whole = DiffOp::Replace { old_index: 0, old_len: before.len(), new_index: 0, new_len: after.len() };
        for change in diff.iter_inline_changes_deadline(&whole, Some(deadline)) {
            let parts = marked(change.values().iter().map(|(changed, part)| (*changed, *part)));
            match (change.tag(), change.old_index(), change.new_index()) {
                (ChangeTag::Delete, Some(at), _) => drop(words.old.insert(old.start + at, parts)),
                (ChangeTag::Insert, _, Some(at)) => drop(words.new.insert(new.start + at, parts)),
                (ChangeTag::Equal | ChangeTag::Delete | ChangeTag::Insert, _, _) => {}
            }
        }
        words
    }
}

/// Lines with their changed words, by their number.
#[derive(Default)]
struct Words {
    old: HashMap<usize, Vec<DiffPart>>,
    new: HashMap<usize, Vec<DiffPart>>,
}

impl Cut for Lines {
    type Item = DiffLine;

    fn len(&self) -> usize {
        self.lines.len()
    }

    fn characters(&self, at: usize) -> usize {
        let count = |line: &str| line.chars().count();
        match self.lines.get(at) {
            Some(Line::Same { new, .. } | Line::Added { new, .. }) => count(self.after.line(*new)),
            Some(Line::Removed { old, .. }) => count(self.before.line(*old)),
            Some(Line::Folded(_) | Line::NoFinalBreak) | None => 0,
        }
    }

    fn changes(&self, at: usize) -> bool {
        matches!(self.lines.get(at), Some(Line::Removed { .. } | Line::Added { .. }))
    }

    fn draw(&self, range: Range<usize>) -> Vec<DiffLine> {
        let deadline = Instant::now() + MOST_WORDS_TIME;
        let mut known: HashMap<usize, Words> = HashMap::new();
        let mut drawn = |line: &Line| match *line {
            Line::Same { old, new } => {
                let text = self.after.line(new);
                let text = safe(text.strip_suffix('\n').unwrap_or(text));
                DiffLine::Same { old: number(old + 1), new: number(new + 1), text }
            }
            Line::Removed { old, replaced, begins } => {
                let words = replaced.and_then(|at| {
                    let words = known.entry(at).or_insert_with(|| self.words(at, deadline));
                    words.old.get(&old).cloned()
                });
                let parts = words.unwrap_or_else(|| marked([(false, self.before.line(old))]));
                DiffLine::Removed { old: number(old + 1), parts, begins }
            }
            Line::Added { new, replaced, begins } => {
                let words = replaced.and_then(|at| {
                    let words = known.entry(at).or_insert_with(|| self.words(at, deadline));
                    words.new.get(&new).cloned()
                });
                let parts = words.unwrap_or_else(|| marked([(false, self.after.line(new))]));
                DiffLine::Added { new: number(new + 1), parts, begins }
            }
            Line::Folded(lines) => DiffLine::Folded { lines: number(lines) },
            Line::NoFinalBreak => DiffLine::NoFinalBreak,
        };
        self.lines.get(range).unwrap_or_default().iter().map(&mut drawn).collect()
    }
}

/// The parts of a changed line without its line break.
fn marked<'a>(parts: impl IntoIterator<Item = (bool, &'a str)>) -> Vec<DiffPart> {
    let parts: Vec<(bool, &str)> = parts.into_iter().collect();
    let line: String = parts.iter().map(|(_, part)| *part).collect();
    let secrets = mask::covers(&line);
    let mut begins = Begins::Line;
    let mut at = 0;
    let mut marked: Vec<DiffPart> = Vec::new();
    for (changed, part) in parts {
        let secrets = within(&secrets, &(at..at + part.len()));
        at += part.len();
        let text = safe_with(part.strip_suffix('\n').unwrap_or(part), begins, &secrets);
        begins = Begins::Inside;
        if !text.is_empty() {
            marked.push(DiffPart { text, changed });
        }
    }
    marked
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display::text::plain;
    use crate::wire::text::Shown;

    fn drawn(before: &str, after: &str) -> String {
        let all = lines(before, after);
        let (lines, added, removed) = (all.draw(0..all.len()), all.added, all.removed);
        let parts = |parts: &[DiffPart]| -> String {
            let one = |part: &DiffPart| {
                if part.changed { format!("[{}]", plain(&part.text)) } else { plain(&part.text) }
            };
            parts.iter().map(one).collect()
        };
        let mut drawn = vec![format!("+{added} -{removed}")];
        for line in lines {
            drawn.push(match line {
                DiffLine::Same { old, new, text } => format!("{old} {new}  {}", plain(&text)),
                DiffLine::Removed { old, parts: words, .. } => format!("{old}   -{}", parts(&words)),
                DiffLine::Added { new, parts: words, .. } => format!("  {new} +{}", parts(&words)),
                DiffLine::Folded { lines } => format!("… {lines}"),
                DiffLine::NoFinalBreak => "\\".to_owned(),
            });
        }
        drawn.join("\n") + "\n"
    }

    fn numbered(count: u64, line: impl Fn(u64) -> String) -> String {
        (1..=count).map(line).collect::<Vec<_>>().join("\n") + "\n"
    }

    #[test]
    fn words_context_and_folds() {
        let before = numbered(20, |number| format!("line {number}"));
        let after = before.replace("line 10\n", "line ten\n");
        assert_eq!(
            drawn(&before, &after),
            "+1 -1\n… 6\n7 7  line 7\n8 8  line 8\n9 9  line 9\n10   -line [10]\n  10 +line [ten]\n11 11  line 11\n\
             12 12  line 12\n13 13  line 13\n… 7\n"
        );
    }

    #[test]
    fn ends_of_files_and_of_lines() {
        assert_eq!(drawn("a\n", "a"), "+1 -1\n1   -a\n  1 +a\n\\\n");
        assert_eq!(drawn("a\r\n", "a\n"), "+1 -1\n1   -a⟨U+000D carriage return⟩\n  1 +a\n");
        assert_eq!(drawn("", "a\nb"), "+2 -0\n  1 +a\n  2 +b\n\\\n");
        assert_eq!(drawn("a\n", "a\n"), "+0 -0\n1 1  a\n");
        assert_eq!(drawn("a\n", ""), "+0 -1\n1   -a\n");
    }

    #[test]
    fn field_l_136_added_lines_are_never_folded_and_nothing_takes_long() {
        let content = "x\n".repeat(3_000);
        assert_eq!(created(&content).len(), 3_000);
        let one = numbered(60_000, |number| (number * 7_919 % 1_000).to_string());
        let other = numbered(60_000, |number| (number * 104_729 % 1_000).to_string());
        let start = Instant::now();
        let all = lines(&one, &other);
        let (lines, added, removed) = (all.draw(0..all.len()), all.added, all.removed);
        assert!(start.elapsed() < Duration::from_secs(10), "a hostile file must not stop the window");
        let count = |is: fn(&DiffLine) -> bool| lines.iter().filter(|line| is(line)).count();
        assert_eq!(count(|line| matches!(line, DiffLine::Added { .. })), added as usize);
        assert_eq!(count(|line| matches!(line, DiffLine::Removed { .. })), removed as usize);
    }

    #[test]
    fn every_changed_line_is_there_whole() {
        let after = "first = 1\n  second = 22\nthird\u{202E}\n";
        let all = lines("first = 0\n  second = 2\n", after);
        let lines = all.draw(0..all.len());
        let mut text = String::new();
        for line in &lines {
            if let DiffLine::Added { parts, .. } = line {
                let shown: Vec<Shown> = parts.iter().map(|part| part.text.clone()).collect();
                text.push_str(&plain(&shown.concat()));
                text.push('\n');
            }
        }
        assert_eq!(text, after.replace('\u{202E}', "⟨U+202E right-to-left override⟩"));
    }
}
