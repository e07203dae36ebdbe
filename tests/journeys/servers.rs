//! Journeys through tool servers as strangers wrote them, installed from their registries: listed, asked about, approved, rejected,
//! changed, killed in the middle of a call, and believed in nothing.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use countersign_api::commands::request;
use countersign_api::wire::agent::KeySource as From;
use countersign_api::wire::inbox::{Decision, DetailState, Mode};
use countersign_api::wire::server::{
    Data, InMode, Launch, SaveServer, Server, ServerAsks, ServerDetail, ServerState, ServerToolRow, ToolWord,
    TypedSecret, Variable,
};
use countersign_api::wire::window::Space;
use countersign_core::ids::ServerId;
use countersign_core::transcript::ViewItem;

use crate::app::{App, nothing};
use crate::house::{Turn, call, calling};

/// What is installed, in versions that don't move under the tests.
const NODE: &[&str] = &[
    "@modelcontextprotocol/server-everything@2026.8.31",
    "@modelcontextprotocol/server-filesystem@2026.8.31",
    "@modelcontextprotocol/server-memory@2026.8.31",
];
const PYTHON: &[&str] = &["mcp-server-git==2026.10.19", "mcp-server-time==2026.10.19"];

fn run(command: &mut Command) {
    let done = command.output().unwrap_or_else(|error| panic!("{command:?} can't be run: {error}"));
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "the servers can't be installed from their registry: {command:?}: {said}");
}

/// The folder with the servers of both registries; filled once and kept between runs.
fn installed() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("servers-2026-10");
        let done = folder.join("whole");
        if !done.exists() {
            let _ = std::fs::remove_dir_all(&folder);
            std::fs::create_dir_all(&folder).unwrap();
            let npm = ["install", "--silent", "--no-audit", "--no-fund", "--prefix"];
            run(Command::new("npm").args(npm).arg(folder.join("node")).args(NODE));
            run(Command::new("python3").args(["-m", "venv"]).arg(folder.join("python")));
            let pip = ["install", "--quiet", "--disable-pip-version-check"];
            run(Command::new(folder.join("python/bin/pip")).args(pip).args(PYTHON));
            std::fs::write(done, "").unwrap();
        }
        folder
    })
}

fn node(name: &str) -> String {
    installed().join("node/node_modules/.bin").join(name).to_string_lossy().into_owned()
}

fn python(name: &str) -> String {
    installed().join("python/bin").join(name).to_string_lossy().into_owned()
}

fn server(name: &str, program: String, args: &[&str]) -> Server {
    let args = args.iter().map(|arg| (*arg).to_owned()).collect();
    Server {
        id: None,
        revision: 0,
        name: name.to_owned(),
        handle: String::new(),
        launch: Launch::Command { program, args, env: Vec::new(), folder: None },
        on: true,
        data: Data::Workspace,
        roots: Vec::new(),
        start_s: 60,
        call_s: 60,
    }
}

/// An app whose agent has the servers, saved like a person saves them.
async fn app(servers: Vec<SaveServer>) -> (App, Vec<String>) {
    let app = App::new().await;
    let mut ids = Vec::new();
    for save in servers {
        let saved = app.countersign.save_server(Space::Main, request::save_server { save }).await.unwrap();
        ids.push(saved.id.unwrap());
    }
    app.give(ids.iter().map(|id| id.parse::<ServerId>().unwrap()).collect()).await;
    (app, ids)
}

async fn with(server: Server) -> (App, String) {
    let (app, mut ids) = app(vec![SaveServer { server, secrets: Vec::new() }]).await;
    (app, ids.remove(0))
}

async fn detail(app: &App, id: &str) -> ServerDetail {
    app.countersign.server(Space::Main, request::server { id: id.to_owned() }).await.unwrap()
}

/// The server's detail once it fits; a server says some of what it has a moment later.
async fn until(app: &App, id: &str, fits: impl Fn(&ServerDetail) -> bool) -> ServerDetail {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let now = detail(app, id).await;
        if fits(&now) {
            return now;
        }
        assert!(Instant::now() < deadline, "it never was so: {:?}, {:?}", now.row.state, log(app, id).await);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn log(app: &App, id: &str) -> Vec<String> {
    let lines = app.countersign.server_log(Space::Main, request::server_log { id: id.to_owned() }).await.unwrap();
    lines.iter().map(|line| countersign_api::display::text::plain(&line.text)).collect()
}

fn tool<'a>(detail: &'a ServerDetail, key: &str) -> &'a ServerToolRow {
    detail.tools.iter().find(|tool| tool.key == key).unwrap_or_else(|| panic!("there is no {key}"))
}

/// The result that the model was sent last.
fn told(app: &App) -> String {
    let prompt = app.script.last();
    let result = prompt.messages.iter().rev().find_map(|item| match &**item {
        ViewItem::Results(results) => results.last().map(|result| result.text.clone()),
        _ => None,
    });
    result.expect("a result was sent")
}

/// Lets the model call a tool once, approves it, and returns what came back.
async fn approved(app: &mut App, tool: &str, arguments: &serde_json::Value) -> String {
    app.script.will([Turn::Says(calling(&[call(tool, &arguments.to_string())]))]);
    let conversation = app.begin("Go.", None).await;
    let rows = app.rows(&conversation).await;
    assert_eq!(rows.len(), 1, "{tool} asks first");
    app.answer(&conversation, &[(&rows[0], Decision::Approve)]).await;
    told(app)
}

/// N-09, RQ-6, field L-091: `get-env` says that it only reads and gives all of its environment away.
#[tokio::test]
async fn a_hint_that_lies_opens_nothing_and_the_environment_is_bare() {
    let mut everything = server("Everything", node("mcp-server-everything"), &["stdio"]);
    let Launch::Command { env, .. } = &mut everything.launch else { unreachable!() };
    env.push(Variable { name: "DESK_TOKEN".to_owned(), text: None, from: From::Keyring });
    env.push(Variable { name: "DESK_PLACE".to_owned(), text: Some("here".to_owned()), from: From::None });
    let secrets = vec![TypedSecret { name: "DESK_TOKEN".to_owned(), value: "s3cret".to_owned() }];
    let (mut app, ids) = app(vec![SaveServer { server: everything, secrets }]).await;

    app.script.will([Turn::Says(calling(&[call("everything__get-env", "{}")]))]);
    let planning = app.begin("Look.", Some(Mode::Plan)).await;
    assert!(app.rows(&planning).await.is_empty());
    assert!(told(&app).contains("not executed"), "Plan mode doesn't offer it: {}", told(&app));
    let offered = app.script.prompts.lock().unwrap()[0].tools.len();

    let shown = until(&app, &ids[0], |now| now.row.state == ServerState::Running).await;
    let liar = tool(&shown, "get-env");
    assert_eq!(liar.claims, ["read-only", "not destructive", "repeatable", "stays inside"]);
    assert_eq!((liar.in_default, liar.in_plan, liar.in_auto), (InMode::Asks, InMode::Hidden, InMode::Runs));
    assert!(shown.tools.len() > 10 && offered < 10, "{} tools, {offered} of the house offered", shown.tools.len());

    let result = approved(&mut app, "everything__get-env", &serde_json::json!({})).await;
    assert!(result.contains("\"DESK_PLACE\": \"here\"") && result.contains("\"DESK_TOKEN\": \"s3cret\""), "{result}");
    for name in ["DBUS_SESSION_BUS_ADDRESS", "CARGO_MANIFEST_DIR", "DISPLAY", "RUSTC"] {
        assert!(!result.contains(name), "{name} is none of its business");
    }
    let used = detail(&app, &ids[0]).await;
    assert!(tool(&used, "get-env").last_used_at.is_some() && tool(&used, "echo").last_used_at.is_none());
    app.countersign.quit().await;
}

/// What the person says of a tool counts for the very next run, and what was typed for a secret is never shown again.
#[tokio::test]
async fn the_persons_word_decides_and_a_rejection_reaches_the_model() {
    let (mut app, id) = with(server("Everything", node("mcp-server-everything"), &["stdio"])).await;
    let sum = serde_json::json!({"a": 9_007_199_254_740_993_i64, "b": 1});
    app.script.will([Turn::Says(calling(&[call("everything__get-sum", &sum.to_string())]))]);
    let conversation = app.begin("Add.", None).await;
    let rows = app.rows(&conversation).await;
    let card = app.detail(&rows[0]).await;
    let of = card.server.expect("it is a server's");
    assert_eq!((of.name.as_deref(), of.replaced, of.tightened), (Some("Everything"), false, false));
    assert!(of.claims.contains(&"read-only".to_owned()));
    assert!(matches!(card.state, DetailState::Open { .. }));
    let no = Decision::Reject { reason: Some("No sums today.".to_owned()) };
    app.answer(&conversation, &[(&rows[0], no)]).await;
    assert!(told(&app).contains("No sums today."));

    let shown = detail(&app, &id).await;
    let row = tool(&shown, "echo");
    let word = ToolWord { asks: Some(ServerAsks::Never), read_only: true, parallel_safe: false };
    let say = |fingerprint: String| request::say_of_tool { id: id.clone(), key: "echo".to_owned(), fingerprint, word };
    assert!(
        app.countersign.say_of_tool(Space::Main, say("0".repeat(64))).await.is_err(),
        "it is said of what was shown"
    );
    app.countersign.say_of_tool(Space::Main, say(row.fingerprint.clone())).await.unwrap();
    let now = detail(&app, &id).await;
    assert_eq!(tool(&now, "echo").in_plan, InMode::Runs);
    app.script.will([Turn::Says(calling(&[call("everything__echo", r#"{"message":"süß"}"#)]))]);
    let planning = app.begin("Look.", Some(Mode::Plan)).await;
    assert!(app.rows(&planning).await.is_empty(), "it runs in Plan without asking");
    assert!(told(&app).contains("süß"), "{}", told(&app));
    app.countersign.quit().await;
}

/// Tools that a server adds a moment after its start are there, and the roots that the person set are what it is told.
#[tokio::test]
async fn a_list_that_changes_is_followed_and_roots_are_the_persons() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("my work");
    std::fs::create_dir(&root).unwrap();
    let roots = vec![root.to_string_lossy().into_owned()];
    let (mut app, id) = with(Server { roots, ..server("Everything", node("mcp-server-everything"), &["stdio"]) }).await;
    detail(&app, &id).await;
    until(&app, &id, |now| now.tools.iter().any(|tool| tool.key == "get-roots-list")).await;
    let result = approved(&mut app, "everything__get-roots-list", &serde_json::json!({})).await;
    assert!(result.contains("my%20work") && !result.contains("/home/"), "{result}");
    app.countersign.quit().await;
}

/// Approves the one call that asks and waits for the question that its server then has.
async fn asked(app: &mut App) -> (String, String) {
    app.script.will([Turn::Says(calling(&[call("everything__trigger-elicitation-request", "{}")]))]);
    let conversation = app.begin("Ask me.", None).await;
    let rows = app.rows(&conversation).await;
    let answers = app.decided(&[(&rows[0], Decision::Approve)]).await;
    app.send(countersign_api::wire::conversation::Send { answers, ..nothing(&conversation) }).await.unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let set = app.set(&conversation).await;
        let held = set.iter().flat_map(|set| &set.rows).find(|row| row.held_by.is_some());
        if let Some(row) = held {
            return (conversation, row.id.clone());
        }
        assert!(Instant::now() < deadline, "the server never asked: {set:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// D-86: what a server asks in the middle of its call is answered in place; what isn't answered ends with the server.
#[tokio::test]
async fn d_86_a_server_asks_and_is_answered_or_its_question_ends_with_it() {
    let (mut app, id) = with(server("Everything", node("mcp-server-everything"), &["stdio"])).await;
    detail(&app, &id).await;
    until(&app, &id, |now| now.tools.iter().any(|tool| tool.key == "trigger-elicitation-request")).await;
    let (conversation, row) = asked(&mut app).await;
    let card = app.detail(&row).await;
    assert_eq!(card.held_by.as_ref().map(countersign_api::display::text::plain).as_deref(), Some("Everything"));
    let answer = Decision::Answer { value: r#"{"name":"Ada"}"#.to_owned() };
    let answers = app.decided(&[(&row, answer)]).await;
    app.send(countersign_api::wire::conversation::Send { answers, ..nothing(&conversation) }).await.unwrap();
    app.quiet(&conversation).await;
    assert!(told(&app).contains("Ada"), "{}", told(&app));

    let (conversation, row) = asked(&mut app).await;
    let decline = app.decided(&[(&row, Decision::Reject { reason: None })]).await;
    app.send(countersign_api::wire::conversation::Send { answers: decline, ..nothing(&conversation) }).await.unwrap();
    app.quiet(&conversation).await;
    assert!(told(&app).to_lowercase().contains("declined"), "{}", told(&app));

    let (conversation, row) = asked(&mut app).await;
    app.countersign.restart_server(Space::Main, request::restart_server { id }).await.unwrap();
    app.quiet(&conversation).await;
    assert!(app.rows(&conversation).await.is_empty(), "nothing waits any more");
    assert!(matches!(app.detail(&row).await.state, DetailState::Closed { .. }));
    assert!(told(&app).contains("may have been carried out"), "{}", told(&app));
    app.countersign.quit().await;
}

/// D-54, D-86: killed in the middle of a call, its outcome is unknown, the state says so, and the next call starts it again.
#[tokio::test]
async fn a_server_killed_in_the_middle_of_a_call_is_said_to_be_and_comes_back() {
    let (mut app, id) = with(server("Everything", node("mcp-server-everything"), &["stdio"])).await;
    let long = call("everything__trigger-long-running-operation", r#"{"duration":60,"steps":60}"#);
    app.script.will([Turn::Says(calling(&[long]))]);
    let conversation = app.begin("Go.", None).await;
    let rows = app.rows(&conversation).await;
    let answers = app.decided(&[(&rows[0], Decision::Approve)]).await;
    app.send(countersign_api::wire::conversation::Send { answers, ..nothing(&conversation) }).await.unwrap();
    until(&app, &id, |now| tool(now, "trigger-long-running-operation").last_used_at.is_some()).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    kill_children("mcp-server-everything");
    app.quiet(&conversation).await;
    assert!(told(&app).contains("may have been carried out"), "{}", told(&app));
    let failed = until(&app, &id, |now| !matches!(now.row.state, ServerState::Running)).await;
    assert!(!failed.tools.is_empty(), "what it has is still shown");
    let result = approved(&mut app, "everything__echo", &serde_json::json!({"message": "again"})).await;
    assert!(result.contains("again"), "{result}");
    app.countersign.quit().await;
}

/// Kills what this process started that has the words in its command line.
fn kill_children(words: &str) {
    let own = std::process::id().to_string();
    let mut killed = 0;
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let line = std::fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let parent = stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(1));
        let busy =
            std::fs::read_to_string(entry.path().join("environ")).unwrap_or_default().contains("COUNTERSIGN_TEST=kill");
        if line.contains(words) && parent == Some(own.as_str()) && !busy {
            let id = entry.file_name().to_string_lossy().parse::<i32>().unwrap();
            rustix::process::kill_process(rustix::process::Pid::from_raw(id).unwrap(), rustix::process::Signal::KILL)
                .unwrap();
            killed += 1;
        }
    }
    assert!(killed > 0, "nothing to kill");
}

#[tokio::test]
async fn a_server_of_files_stays_in_its_folder_and_writes_when_it_may() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().canonicalize().unwrap();
    let files = server("Files", node("mcp-server-filesystem"), &[&place.to_string_lossy()]);
    let (mut app, _) = with(files).await;
    let path = place.join("note.txt").to_string_lossy().into_owned();
    let written = serde_json::json!({"path": path, "content": "hello\n"});
    approved(&mut app, "files__write_file", &written).await;
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "hello\n");
    let result = approved(&mut app, "files__read_text_file", &serde_json::json!({"path": path})).await;
    assert!(result.contains("hello"), "{result}");
    let outside = approved(&mut app, "files__read_text_file", &serde_json::json!({"path": "/etc/passwd"})).await;
    assert!(outside.contains("denied") && !outside.contains("root:"), "{outside}");
    app.countersign.quit().await;
}

#[tokio::test]
async fn several_servers_of_two_languages_work_beside_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().canonicalize().unwrap();
    let git = |args: &[&str]| run(Command::new("git").arg("-C").arg(&place).args(args));
    git(&["init", "--quiet", "--initial-branch=main"]);
    std::fs::write(place.join("new.txt"), "x").unwrap();
    let mut memory = server("Memory", node("mcp-server-memory"), &[]);
    let Launch::Command { env, .. } = &mut memory.launch else { unreachable!() };
    let kept = place.join("memory.json").to_string_lossy().into_owned();
    env.push(Variable { name: "MEMORY_FILE_PATH".to_owned(), text: Some(kept), from: From::None });
    let servers = [
        memory,
        server("Git", python("mcp-server-git"), &["--repository", &place.to_string_lossy()]),
        server("Time", python("mcp-server-time"), &[]),
    ];
    let saves = servers.into_iter().map(|server| SaveServer { server, secrets: Vec::new() }).collect();
    let (mut app, ids) = app(saves).await;

    let entity = serde_json::json!({"entities": [{"name": "Ada", "entityType": "person", "observations": ["writes"]}]});
    approved(&mut app, "memory__create_entities", &entity).await;
    let graph = approved(&mut app, "memory__read_graph", &serde_json::json!({})).await;
    assert!(graph.contains("Ada"), "{graph}");
    let repository = serde_json::json!({"repo_path": place.to_string_lossy()});
    let status = approved(&mut app, "git__git_status", &repository).await;
    assert!(status.contains("new.txt"), "{status}");
    let zone =
        serde_json::json!({"source_timezone": "Europe/Berlin", "time": "12:00", "target_timezone": "Asia/Tokyo"});
    let time = approved(&mut app, "time__convert_time", &zone).await;
    assert!(time.contains("Asia/Tokyo"), "{time}");
    for id in &ids {
        assert_eq!(detail(&app, id).await.row.state, ServerState::Running);
    }
    // Deleted, it is gone for the next run, and nothing of it is left running.
    app.countersign.delete_server(Space::Main, request::delete_server { id: ids[2].clone() }).await.unwrap();
    app.script.will([Turn::Says(calling(&[call("time__convert_time", &zone.to_string())]))]);
    let conversation = app.begin("Again.", None).await;
    assert!(app.rows(&conversation).await.is_empty());
    assert!(told(&app).contains("there is no tool called"), "{}", told(&app));
    app.countersign.quit().await;
}

/// The same server over HTTP.
#[tokio::test]
async fn a_server_is_reached_over_http() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut process = Command::new(node("mcp-server-everything"))
        .arg("streamableHttp")
        .env("PORT", port.to_string())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() && Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let launch = Launch::Http { url: format!("http://127.0.0.1:{port}/mcp"), headers: Vec::new() };
    let (mut app, id) = with(Server { launch, ..server("Over HTTP", String::new(), &[]) }).await;
    let result = approved(&mut app, "over-http__echo", &serde_json::json!({"message": "far"})).await;
    assert!(result.contains("far"), "{result}");
    process.kill().unwrap();
    process.wait().unwrap();
    app.script.will([Turn::Says(calling(&[call("over-http__echo", r#"{"message":"gone"}"#)]))]);
    let conversation = app.begin("Again.", None).await;
    let rows = app.rows(&conversation).await;
    if let Some(row) = rows.first() {
        app.answer(&conversation, &[(row, Decision::Approve)]).await;
        assert!(told(&app).contains("server"), "{}", told(&app));
    }
    until(&app, &id, |now| !matches!(now.row.state, ServerState::Running)).await;
    app.countersign.quit().await;
}
