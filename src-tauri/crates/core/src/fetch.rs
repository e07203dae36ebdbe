//! Fetching from the network: what the built-in tool is called, and how far it may reach.

use serde::{Deserialize, Serialize};

use crate::policy::DataClass;

/// The built-in tool that fetches an address. It changes nothing, and asks all the same: an address can carry anything out.
pub const HTTP_FETCH: &str = "http_fetch";

/// Where an agent's fetches may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reaches {
    /// To public addresses only.
    #[default]
    Public,
    /// To this computer and private networks too, as the person wants it.
    Private,
}

impl Reaches {
    /// What the results can show: what anybody can have, or what lies on the person's own networks.
    pub fn data(self) -> DataClass {
        match self {
            Self::Public => DataClass::Public,
            Self::Private => DataClass::Machine,
        }
    }
}
