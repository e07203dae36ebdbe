//! The windows: how they are made, what they may not do, and how they come to the front. There is the main one; the quick panel,
//! which only hides; and one for each request that was taken out of the list.

use countersign_api::words::desktop;
use tauri::utils::config::Color;
use tauri::webview::NewWindowResponse;
use tauri::{
    AppHandle, LogicalPosition, Manager as _, Runtime, Theme, Url, UserAttentionType, WebviewUrl, WebviewWindow,
    WebviewWindowBuilder,
};

use crate::app::App;
use crate::arguments::FirstShow;
use crate::paths::Paths;

/// The window's label, which the capability names.
pub(crate) const LABEL: &str = "main";
/// The quick panel's label.
pub(crate) const PANEL: &str = "panel";
/// What the label of a request's own window begins with.
const REQUEST: &str = "request-";
/// How large the panel is, and how far it stays from the edges of the screen.
const PANEL_SIZE: (f64, f64) = (420.0, 560.0);
const EDGE: f64 = 16.0;
/// The ground of the page, so that nothing flashes white before it is there.
const LIGHT: Color = Color(0xF6, 0xF6, 0xF3, 0xFF);
/// The same in the dark.
const DARK: Color = Color(0x15, 0x16, 0x13, 0xFF);

/// Makes the window.
///
/// # Errors
/// What the system said.
pub(crate) fn make<R: Runtime>(app: &AppHandle<R>, paths: &Paths, show: FirstShow) -> tauri::Result<WebviewWindow<R>> {
    let builder =
        bare(app, paths, LABEL, "").title("Countersign").inner_size(1120.0, 720.0).min_inner_size(720.0, 480.0);
    let window = builder.build()?;
    if matches!(window.theme(), Ok(Theme::Dark)) {
        window.set_background_color(Some(DARK))?;
    }
    match show {
        FirstShow::Shown => window.show()?,
        FirstShow::Hidden => {}
        FirstShow::Panel => panel(app, paths),
    }
    Ok(window)
}

/// What every window has: our own page and nothing else, at a place of it that the address names.
fn bare<'a, R: Runtime>(
    app: &'a AppHandle<R>,
    paths: &Paths,
    label: &str,
    place: &str,
) -> WebviewWindowBuilder<'a, R, AppHandle<R>> {
    WebviewWindowBuilder::new(app, label, WebviewUrl::App(format!("index.html{place}").into()))
        .visible(false)
        .background_color(LIGHT)
        .data_directory(paths.webview())
        .devtools(cfg!(debug_assertions))
        .disable_drag_drop_handler()
        .general_autofill_enabled(false)
        .on_navigation(is_ours)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .on_download(|_, _| false)
}

/// Brings the quick panel up, at the top right of the screen that the pointer is on.
pub(crate) fn panel<R: Runtime>(app: &AppHandle<R>, paths: &Paths) {
    let shown = || -> tauri::Result<()> {
        let window = match app.get_webview_window(PANEL) {
            Some(window) => {
                // Another language may be spoken since it was made.
                window.set_title(&desktop().panel_title())?;
                window
            }
            None => bare(app, paths, PANEL, "#/panel")
                .title(desktop().panel_title())
                .inner_size(PANEL_SIZE.0, PANEL_SIZE.1)
                .min_inner_size(320.0, 360.0)
                .skip_taskbar(true)
                .always_on_top(true)
                .build()
                .and_then(|window| as_large_as_wanted(app, window))?,
        };
        if let Some(corner) = corner(app, &window) {
            window.set_position(corner)?;
        }
        window.show()?;
        window.set_focus()
    };
    if let Err(error) = shown() {
        tracing::warn!(%error, "the quick panel didn't come up");
    }
}

/// Where the panel lies; none if nobody knows the screen.
fn corner<R: Runtime>(app: &AppHandle<R>, window: &WebviewWindow<R>) -> Option<LogicalPosition<f64>> {
    let pointer = app.cursor_position().ok()?;
    let screen = app.monitor_from_point(pointer.x, pointer.y).ok().flatten().or(window.primary_monitor().ok()?)?;
    let (at, size) = (screen.position().to_logical::<f64>(screen.scale_factor()), screen.size());
    let width = size.to_logical::<f64>(screen.scale_factor()).width;
    Some(LogicalPosition::new(at.x + width - PANEL_SIZE.0 - EDGE, at.y + EDGE))
}

/// Puts the panel away. The desktop gives the focus back to where it was.
pub(crate) fn hide_panel<R: Runtime>(app: &AppHandle<R>) {
    let Some(window) = app.get_webview_window(PANEL) else { return };
    if let Err(error) = window.hide() {
        tracing::warn!(%error, "the quick panel couldn't be put away");
    }
}

/// Opens a request in a window of its own, or brings that window up.
///
/// # Errors
/// What the system said.
pub(crate) fn detach<R: Runtime>(app: &AppHandle<R>, paths: &Paths, request: &str) -> tauri::Result<()> {
    let label = format!("{REQUEST}{request}");
    let window = match app.get_webview_window(&label) {
        Some(window) => window,
        None => bare(app, paths, &label, &format!("#/request/{request}"))
            .title("Countersign")
            .inner_size(640.0, 720.0)
            .min_inner_size(320.0, 480.0)
            .build()
            .and_then(|window| as_large_as_wanted(app, window))?,
    };
    window.show()?;
    window.set_focus()
}

/// Draws everything in a new window as large as in the others.
fn as_large_as_wanted<R: Runtime>(app: &AppHandle<R>, window: WebviewWindow<R>) -> tauri::Result<WebviewWindow<R>> {
    if let Some(countersign) = app.try_state::<App>().and_then(|app| app.if_open()) {
        window.set_zoom(f64::from(countersign.settings().zoom) / 100.0)?;
    }
    Ok(window)
}

/// Draws everything in every window so large, in percent.
pub(crate) fn zoom<R: Runtime>(app: &AppHandle<R>, percent: u16) {
    for (label, window) in app.webview_windows() {
        if let Err(error) = window.set_zoom(f64::from(percent) / 100.0) {
            tracing::warn!(%error, label, "a window can't be zoomed");
        }
    }
}

/// The window shows the app's own pages and never anything else.
fn is_ours(url: &Url) -> bool {
    match url.scheme() {
        "tauri" => url.host_str() == Some("localhost"),
        // How the same pages are addressed on Windows.
        "http" | "https" => url.host_str() == Some("tauri.localhost") && url.port().is_none(),
        _ => false,
    }
}

/// Brings the window to the front, wherever it is.
pub(crate) fn raise<R: Runtime>(app: &AppHandle<R>) {
    let Some(window) = app.get_webview_window(LABEL) else { return };
    let raised = window.show().and_then(|()| window.unminimize()).and_then(|()| window.set_focus());
    if let Err(error) = raised {
        tracing::warn!(%error, "the window didn't come to the front");
    }
}

/// Takes the window off the screen.
pub(crate) fn hide<R: Runtime>(app: &AppHandle<R>) {
    let Some(window) = app.get_webview_window(LABEL) else { return };
    if let Err(error) = window.hide() {
        tracing::warn!(%error, "the window couldn't be hidden");
    }
}

/// The number on the app's icon, where the desktop shows one; nothing waits: none.
pub(crate) fn badge<R: Runtime>(app: &AppHandle<R>, waiting: u32) {
    let Some(window) = app.get_webview_window(LABEL) else { return };
    if let Err(error) = window.set_badge_count((waiting > 0).then_some(i64::from(waiting))) {
        tracing::debug!(%error, "the app's icon shows no number");
    }
}

/// Asks for the person where there are no notifications to do it.
pub(crate) fn ask_for_attention<R: Runtime>(app: &AppHandle<R>) {
    let Some(window) = app.get_webview_window(LABEL) else { return };
    if let Err(error) = window.request_user_attention(Some(UserAttentionType::Informational)) {
        tracing::debug!(%error, "the window can't ask for attention");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_goes_nowhere() {
        for (address, expected) in [
            ("tauri://localhost/index.html#/inbox", true),
            ("http://tauri.localhost/", true),
            ("http://tauri.localhost:8080/", false),
            ("tauri://elsewhere/", false),
            ("https://example.com/", false),
            ("http://127.0.0.1:1420/", false),
            ("file:///etc/passwd", false),
            ("about:blank", false),
            ("data:text/html,hello", false),
        ] {
            assert_eq!(is_ours(&address.parse().unwrap()), expected, "{address}");
        }
    }
}
