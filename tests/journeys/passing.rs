//! A new message while something waits: the person is told first, then it expires, and an answer from a stale place is refused.

use countersign_api::wire::conversation::Send;
use countersign_api::wire::inbox::{Decision, DetailState};
use countersign_api::wire::window::ApiError;

use crate::app::{App, nothing};
use crate::house::{call, calls};

#[tokio::test]
async fn the_conversation_moves_on() {
    let mut app = App::new().await;
    app.script.will([calls(&[call("write", "{}"), call("shell", "{\"command\":\"ls\"}")])]);
    let conversation = app.begin("Go.", None).await;
    let rows = app.rows(&conversation).await;
    let stale = app.decided(&[(&rows[0], Decision::Approve)]).await;

    let text = || Some("Forget it.".to_owned());
    let untold = app.send(Send { text: text(), passes_by: vec![rows[0].clone()], ..nothing(&conversation) }).await;
    let Err(ApiError::WouldPassBy { ids, .. }) = untold else { panic!("{untold:?}") };
    assert_eq!(ids, [rows[1].clone()], "the one that the person wasn't told of is named");
    assert_eq!(app.rows(&conversation).await, rows, "nothing closed");

    app.send(Send { text: text(), passes_by: rows.clone(), ..nothing(&conversation) }).await.unwrap();
    app.quiet(&conversation).await;
    assert_eq!(app.rows(&conversation).await.len(), 0);
    for row in &rows {
        assert!(matches!(app.detail(row).await.state, DetailState::Closed { expired: true, .. }));
    }
    assert_eq!(app.snapshot().await.closed.iter().filter(|row| row.expired).count(), 2);
    let late = app.send(Send { answers: stale, ..nothing(&conversation) }).await;
    assert!(matches!(late, Err(ApiError::ApprovalClosed { .. })), "{late:?}");
    assert_eq!(app.ran().len(), 0);
    let told = format!("{:?}", app.script.last().messages);
    assert!(!told.contains("shell") && told.contains("Forget it."), "for the model it was never called");
}

/// A partly answered set: one is approved, the other goes, and the person was told.
#[tokio::test]
async fn one_of_two_is_answered() {
    let mut app = App::new().await;
    app.script.will([calls(&[call("write", "{\"n\":1}"), call("write", "{\"n\":2}")])]);
    let conversation = app.begin("Go.", None).await;
    let rows = app.rows(&conversation).await;
    let answers = app.decided(&[(&rows[1], Decision::Approve)]).await;
    let untold = app.send(Send { answers: answers.clone(), ..nothing(&conversation) }).await;
    assert!(matches!(untold, Err(ApiError::WouldPassBy { .. })), "{untold:?}");
    let passes_by = vec![rows[0].clone()];
    app.send(Send { answers, passes_by, ..nothing(&conversation) }).await.unwrap();
    app.quiet(&conversation).await;
    assert_eq!(app.ran(), ["write {\"n\":2}"]);
    assert!(matches!(app.detail(&rows[0]).await.state, DetailState::Closed { expired: true, .. }));
}
