//! Differences of files as lines to read. Unchanged stretches are folded with their amount, added lines never.

use std::time::{Duration, Instant};

use similar::{ChangeTag, DiffOp, TextDiff, TextDiffConfig};

use super::text::{Begins, safe, safe_at};
use crate::wire::payload::{DiffLine, DiffPart};

/// Unchanged lines that are shown around a change.
const CONTEXT: usize = 3;
/// The fewest lines that are worth a fold.
const LEAST_FOLD: usize = 2;
/// Beyond this nothing is compared: everything is removed and added.
const MOST_BYTES: usize = 4 * 1024 * 1024;
/// Beyond this a changed stretch is shown by whole lines.
const MOST_INLINE_LINES: usize = 400;
/// The longest time that comparing may take.
const MOST_TIME: Duration = Duration::from_millis(400);

/// The lines of a change, and how many were added and removed.
pub fn lines(before: &str, after: &str) -> (Vec<DiffLine>, u32, u32) {
    let mut drawing = Drawing { lines: Vec::new(), added: 0, removed: 0 };
    if before.len() + after.len() > MOST_BYTES {
        drawing.whole(before, after);
        return drawing.done();
    }
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let deadline = Instant::now() + MOST_TIME;
    let diff = TextDiffConfig::default().timeout(MOST_TIME).diff_slices(&old, &new);
    let operations = diff.ops();
    for (index, operation) in operations.iter().enumerate() {
        match *operation {
            DiffOp::Equal { old_index, new_index, len } => {
                let same: Vec<&str> = old.iter().skip(old_index).take(len).copied().collect();
                let shown_first = if index == 0 { 0 } else { CONTEXT };
                let shown_last = if index + 1 == operations.len() { 0 } else { CONTEXT };
                drawing.same(&same, (old_index, new_index), (shown_first, shown_last));
            }
            DiffOp::Replace { old_len, new_len, .. } if old_len + new_len <= MOST_INLINE_LINES => {
                drawing.words(&diff, operation, deadline);
            }
            DiffOp::Delete { .. } | DiffOp::Insert { .. } | DiffOp::Replace { .. } => {
                for (number, line) in
                    old.iter().enumerate().skip(operation.old_range().start).take(operation.old_range().len())
                {
                    drawing.removed(number, [(false, *line)]);
                }
                for (number, line) in
                    new.iter().enumerate().skip(operation.new_range().start).take(operation.new_range().len())
                {
                    drawing.added(number, [(false, *line)]);
                }
            }
        }
    }
    drawing.done()
}

/// The lines of a new file; all added.
pub fn created(content: &str) -> Vec<DiffLine> {
    let mut drawing = Drawing { lines: Vec::new(), added: 0, removed: 0 };
    drawing.whole("", content);
    drawing.lines
}

struct Drawing {
    lines: Vec<DiffLine>,
    added: u32,
    removed: u32,
}

impl Drawing {
    fn done(self) -> (Vec<DiffLine>, u32, u32) {
        (self.lines, self.added, self.removed)
    }

    fn whole(&mut self, before: &str, after: &str) {
        for (number, line) in before.split_inclusive('\n').enumerate() {
            self.removed(number, [(false, line)]);
        }
        for (number, line) in after.split_inclusive('\n').enumerate() {
            self.added(number, [(false, line)]);
        }
    }

    fn same(&mut self, same: &[&str], (old, new): (usize, usize), (first, last): (usize, usize)) {
        let hidden = same.len().saturating_sub(first + last);
        let folded = if hidden < LEAST_FOLD { 0 } else { hidden };
        for (index, line) in same.iter().enumerate() {
            if folded > 0 && index == first {
                self.lines.push(DiffLine::Folded { lines: number(folded) });
            }
            if folded > 0 && (first..first + folded).contains(&index) {
                continue;
            }
            let text = safe(line.strip_suffix('\n').unwrap_or(line));
            self.lines.push(DiffLine::Same { old: number(old + index + 1), new: number(new + index + 1), text });
            self.end(line);
        }
    }

    fn words(&mut self, diff: &TextDiff<'_, '_, str>, operation: &DiffOp, deadline: Instant) {
        for change in diff.iter_inline_changes_deadline(operation, Some(deadline)) {
            let parts: Vec<(bool, &str)> = change.values().to_vec();
            match (change.tag(), change.old_index(), change.new_index()) {
                (ChangeTag::Delete, Some(old), _) => self.removed(old, parts),
                (ChangeTag::Insert, _, Some(new)) => self.added(new, parts),
                (ChangeTag::Equal | ChangeTag::Delete | ChangeTag::Insert, _, _) => {}
            }
        }
    }

    fn removed<'a>(&mut self, old: usize, parts: impl IntoIterator<Item = (bool, &'a str)>) {
        let (parts, last) = marked(parts);
        self.lines.push(DiffLine::Removed { old: number(old + 1), parts });
        self.removed = self.removed.saturating_add(1);
        self.end(last);
    }

    fn added<'a>(&mut self, new: usize, parts: impl IntoIterator<Item = (bool, &'a str)>) {
        let (parts, last) = marked(parts);
        self.lines.push(DiffLine::Added { new: number(new + 1), parts });
        self.added = self.added.saturating_add(1);
        self.end(last);
    }

    fn end(&mut self, line: &str) {
        if !line.ends_with('\n') {
            self.lines.push(DiffLine::NoFinalBreak);
        }
    }
}

/// The parts of a changed line without its line break, and its last stretch with it.
fn marked<'a>(parts: impl IntoIterator<Item = (bool, &'a str)>) -> (Vec<DiffPart>, &'a str) {
    let mut last = "";
    let mut begins = Begins::Line;
    let mut marked: Vec<DiffPart> = Vec::new();
    for (changed, part) in parts {
        last = part;
        let text = safe_at(part.strip_suffix('\n').unwrap_or(part), begins);
        begins = Begins::Inside;
        if !text.is_empty() {
            marked.push(DiffPart { text, changed });
        }
    }
    (marked, last)
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
        let (lines, added, removed) = lines(before, after);
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
                DiffLine::Removed { old, parts: words } => format!("{old}   -{}", parts(&words)),
                DiffLine::Added { new, parts: words } => format!("  {new} +{}", parts(&words)),
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
        let (lines, added, removed) = lines(&one, &other);
        assert!(start.elapsed() < Duration::from_secs(10), "a hostile file must not stop the window");
        let count = |is: fn(&DiffLine) -> bool| lines.iter().filter(|line| is(line)).count();
        assert_eq!(count(|line| matches!(line, DiffLine::Added { .. })), added as usize);
        assert_eq!(count(|line| matches!(line, DiffLine::Removed { .. })), removed as usize);
    }

    #[test]
    fn every_changed_line_is_there_whole() {
        let after = "first = 1\n  second = 22\nthird\u{202E}\n";
        let (lines, ..) = lines("first = 0\n  second = 2\n", after);
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
