//! *Suggest other arguments*: a rejection whose reason carries the arguments that the person would have approved. What is stored is
//! never changed and never run with other arguments; the agent asks again, and the request that comes back is compared.

use countersign_core::call::{Call, CallState, Settled};
use countersign_core::parse::{self, Tree};
use countersign_store::read::inbox::CallFact;

use crate::cards;
use crate::desk::Desk;
use crate::display::compare::{differences, spelled};
use crate::display::text::{one_line, plain, safe};
use crate::error::{invalid, not_found, refused};
use crate::wire::compare::{Correction, Edit, EditField, Similar};
use crate::wire::window::ApiError;
use crate::words::{Thing, say};

/// What the reason begins with. The agent reads it, and so does [`correction`] when a request comes back.
const LEAD: &str = "Use these arguments instead: ";
/// The longest name of an argument.
const NAME_WIDTH: usize = 80;
/// How many decisions *Similar* shows.
const SIMILAR: i64 = 5;
/// How many recent reasons are offered, of how many rejections, and the longest one in characters.
const REASONS: usize = 5;
const LOOKED_AT: i64 = 50;
const REASON_WIDTH: usize = 120;
/// The longest reason that carries a correction, in bytes. What is longer is better said in words.
const MOST_BYTES: usize = 64 * 1024;

/// The arguments of a call for editing.
///
/// # Errors
/// If there is no such request, or its arguments can't be edited one by one.
pub(crate) async fn fields(desk: &Desk, id: &str) -> Result<Vec<EditField>, ApiError> {
    let fact = fact(desk, id).await?;
    let Ok(Tree::Object(pairs)) = parse::arguments(&fact.call.arguments) else {
        return Err(refused(say().arguments_unreadable()));
    };
    let field = |(key, value): (String, Tree)| {
        let text = spelled(&value);
        let stored = safe(&text);
        EditField {
            name: one_line(&key, NAME_WIDTH),
            key,
            text: plain(&stored),
            stored,
            is_text: value.as_text().is_some(),
        }
    };
    Ok(pairs.into_iter().map(field).collect())
}

/// The reason that carries the person's arguments: those of the call, with the edited ones in place.
///
/// # Errors
/// If the arguments can't be edited, a value is no JSON, or nothing differs.
pub(crate) fn reason(call: &Call, edits: &[Edit]) -> Result<String, ApiError> {
    let stored = parse::arguments(&call.arguments).map_err(|_| refused(say().arguments_not_editable()))?;
    let Tree::Object(mut pairs) = stored.clone() else { return Err(refused(say().arguments_not_editable())) };
    for edit in edits {
        let value = edit.value.as_deref().map(parse::parse).transpose();
        let value = value.map_err(|fault| invalid(&edit.key, say().no_json_value(&fault)))?;
        let at = pairs.iter().position(|(key, _)| *key == edit.key);
        match (at, value) {
            (Some(at), Some(value)) => {
                if let Some((_, place)) = pairs.get_mut(at) {
                    *place = value;
                }
            }
            (Some(at), None) => drop(pairs.remove(at)),
            (None, Some(value)) => pairs.push((edit.key.clone(), value)),
            (None, None) => {}
        }
    }
    let wanted = Tree::Object(pairs);
    if parse::canonical(&wanted) == parse::canonical(&stored) {
        return Err(refused(say().nothing_differs()));
    }
    let reason = format!("{LEAD}{}", parse::to_text(&wanted));
    if reason.len() > MOST_BYTES {
        return Err(refused(say().correction_too_long()));
    }
    Ok(reason)
}

/// What the person wanted instead of the call before, if this one is the answer to it.
pub(crate) async fn correction(desk: &Desk, fact: &CallFact) -> Result<Option<Correction>, ApiError> {
    let store = desk.engine.store();
    let Some(before) = store.rejection_before(fact.conversation, &fact.call, fact.proposed_at).await? else {
        return Ok(None);
    };
    let wanted = match &before.call.state {
        CallState::Settled(Settled::RejectedByPerson { reason: Some(reason) }) => {
            reason.strip_prefix(LEAD).and_then(|text| parse::arguments(text).ok())
        }
        CallState::Settled(_)
        | CallState::Held(_)
        | CallState::Waiting(_)
        | CallState::Approved(_)
        | CallState::Started { .. }
        | CallState::Suspended { .. } => None,
    };
    let (Some(wanted), Ok(this)) = (wanted, parse::arguments(&fact.call.arguments)) else { return Ok(None) };
    let (differences, more) = differences(&wanted, &this);
    let at = before.decided.as_ref().map_or(before.proposed_at, |decided| decided.at).0;
    Ok(Some(Correction { at, differences, more }))
}

/// What the person decided last about calls of the same tool.
///
/// # Errors
/// If there is no such request.
pub(crate) async fn similar(desk: &Desk, id: &str) -> Result<Vec<Similar>, ApiError> {
    let fact = fact(desk, id).await?;
    let this = parse::arguments(&fact.call.arguments);
    let mut approved = false;
    let mut rows = Vec::new();
    for other in desk.engine.store().similar(&fact.call, SIMILAR).await? {
        let Some(row) = cards::history_row(&other, Vec::new()) else { continue };
        let was_approved = other.decided.as_ref().is_some_and(|decided| decided.decision.starts_with("approved"));
        let (differences, more) = match (parse::arguments(&other.call.arguments), &this) {
            (Ok(other), Ok(this)) => differences(&other, this),
            (Ok(_) | Err(_), _) => (Vec::new(), 0),
        };
        rows.push(Similar {
            id: row.id,
            decision: row.decision,
            at: row.at,
            title: row.title,
            target: row.target,
            last_approved: was_approved && !approved,
            differences,
            more,
        });
        approved |= was_approved;
    }
    Ok(rows)
}

/// The reasons that the person gave last, each once, newest first. Corrections are none.
///
/// # Errors
/// If they can't be read.
pub(crate) async fn reasons(desk: &Desk) -> Result<Vec<String>, ApiError> {
    let mut reasons: Vec<String> = Vec::new();
    for reason in desk.engine.store().reasons(LOOKED_AT).await? {
        let fits = !reason.starts_with(LEAD) && reason.chars().count() <= REASON_WIDTH && !reasons.contains(&reason);
        if fits && reasons.len() < REASONS {
            reasons.push(reason);
        }
    }
    Ok(reasons)
}

async fn fact(desk: &Desk, id: &str) -> Result<CallFact, ApiError> {
    let row = crate::desk::row(id)?;
    desk.engine.store().call_fact(row).await?.ok_or_else(|| not_found(Thing::Request))
}
