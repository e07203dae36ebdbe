//! Tool servers at the door that every window goes through.

use std::sync::Arc;

use async_trait::async_trait;
use countersign_api::commands::request;
use countersign_api::display::text::plain;
use countersign_api::host::{ServerHealth, ServerLog, ServerStatus, ToolServers};
use countersign_api::wire::agent::{Agent, KeySource, SaveAgent};
use countersign_api::wire::inbox::Mode;
use countersign_api::wire::payload::Payload;
use countersign_api::wire::server::{
    Data, InMode, Launch, SaveServer, Server, ServerAsks, ServerState, ToolWord, TypedSecret, Variable,
};
use countersign_api::wire::text::{Piece, Shown};
use countersign_api::wire::window::{ApiError, FeedWhat, Space};
use countersign_core::agent::KeySource as From;
use countersign_core::ids::ServerId;
use countersign_core::server::{Claims, Definition, ServerProfile};

use crate::house::{House, Ports, calls};

fn server() -> Server {
    let variable =
        |name: &str, text: Option<&str>, from| Variable { name: name.to_owned(), text: text.map(str::to_owned), from };
    Server {
        id: None,
        revision: 0,
        name: "Help desk".to_owned(),
        handle: String::new(),
        launch: Launch::Command {
            program: "npx".to_owned(),
            args: vec!["-y".to_owned(), "helpdesk".to_owned()],
            env: vec![variable("TOKEN", None, KeySource::File), variable("REGION", Some("eu"), KeySource::None)],
            folder: None,
        },
        on: true,
        data: Data::Unclassified,
        roots: vec![" ".to_owned()],
        start_s: 30,
        call_s: 120,
    }
}

fn token(value: &str) -> Vec<TypedSecret> {
    vec![TypedSecret { name: "TOKEN".to_owned(), value: value.to_owned() }]
}

async fn save(house: &House, server: Server, secrets: Vec<TypedSecret>) -> Result<Server, ApiError> {
    let save = SaveServer { server, secrets };
    house.app.save_server(Space::Main, request::save_server { save }).await
}

fn definition(description: &str) -> Definition {
    let claims = Claims { read_only: Some(true), ..Claims::default() };
    let schema = r#"{"type":"object","properties":{"id":{"type":"string"}}}"#.to_owned();
    let name = "close\u{202e}it".to_owned();
    Definition { name, title: None, description: description.to_owned(), schema, claims }
}

fn runs(house: &House, server: &Server, definitions: Vec<Definition>) {
    let id: ServerId = server.id.as_ref().unwrap().parse().unwrap();
    let status = ServerStatus {
        health: ServerHealth::Running,
        definitions: Arc::new(definitions),
        cut: "only the first 1 tools are used".to_owned(),
        calls_itself: Some("desk\u{200b} 1".to_owned()),
    };
    house.stage.servers.lock().unwrap().insert(id, status);
}

#[async_trait]
impl ToolServers for Ports {
    fn status(&self, server: ServerId) -> Option<ServerStatus> {
        self.stage.servers.lock().unwrap().get(&server).cloned()
    }

    fn wake(&self, profile: &ServerProfile) {
        self.stage.woken.lock().unwrap().push(profile.id);
    }

    fn log(&self, _: ServerId) -> Vec<ServerLog> {
        vec![ServerLog { at: 1, ours: false, text: "a\u{202e}b".to_owned() }]
    }

    fn present(&self, profile: &ServerProfile) {
        self.stage.present.lock().unwrap().push(profile.revision);
    }

    async fn remove(&self, server: ServerId) {
        self.stop(server).await;
    }

    async fn stop(&self, server: ServerId) {
        self.stage.stopped.lock().unwrap().push(server);
    }

    async fn stop_all(&self) {}

    fn changed(&self) -> tokio::sync::watch::Receiver<u64> {
        tokio::sync::watch::channel(0).1
    }

    async fn keep(&self, _: ServerId, variable: &str, source: &From, value: &str) -> Result<(), String> {
        match source {
            From::Keyring => Err("no key store answers".to_owned()),
            From::None | From::Env { .. } | From::File => {
                self.stage.kept.lock().unwrap().insert(variable.to_owned(), value.to_owned());
                Ok(())
            }
        }
    }

    async fn forget(&self, _: ServerId, variables: &[String]) {
        self.stage.kept.lock().unwrap().retain(|name, _| !variables.contains(name));
    }
}

const FREE: ToolWord = ToolWord { asks: Some(ServerAsks::Never), read_only: true, parallel_safe: false };

#[tokio::test]
async fn a_secret_is_kept_elsewhere_and_never_comes_back() {
    let house = House::new([]).await;
    let missing = save(&house, server(), vec![]).await.unwrap_err();
    assert!(matches!(missing, ApiError::Invalid { ref field, .. } if field == "env"), "{missing:?}");
    let saved = save(&house, server(), token("s3cret")).await.unwrap();
    assert_eq!((saved.revision, saved.handle.as_str()), (1, "help-desk"));
    assert!(saved.roots.is_empty(), "blank lines are none");
    assert_eq!(house.stage.kept.lock().unwrap().get("TOKEN").map(String::as_str), Some("s3cret"));
    let rows = house.app.servers(Space::Main, request::servers {}).await.unwrap();
    assert!(!format!("{rows:?}").contains("s3cret"));
    let files = std::fs::read_dir(house.folder.path()).unwrap().flatten().filter(|entry| entry.path().is_file());
    let stored: Vec<u8> = files.flat_map(|file| std::fs::read(file.path()).unwrap()).collect();
    assert!(!stored.windows(6).any(|bytes| bytes == b"s3cret"), "the database doesn't hold it");

    // Without a new value the old one stays; what is no secret any more is forgotten.
    let again = save(&house, Server { name: "Desk".to_owned(), ..saved.clone() }, vec![]).await.unwrap();
    assert_eq!((again.revision, again.handle.as_str()), (2, "help-desk"), "its tools keep their names");
    assert!(house.stage.stopped.lock().unwrap().is_empty(), "another label restarts nothing");
    let Launch::Command { program, args, .. } = again.launch.clone() else { unreachable!() };
    let bare = Launch::Command { program, args, env: vec![], folder: None };
    save(&house, Server { launch: bare, ..again }, vec![]).await.unwrap();
    assert!(house.stage.kept.lock().unwrap().is_empty());
    assert_eq!(house.stage.stopped.lock().unwrap().len(), 1, "what is launched otherwise is started afresh");
}

#[tokio::test]
async fn a_stale_editor_and_a_wrong_field_change_nothing() {
    let house = House::new([]).await;
    let saved = save(&house, server(), token("a")).await.unwrap();
    save(&house, Server { call_s: 60, ..saved.clone() }, vec![]).await.unwrap();
    let stale = save(&house, Server { call_s: 5, ..saved.clone() }, vec![]).await.unwrap_err();
    assert!(matches!(stale, ApiError::Refused { .. }), "{stale:?}");
    let twin = save(&house, server(), token("a")).await.unwrap_err();
    assert!(matches!(twin, ApiError::Invalid { ref field, .. } if field == "name"), "{twin:?}");
    let unkept = Launch::Http {
        url: "https://desk.example".to_owned(),
        headers: vec![Variable { name: "Authorization".to_owned(), text: None, from: KeySource::Keyring }],
    };
    let secrets = vec![TypedSecret { name: "Authorization".to_owned(), value: "Bearer x".to_owned() }];
    let refused =
        save(&house, Server { name: "Far".to_owned(), launch: unkept, ..server() }, secrets).await.unwrap_err();
    assert!(
        matches!(refused, ApiError::Invalid { ref field, ref message } if field == "headers" && message.contains("key store"))
    );
    assert_eq!(house.app.servers(Space::Main, request::servers {}).await.unwrap().len(), 1);
}

/// D-87: a word is said of what was on screen, is lost with it, and says so.
#[tokio::test]
async fn d_87_a_word_holds_for_what_was_on_screen() {
    let house = House::new([]).await;
    let saved = save(&house, server(), token("a")).await.unwrap();
    let id = saved.id.clone().unwrap();
    let detail = || house.app.server(Space::Main, request::server { id: id.clone() });
    assert_eq!(detail().await.unwrap().row.state, ServerState::Idle);
    assert_eq!(house.stage.woken.lock().unwrap().len(), 1, "to see its tools it is started");
    let unknown = request::say_of_server { id: id.clone(), fingerprint: String::new(), word: FREE };
    assert!(house.app.say_of_server(Space::Main, unknown).await.is_err(), "nothing can be said of what nobody saw");

    runs(&house, &saved, vec![definition("Closes a ticket")]);
    let shown = detail().await.unwrap();
    let row = &shown.tools[0];
    assert!(
        row.name.iter().any(|piece| matches!(piece, Piece::Chip { .. })),
        "hidden characters are seen: {:?}",
        row.name
    );
    assert!(shown.row.calls_itself.as_ref().unwrap().iter().any(|piece| matches!(piece, Piece::Chip { .. })));
    assert_eq!(
        (row.in_default, row.in_plan, row.claims.as_slice()),
        (InMode::Asks, InMode::Hidden, &["read-only".to_owned()][..])
    );
    let say =
        request::say_of_tool { id: id.clone(), key: row.key.clone(), fingerprint: row.fingerprint.clone(), word: FREE };
    let mut feed = house.app.subscribe();
    house.app.say_of_tool(Space::Main, say.clone()).await.unwrap();
    crate::house::next_event(&mut feed, |what| matches!(what, FeedWhat::Servers).then_some(())).await;
    let free = detail().await.unwrap();
    assert_eq!((free.tools[0].in_default, free.tools[0].in_plan), (InMode::Runs, InMode::Runs));
    let full = request::server_tool { id: id.clone(), key: row.key.clone() };
    let full = house.app.server_tool(Space::Main, full).await.unwrap();
    assert!(matches!(&full.schema[0], Piece::Text { s } if s.contains("\"id\"")));

    runs(&house, &saved, vec![definition("Closes ALL tickets")]);
    let changed = detail().await.unwrap();
    assert_eq!((changed.tools[0].in_default, changed.tools[0].in_plan), (InMode::Asks, InMode::Hidden));
    assert!(changed.tools[0].tightened && changed.row.tightened == 1);
    assert!(house.app.say_of_tool(Space::Main, say).await.is_err(), "that was said of another one");

    // Saving something else keeps what was said; another launch says that it is lost.
    runs(&house, &saved, vec![definition("Closes a ticket")]);
    let of_all = |fingerprint: String| request::say_of_server { id: id.clone(), fingerprint, word: FREE };
    assert!(house.app.say_of_server(Space::Main, of_all(changed.fingerprint)).await.is_err(), "those were other tools");
    let seen = detail().await.unwrap().fingerprint;
    house.app.say_of_server(Space::Main, of_all(seen)).await.unwrap();
    assert_eq!(house.stage.present.lock().unwrap().as_slice(), [1, 2, 3], "what is said is known at once");
    let now = detail().await.unwrap().row.server;
    assert!(!detail().await.unwrap().word_lost);
    let other = Launch::Http { url: "https://desk.example".to_owned(), headers: vec![] };
    save(&house, Server { launch: other, ..now }, vec![]).await.unwrap();
    let moved = detail().await.unwrap();
    assert!(moved.word_lost && moved.tools[0].in_default == InMode::Asks && moved.tools[0].tightened);
}

#[tokio::test]
async fn a_log_is_shown_with_what_it_hides_and_a_deleted_server_is_gone() {
    let house = House::new([]).await;
    let saved = save(&house, server(), token("a")).await.unwrap();
    let id = saved.id.clone().unwrap();
    let log = house.app.server_log(Space::Main, request::server_log { id: id.clone() }).await.unwrap();
    assert!(log[0].text.iter().any(|piece| matches!(piece, Piece::Chip { .. })), "{log:?}");
    house.app.delete_server(Space::Main, request::delete_server { id: id.clone() }).await.unwrap();
    assert!(house.stage.kept.lock().unwrap().is_empty());
    assert!(matches!(house.app.server(Space::Main, request::server { id }).await, Err(ApiError::NotFound { .. })));
    let pasted = request::read_servers { text: "npx -y helpdesk --all".to_owned() };
    let found = house.app.read_servers(Space::Main, pasted).await.unwrap();
    assert_eq!((found.len(), found[0].fault.as_deref(), found[0].server.name.as_str()), (1, None, "helpdesk"));
    let nothing = request::read_servers { text: "{}".to_owned() };
    assert!(matches!(house.app.read_servers(Space::Main, nothing).await, Err(ApiError::Invalid { .. })));
}

/// A plan's card says what approving it unlocks as the gates stand, and of which servers nobody can tell.
#[tokio::test]
async fn a_plan_unlocks_what_the_gates_let_through() {
    let house = House::new([calls(&[("exit_plan_mode", r#"{"plan":"1. Do it."}"#)])]).await;
    let saved = save(&house, server(), token("a")).await.unwrap();
    let agent = house.snapshot().await.agents.remove(0);
    let agent = Agent { start_mode: Mode::Plan, servers: vec![saved.id.clone().unwrap()], ..agent };
    let save = SaveAgent { agent, new_key: None, new_headers: Vec::new() };
    house.app.save_agent(Space::Main, request::save_agent { save }).await.unwrap();
    let mut switches = house.app.switches(Space::Main, request::switches {}).await.unwrap();
    switches.off_tools.push("run_command".to_owned());
    switches.ask_first.push("read_file".to_owned());
    house.app.switch_tools(Space::Main, request::switch_tools { switches }).await.unwrap();
    let set = house.ask("Plan it.").await;
    let Payload::Plan { unlocks, .. } = house.detail(&set.rows[0].id).await.payload else { panic!("it is a plan") };
    let names = |shown: &[Shown]| shown.iter().map(plain).collect::<Vec<_>>();
    assert_eq!(names(&unlocks.asks), ["read_file", "write_file"]);
    assert_eq!(names(&unlocks.free), ["ask_user"]);
    assert_eq!(unlocks.unknown, ["Help desk"]);
    runs(&house, &saved, vec![]);
    let Payload::Plan { unlocks, .. } = house.detail(&set.rows[0].id).await.payload else { panic!("it is a plan") };
    assert!(unlocks.unknown.is_empty());
}
