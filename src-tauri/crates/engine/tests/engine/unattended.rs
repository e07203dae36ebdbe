//! Quick tasks of an agent that can start others: one that may ask is never among its tools.

use countersign_core::agent::{AgentProfile, SubAgentEntry, ToolSet};
use countersign_core::ids::AgentId;
use countersign_core::mode::Mode;
use countersign_core::policy::{AgentPolicy, DataClass, ToolGroup, Zone};
use countersign_core::run::{Goes, RunEnd};

use crate::house::{House, call, calls, profile};

fn agent(number: u8, tools: &[&str], starts: &[(u8, &str)]) -> AgentProfile {
    let entry = |(agent, tool): &(u8, &str)| SubAgentEntry {
        agent: AgentId([*agent; 16]),
        tool: (*tool).to_owned(),
        description: String::new(),
        goes: Goes::InLine,
        asks_first: false,
    };
    AgentProfile {
        id: AgentId([number; 16]),
        name: format!("a{number}"),
        tools: ToolSet::Only { names: tools.iter().map(|&name| name.to_owned()).collect() },
        sub_agents: starts.iter().map(entry).collect(),
        ..profile()
    }
}

/// Of three, the first only reads, the second writes, and the third can start the second.
async fn house() -> House {
    let house = House::new(Mode::Default).await;
    house.save(agent(1, &["read"], &[])).await;
    house.save(agent(2, &["read", "write"], &[])).await;
    house.save(agent(3, &["read"], &[(2, "writer")])).await;
    let own = agent(0xA6, &["read", "write"], &[(1, "reader"), (2, "writer"), (3, "asker"), (9, "gone")]);
    house.save(own).await;
    house
}

/// D-46: all the way down, and in each mode.
#[tokio::test]
async fn a_sub_agent_is_offered_if_everything_inside_it_needs_nobody() {
    let mut house = house().await;
    house.quick(Mode::Default, ToolSet::All).await;
    assert_eq!(house.offered(), ["read", "reader"]);
    let own = AgentId([0xA6; 16]);
    assert_eq!(house.engine.unattended(own, Mode::Default).await.unwrap(), ["read", "reader"]);
    // What can't be used now gives no evidence that it wouldn't ask.
    assert_eq!(house.engine.unattended(own, Mode::Auto).await.unwrap(), ["read", "write", "reader", "writer", "asker"]);
    assert_eq!(house.engine.unattended(own, Mode::Plan).await.unwrap(), ["read", "reader", "writer", "asker"]);
}

/// D-39: what it does inside is part of the task, and its answer comes back.
#[tokio::test]
async fn a_sub_agent_runs_inside_a_task() {
    let mut house = house().await;
    house.script.will([calls(&[call("reader", "{\"task\":\"Look.\"}")])]);
    house.wardrobe.script_of(AgentId([1; 16])).will([calls(&[call("read", "{}")])]);
    house.quick(Mode::Default, ToolSet::All).await;
    assert_eq!(house.last_end().await, Some(RunEnd::Completed));
    assert_eq!(house.ran(), ["read"]);
    assert_eq!(house.results(), ["Done."]);
}

/// N-66, N-62's ceiling: what a sub-agent can tell is what its own tools can show it.
#[tokio::test]
async fn a_sub_agent_shows_what_its_tools_show() {
    let mut house = house().await;
    let zone = |zone| AgentPolicy { zone, ..AgentPolicy::default() };
    let own = agent(0xA6, &["read"], &[(1, "reader"), (9, "gone")]);
    house.save(AgentProfile { policy: zone(Zone::External), ..own.clone() }).await;
    house.say("Go.").await;
    assert_eq!(house.offered(), [""; 0], "nobody classified what it reads");
    house.place("read", ToolGroup::Look, DataClass::Workspace);
    house.say("Go.").await;
    assert_eq!(house.offered(), ["read", "reader"]);
}
