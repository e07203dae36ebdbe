//! The window, the tray and the session, as the app behind them asks for them.

use std::path::Path;

use countersign_api::host::Desktop;
use tauri::AppHandle;

use crate::login::Login;
use crate::trayhost::TrayHost;
use crate::window;

/// What is around the app.
#[derive(Clone)]
pub(crate) struct Around {
    app: AppHandle,
    tray: TrayHost,
    login: Login,
}

impl Around {
    /// Of this app. `data` is the data folder if one was chosen.
    pub(crate) fn of(app: AppHandle, tray: TrayHost, data: Option<&Path>) -> Self {
        Self { app, tray, login: Login::usual(data) }
    }
}

impl Desktop for Around {
    fn has_tray(&self) -> bool {
        self.tray.is_there()
    }

    fn show_window(&self) {
        window::raise(&self.app);
    }

    fn hide_window(&self) {
        window::hide(&self.app);
    }

    fn quit(&self) {
        self.app.exit(0);
    }

    fn starts_at_login(&self) -> bool {
        self.login.is_on()
    }

    fn start_at_login(&self, on: bool) -> Result<(), String> {
        self.login.switch(on)
    }
}
