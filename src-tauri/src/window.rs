//! The one window: how it is made, what it may not do, and how it comes to the front.

use tauri::utils::config::Color;
use tauri::webview::NewWindowResponse;
use tauri::{
    AppHandle, Manager as _, Runtime, Theme, Url, UserAttentionType, WebviewUrl, WebviewWindow, WebviewWindowBuilder,
};

use crate::arguments::FirstShow;
use crate::paths::Paths;

/// The window's label, which the capability names.
pub(crate) const LABEL: &str = "main";
/// The ground of the page, so that nothing flashes white before it is there.
const LIGHT: Color = Color(0xF6, 0xF6, 0xF3, 0xFF);
/// The same in the dark.
const DARK: Color = Color(0x15, 0x16, 0x13, 0xFF);

/// Makes the window.
///
/// # Errors
/// What the system said.
pub(crate) fn make<R: Runtime>(app: &AppHandle<R>, paths: &Paths, show: FirstShow) -> tauri::Result<WebviewWindow<R>> {
    let builder = WebviewWindowBuilder::new(app, LABEL, WebviewUrl::App("index.html".into()))
        .title("Countersign")
        .inner_size(1120.0, 720.0)
        .min_inner_size(720.0, 480.0)
        .visible(false)
        .background_color(LIGHT)
        .data_directory(paths.webview())
        .devtools(cfg!(debug_assertions))
        .disable_drag_drop_handler()
        .general_autofill_enabled(false)
        .on_navigation(is_ours)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .on_download(|_, _| false);
    let window = builder.build()?;
    if matches!(window.theme(), Ok(Theme::Dark)) {
        window.set_background_color(Some(DARK))?;
    }
    match show {
        FirstShow::Shown => window.show()?,
        FirstShow::Hidden => {}
    }
    Ok(window)
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
