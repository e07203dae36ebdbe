//! What a rule is about, as it is here and now: its tool, and calls of it.

use countersign_core::ids::{AgentId, ConversationId};
use countersign_core::parse;
use countersign_core::request::Precondition;
use countersign_core::tool::{Effect, Mark, Marks, Origin, Tool, ToolIdentity};
use countersign_engine::ports::{GuardedCall, GuardedRun};
use countersign_rules::judge::Ready;
use countersign_rules::rule::{Condition, Rule, RuleTool, Scope, Test};
use countersign_store::read::inbox::CallFact;

use crate::desk::{self, Desk};
use crate::error::not_found;
use crate::wire::window::ApiError;
use crate::words::Thing;

/// What was found of what a rule names.
pub(super) struct Found {
    /// The tool, if it is there now.
    pub(super) tool: Option<Tool>,
    /// Whether what it names is gone.
    pub(super) gone: bool,
    /// Whether an approving rule is bound to a launch or definition that the tool doesn't have any more (D-87).
    pub(super) lost: bool,
    /// A run in its place, for trying it.
    pub(super) run: GuardedRun,
    /// The tool of a try; the tool, or one like it.
    like: Tool,
}

impl Found {
    /// Looks for what a rule names.
    pub(super) async fn of(desk: &Desk, rule: &Rule) -> Result<Self, ApiError> {
        let store = desk.engine.store();
        let mut gone = false;
        let nobody = (ConversationId([0; 16]), AgentId([0; 16]));
        let (conversation, agent) = match &rule.scope {
            Scope::Conversation { conversation } => {
                let found = store.conversation(*conversation).await?;
                gone = found.is_none();
                found.map_or(nobody, |(found, _)| (found.id, found.agent))
            }
            Scope::Agent { agent } => (nobody.0, *agent),
            Scope::Folder { .. } | Scope::Everywhere => nobody,
        };
        let profile = store.agent(agent).await?;
        gone = gone || (matches!(rule.scope, Scope::Agent { .. }) && profile.is_none());
        let folder = match (&rule.scope, &profile) {
            (Scope::Folder { folder }, _) => folder.clone(),
            (_, Some(profile)) => profile.folder.clone(),
            (_, None) => "/".to_owned(),
        };
        let (tool, lost) = tool(desk, &rule.tool, rule.verdict.approves()).await?;
        if let RuleTool::Server { server, .. } = &rule.tool {
            let there = match server.parse() {
                Ok(id) => store.server(id).await?.is_some(),
                Err(_) => false,
            };
            gone = gone || !there;
        }
        let run = GuardedRun { conversation, agent, folder };
        let like = tool.clone().unwrap_or_else(|| like(&rule.tool, &run));
        Ok(Self { tool, gone, lost, run, like })
    }

    /// A call of the tool with these arguments; none if they aren't arguments.
    pub(super) fn call(&self, arguments: &str) -> Option<GuardedCall> {
        let tree = parse::arguments(arguments).ok()?;
        let (tool, arguments) = (self.like.clone(), arguments.to_owned());
        Some(GuardedCall { tool, arguments, tree, preconditions: Vec::new(), answered: false })
    }
}

/// The tool as it is now, and whether another one stands in its place.
async fn tool(desk: &Desk, tool: &RuleTool, approves: bool) -> Result<(Option<Tool>, bool), ApiError> {
    let switches = desk.engine.switches();
    match tool {
        RuleTool::Any => Ok((None, false)),
        RuleTool::Plan => Ok((Some(countersign_core::tool::exit_plan_mode()), false)),
        RuleTool::BuiltIn { name } => {
            let found = desk.host.catalogue.iter().find(|one| one.tool.identity.name == *name);
            Ok((found.map(|one| switches.mark(one.tool.clone())), false))
        }
        RuleTool::Server { server, name, key } => {
            let profile = match server.parse() {
                Ok(id) => desk.engine.store().server(id).await?,
                Err(_) => None,
            };
            let Some(profile) = profile else { return Ok((None, false)) };
            let definitions = desk.host.servers.status(profile.id).map(|one| one.definitions).unwrap_or_default();
            let tools = profile.tools(&definitions);
            let found = tools.into_iter().find(|(_, one)| one.tool.identity.name == *name);
            let found = found.map(|(_, one)| switches.mark(one.tool.clone()));
            let lost = approves && found.as_ref().is_some_and(|tool| Some(tool.identity.key()) != *key);
            Ok((found, lost))
        }
    }
}

/// A tool like the one that a rule names, where it isn't there: the strictest that it could be.
fn like(tool: &RuleTool, run: &GuardedRun) -> Tool {
    let (name, origin) = match tool {
        RuleTool::Any | RuleTool::Plan => (String::new(), Origin::Conversation),
        RuleTool::BuiltIn { name } => (name.clone(), Origin::BuiltIn { agent: run.agent, root: run.folder.clone() }),
        RuleTool::Server { server, name, .. } => {
            let origin = Origin::Server {
                server: server.clone(),
                launch: String::new(),
                definition: String::new(),
                declared: countersign_core::tool::Declared::AsksFirst,
            };
            (name.clone(), origin)
        }
    };
    Tool {
        identity: ToolIdentity { origin, name },
        description: String::new(),
        parameters: "{}".to_owned(),
        effect: Effect::Write,
        marks: Marks::of([Mark::FreeForm, Mark::RequiresApproval]),
    }
}

/// Whether a rule matches the call in front.
pub(super) async fn front(desk: &Desk, rule: &Rule, id: &str) -> Result<bool, ApiError> {
    let fact = desk.engine.store().call_fact(desk::row(id)?).await?.ok_or_else(|| not_found(Thing::Request))?;
    let Some((run, call)) = guarded(desk, &fact).await? else { return Ok(false) };
    let here = Ready::new(Rule { on: true, ended_at: None, ..rule.clone() });
    Ok(here.is_about(&run, &call, i64::MIN) && here.matches(&run, &call))
}

/// A stored call as a guard saw it; none if its arguments can't be read, or nobody knows its tool.
pub(super) async fn guarded(desk: &Desk, fact: &CallFact) -> Result<Option<(GuardedRun, GuardedCall)>, ApiError> {
    let store = desk.engine.store();
    let (_, below) = crate::detail::path(store, &fact.call).await?;
    let agent = below.unwrap_or(fact.agent);
    let folder = store.agent(agent).await?.map(|profile| profile.folder).unwrap_or_default();
    let run = GuardedRun { conversation: fact.conversation, agent, folder };
    let call = &fact.call;
    let Some(identity) = &call.identity else { return Ok(None) };
    let call = as_seen(identity, call.effect, &call.marks, call.to_execute(), &call.preconditions);
    Ok(call.map(|call| (run, call)))
}

/// A call as a guard sees it, from what is stored of it; none if its arguments can't be read.
pub(super) fn as_seen(
    identity: &ToolIdentity,
    effect: Effect,
    marks: &Marks,
    arguments: &str,
    preconditions: &[Precondition],
) -> Option<GuardedCall> {
    let tool = Tool {
        identity: identity.clone(),
        description: String::new(),
        parameters: "{}".to_owned(),
        effect,
        marks: marks.clone(),
    };
    let (tree, arguments) = (parse::arguments(arguments).ok()?, arguments.to_owned());
    Some(GuardedCall { tool, arguments, tree, preconditions: preconditions.to_vec(), answered: false })
}

/// A folder as rules compare it: with its links followed, if it is there.
pub(super) fn straighten(rule: &mut Rule) {
    rule.name = rule.name.trim().to_owned();
    let follow = |folder: &mut String| {
        let path = std::path::Path::new(folder.as_str());
        if let Some(real) = path.is_absolute().then(|| path.canonicalize().ok()).flatten() {
            *folder = real.to_string_lossy().into_owned();
        }
    };
    if let Scope::Folder { folder } = &mut rule.scope {
        follow(folder);
    }
    for condition in &mut rule.conditions {
        if let Condition::Argument { test: Test::Inside { folder }, .. } = condition {
            follow(folder);
        }
    }
}
