//! The desktop shell: the window and its commands, the feed, notifications, the tray, keys, folders and the log. What
//! is true and what happens next is decided elsewhere; here it meets the machine.

#![deny(missing_docs)]

use std::process::ExitCode;

mod app;
mod arguments;
mod around;
mod attention;
mod chime;
mod commands;
mod connections;
mod folders;
mod host;
mod hotkey;
mod keys;
mod login;
mod logs;
mod notices;
mod outfit;
mod paths;
mod presence;
mod servers;
mod single;
mod start;
mod tray;
mod trayhost;
mod window;

/// Runs Countersign as the command line says.
pub fn run() -> ExitCode {
    start::start()
}
