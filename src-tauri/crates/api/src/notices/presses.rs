//! What a press on a notice does. Approving and rejecting are staged like a press in the window, with what was on screen and
//! with the same grace, and can be taken back from the notice that then takes the place (c.8, L-124). Whatever doesn't fit any
//! more decides nothing and opens what there is.

use std::sync::Arc;

use countersign_core::call::CallState;
use countersign_core::ids::{ConversationId, RequestId};
use countersign_core::parse;
use countersign_core::request::Closing;
use countersign_core::step::call_digest;
use countersign_core::tool::Origin;
use countersign_engine::ports::{Attendance, NoticeAction, NoticePress, Tone};

use super::words::{self, Words};
use super::{Decides, Draft, Says, attendance, put, refresh};
use crate::cards;
use crate::desk::{Desk, SetId};
use crate::display::facts::low_risk;
use crate::display::text::plain;
use crate::wire::inbox::{Decision, RowKind, SetCard};
use crate::wire::settings::{Privacy, Settings};
use crate::wire::window::{ApiError, FeedWhat};
use crate::words::say;

/// What became of a press.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pressed {
    /// It belongs to nothing that this space knows.
    Unknown,
    /// It decides nothing and shows something: the window comes up.
    Shows,
    /// It was staged or taken back: the window stays where it is.
    Done,
}

/// What a set's buttons decide; none if it has no button but *Review*. `open` is how many requests are open in the
/// conversation.
pub(super) async fn decides(
    desk: &Desk,
    set: &SetCard,
    open: usize,
    settings: &Settings,
    words: &Words,
    present: Attendance,
) -> Result<Option<Decides>, ApiError> {
    let ([only], 1) = (set.rows.as_slice(), open) else { return Ok(None) };
    if only.kind != RowKind::Call {
        return Ok(None);
    }
    let Ok(request) = only.id.parse::<RequestId>() else { return Ok(None) };
    let Some(fact) = desk.engine.store().call_fact(request.0).await? else { return Ok(None) };
    let Some(asked) = &fact.request else { return Ok(None) };
    let Some(digest) = call_digest(&fact.call, asked.kind) else { return Ok(None) };
    let ours = fact.call.identity.as_ref().is_some_and(|identity| matches!(identity.origin, Origin::BuiltIn { .. }));
    let small = parse::arguments(&fact.call.arguments)
        .is_ok_and(|tree| low_risk(&fact.call.tool, &tree, &fact.call.preconditions));
    let approves = ours && small && !only.high_risk && words.whole && may_approve(settings, present);
    Ok(Some(Decides { request, digest: digest.to_string(), approves }))
}

/// Whether approving from a notice is allowed at this moment at all. Unknown is locked.
fn may_approve(settings: &Settings, present: Attendance) -> bool {
    settings.approve_from_notice && settings.privacy == Privacy::Full && present.is_surely_unlocked()
}

/// A button was pressed.
pub(crate) async fn pressed(desk: &Arc<Desk>, press: &NoticePress) -> Result<Pressed, ApiError> {
    let waiting = desk.all_waiting(press.conversation).await?;
    let Some(told) = desk.shown.told(press) else {
        return match (waiting, desk.shown.opened_by(&press.token)) {
            // The set changed since: what waits now is shown, and nothing is decided.
            (Some(set), _) => Ok(shows(desk, set.rows.first().map(|row| row.id.clone()))),
            // What it was about is closed: that is shown, with the reason.
            (None, Some(opens)) => Ok(shows(desk, Some(opens.to_string()))),
            (None, None) => Ok(Pressed::Unknown),
        };
    };
    let decision = match (press.action, &told.says) {
        (NoticeAction::Undo, Says::Staged { request, .. }) => return undo(desk, press.conversation, *request).await,
        (NoticeAction::Approve, Says::Waits { decides: Some(decides), .. })
            if decides.approves && may_approve(&desk.settings(), attendance(desk).await) =>
        {
            Some((decides, Decision::Approve))
        }
        (NoticeAction::Reject, Says::Waits { decides: Some(decides), .. }) => {
            Some((decides, Decision::Reject { reason: None }))
        }
        (NoticeAction::Review | NoticeAction::Reject | NoticeAction::Approve | NoticeAction::Undo, _) => None,
    };
    let rows: Vec<String> = waiting.iter().flat_map(|set| &set.rows).map(|row| row.id.clone()).collect();
    match decision {
        Some((decides, decision)) if rows == [decides.request.to_string()] => {
            stage(desk, press.conversation, decides, decision).await
        }
        Some(_) | None => {
            super::opened(desk, press.conversation).await;
            let first = match told.says {
                Says::Waits { .. } => rows.into_iter().next(),
                Says::Staged { .. } | Says::News => None,
            };
            Ok(shows(desk, Some(first.unwrap_or_else(|| told.opens.to_string()))))
        }
    }
}

fn shows(desk: &Desk, request: Option<String>) -> Pressed {
    desk.feed.publish(desk.space, FeedWhat::Show { request });
    Pressed::Shows
}

async fn stage(
    desk: &Arc<Desk>,
    of: ConversationId,
    decides: &Decides,
    decision: Decision,
) -> Result<Pressed, ApiError> {
    let approved = matches!(decision, Decision::Approve);
    let request = decides.request;
    // Before it can leave: what is sent at once is over before this comes back.
    if let Some(state) = desk.shown.lock().conversations.get_mut(&of)
        && let Some(told) = &mut state.told
    {
        told.says = Says::Staged { request, approved, leaves: false };
    }
    match crate::drafts::stage(desk, &request.to_string(), decision, &decides.digest).await {
        Ok(()) => {
            if still_staged(desk, of).await? {
                show_staged(desk, of, request, approved).await?;
            } else {
                refresh(desk, of, true);
            }
            Ok(Pressed::Done)
        }
        Err(error) => {
            tracing::info!(?error, "a press on a notification couldn't be staged");
            not_delivered(desk, of, request, &crate::app::message(&error)).await?;
            Ok(Pressed::Done)
        }
    }
}

async fn undo(desk: &Arc<Desk>, of: ConversationId, request: RequestId) -> Result<Pressed, ApiError> {
    let open = desk.all_waiting(of).await?.is_some_and(|set| set.rows.iter().any(|row| row.id == request.to_string()));
    if !open || crate::drafts::unstage(desk, &request.to_string()).await.is_err() {
        // It has left: what became of it is shown.
        return Ok(shows(desk, Some(request.to_string())));
    }
    desk.shown.take(of);
    refresh(desk, of, true);
    Ok(Pressed::Done)
}

/// Shows that an answer is staged, with the way back.
pub(super) async fn show_staged(
    desk: &Desk,
    of: ConversationId,
    request: RequestId,
    approved: bool,
) -> Result<(), ApiError> {
    let settings = desk.settings();
    let (grace, _, _) = desk.graces.state(SetId::own(of));
    let leaves = grace.is_some();
    let title = match grace {
        Some(grace) => say().leaves_in(approved, u64::try_from((grace.total_ms + 999) / 1_000).unwrap_or_default()),
        None => say().not_sent_yet(approved),
    };
    let mut body = about(desk, request, &settings).await?;
    if !leaves {
        body = say().press_send(&body);
    }
    let draft =
        Draft { opens: request, title, body, offers: vec![NoticeAction::Undo], tone: Tone::Normal, sound: None };
    put(desk, of, draft, Says::Staged { request, approved, leaves }).await;
    Ok(())
}

/// What a request is, as far as the level of privacy lets it be said.
async fn about(desk: &Desk, request: RequestId, settings: &Settings) -> Result<String, ApiError> {
    let Some(fact) = desk.engine.store().call_fact(request.0).await? else { return Ok(String::new()) };
    let name = words::name(&fact.title, settings);
    Ok(match settings.privacy {
        Privacy::Private => say().requests(1),
        Privacy::Target => {
            let (verb, _, _) = cards::call_row(&fact.call);
            format!("{name}: {}", words::short(&plain(&verb), super::words::BODY_WIDTH, settings))
        }
        Privacy::Full => format!("{name}: {}", words::payload(&fact.call.tool, &fact.call.arguments, settings).0),
    })
}

/// Whether the conversation's notice still says that an answer is staged, and rightly so. What became of the answer since is told
/// in its place: that it waits for *Send*, or that it couldn't be delivered.
pub(super) async fn still_staged(desk: &Arc<Desk>, of: ConversationId) -> Result<bool, ApiError> {
    let Some(Says::Staged { request, approved, leaves }) = desk.shown.says(of) else { return Ok(false) };
    let Some(fact) = desk.engine.store().call_fact(request.0).await? else { return Ok(false) };
    let closed = fact.request.as_ref().and_then(|one| one.closed.as_ref());
    if fact.deleted {
        return Ok(false);
    }
    match (closed, &fact.call.state) {
        (None, CallState::Waiting(_)) => {}
        (Some((Closing::Answered { .. }, _)) | None, _) => return Ok(false),
        (Some((closing @ Closing::PassedBy { .. }, _)), _) => {
            let why = say().closed(cards::closed_as(&fact, closing));
            not_delivered(desk, of, request, &format!("{why}.")).await?;
            return Ok(true);
        }
    }
    let queued = desk.engine.store().head(of).await?.is_some_and(|head| head.answered_in_queue().contains(&request));
    let (grace, sending, refused) = desk.graces.state(SetId::own(of));
    let sending = sending || queued;
    let staged = desk.drafts(of).await?.iter().any(|(row, _)| *row == request.to_string());
    match (staged, grace.is_some() || sending, refused) {
        (true, true, _) => Ok(true),
        (_, false, Some(refused)) => {
            not_delivered(desk, of, request, &refused.text).await?;
            Ok(true)
        }
        (true, false, None) => {
            if leaves {
                show_staged(desk, of, request, approved).await?;
            }
            Ok(true)
        }
        // It was taken back: what waits is told again.
        (false, _, _) => {
            desk.shown.take(of);
            Ok(false)
        }
    }
}

/// Says that an answer of a press didn't get through, and leads to what there is.
async fn not_delivered(desk: &Desk, of: ConversationId, request: RequestId, why: &str) -> Result<(), ApiError> {
    let settings = desk.settings();
    let about = about(desk, request, &settings).await?;
    let body = words::short(&format!("{} {about}", why.trim()), 2 * super::words::BODY_WIDTH, &settings);
    let draft = Draft {
        opens: request,
        title: say().answer_not_sent(),
        body,
        offers: Vec::new(),
        tone: Tone::Normal,
        sound: None,
    };
    put(desk, of, draft, Says::News).await;
    Ok(())
}
