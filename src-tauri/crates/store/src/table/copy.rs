//! What a fork holds of its source (D-59): runs that have ended, and calls that are over. They are rows of their own, and none of them
//! is a decision of history: those are the source's.

use countersign_core::call::{Call, CallState, Dropped, Settled};
use countersign_core::fork::PastRun;
use countersign_core::ids::{CallId, ConversationId};
use countersign_core::run::Caps;
use sqlx::query;
use sqlx::sqlite::SqliteConnection;

use super::call::state_word;
use super::run::must_change;
use crate::error::StoreError;
use crate::row::{json, word};

/// It belongs to no process, and no model was called in it here.
const RUN: &str = "INSERT INTO run (id, conversation, phase, rounds, round_limit, mode_start, owner, agent_revision, \
    left_in_files, caps, model_calls, agents_started, started_at, ended_at, ending) \
    VALUES (?, ?, 'ended', ?, ?, ?, zeroblob(16), ?, '{}', ?, 0, 0, ?, ?, ?)";
/// Who decided, and when it was made and ran, is what stands at the source. Without a place it is in no page of history. Nothing was
/// decided here of what is left in the source (`?8`).
const CALL: &str = "INSERT INTO call (id, conversation, message, position, provider_id, tool, identity, effect, marks, \
    arguments, schema, executed, exact, preconditions, proposed_by, mode, state, state_detail, result, verdicts, warrant, \
    proposed_at, started_at, settled_at, decided_at, decision, decided_by, decided_words) \
    SELECT ?1, ?2, ?3, position, provider_id, tool, identity, effect, marks, arguments, schema, executed, exact, preconditions, \
    ?4, mode, ?5, ?6, ?7, verdicts, CASE WHEN ?8 THEN NULL ELSE warrant END, proposed_at, \
    CASE WHEN ?8 THEN NULL ELSE started_at END, coalesce(settled_at, proposed_at), \
    CASE WHEN ?8 THEN NULL ELSE decided_at END, CASE WHEN ?8 THEN NULL ELSE decision END, \
    CASE WHEN ?8 THEN NULL ELSE decided_by END, CASE WHEN ?8 THEN NULL ELSE decided_words END \
    FROM call WHERE id = ?9 AND arguments = ?10";
const OUTPUT: &str = "INSERT INTO output (call, part, conversation, bytes, body) \
    SELECT ?1, part, ?2, bytes, body FROM output WHERE call = ?3";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[RUN, CALL, OUTPUT];

pub(crate) async fn run(to: &mut SqliteConnection, of: ConversationId, run: &PastRun) -> Result<(), StoreError> {
    let goes_on = || StoreError::Misfit { what: "a copy of a run that goes on".to_owned() };
    let (end, at) = run.end.as_ref().ok_or_else(goes_on)?;
    query(RUN)
        .bind(run.id.0.to_vec())
        .bind(of.0.to_vec())
        .bind(i64::from(run.rounds))
        .bind(i64::from(run.limit))
        .bind(word(&run.mode_start)?)
        .bind(run.agent_revision)
        .bind(json(&Caps::default())?)
        .bind(run.started_at.0)
        .bind(at.0)
        .bind(json(end)?)
        .execute(to)
        .await?;
    Ok(())
}

/// Copies a call and, where the model got less than the whole of its result, the whole.
pub(crate) async fn call(
    to: &mut SqliteConnection,
    of: ConversationId,
    call: &Call,
    result: Option<&str>,
    source: CallId,
) -> Result<(), StoreError> {
    let left = matches!(call.state, CallState::Settled(Settled::Dropped { why: Dropped::LeftInSource }));
    let done = query(CALL)
        .bind(call.id.0.to_vec())
        .bind(of.0.to_vec())
        .bind(call.message.0.to_vec())
        .bind(call.proposed_by.0.to_vec())
        .bind(state_word(&call.state))
        .bind(json(&call.state)?)
        .bind(result)
        .bind(left)
        .bind(source.0.to_vec())
        .bind(&call.arguments)
        .execute(&mut *to)
        .await?;
    must_change(done.rows_affected(), "a copy of a call that isn't there, or says something else")?;
    if !left {
        query(OUTPUT).bind(call.id.0.to_vec()).bind(of.0.to_vec()).bind(source.0.to_vec()).execute(to).await?;
    }
    Ok(())
}
