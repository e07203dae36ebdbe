//! The person's language: what Countersign says by itself is said in it, from the row to the notification, and at once when it
//! changes. What the agent reads is not.

use countersign_api::commands::request;
use countersign_api::display::text::plain;
use countersign_api::wire::history::ExportFormat;
use countersign_api::wire::inbox::{Decision, DetailState};
use countersign_api::wire::settings::Language;
use countersign_api::wire::window::{ApiError, Space};
use countersign_api::words::{Spoken, apart};

use crate::house::{House, calls, says};
use crate::notices::{shown, told_of};

/// A house whose agent wants to delete something, and asks for it again after a no.
async fn deletes() -> House {
    let wants = || calls(&[("run_command", r#"{"command":"rm -rf ../exports && ls"}"#)]);
    House::new([wants(), wants(), says("ok")]).await
}

#[tokio::test]
async fn a_request_is_german_from_its_row_to_its_end_and_the_agent_is_told_in_english() {
    let _apart = apart(Spoken::En);
    let house = deletes().await;
    house.set(|settings| settings.language = Language::De).await;
    let (set, notice) = told_of(&house).await;
    assert_eq!(notice.title, "Nightly check will einen Befehl ausführen");
    assert_eq!(plain(&set.rows[0].verb), "Befehl ausführen");
    let id = set.rows[0].id.clone();

    let detail = house.detail(&id).await;
    let facts: Vec<String> = detail.facts.iter().map(|fact| plain(&fact.text)).collect();
    assert_eq!(facts, ["führt 2 Programme aus", "löscht ../exports, außerhalb des Arbeitsordners"]);
    assert_eq!(
        (plain(&detail.why.rules).as_str(), detail.why.standing.as_str(), detail.why.mode.as_str()),
        ("noch keine Regel", "keine für dieses Werkzeug", "Standard fragt")
    );

    let stage = request::stage { id: id.clone(), decision: Decision::Approve, digest: "0".repeat(64) };
    let ApiError::DigestMismatch { message, .. } = house.app.stage(Space::Main, stage).await.unwrap_err() else {
        panic!("what wasn't shown isn't decided")
    };
    assert_eq!(message, "Das Gezeigte hat sich geändert und wurde neu geladen; bitte noch einmal ansehen.");

    house.answer(&set, &[(0, Decision::Reject { reason: None })]).await.unwrap();
    house.until("it asks again", |snapshot| snapshot.sets.iter().any(|set| set.rows[0].id != id).then_some(())).await;
    let closed = house.until("it closed", |snapshot| snapshot.closed.first().cloned()).await;
    assert_eq!(closed.label, "Abgelehnt");
    let DetailState::Closed { label, text, .. } = house.detail(&id).await.state else { panic!("it is closed") };
    assert_eq!((label.as_str(), text.as_str()), ("Von Hand abgelehnt", "Nicht ausgeführt. Der Agent weiß es."));
    let page = request::history { before: None, query: String::new() };
    let row = house.app.history(Space::Main, page).await.unwrap().rows.remove(0);
    assert_eq!((row.decision.as_str(), plain(&row.by).as_str()), ("Abgelehnt", "von Hand"));

    let told = house.last_prompt();
    assert!(told.contains("reject") && !told.contains("lehnt"), "the agent is told in its own words: {told}");
}

#[tokio::test]
async fn what_stands_is_made_anew_when_the_language_changes() {
    let _apart = apart(Spoken::En);
    let house = deletes().await;
    let (_, notice) = told_of(&house).await;
    assert_eq!(notice.title, "Nightly check wants to run a command");
    let tray = house.app.tray().await;
    assert_eq!((tray.spoken, tray.rows[0].1.as_str()), (Spoken::En, "Nightly check: Run a command"));

    let mut feed = house.app.subscribe();
    let before = house.snapshot().await.seq;
    house.set(|settings| settings.language = Language::De).await;
    let first = feed.recv().await.unwrap().seq;
    assert!(first > before + 1, "a gap, so that every window takes a new picture");
    assert_eq!(plain(&house.snapshot().await.sets[0].rows[0].verb), "Befehl ausführen");
    house
        .until_told("the notification is shown anew", |told| {
            shown(told).last().is_some_and(|notice| notice.title == "Nightly check will einen Befehl ausführen")
        })
        .await;
    let tray = house.app.tray().await;
    assert_eq!((tray.spoken, tray.rows[0].1.as_str()), (Spoken::De, "Nightly check: Befehl ausführen"));

    house.set(|settings| settings.language = Language::System).await;
    assert_eq!(house.app.tray().await.spoken, Spoken::En, "nobody said what the system speaks");
    house.set(|settings| settings.language = Language::De).await;
    let house = house.restart().await;
    assert_eq!(house.app.tray().await.spoken, Spoken::De, "it holds after a restart");
}

#[tokio::test]
async fn history_is_found_by_the_words_that_are_seen_and_written_for_programs_in_english() {
    let _apart = apart(Spoken::De);
    let house = deletes().await;
    house.set(|settings| settings.language = Language::De).await;
    let set = house.ask("Nightly check").await;
    house.answer(&set, &[(0, Decision::Reject { reason: None })]).await.unwrap();
    let query = "is:rejected \"Befehl ausführen\"".to_owned();
    let page = house.app.history(Space::Main, request::history { before: None, query: query.clone() }).await.unwrap();
    assert_eq!(page.rows.len(), 1);
    let countersign_api::wire::history::FilterState::On { words, .. } = page.filter else { panic!("a query filters") };
    assert_eq!(words, "abgelehnt, mit „Befehl ausführen“");
    let facets = house.app.history_facets(Space::Main, request::history_facets { query }).await.unwrap();
    let values = &facets.groups[0].values;
    assert_eq!((values[0].token.as_str(), plain(&values[0].label).as_str()), ("is:rejected", "abgelehnt"));

    for (format, name, said) in [
        (ExportFormat::Jsonl, "a.jsonl", "\"Rejected\""),
        (ExportFormat::Markdown, "a.md", "- Entscheidung: Abgelehnt"),
    ] {
        let path = house.folder.path().join(name).display().to_string();
        let export = request::export_history { query: String::new(), format, masked: true, path: path.clone() };
        house.app.export_history(Space::Main, export).await.unwrap();
        let written = std::fs::read_to_string(path).unwrap();
        assert!(written.contains(said), "{written}");
    }
}
