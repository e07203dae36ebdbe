//! The three modes of a conversation (MO-1).

use serde::{Deserialize, Serialize};

use crate::ids::At;

/// What the model is offered and how approval-bound calls behave (MO-2). Ordered from strict to loose (D-82).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Only read-only tools and `exit_plan_mode`; nothing else is offered (MO-4).
    Plan,
    /// Every tool; approval-bound calls ask (MO-3).
    #[default]
    Default,
    /// Every tool; approval-bound calls run unless a rule rejects them (MO-5).
    Auto,
}

/// How long Auto holds after a plan was approved into it (D-74).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Until {
    /// Back to Default when the approving run, or the chain of asking runs that it starts, ends.
    RunEnds,
    /// It stays until somebody changes it (MO-12).
    Stays,
}

/// The nearest end that an Auto can be given, in milliseconds from when that is stored: what is nearer would be over before anybody
/// saw it begin.
pub const SHORTEST_AUTO: i64 = 60 * 1000;
/// The furthest end that an Auto can be given, in milliseconds from when that is stored.
pub const LONGEST_AUTO: i64 = 24 * 60 * 60 * 1000;

/// Why an end time isn't taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AutoEnd {
    /// It is over.
    #[error("that time is over")]
    Over,
    /// It is nearer than [`SHORTEST_AUTO`].
    #[error("that time is less than a minute away")]
    TooNear,
    /// It is further away than [`LONGEST_AUTO`].
    #[error("that time is more than a day away")]
    TooFar,
    /// Only Auto ends at a time.
    #[error("only Auto can end at a time")]
    NotAuto,
}

/// Checks the end time that somebody gives a mode, as the time is now (D-82).
///
/// # Errors
/// An [`AutoEnd`] that says what is wrong with it.
pub fn check_end(mode: Mode, end: At, now: At) -> Result<(), AutoEnd> {
    match (mode, end.0.saturating_sub(now.0)) {
        (Mode::Plan | Mode::Default, _) => Err(AutoEnd::NotAuto),
        (Mode::Auto, ..=0) => Err(AutoEnd::Over),
        (Mode::Auto, ..SHORTEST_AUTO) => Err(AutoEnd::TooNear),
        (Mode::Auto, left) if left > LONGEST_AUTO => Err(AutoEnd::TooFar),
        (Mode::Auto, _) => Ok(()),
    }
}

/// Whether an Auto with this end is over. A clock that stands further before the end than any Auto lasts was set back, so nobody
/// can tell, and it is over as well.
pub fn is_over(end: At, now: At) -> bool {
    let left = end.0.saturating_sub(now.0);
    left <= 0 || left > LONGEST_AUTO
}
