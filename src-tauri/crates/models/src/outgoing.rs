//! The last look at a request before it leaves: what stands in its bytes is a history that a provider accepts and that tells what
//! happened. The view was checked when it was made; this reads the text that is sent, so that nothing between the two can go wrong.
//!
//! In a test or a debug build a fault stops everything; in a release it is logged, and the provider has the last word.

use countersign_core::agent::WireFormat;
use countersign_engine::ports::Prompt;

use crate::{anthropic_messages, openai_chat, openai_responses};

/// What is wrong with a request's messages.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadRequest {
    /// It isn't what a request looks like.
    #[error("the request can't be read: {0}")]
    Unreadable(String),
    /// A call isn't followed by exactly its result (b.6.6 of the specification).
    #[error("message {at}: the results don't match the calls before them")]
    Results {
        /// Which message.
        at: usize,
    },
    /// A turn has calls that were never made, for the model, or lacks some (CL-5).
    #[error("message {at}: its calls aren't those of the conversation")]
    Calls {
        /// Which message.
        at: usize,
    },
    /// A turn that was received goes back with other bytes (D-108, L-055).
    #[error("message {at}: a turn that was received is not sent back as it was")]
    Rewritten {
        /// Which message.
        at: usize,
    },
    /// A message too few or too many.
    #[error("the request has {found} messages where the conversation has {expected}")]
    Length {
        /// What the request has.
        found: usize,
        /// What it should have.
        expected: usize,
    },
}

/// Checks a request's body against the prompt that it was made from.
///
/// # Errors
/// The first [`BadRequest`].
pub(crate) fn check(format: WireFormat, body: &str, prompt: &Prompt) -> Result<(), BadRequest> {
    match format {
        WireFormat::OpenAiChat => openai_chat::outgoing::check(body, prompt),
        WireFormat::OpenAiResponses => openai_responses::outgoing::check(body, prompt),
        WireFormat::AnthropicMessages => anthropic_messages::outgoing::check(body, prompt),
    }
}

#[cfg(test)]
mod tests;
