//! A conversation as a file: what was said and what was called, from the beginning on, as it is displayed, with secrets masked unless the
//! person wants them. Its manifest has the hash.

use countersign_core::change::MessageBody;
use countersign_core::ids::ConversationId;
use countersign_store::read::conversation::MessageFact;
use serde_json::json;

use super::export::{extension, fenced, language_of, literal, places, put, time};
use super::growing::Growing;
use crate::cards;
use crate::desk::Desk;
use crate::display::mask::Masks;
use crate::display::text::{plain, safe};
use crate::error::{invalid, not_found, refused};
use crate::wire::history::{ExportFormat, Exported};
use crate::wire::window::ApiError;
use crate::words::{FilePart, Thing, say, within};

/// Messages that are read at once.
const PART: i64 = 50;

/// Writes a conversation.
///
/// # Errors
/// If there is no such conversation, the format is a table, or the file can't be made; then there is none.
pub(super) async fn write(
    desk: &Desk,
    of: ConversationId,
    format: ExportFormat,
    masked: bool,
    path: &str,
) -> Result<Exported, ApiError> {
    if format == ExportFormat::Csv {
        return Err(invalid("format", say().no_table()));
    }
    let (path, manifest) = places(desk, format, path)?;
    let store = desk.engine.store();
    let (conversation, _) = store.conversation(of).await?.ok_or_else(|| not_found(Thing::Conversation))?;
    let masks = if masked { Masks::new(&desk.settings().masks) } else { Masks::unmasked() };
    let shown = |text: &str| plain(&safe(&masks.hide(text)));
    let mut file = Growing::new(&path).await?;
    if format == ExportFormat::Markdown {
        file.put(&format!("# {}\n", literal(&shown(&conversation.title)))).await?;
    }
    let (mut behind, mut count) = (i64::MIN, 0_i64);
    loop {
        if desk.closing.is_cancelled() {
            return Err(refused(say().quitting()));
        }
        let page = store.messages_behind(of, behind, PART).await?;
        let Some(last) = page.last() else { break };
        behind = last.message.seq;
        for fact in &page {
            let part = within(language_of(format), || match format {
                ExportFormat::Jsonl | ExportFormat::Csv => line(fact, &shown),
                ExportFormat::Markdown => section(fact, &shown),
            });
            file.put(&part).await?;
            count += 1;
        }
    }
    let sha256 = file.end().await?;
    let told = json!({
        "file": path.file_name().map(|name| name.to_string_lossy().into_owned()),
        "format": extension(format),
        "sha256": sha256,
        "messages": count,
        "secrets_masked": masked,
        "order": "oldest first",
        "countersign": desk.host.version,
        "written": time(desk.host.clock.now().0),
    });
    put(&manifest, &(serde_json::to_string_pretty(&told).unwrap_or_default() + "\n")).await?;
    Ok(Exported { file: path.display().to_string(), manifest: manifest.display().to_string(), count, sha256 })
}

/// Who speaks, by a word of ours; what an agent beside it is called, whatever that is; and what is said.
fn speaker(body: &MessageBody) -> (&'static str, Option<&str>, &str) {
    match body {
        MessageBody::User { text } => ("you", None, text),
        MessageBody::Agent { name, text } => ("agent", Some(name), text),
        MessageBody::Assistant { text, .. } => ("agent", None, text),
    }
}

fn line(fact: &MessageFact, shown: &dyn Fn(&str) -> String) -> String {
    format!("{}\n", value(fact, shown))
}

/// A message as a program reads it.
pub(super) fn value(fact: &MessageFact, shown: &dyn Fn(&str) -> String) -> serde_json::Value {
    let (who, name, text) = speaker(&fact.message.body);
    let calls: Vec<_> = fact
        .calls
        .iter()
        .map(|call| {
            let (words, _) = cards::call_words(call);
            let result = call.result.as_deref().map(shown);
            json!({ "tool": shown(&call.call.tool), "arguments": shown(&call.call.arguments), "became": words, "result": result })
        })
        .collect();
    let at = time(fact.message.at.0);
    json!({ "at": at, "who": who, "name": name.map(shown), "text": shown(text), "calls": calls })
}

fn section(fact: &MessageFact, shown: &dyn Fn(&str) -> String) -> String {
    let (who, name, text) = speaker(&fact.message.body);
    let name = name.map(|name| format!(" {}", say().in_quotes(&literal(&shown(name))))).unwrap_or_default();
    let who = say().file_part(if who == "you" { FilePart::You } else { FilePart::Agent });
    let mut section = format!("\n## {} · {who}{name}\n", time(fact.message.at.0));
    if !text.trim().is_empty() {
        section.push_str(&fenced(&shown(text)));
    }
    for call in &fact.calls {
        let (words, _) = cards::call_words(call);
        let tool = literal(&shown(&call.call.tool));
        section.extend(["\n- ", &tool, " · ", &literal(&words), "\n"]);
        section.push_str(&fenced(&shown(&call.call.arguments)));
        if let Some(result) = call.result.as_deref().filter(|result| !result.trim().is_empty()) {
            section.extend(["\n", &say().file_part(FilePart::Result), ":\n"]);
            section.push_str(&fenced(&shown(result)));
        }
    }
    section
}
