//! What a notice says, at each level of privacy. App-built words and displayed text only; nothing that a model wrote as prose,
//! and no secret (c.8, surface 67).

use countersign_core::parse::{self, Tree, to_text};
use countersign_core::request::RequestKind;

use crate::cards;
use crate::desk::Desk;
use crate::display::mask::Masks;
use crate::display::text::{hidden_count, one_line, plain, safe};
use crate::wire::inbox::{RequestRow, RowGroup, RowKind, SetCard};
use crate::wire::settings::{Privacy, Settings};
use crate::wire::window::ApiError;
use crate::words::{Unsaid, Waiting, Wants, say};

/// The longest conversation name in a notice.
const NAME_WIDTH: usize = 40;
/// The longest payload line in a notice.
pub(super) const BODY_WIDTH: usize = 120;
/// A verb with a tool's name in it.
const VERB_WIDTH: usize = 60;

/// What a notice says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Words {
    pub(crate) title: String,
    pub(crate) body: String,
    /// Whether the body is all of what would run, unshortened and as it is.
    pub(crate) whole: bool,
}

/// What a set's notice says. `again` for one that was told before.
pub(crate) async fn of_set(desk: &Desk, set: &SetCard, settings: &Settings, again: bool) -> Result<Words, ApiError> {
    let name = name(&plain(&set.title), settings);
    let only = match set.rows.as_slice() {
        [only] => Some(only),
        _ => None,
    };
    if settings.privacy == Privacy::Private {
        let (title, body) = (say().someone_waits(again), say().requests(set.rows.len() as u64));
        return Ok(Words { title, body, whole: false });
    }
    let title = match only {
        Some(only) => wants(&name, only, settings, again),
        None => say().wants(&name, Wants::You, again),
    };
    let (body, whole) = match only {
        None => (amounts(&set.rows), false),
        Some(only) => body(desk, only, settings).await?,
    };
    Ok(Words { title, body, whole })
}

/// A row in one line, for the tray's menu.
pub(crate) fn line(set: &SetCard, row: &RequestRow, settings: &Settings) -> String {
    match settings.privacy {
        Privacy::Private => say().a_request(),
        Privacy::Full | Privacy::Target => {
            format!("{}: {}", name(&plain(&set.title), settings), short(&plain(&row.verb), VERB_WIDTH, settings))
        }
    }
}

/// A conversation's name.
pub(super) fn name(title: &str, settings: &Settings) -> String {
    short(title, NAME_WIDTH, settings)
}

/// A text in one line, without secrets and without hidden characters.
pub(super) fn short(text: &str, most: usize, settings: &Settings) -> String {
    plain(&one_line(&Masks::new(&settings.masks).hide(text), most))
}

async fn body(desk: &Desk, only: &RequestRow, settings: &Settings) -> Result<(String, bool), ApiError> {
    let unsaid = |what| Ok((say().open_to_see(what), false));
    match only.kind {
        RowKind::Plan => return unsaid(Unsaid::Plan),
        // What is asked is in the words of an agent or a server.
        RowKind::Question => return unsaid(Unsaid::Question),
        RowKind::Call | RowKind::Approved => {}
    }
    let fact = desk.engine.store().call_fact(crate::desk::row(&only.id)?).await?;
    let Some(fact) = fact.filter(|fact| fact.request.as_ref().is_none_or(|one| one.kind == RequestKind::Call)) else {
        return unsaid(Unsaid::Request);
    };
    if settings.privacy == Privacy::Full {
        return Ok(payload(&fact.call.tool, &fact.call.arguments, settings));
    }
    let profile = desk.engine.store().agent(fact.agent).await?;
    let folder = profile.map_or_else(String::new, |profile| {
        short(&plain(&cards::folder(&profile.folder, desk.host.home.as_deref())), BODY_WIDTH, settings)
    });
    let place = if folder.is_empty() { say().open_to_see_whole() } else { say().in_folder(&folder) };
    Ok(match only.group {
        RowGroup::Files => (short(&plain(&only.target), BODY_WIDTH, settings), false),
        RowGroup::Commands | RowGroup::Plans | RowGroup::Other => (place, false),
    })
}

/// The first line of what would run, and whether that is all of it, shown as it is.
pub(super) fn payload(tool: &str, arguments: &str, settings: &Settings) -> (String, bool) {
    let Ok(tree) = parse::arguments(arguments) else {
        return (say().open_to_see(Unsaid::Call), false);
    };
    let (text, all) = in_one(tool, &tree);
    let first = text.lines().next().unwrap_or_default();
    let shown = Masks::new(&settings.masks).hide(first);
    let secret = shown != first;
    // Looked at unshortened: a cut could hide what is hidden.
    let clear = hidden_count(&safe(&text)) == 0 && plain(&safe(&text)) == text;
    let fits = first == text && first.chars().count() <= BODY_WIDTH && first.trim() == first && !first.is_empty();
    (plain(&one_line(&shown, BODY_WIDTH)), all && !secret && clear && fits)
}

/// The arguments in one text, and whether none is left out of it. A command is shown as it is; of anything else each value
/// stands behind its key as JSON, so that no value can look like a key.
fn in_one(tool: &str, tree: &Tree) -> (String, bool) {
    let Tree::Object(pairs) = tree else { return (to_text(tree), true) };
    let command = pairs.iter().find(|(key, _)| key == "command");
    if let ("run_command", Some((_, Tree::Text(command)))) = (tool, command) {
        return (command.clone(), pairs.len() == 1);
    }
    let named =
        |key: &str| !key.is_empty() && key.chars().all(|one| one.is_ascii_alphanumeric() || one == '_' || one == '-');
    let parts: Vec<String> = pairs.iter().map(|(key, value)| format!("{key}: {}", to_text(value))).collect();
    (parts.join(", "), pairs.iter().all(|(key, _)| named(key)))
}

fn wants(name: &str, row: &RequestRow, settings: &Settings, again: bool) -> String {
    let what = match (row.kind, row.group) {
        (RowKind::Approved, _) => Wants::HasApproved,
        (RowKind::Plan, _) => Wants::Plan,
        (RowKind::Question, _) => Wants::Input,
        (RowKind::Call, RowGroup::Commands) => Wants::Command,
        (RowKind::Call, RowGroup::Files | RowGroup::Other | RowGroup::Plans) => {
            return say().wants(name, Wants::Call(&short(&plain(&row.verb), VERB_WIDTH, settings)), again);
        }
    };
    say().wants(name, what, again)
}

fn amounts(rows: &[RequestRow]) -> String {
    let count = |group| rows.iter().filter(|row| row.kind != RowKind::Question && row.group == group).count();
    let questions = rows.iter().filter(|row| row.kind == RowKind::Question).count();
    let said = |of, amount: usize| (amount > 0).then(|| say().amount(of, amount as u64));
    let parts: Vec<String> = [
        said(Waiting::Commands, count(RowGroup::Commands)),
        said(Waiting::Files, count(RowGroup::Files)),
        said(Waiting::Plans, count(RowGroup::Plans)),
        said(Waiting::Questions, questions),
        said(Waiting::Others, count(RowGroup::Other)),
    ]
    .into_iter()
    .flatten()
    .collect();
    say().requests_wait(rows.len() as u64, &parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body_of(tool: &str, arguments: &str) -> (String, bool) {
        payload(tool, arguments, &Settings::default())
    }

    #[test]
    fn surface_64_whole_is_only_what_is_shown_to_its_last_character() {
        assert_eq!(body_of("run_command", r#"{"command":"git status"}"#), ("git status".to_owned(), true));
        assert_eq!(
            body_of("write_file", r#"{"path":"a","content":"x, path: \"b\""}"#),
            (r#"path: "a", content: "x, path: \"b\"""#.to_owned(), true)
        );
        let long = format!(r#"{{"command":"echo {}"}}"#, "x".repeat(BODY_WIDTH));
        for arguments in [
            r#"{"command":"git status\nrm -rf /"}"#,
            r#"{"command":"git status\n"}"#,
            r#"{"command":"git status","shell":"zsh"}"#,
            r#"{"command":"git st\u202eatus"}"#,
            r#"{"command":"git            status"}"#,
            r#"{"command":" git status"}"#,
            r#"{"command":"TOKEN=abcdef git status"}"#,
            r#"{"command":""}"#,
            r#"{"a: 1, b":2}"#,
            r#"{"cmd":1"#,
            &long,
        ] {
            let (body, whole) = body_of("run_command", arguments);
            assert!(!whole, "{arguments} as {body}");
        }
        assert_eq!(body_of("run_command", r#"{"command":"TOKEN=abcdef x"}"#).0, "TOKEN=•••••• x");
    }
}
