//! The line from a tool that is being executed to the person, for what its server asks meanwhile (D-86).
//!
//! The question is a row; what waits is somebody else's process, and here no more than the end of a channel. So whatever becomes
//! of the question reaches the server, and whatever becomes of the server closes the question: an answer is passed on after it was
//! stored, a waiting that is given up takes the question back, and a call that ends takes all of its questions along.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use countersign_core::change::Change;
use countersign_core::ids::{CallId, ConversationId, RequestId, RunId};
use countersign_core::input::Input;
use countersign_core::request::{AnsweredAs, Closing, MOST_MESSAGE};
use tokio::sync::oneshot;

use crate::engine::Shared;
use crate::error::EngineError;
use crate::mailbox::Letter;
use crate::question;

/// How often a server may ask in one call, the questions that it took back counted: nobody is to be worn down.
const MOST_IN_ALL: usize = 32;
/// How often a server that waits looks whether another process has answered.
const ELSEWHERE: Duration = Duration::from_secs(1);

/// What a server asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// What it says, in its own words; at most [`MOST_MESSAGE`] bytes.
    pub message: String,
    /// The JSON Schema of what is filled in: an object with properties, without references ([`question::usable`]).
    pub schema: String,
}

/// What a server is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// What was filled in: a JSON object that fits the schema, as text.
    Data(String),
    /// The person doesn't want to answer.
    Declined,
    /// Nobody will answer: the call is over or being stopped.
    Withdrawn,
    /// It can't be asked, and nobody saw it; why, in words for the server.
    CantAsk(String),
}

/// Asks the person on behalf of the server that executes one call. Cheap to clone; a clone that outlives the call asks nobody.
#[derive(Clone)]
pub struct Asks(Option<Arc<Line>>);

struct Line {
    /// Weak: whoever keeps the line doesn't keep the engine.
    shared: Weak<Shared>,
    conversation: ConversationId,
    run: RunId,
    call: CallId,
    /// How often it has asked.
    asked: AtomicUsize,
}

impl Asks {
    /// For a tool that is executed where nobody can be asked; every question is told so.
    pub fn nobody() -> Self {
        Self(None)
    }

    pub(crate) fn of(shared: &Arc<Shared>, conversation: ConversationId, run: RunId, call: CallId) -> Self {
        Self(Some(Arc::new(Line {
            shared: Arc::downgrade(shared),
            conversation,
            run,
            call,
            asked: AtomicUsize::new(0),
        })))
    }

    /// Asks, and waits for as long as the call is executed. Dropping the future takes the question back (D-75).
    pub async fn ask(&self, question: Question) -> Said {
        let Some(line) = &self.0 else { return Said::CantAsk("nobody can be asked here".to_owned()) };
        if let Err(why) = question::usable(&question.schema) {
            return Said::CantAsk(why);
        }
        if question.message.len() > MOST_MESSAGE {
            return Said::CantAsk(format!("what it says is longer than {MOST_MESSAGE} bytes"));
        }
        if line.asked.fetch_add(1, Ordering::Relaxed) >= MOST_IN_ALL {
            return Said::CantAsk("it has asked too often in one call".to_owned());
        }
        let Some(shared) = line.shared.upgrade() else { return Said::Withdrawn };
        let id = RequestId(*uuid::Uuid::now_v7().as_bytes());
        let (tell, told) = oneshot::channel();
        shared.askers.lock().insert(id, tell);
        let waiting = Waiting { shared: &line.shared, conversation: line.conversation, id };
        let (done, stored) = oneshot::channel();
        let Question { message, schema } = question;
        let input = Input::Asked { run: line.run, call: line.call, question: id, message, schema };
        let posted = shared.post(line.conversation, Letter { input, done: Some(done) }).await;
        let refused = match posted {
            Ok(()) => stored.await.unwrap_or(Err(EngineError::Closing)).err(),
            Err(error) => Some(error),
        };
        match refused {
            None => {
                drop(shared);
                waiting.told(told).await
            }
            Some(error) => {
                // There is nothing to take back.
                shared.askers.lock().remove(&waiting.id);
                match error {
                    EngineError::Refused(refusal) => Said::CantAsk(refusal.to_string()),
                    EngineError::Store(error) => Said::CantAsk(error.to_string()),
                    EngineError::NotFound | EngineError::Outfit(_) | EngineError::Closing => Said::Withdrawn,
                }
            }
        }
    }
}

impl fmt::Debug for Asks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Asks").field(&self.0.as_ref().map(|line| line.call)).finish()
    }
}

/// Somebody waits for an answer; when that is given up before there is one, the question is taken back.
struct Waiting<'a> {
    shared: &'a Weak<Shared>,
    conversation: ConversationId,
    id: RequestId,
}

impl Waiting<'_> {
    /// Waits until this process has told what became of it, or another one has stored that: a second window answers too.
    async fn told(&self, told: oneshot::Receiver<Said>) -> Said {
        let mut told = told;
        loop {
            tokio::select! {
                said = &mut told => return said.unwrap_or(Said::Withdrawn),
                () = tokio::time::sleep(ELSEWHERE) => {}
            }
            let Some(shared) = self.shared.upgrade() else { return Said::Withdrawn };
            match shared.store.held_question(self.id).await {
                Ok(Some(question)) => {
                    if let Some((closing, _)) = &question.closed {
                        shared.askers.lock().remove(&self.id);
                        return said(closing, question.answer.as_deref());
                    }
                }
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "whether a server was answered can't be read"),
            }
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let Some(shared) = self.shared.upgrade() else { return };
        if shared.askers.lock().remove(&self.id).is_none() {
            return;
        }
        // Outside a runtime the engine is gone, and the next start settles what it left.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (conversation, question, tasks) = (self.conversation, self.id, shared.tasks.clone());
        let taking_back = async move {
            let input = Input::Withdrawn { question };
            if let Err(error) = shared.post(conversation, Letter { input, done: None }).await {
                tracing::info!(%error, "a question was taken back after the end");
            }
        };
        tasks.spawn_on(taking_back, &runtime);
    }
}

/// Who waits for an answer, by question.
#[derive(Default)]
pub(crate) struct Askers(Mutex<HashMap<RequestId, oneshot::Sender<Said>>>);

impl Askers {
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<RequestId, oneshot::Sender<Said>>> {
        // The map is whole after every operation on it, so a panic elsewhere doesn't spoil it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes on what became of held questions. Called with what was stored, and only then.
    pub(crate) fn tell(&self, changes: &[Change]) {
        for change in changes {
            let Change::QuestionClosed { question, closing, answer, .. } = change else { continue };
            let said = said(closing, answer.as_deref());
            let waiting = self.lock().remove(question);
            if let Some(waiting) = waiting {
                // Whoever gave up waiting at this moment doesn't need it.
                let _ = waiting.send(said);
            }
        }
    }
}

/// What a server is told of how its question closed.
fn said(closing: &Closing, answer: Option<&str>) -> Said {
    match (closing, answer) {
        (Closing::Answered { verdict: AnsweredAs::DataGiven }, Some(data)) => Said::Data(data.to_owned()),
        (Closing::Answered { .. }, _) => Said::Declined,
        (Closing::PassedBy { .. }, _) => Said::Withdrawn,
    }
}
