//! Typed input: whether a schema can be asked, and whether what a person filled in fits it (D-49, D-50).
//!
//! Declared keys come only from the person, undeclared keys only from the model (N-48). A schema that came from a server is
//! hostile: nothing is fetched for it, it has no references, and its patterns run in linear time.

use std::collections::BTreeSet;

use countersign_core::call::Call;
use countersign_core::input::{DataCheck, FieldFault};
use countersign_core::parse::{self, Tree};
use countersign_core::request::Held;
use countersign_core::tool::{ASK_USER, Origin};
use jsonschema::{PatternOptions, Validator};
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
    let whole = |text: String| vec![FieldFault { field: String::new(), text }];
    // A stored schema that can't be read means that nothing fits, never that anything does (N-50).
    let Question { declared, required, validator } = match schema.map(read) {
        Some(Ok(read)) => read,
        Some(Err(why)) => return Err(whole(why)),
        None => return Err(whole("this question can't be read any more".to_owned())),
    };
    let given = match parse::arguments(value) {
        Ok(Tree::Object(_)) => serde_json::from_str::<Value>(value).ok(),
        Ok(Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::Text(_) | Tree::List(_)) | Err(_) => None,
    };
    let Some(Value::Object(given)) = given else {
        return Err(whole("an object with the answers was expected".to_owned()));
    };
    let data = Value::Object(coerce(&declared, &required, given));
    let faults: Vec<FieldFault> = validator
        .iter_errors(&data)
        .map(|error| FieldFault {
            field: field_of(&error.instance_path().to_string(), &error.to_string(), &declared),
            text: error.to_string().chars().take(MOST_WORDS).collect(),
        })
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

/// The field that a fault belongs to: the first part of its place, or the missing key that its words name.
fn field_of(place: &str, words: &str, declared: &Map<String, Value>) -> String {
    let first = place.trim_start_matches('/').split('/').next().unwrap_or_default();
    if !first.is_empty() {
        return first.to_owned();
    }
    declared.keys().find(|key| words.contains(&format!("\"{key}\""))).cloned().unwrap_or_default()
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
