//! Takes a command line apart for reading, and finds out what can be said about it for sure.
//!
//! # Design
//! This is no shell. It knows the quoting and the operators of one, and gives up on everything that it can't follow
//! (here documents, nested substitutions, control structures): then the whole text is one part that says "read it
//! all". Giving up is always safe; a wrong cut would not be.

pub(crate) mod risk;

use crate::wire::payload::{Segment, Word, WordKind};
use crate::wire::text::{Piece, Shown};

use super::mask;
use super::text::{Begins, append, safe_with, within};
use countersign_rules::command::scan::{Line, Look, Shape, Token, scan};
use risk::Finding;

/// What is known about a command line.
#[derive(Debug)]
pub(crate) struct Analysis<'a> {
    /// Its parts; one for all if it couldn't be taken apart.
    pub(crate) parts: Vec<Part<'a>>,
    /// Whether it could be taken apart.
    pub(crate) analysable: bool,
    /// What it does, as far as that is known.
    pub(crate) findings: Vec<Finding>,
    /// How many programs it starts.
    pub(crate) programs: u32,
}

/// A part of a command line.
///
/// INVARIANT: operators and sources of all parts in order are the command.
#[derive(Debug)]
pub(crate) struct Part<'a> {
    operator: &'a str,
    words: Vec<(&'a str, WordKind)>,
    high_risk: bool,
}

/// The parts of a command line as they are displayed, and whether it could be taken apart.
pub fn segments(command: &str) -> (Vec<Segment>, bool) {
    segments_in(command, "")
}

/// The same for a command whose workspace folder is known, so that absolute paths in it are no warning.
pub fn segments_in(command: &str, folder: &str) -> (Vec<Segment>, bool) {
    let analysis = analyse(command, folder);
    // What is dangerous, or can't be followed, is read whole.
    let is_shown_whole = !analysis.analysable || analysis.findings.iter().any(Finding::is_danger);
    let secrets = if is_shown_whole { Vec::new() } else { mask::covers(command) };
    let mut begins = Begins::Line;
    let mut at = 0;
    let segments = analysis.parts.into_iter().map(|part| {
        at += part.operator.len();
        if !part.operator.is_empty() {
            begins = if part.operator.ends_with('\n') { Begins::Line } else { Begins::Inside };
        }
        let mut words: Vec<Word> = Vec::with_capacity(part.words.len());
        for (source, kind) in part.words {
            let text = safe_with(source, begins, &within(&secrets, &(at..at + source.len())));
            at += source.len();
            begins = Begins::Inside;
            let first = words.len() < 2;
            match words.last_mut().filter(|last| !first && runs_on(last, kind, &text)) {
                Some(last) => append(&mut last.text, text),
                None => words.push(Word { text, kind }),
            }
        }
        Segment { words, operator: part.operator.to_owned(), high_risk: part.high_risk }
    });
    (segments.collect(), analysis.analysable)
}

/// Whether a word and the one before it are drawn as one thing: a long command has a hundred thousand words, and most of them look like
/// their neighbours. Words of other scripts stay alone, so that none of them turns around what stands beside it. What follows an
/// operator at once stays alone too: the window puts it beside the operator.
fn runs_on(last: &Word, kind: WordKind, text: &Shown) -> bool {
    let is_ascii = |shown: &Shown| shown.iter().all(|piece| matches!(piece, Piece::Text { s } if s.is_ascii()));
    last.kind == WordKind::Plain && kind == WordKind::Plain && is_ascii(&last.text) && is_ascii(text)
}

/// Takes a command line apart. `folder` is the workspace, or empty.
pub(crate) fn analyse<'a>(command: &'a str, folder: &str) -> Analysis<'a> {
    match scan(command) {
        Some(line) => known(&line, folder),
        None => unknown(command),
    }
}

fn unknown(command: &str) -> Analysis<'_> {
    let findings = risk::guess(command);
    let part = Part {
        operator: "",
        words: vec![(command, WordKind::Plain)],
        high_risk: findings.iter().any(Finding::is_danger),
    };
    Analysis { parts: vec![part], analysable: false, findings, programs: 0 }
}

fn known<'a>(line: &Line<'a>, folder: &str) -> Analysis<'a> {
    let judged = risk::judge(line, folder);
    let mut parts = Vec::new();
    let mut programs = 0;
    for (segment, risks) in line.segments.iter().zip(&judged.risks) {
        let program = segment.program();
        programs += u32::from(program.is_some());
        let words = segment.tokens.iter().enumerate().map(|(index, token)| {
            let kind = if risks.contains(&index) { WordKind::Risk } else { kind(token, program == Some(index)) };
            (token.source, kind)
        });
        parts.push(Part { operator: segment.operator, words: words.collect(), high_risk: !risks.is_empty() });
    }
    Analysis { parts, analysable: true, findings: judged.findings, programs }
}

fn kind(token: &Token<'_>, is_program: bool) -> WordKind {
    if is_program {
        return WordKind::Program;
    }
    match (token.shape, token.look) {
        (Shape::Redirect | Shape::Target | Shape::Assignment | Shape::Comment, _) | (Shape::Word, Look::Dynamic) => {
            WordKind::Special
        }
        (Shape::Word, Look::Quoted) => WordKind::Quoted,
        (Shape::Word, Look::Bare | Look::Pattern) | (Shape::Blank, _) => WordKind::Plain,
    }
}

#[cfg(test)]
mod tests;
