//! Which tools a model is offered.

use crate::mode::Mode;
use crate::tool::{Mark, Origin, Tool, exit_plan_mode};

/// The tools of a mode in the conversation's own thread: all of the agent's in Default and Auto; in Plan only those with the read-only mark, and
/// `exit_plan_mode` (MO-3 to MO-5, PL-2, PL-11).
pub fn offer(tools: &[Tool], mode: Mode) -> Vec<Tool> {
    match mode {
        Mode::Default | Mode::Auto => tools.to_vec(),
        Mode::Plan => {
            let mut offered: Vec<Tool> = tools.iter().filter(|tool| is_offered(tool, mode)).cloned().collect();
            offered.push(exit_plan_mode());
            offered
        }
    }
}

/// The tools of a sub-agent in a mode. It is never offered `exit_plan_mode`: its caller hands in the plan (SU-2, SU-3).
pub fn offer_below(tools: &[Tool], mode: Mode) -> Vec<Tool> {
    tools.iter().filter(|tool| is_offered(tool, mode)).cloned().collect()
}

/// Whether a tool of the agent is offered in a mode. Sub-agents are in Plan too, without any mark: they plan with it (SU-1).
pub fn is_offered(tool: &Tool, mode: Mode) -> bool {
    match mode {
        Mode::Default | Mode::Auto => true,
        Mode::Plan => tool.marks.has(Mark::ReadOnly) || matches!(tool.identity.origin, Origin::SubAgent { .. }),
    }
}
