//! A conversation as it is shown: its row in the list, and its entries.

use countersign_core::call::CallState;
use countersign_core::change::MessageBody;
use countersign_core::head::Head;
use countersign_core::ids::{CallId, ConversationId};
use countersign_core::run::{FailureKind, Goes, Phase, RunEnd, Said};
use countersign_core::tool::Origin;
use countersign_store::open::Store;
use countersign_store::read::conversation::MessageFact;
use countersign_store::read::inbox::CallFact;
use countersign_store::read::spending::Ended;

use crate::asking;
use crate::cards;
use crate::desk::Desk;
use crate::detail::shown_result;
use crate::display::markdown::blocks;
use crate::display::text::{one_line, safe};
use crate::error::not_found;
use crate::wire::conversation::{
    AgentBlock, Beside, CallLine, CallTone, ConversationRow, ConversationState, Entry, EntryBody, FailureHelp, Mark,
    MarkKind, RunEnded, Transcript,
};
use crate::wire::window::ApiError;
use crate::words::{AtWork, RunWords, Thing, say};

/// The longest untaken word to a run in a line.
const STEERING_WIDTH: usize = 120;
/// Entries of a conversation a page.
const ENTRIES: i64 = 100;
/// The longest tool name in a line.
const TOOL_WIDTH: usize = 40;

/// A conversation's row; an error if it isn't there any more.
pub(crate) async fn conversation_row(desk: &Desk, of: ConversationId) -> Result<ConversationRow, ApiError> {
    let store = desk.engine.store();
    let head = store.head(of).await?.ok_or_else(|| not_found(Thing::Conversation))?;
    let (_, touched_at) = store.conversation(of).await?.ok_or_else(|| not_found(Thing::Conversation))?;
    let profile = store.agent(head.conversation.agent).await?;
    let spent = asking::spent(&store.spent(of).await?);
    let approved = head.calls.values().filter(|call| matches!(call.state, CallState::Approved(_)));
    let approved = approved.filter(|call| !head.is_behind_suspended(call));
    let last_end = store.last_end(of).await?;
    let count = |amount: usize| u32::try_from(amount).unwrap_or(u32::MAX);
    Ok(ConversationRow {
        id: of.to_string(),
        title: cards::title(&head.conversation.title),
        agent: head.conversation.agent.to_string(),
        agent_name: cards::agent_name(profile.as_ref()),
        model: cards::model(profile.as_ref()),
        folder: cards::folder(profile.as_ref().map_or("", |one| one.folder.as_str()), desk.host.home.as_deref()),
        mode: cards::mode(head.conversation.mode),
        auto_ends: head.conversation.auto_chain.is_some(),
        auto_until: head.conversation.auto_until.map(|end| end.0),
        state: state(&head, last_end),
        at: touched_at.0,
        waiting: count(head.requests.len() + head.held.len()),
        approved: if head.run.is_some() { 0 } else { count(approved.count()) },
        standing: count(head.standing.len()),
        steering: head
            .steering
            .iter()
            .filter(|one| one.from == Said::Person)
            .map(|one| one_line(&one.text, STEERING_WIDTH))
            .collect(),
        beside: beside(&head),
        queued: head.queued.is_some(),
        spent,
    })
}

fn state(head: &Head, last_end: Option<RunEnd>) -> ConversationState {
    if let Some(run) = &head.run {
        // A run that only waits for the agents beside it says whom it waits for (D-99).
        let beside_only = matches!(run.phase, Phase::Asked | Phase::Background);
        let waited_for = beside(head).into_iter().filter(|one| beside_only && !one.waits).map(|one| one.name);
        let doing = head
            .calls_in_order()
            .into_iter()
            .filter(|call| matches!(call.state, CallState::Started { .. }))
            .map(|call| one_line(&call.tool, TOOL_WIDTH))
            .chain(waited_for)
            .collect();
        return ConversationState::Running {
            since: run.started_at.0,
            round: run.rounds,
            limit: run.limit,
            doing,
            stopping: run.phase == Phase::Stopping,
        };
    }
    if !head.calls.is_empty() || !head.children.is_empty() {
        return ConversationState::Waiting;
    }
    match last_end {
        Some(RunEnd::Failed { failure }) => {
            let text = say().model_failed(failure.kind, &failure.text);
            ConversationState::Failed { text, help: failure_help(failure.kind) }
        }
        Some(
            RunEnd::Completed
            | RunEnd::Asked
            | RunEnd::Limit
            | RunEnd::WouldAsk { .. }
            | RunEnd::Cancelled
            | RunEnd::Interrupted
            | RunEnd::Forked,
        )
        | None => ConversationState::Idle { unfinished: head.conversation.awaits_reply },
    }
}

/// What helps where a model couldn't be used.
pub(crate) fn failure_help(kind: FailureKind) -> FailureHelp {
    match kind {
        FailureKind::Unreachable | FailureKind::Refused | FailureKind::Cut | FailureKind::TimedOut => {
            FailureHelp::Retry
        }
        FailureKind::Unauthorized | FailureKind::UnknownModel | FailureKind::Folder | FailureKind::Agent => {
            FailureHelp::EditAgent
        }
    }
}

/// Agents that go on beside the run, or wait for the person after it.
fn beside(head: &Head) -> Vec<Beside> {
    let mut beside: Vec<Beside> = head
        .children
        .values()
        .filter_map(|run| run.child.as_ref().filter(|child| child.goes == Goes::Beside).map(|child| (run, child)))
        .map(|(run, child)| Beside {
            name: one_line(&child.name, TOOL_WIDTH),
            since: run.started_at.0,
            waits: run.phase == Phase::Suspended,
        })
        .collect();
    beside.sort_by_key(|one| one.since);
    beside
}

/// The message of the conversation's own thread in which something of a sub-agent's is shown, and the calls that started the
/// sub-agents that it lies within, the outermost first.
pub(crate) async fn shown_in(
    store: &Store,
    message: MessageFact,
) -> Result<Option<(MessageFact, Vec<CallId>)>, ApiError> {
    let mut message = message;
    let mut within = Vec::new();
    while let Some(run) = message.message.thread {
        let Some(call) = store.start_call(run).await? else { return Ok(None) };
        within.insert(0, call);
        let Some(call) = store.call(call).await? else { return Ok(None) };
        let Some(above) = store.message(call.message).await? else { return Ok(None) };
        message = above;
    }
    Ok(Some((message, within)))
}

/// A page of a conversation's own thread: the newest, those before a place, or those behind one.
pub(crate) async fn page(
    store: &Store,
    of: ConversationId,
    before: Option<i64>,
    after: Option<i64>,
) -> Result<Transcript, ApiError> {
    let mut messages = match after {
        Some(after) => store.messages_behind(of, after, ENTRIES + 1).await?,
        None => store.messages(of, before.unwrap_or(i64::MAX), ENTRIES + 1).await?,
    };
    let more = i64::try_from(messages.len()).is_ok_and(|len| len > ENTRIES);
    if more {
        messages.pop();
    }
    if after.is_none() {
        messages.reverse();
    }
    let (first, last) = (messages.first(), messages.last());
    let (first, last) = (first.map(|fact| fact.message.seq), last.map(|fact| (fact.message.id, fact.message.seq)));
    let (older, newer) = if after.is_some() {
        // What was asked to be behind it is older.
        (first, last.filter(|_| more).map(|(_, seq)| seq))
    } else {
        let newest = store.last_message(of).await?;
        (first.filter(|_| more), last.filter(|(id, _)| newest != Some(*id)).map(|(_, seq)| seq))
    };
    let mut entries = Vec::with_capacity(messages.len());
    for message in &messages {
        entries.push(entry(store, message).await?);
    }
    Ok(Transcript { conversation: of.to_string(), entries, older, newer })
}

/// A message as an entry, with everything that the sub-agents did that it started.
pub(crate) async fn entry(store: &Store, fact: &MessageFact) -> Result<Entry, ApiError> {
    let body = match &fact.message.body {
        MessageBody::User { text } => EntryBody::User { text: safe(text) },
        MessageBody::Agent { name, text } => {
            EntryBody::Agent { name: one_line(name, TOOL_WIDTH), blocks: blocks(text) }
        }
        MessageBody::Assistant { text, .. } => {
            let mut calls = Vec::with_capacity(fact.calls.len());
            for call in &fact.calls {
                calls.push(call_line(store, call).await?);
            }
            EntryBody::Assistant { blocks: if text.trim().is_empty() { Vec::new() } else { blocks(text) }, calls }
        }
    };
    Ok(Entry {
        seq: fact.message.seq,
        at: fact.message.at.0,
        body,
        end: run_ended(store, fact).await?,
        marks: marks(store, fact).await?,
    })
}

/// What happened to the conversation itself behind a message, before the next one came.
async fn marks(store: &Store, fact: &MessageFact) -> Result<Vec<Mark>, ApiError> {
    if fact.message.thread.is_some() {
        return Ok(Vec::new());
    }
    let fork = store.forked_behind(fact.message.id).await?.map(|fork| Mark {
        at: fork.at.0,
        what: MarkKind::Forked {
            conversation: (!fork.deleted).then(|| fork.from.to_string()),
            title: (!fork.title.is_empty()).then(|| cards::title(&fork.title)),
        },
    });
    let modes = store.modes_behind(fact.message.id).await?.into_iter().map(|one| Mark {
        at: one.at.0,
        what: MarkKind::Mode { mode: cards::mode(one.mode), ends: one.ends, until: one.until.map(|end| end.0) },
    });
    Ok(fork.into_iter().chain(modes).collect())
}

/// The end of the conversation's run that a message is the last of.
async fn run_ended(store: &Store, fact: &MessageFact) -> Result<Option<RunEnded>, ApiError> {
    let Some(Ended { end, at, limit, spent }) = store.ends_with(fact.message.id).await? else { return Ok(None) };
    let goes_on = end == RunEnd::Limit;
    let words = match end {
        // What waits, or went wrong, is shown by itself.
        RunEnd::Completed | RunEnd::Asked | RunEnd::Forked => None,
        RunEnd::Limit => Some(RunWords::Limit { rounds: u64::try_from(limit).unwrap_or_default() }),
        RunEnd::Failed { .. } => Some(RunWords::ModelUnusable),
        RunEnd::WouldAsk { .. } => Some(RunWords::WouldHaveAsked),
        RunEnd::Cancelled => Some(RunWords::Stopped),
        RunEnd::Interrupted => Some(RunWords::Interrupted),
    };
    let words = words.map(|how| say().run_ended(how));
    let spent = asking::spent(&spent);
    // A run that never came to its model has nothing to say.
    Ok((spent.calls > 0 || words.is_some()).then_some(RunEnded { at: at.0, words, goes_on, spent }))
}

/// Whether a call is one that starts a sub-agent.
pub(crate) fn starts_agent(fact: &CallFact) -> bool {
    matches!(fact.call.identity.as_ref().map(|one| &one.origin), Some(Origin::SubAgent { .. }))
}

async fn agent_block(store: &Store, fact: &CallFact) -> Result<Option<AgentBlock>, ApiError> {
    if !starts_agent(fact) {
        return Ok(None);
    }
    let Some(agent) = store.started_by(fact.call.id).await? else { return Ok(None) };
    let mut entries = Vec::new();
    for message in store.thread(agent.run).await? {
        entries.push(Box::pin(entry(store, &message)).await?);
    }
    let (how, tone) = match (agent.phase, agent.end) {
        (Some(Phase::Suspended), _) => (AtWork::WaitsForYou, CallTone::Waiting),
        (Some(Phase::Stopping), _) => (AtWork::Stopping, CallTone::Running),
        (Some(_), _) => (AtWork::Busy, CallTone::Running),
        (None, Some(RunEnd::Completed)) => (AtWork::Done, CallTone::Ran),
        (None, Some(RunEnd::Limit)) => (AtWork::ReachedLimit, CallTone::Ran),
        (None, Some(RunEnd::Failed { .. })) => (AtWork::Failed, CallTone::Failed),
        (None, Some(RunEnd::Interrupted)) => (AtWork::Interrupted, CallTone::Unknown),
        (None, Some(RunEnd::WouldAsk { .. })) => (AtWork::WouldHaveAsked, CallTone::Failed),
        (None, Some(RunEnd::Cancelled | RunEnd::Asked | RunEnd::Forked) | None) => {
            (AtWork::Stopped, CallTone::Rejected)
        }
    };
    let (name, beside) = (one_line(&agent.name, TOOL_WIDTH), agent.goes == Goes::Beside);
    Ok(Some(AgentBlock { name, beside, words: say().at_work(how), tone, entries }))
}

async fn call_line(store: &Store, fact: &CallFact) -> Result<CallLine, ApiError> {
    let (verb, target, _) = cards::call_row(&fact.call);
    let (words, tone) = cards::call_words(fact);
    Ok(CallLine {
        call: fact.call.id.to_string(),
        request: fact.request.as_ref().map(|request| request.id.to_string()),
        verb,
        target,
        words,
        tone,
        result: fact.result.as_deref().map(shown_result),
        agent: agent_block(store, fact).await?,
        asked: if fact.asked {
            store.held_of(fact.call.id).await?.iter().map(crate::asked::line).collect()
        } else {
            Vec::new()
        },
    })
}
