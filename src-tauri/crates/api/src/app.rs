//! The application as a surface sees it: one method for each command, a feed, and the presses of notifications.

mod answering;
pub mod desktop;
mod past;
mod ruling;
mod verbs;

pub(crate) use verbs::title_of;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use countersign_core::input::Input;
use countersign_engine::engine::AfterCommit;
use tokio::sync::{RwLock, broadcast};

use self::desktop::Around;
use crate::desk::{self, Desk, Looking};
use crate::display::mask::enforce;
use crate::error::refused;
use crate::feed::Feed;
use crate::host::Host;
use crate::rehearsal::Rehearsal;
use crate::wire::settings::Settings;
use crate::wire::window::{ApiError, FeedEvent, FeedWhat, Space};
use crate::words::{say, speak};

/// The name of the setting that holds the settings.
const SETTINGS: &str = "settings";

/// Countersign behind its surfaces.
pub struct Countersign {
    host: Host,
    feed: Arc<Feed>,
    settings: Arc<Mutex<Settings>>,
    looking: Arc<Mutex<Looking>>,
    main: Arc<Desk>,
    rehearsal: RwLock<Option<Arc<Rehearsal>>>,
    logged: Mutex<Option<i64>>,
    around: Around,
}

/// Why Countersign couldn't open.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct OpenTrouble(pub String);

impl Countersign {
    /// Opens the person's own space and settles what a dead process left. Nothing runs by itself.
    ///
    /// # Errors
    /// [`OpenTrouble`] in words for the person: a database of a newer version, a full disk, a folder that can't be used.
    pub async fn open(host: Host) -> Result<Arc<Self>, OpenTrouble> {
        Self::open_observed(host, None).await
    }

    /// As [`Countersign::open`], with a function that is called after every commit of the main space; for tests that
    /// let the process die there.
    ///
    /// # Errors
    /// As [`Countersign::open`].
    pub async fn open_observed(host: Host, after_commit: Option<AfterCommit>) -> Result<Arc<Self>, OpenTrouble> {
        let feed = Arc::new(Feed::new());
        let settings = Arc::new(Mutex::new(Settings::default()));
        let looking = Arc::new(Mutex::new(Looking::default()));
        let path = Self::database(&host);
        let opened = Desk::open(
            Space::Main,
            &path,
            host.clone(),
            Arc::clone(&feed),
            Arc::clone(&settings),
            Arc::clone(&looking),
            after_commit,
        );
        let main = opened.await.map_err(|error| OpenTrouble(message(&error)))?;
        let stored = main.engine.store().setting(SETTINGS).await.map_err(|error| OpenTrouble(error.to_string()))?;
        if let Some(stored) = stored {
            let (read, unread) = Settings::read(&stored);
            if !unread.is_empty() {
                tracing::warn!(?unread, "settings can't be read; for these the defaults hold");
            }
            *settings.lock().unwrap_or_else(PoisonError::into_inner) = read;
        }
        {
            let mut settings = settings.lock().unwrap_or_else(PoisonError::into_inner);
            settings.start_at_login = host.desktop.starts_at_login();
            speak(settings.language);
            enforce(&settings.masks);
        }
        watch_servers(&host, &feed, &main);
        Ok(Arc::new(Self {
            host,
            feed,
            settings,
            looking,
            main,
            rehearsal: RwLock::new(None),
            logged: Mutex::new(None),
            around: Around::default(),
        }))
    }

    /// The settings as they are now.
    pub fn settings(&self) -> Settings {
        self.main.settings()
    }

    /// Listens to the feed.
    pub fn subscribe(&self) -> broadcast::Receiver<FeedEvent> {
        self.feed.listen()
    }

    /// The person was away and is back: what they put aside until then waits again.
    pub async fn person_is_back(&self) {
        let rehearsal = self.rehearsal.read().await.as_ref().map(|rehearsal| Arc::clone(&rehearsal.desk));
        for desk in [Some(Arc::clone(&self.main)), rehearsal].into_iter().flatten() {
            if let Err(error) = crate::later::back(&desk).await {
                tracing::warn!(?error, "what was put aside can't be brought back");
            }
        }
    }

    /// Asks every window to come up with the Inbox.
    pub fn show(&self) {
        self.feed.publish(Space::Main, FeedWhat::Show { request: None });
    }

    /// How many requests wait in the person's own space.
    pub async fn waiting(&self) -> u32 {
        let sets = self.main.sets().await.unwrap_or_default();
        u32::try_from(sets.iter().map(|set| set.rows.len()).sum::<usize>()).unwrap_or(u32::MAX)
    }

    /// Whether a conversation of the person's own space is in Auto.
    pub async fn any_auto(&self) -> bool {
        let conversations = self.main.engine.store().conversations().await.unwrap_or_default();
        conversations.iter().any(|(one, _)| one.mode == countersign_core::mode::Mode::Auto)
    }

    /// Stops everything. What is staged is kept and nothing is sent.
    pub async fn quit(&self) {
        if let Some(rehearsal) = self.rehearsal.write().await.take() {
            rehearsal.desk.close().await;
        }
        self.main.close().await;
        self.host.servers.stop_all().await;
    }

    /// Where the person's own database is.
    pub fn database(host: &Host) -> PathBuf {
        host.data_folder.join("countersign.sqlite")
    }

    async fn desk(&self, space: Space) -> Result<Arc<Desk>, ApiError> {
        match space {
            Space::Main => Ok(Arc::clone(&self.main)),
            Space::Rehearsal => {
                let rehearsal = self.rehearsal.read().await;
                let desk = rehearsal.as_ref().map(|rehearsal| Arc::clone(&rehearsal.desk));
                desk.ok_or_else(|| refused(say().rehearsal_over()))
            }
        }
    }

    async fn input(&self, space: Space, conversation: &str, input: Input) -> Result<(), ApiError> {
        let desk = self.desk(space).await?;
        let of = desk::conversation(conversation)?;
        Ok(desk.engine.input(of, input).await?)
    }
}

/// An error in its words.
pub(crate) fn message(error: &ApiError) -> String {
    match error {
        ApiError::ApprovalClosed { message, .. }
        | ApiError::WouldPassBy { message, .. }
        | ApiError::DigestMismatch { message, .. }
        | ApiError::Busy { message }
        | ApiError::InvalidAnswer { message, .. }
        | ApiError::NotRunning { message }
        | ApiError::NotFound { message }
        | ApiError::Invalid { message, .. }
        | ApiError::Refused { message }
        | ApiError::DiskFull { message }
        | ApiError::Broken { message } => message.clone(),
    }
}

/// Tells the windows whenever a tool server's state or tools change.
fn watch_servers(host: &Host, feed: &Arc<Feed>, main: &Desk) {
    let (mut changed, feed, closing) = (host.servers.changed(), Arc::clone(feed), main.closing.clone());
    tokio::spawn(async move {
        loop {
            tokio::select! {
                () = closing.cancelled() => return,
                changed = changed.changed() => if changed.is_err() { return },
            }
            feed.publish(Space::Main, FeedWhat::Servers);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::request;

    /// A surface runs commands on threads of its own, so every command's future must be able to move between them.
    fn must_move<T: Send>(_: T) {}

    #[expect(dead_code, reason = "compiled, never run: it fails to compile when it fails")]
    fn every_way_in_can_move_between_threads(app: &Countersign, host: Host) {
        must_move(Countersign::open(host));
        must_move(app.start_rehearsal(Space::Main, request::start_rehearsal {}));
        must_move(app.snapshot(Space::Main, request::snapshot {}));
        must_move(app.quit());
    }
}
