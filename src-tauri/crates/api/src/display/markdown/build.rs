//! From the parser's events to the tree. Iterative: the depth of the source never becomes depth of the stack, and
//! what is nested too deep is taken as its source.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag};

use super::super::text::{Begins, append, safe, safe_at};
use super::{MOST_DEPTH, source_of};
use crate::wire::text::{Block, Inline, Item, Shown};

/// An element that isn't closed yet.
struct Frame {
    open: Open,
    line: u32,
    blocks: Vec<Block>,
    inlines: Vec<Inline>,
}

enum Open {
    Root,
    Quote,
    List {
        start: Option<u32>,
        items: Vec<Item>,
    },
    Item,
    Heading(u8),
    Paragraph,
    /// The words of a list item that stand in no paragraph of their own.
    Tight,
    Html(String),
    Code {
        info: String,
        text: String,
    },
    Table {
        rows: Vec<Vec<Vec<Inline>>>,
    },
    Row {
        cells: Vec<Vec<Inline>>,
    },
    Cell,
    Em,
    Strong,
    Struck,
    Link(String),
    Image(String),
}

/// The tree of a source of bounded size.
pub(super) fn blocks(source: &str) -> Vec<Block> {
    let mut builder = Builder { source, lines: line_starts(source), frames: vec![Frame::of(Open::Root, 1)] };
    let mut events = Parser::new_ext(source, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH).into_offset_iter();
    // Definitions of link targets are drawn by no event, but they are part of what a person decides about.
    let mut definitions: Vec<Range<usize>> =
        events.reference_definitions().iter().map(|(_, definition)| definition.span.clone()).collect();
    definitions.sort_by_key(|span| span.start);
    let mut skipping: usize = 0;
    for (event, span) in &mut events {
        match event {
            Event::Start(_) if skipping > 0 => skipping += 1,
            Event::End(_) if skipping > 0 => skipping -= 1,
            _ if skipping > 0 => {}
            Event::Start(tag) => {
                if builder.frames.len() >= MOST_DEPTH {
                    builder.as_source(&tag, span);
                    skipping = 1;
                } else {
                    builder.start(tag, span);
                }
            }
            Event::End(_) => builder.end(),
            Event::Text(text) => builder.text(&text, span),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                builder.inline(Inline::Code { text: safe_at(&text, Begins::Inside) }, span);
            }
            Event::Html(html) | Event::InlineHtml(html) => builder.text(&html, span),
            Event::FootnoteReference(name) => builder.text(&name, span),
            Event::SoftBreak => builder.inline(Inline::Text { text: super::super::text::words(" ") }, span),
            Event::HardBreak => builder.inline(Inline::Break, span),
            Event::Rule => builder.block(Block::Rule),
            Event::TaskListMarker(_) => {
                let mark = source.get(span.clone()).unwrap_or_default();
                builder.text(mark, span);
            }
        }
    }
    while builder.frames.len() > 1 {
        builder.end();
    }
    let mut blocks = builder.frames.pop().map(|root| root.blocks).unwrap_or_default();
    blocks.extend(
        definitions.into_iter().filter_map(|span| source.get(span)).map(|text| Block::Plain { text: safe(text) }),
    );
    blocks
}

struct Builder<'a> {
    source: &'a str,
    lines: Vec<usize>,
    frames: Vec<Frame>,
}

impl Frame {
    fn of(open: Open, line: u32) -> Self {
        Self { open, line, blocks: Vec::new(), inlines: Vec::new() }
    }
}

impl Builder<'_> {
    fn line(&self, at: usize) -> u32 {
        u32::try_from(self.lines.partition_point(|start| *start <= at)).unwrap_or(u32::MAX)
    }

    fn start(&mut self, tag: Tag<'_>, span: Range<usize>) {
        let line = self.line(span.start);
        let open = match tag {
            Tag::Paragraph | Tag::DefinitionListTitle => Open::Paragraph,
            Tag::Heading { level, .. } => Open::Heading(number(level)),
            Tag::BlockQuote(_) | Tag::FootnoteDefinition(_) | Tag::DefinitionList | Tag::DefinitionListDefinition => {
                Open::Quote
            }
            Tag::CodeBlock(kind) => {
                let info = match kind {
                    CodeBlockKind::Indented => String::new(),
                    CodeBlockKind::Fenced(info) => info.to_string(),
                };
                Open::Code { info, text: String::new() }
            }
            Tag::HtmlBlock | Tag::MetadataBlock(_) => Open::Html(String::new()),
            Tag::List(start) => {
                Open::List { start: start.map(|start| u32::try_from(start).unwrap_or(u32::MAX)), items: Vec::new() }
            }
            Tag::Item => Open::Item,
            Tag::Table(_) => Open::Table { rows: Vec::new() },
            Tag::TableHead | Tag::TableRow => Open::Row { cells: Vec::new() },
            Tag::TableCell => Open::Cell,
            Tag::Emphasis | Tag::Superscript | Tag::Subscript => Open::Em,
            Tag::Strong => Open::Strong,
            Tag::Strikethrough => Open::Struck,
            Tag::Link { dest_url, title, .. } => Open::Link(target(&dest_url, &title)),
            Tag::Image { dest_url, title, .. } => Open::Image(target(&dest_url, &title)),
        };
        if is_inline(&open) {
            self.words(line);
        } else {
            self.end_of_tight();
        }
        self.frames.push(Frame::of(open, line));
    }

    /// Makes sure that inlines have somewhere to go.
    fn words(&mut self, line: u32) {
        let needs = self.frames.last().is_some_and(|frame| match frame.open {
            Open::Root | Open::Quote | Open::Item | Open::List { .. } | Open::Table { .. } | Open::Row { .. } => true,
            Open::Heading(_)
            | Open::Paragraph
            | Open::Tight
            | Open::Html(_)
            | Open::Code { .. }
            | Open::Cell
            | Open::Em
            | Open::Strong
            | Open::Struck
            | Open::Link(_)
            | Open::Image(_) => false,
        });
        if needs {
            self.frames.push(Frame::of(Open::Tight, line));
        }
    }

    fn end_of_tight(&mut self) {
        if self.frames.last().is_some_and(|frame| matches!(frame.open, Open::Tight)) {
            self.close();
        }
    }

    fn end(&mut self) {
        self.end_of_tight();
        self.close();
    }

    fn close(&mut self) {
        // The root stays: it is what everything else ends up in.
        if self.frames.len() < 2 {
            return;
        }
        let Some(frame) = self.frames.pop() else {
            return;
        };
        let Frame { open, line, blocks, inlines } = frame;
        match open {
            Open::Root => {}
            Open::Quote => self.block(Block::Quote { blocks }),
            Open::List { start, items } => self.block(Block::List { start, items }),
            Open::Item => {
                if let Some(Frame { open: Open::List { items, .. }, .. }) = self.frames.last_mut() {
                    items.push(Item { blocks, line });
                }
            }
            Open::Heading(level) => self.block(Block::Heading { level, inlines, line }),
            Open::Paragraph | Open::Tight => self.block(Block::Paragraph { inlines, line }),
            Open::Html(text) => self.block(Block::Plain { text: safe(text.trim_end_matches('\n')) }),
            Open::Code { info, text } => {
                // An ordinary language name says nothing; anything else would be text that nobody sees.
                if info.len() > 20 || info.contains(char::is_whitespace) || !info.is_ascii() {
                    self.block(Block::Plain { text: safe(&info) });
                }
                self.block(Block::Code { text: safe(text.strip_suffix('\n').unwrap_or(&text)), line });
            }
            Open::Table { rows } => self.block(Block::Table { rows }),
            Open::Row { cells } => {
                if let Some(Frame { open: Open::Table { rows }, .. }) = self.frames.last_mut() {
                    rows.push(cells);
                }
            }
            Open::Cell => {
                if let Some(Frame { open: Open::Row { cells }, .. }) = self.frames.last_mut() {
                    cells.push(inlines);
                }
            }
            Open::Em => self.push(Inline::Em { inlines }),
            Open::Strong => self.push(Inline::Strong { inlines }),
            Open::Struck => self.push(Inline::Struck { inlines }),
            Open::Link(target) => {
                self.push(Inline::Link { inlines, target: safe_at(&target, Begins::Inside) });
            }
            Open::Image(target) => {
                self.push(Inline::Image { alt: source_of(&inlines), target: safe_at(&target, Begins::Inside) });
            }
        }
    }

    fn block(&mut self, block: Block) {
        self.end_of_tight();
        if let Some(frame) = self.frames.last_mut() {
            frame.blocks.push(block);
        }
    }

    fn push(&mut self, inline: Inline) {
        if let Some(frame) = self.frames.last_mut() {
            match (frame.inlines.last_mut(), inline) {
                (Some(Inline::Text { text: before }), Inline::Text { text }) => {
                    append(before, text);
                }
                (_, inline) => frame.inlines.push(inline),
            }
        }
    }

    fn inline(&mut self, inline: Inline, span: Range<usize>) {
        let line = self.line(span.start);
        self.words(line);
        self.push(inline);
    }

    fn text(&mut self, text: &str, span: Range<usize>) {
        if let Some(Frame { open: Open::Html(all) | Open::Code { text: all, .. }, .. }) = self.frames.last_mut() {
            all.push_str(text);
            return;
        }
        self.inline(Inline::Text { text: safe_at(text, Begins::Inside) }, span);
    }

    /// An element that is nested too deep, as its source.
    fn as_source(&mut self, tag: &Tag<'_>, span: Range<usize>) {
        let text: Shown = safe(self.source.get(span.clone()).unwrap_or_default());
        let is_inline = matches!(
            tag,
            Tag::Emphasis
                | Tag::Strong
                | Tag::Strikethrough
                | Tag::Superscript
                | Tag::Subscript
                | Tag::Link { .. }
                | Tag::Image { .. }
        );
        if is_inline {
            self.inline(Inline::Text { text }, span);
            return;
        }
        match self.frames.last_mut() {
            Some(Frame { open: Open::List { items, .. }, .. }) => {
                let line = u32::try_from(self.lines.partition_point(|start| *start <= span.start)).unwrap_or(u32::MAX);
                items.push(Item { blocks: vec![Block::Plain { text }], line });
            }
            Some(Frame { open: Open::Table { rows }, .. }) => rows.push(vec![vec![Inline::Text { text }]]),
            Some(Frame { open: Open::Row { cells }, .. }) => cells.push(vec![Inline::Text { text }]),
            Some(_) | None => self.block(Block::Plain { text }),
        }
    }
}

fn is_inline(open: &Open) -> bool {
    matches!(open, Open::Em | Open::Strong | Open::Struck | Open::Link(_) | Open::Image(_))
}

fn number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

/// A target with its title, which would otherwise be out of sight.
fn target(address: &str, title: &str) -> String {
    if title.is_empty() { address.to_owned() } else { format!("{address} \"{title}\"") }
}

fn line_starts(source: &str) -> Vec<usize> {
    std::iter::once(0).chain(source.match_indices('\n').map(|(at, _)| at + 1)).collect()
}
