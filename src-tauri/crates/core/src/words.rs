//! The fixed texts that a model is given. All refusals have one shape (D-58); tests look for what they say, not for
//! how they say it.

use std::collections::BTreeMap;

use crate::mode::Mode;
use crate::policy::Denied;
use crate::run::Ran;

/// The person rejected the call.
pub fn rejected_by_person(reason: Option<&str>) -> String {
    with_reason("The person rejected this call. It was not executed. Don't repeat it unchanged.", reason)
}

/// What the person said along with an approval; the model reads it after the call's result (D-78).
pub fn note_on(tool: &str, note: &str) -> String {
    format!("About the call of `{}` that I approved: {note}", tool.chars().take(80).collect::<String>())
}

/// The person declined to fill in what was asked (D-49).
pub fn declined(reason: Option<&str>) -> String {
    with_reason("The person declined to answer this question.", reason)
}

/// The person sent the plan back.
pub fn plan_sent_back(reason: Option<&str>) -> String {
    with_reason("The person did not accept this plan. You are still planning: change it and hand it in again.", reason)
}

/// A rule rejected the call.
pub fn rejected_by_rule(reason: &str) -> String {
    with_reason("A rule rejected this call. It was not executed.", Some(reason))
}

/// The same call was rejected again and again (D-79).
pub const REJECTED_OFTEN: &str =
    "the person rejected this same call three times; do something else, or ask what they want";

/// The call had been approved but may not run any more (D-51).
pub const NO_LONGER_PERMITTED: &str = "This call was not executed: the tool is no longer permitted here.";

/// The tool server of a call isn't running, or isn't there any more.
pub const SERVER_ABSENT: &str = "This call was not executed: its tool server isn't running now.";

/// The tool isn't what it was when the call was proposed (D-87).
pub fn tool_changed(name: &str) -> String {
    format!(
        "This call was not executed: the server changed what `{}` is since it was asked. Look at its description again, and \
         call it anew if it is still right.",
        name.chars().take(80).collect::<String>()
    )
}

/// A call that waited along needs approval now and nobody gave it (D-51).
pub const NEEDS_APPROVAL_NOW: &str = "This call was not executed: its tool needs approval now. Call it again to ask.";

/// The process died while a reading tool ran (D-54).
pub const INTERRUPTED: &str = "This call was interrupted before it gave a result. You may call it again.";

/// The process died while a tool with effects ran (D-54).
pub const OUTCOME_UNKNOWN: &str = "This call was started and then interrupted. Its effect may or may not have \
                                   happened. Look before you repeat it.";

/// The round limit was reached (E-38).
pub const LIMIT: &str = "This call was not executed: the run's limit of tool rounds was reached.";

/// A later plan of the same response took its place (D-31).
pub const SUPERSEDED: &str = "This plan was not shown: a later one in the same response took its place.";

/// A question without anything to fill in (N-44).
pub const NO_QUESTION: &str = "This call was not executed: it asks for nothing that a person could fill in.";

/// A plan that isn't one (D-34).
pub const NO_PLAN: &str = "This call was not executed: present the plan as text in the argument `plan`.";

/// `exit_plan_mode` outside Plan mode (D-32).
pub const NOT_PLANNING: &str = "This call was not executed: exit_plan_mode is not available in this mode. Nothing \
                                needs to be handed in; go on with the work.";

/// The plan was accepted.
pub fn plan_accepted(into: Mode) -> String {
    let how = match into {
        Mode::Auto => "Calls now run without asking, except those that a rule rejects.",
        Mode::Default | Mode::Plan => "Calls that need approval ask the person one by one.",
    };
    format!("The person accepted this plan. {how} Carry it out now.")
}

/// No such tool (E-05, N-14).
pub fn unknown_tool(name: &str) -> String {
    format!("This call was not executed: there is no tool called `{}`.", name.chars().take(80).collect::<String>())
}

/// A tool that a policy gate holds back: what that gate says, and nothing of the others (N-59).
pub fn denied(name: &str, why: &Denied) -> String {
    format!("This call was not executed: `{}` may not be used here: {why}.", name.chars().take(80).collect::<String>())
}

/// A call that had been approved, whose tool isn't there any more (D-51); with the gate that holds it back, if one does.
pub fn no_longer_permitted(why: Option<&Denied>) -> String {
    match why {
        Some(why) => format!("This call was not executed: the tool is no longer permitted here: {why}."),
        None => NO_LONGER_PERMITTED.to_owned(),
    }
}

/// A tool that is hidden in Plan mode (D-37).
pub fn hidden_while_planning(name: &str) -> String {
    format!(
        "This call was not executed: `{}` is not available while planning. Investigate with the tools that you have, \
         then hand in your plan with exit_plan_mode.",
        name.chars().take(80).collect::<String>()
    )
}

/// The call can't run as it is.
pub fn fault(why: &str) -> String {
    format!("This call was not executed: {why}.")
}

/// A sub-agent was called without a task.
pub const NO_TASK: &str = "This call was not executed: say what shall be done, as text in the argument `task`.";

/// The profile of a sub-agent isn't there any more, or can't be used now.
pub const NO_AGENT: &str = "This call was not executed: the agent can't be started here now.";

/// Sub-agents go down only so far, and never through themselves.
pub const TOO_DEEP: &str = "This call was not executed: agents can't be started any further down from here.";

/// The caps of a run and everything below it (D-109).
pub const TOO_MANY_AGENTS: &str = "This call was not executed: this run has started as many agents as it may.";

/// As many background agents as may work at once (D-109).
pub const TOO_MANY_BESIDE: &str =
    "This call was not executed: as many agents work beside this run as may. Wait for one of them.";

/// A sub-agent reached the cap of its run's model calls (D-109), or its own round limit.
pub const AGENT_AT_LIMIT: &str = "It reached its limit before it was done.";

/// A sub-agent ended without a word.
pub const AGENT_SAID_NOTHING: &str = "It ended without an answer.";

/// `exit_plan_mode` below the conversation's own agent (SU-3).
pub const NOT_YOUR_PLAN: &str = "This call was not executed: hand what you found to the agent that called you; it \
                                 makes the plan.";

/// A background agent was started (D-99).
pub fn started_beside(name: &str) -> String {
    format!("Started as `{name}`. It goes on beside you, and its answer comes in as a message when it is ready.")
}

/// What the model reads of a background agent's message (D-99).
pub fn from_agent(name: &str, text: &str) -> String {
    format!("Message of the agent `{name}` that works beside you:\n{text}")
}

/// A sub-agent waits for a person, and the person goes on to something else (D-81).
pub fn moved_on(ran: &Ran) -> String {
    format!("Stopped before it finished: the person moved on. {}", executed(ran))
}

/// A sub-agent was stopped by the person (D-107).
pub fn agent_stopped(ran: &Ran) -> String {
    format!("Stopped before it finished: the person stopped it. {}", executed(ran))
}

/// A sub-agent was cut off by the end of the process (D-95).
pub fn agent_interrupted(ran: &Ran) -> String {
    format!("Interrupted before it finished. {}", executed(ran))
}

/// A sub-agent couldn't go on, because its model failed or the run did.
pub fn agent_failed(why: &str, ran: &Ran) -> String {
    format!("It failed before it finished: {why} {}", executed(ran))
}

/// A sub-agent came to a call that would have had to ask, where nobody can be asked (D-39, D-47).
pub fn agent_would_ask(tool: &str, ran: &Ran) -> String {
    let tool: String = tool.chars().take(80).collect();
    format!(
        "It failed before it finished: `{tool}` would have had to ask the person, and nobody can be asked here. {}",
        executed(ran)
    )
}

fn executed(ran: &Ran) -> String {
    let total: u32 = ran.calls.values().sum();
    if total == 0 {
        return "Nothing was executed inside it.".to_owned();
    }
    let names: Vec<String> = named(&ran.calls);
    let unknown = match ran.unknown {
        0 => String::new(),
        some => format!(", {some} of unknown outcome"),
    };
    let calls = if total == 1 { "call" } else { "calls" };
    format!("Already executed inside it: {total} {calls} ({}){unknown}.", names.join(", "))
}

fn named(calls: &BTreeMap<String, u32>) -> Vec<String> {
    calls.iter().map(|(tool, count)| if *count == 1 { tool.clone() } else { format!("{tool} ×{count}") }).collect()
}

/// What Plan mode adds to the instructions (PL-3).
pub const PLANNING: &str = "You are in plan mode. Investigate with the tools that you have; they only read. Change \
                            nothing. When you know enough, hand in your plan as Markdown with exit_plan_mode and stop.";

/// What Plan mode adds to a sub-agent's instructions (SU-2, SU-3).
pub const PLANNING_BELOW: &str = "The agent that called you is planning. Investigate with the tools that you have; they \
                                  only read. Change nothing. Answer with what you found.";

/// The same for a Quick task, where nobody takes a plan.
pub const PLANNING_ALONE: &str = "You are in plan mode, and nobody is there to take a plan. Investigate with the tools that \
                                  you have; they only read. Change nothing. Answer with what you found.";

fn with_reason(sentence: &str, reason: Option<&str>) -> String {
    match reason.map(str::trim).filter(|reason| !reason.is_empty()) {
        Some(reason) => format!("{sentence} Reason: {reason}"),
        None => sentence.to_owned(),
    }
}
