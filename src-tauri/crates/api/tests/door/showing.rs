//! What is shown: hostile text as text, the exact arguments, changes while it waits, history with who decided.

use countersign_api::commands::request;
use countersign_api::display::text::plain;
use countersign_api::wire::conversation::Speaker;
use countersign_api::wire::history::ExportFormat;
use countersign_api::wire::inbox::{Decision, DetailState, Mode};
use countersign_api::wire::payload::Payload;
use countersign_api::wire::text::{Chip, Piece};
use countersign_api::wire::window::Space;

use crate::house::{House, calls, now, says};

#[tokio::test]
async fn accept_12_surface_72_field_l_137_hidden_characters_are_chips_everywhere() {
    let arguments = "{\"command\":\"echo a\u{202e}b\"}";
    let house = House::new([calls(&[("run_command", arguments)])]).await;
    let set = house.ask("one").await;
    let hidden = |shown: &[Piece]| {
        shown.iter().any(|piece| matches!(piece, Piece::Chip { k: Chip::Hidden | Chip::CutHidden, .. }))
    };
    assert!(hidden(&set.rows[0].target), "in the row");
    let detail = house.detail(&set.rows[0].id).await;
    assert!(hidden(&detail.raw.text.head.concat()), "in the raw text");
    assert_eq!(detail.hidden, 1, "and counted");
    assert_eq!(
        detail.raw.exact.as_ref().map(|exact| exact.text.as_str()),
        Some(arguments),
        "the exact text is there for copying"
    );
    match detail.payload {
        Payload::Command { segments, .. } => assert!(segments.head[0].words.iter().any(|word| hidden(&word.text))),
        other => panic!("{other:?}"),
    }
}

/// Covered wherever it is shown, and one press away on the card; in a row nothing is under the cover, and what does something is read.
#[tokio::test]
async fn a_secret_is_covered_on_the_card_and_isnt_in_the_row() {
    let token = "ghp_abcdefghijklmnopqrst0123";
    let command = format!("curl -H \"Authorization: Bearer {token}\" example.com/CASE-12/notes");
    let dangerous = format!("TOKEN={token} rm -rf ../other");
    let arguments = |command: &str| serde_json::json!({ "command": command }).to_string();
    let short = "curl --token 9f8e7d6c x".to_owned();
    let call = [&command, &dangerous, &short].map(|command| ("run_command", arguments(command)));
    let call: Vec<(&str, &str)> = call.iter().map(|(tool, arguments)| (*tool, arguments.as_str())).collect();
    let house = House::new([calls(&call)]).await;
    let set = house.ask("one").await;
    let secrets = |shown: &[Piece]| -> Vec<String> {
        let secret = |piece: &Piece| match piece {
            Piece::Secret { s } => Some(s.clone()),
            Piece::Text { .. } | Piece::Chip { .. } => None,
        };
        shown.iter().filter_map(secret).collect()
    };
    let words = |payload: Payload| match payload {
        Payload::Command { segments, .. } => {
            let words: Vec<_> = segments.head.into_iter().flat_map(|one| one.words).collect();
            words.into_iter().flat_map(|word| word.text).collect::<Vec<Piece>>()
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(plain(&set.rows[2].target), "curl --token •••••• x");
    assert!(!serde_json::to_string(&set.rows).unwrap().contains("ghp_"), "in a row nothing is under the cover");

    let detail = house.detail(&set.rows[0].id).await;
    assert_eq!(secrets(&words(detail.payload)), [token]);
    assert_eq!(secrets(&detail.raw.text.head.concat()), [token]);
    assert!(detail.raw.exact.as_ref().is_some_and(|exact| exact.secret && exact.text.contains(token)));

    let detail = house.detail(&set.rows[1].id).await;
    assert!(plain(&words(detail.payload.clone())).contains("rm -rf"));
    assert_eq!(secrets(&words(detail.payload)), [""; 0], "what is dangerous is shown whole");

    // The person's own patterns count as soon as they are saved, also for what is open.
    let mut settings = house.snapshot().await.settings;
    settings.masks = vec!["CASE-[0-9]+".to_owned()];
    house.app.save_settings(Space::Main, request::save_settings { settings: settings.clone() }).await.unwrap();
    assert_eq!(secrets(&words(house.detail(&set.rows[0].id).await.payload)), [token, "CASE-12"]);
    settings.masks.clear();
    house.app.save_settings(Space::Main, request::save_settings { settings }).await.unwrap();
    assert_eq!(secrets(&words(house.detail(&set.rows[0].id).await.payload)), [token]);
}

/// What the model got is cut, and the person can see all of it, part by part: after a restart too, and until the conversation goes.
#[tokio::test]
async fn all_of_what_a_call_gave_can_be_seen() {
    let house = House::new([calls(&[("run_command", r#"{"command":"ls"}"#)]), says("done")]).await;
    let all = "ä\u{202e}line\n".repeat(20_000);
    *house.stage.result.lock().unwrap() = Some("ä\n… 179,000 bytes left out …\n".to_owned());
    *house.stage.whole.lock().unwrap() = Some(all.clone());
    let set = house.ask("one").await;
    let id = set.rows[0].id.clone();
    house.answer(&set, &[(0, Decision::Approve)]).await.unwrap();
    house.rest(&set.conversation).await;
    let told = format!("{:?}", house.stage.prompts.lock().unwrap().last().unwrap().messages);
    assert!(told.contains("bytes left out") && !told.contains("line"), "the model has the cut result only");
    let house = house.restart().await;
    let DetailState::Closed { whole: Some(bytes), .. } = house.detail(&id).await.state else { panic!("there is more") };
    assert_eq!(usize::try_from(bytes).unwrap(), all.len());
    let part = |part| {
        let id = id.clone();
        house.app.result_part(Space::Main, request::result_part { id, part })
    };
    let first = part(0).await.unwrap();
    let mut shown = String::new();
    for at in 0..u32::try_from(first.parts).unwrap() {
        let one = part(at).await.unwrap();
        assert!(
            one.text.iter().any(|piece| matches!(piece, Piece::Chip { k: Chip::Hidden, .. })),
            "shown, not sent raw"
        );
        shown.push_str(&plain(&one.text));
    }
    assert_eq!(shown.matches("line").count(), 20_000);
    assert!(first.parts > 2 && part(u32::try_from(first.parts).unwrap()).await.is_err());
    let conversation = set.conversation.clone();
    house.app.delete_conversation(Space::Main, request::delete_conversation { conversation }).await.unwrap();
    assert!(part(0).await.is_ok_and(|part| part.parts == 1), "what is left is the result that history has");
}

/// A result that the model got whole is cut on the card only.
#[tokio::test]
async fn a_long_result_is_shown_in_parts() {
    let house = House::new([calls(&[("run_command", r#"{"command":"ls"}"#)]), says("done")]).await;
    *house.stage.result.lock().unwrap() = Some("x".repeat(150_000));
    let set = house.ask("one").await;
    let id = set.rows[0].id.clone();
    house.answer(&set, &[(0, Decision::Approve)]).await.unwrap();
    house.rest(&set.conversation).await;
    let DetailState::Closed { whole, .. } = house.detail(&id).await.state else { panic!("it ran") };
    assert_eq!(whole, Some(150_000));
    let last = house.app.result_part(Space::Main, request::result_part { id: id.clone(), part: 2 }).await.unwrap();
    assert_eq!((last.parts, plain(&last.text).len()), (3, 150_000 - 2 * 65_536));
    let none = house.app.result_part(Space::Main, request::result_part { id, part: 3 }).await;
    assert!(none.is_err());
}

/// N-94: markup is text.
#[tokio::test]
async fn accept_13_a_conversation_named_by_markup_is_text() {
    let house = House::new([says("<img src=x onerror=alert(1)>")]).await;
    let start = request::start_conversation {
        agent: house.agent.clone(),
        text: Some("<script>x</script>".to_owned()),
        mode: None,
        auto_until: None,
    };
    let row = house.app.start_conversation(Space::Main, start).await.unwrap();
    house.rest(&row.id).await;
    assert_eq!(plain(&row.title), "<script>x</script>");
}

/// D-85: the card says that the file changed meanwhile.
#[tokio::test]
async fn a_file_that_changed_since_it_was_asked_is_said_on_the_card() {
    let house = House::new([calls(&[("write_file", r#"{"path":"a","content":"new\n"}"#)])]).await;
    *house.stage.file.lock().unwrap() = "old\n".to_owned();
    let set = house.ask("one").await;
    let id = set.rows[0].id.clone();
    assert!(matches!(house.detail(&id).await.state, DetailState::Open { changed: false, .. }));
    *house.stage.file.lock().unwrap() = "somebody else\n".to_owned();
    let detail = house.detail(&id).await;
    assert!(matches!(detail.state, DetailState::Open { changed: true, .. }));
    match detail.payload {
        Payload::Diff { added, removed, .. } => assert_eq!((added, removed), (1, 1), "against the content of ask time"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn history_has_every_decision_with_who_made_it() {
    let house = House::new([
        calls(&[("read_file", r#"{"path":"a"}"#)]),
        calls(&[("run_command", r#"{"command":"a"}"#), ("run_command", r#"{"command":"b"}"#)]),
        says("done"),
    ])
    .await;
    let set = house.ask("one").await;
    let no = Decision::Reject { reason: Some("not that".to_owned()) };
    house.answer(&set, &[(0, Decision::Approve), (1, no)]).await.unwrap();
    house.rest(&set.conversation).await;
    house.stage.replies.lock().unwrap().push_back(calls(&[("run_command", r#"{"command":"c"}"#)]));
    let send = countersign_api::wire::conversation::Send {
        conversation: set.conversation.clone(),
        answers: Vec::new(),
        text: Some("more".to_owned()),
        mode: Some(Mode::Auto),
        auto_until: None,
        passes_by: Vec::new(),
    };
    house.send(send).await.unwrap();
    house.rest(&set.conversation).await;
    let page = house.app.history(Space::Main, request::history { before: None, query: String::new() }).await.unwrap();
    let rows: Vec<(String, String, String)> =
        page.rows.iter().map(|row| (row.decision.clone(), plain(&row.by), row.outcome.clone())).collect();
    let row = |decision: &str, by: &str, outcome: &str| (decision.to_owned(), by.to_owned(), outcome.to_owned());
    assert_eq!(
        rows,
        [row("Ran", "Auto", "ran ok"), row("Rejected", "you", "“not that”"), row("Approved", "you", "ran ok"),],
        "newest first; a read that needs no approval is no decision"
    );
    assert_eq!(page.total, 3);
    assert!(page.rows[0].took_ms.is_none() && page.rows[1].took_ms.is_some());
    let transcript = request::transcript { conversation: set.conversation.clone(), before: None, after: None };
    let transcript = house.app.transcript(Space::Main, transcript).await.unwrap();
    assert!(format!("{transcript:?}").contains("ran, no approval needed"), "the conversation shows the read");
}

#[tokio::test]
async fn accept_05_a_deleted_conversation_leaves_its_decisions_in_history() {
    let house = House::new([calls(&[("run_command", r#"{"command":"a"}"#)])]).await;
    let set = house.ask("one").await;
    let conversation = set.conversation.clone();
    house.app.delete_conversation(Space::Main, request::delete_conversation { conversation }).await.unwrap();
    let page = house.app.history(Space::Main, request::history { before: None, query: String::new() }).await.unwrap();
    assert_eq!((page.rows.len(), page.rows[0].decision.as_str()), (1, "Expired"));
    assert!(
        matches!(house.detail(&set.rows[0].id).await.state, DetailState::Closed { .. }),
        "its detail is still there, closed"
    );
}

/// (f.9): words that were said are found in all of a conversation, and shown as text.
#[tokio::test]
async fn words_that_were_said_are_found_from_the_newest_on() {
    let house = House::new([says("The <b>Release</b> is\u{202e} on Thursday.")]).await;
    let agent = house.agent.clone();
    let text = Some("When is the release?".to_owned());
    let start = request::start_conversation { agent, text, mode: None, auto_until: None };
    let conversation = house.app.start_conversation(Space::Main, start).await.unwrap().id;
    house.rest(&conversation).await;
    let find = |text: &str| {
        let request = request::find_words { conversation: conversation.clone(), text: text.to_owned() };
        house.app.find_words(Space::Main, request)
    };
    let found = find("RELEASE").await.unwrap();
    let said: Vec<_> = found.places.iter().map(|place| (place.speaker, plain(&place.excerpt))).collect();
    assert_eq!(
        said,
        [
            (Speaker::Agent, "The <b>Release</b> is⟨U+202E right-to-left override⟩ on Thursday.".to_owned()),
            (Speaker::Person, "When is the release?".to_owned())
        ]
    );
    assert!(!found.more);
    assert!(find("friday").await.unwrap().places.is_empty());
    assert!(find("  ").await.unwrap().places.is_empty());
}

/// A conversation leaves as it is displayed: in order, hidden characters visible, secrets masked, no fence closed from inside.
#[tokio::test]
async fn a_conversation_is_exported_as_it_is_displayed() {
    let token = "ghp_abcdefghijklmnopqrst0123";
    let call = calls(&[("run_command", format!("{{\"command\":\"echo {token} \u{202e}\"}}").as_str())]);
    let house = House::new([call, says("```\nnot the end")]).await;
    let set = house.ask("Please echo.").await;
    house.answer(&set, &[(0, Decision::Approve)]).await.unwrap();
    house.rest(&set.conversation).await;
    let export = |format: ExportFormat, name: &str, masked: bool| {
        let path = house.folder.path().join(name).display().to_string();
        let request = request::export_conversation { conversation: set.conversation.clone(), format, masked, path };
        house.app.export_conversation(Space::Main, request)
    };
    let done = export(ExportFormat::Markdown, "said.md", true).await.unwrap();
    let text = std::fs::read_to_string(&done.file).unwrap();
    assert_eq!(done.sha256, countersign_core::digest::content_hash(text.as_bytes()));
    assert!(std::fs::read_to_string(&done.manifest).unwrap().contains(&done.sha256));
    assert!(!text.contains(token) && text.contains("••••••"), "{text}");
    assert!(text.contains("U+202E") && !text.contains('\u{202e}'), "{text}");
    assert!(text.contains("\n````\n```\nnot the end\n````\n"), "{text}");
    assert!(text.find("Please echo.").unwrap() < text.find("not the end").unwrap());
    assert!(text.contains("\nResult:\n"), "what came of the call stands there, too: {text}");
    let lines = export(ExportFormat::Jsonl, "said.jsonl", false).await.unwrap();
    let first: Vec<serde_json::Value> =
        std::fs::read_to_string(&lines.file).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(first[0]["who"], "you");
    assert!(first[1]["calls"][0]["arguments"].as_str().unwrap().contains(token), "unmasked, if that is wanted");
    assert!(export(ExportFormat::Markdown, "said.md", true).await.is_err(), "no file is replaced");
    assert!(export(ExportFormat::Csv, "said.csv", true).await.is_err());
}

/// P16: a long conversation is read in pages, in both directions, and around a place without what lies between.
#[tokio::test]
async fn a_long_conversation_is_read_in_pages_both_ways() {
    let house = House::new([]).await;
    let (agent, text) = (house.agent.clone(), Some("0".to_owned()));
    let request = request::start_conversation { agent, text, mode: None, auto_until: None };
    let id = house.app.start_conversation(Space::Main, request).await.unwrap().id;
    house.rest(&id).await;
    for at in 1..130 {
        let (answers, passes_by) = (Vec::new(), Vec::new());
        let (conversation, text) = (id.clone(), Some(at.to_string()));
        let send = countersign_api::wire::conversation::Send {
            conversation,
            answers,
            text,
            mode: None,
            auto_until: None,
            passes_by,
        };
        house.send(send).await.unwrap();
        house.rest(&id).await;
    }
    // It is written part by part: nothing is missing at a border, and the hash is that of all of it.
    let path = house.folder.path().join("long.jsonl");
    let (conversation, to) = (id.clone(), path.display().to_string());
    let export = request::export_conversation { conversation, format: ExportFormat::Jsonl, masked: true, path: to };
    let done = house.app.export_conversation(Space::Main, export).await.unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(done.sha256, countersign_core::digest::content_hash(text.as_bytes()));
    let said: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(said.len(), usize::try_from(done.count).unwrap());
    let mine = said.iter().filter(|line| line["who"] == "you").map(|line| line["text"].as_str().unwrap().to_owned());
    assert!(mine.eq((0..130).map(|at| at.to_string())), "oldest first, each once");

    let page = async |before: Option<i64>, after: Option<i64>| {
        let request = request::transcript { conversation: id.clone(), before, after };
        let page = house.app.transcript(Space::Main, request).await.unwrap();
        let seqs: Vec<i64> = page.entries.iter().map(|entry| entry.seq).collect();
        (seqs, page.older, page.newer)
    };
    assert_eq!(page(None, None).await, ((161..=260).collect(), Some(161), None));
    assert_eq!(page(Some(161), None).await, ((61..=160).collect(), Some(61), Some(160)));
    assert_eq!(page(Some(61), None).await, ((1..=60).collect(), None, Some(60)));
    assert_eq!(page(None, Some(60)).await, ((61..=160).collect(), Some(61), Some(160)));
    assert_eq!(page(None, Some(160)).await, ((161..=260).collect(), Some(161), None));
    assert_eq!(page(None, Some(260)).await, (Vec::new(), None, None));
    // Around a place: up to it, and behind it.
    assert_eq!(page(Some(31), None).await, ((1..=30).collect(), None, Some(30)));
    assert_eq!(page(None, Some(30)).await.0, (31..=130).collect::<Vec<_>>());
}

/// (f.9): what was called is found too, by its tool, its arguments as displayed and the beginning of its result.
#[tokio::test]
async fn calls_are_found_by_tool_arguments_and_result() {
    let call = calls(&[("run_command", r#"{"command":"cargo nextest\nrun","note":"with \u202e care"}"#)]);
    let house = House::new([call, says("All of it passes.")]).await;
    *house.stage.result.lock().unwrap() = Some("Summary: 412 tests run".to_owned());
    let set = house.ask("Test it.").await;
    house.answer(&set, &[(0, Decision::Approve)]).await.unwrap();
    house.rest(&set.conversation).await;
    let find = async |text: &str| {
        let request = request::find_words { conversation: set.conversation.clone(), text: text.to_owned() };
        let found = house.app.find_words(Space::Main, request).await.unwrap();
        found.places.into_iter().map(|one| (one.seq, one.speaker, one.call.is_some(), plain(&one.excerpt))).collect()
    };
    let call = |text: &str| vec![(2, Speaker::Call, true, text.to_owned())];
    let found: Vec<_> = find("NEXTEST").await;
    assert!(found.len() == 1 && found[0].1 == Speaker::Call && found[0].3.contains("cargo nextest"), "{found:?}");
    assert_eq!(find("with ⟨").await, call("Run a command · note: with ⟨U+202E right-to-left override⟩ care"));
    assert_eq!(find("412 tests").await, call("Run a command · Summary: 412 tests run"));
    assert_eq!(find("run_comm").await, call("Run a command · run_command"));
    let found: Vec<_> = find("passes").await;
    assert_eq!(found.into_iter().map(|one| one.1).collect::<Vec<_>>(), [Speaker::Agent]);
}

/// (f.9): the conversations in which words were said, whatever they are called, each with its newest place.
#[tokio::test]
async fn conversations_are_found_by_words_that_were_said() {
    let house = House::new([says("The ÜBERSICHT is 100% done."), says("Done."), says("Nothing.")]).await;
    let mut ids = Vec::new();
    for text in ["Make the overview.", "Is the overview done?", "Something else"] {
        let (agent, text) = (house.agent.clone(), Some(text.to_owned()));
        let request = request::start_conversation { agent, text, mode: None, auto_until: None };
        let id = house.app.start_conversation(Space::Main, request).await.unwrap().id;
        house.rest(&id).await;
        let request = request::rename { conversation: id.clone(), title: "Named".to_owned() };
        house.app.rename(Space::Main, request).await.unwrap();
        ids.push(id);
    }
    let find = async |text: &str| {
        let request = request::find_conversations { text: text.to_owned() };
        let found = house.app.find_conversations(Space::Main, request).await.unwrap().found;
        found.into_iter().map(|one| (one.conversation, one.place.seq, plain(&one.place.excerpt))).collect::<Vec<_>>()
    };
    assert_eq!(
        find("OVERVIEW").await,
        [(ids[1].clone(), 1, "Is the overview done?".to_owned()), (ids[0].clone(), 1, "Make the overview.".to_owned())]
    );
    let german = (ids[0].clone(), 2, "The ÜBERSICHT is 100% done.".to_owned());
    assert_eq!(find("übersicht 100%").await, std::slice::from_ref(&german));
    assert_eq!(find("100%").await, [german], "a sign of patterns is itself");
    assert_eq!(find("overview done").await.len(), 1, "all of them in one message");
    assert!(find("named").await.is_empty() && find(" ").await.is_empty());
    let request = request::delete_conversation { conversation: ids[1].clone() };
    house.app.delete_conversation(Space::Main, request).await.unwrap();
    assert_eq!(find("overview").await.len(), 1, "what was deleted isn't found");
}

/// D-54: a call that may or may not have happened says so, so that the person can tell its agent.
#[tokio::test]
async fn a_call_in_doubt_says_so() {
    use countersign_core::call::{CallState, Settled};
    use countersign_core::change::Change;
    let house = House::new([calls(&[("run_command", r#"{"command":"ls"}"#)])]).await;
    let set = house.ask("one").await;
    let id = set.rows[0].id.clone();
    let in_doubt = async |house: &House| match house.detail(&id).await.state {
        DetailState::Closed { in_doubt, label, .. } => (in_doubt, label),
        other => panic!("{other:?}"),
    };
    house
        .beside(&set.conversation, |head| {
            let call = head.calls.values().find(|call| matches!(call.state, CallState::Waiting(_))).unwrap().id;
            vec![Change::CallSettled { call, settled: Settled::OutcomeUnknown, result: None, left: None, at: now() }]
        })
        .await;
    assert!(in_doubt(&house).await.0);
    let closed = house.snapshot().await.closed;
    assert!(closed.iter().all(|row| row.unknown == (row.id == id)), "and its row says so by a field: {closed:?}");
    let conversation = set.conversation.clone();
    house.app.delete_conversation(Space::Main, request::delete_conversation { conversation }).await.unwrap();
    assert!(!in_doubt(&house).await.0, "nobody is left to be told");
}
