//! Looks at model endpoints, with the key that was just typed or the one that is kept.

use async_trait::async_trait;
use countersign_api::host::Connections;
use countersign_api::wire::agent::{FoundServer, TestStep};
use countersign_core::agent::{AgentProfile, EndpointChoice};
use countersign_models::probe;
use secrecy::SecretString;

use crate::keys::MachineKeys;

/// Model endpoints.
pub(crate) struct ModelServers {
    keys: MachineKeys,
}

impl ModelServers {
    /// Kept keys come from `keys`.
    pub(crate) fn new(keys: MachineKeys) -> Self {
        Self { keys }
    }

    /// Where a profile's model is, and the key for it; none for the Rehearsal, which has no endpoint.
    async fn endpoint<'a>(
        &self,
        profile: &'a AgentProfile,
        typed_key: Option<&str>,
    ) -> Result<(EndpointChoice<'a>, Option<SecretString>), String> {
        let Some(endpoint) = profile.model.endpoint() else {
            return Err("the Rehearsal's model has no address".to_owned());
        };
        let key = match typed_key.map(str::trim) {
            Some(typed) if !typed.is_empty() => Some(SecretString::from(typed)),
            Some(_) | None => self.keys.read(profile.id, endpoint.key).await?,
        };
        Ok((endpoint, key))
    }
}

#[async_trait]
impl Connections for ModelServers {
    async fn test(&self, profile: &AgentProfile, typed_key: Option<&str>) -> Vec<TestStep> {
        let (endpoint, key) = match self.endpoint(profile, typed_key).await {
            Ok(endpoint) => endpoint,
            Err(text) => return vec![TestStep { name: "key accepted".to_owned(), ok: false, text }],
        };
        let steps = probe::test_connection(endpoint.format, endpoint.base_url, endpoint.model, key).await;
        steps.into_iter().map(|step| TestStep { name: step.name.to_owned(), ok: step.ok, text: step.text }).collect()
    }

    async fn models(&self, profile: &AgentProfile, typed_key: Option<&str>) -> Result<Vec<String>, String> {
        let (endpoint, key) = self.endpoint(profile, typed_key).await?;
        probe::list_models(endpoint.format, endpoint.base_url, key).await.map_err(|failure| failure.text)
    }

    async fn find(&self) -> Vec<FoundServer> {
        let found = probe::find_local_servers().await;
        found
            .into_iter()
            .map(|server| FoundServer { name: server.name, base_url: server.base_url, models: server.models })
            .collect()
    }
}
