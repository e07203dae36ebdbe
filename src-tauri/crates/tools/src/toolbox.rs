//! The tools of one agent profile in its workspace folder, as the engine asks for them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use countersign_core::agent::ToolSet;
use countersign_core::change::Left;
use countersign_core::confine::{self, CommandSettings, Confinement};
use countersign_core::fetch::Reaches;
use countersign_core::ids::AgentId;
use countersign_core::input::{Outcome, OutcomeKind};
use countersign_core::parse::{self, Tree};
use countersign_core::policy::Place;
use countersign_core::request::Precondition;
use countersign_core::tool::Tool;
use countersign_engine::ports::{Prepared, ToRun, Toolbox};
use tokio_util::sync::CancellationToken;

use crate::exec::{ExecHelper, command, environment};
use crate::fault::Fault;
use crate::fetch::{self, Fetcher};
use crate::shape::{Asked, DEFAULT_SECONDS, Kind};
use crate::workspace::{Opening, Workspace};
use crate::write::{Target, put, target};
use crate::{list, read, search};

/// The most bytes of a file's content that are handed out to show a difference.
const MOST_BEFORE: usize = 1024 * 1024;
/// How long a file tool may take to end once it is stopped (D-91).
const STOP_GRACE: Duration = Duration::from_secs(5);

/// The workspace tools of one agent profile.
#[derive(Debug)]
pub struct WorkspaceTools {
    agent: AgentId,
    workspace: Arc<Workspace>,
    chosen: ToolSet,
    helper: ExecHelper,
    commands: CommandSettings,
    reaches: Reaches,
}

impl WorkspaceTools {
    /// Opens the folder and offers the chosen tools in it. `refused` are the folders that no tool may touch.
    ///
    /// # Errors
    /// Words for the person; see [`crate::refused::check_workspace`].
    pub fn new(
        agent: AgentId,
        folder: &Path,
        refused: Vec<PathBuf>,
        chosen: ToolSet,
        helper: ExecHelper,
    ) -> Result<Self, String> {
        let workspace = Arc::new(Workspace::open(folder, refused)?);
        Ok(Self { agent, workspace, chosen, helper, commands: CommandSettings::default(), reaches: Reaches::default() })
    }

    /// The same tools, with what the person wants for commands.
    #[must_use]
    pub fn with_commands(self, commands: CommandSettings) -> Self {
        Self { commands, ..self }
    }

    /// The same tools, with where the person lets fetches go.
    #[must_use]
    pub fn with_reach(self, reaches: Reaches) -> Self {
        Self { reaches, ..self }
    }

    /// The same tools with another way of opening files; the tests run both.
    ///
    /// # Errors
    /// Words, if the folder can't be opened again.
    pub fn with_opening(self, opening: Opening) -> Result<Self, String> {
        let refused = self.workspace.refused().places().to_vec();
        let workspace = Workspace::open(self.workspace.path(), refused)?.with_opening(opening);
        Ok(Self { workspace: Arc::new(workspace), ..self })
    }

    fn chosen(&self, name: &str) -> Result<Kind, String> {
        let kind = Kind::named(name).filter(|_| self.chosen.has(name));
        kind.ok_or_else(|| format!("there is no tool `{name}`"))
    }

    fn root(&self) -> String {
        self.workspace.path().to_string_lossy().into_owned()
    }
}

#[async_trait]
impl Toolbox for WorkspaceTools {
    fn tools(&self) -> Vec<Tool> {
        let root = self.root();
        let chosen = Kind::ALL.into_iter().filter(|kind| self.chosen.has(kind.name()));
        chosen.map(|kind| kind.tool(self.agent, &root)).collect()
    }

    fn place(&self, tool: &str) -> Place {
        match Kind::named(tool) {
            // What lies on the person's own networks is theirs.
            Some(Kind::Fetch) => Place { data: self.reaches.data(), ..Kind::Fetch.place() },
            Some(kind) => kind.place(),
            None => Place::UNCLASSIFIED,
        }
    }

    async fn prepare(&self, tool: &str, arguments: &Tree) -> Prepared {
        let asked = match self.chosen(tool).and_then(|kind| kind.read(arguments)) {
            Ok(asked) => asked,
            Err(fault) => {
                return Prepared { fault: Some(fault), ..Prepared::default() };
            }
        };
        if let Asked::Fetch { url, .. } = &asked {
            let fault = fetch::target(url, self.reaches).err();
            return Prepared { fault, ..Prepared::default() };
        }
        let workspace = Arc::clone(&self.workspace);
        let (helper, commands) = (self.helper.clone(), self.commands);
        let looked = tokio::task::spawn_blocking(move || {
            if let Asked::Command { .. } = asked {
                let (_, preconditions) = surroundings(&workspace, &helper, commands)?;
                return Ok(Prepared { preconditions, ..Prepared::default() });
            }
            look(&workspace, &asked)
        });
        let looked = looked.await;
        let looked = looked.unwrap_or_else(|_| Err("the call could not be looked at".to_owned()));
        looked.unwrap_or_else(|fault| Prepared { fault: Some(fault), ..Prepared::default() })
    }

    async fn run(&self, call: ToRun, stop: CancellationToken) -> Outcome {
        let asked = self.chosen(&call.tool).and_then(|kind| {
            let tree = parse::arguments(&call.arguments).map_err(|fault| fault.to_string())?;
            kind.read(&tree)
        });
        let asked = match asked {
            Ok(asked) => asked,
            Err(fault) => return failed(fault),
        };
        if let Asked::Command { command, timeout_s } = asked {
            return self.command(&call, &command, timeout_s, stop).await;
        }
        if let Asked::Fetch { url, max_bytes } = asked {
            return Fetcher::new(self.reaches).fetch(&url, max_bytes, &call.whole, stop).await;
        }
        let workspace = Arc::clone(&self.workspace);
        // Dropping this future ends the work too: a search stops, a write that isn't renamed yet goes away.
        let halt = stop.child_token();
        let _halt_on_drop = halt.clone().drop_guard();
        let work = tokio::task::spawn_blocking(move || act(&workspace, &call, &asked, &halt));
        tokio::pin!(work);
        let done = tokio::select! {
            done = &mut work => Some(done),
            () = async { stop.cancelled().await; tokio::time::sleep(STOP_GRACE).await } => None,
        };
        match done {
            Some(Ok(outcome)) => outcome,
            Some(Err(_)) => outcome(OutcomeKind::Unknown, "the tool failed in a way that it didn't foresee".to_owned()),
            None => outcome(
                OutcomeKind::Unknown,
                "stopped; it didn't end in 5 s, so its effect may have happened".to_owned(),
            ),
        }
    }
}

impl WorkspaceTools {
    async fn command(&self, call: &ToRun, line: &str, timeout_s: Option<u64>, stop: CancellationToken) -> Outcome {
        let (workspace, helper, commands) = (Arc::clone(&self.workspace), self.helper.clone(), self.commands);
        let now = tokio::task::spawn_blocking(move || surroundings(&workspace, &helper, commands)).await;
        let (place, now) = match now {
            Ok(Ok(now)) => now,
            Ok(Err(fault)) => return outcome(OutcomeKind::ChangedSinceAsked, fault),
            Err(_) => return failed("the call could not be looked at".to_owned()),
        };
        // D-73, D-85: it runs where it was asked for, or not at all.
        if let Some(other) = now.iter().find(|one| !call.preconditions.contains(one)) {
            let text =
                format!("{} changed since you asked, so nothing was done; call it again to ask anew", part(other));
            return outcome(OutcomeKind::ChangedSinceAsked, text);
        }
        if stop.is_cancelled() {
            return outcome(OutcomeKind::Stopped, "stopped before the command was started".to_owned());
        }
        let limit = Duration::from_secs(timeout_s.unwrap_or(DEFAULT_SECONDS));
        let Surroundings { confinement, environment } = place;
        let (helper, workspace) = (&self.helper, &*self.workspace);
        let whole = call.whole.clone();
        let start = command::Start { helper, workspace, command: line, limit, confinement, environment, whole };
        command::run(start, stop).await
    }
}

/// Where a command runs beside its folder.
struct Surroundings {
    confinement: Confinement,
    environment: Vec<(OsString, OsString)>,
}

/// Where a command would run now, and that as what it is asked under (D-73).
fn surroundings(
    workspace: &Workspace,
    helper: &ExecHelper,
    commands: CommandSettings,
) -> Result<(Surroundings, Vec<Precondition>), String> {
    workspace.still_there().map_err(|fault| fault.to_string())?;
    let path = workspace.path().to_string_lossy().into_owned();
    let confinement = confine::decide(commands, helper.offered()).map_err(|fault| fault.to_string())?;
    let environment = environment::of_command(std::env::vars_os(), workspace.refused());
    let preconditions = vec![
        Precondition::Folder { path },
        Precondition::Environment { sha256: environment::hash(&environment) },
        Precondition::Confined { confinement },
    ];
    Ok((Surroundings { confinement, environment }, preconditions))
}

/// What has changed, in words.
fn part(precondition: &Precondition) -> &'static str {
    match precondition {
        Precondition::File { .. } => "a file",
        Precondition::Folder { .. } => "the working folder",
        Precondition::Environment { .. } => "the environment of commands",
        Precondition::Confined { .. } => "what commands are confined to",
    }
}

/// Looks at a call without doing it.
fn look(workspace: &Workspace, asked: &Asked) -> Result<Prepared, String> {
    let words = |fault: Fault| fault.to_string();
    match asked {
        Asked::List { path, .. } => in_reach(workspace, path.as_deref().unwrap_or(".")),
        Asked::Read { path, .. } => in_reach(workspace, path),
        Asked::Search { pattern, path, .. } => {
            search::pattern(pattern)?;
            in_reach(workspace, path.as_deref().unwrap_or("."))
        }
        Asked::Write { path, .. } => Ok(prepared(&target(workspace, path).map_err(words)?)),
        Asked::Edit { path, old_text, .. } => {
            let target = target(workspace, path).map_err(words)?;
            only_place(target.text().map_err(words)?, path, old_text)?;
            Ok(prepared(&target))
        }
        Asked::Ask { schema } => Ok(Prepared { schema: Some(schema.clone()), ..Prepared::default() }),
        // What matters of a command is where it runs, of an address what it says; they never come here.
        Asked::Command { .. } | Asked::Fetch { .. } => Err("it can't be looked at here".to_owned()),
    }
}

/// For a read: whether its path can be opened at all. What isn't there may be there when it runs.
fn in_reach(workspace: &Workspace, path: &str) -> Result<Prepared, String> {
    match workspace.way(path).and_then(|way| workspace.look(&way)) {
        Ok(_) | Err(Fault::Absent(_)) => Ok(Prepared::default()),
        Err(fault) => Err(fault.to_string()),
    }
}

fn prepared(target: &Target) -> Prepared {
    let before = target.text().ok().flatten().filter(|text| text.len() <= MOST_BEFORE).map(str::to_owned);
    let precondition = Precondition::File { path: target.relative.clone(), content: target.hash() };
    Prepared { preconditions: vec![precondition], before, ..Prepared::default() }
}

/// Does a file call.
fn act(workspace: &Workspace, call: &ToRun, asked: &Asked, stop: &CancellationToken) -> Outcome {
    let looked = match asked {
        Asked::List { path, depth } => list::list(workspace, path.as_deref(), *depth, stop),
        Asked::Read { path, offset, limit } => read::read(workspace, path, *offset, *limit, stop),
        Asked::Search { pattern, path, include } => match search::pattern(pattern) {
            Ok(pattern) => search::search(workspace, &pattern, path.as_deref(), include.as_deref(), stop),
            Err(fault) => return failed(fault),
        },
        Asked::Write { path, content } => return write(workspace, call, path, content, stop),
        Asked::Edit { path, old_text, new_text } => return edit(workspace, call, path, [old_text, new_text], stop),
        // These aren't file work; they never come here.
        Asked::Command { .. } | Asked::Fetch { .. } => return failed("it can't be run here".to_owned()),
        Asked::Ask { .. } => return failed("a question is answered, not run".to_owned()),
    };
    match looked {
        Ok(text) => outcome(OutcomeKind::Succeeded, text),
        Err(Fault::Stopped) => outcome(OutcomeKind::Stopped, "stopped".to_owned()),
        Err(fault) => failed(fault.to_string()),
    }
}

fn write(workspace: &Workspace, call: &ToRun, path: &str, content: &str, stop: &CancellationToken) -> Outcome {
    match unchanged(workspace, call, path) {
        Ok(target) => {
            let made = if target.hash().is_some() { "wrote" } else { "made" };
            let size = read::grouped(content.len() as u64);
            wrote(put(workspace, target, content.as_bytes(), stop), |left| {
                format!("{made} `{}` with {size} bytes", left.path)
            })
        }
        Err(outcome) => outcome,
    }
}

fn edit(
    workspace: &Workspace,
    call: &ToRun,
    path: &str,
    [old, new]: [&String; 2],
    stop: &CancellationToken,
) -> Outcome {
    let target = match unchanged(workspace, call, path) {
        Ok(target) => target,
        Err(outcome) => return outcome,
    };
    let edited = target.text().map_err(|fault| fault.to_string()).and_then(|text| {
        let (before, after) = only_place(text, path, old)?;
        Ok((format!("{before}{new}{after}"), before.matches('\n').count() + 1))
    });
    match edited {
        Ok((text, line)) => wrote(put(workspace, target, text.as_bytes(), stop), |left| {
            format!("edited `{}` at line {line}", left.path)
        }),
        Err(fault) => failed(fault),
    }
}

/// The target, if what was true at ask time still holds (D-85), or what this batch's own edit left there (D-98).
fn unchanged(workspace: &Workspace, call: &ToRun, path: &str) -> Result<Target, Outcome> {
    let asked = call.preconditions.iter().find_map(|precondition| match precondition {
        Precondition::File { path, content } => Some((path, content)),
        Precondition::Folder { .. } | Precondition::Environment { .. } | Precondition::Confined { .. } => None,
    });
    let Some((resolved, content)) = asked else {
        return Err(failed(format!("nothing says what `{path}` held when this was asked, so nothing was done")));
    };
    let target = target(workspace, path).map_err(|fault| match fault {
        Fault::System { .. } | Fault::RootGone(_) | Fault::Moved(_) => failed(fault.to_string()),
        // It could be written at ask time, so whatever is in the way came since.
        now => outcome(OutcomeKind::ChangedSinceAsked, format!("{}; now {now}", changed(&format!("`{path}`")))),
    })?;
    let now = target.hash();
    let own = |left: &Left| left.path == target.relative && Some(&left.content) == now.as_ref();
    if target.relative == *resolved && (now == *content || call.also.as_ref().is_some_and(own)) {
        return Ok(target);
    }
    Err(outcome(OutcomeKind::ChangedSinceAsked, changed(&format!("`{path}`"))))
}

fn changed(what: &str) -> String {
    format!("{what} changed since you asked, so nothing was done; read it again")
}

fn wrote(done: Result<Left, Fault>, says: impl FnOnce(&Left) -> String) -> Outcome {
    match done {
        Ok(left) => Outcome { kind: OutcomeKind::Succeeded, text: says(&left), left: Some(left) },
        Err(fault @ Fault::Changed(_)) => outcome(OutcomeKind::ChangedSinceAsked, fault.to_string()),
        Err(fault @ Fault::Stopped) => outcome(OutcomeKind::Stopped, fault.to_string()),
        Err(fault) => failed(fault.to_string()),
    }
}

/// What stands before and after the one place where the text stands.
fn only_place<'a>(text: Option<&'a str>, path: &str, old: &str) -> Result<(&'a str, &'a str), String> {
    let text = text.ok_or_else(|| format!("`{path}` doesn't exist; write_file makes a file"))?;
    let Some(at) = text.find(old) else {
        let windows = !old.contains('\r') && text.contains(&old.replace('\n', "\r\n"));
        let hint = if windows { "; its lines end in \\r\\n, so `old_text` must have that too" } else { "" };
        return Err(format!("`old_text` doesn't stand in `{path}`{hint}"));
    };
    // Places may overlap, so the next search starts one character further.
    let next = at + old.chars().next().map_or(1, char::len_utf8);
    if text.get(next..).is_some_and(|rest| rest.contains(old)) {
        return Err(format!("`old_text` stands in `{path}` more than once; give more of what is around it"));
    }
    Ok((text.get(..at).unwrap_or_default(), text.get(at + old.len()..).unwrap_or_default()))
}

fn outcome(kind: OutcomeKind, text: String) -> Outcome {
    Outcome { kind, text, left: None }
}

fn failed(text: String) -> Outcome {
    outcome(OutcomeKind::Failed, text)
}
