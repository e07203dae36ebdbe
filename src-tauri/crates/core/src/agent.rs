//! Agent profiles: who runs, with which model, where, and with which tools.

use serde::{Deserialize, Serialize};

use crate::asking::ModelSettings;
use crate::confine::CommandSettings;
use crate::fetch::Reaches;
use crate::ids::{AgentId, ServerId};
use crate::mode::Mode;
use crate::policy::{AgentPolicy, ModeSetting};
use crate::run::{Caps, Goes};
use crate::tool::{EXIT_PLAN_MODE, Effect, Mark, Marks, Origin, Tool, ToolIdentity};

/// The default number of rounds of a run.
pub const DEFAULT_ROUNDS: u32 = 25;
/// The most rounds that a profile may ask for.
pub const MOST_ROUNDS: u32 = 200;

/// An agent as the person set it up. Saving one makes a new revision; a run keeps the one that it started with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentProfile {
    /// Which.
    pub id: AgentId,
    /// Goes up by one with every save, from 1.
    pub revision: i64,
    /// The name that the person sees.
    pub name: String,
    /// What the model is told before everything else.
    pub instructions: String,
    /// Which model.
    pub model: ModelChoice,
    /// The workspace folder, absolute.
    pub folder: String,
    /// The mode that a new conversation starts in (MO-6).
    pub start_mode: Mode,
    /// Rounds a run, 1 to [`MOST_ROUNDS`] (IT-1).
    #[serde(default = "default_rounds")]
    pub rounds: u32,
    /// Which tools it has.
    pub tools: ToolSet,
    /// The profiles that it can start as sub-agents.
    #[serde(default)]
    pub sub_agents: Vec<SubAgentEntry>,
    /// How much a run and everything below it may do together (D-109).
    #[serde(default)]
    pub caps: Caps,
    /// What it says to the policy gates.
    #[serde(default)]
    pub policy: AgentPolicy,
    /// How far its commands are held in.
    #[serde(default)]
    pub commands: CommandSettings,
    /// The tool servers whose tools it has.
    #[serde(default)]
    pub servers: Vec<ServerId>,
    /// How its model is asked.
    #[serde(default)]
    pub asking: ModelSettings,
    /// Where its fetches may go.
    #[serde(default)]
    pub reaches: Reaches,
}

impl AgentProfile {
    /// The rounds that a run of it gets: what the profile says, within what there may be; where it says nothing the
    /// default and not the ceiling (N-69).
    pub fn round_limit(&self) -> u32 {
        self.rounds.clamp(1, MOST_ROUNDS)
    }

    /// The mode that a new conversation starts in: the given one, else the profile's own, else Default (MO-14). Where the
    /// mode is no setting there is only the last of these (MO-7).
    pub fn mode_to_start_in(&self, given: Option<Mode>) -> Mode {
        match self.policy.modes {
            ModeSetting::Configurable => given.unwrap_or(self.start_mode),
            ModeSetting::Fixed => Mode::Default,
        }
    }
}

fn default_rounds() -> u32 {
    DEFAULT_ROUNDS
}

/// A profile that another can start, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubAgentEntry {
    /// Which profile.
    pub agent: AgentId,
    /// What the caller's model calls it: 1 to 64 letters, digits, `_` or `-`.
    pub tool: String,
    /// What the caller's model is told about it.
    pub description: String,
    /// Whether the caller waits for its answer.
    pub goes: Goes,
    /// Whether starting it asks first (RQ-1). What it does inside asks by itself.
    pub asks_first: bool,
}

impl SubAgentEntry {
    /// The tool that starts it. It has no effect of its own and may run beside its neighbours (D-94).
    pub fn as_tool(&self) -> Tool {
        let asks = self.asks_first.then_some(Mark::RequiresApproval);
        Tool {
            identity: ToolIdentity {
                origin: Origin::SubAgent { agent: self.agent, goes: self.goes },
                name: self.tool.clone(),
            },
            description: self.description.clone(),
            parameters: TASK.to_owned(),
            effect: Effect::Read,
            marks: Marks::of(asks.into_iter().chain([Mark::ParallelSafe])),
        }
    }
}

/// What a sub-agent is started with.
const TASK: &str = r#"{"type":"object","properties":{"task":{"type":"string","description":"What it shall do, with everything that it needs to know; it sees nothing else of this conversation"}},"required":["task"],"additionalProperties":false}"#;

/// The task among the arguments of a call that starts a sub-agent; none if it is missing, blank or no text.
pub fn task_text(arguments: &str) -> Option<String> {
    let tree = crate::parse::arguments(arguments).ok()?;
    let task = tree.get("task")?.as_text()?;
    (!task.trim().is_empty()).then(|| task.to_owned())
}

/// How far below a conversation's own agent sub-agents may run.
pub const DEEPEST: usize = 8;

/// Why a profile can't have the sub-agents that it names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubAgentFault {
    /// A profile would run below itself.
    #[error("`{0}` would be started by itself, directly or through others")]
    Cycle(String),
    /// They go further down than [`DEEPEST`].
    #[error("sub-agents may start others {DEEPEST} levels down; `{0}` would be one too many")]
    TooDeep(String),
    /// The model can't be told such a name.
    #[error("a sub-agent's name for the model is 1 to 64 letters, digits, `_` or `-`, and not taken: `{0}` isn't")]
    Name(String),
}

/// Checks the sub-agents of a profile that is about to be saved, with everything below them. `others` are the profiles as they
/// are stored; the profile itself replaces its stored form.
///
/// # Errors
/// The first [`SubAgentFault`].
pub fn check_sub_agents(profile: &AgentProfile, others: &[AgentProfile]) -> Result<(), SubAgentFault> {
    let mut names = std::collections::BTreeSet::new();
    for entry in &profile.sub_agents {
        let fits = (1..=64).contains(&entry.tool.len())
            && entry.tool.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
            && entry.tool != EXIT_PLAN_MODE;
        if !fits || !names.insert(&entry.tool) {
            return Err(SubAgentFault::Name(entry.tool.clone()));
        }
    }
    let find = |id: AgentId| if id == profile.id { Some(profile) } else { others.iter().find(|one| one.id == id) };
    // Whoever can start the profile gets deeper with it, so every profile is looked at from itself.
    let all = others.iter().filter(|one| one.id != profile.id).chain([profile]);
    for start in all {
        descend(start, &mut vec![start.id], &find)?;
    }
    Ok(())
}

fn descend<'a>(
    at: &'a AgentProfile,
    path: &mut Vec<AgentId>,
    find: &impl Fn(AgentId) -> Option<&'a AgentProfile>,
) -> Result<(), SubAgentFault> {
    for below in at.sub_agents.iter().filter_map(|entry| find(entry.agent)) {
        if path.contains(&below.id) {
            return Err(SubAgentFault::Cycle(below.name.clone()));
        }
        if path.len() > DEEPEST {
            return Err(SubAgentFault::TooDeep(below.name.clone()));
        }
        path.push(below.id);
        descend(below, path, find)?;
        path.pop();
    }
    Ok(())
}

/// Which model an agent talks to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum ModelChoice {
    /// An endpoint that speaks OpenAI-compatible chat completions.
    OpenAiChat {
        /// The base address, such as `http://127.0.0.1:11434/v1`.
        base_url: String,
        /// The model's name there.
        model: String,
        /// Where its key is. The key itself is never stored here.
        key: KeySource,
    },
    /// An endpoint that speaks OpenAI Responses.
    OpenAiResponses {
        /// The base address, such as `https://api.openai.com/v1`.
        base_url: String,
        /// The model's name there.
        model: String,
        /// Where its key is.
        key: KeySource,
    },
    /// An endpoint that speaks Anthropic Messages.
    AnthropicMessages {
        /// The base address, such as `https://api.anthropic.com/v1`.
        base_url: String,
        /// The model's name there.
        model: String,
        /// Where its key is.
        key: KeySource,
    },
    /// The script of the Rehearsal; no network, no key.
    Scripted,
}

/// How an endpoint is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WireFormat {
    /// OpenAI-compatible chat completions.
    OpenAiChat,
    /// OpenAI Responses.
    OpenAiResponses,
    /// Anthropic Messages.
    AnthropicMessages,
}

impl WireFormat {
    /// All there are.
    pub const ALL: [Self; 3] = [Self::OpenAiChat, Self::OpenAiResponses, Self::AnthropicMessages];
}

/// A model behind an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndpointChoice<'a> {
    /// How it is spoken to.
    pub format: WireFormat,
    /// The base address.
    pub base_url: &'a str,
    /// The model's name there.
    pub model: &'a str,
    /// Where its key is.
    pub key: &'a KeySource,
}

impl ModelChoice {
    /// The model of this name at an address.
    pub fn at(format: WireFormat, base_url: String, model: String, key: KeySource) -> Self {
        match format {
            WireFormat::OpenAiChat => Self::OpenAiChat { base_url, model, key },
            WireFormat::OpenAiResponses => Self::OpenAiResponses { base_url, model, key },
            WireFormat::AnthropicMessages => Self::AnthropicMessages { base_url, model, key },
        }
    }

    /// Where the model is; none for the Rehearsal's.
    pub fn endpoint(&self) -> Option<EndpointChoice<'_>> {
        let (format, base_url, model, key) = match self {
            Self::OpenAiChat { base_url, model, key } => (WireFormat::OpenAiChat, base_url, model, key),
            Self::OpenAiResponses { base_url, model, key } => (WireFormat::OpenAiResponses, base_url, model, key),
            Self::AnthropicMessages { base_url, model, key } => (WireFormat::AnthropicMessages, base_url, model, key),
            Self::Scripted => return None,
        };
        Some(EndpointChoice { format, base_url, model, key })
    }
}

/// Where an endpoint's key is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "from")]
pub enum KeySource {
    /// The endpoint wants none.
    None,
    /// In the system's key store, under the agent's id.
    Keyring,
    /// In an environment variable.
    Env {
        /// Its name.
        name: String,
    },
    /// In a file that only the person can read, after they agreed to it.
    File,
}

/// A set of tools. Absent and empty can't be confused (D-48).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "are")]
pub enum ToolSet {
    /// All that there are.
    #[default]
    All,
    /// Exactly these; an empty list is no tool at all.
    Only {
        /// Their names.
        names: Vec<String>,
    },
}

impl ToolSet {
    /// Whether the tool of this name is in the set.
    pub fn has(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only { names } => names.iter().any(|one| one == name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{CeilingGate, GroupSet, Zone};

    /// A profile as it was stored before there were gates: it loads, and nothing that it could use is held back.
    #[test]
    fn an_older_profile_loads_and_can_use_what_it_could() {
        let stored = r#"{"id":"01010101010101010101010101010101","revision":3,"name":"A","instructions":"","model":
            {"kind":"open_ai_chat","base_url":"https://models.example/v1","model":"m","key":{"from":"none"}},
            "folder":"/w","start_mode":"plan","rounds":12,"tools":{"are":"only","names":["read_file"]}}"#;
        let profile: AgentProfile = serde_json::from_str(stored).unwrap();
        assert_eq!(profile.policy, AgentPolicy::default());
        assert_eq!(profile.commands, CommandSettings::default());
        assert_eq!((&profile.asking, profile.reaches), (&ModelSettings::default(), Reaches::Public));
        assert_eq!((profile.policy.zone, profile.policy.gate), (Zone::Unstated, CeilingGate::Enforce));
        assert_eq!((&profile.policy.groups, profile.rounds), (&GroupSet::All, 12));
        assert!(profile.tools.has("read_file") && !profile.tools.has("run_command"));
        let again = serde_json::to_string(&profile).unwrap();
        assert_eq!(serde_json::from_str::<AgentProfile>(&again).unwrap(), profile);
    }

    /// N-69: absent rounds are the default, and not the ceiling.
    #[test]
    fn rounds_are_clamped_and_absent_ones_are_the_default() {
        let rounds = |rounds: &str| {
            let stored = format!(
                r#"{{"id":"01010101010101010101010101010101","revision":1,"name":"A","instructions":"","model":
                {{"kind":"scripted"}},"folder":"/w","start_mode":"default",{rounds}"tools":{{"are":"all"}}}}"#
            );
            serde_json::from_str::<AgentProfile>(&stored).unwrap().round_limit()
        };
        assert_eq!(
            [rounds("\"rounds\":500,"), rounds("\"rounds\":3,"), rounds("\"rounds\":0,"), rounds("")],
            [200, 3, 1, 25]
        );
    }

    #[test]
    fn a_choice_stored_before_there_were_formats_still_loads() {
        let stored =
            r#"{"kind":"open_ai_chat","base_url":"http://127.0.0.1:11434/v1","model":"m","key":{"from":"none"}}"#;
        let choice: ModelChoice = serde_json::from_str(stored).unwrap();
        let address = || "http://127.0.0.1:11434/v1".to_owned();
        assert_eq!(choice, ModelChoice::at(WireFormat::OpenAiChat, address(), "m".to_owned(), KeySource::None));
        assert_eq!(serde_json::from_str::<ModelChoice>(r#"{"kind":"scripted"}"#).unwrap().endpoint(), None);
        let kinds = ["open_ai_chat", "open_ai_responses", "anthropic_messages"];
        for (format, kind) in WireFormat::ALL.into_iter().zip(kinds) {
            let choice = ModelChoice::at(format, address(), "m".to_owned(), KeySource::Keyring);
            let written = serde_json::to_string(&choice).unwrap();
            assert!(written.contains(&format!("\"kind\":\"{kind}\"")), "what is stored keeps its name: {written}");
            assert_eq!(serde_json::from_str::<ModelChoice>(&written).unwrap(), choice);
            assert_eq!(choice.endpoint().map(|endpoint| endpoint.format), Some(format));
        }
    }
}
