//! Makes what a person reads from what somebody outside wrote. Pure functions: nothing here knows the store, the
//! engine or the time, and the same text always gives the same displayed form.
//!
//! INVARIANT: text from outside reaches a surface only through [`text`]; every other module here builds on it.

pub mod text;

mod address;
pub mod command;
pub(crate) mod compare;
pub mod diff;
pub mod markdown;
pub mod mask;
pub mod tree;

pub mod facts;
pub mod payload;
pub mod question;

use countersign_core::digest::content_hash;

use crate::wire::payload::Raw;

/// The exact stored text beside its visible form, so that a person can compare it byte for byte.
pub fn raw(exact: &str) -> Raw {
    Raw {
        text: text::safe(exact),
        exact: exact.to_owned(),
        bytes: u32::try_from(exact.len()).unwrap_or(u32::MAX),
        sha256: content_hash(exact.as_bytes()),
    }
}
