//! The query of history: what a person types becomes a filter, and a token that can't be read is named with its place and a sentence.
//!
//! `tool:run_command is:rejected by:rule:"no sudo" conv:"Nightly" after:2026-09-01 force`: each key narrows, the values of one key
//! widen (`is:rejected is:expired` is either), and of the words all must be in it.

use countersign_core::ids::At;
use countersign_store::open::Store;
use countersign_store::read::search::{Filter, Word};
use countersign_store::table::search::{Facet, tokens};
use jiff::ToSpan as _;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::display::text::{one_line, plain};
use crate::wire::history::QueryFault;
use crate::wire::window::ApiError;
use crate::words::{Words, say};

/// A value of the query: how it is typed, which is the same in every language, and what it is called.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    pub(crate) token: &'static str,
    pub(crate) said: fn(&dyn Words) -> String,
}

/// What can be decided. The words are those of a row.
pub(crate) const DECISIONS: &[Known] = &[
    Known { token: "approved", said: |say| say.find_approved() },
    Known { token: "for-conversation", said: |say| say.find_for_conversation() },
    Known { token: "step-by-step", said: |say| say.find_step_by_step() },
    Known { token: "into-auto", said: |say| say.find_into_auto() },
    Known { token: "answered", said: |say| say.find_answered() },
    Known { token: "declined", said: |say| say.find_declined() },
    Known { token: "rejected", said: |say| say.find_rejected() },
    Known { token: "sent-back", said: |say| say.find_sent_back() },
    Known { token: "ran", said: |say| say.find_ran() },
    Known { token: "expired", said: |say| say.find_expired() },
    Known { token: "withdrawn", said: |say| say.find_withdrawn() },
];
/// Who or what decides.
pub(crate) const BY: &[Known] = &[
    Known { token: "you", said: |say| say.find_you() },
    Known { token: "rule", said: |say| say.find_rule() },
    Known { token: "standing", said: |say| say.find_standing() },
    Known { token: "auto", said: |say| say.find_auto() },
    Known { token: "conversation", said: |say| say.find_conversation() },
    Known { token: "server", said: |say| say.find_server() },
];
/// What becomes of it.
pub(crate) const OUTCOMES: &[Known] = &[
    Known { token: "ok", said: |say| say.find_ok() },
    Known { token: "failed", said: |say| say.find_failed() },
    Known { token: "could-not-run", said: |say| say.find_could_not_run() },
    Known { token: "told", said: |say| say.find_told() },
    Known { token: "not-permitted", said: |say| say.find_not_permitted() },
    Known { token: "changed", said: |say| say.find_changed() },
    Known { token: "never-run", said: |say| say.find_never_run() },
    Known { token: "never-made", said: |say| say.find_never_made() },
    Known { token: "unknown", said: |say| say.find_unknown() },
    Known { token: "stopped", said: |say| say.find_stopped() },
    Known { token: "pending", said: |say| say.find_pending() },
];
/// What kind of thing it is about.
pub(crate) const KINDS: &[Known] = &[
    Known { token: "command", said: |say| say.find_commands() },
    Known { token: "file", said: |say| say.find_files() },
    Known { token: "plan", said: |say| say.find_plans() },
    Known { token: "question", said: |say| say.find_questions() },
    Known { token: "other", said: |say| say.find_others() },
];
const KEYS: &str = "tool, is, by, outcome, kind, agent, conv, after, before, on";
/// The longest query.
const MOST: usize = 2_000;
/// The longest name in the words of a filter.
const NAME_WIDTH: usize = 40;

/// A query as it was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Query {
    tools: Vec<String>,
    decisions: Vec<&'static str>,
    by: Vec<&'static str>,
    rules: Vec<String>,
    outcomes: Vec<&'static str>,
    kinds: Vec<&'static str>,
    agents: Vec<String>,
    conversations: Vec<String>,
    after: Option<Date>,
    before: Option<Date>,
    words: Vec<(String, bool)>,
}

struct Token<'a> {
    from: usize,
    to: usize,
    key: Option<&'a str>,
    value: String,
    quoted: bool,
}

impl Query {
    /// Reads a query. `today` is the person's day.
    ///
    /// # Errors
    /// Each token that can't be read, in order.
    pub(crate) fn read(text: &str, today: Date) -> Result<Self, Vec<QueryFault>> {
        let place =
            |bytes: usize| u32::try_from(text.get(..bytes).unwrap_or(text).encode_utf16().count()).unwrap_or(u32::MAX);
        if text.len() > MOST {
            return Err(vec![QueryFault { from: 0, to: place(text.len()), text: say().query_too_long() }]);
        }
        let (mut query, mut faults) = (Self::default(), Vec::new());
        for token in cut(text) {
            if let Err(why) = query.take(&token, today) {
                faults.push(QueryFault { from: place(token.from), to: place(token.to), text: why });
            }
        }
        if let (Some(after), Some(before)) = (query.after, query.before)
            && after >= before
        {
            faults.push(QueryFault { from: 0, to: place(text.len()), text: say().no_day_between() });
        }
        if faults.is_empty() { Ok(query) } else { Err(faults) }
    }

    fn take(&mut self, token: &Token<'_>, today: Date) -> Result<(), String> {
        let Some(key) = token.key else { return self.take_words(token) };
        let value = token.value.as_str();
        if value.is_empty() {
            return Err(say().value_missing(key));
        }
        match key {
            "tool" => self.tools.push(value.to_owned()),
            "agent" => self.agents.push(value.to_owned()),
            "conv" => self.conversations.push(value.to_owned()),
            "is" => self.decisions.push(one_of(value, DECISIONS)?),
            "by" => match value.split_once(':') {
                Some(("rule", name)) if !name.is_empty() => self.rules.push(name.to_owned()),
                Some(("rule", _)) => return Err(say().rule_name_missing()),
                _ => self.by.push(one_of(if value == "me" || value == "person" { "you" } else { value }, BY)?),
            },
            "outcome" => self.outcomes.push(one_of(value, OUTCOMES)?),
            "kind" => self.kinds.push(one_of(value, KINDS)?),
            "after" => self.after = Some(later(self.after, day(value, today)?)),
            "before" => self.before = Some(earlier(self.before, day(value, today)?)),
            "on" => {
                let on = day(value, today)?;
                self.after = Some(later(self.after, on));
                self.before = Some(earlier(self.before, on.tomorrow().map_err(|_| say().no_such_day())?));
            }
            _ => {
                return Err(say().no_such_key(&plain(&one_line(key, NAME_WIDTH)), KEYS));
            }
        }
        Ok(())
    }

    fn take_words(&mut self, token: &Token<'_>) -> Result<(), String> {
        let begins = !token.quoted && token.value.ends_with('*');
        let text = token.value.trim_end_matches('*').to_owned();
        if tokens(&text).is_empty() {
            return Err(say().nothing_to_search());
        }
        self.words.push((text, begins));
        Ok(())
    }

    /// Whether it lets everything through.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What it lets through, in words.
    pub(crate) fn in_words(&self) -> String {
        let mut parts = Vec::new();
        let say = say();
        let mut either = |of: &dyn Fn(&str) -> String, names: &[String]| {
            if !names.is_empty() {
                parts.push(of(&say.either(names)));
            }
        };
        let shown = |names: &[String]| -> Vec<String> {
            names.iter().map(|name| say.in_quotes(&plain(&one_line(name, NAME_WIDTH)))).collect()
        };
        let known = |values: &[&str], list: &[Known]| -> Vec<String> {
            let word = |value: &&str| list.iter().find(|one| one.token == *value).map(|one| (one.said)(say));
            values.iter().filter_map(word).collect()
        };
        let tools: Vec<String> = self.tools.iter().map(|name| plain(&one_line(name, NAME_WIDTH))).collect();
        let rules = shown(&self.rules).into_iter().map(|name| say.of_rule(&name));
        let by: Vec<String> = known(&self.by, BY).into_iter().chain(rules).collect();
        either(&str::to_owned, &known(&self.decisions, DECISIONS));
        either(&str::to_owned, &known(&self.kinds, KINDS));
        either(&|names| say.of_tools(names), &tools);
        either(&|names| say.by_whom(names), &by);
        either(&|names| say.which_ended(names), &known(&self.outcomes, OUTCOMES));
        either(&|names| say.of_agents(names), &shown(&self.agents));
        either(&|names| say.of_conversations(names), &shown(&self.conversations));
        let word = |(text, begins): &(String, bool)| {
            let text = plain(&one_line(text, NAME_WIDTH));
            if *begins { say.begins_with(&text) } else { say.in_quotes(&text) }
        };
        let words: Vec<String> = self.words.iter().map(word).collect();
        if !words.is_empty() {
            parts.push(say.with_words(&say.all_of(&words)));
        }
        match (self.after, self.before) {
            (Some(after), Some(before)) if after.tomorrow().is_ok_and(|next| next == before) => {
                parts.push(say.on_day(&after.to_string()));
            }
            (after, before) => {
                parts.extend(after.map(|day| say.since_day(&day.to_string())));
                parts.extend(before.map(|day| say.before_day(&day.to_string())));
            }
        }
        parts.join(", ")
    }

    /// As the store takes it; names of agents and conversations become their ids.
    pub(crate) async fn filter(&self, store: &Store, zone: &TimeZone) -> Result<Filter, ApiError> {
        let mut any: Vec<(Facet, Vec<String>)> = Vec::new();
        let mut add = |facet, values: Vec<String>| {
            if !values.is_empty() {
                any.push((facet, values));
            }
        };
        let own = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
        add(Facet::Tool, self.tools.clone());
        add(Facet::Decision, own(&self.decisions));
        add(Facet::By, own(&self.by));
        add(Facet::Rule, self.rules.clone());
        add(Facet::Outcome, own(&self.outcomes));
        add(Facet::Kind, own(&self.kinds));
        // A name that nobody has finds nothing; it isn't as if it weren't asked for.
        if !self.agents.is_empty() {
            let mut ids = vec![String::new()];
            for (id, name) in store.agent_names().await? {
                if self.agents.iter().any(|wanted| fits(&name, wanted)) {
                    ids.push(id);
                }
            }
            add(Facet::Agent, ids);
        }
        if !self.conversations.is_empty() {
            let mut ids = vec![String::new()];
            for wanted in &self.conversations {
                ids.extend(store.conversations_called(wanted).await?);
            }
            add(Facet::Conversation, ids);
        }
        let begins = |day: Date| day.to_zoned_datetime(zone.clone()).ok().map(|at| At(at.timestamp().as_millisecond()));
        Ok(Filter {
            words: self.words.iter().map(|(text, begins)| Word { text: text.clone(), begins: *begins }).collect(),
            any,
            after: self.after.and_then(begins),
            before: self.before.and_then(begins),
        })
    }
}

fn fits(name: &str, wanted: &str) -> bool {
    name.to_lowercase().contains(&wanted.to_lowercase())
}

fn later(one: Option<Date>, other: Date) -> Date {
    one.map_or(other, |one| one.max(other))
}

fn earlier(one: Option<Date>, other: Date) -> Date {
    one.map_or(other, |one| one.min(other))
}

fn one_of(value: &str, list: &'static [Known]) -> Result<&'static str, String> {
    let lower = value.to_lowercase();
    list.iter().find(|one| one.token == lower).map(|one| one.token).ok_or_else(|| {
        let names: Vec<&str> = list.iter().map(|one| one.token).collect();
        say().not_one_of(&plain(&one_line(value, NAME_WIDTH)), &names.join(", "))
    })
}

/// A day: `2026-09-01`, `2026-09`, `today`, `yesterday`, or `7d` for so many days ago.
fn day(value: &str, today: Date) -> Result<Date, String> {
    let wrong = || say().no_day(&plain(&one_line(value, NAME_WIDTH)));
    let lower = value.to_lowercase();
    match lower.as_str() {
        "today" => return Ok(today),
        "yesterday" => return today.yesterday().map_err(|_| wrong()),
        _ => {}
    }
    if let Some(days) = lower.strip_suffix('d').and_then(|days| days.parse::<u16>().ok()) {
        return today.checked_sub(i32::from(days).days()).map_err(|_| wrong());
    }
    let whole = if lower.len() == 7 { format!("{lower}-01") } else { lower };
    whole.parse::<Date>().ok().filter(|_| whole.len() == 10).ok_or_else(wrong)
}

/// Cuts at blanks outside of quotation marks.
fn cut(text: &str) -> Vec<Token<'_>> {
    let mut all = Vec::new();
    let mut letters = text.char_indices().peekable();
    while let Some((from, first)) = letters.peek().copied() {
        if first.is_whitespace() {
            letters.next();
            continue;
        }
        let (mut value, mut inside, mut quoted, mut to) = (String::new(), false, false, from);
        let mut key = None;
        while let Some((at, letter)) = letters.peek().copied() {
            if letter.is_whitespace() && !inside {
                break;
            }
            letters.next();
            to = at + letter.len_utf8();
            match letter {
                '"' => {
                    inside = !inside;
                    quoted = true;
                }
                ':' if key.is_none() && !quoted && is_key(&value) => {
                    key = text.get(from..at);
                    value.clear();
                }
                _ => value.push(letter),
            }
        }
        all.push(Token { from, to, key, value, quoted });
    }
    all
}

/// Whether what stands before a colon is meant as a key: one word of small letters. `C:` and `http:` of an address aren't looked for often.
fn is_key(before: &str) -> bool {
    !before.is_empty() && before.bytes().all(|byte| byte.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Query, Vec<QueryFault>> {
        Query::read(text, Date::constant(2026, 12, 1))
    }

    #[test]
    fn a_query_is_read_and_said_in_words() {
        let text = "tool:run_command is:rejected is:expired by:rule:\"no sudo\" conv:\"Nightly check\" after:2026-09-01 \
            before:yesterday \"git push\" forc*";
        let query = read(text).unwrap();
        assert_eq!(query.tools, ["run_command"]);
        assert_eq!(query.decisions, ["rejected", "expired"]);
        assert_eq!((query.rules.as_slice(), query.by.len()), (["no sudo".to_owned()].as_slice(), 0));
        assert_eq!(query.conversations, ["Nightly check"]);
        assert_eq!(query.before, Some(Date::constant(2026, 11, 30)));
        assert_eq!(query.words, [("git push".to_owned(), false), ("forc".to_owned(), true)]);
        assert_eq!(
            query.in_words(),
            "rejected or expired, tool run_command, decided by rule “no sudo”, conversation “Nightly check”, \
             with “git push” and “forc…”, from 2026-09-01 on, before 2026-11-30"
        );
        assert!(read("  ").unwrap().is_empty());
        assert_eq!(read("on:7d").unwrap().in_words(), "on 2026-11-24");
        assert_eq!(read("after:2026-09").unwrap().after, Some(Date::constant(2026, 9, 1)));
        assert_eq!(read("\"is:odd\"").unwrap().words[0].0, "is:odd", "in quotation marks it is words");
    }

    #[test]
    fn a_token_that_cant_be_read_is_named_with_its_place() {
        for (text, from, to, said) in [
            ("deploy is:gone", 7, 14, "“gone” isn't one of approved"),
            ("ü tol:x", 2, 7, "There is no “tol:”."),
            ("after:soon", 0, 10, "“soon” is no day"),
            ("after:2026-13-01", 0, 16, "is no day"),
            ("is:", 0, 3, "What follows “is:” is missing."),
            ("a --", 2, 4, "no letter or digit"),
            ("by:rule:", 0, 8, "The rule's name is missing."),
            ("after:2026-09-02 before:2026-09-01", 0, 34, "No day is after"),
            ("is:\u{202e}x", 0, 5, "⟨U+202E"),
        ] {
            let faults = read(text).unwrap_err();
            assert_eq!((faults.len(), faults[0].from, faults[0].to), (1, from, to), "{text}");
            assert!(faults[0].text.contains(said), "{text}: {}", faults[0].text);
        }
    }
}
