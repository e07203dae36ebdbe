//! Auto that ends at a time: it is shown, it holds for every call, also when Countersign wasn't running then (D-82).

use std::sync::atomic::Ordering;

use countersign_api::commands::request;
use countersign_api::wire::conversation::{ConversationRow, Mark, MarkKind, Send};
use countersign_api::wire::inbox::{Decision, Mode};
use countersign_api::wire::window::{ApiError, Space};

use crate::house::{House, calls, now, says};

const HOUR: i64 = 3_600_000;

impl House {
    async fn auto_until(&self, conversation: &str, text: &str, end: i64) -> Result<(), ApiError> {
        self.send(Send {
            conversation: conversation.to_owned(),
            answers: Vec::new(),
            text: Some(text.to_owned()),
            mode: Some(Mode::Auto),
            auto_until: Some(end),
            passes_by: Vec::new(),
        })
        .await
    }

    async fn only_row(&self) -> ConversationRow {
        self.snapshot().await.conversations[0].clone()
    }

    async fn start_in(&self, mode: Mode, auto_until: Option<i64>) -> Result<ConversationRow, ApiError> {
        let (agent, text) = (self.agent.clone(), Some("go".to_owned()));
        let start = request::start_conversation { agent, text, mode: Some(mode), auto_until };
        self.app.start_conversation(Space::Main, start).await
    }

    async fn mode_marks(&self, conversation: &str) -> Vec<(Mode, Option<i64>)> {
        let page = request::transcript { conversation: conversation.to_owned(), before: None, after: None };
        let transcript = self.app.transcript(Space::Main, page).await.unwrap();
        let marks = transcript.entries.into_iter().flat_map(|entry| entry.marks);
        let modes = marks.filter_map(|Mark { what, .. }| match what {
            MarkKind::Mode { mode, until, .. } => Some((mode, until)),
            MarkKind::Forked { .. } => None,
        });
        modes.collect()
    }

    fn pass(&self, milliseconds: i64) {
        self.stage.ahead.fetch_add(milliseconds, Ordering::SeqCst);
    }
}

fn command() -> countersign_core::input::ModelReply {
    calls(&[("run_command", r#"{"command":"ls"}"#)])
}

/// D-82: said with the message, shown, and over at its time without anybody doing anything.
#[tokio::test]
async fn d_82_auto_is_shown_with_its_end_and_goes_back_at_that_time() {
    let house = House::new([says("Hello."), command(), says("Done."), command()]).await;
    let row = house.start_in(Mode::Default, None).await.unwrap();
    house.rest(&row.id).await;
    let end = now().0 + HOUR;
    house.auto_until(&row.id, "Go on.", end).await.unwrap();
    house.rest(&row.id).await;
    assert_eq!(house.ran().len(), 1, "in Auto it ran");
    let shown = house.only_row().await;
    assert_eq!((shown.mode, shown.auto_ends, shown.auto_until), (Mode::Auto, false, Some(end)));
    house.pass(HOUR);
    house.until("Auto is over", |snapshot| (snapshot.conversations[0].mode == Mode::Default).then_some(())).await;
    assert_eq!(house.only_row().await.auto_until, None);
    assert_eq!(house.mode_marks(&row.id).await, [(Mode::Auto, Some(end)), (Mode::Default, None)]);
    let send = Send {
        conversation: row.id.clone(),
        answers: Vec::new(),
        text: Some("And again.".to_owned()),
        mode: None,
        auto_until: None,
        passes_by: Vec::new(),
    };
    house.send(send).await.unwrap();
    house.rest(&row.id).await;
    let set = house.set_of(&row.id).await;
    assert_eq!((set.rows.len(), set.mode, house.ran().len()), (1, Mode::Default, 1), "then it asks");
}

/// D-82: the time that comes while Countersign isn't running counts from the first moment on.
#[tokio::test]
async fn d_82_auto_that_ended_while_nothing_ran_is_default_at_the_start() {
    let house = House::new([command(), says("Done."), command()]).await;
    let row = house.start_in(Mode::Auto, Some(now().0 + HOUR)).await.unwrap();
    house.rest(&row.id).await;
    assert_eq!(house.ran().len(), 1);
    house.pass(HOUR);
    let house = house.restart().await;
    let row = house.only_row().await;
    assert_eq!((row.mode, row.auto_until), (Mode::Default, None), "without waiting for anything");
}

/// D-74, D-82: a plan that is approved into Auto until a time.
#[tokio::test]
async fn d_82_a_plan_is_approved_into_auto_until_a_time() {
    let plan = || calls(&[("exit_plan_mode", r##"{"plan":"# Do\n\n1. one\n2. two"}"##)]);
    let house = House::new([plan(), command(), says("Done.")]).await;
    let row = house.start_in(Mode::Plan, None).await.unwrap();
    let set = house.set_of(&row.id).await;
    let into = |ends_at| Decision::ApprovePlan { into: Mode::Auto, only_this_plan: false, ends_at: Some(ends_at) };
    for (wrong, why) in [(-1, "is over"), (30_000, "less than a minute"), (25 * HOUR, "24 hours")] {
        let refused = house.stage_decision(&set.rows[0].id, into(now().0 + wrong)).await;
        match refused {
            Err(ApiError::Refused { message }) => assert!(message.contains(why), "{message}"),
            other => panic!("{other:?}"),
        }
    }
    assert!(house.set_of(&row.id).await.rows[0].draft.is_none(), "nothing was staged");
    let end = now().0 + HOUR;
    house.answer(&set, &[(0, into(end))]).await.unwrap();
    house.rest(&row.id).await;
    let row = house.only_row().await;
    assert_eq!((row.mode, row.auto_until, house.ran().len()), (Mode::Auto, Some(end), 1));
}

/// D-82: a decision that was staged too long before it is sent isn't sent, says why, and is still there.
#[tokio::test]
async fn d_82_an_end_that_is_over_when_it_is_sent_is_refused() {
    let plan = || calls(&[("exit_plan_mode", r##"{"plan":"# Do\n\n1. one\n2. two"}"##)]);
    let house = House::new([plan(), command()]).await;
    let row = house.start_in(Mode::Plan, None).await.unwrap();
    let set = house.set_of(&row.id).await;
    let into = Decision::ApprovePlan { into: Mode::Auto, only_this_plan: true, ends_at: Some(now().0 + HOUR) };
    let digest = house.digest(&set.rows[0].id).await;
    house.pass(2 * HOUR);
    let answers = vec![countersign_api::wire::conversation::SentAnswer {
        request: set.rows[0].id.clone(),
        digest,
        decision: into,
    }];
    let send =
        Send { conversation: row.id.clone(), answers, text: None, mode: None, auto_until: None, passes_by: Vec::new() };
    match house.send(send).await {
        Err(ApiError::Refused { message }) => assert!(message.contains("is over"), "{message}"),
        other => panic!("{other:?}"),
    }
    assert_eq!((house.only_row().await.mode, house.ran().len()), (Mode::Plan, 0));
    assert_eq!(house.set_of(&row.id).await.rows.len(), 1, "the plan still waits");
    for (mode, end) in [(Mode::Auto, now().0 - 1), (Mode::Default, now().0 + 3 * HOUR)] {
        assert!(house.start_in(mode, Some(end)).await.is_err());
    }
    assert_eq!(house.snapshot().await.conversations.len(), 1, "a conversation that can't begin isn't made");
}
