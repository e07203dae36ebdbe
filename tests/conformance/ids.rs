//! Which ids are pinned: read from the names of the tests themselves, so that the list can't say more than there is.

use std::collections::BTreeSet;

const SOURCES: &[&str] = &[
    include_str!("agents.rs"),
    include_str!("answering.rs"),
    include_str!("asking.rs"),
    include_str!("beside.rs"),
    include_str!("closing.rs"),
    include_str!("decisions.rs"),
    include_str!("durable.rs"),
    include_str!("field.rs"),
    include_str!("gates.rs"),
    include_str!("modes.rs"),
    include_str!("notes.rs"),
    include_str!("peers.rs"),
    include_str!("plans.rs"),
    include_str!("quick.rs"),
    include_str!("rules.rs"),
    include_str!("steering.rs"),
    include_str!("typed.rs"),
    include_str!("unattended.rs"),
];

/// The id in a test's name: `rt_6_one_model_call` pins the sixth of its family, `field_l_004_…` a field case.
fn id(name: &str) -> Option<String> {
    let name = name.strip_prefix("field_").unwrap_or(name);
    let (family, rest) = name.split_once('_')?;
    let number = rest.split('_').next()?;
    let is_id = family.len() <= 2 && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_id.then(|| format!("{}-{number}", family.to_uppercase()))
}

fn pinned() -> Vec<String> {
    let mut ids = Vec::new();
    for source in SOURCES {
        let mut is_test = false;
        for line in source.lines() {
            if line == "#[test]" || line.starts_with("#[tokio::test") {
                is_test = true;
            } else if let Some(name) = line.strip_prefix("async fn ").or_else(|| line.strip_prefix("fn ")) {
                let name = name.split('(').next().unwrap();
                if is_test {
                    ids.push(id(name).unwrap_or_else(|| panic!("{name} pins no id")));
                }
                is_test = false;
            }
        }
    }
    ids
}

#[test]
fn every_pinned_id_is_pinned_once_and_explained() {
    let ids = pinned();
    assert!(ids.len() > 120, "tests are missing: {}", ids.len());
    let unique: BTreeSet<&String> = ids.iter().collect();
    assert_eq!(unique.len(), ids.len(), "two tests pin the same id");
    let semantics = include_str!("../../src-tauri/SEMANTICS.md");
    let explained: BTreeSet<&str> =
        semantics.lines().filter_map(|line| line.strip_prefix("- **")?.split("**").next()).collect();
    let missing: Vec<&&String> = unique.iter().filter(|id| !explained.contains(id.as_str())).collect();
    assert_eq!(missing, Vec::<&&String>::new(), "SEMANTICS.md has no line of its own for these");
    if std::env::var("CONFORMANCE_IDS").is_ok_and(|value| value == "1") {
        println!("{} ids: {}", ids.len(), unique.into_iter().cloned().collect::<Vec<_>>().join(" "));
    }
}
