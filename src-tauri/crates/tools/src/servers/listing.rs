//! A server's list of tools, counted and cut. Whatever it sends, what is kept is bounded, and what was left out is said.

use std::collections::BTreeSet;

use countersign_core::server::{Claims, Definition, MOST_SCHEMA};
use rmcp::model::Tool;

/// The most tools of a server.
pub(super) const MOST_TOOLS: usize = 2000;
/// The longest description that is kept, in bytes.
const MOST_DESCRIPTION: usize = 1024 * 1024;
/// The longest name of a tool, in bytes; a longer one can't be told apart on a screen.
const MOST_NAME: usize = 1024;
/// The most that is kept of all definitions of a server together, in bytes.
const MOST_TOGETHER: usize = 16 * 1024 * 1024;

/// What is kept of a list, and what wasn't.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) definitions: Vec<Definition>,
    names: BTreeSet<String>,
    bytes: usize,
    over: usize,
    doubles: usize,
    unusable: usize,
    shortened: usize,
}

impl Listing {
    /// Takes a tool.
    pub(super) fn push(&mut self, tool: Tool) {
        let name = tool.name.into_owned();
        let schema = serde_json::to_string(&*tool.input_schema).unwrap_or_default();
        if name.is_empty() || name.len() > MOST_NAME || schema.len() > MOST_SCHEMA || schema.is_empty() {
            self.unusable += 1;
            return;
        }
        if self.names.contains(&name) {
            self.doubles += 1;
            return;
        }
        let title = tool.title.or_else(|| tool.annotations.as_ref().and_then(|said| said.title.clone()));
        let mut description = tool.description.map(std::borrow::Cow::into_owned).unwrap_or_default();
        if description.len() > MOST_DESCRIPTION {
            self.shortened += 1;
            truncate(&mut description, MOST_DESCRIPTION);
        }
        let title = title.map(|mut title| {
            truncate(&mut title, MOST_NAME);
            title
        });
        let bytes = name.len() + description.len() + schema.len();
        if self.definitions.len() >= MOST_TOOLS || self.bytes + bytes > MOST_TOGETHER {
            self.over += 1;
            return;
        }
        self.bytes += bytes;
        self.names.insert(name.clone());
        let said = tool.annotations.unwrap_or_default();
        let claims = Claims {
            read_only: said.read_only_hint,
            destructive: said.destructive_hint,
            idempotent: said.idempotent_hint,
            open_world: said.open_world_hint,
        };
        self.definitions.push(Definition { name, title, description, schema, claims });
    }

    /// The rest of the list isn't read.
    pub(super) fn is_full(&self) -> bool {
        self.over > 0
    }

    /// What was left out, in words; blank if nothing was.
    pub(super) fn cut(&self, more: bool) -> String {
        let mut words = Vec::new();
        if self.over > 0 || more {
            words.push(format!("only the first {} tools are used", self.definitions.len()));
        }
        for (count, what) in [
            (self.doubles, "named like another one and left out"),
            (self.unusable, "left out: no usable name, or a schema of more than 256 KiB"),
            (self.shortened, "described in more than 1 MiB, which is cut"),
        ] {
            match count {
                0 => {}
                1 => words.push(format!("1 tool {what}")),
                count => words.push(format!("{count} tools {what}")),
            }
        }
        words.join("; ")
    }
}

fn truncate(text: &mut String, most: usize) {
    let end = (0..=most.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    text.truncate(end);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn tool(name: &str, description: String) -> Tool {
        Tool::new(name.to_owned(), description, Arc::new(serde_json::Map::new()))
    }

    #[test]
    fn a_flood_is_cut_and_the_cut_is_said() {
        let mut many = Listing::default();
        for number in 0..10_000 {
            many.push(tool(&format!("t{number}"), String::new()));
        }
        assert_eq!((many.definitions.len(), many.is_full()), (MOST_TOOLS, true));
        assert_eq!(many.cut(false), "only the first 2000 tools are used");

        let mut large = Listing::default();
        for number in 0..30 {
            large.push(tool(&format!("t{number}"), "é".repeat(5 * 1024 * 1024 / 2)));
        }
        let bytes: usize = large.definitions.iter().map(|one| one.description.len()).sum();
        assert!(bytes <= MOST_TOGETHER && large.is_full(), "{bytes}");
        assert!(large.definitions.iter().all(|one| one.description.len() <= MOST_DESCRIPTION));

        let mut odd = Listing::default();
        let mut schema = serde_json::Map::new();
        schema.insert("description".to_owned(), "x".repeat(MOST_SCHEMA).into());
        odd.push(Tool::new("huge", "", Arc::new(schema)));
        odd.push(tool("", String::new()));
        odd.push(tool("twice", "first".to_owned()));
        odd.push(tool("twice", "second".to_owned()));
        assert_eq!(odd.definitions.iter().map(|one| one.description.as_str()).collect::<Vec<_>>(), ["first"]);
        assert_eq!(
            odd.cut(false),
            "1 tool named like another one and left out; 2 tools left out: no usable name, or a schema of more than 256 KiB"
        );
    }
}
