//! Where the desktop shows no notifications, the window asks for the person itself: once for each set that comes to
//! wait.

use std::collections::HashSet;
use std::sync::Arc;

use countersign_api::app::Countersign;
use countersign_api::wire::window::{FeedWhat, Space};
use countersign_engine::ports::Notices as _;
use tauri::AppHandle;
use tokio::sync::broadcast::error::RecvError;

use crate::notices::DesktopNotices;
use crate::window;

/// Asks for as long as there is a feed.
pub(crate) async fn ask(app: AppHandle, countersign: Arc<Countersign>, notices: DesktopNotices) {
    let mut feed = countersign.subscribe();
    let mut waiting = Waiting::default();
    loop {
        match feed.recv().await {
            Ok(event) => {
                if waiting.grew(event.space, &event.what) && notices.capabilities().await.server.is_none() {
                    window::ask_for_attention(&app);
                }
            }
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}

/// The sets that are known to wait: conversations, and questions that servers hold open.
#[derive(Debug, Default)]
struct Waiting(HashSet<(Space, String)>);

impl Waiting {
    /// Whether a set waits now that didn't before.
    fn grew(&mut self, space: Space, what: &FeedWhat) -> bool {
        match what {
            FeedWhat::Set { id, set: Some(_) } => self.0.insert((space, id.clone())),
            FeedWhat::Set { id, set: None } | FeedWhat::ConversationGone { conversation: id } => {
                self.0.remove(&(space, id.clone()));
                false
            }
            FeedWhat::Closed { .. }
            | FeedWhat::Conversation { .. }
            | FeedWhat::Entries { .. }
            | FeedWhat::Delta { .. }
            | FeedWhat::Typed { .. }
            | FeedWhat::Quick { .. }
            | FeedWhat::History
            | FeedWhat::Agents { .. }
            | FeedWhat::Servers
            | FeedWhat::Rules
            | FeedWhat::Settings { .. }
            | FeedWhat::Rehearsal { .. }
            | FeedWhat::Show { .. }
            | FeedWhat::Leaving { .. }
            | FeedWhat::Trouble { .. } => false,
        }
    }
}
