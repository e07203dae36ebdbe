use super::*;

fn assembled(pieces: &[&str]) -> Result<Option<ModelReply>, Fault> {
    let mut assembly = Chat::default();
    for piece in pieces {
        assembly.take(piece, &Deltas::nowhere())?;
    }
    if assembly.is_done() { Box::new(assembly).reply().map(Some) } else { Ok(None) }
}

/// The calls of a reply as `id name arguments`.
fn calls(deltas: &[&str]) -> Vec<String> {
    let pieces: Vec<String> =
        deltas.iter().map(|calls| format!(r#"{{"choices":[{{"delta":{{"tool_calls":{calls}}}}}]}}"#)).collect();
    let mut pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    pieces.push("[DONE]");
    let reply = assembled(&pieces).unwrap().unwrap();
    reply.calls.iter().map(|call| format!("{} {} {}", call.provider_id, call.name, call.arguments)).collect()
}

#[test]
fn calls_come_in_many_ways() {
    for (name, deltas, expected) in [
        (
            "fragments of two by index, mixed",
            &[
                r#"[{"index":0,"id":"a","function":{"name":"f","arguments":""}}]"#,
                r#"[{"index":1,"id":"b","function":{"name":"g","arguments":"{\"y\""}}]"#,
                r#"[{"index":0,"function":{"arguments":"{\"x\":1}"}},{"index":1,"function":{"arguments":":2}"}}]"#,
            ][..],
            &["a f {\"x\":1}", "b g {\"y\":2}"][..],
        ),
        (
            "whole, neither index nor id",
            &[r#"[{"function":{"name":"f","arguments":"{}"}},{"function":{"name":"f","arguments":"{}"}}]"#],
            &["call_1 f {}", "call_2 f {}"],
        ),
        (
            "whole, all with index 0, own ids",
            &[
                r#"[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]"#,
                r#"[{"index":0,"id":"b","function":{"name":"g","arguments":"{}"}}]"#,
            ],
            &["a f {}", "b g {}"],
        ),
        (
            "whole, all with index 0, no ids",
            &[
                r#"[{"index":0,"function":{"name":"f","arguments":"{\"a\":1}"}}]"#,
                r#"[{"index":0,"function":{"name":"f","arguments":"{\"a\":2}"}}]"#,
            ],
            &["call_1 f {\"a\":1}", "call_2 f {\"a\":2}"],
        ),
        (
            "fragments without index",
            &[
                r#"[{"id":"a","function":{"name":"f","arguments":"{"}}]"#,
                r#"[{"function":{"arguments":"}"}}]"#,
                r#"[{"id":"b","function":{"name":"g","arguments":"{}"}}]"#,
            ],
            &["a f {}", "b g {}"],
        ),
        (
            "name and id in every fragment",
            &[
                r#"[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]"#,
                r#"[{"index":0,"id":"a","function":{"name":"f","arguments":"}"}}]"#,
            ],
            &["a f {}"],
        ),
        (
            "arguments as an object, numbers as written",
            &[r#"[{"index":0,"id":"a","function":{"name":"f","arguments":{"n":9007199254740993}}}]"#],
            &["a f {\"n\":9007199254740993}"],
        ),
        (
            "the same id twice",
            &[
                r#"[{"index":0,"id":"call_1","function":{"name":"f","arguments":"{}"}},{"index":1,"id":"call_1","function":{"name":"g","arguments":"{}"}}]"#,
            ],
            &["call_1 f {}", "call_2 g {}"],
        ),
        (
            "null where nothing is",
            &[r#"[{"index":0,"id":null,"type":null,"function":{"name":"f","arguments":null}}]"#],
            &["call_1 f "],
        ),
    ] {
        assert_eq!(calls(deltas), expected, "{name}");
    }
}

#[test]
fn the_message_that_goes_back_keeps_what_it_had() {
    let reply = assembled(&[
        r#"{"choices":[{"delta":{"role":"assistant","content":"","reasoning_content":"think"}}]}"#,
        r#"{"choices":[{"delta":{"reasoning_content":"ing","details":[{"n":1.0}],"sig":{"v":9007199254740993}}}]}"#,
        r#"{"choices":[{"delta":{"content":"Hi","details":[2],"tool_calls":[{"index":0,"id":"a","extra":{"s":"x"},"function":{"name":"f","arguments":"{ \"a\" : 1 }"}}]}}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
        r#"{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}"#,
    ])
    .unwrap()
    .unwrap();
    assert_eq!(
        reply.raw.unwrap(),
        concat!(
            r#"{"role":"assistant","content":"Hi","details":[{"n":1.0},2],"reasoning_content":"thinking","sig":{"v":9007199254740993},"#,
            r#""tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{ \"a\" : 1 }"},"extra":{"s":"x"}}]}"#
        )
    );
    assert_eq!((reply.text.as_str(), reply.usage), ("Hi", Some(Usage { input: 7, output: 3, ..Usage::default() })));
}

#[test]
fn only_a_finished_reply_is_one() {
    let text = r#"{"choices":[{"delta":{"content":"Hi"}}]}"#;
    assert_eq!(assembled(&[text]), Ok(None), "neither a reason nor the end mark came");
    assert!(assembled(&[text, "[DONE]"]).unwrap().is_some());
    assert!(assembled(&[text, r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#]).unwrap().is_some());
    assert_eq!(assembled(&[text, "{"]), Err(Fault::Unreadable));
    let error = r#"{"error":{"message":"overloaded"}}"#;
    assert_eq!(assembled(&[text, error]), Err(Fault::Error(error.to_owned())));
    assert!(assembled(&[text, r#"{"choices":[{"delta":{},"finish_reason":"error"}]}"#]).is_err());
    let whole = r#"{"choices":[{"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}"#;
    assert_eq!(assembled(&[whole]).unwrap().unwrap().text, "Hi");
}
