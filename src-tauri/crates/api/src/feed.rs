//! The feed: one numbered stream of what changed, the same for every window.

use std::sync::{Mutex, PoisonError};

use tokio::sync::broadcast;

use crate::wire::window::{FeedEvent, FeedWhat, Space};

/// How many events a slow window may lag behind; after that it takes a snapshot again.
const BACKLOG: usize = 2048;

/// Numbers events and sends them to whoever listens.
#[derive(Debug)]
pub(crate) struct Feed {
    sender: broadcast::Sender<FeedEvent>,
    seq: Mutex<i64>,
}

impl Feed {
    pub(crate) fn new() -> Self {
        Self { sender: broadcast::channel(BACKLOG).0, seq: Mutex::new(0) }
    }

    pub(crate) fn listen(&self) -> broadcast::Receiver<FeedEvent> {
        self.sender.subscribe()
    }

    /// The number of the newest event.
    pub(crate) fn seq(&self) -> i64 {
        *self.lock()
    }

    /// Sends an event to every window. Numbering and sending are one step, so that windows see the numbers in order.
    pub(crate) fn publish(&self, space: Space, what: FeedWhat) {
        let mut seq = self.lock();
        *seq += 1;
        // Nobody needs to listen.
        let _ = self.sender.send(FeedEvent { seq: *seq, space, what });
    }

    /// Sends something that is shown only: it has no number and may be lost.
    pub(crate) fn show(&self, space: Space, what: FeedWhat) {
        let _ = self.sender.send(FeedEvent { seq: 0, space, what });
    }

    /// Leaves a gap, so that every window takes a snapshot with the next event.
    pub(crate) fn gap(&self) {
        *self.lock() += 1;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, i64> {
        self.seq.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
