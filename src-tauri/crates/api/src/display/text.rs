//! Text from outside, made safe to look at: what would be invisible or misleading becomes a labelled chip.
//!
//! # Design
//! The text is first cut into parts that keep their source ([`parts`]), so that a test can show that nothing is lost;
//! only then it is turned into pieces. Not here: what a text means. A command or a path is judged elsewhere.

pub(crate) mod fragments;
mod hidden;
mod shorten;

use std::ops::Range;

use unicode_general_category::{GeneralCategory, get_general_category};

use super::mask;
use crate::wire::text::{Chip, Piece, Shown};
use crate::words::{Blanks, say};

/// The longest run of spaces and tabs inside a line that is shown as it is; alignment needs no more.
const MOST_SPACES: usize = 7;
/// The longest indentation that is shown as it is.
const MOST_INDENT: usize = 40;
/// The most line breaks in a row that are shown as they are: three blank lines.
const MOST_BREAKS: usize = 4;
/// The most combining marks on one base that are shown as they are.
const MOST_MARKS: usize = 3;
/// The longest terminal sequence that is shown on one chip.
const MOST_ESCAPE: usize = 32;

/// What stands on the chip of a carriage return.
const RETURN_LABEL: &str = "U+000D carriage return";

/// Where a text begins, because indentation is told from padding by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begins {
    /// At the start of a line.
    Line,
    /// After something else in the same line.
    Inside,
}

/// A stretch of the source, and the label that stands for it if it isn't shown as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part<'a> {
    /// The source, exactly.
    pub(crate) source: &'a str,
    /// What stands on its chip; none for text that is shown as it is.
    pub(crate) chip: Option<String>,
    /// Whether it is covered because it looks like a secret. It has no chip then.
    pub(crate) secret: bool,
}

/// The displayed form of a text.
pub fn safe(text: &str) -> Shown {
    safe_at(text, Begins::Line)
}

/// The displayed form of a stretch of text that may begin inside a line.
pub fn safe_at(text: &str, begins: Begins) -> Shown {
    safe_with(text, begins, &mask::covers(text))
}

/// The same where somebody looked at more of the text for what has to be covered: `secrets` are stretches of this text.
pub(crate) fn safe_with(text: &str, begins: Begins, secrets: &[Range<usize>]) -> Shown {
    shown(&covered(parts(text, begins), secrets))
}

/// Those of some stretches that lie within a part of a text, as stretches of that part.
pub(crate) fn within(secrets: &[Range<usize>], part: &Range<usize>) -> Vec<Range<usize>> {
    let lie = secrets.iter().filter(|one| one.start < part.end && part.start < one.end);
    lie.map(|one| one.start.max(part.start) - part.start..one.end.min(part.end) - part.start).collect()
}

/// Words of the app, which need no care.
pub fn words(text: impl Into<String>) -> Shown {
    vec![Piece::Text { s: text.into() }]
}

/// How many hidden characters a displayed text has. A run that stands on one chip counts by its number, padding
/// counts once, and a carriage return that only ends a line doesn't count.
pub fn hidden_count(shown: &Shown) -> u32 {
    let next = shown.iter().skip(1).map(Some).chain([None]);
    shown.iter().zip(next).fold(0, |count: u32, (piece, next)| match piece {
        Piece::Text { .. } | Piece::Chip { k: Chip::Cut, .. } | Piece::Secret { .. } => count,
        Piece::Chip { s, k: Chip::Hidden | Chip::CutHidden } => {
            let ends_line = matches!(next, Some(Piece::Text { s }) if s.starts_with('\n'));
            if ends_line && s == RETURN_LABEL {
                return count;
            }
            let times = s.rsplit_once(" ×").and_then(|(_, times)| times.parse().ok()).unwrap_or(1);
            count.saturating_add(times)
        }
    })
}

/// How many hidden characters a text has, like [`hidden_count`] of its displayed form.
pub fn hidden_in(text: &str) -> u32 {
    // Nothing in such a text could stand on a chip but runs of blanks, which are looked at all the same.
    let chips = parts(text, Begins::Line);
    if chips.iter().all(|part| part.chip.is_none()) { 0 } else { hidden_count(&shown(&chips)) }
}

/// The displayed text without chips as things of their own: for notifications, logs, exports and titles of the system. What can be
/// uncovered stands in it; whoever hands it on hides its secrets, or has been told not to ([`mask::Masks::hide`]).
pub fn plain(shown: &Shown) -> String {
    let mut text = String::new();
    for piece in shown {
        match piece {
            Piece::Secret { s } if s.is_empty() => text.push_str(mask::MASK),
            Piece::Text { s } | Piece::Secret { s } => text.push_str(s),
            Piece::Chip { s, .. } => {
                text.push('⟨');
                text.push_str(s);
                text.push('⟩');
            }
        }
    }
    text
}

/// One line of at most about `most` characters: head and tail stay, what is left out stands on a chip with its
/// amount, and line breaks are marked.
pub fn one_line(text: &str, most: usize) -> Shown {
    shorten::middle(text, most)
}

/// A path in at most about `most` characters: its end stays, because that is what tells files apart.
pub fn path(text: &str, most: usize) -> Shown {
    shorten::front(text, most)
}

/// Shortens text that is displayed already, like [`one_line`].
pub(crate) fn shorten_shown(shown: &Shown, most: usize) -> Shown {
    shorten::middle_of(shown, most)
}

/// Joins displayed texts; neighbouring pieces of text become one.
pub fn join(all: impl IntoIterator<Item = Shown>) -> Shown {
    let mut joined = Shown::new();
    for shown in all {
        append(&mut joined, shown);
    }
    joined
}

/// Puts displayed text behind other, in place: a paragraph of many pieces must not cost their square.
pub(crate) fn append(joined: &mut Shown, more: Shown) {
    for piece in more {
        match (joined.last_mut(), piece) {
            (Some(Piece::Text { s }), Piece::Text { s: more })
            | (Some(Piece::Secret { s }), Piece::Secret { s: more }) => s.push_str(&more),
            (_, piece) => joined.push(piece),
        }
    }
}

fn shown(parts: &[Part<'_>]) -> Shown {
    join(parts.iter().map(|part| {
        vec![match &part.chip {
            None if part.secret => Piece::Secret { s: part.source.to_owned() },
            None => Piece::Text { s: part.source.to_owned() },
            Some(label) => Piece::Chip { s: label.clone(), k: Chip::Hidden },
        }]
    }))
}

/// Cuts parts where secrets begin and end. A part with a chip stays as it is: what is hidden is never covered.
fn covered<'a>(parts: Vec<Part<'a>>, secrets: &[Range<usize>]) -> Vec<Part<'a>> {
    if secrets.is_empty() {
        return parts;
    }
    let mut all = Vec::new();
    let mut from = 0;
    for part in parts {
        let range = from..from + part.source.len();
        from = range.end;
        if part.chip.is_some() {
            all.push(part);
            continue;
        }
        let mut at = 0;
        for secret in within(secrets, &range) {
            let (Some(before), Some(source)) = (part.source.get(at..secret.start), part.source.get(secret.clone()))
            else {
                continue;
            };
            at = secret.end;
            all.push(Part { source: before, chip: None, secret: false });
            all.push(Part { source, chip: None, secret: true });
        }
        all.push(Part { source: rest(part.source, at), chip: None, secret: false });
    }
    all.retain(|part| !part.source.is_empty());
    all
}

/// Cuts a text into stretches.
///
/// INVARIANT: the sources in order are the text, and no stretch without a chip holds a hidden character.
pub(crate) fn parts(text: &str, begins: Begins) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut at_line_start = begins == Begins::Line;
    let mut before = None;
    let mut plain_from = 0;
    let mut at = 0;
    loop {
        // Most of a text is letters that need no care; they are passed in one go.
        let ordinary = rest(text, at).bytes().take_while(u8::is_ascii_graphic).count();
        if ordinary > 0 {
            at += ordinary;
            at_line_start = false;
            before = rest(text, at - 1).chars().next();
        }
        let Some(letter) = rest(text, at).chars().next() else { break };
        let found = match letter {
            ' ' | '\t' => blanks(rest(text, at), if at_line_start { MOST_INDENT } else { MOST_SPACES }),
            '\n' => breaks(rest(text, at)),
            _ => special(rest(text, at), letter, before),
        };
        let (length, chip) = match found {
            Found::Plain(length) => (length, None),
            Found::Chip(length, label) => (length, Some(label)),
        };
        let end = at + length;
        let source = text.get(at..end).unwrap_or_default();
        at_line_start = source.ends_with('\n') || (at_line_start && matches!(letter, ' ' | '\t'));
        before = source.chars().next_back();
        if let Some(label) = chip {
            if let Some(source) = text.get(plain_from..at).filter(|source| !source.is_empty()) {
                parts.push(Part { source, chip: None, secret: false });
            }
            parts.push(Part { source, chip: Some(label), secret: false });
            plain_from = end;
        }
        at = end;
    }
    if let Some(source) = text.get(plain_from..).filter(|source| !source.is_empty()) {
        parts.push(Part { source, chip: None, secret: false });
    }
    parts
}

/// What stands at a place: so many bytes, shown as they are or by a chip.
enum Found {
    Plain(usize),
    Chip(usize, String),
}

fn rest(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or_default()
}

fn blanks(text: &str, most: usize) -> Found {
    let length = text.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    if length <= most {
        return Found::Plain(length);
    }
    let tabs = text.bytes().take(length).filter(|byte| *byte == b'\t').count();
    let kind = match tabs {
        0 => Blanks::Spaces,
        tabs if tabs == length => Blanks::Tabs,
        _ => Blanks::Both,
    };
    Found::Chip(length, say().blanks(length as u64, kind))
}

/// Line breaks, also with blanks between them, which would hide what follows just as well.
fn breaks(text: &str) -> Found {
    let run = text.bytes().take_while(|byte| matches!(byte, b'\n' | b' ' | b'\t')).count();
    let run = text.get(..run).unwrap_or_default();
    let run = run.rfind('\n').and_then(|last| run.get(..=last)).unwrap_or(run);
    let count = run.bytes().filter(|byte| *byte == b'\n').count();
    if count <= MOST_BREAKS {
        return Found::Plain(1);
    }
    let between = run.len() - count;
    Found::Chip(run.len(), say().line_breaks(count as u64, between as u64))
}

fn special(text: &str, letter: char, before: Option<char>) -> Found {
    if letter == '\u{1B}' {
        let length = escape(text);
        return Found::Chip(length, format!("ESC{}", text.get(1..length).unwrap_or_default()));
    }
    if hidden::is_hidden(letter) {
        if hidden::is_emoji_selector(letter, before, text.chars().nth(1)) {
            return Found::Plain(letter.len_utf8());
        }
        let count = text.chars().take_while(|other| *other == letter).count();
        let label = hidden::label(letter);
        let label = if count > 1 { format!("{label} ×{count}") } else { label };
        return Found::Chip(count * letter.len_utf8(), label);
    }
    if is_mark(letter) {
        let run = text.chars().take_while(|other| is_mark(*other) && !hidden::is_hidden(*other));
        let (count, length) = run.fold((0, 0), |(count, length), mark| (count + 1, length + mark.len_utf8()));
        if count > MOST_MARKS {
            return Found::Chip(length, say().combining_marks(count as u64));
        }
        return Found::Plain(length);
    }
    Found::Plain(letter.len_utf8())
}

/// The length of the terminal sequence that begins here; 1 if nothing readable follows.
fn escape(text: &str) -> usize {
    let bytes = text.as_bytes();
    match bytes.get(1) {
        Some(b'[') => {
            let parameters = bytes.iter().skip(2).take_while(|byte| matches!(byte, 0x21..=0x3F)).count();
            let length = 2 + parameters;
            match bytes.get(length) {
                Some(0x40..=0x7E) if length < MOST_ESCAPE => length + 1,
                Some(_) | None => 2,
            }
        }
        Some(0x21..=0x7E) => 2,
        Some(_) | None => 1,
    }
}

fn is_mark(letter: char) -> bool {
    letter >= '\u{300}'
        && matches!(get_general_category(letter), GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark)
}

#[cfg(test)]
mod tests;
