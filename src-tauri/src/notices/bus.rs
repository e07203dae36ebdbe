//! The connection that listens from before the first showing, and asks the server what it can do.

use std::sync::Weak;

use futures_util::StreamExt as _;
use zbus::fdo::DBusProxy;
use zbus::message::Type;
use zbus::names::BusName;
use zbus::{Connection, MatchRule, Message, MessageStream};

use super::book::Heard;
use super::{Inner, PATIENCE, Server};

/// The server's name on the bus, and its interface.
pub(super) const NAME: &str = "org.freedesktop.Notifications";
/// Where it is found.
pub(super) const PLACE: &str = "/org/freedesktop/Notifications";
/// How many messages may wait for us.
const QUEUE: usize = 256;

/// Connects and listens for as long as somebody holds `inner`. When this returns, every later press is heard.
pub(super) async fn listen(inner: Weak<Inner>) -> Result<Connection, String> {
    let listening = async {
        let connection = Connection::session().await?;
        // The bus lets only what the server says through this rule; others can't press on its behalf.
        let said = MatchRule::builder().msg_type(Type::Signal).sender(NAME)?.interface(NAME)?.build();
        let replaced = MatchRule::builder()
            .msg_type(Type::Signal)
            .sender("org.freedesktop.DBus")?
            .interface("org.freedesktop.DBus")?
            .member("NameOwnerChanged")?
            .arg(0, NAME)?
            .build();
        let said = MessageStream::for_match_rule(said, &connection, Some(QUEUE)).await?;
        let replaced = MessageStream::for_match_rule(replaced, &connection, Some(QUEUE)).await?;
        Ok::<_, zbus::Error>((connection, said, replaced))
    };
    let (connection, said, replaced) = match tokio::time::timeout(PATIENCE, listening).await {
        Ok(Ok(listening)) => listening,
        Ok(Err(error)) => return Err(format!("there is no session bus for notifications: {error}")),
        Err(_) => return Err("the session bus doesn't answer".to_owned()),
    };
    tokio::spawn(hear(said, replaced, inner));
    Ok(connection)
}

async fn hear(mut said: MessageStream, mut replaced: MessageStream, inner: Weak<Inner>) {
    loop {
        let message = tokio::select! {
            // What the old server said comes before its end.
            biased;
            message = said.next() => message,
            message = replaced.next() => message,
        };
        let (Some(message), Some(inner)) = (message, inner.upgrade()) else { return };
        match message {
            Ok(message) if is_about_its_name(&message) => inner.server_changed(),
            Ok(message) => {
                if let Some(heard) = read(&message) {
                    inner.heard(heard);
                }
            }
            Err(error) => {
                tracing::warn!(%error, "the session bus is gone; notifications can't be pressed any more");
                return;
            }
        }
    }
}

fn is_about_its_name(message: &Message) -> bool {
    let header = message.header();
    header.member().is_some_and(|member| member == "NameOwnerChanged")
}

/// What a signal of the server says; none for one that we don't know.
fn read(message: &Message) -> Option<Heard> {
    let header = message.header();
    let body = message.body();
    match header.member()?.as_str() {
        "ActionInvoked" => body.deserialize::<(u32, String)>().ok().map(|(id, action)| Heard::Pressed(id, action)),
        "NotificationClosed" => body.deserialize::<(u32, u32)>().ok().map(|(id, _)| Heard::Closed(id)),
        _ => None,
    }
}

/// Asks the server who it is and what it can do.
pub(super) async fn ask(connection: &Connection) -> Result<Server, String> {
    let asking = async {
        let information = connection.call_method(Some(NAME), PLACE, Some(NAME), "GetServerInformation", &()).await?;
        let (name, _, _, _): (String, String, String, String) = information.body().deserialize()?;
        let capabilities = connection.call_method(Some(NAME), PLACE, Some(NAME), "GetCapabilities", &()).await?;
        let can: Vec<String> = capabilities.body().deserialize()?;
        let owner = DBusProxy::new(connection).await?.get_name_owner(BusName::try_from(NAME)?).await?;
        let owner = format!("{} {owner}", connection.server_guid());
        Ok::<_, zbus::Error>(Server { name, owner, can })
    };
    match tokio::time::timeout(PATIENCE, asking).await {
        Ok(Ok(server)) => Ok(server),
        Ok(Err(error)) => Err(format!("this desktop shows no notifications: {error}")),
        Err(_) => Err("the desktop's notification server doesn't answer".to_owned()),
    }
}

/// Takes a notification away that a process before this one showed.
pub(super) async fn close(connection: &Connection, id: u32) {
    let closing = connection.call_method(Some(NAME), PLACE, Some(NAME), "CloseNotification", &(id));
    match tokio::time::timeout(PATIENCE, closing).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => tracing::debug!(%error, "an old notification isn't there any more"),
        Err(_) => tracing::warn!("the desktop didn't take an old notification away in time"),
    }
}
