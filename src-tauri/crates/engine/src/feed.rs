//! What the engine tells everybody who listens: first stored, then shown.

use std::sync::Arc;

use countersign_core::change::Change;
use countersign_core::head::Head;
use countersign_core::ids::{ConversationId, RunId};

/// One piece of news.
#[derive(Debug, Clone)]
pub enum News {
    /// Changes were committed.
    Committed {
        /// In which conversation.
        conversation: ConversationId,
        /// What became true, in order.
        changes: Arc<Vec<Change>>,
        /// The head after them.
        head: Arc<Head>,
    },
    /// The model is writing. Shown only; the committed message replaces it.
    Delta {
        /// In which conversation.
        conversation: ConversationId,
        /// In which run.
        run: RunId,
        /// All of the text so far.
        text: String,
    },
    /// A result couldn't be stored and is being tried again (D-110), or it has been stored now.
    Stuck {
        /// In which conversation.
        conversation: ConversationId,
        /// Why, in words; none when it is over.
        why: Option<String>,
    },
}
