//! Every rule that a source names by its id can be looked up: src-tauri/SEMANTICS.md has a line for it.

use std::collections::BTreeSet;

use crate::nothing_to_complain;
use crate::repository::{FILES, File, text};

/// The families of ids, each with the fewest digits it is written with: `N-1` is arithmetic and no id.
const FAMILIES: &[(&str, usize)] = &[
    ("AN", 1),
    ("AS", 1),
    ("AU", 1),
    ("B", 2),
    ("BG", 1),
    ("CL", 1),
    ("D", 2),
    ("E", 2),
    ("IN", 1),
    ("IT", 1),
    ("L", 3),
    ("M", 2),
    ("MA", 1),
    ("MO", 1),
    ("N", 2),
    ("PG", 1),
    ("PL", 1),
    ("RQ", 1),
    ("RT", 1),
    ("RU", 1),
    ("SA", 1),
    ("ST", 1),
    ("SU", 1),
    ("UN", 1),
];

/// The ids in a text: a family with its number, or a transaction with its name.
fn ids(text: &str) -> BTreeSet<&str> {
    text.split(|character: char| !character.is_ascii_alphanumeric() && character != '-' && character != '_')
        .map(|word| word.trim_end_matches('-'))
        .filter(|word| is_id(word))
        .collect()
}

fn is_id(word: &str) -> bool {
    let Some((family, rest)) = word.split_once('-') else {
        return false;
    };
    if family == "TX" {
        return !rest.is_empty() && rest.chars().all(|character| character.is_ascii_uppercase() || character == '-');
    }
    FAMILIES.iter().any(|(name, digits)| {
        *name == family && rest.len() >= *digits && rest.chars().all(|character| character.is_ascii_digit())
    })
}

fn without_a_line(files: &[File], semantics: &str) -> Vec<String> {
    let known = ids(semantics);
    let mut complaints = Vec::new();
    for file in files {
        if !file.is_one_of(&["rs", "ts", "svelte", "css", "sql"]) {
            continue;
        }
        let Some(text) = file.text() else { continue };
        for id in ids(text).difference(&known) {
            complaints.push(format!("{} names {id}, which src-tauri/SEMANTICS.md doesn't have", file.path));
        }
    }
    complaints
}

#[test]
fn every_id_can_be_looked_up() {
    let semantics = text("src-tauri/SEMANTICS.md");
    assert!(!ids(&semantics).is_empty(), "SEMANTICS.md has no ids");
    nothing_to_complain(&without_a_line(&FILES, &semantics));
}

#[test]
fn the_rule_about_ids_complains() {
    // Put together here, or the rule would ask for a line about them.
    let id = |family: &str, rest: &str| format!("{family}-{rest}");
    let unknown =
        [id("D", "999"), id("RT", "6"), id("E", "14"), id("TX", "START"), id("TX", "TOOL-BEGIN"), id("L", "004")];
    let other = id("D", "18");
    for unknown in &unknown {
        for text in [format!("// As in {unknown}."), format!("({unknown}, and"), format!("`{unknown}`")] {
            let file = [File::sample("ui/src/a.ts", &text)];
            assert_eq!(without_a_line(&file, &format!("| {other} | known |")).len(), 1, "{text}");
            assert_eq!(without_a_line(&file, &format!("| {unknown} | known |")).len(), 0, "{text}");
        }
    }
    for other in ["SHA-256", "UTF-8", "N-1", "a-D-18", "D-18-b", "TX-", "E-mail", "L-1"] {
        assert!(ids(other).is_empty(), "{other} is no id");
    }
    let markdown = [File::sample("README.md", &unknown[0])];
    assert_eq!(without_a_line(&markdown, "").len(), 0, "only sources are asked");
}
