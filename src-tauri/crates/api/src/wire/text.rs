//! Text that somebody outside wrote, made safe to show, and Markdown as a small tree.

use serde::{Deserialize, Serialize};

/// Displayed text: pieces in order. Everything that a model, a tool or a server wrote crosses only in this form.
pub type Shown = Vec<Piece>;

/// A piece of displayed text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "t")]
pub enum Piece {
    /// Plain text without hidden characters; may hold line breaks.
    Text {
        /// The text.
        s: String,
    },
    /// Something that would be invisible or misleading, as a labelled chip.
    Chip {
        /// What stands on the chip, such as `U+202E right-to-left override` or `38 spaces`.
        s: String,
        /// What kind of thing it stands for.
        k: Chip,
    },
    /// What looks like a secret: covered, until somebody presses where that can be done.
    Secret {
        /// What is under the cover, without hidden characters. Empty where it can't be pressed, as in a row.
        s: String,
    },
}

impl Piece {
    /// How many characters it has, those on a chip included.
    pub(crate) fn characters(&self) -> usize {
        match self {
            Self::Text { s } | Self::Chip { s, .. } | Self::Secret { s } => s.chars().count(),
        }
    }
}

/// What a chip stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Chip {
    /// Hidden or misleading characters; drawn as a warning.
    Hidden,
    /// Text left out of a row, with its amount; neutral.
    Cut,
    /// Left out of a row, and there are hidden characters in it; drawn as a warning.
    CutHidden,
}

/// A block of Markdown. There is no HTML in it, no image and no live link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "b")]
pub enum Block {
    /// A heading.
    Heading {
        /// 1 to 6.
        level: u8,
        /// Its words.
        inlines: Vec<Inline>,
        /// Line of the source, from 1.
        line: u32,
    },
    /// A paragraph.
    Paragraph {
        /// Its words.
        inlines: Vec<Inline>,
        /// Line of the source, from 1.
        line: u32,
    },
    /// A list.
    List {
        /// The first number, for a numbered one.
        start: Option<u32>,
        /// Its items.
        items: Vec<Item>,
    },
    /// A block of code.
    Code {
        /// Its text.
        text: Shown,
        /// Line of the source, from 1.
        line: u32,
    },
    /// A quotation.
    Quote {
        /// What is quoted.
        blocks: Vec<Block>,
    },
    /// A table.
    Table {
        /// Rows of cells; the first is the head.
        rows: Vec<Vec<Vec<Inline>>>,
    },
    /// A rule across.
    Rule,
    /// The rest was too large or too deep and is shown as it is.
    Plain {
        /// The text.
        text: Shown,
    },
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Item {
    /// What is in it.
    pub blocks: Vec<Block>,
    /// Line of the source, from 1.
    pub line: u32,
}

/// A run of words in a block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "i")]
pub enum Inline {
    /// Words.
    Text {
        /// The text.
        text: Shown,
    },
    /// Code.
    Code {
        /// The text.
        text: Shown,
    },
    /// Emphasis.
    Em {
        /// What is stressed.
        inlines: Vec<Inline>,
    },
    /// Strong emphasis.
    Strong {
        /// What is stressed.
        inlines: Vec<Inline>,
    },
    /// Struck through.
    Struck {
        /// What is struck.
        inlines: Vec<Inline>,
    },
    /// A link, inert: its words and its target as text.
    Link {
        /// Its words.
        inlines: Vec<Inline>,
        /// Where it points.
        target: Shown,
    },
    /// An image that is not loaded: its words and its target as text.
    Image {
        /// Its words.
        alt: Shown,
        /// Where it points.
        target: Shown,
    },
    /// A line break.
    Break,
}
