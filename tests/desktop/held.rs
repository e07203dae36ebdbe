//! A server that asks in the middle of its call, in the real window. The server stands in this process, on the app's database:
//! the window answers it as it would one of its own (D-86, D-90).

use std::sync::Arc;

use countersign_core::agent::AgentProfile;
use countersign_core::ids::ConversationId;
use countersign_core::input::{Input, NewConversation};
use countersign_core::mode::Mode;
use countersign_engine::engine::Engine;
use countersign_engine::ports::SystemClock;
use countersign_store::open::Store;
use countersign_store::record::Record;
use countersign_tests::desktop::{Desktop, TestFolder, id};
use serde_json::json;

use crate::house::{AGENT, House, call, calls, helpdesk, profile, text_input};

const TRIAGE: ConversationId = ConversationId([7; 16]);

/// Another process's engine on the database of a folder, whose server asks and waits; and that database.
async fn waits(folder: &TestFolder) -> Engine {
    std::fs::create_dir_all(folder.data()).unwrap();
    // The sign that the folder is Countersign's.
    std::fs::write(folder.data().join("lock"), "").unwrap();
    let store = Store::open(&folder.data().join("countersign.sqlite")).await.unwrap();
    let agent = AgentProfile { name: "Helper".to_owned(), ..profile() };
    store.record(Record::Agent(Box::new(agent))).await.unwrap();
    let wardrobe = House::wardrobe(folder.path());
    wardrobe.tools.list.lock().unwrap().push(helpdesk());
    let question = json!({
        "message": "Which ticket is it, and with whose key?",
        "schema": {
            "type": "object",
            "properties": {
                "ticket": { "type": "integer", "minimum": 1, "title": "Ticket" },
                "access_key": { "type": "string", "title": "Access key" },
            },
            "required": ["ticket"],
        },
    });
    wardrobe.script.will([calls(&[call("helpdesk", &question.to_string())])]);
    let engine = Engine::open(store, wardrobe, Arc::new(SystemClock), None).await.unwrap();
    let new = NewConversation {
        id: TRIAGE,
        agent: AGENT,
        title: "Ticket triage".to_owned(),
        mode: Mode::Default,
        auto_until: None,
    };
    engine.create(new).await.unwrap();
    engine.input(TRIAGE, Input::Start(text_input("Close the duplicate."))).await.unwrap();
    while engine.store().head(TRIAGE).await.unwrap().unwrap().held.is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    engine
}

/// D-86: the card says who waits; what looks like a secret is masked; the answer reaches the server while its run goes on, and
/// history has it.
#[test]
fn a_server_that_waits_is_answered_in_the_window() {
    let folder = TestFolder::new();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let engine = runtime.block_on(waits(&folder));
    let desktop = Desktop::start(&folder);
    let row = desktop.wait_for_row("Which ticket is it");
    desktop.go_to(&row);
    desktop.wait_for_text(&id("held-by"), "held by server “helpdesk”");
    desktop.wait_for_text(&id("server-waits"), "The server waits; withdrawn if it stops.");
    let detail = desktop.text(&id("detail"));
    assert!(detail.contains("Answers go to helpdesk and into history"), "{detail}");
    assert_eq!(
        desktop.script("return document.querySelector('[data-field=access_key] input').type"),
        json!("password")
    );
    desktop.wait_until_armed(&row);
    desktop.fill("[data-field=ticket] input", "1234");
    desktop.fill("[data-field=access_key] input", "hunter2");
    desktop.shot("held-light");
    desktop.until("it is staged and then sent", || {
        // The bar may go between a look and a press, so both are one.
        desktop.script("document.querySelector('[data-testid=approve]')?.click()");
        runtime.block_on(async { engine.store().head(TRIAGE).await.unwrap().unwrap().held.is_empty() })
    });
    desktop.until("the server got it and its run went on", || {
        let page = runtime.block_on(engine.store().messages(TRIAGE, i64::MAX, 10)).unwrap();
        let calls = page.into_iter().flat_map(|message| message.calls);
        let results: Vec<String> = calls.filter_map(|call| call.result).collect();
        results == [r#"the server got {"ticket":1234,"access_key":"hunter2"}"#]
    });
    desktop.keys("gh");
    desktop.until("History has it as answered", || {
        desktop.history().iter().any(|row| row.contains("Asks for input") && row.contains("Answered · you"))
    });
    desktop.keys("gc");
    desktop.click(&id(&format!("conversation-{TRIAGE}")));
    desktop.wait_for_text(&id("transcript"), "answered · you");
    desktop.shot("held-conversation-light");
    runtime.block_on(engine.close());
}
