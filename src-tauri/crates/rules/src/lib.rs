//! The person's own rules (RU): what one is, what may be saved, and how it judges a call. And command lines, which both rules and
//! cards must take apart in the same way.
//!
//! Everything here is pure: no clock, no files, no database. The api keeps the rules and puts them into [`guard::Rules`], which is
//! the engine's guard; the engine asks it before a person is asked and once more right before an approved call runs.

#![deny(missing_docs)]

pub mod check;
pub mod command;
pub mod guard;
pub mod judge;
pub mod rule;
pub mod shipped;
