//! Dresses an agent when a run starts: its model with the key as it is now, its tools in its folder as it is now.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use countersign_api::host::{Confining, Kept};
use countersign_core::agent::{AgentProfile, ToolSet};
use countersign_core::confine::Offered;
use countersign_core::input::ModelReply;
use countersign_core::run::{Failure, FailureKind};
use countersign_core::server::ServerProfile;
use countersign_engine::ports::{Deltas, Model, Outfit, Outfitter, Prompt, Purpose, Toolbox};
use countersign_models::rehearsal;
use countersign_models::remote::Remote;
use countersign_tools::exec::ExecHelper;
use countersign_tools::servers::{Joined, Servers};
use countersign_tools::toolbox::WorkspaceTools;

use crate::keys::MachineKeys;
use crate::paths::Paths;

/// The models and tools of this machine.
pub(crate) struct Wardrobe {
    keys: MachineKeys,
    servers: Servers,
    refused: Vec<PathBuf>,
    helper: Result<ExecHelper, String>,
}

impl Wardrobe {
    /// With the keys of this machine; tools stay out of Countersign's own folders.
    pub(crate) fn new(keys: MachineKeys, servers: Servers, paths: &Paths) -> Self {
        let helper = ExecHelper::this_program().map_err(|error| format!("commands can't be run: {error}"));
        Self { keys, servers, refused: paths.refused(), helper }
    }

    /// The agent's tools. Opening its folder touches the disk, so it is done elsewhere.
    async fn toolbox(&self, profile: &AgentProfile) -> Result<Arc<dyn Toolbox>, Failure> {
        // All of them: which the agent may use is the gates' business, and they say why (N-58).
        let (agent, folder, chosen) = (profile.id, PathBuf::from(&profile.folder), ToolSet::All);
        let (refused, helper) = (self.refused.clone(), self.helper.clone());
        let (commands, reaches) = (profile.commands, profile.reaches);
        let opened = tokio::task::spawn_blocking(move || {
            Ok(WorkspaceTools::new(agent, &folder, refused, chosen, helper?)?
                .with_commands(commands)
                .with_reach(reaches))
        });
        match opened.await {
            Ok(Ok(tools)) => Ok(Arc::new(tools)),
            Ok(Err(text)) => Err(Failure { kind: FailureKind::Folder, text }),
            Err(_) => {
                Err(Failure { kind: FailureKind::Folder, text: "the workspace folder couldn't be opened".to_owned() })
            }
        }
    }

    /// The agent's own tools and those of its servers, which start beside each other.
    async fn joined(&self, own: Arc<dyn Toolbox>, servers: &[ServerProfile], purpose: Purpose) -> Arc<dyn Toolbox> {
        let tools = servers.iter().map(|profile| async {
            match purpose {
                Purpose::Run => self.servers.toolbox(profile).await,
                Purpose::Check | Purpose::Look => self.servers.look(profile),
            }
        });
        Arc::new(Joined::new(own, futures_util::future::join_all(tools).await))
    }

    /// The agent's model, with its key read now, so that a changed key counts from the next run on.
    async fn model(&self, profile: &AgentProfile) -> Result<Arc<dyn Model>, Failure> {
        let Some(endpoint) = profile.model.endpoint() else { return Ok(Arc::new(rehearsal::model())) };
        let missing = |text| Failure { kind: FailureKind::Agent, text };
        let key = self.keys.read(profile.id, Kept::Key, endpoint.key).await.map_err(missing)?;
        let secrets = self.keys.of_headers(profile).await.map_err(missing)?;
        let model = Remote::new(endpoint.format, endpoint.base_url, endpoint.model, key)?;
        Ok(Arc::new(model.with_settings(&profile.asking, secrets)?))
    }
}

/// The model of an outfit that is only looked at.
struct NotAsked;

#[async_trait]
impl Model for NotAsked {
    async fn reply(&self, _: Prompt, _: Deltas) -> Result<ModelReply, Failure> {
        Err(Failure { kind: FailureKind::Agent, text: "only a run asks a model".to_owned() })
    }
}

#[async_trait]
impl Confining for Wardrobe {
    async fn offered(&self) -> Offered {
        let helper = self.helper.clone();
        let tried = tokio::task::spawn_blocking(move || helper.map(|helper| helper.offered().clone())).await;
        let nothing = |why: String| Offered { files: Err(why.clone()), network: Err(why) };
        tried.map_or_else(|_| nothing("it couldn't be tried".to_owned()), |tried| tried.unwrap_or_else(nothing))
    }
}

#[async_trait]
impl Outfitter for Wardrobe {
    async fn outfit(
        &self,
        profile: &AgentProfile,
        servers: &[ServerProfile],
        purpose: Purpose,
    ) -> Result<Outfit, Failure> {
        let own = self.toolbox(profile).await?;
        let model = match purpose {
            Purpose::Run | Purpose::Check => self.model(profile).await?,
            Purpose::Look => Arc::new(NotAsked),
        };
        let toolbox = if servers.is_empty() { own } else { self.joined(own, servers, purpose).await };
        Ok(Outfit { model, toolbox, guards: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use countersign_core::agent::{KeySource, ModelChoice, WireFormat};
    use countersign_core::ids::AgentId;
    use countersign_core::mode::Mode;
    use countersign_core::policy::AgentPolicy;

    use super::*;

    fn profile(folder: &std::path::Path, model: ModelChoice) -> AgentProfile {
        AgentProfile {
            id: AgentId([1; 16]),
            revision: 1,
            name: "Tester".to_owned(),
            instructions: String::new(),
            model,
            folder: folder.to_string_lossy().into_owned(),
            start_mode: Mode::Default,
            rounds: 25,
            tools: ToolSet::All,
            sub_agents: Vec::new(),
            caps: countersign_core::run::Caps::default(),
            policy: AgentPolicy::default(),
            commands: countersign_core::confine::CommandSettings::default(),
            servers: Vec::new(),
            asking: countersign_core::asking::ModelSettings::default(),
            reaches: countersign_core::fetch::Reaches::default(),
        }
    }

    fn wardrobe(paths: &Paths) -> Wardrobe {
        let keys = MachineKeys::new(paths.keys());
        let servers = Servers::new(Arc::new(crate::servers::KeptSecrets(keys.clone())));
        Wardrobe::new(keys, servers, paths)
    }

    fn endpoint(key: KeySource) -> ModelChoice {
        ModelChoice::at(WireFormat::OpenAiChat, "http://127.0.0.1:9/v1".to_owned(), "m".to_owned(), key)
    }

    #[tokio::test]
    async fn what_is_missing_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let mut paths = Paths::find(Some(&data)).unwrap();
        paths.runtime = folder.path().join("run");
        paths.make().unwrap();
        let work = folder.path().join("work");
        std::fs::create_dir(&work).unwrap();
        let wardrobe = wardrobe(&paths);

        let outfit = wardrobe.outfit(&profile(&work, endpoint(KeySource::None)), &[], Purpose::Run).await;
        let tools = outfit.map(|outfit| outfit.toolbox.tools().len());
        assert_eq!(tools.ok(), Some(countersign_tools::shape::catalogue().len()));
        assert!(wardrobe.outfit(&profile(&work, ModelChoice::Scripted), &[], Purpose::Run).await.is_ok());
        for format in WireFormat::ALL {
            let model = |address: &str| ModelChoice::at(format, address.to_owned(), "m".to_owned(), KeySource::None);
            assert!(
                wardrobe.outfit(&profile(&work, model("http://127.0.0.1:9/v1")), &[], Purpose::Run).await.is_ok(),
                "{format:?}"
            );
            let failure = wardrobe.outfit(&profile(&work, model("nowhere")), &[], Purpose::Run).await.err().unwrap();
            assert_eq!(failure.kind, FailureKind::Agent, "{format:?}: {failure:?}");
        }

        let missing = KeySource::Env { name: "COUNTERSIGN_NO_SUCH_KEY".to_owned() };
        for (folder, key, kind, word) in [
            (work.join("gone"), KeySource::None, FailureKind::Folder, "gone"),
            (data.clone(), KeySource::None, FailureKind::Folder, "Countersign's own folder"),
            (folder.path().to_owned(), KeySource::None, FailureKind::Folder, "Countersign's own folder"),
            (work.clone(), KeySource::File, FailureKind::Agent, "key"),
            (work.clone(), missing, FailureKind::Agent, "COUNTERSIGN_NO_SUCH_KEY"),
        ] {
            for purpose in [Purpose::Run, Purpose::Check] {
                let profile = profile(&folder, endpoint(key.clone()));
                let failure = wardrobe.outfit(&profile, &[], purpose).await.err().unwrap();
                assert_eq!(failure.kind, kind, "{failure:?}");
                assert!(failure.text.contains(word), "{failure:?}");
            }
        }
        // Who only looks at tools needs no key, and nobody reads it for that.
        assert!(wardrobe.outfit(&profile(&work, endpoint(KeySource::File)), &[], Purpose::Look).await.is_ok());
    }
}
