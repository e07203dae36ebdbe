//! Markdown as a small tree. There is no HTML in it, no image and no live link; what can't be drawn is shown as text,
//! and nothing that the source holds is left out of sight.

mod build;

use super::text::{join, one_line, safe};
use crate::wire::payload::OutlineEntry;
use crate::wire::text::{Block, Inline, Item, Piece, Shown};

/// The most of a source that is formatted; the rest is shown as it is.
const MOST_BYTES: usize = 200 * 1024;
/// The most levels of nesting that are formatted.
const MOST_DEPTH: usize = 60;
/// The length of an outline's entry.
const OUTLINE_WIDTH: usize = 32;
/// The length of a title.
const TITLE_WIDTH: usize = 80;

/// The formatted form of a text, and what is beyond the part that is formatted.
pub(crate) fn split(source: &str) -> (Vec<Block>, &str) {
    let (head, rest) = source.split_at_checked(end_of_formatted(source)).unwrap_or((source, ""));
    (build::blocks(head), rest)
}

/// The formatted form of a text.
pub fn blocks(source: &str) -> Vec<Block> {
    let (mut blocks, rest) = split(source);
    if !rest.is_empty() {
        blocks.push(Block::Plain { text: safe(rest) });
    }
    blocks
}

/// The headings of a text, or else the first words of each item on its top level.
pub fn outline(source: &str) -> Vec<OutlineEntry> {
    outline_of(&blocks(source))
}

/// How many steps a plan has: the items on top level of its longest numbered list.
pub fn steps(source: &str) -> Option<u32> {
    let count = |block: &Block| match block {
        Block::List { start: Some(_), items } => Some(items.len()),
        Block::List { start: None, .. }
        | Block::Heading { .. }
        | Block::Paragraph { .. }
        | Block::Code { .. }
        | Block::Quote { .. }
        | Block::Table { .. }
        | Block::Rule
        | Block::Plain { .. } => None,
    };
    blocks(source).iter().filter_map(count).max().map(|count| u32::try_from(count).unwrap_or(u32::MAX))
}

/// How many words a text has.
pub fn words(source: &str) -> u32 {
    u32::try_from(source.split_whitespace().count()).unwrap_or(u32::MAX)
}

/// What a text is called: its first heading, or its first line.
pub fn title(source: &str) -> Option<Shown> {
    let heading = build::blocks(source.get(..end_of_formatted(source)).unwrap_or(source)).into_iter().find_map(
        |block| match block {
            Block::Heading { inlines, .. } => Some(source_of(&inlines)),
            Block::Paragraph { .. }
            | Block::List { .. }
            | Block::Code { .. }
            | Block::Quote { .. }
            | Block::Table { .. }
            | Block::Rule
            | Block::Plain { .. } => None,
        },
    );
    match heading {
        Some(shown) => Some(shorten(&shown, TITLE_WIDTH)),
        None => source.lines().map(str::trim).find(|line| !line.is_empty()).map(|line| one_line(line, TITLE_WIDTH)),
    }
}

fn end_of_formatted(source: &str) -> usize {
    if source.len() <= MOST_BYTES {
        return source.len();
    }
    let mut end = MOST_BYTES;
    while !source.is_char_boundary(end) {
        end -= 1;
    }
    // A cut at a line's end leaves both halves readable.
    source.get(..end).and_then(|head| head.rfind('\n')).map_or(end, |last| last + 1)
}

pub(crate) fn outline_of(blocks: &[Block]) -> Vec<OutlineEntry> {
    let headings: Vec<OutlineEntry> = blocks
        .iter()
        .filter_map(|block| match block {
            Block::Heading { inlines, line, .. } => {
                Some(OutlineEntry { text: shorten(&source_of(inlines), OUTLINE_WIDTH), line: *line })
            }
            Block::Paragraph { .. }
            | Block::List { .. }
            | Block::Code { .. }
            | Block::Quote { .. }
            | Block::Table { .. }
            | Block::Rule
            | Block::Plain { .. } => None,
        })
        .collect();
    // A single heading is the plan's title and outlines nothing.
    if headings.len() > 1 {
        return headings;
    }
    let items = blocks.iter().flat_map(|block| match block {
        Block::List { items, .. } => items.as_slice(),
        Block::Heading { .. }
        | Block::Paragraph { .. }
        | Block::Code { .. }
        | Block::Quote { .. }
        | Block::Table { .. }
        | Block::Rule
        | Block::Plain { .. } => &[],
    });
    let items: Vec<OutlineEntry> =
        items.map(|item| OutlineEntry { text: shorten(&first_words(item), OUTLINE_WIDTH), line: item.line }).collect();
    if items.is_empty() { headings } else { items }
}

fn first_words(item: &Item) -> Shown {
    match item.blocks.first() {
        Some(Block::Heading { inlines, .. } | Block::Paragraph { inlines, .. }) => source_of(inlines),
        Some(Block::Code { text, .. } | Block::Plain { text }) => text.clone(),
        Some(Block::List { .. } | Block::Quote { .. } | Block::Table { .. } | Block::Rule) | None => Shown::new(),
    }
}

/// The words of inlines without their formatting.
pub(crate) fn source_of(inlines: &[Inline]) -> Shown {
    // INVARIANT: the builder bounds the depth, so this recursion does.
    join(inlines.iter().map(|inline| match inline {
        Inline::Text { text } | Inline::Code { text } | Inline::Image { alt: text, .. } => text.clone(),
        Inline::Em { inlines }
        | Inline::Strong { inlines }
        | Inline::Struck { inlines }
        | Inline::Link { inlines, .. } => source_of(inlines),
        Inline::Break => vec![Piece::Text { s: " ".to_owned() }],
    }))
}

/// Shortens displayed text at its end; a chip in it is never cut apart.
fn shorten(shown: &Shown, most: usize) -> Shown {
    super::text::shorten_shown(shown, most)
}

#[cfg(test)]
mod tests;
