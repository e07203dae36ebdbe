//! Licences, sources and banned packages, by the lists of deny.toml. cargo-deny reads the same file and looks closer; this is
//! what holds where it isn't installed. The ui's packages are held to the same licences by their lock file.

use serde_json::Value;

use crate::nothing_to_complain;
use crate::repository::{METADATA, text};

/// The list KEY of TABLE in deny.toml: of each entry the first quoted text, which in an inline table is the package's name.
///
/// # Design
/// A parser for all of TOML would be one more package in the tree for three lists. This reads the one shape that we write, and
/// the tests below show that what it can't read comes out empty, which fails.
fn list(toml: &str, table: &str, key: &str) -> Vec<String> {
    let mut lines = toml
        .lines()
        .map(str::trim)
        .skip_while(|line| *line != format!("[{table}]"))
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .skip_while(|line| *line != format!("{key} = ["))
        .skip(1);
    let mut entries = Vec::new();
    for line in &mut lines {
        if line == "]" {
            break;
        }
        if let Some(entry) = line.split('"').nth(1) {
            entries.push(entry.to_owned());
        }
    }
    entries
}

/// Whether a licence expression can be met with the allowed licences alone. A slash is the old way to write `OR`.
fn is_met(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    let is_met = either(&mut rest, allowed);
    // What is left over was not understood, and what isn't understood isn't allowed.
    is_met == Some(true) && rest.is_empty()
}

fn either(words: &mut &[&str], allowed: &[String]) -> Option<bool> {
    let mut is_met = both(words, allowed)?;
    while let ["OR", rest @ ..] = *words {
        *words = rest;
        is_met |= both(words, allowed)?;
    }
    Some(is_met)
}

fn both(words: &mut &[&str], allowed: &[String]) -> Option<bool> {
    let mut is_met = one(words, allowed)?;
    while let ["AND", rest @ ..] = *words {
        *words = rest;
        is_met &= one(words, allowed)?;
    }
    Some(is_met)
}

fn one(words: &mut &[&str], allowed: &[String]) -> Option<bool> {
    match **words {
        ["(", ref rest @ ..] => {
            *words = rest;
            let is_met = either(words, allowed)?;
            let [")", rest @ ..] = *words else {
                return None;
            };
            *words = rest;
            Some(is_met)
        }
        [licence, "WITH", exception, ref rest @ ..] => {
            *words = rest;
            Some(allowed.contains(&format!("{licence} WITH {exception}")))
        }
        [licence, ref rest @ ..] => {
            *words = rest;
            Some(allowed.iter().any(|allowed| allowed == licence))
        }
        [] => None,
    }
}

fn packages_with_other_licences(metadata: &Value, allowed: &[String]) -> Vec<String> {
    packages(metadata)
        .filter_map(|package| {
            let licence = package["license"].as_str().unwrap_or("no licence");
            (!is_met(licence, allowed)).then(|| format!("{} has {licence}", name(package)))
        })
        .collect()
}

fn packages_from_elsewhere(metadata: &Value, registries: &[String]) -> Vec<String> {
    let root = metadata["workspace_root"].as_str().expect("a root");
    packages(metadata)
        .filter_map(|package| {
            let (from, is_known) = if let Some(source) = package["source"].as_str() {
                let of_source = |registry: &String| source == format!("registry+{registry}");
                (source, registries.iter().any(of_source))
            } else {
                // Our own packages have no source, only a place on the disk.
                let manifest = package["manifest_path"].as_str().expect("a manifest");
                (manifest, manifest.starts_with(root))
            };
            (!is_known).then(|| format!("{} comes from {from}", name(package)))
        })
        .collect()
}

fn banned_packages(metadata: &Value, banned: &[String]) -> Vec<String> {
    packages(metadata)
        .map(name)
        .filter(|name| banned.contains(name))
        .map(|name| format!("{name} is banned in deny.toml, which says why"))
        .collect()
}

/// What the ui ships, and where any of its packages comes from.
fn npm_packages_against_the_rules(lock: &Value, allowed: &[String]) -> Vec<String> {
    let mut complaints = Vec::new();
    let packages = lock["packages"].as_object().expect("packages");
    for (path, package) in packages.iter().filter(|(path, _)| !path.is_empty()) {
        // Lock files leave the address out or name npm's own registry, never a mirror or a repository.
        if let Some(resolved) = package["resolved"].as_str()
            && !resolved.starts_with("https://registry.npmjs.org/")
        {
            complaints.push(format!("{path} comes from {resolved}"));
        }
        let licence = package["license"].as_str().unwrap_or("no licence");
        if package["dev"] != true && !is_met(licence, allowed) {
            complaints.push(format!("{path} has {licence}"));
        }
    }
    complaints
}

fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().expect("packages").iter()
}

fn name(package: &Value) -> String {
    package["name"].as_str().expect("a name").to_owned()
}

/// A list of deny.toml that must have entries, or the rule that reads it would allow or forbid nothing.
fn our_list(table: &str, key: &str) -> Vec<String> {
    let entries = list(&text("deny.toml"), table, key);
    assert!(!entries.is_empty(), "deny.toml has no {table}.{key}");
    entries
}

#[test]
fn every_package_has_a_licence_that_we_allow() {
    assert!(packages(&METADATA).count() > 100, "the packages were not read");
    nothing_to_complain(&packages_with_other_licences(&METADATA, &our_list("licenses", "allow")));
}

#[test]
fn every_package_comes_from_the_registry() {
    nothing_to_complain(&packages_from_elsewhere(&METADATA, &our_list("sources", "allow-registry")));
}

#[test]
fn no_banned_package_is_here() {
    nothing_to_complain(&banned_packages(&METADATA, &our_list("bans", "deny")));
}

#[test]
fn the_ui_ships_what_we_allow() {
    let lock = serde_json::from_str(&text("ui/package-lock.json")).expect("the lock file is JSON");
    nothing_to_complain(&npm_packages_against_the_rules(&lock, &our_list("licenses", "allow")));
}

#[test]
fn the_rules_about_packages_complain() {
    let allowed = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0"].map(str::to_owned);
    let cases = [
        ("MIT", true),
        ("MIT/GPL-3.0", true),
        ("GPL-3.0 / MIT", true),
        ("(MIT OR GPL-3.0) AND Unicode-3.0", true),
        ("Apache-2.0 WITH LLVM-exception OR GPL-3.0", true),
        ("GPL-3.0", false),
        ("MIT AND GPL-3.0", false),
        ("MIT OR GPL-3.0 AND ISC", true),
        ("(MIT OR GPL-3.0) AND ISC", false),
        ("MIT WITH LLVM-exception", false),
        ("no licence", false),
        ("(MIT", false),
        ("MIT Apache-2.0", false),
        ("", false),
    ];
    for (expression, expected) in cases {
        assert_eq!(is_met(expression, &allowed), expected, "{expression}");
    }

    let metadata = serde_json::json!({
        "workspace_root": "/here",
        "packages": [
            { "name": "ours", "license": "MIT", "source": null, "manifest_path": "/here/ours/Cargo.toml" },
            { "name": "beside", "license": null, "source": null, "manifest_path": "/elsewhere/Cargo.toml" },
            { "name": "git", "license": "GPL-3.0", "source": "git+https://example.org/git" },
            { "name": "good", "license": "MIT", "source": "registry+https://registry.example" },
        ],
    });
    assert_eq!(packages_with_other_licences(&metadata, &allowed).len(), 2);
    assert_eq!(packages_from_elsewhere(&metadata, &["https://registry.example".to_owned()]).len(), 2);
    assert_eq!(banned_packages(&metadata, &["git".to_owned()]).len(), 1);

    let lock = serde_json::json!({ "packages": {
        "": { "name": "ui" },
        "node_modules/good": { "license": "MIT", "resolved": "https://registry.npmjs.org/good/-/good-1.0.0.tgz" },
        "node_modules/tool": { "license": "GPL-3.0", "dev": true },
        "node_modules/bad": { "license": "GPL-3.0" },
        "node_modules/mirror": { "license": "MIT", "resolved": "https://mirror.example/mirror.tgz" },
    }});
    assert_eq!(npm_packages_against_the_rules(&lock, &allowed).len(), 2);

    let toml = "[a]\nkey = [\n  \"no\",\n]\n[b]\nother = 1\nkey = [\n  \"one\",\n  # a word\n  { crate = \"two\", reason = \"r\" },\n]\n";
    assert_eq!(list(toml, "b", "key"), ["one", "two"]);
    assert_eq!(list("[b]\nkey = [\"one\"]\n", "b", "key"), Vec::<String>::new(), "not our shape");
}
