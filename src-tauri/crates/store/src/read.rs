//! What can be asked of the store: heads, transcripts, and the read models of Inbox and history.

pub mod conversation;
pub mod fork;
pub mod held;
pub mod history;
pub mod inbox;
pub mod output;
pub mod past;
pub mod quick;
pub mod said;
pub mod search;
pub mod server;
pub mod similar;
pub mod spending;
