//! Agents that start others: what a window sees of them, and answers that wait for a run to end.

use std::collections::VecDeque;

use async_trait::async_trait;
use countersign_api::commands::request;
use countersign_api::host::{Connections, Folders, Typed};
use countersign_api::wire::agent::{Agent, Confining, FoundServer, Hold, Network, SaveAgent, SubAgent, WireFormat};
use countersign_api::wire::conversation::{AgentBlock, ConversationState, EntryBody, Found};
use countersign_api::wire::inbox::{Decision, Sending};
use countersign_api::wire::text::Piece;
use countersign_api::wire::window::{ApiError, Space};
use countersign_core::agent::AgentProfile;
use countersign_core::confine::Offered;
use countersign_core::input::ModelReply;
use countersign_engine::ports::Step;

use crate::house::{House, Ports, Told, calls, says};

#[async_trait]
impl Connections for Ports {
    async fn test(&self, _: &AgentProfile, _: Typed<'_>) -> Vec<Step> {
        Vec::new()
    }

    async fn models(&self, _: &AgentProfile, _: Typed<'_>) -> Result<Vec<String>, String> {
        Ok(Vec::new())
    }

    async fn find(&self) -> Vec<FoundServer> {
        Vec::new()
    }
}

impl Folders for Ports {
    fn check(&self, folder: &str) -> Result<(), String> {
        if std::path::Path::new(folder).is_dir() { Ok(()) } else { Err(format!("there is no folder `{folder}`")) }
    }
}

#[async_trait]
impl countersign_api::host::Confining for Ports {
    async fn offered(&self) -> Offered {
        Offered { files: Ok(()), network: Err("it is made up".to_owned()) }
    }
}

pub(crate) const TASK: &str = r#"{"task":"Look around."}"#;

pub(crate) async fn save(house: &House, agent: Agent) -> Result<Agent, ApiError> {
    house
        .app
        .save_agent(
            Space::Main,
            request::save_agent { save: SaveAgent { agent, new_key: None, new_headers: Vec::new() } },
        )
        .await
}

fn entry(agent: &Agent, tool: &str, beside: bool) -> SubAgent {
    let agent = agent.id.clone().unwrap();
    SubAgent { agent, tool: tool.to_owned(), description: "Looks.".to_owned(), beside, asks_first: false }
}

/// The house's agent can start `researcher`, and `scout` beside the run; the researcher can start `reader`.
pub(crate) async fn staff(house: &House, below: &[(&str, Vec<ModelReply>)]) -> Agent {
    for (name, replies) in below {
        let replies: VecDeque<ModelReply> = replies.iter().cloned().collect();
        house.stage.below.lock().unwrap().insert((*name).to_owned(), replies);
    }
    let main = house.snapshot().await.agents[0].clone();
    let named = |name: &str| Agent { id: None, revision: 0, name: name.to_owned(), ..main.clone() };
    let reader = save(house, named("Reader")).await.unwrap();
    let researcher = Agent { sub_agents: vec![entry(&reader, "reader", false)], ..named("Researcher") };
    let researcher = save(house, researcher).await.unwrap();
    let scout = save(house, named("Scout")).await.unwrap();
    let sub_agents = vec![entry(&researcher, "researcher", false), entry(&scout, "scout", true)];
    save(house, Agent { sub_agents, ..main }).await.unwrap()
}

fn plain(pieces: &[Piece]) -> String {
    pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text { s } | Piece::Chip { s, .. } | Piece::Secret { s } => s.as_str(),
        })
        .collect()
}

/// The blocks of sub-agents in a conversation's newest page.
async fn blocks(house: &House, conversation: &str) -> Vec<AgentBlock> {
    let request = request::transcript { conversation: conversation.to_owned(), before: None, after: None };
    let page = house.app.transcript(Space::Main, request).await.unwrap();
    page.entries
        .into_iter()
        .filter_map(|entry| match entry.body {
            EntryBody::Assistant { calls, .. } => Some(calls.into_iter().filter_map(|call| call.agent)),
            EntryBody::User { .. } | EntryBody::Agent { .. } => None,
        })
        .flatten()
        .collect()
}

/// D-39: a row, a title and a block name the way down; answering goes on below, after a restart too.
#[tokio::test]
async fn what_a_nested_agent_asks_is_found_and_answered() {
    let house = House::new([calls(&[("researcher", TASK)]), says("All is well.")]).await;
    let below = [
        ("Researcher", vec![calls(&[("reader", TASK)]), says("I asked a reader.")]),
        ("Reader", vec![calls(&[("write_file", r#"{"path":"a.txt"}"#)]), says("Written.")]),
    ];
    staff(&house, &below).await;
    let set = house.ask("Look into it.").await;
    let path: Vec<String> = set.rows[0].path.iter().map(|name| plain(name)).collect();
    assert_eq!((set.rows.len(), path), (1, vec!["researcher".to_owned(), "reader".to_owned()]));
    let detail = house.detail(&set.rows[0].id).await;
    let down: Vec<[String; 3]> =
        detail.path.iter().map(|one| [&one.name, &one.model, &one.task].map(|text| plain(text))).collect();
    let step = |name: &str| [name, "test", "Look around."].map(str::to_owned);
    assert_eq!(down, [step("researcher"), step("reader")]);
    assert!(!set.rows[0].beside, "whoever called it waits for it");
    let block = &blocks(&house, &set.conversation).await[0];
    assert_eq!(
        (plain(&block.name).as_str(), block.words.as_str(), block.entries.len()),
        ("researcher", "waits for you", 2)
    );
    let house = house.restart().await;
    house.answer(&set, &[(0, Decision::Approve)]).await.unwrap();
    house.rest(&set.conversation).await;
    assert_eq!(house.ran(), [r#"write_file {"path":"a.txt"}"#]);
    let block = &blocks(&house, &set.conversation).await[0];
    assert_eq!((block.words.as_str(), block.entries.len()), ("done", 3));
    let history =
        house.app.history(Space::Main, request::history { before: None, query: String::new() }).await.unwrap();
    assert_eq!(history.rows[0].path, set.rows[0].path);
}

/// What a sub-agent said and did is found like all else, with the way to it, in its conversation and from the list.
#[tokio::test]
async fn search_looks_into_what_sub_agents_said_and_did() {
    let house = House::new([calls(&[("researcher", TASK)]), says("All is well.")]).await;
    let below = [
        ("Researcher", vec![calls(&[("reader", TASK)]), says("I asked a reader.")]),
        ("Reader", vec![calls(&[("write_file", r#"{"path":"marmot.txt"}"#)]), says("Written by a badger.")]),
    ];
    staff(&house, &below).await;
    let set = house.ask("Look into it.").await;
    house.answer(&set, &[(0, Decision::Approve)]).await.unwrap();
    house.rest(&set.conversation).await;
    let find = async |text: &str| {
        let request = request::find_words { conversation: set.conversation.clone(), text: text.to_owned() };
        house.app.find_words(Space::Main, request).await.unwrap().places
    };
    let outer = find("Look into it.").await;
    assert_eq!((outer.len(), outer[0].within.len(), outer[0].entry), (1, 0, outer[0].seq));
    let asked = find("asked a reader").await;
    // What it said last is its call's result, too.
    let depths = |places: &[Found]| places.iter().map(|place| place.within.len()).collect::<Vec<_>>();
    assert_eq!(depths(&asked), [1, 0]);
    let said = find("BADGER").await;
    assert_eq!(depths(&said), [2, 1], "{said:?}");
    assert_eq!(said[0].within[0], asked[0].within[0], "the outermost comes first");
    let wrote = find("marmot").await;
    assert_eq!((wrote.len(), wrote[0].within.clone()), (1, said[0].within.clone()));
    assert!(wrote[0].call.is_some() && wrote[0].entry < said[0].entry);

    // Its page holds the block, and the block the entry.
    let block = &blocks(&house, &set.conversation).await[0];
    let inner = block.entries.iter().find_map(|entry| match &entry.body {
        EntryBody::Assistant { calls, .. } => calls.iter().find_map(|call| call.agent.as_ref()),
        EntryBody::User { .. } | EntryBody::Agent { .. } => None,
    });
    assert!(inner.unwrap().entries.iter().any(|entry| entry.seq == said[0].entry));
    let request = request::find_conversations { text: "badger".to_owned() };
    let found = house.app.find_conversations(Space::Main, request).await.unwrap().found;
    assert_eq!((found.len(), found[0].place.entry, found[0].place.seq), (1, said[0].entry, said[0].seq));
    assert_eq!(found[0].place.within, said[0].within);
}

/// Profiles that would run below themselves, or have names that no model takes, are refused with the field that is wrong.
#[tokio::test]
async fn sub_agents_that_cant_be_are_refused() {
    let house = House::new([]).await;
    let main = staff(&house, &[]).await;
    let agents = house.snapshot().await.agents;
    let reader = agents.iter().find(|one| one.name == "Reader").unwrap().clone();
    let circle = Agent { sub_agents: vec![entry(&main, "main", false)], ..reader.clone() };
    for (agent, part) in [
        (circle, "started by itself"),
        (Agent { sub_agents: vec![entry(&reader, "two words", false)], ..main.clone() }, "letters, digits"),
        (Agent { sub_agents: vec![entry(&reader, "exit_plan_mode", false)], ..main.clone() }, "letters, digits"),
    ] {
        match save(&house, agent).await {
            Err(ApiError::Invalid { field, message }) => {
                assert_eq!(field, "sub_agents");
                assert!(message.contains(part), "{message}");
            }
            other => panic!("{other:?}"),
        }
    }
    let id = reader.id.unwrap();
    match house.app.delete_agent(Space::Main, request::delete_agent { id }).await {
        Err(ApiError::Refused { message }) => assert!(message.contains("can start this one"), "{message}"),
        other => panic!("{other:?}"),
    }
}

/// D-08, D-100: while an agent works beside a run that has asked, an answer waits, can be taken back, and is sent when the run ends.
#[tokio::test]
async fn an_answer_waits_for_the_run_to_end() {
    let command = r#"{"command":"ls"}"#;
    let house = House::new([
        calls(&[("scout", TASK)]),
        calls(&[("run_command", command)]),
        says("It is quiet, and this is what is here."),
    ])
    .await;
    staff(&house, &[("Scout", vec![calls(&[("read_file", r#"{"path":"a"}"#)]), says("All quiet.")])]).await;
    let held = house.hold_tools();
    let set = house.ask("Look into it.").await;
    let row = house.snapshot().await.conversations[0].clone();
    match &row.state {
        ConversationState::Running { doing, .. } => {
            assert!(doing.iter().any(|one| plain(one) == "scout 1"), "it says whom it waits for: {doing:?}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!((row.beside.len(), row.beside[0].waits, plain(&row.beside[0].name).as_str()), (1, false, "scout 1"));
    house.stage_decision(&set.rows[0].id, Decision::Approve).await.unwrap();
    house.answer(&set, &[(0, Decision::Approve)]).await.unwrap();
    let queued = house.set_of(&set.conversation).await;
    assert_eq!(
        (queued.sending, queued.rows[0].draft.is_some(), queued.rows[0].queued),
        (Sending::Queued, true, true),
        "it is a draft until it is sent"
    );
    assert!(!set.rows[0].beside && !set.rows[0].queued, "the run itself asked it");
    assert!(house.set_of(&set.conversation).await.rows[0].draft.is_some(), "a second try costs no draft");
    let id = set.rows[0].id.clone();
    let unstaged = house.app.unstage(Space::Main, request::unstage { id }).await;
    assert!(matches!(unstaged, Err(ApiError::Refused { .. })), "{unstaged:?}");
    let take_back = || request::take_back { conversation: set.conversation.clone() };
    house.app.take_back(Space::Main, take_back()).await.unwrap();
    let back = house.set_of(&set.conversation).await;
    assert_eq!((back.sending, back.rows[0].draft.is_some(), back.rows[0].queued), (Sending::Idle, true, false));
    assert!(house.app.take_back(Space::Main, take_back()).await.is_err(), "there is nothing to take back");
    house.answer(&set, &[(0, Decision::Approve)]).await.unwrap();
    let again = house.answer(&set, &[(0, Decision::Approve)]).await;
    assert!(matches!(again, Err(ApiError::ApprovalClosed { .. })), "{again:?}");
    assert_eq!(house.ran().len(), 1, "nothing of it runs before the run has ended");
    drop(held);
    house.until("the command ran", |_| (house.ran().len() == 2).then_some(())).await;
    house.rest(&set.conversation).await;
    let row = house.snapshot().await.conversations[0].clone();
    assert_eq!((row.queued, row.waiting, row.beside.len()), (false, 0, 0));
    let request = request::transcript { conversation: set.conversation.clone(), before: None, after: None };
    let page = house.app.transcript(Space::Main, request).await.unwrap();
    let said = page
        .entries
        .iter()
        .any(|entry| matches!(&entry.body, EntryBody::Agent { name, .. } if plain(name) == "scout 1"));
    assert!(said, "what the agent beside it said is in the conversation under its name");
}

/// D-89: answers that waited are drafts after a restart, and nothing is sent by itself.
#[tokio::test]
async fn accept_24_queued_answers_are_drafts_after_a_restart() {
    let house = House::new([calls(&[("scout", TASK)]), calls(&[("run_command", r#"{"command":"ls"}"#)])]).await;
    staff(&house, &[("Scout", vec![calls(&[("read_file", r#"{"path":"a"}"#)]), says("All quiet.")])]).await;
    let held = house.hold_tools();
    let set = house.ask("Look into it.").await;
    house.stage_decision(&set.rows[0].id, Decision::Approve).await.unwrap();
    house.answer(&set, &[(0, Decision::Approve)]).await.unwrap();
    let house = house.restart().await;
    drop(held);
    let set = house.set_of(&set.conversation).await;
    assert_eq!((set.sending, set.rows[0].draft.is_some()), (Sending::Idle, true));
    assert_eq!(house.ran().len(), 1);
}

/// L-119: what a background agent asks is told, however much its conversation does meanwhile.
#[tokio::test]
async fn a_busy_conversation_doesnt_put_a_notice_off() {
    let house = House::new([calls(&[("scout", TASK)]), calls(&[("read_file", r#"{"path":"a"}"#)])]).await;
    staff(&house, &[("Scout", vec![calls(&[("run_command", r#"{"command":"ls"}"#)])])]).await;
    let held = house.hold_tools();
    let set = house.ask("Look into it.").await;
    assert!(set.rows[0].beside, "a word to the run would leave it open (D-80)");
    let busy = {
        let (app, conversation) = (std::sync::Arc::clone(&house.app), set.conversation.clone());
        tokio::spawn(async move {
            loop {
                let request = request::rename { conversation: conversation.clone(), title: "Busy".to_owned() };
                app.rename(Space::Main, request).await.unwrap();
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            }
        })
    };
    house.until_told("the request was told", |told| told.iter().any(|one| matches!(one, Told::Shown(_)))).await;
    busy.abort();
    assert!(matches!(house.snapshot().await.conversations[0].state, ConversationState::Running { .. }));
    drop(held);
}

/// D-76, N-89: what wasn't sent is shown beside what was, and a tool that isn't there any more is said to be gone.
#[tokio::test]
async fn a_card_says_what_isnt_sent_and_what_isnt_there() {
    let house = House::new([calls(&[("write_file", r#"{"path":"a","mode":"0600"}"#)])]).await;
    let set = house.ask("Write it.").await;
    let detail = house.detail(&set.rows[0].id).await;
    let defaults: Vec<(String, String)> =
        detail.defaults.iter().map(|one| (plain(&one.name), plain(&one.value))).collect();
    assert_eq!((defaults, detail.gone), (vec![("force".to_owned(), "true".to_owned())], false));
    house.stage.gone.lock().unwrap().push("write_file".to_owned());
    let detail = house.detail(&set.rows[0].id).await;
    assert!(detail.gone && detail.defaults.is_empty());
    house.answer(&set, &[(0, Decision::Approve)]).await.unwrap();
    house.rest(&set.conversation).await;
    assert_eq!(house.ran().len(), 0);
}

/// D-78: a note goes along with an approval through the door, and the closed card has it.
#[tokio::test]
async fn a_note_goes_along_with_an_approval() {
    let house = House::new([calls(&[("run_command", r#"{"command":"ls"}"#)]), says("done")]).await;
    let set = house.ask("one").await;
    let decision = Decision::ApproveWithNote { note: "Only here.\u{200b}".to_owned(), tell: true };
    house.stage_decision(&set.rows[0].id, decision.clone()).await.unwrap();
    house.answer(&set, &[(0, decision)]).await.unwrap();
    house.rest(&set.conversation).await;
    let text = format!("{:?}", house.detail(&set.rows[0].id).await.state);
    assert!(text.contains("Your note (told to the agent): “Only here."), "{text}");
    assert!(!text.contains('\u{200b}'), "hidden characters are shown");
    let told = format!("{:?}", house.stage.prompts.lock().unwrap().last().unwrap().messages);
    assert!(told.contains("that I approved: Only here."), "{told}");
}

/// How an endpoint is spoken to is part of the profile; one that was stored before there was a choice speaks chat completions.
#[tokio::test]
async fn an_agents_format_is_kept() {
    let house = House::new([]).await;
    let mut agent = house.snapshot().await.agents[0].clone();
    assert_eq!(agent.format, WireFormat::OpenAiChat);
    for (format, kind) in [
        (WireFormat::AnthropicMessages, "anthropic_messages"),
        (WireFormat::OpenAiResponses, "open_ai_responses"),
        (WireFormat::OpenAiChat, "open_ai_chat"),
    ] {
        agent = save(&house, Agent { format, ..agent }).await.unwrap();
        assert_eq!(agent.format, format);
        assert_eq!(house.snapshot().await.agents[0], agent, "what was saved is what is shown");
        assert_eq!(serde_json::to_value(&agent).unwrap()["format"], kind);
    }
}

/// D-73: what an agent wants for its commands is kept, a wish that contradicts itself is refused, and what the machine
/// offers is said.
#[tokio::test]
async fn what_commands_are_held_to_is_chosen_with_the_agent() {
    let house = House::new([]).await;
    let main = house.snapshot().await.agents[0].clone();
    assert_eq!((main.hold, main.network), (Hold::Strongest, Network::On));
    let strict = save(&house, Agent { hold: Hold::Required, network: Network::Off, ..main }).await.unwrap();
    assert_eq!((strict.hold, strict.network), (Hold::Required, Network::Off));
    assert_eq!(house.snapshot().await.agents[0], strict, "and it is stored");
    let refused = save(&house, Agent { hold: Hold::Never, ..strict.clone() }).await.unwrap_err();
    assert!(
        matches!(&refused, ApiError::Invalid { field, message } if field == "network" && message.contains("confined")),
        "{refused:?}"
    );
    let free = save(&house, Agent { hold: Hold::Never, network: Network::On, ..strict }).await.unwrap();
    assert_eq!((free.hold, free.network), (Hold::Never, Network::On));
    let found = house.app.confining(Space::Main, request::confining {}).await.unwrap();
    assert_eq!(found, Confining { no_files: None, no_network: Some("it is made up".to_owned()) });
}
