//! The digest of what a person decides about (D-77): what is shown is what runs.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::confine::{Confinement, Network};
use crate::request::{Precondition, RequestKind};
use crate::tool::ToolIdentity;

/// A SHA-256 over kind, tool identity, working folder, preconditions and the exact payload bytes, with a domain
/// tag and length-prefixed parts. Handed out only together with the displayed text that it was computed from.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest(pub [u8; 32]);

/// A text that should have been a digest but isn't 64 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a digest: 64 hexadecimal digits were expected")]
pub struct NotADigest;

/// Computes the digest of a payload. `payload` is the exact argument text of a call, or the text of a plan.
///
/// For typed input `schema` is the frozen schema, and part of what was answered (N-52).
pub fn digest(
    kind: RequestKind,
    identity: &ToolIdentity,
    preconditions: &[Precondition],
    payload: &str,
    schema: Option<&str>,
) -> Digest {
    let mut hash = Sha256::new();
    let mut part = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_be_bytes());
        hash.update(bytes);
    };
    part(b"countersign request 1");
    part(match kind {
        RequestKind::Call => b"call",
        RequestKind::Plan => b"plan",
        RequestKind::Input => b"input",
    });
    part(identity.key().as_bytes());
    part(&(preconditions.len() as u64).to_be_bytes());
    for precondition in preconditions {
        match precondition {
            Precondition::File { path, content } => {
                part(b"file");
                part(path.as_bytes());
                part(content.as_deref().unwrap_or("absent").as_bytes());
            }
            Precondition::Folder { path } => {
                part(b"folder");
                part(path.as_bytes());
            }
            Precondition::Environment { sha256 } => {
                part(b"environment");
                part(sha256.as_bytes());
            }
            Precondition::Confined { confinement } => {
                part(b"confined");
                part(level(*confinement));
            }
        }
    }
    part(payload.as_bytes());
    if let Some(schema) = schema {
        part(schema.as_bytes());
    }
    Digest(hash.finalize().into())
}

/// Computes the digest of a question that a server holds open: over the identity of the tool that it executes, what it says, and
/// the frozen schema (D-77, D-86). Its domain is its own, so that it is never the digest of a call's own question.
pub fn held(identity: &ToolIdentity, message: &str, schema: &str) -> Digest {
    let mut hash = Sha256::new();
    for part in ["countersign held question 1", identity.key().as_str(), message, schema] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    Digest(hash.finalize().into())
}

/// The hash that a standing approval of reach `Exact` compares: tool identity, canonical arguments, working folder,
/// environment and confinement (D-73, D-104).
pub fn exact(identity: &ToolIdentity, arguments: &crate::parse::Tree, preconditions: &[Precondition]) -> String {
    let mut hash = Sha256::new();
    let mut part = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_be_bytes());
        hash.update(bytes);
    };
    part(b"countersign exact 1");
    part(identity.key().as_bytes());
    part(crate::parse::canonical(arguments).as_bytes());
    for precondition in preconditions {
        match precondition {
            Precondition::Folder { path } => part(path.as_bytes()),
            Precondition::Environment { sha256 } => {
                part(b"environment");
                part(sha256.as_bytes());
            }
            Precondition::Confined { confinement } => {
                part(b"confined");
                part(level(*confinement));
            }
            Precondition::File { .. } => {}
        }
    }
    hex(&hash.finalize())
}

/// A confinement as it goes into a hash.
fn level(confinement: Confinement) -> &'static [u8] {
    match confinement {
        Confinement::None => b"none",
        Confinement::Held { network: Network::On } => b"held, network on",
        Confinement::Held { network: Network::Off } => b"held, network off",
    }
}

/// The SHA-256 of some content, in hexadecimal: how a precondition names the content of a file (D-85).
pub fn content_hash(content: &[u8]) -> String {
    hex(&Sha256::digest(content))
}

/// Bytes as lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    use fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Digest({self})")
    }
}

impl FromStr for Digest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Self, NotADigest> {
        if text.len() != 64 || !text.is_ascii() {
            return Err(NotADigest);
        }
        let mut bytes = [0; 32];
        for (index, byte) in bytes.iter_mut().enumerate() {
            let pair = text.get(index * 2..index * 2 + 2).ok_or(NotADigest)?;
            if pair.starts_with('+') {
                return Err(NotADigest);
            }
            *byte = u8::from_str_radix(pair, 16).map_err(|_| NotADigest)?;
        }
        Ok(Self(bytes))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::AgentId;
    use crate::tool::Origin;

    /// D-73, D-77: another folder, environment or confinement is another place, for an exact approval and for an answer.
    #[test]
    fn d_73_every_part_of_the_place_counts() {
        let identity = ToolIdentity {
            origin: Origin::BuiltIn { agent: AgentId([1; 16]), root: "/w".to_owned() },
            name: "run_command".to_owned(),
        };
        let tree = crate::parse::arguments(r#"{"command":"make"}"#).unwrap();
        let place = |folder: &str, environment: &str, confinement| {
            vec![
                Precondition::Folder { path: folder.to_owned() },
                Precondition::Environment { sha256: environment.to_owned() },
                Precondition::Confined { confinement },
            ]
        };
        let held = |network| Confinement::Held { network };
        let places = [
            vec![Precondition::Folder { path: "/w".to_owned() }],
            place("/w", "a", held(Network::On)),
            place("/v", "a", held(Network::On)),
            place("/w", "b", held(Network::On)),
            place("/w", "a", held(Network::Off)),
            place("/w", "a", Confinement::None),
        ];
        let mut exacts: Vec<_> = places.iter().map(|place| exact(&identity, &tree, place)).collect();
        let mut digests: Vec<_> =
            places.iter().map(|place| digest(RequestKind::Call, &identity, place, "{}", None).to_string()).collect();
        exacts.sort();
        digests.sort();
        exacts.dedup();
        digests.dedup();
        assert_eq!((exacts.len(), digests.len()), (places.len(), places.len()), "no two places are one");
        assert_eq!(exact(&identity, &tree, &places[1]), exact(&identity, &tree, &place("/w", "a", held(Network::On))));
    }
}
