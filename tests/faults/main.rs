//! Proves that the tests see what they are there for: every deliberate bug of `core::faults` makes at least one of them fail, and
//! without a bug the same programs pass. Run by `./dev test faults`, which builds them all with the feature.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as it should be"
)]

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use countersign_core::faults::{Fault, VARIABLE};

/// Lines of part, folder and program, parted by tabs.
const PROGRAMS: &str = "FAULT_PROGRAMS";
/// The suites, the quickest first.
const SUITES: &[&str] = &["core", "conformance", "store", "engine"];
/// A suite that a bug makes wait for ever is given up after this, and that is no proof: a bug must be named by a test.
const PATIENCE: Duration = Duration::from_secs(45);

/// The suite that a fault lies nearest to; it is asked first, and the others only if it sees nothing.
fn nearest(fault: Fault) -> &'static str {
    match fault {
        Fault::CloseTwice | Fault::NoRevisionCheck => "store",
        Fault::DropClaim | Fault::ActFirst | Fault::IgnoreOwner => "conformance",
        _ => "core",
    }
}

struct Suite {
    part: String,
    folder: PathBuf,
    program: PathBuf,
}

fn suites() -> Vec<Suite> {
    let list = std::env::var(PROGRAMS).expect("`./dev test faults` says which programs there are");
    let mut suites: Vec<Suite> = std::fs::read_to_string(&list)
        .unwrap()
        .lines()
        .map(|line| {
            let [part, folder, program] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("`{line}`") };
            Suite { part: part.to_owned(), folder: folder.into(), program: program.into() }
        })
        .filter(|suite| SUITES.contains(&suite.part.as_str()))
        .collect();
    suites.sort_by_key(|suite| SUITES.iter().position(|part| *part == suite.part));
    for part in SUITES {
        assert!(suites.iter().any(|suite| suite.part == *part), "{part} was not built");
    }
    suites
}

/// Whether a program passes, and the first of its tests that fails; at that one it is stopped.
fn run(suite: &Suite, fault: Option<Fault>) -> (bool, Option<String>) {
    let output = tempfile::NamedTempFile::new().unwrap();
    let mut command = Command::new(&suite.program);
    command
        .current_dir(&suite.folder)
        .env("CARGO_MANIFEST_DIR", &suite.folder)
        .env("RUST_BACKTRACE", "0")
        .env_remove(VARIABLE)
        // The first sequence that shows a bug is enough; a shorter one isn't looked for.
        .env("PROPTEST_MAX_SHRINK_ITERS", "0")
        .stdin(Stdio::null())
        .stdout(output.reopen().unwrap())
        .stderr(Stdio::null());
    if let Some(fault) = fault {
        command.env(VARIABLE, format!("{fault:?}"));
    }
    let mut child = command.spawn().unwrap();
    let began = Instant::now();
    loop {
        let ended = child.try_wait().unwrap();
        let text = std::fs::read_to_string(output.path()).unwrap();
        let mut named = text.lines().filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"));
        let failed = named.next().map(str::to_owned);
        if let Some(status) = ended {
            return (status.success(), failed);
        }
        if failed.is_some() || began.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            return (false, failed);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn every_fault_is_caught() {
    let suites = suites();
    for suite in &suites {
        let (passes, failed) = run(suite, None);
        assert!(passes, "{} fails without a fault: {failed:?}", suite.part);
    }
    let mut escaped = Vec::new();
    println!("| fault | suite | caught by |");
    println!("|---|---|---|");
    for fault in Fault::ALL.iter().copied() {
        let begins = suites.iter().position(|suite| suite.part == nearest(fault)).unwrap_or_default();
        let mut in_turn = suites[begins..].iter().chain(&suites[..begins]);
        match in_turn.find_map(|suite| Some((suite, run(suite, Some(fault)).1?))) {
            Some((suite, test)) => println!("| {fault:?} | {} | {test} |", suite.part),
            None => escaped.push(fault),
        }
    }
    assert_eq!(escaped, [], "no test sees these");
}
