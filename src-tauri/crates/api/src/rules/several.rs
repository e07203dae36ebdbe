//! What the builder starts with for several calls of one tool: a rule that fits all of them and as little else as the parts of a rule can
//! say. What is the same in all stays as it is; what differs becomes *one of*, and below it what they have in common.

use std::collections::BTreeSet;

use countersign_core::call::{Call, CallState, Settled};
use countersign_core::parse::{self, Tree};
use countersign_core::tool::Mark;
use countersign_rules::check::MOST;
use countersign_rules::command::{NotPlain, plain_words, starts_others};
use countersign_rules::judge::COMMAND;
use countersign_rules::rule::{Condition, Life, Rule, RuleTool, RuleVerdict, Scope, Test};
use countersign_store::read::inbox::CallFact;

use super::draft::{NAME_WIDTH, any_tool, empty, free_name, name_of, offers, places, reject, taken, tool_of};
use super::show;
use crate::cards;
use crate::desk::{self, Desk};
use crate::display::mask::Masks;
use crate::display::text::{one_line, plain, words};
use crate::error::{not_found, refused};
use crate::wire::rules::{ConditionOffer, PlaceOffer, RuleDraft, ToolOffer};
use crate::wire::window::ApiError;
use crate::words::{Thing, say};

/// The shortest beginning that is offered as what values have in common, in characters.
const BEGINNING: usize = 3;

/// The draft of some calls.
pub(super) async fn draft(desk: &Desk, ids: &[String]) -> Result<RuleDraft, ApiError> {
    let ids: BTreeSet<&String> = ids.iter().collect();
    if ids.is_empty() || ids.len() > MOST {
        return Err(refused(say().rule_calls_most(MOST as u64)));
    }
    let mut facts = Vec::new();
    for id in ids {
        let fact = desk.engine.store().call_fact(desk::row(id)?).await?;
        facts.push(fact.ok_or_else(|| not_found(Thing::Request))?);
    }
    let Some(first) = facts.first() else { return Err(not_found(Thing::Request)) };
    let tool = tool_of(&first.call).filter(|tool| *tool != RuleTool::Plan);
    let tool = tool.ok_or_else(|| refused(say().rule_calls_none()))?;
    if facts.iter().any(|fact| tool_of(&fact.call).as_ref() != Some(&tool)) {
        return Err(refused(say().rule_calls_differ()));
    }
    let names = show::Names::read(desk).await?;
    let masks = Masks::new(&desk.settings().masks);
    let each: Vec<_> = facts.iter().map(|fact| offers(&fact.call, &masks)).collect();
    let unreadable: Option<NotPlain> = each.iter().find_map(|(_, why)| *why);
    let calls: Vec<(&Call, &[ConditionOffer])> =
        facts.iter().zip(&each).map(|(fact, (offers, _))| (&fact.call, offers.as_slice())).collect();
    let offers = in_common(&calls);
    let conditions: Vec<Condition> = offers.iter().filter(|one| one.on).map(|one| one.condition.clone()).collect();
    let places = shared_places(desk, &names, &facts).await?;
    let free_form = first.call.marks.has(Mark::FreeForm);
    let (verb, target, _) = cards::call_row(&first.call);
    let same = facts.iter().all(|fact| fact.call.arguments == first.call.arguments);
    let target = if same { target } else { words(say().rule_of_calls(facts.len() as u64)) };
    let name = if same { name_of(&first.call, &plain(&target)) } else { name_of_words(&offers, &first.call) };
    let taken = taken(desk);
    let scope = places.first().map_or(Scope::Everywhere, |place| place.scope.clone());
    let life = match &scope {
        Scope::Conversation { conversation } => Life::Conversation { conversation: *conversation },
        Scope::Agent { .. } | Scope::Folder { .. } | Scope::Everywhere => Life::Forever,
    };
    // What is dangerous, what was rejected and what nothing narrow can be said of is for the person to say.
    let chosen = !facts.iter().any(|fact| cards::high_risk(fact) || was_rejected(&fact.call))
        && (!conditions.is_empty() || !free_form);
    let all_rejected = facts.iter().all(|fact| was_rejected(&fact.call));
    let rule = Rule {
        name: free_name(&taken, &name),
        verdict: if all_rejected { reject() } else { RuleVerdict::Approve },
        tool: tool.clone(),
        conditions,
        scope,
        life,
        ..empty()
    };
    let server = match &tool {
        RuleTool::Server { server, .. } => names.server(server),
        RuleTool::Any | RuleTool::BuiltIn { .. } | RuleTool::Plan => None,
    };
    let own = ToolOffer { shown: one_line(&first.call.tool, NAME_WIDTH), server, free_form, tool };
    let tools = vec![own, any_tool()];
    Ok(RuleDraft { rule, chosen, verb, target, offers, tools, places, free_form, unreadable, taken })
}

fn was_rejected(call: &Call) -> bool {
    matches!(call.state, CallState::Settled(Settled::RejectedByPerson { .. } | Settled::RejectedByRule { .. }))
}

/// The places that hold for all of them, the narrowest first; everywhere is always one.
async fn shared_places(desk: &Desk, names: &show::Names, facts: &[CallFact]) -> Result<Vec<PlaceOffer>, ApiError> {
    let mut shared: Option<Vec<PlaceOffer>> = None;
    for fact in facts {
        let of_this = places(desk, names, fact).await?;
        let holds = |place: &PlaceOffer| of_this.iter().any(|one| one.scope == place.scope);
        shared = Some(match shared {
            None => of_this,
            Some(before) => before.into_iter().filter(|place| holds(place)).collect(),
        });
    }
    Ok(shared.unwrap_or_default())
}

/// The beginning that commands share, else the tool's name.
fn name_of_words(offers: &[ConditionOffer], call: &Call) -> String {
    let shared = offers.iter().find_map(|offer| match &offer.condition {
        Condition::Words { words, .. } => Some(words.join(" ")),
        Condition::Argument { .. } | Condition::DownloadToShell => None,
    });
    shared.unwrap_or_else(|| call.tool.clone())
}

/// The conditions that all of the calls meet, the narrowest of each argument on.
fn in_common(calls: &[(&Call, &[ConditionOffer])]) -> Vec<ConditionOffer> {
    let Some((_, of_first)) = calls.first() else { return Vec::new() };
    let groups: BTreeSet<u32> = of_first.iter().map(|one| one.group).collect();
    let mut all = Vec::new();
    for group in groups {
        let own: Vec<&ConditionOffer> = of_first.iter().filter(|one| one.group == group).collect();
        let shared = own
            .iter()
            .filter(|one| calls.iter().all(|(_, offers)| offers.iter().any(|other| other.condition == one.condition)));
        let shared: Vec<&ConditionOffer> = shared.copied().collect();
        // If the narrowest of one call is that of all of them, there is nothing to put together.
        if own.iter().any(|one| one.on) && !shared.iter().any(|one| one.on) {
            all.extend(put_together(&own, calls, group));
        }
        for offer in shared {
            if !all.iter().any(|one: &ConditionOffer| one.condition == offer.condition) {
                all.push(offer.clone());
            }
        }
    }
    all
}

/// What is said of values that differ: one of them, and what they begin with.
fn put_together(own: &[&ConditionOffer], calls: &[(&Call, &[ConditionOffer])], group: u32) -> Vec<ConditionOffer> {
    let offer = |condition: Condition, on: bool, approves: bool| ConditionOffer {
        shown: show::condition(&condition),
        condition,
        on,
        approves,
        group,
    };
    let path = own.iter().find_map(|one| match (&one.condition, one.on) {
        (Condition::Words { .. }, true) => Some(vec![COMMAND.to_owned()]),
        (Condition::Argument { path, .. }, true) => Some(path.clone()),
        (Condition::Words { .. } | Condition::Argument { .. } | Condition::DownloadToShell, _) => None,
    });
    let Some(path) = path else { return Vec::new() };
    let Some(values) = calls.iter().map(|(call, offers)| narrow(call, offers, &path)).collect::<Option<Vec<_>>>()
    else {
        return Vec::new();
    };
    let distinct: BTreeSet<String> = values.iter().flatten().cloned().collect();
    let mut found = Vec::new();
    if distinct.len() <= MOST {
        let test = Test::OneOf { values: distinct.iter().cloned().collect() };
        found.push(offer(Condition::Argument { path: path.clone(), test }, true, true));
    }
    let of_command = calls.iter().all(|(call, _)| call.marks.has(Mark::FreeForm)) && path == [COMMAND];
    if of_command {
        let words: Option<Vec<Vec<String>>> = distinct.iter().map(|command| plain_words(command).ok()).collect();
        let shared = words.map(|all| beginning(&all)).unwrap_or_default();
        if !shared.is_empty() {
            let approves = !starts_others(&shared);
            found.push(offer(Condition::Words { words: shared, flags: Vec::new(), further: true }, false, approves));
        }
    } else {
        let letters: Vec<Vec<char>> = distinct.iter().map(|value| value.chars().collect()).collect();
        let shared = beginning(&letters);
        if shared.len() >= BEGINNING {
            let test = Test::StartsWith { text: shared.into_iter().collect() };
            found.push(offer(Condition::Argument { path, test }, false, true));
        }
    }
    found
}

/// The values of an argument of a call that may stand in a rule; none if it hasn't any there.
fn narrow(call: &Call, offers: &[ConditionOffer], path: &[String]) -> Option<Vec<String>> {
    offers.iter().filter(|one| one.on).find_map(|one| match &one.condition {
        Condition::Argument { path: of, test: Test::Is { value } } if of == path => Some(vec![value.clone()]),
        Condition::Argument { path: of, test: Test::OneOf { values } } if of == path => Some(values.clone()),
        // Its words are on, so its text may stand in a rule as well.
        Condition::Words { .. } if *path == [COMMAND] => {
            let tree = parse::arguments(&call.arguments).ok()?;
            Some(vec![tree.get(COMMAND).and_then(Tree::as_text)?.to_owned()])
        }
        Condition::Argument { .. } | Condition::Words { .. } | Condition::DownloadToShell => None,
    })
}

/// What all of them begin with.
fn beginning<T: Clone + PartialEq>(all: &[Vec<T>]) -> Vec<T> {
    let Some((first, others)) = all.split_first() else { return Vec::new() };
    let same = |at: &usize| others.iter().all(|one| one.get(*at) == first.get(*at));
    first.iter().take((0..first.len()).take_while(same).count()).cloned().collect()
}
