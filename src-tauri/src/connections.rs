//! Looks at model endpoints, with the key that was just typed or the one that is kept.

use async_trait::async_trait;
use countersign_api::host::{Connections, Kept, Typed};
use countersign_api::wire::agent::FoundServer;
use countersign_api::words::desktop;
use countersign_core::agent::{AgentProfile, EndpointChoice};
use countersign_engine::ports::{Seen, Step, StepName};
use countersign_models::probe;
use secrecy::SecretString;

use crate::keys::MachineKeys;

/// Model endpoints.
pub(crate) struct ModelServers {
    keys: MachineKeys,
}

/// Where a profile's model is, and what is sent along.
struct Reached<'a> {
    endpoint: EndpointChoice<'a>,
    key: Option<SecretString>,
    secrets: Vec<(String, SecretString)>,
}

impl ModelServers {
    /// Kept keys come from `keys`.
    pub(crate) fn new(keys: MachineKeys) -> Self {
        Self { keys }
    }

    /// None for the Rehearsal, which has no endpoint.
    async fn reached<'a>(&self, profile: &'a AgentProfile, typed: Typed<'_>) -> Result<Reached<'a>, String> {
        let Some(endpoint) = profile.model.endpoint() else {
            return Err("the Rehearsal's model has no address".to_owned());
        };
        let key = match typed.key.map(str::trim) {
            Some(typed) if !typed.is_empty() => Some(SecretString::from(typed)),
            Some(_) | None => self.keys.read(profile.id, Kept::Key, endpoint.key).await?,
        };
        let mut secrets = Vec::new();
        for header in &profile.asking.headers {
            let Some(source) = header.source(endpoint.key) else { continue };
            let typed = typed.headers.iter().find(|one| one.name.eq_ignore_ascii_case(&header.name));
            let secret = match typed.map(|one| one.value.trim()) {
                Some(typed) if !typed.is_empty() => Some(SecretString::from(typed)),
                Some(_) | None => self.keys.read(profile.id, Kept::Header(&header.name), &source).await?,
            };
            secrets.extend(secret.map(|secret| (header.name.clone(), secret)));
        }
        Ok(Reached { endpoint, key, secrets })
    }
}

#[async_trait]
impl Connections for ModelServers {
    async fn test(&self, profile: &AgentProfile, typed: Typed<'_>) -> Vec<Step> {
        let Reached { endpoint, key, secrets } = match self.reached(profile, typed).await {
            Ok(reached) => reached,
            Err(why) => return vec![Step { name: StepName::Key, ok: false, seen: Seen::NoKeptKey(why) }],
        };
        let (format, base_url, model) = (endpoint.format, endpoint.base_url, endpoint.model);
        probe::test_connection(format, base_url, model, key, &profile.asking, secrets).await
    }

    async fn models(&self, profile: &AgentProfile, typed: Typed<'_>) -> Result<Vec<String>, String> {
        let Reached { endpoint, key, secrets } = self.reached(profile, typed).await?;
        let listed =
            probe::list_models(endpoint.format, endpoint.base_url, key, &profile.asking.headers, secrets).await;
        listed.map_err(|failure| failure.text)
    }

    async fn find(&self) -> Vec<FoundServer> {
        let found = probe::find_local_servers().await;
        found
            .into_iter()
            .map(|server| FoundServer {
                name: desktop().on_this_machine(&server.program),
                base_url: server.base_url,
                models: server.models,
            })
            .collect()
    }
}
