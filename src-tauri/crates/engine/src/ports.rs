//! What the engine asks of others: a model, tools, guards, a clock, notices. Whoever implements one is wired in by
//! the desktop shell; the engine names no implementation.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use countersign_core::agent::AgentProfile;
use countersign_core::change::Left;
use countersign_core::ids::{AgentId, At, ConversationId};
use countersign_core::input::{GuardVerdict, ModelReply, Outcome};
use countersign_core::parse::Tree;
use countersign_core::policy::Place;
use countersign_core::request::Precondition;
use countersign_core::run::Failure;
use countersign_core::server::ServerProfile;
use countersign_core::tool::{Tool, ToolIdentity};
use countersign_core::transcript::ViewItem;
use tokio_util::sync::CancellationToken;

mod desktop;
mod probing;

pub use self::desktop::{
    Attendance, Notice, NoticeAction, NoticeCapabilities, NoticePress, Notices, Presence, PressedBy, Tone,
};
pub use self::probing::{Seen, Step, StepName};
pub use crate::asks::{Asks, Question, Said};
pub use crate::gates::registered;

/// A language model.
#[async_trait]
pub trait Model: Send + Sync {
    /// Asks for one reply. Text goes to `deltas` as it comes; it is for showing only, and nothing of it counts until
    /// the whole reply is returned. Dropping the future stops the call.
    ///
    /// # Errors
    /// A [`Failure`] if there is no complete, usable reply; then nothing of it may be kept (D-71).
    async fn reply(&self, prompt: Prompt, deltas: Deltas) -> Result<ModelReply, Failure>;
}

/// What a model is sent.
#[derive(Debug, Clone)]
pub struct Prompt {
    /// The agent's instructions, and in Plan mode the extra one (PL-3).
    pub system: String,
    /// The model's view of the conversation: no dropped call, one result for each call, in the right place.
    pub messages: Vec<Arc<ViewItem>>,
    /// The tools that it is offered.
    pub tools: Vec<Tool>,
}

/// Where streamed text goes. Cheap to clone; sending never waits.
#[derive(Clone)]
pub struct Deltas(Arc<dyn Fn(&str) + Send + Sync>);

impl Deltas {
    /// Text goes to the function.
    pub fn to(function: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(function))
    }

    /// Text goes nowhere.
    pub fn nowhere() -> Self {
        Self::to(|_| {})
    }

    /// Passes a piece of text on.
    pub fn send(&self, text: &str) {
        (self.0)(text);
    }
}

/// The tools of one agent profile.
#[async_trait]
pub trait Toolbox: Send + Sync {
    /// The tools that there are right now. Which of them the agent may use is the gates' business; they are asked again
    /// before every claim (D-51).
    fn tools(&self) -> Vec<Tool>;

    /// Where a tool stands among the others. What nobody classified counts as the strictest (N-66).
    fn place(&self, _tool: &str) -> Place {
        Place::UNCLASSIFIED
    }

    /// Looks at a proposed call without doing it: can it run at all, and what is true now (D-85)?
    async fn prepare(&self, tool: &str, arguments: &Tree) -> Prepared;

    /// Executes a claimed call. When `stop` is cancelled it ends as soon as it can and says what may have happened
    /// (D-91). Dropping the future must leave nothing running.
    async fn run(&self, call: ToRun, stop: CancellationToken) -> Outcome;
}

/// What a look at a proposed call found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prepared {
    /// Why it can't run, in words for the model; then it never asks.
    pub fault: Option<String>,
    /// What is true now and must still hold when it runs.
    pub preconditions: Vec<Precondition>,
    /// For a tool that needs typed input: the JSON Schema of what this call asks a person for, an object with properties.
    pub schema: Option<String>,
    /// The file's present content, where it is UTF-8 text of at most 1 MiB; for showing the difference.
    pub before: Option<String>,
}

/// A claimed call.
#[derive(Debug, Clone)]
pub struct ToRun {
    /// The tool's name.
    pub tool: String,
    /// Which tool it was when it was proposed; none if it wasn't known (D-87).
    pub identity: Option<ToolIdentity>,
    /// The stored arguments, as the exact text.
    pub arguments: String,
    /// What was true at ask time, checked on the opened handle (D-85).
    pub preconditions: Vec<Precondition>,
    /// What this batch's own edit left in the same file; accepted beside the ask-time content (D-98).
    pub also: Option<Left>,
    /// Asks the person what its server wants to know meanwhile (D-86).
    pub asks: Asks,
    /// Takes the whole of what the call gives, where its result is cut for the model.
    pub whole: Whole,
}

/// The most of what a call gives that is kept, in bytes.
pub const MOST_WHOLE: usize = 16 * 1024 * 1024;

/// The whole of what a call gives, for the person. The model gets the result, in which the cut is stated.
#[derive(Debug, Clone, Default)]
pub struct Whole(Arc<Mutex<Option<String>>>);

impl Whole {
    /// Keeps a text, of one longer than [`MOST_WHOLE`] the beginning. A later one takes its place.
    pub fn keep(&self, mut text: String) {
        let end = (0..=MOST_WHOLE.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
        text.truncate(end.unwrap_or_default());
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
    }

    /// Takes what was kept.
    pub fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A rule, or anything else that has a say before a person is bothered (RU-1).
#[async_trait]
pub trait Guard: Send + Sync {
    /// Its name, as history and the person see it where it failed as a whole.
    fn name(&self) -> &str;

    /// Whether it could say anything of any call now. One that couldn't isn't asked, and no call waits for it.
    fn has_a_say(&self) -> bool {
        true
    }

    /// Judges every approval-bound call of a batch (RU-4): for each, in the same order, what it says, under the names by which
    /// history knows it. Dropping the future is the cancellation (RU-7).
    async fn judge(&self, run: &GuardedRun, calls: &[GuardedCall]) -> Vec<Vec<GuardVerdict>>;
}

/// The run in which a guard is asked (RU-7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardedRun {
    /// The conversation; for a call below the conversation's own agent the same.
    pub conversation: ConversationId,
    /// The agent that makes the calls.
    pub agent: AgentId,
    /// The folder that it works in, as its profile has it.
    pub folder: String,
}

/// What a guard sees of a call: the very call that would run (RU-5).
#[derive(Debug, Clone)]
pub struct GuardedCall {
    /// The tool.
    pub tool: Tool,
    /// The exact argument text.
    pub arguments: String,
    /// The same, parsed.
    pub tree: Tree,
    /// What is true now.
    pub preconditions: Vec<Precondition>,
    /// Whether a person approved this very call, and it is looked at for the last time before it runs (D-18). What a guard couldn't
    /// tell from the call was theirs to see then; only a rejection counts any more.
    pub answered: bool,
}

/// What an agent profile comes to life with.
#[derive(Clone)]
pub struct Outfit {
    /// Its model.
    pub model: Arc<dyn Model>,
    /// Its tools.
    pub toolbox: Arc<dyn Toolbox>,
    /// Its guards, in order of registration.
    pub guards: Vec<Arc<dyn Guard>>,
}

/// Finds an agent's model, tools and guards when a run starts.
#[async_trait]
pub trait Outfitter: Send + Sync {
    /// The outfit of a profile, with the tools of the given servers.
    ///
    /// # Errors
    /// A [`Failure`] that names what is missing: the folder is gone, the key can't be read. A server that can't be started is
    /// none: its tools say so when they are called.
    async fn outfit(
        &self,
        profile: &AgentProfile,
        servers: &[ServerProfile],
        purpose: Purpose,
    ) -> Result<Outfit, Failure>;
}

/// What an outfit is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A run: servers are started and waited for.
    Run,
    /// Whether a run could begin: its key is read, but nothing is started for it.
    Check,
    /// A look at its tools, as each card takes one: nothing is started for it, no key is read, and its model can't be asked.
    Look,
}

/// The time.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> At;
}

/// The machine's own clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> At {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        At(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}
