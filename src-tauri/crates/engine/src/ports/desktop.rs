//! What is asked of the desktop: to tell the person something, and whether there is anybody to tell.

use std::time::Duration;

use async_trait::async_trait;
use countersign_core::ids::{ConversationId, RequestId};

/// Desktop notifications: one a conversation, replaced as it changes, withdrawn when nothing waits any more.
#[async_trait]
pub trait Notices: Send + Sync {
    /// Shows a notice, or replaces the one of the same conversation.
    ///
    /// # Errors
    /// Words for the person, if the desktop didn't take it.
    async fn show(&self, notice: Notice) -> Result<(), String>;

    /// Takes the conversation's notice away, if there is one.
    async fn withdraw(&self, conversation: ConversationId);

    /// What the desktop can do.
    async fn capabilities(&self) -> NoticeCapabilities;

    /// Plays the soft sound by itself, where no notification can carry it. `volume` is 1 to 100.
    async fn chime(&self, volume: u8);
}

/// A notice. Title and body are app-built words and displayed text only (experience: never agent prose).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Of which conversation.
    pub conversation: ConversationId,
    /// The request that a click opens.
    pub opens: RequestId,
    /// First line.
    pub title: String,
    /// Second line.
    pub body: String,
    /// The buttons behind *Review*, which every notice has, in their order.
    pub offers: Vec<NoticeAction>,
    /// How much it wants to be seen.
    pub tone: Tone,
    /// How loud the sound that goes along is, 1 to 100; none: silent.
    pub sound: Option<u8>,
    /// Random for each showing; a press with another token decides nothing.
    pub token: String,
}

/// How much a notice wants to be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// It is found in the desktop's list, and doesn't come up.
    Passive,
    /// It comes up.
    Normal,
}

/// A press on a notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoticePress {
    /// Of which conversation.
    pub conversation: ConversationId,
    /// The token of the showing that was pressed.
    pub token: String,
    /// What was pressed.
    pub action: NoticeAction,
    /// On which way that came.
    pub by: PressedBy,
}

/// What can be pressed on a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NoticeAction {
    /// *Review*, or the notice itself.
    Review,
    /// *Reject*.
    Reject,
    /// *Approve*.
    Approve,
    /// *Undo*: takes back what was staged by a press, while it can be.
    Undo,
}

/// On which way a press came: some servers have no buttons, others no click.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PressedBy {
    /// A button.
    Button,
    /// A click on the notice itself.
    Click,
}

/// What the desktop's notifications can do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NoticeCapabilities {
    /// The server's name; none if there is no server.
    pub server: Option<String>,
    /// Whether it shows buttons.
    pub actions: bool,
    /// Everything that it says it can, in its own words.
    pub can: Vec<String>,
}

/// Whether somebody is there. Asked when it matters, never followed.
#[async_trait]
pub trait Presence: Send + Sync {
    /// What is known right now. Answers within a few seconds, whatever the desktop does.
    async fn look(&self) -> Attendance;
}

/// Who is there. What isn't known is none, and whoever asks takes the careful side: present and unlocked for telling
/// again, locked for approving.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Attendance {
    /// How long nothing was pressed or moved.
    pub idle: Option<Duration>,
    /// Whether the session is locked.
    pub locked: Option<bool>,
    /// Whether the person asked the desktop not to be disturbed.
    pub undisturbed: Option<bool>,
}

impl Attendance {
    /// Whether the session is known to be unlocked, without which nothing is approved from a notice.
    pub fn is_surely_unlocked(self) -> bool {
        self.locked == Some(false)
    }

    /// Whether the person is known to have been away for at least so long.
    pub fn is_away_since(self, least: Duration) -> bool {
        self.idle.is_some_and(|idle| idle >= least)
    }
}
