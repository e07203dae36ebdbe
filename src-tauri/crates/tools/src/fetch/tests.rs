//! Against a server of our own on this computer, which is let through where the test says so.

use std::sync::Mutex;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::*;

/// Answers each request by its path, and remembers what was asked.
struct Server {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    async fn start(answer: impl Fn(&str, u16) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (seen, answer) = (Arc::clone(&asked), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
                tokio::spawn(async move {
                    let mut head = Vec::new();
                    while !head.ends_with(b"\r\n\r\n") {
                        let mut byte = [0];
                        if stream.read(&mut byte).await.unwrap_or_default() == 0 {
                            return;
                        }
                        head.push(byte[0]);
                    }
                    let head = String::from_utf8(head).unwrap();
                    let path = head.split(' ').nth(1).unwrap().to_owned();
                    seen.lock().unwrap().push(head);
                    let answer = answer(&path, port);
                    if answer.is_empty() {
                        // It never answers.
                        std::future::pending::<()>().await;
                    }
                    let _ = stream.write_all(&answer).await;
                });
            }
        });
        Self { port, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    fn at(&self, path: &str) -> String {
        format!("http://site.test:{}{path}", self.port)
    }
}

fn answer(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n", body.len());
    [head.as_bytes(), body].concat()
}

fn text(body: &str) -> Vec<u8> {
    answer("200 OK", "content-type: text/plain\r\n", body.as_bytes())
}

/// A name service that says what the test says, each time the next.
#[derive(Debug)]
struct Says {
    answers: Vec<Vec<&'static str>>,
    asked: Mutex<Vec<String>>,
}

#[async_trait]
impl Resolver for Says {
    async fn resolve(&self, host: &str, port: u16) -> std::io::Result<Vec<SocketAddr>> {
        let mut asked = self.asked.lock().unwrap();
        asked.push(host.to_owned());
        let answer = self.answers.get(asked.len() - 1).or(self.answers.last()).unwrap();
        Ok(answer.iter().map(|ip| SocketAddr::new(ip.parse().unwrap(), port)).collect())
    }
}

fn fetcher(reaches: Reaches, answers: &[&[&'static str]]) -> (Fetcher, Arc<Says>) {
    let answers = answers.iter().map(|answer| answer.to_vec()).collect();
    let says = Arc::new(Says { answers, asked: Mutex::new(Vec::new()) });
    let fetcher = Fetcher { resolver: Arc::clone(&says) as Arc<dyn Resolver>, ..Fetcher::new(reaches) };
    (fetcher, says)
}

async fn fetch(fetcher: &Fetcher, url: &str) -> (OutcomeKind, String) {
    let outcome = fetcher.fetch(url, None, &Whole::default(), CancellationToken::new()).await;
    (outcome.kind, outcome.text)
}

const HERE: &[&[&str]] = &[&["127.0.0.1"]];

#[tokio::test]
async fn a_page_comes_as_text_and_nothing_of_the_person_goes_along() {
    let server = Server::start(|_, _| {
        answer("404 Not Found", "content-type: text/html; charset=utf-8\r\n", "<p>Grüße</p>".as_bytes())
    })
    .await;
    let (fetcher, says) = fetcher(Reaches::Private, HERE);
    let (kind, text) = fetch(&fetcher, &server.at("/a?b=c#not-sent")).await;
    assert_eq!(kind, OutcomeKind::Succeeded);
    assert_eq!(text, "[404 Not Found, text/html; charset=utf-8, 14 bytes]\n<p>Grüße</p>");
    let asked = server.asked()[0].to_ascii_lowercase();
    assert!(asked.starts_with("get /a?b=c http/1.1\r\n"), "{asked}");
    let names: Vec<&str> =
        asked.lines().skip(1).filter_map(|line| line.split(':').next()).filter(|name| !name.is_empty()).collect();
    assert_eq!(names.len(), 3, "{asked}");
    assert!(["user-agent", "accept", "host"].iter().all(|name| names.contains(name)), "{asked}");
    assert!(asked.contains("user-agent: countersign/"), "{asked}");
    assert_eq!(*says.asked.lock().unwrap(), ["site.test"], "the name that no system knows led where our answer said");
}

/// Not by name, not by number, not in another spelling of it, and not for a name of which one address is private.
#[tokio::test]
async fn private_addresses_are_refused_and_nothing_is_sent() {
    let server = Server::start(|_, _| text("secret")).await;
    let port = server.port;
    for url in [
        format!("http://127.0.0.1:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("http://0x7f.1:{port}/"),
        format!("http://0177.0.0.1:{port}/"),
        format!("http://[::1]:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
    ] {
        let fault = target(&url, Reaches::Public).unwrap_err();
        assert!(fault.contains("nothing was sent"), "{url}: {fault}");
        let (fetcher, says) = fetcher(Reaches::Public, HERE);
        assert_eq!(fetch(&fetcher, &url).await.0, OutcomeKind::Failed);
        assert!(says.asked.lock().unwrap().is_empty(), "{url}");
    }
    for addresses in
        [&["127.0.0.1"][..], &["10.1.2.3"], &["93.184.216.34", "127.0.0.1"], &["fd00::1"], &["64:ff9b::a00:1"]]
    {
        let (fetcher, says) = fetcher(Reaches::Public, &[addresses]);
        let (kind, text) = fetch(&fetcher, &server.at("/")).await;
        assert_eq!(kind, OutcomeKind::Failed, "{addresses:?}");
        assert!(text.contains("site.test is ") && text.contains("nothing was sent"), "{text}");
        assert_eq!(says.asked.lock().unwrap().len(), 1);
    }
    assert_eq!(server.asked(), Vec::<String>::new());
    let (allowed, _) = fetcher(Reaches::Private, &[&["224.0.0.1"]]);
    assert_eq!(fetch(&allowed, &server.at("/")).await.0, OutcomeKind::Failed, "some are never fetched from");
}

/// A name that means another address the next time gains nothing: it is looked up once, and that is where all of it goes.
#[tokio::test]
async fn a_name_is_looked_up_once() {
    let server = Server::start(|path, _| match path {
        "/last" => text("there"),
        _ => answer("302 Found", "location: /last\r\n", b""),
    })
    .await;
    let (fetcher, says) = fetcher(Reaches::Private, &[&["127.0.0.1"], &["127.0.0.99"]]);
    let (kind, text) = fetch(&fetcher, &server.at("/")).await;
    assert_eq!(kind, OutcomeKind::Succeeded, "{text}");
    assert!(text.ends_with("]\nthere") && text.contains("after 1 redirects"), "{text}");
    assert_eq!(says.asked.lock().unwrap().len(), 1);
}

/// What was approved is the host on the card.
#[tokio::test]
async fn redirects_stay_with_the_host() {
    let server = Server::start(|path, port| {
        let to = match path {
            "/other" => "http://elsewhere.test/x".to_owned(),
            "/port" => format!("http://site.test:{}/x", port.wrapping_add(1)),
            "/down" => "http://127.0.0.1:1/x".to_owned(),
            "/file" => "file:///etc/passwd".to_owned(),
            "/named" => format!("http://a:b@site.test:{port}/x"),
            "/round" => "/round".to_owned(),
            _ => return text("end"),
        };
        answer("302 Found", &format!("location: {to}\r\n"), b"")
    })
    .await;
    for (path, kind, part) in [
        ("/other", OutcomeKind::Succeeded, "points to http://elsewhere.test/x, which is another place"),
        ("/port", OutcomeKind::Succeeded, "another place"),
        ("/file", OutcomeKind::Failed, "only http:// and https://"),
        ("/named", OutcomeKind::Failed, "name or a password"),
        ("/round", OutcomeKind::Failed, "after 5 redirects"),
    ] {
        let (fetcher, _) = fetcher(Reaches::Private, HERE);
        let (found, text) = fetch(&fetcher, &server.at(path)).await;
        assert_eq!(found, kind, "{path}: {text}");
        assert!(text.contains(part), "{path}: {text}");
    }
    assert_eq!(server.asked().len(), 4 + 6, "each was asked once, and the round six times");
    // A redirect to a private address is refused by the rule of the first one.
    let at = Url::parse("https://a.test/").unwrap();
    let fault = target(at.join("http://10.0.0.1/x").unwrap().as_str(), Reaches::Public).unwrap_err();
    assert!(fault.contains("a private network"), "{fault}");
    let yes = [("http://a.test/", "https://a.test/x"), ("https://a.test/", "https://a.test:443/x")];
    let no = [
        ("https://a.test/", "http://a.test/x"),
        ("http://a.test:80/", "https://a.test:8443/x"),
        ("http://a.test/", "http://b.a.test/"),
    ];
    for (all, expected) in [(&yes[..], true), (&no[..], false)] {
        for (from, to) in all {
            let (from, to) = (Url::parse(from).unwrap(), Url::parse(to).unwrap());
            assert_eq!(same_host(&from, &to), expected, "{from} {to}");
        }
    }
}

#[tokio::test]
async fn what_is_large_is_cut_with_the_amount_stated() {
    let server = Server::start(|path, _| match path {
        "/large" => text(&"ä".repeat(4 * 1024 * 1024)),
        "/picture" => answer("200 OK", "content-type: image/png\r\n", &vec![0; 70_000]),
        "/lie" => answer("200 OK", "content-type: text/plain\r\n", &[0; 10]),
        "/latin" => answer("200 OK", "content-type: text/plain; charset=ISO-8859-1\r\n", b"Gr\xfc\xdfe"),
        "/broken" => answer("200 OK", "content-type: text/plain\r\n", b"Gr\xfc"),
        "/kind" => answer("200 OK", "", b"plain"),
        _ => text("0123456789"),
    })
    .await;
    let (fetcher, _) = fetcher(Reaches::Private, HERE);
    let all = fetch(&fetcher, &server.at("/large")).await.1;
    assert!(
        all.starts_with("[200 OK, text/plain, the first 5,242,880 of 8,388,608 bytes were read]\nää"),
        "{}",
        &all[..90]
    );
    assert!(all.ends_with("ä\n[4,980,736 bytes left out]"), "{}", &all[all.len() - 60..]);
    for (path, expected) in [
        ("/picture", "[200 OK, image/png, 70,000 bytes. It is no text, so it wasn't read.]"),
        ("/lie", "[200 OK, text/plain, 10 bytes. It is no text, whatever the server calls it.]"),
        ("/latin", "[200 OK, text/plain; charset=ISO-8859-1, 5 bytes]\nGrüße"),
        ("/broken", "[200 OK, text/plain, 3 bytes; bytes that are no UTF-8 are shown as \u{fffd}]\nGr\u{fffd}"),
        ("/kind", "[200 OK, of no stated kind, 5 bytes]\nplain"),
    ] {
        assert_eq!(fetch(&fetcher, &server.at(path)).await.1, expected, "{path}");
    }
    let whole = Whole::default();
    let few = fetcher.fetch(&server.at("/few"), Some(4), &whole, CancellationToken::new()).await;
    let all = whole.take().unwrap();
    assert_eq!(all, "[200 OK, text/plain, 10 bytes]\n0123456789", "the person can see the rest");
    assert_eq!(few.text, "[200 OK, text/plain, 10 bytes]\n0123\n[6 bytes left out]");
}

#[tokio::test]
async fn a_slow_server_is_given_up_and_a_stop_counts_at_once() {
    let server = Server::start(|path, _| match path {
        // It promises more than it sends.
        "/half" => b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 10\r\n\r\nhalf".to_vec(),
        _ => Vec::new(),
    })
    .await;
    let (fetcher, _) = fetcher(Reaches::Private, HERE);
    let hasty = Fetcher { whole: Duration::from_millis(200), ..fetcher.clone() };
    let (kind, text) = fetch(&hasty, &server.at("/never")).await;
    assert!(kind == OutcomeKind::Failed && text.contains("longer than"), "{text}");
    let (kind, text) = fetch(&fetcher, &server.at("/half")).await;
    assert!(kind == OutcomeKind::Failed && text.contains("broke off"), "nothing half: {text}");
    let stop = CancellationToken::new();
    let (url, whole) = (server.at("/never"), Whole::default());
    let begun = std::time::Instant::now();
    let (outcome, ()) = tokio::join!(fetcher.fetch(&url, None, &whole, stop.clone()), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        stop.cancel();
    });
    assert_eq!(outcome.kind, OutcomeKind::Stopped);
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn an_address_is_read_strictly() {
    for (url, part) in [
        ("a.test/x", "can't be read"),
        ("ftp://a.test/", "only http"),
        ("javascript:alert(1)", "only http"),
        ("https://a:b@a.test/", "password"),
        ("https://a@a.test/", "password"),
        ("http://", "can't be read"),
    ] {
        let fault = target(url, Reaches::Private).unwrap_err();
        assert!(fault.contains(part), "{url}: {fault}");
    }
    assert!(target(&format!("https://a.test/{}", "x".repeat(9_000)), Reaches::Public).is_err());
    assert_eq!(
        target(" https://bücher.test/ä?q=ü#top ", Reaches::Public).unwrap().as_str(),
        "https://xn--bcher-kva.test/%C3%A4?q=%C3%BC"
    );
}
