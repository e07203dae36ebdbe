//! Tools, and the one predicate that says whether a call to one needs approval (RQ-4).

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::ids::AgentId;
use crate::run::Goes;

/// The name that hands in a plan. Reserved: no tool of an agent may carry it (D-33).
pub const EXIT_PLAN_MODE: &str = "exit_plan_mode";

/// The built-in tool that asks the person something. It never executes: the answer is its result (D-107).
pub const ASK_USER: &str = "ask_user";

/// A tool as the model is offered it and as the guard judges it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// Who it is, for standing approvals, digests and rules.
    pub identity: ToolIdentity,
    /// What the model is told about it.
    pub description: String,
    /// Its JSON Schema, as text.
    pub parameters: String,
    /// What it does to the world, as we or the operator declare it.
    pub effect: Effect,
    /// What is known about it beside its effect.
    pub marks: Marks,
}

/// Where a tool comes from and what it is called there (D-87, D-104).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ToolIdentity {
    /// Where it comes from.
    pub origin: Origin,
    /// What the model calls it.
    pub name: String,
}

/// The origin of a tool. A changed origin is another tool: it inherits no trust (D-14, D-87).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Origin {
    /// Ours, bound to an agent profile and its workspace folder (D-104).
    BuiltIn {
        /// The profile.
        agent: AgentId,
        /// The resolved workspace folder.
        root: String,
    },
    /// Of a server that the operator added, with fingerprints of how it is launched and of what it says of the tool (D-87).
    Server {
        /// The server's own id in the settings.
        server: String,
        /// Hash of command, arguments, URL and names of variables.
        launch: String,
        /// Hash of the tool's description, schema and annotations.
        definition: String,
        /// The operator's word on whether it asks first.
        declared: Declared,
    },
    /// Starts another profile as a sub-agent. What a call of it does is what that agent's own calls do.
    SubAgent {
        /// Which profile.
        agent: AgentId,
        /// Whether the caller waits for its answer.
        goes: Goes,
    },
    /// Belongs to the conversation itself: `exit_plan_mode`.
    Conversation,
}

/// The operator's word on a remote tool (RQ-6, D-45).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Declared {
    /// Nobody said anything; only kinds of tool that can't carry a declaration.
    Undeclared,
    /// Calls ask first.
    AsksFirst,
    /// Calls run without asking.
    RunsFree,
}

impl Declared {
    /// The word of a server's stored flag. Calls run free only for a literal `0`; a flag that is missing, empty or anything
    /// else asks first, and so does a server that was added before there was a flag (N-08, D-45).
    pub fn from_flag(flag: Option<&str>) -> Self {
        match flag {
            Some("0") => Self::RunsFree,
            Some(_) | None => Self::AsksFirst,
        }
    }
}

/// What a tool does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// It only looks.
    Read,
    /// It changes something; doing it twice is the same as once.
    IdempotentWrite,
    /// It changes something.
    Write,
}

/// One fact about a tool beside its effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Every call waits for a person, whatever the effect (RQ-1).
    RequiresApproval,
    /// Visible in Plan mode. Never inferred from the effect (PL-10).
    ReadOnly,
    /// It runs free-form commands, so that "any arguments" means nearly everything (D-73).
    FreeForm,
    /// A call to it needs typed input of a person (IN-1). Such a tool needs no approval (N-10).
    NeedsInput,
    /// Calls to it may run beside each other (D-84).
    ParallelSafe,
}

/// A set of [`Mark`]s.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Marks(std::collections::BTreeSet<Mark>);

impl Marks {
    /// The set of the given marks.
    pub fn of(marks: impl IntoIterator<Item = Mark>) -> Self {
        Self(marks.into_iter().collect())
    }

    /// The marks in the set.
    pub fn iter(&self) -> impl Iterator<Item = Mark> + '_ {
        self.0.iter().copied()
    }

    /// Whether the mark is in the set.
    pub fn has(&self, mark: Mark) -> bool {
        self.0.contains(&mark)
    }
}

impl ToolIdentity {
    /// A short stable text for comparing and storing: the SHA-256 of origin and name, in hexadecimal.
    /// The operator's declaration is not part of it: changing that changes no identity.
    pub fn key(&self) -> String {
        let mut hash = Sha256::new();
        let mut part = |text: &str| {
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text.as_bytes());
        };
        part("countersign tool 1");
        match &self.origin {
            Origin::BuiltIn { agent, root } => {
                part("built-in");
                part(&agent.to_string());
                part(root);
            }
            Origin::Server { server, launch, definition, declared: _ } => {
                part("server");
                part(server);
                part(launch);
                part(definition);
            }
            Origin::SubAgent { agent, goes } => {
                part("sub-agent");
                part(&agent.to_string());
                part(match goes {
                    Goes::InLine => "in line",
                    Goes::Beside => "beside",
                });
            }
            Origin::Conversation => part("conversation"),
        }
        part(&self.name);
        crate::digest::hex(&hash.finalize())
    }

    /// Whether another tool stands where this one stood: the same name on the same server, launched or defined otherwise
    /// (D-87). It inherits no trust, and a call of the one is never run by the other.
    pub fn was_replaced_by(&self, other: &Self) -> bool {
        match (&self.origin, &other.origin) {
            (Origin::Server { server, .. }, Origin::Server { server: now, .. }) => {
                server == now && self.name == other.name && self.key() != other.key()
            }
            (Origin::BuiltIn { .. } | Origin::Server { .. } | Origin::SubAgent { .. } | Origin::Conversation, _) => {
                false
            }
        }
    }
}

/// Whether a call to this tool may not run unasked. The only definition (RQ-4): the loop, the offer, the
/// unattended filter and every read-out ask here and nobody derives it again.
///
/// An explicit mark comes first (RQ-5); a local tool is bound by a declared write, a remote one by the operator's
/// word alone (RQ-6). A sub-agent is bound by its mark alone: what it does asks by itself (D-94). `exit_plan_mode` is bound by
/// nature.
pub fn requires_approval(tool: &Tool) -> bool {
    if tool.marks.has(Mark::RequiresApproval) {
        return true;
    }
    match &tool.identity.origin {
        Origin::BuiltIn { .. } => match tool.effect {
            Effect::Read => false,
            Effect::IdempotentWrite | Effect::Write => true,
        },
        Origin::Server { declared, .. } => match declared {
            Declared::AsksFirst => true,
            Declared::Undeclared | Declared::RunsFree => false,
        },
        Origin::SubAgent { .. } => false,
        Origin::Conversation => true,
    }
}

/// Why a set of tools can't be an agent's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistrationFault {
    /// Two tools have one name (N-12).
    #[error("two tools are called `{0}`")]
    Duplicate(String),
    /// The name belongs to the conversation itself (D-33).
    #[error("a tool can't be called `{0}`: the name is reserved")]
    Reserved(String),
    /// It needs approval and typed input: one request can't be both (N-10).
    #[error("`{0}` needs approval and typed input; a tool can need only one of the two")]
    ApprovalAndInput(String),
}

/// Checks that tools can be registered together.
///
/// # Errors
/// The first [`RegistrationFault`].
pub fn register(tools: Vec<Tool>) -> Result<Vec<Tool>, RegistrationFault> {
    let mut names = std::collections::BTreeSet::new();
    for tool in &tools {
        let name = &tool.identity.name;
        if name == EXIT_PLAN_MODE {
            return Err(RegistrationFault::Reserved(name.clone()));
        }
        if !names.insert(name) {
            return Err(RegistrationFault::Duplicate(name.clone()));
        }
        if tool.marks.has(Mark::NeedsInput) && requires_approval(tool) {
            return Err(RegistrationFault::ApprovalAndInput(name.clone()));
        }
    }
    Ok(tools)
}

/// The tool that hands in a plan, offered in Plan mode only (PL-2, PL-11).
pub fn exit_plan_mode() -> Tool {
    Tool {
        identity: ToolIdentity { origin: Origin::Conversation, name: EXIT_PLAN_MODE.to_owned() },
        description: "Hand in your plan as Markdown and wait for the person's decision. Call it once, alone, when \
                      you have looked at everything that you need."
            .to_owned(),
        parameters: r#"{"type":"object","properties":{"plan":{"type":"string","description":"The whole plan, as Markdown"}},"required":["plan"],"additionalProperties":false}"#
            .to_owned(),
        effect: Effect::Read,
        marks: Marks::of([Mark::RequiresApproval]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(origin: Origin, effect: Effect, marks: &[Mark]) -> Tool {
        Tool {
            identity: ToolIdentity { origin, name: "t".to_owned() },
            description: String::new(),
            parameters: "{}".to_owned(),
            effect,
            marks: Marks::of(marks.iter().copied()),
        }
    }

    fn local() -> Origin {
        Origin::BuiltIn { agent: AgentId([1; 16]), root: "/w".to_owned() }
    }

    fn remote(declared: Declared) -> Origin {
        server("l", "d", declared)
    }

    fn server(launch: &str, definition: &str, declared: Declared) -> Origin {
        let [server, launch, definition] = ["s", launch, definition].map(str::to_owned);
        Origin::Server { server, launch, definition, declared }
    }

    /// RQ-1, RQ-5, RQ-6, RQ-7, N-02 to N-06.
    #[test]
    fn the_predicate_follows_mark_effect_and_declaration() {
        for (name, tool, bound) in [
            ("local read", tool(local(), Effect::Read, &[]), false),
            ("local read, read-only mark", tool(local(), Effect::Read, &[Mark::ReadOnly]), false),
            ("local read with the mark", tool(local(), Effect::Read, &[Mark::RequiresApproval]), true),
            ("local write", tool(local(), Effect::Write, &[]), true),
            ("local idempotent write", tool(local(), Effect::IdempotentWrite, &[]), true),
            ("a read-only mark lifts no write", tool(local(), Effect::Write, &[Mark::ReadOnly]), true),
            ("remote write, undeclared", tool(remote(Declared::Undeclared), Effect::Write, &[]), false),
            ("remote write, runs free", tool(remote(Declared::RunsFree), Effect::Write, &[]), false),
            ("remote read, asks first", tool(remote(Declared::AsksFirst), Effect::Read, &[]), true),
            ("remote, mark", tool(remote(Declared::RunsFree), Effect::Read, &[Mark::RequiresApproval]), true),
            ("a plan", exit_plan_mode(), true),
        ] {
            assert_eq!(requires_approval(&tool), bound, "{name}");
        }
    }

    /// D-14, D-87, D-104.
    #[test]
    fn identity_is_origin_and_name_and_not_the_declaration() {
        let key = |origin, name: &str| ToolIdentity { origin, name: name.to_owned() }.key();
        assert_eq!(key(remote(Declared::AsksFirst), "a"), key(remote(Declared::RunsFree), "a"));
        assert_ne!(key(remote(Declared::AsksFirst), "a"), key(local(), "a"));
        assert_ne!(key(local(), "a"), key(local(), "b"));
        let elsewhere = Origin::BuiltIn { agent: AgentId([1; 16]), root: "/other".to_owned() };
        assert_ne!(key(local(), "a"), key(elsewhere, "a"));
    }

    /// D-87: what is launched or defined otherwise is another tool, and known as the one that took the place.
    #[test]
    fn a_changed_launch_or_definition_is_another_tool_in_the_same_place() {
        let named = |origin, name: &str| ToolIdentity { origin, name: name.to_owned() };
        let asks = Declared::AsksFirst;
        let was = named(server("l", "d", asks), "a");
        for (now, replaced) in [
            (named(server("l", "d", asks), "a"), false),
            (named(server("l", "d", Declared::RunsFree), "a"), false),
            (named(server("other", "d", asks), "a"), true),
            (named(server("l", "other", asks), "a"), true),
            (named(server("other", "d", asks), "b"), false),
            (named(local(), "a"), false),
        ] {
            assert_eq!(was.was_replaced_by(&now), replaced, "{now:?}");
            assert!(!replaced || was.key() != now.key(), "{now:?}");
        }
    }
}
