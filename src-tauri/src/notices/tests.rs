//! Against a server of our own on a bus of its own. The bus is named by an environment variable, which a test can't
//! set for itself, so each test starts itself again under `dbus-run-session`.

#![allow(
    clippy::used_underscore_binding,
    clippy::unused_self,
    reason = "the standard says what a server is told, and the macro hands all of it on"
)]

use std::collections::HashMap;
use std::process::Command;
use std::time::Duration;

use countersign_core::ids::RequestId;
use countersign_engine::ports::PressedBy;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use zbus::object_server::SignalEmitter;
use zbus::zvariant::OwnedValue;

use super::*;

const FIRST: ConversationId = ConversationId([1; 16]);

/// What the server was told.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Told {
    Notify { replaces: u32, id: u32, title: String, body: String, actions: Vec<String> },
    Close(u32),
}

/// When the server presses by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Presses {
    Never,
    /// Before it answers, which no person can.
    BeforeTheAnswer,
    /// 20 ms after the notification came.
    SoonAfter,
}

struct Server {
    told: UnboundedSender<Told>,
    last: u32,
    presses: Presses,
}

#[zbus::interface(name = "org.freedesktop.Notifications")]
impl Server {
    #[allow(clippy::too_many_arguments, reason = "the standard has so many")]
    async fn notify(
        &mut self,
        _app: &str,
        replaces: u32,
        _icon: &str,
        title: &str,
        body: &str,
        actions: Vec<String>,
        _hints: HashMap<String, OwnedValue>,
        _timeout: i32,
        #[zbus(signal_emitter)] emitter: SignalEmitter<'_>,
    ) -> u32 {
        let id = if replaces == 0 { self.last + 1 } else { replaces };
        self.last = self.last.max(id);
        self.told.send(Told::Notify { replaces, id, title: title.to_owned(), body: body.to_owned(), actions }).unwrap();
        match self.presses {
            Presses::Never => {}
            Presses::BeforeTheAnswer => Self::action_invoked(&emitter, id, "default").await.unwrap(),
            Presses::SoonAfter => {
                let emitter = emitter.to_owned();
                tokio::spawn(async move {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    Self::action_invoked(&emitter, id, "default").await.unwrap();
                });
            }
        }
        id
    }

    async fn close_notification(&mut self, id: u32, #[zbus(signal_emitter)] emitter: SignalEmitter<'_>) {
        self.told.send(Told::Close(id)).unwrap();
        Self::notification_closed(&emitter, id, 3).await.unwrap();
    }

    fn get_capabilities(&self) -> Vec<&str> {
        vec!["actions", "body", "body-markup"]
    }

    fn get_server_information(&self) -> (&str, &str, &str, &str) {
        ("fake", "Countersign", "1", "1.2")
    }

    #[zbus(signal)]
    async fn action_invoked(emitter: &SignalEmitter<'_>, id: u32, action: &str) -> zbus::Result<()>;

    #[zbus(signal)]
    async fn notification_closed(emitter: &SignalEmitter<'_>, id: u32, reason: u32) -> zbus::Result<()>;
}

async fn serve(presses: Presses) -> (zbus::Connection, UnboundedReceiver<Told>) {
    let (told, receiver) = unbounded_channel();
    let connection = zbus::connection::Builder::session()
        .unwrap()
        .serve_at(bus::PLACE, Server { told, last: 0, presses })
        .unwrap()
        .name(bus::NAME)
        .unwrap()
        .build()
        .await
        .unwrap();
    (connection, receiver)
}

fn notices() -> (DesktopNotices, UnboundedReceiver<NoticePress>) {
    let folder = tempfile::tempdir().unwrap().keep();
    notices_in(&folder)
}

fn notices_in(folder: &Path) -> (DesktopNotices, UnboundedReceiver<NoticePress>) {
    let (presses, receiver) = unbounded_channel();
    (DesktopNotices::new(presses, folder), receiver)
}

fn notice(token: &str, offers: &[NoticeAction]) -> Notice {
    Notice {
        conversation: FIRST,
        opens: RequestId([2; 16]),
        title: "Nightly check wants to run a command".to_owned(),
        body: "echo a < b && true".to_owned(),
        offers: offers.to_vec(),
        tone: Tone::Normal,
        sound: None,
        token: token.to_owned(),
    }
}

/// Waits, but not for ever: what doesn't come fails the test instead of hanging it.
async fn soon<T>(what: impl Future<Output = Option<T>>) -> T {
    tokio::time::timeout(Duration::from_secs(30), what).await.expect("it comes in time").expect("it comes")
}

/// Runs the body on a bus of its own, by starting this very test again.
pub(crate) fn on_a_bus_of_its_own<F: Future<Output = ()>>(module: &str, name: &str, body: impl FnOnce() -> F) {
    if std::env::var_os("COUNTERSIGN_TEST_BUS").is_some() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        return runtime.block_on(body());
    }
    let status = Command::new("dbus-run-session")
        .arg("--")
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", &format!("{module}::tests::{name}"), "--nocapture"])
        .env("COUNTERSIGN_TEST_BUS", "1")
        .status()
        .expect("dbus-run-session is there; Debian's package is called dbus");
    assert!(status.success(), "{name} on a bus of its own");
}

#[test]
fn no_press_is_lost() {
    on_a_bus_of_its_own("notices", "no_press_is_lost", || async {
        for presses in [Presses::SoonAfter, Presses::BeforeTheAnswer] {
            let (server, _told) = serve(presses).await;
            let (notices, mut pressed) = notices();
            for round in 0..20 {
                let token = format!("{presses:?}{round}");
                notices.show(notice(&token, &[])).await.unwrap();
                let press = soon(pressed.recv()).await;
                let (action, by) = (NoticeAction::Review, PressedBy::Click);
                assert_eq!(press, NoticePress { conversation: FIRST, token, action, by });
            }
            assert!(pressed.try_recv().is_err(), "each press counts once");
            server.release_name(bus::NAME).await.unwrap();
        }
    });
}

#[test]
fn a_notice_is_shown_replaced_and_withdrawn() {
    on_a_bus_of_its_own("notices", "a_notice_is_shown_replaced_and_withdrawn", || async {
        let (server, mut told) = serve(Presses::Never).await;
        let (notices, mut pressed) = notices();
        let capabilities = notices.capabilities().await;
        assert_eq!((capabilities.server.as_deref(), capabilities.actions), (Some("fake"), true));
        assert_eq!(capabilities.can, ["actions", "body", "body-markup"]);

        notices.show(notice("a", &[NoticeAction::Reject, NoticeAction::Approve])).await.unwrap();
        let actions = ["default", "Review", "review:a", "Review", "reject:a", "Reject", "approve:a", "Approve"]
            .map(str::to_owned)
            .to_vec();
        let title = "Nightly check wants to run a command".to_owned();
        let body = "echo a &lt; b &amp;&amp; true".to_owned();
        let first = Told::Notify { replaces: 0, id: 1, title: title.clone(), body: body.clone(), actions };
        assert_eq!(soon(told.recv()).await, first);

        notices.show(notice("b", &[])).await.unwrap();
        let actions = ["default", "Review", "review:b", "Review"].map(str::to_owned).to_vec();
        assert_eq!(soon(told.recv()).await, Told::Notify { replaces: 1, id: 1, title, body, actions });

        let emitter = SignalEmitter::new(&server, bus::PLACE).unwrap();
        Server::action_invoked(&emitter, 1, "reject:a").await.unwrap();
        let stale = soon(pressed.recv()).await;
        assert_eq!(stale.token, "a", "who receives a press of an older showing can tell it by its token");
        Server::action_invoked(&emitter, 1, "review:b").await.unwrap();
        assert_eq!(soon(pressed.recv()).await.token, "b");

        notices.withdraw(FIRST).await;
        assert_eq!(soon(told.recv()).await, Told::Close(1));
        notices.withdraw(FIRST).await;
        notices.show(notice("c", &[])).await.unwrap();
        let next = soon(told.recv()).await;
        assert!(matches!(next, Told::Notify { replaces: 0, id: 2, .. }), "a withdrawn one isn't replaced: {next:?}");
    });
}

#[test]
fn a_desktop_without_notifications_says_so_until_there_are_some() {
    on_a_bus_of_its_own("notices", "a_desktop_without_notifications_says_so_until_there_are_some", || async {
        // A real server may be started by asking for it, so the name is taken by somebody who serves nothing.
        let holder = zbus::Connection::session().await.unwrap();
        // With an object server it answers, namely that it has nothing.
        let _ = holder.object_server();
        holder.request_name(bus::NAME).await.unwrap();
        let (notices, _pressed) = notices();
        assert_eq!(notices.capabilities().await, NoticeCapabilities::default());
        assert!(notices.show(notice("a", &[])).await.is_err());
        holder.release_name(bus::NAME).await.unwrap();

        let (server, mut told) = serve(Presses::Never).await;
        notices.show(notice("b", &[])).await.unwrap();
        assert!(matches!(soon(told.recv()).await, Told::Notify { id: 1, .. }));
        server.release_name(bus::NAME).await.unwrap();

        let (_server, mut told) = serve(Presses::Never).await;
        let forgotten = async {
            while lock(&notices.0.server).is_some() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            Some(())
        };
        soon(forgotten).await;
        notices.show(notice("c", &[])).await.unwrap();
        let next = soon(told.recv()).await;
        assert!(matches!(next, Told::Notify { replaces: 0, .. }), "a new server knows no old id: {next:?}");
    });
}

#[test]
fn accept_21_what_a_process_that_died_left_is_taken_away_at_the_next_start() {
    on_a_bus_of_its_own(
        "notices",
        "accept_21_what_a_process_that_died_left_is_taken_away_at_the_next_start",
        || async {
            let (_server, mut told) = serve(Presses::Never).await;
            let folder = tempfile::tempdir().unwrap();
            let (notices, _pressed) = notices_in(folder.path());
            notices.show(notice("a", &[])).await.unwrap();
            assert!(matches!(soon(told.recv()).await, Told::Notify { id: 1, .. }));
            // It dies: nothing is withdrawn.
            let (notices, _pressed) = notices_in(folder.path());
            notices.show(notice("b", &[])).await.unwrap();
            assert_eq!(soon(told.recv()).await, Told::Close(1));
            assert!(matches!(soon(told.recv()).await, Told::Notify { replaces: 0, id: 2, .. }));
            notices.withdraw(FIRST).await;
            assert_eq!(soon(told.recv()).await, Told::Close(2));
            let (notices, _pressed) = notices_in(folder.path());
            notices.capabilities().await;
            assert!(told.try_recv().is_err(), "what was withdrawn isn't taken away again");
        },
    );
}

#[test]
fn a_sound_goes_along_where_the_server_plays_it_and_a_passive_one_is_low() {
    let server = |can: &[&str]| crate::notices::Server {
        name: "s".to_owned(),
        owner: String::new(),
        can: can.iter().map(|one| (*one).to_owned()).collect(),
    };
    assert!(server(&["sound"]).sound() && !server(&[]).sound());
    assert_eq!(sound_hint(Some(Path::new("/run/x.wav"))), Hint::SoundFile("/run/x.wav".to_owned()));
    assert_eq!(sound_hint(None), Hint::SuppressSound(true));
    assert_eq!((urgency(Tone::Passive), urgency(Tone::Normal)), (Urgency::Low, Urgency::Normal));
    let passive = written(&notice("a", &[NoticeAction::Undo]), &server(&[]), None, None);
    assert!(passive.actions.is_empty(), "a server without buttons gets none");
}

#[test]
fn a_line_is_plain_and_short() {
    assert_eq!(plain("a\nb\u{1b}[31m"), "a b [31m");
    assert_eq!(plain(&"x".repeat(300)).chars().count(), MOST);
    assert!(plain(&"x".repeat(300)).ends_with('…'));
    assert_eq!(plain(&"x".repeat(MOST)), "x".repeat(MOST));
}
