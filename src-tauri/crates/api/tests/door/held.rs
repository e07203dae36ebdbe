//! What a server asks in the middle of its call (D-86): shown in hostile words made harmless, staged and sent like every answer,
//! in place while the run goes on, and findable afterwards.

use countersign_api::commands::request;
use countersign_api::wire::conversation::{ConversationState, EntryBody, Send, SentAnswer};
use countersign_api::wire::inbox::{Decision, DetailState, RowKind, Sending, SetCard};
use countersign_api::wire::payload::Payload;
use countersign_api::wire::settings::Settings;
use countersign_api::wire::text::Piece;
use countersign_api::wire::window::{ApiError, FeedWhat, Space};

use countersign_store::record::Record;

use crate::house::{House, SERVER, Told, calls, next_event, says};

const CALL: (&str, &str) = ("close_ticket", r#"{"id":"1234"}"#);

async fn grace(house: &House, grace_ms: Option<i64>) {
    let settings = Settings { grace_ms, ..Settings::default() };
    house.app.save_settings(Space::Main, request::save_settings { settings }).await.unwrap();
}

fn answer(value: &str) -> Decision {
    Decision::Answer { value: value.to_owned() }
}

fn plain(shown: &[Piece]) -> String {
    format!("{shown:?}")
}

/// A server waits, and nothing leaves by itself.
async fn asked() -> (House, SetCard) {
    let house = House::new([calls(&[CALL]), says("thanks")]).await;
    grace(&house, None).await;
    let set = house.asked_by_server().await;
    (house, set)
}

async fn state(house: &House, conversation: &str) -> ConversationState {
    let snapshot = house.snapshot().await;
    snapshot.conversations.into_iter().find(|row| row.id == conversation).unwrap().state
}

/// D-86, D-77: its own set, its own card, in the server's words with what they hide on chips; the run goes on meanwhile.
#[tokio::test]
async fn its_card_says_who_waits_and_what_for() {
    let (house, set) = asked().await;
    let row = &set.rows[0];
    assert_eq!((set.id.as_str(), set.rows.len(), row.kind), (row.id.as_str(), 1, RowKind::Question));
    assert_ne!(set.id, set.conversation, "it is a set of its own");
    assert!(matches!(state(&house, &set.conversation).await, ConversationState::Running { .. }));
    let holder = plain(row.held_by.as_ref().unwrap());
    assert!(holder.contains("Chip") && holder.contains("help"), "hostile names are displayed text: {holder}");
    let detail = house.detail(&row.id).await;
    assert_eq!((detail.hidden, detail.kind), (1, RowKind::Question), "its message has a hidden character");
    assert!(detail.held_by.is_some() && detail.answer.is_none());
    assert!(detail.reaches.is_empty() && detail.facts.is_empty());
    match &detail.payload {
        Payload::Question { question, fields, tool, others } => {
            assert!(plain(question.as_ref().unwrap()).contains("Which ticket,"));
            assert_eq!((fields[0].key.as_str(), fields[0].secret), ("ticket", false));
            assert!(fields[1].secret, "a title that looks like a secret is enough to mask it");
            assert!(plain(tool).contains("help"), "answers go to the server");
            assert!(others.head.is_empty());
        }
        other => panic!("{other:?}"),
    }
    let waiting = house.snapshot().await.conversations.iter().map(|row| row.waiting).sum::<u32>();
    assert_eq!(waiting, 1);
}

/// D-87: a server is called what the person calls it, also in what it asked before; one that is gone is said to be.
#[tokio::test]
async fn a_server_has_the_name_that_the_person_gave_it() {
    let (house, set) = asked().await;
    house.serve("Support").await;
    let row = house.set_of(&set.conversation).await.rows.remove(0);
    assert_eq!(row.held_by, Some(vec![Piece::Text { s: "Support".to_owned() }]));
    house.record(Record::ServerDeleted { server: SERVER }).await;
    let gone = house.detail(&row.id).await;
    assert_eq!(gone.held_by, Some(vec![Piece::Text { s: "a removed server".to_owned() }]));
}

/// D-50, D-86: staged like every answer, checked, and sent in place: the run that waits goes on and ends.
#[tokio::test]
async fn an_answer_is_staged_and_sent_in_place() {
    let (house, set) = asked().await;
    let id = set.rows[0].id.clone();
    for wrong in [Decision::Approve, Decision::ApproveWithNote { note: "x".to_owned(), tell: false }] {
        assert!(matches!(house.stage_decision(&id, wrong).await, Err(ApiError::Refused { .. })));
    }
    match house.stage_decision(&id, answer(r#"{"ticket":0}"#)).await {
        Err(ApiError::InvalidAnswer { faults, .. }) => assert_eq!(faults[0].field, "ticket"),
        other => panic!("{other:?}"),
    }
    let stale = request::stage { id: id.clone(), decision: answer(r#"{"ticket":7}"#), digest: "0".repeat(64) };
    assert!(matches!(house.app.stage(Space::Main, stale).await, Err(ApiError::DigestMismatch { .. })));
    house.stage_decision(&id, answer(r#"{"ticket":"7","note":"hunter2"}"#)).await.unwrap();
    let staged = house.set_of(&set.conversation).await;
    assert!(staged.rows[0].draft.is_some() && staged.grace.is_none());
    house.answer(&staged, &[(0, answer(r#"{"ticket":"7","note":"hunter2"}"#))]).await.unwrap();
    house.rest(&set.conversation).await;
    assert!(house.last_prompt().contains(r#"Data(\"{\\\"ticket\\\":7"#), "{}", house.last_prompt());
    assert_eq!(house.ran().len(), 1, "its call ran once");
    let again = house.answer_late(&set, &id).await;
    assert!(matches!(again, Err(ApiError::ApprovalClosed { closed, .. }) if closed[0].label == "Already answered"));
    let detail = house.detail(&id).await;
    assert_eq!(detail.answer.as_deref(), Some(r#"{"ticket":7,"note":"hunter2"}"#), "what the server got");
    assert!(matches!(detail.state, DetailState::Closed { label, expired: false, .. } if label == "Answered by you"));
}

/// D-86: its own grace, which nothing else of its conversation starts or stops.
#[tokio::test]
async fn it_leaves_by_itself_after_its_own_grace() {
    let house = House::new([calls(&[CALL]), says("thanks")]).await;
    grace(&house, Some(300)).await;
    let set = house.asked_by_server().await;
    house.stage_decision(&set.rows[0].id, Decision::Reject { reason: None }).await.unwrap();
    assert!(house.set_of(&set.conversation).await.grace.is_some(), "it is whole by itself");
    house.until("it left", |snapshot| snapshot.sets.is_empty().then_some(())).await;
    house.rest(&set.conversation).await;
    assert!(house.last_prompt().contains("Declined"), "{}", house.last_prompt());
}

/// D-86: undo, and what is staged of it when the server stops is gone with it.
#[tokio::test]
async fn accept_05_surface_05_undo_takes_it_back_and_a_server_that_stops_takes_all_of_it() {
    let house = House::new([calls(&[CALL]), says("thanks")]).await;
    grace(&house, Some(10_000)).await;
    let set = house.asked_by_server().await;
    let id = set.rows[0].id.clone();
    house.stage_decision(&id, answer(r#"{"ticket":7}"#)).await.unwrap();
    house.app.unstage(Space::Main, request::unstage { id: id.clone() }).await.unwrap();
    let undone = house.set_of(&set.conversation).await;
    assert_eq!((undone.grace, undone.rows[0].draft.clone()), (None, None));
    house.stage_decision(&id, answer(r#"{"ticket":7}"#)).await.unwrap();
    let mut feed = house.app.subscribe();
    house.stage.server_stops.notify_one();
    let gone = next_event(&mut feed, |what| match what {
        FeedWhat::Set { id, set: None } => Some(id.clone()),
        _ => None,
    });
    assert_eq!(gone.await, id, "the set goes by its own name");
    house.rest(&set.conversation).await;
    let closed = house.snapshot().await.closed;
    assert_eq!((closed[0].id.as_str(), closed[0].expired), (id.as_str(), true));
    assert_eq!(closed[0].label, "Withdrawn: the server stopped waiting");
    let staged = house.stage_late(&id).await;
    assert!(matches!(staged, Err(ApiError::ApprovalClosed { .. })), "{staged:?}");
    assert!(house.last_prompt().contains("the server stopped"));
}

/// D-08, D-83, D-86: beside it a background agent asks. That answer waits for the run; this one doesn't, in either order, and
/// sending one says nothing about the other.
#[tokio::test]
async fn it_is_held_back_by_nothing_and_holds_nothing_back() {
    let house = House::new([calls(&[("scout", r#"{"task":"Look."}"#), CALL]), says("thanks"), says("and done")]).await;
    let below = vec![calls(&[("run_command", r#"{"command":"ls"}"#)]), says("looked")];
    crate::agents::staff(&house, &[("Scout", below)]).await;
    grace(&house, None).await;
    house.serve("helpdesk").await;
    let first = house.ask("Go.").await;
    let conversation = first.conversation.clone();
    let both = house
        .until("both ask", |snapshot| {
            let mut sets: Vec<SetCard> =
                snapshot.sets.iter().filter(|set| set.conversation == conversation).cloned().collect();
            sets.sort_by_key(|set| set.id != set.conversation);
            (sets.len() == 2).then_some(sets)
        })
        .await;
    let (own, held) = (&both[0], &both[1]);
    assert!(own.rows[0].beside && own.rows[0].held_by.is_none() && held.rows[0].held_by.is_some());
    house.answer(own, &[(0, Decision::Approve)]).await.unwrap();
    let queued = house.until("it waits", |snapshot| {
        let set = snapshot.sets.iter().find(|set| set.id == own.id)?;
        (set.sending == Sending::Queued).then(|| set.clone())
    });
    assert!(queued.await.rows[0].queued);
    let still = house.snapshot().await.sets.into_iter().find(|set| set.id == held.id).unwrap();
    assert_eq!((still.sending, still.rows[0].queued), (Sending::Idle, false), "it doesn't wait for the run");
    house.answer(held, &[(0, answer(r#"{"ticket":7}"#))]).await.unwrap();
    house.until("both are done", |snapshot| snapshot.sets.is_empty().then_some(())).await;
    house.rest(&conversation).await;
    let ran = house.ran();
    assert!(ran.iter().any(|one| one.starts_with("run_command")), "what was queued started its run: {ran:?}");
}

/// D-86: words to the run leave it open, a stop doesn't.
#[tokio::test]
async fn words_leave_it_and_a_stop_takes_it() {
    let (house, set) = asked().await;
    let conversation = set.conversation.clone();
    let steer = request::steer { conversation: conversation.clone(), text: "Quickly.".to_owned() };
    house.app.steer(Space::Main, steer).await.unwrap();
    assert_eq!(house.set_of(&conversation).await.id, set.id);
    house.app.stop(Space::Main, request::stop { conversation: conversation.clone() }).await.unwrap();
    house.rest(&conversation).await;
    assert!(house.snapshot().await.sets.is_empty());
    assert_eq!(house.snapshot().await.closed[0].id, set.id);
}

/// D-54, D-86: quitting withdraws it; what was staged isn't sent by itself, and history says what became of it.
#[tokio::test]
async fn a_restart_withdraws_it() {
    let (house, set) = asked().await;
    house.stage_decision(&set.rows[0].id, answer(r#"{"ticket":7}"#)).await.unwrap();
    let house = house.restart().await;
    let snapshot = house.snapshot().await;
    assert!(snapshot.sets.is_empty(), "nobody waits any more");
    let page = house.app.history(Space::Main, request::history { before: None, query: String::new() }).await.unwrap();
    let row = page.rows.iter().find(|row| row.id == set.id).unwrap();
    assert_eq!((row.decision.as_str(), row.took_ms), ("Withdrawn", None));
    let detail = house.detail(&set.id).await;
    assert!(matches!(detail.state, DetailState::Closed { expired: false, .. }) && detail.answer.is_none());
    let line = asked_lines(&house, &set.conversation).await;
    assert_eq!(line, [(set.id.clone(), "withdrawn: the server stopped waiting".to_owned())]);
}

async fn asked_lines(house: &House, conversation: &str) -> Vec<(String, String)> {
    let request = request::transcript { conversation: conversation.to_owned(), before: None, after: None };
    let transcript = house.app.transcript(Space::Main, request).await.unwrap();
    let calls = transcript.entries.into_iter().flat_map(|entry| match entry.body {
        EntryBody::Assistant { calls, .. } => calls,
        EntryBody::User { .. } | EntryBody::Agent { .. } => Vec::new(),
    });
    calls.flat_map(|call| call.asked).map(|line| (line.request, line.words)).collect()
}

/// N-57, D-86: who answered and when is in history and beside its call; the values are in its card alone.
#[tokio::test]
async fn it_is_found_again_in_history_and_beside_its_call() {
    let (house, set) = asked().await;
    assert_eq!(asked_lines(&house, &set.conversation).await, [(set.id.clone(), "waits for you".to_owned())]);
    house.answer(&set, &[(0, answer(r#"{"ticket":4711}"#))]).await.unwrap();
    house.rest(&set.conversation).await;
    let page = house.app.history(Space::Main, request::history { before: None, query: String::new() }).await.unwrap();
    let row = page.rows.iter().find(|row| row.id == set.id).unwrap();
    assert_eq!((row.decision.as_str(), row.by.clone()), ("Answered", vec![Piece::Text { s: "you".to_owned() }]));
    assert!(row.took_ms.is_some() && !format!("{page:?}").contains("4711"), "never the values");
    assert_eq!(page.total, 1, "a call that needs no approval is no decision, and this is one");
    assert_eq!(asked_lines(&house, &set.conversation).await, [(set.id.clone(), "answered · you".to_owned())]);
}

/// It is told like every other request, but not in the server's words, and taken away with it.
#[tokio::test]
async fn it_is_told_and_the_notice_goes_with_it() {
    let (house, set) = asked().await;
    let shown = |told: &[Told]| {
        told.iter().find_map(|one| match one {
            Told::Shown(notice) => Some(notice.clone()),
            Told::Withdrawn(_) | Told::Rung(_) => None,
        })
    };
    house.until_told("it is shown", |told| shown(told).is_some()).await;
    let notice = shown(&house.told()).unwrap();
    assert_eq!(notice.title, "Close it. asks for input");
    assert_eq!(
        (notice.opens.to_string(), notice.offers),
        (set.id.clone(), Vec::new()),
        "nothing is declined from there"
    );
    assert_eq!(notice.body, "Open it to see the question");
    house.stage.server_stops.notify_one();
    house.until_told("it is taken away", |told| matches!(told.last(), Some(Told::Withdrawn(_)))).await;
}

impl House {
    /// Sends an answer to something whose digest nobody is shown any more.
    async fn answer_late(&self, set: &SetCard, id: &str) -> Result<(), ApiError> {
        let (request, decision) = (id.to_owned(), answer(r#"{"ticket":7}"#));
        let answers = vec![SentAnswer { request, digest: "0".repeat(64), decision }];
        let conversation = set.conversation.clone();
        self.send(Send { conversation, answers, text: None, mode: None, auto_until: None, passes_by: Vec::new() }).await
    }

    async fn stage_late(&self, id: &str) -> Result<(), ApiError> {
        let (id, digest) = (id.to_owned(), "0".repeat(64));
        self.app.stage(Space::Main, request::stage { id, decision: answer(r#"{"ticket":7}"#), digest }).await
    }
}
