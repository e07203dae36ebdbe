//! The two processes of the exec mode: the watcher, and the one that becomes the shell.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rustix::process::{Pid, WaitOptions, getpid, getppid, setsid, wait};

use super::descendants::end_all;
use super::hold::{Order, hold};
use super::{CHILD, End, Report, own_program};

enum Event {
    ShellEnded(End),
    AppGone,
}

/// Starts the shell, and ends everything below when the shell, the time or the app is over.
pub(super) fn watch(limit: Duration, command: &OsStr) -> ExitCode {
    // A Ctrl-C at the terminal that the app was started from must not end the watcher before the command.
    let _ = setsid();
    let Ok(mut app) = std::io::stdin().as_fd().try_clone_to_owned().map(UnixStream::from) else {
        return ExitCode::from(2);
    };
    stand_guard();
    let order = match order(&app) {
        Ok(order) => order,
        Err(why) => {
            tell(&mut app, &Report::Unusable { why });
            return ExitCode::FAILURE;
        }
    };
    let started = own_program().and_then(|program| {
        let mut child = Command::new(program);
        child.arg(CHILD).arg(getpid().as_raw_nonzero().get().to_string()).arg(command).stdin(Stdio::piped());
        // The main thread starts it, because the kernel's death signal follows the thread.
        child.spawn()
    });
    let mut child = match started {
        Ok(child) => child,
        Err(error) => {
            tell(&mut app, &Report::Unusable { why: error.to_string() });
            return ExitCode::FAILURE;
        }
    };
    let shell = child.id().cast_signed();
    tell(&mut app, &Report::Started { group: shell });
    // Only now it becomes the shell: the first thing that a command does could be to kill this process, and then the
    // app must know already what else to end. If it doesn't hear its order whole, it does nothing and ends.
    if let Some(mut line) = child.stdin.take() {
        let _ = line.write_all(order.as_bytes());
    }
    let (sender, events) = mpsc::channel();
    let of_app = sender.clone();
    if let Ok(mut app) = app.try_clone() {
        std::thread::spawn(move || {
            let mut nothing = [0; 64];
            while app.read(&mut nothing).is_ok_and(|read| read > 0) {}
            let _ = of_app.send(Event::AppGone);
        });
    }
    std::thread::spawn(move || {
        // Orphans are adopted all the time; each is reaped, or they would pile up as long as the command runs.
        while let Ok(Some((pid, status))) = wait(WaitOptions::empty()) {
            if pid.as_raw_nonzero().get() == shell {
                let end = match (status.exit_status(), status.terminating_signal()) {
                    (Some(code), _) => End::Exited { code },
                    (None, signal) => End::Signalled { signal: signal.unwrap_or_default() },
                };
                let _ = sender.send(Event::ShellEnded(end));
                return;
            }
        }
    });
    let end = match events.recv_timeout(limit) {
        Ok(Event::ShellEnded(end)) => end,
        Ok(Event::AppGone) | Err(mpsc::RecvTimeoutError::Disconnected) => End::LetGo,
        Err(mpsc::RecvTimeoutError::Timeout) => End::TimedOut,
    };
    let left = end_all(getpid(), Pid::from_raw(shell), reap);
    tell(&mut app, &Report::Over { end, left });
    ExitCode::SUCCESS
}

/// What the app sent first: one line, to be handed on.
fn order(app: &UnixStream) -> Result<String, String> {
    let mut line = String::new();
    // Nothing else is ever sent, so what the reader takes beyond the line can't be missed.
    let read = app.try_clone().and_then(|app| BufReader::new(app).read_line(&mut line));
    match read {
        Ok(_) if line.ends_with('\n') => Ok(line),
        Ok(_) => Err("the app went away".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Takes the status of every child that has ended.
fn reap() {
    while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
}

/// Becomes the shell, bound to the watcher's life.
pub(super) fn become_shell(watcher: u64, command: &OsStr) -> ExitCode {
    die_with_parent();
    let _ = setsid();
    // Ends when the watcher lets go of it.
    let mut order = String::new();
    let heard = std::io::stdin().read_to_string(&mut order);
    // It may also have died before the kernel knew that this one wants to follow.
    if getppid().is_none_or(|parent| u64::try_from(parent.as_raw_nonzero().get()) != Ok(watcher)) {
        return ExitCode::FAILURE;
    }
    close_inherited();
    let order = heard.and_then(|_| Ok(serde_json::from_str::<Order>(&order)?)).map_err(|error| error.to_string());
    if let Err(why) = order.and_then(|order| hold(&order)) {
        let _ = writeln!(std::io::stderr(), "the command was not started, because it couldn't be confined: {why}");
        return ExitCode::from(126);
    }
    let error = Command::new("/bin/sh").arg("-c").arg(command).stdin(Stdio::null()).exec();
    let _ = writeln!(std::io::stderr(), "the shell could not be started: {error}");
    ExitCode::from(127)
}

/// Closes every open file but the three that a command has. What was left open in the app by a library, or handed to
/// it by whoever started it, could be a connection to the desktop, and with that a way to press the app's own buttons.
fn close_inherited() {
    let listing = std::fs::read_dir("/dev/fd").into_iter().flatten().flatten();
    let open: Vec<i32> = listing.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    // The listing's own number is among them, closed already; this process has opened nothing else.
    for number in open.into_iter().filter(|number| *number > 2) {
        let _ = nix::unistd::close(number);
    }
}

/// If nobody listens any more there is nobody to tell.
fn tell(app: &mut UnixStream, report: &Report) {
    if let Ok(mut line) = serde_json::to_string(report) {
        line.push('\n');
        let _ = app.write_all(line.as_bytes());
    }
}

#[cfg(target_os = "linux")]
fn stand_guard() {
    // Also, no other process of the same person may take this one over: it is what ends the command.
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
    let _ = rustix::process::set_child_subreaper(Some(getpid()));
}

#[cfg(not(target_os = "linux"))]
fn stand_guard() {}

#[cfg(target_os = "linux")]
fn die_with_parent() {
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
}

#[cfg(not(target_os = "linux"))]
fn die_with_parent() {}
