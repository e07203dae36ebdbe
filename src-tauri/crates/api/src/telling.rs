//! From the engine's news to what windows are told: after each commit the rows that it touched are made again from the
//! store and sent whole.

use std::collections::BTreeSet;
use std::sync::Arc;

use countersign_core::change::{Change, Returned};
use countersign_core::conversation::ConversationKind;
use countersign_core::head::Head;
use countersign_core::ids::{CallId, ConversationId, MessageId, RequestId, RunId};
use countersign_engine::feed::News;
use countersign_store::record::Record;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::desk::{Desk, SetId};
use crate::display::text::{plain, safe};
use crate::entries::{conversation_row, entry, shown_in};
use crate::wire::window::{ApiError, FeedWhat};
use crate::words::say;

/// The most streamed text that is sent at once, in characters: the end of it, for following.
const DELTA_WIDTH: usize = 50_000;

/// Tells until the space closes. The news were subscribed to before anything could happen, so that nothing is missed.
pub(crate) async fn tell(desk: Arc<Desk>, mut news: Receiver<News>) {
    loop {
        let one = tokio::select! {
            one = news.recv() => one,
            () = desk.closing.cancelled() => return,
        };
        let told = match one {
            Ok(News::Committed { conversation, changes, head }) => {
                committed(&desk, conversation, &head, &changes).await
            }
            Ok(News::Delta { conversation, run: _, text }) => {
                delta(&desk, conversation, &text);
                Ok(())
            }
            Ok(News::Stuck { conversation: _, why }) => {
                let text = why.map(|why| say().result_not_stored(&why));
                desk.feed.publish(desk.space, FeedWhat::Trouble { text });
                Ok(())
            }
            Err(RecvError::Lagged(_)) => {
                desk.feed.gap();
                desk.feed.publish(desk.space, FeedWhat::History);
                Ok(())
            }
            Err(RecvError::Closed) => return,
        };
        if let Err(error) = told {
            // What can't be read can't be shown; the next snapshot says so in words.
            tracing::error!(?error, "a change couldn't be shown");
            desk.feed.gap();
        }
    }
}

/// What a commit touched.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each says of one kind of thing whether it was touched")]
struct Touched {
    messages: BTreeSet<MessageId>,
    calls: BTreeSet<CallId>,
    runs: BTreeSet<RunId>,
    ended: BTreeSet<RunId>,
    came_back: Option<Returned>,
    closed: Vec<RequestId>,
    /// Questions of servers that closed; each is a set of its own that is gone now.
    no_longer_held: Vec<RequestId>,
    requests: bool,
    /// Something was asked that wasn't there before.
    asked: bool,
    /// A server asked, or its question closed.
    questions: bool,
    decisions: bool,
    deleted: bool,
    returned: bool,
    mode: bool,
}

async fn committed(desk: &Arc<Desk>, of: ConversationId, head: &Head, changes: &[Change]) -> Result<(), ApiError> {
    let touched = touched(changes);
    match head.conversation.kind {
        ConversationKind::Thread => {}
        // It is in no list, holds no request and nothing of it waits.
        ConversationKind::Quick => {
            desk.feed.publish(desk.space, FeedWhat::Quick { task: of.to_string() });
            if touched.decisions {
                desk.feed.publish(desk.space, FeedWhat::History);
            }
            return Ok(());
        }
    }
    for change in changes {
        if let Change::RunEnded { run, end, .. } = change {
            crate::rules::run_ended(desk, of, *run, end).await?;
        }
    }
    if touched.deleted {
        crate::rules::conversation_gone(desk, of).await?;
    }
    if touched.requests {
        // A request that opens or closes changes what a send would mean; the person looks again. What servers ask has no part in it.
        desk.graces.stop(SetId::own(of));
    }
    if touched.asked {
        crate::later::asked_anew(desk, of).await?;
    }
    for question in &touched.no_longer_held {
        desk.graces.forget(SetId::held(of, *question));
        crate::later::gone(desk, of, Some(*question)).await?;
        desk.feed.publish(desk.space, FeedWhat::Set { id: question.to_string(), set: None });
    }
    if !touched.closed.is_empty() {
        let rows = touched.closed.iter().map(|request| request.0).collect();
        desk.engine.store().record(Record::DraftsGone { rows }).await?;
    }
    if let Some(why) = &touched.came_back {
        let left = desk.drafts(of).await?.len();
        crate::drafts::came_back(desk, of, why, left);
    }
    let conversation = of.to_string();
    if touched.deleted {
        crate::later::gone(desk, of, None).await?;
        desk.feed.publish(desk.space, FeedWhat::Set { id: conversation.clone(), set: None });
        desk.feed.publish(desk.space, FeedWhat::ConversationGone { conversation });
    } else {
        tell_entries(desk, of, &touched).await?;
        crate::drafts::publish(desk, of).await?;
        let row = Box::new(conversation_row(desk, of).await?);
        desk.feed.publish(desk.space, FeedWhat::Conversation { row });
    }
    if !touched.closed.is_empty() {
        let rows = desk.closed().await?;
        desk.feed.publish(desk.space, FeedWhat::Closed { rows });
    }
    if touched.returned {
        let text = desk.engine.store().typed(of).await?.unwrap_or_default();
        desk.feed.publish(desk.space, FeedWhat::Typed { conversation: of.to_string(), text });
    }
    if touched.decisions {
        desk.feed.publish(desk.space, FeedWhat::History);
    }
    crate::notices::news::committed(desk, of, head, changes).await?;
    crate::notices::refresh(desk, of, touched.requests || touched.questions);
    Ok(())
}

async fn tell_entries(desk: &Desk, of: ConversationId, touched: &Touched) -> Result<(), ApiError> {
    let store = desk.engine.store();
    let mut messages = touched.messages.clone();
    let mut calls = touched.calls.clone();
    for run in &touched.runs {
        calls.extend(store.start_call(*run).await?);
    }
    if touched.mode {
        // Its change is shown behind the last message.
        messages.extend(store.last_message(of).await?);
    }
    for run in &touched.ended {
        // Its end is shown behind its last message.
        messages.extend(store.last_message_of(*run).await?);
    }
    for call in &calls {
        messages.extend(store.call(*call).await?.map(|call| call.message));
    }
    // What a sub-agent does is shown in the message whose call started it.
    let mut shown = std::collections::BTreeMap::new();
    for message in messages {
        if let Some(message) = store.message(message).await?
            && let Some((message, _)) = shown_in(store, message).await?
        {
            shown.insert(message.message.seq, message);
        }
    }
    let mut entries = Vec::with_capacity(shown.len());
    for message in shown.values() {
        entries.push(entry(store, message).await?);
    }
    if !entries.is_empty() {
        desk.feed.publish(desk.space, FeedWhat::Entries { conversation: of.to_string(), entries });
    }
    Ok(())
}

fn delta(desk: &Desk, of: ConversationId, text: &str) {
    let skipped = text.chars().count().saturating_sub(DELTA_WIDTH);
    let end: String = text.chars().skip(skipped).collect();
    let what = FeedWhat::Delta { conversation: of.to_string(), text: plain(&safe(&end)) };
    desk.feed.show(desk.space, what);
}

fn touched(changes: &[Change]) -> Touched {
    let mut touched = Touched::default();
    for change in changes {
        match change {
            Change::MessageAdded(message) => {
                touched.messages.insert(message.id);
            }
            Change::CallProposed { call, .. } => {
                touched.messages.insert(call.message);
                touched.decisions = true;
            }
            Change::CallApproved { call, .. }
            | Change::CallFilledIn { call, .. }
            | Change::CallHeld { call, .. }
            | Change::CallWaits { call, .. }
            | Change::CallStarted { call, .. }
            | Change::CallSuspended { call, .. }
            | Change::CallResumed { call, .. }
            | Change::CallSettled { call, .. } => {
                touched.calls.insert(*call);
                touched.decisions = true;
            }
            Change::RequestOpened { .. } => {
                touched.requests = true;
                touched.asked = true;
            }
            Change::RequestClosed { request, .. } => {
                touched.requests = true;
                touched.decisions = true;
                touched.closed.push(*request);
            }
            Change::QuestionHeld(held) => {
                touched.questions = true;
                touched.calls.insert(held.request.call);
            }
            Change::QuestionClosed { question, call, .. } => {
                touched.questions = true;
                touched.decisions = true;
                touched.calls.insert(*call);
                touched.closed.push(*question);
                touched.no_longer_held.push(*question);
            }
            Change::ModeSet { .. } => touched.mode = true,
            Change::ConversationDeleted => touched.deleted = true,
            Change::SteeringReturned { .. } => touched.returned = true,
            Change::AnswersReturned { why } => {
                touched.returned = true;
                touched.came_back = Some(why.clone());
            }
            Change::RunPhase { run, .. } => {
                touched.runs.insert(*run);
            }
            Change::RunEnded { run, .. } => {
                touched.runs.insert(*run);
                touched.ended.insert(*run);
            }
            // What is copied into a fork is read when it is opened; nobody shows it yet.
            Change::ConversationCreated(_)
            | Change::RunCopied { .. }
            | Change::MessageCopied { .. }
            | Change::CallCopied { .. }
            | Change::SteeringQueued(_)
            | Change::SteeringTaken { .. }
            | Change::ConversationRenamed { .. }
            | Change::RunStarted(_)
            | Change::AgentRan { .. }
            | Change::AnswersQueued(_)
            | Change::AnswersTaken
            | Change::StandingGranted { .. }
            | Change::StandingUsed { .. }
            | Change::StandingRevoked { .. } => {}
        }
    }
    touched
}
