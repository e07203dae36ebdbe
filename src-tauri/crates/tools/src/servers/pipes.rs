//! The framing of a server on pipes: one JSON message a line, none longer than [`MOST_MESSAGE`], none with more than [`MOST_VALUES`]
//! values. A server that sends more is cut off with the reason, so that a call never waits for an answer that was thrown away.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};

use super::journal::Journal;

/// The longest message, in bytes.
const MOST_MESSAGE: usize = 16 * 1024 * 1024;
/// The most values in a message. A short text can stand for many of them, and each takes far more room than its text.
const MOST_VALUES: usize = 200_000;
/// How many messages may wait to be written.
const MOST_UNWRITTEN: usize = 256;
/// How many lines that are no messages are let pass.
const MOST_JUNK: usize = 1000;

/// Why a connection was cut off by us, in words; blank if it wasn't. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(super) struct CutOff(Arc<Mutex<Option<String>>>);

impl CutOff {
    pub(super) fn why(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn because(&self, why: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
    }
}

/// A server's standard output and input as a transport.
pub(super) struct Pipes<R, W> {
    read: BufReader<R>,
    line: Vec<u8>,
    junk: usize,
    write: Arc<tokio::sync::Mutex<Option<W>>>,
    /// How many messages wait to be written.
    unwritten: Arc<AtomicUsize>,
    cut_off: CutOff,
    journal: Journal,
}

/// A message that waits to be written; counted for as long as it does.
struct Unwritten(Arc<AtomicUsize>);

impl Drop for Unwritten {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What came next.
enum Next {
    /// A whole line is in the buffer.
    Line,
    /// There is no more, or none that we take.
    End,
}

impl<R: AsyncRead + Send + Unpin, W: AsyncWrite + Send + Unpin + 'static> Pipes<R, W> {
    pub(super) fn new(read: R, write: W, cut_off: CutOff, journal: Journal) -> Self {
        let write = Arc::new(tokio::sync::Mutex::new(Some(write)));
        Self {
            read: BufReader::new(read),
            line: Vec::new(),
            junk: 0,
            write,
            unwritten: Arc::default(),
            cut_off,
            journal,
        }
    }

    /// Reads a line. May be dropped and called again: what was read so far is kept.
    async fn next(&mut self) -> Next {
        loop {
            let available = match self.read.fill_buf().await {
                Ok([]) => return Next::End,
                Ok(available) => available,
                Err(error) => {
                    self.cut_off.because(format!("its output can't be read ({error})"));
                    return Next::End;
                }
            };
            let newline = available.iter().position(|byte| *byte == b'\n');
            let taken = newline.map_or(available.len(), |at| at + 1);
            if self.line.len() + taken > MOST_MESSAGE {
                self.cut_off.because("it sent a message of more than 16 MiB".to_owned());
                return Next::End;
            }
            self.line.extend_from_slice(available.get(..taken).unwrap_or_default());
            self.read.consume(taken);
            if newline.is_some() {
                return Next::Line;
            }
        }
    }

    fn message(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let line = std::mem::take(&mut self.line);
        let text = line.trim_ascii();
        if text.is_empty() {
            return None;
        }
        if values(text) > MOST_VALUES {
            self.cut_off.because(format!("it sent a message of more than {MOST_VALUES} values"));
            return None;
        }
        if let Ok(message) = serde_json::from_slice(text) {
            return Some(message);
        }
        self.junk += 1;
        self.journal.line(text);
        if self.junk > MOST_JUNK {
            self.cut_off.because("it writes to its standard output what isn't the protocol".to_owned());
        }
        None
    }
}

impl<R: AsyncRead + Send + Unpin, W: AsyncWrite + Send + Unpin + 'static> Transport<RoleClient> for Pipes<R, W> {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let write = Arc::clone(&self.write);
        self.unwritten.fetch_add(1, Ordering::Relaxed);
        let unwritten = Unwritten(Arc::clone(&self.unwritten));
        async move {
            let _unwritten = unwritten;
            let mut bytes = serde_json::to_vec(&item)?;
            bytes.push(b'\n');
            let mut write = write.lock().await;
            let Some(write) = write.as_mut() else { return Err(io::ErrorKind::BrokenPipe.into()) };
            write.write_all(&bytes).await?;
            write.flush().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            match self.next().await {
                Next::End => return None,
                Next::Line => {
                    // Each message of a server that reads no answers would leave another one waiting.
                    if self.unwritten.load(Ordering::Relaxed) > MOST_UNWRITTEN {
                        self.cut_off.because("it asks and reads no answers".to_owned());
                        return None;
                    }
                    if let Some(message) = self.message() {
                        return Some(message);
                    }
                    if self.cut_off.why().is_some() {
                        return None;
                    }
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        // A server that doesn't read keeps the lock; then its process is ended, and that closes the pipe.
        if let Ok(mut write) = self.write.try_lock() {
            *write = None;
        }
        Ok(())
    }
}

/// At least how many values a JSON text stands for, counted without reading it.
fn values(text: &[u8]) -> usize {
    let (mut count, mut in_text, mut escaped) = (1, false, false);
    for byte in text {
        match (in_text, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_text = !in_text,
            (false, b',' | b'[' | b'{') => count += 1,
            (true | false, _) => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    fn pipes(read: impl AsyncRead + Send + Unpin) -> (Pipes<impl AsyncRead + Send + Unpin, tokio::io::Sink>, CutOff) {
        let cut_off = CutOff::default();
        (Pipes::new(read, tokio::io::sink(), cut_off.clone(), Journal::default()), cut_off)
    }

    async fn all(bytes: Vec<u8>, pieces: Vec<usize>) -> (Vec<String>, Option<String>) {
        let (mut theirs, ours) = tokio::io::duplex(64 * 1024);
        let writing = tokio::spawn(async move {
            let mut rest = bytes.as_slice();
            for piece in pieces {
                let (now, later) = rest.split_at(piece.min(rest.len()));
                if theirs.write_all(now).await.is_err() {
                    return;
                }
                rest = later;
            }
            let _ = theirs.write_all(rest).await;
        });
        let (mut pipes, cut_off) = pipes(ours);
        let mut got = Vec::new();
        while let Some(message) = pipes.receive().await {
            got.push(serde_json::to_string(&message).unwrap());
        }
        drop(pipes);
        let _ = writing.await;
        (got, cut_off.why())
    }

    const TALK: &str = concat!(
        "Server is starting…\n",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\r\n",
        "\n",
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"süß, {[,]} \\\" ☃\"}]}}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"ping\"}\n",
    );

    proptest! {
        /// Any split of the bytes gives the same messages.
        #[test]
        fn any_split_gives_the_same_messages(pieces in proptest::collection::vec(1_usize..40, 0..60)) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let whole = runtime.block_on(all(TALK.as_bytes().to_vec(), vec![]));
            prop_assert_eq!(whole.0.len(), 3);
            prop_assert!(whole.0[1].contains("süß"));
            prop_assert_eq!(runtime.block_on(all(TALK.as_bytes().to_vec(), pieces)), whole);
        }
    }

    #[tokio::test]
    async fn what_is_too_much_ends_the_connection_with_the_reason() {
        let line = |inner: String| {
            format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"content\":[],\"x\":{inner}}}}}\n").into_bytes()
        };
        let (got, why) = all(line(format!("\"{}\"", "a".repeat(MOST_MESSAGE))), vec![]).await;
        assert_eq!((got.len(), why.as_deref()), (0, Some("it sent a message of more than 16 MiB")));
        let (got, why) = all(line(format!("[{}0]", "0,".repeat(MOST_VALUES))), vec![]).await;
        assert_eq!((got.len(), why.as_deref()), (0, Some("it sent a message of more than 200000 values")));
        let (got, why) = all(line(format!("\"{}\"", ",[{".repeat(MOST_VALUES))), vec![]).await;
        assert_eq!((got.len(), why), (1, None), "commas in a text are no values");
        let (_, why) = all("junk\n".repeat(MOST_JUNK + 1).into_bytes(), vec![]).await;
        assert!(why.is_some_and(|why| why.contains("standard output")));
    }

    #[tokio::test]
    async fn reading_goes_on_where_it_was_dropped() {
        let (mut theirs, ours) = tokio::io::duplex(1024);
        let (mut pipes, _) = pipes(ours);
        for half in [&b"{\"jsonrpc\":\"2.0\",\"id\":1,"[..], &b"\"method\":\"ping\"}"[..]] {
            theirs.write_all(half).await.unwrap();
            let waited = tokio::time::timeout(std::time::Duration::from_millis(20), pipes.receive()).await;
            assert!(waited.is_err());
        }
        theirs.write_all(b"\n").await.unwrap();
        assert!(pipes.receive().await.is_some());
    }

    /// A server that asks and asks and reads no answer must not pile them up here.
    #[tokio::test]
    async fn a_server_that_reads_no_answers_is_cut_off() {
        let (_unread, ours) = tokio::io::duplex(16);
        let (mut theirs, read) = tokio::io::duplex(64 * 1024);
        let cut_off = CutOff::default();
        let mut pipes = Pipes::new(read, ours, cut_off.clone(), Journal::default());
        let ping = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
        let mut answers = Vec::new();
        for _ in 0..=MOST_UNWRITTEN {
            theirs.write_all(ping).await.unwrap();
            assert!(pipes.receive().await.is_some());
            let answer = rmcp::model::ClientJsonRpcMessage::response(
                rmcp::model::ClientResult::empty(()),
                rmcp::model::NumberOrString::Number(1),
            );
            answers.push(tokio::spawn(pipes.send(answer)));
        }
        theirs.write_all(ping).await.unwrap();
        assert!(pipes.receive().await.is_none());
        assert_eq!(cut_off.why().as_deref(), Some("it asks and reads no answers"));
        answers.iter().for_each(tokio::task::JoinHandle::abort);
    }
}
