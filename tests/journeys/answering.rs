//! Ask, answer, go on; with a restart between; sets; standing approvals.

use countersign_api::commands::request;
use countersign_api::wire::conversation::Send;
use countersign_api::wire::inbox::{Decision, DetailState, Reach};
use countersign_api::wire::window::{ApiError, Space};

use crate::app::{App, nothing};
use crate::house::{call, calls};

fn reject(reason: &str) -> Decision {
    Decision::Reject { reason: Some(reason.to_owned()) }
}

#[tokio::test]
async fn ask_answer_go_on() {
    let mut app = App::new().await;
    app.script.will([calls(&[call("write", "{\"path\": \"a.txt\"}")])]);
    let conversation = app.begin("Write it.", None).await;
    let rows = app.rows(&conversation).await;
    assert_eq!((rows.len(), app.ran().len()), (1, 0));
    assert_eq!(app.countersign.waiting().await, 1);
    let detail = app.detail(&rows[0]).await;
    assert!(matches!(detail.state, DetailState::Open { .. }));
    assert_eq!(app.board.notice(&conversation).await.opens.to_string(), rows[0], "the notice opens that request");
    app.answer(&conversation, &[(&rows[0], Decision::Approve)]).await;
    assert_eq!(app.ran(), ["write {\"path\": \"a.txt\"}"], "the exact text that was shown");
    assert_eq!(app.script.calls(), 2);
    assert_eq!(app.countersign.waiting().await, 0);
    assert!(matches!(app.detail(&rows[0]).await.state, DetailState::Closed { expired: false, .. }));
    assert_eq!(app.history().await.rows.len(), 1);
    app.board.gone(&conversation).await;
}

/// The app is quit between ask and answer: everything is there again, with the same ids, and answering works.
#[tokio::test]
async fn a_restart_between() {
    let mut app = App::new().await;
    app.script.will([calls(&[call("write", "{\"n\":1}"), call("read", "{}"), call("write", "{\"n\":2}")])]);
    let conversation = app.begin("Write both.", None).await;
    let before = app.set(&conversation).await.unwrap();
    let mut app = app.again().await;
    let after = app.set(&conversation).await.unwrap();
    assert_eq!(format!("{:?}", after.rows), format!("{:?}", before.rows));
    assert_eq!(after.held.len(), 1);
    assert_eq!(app.script.calls() + app.ran().len(), 0, "nothing runs by itself");
    let [one, two] = &after.rows[..] else { panic!("two rows were expected") };
    app.answer(&conversation, &[(&one.id, Decision::Approve), (&two.id, reject("once is enough"))]).await;
    assert_eq!(app.ran(), ["write {\"n\":1}", "read {}"]);
    let told = format!("{:?}", app.script.last().messages);
    assert!(told.contains("once is enough"));
}

/// Approved for the conversation: the next call runs, counted; another conversation asks; revoked, it asks again.
#[tokio::test]
async fn approved_for_the_conversation() {
    for (reach, covered) in [(Reach::Exact, "{\"b\": 2, \"a\": 1}"), (Reach::Tool, "{\"other\": true}")] {
        let mut app = App::new().await;
        app.script.will([calls(&[call("write", "{\"a\": 1, \"b\": 2}")]), calls(&[call("write", covered)])]);
        let conversation = app.begin("Go.", None).await;
        let rows = app.rows(&conversation).await;
        let always = Decision::ApproveForConversation { reach, any_command: false };
        app.answer(&conversation, &[(&rows[0], always)]).await;
        assert_eq!(app.ran().len(), 2, "the second ran without asking");
        let standing = app.countersign.standing(Space::Main, request::standing {}).await.unwrap();
        assert_eq!((standing.len(), standing[0].used), (1, 1));

        app.script.will([calls(&[call("write", covered)])]);
        let other = app.begin("Go there too.", None).await;
        assert_eq!(app.rows(&other).await.len(), 1, "another conversation asks");

        let mut app = app.again().await;
        app.script.will([calls(&[call("write", covered)])]);
        app.send(Send { text: Some("Once more.".to_owned()), ..nothing(&conversation) }).await.unwrap();
        app.quiet(&conversation).await;
        assert_eq!(app.ran().len(), 1, "it survives a restart");

        let id = standing[0].id.clone();
        app.countersign.revoke(Space::Main, request::revoke { id }).await.unwrap();
        app.script.will([calls(&[call("write", covered)])]);
        app.send(Send { text: Some("And again.".to_owned()), ..nothing(&conversation) }).await.unwrap();
        app.quiet(&conversation).await;
        assert_eq!((app.ran().len(), app.rows(&conversation).await.len()), (1, 1), "revoked, it asks");
    }
}

/// A second window answers what the first one answered: told so, and nothing changes; its other drafts can still be sent.
#[tokio::test]
async fn surface_01_a_stale_answer() {
    let mut app = App::new().await;
    app.script.will([calls(&[call("write", "{\"n\":1}")]), calls(&[call("write", "{\"n\":2}")])]);
    let conversation = app.begin("Go.", None).await;
    let rows = app.rows(&conversation).await;
    let stale = app.decided(&[(&rows[0], Decision::Approve)]).await;
    app.answer(&conversation, &[(&rows[0], Decision::Approve)]).await;
    let fresh = app.rows(&conversation).await;
    let mut answers = app.decided(&[(&fresh[0], Decision::Approve)]).await;
    answers.extend(stale);
    let sent = app.send(Send { answers: answers.clone(), ..nothing(&conversation) }).await;
    let Err(ApiError::ApprovalClosed { closed, .. }) = sent else { panic!("{sent:?}") };
    assert_eq!(closed.iter().map(|one| one.request.as_str()).collect::<Vec<_>>(), [rows[0].as_str()]);
    assert_eq!(app.ran().len(), 1);
    assert_eq!(app.rows(&conversation).await, fresh, "the other one is still open");
    answers.truncate(1);
    app.send(Send { answers, ..nothing(&conversation) }).await.unwrap();
    app.quiet(&conversation).await;
    assert_eq!(app.ran().len(), 2);
}

/// What was on screen isn't what is stored: refused, and still open.
#[tokio::test]
async fn accept_09_another_digest() {
    let mut app = App::new().await;
    app.script.will([calls(&[call("write", "{}"), call("write", "{\"n\":2}")])]);
    let conversation = app.begin("Go.", None).await;
    let rows = app.rows(&conversation).await;
    let mut answers = app.decided(&[(&rows[0], Decision::Approve), (&rows[1], Decision::Approve)]).await;
    answers[1].digest = answers[0].digest.clone();
    let sent = app.send(Send { answers, ..nothing(&conversation) }).await;
    let Err(ApiError::DigestMismatch { ids, .. }) = sent else { panic!("{sent:?}") };
    assert_eq!(ids, [rows[1].clone()]);
    assert_eq!((app.ran().len(), app.rows(&conversation).await), (0, rows));
}
