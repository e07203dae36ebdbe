//! May a tool take part at all? Five gates answer that, in this order: it is registered; it and its group are switched on;
//! the agent's profile allows it; it lies inside the agent's groups; what it can show the model lies within the ceiling of
//! the model's trust zone (PG-2, N-58).
//!
//! What is deliberately not here: whether a call of it needs a person. That is [`crate::tool::requires_approval`] and a
//! question of its own (PG-1, PG-3); no gate looks at it, and no mode plays a part (D-92). Who can't ask anybody narrows
//! further with [`crate::unattended`], on what the gates let through (UN-8).

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, Serialize};

use crate::agent::ToolSet;
use crate::tool::{Mark, Marks, Origin, Tool};

/// What a tool is for. Groups are switched and chosen as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolGroup {
    /// It looks at files.
    Look,
    /// It changes files.
    Change,
    /// It runs commands.
    Command,
    /// It fetches from the network.
    Web,
    /// It asks the person.
    Ask,
    /// It is another agent.
    Agent,
    /// It belongs to a tool server.
    Server,
    /// Nobody said.
    Other,
}

/// What a tool's results can show the model, from the least to the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DataClass {
    /// What anybody on the network can have.
    Public,
    /// Words that the person gives for this agent.
    Given,
    /// What lies in the workspace folder.
    Workspace,
    /// Anything on this computer that the person can read.
    Machine,
    /// Nobody said; counted as the most (N-66).
    Unclassified,
}

/// Where a tool stands among the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Place {
    /// Its group.
    pub group: ToolGroup,
    /// What its results can show.
    pub data: DataClass,
}

impl Place {
    /// Of a tool that nobody classified: the strictest class (N-66).
    pub const UNCLASSIFIED: Self = Self { group: ToolGroup::Other, data: DataClass::Unclassified };
}

/// A tool that there is, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registered {
    /// The tool.
    pub tool: Tool,
    /// Where it stands.
    pub place: Place,
}

/// Where an agent's model runs, as the person says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Zone {
    /// The person hasn't said; profiles from before there were zones. Nothing is held back.
    #[default]
    Unstated,
    /// On this computer.
    Local,
    /// On machines of the person's own, or of their organisation.
    Private,
    /// Anywhere else.
    External,
}

impl Zone {
    /// The most that a model there may be shown.
    pub fn ceiling(self) -> DataClass {
        match self {
            Self::Unstated | Self::Local => DataClass::Unclassified,
            Self::Private => DataClass::Machine,
            Self::External => DataClass::Workspace,
        }
    }
}

/// A zone that can't be read is the strictest one: what is stored there said something, and it wasn't "nothing".
impl<'de> Deserialize<'de> for Zone {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        Ok(match value.as_str() {
            Some("unstated") => Self::Unstated,
            Some("local") => Self::Local,
            Some("private") => Self::Private,
            Some(_) | None => Self::External,
        })
    }
}

/// What happens to a tool above the ceiling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CeilingGate {
    /// It isn't offered.
    #[default]
    Enforce,
    /// It is offered and flagged (N-60); a tool of a server isn't even then (N-62).
    Observe,
}

impl CeilingGate {
    /// Reads a switch. Only a deliberate `observe`, in any case and spacing, observes; whatever else stands there enforces
    /// (N-61).
    pub fn read(text: &str) -> Self {
        if text.trim().eq_ignore_ascii_case("observe") { Self::Observe } else { Self::Enforce }
    }
}

impl<'de> Deserialize<'de> for CeilingGate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        Ok(value.as_str().map(Self::read).unwrap_or_default())
    }
}

/// A set of groups. As with tools, all and none can't be confused (D-48).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "are")]
pub enum GroupSet {
    /// All that there are.
    #[default]
    All,
    /// Exactly these.
    Only {
        /// Which.
        groups: BTreeSet<ToolGroup>,
    },
}

impl GroupSet {
    /// Whether the group is in the set.
    pub fn has(&self, group: ToolGroup) -> bool {
        match self {
            Self::All => true,
            Self::Only { groups } => groups.contains(&group),
        }
    }
}

/// Whether a mode can be set for an agent's conversations from outside (MO-7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModeSetting {
    /// Settings and inputs may name one.
    #[default]
    Configurable,
    /// There is no such setting: an input that names a mode is refused, a stored start mode counts for nothing (D-70).
    Fixed,
}

/// What an agent's profile says to the gates. A profile from before there were gates has the default: everything that it
/// could use stays usable.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentPolicy {
    /// The groups that its tools may come from.
    pub groups: GroupSet,
    /// Where its model runs.
    pub zone: Zone,
    /// What happens above the zone's ceiling.
    pub gate: CeilingGate,
    /// Whether its mode can be set.
    pub modes: ModeSetting,
}

/// What the person switched for all agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Switches {
    /// What is off.
    pub off: Off,
    /// Which reading tools ask all the same (RQ-8).
    pub ask_first: AskFirst,
}

/// What is switched off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "are")]
pub enum Off {
    /// Exactly these.
    These {
        /// Single tools, by name.
        tools: BTreeSet<String>,
        /// Whole groups.
        groups: BTreeSet<ToolGroup>,
    },
    /// Nobody can tell; then nothing is on.
    Unreadable,
}

/// Which tools ask although they only read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "are")]
pub enum AskFirst {
    /// Exactly these.
    These {
        /// By name.
        tools: BTreeSet<String>,
    },
    /// Nobody can tell; then every tool asks (N-07).
    Unreadable,
}

impl Default for Switches {
    fn default() -> Self {
        Self {
            off: Off::These { tools: BTreeSet::new(), groups: BTreeSet::new() },
            ask_first: AskFirst::These { tools: BTreeSet::new() },
        }
    }
}

impl Switches {
    /// Reads the stored switches; none stored means that nothing was switched. What can't be read is never taken for
    /// "nothing switched": each half that isn't readable counts as the strict one.
    pub fn read(stored: Option<&str>) -> Self {
        #[derive(Deserialize)]
        struct These {
            #[serde(default)]
            tools: BTreeSet<String>,
            #[serde(default)]
            groups: BTreeSet<ToolGroup>,
        }
        let Some(stored) = stored else { return Self::default() };
        let value: serde_json::Value = serde_json::from_str(stored).unwrap_or_default();
        let half = |name: &str| -> Option<These> {
            let half = value.get(name)?;
            (half.get("are")?.as_str()? == "these").then(|| serde_json::from_value(half.clone()).ok())?
        };
        Self {
            off: half("off").map_or(Off::Unreadable, |These { tools, groups }| Off::These { tools, groups }),
            ask_first: half("ask_first")
                .map_or(AskFirst::Unreadable, |These { tools, groups: _ }| AskFirst::These { tools }),
        }
    }

    /// The tool as it is under these switches: with the mark that makes it ask, where the person wants that. Never without
    /// a mark that it has: a setting lifts no approval (N-07). A tool that asks for input waits for the person anyway, and
    /// one call can't be both (N-10).
    pub fn mark(&self, tool: Tool) -> Tool {
        let asks = match &self.ask_first {
            AskFirst::These { tools } => tools.contains(&tool.identity.name),
            AskFirst::Unreadable => true,
        };
        if !asks || tool.marks.has(Mark::NeedsInput) {
            return tool;
        }
        let marks = Marks::of(tool.marks.iter().chain([Mark::RequiresApproval]));
        Tool { marks, ..tool }
    }
}

/// Why a tool may not be used here: the first gate that it doesn't pass, and nothing about the later ones (N-59).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// There is no such tool.
    #[error("there is no such tool")]
    Unregistered,
    /// The person switched it off.
    #[error("it is switched off")]
    Off,
    /// The person switched its group off.
    #[error("its group is switched off")]
    GroupOff(ToolGroup),
    /// What is switched off can't be read, so nothing is on.
    #[error("nobody can tell whether it is switched on")]
    SwitchesUnreadable,
    /// The agent's profile doesn't have it.
    #[error("this agent doesn't have it")]
    NotOfAgent,
    /// The agent has no tools of its group.
    #[error("this agent has no tools of that group")]
    OutsideGroups(ToolGroup),
    /// It can show more than the agent's model may be shown.
    #[error("it can show more than a model in this place may be sent")]
    AboveCeiling(AboveCeiling),
}

/// A tool above the ceiling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AboveCeiling {
    /// What it can show.
    pub data: DataClass,
    /// Where the model runs.
    pub zone: Zone,
}

/// What the gates say of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ruling {
    /// It may be offered.
    Offered,
    /// It may be offered although it lies above the ceiling, because the person only wants to know (N-60).
    Noted(AboveCeiling),
    /// It may not.
    Denied(Denied),
}

/// One name with its ruling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// The name, as it was asked for.
    pub name: String,
    /// What the gates say.
    pub ruling: Ruling,
}

/// Everything that the gates look at besides the tools.
#[derive(Debug, Clone, Copy)]
pub struct Gates<'a> {
    /// What is switched for all agents.
    pub switches: &'a Switches,
    /// The tools of the agent's profile.
    pub tools: &'a ToolSet,
    /// The rest of what its profile says.
    pub policy: &'a AgentPolicy,
}

/// Says of each requested name whether it may be used, one ruling a name, in the order of the request, refused ones
/// included (N-64). `All` asks about everything that is registered (N-63).
pub fn explain(requested: &ToolSet, registered: &[Registered], gates: Gates<'_>) -> Vec<Explained> {
    let names: Vec<String> = match requested {
        ToolSet::All => registered.iter().map(|one| one.tool.identity.name.clone()).collect(),
        ToolSet::Only { names } => names.clone(),
    };
    let explain = |name: String| {
        let found = registered.iter().find(|one| one.tool.identity.name == name);
        Explained { ruling: found.map_or(Ruling::Denied(Denied::Unregistered), |one| rule(one, gates)), name }
    };
    names.into_iter().map(explain).collect()
}

/// The tools that a requested list comes to: those that every gate lets through, as the switches mark them. A request can
/// only narrow (N-65); `All` is every enabled tool and an empty list none (N-63, D-48).
pub fn offerable(requested: &ToolSet, registered: &[Registered], gates: Gates<'_>) -> Vec<Tool> {
    let passes = |one: &&Registered| match rule(one, gates) {
        Ruling::Offered | Ruling::Noted(_) => true,
        Ruling::Denied(_) => false,
    };
    let wanted = registered.iter().filter(|one| requested.has(&one.tool.identity.name));
    wanted.filter(passes).map(|one| gates.switches.mark(one.tool.clone())).collect()
}

fn rule(one: &Registered, gates: Gates<'_>) -> Ruling {
    let (name, place) = (&one.tool.identity.name, one.place);
    match &gates.switches.off {
        Off::Unreadable => return Ruling::Denied(Denied::SwitchesUnreadable),
        Off::These { tools, .. } if tools.contains(name) => return Ruling::Denied(Denied::Off),
        Off::These { groups, .. } if groups.contains(&place.group) => {
            return Ruling::Denied(Denied::GroupOff(place.group));
        }
        Off::These { .. } => {}
    }
    // A sub-agent is named in the profile itself, which is both the agent's own word and its group's.
    let named = matches!(one.tool.identity.origin, Origin::SubAgent { .. });
    if !named && !gates.tools.has(name) {
        return Ruling::Denied(Denied::NotOfAgent);
    }
    if !named && !gates.policy.groups.has(place.group) {
        return Ruling::Denied(Denied::OutsideGroups(place.group));
    }
    if place.data <= gates.policy.zone.ceiling() {
        return Ruling::Offered;
    }
    let above = AboveCeiling { data: place.data, zone: gates.policy.zone };
    match (gates.policy.gate, &one.tool.identity.origin) {
        (CeilingGate::Observe, Origin::BuiltIn { .. } | Origin::SubAgent { .. } | Origin::Conversation) => {
            Ruling::Noted(above)
        }
        (CeilingGate::Observe, Origin::Server { .. }) | (CeilingGate::Enforce, _) => {
            Ruling::Denied(Denied::AboveCeiling(above))
        }
    }
}

#[cfg(test)]
mod tests;
