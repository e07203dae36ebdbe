//! History as a file: JSON lines, a table, or Markdown to read, of what the filter in force lets through; with a manifest beside it.
//!
//! What is written is the displayed text, so hidden characters are visible there too, and secrets are masked unless the person wants them.
//! INVARIANT: no file is replaced, and its name says what it is: the window, which names it, can't make it anything that is run.

use std::path::{Path, PathBuf};

use countersign_core::digest::content_hash;
use countersign_core::ids::At;
use countersign_store::read::history::DecisionFact;
use countersign_store::read::search::Filter;
use serde_json::{Map, Value, json};

use super::growing::Growing;
use super::{chain, index, row};
use crate::desk::Desk;
use crate::display::mask::Masks;
use crate::display::text::{plain, safe};
use crate::error::{invalid, refused};
use crate::wire::history::{ChainState, ExportFormat, Exported, HistoryRow};
use crate::wire::window::ApiError;
use crate::words::{FilePart, Spoken, say, spoken, within};

/// Decisions that are read at once.
const PART: i64 = 200;
const COLUMNS: [&str; 14] = [
    "entry",
    "time",
    "conversation",
    "agents",
    "tool",
    "call",
    "target",
    "arguments",
    "decision",
    "by",
    "reason",
    "outcome",
    "time_to_decide_ms",
    "arguments_sha256",
];
/// What a cell of a table must not begin with, or a program takes it for a formula.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// The language of a file: a person's, where a person reads it; always the same, where programs do.
pub(super) fn language_of(format: ExportFormat) -> Spoken {
    match format {
        ExportFormat::Jsonl | ExportFormat::Csv => Spoken::En,
        ExportFormat::Markdown => spoken(),
    }
}

/// The end of the file's name.
pub(super) fn extension(format: ExportFormat) -> &'static str {
    match format {
        ExportFormat::Jsonl => "jsonl",
        ExportFormat::Csv => "csv",
        ExportFormat::Markdown => "md",
    }
}

/// Where a file can go that isn't there yet: the person's downloads, or beside the database. `what` is in its name.
pub(super) fn place(desk: &Desk, format: ExportFormat, what: &str) -> String {
    let downloads = desk.host.home.as_ref().map(|home| home.join("Downloads")).filter(|folder| folder.is_dir());
    let folder = downloads.unwrap_or_else(|| desk.host.data_folder.clone());
    let day = super::today(desk);
    let name = |more: &str| folder.join(format!("countersign-{what}-{day}{more}.{}", extension(format)));
    let names = std::iter::once(name("")).chain((2..1_000).map(|count| name(&format!("-{count}"))));
    let free = names.into_iter().find(|path| !path.exists() && !manifest_of(path).exists());
    free.unwrap_or_else(|| name("-new")).display().to_string()
}

/// Writes what a filter lets through.
pub(super) async fn write(
    desk: &Desk,
    format: ExportFormat,
    filter: (&Filter, &str, &str),
    masked: bool,
    path: &str,
) -> Result<Exported, ApiError> {
    let (path, manifest) = places(desk, format, path)?;
    let mut file = Growing::new(&path).await?;
    let count = all(desk, format, filter.0, masked, &mut file).await?;
    let sha256 = file.end().await?;
    let (_, query, in_words) = filter;
    let content = manifest_text(desk, format, &path, (query, in_words), masked, (count, &sha256));
    put(&manifest, &content).await?;
    Ok(Exported { file: path.display().to_string(), manifest: manifest.display().to_string(), count, sha256 })
}

fn manifest_text(
    desk: &Desk,
    format: ExportFormat,
    path: &Path,
    (query, in_words): (&str, &str),
    masked: bool,
    (count, sha256): (i64, &str),
) -> String {
    let chain = match chain::state(desk) {
        ChainState::Whole { entries, hash, at } => {
            json!({ "adds_up": true, "entries": entries, "last_hash": hash, "checked": time(at) })
        }
        ChainState::Broken { entry, at, before: _, shorter } => {
            json!({ "adds_up": false, "from_entry": entry, "made": time(at), "shorter_than_before": shorter })
        }
        ChainState::Unchecked | ChainState::Checking { .. } => Value::Null,
    };
    let manifest = json!({
        "file": path.file_name().map(|name| name.to_string_lossy().into_owned()),
        "format": extension(format),
        "sha256": sha256,
        "decisions": count,
        "filter": { "words": if in_words.is_empty() { "all decisions" } else { in_words }, "query": plain(&safe(query)) },
        "secrets_masked": masked,
        "order": "newest first",
        "record": chain,
        "countersign": desk.host.version,
        "written": time(desk.host.clock.now().0),
    });
    // A value that was just made of values can always be written.
    serde_json::to_string_pretty(&manifest).unwrap_or_default() + "\n"
}

/// Where file and manifest go, if both can be made there.
pub(super) fn places(desk: &Desk, format: ExportFormat, path: &str) -> Result<(PathBuf, PathBuf), ApiError> {
    let path = checked(desk, format, path)?;
    let manifest = manifest_of(&path);
    if manifest.exists() {
        return Err(invalid("path", say().is_there_already(&manifest.display().to_string())));
    }
    Ok((path, manifest))
}

/// Writes a new file whole, or leaves none.
pub(super) async fn put(path: &Path, text: &str) -> Result<(), ApiError> {
    let mut file = Growing::new(path).await?;
    file.put(text).await?;
    file.end().await.map(|_| ())
}

/// The path, if a file can be made there.
fn checked(desk: &Desk, format: ExportFormat, path: &str) -> Result<PathBuf, ApiError> {
    let typed = path.trim();
    let path = match (typed.strip_prefix("~/"), &desk.host.home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(typed),
    };
    if !path.is_absolute() || path.file_name().is_none() {
        return Err(invalid("path", say().whole_path()));
    }
    let wanted = extension(format);
    if path.extension().is_none_or(|found| !found.eq_ignore_ascii_case(wanted)) {
        return Err(invalid("path", say().ends_in(wanted)));
    }
    if !path.parent().is_some_and(Path::is_dir) {
        return Err(invalid("path", say().no_such_folder()));
    }
    Ok(path)
}

fn manifest_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".manifest.json");
    PathBuf::from(name)
}

pub(super) async fn create(path: &Path) -> Result<tokio::fs::File, ApiError> {
    let mut options = tokio::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    options.mode(0o600);
    options.open(path).await.map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => invalid("path", say().name_in_use()),
        _ => failed(path, &error),
    })
}

pub(super) fn failed(path: &Path, error: &std::io::Error) -> ApiError {
    refused(say().not_written(&path.display().to_string(), &error.to_string()))
}

async fn all(
    desk: &Desk,
    format: ExportFormat,
    filter: &Filter,
    masked: bool,
    to: &mut Growing,
) -> Result<i64, ApiError> {
    let store = desk.engine.store();
    let masks = masked.then(|| Masks::new(&desk.settings().masks));
    let language = language_of(format);
    let (mut before, mut count) = (i64::MAX, 0);
    match format {
        ExportFormat::Jsonl => {}
        // The mark tells programs that the text is UTF-8.
        ExportFormat::Csv => to.put(&format!("\u{feff}{}\r\n", COLUMNS.join(","))).await?,
        ExportFormat::Markdown => to.put(&format!("# {}\n", say().file_part(FilePart::Decisions))).await?,
    }
    loop {
        if desk.closing.is_cancelled() {
            return Err(refused(say().quitting()));
        }
        let facts = if filter.is_empty() {
            store.history(before, PART).await?
        } else {
            store.decisions(&store.found(filter, before, PART).await?).await?
        };
        let Some(last) = facts.last() else { break };
        before = last.seq();
        let mut text = String::new();
        for fact in &facts {
            let Some(row) = row(store, fact, language).await? else { continue };
            let cells = within(language, || cells(fact, &row, masks.as_ref()));
            text.push_str(&match format {
                ExportFormat::Jsonl => line(&cells, &row),
                ExportFormat::Csv => table_row(&cells),
                ExportFormat::Markdown => section(&cells),
            });
            count += 1;
        }
        to.put(&text).await?;
    }
    Ok(count)
}

/// In the order of [`COLUMNS`].
fn cells(fact: &DecisionFact, row: &HistoryRow, masks: Option<&Masks>) -> [String; 14] {
    let hide = |text: String| masks.map_or(text.clone(), |masks| masks.hide(&text));
    let none = Masks::unmasked();
    let call = &fact.about().call;
    let (arguments, digest, reason) = match fact {
        DecisionFact::Call(fact) => {
            let words = fact.decided.as_ref().and_then(|decided| decided.words.clone());
            let arguments = index::written(&call.arguments, masks.unwrap_or(&none));
            (arguments, content_hash(call.arguments.as_bytes()), words.unwrap_or_default())
        }
        // What a server asked, never what it got (N-57).
        DecisionFact::Held(fact) => {
            let message = &fact.question.held.message;
            (hide(plain(&safe(message))), content_hash(message.as_bytes()), String::new())
        }
    };
    let path: Vec<String> = row.path.iter().map(plain).collect();
    [
        row.seq.to_string(),
        time(row.at),
        hide(plain(&row.title)),
        path.join(" › "),
        plain(&safe(&call.tool)),
        plain(&row.verb),
        hide(plain(&row.target)),
        arguments,
        row.decision.clone(),
        plain(&row.by),
        hide(plain(&safe(&reason))),
        hide(row.outcome.clone()),
        row.took_ms.map(|took| took.to_string()).unwrap_or_default(),
        digest,
    ]
}

/// A decision as a program reads it; none of a question that is open.
pub(super) async fn facts_line(desk: &Desk, fact: &DecisionFact, masks: &Masks) -> Result<Option<Value>, ApiError> {
    let row = row(desk.engine.store(), fact, Spoken::En).await?;
    Ok(row.map(|row| within(Spoken::En, || object(&cells(fact, &row, Some(masks)), &row))))
}

fn line(cells: &[String; 14], row: &HistoryRow) -> String {
    object(cells, row).to_string() + "\n"
}

fn object(cells: &[String; 14], row: &HistoryRow) -> Value {
    let mut object = Map::new();
    for (name, cell) in COLUMNS.iter().zip(cells) {
        let value = match *name {
            "entry" => json!(row.seq),
            "time_to_decide_ms" => json!(row.took_ms),
            _ => json!(cell),
        };
        object.insert((*name).to_owned(), value);
    }
    Value::Object(object)
}

fn table_row(cells: &[String; 14]) -> String {
    let cell = |text: &String| {
        // What only looks like a number is one: nothing else begins with a sign there.
        let guarded = if text.starts_with(FORMULA) { format!("'{text}") } else { text.clone() };
        if guarded.contains([',', '"', '\n', '\r', '\'']) {
            format!("\"{}\"", guarded.replace('"', "\"\""))
        } else {
            guarded
        }
    };
    cells.iter().map(cell).collect::<Vec<_>>().join(",") + "\r\n"
}

/// For reading, so in the language of the person; what the other formats write is for programs, and stays as it is.
fn section(cells: &[String; 14]) -> String {
    let [entry, at, title, path, tool, verb, target, arguments, decision, by, reason, outcome, took, digest] = cells;
    let named = |part, value: &str| match value {
        "" => String::new(),
        _ => format!("- {}: {}\n", say().file_part(part), literal(value)),
    };
    let took = if took.is_empty() { String::new() } else { format!("{took} ms") };
    format!(
        "\n## {at} · {} {}\n\n{}{}{}{}{}{}{}{}{}{}",
        literal(verb),
        literal(target),
        named(FilePart::Decision, &format!("{decision} · {by}")),
        named(FilePart::Reason, reason),
        named(FilePart::Outcome, outcome),
        named(FilePart::Conversation, title),
        named(FilePart::Agents, path),
        named(FilePart::Tool, tool),
        named(FilePart::TimeToDecide, &took),
        named(FilePart::Entry, entry),
        named(FilePart::Hash, digest),
        fenced(arguments),
    )
}

/// A block that no text in it can close.
pub(super) fn fenced(text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("\n{fence}\n{}\n{fence}\n", text.trim_end())
}

/// Text that Markdown takes as it is.
pub(super) fn literal(text: &str) -> String {
    let mut literal = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter == '\n' {
            literal.push(' ');
            continue;
        }
        if letter.is_ascii_punctuation() {
            literal.push('\\');
        }
        literal.push(letter);
    }
    literal
}

pub(super) fn time(at: i64) -> String {
    jiff::Timestamp::from_millisecond(At(at).0).map(|at| at.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_is_a_formula_and_no_text_leaves_its_place() {
        let mut cells: [String; 14] = std::array::from_fn(|_| String::new());
        cells[7] = "=HYPERLINK(\"http://x\")".to_owned();
        cells[8] = "-1+1".to_owned();
        cells[9] = "a,b".to_owned();
        assert_eq!(table_row(&cells), ",,,,,,,\"'=HYPERLINK(\"\"http://x\"\")\",\"'-1+1\",\"a,b\",,,,\r\n");
        cells[6] = "<img> *a* `b`\n# c".to_owned();
        cells[7] = "```\n# no heading\n````".to_owned();
        let section = section(&cells);
        assert!(section.contains("\\<img\\> \\*a\\* \\`b\\` \\# c"), "{section}");
        assert!(section.contains("\n`````\n```\n# no heading\n````\n`````\n"), "{section}");
    }
}
