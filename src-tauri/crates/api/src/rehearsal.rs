//! The Rehearsal: the real engine, store, notifications and tools, with a scripted model and a throw-away folder, in a
//! database of its own. This is its director: it writes the person's lines, and says what to do at each step.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use countersign_core::agent::{AgentProfile, DEFAULT_ROUNDS, ModelChoice, ToolSet};
use countersign_core::change::Change;
use countersign_core::ids::{AgentId, ConversationId};
use countersign_core::input::{Input, NewConversation, RunInput};
use countersign_core::mode::Mode;
use countersign_core::policy::AgentPolicy;
use countersign_core::run::RunEnd;
use countersign_engine::feed::News;
use countersign_store::record::Record;

use tokio::sync::Notify;

use crate::desk::Desk;
use crate::error::refused;
use crate::wire::window::{ApiError, FeedWhat, RehearsalState};
use crate::words::{Scene, say};

/// The person's lines, in order. The scripted model answers to their number, not to their words.
const LINES: [(&str, Option<Mode>); 8] = [
    ("Please tidy the notes folder.", None),
    ("Now make room: put the notes into one folder and throw the rest away.", None),
    ("Write an overview of the notes instead.", None),
    ("Check twice what the folder holds.", None),
    ("And once more.", None),
    ("Before you change anything else, plan the clean-up of the drafts.", Some(Mode::Plan)),
    // Whoever skipped the plan is still in Plan mode, where nothing could be deleted.
    ("Now delete the old drafts.", Some(Mode::Default)),
    ("Wait, leave the drafts alone. I will look at them tomorrow.", None),
];
/// The lines that something of the play hangs on.
const TIDY: usize = 0;
const MAKE_ROOM: usize = 1;
const OVERVIEW: usize = 2;
const TWICE: usize = 3;
const ONCE_MORE: usize = 4;
const PLAN: usize = 5;
const DELETE: usize = 6;
/// How long a request waits before the script types over it, so that a person sees it open and then expired.
const BEFORE_TYPING: Duration = Duration::from_secs(6);
/// How long between the end of a run and the next line.
const BETWEEN_LINES: Duration = Duration::from_millis(900);
/// How many steps there are.
pub(crate) const STEPS: u32 = 7;

/// Where a Rehearsal stands. Its sentence is made when it is asked for, in the language of that moment.
#[derive(Debug, Clone)]
struct At {
    conversation: String,
    step: u32,
    scene: Scene,
}

/// A Rehearsal that is going on.
pub(crate) struct Rehearsal {
    pub(crate) desk: Arc<Desk>,
    state: Mutex<At>,
    /// The person wants the next step.
    skips: Notify,
}

/// Where the Rehearsal's database is.
pub(crate) fn database(folder: &Path) -> PathBuf {
    folder.join("rehearsal.sqlite")
}

/// Makes the throw-away workspace with its files.
///
/// # Errors
/// Words for the person, if the folder can't be made.
pub(crate) fn set_the_stage(folder: &Path, workspace: &Path) -> Result<(), ApiError> {
    let notes = workspace.join("notes");
    let drafts = workspace.join("drafts");
    let made = || -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        std::fs::create_dir_all(&notes)?;
        std::fs::create_dir_all(&drafts)?;
        std::fs::write(notes.join("todo.md"), TODO)?;
        std::fs::write(notes.join("meeting.md"), "# Meeting\n\nMove the release to Thursday.\n")?;
        std::fs::write(drafts.join("old-idea.md"), "# Old idea\n\nNobody needs this any more.\n")?;
        std::fs::write(drafts.join("letter.md"), "# Letter\n\nDear team,\n")
    };
    made().map_err(|error| refused(say().folder_not_made(&error.to_string())))
}

const TODO: &str = "# To do\n\n- [ ] call the printer\n- [x] order paper\n- [ ] tidy this list\n";

impl Rehearsal {
    /// Starts from the beginning: the agent, the conversation, the first line.
    pub(crate) async fn begin(desk: Arc<Desk>, workspace: &Path) -> Result<Arc<Self>, ApiError> {
        let agent = AgentProfile {
            id: AgentId(*uuid::Uuid::now_v7().as_bytes()),
            revision: 1,
            name: say().rehearsal_agent(),
            instructions: String::new(),
            model: ModelChoice::Scripted,
            folder: workspace.to_string_lossy().into_owned(),
            start_mode: Mode::Default,
            rounds: DEFAULT_ROUNDS,
            sub_agents: Vec::new(),
            caps: countersign_core::run::Caps::default(),
            tools: ToolSet::All,
            policy: AgentPolicy::default(),
            commands: countersign_core::confine::CommandSettings::default(),
            servers: Vec::new(),
            asking: countersign_core::asking::ModelSettings::default(),
            reaches: countersign_core::fetch::Reaches::default(),
        };
        let id = ConversationId(*uuid::Uuid::now_v7().as_bytes());
        let new = NewConversation {
            id,
            agent: agent.id,
            title: say().rehearsal_title(),
            mode: Mode::Default,
            auto_until: None,
        };
        desk.engine.store().record(Record::Agent(Box::new(agent))).await?;
        let state = At { conversation: id.to_string(), step: 1, scene: Scene::LooksAround };
        let news = desk.engine.news();
        desk.engine.create(new).await?;
        let rehearsal = Arc::new(Self { desk, state: Mutex::new(state), skips: Notify::new() });
        tokio::spawn(direct(Arc::clone(&rehearsal), id, news));
        rehearsal.say(id, 0).await;
        Ok(rehearsal)
    }

    /// Where it stands.
    pub(crate) fn state(&self) -> RehearsalState {
        let At { conversation, step, scene } = self.state.lock().unwrap_or_else(PoisonError::into_inner).clone();
        RehearsalState { conversation, step, steps: STEPS, text: say().scene(scene) }
    }

    /// Goes on to the next step, whatever waits. It is passed by, as it would be by any new message.
    pub(crate) fn skip(&self) {
        self.skips.notify_one();
    }

    async fn say(&self, of: ConversationId, line: usize) {
        let Some((text, mode)) = LINES.get(line) else {
            return;
        };
        let input = RunInput { text: Some((*text).to_owned()), mode: *mode, ..RunInput::default() };
        if let Err(error) = self.desk.engine.input(of, Input::Start(input)).await {
            tracing::warn!(%error, "a line of the Rehearsal couldn't be said");
        }
    }

    /// Whether a standing approval is in force in the conversation, so that there is one to revoke.
    async fn has_standing(&self, of: ConversationId) -> bool {
        let standing = self.desk.engine.store().standing().await;
        standing.is_ok_and(|all| all.iter().any(|one| one.conversation == of))
    }

    fn go_to(&self, step: u32, scene: Scene) {
        {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            // A step that comes back (the agent asks again after a rejection) keeps its sentence; nothing goes back.
            if step < state.step {
                return;
            }
            (state.step, state.scene) = (step, scene);
        }
        self.desk.feed.publish(self.desk.space, FeedWhat::Rehearsal { state: Some(self.state()) });
    }
}

/// What the play waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waits {
    /// A run goes on.
    Run,
    /// Something asks.
    Answer,
    /// A standing approval is to be revoked.
    Revoked,
}

/// Follows what happens and directs: the next line when a run is done, the next sentence when something asks.
async fn direct(rehearsal: Arc<Rehearsal>, of: ConversationId, mut news: tokio::sync::broadcast::Receiver<News>) {
    let (mut line, mut waits) = (0, Waits::Run);
    loop {
        let one = tokio::select! {
            one = news.recv() => one,
            () = rehearsal.skips.notified() => {
                if waits != Waits::Run && line + 1 < LINES.len() {
                    (line, waits) = (next_step(line), Waits::Run);
                    rehearsal.say(of, line).await;
                }
                continue;
            }
            () = rehearsal.desk.closing.cancelled() => return,
        };
        let changes = match one {
            Ok(News::Committed { conversation, changes, .. }) if conversation == of => changes,
            Ok(_) => continue,
            Err(_) => return,
        };
        if waits == Waits::Revoked && changes.iter().any(|one| matches!(one, Change::StandingRevoked { .. })) {
            (line, waits) = (ONCE_MORE, Waits::Run);
            rehearsal.say(of, line).await;
            continue;
        }
        let Some(end) = ended(&changes) else { continue };
        match end {
            RunEnd::Asked => {
                waits = Waits::Answer;
                if let Some((step, scene)) = scene(line, &asked(&changes)) {
                    rehearsal.go_to(step, scene);
                }
                if line == DELETE {
                    pause(&rehearsal, BEFORE_TYPING).await;
                    (line, waits) = (DELETE + 1, Waits::Run);
                    rehearsal.say(of, line).await;
                }
            }
            RunEnd::Completed | RunEnd::Limit => {
                if line + 1 >= LINES.len() {
                    rehearsal.go_to(STEPS + 1, Scene::Over);
                    return;
                }
                if line == TWICE && rehearsal.has_standing(of).await {
                    waits = Waits::Revoked;
                    rehearsal.go_to(5, Scene::RanUnasked);
                    continue;
                }
                pause(&rehearsal, BETWEEN_LINES).await;
                line = if line == TWICE { next_step(line) } else { line + 1 };
                waits = Waits::Run;
                rehearsal.say(of, line).await;
            }
            // The person stopped it, or something broke: their screen says what to do; the play waits.
            RunEnd::Failed { .. }
            | RunEnd::WouldAsk { .. }
            | RunEnd::Cancelled
            | RunEnd::Interrupted
            | RunEnd::Forked => {
                waits = Waits::Answer;
            }
        }
    }
}

/// The line that begins the step after this one. The one that shows what revoking does belongs to the approval.
fn next_step(line: usize) -> usize {
    if line == TWICE { PLAN } else { line + 1 }
}

/// What to do now that these tools ask: the step, and what its sentence says, which names the key.
fn scene(line: usize, asked: &[String]) -> Option<(u32, Scene)> {
    let is = |tool: &str| asked.iter().any(|name| name == tool);
    match line {
        TIDY if asked.len() > 1 => Some((2, Scene::Together)),
        MAKE_ROOM => Some((3, Scene::LongCommand)),
        OVERVIEW => Some((4, Scene::HiddenCharacter)),
        TWICE => Some((5, Scene::ForConversation)),
        ONCE_MORE => Some((5, Scene::AsksAgain)),
        PLAN if is("exit_plan_mode") => Some((6, Scene::Plan)),
        DELETE => Some((7, Scene::Watch)),
        _ => None,
    }
}

async fn pause(rehearsal: &Rehearsal, wait: Duration) {
    tokio::select! {
        () = tokio::time::sleep(wait) => {}
        () = rehearsal.desk.closing.cancelled() => {}
    }
}

fn ended(changes: &[Change]) -> Option<RunEnd> {
    changes.iter().rev().find_map(|change| match change {
        Change::RunEnded { end, .. } => Some(end.clone()),
        _ => None,
    })
}

/// The tools of the calls that ask in this commit.
fn asked(changes: &[Change]) -> Vec<String> {
    changes
        .iter()
        .filter_map(|change| match change {
            Change::CallProposed { call, .. } => {
                matches!(call.state, countersign_core::call::CallState::Waiting(_)).then(|| call.tool.clone())
            }
            _ => None,
        })
        .collect()
}
