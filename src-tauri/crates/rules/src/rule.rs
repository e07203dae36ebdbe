//! What a rule is: structured data, never the text of a command (a rule that is a text can be dodged by another text).
//!
//! One shape from the store to the window. Not here: whether a rule may be saved (`check`), what it says of a call (`judge`).

use countersign_core::ids::{AgentId, ConversationId};
use serde::{Deserialize, Serialize};

/// A rule of the person (RU-1). It has a say before anybody is asked, and once more right before an approved call runs (D-18).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Rule {
    /// Its id; empty for one that isn't stored yet.
    pub id: String,
    /// Counts how often it was saved, from 1; 0 for one that isn't stored yet.
    pub revision: i64,
    /// What history calls it. No other rule has it.
    pub name: String,
    /// Names that it had before; history still counts by them.
    pub former: Vec<String>,
    /// Whether it is switched on.
    pub on: bool,
    /// What it says of a call that matches.
    pub verdict: RuleVerdict,
    /// Of which tool.
    pub tool: RuleTool,
    /// What must hold of the call; all of it.
    pub conditions: Vec<Condition>,
    /// The person said in so many words that an approving rule without conditions is meant.
    pub any_arguments: bool,
    /// Where it holds.
    pub scope: Scope,
    /// How long it holds.
    pub life: Life,
    /// What the person wrote to it.
    pub note: String,
    /// Arguments that it must, or must not, match; it isn't saved otherwise.
    pub samples: Vec<Sample>,
    /// When it was made, in milliseconds since 1970.
    pub made_at: i64,
    /// When its life ended, in milliseconds since 1970. It is kept, and says nothing any more.
    pub ended_at: Option<i64>,
}

/// What a rule says (RU-2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "says")]
pub enum RuleVerdict {
    /// The call doesn't run, in any mode (RU-8).
    Reject {
        /// Told to the agent; empty: that a rule of that name rejects it.
        reason: String,
    },
    /// The call runs without asking, if nothing rejects it (RU-10).
    Approve,
}

/// Which tool a rule is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "of")]
pub enum RuleTool {
    /// Every tool; only for a rule that rejects.
    Any,
    /// A tool of Countersign's own, whichever agent has it.
    BuiltIn {
        /// Its name.
        name: String,
    },
    /// A tool of a server.
    Server {
        /// The server's id.
        server: String,
        /// What the agent calls it.
        name: String,
        /// Which launch and definition of it an approving rule is bound to (D-87): [`ToolIdentity::key`].
        /// A rejecting rule holds for whatever has the name.
        ///
        /// [`ToolIdentity::key`]: countersign_core::tool::ToolIdentity::key
        key: Option<String>,
    },
    /// The tool that hands in a plan; only for a rule that rejects (D-33).
    Plan,
}

/// What must hold of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Condition {
    /// An argument passes a test. An absent one passes none. Of a list every item must pass for an approval, one is enough for a
    /// rejection.
    Argument {
        /// Its key, and the keys inside it.
        path: Vec<String>,
        /// The test.
        test: Test,
    },
    /// The command begins with these words. For an approval it must be one plain command, written out; for a rejection the words are
    /// looked for in every part and behind whatever starts other programs.
    Words {
        /// The program and what follows it.
        words: Vec<String>,
        /// One of these must be among the words, too; empty: none needs to.
        flags: Vec<String>,
        /// Whether further words may follow. A rejection always lets them.
        further: bool,
    },
    /// Something downloaded is run by a shell or an interpreter; only for a rule that rejects.
    DownloadToShell,
}

/// A test of an argument. Texts are compared as they are, without quotes; other values as their JSON text (RU-6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "test")]
pub enum Test {
    /// It is exactly this.
    Is {
        /// What.
        value: String,
    },
    /// It is one of these.
    OneOf {
        /// Which.
        values: Vec<String>,
    },
    /// It starts with this. Not for free-form commands in an approval.
    StartsWith {
        /// What.
        text: String,
    },
    /// It has this in it, in capitals or not; only for a rule that rejects, as it is easily dodged.
    Contains {
        /// What.
        text: String,
    },
    /// The whole of it is of this form, for an approval; some part of it is, for a rejection.
    Pattern {
        /// A regular expression.
        pattern: String,
    },
    /// It is a path inside this folder, after links and `..` are followed. A relative folder is one in the agent's.
    Inside {
        /// The folder.
        folder: String,
    },
    /// It is an address of this host.
    Host {
        /// The host.
        host: String,
        /// Whether hosts below it count, too.
        below: bool,
    },
}

/// Where a rule holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "where")]
pub enum Scope {
    /// In one conversation, its sub-agents included.
    Conversation {
        /// Which.
        #[cfg_attr(feature = "bindings", ts(type = "string"))]
        conversation: ConversationId,
    },
    /// For calls of one agent, in every conversation.
    Agent {
        /// Which.
        #[cfg_attr(feature = "bindings", ts(type = "string"))]
        agent: AgentId,
    },
    /// For agents that work in this folder or below it.
    Folder {
        /// The absolute path.
        folder: String,
    },
    /// Everywhere.
    Everywhere,
}

/// How long a rule holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "lasts")]
pub enum Life {
    /// Until the next run of a conversation that doesn't stop to ask has ended.
    Run {
        /// Which conversation.
        #[cfg_attr(feature = "bindings", ts(type = "string"))]
        conversation: ConversationId,
    },
    /// Until a conversation is deleted.
    Conversation {
        /// Which.
        #[cfg_attr(feature = "bindings", ts(type = "string"))]
        conversation: ConversationId,
    },
    /// Until Countersign quits.
    Quit,
    /// Until a moment.
    Until {
        /// In milliseconds since 1970.
        at: i64,
    },
    /// For ever.
    Forever,
}

/// Arguments that say what a rule must do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Sample {
    /// Whether it must match.
    pub matches: bool,
    /// The arguments, as JSON.
    pub arguments: String,
}

impl RuleVerdict {
    /// Whether it lets calls run.
    pub fn approves(&self) -> bool {
        match self {
            Self::Approve => true,
            Self::Reject { .. } => false,
        }
    }
}

impl Rule {
    /// Whether it has a say at this moment.
    pub fn is_in_force(&self, now: i64) -> bool {
        let over = matches!(self.life, Life::Until { at } if at <= now);
        self.on && self.ended_at.is_none() && !over
    }
}
