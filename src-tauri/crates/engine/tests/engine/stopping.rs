//! Stopping, tightening, closing.

use countersign_core::input::Input;
use countersign_core::mode::Mode;
use countersign_core::run::RunEnd;
use countersign_engine::error::EngineError;

use crate::house::{House, Turn, call, calls, text_input};

/// N-80, D-91: what runs settles first, nothing further starts, and the model isn't asked again.
#[tokio::test]
async fn stop_during_a_tool() {
    let mut house = House::new(Mode::Auto).await;
    house.script.will([calls(&[call("slow", "{}"), call("write", "{}")])]);
    house.start(text_input("Go.")).await.unwrap();
    house.tools.began.notified().await;
    house.input(Input::Stop).await.unwrap();
    house.settled().await;
    assert_eq!(house.last_end().await, Some(RunEnd::Cancelled));
    assert_eq!((house.ran(), house.script.calls()), (vec!["slow".to_owned()], 1));
    // The model is told what became of it, with the next message.
    house.say("What now?").await;
    let told = format!("{:?}", house.script.last().messages);
    assert!(told.contains("may have happened") && told.contains("What now?"), "{told}");
    assert!(!told.contains("write"), "what never started was never called");
}

/// N-80: a model call is dropped.
#[tokio::test]
async fn stop_during_a_model_call() {
    let mut house = House::new(Mode::Default).await;
    house.script.will([Turn::Hangs]);
    house.start(text_input("Go.")).await.unwrap();
    house.script.asked.notified().await;
    house.input(Input::Stop).await.unwrap();
    assert_eq!(house.last_end().await, Some(RunEnd::Cancelled));
    house.say("Again.").await;
    assert_eq!(house.last_end().await, Some(RunEnd::Completed));
}

/// D-82: a stricter mode holds for the calls that haven't started.
#[tokio::test]
async fn tightening_while_a_tool_runs() {
    let mut house = House::new(Mode::Auto).await;
    house.script.will([calls(&[call("slow", "{}"), call("write", "{}")])]);
    house.start(text_input("Go.")).await.unwrap();
    house.tools.began.notified().await;
    house.input(Input::Tighten { mode: Mode::Default }).await.unwrap();
    house.tools.end.notify_one();
    house.settled().await;
    assert_eq!(house.last_end().await, Some(RunEnd::Asked));
    assert_eq!(house.ran(), ["slow"]);
    assert_eq!(house.open_requests().await.len(), 1);
}

/// D-53, D-54, B-05: closing in mid-run is like dying: nothing runs by itself afterwards, and nothing twice.
#[tokio::test]
async fn closing_while_a_tool_runs() {
    let house = House::new(Mode::Auto).await;
    house.script.will([calls(&[call("slow", "{}"), call("write", "{}")])]);
    house.start(text_input("Go.")).await.unwrap();
    house.tools.began.notified().await;
    let engine = house.engine.clone();
    let mut house = house.again().await;
    let late = engine.input(house.conversation, Input::Start(text_input("Late."))).await;
    assert!(matches!(late, Err(EngineError::Closing)), "{late:?}");
    assert_eq!(house.last_end().await, Some(RunEnd::Interrupted));
    let head = house.head().await;
    assert_eq!(head.calls.len(), 1, "approved, not run yet");
    house.say("Leave that.").await;
    assert_eq!(house.ran().len(), 0);
    assert!(format!("{:?}", house.script.last().messages).contains("may or may not have happened"));
}
