//! Runs conversations around the core.
//!
//! One mailbox a conversation orders everything that happens to it: step, store, show, act. Nothing here waits for a
//! person: a run that asks ends. The one exception is held open by somebody else's process ([`ports::Asks`], D-86).

#![deny(missing_docs)]

mod act;
mod asks;
mod crew;
mod ends;
pub mod engine;
pub mod error;
pub mod feed;
mod gates;
mod late;
mod mailbox;
mod owner;
pub mod ports;
pub mod question;
