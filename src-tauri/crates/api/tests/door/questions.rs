//! Questions: a form from the schema, checked before anything is sent, kept over a restart, told to the model.

use countersign_api::commands::request;
use countersign_api::wire::inbox::{Decision, RowKind};
use countersign_api::wire::payload::Payload;
use countersign_api::wire::settings::Settings;
use countersign_api::wire::text::Piece;
use countersign_api::wire::window::{ApiError, Space};
use countersign_api::words::{Spoken, apart};

use crate::house::{House, calls, says};

const ASK: &str = r#"{"question":"Which branch?","fields":{"type":"object","properties":{
    "branch":{"type":"string","enum":["main","next"]},"days":{"type":"integer","minimum":1}},"required":["branch"]}}"#;

async fn no_timer(house: &House) {
    let settings = Settings { grace_ms: None, ..Settings::default() };
    house.app.save_settings(Space::Main, request::save_settings { settings }).await.unwrap();
}

fn answer(value: &str) -> Decision {
    Decision::Answer { value: value.to_owned() }
}

/// D-49, D-50, D-107, N-47.
#[tokio::test]
async fn a_question_is_filled_in_and_told_to_the_model() {
    let house = House::new([calls(&[("ask_user", ASK)]), says("thanks")]).await;
    no_timer(&house).await;
    let set = house.ask("one").await;
    let id = set.rows[0].id.clone();
    assert_eq!(set.rows[0].kind, RowKind::Question);
    let detail = house.detail(&id).await;
    assert!(detail.facts.is_empty(), "a question does nothing that a fact could name");
    assert_eq!(detail.why.mode, "a question asks in every mode");
    assert!(detail.reaches.is_empty(), "a question is never approved for a conversation");
    match detail.payload {
        Payload::Question { fields, .. } => assert_eq!((fields.len(), fields[0].key.as_str()), (2, "branch")),
        other => panic!("{other:?}"),
    }
    assert!(matches!(house.stage_decision(&id, Decision::Approve).await, Err(ApiError::Refused { .. })));
    match house.stage_decision(&id, answer(r#"{"branch":"other","days":0}"#)).await {
        Err(ApiError::InvalidAnswer { faults, .. }) => {
            let fields: Vec<&str> = faults.iter().map(|fault| fault.field.as_str()).collect();
            assert_eq!(fields, ["branch", "days"]);
        }
        other => panic!("{other:?}"),
    }
    for (language, words) in [
        (Spoken::En, ["It is none of the choices.", "It has to be 1 or more."]),
        (Spoken::De, ["Das ist keine der Möglichkeiten.", "Das muss mindestens 1 sein."]),
    ] {
        let _apart = apart(language);
        match house.stage_decision(&id, answer(r#"{"branch":"other","days":0}"#)).await {
            Err(ApiError::InvalidAnswer { faults, .. }) => {
                let text = |text: &str| vec![Piece::Text { s: text.to_owned() }];
                assert_eq!(faults.into_iter().map(|fault| fault.text).collect::<Vec<_>>(), words.map(text));
            }
            other => panic!("{other:?}"),
        }
    }
    house.stage_decision(&id, answer(r#"{"branch":"main","days":"14"}"#)).await.unwrap();
    let house = house.restart().await;
    let set = house.set_of(&set.conversation).await;
    let kept = set.rows[0].draft.clone().unwrap().decision;
    assert_eq!(kept, answer(r#"{"branch":"main","days":"14"}"#), "what was typed is there after a restart");
    house.answer(&set, &[(0, kept)]).await.unwrap();
    house.rest(&set.conversation).await;
    assert_eq!(house.ran(), Vec::<String>::new(), "nothing ran");
    let last = format!("{:?}", house.stage.prompts.lock().unwrap().last().unwrap().messages);
    assert!(last.contains(r#"{\"branch\":\"main\",\"days\":14}"#), "the model is told: {last}");
    let page = house.app.history(Space::Main, request::history { before: None, query: String::new() }).await.unwrap();
    assert_eq!(page.rows[0].decision, "Answered");
}

/// N-44, N-56: a question that nobody could answer is never asked.
#[tokio::test]
async fn a_question_without_a_form_is_told_to_the_model_at_once() {
    for fields in [r#"{"question":"x","fields":{"type":"object"}}"#, r#"{"question":"x"}"#] {
        let house = House::new([calls(&[("ask_user", fields)]), says("I see")]).await;
        let start = request::start_conversation {
            agent: house.agent.clone(),
            text: Some("one".to_owned()),
            mode: None,
            auto_until: None,
        };
        let row = house.app.start_conversation(Space::Main, start).await.unwrap();
        house.rest(&row.id).await;
        assert!(house.snapshot().await.sets.is_empty());
        let last = format!("{:?}", house.stage.prompts.lock().unwrap().last().unwrap().messages);
        assert!(last.contains("not executed"), "{last}");
    }
}
