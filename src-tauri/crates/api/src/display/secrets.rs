//! Masks what looks like a secret: by the marks that issuers put on theirs, by the name that stands before it, and by how
//! random it is. A mask too many costs a word; one too few puts a key on a lock screen.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// What stands where a secret was.
pub const MASK: &str = "⟨secret⟩";

/// The group of a pattern that is masked; without one, all of it is.
const GROUP: &str = "s";
/// The shortest stretch that is looked at for its randomness.
const LEAST: usize = 20;
/// From how many bits a character on a stretch counts as random.
const RANDOM: f64 = 3.6;
/// The same for one of hexadecimal digits alone, which can't have more than four.
const RANDOM_HEX: f64 = 3.0;

const PATTERNS: &[&str] = &[
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)",
    r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    r"\bgh[pousr]_[0-9A-Za-z]{16,}\b|\bgithub_pat_[0-9A-Za-z_]{20,}\b|\bglpat-[0-9A-Za-z_-]{16,}",
    r"\b(?:sk|rk|pk)[-_][0-9A-Za-z_-]{16,}",
    r"\bxox[abeprs]-[0-9A-Za-z-]{10,}",
    r"\bAIza[0-9A-Za-z_-]{30,}",
    r"\bnpm_[0-9A-Za-z]{30,}\b|\bhf_[0-9A-Za-z]{20,}\b",
    r"\beyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}(?:\.[0-9A-Za-z_-]*)?",
    r"://[^/\s:@]*:(?P<s>[^/\s@]+)@",
    r"(?i)\b(?:bearer|basic)\s+(?P<s>[0-9a-z._~+/=-]{8,})",
    r#"(?i)(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?|authorization)["']?\s*(?:=|:)\s*["']?(?P<s>[^\s"'&;,]{3,})"#,
    r#"(?i)--(?:[a-z-]*-)?(?:pass(?:word|phrase)?|secret|token|key)[ =]["']?(?P<s>[^\s"'&;,-][^\s"'&;,]{2,})"#,
];

static KNOWN: LazyLock<Vec<Regex>> =
    LazyLock::new(|| PATTERNS.iter().filter_map(|pattern| Regex::new(pattern).ok()).collect());
static STRETCHES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(&format!(r"[0-9A-Za-z+_=-]{{{LEAST},}}")).ok());

/// The text with every secret masked, and whether there was one. `own` are patterns of the person's own; one that can't be
/// read masks nothing.
pub fn masked<'a>(text: &'a str, own: &[String]) -> (Cow<'a, str>, bool) {
    let mut text = Cow::Borrowed(text);
    let own: Vec<Regex> = own.iter().filter_map(|pattern| Regex::new(pattern).ok()).collect();
    for pattern in KNOWN.iter().chain(&own) {
        text = Cow::Owned(pattern.replace_all(&text, |found: &Captures<'_>| hide(found)).into_owned());
    }
    if let Some(stretches) = &*STRETCHES {
        let hide = |found: &Captures<'_>| {
            let stretch = found.get(0).map_or("", |all| all.as_str());
            if is_random(stretch) { MASK.to_owned() } else { stretch.to_owned() }
        };
        text = Cow::Owned(stretches.replace_all(&text, hide).into_owned());
    }
    let any = text.contains(MASK);
    (text, any)
}

fn hide(found: &Captures<'_>) -> String {
    let all = found.get(0).map_or("", |all| all.as_str());
    match (found.get(0), found.name(GROUP)) {
        (Some(whole), Some(secret)) => {
            let before = all.get(..secret.start() - whole.start()).unwrap_or_default();
            let behind = all.get(secret.end() - whole.start()..).unwrap_or_default();
            format!("{before}{MASK}{behind}")
        }
        (Some(_) | None, _) if all.is_empty() => String::new(),
        (Some(_) | None, _) => MASK.to_owned(),
    }
}

/// Whether a stretch is likelier a key than a word: letters and digits mixed, and no two of them alike too often.
fn is_random(stretch: &str) -> bool {
    let has = |is: fn(&char) -> bool| stretch.chars().any(|one| is(&one));
    if !has(char::is_ascii_digit) || !has(char::is_ascii_alphabetic) {
        return false;
    }
    let bits = entropy(stretch);
    let hex = stretch.chars().all(|one| one.is_ascii_hexdigit());
    // Words with a number behind them, in one case and cut by dashes, are names of things.
    let mixed = has(char::is_ascii_uppercase) && has(char::is_ascii_lowercase);
    if hex {
        stretch.len() >= 32 && bits >= RANDOM_HEX
    } else {
        bits >= RANDOM && (mixed || !stretch.contains(['-', '_']))
    }
}

/// Shannon's, in bits a character.
#[expect(clippy::cast_precision_loss, reason = "lengths of a line are far below 2^52")]
fn entropy(text: &str) -> f64 {
    let mut counts: HashMap<char, usize> = HashMap::new();
    for one in text.chars() {
        *counts.entry(one).or_default() += 1;
    }
    let all = text.chars().count().max(1) as f64;
    counts.values().map(|count| *count as f64 / all).map(|share| -share * share.log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_can_be_read() {
        assert_eq!(KNOWN.len(), PATTERNS.len());
        assert!(STRETCHES.is_some());
    }

    #[test]
    fn what_looks_like_a_secret_is_masked_and_the_rest_stays() {
        for (text, expected) in [
            ("export TOKEN=abc123def && ./deploy", "export TOKEN=⟨secret⟩ && ./deploy"),
            (
                "curl -H 'Authorization: Bearer abcdefgh12345678' x.test",
                "curl -H 'Authorization: ⟨secret⟩ ⟨secret⟩' x.test",
            ),
            ("git clone https://me:hunter2@x.test/a.git", "git clone https://me:⟨secret⟩@x.test/a.git"),
            ("aws s3 ls AKIAABCDEFGHIJKLMNOP", "aws s3 ls ⟨secret⟩"),
            ("echo ghp_abcdefghijklmnopqrst0123", "echo ⟨secret⟩"),
            ("mysql --password hunter22 -u root", "mysql --password ⟨secret⟩ -u root"),
            (r#"{"api_key": "k-123456"}"#, r#"{"api_key": "⟨secret⟩"}"#),
            ("use q9Zx7Lm2Kc4Vb8Nw1Tr6Yp3D here", "use ⟨secret⟩ here"),
            ("sha 3f786850e387550fdab836ed7e6dc881de23001b", "sha ⟨secret⟩"),
        ] {
            let (masked, any) = masked(text, &[]);
            assert_eq!(
                masked.replace("⟨secret⟩ ⟨secret⟩", "⟨secret⟩"),
                expected.replace("⟨secret⟩ ⟨secret⟩", "⟨secret⟩")
            );
            assert!(any, "{text}");
        }
        for text in [
            "git push --force origin main",
            "cargo test -p countersign-api --test door",
            "rm -rf target/very-long-directory-name-2024",
            "src/components/navigation/NavigationBar.svelte",
            "échec à 100 %",
        ] {
            assert_eq!(masked(text, &[]), (Cow::Borrowed(text), false));
        }
    }

    #[test]
    fn patterns_of_the_persons_own_count_and_one_that_cant_be_read_does_not() {
        let own = ["ACME-[0-9]+".to_owned(), "(".to_owned()];
        assert_eq!(masked("see ACME-12", &own), (Cow::Borrowed("see ⟨secret⟩"), true));
    }
}
