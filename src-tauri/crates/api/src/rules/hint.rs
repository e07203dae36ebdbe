//! The hint for whoever approves the same again and again: a rule could do it. It is shown until it is dismissed, and never for what
//! has a red fact.

use std::collections::{BTreeMap, BTreeSet};

use countersign_core::ids::At;
use countersign_core::parse::canonical;
use countersign_core::tool::Origin;
use countersign_store::read::past::PastCall;
use countersign_store::record::Record;

use super::dry::seen;
use crate::cards;
use crate::desk::Desk;
use crate::wire::rules::RuleHint;
use crate::wire::window::ApiError;

/// How often in a week the same must have been approved.
const TIMES: usize = 10;
/// A week, in milliseconds.
const WEEK: i64 = 7 * 24 * 3_600_000;
/// The most calls that are looked at.
const MOST: i64 = 5_000;
/// The setting that holds what isn't to be shown any more.
const SETTING: &str = "rule_hints";
/// Stands for all of them.
const ALL: &str = "*";

/// The call that was approved most often in the last week, if it was often.
pub(crate) async fn hint(desk: &Desk) -> Result<Option<RuleHint>, ApiError> {
    let dismissed = dismissed(desk).await?;
    if dismissed.contains(ALL) {
        return Ok(None);
    }
    let store = desk.engine.store();
    let since = At(desk.host.clock.now().0 - WEEK);
    let calls = store.past_calls(since, MOST).await?;
    let mut same: BTreeMap<String, Vec<&PastCall>> = BTreeMap::new();
    for past in &calls {
        let approved = past.by == "person" && past.decision == "approved";
        if !approved || past.identity.origin == Origin::Conversation {
            continue;
        }
        let Some((_, call)) = seen(past, "") else { continue };
        let key = format!(
            "{}:{}",
            past.identity.key(),
            countersign_core::digest::content_hash(canonical(&call.tree).as_bytes())
        );
        same.entry(key).or_default().push(past);
    }
    let mut often: Vec<(&String, &Vec<&PastCall>)> =
        same.iter().filter(|(key, calls)| calls.len() >= TIMES && !dismissed.contains(*key)).collect();
    often.sort_by_key(|(_, calls)| std::cmp::Reverse(calls.len()));
    for (key, calls) in often {
        let Some(last) = calls.first() else { continue };
        let Some(fact) = store.call_fact(last.id.0).await? else { continue };
        let Some((run, call)) = seen(last, "") else { continue };
        // One that is about it says so already, or it would still have asked for a reason.
        let decided =
            !desk.rules.say(&run, &call).iter().all(|one| one.verdict == countersign_core::input::Verdict::Abstain);
        if cards::high_risk(&fact) || decided {
            continue;
        }
        let (verb, target, _) = cards::call_row(&fact.call);
        return Ok(Some(RuleHint {
            call: last.id.to_string(),
            verb,
            target,
            times: i64::try_from(calls.len()).unwrap_or(i64::MAX),
            key: key.clone(),
        }));
    }
    Ok(None)
}

/// Never shows a hint again, or any.
pub(crate) async fn dismiss(desk: &Desk, key: &str) -> Result<(), ApiError> {
    let mut dismissed = dismissed(desk).await?;
    dismissed.insert(if key.is_empty() { ALL.to_owned() } else { key.to_owned() });
    let value = serde_json::to_string(&dismissed).map_err(|error| crate::error::refused(error.to_string()))?;
    desk.engine.store().record(Record::Setting { name: SETTING.to_owned(), value }).await?;
    Ok(())
}

async fn dismissed(desk: &Desk) -> Result<BTreeSet<String>, ApiError> {
    let stored = desk.engine.store().setting(SETTING).await?;
    // What can't be read dismisses nothing; a hint decides nothing.
    Ok(stored.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
}
