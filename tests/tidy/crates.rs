//! Which crate may use which, and which may use SQL, Tauri or anything at all.

use serde_json::Value;

use crate::nothing_to_complain;
use crate::repository::{FILES, File, METADATA, text};

/// The arrows between our crates. What is not here does not exist: a new crate says first where it belongs.
const ARROWS: &[(&str, &[&str])] = &[
    ("countersign-core", &[]),
    ("countersign-store", &["countersign-core"]),
    ("countersign-engine", &["countersign-core", "countersign-store"]),
    ("countersign-models", &["countersign-core", "countersign-engine"]),
    ("countersign-tools", &["countersign-core", "countersign-engine"]),
    ("countersign-rules", &["countersign-core", "countersign-engine"]),
    ("countersign-api", &["countersign-core", "countersign-engine", "countersign-rules", "countersign-store"]),
    (
        "countersign",
        &[
            "countersign-api",
            "countersign-core",
            "countersign-engine",
            "countersign-models",
            "countersign-store",
            "countersign-tools",
        ],
    ),
    (
        "countersign-tests",
        &[
            "countersign",
            "countersign-api",
            "countersign-core",
            "countersign-engine",
            "countersign-models",
            "countersign-rules",
            "countersign-store",
            "countersign-tools",
        ],
    ),
];

/// All that the core stands on: it cannot wait, read a clock or open a file, so it needs nothing that can.
const CORE_STANDS_ON: &[&str] = &["serde", "serde_json", "sha2", "thiserror"];

/// One dependency of one of our packages, as its manifest names it.
struct Arrow {
    from: String,
    to: String,
    is_for_tests: bool,
}

fn arrows(metadata: &Value) -> Vec<Arrow> {
    let mut arrows = Vec::new();
    for package in metadata["packages"].as_array().expect("packages") {
        // Only our own packages come from the disk.
        if !package["source"].is_null() {
            continue;
        }
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            arrows.push(Arrow {
                from: package["name"].as_str().expect("a name").to_owned(),
                to: dependency["name"].as_str().expect("a name").to_owned(),
                is_for_tests: dependency["kind"] == "dev",
            });
        }
    }
    arrows
}

fn direction(arrows: &[Arrow]) -> Vec<String> {
    let mut complaints = Vec::new();
    for Arrow { from, to, .. } in arrows {
        if !to.starts_with("countersign") {
            continue;
        }
        match ARROWS.iter().find(|(name, _)| name == from) {
            None => complaints.push(format!("{from} has no place in the list of arrows")),
            Some((_, allowed)) if !allowed.contains(&to.as_str()) => {
                complaints.push(format!("{from} must not use {to}"));
            }
            Some(_) => {}
        }
    }
    complaints
}

fn reserved(arrows: &[Arrow]) -> Vec<String> {
    let mut complaints = Vec::new();
    for Arrow { from, to, is_for_tests } in arrows {
        if to == "sqlx" && from != "countersign-store" {
            complaints.push(format!("{from} must not use sqlx: SQL is the store's"));
        }
        if to.starts_with("tauri") && from != "countersign" {
            complaints.push(format!("{from} must not use {to}: Tauri is the shell's"));
        }
        let is_free = CORE_STANDS_ON.contains(&to.as_str()) || *is_for_tests;
        if from == "countersign-core" && !is_free {
            complaints.push(format!("{from} must not stand on {to}"));
        }
    }
    complaints
}

/// The manifest says who could use SQL; this says who does, through whatever path.
fn sql_outside_the_store(files: &[File]) -> Vec<String> {
    files
        .iter()
        .filter(|file| file.is_one_of(&["rs"]) && !file.path.starts_with("src-tauri/crates/store/"))
        .filter(|file| file.text().is_some_and(|text| text.contains(concat!("sqlx", "::"))))
        .map(|file| format!("{} uses sqlx: SQL is the store's", file.path))
        .collect()
}

/// MANIFEST paths and texts: each package takes the workspace's lints.
fn without_our_lints(manifests: &[(String, String)]) -> Vec<String> {
    manifests
        .iter()
        .filter(|(_, text)| !text.contains("[lints]\nworkspace = true"))
        .map(|(path, _)| format!("{path} doesn't take the workspace's lints"))
        .collect()
}

/// Every public item of a crate says what it is for, which the compiler checks where the crate asks for it.
fn without_docs(files: &[File]) -> Vec<String> {
    let mut libraries = files
        .iter()
        .filter(|file| file.path.starts_with("src-tauri/crates/") && file.path.ends_with("/src/lib.rs"))
        .peekable();
    if libraries.peek().is_none() {
        return vec!["there is no lib.rs under src-tauri/crates".to_owned()];
    }
    libraries
        .filter(|file| {
            !file.text().is_some_and(|text| {
                text.lines().any(|line| line.starts_with("#![deny(") && line.contains("missing_docs"))
            })
        })
        .map(|file| format!("{} lacks #![deny(missing_docs)]", file.path))
        .collect()
}

/// The feature of deliberate bugs, and the packages that may have it: it is no default, nothing that is shipped can ask for it, and
/// no dependency switches it on.
const FAULTS: (&str, &[&str]) =
    ("faults", &["countersign-core", "countersign-store", "countersign-engine", "countersign-tests"]);

fn faults_that_could_ship(metadata: &Value) -> Vec<String> {
    let (name, allowed) = FAULTS;
    let asks_for_it = |wanted: &Value| {
        let wanted = wanted.as_str().expect("a feature's name");
        wanted == name || wanted.ends_with("/faults")
    };
    let mut complaints = Vec::new();
    for package in metadata["packages"].as_array().expect("packages") {
        if !package["source"].is_null() {
            continue;
        }
        let of = package["name"].as_str().expect("a name");
        for (feature, wants) in package["features"].as_object().expect("features") {
            let wants = wants.as_array().expect("what a feature switches on");
            if feature == name && !allowed.contains(&of) {
                complaints.push(format!("{of} must not have the feature {name}"));
            }
            if feature != name && wants.iter().any(asks_for_it) {
                complaints.push(format!("the feature {feature} of {of} switches faults on"));
            }
        }
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            if dependency["features"].as_array().expect("features").iter().any(asks_for_it) {
                complaints.push(format!("{of} asks {} for faults", dependency["name"]));
            }
        }
    }
    complaints
}

#[test]
fn no_shipped_build_has_faults() {
    let has = |package: &Value| package["features"].as_object().is_some_and(|features| features.contains_key(FAULTS.0));
    assert!(METADATA["packages"].as_array().expect("packages").iter().any(has), "the features were not read");
    nothing_to_complain(&faults_that_could_ship(&METADATA));
}

#[test]
fn the_rule_about_faults_complains() {
    let package = |name: &str, features: &Value, wants: &[&str]| {
        let dependencies = serde_json::json!([{ "name": "countersign-core", "features": wants }]);
        serde_json::json!({ "packages": [
            { "name": name, "source": null, "features": features, "dependencies": dependencies }
        ] })
    };
    let none = serde_json::json!({});
    let own = serde_json::json!({ "faults": ["countersign-core/faults"] });
    for (name, features, wants, expected) in [
        ("countersign-engine", &own, &[][..], 0),
        ("countersign", &own, &[], 1),
        ("countersign-engine", &serde_json::json!({ "default": ["faults"] }), &[], 1),
        ("countersign-api", &serde_json::json!({ "more": ["countersign-core/faults"] }), &[], 1),
        ("countersign-api", &none, &["faults"], 1),
        ("countersign-api", &none, &["other"], 0),
    ] {
        assert_eq!(faults_that_could_ship(&package(name, features, wants)).len(), expected, "{name} {features}");
    }
}

#[test]
fn crates_use_each_other_in_one_direction() {
    let arrows = arrows(&METADATA);
    assert!(
        arrows.iter().any(|arrow| arrow.from == "countersign-store" && arrow.to == "countersign-core"),
        "the arrows were not read"
    );
    nothing_to_complain(&direction(&arrows));
}

#[test]
fn sql_tauri_and_the_core_keep_to_their_places() {
    nothing_to_complain(&reserved(&arrows(&METADATA)));
    nothing_to_complain(&sql_outside_the_store(&FILES));
}

#[test]
fn every_package_takes_the_lints() {
    let manifests: Vec<(String, String)> = FILES
        .iter()
        .map(|file| file.path.clone())
        .filter(|path| path.ends_with("/Cargo.toml"))
        .map(|path| (path.clone(), text(&path)))
        .collect();
    assert!(manifests.len() >= ARROWS.len(), "manifests are missing");
    nothing_to_complain(&without_our_lints(&manifests));
}

#[test]
fn every_crate_asks_for_docs() {
    nothing_to_complain(&without_docs(&FILES));
}

#[test]
fn the_rules_about_crates_complain() {
    let arrow = |from: &str, to: &str, is_for_tests| Arrow { from: from.to_owned(), to: to.to_owned(), is_for_tests };
    let cases = [
        (arrow("countersign-core", "countersign-store", false), 1),
        (arrow("countersign-core", "countersign-store", true), 1),
        (arrow("countersign-store", "countersign-engine", false), 1),
        (arrow("countersign-api", "countersign-models", false), 1),
        (arrow("countersign", "countersign-tests", true), 1),
        (arrow("countersign-agents", "countersign-core", false), 1),
        (arrow("countersign-api", "countersign-engine", false), 0),
        (arrow("countersign-api", "serde", false), 0),
    ];
    for (arrow, expected) in cases {
        let complaints = direction(std::slice::from_ref(&arrow));
        assert_eq!(complaints.len(), expected, "{} → {}", arrow.from, arrow.to);
    }

    let cases = [
        (arrow("countersign-api", "sqlx", false), 1),
        (arrow("countersign-tests", "sqlx", true), 1),
        (arrow("countersign-api", "tauri", false), 1),
        (arrow("countersign-core", "tokio", false), 1),
        (arrow("countersign-core", "proptest", true), 0),
        (arrow("countersign-core", "sha2", false), 0),
        (arrow("countersign-store", "sqlx", false), 0),
        (arrow("countersign", "tauri-build", false), 0),
    ];
    for (arrow, expected) in cases {
        let complaints = reserved(std::slice::from_ref(&arrow));
        assert_eq!(complaints.len(), expected, "{} → {}", arrow.from, arrow.to);
    }

    let use_of_sql = concat!("use sqlx", "::query;");
    let files = [
        File::sample("src-tauri/crates/api/src/lib.rs", use_of_sql),
        File::sample("src-tauri/crates/store/src/lib.rs", use_of_sql),
    ];
    assert_eq!(sql_outside_the_store(&files).len(), 1);
    assert_eq!(without_docs(&files).len(), 2);
    assert_eq!(without_docs(&[]).len(), 1);
    let lints = |text: &str| without_our_lints(&[("a/Cargo.toml".to_owned(), text.to_owned())]);
    assert_eq!(lints("[package]\nname = \"a\"\n").len(), 1);
    assert_eq!(lints("[lints]\nworkspace = true\n").len(), 0);
}
