//! Tools of servers that the person added: programs and addresses that speak the Model Context Protocol.
//!
//! A [`Servers`] holds one connection a server for the whole app, started when the first run needs it. What a server says is
//! hostile: its messages are bounded ([`pipes`]), its tools are counted and cut ([`listing`]), its hints decide nothing (that is
//! `core::server`), and a server that hangs, floods or dies is a state with words, never a wait without an end.

mod connection;
mod exact;
mod handler;
mod journal;
mod keeper;
mod listing;
mod pipes;
mod result;
mod toolbox;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use countersign_core::agent::KeySource;
use countersign_core::ids::ServerId;
use countersign_core::server::{Definition, ServerProfile};
use secrecy::SecretString;
use tokio::sync::watch;

pub use self::journal::LogLine;
use self::keeper::Keeper;
pub use self::toolbox::{Joined, ServerTools};

/// Gives the values of a server's variables that are kept where keys are kept.
#[async_trait]
pub trait Secrets: Send + Sync {
    /// The value of a variable, read now.
    ///
    /// # Errors
    /// Words for the person: what is missing and what to do.
    async fn read(&self, server: ServerId, variable: &str, from: &KeySource) -> Result<SecretString, String>;
}

/// How a server stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// Nothing needed it yet, or it was stopped.
    Idle,
    /// It is being started.
    Starting,
    /// It answers.
    Running,
    /// It could not be started, or ended by itself.
    Failed {
        /// Why, in words for the person. May quote the server.
        why: String,
        /// In how many seconds it is tried again; none if it isn't, until somebody needs it.
        again_s: Option<u64>,
    },
}

/// Everything that is known of a server now.
#[derive(Debug, Clone)]
pub struct Status {
    /// How it stands.
    pub state: State,
    /// What it says of its tools; of a server that isn't running what it said last.
    pub definitions: Arc<Vec<Definition>>,
    /// What was left out of its list, in words; blank if nothing was.
    pub cut: String,
    /// What it calls itself.
    pub calls_itself: Option<String>,
}

/// All servers that were needed so far. Cheap to clone.
#[derive(Clone)]
pub struct Servers {
    shared: Arc<Shared>,
}

struct Shared {
    secrets: Arc<dyn Secrets>,
    keepers: Mutex<BTreeMap<ServerId, Keeper>>,
    /// How each server is set up now, as far as somebody said; none for one that is gone.
    present: Mutex<BTreeMap<ServerId, Option<Arc<ServerProfile>>>>,
    changed: Arc<watch::Sender<u64>>,
}

impl Servers {
    /// With the place where secret values are kept.
    pub fn new(secrets: Arc<dyn Secrets>) -> Self {
        let (changed, _) = watch::channel(0);
        Self {
            shared: Arc::new(Shared {
                secrets,
                keepers: Mutex::default(),
                present: Mutex::default(),
                changed: Arc::new(changed),
            }),
        }
    }

    /// The tools of a server, which is started if it isn't running; waits until it answers, fails, or its time to start is over.
    /// A server that doesn't come up has the tools that it had last, and its calls say why they can't run. If what it has now can't be
    /// found out, nothing of it is trusted.
    pub async fn toolbox(&self, profile: &ServerProfile) -> ServerTools {
        self.present(profile);
        let fresh = !profile.on || self.keeper(profile).ready().await;
        ServerTools::new(profile.clone(), self.clone(), fresh)
    }

    /// The tools of a server as they are known now; it isn't started for this.
    pub fn look(&self, profile: &ServerProfile) -> ServerTools {
        ServerTools::new(profile.clone(), self.clone(), true)
    }

    /// A server is set up like this from now on: what that tightens holds at once, what it loosens for those who ask anew (D-82).
    pub fn present(&self, profile: &ServerProfile) {
        let mut present = self.shared.present.lock().unwrap_or_else(PoisonError::into_inner);
        let known = present.get(&profile.id).and_then(Option::as_ref).map(|known| known.revision);
        if known.is_none_or(|known| known <= profile.revision) {
            present.insert(profile.id, Some(Arc::new(profile.clone())));
        }
    }

    /// A server isn't there any more: it is stopped, and nobody finds a tool of it.
    pub async fn remove(&self, server: ServerId) {
        self.shared.present.lock().unwrap_or_else(PoisonError::into_inner).insert(server, None);
        self.stop(server).await;
    }

    /// How a server is set up now; none if it is gone.
    fn now(&self, was: &ServerProfile) -> Option<Arc<ServerProfile>> {
        let present = self.shared.present.lock().unwrap_or_else(PoisonError::into_inner);
        present.get(&was.id).cloned().unwrap_or_else(|| Some(Arc::new(was.clone())))
    }

    /// Starts a server without waiting for it, for looking at its tools.
    pub fn wake(&self, profile: &ServerProfile) {
        let keeper = self.keeper(profile);
        if profile.on {
            keeper.want();
        }
    }

    /// How a server stands; none if it was never needed.
    pub fn status(&self, server: ServerId) -> Option<Status> {
        self.lock().get(&server).map(Keeper::status)
    }

    /// What a server wrote to its standard error, and what happened to it; the newest last.
    pub fn log(&self, server: ServerId) -> Vec<LogLine> {
        self.lock().get(&server).map(Keeper::log).unwrap_or_default()
    }

    /// Stops a server and forgets it: it is gone from the settings, or is to be started afresh.
    pub async fn stop(&self, server: ServerId) {
        let keeper = self.lock().remove(&server);
        if let Some(keeper) = keeper {
            keeper.stop().await;
        }
        self.shared.changed.send_modify(|count| *count += 1);
    }

    /// Stops all of them.
    pub async fn stop_all(&self) {
        let keepers = std::mem::take(&mut *self.lock());
        let mut stopping = tokio::task::JoinSet::new();
        for keeper in keepers.into_values() {
            stopping.spawn(async move { keeper.stop().await });
        }
        while stopping.join_next().await.is_some() {}
    }

    /// Counts up whenever a server's state or tools change.
    pub fn changed(&self) -> watch::Receiver<u64> {
        self.shared.changed.subscribe()
    }

    /// The keeper of a server as it is set up now. One that is launched otherwise is another one: the old is stopped.
    fn keeper(&self, profile: &ServerProfile) -> Keeper {
        let mut keepers = self.lock();
        if let Some(keeper) = keepers.get(&profile.id) {
            if keeper.serves(profile) {
                return keeper.clone();
            }
            let old = keeper.clone();
            tokio::spawn(async move { old.stop().await });
        }
        let keeper = Keeper::new(profile, Arc::clone(&self.shared.secrets), Arc::clone(&self.shared.changed));
        keepers.insert(profile.id, keeper.clone());
        keeper
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<ServerId, Keeper>> {
        // The map is whole after every operation on it.
        self.shared.keepers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
