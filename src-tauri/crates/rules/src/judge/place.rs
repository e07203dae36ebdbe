//! Paths as rules compare them: part by part, never as text, so that `/srv/a` is no beginning of `/srv/ab`.

use std::path::{Component, Path, PathBuf};

use crate::command::scan::{Look, Shape};
use crate::command::{Found, Read};

/// Whether a path lies in a folder, or is it. Both are straightened by their text; links must have been followed before.
pub(super) fn is_inside(folder: &Path, path: &Path) -> bool {
    straight(path).starts_with(straight(folder))
}

/// The same for a folder that is straight already, and a text that is named at a straight place.
fn leads_into(folder: &Path, at: &Path, text: &str) -> bool {
    // Without a folder in it, it stays where it is named; nearly all words of a command are such.
    if !text.contains(['/', '\\']) && text != ".." {
        return at.starts_with(folder) || (folder.parent() == Some(at) && is_name(folder, text));
    }
    straight(&at.join(text)).starts_with(folder)
}

fn is_name(folder: &Path, text: &str) -> bool {
    let blind = cfg!(any(target_os = "macos", target_os = "windows"));
    folder.file_name().is_some_and(|name| if blind { name == text.to_lowercase().as_str() } else { name == text })
}

/// Whether a command line names something inside a folder. `at` is where it runs.
pub(super) fn names_inside(command: &Read<'_>, at: &Path, folder: &Path) -> Found {
    let Some(line) = command.line() else {
        let command = command.text();
        let last = folder.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        let could = command.contains(['$', '`', '*', '?', '[', '~']) || command.to_lowercase().contains(&last);
        return if could { Found::Unclear } else { Found::No };
    };
    let mut found = Found::No;
    let (mut at, folder) = (straight(at), straight(folder));
    for segment in &line.segments {
        let words = || segment.tokens.iter().filter(|token| matches!(token.shape, Shape::Word | Shape::Target));
        for token in words() {
            let filled = token.look == Look::Dynamic || token.source.starts_with('~');
            for text in named(&token.value) {
                found = found.max(match (leads_into(&folder, &at, text), token.look) {
                    (true, _) => Found::Yes,
                    (false, _) if filled => Found::Unclear,
                    (false, Look::Pattern) if could_be(text, &at, &folder) => Found::Unclear,
                    (false, Look::Pattern | Look::Bare | Look::Quoted | Look::Dynamic) => Found::No,
                });
            }
        }
        // What follows runs where this went.
        let mut said = words();
        if said.next().is_some_and(|program| matches!(program.value.as_str(), "cd" | "pushd"))
            && let Some(to) = said.find(|word| !word.value.starts_with('-'))
        {
            at = straight(&at.join(&to.value));
        }
    }
    found
}

/// What of a word may be a path: all of it, and what stands behind `=` or `:` or glued to a short option.
fn named(word: &str) -> impl Iterator<Item = &str> {
    let glued = word.strip_prefix('-').and_then(|rest| rest.find(['/', '.']).and_then(|at| rest.get(at..)));
    std::iter::once(word).chain(word.split(['=', ':', ',']).skip(1)).chain(glued).filter(|text| !text.is_empty())
}

/// Whether a pattern could be filled in with something inside the folder.
fn could_be(pattern: &str, at: &Path, folder: &Path) -> bool {
    let fixed = pattern.split(['*', '?', '[', '{']).next().unwrap_or_default();
    // The part that the pattern begins in isn't known.
    let known = fixed.rfind('/').and_then(|end| fixed.get(..=end)).unwrap_or_default();
    let known = straight(&at.join(known));
    folder.starts_with(&known) || known.starts_with(folder)
}

fn straight(path: &Path) -> PathBuf {
    let mut straight = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                straight.pop();
            }
            Component::Normal(name) if cfg!(any(target_os = "macos", target_os = "windows")) => {
                // Their disks take capitals and small letters for the same.
                straight.push(name.to_string_lossy().to_lowercase());
            }
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => straight.push(part),
        }
    }
    straight
}
