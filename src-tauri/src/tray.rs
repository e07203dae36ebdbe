//! The tray icon: how many wait, and a way back to the window. It is a convenience: many desktops show none, and then
//! the app is the same without it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use countersign_api::app::Countersign;
use countersign_api::wire::window::FeedWhat;
use tauri::image::Image;
use tauri::menu::{Menu, MenuItem, PredefinedMenuItem};
use tauri::tray::{TrayIcon, TrayIconBuilder};
use tauri::{AppHandle, Wry, include_image};
use tokio::sync::broadcast::error::RecvError;

use crate::window;

const IDLE: Image<'_> = include_image!("../icons/tray-idle-32.png");
const WAITING: Image<'_> = include_image!("../icons/tray-waiting-32.png");
const AUTO: Image<'_> = include_image!("../icons/tray-auto-32.png");

/// Changes that come within this time are looked at together.
const BURST: Duration = Duration::from_millis(100);

/// The tray icon and the line of its menu that changes.
#[derive(Clone)]
pub(crate) struct Tray {
    icon: TrayIcon<Wry>,
    count: MenuItem<Wry>,
}

/// What the tray shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Look {
    waiting: u32,
    auto: bool,
}

impl Look {
    async fn of(countersign: &Countersign) -> Self {
        Self { waiting: countersign.waiting().await, auto: countersign.any_auto().await }
    }

    fn words(self) -> String {
        match self.waiting {
            0 => "Nothing is waiting".to_owned(),
            count => format!("{count} waiting"),
        }
    }

    fn icon(self) -> Image<'static> {
        match self {
            Self { waiting: 0, auto: false } => IDLE,
            Self { waiting: 0, auto: true } => AUTO,
            Self { .. } => WAITING,
        }
    }
}

/// Makes the tray icon. `folder` is where Linux wants its picture as a file.
///
/// The library for it is loaded only now, and what loads it panics where it is missing. That must not end the app.
pub(crate) fn make(app: &AppHandle, folder: &Path) -> Option<Tray> {
    match catch_unwind(AssertUnwindSafe(|| build(app, folder))) {
        Ok(Ok(tray)) => Some(tray),
        Ok(Err(error)) => {
            tracing::warn!(%error, "there is no tray icon");
            None
        }
        Err(_) => {
            tracing::warn!("there is no tray icon: the library for it is missing (libayatana-appindicator3)");
            None
        }
    }
}

fn build(app: &AppHandle, folder: &Path) -> tauri::Result<Tray> {
    let nothing = Look { waiting: 0, auto: false };
    let count = MenuItem::with_id(app, "waiting", nothing.words(), true, None::<&str>)?;
    let open = MenuItem::with_id(app, "open", "Open Countersign", true, None::<&str>)?;
    let quit = MenuItem::with_id(app, "quit", "Quit", true, None::<&str>)?;
    let line = PredefinedMenuItem::separator(app)?;
    let menu = Menu::with_items(app, &[&count, &line, &open, &quit])?;
    let icon = TrayIconBuilder::with_id("countersign")
        .icon(nothing.icon())
        .tooltip("Countersign")
        .temp_dir_path(folder)
        .menu(&menu)
        .on_menu_event(|app, event| match event.id().as_ref() {
            "waiting" | "open" => window::raise(app),
            "quit" => app.exit(0),
            _ => {}
        })
        .build(app)?;
    Ok(Tray { icon, count })
}

impl Tray {
    /// Keeps the icon and the count right for as long as there is a feed.
    pub(crate) async fn follow(self, countersign: Arc<Countersign>) {
        let mut feed = countersign.subscribe();
        let mut shown = Look { waiting: 0, auto: false };
        loop {
            let look = Look::of(&countersign).await;
            if look != shown {
                shown = look;
                let set = self.count.set_text(look.words()).and_then(|()| self.icon.set_icon(Some(look.icon())));
                if let Err(error) = set {
                    tracing::debug!(%error, "the tray icon doesn't change");
                }
            }
            // The look is read anew after a change, but not for each of a burst of them.
            loop {
                match feed.recv().await {
                    Ok(event) if matters(&event.what) => break,
                    Ok(_) => {}
                    Err(RecvError::Lagged(_)) => break,
                    Err(RecvError::Closed) => return,
                }
            }
            tokio::time::sleep(BURST).await;
            feed = feed.resubscribe();
        }
    }
}

/// Whether a change can make the tray look different.
fn matters(what: &FeedWhat) -> bool {
    match what {
        FeedWhat::Set { .. } | FeedWhat::Conversation { .. } | FeedWhat::ConversationGone { .. } => true,
        FeedWhat::Closed { .. }
        | FeedWhat::Entries { .. }
        | FeedWhat::Delta { .. }
        | FeedWhat::Typed { .. }
        | FeedWhat::Quick { .. }
        | FeedWhat::History
        | FeedWhat::Agents { .. }
        | FeedWhat::Servers
        | FeedWhat::Settings { .. }
        | FeedWhat::Rehearsal { .. }
        | FeedWhat::Show { .. }
        | FeedWhat::Trouble { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_in_words_because_linux_shows_no_tooltip() {
        let look = |waiting, auto| Look { waiting, auto };
        assert_eq!(look(0, false).words(), "Nothing is waiting");
        assert_eq!(look(3, true).words(), "3 waiting");
        assert_eq!(look(3, true).icon().rgba(), WAITING.rgba(), "what waits comes before Auto");
        assert_eq!(look(0, true).icon().rgba(), AUTO.rgba());
        assert_ne!(WAITING.rgba(), AUTO.rgba());
        assert_ne!(WAITING.rgba(), IDLE.rgba());
    }
}
