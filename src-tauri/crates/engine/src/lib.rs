//! Runs conversations around the core.
//!
//! One mailbox a conversation orders everything that happens to it: step, store, show, act. Nothing here waits for a
//! person: a run that asks ends.

#![deny(missing_docs)]

mod act;
mod crew;
pub mod engine;
pub mod error;
pub mod feed;
mod gates;
mod mailbox;
mod owner;
pub mod ports;
pub mod question;
