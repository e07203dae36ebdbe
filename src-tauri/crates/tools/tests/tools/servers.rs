//! Servers of tools as real processes: one that behaves, and one that does everything to hang, flood or deceive.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use countersign_core::agent::KeySource;
use countersign_core::ids::ServerId;
use countersign_core::input::{Outcome, OutcomeKind};
use countersign_core::parse;
use countersign_core::policy::DataClass;
use countersign_core::server::{Asks, Launch, Seen, ServerProfile, Value, Variable, Word};
use countersign_core::tool::requires_approval;
use countersign_engine::ports::{ToRun, Toolbox as _};
use countersign_tools::servers::{Secrets, ServerTools, Servers, State};
use secrecy::SecretString;
use tokio_util::sync::CancellationToken;

pub(crate) const ID: ServerId = ServerId([7; 16]);

struct Vault;

#[async_trait]
impl Secrets for Vault {
    async fn read(&self, _: ServerId, variable: &str, _: &KeySource) -> Result<SecretString, String> {
        if variable == "Authorization" {
            Ok(SecretString::from("Bearer s3cret"))
        } else if variable == "TOKEN" {
            Ok(SecretString::from("s3cret"))
        } else {
            Err("there is no such key".to_owned())
        }
    }
}

fn program() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    tests.parent().unwrap().parent().unwrap().join("examples/tool_server")
}

fn secret(name: &str) -> Variable {
    Variable { name: name.to_owned(), value: Value::Secret { from: KeySource::Keyring } }
}

pub(crate) fn profile(manner: &str) -> ServerProfile {
    let env = vec![secret("TOKEN")];
    let program = program().to_string_lossy().into_owned();
    ServerProfile {
        id: ID,
        revision: 1,
        name: "Help desk".to_owned(),
        handle: "desk".to_owned(),
        launch: Launch::Command { program, args: vec![manner.to_owned()], env, folder: None },
        on: true,
        data: DataClass::Workspace,
        all: Word::default(),
        seen: Seen::default(),
        tools: std::collections::BTreeMap::new(),
        roots: Vec::new(),
        start_s: 30,
        call_s: 60,
    }
}

async fn up(manner: &str) -> (Servers, ServerTools) {
    with(profile(manner)).await
}

pub(crate) async fn with(profile: ServerProfile) -> (Servers, ServerTools) {
    let servers = Servers::new(Arc::new(Vault));
    let tools = servers.toolbox(&profile).await;
    (servers, tools)
}

fn order(tools: &ServerTools, name: &str, arguments: &str) -> ToRun {
    let tool = tools.tools().into_iter().find(|tool| tool.identity.name == format!("desk__{name}"));
    let identity = tool.map(|tool| tool.identity);
    ToRun {
        tool: format!("desk__{name}"),
        identity,
        arguments: arguments.to_owned(),
        preconditions: vec![],
        also: None,
        asks: countersign_engine::ports::Asks::nobody(),
        whole: countersign_engine::ports::Whole::default(),
    }
}

pub(crate) async fn run(tools: &ServerTools, name: &str, arguments: &str) -> Outcome {
    tools.run(order(tools, name, arguments), CancellationToken::new()).await
}

fn why(servers: &Servers) -> String {
    match servers.status(ID).unwrap().state {
        State::Failed { why, .. } => why,
        other => panic!("it is {other:?}"),
    }
}

/// How much memory this process holds now and held at most, in MiB.
fn memory() -> [u64; 2] {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    ["VmRSS:", "VmHWM:"].map(|name| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
    })
}

#[tokio::test]
async fn a_server_is_started_used_and_stopped() {
    let (servers, tools) = up("well").await;
    let status = servers.status(ID).unwrap();
    assert_eq!((status.state, status.cut.as_str()), (State::Running, ""));
    assert_eq!(status.calls_itself.as_deref(), Some("test\u{202e}server 1"));
    let names: Vec<String> = tools.tools().into_iter().map(|tool| tool.identity.name).collect();
    assert_eq!(names[..2], ["desk__close", "desk__echo"]);
    assert!(tools.tools().iter().all(requires_approval), "every tool asks first");

    let arguments = r#"{"z":9007199254740993,"a":[1,{"ü":"☃"}]}"#;
    let echoed = run(&tools, "echo", arguments).await;
    assert_eq!((echoed.kind, echoed.text.as_str()), (OutcomeKind::Succeeded, arguments));
    let failed = run(&tools, "fail", "{}").await;
    assert_eq!((failed.kind, failed.text.as_str()), (OutcomeKind::Failed, "no such ticket"));

    // The value came from the vault, and only its length was told.
    let log = servers.log(ID);
    let deadline = Instant::now() + Duration::from_secs(5);
    let mut said = log.iter().any(|line| !line.ours && line.text == "ready with 6");
    while !said && Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(20)).await;
        said = servers.log(ID).iter().any(|line| !line.ours && line.text == "ready with 6");
    }
    assert!(said, "{:?}", servers.log(ID));

    let large = r#"{"a":18446744073709551616}"#;
    let prepared = tools.prepare("desk__echo", &parse::arguments(large).unwrap()).await;
    assert!(prepared.fault.is_some_and(|fault| fault.contains("18446744073709551616")));

    servers.stop_all().await;
    assert!(servers.status(ID).is_none());
    let after = run(&tools, "echo", "{}").await;
    assert_eq!(after.kind, OutcomeKind::Failed);
    assert!(after.text.contains("nothing was sent"), "{after:?}");
}

#[tokio::test]
async fn a_crash_in_the_middle_of_a_call_is_unknown_and_the_server_comes_back() {
    let (servers, tools) = up("well").await;
    let crashed = run(&tools, "crash", "{}").await;
    assert_eq!(crashed.kind, OutcomeKind::Unknown, "{crashed:?}");
    assert!(crashed.text.contains("may have been carried out"), "{crashed:?}");
    let deadline = Instant::now() + Duration::from_secs(10);
    while !matches!(servers.status(ID).unwrap().state, State::Failed { .. }) && Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(why(&servers).contains("exit status: 9"), "{}", why(&servers));
    assert!(!tools.tools().is_empty(), "what it had is still shown");
    let again = run(&tools, "echo", "{}").await;
    assert_eq!(again.kind, OutcomeKind::Succeeded, "the next call starts it again: {again:?}");
    servers.stop_all().await;
}

#[tokio::test]
async fn silence_ends_a_call_and_signs_of_life_do_not() {
    let (servers, tools) = with(ServerProfile { call_s: 1, ..profile("well") }).await;
    let worked = run(&tools, "work", "{}").await;
    assert_eq!(
        (worked.kind, worked.text.as_str()),
        (OutcomeKind::Succeeded, "worked"),
        "two seconds, with signs of life"
    );
    let waited = run(&tools, "wait", "{}").await;
    assert_eq!(waited.kind, OutcomeKind::Unknown);
    assert!(waited.text.contains("no sign of life for 1 s"), "{waited:?}");
    servers.stop_all().await;
}

#[tokio::test]
async fn a_call_can_be_stopped() {
    let (servers, tools) = up("well").await;
    let stop = CancellationToken::new();
    let began = Instant::now();
    let (outcome, ()) = tokio::join!(tools.run(order(&tools, "wait", "{}"), stop.clone()), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        stop.cancel();
    });
    assert_eq!(outcome.kind, OutcomeKind::Unknown, "{outcome:?}");
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    assert_eq!(run(&tools, "echo", "{}").await.kind, OutcomeKind::Succeeded, "the server goes on");
    servers.stop_all().await;
}

/// D-87, field L-091: what the person loosened is lost when the server changes the tool, and a call that was approved for the
/// old one isn't run by the new one.
#[tokio::test]
async fn d_87_a_changed_definition_loses_trust_and_is_not_run() {
    let mut server = profile("well");
    let (servers, tools) = with(server.clone()).await;
    server.say_of_all(
        Word { asks: Some(Asks::Never), read_only: true, parallel_safe: false },
        &servers.status(ID).unwrap().definitions,
    );
    let free = servers.toolbox(&server).await;
    let close = || free.tools().into_iter().find(|tool| tool.identity.name == "desk__close").unwrap();
    assert!(!requires_approval(&close()));
    let asked = order(&free, "close", "{}");

    run(&tools, "turn", "{}").await;
    let deadline = Instant::now() + Duration::from_secs(10);
    while !close().description.contains("ALL") && Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(close().description, "Closes ALL tickets");
    assert!(requires_approval(&close()) && close().marks.iter().next().is_none(), "what loosened is lost");
    assert!(asked.identity.as_ref().unwrap().was_replaced_by(&close().identity));
    let outcome = free.run(asked, CancellationToken::new()).await;
    assert_eq!(outcome.kind, OutcomeKind::ChangedSinceAsked, "{outcome:?}");

    // One that changes what a tool is and says nothing is found out when the next run begins, as an answer begins one.
    let (quiet, tools) = up("well").await;
    let asked = order(&tools, "close", "{}");
    run(&tools, "betray", "{}").await;
    let answering = quiet.toolbox(&profile("well")).await;
    let outcome = answering.run(asked, CancellationToken::new()).await;
    assert_eq!(outcome.kind, OutcomeKind::ChangedSinceAsked, "{outcome:?}");
    quiet.stop_all().await;

    // Launched otherwise it is another one, and the first is stopped.
    let Launch::Command { program, env, .. } = server.launch.clone() else { unreachable!() };
    let moved = Launch::Command { program, args: vec!["well".to_owned(), "more".to_owned()], env, folder: None };
    let moved = servers.toolbox(&ServerProfile { launch: moved, ..server }).await;
    assert!(moved.tools().iter().all(requires_approval));
    servers.stop_all().await;
}

/// D-87: one that ends and is started again for a call isn't sent what was approved of its old self.
#[tokio::test]
async fn a_server_that_comes_back_as_another_is_not_sent_what_was_approved() {
    let folder = tempfile::tempdir().unwrap();
    let (mark, program) = (folder.path().join("mark"), program());
    let (mark, program) = (mark.display(), program.display());
    let script =
        format!("[ -e {mark} ] && exec {program} well 'Closes ALL tickets'; touch {mark}; exec {program} well");
    let launch =
        Launch::Command { program: "sh".to_owned(), args: vec!["-c".to_owned(), script], env: vec![], folder: None };
    let (servers, tools) = with(ServerProfile { launch, ..profile("well") }).await;
    let asked = order(&tools, "close", "{}");
    run(&tools, "crash", "{}").await;
    let outcome = tools.run(asked, CancellationToken::new()).await;
    assert_eq!(outcome.kind, OutcomeKind::ChangedSinceAsked, "{outcome:?}");
    servers.stop_all().await;
}

/// D-82: what the person tightens holds for the very next call of a run that goes on, what they loosen doesn't; a server that is
/// switched off or removed has no tools any more.
#[tokio::test]
async fn d_82_a_word_that_tightens_reaches_a_run_that_goes_on() {
    let mut server = profile("well");
    let (servers, _) = with(server.clone()).await;
    let definitions = servers.status(ID).unwrap().definitions;
    let free = Word { asks: Some(Asks::Never), read_only: true, parallel_safe: true };
    server.say_of_all(free, &definitions);
    let began_free = servers.toolbox(&server).await;
    let echo = |tools: &ServerTools| tools.tools().into_iter().find(|tool| tool.identity.name == "desk__echo");
    assert!(!requires_approval(&echo(&began_free).unwrap()));
    let mut strict = ServerProfile { revision: 2, ..server.clone() };
    strict.say_of_all(Word { asks: Some(Asks::First), ..Word::default() }, &definitions);
    servers.present(&strict);
    let now = echo(&began_free).unwrap();
    assert!(requires_approval(&now) && now.marks.iter().next().is_none());

    let began_strict = servers.toolbox(&strict).await;
    let mut loose = ServerProfile { revision: 3, ..strict.clone() };
    loose.say_of_all(free, &definitions);
    servers.present(&loose);
    servers.present(&ServerProfile { revision: 2, ..loose.clone() });
    assert!(requires_approval(&echo(&began_strict).unwrap()), "what loosens waits for the next run");
    assert!(!requires_approval(&echo(&servers.toolbox(&loose).await).unwrap()));

    let asked = order(&began_strict, "echo", "{}");
    servers.present(&ServerProfile { revision: 4, on: false, ..loose.clone() });
    assert!(echo(&began_strict).is_none());
    servers.present(&ServerProfile { revision: 5, ..loose });
    servers.remove(ID).await;
    assert!(echo(&began_strict).is_none());
    let outcome = began_strict.run(asked, CancellationToken::new()).await;
    assert_eq!(outcome.kind, OutcomeKind::Failed, "{outcome:?}");
    servers.stop_all().await;
}

/// A run that begins while another's call keeps the server busy neither ends that call nor trusts what couldn't be looked at.
#[tokio::test]
async fn a_busy_server_is_not_ended_for_another_run() {
    let mut server = ServerProfile { start_s: 1, ..profile("well") };
    let (servers, tools) = with(ServerProfile { start_s: 1, ..profile("well") }).await;
    server.say_of_all(Word { asks: Some(Asks::Never), ..Word::default() }, &servers.status(ID).unwrap().definitions);
    let (worked, other) = tokio::join!(run(&tools, "work", "{}"), async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        servers.toolbox(&server).await
    });
    assert_eq!((worked.kind, worked.text.as_str()), (OutcomeKind::Succeeded, "worked"));
    assert!(other.tools().iter().all(requires_approval), "its list couldn't be read anew");
    servers.stop_all().await;
}

#[tokio::test]
async fn a_server_that_does_not_come_up_says_why() {
    for (manner, start_s, word) in [
        ("dead", 30, "it ended before it answered (exit status: 3): no licence file\u{202e} found"),
        ("silent", 1, "it didn't answer within 1 s"),
        ("junk", 30, "what isn't the protocol"),
    ] {
        let (servers, tools) = with(ServerProfile { start_s, ..profile(manner) }).await;
        assert!(why(&servers).contains(word), "{manner}: {}", why(&servers));
        assert!(tools.tools().is_empty());
        servers.stop_all().await;
    }
    let missing = Launch::Command { program: "no-such-program".to_owned(), args: vec![], env: vec![], folder: None };
    let (servers, _) = with(ServerProfile { launch: missing, ..profile("well") }).await;
    assert_eq!(why(&servers), "there is no program `no-such-program` in PATH");
    let env = vec![secret("OTHER")];
    let keyless = Launch::Command { program: "true".to_owned(), args: vec![], env, folder: None };
    let (servers, _) = with(ServerProfile { launch: keyless, ..profile("well") }).await;
    assert_eq!(why(&servers), "`OTHER` can't be read: there is no such key");
    let off = ServerProfile { on: false, ..profile("well") };
    let (servers, tools) = with(off).await;
    assert!(servers.status(ID).is_none() && tools.tools().is_empty(), "one that is off is left alone");
}

/// Ten thousand tools, 5 MB descriptions, lists without an end, 100 MB results, hostile names and schemas: nothing hangs, and
/// the memory that it takes is bounded.
#[tokio::test]
async fn a_hostile_server_takes_bounded_memory_and_time() {
    let began = Instant::now();
    let [before, _] = memory();
    for (manner, count, word) in [
        ("flood", 2000, "only the first 2000 tools are used"),
        ("wordy", 15, "described in more than 1 MiB"),
        ("endless", 200, "only the first 200 tools are used"),
    ] {
        let (servers, tools) = up(manner).await;
        let status = servers.status(ID).unwrap();
        assert_eq!((status.state, tools.tools().len()), (State::Running, count), "{manner}: {}", status.cut);
        assert!(status.cut.contains(word), "{manner}: {}", status.cut);
        let told: usize = tools.tools().iter().map(|tool| tool.description.len()).max().unwrap();
        assert!(told < 10_000, "{manner}: a model is told at most 8 KiB of each, not {told}");
        servers.stop_all().await;
    }

    let (servers, tools) = up("names").await;
    let names: Vec<String> = tools.tools().into_iter().map(|tool| tool.identity.name).collect();
    assert!(names[0].starts_with("desk__close_ticket_") && names[0].is_ascii(), "{names:?}");
    assert_eq!(names[1..], ["desk__refers", "desk__slow"]);
    servers.stop_all().await;

    let (servers, tools) = up("well").await;
    let huge = run(&tools, "huge", "{}").await;
    assert_eq!(huge.kind, OutcomeKind::Unknown);
    assert!(huge.text.contains("more than 16 MiB"), "{huge:?}");
    assert_eq!(run(&tools, "echo", "{}").await.kind, OutcomeKind::Succeeded, "it is started again");
    servers.stop_all().await;

    let [after, most] = memory();
    println!("hostile servers: {before} MiB before, at most {most} MiB, {after} MiB after, {:?}", began.elapsed());
    assert!(most < before + 400, "{before} MiB before, at most {most} MiB");
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
}

/// What a server left in its process group ends with it.
#[tokio::test]
async fn a_stopped_server_leaves_no_process() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("child");
    let script = format!("sleep 300 & echo $! > {}; exec {} well", mark.display(), program().display());
    let launch =
        Launch::Command { program: "sh".to_owned(), args: vec!["-c".to_owned(), script], env: vec![], folder: None };
    let (servers, tools) = with(ServerProfile { launch, ..profile("well") }).await;
    assert!(!tools.tools().is_empty(), "{}", why(&servers));
    let child = std::fs::read_to_string(&mark).unwrap().trim().to_owned();
    let is_there = || std::fs::read_to_string(format!("/proc/{child}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
    assert!(is_there());
    servers.stop_all().await;
    let deadline = Instant::now() + Duration::from_secs(5);
    while is_there() && Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(!is_there());
}
