//! A conversation: the stored thread that runs belong to, and its standing approvals.

use serde::{Deserialize, Serialize};

use crate::answer::Reach;
use crate::ids::{AgentId, At, ConversationId, RunId, StandingId};
use crate::mode::Mode;
use crate::tool::ToolIdentity;

/// What kind of thread it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConversationKind {
    /// A conversation that a person goes on with.
    #[default]
    Thread,
    /// What a Quick task leaves: one run that nobody answers to. It never holds a request (D-105).
    Quick,
}

/// What is stored of a conversation itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conversation {
    /// Which.
    pub id: ConversationId,
    /// What kind.
    pub kind: ConversationKind,
    /// The agent profile that it belongs to.
    pub agent: AgentId,
    /// The name that the person sees.
    pub title: String,
    /// The mode that the next run starts in (MO-8).
    pub mode: Mode,
    /// Set while "Auto for this plan only" holds: the first run of the chain (D-74).
    pub auto_chain: Option<RunId>,
    /// When Auto goes back to Default, where the person gave it a time (D-82); always none in another mode.
    pub auto_until: Option<At>,
    /// Whether the model has something that it hasn't replied to yet: a message or a result (D-99).
    pub awaits_reply: bool,
    /// The sequence number that the next message gets.
    pub next_seq: i64,
    /// Goes up by one with every stored step; two processes can't both write on the same one.
    pub revision: i64,
    /// When it was made.
    pub created_at: At,
    /// Where its beginning was copied from; none if it isn't a fork.
    pub forked: Option<Forked>,
}

/// Where a fork comes from (D-59).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Forked {
    /// The conversation that it was forked from.
    pub from: ConversationId,
    /// Its messages before this place are copies.
    pub before: i64,
}

/// A standing approval: later calls run without asking (SA-2). Stored with the conversation, revocable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// Which.
    pub id: StandingId,
    /// The tool that it covers. A changed origin isn't covered (D-14).
    pub identity: ToolIdentity,
    /// How far it reaches, and for `Exact` the hash that a call must have.
    pub cover: Cover,
    /// When it was given.
    pub since: At,
}

/// What a standing approval covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum Cover {
    /// Any arguments.
    Tool,
    /// The same arguments in the same place; the hash is [`crate::call::Call::exact`].
    Exact(String),
}

impl Cover {
    /// The reach, without the hash.
    pub fn reach(&self) -> Reach {
        match self {
            Self::Tool => Reach::Tool,
            Self::Exact(_) => Reach::Exact,
        }
    }
}

impl Standing {
    /// Whether it covers a call to this tool with this exact-hash.
    pub fn covers(&self, identity: &ToolIdentity, exact: &str) -> bool {
        self.identity.key() == identity.key()
            && match &self.cover {
                Cover::Tool => true,
                Cover::Exact(hash) => hash == exact,
            }
    }
}
