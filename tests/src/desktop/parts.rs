//! Programs that a desktop is made of. Each ends with the value that stands for it, and everything that it started.

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Mutex;

use rustix::process::{Pid, Signal, kill_process_group};

/// A running program, as the leader of a process group.
pub(super) struct Part {
    name: String,
    child: Child,
    output: Mutex<Option<BufReader<ChildStdout>>>,
}

impl Part {
    /// Starts a program.
    pub(super) fn start(program: &str, package: &str, arguments: &[&str], environment: &[(String, String)]) -> Self {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        if !environment.is_empty() {
            command.env_clear().envs(environment.iter().map(|(name, value)| (name, value)));
        }
        let mut child = command.spawn().unwrap_or_else(|error| missing(program, package, &error));
        let output = Mutex::new(child.stdout.take().map(BufReader::new));
        Self { name: program.to_owned(), child, output }
    }

    /// The first line that it writes, which says that it is there.
    pub(super) fn first_line(&self) -> String {
        let mut line = String::new();
        let mut output = self.output.lock().expect("nobody else reads it");
        let output = output.as_mut().expect("its output is read");
        output.read_line(&mut line).expect("a line");
        assert!(!line.trim().is_empty(), "{} ended before it was there", self.name);
        line.trim().to_owned()
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}

/// Runs a program to its end and gives what it wrote.
pub(super) fn run(program: &str, package: &str, arguments: &[&str], environment: &[(String, String)]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .env_clear()
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| missing(program, package, &error));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The children of a process.
pub(super) fn children(parent: u32) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").expect("/proc").flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        // The name may hold anything, so the fields are counted from behind its closing bracket.
        let mut fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        if fields.nth(1) == Some(&parent.to_string()) {
            found.push(id);
        }
    }
    found
}

/// Whether a process is there and not just waiting to be collected.
pub(super) fn runs(id: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{id}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z'))
}

/// The app: where the environment says, or where cargo puts it beside this test.
pub(super) fn path_of_the_app() -> PathBuf {
    if let Some(path) = std::env::var_os("COUNTERSIGN_APP") {
        return PathBuf::from(path);
    }
    let test = std::env::current_exe().expect("the test's own path");
    let folder = test.parent().and_then(std::path::Path::parent).expect("target/debug");
    let app = folder.join("countersign");
    assert!(app.is_file(), "{} isn't built; `./dev test desktop` builds it", app.display());
    app
}

/// The engine's own small browser, which comes with the engine.
pub(super) fn path_of_the_browser() -> PathBuf {
    let found = glob("/usr/lib").into_iter().chain([PathBuf::from("/usr/libexec/webkit2gtk-4.1/MiniBrowser")]);
    let browser = found.into_iter().find(|path| path.is_file());
    browser.unwrap_or_else(|| panic!("MiniBrowser isn't there; Debian's package libwebkit2gtk-4.1-0 has it"))
}

/// Where distributions with a folder an architecture put it.
fn glob(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path().join("webkit2gtk-4.1/MiniBrowser")).collect()
}

fn missing(program: &str, package: &str, error: &std::io::Error) -> ! {
    panic!("`{program}` can't be started ({error}); Debian's package is called {package}, and `./dev test` installs it")
}
