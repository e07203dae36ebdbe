//! Which notification belongs to which conversation, and which press to which showing. No bus in here.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use countersign_api::words::desktop;
use countersign_core::ids::ConversationId;
use countersign_engine::ports::{NoticeAction, NoticePress, PressedBy};

/// How many showings are remembered after their notification is gone: a press may come behind the closing.
const REMEMBERED: usize = 64;
/// How many presses are kept while a showing is on its way.
const EARLY: usize = 32;
/// A press that is heard again within this time, on the other way, is the same one.
const SAME: Duration = Duration::from_secs(2);

/// An action's key, before the token.
pub(super) fn key(action: NoticeAction) -> &'static str {
    match action {
        NoticeAction::Review => "review",
        NoticeAction::Reject => "reject",
        NoticeAction::Approve => "approve",
        NoticeAction::Undo => "undo",
    }
}

/// What stands on its button.
pub(super) fn label(action: NoticeAction) -> String {
    match action {
        NoticeAction::Review => desktop().review(),
        NoticeAction::Reject => desktop().reject(),
        NoticeAction::Approve => desktop().approve(),
        NoticeAction::Undo => desktop().undo(),
    }
}

const ACTIONS: [NoticeAction; 4] =
    [NoticeAction::Review, NoticeAction::Reject, NoticeAction::Approve, NoticeAction::Undo];

/// What a server said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Heard {
    /// An action of the notification with this id.
    Pressed(u32, String),
    /// It is gone.
    Closed(u32),
}

/// One showing of a conversation's notice.
#[derive(Debug, Clone)]
struct Showing {
    conversation: ConversationId,
    token: String,
    /// The server's id; none as long as it hasn't answered.
    id: Option<u32>,
}

/// The book. `H` is what keeps a notification alive.
pub(super) struct Book<H> {
    /// What is on the screen now.
    current: HashMap<ConversationId, (u32, H)>,
    /// The last showings, newest at the end.
    showings: VecDeque<Showing>,
    /// What was heard while a showing was on its way, whose id wasn't known.
    early: Vec<Heard>,
    on_its_way: bool,
    counted: VecDeque<(NoticePress, Instant)>,
}

impl<H> Default for Book<H> {
    fn default() -> Self {
        Self {
            current: HashMap::new(),
            showings: VecDeque::new(),
            early: Vec::new(),
            on_its_way: false,
            counted: VecDeque::new(),
        }
    }
}

impl<H: Clone + PartialHandle> Book<H> {
    /// A showing is on its way; gives the id of the notification that it replaces.
    pub(super) fn begin(&mut self, conversation: ConversationId, token: &str) -> Option<u32> {
        self.on_its_way = true;
        if self.showings.len() >= REMEMBERED {
            self.showings.pop_front();
        }
        self.showings.push_back(Showing { conversation, token: token.to_owned(), id: None });
        self.current.get(&conversation).map(|(id, _)| *id)
    }

    /// The server answered; gives the presses that came before its answer.
    pub(super) fn shown(&mut self, id: u32, handle: H) -> Vec<NoticePress> {
        self.on_its_way = false;
        if let Some(showing) = self.showings.back_mut() {
            showing.id = Some(id);
            self.current.insert(showing.conversation, (id, handle));
        }
        self.hear_early()
    }

    /// The server didn't take it; gives the presses of the notification that it would have replaced.
    pub(super) fn give_up(&mut self) -> Vec<NoticePress> {
        self.on_its_way = false;
        self.showings.pop_back();
        self.hear_early()
    }

    /// The notification that has to go, if there is one.
    pub(super) fn withdraw(&mut self, conversation: ConversationId) -> Option<H> {
        self.current.remove(&conversation).map(|(_, handle)| handle)
    }

    /// The ids of what is shown now.
    pub(super) fn ids(&self) -> Vec<u32> {
        self.current.values().map(|(id, _)| *id).collect()
    }

    /// Whether this handle's notification is still the conversation's.
    pub(super) fn is_current(&self, handle: &H) -> bool {
        self.current.values().any(|(_, current)| current.is_same(handle))
    }

    /// Ids mean nothing any more.
    pub(super) fn forget(&mut self) {
        self.current.clear();
        self.showings.retain(|showing| showing.id.is_none());
        self.early.clear();
    }

    /// What the server said; gives the press that it amounts to, once.
    pub(super) fn hear(&mut self, heard: Heard) -> Option<NoticePress> {
        let (id, action) = match heard {
            Heard::Closed(id) if self.on_its_way && !self.knows(id) => {
                self.keep_for_later(Heard::Closed(id));
                return None;
            }
            Heard::Closed(id) => {
                self.current.retain(|_, (current, _)| *current != id);
                return None;
            }
            Heard::Pressed(id, action) => (id, action),
        };
        let (action, token) = match action.split_once(':') {
            Some((said, token)) => (ACTIONS.into_iter().find(|one| key(*one) == said)?, Some(token)),
            None if action == "default" => (NoticeAction::Review, None),
            None => return None,
        };
        // A token is ours and random, so it says more than an id, which the server may have given to somebody else.
        let showing = match token {
            Some(token) => self.showings.iter().rev().find(|showing| showing.token == token),
            None => self.showings.iter().rev().find(|showing| showing.id == Some(id)),
        };
        // Without a token, a press while a showing is on its way may be of that one or of the one that it replaces.
        let is_unclear = self.on_its_way
            && token.is_none()
            && showing.is_none_or(|showing| {
                self.showings.back().is_some_and(|last| last.conversation == showing.conversation)
            });
        if is_unclear {
            self.keep_for_later(Heard::Pressed(id, "default".to_owned()));
            return None;
        }
        let showing = showing?;
        let by = if token.is_some() { PressedBy::Button } else { PressedBy::Click };
        let press = NoticePress { conversation: showing.conversation, token: showing.token.clone(), action, by };
        self.count(press)
    }

    fn hear_early(&mut self) -> Vec<NoticePress> {
        let early = std::mem::take(&mut self.early);
        early.into_iter().filter_map(|heard| self.hear(heard)).collect()
    }

    fn knows(&self, id: u32) -> bool {
        self.current.values().any(|(current, _)| *current == id)
    }

    fn keep_for_later(&mut self, heard: Heard) {
        if self.early.len() < EARLY {
            self.early.push(heard);
        }
    }

    /// Gives the press unless it was counted a moment ago.
    fn count(&mut self, press: NoticePress) -> Option<NoticePress> {
        self.counted.retain(|(_, at)| at.elapsed() < SAME);
        // Some servers say that they were clicked and that the button was pressed; that is one press.
        let same = |one: &NoticePress| (one.action, &one.token) == (press.action, &press.token);
        if self.counted.iter().any(|(counted, _)| same(counted)) {
            return None;
        }
        self.counted.push_back((press.clone(), Instant::now()));
        Some(press)
    }
}

/// Tells two handles apart.
pub(super) trait PartialHandle {
    /// Whether both are the same one.
    fn is_same(&self, other: &Self) -> bool;
}

impl<T> PartialHandle for std::sync::Arc<T> {
    fn is_same(&self, other: &Self) -> bool {
        std::sync::Arc::ptr_eq(self, other)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    const FIRST: ConversationId = ConversationId([1; 16]);
    const SECOND: ConversationId = ConversationId([2; 16]);

    fn press(conversation: ConversationId, token: &str, action: NoticeAction) -> NoticePress {
        let by = if action == NoticeAction::Review { PressedBy::Click } else { PressedBy::Button };
        NoticePress { conversation, token: token.to_owned(), action, by }
    }

    fn pressed(id: u32, action: &str) -> Heard {
        Heard::Pressed(id, action.to_owned())
    }

    #[test]
    fn a_press_before_the_servers_answer_counts() {
        let mut book = Book::default();
        book.begin(FIRST, "a");
        assert_eq!(book.hear(pressed(7, "default")), None, "the id isn't known yet");
        assert_eq!(book.shown(7, Arc::new(())), [press(FIRST, "a", NoticeAction::Review)]);
        book.begin(SECOND, "b");
        assert_eq!(book.hear(pressed(8, "reject:b")), Some(press(SECOND, "b", NoticeAction::Reject)), "the token is");
        assert!(book.shown(8, Arc::new(())).is_empty());
    }

    #[test]
    fn a_press_while_the_next_showing_is_on_its_way_counts() {
        let mut book = Book::default();
        book.begin(FIRST, "a");
        book.shown(7, Arc::new(()));
        book.begin(FIRST, "b");
        assert_eq!(book.hear(pressed(7, "default")), None);
        assert_eq!(book.shown(7, Arc::new(())), [press(FIRST, "b", NoticeAction::Review)]);
        book.begin(FIRST, "c");
        assert_eq!(book.hear(pressed(7, "default")), None);
        assert_eq!(book.give_up(), [], "it was counted a moment ago");
        book.begin(FIRST, "d");
        assert_eq!(book.hear(pressed(7, "reject:b")), Some(press(FIRST, "b", NoticeAction::Reject)));
    }

    #[test]
    fn what_others_pressed_counts_for_nothing() {
        let mut book = Book::default();
        assert_eq!(book.hear(pressed(3, "default")), None);
        book.begin(FIRST, "a");
        assert!(book.shown(7, Arc::new(())).is_empty(), "a press from before the showing isn't ours");
        for heard in [pressed(3, "default"), pressed(7, "reject:z"), pressed(7, "reject"), pressed(7, "always:a")] {
            assert_eq!(book.hear(heard.clone()), None, "{heard:?}");
        }
    }

    #[test]
    fn a_press_is_counted_once_a_showing() {
        let mut book = Book::default();
        book.begin(FIRST, "a");
        book.shown(7, Arc::new(()));
        assert!(book.hear(pressed(7, "default")).is_some());
        assert!(book.hear(pressed(7, "review:a")).is_none(), "heard on the other way");
        assert_eq!(book.begin(FIRST, "b"), Some(7));
        book.shown(7, Arc::new(()));
        assert_eq!(book.hear(pressed(7, "default")), Some(press(FIRST, "b", NoticeAction::Review)));
        let old = book.hear(pressed(7, "reject:a"));
        assert_eq!(old, Some(press(FIRST, "a", NoticeAction::Reject)), "who receives it sees the old token");
    }

    #[test]
    fn a_press_behind_the_closing_counts() {
        let mut book = Book::default();
        book.begin(FIRST, "a");
        book.shown(7, Arc::new(()));
        assert_eq!(book.hear(Heard::Closed(7)), None);
        assert!(book.withdraw(FIRST).is_none(), "there is nothing to withdraw any more");
        assert!(book.hear(pressed(7, "default")).is_some());
        assert_eq!(book.begin(FIRST, "b"), None, "and nothing to replace");
    }

    #[test]
    fn a_new_server_knows_no_old_ids() {
        let mut book = Book::default();
        book.begin(FIRST, "a");
        book.shown(7, Arc::new(()));
        book.forget();
        assert_eq!(book.begin(FIRST, "b"), None);
        book.shown(1, Arc::new(()));
        assert_eq!(book.hear(pressed(7, "default")), None);
    }
}
