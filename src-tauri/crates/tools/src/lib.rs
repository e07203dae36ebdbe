//! What an agent can do on this machine: look at, search, write and edit files of one folder, and run commands there, and
//! fetch from the network.
//!
//! Files are held in by the kernel, not by comparing texts: every one is opened relative to a handle of the
//! workspace folder. Commands start in the folder with a bare environment, end whole, and are held in as far as the
//! machine offers it and the person wants it. Whether a call may run at all is not decided here.

#![deny(missing_docs)]

pub mod toolbox;

pub mod shape;

mod list;
mod read;
mod search;
mod write;

pub mod workspace;

pub mod refused;

mod fault;
mod way;

pub mod exec;

mod fetch;
pub mod servers;
