//! A conversation as it is shown: its row in the list, and its entries.

use countersign_core::call::CallState;
use countersign_core::change::MessageBody;
use countersign_core::head::Head;
use countersign_core::ids::ConversationId;
use countersign_core::run::{FailureKind, Phase, RunEnd};
use countersign_store::read::conversation::MessageFact;
use countersign_store::read::inbox::CallFact;

use crate::cards;
use crate::desk::Desk;
use crate::detail::shown_result;
use crate::display::markdown::blocks;
use crate::display::payload;
use crate::display::text::{one_line, safe};
use crate::error::not_found;
use crate::wire::conversation::{CallLine, ConversationRow, ConversationState, Entry, EntryBody, FailureHelp};
use crate::wire::window::ApiError;

/// The longest untaken word to a run in a line.
const STEERING_WIDTH: usize = 120;
/// The longest tool name in a line.
const TOOL_WIDTH: usize = 40;

/// A conversation's row; an error if it isn't there any more.
pub(crate) async fn conversation_row(desk: &Desk, of: ConversationId) -> Result<ConversationRow, ApiError> {
    let store = desk.engine.store();
    let head = store.head(of).await?.ok_or_else(|| not_found("conversation"))?;
    let (_, touched_at) = store.conversation(of).await?.ok_or_else(|| not_found("conversation"))?;
    let profile = store.agent(head.conversation.agent).await?;
    let (tokens_in, tokens_out) = store.tokens(of).await?;
    let approved = head.calls.values().filter(|call| matches!(call.state, CallState::Approved(_))).count();
    let last_end = store.last_end(of).await?;
    let count = |amount: usize| u32::try_from(amount).unwrap_or(u32::MAX);
    Ok(ConversationRow {
        id: of.to_string(),
        title: cards::title(&head.conversation.title),
        agent: head.conversation.agent.to_string(),
        agent_name: cards::title(profile.as_ref().map_or("deleted agent", |one| one.name.as_str())),
        model: cards::model(profile.as_ref()),
        folder: cards::folder(profile.as_ref().map_or("", |one| one.folder.as_str()), desk.host.home.as_deref()),
        mode: cards::mode(head.conversation.mode),
        auto_ends: head.conversation.auto_chain.is_some(),
        state: state(&head, last_end),
        at: touched_at.0,
        waiting: count(head.requests.len()),
        approved: if head.run.is_some() { 0 } else { count(approved) },
        standing: count(head.standing.len()),
        steering: head.steering.iter().map(|one| one_line(&one.text, STEERING_WIDTH)).collect(),
        tokens_in,
        tokens_out,
    })
}

fn state(head: &Head, last_end: Option<RunEnd>) -> ConversationState {
    if let Some(run) = &head.run {
        let doing = head
            .calls_in_order()
            .into_iter()
            .filter(|call| matches!(call.state, CallState::Started { .. }))
            .map(|call| one_line(&call.tool, TOOL_WIDTH))
            .collect();
        return ConversationState::Running {
            since: run.started_at.0,
            round: run.rounds,
            limit: run.limit,
            doing,
            stopping: run.phase == Phase::Stopping,
        };
    }
    if !head.calls.is_empty() {
        return ConversationState::Waiting;
    }
    match last_end {
        Some(RunEnd::Failed { failure }) => ConversationState::Failed {
            text: crate::error::sentence(&failure.text),
            help: match failure.kind {
                FailureKind::Unreachable | FailureKind::Refused | FailureKind::Cut | FailureKind::TimedOut => {
                    FailureHelp::Retry
                }
                FailureKind::Unauthorized | FailureKind::UnknownModel | FailureKind::Folder | FailureKind::Agent => {
                    FailureHelp::EditAgent
                }
            },
        },
        Some(RunEnd::Completed | RunEnd::Asked | RunEnd::Limit | RunEnd::Cancelled | RunEnd::Interrupted) | None => {
            ConversationState::Idle { unfinished: head.conversation.awaits_reply }
        }
    }
}

/// A message as an entry.
pub(crate) fn entry(fact: &MessageFact) -> Entry {
    let body = match &fact.message.body {
        MessageBody::User { text } => EntryBody::User { text: safe(text) },
        MessageBody::Assistant { text, .. } => EntryBody::Assistant {
            blocks: if text.trim().is_empty() { Vec::new() } else { blocks(text) },
            calls: fact.calls.iter().map(call_line).collect(),
        },
    };
    Entry { seq: fact.message.seq, at: fact.message.at.0, body }
}

fn call_line(fact: &CallFact) -> CallLine {
    let (verb, target, _) = payload::row(&fact.call.tool, &fact.call.arguments, &fact.call.preconditions);
    let (words, tone) = cards::call_words(fact);
    CallLine {
        call: fact.call.id.to_string(),
        request: fact.request.as_ref().map(|request| request.id.to_string()),
        verb,
        target,
        words,
        tone,
        result: fact.result.as_deref().map(shown_result),
    }
}
