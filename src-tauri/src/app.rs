//! What lives as long as the process: Countersign itself, once it is open, or the reason why it isn't.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use countersign_api::app::Countersign;
use countersign_api::wire::window::ApiError;
use countersign_api::words::desktop;
use tokio::sync::{Notify, watch};
use tokio::task::AbortHandle;

/// Countersign, or what the person is told instead. The window opens in either case.
pub(crate) type Opened = Result<Arc<Countersign>, String>;

/// The app's state, as commands see it.
#[derive(Clone)]
pub(crate) struct App(Arc<Inner>);

struct Inner {
    opened: watch::Receiver<Option<Opened>>,
    /// Somebody asked for what couldn't be opened, so it is worth another try.
    again: Arc<Notify>,
    /// One task a window, which sends it the feed.
    forwarding: Mutex<HashMap<String, AbortHandle>>,
}

impl App {
    /// The window may start before Countersign is open; its first calls wait for it. `again` is told when somebody
    /// asks for what couldn't be opened.
    pub(crate) fn new(opened: watch::Receiver<Option<Opened>>, again: Arc<Notify>) -> Self {
        Self(Arc::new(Inner { opened, again, forwarding: Mutex::default() }))
    }

    /// Countersign, as soon as it is open.
    ///
    /// # Errors
    /// [`ApiError::Broken`] with the words for the person, if it can't be opened.
    pub(crate) async fn countersign(&self) -> Result<Arc<Countersign>, ApiError> {
        let broken = |message: String| ApiError::Broken { message };
        let mut opened = self.0.opened.clone();
        if matches!(opened.wait_for(Option::is_some).await.as_deref(), Ok(Some(Err(_)))) {
            // Whoever asks again gets another try: the person may have made room or put the file back.
            self.0.again.notify_one();
            let _ = opened.changed().await;
        }
        match &*opened.borrow() {
            Some(Ok(countersign)) => Ok(Arc::clone(countersign)),
            Some(Err(trouble)) => Err(broken(trouble.clone())),
            None => Err(broken(desktop().not_started())),
        }
    }

    /// Countersign as soon as it is open, however often that has to be tried; none if nobody tries any more.
    pub(crate) async fn until_open(&self) -> Option<Arc<Countersign>> {
        let mut opened = self.0.opened.clone();
        match opened.wait_for(|opened| matches!(opened, Some(Ok(_)))).await.as_deref() {
            Ok(Some(Ok(countersign))) => Some(Arc::clone(countersign)),
            Ok(Some(Err(_)) | None) | Err(_) => None,
        }
    }

    /// Countersign, if it is open.
    pub(crate) fn if_open(&self) -> Option<Arc<Countersign>> {
        match &*self.0.opened.borrow() {
            Some(Ok(countersign)) => Some(Arc::clone(countersign)),
            Some(Err(_)) | None => None,
        }
    }

    /// A window that subscribes again, because it was loaded again, gets no event twice.
    pub(crate) fn forward(&self, window: &str, task: AbortHandle) {
        let mut forwarding = self.0.forwarding.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = forwarding.insert(window.to_owned(), task) {
            before.abort();
        }
    }
}
