//! Finding words that were said in a conversation. All of it is looked through, page by page, from the newest on.

use countersign_core::change::MessageBody;
use countersign_core::ids::ConversationId;

use crate::desk::Desk;
use crate::display::text::one_line;
use crate::wire::conversation::{Found, FoundWords, Speaker};
use crate::wire::window::ApiError;

/// How many messages are looked through at once.
const PAGE: i64 = 200;
/// The most places that are given; there is no use in more.
const MOST: usize = 200;
/// How much of a place is shown before what was found, and in all.
const BEFORE: usize = 40;
const WIDTH: usize = 120;

/// The places where words were said, newest first. Small and capital letters are the same.
///
/// # Errors
/// If it can't be read.
pub(crate) async fn find(desk: &Desk, of: ConversationId, text: &str) -> Result<FoundWords, ApiError> {
    let wanted = text.trim().to_lowercase();
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
            let (speaker, said) = match &fact.message.body {
                MessageBody::User { text } => (Speaker::Person, text),
                MessageBody::Agent { text, .. } | MessageBody::Assistant { text, .. } => (Speaker::Agent, text),
            };
            let Some(excerpt) = around(said, &wanted) else { continue };
            if found.places.len() == MOST {
                found.more = true;
                return Ok(found);
            }
            let excerpt = one_line(&excerpt, WIDTH);
            found.places.push(Found { seq: fact.message.seq, at: fact.message.at.0, speaker, excerpt });
        }
    }
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
