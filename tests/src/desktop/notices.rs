//! A notification server: it keeps what it is told to show, and presses what a test asks it to press.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::runtime::Runtime;
use zbus::Connection;
use zbus::object_server::SignalEmitter;
use zbus::zvariant::OwnedValue;

const NAME: &str = "org.freedesktop.Notifications";
const PLACE: &str = "/org/freedesktop/Notifications";

/// A notification on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The server's id.
    pub id: u32,
    /// First line.
    pub title: String,
    /// Second line, as it was sent.
    pub body: String,
    /// Keys and labels of its buttons.
    pub actions: Vec<(String, String)>,
    /// How often it was replaced.
    pub replaced: u32,
}

/// The server.
pub(super) struct Notices {
    connection: Connection,
    shown: Arc<Mutex<Vec<Shown>>>,
    told: Arc<Mutex<Vec<Shown>>>,
}

impl Notices {
    /// Serves on the bus of the address.
    pub(super) fn serve(runtime: &Runtime, address: &str) -> Self {
        let shown = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::new(Mutex::new(Vec::new()));
        let server = Server { shown: Arc::clone(&shown), told: Arc::clone(&told), last: 0 };
        let connection = runtime.block_on(async {
            zbus::connection::Builder::address(address)?.serve_at(PLACE, server)?.name(NAME)?.build().await
        });
        Self { connection: connection.expect("a notification server on the test's bus"), shown, told }
    }

    /// Takes the name and shows nothing.
    pub(super) fn refuse(runtime: &Runtime, address: &str) -> Self {
        let connection = runtime.block_on(async {
            let connection = zbus::connection::Builder::address(address)?.build().await?;
            // With an object server it answers, namely that it has nothing.
            let _ = connection.object_server();
            connection.request_name(NAME).await?;
            Ok::<_, zbus::Error>(connection)
        });
        Self {
            connection: connection.expect("a connection to the test's bus"),
            shown: Arc::default(),
            told: Arc::default(),
        }
    }

    pub(super) fn shown(&self) -> Vec<Shown> {
        self.shown.lock().expect("the list of notifications").clone()
    }

    pub(super) fn told(&self) -> Vec<Shown> {
        self.told.lock().expect("the list of notifications").clone()
    }

    pub(super) fn press(&self, runtime: &Runtime, notice: &Shown, label: &str) {
        let key = if label.is_empty() {
            "default"
        } else {
            let button = notice.actions.iter().find(|(key, is)| is == label && key != "default");
            &button.unwrap_or_else(|| panic!("no button `{label}` on {notice:?}")).0
        };
        let pressed = runtime.block_on(async {
            let emitter = SignalEmitter::new(&self.connection, PLACE)?;
            Server::action_invoked(&emitter, notice.id, key).await
        });
        pressed.expect("the press goes out");
    }
}

struct Server {
    shown: Arc<Mutex<Vec<Shown>>>,
    told: Arc<Mutex<Vec<Shown>>>,
    last: u32,
}

#[zbus::interface(name = "org.freedesktop.Notifications")]
impl Server {
    #[allow(clippy::too_many_arguments, reason = "the standard has so many")]
    fn notify(
        &mut self,
        _app: &str,
        replaces: u32,
        _icon: &str,
        title: &str,
        body: &str,
        actions: Vec<String>,
        _hints: HashMap<String, OwnedValue>,
        _timeout: i32,
    ) -> u32 {
        let actions = actions.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
        let mut notice = Shown { id: replaces, title: title.to_owned(), body: body.to_owned(), actions, replaced: 0 };
        let mut shown = self.shown.lock().expect("the list of notifications");
        if let Some(before) = shown.iter_mut().find(|before| before.id == replaces) {
            notice.replaced = before.replaced + 1;
            *before = notice.clone();
            self.told.lock().expect("the list of notifications").push(notice);
            return replaces;
        }
        self.last += 1;
        notice.id = self.last;
        self.told.lock().expect("the list of notifications").push(notice.clone());
        shown.push(notice);
        self.last
    }

    async fn close_notification(&mut self, id: u32, #[zbus(signal_emitter)] emitter: SignalEmitter<'_>) {
        self.shown.lock().expect("the list of notifications").retain(|notice| notice.id != id);
        // Whoever asked may be gone by now.
        let _ = Self::notification_closed(&emitter, id, 3).await;
    }

    fn get_capabilities(&self) -> Vec<&str> {
        vec!["actions", "body", "body-markup", "persistence"]
    }

    fn get_server_information(&self) -> (&str, &str, &str, &str) {
        ("Countersign's tests", "Countersign", "1", "1.2")
    }

    #[zbus(signal)]
    async fn action_invoked(emitter: &SignalEmitter<'_>, id: u32, action: &str) -> zbus::Result<()>;

    #[zbus(signal)]
    async fn notification_closed(emitter: &SignalEmitter<'_>, id: u32, reason: u32) -> zbus::Result<()>;
}
