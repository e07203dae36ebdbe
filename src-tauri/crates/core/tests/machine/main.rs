//! The machine as a whole: tables of named cases, journeys step by step, and random inputs against stated properties.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as it should be"
)]

mod ops;
mod play;

mod forks;
mod guards;
mod held;
mod invariants;
mod journeys;
mod modes;
mod questions;
mod quick;
mod random;
mod resuming;
mod steering;
mod tables;
mod transcripts;
