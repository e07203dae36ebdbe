//! Rows: what the Inbox, the list of conversations and history show of a call or a conversation.

use countersign_core::agent::{AgentProfile, task_text};
use countersign_core::call::{Call, CallState, Kept, Settled, Warrant};
use countersign_core::parse;
use countersign_core::request::{AnsweredAs, Closing, PassedBy, RequestKind};
use countersign_core::tool::Origin;
use countersign_store::open::Store;
use countersign_store::read::inbox::CallFact;

use crate::display::text::{one_line, path, plain, words};
use crate::display::{facts, payload};
use crate::wire::conversation::CallTone;
use crate::wire::history::{HistoryRow, OutcomeTone};
use crate::wire::inbox::{ClosedRow, Draft, HeldRow, Mode, RequestRow, RowGroup, RowKind};
use crate::wire::text::Shown;
use crate::wire::window::ApiError;
use crate::words::{By, Closed, Decided, Ending, Line, Outcome, PassedByWhat, say};

/// The longest title in a row.
const TITLE_WIDTH: usize = 60;
/// The longest name of a sub-agent in a row.
const NAME_WIDTH: usize = 40;
/// The longest reason in a row.
const REASON_WIDTH: usize = 60;

/// A conversation's or an agent's name in a row.
pub(crate) fn title(text: &str) -> Shown {
    one_line(text, TITLE_WIDTH)
}

/// The mode on the wire.
pub(crate) fn mode(mode: countersign_core::mode::Mode) -> Mode {
    match mode {
        countersign_core::mode::Mode::Plan => Mode::Plan,
        countersign_core::mode::Mode::Default => Mode::Default,
        countersign_core::mode::Mode::Auto => Mode::Auto,
    }
}

/// The mode from the wire.
pub(crate) fn core_mode(mode: Mode) -> countersign_core::mode::Mode {
    match mode {
        Mode::Plan => countersign_core::mode::Mode::Plan,
        Mode::Default => countersign_core::mode::Mode::Default,
        Mode::Auto => countersign_core::mode::Mode::Auto,
    }
}

/// The model's name as a row shows it.
pub(crate) fn model(profile: Option<&AgentProfile>) -> Shown {
    match profile.map(|profile| profile.model.endpoint()) {
        Some(Some(endpoint)) => one_line(endpoint.model, TITLE_WIDTH),
        Some(None) => words(say().scripted_model()),
        None => words(say().no_model()),
    }
}

/// An agent's name; that it was deleted, where it was.
pub(crate) fn agent_name(profile: Option<&AgentProfile>) -> Shown {
    profile.map_or_else(|| words(say().deleted_agent()), |profile| title(&profile.name))
}

/// A folder with `~` for the home folder.
pub(crate) fn folder(folder: &str, home: Option<&std::path::Path>) -> Shown {
    let below = home.and_then(|home| std::path::Path::new(folder).strip_prefix(home).ok());
    match below {
        Some(below) if below.as_os_str().is_empty() => words("~"),
        Some(below) => path(&format!("~/{}", below.display()), TITLE_WIDTH),
        None => path(folder, TITLE_WIDTH),
    }
}

/// The id of a row: the request's, or the call's where it never asked.
pub(crate) fn row_id(fact: &CallFact) -> String {
    match (&fact.call.state, &fact.request) {
        // An approved call that hasn't run has a closed request; the row is about the call.
        (CallState::Approved(_), _) | (_, None) => fact.call.id.to_string(),
        (_, Some(request)) => request.id.to_string(),
    }
}

/// Whether a red fact is among a call's facts.
pub(crate) fn high_risk(fact: &CallFact) -> bool {
    let before = fact.request.as_ref().and_then(|request| request.before.as_deref());
    parse::arguments(&fact.call.arguments)
        .is_ok_and(|tree| facts::high_risk(&facts::of(&fact.call.tool, &tree, &fact.call.preconditions, before)))
}

/// What a call does, on what, and its group. A call that starts a sub-agent says so in the app's words, whatever it is called.
pub(crate) fn call_row(call: &Call) -> (Shown, Shown, RowGroup) {
    match call.identity.as_ref().map(|identity| &identity.origin) {
        Some(Origin::SubAgent { .. }) => {
            let task = task_text(&call.arguments).unwrap_or_default();
            (words(say().start_agent()), one_line(&format!("{}: {task}", call.tool), TITLE_WIDTH), RowGroup::Other)
        }
        Some(Origin::BuiltIn { .. } | Origin::Server { .. } | Origin::Conversation) | None => {
            payload::row(&call.tool, &call.arguments, &call.preconditions)
        }
    }
}

/// What the sub-agents are called that a call lies in, the outermost first; only theirs are looked up.
pub(crate) async fn path_of(store: &Store, fact: &CallFact) -> Result<Vec<Shown>, ApiError> {
    if !fact.below {
        return Ok(Vec::new());
    }
    let path = store.path_of(fact.call.proposed_by).await?;
    Ok(path.iter().map(|(name, _)| one_line(name, NAME_WIDTH)).collect())
}

/// A row of the Inbox.
pub(crate) fn request_row(
    fact: &CallFact,
    path: Vec<Shown>,
    draft: Option<Draft>,
    rejected_at: Option<i64>,
) -> RequestRow {
    let (verb, target, group) = call_row(&fact.call);
    RequestRow {
        id: row_id(fact),
        kind: row_kind(fact),
        path,
        verb,
        target,
        group,
        high_risk: high_risk(fact),
        opened_at: fact.request.as_ref().map_or(fact.proposed_at, |request| request.opened_at).0,
        rejected_at,
        draft,
        queued: false,
        beside: false,
        held_by: None,
    }
}

/// What a row is.
pub(crate) fn row_kind(fact: &CallFact) -> RowKind {
    match (&fact.call.state, fact.request.as_ref().map(|request| request.kind)) {
        (CallState::Approved(_), _) => RowKind::Approved,
        (_, Some(RequestKind::Plan)) => RowKind::Plan,
        (_, Some(RequestKind::Input)) => RowKind::Question,
        (_, Some(RequestKind::Call) | None) => RowKind::Call,
    }
}

/// A call that waits along.
pub(crate) fn held_row(fact: &CallFact, kept: &Kept) -> HeldRow {
    let (verb, target, _) = call_row(&fact.call);
    let then = match kept {
        Kept::Run { .. } => words(say().runs_after_answer()),
        Kept::Reject { by, .. } => one_line(&say().rule_rejects_it(&by.join(", ")), REASON_WIDTH),
        Kept::Fault { .. } => words(say().cannot_run_told()),
    };
    HeldRow { verb, target, then }
}

/// A request that closed.
pub(crate) fn closed_row(fact: &CallFact, path: Vec<Shown>) -> Option<ClosedRow> {
    let request = fact.request.as_ref()?;
    let (closing, at) = request.closed.as_ref()?;
    let (verb, target, _) = call_row(&fact.call);
    Some(ClosedRow {
        id: request.id.to_string(),
        conversation: fact.conversation.to_string(),
        title: (!fact.deleted).then(|| title(&fact.title)),
        path,
        verb,
        target,
        label: say().closed(closed_as(fact, closing)),
        was: closed_as(fact, closing).was(),
        unknown: closed_as(fact, closing) == Closed::OutcomeUnknown,
        expired: matches!(closing, Closing::PassedBy { .. }),
        at: at.0,
    })
}

/// Whether a call asked, and for this.
fn is_about(fact: &CallFact, kind: RequestKind) -> bool {
    fact.request.as_ref().is_some_and(|request| request.kind == kind)
}

/// How a request closed. An outcome that nobody knows comes before the decision: it needs a look.
pub(crate) fn closed_as(fact: &CallFact, closing: &Closing) -> Closed {
    if fact.call.state == CallState::Settled(Settled::OutcomeUnknown) {
        return Closed::OutcomeUnknown;
    }
    match closing {
        Closing::PassedBy { by: PassedBy::NewInput } => Closed::MovedOn,
        Closing::PassedBy { by: PassedBy::Stopped } => Closed::Stopped,
        Closing::PassedBy { by: PassedBy::Steering } => Closed::Steered,
        Closing::PassedBy { by: PassedBy::Withdrawn } => Closed::Withdrawn,
        Closing::Answered { verdict } => match verdict {
            AnsweredAs::Approved | AnsweredAs::ApprovedWithNote { .. } => Closed::Approved,
            AnsweredAs::ApprovedForConversation { .. } => Closed::ApprovedForConversation,
            AnsweredAs::Rejected { .. } if is_about(fact, RequestKind::Plan) => Closed::SentBack,
            AnsweredAs::Rejected { .. } if is_about(fact, RequestKind::Input) => Closed::Declined,
            AnsweredAs::Rejected { .. } => Closed::Rejected,
            AnsweredAs::DataGiven => Closed::Answered,
            AnsweredAs::PlanApproved { into: countersign_core::mode::Mode::Auto, .. } => Closed::ApprovedIntoAuto,
            AnsweredAs::PlanApproved { .. } => Closed::ApprovedPerStep,
        },
    }
}

/// How a call ended, in words, and how that is drawn.
pub(crate) fn outcome(fact: &CallFact) -> (String, OutcomeTone) {
    let (how, tone) = match &fact.call.state {
        CallState::Waiting(_) => (Outcome::WaitsForYou, OutcomeTone::Plain),
        CallState::Held(_) => (Outcome::WaitsAlong, OutcomeTone::Plain),
        CallState::Approved(_) => (Outcome::NotRunYet, OutcomeTone::Plain),
        CallState::Started { .. } => (Outcome::Running, OutcomeTone::Plain),
        CallState::Suspended { .. } => (Outcome::WaitsInside, OutcomeTone::Plain),
        CallState::Settled(settled) => match settled {
            Settled::Succeeded => (Outcome::RanOk, OutcomeTone::Ok),
            Settled::Errored => (Outcome::Failed, OutcomeTone::Failed),
            Settled::Fault => (Outcome::CouldNotRun, OutcomeTone::Plain),
            Settled::RejectedByPerson { reason: Some(reason) } => {
                return (say().reason_given(&plain(&one_line(reason, REASON_WIDTH))), OutcomeTone::Plain);
            }
            Settled::RejectedByPerson { reason: None } | Settled::RejectedByRule { .. } | Settled::DataGiven => {
                (Outcome::ToldAgent, OutcomeTone::Plain)
            }
            Settled::NoLongerPermitted => (Outcome::NoLongerPermitted, OutcomeTone::Plain),
            Settled::ChangedSinceAsked => (Outcome::ChangedSinceAsked, OutcomeTone::Plain),
            Settled::Dropped { why: countersign_core::call::Dropped::NeverRun } => {
                (Outcome::ApprovedNeverRun, OutcomeTone::Plain)
            }
            Settled::Dropped { .. } => (Outcome::NeverMade, OutcomeTone::Plain),
            Settled::OutcomeUnknown => (Outcome::Unknown, OutcomeTone::Unknown),
            Settled::Stopped => (Outcome::Stopped, OutcomeTone::Unknown),
            Settled::PlanAccepted => (Outcome::WentOn, OutcomeTone::Ok),
        },
    };
    (say().outcome(how), tone)
}

/// A row of history; none for a call about which nothing was decided.
pub(crate) fn history_row(fact: &CallFact, path: Vec<Shown>) -> Option<HistoryRow> {
    let decided = fact.decided.as_ref()?;
    let (verb, target, _) = call_row(&fact.call);
    let is_plan = is_about(fact, RequestKind::Plan);
    let decision = match decided.decision.as_str() {
        "approved" => Decided::Approved,
        "approved_conversation" => Decided::ApprovedForConversation,
        "plan_default" => Decided::ApprovedPerStep,
        "plan_auto" => Decided::ApprovedIntoAuto,
        "rejected" if is_plan => Decided::SentBack,
        "rejected" if is_about(fact, RequestKind::Input) => Decided::Declined,
        "answered" => Decided::Answered,
        "rejected" => Decided::Rejected,
        "ran" => Decided::Ran,
        _ => Decided::Expired,
    };
    let by = match (decided.by.as_str(), &decided.words) {
        ("person", _) => words(say().decided_by(By::You)),
        ("rule", Some(name)) => one_line(&say().decided_by(By::Rule(name)), REASON_WIDTH),
        ("rule", None) => words(say().decided_by(By::ARule)),
        ("standing", _) => words(say().decided_by(By::Standing)),
        ("auto", _) => words(say().decided_by(By::Auto)),
        _ => words(say().passed_by(passed_by(fact))),
    };
    let (outcome, tone) = outcome(fact);
    let asked = fact.request.as_ref().filter(|_| decided.by == "person");
    Some(HistoryRow {
        seq: decided.seq,
        id: fact.request.as_ref().map_or_else(|| fact.call.id.to_string(), |request| request.id.to_string()),
        at: decided.at.0,
        title: title(&fact.title),
        path,
        verb,
        target,
        decision: say().decided(decision),
        expired: decision == Decided::Expired,
        by,
        outcome,
        tone,
        took_ms: asked.map(|request| (decided.at.0 - request.opened_at.0).max(0)),
    })
}

/// A call's line in a conversation: who decided and how it ended.
pub(crate) fn call_words(fact: &CallFact) -> (String, CallTone) {
    let name;
    let by = match &fact.decided {
        None => By::Nobody,
        Some(decided) => match (decided.by.as_str(), &decided.words) {
            ("person", _) => By::You,
            ("rule", Some(rule)) => {
                name = plain(&one_line(rule, REASON_WIDTH));
                By::Rule(&name)
            }
            ("standing", _) => By::Standing,
            ("auto", _) => By::Auto,
            _ => By::ARule,
        },
    };
    let (line, tone) = match &fact.call.state {
        CallState::Waiting(_) => (Line::WaitsForYou, CallTone::Waiting),
        CallState::Held(_) => (Line::WaitsAlong, CallTone::Waiting),
        CallState::Approved(Warrant::Answer { .. }) => (Line::ApprovedNotRun, CallTone::Waiting),
        CallState::Approved(_) => (Line::AboutToRun, CallTone::Waiting),
        CallState::Started { .. } => return (say().ended(Ending::Running, by), CallTone::Running),
        CallState::Suspended { .. } => (Line::WaitsInside, CallTone::Waiting),
        CallState::Settled(settled) => match settled {
            Settled::Succeeded => return (say().ended(Ending::Ran, by), CallTone::Ran),
            Settled::Errored => return (say().ended(Ending::Failed, by), CallTone::Failed),
            Settled::RejectedByRule { .. } => return (say().ended(Ending::Rejected, by), CallTone::Rejected),
            Settled::Fault => (Line::CouldNotRun, CallTone::Failed),
            Settled::RejectedByPerson { .. } if is_about(fact, RequestKind::Plan) => {
                (Line::SentBack, CallTone::Rejected)
            }
            Settled::RejectedByPerson { .. } => (Line::Rejected, CallTone::Rejected),
            Settled::NoLongerPermitted => (Line::NoLongerPermitted, CallTone::Rejected),
            Settled::ChangedSinceAsked => (Line::ChangedSinceAsked, CallTone::Rejected),
            Settled::Dropped { why: countersign_core::call::Dropped::NeverRun } => {
                (Line::ApprovedNeverRun, CallTone::Never)
            }
            Settled::Dropped { why: countersign_core::call::Dropped::Stopped } => {
                (Line::NeverMadeStopped, CallTone::Never)
            }
            Settled::Dropped { why: countersign_core::call::Dropped::PassedBy } => {
                (Line::NeverMadeMovedOn, CallTone::Never)
            }
            Settled::Dropped { why: countersign_core::call::Dropped::NobodyToAsk } => {
                (Line::NeverMadeWouldAsk, CallTone::Never)
            }
            Settled::Dropped { why: countersign_core::call::Dropped::LeftInSource } => {
                (Line::NeverMadeInFork, CallTone::Never)
            }
            Settled::OutcomeUnknown => (Line::OutcomeUnknown, CallTone::Unknown),
            Settled::Stopped => (Line::Stopped, CallTone::Unknown),
            Settled::PlanAccepted => (Line::PlanAccepted, CallTone::Ran),
            Settled::DataGiven => (Line::Answered, CallTone::Ran),
        },
    };
    (say().line(line), tone)
}

fn passed_by(fact: &CallFact) -> PassedByWhat {
    let closing = fact.request.as_ref().and_then(|request| request.closed.as_ref()).map(|(closing, _)| closing);
    match closing {
        Some(Closing::PassedBy { by: PassedBy::Stopped }) => PassedByWhat::YouStopped,
        Some(Closing::PassedBy { by: PassedBy::Steering }) => PassedByWhat::YouAdded,
        Some(Closing::PassedBy { by: PassedBy::Withdrawn }) => PassedByWhat::NobodyWaited,
        Some(Closing::PassedBy { by: PassedBy::NewInput } | Closing::Answered { .. }) | None => PassedByWhat::MovedOn,
    }
}
