//! What is stored of a decision's way: when it was asked, decided, started and ended, by whom, and whether what was decided on is still
//! what is stored.

use countersign_core::ids::At;
use countersign_core::request::{Closing, RequestKind};
use countersign_core::step::{call_digest, held_digest};
use countersign_store::read::history::DecisionFact;
use countersign_store::read::inbox::CallFact;
use countersign_store::table::noticed::Noticed;

use super::row;
use crate::desk::{self, Desk};
use crate::display::text::safe;
use crate::error::not_found;
use crate::wire::history::{DecisionRecord, Moment, MomentKind};
use crate::wire::window::ApiError;
use crate::words::{Thing, spoken};

/// The record of a decision, by its request's id or its call's.
pub(super) async fn of(desk: &Desk, id: &str) -> Result<DecisionRecord, ApiError> {
    let store = desk.engine.store();
    let place = desk::row(id)?;
    let fact = match store.held_fact(place).await? {
        Some(held) => DecisionFact::Held(held),
        None => DecisionFact::Call(store.call_fact(place).await?.ok_or_else(|| not_found(Thing::Decision))?),
    };
    let shown = row(store, &fact, spoken()).await?.ok_or_else(|| not_found(Thing::Decision))?;
    let (moments, digest, matches, reason) = match &fact {
        DecisionFact::Call(fact) => {
            let reason =
                fact.decided.as_ref().filter(|decided| decided.by == "person").and_then(|one| one.words.as_ref());
            let request = fact.request.as_ref();
            let kind = request.map_or(RequestKind::Call, |request| request.kind);
            let matches = request.map(|request| call_digest(&fact.call, kind) == Some(request.digest));
            let noticed = match request {
                Some(request) => store.noticed(request.id.0).await?,
                None => Noticed::default(),
            };
            (moments(fact, noticed), request.map(|request| request.digest.to_string()), matches, reason.cloned())
        }
        DecisionFact::Held(fact) => {
            let held = &fact.question.held;
            let mut moments = vec![Moment { what: MomentKind::Asked, at: held.request.opened_at.0 }];
            let noticed = store.noticed(held.request.id.0).await?;
            moments.extend(noticed.seen_at.map(|at| Moment { what: MomentKind::Seen, at: at.0 }));
            let reason = fact.question.closed.as_ref().and_then(|(closing, at)| {
                moments.push(Moment { what: MomentKind::Decided, at: at.0 });
                match closing {
                    Closing::Answered { verdict } => match verdict {
                        countersign_core::request::AnsweredAs::Rejected { reason } => reason.clone(),
                        _ => None,
                    },
                    Closing::PassedBy { .. } => None,
                }
            });
            let matches = held_digest(&fact.call.call, &held.message, &held.schema) == Some(held.request.digest);
            (moments, Some(held.request.digest.to_string()), Some(matches), reason)
        }
    };
    Ok(DecisionRecord {
        moments,
        decision: shown.decision,
        by: shown.by,
        reason: reason.filter(|reason| !reason.trim().is_empty()).map(|reason| safe(&reason)),
        digest,
        matches: matches.unwrap_or(false),
    })
}

fn moments(fact: &CallFact, noticed: Noticed) -> Vec<Moment> {
    let asked = fact.request.as_ref().map(|request| request.opened_at);
    let decided = fact.decided.as_ref().map(|decided| decided.at);
    let by_person = fact.decided.as_ref().is_some_and(|decided| decided.by == "person");
    // What was looked at later was history, and what was staged and not sent decided nothing.
    let before = |at: Option<At>| at.filter(|at| decided.is_none_or(|decided| *at <= decided));
    // What never started has an end only because of the decision.
    let ended = fact.settled_at.filter(|_| fact.started_at.is_some());
    let all = [
        (MomentKind::Proposed, Some(fact.proposed_at).filter(|_| asked.is_none())),
        (MomentKind::Asked, asked),
        (MomentKind::Seen, before(noticed.seen_at)),
        (MomentKind::Staged, before(noticed.staged_at).filter(|_| by_person)),
        (MomentKind::Decided, decided),
        (MomentKind::Started, fact.started_at),
        (MomentKind::Ended, ended),
    ];
    all.into_iter().filter_map(|(what, at)| at.map(|at| Moment { what, at: at.0 })).collect()
}
