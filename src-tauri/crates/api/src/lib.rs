//! Everything that a surface can ask of Countersign, with its wire types, and what is displayed.

#![deny(missing_docs)]

mod agents;
pub mod app;
mod asked;
mod asking;
mod cards;
pub mod commands;
mod correction;
mod desk;
mod detail;
pub mod display;
mod drafts;
mod entries;
mod error;
mod feed;
mod finding;
mod history;
pub mod host;
mod later;
mod notices;
mod opened;
mod quick;
mod rehearsal;
mod results;
mod rules;
mod sending;
mod servers;
mod telling;
pub mod wire;
pub mod words;
