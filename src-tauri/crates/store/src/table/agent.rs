//! The table `agent`: agent profiles, without keys.

use countersign_core::agent::AgentProfile;
use countersign_core::ids::{AgentId, At};
use sqlx::query;
use sqlx::sqlite::{SqliteConnection, SqliteRow};

use crate::error::StoreError;
use crate::row::{from_json, json};

const SAVE: &str = "INSERT INTO agent (id, revision, profile) VALUES (?, ?, ?) \
    ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, profile = excluded.profile, deleted_at = NULL";
const DELETE: &str = "UPDATE agent SET deleted_at = ? WHERE id = ?";
pub(crate) const ALL: &str = "SELECT * FROM agent WHERE deleted_at IS NULL ORDER BY rowid";
pub(crate) const ONE: &str = "SELECT * FROM agent WHERE id = ?";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[SAVE, DELETE, ALL, ONE];

pub(crate) async fn save(to: &mut SqliteConnection, profile: &AgentProfile) -> Result<(), StoreError> {
    query(SAVE).bind(profile.id.0.to_vec()).bind(profile.revision).bind(json(profile)?).execute(to).await?;
    Ok(())
}

pub(crate) async fn delete(to: &mut SqliteConnection, agent: AgentId, at: At) -> Result<(), StoreError> {
    query(DELETE).bind(at.0).bind(agent.0.to_vec()).execute(to).await?;
    Ok(())
}

pub(crate) fn read(row: &SqliteRow) -> Result<AgentProfile, StoreError> {
    from_json(row, "profile")
}
