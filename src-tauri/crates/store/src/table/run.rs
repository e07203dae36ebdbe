//! The table `run`.

use countersign_core::ids::{At, CallId, ConversationId, RunId};
use countersign_core::run::{Child, Phase, Ran, Run, RunEnd};
use countersign_core::spending::Usage;
use sqlx::sqlite::{SqliteConnection, SqliteRow};
use sqlx::{Row as _, query};

use crate::error::StoreError;
use crate::row::{from_json, from_word, id, json, maybe_id, word};
use crate::table::message::Used;

const INSERT: &str = "INSERT INTO run (id, conversation, phase, rounds, round_limit, mode_start, owner, agent_revision, \
    left_in_files, caps, model_calls, agents_started, parent_call, parent_run, agent, name, goes, ran, started_at) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const PHASE: &str = "UPDATE run SET phase = ?, rounds = ? WHERE id = ? AND phase <> 'ended'";
/// What a call left belongs to the run of its thread: the sub-agent's that made it, or the one that goes on.
const LEFT: &str = "UPDATE run SET left_in_files = json_patch(left_in_files, ?1) WHERE conversation = ?2 \
    AND phase <> 'ended' AND CASE WHEN (SELECT maker.parent_call FROM call JOIN run AS maker ON maker.id = call.proposed_by \
    WHERE call.id = ?3) IS NULL THEN parent_call IS NULL \
    ELSE id = (SELECT proposed_by FROM call WHERE call.id = ?3) END";
/// Added up in the conversation's own run, whoever called the model in it.
const COUNT_MODEL: &str = "UPDATE run SET model_calls = model_calls + 1, counted = counted + ?2, tokens_in = tokens_in + ?3, \
    tokens_out = tokens_out + ?4, cached_in = cached_in + ?5, written_in = written_in + ?6, priced = priced + (?8 IS NOT NULL), \
    costs = CASE WHEN ?8 IS NULL THEN costs \
    ELSE json_set(costs, '$.' || ?8, coalesce(json_extract(costs, '$.' || ?8), 0) + ?7) END \
    WHERE conversation = ?1 AND phase <> 'ended' AND parent_call IS NULL";
const COUNT_AGENT: &str = "UPDATE run SET agents_started = agents_started + 1 WHERE conversation = ? \
    AND phase <> 'ended' AND parent_call IS NULL";
const RAN: &str = "UPDATE run SET ran = ? WHERE id = ? AND phase <> 'ended'";
const END: &str = "UPDATE run SET phase = 'ended', ended_at = ?, ending = ? WHERE id = ? AND phase <> 'ended'";
pub(crate) const ACTIVE: &str = "SELECT * FROM run WHERE conversation = ? AND phase <> 'ended' AND parent_call IS NULL";
pub(crate) const BELOW: &str =
    "SELECT * FROM run WHERE conversation = ? AND phase <> 'ended' AND parent_call IS NOT NULL";
/// What the sub-agents are called that a run lies in, the outermost first; nothing for a conversation's own.
pub(crate) const PATH: &str = "WITH RECURSIVE up (id, name, agent, parent, height) AS ( \
    SELECT id, name, agent, parent_run, 0 FROM run WHERE id = ? AND parent_call IS NOT NULL \
    UNION ALL SELECT run.id, run.name, run.agent, run.parent_run, height + 1 FROM run JOIN up ON run.id = up.parent) \
    SELECT name, agent FROM up ORDER BY height DESC";
pub(crate) const START_CALL: &str = "SELECT parent_call FROM run WHERE id = ? AND parent_call IS NOT NULL";
/// The run that a call started, ended or not.
pub(crate) const STARTED_BY: &str = "SELECT id, name, agent, goes, phase, ending FROM run WHERE parent_call = ?";
pub(crate) const LAST: &str = "SELECT phase, ending, ended_at FROM run WHERE conversation = ? AND parent_call IS NULL ORDER BY rowid DESC LIMIT 1";

/// What the runs of a conversation used up.
pub(crate) const SPENT: &str = "SELECT model_calls, counted, priced, tokens_in, tokens_out, cached_in, written_in, costs \
    FROM run WHERE conversation = ? AND parent_call IS NULL";
pub(crate) const MODE: &str = "SELECT mode_start FROM run WHERE id = ?";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[
    SPENT,
    MODE,
    INSERT,
    PHASE,
    LEFT,
    COUNT_MODEL,
    COUNT_AGENT,
    RAN,
    END,
    ACTIVE,
    BELOW,
    PATH,
    START_CALL,
    STARTED_BY,
    LAST,
];

pub(crate) async fn insert(to: &mut SqliteConnection, of: ConversationId, run: &Run) -> Result<(), StoreError> {
    let child = run.child.as_ref();
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
        .bind(json(&run.caps)?)
        .bind(i64::from(run.model_calls))
        .bind(i64::from(run.agents_started))
        .bind(child.map(|child| child.call.0.to_vec()))
        .bind(child.and_then(|child| child.parent).map(|parent| parent.0.to_vec()))
        .bind(child.map(|child| child.agent.0.to_vec()))
        .bind(child.map(|child| child.name.as_str()))
        .bind(child.map(|child| word(&child.goes)).transpose()?)
        .bind(child.map(|child| json(&child.ran)).transpose()?)
        .bind(run.started_at.0)
        .execute(&mut *to)
        .await?;
    if child.is_some() {
        query(COUNT_AGENT).bind(of.0.to_vec()).execute(to).await?;
    }
    Ok(())
}

/// A model replied in the conversation's run, its own or one below it (D-109, E-34).
pub(crate) async fn count_model_call(
    to: &mut SqliteConnection,
    of: ConversationId,
    usage: Option<Usage>,
) -> Result<(), StoreError> {
    let used = Used::of(usage);
    query(COUNT_MODEL)
        .bind(of.0.to_vec())
        .bind(used.counted)
        .bind(used.input)
        .bind(used.output)
        .bind(used.cached)
        .bind(used.written)
        .bind(used.nano)
        .bind(used.currency)
        .execute(to)
        .await?;
    Ok(())
}

pub(crate) async fn set_ran(to: &mut SqliteConnection, run: RunId, ran: &Ran) -> Result<(), StoreError> {
    let done = query(RAN).bind(json(ran)?).bind(run.0.to_vec()).execute(to).await?;
    must_change(done.rows_affected(), "what a sub-agent ran that has ended")
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
    call: CallId,
    path: &str,
    content: &str,
) -> Result<(), StoreError> {
    let patch = json(&std::collections::BTreeMap::from([(path, content)]))?;
    query(LEFT).bind(patch).bind(of.0.to_vec()).bind(call.0.to_vec()).execute(to).await?;
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
        caps: from_json(row, "caps")?,
        model_calls: small("model_calls")?,
        agents_started: small("agents_started")?,
        child: match maybe_id(row, "parent_call")? {
            None => None,
            Some(call) => Some(Child {
                call,
                parent: maybe_id(row, "parent_run")?,
                agent: id(row, "agent")?,
                name: row.try_get("name")?,
                goes: from_word(row.try_get("goes")?)?,
                ran: from_json(row, "ran")?,
            }),
        },
        started_at: At(row.try_get("started_at")?),
    })
}

/// Refuses a change that changed nothing: the step was made on a head that isn't what is stored.
pub(crate) fn must_change(rows: u64, what: &str) -> Result<(), StoreError> {
    if rows == 1 { Ok(()) } else { Err(StoreError::Misfit { what: what.to_owned() }) }
}
