//! Anthropic Messages: turns are lists of blocks, thinking is signed, and each call's result stands in the message behind it.

pub(crate) mod assemble;
pub(crate) mod message;
pub(crate) mod outgoing;
