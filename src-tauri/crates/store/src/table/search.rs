//! The tables `facet`, `decision`, `search` and `indexed`: what history is searched and counted by, filled behind the decisions.

use std::collections::BTreeMap;

use countersign_core::ids::At;
use sqlx::sqlite::SqliteConnection;
use sqlx::{Row as _, query};

use crate::error::StoreError;

const FACET: &str = "INSERT INTO facet (kind, value) VALUES (?, ?) ON CONFLICT DO NOTHING";
pub(crate) const FACET_ID: &str = "SELECT id FROM facet WHERE kind = ? AND value = ?";
const INSERT: &str = "INSERT INTO decision (seq, at, took, tool, decision, by, outcome, kind, agent, conversation, \
    unsettled) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const WORDS: &str = "INSERT INTO search (rowid, words) VALUES (?, ?)";
const REMOVE: &str = "DELETE FROM decision WHERE seq = ?";
const REMOVE_WORDS: &str = "DELETE FROM search WHERE rowid = ?";
const FILLED: &str = "UPDATE indexed SET filled = max(filled, ?), entries = entries + ?";
const EMPTY: &str = "DELETE FROM decision";
/// What nothing names any more goes with it.
const NO_FACETS: &str = "DELETE FROM facet";
const NO_WORDS: &str = "INSERT INTO search (search) VALUES ('delete-all')";
const AFRESH: &str = "UPDATE indexed SET filled = 0, entries = 0, stamp = ?";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] =
    &[FACET, FACET_ID, INSERT, WORDS, REMOVE, REMOVE_WORDS, FILLED, EMPTY, NO_FACETS, NO_WORDS, AFRESH];

/// Stands before a facet's number in the words of a row. It is for private use, so no word that [`tokens`] makes holds it, and nobody
/// who writes a call's arguments can make a decision look like another one.
const MARK: char = '\u{E000}';

/// What a decision can be chosen by, besides its words and its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Facet {
    /// The tool's name.
    Tool,
    /// What was decided.
    Decision,
    /// Who or what decided.
    By,
    /// A rule's name.
    Rule,
    /// What became of it.
    Outcome,
    /// What kind of thing it was about.
    Kind,
    /// The agent's id.
    Agent,
    /// The conversation's id.
    Conversation,
}

impl Facet {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Decision => "decision",
            Self::By => "by",
            Self::Rule => "rule",
            Self::Outcome => "outcome",
            Self::Kind => "kind",
            Self::Agent => "agent",
            Self::Conversation => "conversation",
        }
    }
}

/// A decision as it is searched. What its words are is the caller's: what is displayed, less what is secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its place among all decisions.
    pub seq: i64,
    /// When it was decided.
    pub at: At,
    /// From asking to deciding, in milliseconds; none where nobody was asked.
    pub took: Option<i64>,
    /// The tool's name.
    pub tool: String,
    /// What was decided.
    pub decision: String,
    /// Who or what decided.
    pub by: String,
    /// The rules that decided, if rules did.
    pub rules: Vec<String>,
    /// What became of it.
    pub outcome: String,
    /// What kind of thing it was about.
    pub kind: String,
    /// The agent's id.
    pub agent: String,
    /// The conversation's id.
    pub conversation: String,
    /// Whether what became of it can still change.
    pub unsettled: bool,
    /// What it is found by.
    pub text: String,
}

/// The words of a text as they are searched: small letters and digits, each writing without spaces letter by letter.
pub fn tokens(text: &str) -> Vec<String> {
    let (mut all, mut word) = (Vec::new(), String::new());
    for letter in text.chars().flat_map(char::to_lowercase) {
        if !letter.is_alphanumeric() || stands_alone(letter) {
            if !word.is_empty() {
                all.push(std::mem::take(&mut word));
            }
            if stands_alone(letter) {
                all.push(letter.to_string());
            }
        } else {
            word.push(letter);
        }
    }
    if !word.is_empty() {
        all.push(word);
    }
    all
}

/// Writings in which no space parts the words.
fn stands_alone(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}')
}

pub(crate) fn facet_token(id: i64) -> String {
    format!("{MARK}{id}")
}

/// Adds decisions, each in place of what was there of it, and says how far all are there now.
pub(crate) async fn fill(to: &mut SqliteConnection, entries: &[Entry], filled: i64) -> Result<(), StoreError> {
    let mut known = BTreeMap::new();
    let mut added = 0_i64;
    for entry in entries {
        let was = query(REMOVE).bind(entry.seq).execute(&mut *to).await?.rows_affected();
        if was > 0 {
            query(REMOVE_WORDS).bind(entry.seq).execute(&mut *to).await?;
        } else {
            added += 1;
        }
        let single = [
            (Facet::Tool, &entry.tool),
            (Facet::Decision, &entry.decision),
            (Facet::By, &entry.by),
            (Facet::Outcome, &entry.outcome),
            (Facet::Kind, &entry.kind),
            (Facet::Agent, &entry.agent),
            (Facet::Conversation, &entry.conversation),
        ];
        let mut ids = Vec::with_capacity(single.len() + entry.rules.len());
        for (facet, value) in single.into_iter().chain(entry.rules.iter().map(|rule| (Facet::Rule, rule))) {
            ids.push(facet_id(to, &mut known, facet, value).await?);
        }
        let mut words: Vec<String> = ids.iter().map(|id| facet_token(*id)).collect();
        let mut spoken = tokens(&entry.text);
        spoken.sort_unstable();
        spoken.dedup();
        words.extend(spoken);
        let mut adding = query(INSERT).bind(entry.seq).bind(entry.at.0).bind(entry.took);
        for id in ids.iter().take(single.len()) {
            adding = adding.bind(*id);
        }
        adding.bind(i64::from(entry.unsettled)).execute(&mut *to).await?;
        query(WORDS).bind(entry.seq).bind(words.join(" ")).execute(&mut *to).await?;
    }
    query(FILLED).bind(filled).bind(added).execute(to).await?;
    Ok(())
}

async fn facet_id(
    to: &mut SqliteConnection,
    known: &mut BTreeMap<(Facet, String), i64>,
    facet: Facet,
    value: &str,
) -> Result<i64, StoreError> {
    let key = (facet, value.to_owned());
    if let Some(id) = known.get(&key) {
        return Ok(*id);
    }
    query(FACET).bind(facet.name()).bind(value).execute(&mut *to).await?;
    let id = query(FACET_ID).bind(facet.name()).bind(value).fetch_one(to).await?.try_get(0)?;
    known.insert(key, id);
    Ok(id)
}

/// Takes decisions out.
pub(crate) async fn remove(from: &mut SqliteConnection, seqs: &[i64]) -> Result<(), StoreError> {
    let mut gone = 0_i64;
    for seq in seqs {
        if query(REMOVE).bind(seq).execute(&mut *from).await?.rows_affected() > 0 {
            query(REMOVE_WORDS).bind(seq).execute(&mut *from).await?;
            gone += 1;
        }
    }
    query(FILLED).bind(0).bind(-gone).execute(from).await?;
    Ok(())
}

/// Takes everything out; it is filled again by other rules.
pub(crate) async fn afresh(to: &mut SqliteConnection, stamp: &str) -> Result<(), StoreError> {
    for statement in [NO_WORDS, EMPTY, NO_FACETS] {
        query(statement).execute(&mut *to).await?;
    }
    query(AFRESH).bind(stamp).execute(to).await?;
    Ok(())
}
