//! Makes what a person reads from what somebody outside wrote. Pure functions: nothing here knows the store, the
//! engine or the time, and the same text always gives the same displayed form.
//!
//! INVARIANT: text from outside reaches a surface only through [`text`]; every other module here builds on it.

pub mod text;

mod address;
pub mod command;
pub(crate) mod compare;
pub mod diff;
pub(crate) mod long;
pub mod markdown;
pub mod mask;
pub mod tree;

pub mod facts;
pub mod payload;
pub mod question;

use std::sync::Arc;

use countersign_core::digest::content_hash;

use crate::wire::payload::{Exact, Raw};
use long::Cut as _;
use text::fragments::Fragments;

/// The longest text that crosses for copying before anybody copies, in bytes.
const MOST_EXACT: usize = 100_000;

/// The exact stored text beside its visible form, so that a person can compare it byte for byte; and the fragments of it.
pub(crate) fn raw(exact: &Arc<str>) -> (Raw, Fragments) {
    let fragments = Fragments::of(Arc::clone(exact));
    let raw = Raw {
        text: fragments.long(),
        exact: (exact.len() <= MOST_EXACT).then(|| Exact::of(exact)),
        bytes: u32::try_from(exact.len()).unwrap_or(u32::MAX),
        sha256: content_hash(exact.as_bytes()),
    };
    (raw, fragments)
}

impl Exact {
    /// A stored text for copying. It takes time in proportion to its length.
    pub(crate) fn of(text: &str) -> Self {
        Self { text: text.to_owned(), secret: !mask::covers(text).is_empty() }
    }
}
