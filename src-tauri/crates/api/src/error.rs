//! From what went wrong inside to what a window is told: words for the person, and a code where the window does
//! something about it.

use countersign_core::input::{FieldFault, Loss, Refusal};
use countersign_core::request::ClosedReason;
use countersign_engine::error::EngineError;
use countersign_store::error::StoreError;

use crate::display::text::one_line;
use crate::wire::window::{AnswerFault, ApiError, ClosedAnswer};
use crate::words::Thing;
use crate::words::{Closed, say};

/// The longest text about a field.
const FAULT_WIDTH: usize = 200;

/// What an answer to a closed request is told, in a row's words.
pub(crate) fn closed_label(reason: ClosedReason) -> Closed {
    match reason {
        ClosedReason::Answered => Closed::AlreadyAnswered,
        ClosedReason::PassedBy => Closed::MovedOn,
        ClosedReason::Unknown => Closed::NoLongerKnown,
    }
}

pub(crate) fn not_found(what: Thing) -> ApiError {
    ApiError::NotFound { message: say().gone(what) }
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
            StoreError::Full => Self::DiskFull { message: say().disk_full() },
            StoreError::Newer { path, .. } => {
                Self::Broken { message: say().newer_database(&path.display().to_string()) }
            }
            StoreError::Open { path, source } => {
                Self::Broken { message: say().database_not_opened(&path.display().to_string(), &source.to_string()) }
            }
            StoreError::Unreadable { what } => Self::Broken { message: say().stored_unreadable(&what) },
            StoreError::Sql(_)
            | StoreError::Stale { .. }
            | StoreError::Misfit { .. }
            | StoreError::NotStored
            | StoreError::Closed => Self::Broken { message: say().nothing_changed(&error.to_string()) },
        }
    }
}

impl From<EngineError> for ApiError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Refused(refusal) => refusal.into(),
            EngineError::NotFound => not_found(Thing::Conversation),
            EngineError::Outfit(failure) => refused(say().model_failed(failure.kind, &failure.text)),
            EngineError::Store(error) => error.into(),
            EngineError::Closing => refused(say().quitting()),
        }
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::ApprovalClosed(closed) => {
                let answer = |(request, reason): (countersign_core::ids::RequestId, ClosedReason)| ClosedAnswer {
                    request: request.to_string(),
                    label: say().closed(closed_label(reason)),
                };
                Self::ApprovalClosed {
                    message: say().answers_expired(closed.len() as u64),
                    closed: closed.into_iter().map(answer).collect(),
                }
            }
            Refusal::WouldPassBy(losses) => {
                Self::WouldPassBy { message: say().more_would_expire(), ids: losses.into_iter().map(loss_id).collect() }
            }
            Refusal::InvalidData(faulty) => invalid_answer(faulty.into_iter().flat_map(|(_, faults)| faults)),
            Refusal::DigestMismatch(ids) => Self::DigestMismatch {
                message: say().shown_changed(),
                ids: ids.iter().map(ToString::to_string).collect(),
            },
            Refusal::CallDigestMismatch(call) => {
                Self::DigestMismatch { message: say().shown_changed(), ids: vec![call.to_string()] }
            }
            Refusal::Busy => Self::Busy { message: say().busy() },
            Refusal::NotRunning => Self::NotRunning { message: say().not_running() },
            Refusal::TooMuchSteering(_) => refused(say().steering_full()),
            Refusal::WrongKind(_, misfit) => refused(say().misfit(&misfit)),
            Refusal::AutoEnd(fault) => refused(say().auto_end(&fault)),
            Refusal::ModeNotConfigurable => refused(say().mode_fixed()),
            Refusal::IllegalInput { input, because } => refused(say().cannot_be_done(input, because)),
        }
    }
}

/// What was filled in doesn't fit.
pub(crate) fn invalid_answer(faults: impl IntoIterator<Item = FieldFault>) -> ApiError {
    let text = |fault: &FieldFault| one_line(&say().data_fault(&fault.fault), FAULT_WIDTH);
    let fault = |fault: FieldFault| AnswerFault { text: text(&fault), field: fault.field };
    ApiError::InvalidAnswer { message: say().answer_does_not_fit(), faults: faults.into_iter().map(fault).collect() }
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
