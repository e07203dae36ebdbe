//! Countersign's model adapters: OpenAI-compatible chat completions and the scripted model of the Rehearsal.
//!
//! Nothing of a reply counts until all of it is there, and no key ever gets into a text, a log or a debug form.

#![deny(missing_docs)]

pub mod openai_chat;
pub mod probe;
pub mod rehearsal;
pub mod scripted;
pub mod sse;

mod endpoint;
mod failure;

#[cfg(test)]
mod server;
