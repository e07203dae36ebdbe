//! Countersign's SQLite store: applies changes in one transaction, answers queries, holds no opinions.
//!
//! One connection writes and a few read. The writer takes everything that waits into one transaction, each piece in a
//! savepoint of its own, so that a refused piece takes nothing else with it and fifty conversations share one sync.

#![deny(missing_docs)]

mod apply;
mod erase;
pub mod error;
pub mod journal;
pub mod open;
pub mod read;
pub mod record;
mod row;
pub mod table;
mod writer;

#[cfg(test)]
mod tests;
