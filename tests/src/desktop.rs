//! The real app on a desktop of its own: a screen, a session bus, a notification server and a WebDriver, each started
//! for one test and gone with it. What a person does is done here: look, click, type, press a notification.
//!
//! Nothing sleeps for logic: everything waits until it is so, for up to a minute, because a loaded machine is slow. A
//! part that isn't installed fails the test by name.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "it is for tests only, and there a panic is how a fault is told"
)]
#![allow(
    clippy::used_underscore_binding,
    clippy::unused_self,
    reason = "the standard says what a notification server is told, and the macro hands all of it on"
)]

mod hands;
mod model;
mod notices;
mod pages;
mod parts;
mod webdriver;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use notices::Notices;
use parts::{Part, path_of_the_app, path_of_the_browser};
use webdriver::WebDriver;

pub use hands::{CONTROL, ENTER, ESCAPE, Row, SHIFT};
pub use model::{Model, Turn};
pub use notices::Shown;
pub use pages::Pages;

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long between two looks.
const GLANCE: Duration = Duration::from_millis(40);

/// Who shows notifications.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Server {
    /// A server of our own, which can be asked what it shows and pressed.
    Ours,
    /// dunst, which is what some people really have.
    Dunst,
    /// Nobody.
    None,
}

/// A folder for one test: the app's data, a home folder, a workspace. Outlives a desktop, so that the app can be
/// started again on what it left.
#[derive(Debug)]
pub struct TestFolder(tempfile::TempDir);

impl TestFolder {
    /// A new one.
    pub fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("countersign-desktop-").tempdir().expect("a temporary folder");
        for name in ["home", "run", "work"] {
            std::fs::create_dir(folder.path().join(name)).expect("a folder in it");
        }
        private(&folder.path().join("run"));
        Self(folder)
    }

    /// Where the app keeps its data.
    pub fn data(&self) -> PathBuf {
        self.0.path().join("data")
    }

    /// An empty folder for an agent.
    pub fn work(&self) -> PathBuf {
        self.0.path().join("work")
    }

    /// Everything.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Default for TestFolder {
    fn default() -> Self {
        Self::new()
    }
}

/// A desktop with the app on it.
pub struct Desktop {
    // Dropped in this order: first the app, last the screen.
    driver: WebDriver,
    notices: Option<Notices>,
    dunst: Option<Part>,
    _bus: Part,
    _screen: Part,
    environment: Vec<(String, String)>,
    runtime: tokio::runtime::Runtime,
}

impl Desktop {
    /// A desktop with our own notification server, and the app's window on it.
    pub fn start(folder: &TestFolder) -> Self {
        Self::start_with(folder, Server::Ours)
    }

    /// A desktop with the given notification server, and the app's window on it.
    pub fn start_with(folder: &TestFolder, server: Server) -> Self {
        let mut desktop = Self::bare(folder, server);
        desktop.open();
        desktop
    }

    /// A desktop with nothing on it yet.
    fn bare(folder: &TestFolder, server: Server) -> Self {
        let screen = Part::start(
            "Xvfb",
            "xvfb",
            &["-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp", "-noreset"],
            &[],
        );
        let display = format!(":{}", screen.first_line());
        let run = folder.path().join("run").to_string_lossy().into_owned();
        let home = folder.path().join("home").to_string_lossy().into_owned();
        let mut environment: Vec<(String, String)> = [
            ("PATH", std::env::var("PATH").unwrap_or_default().as_str()),
            ("HOME", &home),
            ("XDG_RUNTIME_DIR", &run),
            ("DISPLAY", &display),
            ("LANG", "C.UTF-8"),
            ("GDK_BACKEND", "x11"),
            ("LIBGL_ALWAYS_SOFTWARE", "1"),
            ("NO_AT_BRIDGE", "1"),
            ("GTK_A11Y", "none"),
            ("RUST_BACKTRACE", "1"),
            ("COUNTERSIGN_DATA_DIR", &folder.data().to_string_lossy()),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec();

        let bus = Part::start("dbus-daemon", "dbus", &["--session", "--nofork", "--print-address=1"], &environment);
        let address = bus.first_line();
        environment.push(("DBUS_SESSION_BUS_ADDRESS".to_owned(), address.clone()));

        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime for the notification server");
        let notices = match server {
            Server::Ours => Some(Notices::serve(&runtime, &address)),
            Server::Dunst => None,
            Server::None => {
                // A real server could be started by asking for it, so somebody takes its name who shows nothing.
                Some(Notices::refuse(&runtime, &address))
            }
        };
        let dunst = match server {
            Server::Dunst => Some(dunst(folder, &environment)),
            Server::Ours | Server::None => None,
        };

        let driver = WebDriver::start(&environment);
        Self { driver, notices, dunst, _bus: bus, _screen: screen, environment, runtime }
    }

    /// A desktop with a bare browser of the window's own engine on it, for pages that aren't the app.
    pub fn browse(folder: &TestFolder) -> Self {
        let mut desktop = Self::bare(folder, Server::None);
        desktop.driver.open(&path_of_the_browser(), &["--automation"]);
        desktop
    }

    /// Goes to an address; only where there is a browser.
    pub fn go(&self, address: &str) {
        self.driver.go(address);
    }

    /// Starts the app and waits for its window.
    pub fn open(&mut self) {
        self.driver.open(&path_of_the_app(), &[]);
    }

    /// Starts the app as a session does that the person hasn't looked at yet: without showing the window.
    pub fn open_hidden(&mut self) {
        self.driver.open(&path_of_the_app(), &["--hidden"]);
    }

    /// Ends the app as a session does that logs out, and waits until it is gone.
    pub fn quit(&mut self) {
        self.driver.end(rustix::process::Signal::TERM);
    }

    /// Kills the app in the middle of whatever it does.
    pub fn kill(&mut self) {
        self.driver.end(rustix::process::Signal::KILL);
    }

    /// Starts the app a second time beside the running one; gives its exit code and what it said.
    pub fn start_again(&self) -> (Option<i32>, String) {
        self.start_again_with(&[])
    }

    /// The same with words on its command line.
    pub fn start_again_with(&self, words: &[&str]) -> (Option<i32>, String) {
        let output = std::process::Command::new(path_of_the_app())
            .args(words)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .output()
            .expect("the app starts");
        let said = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8_lossy(&said).into_owned())
    }

    /// Runs a program on this desktop and gives what it wrote.
    pub fn run(&self, program: &str, package: &str, arguments: &[&str]) -> String {
        parts::run(program, package, arguments, &self.environment)
    }

    /// Whether something is in the page.
    pub fn has(&self, css: &str) -> bool {
        !self.driver.elements(css).is_empty()
    }

    /// How many are in the page.
    pub fn count(&self, css: &str) -> usize {
        self.driver.elements(css).len()
    }

    /// Waits until something is in the page.
    pub fn wait_for(&self, css: &str) {
        self.until(&format!("`{css}` is there"), || self.has(css));
    }

    /// Waits until something is not in the page any more.
    pub fn wait_until_gone(&self, css: &str) {
        self.until(&format!("`{css}` is gone"), || !self.has(css));
    }

    /// Clicks the first one, as soon as it is there and can be clicked.
    pub fn click(&self, css: &str) {
        self.until(&format!("`{css}` can be clicked"), || {
            self.driver
                .first(css)
                .is_some_and(|element| self.driver.is_enabled(&element) && self.driver.click(&element))
        });
    }

    /// Types into the first one, after emptying it.
    pub fn fill(&self, css: &str, text: &str) {
        self.until(&format!("`{css}` takes text"), || {
            self.driver
                .first(css)
                .is_some_and(|element| self.driver.clear(&element) && self.driver.type_into(&element, text))
        });
    }

    /// Presses keys where the focus is; WebDriver's code points stand for Enter and the like.
    pub fn keys(&self, text: &str) {
        self.driver.keys(text);
    }

    /// Presses keys together, such as Shift and a letter.
    pub fn chord(&self, keys: &str) {
        self.driver.chord(keys);
    }

    /// The visible text of the first one, as soon as it is there.
    pub fn text(&self, css: &str) -> String {
        let mut text = None;
        self.until(&format!("`{css}` has a text"), || {
            text = self.driver.first(css).and_then(|element| self.driver.text(&element));
            text.is_some()
        });
        text.unwrap_or_default()
    }

    /// Waits until the first one's visible text contains some words.
    pub fn wait_for_text(&self, css: &str, words: &str) {
        self.until(&format!("`{css}` says `{words}`"), || {
            let text = self.driver.first(css).and_then(|element| self.driver.text(&element));
            text.is_some_and(|text| text.contains(words))
        });
    }

    /// Runs a script in the page, as a function body.
    pub fn script(&self, body: &str) -> Value {
        let answer = self.driver.script(body, &json!([]));
        answer.unwrap_or_else(|refused| panic!("the script failed: {}", refused.0))
    }

    /// Runs a script in the page that ends by calling its last argument, and gives what it called it with.
    pub fn script_to_its_end(&self, body: &str, arguments: &Value) -> Value {
        let answer = self.driver.script_to_its_end(body, arguments);
        answer.unwrap_or_else(|refused| panic!("the script failed: {}", refused.0))
    }

    /// Waits until it is so. Says what it waited for and what the page showed if it never is.
    pub fn until(&self, what: &str, mut is_so: impl FnMut() -> bool) {
        let began = Instant::now();
        while !is_so() {
            if began.elapsed() > PATIENCE {
                let page = self.driver.script("return document.body.innerText", &json!([])).unwrap_or_default();
                panic!(
                    "{what}: not within {} s. The page says:\n{}",
                    PATIENCE.as_secs(),
                    page.as_str().unwrap_or_default()
                );
            }
            std::thread::sleep(GLANCE);
        }
    }

    /// A picture of the window in each theme, once it has come to rest.
    ///
    /// # Panics
    /// If the settings can't be read or saved, or the window doesn't change.
    pub fn in_both_themes(&self, name: &str) {
        for theme in ["dark", "light"] {
            let mut settings = self.invoke("snapshot", &json!({})).expect("there is a snapshot")["settings"].clone();
            settings["theme"] = json!(theme);
            self.invoke("save_settings", &json!({ "settings": settings })).expect("settings can be saved");
            self.until("the window has changed", || {
                self.script("return document.documentElement.dataset.theme") == json!(theme)
            });
            self.until("everything has come to rest", || {
                self.script("return document.getAnimations().every((one) => one.playState === 'finished')")
                    == json!(true)
            });
            self.shot(&format!("{name}-{theme}"));
        }
    }

    /// The notifications that are on the screen, oldest first.
    pub fn notices(&self) -> Vec<Shown> {
        self.own_notices().shown()
    }

    /// Every notification that was ever shown or replaced, oldest first.
    pub fn told(&self) -> Vec<Shown> {
        self.own_notices().told()
    }

    /// Waits for a notification that is so, and gives it.
    pub fn wait_for_notice(&self, what: &str, is_so: impl Fn(&Shown) -> bool) -> Shown {
        let mut found = None;
        self.until(&format!("a notification: {what}"), || {
            found = self.notices().into_iter().find(&is_so);
            found.is_some()
        });
        found.expect("just found")
    }

    /// Presses a notification's button, by its label; an empty label is the notification itself.
    pub fn press(&self, notice: &Shown, label: &str) {
        self.own_notices().press(&self.runtime, notice, label);
    }

    /// How dunst says what is on the screen.
    pub fn dunst_shows(&self) -> String {
        assert!(self.dunst.is_some(), "this desktop has no dunst");
        self.run("dunstctl", "dunst", &["count", "displayed"])
    }

    /// Writes a picture of the window into target/shots, if the environment has SHOTS.
    pub fn shot(&self, name: &str) {
        if std::env::var_os("SHOTS").is_none() {
            return;
        }
        let folder = path_of_the_app().with_file_name("").join("../shots");
        std::fs::create_dir_all(&folder).expect("a folder for pictures");
        std::fs::write(folder.join(format!("{name}.png")), self.driver.screenshot()).expect("a picture is written");
    }

    /// What is visible of windows named Countersign.
    pub fn visible_windows(&self) -> usize {
        self.windows_named("^Countersign$").len()
    }

    /// The windows on the screen whose names fit a pattern.
    pub fn windows_named(&self, pattern: &str) -> Vec<String> {
        let found = self.run("xdotool", "xdotool", &["search", "--onlyvisible", "--name", pattern]);
        found.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
    }

    fn own_notices(&self) -> &Notices {
        self.notices.as_ref().expect("this desktop's notification server is not ours")
    }
}

/// What the ui marks for tests.
pub fn id(name: &str) -> String {
    format!("[data-testid=\"{name}\"]")
}

/// dunst with nothing of the person's own configuration.
fn dunst(folder: &TestFolder, environment: &[(String, String)]) -> Part {
    let configuration = folder.path().join("dunstrc");
    std::fs::write(&configuration, "[global]\nsticky_history = no\n").expect("a configuration for dunst");
    let dunst = Part::start("dunst", "dunst", &["-config", &configuration.to_string_lossy()], environment);
    let began = Instant::now();
    // It is there when it answers; asking earlier would start a second one.
    while !parts::run("dbus-send", "dbus", OWNER_OF_NOTICES, environment).contains("boolean true") {
        assert!(began.elapsed() < PATIENCE, "dunst doesn't take the notifications");
        std::thread::sleep(GLANCE);
    }
    dunst
}

const OWNER_OF_NOTICES: &[&str] = &[
    "--session",
    "--print-reply",
    "--dest=org.freedesktop.DBus",
    "/org/freedesktop/DBus",
    "org.freedesktop.DBus.NameHasOwner",
    "string:org.freedesktop.Notifications",
];

fn private(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).expect("a private folder");
}
