//! Desktop notifications: when they fire, what they say, and what a press does. One a conversation; replaced as its set
//! changes, withdrawn on every way in which nothing waits any more. Never agent prose; silence and reminders decide nothing.
//!
//! # Design
//! [`refresh`] is told that something may have changed, waits for it to settle and looks at what is stored; what should be on
//! screen follows from that and from [`Book`], never from the event. [`attending`] looks at the time and at who is there,
//! whenever the host says so. A press is worth what the showing with its token offered ([`presses`]).

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use countersign_core::ids::{At, ConversationId, RequestId};
use countersign_engine::ports::{Attendance, Notice, NoticeAction, NoticePress, Tone};
use jiff::tz::TimeZone;
use tokio_util::sync::CancellationToken;

use crate::desk::Desk;
use crate::wire::inbox::{RowKind, SetCard};
use crate::wire::settings::Settings;
use crate::wire::window::ApiError;

pub(crate) mod attending;
pub(crate) mod hours;
pub(crate) mod news;
pub(crate) mod presses;
pub(crate) mod trial;
pub(crate) mod words;

/// A set settles this long before it is told, so that a card that dies at once is never told.
const SETTLE: Duration = Duration::from_millis(400);
/// How much later it is told when the person is in the app, but not looking at it.
const ELSEWHERE: Duration = Duration::from_secs(5);
/// How long the host may take to say who is there.
const PATIENCE: Duration = Duration::from_secs(3);
/// Two sounds are at least so far apart, in milliseconds.
const BETWEEN_SOUNDS: i64 = 10_000;
/// How many showings are remembered after they are gone: a press may come behind.
const REMEMBERED: usize = 64;

/// What is shown and what is about to be.
#[derive(Debug, Default)]
pub(crate) struct Shown(Mutex<Book>);

#[derive(Debug, Default)]
struct Book {
    conversations: HashMap<ConversationId, State>,
    /// The last showings by their token, with the request that each opens.
    past: VecDeque<(String, RequestId)>,
    /// Requests that were on screen in a focused window.
    seen: HashSet<[u8; 16]>,
    rung: Option<At>,
}

#[derive(Debug, Default)]
struct State {
    told: Option<Told>,
    soon: Option<CancellationToken>,
    waits: Option<Waits>,
    /// Whether it would have been told, had it not been quiet.
    held_back: bool,
}

/// What is on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Told {
    token: String,
    opens: RequestId,
    says: Says,
}

/// What a notice is about.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Says {
    /// That these rows wait.
    Waits { rows: Vec<String>, decides: Option<Decides> },
    /// That an answer was staged by a press, and can be taken back. `leaves`: it leaves by itself.
    Staged { request: RequestId, approved: bool, leaves: bool },
    /// Of something that is over and waits for nobody.
    News,
}

/// What its buttons decide: the one request, as it was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Decides {
    request: RequestId,
    digest: String,
    approves: bool,
}

/// A set that waits, for telling it again.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Waits {
    rows: Vec<String>,
    since: At,
    reminded: u8,
    welcomed: bool,
}

impl Shown {
    fn lock(&self) -> std::sync::MutexGuard<'_, Book> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The showing of a press, if it is the one that is on screen now.
    fn told(&self, press: &NoticePress) -> Option<Told> {
        let told = self.lock().conversations.get(&press.conversation)?.told.clone();
        told.filter(|told| told.token == press.token)
    }

    /// What a showing that may be gone opened.
    fn opened_by(&self, token: &str) -> Option<RequestId> {
        self.lock().past.iter().find(|(past, _)| past == token).map(|(_, opens)| *opens)
    }

    /// A request was on screen.
    pub(crate) fn saw(&self, request: [u8; 16]) {
        self.lock().seen.insert(request);
    }

    /// Whether a request was on screen; it is closed now, so this is forgotten.
    pub(crate) fn was_seen(&self, request: [u8; 16]) -> bool {
        self.lock().seen.remove(&request)
    }

    fn take(&self, of: ConversationId) -> Option<Told> {
        self.lock().conversations.get_mut(&of)?.told.take()
    }

    fn says(&self, of: ConversationId) -> Option<Says> {
        Some(self.lock().conversations.get(&of)?.told.as_ref()?.says.clone())
    }

    /// What waits now. A set with a new row counts anew from this moment.
    fn waits(&self, of: ConversationId, rows: &[String], now: At) {
        let mut book = self.lock();
        let waits = &mut book.conversations.entry(of).or_default().waits;
        match waits {
            Some(known) if rows.iter().all(|row| known.rows.contains(row)) => rows.clone_into(&mut known.rows),
            Some(_) | None => {
                *waits = Some(Waits { rows: rows.to_vec(), since: now, reminded: 0, welcomed: false });
            }
        }
    }

    fn hold_back(&self, of: ConversationId) {
        self.lock().conversations.entry(of).or_default().held_back = true;
    }

    /// Whether a sound may go along now; then it counts.
    fn may_ring(&self, now: At) -> bool {
        let mut book = self.lock();
        if book.rung.is_some_and(|last| (0..BETWEEN_SOUNDS).contains(&(now.0 - last.0))) {
            return false;
        }
        book.rung = Some(now);
        true
    }
}

/// Looks again at what a conversation's notice should be. Returns at once; the showing waits for the set to settle, which begins
/// anew only when what waits has changed: a run that goes on beside a request must not put its notice off for ever.
pub(crate) fn refresh(desk: &Arc<Desk>, of: ConversationId, changed: bool) {
    let soon = CancellationToken::new();
    let before = {
        let mut book = desk.shown.lock();
        let state = book.conversations.entry(of).or_default();
        if !changed && state.soon.as_ref().is_some_and(|soon| !soon.is_cancelled()) {
            return;
        }
        state.soon.replace(soon.clone())
    };
    if let Some(before) = before {
        before.cancel();
    }
    let desk = Arc::clone(desk);
    tokio::spawn(async move {
        let settled = tokio::select! {
            () = tokio::time::sleep(SETTLE) => true,
            () = soon.cancelled() => false,
            () = desk.closing.cancelled() => false,
        };
        if settled && let Err(error) = show(&desk, of, &soon).await {
            tracing::warn!(?error, "a notification couldn't be made");
        }
        soon.cancel();
    });
}

/// Takes a conversation's notice away, because it was opened. What it told is known, so it isn't told again.
pub(crate) async fn opened(desk: &Desk, of: ConversationId) {
    let staged = matches!(desk.shown.says(of), Some(Says::Staged { .. }));
    if !staged && desk.shown.take(of).is_some() {
        desk.host.notices.withdraw(of).await;
    }
}

/// Takes every notice of the space away: it closes, or nothing is to be told any more.
pub(crate) async fn withdraw_all(desk: &Desk) {
    let all: Vec<ConversationId> = desk.shown.lock().conversations.keys().copied().collect();
    for of in all {
        if desk.shown.take(of).is_some() {
            desk.host.notices.withdraw(of).await;
        }
    }
}

/// Settings changed: what they forbid goes away, and what is shown says no more than it may.
pub(crate) async fn settings_changed(desk: &Arc<Desk>, before: &Settings, after: &Settings) {
    let said = |of: &Settings| (of.notify, of.notify_plans, of.privacy, of.approve_from_notice, of.masks.clone());
    let spoken = before.language != after.language;
    let otherwise = said(before) != said(after);
    if !otherwise && !spoken {
        return;
    }
    let all: Vec<ConversationId> = desk.shown.lock().conversations.keys().copied().collect();
    for of in all {
        match desk.shown.says(of) {
            Some(Says::Staged { request, approved, leaves: _ }) => {
                // It stays, for as long as its answer can be taken back, and says so in the language of now.
                let again = if spoken { presses::show_staged(desk, of, request, approved).await } else { Ok(()) };
                if let Err(error) = again {
                    tracing::warn!(?error, "a notification couldn't be made anew");
                }
                continue;
            }
            // What it tells of is over; it says no more in another language.
            Some(Says::News) if !otherwise => continue,
            Some(Says::Waits { .. } | Says::News) | None => {}
        }
        if desk.shown.take(of).is_some() {
            desk.host.notices.withdraw(of).await;
        }
        refresh(desk, of, true);
    }
}

/// Whether the person put a set off: it stays open, and nothing is told of it.
fn quiet(set: &SetCard) -> bool {
    set.later.is_some()
}

/// What is told of a conversation, as if it were one set; none if nothing is. With it, how many requests are open there, told or
/// not.
async fn to_tell(desk: &Desk, of: ConversationId, settings: &Settings) -> Result<(Option<SetCard>, usize), ApiError> {
    let sets = desk.sets_of(of).await?;
    let open = sets.iter().map(|set| set.rows.len()).sum();
    let mut told = sets.into_iter().filter(|set| settings.notify && !quiet(set));
    let Some(mut all) = told.next() else { return Ok((None, open)) };
    all.rows.extend(told.flat_map(|set| set.rows));
    all.rows.retain(|row| row.kind != RowKind::Plan || settings.notify_plans);
    Ok(((!all.rows.is_empty()).then_some(all), open))
}

async fn show(desk: &Arc<Desk>, of: ConversationId, soon: &CancellationToken) -> Result<(), ApiError> {
    if presses::still_staged(desk, of).await? {
        return Ok(());
    }
    let settings = desk.settings();
    let (set, open) = to_tell(desk, of, &settings).await?;
    let Some(set) = set else {
        gone(desk, of).await;
        return Ok(());
    };
    let rows: Vec<String> = set.rows.iter().map(|row| row.id.clone()).collect();
    let now = desk.host.clock.now();
    desk.shown.waits(of, &rows, now);
    if matches!(desk.shown.says(of), Some(Says::Waits { rows: told, .. }) if told == rows) {
        return Ok(());
    }
    if hours::silent(&settings, now.0, &TimeZone::system()) {
        // What is on screen isn't true any more; what is true is told when the silence ends.
        desk.shown.hold_back(of);
        if desk.shown.take(of).is_some() {
            desk.host.notices.withdraw(of).await;
        }
        return Ok(());
    }
    match view(desk, &rows) {
        // What is on screen isn't told; once the person looks away, the next change tells it.
        View::Looking => return Ok(()),
        View::Elsewhere => {
            let still = tokio::select! {
                () = tokio::time::sleep(ELSEWHERE) => true,
                () = soon.cancelled() => false,
                () = desk.closing.cancelled() => false,
            };
            if !still || matches!(view(desk, &rows), View::Looking) {
                return Ok(());
            }
        }
        View::Away => {}
    }
    tell(desk, &set, open, &settings, false).await
}

/// Tells that a set waits. `open` is how many requests are open in the conversation, told or not.
async fn tell(desk: &Arc<Desk>, set: &SetCard, open: usize, settings: &Settings, again: bool) -> Result<(), ApiError> {
    let of = crate::desk::conversation(&set.conversation)?;
    let Some(opens) = set.rows.first().and_then(|row| row.id.parse().ok()) else { return Ok(()) };
    let present = attendance(desk).await;
    let words = words::of_set(desk, set, settings, again).await?;
    let decides = presses::decides(desk, set, open, settings, &words, present).await?;
    let offers = match &decides {
        Some(Decides { approves: true, .. }) => vec![NoticeAction::Reject, NoticeAction::Approve],
        Some(Decides { approves: false, .. }) => vec![NoticeAction::Reject],
        None => Vec::new(),
    };
    let rows = set.rows.iter().map(|row| row.id.clone()).collect();
    let sound = sound(desk, settings, present).await;
    let draft = Draft { opens, title: words.title, body: words.body, offers, tone: Tone::Normal, sound };
    put(desk, of, draft, Says::Waits { rows, decides }).await;
    Ok(())
}

/// A notice before it has its token.
struct Draft {
    opens: RequestId,
    title: String,
    body: String,
    offers: Vec<NoticeAction>,
    tone: Tone,
    sound: Option<u8>,
}

/// Puts a notice on the screen in the place of the conversation's last one.
async fn put(desk: &Desk, of: ConversationId, draft: Draft, says: Says) {
    let token = uuid::Uuid::new_v4().simple().to_string();
    {
        let mut book = desk.shown.lock();
        if book.past.len() >= REMEMBERED {
            book.past.pop_front();
        }
        book.past.push_back((token.clone(), draft.opens));
        let state = book.conversations.entry(of).or_default();
        state.told = Some(Told { token: token.clone(), opens: draft.opens, says });
        state.held_back = false;
    }
    let Draft { opens, title, body, offers, tone, sound } = draft;
    let notice = Notice { conversation: of, opens, title, body, offers, tone, sound, token: token.clone() };
    let shown = desk.host.notices.show(notice).await;
    let (ours, none) = {
        let mut book = desk.shown.lock();
        let told = book.conversations.get_mut(&of).map(|state| &mut state.told);
        let ours = told.as_ref().is_some_and(|told| told.as_ref().is_some_and(|told| told.token == token));
        let none = told.as_ref().is_none_or(|told| told.is_none());
        if let (Some(told), true, Err(_)) = (told, ours, &shown) {
            *told = None;
        }
        (ours, none)
    };
    match shown {
        // It was withdrawn while it was on its way, so that the withdrawal found nothing.
        Ok(()) if !ours && none => desk.host.notices.withdraw(of).await,
        Ok(()) => {}
        Err(why) => {
            tracing::info!(%why, "the desktop didn't take a notification");
            if let Some(volume) = sound {
                desk.host.notices.chime(volume).await;
            }
        }
    }
}

/// Nothing waits any more. What is told of things that are over may stay.
async fn gone(desk: &Desk, of: ConversationId) {
    let withdraw = {
        let mut book = desk.shown.lock();
        let Some(state) = book.conversations.get_mut(&of) else { return };
        (state.waits, state.held_back) = (None, false);
        let waited = matches!(&state.told, Some(Told { says: Says::Waits { .. } | Says::Staged { .. }, .. }));
        if waited || state.told.is_none() {
            book.conversations.remove(&of);
        }
        waited
    };
    if withdraw {
        desk.host.notices.withdraw(of).await;
    }
}

/// Who is there, as far as is known in time.
pub(crate) async fn attendance(desk: &Desk) -> Attendance {
    tokio::time::timeout(PATIENCE, desk.host.presence.look()).await.unwrap_or_default()
}

/// How loud the sound is that goes along now; none if there is none. Where no notification can be shown there is one
/// without being asked for: it is the only thing that reaches a person who looks elsewhere.
async fn sound(desk: &Desk, settings: &Settings, present: Attendance) -> Option<u8> {
    let wanted = settings.sound || desk.host.notices.capabilities().await.server.is_none();
    let volume = settings.volume.min(100);
    let may = wanted && volume > 0 && present.undisturbed != Some(true);
    (may && desk.shown.may_ring(desk.host.clock.now())).then_some(volume)
}

enum View {
    Looking,
    Elsewhere,
    Away,
}

fn view(desk: &Desk, rows: &[String]) -> View {
    let looking = desk.looking.lock().unwrap_or_else(PoisonError::into_inner);
    match (looking.is_here(), looking.at_one_of(rows)) {
        (false, _) => View::Away,
        (true, true) => View::Looking,
        (true, false) => View::Elsewhere,
    }
}
