//! Keys of model endpoints: the system's key store, an environment variable, or a file that the person agreed to.
//!
//! A key is never logged, never put into an error and never goes back to a window. Key stores may ask the person to
//! unlock them, so every call leaves the runtime's threads and ends after a few seconds.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use countersign_api::host::Keys;
use countersign_core::agent::KeySource;
use countersign_core::ids::AgentId;
use secrecy::{ExposeSecret as _, SecretString};

/// The name under which the system's key store files our keys.
const SERVICE: &str = "app.countersign";
/// A name that no agent has, for asking whether the store answers.
const NOBODY: &str = "probe";
/// How long a key store may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest key that is read from a file.
const MOST: u64 = 64 * 1024;

/// Gives the key store's entry of a name.
type Entries = dyn Fn(&str) -> keyring::Result<keyring::Entry> + Send + Sync;

/// Where keys are kept on this machine.
#[derive(Clone)]
pub(crate) struct MachineKeys {
    /// For files, one an agent.
    folder: PathBuf,
    entries: Arc<Entries>,
}

impl MachineKeys {
    /// With the system's key store, and files in the folder.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, entries: Arc::new(|name| keyring::Entry::new(SERVICE, name)) }
    }

    /// An agent's key, read now; none where the endpoint wants none.
    ///
    /// # Errors
    /// Words for the person: what is missing and what to do.
    pub(crate) async fn read(&self, agent: AgentId, source: &KeySource) -> Result<Option<SecretString>, String> {
        self.read_named(agent.to_string(), source).await
    }

    /// What is kept under a name, read now; none where nothing is wanted.
    ///
    /// # Errors
    /// Words for the person: what is missing and what to do.
    pub(crate) async fn read_named(&self, name: String, source: &KeySource) -> Result<Option<SecretString>, String> {
        match source {
            KeySource::None => Ok(None),
            KeySource::Env { name } => from_environment(name).map(Some),
            KeySource::Keyring => {
                let key = self.ask_store(name, |entry| match entry.get_password() {
                    Ok(key) => Ok(Some(SecretString::from(key))),
                    Err(keyring::Error::NoEntry) => Ok(None),
                    Err(error) => Err(error),
                });
                key.await?.map(Some).ok_or_else(|| {
                    "the system's key store holds nothing for this; type it again in Settings".to_owned()
                })
            }
            KeySource::File => {
                let file = self.file(&name);
                let key = tokio::task::spawn_blocking(move || read_file(&file)).await;
                key.map_err(|_| "the key file couldn't be read".to_owned())?.map(Some)
            }
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Keeps something under a name. An environment variable is only checked.
    ///
    /// # Errors
    /// Words for the person.
    pub(crate) async fn keep_named(&self, name: String, source: &KeySource, key: &str) -> Result<(), String> {
        let key = SecretString::from(key.trim());
        match source {
            KeySource::None => Ok(()),
            KeySource::Env { name } => from_environment(name).map(|_| ()),
            KeySource::Keyring => self.ask_store(name, move |entry| entry.set_password(key.expose_secret())).await,
            KeySource::File => {
                let file = self.file(&name);
                let written = tokio::task::spawn_blocking(move || write_file(&file, &key)).await;
                match written {
                    Ok(Ok(())) => Ok(()),
                    Ok(Err(error)) => Err(format!("the key file can't be written: {error}")),
                    Err(_) => Err("the key file can't be written".to_owned()),
                }
            }
        }
    }

    /// Removes what is kept under a name, wherever it is.
    pub(crate) async fn forget_named(&self, name: String) {
        let file = self.file(&name);
        let removed = self.ask_store(name, |entry| match entry.delete_credential() {
            Ok(()) | Err(keyring::Error::NoEntry) => Ok(()),
            Err(error) => Err(error),
        });
        if let Err(error) = removed.await {
            tracing::info!(error, "a key may be left in the system's key store");
        }
        match tokio::fs::remove_file(file).await {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => tracing::warn!(%error, "a key file is left"),
        }
    }

    /// Does something with an entry of the key store, on another thread and not for long.
    async fn ask_store<T: Send + 'static>(
        &self,
        name: String,
        what: impl FnOnce(keyring::Entry) -> keyring::Result<T> + Send + 'static,
    ) -> Result<T, String> {
        let entries = Arc::clone(&self.entries);
        let asked = tokio::task::spawn_blocking(move || entries(&name).and_then(what));
        match tokio::time::timeout(PATIENCE, asked).await {
            Ok(Ok(Ok(answer))) => Ok(answer),
            Ok(Ok(Err(error))) => Err(words(&error)),
            Ok(Err(_)) => Err("the system's key store broke down".to_owned()),
            Err(_) => Err("the system's key store doesn't answer; unlock it and try again".to_owned()),
        }
    }
}

#[async_trait]
impl Keys for MachineKeys {
    async fn keep(&self, agent: AgentId, source: &KeySource, key: &str) -> Result<(), String> {
        self.keep_named(agent.to_string(), source, key).await
    }

    async fn forget(&self, agent: AgentId) {
        self.forget_named(agent.to_string()).await;
    }

    async fn probe(&self) -> Result<(), String> {
        self.ask_store(NOBODY.to_owned(), |entry| match entry.get_secret() {
            Ok(_) | Err(keyring::Error::NoEntry) => Ok(()),
            Err(error) => Err(error),
        })
        .await
    }
}

fn from_environment(name: &str) -> Result<SecretString, String> {
    match std::env::var(name) {
        Ok(key) if !key.trim().is_empty() => Ok(SecretString::from(key.trim())),
        Ok(_) | Err(_) => Err(format!(
            "the environment variable `{name}` isn't set where Countersign was started; set it and start Countersign again"
        )),
    }
}

fn read_file(file: &std::path::Path) -> Result<SecretString, String> {
    let fault = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            "there is no key file for this agent; type the key again in the agent's settings".to_owned()
        }
        _ => format!("the key file can't be read: {error}"),
    };
    let metadata = std::fs::metadata(file).map_err(fault)?;
    if metadata.permissions().mode() & 0o077 != 0 {
        return Err("the key file can be read by others; make it private (chmod 600) or type the key again".to_owned());
    }
    if metadata.len() > MOST {
        return Err("the key file is too long to be a key".to_owned());
    }
    let key = std::fs::read_to_string(file).map_err(fault)?;
    Ok(SecretString::from(key.trim()))
}

/// Written beside and renamed, so that a full disk leaves the old key.
fn write_file(file: &std::path::Path, key: &SecretString) -> std::io::Result<()> {
    let beside = file.with_extension("new");
    match std::fs::remove_file(&beside) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut new = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
    new.write_all(key.expose_secret().as_bytes())?;
    new.sync_all()?;
    std::fs::rename(&beside, file)
}

/// What a key store said, for the person. What it held is never quoted.
fn words(error: &keyring::Error) -> String {
    match error {
        keyring::Error::NoStorageAccess(_) => {
            "the system's key store is locked or not allowed; unlock it and try again".to_owned()
        }
        keyring::Error::NoDefaultStore => {
            "this system has no key store; use an environment variable or a file".to_owned()
        }
        keyring::Error::NoEntry => "the system's key store holds no such key".to_owned(),
        keyring::Error::PlatformFailure(error) => format!("the system's key store can't be used: {error}"),
        _ => "the system's key store can't be used".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGENT: AgentId = AgentId([7; 16]);

    fn keys(folder: &std::path::Path) -> MachineKeys {
        let store: Arc<keyring_core::CredentialStore> = keyring_core::mock::Store::new().unwrap();
        let entries = move |name: &str| {
            keyring_core::Entry::new_in_store(&store, SERVICE, name).map(|inner| keyring::Entry { inner })
        };
        MachineKeys { folder: folder.to_owned(), entries: Arc::new(entries) }
    }

    fn exposed(key: Result<Option<SecretString>, String>) -> Result<Option<String>, String> {
        key.map(|key| key.map(|key| key.expose_secret().to_owned()))
    }

    #[tokio::test]
    async fn a_key_is_kept_read_and_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let keys = keys(folder.path());
        assert_eq!(keys.probe().await, Ok(()), "a store without our probe is healthy");
        for source in [KeySource::Keyring, KeySource::File] {
            assert!(keys.read(AGENT, &source).await.is_err(), "{source:?}: nothing is kept yet");
            keys.keep(AGENT, &source, " sk-first\n").await.unwrap();
            keys.keep(AGENT, &source, "sk-second").await.unwrap();
            assert_eq!(exposed(keys.read(AGENT, &source).await), Ok(Some("sk-second".to_owned())));
            keys.forget(AGENT).await;
            assert!(keys.read(AGENT, &source).await.is_err(), "{source:?}: it is forgotten");
            keys.forget(AGENT).await;
        }
        assert_eq!(exposed(keys.read(AGENT, &KeySource::None).await), Ok(None));
    }

    #[tokio::test]
    async fn a_key_file_is_for_the_person_alone() {
        let folder = tempfile::tempdir().unwrap();
        let keys = keys(folder.path());
        keys.keep(AGENT, &KeySource::File, "sk-secret").await.unwrap();
        let file = keys.file(&AGENT.to_string());
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        let error = keys.read(AGENT, &KeySource::File).await.unwrap_err();
        assert!(error.contains("read by others") && !error.contains("sk-secret"), "{error}");
    }

    #[tokio::test]
    async fn an_environment_variable_is_read_and_never_written() {
        let folder = tempfile::tempdir().unwrap();
        let keys = keys(folder.path());
        let set = KeySource::Env { name: "PATH".to_owned() };
        assert_eq!(keys.keep(AGENT, &set, "").await, Ok(()));
        assert!(exposed(keys.read(AGENT, &set).await).unwrap().is_some());
        let missing = KeySource::Env { name: "COUNTERSIGN_NO_SUCH_KEY".to_owned() };
        let error = keys.keep(AGENT, &missing, "sk-typed").await.unwrap_err();
        assert!(error.contains("COUNTERSIGN_NO_SUCH_KEY") && !error.contains("sk-typed"), "{error}");
        assert!(std::env::var_os("COUNTERSIGN_NO_SUCH_KEY").is_none());
    }
}
