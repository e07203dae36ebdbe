//! Tool servers, and when their tools were used last.

use std::collections::BTreeMap;

use countersign_core::ids::{At, ServerId};
use countersign_core::server::ServerProfile;
use sqlx::{Row as _, query};

use crate::error::StoreError;
use crate::open::Store;
use crate::table::server;

impl Store {
    /// All tool servers, in the order in which they were added. One whose row can't be read is left out with a word in the log: no
    /// tool of it is offered then.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn servers(&self) -> Result<Vec<ServerProfile>, StoreError> {
        let rows = query(server::ALL).fetch_all(&self.readers).await?;
        let read = rows.iter().filter_map(|row| match server::read(row) {
            Ok(profile) => Some(profile),
            Err(error) => {
                tracing::warn!(%error, "a tool server's settings can't be read");
                None
            }
        });
        Ok(read.collect())
    }

    /// One of them.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn server(&self, server: ServerId) -> Result<Option<ServerProfile>, StoreError> {
        Ok(self.servers().await?.into_iter().find(|one| one.id == server))
    }

    /// When each tool of the server with this short name was started last, by the name that models are told.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn last_used(&self, handle: &str) -> Result<BTreeMap<String, At>, StoreError> {
        // What follows `__` in the order of bytes is `_\``.
        let (from, to) = (format!("{handle}__"), format!("{handle}_`"));
        let rows = query(server::LAST_USED).bind(from).bind(to).fetch_all(&self.readers).await?;
        rows.iter().map(|row| Ok((row.try_get("tool")?, At(row.try_get("at")?)))).collect()
    }
}
