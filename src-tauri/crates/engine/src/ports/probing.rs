//! What a test of a connection saw, step by step. Its words are the surface's, in the person's language.

use countersign_core::run::Failure;

/// One step of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Which.
    pub name: StepName,
    /// Whether it worked.
    pub ok: bool,
    /// What was seen.
    pub seen: Seen,
}

/// The steps, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepName {
    /// Something answers at the address.
    Reached,
    /// The key is accepted, or none is needed.
    Key,
    /// The model is known.
    Model,
    /// Its reply comes in pieces.
    Streams,
    /// It calls tools.
    Tools,
}

/// What was seen in a step. Hosts, models and what an endpoint said are as they came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// The host answers.
    Answers {
        /// The host.
        host: String,
    },
    /// Nothing usable answers at the address.
    NoAnswer(Failure),
    /// The host answers, but not as a model.
    NoModelHere {
        /// The host.
        host: String,
    },
    /// No key is needed.
    NoKeyNeeded,
    /// The key was accepted; in the open: whoever is on the way can read it.
    KeyAccepted {
        /// Whether it travels unencrypted.
        in_the_open: bool,
    },
    /// A key is wanted, and there is none.
    KeyWanted {
        /// The status.
        code: u16,
    },
    /// The key was refused.
    KeyRefused {
        /// The status.
        code: u16,
    },
    /// The host knows the model.
    Knows {
        /// The host.
        host: String,
        /// The model.
        model: String,
    },
    /// The host doesn't know the model.
    UnknownModel {
        /// The host.
        host: String,
        /// The model.
        model: String,
        /// Some that it offers; none if it isn't known which it does.
        offers: Option<Vec<String>>,
        /// Whether there are more.
        more: bool,
    },
    /// The reply came in pieces.
    Streamed,
    /// The reply came at once.
    CameWhole,
    /// The model called the tool.
    Called {
        /// The model.
        model: String,
    },
    /// The model answered without calling it.
    DidNotCall {
        /// The model.
        model: String,
    },
    /// The model takes no tools.
    TakesNoTools {
        /// The model.
        model: String,
        /// What the endpoint said.
        said: Failure,
    },
    /// It took longer than a test may.
    TookTooLong {
        /// The host.
        host: String,
    },
    /// Something failed that has its words.
    Failed(Failure),
    /// The key that is kept can't be had, in words.
    NoKeptKey(String),
}
