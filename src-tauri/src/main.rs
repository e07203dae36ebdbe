//! The `countersign` program.

fn main() -> std::process::ExitCode {
    // The app starts itself to watch over a command of an agent; that must come before anything else.
    if let Some(code) = countersign_tools::exec::main_if_asked() {
        return code;
    }
    countersign_desktop::run()
}
