//! What this machine offers for holding commands in: found out by trying, never by looking at versions.
//!
//! A process of our own holds itself in as a command would be, and then does what a command must not be able to do. Only
//! if all of that fails, and what must go on working works, is the level there.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use countersign_core::confine::{Confinement, Network, Offered};

use super::hold::{Order, hold};
use super::{ExecHelper, TRY};

/// Tries both levels. It starts processes and waits for them, a few milliseconds each.
pub(super) fn offered(helper: &ExecHelper) -> Offered {
    let files = attempt(helper, Network::On);
    let network = files.clone().and_then(|()| attempt(helper, Network::Off));
    Offered { files, network }
}

fn attempt(helper: &ExecHelper, network: Network) -> Result<(), String> {
    let place = Place::make().map_err(|error| format!("it couldn't be tried: {error}"))?;
    let run = Command::new(helper.path())
        .arg(TRY)
        .arg(match network {
            Network::On => "on",
            Network::Off => "off",
        })
        .arg(&place.0)
        .env_clear()
        .stdin(Stdio::null())
        .output();
    match run {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            Err(match said.trim() {
                "" => format!("what tried it ended with {}", output.status),
                said => said.chars().take(300).collect(),
            })
        }
        Err(error) => Err(format!("it couldn't be tried: {error}")),
    }
}

/// A folder to try it in: `work` is the workspace, `own` a refused folder, and `file` lies outside both.
struct Place(std::path::PathBuf);

impl Place {
    fn make() -> std::io::Result<Self> {
        let place = Self(tempfile::Builder::new().prefix("countersign-try-").tempdir()?.keep());
        std::fs::create_dir(place.0.join("work"))?;
        std::fs::create_dir(place.0.join("own"))?;
        std::fs::write(place.0.join("file"), "kept")?;
        std::fs::write(place.0.join("own/file"), "kept")?;
        Ok(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The process that tries: `network` is `on` or `off`.
pub(super) fn try_it(network: &str, place: &Path) -> ExitCode {
    let network = if network == "off" { Network::Off } else { Network::On };
    match tried(network, place) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            let _ = writeln!(std::io::stderr(), "{why}");
            ExitCode::FAILURE
        }
    }
}

fn tried(network: Network, place: &Path) -> Result<(), String> {
    let place = place.canonicalize().map_err(|error| error.to_string())?;
    std::env::set_current_dir(place.join("work")).map_err(|error| error.to_string())?;
    let confinement = Confinement::Held { network };
    hold(&Order { confinement, refused: vec![place.join("own").into()], temp: Vec::new() })?;
    let file = place.join("file");
    denied("write outside the workspace", OpenOptions::new().append(true).open(&file))?;
    denied("make a file outside the workspace", std::fs::write(place.join("new"), ""))?;
    denied("remove a file outside the workspace", std::fs::remove_file(&file))?;
    denied("cut a file outside the workspace", nix::unistd::truncate(&file, 0).map_err(std::io::Error::from))?;
    denied("link into the workspace", std::fs::hard_link(&file, "linked"))?;
    denied("read in a refused folder", std::fs::read(place.join("own/file")))?;
    denied(
        "look into what started it",
        std::fs::read(format!("/proc/{}/environ", std::os::unix::process::parent_id())),
    )?;
    denied("make a local socket", UnixDatagram::unbound())?;
    if network == Network::Off {
        denied("listen", TcpListener::bind("127.0.0.1:0"))?;
        denied("connect", TcpStream::connect("127.0.0.1:9"))?;
        denied("open a datagram socket", UdpSocket::bind("127.0.0.1:0"))?;
    }
    worked("write in the workspace", std::fs::write("made", "").and_then(|()| std::fs::remove_file("made")))?;
    worked("read outside the workspace", std::fs::read(&file))
}

fn denied<T>(what: &str, tried: std::io::Result<T>) -> Result<(), String> {
    match tried {
        // A link across the border is refused as if it led to another disk.
        Err(error) if matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::CrossesDevices) => Ok(()),
        Ok(_) => Err(format!("a confined process could still {what}")),
        Err(error) => Err(format!("it isn't clear whether a confined process could {what}: {error}")),
    }
}

fn worked<T>(what: &str, tried: std::io::Result<T>) -> Result<(), String> {
    tried.map(|_| ()).map_err(|error| format!("a confined process couldn't even {what}: {error}"))
}
