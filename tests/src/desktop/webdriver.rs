//! As much of the WebDriver protocol as the tests speak, over plain HTTP to the driver on this machine.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::parts::{self, Part};
use super::{GLANCE, PATIENCE};

/// The name under which the protocol hands out elements.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A driver, and the app that it started.
pub(super) struct WebDriver {
    part: Part,
    port: u16,
    session: Option<String>,
}

/// Something in the page.
pub(super) struct Element(String);

/// What the driver said no to, and why.
#[derive(Debug)]
pub(super) struct Refused(pub(super) String);

impl WebDriver {
    /// Starts the driver on a free port. The app gets its environment.
    pub(super) fn start(environment: &[(String, String)]) -> Self {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port");
        let mut environment = environment.to_vec();
        environment.push(("TAURI_WEBVIEW_AUTOMATION".to_owned(), "true".to_owned()));
        let port = format!("--port={}", free.port());
        let part = Part::start("WebKitWebDriver", "webkit2gtk-driver", &[&port], &environment);
        let driver = Self { part, port: free.port(), session: None };
        driver.patiently("the driver answers", || driver.ask("GET", "/status", None).is_ok());
        driver
    }

    /// Starts the app.
    pub(super) fn open(&mut self, app: &Path, arguments: &[&str]) {
        let options = json!({"binary": app, "args": arguments});
        let wanted = json!({"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}});
        // The first session is refused now and then while the engine is still waking up.
        let mut last = None;
        for _ in 0..3 {
            match self.ask("POST", "/session", Some(&wanted)) {
                Ok(session) => {
                    let id = session["sessionId"].as_str().expect("a session has an id").to_owned();
                    self.session = Some(id);
                    let timeouts = json!({"script": 60_000, "pageLoad": 60_000, "implicit": 0});
                    self.tell("POST", "/timeouts", &timeouts).expect("timeouts are set");
                    return;
                }
                Err(refused) => last = Some(refused),
            }
        }
        panic!("the app's window didn't come: {last:?}");
    }

    /// Goes to an address.
    pub(super) fn go(&self, address: &str) {
        self.tell("POST", "/url", &json!({ "url": address })).expect("the page loads");
    }

    /// Ends the app with a signal, then the session.
    pub(super) fn end(&mut self, signal: Signal) {
        let apps = parts::children(self.part.id());
        assert!(!apps.is_empty(), "the app isn't there any more");
        for app in &apps {
            let id = i32::try_from(*app).ok().and_then(Pid::from_raw).expect("a process id");
            let _ = kill_process(id, signal);
        }
        self.patiently("the app is gone", || apps.iter().all(|app| !parts::runs(*app)));
        let _ = self.tell("DELETE", "", &Value::Null);
        self.session = None;
    }

    pub(super) fn elements(&self, css: &str) -> Vec<Element> {
        let found = self.tell("POST", "/elements", &json!({"using": "css selector", "value": css}));
        let found = found.ok().and_then(|found| found.as_array().cloned()).unwrap_or_default();
        found.iter().filter_map(|element| element[ELEMENT].as_str()).map(|id| Element(id.to_owned())).collect()
    }

    pub(super) fn first(&self, css: &str) -> Option<Element> {
        self.elements(css).into_iter().next()
    }

    pub(super) fn click(&self, element: &Element) -> bool {
        self.tell("POST", &format!("/element/{}/click", element.0), &json!({})).is_ok()
    }

    pub(super) fn clear(&self, element: &Element) -> bool {
        self.tell("POST", &format!("/element/{}/clear", element.0), &json!({})).is_ok()
    }

    pub(super) fn type_into(&self, element: &Element, text: &str) -> bool {
        self.tell("POST", &format!("/element/{}/value", element.0), &json!({"text": text})).is_ok()
    }

    pub(super) fn text(&self, element: &Element) -> Option<String> {
        let text = self.tell("GET", &format!("/element/{}/text", element.0), &Value::Null).ok()?;
        text.as_str().map(str::to_owned)
    }

    pub(super) fn is_enabled(&self, element: &Element) -> bool {
        let enabled = self.tell("GET", &format!("/element/{}/enabled", element.0), &Value::Null);
        enabled.is_ok_and(|enabled| enabled == json!(true))
    }

    /// Presses and lets go each key, one after the other.
    pub(super) fn keys(&self, text: &str) {
        let press = |key| [json!({"type": "keyDown", "value": key}), json!({"type": "keyUp", "value": key})];
        self.act_on_keys(&text.chars().flat_map(press).collect::<Vec<_>>());
    }

    /// Presses keys one after the other and lets go of all of them, the last one first.
    pub(super) fn chord(&self, keys: &str) {
        let down = keys.chars().map(|key| json!({"type": "keyDown", "value": key}));
        let up = keys.chars().rev().map(|key| json!({"type": "keyUp", "value": key}));
        self.act_on_keys(&down.chain(up).collect::<Vec<_>>());
    }

    fn act_on_keys(&self, actions: &[Value]) {
        let actions = json!({"actions": [{"type": "key", "id": "keyboard", "actions": actions}]});
        self.tell("POST", "/actions", &actions).expect("keys are pressed");
    }

    /// Runs the body of a function in the page.
    pub(super) fn script(&self, body: &str, arguments: &Value) -> Result<Value, Refused> {
        self.tell("POST", "/execute/sync", &json!({"script": body, "args": arguments}))
    }

    /// Runs the body of a function in the page that calls its last argument when it is done.
    pub(super) fn script_to_its_end(&self, body: &str, arguments: &Value) -> Result<Value, Refused> {
        self.tell("POST", "/execute/async", &json!({"script": body, "args": arguments}))
    }

    /// The window as a PNG, once what is in the page is painted.
    pub(super) fn screenshot(&self) -> Vec<u8> {
        let painted = "const done = arguments[arguments.length - 1];
            document.fonts.ready.then(() => requestAnimationFrame(() => requestAnimationFrame(() => done(true))));";
        self.script_to_its_end(painted, &json!([])).expect("the page is painted");
        let picture = self.tell("GET", "/screenshot", &Value::Null).expect("a picture");
        base64(picture.as_str().unwrap_or_default())
    }

    fn tell(&self, method: &str, place: &str, body: &Value) -> Result<Value, Refused> {
        let session = self.session.as_deref().ok_or_else(|| Refused("the app isn't open".to_owned()))?;
        let body = (method == "POST").then_some(body);
        self.ask(method, &format!("/session/{session}{place}"), body)
    }

    fn ask(&self, method: &str, place: &str, body: Option<&Value>) -> Result<Value, Refused> {
        let fault = |error: std::io::Error| Refused(error.to_string());
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).map_err(fault)?;
        stream.set_read_timeout(Some(PATIENCE * 2)).map_err(fault)?;
        let body = body.map(Value::to_string).unwrap_or_default();
        let length = body.len();
        let port = self.port;
        let head = format!(
            "{method} {place} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())).map_err(fault)?;
        let answer = read_answer(&mut stream).map_err(fault)?;
        let answer: Value = serde_json::from_slice(&answer).map_err(|error| Refused(error.to_string()))?;
        match answer["value"]["error"].as_str() {
            Some(error) => Err(Refused(format!("{error}: {}", answer["value"]["message"]))),
            None => Ok(answer["value"].clone()),
        }
    }

    fn patiently(&self, what: &str, mut is_so: impl FnMut() -> bool) {
        let began = Instant::now();
        while !is_so() {
            assert!(began.elapsed() < PATIENCE, "{what}: not within {} s", PATIENCE.as_secs());
            std::thread::sleep(GLANCE);
        }
    }
}

impl Drop for WebDriver {
    fn drop(&mut self) {
        // The app is in the driver's process group unless the driver put it elsewhere, so it is killed by name.
        for app in parts::children(self.part.id()) {
            if let Some(id) = i32::try_from(app).ok().and_then(Pid::from_raw) {
                let _ = kill_process(id, Signal::KILL);
            }
        }
        let began = Instant::now();
        while !parts::children(self.part.id()).is_empty() && began.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(GLANCE);
        }
    }
}

/// The body of an answer, by its declared length; some drivers keep the connection open.
fn read_answer(stream: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut read = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let head = read.windows(4).position(|window| window == b"\r\n\r\n");
        if let Some(end) = head {
            let text = String::from_utf8_lossy(&read[..end]).to_ascii_lowercase();
            let length = text.lines().find_map(|line| line.strip_prefix("content-length:"));
            let length: usize = length.and_then(|length| length.trim().parse().ok()).unwrap_or_default();
            if read.len() >= end + 4 + length {
                return Ok(read[end + 4..end + 4 + length].to_vec());
            }
        }
        match stream.read(&mut buffer)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            count => read.extend_from_slice(&buffer[..count]),
        }
    }
}

/// Standard Base64, as pictures come in.
fn base64(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let mut bits = 0_u32;
    let mut count = 0;
    for character in text.bytes() {
        let value = match character {
            b'A'..=b'Z' => character - b'A',
            b'a'..=b'z' => character - b'a' + 26,
            b'0'..=b'9' => character - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => continue,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xFF).unwrap_or_default());
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    #[test]
    fn pictures_are_decoded() {
        assert_eq!(super::base64("aGVsbG8gd29ybGQ="), b"hello world");
        assert_eq!(super::base64("//79"), [0xFF, 0xFE, 0xFD]);
    }
}
