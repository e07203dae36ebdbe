//! The three modes of a conversation (MO-1).

use serde::{Deserialize, Serialize};

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
