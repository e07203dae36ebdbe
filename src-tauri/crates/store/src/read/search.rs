//! History by a filter: pages, counts, facets, days and months. What isn't in the index yet is nowhere here; [`Fill`] says how much.

use std::collections::BTreeMap;

use countersign_core::ids::At;
use sqlx::{Row as _, query};

use super::held;
use super::history::DecisionFact;
use super::inbox::read_call;
use crate::error::StoreError;
use crate::open::Store;
use crate::table::search::{FACET_ID, Facet, facet_token, tokens};

/// More than so many hits aren't counted.
pub const MOST_COUNTED: i64 = 10_000;
/// How far apart the order of decisions and that of their times may be, where the clock was set back. Within it a date is exact.
const SLACK: i64 = 5_000;

const HITS: &str = "SELECT decision.seq FROM search JOIN decision ON decision.seq = search.rowid WHERE search MATCH ?1 \
    AND search.rowid < ?2 AND search.rowid >= ?3 AND decision.at >= ?4 AND decision.at < ?5 \
    ORDER BY search.rowid DESC LIMIT ?6";
const ALL_HITS: &str = "SELECT seq FROM decision WHERE ?1 IS NULL AND seq < ?2 AND seq >= ?3 AND at >= ?4 AND at < ?5 \
    ORDER BY seq DESC LIMIT ?6";
const COUNT: &str = "SELECT count(*) FROM (SELECT 1 FROM search JOIN decision ON decision.seq = search.rowid \
    WHERE search MATCH ?1 AND search.rowid < ?2 AND search.rowid >= ?3 AND decision.at >= ?4 AND decision.at < ?5 LIMIT ?6)";
const COUNT_ALL: &str = "SELECT count(*) FROM (SELECT 1 FROM decision WHERE ?1 IS NULL AND seq < ?2 AND seq >= ?3 \
    AND at >= ?4 AND at < ?5 LIMIT ?6)";
const FACETS: &str = "SELECT decision.tool, decision.decision, decision.by, decision.outcome, decision.kind, \
    decision.agent FROM search JOIN decision ON decision.seq = search.rowid WHERE search MATCH ?1 \
    AND search.rowid < ?2 AND search.rowid >= ?3 AND decision.at >= ?4 AND decision.at < ?5 \
    ORDER BY search.rowid DESC LIMIT ?6";
const ALL_FACETS: &str = "SELECT tool, decision, by, outcome, kind, agent FROM decision WHERE ?1 IS NULL \
    AND seq < ?2 AND seq >= ?3 AND at >= ?4 AND at < ?5 ORDER BY seq DESC LIMIT ?6";
const VALUES: &str = "SELECT id, value FROM facet WHERE id IN (SELECT value FROM json_each(?))";
const FIRST_AT: &str = "SELECT seq FROM decision WHERE at >= ? ORDER BY at LIMIT 1";
const LAST_AT: &str = "SELECT seq FROM decision WHERE at < ? ORDER BY at DESC LIMIT 1";
const FILL: &str = "SELECT indexed.filled, indexed.entries, indexed.stamp, \
    (SELECT count(*) FROM (SELECT 1 FROM call WHERE decided_seq > indexed.filled)), \
    (SELECT count(*) FROM (SELECT 1 FROM held WHERE decided_seq > indexed.filled)), \
    (SELECT at FROM decision ORDER BY seq LIMIT 1) FROM indexed";
/// Those that have come to their end since, and those that were decided anew since, whose old place is nobody's.
const SETTLED: &str = "SELECT decision.seq, call.id IS NULL AS gone FROM decision \
    LEFT JOIN call ON call.decided_seq = decision.seq \
    WHERE decision.unsettled = 1 AND (call.id IS NULL OR call.state = 'settled') ORDER BY decision.seq LIMIT ?";
const SPANS: &str = "WITH span AS (SELECT key AS n, json_extract(value, '$[0]') AS start, \
    json_extract(value, '$[1]') AS stop FROM json_each(?)) \
    SELECT span.n, decision.by, count(*) FROM span CROSS JOIN decision \
    ON decision.at >= span.start AND decision.at < span.stop GROUP BY span.n, decision.by";
const TOOK: &str = "SELECT CASE WHEN took < 5000 THEN 0 WHEN took < 15000 THEN 1 WHEN took < 60000 THEN 2 \
    WHEN took < 300000 THEN 3 WHEN took < 3600000 THEN 4 ELSE 5 END AS span, count(*) \
    FROM decision WHERE at >= ? AND at < ? AND took IS NOT NULL GROUP BY span";
const CALLED: &str = "SELECT lower(hex(id)) FROM conversation WHERE instr(lower(title), lower(?)) > 0 \
    ORDER BY touched_at DESC LIMIT 200";
const AGENTS: &str =
    "SELECT lower(hex(id)), json_extract(profile, '$.name') FROM agent ORDER BY deleted_at IS NOT NULL, rowid";
const UNINDEXED_CALLS: &str = "SELECT decided_seq FROM call WHERE decided_seq > ? ORDER BY decided_seq LIMIT ?";
const UNINDEXED_HELD: &str = "SELECT decided_seq FROM held WHERE decided_seq > ? ORDER BY decided_seq LIMIT ?";

#[cfg(test)]
pub(crate) const STATEMENTS: &[&str] = &[
    HITS,
    ALL_HITS,
    COUNT,
    COUNT_ALL,
    FACETS,
    ALL_FACETS,
    VALUES,
    FIRST_AT,
    LAST_AT,
    FILL,
    SETTLED,
    SPANS,
    TOOK,
    CALLED,
    AGENTS,
    UNINDEXED_CALLS,
    UNINDEXED_HELD,
];

/// Which decisions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// All of these words are in it.
    pub words: Vec<Word>,
    /// Of each of these one value is its own.
    pub any: Vec<(Facet, Vec<String>)>,
    /// Decided at this time or later.
    pub after: Option<At>,
    /// Decided before this time.
    pub before: Option<At>,
}

impl Filter {
    /// Whether it lets everything through.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.any.is_empty() && self.after.is_none() && self.before.is_none()
    }
}

/// A word that is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// As it was typed; one that [`tokens`] parts is all of its parts.
    pub text: String,
    /// Whether more letters may follow.
    pub begins: bool,
}

/// How far the index is filled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fill {
    /// To which place among all decisions.
    pub filled: i64,
    /// How many decisions it has.
    pub entries: i64,
    /// By which rules.
    pub stamp: String,
    /// How many decisions it has not yet.
    pub pending: i64,
    /// When the first one was made.
    pub since: Option<At>,
}

/// How often each value is among the newest hits, by facet, the most frequent first.
pub type FacetCounts = Vec<(Facet, Vec<(String, i64)>)>;

/// A filter as statements take it.
struct Bound {
    matches: Option<String>,
    below: i64,
    from: i64,
    after: i64,
    before: i64,
}

impl Store {
    /// How far the index is filled.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn index_fill(&self) -> Result<Fill, StoreError> {
        let row = query(FILL).fetch_one(&self.readers).await?;
        Ok(Fill {
            filled: row.try_get(0)?,
            entries: row.try_get(1)?,
            stamp: row.try_get(2)?,
            pending: row.try_get::<i64, _>(3)? + row.try_get::<i64, _>(4)?,
            since: row.try_get::<Option<i64>, _>(5)?.map(At),
        })
    }

    /// The next decisions that aren't in the index, the oldest first; and the place up to which these are all.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn unindexed(&self, after: i64, limit: i64) -> Result<(Vec<DecisionFact>, i64), StoreError> {
        let mut seqs = Vec::new();
        for statement in [UNINDEXED_CALLS, UNINDEXED_HELD] {
            for row in query(statement).bind(after).bind(limit).fetch_all(&self.readers).await? {
                seqs.push(row.try_get::<i64, _>(0)?);
            }
        }
        seqs.sort_unstable();
        seqs.truncate(usize::try_from(limit).unwrap_or_default());
        let to = seqs.last().copied().unwrap_or(after);
        Ok((self.decisions(&seqs).await?, to))
    }

    /// Decisions in the index whose end wasn't known and is, and places that are nobody's any more.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn settled_since(&self, limit: i64) -> Result<(Vec<DecisionFact>, Vec<i64>), StoreError> {
        let (mut settled, mut gone) = (Vec::new(), Vec::new());
        for row in query(SETTLED).bind(limit).fetch_all(&self.readers).await? {
            let list = if row.try_get("gone")? { &mut gone } else { &mut settled };
            list.push(row.try_get::<i64, _>(0)?);
        }
        Ok((self.decisions(&settled).await?, gone))
    }

    /// Decisions by their places, newest first.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn decisions(&self, seqs: &[i64]) -> Result<Vec<DecisionFact>, StoreError> {
        if seqs.is_empty() {
            return Ok(Vec::new());
        }
        let list = serde_json::to_string(seqs)?;
        let rows = query(super::inbox::BY_SEQS).bind(&list).fetch_all(&self.readers).await?;
        let calls = rows.iter().map(|row| read_call(row).map(DecisionFact::Call));
        let mut all = calls.collect::<Result<Vec<_>, _>>()?;
        let rows = query(held::BY_SEQS).bind(&list).fetch_all(&self.readers).await?;
        all.extend(self.with_calls(rows).await?.into_iter().map(DecisionFact::Held));
        all.sort_by_key(|fact| std::cmp::Reverse(fact.seq()));
        Ok(all)
    }

    /// Places of decisions that a filter lets through before a place, newest first.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn found(&self, filter: &Filter, before: i64, limit: i64) -> Result<Vec<i64>, StoreError> {
        let Some(bound) = self.bound(filter, before).await? else { return Ok(Vec::new()) };
        let statement = if bound.matches.is_some() { HITS } else { ALL_HITS };
        let rows = bind(statement, &bound, limit).fetch_all(&self.readers).await?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }

    /// How many decisions a filter lets through; more than [`MOST_COUNTED`] are not counted, and the number is one more then.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn count_found(&self, filter: &Filter) -> Result<i64, StoreError> {
        let Some(bound) = self.bound(filter, i64::MAX).await? else { return Ok(0) };
        let statement = if bound.matches.is_some() { COUNT } else { COUNT_ALL };
        Ok(bind(statement, &bound, MOST_COUNTED + 1).fetch_one(&self.readers).await?.try_get(0)?)
    }

    /// What the newest hits are, at most [`MOST_COUNTED`] of them.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn facets(&self, filter: &Filter) -> Result<FacetCounts, StoreError> {
        const IN_ORDER: [Facet; 6] =
            [Facet::Tool, Facet::Decision, Facet::By, Facet::Outcome, Facet::Kind, Facet::Agent];
        let Some(bound) = self.bound(filter, i64::MAX).await? else { return Ok(Vec::new()) };
        let statement = if bound.matches.is_some() { FACETS } else { ALL_FACETS };
        let mut counts: [BTreeMap<i64, i64>; 6] = std::array::from_fn(|_| BTreeMap::new());
        for row in bind(statement, &bound, MOST_COUNTED).fetch_all(&self.readers).await? {
            for (at, counts) in counts.iter_mut().enumerate() {
                *counts.entry(row.try_get(at)?).or_default() += 1;
            }
        }
        let ids: Vec<i64> = counts.iter().flat_map(|counts| counts.keys().copied()).collect();
        let names = self.facet_values(&ids).await?;
        let named = |counts: BTreeMap<i64, i64>| {
            let mut all: Vec<_> =
                counts.into_iter().filter_map(|(id, count)| Some((names.get(&id)?.clone(), count))).collect();
            all.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
            all
        };
        Ok(IN_ORDER.into_iter().zip(counts.map(named)).collect())
    }

    /// In each span of time (from, to) how many decisions there were, by who or what decided.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn decided_in(&self, spans: &[(i64, i64)]) -> Result<Vec<BTreeMap<String, i64>>, StoreError> {
        let rows = query(SPANS).bind(serde_json::to_string(spans)?).fetch_all(&self.readers).await?;
        let mut all: Vec<BTreeMap<i64, i64>> = vec![BTreeMap::new(); spans.len()];
        for row in rows {
            let span = usize::try_from(row.try_get::<i64, _>(0)?).unwrap_or(usize::MAX);
            if let Some(counts) = all.get_mut(span) {
                counts.insert(row.try_get(1)?, row.try_get(2)?);
            }
        }
        let ids: Vec<i64> = all.iter().flat_map(|counts| counts.keys().copied()).collect();
        let names = self.facet_values(&ids).await?;
        let named = |counts: BTreeMap<i64, i64>| {
            counts.into_iter().filter_map(|(id, count)| Some((names.get(&id)?.clone(), count))).collect()
        };
        Ok(all.into_iter().map(named).collect())
    }

    /// How long deciding took in a span of time: how often less than 5 s, 15 s, a minute, 5 minutes, an hour, and more.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn took_in(&self, from: i64, to: i64) -> Result<[i64; 6], StoreError> {
        let mut counts = [0; 6];
        for row in query(TOOK).bind(from).bind(to).fetch_all(&self.readers).await? {
            let span = usize::try_from(row.try_get::<i64, _>(0)?).unwrap_or(usize::MAX);
            if let Some(count) = counts.get_mut(span) {
                *count = row.try_get(1)?;
            }
        }
        Ok(counts)
    }

    /// The place from which a page shows the newest decision before a time.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn place_before(&self, at: i64) -> Result<Option<i64>, StoreError> {
        let row = query(LAST_AT).bind(at).fetch_optional(&self.readers).await?;
        Ok(row.map(|row| row.try_get::<i64, _>(0)).transpose()?.map(|seq| seq + 1))
    }

    /// The ids of conversations whose name holds a text, also of deleted ones; at most the 200 that changed last.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn conversations_called(&self, text: &str) -> Result<Vec<String>, StoreError> {
        let rows = query(CALLED).bind(text).fetch_all(&self.readers).await?;
        rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
    }

    /// The id and the name of every agent, also of deleted ones, which come last.
    ///
    /// # Errors
    /// A [`StoreError`].
    pub async fn agent_names(&self) -> Result<Vec<(String, String)>, StoreError> {
        let rows = query(AGENTS).fetch_all(&self.readers).await?;
        rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get::<Option<String>, _>(1)?.unwrap_or_default()))).collect()
    }

    async fn facet_values(&self, ids: &[i64]) -> Result<BTreeMap<i64, String>, StoreError> {
        let rows = query(VALUES).bind(serde_json::to_string(ids)?).fetch_all(&self.readers).await?;
        rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
    }

    /// None if nothing can be found.
    async fn bound(&self, filter: &Filter, before: i64) -> Result<Option<Bound>, StoreError> {
        let mut all = Vec::new();
        for word in &filter.words {
            let mut parts = tokens(&word.text).into_iter().map(|part| format!("\"{part}\"")).collect::<Vec<_>>();
            if let (true, Some(last)) = (word.begins, parts.last_mut()) {
                last.push('*');
            }
            all.extend(parts);
        }
        for (facet, values) in &filter.any {
            let mut one_of = Vec::new();
            for value in values {
                let id = query(FACET_ID).bind(facet.name()).bind(value).fetch_optional(&self.readers).await?;
                if let Some(row) = id {
                    one_of.push(format!("\"{}\"", facet_token(row.try_get(0)?)));
                }
            }
            if one_of.is_empty() {
                return Ok(None);
            }
            all.push(format!("({})", one_of.join(" OR ")));
        }
        let place = async |statement, at: Option<At>| -> Result<Option<i64>, StoreError> {
            let Some(At(at)) = at else { return Ok(None) };
            let row = query(statement).bind(at).fetch_optional(&self.readers).await?;
            Ok(Some(row.map(|row| row.try_get(0)).transpose()?.unwrap_or_default()))
        };
        let from = place(FIRST_AT, filter.after).await?.unwrap_or_default();
        let below = place(LAST_AT, filter.before).await?;
        Ok(Some(Bound {
            matches: (!all.is_empty()).then(|| all.join(" AND ")),
            below: below.map_or(before, |below| before.min(below + SLACK)),
            from: from - SLACK,
            after: filter.after.map_or(i64::MIN, |at| at.0),
            before: filter.before.map_or(i64::MAX, |at| at.0),
        }))
    }
}

fn bind<'a>(
    statement: &'static str,
    bound: &'a Bound,
    limit: i64,
) -> sqlx::query::Query<'a, sqlx::Sqlite, sqlx::sqlite::SqliteArguments> {
    query(statement)
        .bind(bound.matches.as_deref())
        .bind(bound.below)
        .bind(bound.from)
        .bind(bound.after)
        .bind(bound.before)
        .bind(limit)
}
