//! Agent profiles between the wire and the core: saving, checking, choosing.

use countersign_core::agent::{
    AgentProfile, KeySource, MOST_ROUNDS, ModelChoice, SubAgentEntry, ToolSet, check_sub_agents,
};
use countersign_core::ids::{AgentId, NotAnId};
use countersign_core::offer::is_offered;
use countersign_core::run::{Caps, Goes};
use countersign_core::tool::{Tool, requires_approval};
use countersign_store::record::Record;

use crate::cards::{core_mode, mode};
use crate::desk::Desk;
use crate::display::text::{plain, safe};
use crate::error::{invalid, not_found, refused};
use crate::wire::agent::{self, Agent, SaveAgent, ToolRow};
use crate::wire::window::{ApiError, FeedWhat};

/// A profile as the editor shows it.
pub(crate) fn agent(profile: &AgentProfile) -> Agent {
    let (base_url, model, key) = match &profile.model {
        ModelChoice::OpenAiChat { base_url, model, key } => (base_url.clone(), model.clone(), key_source(key)),
        ModelChoice::Scripted => (String::new(), "scripted".to_owned(), agent::KeySource::None),
    };
    Agent {
        id: Some(profile.id.to_string()),
        revision: profile.revision,
        name: profile.name.clone(),
        instructions: profile.instructions.clone(),
        base_url,
        model,
        key,
        folder: profile.folder.clone(),
        start_mode: mode(profile.start_mode),
        rounds: profile.rounds,
        tools: match &profile.tools {
            ToolSet::All => None,
            ToolSet::Only { names } => Some(names.clone()),
        },
        caps: agent::Caps {
            model_calls: profile.caps.model_calls,
            agents: profile.caps.agents,
            beside: profile.caps.beside,
        },
        sub_agents: profile
            .sub_agents
            .iter()
            .map(|entry| agent::SubAgent {
                agent: entry.agent.to_string(),
                tool: entry.tool.clone(),
                description: entry.description.clone(),
                beside: entry.goes == Goes::Beside,
                asks_first: entry.asks_first,
            })
            .collect(),
    }
}

/// All agents of a space.
pub(crate) async fn agents(desk: &Desk) -> Result<Vec<Agent>, ApiError> {
    Ok(desk.engine.store().agents().await?.iter().map(agent).collect())
}

/// A profile from the wire, checked except for its folder.
pub(crate) fn profile(agent: &Agent) -> Result<AgentProfile, ApiError> {
    let id = match &agent.id {
        Some(id) => id.parse().map_err(|_: NotAnId| not_found("agent"))?,
        None => AgentId(*uuid::Uuid::now_v7().as_bytes()),
    };
    let base_url = agent.base_url.trim().trim_end_matches('/').to_owned();
    if !(base_url.starts_with("http://") || base_url.starts_with("https://")) {
        return Err(invalid("base_url", "The address must begin with http:// or https://."));
    }
    if agent.model.trim().is_empty() {
        return Err(invalid("model", "Choose a model."));
    }
    if !(1..=MOST_ROUNDS).contains(&agent.rounds) {
        return Err(invalid("rounds", format!("Rounds must be between 1 and {MOST_ROUNDS}.")));
    }
    Ok(AgentProfile {
        id,
        revision: agent.revision,
        name: agent.name.trim().to_owned(),
        instructions: agent.instructions.clone(),
        model: ModelChoice::OpenAiChat {
            base_url,
            model: agent.model.trim().to_owned(),
            key: core_key_source(&agent.key)?,
        },
        folder: agent.folder.trim().to_owned(),
        start_mode: core_mode(agent.start_mode),
        rounds: agent.rounds,
        tools: match &agent.tools {
            None => ToolSet::All,
            Some(names) => ToolSet::Only { names: names.clone() },
        },
        caps: caps(agent.caps)?,
        sub_agents: agent
            .sub_agents
            .iter()
            .map(|entry| {
                Ok(SubAgentEntry {
                    agent: entry.agent.parse().map_err(|_: NotAnId| not_found("agent"))?,
                    tool: entry.tool.trim().to_owned(),
                    description: entry.description.trim().to_owned(),
                    goes: if entry.beside { Goes::Beside } else { Goes::InLine },
                    asks_first: entry.asks_first,
                })
            })
            .collect::<Result<_, ApiError>>()?,
    })
}

/// The caps from the wire: within what there may be, or a fault that says so.
fn caps(caps: agent::Caps) -> Result<Caps, ApiError> {
    let wanted = Caps { model_calls: caps.model_calls, agents: caps.agents, beside: caps.beside };
    if wanted == wanted.clamped() {
        return Ok(wanted);
    }
    let most = Caps::default();
    Err(invalid(
        "caps",
        format!(
            "A run and the agents below it may make 1 to {} model calls, start up to {} agents, and have up to {} at work beside it.",
            most.model_calls, most.agents, most.beside
        ),
    ))
}

/// Saves an agent: the key to the key store first, then the profile in a new revision.
pub(crate) async fn save(desk: &Desk, save: SaveAgent) -> Result<Agent, ApiError> {
    let mut profile = profile(&save.agent)?;
    if profile.name.is_empty() {
        return Err(invalid("name", "Give the agent a name."));
    }
    desk.host.folders.check(&profile.folder).map_err(|why| invalid("folder", crate::error::sentence(&why)))?;
    let others = desk.engine.store().agents().await?;
    check_sub_agents(&profile, &others)
        .map_err(|fault| invalid("sub_agents", crate::error::sentence(&fault.to_string())))?;
    let stored = desk.engine.store().agent(profile.id).await?;
    // A stale editor must not undo what another window saved.
    if let Some(stored) = &stored
        && stored.revision != save.agent.revision
    {
        return Err(refused("This agent was changed in another window. Load it again."));
    }
    profile.revision = stored.as_ref().map_or(1, |stored| stored.revision + 1);
    if let (Some(key), ModelChoice::OpenAiChat { key: source, .. }) = (&save.new_key, &profile.model)
        && !key.trim().is_empty()
    {
        let kept = desk.host.keys.keep(profile.id, source, key.trim()).await;
        kept.map_err(|why| invalid("key", crate::error::sentence(&why)))?;
    }
    desk.engine.store().record(Record::Agent(Box::new(profile.clone()))).await?;
    desk.feed.publish(desk.space, FeedWhat::Agents { agents: agents(desk).await? });
    Ok(agent(&profile))
}

/// Deletes an agent that has no conversation, and its key.
pub(crate) async fn delete(desk: &Desk, id: &str) -> Result<(), ApiError> {
    let id: AgentId = id.parse().map_err(|_: NotAnId| not_found("agent"))?;
    let conversations = desk.engine.store().conversations_of(id).await?;
    if conversations > 0 {
        let what =
            if conversations == 1 { "1 conversation".to_owned() } else { format!("{conversations} conversations") };
        return Err(refused(format!("This agent has {what}. Delete them first.")));
    }
    let agents_left = desk.engine.store().agents().await?;
    if let Some(caller) = agents_left.iter().find(|one| one.sub_agents.iter().any(|entry| entry.agent == id)) {
        return Err(refused(format!(
            "The agent {} can start this one. Change that first.",
            plain(&safe(&caller.name))
        )));
    }
    let at = desk.host.clock.now();
    desk.engine.store().record(Record::AgentDeleted { agent: id, at }).await?;
    desk.host.keys.forget(id).await;
    desk.feed.publish(desk.space, FeedWhat::Agents { agents: agents(desk).await? });
    Ok(())
}

/// A tool, for choosing.
pub(crate) fn tool_row(tool: &Tool) -> ToolRow {
    ToolRow {
        name: tool.identity.name.clone(),
        description: safe(&tool.description),
        asks: requires_approval(tool),
        in_plan: is_offered(tool, countersign_core::mode::Mode::Plan),
    }
}

fn key_source(source: &KeySource) -> agent::KeySource {
    match source {
        KeySource::None => agent::KeySource::None,
        KeySource::Keyring => agent::KeySource::Keyring,
        KeySource::Env { name } => agent::KeySource::Env { name: name.clone() },
        KeySource::File => agent::KeySource::File,
    }
}

fn core_key_source(source: &agent::KeySource) -> Result<KeySource, ApiError> {
    Ok(match source {
        agent::KeySource::None => KeySource::None,
        agent::KeySource::Keyring => KeySource::Keyring,
        agent::KeySource::Env { name } if name.trim().is_empty() => {
            return Err(invalid("key", "Name the environment variable that holds the key."));
        }
        agent::KeySource::Env { name } => KeySource::Env { name: name.trim().to_owned() },
        agent::KeySource::File => KeySource::File,
    })
}
