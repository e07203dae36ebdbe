//! The agents that a run needs: the conversation's own, and every profile that it can start below itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use countersign_core::agent::{AgentProfile, DEEPEST, ToolSet};
use countersign_core::head::Head;
use countersign_core::ids::{AgentId, ConversationId};
use countersign_core::input::{Guards, SubAgent};
use countersign_core::mode::Mode;
use countersign_core::offer::offer_below;
use countersign_core::policy::{DataClass, Place, Registered, ToolGroup};
use countersign_core::run::{Failure, FailureKind};
use countersign_core::server::ServerProfile;
use countersign_core::tool::{Origin, Tool, register};
use countersign_core::unattended::{Inside, unattended_in};

use crate::engine::Shared;
use crate::error::EngineError;
use crate::gates::{Gated, gated, registered};
use crate::ports::{GuardedRun, Outfit, Purpose};

/// An agent as it came to life.
#[derive(Clone)]
pub(crate) struct Member {
    pub(crate) profile: AgentProfile,
    pub(crate) outfit: Outfit,
    /// What it may use at most; a caller's list can only narrow (N-65).
    only: ToolSet,
    /// What each profile that it can start can show it.
    shows: BTreeMap<AgentId, DataClass>,
    shared: Arc<Shared>,
}

impl Member {
    /// What there is: its own tools, and one for each profile that it can start.
    fn registered(&self) -> Vec<Registered> {
        let mut registered = registered(self.outfit.toolbox.as_ref());
        registered.extend(self.profile.sub_agents.iter().map(|entry| {
            let data = self.shows.get(&entry.agent).copied().unwrap_or(DataClass::Unclassified);
            Registered { tool: entry.as_tool(), place: Place { group: ToolGroup::Agent, data } }
        }));
        registered
    }

    /// Its tools as they are now, after the policy gates, and what these say of all that there is.
    pub(crate) fn gated(&self) -> Gated {
        gated(&self.registered(), &self.shared.switches(), &self.profile, &self.only)
    }

    /// Its tools as they are now, after the policy gates.
    pub(crate) fn tools(&self) -> Vec<Tool> {
        self.gated().tools
    }

    /// What guards are told about a run of this agent.
    pub(crate) fn guarded_run(&self, conversation: ConversationId) -> GuardedRun {
        GuardedRun { conversation, agent: self.profile.id, folder: self.profile.folder.clone() }
    }

    fn guards(&self) -> Guards {
        if self.outfit.guards.iter().any(|guard| guard.has_a_say()) { Guards::Some } else { Guards::None }
    }

    fn as_sub_agent(&self) -> SubAgent {
        let Gated { tools, explained } = self.gated();
        SubAgent {
            tools,
            guards: self.guards(),
            limit: self.profile.round_limit(),
            revision: self.profile.revision,
            gates: explained,
        }
    }
}

/// All of them, found afresh when a run starts.
pub(crate) struct Crew {
    own: Member,
    below: BTreeMap<AgentId, Member>,
}

impl Crew {
    /// Finds the conversation's agent and whatever it, or a sub-agent that waits in the conversation, can start. One below it that can't
    /// be used now is left out; a call that would start it is told so.
    pub(crate) async fn find(shared: &Arc<Shared>, head: &Head) -> Result<Self, EngineError> {
        let waiting = head.children.values().filter_map(|run| Some(run.child.as_ref()?.agent));
        Self::of(shared, head.conversation.agent, waiting.collect()).await
    }

    /// The same for an agent without a conversation; `waiting` are further profiles that are needed.
    pub(crate) async fn of(shared: &Arc<Shared>, agent: AgentId, waiting: Vec<AgentId>) -> Result<Self, EngineError> {
        let profile = shared.store.agent(agent).await?.ok_or(EngineError::NotFound)?;
        let own = member(shared, profile).await.map_err(EngineError::Outfit)?;
        let mut below = BTreeMap::new();
        let mut wanted: Vec<AgentId> = own.profile.sub_agents.iter().map(|entry| entry.agent).chain(waiting).collect();
        if wanted.is_empty() {
            return Ok(Self { own, below });
        }
        let profiles = shared.store.agents().await?;
        while let Some(agent) = wanted.pop() {
            if below.contains_key(&agent) {
                continue;
            }
            let Some(profile) = profiles.iter().find(|profile| profile.id == agent) else { continue };
            match member(shared, profile.clone()).await {
                Ok(member) => {
                    wanted.extend(member.profile.sub_agents.iter().map(|entry| entry.agent));
                    below.insert(agent, member);
                }
                Err(failure) => tracing::warn!(?failure, "a sub-agent can't be used now"),
            }
        }
        let mut crew = Self { own, below };
        crew.say_what_they_show();
        Ok(crew)
    }

    /// What a sub-agent tells its caller can hold whatever its own tools showed it, and so on down. One that can't be used, or
    /// that lies too deep to be followed, counts as the most.
    fn say_what_they_show(&mut self) {
        let all: Vec<AgentId> = self.below.keys().copied().collect();
        let shows: BTreeMap<AgentId, DataClass> =
            all.iter().map(|agent| (*agent, self.shows(*agent, DEEPEST))).collect();
        for member in std::iter::once(&mut self.own).chain(self.below.values_mut()) {
            member.shows.clone_from(&shows);
        }
    }

    fn shows(&self, agent: AgentId, deep: usize) -> DataClass {
        let (Some(member), Some(deeper)) = (self.below.get(&agent), deep.checked_sub(1)) else {
            return DataClass::Unclassified;
        };
        let own = registered(member.outfit.toolbox.as_ref()).into_iter();
        let own = own.filter(|one| member.profile.tools.has(&one.tool.identity.name)).map(|one| one.place.data);
        let below = member.profile.sub_agents.iter().map(|entry| self.shows(entry.agent, deeper));
        own.chain(below).max().unwrap_or(DataClass::Given)
    }

    /// Gives the conversation's own agent a list that it may use at most (N-65).
    pub(crate) fn narrow(&mut self, only: ToolSet) {
        self.own.only = only;
    }

    /// The list of a Quick task: what the gates let through, and of that what needs nobody (UN-8, N-102). Fixed when it
    /// starts: a tool that comes to need somebody later ends the task instead of vanishing (D-47).
    pub(crate) fn unattended(&self, mode: Mode) -> Vec<String> {
        self.unattended_of(&self.own, mode, DEEPEST)
    }

    fn unattended_of(&self, member: &Member, mode: Mode, deep: usize) -> Vec<String> {
        let tools = offer_below(&member.tools(), mode);
        let names: Vec<String> = tools.iter().map(|tool| tool.identity.name.clone()).collect();
        unattended_in(mode, &names, &tools, |tool| self.inside(tool, mode, deep))
    }

    /// What a tool has inside: of a sub-agent everything that it is offered must need nobody (D-46).
    fn inside(&self, tool: &Tool, mode: Mode, deep: usize) -> Inside {
        let agent = match &tool.identity.origin {
            Origin::BuiltIn { .. } | Origin::Server { .. } | Origin::Conversation => return Inside::Nothing,
            Origin::SubAgent { agent, .. } => agent,
        };
        let (Some(member), Some(deeper)) = (self.below.get(agent), deep.checked_sub(1)) else {
            return Inside::MayAsk;
        };
        let offered = offer_below(&member.tools(), mode).len();
        if self.unattended_of(member, mode, deeper).len() == offered { Inside::Unattended } else { Inside::MayAsk }
    }

    /// The conversation's own agent.
    pub(crate) fn profile(&self) -> &AgentProfile {
        &self.own.profile
    }

    /// What the core needs of the conversation's own agent.
    pub(crate) fn own(&self) -> SubAgent {
        self.own.as_sub_agent()
    }

    /// What the core needs of those below it.
    pub(crate) fn below(&self) -> BTreeMap<AgentId, SubAgent> {
        self.below.iter().map(|(agent, member)| (*agent, member.as_sub_agent())).collect()
    }

    /// The agent of a thread: the conversation's own, or one below it.
    pub(crate) fn member(&self, own: bool, agent: AgentId) -> Option<&Member> {
        if own { Some(&self.own) } else { self.below.get(&agent) }
    }
}

/// Brings a profile to life. Tools that can't stand together are refused before anything runs with them (N-10, N-12, D-33).
async fn member(shared: &Arc<Shared>, profile: AgentProfile) -> Result<Member, Failure> {
    let servers = servers_of(shared, &profile).await?;
    let outfit = shared.outfitter.outfit(&profile, &servers, Purpose::Run).await?;
    let (only, shows, shared) = (ToolSet::All, BTreeMap::new(), Arc::clone(shared));
    let member = Member { profile, outfit, only, shows, shared };
    match register(member.registered().into_iter().map(|one| one.tool).collect()) {
        Ok(_) => Ok(member),
        Err(fault) => Err(Failure { kind: FailureKind::Agent, text: fault.to_string() }),
    }
}

/// The tool servers that a profile names and that there are.
async fn servers_of(shared: &Arc<Shared>, profile: &AgentProfile) -> Result<Vec<ServerProfile>, Failure> {
    if profile.servers.is_empty() {
        return Ok(Vec::new());
    }
    let servers = shared.store.servers().await.map_err(|error| {
        tracing::error!(%error, "the tool servers can't be read");
        Failure { kind: FailureKind::Agent, text: "the tool servers can't be read".to_owned() }
    })?;
    Ok(servers.into_iter().filter(|server| profile.servers.contains(&server.id)).collect())
}
