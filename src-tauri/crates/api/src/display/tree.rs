//! Arguments as a tree of keys and values. No key is hidden, and a number stays what was written.

use countersign_core::parse::Tree;

use super::text::{safe, words};
use crate::wire::payload::{Node, NodeValue};
use crate::wire::text::Shown;

/// The pairs of an object, the items of a list, or one node without a key for a bare value.
pub fn nodes(tree: &Tree) -> Vec<Node> {
    match value(tree) {
        NodeValue::Object { nodes } | NodeValue::List { nodes } => nodes,
        bare @ (NodeValue::Text { .. } | NodeValue::Literal { .. }) => vec![Node { key: Shown::new(), value: bare }],
    }
}

// INVARIANT: the strict reader bounds the depth, so this recursion does.
fn value(tree: &Tree) -> NodeValue {
    let literal = |text: &str| NodeValue::Literal { text: text.to_owned() };
    match tree {
        Tree::Null => literal("null"),
        Tree::Bool(true) => literal("true"),
        Tree::Bool(false) => literal("false"),
        Tree::Number(number) => literal(number),
        Tree::Text(text) => NodeValue::Text { text: safe(text) },
        Tree::List(items) => {
            let nodes = items
                .iter()
                .enumerate()
                .map(|(index, item)| Node { key: words(index.to_string()), value: value(item) });
            NodeValue::List { nodes: nodes.collect() }
        }
        Tree::Object(pairs) => {
            let nodes = pairs.iter().map(|(key, item)| Node { key: safe(key), value: value(item) });
            NodeValue::Object { nodes: nodes.collect() }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_literals_stay() {
        let tree = countersign_core::parse::parse(r#"{"a\u202e":[9007199254740993,"x"],"n":null}"#).unwrap();
        let nodes = nodes(&tree);
        let keys: Vec<String> = nodes.iter().map(|node| super::super::text::plain(&node.key)).collect();
        assert_eq!(keys, ["a⟨U+202E right-to-left override⟩", "n"]);
        let NodeValue::List { nodes: items } = &nodes[0].value else { panic!("a list stays a list") };
        assert_eq!(items[0].value, NodeValue::Literal { text: "9007199254740993".to_owned() });
    }
}
