//! The app's side of a command: start the watcher, take the output, hear how it ended.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{PipeReader, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdStream;
use std::process::Stdio;
use std::time::Duration;

use countersign_core::confine::Confinement;
use countersign_core::input::{Outcome, OutcomeKind};
use countersign_engine::ports::Whole;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedWriteHalf;
use tokio::net::unix::pipe::Receiver;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::descendants::end_all;
use super::hold::Order;
use super::kept::Kept;
use super::{End, ExecHelper, Report, environment, watch_arguments};
use crate::refused::existing;
use crate::workspace::Workspace;

/// How much longer than the command the watcher may take before it counts as lost.
const WATCHER_GRACE: Duration = Duration::from_secs(15);
/// How long a stopped command may take to be gone (D-91).
const STOP_GRACE: Duration = Duration::from_secs(5);
/// How long output is waited for after everything that could write it has ended.
const DRAIN_GRACE: Duration = Duration::from_secs(1);

/// What to start.
pub(crate) struct Start<'a> {
    pub(crate) helper: &'a ExecHelper,
    pub(crate) workspace: &'a Workspace,
    pub(crate) command: &'a str,
    pub(crate) limit: Duration,
    /// What it runs under.
    pub(crate) confinement: Confinement,
    /// What it sees.
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// Takes all of the output, where the result has less.
    pub(crate) whole: Whole,
}

/// Runs a command to its end. Dropping the future ends it, with everything that it started.
pub(crate) async fn run(start: Start<'_>, stop: CancellationToken) -> Outcome {
    let began = Instant::now();
    let (mut leash, reports, output) = match leash(&start) {
        Ok(started) => started,
        Err(error) => return failed(format!("the command could not be started: {error}")),
    };
    let mut reports = BufReader::new(reports).lines();
    let mut output = Some(output);
    let mut kept = Kept::default();
    let mut buffer = vec![0; 64 * 1024];
    let mut over = None;
    let mut reporting = true;
    let mut stopping = false;
    let mut give_up = began + start.limit + WATCHER_GRACE;
    while reporting || output.is_some() {
        tokio::select! {
            line = reports.next_line(), if reporting => {
                match line.ok().flatten().and_then(|line| serde_json::from_str(&line).ok()) {
                    Some(Report::Started { group }) => leash.group = Pid::from_raw(group),
                    said @ Some(Report::Over { .. } | Report::Unusable { .. }) => {
                        over = said;
                        reporting = false;
                    }
                    None => {
                        // The watcher died without a word, which only somebody's kill does.
                        leash.kill().await;
                        reporting = false;
                    }
                }
                if !reporting {
                    give_up = Instant::now() + DRAIN_GRACE;
                }
            }
            read = read(&mut output, &mut buffer), if output.is_some() => match read {
                Ok(count) if count > 0 => kept.push(buffer.get(..count).unwrap_or_default()),
                Ok(_) | Err(_) => output = None,
            },
            () = stop.cancelled(), if !stopping => {
                stopping = true;
                leash.let_go().await;
                give_up = give_up.min(Instant::now() + STOP_GRACE);
            }
            () = sleep_until(give_up) => {
                if reporting {
                    leash.kill().await;
                }
                break;
            }
        }
    }
    leash.reap().await;
    let (output, whole) = kept.text();
    let outcome = told(over, leash.group, stopping, began.elapsed(), start.confinement, &output);
    if let (Some(whole), Some(before)) = (whole, outcome.text.strip_suffix(&output)) {
        start.whole.keep(format!("{before}{whole}"));
    }
    outcome
}

async fn read(output: &mut Option<Receiver>, buffer: &mut [u8]) -> std::io::Result<usize> {
    match output {
        Some(output) => output.read(buffer).await,
        None => Ok(0),
    }
}

/// Puts the end of a command into words for the model.
fn told(
    over: Option<Report>,
    group: Option<Pid>,
    stopping: bool,
    took: Duration,
    confinement: Confinement,
    output: &str,
) -> Outcome {
    let took = seconds(took);
    let (kind, mut text) = match over {
        Some(Report::Over { end: End::Exited { code: 0 }, .. }) => {
            (OutcomeKind::Succeeded, format!("exit status 0 after {took} s"))
        }
        Some(Report::Over { end: End::Exited { code }, .. }) => {
            (OutcomeKind::Failed, format!("exit status {code} after {took} s"))
        }
        Some(Report::Over { end: End::Signalled { signal }, .. }) => {
            (OutcomeKind::Failed, format!("ended by signal {signal} after {took} s"))
        }
        Some(Report::Over { end: End::TimedOut, .. }) => (
            OutcomeKind::Failed,
            format!("ended after {took} s, because its time was over; its effect may have happened"),
        ),
        Some(Report::Over { end: End::LetGo, .. }) => {
            (OutcomeKind::Stopped, format!("stopped after {took} s; its effect may have happened"))
        }
        Some(Report::Unusable { why }) => {
            return failed(format!("the command could not be started: {why}"));
        }
        None if group.is_none() && !stopping => {
            let text = format!("the command could not be started: what watches it ended at once\n\n{output}");
            return failed(text.trim_end().to_owned());
        }
        Some(Report::Started { .. }) | None if stopping => (
            OutcomeKind::Stopped,
            format!("stopped after {took} s; its effect may have happened, and parts may still run"),
        ),
        Some(Report::Started { .. }) | None => {
            (OutcomeKind::Unknown, format!("lost sight of the command after {took} s; its effect may have happened"))
        }
    };
    if let Some(Report::Over { left, .. }) = over
        && left > 0
    {
        let _ = write!(text, "; {left} of its processes could not be ended");
    }
    // Which failures are the confinement's can't be known from outside, so every one says that there was one.
    if let (
        Some(Report::Over { end: End::Exited { .. } | End::Signalled { .. }, .. }),
        OutcomeKind::Failed,
        Confinement::Held { .. },
    ) = (&over, kind, confinement)
    {
        let _ = write!(text, "\nIt ran confined: {}. If something was denied to it, that is why.", confinement.words());
    }
    if output.is_empty() {
        text.push_str("\nno output");
    } else {
        text.push_str("\n\n");
        text.push_str(output);
    }
    Outcome { kind, text, left: None }
}

fn failed(text: String) -> Outcome {
    Outcome { kind: OutcomeKind::Failed, text, left: None }
}

/// Seconds with one decimal.
fn seconds(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64())
}

/// What a running command is held by. When it goes, so does the command.
struct Leash {
    line: OwnedWriteHalf,
    watcher: Child,
    group: Option<Pid>,
}

impl Leash {
    /// Tells the watcher to end everything.
    async fn let_go(&mut self) {
        let _ = self.line.shutdown().await;
        self.wake();
    }

    /// The command may have stopped its watcher; it is awake again to hear that the line has ended.
    fn wake(&self) {
        if let Some(pid) = self.pid() {
            let _ = kill_process(pid, Signal::CONT);
        }
    }

    /// The watcher's process; none once its status was taken, since the number may belong to another then.
    fn pid(&self) -> Option<Pid> {
        self.watcher.id().and_then(|id| Pid::from_raw(id.cast_signed()))
    }

    /// For when the watcher doesn't do its work: does it from here. Even a watcher that is held stopped still adopts
    /// what loses its parent, so all of it is below.
    async fn kill(&mut self) {
        let (watcher, group) = (self.pid(), self.group);
        let ended = tokio::task::spawn_blocking(move || match (watcher, group) {
            (Some(watcher), group) => {
                end_all(watcher, group, || {});
            }
            (None, Some(group)) => {
                let _ = kill_process_group(group, Signal::KILL);
            }
            (None, None) => {}
        });
        let _ = ended.await;
        let _ = self.watcher.start_kill();
    }

    async fn reap(&mut self) {
        let _ = timeout(DRAIN_GRACE, self.watcher.wait()).await;
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        // Closing the line, which follows, is what ends the command; this only makes sure that it is heard.
        self.wake();
    }
}

fn leash(start: &Start<'_>) -> std::io::Result<(Leash, tokio::net::unix::OwnedReadHalf, Receiver)> {
    let (mut ours, theirs) = StdStream::pair()?;
    let (reader, writer) = std::io::pipe()?;
    let refused = start.workspace.refused().places().iter().map(|place| existing(place).into()).collect();
    let order = Order { confinement: start.confinement, refused, temp: environment::temp(&start.environment) };
    let watcher = Command::new(start.helper.path())
        .args(watch_arguments(start.limit, start.command))
        .env_clear()
        .envs(start.environment.iter().map(|(name, value)| (name, value)))
        .current_dir(folder(start.workspace))
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        // One pipe for both, so that their order is kept.
        .stdout(Stdio::from(writer.try_clone()?))
        .stderr(Stdio::from(writer))
        .spawn()?;
    // One short line, which fits into what the socket holds, so this doesn't wait for the watcher.
    let mut line = serde_json::to_vec(&order)?;
    line.push(b'\n');
    ours.write_all(&line)?;
    ours.set_nonblocking(true)?;
    let (reports, line) = UnixStream::from_std(ours)?.into_split();
    let output = receiver(reader)?;
    Ok((Leash { line, watcher, group: None }, reports, output))
}

fn receiver(reader: PipeReader) -> std::io::Result<Receiver> {
    Receiver::from_owned_fd(OwnedFd::from(reader))
}

/// The folder by its handle, so that it is the one that was checked, whatever the path means by now.
#[cfg(target_os = "linux")]
fn folder(workspace: &Workspace) -> std::path::PathBuf {
    use std::os::fd::AsRawFd as _;
    format!("/proc/self/fd/{}", workspace.root().as_raw_fd()).into()
}

#[cfg(not(target_os = "linux"))]
fn folder(workspace: &Workspace) -> std::path::PathBuf {
    workspace.path().to_owned()
}
