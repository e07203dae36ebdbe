//! What a rule says of a call.
//!
//! A rule that approves abstains in every doubt. A rule that rejects fails in doubt, which makes a person be asked (D-17).

use std::path::Path;

use countersign_core::input::{GuardVerdict, Verdict};
use countersign_core::parse::{Tree, to_text};
use countersign_core::request::Precondition;
use countersign_core::tool::{Mark, Origin};
use countersign_engine::ports::{GuardedCall, GuardedRun};
use regex::{Regex, RegexBuilder};

use crate::command::{Found, Read, downloads_into_shell, runs, starts_others};
use crate::rule::{Condition, Rule, RuleTool, RuleVerdict, Scope, Test};

mod place;

/// The argument that holds a command, of tools that run free-form commands.
pub const COMMAND: &str = "command";

/// How large a compiled pattern may be, in bytes.
const PATTERN_SIZE: usize = 1 << 20;

/// A rule that is ready to be asked: its patterns are compiled.
#[derive(Debug, Clone)]
pub struct Ready {
    rule: Rule,
    /// One a condition that has one.
    patterns: Vec<Option<Regex>>,
    /// Whether each pattern could be compiled.
    whole: bool,
}

/// Compiles a pattern: for an approval it must fit the whole text, for a rejection some part.
///
/// # Errors
/// What the reader of regular expressions says.
pub fn compile(pattern: &str, approves: bool) -> Result<Regex, String> {
    let text = if approves { format!(r"\A(?:{pattern})\z") } else { pattern.to_owned() };
    // The bare pattern first: `a)|(b` must not become two by the group around it.
    RegexBuilder::new(pattern).size_limit(PATTERN_SIZE).build().map_err(|error| error.to_string())?;
    RegexBuilder::new(&text).size_limit(PATTERN_SIZE).build().map_err(|error| error.to_string())
}

impl Ready {
    /// Makes a rule ready. A pattern that can't be compiled, from a database of another version, makes it fail where it would be
    /// asked.
    pub fn new(rule: Rule) -> Self {
        let approves = rule.verdict.approves();
        let mut whole = true;
        let patterns = rule.conditions.iter().map(|condition| match condition {
            Condition::Argument { test: Test::Pattern { pattern }, .. } => {
                let compiled = compile(pattern, approves).ok();
                whole = whole && compiled.is_some();
                compiled
            }
            Condition::Argument { .. } | Condition::Words { .. } | Condition::DownloadToShell => None,
        });
        let patterns = patterns.collect();
        Self { rule, patterns, whole }
    }

    /// The rule.
    pub fn rule(&self) -> &Rule {
        &self.rule
    }

    /// Whether it is about this tool, in this run, now.
    pub fn is_about(&self, run: &GuardedRun, call: &GuardedCall, now: i64) -> bool {
        self.rule.is_in_force(now) && self.is_here(run) && self.is_of(call)
    }

    fn is_here(&self, run: &GuardedRun) -> bool {
        match &self.rule.scope {
            Scope::Conversation { conversation } => *conversation == run.conversation,
            Scope::Agent { agent } => *agent == run.agent,
            Scope::Folder { folder } => place::is_inside(Path::new(folder), Path::new(&run.folder)),
            Scope::Everywhere => true,
        }
    }

    fn is_of(&self, call: &GuardedCall) -> bool {
        let identity = &call.tool.identity;
        match (&self.rule.tool, &identity.origin) {
            (RuleTool::Plan, Origin::Conversation) => !self.rule.verdict.approves(),
            (RuleTool::Plan, _) | (_, Origin::Conversation) => false,
            (RuleTool::Any, _) => !self.rule.verdict.approves(),
            (RuleTool::BuiltIn { name }, Origin::BuiltIn { .. }) => *name == identity.name,
            (RuleTool::Server { server, name, key }, Origin::Server { server: of, .. }) => {
                server == of
                    && *name == identity.name
                    && (!self.rule.verdict.approves() || key.as_deref() == Some(&identity.key()))
            }
            (RuleTool::BuiltIn { .. } | RuleTool::Server { .. }, _) => false,
        }
    }

    /// What it says of a call that it is about.
    pub fn verdict(&self, run: &GuardedRun, call: &GuardedCall) -> Verdict {
        self.of_read(run, call, &mut None)
    }

    fn of_read<'a>(&self, run: &GuardedRun, call: &'a GuardedCall, read: &mut Option<Read<'a>>) -> Verdict {
        match &self.rule.verdict {
            RuleVerdict::Approve => {
                let meant =
                    self.whole && (!self.rule.conditions.is_empty() || self.rule.any_arguments || !is_free_form(call));
                if meant && self.met(run, call, read) == Found::Yes { Verdict::Approve } else { Verdict::Abstain }
            }
            // What can't be told is a person's to see; they have seen it, and approved.
            RuleVerdict::Reject { .. } if !self.whole && call.answered => Verdict::Abstain,
            RuleVerdict::Reject { .. } if !self.whole => {
                Verdict::Failed { why: "its regular expression can't be read".to_owned() }
            }
            RuleVerdict::Reject { reason } => match self.met(run, call, read) {
                Found::Yes if reason.is_empty() => {
                    Verdict::Reject { reason: format!("The person's rule “{}” rejects this call.", self.rule.name) }
                }
                Found::Yes => Verdict::Reject { reason: reason.clone() },
                Found::Unclear if call.answered => Verdict::Abstain,
                Found::Unclear => Verdict::Failed { why: "the command can't be read for sure".to_owned() },
                Found::No => Verdict::Abstain,
            },
        }
    }

    /// Whether its conditions hold of a call, whatever else is true of it; for trying samples, and for telling whether a rule that is
    /// being made matches the call in front.
    pub fn matches(&self, run: &GuardedRun, call: &GuardedCall) -> bool {
        self.is_of(call) && self.whole && self.met(run, call, &mut None) == Found::Yes
    }

    /// How far all conditions hold.
    fn met<'a>(&self, run: &GuardedRun, call: &'a GuardedCall, read: &mut Option<Read<'a>>) -> Found {
        let patterns = self.patterns.iter().map(Option::as_ref).chain(std::iter::repeat(None));
        let each = self.rule.conditions.iter().zip(patterns);
        let mut met = Found::Yes;
        for (condition, pattern) in each {
            met = met.min(self.holds(condition, pattern, run, call, read));
            if met == Found::No {
                break;
            }
        }
        met
    }

    fn holds<'a>(
        &self,
        condition: &Condition,
        pattern: Option<&Regex>,
        run: &GuardedRun,
        call: &'a GuardedCall,
        read: &mut Option<Read<'a>>,
    ) -> Found {
        let approves = self.rule.verdict.approves();
        match condition {
            Condition::Words { words, flags, further } => match read_of(call, read) {
                None => Found::No,
                Some(command) if approves => sure(is_plainly(command, words, flags, *further)),
                Some(command) => runs(command, words, flags),
            },
            Condition::DownloadToShell if approves => Found::No,
            Condition::DownloadToShell => read_of(call, read).map_or(Found::No, downloads_into_shell),
            Condition::Argument { path, test } => {
                let Some(values) = values_at(&call.tree, path, approves) else { return Found::No };
                let is_command = is_free_form(call) && path.as_slice() == [COMMAND];
                let mut each = values.iter().map(|value| {
                    let text = text_of(value);
                    let read = if is_command { read_of(call, read) } else { None };
                    Asked { text: &text, approves, command: read }.passes(test, pattern, run, call)
                });
                // Of several, all must pass for an approval; one is enough for a rejection.
                if approves {
                    each.min().unwrap_or(Found::No)
                } else {
                    each.try_fold(Found::No, |found, one| if one == Found::Yes { Err(one) } else { Ok(found.max(one)) })
                        .unwrap_or(Found::Yes)
                }
            }
        }
    }
}

/// What all rules say of a call, in their order; only those that are about it. While stored rules can't be read, a person is asked:
/// what they say nobody knows (D-17).
pub fn judge(rules: &[Ready], unreadable: usize, run: &GuardedRun, call: &GuardedCall, now: i64) -> Vec<GuardVerdict> {
    let about = rules.iter().filter(|one| one.is_about(run, call, now));
    let mut read = None;
    let mut said: Vec<GuardVerdict> = about
        .map(|one| GuardVerdict { guard: one.rule.name.clone(), verdict: one.of_read(run, call, &mut read) })
        .collect();
    if unreadable > 0 && !call.answered {
        let why = format!("{unreadable} stored rules can't be read");
        said.push(GuardVerdict { guard: "rules".to_owned(), verdict: Verdict::Failed { why } });
    }
    said
}

/// Whether the tool runs free-form commands (D-73).
pub fn is_free_form(call: &GuardedCall) -> bool {
    call.tool.marks.has(Mark::FreeForm)
}

/// The command of a call, read once.
fn read_of<'a, 'b>(call: &'a GuardedCall, read: &'b mut Option<Read<'a>>) -> Option<&'b Read<'a>> {
    let command = if is_free_form(call) { call.tree.get(COMMAND).and_then(Tree::as_text) } else { None }?;
    Some(read.get_or_insert_with(|| Read::new(command)))
}

fn sure(is: bool) -> Found {
    if is { Found::Yes } else { Found::No }
}

fn is_plainly(command: &Read<'_>, words: &[String], flags: &[String], further: bool) -> bool {
    let Ok(written) = command.plain() else { return false };
    let fits = written.starts_with(words) && (further || written.len() == words.len());
    let flagged = flags.is_empty() || written.iter().skip(words.len()).any(|word| flags.contains(word));
    fits && flagged && !words.is_empty() && !(further && starts_others(words))
}

/// The values at a path; of a list in it, every item. None if there are none, or, where it must be in all items, one lacks it.
fn values_at<'a>(tree: &'a Tree, path: &[String], in_all: bool) -> Option<Vec<&'a Tree>> {
    let mut at = vec![tree];
    for key in path {
        let mut below = Vec::new();
        for value in at {
            for one in items(value) {
                match one.get(key) {
                    Some(value) => below.push(value),
                    None if in_all => return None,
                    None => {}
                }
            }
        }
        at = below;
    }
    let found: Vec<&Tree> = at.into_iter().flat_map(items).collect();
    (!found.is_empty()).then_some(found)
}

fn items(value: &Tree) -> Vec<&Tree> {
    match value {
        Tree::List(items) => items.iter().flat_map(self::items).collect(),
        Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::Text(_) | Tree::Object(_) => vec![value],
    }
}

/// A value as a rule sees it: a text without its quotes, anything else as JSON (RU-6).
pub fn text_of(value: &Tree) -> String {
    value.as_text().map_or_else(|| to_text(value), str::to_owned)
}

struct Asked<'a> {
    text: &'a str,
    approves: bool,
    /// What is tested is the command of a tool that runs free-form ones.
    command: Option<&'a Read<'a>>,
}

impl Asked<'_> {
    fn passes(&self, test: &Test, pattern: Option<&Regex>, run: &GuardedRun, call: &GuardedCall) -> Found {
        // Only the whole text of a command says what it does.
        if self.approves && self.command.is_some() && !matches!(test, Test::Is { .. } | Test::OneOf { .. }) {
            return Found::No;
        }
        match test {
            Test::Is { value } => sure(self.text == value),
            Test::OneOf { values } => sure(values.iter().any(|value| self.text == value)),
            Test::StartsWith { text } => sure(!text.is_empty() && self.text.starts_with(text.as_str())),
            Test::Contains { text } if self.approves || text.is_empty() => Found::No,
            Test::Contains { text } => sure(self.text.to_lowercase().contains(&text.to_lowercase())),
            Test::Pattern { .. } => pattern.map_or(Found::No, |pattern| sure(pattern.is_match(self.text))),
            Test::Inside { folder } => self.is_inside(folder, run, call),
            Test::Host { host, below } => self.is_of_host(host, *below),
        }
    }

    fn is_inside(&self, folder: &str, run: &GuardedRun, call: &GuardedCall) -> Found {
        let root = match &call.tool.identity.origin {
            Origin::BuiltIn { root, .. } => root.as_str(),
            Origin::Server { .. } | Origin::SubAgent { .. } | Origin::Conversation => run.folder.as_str(),
        };
        let folder = Path::new(root).join(folder);
        if let Some(command) = self.command {
            let at = call.preconditions.iter().find_map(|one| match one {
                Precondition::Folder { path } => Some(path.as_str()),
                Precondition::File { .. } | Precondition::Environment { .. } | Precondition::Confined { .. } => None,
            });
            return place::names_inside(command, Path::new(at.unwrap_or(root)), &folder);
        }
        let resolved = call.preconditions.iter().find_map(|one| match one {
            Precondition::File { path, .. } => Some(Path::new(root).join(path)),
            Precondition::Folder { .. } | Precondition::Environment { .. } | Precondition::Confined { .. } => None,
        });
        let resolved_is = resolved.as_deref().map(|path| place::is_inside(&folder, path));
        if self.approves {
            // Links are followed by whoever looked at the file; what nobody looked at isn't approved by where it seems to be.
            return sure(resolved_is == Some(true));
        }
        sure(resolved_is == Some(true) || place::is_inside(&folder, &Path::new(root).join(self.text)))
    }

    fn is_of_host(&self, host: &str, below: bool) -> Found {
        let written = host.trim_end_matches('.').to_lowercase();
        if written.is_empty() {
            return Found::No;
        }
        // One host has many spellings; addresses are compared in the one that they are read to.
        let read = url::Host::parse(&written).map_or_else(|_| written.clone(), |host| host.to_string());
        let fits = |of: &str| {
            let of = of.trim_end_matches('.');
            [&written, &read].into_iter().any(|host| {
                of == host || (below && of.strip_suffix(host.as_str()).is_some_and(|rest| rest.ends_with('.')))
            })
        };
        if self.command.is_some() {
            let is_sign = |letter: char| !(letter.is_alphanumeric() || matches!(letter, '.' | '-' | '_'));
            return sure(!self.approves && self.text.to_lowercase().split(is_sign).any(fits));
        }
        let read = url::Url::parse(self.text);
        let read =
            if self.approves { read } else { read.or_else(|_| url::Url::parse(&format!("https://{}", self.text))) };
        let Ok(url) = read else { return Found::No };
        let plain = matches!(url.scheme(), "https" | "http")
            && url.username().is_empty()
            && url.password().is_none()
            && url.port().is_none();
        sure((plain || !self.approves) && url.host_str().is_some_and(|of| fits(&of.to_lowercase())))
    }
}

#[cfg(test)]
mod tests;
