//! One request in full, made from the stored bytes. The digest is computed here, from what is displayed, and handed
//! out only together with it (D-77).

use countersign_core::agent::{AgentProfile, SubAgentEntry, ToolSet, task_text};
use countersign_core::call::{Call, CallState, Settled, Warrant};
use countersign_core::conversation::ConversationKind;
use countersign_core::ids::AgentId;
use countersign_core::input::Verdict;
use countersign_core::mode::Mode;
use countersign_core::parse::{self, Tree};
use countersign_core::policy::{Gates, Place, offerable};
use countersign_core::request::{AnsweredAs, Closing, PassedBy, RequestKind};
use countersign_core::step::call_digest;
use countersign_core::tool::{EXIT_PLAN_MODE, Mark, Origin, Tool, ToolIdentity, requires_approval};
use countersign_engine::ports::{GuardedRun, Outfit, registered};
use countersign_rules::command::scan::scan;
use countersign_store::open::Store;
use countersign_store::read::conversation::StandingFact;
use countersign_store::read::inbox::CallFact;

use crate::desk::Desk;
use crate::display::facts;
use crate::display::payload::Stored;
use crate::display::text::{one_line, plain, safe, words};
use crate::error::not_found;
use crate::rules::{trace, without};
use crate::wire::inbox::{DefaultValue, Detail, DetailState, Draft, PathAgent, Reach, Thread, Why};
use crate::wire::payload::{Payload, Unlocks};
use crate::wire::text::Shown;
use crate::wire::window::ApiError;
use crate::words::{Became, Passed, Thing, WhyMode, say};
use crate::{agents, cards, servers};

/// The longest name in a header.
const NAME_WIDTH: usize = 80;
/// The longest task of a sub-agent in its path.
const TASK_WIDTH: usize = 200;
/// The most of a result that is shown at once, in characters; the rest is stated.
pub(crate) const RESULT_WIDTH: usize = 20_000;

/// The detail of a row, or of a call of history.
pub(crate) async fn detail(desk: &Desk, id: &str) -> Result<Detail, ApiError> {
    let row = crate::desk::row(id)?;
    let store = desk.engine.store();
    if let Some(held) = store.held_fact(row).await? {
        return crate::asked::detail(desk, &held).await;
    }
    let fact = store.call_fact(row).await?.ok_or_else(|| not_found(Thing::Request))?;
    let conversation = store.conversation(fact.conversation).await?.map(|(conversation, _)| conversation);
    let (path, below) = path(store, &fact.call).await?;
    let profile = store.agent(below.unwrap_or(fact.agent)).await?;
    let kind = fact.request.as_ref().map_or(RequestKind::Call, |request| request.kind);
    let before = fact.request.as_ref().and_then(|request| request.before.as_deref());
    let call = &fact.call;
    let is_plan = kind == RequestKind::Plan;
    let may_run = waits(call) && !fact.deleted;
    // The agent as it is now, found once for all that is looked at.
    let equipped = match &profile {
        Some(profile) if may_run || is_plan => desk.outfit(profile).await.ok().map(|outfit| (profile, outfit)),
        _ => None,
    };
    let unlocks = match &equipped {
        Some((profile, outfit)) if is_plan => unlocks(desk, &fact, profile, outfit).await,
        _ => Unlocks::default(),
    };
    let tool = match &equipped {
        Some((profile, outfit)) if may_run => tool_now(profile, outfit, call),
        _ => Now::NotAsked,
    };
    let says = store.words_of(call).await?;
    let (verb, _, _) = cards::call_row(call);
    let since = if is_plan { store.rejection_before(fact.conversation, call, fact.proposed_at).await? } else { None };
    let tree = parse::arguments(&call.arguments);
    let id = cards::row_id(&fact);
    let stored = Stored {
        kind,
        tool: &call.tool,
        arguments: &call.arguments,
        schema: call.schema.as_deref(),
        preconditions: &call.preconditions,
        before,
        plan_before: since.as_ref().map(|sent_back| sent_back.call.arguments.as_str()),
    };
    let opened = desk.opened.open(&id, stored, tree.as_ref());
    let mode = conversation.as_ref().map_or(Mode::Default, |one| one.mode);
    Ok(Detail {
        id,
        opened: opened.number,
        kind: cards::row_kind(&fact),
        conversation: fact.conversation.to_string(),
        title: (!fact.deleted).then(|| cards::title(&fact.title)),
        path,
        thread: match conversation.as_ref().map(|one| one.kind) {
            Some(ConversationKind::Quick) => Thread::QuickTask,
            Some(ConversationKind::Thread) | None => Thread::Conversation,
        },
        mode: cards::mode(mode),
        auto_ends: conversation.as_ref().is_some_and(|one| one.auto_chain.is_some()),
        auto_until: conversation.as_ref().and_then(|one| one.auto_until).map(|end| end.0),
        verb,
        tool: one_line(&call.tool, NAME_WIDTH),
        model: cards::model(profile.as_ref()),
        folder: cards::folder(profile.as_ref().map_or("", |one| one.folder.as_str()), desk.host.home.as_deref()),
        opened_at: fact.request.as_ref().map_or(fact.proposed_at, |request| request.opened_at).0,
        payload: match opened.payload.clone() {
            Payload::Plan { blocks, rest, outline, unlocks: _, since } => {
                Payload::Plan { blocks, rest, outline, unlocks, since }
            }
            other => other,
        },
        defaults: match (&tool, &tree) {
            (Now::Is(tool, _), Ok(tree)) => defaults(tool, tree),
            _ => Vec::new(),
        },
        gone: matches!(tool, Now::Gone),
        above: match (&tool, &profile) {
            (Now::Is(tool, place), Some(profile)) => agents::above(desk, profile, tool.clone(), *place),
            _ => None,
        },
        server: servers::of_call(desk, call, matches!(tool, Now::Replaced)).await?,
        hidden: opened.hidden,
        raw: opened.raw.clone(),
        facts: opened.facts.clone(),
        confined: facts::confined(&call.preconditions),
        why: why(&fact, desk).await?,
        agent_says: (!says.trim().is_empty()).then(|| safe(says.trim())),
        reaches: if kind == RequestKind::Call { reaches(call, tree.as_ref().ok()) } else { Vec::new() },
        any_command_tick: call.marks.has(Mark::FreeForm),
        rejected_at: desk.rejected_before(&fact).await?,
        correction: if kind == RequestKind::Call { crate::correction::correction(desk, &fact).await? } else { None },
        held_by: None,
        answer: None,
        only_reads_ran: is_plan && store.only_reads_ran(call).await?,
        state: state(desk, &fact, kind, equipped.as_ref().map(|(_, outfit)| outfit)).await?,
    })
}

/// The sub-agents that a call lies in, the outermost first, and whose the innermost is.
pub(crate) async fn path(store: &Store, call: &Call) -> Result<(Vec<PathAgent>, Option<AgentId>), ApiError> {
    let agents = store.path_of(call.proposed_by).await?;
    let mut steps = Vec::with_capacity(agents.len());
    let mut run = call.proposed_by;
    for (name, agent) in agents.iter().rev() {
        let Some(start) = store.start_call(run).await? else { break };
        let Some(start) = store.call(start).await? else { break };
        let task = task_text(&start.arguments).unwrap_or_default();
        let profile = store.agent(*agent).await?;
        let (name, model) = (one_line(name, NAME_WIDTH), cards::model(profile.as_ref()));
        steps.push(PathAgent { name, model, task: one_line(&task, TASK_WIDTH) });
        run = start.proposed_by;
    }
    steps.reverse();
    Ok((steps, agents.last().map(|(_, agent)| *agent)))
}

async fn state(
    desk: &Desk,
    fact: &CallFact,
    kind: RequestKind,
    outfit: Option<&Outfit>,
) -> Result<DetailState, ApiError> {
    let open = fact.request.as_ref().filter(|request| request.closed.is_none() && !fact.deleted);
    match (&fact.call.state, open) {
        (CallState::Waiting(_), Some(_)) => {
            let digest = call_digest(&fact.call, kind).ok_or_else(|| not_found(Thing::Request))?.to_string();
            let draft = draft(desk, fact).await?;
            // A folder that is gone has its own message when the answer is sent.
            let changed = match outfit {
                Some(outfit) if kind == RequestKind::Call => changed(outfit, fact).await,
                _ => false,
            };
            Ok(DetailState::Open { digest, draft, changed })
        }
        (CallState::Approved(warrant), _) if !desk.is_running(fact.conversation).await? && !fact.deleted => {
            let digest =
                call_digest(&fact.call, RequestKind::Call).ok_or_else(|| not_found(Thing::Request))?.to_string();
            let decided_at = fact.decided.as_ref().map_or(fact.proposed_at, |decided| decided.at).0;
            let at = match warrant {
                Warrant::Answer { .. } | Warrant::Rule { .. } | Warrant::Standing { .. } | Warrant::Auto => decided_at,
                Warrant::NotNeeded => fact.proposed_at.0,
            };
            Ok(DetailState::ApprovedNotRun { digest, at, draft: draft(desk, fact).await? })
        }
        _ => Ok(closed(fact, crate::results::whole(desk, fact).await?)),
    }
}

/// A tool as it is at this moment.
enum Now {
    /// Nobody looked, or the agent can't be used now, which has its own message.
    NotAsked,
    /// It isn't there any more, or is another one of the same name.
    Gone,
    /// Its server is launched otherwise now, or says something else of it (D-87).
    Replaced,
    /// It is there, where it stands among the others.
    Is(Tool, Place),
}

/// Whether a call may still run.
fn waits(call: &Call) -> bool {
    matches!(call.state, CallState::Waiting(_) | CallState::Approved(_) | CallState::Held(_))
}

fn tool_now(profile: &AgentProfile, outfit: &Outfit, call: &Call) -> Now {
    let Some(key) = call.identity.as_ref().map(ToolIdentity::key) else { return Now::NotAsked };
    if call.tool == EXIT_PLAN_MODE {
        return Now::NotAsked;
    }
    let agents = profile.sub_agents.iter().map(SubAgentEntry::as_tool);
    let tools: Vec<Tool> = outfit.toolbox.tools().into_iter().chain(agents).collect();
    if let Some(tool) = tools.iter().find(|tool| tool.identity.key() == key) {
        return Now::Is(tool.clone(), outfit.toolbox.place(&tool.identity.name));
    }
    let Some(was) = &call.identity else { return Now::NotAsked };
    if tools.iter().any(|tool| was.was_replaced_by(&tool.identity)) {
        return Now::Replaced;
    }
    match &was.origin {
        // A server that isn't running says nothing of its tools; what it has then is looked at when the call runs.
        Origin::Server { .. } if !tools.iter().any(|tool| is_of_same_server(&tool.identity.origin, &was.origin)) => {
            Now::NotAsked
        }
        Origin::Server { .. } | Origin::BuiltIn { .. } | Origin::SubAgent { .. } | Origin::Conversation => Now::Gone,
    }
}

/// Whether a call's tool belongs to a tool server.
fn is_of_server(call: &Call) -> bool {
    call.identity.as_ref().is_some_and(|identity| matches!(identity.origin, Origin::Server { .. }))
}

fn is_of_same_server(one: &Origin, other: &Origin) -> bool {
    match (one, other) {
        (Origin::Server { server, .. }, Origin::Server { server: other, .. }) => server == other,
        (Origin::Server { .. } | Origin::BuiltIn { .. } | Origin::SubAgent { .. } | Origin::Conversation, _) => false,
    }
}

/// The arguments that the schema has a default for and that the model didn't send.
fn defaults(tool: &Tool, tree: &Tree) -> Vec<DefaultValue> {
    let Ok(schema) = parse::arguments(&tool.parameters) else { return Vec::new() };
    let Some(Tree::Object(properties)) = schema.get("properties") else { return Vec::new() };
    let missing = properties.iter().filter(|(name, _)| tree.get(name).is_none());
    missing
        .filter_map(|(name, property)| {
            let value = parse::to_text(property.get("default")?);
            Some(DefaultValue { name: one_line(name, NAME_WIDTH), value: one_line(&value, NAME_WIDTH) })
        })
        .collect()
}

async fn draft(desk: &Desk, fact: &CallFact) -> Result<Option<Draft>, ApiError> {
    let id = cards::row_id(fact);
    let drafts = desk.drafts(fact.conversation).await?;
    Ok(drafts.into_iter().find(|(row, _)| *row == id).map(|(_, draft)| draft))
}

/// Whether what was true at ask time isn't any more (D-85): looked at again, with the same eyes.
async fn changed(outfit: &Outfit, fact: &CallFact) -> bool {
    let Ok(tree) = parse::arguments(&fact.call.arguments) else {
        return false;
    };
    outfit.toolbox.prepare(&fact.call.tool, &tree).await.preconditions != fact.call.preconditions
}

fn closed(fact: &CallFact, whole: Option<i64>) -> DetailState {
    let (outcome, _) = cards::outcome(fact);
    let result = fact.result.as_ref().map(|result| shown_result(result.as_str()));
    let request = fact.request.as_ref().and_then(|request| request.closed.as_ref());
    let (label, text, expired, at) = if let Some((closing, at)) = request {
        let expired = matches!(closing, Closing::PassedBy { .. });
        let text = match closing {
            Closing::PassedBy { by: PassedBy::NewInput } => say().passed(Passed::NewMessage),
            Closing::PassedBy { by: PassedBy::Stopped } => say().passed(Passed::Stopped),
            Closing::PassedBy { by: PassedBy::Withdrawn } => say().passed(Passed::Withdrawn),
            Closing::PassedBy { by: PassedBy::Steering } => say().passed(Passed::Steered),
            Closing::Answered { verdict: AnsweredAs::ApprovedWithNote { note, told } } => {
                format!("{} {}", ended(fact), say().your_note(*told, &plain(&safe(note))))
            }
            Closing::Answered { .. } => ended(fact),
        };
        let label = match (closing, &fact.call.state) {
            (_, CallState::Settled(Settled::OutcomeUnknown)) | (Closing::PassedBy { .. }, _) => {
                say().closed(cards::closed_as(fact, closing))
            }
            (Closing::Answered { .. }, _) => say().closed_by_you(cards::closed_as(fact, closing)),
        };
        (label, text, expired, *at)
    } else {
        let (words, _) = cards::call_words(fact);
        let at = fact.settled_at.or(fact.started_at).unwrap_or(fact.proposed_at);
        (crate::error::sentence(&words).trim_end_matches('.').to_owned(), ended(fact), false, at)
    };
    let ran = fact.started_at.is_some() || matches!(fact.call.state, CallState::Settled(_));
    DetailState::Closed {
        at: at.0,
        label,
        text,
        expired,
        in_doubt: matches!(fact.call.state, CallState::Settled(Settled::OutcomeUnknown)) && !fact.deleted,
        outcome: (ran && !expired).then_some(outcome),
        result: result.filter(|_| !expired),
        whole,
    }
}

fn ended(fact: &CallFact) -> String {
    say().became(match &fact.call.state {
        CallState::Settled(Settled::OutcomeUnknown) => Became::Unknown,
        CallState::Settled(Settled::ChangedSinceAsked) if is_of_server(&fact.call) => Became::ServerChangedTool,
        CallState::Settled(Settled::ChangedSinceAsked) => Became::FileChanged,
        CallState::Settled(Settled::NoLongerPermitted) => Became::NoLongerPermitted,
        CallState::Settled(Settled::RejectedByPerson { .. } | Settled::RejectedByRule { .. }) => Became::RejectedTold,
        CallState::Settled(Settled::Stopped) => Became::Stopped,
        CallState::Settled(Settled::Dropped { .. }) => Became::Dropped,
        CallState::Settled(Settled::PlanAccepted) => Became::PlanAccepted,
        CallState::Settled(Settled::DataGiven) => Became::Told,
        CallState::Settled(Settled::Fault) => Became::CouldNotRun,
        CallState::Started { .. } => Became::Running,
        CallState::Suspended { .. } => Became::WaitsInside,
        CallState::Settled(Settled::Succeeded | Settled::Errored) => Became::Ran,
        CallState::Held(_) | CallState::Waiting(_) | CallState::Approved(_) => Became::Waits,
    })
}

/// A result with its middle left out when it is long; the amount is stated.
pub(crate) fn shown_result(result: &str) -> Shown {
    let count = result.chars().count();
    if count <= RESULT_WIDTH {
        return safe(result);
    }
    let half = RESULT_WIDTH / 2;
    let head: String = result.chars().take(half).collect();
    let tail: String = result.chars().skip(count - half).collect();
    let mut shown = safe(&head);
    shown.extend(words(format!("\n… {} …\n", say().left_out((count - 2 * half) as u64))));
    shown.extend(safe(&tail));
    shown
}

/// Why it asked: what was so when it was proposed, not what is so now.
async fn why(fact: &CallFact, desk: &Desk) -> Result<Why, ApiError> {
    let looked = fact.verdicts.len();
    let failed = fact.verdicts.iter().find(|one| matches!(one.verdict, Verdict::Failed { .. }));
    let rules = match (looked, failed) {
        (0, _) => words(say().no_rules()),
        (_, Some(one)) => one_line(&say().rule_not_evaluated(&one.guard), NAME_WIDTH),
        (count, None) => words(say().rules_looked(count as u64)),
    };
    let in_force = desk.engine.store().standing().await?;
    let covers = |one: &&StandingFact| {
        one.conversation == fact.conversation
            && one.standing.since <= fact.proposed_at
            && fact.call.identity.as_ref().is_some_and(|identity| identity.key() == one.standing.identity.key())
    };
    let decided_by = fact.decided.as_ref().map(|decided| decided.by.as_str());
    let standing = match (decided_by, in_force.iter().filter(covers).count()) {
        (Some("standing"), _) => say().standing_let_it_run(),
        (_, count) => say().standing_for_others(count as u64),
    };
    let mode = desk.engine.store().mode_of_run(fact.call.proposed_by).await?;
    let is_question = fact.request.as_ref().is_some_and(|request| request.kind == RequestKind::Input);
    let mode = match (decided_by, mode) {
        // Auto answers whether, not what (D-69).
        _ if is_question => WhyMode::Question,
        (Some("auto"), _) => WhyMode::AutoRan,
        (Some("standing" | "rule"), _) => WhyMode::NotAsked,
        (_, Some(Mode::Plan)) => WhyMode::PlanAsks,
        (_, Some(Mode::Default) | None) => WhyMode::DefaultAsks,
        (_, Some(Mode::Auto)) => WhyMode::AutoLeft,
    };
    Ok(Why { rules, standing, mode: say().why_mode(mode), trace: trace::rows(&fact.verdicts) })
}

/// What approving a plan unlocks: the tools that the policy gates let through now, judged by the one predicate. What servers offer
/// that aren't running nobody knows; they are named.
async fn unlocks(desk: &Desk, fact: &CallFact, profile: &AgentProfile, outfit: &Outfit) -> Unlocks {
    let registered = registered(outfit.toolbox.as_ref());
    let gates = Gates { switches: &desk.engine.switches(), tools: &profile.tools, policy: &profile.policy };
    let (mut asks, mut free, mut uncovered) = (Vec::new(), Vec::new(), Vec::new());
    let run = GuardedRun { conversation: fact.conversation, agent: profile.id, folder: profile.folder.clone() };
    let (kept, now) = (desk.rules.kept(), desk.host.clock.now().0);
    let mut rejecting = std::collections::BTreeSet::new();
    for tool in offerable(&ToolSet::All, &registered, gates) {
        let about = without::about(&kept.rules, &run, &tool, now);
        let guards: Vec<&str> = about.iter().filter(|one| !one.verdict.approves()).map(|one| one.id.as_str()).collect();
        if guards.is_empty() && requires_approval(&tool) {
            uncovered.push(one_line(&tool.identity.name, NAME_WIDTH));
        }
        rejecting.extend(guards.into_iter().map(str::to_owned));
        let name = one_line(&tool.identity.name, NAME_WIDTH);
        if requires_approval(&tool) { asks.push(name) } else { free.push(name) }
    }
    let rejecting = rejecting.into_iter().collect();
    Unlocks { asks, free, unknown: servers::not_running(desk, profile).await, rejecting, uncovered }
}

/// How far an approval for the conversation can reach. For a command that has several parts or can't be taken apart only
/// this exact call: "any arguments" would be nearly everything (D-73).
pub(crate) fn reaches_of(call: &Call) -> Vec<Reach> {
    reaches(call, parse::arguments(&call.arguments).ok().as_ref())
}

fn reaches(call: &Call, tree: Option<&Tree>) -> Vec<Reach> {
    let command = tree.and_then(|tree| tree.get("command")).and_then(Tree::as_text);
    let simple = match (call.marks.has(Mark::FreeForm), command) {
        (false, _) => true,
        (true, None) => false,
        (true, Some(command)) => scan(command).is_some_and(|line| line.segments.len() == 1),
    };
    if simple { vec![Reach::Exact, Reach::Tool] } else { vec![Reach::Exact] }
}
