//! The tools from outside, as the engine uses them: files, attempts to get out, and commands with real processes.

#[cfg(test)]
mod addresses;
#[cfg(test)]
mod commands;
#[cfg(test)]
mod confined;
#[cfg(test)]
mod desktop;
#[cfg(test)]
mod escapes;
#[cfg(test)]
mod files;
#[cfg(test)]
mod servers;
#[cfg(test)]
mod support;
