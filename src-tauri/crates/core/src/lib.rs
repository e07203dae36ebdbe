//! What is true in Countersign and what happens next.
//!
//! Everything here is a pure function of its arguments: no clock, no randomness, no files, no SQL, nothing
//! asynchronous. Time and ids come in with the input. [`step::step`] takes the [`head::Head`] of a conversation
//! and one [`input::Input`], and returns the [`change::Change`]s that become true and the [`change::Act`]s that
//! the shell carries out once they are stored. There is no second way to write.

#![deny(missing_docs)]

pub mod agent;
pub mod answer;
pub mod asking;
pub mod call;
pub mod change;
pub mod confine;
pub mod conversation;
pub mod decide;
pub mod digest;
pub mod faults;
pub mod fetch;
pub mod fork;
pub mod head;
pub mod ids;
pub mod input;
pub mod mode;
pub mod offer;
pub mod parse;
pub mod policy;
pub mod quick;
pub mod request;
pub mod run;
pub mod server;
pub mod spending;
pub mod step;
pub mod tool;
pub mod transcript;
pub mod unattended;
pub mod words;
