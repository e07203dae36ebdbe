//! What the builder starts with: a rule made from a real call, held to exactly that call, with the steps by which it can be widened.

use countersign_core::call::Call;
use countersign_core::parse::{self, Tree};
use countersign_core::request::Precondition;
use countersign_core::tool::{Mark, Origin};
use countersign_rules::command::{Found, NotPlain, Read, downloads_into_shell, plain_words, starts_others};
use countersign_rules::judge::{COMMAND, text_of};
use countersign_rules::rule::{Condition, Life, Rule, RuleTool, RuleVerdict, Scope, Test};
use countersign_store::read::inbox::CallFact;

use super::show;
use crate::cards;
use crate::desk::{self, Desk};
use crate::display::mask::Masks;
use crate::display::text::{hidden_count, one_line, plain, safe, words};
use crate::error::not_found;
use crate::wire::rules::{ConditionOffer, PlaceOffer, RuleDraft, RuleSource, ToolOffer};
use crate::wire::window::ApiError;
use crate::words::Thing;

/// The longest value that becomes a condition, in characters. What is longer is content, and a rule about it would match once.
const VALUE: usize = 200;
/// The longest name that a rule gets by itself, in characters.
const NAME: usize = 48;
/// The longest names that are shown.
pub(super) const NAME_WIDTH: usize = 80;
/// How deep arguments are followed for conditions.
const DEEP: usize = 3;
/// The most groups of conditions that are offered.
const MOST: u32 = 24;

/// What the builder starts with.
pub(crate) async fn draft(desk: &Desk, from: RuleSource) -> Result<RuleDraft, ApiError> {
    match from {
        RuleSource::Call { id } => {
            let fact =
                desk.engine.store().call_fact(desk::row(&id)?).await?.ok_or_else(|| not_found(Thing::Request))?;
            of_call(desk, &fact).await
        }
        RuleSource::Calls { ids } => super::several::draft(desk, &ids).await,
        RuleSource::Rule { id } => of_rule(desk, super::find(desk, &id)?).await,
        RuleSource::Nothing => of_nothing(desk).await,
    }
}

async fn of_call(desk: &Desk, fact: &CallFact) -> Result<RuleDraft, ApiError> {
    let names = show::Names::read(desk).await?;
    let call = &fact.call;
    let tool = tool_of(call);
    let free_form = call.marks.has(Mark::FreeForm);
    let masks = Masks::new(&desk.settings().masks);
    let (offers, unreadable) = offers(call, &masks);
    let conditions: Vec<Condition> = offers.iter().filter(|one| one.on).map(|one| one.condition.clone()).collect();
    let is_plan = tool == Some(RuleTool::Plan);
    let high_risk = cards::high_risk(fact);
    // Nothing narrow can be said of it, or it deletes something: the person says which of the two they mean.
    let chosen = !is_plan && !high_risk && tool.is_some() && (!conditions.is_empty() || !free_form);
    let verdict = if is_plan || tool.is_none() { reject() } else { RuleVerdict::Approve };
    let places = places(desk, &names, fact).await?;
    let (verb, target, _) = cards::call_row(call);
    let taken = taken(desk);
    let rule = Rule {
        name: free_name(&taken, &name_of(call, &plain(&target))),
        verdict,
        tool: tool.clone().unwrap_or(RuleTool::Any),
        conditions,
        scope: places.first().map_or(Scope::Everywhere, |place| place.scope.clone()),
        life: if fact.deleted { Life::Forever } else { Life::Conversation { conversation: fact.conversation } },
        ..empty()
    };
    let mut tools: Vec<ToolOffer> = tool
        .map(|tool| ToolOffer {
            shown: one_line(&call.tool, NAME_WIDTH),
            server: match &tool {
                RuleTool::Server { server, .. } => names.server(server),
                RuleTool::Any | RuleTool::BuiltIn { .. } | RuleTool::Plan => None,
            },
            free_form,
            tool,
        })
        .into_iter()
        .collect();
    tools.push(any_tool());
    Ok(RuleDraft { rule, chosen, verb, target, offers, tools, places, free_form, unreadable, taken })
}

async fn of_rule(desk: &Desk, rule: Rule) -> Result<RuleDraft, ApiError> {
    let names = show::Names::read(desk).await?;
    let found = super::known::Found::of(desk, &rule).await?;
    let shown = names.show(&rule, desk.host.home.as_deref());
    let free_form = found.tool.as_ref().is_none_or(|tool| tool.marks.has(Mark::FreeForm));
    let offers = rule.conditions.iter().zip(0..).map(|(condition, group)| ConditionOffer {
        shown: show::condition(condition),
        condition: condition.clone(),
        on: true,
        approves: rule.verdict.approves(),
        group,
    });
    let offers = offers.collect();
    let mut places = vec![PlaceOffer { scope: rule.scope.clone(), shown: shown.place.clone() }];
    places.extend(everywhere_else(&rule.scope));
    let mut tools = tools(desk).await?;
    tools.retain(|one| one.tool != rule.tool);
    let own = ToolOffer { tool: rule.tool.clone(), shown: shown.tool, server: shown.server, free_form };
    tools.insert(0, own);
    let mut taken = taken(desk);
    taken.retain(|name| *name != rule.name && !rule.former.contains(name));
    Ok(RuleDraft {
        rule,
        chosen: true,
        verb: Vec::new(),
        target: Vec::new(),
        offers,
        tools,
        places,
        free_form,
        unreadable: None,
        taken,
    })
}

async fn of_nothing(desk: &Desk) -> Result<RuleDraft, ApiError> {
    Ok(RuleDraft {
        rule: Rule { verdict: reject(), tool: RuleTool::Any, ..empty() },
        chosen: false,
        verb: Vec::new(),
        target: Vec::new(),
        offers: Vec::new(),
        tools: tools(desk).await?,
        places: all_places(desk).await?,
        free_form: true,
        unreadable: None,
        taken: taken(desk),
    })
}

pub(super) fn reject() -> RuleVerdict {
    RuleVerdict::Reject { reason: String::new() }
}

pub(super) fn empty() -> Rule {
    Rule {
        id: String::new(),
        revision: 0,
        name: String::new(),
        former: Vec::new(),
        on: true,
        verdict: reject(),
        tool: RuleTool::Any,
        conditions: Vec::new(),
        any_arguments: false,
        scope: Scope::Everywhere,
        life: Life::Forever,
        note: String::new(),
        samples: Vec::new(),
        made_at: 0,
        ended_at: None,
    }
}

/// The tool of a call, as a rule names it; none for one that nobody knew, and for the start of a sub-agent, which needs no approval.
pub(super) fn tool_of(call: &Call) -> Option<RuleTool> {
    let identity = call.identity.as_ref()?;
    let name = identity.name.clone();
    match &identity.origin {
        Origin::BuiltIn { .. } => Some(RuleTool::BuiltIn { name }),
        Origin::Server { server, .. } => {
            Some(RuleTool::Server { server: server.clone(), name, key: Some(identity.key()) })
        }
        Origin::Conversation => Some(RuleTool::Plan),
        Origin::SubAgent { .. } => None,
    }
}

pub(super) fn any_tool() -> ToolOffer {
    ToolOffer { tool: RuleTool::Any, shown: Vec::new(), server: None, free_form: true }
}

/// Every tool that an approval could be about, and any.
async fn tools(desk: &Desk) -> Result<Vec<ToolOffer>, ApiError> {
    let mut tools = vec![any_tool()];
    tools.push(ToolOffer { tool: RuleTool::Plan, shown: Vec::new(), server: None, free_form: false });
    tools.extend(desk.host.catalogue.iter().map(|one| ToolOffer {
        tool: RuleTool::BuiltIn { name: one.tool.identity.name.clone() },
        shown: words(one.tool.identity.name.clone()),
        server: None,
        free_form: one.tool.marks.has(Mark::FreeForm),
    }));
    for server in desk.engine.store().servers().await? {
        let definitions = desk.host.servers.status(server.id).map(|one| one.definitions).unwrap_or_default();
        for (_, one) in server.tools(&definitions) {
            let identity = &one.tool.identity;
            let (server_id, name) = (server.id.to_string(), identity.name.clone());
            tools.push(ToolOffer {
                tool: RuleTool::Server { server: server_id, name: name.clone(), key: Some(identity.key()) },
                shown: one_line(&name, NAME_WIDTH),
                server: Some(one_line(&server.name, NAME_WIDTH)),
                free_form: one.tool.marks.has(Mark::FreeForm),
            });
        }
    }
    Ok(tools)
}

/// Where a rule of a call can hold, the narrowest first.
pub(super) async fn places(desk: &Desk, names: &show::Names, fact: &CallFact) -> Result<Vec<PlaceOffer>, ApiError> {
    let store = desk.engine.store();
    let (_, below) = crate::detail::path(store, &fact.call).await?;
    let agent = store.agent(below.unwrap_or(fact.agent)).await?;
    let mut scopes = Vec::new();
    if !fact.deleted {
        scopes.push(Scope::Conversation { conversation: fact.conversation });
    }
    if let Some(agent) = agent {
        scopes.push(Scope::Agent { agent: agent.id });
        if !agent.folder.is_empty() {
            scopes.push(Scope::Folder { folder: agent.folder });
        }
    }
    scopes.push(Scope::Everywhere);
    let shown = |scope: Scope| PlaceOffer { shown: names.place(&scope, desk.host.home.as_deref()), scope };
    Ok(scopes.into_iter().map(shown).collect())
}

fn everywhere_else(scope: &Scope) -> Option<PlaceOffer> {
    (*scope != Scope::Everywhere).then_some(PlaceOffer { scope: Scope::Everywhere, shown: None })
}

/// Everywhere first, as there is no call that a narrower place would come from; then each agent and its folder.
async fn all_places(desk: &Desk) -> Result<Vec<PlaceOffer>, ApiError> {
    let names = show::Names::read(desk).await?;
    let mut scopes = vec![Scope::Everywhere];
    for agent in desk.engine.store().agents().await? {
        scopes.push(Scope::Agent { agent: agent.id });
        let folder = Scope::Folder { folder: agent.folder };
        if !scopes.contains(&folder) {
            scopes.push(folder);
        }
    }
    let shown = |scope: Scope| PlaceOffer { shown: names.place(&scope, desk.host.home.as_deref()), scope };
    Ok(scopes.into_iter().map(shown).collect())
}

pub(super) fn taken(desk: &Desk) -> Vec<String> {
    let kept = desk.rules.kept();
    let rules = kept.all();
    rules.flat_map(|rule| std::iter::once(&rule.name).chain(&rule.former)).cloned().collect()
}

/// A name from what the call does: "git status", "close_ticket".
pub(super) fn name_of(call: &Call, target: &str) -> String {
    let tree = parse::arguments(&call.arguments).ok();
    let command = tree.as_ref().and_then(|tree| tree.get(COMMAND)).and_then(Tree::as_text);
    let said = match command.map(plain_words) {
        Some(Ok(words)) => words.join(" "),
        Some(Err(_)) => call.tool.clone(),
        None if target.is_empty() || call.tool.contains(target) => call.tool.clone(),
        None => format!("{} {target}", call.tool),
    };
    let clean: String = said
        .chars()
        .map(|letter| if matches!(letter, ',' | '"' | '⟨' | '⟩') || letter.is_control() { ' ' } else { letter })
        .collect();
    let clean = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = clean.chars().take(NAME).collect();
    let short = short.trim_end().to_owned();
    if hidden_count(&safe(&short)) > 0 || short.is_empty() { "rule".to_owned() } else { short }
}

pub(super) fn free_name(taken: &[String], name: &str) -> String {
    let is_free = |name: &str| !taken.iter().any(|one| one.to_lowercase() == name.to_lowercase());
    let numbered = (2..).map(|number| format!("{name} {number}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| is_free(name)).unwrap_or_default()
}

/// The conditions that a call gives, and why its command gives none by its words.
pub(super) fn offers(call: &Call, masks: &Masks) -> (Vec<ConditionOffer>, Option<NotPlain>) {
    let Ok(tree) = parse::arguments(&call.arguments) else { return (Vec::new(), None) };
    let mut offers = Offers { all: Vec::new(), group: 0, masks };
    let mut unreadable = None;
    if call.marks.has(Mark::FreeForm)
        && let Some(command) = tree.get(COMMAND).and_then(Tree::as_text)
    {
        unreadable = offers.of_command(command);
    }
    let resolved = call.preconditions.iter().find_map(|one| match one {
        Precondition::File { path, .. } => Some(path.as_str()),
        Precondition::Folder { .. } | Precondition::Environment { .. } | Precondition::Confined { .. } => None,
    });
    offers.of_arguments(&tree, &mut Vec::new(), call.marks.has(Mark::FreeForm), resolved);
    (offers.all, unreadable)
}

struct Offers<'a> {
    all: Vec<ConditionOffer>,
    group: u32,
    masks: &'a Masks,
}

impl Offers<'_> {
    fn push(&mut self, condition: Condition, on: bool, approves: bool) {
        let shown = show::condition(&condition);
        self.all.push(ConditionOffer { condition, shown, on, approves, group: self.group });
    }

    /// Whether a value may stand in a rule: short, without secrets and hidden characters.
    fn may(&self, text: &str) -> bool {
        text.chars().count() <= VALUE && self.masks.hide(text) == text && hidden_count(&safe(text)) == 0
    }

    fn of_command(&mut self, command: &str) -> Option<NotPlain> {
        let may = self.may(command);
        let unreadable = match plain_words(command) {
            Ok(words) if may => {
                self.of_words(&words);
                starts_others(&words).then_some(NotPlain::Starts)
            }
            Ok(_) => None,
            Err(why) => {
                if may {
                    let test = Test::Is { value: command.to_owned() };
                    self.push(Condition::Argument { path: vec![COMMAND.to_owned()], test }, true, true);
                }
                Some(why)
            }
        };
        if downloads_into_shell(&Read::new(command)) == Found::Yes {
            self.push(Condition::DownloadToShell, false, false);
        }
        self.group += 1;
        unreadable
    }

    /// The whole, then its first words, then its program.
    fn of_words(&mut self, words: &[String]) {
        let of = |count: usize, further: bool| Condition::Words {
            words: words.iter().take(count).cloned().collect(),
            flags: Vec::new(),
            further,
        };
        self.push(of(words.len(), false), true, true);
        let is_word = |word: &String| !word.starts_with('-') && !word.contains(['/', '.', '=']);
        let mut counts = vec![words.len()];
        counts.extend(words.get(1).filter(|word| is_word(word)).map(|_| 2));
        counts.push(1);
        counts.dedup();
        for count in counts {
            let first = words.get(..count).unwrap_or_default();
            self.push(of(count, true), false, !starts_others(first));
        }
    }

    fn of_arguments(&mut self, tree: &Tree, path: &mut Vec<String>, free_form: bool, resolved: Option<&str>) {
        let Tree::Object(pairs) = tree else { return };
        for (key, value) in pairs {
            if self.group >= MOST || (free_form && path.is_empty() && key == COMMAND) || !self.may(key) {
                continue;
            }
            path.push(key.clone());
            match value {
                Tree::Object(_) if path.len() < DEEP => self.of_arguments(value, path, free_form, resolved),
                Tree::Object(_) => {}
                Tree::List(items) => self.of_list(items, path),
                Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::Text(_) => {
                    self.of_value(&text_of(value), path, resolved);
                }
            }
            path.pop();
        }
    }

    fn of_list(&mut self, items: &[Tree], path: &[String]) {
        let scalar = |item: &Tree| match item {
            Tree::List(_) | Tree::Object(_) => None,
            Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::Text(_) => Some(text_of(item)),
        };
        let Some(values) = items.iter().map(scalar).collect::<Option<Vec<String>>>() else { return };
        if values.is_empty() || values.len() > 10 || !values.iter().all(|value| self.may(value)) {
            return;
        }
        let test = Test::OneOf { values };
        self.push(Condition::Argument { path: path.to_vec(), test }, true, true);
        self.group += 1;
    }

    fn of_value(&mut self, text: &str, path: &[String], resolved: Option<&str>) {
        if !self.may(text) {
            return;
        }
        let argument = |test: Test| Condition::Argument { path: path.to_vec(), test };
        self.push(argument(Test::Is { value: text.to_owned() }), true, true);
        if let Some(file) = resolved.filter(|file| is_this(text, file)) {
            let mut folder = std::path::Path::new(file).parent();
            while let Some(one) = folder {
                let named =
                    if one.as_os_str().is_empty() { ".".to_owned() } else { one.to_string_lossy().into_owned() };
                self.push(argument(Test::Inside { folder: named }), false, true);
                folder = one.parent();
            }
        } else if let Ok(url) = url::Url::parse(text)
            && matches!(url.scheme(), "http" | "https")
            && let Some(host) = url.host_str()
        {
            let host = host.to_owned();
            self.push(argument(Test::Host { host: host.clone(), below: false }), false, true);
            self.push(argument(Test::Host { host, below: true }), false, true);
        }
        self.group += 1;
    }
}

/// Whether a text is the path that was resolved to this file.
fn is_this(text: &str, file: &str) -> bool {
    let name = |path: &str| std::path::Path::new(path).file_name().map(std::ffi::OsStr::to_owned);
    name(text).is_some() && name(text) == name(file)
}
