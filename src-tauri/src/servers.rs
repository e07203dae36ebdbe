//! Tool servers on this machine: the connections, and where the values of their secrets are kept.

use async_trait::async_trait;
use countersign_api::host::{ServerHealth, ServerLog, ServerStatus, ToolServers};
use countersign_core::agent::KeySource;
use countersign_core::digest::content_hash;
use countersign_core::ids::ServerId;
use countersign_core::server::ServerProfile;
use countersign_tools::servers::{Secrets, Servers, State, Status};
use secrecy::SecretString;
use tokio::sync::watch;

use crate::keys::MachineKeys;

/// The tool servers of this machine.
pub(crate) struct MachineServers {
    servers: Servers,
    keys: MachineKeys,
}

impl MachineServers {
    /// With these connections and keys.
    pub(crate) fn new(servers: Servers, keys: MachineKeys) -> Self {
        Self { servers, keys }
    }
}

/// The name under which a variable's value is kept. A header's name may hold what no file's name may.
fn kept_as(server: ServerId, variable: &str) -> String {
    let hash: String = content_hash(variable.as_bytes()).chars().take(16).collect();
    format!("{server}.{hash}")
}

/// Secrets of servers are kept with the keys.
pub(crate) struct KeptSecrets(pub(crate) MachineKeys);

#[async_trait]
impl Secrets for KeptSecrets {
    async fn read(&self, server: ServerId, variable: &str, from: &KeySource) -> Result<SecretString, String> {
        let kept = self.0.read_named(kept_as(server, variable), from).await?;
        kept.ok_or_else(|| "nothing says where it is kept".to_owned())
    }
}

#[async_trait]
impl ToolServers for MachineServers {
    fn status(&self, server: ServerId) -> Option<ServerStatus> {
        let Status { state, definitions, cut, calls_itself } = self.servers.status(server)?;
        let health = match state {
            State::Idle => ServerHealth::Idle,
            State::Starting => ServerHealth::Starting,
            State::Running => ServerHealth::Running,
            State::Failed { why, again_s } => ServerHealth::Failed { why, again_s },
        };
        Some(ServerStatus { health, definitions, cut, calls_itself })
    }

    fn wake(&self, profile: &ServerProfile) {
        self.servers.wake(profile);
    }

    fn log(&self, server: ServerId) -> Vec<ServerLog> {
        let line =
            |line: countersign_tools::servers::LogLine| ServerLog { at: line.at, ours: line.ours, text: line.text };
        self.servers.log(server).into_iter().map(line).collect()
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

    async fn keep(&self, server: ServerId, variable: &str, source: &KeySource, value: &str) -> Result<(), String> {
        self.keys.keep_named(kept_as(server, variable), source, value).await
    }

    async fn forget(&self, server: ServerId, variables: &[String]) {
        for variable in variables {
            self.keys.forget_named(kept_as(server, variable)).await;
        }
    }
}
