//! Each way in which blocks could be wrong is known here, and refused by the provider where it would be.

use std::sync::Arc;

use countersign_core::agent::WireFormat;
use countersign_core::tool::{Effect, Marks, Origin, Tool, ToolIdentity};

use super::*;
use crate::anthropic_messages::message::request;
use crate::strict::Strict;
use crate::wish::Wish;

const T: &str = r#"{"type":"thinking", "thinking":"hm","signature":"one+/=\u00e9"}"#;
const X: &str = r#"{"type":"redacted_thinking", "data":"two"}"#;
const W: &str = r#"{"type":"text", "text":"w","citations":[1.0]}"#;
const A: &str = r#"{"type":"tool_use", "id":"a","name":"t","input":{"n":9007199254740993}}"#;
const B: &str = r#"{"type":"tool_use", "id":"b","name":"t","input":{"n":  2.0}}"#;

fn call(id: &str, position: u32) -> ViewCall {
    ViewCall { provider_id: id.to_owned(), position, name: "t".to_owned(), arguments: "{}".to_owned() }
}

fn results(ids: &[&str]) -> ViewItem {
    let result = |id: &&str| ViewResult { provider_id: (*id).to_owned(), text: "r".to_owned() };
    ViewItem::Results(ids.iter().map(result).collect())
}

fn user(text: &str) -> ViewItem {
    ViewItem::User { text: text.to_owned() }
}

fn turn(raw: Option<&str>, calls: Vec<ViewCall>, dropped: usize) -> ViewItem {
    ViewItem::Assistant { text: "w".to_owned(), raw: raw.map(str::to_owned), calls, dropped }
}

fn prompt(items: Vec<ViewItem>, tools: &[&str]) -> Prompt {
    let tool = |name: &&str| Tool {
        identity: ToolIdentity { origin: Origin::Conversation, name: (*name).to_owned() },
        description: "Looks.".to_owned(),
        parameters: r#"{"type":"object","maximum":9007199254740993}"#.to_owned(),
        effect: Effect::Read,
        marks: Marks::default(),
    };
    let messages = items.into_iter().map(Arc::new).collect();
    Prompt { system: "s".to_owned(), messages, tools: tools.iter().map(tool).collect() }
}

fn provider() -> Strict {
    let mut provider = Strict::default();
    for block in [T, X] {
        provider.sign(&serde_json::from_str(block).unwrap());
    }
    provider
}

fn said(blocks: &[&str]) -> String {
    format!(r#"{{"role":"assistant", "content":[{}]}}"#, blocks.join(","))
}

/// D-108: thinking goes with the last call that it led to, and everything else keeps its bytes.
#[test]
fn dropped_calls_take_their_thinking_along() {
    for (raw, calls, dropped, left) in [
        (&[T, X, W, A, B][..], &[0, 1][..], 0, &[T, X, W, A, B][..]),
        (&[T, X, W, A, B], &[1], 1, &[T, X, W, B]),
        (&[W, T, X, A, B], &[1], 1, &[W, T, X, B]),
        (&[W, T, A, X, B], &[1], 1, &[W, X, B]),
        (&[W, T, A, X, B], &[0], 1, &[W, T, A]),
        (&[W, T, X, A, B], &[], 2, &[W]),
        (&[T, W, A], &[], 1, &[T, W]),
    ] {
        let view: Vec<ViewCall> = calls.iter().map(|place| call(["a", "b"][*place as usize], *place)).collect();
        let ids: Vec<String> = view.iter().map(|call| call.provider_id.clone()).collect();
        let mut items = vec![user("u"), turn(Some(&said(raw)), view, dropped)];
        if !ids.is_empty() {
            items.push(results(&ids.iter().map(String::as_str).collect::<Vec<_>>()));
        }
        items.push(user("more"));
        let prompt = prompt(items, &["t"]);
        let body = request("m", &prompt, Wish::default()).unwrap();
        let expected = if dropped == 0 { said(left) } else { said(left).replacen(" \"content\"", "\"content\"", 1) };
        assert!(body.contains(&expected), "{expected} is not in {body}");
        assert_eq!(check(&body, &prompt), Ok(()));
        assert_eq!(provider().accepts(WireFormat::AnthropicMessages, &serde_json::from_str(&body).unwrap()), Ok(()));
    }
}

#[test]
fn marks_stand_where_nothing_changes_any_more() {
    let prompt = prompt(
        vec![
            user("one"),
            turn(None, vec![call("a", 0)], 0),
            results(&["a"]),
            user("two"),
            turn(None, vec![], 0),
            user(" "),
        ],
        &["t"],
    );
    let body = request("m", &prompt, Wish::default()).unwrap();
    assert_eq!(
        body,
        concat!(
            r#"{"model":"m","max_tokens":32000,"tools":[{"name":"t","description":"Looks.","input_schema":{"type":"object","maximum":9007199254740993}}],"#,
            r#""system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],"messages":["#,
            r#"{"role":"user","content":[{"type":"text","text":"one"}]},"#,
            r#"{"role":"assistant","content":[{"type":"text","text":"w"},{"type":"tool_use","id":"call_1_0","name":"t","input":{}}]},"#,
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1_0","content":"r"},"#,
            r#"{"type":"text","text":"two","cache_control":{"type":"ephemeral"}}]},"#,
            r#"{"role":"assistant","content":[{"type":"text","text":"w"}]},"#,
            r#"{"role":"user","content":[{"type":"text","text":"(nothing)","cache_control":{"type":"ephemeral"}}]}],"stream":true}"#
        )
    );
    assert_eq!(check(&body, &prompt), Ok(()));
}

#[test]
fn what_another_provider_took_is_made_fit() {
    let foreign = r#"{"role":"assistant","content":"w","tool_calls":[{"id":"functions.t:0"}]}"#;
    let mut broken = call("functions.t:0", 0);
    (broken.name, broken.arguments) = ("no such/tool".to_owned(), "{\"half".to_owned());
    for raw in [None, Some(foreign), Some("[1]"), Some("no json")] {
        // No tool is offered any more, and the turn's words are the end.
        let items = vec![
            user("u"),
            turn(raw, vec![broken.clone()], 0),
            results(&["functions.t:0"]),
            turn(raw, vec![broken.clone()], 0),
            results(&["functions.t:0"]),
            turn(raw, vec![], 1),
        ];
        let prompt = prompt(items, &[]);
        let body = request("m", &prompt, Wish::default()).unwrap();
        assert!(
            body.contains(r#""tools":[{"name":"no_such_tool","#) && body.contains(r#""tool_choice":{"type":"none"}"#)
        );
        assert!(body.contains(r#""id":"call_1_0","name":"no_such_tool","input":{"INVALID_JSON":"{\"half"}"#), "{body}");
        assert_eq!(check(&body, &prompt), Ok(()));
        assert_eq!(
            provider().accepts(WireFormat::AnthropicMessages, &serde_json::from_str(&body).unwrap()),
            Ok(()),
            "{body}"
        );
    }
}

/// b.6.6, CL-5, D-108, L-034, L-055
#[test]
fn a_bad_request_is_known() {
    let later = said(&[T, A, B]).replace(r#""a""#, r#""c""#).replace(r#""b""#, r#""d""#);
    let items = vec![
        user("u"),
        turn(Some(&said(&[T, X, W, A, B])), vec![call("a", 0), call("b", 1)], 0),
        results(&["a", "b"]),
        user("more"),
        turn(Some(&later), vec![call("d", 1)], 1),
        results(&["d"]),
    ];
    let good = prompt(items, &["t"]);
    let body = request("m", &good, Wish::default()).unwrap();
    assert_eq!(check(&body, &good), Ok(()));
    assert_eq!(provider().accepts(WireFormat::AnthropicMessages, &serde_json::from_str(&body).unwrap()), Ok(()));
    let result = |id: &str| format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"r"}}"#);
    let words = r#"{"type":"text","text":"more","cache_control":{"type":"ephemeral"}}"#;
    for (what, from, to, expected, refused) in [
        ("a result is missing", format!("{},", result("b")), String::new(), BadRequest::Results { at: 2 }, true),
        ("a result of another call", result("a"), result("z"), BadRequest::Results { at: 2 }, true),
        (
            "words before a result",
            format!("{},{words}", result("b")),
            format!("{words},{}", result("b")),
            BadRequest::Results { at: 2 },
            true,
        ),
        ("a signature", "one+/=".to_owned(), "one-_=".to_owned(), BadRequest::Rewritten { at: 1 }, true),
        ("an escape", "\\u00e9".to_owned(), "é".to_owned(), BadRequest::Rewritten { at: 1 }, false),
        ("a number", "2.0".to_owned(), "2".to_owned(), BadRequest::Rewritten { at: 1 }, false),
        ("thinking is gone", format!("{X},"), String::new(), BadRequest::Rewritten { at: 1 }, false),
        (
            "a dropped call is back",
            format!("{T},{}", B.replace(r#""b""#, r#""d""#)),
            format!("{T},{},{}", A.replace(r#""a""#, r#""c""#), B.replace(r#""b""#, r#""d""#)),
            BadRequest::Calls { at: 3 },
            true,
        ),
    ] {
        assert!(body.contains(&from), "{from} is not in {body}");
        let changed = body.replacen(&from, &to, 1);
        assert_eq!(check(&changed, &good), Err(expected), "{what}");
        let taken = provider().accepts(WireFormat::AnthropicMessages, &serde_json::from_str(&changed).unwrap());
        assert_eq!(taken.is_err(), refused, "{what}: {taken:?}");
    }
    let more = body.replacen(r#"],"stream""#, r#",{"role":"user","content":[]}],"stream""#, 1);
    assert_eq!(check(&more, &good), Err(BadRequest::Length { found: 6, expected: 5 }));
    assert!(matches!(check("no json", &good), Err(BadRequest::Unreadable(_))));
}
