//! Agent profiles between the wire and the core: saving, checking, choosing.

use countersign_core::agent::{
    AgentProfile, KeySource, MOST_ROUNDS, ModelChoice, SubAgentEntry, ToolSet, WireFormat, check_sub_agents,
};
use countersign_core::confine::{CommandSettings, Hold, Network, NotOffered};
use countersign_core::fetch::{HTTP_FETCH, Reaches};
use countersign_core::ids::{AgentId, NotAnId};
use countersign_core::offer::is_offered;
use countersign_core::policy::{
    AgentPolicy, AskFirst, CeilingGate, Denied, Gates, GroupSet, ModeSetting, Off, Place, Registered, Ruling, Switches,
    ToolGroup, Zone, explain,
};
use countersign_core::run::{Caps, Goes};
use countersign_core::tool::{Mark, Tool, requires_approval};
use countersign_store::record::Record;

use crate::asking;
use crate::cards::{core_mode, mode};
use crate::desk::Desk;
use crate::display::text::{plain, safe};
use crate::error::{invalid, not_found, refused};
use crate::host::Kept;
use crate::wire::agent::{self, Agent, Asks, Group, SaveAgent, ToolRow};
use crate::wire::window::{ApiError, FeedWhat};
use crate::words::{Thing, say};

/// A profile as the editor shows it.
pub(crate) fn agent(profile: &AgentProfile) -> Agent {
    let (format, base_url, model, key) = match profile.model.endpoint() {
        Some(at) => (wire_format(at.format), at.base_url.to_owned(), at.model.to_owned(), key_source(at.key)),
        None => (agent::WireFormat::OpenAiChat, String::new(), "scripted".to_owned(), agent::KeySource::None),
    };
    Agent {
        id: Some(profile.id.to_string()),
        revision: profile.revision,
        name: profile.name.clone(),
        instructions: profile.instructions.clone(),
        format,
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
        servers: profile.servers.iter().map(ToString::to_string).collect(),
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
        groups: match &profile.policy.groups {
            GroupSet::All => None,
            GroupSet::Only { groups } => Some(groups.iter().map(|group| wire_group(*group)).collect()),
        },
        zone: match profile.policy.zone {
            Zone::Unstated => agent::Zone::Unstated,
            Zone::Local => agent::Zone::Local,
            Zone::Private => agent::Zone::Private,
            Zone::External => agent::Zone::External,
        },
        ceiling: match profile.policy.gate {
            CeilingGate::Enforce => agent::Ceiling::Enforce,
            CeilingGate::Observe => agent::Ceiling::Observe,
        },
        hold: match profile.commands.hold {
            Hold::Strongest => agent::Hold::Strongest,
            Hold::Required => agent::Hold::Required,
            Hold::Never => agent::Hold::Never,
        },
        network: match profile.commands.network {
            Network::On => agent::Network::On,
            Network::Off => agent::Network::Off,
        },
        asking: asking::shown(&profile.asking),
        private_addresses: profile.reaches == Reaches::Private,
    }
}

/// All agents of a space.
pub(crate) async fn agents(desk: &Desk) -> Result<Vec<Agent>, ApiError> {
    Ok(desk.engine.store().agents().await?.iter().map(agent).collect())
}

/// A profile from the wire, checked except for its folder.
pub(crate) fn profile(agent: &Agent) -> Result<AgentProfile, ApiError> {
    let id = match &agent.id {
        Some(id) => id.parse().map_err(|_: NotAnId| not_found(Thing::Agent))?,
        None => AgentId(*uuid::Uuid::now_v7().as_bytes()),
    };
    let base_url = agent.base_url.trim().trim_end_matches('/').to_owned();
    if !(base_url.starts_with("http://") || base_url.starts_with("https://")) {
        return Err(invalid("base_url", say().address_begins()));
    }
    if agent.model.trim().is_empty() {
        return Err(invalid("model", say().choose_model()));
    }
    if !(1..=MOST_ROUNDS).contains(&agent.rounds) {
        return Err(invalid("rounds", say().rounds_range(MOST_ROUNDS)));
    }
    let format = core_wire_format(agent.format);
    Ok(AgentProfile {
        id,
        revision: agent.revision,
        name: agent.name.trim().to_owned(),
        instructions: agent.instructions.clone(),
        model: ModelChoice::at(format, base_url, agent.model.trim().to_owned(), core_key_source(&agent.key)?),
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
                    agent: entry.agent.parse().map_err(|_: NotAnId| not_found(Thing::Agent))?,
                    tool: entry.tool.trim().to_owned(),
                    description: entry.description.trim().to_owned(),
                    goes: if entry.beside { Goes::Beside } else { Goes::InLine },
                    asks_first: entry.asks_first,
                })
            })
            .collect::<Result<_, ApiError>>()?,
        policy: policy(agent),
        commands: commands(agent)?,
        servers: agent
            .servers
            .iter()
            .map(|id| id.parse().map_err(|_: NotAnId| not_found(Thing::ToolServer)))
            .collect::<Result<_, ApiError>>()?,
        asking: asking::settings(&agent.asking, format)?,
        reaches: reaches(agent),
    })
}

fn reaches(agent: &Agent) -> Reaches {
    if agent.private_addresses { Reaches::Private } else { Reaches::Public }
}

/// How far commands are held in, from the wire.
fn commands(agent: &Agent) -> Result<CommandSettings, ApiError> {
    let hold = match agent.hold {
        agent::Hold::Strongest => Hold::Strongest,
        agent::Hold::Required => Hold::Required,
        agent::Hold::Never => Hold::Never,
    };
    let network = match agent.network {
        agent::Network::On => Network::On,
        agent::Network::Off => Network::Off,
    };
    match (hold, network) {
        (Hold::Never, Network::Off) => Err(invalid("network", say().not_offered(&NotOffered::NetworkOfUnconfined))),
        (Hold::Strongest | Hold::Required, _) | (Hold::Never, Network::On) => Ok(CommandSettings { hold, network }),
    }
}

/// The caps from the wire: within what there may be, or a fault that says so.
fn caps(caps: agent::Caps) -> Result<Caps, ApiError> {
    let wanted = Caps { model_calls: caps.model_calls, agents: caps.agents, beside: caps.beside };
    if wanted == wanted.clamped() {
        return Ok(wanted);
    }
    let most = Caps::default();
    Err(invalid("caps", say().caps_range(most.model_calls, most.agents, most.beside)))
}

/// What the editor says to the gates. Whether the mode is a setting isn't the editor's to say.
fn policy(agent: &Agent) -> AgentPolicy {
    AgentPolicy {
        groups: match &agent.groups {
            None => GroupSet::All,
            Some(groups) => GroupSet::Only { groups: groups.iter().map(|group| core_group(*group)).collect() },
        },
        zone: match agent.zone {
            agent::Zone::Unstated => Zone::Unstated,
            agent::Zone::Local => Zone::Local,
            agent::Zone::Private => Zone::Private,
            agent::Zone::External => Zone::External,
        },
        gate: match agent.ceiling {
            agent::Ceiling::Enforce => CeilingGate::Enforce,
            agent::Ceiling::Observe => CeilingGate::Observe,
        },
        modes: ModeSetting::default(),
    }
}

/// Saves an agent: the key to the key store first, then the profile in a new revision.
pub(crate) async fn save(desk: &Desk, save: SaveAgent) -> Result<Agent, ApiError> {
    let mut profile = profile(&save.agent)?;
    if profile.name.is_empty() {
        return Err(invalid("name", say().name_agent()));
    }
    desk.host.folders.check(&profile.folder).map_err(|why| invalid("folder", say().folder_unusable(&why)))?;
    let others = desk.engine.store().agents().await?;
    check_sub_agents(&profile, &others).map_err(|fault| invalid("sub_agents", say().sub_agent_fault(&fault)))?;
    let stored = desk.engine.store().agent(profile.id).await?;
    // A stale editor must not undo what another window saved.
    if let Some(stored) = &stored
        && stored.revision != save.agent.revision
    {
        return Err(refused(say().agent_changed()));
    }
    profile.revision = stored.as_ref().map_or(1, |stored| stored.revision + 1);
    profile.policy.modes = stored.as_ref().map_or_else(ModeSetting::default, |stored| stored.policy.modes);
    if let (Some(key), Some(endpoint)) = (&save.new_key, profile.model.endpoint())
        && !key.trim().is_empty()
    {
        let kept = desk.host.keys.keep(profile.id, Kept::Key, endpoint.key, key.trim()).await;
        kept.map_err(|why| invalid("key", say().secret_not_kept(&why)))?;
    }
    asking::keep_secrets(desk, &profile, stored.as_ref(), &save.new_headers).await?;
    desk.engine.store().record(Record::Agent(Box::new(profile.clone()))).await?;
    if let Some(stored) = &stored {
        asking::forget_secrets(desk, stored, Some(&profile)).await;
    }
    desk.feed.publish(desk.space, FeedWhat::Agents { agents: agents(desk).await? });
    Ok(agent(&profile))
}

/// Deletes an agent that has no conversation, and its key.
pub(crate) async fn delete(desk: &Desk, id: &str) -> Result<(), ApiError> {
    let id: AgentId = id.parse().map_err(|_: NotAnId| not_found(Thing::Agent))?;
    let conversations = desk.engine.store().conversations_of(id).await?;
    if conversations > 0 {
        return Err(refused(say().agent_has_conversations(u64::try_from(conversations).unwrap_or_default())));
    }
    let agents_left = desk.engine.store().agents().await?;
    if let Some(caller) = agents_left.iter().find(|one| one.sub_agents.iter().any(|entry| entry.agent == id)) {
        return Err(refused(say().agent_can_be_started(&plain(&safe(&caller.name)))));
    }
    let at = desk.host.clock.now();
    let gone = desk.engine.store().agent(id).await?;
    desk.engine.store().record(Record::AgentDeleted { agent: id, at }).await?;
    desk.host.keys.forget(id, Kept::Key).await;
    if let Some(gone) = gone {
        asking::forget_secrets(desk, &gone, None).await;
    }
    desk.feed.publish(desk.space, FeedWhat::Agents { agents: agents(desk).await? });
    Ok(())
}

/// Every tool with what the gates say of it for an agent as it stands in the editor.
pub(crate) fn tool_rows(desk: &Desk, agent: &Agent) -> Vec<ToolRow> {
    let switches = desk.engine.switches();
    let tools = match &agent.tools {
        None => ToolSet::All,
        Some(names) => ToolSet::Only { names: names.clone() },
    };
    let policy = policy(agent);
    let gates = Gates { switches: &switches, tools: &tools, policy: &policy };
    let mut catalogue = desk.host.catalogue.clone();
    for one in catalogue.iter_mut().filter(|one| one.tool.identity.name == HTTP_FETCH) {
        one.place.data = reaches(agent).data();
    }
    let explained = explain(&ToolSet::All, &catalogue, gates);
    let rows = catalogue.iter().zip(explained);
    rows.map(|(one, explained)| {
        let tool = switches.mark(one.tool.clone());
        ToolRow {
            name: tool.identity.name.clone(),
            description: safe(&tool.description),
            group: wire_group(one.place.group),
            ruling: ruling(&explained.ruling),
            asks: match (requires_approval(&one.tool), requires_approval(&tool)) {
                (true, _) => Asks::Always,
                (false, true) => Asks::Chosen,
                (false, false) if tool.marks.has(Mark::NeedsInput) => Asks::Question,
                (false, false) => Asks::Never,
            },
            in_plan: is_offered(&tool, countersign_core::mode::Mode::Plan),
        }
    })
    .collect()
}

/// What is switched for all agents, on the wire.
pub(crate) fn switches(desk: &Desk) -> agent::Switches {
    let switches = desk.engine.switches();
    let (off_tools, off_groups, off_lost) = match &switches.off {
        Off::These { tools, groups } => {
            (tools.iter().cloned().collect(), groups.iter().map(|group| wire_group(*group)).collect(), false)
        }
        Off::Unreadable => (Vec::new(), Vec::new(), true),
    };
    let (ask_first, asks_lost) = match &switches.ask_first {
        AskFirst::These { tools } => (tools.iter().cloned().collect(), false),
        AskFirst::Unreadable => (Vec::new(), true),
    };
    agent::Switches { off_tools, off_groups, ask_first, unreadable: off_lost || asks_lost }
}

/// Switches, for all agents and from the next call on.
pub(crate) async fn switch(desk: &Desk, switches: agent::Switches) -> Result<(), ApiError> {
    let switches = Switches {
        off: Off::These {
            tools: switches.off_tools.into_iter().collect(),
            groups: switches.off_groups.into_iter().map(core_group).collect(),
        },
        ask_first: AskFirst::These { tools: switches.ask_first.into_iter().collect() },
    };
    Ok(desk.engine.switch(switches).await?)
}

/// That a tool can show more than the agent's model should be sent, where the agent's page lets it through all the same.
pub(crate) fn above(desk: &Desk, profile: &AgentProfile, tool: Tool, place: Place) -> Option<String> {
    let gates = Gates { switches: &desk.engine.switches(), tools: &profile.tools, policy: &profile.policy };
    let explained = explain(&ToolSet::All, &[Registered { tool, place }], gates);
    match ruling(&explained.first()?.ruling) {
        agent::Ruling::Noted { text } => Some(text),
        agent::Ruling::Offered | agent::Ruling::Denied { .. } => None,
    }
}

/// Why a gate doesn't let a tool through, in words.
pub(crate) fn denied(why: &Denied) -> String {
    match why {
        Denied::Unregistered => say().no_such_tool(),
        Denied::Off => say().off_for_all(),
        Denied::GroupOff(_) => say().group_off_for_all(),
        Denied::SwitchesUnreadable => say().switches_unreadable(),
        Denied::NotOfAgent => say().not_chosen(),
        Denied::OutsideGroups(_) => say().group_off(),
        Denied::AboveCeiling(above) => say().held_back(above.data, above.zone),
    }
}

fn ruling(ruling: &Ruling) -> agent::Ruling {
    match ruling {
        Ruling::Offered => agent::Ruling::Offered,
        Ruling::Noted(above) => agent::Ruling::Noted { text: say().shows_above(above.data, above.zone) },
        Ruling::Denied(why) => agent::Ruling::Denied { text: denied(why) },
    }
}

fn wire_group(group: ToolGroup) -> Group {
    match group {
        ToolGroup::Look => Group::Look,
        ToolGroup::Change => Group::Change,
        ToolGroup::Command => Group::Command,
        ToolGroup::Web => Group::Web,
        ToolGroup::Ask => Group::Ask,
        ToolGroup::Agent => Group::Agent,
        ToolGroup::Server => Group::Server,
        ToolGroup::Other => Group::Other,
    }
}

fn core_group(group: Group) -> ToolGroup {
    match group {
        Group::Look => ToolGroup::Look,
        Group::Change => ToolGroup::Change,
        Group::Command => ToolGroup::Command,
        Group::Web => ToolGroup::Web,
        Group::Ask => ToolGroup::Ask,
        Group::Agent => ToolGroup::Agent,
        Group::Server => ToolGroup::Server,
        Group::Other => ToolGroup::Other,
    }
}

fn wire_format(format: WireFormat) -> agent::WireFormat {
    match format {
        WireFormat::OpenAiChat => agent::WireFormat::OpenAiChat,
        WireFormat::OpenAiResponses => agent::WireFormat::OpenAiResponses,
        WireFormat::AnthropicMessages => agent::WireFormat::AnthropicMessages,
    }
}

fn core_wire_format(format: agent::WireFormat) -> WireFormat {
    match format {
        agent::WireFormat::OpenAiChat => WireFormat::OpenAiChat,
        agent::WireFormat::OpenAiResponses => WireFormat::OpenAiResponses,
        agent::WireFormat::AnthropicMessages => WireFormat::AnthropicMessages,
    }
}

pub(crate) fn key_source(source: &KeySource) -> agent::KeySource {
    match source {
        KeySource::None => agent::KeySource::None,
        KeySource::Keyring => agent::KeySource::Keyring,
        KeySource::Env { name } => agent::KeySource::Env { name: name.clone() },
        KeySource::File => agent::KeySource::File,
    }
}

pub(crate) fn core_key_source(source: &agent::KeySource) -> Result<KeySource, ApiError> {
    Ok(match source {
        agent::KeySource::None => KeySource::None,
        agent::KeySource::Keyring => KeySource::Keyring,
        agent::KeySource::Env { name } if name.trim().is_empty() => {
            return Err(invalid("key", say().name_key_variable()));
        }
        agent::KeySource::Env { name } => KeySource::Env { name: name.trim().to_owned() },
        agent::KeySource::File => KeySource::File,
    })
}
