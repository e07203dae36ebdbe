//! Commands that try to get out of their confinement, with real processes.
//!
//! Every attempt runs twice: as a command that nothing holds in, to see that it is a real attempt, and held in. What
//! came of it, on a kernel that offers the level (the tests below fail if a line stops being true):
//!
//! | attempt | not held in | held in |
//! |---|---|---|
//! | write, append, make, cut or remove a file outside: absolute, through `..`, after `cd` | done | denied |
//! | through a symbolic link in the workspace, through `/proc/self/root`, through `/proc/self/fd` | done | denied |
//! | link a file of outside into the workspace and write to that name | done | denied |
//! | move a file in or out | done | denied (in: a copy is made, the original stays) |
//! | swap a folder for a link in a race with a writer | chance | denied |
//! | mount the outside into the workspace | needs rights | denied |
//! | from a child of its own session, from forks that go on while it is killed | done | denied, and none is left |
//! | read, write, link, move or mount the database and the configuration | done | denied |
//! | read the app's environment through `/proc` | done | denied |
//! | press keys with xdotool; own the notification service's name on the bus (`desktop.rs`) | done | denied |
//! | connect, listen, send a datagram, with the network off | done | denied |
//! | list the *names* in Countersign's folders | done | **done** |
//! | change permissions and times of the person's files | done | **done** |
//! | reach services of this machine over the network, with the network on | done | **done** |

use std::net::{TcpListener, UdpSocket};

use countersign_core::confine::{CommandSettings, Confinement, Hold, Network, Offered};
use countersign_core::input::{Outcome, OutcomeKind};
use countersign_core::request::Precondition;
use countersign_tools::exec::ExecHelper;
use serde_json::json;

use crate::support::{BOTH, Bench, helper, helper_path, holds};

/// What a command tries; `$OUT` is a folder beside the workspace with `secret` in it, `$OWN` one of Countersign's own.
const OUTSIDE: &[(&str, &str)] = &[
    ("write", "echo x > $OUT/secret"),
    ("append through ..", "echo x >> ../outside/secret"),
    ("make", "touch ../outside/new"),
    ("make a folder", "mkdir $OUT/new"),
    ("cut", "truncate -s 0 $OUT/secret"),
    ("cut by path", "perl -e 'truncate(\"../outside/secret\", 0) or die $!'"),
    ("remove", "rm -f $OUT/secret"),
    ("write after cd", "cd $OUT && echo x > secret"),
    ("write through a link", "ln -s ../outside link && echo x > link/secret"),
    ("write through a link to the file", "ln -s $OUT/secret link && echo x > link"),
    ("write through /proc/self/root", "echo x > /proc/self/root$OUT/secret"),
    ("write through an open file", "exec 3< $OUT/secret; echo x > /proc/self/fd/3"),
    ("write to a second name", "ln $OUT/secret name && echo x > name"),
    ("move in", "mv $OUT/secret stolen"),
    ("move out", "echo x > new && mv new $OUT/new"),
    ("exchange", "perl -e 'mkdir \"d\"; rename(\"../outside\", \"d\") or die $!'"),
    ("write from a session of its own", "setsid -w sh -c 'setsid -w sh -c \"echo x > $OUT/secret\"'"),
    ("write to the database", "echo x > $OWN/countersign.sqlite"),
    ("write to the configuration", "echo x > $OWN/config/config.toml"),
    ("write to the database through a link", "ln -s $OWN own; echo x > own/countersign.sqlite"),
    ("write to the database by a second name", "ln $OWN/countersign.sqlite name && echo x > name"),
    ("move Countersign's folder away", "mv $OWN moved"),
    ("remove the database", "rm -f $OWN/countersign.sqlite"),
];

/// What tries to read what no tool may read; `KEPT` is in each file.
const READS: &[(&str, &str)] = &[
    ("read the database", "cat $OWN/countersign.sqlite"),
    ("read the configuration", "cat $OWN/config/config.toml"),
    ("read a key", "cat $OWN/config/keys/one"),
    ("read through ..", "cat ../own/countersign.sqlite"),
    ("read through a link", "ln -s $OWN own; cat own/countersign.sqlite"),
    ("read through /proc/self/root", "cat /proc/self/root$OWN/countersign.sqlite"),
    ("read by a second name", "ln $OWN/countersign.sqlite name; cat name"),
    ("read by moving", "mv $OWN/countersign.sqlite moved; cat moved"),
    ("read from a session of its own", "setsid -w cat $OWN/countersign.sqlite"),
];

/// A bench with Countersign's own folder beside the workspace.
fn bench(hold: Hold, network: Network) -> Bench {
    let bench = Bench::refusing(BOTH[0], &["own"]).with_commands(hold, network);
    let own = bench.home.join("own");
    std::fs::create_dir_all(own.join("config/keys")).unwrap();
    for file in ["countersign.sqlite", "config/config.toml", "config/keys/one"] {
        std::fs::write(own.join(file), "KEPT").unwrap();
    }
    bench
}

async fn run(bench: &Bench, command: &str) -> Outcome {
    let (out, own) = (bench.home.join("outside"), bench.home.join("own"));
    let command = format!("export OUT={} OWN={}\n{command}", out.display(), own.display());
    bench.call("run_command", json!({ "command": command, "timeout_s": 20 })).await
}

/// Everything outside the workspace, by name and content.
fn outside(bench: &Bench) -> Vec<(String, Option<String>)> {
    let names = bench.names().into_iter().filter(|name| !name.starts_with("work"));
    names.map(|name| (name.clone(), std::fs::read_to_string(bench.home.join(name)).ok())).collect()
}

#[tokio::test]
async fn nothing_outside_is_changed() {
    let held = holds(Network::On);
    for (name, command) in OUTSIDE {
        let free = bench(Hold::Never, Network::On);
        let before = outside(&free);
        let outcome = run(&free, command).await;
        assert_ne!(outside(&free), before, "{name}: not held in, it must work: {}", outcome.text);
        let tight = bench(Hold::Strongest, Network::On);
        let before = outside(&tight);
        let outcome = run(&tight, command).await;
        if held {
            assert_eq!(outside(&tight), before, "{name}: {}", outcome.text);
            assert_eq!(outcome.kind, OutcomeKind::Failed, "{name}: {}", outcome.text);
            assert!(
                outcome
                    .text
                    .contains("\nIt ran confined: writes only in the workspace and temp. If something was denied"),
                "{name}: {}",
                outcome.text
            );
        } else {
            assert_ne!(outside(&tight), before, "{name}: the card said that nothing is held in, and so it is");
        }
    }
}

#[tokio::test]
async fn countersigns_own_files_are_not_read() {
    let held = holds(Network::On);
    for (name, command) in READS {
        let outcome = run(&bench(Hold::Never, Network::On), command).await;
        assert!(outcome.text.contains("KEPT"), "{name}: not held in, it must work: {}", outcome.text);
        let outcome = run(&bench(Hold::Strongest, Network::On), command).await;
        assert_eq!(outcome.text.contains("KEPT"), !held, "{name}: {}", outcome.text);
    }
    // The environment of the app may hold a model's key. This test stands in for the app.
    let environment = format!("tr '\\0' '\\n' < /proc/{}/environ", std::process::id());
    let outcome = run(&bench(Hold::Never, Network::On), &environment).await;
    assert!(outcome.text.contains("CARGO"), "{}", outcome.text);
    let outcome = run(&bench(Hold::Strongest, Network::On), &environment).await;
    assert_eq!(outcome.text.contains("CARGO"), !held, "{}", outcome.text);
}

/// A folder becomes a link again and again while another process writes into it.
#[tokio::test]
async fn no_race_of_renames_gets_out() {
    if !holds(Network::On) {
        return assert_says_not_confined().await;
    }
    let tight = bench(Hold::Strongest, Network::On);
    let before = outside(&tight);
    let race = "mkdir d; ln -s ../outside l
        (while :; do mv -T d e; mv -T l d; mv -T d l; mv -T e d; done) 2>/dev/null &
        i=0; while [ $i -lt 2000 ]; do echo x > d/secret; i=$((i+1)); done 2>/dev/null; kill $!; echo raced";
    let outcome = run(&tight, race).await;
    assert_eq!(outside(&tight), before, "{}", outcome.text);
    assert!(outcome.text.ends_with("raced\n"), "{}", outcome.text);
}

/// Forks that are faster than the killing inherit what holds their parent in, and none is left.
#[tokio::test]
async fn what_forks_while_it_is_killed_is_held_too() {
    if !holds(Network::On) {
        return assert_says_not_confined().await;
    }
    let tight = bench(Hold::Strongest, Network::On);
    let before = outside(&tight);
    let forks = "for i in 1 2 3 4; do
        (setsid sh -c 'while :; do (echo x > $OUT/secret; echo x > here; sleep 0.01) & done 2>/dev/null' &)
        done; sleep 1000";
    let command = format!("export OUT={}\n{forks}", tight.home.join("outside").display());
    let outcome = tight.call("run_command", json!({ "command": command, "timeout_s": 1 })).await;
    assert!(outcome.text.contains("because its time was over") && !outcome.text.contains("could not be ended"));
    assert_eq!(outside(&tight), before);
    assert!(tight.work.join("here").exists(), "they did run");
}

/// A data folder that somebody put into temp is no part of temp; what lies beside it still is.
#[tokio::test]
async fn countersigns_folder_in_temp_is_not_written_to() {
    let temp = tempfile::tempdir_in("/tmp").unwrap();
    let place = temp.path().canonicalize().unwrap();
    std::fs::create_dir(place.join("own")).unwrap();
    std::fs::write(place.join("beside"), "").unwrap();
    let bench = Bench::refusing(BOTH[0], &[place.join("own").to_str().unwrap()]);
    let command = format!("cd {} && echo x > beside; echo x > own/new; mv own moved", place.display());
    let outcome = bench.call("run_command", json!({ "command": command })).await;
    assert_eq!(std::fs::read_to_string(place.join("beside")).unwrap(), "x\n", "{}", outcome.text);
    assert_eq!(place.join("own/new").exists() || place.join("moved").exists(), !holds(Network::On), "{}", outcome.text);
}

#[tokio::test]
async fn nothing_is_mounted() {
    if !holds(Network::On) {
        return assert_says_not_confined().await;
    }
    for command in
        ["mkdir m; mount --bind $OUT m", "mkdir m; unshare -rm sh -c 'mount --bind $OUT m && echo x > m/secret'"]
    {
        let tight = bench(Hold::Strongest, Network::On);
        let before = outside(&tight);
        let outcome = run(&tight, command).await;
        assert_eq!((outcome.kind, outside(&tight)), (OutcomeKind::Failed, before), "{}", outcome.text);
    }
}

/// What a person would miss if it didn't work: these are denied nothing.
#[tokio::test]
async fn ordinary_work_goes_on() {
    let bench = Bench::new(BOTH[0]);
    let temp = format!("countersign-test-{}", std::process::id());
    for command in [
        "mkdir -p a/b && echo x > a/b/one && mv a/b/one a/two && ln a/two three && ln -s three four && cat four && rm -r a",
        "echo x > /dev/null; head -c 4 /dev/urandom > bytes; echo out > /dev/stdout; chmod +x bytes; mkfifo pipe",
        "cat ../outside/secret; ls / ../outside; cat /proc/self/stat; cat /etc/passwd",
        &format!("echo x > /tmp/{temp} && rm /tmp/{temp} && mktemp | xargs rm"),
        "perl -MSocket -e 'socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, PF_UNSPEC) or die $!'",
        "(sleep 0.01; echo child) & wait; sh -c 'echo grandchild' | grep grand",
    ] {
        let outcome = bench.call("run_command", json!({ "command": command })).await;
        assert_eq!(outcome.kind, OutcomeKind::Succeeded, "`{command}`: {}", outcome.text);
    }
}

/// So that what the documents say of the limits stays true: the kernel's means don't reach this far.
#[tokio::test]
async fn names_permissions_and_times_are_not_held() {
    let tight = bench(Hold::Strongest, Network::On);
    let outcome =
        run(&tight, "ls $OWN; chmod 640 $OUT/secret; touch -t 200001010000 $OUT/secret; stat -c %a%Y $OUT/secret")
            .await;
    assert_eq!(outcome.kind, OutcomeKind::Succeeded, "{}", outcome.text);
    assert!(outcome.text.contains("countersign.sqlite") && outcome.text.contains("640946"), "{}", outcome.text);
}

const CONNECT: &str = "perl -MIO::Socket::INET -e 'IO::Socket::INET->new(PeerAddr => \"127.0.0.1\", PeerPort => $ENV{PORT}) or die $!; print \"through\"'";
const LISTEN: &str = "perl -MIO::Socket::INET -e 'IO::Socket::INET->new(Listen => 1, LocalAddr => \"127.0.0.1\") or die $!; print \"through\"'";
const DATAGRAM: &str = "perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(Proto => \"udp\", PeerAddr => \"127.0.0.1\", PeerPort => $ENV{PORT}) or die $!; $s->send(\"x\") or die $!; print \"through\"'";

#[tokio::test]
async fn the_network_is_off_where_the_agent_says_so() {
    let (stream, datagram) = (TcpListener::bind("127.0.0.1:0").unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap());
    let (stream, datagram) = (stream.local_addr().unwrap().port(), datagram.local_addr().unwrap().port());
    for (port, command) in [(stream, CONNECT), (stream, LISTEN), (datagram, DATAGRAM)] {
        let command = format!("export PORT={port}; {command}");
        for network in [Network::On, Network::Off] {
            let tight = bench(Hold::Strongest, network);
            let outcome = run(&tight, &command).await;
            match (network, holds(Network::Off)) {
                (Network::On, _) => assert!(outcome.text.ends_with("through"), "{}", outcome.text),
                (Network::Off, true) => {
                    assert_eq!(outcome.kind, OutcomeKind::Failed);
                    assert!(outcome.text.contains("Permission denied"), "{}", outcome.text);
                    assert!(outcome.text.contains("workspace and temp, network off. If"), "{}", outcome.text);
                }
                (Network::Off, false) => {
                    assert!(outcome.text.contains("this machine can't do that"), "{}", outcome.text);
                }
            }
        }
    }
}

/// D-73: the level is part of what is asked, and a level that was required never falls back.
#[tokio::test]
async fn d_73_a_required_level_is_there_or_the_call_fails() {
    let why = || Err("its kernel is too old".to_owned());
    let machine = |files, network| helper().offering(Offered { files, network });
    for (hold, network, offers, expected) in [
        (Hold::Required, Network::On, machine(why(), why()), "commands must be confined, and this machine can't"),
        (Hold::Strongest, Network::Off, machine(Ok(()), why()), "network off, and this machine can't do that: its"),
        (Hold::Strongest, Network::Off, machine(why(), why()), "network off, and this machine can't do that: its"),
        (Hold::Never, Network::Off, machine(Ok(()), Ok(())), "only be off for commands that are confined"),
    ] {
        let bench = Bench::helped(offers).with_commands(hold, network);
        let prepared = bench.prepare("run_command", &json!({ "command": "touch ran" })).await;
        assert!(prepared.fault.as_ref().is_some_and(|fault| fault.contains(expected)), "{prepared:?}");
        assert_eq!(prepared.preconditions, [], "it doesn't even ask");
        let outcome = bench.run("run_command", &json!({ "command": "touch ran" }), vec![], None).await;
        assert!(outcome.text.contains(expected) && !bench.work.join("ran").exists(), "{}", outcome.text);
    }
    let bench = Bench::helped(machine(why(), why()));
    assert_eq!(
        level(&bench).await,
        Confinement::None,
        "nothing was required, and the card says that nothing holds it in"
    );
}

/// D-73, D-85: an approval is for the level and the environment that were shown.
#[tokio::test]
async fn d_73_a_changed_level_is_a_changed_place() {
    let bench = Bench::new(BOTH[0]);
    let arguments = json!({ "command": "touch ran" });
    let asked = bench.prepare("run_command", &arguments).await.preconditions;
    let bench = bench.with_commands(Hold::Never, Network::On);
    let now = bench.prepare("run_command", &arguments).await.preconditions;
    let folder_only = vec![asked[0].clone()];
    let mut elsewhere = now.clone();
    elsewhere[1] = Precondition::Environment { sha256: "of another start".to_owned() };
    let mut cases =
        vec![(folder_only, "the environment of commands changed"), (elsewhere, "the environment of commands")];
    if holds(Network::On) {
        cases.push((asked, "what commands are confined to changed since you asked"));
    }
    for (preconditions, words) in cases {
        let outcome = bench.run("run_command", &arguments, preconditions, None).await;
        assert_eq!(outcome.kind, OutcomeKind::ChangedSinceAsked, "{}", outcome.text);
        assert!(outcome.text.contains(words) && !bench.work.join("ran").exists(), "{}", outcome.text);
    }
    assert_eq!(bench.run("run_command", &arguments, now, None).await.kind, OutcomeKind::Succeeded);
}

/// A machine whose level broke since it was tried: the process that can't hold itself in runs nothing.
#[tokio::test]
async fn an_order_that_cannot_be_carried_out_runs_nothing() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let program = folder.path().join("in_layers");
    std::os::unix::fs::symlink(helper_path(), &program).unwrap();
    let broken = || ExecHelper::at(&program).offering(Offered { files: Ok(()), network: Ok(()) });
    if holds(Network::On) {
        let why = ExecHelper::at(&program).offered().files.clone().unwrap_err();
        assert!(why.contains("Landlock can't be used"), "{why}");
        let free = Bench::helped(broken()).with_commands(Hold::Never, Network::On);
        let outcome = free.call("run_command", json!({ "command": "touch ran" })).await;
        assert!(free.work.join("ran").exists(), "the helper itself works: {}", outcome.text);
    }
    let bench = Bench::helped(broken());
    let outcome = bench.call("run_command", json!({ "command": "touch ran" })).await;
    assert_eq!(outcome.kind, OutcomeKind::Failed);
    assert!(outcome.text.contains("it couldn't be confined") && !bench.work.join("ran").exists(), "{}", outcome.text);
}

async fn level(bench: &Bench) -> Confinement {
    let prepared = bench.prepare("run_command", &json!({ "command": "true" })).await;
    let level = prepared.preconditions.iter().find_map(|one| match one {
        Precondition::Confined { confinement } => Some(*confinement),
        Precondition::File { .. } | Precondition::Folder { .. } | Precondition::Environment { .. } => None,
    });
    level.expect("every command says what it runs under")
}

/// What is said on a machine that can't hold commands in.
async fn assert_says_not_confined() {
    assert_eq!(level(&Bench::new(BOTH[0])).await, Confinement::None);
    assert!(Confinement::None.words().contains("could operate Countersign itself"));
}

/// An agent of which nobody said anything is held in as far as the machine can.
#[tokio::test]
async fn an_agent_that_requires_nothing_gets_the_strongest() {
    let bench = Bench::new(BOTH[0]);
    assert_eq!(CommandSettings::default(), CommandSettings { hold: Hold::Strongest, network: Network::On });
    let expected = if holds(Network::On) { Confinement::Held { network: Network::On } } else { Confinement::None };
    assert_eq!(level(&bench).await, expected);
}
