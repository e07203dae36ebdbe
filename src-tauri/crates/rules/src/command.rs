//! Command lines: taking one apart, and what a rule can say of it for sure.
//!
//! # Design
//! Two questions with opposite doubts. An approval asks "is this *one plain command* that begins with these words?", and every
//! doubt is a no. A rejection asks "does this command line run these words *anywhere*?", and every doubt is "can't be told",
//! which makes a person be asked (D-17). Neither looks into programs: what a script does, no rule can see.

mod found;
mod known;
pub mod scan;

pub use found::{Found, downloads_into_shell, runs};
pub use known::starts_others;
use scan::{Look, Shape};
use serde::{Deserialize, Serialize};

/// Why a command isn't one plain command whose words are as they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "bindings", derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum NotPlain {
    /// It has several parts.
    Parts,
    /// It has variables, substitutions or patterns, which the shell fills in.
    Filled,
    /// It redirects.
    Redirects,
    /// It sets variables before the program.
    Variables,
    /// Its program starts other programs, so its first words say nothing.
    Starts,
    /// It can't be taken apart.
    Unknown,
}

/// A command line that is read once, however many rules ask about it.
#[derive(Debug)]
pub struct Read<'a> {
    text: &'a str,
    line: Option<scan::Line<'a>>,
    plain: Result<Vec<String>, NotPlain>,
    /// Without quotes and backslashes, in small letters: a name that isn't in it is nowhere in the text.
    unquoted: String,
    /// Whether a shell would fill something in, which could spell any name.
    filled: bool,
}

impl<'a> Read<'a> {
    /// Reads a command line.
    pub fn new(text: &'a str) -> Self {
        let line = scan::scan(text);
        let plain = plain(text, line.as_ref());
        let unquoted = unquoted(text);
        Self { text, line, plain, filled: unquoted.contains(FILLED), unquoted }
    }

    /// Its text.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Its parts; none if it can't be taken apart.
    pub fn line(&self) -> Option<&scan::Line<'a>> {
        self.line.as_ref()
    }

    /// Whether a name can't come from anywhere in it.
    pub(crate) fn lacks(&self, name: &str) -> bool {
        !self.filled && !self.unquoted.contains(&name.to_ascii_lowercase())
    }

    /// Its words, if it is one plain command; see [`plain_words`].
    ///
    /// # Errors
    /// The first thing that isn't plain.
    pub fn plain(&self) -> Result<&[String], NotPlain> {
        self.plain.as_deref().map_err(|why| *why)
    }
}

/// Signs with which a shell fills something in.
const FILLED: [char; 5] = ['$', '`', '*', '?', '['];

fn unquoted(text: &str) -> String {
    text.chars()
        .filter(|letter| !matches!(letter, '\'' | '"' | '\\'))
        .map(|letter| letter.to_ascii_lowercase())
        .collect()
}

/// The words of a command, if it is one plain command: no operator, redirection, variable, substitution, pattern or comment.
/// Whether its program starts others is not looked at; see [`starts_others`].
///
/// # Errors
/// The first thing that isn't plain.
pub fn plain_words(command: &str) -> Result<Vec<String>, NotPlain> {
    plain(command, scan::scan(command).as_ref())
}

fn plain(command: &str, line: Option<&scan::Line<'_>>) -> Result<Vec<String>, NotPlain> {
    if command.contains('\n') {
        return Err(NotPlain::Parts);
    }
    if command.chars().any(|letter| letter.is_control() && letter != '\t') {
        return Err(NotPlain::Unknown);
    }
    let Some(line) = line else {
        let filled = command.contains("$(") || command.contains('`');
        return Err(if filled { NotPlain::Filled } else { NotPlain::Unknown });
    };
    let [segment] = line.segments.as_slice() else { return Err(NotPlain::Parts) };
    let mut words = Vec::new();
    for token in &segment.tokens {
        match (token.shape, token.look) {
            (Shape::Blank, _) => {}
            (Shape::Comment, _) => return Err(NotPlain::Unknown),
            (Shape::Assignment, _) => return Err(NotPlain::Variables),
            (Shape::Redirect | Shape::Target, _) => return Err(NotPlain::Redirects),
            (Shape::Word, Look::Dynamic | Look::Pattern) => return Err(NotPlain::Filled),
            (Shape::Word, Look::Bare | Look::Quoted) if begins_at_home(token.source) => return Err(NotPlain::Filled),
            (Shape::Word, Look::Bare | Look::Quoted) => words.push(token.value.clone()),
        }
    }
    match words.first().map(String::as_str) {
        None | Some("!" | "") => Err(NotPlain::Unknown),
        Some(program) if program.starts_with('-') => Err(NotPlain::Unknown),
        Some(_) => Ok(words),
    }
}

/// Whether the shell puts a home folder in: `~` at the beginning of a word, or behind `=` or `:` in one.
fn begins_at_home(source: &str) -> bool {
    source.starts_with('~') || source.contains("=~") || source.contains(":~")
}

#[cfg(test)]
mod tests;
