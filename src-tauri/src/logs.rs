//! The log: a file a day in the logs folder, and the terminal in a debug build.
//!
//! Arguments, results and keys never go to it. What is logged at `info` names kinds, ids and counts.

use std::path::Path;
use std::sync::Mutex;

use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

/// How many days are kept.
const DAYS: usize = 14;
/// What is written unless COUNTERSIGN_LOG says otherwise.
const USUAL: &str = "warn,countersign=info,countersign_desktop=info,countersign_api=info,countersign_engine=info,\
                     countersign_store=info,countersign_models=info,countersign_tools=info,\
                     rmcp=off";

/// Whoever holds this keeps the log going; what is still on its way is written when it is closed.
#[derive(Debug, Default)]
pub(crate) struct Log(Mutex<Option<WorkerGuard>>);

impl Log {
    /// Writes what is on its way. Called as the very last thing, because Tauri ends the process without dropping anything.
    pub(crate) fn close(&self) {
        if let Ok(mut guard) = self.0.lock() {
            drop(guard.take());
        }
    }
}

/// Starts the log. An app that can't log still starts.
pub(crate) fn start(folder: &Path) -> Log {
    let appender = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("countersign")
        .filename_suffix("log")
        .max_log_files(DAYS)
        .build(folder);
    let filter = || EnvFilter::try_from_env("COUNTERSIGN_LOG").unwrap_or_else(|_| EnvFilter::new(USUAL));
    let mut layers = Vec::new();
    let mut guard = None;
    match appender {
        Ok(appender) => {
            let (writer, worker) = tracing_appender::non_blocking(appender);
            guard = Some(worker);
            layers.push(
                tracing_subscriber::fmt::layer().with_ansi(false).with_writer(writer).with_filter(filter()).boxed(),
            );
        }
        Err(error) => eprintln!("no log can be written to `{}`: {error}", folder.display()),
    }
    if cfg!(debug_assertions) {
        layers.push(tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_filter(filter()).boxed());
    }
    if tracing_subscriber::registry().with(layers).try_init().is_err() {
        eprintln!("something else logs already; nothing is written to `{}`", folder.display());
    }
    log_panics();
    Log(Mutex::new(guard))
}

/// A panic is logged with its place only: its text may quote what an agent or a model wrote.
fn log_panics() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let thread = std::thread::current();
        tracing::error!(place, thread = thread.name().unwrap_or_default(), "a panic");
        before(panic);
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_logged_is_in_the_file_when_the_log_is_closed() {
        let folder = tempfile::tempdir().unwrap();
        let log = start(folder.path());
        tracing::warn!("a line for the file");
        let _ = std::thread::Builder::new().name("unlucky".to_owned()).spawn(|| panic!("secret words")).unwrap().join();
        log.close();
        let file = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        let text = std::fs::read_to_string(file).unwrap();
        assert!(text.contains("a line for the file"), "{text}");
        assert!(text.contains("a panic") && text.contains("unlucky"), "{text}");
        assert!(!text.contains("secret words"), "{text}");
    }
}
