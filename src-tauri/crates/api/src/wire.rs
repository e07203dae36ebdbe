//! The types that cross to a surface, exported to TypeScript. Core types are converted at this edge and never
//! serialized for a window. Ids are hexadecimal text, times integer milliseconds UTC; arguments are displayed text or
//! a tree whose numbers are text, never JSON values (numbers would lose digits on the way).

pub mod agent;
pub mod asking;
pub mod compare;
pub mod conversation;
pub mod desktop;
pub mod history;
pub mod inbox;
pub mod payload;
pub mod quick;
pub mod rules;
pub mod server;
pub mod settings;
pub mod text;
pub mod window;
