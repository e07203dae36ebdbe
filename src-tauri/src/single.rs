//! One Countersign at a time on one data folder. The lock on a file is what guarantees it; a second start finds in that
//! file where the first one listens, asks it to show itself, and ends.
//!
//! There is no URL scheme and nothing else can be said on the socket: any web page or program could use it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::net::{UnixListener as Listener, UnixStream as Stream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _};

use crate::paths::Paths;

/// What a second start wants to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wish {
    /// The window.
    Window,
    /// The quick panel.
    Panel,
}

impl Wish {
    /// What is said for it. There are no other words.
    const fn word(self) -> &'static str {
        match self {
            Self::Window => "show",
            Self::Panel => "panel",
        }
    }

    fn of(word: &str) -> Option<Self> {
        [Self::Window, Self::Panel].into_iter().find(|wish| wish.word() == word)
    }
}

/// What it hears back.
const SHOWN: &str = "shown";
/// How long either side waits for the other.
const PATIENCE: Duration = Duration::from_secs(10);

/// The right to use the data folder, for as long as it lives.
#[derive(Debug)]
pub(crate) struct Only {
    /// INVARIANT: the lock is held as long as this file is open.
    _lock: File,
    listener: Option<Listener>,
    socket: PathBuf,
}

/// What became of a start.
#[derive(Debug)]
pub(crate) enum Start {
    /// It is the only one.
    Only(Only),
    /// Another one runs, and was brought up.
    BroughtUp,
}

/// Takes the lock, or brings up the one who has it.
///
/// # Errors
/// Words for the person: another one runs and doesn't answer, or the folder can't be locked.
pub(crate) fn start(paths: &Paths, wish: Wish) -> Result<Start, String> {
    let place = paths.lock();
    let fault = |error: &dyn std::fmt::Display| format!("`{}` can't be locked: {error}", place.display());
    let mut lock = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&place)
        .map_err(|error| fault(&error))?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return bring_up(&place, wish).map(|()| Start::BroughtUp),
        Err(TryLockError::Error(error)) => return Err(fault(&error)),
    }

    // What the file names is left over from a process that is gone, because we have the lock.
    let mut left = String::new();
    if lock.read_to_string(&mut left).is_ok() && Path::new(left.trim()).starts_with(&paths.runtime) {
        let _ = std::fs::remove_file(left.trim());
    }
    let socket = paths.runtime.join(format!("{}.sock", std::process::id()));
    let _ = std::fs::remove_file(&socket);
    let listener = match Listener::bind(&socket) {
        Ok(listener) => Some(listener),
        Err(error) => {
            // The lock still keeps a second one out; only bringing the window up won't work.
            tracing::warn!(%error, "a second start can't be heard");
            None
        }
    };
    let written = lock
        .set_len(0)
        .and_then(|()| lock.rewind())
        .and_then(|()| lock.write_all(socket.as_os_str().as_encoded_bytes()));
    written.map_err(|error| fault(&error))?;
    Ok(Start::Only(Only { _lock: lock, listener, socket }))
}

/// Asks the one that has the lock to show what is wished for.
fn bring_up(lock: &Path, wish: Wish) -> Result<(), String> {
    let silent = |what: String| {
        format!(
            "Countersign is already running with this data folder, but doesn't answer ({what}). End it first, or wait until it has ended."
        )
    };
    let socket = std::fs::read_to_string(lock).map_err(|error| silent(error.to_string()))?;
    let ask = || -> std::io::Result<String> {
        let mut stream = Stream::connect(socket.trim())?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        writeln!(stream, "{}", wish.word())?;
        let mut answer = String::new();
        BufReader::new(stream.take(64)).read_line(&mut answer)?;
        Ok(answer)
    };
    match ask() {
        Ok(answer) if answer.trim() == SHOWN => Ok(()),
        Ok(_) => Err(silent("it said nothing".to_owned())),
        Err(error) => Err(silent(error.to_string())),
    }
}

impl Only {
    /// Listens for second starts for as long as the process lives. Must be called inside the runtime.
    pub(crate) fn listen(&mut self, show: impl Fn(Wish) + Send + Sync + 'static) {
        let Some(listener) = self.listener.take() else { return };
        let listener = listener.set_nonblocking(true).and_then(|()| tokio::net::UnixListener::from_std(listener));
        let listener = match listener {
            Ok(listener) => listener,
            Err(error) => {
                tracing::warn!(%error, "a second start can't be heard");
                return;
            }
        };
        tokio::spawn(async move {
            loop {
                match listener.accept().await {
                    Ok((stream, _)) => {
                        // One that says nothing holds the next one up for no longer than this.
                        if tokio::time::timeout(Duration::from_secs(2), hear(stream, &show)).await.is_err() {
                            tracing::warn!("somebody connected as a second start and said nothing");
                        }
                    }
                    Err(error) => {
                        tracing::warn!(%error, "a second start wasn't heard");
                        tokio::time::sleep(Duration::from_secs(1)).await;
                    }
                }
            }
        });
    }
}

impl Drop for Only {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.socket);
    }
}

/// Hears one second start. Only the same person is heard.
async fn hear(stream: tokio::net::UnixStream, show: &(impl Fn(Wish) + Sync)) {
    let same = stream.peer_cred().is_ok_and(|peer| peer.uid() == rustix::process::getuid().as_raw());
    if !same {
        tracing::warn!("somebody else tried to bring the window up");
        return;
    }
    let (reading, mut writing) = stream.into_split();
    let mut said = String::new();
    let read = tokio::io::BufReader::new(reading.take(64)).read_line(&mut said).await;
    if read.is_ok()
        && let Some(wish) = Wish::of(said.trim())
    {
        show(wish);
        let _ = writing.write_all(format!("{SHOWN}\n").as_bytes()).await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn paths(folder: &Path) -> Paths {
        let mut paths = Paths::find(Some(&folder.join("data"))).unwrap();
        paths.runtime = folder.join("run");
        paths.make().unwrap();
        paths
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_second_start_brings_up_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let paths = paths(folder.path());
        let Start::Only(mut first) = start(&paths, Wish::Window).unwrap() else { panic!("nobody else is there") };
        let shown = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&shown);
        first.listen(move |wish| {
            assert_eq!(wish, Wish::Panel);
            counter.fetch_add(1, Ordering::SeqCst);
        });
        let again = paths.clone();
        let second = tokio::task::spawn_blocking(move || start(&again, Wish::Panel)).await.unwrap();
        assert!(matches!(second, Ok(Start::BroughtUp)), "{second:?}");
        assert_eq!(shown.load(Ordering::SeqCst), 1);
        drop(first);
        assert!(
            matches!(start(&paths, Wish::Window), Ok(Start::Only(_))),
            "a first start that ended leaves nothing in the way"
        );
    }

    #[test]
    fn one_that_holds_the_lock_and_does_not_answer_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let paths = paths(folder.path());
        let holder = File::create(paths.lock()).unwrap();
        holder.lock().unwrap();
        let error = start(&paths, Wish::Window).unwrap_err();
        assert!(error.contains("already running"), "{error}");
        drop(holder);
        std::fs::write(paths.lock(), paths.runtime.join("1.sock").to_str().unwrap()).unwrap();
        std::fs::write(paths.runtime.join("1.sock"), "").unwrap();
        assert!(matches!(start(&paths, Wish::Window), Ok(Start::Only(_))), "a crash leaves nothing in the way");
        assert!(!paths.runtime.join("1.sock").exists(), "and its socket is cleared away");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn other_words_show_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let paths = paths(folder.path());
        let Start::Only(mut first) = start(&paths, Wish::Window).unwrap() else { panic!("nobody else is there") };
        first.listen(|_| panic!("`approve` is no word that is heard here"));
        let socket = first.socket.clone();
        let answer = tokio::task::spawn_blocking(move || {
            let mut stream = Stream::connect(socket).unwrap();
            writeln!(stream, "approve").unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            answer
        });
        assert_eq!(answer.await.unwrap(), "");
    }
}
