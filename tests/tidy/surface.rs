//! What a person notices: each line of src-tauri/SURFACE.md is carried by the name of a test, or excused here with the reason.
//! `SURFACE_IDS=1` prints both lists.

use std::collections::{BTreeMap, BTreeSet};

use crate::nothing_to_complain;
use crate::repository::{FILES, File, text};

/// Ids that no test carries, each with what is missing or why a test can't see it.
const EXCUSED: &[(&str, &str)] = &[];

/// The ids in a name or a sentence: `accept_07_surface_13_typing`, `typing (accept 7, surface 13)`, `field_l_130_typing`.
fn ids(words: &str) -> Vec<String> {
    let words: Vec<&str> = words.split(|character: char| !character.is_ascii_alphanumeric()).collect();
    let mut found = Vec::new();
    for pair in words.windows(2) {
        let Ok(number) = pair[1].parse::<u16>() else { continue };
        match pair[0] {
            family @ ("accept" | "surface" | "field") => found.push(format!("{family} {number}")),
            "l" if pair[1].len() == 3 => found.push(format!("field {number}")),
            _ => {}
        }
    }
    found
}

/// The ids that a Rust source's tests carry, in their names or in a line `/// Also …` above them.
fn of_rust(source: &str) -> Vec<String> {
    let (mut found, mut also, mut is_test) = (Vec::new(), Vec::new(), false);
    for line in source.lines().map(str::trim) {
        if let Some(words) = line.strip_prefix("/// Also ") {
            also.extend(ids(words));
        } else if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
            is_test = true;
        } else if let Some(name) = line.strip_prefix("async fn ").or_else(|| line.strip_prefix("fn ")) {
            if is_test {
                found.append(&mut also);
                found.extend(ids(name.split('(').next().unwrap_or_default()));
            }
            also.clear();
            is_test = false;
        }
    }
    found
}

/// The ids in the names of a TypeScript source's tests. A name may stand on the line after its `test(`.
fn of_typescript(source: &str) -> Vec<String> {
    let (mut found, mut is_next) = (Vec::new(), false);
    for line in source.lines().map(str::trim) {
        let begins = ["test(", "test.each(", "])("].iter().any(|start| line.starts_with(start));
        if begins || is_next {
            found.extend(ids(line));
        }
        is_next = begins && line.ends_with('(');
    }
    found
}

/// Each id that a test carries, with where.
fn pinned(files: &[File]) -> BTreeMap<String, BTreeSet<&str>> {
    let mut pinned: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for file in files {
        let Some(source) = file.text() else { continue };
        let found = if file.path.ends_with(".test.ts") {
            of_typescript(source)
        } else if file.is_one_of(&["rs"]) && !file.path.starts_with("tests/tidy/") {
            of_rust(source)
        } else {
            continue;
        };
        for id in found {
            pinned.entry(id).or_default().insert(&file.path);
        }
    }
    pinned
}

/// The ids of the document, in its order.
fn listed(document: &str) -> Vec<&str> {
    document.lines().filter_map(|line| line.strip_prefix("- **")?.split("**").next()).collect()
}

fn complaints(document: &str, files: &[File], excused: &[(&str, &str)]) -> Vec<String> {
    let (all, pinned) = (listed(document), pinned(files));
    let known: BTreeSet<&str> = all.iter().copied().collect();
    let mut complaints = Vec::new();
    if known.len() != all.len() {
        complaints.push("SURFACE.md has an id twice".to_owned());
    }
    for id in &known {
        match (pinned.contains_key(*id), excused.iter().filter(|(excused, _)| excused == id).count()) {
            (true, 0) | (false, 1) => {}
            (true, _) => complaints.push(format!("{id} is pinned: it needs no excuse any more")),
            (false, 0) => complaints.push(format!("no test carries {id}, and nothing excuses it")),
            (false, _) => complaints.push(format!("{id} is excused twice")),
        }
    }
    for (id, paths) in &pinned {
        // The other field cases are those of tests/conformance/catalogue.rs.
        if !known.contains(id.as_str()) && !id.starts_with("field ") {
            complaints.push(format!("{id} is no id of SURFACE.md: {paths:?}"));
        }
    }
    for (id, why) in excused {
        if !known.contains(id) || why.is_empty() {
            complaints.push(format!("{id} is excused, and is no id or has no reason"));
        }
    }
    complaints
}

#[test]
fn what_a_person_notices_has_a_test() {
    let document = text("src-tauri/SURFACE.md");
    let of = |family: &str| listed(&document).iter().filter(|id| id.starts_with(family)).count();
    assert_eq!((of("accept "), of("surface "), of("field ")), (33, 90, 20), "lines are missing");
    if std::env::var("SURFACE_IDS").is_ok_and(|value| value == "1") {
        for (id, paths) in pinned(&FILES) {
            println!("{id}: {}", paths.into_iter().collect::<Vec<_>>().join(", "));
        }
        for (id, why) in EXCUSED {
            println!("{id} has no test: {why}");
        }
    }
    nothing_to_complain(&complaints(&document, &FILES, EXCUSED));
}

#[test]
fn the_rule_about_what_a_person_notices_complains() {
    let document = "- **accept 7** Keys.\n- **surface 13** Typing.\n- **field 130** Letters.\n";
    let rust = |name: &str| File::sample("tests/a.rs", &format!("/// Also surface 13.\n#[test]\nfn {name}() {{\n"));
    let typescript = |name: &str| File::sample("ui/src/a.test.ts", &format!("test(\n  \"{name}\",\n"));
    let both = [rust("accept_07_keys"), typescript("letters (field 130)")];
    assert_eq!(complaints(document, &both, &[]), Vec::<String>::new());
    assert_eq!(complaints(document, &both[..1], &[("field 130", "why")]), Vec::<String>::new());
    for (files, excused) in [
        (&both[..1], &[][..]),
        (&both[..], &[("field 130", "why")][..]),
        (&both[..1], &[("field 130", "")][..]),
        (&both[..1], &[("field 130", "why"), ("field 130", "why")][..]),
        (&both[..], &[("surface 99", "why")][..]),
        (&[rust("accept_07_field_l_130_surface_99_keys")][..], &[][..]),
        (&[File::sample("tests/a.rs", "fn accept_07_surface_13_field_l_130_no_test() {")][..], &[][..]),
    ] {
        assert!(!complaints(document, files, excused).is_empty(), "{excused:?}");
    }
}
