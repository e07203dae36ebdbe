//! Which tools can be used with nobody there to ask? Narrows a list that the policy let through ([`crate::policy`]) to the
//! tools that never pause: neither for an approval nor for typed input (UN-2, UN-6).
//!
//! It asks [`requires_approval`] and derives nothing (UN-4). Rules don't count, because one that abstains would break the
//! promise (UN-12, D-43), and standing approvals don't, because they can be revoked while a run goes on (D-44).

use crate::mode::Mode;
use crate::offer::is_offered;
use crate::tool::{EXIT_PLAN_MODE, Mark, Tool, requires_approval};

/// What is known of the tools inside a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Inside {
    /// It has none; it is judged by itself.
    Nothing,
    /// It is an agent of its own, and everything that it is offered is unattended in turn (D-46).
    Unattended,
    /// It is an agent of its own that may ask.
    MayAsk,
}

/// Those of the names whose tool needs no person, in the given order (UN-3). The base filter: it holds in every mode and in
/// every conversation.
///
/// `inside` says of a tool what it has inside. A sub-agent is unattended only if all that it is offered is; whoever knows
/// its profile answers that by calling this filter on its tools, and so on down (D-46).
pub fn unattended(names: &[String], registered: &[Tool], inside: impl Fn(&Tool) -> Inside) -> Vec<String> {
    keep(names, registered, |tool| !requires_approval(tool) && needs_nobody(tool, &inside))
}

/// **Writes run unasked.** As [`unattended`], for a caller that runs in Auto: tools that need approval stay, because in Auto
/// they don't pause; what a rule rejects is a result and no pause. Typed input still pauses, so its tools still go (D-44,
/// D-69).
pub fn unattended_in_auto_where_writes_run_unasked(
    names: &[String],
    registered: &[Tool],
    inside: impl Fn(&Tool) -> Inside,
) -> Vec<String> {
    keep(names, registered, |tool| needs_nobody(tool, &inside))
}

/// The filter that belongs to the mode in which a caller runs: in Plan also only what Plan offers (D-44).
pub fn unattended_in(
    mode: Mode,
    names: &[String],
    registered: &[Tool],
    inside: impl Fn(&Tool) -> Inside,
) -> Vec<String> {
    match mode {
        Mode::Default => unattended(names, registered, inside),
        Mode::Auto => unattended_in_auto_where_writes_run_unasked(names, registered, inside),
        Mode::Plan => {
            let names = keep(names, registered, |tool| is_offered(tool, Mode::Plan));
            unattended(&names, registered, inside)
        }
    }
}

/// A name that isn't registered goes: nothing says that it wouldn't ask (UN-7).
fn keep(names: &[String], registered: &[Tool], stays: impl Fn(&Tool) -> bool) -> Vec<String> {
    let tool = |name: &str| registered.iter().find(|tool| tool.identity.name == name);
    names.iter().filter(|name| tool(name).is_some_and(&stays)).cloned().collect()
}

fn needs_nobody(tool: &Tool, inside: impl Fn(&Tool) -> Inside) -> bool {
    if tool.identity.name == EXIT_PLAN_MODE || tool.marks.has(Mark::NeedsInput) {
        return false;
    }
    match inside(tool) {
        Inside::Nothing | Inside::Unattended => true,
        Inside::MayAsk => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::AgentId;
    use crate::tool::{Declared, Effect, Marks, Origin, ToolIdentity, exit_plan_mode};

    fn tool(name: &str, effect: Effect, marks: &[Mark]) -> Tool {
        let origin = Origin::BuiltIn { agent: AgentId([1; 16]), root: "/w".to_owned() };
        Tool {
            identity: ToolIdentity { origin, name: name.to_owned() },
            description: String::new(),
            parameters: "{}".to_owned(),
            effect,
            marks: Marks::of(marks.iter().copied()),
        }
    }

    fn registered() -> Vec<Tool> {
        let server = Origin::Server {
            server: "s".to_owned(),
            launch: "l".to_owned(),
            definition: "d".to_owned(),
            declared: Declared::Undeclared,
        };
        let mut remote = tool("remote", Effect::Write, &[]);
        remote.identity.origin = server;
        vec![
            tool("read1", Effect::Read, &[Mark::ReadOnly]),
            tool("read2", Effect::Read, &[]),
            tool("write", Effect::Write, &[]),
            tool("set", Effect::IdempotentWrite, &[]),
            tool("marked", Effect::Read, &[Mark::RequiresApproval, Mark::ReadOnly]),
            tool("input", Effect::Read, &[Mark::NeedsInput, Mark::ReadOnly]),
            tool("helper", Effect::Read, &[]),
            remote,
            exit_plan_mode(),
        ]
    }

    /// UN-3, UN-5 to UN-7, N-96 to N-101, D-44, D-46.
    #[test]
    fn what_needs_nobody_stays_in_the_given_order() {
        let all = ["remote", "read2", "write", "ghost", "input", "read1", "marked", "set", "exit_plan_mode", "read2"];
        let names: Vec<String> = all.iter().map(|&name| name.to_owned()).collect();
        let kept = |mode| unattended_in(mode, &names, &registered(), |_| Inside::Nothing);
        assert_eq!(kept(Mode::Default), ["remote", "read2", "read1", "read2"]);
        assert_eq!(kept(Mode::Auto), ["remote", "read2", "write", "read1", "marked", "set", "read2"]);
        assert_eq!(kept(Mode::Plan), ["read1"]);
    }

    /// D-46: a sub-agent is what is inside it.
    #[test]
    fn a_sub_agent_is_as_unattended_as_what_it_is_offered() {
        let names = ["helper".to_owned(), "read1".to_owned()];
        for (inside, kept) in [(Inside::Unattended, &names[..]), (Inside::MayAsk, &names[1..])] {
            let inside = |tool: &Tool| if tool.identity.name == "helper" { inside } else { Inside::Nothing };
            assert_eq!(unattended(&names, &registered(), inside), kept);
            assert_eq!(unattended_in_auto_where_writes_run_unasked(&names, &registered(), inside), kept);
        }
    }
}
