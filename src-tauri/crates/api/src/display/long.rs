//! What may be long crosses to a window by its ends; what lies between is asked for when it comes near what is in view.
//!
//! # Design
//! A list of things to draw (parts of a command, lines of a change, rows of a tree, fragments of a text) is kept undrawn, so that
//! megabytes cost nothing until somebody looks at them, and each of them is drawn alone and always alike. The window knows from the
//! first moment how many there are and how many characters they have: what it hasn't got yet counts as unread.

use std::ops::Range;

use crate::display::diff::Lines;
use crate::display::text::fragments::Fragments;
use crate::display::text::plain;
use crate::display::tree::Rows;
use crate::wire::payload::{DiffLine, Found, Long, NodeValue, PayloadPart, PayloadPlaces, Segment, Stretch};

/// The most things of an end, and of a stretch between them.
const MOST: usize = 200;
/// About the most characters of an end.
const END_CHARACTERS: usize = 12_000;
/// How many stretches cross as one measure: so many that those of ten megabytes are few dozens. The window divides them as it draws.
const BLOCK: usize = 64;
/// How many places are found at most.
const MOST_FOUND: usize = 1_000;
/// How many things are drawn at once for looking into them.
const LOOKED_AT: usize = 1_000;

/// Something that is drawn thing by thing.
pub(crate) trait Cut {
    /// What is drawn of one.
    type Item;
    /// About the most characters of a stretch, which has one thing at least: as many as are drawn before the next picture. The window
    /// cuts the ends alike (`Windowed.svelte`).
    const STRETCH: usize = 4_000;
    /// How many there are.
    fn len(&self) -> usize;
    /// How many characters one has, about as a person counts them.
    fn characters(&self, at: usize) -> usize;
    /// Whether something changes there, so that jumps from change to change find it.
    fn changes(&self, _at: usize) -> bool {
        false
    }
    /// Draws some.
    fn draw(&self, range: Range<usize>) -> Vec<Self::Item>;

    /// What crosses at once: all of it if it is short, else its ends and the measures of what lies between.
    fn long(&self) -> Long<Self::Item> {
        let fitting = |some: &mut dyn Iterator<Item = usize>| {
            let mut characters = 0;
            some.take(MOST)
                .take_while(|at| {
                    let fits = characters < END_CHARACTERS;
                    characters += self.characters(*at);
                    fits
                })
                .count()
        };
        let head = fitting(&mut (0..self.len()));
        let tail = fitting(&mut (head..self.len()).rev());
        let between = head..self.len() - tail;
        let mut middle = Vec::new();
        let mut from = between.start;
        while from < between.end {
            let (mut to, mut characters, mut changes) = (from, 0, false);
            while to < between.end && to - from < MOST * BLOCK && characters < Self::STRETCH * BLOCK {
                characters += self.characters(to);
                changes |= self.changes(to);
                to += 1;
            }
            middle.push(Stretch { items: number(to - from), characters: number(characters), changes });
            from = to;
        }
        Long { head: self.draw(0..head), middle, tail: self.draw(between.end..self.len()) }
    }
}

impl Cut for Vec<Segment> {
    type Item = Segment;
    // Each word is a thing of its own in the page.
    const STRETCH: usize = 1_500;

    fn len(&self) -> usize {
        Self::len(self)
    }

    fn characters(&self, at: usize) -> usize {
        self.get(at).map_or(0, |segment| {
            let words = segment.words.iter().flat_map(|word| &word.text);
            segment.operator.chars().count() + words.map(crate::wire::text::Piece::characters).sum::<usize>()
        })
    }

    fn draw(&self, range: Range<usize>) -> Vec<Segment> {
        self.get(range).unwrap_or_default().to_vec()
    }
}

/// A list that is kept for whoever reads on in it.
#[derive(Debug)]
pub(crate) enum Whole {
    /// Parts of a command.
    Segments(Vec<Segment>),
    /// Lines of a change.
    Lines(Lines),
    /// Rows of a tree.
    Nodes(Rows),
    /// Fragments of a text.
    Text(Fragments),
}

impl Whole {
    fn len(&self) -> usize {
        match self {
            Self::Segments(all) => all.len(),
            Self::Lines(all) => all.len(),
            Self::Nodes(all) => all.len(),
            Self::Text(all) => all.len(),
        }
    }

    /// About how many bytes it keeps beside the stored text.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            // Their words are drawn already.
            Self::Segments(all) => all.len() * 512,
            Self::Lines(all) => all.bytes(),
            Self::Nodes(all) => all.len() * 96,
            Self::Text(_) => 0,
        }
    }

    /// Some of it, at most as many as a stretch has; none if there aren't as many.
    pub(crate) fn part(&self, from: u32, items: u32) -> Option<PayloadPart> {
        let (from, items) = (usize::try_from(from).ok()?, usize::try_from(items).ok()?);
        let to = from.checked_add(items).filter(|to| items <= MOST && *to <= self.len())?;
        Some(self.drawn(from..to))
    }

    fn drawn(&self, range: Range<usize>) -> PayloadPart {
        match self {
            Self::Segments(all) => PayloadPart::Segments { items: all.draw(range) },
            Self::Lines(all) => PayloadPart::Lines { items: all.draw(range) },
            Self::Nodes(all) => PayloadPart::Nodes { items: all.draw(range) },
            Self::Text(all) => PayloadPart::Text { items: all.draw(range) },
        }
    }

    /// Where words stand in it as it is displayed, small and capital letters alike, from the first on.
    pub(crate) fn find(&self, words: &str) -> PayloadPlaces {
        let wanted = words.to_lowercase();
        let mut found = PayloadPlaces { places: Vec::new(), more: false };
        if wanted.is_empty() {
            return found;
        }
        // What stands before in the same line: words may begin in one thing and end in the next.
        let mut carried = String::new();
        let mut at = 0;
        while at < self.len() {
            let to = self.len().min(at + LOOKED_AT);
            for (text, goes_on) in self.texts(at..to) {
                let before = carried.len();
                carried.push_str(&text.to_lowercase());
                let ends = carried.match_indices(&wanted).map(|(from, _)| from + wanted.len());
                let times = ends.filter(|end| *end > before).count();
                for time in 0..times {
                    if found.places.len() == MOST_FOUND {
                        found.more = true;
                        return found;
                    }
                    found.places.push(Found { item: number(at), time: number(time) });
                }
                carried = if goes_on { tail(&carried, wanted.len() - 1).to_owned() } else { String::new() };
                at += 1;
            }
        }
        found
    }

    /// The words of some, and whether the next one goes on in the same line.
    fn texts(&self, range: Range<usize>) -> Vec<(String, bool)> {
        match self {
            Self::Text(all) => all.draw(range).iter().map(|shown| (plain(shown), true)).collect(),
            Self::Nodes(all) => {
                let text = |at: usize, value: &NodeValue| match value {
                    NodeValue::Text { text } | NodeValue::More { text, .. } => (plain(text), all.goes_on(at)),
                    NodeValue::Literal { text } => (text.clone(), false),
                    NodeValue::Object { .. } | NodeValue::List { .. } => (String::new(), false),
                };
                let one = |at: usize| {
                    all.draw(at..at + 1).first().map(|node| {
                        let (value, goes_on) = text(at, &node.value);
                        (join_words(&plain(&node.key), &value), goes_on)
                    })
                };
                range.filter_map(one).collect()
            }
            Self::Lines(all) => all.draw(range).iter().map(|line| (line_words(line), false)).collect(),
            Self::Segments(all) => {
                let words = |segment: &Segment| segment.words.iter().map(|word| plain(&word.text)).collect::<String>();
                all.draw(range).iter().map(|one| (format!("{}{}", one.operator, words(one)), false)).collect()
            }
        }
    }
}

fn join_words(key: &str, value: &str) -> String {
    if key.is_empty() { value.to_owned() } else { format!("{key}\n{value}") }
}

fn line_words(line: &DiffLine) -> String {
    match line {
        DiffLine::Same { text, .. } => plain(text),
        DiffLine::Removed { parts, .. } | DiffLine::Added { parts, .. } => {
            parts.iter().map(|part| plain(&part.text)).collect()
        }
        DiffLine::Folded { .. } | DiffLine::NoFinalBreak => String::new(),
    }
}

/// The last bytes of a text, from a letter on.
fn tail(text: &str, most: usize) -> &str {
    let mut from = text.len().saturating_sub(most);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text.get(from..).unwrap_or_default()
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
