//! How two calls' arguments differ, argument by argument, word by word.

use std::time::Duration;

use countersign_core::parse::{Tree, canonical, to_text};
use similar::{ChangeTag, TextDiffConfig};

use super::text::{one_line, safe, words};
use crate::wire::compare::Difference;
use crate::wire::payload::DiffPart;
use crate::words::say;

/// The longest name of an argument.
const NAME_WIDTH: usize = 80;
/// The longest value that is compared word by word, in bytes; a longer one is shortened on both sides.
const MOST_WORDS: usize = 4_000;
/// How much of a longer one is shown, in characters.
const CUT_WIDTH: usize = 200;
/// The most arguments that are listed; the rest is counted.
const MOST_LISTED: usize = 12;
/// The longest time that comparing one value may take.
const MOST_TIME: Duration = Duration::from_millis(50);

/// The arguments that differ between another call and this one, in this one's order, and how many more there are. Two that mean the
/// same are the same, whatever their spelling (D-73).
pub(crate) fn differences(other: &Tree, this: &Tree) -> (Vec<Difference>, u32) {
    if canonical(other) == canonical(this) {
        return (Vec::new(), 0);
    }
    let (Tree::Object(had), Tree::Object(has)) = (other, this) else {
        let name = words(say().whole_arguments());
        let (other, this) = (to_text(other), to_text(this));
        let (other, this) = sides(&other, &this);
        return (vec![Difference { name, other: Some(other), this: Some(this) }], 0);
    };
    let gone = had.iter().filter(|(name, _)| this.get(name).is_none()).map(|(name, value)| (name, Some(value), None));
    let here = has.iter().map(|(name, value)| (name, other.get(name), Some(value)));
    let differ = |(_, before, now): &(&String, Option<&Tree>, Option<&Tree>)| match (before, now) {
        (Some(before), Some(now)) => canonical(before) != canonical(now),
        (_, _) => true,
    };
    let all: Vec<_> = here.chain(gone).filter(differ).collect();
    let more = u32::try_from(all.len().saturating_sub(MOST_LISTED)).unwrap_or(u32::MAX);
    let listed = all.into_iter().take(MOST_LISTED).map(|(name, before, now)| {
        let name = one_line(name, NAME_WIDTH);
        match (before, now) {
            (Some(before), Some(now)) => {
                let (other, this) = value_sides(before, now);
                Difference { name, other: Some(other), this: Some(this) }
            }
            (before, now) => Difference { name, other: before.map(alone), this: now.map(alone) },
        }
    });
    (listed.collect(), more)
}

/// A value as it is read: a text without its quotes, anything else as JSON.
pub(crate) fn spelled(value: &Tree) -> String {
    value.as_text().map_or_else(|| to_text(value), ToOwned::to_owned)
}

fn alone(value: &Tree) -> Vec<DiffPart> {
    let text = spelled(value);
    let text = if text.len() > MOST_WORDS { one_line(&text, CUT_WIDTH) } else { safe(&text) };
    vec![DiffPart { text, changed: true }]
}

fn value_sides(other: &Tree, this: &Tree) -> (Vec<DiffPart>, Vec<DiffPart>) {
    let (before, now) = (spelled(other), spelled(this));
    // A number and a text that reads like it look the same without their quotes.
    if before == now { sides(&to_text(other), &to_text(this)) } else { sides(&before, &now) }
}

fn sides(other: &str, this: &str) -> (Vec<DiffPart>, Vec<DiffPart>) {
    if other.len().max(this.len()) > MOST_WORDS {
        let cut = |text: &str| vec![DiffPart { text: one_line(text, CUT_WIDTH), changed: true }];
        return (cut(other), cut(this));
    }
    let diff = TextDiffConfig::default().timeout(MOST_TIME).diff_words(other, this);
    let (mut before, mut now) = (Parts::default(), Parts::default());
    for change in diff.iter_all_changes() {
        let text = change.value();
        match change.tag() {
            ChangeTag::Equal => {
                before.add(text, false);
                now.add(text, false);
            }
            ChangeTag::Delete => before.add(text, true),
            ChangeTag::Insert => now.add(text, true),
        }
    }
    (before.done(), now.done())
}

/// Stretches that belong together. They are made safe as a whole, so that a run over several words is one chip.
#[derive(Default)]
struct Parts(Vec<(String, bool)>);

impl Parts {
    fn add(&mut self, text: &str, changed: bool) {
        match self.0.last_mut() {
            Some((last, same)) if *same == changed => last.push_str(text),
            Some(_) | None => self.0.push((text.to_owned(), changed)),
        }
    }

    fn done(self) -> Vec<DiffPart> {
        self.0.into_iter().map(|(text, changed)| DiffPart { text: safe(&text), changed }).collect()
    }
}

#[cfg(test)]
mod tests {
    use countersign_core::parse::parse;

    use super::*;
    use crate::display::text::plain;

    fn drawn(parts: Option<&Vec<DiffPart>>) -> String {
        let Some(parts) = parts else { return "-".to_owned() };
        parts
            .iter()
            .map(|part| if part.changed { format!("[{}]", plain(&part.text)) } else { plain(&part.text) })
            .collect()
    }

    fn compared(other: &str, this: &str) -> Vec<String> {
        let (all, more) = differences(&parse(other).unwrap(), &parse(this).unwrap());
        assert_eq!(more, 0);
        let line = |one: &Difference| {
            format!("{}: {} > {}", plain(&one.name), drawn(one.other.as_ref()), drawn(one.this.as_ref()))
        };
        all.iter().map(line).collect()
    }

    #[test]
    fn calls_are_compared_by_their_arguments() {
        assert_eq!(compared(r#"{"a":1,"b":"x"}"#, r#"{ "b" : "x", "a" : 1 }"#), Vec::<String>::new());
        assert_eq!(
            compared(r#"{"command":"git push --force origin"}"#, r#"{"command":"git push origin"}"#),
            ["command: git push [--force ]origin > git push origin"]
        );
        assert_eq!(
            compared(r#"{"a":"1","gone":true}"#, r#"{"a":1,"new":[1,2]}"#),
            [r#"a: ["1"] > [1]"#, "new: - > [[1,2]]", "gone: [true] > -"]
        );
        assert_eq!(compared("{\"a\":\"x\"}", "{\"a\":\"x\\u202e\"}").len(), 1, "a hidden character is a difference");
    }

    #[test]
    fn many_differences_are_counted_and_long_ones_cut() {
        let many: Vec<String> = (0..20).map(|n| format!("\"k{n}\":1")).collect();
        let tree = parse(&format!("{{{}}}", many.join(","))).unwrap();
        let (listed, more) = differences(&parse("{}").unwrap(), &tree);
        assert_eq!((listed.len(), more), (12, 8));
        let long = |end: &str| parse(&format!("{{\"c\":\"{}{end}\"}}", "word ".repeat(100_000))).unwrap();
        let (listed, _) = differences(&long("a"), &long("b"));
        assert!(drawn(listed[0].this.as_ref()).len() < 1_000);
    }
}
