//! What may be saved as a rule. Whatever stands here is also held where a rule judges: a rule that came in another way says nothing
//! that this wouldn't let it say.

use countersign_core::tool::Tool;
use countersign_engine::ports::{GuardedCall, GuardedRun};
use serde::{Deserialize, Serialize};

use crate::command::starts_others;
use crate::judge::{COMMAND, Ready, compile};
use crate::rule::{Condition, Life, Rule, RuleTool, Scope, Test};

/// The most characters of a name.
pub const LONGEST_NAME: usize = 80;
/// The most characters of a text, a note, a value.
pub const LONGEST_TEXT: usize = 4096;
/// The most conditions, values, words and samples of one rule.
pub const MOST: usize = 50;

/// Kinds of fault in a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// It has no name, or a longer one than 80 characters.
    Name,
    /// Another rule has the name.
    NameTaken,
    /// A name can't have a comma or a quotation mark, as history lists names.
    NameSigns,
    /// An approving rule must be about one tool.
    NeedsTool,
    /// A plan is never approved by a rule.
    Plan,
    /// The tool needs no approval, so no approving rule is needed.
    RunsAnyway,
    /// The tool needs no approval, so no rule ever sees a call of it (RU-4); a rejection would be silent.
    NotSeen,
    /// An approving rule without conditions needs the tick.
    NeedsTick,
    /// Only for a rule that rejects.
    RejectOnly,
    /// The text of a command is no condition for an approval, unless it is the whole.
    FreeForm,
    /// The program starts other programs, so its first words say nothing.
    Launcher,
    /// A condition has nothing to compare with.
    Empty,
    /// Something is longer than it may be.
    TooLong,
    /// The regular expression can't be read.
    Pattern,
    /// The folder isn't one that can be compared with.
    Folder,
    /// The host isn't one.
    Host,
    /// It looks like a secret.
    Secret,
    /// It has hidden characters.
    Hidden,
    /// A sample isn't a call's arguments.
    Sample,
    /// It must match a sample and doesn't.
    SampleMissed,
    /// It must not match a sample and does.
    SampleHit,
    /// Its time is over already.
    Over,
    /// The conversation, agent or server that it names is gone.
    Gone,
    /// Only for a tool that runs commands.
    NoCommand,
}

/// One thing that is wrong with a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What.
    pub kind: FaultKind,
    /// The condition, by its place from 0; none if it isn't of one.
    pub condition: Option<usize>,
    /// What it is about: a program, a name, what the regular expression's reader said.
    pub detail: String,
}

/// What is known of the tool that a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// Whether it runs free-form commands; so does a tool that nobody knows.
    pub free_form: bool,
    /// Whether its calls need approval at all.
    pub asks: bool,
}

impl Known {
    /// What is known of a tool.
    pub fn of(tool: &Tool) -> Self {
        Self {
            free_form: tool.marks.has(countersign_core::tool::Mark::FreeForm),
            asks: countersign_core::tool::requires_approval(tool),
        }
    }
}

/// Everything that is wrong with a rule by itself. Its samples are tried by [`samples`]; whether its name is taken and what it names is
/// there, the api knows.
pub fn faults(rule: &Rule, known: Option<Known>, now: i64) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut whole = |kind, detail: &str| faults.push(Fault { kind, condition: None, detail: detail.to_owned() });
    let approves = rule.verdict.approves();
    let free_form = known.is_none_or(|known| known.free_form);
    match rule.name.chars().count() {
        0 => whole(FaultKind::Name, ""),
        count if count > LONGEST_NAME || rule.name.trim() != rule.name => whole(FaultKind::Name, ""),
        _ if rule.name.contains([',', '"', '\n']) => whole(FaultKind::NameSigns, ""),
        _ => {}
    }
    if rule.note.chars().count() > LONGEST_TEXT
        || reason(rule).chars().count() > LONGEST_TEXT
        || rule.conditions.len() > MOST
        || rule.samples.len() > MOST
    {
        whole(FaultKind::TooLong, "");
    }
    if matches!(rule.life, Life::Until { at } if at <= now) {
        whole(FaultKind::Over, "");
    }
    if let Scope::Folder { folder } = &rule.scope
        && !std::path::Path::new(folder).is_absolute()
    {
        whole(FaultKind::Folder, folder);
    }
    if !approves && known.is_some_and(|known| !known.asks) {
        whole(FaultKind::NotSeen, "");
    }
    if approves {
        match rule.tool {
            RuleTool::Any => whole(FaultKind::NeedsTool, ""),
            RuleTool::Plan => whole(FaultKind::Plan, ""),
            RuleTool::BuiltIn { .. } | RuleTool::Server { .. } => {}
        }
        if known.is_some_and(|known| !known.asks) {
            whole(FaultKind::RunsAnyway, "");
        }
        if rule.conditions.is_empty() && free_form && !rule.any_arguments {
            whole(FaultKind::NeedsTick, "");
        }
    }
    for (index, condition) in rule.conditions.iter().enumerate() {
        let mut push =
            |kind, detail: &str| faults.push(Fault { kind, condition: Some(index), detail: detail.to_owned() });
        of_condition(condition, rule, known, &mut push);
    }
    faults
}

/// Tries the samples of a rule.
pub fn samples(rule: &Rule, run: &GuardedRun, call: &dyn Fn(&str) -> Option<GuardedCall>) -> Vec<Fault> {
    let ready = Ready::new(rule.clone());
    let tried = rule.samples.iter().filter_map(|sample| {
        let fault = |kind| Fault { kind, condition: None, detail: sample.arguments.clone() };
        let Some(call) = call(&sample.arguments) else { return Some(fault(FaultKind::Sample)) };
        match (sample.matches, ready.matches(run, &call)) {
            (true, false) => Some(fault(FaultKind::SampleMissed)),
            (false, true) => Some(fault(FaultKind::SampleHit)),
            (true, true) | (false, false) => None,
        }
    });
    tried.collect()
}

/// The texts of a rule that came from elsewhere or are typed; for looking for secrets and hidden characters.
pub fn texts(rule: &Rule) -> Vec<(Option<usize>, &str)> {
    let mut texts = vec![(None, rule.name.as_str()), (None, rule.note.as_str()), (None, reason(rule))];
    if let Scope::Folder { folder } = &rule.scope {
        texts.push((None, folder));
    }
    for (index, condition) in rule.conditions.iter().enumerate() {
        let at = Some(index);
        match condition {
            Condition::Argument { path, test } => {
                texts.extend(path.iter().map(|key| (at, key.as_str())));
                match test {
                    Test::Is { value: text }
                    | Test::StartsWith { text }
                    | Test::Contains { text }
                    | Test::Pattern { pattern: text }
                    | Test::Inside { folder: text }
                    | Test::Host { host: text, .. } => texts.push((at, text)),
                    Test::OneOf { values } => texts.extend(values.iter().map(|value| (at, value.as_str()))),
                }
            }
            Condition::Words { words, flags, .. } => {
                texts.extend(words.iter().chain(flags).map(|word| (at, word.as_str())));
            }
            Condition::DownloadToShell => {}
        }
    }
    texts
}

fn reason(rule: &Rule) -> &str {
    match &rule.verdict {
        crate::rule::RuleVerdict::Reject { reason } => reason,
        crate::rule::RuleVerdict::Approve => "",
    }
}

fn of_condition(condition: &Condition, rule: &Rule, known: Option<Known>, push: &mut dyn FnMut(FaultKind, &str)) {
    let approves = rule.verdict.approves();
    let free_form = known.is_none_or(|known| known.free_form);
    match condition {
        Condition::Words { words, flags, further } => {
            if !free_form {
                push(FaultKind::NoCommand, "");
            }
            if words.is_empty() || words.iter().chain(flags).any(|word| word.trim().is_empty()) {
                push(FaultKind::Empty, "");
            } else if words.len() + flags.len() > MOST || words.iter().chain(flags).any(|word| too_long(word)) {
                push(FaultKind::TooLong, "");
            } else if approves && *further && starts_others(words) {
                push(FaultKind::Launcher, words.first().map_or("", String::as_str));
            }
        }
        Condition::DownloadToShell if approves => push(FaultKind::RejectOnly, ""),
        Condition::DownloadToShell if free_form => {}
        Condition::DownloadToShell => push(FaultKind::NoCommand, ""),
        Condition::Argument { path, test } => {
            if path.is_empty() || path.len() > MOST || path.iter().any(String::is_empty) {
                push(FaultKind::Empty, "");
            }
            let of_command = free_form && path.as_slice() == [COMMAND];
            if approves && of_command && !matches!(test, Test::Is { .. } | Test::OneOf { .. }) {
                push(FaultKind::FreeForm, "");
            }
            of_test(test, rule, approves, push);
        }
    }
}

fn of_test(test: &Test, rule: &Rule, approves: bool, push: &mut dyn FnMut(FaultKind, &str)) {
    match test {
        // The empty text is something to be; it is nothing to start with.
        Test::Is { value } if too_long(value) => push(FaultKind::TooLong, ""),
        Test::OneOf { values } if values.is_empty() => push(FaultKind::Empty, ""),
        Test::OneOf { values } if values.len() > MOST || values.iter().any(|value| too_long(value)) => {
            push(FaultKind::TooLong, "");
        }
        Test::StartsWith { text } | Test::Contains { text } if text.is_empty() => push(FaultKind::Empty, ""),
        Test::StartsWith { text } | Test::Contains { text } if too_long(text) => push(FaultKind::TooLong, ""),
        Test::Contains { .. } if approves => push(FaultKind::RejectOnly, ""),
        Test::Is { .. } | Test::OneOf { .. } | Test::StartsWith { .. } | Test::Contains { .. } => {}
        Test::Pattern { pattern } if pattern.is_empty() => push(FaultKind::Empty, ""),
        Test::Pattern { pattern } if too_long(pattern) => push(FaultKind::TooLong, ""),
        Test::Pattern { pattern } => {
            if let Err(why) = compile(pattern, approves) {
                push(FaultKind::Pattern, &why);
            }
        }
        Test::Inside { folder } => {
            if folder.trim().is_empty() {
                push(FaultKind::Empty, "");
            } else if too_long(folder) {
                push(FaultKind::TooLong, "");
            } else if folder.starts_with('~') {
                push(FaultKind::Folder, folder);
            } else if approves && !matches!(rule.tool, RuleTool::BuiltIn { .. }) {
                // Nobody has followed the links of a path that a server is given.
                push(FaultKind::RejectOnly, "");
            }
        }
        Test::Host { host, .. } => {
            let name = host.trim_end_matches('.');
            let read = url::Host::parse(name);
            if host.trim().is_empty() {
                push(FaultKind::Empty, "");
            } else if read.is_err() || name.contains(['/', '@', ' ']) {
                push(FaultKind::Host, host);
            }
        }
    }
}

fn too_long(text: &str) -> bool {
    text.chars().count() > LONGEST_TEXT
}

#[cfg(test)]
mod tests;
