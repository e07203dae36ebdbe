//! Journeys: what a person does, from the first word to the end, on a real store. The model is scripted or behind a real HTTP
//! server, and the process dies in between where the journey says so.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as it should be"
)]

#[path = "../../src-tauri/crates/engine/tests/engine/house.rs"]
mod house;

mod app;
#[cfg(test)]
mod machines;

mod answering;
mod crash;
mod formats;
mod http;
mod kill;
mod passing;
mod plans;
mod racing;
mod saving;
mod scenarios;
#[cfg(test)]
mod servers;
