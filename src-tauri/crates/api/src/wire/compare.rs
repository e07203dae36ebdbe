//! A call beside others of its tool: what the person decided about those, and what they wanted instead of one.

use serde::{Deserialize, Serialize};

use super::payload::DiffPart;
use super::text::Shown;

/// An argument that differs between two calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Difference {
    /// Its name.
    pub name: Shown,
    /// What the other call has; none if it doesn't have it.
    pub other: Option<Vec<DiffPart>>,
    /// What this call has; none if it doesn't have it.
    pub this: Option<Vec<DiffPart>>,
}

/// What the person decided about another call of the same tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Similar {
    /// Its id, for its detail.
    pub id: String,
    /// "Approved", "Rejected".
    pub decision: String,
    /// When.
    pub at: i64,
    /// Its conversation's name.
    pub title: Shown,
    /// Path, command line or id.
    pub target: Shown,
    /// Whether it is the last one that was approved.
    pub last_approved: bool,
    /// How it differs; empty if it is the same.
    pub differences: Vec<Difference>,
    /// How many more arguments differ.
    pub more: u32,
}

/// The arguments that the person wanted instead of the call before, and whether this call has them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Correction {
    /// When they said so.
    pub at: i64,
    /// How this call differs from that; empty if it matches.
    pub differences: Vec<Difference>,
    /// How many more arguments differ.
    pub more: u32,
}

/// An argument in the correction editor. What is stored keeps its hidden characters as long as it isn't edited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct EditField {
    /// Its exact name, for sending; never shown.
    pub key: String,
    /// Its name.
    pub name: Shown,
    /// What is stored, for reading.
    pub stored: Shown,
    /// What is stored, for editing; hidden characters are spelled out.
    pub text: String,
    /// Whether it is a text; else what is edited is JSON.
    pub is_text: bool,
}

/// An argument that the person wants otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Edit {
    /// Its exact name.
    pub key: String,
    /// The value as JSON; none: it should not be sent.
    pub value: Option<String>,
}
