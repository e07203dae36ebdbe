//! A folder with tools in it.

use std::path::{Path, PathBuf};

use countersign_core::agent::ToolSet;
use countersign_core::change::Left;
use countersign_core::confine::{CommandSettings, Hold, Network};
use countersign_core::ids::AgentId;
use countersign_core::input::{Outcome, OutcomeKind};
use countersign_core::parse;
use countersign_core::request::Precondition;
use countersign_engine::ports::{Asks, Prepared, ToRun, Toolbox as _, Whole};
use countersign_tools::exec::ExecHelper;
use countersign_tools::toolbox::WorkspaceTools;
use countersign_tools::workspace::Opening;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

pub(crate) const BOTH: [Opening; 2] = [Opening::Kernel, Opening::ByPart];

/// `outside/` and `work/` beside each other, and tools for `work/`.
pub(crate) struct Bench {
    pub(crate) tools: WorkspaceTools,
    pub(crate) home: PathBuf,
    pub(crate) work: PathBuf,
    _folder: TempDir,
}

impl Bench {
    pub(crate) fn new(opening: Opening) -> Self {
        Self::refusing(opening, &[])
    }

    /// The refused folders are given relative to the bench's home.
    pub(crate) fn refusing(opening: Opening, refused: &[&str]) -> Self {
        Self::made(opening, refused, helper())
    }

    /// With a helper that says something else of the machine.
    pub(crate) fn helped(helper: ExecHelper) -> Self {
        Self::made(BOTH[0], &[], helper)
    }

    fn made(opening: Opening, refused: &[&str], helper: ExecHelper) -> Self {
        // Not in temp, where a command may write.
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let home = folder.path().canonicalize().unwrap();
        let work = home.join("work");
        std::fs::create_dir(&work).unwrap();
        std::fs::create_dir(home.join("outside")).unwrap();
        std::fs::write(home.join("outside/secret"), "secret").unwrap();
        let refused = refused.iter().map(|place| home.join(place)).collect();
        let tools = WorkspaceTools::new(AgentId([1; 16]), &work, refused, ToolSet::All, helper).unwrap();
        let tools = tools.with_opening(opening).unwrap();
        Self { tools, home, work, _folder: folder }
    }

    /// With other wishes for commands.
    pub(crate) fn with_commands(self, hold: Hold, network: Network) -> Self {
        Self { tools: self.tools.with_commands(CommandSettings { hold, network }), ..self }
    }

    /// For commands that can do what the person can do.
    pub(crate) fn unconfined() -> Self {
        Self::new(BOTH[0]).with_commands(Hold::Never, Network::On)
    }

    pub(crate) fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.work.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn content(&self, path: &str) -> String {
        std::fs::read_to_string(self.work.join(path)).unwrap()
    }

    pub(crate) async fn prepare(&self, tool: &str, arguments: &serde_json::Value) -> Prepared {
        self.tools.prepare(tool, &parse::arguments(&arguments.to_string()).unwrap()).await
    }

    /// Prepares and runs; a fault counts as a failure.
    pub(crate) async fn call(&self, tool: &str, arguments: serde_json::Value) -> Outcome {
        let prepared = self.prepare(tool, &arguments).await;
        match prepared.fault {
            Some(text) => Outcome { kind: OutcomeKind::Failed, text, left: None },
            None => self.run(tool, &arguments, prepared.preconditions, None).await,
        }
    }

    pub(crate) async fn run(
        &self,
        tool: &str,
        arguments: &serde_json::Value,
        preconditions: Vec<Precondition>,
        also: Option<Left>,
    ) -> Outcome {
        let call = ToRun {
            tool: tool.to_owned(),
            identity: None,
            arguments: arguments.to_string(),
            preconditions,
            also,
            asks: Asks::nobody(),
            whole: Whole::default(),
        };
        self.tools.run(call, CancellationToken::new()).await
    }

    /// Every name below the home, to see that nothing is left behind.
    pub(crate) fn names(&self) -> Vec<String> {
        fn walk(folder: &Path, home: &Path, names: &mut Vec<String>) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let entry = entry.unwrap();
                names.push(entry.path().strip_prefix(home).unwrap().to_string_lossy().into_owned());
                if entry.file_type().unwrap().is_dir() {
                    walk(&entry.path(), home, names);
                }
            }
        }
        let mut names = Vec::new();
        walk(&self.home, &self.home, &mut names);
        names.sort();
        names
    }
}

pub(crate) fn helper() -> ExecHelper {
    ExecHelper::at(helper_path())
}

/// Whether this machine holds commands in. Where it doesn't, the test goes on with what is said then, never in silence.
pub(crate) fn holds(network: Network) -> bool {
    let helper = helper();
    let offered = helper.offered();
    let found = match network {
        Network::On => &offered.files,
        Network::Off => &offered.network,
    };
    if let Err(why) = found {
        assert!(!kernel_has_landlock(), "the kernel could, so this is our fault: {why}");
        eprintln!("this machine can't hold commands in with the network {network:?}: {why}");
    }
    found.is_ok()
}

/// Asked of the kernel itself, so that a fault of ours isn't taken for an old kernel.
#[cfg(target_os = "linux")]
fn kernel_has_landlock() -> bool {
    use landlock::{ABI, Access as _, AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _};
    let asked = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    asked.handle_access(AccessFs::from_all(ABI::V1)).and_then(Ruleset::create).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn kernel_has_landlock() -> bool {
    false
}

/// `cargo test` builds the examples beside the tests.
pub(crate) fn helper_path() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let path = own.ancestors().nth(2).unwrap().join("examples/exec_helper");
    assert!(
        path.exists(),
        "{} is missing; run `cargo test -p countersign-tools` as a whole, it builds it",
        path.display()
    );
    path
}
