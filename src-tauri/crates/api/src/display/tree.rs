//! Arguments as rows of a tree of keys and values. No key is hidden, and a number stays what was written.

use std::ops::Range;
use std::sync::Arc;

use countersign_core::parse::Tree;

use super::long::Cut;
use super::mask;
use super::text::fragments::Fragments;
use super::text::{safe, words};
use crate::wire::payload::{Node, NodeValue};
use crate::wire::text::{Piece, Shown};

/// A string of more bytes is cut into rows.
const LONG: usize = 4_000;

/// What a row is called.
#[derive(Debug)]
enum Key {
    /// It is a bare value, or it goes on with the one above.
    None,
    /// In the app's words.
    Ours(String),
    /// As somebody outside wrote it.
    Theirs(String),
    /// Its place in a list, from 0.
    Index(usize),
}

#[derive(Debug)]
enum Value {
    Text(String),
    /// A fragment of a long string.
    Fragment(Arc<Fragments>, usize),
    Literal(String),
    Object(usize),
    List(usize),
}

#[derive(Debug)]
struct Row {
    depth: usize,
    key: Key,
    value: Value,
}

/// The rows of a tree, in order.
#[derive(Debug, Default)]
pub(crate) struct Rows(Vec<Row>);

impl Rows {
    /// The pairs of an object, the items of a list, or one row without a key for a bare value.
    pub(crate) fn of(tree: Tree) -> Self {
        let mut rows = Self::default();
        rows.add_inner(tree, 0);
        rows
    }

    /// Puts the pairs or items of a tree behind the others.
    pub(crate) fn add(&mut self, tree: Tree) {
        self.add_inner(tree, 0);
    }

    /// Puts a text behind the others, called in the app's words.
    pub(crate) fn add_text(&mut self, key: String, text: String) {
        self.push(0, Key::Ours(key), Tree::Text(text));
    }

    /// Puts texts behind the others, below a row that is called in the app's words.
    pub(crate) fn add_texts(&mut self, key: String, pairs: Vec<(String, String)>) {
        let pairs = pairs.into_iter().map(|(key, text)| (key, Tree::Text(text))).collect();
        self.push(0, Key::Ours(key), Tree::Object(pairs));
    }

    // INVARIANT: the strict reader bounds the depth, so this recursion does.
    fn add_inner(&mut self, tree: Tree, depth: usize) {
        match tree {
            Tree::List(items) => {
                for (index, item) in items.into_iter().enumerate() {
                    self.push(depth, Key::Index(index), item);
                }
            }
            Tree::Object(pairs) => {
                for (key, item) in pairs {
                    self.push(depth, Key::Theirs(key), item);
                }
            }
            bare @ (Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::Text(_)) => self.push(depth, Key::None, bare),
        }
    }

    fn push(&mut self, depth: usize, key: Key, tree: Tree) {
        let literal = |text: &str| Value::Literal(text.to_owned());
        let value = match tree {
            Tree::Null => literal("null"),
            Tree::Bool(true) => literal("true"),
            Tree::Bool(false) => literal("false"),
            Tree::Number(number) => Value::Literal(number),
            Tree::Text(text) if text.len() > LONG => {
                let fragments = Arc::new(Fragments::of(text.into()));
                let mut key = key;
                for at in 0..fragments.len() {
                    let value = Value::Fragment(Arc::clone(&fragments), at);
                    self.0.push(Row { depth, key: std::mem::replace(&mut key, Key::None), value });
                }
                return;
            }
            Tree::Text(text) => Value::Text(text),
            Tree::List(items) => {
                self.0.push(Row { depth, key, value: Value::List(items.len()) });
                return self.add_inner(Tree::List(items), depth + 1);
            }
            Tree::Object(pairs) => {
                self.0.push(Row { depth, key, value: Value::Object(pairs.len()) });
                return self.add_inner(Tree::Object(pairs), depth + 1);
            }
        };
        self.0.push(Row { depth, key, value });
    }

    /// Whether the row behind one goes on in the same line.
    pub(crate) fn goes_on(&self, at: usize) -> bool {
        let next = self.0.get(at + 1).map(|row| &row.value);
        matches!(next, Some(Value::Fragment(fragments, at)) if *at > 0 && !fragments.ends_line(at - 1))
    }
}

impl Cut for Rows {
    type Item = Node;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn characters(&self, at: usize) -> usize {
        let Some(row) = self.0.get(at) else { return 0 };
        let key = match &row.key {
            Key::None => 0,
            Key::Ours(key) | Key::Theirs(key) => key.chars().count(),
            Key::Index(_) => 1,
        };
        key + match &row.value {
            Value::Text(text) | Value::Literal(text) => text.chars().count(),
            Value::Fragment(fragments, at) => fragments.characters(*at),
            Value::Object(_) | Value::List(_) => 0,
        }
    }

    fn draw(&self, range: Range<usize>) -> Vec<Node> {
        self.0.get(range).unwrap_or_default().iter().map(drawn).collect()
    }
}

fn drawn(row: &Row) -> Node {
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let key = match &row.key {
        Key::None => Shown::new(),
        Key::Ours(key) => words(key.clone()),
        Key::Theirs(key) => safe(key),
        Key::Index(index) => words(index.to_string()),
    };
    let value = match &row.value {
        Value::Text(text) => NodeValue::Text {
            text: match &row.key {
                Key::Theirs(key) if mask::covers_value(key, text) => vec![Piece::Secret { s: text.clone() }],
                Key::None | Key::Ours(_) | Key::Theirs(_) | Key::Index(_) => safe(text),
            },
        },
        Value::Fragment(fragments, 0) => NodeValue::Text { text: without_break(fragments, 0) },
        Value::Fragment(fragments, at) => {
            NodeValue::More { text: without_break(fragments, *at), same_line: !fragments.ends_line(at - 1) }
        }
        Value::Literal(text) => NodeValue::Literal { text: text.clone() },
        Value::Object(pairs) => NodeValue::Object { items: number(*pairs) },
        Value::List(items) => NodeValue::List { items: number(*items) },
    };
    Node { depth: number(row.depth), key, value }
}

/// A fragment without the line break that it ends with, since the next row begins a line; of the last one nothing is left out.
fn without_break(fragments: &Fragments, at: usize) -> Shown {
    let mut shown = fragments.shown(at);
    if at + 1 < fragments.len()
        && let Some(Piece::Text { s }) = shown.last_mut()
        && s.ends_with('\n')
    {
        s.pop();
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::super::text::plain;
    use super::*;

    fn rows(text: &str) -> Vec<String> {
        let rows = Rows::of(countersign_core::parse::parse(text).unwrap());
        let line = |node: &Node| {
            let value = match &node.value {
                NodeValue::Text { text } => plain(text),
                NodeValue::More { text, .. } => format!("↩{}", plain(text)),
                NodeValue::Literal { text } => text.clone(),
                NodeValue::Object { items } => format!("{{{items}}}"),
                NodeValue::List { items } => format!("[{items}]"),
            };
            format!("{}{} = {value}", "  ".repeat(node.depth as usize), plain(&node.key))
        };
        rows.draw(0..rows.len()).iter().map(line).collect()
    }

    #[test]
    fn keys_and_literals_stay() {
        assert_eq!(
            rows(r#"{"a\u202e":[9007199254740993,"x",{}],"n":null}"#),
            ["a⟨U+202E right-to-left override⟩ = [3]", "  0 = 9007199254740993", "  1 = x", "  2 = {0}", "n = null"]
        );
        assert_eq!(rows("\"bare\""), [" = bare"]);
    }

    #[test]
    fn long_strings_are_rows_that_hold_all_of_it() {
        let text = "0123456789abcde\n".repeat(1_000);
        let drawn = rows(&serde_json::json!({ "a": text, "b": 1 }).to_string());
        let (last, fragments) = drawn.split_last().unwrap();
        assert_eq!(last, "b = 1");
        assert!(fragments.len() > 10 && fragments[1].starts_with(" = ↩0123"));
        let whole: Vec<&str> =
            fragments.iter().map(|one| one.split_once(" = ").unwrap().1.trim_start_matches('↩')).collect();
        assert_eq!(whole.join("\n"), text, "a row's end is a line's end");
    }
}
