//! From the command line to the running window, and the way out.

use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use countersign_api::app::Countersign;
use countersign_api::app::desktop::Pressed;
use countersign_api::host::Host;
use countersign_api::words::{self, Spoken};
use countersign_engine::ports::{NoticeAction, NoticePress};
use tauri::{AppHandle, Manager as _, RunEvent, WindowEvent};
use tauri_plugin_window_state::StateFlags;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::{Notify, watch};

use crate::app::{App, Opened};
use crate::arguments::{Arguments, Asked, FirstShow, HELP};
use crate::around::Around;
use crate::logs::Log;
use crate::notices::DesktopNotices;
use crate::paths::Paths;
use crate::single::{Only, Start, Wish};
use crate::trayhost::TrayHost;
use crate::{arguments, attention, commands, host, hotkey, logs, single, tray, window};

/// How long the way out may take. What agents started dies with the process in any case.
const FAREWELL: Duration = Duration::from_secs(5);
/// How often it is looked who is there and what is due to be told.
const ATTEND: Duration = Duration::from_secs(10);

/// Starts what the command line asks for.
pub(crate) fn start() -> ExitCode {
    let words = std::env::args_os().skip(1);
    let asked = match arguments::read(words, std::env::var_os("COUNTERSIGN_DATA_DIR")) {
        Ok(asked) => asked,
        Err(trouble) => {
            eprintln!("{trouble}");
            return ExitCode::from(2);
        }
    };
    match asked {
        Asked::Version => say(&format!("countersign {}\n", env!("CARGO_PKG_VERSION"))),
        Asked::Help => say(HELP),
        Asked::Start(arguments) => match open(arguments) {
            Ok(code) => code,
            Err(trouble) => {
                eprintln!("{trouble}");
                ExitCode::FAILURE
            }
        },
    }
}

fn say(text: &str) -> ExitCode {
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn open(arguments: Arguments) -> Result<ExitCode, String> {
    let paths = Paths::find(arguments.data_folder.as_deref())?;
    paths.make()?;
    let wish = match arguments.window {
        FirstShow::Panel => Wish::Panel,
        FirstShow::Shown | FirstShow::Hidden => Wish::Window,
    };
    let only = match single::start(&paths, wish)? {
        Start::Only(only) => only,
        Start::BroughtUp => return Ok(say("Countersign was already running; its window was brought up.\n")),
    };
    need_a_screen()?;
    let log = logs::start(&paths.logs);
    tracing::info!(version = env!("CARGO_PKG_VERSION"), data = %paths.data.display(), "Countersign starts");
    words::system_speaks(Spoken::of_environment(|name| std::env::var(name).ok()));
    let built = catch_unwind(AssertUnwindSafe(|| build(arguments, paths, only)));
    let app = match built {
        Ok(Ok(app)) => app,
        Ok(Err(error)) => return Err(format!("the window can't be opened: {error}")),
        // GTK can't be asked beforehand whether the screen that DISPLAY names is really there.
        Err(_) => return Err("the window can't be opened: the screen can't be reached".to_owned()),
    };
    app.run(move |app, event| {
        // Tauri ends the process right behind this event and drops nothing.
        if matches!(event, RunEvent::Exit) {
            leave(app, &log);
        }
    });
    Ok(ExitCode::SUCCESS)
}

/// Without a screen GTK panics in words that help nobody.
fn need_a_screen() -> Result<(), String> {
    let has = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if cfg!(target_os = "linux") && !has("DISPLAY") && !has("WAYLAND_DISPLAY") {
        return Err("there is no screen to open the window on: DISPLAY and WAYLAND_DISPLAY are both empty. \
                    Start Countersign from a desktop session."
            .to_owned());
    }
    Ok(())
}

/// Holds the lock on the data folder until the very end.
struct Held(Mutex<Option<Only>>);

fn build(arguments: Arguments, paths: Paths, mut only: Only) -> tauri::Result<tauri::App> {
    let (opening, opened) = watch::channel(None);
    let again = Arc::new(Notify::new());
    let state = App::new(opened, Arc::clone(&again));
    let (presses, pressed) = unbounded_channel();
    let notices = DesktopNotices::new(presses, &paths.data);
    let tray_host = TrayHost::default();

    let window_state = tauri_plugin_window_state::Builder::default()
        // A window that starts hidden must stay so.
        .with_state_flags(StateFlags::all() - StateFlags::VISIBLE)
        // An absolute path, so that it lies with our own files and not in a second folder.
        // The panel lies where the pointer is, and a request's own window is gone with it.
        .with_filter(|label| label == window::LABEL)
        .with_filename(paths.window_state().to_string_lossy())
        .build();

    let closing = state.clone();
    tauri::Builder::default()
        .plugin(window_state)
        .plugin(hotkey::plugin())
        .manage(state.clone())
        .invoke_handler(commands::handler())
        .on_window_event(move |window, event| {
            // What couldn't be opened has nothing to ask; its window just closes.
            if let WindowEvent::CloseRequested { api, .. } = event
                && window.label() == window::PANEL
            {
                api.prevent_close();
                window::hide_panel(window.app_handle());
            }
            if let WindowEvent::CloseRequested { api, .. } = event
                && window.label() == window::LABEL
                && let Some(countersign) = closing.if_open()
            {
                api.prevent_close();
                tauri::async_runtime::spawn(async move { countersign.close_pressed().await });
            }
        })
        .setup(move |app| {
            let handle = app.handle().clone();
            let around = Around::of(handle.clone(), tray_host.clone(), arguments.data_folder.as_deref());
            let host = host::of(&paths, &notices, &around);
            tauri::async_runtime::spawn(open_countersign(host, paths.clone(), opening, again));
            tauri::async_runtime::spawn(attend(handle.clone(), state.clone(), notices.clone()));
            tauri::async_runtime::spawn(take_presses(handle.clone(), state.clone(), pressed));
            leave_when_told(&handle);
            app.manage(paths.clone());
            window::make(&handle, &paths, arguments.window)?;
            tauri::async_runtime::spawn(hotkey::follow(handle.clone(), state.clone()));
            // Not before the window is there: a second start waits until it can be shown.
            let raising = handle.clone();
            tauri::async_runtime::block_on(async {
                only.listen(move |wish| match wish {
                    Wish::Window => window::raise(&raising),
                    Wish::Panel => window::panel(&raising, &raising.state::<Paths>()),
                });
            });
            app.manage(Held(Mutex::new(Some(only))));
            let tray = tray::make(&handle, &paths.runtime);
            if tray.is_some() {
                tauri::async_runtime::spawn(tray_host.follow());
            }
            let state = state.clone();
            tauri::async_runtime::spawn(async move {
                if let Ok(countersign) = state.countersign().await {
                    tray::follow(handle, tray, countersign).await;
                }
            });
            Ok(())
        })
        .build(tauri::generate_context!())
}

/// A session that logs out, a terminal and `kill` end the app in the same orderly way as *Quit*.
#[cfg(target_os = "linux")]
fn leave_when_told(app: &AppHandle) {
    use rustix::process::Signal;
    for signal in [Signal::HUP, Signal::INT, Signal::TERM] {
        let app = app.clone();
        glib::unix_signal_add(signal.as_raw(), move || {
            app.exit(0);
            glib::ControlFlow::Continue
        });
    }
}

#[cfg(not(target_os = "linux"))]
fn leave_when_told(_app: &AppHandle) {}

/// Opens Countersign beside the window, which waits for it with its first call. What can't be opened is tried again
/// when the window asks again: the person may have made room or put the file back.
async fn open_countersign(host: Host, paths: Paths, opening: watch::Sender<Option<Opened>>, again: Arc<Notify>) {
    let mut last = None;
    loop {
        let opened = Countersign::open(host.clone()).await;
        paths.close_files();
        let trouble = match opened {
            Ok(countersign) => {
                opening.send_replace(Some(Ok(countersign)));
                return;
            }
            Err(trouble) => trouble.to_string(),
        };
        if last.as_ref() != Some(&trouble) {
            tracing::error!(trouble, "Countersign can't be opened");
        }
        last = Some(trouble.clone());
        // Whoever waits for this try is told, even if it ended as the one before.
        opening.send_replace(Some(Err(trouble)));
        again.notified().await;
    }
}

/// Looks at the time and at who is there for as long as the app runs, and asks for the person itself where nothing else can.
async fn attend(app: AppHandle, state: App, notices: DesktopNotices) {
    let Some(countersign) = state.until_open().await else { return };
    tauri::async_runtime::spawn(attention::ask(app, Arc::clone(&countersign), notices));
    loop {
        tokio::time::sleep(ATTEND).await;
        countersign.attend().await;
    }
}

/// Hands presses of notifications on, in order. What shows something also brings the window up.
async fn take_presses(app: AppHandle, state: App, mut pressed: UnboundedReceiver<NoticePress>) {
    while let Some(press) = pressed.recv().await {
        // Before anything is looked up: what the person wants to see comes up at once.
        if press.action == NoticeAction::Review {
            window::raise(&app);
        }
        let review = press.action == NoticeAction::Review;
        if let Ok(countersign) = state.countersign().await
            && countersign.notice_pressed(press).await != Pressed::Done
            && !review
        {
            window::raise(&app);
        }
    }
}

/// The way out: what agents started is stopped, then the log is written, then the lock is let go.
fn leave(app: &AppHandle, log: &Log) {
    if let Some(countersign) = app.state::<App>().if_open() {
        let quitting = async { tokio::time::timeout(FAREWELL, countersign.quit()).await };
        if tauri::async_runtime::block_on(quitting).is_err() {
            tracing::warn!("not everything stopped in time");
        }
    }
    window::badge(app, 0);
    tracing::info!("Countersign ends");
    log.close();
    if let Some(held) = app.try_state::<Held>() {
        drop(held.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}
