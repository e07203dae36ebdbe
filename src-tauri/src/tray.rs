//! The tray icon: how many wait and which, and a way back to the window. Everything is in its menu, because on Linux an icon
//! hears no click and shows no tooltip. It is a convenience: many desktops show none, and then the app is the same without it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use countersign_api::app::Countersign;
use countersign_api::app::desktop::Tray as Look;
use countersign_api::wire::desktop::Pause;
use countersign_api::wire::window::FeedWhat;
use countersign_api::words::desktop;
use tauri::image::Image;
use tauri::menu::{IsMenuItem, Menu, MenuItem, PredefinedMenuItem, Submenu};
use tauri::tray::{TrayIcon, TrayIconBuilder};
use tauri::{AppHandle, Manager as _, Wry, include_image};
use tokio::sync::broadcast::error::RecvError;

use crate::app::App;
use crate::paths::Paths;
use crate::window;

const IDLE: Image<'_> = include_image!("../icons/tray-idle-32.png");
const WAITING: Image<'_> = include_image!("../icons/tray-waiting-32.png");
const AUTO: Image<'_> = include_image!("../icons/tray-auto-32.png");
const PAUSED: Image<'_> = include_image!("../icons/tray-paused-32.png");

/// Changes that come within this time are looked at together.
const BURST: Duration = Duration::from_millis(100);
/// How often it is looked at without a change: quiet hours begin and end by themselves.
const EVERY: Duration = Duration::from_secs(60);
/// Before the id of a request in that of its line.
const ROW: &str = "row:";
/// The lines that pause, by their ids.
const PAUSES: [(&str, Pause); 3] =
    [("pause-half", Pause::HalfHour), ("pause-hour", Pause::Hour), ("pause-tomorrow", Pause::Tomorrow)];
const RESUME: &str = "resume";

/// The tray icon.
#[derive(Clone)]
pub(crate) struct Tray {
    icon: TrayIcon<Wry>,
}

/// How many wait, in words.
fn words(look: &Look) -> String {
    desktop().waiting(look.waiting.into())
}

/// What stands on the line of a pause.
fn pause_words(pause: Pause) -> String {
    match pause {
        Pause::HalfHour => desktop().pause_half_hour(),
        Pause::Hour => desktop().pause_hour(),
        Pause::Tomorrow => desktop().pause_tomorrow(),
        Pause::Over => desktop().resume_notices(),
    }
}

/// What is silent looks so first: an icon that shows a dot and says nothing would be taken for one that will.
fn icon(look: &Look) -> Image<'static> {
    match look {
        Look { silent: Some(_), .. } => PAUSED,
        Look { waiting: 1.., .. } => WAITING,
        Look { auto: 1.., .. } => AUTO,
        Look { .. } => IDLE,
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
    let nothing = Look::default();
    let icon = TrayIconBuilder::with_id("countersign")
        .icon(icon(&nothing))
        .tooltip("Countersign")
        .temp_dir_path(folder)
        .menu(&menu(app, &nothing)?)
        .on_menu_event(|app, event| pressed(app, event.id().as_ref()))
        .build(app)?;
    Ok(Tray { icon })
}

fn menu(app: &AppHandle, look: &Look) -> tauri::Result<Menu<Wry>> {
    let item = |id: &str, text: &str, on: bool| MenuItem::with_id(app, id, plain(text), on, None::<&str>);
    let line = || PredefinedMenuItem::separator(app);
    let menu = Menu::new(app)?;
    if look.rows.is_empty() {
        menu.append(&item("waiting", &words(look), true)?)?;
    } else {
        let rows = look.rows.iter().map(|(id, text)| item(&format!("{ROW}{id}"), text, true));
        let rows = rows.collect::<tauri::Result<Vec<_>>>()?;
        let rows: Vec<&dyn IsMenuItem<Wry>> = rows.iter().map(|row| row as &dyn IsMenuItem<Wry>).collect();
        menu.append(&Submenu::with_items(app, words(look), true, &rows)?)?;
    }
    menu.append(&line()?)?;
    if let Some(silent) = &look.silent {
        menu.append(&item("silent", silent, false)?)?;
    }
    if look.paused {
        menu.append(&item(RESUME, &desktop().resume_notices(), true)?)?;
    } else {
        let pauses =
            PAUSES.iter().map(|(id, pause)| item(id, &pause_words(*pause), true)).collect::<tauri::Result<Vec<_>>>()?;
        let pauses: Vec<&dyn IsMenuItem<Wry>> = pauses.iter().map(|one| one as &dyn IsMenuItem<Wry>).collect();
        menu.append(&Submenu::with_items(app, desktop().pause_notices(), true, &pauses)?)?;
    }
    let auto = match &look.auto_until {
        Some(time) => desktop().all_to_default_until(look.auto.into(), time),
        None => desktop().all_to_default(look.auto.into()),
    };
    menu.append(&item("default", &auto, look.auto > 0)?)?;
    menu.append(&line()?)?;
    menu.append(&item("panel", &desktop().quick_panel(), true)?)?;
    menu.append(&item("open", &desktop().open(), true)?)?;
    menu.append(&item("quit", &desktop().quit(), true)?)?;
    Ok(menu)
}

/// Menus read an ampersand as the mark of a key.
fn plain(text: &str) -> String {
    text.replace('&', "&&")
}

fn pressed(app: &AppHandle, id: &str) {
    let state = app.state::<App>().inner().clone();
    let Some(countersign) = state.if_open() else {
        match id {
            "quit" => app.exit(0),
            _ => window::raise(app),
        }
        return;
    };
    let (app, id) = (app.clone(), id.to_owned());
    tauri::async_runtime::spawn(async move { act(&app, &countersign, &id).await });
}

async fn act(app: &AppHandle, countersign: &Countersign, id: &str) {
    if let Some(request) = id.strip_prefix(ROW) {
        countersign.show_request(Some(request.to_owned()));
        window::raise(app);
        return;
    }
    let pause = PAUSES.iter().find(|(is, _)| *is == id).map(|(_, pause)| *pause);
    let done = match (id, pause) {
        (_, Some(pause)) => countersign.pause(pause).await,
        (RESUME, None) => countersign.pause(Pause::Over).await,
        ("default", None) => countersign.all_to_default().await,
        ("quit", None) => {
            countersign.quit_pressed().await;
            Ok(())
        }
        ("panel", None) => {
            window::panel(app, &app.state::<Paths>());
            Ok(())
        }
        ("waiting", None) => {
            countersign.show_request(None);
            window::raise(app);
            Ok(())
        }
        (_, None) => {
            window::raise(app);
            Ok(())
        }
    };
    if let Err(error) = done {
        tracing::warn!(?error, id, "a line of the tray's menu did nothing");
    }
}

/// Keeps the icon, its menu and the number on the app's icon right for as long as there is a feed.
pub(crate) async fn follow(app: AppHandle, tray: Option<Tray>, countersign: Arc<Countersign>) {
    let mut feed = countersign.subscribe();
    let mut shown = None;
    loop {
        let look = countersign.tray().await;
        if shown.as_ref() != Some(&look) {
            window::badge(&app, look.waiting);
            if let Some(tray) = &tray
                && let Err(error) = tray.show(&app, &look)
            {
                tracing::debug!(%error, "the tray icon doesn't change");
            }
            shown = Some(look);
        }
        // It is read anew after a change, but not for each of a burst of them.
        let waiting = async {
            loop {
                match feed.recv().await {
                    Ok(event) if matters(&event.what) => return true,
                    Ok(_) => {}
                    Err(RecvError::Lagged(_)) => return true,
                    Err(RecvError::Closed) => return false,
                }
            }
        };
        if let Ok(false) = tokio::time::timeout(EVERY, waiting).await {
            return;
        }
        tokio::time::sleep(BURST).await;
        feed = feed.resubscribe();
    }
}

impl Tray {
    fn show(&self, app: &AppHandle, look: &Look) -> tauri::Result<()> {
        self.icon.set_menu(Some(menu(app, look)?))?;
        self.icon.set_icon(Some(icon(look)))
    }
}

/// Whether a change can make the tray look different.
fn matters(what: &FeedWhat) -> bool {
    match what {
        FeedWhat::Set { .. }
        | FeedWhat::Conversation { .. }
        | FeedWhat::ConversationGone { .. }
        | FeedWhat::Settings { .. } => true,
        FeedWhat::Closed { .. }
        | FeedWhat::Entries { .. }
        | FeedWhat::Delta { .. }
        | FeedWhat::Typed { .. }
        | FeedWhat::Quick { .. }
        | FeedWhat::History
        | FeedWhat::Agents { .. }
        | FeedWhat::Servers
        | FeedWhat::Rules
        | FeedWhat::Rehearsal { .. }
        | FeedWhat::Show { .. }
        | FeedWhat::Leaving { .. }
        | FeedWhat::Trouble { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use countersign_api::words::{Spoken, apart};

    use super::*;

    #[test]
    fn each_state_has_a_shape_of_its_own_and_silence_comes_first() {
        let look = |waiting, auto, silent: Option<&str>| Look {
            waiting,
            auto,
            silent: silent.map(str::to_owned),
            ..Look::default()
        };
        assert_eq!(words(&look(0, 0, None)), "Nothing is waiting");
        assert_eq!(words(&look(3, 1, None)), "3 waiting");
        {
            let _apart = apart(Spoken::De);
            assert_eq!(words(&look(3, 1, None)), "3 warten");
            assert_eq!(PAUSES.map(|(_, pause)| pause_words(pause)), ["Für 30 Minuten", "Für 1 Stunde", "Bis morgen"]);
        }
        assert_eq!(icon(&look(3, 1, None)).rgba(), WAITING.rgba(), "what waits comes before Auto");
        assert_eq!(icon(&look(0, 1, None)).rgba(), AUTO.rgba());
        assert_eq!(icon(&look(3, 1, Some("Quiet hours"))).rgba(), PAUSED.rgba());
        let all = [IDLE, WAITING, AUTO, PAUSED];
        for (index, one) in all.iter().enumerate() {
            assert!(all.iter().skip(index + 1).all(|other| other.rgba() != one.rgba()));
        }
        assert_eq!(plain("a & b"), "a && b");
    }
}
