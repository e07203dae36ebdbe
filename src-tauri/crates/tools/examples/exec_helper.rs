//! Only for the tests: the exec mode as the app's own program has it, and a stand-in for the app that can be killed.

use std::path::Path;
use std::process::ExitCode;

use countersign_core::agent::ToolSet;
use countersign_core::ids::AgentId;
use countersign_core::parse;
use countersign_engine::ports::{Asks, ToRun, Toolbox as _, Whole};
use countersign_tools::exec::{ExecHelper, main_if_asked};
use countersign_tools::toolbox::WorkspaceTools;
use tokio_util::sync::CancellationToken;

/// Called by the name `in_layers`: starts itself again under as many layers of Landlock as there can be, so that nothing below
/// can hold itself in any more.
#[cfg(target_os = "linux")]
fn in_layers() -> Option<ExitCode> {
    use std::os::unix::process::CommandExt as _;

    use landlock::{AccessFs, PathBeneath, PathFd, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _};

    let mut arguments = std::env::args_os();
    if !Path::new(&arguments.next()?).ends_with("in_layers") {
        return None;
    }
    let layer = || {
        let rules = Ruleset::default().handle_access(AccessFs::MakeBlock).ok()?.create().ok()?;
        let all = PathBeneath::new(PathFd::new("/").ok()?, AccessFs::MakeBlock);
        rules.add_rule(all).ok()?.restrict_self().ok()
    };
    while layer().is_some() {}
    let _ = std::process::Command::new("/proc/self/exe").args(arguments).exec();
    Some(ExitCode::from(2))
}

#[cfg(not(target_os = "linux"))]
fn in_layers() -> Option<ExitCode> {
    None
}

/// `exec_helper FOLDER ARGUMENTS`: runs `run_command` with the arguments in the folder and writes the result.
fn main() -> ExitCode {
    if let Some(code) = in_layers().or_else(main_if_asked) {
        return code;
    }
    let mut arguments = std::env::args().skip(1);
    let (Some(folder), Some(command)) = (arguments.next(), arguments.next()) else {
        return ExitCode::from(2);
    };
    let Ok(runtime) = tokio::runtime::Builder::new_multi_thread().enable_all().build() else {
        return ExitCode::from(2);
    };
    let text = runtime.block_on(async {
        let helper = ExecHelper::this_program().map_err(|error| error.to_string())?;
        let tools = WorkspaceTools::new(AgentId([1; 16]), Path::new(&folder), vec![], ToolSet::All, helper)?;
        let tree = parse::arguments(&command).map_err(|fault| fault.to_string())?;
        let preconditions = tools.prepare("run_command", &tree).await.preconditions;
        let call = ToRun {
            tool: "run_command".to_owned(),
            identity: None,
            arguments: command,
            preconditions,
            also: None,
            asks: Asks::nobody(),
            whole: Whole::default(),
        };
        Ok::<_, String>(tools.run(call, CancellationToken::new()).await.text)
    });
    let written = std::fs::write(Path::new(&folder).join("result"), text.unwrap_or_else(|error| error));
    if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
