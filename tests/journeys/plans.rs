//! A plan: into Default, into Auto for itself or to stay, and sent back.

use countersign_api::wire::inbox::{Decision, Mode, RowKind};

use crate::app::App;
use crate::house::{call, calls, plan};

async fn planned(app: &mut App) -> (String, String) {
    app.script.will([calls(&[plan("# Do it\n\n1. Write.")])]);
    let conversation = app.begin("Plan it.", Some(Mode::Plan)).await;
    let set = app.set(&conversation).await.unwrap();
    assert_eq!(set.rows.len(), 1);
    assert_eq!(format!("{:?}", set.rows[0].kind), format!("{:?}", RowKind::Plan));
    (conversation, set.rows[0].id.clone())
}

async fn mode(app: &App, conversation: &str) -> String {
    let snapshot = app.snapshot().await;
    format!("{:?}", snapshot.conversations.iter().find(|row| row.id == conversation).unwrap().mode)
}

#[tokio::test]
async fn a_plan_is_approved() {
    for (into, only_this_plan, runs, after) in
        [(Mode::Default, true, 0, "Default"), (Mode::Auto, true, 1, "Default"), (Mode::Auto, false, 1, "Auto")]
    {
        let mut app = App::new().await;
        let (conversation, row) = planned(&mut app).await;
        app.script.will([calls(&[call("write", "{}")])]);
        app.answer(&conversation, &[(&row, Decision::ApprovePlan { into, only_this_plan, ends_at: None })]).await;
        assert_eq!(app.ran().len(), runs, "{into:?}");
        assert_eq!(mode(&app, &conversation).await, after);
        let waits = app.rows(&conversation).await;
        assert_eq!(waits.len(), 1 - runs);
        if let [row] = &waits[..] {
            app.answer(&conversation, &[(row, Decision::Approve)]).await;
            assert_eq!(app.ran().len(), 1);
        }
    }
}

#[tokio::test]
async fn a_plan_is_sent_back() {
    let mut app = App::new().await;
    let (conversation, row) = planned(&mut app).await;
    app.script.will([calls(&[plan("# Do less")])]);
    let back = Decision::Reject { reason: Some("smaller steps".to_owned()) };
    app.answer(&conversation, &[(&row, back)]).await;
    assert_eq!(mode(&app, &conversation).await, "Plan");
    let told = format!("{:?}", app.script.last().messages);
    assert!(told.contains("smaller steps"));
    let again = app.rows(&conversation).await;
    assert_eq!(again.len(), 1);
    assert_ne!(again[0], row, "another plan is another question");
    assert_eq!(app.ran().len(), 0);
}
