//! How a model is asked, what it used up, and what it cost.

use countersign_api::commands::request;
use countersign_api::wire::agent::{Agent, KeySource, SaveAgent, WireFormat};
use countersign_api::wire::asking::{
    Asking, Cost, Effort, ExtraHeader, HeaderSecret, HeaderValue, Prices, Spent, Thinking,
};
use countersign_api::wire::conversation::{Entry, EntryBody, Send};
use countersign_api::wire::inbox::Decision;
use countersign_api::wire::window::{ApiError, Space};
use countersign_core::input::ModelReply;
use countersign_core::spending::Usage;

use crate::agents::{TASK, save, staff};
use crate::house::{House, calls, says};

async fn entries(house: &House, conversation: &str) -> Vec<Entry> {
    let request = request::transcript { conversation: conversation.to_owned(), before: None, after: None };
    house.app.transcript(Space::Main, request).await.unwrap().entries
}

fn used(reply: ModelReply, input: u64, output: u64) -> ModelReply {
    ModelReply { usage: Some(Usage { input, output, ..Usage::default() }), ..reply }
}

fn prices(currency: &str, input: i64, output: i64) -> Prices {
    Prices { currency: currency.to_owned(), input, output, cached: None, written: None }
}

/// E-34: a run's sum has every model call, those of the agents below once, at the prices that each agent had then; what isn't known is
/// said to be unknown.
#[tokio::test]
async fn e_34_what_a_run_used_up_is_summed_and_stays() {
    let house = House::new([
        used(calls(&[("researcher", TASK)]), 1_000, 200),
        used(calls(&[("write_file", r#"{"path":"a.txt"}"#)]), 1_500, 50),
        says("Nobody counted this."),
        used(says("Again."), 10, 1),
    ])
    .await;
    let below = [("Researcher", vec![used(says("I looked."), 400, 30)])];
    let main = staff(&house, &below).await;
    let agents = house.snapshot().await.agents;
    let researcher = agents.iter().find(|one| one.name == "Researcher").unwrap().clone();
    let euro = Asking { prices: Some(prices("eur", 1_000_000, 0)), ..researcher.asking.clone() };
    save(&house, Agent { asking: euro, ..researcher }).await.unwrap();
    let dollar = Asking { prices: Some(prices("USD", 2_000_000, 10_000_000)), ..main.asking.clone() };
    let main = save(&house, Agent { asking: dollar, ..main }).await.unwrap();

    let set = house.ask("Look into it.").await;
    let conversation = set.conversation.clone();
    let cost = |currency: &str, nano| Cost { currency: currency.to_owned(), nano };
    let asked = Spent {
        calls: 3,
        counted: 3,
        priced: 3,
        tokens_in: 2_900,
        tokens_out: 280,
        cached: 0,
        written: 0,
        costs: vec![cost("EUR", 400 * 1_000), cost("USD", 2_500 * 2_000 + 250 * 10_000)],
    };
    let ends = |entries: &[Entry]| -> Vec<(bool, Option<String>, Spent)> {
        let ends = entries.iter().filter_map(|entry| {
            let end = entry.end.clone()?;
            Some((matches!(entry.body, EntryBody::Assistant { .. }), end.words, end.spent))
        });
        ends.collect()
    };
    assert_eq!(ends(&entries(&house, &conversation).await), [(true, None, asked.clone())]);

    // The price of the answering run is another; what was stays.
    let dear = Asking { prices: Some(prices("USD", 4_000_000, 10_000_000)), ..main.asking.clone() };
    let main = save(&house, Agent { asking: dear, ..main }).await.unwrap();
    house.answer(&set, &[(0, Decision::Approve)]).await.unwrap();
    house.rest(&conversation).await;
    let unknown =
        Spent { calls: 1, counted: 0, priced: 0, tokens_in: 0, tokens_out: 0, costs: Vec::new(), ..asked.clone() };
    assert_eq!(ends(&entries(&house, &conversation).await), [(true, None, asked.clone()), (true, None, unknown)]);
    let row = house.snapshot().await.conversations[0].clone();
    assert_eq!(row.spent, Spent { calls: 4, ..asked.clone() }, "the one that nobody counted is among the calls");

    // After a restart, and without prices, it is all the same.
    save(&house, Agent { asking: Asking::default(), ..main }).await.unwrap();
    let house = house.restart().await;
    assert_eq!(house.snapshot().await.conversations[0].spent, Spent { calls: 4, ..asked.clone() });
    let text = Some("Once more.".to_owned());
    let (answers, passes_by) = (Vec::new(), Vec::new());
    house
        .send(Send { conversation: conversation.clone(), answers, text, mode: None, auto_until: None, passes_by })
        .await
        .unwrap();
    house.rest(&conversation).await;
    let row = house.snapshot().await.conversations[0].clone();
    let more = Spent { calls: 5, counted: 4, tokens_in: 2_910, tokens_out: 281, ..asked };
    assert_eq!(row.spent, more, "tokens are counted, and have no price");
}

fn header(name: &str, value: HeaderValue) -> ExtraHeader {
    ExtraHeader { name: name.to_owned(), value }
}

/// What is asked of a model is kept with the agent, and what its format hasn't is refused with the field that is wrong.
#[tokio::test]
async fn how_a_model_is_asked_is_kept_or_refused() {
    let house = House::new([]).await;
    let agent = house.snapshot().await.agents[0].clone();
    assert_eq!(agent.asking, Asking::default(), "a profile without it says nothing");
    let asking = Asking {
        temperature: Some(70),
        most_tokens: Some(4_096),
        thinking: Thinking::Effort { effort: Effort::Low },
        headers: vec![header("x-tenant", HeaderValue::Plain { text: "blue".to_owned() })],
        prices: Some(prices("EUR", 150_000, 600_000)),
    };
    let agent = save(&house, Agent { asking: asking.clone(), ..agent }).await.unwrap();
    assert_eq!(agent.asking, asking);
    assert_eq!(house.snapshot().await.agents[0], agent);
    let plain = |text: &str| HeaderValue::Plain { text: text.to_owned() };
    let with = |change: Asking| Agent { asking: change, ..agent.clone() };
    let messages = |change: Asking| Agent { format: WireFormat::AnthropicMessages, ..with(change) };
    let base = Asking::default;
    for (agent, field, word) in [
        (with(Asking { temperature: Some(201), ..base() }), "temperature", "0 to 2"),
        (messages(Asking { temperature: Some(101), ..base() }), "temperature", "0 to 1"),
        (messages(asking.clone()), "thinking", "number of tokens"),
        (with(Asking { thinking: Thinking::Budget { tokens: 2_000 }, ..base() }), "thinking", "how hard"),
        (with(Asking { most_tokens: Some(1), ..base() }), "most_tokens", "16"),
        (with(Asking { headers: vec![header("Authorization", plain("x"))], ..base() }), "headers", "key has a field"),
        (with(Asking { headers: vec![header("Connection", plain("x"))], ..base() }), "headers", "connection"),
        (with(Asking { headers: vec![header("a b", plain("x"))], ..base() }), "headers", "letters"),
        (with(Asking { headers: vec![header("x-a", plain("ä"))], ..base() }), "headers", "can't be sent"),
        (with(Asking { headers: vec![header("x-a", HeaderValue::Secret)], ..base() }), "headers", "empty"),
        (with(Asking { prices: Some(prices("euros", 1, 1)), ..base() }), "prices", "three letters"),
        (with(Asking { prices: Some(prices("EUR", -1, 1)), ..base() }), "prices", "0 to 1,000,000"),
    ] {
        match save(&house, agent).await {
            Err(ApiError::Invalid { field: found, message }) => {
                assert_eq!(found, field, "{message}");
                assert!(message.contains(word), "{message}");
            }
            other => panic!("{field} {word}: {other:?}"),
        }
    }
    assert_eq!(house.snapshot().await.agents[0], agent, "nothing of that was stored");
}

/// A secret in a header goes where the key goes and comes back to nobody; it goes with its header.
#[tokio::test]
async fn a_secret_in_a_header_is_kept_where_keys_are_and_shown_nowhere() {
    const SECRET: &str = "gate-secret-4711";
    let house = House::new([]).await;
    let agent = house.snapshot().await.agents[0].clone();
    let id = agent.id.clone().unwrap();
    let asking = Asking { headers: vec![header("x-gate", HeaderValue::Secret)], ..Asking::default() };
    let agent = Agent { key: KeySource::File, asking, ..agent };
    let new_headers = vec![HeaderSecret { name: "X-Gate".to_owned(), value: format!(" {SECRET} ") }];
    let typed = SaveAgent { agent, new_key: None, new_headers };
    assert!(!format!("{typed:?}").contains(SECRET), "not in a debug form either");
    let saved = house.app.save_agent(Space::Main, request::save_agent { save: typed }).await.unwrap();
    let kept = || house.stage.kept.lock().unwrap().clone();
    assert_eq!(kept().get(&format!("{id}.x-gate")).map(String::as_str), Some(SECRET));
    let shown = serde_json::to_string(&house.snapshot().await).unwrap();
    assert!(!shown.contains(SECRET) && shown.contains("x-gate"));
    // Saved again without typing it stays.
    let saved = save(&house, Agent { name: "Other".to_owned(), ..saved }).await.unwrap();
    assert_eq!(kept().len(), 1);
    house.app.quit().await;
    for file in walk(house.folder.path()) {
        let bytes = std::fs::read(&file).unwrap();
        assert!(!bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes()), "{}", file.display());
    }
    let house = house.restart().await;
    let plain = HeaderValue::Plain { text: "open".to_owned() };
    let asking = Asking { headers: vec![header("x-gate", plain)], ..Asking::default() };
    save(&house, Agent { asking, ..saved }).await.unwrap();
    assert!(house.stage.kept.lock().unwrap().is_empty(), "a secret that nothing needs is forgotten");
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(walk(&path));
        } else if path.is_file() {
            files.push(path);
        }
    }
    files
}
