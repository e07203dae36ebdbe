//! Every sentence in every language, with odd values; and which language is spoken.

use std::collections::BTreeSet;

use countersign_core::agent::SubAgentFault;
use countersign_core::answer::Misfit;
use countersign_core::asking::SettingFault;
use countersign_core::confine::{Confinement, Network, NotOffered};
use countersign_core::input::{DataFault, DataKind};
use countersign_core::mode::AutoEnd;
use countersign_core::parse::Fault;
use countersign_core::policy::{DataClass, Zone};
use countersign_core::run::{Failure, FailureKind};
use countersign_engine::ports::{Seen, StepName};
use regex::Regex;

use super::rooms::walk;
use super::*;
use crate::display::text::{one_line, plain};
use crate::wire::text::Piece;

/// The most combinations of values that a sentence is tried with.
const MOST: usize = 5_000;
/// Names as hostile and as long as they come.
const NAMES: [&str; 4] = [
    "x",
    "Zwölf Boxkämpfer & 8 \u{201e}Löwen\u{201c}",
    "{0} {n} %s",
    "a name that goes on and on, as names do where nobody has to type them: north-by-northwest/2026-12-01/backup",
];

/// Counts through the combinations of what a sentence is told.
#[derive(Default)]
pub(super) struct Turn {
    digits: Vec<(usize, usize)>,
    at: usize,
    turns: usize,
}

impl Turn {
    /// One of so many.
    fn pick(&mut self, many: usize) -> usize {
        if self.digits.len() == self.at {
            self.digits.push((0, many));
        }
        self.at += 1;
        self.digits[self.at - 1].0
    }

    /// Whether there is another combination.
    pub(super) fn next(&mut self) -> bool {
        (self.at, self.turns) = (0, self.turns + 1);
        for (digit, many) in &mut self.digits {
            *digit += 1;
            if *digit < *many {
                return self.turns < MOST;
            }
            *digit = 0;
        }
        false
    }
}

/// Odd values of a kind.
pub(super) trait Odd {
    fn odd(turn: &mut Turn) -> Self;
}

/// What was said, as plain text.
pub(super) trait Said {
    fn said(self) -> String;
}

impl Said for String {
    fn said(self) -> String {
        self
    }
}

impl Said for Shown {
    fn said(self) -> String {
        plain(&self)
    }
}

impl Odd for u64 {
    fn odd(turn: &mut Turn) -> Self {
        let all = [0, 1, 2, 12, 1_234_567];
        all[turn.pick(all.len())]
    }
}

impl Odd for u32 {
    fn odd(turn: &mut Turn) -> Self {
        let all = [0, 1, 2, u32::MAX];
        all[turn.pick(all.len())]
    }
}

impl Odd for bool {
    fn odd(turn: &mut Turn) -> Self {
        turn.pick(2) == 1
    }
}

impl Odd for &str {
    fn odd(turn: &mut Turn) -> Self {
        NAMES[turn.pick(NAMES.len())]
    }
}

impl Odd for &[String] {
    fn odd(turn: &mut Turn) -> Self {
        let some: Vec<String> = NAMES.iter().take(turn.pick(NAMES.len())).map(|name| (*name).to_owned()).collect();
        some.leak()
    }
}

impl Odd for Shown {
    fn odd(turn: &mut Turn) -> Self {
        one_line(["x", "a\u{202e}b", "{0}"][turn.pick(3)], 40)
    }
}

/// All values of an enum, which the compiler counts.
macro_rules! odd {
    ($($kind:ty { $($value:pat => $made:expr),* $(,)? })*) => {
        $(impl Odd for $kind {
            fn odd(turn: &mut Turn) -> Self {
                let all = [$($made),*];
                for one in &all {
                    match one { $($value => {})* }
                }
                let at = turn.pick(all.len());
                all.into_iter().nth(at).unwrap()
            }
        })*
    };
}

macro_rules! plain_odd {
    ($($kind:ident { $($value:ident)* })*) => {
        odd! { $($kind { $($kind::$value => $kind::$value),* })* }
    };
}

plain_odd! {
    Closed {
        OutcomeUnknown MovedOn Stopped Steered Withdrawn ServerStoppedWaiting Approved ApprovedForConversation ApprovedIntoAuto
        ApprovedPerStep SentBack Declined Rejected Answered AlreadyAnswered NoLongerKnown
    }
    Outcome {
        WaitsForYou WaitsAlong NotRunYet Running WaitsInside RanOk Failed CouldNotRun ToldAgent ToldServer NeverAnswered
        NoLongerPermitted ChangedSinceAsked ApprovedNeverRun NeverMade Unknown Stopped WentOn
    }
    Ending { Running Ran Failed Rejected }
    Line {
        WaitsForYou WaitsAlong ApprovedNotRun AboutToRun WaitsInside CouldNotRun SentBack Rejected NoLongerPermitted
        ChangedSinceAsked ApprovedNeverRun NeverMadeStopped NeverMadeMovedOn NeverMadeWouldAsk NeverMadeInFork OutcomeUnknown Stopped
        PlanAccepted Answered Declined ServerStoppedWaiting
    }
    AtWork { WaitsForYou Stopping Busy Done ReachedLimit Failed Interrupted WouldHaveAsked Stopped }
    Decided {
        Approved ApprovedForConversation ApprovedPerStep ApprovedIntoAuto SentBack Declined Answered Rejected Ran Expired Withdrawn
    }
    PassedByWhat { YouStopped YouAdded NobodyWaited MovedOn }
    Became {
        Unknown ServerChangedTool FileChanged NoLongerPermitted RejectedTold Stopped Dropped PlanAccepted Told CouldNotRun Running
        WaitsInside Ran Waits
    }
    Passed { NewMessage Stopped Withdrawn Steered }
    WhyMode { Question AutoRan NotAsked PlanAsks DefaultAsks AutoLeft }
    Writes { Creates Changes Unknown }
    LineEnds { Lf CrLf Mixed }
    Command { OverwritesRemote DiscardsChanges DownloadsIntoShell Root Disk Power OpensToEverybody }
    AddressPart { Host Letters Path Query AsSent }
    Blanks { Spaces Tabs Both }
    Thing { Request Conversation Agent ToolServer Tool StandingApproval QuickTask Call CallResult PayloadPart ResultPart Decision Rule }
    Waiting { Commands Files Plans Questions Others }
    Unsaid { Plan Question Request Call }
    StepName { Reached Key Model Streams Tools }
    FilePart { Decisions Decision Reason Outcome Conversation Agents Tool TimeToDecide Entry Hash Result You Agent }
    Scene { LooksAround Together LongCommand HiddenCharacter ForConversation RanUnasked AsksAgain Plan Watch Over }
    DataClass { Public Given Workspace Machine Unclassified }
    Zone { Unstated Local Private External }
    FailureKind { Unreachable Unauthorized UnknownModel Refused Cut TimedOut Folder Agent }
}

odd! {
    By<'_> {
        By::Nobody => By::Nobody, By::You => By::You, By::Rule(_) => By::Rule(NAMES[1]), By::ARule => By::ARule,
        By::Standing => By::Standing, By::Auto => By::Auto,
    }
    RunWords {
        RunWords::Limit { .. } => RunWords::Limit { rounds: 1 }, RunWords::ModelUnusable => RunWords::ModelUnusable,
        RunWords::WouldHaveAsked => RunWords::WouldHaveAsked, RunWords::Stopped => RunWords::Stopped,
        RunWords::Interrupted => RunWords::Interrupted,
    }
    Wants<'_> {
        Wants::You => Wants::You, Wants::HasApproved => Wants::HasApproved, Wants::Plan => Wants::Plan,
        Wants::Input => Wants::Input, Wants::Command => Wants::Command, Wants::Call(_) => Wants::Call("Äpfel zählen"),
    }
    Confinement {
        Confinement::None => Confinement::None,
        Confinement::Held { network: Network::On } => Confinement::Held { network: Network::On },
        Confinement::Held { network: Network::Off } => Confinement::Held { network: Network::Off },
    }
    Seen {
        Seen::Answers { .. } => Seen::Answers { host: name() }, Seen::NoAnswer(_) => Seen::NoAnswer(failure()),
        Seen::NoModelHere { .. } => Seen::NoModelHere { host: name() }, Seen::NoKeyNeeded => Seen::NoKeyNeeded,
        Seen::KeyAccepted { in_the_open: true } => Seen::KeyAccepted { in_the_open: true },
        Seen::KeyAccepted { in_the_open: false } => Seen::KeyAccepted { in_the_open: false },
        Seen::KeyWanted { .. } => Seen::KeyWanted { code: 401 }, Seen::KeyRefused { .. } => Seen::KeyRefused { code: 403 },
        Seen::Knows { .. } => Seen::Knows { host: name(), model: name() },
        Seen::UnknownModel { offers: None, .. } =>
            Seen::UnknownModel { host: name(), model: name(), offers: None, more: false },
        Seen::UnknownModel { offers: Some(_), .. } =>
            Seen::UnknownModel { host: name(), model: name(), offers: Some(vec![name()]), more: true },
        Seen::Streamed => Seen::Streamed, Seen::CameWhole => Seen::CameWhole,
        Seen::Called { .. } => Seen::Called { model: name() }, Seen::DidNotCall { .. } => Seen::DidNotCall { model: name() },
        Seen::TakesNoTools { .. } => Seen::TakesNoTools { model: name(), said: failure() },
        Seen::TookTooLong { .. } => Seen::TookTooLong { host: name() }, Seen::Failed(_) => Seen::Failed(failure()),
        Seen::NoKeptKey(_) => Seen::NoKeptKey("it is locked".to_owned()),
    }
    &Fault {
        Fault::TooLarge => &Fault::TooLarge, Fault::TooDeep => &Fault::TooDeep,
        Fault::Syntax { .. } => &Fault::Syntax { what: "a colon was expected", at: 12 },
        Fault::DuplicateKey(_) => Box::leak(Box::new(Fault::DuplicateKey("key".to_owned()))),
        Fault::NotAnObject => &Fault::NotAnObject,
    }
    &AutoEnd {
        AutoEnd::Over => &AutoEnd::Over, AutoEnd::TooNear => &AutoEnd::TooNear,
        AutoEnd::TooFar => &AutoEnd::TooFar, AutoEnd::NotAuto => &AutoEnd::NotAuto,
    }
    &DataFault {
        DataFault::Unreadable => &DataFault::Unreadable, DataFault::NotAnObject => &DataFault::NotAnObject,
        DataFault::Missing => &DataFault::Missing, DataFault::NotAChoice => &DataFault::NotAChoice,
        DataFault::NotA(DataKind::Text) => &DataFault::NotA(DataKind::Text),
        DataFault::NotA(DataKind::Whole) => &DataFault::NotA(DataKind::Whole),
        DataFault::NotA(DataKind::Number) => &DataFault::NotA(DataKind::Number),
        DataFault::NotA(DataKind::YesNo) => &DataFault::NotA(DataKind::YesNo),
        DataFault::NotA(DataKind::List) => &DataFault::NotA(DataKind::List),
        DataFault::NotA(DataKind::Object) => &DataFault::NotA(DataKind::Object),
        DataFault::NotA(DataKind::Nothing) => &DataFault::NotA(DataKind::Nothing),
        DataFault::Below(_) => Box::leak(Box::new(DataFault::Below(name()))),
        DataFault::NotAbove(_) => Box::leak(Box::new(DataFault::NotAbove(name()))),
        DataFault::Above(_) => Box::leak(Box::new(DataFault::Above(name()))),
        DataFault::NotBelow(_) => Box::leak(Box::new(DataFault::NotBelow(name()))),
        DataFault::NotAMultiple(_) => Box::leak(Box::new(DataFault::NotAMultiple(name()))),
        DataFault::TooShort(_) => &DataFault::TooShort(1), DataFault::TooLong(_) => &DataFault::TooLong(2),
        DataFault::TooFew(_) => &DataFault::TooFew(1), DataFault::TooMany(_) => &DataFault::TooMany(2),
        DataFault::Twice => &DataFault::Twice,
        DataFault::Pattern(_) => Box::leak(Box::new(DataFault::Pattern(name()))),
        DataFault::Format(_) => Box::leak(Box::new(DataFault::Format(name()))),
        DataFault::NotAsked => &DataFault::NotAsked, DataFault::Other => &DataFault::Other,
    }
    &Misfit {
        Misfit::NotAQuestion => &Misfit::NotAQuestion, Misfit::NeedsData => &Misfit::NeedsData,
        Misfit::PlanForConversation => &Misfit::PlanForConversation, Misfit::NoteOnPlan => &Misfit::NoteOnPlan,
        Misfit::NotAPlan => &Misfit::NotAPlan, Misfit::PlanIntoPlan => &Misfit::PlanIntoPlan,
        Misfit::AnyCommandNotConfirmed => &Misfit::AnyCommandNotConfirmed,
    }
    &SettingFault {
        SettingFault::Temperature { .. } => &SettingFault::Temperature { most: 100 },
        SettingFault::TemperatureWithThinking => &SettingFault::TemperatureWithThinking,
        SettingFault::MostTokens => &SettingFault::MostTokens, SettingFault::Effort => &SettingFault::Effort,
        SettingFault::Budget => &SettingFault::Budget, SettingFault::BudgetSize => &SettingFault::BudgetSize,
        SettingFault::BudgetAboveReply => &SettingFault::BudgetAboveReply,
        SettingFault::HeaderName(_) => Box::leak(Box::new(SettingFault::HeaderName("X".to_owned()))),
        SettingFault::HeaderTaken(..) => Box::leak(Box::new(SettingFault::HeaderTaken("X".to_owned(), "it is ours"))),
        SettingFault::HeaderTwice(_) => Box::leak(Box::new(SettingFault::HeaderTwice("X".to_owned()))),
        SettingFault::HeaderValue(_) => Box::leak(Box::new(SettingFault::HeaderValue("X".to_owned()))),
        SettingFault::HeaderCount => &SettingFault::HeaderCount, SettingFault::Price => &SettingFault::Price,
    }
    &SubAgentFault {
        SubAgentFault::Cycle(_) => Box::leak(Box::new(SubAgentFault::Cycle("X".to_owned()))),
        SubAgentFault::TooDeep(_) => Box::leak(Box::new(SubAgentFault::TooDeep("X".to_owned()))),
        SubAgentFault::Name(_) => Box::leak(Box::new(SubAgentFault::Name("X".to_owned()))),
    }
    &NotOffered {
        NotOffered::Files(_) => Box::leak(Box::new(NotOffered::Files("old".to_owned()))),
        NotOffered::Network(_) => Box::leak(Box::new(NotOffered::Network("old".to_owned()))),
        NotOffered::NetworkOfUnconfined => &NotOffered::NetworkOfUnconfined,
    }
}

impl Odd for &Seen {
    fn odd(turn: &mut Turn) -> Self {
        Box::leak(Box::new(Seen::odd(turn)))
    }
}

fn name() -> String {
    NAMES[1].to_owned()
}

fn failure() -> Failure {
    Failure { kind: FailureKind::Cut, text: "it broke off".to_owned() }
}

/// Sentences that are the same in both languages: names, marks, and words that both have.
const ALIKE: [&str; 6] = ["all_of", "decided_by", "either", "find_auto", "in_folder", "line_ends"];

/// Sentences that say a word of the glossary in another way, with why.
const EXCUSED: [(&str, &str); 0] = [];

#[test]
fn every_sentence_is_said_in_every_language_with_odd_values() {
    let (english, german) = (walk(&en::English), walk(&de::German));
    assert!(english.len() > 250, "the sentences weren't found");
    let names: BTreeSet<&str> = english.iter().map(|(_, name, _)| *name).collect();
    assert_eq!(names.len(), english.len(), "a sentence's name is that of one sentence");
    for (room, name, said) in english.iter().chain(&german) {
        for text in said {
            // What is put in may look like a place; nothing else may.
            let own = NAMES.iter().fold(text.clone(), |text, name| text.replace(name, "#")).replace("{0}", "#");
            assert!(!own.contains(['{', '}']) && !own.contains("  "), "{room}::{name} says {text:?}");
            let empty = text.trim().is_empty();
            assert!(!empty || ["either", "all_of"].contains(name), "{room}::{name} says nothing");
        }
    }
    for ((room, name, english), (_, _, german)) in english.iter().zip(&german) {
        let told =
            |all: &[String]| NAMES.iter().skip(1).filter(|one| all.iter().any(|text| text.contains(**one))).count();
        let lost = told(english) > told(german) && *name != "cannot_be_done";
        assert!(!lost, "{room}::{name} loses in German what it is told");
    }
}

#[test]
fn german_is_german() {
    let (english, german) = (walk(&en::English), walk(&de::German));
    let mut alike = BTreeSet::new();
    for ((_, name, english), (_, _, german)) in english.iter().zip(&german) {
        if english.iter().zip(german).any(|(english, german)| english == german) {
            alike.insert(*name);
        }
    }
    assert_eq!(alike.into_iter().collect::<Vec<_>>(), ALIKE);
    let address = Regex::new(r"(?i)\b(du|dich|dir|dein\w*|euch|euer)\b").unwrap();
    for (_, name, said) in &german {
        for text in said {
            assert!(!address.is_match(text), "{name} addresses somebody: {text}");
            assert!(!text.contains(['\u{201d}', '`']), "{name} has the quotation marks of another language: {text}");
        }
    }
}

/// One word of the window's glossary.
struct Word {
    word: String,
    english: Regex,
    german: Regex,
}

/// The window's glossary, which both dictionaries are held to.
fn glossary() -> Vec<Word> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../ui/src/lib/i18n/glossary.ts");
    let text = std::fs::read_to_string(path).unwrap();
    let entry =
        Regex::new(r#"word:\s*"([^"]+)",\s*english:\s*/((?:[^/\\]|\\.)+)/(i?),\s*german:\s*/((?:[^/\\]|\\.)+)/(i?)"#)
            .unwrap();
    let pattern = |text: &str, flag: &str| Regex::new(&format!("{}{text}", if flag == "i" { "(?i)" } else { "" }));
    let word = |found: regex::Captures<'_>| Word {
        word: found[1].to_owned(),
        english: pattern(&found[2], &found[3]).unwrap(),
        german: pattern(&found[4], &found[5]).unwrap(),
    };
    let all: Vec<Word> = entry.captures_iter(&text).map(word).collect();
    assert_eq!(all.len(), text.matches("word: \"").count(), "a word of the glossary can't be read");
    assert!(all.len() >= 15);
    all
}

#[test]
fn the_words_of_decisions_are_those_of_the_window() {
    let (english, german) = (walk(&en::English), walk(&de::German));
    let mut wrong = Vec::new();
    for word in glossary() {
        for ((_, name, english), (_, _, german)) in english.iter().zip(&german) {
            if EXCUSED.contains(&(*name, word.word.as_str())) {
                continue;
            }
            let differs =
                |(english, german): &(&String, &String)| word.english.is_match(english) != word.german.is_match(german);
            if let Some((english, german)) = english.iter().zip(german).find(differs) {
                wrong.push(format!("{}: {name}: {english} | {german}", word.word));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_systems_language_is_that_of_its_messages() {
    let speaks = |set: &[(&str, &str)]| {
        Spoken::of_environment(|name| set.iter().find(|(is, _)| *is == name).map(|(_, value)| (*value).to_owned()))
    };
    assert_eq!(speaks(&[]), Spoken::En);
    assert_eq!(speaks(&[("LANG", "de_DE.UTF-8")]), Spoken::De);
    assert_eq!(speaks(&[("LANG", "de_DE.UTF-8"), ("LC_MESSAGES", "en_GB.UTF-8")]), Spoken::En);
    assert_eq!(speaks(&[("LANG", "en_GB.UTF-8"), ("LC_ALL", "de_AT@euro")]), Spoken::De);
    assert_eq!(speaks(&[("LC_ALL", ""), ("LANG", "de")]), Spoken::De, "what is empty isn't set");
    assert_eq!(speaks(&[("LC_ALL", "C.UTF-8"), ("LANG", "de_DE")]), Spoken::En, "what is set counts");
    assert_eq!(speaks(&[("LANG", "fr_FR.UTF-8")]), Spoken::En);
    assert_eq!(Spoken::of_locales(["fr-FR", "de-AT", "en"]), Spoken::De, "as in the window");
}

#[test]
fn a_language_holds_until_another_is_chosen_and_a_thread_can_be_apart() {
    let _apart = apart(Spoken::De);
    assert_eq!((spoken(), say().approve()), (Spoken::De, "Genehmigen".to_owned()));
    assert_eq!(std::thread::spawn(spoken).join().unwrap(), Spoken::En, "others aren't touched");
    assert!(!speak(Language::De) && speak(Language::En) && spoken() == Spoken::En);
    assert!(!speak(Language::System), "nobody said what the system speaks");
    assert!(speak(Language::De));
    assert_eq!(within(Spoken::En, || say().approve()), "Approve");
    assert_eq!((say().approve(), desktop().approve()), ("Genehmigen".to_owned(), "Genehmigen".to_owned()));
}

#[test]
fn displayed_text_keeps_its_chips_in_a_sentence() {
    let said = fill("a {1} b {0}", [words("{1}"), one_line("x\u{202e}", 40)]);
    assert_eq!(plain(&said), "a x⟨U+202E right-to-left override⟩ b {1}");
    assert!(matches!(said[1], Piece::Chip { .. }));
    assert_eq!([0, 999, 1_000, 1_234_567].map(|n| grouped(n, '.')), ["0", "999", "1.000", "1.234.567"]);
}
