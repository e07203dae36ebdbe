//! OpenAI Responses: turns are lists of items, nothing is stored at the provider, and reasoning comes and goes back encrypted.

pub(crate) mod assemble;
pub(crate) mod message;
pub(crate) mod outgoing;
