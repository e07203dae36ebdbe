//! Which ids are pinned: read from the names of the tests themselves, so that the list can't say more than there is; and which
//! are not, with why.

use std::collections::BTreeSet;
use std::path::Path;

use crate::catalogue::{EXCUSED, EXPECTED, FAMILIES, FIELD, Why};

const SOURCES: &[&str] = &[
    include_str!("agents.rs"),
    include_str!("answering.rs"),
    include_str!("asking.rs"),
    include_str!("beside.rs"),
    include_str!("closing.rs"),
    include_str!("decisions.rs"),
    include_str!("durable.rs"),
    include_str!("field.rs"),
    include_str!("history.rs"),
    include_str!("gates.rs"),
    include_str!("held.rs"),
    include_str!("modes.rs"),
    include_str!("notes.rs"),
    include_str!("peers.rs"),
    include_str!("plans.rs"),
    include_str!("quick.rs"),
    include_str!("rules.rs"),
    include_str!("servers.rs"),
    include_str!("steering.rs"),
    include_str!("turns.rs"),
    include_str!("typed.rs"),
    include_str!("waiting.rs"),
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
}

fn written(family: &str, digits: usize, number: u16) -> String {
    format!("{family}-{number:0digits$}")
}

/// Every id that there is.
fn all() -> BTreeSet<String> {
    let families = FAMILIES
        .iter()
        .flat_map(|(family, digits, last)| (1..=*last).map(move |number| written(family, *digits, number)));
    families.chain(FIELD.iter().map(|number| written("L", 3, *number))).collect()
}

fn expected() -> BTreeSet<String> {
    let digits = |family: &str| FAMILIES.iter().find(|(name, ..)| *name == family).map_or(3, |(_, digits, _)| *digits);
    let ids = EXPECTED
        .iter()
        .flat_map(|(family, numbers)| numbers.iter().map(move |number| written(family, digits(family), *number)));
    ids.collect()
}

fn excused() -> BTreeSet<String> {
    EXCUSED.iter().map(|(id, _)| (*id).to_owned()).collect()
}

/// Each id is pinned, excused or expected, and exactly one of the three.
#[test]
fn no_id_is_missing_without_a_word() {
    let (all, pinned) = (all(), pinned().into_iter().collect::<BTreeSet<_>>());
    let (excused, expected) = (excused(), expected());
    assert_eq!(excused.len(), EXCUSED.len(), "an id is excused twice");
    let strangers: Vec<_> = pinned.union(&excused).chain(&expected).filter(|id| !all.contains(*id)).collect();
    assert_eq!(strangers, Vec::<&String>::new(), "there are no such ids");
    let twice: Vec<_> = pinned
        .intersection(&excused)
        .chain(pinned.intersection(&expected))
        .chain(excused.intersection(&expected))
        .collect();
    assert_eq!(twice, Vec::<&String>::new(), "these are pinned or excused: take them out of the other list");
    let missing: Vec<_> =
        all.iter().filter(|id| !pinned.contains(*id) && !excused.contains(*id) && !expected.contains(*id)).collect();
    assert_eq!(missing, Vec::<&String>::new(), "no test pins these, and nothing excuses them");
    if std::env::var("CONFORMANCE_IDS").is_ok_and(|value| value == "1") {
        let line = |ids: &BTreeSet<String>| ids.iter().cloned().collect::<Vec<_>>().join(" ");
        println!("{} of {} ids are pinned: {}", pinned.len(), all.len(), line(&pinned));
        println!("\n{} ids have no test of their name:", EXCUSED.len());
        for (id, why) in EXCUSED {
            match why {
                Why::NoFeature(why) => println!("  {id}: not here: {why}"),
                Why::NoBehaviour(why) => println!("  {id}: no behaviour: {why}"),
                Why::Tested(file, test) => println!("  {id}: {test} ({file})"),
            }
        }
        println!("\n{} ids are expected with what is being built: {}", expected.len(), line(&expected));
    }
}

/// A test that an excuse names is there, or the excuse is none.
#[test]
fn the_tests_that_excuse_others_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (id, why) in EXCUSED {
        let Why::Tested(file, test) = why else { continue };
        let path = root.join(file);
        let sources = if path.is_dir() {
            SOURCES.concat()
        } else {
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{id}: {}: {error}", path.display()))
        };
        assert!(sources.contains(&format!("fn {test}(")), "{id}: there is no test {test} in {file}");
    }
}
