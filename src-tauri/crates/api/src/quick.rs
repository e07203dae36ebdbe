//! Quick tasks between the engine and a surface.

use countersign_core::agent::ToolSet;
use countersign_core::change::MessageBody;
use countersign_core::ids::{AgentId, ConversationId, NotAnId};
use countersign_core::input::NewConversation;
use countersign_core::mode::Mode;
use countersign_core::run::{Phase, RunEnd};
use countersign_store::read::quick::QuickFact;

use crate::cards;
use crate::desk::Desk;
use crate::display::markdown::blocks;
use crate::display::text::{one_line, safe};
use crate::entries::{entry, failure_help};
use crate::error::{invalid, not_found, refused};
use crate::wire::quick::{QuickPage, QuickRow, QuickState, QuickTask};
use crate::wire::window::ApiError;
use crate::words::{Thing, say};

/// Tasks a page.
const PAGE: i64 = 50;
/// More messages than a task has: each round is one, and there are at most 200.
const MESSAGES: i64 = 1_000;
/// The longest tool name in a sentence.
const TOOL_WIDTH: usize = 60;
/// The longest name that a task gets from its words.
pub(crate) const TITLE_CHARS: usize = 120;

/// Starts one.
///
/// # Errors
/// [`ApiError::Invalid`] without words, [`ApiError::Refused`] where the agent can't run.
pub(crate) async fn start(desk: &Desk, agent: &str, text: &str, mode: Option<Mode>) -> Result<QuickTask, ApiError> {
    let agent: AgentId = agent.parse().map_err(|_: NotAnId| not_found(Thing::Agent))?;
    let profile = desk.engine.store().agent(agent).await?.ok_or_else(|| not_found(Thing::Agent))?;
    let text = text.trim();
    if text.is_empty() {
        return Err(invalid("text", say().say_what_to_do()));
    }
    // Auto is never a default here: whoever wants writes to run unasked says so for this one task.
    let mode = mode.unwrap_or_else(|| profile.mode_to_start_in(None).min(Mode::Default));
    let id = ConversationId(*uuid::Uuid::now_v7().as_bytes());
    let new = NewConversation { id, agent, title: crate::app::title_of(text, TITLE_CHARS), mode, auto_until: None };
    desk.engine.quick(new, text.to_owned(), ToolSet::All).await?;
    task(desk, id).await
}

/// The tools that a Quick task of an agent would have now, by name.
pub(crate) async fn tools(desk: &Desk, agent: &str, mode: Mode) -> Result<Vec<String>, ApiError> {
    let agent: AgentId = agent.parse().map_err(|_: NotAnId| not_found(Thing::Agent))?;
    Ok(desk.engine.unattended(agent, mode).await?)
}

/// One in full.
///
/// # Errors
/// [`ApiError::NotFound`] if it isn't there.
pub(crate) async fn task(desk: &Desk, id: ConversationId) -> Result<QuickTask, ApiError> {
    let store = desk.engine.store();
    let fact = store.quick_task(id).await?.ok_or_else(|| not_found(Thing::QuickTask))?;
    let profile = store.agent(fact.conversation.agent).await?;
    let spent = crate::asking::spent(&store.spent(id).await?);
    let mut messages = store.messages(id, i64::MAX, MESSAGES).await?;
    messages.reverse();
    let state = state(&fact);
    let (mut text, mut result, mut rounds) = (safe(&fact.conversation.title), Vec::new(), Vec::new());
    let last = messages.len().saturating_sub(1);
    for (index, message) in messages.iter().enumerate() {
        match &message.message.body {
            MessageBody::User { text: said } => text = safe(said),
            // The last word is the result; everything before it is how it came about.
            MessageBody::Assistant { text, .. } if index == last && message.calls.is_empty() => result = blocks(text),
            MessageBody::Assistant { .. } | MessageBody::Agent { .. } => rounds.push(entry(store, message).await?),
        }
    }
    Ok(QuickTask {
        id: id.to_string(),
        agent: fact.conversation.agent.to_string(),
        agent_name: cards::agent_name(profile.as_ref()),
        folder: cards::folder(profile.as_ref().map_or("", |one| one.folder.as_str()), desk.host.home.as_deref()),
        mode: cards::mode(fact.conversation.mode),
        text,
        at: fact.conversation.created_at.0,
        state,
        result,
        rounds,
        spent,
    })
}

/// A page, the newest first.
pub(crate) async fn page(desk: &Desk, before: Option<i64>) -> Result<QuickPage, ApiError> {
    let store = desk.engine.store();
    let mut facts = store.quick_tasks(before.unwrap_or(i64::MAX), PAGE + 1).await?;
    let more = i64::try_from(facts.len()).is_ok_and(|len| len > PAGE);
    if more {
        facts.pop();
    }
    let mut rows = Vec::with_capacity(facts.len());
    for fact in &facts {
        let profile = store.agent(fact.conversation.agent).await?;
        rows.push(QuickRow {
            id: fact.conversation.id.to_string(),
            place: fact.place,
            title: one_line(&fact.conversation.title, TITLE_CHARS),
            agent_name: cards::agent_name(profile.as_ref()),
            at: fact.conversation.created_at.0,
            calls: fact.calls,
            state: state(fact),
        });
    }
    let older = if more { rows.last().map(|row| row.place) } else { None };
    Ok(QuickPage { rows, older })
}

/// Removes one that is over, from every list; history keeps what was decided in it.
pub(crate) async fn remove(desk: &Desk, id: ConversationId) -> Result<(), ApiError> {
    let fact = desk.engine.store().quick_task(id).await?.ok_or_else(|| not_found(Thing::QuickTask))?;
    if matches!(state(&fact), QuickState::Running { .. }) {
        return Err(refused(say().task_running()));
    }
    Ok(desk.engine.input(id, countersign_core::input::Input::Delete).await?)
}

fn state(fact: &QuickFact) -> QuickState {
    let Some(run) = &fact.run else {
        return QuickState::Interrupted;
    };
    match run.ended.as_ref().map(|(end, _)| end) {
        None => QuickState::Running {
            since: run.started_at.0,
            round: run.rounds,
            limit: run.limit,
            stopping: run.phase == Some(Phase::Stopping),
        },
        Some(RunEnd::Completed) => QuickState::Done,
        Some(RunEnd::Limit) => QuickState::Limit,
        Some(RunEnd::WouldAsk { tool, rounds }) => {
            QuickState::WouldAsk { tool: one_line(tool, TOOL_WIDTH), rounds: *rounds }
        }
        Some(RunEnd::Failed { failure }) => {
            let text = say().model_failed(failure.kind, &failure.text);
            QuickState::Failed { text, help: failure_help(failure.kind) }
        }
        Some(RunEnd::Cancelled) => QuickState::Stopped,
        // It never asks and is never forked, so the last two of these can't be.
        Some(RunEnd::Interrupted | RunEnd::Asked | RunEnd::Forked) => QuickState::Interrupted,
    }
}
