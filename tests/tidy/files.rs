//! How files are kept: their length, their names, their line ends, and that a clone needs nothing beside it.

use crate::nothing_to_complain;
use crate::repository::{FILES, File, text};

/// The longest file that needs no reason.
const LONG: usize = 500;

/// A reason stands this near to the top, where a reader meets it first.
const HEADER: usize = 15;

/// Everything that may lie at the top: five folders with a purpose, and beside them only what tools demand.
const TOP: &[&str] = &[
    ".cargo",
    ".ci",
    ".config",
    ".gitattributes",
    ".gitignore",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "README.md",
    "clippy.toml",
    "deny.toml",
    "dev",
    "icons",
    "rustfmt.toml",
    "src-tauri",
    "tests",
    "ui",
];

fn too_long(files: &[File]) -> Vec<String> {
    files
        .iter()
        .filter(|file| file.is_one_of(&["rs", "ts", "svelte", "css"]))
        .filter_map(|file| {
            let text = file.text()?;
            let lines = text.lines().count();
            let has_reason = text
                .lines()
                .take(HEADER)
                .any(|line| line.contains("long because"));
            (lines > LONG && !has_reason).then(|| {
                format!(
                    "{} has {lines} lines and no \"long because\" in its header",
                    file.path
                )
            })
        })
        .collect()
}

fn named_mod_rs(files: &[File]) -> Vec<String> {
    files
        .iter()
        .filter(|file| file.path == "mod.rs" || file.path.ends_with("/mod.rs"))
        .map(|file| format!("{}: name it after its folder, beside it", file.path))
        .collect()
}

/// A migration is known by the hash of its bytes, so a carriage return would make it another one.
fn sql_with_carriage_returns(files: &[File]) -> Vec<String> {
    files
        .iter()
        .filter(|file| file.is_one_of(&["sql"]) && file.bytes.contains(&b'\r'))
        .map(|file| format!("{} has carriage returns", file.path))
        .collect()
}

fn strangers_at_the_top(files: &[File]) -> Vec<String> {
    let mut strangers: Vec<&str> = files
        .iter()
        .filter_map(|file| file.path.split('/').next())
        .filter(|name| !TOP.contains(name))
        .collect();
    strangers.dedup();
    strangers
        .into_iter()
        .map(|name| format!("{name} has no place at the top level"))
        .collect()
}

/// A clone builds and passes alone. A folder called shared exists in the ui, and a path to it from there is fine; any other
/// climb to a folder of that name leaves the repository.
fn reaching_beside_the_clone(files: &[File]) -> Vec<String> {
    const CLIMB: &str = concat!("../", "shared");
    let mut complaints = Vec::new();
    for file in files {
        let Some(text) = file.text() else { continue };
        for (at, _) in text.match_indices(CLIMB) {
            let mut steps = 1;
            while text[..at].ends_with(&"../".repeat(steps)) {
                steps += 1;
            }
            let folders: Vec<&str> = file.path.split('/').collect();
            let kept = folders.len().checked_sub(1 + steps);
            let lands = kept.map(|kept| folders[..kept].join("/"));
            if lands.as_deref() != Some("ui/src") {
                let line = text[..at].lines().count();
                complaints.push(format!("{}:{line} reaches beside the clone", file.path));
            }
        }
    }
    complaints
}

#[test]
fn no_file_is_long_without_a_reason() {
    nothing_to_complain(&too_long(&FILES));
}

#[test]
fn no_module_is_called_mod() {
    nothing_to_complain(&named_mod_rs(&FILES));
}

#[test]
fn sql_has_plain_line_ends() {
    nothing_to_complain(&sql_with_carriage_returns(&FILES));
    assert!(
        text(".gitattributes")
            .lines()
            .any(|line| line == "*.sql text eol=lf"),
        "git must not change the line ends of migrations"
    );
}

#[test]
fn the_top_level_holds_what_it_should() {
    nothing_to_complain(&strangers_at_the_top(&FILES));
}

#[test]
fn a_clone_needs_nothing_beside_it() {
    nothing_to_complain(&reaching_beside_the_clone(&FILES));
}

#[test]
fn the_rules_about_files_complain() {
    let long = "line\n".repeat(LONG + 1);
    let late = format!("{}// long because\n{long}", "line\n".repeat(HEADER));
    let cases = [
        (File::sample("a.rs", &long), 1),
        (File::sample("a.svelte", &late), 1),
        (
            File::sample("a.ts", &format!("// long because it is a table\n{long}")),
            0,
        ),
        (File::sample("a.css", &"line\n".repeat(LONG)), 0),
        (File::sample("a.md", &long), 0),
    ];
    for (file, expected) in cases {
        assert_eq!(too_long(&[file]).len(), expected);
    }

    assert_eq!(named_mod_rs(&[File::sample("tests/a/mod.rs", "")]).len(), 1);
    assert_eq!(
        named_mod_rs(&[File::sample("tests/a/amod.rs", "")]).len(),
        0
    );
    assert_eq!(
        sql_with_carriage_returns(&[File::sample("a.sql", "SELECT 1;\r\n")]).len(),
        1
    );
    assert_eq!(
        sql_with_carriage_returns(&[File::sample("a.sql", "SELECT 1;\n")]).len(),
        0
    );
    assert_eq!(
        strangers_at_the_top(&[File::sample("notes.txt", "")]).len(),
        1
    );
    assert_eq!(
        strangers_at_the_top(&[File::sample("docs/a.md", "")]).len(),
        1
    );
    assert_eq!(
        strangers_at_the_top(&[File::sample("ui/a.ts", "")]).len(),
        0
    );

    let climb = concat!("../", "shared/Button.svelte");
    let cases = [
        ("README.md", climb.to_owned(), 1),
        ("tests/src/lib.rs", climb.to_owned(), 1),
        ("ui/src/App.svelte", climb.to_owned(), 1),
        ("ui/src/inbox/InboxRow.svelte", climb.to_owned(), 0),
        ("ui/src/inbox/rows/Row.svelte", format!("../{climb}"), 0),
        ("ui/src/inbox/Row.svelte", format!("../../../{climb}"), 1),
    ];
    for (path, text, expected) in cases {
        let complaints = reaching_beside_the_clone(&[File::sample(path, &text)]);
        assert_eq!(complaints.len(), expected, "{path}");
    }
}
