//! What is told besides what waits, each by its own switch: that a rule stopped a call of a conversation in Auto, and, in the
//! desktop's list only, that a request closed without the person who had seen it.

use std::sync::Arc;

use countersign_core::call::{Call, CallState, Settled};
use countersign_core::change::Change;
use countersign_core::head::Head;
use countersign_core::ids::{CallId, ConversationId, RequestId};
use countersign_core::mode::Mode;
use countersign_core::request::{Closing, PassedBy};
use countersign_core::run::RunEnd;
use countersign_engine::ports::Tone;
use jiff::tz::TimeZone;

use super::{Draft, Says, hours, put, words};
use crate::desk::Desk;
use crate::display::text::plain;
use crate::wire::settings::{Privacy, Settings};
use crate::wire::window::ApiError;
use crate::words::say;

/// The longest name of a rule.
const RULE_WIDTH: usize = 40;

/// Tells what a commit has that is worth telling though it waits for nobody.
pub(crate) async fn committed(
    desk: &Arc<Desk>,
    of: ConversationId,
    head: &Head,
    changes: &[Change],
) -> Result<(), ApiError> {
    let withdrawn = withdrawn(changes);
    // Each is asked, so that none is remembered for ever.
    let seen: Vec<RequestId> = withdrawn.into_iter().filter(|request| desk.shown.was_seen(request.0)).collect();
    let settings = desk.settings();
    let now = desk.host.clock.now().0;
    if !settings.notify || hours::silent(&settings, now, &TimeZone::system()) {
        return Ok(());
    }
    if desk.shown.says(of).is_some_and(|says| says != Says::News) {
        // What waits for the person comes first.
        return Ok(());
    }
    let title = words::name(&head.conversation.title, &settings);
    if let Some(request) = seen.last() {
        let draft = Draft {
            opens: *request,
            title: match settings.privacy {
                Privacy::Private => say().question_withdrawn(),
                Privacy::Target | Privacy::Full => say().asks_no_more(&title),
            },
            body: say().withdrawn_before(),
            offers: Vec::new(),
            tone: Tone::Passive,
            sound: None,
        };
        put(desk, of, draft, Says::News).await;
    }
    if settings.notify_stopped
        && head.conversation.mode == Mode::Auto
        && let Some((call, by)) = stopped(changes)
    {
        let draft = Draft {
            // A call is opened by its own id; both are the same to whoever opens it.
            opens: RequestId(call.0),
            title: match settings.privacy {
                Privacy::Private => say().rule_stopped_call(),
                Privacy::Target | Privacy::Full => say().rule_stopped_call_of(&title),
            },
            body: body(desk, call, &by, &settings).await?,
            offers: Vec::new(),
            tone: Tone::Normal,
            sound: None,
        };
        put(desk, of, draft, Says::News).await;
    }
    Ok(())
}

/// Requests that somebody else took back, where the person didn't end what held them.
fn withdrawn(changes: &[Change]) -> Vec<RequestId> {
    let ended = |change: &Change| matches!(change, Change::RunEnded { end: RunEnd::Cancelled, .. });
    if changes.iter().any(|change| ended(change) || matches!(change, Change::ConversationDeleted)) {
        return Vec::new();
    }
    let of = |change: &Change| match change {
        Change::QuestionClosed { question, closing: Closing::PassedBy { by: PassedBy::Withdrawn }, .. } => {
            Some(*question)
        }
        Change::RequestClosed { request, closing: Closing::PassedBy { by: PassedBy::Withdrawn }, .. } => Some(*request),
        _ => None,
    };
    changes.iter().filter_map(of).collect()
}

/// The last call that rules rejected, and which.
fn stopped(changes: &[Change]) -> Option<(CallId, Vec<String>)> {
    let of = |change: &Change| match change {
        Change::CallProposed {
            call: Call { id, state: CallState::Settled(Settled::RejectedByRule { by, .. }), .. },
            ..
        } => Some((*id, by.clone())),
        Change::CallSettled { call, settled: Settled::RejectedByRule { by, .. }, .. } => Some((*call, by.clone())),
        _ => None,
    };
    changes.iter().rev().find_map(of)
}

async fn body(desk: &Desk, call: CallId, by: &[String], settings: &Settings) -> Result<String, ApiError> {
    if settings.privacy == Privacy::Private {
        return Ok(say().one_call());
    }
    let Some(fact) = desk.engine.store().call_fact(call.0).await? else { return Ok(String::new()) };
    let (verb, _, _) = crate::cards::call_row(&fact.call);
    let rules: Vec<String> = by.iter().map(|rule| words::short(rule, RULE_WIDTH, settings)).collect();
    let rules = rules.join(", ");
    Ok(say().call_and_rules(&words::short(&plain(&verb), RULE_WIDTH, settings), &rules))
}
