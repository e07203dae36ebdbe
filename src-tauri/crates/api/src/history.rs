//! History: pages by a filter, what is counted of it, what leaves it as a file or for good, and whether its record adds up.

mod chain;
mod everything;
mod export;
mod growing;
pub(crate) mod index;
mod keep;
mod query;
mod record;
mod said;

use std::sync::{Arc, Mutex};

use countersign_core::ids::At;
use countersign_store::open::Store;
use countersign_store::read::history::DecisionFact;
use countersign_store::read::search::{Filter, MOST_COUNTED};
use countersign_store::table::search::Facet;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use tokio::sync::Notify;

use self::query::{BY, DECISIONS, KINDS, Known, OUTCOMES, Query};
use crate::commands::request;
use crate::desk::Desk;
use crate::display::text::{one_line, words};
use crate::error::invalid;
use crate::wire::history::{
    ChainState, DayCount, DecisionRecord, ExportOf, Exported, FacetGroup, FacetValue, FilterState, Going,
    HistoryCharts, HistoryFacets, HistoryMonth, HistoryPage, HistoryRow, Span,
};
use crate::wire::text::Shown;
use crate::wire::window::ApiError;
use crate::words::{Spoken, say, spoken, within};
use crate::{asked, cards};

/// Decisions a page.
const DECISIONS_A_PAGE: i64 = 100;
/// Values a facet shows.
const VALUES: usize = 12;
/// The longest name of a value.
const NAME_WIDTH: usize = 40;
/// Spans that are counted at once.
const SPANS: usize = 2_400;

/// What a space keeps of its history beside the store.
#[derive(Debug, Default)]
pub(crate) struct Tending {
    filling: tokio::sync::Mutex<()>,
    checking: tokio::sync::Mutex<()>,
    chain: Mutex<Option<ChainState>>,
    /// How long decisions are kept changed.
    kept_otherwise: Notify,
    /// What is masked changed.
    changed: Notify,
}

impl Tending {
    /// Settings changed.
    pub(crate) fn set_otherwise(&self) {
        self.kept_otherwise.notify_one();
        self.changed.notify_one();
    }
}

/// Tends the history of a space until it closes.
pub(crate) fn tend(desk: &Arc<Desk>) {
    tokio::spawn(index::tend(Arc::clone(desk)));
    tokio::spawn(chain::after_start(Arc::clone(desk)));
    tokio::spawn(keep::by_age(Arc::clone(desk)));
}

/// A page.
pub(crate) async fn page(desk: &Desk, request: request::history) -> Result<HistoryPage, ApiError> {
    let store = desk.engine.store();
    let (total, since) = store.history_total().await?;
    let mut page = HistoryPage {
        rows: Vec::new(),
        older: None,
        total,
        since,
        filter: FilterState::None,
        unread: 0,
        chain: chain::state(desk),
    };
    let query = match Query::read(&request.query, today(desk)) {
        Ok(query) => query,
        Err(faults) => {
            page.filter = FilterState::Faulty { faults };
            return Ok(page);
        }
    };
    let before = request.before.unwrap_or(i64::MAX);
    let mut facts = if query.is_empty() {
        store.history(before, DECISIONS_A_PAGE + 1).await?
    } else {
        page.unread = index::catch_up(desk).await?;
        let filter = query.filter(store, &TimeZone::system()).await?;
        let matched = store.count_found(&filter).await?;
        page.filter = FilterState::On {
            words: query.in_words(),
            matched: matched.min(MOST_COUNTED),
            more: matched > MOST_COUNTED,
        };
        store.decisions(&store.found(&filter, before, DECISIONS_A_PAGE + 1).await?).await?
    };
    if i64::try_from(facts.len()).is_ok_and(|len| len > DECISIONS_A_PAGE) {
        facts.pop();
        page.older = facts.last().map(DecisionFact::seq);
    }
    for fact in &facts {
        page.rows.extend(row(store, fact, spoken()).await?);
    }
    Ok(page)
}

/// What the found decisions are.
pub(crate) async fn facets(desk: &Desk, query: &str) -> Result<HistoryFacets, ApiError> {
    let (filter, _) = filter(desk, query).await?;
    let store = desk.engine.store();
    let counted = store.facets(&filter).await?;
    let agents = store.agent_names().await?;
    let newest = store.count_found(&filter).await? > MOST_COUNTED;
    let order = [
        (Facet::Decision, "is"),
        (Facet::By, "by"),
        (Facet::Outcome, "outcome"),
        (Facet::Kind, "kind"),
        (Facet::Agent, "agent"),
        (Facet::Tool, "tool"),
    ];
    let mut groups = Vec::new();
    for (facet, key) in order {
        let values = counted.iter().find(|(found, _)| *found == facet).map(|(_, values)| values.as_slice());
        let values = values.unwrap_or_default().iter().filter_map(|(value, count)| {
            let (label, typed) = named(facet, value, &agents)?;
            Some(FacetValue { token: format!("{key}:{}", quoted(&typed)?), label, count: *count })
        });
        let values: Vec<FacetValue> = values.take(VALUES).collect();
        if !values.is_empty() {
            groups.push(FacetGroup { key: key.to_owned(), values });
        }
    }
    Ok(HistoryFacets { groups, newest: newest.then_some(MOST_COUNTED) })
}

/// A facet's value as it is shown and as it is typed; none for one that can't be named any more.
fn named(facet: Facet, value: &str, agents: &[(String, String)]) -> Option<(Shown, String)> {
    let known = |list: &[Known]| {
        list.iter().find(|one| one.token == value).map(|one| (words((one.said)(say())), one.token.to_owned()))
    };
    match facet {
        Facet::Decision => known(DECISIONS),
        Facet::By => known(BY),
        Facet::Outcome => known(OUTCOMES),
        Facet::Kind => known(KINDS),
        Facet::Agent => {
            let (_, name) = agents.iter().find(|(id, _)| id == value)?;
            Some((one_line(name, NAME_WIDTH), name.clone()))
        }
        Facet::Tool | Facet::Rule | Facet::Conversation => Some((one_line(value, NAME_WIDTH), value.to_owned())),
    }
}

/// A value as the query holds it; none if it can't hold it.
fn quoted(value: &str) -> Option<String> {
    if value.is_empty() || value.contains('"') || value.contains(char::is_control) {
        return None;
    }
    Some(if value.contains(char::is_whitespace) { format!("\"{value}\"") } else { value.to_owned() })
}

/// The months of the rail.
pub(crate) async fn months(desk: &Desk, spans: &[Span]) -> Result<Vec<HistoryMonth>, ApiError> {
    let store = desk.engine.store();
    index::catch_up(desk).await?;
    let counts = store.decided_in(&pairs(spans)?).await?;
    let mut months = Vec::with_capacity(spans.len());
    for (span, counts) in spans.iter().zip(counts) {
        let count: i64 = counts.values().sum();
        let before = if count == 0 { None } else { store.place_before(span.to).await? };
        months.push(HistoryMonth { count, before });
    }
    Ok(months)
}

/// What the charts show.
pub(crate) async fn charts(desk: &Desk, spans: &[Span]) -> Result<HistoryCharts, ApiError> {
    let store = desk.engine.store();
    index::catch_up(desk).await?;
    let counts = store.decided_in(&pairs(spans)?).await?;
    let mut all = std::collections::BTreeMap::<String, i64>::new();
    let mut days = Vec::with_capacity(counts.len());
    for counts in counts {
        let asked = counts.get("you").copied().unwrap_or_default();
        days.push(DayCount { asked, unasked: counts.values().sum::<i64>() - asked });
        for (by, count) in counts {
            *all.entry(by).or_default() += count;
        }
    }
    let mut by: Vec<FacetValue> = all
        .into_iter()
        .filter_map(|(value, count)| {
            let (label, typed) = named(Facet::By, &value, &[])?;
            Some(FacetValue { token: format!("by:{typed}"), label, count })
        })
        .collect();
    by.sort_by_key(|one| std::cmp::Reverse(one.count));
    let from = spans.iter().map(|span| span.from).min().unwrap_or_default();
    let to = spans.iter().map(|span| span.to).max().unwrap_or_default();
    Ok(HistoryCharts { days, by, took: store.took_in(from, to).await?.to_vec() })
}

fn pairs(spans: &[Span]) -> Result<Vec<(i64, i64)>, ApiError> {
    if spans.len() > SPANS {
        return Err(invalid("spans", say().too_many_spans()));
    }
    Ok(spans.iter().map(|span| (span.from, span.to)).collect())
}

/// Writes what a query lets through into a file.
pub(crate) async fn export(desk: &Desk, request: request::export_history) -> Result<Exported, ApiError> {
    let (filter, in_words) = filter(desk, &request.query).await?;
    export::write(desk, request.format, (&filter, &request.query, &in_words), request.masked, &request.path).await
}

/// Where an export can go.
pub(crate) fn export_path(desk: &Desk, request: &request::export_path) -> String {
    let what = match request.what {
        ExportOf::History => "history",
        ExportOf::Conversation => "conversation",
        ExportOf::Everything => "everything",
    };
    export::place(desk, request.format, what)
}

/// Writes all that was said and done in a conversation into a file.
pub(crate) async fn export_conversation(
    desk: &Desk,
    request: request::export_conversation,
) -> Result<Exported, ApiError> {
    let of = crate::desk::conversation(&request.conversation)?;
    said::write(desk, of, request.format, request.masked, &request.path).await
}

/// Writes everything that is kept into a file.
pub(crate) async fn export_all(desk: &Desk, request: request::export_all) -> Result<Exported, ApiError> {
    everything::write(desk, request.masked, &request.path).await
}

/// Checks the whole record.
pub(crate) async fn verify(desk: &Desk) -> Result<ChainState, ApiError> {
    chain::now(desk).await
}

/// What is stored of a decision's way.
pub(crate) async fn record(desk: &Desk, id: &str) -> Result<DecisionRecord, ApiError> {
    record::of(desk, id).await
}

/// How many decisions of a span may leave history.
pub(crate) async fn going(desk: &Desk, span: Span) -> Result<Going, ApiError> {
    keep::going(desk, span).await
}

/// Takes those out.
pub(crate) async fn erase(desk: &Desk, span: Span) -> Result<i64, ApiError> {
    keep::erase(desk, span).await
}

/// A query's filter, and it in words; faults are an error here.
async fn filter(desk: &Desk, text: &str) -> Result<(Filter, String), ApiError> {
    let query = Query::read(text, today(desk)).map_err(|faults| {
        let first = faults.into_iter().next();
        invalid("query", first.map_or_else(String::new, |fault| fault.text))
    })?;
    index::catch_up(desk).await?;
    // Its words are for a manifest, which programs read.
    let in_words = within(Spoken::En, || query.in_words());
    Ok((query.filter(desk.engine.store(), &TimeZone::system()).await?, in_words))
}

/// A decision's row in a language; none for a question that is open.
async fn row(store: &Store, fact: &DecisionFact, language: Spoken) -> Result<Option<HistoryRow>, ApiError> {
    match fact {
        DecisionFact::Call(fact) => {
            let path = cards::path_of(store, fact).await?;
            Ok(within(language, || cards::history_row(fact, path)))
        }
        DecisionFact::Held(fact) => asked::history_row(store, fact, language).await,
    }
}

/// The person's day.
fn today(desk: &Desk) -> Date {
    let At(now) = desk.host.clock.now();
    Timestamp::from_millisecond(now).unwrap_or_default().to_zoned_datetime(TimeZone::system()).date()
}
