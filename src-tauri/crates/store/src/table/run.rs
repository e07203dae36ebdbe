//! The table `run`.

use countersign_core::ids::{At, ConversationId, RunId};
use countersign_core::run::{Phase, Run, RunEnd};
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{Row as _, query};

use crate::error::StoreError;
use crate::row::{from_json, from_word, id, json, word};

const INSERT: &str = "INSERT INTO run (id, conversation, phase, rounds, round_limit, mode_start, owner, agent_revision, \
    left_in_files, started_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const PHASE: &str = "UPDATE run SET phase = ?, rounds = ? WHERE id = ? AND phase <> 'ended'";
const LEFT: &str =
    "UPDATE run SET left_in_files = json_patch(left_in_files, ?) WHERE conversation = ? AND phase <> 'ended'";
const END: &str = "UPDATE run SET phase = 'ended', ended_at = ?, ending = ? WHERE id = ? AND phase <> 'ended'";
pub(crate) const ACTIVE: &str = "SELECT * FROM run WHERE conversation = ? AND phase <> 'ended'";
pub(crate) const LAST: &str =
    "SELECT phase, ending, ended_at FROM run WHERE conversation = ? ORDER BY rowid DESC LIMIT 1";

pub(crate) const MODE: &str = "SELECT mode_start FROM run WHERE id = ?";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[MODE, INSERT, PHASE, LEFT, END, ACTIVE, LAST];

pub(crate) async fn insert(to: &mut SqliteConnection, of: ConversationId, run: &Run) -> Result<(), StoreError> {
    query(INSERT)
        .bind(run.id.0.to_vec())
        .bind(of.0.to_vec())
        .bind(word(&run.phase)?)
        .bind(i64::from(run.rounds))
        .bind(i64::from(run.limit))
        .bind(word(&run.mode_start)?)
        .bind(run.owner.0.to_vec())
        .bind(run.agent_revision)
        .bind(json(&run.left)?)
        .bind(run.started_at.0)
        .execute(to)
        .await?;
    Ok(())
}

pub(crate) async fn set_phase(
    to: &mut SqliteConnection,
    run: RunId,
    phase: Phase,
    rounds: u32,
) -> Result<(), StoreError> {
    let done = query(PHASE).bind(word(&phase)?).bind(i64::from(rounds)).bind(run.0.to_vec()).execute(to).await?;
    must_change(done.rows_affected(), "a phase of a run that has ended")
}

pub(crate) async fn leave(
    to: &mut SqliteConnection,
    of: ConversationId,
    path: &str,
    content: &str,
) -> Result<(), StoreError> {
    let patch = json(&std::collections::BTreeMap::from([(path, content)]))?;
    query(LEFT).bind(patch).bind(of.0.to_vec()).execute(to).await?;
    Ok(())
}

pub(crate) async fn end(to: &mut SqliteConnection, run: RunId, end: &RunEnd, at: At) -> Result<(), StoreError> {
    let done = query(END).bind(at.0).bind(json(end)?).bind(run.0.to_vec()).execute(to).await?;
    must_change(done.rows_affected(), "an end of a run that has ended")
}

pub(crate) fn read(row: &SqliteRow) -> Result<Run, StoreError> {
    let small = |column: &str| -> Result<u32, StoreError> {
        let value: i64 = row.try_get(column)?;
        u32::try_from(value).map_err(|_| StoreError::Unreadable { what: format!("{column} is {value}") })
    };
    Ok(Run {
        id: id(row, "id")?,
        phase: from_word(row.try_get("phase")?)?,
        rounds: small("rounds")?,
        limit: small("round_limit")?,
        mode_start: from_word(row.try_get("mode_start")?)?,
        owner: id(row, "owner")?,
        agent_revision: row.try_get("agent_revision")?,
        left: from_json(row, "left_in_files")?,
        started_at: At(row.try_get("started_at")?),
    })
}

/// Refuses a change that changed nothing: the step was made on a head that isn't what is stored.
pub(crate) fn must_change(rows: u64, what: &str) -> Result<(), StoreError> {
    if rows == 1 { Ok(()) } else { Err(StoreError::Misfit { what: what.to_owned() }) }
}
