//! What would run, in the form that a person reads.

use serde::{Deserialize, Serialize};

use super::text::{Block, Shown};

/// The payload of a request or of a past call, made from the stored bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "p")]
pub enum Payload {
    /// A command line.
    Command {
        /// One for each part, in order; together they are the whole text.
        segments: Long<Segment>,
        /// Whether it could be taken apart; if not, there is one segment and "read it all".
        analysable: bool,
        /// The folder that it runs in.
        folder: Shown,
    },
    /// A change of a file.
    Diff {
        /// Which file.
        path: Shown,
        /// Added lines.
        added: u32,
        /// Removed lines.
        removed: u32,
        /// Lines, with unchanged stretches folded.
        lines: Long<DiffLine>,
    },
    /// A new file.
    Create {
        /// Which file.
        path: Shown,
        /// Its lines; all added.
        lines: Long<DiffLine>,
    },
    /// A plan.
    Plan {
        /// The plan as formatted text.
        blocks: Vec<Block>,
        /// What of it is beyond what is formatted, as it is.
        rest: Long<Shown>,
        /// Headings, else the first words of each top-level item.
        outline: Vec<OutlineEntry>,
        /// The tools after approval, by what happens to their calls.
        unlocks: Unlocks,
        /// What changed since the plan that the person sent back before this one; none if they sent none back.
        since: Option<PlanChange>,
    },
    /// A question: what the person fills in.
    Question {
        /// The question, in the agent's words; none if it didn't say one.
        question: Option<Shown>,
        /// One field a declared key, in the schema's order.
        fields: Vec<Field>,
        /// The tool that gets the answers.
        tool: Shown,
        /// What the agent sends along; it can't be changed here.
        others: Long<Node>,
    },
    /// An address that is fetched.
    Fetch {
        /// Where it goes.
        host: Shown,
        /// Everything that is sent, piece by piece.
        nodes: Long<Node>,
    },
    /// Anything else: a tree of keys and values.
    Tree {
        /// In the order of the stored text.
        nodes: Long<Node>,
    },
    /// The stored text can't be read as arguments; the raw text is all there is.
    Unreadable {
        /// Why.
        why: String,
    },
}

/// A field of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Field {
    /// Its key in the answer.
    pub key: String,
    /// Its name: the schema's title, else the key.
    pub label: Shown,
    /// The asker's help.
    pub help: Option<Shown>,
    /// Whether it must be filled in.
    pub required: bool,
    /// What it takes.
    pub kind: FieldKind,
    /// What the schema would take if it is left out; shown, never filled in.
    pub default: Option<Shown>,
    /// Whether it looks like a secret: it is masked, and where it goes is said.
    pub secret: bool,
}

/// What a field takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "f")]
pub enum FieldKind {
    /// Words.
    Text {
        /// Whether it may be long.
        long: bool,
    },
    /// A number.
    Number {
        /// Whether it must be whole.
        whole: bool,
        /// The least, as its literal.
        least: Option<String>,
        /// The most, as its literal.
        most: Option<String>,
    },
    /// Yes or no.
    Switch,
    /// One of several.
    Choice {
        /// Which.
        options: Vec<FieldOption>,
    },
    /// Any of several.
    Many {
        /// Which.
        options: Vec<FieldOption>,
    },
    /// A date.
    Date,
    /// Anything else, as JSON.
    Json {
        /// What it must be.
        schema: Shown,
    },
}

/// A choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct FieldOption {
    /// Its value as JSON text, for putting into the answer unchanged.
    pub value: String,
    /// What stands beside it.
    pub label: Shown,
}

/// A part of a command line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Segment {
    /// What joins it to the part before: `&&`, `||`, `;`, `|`, `&` or a line break; empty for the first.
    pub operator: String,
    /// Its words with the space between them.
    pub words: Vec<Word>,
    /// Whether it holds a word of high risk; the whole line is marked then.
    pub high_risk: bool,
}

/// A stretch of a command part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Word {
    /// The text.
    pub text: Shown,
    /// What it is.
    pub kind: WordKind,
}

/// What a stretch of a command is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum WordKind {
    /// The program.
    Program,
    /// A word.
    Plain,
    /// A quoted word.
    Quoted,
    /// A redirection, a substitution, a variable.
    Special,
    /// A word of high risk.
    Risk,
}

/// A line of a difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "d")]
pub enum DiffLine {
    /// Unchanged.
    Same {
        /// Line number before, from 1.
        old: u32,
        /// Line number after, from 1.
        new: u32,
        /// The text.
        text: Shown,
    },
    /// Removed.
    Removed {
        /// Line number before.
        old: u32,
        /// The text, changed words marked.
        parts: Vec<DiffPart>,
        /// Whether a change begins here.
        begins: bool,
    },
    /// Added. Never folded.
    Added {
        /// Line number after.
        new: u32,
        /// The text, changed words marked.
        parts: Vec<DiffPart>,
        /// Whether a change begins here.
        begins: bool,
    },
    /// Unchanged lines that are not shown.
    Folded {
        /// How many.
        lines: u32,
    },
    /// The last line has no line break at its end.
    NoFinalBreak,
}

/// A stretch of a changed line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct DiffPart {
    /// The text.
    pub text: Shown,
    /// Whether these words are what changed in the line.
    pub changed: bool,
}

/// An entry of a plan's outline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct OutlineEntry {
    /// Its words.
    pub text: Shown,
    /// Line of the source that it points at.
    pub line: u32,
}

/// How a plan differs from the one before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct PlanChange {
    /// Lines that are new.
    pub added: u32,
    /// Lines that are gone.
    pub removed: u32,
    /// The difference.
    pub lines: Long<DiffLine>,
}

/// What approving a plan unlocks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Unlocks {
    /// Tools whose calls ask when it is approved step by step.
    pub asks: Vec<Shown>,
    /// Tools whose calls run by themselves in any case.
    pub free: Vec<Shown>,
    /// Tool servers of the agent that aren't running, so that what they offer isn't known; by the person's names.
    pub unknown: Vec<String>,
    /// The rules that reject and are in force for what it would do, by their ids.
    pub rejecting: Vec<String>,
    /// Tools that run programs or change something, and that no rule would reject any call of.
    pub uncovered: Vec<Shown>,
}

/// A row of a key/value tree: the rows in order, each with its depth, are the tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Node {
    /// How deep it lies, from 0.
    pub depth: u32,
    /// Its key, or its index in a list; none for a bare value.
    pub key: Shown,
    /// Its value.
    pub value: NodeValue,
}

/// A value in a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "v")]
pub enum NodeValue {
    /// A string, or the beginning of a long one.
    Text {
        /// The text.
        text: Shown,
    },
    /// How a long string goes on.
    More {
        /// The text.
        text: Shown,
        /// Whether it goes on in the line that ended above for want of room.
        same_line: bool,
    },
    /// A number, true, false or null, by its literal.
    Literal {
        /// The literal.
        text: String,
    },
    /// An object; its pairs are the rows below that lie deeper.
    Object {
        /// How many pairs.
        items: u32,
    },
    /// A list; its items are the rows below that lie deeper.
    List {
        /// How many items.
        items: u32,
    },
}

/// A list of which only the ends cross at once where it is long. A short one is all head.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Long<T> {
    /// Its first things.
    pub head: Vec<T>,
    /// What lies between, in stretches that are asked for by `payload_part`.
    pub middle: Vec<Stretch>,
    /// Its last things.
    pub tail: Vec<T>,
}

/// A stretch of a long list that hasn't crossed. It may have more things than are asked for at once; whoever draws it divides it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Stretch {
    /// How many things.
    pub items: u32,
    /// How many characters they have.
    pub characters: u32,
    /// Whether something changes in it.
    pub changes: bool,
}

/// Which of the lists of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum PayloadList {
    /// What would run, in the form that suits it; of a plan what is beyond its formatted part.
    Main,
    /// The exact stored text.
    Raw,
    /// What changed since the plan before.
    Since,
}

/// A part of a payload's list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "of")]
pub enum PayloadPart {
    /// Of a command.
    Segments {
        /// Its parts.
        items: Vec<Segment>,
    },
    /// Of a change or a new file.
    Lines {
        /// Its lines.
        items: Vec<DiffLine>,
    },
    /// Of a tree.
    Nodes {
        /// Its rows.
        items: Vec<Node>,
    },
    /// Of a text.
    Text {
        /// Its fragments; they run on in one another.
        items: Vec<Shown>,
    },
}

/// Where words stand in a payload's list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct PayloadPlaces {
    /// From the first on.
    pub places: Vec<Found>,
    /// Whether there are more.
    pub more: bool,
}

/// One place where words stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts", rename = "PayloadPlace"))]
pub struct Found {
    /// In which thing of the list, from 0.
    pub item: u32,
    /// Which time in it, from 0.
    pub time: u32,
}

/// The exact stored text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Raw {
    /// The text with hidden characters made visible, in fragments that run on in one another.
    pub text: Long<Shown>,
    /// The exact text. None where it is long: then `exact_arguments` gives it.
    pub exact: Option<Exact>,
    /// Its size in bytes.
    pub bytes: u32,
    /// SHA-256 of the bytes, hexadecimal.
    pub sha256: String,
}

/// The exact stored text, for copying only; never put into the page as anything but clipboard text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Exact {
    /// The text.
    pub text: String,
    /// Whether there is something in it that looks like a secret, so that whoever copies it is warned.
    pub secret: bool,
}

/// One fact about a call, found out by the app, never by the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Fact {
    /// In words, with outside text made safe.
    pub text: Shown,
    /// How it is drawn.
    pub tone: Tone,
}

/// How a fact is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// Neutral.
    Plain,
    /// High risk: deletes, leaves the workspace, overwrites a remote branch.
    Danger,
}
