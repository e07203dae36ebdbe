//! A real HTTP server for tests, in this crate's own words: it answers what a test says, byte by byte as it says.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) line: String,
    pub(crate) head: String,
    pub(crate) body: String,
}

/// What is answered.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    head: String,
    pieces: Vec<Vec<u8>>,
    end: End,
}

/// How an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// As HTTP wants it.
    Proper,
    /// The connection goes away in the middle.
    Cut,
}

impl Answer {
    /// A short answer.
    pub(crate) fn status(code: u16, kind: &str, body: &str) -> Self {
        Self {
            head: format!("HTTP/1.1 {code} X\r\ncontent-type: {kind}\r\n"),
            pieces: vec![body.as_bytes().to_vec()],
            end: End::Proper,
        }
    }

    /// An answer in JSON.
    pub(crate) fn json(code: u16, body: &str) -> Self {
        Self::status(code, "application/json", body)
    }

    /// A stream of events, cut at the given places.
    pub(crate) fn stream(text: &str, cuts: &[usize]) -> Self {
        let bytes = text.as_bytes();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| (*cut).min(bytes.len())).chain([0, bytes.len()]).collect();
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|pair| bytes[pair[0]..pair[1]].to_vec()).filter(|piece| !piece.is_empty());
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n".to_owned();
        Self { head, pieces: pieces.collect(), end: End::Proper }
    }

    /// The same with a further header.
    pub(crate) fn with(mut self, header: &str) -> Self {
        self.head.push_str(header);
        self.head.push_str("\r\n");
        self
    }

    /// The same, but the connection goes away behind the last piece.
    pub(crate) fn cut(self) -> Self {
        Self { end: End::Cut, ..self }
    }
}

/// A server that runs until it is dropped.
pub(crate) struct Server {
    pub(crate) port: u16,
    requests: Arc<Mutex<Vec<Request>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Server {
    /// Answers by the request and by how many came before it.
    pub(crate) async fn start(answer: impl Fn(&Request, usize) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        let answer = Arc::new(answer);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
                tokio::spawn(async move {
                    let _ = serve(stream, seen, answer).await;
                });
            }
        });
        Self { port, requests, task }
    }

    /// Answers each request with the next of the answers, in order.
    pub(crate) async fn with(answers: Vec<Answer>) -> Self {
        Self::start(move |_, count| answers[count.min(answers.len() - 1)].clone()).await
    }

    pub(crate) fn base(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(
    mut stream: TcpStream,
    seen: Arc<Mutex<Vec<Request>>>,
    answer: Arc<impl Fn(&Request, usize) -> Answer>,
) -> std::io::Result<()> {
    let request = read(&mut stream).await?;
    let count = {
        let mut seen = seen.lock().unwrap();
        seen.push(request.clone());
        seen.len() - 1
    };
    let Answer { head, pieces, end } = answer(&request, count);
    stream.set_nodelay(true)?;
    stream.write_all(format!("{head}transfer-encoding: chunked\r\nconnection: close\r\n\r\n").as_bytes()).await?;
    for piece in pieces {
        stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes()).await?;
        stream.write_all(&piece).await?;
        stream.write_all(b"\r\n").await?;
        stream.flush().await?;
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    if end == End::Proper {
        stream.write_all(b"0\r\n\r\n").await?;
    }
    stream.shutdown().await
}

async fn read(stream: &mut TcpStream) -> std::io::Result<Request> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| {
                    line.to_ascii_lowercase().strip_prefix("content-length: ").and_then(|length| length.parse().ok())
                })
                .unwrap_or(0);
            if body.len() >= length {
                let line = head.lines().next().unwrap_or_default().to_owned();
                return Ok(Request { line, head: head.to_owned(), body: body.to_owned() });
            }
        }
        let count = stream.read(&mut buffer).await?;
        if count == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(&buffer[..count]);
    }
}
