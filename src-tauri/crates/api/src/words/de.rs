//! German: without an address to the person, in the words that the window has for things. long because it is a dictionary: a line
//! a sentence, in the order of the rooms.

use countersign_core::agent::{DEEPEST, SubAgentFault};
use countersign_core::answer::Misfit;
use countersign_core::asking::{LEAST_BUDGET, LEAST_TOKENS, LONGEST_VALUE, MOST_HEADERS, MOST_TOKENS, SettingFault};
use countersign_core::confine::{Confinement, Network, NotOffered};
use countersign_core::input::{DataFault, DataKind};
use countersign_core::mode::AutoEnd;
use countersign_core::parse::Fault;
use countersign_core::policy::{DataClass, Zone};
use countersign_core::run::FailureKind;
use countersign_engine::ports::{Seen, StepName};

use super::{
    AddressPart, AtWork, Became, Blanks, By, Closed, Command, Decided, Ending, FilePart, Line, LineEnds, Outcome,
    Passed, PassedByWhat, RunWords, Scene, Thing, Unsaid, Waiting, Wants, WhyMode, Writes, fill, grouped,
};
use crate::error::sentence;
use crate::wire::text::Shown;

/// The language.
pub(super) struct German;

/// By number; `{n}` is the number in digits.
fn many(n: u64, one: &str, other: &str) -> String {
    if n == 1 { one.to_owned() } else { other.replace("{n}", &digits(n)) }
}

fn digits(n: u64) -> String {
    grouped(n, '.')
}

/// „a“, „a oder b“, „a, b oder c“.
fn listed(all: &[String], word: &str) -> String {
    match all {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}

fn by(who: By<'_>) -> String {
    match who {
        By::Nobody => "brauchte keine Genehmigung".to_owned(),
        By::You => "von Hand".to_owned(),
        By::Rule(name) => format!("Regel {name}"),
        By::ARule => "eine Regel".to_owned(),
        By::Standing => "Dauergenehmigung".to_owned(),
        By::Auto => "Auto".to_owned(),
    }
}

fn shows(data: DataClass) -> &'static str {
    match data {
        DataClass::Public => "zeigen, was alle haben können",
        DataClass::Given => "zeigen, was für den Agenten geschrieben wird",
        DataClass::Workspace => "zeigen, was im Ordner liegt",
        DataClass::Machine => "alles auf diesem Rechner zeigen",
        DataClass::Unclassified => "zeigen, was niemand eingestuft hat",
    }
}

fn at(zone: Zone) -> &'static str {
    match zone {
        Zone::Unstated => "an einem nicht genannten Ort",
        Zone::Local => "auf diesem Rechner",
        Zone::Private => "auf eigenen Rechnern",
        Zone::External => "anderswo",
    }
}

fn still(again: bool) -> &'static str {
    if again { "immer noch " } else { "" }
}

/// What happened, and what was said of it in the words of whoever said it.
fn failed(kind: FailureKind, said: &str) -> String {
    let happened = match kind {
        FailureKind::Unreachable => "Das Modell ist nicht zu erreichen",
        FailureKind::Unauthorized => "Der Schlüssel für das Modell fehlt oder wird abgewiesen",
        FailureKind::UnknownModel => "Das Modell ist dort nicht bekannt",
        FailureKind::Refused => "Der Modellserver nimmt es so nicht an",
        FailureKind::Cut => "Die Antwort des Modells brach ab",
        FailureKind::TimedOut => "Vom Modell kam zu lange nichts",
        FailureKind::Folder => "Der Arbeitsordner ist nicht nutzbar",
        FailureKind::Agent => "Der Agent kann so nicht laufen",
    };
    format!("{happened}. Im Wortlaut: {}", sentence(said))
}

speaks! { German
    Rows {
        asks_for_input() => "Bittet um eine Eingabe";
        plan_steps(steps: u64) => many(steps, "Plan: 1 Schritt", "Plan: {n} Schritte");
        plan_words(words: u64) => many(words, "Plan: 1 Wort", "Plan: {n} Wörter");
        start_agent() => "Agenten beginnen";
        fetch() => "Abrufen";
        run_command() => "Befehl ausführen";
        edit_file() => "Datei bearbeiten";
        create_file() => "Datei anlegen";
        write_file() => "Datei schreiben";
        read_file() => "Datei lesen";
        list_files() => "Dateien auflisten";
        search_files() => "Dateien durchsuchen";
        call(tool: Shown) -> Shown => fill("{0} aufrufen", [tool]);
        quoted(text: Shown) -> Shown => fill("„{0}“", [text]);
        scripted_model() => "Modell nach Drehbuch";
        no_model() => "kein Modell";
        deleted_agent() => "gelöschter Agent";
        removed_server() => "ein entfernter Server";
        new_conversation() => "Neues Gespräch";
        runs_after_answer() => "läuft nach der Antwort";
        rule_rejects_it(rules: &str) => format!("Regel {rules} wird ihn ablehnen");
        cannot_run_told() => "kann nicht laufen; der Agent erfährt es";
        closed(how: Closed) => match how {
            Closed::OutcomeUnknown => "Ausgang unbekannt",
            Closed::MovedOn => "Verfallen: das Gespräch ging weiter",
            Closed::Stopped => "Verfallen: das Gespräch wurde angehalten",
            Closed::Steered => "Verfallen: der Lauf ging mit dem Hinzugefügten weiter",
            Closed::Withdrawn => "Zurückgezogen",
            Closed::ServerStoppedWaiting => "Zurückgezogen: der Server wartet nicht mehr",
            Closed::Approved => "Genehmigt",
            Closed::ApprovedForConversation => "Für dieses Gespräch genehmigt",
            Closed::ApprovedIntoAuto => "Mit Auto genehmigt",
            Closed::ApprovedPerStep => "Genehmigt, je Schritt fragen",
            Closed::SentBack => "Zurückgegeben",
            Closed::Declined => "Verweigert",
            Closed::Rejected => "Abgelehnt",
            Closed::Answered => "Beantwortet",
            Closed::AlreadyAnswered => "Schon beantwortet",
            Closed::NoLongerKnown => "Verfallen: nicht mehr bekannt",
        };
        closed_by_you(how: Closed) => match how {
            Closed::OutcomeUnknown => "Ausgang unbekannt, von Hand entschieden",
            Closed::MovedOn => "Verfallen: von Hand ging das Gespräch weiter",
            Closed::Stopped => "Verfallen: von Hand angehalten",
            Closed::Steered => "Verfallen: von Hand ging der Lauf mit dem Hinzugefügten weiter",
            Closed::Withdrawn => "Von Hand zurückgezogen",
            Closed::ServerStoppedWaiting => "Zurückgezogen: der Server wartet nicht mehr",
            Closed::Approved => "Von Hand genehmigt",
            Closed::ApprovedForConversation => "Von Hand für dieses Gespräch genehmigt",
            Closed::ApprovedIntoAuto => "Von Hand mit Auto genehmigt",
            Closed::ApprovedPerStep => "Von Hand genehmigt, je Schritt fragen",
            Closed::SentBack => "Von Hand zurückgegeben",
            Closed::Declined => "Von Hand verweigert",
            Closed::Rejected => "Von Hand abgelehnt",
            Closed::Answered => "Von Hand beantwortet",
            Closed::AlreadyAnswered => "Schon von Hand beantwortet",
            Closed::NoLongerKnown => "Verfallen: nicht mehr bekannt",
        };
        outcome(how: Outcome) => match how {
            Outcome::WaitsForYou => "wartet",
            Outcome::WaitsAlong => "wartet mit",
            Outcome::NotRunYet => "noch nicht ausgeführt",
            Outcome::Running => "läuft",
            Outcome::WaitsInside => "darin wartet etwas",
            Outcome::RanOk => "ausgeführt",
            Outcome::Failed => "fehlgeschlagen",
            Outcome::CouldNotRun => "konnte nicht laufen",
            Outcome::ToldAgent => "dem Agenten mitgeteilt",
            Outcome::ToldServer => "dem Server mitgeteilt",
            Outcome::NeverAnswered => "nie beantwortet",
            Outcome::NoLongerPermitted => "nicht ausgeführt: nicht mehr erlaubt",
            Outcome::ChangedSinceAsked => "nicht ausgeführt: seit der Frage geändert",
            Outcome::ApprovedNeverRun => "genehmigt, nie ausgeführt",
            Outcome::NeverMade => "nie gemacht",
            Outcome::Unknown => "Ausgang unbekannt",
            Outcome::Stopped => "angehalten; kann geschehen sein",
            Outcome::WentOn => "ging weiter",
        };
        reason_given(reason: &str) => format!("„{reason}“");
        decided(how: Decided) => match how {
            Decided::Approved => "Genehmigt",
            Decided::ApprovedForConversation => "Genehmigt, Gespräch",
            Decided::ApprovedPerStep => "Genehmigt, je Schritt fragen",
            Decided::ApprovedIntoAuto => "Mit Auto genehmigt",
            Decided::SentBack => "Zurückgegeben",
            Decided::Declined => "Verweigert",
            Decided::Answered => "Beantwortet",
            Decided::Rejected => "Abgelehnt",
            Decided::Ran => "Ausgeführt",
            Decided::Expired => "Verfallen",
            Decided::Withdrawn => "Zurückgezogen",
        };
        decided_by(who: By<'_>) => match who {
            By::Rule(name) => format!("Regel: {name}"),
            By::Nobody | By::You | By::ARule | By::Standing | By::Auto => by(who),
        };
        passed_by(what: PassedByWhat) => match what {
            PassedByWhat::YouStopped => "Gespräch angehalten",
            PassedByWhat::YouAdded => "zum Lauf hinzugefügt",
            PassedByWhat::NobodyWaited => "niemand wartete mehr",
            PassedByWhat::MovedOn => "Gespräch ging weiter",
        };
        server_stopped_waiting(server: Shown) -> Shown => fill("{0} wartet nicht mehr", [server]);
        ended(ending: Ending, who: By<'_>) => {
            let ended = match ending {
                Ending::Running => "läuft",
                Ending::Ran => "ausgeführt",
                Ending::Failed => "fehlgeschlagen",
                Ending::Rejected => "abgelehnt",
            };
            let between = if who == By::Nobody { ", " } else { " · " };
            format!("{ended}{between}{}", by(who))
        };
        line(line: Line) => match line {
            Line::WaitsForYou => "wartet",
            Line::WaitsAlong => "wartet mit",
            Line::ApprovedNotRun => "genehmigt, noch nicht ausgeführt",
            Line::AboutToRun => "läuft gleich",
            Line::WaitsInside => "darin wartet etwas",
            Line::CouldNotRun => "konnte nicht laufen; der Agent weiß es",
            Line::SentBack => "zurückgegeben · von Hand",
            Line::Rejected => "abgelehnt · von Hand",
            Line::NoLongerPermitted => "nicht ausgeführt: nicht mehr erlaubt",
            Line::ChangedSinceAsked => "nicht ausgeführt: seit der Frage geändert",
            Line::ApprovedNeverRun => "genehmigt, nie ausgeführt",
            Line::NeverMadeStopped => "nie gemacht: das Gespräch wurde angehalten",
            Line::NeverMadeMovedOn => "nie gemacht: das Gespräch ging weiter",
            Line::NeverMadeWouldAsk => "nie gemacht: er hätte gefragt",
            Line::NeverMadeInFork => "hier nie gemacht: er war beim Abzweigen noch nicht zu Ende",
            Line::OutcomeUnknown => "Ausgang unbekannt",
            Line::Stopped => "angehalten; kann geschehen sein",
            Line::PlanAccepted => "angenommen · von Hand",
            Line::Answered => "beantwortet · von Hand",
            Line::Declined => "verweigert · von Hand",
            Line::ServerStoppedWaiting => "zurückgezogen: der Server wartet nicht mehr",
        };
        at_work(how: AtWork) => match how {
            AtWork::WaitsForYou => "wartet auf eine Entscheidung",
            AtWork::Stopping => "hält an",
            AtWork::Busy => "arbeitet",
            AtWork::Done => "fertig",
            AtWork::ReachedLimit => "an seiner Grenze beendet",
            AtWork::Failed => "fehlgeschlagen",
            AtWork::Interrupted => "unterbrochen",
            AtWork::WouldHaveAsked => "hätte gefragt",
            AtWork::Stopped => "angehalten",
        };
        run_ended(how: RunWords) => match how {
            RunWords::Limit { rounds } => many(rounds, "Grenze von 1 Runde", "Grenze von {n} Runden"),
            RunWords::ModelUnusable => "das Modell war nicht nutzbar".to_owned(),
            RunWords::WouldHaveAsked => "er hätte fragen müssen".to_owned(),
            RunWords::Stopped => "angehalten".to_owned(),
            RunWords::Interrupted => "unterbrochen".to_owned(),
        };
        any_arguments() => "beliebige Argumente";
        this_exact_call() => "genau dieser Aufruf";
    }

    Detail {
        left_out(characters: u64) => many(characters, "1 Zeichen ausgelassen", "{n} Zeichen ausgelassen");
        became(what: Became) => match what {
            Became::Unknown => {
                "Der Aufruf war begonnen, als Countersign endete. Er kann geschehen sein oder nicht. Von selbst läuft er nicht noch \
                 einmal."
            }
            Became::ServerChangedTool =>
                "Nicht ausgeführt: der Server hat seit der Frage geändert, was dieses Werkzeug ist.",
            Became::FileChanged => "Nicht ausgeführt: die Datei hat sich seit der Frage geändert.",
            Became::NoLongerPermitted => "Nicht ausgeführt: nicht mehr erlaubt.",
            Became::RejectedTold => "Nicht ausgeführt. Der Agent weiß es.",
            Became::Stopped => "Mittendrin angehalten; seine Wirkung kann eingetreten sein.",
            Became::Dropped => "Nie ausgeführt. Der Agent sieht den Aufruf nicht mehr.",
            Became::PlanAccepted => "Der Agent führt ihn aus.",
            Became::Told => "Dem Agenten mitgeteilt.",
            Became::CouldNotRun => "Der Aufruf konnte nicht laufen. Der Agent weiß, warum.",
            Became::Running => "Läuft.",
            Became::WaitsInside => "Darin wartet etwas auf eine Entscheidung.",
            Became::Ran => "Ausgeführt.",
            Became::Waits => "Wartet.",
        };
        passed(by: Passed) => match by {
            Passed::NewMessage => {
                "Mit einer neuen Nachricht begann der nächste Lauf, also wurde dieser Aufruf nie gemacht. Der Agent sieht ihn nicht \
                 mehr."
            }
            Passed::Stopped => {
                "Das Gespräch wurde angehalten, also wurde dieser Aufruf nie gemacht. Der Agent sieht ihn nicht mehr."
            }
            Passed::Withdrawn => "Niemand wartete mehr auf die Antwort. Der Agent sieht den Aufruf nicht mehr.",
            Passed::Steered => {
                "Nach der Frage wurde dem Lauf etwas hinzugefügt, und er ging damit weiter; dieser Aufruf wurde nie gemacht. Der Agent \
                 sieht ihn nicht mehr."
            }
        };
        your_note(told: bool, note: &str) => if told {
            format!("Eigene Notiz (dem Agenten mitgeteilt): „{note}“")
        } else {
            format!("Eigene Notiz (nur für den Verlauf): „{note}“")
        };
        server_got_answer() => "Der Server hat die Antwort bekommen.";
        server_told_declined() => "Dem Server wurde die Antwort verweigert.";
        server_told_declined_note(note: &str) =>
            format!("Dem Server wurde die Antwort verweigert. Eigene Notiz, nur für den Verlauf: „{note}“");
        server_stopped_before() =>
            "Der Server wartete nicht mehr, bevor eine Antwort da war: er nahm die Frage zurück, sein Aufruf endete, oder \
             Countersign. Nichts ging an ihn.";
        no_rules() => "noch keine Regel";
        rule_not_evaluated(rule: &str) => format!("„{rule}“ ließ sich nicht auswerten, also wird gefragt");
        rules_looked(count: u64) => many(count, "1 sah hin und entschied nicht", "{n} sahen hin, keine entschied");
        rules_judge_calls() => "Regeln urteilen über Aufrufe; dies wird innerhalb eines Aufrufs gefragt";
        standing_let_it_run() => "eine ließ ihn laufen";
        standing_for_others(count: u64) => match count {
            0 => "keine für dieses Werkzeug".to_owned(),
            count => many(
                count,
                "1 für dieses Werkzeug, mit anderen Argumenten",
                "{n} für dieses Werkzeug, mit anderen Argumenten",
            ),
        };
        standing_for_no_question() => "keine gilt für eine Frage";
        why_mode(mode: WhyMode) => match mode {
            WhyMode::Question => "eine Frage wird in jedem Modus gestellt",
            WhyMode::AutoRan => "Auto ließ ihn laufen",
            WhyMode::NotAsked => "wurde nicht gefragt",
            WhyMode::PlanAsks => "Plan fragt",
            WhyMode::DefaultAsks => "Standard fragt",
            WhyMode::AutoLeft => "Auto war vorbei, also wird gefragt",
        };
        form_unreadable() => "Was gefragt wird, lässt sich nicht als Formular zeigen.";
        whole_arguments() => "Argumente";
    }

    Facts {
        reads_one_file() => "liest 1 Datei im Arbeitsordner";
        reads_names() => "liest Namen von Dateien im Arbeitsordner";
        reads_files() => "liest Dateien im Arbeitsordner";
        not_analysed() => "nicht untersucht";
        also_sends(key: Shown, value: Shown) -> Shown => fill("sendet auch {0} {1}", [key, value]);
        confined(confinement: Confinement) => match confinement {
            Confinement::None =>
                "Nicht abgeschottet: er kann alles, was das eigene Konto kann, und könnte Countersign selbst bedienen.",
            Confinement::Held { network: Network::On } => "Abgeschottet: schreibt nur im Arbeitsordner und in temp.",
            Confinement::Held { network: Network::Off } =>
                "Abgeschottet: schreibt nur im Arbeitsordner und in temp, ohne Netz.",
        };
        writes_file(how: Writes, inside: bool) => match (how, inside) {
            (Writes::Creates, true) => "legt 1 Datei im Arbeitsordner an",
            (Writes::Creates, false) => "legt 1 Datei außerhalb des Arbeitsordners an",
            (Writes::Changes, true) => "ändert 1 Datei im Arbeitsordner",
            (Writes::Changes, false) => "ändert 1 Datei außerhalb des Arbeitsordners",
            (Writes::Unknown, true) => "schreibt 1 Datei im Arbeitsordner",
            (Writes::Unknown, false) => "schreibt 1 Datei außerhalb des Arbeitsordners",
        };
        content_not_shown() => "der jetzige Inhalt lässt sich nicht zeigen";
        line_ends(ends: LineEnds) => match ends {
            LineEnds::Lf => "LF, UTF-8",
            LineEnds::CrLf => "CRLF, UTF-8",
            LineEnds::Mixed => "gemischte Zeilenenden, UTF-8",
        };
        runs_programs(count: u64) => many(count, "führt 1 Programm aus", "führt {n} Programme aus");
        deletes_files(inside: bool) =>
            if inside { "löscht Dateien" } else { "löscht Dateien außerhalb des Arbeitsordners" };
        deletes(first: Shown, more: u64, inside: bool) -> Shown => {
            let amount = digits(more);
            let sentence = match (more, inside) {
                (0, true) => "löscht {0}".to_owned(),
                (0, false) => "löscht {0}, außerhalb des Arbeitsordners".to_owned(),
                (_, true) => format!("löscht {{0}} und {amount} weitere"),
                (_, false) => format!("löscht {{0}} und {amount} weitere, außerhalb des Arbeitsordners"),
            };
            fill(&sentence, [first])
        };
        touches_outside(path: Shown) -> Shown => fill("berührt {0}, außerhalb des Arbeitsordners", [path]);
        command(what: Command) => match what {
            Command::OverwritesRemote => "überschreibt einen entfernten Zweig",
            Command::DiscardsChanges => "verwirft lokale Änderungen",
            Command::DownloadsIntoShell => "lädt etwas direkt in eine Shell",
            Command::Root => "läuft als root",
            Command::Disk => "schreibt auf ein Gerät",
            Command::Power => "schaltet den Rechner aus",
            Command::OpensToEverybody => "öffnet Dateien für alle",
        };
        talks_to(host: Shown, odd: bool) -> Shown => if odd {
            fill("spricht mit {0}, einem Namen mit anderen Buchstaben als a bis z", [host])
        } else {
            fill("spricht mit {0}", [host])
        };
        sends_to(host: Shown) -> Shown => fill("sendet an {0}", [host]);
        sends_to_letters(host: Shown, letters: Shown) -> Shown =>
            fill("sendet an {0}, auch geschrieben {1}", [host, letters]);
        carries(characters: u64) => many(
            characters,
            "sendet 1 Zeichen an Pfad und Abfrage und sonst nichts Eigenes",
            "sendet {n} Zeichen an Pfad und Abfrage und sonst nichts Eigenes",
        );
        in_the_open() => "unverschlüsselt: wer am Weg sitzt, kann es lesen und ändern";
        holds_password() => "enthält einen Namen oder ein Passwort, also wird es abgewiesen";
        address_part(part: AddressPart) => match part {
            AddressPart::Host => "Rechner",
            AddressPart::Letters => "Rechner, in seinen Buchstaben",
            AddressPart::Path => "Pfad",
            AddressPart::Query => "Abfrage",
            AddressPart::AsSent => "wie es gesendet wird",
        };
    }

    Chips {
        blanks(count: u64, kind: Blanks) => match kind {
            Blanks::Spaces => many(count, "1 Leerzeichen", "{n} Leerzeichen"),
            Blanks::Tabs => many(count, "1 Tabulator", "{n} Tabulatoren"),
            Blanks::Both => many(count, "1 Leerzeichen oder Tabulator", "{n} Leerzeichen und Tabulatoren"),
        };
        line_breaks(count: u64, between: u64) => match between {
            0 => many(count, "1 Zeilenumbruch", "{n} Zeilenumbrüche"),
            between => {
                let blanks = digits(between);
                many(
                    count,
                    &format!("1 Zeilenumbruch mit {blanks} Leerzeichen"),
                    &format!("{{n}} Zeilenumbrüche mit {blanks} Leerzeichen"),
                )
            }
        };
        combining_marks(count: u64) => many(count, "1 kombinierendes Zeichen", "{n} kombinierende Zeichen");
    }

    Errors {
        rule_calls_differ() =>
            "Das sind Aufrufe verschiedener Werkzeuge. Eine Regel gilt für eines: bitte Aufrufe desselben Werkzeugs wählen.";
        rule_calls_none() =>
            "Daraus lässt sich keine Regel machen: über Pläne, Fragen und den Start von Agenten entscheidet immer ein Mensch.";
        rule_calls_most(most: u64) => format!("Eine Regel entsteht aus 1 bis {most} Aufrufen. Bitte weniger wählen.");
        rule_of_calls(count: u64) => format!("{} gewählte Aufrufe", digits(count));
        rule_changed() => "Diese Regel wurde inzwischen geändert. Sie muss neu geöffnet werden.";
        gone(what: Thing) => match what {
            Thing::Request => "Diese Anfrage gibt es nicht mehr.",
            Thing::Conversation => "Dieses Gespräch gibt es nicht mehr.",
            Thing::Agent => "Diesen Agenten gibt es nicht mehr.",
            Thing::ToolServer => "Diesen Werkzeugserver gibt es nicht mehr.",
            Thing::Tool => "Dieses Werkzeug gibt es nicht mehr.",
            Thing::StandingApproval => "Diese Dauergenehmigung gibt es nicht mehr.",
            Thing::QuickTask => "Diese Schnellaufgabe gibt es nicht mehr.",
            Thing::Call => "Diesen Aufruf gibt es nicht mehr.",
            Thing::CallResult => "Dieses Ergebnis gibt es nicht mehr.",
            Thing::PayloadPart => "Dieser Teil dessen, was laufen würde, ist nicht mehr zur Hand. Öffne die Ansicht noch einmal.",
            Thing::ResultPart => "Diesen Teil des Ergebnisses gibt es nicht mehr.",
            Thing::Decision => "Diese Entscheidung gibt es nicht mehr.",
            Thing::Rule => "Diese Regel gibt es nicht mehr.",
        };
        disk_full() =>
            "Der Datenträger ist voll. Bis Platz ist, lässt sich nichts entscheiden. Alles Entschiedene ist gespeichert.";
        newer_database(path: &str) => format!(
            "Die Datenbank {path} stammt von einer neueren Version von Countersign. Sie bleibt, wie sie ist. Zum Öffnen Countersign \
             aktualisieren, oder mit einem anderen Datenordner starten."
        );
        database_not_opened(path: &str, why: &str) => format!(
            "Die Datenbank {path} lässt sich nicht öffnen: {why}. Nichts darin wurde geändert. Bitte prüfen, ob der Ordner da ist und \
             dem eigenen Konto gehört."
        );
        stored_unreadable(what: &str) =>
            format!("Etwas Gespeichertes lässt sich nicht lesen ({what}). Nichts wurde geändert; im Protokoll steht mehr.");
        nothing_changed(why: &str) => format!("Nichts wurde geändert: {why}.");
        quitting() => "Countersign wird beendet.";
        answers_expired(count: u64) => many(
            count,
            "1 Antwort war verfallen, also wurde nichts gesendet.",
            "{n} Antworten waren verfallen, also wurde nichts gesendet.",
        );
        more_would_expire() => "Nicht gesendet: es würde mehr verfallen als angekündigt.";
        shown_changed() => "Das Gezeigte hat sich geändert und wurde neu geladen; bitte noch einmal ansehen.";
        busy() => "Ein Lauf ist im Gange. Der Text bleibt erhalten.";
        not_running() => "Hier läuft nichts mehr.";
        steering_full() => "Der Lauf hat die letzten Worte noch nicht übernommen. Der Text bleibt erhalten.";
        mode_fixed() => "Der Modus der Gespräche dieses Agenten lässt sich nicht setzen.";
        cannot_be_done(_input: &str, _because: &str) => "Das geht jetzt nicht. Inzwischen ist etwas anderes geschehen; bitte nachsehen.";
        answer_does_not_fit() => "Nicht alles passt zu dem, was gefragt ist. Nichts wurde gesendet.";
        data_fault(fault: &DataFault) => match fault {
            DataFault::Unreadable => "Diese Frage lässt sich nicht mehr lesen.".to_owned(),
            DataFault::NotAnObject => "Erwartet waren Antworten mit ihren Namen.".to_owned(),
            DataFault::Missing => "Das muss ausgefüllt sein.".to_owned(),
            DataFault::NotAChoice => "Das ist keine der Möglichkeiten.".to_owned(),
            DataFault::NotA(kind) => match kind {
                DataKind::Text => "Das muss Text sein.",
                DataKind::Whole => "Das muss eine ganze Zahl sein.",
                DataKind::Number => "Das muss eine Zahl sein.",
                DataKind::YesNo => "Das muss ja oder nein sein.",
                DataKind::List => "Das muss eine Liste sein.",
                DataKind::Object => "Das müssen Werte mit ihren Namen sein.",
                DataKind::Nothing => "Das muss leer bleiben.",
            }
            .to_owned(),
            DataFault::Below(least) => format!("Das muss mindestens {least} sein."),
            DataFault::NotAbove(limit) => format!("Das muss mehr als {limit} sein."),
            DataFault::Above(most) => format!("Das darf höchstens {most} sein."),
            DataFault::NotBelow(limit) => format!("Das muss weniger als {limit} sein."),
            DataFault::NotAMultiple(of) => format!("Das muss ein Vielfaches von {of} sein."),
            DataFault::TooShort(least) => many(*least, "Das braucht mindestens 1 Zeichen.", "Das braucht mindestens {n} Zeichen."),
            DataFault::TooLong(most) => many(*most, "Das darf höchstens 1 Zeichen haben.", "Das darf höchstens {n} Zeichen haben."),
            DataFault::TooFew(least) => many(*least, "Das braucht mindestens 1 Eintrag.", "Das braucht mindestens {n} Einträge."),
            DataFault::TooMany(most) => many(*most, "Das darf höchstens 1 Eintrag haben.", "Das darf höchstens {n} Einträge haben."),
            DataFault::Twice => "Ein Eintrag steht zweimal da.".to_owned(),
            DataFault::Pattern(pattern) => format!("Das muss dem Muster {pattern} folgen"),
            DataFault::Format(format) => format!("Das ist nicht das, was gefragt ist: {format}"),
            DataFault::NotAsked => "Da steht etwas, wonach nicht gefragt ist.".to_owned(),
            DataFault::Other => "Das passt nicht zu dem, was gefragt ist.".to_owned(),
        };
        result_not_stored(why: &str) =>
            format!("Ein Ergebnis lässt sich nicht speichern: {why}. Sonst beginnt nichts; es wird noch einmal versucht.");
        rehearsal_over() => "Die Probe ist vorbei.";
        grace_range() => "Die Frist liegt zwischen 0 und 10 Sekunden.";
        no_pattern(pattern: &str) => format!("Das ist kein regulärer Ausdruck: {pattern}. Nichts wurde geändert.");
        no_notifications() =>
            "Es gibt keine Mitteilungen: kein Mitteilungsdienst antwortet. Der Eingang zeigt trotzdem alles.";
        time_is_over() => "Diese Zeit ist vorbei. Bitte eine spätere wählen.";
        say_what_to_do() => "Hier fehlt, was zu tun ist.";
        task_running() => "Sie läuft noch. Erst anhalten.";
        unexpected(why: &str) => format!("Damit war nicht zu rechnen. Im Wortlaut: {}", sentence(why));
        folder_unusable(why: &str) => format!("Dieser Ordner ist nicht nutzbar. Im Wortlaut: {}", sentence(why));
        secret_not_kept(why: &str) => format!("Das lässt sich dort nicht aufbewahren. Im Wortlaut: {}", sentence(why));
        models_not_listed(why: &str) => format!("Die Modelle lassen sich nicht auflisten. Im Wortlaut: {}", sentence(why));
        login_not_set(why: &str) => format!("Das Starten mit der Sitzung lässt sich nicht ändern. Im Wortlaut: {}", sentence(why));
    }

    Faults {
        auto_end(fault: &AutoEnd) => match fault {
            AutoEnd::Over => "Die Zeit, zu der Auto enden sollte, ist vorbei. Bitte eine spätere wählen.",
            AutoEnd::TooNear => "Auto kann nicht in weniger als einer Minute enden. Bitte eine spätere Zeit wählen.",
            AutoEnd::TooFar => "Auto kann nicht mehr als 24 Stunden von jetzt enden. Bitte eine frühere Zeit wählen.",
            AutoEnd::NotAuto => "Nur Auto kann zu einer Zeit enden.",
        }.to_owned();
        misfit(misfit: &Misfit) => match misfit {
            Misfit::NotAQuestion => "Nur eine Frage lässt sich mit Angaben beantworten.",
            Misfit::NeedsData => "Das will ausgefüllt werden, genehmigen lässt es sich nicht.",
            Misfit::PlanForConversation => "Ein Plan lässt sich nicht für das ganze Gespräch genehmigen.",
            Misfit::NoteOnPlan =>
                "Eine Notiz kann mit einem Aufruf gehen, der genehmigt wird, nicht mit einem Plan.",
            Misfit::NotAPlan => "Nur ein Plan lässt sich mit einem Modus genehmigen.",
            Misfit::PlanIntoPlan => "Ein Plan wird mit Standard oder Auto genehmigt, nicht mit Plan.",
            Misfit::AnyCommandNotConfirmed =>
                "Jeden Befehl dieses Werkzeugs zu genehmigen, will eigens bestätigt werden.",
        };
        setting_fault(fault: &SettingFault) => match fault {
            SettingFault::Temperature { most } => {
                format!("Die Temperatur ist eine Zahl von 0 bis {}.", if *most == 100 { "1" } else { "2" })
            }
            SettingFault::TemperatureWithThinking =>
                "Messages nimmt keine Temperatur von einem Modell, das nachdenken soll; eines von beiden weglassen.".to_owned(),
            SettingFault::MostTokens => format!(
                "Eine Antwort lässt sich auf {LEAST_TOKENS} bis {} Token begrenzen.",
                digits(MOST_TOKENS.into())
            ),
            SettingFault::Effort =>
                "Messages braucht eine Zahl von Token zum Nachdenken und keine Stufe.".to_owned(),
            SettingFault::Budget =>
                "Nur Messages nimmt eine Zahl von Token zum Nachdenken; stattdessen eine Stufe wählen.".to_owned(),
            SettingFault::BudgetSize => format!(
                "Nachdenken nimmt {} bis {} Token.",
                digits(LEAST_BUDGET.into()),
                digits(MOST_TOKENS.into())
            ),
            SettingFault::BudgetAboveReply =>
                "Nachdenken zählt zur Antwort, also muss seine Zahl von Token kleiner sein als die der Antwort.".to_owned(),
            SettingFault::HeaderName(name) => format!(
                "Der Name einer Kopfzeile hat 1 bis 64 Buchstaben, Ziffern, „-“ oder „_“, anders als „{name}“."
            ),
            SettingFault::HeaderTaken(name, _) => format!(
                "Die Kopfzeile „{name}“ lässt sich hier nicht setzen: Countersign, das Format oder die Verbindung bestimmt sie."
            ),
            SettingFault::HeaderTwice(name) => format!("Die Kopfzeile „{name}“ gibt es doppelt."),
            SettingFault::HeaderValue(name) => format!(
                "Der Wert der Kopfzeile „{name}“ enthält Zeichen, die sich nicht senden lassen, ist leer oder länger als {}.",
                digits(u64::try_from(LONGEST_VALUE).unwrap_or(u64::MAX))
            ),
            SettingFault::HeaderCount =>
                format!("Ein Agent kann höchstens {MOST_HEADERS} eigene Kopfzeilen haben."),
            SettingFault::Price => "Ein Preis ist eine Zahl von 0 bis 1.000.000 für eine Million Token.".to_owned(),
        };
        sub_agent_fault(fault: &SubAgentFault) => match fault {
            SubAgentFault::Cycle(name) => format!("„{name}“ würde sich selbst beginnen, unmittelbar oder über andere."),
            SubAgentFault::TooDeep(name) =>
                format!("Agenten können andere bis zu {DEEPEST} Ebenen tief beginnen; „{name}“ wäre eine zu viel."),
            SubAgentFault::Name(name) => format!(
                "Der Name eines Agenten für das Modell hat 1 bis 64 Buchstaben, Ziffern, „_“ oder „-“ und ist nicht vergeben, anders als \
                 „{name}“."
            ),
        };
        not_offered(fault: &NotOffered) => match fault {
            NotOffered::Files(why) => format!(
                "Die Befehle dieses Agenten müssen abgeschottet sein, und dieser Rechner kann sie nicht abschotten: {why}."
            ),
            NotOffered::Network(why) => format!(
                "Die Befehle dieses Agenten müssen ohne Netz laufen, und dieser Rechner kann ihnen das Netz nicht abschalten: {why}."
            ),
            NotOffered::NetworkOfUnconfined => "Nur abgeschotteten Befehlen lässt sich das Netz abschalten.".to_owned(),
        };
        arguments_fault(fault: &Fault) => match fault {
            Fault::TooLarge => "die Argumente sind größer als 16 MiB".to_owned(),
            Fault::TooDeep => "die Argumente sind tiefer als 128 Ebenen verschachtelt".to_owned(),
            Fault::Syntax { at, .. } => format!(
                "die Argumente sind kein gültiges JSON, ab Byte {}",
                digits(u64::try_from(*at).unwrap_or(u64::MAX))
            ),
            Fault::DuplicateKey(key) => format!("den Schlüssel „{key}“ gibt es in den Argumenten doppelt"),
            Fault::NotAnObject => "die Argumente müssen ein JSON-Objekt sein".to_owned(),
        };
        model_failed(kind: FailureKind, said: &str) => failed(kind, said);
        step_name(name: StepName) => match name {
            StepName::Reached => "erreicht",
            StepName::Key => "Schlüssel angenommen",
            StepName::Model => "Modell bekannt",
            StepName::Streams => "antwortet in Stücken",
            StepName::Tools => "ruft Werkzeuge auf",
        };
        seen(seen: &Seen) => match seen {
            Seen::Answers { host } => format!("{host} antwortet."),
            Seen::NoAnswer(failure) => format!(
                "{} Stimmt die Adresse, und läuft der Server?",
                failed(failure.kind, &failure.text)
            ),
            Seen::NoModelHere { host } => format!(
                "{host} antwortet, aber an dieser Adresse nicht als Modell. Die meisten Adressen enden auf /v1."
            ),
            Seen::NoKeyNeeded => "Kein Schlüssel nötig.".to_owned(),
            Seen::KeyAccepted { in_the_open: false } => "Der Schlüssel wurde angenommen.".to_owned(),
            Seen::KeyAccepted { in_the_open: true } => {
                "Der Schlüssel wurde angenommen. Er geht unverschlüsselt über das Netz: besser eine https-Adresse nehmen, wenn es eine gibt."
                    .to_owned()
            }
            Seen::KeyWanted { code } => format!("Dort wird ein Schlüssel verlangt ({code}). Bitte einen eingeben."),
            Seen::KeyRefused { code } => format!(
                "Der Schlüssel wurde abgewiesen ({code}). Bitte prüfen, ob er vollständig ist, noch gilt und zu dieser Adresse gehört."
            ),
            Seen::Knows { host, model } => format!("{host} kennt {model}."),
            Seen::UnknownModel { host, model, offers, more } => match offers.as_deref() {
                Some([]) => format!("{host} bietet kein Modell an. Dort erst eines laden."),
                Some(some) => {
                    let more = if *more { ", …" } else { "" };
                    format!("{host} kennt {model} nicht. Es gibt dort {}{more}.", some.join(", "))
                }
                None => format!("{host} kennt {model} nicht. Bitte den Namen prüfen."),
            },
            Seen::Streamed => "Die Antwort kam in Stücken.".to_owned(),
            Seen::CameWhole => {
                "Die Antwort kam auf einmal, nicht in Stücken. Das geht, aber Text ist spät zu sehen.".to_owned()
            }
            Seen::Called { model } => format!("{model} hat das Werkzeug aufgerufen."),
            Seen::DidNotCall { model } => format!(
                "{model} hat geantwortet, aber das verlangte Werkzeug nicht aufgerufen. Am besten eignen sich Modelle, die für Werkzeuge \
                 gemacht sind."
            ),
            Seen::TakesNoTools { model, said } => format!(
                "{model} nimmt keine Werkzeuge. Bitte ein Modell wählen, das sie unterstützt. Im Wortlaut: {}",
                sentence(&said.text)
            ),
            Seen::TookTooLong { host } => format!(
                "{host} brauchte länger als zwei Minuten. Wird das Modell noch geladen? Bitte noch einmal versuchen."
            ),
            Seen::Failed(failure) => failed(failure.kind, &failure.text),
            Seen::NoKeptKey(text) => format!("Der aufbewahrte Schlüssel ist nicht zu bekommen. Im Wortlaut: {}", sentence(text)),
        };
    }

    Deciding {
        too_late() => "Das lässt sich nicht mehr beantworten. Nichts wurde gesendet.";
        wrong_answer() => "So lässt sich das nicht beantworten.";
        several_parts() =>
            "Ein Befehl aus mehreren Teilen lässt sich nur genau so genehmigen, wie er ist, oder einmal.";
        queued_first() =>
            "Diese Antwort ist vorgemerkt, bis der Lauf endet. Erst die vorgemerkten Antworten zurücknehmen.";
        queued_not_sent(why: &str) =>
            format!("Die vorgemerkten Antworten wurden nicht gesendet: {why}. Sie sind wieder Entwürfe.");
        expired_unsent(late: u64, all: u64) => {
            let left = all.saturating_sub(late);
            let late = many(
                late,
                &format!("1 von {} Antworten war verfallen, also wurde nichts gesendet.", digits(all)),
                &format!("{{n}} von {} Antworten waren verfallen, also wurde nichts gesendet.", digits(all)),
            );
            match left {
                0 => late,
                left => many(left, &format!("{late} Die andere senden?"), &format!("{late} Die anderen {} senden?", digits(left))),
            }
        };
        new_request_unsent(kept: u64) => many(
            kept,
            "Nicht gesendet: eine neue Anfrage kam herein. Sie steht oben; die Entscheidung bleibt erhalten.",
            "Nicht gesendet: eine neue Anfrage kam herein. Sie steht oben; die {n} Entscheidungen bleiben erhalten.",
        );
        not_sent(why: &str) => format!("Nicht gesendet. {why}");
        nothing_shown() => "Eine Antwort kam ohne das, was gezeigt wurde.";
        run_or_drop() => "Ein genehmigter Aufruf lässt sich jetzt ausführen oder verwerfen.";
        arguments_unreadable() =>
            "Diese Argumente lassen sich nicht lesen, also auch nicht ändern. Stattdessen mit Begründung ablehnen.";
        arguments_not_editable() => "Diese Argumente lassen sich nicht ändern.";
        no_json_value(fault: &Fault) => match fault {
            Fault::Syntax { at, .. } => format!(
                "Das ist kein JSON-Wert, ab Byte {}.",
                digits(u64::try_from(*at).unwrap_or(u64::MAX))
            ),
            Fault::TooLarge => "Das ist größer als 16 MiB.".to_owned(),
            Fault::TooDeep => "Das ist tiefer als 128 Ebenen verschachtelt.".to_owned(),
            Fault::DuplicateKey(key) => format!("Den Schlüssel „{key}“ gibt es darin doppelt."),
            Fault::NotAnObject => "Das ist kein JSON-Objekt.".to_owned(),
        };
        nothing_differs() => "Nichts weicht von dem ab, was gefragt ist. Ein Argument ändern, oder genehmigen.";
        correction_too_long() =>
            "Das ist zu lang für eine Korrektur (64 KB). Stattdessen mit einer Begründung ablehnen, die sagt, was sich ändern soll.";
    }

    Agents {
        address_begins() => "Die Adresse muss mit http:// oder https:// beginnen.";
        choose_model() => "Ein Modell wählen.";
        rounds_range(most: u32) => format!("Erlaubt sind 1 bis {most} Runden.");
        caps_range(model_calls: u32, agents: u32, beside: u32) => format!(
            "Ein Lauf und die Agenten darunter dürfen 1 bis {model_calls} Modellaufrufe machen, bis zu {agents} Agenten beginnen und bis zu \
             {beside} zugleich daneben haben."
        );
        name_agent() => "Der Agent braucht einen Namen.";
        agent_changed() => "Dieser Agent wurde in einem anderen Fenster geändert. Bitte neu laden.";
        agent_has_conversations(count: u64) => many(
            count,
            "Dieser Agent hat 1 Gespräch. Erst das Gespräch löschen.",
            "Dieser Agent hat {n} Gespräche. Erst die Gespräche löschen.",
        );
        agent_can_be_started(by: &str) => format!("Der Agent „{by}“ kann diesen beginnen. Erst das ändern.");
        shows_above(data: DataClass, zone: Zone) =>
            format!("Kann {}. Das ist mehr, als zu einem Modell {} gehen sollte.", shows(data), at(zone));
        held_back(data: DataClass, zone: Zone) =>
            format!("Zurückgehalten: kann {}. Das ist mehr, als zu einem Modell {} gehen darf.", shows(data), at(zone));
        no_such_tool() => "Dieses Werkzeug gibt es nicht.";
        off_for_all() => "Für alle Agenten ausgeschaltet.";
        group_off_for_all() => "Seine Gruppe ist für alle Agenten ausgeschaltet.";
        switches_unreadable() => "Was ausgeschaltet ist, lässt sich nicht lesen, also ist nichts an.";
        not_chosen() => "Nicht gewählt.";
        group_off() => "Seine Gruppe ist für diesen Agenten aus.";
        name_key_variable() => "Hier fehlt die Umgebungsvariable, die den Schlüssel enthält.";
        currency_letters() => "Eine Währung wird mit ihren drei Buchstaben genannt, etwa USD oder EUR.";
    }

    Servers {
        server_changed() => "Dieser Server wurde anderswo geändert. Bitte neu öffnen.";
        type_value(name: &str) => format!("Den Wert von „{name}“ eingeben.");
        tools_unknown() =>
            "Welche Werkzeuge er hat, ist noch nicht bekannt, also lässt sich nichts von ihnen sagen. Erst den Server starten.";
        server_or_tools_changed() =>
            "Der Server oder seine Werkzeuge haben sich geändert, seit sie gezeigt wurden. Bitte noch einmal ansehen.";
        tool_changed() =>
            "Der Server hat dieses Werkzeug geändert, seit es gezeigt wurde. Bitte noch einmal ansehen.";
        says_read_only(yes: bool) => if yes { "liest nur" } else { "liest nicht nur" };
        says_destructive(yes: bool) => if yes { "zerstörend" } else { "nicht zerstörend" };
        says_repeatable(yes: bool) => if yes { "wiederholbar" } else { "nicht wiederholbar" };
        says_reaches_outside(yes: bool) => if yes { "reicht nach außen" } else { "bleibt innen" };
        text_unreadable() => "Das lässt sich nicht lesen.";
        text_too_long() => "Der Text ist zu lang, um Server zu beschreiben.";
        paste_something() => "Eine Befehlszeile, eine Adresse oder JSON einfügen.";
        quotation_open() => "Ein Anführungszeichen in der Befehlszeile ist nicht geschlossen.";
        no_program() => "In der Befehlszeile steht kein Programm.";
        no_json(why: &str) => format!("Das ist kein JSON: {why}.");
        no_servers() => "Es stehen keine Server darin.";
        no_servers_each() => "Es stehen keine Server darin: jeder hat ein „command“ oder eine „url“.";
        too_many_servers(most: u64) => format!("Das sind mehr als {} Server.", digits(most));
        argument_no_text() => "Ein Argument ist kein Text.";
        older_http() =>
            "Er spricht die ältere Art von HTTP (SSE), die nicht unterstützt wird; gebraucht wird seine Adresse für „streamable HTTP“.";
        neither_command_nor_address() => "Weder ein Befehl noch eine Adresse steht als Text darin.";
        name_length() => "Der Name hat 1 bis 60 Zeichen.";
        name_taken() => "Ein anderer Server heißt schon so.";
        handle_shape() => "Der Kurzname hat 1 bis 20 kleine Buchstaben, Ziffern oder Bindestriche.";
        handle_taken() => "Ein anderer Server hat schon diesen Kurznamen.";
        say_program() => "Hier fehlt, welches Programm zu starten ist.";
        no_nul() => "Name und Argumente eines Programms können das Zeichen U+0000 nicht enthalten.";
        folder_absolute() => "Hier wird der ganze Pfad eines Ordners gebraucht, etwa /home/name/projekt.";
        address_needs_host() => "Die Adresse muss mit https:// oder http:// beginnen und einen Rechner nennen.";
        roots_absolute() => "Von jedem Ordner wird der ganze Pfad gebraucht, etwa /home/name/projekt.";
        seconds_range(most: u32) => format!("Erlaubt sind 1 bis {most} Sekunden.");
        variable_not_here(name: &str) => format!("„{name}“ lässt sich hier nicht setzen.");
        variable_twice(name: &str) => format!("„{name}“ gibt es doppelt.");
        variable_one_line(name: &str) => format!("Der Wert von „{name}“ muss in einer Zeile stehen.");
        variable_where(name: &str) => format!("Es fehlt, wo der Wert von „{name}“ liegt.");
        variable_name_it(name: &str) => format!("Für „{name}“ fehlt die Umgebungsvariable.");
    }

    Notices {
        someone_waits(again: bool) => format!("Ein Gespräch wartet {}auf eine Entscheidung", still(again));
        wants(name: &str, what: Wants<'_>, again: bool) => {
            let still = still(again);
            match what {
                Wants::You => format!("{name} wartet {still}auf eine Entscheidung"),
                Wants::HasApproved => format!("{name} hat {still}einen genehmigten Aufruf, der nicht gelaufen ist"),
                Wants::Plan => format!("{name} schlägt {still}einen Plan vor"),
                Wants::Input => format!("{name} bittet {still}um eine Eingabe"),
                Wants::Command => format!("{name} will {still}einen Befehl ausführen"),
                Wants::Call(verb) => format!("{name} will {still}etwas tun: {verb}"),
            }
        };
        requests(count: u64) => many(count, "1 Anfrage", "{n} Anfragen");
        a_request() => "Eine Anfrage";
        open_to_see(what: Unsaid) => match what {
            Unsaid::Plan => "Beim Öffnen ist der Plan zu sehen",
            Unsaid::Question => "Beim Öffnen ist die Frage zu sehen",
            Unsaid::Request => "Beim Öffnen ist die Anfrage zu sehen",
            Unsaid::Call => "Beim Öffnen ist der Aufruf zu sehen",
        };
        open_to_see_whole() => "Beim Öffnen ist alles zu sehen";
        in_folder(folder: &str) => format!("in {folder}");
        amount(of: Waiting, count: u64) => match of {
            Waiting::Commands => many(count, "1 Befehl", "{n} Befehle"),
            Waiting::Files => many(count, "1 Datei", "{n} Dateien"),
            Waiting::Plans => many(count, "1 Plan", "{n} Pläne"),
            Waiting::Questions => many(count, "1 Frage", "{n} Fragen"),
            Waiting::Others => many(count, "1 anderer Aufruf", "{n} andere Aufrufe"),
        };
        requests_wait(count: u64, amounts: &str) =>
            many(count, &format!("1 Anfrage wartet: {amounts}"), &format!("{{n}} Anfragen warten: {amounts}"));
        question_withdrawn() => "Eine Frage wurde zurückgezogen";
        asks_no_more(name: &str) => format!("{name} fragt nicht mehr");
        withdrawn_before() => "Sie wurde zurückgezogen, bevor eine Antwort da war.";
        rule_stopped_call() => "Eine Regel hat in Auto einen Aufruf angehalten";
        rule_stopped_call_of(name: &str) => format!("Eine Regel hat einen Aufruf angehalten: {name}");
        one_call() => "1 Aufruf";
        call_and_rules(call: &str, rules: &str) => format!("{call} · Regel {rules}");
        leaves_in(approved: bool, seconds: u64) => if approved {
            format!("Genehmigt: geht in {seconds} s ab")
        } else {
            format!("Abgelehnt: geht in {seconds} s ab")
        };
        not_sent_yet(approved: bool) =>
            if approved { "Genehmigt, aber noch nicht gesendet" } else { "Abgelehnt, aber noch nicht gesendet" };
        press_send(about: &str) => format!("Countersign öffnen und „Senden“ drücken. {about}");
        answer_not_sent() => "Die Antwort wurde nicht gesendet";
        can_reach_you() => "Hier kommen Mitteilungen von Countersign an";
        press_review() => "„Ansehen“ drücken.";
        click_this() => "Hier klicken.";
    }

    Desktop {
        review() => "Ansehen";
        reject() => "Ablehnen";
        approve() => "Genehmigen";
        undo() => "Rückgängig";
        waiting(count: u64) => match count {
            0 => "Nichts wartet".to_owned(),
            count => many(count, "1 wartet", "{n} warten"),
        };
        pause_half_hour() => "Für 30 Minuten";
        pause_hour() => "Für 1 Stunde";
        pause_tomorrow() => "Bis morgen";
        pause_notices() => "Mitteilungen pausieren";
        resume_notices() => "Mitteilungen fortsetzen";
        all_to_default(count: u64) => match count {
            0 => "Kein Gespräch ist in Auto".to_owned(),
            count => format!("Alle Gespräche auf Standard ({} in Auto)", digits(count)),
        };
        all_to_default_until(count: u64, time: &str) =>
            format!("Alle Gespräche auf Standard ({} in Auto bis {time})", digits(count));
        quick_panel() => "Schnellfenster";
        open() => "Countersign öffnen";
        quit() => "Beenden";
        panel_title() => "Countersign: was wartet";
        not_started() => "Countersign ließ sich nicht starten; im Protokoll steht mehr";
        on_this_machine(program: &str) => format!("{program} auf diesem Rechner");
        notices_off() => "Mitteilungen sind aus";
        notices_paused(until: &str) => format!("Mitteilungen pausieren bis {until}");
        quiet_hours() => "Ruhezeit";
    }

    Rehearsal {
        scene(scene: Scene) => match scene {
            Scene::LooksAround => "Der Agent sieht sich um. Lesen ändert nichts, also wird niemand gefragt.",
            Scene::Together =>
                "Zwei Aufrufe warten zusammen und gehen zusammen ab. A genehmigt einen, R soll den anderen ablehnen; U nimmt eine \
                 Entscheidung zurück.",
            Scene::LongCommand =>
                "J drücken. Der Befehl ist lang: die Leertaste liest weiter, und „Genehmigen“ kommt an seinem Ende. Was dort steht, ist ein \
                 Grund für R.",
            Scene::HiddenCharacter =>
                "J drücken. Ein verborgenes Zeichen im Pfad ist als Marke gezeigt. Mit R ablehnen.",
            Scene::ForConversation =>
                "J drücken, dann mit Umschalt+A diesen Befehl für das Gespräch genehmigen. Derselbe Aufruf läuft dann ohne Nachfrage.",
            Scene::RanUnasked =>
                "Er lief ein zweites Mal, ohne zu fragen. G drücken, dann R, und die Genehmigung widerrufen: der nächste fragt wieder.",
            Scene::AsksAgain => "G drücken, dann I: widerrufen, also fragt er wieder. Mit A einmal genehmigen.",
            Scene::Plan =>
                "J drücken und den Plan lesen. Umschalt+A soll ihn mit Auto genehmigen, nur für diesen Plan.",
            Scene::Watch => "Dies hier liegen lassen und zusehen: gleich geht eine neue Nachricht daran vorbei.",
            Scene::Over =>
                "Das war alles. Im Verlauf steht jede Entscheidung, auch die, zu denen niemand gefragt wurde.",
        };
        rehearsal_agent() => "Agent der Probe";
        rehearsal_title() => "Notizen aufräumen";
        folder_not_made(why: &str) => format!("Der Ordner der Probe lässt sich nicht anlegen: {why}.");
        folder_not_removed(why: &str) => format!("Der Ordner der Probe lässt sich nicht entfernen: {why}.");
    }

    History {
        find_approved() => "genehmigt";
        find_for_conversation() => "für das Gespräch genehmigt";
        find_step_by_step() => "Plan genehmigt, je Schritt fragen";
        find_into_auto() => "Plan mit Auto genehmigt";
        find_answered() => "beantwortet";
        find_declined() => "verweigert";
        find_rejected() => "abgelehnt";
        find_sent_back() => "zurückgegeben";
        find_ran() => "ohne Nachfrage ausgeführt";
        find_expired() => "verfallen";
        find_withdrawn() => "zurückgezogen";
        find_you() => "von Hand";
        find_rule() => "eine Regel";
        find_standing() => "eine Dauergenehmigung";
        find_auto() => "Auto";
        find_conversation() => "Fortgang des Gesprächs";
        find_server() => "ein Server, der nicht mehr wartet";
        find_ok() => "ausgeführt";
        find_failed() => "fehlgeschlagen";
        find_could_not_run() => "konnte nicht laufen";
        find_told() => "dem Agenten mitgeteilt";
        find_not_permitted() => "nicht mehr erlaubt";
        find_changed() => "seit der Frage geändert";
        find_never_run() => "genehmigt, nie ausgeführt";
        find_never_made() => "nie gemacht";
        find_unknown() => "Ausgang unbekannt";
        find_stopped() => "angehalten";
        find_pending() => "noch nicht zu Ende";
        find_commands() => "Befehle";
        find_files() => "Dateien";
        find_plans() => "Pläne";
        find_questions() => "Fragen";
        find_others() => "andere Aufrufe";
        either(all: &[String]) => listed(all, "oder");
        all_of(all: &[String]) => listed(all, "und");
        in_quotes(name: &str) => format!("„{name}“");
        begins_with(word: &str) => format!("„{word}…“");
        of_tools(names: &str) => format!("Werkzeug {names}");
        of_rule(name: &str) => format!("Regel {name}");
        by_whom(names: &str) => format!("entschieden: {names}");
        which_ended(how: &str) => format!("Ausgang: {how}");
        of_agents(names: &str) => format!("Agent {names}");
        of_conversations(names: &str) => format!("Gespräch {names}");
        with_words(words: &str) => format!("mit {words}");
        on_day(day: &str) => format!("am {day}");
        since_day(day: &str) => format!("ab {day}");
        before_day(day: &str) => format!("vor {day}");
        query_too_long() => "Das ist zu lang für eine Suche.";
        no_day_between() => "Kein Tag liegt nach dem einen und vor dem anderen.";
        value_missing(key: &str) => format!("Hinter „{key}:“ fehlt etwas.");
        rule_name_missing() => "Der Name der Regel fehlt.";
        no_such_day() => "Diesen Tag gibt es nicht.";
        no_such_key(key: &str, keys: &str) =>
            format!("„{key}:“ gibt es nicht. Es gibt {keys}. In Anführungszeichen wird es als Worte gesucht.");
        nothing_to_search() => "Darin ist kein Buchstabe und keine Ziffer, die sich suchen ließe.";
        not_one_of(value: &str, values: &str) => format!("„{value}“ ist keines von {values}.");
        no_day(value: &str) =>
            format!("„{value}“ ist kein Tag. Möglich sind 2026-09-01, today (heute), yesterday (gestern) oder 7d (vor 7 Tagen).");
        too_many_spans() => "Das sind zu viele Zeiträume.";
        file_part(part: FilePart) => match part {
            FilePart::Decisions => "Entscheidungen",
            FilePart::Decision => "Entscheidung",
            FilePart::Reason => "Begründung",
            FilePart::Outcome => "Ausgang",
            FilePart::Conversation => "Gespräch",
            FilePart::Agents => "Agenten",
            FilePart::Tool => "Werkzeug",
            FilePart::TimeToDecide => "Bedenkzeit",
            FilePart::Entry => "Eintrag",
            FilePart::Hash => "Argumente, SHA-256",
            FilePart::Result => "Ergebnis",
            FilePart::You => "Ich",
            FilePart::Agent => "Agent",
        };
        no_table() => "Ein Gespräch ist keine Tabelle. Markdown oder JSONL wählen.";
        is_there_already(file: &str) => format!("{file} gibt es schon.");
        whole_path() => "Hier wird der ganze Pfad der Datei gebraucht, ab / oder ~/.";
        ends_in(ending: &str) => format!("Der Name der Datei muss auf .{ending} enden.");
        no_such_folder() => "Diesen Ordner gibt es nicht.";
        name_in_use() => "Eine Datei dieses Namens gibt es schon; nichts wurde geschrieben. Bitte einen anderen Namen wählen.";
        not_written(file: &str, why: &str) => format!("{file} lässt sich nicht schreiben: {why}. Nichts davon blieb.");
    }
}
