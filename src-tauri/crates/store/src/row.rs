//! Between columns and the core's types. Enums are stored as their serde names, so that the schema's CHECKs, the wire
//! and the journal speak the same words.

use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::Row as _;
use sqlx::sqlite::SqliteRow;

use crate::error::StoreError;

/// A value as JSON text.
pub(crate) fn json<T: Serialize>(value: &T) -> Result<String, StoreError> {
    Ok(serde_json::to_string(value)?)
}

/// The bare word of an enum that serializes as a string.
pub(crate) fn word<T: Serialize>(value: &T) -> Result<String, StoreError> {
    match serde_json::to_value(value)? {
        serde_json::Value::String(word) => Ok(word),
        other => Err(StoreError::Unreadable { what: format!("`{other}` is no word") }),
    }
}

/// An enum from its bare word.
pub(crate) fn from_word<T: DeserializeOwned>(word: &str) -> Result<T, StoreError> {
    serde_json::from_value(serde_json::Value::String(word.to_owned())).map_err(StoreError::from)
}

/// A value from JSON text in a column.
pub(crate) fn from_json<T: DeserializeOwned>(row: &SqliteRow, column: &str) -> Result<T, StoreError> {
    let text: &str = row.try_get(column)?;
    serde_json::from_str(text).map_err(|error| StoreError::Unreadable { what: format!("{column}: {error}") })
}

/// An id from a column.
pub(crate) fn id<T: From<[u8; 16]>>(row: &SqliteRow, column: &str) -> Result<T, StoreError> {
    let bytes: &[u8] = row.try_get(column)?;
    let bytes: [u8; 16] =
        bytes.try_into().map_err(|_| StoreError::Unreadable { what: format!("{column} is no id") })?;
    Ok(T::from(bytes))
}

/// An id from a column that may be empty.
pub(crate) fn maybe_id<T: From<[u8; 16]>>(row: &SqliteRow, column: &str) -> Result<Option<T>, StoreError> {
    let bytes: Option<&[u8]> = row.try_get(column)?;
    bytes
        .map(|bytes| {
            let bytes: [u8; 16] =
                bytes.try_into().map_err(|_| StoreError::Unreadable { what: format!("{column} is no id") })?;
            Ok(T::from(bytes))
        })
        .transpose()
}
