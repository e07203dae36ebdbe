//! Which conversations hold words that were said. There is no index of words: what is looked for is read, newest first, until it is there.

use countersign_core::change::Message;
use countersign_core::ids::ConversationId;
use futures_util::TryStreamExt as _;
use sqlx::query;

use super::fork::read_message;
use crate::error::StoreError;
use crate::open::Store;

/// The pattern finds at least every message that says it: SQLite knows small and capital letters of ASCII only.
const MAY_SAY: &str = "SELECT * FROM message WHERE conversation = ? AND body LIKE ? ESCAPE '\\' \
    ORDER BY seq DESC";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[MAY_SAY];

impl Store {
    /// The newest message of a conversation, or of a sub-agent in it, that holds a word, as `says` has it; the word is in small letters.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn newest_saying(
        &self,
        of: ConversationId,
        word: &str,
        says: impl Fn(&Message) -> bool + Send,
    ) -> Result<Option<Message>, StoreError> {
        let mut rows = query(MAY_SAY).bind(of.0.to_vec()).bind(pattern(word)).fetch(&self.readers);
        while let Some(row) = rows.try_next().await? {
            let message = read_message(&row)?;
            if says(&message) {
                return Ok(Some(message));
            }
        }
        Ok(None)
    }
}

/// What a text that holds the word is like. A letter beyond ASCII may be written by other letters, so anything may stand in its place.
fn pattern(word: &str) -> String {
    let mut pattern = String::from("%");
    for letter in word.chars() {
        match letter {
            '%' | '_' | '\\' => pattern.extend(['\\', letter]),
            letter if letter.is_ascii() => pattern.push(letter),
            _ if pattern.ends_with('%') && !pattern.ends_with("\\%") => {}
            _ => pattern.push('%'),
        }
    }
    if !pattern.ends_with('%') || pattern.ends_with("\\%") {
        pattern.push('%');
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::pattern;

    #[test]
    fn a_pattern_finds_at_least_what_says_it() {
        assert_eq!(pattern("release"), "%release%");
        assert_eq!(pattern("50%_\\"), "%50\\%\\_\\\\%");
        assert_eq!(pattern("straße"), "%stra%e%");
        assert_eq!(pattern("öäü"), "%");
        assert_eq!(pattern("100%"), "%100\\%%");
    }
}
