//! A question as a form: one field a declared key, in the schema's order. Everything that the asker wrote is displayed text.

use countersign_core::parse::{self, Tree};

use super::long::{Cut as _, Whole};
use super::payload::Displayed;
use super::text::{one_line, safe, words};
use super::tree::Rows;
use crate::wire::payload::{Field, FieldKind, FieldOption, Payload};
use crate::wire::text::Shown;
use crate::words::say;

/// The longest label, option or default.
const WIDTH: usize = 80;
/// Text that may be longer than this gets a large field.
const SHORT: u64 = 120;
/// Parts of a key that make it look like a secret.
const SECRETS: [&str; 6] = ["password", "passwd", "passphrase", "secret", "token", "credential"];

/// The form of what a server asks in the middle of a call: its message, and the fields that it declares (D-86).
pub fn held(schema: &str, message: &str, server: &str) -> Payload {
    let Some(fields) = fields(schema) else { return unreadable() };
    let question = (!message.trim().is_empty()).then(|| safe(message));
    Payload::Question { question, fields, tool: one_line(server, WIDTH), others: Rows::default().long() }
}

/// The form of a question. A schema that can't be read shows as such, never as an empty form (N-56).
pub(crate) fn of(schema: &str, tool: &str, arguments: &str) -> Displayed {
    let Ok(schema) = parse::parse(schema) else { return Displayed::short(unreadable()) };
    let Some(Tree::Object(properties)) = schema.get("properties") else { return Displayed::short(unreadable()) };
    let fields = fields_of(&schema, properties);
    let sent = parse::arguments(arguments).unwrap_or(Tree::Object(Vec::new()));
    let question = sent.get("question").and_then(Tree::as_text).map(safe);
    let others = match &sent {
        Tree::Object(pairs) => {
            let declared = |key: &str| properties.iter().any(|(name, _)| name == key);
            let kept = pairs.iter().filter(|(key, _)| key != "question" && key != "fields" && !declared(key));
            Rows::of(Tree::Object(kept.cloned().collect()))
        }
        Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::Text(_) | Tree::List(_) => Rows::default(),
    };
    let payload = Payload::Question { question, fields, tool: one_line(tool, WIDTH), others: others.long() };
    Displayed { main: Some(Whole::Nodes(others)), ..Displayed::short(payload) }
}

fn fields(schema: &str) -> Option<Vec<Field>> {
    let schema = parse::parse(schema).ok()?;
    match schema.get("properties") {
        Some(Tree::Object(properties)) => Some(fields_of(&schema, properties)),
        _ => None,
    }
}

fn fields_of(schema: &Tree, properties: &[(String, Tree)]) -> Vec<Field> {
    let required: Vec<&str> = match schema.get("required") {
        Some(Tree::List(keys)) => keys.iter().filter_map(Tree::as_text).collect(),
        _ => Vec::new(),
    };
    properties.iter().map(|(key, schema)| field(key, schema, required.contains(&key.as_str()))).collect()
}

fn unreadable() -> Payload {
    Payload::Unreadable { why: say().form_unreadable() }
}

fn field(key: &str, schema: &Tree, required: bool) -> Field {
    let text = |name: &str| schema.get(name).and_then(Tree::as_text);
    Field {
        key: key.to_owned(),
        label: one_line(text("title").unwrap_or(key), WIDTH),
        help: text("description").map(safe),
        required,
        kind: kind(schema),
        default: schema.get("default").map(scalar),
        secret: text("format") == Some("password") || looks_secret(key) || text("title").is_some_and(looks_secret),
    }
}

/// Whether what is called so looks like a secret. A name too many is masked before one too few.
pub(super) fn looks_secret(name: &str) -> bool {
    let lower = name.to_lowercase();
    let mut words = lower.split(|letter: char| !letter.is_alphanumeric());
    SECRETS.iter().any(|word| lower.contains(word)) || words.any(|word| word.ends_with("key") || word == "pin")
}

fn kind(schema: &Tree) -> FieldKind {
    if let Some(Tree::List(options)) = schema.get("enum") {
        return FieldKind::Choice { options: options.iter().map(option).collect() };
    }
    let text = |name: &str| schema.get(name).and_then(Tree::as_text);
    let literal = |name: &str| match schema.get(name) {
        Some(Tree::Number(literal)) => Some(literal.clone()),
        _ => None,
    };
    match text("type") {
        Some("string") if text("format") == Some("date") => FieldKind::Date,
        Some("string") => {
            let most = literal("maxLength").and_then(|most| most.parse::<u64>().ok());
            FieldKind::Text { long: most.is_some_and(|most| most > SHORT) || text("format") == Some("textarea") }
        }
        Some(kind @ ("integer" | "number")) => {
            FieldKind::Number { whole: kind == "integer", least: literal("minimum"), most: literal("maximum") }
        }
        Some("boolean") => FieldKind::Switch,
        Some("array") => match schema.get("items").and_then(|items| items.get("enum")) {
            Some(Tree::List(options)) => FieldKind::Many { options: options.iter().map(option).collect() },
            _ => json(schema),
        },
        _ => json(schema),
    }
}

fn json(schema: &Tree) -> FieldKind {
    FieldKind::Json { schema: safe(&parse::to_text(schema)) }
}

fn option(value: &Tree) -> FieldOption {
    FieldOption { value: parse::to_text(value), label: scalar(value) }
}

fn scalar(value: &Tree) -> Shown {
    match value {
        Tree::Text(text) => one_line(text, WIDTH),
        Tree::Number(literal) => words(literal.as_str()),
        Tree::Null | Tree::Bool(_) | Tree::List(_) | Tree::Object(_) => one_line(&parse::to_text(value), WIDTH),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r#"{"type":"object","properties":{
        "branch":{"type":"string","enum":["main","next"],"title":"Branch"},
        "days":{"type":"integer","minimum":1,"maximum":90},
        "drafts":{"type":"boolean","default":false},
        "notes":{"type":"string","maxLength":500},
        "since":{"type":"string","format":"date"},
        "tags":{"type":"array","items":{"enum":["a","b"]}},
        "api_key":{"type":"string"},
        "shape":{"type":"object"}},"required":["branch"]}"#;

    #[test]
    fn one_field_a_declared_key_in_order() {
        let Payload::Question { question, fields, others, .. } =
            of(SCHEMA, "ask_user", r#"{"question":"Which\u202e?","scope":"tickets","days":3}"#).payload
        else {
            panic!("a question was expected");
        };
        assert!(super::super::text::hidden_count(&question.unwrap()) == 1, "hostile text is displayed text");
        let keys: Vec<&str> = fields.iter().map(|field| field.key.as_str()).collect();
        assert_eq!(keys, ["branch", "days", "drafts", "notes", "since", "tags", "api_key", "shape"]);
        assert!(fields[0].required && !fields[1].required);
        assert!(matches!(&fields[0].kind, FieldKind::Choice { options } if options[0].value == "\"main\""));
        let days = FieldKind::Number { whole: true, least: Some("1".to_owned()), most: Some("90".to_owned()) };
        assert_eq!(fields[1].kind, days);
        assert_eq!((&fields[2].kind, fields[2].default.is_some()), (&FieldKind::Switch, true));
        assert_eq!(fields[3].kind, FieldKind::Text { long: true });
        assert_eq!(fields[4].kind, FieldKind::Date);
        assert!(matches!(fields[5].kind, FieldKind::Many { .. }));
        assert!(fields[6].secret);
        assert!(matches!(fields[7].kind, FieldKind::Json { .. }));
        assert_eq!(others.head.len(), 1, "what the agent sends along, and neither the question nor a declared key");
    }

    /// N-56.
    #[test]
    fn what_is_no_form_is_no_empty_form() {
        for schema in ["", "{}", "true", r#"{"type":"string"}"#] {
            assert!(matches!(of(schema, "ask_user", "{}").payload, Payload::Unreadable { .. }), "`{schema}`");
        }
    }
}
