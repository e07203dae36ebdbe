//! Commands that try to operate Countersign's window and its notifications: with a screen and a session bus of the
//! test's own, so that nothing of the person's is touched.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use countersign_core::confine::{Hold, Network};
use countersign_core::input::OutcomeKind;
use serde_json::json;

use crate::support::{BOTH, Bench, holds};

/// A server that ends with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a server and gives the first line that it says.
fn serve(command: &mut Command) -> (Server, String) {
    let program = command.get_program().to_owned();
    let started = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = started.unwrap_or_else(|error| panic!("{program:?} is needed, `./dev test` installs it: {error}"));
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (Server(child), line.trim().to_owned())
}

/// A command presses keys and moves the pointer on the screen that the window is on.
#[tokio::test]
async fn a_held_command_moves_no_pointer() {
    let (_screen, number) =
        serve(Command::new("Xvfb").args(["-displayfd", "1", "-screen", "0", "200x200x24", "-ac", "-noreset"]));
    let pointer = || {
        let said = Command::new("xdotool").arg("getmouselocation").env("DISPLAY", format!(":{number}")).output();
        let said = String::from_utf8(said.expect("xdotool is needed, `./dev test` installs it").stdout).unwrap();
        said.split(" screen").next().unwrap().to_owned()
    };
    let moving = |x: u8| json!({ "command": format!("DISPLAY=:{number} xdotool mousemove {x} {x} key Return") });
    let free = Bench::unconfined().call("run_command", moving(7)).await;
    assert_eq!((free.kind, pointer().as_str()), (OutcomeKind::Succeeded, "x:7 y:7"), "{}", free.text);
    let tight = Bench::new(BOTH[0]).call("run_command", moving(9)).await;
    if holds(Network::On) {
        assert_eq!((tight.kind, pointer().as_str()), (OutcomeKind::Failed, "x:7 y:7"), "{}", tight.text);
        assert!(tight.text.contains("It ran confined: "), "{}", tight.text);
    } else {
        assert_eq!(pointer(), "x:9 y:9", "the card said that it could operate Countersign");
    }
}

/// A command makes itself the notification service, to press a button of what Countersign shows there.
#[tokio::test]
async fn a_held_command_becomes_no_notification_service() {
    let bench = Bench::new(BOTH[0]);
    let address = format!("unix:path={}", bench.home.join("bus").display());
    let mut daemon = Command::new("dbus-daemon");
    let (_bus, said) = serve(daemon.args(["--session", "--nofork", "--print-address", "--address"]).arg(&address));
    assert!(said.starts_with("unix:path="), "{said}");
    let own = json!({ "command": format!(
        "dbus-send --bus={address} --print-reply --dest=org.freedesktop.DBus /org/freedesktop/DBus \
         org.freedesktop.DBus.RequestName string:org.freedesktop.Notifications uint32:4"
    ) });
    let free = Bench::unconfined().call("run_command", own.clone()).await;
    assert!(free.text.trim_end().ends_with("uint32 1"), "it owns the name: {}", free.text);
    let tight = bench.with_commands(Hold::Strongest, Network::On).call("run_command", own).await;
    let got = tight.text.trim_end().ends_with("uint32 1");
    assert_eq!(got, !holds(Network::On), "{}", tight.text);
}
