//! Whether arguments reach a server as they were shown. They go through a JSON library that holds numbers as 64 bits; one
//! that doesn't fit would arrive as its neighbour, so the call is refused instead (AS-3).

use countersign_core::parse::Tree;
use serde_json::{Map, Value};

/// The arguments as they are sent, in the order in which the model wrote them.
///
/// # Errors
/// Words for the model, if a number can't be sent as it stands.
pub(super) fn arguments(tree: &Tree, text: &str) -> Result<Map<String, Value>, String> {
    faithful(tree)?;
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) | Err(_) => Err("the arguments are no JSON object".to_owned()),
    }
}

fn faithful(tree: &Tree) -> Result<(), String> {
    match tree {
        Tree::Number(text) if !survives(text) => {
            let short: String = text.chars().take(60).collect();
            Err(format!(
                "the number {short} can't be sent to this server exactly; send it as text if the tool takes that"
            ))
        }
        Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::Text(_) => Ok(()),
        Tree::List(items) => items.iter().try_for_each(faithful),
        Tree::Object(pairs) => pairs.iter().try_for_each(|(_, value)| faithful(value)),
    }
}

/// Whether a number is the same after it was read into 64 bits and written again.
fn survives(text: &str) -> bool {
    match serde_json::from_str::<serde_json::Number>(text) {
        Ok(number) => digits(&number.to_string()) == digits(text),
        Err(_) => false,
    }
}

/// Sign, significant digits and exponent: equal for two spellings of one number and for nothing else.
fn digits(text: &str) -> Option<(bool, String, i64)> {
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let significant = all.trim_start_matches('0');
    let trimmed = significant.trim_end_matches('0');
    if trimmed.is_empty() {
        return Some((false, "0".to_owned(), 0));
    }
    let zeros = i64::try_from(significant.len() - trimmed.len()).ok()?;
    let fraction = i64::try_from(fraction.len()).ok()?;
    Some((negative, trimmed.to_owned(), exponent.checked_sub(fraction)?.checked_add(zeros)?))
}

#[cfg(test)]
mod tests {
    use countersign_core::parse;

    use super::*;

    #[test]
    fn a_number_that_would_become_its_neighbour_is_refused() {
        for (number, survives) in [
            ("0", true),
            ("-0", true),
            ("9007199254740993", true),
            ("18446744073709551615", true),
            ("18446744073709551616", false),
            ("123456789012345678901234567890", false),
            ("1e2", true),
            ("1.50", true),
            ("0.1", true),
            ("0.1000000000000000055511151231257827", false),
            ("1e400", false),
            ("-9223372036854775809", false),
            ("1E+3", true),
        ] {
            let text = format!(r#"{{"a":{{"b":[{number}]}}}}"#);
            let tree = parse::arguments(&text).unwrap();
            assert_eq!(arguments(&tree, &text).is_ok(), survives, "{number}");
        }
    }

    #[test]
    fn the_order_of_keys_stays() {
        let text = r#"{"z":1,"a":{"y":2,"b":3}}"#;
        let sent = arguments(&parse::arguments(text).unwrap(), text).unwrap();
        assert_eq!(serde_json::to_string(&sent).unwrap(), text);
    }
}
