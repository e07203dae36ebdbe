//! What source text must not say: markup from a model, a second door to Tauri, a test that is skipped.

use crate::nothing_to_complain;
use crate::repository::{FILES, File};

/// A text, where it is looked for, where it may stand all the same, and why not elsewhere.
struct Rule {
    text: &'static str,
    extensions: &'static [&'static str],
    under: &'static str,
    except: Option<&'static str>,
    why: &'static str,
}

/// Each text is written in two halves, or this file would be the first to break the rule.
const RULES: &[Rule] = &[
    Rule {
        text: concat!("{@", "html"),
        extensions: &["svelte", "ts"],
        under: "ui/src/",
        except: None,
        why: "what a model or a tool wrote is shown as text",
    },
    Rule {
        text: concat!("@tauri", "-apps/"),
        extensions: &["svelte", "ts", "js"],
        under: "ui/src/",
        except: Some("ui/src/lib/ipc/"),
        why: "one module talks to Tauri",
    },
    Rule {
        text: concat!("#[", "ignore"),
        extensions: &["rs"],
        under: "",
        except: None,
        why: "a test runs or fails, it never skips",
    },
    Rule {
        text: concat!("#[should", "_panic"),
        extensions: &["rs"],
        under: "",
        except: None,
        why: "a test says which failure it expects",
    },
    Rule {
        text: concat!(".", "skip("),
        extensions: &["test.ts"],
        under: "ui/",
        except: None,
        why: "a test runs or fails, it never skips",
    },
    Rule {
        text: concat!(".", "only("),
        extensions: &["test.ts"],
        under: "ui/",
        except: None,
        why: "the tests beside it would not run",
    },
];

fn forbidden_text(files: &[File]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files {
        let Some(text) = file.text() else { continue };
        for rule in RULES {
            let is_looked_at = file.path.starts_with(rule.under)
                && rule.extensions.iter().any(|extension| file.path.ends_with(&format!(".{extension}")))
                && !rule.except.is_some_and(|except| file.path.starts_with(except));
            if !is_looked_at {
                continue;
            }
            for (number, line) in text.lines().enumerate() {
                if line.contains(rule.text) {
                    complaints.push(format!("{}:{} has {}: {}", file.path, number + 1, rule.text, rule.why));
                }
            }
        }
    }
    complaints
}

#[test]
fn no_source_says_what_it_must_not() {
    nothing_to_complain(&forbidden_text(&FILES));
}

#[test]
fn the_rules_about_sources_complain() {
    for rule in RULES {
        let path = format!("{}x/a.{}", rule.under, rule.extensions[0]);
        let text = format!("first\n{}\n", rule.text);
        assert_eq!(forbidden_text(&[File::sample(&path, &text)]).len(), 1, "{}", rule.text);
        assert_eq!(forbidden_text(&[File::sample("a.md", &text)]).len(), 0, "{}", rule.text);
        if let Some(except) = rule.except {
            let path = format!("{except}a.{}", rule.extensions[0]);
            assert_eq!(forbidden_text(&[File::sample(&path, &text)]).len(), 0, "{path}");
        }
    }
}
