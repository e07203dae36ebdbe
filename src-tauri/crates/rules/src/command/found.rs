//! Looks for a command anywhere in a command line, for rules that reject. What can't be told is said, never taken for a no.

use super::known::{adds, bare, fetches, is_shell, is_starter, runs_what_it_gets};
use super::scan::{Line, Look, Segment, Shape, Token, scan};
use super::{FILLED, Read, unquoted};

/// How deep commands inside commands are followed.
const DEEPEST: usize = 3;

/// Whether something is in a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Found {
    /// It isn't, as far as the command line itself goes.
    No,
    /// It can't be told.
    Unclear,
    /// It is.
    Yes,
}

/// Whether a command line runs these words, with one of these flags if there are any. `words` is the program and what follows it;
/// options may stand between them.
pub fn runs(command: &Read<'_>, words: &[String], flags: &[String]) -> Found {
    let Some((program, more)) = words.split_first() else { return Found::No };
    Wanted { program, more, flags, absent: command.lacks(program) }.in_read(command.text(), command.line(), 0)
}

/// Whether a command line feeds something fetched to a shell or an interpreter.
pub fn downloads_into_shell(command: &Read<'_>) -> Found {
    let Some(line) = command.line() else {
        let command = command.text();
        let has = |known: fn(&str) -> bool| command.split(|letter: char| !is_of_name(letter)).any(known);
        return match (has(fetches), has(runs_what_it_gets) || has(is_starter)) {
            (true, true) => Found::Yes,
            (true, false) | (false, true) if command.contains(['$', '`']) => Found::Unclear,
            (true | false, true | false) => Found::No,
        };
    };
    let mut fetched = false;
    let mut found = Found::No;
    for segment in &line.segments {
        let programs: Vec<&str> = programs(segment);
        let piped = segment.operator.starts_with('|') && !segment.operator.starts_with("||");
        fetched = fetched && piped;
        let runs = programs.iter().any(|program| runs_what_it_gets(program));
        if fetched && runs {
            return Found::Yes;
        }
        if (runs || programs.iter().any(|program| is_starter(program)))
            && inner(segment).iter().any(|text| has_fetcher(text))
        {
            return Found::Yes;
        }
        if runs && segment.tokens.iter().any(|token| token.shape == Shape::Word && token.look == Look::Dynamic) {
            found = Found::Unclear;
        }
        fetched = fetched || programs.iter().any(|program| fetches(program));
    }
    found
}

fn has_fetcher(text: &str) -> bool {
    text.split(|letter: char| !is_of_name(letter)).any(fetches)
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.')
}

/// The program of a part, and what it may start.
fn programs<'a>(segment: &'a Segment<'_>) -> Vec<&'a str> {
    let words: Vec<&str> = words_of(segment).map(|token| token.value.as_str()).collect();
    match words.split_first() {
        Some((first, rest)) if is_starter(first) => std::iter::once(*first).chain(rest.iter().copied()).collect(),
        Some((first, _)) => vec![*first],
        None => Vec::new(),
    }
}

fn words_of<'a, 'b>(segment: &'b Segment<'a>) -> impl Iterator<Item = &'b Token<'a>> {
    segment.tokens.iter().filter(|token| token.shape == Shape::Word && token.value != "!")
}

/// What a part of a command line has in it that may be a command line: substitutions, and words with blanks in them.
fn inner<'a>(segment: &'a Segment<'_>) -> Vec<&'a str> {
    let mut texts = Vec::new();
    for token in &segment.tokens {
        if token.look == Look::Dynamic {
            texts.extend(substituted(token.source));
        }
        if token.value.contains([' ', '\t', '\n', ';', '|', '&']) {
            texts.push(token.value.as_str());
            texts.extend(token.value.split_once('=').map(|(_, value)| value));
        }
    }
    texts
}

/// The insides of substitutions in a word.
fn substituted(source: &str) -> Vec<&str> {
    let inside = source.split("$(").skip(1);
    inside.map(|rest| rest.split(')').next().unwrap_or(rest)).collect()
}

struct Wanted<'a> {
    program: &'a str,
    more: &'a [String],
    flags: &'a [String],
    /// Its name is nowhere in the command line, so that nothing inside a word needs to be looked at.
    absent: bool,
}

impl Wanted<'_> {
    fn in_text(&self, text: &str, deep: usize) -> Found {
        if self.absent {
            return Found::No;
        }
        if deep > DEEPEST {
            return Found::Unclear;
        }
        self.in_read(text, scan(text).as_ref(), deep)
    }

    fn in_read(&self, text: &str, line: Option<&Line<'_>>, deep: usize) -> Found {
        match line {
            Some(line) => self.in_line(line, deep),
            // What can't be taken apart is no place for the program if its name can't come from anywhere in it.
            None if self.is_nowhere_in(text) => Found::No,
            None => Found::Unclear,
        }
    }

    /// Whether a text neither has the program's name in it nor anything that could make it.
    fn is_nowhere_in(&self, text: &str) -> bool {
        let unquoted = unquoted(text);
        self.absent || (!unquoted.contains(&self.program.to_ascii_lowercase()) && !unquoted.contains(FILLED))
    }

    fn in_line(&self, line: &Line<'_>, deep: usize) -> Found {
        let mut found = Found::No;
        for segment in &line.segments {
            found = found.max(self.in_segment(segment, deep));
            if found == Found::Yes {
                break;
            }
        }
        found
    }

    fn in_segment(&self, segment: &Segment<'_>, deep: usize) -> Found {
        let words: Vec<&Token<'_>> = words_of(segment).collect();
        let mut found = Found::No;
        // Substitutions run wherever they stand, also in a redirection or before the program.
        for token in segment.tokens.iter().filter(|token| token.look == Look::Dynamic) {
            for inside in substituted(token.source) {
                found = found.max(self.in_text(inside, deep + 1));
            }
        }
        let Some((program, rest)) = words.split_first() else { return found };
        found = found.max(self.at(program, rest));
        let piped = segment.operator.starts_with('|') && !segment.operator.starts_with("||");
        let fed =
            piped || segment.tokens.iter().any(|token| token.shape == Shape::Redirect && token.source.contains('<'));
        if is_shell(&program.value) && fed {
            found = found.max(Found::Unclear);
        }
        if is_starter(&program.value) || is_shell(&program.value) {
            found = found.max(self.behind(program, rest, deep));
        }
        found
    }

    /// Whether the words are somewhere behind a program that starts others.
    fn behind(&self, starter: &Token<'_>, rest: &[&Token<'_>], deep: usize) -> Found {
        let mut found = Found::No;
        for (index, word) in rest.iter().enumerate() {
            let after = rest.get(index + 1..).unwrap_or_default();
            found = found.max(self.at(word, after));
            // What it adds may be the words that are missing.
            if adds(&starter.value) && self.is_program(word) {
                found = found.max(Found::Unclear);
            }
            if matches!(word.look, Look::Dynamic) {
                found = found.max(Found::Unclear);
            }
            if word.value.contains([' ', '\t', '\n', ';', '|', '&']) {
                found = found.max(self.in_text(&word.value, deep + 1));
            }
            if let Some((_, value)) = word.value.split_once('=') {
                found = found.max(self.in_text(value, deep + 1));
            }
        }
        // `busybox wget`, `sudo -u root sh`: a shell that is fed is behind it, too.
        if rest.iter().any(|word| is_shell(&word.value)) && rest.iter().any(|word| word.look == Look::Dynamic) {
            found = found.max(Found::Unclear);
        }
        found
    }

    fn is_program(&self, word: &Token<'_>) -> bool {
        bare(&word.value).eq_ignore_ascii_case(self.program) || word.value.eq_ignore_ascii_case(self.program)
    }

    /// Whether the command that begins with this word is the one.
    fn at(&self, program: &Token<'_>, rest: &[&Token<'_>]) -> Found {
        if !self.is_program(program) {
            return Found::No;
        }
        self.follow(rest, self.more)
    }

    /// Whether the further words follow, with options between them.
    fn follow(&self, rest: &[&Token<'_>], more: &[String]) -> Found {
        let Some((next, later)) = more.split_first() else { return self.flagged(rest) };
        let mut behind_option = false;
        for (index, word) in rest.iter().enumerate() {
            if matches!(word.look, Look::Dynamic | Look::Pattern) {
                return Found::Unclear;
            }
            if word.value == *next {
                return self.follow(rest.get(index + 1..).unwrap_or_default(), later);
            }
            if word.value.starts_with('-') {
                behind_option = true;
            } else if !behind_option {
                // The first word that is none of an option is what follows, and it is another one.
                return Found::No;
            }
        }
        Found::No
    }

    fn flagged(&self, rest: &[&Token<'_>]) -> Found {
        if self.flags.is_empty() {
            return Found::Yes;
        }
        let mut found = Found::No;
        for word in rest {
            if self.flags.iter().any(|flag| is_flag(&word.value, flag)) {
                return Found::Yes;
            }
            if matches!(word.look, Look::Dynamic | Look::Pattern) {
                found = Found::Unclear;
            }
        }
        found
    }
}

/// Whether a word is a flag: as it is, with its value, shortened as many programs let one, or one letter of several. The flag `+`
/// stands for words that begin with it.
fn is_flag(word: &str, flag: &str) -> bool {
    if flag == "+" {
        return word.starts_with('+');
    }
    if word == flag {
        return true;
    }
    let name = word.split('=').next().unwrap_or(word);
    if flag.starts_with("--") {
        return name.starts_with("--") && name.len() >= 4 && flag.starts_with(name);
    }
    let letter = flag.strip_prefix('-').filter(|rest| rest.chars().count() == 1);
    letter.is_some_and(|letter| word.starts_with('-') && !word.starts_with("--") && word.contains(letter))
}
