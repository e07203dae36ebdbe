//! How an agent's model is asked, and what it used up.

use serde::{Deserialize, Serialize};

/// How an agent's model is asked, beyond where it is. By default nothing is said.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Asking {
    /// In hundredths; none is the model's own.
    pub temperature: Option<u16>,
    /// The most tokens of a reply; none is the model's own.
    pub most_tokens: Option<u32>,
    /// Whether it shall think before it replies.
    pub thinking: Thinking,
    /// Headers that go with every request.
    pub headers: Vec<ExtraHeader>,
    /// What it costs, where the person says it.
    pub prices: Option<Prices>,
}

/// Whether a model shall think before it replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Thinking {
    /// As the model does by itself.
    #[default]
    Unstated,
    /// It shall not.
    Off,
    /// As hard as this; Messages have no such levels.
    Effort {
        /// How hard.
        effort: Effort,
    },
    /// With at most so many tokens; only Messages count them.
    Budget {
        /// Tokens.
        tokens: u32,
    },
}

/// How hard a model shall think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    /// Hardly.
    Minimal,
    /// A little.
    Low,
    /// As usual.
    Medium,
    /// Long.
    High,
}

/// A header that goes with every request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct ExtraHeader {
    /// Its name.
    pub name: String,
    /// What stands in it.
    pub value: HeaderValue,
}

/// What stands in a header. A secret never comes back to a window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "from")]
pub enum HeaderValue {
    /// This text.
    Plain {
        /// The text.
        text: String,
    },
    /// A secret, kept where keys are kept.
    Secret,
    /// What an environment variable holds.
    Env {
        /// Its name.
        name: String,
    },
}

/// A header's secret that was typed. It goes to the key store and is never sent back.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct HeaderSecret {
    /// The header's name.
    pub name: String,
    /// The secret.
    pub value: String,
}

impl std::fmt::Debug for HeaderSecret {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "HeaderSecret({})", self.name)
    }
}

/// What a model costs, in millionths of the currency's unit for a million tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Prices {
    /// The currency's three letters.
    pub currency: String,
    /// Tokens read.
    pub input: i64,
    /// Tokens written.
    pub output: i64,
    /// Tokens read from the provider's cache; none is like other tokens read.
    pub cached: Option<i64>,
    /// Tokens put into the provider's cache; none is like other tokens read.
    pub written: Option<i64>,
}

/// What model calls used up together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Spent {
    /// How many model calls there were.
    pub calls: i64,
    /// Of how many of them the tokens are known.
    pub counted: i64,
    /// Of how many of them the cost is known.
    pub priced: i64,
    /// Tokens read.
    pub tokens_in: i64,
    /// Tokens written.
    pub tokens_out: i64,
    /// Of those read: how many came from the provider's cache.
    pub cached: i64,
    /// Of those read: how many were put into it.
    pub written: i64,
    /// The cost, one for each currency.
    pub costs: Vec<Cost>,
}

/// An amount of money.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct Cost {
    /// The currency's three letters.
    pub currency: String,
    /// Billionths of its unit.
    pub nano: i64,
}
