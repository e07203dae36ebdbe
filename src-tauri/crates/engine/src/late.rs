//! What is told to whoever comes too late, or along with others.

use std::collections::BTreeSet;

use countersign_core::change::Change;
use countersign_core::ids::RequestId;
use countersign_core::input::{Input, Refusal};
use countersign_core::request::{ClosedReason, Closing};
use countersign_store::error::StoreError;

use crate::error::EngineError;

/// What an input to a conversation that isn't there is told: answers, that nobody knows their requests (D-59, D-62).
pub(crate) fn not_there(input: &Input) -> EngineError {
    match input {
        Input::Start(start) if !start.answers.is_empty() => {
            let requests: BTreeSet<RequestId> = start.answers.iter().map(|answer| answer.request).collect();
            let unknown = requests.into_iter().map(|request| (request, ClosedReason::Unknown));
            EngineError::Refused(Refusal::ApprovalClosed(unknown.collect()))
        }
        Input::Start(_)
        | Input::ModelReplied { .. }
        | Input::ModelFailed { .. }
        | Input::CallsJudged { .. }
        | Input::CallFinished { .. }
        | Input::Asked { .. }
        | Input::Withdrawn { .. }
        | Input::Steer { .. }
        | Input::StartQueued(_)
        | Input::ReturnQueued { .. }
        | Input::Stop
        | Input::Tighten { .. }
        | Input::TimePassed
        | Input::Drop { .. }
        | Input::Unrevoke { .. }
        | Input::Revoke { .. }
        | Input::Rename { .. }
        | Input::Delete => EngineError::NotFound,
    }
}

/// A request that a change closes, and what a late answer to it is told.
pub(crate) fn closed_by(change: &Change) -> Option<(RequestId, ClosedReason)> {
    let (Change::RequestClosed { request, closing, .. } | Change::QuestionClosed { question: request, closing, .. }) =
        change
    else {
        return None;
    };
    let reason = match closing {
        Closing::Answered { .. } => ClosedReason::Answered,
        Closing::PassedBy { .. } => ClosedReason::PassedBy,
    };
    Some((*request, reason))
}

/// A store error for a further caller; the source of the first one went to the log.
pub(crate) fn same(error: &StoreError) -> StoreError {
    match error {
        StoreError::Full => StoreError::Full,
        StoreError::Stale { expected, found } => StoreError::Stale { expected: *expected, found: *found },
        StoreError::Misfit { what } => StoreError::Misfit { what: what.clone() },
        StoreError::Closed => StoreError::Closed,
        StoreError::Newer { .. }
        | StoreError::Open { .. }
        | StoreError::Unreadable { .. }
        | StoreError::Sql(_)
        | StoreError::NotStored => StoreError::NotStored,
    }
}
