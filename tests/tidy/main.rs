//! The rules about the repository itself, as tests: which crate may use which, which licences and sources come in, how files
//! are kept. Each rule is a function from what it looks at to its complaints, and each has a test that shows it a bad sample,
//! so that no rule can pass by looking at nothing.
//!
//! What the compiler, clippy, eslint or svelte-check already refuse is not repeated here.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as it should be"
)]

mod repository;

mod crates;
mod files;
mod ids;
mod licences;
mod sources;
mod surface;
mod words;

/// Fails with every complaint on its own line, so that one run shows all there is to mend.
fn nothing_to_complain(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}
