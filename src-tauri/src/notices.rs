//! Desktop notifications, behind the engine's port: one a conversation, replaced as it changes, withdrawn when nothing
//! waits any more.
//!
//! # Design
//! notify-rust shows and closes them. It listens for presses only after the server has answered, on a connection that
//! it opens for each notification, so a press that comes at once would be lost. Therefore one connection of our own
//! listens from before the first showing, and presses that come before the server told us the id are kept until it
//! has. notify-rust's own listening stays on as well, for servers that tell only the sender; a press that is heard on
//! both ways counts once.
//!
//! What a press does is not decided here. Every button carries the random token of its showing, and who receives the
//! press judges that token.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use countersign_api::words::desktop;
use countersign_core::ids::ConversationId;
use countersign_engine::ports::{Notice, NoticeAction, NoticeCapabilities, NoticePress, Notices, Tone};
use notify_rust::{Hint, Notification, NotificationHandle, NotificationResponse, Timeout, Urgency};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{Mutex as Turn, OnceCell};

use self::book::{Book, Heard};

use self::left::Left;
use crate::chime::Chime;

mod book;
mod bus;
mod left;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use self::tests::on_a_bus_of_its_own;

/// How long the desktop may take for anything.
const PATIENCE: Duration = Duration::from_secs(5);
/// The most characters of a line; more isn't shown anywhere, and some servers choke on it.
const MOST: usize = 200;

/// The desktop's notifications.
#[derive(Clone)]
pub(crate) struct DesktopNotices(Arc<Inner>);

struct Inner {
    book: Mutex<Book<Arc<NotificationHandle>>>,
    presses: UnboundedSender<NoticePress>,
    /// Showing and withdrawing take turns, so that an older notice never replaces a newer one.
    turn: Turn<()>,
    listener: OnceCell<zbus::Connection>,
    server: Mutex<Option<Server>>,
    chime: Chime,
    left: Left,
}

/// What the notification server says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Server {
    name: String,
    /// Who it is on the bus: never given to another one in the same session.
    owner: String,
    /// What it says it can.
    can: Vec<String>,
}

impl Server {
    /// Whether it shows buttons.
    fn actions(&self) -> bool {
        self.has("actions")
    }

    /// Whether it reads the body as markup, so that ours must be escaped.
    fn markup(&self) -> bool {
        self.has("body-markup")
    }

    /// Whether it plays the sound that goes along.
    fn sound(&self) -> bool {
        self.has("sound")
    }

    fn has(&self, wanted: &str) -> bool {
        self.can.iter().any(|one| one == wanted)
    }
}

impl DesktopNotices {
    /// Presses go to the channel, in the order in which they were heard. `folder` holds the sound, and what is shown for the case
    /// that this process dies.
    pub(crate) fn new(presses: UnboundedSender<NoticePress>, folder: &Path) -> Self {
        Self(Arc::new(Inner {
            book: Mutex::new(Book::default()),
            presses,
            turn: Turn::new(()),
            listener: OnceCell::new(),
            server: Mutex::new(None),
            chime: Chime::in_folder(folder),
            left: Left::at(folder.join("shown-notifications")),
        }))
    }

    /// The server, asked once and again after it was replaced.
    async fn server(&self) -> Result<Server, String> {
        // The listener comes first: it must hear the first press, and it notices when the server is replaced.
        let connection = self.0.listener.get_or_try_init(|| bus::listen(Arc::downgrade(&self.0))).await?;
        if let Some(server) = lock(&self.0.server).clone() {
            return Ok(server);
        }
        let server = bus::ask(connection).await?;
        *lock(&self.0.server) = Some(server.clone());
        for id in self.0.left.take(&server.owner) {
            bus::close(connection, id).await;
        }
        Ok(server)
    }
}

impl Inner {
    fn heard(&self, heard: Heard) {
        let press = lock(&self.book).hear(heard);
        self.report(press);
    }

    fn report(&self, presses: impl IntoIterator<Item = NoticePress>) {
        for press in presses {
            tracing::info!(conversation = %press.conversation, action = ?press.action, "a notification was pressed");
            if self.presses.send(press).is_err() {
                tracing::warn!("nobody takes presses of notifications any more");
            }
        }
    }

    /// Notes what is shown now.
    fn note(&self) {
        let owner = lock(&self.server).as_ref().map(|server| server.owner.clone());
        if let Some(owner) = owner {
            self.left.keep(&owner, &lock(&self.book).ids());
        }
    }

    /// The server was replaced: its ids mean nothing to the next one.
    fn server_changed(&self) {
        *lock(&self.server) = None;
        lock(&self.book).forget();
    }
}

#[async_trait]
impl Notices for DesktopNotices {
    async fn show(&self, notice: Notice) -> Result<(), String> {
        let _turn = self.0.turn.lock().await;
        let server = self.server().await?;
        let replaces = lock(&self.0.book).begin(notice.conversation, &notice.token);
        let sound = notice.sound.filter(|_| server.sound()).and_then(|volume| self.0.chime.file(volume).ok());
        let written = written(&notice, &server, replaces, sound.as_deref());
        let shown = tokio::time::timeout(PATIENCE, written.show_async()).await;
        let refused = match shown {
            Ok(Ok(handle)) => {
                let handle = Arc::new(handle);
                let early = lock(&self.0.book).shown(handle.id(), Arc::clone(&handle));
                self.0.report(early);
                self.0.note();
                if let (Some(volume), None) = (notice.sound, sound) {
                    self.chime(volume).await;
                }
                tokio::spawn(listen_on_its_own_connection(handle, Arc::downgrade(&self.0)));
                return Ok(());
            }
            Ok(Err(error)) => format!("the desktop refused a notification: {error}"),
            Err(_) => format!("{} didn't answer in time", server.name),
        };
        let early = lock(&self.0.book).give_up();
        self.0.report(early);
        Err(refused)
    }

    async fn withdraw(&self, conversation: ConversationId) {
        let _turn = self.0.turn.lock().await;
        let handle = lock(&self.0.book).withdraw(conversation);
        if let Some(handle) = handle
            && tokio::time::timeout(PATIENCE, handle.close_async()).await.is_err()
        {
            tracing::warn!("the desktop didn't take a notification away in time");
        }
        self.0.note();
    }

    async fn capabilities(&self) -> NoticeCapabilities {
        match self.server().await {
            Ok(server) => NoticeCapabilities { actions: server.actions(), server: Some(server.name), can: server.can },
            Err(error) => {
                tracing::debug!(error, "there are no notifications");
                NoticeCapabilities::default()
            }
        }
    }

    async fn chime(&self, volume: u8) {
        let chime = self.0.chime.clone();
        // Nothing waits for a player to end.
        tokio::spawn(async move { chime.play(volume).await });
    }
}

/// The notification as the server gets it.
fn written(notice: &Notice, server: &Server, replaces: Option<u32>, sound: Option<&Path>) -> Notification {
    let mut notification = Notification::new();
    let body = plain(&notice.body);
    notification
        .appname("Countersign")
        .icon("countersign")
        .summary(&plain(&notice.title))
        .body(&if server.markup() { escaped(&body) } else { body })
        .urgency(urgency(notice.tone))
        .hint(sound_hint(sound))
        .hint(Hint::DesktopEntry("Countersign".to_owned()))
        .hint(Hint::Resident(true))
        .timeout(Timeout::Never);
    if let Some(id) = replaces {
        notification.id(id);
    }
    if server.actions() {
        // Some servers ignore the default action, so Review is a button as well.
        notification.action("default", &desktop().review());
        for action in [NoticeAction::Review].iter().chain(&notice.offers) {
            let key = book::key(*action);
            notification.action(&format!("{key}:{}", notice.token), &book::label(*action));
        }
    }
    notification
}

fn urgency(tone: Tone) -> Urgency {
    match tone {
        Tone::Passive => Urgency::Low,
        // Never critical: that would break through "do not disturb".
        Tone::Normal => Urgency::Normal,
    }
}

/// Ours is the only sound, and it is there when it was asked for.
fn sound_hint(file: Option<&Path>) -> Hint {
    match file {
        Some(file) => Hint::SoundFile(file.to_string_lossy().into_owned()),
        None => Hint::SuppressSound(true),
    }
}

/// Without control characters, and no longer than a notification shows.
fn plain(text: &str) -> String {
    let mut plain: String =
        text.chars().map(|character| if character.is_control() { ' ' } else { character }).take(MOST).collect();
    if text.chars().nth(MOST).is_some() {
        plain.pop();
        plain.push('…');
    }
    plain
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Hears what the server tells only the connection that showed the notification, until it is closed.
async fn listen_on_its_own_connection(handle: Arc<NotificationHandle>, inner: std::sync::Weak<Inner>) {
    let id = handle.id();
    loop {
        let mut heard = None;
        handle
            .wait_for_action_async(|response: &NotificationResponse| {
                heard = Some(match response {
                    NotificationResponse::Default => Heard::Pressed(id, "default".to_owned()),
                    NotificationResponse::Action(action) => Heard::Pressed(id, action.clone()),
                    NotificationResponse::Reply(_) | NotificationResponse::Closed(_) => Heard::Closed(id),
                });
            })
            .await;
        let (Some(heard), Some(inner)) = (heard, inner.upgrade()) else { return };
        let over = matches!(heard, Heard::Closed(_));
        inner.heard(heard);
        if over || !lock(&inner.book).is_current(&handle) {
            return;
        }
    }
}

/// A panic elsewhere leaves the book as it was between two of its own steps, so it can be used on.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
