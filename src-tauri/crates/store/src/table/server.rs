//! The table `server`: tool servers as the person set them up, without keys.

use countersign_core::ids::ServerId;
use countersign_core::server::ServerProfile;
use sqlx::query;
use sqlx::sqlite::{SqliteConnection, SqliteRow};

use crate::error::StoreError;
use crate::row::{from_json, json};

const SAVE: &str = "INSERT INTO server (id, revision, profile) VALUES (?, ?, ?) \
    ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, profile = excluded.profile \
    WHERE server.revision = excluded.revision - 1";
const DELETE: &str = "DELETE FROM server WHERE id = ?";
pub(crate) const ALL: &str = "SELECT * FROM server ORDER BY rowid";
/// Of the tools of one server: a server's tools begin with its short name and `__`, and no other's do.
pub(crate) const LAST_USED: &str = "SELECT tool, max(started_at) AS at FROM call \
    WHERE instr(tool, '__') > 0 AND started_at IS NOT NULL AND tool >= ? AND tool < ? GROUP BY tool";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[SAVE, DELETE, ALL, LAST_USED];

pub(crate) async fn save(to: &mut SqliteConnection, profile: &ServerProfile) -> Result<(), StoreError> {
    let saved = query(SAVE).bind(profile.id.0.to_vec()).bind(profile.revision).bind(json(profile)?).execute(to).await?;
    // Whoever saved between the reading and this would be undone.
    if saved.rows_affected() == 0 {
        Err(StoreError::Misfit { what: "the tool server was changed meanwhile".to_owned() })
    } else {
        Ok(())
    }
}

pub(crate) async fn delete(to: &mut SqliteConnection, server: ServerId) -> Result<(), StoreError> {
    query(DELETE).bind(server.0.to_vec()).execute(to).await?;
    Ok(())
}

pub(crate) fn read(row: &SqliteRow) -> Result<ServerProfile, StoreError> {
    from_json(row, "profile")
}
