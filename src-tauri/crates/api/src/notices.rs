//! Desktop notifications: when they fire, what they say, and what a press does. One a conversation; replaced as its set
//! changes, withdrawn on every way in which nothing waits any more. Never agent prose, never an approval.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use countersign_core::ids::{ConversationId, RequestId};
use countersign_engine::ports::{Notice, NoticeAction, NoticePress};
use tokio_util::sync::CancellationToken;

use crate::desk::Desk;
use crate::display::text::{one_line, plain};
use crate::wire::inbox::{Decision, RequestRow, RowGroup, RowKind, SetCard};
use crate::wire::settings::Privacy;
use crate::wire::window::{ApiError, FeedWhat};

/// A set settles this long before it is told, so that a card that dies at once is never told.
const SETTLE: Duration = Duration::from_millis(400);
/// How much later it is told when the person is in the app, but not looking at it.
const ELSEWHERE: Duration = Duration::from_secs(5);
/// How long the test notice stays.
const TEST: Duration = Duration::from_secs(20);
/// The longest conversation name in a notice.
const NAME_WIDTH: usize = 40;
/// The longest payload line in a notice.
const BODY_WIDTH: usize = 120;

/// What is shown, by conversation: the token of the showing, the rows that it told, and what is about to be shown.
#[derive(Debug, Default)]
pub(crate) struct Shown(Mutex<HashMap<ConversationId, State>>);

#[derive(Debug, Default)]
struct State {
    told: Option<Told>,
    soon: Option<CancellationToken>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Told {
    token: String,
    rows: Vec<String>,
    rejects: Option<RequestId>,
}

impl Shown {
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<ConversationId, State>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a press with this token is one on what is shown now.
    fn told(&self, press: &NoticePress) -> Option<Told> {
        self.lock().get(&press.conversation)?.told.clone().filter(|told| told.token == press.token)
    }
}

/// Looks again at what a conversation's notice should be. Returns at once; the showing waits for the set to settle, which begins
/// anew only when what waits has changed: a run that goes on beside a request must not put its notice off for ever.
pub(crate) fn refresh(desk: &Arc<Desk>, of: ConversationId, changed: bool) {
    let soon = CancellationToken::new();
    let before = {
        let mut shown = desk.shown.lock();
        let state = shown.entry(of).or_default();
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

/// Takes a conversation's notice away, because it was opened.
pub(crate) async fn opened(desk: &Desk, of: ConversationId) {
    let told = desk.shown.lock().get_mut(&of).and_then(|state| state.told.take());
    if told.is_some() {
        desk.host.notices.withdraw(of).await;
    }
}

/// A button was pressed. An unknown token, or a set that changed since, decides nothing and opens the Inbox.
pub(crate) async fn pressed(desk: &Arc<Desk>, press: &NoticePress) -> Result<bool, ApiError> {
    let Some(set) = desk.all_waiting(press.conversation).await? else {
        return Ok(false);
    };
    let told = desk.shown.told(press);
    opened(desk, press.conversation).await;
    let first = set.rows.first().map(|row| row.id.clone());
    let rejects = told.and_then(|told| told.rejects).map(|request| request.to_string());
    match (press.action, rejects) {
        (NoticeAction::Reject, Some(request)) if first.as_ref() == Some(&request) && set.rows.len() == 1 => {
            let detail = crate::detail::detail(desk, &request).await?;
            if let crate::wire::inbox::DetailState::Open { digest, .. } = detail.state {
                crate::drafts::stage(desk, &request, Decision::Reject { reason: None }, &digest).await?;
            }
        }
        (NoticeAction::Reject | NoticeAction::Review, _) => {
            desk.feed.publish(desk.space, FeedWhat::Show { request: first });
        }
    }
    Ok(true)
}

async fn show(desk: &Arc<Desk>, of: ConversationId, soon: &CancellationToken) -> Result<(), ApiError> {
    let settings = desk.settings();
    let set = desk.all_waiting(of).await?.filter(|_| settings.notify);
    let Some(set) = set else {
        withdraw(desk, of).await;
        return Ok(());
    };
    let rows: Vec<String> = set.rows.iter().map(|row| row.id.clone()).collect();
    let same = desk.shown.lock().get(&of).and_then(|state| state.told.as_ref()).is_some_and(|told| told.rows == rows);
    if same {
        return Ok(());
    }
    match presence(desk, &rows) {
        // What is on screen isn't told; once the person looks away, the next change tells it.
        Presence::Looking => return Ok(()),
        Presence::Elsewhere => {
            let still = tokio::select! {
                () = tokio::time::sleep(ELSEWHERE) => true,
                () = soon.cancelled() => false,
                () = desk.closing.cancelled() => false,
            };
            if !still || matches!(presence(desk, &rows), Presence::Looking) {
                return Ok(());
            }
        }
        Presence::Away => {}
    }
    let Some(opens) = set.rows.first().and_then(|row| row.id.parse().ok()) else {
        return Ok(());
    };
    let rejects = match set.rows.as_slice() {
        [only] if only.kind == RowKind::Call => only.id.parse().ok(),
        _ => None,
    };
    let token = uuid::Uuid::new_v4().simple().to_string();
    let (title, body) = words(&set, settings.privacy);
    let notice = Notice { conversation: of, opens, title, body, rejects, token: token.clone() };
    desk.shown.lock().entry(of).or_default().told = Some(Told { token, rows, rejects });
    if let Err(why) = desk.host.notices.show(notice).await {
        tracing::info!(%why, "the desktop didn't take a notification");
        if let Some(state) = desk.shown.lock().get_mut(&of) {
            state.told = None;
        }
    }
    Ok(())
}

async fn withdraw(desk: &Desk, of: ConversationId) {
    let told = desk.shown.lock().remove(&of).and_then(|state| state.told);
    if told.is_some() {
        desk.host.notices.withdraw(of).await;
    }
}

enum Presence {
    Looking,
    Elsewhere,
    Away,
}

fn presence(desk: &Desk, rows: &[String]) -> Presence {
    let looking = desk.looking.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match (looking.focused, looking.request) {
        (false, _) => Presence::Away,
        (true, Some(request)) if rows.contains(&request) => Presence::Looking,
        (true, _) => Presence::Elsewhere,
    }
}

fn words(set: &SetCard, privacy: Privacy) -> (String, String) {
    let name = plain(&one_line(&plain(&set.title), NAME_WIDTH));
    let only = match set.rows.as_slice() {
        [only] => Some(only),
        _ => None,
    };
    let title = match only {
        Some(only) => format!("{name} {}", wants(only)),
        None => format!("{name} waits for you"),
    };
    let body = match (privacy, only) {
        (Privacy::Private, _) => match set.rows.len() {
            1 => "1 request".to_owned(),
            count => format!("{count} requests"),
        },
        (Privacy::Target | Privacy::Full, None) => amounts(&set.rows),
        (Privacy::Full, Some(only)) => plain(&one_line(&plain(&only.target), BODY_WIDTH)),
        // A server's words are nobody's that the person knows.
        (Privacy::Target, Some(only)) if only.held_by.is_some() => "Open it to see the question".to_owned(),
        (Privacy::Target, Some(only)) => match only.group {
            RowGroup::Commands => "Open it to see the command".to_owned(),
            RowGroup::Files | RowGroup::Plans | RowGroup::Other => plain(&one_line(&plain(&only.target), BODY_WIDTH)),
        },
    };
    (title, body)
}

fn wants(row: &RequestRow) -> String {
    match (row.kind, row.group) {
        (RowKind::Approved, _) => "has an approved call that has not run".to_owned(),
        (RowKind::Plan, _) => "proposes a plan".to_owned(),
        (RowKind::Question, _) => "asks for input".to_owned(),
        (RowKind::Call, RowGroup::Commands) => "wants to run a command".to_owned(),
        (RowKind::Call, RowGroup::Files | RowGroup::Other | RowGroup::Plans) => {
            let verb = plain(&row.verb);
            let mut letters = verb.chars();
            let lower: String = letters.next().map(|first| first.to_lowercase().collect()).unwrap_or_default();
            format!("wants to {lower}{}", letters.as_str())
        }
    }
}

fn amounts(rows: &[RequestRow]) -> String {
    let count = |group| rows.iter().filter(|row| row.group == group).count();
    let said = |amount: usize, one: &str, more: &str| match amount {
        0 => None,
        1 => Some(format!("1 {one}")),
        amount => Some(format!("{amount} {more}")),
    };
    let parts: Vec<String> = [
        said(count(RowGroup::Commands), "command", "commands"),
        said(count(RowGroup::Files), "file", "files"),
        said(count(RowGroup::Plans), "plan", "plans"),
        said(count(RowGroup::Other), "other call", "other calls"),
    ]
    .into_iter()
    .flatten()
    .collect();
    format!("{} requests wait: {}", rows.len(), parts.join(", "))
}

/// Shows a notice that nobody needs to answer and says in words what came of it. Whether its button works shows when
/// it is pressed: then the window comes up.
pub(crate) async fn test(host: &crate::host::Host) -> Result<String, ApiError> {
    let capabilities = host.notices.capabilities().await;
    let Some(server) = capabilities.server else {
        return Ok("Nothing arrived: no notification service answers. The Inbox still shows everything.".to_owned());
    };
    let id = *uuid::Uuid::new_v4().as_bytes();
    let notice = Notice {
        conversation: ConversationId(id),
        opens: RequestId(id),
        title: "Countersign can reach you here".to_owned(),
        body: "Press Review: the window comes up.".to_owned(),
        rejects: None,
        token: uuid::Uuid::new_v4().simple().to_string(),
    };
    let shown = host.notices.show(notice).await;
    if shown.is_ok() {
        let notices = Arc::clone(&host.notices);
        tokio::spawn(async move {
            tokio::time::sleep(TEST).await;
            notices.withdraw(ConversationId(id)).await;
        });
    }
    Ok(match shown {
        Ok(()) if capabilities.actions => {
            format!("Shown by {server}. Press its Review button: the window comes up.")
        }
        Ok(()) => {
            format!("Shown by {server}, but buttons don't work there: a click opens the request.")
        }
        Err(why) => format!("Nothing arrived: {why}. The Inbox still shows everything."),
    })
}
