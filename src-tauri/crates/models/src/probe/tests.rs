use super::*;
use crate::server::{Answer, Request, Server};

const LIST: &str = r#"{"object":"list","data":[{"id":"small"},{"id":"large"}]}"#;
const CALLS: &str = concat!(
    r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"ping","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}"#,
    "\n\ndata: [DONE]\n\n"
);
const WORDS: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"ready\"},\"finish_reason\":\"stop\"}]}\n\n";

/// A server that lists its models and answers a chat by the function.
async fn server(chat: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Server {
    Server::start(move |request, _| {
        if request.line.starts_with("GET /v1/models ") {
            Answer::json(200, LIST)
        } else if request.line.starts_with("POST /v1/chat/completions ") {
            chat(request)
        } else {
            Answer::status(404, "text/plain", "404 page not found")
        }
    })
    .await
}

/// The steps that worked, and what was seen in the one that didn't.
async fn tested(base: &str, key: Option<&str>) -> (Vec<StepName>, Option<(StepName, Seen)>) {
    let steps = test_connection(
        WireFormat::OpenAiChat,
        base,
        "small",
        key.map(SecretString::from),
        &ModelSettings::default(),
        Vec::new(),
    )
    .await;
    let worked = steps.iter().filter(|step| step.ok).map(|step| step.name).collect();
    (worked, steps.into_iter().find(|step| !step.ok).map(|step| (step.name, step.seen)))
}

#[tokio::test]
async fn every_step_says_what_is_wrong() {
    let host_of = |server: &Server| server.base().replace("http://", "").replace("/v1", "");
    let small = || "small".to_owned();
    let good = server(|_| Answer::stream(CALLS, &[])).await;
    assert_eq!(tested(&good.base(), None).await, (STEPS.to_vec(), None));

    let address = good.base().replace("/v1", "");
    let seen = Seen::NoModelHere { host: host_of(&good) };
    assert_eq!(tested(&address, None).await, (Vec::new(), Some((StepName::Reached, seen))));

    let locked = Server::with(vec![Answer::json(401, "{}")]).await;
    let (worked, seen) = tested(&locked.base(), None).await;
    assert_eq!((worked.len(), seen), (1, Some((StepName::Key, Seen::KeyWanted { code: 401 }))));
    let (_, seen) = tested(&locked.base(), Some("sk-wrong-key")).await;
    assert_eq!(seen, Some((StepName::Key, Seen::KeyRefused { code: 401 })));

    let late = server(|_| Answer::json(401, "{}")).await;
    let (worked, seen) = tested(&late.base(), Some("sk-wrong-key")).await;
    assert_eq!((worked.len(), seen.unwrap().0), (1, StepName::Key), "a list for everybody accepts no key");

    let unknown = server(|_| Answer::json(404, r#"{"error":{"message":"model not found"}}"#)).await;
    let offers = Some(vec![small(), "large".to_owned()]);
    let seen = Seen::UnknownModel { host: host_of(&unknown), model: small(), offers, more: false };
    assert_eq!(tested(&unknown.base(), None).await, (STEPS[..2].to_vec(), Some((StepName::Model, seen))));

    let cut = server(|_| Answer::stream("data: {\"choices\":[]}\n\n", &[]).cut()).await;
    let (worked, seen) = tested(&cut.base(), None).await;
    let Some((StepName::Streams, Seen::Failed(failure))) = seen else { panic!("{seen:?}") };
    assert!(worked.len() == 3 && failure.text.starts_with("the reply from 127.0.0.1:"), "{failure:?}");

    let toolless = server(|request| {
        if request.body.contains("\"tools\"") {
            Answer::json(400, r#"{"error":{"message":"small does not support tools"}}"#)
        } else {
            Answer::stream(WORDS, &[])
        }
    })
    .await;
    let (worked, seen) = tested(&toolless.base(), None).await;
    assert_eq!(worked, STEPS[..4]);
    let Some((StepName::Tools, Seen::TakesNoTools { model, said })) = seen else { panic!("{seen:?}") };
    assert!(model == small() && said.text.contains("does not support tools"), "{said:?}");

    let talker = server(|_| Answer::stream(WORDS, &[])).await;
    let (_, seen) = tested(&talker.base(), None).await;
    assert_eq!(seen, Some((StepName::Tools, Seen::DidNotCall { model: small() })));
}

#[tokio::test]
async fn nobody_there_and_no_address() {
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let (worked, seen) = tested(&format!("http://127.0.0.1:{port}/v1"), None).await;
    let Some((StepName::Reached, Seen::NoAnswer(failure))) = seen else { panic!("{seen:?}") };
    let begins = format!("nothing answers at 127.0.0.1:{port}: ");
    assert!(worked.is_empty() && failure.text.starts_with(&begins), "{failure:?}");
    let (_, seen) = tested("127.0.0.1", None).await;
    let Some((StepName::Reached, Seen::Failed(failure))) = seen else { panic!("{seen:?}") };
    assert_eq!(failure.text, "the address can't be read; it begins with http:// or https://");
}

#[tokio::test]
async fn models_are_listed_and_servers_found() {
    let one = server(|_| Answer::json(500, "")).await;
    assert_eq!(
        list_models(WireFormat::OpenAiChat, &one.base(), None, &[], Vec::new()).await,
        Ok(vec!["small".to_owned(), "large".to_owned()])
    );
    let other = Server::with(vec![Answer::json(200, r#"{"models":[{"name":"a"}]}"#)]).await;
    assert_eq!(
        list_models(WireFormat::OpenAiChat, &other.base(), None, &[], Vec::new()).await,
        Ok(vec!["a".to_owned()])
    );
    let web = Server::with(vec![Answer::status(200, "text/html", "<html>")]).await;
    assert_eq!(
        list_models(WireFormat::OpenAiChat, &web.base(), None, &[], Vec::new()).await.unwrap_err().kind,
        FailureKind::Refused
    );

    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let silent_port = silent.local_addr().unwrap().port();
    let start = std::time::Instant::now();
    let found = find_servers_at(&[("Silent", silent_port), ("Web", web.port), ("One", one.port)]).await;
    assert!(start.elapsed() < Duration::from_secs(2), "they are asked at the same time");
    assert_eq!(
        found,
        [Found {
            program: "One".to_owned(),
            base_url: one.base(),
            models: vec!["small".to_owned(), "large".to_owned()],
        }]
    );
}

/// Each format is tested in its own words, and its models are listed.
#[tokio::test]
async fn every_format_is_probed() {
    let stream = |format: WireFormat| {
        match format {
        WireFormat::OpenAiChat => CALLS.to_owned(),
        WireFormat::OpenAiResponses => concat!(
            "event: response.output_item.done\n",
            r#"data: {"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"a","name":"ping","arguments":"{}"}}"#,
            "\n\n",
            r#"data: {"type":"response.completed","response":{"status":"completed","output":[]}}"#,
            "\n\n"
        )
        .to_owned(),
        WireFormat::AnthropicMessages => concat!(
            r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"ping","input":{}}}"#,
            "\n\n",
            r#"data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#,
            "\n\n",
            r#"data: {"type":"message_stop"}"#,
            "\n\n"
        )
        .to_owned(),
    }
    };
    for (format, list, path) in [
        (WireFormat::OpenAiChat, "/v1/models", "/v1/chat/completions"),
        (WireFormat::OpenAiResponses, "/v1/models", "/v1/responses"),
        (WireFormat::AnthropicMessages, "/v1/models?limit=1000", "/v1/messages"),
    ] {
        let server = Server::start(move |request, _| {
            let head = request.head.to_ascii_lowercase();
            let authorised = match format {
                WireFormat::OpenAiChat | WireFormat::OpenAiResponses => head.contains("authorization: bearer right"),
                WireFormat::AnthropicMessages => {
                    head.contains("x-api-key: right") && head.contains("anthropic-version:")
                }
            };
            if !authorised {
                Answer::json(401, r#"{"error":{"message":"invalid x-api-key"}}"#)
            } else if request.line.starts_with(&format!("GET {list} ")) {
                Answer::json(200, LIST)
            } else if request.line.starts_with(&format!("POST {path} ")) {
                Answer::stream(&stream(format), &[])
            } else {
                Answer::status(404, "text/plain", "404 page not found")
            }
        })
        .await;
        let key = |key: &str| Some(SecretString::from(key));
        let names = |steps: Vec<Step>| steps.into_iter().map(|step| (step.name, step.ok)).collect::<Vec<_>>();
        let good =
            test_connection(format, &server.base(), "small", key("right"), &ModelSettings::default(), Vec::new()).await;
        assert_eq!(names(good), STEPS.map(|name| (name, true)), "{format:?}");
        let bad =
            test_connection(format, &server.base(), "small", key("wrong"), &ModelSettings::default(), Vec::new()).await;
        assert_eq!(names(bad), [(StepName::Reached, true), (StepName::Key, false)], "{format:?}");
        let models = list_models(format, &server.base(), key("right"), &[], Vec::new()).await;
        assert_eq!(models, Ok(vec!["small".to_owned(), "large".to_owned()]), "{format:?}");
    }
}
