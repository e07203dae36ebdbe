//! Typed input: whether a schema can be asked, and whether what a person filled in fits it (D-49, D-50).
//!
//! Declared keys come only from the person, undeclared keys only from the model (N-48). A schema that came from a server is
//! hostile: nothing is fetched for it, it has no references, and its patterns run in linear time.

use std::collections::BTreeSet;

use countersign_core::call::Call;
use countersign_core::input::{DataCheck, DataFault, DataKind, FieldFault};
use countersign_core::parse::{self, Tree};
use countersign_core::request::Held;
use countersign_core::tool::{ASK_USER, Origin};
use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, PatternOptions, ValidationError, Validator};
use serde_json::{Map, Value};

/// The largest schema that is asked, in bytes.
const MOST_SCHEMA: usize = 64 * 1024;
/// The longest text about a fault.
const MOST_WORDS: usize = 200;

/// Checks that a schema can be asked: an object with at least one property, of bounded size, that compiles (N-44, N-56).
///
/// # Errors
/// Words for the model.
pub fn usable(schema: &str) -> Result<(), String> {
    read(schema).map(|_| ())
}

/// What data amounts to for a call that asked for it. Data that doesn't fit closes nothing and can be sent again.
pub fn check(call: &Call, value: &str) -> DataCheck {
    let (declared, data) = match filled_in(call.schema.as_deref(), value) {
        Ok(filled_in) => filled_in,
        Err(faults) => return DataCheck::Invalid(faults),
    };
    let is_ask_user = call.tool == ASK_USER
        && call.identity.as_ref().is_some_and(|identity| matches!(identity.origin, Origin::BuiltIn { .. }));
    if is_ask_user { DataCheck::Result(data.to_string()) } else { DataCheck::Execute(overlay(call, &declared, &data)) }
}

/// What data amounts to for a question that a server holds open: the server gets it as it is, whatever its call is (D-86).
pub fn check_held(held: &Held, value: &str) -> DataCheck {
    match filled_in(Some(&held.schema), value) {
        Ok((_, data)) => DataCheck::Result(data.to_string()),
        Err(faults) => DataCheck::Invalid(faults),
    }
}

/// What was filled in, read as the schema declares it, and the declared keys; or what doesn't fit.
fn filled_in(schema: Option<&str>, value: &str) -> Result<(Map<String, Value>, Value), Vec<FieldFault>> {
    let whole = |fault: DataFault| vec![FieldFault { field: String::new(), fault }];
    // A stored schema that can't be read means that nothing fits, never that anything does (N-50).
    let Some(Ok(Question { declared, required, validator })) = schema.map(read) else {
        return Err(whole(DataFault::Unreadable));
    };
    let given = match parse::arguments(value) {
        Ok(Tree::Object(_)) => serde_json::from_str::<Value>(value).ok(),
        Ok(Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::Text(_) | Tree::List(_)) | Err(_) => None,
    };
    let Some(Value::Object(given)) = given else {
        return Err(whole(DataFault::NotAnObject));
    };
    let data = Value::Object(coerce(&declared, &required, given));
    let faults: Vec<FieldFault> = validator
        .iter_errors(&data)
        .map(|error| FieldFault { field: field_of(&error), fault: fault_of(error.kind()) })
        .collect();
    if faults.is_empty() { Ok((declared, data)) } else { Err(faults) }
}

/// A schema that can be asked.
struct Question {
    declared: Map<String, Value>,
    required: BTreeSet<String>,
    validator: Validator,
}

fn read(schema: &str) -> Result<Question, String> {
    if schema.len() > MOST_SCHEMA {
        return Err("the question is too large".to_owned());
    }
    let value: Value =
        serde_json::from_str(schema).map_err(|error| format!("the question's schema is no JSON: {error}"))?;
    let properties = value.get("properties").and_then(Value::as_object).filter(|properties| !properties.is_empty());
    let (Some(properties), Some("object")) = (properties, value.get("type").and_then(Value::as_str)) else {
        return Err("the question's schema is no object with properties".to_owned());
    };
    if refers(&value) {
        return Err("the question's schema refers to other places".to_owned());
    }
    let validator = jsonschema::options().with_pattern_options(PatternOptions::regex()).build(&value);
    let validator = validator.map_err(|error| {
        format!(
            "the question's schema can't be used: {}",
            error.to_string().chars().take(MOST_WORDS).collect::<String>()
        )
    })?;
    let required = value.get("required").and_then(Value::as_array).into_iter().flatten();
    let required = required.filter_map(Value::as_str).map(str::to_owned).collect();
    Ok(Question { declared: properties.clone(), required, validator })
}

/// Whether a schema has references. A form needs none, and with them a short schema can take for ever to check.
fn refers(schema: &Value) -> bool {
    match schema {
        Value::Object(pairs) => pairs
            .iter()
            .any(|(key, value)| matches!(key.as_str(), "$ref" | "$dynamicRef" | "$recursiveRef") || refers(value)),
        Value::Array(items) => items.iter().any(refers),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// A form posts text; the declared type says what it means. What can't be read as its type is left to fail (N-55).
fn coerce(declared: &Map<String, Value>, required: &BTreeSet<String>, given: Map<String, Value>) -> Map<String, Value> {
    let mut data = Map::new();
    let mut given = given;
    for (key, schema) in declared {
        let kind = schema.get("type").and_then(Value::as_str).unwrap_or_default();
        let value = match (given.remove(key), kind) {
            (Some(Value::String(text)), "integer" | "number") if text.trim().is_empty() => None,
            (Some(Value::String(text)), "integer") => {
                Some(text.trim().parse::<i64>().map_or(Value::String(text), Value::from))
            }
            // A whole number stays whole, or a long one would become its neighbour.
            (Some(Value::String(text)), "number") => {
                let whole = text.trim().parse::<i64>().ok().map(serde_json::Number::from);
                let number = whole.or_else(|| text.trim().parse::<f64>().ok().and_then(serde_json::Number::from_f64));
                Some(number.map_or(Value::String(text), Value::Number))
            }
            (Some(Value::String(text)), "boolean") => Some(match text.as_str() {
                "true" | "on" => Value::Bool(true),
                "false" | "off" | "" => Value::Bool(false),
                _ => Value::String(text),
            }),
            (Some(value), _) => Some(value),
            // A form says nothing of a box that isn't ticked.
            (None, "boolean") if required.contains(key) => Some(Value::Bool(false)),
            (None, _) => None,
        };
        data.extend(value.map(|value| (key.clone(), value)));
    }
    data
}

/// The argument text that runs: declared keys from the person, all others from the model.
fn overlay(call: &Call, declared: &Map<String, Value>, data: &Value) -> String {
    let mut pairs = match parse::parse(&data.to_string()) {
        Ok(Tree::Object(pairs)) => pairs,
        Ok(Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::Text(_) | Tree::List(_)) | Err(_) => Vec::new(),
    };
    if let Ok(Tree::Object(of_model)) = parse::arguments(&call.arguments) {
        pairs.extend(of_model.into_iter().filter(|(key, _)| !declared.contains_key(key)));
    }
    parse::to_text(&Tree::Object(pairs))
}

/// The field that a fault belongs to: the first part of its place, or the key that is missing.
fn field_of(error: &ValidationError<'_>) -> String {
    let place = error.instance_path().to_string();
    let first = place.trim_start_matches('/').split('/').next().unwrap_or_default();
    match error.kind() {
        ValidationErrorKind::Required { property } if first.is_empty() => {
            property.as_str().unwrap_or_default().to_owned()
        }
        // A pointer writes these two in its own way.
        _ => first.replace("~1", "/").replace("~0", "~"),
    }
}

/// What the validator found, by name. The numbers and patterns are the asker's; its kinds may grow, so the rest is one.
fn fault_of(kind: &ValidationErrorKind) -> DataFault {
    let short = |text: &str| text.chars().take(MOST_WORDS).collect::<String>();
    match kind {
        ValidationErrorKind::Required { .. } => DataFault::Missing,
        ValidationErrorKind::Enum { .. } | ValidationErrorKind::Constant { .. } => DataFault::NotAChoice,
        ValidationErrorKind::Type { kind: TypeKind::Single(kind) } => DataFault::NotA(kind_of(*kind)),
        ValidationErrorKind::Minimum { limit } => DataFault::Below(short(&limit.to_string())),
        ValidationErrorKind::ExclusiveMinimum { limit } => DataFault::NotAbove(short(&limit.to_string())),
        ValidationErrorKind::Maximum { limit } => DataFault::Above(short(&limit.to_string())),
        ValidationErrorKind::ExclusiveMaximum { limit } => DataFault::NotBelow(short(&limit.to_string())),
        ValidationErrorKind::MultipleOf { multiple_of } => DataFault::NotAMultiple(short(&multiple_of.to_string())),
        ValidationErrorKind::MinLength { limit } => DataFault::TooShort(*limit),
        ValidationErrorKind::MaxLength { limit } => DataFault::TooLong(*limit),
        ValidationErrorKind::MinItems { limit } => DataFault::TooFew(*limit),
        ValidationErrorKind::MaxItems { limit } => DataFault::TooMany(*limit),
        ValidationErrorKind::UniqueItems => DataFault::Twice,
        ValidationErrorKind::Pattern { pattern } => DataFault::Pattern(short(pattern)),
        ValidationErrorKind::Format { format } => DataFault::Format(short(format)),
        ValidationErrorKind::AdditionalProperties { .. } | ValidationErrorKind::UnevaluatedProperties { .. } => {
            DataFault::NotAsked
        }
        _ => DataFault::Other,
    }
}

fn kind_of(kind: JsonType) -> DataKind {
    match kind {
        JsonType::String => DataKind::Text,
        JsonType::Integer => DataKind::Whole,
        JsonType::Number => DataKind::Number,
        JsonType::Boolean => DataKind::YesNo,
        JsonType::Array => DataKind::List,
        JsonType::Object => DataKind::Object,
        JsonType::Null => DataKind::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use countersign_core::call::{CallState, Warrant};
    use countersign_core::ids::{AgentId, CallId, MessageId, RunId};
    use countersign_core::tool::{Effect, Marks, ToolIdentity};

    use super::*;

    const SCHEMA: &str = r#"{"type":"object","properties":{"branch":{"type":"string","enum":["main","next"]},
        "days":{"type":"integer","minimum":1,"maximum":90},"drafts":{"type":"boolean"}},"required":["branch"]}"#;

    fn call(tool: &str, schema: &str, arguments: &str) -> Call {
        let origin = Origin::BuiltIn { agent: AgentId([1; 16]), root: "/w".to_owned() };
        Call {
            id: CallId([1; 16]),
            message: MessageId([1; 16]),
            position: 0,
            provider_id: "p".to_owned(),
            tool: tool.to_owned(),
            identity: Some(ToolIdentity { origin, name: tool.to_owned() }),
            effect: Effect::Read,
            marks: Marks::default(),
            arguments: arguments.to_owned(),
            schema: Some(schema.to_owned()),
            executed: None,
            exact: String::new(),
            preconditions: Vec::new(),
            proposed_by: RunId([1; 16]),
            mode: countersign_core::mode::Mode::Default,
            state: CallState::Approved(Warrant::NotNeeded),
        }
    }

    fn faults(check: DataCheck) -> Vec<String> {
        match check {
            DataCheck::Invalid(faults) => faults.into_iter().map(|fault| fault.field).collect(),
            DataCheck::Result(_) | DataCheck::Execute(_) => Vec::new(),
        }
    }

    /// N-47, D-50: each fault names its field.
    #[test]
    fn what_does_not_fit_says_which_field() {
        let ask = call(ASK_USER, SCHEMA, "{}");
        assert_eq!(faults(check(&ask, "{}")), ["branch"], "a required key is missing");
        assert_eq!(faults(check(&ask, r#"{"branch":"other"}"#)), ["branch"]);
        assert_eq!(faults(check(&ask, r#"{"branch":"main","days":"lots"}"#)), ["days"], "left to fail");
        assert_eq!(faults(check(&ask, r#"{"branch":"main","days":91}"#)), ["days"]);
        assert_eq!(faults(check(&ask, "[]")), [""]);
        assert_eq!(faults(check(&ask, "{\"branch\":\"main\",\"branch\":\"next\"}")), [""], "a key stands twice");
    }

    /// D-50: what is wrong is a value, so that each person is told it in their language.
    #[test]
    fn what_does_not_fit_is_named_and_not_worded() {
        let of = |schema: &str, value: &str| {
            let schema = format!(r#"{{"type":"object","properties":{{"a/b":{schema}}},"required":["a/b"]}}"#);
            match check(&call(ASK_USER, &schema, "{}"), value) {
                DataCheck::Invalid(faults) => faults,
                DataCheck::Result(_) | DataCheck::Execute(_) => Vec::new(),
            }
        };
        for (schema, value, fault) in [
            (r#"{"type":"string"}"#, "{}", DataFault::Missing),
            (r#"{"enum":["x"]}"#, r#"{"a/b":"y"}"#, DataFault::NotAChoice),
            (r#"{"const":"x"}"#, r#"{"a/b":"y"}"#, DataFault::NotAChoice),
            (r#"{"type":"integer"}"#, r#"{"a/b":"lots"}"#, DataFault::NotA(DataKind::Whole)),
            (r#"{"type":"array"}"#, r#"{"a/b":"x"}"#, DataFault::NotA(DataKind::List)),
            (r#"{"minimum":2}"#, r#"{"a/b":1}"#, DataFault::Below("2".to_owned())),
            (r#"{"exclusiveMinimum":1}"#, r#"{"a/b":1}"#, DataFault::NotAbove("1".to_owned())),
            (r#"{"maximum":2}"#, r#"{"a/b":3}"#, DataFault::Above("2".to_owned())),
            (r#"{"exclusiveMaximum":3}"#, r#"{"a/b":3}"#, DataFault::NotBelow("3".to_owned())),
            (r#"{"multipleOf":5}"#, r#"{"a/b":3}"#, DataFault::NotAMultiple("5".to_owned())),
            (r#"{"minLength":2}"#, r#"{"a/b":"x"}"#, DataFault::TooShort(2)),
            (r#"{"maxLength":1}"#, r#"{"a/b":"xx"}"#, DataFault::TooLong(1)),
            (r#"{"minItems":1}"#, r#"{"a/b":[]}"#, DataFault::TooFew(1)),
            (r#"{"maxItems":1}"#, r#"{"a/b":[1,2]}"#, DataFault::TooMany(1)),
            (r#"{"uniqueItems":true}"#, r#"{"a/b":[1,1]}"#, DataFault::Twice),
            (r#"{"pattern":"^x"}"#, r#"{"a/b":"y"}"#, DataFault::Pattern("^x".to_owned())),
            (r#"{"not":{}}"#, r#"{"a/b":"y"}"#, DataFault::Other),
        ] {
            assert_eq!(of(schema, value), [FieldFault { field: "a/b".to_owned(), fault }], "{schema}");
        }
    }

    /// N-55, D-107: text of a form becomes what the schema declares; an answer is the result.
    #[test]
    fn a_form_posts_text() {
        let ask = call(ASK_USER, SCHEMA, "{}");
        let filled = check(&ask, r#"{"branch":"main","days":" 14 ","drafts":"on","extra":"dropped"}"#);
        assert_eq!(filled, DataCheck::Result(r#"{"branch":"main","days":14,"drafts":true}"#.to_owned()));
        let blank = check(&ask, r#"{"branch":"main","days":""}"#);
        assert_eq!(blank, DataCheck::Result(r#"{"branch":"main"}"#.to_owned()), "a blank optional number is left out");
        let boxes = r#"{"type":"object","properties":{"sure":{"type":"boolean"},"all":{"type":"boolean"},
            "n":{"type":"number"}},"required":["sure"]}"#;
        let filled = check(&call(ASK_USER, boxes, "{}"), r#"{"n":"9007199254740993"}"#);
        let expected = r#"{"sure":false,"n":9007199254740993}"#;
        assert_eq!(filled, DataCheck::Result(expected.to_owned()), "a required box that isn't ticked says no");
    }

    /// N-48: the person's word for declared keys, the model's for all others.
    #[test]
    fn declared_keys_are_the_persons_and_the_others_the_models() {
        let other = call("deploy", SCHEMA, r#"{"branch":"next","scope":9007199254740993,"days":3}"#);
        let filled = check(&other, r#"{"branch":"main","scope":"mine"}"#);
        assert_eq!(filled, DataCheck::Execute(r#"{"branch":"main","scope":9007199254740993}"#.to_owned()));
    }

    /// N-44, N-50, N-56: what can't be asked is never taken for "anything fits".
    #[test]
    fn a_shapeless_schema_asks_nothing_and_fits_nothing() {
        for schema in
            ["", "{}", "true", r#"{"type":"object"}"#, r#"{"type":"object","properties":{}}"#, r#"{"type":"string"}"#]
        {
            assert!(usable(schema).is_err(), "`{schema}` can't be asked");
            assert!(!faults(check(&call(ASK_USER, schema, "{}"), "{}")).is_empty(), "`{schema}` fits nothing");
        }
        let elsewhere = r#"{"type":"object","properties":{"a":{"$ref":"http://127.0.0.1:1/x"}}}"#;
        assert!(usable(elsewhere).is_err(), "nothing is fetched for a schema");
    }

    /// N-56: checking takes time by the length of the schema. A few references each to two others would take hours.
    #[test]
    fn a_schema_that_refers_to_others_is_no_question() {
        let more: Vec<String> = (1..=40)
            .map(|n| format!(r##""d{}":{{"allOf":[{{"$ref":"#/$defs/d{n}"}},{{"$ref":"#/$defs/d{n}"}}]}}"##, n - 1))
            .collect();
        let more = more.join(",");
        let wide = format!(
            r##"{{"type":"object","properties":{{"a":{{"$ref":"#/$defs/d0"}}}},"$defs":{{{more},"d40":{{}}}}}}"##
        );
        let round = r##"{"type":"object","properties":{"a":{}},"allOf":[{"$dynamicRef":"#"}]}"##;
        for schema in [wide.as_str(), round] {
            assert!(usable(schema).is_err());
            assert_eq!(faults(check(&call(ASK_USER, schema, "{}"), r#"{"a":"x"}"#)), [""], "it fits nothing");
        }
    }
}
