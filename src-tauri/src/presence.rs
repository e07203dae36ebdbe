//! Who is there, asked of the desktop over D-Bus: for how long nothing was touched, whether the screen is locked, and whether
//! the person doesn't want to be disturbed. Each answer is one that somebody whose business it is gave; a hint that many
//! desktops never set counts only where it says the careful thing.

use std::time::Duration;

use async_trait::async_trait;
use countersign_engine::ports::{Attendance, Presence};
use tokio::sync::OnceCell;
use zbus::Connection;
use zbus::fdo::DBusProxy;
use zbus::names::BusName;
use zbus::zvariant::{DynamicType, OwnedValue, Type};

/// How long all of it may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// Those who lock screens, by their names and places on the bus. Each is its own interface.
const LOCKS: [(&str, &str); 6] = [
    ("org.gnome.ScreenSaver", "/org/gnome/ScreenSaver"),
    ("org.cinnamon.ScreenSaver", "/org/cinnamon/ScreenSaver"),
    ("org.mate.ScreenSaver", "/org/mate/ScreenSaver"),
    ("org.xfce.ScreenSaver", "/org/xfce/ScreenSaver"),
    ("org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver"),
    ("org.freedesktop.ScreenSaver", "/ScreenSaver"),
];
const LOGIN: &str = "org.freedesktop.login1";
/// The session of whoever asks.
const SESSION: &str = "/org/freedesktop/login1/session/auto";
const NOTIFICATIONS: &str = "org.freedesktop.Notifications";

/// The desktop's presence.
#[derive(Default)]
pub(crate) struct DesktopPresence {
    session: OnceCell<Connection>,
    system: OnceCell<Connection>,
}

#[async_trait]
impl Presence for DesktopPresence {
    async fn look(&self) -> Attendance {
        let looking = async {
            let session = self.session.get_or_try_init(Connection::session).await.ok();
            let system = self.system.get_or_try_init(Connection::system).await.ok();
            tokio::join!(of_session(session), of_login(system))
        };
        match tokio::time::timeout(PATIENCE, looking).await {
            Ok((session, login)) => joined(session, login),
            Err(_) => Attendance::default(),
        }
    }
}

/// One of both that says locked is enough; unlocked counts only of who locks screens, and idle of who counts it.
fn joined(session: Attendance, login: Attendance) -> Attendance {
    Attendance {
        idle: session.idle.or(login.idle),
        locked: if login.locked == Some(true) { Some(true) } else { session.locked },
        undisturbed: session.undisturbed,
    }
}

async fn of_session(bus: Option<&Connection>) -> Attendance {
    let Some(bus) = bus else { return Attendance::default() };
    let (idle, locked, undisturbed) = tokio::join!(idle(bus), locked(bus), undisturbed(bus));
    Attendance { idle, locked, undisturbed }
}

async fn idle(bus: &Connection) -> Option<Duration> {
    let name = "org.gnome.Mutter.IdleMonitor";
    let answer = call(bus, name, "/org/gnome/Mutter/IdleMonitor/Core", name, "GetIdletime", &()).await?;
    answer.body().deserialize::<u64>().ok().map(Duration::from_millis)
}

async fn locked(bus: &Connection) -> Option<bool> {
    let mut locked = None;
    for (name, place) in LOCKS {
        let answer = call(bus, name, place, name, "GetActive", &()).await;
        match answer.and_then(|answer| answer.body().deserialize::<bool>().ok()) {
            Some(true) => return Some(true),
            Some(false) => locked = Some(false),
            None => {}
        }
    }
    locked
}

async fn undisturbed(bus: &Connection) -> Option<bool> {
    let place = "/org/freedesktop/Notifications";
    property(bus, NOTIFICATIONS, place, NOTIFICATIONS, "Inhibited").await?.try_into().ok()
}

async fn of_login(bus: Option<&Connection>) -> Attendance {
    let Some(bus) = bus else { return Attendance::default() };
    let of = |name| property(bus, LOGIN, SESSION, "org.freedesktop.login1.Session", name);
    let (locked, hint, since) = tokio::join!(of("LockedHint"), of("IdleHint"), of("IdleSinceHint"));
    let locked = locked.and_then(|value| bool::try_from(value).ok());
    let is_idle = hint.and_then(|value| bool::try_from(value).ok());
    let since = since.and_then(|value| u64::try_from(value).ok());
    let idle = match (is_idle, since) {
        (Some(true), Some(since)) => {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
            Some(now.saturating_sub(Duration::from_micros(since)))
        }
        (Some(false), _) => Some(Duration::ZERO),
        (Some(true) | None, _) => None,
    };
    Attendance { idle, locked, undisturbed: None }
}

async fn property(bus: &Connection, name: &str, place: &str, interface: &str, property: &str) -> Option<OwnedValue> {
    let answer = call(bus, name, place, "org.freedesktop.DBus.Properties", "Get", &(interface, property)).await?;
    answer.body().deserialize().ok()
}

/// Calls somebody who is there; nobody is started for it.
async fn call<B: serde::Serialize + DynamicType + Type + Sync>(
    bus: &Connection,
    name: &str,
    place: &str,
    interface: &str,
    method: &str,
    body: &B,
) -> Option<zbus::Message> {
    let there = DBusProxy::new(bus).await.ok()?.name_has_owner(BusName::try_from(name).ok()?).await.ok()?;
    if !there {
        return None;
    }
    bus.call_method(Some(name), place, Some(interface), method, body).await.ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notices::on_a_bus_of_its_own;

    struct Lock(bool);

    #[zbus::interface(name = "org.gnome.ScreenSaver")]
    impl Lock {
        fn get_active(&self) -> bool {
            self.0
        }
    }

    struct Monitor;

    #[zbus::interface(name = "org.gnome.Mutter.IdleMonitor")]
    impl Monitor {
        #[allow(clippy::unused_self, reason = "the macro asks for it")]
        fn get_idletime(&self) -> u64 {
            301_000
        }
    }

    struct Session;

    #[allow(clippy::unused_self, reason = "the macro asks for it")]
    #[zbus::interface(name = "org.freedesktop.login1.Session")]
    impl Session {
        #[zbus(property)]
        fn locked_hint(&self) -> bool {
            true
        }

        #[zbus(property)]
        fn idle_hint(&self) -> bool {
            false
        }

        #[zbus(property)]
        fn idle_since_hint(&self) -> u64 {
            0
        }
    }

    #[test]
    fn what_nobody_says_is_unknown_and_one_who_says_locked_is_enough() {
        on_a_bus_of_its_own("presence", "what_nobody_says_is_unknown_and_one_who_says_locked_is_enough", || async {
            let bus = Connection::session().await.unwrap();
            let presence = DesktopPresence {
                session: OnceCell::new_with(Some(bus.clone())),
                // The login service is played on the same bus.
                system: OnceCell::new_with(Some(bus.clone())),
            };
            assert_eq!(presence.look().await, Attendance::default());
            assert!(!presence.look().await.is_surely_unlocked(), "unknown is locked");

            let desktop = zbus::connection::Builder::session().unwrap();
            let desktop = desktop.serve_at("/org/gnome/ScreenSaver", Lock(false)).unwrap();
            let desktop = desktop.serve_at("/org/gnome/Mutter/IdleMonitor/Core", Monitor).unwrap();
            let desktop = desktop.name("org.gnome.ScreenSaver").unwrap().name("org.gnome.Mutter.IdleMonitor").unwrap();
            let _desktop = desktop.build().await.unwrap();
            let seen = presence.look().await;
            assert_eq!((seen.idle, seen.locked), (Some(Duration::from_secs(301)), Some(false)));
            assert!(seen.is_surely_unlocked());

            let login = zbus::connection::Builder::session().unwrap();
            let login = login.serve_at(SESSION, Session).unwrap().name(LOGIN).unwrap();
            let _login = login.build().await.unwrap();
            assert_eq!(presence.look().await.locked, Some(true));
        });
    }

    #[test]
    fn a_hint_that_many_never_set_unlocks_nothing() {
        let of = |locked| Attendance { locked, ..Attendance::default() };
        assert_eq!(joined(of(None), of(Some(false))).locked, None);
        assert_eq!(joined(of(Some(false)), of(Some(false))).locked, Some(false));
        assert_eq!(joined(of(Some(false)), of(Some(true))).locked, Some(true));
    }
}
