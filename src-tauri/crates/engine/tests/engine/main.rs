//! The engine around the core: a scripted model, tools that write down what they are told, a real store on disk.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as it should be"
)]

mod house;

mod asking;
mod breaking;
mod folding;
mod owners;
mod refusing;
mod round_trip;
mod second_look;
mod steering;
mod stopping;
mod unattended;
mod view;
