//! Commands, with real processes: how they end, what they see, and that nothing of them is left.

use std::collections::HashSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use countersign_core::input::OutcomeKind;
use countersign_engine::ports::{Asks, ToRun, Toolbox as _, Whole};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::{BOTH, Bench, helper_path};

/// How soon everything must be gone.
const SOON: Duration = Duration::from_secs(2);
/// How long a command may take to get going on a machine that is busy.
const EVENTUALLY: Duration = Duration::from_secs(30);

/// A child in the group, one that left the session, one that also lost its parent, one that ignores polite signals.
const TREE: &str = "sleep 1000 & (setsid sleep 1000 &) ; (setsid sh -c 'trap \"\" TERM HUP INT; sleep 1000; sleep 1000' &) ; touch ready; sleep 1000";

#[tokio::test]
async fn the_result_has_status_and_output() {
    let bench = Bench::new(BOTH[0]);
    for (command, kind, first, rest) in [
        ("echo out; echo err >&2; echo out", OutcomeKind::Succeeded, "exit status 0 after ", "\n\nout\nerr\nout\n"),
        ("true", OutcomeKind::Succeeded, "exit status 0 after ", "\nno output"),
        ("echo no; exit 3", OutcomeKind::Failed, "exit status 3 after ", "\n\nno\n"),
        ("kill -SEGV $$", OutcomeKind::Failed, "ended by signal 11 after ", "\nno output"),
        ("/no/such/command", OutcomeKind::Failed, "exit status 127 after ", "not found\n"),
        ("cat; echo end", OutcomeKind::Succeeded, "exit status 0 after ", "\n\nend\n"),
        ("pwd -P | sed 's:.*/::'", OutcomeKind::Succeeded, "exit status 0 after ", "\n\nwork\n"),
        ("echo $TERM; tty || true", OutcomeKind::Succeeded, "exit status 0 after ", "\n\ndumb\nnot a tty\n"),
    ] {
        let outcome = bench.call("run_command", json!({ "command": command })).await;
        assert_eq!(outcome.kind, kind, "`{command}`: {}", outcome.text);
        assert!(outcome.text.starts_with(first) && outcome.text.ends_with(rest), "`{command}`: {}", outcome.text);
    }
}

#[tokio::test]
async fn much_output_never_blocks_the_command_and_its_middle_is_left_out() {
    let bench = Bench::new(BOTH[0]);
    let command = "echo first; head -c 50000000 /dev/zero | tr '\\0' x; echo; echo last";
    let call = call(&bench, command).await;
    let whole = call.whole.clone();
    let outcome = bench.tools.run(call, CancellationToken::new()).await;
    assert_eq!(outcome.kind, OutcomeKind::Succeeded, "{}", &outcome.text[..200]);
    // The person can see more of it than the model, and not without bound.
    let whole = whole.take().unwrap();
    assert!(whole.len() <= 16 * 1024 * 1024 && whole.len() > 15 * 1024 * 1024, "{}", whole.len());
    assert!(
        whole.starts_with(&outcome.text[..40]) && whole.ends_with("x\nlast\n") && whole.contains("bytes weren't kept")
    );
    assert!(
        outcome.text.len() < 50_000 && outcome.text.contains("\n\nfirst\nxxx") && outcome.text.ends_with("x\nlast\n")
    );
    assert!(outcome.text.contains("\n… 49,950,860 bytes left out …\n"), "{}", outcome.text.replace('x', ""));
}

#[tokio::test]
async fn background_processes_end_with_the_command() {
    let bench = Bench::new(BOTH[0]);
    let outcome =
        bench.call("run_command", json!({ "command": "sleep 1000 & (setsid sleep 1000 &) ; echo done" })).await;
    assert_eq!(outcome.kind, OutcomeKind::Succeeded, "{}", outcome.text);
    assert_eq!(in_folder(&bench.work), HashSet::new(), "nothing is left when the result is there");
}

#[tokio::test]
async fn a_command_ends_when_its_time_is_over() {
    let bench = Bench::new(BOTH[0]);
    let began = Instant::now();
    let outcome = bench.call("run_command", json!({ "command": format!("echo begun; {TREE}"), "timeout_s": 1 })).await;
    assert_eq!(outcome.kind, OutcomeKind::Failed);
    assert!(
        outcome.text.contains("because its time was over; its effect may have happened\n\nbegun\n"),
        "{}",
        outcome.text
    );
    assert!(began.elapsed() < Duration::from_secs(1) + SOON);
    assert_eq!(in_folder(&bench.work), HashSet::new());
}

/// D-91.
#[tokio::test]
async fn a_stopped_command_is_killed_whole_and_its_output_kept() {
    let bench = Bench::new(BOTH[0]);
    let stop = CancellationToken::new();
    let running = bench.tools.run(call(&bench, &format!("echo begun; {TREE}")).await, stop.clone());
    let stopping = async {
        until(EVENTUALLY, "the command runs", || bench.work.join("ready").exists()).await;
        assert!(in_folder(&bench.work).len() >= 5);
        stop.cancel();
        Instant::now()
    };
    let (outcome, stopped) = tokio::join!(running, stopping);
    assert!(stopped.elapsed() < SOON);
    assert_eq!(outcome.kind, OutcomeKind::Stopped);
    assert!(
        outcome.text.starts_with("stopped after ")
            && outcome.text.ends_with(" s; its effect may have happened\n\nbegun\n"),
        "{}",
        outcome.text
    );
    assert_eq!(in_folder(&bench.work), HashSet::new());
}

/// The command stops the process that watches it, so that this can't hear that the call was stopped.
#[tokio::test]
async fn a_stopped_watcher_still_ends_the_command() {
    let bench = Bench::unconfined();
    let stop = CancellationToken::new();
    let running = bench.tools.run(call(&bench, &format!("kill -STOP $PPID; {TREE}")).await, stop.clone());
    let stopping = async {
        until(EVENTUALLY, "the command runs", || bench.work.join("ready").exists()).await;
        stop.cancel();
    };
    let (outcome, ()) = tokio::join!(running, stopping);
    assert_eq!(outcome.kind, OutcomeKind::Stopped, "{}", outcome.text);
    assert_eq!(in_folder(&bench.work), HashSet::new());
}

/// It keeps stopping its watcher; then the app does the watcher's work.
#[tokio::test]
async fn a_watcher_that_is_held_stopped_does_not_save_the_command() {
    let bench = Bench::unconfined();
    let stop = CancellationToken::new();
    let holding = format!("(setsid sh -c \"while :; do kill -STOP $PPID; done\" &) ; {TREE}");
    let running = bench.tools.run(call(&bench, &holding).await, stop.clone());
    let stopping = async {
        until(EVENTUALLY, "the command runs", || bench.work.join("ready").exists()).await;
        stop.cancel();
    };
    let (outcome, ()) = tokio::join!(running, stopping);
    assert_eq!(outcome.kind, OutcomeKind::Stopped, "{}", outcome.text);
    assert_eq!(in_folder(&bench.work), HashSet::new());
}

/// The command kills the process that watches it: the shell and its group end, and the result says so.
#[tokio::test]
async fn a_killed_watcher_takes_the_shell_with_it() {
    let bench = Bench::unconfined();
    let outcome = bench.call("run_command", json!({ "command": "sleep 1000 & kill -KILL $PPID; sleep 1000" })).await;
    assert_eq!(outcome.kind, OutcomeKind::Unknown);
    assert!(outcome.text.contains("lost sight of the command"), "{}", outcome.text);
    until(SOON, "the group is gone", || in_folder(&bench.work).is_empty()).await;
}

#[tokio::test]
async fn a_dropped_future_leaves_nothing_running() {
    let bench = Bench::new(BOTH[0]);
    let running = bench.tools.run(call(&bench, TREE).await, CancellationToken::new());
    tokio::select! {
        outcome = running => panic!("it ended by itself: {}", outcome.text),
        () = until(EVENTUALLY, "the command runs", || bench.work.join("ready").exists()) => {}
    }
    until(SOON, "everything is gone", || in_folder(&bench.work).is_empty()).await;
}

/// The app is killed with no chance to do anything.
#[tokio::test]
async fn nothing_is_left_when_the_app_is_killed() {
    let bench = Bench::new(BOTH[0]);
    let mut app = app(&bench, TREE).spawn().unwrap();
    until(EVENTUALLY, "the command runs", || bench.work.join("ready").exists()).await;
    assert!(in_folder(&bench.work).len() >= 5, "{:?}", in_folder(&bench.work));
    app.kill().unwrap();
    app.wait().unwrap();
    until(SOON, "everything is gone", || in_folder(&bench.work).is_empty()).await;
}

/// A tree that grows as fast as it can is caught too.
#[tokio::test]
async fn a_growing_tree_is_ended_whole() {
    let bench = Bench::new(BOTH[0]);
    let command = "for i in 1 2 3 4; do (setsid sh -c 'while :; do (sleep 0.05 &) ; done' &) ; done; sleep 1000";
    let outcome = bench.call("run_command", json!({ "command": command, "timeout_s": 1 })).await;
    assert!(outcome.text.contains("because its time was over; its effect may have happened\n"), "{}", outcome.text);
    assert_eq!(in_folder(&bench.work), HashSet::new());
}

/// Self-approval is the first attack: nothing in the environment leads back to the desktop, the bus or a key.
#[tokio::test]
async fn the_environment_holds_nothing_to_approve_with() {
    let bench = Bench::new(BOTH[0]);
    let mut app = app(&bench, "env");
    app.env_clear();
    let kept = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "CARGO_HOME"];
    for name in kept {
        app.env(name, if name == "PATH" { "/usr/bin:/bin" } else { "kept" });
    }
    for name in [
        "DISPLAY",
        "WAYLAND_DISPLAY",
        "WAYLAND_SOCKET",
        "XAUTHORITY",
        "DBUS_SESSION_BUS_ADDRESS",
        "DBUS_SYSTEM_BUS_ADDRESS",
        "XDG_RUNTIME_DIR",
        "XDG_DATA_HOME",
        "XDG_CONFIG_HOME",
        "SSH_AUTH_SOCK",
        "GPG_AGENT_INFO",
        "ICEAUTHORITY",
        "SESSION_MANAGER",
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "GITHUB_TOKEN",
        "PGPASSWORD",
        "MY_SECRET",
        "LC_TOKEN",
        "LD_PRELOAD_X",
        "COUNTERSIGN_DATA",
        "TERM_PROGRAM",
        "GNOME_KEYRING_CONTROL",
    ] {
        app.env(name, "leaked");
    }
    assert!(app.status().unwrap().success());
    let result = bench.content("result");
    assert!(result.starts_with("exit status 0"), "{result}");
    assert!(!result.contains("leaked"), "{result}");
    // The last five are set by us or by the shell itself.
    let expected: HashSet<&str> = kept.into_iter().chain(["TERM", "PWD", "OLDPWD", "SHLVL", "_"]).collect();
    for line in result.lines().skip(2) {
        let (name, _) = line.split_once('=').unwrap_or((line, ""));
        assert!(expected.contains(name), "`{line}` passed");
    }
    for name in kept {
        assert!(result.contains(&format!("\n{name}=")), "{name} is missing in {result}");
    }
}

/// What the app has open is none of a command's business, even if it is marked to be inherited.
#[tokio::test]
async fn a_command_inherits_no_open_file() {
    let bench = Bench::new(BOTH[0]);
    let leaky = std::fs::File::open("/dev/null").unwrap();
    rustix::io::fcntl_setfd(&leaky, rustix::io::FdFlags::empty()).unwrap();
    let outcome = bench.call("run_command", json!({ "command": "ls /proc/self/fd; readlink /proc/self/fd/0" })).await;
    assert!(outcome.text.ends_with("\n\n0\n1\n2\n3\n/dev/null\n"), "3 is the listing's own: {}", outcome.text);
}

/// A stand-in for the app that runs one command.
fn app(bench: &Bench, command: &str) -> Command {
    let mut app = Command::new(helper_path());
    app.arg(&bench.work).arg(json!({ "command": command }).to_string()).stdin(Stdio::null());
    app
}

async fn call(bench: &Bench, command: &str) -> ToRun {
    let arguments = json!({ "command": command });
    let preconditions = bench.prepare("run_command", &arguments).await.preconditions;
    ToRun {
        tool: "run_command".to_owned(),
        identity: None,
        arguments: arguments.to_string(),
        preconditions,
        also: None,
        asks: Asks::nobody(),
        whole: Whole::default(),
    }
}

/// Waits for something to become true, and fails if it doesn't soon.
async fn until(limit: Duration, what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < limit, "after {limit:?} it doesn't hold that {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// The living processes whose working folder is this one; only a command's are, and the folder is this test's own.
fn in_folder(folder: &Path) -> HashSet<u32> {
    let mut found = HashSet::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        if std::fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == folder) {
            found.insert(pid);
        }
    }
    found
}
