//! The person's own rules: kept in the space's database, put into the guard that the engine asks, listed, made and tried. What a rule
//! says of a call is decided in the crate `rules` alone; the dry run, *Runs without asking* and the trace ask the same function.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use countersign_core::agent::AgentProfile;
use countersign_core::ids::{ConversationId, RunId};
use countersign_core::run::{Failure, RunEnd};
use countersign_core::server::ServerProfile;
use countersign_engine::ports::{Guard, Outfit, Outfitter, Purpose};
use countersign_rules::check::{self, Fault, FaultKind, Known};
use countersign_rules::guard::{Kept, Rules};
use countersign_rules::rule::{Life, Rule, RuleTool, Scope};
use countersign_rules::shipped::shipped;
use countersign_store::record::Record;
use countersign_store::table::rule::RuleFact;

use crate::desk::Desk;
use crate::display::mask::Masks;
use crate::display::text::{hidden_count, one_line, safe};
use crate::error::{not_found, refused};
use crate::wire::rules::{RuleFault, RuleList, RuleLook, RuleRow, RuleSaved};
use crate::wire::window::{ApiError, FeedWhat};
use crate::words::{Thing, say};

pub(crate) mod draft;
mod dry;
pub(crate) mod hint;
mod known;
mod several;
mod show;
pub(crate) mod standing;
pub(crate) mod trace;
pub(crate) mod without;

/// After how long without a decision a rule counts as unused, in milliseconds.
const UNUSED: i64 = 90 * 24 * 3_600_000;
/// The longest detail of a fault, in characters.
const DETAIL_WIDTH: usize = 200;

/// An outfitter whose agents have the rules of a space as a guard.
pub(crate) struct Guarded {
    /// Finds everything else.
    pub(crate) inner: Arc<dyn Outfitter>,
    /// The rules.
    pub(crate) rules: Arc<Rules>,
}

#[async_trait]
impl Outfitter for Guarded {
    async fn outfit(
        &self,
        profile: &AgentProfile,
        servers: &[ServerProfile],
        purpose: Purpose,
    ) -> Result<Outfit, Failure> {
        let mut outfit = self.inner.outfit(profile, servers, purpose).await?;
        outfit.guards.push(Arc::clone(&self.rules) as Arc<dyn Guard>);
        Ok(outfit)
    }
}

/// Takes the stored rules when a space is opened. Those that were to hold until Countersign quits have ended.
///
/// # Errors
/// If they can't be read at all: then nothing may run, as nobody knows what they would reject.
pub(crate) async fn open(store: &countersign_store::open::Store, rules: &Rules, now: i64) -> Result<(), ApiError> {
    let (mut stored, unreadable) = read(store).await?;
    for rule in stored.iter_mut().filter(|rule| rule.life == Life::Quit && rule.ended_at.is_none()) {
        rule.ended_at = Some(now);
        store.record(record(rule)?).await?;
    }
    rules.set(stored, unreadable);
    Ok(())
}

/// What is stored, and how much of it can't be read.
async fn read(store: &countersign_store::open::Store) -> Result<(Vec<Rule>, usize), ApiError> {
    let facts = store.rules().await?;
    let all = facts.len();
    let rules: Vec<Rule> = facts.iter().filter_map(|fact| serde_json::from_str(&fact.body).ok()).collect();
    let unreadable = all - rules.len();
    Ok((rules, unreadable))
}

fn record(rule: &Rule) -> Result<Record, ApiError> {
    let body = serde_json::to_string(rule).map_err(|error| refused(error.to_string()))?;
    Ok(Record::Rule(RuleFact { id: rule.id.clone(), body }))
}

/// Puts what is stored into force, and tells the windows.
async fn put_in_force(desk: &Desk) -> Result<(), ApiError> {
    let (rules, unreadable) = read(desk.engine.store()).await?;
    desk.rules.set(rules, unreadable);
    desk.feed.publish(desk.space, FeedWhat::Rules);
    Ok(())
}

/// All rules, those that reject first.
pub(crate) async fn list(desk: &Desk) -> Result<RuleList, ApiError> {
    let kept = desk.rules.kept();
    let names = show::Names::read(desk).await?;
    let decided = decided(desk).await?;
    let mut rules: Vec<&Rule> = kept.all().collect();
    rules.sort_by_key(|rule| rule.verdict.approves());
    Ok(RuleList {
        rows: rules.into_iter().map(|rule| row(desk, rule, &names, &decided)).collect(),
        unreadable: u32::try_from(kept.unreadable).unwrap_or(u32::MAX),
        shipped_missing: shipped(0).iter().any(|one| !has(&kept, &one.name)),
    })
}

fn has(kept: &Kept, name: &str) -> bool {
    kept.all().any(|rule| rule.name == name)
}

/// How often rules decided, and when last, by name.
async fn decided(desk: &Desk) -> Result<BTreeMap<String, (i64, i64)>, ApiError> {
    let mut decided: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    for one in desk.engine.store().decided_by_rules().await? {
        for name in one.names.split(", ") {
            let (times, last) = decided.entry(name.to_owned()).or_default();
            *times += one.times;
            *last = one.last.0.max(*last);
        }
    }
    Ok(decided)
}

fn row(desk: &Desk, rule: &Rule, names: &show::Names, decided: &BTreeMap<String, (i64, i64)>) -> RuleRow {
    let of = std::iter::once(&rule.name).chain(&rule.former).filter_map(|name| decided.get(name));
    let (matches, last) = of.fold((0, None), |(times, last): (i64, Option<i64>), (more, at)| {
        (times + more, Some(last.unwrap_or(*at).max(*at)))
    });
    let now = desk.host.clock.now().0;
    let mut rule = rule.clone();
    // A moment that came ends a rule by itself.
    if let Life::Until { at } = rule.life {
        rule.ended_at = rule.ended_at.or((at <= now).then_some(at));
    }
    RuleRow {
        shown: names.show(&rule, desk.host.home.as_deref()),
        matches,
        last_at: last,
        unused: last.unwrap_or(rule.made_at) < now - UNUSED,
        rule,
    }
}

/// What a rule that is being made would do.
pub(crate) async fn look(desk: &Desk, rule: Rule, front: Option<String>) -> Result<RuleLook, ApiError> {
    let names = show::Names::read(desk).await?;
    let found = known::Found::of(desk, &rule).await?;
    let faults = faults(desk, &rule, &found);
    let front = match front {
        Some(id) => Some(known::front(desk, &rule, &id).await?),
        None => None,
    };
    let approves = rule.verdict.approves();
    let past = if faults.is_empty() { Some(dry::run(desk, &rule).await?) } else { None };
    let kept = desk.rules.kept();
    let now = desk.host.clock.now().0;
    let beats = |one: &&Rule| {
        approves
            && !one.verdict.approves()
            && one.id != rule.id
            && one.is_in_force(now)
            && (one.tool == RuleTool::Any || same_tool(&one.tool, &rule.tool))
            && overlap(&one.scope, &rule.scope)
    };
    let beaten_by = kept.all().filter(beats);
    Ok(RuleLook {
        beaten_by: beaten_by.map(|one| one_line(&one.name, DETAIL_WIDTH)).collect(),
        faults: faults.iter().map(wire_fault).collect(),
        shown: names.show(&rule, desk.host.home.as_deref()),
        front,
        past,
        lost: found.lost,
    })
}

fn same_tool(one: &RuleTool, other: &RuleTool) -> bool {
    match (one, other) {
        (RuleTool::Server { server, name, .. }, RuleTool::Server { server: of, name: called, .. }) => {
            server == of && name == called
        }
        (RuleTool::BuiltIn { name }, RuleTool::BuiltIn { name: other }) => name == other,
        (RuleTool::Plan, RuleTool::Plan) => true,
        (RuleTool::Any | RuleTool::BuiltIn { .. } | RuleTool::Server { .. } | RuleTool::Plan, _) => false,
    }
}

/// Whether two places can be the same; only two different ones of one kind can't.
fn overlap(one: &Scope, other: &Scope) -> bool {
    match (one, other) {
        (Scope::Conversation { conversation }, Scope::Conversation { conversation: other }) => conversation == other,
        (Scope::Agent { agent }, Scope::Agent { agent: other }) => agent == other,
        (Scope::Conversation { .. } | Scope::Agent { .. } | Scope::Folder { .. } | Scope::Everywhere, _) => true,
    }
}

fn wire_fault(fault: &Fault) -> RuleFault {
    RuleFault {
        kind: fault.kind,
        condition: fault.condition.and_then(|at| u32::try_from(at).ok()),
        detail: one_line(&fault.detail, DETAIL_WIDTH),
    }
}

/// Everything that is wrong with a rule, as it would be stored here now.
fn faults(desk: &Desk, rule: &Rule, found: &known::Found) -> Vec<Fault> {
    let now = desk.host.clock.now().0;
    let mut faults = check::faults(rule, found.tool.as_ref().map(Known::of), now);
    let mut push = |kind, condition, detail: &str| faults.push(Fault { kind, condition, detail: detail.to_owned() });
    let kept = desk.rules.kept();
    let taken = kept.all().filter(|one| one.id != rule.id);
    if taken.flat_map(|one| std::iter::once(&one.name).chain(&one.former)).any(|name| same_name(name, &rule.name)) {
        push(FaultKind::NameTaken, None, &rule.name);
    }
    if found.gone {
        push(FaultKind::Gone, None, "");
    }
    let masks = Masks::new(&desk.settings().masks);
    for (condition, text) in check::texts(rule) {
        if masks.hide(text) != text {
            push(FaultKind::Secret, condition, "");
        }
        // A rejection may be about hidden characters; an approval that holds one can't be read by whoever looks at it.
        let must_be_plain = rule.verdict.approves() || condition.is_none();
        if must_be_plain && hidden_count(&safe(text)) > 0 {
            push(FaultKind::Hidden, condition, text);
        }
    }
    faults.extend(check::samples(rule, &found.run, &|arguments| found.call(arguments)));
    faults
}

fn same_name(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// Stores a rule.
///
/// # Errors
/// If it was changed or deleted since it was read, or can't be stored.
pub(crate) async fn save(desk: &Desk, mut rule: Rule) -> Result<RuleSaved, ApiError> {
    known::straighten(&mut rule);
    let kept = desk.rules.kept();
    let stored = kept.all().find(|one| one.id == rule.id);
    if stored.is_none() && !rule.id.is_empty() {
        if rule.revision == 0 {
            return Err(not_found(Thing::Rule));
        }
        // Deleted a moment ago: saving it again is how that is undone. It comes back as it was, over if it was over. What of it wouldn't
        // be taken today it doesn't do either: whoever judges holds to the same.
        rule.revision += 1;
        return stored_as(desk, &rule).await;
    }
    let found = known::Found::of(desk, &rule).await?;
    let faults = faults(desk, &rule, &found);
    if !faults.is_empty() {
        return Ok(RuleSaved { row: None, faults: faults.iter().map(wire_fault).collect() });
    }
    if let Some(stored) = stored {
        if stored.revision != rule.revision {
            return Err(refused(say().rule_changed()));
        }
        rule.former.clone_from(&stored.former);
        if stored.name != rule.name && !rule.former.contains(&stored.name) {
            rule.former.push(stored.name.clone());
        }
        rule.made_at = stored.made_at;
        rule.revision += 1;
    } else {
        rule.id = uuid::Uuid::new_v4().simple().to_string();
        rule.revision = 1;
        rule.former.clear();
        rule.made_at = desk.host.clock.now().0;
    }
    // Whoever saves a rule that had ended means it to hold again.
    rule.ended_at = None;
    stored_as(desk, &rule).await
}

/// Stores a rule, puts it into force, and gives its row.
async fn stored_as(desk: &Desk, rule: &Rule) -> Result<RuleSaved, ApiError> {
    desk.engine.store().record(record(rule)?).await?;
    put_in_force(desk).await?;
    let names = show::Names::read(desk).await?;
    let row = row(desk, rule, &names, &decided(desk).await?);
    Ok(RuleSaved { row: Some(row), faults: Vec::new() })
}

/// Switches a rule on or off.
pub(crate) async fn switch(desk: &Desk, id: &str, on: bool) -> Result<(), ApiError> {
    let mut rule = find(desk, id)?;
    rule.on = on;
    rule.revision += 1;
    desk.engine.store().record(record(&rule)?).await?;
    put_in_force(desk).await
}

/// Deletes a rule.
pub(crate) async fn delete(desk: &Desk, id: &str) -> Result<(), ApiError> {
    let rule = find(desk, id)?;
    desk.engine.store().record(Record::RuleDeleted { rule: rule.id }).await?;
    put_in_force(desk).await
}

fn find(desk: &Desk, id: &str) -> Result<Rule, ApiError> {
    let kept = desk.rules.kept();
    let found = kept.all().find(|one| one.id == id);
    found.cloned().ok_or_else(|| not_found(Thing::Rule))
}

/// Adds the shipped rules whose names aren't there.
pub(crate) async fn ship(desk: &Desk) -> Result<RuleList, ApiError> {
    let kept = desk.rules.kept();
    for mut rule in shipped(desk.host.clock.now().0) {
        if has(&kept, &rule.name) {
            continue;
        }
        rule.id = uuid::Uuid::new_v4().simple().to_string();
        rule.revision = 1;
        desk.engine.store().record(record(&rule)?).await?;
    }
    put_in_force(desk).await?;
    list(desk).await
}

/// A conversation's own run ended: rules that were to hold until then have ended, unless it only stopped to ask.
pub(crate) async fn run_ended(desk: &Desk, of: ConversationId, run: RunId, end: &RunEnd) -> Result<(), ApiError> {
    let ends = |life: &Life| *life == Life::Run { conversation: of };
    // Nearly always there is no such rule, and then nobody needs to know whose run it was.
    let any = desk.rules.kept().all().any(|rule| rule.ended_at.is_none() && ends(&rule.life));
    if !any || *end == RunEnd::Asked || !desk.engine.store().path_of(run).await?.is_empty() {
        return Ok(());
    }
    end_those(desk, &ends).await
}

/// A conversation was deleted: rules that were to hold until then have ended.
pub(crate) async fn conversation_gone(desk: &Desk, of: ConversationId) -> Result<(), ApiError> {
    end_those(desk, &|life| *life == Life::Run { conversation: of } || *life == Life::Conversation { conversation: of })
        .await
}

async fn end_those(desk: &Desk, ends: &(dyn Fn(&Life) -> bool + Sync)) -> Result<(), ApiError> {
    let kept = desk.rules.kept();
    let over = kept.all();
    let over: Vec<Rule> = over.filter(|rule| rule.ended_at.is_none() && ends(&rule.life)).cloned().collect();
    if over.is_empty() {
        return Ok(());
    }
    let now = desk.host.clock.now().0;
    for mut rule in over {
        rule.ended_at = Some(now);
        rule.revision += 1;
        desk.engine.store().record(record(&rule)?).await?;
    }
    put_in_force(desk).await
}
