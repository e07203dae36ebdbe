//! What an agent may use, as Settings shows and stores it.

use countersign_api::commands::request;
use countersign_api::wire::agent::{Agent, Asks, Ceiling, Group, Ruling, SaveAgent, Switches, ToolRow, Zone};
use countersign_api::wire::window::Space;

use crate::house::{House, calls, says};

async fn agent(house: &House) -> Agent {
    house.snapshot().await.agents.remove(0)
}

async fn rows(house: &House, agent: Agent) -> Vec<ToolRow> {
    house.app.tools(Space::Main, request::tools { agent }).await.unwrap()
}

fn rulings(rows: &[ToolRow]) -> Vec<(&str, &str)> {
    let text = |ruling: &'_ Ruling| match ruling {
        Ruling::Offered => "offered",
        Ruling::Noted { .. } => "noted",
        Ruling::Denied { .. } => "denied",
    };
    rows.iter().map(|row| (row.name.as_str(), text(&row.ruling))).collect()
}

/// N-64, N-58, N-60: every tool has its ruling, for the agent as it stands in the editor.
#[tokio::test]
async fn the_editor_is_told_of_every_tool_why_it_is_there_or_not() {
    let house = House::new([]).await;
    let stored = agent(&house).await;
    assert_eq!((stored.zone, stored.ceiling, &stored.groups), (Zone::Unstated, Ceiling::Enforce, &None));
    let all = rows(&house, stored.clone()).await;
    assert!(all.iter().all(|row| row.ruling == Ruling::Offered));
    let asks: Vec<Asks> = all.iter().map(|row| row.asks).collect();
    assert_eq!(asks, [Asks::Never, Asks::Always, Asks::Always, Asks::Question]);
    let mut edited = Agent { zone: Zone::External, groups: Some(vec![Group::Look, Group::Command]), ..stored };
    let held = rows(&house, edited.clone()).await;
    assert_eq!(
        rulings(&held),
        [("read_file", "offered"), ("write_file", "denied"), ("run_command", "denied"), ("ask_user", "denied")]
    );
    let why = |row: &ToolRow| match &row.ruling {
        Ruling::Denied { text } | Ruling::Noted { text } => text.clone(),
        Ruling::Offered => String::new(),
    };
    assert_eq!(why(&held[1]), "Its group is off for this agent.");
    assert!(why(&held[2]).contains("anything on this computer"), "{}", why(&held[2]));
    edited.ceiling = Ceiling::Observe;
    assert_eq!(rulings(&rows(&house, edited).await)[2], ("run_command", "noted"));
}

/// What the editor says is stored, holds for the next run, and reads back.
#[tokio::test]
async fn what_is_saved_holds_for_the_next_run() {
    let house = House::new([says("Hello.")]).await;
    let edited = Agent { zone: Zone::External, groups: Some(vec![Group::Look, Group::Command]), ..agent(&house).await };
    let save = SaveAgent { agent: edited.clone(), new_key: None, new_headers: Vec::new() };
    house.app.save_agent(Space::Main, request::save_agent { save }).await.unwrap();
    let house = house.restart().await;
    let stored = agent(&house).await;
    assert_eq!(stored, Agent { revision: edited.revision + 1, ..edited });
    let start = request::start_conversation {
        agent: house.agent.clone(),
        text: Some("Hi.".to_owned()),
        mode: None,
        auto_until: None,
    };
    let row = house.app.start_conversation(Space::Main, start).await.unwrap();
    house.rest(&row.id).await;
    let prompts = house.stage.prompts.lock().unwrap();
    let offered: Vec<&str> = prompts[0].tools.iter().map(|tool| tool.identity.name.as_str()).collect();
    assert_eq!(offered, ["read_file"]);
}

/// RQ-8, N-07, D-51: what is switched for all agents holds from the next call on, and after a restart.
#[tokio::test]
async fn switches_hold_at_once_and_stay() {
    let house = House::new([calls(&[("read_file", "{}"), ("write_file", "{}")])]).await;
    let none = house.app.switches(Space::Main, request::switches {}).await.unwrap();
    assert!(none.off_tools.is_empty() && !none.unreadable);
    let switches = Switches {
        off_tools: vec!["write_file".to_owned()],
        off_groups: vec![Group::Ask],
        ask_first: vec!["read_file".to_owned()],
        unreadable: false,
    };
    let request = request::switch_tools { switches: switches.clone() };
    house.app.switch_tools(Space::Main, request).await.unwrap();
    let house = house.restart().await;
    assert_eq!(house.app.switches(Space::Main, request::switches {}).await.unwrap(), switches);
    let now = rows(&house, agent(&house).await).await;
    assert_eq!(now[0].asks, Asks::Chosen);
    assert_eq!(
        rulings(&now),
        [("read_file", "offered"), ("write_file", "denied"), ("run_command", "offered"), ("ask_user", "denied")]
    );
    let set = house.ask("one").await;
    assert_eq!((set.rows.len(), set.held.len()), (1, 1), "reading asks; the write is told the model");
}

/// N-60: the card of a call whose tool is above the ceiling, and only noted, says so.
#[tokio::test]
async fn a_card_says_that_the_ceiling_was_only_noted() {
    let command = [("run_command", r#"{"command":"ls"}"#)];
    let house = House::new([calls(&command), calls(&command)]).await;
    let set = house.ask("List.").await;
    assert_eq!(house.detail(&set.rows[0].id).await.above, None, "nobody said where the model runs");
    let edited = Agent { zone: Zone::External, ceiling: Ceiling::Observe, ..agent(&house).await };
    let save = SaveAgent { new_headers: Vec::new(), agent: edited, new_key: None };
    house.app.save_agent(Space::Main, request::save_agent { save }).await.unwrap();
    let above = house.detail(&set.rows[0].id).await.above.unwrap();
    assert!(above.contains("anything on this computer"), "{above}");
}
