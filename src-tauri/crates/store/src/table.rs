//! One file a table: its statements, each a constant, and the conversion of its rows. A test prepares every statement
//! on a migrated database.

pub mod agent;
pub mod call;
pub mod conversation;
pub mod copy;
pub mod draft;
pub mod held;
pub mod later;
pub mod message;
pub mod noticed;
pub mod output;
pub mod queued;
pub mod request;
pub mod rule;
pub mod run;
pub mod search;
pub mod server;
pub mod setting;
pub mod standing;
pub mod steering;

/// Every statement of the store.
#[cfg(test)]
pub(crate) fn statements() -> Vec<&'static str> {
    [
        agent::STATEMENTS,
        call::STATEMENTS,
        conversation::STATEMENTS,
        copy::STATEMENTS,
        draft::STATEMENTS,
        held::STATEMENTS,
        later::STATEMENTS,
        message::STATEMENTS,
        noticed::STATEMENTS,
        output::STATEMENTS,
        queued::STATEMENTS,
        request::STATEMENTS,
        rule::STATEMENTS,
        run::STATEMENTS,
        search::STATEMENTS,
        server::STATEMENTS,
        setting::STATEMENTS,
        standing::STATEMENTS,
        steering::STATEMENTS,
        crate::journal::STATEMENTS,
        crate::writer::STATEMENTS,
        crate::open::STATEMENTS,
        crate::read::fork::STATEMENTS,
        crate::read::inbox::STATEMENTS,
        crate::read::held::STATEMENTS,
        crate::read::history::STATEMENTS,
        crate::read::past::STATEMENTS,
        crate::read::quick::STATEMENTS,
        crate::read::said::STATEMENTS,
        crate::read::similar::STATEMENTS,
        crate::read::search::STATEMENTS,
        crate::erase::STATEMENTS,
    ]
    .concat()
}
