//! Finding words that were said in a conversation, and what its calls hold; and the conversations in which words were said. All of it is
//! looked through, from the newest on.

use countersign_core::change::MessageBody;
use countersign_core::ids::ConversationId;
use countersign_store::open::Store;
use countersign_store::read::conversation::MessageFact;
use countersign_store::read::inbox::CallFact;

use crate::cards;
use crate::desk::Desk;
use crate::detail::RESULT_WIDTH;
use crate::display::mask::Masks;
use crate::display::text::{one_line, plain};
use crate::entries::{shown_in, starts_agent};
use crate::history::index::written;
use crate::wire::conversation::{Found, FoundConversation, FoundConversations, FoundWords, Speaker};
use crate::wire::window::ApiError;

/// How many messages are looked through at once.
const PAGE: i64 = 200;
/// The most places that are given; there is no use in more.
const MOST: usize = 200;
/// The same for conversations.
const MOST_CONVERSATIONS: usize = 50;
/// The longest text that is looked for, in characters.
const LONGEST: usize = 200;
/// How much of a place is shown before what was found, and in all.
const BEFORE: usize = 40;
const WIDTH: usize = 120;

/// The places where words were said or that a call holds, newest first. Small and capital letters are the same.
///
/// # Errors
/// If it can't be read.
pub(crate) async fn find(desk: &Desk, of: ConversationId, text: &str) -> Result<FoundWords, ApiError> {
    let wanted = wanted(text);
    let mut found = FoundWords { places: Vec::new(), more: false };
    if wanted.is_empty() {
        return Ok(found);
    }
    let mut before = i64::MAX;
    loop {
        let page = desk.engine.store().messages(of, before, PAGE).await?;
        let Some(last) = page.last() else { return Ok(found) };
        before = last.message.seq;
        for fact in &page {
            let at = Inside { seq: fact.message.seq, within: Vec::new() };
            look_into(desk.engine.store(), fact, &at, &wanted, &mut found).await?;
            if found.more {
                return Ok(found);
            }
        }
    }
}

/// Where something lies: below which entry of the conversation's own thread, and in which sub-agents.
struct Inside {
    seq: i64,
    within: Vec<String>,
}

/// Looks into a message, its calls, and what the sub-agents did that they started.
async fn look_into(
    store: &Store,
    fact: &MessageFact,
    at: &Inside,
    wanted: &str,
    found: &mut FoundWords,
) -> Result<(), ApiError> {
    // What was called came after what was said beside it, and what a sub-agent did after it was called.
    for call in fact.calls.iter().rev() {
        if starts_agent(call)
            && let Some(agent) = store.started_by(call.call.id).await?
        {
            let within = at.within.iter().cloned().chain([call.call.id.to_string()]).collect();
            let inside = Inside { seq: at.seq, within };
            for message in store.thread(agent.run).await?.iter().rev() {
                Box::pin(look_into(store, message, &inside, wanted, found)).await?;
            }
        }
        if let Some(excerpt) = in_call(call, wanted) {
            keep(found, place(fact, Some(call), &excerpt, at));
        }
    }
    if let Some(excerpt) = around(said(&fact.message.body).1, wanted) {
        keep(found, place(fact, None, &excerpt, at));
    }
    Ok(())
}

fn keep(found: &mut FoundWords, place: Found) {
    if found.places.len() == MOST {
        found.more = true;
    } else {
        found.places.push(place);
    }
}

/// The conversations with a message that holds every one of these words, with the newest such message.
///
/// # Errors
/// If they can't be read.
pub(crate) async fn conversations(desk: &Desk, text: &str) -> Result<FoundConversations, ApiError> {
    let wanted = wanted(text);
    let words: Vec<&str> = wanted.split_whitespace().collect();
    let mut found = FoundConversations { found: Vec::new(), more: false };
    // The longest is in the fewest messages.
    let Some(longest) = words.iter().max_by_key(|word| word.len()) else { return Ok(found) };
    let store = desk.engine.store();
    for (conversation, _) in store.conversations().await? {
        let says = |message: &countersign_core::change::Message| {
            let small = said(&message.body).1.to_lowercase();
            words.iter().all(|word| small.contains(word))
        };
        let Some(message) = store.newest_saying(conversation.id, longest, says).await? else { continue };
        if found.found.len() == MOST_CONVERSATIONS {
            found.more = true;
            break;
        }
        let (_, text) = said(&message.body);
        let excerpt = around(text, &wanted).or_else(|| around(text, longest)).unwrap_or_default();
        let fact = MessageFact { message, calls: Vec::new() };
        let Some((shown, within)) = shown_in(store, fact.clone()).await? else { continue };
        let at = Inside { seq: shown.message.seq, within: within.iter().map(ToString::to_string).collect() };
        let place = place(&fact, None, &excerpt, &at);
        found.found.push(FoundConversation { conversation: conversation.id.to_string(), place });
    }
    Ok(found)
}

/// What is looked for, in small letters.
fn wanted(text: &str) -> String {
    text.trim().chars().take(LONGEST).collect::<String>().to_lowercase()
}

fn said(body: &MessageBody) -> (Speaker, &str) {
    match body {
        MessageBody::User { text } => (Speaker::Person, text),
        MessageBody::Agent { text, .. } | MessageBody::Assistant { text, .. } => (Speaker::Agent, text),
    }
}

fn place(fact: &MessageFact, call: Option<&CallFact>, excerpt: &str, at: &Inside) -> Found {
    Found {
        seq: at.seq,
        entry: fact.message.seq,
        within: at.within.clone(),
        at: fact.message.at.0,
        speaker: if call.is_some() { Speaker::Call } else { said(&fact.message.body).0 },
        call: call.map(|call| call.call.id.to_string()),
        excerpt: one_line(excerpt, WIDTH),
    }
}

/// What a call's line, its tool, its arguments or the part of its result that is shown has around what is wanted.
fn in_call(fact: &CallFact, wanted: &str) -> Option<String> {
    let (verb, target, _) = cards::call_row(&fact.call);
    let line = format!("{} {}", plain(&verb), plain(&target));
    // As displayed, a name and a value a line, and as much as the card has: nothing is hidden from who sees it there.
    let arguments = written(&fact.call.arguments, &Masks::unmasked());
    let beginning: String = fact.result.iter().flat_map(|result| result.chars().take(RESULT_WIDTH)).collect();
    let in_it = |text: &str| around(text, wanted);
    let more = in_it(&fact.call.tool)
        .or_else(|| arguments.lines().find_map(in_it))
        .or_else(|| beginning.lines().find_map(in_it));
    // What stands in the line is said by the line alone.
    in_it(&line).or_else(|| more.map(|text| format!("{} · {text}", plain(&verb))))
}

/// The text around the first place where it holds what is wanted, which is in small letters.
fn around(said: &str, wanted: &str) -> Option<String> {
    // Small letters may take more or less room than capital ones, so places are counted in characters of the text itself.
    let small: Vec<(usize, String)> = said.char_indices().map(|(at, one)| (at, one.to_lowercase().collect())).collect();
    let mut joined = String::with_capacity(said.len());
    let mut starts = Vec::with_capacity(small.len());
    for (at, letters) in &small {
        starts.push((joined.len(), *at));
        joined.push_str(letters);
    }
    let place = joined.find(wanted)?;
    let index = starts.partition_point(|(start, _)| *start <= place).saturating_sub(1);
    let from = starts.get(index.saturating_sub(BEFORE)).map_or(0, |(_, at)| *at);
    let rest: String = said.get(from..)?.chars().take(BEFORE + wanted.chars().count() + WIDTH).collect();
    Some(if from > 0 { format!("… {rest}") } else { rest })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_whatever_their_case_and_shown_in_their_place() {
        assert_eq!(
            around("Move the Release to Thursday.", "release").as_deref(),
            Some("Move the Release to Thursday.")
        );
        assert_eq!(around("STRASSE und Straße", "straße").as_deref(), Some("STRASSE und Straße"));
        assert_eq!(around("İstanbul is far", "far").as_deref(), Some("İstanbul is far"));
        assert_eq!(around("nothing", "else"), None);
        let long = format!("{} needle {}", "hay ".repeat(100), "hay ".repeat(100));
        let shown = around(&long, "needle").unwrap();
        assert!(shown.starts_with("… ") && shown.contains("needle") && shown.len() < 300, "{shown}");
    }
}
