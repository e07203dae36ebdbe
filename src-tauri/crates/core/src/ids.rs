//! Identities. Each is 16 random bytes of our own (D-56): a provider's call id is data, never an identity.
//!
//! Ids are drawn outside and handed in as an [`Ids`] pool. They carry no order; order is always by sequence number.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A text that should have been an id but isn't 32 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an id")]
pub struct NotAnId(pub String);

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub [u8; 16]);

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "{}({self})", stringify!($name))
            }
        }

        impl FromStr for $name {
            type Err = NotAnId;

            fn from_str(text: &str) -> Result<Self, NotAnId> {
                read_hex(text).map(Self)
            }
        }

        impl From<[u8; 16]> for $name {
            fn from(bytes: [u8; 16]) -> Self {
                Self(bytes)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

id!(
    /// A stored conversation.
    ConversationId
);
id!(
    /// One run of an agent on an input.
    RunId
);
id!(
    /// A stored message of a conversation.
    MessageId
);
id!(
    /// A tool call, ours and random; the provider's call id is data beside it.
    CallId
);
id!(
    /// A question that a person can answer. Never derived from a call id (D-56).
    RequestId
);
id!(
    /// A standing approval.
    StandingId
);
id!(
    /// A tool server that the person added.
    ServerId
);
id!(
    /// A process that runs conversations, drawn when it starts (D-90).
    OwnerId
);
id!(
    /// An agent profile.
    AgentId
);

/// The random ids that an input brings along, because the core draws none itself.
#[derive(Debug, Clone, Default)]
pub struct Ids(Vec<[u8; 16]>);

/// The pool of random ids was smaller than the input needed; a fault of the shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the input brought too few ids")]
pub struct OutOfIds;

impl Ids {
    /// A pool of the given ids. [`Ids::needed`] says how many are always enough.
    pub fn new(pool: Vec<[u8; 16]>) -> Self {
        Self(pool)
    }

    /// How many ids an input that touches `calls` calls and sub-agents may need at most.
    pub fn needed(calls: usize) -> usize {
        calls.saturating_mul(4).saturating_add(16)
    }

    /// Takes one id of the wanted kind.
    ///
    /// # Errors
    /// [`OutOfIds`] if the pool is empty.
    pub fn take<T: From<[u8; 16]>>(&mut self) -> Result<T, OutOfIds> {
        self.0.pop().map(T::from).ok_or(OutOfIds)
    }
}

/// A moment: milliseconds since the beginning of 1970, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct At(pub i64);

fn read_hex(text: &str) -> Result<[u8; 16], NotAnId> {
    let fault = || NotAnId(text.chars().take(64).collect());
    if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(fault());
    }
    u128::from_str_radix(text, 16).map(u128::to_be_bytes).map_err(|_| fault())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_survives_its_text() {
        let id = CallId([0xAB; 16]);
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(serde_json::from_str::<CallId>(&serde_json::to_string(&id).unwrap()).unwrap(), id);
    }

    #[test]
    fn what_is_no_id_is_refused() {
        for text in ["", "12", "zz", "+0000000000000000000000000000000", &"a".repeat(33)] {
            assert!(text.parse::<CallId>().is_err(), "`{text}` is no id");
        }
    }
}
