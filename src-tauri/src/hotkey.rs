//! The key that brings the quick panel up from anywhere, and what else follows the settings outside of the window's page: how large
//! everything is drawn.
//!
//! Only X11 hears keys for us. Wayland takes the registration and never tells of a press, so there the person binds
//! `countersign --panel` in the desktop's own settings; the window says so.

use countersign_api::wire::settings::Settings;
use countersign_api::wire::window::FeedWhat;
use serde::Serialize;
use tauri::plugin::TauriPlugin;
use tauri::{AppHandle, Manager as _, State, Wry};
use tauri_plugin_global_shortcut::{GlobalShortcutExt as _, ShortcutState};
use tokio::sync::broadcast::error::RecvError;

use crate::app::App;
use crate::paths::Paths;
use crate::window;

/// The key.
const KEYS: &str = "Ctrl+Alt+Space";

/// Hears the key. It opens the panel and never decides anything.
pub(crate) fn plugin() -> TauriPlugin<Wry> {
    tauri_plugin_global_shortcut::Builder::new()
        .with_handler(|app, _, event| {
            if event.state() == ShortcutState::Pressed {
                window::panel(app, &app.state::<Paths>());
            }
        })
        .build()
}

/// How the panel can be opened from anywhere.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub(crate) enum GlobalKey {
    /// By a key that we hear.
    Key {
        /// It.
        keys: String,
    },
    /// By a key that the person binds to a command.
    Command {
        /// It.
        command: String,
    },
}

/// Whether the desktop hears keys for us, or what to bind.
#[tauri::command]
pub(crate) async fn global_key(paths: State<'_, Paths>) -> Result<GlobalKey, ()> {
    if hears_keys() {
        return Ok(GlobalKey::Key { keys: KEYS.to_owned() });
    }
    let program = std::env::current_exe().map_or_else(|_| "countersign".to_owned(), |path| quoted(&path));
    let folder = paths.given().map_or_else(String::new, |folder| format!(" --data-dir {}", quoted(folder)));
    Ok(GlobalKey::Command { command: format!("{program} --panel{folder}") })
}

fn quoted(path: &std::path::Path) -> String {
    let text = path.to_string_lossy();
    let plain = |one: char| one.is_alphanumeric() || "/._-+".contains(one);
    if text.chars().all(plain) { text.into_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

fn hears_keys() -> bool {
    let has = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || (has("DISPLAY") && !has("WAYLAND_DISPLAY"))
}

/// Puts the panel away.
#[tauri::command]
pub(crate) async fn hide_panel(app: AppHandle) -> Result<(), ()> {
    window::hide_panel(&app);
    Ok(())
}

/// Opens a request in a window of its own.
#[tauri::command]
pub(crate) async fn detach(app: AppHandle, paths: State<'_, Paths>, request: String) -> Result<(), String> {
    // It becomes part of an address and of a label; a request's id is nothing else.
    if request.is_empty() || !request.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-') {
        return Err("There is no such request.".to_owned());
    }
    window::detach(&app, &paths, &request).map_err(|error| error.to_string())
}

/// Keeps key and zoom as the settings want them, for as long as there is a feed.
pub(crate) async fn follow(app: AppHandle, state: App) {
    let Some(countersign) = state.until_open().await else { return };
    let mut feed = countersign.subscribe();
    let mut now = None;
    apply(&app, &countersign.settings(), &mut now);
    loop {
        match feed.recv().await {
            Ok(event) => {
                if let FeedWhat::Settings { settings } = event.what {
                    apply(&app, &settings, &mut now);
                }
            }
            Err(RecvError::Lagged(_)) => apply(&app, &countersign.settings(), &mut now),
            Err(RecvError::Closed) => return,
        }
    }
}

fn apply(app: &AppHandle, settings: &Settings, now: &mut Option<(bool, u16)>) {
    let wanted = (settings.global_key && hears_keys(), settings.zoom);
    let before = now.replace(wanted);
    if before.map(|(_, zoom)| zoom) != Some(wanted.1) {
        window::zoom(app, wanted.1);
    }
    let keys = app.global_shortcut();
    let done = match (before.is_some_and(|(key, _)| key), wanted.0) {
        (false, true) => keys.register(KEYS),
        (true, false) => keys.unregister(KEYS),
        (false, false) | (true, true) => Ok(()),
    };
    if let Err(error) = done {
        tracing::warn!(%error, "the key for the quick panel isn't ours; another program may have it");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_to_bind_can_be_pasted_whatever_the_folder_is_called() {
        assert_eq!(quoted(std::path::Path::new("/usr/bin/countersign")), "/usr/bin/countersign");
        assert_eq!(quoted(std::path::Path::new("/home/a b/it's")), r"'/home/a b/it'\''s'");
    }
}
