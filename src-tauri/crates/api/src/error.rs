//! From what went wrong inside to what a window is told: words for the person, and a code where the window does
//! something about it.

use countersign_core::input::{FieldFault, Loss, Refusal};
use countersign_core::request::ClosedReason;
use countersign_engine::error::EngineError;
use countersign_store::error::StoreError;

use crate::display::text::one_line;
use crate::wire::window::{AnswerFault, ApiError, ClosedAnswer};

/// The longest text about a field.
const FAULT_WIDTH: usize = 200;

/// What an answer to a closed request is told, in a row's words.
pub(crate) fn closed_label(reason: ClosedReason) -> &'static str {
    match reason {
        ClosedReason::Answered => "Already answered",
        ClosedReason::PassedBy => "Expired: conversation moved on",
        ClosedReason::Unknown => "Expired: no longer known",
    }
}

pub(crate) fn not_found(what: &str) -> ApiError {
    ApiError::NotFound { message: format!("There is no such {what} any more.") }
}

pub(crate) fn invalid(field: &str, message: impl Into<String>) -> ApiError {
    ApiError::Invalid { message: message.into(), field: field.to_owned() }
}

pub(crate) fn refused(message: impl Into<String>) -> ApiError {
    ApiError::Refused { message: message.into() }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        tracing::error!(error = %chain(&error), "the store failed");
        match error {
            StoreError::Full => Self::DiskFull {
                message: "The disk is full. Decisions are off until there is room. Everything decided is stored."
                    .to_owned(),
            },
            StoreError::Newer { path, .. } => Self::Broken {
                message: format!(
                    "The database {} was written by a newer version of Countersign. It is left as it is. Update \
                     Countersign to open it, or start with another data folder.",
                    path.display()
                ),
            },
            StoreError::Open { path, source } => Self::Broken {
                message: format!(
                    "The database {} can't be opened: {source}. Nothing in it was changed. Check that the folder is \
                     there and yours.",
                    path.display()
                ),
            },
            StoreError::Unreadable { what } => Self::Broken {
                message: format!("Something stored can't be read ({what}). Nothing was changed; the log says more."),
            },
            StoreError::Sql(_)
            | StoreError::Stale { .. }
            | StoreError::Misfit { .. }
            | StoreError::NotStored
            | StoreError::Closed => Self::Broken { message: format!("Nothing was changed: {error}.") },
        }
    }
}

impl From<EngineError> for ApiError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Refused(refusal) => refusal.into(),
            EngineError::NotFound => not_found("conversation"),
            EngineError::Outfit(failure) => refused(sentence(&failure.text)),
            EngineError::Store(error) => error.into(),
            EngineError::Closing => refused("Countersign is quitting."),
        }
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::ApprovalClosed(closed) => {
                let answer = |(request, reason): (countersign_core::ids::RequestId, ClosedReason)| ClosedAnswer {
                    request: request.to_string(),
                    label: closed_label(reason).to_owned(),
                };
                let count = closed.len();
                let verb = if count == 1 { "answer had" } else { "answers had" };
                Self::ApprovalClosed {
                    message: format!("{count} {verb} expired, so nothing was sent."),
                    closed: closed.into_iter().map(answer).collect(),
                }
            }
            Refusal::WouldPassBy(losses) => Self::WouldPassBy {
                message: "Not sent: more would expire than you were told.".to_owned(),
                ids: losses.into_iter().map(loss_id).collect(),
            },
            Refusal::InvalidData(faulty) => invalid_answer(faulty.into_iter().flat_map(|(_, faults)| faults)),
            Refusal::DigestMismatch(ids) => Self::DigestMismatch {
                message: "What is shown changed. It was loaded again; look once more.".to_owned(),
                ids: ids.iter().map(ToString::to_string).collect(),
            },
            Refusal::CallDigestMismatch(call) => Self::DigestMismatch {
                message: "What is shown changed. It was loaded again; look once more.".to_owned(),
                ids: vec![call.to_string()],
            },
            Refusal::Busy => Self::Busy { message: "A run is going on. Your text is kept.".to_owned() },
            Refusal::NotRunning => Self::NotRunning { message: "Nothing is running here any more.".to_owned() },
            Refusal::TooMuchSteering(_) => refused("The run hasn't taken your last words yet. Your text is kept."),
            Refusal::WrongKind(_, misfit) => refused(sentence(&misfit.to_string())),
            Refusal::ModeNotConfigurable | Refusal::IllegalInput { .. } => refused(sentence(&refusal.to_string())),
        }
    }
}

/// What was filled in doesn't fit.
pub(crate) fn invalid_answer(faults: impl IntoIterator<Item = FieldFault>) -> ApiError {
    let fault = |fault: FieldFault| AnswerFault { field: fault.field, text: one_line(&fault.text, FAULT_WIDTH) };
    ApiError::InvalidAnswer {
        message: "Not everything fits what was asked. Nothing was sent.".to_owned(),
        faults: faults.into_iter().map(fault).collect(),
    }
}

/// An error with its causes, for the log.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

/// An inner text as a sentence: with a capital and a full stop.
pub(crate) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let mut sentence: String = letters.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    sentence.push_str(letters.as_str());
    if !sentence.ends_with(['.', '!', '?']) {
        sentence.push('.');
    }
    sentence
}

fn loss_id(loss: Loss) -> String {
    match loss {
        Loss::Request(id) => id.to_string(),
        Loss::Call(id) => id.to_string(),
    }
}
