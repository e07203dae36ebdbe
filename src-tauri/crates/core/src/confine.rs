//! How far commands are held in: what the person wants of an agent, what this machine offers, and what a command runs
//! under. Deciding that is here alone; holding a command in is up to the tools.
//!
//! Under what a command was asked for is part of what was asked (D-73, D-85): it is kept as a
//! [`crate::request::Precondition`], so another level is another question.

use serde::{Deserialize, Deserializer, Serialize};

/// What the person wants for an agent's commands. A profile from before there was confinement has the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CommandSettings {
    /// Whether they are held in.
    pub hold: Hold,
    /// Whether they can use the network.
    pub network: Network,
}

/// Whether commands are held in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Hold {
    /// As far as the machine can; where it can't, they run all the same, and their card says so.
    #[default]
    Strongest,
    /// Where the machine can't, they don't run.
    Required,
    /// They aren't, at the person's word.
    Never,
}

/// A word that can't be read is the strictest one, since somebody said something.
impl<'de> Deserialize<'de> for Hold {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        Ok(match value.as_str() {
            Some("strongest") => Self::Strongest,
            Some("never") => Self::Never,
            Some(_) | None => Self::Required,
        })
    }
}

/// Whether a command can use the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// It can.
    #[default]
    On,
    /// It can't, this machine's own services included.
    Off,
}

/// A word that can't be read is *off*.
impl<'de> Deserialize<'de> for Network {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        Ok(match value.as_str() {
            Some("on") => Self::On,
            Some(_) | None => Self::Off,
        })
    }
}

/// What a machine was found to offer, by trying it; an error says in words why it doesn't.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offered {
    /// Holding files, other processes and the desktop away from a command.
    pub files: Result<(), String>,
    /// Holding the network away from it, too.
    pub network: Result<(), String>,
}

/// What a command runs under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Confinement {
    /// Nothing: it can do what the person can do.
    None,
    /// It writes only in the workspace and temp, and reaches neither Countersign's own files nor the desktop.
    Held {
        /// Whether it can use the network.
        network: Network,
    },
}

impl Confinement {
    /// What it amounts to, for the person and for the model; goes on after "confined: " or "not confined: ".
    pub fn words(self) -> &'static str {
        match self {
            Self::None => "it can do what you can do, and could operate Countersign itself",
            Self::Held { network: Network::On } => "writes only in the workspace and temp",
            Self::Held { network: Network::Off } => "writes only in the workspace and temp, network off",
        }
    }
}

/// Why commands can't run as the person wants them to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotOffered {
    /// They must be held in, and can't be.
    #[error("this agent's commands must be confined, and this machine can't confine them: {0}")]
    Files(String),
    /// The network must be off, and can't be.
    #[error("this agent's commands must run with the network off, and this machine can't do that: {0}")]
    Network(String),
    /// What isn't held in could switch the network on again.
    #[error("the network can only be off for commands that are confined")]
    NetworkOfUnconfined,
}

/// What a command runs under.
///
/// # Errors
/// [`NotOffered`] where the machine can't do what the person requires. Then it doesn't run: a required level never falls
/// back in silence.
pub fn decide(settings: CommandSettings, offered: &Offered) -> Result<Confinement, NotOffered> {
    match (settings.hold, settings.network, &offered.files) {
        (Hold::Never, Network::On, _) | (Hold::Strongest, Network::On, Err(_)) => Ok(Confinement::None),
        (Hold::Never, Network::Off, _) => Err(NotOffered::NetworkOfUnconfined),
        (Hold::Required, _, Err(why)) => Err(NotOffered::Files(why.clone())),
        (Hold::Strongest, Network::Off, Err(why)) => Err(NotOffered::Network(why.clone())),
        (Hold::Strongest | Hold::Required, Network::On, Ok(())) => Ok(Confinement::Held { network: Network::On }),
        (Hold::Strongest | Hold::Required, Network::Off, Ok(())) => match &offered.network {
            Ok(()) => Ok(Confinement::Held { network: Network::Off }),
            Err(why) => Err(NotOffered::Network(why.clone())),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No level that was required falls back: each case where the machine lacks it is an error.
    #[test]
    fn what_is_required_and_not_offered_is_an_error() {
        let (yes, no) = (|| Ok(()), || Err("old".to_owned()));
        let all = Offered { files: yes(), network: yes() };
        let files = Offered { files: yes(), network: no() };
        let nothing = Offered { files: no(), network: no() };
        let held = |network| Ok(Confinement::Held { network });
        let lacks_files = || Err(NotOffered::Files("old".to_owned()));
        let lacks_network = || Err(NotOffered::Network("old".to_owned()));
        for (hold, network, expected) in [
            (Hold::Strongest, Network::On, [held(Network::On), held(Network::On), Ok(Confinement::None)]),
            (Hold::Strongest, Network::Off, [held(Network::Off), lacks_network(), lacks_network()]),
            (Hold::Required, Network::On, [held(Network::On), held(Network::On), lacks_files()]),
            (Hold::Required, Network::Off, [held(Network::Off), lacks_network(), lacks_files()]),
            (Hold::Never, Network::On, [Ok(Confinement::None), Ok(Confinement::None), Ok(Confinement::None)]),
            (Hold::Never, Network::Off, std::array::from_fn(|_| Err(NotOffered::NetworkOfUnconfined))),
        ] {
            let decided = [&all, &files, &nothing].map(|offered| decide(CommandSettings { hold, network }, offered));
            assert_eq!(decided, expected, "{hold:?}, network {network:?}");
        }
    }

    #[test]
    fn settings_that_are_missing_are_the_default_and_unreadable_ones_the_strictest() {
        let read = |text: &str| serde_json::from_str::<CommandSettings>(text).unwrap();
        assert_eq!(read("{}"), CommandSettings { hold: Hold::Strongest, network: Network::On });
        assert_eq!(
            read(r#"{"hold":"x","network":3}"#),
            CommandSettings { hold: Hold::Required, network: Network::Off }
        );
        for hold in [Hold::Strongest, Hold::Required, Hold::Never] {
            for network in [Network::On, Network::Off] {
                let settings = CommandSettings { hold, network };
                assert_eq!(read(&serde_json::to_string(&settings).unwrap()), settings);
            }
        }
    }
}
