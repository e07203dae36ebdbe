//! What a person says to a run that goes on, through the engine and the disk: it is heard, refused or given back.

use countersign_core::answer::AnswerBody;
use countersign_core::change::MessageBody;
use countersign_core::ids::ConversationId;
use countersign_core::input::{Input, Refusal};
use countersign_core::mode::Mode;
use countersign_core::run::{FailureKind, RunEnd};
use countersign_core::transcript::ViewItem;
use countersign_engine::error::EngineError;
use countersign_store::record::Record;

use crate::house::{House, Turn, call, calling, calls, text_input, words};

fn steer(text: &str) -> Input {
    Input::Steer { text: text.to_owned() }
}

async fn typed(house: &House) -> String {
    house.engine.store().typed(house.conversation).await.unwrap().unwrap_or_default()
}

/// What the person said lately in a conversation, in order.
async fn said(house: &House, conversation: ConversationId) -> Vec<String> {
    let messages = house.engine.store().messages(conversation, i64::MAX, 30).await.unwrap();
    let words = messages.into_iter().rev().filter_map(|fact| match fact.message.body {
        MessageBody::User { text } => Some(text),
        MessageBody::Agent { .. } | MessageBody::Assistant { .. } => None,
    });
    words.collect()
}

/// M-23: while a tool runs the words wait; they follow its result, and the next call of the batch isn't held up.
#[tokio::test]
async fn words_while_a_tool_runs() {
    let mut house = House::new(Mode::Auto).await;
    house.script.will([calls(&[call("slow", "{}"), call("write", "{}")])]);
    house.start(text_input("Go.")).await.unwrap();
    house.tools.began.notified().await;
    house.input(steer("and this")).await.unwrap();
    assert_eq!(said(&house, house.conversation).await, ["Go."], "not before a model call takes them");
    house.tools.end.notify_one();
    house.settled().await;
    assert_eq!(house.ran(), ["slow", "write"]);
    let messages = house.script.last().messages;
    let [.., results, words] = &messages[..] else { panic!("{messages:?}") };
    assert!(matches!(results.as_ref(), ViewItem::Results(results) if results.len() == 2), "{results:?}");
    assert_eq!(words.as_ref(), &ViewItem::User { text: "and this".to_owned() });
    assert_eq!(house.last_end().await, Some(RunEnd::Completed));
}

/// D-05, M-23, AS-5: words to a run that answers, while a call that was held with its batch runs.
#[tokio::test]
async fn words_while_a_held_tool_runs() {
    let mut house = House::new(Mode::Default).await;
    house.ask(&[call("slow_read", "{}"), call("write", "{}")]).await;
    house.start(house.answers(&[(0, AnswerBody::Approve)]).await).await.unwrap();
    house.tools.began.notified().await;
    house.input(steer("one")).await.unwrap();
    house.input(steer("two")).await.unwrap();
    house.tools.end.notify_one();
    house.settled().await;
    assert_eq!(house.ran(), ["slow_read", "write"], "what was approved runs whatever is said meanwhile");
    assert_eq!(said(&house, house.conversation).await, ["Go.", "one", "two"]);
    let messages = house.script.last().messages;
    assert!(matches!(messages[messages.len() - 3].as_ref(), ViewItem::Results(_)), "{messages:?}");
}

/// D-89, M-24: what the run of a dead process hadn't taken is being typed again at the next start, once, behind what is there.
#[tokio::test]
async fn words_to_a_process_that_dies() {
    let house = House::new(Mode::Auto).await;
    house.script.will([calls(&[call("slow", "{}")])]);
    house.start(text_input("Go.")).await.unwrap();
    house.tools.began.notified().await;
    let conversation = house.conversation;
    house.input(steer("first")).await.unwrap();
    house.input(steer("second")).await.unwrap();
    house.engine.store().record(Record::Typed { conversation, text: "unsent".to_owned() }).await.unwrap();
    let mut house = house.again().await;
    assert_eq!(house.last_end().await, Some(RunEnd::Interrupted));
    assert_eq!(typed(&house).await, "unsent\nfirst\nsecond");
    assert!(house.head().await.steering.is_empty() && house.script.calls() == 0, "nothing is sent by itself");
    house.say("Again.").await;
    assert_eq!(said(&house, conversation).await, ["Go.", "Again."]);
    let house = house.again().await;
    assert_eq!(typed(&house).await, "unsent\nfirst\nsecond", "and not a second time");
    house.engine.store().check_journal().await.unwrap();
}

/// What becomes of a run while words come.
#[derive(Debug, Clone, Copy)]
enum Ends {
    Says,
    Asks,
    Fails,
    Stopped,
}

/// D-83, D-89, M-24: words that race with a run's end are in the transcript, or refused, or being typed again; none is lost and
/// none is there twice.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn words_that_race_with_the_end_of_a_run() {
    let mut house = House::new(Mode::Default).await;
    let conversation = house.conversation;
    let (mut taken, mut refused, mut returned) = (0, 0, 0);
    for round in 0..200 {
        let ends = [Ends::Says, Ends::Asks, Ends::Fails, Ends::Stopped][round % 4];
        house.script.will([match ends {
            Ends::Says => Turn::Waits(words("Well.")),
            Ends::Asks => Turn::Waits(calling(&[call("write", "{}")])),
            Ends::Fails => Turn::Fails(FailureKind::Cut),
            Ends::Stopped => Turn::Hangs,
        }]);
        house.start(text_input("Go.")).await.unwrap();
        house.script.asked.notified().await;
        let mine: Vec<String> = ["a", "b", "c"].iter().map(|one| format!("<{round}{one}>")).collect();
        let speaking: Vec<_> = mine
            .iter()
            .map(|text| {
                let (engine, text) = (house.engine.clone(), text.clone());
                tokio::spawn(async move {
                    // A different moment each time.
                    for _ in 0..round % 23 {
                        tokio::task::yield_now().await;
                    }
                    engine.input(conversation, steer(&text)).await
                })
            })
            .collect();
        match ends {
            Ends::Says | Ends::Asks => house.script.go.notify_one(),
            Ends::Fails => {}
            Ends::Stopped => drop(house.input(Input::Stop).await),
        }
        let mut outcomes = Vec::new();
        for one in speaking {
            outcomes.push(one.await.unwrap());
        }
        house.settled().await;
        let (typed, said) = (typed(&house).await, said(&house, conversation).await);
        for (text, outcome) in mine.iter().zip(outcomes) {
            let in_transcript = said.iter().filter(|one| *one == text).count();
            let in_typed = typed.lines().filter(|one| one == text).count();
            match outcome {
                Ok(()) => assert_eq!(in_transcript + in_typed, 1, "{ends:?}: {text} in {typed:?} and {said:?}"),
                Err(EngineError::Refused(Refusal::NotRunning)) => {
                    refused += 1;
                    assert_eq!(in_transcript + in_typed, 0, "{ends:?}: {text} was refused");
                }
                Err(other) => panic!("{other:?}"),
            }
            (taken, returned) = (taken + in_transcript, returned + in_typed);
        }
        house.engine.store().record(Record::Typed { conversation, text: String::new() }).await.unwrap();
        house.commits();
    }
    assert_eq!(taken + refused + returned, 600);
    assert!(taken > 0 && refused > 0 && returned > 0, "each outcome came: {taken} {refused} {returned}");
}
