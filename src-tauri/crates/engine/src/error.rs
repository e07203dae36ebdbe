//! Why the engine did nothing.

use countersign_core::input::Refusal;
use countersign_core::run::Failure;
use countersign_store::error::StoreError;

/// Why an input to a conversation had no effect. In every case nothing of it was stored.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The core refused it.
    #[error(transparent)]
    Refused(Refusal),
    /// There is no such conversation (any more).
    #[error("there is no such conversation")]
    NotFound,
    /// The agent can't run: its folder is gone, its key can't be read. Requests stay open (B-03).
    #[error("{}", .0.text)]
    Outfit(Failure),
    /// It couldn't be stored.
    #[error("the change couldn't be stored")]
    Store(#[source] StoreError),
    /// The app is quitting.
    #[error("Countersign is quitting")]
    Closing,
}

impl From<Refusal> for EngineError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<StoreError> for EngineError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
