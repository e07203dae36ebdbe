//! A rule's texts as they are displayed.

use std::collections::BTreeMap;
use std::path::Path;

use countersign_rules::rule::{Condition, Rule, RuleTool, RuleVerdict, Scope, Test};

use crate::cards;
use crate::desk::Desk;
use crate::display::text::{one_line, safe, words};
use crate::wire::rules::{ConditionShown, RuleShown};
use crate::wire::text::Shown;
use crate::wire::window::ApiError;

/// The longest value of a condition, in characters; the amount that is left out is stated.
const VALUE_WIDTH: usize = 160;
/// The longest name.
const NAME_WIDTH: usize = 80;

/// The names of what rules are about.
pub(crate) struct Names {
    conversations: BTreeMap<String, String>,
    agents: BTreeMap<String, String>,
    servers: BTreeMap<String, String>,
}

impl Names {
    /// Reads them.
    pub(crate) async fn read(desk: &Desk) -> Result<Self, ApiError> {
        let store = desk.engine.store();
        let conversations = store.conversations().await?.into_iter().map(|(one, _)| (one.id.to_string(), one.title));
        let agents = store.agents().await?.into_iter().map(|one| (one.id.to_string(), one.name));
        let servers = store.servers().await?.into_iter().map(|one| (one.id.to_string(), one.name));
        Ok(Self { conversations: conversations.collect(), agents: agents.collect(), servers: servers.collect() })
    }

    /// The person's name of a server.
    pub(crate) fn server(&self, id: &str) -> Option<Shown> {
        self.servers.get(id).map(|name| one_line(name, NAME_WIDTH))
    }

    /// The name of a place; none for everywhere, and for what is gone.
    pub(crate) fn place(&self, scope: &Scope, home: Option<&Path>) -> Option<Shown> {
        match scope {
            Scope::Conversation { conversation } => {
                self.conversations.get(&conversation.to_string()).map(|title| cards::title(title))
            }
            Scope::Agent { agent } => self.agents.get(&agent.to_string()).map(|name| one_line(name, NAME_WIDTH)),
            Scope::Folder { folder } => Some(cards::folder(folder, home)),
            Scope::Everywhere => None,
        }
    }

    /// All texts of a rule.
    pub(crate) fn show(&self, rule: &Rule, home: Option<&Path>) -> RuleShown {
        let (tool, server) = match &rule.tool {
            RuleTool::Any | RuleTool::Plan => (Vec::new(), None),
            RuleTool::BuiltIn { name } => (one_line(name, NAME_WIDTH), None),
            RuleTool::Server { server, name, .. } => {
                // A server that is gone has a name all the same: its id, so that the row says that it isn't a tool of ours.
                let named = self.server(server).unwrap_or_else(|| one_line(server, NAME_WIDTH));
                (one_line(name, NAME_WIDTH), Some(named))
            }
        };
        RuleShown {
            name: one_line(&rule.name, NAME_WIDTH),
            tool,
            server,
            conditions: rule.conditions.iter().map(condition).collect(),
            place: self.place(&rule.scope, home),
            note: safe(&rule.note),
            reason: match &rule.verdict {
                RuleVerdict::Reject { reason } => safe(reason),
                RuleVerdict::Approve => Vec::new(),
            },
        }
    }
}

/// The texts of a condition.
pub(crate) fn condition(condition: &Condition) -> ConditionShown {
    let one = |text: &String| one_line(text, VALUE_WIDTH);
    match condition {
        Condition::Argument { path, test } => ConditionShown {
            key: one_line(&path.join("."), NAME_WIDTH),
            values: match test {
                Test::Is { value: text }
                | Test::StartsWith { text }
                | Test::Contains { text }
                | Test::Pattern { pattern: text }
                | Test::Inside { folder: text }
                | Test::Host { host: text, .. } => vec![one(text)],
                Test::OneOf { values } => values.iter().map(one).collect(),
            },
        },
        Condition::Words { words: said, flags, .. } => {
            ConditionShown { key: words(""), values: said.iter().chain(flags).map(one).collect() }
        }
        Condition::DownloadToShell => ConditionShown { key: Vec::new(), values: Vec::new() },
    }
}
