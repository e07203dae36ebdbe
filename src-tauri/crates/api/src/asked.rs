//! What a server holds open while it executes a call, as it is shown (D-86): its row and its card while it waits, its lines in
//! history and beside its call afterwards.
//!
//! It is answered in place while the run goes on, so it isn't part of its conversation's set: each is a set of its own, of one
//! row, with its own grace and its own sending. It is nearest to what a background agent asks (`beside`), which words to the run
//! leave open too; but a background agent's answer waits for the run to end, and this one is what the run waits for.

use countersign_core::ids::ServerId;
use countersign_core::mode::Mode;
use countersign_core::request::{AnsweredAs, Closing};
use countersign_core::step::held_digest;
use countersign_core::tool::Origin;
use countersign_store::open::Store;
use countersign_store::read::held::{HeldFact, HeldQuestion};
use countersign_store::read::inbox::CallFact;

use crate::cards;
use crate::desk::Desk;
use crate::display::payload::Displayed;
use crate::display::question;
use crate::display::text::{one_line, words};
use crate::error::not_found;
use crate::wire::conversation::{AskedLine, CallTone};
use crate::wire::history::{HistoryRow, OutcomeTone};
use crate::wire::inbox::{ClosedRow, Detail, DetailState, Draft, RequestRow, RowGroup, RowKind, Why};
use crate::wire::text::Shown;
use crate::wire::window::ApiError;
use crate::words::{By, Closed, Decided, Line, Outcome, Spoken, Thing, WhyMode, say, within};

/// The longest name of a server.
const SERVER_WIDTH: usize = 40;
/// How much of what it says stands in a row.
const MESSAGE_WIDTH: usize = 40;

/// Who holds the questions of a call: a server by the name that the person gave it; for a tool that is no server's, the tool.
/// None for a server that is no more.
async fn holder(store: &Store, fact: &CallFact) -> Result<Option<String>, ApiError> {
    let server = match fact.call.identity.as_ref().map(|identity| &identity.origin) {
        Some(Origin::Server { server, .. }) => server,
        Some(Origin::BuiltIn { .. } | Origin::SubAgent { .. } | Origin::Conversation) | None => {
            return Ok(Some(fact.call.tool.clone()));
        }
    };
    Ok(match server.parse::<ServerId>() {
        Ok(id) => store.server(id).await?.map(|profile| profile.name),
        Err(_) => Some(server.clone()),
    })
}

/// What it is called.
fn holder_name(holder: Option<String>) -> String {
    holder.unwrap_or_else(|| say().removed_server())
}

fn verb() -> Shown {
    words(say().asks_for_input())
}

fn target(question: &HeldQuestion) -> Shown {
    if question.held.message.trim().is_empty() {
        return Shown::new();
    }
    say().quoted(one_line(&question.held.message, MESSAGE_WIDTH))
}

/// Its row in the Inbox.
pub(crate) async fn row(store: &Store, fact: &HeldFact, draft: Option<Draft>) -> Result<RequestRow, ApiError> {
    let path = cards::path_of(store, &fact.call).await?;
    Ok(RequestRow {
        id: fact.question.id().to_string(),
        kind: RowKind::Question,
        path,
        verb: verb(),
        target: target(&fact.question),
        group: RowGroup::Other,
        high_risk: false,
        opened_at: fact.question.held.request.opened_at.0,
        rejected_at: None,
        draft,
        queued: false,
        beside: false,
        held_by: Some(one_line(&holder_name(holder(store, &fact.call).await?), SERVER_WIDTH)),
    })
}

/// How it closed.
pub(crate) fn closed_as(closing: &Closing) -> Closed {
    match closing {
        Closing::Answered { verdict: AnsweredAs::DataGiven } => Closed::Answered,
        Closing::Answered { .. } => Closed::Declined,
        Closing::PassedBy { .. } => Closed::ServerStoppedWaiting,
    }
}

/// A question that closed; none while it is open.
pub(crate) fn closed_row(fact: &HeldFact, path: Vec<Shown>) -> Option<ClosedRow> {
    let (closing, at) = fact.question.closed.as_ref()?;
    Some(ClosedRow {
        id: fact.question.id().to_string(),
        conversation: fact.call.conversation.to_string(),
        title: (!fact.call.deleted).then(|| cards::title(&fact.call.title)),
        path,
        verb: verb(),
        target: target(&fact.question),
        label: say().closed(closed_as(closing)),
        was: closed_as(closing).was(),
        unknown: false,
        expired: matches!(closing, Closing::PassedBy { .. }),
        at: at.0,
    })
}

/// Its line in history; none while it is open. Who and when, never the values (N-57): those are in its card.
pub(crate) async fn history_row(
    store: &Store,
    fact: &HeldFact,
    language: Spoken,
) -> Result<Option<HistoryRow>, ApiError> {
    let path = cards::path_of(store, &fact.call).await?;
    let holder = holder(store, &fact.call).await?;
    Ok(within(language, || history_row_of(fact, path, holder)))
}

fn history_row_of(fact: &HeldFact, path: Vec<Shown>, holder: Option<String>) -> Option<HistoryRow> {
    let (closing, at) = fact.question.closed.as_ref()?;
    let seq = fact.question.seq?;
    let holder = one_line(&holder_name(holder), SERVER_WIDTH);
    let (decision, by, outcome) = match closing {
        Closing::Answered { verdict: AnsweredAs::DataGiven } => {
            (Decided::Answered, words(say().decided_by(By::You)), Outcome::ToldServer)
        }
        Closing::Answered { .. } => (Decided::Declined, words(say().decided_by(By::You)), Outcome::ToldServer),
        Closing::PassedBy { .. } => (Decided::Withdrawn, say().server_stopped_waiting(holder), Outcome::NeverAnswered),
    };
    let answered = matches!(closing, Closing::Answered { .. });
    let took = (at.0 - fact.question.held.request.opened_at.0).max(0);
    Some(HistoryRow {
        seq,
        id: fact.question.id().to_string(),
        at: at.0,
        title: cards::title(&fact.call.title),
        path,
        verb: verb(),
        target: target(&fact.question),
        decision: say().decided(decision),
        expired: decision == Decided::Withdrawn,
        by,
        outcome: say().outcome(outcome),
        tone: OutcomeTone::Plain,
        took_ms: answered.then_some(took),
    })
}

/// Its line beside the call that was executed meanwhile.
pub(crate) fn line(question: &HeldQuestion) -> AskedLine {
    let (line, tone) = match question.closed.as_ref().map(|(closing, _)| closing) {
        None => (Line::WaitsForYou, CallTone::Waiting),
        Some(Closing::Answered { verdict: AnsweredAs::DataGiven }) => (Line::Answered, CallTone::Ran),
        Some(Closing::Answered { .. }) => (Line::Declined, CallTone::Rejected),
        Some(Closing::PassedBy { .. }) => (Line::ServerStoppedWaiting, CallTone::Never),
    };
    AskedLine {
        request: question.id().to_string(),
        verb: verb(),
        target: target(question),
        words: say().line(line),
        tone,
    }
}

/// Its card. The digest is computed from what is displayed, and handed out only with it (D-77).
pub(crate) async fn detail(desk: &Desk, fact: &HeldFact) -> Result<Detail, ApiError> {
    let store = desk.engine.store();
    let (call, held) = (&fact.call, &fact.question.held);
    let conversation = store.conversation(call.conversation).await?.map(|(conversation, _)| conversation);
    let (path, below) = crate::detail::path(store, &call.call).await?;
    let profile = store.agent(below.unwrap_or(call.agent)).await?;
    let holder = holder_name(holder(store, call).await?);
    let state = match &fact.question.closed {
        None if !call.deleted => {
            let digest =
                held_digest(&call.call, &held.message, &held.schema).ok_or_else(|| not_found(Thing::Request))?;
            let id = fact.question.id().to_string();
            let drafts = desk.drafts(call.conversation).await?;
            let draft = drafts.into_iter().find(|(row, _)| *row == id).map(|(_, draft)| draft);
            DetailState::Open { digest: digest.to_string(), draft, changed: false }
        }
        None => return Err(not_found(Thing::Request)),
        Some((closing, at)) => DetailState::Closed {
            at: at.0,
            label: match closing {
                Closing::Answered { .. } => say().closed_by_you(closed_as(closing)),
                Closing::PassedBy { .. } => say().closed(closed_as(closing)),
            },
            text: closed_text(closing),
            // It can't be asked again: the server that wanted to know is past it.
            expired: false,
            in_doubt: false,
            outcome: None,
            result: None,
            whole: None,
        },
    };
    let says = store.words_of(&call.call).await?;
    let id = fact.question.id().to_string();
    let hidden = crate::display::text::hidden_in(&held.message);
    let opened = desk.opened.open_question(&id, &format!("{}\n\n{}", held.message, held.schema), hidden, || {
        Displayed::short(question::held(&held.schema, &held.message, &holder))
    });
    Ok(Detail {
        id,
        opened: opened.number,
        kind: RowKind::Question,
        conversation: call.conversation.to_string(),
        title: (!call.deleted).then(|| cards::title(&call.title)),
        path,
        thread: crate::wire::inbox::Thread::Conversation,
        mode: cards::mode(conversation.as_ref().map_or(Mode::Default, |one| one.mode)),
        auto_ends: conversation.as_ref().is_some_and(|one| one.auto_chain.is_some()),
        auto_until: conversation.as_ref().and_then(|one| one.auto_until).map(|end| end.0),
        verb: verb(),
        tool: one_line(&call.call.tool, SERVER_WIDTH),
        model: cards::model(profile.as_ref()),
        folder: cards::folder(profile.as_ref().map_or("", |one| one.folder.as_str()), desk.host.home.as_deref()),
        opened_at: held.request.opened_at.0,
        payload: opened.payload.clone(),
        raw: opened.raw.clone(),
        facts: Vec::new(),
        confined: None,
        defaults: Vec::new(),
        above: None,
        gone: false,
        server: crate::servers::of_call(desk, &call.call, false).await?,
        hidden,
        why: Why {
            rules: words(say().rules_judge_calls()),
            standing: say().standing_for_no_question(),
            trace: Vec::new(),
            mode: say().why_mode(WhyMode::Question),
        },
        agent_says: (!says.trim().is_empty()).then(|| crate::display::text::safe(says.trim())),
        reaches: Vec::new(),
        any_command_tick: false,
        rejected_at: None,
        correction: None,
        only_reads_ran: false,
        held_by: Some(one_line(&holder, SERVER_WIDTH)),
        answer: fact.question.answer.clone(),
        state,
    })
}

fn closed_text(closing: &Closing) -> String {
    match closing {
        Closing::Answered { verdict: AnsweredAs::DataGiven } => say().server_got_answer(),
        Closing::Answered { verdict: AnsweredAs::Rejected { reason: Some(reason) } } => {
            say().server_told_declined_note(&crate::display::text::plain(&crate::display::text::safe(reason)))
        }
        Closing::Answered { .. } => say().server_told_declined(),
        Closing::PassedBy { .. } => say().server_stopped_before(),
    }
}
