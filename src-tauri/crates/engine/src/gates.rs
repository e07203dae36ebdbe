//! The policy gates where a run gets its tools: what the toolbox has, what the person switched, what the profile says, and
//! what the run itself may use. Asked anew for every step, so that what was switched off counts for the very next call
//! (D-51).

use countersign_core::agent::{AgentProfile, ToolSet};
use countersign_core::policy::{Explained, Gates, Registered, Switches, explain, offerable};
use countersign_core::tool::Tool;

use crate::ports::Toolbox;

/// The tools of an agent right now, and what the gates say of every tool that there is.
pub(crate) struct Gated {
    pub(crate) tools: Vec<Tool>,
    pub(crate) explained: Vec<Explained>,
}

/// What the gates let through of what there is, at most what `only` allows (N-65).
pub(crate) fn gated(registered: &[Registered], switches: &Switches, profile: &AgentProfile, only: &ToolSet) -> Gated {
    let gates = Gates { switches, tools: &profile.tools, policy: &profile.policy };
    Gated { tools: offerable(only, registered, gates), explained: explain(&ToolSet::All, registered, gates) }
}

/// What a toolbox has, with each tool's place.
pub fn registered(toolbox: &dyn Toolbox) -> Vec<Registered> {
    let place = |tool: Tool| Registered { place: toolbox.place(&tool.identity.name), tool };
    toolbox.tools().into_iter().map(place).collect()
}
