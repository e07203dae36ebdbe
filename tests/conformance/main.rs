//! One test for each rule of src-tauri/SEMANTICS.md that the house has, named after its id, at the level where a caller notices:
//! the core where deciding is all there is to it, the engine where storing, asking and executing take part.
//! `CONFORMANCE_IDS=1` prints the ids that are pinned, and why each of the others is not.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as it should be"
)]

#[path = "../../src-tauri/crates/engine/tests/engine/house.rs"]
mod house;
#[path = "../../src-tauri/crates/core/tests/machine/play.rs"]
mod play;

mod agents;
mod answering;
mod asking;
mod beside;
mod catalogue;
mod closing;
mod decisions;
mod durable;
mod field;
mod gates;
mod held;
mod history;
mod ids;
mod modes;
mod notes;
mod peers;
mod plans;
mod quick;
mod rules;
mod servers;
mod steering;
mod turns;
mod typed;
mod unattended;
mod waiting;
