//! The person's own rules, what runs without asking, and why a call is decided as it is.

use countersign_rules::check::FaultKind;
use countersign_rules::command::NotPlain;
use countersign_rules::rule::{Condition, Rule, RuleTool, Scope};
use serde::{Deserialize, Serialize};

use super::inbox::{Mode, Reach};
use super::text::Shown;

/// All rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct RuleList {
    /// Those that reject first, then those that approve; each in the order in which they were made.
    pub rows: Vec<RuleRow>,
    /// How many stored rules can't be read. While there is one, every call that needs approval asks.
    pub unreadable: u32,
    /// Whether the shipped rules aren't all there.
    pub shipped_missing: bool,
}

/// A rule as it is listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct RuleRow {
    /// The rule, for editing.
    pub rule: Rule,
    /// Its texts for showing.
    pub shown: RuleShown,
    /// How many decisions it made.
    pub matches: i64,
    /// When it made the last one.
    pub last_at: Option<i64>,
    /// Whether it has decided nothing for 90 days.
    pub unused: bool,
}

/// The texts of a rule as they are displayed; what a model or a server wrote once stands in them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct RuleShown {
    /// Its name.
    pub name: Shown,
    /// The tool; empty for any, and for the plan.
    pub tool: Shown,
    /// The person's name of the server that the tool is of.
    pub server: Option<Shown>,
    /// The conditions, in their order.
    pub conditions: Vec<ConditionShown>,
    /// The conversation, agent or folder in which it holds; none for everywhere, and for what is gone.
    pub place: Option<Shown>,
    /// What the person wrote to it.
    pub note: Shown,
    /// What the agent is told.
    pub reason: Shown,
}

/// The texts of a condition as they are displayed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct ConditionShown {
    /// The argument's key, or empty.
    pub key: Shown,
    /// What it is compared with; several for *one of*, the words of a command, then its flags.
    pub values: Vec<Shown>,
}

/// What a rule is made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case", tag = "from")]
pub enum RuleSource {
    /// A request that waits, or a call of history.
    Call {
        /// The request, or the call.
        id: String,
    },
    /// Several calls of the same tool: the rule fits all of them.
    Calls {
        /// The requests, or the calls; 50 at most.
        ids: Vec<String>,
    },
    /// A rule that is there, for editing.
    Rule {
        /// Which.
        id: String,
    },
    /// Nothing: an empty rule.
    Nothing,
}

/// What the builder starts with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct RuleDraft {
    /// The rule with the narrowest conditions on.
    pub rule: Rule,
    /// Whether a verdict is chosen already; for a call with a red fact the person chooses.
    pub chosen: bool,
    /// The call that it is made from, in words: "Run a command".
    pub verb: Shown,
    /// And its target.
    pub target: Shown,
    /// The conditions that can be made from the real arguments, the narrowest first.
    pub offers: Vec<ConditionOffer>,
    /// The tools that it can be about.
    pub tools: Vec<ToolOffer>,
    /// Where it can hold, the narrowest first.
    pub places: Vec<PlaceOffer>,
    /// Whether the tool runs free-form commands.
    pub free_form: bool,
    /// Why conditions for an approval can't be made from this command; none if they can, or it is no command.
    pub unreadable: Option<NotPlain>,
    /// The names that a rule here can't have.
    pub taken: Vec<String>,
}

/// A condition that is offered as a chip.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct ConditionOffer {
    /// The condition.
    pub condition: Condition,
    /// Its texts.
    pub shown: ConditionShown,
    /// Whether it is on in the draft.
    pub on: bool,
    /// Whether an approving rule may have it.
    pub approves: bool,
    /// Offers of one group say the same of one argument, wider and wider; one of them is on at most.
    pub group: u32,
}

/// A tool that a rule can be about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct ToolOffer {
    /// The tool.
    pub tool: RuleTool,
    /// Its name.
    pub shown: Shown,
    /// The person's name of its server.
    pub server: Option<Shown>,
    /// Whether it runs free-form commands.
    pub free_form: bool,
}

/// A place in which a rule can hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct PlaceOffer {
    /// The place.
    pub scope: Scope,
    /// Its name; none for everywhere.
    pub shown: Option<Shown>,
}

/// What the builder shows under the sentence while a rule is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct RuleLook {
    /// Why it can't be saved; empty if it can.
    pub faults: Vec<RuleFault>,
    /// Its texts.
    pub shown: RuleShown,
    /// Whether it matches the call that it is made from; none if it is made from none.
    pub front: Option<bool>,
    /// What it would have done; none while it can't be saved.
    pub past: Option<DryRun>,
    /// Names of rules in force that would win over it where both match, as they reject.
    pub beaten_by: Vec<Shown>,
    /// Whether a server's tool changed since the approving rule was bound to it.
    pub lost: bool,
}

/// What is wrong with a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct RuleFault {
    /// What.
    pub kind: FaultKind,
    /// The condition, by its place from 0; none if it isn't of one.
    pub condition: Option<u32>,
    /// What it is about, for showing: a program, a name, what the regular expression's reader said.
    pub detail: Shown,
}

/// What a rule would have done in the last days.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct DryRun {
    /// How many days back.
    pub days: u32,
    /// How many calls that need approval there were.
    pub calls: i64,
    /// How many of them it would have decided.
    pub matched: i64,
    /// Of how many of those the person decided otherwise.
    pub against: i64,
    /// Those, and then others that it would have decided; some of them, newest first.
    pub rows: Vec<DryRow>,
    /// Calls whose arguments aren't stored any more, of which it can't be said.
    pub untold: i64,
    /// Calls beyond those that were looked at.
    pub beyond: i64,
}

/// A past call that a rule would have decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct DryRow {
    /// The call.
    pub id: String,
    /// When it was decided.
    pub at: i64,
    /// In which conversation.
    pub title: Shown,
    /// In words.
    pub verb: Shown,
    /// Its target.
    pub target: Shown,
    /// Whether the person decided otherwise.
    pub against: bool,
    /// What was decided: "Approved", "Rejected", "ran".
    pub decision: Shown,
}

/// What came of saving.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct RuleSaved {
    /// As it is stored now; none if it wasn't.
    pub row: Option<RuleRow>,
    /// Why not.
    pub faults: Vec<RuleFault>,
}

/// A tool and what would become of its calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct RunsRow {
    /// The tool.
    pub tool: Shown,
    /// The person's name of its server.
    pub server: Option<Shown>,
    /// What becomes of a call that no rule and no exact standing approval is about.
    pub verdict: RunsVerdict,
    /// Why.
    pub cause: RunsCause,
    /// Why it isn't offered, in the gates' words; empty if it is.
    pub gate: Shown,
    /// Rules that let some or all of its calls run.
    pub approving: Vec<Shown>,
    /// Rules that reject some or all of its calls.
    pub rejecting: Vec<Shown>,
    /// Their ids.
    pub rejecting_rules: Vec<String>,
    /// How many standing approvals for exact calls there are.
    pub exact: u32,
    /// It runs unasked whatever it does, as nobody said anything about it.
    pub undeclared: bool,
}

/// What becomes of a tool's calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum RunsVerdict {
    /// They ask.
    Asks,
    /// They ask for input, in every mode.
    AsksInput,
    /// They run.
    Runs,
    /// A rule rejects all of them.
    Rejected,
    /// The agent isn't offered the tool.
    NotOffered,
}

/// Why a tool's calls run or ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum RunsCause {
    /// The tool isn't marked for approval.
    NotMarked,
    /// The person said that calls of this server's tool run free.
    RunsFree,
    /// A rule lets all of its calls run.
    Rule,
    /// A standing approval for any arguments.
    Standing,
    /// The mode is Auto.
    Auto,
    /// It needs approval, and the mode asks.
    Approval,
    /// A person fills in its input.
    Input,
    /// Plan mode hides what isn't marked read-only.
    Plan,
    /// A policy gate.
    Gate,
    /// It is a plan: always a person's.
    PlanWaits,
}

/// Why a call is decided as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct RuleTrace {
    /// What every rule that is about it says, in order.
    pub rows: Vec<TraceRow>,
    /// The standing approval that covers it.
    pub standing: Option<Reach>,
    /// The mode that would be asked last.
    pub mode: Mode,
    /// What comes out.
    pub outcome: TraceOutcome,
    /// Why it can't be looked at: no such tool, or no arguments; empty if it can.
    pub fault: Shown,
}

/// What one rule says of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct TraceRow {
    /// The rule.
    pub name: Shown,
    /// What it says.
    pub says: TraceSays,
    /// The reason that it gives, or why it failed.
    pub reason: Shown,
}

/// What a rule says of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum TraceSays {
    /// It doesn't match.
    Abstains,
    /// It lets it run.
    Approves,
    /// It rejects it.
    Rejects,
    /// It couldn't be evaluated, so a person is asked.
    Failed,
}

/// What comes out of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum TraceOutcome {
    /// It would ask.
    Asks,
    /// It would ask for input.
    AsksInput,
    /// It would be rejected.
    Rejected,
    /// It runs: the tool isn't marked for approval.
    RunsUnmarked,
    /// It runs: a rule.
    RunsByRule,
    /// It runs: a standing approval.
    RunsByStanding,
    /// It runs: the mode is Auto.
    RunsByAuto,
    /// It isn't looked at: the tool isn't offered here, or it can't be read.
    NotLookedAt,
}

/// A call that is approved again and again, for which a rule could be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct RuleHint {
    /// The latest of these calls.
    pub call: String,
    /// In words.
    pub verb: Shown,
    /// Its target.
    pub target: Shown,
    /// How often in the last week.
    pub times: i64,
    /// What to send to have it never shown again.
    pub key: String,
}

/// A call as it can be tried again with rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
pub struct CallText {
    /// Its conversation; none if that is gone.
    pub conversation: Option<String>,
    /// The tool's name.
    pub tool: String,
    /// Its arguments, as JSON; none if they aren't stored any more.
    pub arguments: Option<String>,
}
