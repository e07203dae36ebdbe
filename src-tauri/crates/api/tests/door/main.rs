//! Countersign through its door, as a window sees it: what is shown, staged, sent, told by notifications, and what a
//! restart leaves. The model and the tools are small ones of the test; store, engine and door are the real ones.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets something unexpected should stop right there"
)]

mod agents;
mod asking;
mod attending;
mod auto_end;
mod correcting;
mod drafts;
mod everything;
mod forks;
mod held;
mod history;
mod house;
mod later;
mod leaving;
mod notices;
mod policy;
mod presses;
mod questions;
mod quick;
mod reading;
mod rehearsal;
mod rule_calls;
mod rules;
mod sending;
mod servers;
mod showing;
mod words;
