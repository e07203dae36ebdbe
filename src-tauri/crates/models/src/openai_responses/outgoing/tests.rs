//! Each way in which items could be wrong is known here, and refused by the provider where it would be.

use std::sync::Arc;

use countersign_core::agent::WireFormat;
use countersign_core::transcript::ViewResult;

use super::*;
use crate::openai_responses::message::request;
use crate::strict::Strict;
use crate::wish::{Extra, Wish};

const R1: &str = r#"{"id":"rs_1","type":"reasoning", "summary":[],"encrypted_content":"one+/=\u00e9"}"#;
const A: &str = r#"{"type":"function_call", "call_id":"a","name":"t","arguments":"{\"n\":9007199254740993}"}"#;
const R2: &str = r#"{"id":"rs_2","type":"reasoning", "summary":[],"encrypted_content":"two"}"#;
const B: &str = r#"{"type":"function_call", "call_id":"b","name":"t","arguments":"{}","new":1.0}"#;
const M: &str =
    r#"{"type":"message", "role":"assistant","content":[{"type":"output_text","text":"w","annotations":[]}]}"#;

fn call(id: &str, position: u32) -> ViewCall {
    ViewCall { provider_id: id.to_owned(), position, name: "t".to_owned(), arguments: "{}".to_owned() }
}

fn results(ids: &[&str]) -> ViewItem {
    let result = |id: &&str| ViewResult { provider_id: (*id).to_owned(), text: "r".to_owned() };
    ViewItem::Results(ids.iter().map(result).collect())
}

fn turn(raw: Option<&str>, calls: Vec<ViewCall>, dropped: usize) -> ViewItem {
    ViewItem::Assistant { text: "w".to_owned(), raw: raw.map(str::to_owned), calls, dropped }
}

fn prompt(items: Vec<ViewItem>) -> Prompt {
    Prompt { system: "s".to_owned(), messages: items.into_iter().map(Arc::new).collect(), tools: Vec::new() }
}

fn provider() -> Strict {
    let mut provider = Strict::default();
    for item in [R1, R2] {
        provider.sign(&serde_json::from_str(item).unwrap());
    }
    provider
}

/// D-108: reasoning goes with the item that follows it, and everything else keeps its bytes.
#[test]
fn dropped_calls_take_their_reasoning_along() {
    let raw = format!("[{M},{R1},{A},{R2},{B}]");
    for (calls, dropped, left) in [
        (vec![call("a", 0), call("b", 1)], 0, format!("{M},{R1},{A},{R2},{B}")),
        (vec![call("b", 1)], 1, format!("{M},{R2},{B}")),
        (vec![call("a", 0)], 1, format!("{M},{R1},{A}")),
        (vec![], 2, M.to_owned()),
    ] {
        let ids: Vec<String> = calls.iter().map(|call| call.provider_id.clone()).collect();
        let mut items = vec![ViewItem::User { text: "u".to_owned() }, turn(Some(&raw), calls, dropped)];
        if !ids.is_empty() {
            items.push(results(&ids.iter().map(String::as_str).collect::<Vec<_>>()));
        }
        let prompt = prompt(items);
        let body = request("m", &prompt, Wish::default()).unwrap();
        assert!(body.contains(&format!("{{\"role\":\"user\",\"content\":\"u\"}},{left}")), "{left} is not in {body}");
        assert_eq!(check(&body, &prompt), Ok(()));
        assert_eq!(provider().accepts(WireFormat::OpenAiResponses, &serde_json::from_str(&body).unwrap()), Ok(()));
    }
}

#[test]
fn a_turn_of_another_format_is_rebuilt_with_ids_of_its_own() {
    let foreign = r#"{"role":"assistant","content":"w","tool_calls":[{"id":"functions.t:0"}]}"#;
    let mut called = call("functions.t:0", 0);
    called.name = "no such/tool".to_owned();
    for raw in [None, Some(foreign), Some("no json"), Some("[1]")] {
        let prompt = prompt(vec![
            ViewItem::User { text: "u".to_owned() },
            turn(raw, vec![called.clone()], 0),
            results(&["functions.t:0"]),
        ]);
        let wish = Wish { extra: Extra::NotAsked, ..Wish::default() };
        let body = request("m", &prompt, wish).unwrap();
        assert_eq!(
            body,
            concat!(
                r#"{"model":"m","instructions":"s","input":[{"role":"user","content":"u"},{"role":"assistant","content":"w"},"#,
                r#"{"type":"function_call","call_id":"call_1_0","name":"no_such_tool","arguments":"{}"},"#,
                r#"{"type":"function_call_output","call_id":"call_1_0","output":"r"}],"stream":true,"store":false}"#
            )
        );
        assert_eq!(check(&body, &prompt), Ok(()));
        assert_eq!(provider().accepts(WireFormat::OpenAiResponses, &serde_json::from_str(&body).unwrap()), Ok(()));
    }
}

/// b.6.6, CL-5, D-108, L-034, L-055
#[test]
fn a_bad_request_is_known() {
    let raw = format!("[{R1},{A},{R2},{B}]");
    let good = prompt(vec![
        ViewItem::User { text: "u".to_owned() },
        turn(Some(&raw), vec![call("a", 0), call("b", 1)], 0),
        results(&["a", "b"]),
        turn(Some(&raw.replace(r#""a""#, r#""c""#).replace(r#""b""#, r#""d""#)), vec![call("d", 1)], 1),
        results(&["d"]),
    ]);
    let body = request("m", &good, Wish::default()).unwrap();
    assert_eq!(check(&body, &good), Ok(()));
    let output = |id: &str| format!(r#"{{"type":"function_call_output","call_id":"{id}","output":"r"}}"#);
    for (what, from, to, expected, refused) in [
        ("a result is missing", format!("{},", output("a")), String::new(), BadRequest::Results { at: 5 }, true),
        ("a result of another call", output("d"), output("a"), BadRequest::Results { at: 9 }, true),
        ("a seal that was changed", "one+/=".to_owned(), "one-_=".to_owned(), BadRequest::Rewritten { at: 1 }, true),
        ("an escape", "\\u00e9".to_owned(), "é".to_owned(), BadRequest::Rewritten { at: 1 }, false),
        ("a number", "\"new\":1.0".to_owned(), "\"new\":1".to_owned(), BadRequest::Rewritten { at: 1 }, false),
        ("reasoning without its call", format!("{A},"), String::new(), BadRequest::Rewritten { at: 1 }, true),
        ("reasoning is gone", format!("{R2},{B}"), B.to_owned(), BadRequest::Rewritten { at: 1 }, false),
        (
            "it would be stored",
            "\"store\":false".to_owned(),
            "\"store\":true".to_owned(),
            BadRequest::Unreadable("it would be stored at the provider".to_owned()),
            true,
        ),
    ] {
        assert!(body.contains(&from), "{from} is not in {body}");
        let changed = body.replacen(&from, &to, 1);
        assert_eq!(check(&changed, &good), Err(expected), "{what}");
        let taken = provider().accepts(WireFormat::OpenAiResponses, &serde_json::from_str(&changed).unwrap());
        assert_eq!(taken.is_err(), refused, "{what}: {taken:?}");
    }
    let more = body.replacen(r#"],"stream""#, r#",{"role":"user","content":"more"}],"stream""#, 1);
    assert_eq!(check(&more, &good), Err(BadRequest::Length { found: 11, expected: 10 }));
    assert!(matches!(check("no json", &good), Err(BadRequest::Unreadable(_))));
}
