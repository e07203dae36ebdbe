//! What history is searched by, filled behind the decisions: when it is quiet, and before somebody searches.

use std::sync::Arc;
use std::time::Duration;

use countersign_core::call::{CallState, Dropped, Settled};
use countersign_core::digest::content_hash;
use countersign_core::parse::{self, Tree};
use countersign_core::request::{AnsweredAs, Closing, RequestKind};
use countersign_store::open::Store;
use countersign_store::read::held::HeldFact;
use countersign_store::read::history::DecisionFact;
use countersign_store::read::inbox::CallFact;
use countersign_store::record::Record;
use countersign_store::table::search::Entry;
use tokio::sync::broadcast::error::RecvError;

use crate::cards;
use crate::desk::Desk;
use crate::display::mask::{MASK, Masks};
use crate::display::text::{plain, safe};
use crate::wire::inbox::RowGroup;
use crate::wire::window::ApiError;
use crate::words::{Spoken, say, within};

/// How many decisions share a commit.
const BATCH: i64 = 100;
/// How many a search reads itself at most before it says that there are more.
const AT_ONCE: i64 = 500;
/// The most of a text that is searched, in bytes: a file of megabytes is found by its name and its beginning.
const MOST_TEXT: usize = 64 * 1024;
/// How long nothing has happened before the index is filled.
const QUIET: Duration = Duration::from_millis(400);
/// Between two batches others have the disk.
const PAUSE: Duration = Duration::from_millis(15);
/// Goes up when what [`entry`] makes changes; everything is read again then.
const RULES: u32 = 1;

/// Fills until the space closes: once at the start, and whenever something was decided and it is quiet again.
pub(super) async fn tend(desk: Arc<Desk>) {
    let mut news = desk.engine.news();
    loop {
        if let Err(error) = fill(&desk, i64::MAX).await {
            tracing::warn!(?error, "the index of history couldn't be filled; it is tried again");
        }
        let one = tokio::select! {
            one = news.recv() => one,
            () = desk.history.changed.notified() => Ok(countersign_engine::feed::News::Stuck {
                conversation: countersign_core::ids::ConversationId([0; 16]),
                why: None,
            }),
            () = desk.closing.cancelled() => return,
        };
        if matches!(one, Err(RecvError::Closed)) {
            return;
        }
        // More may follow at once; all of it is read together.
        loop {
            tokio::select! {
                () = tokio::time::sleep(QUIET) => break,
                more = news.recv() => if matches!(more, Err(RecvError::Closed)) { return },
                () = desk.closing.cancelled() => return,
            }
        }
    }
}

/// Before a search: what was decided just now is found.
pub(super) async fn catch_up(desk: &Desk) -> Result<i64, ApiError> {
    fill(desk, AT_ONCE).await
}

/// Reads at most `most` decisions that aren't in the index, and those whose end came since; how many are left.
async fn fill(desk: &Desk, most: i64) -> Result<i64, ApiError> {
    let _alone = desk.history.filling.lock().await;
    let store = desk.engine.store();
    let own = desk.settings().masks;
    let masks = Masks::new(&own);
    let stamp = format!("{RULES}:{}", content_hash(own.join("\n").as_bytes()));
    let mut state = store.index_fill().await?;
    if state.stamp != stamp {
        store.record_beside(Record::IndexAfresh { stamp }).await?;
        state = store.index_fill().await?;
    }
    let (mut filled, mut pending, mut read) = (state.filled, state.pending, 0);
    while pending > 0 && read < most && !desk.closing.is_cancelled() {
        let (facts, to) = store.unindexed(filled, BATCH).await?;
        if to == filled {
            break;
        }
        let entries: Vec<Entry> = facts.iter().filter_map(|fact| entry(fact, &masks)).collect();
        let count = i64::try_from(facts.len()).unwrap_or(BATCH);
        store.record_beside(Record::Indexed { entries, filled: to }).await?;
        (filled, read, pending) = (to, read + count, (pending - count).max(0));
        if most == i64::MAX && pending > 0 {
            tokio::time::sleep(PAUSE).await;
        }
    }
    refresh(store, &masks).await?;
    Ok(pending)
}

/// What became of decisions since they were read.
async fn refresh(store: &Store, masks: &Masks) -> Result<(), ApiError> {
    loop {
        let (settled, gone) = store.settled_since(BATCH).await?;
        if settled.is_empty() && gone.is_empty() {
            return Ok(());
        }
        let entries: Vec<Entry> = settled.iter().filter_map(|fact| entry(fact, masks)).collect();
        store.record_beside(Record::Indexed { entries, filled: 0 }).await?;
        store.record_beside(Record::Unindexed { seqs: gone }).await?;
    }
}

/// A decision as it is searched. What is stored is the same whatever is spoken, so it is made in English.
fn entry(fact: &DecisionFact, masks: &Masks) -> Option<Entry> {
    within(Spoken::En, || match fact {
        DecisionFact::Call(fact) => of_call(fact, masks),
        DecisionFact::Held(fact) => of_held(fact, masks),
    })
}

/// What a row calls something, in every language: it is found by the word that a person sees, whichever they speak.
fn in_each(said: impl Fn() -> String) -> String {
    let all: Vec<String> = Spoken::ALL.into_iter().map(|language| within(language, &said)).collect();
    all.join("\n")
}

fn of_call(fact: &CallFact, masks: &Masks) -> Option<Entry> {
    let decided = fact.decided.as_ref()?;
    let kind = fact.request.as_ref().map(|request| request.kind);
    let (_, target, group) = cards::call_row(&fact.call);
    let verb = in_each(|| plain(&cards::call_row(&fact.call).0));
    let decision = match (decided.decision.as_str(), kind) {
        ("approved", _) => "approved",
        ("approved_conversation", _) => "for-conversation",
        ("plan_default", _) => "step-by-step",
        ("plan_auto", _) => "into-auto",
        ("answered", _) => "answered",
        ("rejected", Some(RequestKind::Plan)) => "sent-back",
        ("rejected", Some(RequestKind::Input)) => "declined",
        ("rejected", Some(RequestKind::Call) | None) => "rejected",
        ("ran", _) => "ran",
        _ => "expired",
    };
    let by = match decided.by.as_str() {
        "person" => "you",
        "rule" => "rule",
        "standing" => "standing",
        "auto" => "auto",
        _ => "conversation",
    };
    let rules = match (by, &decided.words) {
        ("rule", Some(names)) => names.split(", ").map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let kind = match (kind, group) {
        (Some(RequestKind::Plan), _) => "plan",
        (Some(RequestKind::Input), _) => "question",
        (_, RowGroup::Commands) => "command",
        (_, RowGroup::Files) => "file",
        (_, RowGroup::Plans) => "plan",
        (_, RowGroup::Other) => "other",
    };
    let mut text = String::new();
    let target = masks.hide(&plain(&target));
    let said = masks.hide(decided.words.as_deref().unwrap_or_default());
    for part in [fact.title.as_str(), &verb, &target, &fact.call.tool, &said] {
        text.push_str(part);
        text.push('\n');
    }
    text.push_str(&arguments(&fact.call.arguments, masks));
    let asked = fact.request.as_ref().filter(|_| by == "you");
    Some(Entry {
        seq: decided.seq,
        at: decided.at,
        took: asked.map(|request| (decided.at.0 - request.opened_at.0).max(0)),
        tool: fact.call.tool.clone(),
        decision: decision.to_owned(),
        by: by.to_owned(),
        rules,
        outcome: outcome(&fact.call.state).to_owned(),
        kind: kind.to_owned(),
        agent: fact.agent.to_string(),
        conversation: fact.conversation.to_string(),
        unsettled: !matches!(fact.call.state, CallState::Settled(_)),
        text,
    })
}

fn of_held(fact: &HeldFact, masks: &Masks) -> Option<Entry> {
    let (closing, at) = fact.question.closed.as_ref()?;
    let (decision, by, outcome) = match closing {
        Closing::Answered { verdict: AnsweredAs::DataGiven } => ("answered", "you", "told"),
        Closing::Answered { .. } => ("declined", "you", "told"),
        Closing::PassedBy { .. } => ("withdrawn", "server", "never-made"),
    };
    let message = masks.hide(&plain(&safe(beginning(&fact.question.held.message, MOST_TEXT))));
    Some(Entry {
        seq: fact.question.seq?,
        at: *at,
        took: (by == "you").then_some((at.0 - fact.question.held.request.opened_at.0).max(0)),
        tool: fact.call.call.tool.clone(),
        decision: decision.to_owned(),
        by: by.to_owned(),
        rules: Vec::new(),
        outcome: outcome.to_owned(),
        kind: "question".to_owned(),
        agent: fact.call.agent.to_string(),
        conversation: fact.call.conversation.to_string(),
        unsettled: false,
        text: format!(
            "{}\n{}\n{}\n{message}",
            fact.call.title,
            in_each(|| say().asks_for_input()),
            fact.call.call.tool
        ),
    })
}

fn outcome(state: &CallState) -> &'static str {
    match state {
        CallState::Settled(settled) => match settled {
            Settled::Succeeded | Settled::PlanAccepted => "ok",
            Settled::Errored => "failed",
            Settled::Fault => "could-not-run",
            Settled::RejectedByPerson { .. } | Settled::RejectedByRule { .. } | Settled::DataGiven => "told",
            Settled::NoLongerPermitted => "not-permitted",
            Settled::ChangedSinceAsked => "changed",
            Settled::Dropped { why: Dropped::NeverRun } => "never-run",
            Settled::Dropped { .. } => "never-made",
            Settled::OutcomeUnknown => "unknown",
            Settled::Stopped => "stopped",
        },
        CallState::Held(_)
        | CallState::Waiting(_)
        | CallState::Approved(_)
        | CallState::Started { .. }
        | CallState::Suspended { .. } => "pending",
    }
}

/// Arguments as they are searched: their beginning, without what looks like a secret.
fn arguments(arguments: &str, masks: &Masks) -> String {
    lines(arguments, masks, MOST_TEXT)
}

/// Arguments as they are written into a file: all of them.
pub(crate) fn written(arguments: &str, masks: &Masks) -> String {
    lines(arguments, masks, usize::MAX)
}

/// Names and values as displayed, a line each.
fn lines(arguments: &str, masks: &Masks, most: usize) -> String {
    let mut lines = String::new();
    match parse::arguments(arguments) {
        Ok(Tree::Object(pairs)) => {
            for (key, value) in &pairs {
                leaf(key, value, masks, most, &mut lines);
            }
        }
        Ok(_) | Err(_) => lines.push_str(&masks.hide(&plain(&safe(beginning(arguments, most))))),
    }
    lines
}

fn leaf(name: &str, value: &Tree, masks: &Masks, most: usize, to: &mut String) {
    if to.len() >= most {
        return;
    }
    let said = match value {
        Tree::List(items) => return items.iter().for_each(|item| leaf(name, item, masks, most, to)),
        Tree::Object(pairs) => return pairs.iter().for_each(|(key, value)| leaf(key, value, masks, most, to)),
        Tree::Text(text) => plain(&safe(beginning(text, most))),
        Tree::Null | Tree::Bool(_) | Tree::Number(_) => parse::to_text(value),
    };
    to.push_str(&plain(&safe(name)));
    to.push_str(": ");
    to.push_str(&if masks.hides_named(name) && !said.is_empty() { MASK.to_owned() } else { masks.hide(&said) });
    to.push('\n');
}

fn beginning(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read_as_displayed_and_without_secrets() {
        let text = "{\"command\":\"a\\nb\\u202e\",\"env\":{\"API_KEY\":\"short\",\"n\":3},\"l\":[\"x\",true]}";
        let lines = arguments(text, &Masks::default());
        assert_eq!(
            lines,
            format!("command: a\nb⟨U+202E right-to-left override⟩\nAPI_KEY: {MASK}\nn: 3\nl: x\nl: true\n")
        );
        assert_eq!(arguments("{oops", &Masks::default()), "{oops");
    }
}
