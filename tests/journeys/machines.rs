//! Real tool servers for an app whose model is a script.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use countersign_api::host::{ServerHealth, ServerLog, ServerStatus, ToolServers};
use countersign_core::agent::{AgentProfile, KeySource};
use countersign_core::ids::ServerId;
use countersign_core::run::Failure;
use countersign_core::server::ServerProfile;
use countersign_engine::ports::{Outfit, Outfitter, Purpose};
use countersign_tools::servers::{Joined, Secrets, Servers, State};
use secrecy::SecretString;
use tokio::sync::watch;

use crate::house::Wardrobe;

/// The servers of a test, with their secrets in memory.
#[derive(Clone)]
pub(crate) struct Machines {
    servers: Servers,
    kept: Arc<Vault>,
}

#[derive(Default)]
struct Vault(Mutex<BTreeMap<(ServerId, String), String>>);

impl Default for Machines {
    fn default() -> Self {
        let kept = Arc::new(Vault::default());
        Self { servers: Servers::new(Arc::clone(&kept) as Arc<dyn Secrets>), kept }
    }
}

#[async_trait]
impl Secrets for Vault {
    async fn read(&self, server: ServerId, variable: &str, _: &KeySource) -> Result<SecretString, String> {
        let kept = self.0.lock().unwrap().get(&(server, variable.to_owned())).cloned();
        kept.map(SecretString::from).ok_or_else(|| "nothing is kept".to_owned())
    }
}

#[async_trait]
impl ToolServers for Machines {
    fn status(&self, server: ServerId) -> Option<ServerStatus> {
        let status = self.servers.status(server)?;
        let health = match status.state {
            State::Idle => ServerHealth::Idle,
            State::Starting => ServerHealth::Starting,
            State::Running => ServerHealth::Running,
            State::Failed { why, again_s } => ServerHealth::Failed { why, again_s },
        };
        let (definitions, cut, calls_itself) = (status.definitions, status.cut, status.calls_itself);
        Some(ServerStatus { health, definitions, cut, calls_itself })
    }

    fn wake(&self, profile: &ServerProfile) {
        self.servers.wake(profile);
    }

    fn log(&self, server: ServerId) -> Vec<ServerLog> {
        let lines = self.servers.log(server).into_iter();
        lines.map(|line| ServerLog { at: line.at, ours: line.ours, text: line.text }).collect()
    }

    fn present(&self, profile: &ServerProfile) {
        self.servers.present(profile);
    }

    async fn remove(&self, server: ServerId) {
        self.servers.remove(server).await;
    }

    async fn stop(&self, server: ServerId) {
        self.servers.stop(server).await;
    }

    async fn stop_all(&self) {
        self.servers.stop_all().await;
    }

    fn changed(&self) -> watch::Receiver<u64> {
        self.servers.changed()
    }

    async fn keep(&self, server: ServerId, variable: &str, _: &KeySource, value: &str) -> Result<(), String> {
        self.kept.0.lock().unwrap().insert((server, variable.to_owned()), value.to_owned());
        Ok(())
    }

    async fn forget(&self, server: ServerId, variables: &[String]) {
        self.kept.0.lock().unwrap().retain(|(of, name), _| *of != server || !variables.contains(name));
    }
}

/// The house's outfits, with the tools of real servers beside the house's own.
pub(crate) struct Equipped {
    pub(crate) wardrobe: Arc<Wardrobe>,
    pub(crate) machines: Machines,
}

#[async_trait]
impl Outfitter for Equipped {
    async fn outfit(
        &self,
        profile: &AgentProfile,
        servers: &[ServerProfile],
        purpose: Purpose,
    ) -> Result<Outfit, Failure> {
        let outfit = self.wardrobe.outfit(profile, servers, purpose).await?;
        let mut tools = Vec::new();
        for server in servers {
            tools.push(match purpose {
                Purpose::Run => self.machines.servers.toolbox(server).await,
                Purpose::Check | Purpose::Look => self.machines.servers.look(server),
            });
        }
        Ok(Outfit { toolbox: Arc::new(Joined::new(outfit.toolbox, tools)), ..outfit })
    }
}
