//! Shortening for rows. Every cut is a chip with its amount; hidden characters in the cut part turn it into a warning.

use unicode_segmentation::UnicodeSegmentation as _;

use super::{Begins, Part, covered, fragments, join, mask, parts};
use crate::wire::text::{Chip, Piece, Shown};

/// Room for the chip that stands for a cut.
const CUT_WIDTH: usize = 5;
/// How far a word's border may be from where a cut would fall.
const NEAR: usize = 10;
/// What a line break looks like in a row.
const BREAK: &str = "⏎";

/// Something that is shown whole or not at all: a grapheme or a chip.
struct Unit {
    piece: Piece,
    width: usize,
    /// How many characters of the source, as a person counts them.
    amount: usize,
}

/// Keeps head and tail.
pub(super) fn middle(text: &str, most: usize) -> Shown {
    match Ends::of(text, most) {
        None => keep_ends(&units(text), most),
        Some(ends) => keep_ends(&ends.units(), most),
    }
}

/// A text of which so much lies between its ends that nothing of that is shown in any case.
struct Ends<'a> {
    head: &'a str,
    between: &'a str,
    tail: &'a str,
}

impl<'a> Ends<'a> {
    /// How many letters an end has at least for each place of a row: as many as a place can use up, and room for a border.
    const EACH: usize = 64;

    /// None for a text that is short, or that has no place to cut it where both sides look as they do in one.
    fn of(text: &'a str, most: usize) -> Option<Self> {
        let end = (most + NEAR) * Self::EACH;
        if text.len() <= end * 3 {
            return None;
        }
        let from = fragments::border(text, end, end * 3 / 2)?;
        let to = fragments::border(text, text.len() - end, text.len())?;
        Some(Self { head: text.get(..from)?, between: text.get(from..to)?, tail: text.get(to..)? })
    }

    fn units(&self) -> Vec<Unit> {
        let between = parts(self.between, Begins::Inside);
        let kind = if between.iter().any(|part| part.chip.is_some()) { Chip::Hidden } else { Chip::Cut };
        let amount = between.iter().map(|part| graphemes(part.source)).sum();
        let mut units = units(self.head);
        // It stands for all that lies between, and is wider than any row.
        let piece = Piece::Chip { s: String::new(), k: kind };
        units.push(Unit { piece, width: usize::MAX / 2, amount });
        units.extend(units_at(self.tail, Begins::Inside));
        units
    }
}

/// How many letters a text has as a person counts them.
fn graphemes(text: &str) -> usize {
    let mut count = 0;
    for line in text.split_inclusive('\n') {
        // Nothing in ASCII is one letter out of two but a line's end.
        count += if line.is_ascii() {
            line.len() - usize::from(line.ends_with("\r\n"))
        } else {
            line.graphemes(true).count()
        };
    }
    count
}

/// Keeps head and tail of displayed text.
pub(super) fn middle_of(shown: &Shown, most: usize) -> Shown {
    let mut units = Vec::new();
    for piece in shown {
        match piece {
            Piece::Text { s } => units.extend(s.graphemes(true).map(unit)),
            Piece::Chip { s, .. } => {
                units.push(Unit { piece: piece.clone(), width: s.chars().count() + 2, amount: 1 });
            }
            Piece::Secret { .. } => units.push(secret(1)),
        }
    }
    keep_ends(&units, most)
}

fn keep_ends(units: &[Unit], most: usize) -> Shown {
    if width(units) <= most {
        return join_units(units);
    }
    let room = most.saturating_sub(CUT_WIDTH);
    let tail_room = room * 2 / 5;
    let head = fitting(units.iter(), room - tail_room);
    let tail = fitting(units.iter().skip(head).rev(), tail_room);
    let (from, to) = (head, units.len() - tail);
    // A cut at a word's border reads better, where one is near.
    let before = units.iter().take(from).rposition(is_space).filter(|at| *at > 0 && from - at <= NEAR);
    let behind = units.iter().skip(to).position(is_space).filter(|at| *at < NEAR && to + at + 1 < units.len());
    cut(units, before.map_or(from, |at| at + 1), behind.map_or(to, |at| to + at))
}

/// Keeps the end, from a whole component on if one fits.
pub(super) fn front(text: &str, most: usize) -> Shown {
    let units = Ends::of(text, most).map_or_else(|| units(text), |ends| ends.units());
    if width(&units) <= most {
        return join_units(&units);
    }
    let tail = fitting(units.iter().rev(), most.saturating_sub(CUT_WIDTH));
    let from = units.len() - tail;
    let border = units.iter().enumerate().skip(from).find(|(_, unit)| is_slash(unit)).map(|(index, _)| index);
    let from = match border {
        Some(border) if border + 1 < units.len() => border,
        Some(_) | None => from,
    };
    cut(&units, 0, from)
}

fn is_space(unit: &Unit) -> bool {
    matches!(&unit.piece, Piece::Text { s } if s == " ")
}

fn is_slash(unit: &Unit) -> bool {
    matches!(&unit.piece, Piece::Text { s } if s == "/")
}

fn units(text: &str) -> Vec<Unit> {
    units_at(text, Begins::Line)
}

fn units_at(text: &str, begins: Begins) -> Vec<Unit> {
    let mut units = Vec::new();
    for Part { source, chip, secret: is_secret } in covered(parts(text, begins), &mask::covers(text)) {
        let amount = graphemes(source);
        match chip {
            None if is_secret => units.push(secret(amount)),
            Some(label) => {
                let width = label.chars().count() + 2;
                units.push(Unit { piece: Piece::Chip { s: label, k: Chip::Hidden }, width, amount });
            }
            None => units.extend(source.graphemes(true).map(unit)),
        }
    }
    units
}

/// A secret in a row: nobody can press there, so nothing of it is there.
fn secret(amount: usize) -> Unit {
    Unit { piece: Piece::Secret { s: String::new() }, width: mask::MASK.chars().count(), amount }
}

fn unit(grapheme: &str) -> Unit {
    let piece = match grapheme {
        "\n" => Piece::Chip { s: BREAK.to_owned(), k: Chip::Cut },
        other => Piece::Text { s: other.to_owned() },
    };
    Unit { piece, width: 1, amount: 1 }
}

fn width(units: &[Unit]) -> usize {
    units.iter().map(|unit| unit.width).sum()
}

/// How many units fit, from the first on.
fn fitting<'a>(units: impl Iterator<Item = &'a Unit>, room: usize) -> usize {
    let mut left = room;
    units
        .take_while(|unit| match left.checked_sub(unit.width) {
            Some(less) => {
                left = less;
                true
            }
            None => false,
        })
        .count()
}

fn cut(units: &[Unit], from: usize, to: usize) -> Shown {
    let left_out = units.get(from..to).unwrap_or_default();
    if left_out.is_empty() {
        return join_units(units);
    }
    let amount: usize = left_out.iter().map(|unit| unit.amount).sum();
    let is_hidden = |unit: &Unit| matches!(unit.piece, Piece::Chip { k: Chip::Hidden, .. });
    let kind = if left_out.iter().any(is_hidden) { Chip::CutHidden } else { Chip::Cut };
    let chip = Piece::Chip { s: format!("+{amount}"), k: kind };
    let head = join_units(units.get(..from).unwrap_or_default());
    let tail = join_units(units.get(to..).unwrap_or_default());
    join([head, vec![chip], tail])
}

fn join_units(units: &[Unit]) -> Shown {
    join(units.iter().map(|unit| vec![unit.piece.clone()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What lies far from both ends is only counted; the row is the one that the whole text gives.
    #[test]
    fn surface_06_a_long_text_gives_the_row_that_all_of_it_gives() {
        for (text, most) in [
            ("0123456789abcde\n".repeat(3_000), 40),
            (format!("{}\u{202E}{}", "plain words ".repeat(2_000), "and more words ".repeat(2_000)), 40),
            (format!("{}{}", "a\r\n".repeat(9_000), "end".repeat(9_000)), 60),
            ("漢字かな交じり文。".repeat(4_000), 40),
            (format!("{}{}", "\u{200B}".repeat(30_000), "word ".repeat(9_000)), 40),
            (" ".repeat(60_000), 40),
            ("/some/folder/with/a/name".repeat(3_000), 48),
        ] {
            let all = units(&text);
            assert_eq!(middle(&text, most), keep_ends(&all, most));
            let tail = fitting(all.iter().rev(), most - CUT_WIDTH);
            assert!(front(&text, most).len() >= 2 || tail == all.len(), "something is left out, and it is said");
        }
        assert!(Ends::of(&"0123456789abcde\n".repeat(3_000), 40).is_some(), "and it is done by the ends");
    }
}
