//! Everything that Countersign keeps of the person's own, as one file of JSON lines: each says by `is` what it is. Its manifest counts them
//! by kind and has the hash. Keys and secret values are none of it: they are in no table.

use std::collections::BTreeMap;

use countersign_core::conversation::Conversation;
use countersign_core::ids::ConversationId;
use serde_json::{Map, Value, json};

use super::export::{extension, facts_line, places, put, time};
use super::growing::Growing;
use super::said;
use crate::desk::Desk;
use crate::display::mask::Masks;
use crate::display::text::{plain, safe};
use crate::error::refused;
use crate::wire::history::{ExportFormat, Exported};
use crate::wire::window::ApiError;
use crate::words::{Spoken, say, within};

/// Rows that are read at once.
const PART: i64 = 50;

/// The file while it is written.
struct Archive<'a> {
    desk: &'a Desk,
    masks: Masks,
    file: Growing,
    counts: BTreeMap<&'static str, i64>,
}

impl Archive<'_> {
    /// Puts one thing behind the others, with every text in it as it is displayed.
    async fn put(&mut self, is: &'static str, value: Value) -> Result<(), ApiError> {
        let value = self.shown(value);
        self.put_shown(is, value).await
    }

    /// The same, of what is displayed text already.
    async fn put_shown(&mut self, is: &'static str, value: Value) -> Result<(), ApiError> {
        if self.desk.closing.is_cancelled() {
            return Err(refused(say().quitting()));
        }
        let mut object = Map::new();
        object.insert("is".to_owned(), json!(is));
        match value {
            Value::Object(more) => object.extend(more),
            other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
                object.insert("value".to_owned(), other);
            }
        }
        self.file.put(&format!("{}\n", Value::Object(object))).await?;
        *self.counts.entry(is).or_default() += 1;
        Ok(())
    }

    fn text(&self, text: &str) -> String {
        plain(&safe(&self.masks.hide(text)))
    }

    fn shown(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(&text)),
            Value::Array(items) => Value::Array(items.into_iter().map(|item| self.shown(item)).collect()),
            Value::Object(pairs) => {
                Value::Object(pairs.into_iter().map(|(key, value)| (self.text(&key), self.shown(value))).collect())
            }
            other @ (Value::Null | Value::Bool(_) | Value::Number(_)) => other,
        }
    }

    async fn conversation(&mut self, is: &'static str, one: &Conversation) -> Result<(), ApiError> {
        let value = json!({
            "id": one.id.to_string(),
            "title": one.title,
            "agent": one.agent.to_string(),
            "mode": one.mode,
            "auto_until": one.auto_until.map(|end| time(end.0)),
            "made": time(one.created_at.0),
        });
        self.put(is, value).await?;
        self.messages(one.id).await
    }

    async fn messages(&mut self, of: ConversationId) -> Result<(), ApiError> {
        let mut behind = i64::MIN;
        loop {
            let page = self.desk.engine.store().messages_behind(of, behind, PART).await?;
            let Some(last) = page.last() else { return Ok(()) };
            behind = last.message.seq;
            for fact in &page {
                // Its texts are displayed when they are put, so that nothing is masked twice.
                let mut value = within(Spoken::En, || said::value(fact, &str::to_owned));
                if let Value::Object(object) = &mut value {
                    object.insert("conversation".to_owned(), json!(of.to_string()));
                }
                self.put("message", value).await?;
            }
        }
    }

    async fn quick_tasks(&mut self) -> Result<(), ApiError> {
        let mut before = i64::MAX;
        loop {
            let page = self.desk.engine.store().quick_tasks(before, PART).await?;
            let Some(last) = page.last() else { return Ok(()) };
            before = last.place;
            for fact in &page {
                self.conversation("quick_task", &fact.conversation).await?;
            }
        }
    }

    async fn decisions(&mut self) -> Result<(), ApiError> {
        let mut before = i64::MAX;
        loop {
            let page = self.desk.engine.store().history(before, PART).await?;
            let Some(last) = page.last() else { return Ok(()) };
            before = last.seq();
            for fact in &page {
                if let Some(value) = facts_line(self.desk, fact, &self.masks).await? {
                    self.put_shown("decision", value).await?;
                }
            }
        }
    }

    async fn all(&mut self) -> Result<(), ApiError> {
        let store = self.desk.engine.store();
        self.put("settings", value(&self.desk.settings())).await?;
        for agent in crate::agents::agents(self.desk).await? {
            self.put("agent", value(&agent)).await?;
        }
        for server in store.servers().await? {
            self.put("server", value(&server)).await?;
        }
        for rule in self.desk.rules.kept().all() {
            self.put("rule", value(rule)).await?;
        }
        for fact in store.standing().await? {
            let standing = json!({
                "conversation": fact.conversation.to_string(),
                "tool": fact.standing.identity.name,
                "reach": fact.standing.cover.reach(),
                "since": time(fact.standing.since.0),
                "used": fact.used,
                "last_used": fact.last_used.map(|at| time(at.0)),
            });
            self.put("standing_approval", standing).await?;
        }
        for (conversation, _) in store.conversations().await? {
            self.conversation("conversation", &conversation).await?;
        }
        self.quick_tasks().await?;
        self.decisions().await
    }
}

/// What is serialized by a derive alone can always be.
fn value(of: &impl serde::Serialize) -> Value {
    serde_json::to_value(of).unwrap_or_default()
}

/// Writes everything.
///
/// # Errors
/// If the file can't be made or written, or something can't be read; then there is none.
pub(super) async fn write(desk: &Desk, masked: bool, path: &str) -> Result<Exported, ApiError> {
    let format = ExportFormat::Jsonl;
    let (path, manifest) = places(desk, format, path)?;
    let masks = if masked { Masks::new(&desk.settings().masks) } else { Masks::unmasked() };
    let file = Growing::new(&path).await?;
    let mut archive = Archive { desk, masks, file, counts: BTreeMap::new() };
    archive.all().await?;
    let Archive { file, counts, .. } = archive;
    let sha256 = file.end().await?;
    let count = counts.values().sum();
    let told = json!({
        "file": path.file_name().map(|name| name.to_string_lossy().into_owned()),
        "format": extension(format),
        "sha256": sha256,
        "lines": count,
        "counts": counts,
        "secrets_masked": masked,
        "countersign": desk.host.version,
        "written": time(desk.host.clock.now().0),
    });
    put(&manifest, &(serde_json::to_string_pretty(&told).unwrap_or_default() + "\n")).await?;
    Ok(Exported { file: path.display().to_string(), manifest: manifest.display().to_string(), count, sha256 })
}
