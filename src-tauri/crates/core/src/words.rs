//! The fixed texts that a model is given. All refusals have one shape (D-58); tests look for what they say, not for
//! how they say it.

use crate::mode::Mode;

/// The person rejected the call.
pub fn rejected_by_person(reason: Option<&str>) -> String {
    with_reason("The person rejected this call. It was not executed.", reason)
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

/// What Plan mode adds to the instructions (PL-3).
pub const PLANNING: &str = "You are in plan mode. Investigate with the tools that you have; they only read. Change \
                            nothing. When you know enough, hand in your plan as Markdown with exit_plan_mode and stop.";

fn with_reason(sentence: &str, reason: Option<&str>) -> String {
    match reason.map(str::trim).filter(|reason| !reason.is_empty()) {
        Some(reason) => format!("{sentence} Reason: {reason}"),
        None => sentence.to_owned(),
    }
}
