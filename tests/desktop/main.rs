//! The real app in a real window, as a person meets it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as it should be"
)]

#[path = "../../src-tauri/crates/engine/tests/engine/house.rs"]
mod house;

mod agents;
mod by_accident;
mod first_start;
mod held;
mod large;
mod notices;
mod quick;
mod racing;
mod rehearsal;
mod rules;
mod screens;
mod servers;
mod stories;
mod talking;
mod troubles;
mod waiting;
mod windows;
