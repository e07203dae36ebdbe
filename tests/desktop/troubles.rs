//! What goes wrong at the start is said, and the way out leaves nothing behind.

use countersign_tests::desktop::{Desktop, TestFolder, id};

#[test]
fn a_database_that_cant_be_opened_is_told_in_the_window_until_it_can() {
    let folder = TestFolder::new();
    std::fs::create_dir_all(folder.data().join("countersign.sqlite")).unwrap();
    std::fs::write(folder.data().join("lock"), "").unwrap();
    let desktop = Desktop::start(&folder);
    desktop.wait_for_text("body", "countersign.sqlite");
    desktop.shot("trouble");
    assert!(!desktop.has(&id("first-run")), "nothing is offered that can't work");
    std::fs::remove_dir(folder.data().join("countersign.sqlite")).unwrap();
    desktop.click("button");
    desktop.wait_for(&id("first-run"));
}

#[test]
fn a_session_that_ends_takes_the_app_along_in_order() {
    let folder = TestFolder::new();
    let mut desktop = Desktop::start(&folder);
    desktop.wait_for(&id("first-run"));
    desktop.quit();
    let logs = std::fs::read_dir(folder.data().join("logs")).unwrap();
    let log: String = logs.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect();
    assert!(log.contains("Countersign ends"), "the log is written to its end: {log}");
    let sockets = std::fs::read_dir(folder.path().join("run/countersign")).unwrap();
    let left: Vec<_> =
        sockets.filter(|file| file.as_ref().unwrap().path().extension().is_some_and(|is| is == "sock")).collect();
    assert!(left.is_empty(), "no socket is left: {left:?}");
    desktop.open();
    desktop.wait_for(&id("first-run"));
}
