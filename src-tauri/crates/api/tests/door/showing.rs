//! What is shown: hostile text as text, the exact arguments, changes while it waits, history with who decided.

use countersign_api::commands::request;
use countersign_api::display::text::plain;
use countersign_api::wire::inbox::{Decision, DetailState, Mode};
use countersign_api::wire::payload::Payload;
use countersign_api::wire::text::{Chip, Piece};
use countersign_api::wire::window::Space;

use crate::house::{House, calls, says};

#[tokio::test]
async fn hidden_characters_are_chips_everywhere() {
    let arguments = "{\"command\":\"echo a\u{202e}b\"}";
    let house = House::new([calls(&[("run_command", arguments)])]).await;
    let set = house.ask("one").await;
    let hidden = |shown: &[Piece]| {
        shown.iter().any(|piece| matches!(piece, Piece::Chip { k: Chip::Hidden | Chip::CutHidden, .. }))
    };
    assert!(hidden(&set.rows[0].target), "in the row");
    let detail = house.detail(&set.rows[0].id).await;
    assert!(hidden(&detail.raw.text), "in the raw text");
    assert_eq!(detail.hidden, 1, "and counted");
    assert_eq!(detail.raw.exact, arguments, "the exact text is there for copying");
    match detail.payload {
        Payload::Command { segments, .. } => assert!(segments[0].words.iter().any(|word| hidden(&word.text))),
        other => panic!("{other:?}"),
    }
}

/// N-94: markup is text.
#[tokio::test]
async fn a_conversation_named_by_markup_is_text() {
    let house = House::new([says("<img src=x onerror=alert(1)>")]).await;
    let start = request::start_conversation {
        agent: house.agent.clone(),
        text: Some("<script>x</script>".to_owned()),
        mode: None,
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
        passes_by: Vec::new(),
    };
    house.send(send).await.unwrap();
    house.rest(&set.conversation).await;
    let page = house.app.history(Space::Main, request::history { before: None }).await.unwrap();
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
    let transcript = request::transcript { conversation: set.conversation.clone(), before: None };
    let transcript = house.app.transcript(Space::Main, transcript).await.unwrap();
    assert!(format!("{transcript:?}").contains("ran, no approval needed"), "the conversation shows the read");
}

#[tokio::test]
async fn a_deleted_conversation_leaves_its_decisions_in_history() {
    let house = House::new([calls(&[("run_command", r#"{"command":"a"}"#)])]).await;
    let set = house.ask("one").await;
    let conversation = set.conversation.clone();
    house.app.delete_conversation(Space::Main, request::delete_conversation { conversation }).await.unwrap();
    let page = house.app.history(Space::Main, request::history { before: None }).await.unwrap();
    assert_eq!((page.rows.len(), page.rows[0].decision.as_str()), (1, "Expired"));
    assert!(
        matches!(house.detail(&set.rows[0].id).await.state, DetailState::Closed { .. }),
        "its detail is still there, closed"
    );
}
