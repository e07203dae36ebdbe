//! What a call gave in whole.

use countersign_core::ids::CallId;
use sqlx::{Row as _, query};

use crate::error::StoreError;
use crate::open::Store;
use crate::table::output;

/// How much there is of what a call gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputSize {
    /// Bytes.
    pub bytes: i64,
    /// Parts.
    pub parts: i64,
}

impl Store {
    /// How large what a call gave is in whole; none if the model got all of it.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn output_size(&self, call: CallId) -> Result<Option<OutputSize>, StoreError> {
        let row = query(output::SIZE).bind(call.0.to_vec()).fetch_optional(&self.readers).await?;
        row.map(|row| Ok(OutputSize { bytes: row.try_get("bytes")?, parts: row.try_get("parts")? })).transpose()
    }

    /// A part of it, counted from 0; none if there is no such part.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn output_part(&self, call: CallId, part: i64) -> Result<Option<String>, StoreError> {
        let row = query(output::ONE).bind(call.0.to_vec()).bind(part).fetch_optional(&self.readers).await?;
        Ok(row.map(|row| row.try_get("body")).transpose()?)
    }
}

/// A text in parts as large as those that are stored, for one that is stored as it is.
pub fn parts_of(text: &str) -> Vec<&str> {
    output::parts(text)
}
