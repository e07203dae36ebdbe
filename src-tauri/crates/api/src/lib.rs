//! Everything that a surface can ask of Countersign, with its wire types, and what is displayed.

#![deny(missing_docs)]

pub mod commands;
pub mod display;
pub mod host;
pub mod wire;
