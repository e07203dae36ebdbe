//! The agents that a run needs: the conversation's own, and every profile that it can start below itself.

use std::collections::BTreeMap;

use countersign_core::agent::AgentProfile;
use countersign_core::head::Head;
use countersign_core::ids::AgentId;
use countersign_core::input::{Guards, SubAgent};
use countersign_core::run::{Failure, FailureKind};
use countersign_core::tool::{Tool, register};

use crate::engine::Shared;
use crate::error::EngineError;
use crate::ports::Outfit;

/// An agent as it came to life.
#[derive(Clone)]
pub(crate) struct Member {
    pub(crate) profile: AgentProfile,
    pub(crate) outfit: Outfit,
}

impl Member {
    /// Its tools as they are now: its own, and one for each profile that it can start.
    pub(crate) fn tools(&self) -> Vec<Tool> {
        let mut tools = self.outfit.toolbox.tools();
        tools.extend(self.profile.sub_agents.iter().map(countersign_core::agent::SubAgentEntry::as_tool));
        tools
    }

    fn guards(&self) -> Guards {
        if self.outfit.guards.is_empty() { Guards::None } else { Guards::Some }
    }

    fn as_sub_agent(&self) -> SubAgent {
        SubAgent {
            tools: self.tools(),
            guards: self.guards(),
            limit: self.profile.rounds,
            revision: self.profile.revision,
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
    pub(crate) async fn find(shared: &Shared, head: &Head) -> Result<Self, EngineError> {
        let profile = shared.store.agent(head.conversation.agent).await?.ok_or(EngineError::NotFound)?;
        let own = member(shared, profile).await.map_err(EngineError::Outfit)?;
        let mut below = BTreeMap::new();
        let waiting = head.children.values().filter_map(|run| Some(run.child.as_ref()?.agent));
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
        Ok(Self { own, below })
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
async fn member(shared: &Shared, profile: AgentProfile) -> Result<Member, Failure> {
    let outfit = shared.outfitter.outfit(&profile).await?;
    let member = Member { profile, outfit };
    match register(member.tools()) {
        Ok(_) => Ok(member),
        Err(fault) => Err(Failure { kind: FailureKind::Agent, text: fault.to_string() }),
    }
}
