//! The table `call`: what the model called, where each call stands, and what was decided about it.

use countersign_core::call::{Call, CallState, Kept, Settled, Warrant};
use countersign_core::ids::{At, CallId, ConversationId, RunId};
use countersign_core::input::GuardVerdict;
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{Row as _, query};

use super::run::must_change;
use crate::error::StoreError;
use crate::row::{from_json, from_word, id, json, word};

const INSERT: &str = "INSERT INTO call (id, conversation, message, position, provider_id, tool, identity, effect, \
    marks, arguments, schema, exact, preconditions, proposed_by, mode, state, state_detail, result, verdicts, \
    proposed_at, settled_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
/// A call is started at most once: only from `approved`, whatever the code above believes.
const START: &str = "UPDATE call SET state = 'started', state_detail = ?, warrant = ?, started_at = ? \
    WHERE id = ? AND state = 'approved'";
const MOVE: &str = "UPDATE call SET state = ?, state_detail = ? WHERE id = ? AND state NOT IN ('started', 'settled')";
const WAIT_BELOW: &str = "UPDATE call SET state_detail = ? WHERE id = ? AND state = 'started'";
const SETTLE: &str = "UPDATE call SET state = 'settled', state_detail = ?, result = ?, settled_at = ? \
    WHERE id = ? AND state <> 'settled'";
/// Rejections of the same call since the person last wrote something: the chain of runs that it started (D-79).
pub(crate) const REJECTIONS: &str = "SELECT call.decided_at FROM call JOIN message ON message.id = call.message \
    WHERE call.conversation = ?1 AND call.exact = ?2 AND call.exact <> '' AND call.decision = 'rejected' \
    AND call.decided_by = 'person' AND message.seq < ?3 AND message.seq > (SELECT coalesce(max(said.seq), 0) \
    FROM message AS said WHERE said.conversation = ?1 AND said.role = 'user' AND said.thread IS NULL AND said.agent IS NULL \
    AND said.seq < ?3) ORDER BY call.decided_seq, call.rowid";
const FILL_IN: &str = "UPDATE call SET executed = ? WHERE id = ? AND state = 'waiting'";
/// The next place among all decisions. No place is given twice: one that left history is negative and counts (N-84). Only with their
/// condition are these four steps in an index, instead of a reading of all calls.
macro_rules! next_place {
    () => {
        "1 + max((SELECT coalesce(max(decided_seq), 0) FROM call WHERE decided_seq IS NOT NULL), \
        (SELECT coalesce(-min(decided_seq), 0) FROM call WHERE decided_seq IS NOT NULL), \
        (SELECT coalesce(max(decided_seq), 0) FROM held WHERE decided_seq IS NOT NULL), \
        (SELECT coalesce(-min(decided_seq), 0) FROM held WHERE decided_seq IS NOT NULL))"
    };
}
pub(crate) use next_place;
const DECIDE: &str = concat!(
    "UPDATE call SET decided_seq = ",
    next_place!(),
    ", decided_at = ?, decision = ?, decided_by = ?, decided_words = ? WHERE id = ?"
);
pub(crate) const UNSETTLED: &str = "SELECT call.*, message.seq AS message_seq FROM call \
    JOIN message ON message.id = call.message WHERE call.conversation = ? AND call.state <> 'settled'";
pub(crate) const OF_CONVERSATION: &str = "SELECT call.*, message.seq AS message_seq FROM call \
    JOIN message ON message.id = call.message WHERE call.conversation = ? AND message.thread IS NULL \
    ORDER BY message.seq, call.position";
pub(crate) const OF_THREAD: &str = "SELECT call.*, message.seq AS message_seq FROM call \
    JOIN message ON message.id = call.message WHERE message.thread = ? ORDER BY message.seq, call.position";
pub(crate) const ONE: &str = "SELECT * FROM call WHERE id = ?";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] =
    &[REJECTIONS, INSERT, FILL_IN, START, MOVE, WAIT_BELOW, SETTLE, DECIDE, UNSETTLED, OF_CONVERSATION, OF_THREAD, ONE];

/// What history says of a call: who decided what.
pub(crate) struct Decided<'a> {
    pub(crate) decision: &'static str,
    pub(crate) by: &'static str,
    pub(crate) words: Option<&'a str>,
}

pub(crate) async fn insert(
    to: &mut SqliteConnection,
    of: ConversationId,
    call: &Call,
    result: Option<&str>,
    verdicts: &[GuardVerdict],
    at: At,
) -> Result<(), StoreError> {
    let settled_at = matches!(call.state, CallState::Settled(_)).then_some(at.0);
    query(INSERT)
        .bind(call.id.0.to_vec())
        .bind(of.0.to_vec())
        .bind(call.message.0.to_vec())
        .bind(i64::from(call.position))
        .bind(&call.provider_id)
        .bind(&call.tool)
        .bind(call.identity.as_ref().map(json).transpose()?)
        .bind(word(&call.effect)?)
        .bind(json(&call.marks)?)
        .bind(&call.arguments)
        .bind(&call.schema)
        .bind(&call.exact)
        .bind(json(&call.preconditions)?)
        .bind(call.proposed_by.0.to_vec())
        .bind(word(&call.mode)?)
        .bind(state_word(&call.state))
        .bind(json(&call.state)?)
        .bind(result)
        .bind(json(&verdicts)?)
        .bind(at.0)
        .bind(settled_at)
        .execute(&mut *to)
        .await?;
    match &call.state {
        CallState::Settled(settled) => decide_by_end(to, call.id, settled, at).await,
        CallState::Held(_)
        | CallState::Waiting(_)
        | CallState::Approved(_)
        | CallState::Started { .. }
        | CallState::Suspended { .. } => Ok(()),
    }
}

/// A call moves between states in which it hasn't started.
pub(crate) async fn set_state(to: &mut SqliteConnection, call: CallId, state: &CallState) -> Result<(), StoreError> {
    let done = query(MOVE).bind(state_word(state)).bind(json(state)?).bind(call.0.to_vec()).execute(to).await?;
    must_change(done.rows_affected(), "a call that has started or is over")
}

/// A claimed call waits for a person with the sub-agent that it started, or goes on with it.
pub(crate) async fn wait_below(to: &mut SqliteConnection, call: CallId, state: &CallState) -> Result<(), StoreError> {
    let done = query(WAIT_BELOW).bind(json(state)?).bind(call.0.to_vec()).execute(to).await?;
    must_change(done.rows_affected(), "a sub-agent of a call that isn't executing")
}

/// A person filled in what was asked; the arguments of the model stay as they were.
pub(crate) async fn fill_in(to: &mut SqliteConnection, call: CallId, executed: &str) -> Result<(), StoreError> {
    let done = query(FILL_IN).bind(executed).bind(call.0.to_vec()).execute(to).await?;
    must_change(done.rows_affected(), "data for a call that doesn't wait for it")
}

/// A call is claimed. What let it run besides a person is a decision of history from here on and not before: until its turn
/// comes, Auto can end and a standing approval can be revoked (D-97).
pub(crate) async fn start(
    to: &mut SqliteConnection,
    call: CallId,
    run: RunId,
    warrant: &Warrant,
    at: At,
) -> Result<(), StoreError> {
    let state = CallState::Started { warrant: warrant.clone(), run, at };
    let done = query(START)
        .bind(json(&state)?)
        .bind(json(warrant)?)
        .bind(at.0)
        .bind(call.0.to_vec())
        .execute(&mut *to)
        .await?;
    must_change(done.rows_affected(), "a start of a call that isn't waiting to be started")?;
    decide_by_warrant(to, call, warrant, at).await
}

pub(crate) async fn settle(
    to: &mut SqliteConnection,
    call: CallId,
    settled: &Settled,
    result: Option<&str>,
    at: At,
) -> Result<(), StoreError> {
    let state = CallState::Settled(settled.clone());
    let done =
        query(SETTLE).bind(json(&state)?).bind(result).bind(at.0).bind(call.0.to_vec()).execute(&mut *to).await?;
    must_change(done.rows_affected(), "a result of a call that is over")?;
    decide_by_end(to, call, settled, at).await
}

pub(crate) async fn decide(
    to: &mut SqliteConnection,
    call: CallId,
    decided: Decided<'_>,
    at: At,
) -> Result<(), StoreError> {
    query(DECIDE)
        .bind(at.0)
        .bind(decided.decision)
        .bind(decided.by)
        .bind(decided.words)
        .bind(call.0.to_vec())
        .execute(to)
        .await?;
    Ok(())
}

async fn decide_by_warrant(
    to: &mut SqliteConnection,
    call: CallId,
    warrant: &Warrant,
    at: At,
) -> Result<(), StoreError> {
    let (by, words) = match warrant {
        // What needs no approval was decided by nobody, and an answer is recorded with its request.
        Warrant::NotNeeded | Warrant::Answer { .. } => return Ok(()),
        Warrant::Rule { name } => ("rule", Some(name.as_str())),
        Warrant::Standing { .. } => ("standing", None),
        Warrant::Auto => ("auto", None),
    };
    decide(to, call, Decided { decision: "ran", by, words }, at).await
}

async fn decide_by_end(to: &mut SqliteConnection, call: CallId, settled: &Settled, at: At) -> Result<(), StoreError> {
    match settled {
        Settled::RejectedByRule { by, .. } => {
            let words = by.join(", ");
            decide(to, call, Decided { decision: "rejected", by: "rule", words: Some(&words) }, at).await
        }
        Settled::Succeeded
        | Settled::Errored
        | Settled::Fault
        | Settled::RejectedByPerson { .. }
        | Settled::NoLongerPermitted
        | Settled::ChangedSinceAsked
        | Settled::Dropped { .. }
        | Settled::OutcomeUnknown
        | Settled::Stopped
        | Settled::PlanAccepted
        | Settled::DataGiven => Ok(()),
    }
}

pub(crate) fn state_word(state: &CallState) -> &'static str {
    match state {
        CallState::Held(Kept::Run { .. } | Kept::Reject { .. } | Kept::Fault { .. }) => "held",
        CallState::Waiting(_) => "waiting",
        CallState::Approved(_) => "approved",
        // A suspended call was claimed and is claimed: going on is no second start (D-93).
        CallState::Started { .. } | CallState::Suspended { .. } => "started",
        CallState::Settled(_) => "settled",
    }
}

pub(crate) fn read(row: &SqliteRow) -> Result<Call, StoreError> {
    let identity: Option<&str> = row.try_get("identity")?;
    Ok(Call {
        id: id(row, "id")?,
        message: id(row, "message")?,
        position: u32::try_from(row.try_get::<i64, _>("position")?).unwrap_or_default(),
        provider_id: row.try_get("provider_id")?,
        tool: row.try_get("tool")?,
        identity: identity.map(serde_json::from_str).transpose()?,
        effect: from_word(row.try_get("effect")?)?,
        marks: from_json(row, "marks")?,
        arguments: row.try_get("arguments")?,
        schema: row.try_get("schema")?,
        executed: row.try_get("executed")?,
        exact: row.try_get("exact")?,
        preconditions: from_json(row, "preconditions")?,
        proposed_by: id(row, "proposed_by")?,
        mode: from_word(row.try_get("mode")?)?,
        state: from_json(row, "state_detail")?,
    })
}
