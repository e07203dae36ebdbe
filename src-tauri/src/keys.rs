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
use countersign_api::host::{Kept, Keys};
use countersign_core::agent::{AgentProfile, KeySource};
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

    /// An agent's key, or the secret of one of its headers, read now; none where the endpoint wants none.
    ///
    /// # Errors
    /// Words for the person: what is missing and what to do.
    pub(crate) async fn read(
        &self,
        agent: AgentId,
        what: Kept<'_>,
        source: &KeySource,
    ) -> Result<Option<SecretString>, String> {
        let read = self.read_named(name(agent, what), source).await;
        read.map_err(|why| match what {
            Kept::Key => why,
            Kept::Header(header) => format!("the header `{header}`: {why}"),
        })
    }

    /// The secrets of an agent's headers, with the headers' names.
    ///
    /// # Errors
    /// Words for the person: what is missing and what to do.
    pub(crate) async fn of_headers(&self, profile: &AgentProfile) -> Result<Vec<(String, SecretString)>, String> {
        let Some(endpoint) = profile.model.endpoint() else { return Ok(Vec::new()) };
        let mut secrets = Vec::new();
        for header in &profile.asking.headers {
            let Some(source) = header.source(endpoint.key) else { continue };
            if let Some(secret) = self.read(profile.id, Kept::Header(&header.name), &source).await? {
                secrets.push((header.name.clone(), secret));
            }
        }
        Ok(secrets)
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
    async fn keep(&self, agent: AgentId, what: Kept<'_>, source: &KeySource, key: &str) -> Result<(), String> {
        self.keep_named(name(agent, what), source, key).await
    }

    async fn forget(&self, agent: AgentId, what: Kept<'_>) {
        self.forget_named(name(agent, what)).await;
    }

    async fn probe(&self) -> Result<(), String> {
        self.ask_store(NOBODY.to_owned(), |entry| match entry.get_secret() {
            Ok(_) | Err(keyring::Error::NoEntry) => Ok(()),
            Err(error) => Err(error),
        })
        .await
    }
}

/// The name under which something of an agent's is kept. A header's name is letters, digits, `-` and `_`, so it can be part of a file's.
fn name(agent: AgentId, what: Kept<'_>) -> String {
    match what {
        Kept::Key => agent.to_string(),
        Kept::Header(header) => format!("{agent}.{}", header.to_ascii_lowercase()),
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
        std::io::ErrorKind::NotFound => "there is no key file for this; type it again in Settings".to_owned(),
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
    // Nothing that is kept has such a name.
    let mut beside = file.as_os_str().to_owned();
    beside.push("~");
    let beside = PathBuf::from(beside);
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
mod tests;
