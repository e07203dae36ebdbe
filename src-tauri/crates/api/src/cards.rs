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
        Some(None) => words("scripted model"),
        None => words("no model"),
    }
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
            (words("Start an agent"), one_line(&format!("{}: {task}", call.tool), TITLE_WIDTH), RowGroup::Other)
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
        Kept::Run { .. } => words("runs after your answer"),
        Kept::Reject { by, .. } => one_line(&format!("rule {} rejects it", by.join(", ")), REASON_WIDTH),
        Kept::Fault { .. } => words("can't run; the agent is told"),
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
        label: closed_label(fact, closing),
        expired: matches!(closing, Closing::PassedBy { .. }),
        at: at.0,
    })
}

/// Whether a call asked, and for this.
fn is_about(fact: &CallFact, kind: RequestKind) -> bool {
    fact.request.as_ref().is_some_and(|request| request.kind == kind)
}

/// How a request closed, in a row's words. An outcome that nobody knows comes before the decision: it needs a look.
pub(crate) fn closed_label(fact: &CallFact, closing: &Closing) -> String {
    if fact.call.state == CallState::Settled(Settled::OutcomeUnknown) {
        return "Outcome unknown".to_owned();
    }
    match closing {
        Closing::PassedBy { by: PassedBy::NewInput } => "Expired: conversation moved on",
        Closing::PassedBy { by: PassedBy::Stopped } => "Expired: you stopped the conversation",
        Closing::PassedBy { by: PassedBy::Steering } => "Expired: the run went on with what you added",
        Closing::PassedBy { by: PassedBy::Withdrawn } => "Withdrawn",
        Closing::Answered { verdict } => match verdict {
            AnsweredAs::Approved | AnsweredAs::ApprovedWithNote { .. } => "Approved",
            AnsweredAs::ApprovedForConversation { .. } => "Approved for this conversation",
            AnsweredAs::Rejected { .. } if is_about(fact, RequestKind::Plan) => "Sent back",
            AnsweredAs::Rejected { .. } if is_about(fact, RequestKind::Input) => "Declined",
            AnsweredAs::Rejected { .. } => "Rejected",
            AnsweredAs::DataGiven => "Answered",
            AnsweredAs::PlanApproved { into: countersign_core::mode::Mode::Auto, .. } => "Approved into Auto",
            AnsweredAs::PlanApproved { .. } => "Approved, ask per step",
        },
    }
    .to_owned()
}

/// How a call ended, in words, and how that is drawn.
pub(crate) fn outcome(fact: &CallFact) -> (String, OutcomeTone) {
    let said = |text: &str, tone| (text.to_owned(), tone);
    match &fact.call.state {
        CallState::Waiting(_) => said("waits for you", OutcomeTone::Plain),
        CallState::Held(_) => said("waits along", OutcomeTone::Plain),
        CallState::Approved(_) => said("not run yet", OutcomeTone::Plain),
        CallState::Started { .. } => said("running", OutcomeTone::Plain),
        CallState::Suspended { .. } => said("waits for you inside", OutcomeTone::Plain),
        CallState::Settled(settled) => match settled {
            Settled::Succeeded => said("ran ok", OutcomeTone::Ok),
            Settled::Errored => said("failed", OutcomeTone::Failed),
            Settled::Fault => said("could not run", OutcomeTone::Plain),
            Settled::RejectedByPerson { reason: Some(reason) } => {
                (format!("“{}”", plain(&one_line(reason, REASON_WIDTH))), OutcomeTone::Plain)
            }
            Settled::RejectedByPerson { reason: None } | Settled::RejectedByRule { .. } => {
                said("told the agent", OutcomeTone::Plain)
            }
            Settled::NoLongerPermitted => said("not run: no longer permitted", OutcomeTone::Plain),
            Settled::ChangedSinceAsked => said("not run: changed since asked", OutcomeTone::Plain),
            Settled::Dropped { why: countersign_core::call::Dropped::NeverRun } => {
                said("approved, never run", OutcomeTone::Plain)
            }
            Settled::Dropped { .. } => said("never made", OutcomeTone::Plain),
            Settled::OutcomeUnknown => said("outcome unknown", OutcomeTone::Unknown),
            Settled::Stopped => said("stopped; may have happened", OutcomeTone::Unknown),
            Settled::PlanAccepted => said("went on", OutcomeTone::Ok),
            Settled::DataGiven => said("told the agent", OutcomeTone::Plain),
        },
    }
}

/// A row of history; none for a call about which nothing was decided.
pub(crate) fn history_row(fact: &CallFact, path: Vec<Shown>) -> Option<HistoryRow> {
    let decided = fact.decided.as_ref()?;
    let (verb, target, _) = call_row(&fact.call);
    let is_plan = is_about(fact, RequestKind::Plan);
    let decision = match decided.decision.as_str() {
        "approved" => "Approved",
        "approved_conversation" => "Approved, conversation",
        "plan_default" => "Approved, ask per step",
        "plan_auto" => "Approved into Auto",
        "rejected" if is_plan => "Sent back",
        "rejected" if is_about(fact, RequestKind::Input) => "Declined",
        "answered" => "Answered",
        "rejected" => "Rejected",
        "ran" => "Ran",
        _ => "Expired",
    };
    let by = match (decided.by.as_str(), &decided.words) {
        ("person", _) => words("you"),
        ("rule", Some(name)) => one_line(&format!("rule: {name}"), REASON_WIDTH),
        ("rule", None) => words("a rule"),
        ("standing", _) => words("standing approval"),
        ("auto", _) => words("Auto"),
        _ => words(passed_by_words(fact)),
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
        decision: decision.to_owned(),
        by,
        outcome,
        tone,
        took_ms: asked.map(|request| (decided.at.0 - request.opened_at.0).max(0)),
    })
}

/// A call's line in a conversation: who decided and how it ended.
pub(crate) fn call_words(fact: &CallFact) -> (String, CallTone) {
    let by = match &fact.decided {
        None => "no approval needed".to_owned(),
        Some(decided) => match (decided.by.as_str(), &decided.words) {
            ("person", _) => "you".to_owned(),
            ("rule", Some(name)) => format!("rule {}", plain(&one_line(name, REASON_WIDTH))),
            ("standing", _) => "standing approval".to_owned(),
            ("auto", _) => "Auto".to_owned(),
            _ => "a rule".to_owned(),
        },
    };
    let ran = |ending: &str| match &fact.decided {
        None => format!("{ending}, {by}"),
        Some(_) => format!("{ending} · {by}"),
    };
    match &fact.call.state {
        CallState::Waiting(_) => ("waits for you".to_owned(), CallTone::Waiting),
        CallState::Held(_) => ("waits along".to_owned(), CallTone::Waiting),
        CallState::Approved(Warrant::Answer { .. }) => ("approved, not run yet".to_owned(), CallTone::Waiting),
        CallState::Approved(_) => ("about to run".to_owned(), CallTone::Waiting),
        CallState::Started { .. } => (ran("running"), CallTone::Running),
        CallState::Suspended { .. } => ("waits for you inside".to_owned(), CallTone::Waiting),
        CallState::Settled(settled) => match settled {
            Settled::Succeeded => (ran("ran"), CallTone::Ran),
            Settled::Errored => (ran("failed"), CallTone::Failed),
            Settled::Fault => ("could not run; the agent was told".to_owned(), CallTone::Failed),
            Settled::RejectedByPerson { .. } if is_about(fact, RequestKind::Plan) => {
                ("sent back · you".to_owned(), CallTone::Rejected)
            }
            Settled::RejectedByPerson { .. } => ("rejected · you".to_owned(), CallTone::Rejected),
            Settled::RejectedByRule { .. } => (format!("rejected · {by}"), CallTone::Rejected),
            Settled::NoLongerPermitted => ("not run: no longer permitted".to_owned(), CallTone::Rejected),
            Settled::ChangedSinceAsked => ("not run: changed since asked".to_owned(), CallTone::Rejected),
            Settled::Dropped { why: countersign_core::call::Dropped::NeverRun } => {
                ("approved, never run".to_owned(), CallTone::Never)
            }
            Settled::Dropped { why: countersign_core::call::Dropped::Stopped } => {
                ("never made: you stopped the conversation".to_owned(), CallTone::Never)
            }
            Settled::Dropped { why: countersign_core::call::Dropped::PassedBy } => {
                ("never made: the conversation moved on".to_owned(), CallTone::Never)
            }
            Settled::Dropped { why: countersign_core::call::Dropped::NobodyToAsk } => {
                ("never made: it would have asked".to_owned(), CallTone::Never)
            }
            Settled::OutcomeUnknown => ("outcome unknown".to_owned(), CallTone::Unknown),
            Settled::Stopped => ("stopped; it may have happened".to_owned(), CallTone::Unknown),
            Settled::PlanAccepted => ("accepted · you".to_owned(), CallTone::Ran),
            Settled::DataGiven => ("answered · you".to_owned(), CallTone::Ran),
        },
    }
}

fn passed_by_words(fact: &CallFact) -> &'static str {
    let closing = fact.request.as_ref().and_then(|request| request.closed.as_ref()).map(|(closing, _)| closing);
    match closing {
        Some(Closing::PassedBy { by: PassedBy::Stopped }) => "you stopped the conversation",
        Some(Closing::PassedBy { by: PassedBy::Steering }) => "you added to the run",
        Some(Closing::PassedBy { by: PassedBy::Withdrawn }) => "nobody waited any more",
        Some(Closing::PassedBy { by: PassedBy::NewInput } | Closing::Answered { .. }) | None => "conversation moved on",
    }
}
