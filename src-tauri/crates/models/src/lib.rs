//! Countersign's model adapters: OpenAI-compatible chat completions, OpenAI Responses, Anthropic Messages, and the scripted model of
//! the Rehearsal.
//!
//! Nothing of a reply counts until all of it is there, and no key ever gets into a text, a log or a debug form.

#![deny(missing_docs)]

pub mod probe;
pub mod rehearsal;
pub mod remote;
pub mod scripted;
pub mod sse;

mod anthropic_messages;
mod openai_chat;
mod openai_responses;

mod endpoint;
mod failure;
mod json;
mod outgoing;
mod reading;
mod turn;
mod wish;

#[cfg(test)]
mod server;
#[cfg(test)]
mod strict;
