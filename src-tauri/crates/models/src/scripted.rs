//! A model that plays from a script: for the Rehearsal and for tests. No network, no key, always the same.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use countersign_core::input::{ModelReply, ProposedCall};
use countersign_core::run::Failure;
use countersign_engine::ports::{Deltas, Model, Prompt};

/// One turn of a script: what the model says to what it sees.
pub type Turn = Box<dyn Fn(&Prompt) -> ModelReply + Send + Sync>;

/// A model that plays from a script.
pub struct Scripted {
    script: Script,
    pace: Duration,
}

enum Script {
    /// One after the other.
    Turns { turns: Vec<Turn>, next: AtomicUsize },
    /// By what the model sees, so that a restart in the middle changes nothing.
    ByView(Turn),
}

impl Scripted {
    /// Plays the turns one after the other, one a call; behind the last it says that the script is over.
    pub fn new(turns: Vec<Turn>) -> Self {
        Self { script: Script::Turns { turns, next: AtomicUsize::new(0) }, pace: Duration::ZERO }
    }

    /// Chooses every turn by the view alone, so that the play goes on in the right place after a restart.
    pub fn by_view(choose: impl Fn(&Prompt) -> ModelReply + Send + Sync + 'static) -> Self {
        Self { script: Script::ByView(Box::new(choose)), pace: Duration::ZERO }
    }

    /// Streams word by word with this wait before each, so that it looks like a model.
    pub fn with_pace(self, pace: Duration) -> Self {
        Self { pace, ..self }
    }

    fn choose(&self, prompt: &Prompt) -> ModelReply {
        match &self.script {
            Script::ByView(choose) => choose(prompt),
            Script::Turns { turns, next } => match turns.get(next.fetch_add(1, Ordering::SeqCst)) {
                Some(turn) => turn(prompt),
                None => says("The script is over."),
            },
        }
    }
}

/// A turn of words only.
pub fn says(text: impl Into<String>) -> ModelReply {
    ModelReply { text: text.into(), ..ModelReply::default() }
}

/// A turn with calls, each with the provider's id, the tool's name and the exact argument text.
pub fn calls(text: impl Into<String>, calls: &[(&str, &str, &str)]) -> ModelReply {
    let calls = calls.iter().map(|(id, name, arguments)| ProposedCall {
        provider_id: (*id).to_owned(),
        name: (*name).to_owned(),
        arguments: (*arguments).to_owned(),
    });
    ModelReply { text: text.into(), calls: calls.collect(), ..ModelReply::default() }
}

impl fmt::Debug for Scripted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Scripted").field("pace", &self.pace).finish_non_exhaustive()
    }
}

#[async_trait]
impl Model for Scripted {
    async fn reply(&self, prompt: Prompt, deltas: Deltas) -> Result<ModelReply, Failure> {
        let reply = self.choose(&prompt);
        for piece in reply.text.split_inclusive(' ') {
            if !self.pace.is_zero() {
                tokio::time::sleep(self.pace).await;
            }
            deltas.send(piece);
        }
        Ok(reply)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use countersign_core::transcript::ViewItem;

    use super::*;

    fn prompt(words: &[&str]) -> Prompt {
        let messages = words.iter().map(|text| Arc::new(ViewItem::User { text: (*text).to_owned() })).collect();
        Prompt { system: String::new(), messages, tools: Vec::new() }
    }

    #[tokio::test]
    async fn plays_in_order_and_streams() {
        let model = Scripted::new(vec![Box::new(|_| says("one two")), Box::new(|_| calls("", &[("a", "f", "{}")]))]);
        let pieces = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&pieces);
        let deltas = Deltas::to(move |piece| sink.lock().unwrap().push(piece.to_owned()));
        assert_eq!(model.reply(prompt(&[]), deltas.clone()).await, Ok(says("one two")));
        assert_eq!(*pieces.lock().unwrap(), ["one ", "two"]);
        assert_eq!(model.reply(prompt(&[]), deltas.clone()).await.unwrap().calls[0].name, "f");
        assert_eq!(model.reply(prompt(&[]), deltas).await, Ok(says("The script is over.")));
    }

    #[tokio::test]
    async fn the_view_decides_whatever_came_before() {
        let model = Scripted::by_view(|prompt| says(format!("{} seen", prompt.messages.len())));
        for words in [&["a", "b"][..], &["a"], &["a", "b"]] {
            let reply = model.reply(prompt(words), Deltas::nowhere()).await.unwrap();
            assert_eq!(reply.text, format!("{} seen", words.len()));
        }
    }
}
