//! The desktop shell.
#[allow(missing_docs, reason = "placeholder")]
pub fn run() {
    let _ = tauri::Builder::default().run(tauri::generate_context!());
}
