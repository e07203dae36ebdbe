//! Attempts to get out of the workspace folder, or at what belongs to Countersign.

use std::os::unix::fs::symlink;

use countersign_core::input::OutcomeKind;
use rustix::fs::{CWD, Mode};
use serde_json::json;

use crate::support::{BOTH, Bench};

/// Every path here must be refused by every tool, whichever way it is opened, and nothing may change outside.
#[tokio::test]
async fn no_path_leads_out() {
    for opening in BOTH {
        let bench = Bench::new(opening);
        bench.put("a/inside", "inside");
        symlink("../outside/secret", bench.work.join("file-link")).unwrap();
        symlink("../outside", bench.work.join("folder-link")).unwrap();
        symlink(bench.home.join("outside"), bench.work.join("a/absolute-link")).unwrap();
        symlink("/proc/self/root", bench.work.join("magic")).unwrap();
        symlink("/proc/self/cwd", bench.work.join("magic-cwd")).unwrap();
        symlink("../outside/new", bench.work.join("dead-link-out")).unwrap();
        symlink("loop", bench.work.join("loop")).unwrap();
        let absolute = bench.home.join("outside/secret").to_string_lossy().into_owned();
        let beside = format!("{}/../outside/secret", bench.work.display());
        let root = format!("/proc/self/root{absolute}");
        let deep = "x/".repeat(3000);
        let name = "n".repeat(300);
        let before = bench.names();
        for path in [
            "../outside/secret",
            "a/../../outside/secret",
            "a/../../outside/new",
            "./a/./../../outside/secret",
            "..",
            "../work/../outside/secret",
            &absolute,
            &beside,
            &root,
            "/etc/passwd",
            "/",
            "file-link",
            "folder-link/secret",
            "folder-link/new",
            "a/absolute-link/secret",
            "a/absolute-link/new/file",
            "a/../folder-link/secret",
            "magic/etc/passwd",
            "magic-cwd/Cargo.toml",
            "magic-cwd/new",
            "dead-link-out",
            "loop",
            "loop/x",
            "a\0b",
            "",
            " ",
            &deep,
            &name,
        ] {
            for (tool, arguments) in [
                ("read_file", json!({ "path": path })),
                ("list_files", json!({ "path": path })),
                ("search_files", json!({ "pattern": ".", "path": path })),
                ("write_file", json!({ "path": path, "content": "gotcha" })),
                ("edit_file", json!({ "path": path, "old_text": "secret", "new_text": "gotcha" })),
            ] {
                let prepared = bench.prepare(tool, &arguments).await;
                let fault = prepared.fault.unwrap_or_else(|| panic!("{tool} `{path}` {opening:?} is let through"));
                assert!(!fault.ends_with('.') && !fault.contains("secret\""), "{fault}");
                let outcome = bench.run(tool, &arguments, prepared.preconditions, None).await;
                assert!(outcome.kind != OutcomeKind::Succeeded, "{tool} `{path}` {opening:?}: {}", outcome.text);
            }
        }
        assert_eq!(bench.names(), before, "{opening:?}");
        assert_eq!(std::fs::read_to_string(bench.home.join("outside/secret")).unwrap(), "secret");
    }
}

#[tokio::test]
async fn a_refusal_says_why() {
    for opening in BOTH {
        let bench = Bench::new(opening);
        bench.put("f", "x");
        for (path, words) in [
            ("../outside/secret", "is outside the workspace folder"),
            ("/etc/passwd", "is outside the workspace folder"),
            ("", "the path is empty"),
            ("none", "doesn't exist"),
            ("f/", "is not a folder"),
            ("f/x", "is not a folder"),
            (".", "is a folder, not a file"),
        ] {
            let outcome = bench.call("read_file", json!({ "path": path })).await;
            assert_eq!(outcome.kind, OutcomeKind::Failed, "`{path}`");
            assert!(outcome.text.contains(words), "`{path}` {opening:?}: {}", outcome.text);
        }
    }
}

/// Links that stay inside: followed by the kernel's way, refused in words by the other.
#[tokio::test]
async fn links_that_stay_inside_are_no_escape() {
    let [kernel, by_part] = BOTH.map(Bench::new);
    for bench in [&kernel, &by_part] {
        bench.put("a/file", "text");
        symlink("a/file", bench.work.join("link")).unwrap();
        symlink("a", bench.work.join("folder")).unwrap();
        symlink("none", bench.work.join("dead")).unwrap();
    }
    for path in ["link", "folder/file"] {
        assert_eq!(kernel.call("read_file", json!({ "path": path })).await.text, "text");
        let outcome = kernel.call("write_file", json!({ "path": path, "content": "text" })).await;
        assert_eq!(outcome.left.unwrap().path, "a/file", "what is written is what the link leads to");
        for (tool, arguments) in
            [("read_file", json!({ "path": path })), ("write_file", json!({ "path": path, "content": "new" }))]
        {
            let refused = by_part.call(tool, arguments).await;
            assert!(refused.text.contains("through a symbolic link"), "{}", refused.text);
        }
    }
    assert!(kernel.work.join("link").symlink_metadata().unwrap().is_symlink(), "the link itself stays");
    let dead = kernel.call("write_file", json!({ "path": "dead", "content": "x" })).await;
    assert!(dead.text.contains("leads nowhere"), "{}", dead.text);
    assert!(!kernel.work.join("none").exists());
}

/// Looking at one must neither wait for its other end nor read from it.
#[tokio::test]
async fn special_files_are_refused_at_once() {
    for opening in BOTH {
        let bench = Bench::new(opening);
        rustix::fs::mkfifoat(CWD, bench.work.join("fifo"), Mode::from_raw_mode(0o600)).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(bench.work.join("socket")).unwrap();
        for path in ["fifo", "socket"] {
            for (tool, arguments) in [
                ("read_file", json!({ "path": path })),
                ("search_files", json!({ "pattern": ".", "path": path })),
                ("write_file", json!({ "path": path, "content": "x" })),
                ("edit_file", json!({ "path": path, "old_text": "x", "new_text": "y" })),
            ] {
                let outcome =
                    tokio::time::timeout(std::time::Duration::from_secs(5), bench.call(tool, arguments)).await;
                let outcome = outcome.unwrap_or_else(|_| panic!("{tool} waits for `{path}`"));
                assert!(outcome.text.contains("is not a regular file"), "{tool} `{path}`: {}", outcome.text);
            }
        }
        let listing = bench.call("list_files", json!({})).await.text;
        assert!(listing.contains("fifo (not a regular file)"), "{listing}");
        let found = bench.call("search_files", json!({ "pattern": "." })).await;
        assert!(found.text.contains("no line matches"), "{}", found.text);
    }
}

#[tokio::test]
async fn a_file_with_several_hard_links_is_not_written() {
    for opening in BOTH {
        let bench = Bench::new(opening);
        std::fs::hard_link(bench.home.join("outside/secret"), bench.work.join("hard")).unwrap();
        for (tool, arguments) in [
            ("write_file", json!({ "path": "hard", "content": "x" })),
            ("edit_file", json!({ "path": "hard", "old_text": "secret", "new_text": "y" })),
        ] {
            let outcome = bench.call(tool, arguments).await;
            assert!(outcome.text.contains("several hard links"), "{}", outcome.text);
        }
        assert_eq!(std::fs::read_to_string(bench.home.join("outside/secret")).unwrap(), "secret");
    }
}

/// The refused folder appears in the workspace after the run began, under several names.
#[tokio::test]
async fn countersigns_own_folders_are_refused_under_every_name() {
    for opening in BOTH {
        let bench = Bench::refusing(opening, &["alias/countersign"]);
        let own = bench.work.join("share/countersign");
        std::fs::create_dir_all(own.join("sub")).unwrap();
        std::fs::write(own.join("database"), "mine").unwrap();
        std::fs::write(own.join("sub/log"), "mine").unwrap();
        // The list names it by another path; only device and inode say that it is the same folder.
        symlink(bench.work.join("share"), bench.home.join("alias")).unwrap();
        symlink("share/countersign", bench.work.join("link")).unwrap();
        symlink("share", bench.work.join("upper")).unwrap();
        std::fs::hard_link(own.join("database"), bench.work.join("hard")).unwrap();
        let absolute = own.join("database").to_string_lossy().into_owned();
        for path in [
            "share/countersign/database",
            "share/countersign/sub/log",
            "share/countersign/sub/../database",
            "share/countersign/new",
            "share/countersign/new/deep",
            "share/countersign",
            "share/../share/countersign/",
            "link/database",
            "link",
            "upper/countersign/database",
            "upper/countersign/sub/new",
            "hard",
            &absolute,
        ] {
            for (tool, arguments) in [
                ("read_file", json!({ "path": path })),
                ("list_files", json!({ "path": path })),
                ("search_files", json!({ "pattern": "mine", "path": path })),
                ("write_file", json!({ "path": path, "content": "gotcha" })),
                ("edit_file", json!({ "path": path, "old_text": "mine", "new_text": "gotcha" })),
            ] {
                let outcome = bench.call(tool, arguments).await;
                assert_eq!(outcome.kind, OutcomeKind::Failed, "{tool} `{path}` {opening:?}: {}", outcome.text);
            }
        }
        let found = bench.call("search_files", json!({ "pattern": "mine" })).await;
        assert!(found.text.contains("no line matches"), "{}", found.text);
        let listing = bench.call("list_files", json!({ "depth": 8 })).await;
        assert!(!listing.text.contains("database"), "{}", listing.text);
        assert_eq!(std::fs::read_to_string(own.join("database")).unwrap(), "mine");
        assert_eq!(std::fs::read_dir(&own).unwrap().count(), 2);
    }
}

/// Between ask and execution a folder becomes a link that leads out, or elsewhere in the workspace.
#[tokio::test]
async fn a_folder_swapped_for_a_link_gets_nothing_written() {
    for opening in BOTH {
        for to in ["../outside", "other"] {
            for (tool, arguments) in [
                ("write_file", json!({ "path": "a/secret", "content": "gotcha" })),
                ("write_file", json!({ "path": "a/new", "content": "gotcha" })),
                ("write_file", json!({ "path": "a/b/new", "content": "gotcha" })),
                ("edit_file", json!({ "path": "a/secret", "old_text": "secret", "new_text": "gotcha" })),
            ] {
                let bench = Bench::new(opening);
                bench.put("a/secret", "secret");
                bench.put("other/secret", "secret");
                let prepared = bench.prepare(tool, &arguments).await;
                assert_eq!(prepared.fault, None);
                std::fs::rename(bench.work.join("a"), bench.work.join("was-a")).unwrap();
                symlink(to, bench.work.join("a")).unwrap();
                let before = bench.names();
                let outcome = bench.run(tool, &arguments, prepared.preconditions, None).await;
                assert_eq!(outcome.kind, OutcomeKind::ChangedSinceAsked, "{tool} {to} {opening:?}: {}", outcome.text);
                assert_eq!(bench.names(), before);
                assert_eq!(std::fs::read_to_string(bench.home.join("outside/secret")).unwrap(), "secret");
                assert_eq!(bench.content("other/secret"), "secret");
            }
        }
    }
}

/// While a folder is swapped for a link out and back as fast as it goes, nothing outside is ever read or written.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_running_swap_never_leads_out() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

    for opening in BOTH {
        let bench = Bench::new(opening);
        bench.put("a/secret", "inside");
        symlink("../outside", bench.work.join("evil")).unwrap();
        let done = Arc::new(AtomicBool::new(false));
        let swaps = Arc::new(AtomicU64::new(0));
        let swapping = std::thread::spawn({
            let (work, done, swaps) = (bench.work.clone(), Arc::clone(&done), Arc::clone(&swaps));
            move || {
                let dir = std::fs::File::open(&work).unwrap();
                while !done.load(Ordering::Relaxed) {
                    rustix::fs::renameat_with(&dir, "a", &dir, "evil", rustix::fs::RenameFlags::EXCHANGE).unwrap();
                    swaps.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        let mut round = 0;
        while round < 300 || swaps.load(Ordering::Relaxed) < 300 {
            round += 1;
            let read = bench.call("read_file", json!({ "path": "a/secret" })).await;
            assert!(read.text != "secret", "{opening:?}: read outside in round {round}");
            bench.call("write_file", json!({ "path": "a/secret", "content": "inside" })).await;
            bench.call("write_file", json!({ "path": format!("a/new{round}"), "content": "inside" })).await;
        }
        done.store(true, Ordering::Relaxed);
        swapping.join().unwrap();
        let outside: Vec<_> =
            std::fs::read_dir(bench.home.join("outside")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(outside, ["secret"], "{opening:?}");
        assert_eq!(std::fs::read_to_string(bench.home.join("outside/secret")).unwrap(), "secret");
    }
}
