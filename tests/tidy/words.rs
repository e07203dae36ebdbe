//! What the person reads stands in the dictionaries: outside of `words/` no source of the api has a sentence, so that none is said in
//! English to everybody.

use crate::nothing_to_complain;
use crate::repository::{FILES, File};

/// Where it is looked.
const UNDER: &str = "src-tauri/crates/api/src/";

/// Files with sentences that nobody translates: how many they have, and why.
const EXCUSED: &[(&str, usize, &str)] = &[
    ("correction.rs", 1, "what a reason begins with is read by the agent, and found again by it"),
    ("display/mask.rs", 2, "patterns of secrets"),
    ("display/text.rs", 1, "a character's name in Unicode"),
    ("display/text/hidden.rs", 49, "characters' names in Unicode"),
    ("history/export.rs", 3, "a folder's name, and what programs read in a manifest"),
    ("history/query.rs", 1, "the keys of a query are the same in every language"),
    ("history/said.rs", 1, "what programs read in a manifest"),
    ("rehearsal.rs", 12, "the play: what its people say and what is in its files, which the scripted model goes by"),
];

/// Each text in quotation marks with the line it begins in, without tests, comments, attributes and what is logged.
fn literals(source: &str) -> Vec<(usize, String)> {
    let source = source.split("\n#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let letters: Vec<char> = source.chars().collect();
    let (mut at, mut line, mut found) = (0, 1, Vec::new());
    // What stands before the literal, since the last statement: it tells an attribute and a macro that logs.
    let mut before = String::new();
    while at < letters.len() {
        let rest = |many: usize| letters[at..].iter().take(many).collect::<String>();
        match letters[at] {
            '/' if rest(2) == "//" => {
                while at < letters.len() && letters[at] != '\n' {
                    at += 1;
                }
                continue;
            }
            '\'' if letters.get(at + 1) == Some(&'\\') && letters.get(at + 3) == Some(&'\'') => at += 3,
            '\'' if letters.get(at + 2) == Some(&'\'') => at += 2,
            'r' if rest(2) == "r\"" || rest(3) == "r#\"" => {
                let end = if rest(2) == "r\"" { "\"" } else { "\"#" };
                let begin = at + 1 + end.len();
                let mut to = begin;
                while !letters[to..].iter().take(end.len()).eq(end.chars().collect::<Vec<_>>().iter()) {
                    to += 1;
                }
                found.push((line, before.clone(), letters[begin..to].iter().collect::<String>()));
                line += letters[at..to].iter().filter(|letter| **letter == '\n').count();
                at = to + end.len() - 1;
            }
            '"' => {
                let begin = at + 1;
                let mut to = begin;
                while letters[to] != '"' {
                    to += if letters[to] == '\\' { 2 } else { 1 };
                }
                found.push((line, before.clone(), letters[begin..to].iter().collect::<String>()));
                line += letters[at..to].iter().filter(|letter| **letter == '\n').count();
                at = to;
            }
            '\n' => line += 1,
            ';' | '{' | '}' => before.clear(),
            letter => before.push(letter),
        }
        at += 1;
    }
    let is_said = |before: &str| {
        let attribute = before.rsplit_once("#[").is_some_and(|(_, behind)| !behind.contains(']'));
        !attribute && !before.contains("tracing::")
    };
    found.into_iter().filter(|(_, before, _)| is_said(before)).map(|(line, _, text)| (line, text)).collect()
}

/// Whether a text is meant for a person: two words beside each other, or one with a capital letter.
fn is_a_sentence(text: &str) -> bool {
    let text = &text.replace("\\n", " ").replace("\\r", " ");
    let word = |word: &str| {
        let word = word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '{');
        !word.is_empty() && word.chars().all(|letter| letter.is_alphabetic() || matches!(letter, '\'' | '-'))
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    let beside = words.windows(2).any(|two| word(two[0]) && (word(two[1]) || two[1].starts_with('{')));
    let alone = words.len() == 1
        && word(text)
        && text.chars().count() > 1
        && text.chars().next().is_some_and(char::is_uppercase)
        && text.chars().skip(1).all(|letter| letter.is_lowercase() || ".:!?".contains(letter));
    beside || alone
}

fn sentences(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files {
        let Some(path) = file.path.strip_prefix(UNDER) else { continue };
        let is_looked_at = file.is_one_of(&["rs"]) && path != "words.rs" && !path.starts_with("words/");
        let Some(text) = file.text().filter(|_| is_looked_at && !path.ends_with("/tests.rs")) else { continue };
        let all: Vec<_> = literals(text).into_iter().filter(|(_, text)| is_a_sentence(text)).collect();
        let excused = EXCUSED.iter().find(|(excused, _, _)| *excused == path).map_or(0, |(_, many, _)| *many);
        if all.len() > excused {
            let said =
                all.iter().map(|(line, text)| format!("{UNDER}{path}:{line} says {text:?}: it belongs into words/"));
            complaints.extend(said);
        } else if all.len() < excused {
            complaints.push(format!("{UNDER}{path} has {} sentences, and {excused} are excused", all.len()));
        }
    }
    complaints
}

#[test]
fn what_a_person_reads_stands_in_the_dictionaries() {
    let files: Vec<&str> = FILES.iter().filter_map(|file| file.path.strip_prefix(UNDER)).collect();
    for (file, _, why) in EXCUSED {
        assert!(files.contains(file) && !why.is_empty(), "{file} isn't there");
    }
    nothing_to_complain(&sentences(&FILES));
}

#[test]
fn the_rule_about_words_complains() {
    let of = |path: &str, text: &str| sentences(&[File::sample(&format!("{UNDER}{path}"), text)]).len();
    for text in [
        "fn a() { b(\"The disk is full.\") }",
        "fn a() { format!(\"rule {name} rejects it\") }",
        "fn a() { label: \"Approved\".to_owned() }",
        "fn a() { \"a \\\" quoted one\" }",
        "fn a() { r#\"raw words\"# }",
        "fn a(b: char) { b == '\"'; \"after a letter\" }",
        "fn a() { \"not run yet\" } // \"twice\"",
    ] {
        assert_eq!(of("a.rs", text), 1, "{text}");
        assert_eq!(of("words/a.rs", text) + of("words.rs", text) + of("display/a/tests.rs", text), 0, "{text}");
    }
    for text in [
        "/// \"Words of a comment\".",
        "fn a() { tracing::warn!(?error, \"it went wrong\"); }",
        "#[expect(dead_code, reason = \"it is not used\")]",
        "fn a() { token == \"run_command\" || token == \"sent-back\" || path == \"/etc/hosts\" }",
        "fn a() { format!(\"{name}: {text}\") }",
        "fn a() {}\n#[cfg(test)]\nmod tests { fn b() { \"words of a test\" } }",
    ] {
        assert_eq!(of("a.rs", text), 0, "{text}");
    }
    assert_eq!(of("correction.rs", "const A: &str = \"some words\";"), 0);
    assert_eq!(of("correction.rs", "const A: &str = \"some words\"; const B: &str = \"more words\";"), 2);
    assert_eq!(of("correction.rs", ""), 1, "an excuse that nobody needs any more");
}
