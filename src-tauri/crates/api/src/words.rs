//! What Countersign says by itself, language by language: the words of rows, facts, reasons, errors, notifications and the tray.
//!
//! # Design
//! A sentence is a method of a room ([`rooms`]), takes what it names as typed values, and is written whole in each language; its
//! plural is chosen there too. A language is one file that implements every room, so what isn't translated doesn't compile.
//! [`say`] speaks the language in force, which the settings set for the whole process ([`speak`]). Not here, and in no language
//! but English: what an agent reads, what is stored, what is logged, and what programs read (ids, the tokens of a query,
//! exported tables). What a model, a tool or a server wrote stays as it is; it comes in as displayed text.

/// Writes a language: each sentence by its room and name, as text or, where it says so, as displayed text.
macro_rules! speaks {
    ($language:ident $($room:ident {
        $($name:ident($($given:ident: $kind:ty),* $(,)?) $(-> $out:ident)? => $says:expr;)*
    })*) => {
        $(impl super::$room for $language {
            $(fn $name(&self, $($given: $kind),*) -> speaks!(@ $($out)?) {
                ::core::convert::Into::into($says)
            })*
        })*
        impl super::Words for $language {}
    };
    (@) => { String };
    (@ $out:ident) => { $out };
}

mod de;
mod en;
mod rooms;
mod values;

use std::cell::Cell;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::display::text::{join, words};
use crate::wire::settings::Language;
use crate::wire::text::Shown;

pub use rooms::Desktop;
pub(crate) use rooms::{
    Agents, Chips, Deciding, Detail, Errors, Facts, Faults, History, Notices, Rehearsal, Rows, Servers,
};

pub(crate) use values::{
    AddressPart, AtWork, Became, Blanks, By, Closed, Command, Decided, Ending, FilePart, Line, LineEnds, Outcome,
    Passed, PassedByWhat, RunWords, Scene, Thing, Unsaid, Waiting, Wants, WhyMode, Writes,
};

/// A language that is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(export_to = "bindings.ts"))]
#[serde(rename_all = "snake_case")]
pub enum Spoken {
    /// English.
    #[default]
    En,
    /// German.
    De,
}

impl Spoken {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::En, Self::De];

    /// The first of these locales that is spoken, else English. A locale is named as in `LANG` (`de_AT.UTF-8`) or as browsers do
    /// (`de-AT`); the window reads its list by the same rule.
    pub fn of_locales<'a>(locales: impl IntoIterator<Item = &'a str>) -> Self {
        let known = locales.into_iter().find_map(|locale| {
            let language = locale.split(['_', '-', '.', '@']).next().unwrap_or_default();
            match language.to_ascii_lowercase().as_str() {
                "de" => Some(Self::De),
                "en" => Some(Self::En),
                _ => None,
            }
        });
        known.unwrap_or(Self::En)
    }

    /// The language of the system's messages: of `LC_ALL`, `LC_MESSAGES` and `LANG` the first that is set counts, as for every program.
    /// `variable` reads the environment.
    pub fn of_environment(variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().filter_map(variable).find(|value| !value.is_empty());
        Self::of_locales(set.as_deref())
    }

    fn number(self) -> u8 {
        match self {
            Self::En => 0,
            Self::De => 1,
        }
    }

    fn numbered(number: u8) -> Self {
        match number {
            1 => Self::De,
            _ => Self::En,
        }
    }

    fn words(self) -> &'static dyn Words {
        match self {
            Self::En => &en::English,
            Self::De => &de::German,
        }
    }
}

/// What the system speaks, as the host found out at the start. English until then.
static SYSTEM: AtomicU8 = AtomicU8::new(0);
/// What is spoken.
static SPOKEN: AtomicU8 = AtomicU8::new(0);

thread_local! {
    /// What this thread speaks, where that is set apart from the rest of the process.
    static APART: Cell<Option<Spoken>> = const { Cell::new(None) };
}

/// All rooms of a language.
pub(crate) trait Words:
    Rows + Detail + Facts + Chips + Errors + Faults + Deciding + Agents + Servers + Notices + Desktop + Rehearsal + History
{
}

/// The words of the language in force.
pub(crate) fn say() -> &'static dyn Words {
    spoken().words()
}

/// What stands around the window, in the language in force: the tray's menu and the buttons of notifications.
pub fn desktop() -> &'static dyn Desktop {
    match spoken() {
        Spoken::En => &en::English,
        Spoken::De => &de::German,
    }
}

/// The language in force.
pub fn spoken() -> Spoken {
    APART.get().unwrap_or_else(|| Spoken::numbered(SPOKEN.load(Ordering::Relaxed)))
}

/// What the system speaks. From now on it is what is spoken, until settings say otherwise.
pub fn system_speaks(system: Spoken) {
    SYSTEM.store(system.number(), Ordering::Relaxed);
    SPOKEN.store(system.number(), Ordering::Relaxed);
}

/// What *System* means on this machine.
pub(crate) fn of_system() -> Spoken {
    Spoken::numbered(SYSTEM.load(Ordering::Relaxed))
}

/// Speaks as settings say, from now on and everywhere in the process. Says whether that is another language than before.
pub(crate) fn speak(setting: Language) -> bool {
    let wanted = match setting {
        Language::System => of_system(),
        Language::En => Spoken::En,
        Language::De => Spoken::De,
    };
    let changed = spoken() != wanted;
    if APART.get().is_some() {
        APART.set(Some(wanted));
    } else {
        SPOKEN.store(wanted.number(), Ordering::Relaxed);
    }
    changed
}

/// A thread that is apart from the rest of the process, until this is dropped: what is spoken on it is its own, and [`speak`]
/// changes only that. For tests, which run side by side.
#[derive(Debug)]
#[must_use = "the thread is apart only as long as this lives"]
pub struct Apart(Option<Spoken>);

impl Drop for Apart {
    fn drop(&mut self) {
        APART.set(self.0);
    }
}

/// Sets this thread apart.
pub fn apart(spoken: Spoken) -> Apart {
    Apart(APART.replace(Some(spoken)))
}

/// Makes something in a language, whatever is spoken: what is for programs or for the store is made in English.
pub(crate) fn within<T>(language: Spoken, make: impl FnOnce() -> T) -> T {
    let _apart = apart(language);
    make()
}

/// A sentence with displayed text in it: `{0}` is where the first of `parts` stands. In this way displayed text keeps its chips, and a
/// language puts it where it belongs.
fn fill<const PARTS: usize>(sentence: &str, parts: [Shown; PARTS]) -> Shown {
    let mut all = Vec::new();
    let mut rest = sentence;
    while let Some((before, behind)) = rest.split_once('{') {
        let Some((place, after)) = behind.split_once('}') else { break };
        all.push(words(before));
        all.extend(place.parse().ok().and_then(|place: usize| parts.get(place)).cloned());
        rest = after;
    }
    all.push(words(rest));
    join(all.into_iter().filter(|shown| *shown != words("")))
}

/// Digits in groups of three, as the language separates them.
fn grouped(amount: u64, separator: char) -> String {
    let digits = amount.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(separator);
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests;
