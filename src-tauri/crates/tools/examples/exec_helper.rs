//! Only for the tests: the exec mode as the app's own program has it, and a stand-in for the app that can be killed.

use std::path::Path;
use std::process::ExitCode;

use countersign_core::agent::ToolSet;
use countersign_core::ids::AgentId;
use countersign_core::parse;
use countersign_engine::ports::{ToRun, Toolbox as _};
use countersign_tools::exec::{ExecHelper, main_if_asked};
use countersign_tools::toolbox::WorkspaceTools;
use tokio_util::sync::CancellationToken;

/// `exec_helper FOLDER ARGUMENTS`: runs `run_command` with the arguments in the folder and writes the result.
fn main() -> ExitCode {
    if let Some(code) = main_if_asked() {
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
        let call = ToRun { tool: "run_command".to_owned(), arguments: command, preconditions, also: None };
        Ok::<_, String>(tools.run(call, CancellationToken::new()).await.text)
    });
    let written = std::fs::write(Path::new(&folder).join("result"), text.unwrap_or_else(|error| error));
    if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
