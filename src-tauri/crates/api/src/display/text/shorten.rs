//! Shortening for rows. Every cut is a chip with its amount; hidden characters in the cut part turn it into a warning.

use unicode_segmentation::UnicodeSegmentation as _;

use super::{Begins, Part, join, parts};
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
    keep_ends(&units(text), most)
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
    let units = units(text);
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
    let mut units = Vec::new();
    for Part { source, chip } in parts(text, Begins::Line) {
        let amount = source.graphemes(true).count();
        match chip {
            Some(label) => {
                let width = label.chars().count() + 2;
                units.push(Unit { piece: Piece::Chip { s: label, k: Chip::Hidden }, width, amount });
            }
            None => units.extend(source.graphemes(true).map(unit)),
        }
    }
    units
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
