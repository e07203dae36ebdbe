//! Commands, each started through this very program.
//!
//! # Design
//! The app starts itself as `__exec`; that process, the watcher, holds one end of a socket whose other end the app
//! keeps for the life of the command. The watcher starts itself once more as `__exec-child`, which makes itself the
//! leader of a session without a terminal, asks the kernel to be killed should the watcher die, and becomes the shell.
//! When the socket ends, because the call was stopped, its future was dropped, or the app is gone, however it went,
//! and also when the shell ends or the time is over, the watcher kills everything below it. It adopts what loses its
//! parent, so leaving the process group or the session is no way out. The extra start is there because the settings
//! of a child can't be made between fork and exec without unsafe code.
//!
//! The watcher itself asks for no death signal: the kernel would send that when the *thread* that started it ends,
//! and worker threads come and go. The socket says the same thing without that trap.
//!
//! Right before it becomes the shell, the last process holds itself in as far as it was ordered to (see `hold`); what it
//! is ordered travels over the same socket, never in arguments that the command could read. An order that it can't carry
//! out ends it: the command isn't run.
//!
//! A command that nothing holds in runs as the person, and what it opens is up to it. It could also kill its watcher; then
//! its shell and process group still end, but not what had left the group. In any case its environment names neither the
//! desktop, nor the session bus, nor a key, nor any folder of Countersign's.

pub(crate) mod command;
mod descendants;
pub(crate) mod environment;
mod hold;
pub(crate) mod kept;
mod offered;
mod watch;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use countersign_core::confine::Offered;
use serde::{Deserialize, Serialize};

const WATCH: &str = "__exec";
const CHILD: &str = "__exec-child";
const TRY: &str = "__exec-try";

/// The program that is started to watch a command: this one, or one that also calls [`main_if_asked`] first. Clones share
/// what was found out about the machine.
#[derive(Debug, Clone)]
pub struct ExecHelper {
    path: PathBuf,
    offered: Arc<OnceLock<Offered>>,
}

impl ExecHelper {
    /// This program, even if its file was replaced by an update meanwhile.
    ///
    /// # Errors
    /// If the program can't find itself.
    pub fn this_program() -> std::io::Result<Self> {
        own_program().map(Self::at)
    }

    /// Another program.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), offered: Arc::default() }
    }

    /// As if the machine offered this; for tests of what it doesn't offer.
    #[must_use]
    pub fn offering(self, offered: Offered) -> Self {
        Self { offered: Arc::new(OnceLock::from(offered)), ..self }
    }

    /// What this machine offers for holding commands in. The first call tries it, with processes that it waits for: a few
    /// milliseconds, not on a thread that must not wait.
    pub fn offered(&self) -> &Offered {
        self.offered.get_or_init(|| offered::offered(self))
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

/// Does the work of the exec mode if the program was started for that. `main` calls this before anything else and
/// leaves with the code, if there is one.
pub fn main_if_asked() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let mode = arguments.next()?;
    if mode == TRY {
        return Some(match (arguments.next(), arguments.next(), arguments.next()) {
            (Some(network), Some(place), None) => offered::try_it(&network.to_string_lossy(), Path::new(&place)),
            _ => ExitCode::from(2),
        });
    }
    if mode != WATCH && mode != CHILD {
        return None;
    }
    let (Some(number), Some(command), None) = (arguments.next(), arguments.next(), arguments.next()) else {
        return Some(ExitCode::from(2));
    };
    let Some(number) = number.to_str().and_then(|number| number.parse().ok()) else {
        return Some(ExitCode::from(2));
    };
    Some(if mode == WATCH {
        watch::watch(Duration::from_millis(number), &command)
    } else {
        watch::become_shell(number, &command)
    })
}

/// What the watcher tells the app, one JSON text a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
enum Report {
    /// The shell was started, as the leader of this group.
    Started { group: i32 },
    /// It is over, and this many processes could not be ended.
    Over { end: End, left: usize },
    /// The shell could not be started.
    Unusable { why: String },
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "how")]
enum End {
    /// With an exit status.
    Exited { code: i32 },
    /// By a signal that wasn't ours.
    Signalled { signal: i32 },
    /// By the watcher, because its time was over.
    TimedOut,
    /// By the watcher, because the app let go.
    LetGo,
}

#[cfg(target_os = "linux")]
#[allow(clippy::unnecessary_wraps, reason = "other systems can fail here")]
fn own_program() -> std::io::Result<PathBuf> {
    Ok(PathBuf::from("/proc/self/exe"))
}

#[cfg(not(target_os = "linux"))]
fn own_program() -> std::io::Result<PathBuf> {
    std::env::current_exe()
}

fn watch_arguments(limit: Duration, command: &str) -> [OsString; 3] {
    [WATCH.into(), limit.as_millis().to_string().into(), command.into()]
}
