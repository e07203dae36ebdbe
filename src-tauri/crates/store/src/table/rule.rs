//! The table `rule`: the person's own rules. What stands in one is none of the store's business.

use sqlx::sqlite::SqliteConnection;
use sqlx::{Row as _, query};

use crate::error::StoreError;
use crate::open::Store;

/// A rule that is saved again keeps its place.
const PUT: &str = "INSERT INTO rule (id, body) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body";
const TAKE: &str = "DELETE FROM rule WHERE id = ?";
const ALL: &str = "SELECT id, body FROM rule ORDER BY seq";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[PUT, TAKE, ALL];

/// A rule as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFact {
    /// Which.
    pub id: String,
    /// What it says, as JSON.
    pub body: String,
}

pub(crate) async fn put(to: &mut SqliteConnection, rule: &RuleFact) -> Result<(), StoreError> {
    query(PUT).bind(&rule.id).bind(&rule.body).execute(to).await?;
    Ok(())
}

pub(crate) async fn take(to: &mut SqliteConnection, id: &str) -> Result<(), StoreError> {
    query(TAKE).bind(id).execute(to).await?;
    Ok(())
}

impl Store {
    /// The rules, in the order in which they were made.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn rules(&self) -> Result<Vec<RuleFact>, StoreError> {
        let rows = query(ALL).fetch_all(&self.readers).await?;
        rows.iter().map(|row| Ok(RuleFact { id: row.try_get("id")?, body: row.try_get("body")? })).collect()
    }
}
