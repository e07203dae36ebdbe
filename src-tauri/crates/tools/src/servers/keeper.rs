//! Keeps one server running: starts it when it is needed, starts it again when it ended by itself, each time a little later,
//! and gives up after a few times until somebody needs it again.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use countersign_core::ids::ServerId;
use countersign_core::server::{Definition, Launch, ServerProfile};
use rmcp::Peer;
use rmcp::service::RoleClient;
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use super::connection::{self, Connected, Line};
use super::handler::{Calls, Handler};
use super::journal::{Journal, LogLine};
use super::listing::Listing;
use super::result::short;
use super::{Secrets, State, Status};

/// How often a server that ends by itself is started again before somebody has to need it.
const MOST_TRIES: u32 = 5;
/// A server that ran this long is a healthy one: what happened before doesn't count.
const HEALTHY: Duration = Duration::from_secs(60);
/// A server that didn't come up this short a time ago isn't waited for again.
const JUST_FAILED: Duration = Duration::from_secs(10);
/// How long somebody waits for a list that is read again. A server that is busy with a call may answer only then.
const LOOK: Duration = Duration::from_secs(10);
/// The list of tools is read at most this often, however often the server says that it changed.
const RELIST_EVERY: Duration = Duration::from_secs(1);

/// Keeps a server. Cheap to clone.
#[derive(Clone)]
pub(super) struct Keeper(Arc<Inner>);

struct Inner {
    id: ServerId,
    launch: Launch,
    roots: Vec<String>,
    start: Duration,
    secrets: Arc<dyn Secrets>,
    journal: Journal,
    wanted: Notify,
    now: watch::Sender<Now>,
    changed: Arc<watch::Sender<u64>>,
    closing: CancellationToken,
    known: RwLock<Known>,
    task: Mutex<Option<tokio::task::JoinHandle<()>>>,
    /// How often it was started so far.
    starts: AtomicU64,
    /// Somebody wants its list of tools as it is now.
    look: Notify,
    /// How often its list was read.
    listed: watch::Sender<u64>,
}

#[derive(Clone, Default)]
struct Known {
    definitions: Arc<Vec<Definition>>,
    cut: String,
    calls_itself: Option<String>,
}

#[derive(Clone)]
enum Now {
    Idle,
    Starting,
    Running(Line),
    Ending,
    Failed {
        why: String,
        again: Option<Duration>,
        /// The how manieth start it was.
        start: u64,
        at: Instant,
        /// Whether it never came up, other than one that ended later.
        never: bool,
    },
}

impl Keeper {
    pub(super) fn new(profile: &ServerProfile, secrets: Arc<dyn Secrets>, changed: Arc<watch::Sender<u64>>) -> Self {
        let (now, _) = watch::channel(Now::Idle);
        Self(Arc::new(Inner {
            id: profile.id,
            launch: profile.launch.clone(),
            roots: profile.roots.clone(),
            start: Duration::from_secs(u64::from(profile.start_s)),
            secrets,
            journal: Journal::default(),
            wanted: Notify::new(),
            now,
            changed,
            closing: CancellationToken::new(),
            known: RwLock::default(),
            task: Mutex::default(),
            starts: AtomicU64::new(0),
            look: Notify::new(),
            listed: watch::channel(0).0,
        }))
    }

    /// Whether it keeps the server as it is set up now.
    pub(super) fn serves(&self, profile: &ServerProfile) -> bool {
        self.0.launch == profile.launch
            && self.0.roots == profile.roots
            && self.0.start == Duration::from_secs(u64::from(profile.start_s))
            && !self.0.closing.is_cancelled()
    }

    /// Has it started, if it isn't running.
    pub(super) fn want(&self) {
        let mut task = self.0.task.lock().unwrap_or_else(PoisonError::into_inner);
        if task.is_none() && !self.0.closing.is_cancelled() {
            let inner = Arc::clone(&self.0);
            *task = Some(tokio::spawn(async move { keep(&inner).await }));
        }
        self.0.wanted.notify_one();
    }

    /// Has it started and waits until it answers or fails. Returns whether what its tools are is known as of now.
    pub(super) async fn ready(&self) -> bool {
        let mut now = self.0.now.subscribe();
        let starts = self.0.starts.load(Ordering::SeqCst);
        // What happens to a start that goes on counts; what happened to an earlier one doesn't.
        let awaited = match &*now.borrow_and_update() {
            Now::Running(line) if line.is_open() => None,
            Now::Starting => Some(starts),
            // Several agents of one run must not wait for the same dead server one after the other.
            Now::Failed { at, never: true, .. } if at.elapsed() < JUST_FAILED => return false,
            Now::Idle | Now::Running(_) | Now::Ending | Now::Failed { .. } => Some(starts + 1),
        };
        if awaited.is_none() {
            if self.listed_anew().await {
                return true;
            }
            if self.line().is_ok() {
                return false;
            }
        }
        let awaited = awaited.unwrap_or(starts + 1);
        self.want();
        let settled = |now: &Now| match now {
            Now::Running(line) => line.is_open(),
            Now::Failed { start, .. } => *start >= awaited,
            Now::Idle | Now::Starting | Now::Ending => false,
        };
        // It fails by itself after its time to start; the rest is for what surrounds that.
        let patience = self.0.start * 2 + Duration::from_secs(10);
        tokio::select! {
            _ = now.wait_for(settled) => self.line().is_ok(),
            () = self.0.closing.cancelled() => false,
            () = tokio::time::sleep(patience) => false,
        }
    }

    /// Waits until its list of tools was read again: a server that changes what its tools are while a person is asked may say
    /// nothing of it. Returns whether it was, before the connection ended or the time for it was over.
    async fn listed_anew(&self) -> bool {
        let (mut listed, mut now) = (self.0.listed.subscribe(), self.0.now.subscribe());
        let before = *listed.borrow_and_update();
        self.0.look.notify_one();
        let over = |now: &Now| match now {
            Now::Running(line) => !line.is_open(),
            Now::Idle | Now::Starting | Now::Ending | Now::Failed { .. } => true,
        };
        tokio::select! {
            read = listed.wait_for(|now| *now > before) => read.is_ok(),
            _ = now.wait_for(over) => false,
            () = self.0.closing.cancelled() => false,
            () = tokio::time::sleep(self.0.start.min(LOOK)) => false,
        }
    }

    /// The connection.
    ///
    /// # Errors
    /// Words for the model: why there is none.
    pub(super) fn line(&self) -> Result<Line, String> {
        match &*self.0.now.borrow() {
            Now::Running(line) if line.is_open() => Ok(line.clone()),
            Now::Idle => Err("the server isn't running".to_owned()),
            Now::Running(_) | Now::Ending => Err("the server has just ended".to_owned()),
            Now::Starting => Err("the server is still starting".to_owned()),
            Now::Failed { why, .. } => Err(format!("the server isn't running: {why}")),
        }
    }

    pub(super) fn definitions(&self) -> Arc<Vec<Definition>> {
        Arc::clone(&self.0.known.read().unwrap_or_else(PoisonError::into_inner).definitions)
    }

    pub(super) fn status(&self) -> Status {
        let state = match &*self.0.now.borrow() {
            Now::Idle | Now::Ending => State::Idle,
            Now::Starting => State::Starting,
            Now::Running(_) => State::Running,
            Now::Failed { why, again, .. } => {
                State::Failed { why: why.clone(), again_s: again.map(|again| again.as_secs()) }
            }
        };
        let Known { definitions, cut, calls_itself } =
            self.0.known.read().unwrap_or_else(PoisonError::into_inner).clone();
        Status { state, definitions, cut, calls_itself }
    }

    pub(super) fn log(&self) -> Vec<LogLine> {
        self.0.journal.lines()
    }

    /// Stops it and waits until it has ended.
    pub(super) async fn stop(&self) {
        self.0.closing.cancel();
        let task = self.0.task.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(task) = task {
            let _ = task.await;
        }
    }
}

impl Inner {
    fn is(&self, now: Now) {
        self.now.send_replace(now);
        self.changed.send_modify(|count| *count += 1);
    }

    /// Takes a list. Returns whether it is another one.
    fn knows(&self, listing: Listing, more: bool) -> bool {
        let cut = listing.cut(more);
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.cut == cut && *known.definitions == listing.definitions {
            return false;
        }
        if !cut.is_empty() && known.cut != cut {
            self.journal.note(cut.clone());
        }
        known.cut = cut;
        known.definitions = Arc::new(listing.definitions);
        true
    }
}

/// Starts the server whenever it is wanted, until it is closed.
async fn keep(inner: &Inner) {
    loop {
        tokio::select! {
            () = inner.wanted.notified() => {}
            () = inner.closing.cancelled() => break,
        }
        let mut failures = 0;
        loop {
            let start = inner.starts.fetch_add(1, Ordering::SeqCst) + 1;
            inner.is(Now::Starting);
            let began = Instant::now();
            let listed = *inner.listed.borrow();
            let why = run(inner).await;
            let never = *inner.listed.borrow() == listed;
            if inner.closing.is_cancelled() {
                break;
            }
            if began.elapsed() > HEALTHY {
                failures = 0;
            }
            failures += 1;
            let again = (failures <= MOST_TRIES).then(|| Duration::from_secs(1 << failures.min(6)));
            inner.journal.note(match again {
                Some(again) => format!("{why}; it is started again in {} s", again.as_secs()),
                None => format!("{why}; it isn't started again until it is needed"),
            });
            inner.is(Now::Failed { why, again, start, at: Instant::now(), never });
            let Some(again) = again else { break };
            tokio::select! {
                () = tokio::time::sleep(again) => {}
                () = inner.wanted.notified() => {}
                () = inner.closing.cancelled() => break,
            }
        }
        if inner.closing.is_cancelled() {
            break;
        }
    }
    inner.is(Now::Idle);
}

/// Starts the server and stays with it. Returns why it is over.
async fn run(inner: &Inner) -> String {
    let (calls, relist) = (Calls::default(), Arc::new(Notify::new()));
    let handler = Handler {
        calls: calls.clone(),
        roots: inner.roots.clone(),
        relist: Arc::clone(&relist),
        journal: inner.journal.clone(),
    };
    inner.journal.note("starting");
    let began = Instant::now();
    let connecting = connection::connect(inner.id, &inner.launch, &*inner.secrets, handler);
    let connected = tokio::select! {
        connected = tokio::time::timeout(inner.start, connecting) => connected,
        () = inner.closing.cancelled() => return "stopped".to_owned(),
    };
    let Connected { service, process, cut_off } = match connected {
        Ok(Ok(connected)) => connected,
        Ok(Err(why)) => return why,
        Err(_) => return format!("it didn't answer within {} s", inner.start.as_secs()),
    };
    let peer: Peer<RoleClient> = service.peer().clone();
    let calls_itself = peer.peer_info().and_then(|info| {
        let info = info.server_info.as_ref()?;
        Some(short(&format!("{} {}", info.name, info.version)))
    });
    inner.known.write().unwrap_or_else(PoisonError::into_inner).calls_itself = calls_itself;
    let over = Arc::new(CancellationToken::new());
    let line = Line { peer: peer.clone(), calls, cut_off: cut_off.clone(), over: Arc::clone(&over) };
    let why = tokio::select! {
        why = stay(inner, &line, &relist, began) => why,
        () = inner.closing.cancelled() => "stopped".to_owned(),
    };
    over.cancel();
    inner.is(Now::Ending);
    // Closing its input is how it is told to end.
    drop(service);
    let status = match process {
        Some(process) => process.end().await,
        None => None,
    };
    match (cut_off.why(), status) {
        (Some(why), _) => why,
        (None, Some(status)) if why.is_empty() => format!("it ended ({status})"),
        (None, _) if why.is_empty() => "the connection was closed".to_owned(),
        (None, _) => why,
    }
}

/// Reads the list of tools, and again whenever it changed. Returns when the connection is over; the reason is blank if the server ended it.
async fn stay(inner: &Inner, line: &Line, relist: &Notify, began: Instant) -> String {
    let closed = async {
        // There is no signal for this that can be waited for beside the service itself, so it is looked at.
        while line.is_open() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let listing = async {
        let left = inner.start.saturating_sub(began.elapsed()).max(Duration::from_secs(1));
        match connection::list_within(&line.peer, left).await {
            Ok((listing, more)) => {
                inner.knows(listing, more);
                inner.listed.send_modify(|count| *count += 1);
            }
            Err(why) => return why,
        }
        inner.journal.note("it answers");
        inner.is(Now::Running(line.clone()));
        loop {
            tokio::select! {
                () = async { relist.notified().await; tokio::time::sleep(RELIST_EVERY).await } => {}
                () = inner.look.notified() => {}
            }
            match connection::list_within(&line.peer, inner.start).await {
                Ok((listing, more)) => {
                    if inner.knows(listing, more) {
                        inner.journal.note("its tools changed");
                        inner.changed.send_modify(|count| *count += 1);
                    }
                    inner.listed.send_modify(|count| *count += 1);
                }
                // It may be busy with a call; then it answers this when it is done, or its call ends by itself.
                Err(why) if line.calls.any() => {
                    inner.journal.note(format!("{why}; it is at work, and asked again later"));
                }
                Err(why) => return why,
            }
        }
    };
    tokio::select! {
        () = closed => String::new(),
        why = listing => why,
    }
}
