//! Serves the files of a folder to a browser on this machine, and nothing else to nobody else.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

/// The server. It serves until the test ends.
#[derive(Debug)]
pub struct Pages {
    address: String,
}

impl Pages {
    /// Serves a folder.
    pub fn serve(folder: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port for the pages");
        let address = format!("http://{}", listener.local_addr().expect("its address"));
        let folder = folder.to_owned();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let folder = folder.clone();
                // Whoever asked may be gone; that is the test's business.
                std::thread::spawn(move || drop(answer(stream, &folder)));
            }
        });
        Self { address }
    }

    /// The address of a page.
    pub fn at(&self, page: &str) -> String {
        format!("{}/{page}", self.address)
    }
}

fn answer(stream: TcpStream, folder: &Path) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut asked = String::new();
    reader.read_line(&mut asked)?;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    let path = asked.split(' ').nth(1).unwrap_or_default().split('?').next().unwrap_or_default();
    let file = folder.join(path.trim_start_matches('/'));
    let mut stream = reader.into_inner();
    let Some(content) = (!path.contains("..")).then(|| std::fs::read(&file).ok()).flatten() else {
        return stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    };
    let (kind, length) = (kind(&file), content.len());
    write!(stream, "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n")?;
    stream.write_all(&content)
}

fn kind(file: &Path) -> &'static str {
    match file.extension().and_then(|end| end.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript",
        Some("css") => "text/css",
        Some("svg") => "image/svg+xml",
        Some("woff2") => "font/woff2",
        Some("png") => "image/png",
        _ => "application/octet-stream",
    }
}
