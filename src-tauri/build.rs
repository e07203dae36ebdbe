//! Lets Tauri embed the built ui, the icons and the capabilities.

fn main() {
    tauri_build::build();
}
