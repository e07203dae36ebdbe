//! History through the door: searched, counted, written into a file, checked, and what leaves it.

use countersign_api::commands::request;
use countersign_api::display::text::plain;
use countersign_api::wire::history::{
    ChainState, DecisionRecord, ExportFormat, ExportOf, Exported, FilterState, HistoryPage, MomentKind, Span,
};
use countersign_api::wire::inbox::{Decision, DetailState, SetCard};
use countersign_api::wire::window::{ApiError, Space};
use countersign_core::digest::content_hash;

use crate::house::{House, calls, now, says};

const SECRET: &str = "ghp_abcdefghijklmnopqrst0123";

async fn search(house: &House, query: &str) -> HistoryPage {
    house.app.history(Space::Main, request::history { before: None, query: query.to_owned() }).await.unwrap()
}

async fn found(house: &House, query: &str) -> Vec<String> {
    let page = search(house, query).await;
    assert!(!matches!(page.filter, FilterState::Faulty { .. }), "{query}: {:?}", page.filter);
    page.rows.iter().map(|row| plain(&row.target)).collect()
}

/// A push that was rejected, a deploy that ran, and a question that waits.
async fn lived_in() -> (House, SetCard) {
    let push = format!("{{\"command\":\"git push --force https://me:{SECRET}@example.com\"}}");
    let house = House::new([
        calls(&[("run_command", &push), ("run_command", "{\"command\":\"=deploy\\u202e now\"}")]),
        says("done"),
    ])
    .await;
    let set = house.ask("Nightly check").await;
    let no = Decision::Reject { reason: Some("not like that".to_owned()) };
    house.answer(&set, &[(0, no), (1, Decision::Approve)]).await.unwrap();
    house.rest(&set.conversation).await;
    (house, set)
}

async fn export(
    house: &House,
    query: &str,
    format: ExportFormat,
    masked: bool,
    path: &str,
) -> Result<Exported, ApiError> {
    let request = request::export_history {
        query: query.to_owned(),
        format,
        masked,
        path: house.folder.path().join(path).display().to_string(),
    };
    house.app.export_history(Space::Main, request).await
}

#[tokio::test]
async fn a_query_finds_what_was_decided_just_now_and_says_what_it_looked_for() {
    let (house, set) = lived_in().await;
    let push = found(&house, "is:rejected").await;
    assert_eq!(push.len(), 1);
    for query in
        ["push", "\"git push\" FORCE", "nightly not like", "tool:run_command by:you outcome:told", "conv:night force"]
    {
        assert_eq!(found(&house, query).await, push, "{query}");
    }
    assert_eq!(found(&house, "kind:command").await.len(), 2);
    assert_eq!(found(&house, "is:rejected is:approved").await.len(), 2, "the values of one key widen");
    assert_eq!(found(&house, "agent:help after:today").await.len(), 2);
    for query in ["tool:write_file", "agent:nobody", "conv:other", "before:today", "push deploy", "after:2999-01-01"] {
        assert_eq!(found(&house, query).await, [""; 0], "{query}");
    }
    let page = search(&house, "outcome:ok").await;
    assert_eq!(page.filter, FilterState::On { words: "which ended: ran ok".to_owned(), matched: 1, more: false });
    assert_eq!((page.total, page.unread), (2, 0));
    let page = search(&house, "deploy is:gone").await;
    let FilterState::Faulty { faults } = page.filter else { panic!("{:?}", page.filter) };
    assert_eq!((faults[0].from, faults[0].to, page.rows.len()), (7, 14, 0));

    // What is found survives its conversation, as history does.
    let conversation = set.conversation.clone();
    house.app.delete_conversation(Space::Main, request::delete_conversation { conversation }).await.unwrap();
    assert_eq!(found(&house, "conv:nightly force").await, push);
    let house = house.restart().await;
    assert_eq!(found(&house, "force").await, push);
}

/// c.12.13: what is masked can't be found by its own words, whoever changed what is masked and when.
#[tokio::test]
async fn a_search_never_finds_a_secret() {
    let (house, _) = lived_in().await;
    assert_eq!(found(&house, "abcdefghijklmnopqrst0123").await, [""; 0]);
    assert_eq!(found(&house, "deploy").await.len(), 1);
    let mut settings = house.snapshot().await.settings;
    settings.masks = vec!["deploy".to_owned()];
    house.app.save_settings(Space::Main, request::save_settings { settings }).await.unwrap();
    assert_eq!(found(&house, "deploy").await, [""; 0], "all of it is read anew");
    assert_eq!(found(&house, "force").await.len(), 1);
}

#[tokio::test]
async fn facets_say_what_was_found_and_how_to_ask_for_it() {
    let (house, _) = lived_in().await;
    let facets = house.app.history_facets(Space::Main, request::history_facets { query: String::new() }).await.unwrap();
    assert_eq!(facets.newest, None);
    for group in &facets.groups {
        for value in &group.values {
            assert_eq!(i64::try_from(found(&house, &value.token).await.len()).unwrap(), value.count, "{}", value.token);
        }
    }
    let keys: Vec<&str> = facets.groups.iter().map(|group| group.key.as_str()).collect();
    assert_eq!(keys, ["is", "by", "outcome", "kind", "agent", "tool"]);
    let facets = house.app.history_facets(Space::Main, request::history_facets { query: "is:rejected".to_owned() });
    assert_eq!(facets.await.unwrap().groups[0].values.len(), 1);
}

#[tokio::test]
async fn days_and_months_are_the_persons_own() {
    let (house, _) = lived_in().await;
    let at = now().0;
    let spans = vec![Span { from: 0, to: at - 3_600_000 }, Span { from: at - 3_600_000, to: at + 1_000 }];
    let charts = house.app.history_charts(Space::Main, request::history_charts { spans: spans.clone() }).await.unwrap();
    assert_eq!((charts.days[0].asked, charts.days[1].asked, charts.days[1].unasked), (0, 2, 0));
    assert_eq!((charts.by.len(), charts.by[0].token.as_str(), charts.by[0].count), (1, "by:you", 2));
    assert_eq!(charts.took.iter().sum::<i64>(), 2);
    let months = house.app.history_months(Space::Main, request::history_months { spans }).await.unwrap();
    assert_eq!((months[0].count, months[0].before, months[1].count), (0, None, 2));
    let before = months[1].before;
    let page = house.app.history(Space::Main, request::history { before, query: String::new() }).await.unwrap();
    assert_eq!(page.rows.len(), 2, "a jump shows the newest of the month first");
}

/// c.10, c.12: an export is what is displayed, less the secrets, with a manifest that says what it is.
#[tokio::test]
async fn accept_12_surface_88_an_export_shows_what_is_hidden_and_hides_what_is_secret() {
    let (house, _) = lived_in().await;
    for (format, name) in
        [(ExportFormat::Jsonl, "a.jsonl"), (ExportFormat::Csv, "a.csv"), (ExportFormat::Markdown, "a.md")]
    {
        let done = export(&house, "kind:command", format, true, name).await.unwrap();
        assert_eq!(done.count, 2);
        let bytes = std::fs::read(&done.file).unwrap();
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert_eq!(done.sha256, content_hash(&bytes));
        assert!(!text.contains(SECRET) && text.contains("••••••"), "{text}");
        assert!(!text.contains('\u{202e}') && text.contains("U+202E") || text.contains("U\\+202E"), "{text}");
        let manifest: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&done.manifest).unwrap()).unwrap();
        assert_eq!(manifest["sha256"], done.sha256.as_str());
        assert_eq!(manifest["decisions"], 2);
        assert_eq!(manifest["filter"]["query"], "kind:command");
        assert_eq!(manifest["filter"]["words"], "commands");
        assert_eq!(manifest["countersign"], "0.0.0");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(&done.file).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
    let table = std::fs::read_to_string(house.folder.path().join("a.csv")).unwrap();
    assert_eq!(table.lines().count() - 1, 2 + 2, "two rows, each with its two lines of arguments: {table}");
    let open = export(&house, "is:rejected", ExportFormat::Jsonl, false, "open.jsonl").await.unwrap();
    let line = std::fs::read_to_string(open.file).unwrap();
    assert!(line.contains(SECRET), "where the person says so, they are there");
    let parsed: serde_json::Value = serde_json::from_str(line.trim()).unwrap();
    assert_eq!((parsed["decision"].as_str(), parsed["reason"].as_str()), (Some("Rejected"), Some("not like that")));
}

#[tokio::test]
async fn an_export_replaces_nothing_and_is_nothing_that_runs() {
    let (house, _) = lived_in().await;
    let folder = house.folder.path();
    std::fs::write(folder.join("mine.csv"), "mine").unwrap();
    for (path, said) in
        [("mine.csv", "already"), ("a.desktop", "has to end in .csv"), ("nowhere/a.csv", "no such folder")]
    {
        let error = export(&house, "", ExportFormat::Csv, true, path).await.unwrap_err();
        assert!(matches!(&error, ApiError::Invalid { message, .. } if message.contains(said)), "{path}: {error:?}");
    }
    assert_eq!(std::fs::read_to_string(folder.join("mine.csv")).unwrap(), "mine");
    let relative = request::export_history {
        query: String::new(),
        format: ExportFormat::Csv,
        masked: true,
        path: "a.csv".to_owned(),
    };
    assert!(house.app.export_history(Space::Main, relative).await.is_err());
    let path = house
        .app
        .export_path(Space::Main, request::export_path { format: ExportFormat::Markdown, what: ExportOf::History })
        .await
        .unwrap();
    assert!(
        path.starts_with(&folder.display().to_string())
            && std::path::Path::new(&path).extension().is_some_and(|end| end == "md"),
        "{path}"
    );
    assert!(export(&house, "is:", ExportFormat::Csv, true, "b.csv").await.is_err(), "a faulty query exports nothing");
    assert!(!folder.join("b.csv").exists());
}

/// A record that was changed shows, with the place; one that was cut off at its end as well.
#[tokio::test]
async fn a_record_that_doesnt_add_up_is_said() {
    let (house, _) = lived_in().await;
    assert_eq!(search(&house, "").await.chain, ChainState::Unchecked);
    let checked = house.app.verify_chain(Space::Main, request::verify_chain {}).await.unwrap();
    let ChainState::Whole { entries, .. } = checked else { panic!("{checked:?}") };
    assert_eq!(search(&house, "").await.chain, checked);
    assert_eq!(house.app.verify_chain(Space::Main, request::verify_chain {}).await.unwrap(), {
        let ChainState::Whole { entries, hash, .. } = checked else { panic!() };
        match search(&house, "").await.chain {
            ChainState::Whole { at, .. } => ChainState::Whole { entries, hash, at },
            other => panic!("{other:?}"),
        }
    });
    // As if somebody had cut the end off since: the file beside the database knows of more.
    let kept = house.folder.path().join("countersign.chain.json");
    std::fs::write(&kept, format!("{{\"entries\":{},\"hash\":\"00\"}}", entries + 3)).unwrap();
    let shorter = house.app.verify_chain(Space::Main, request::verify_chain {}).await.unwrap();
    assert!(matches!(shorter, ChainState::Broken { entry, shorter: true, .. } if entry == entries + 1), "{shorter:?}");
    std::fs::write(&kept, "{\"entries\":4,\"hash\":\"00\"}").unwrap();
    let other = house.app.verify_chain(Space::Main, request::verify_chain {}).await.unwrap();
    assert!(matches!(other, ChainState::Broken { entry: 4, shorter: false, .. }), "{other:?}");
}

/// f.15: the way of a decision as it is stored, and the digest compared with the stored bytes.
#[tokio::test]
async fn surface_39_a_decision_has_its_way_and_its_digest() {
    let (house, set) = lived_in().await;
    let record = async |at: usize| {
        let id = set.rows[at].id.clone();
        house.app.decision_record(Space::Main, request::decision_record { id }).await.unwrap()
    };
    let kinds = |record: &DecisionRecord| record.moments.iter().map(|moment| moment.what).collect::<Vec<_>>();
    let rejected = record(0).await;
    assert_eq!(kinds(&rejected), [MomentKind::Asked, MomentKind::Decided], "it never started");
    assert_eq!((rejected.decision.as_str(), plain(&rejected.by).as_str()), ("Rejected", "you"));
    assert_eq!(rejected.reason.as_ref().map(plain).as_deref(), Some("not like that"));
    let approved = record(1).await;
    assert_eq!(kinds(&approved), [MomentKind::Asked, MomentKind::Decided, MomentKind::Started, MomentKind::Ended]);
    assert!(approved.moments.is_sorted_by_key(|moment| moment.at));
    assert!(approved.matches && rejected.matches && approved.digest.is_some() && approved.digest != rejected.digest);
}

/// f.15: when the person saw it and staged what was sent stands between asking and deciding; what was looked at later doesn't.
#[tokio::test]
async fn what_was_seen_and_staged_is_in_a_decisions_way() {
    let house = House::new([calls(&[("run_command", "{\"command\":\"ls\"}")]), says("Done.")]).await;
    house.set(|settings| settings.grace_ms = Some(0)).await;
    let set = house.ask("Go").await;
    let id = set.rows[0].id.clone();
    let looks = async || {
        let looking = request::looking { window: "main".to_owned(), focused: true, request: Some(id.clone()) };
        house.app.looking(Space::Main, looking).await.unwrap();
    };
    looks().await;
    house.stage_decision(&id, Decision::Approve).await.unwrap();
    house.until("it left", |now| now.sets.is_empty().then_some(())).await;
    house.rest(&set.conversation).await;
    looks().await;
    let record = house.app.decision_record(Space::Main, request::decision_record { id: id.clone() }).await.unwrap();
    let kinds: Vec<MomentKind> = record.moments.iter().map(|moment| moment.what).collect();
    let whole = [
        MomentKind::Asked,
        MomentKind::Seen,
        MomentKind::Staged,
        MomentKind::Decided,
        MomentKind::Started,
        MomentKind::Ended,
    ];
    assert_eq!(kinds, whole);
    assert!(record.moments.is_sorted_by_key(|moment| moment.at));
}

/// N-84: what leaves is said before, and what waits or goes on stays.
#[tokio::test]
async fn n_84_a_span_of_history_goes_and_what_waits_stays() {
    let (house, set) = lived_in().await;
    house.stage.replies.lock().unwrap().push_back(calls(&[("run_command", "{\"command\":\"later\"}")]));
    let waiting = house.ask("Other").await;
    let span = Span { from: 0, to: now().0 + 1_000 };
    let going = house.app.history_going(Space::Main, request::history_going { span }).await.unwrap();
    assert_eq!((going.count, going.more), (2, false));
    assert_eq!(house.app.erase_history(Space::Main, request::erase_history { span }).await.unwrap(), 2);
    let page = search(&house, "").await;
    assert_eq!((page.rows.len(), page.total), (0, 0));
    assert_eq!(found(&house, "force").await, [""; 0]);
    assert!(matches!(house.detail(&waiting.rows[0].id).await.state, DetailState::Open { .. }));
    let checked = house.app.verify_chain(Space::Main, request::verify_chain {}).await.unwrap();
    assert!(matches!(checked, ChainState::Whole { .. }), "{checked:?}");
    let transcript = request::transcript { conversation: set.conversation.clone(), before: None, after: None };
    let transcript = format!("{:?}", house.app.transcript(Space::Main, transcript).await.unwrap());
    assert!(transcript.contains("rejected · you"), "the conversation still says who decided");
}
