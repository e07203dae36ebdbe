//! Opening: who may read the file, what a newer one is told, and what is no database.

use sqlx::query;

use super::{beside, keep, store};
use crate::error::StoreError;
use crate::open::Store;

/// The file and what SQLite puts beside it are for the person alone.
#[cfg(unix)]
#[tokio::test]
async fn nobody_else_may_read_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let (folder, store) = store().await;
    let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap()).collect();
    assert!(files.len() >= 3, "the database, its log and its index");
    for file in files {
        let mode = file.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", file.path().display());
    }
    store.close().await;
}

/// A database of a newer version is refused, and not a byte of it changes.
#[tokio::test]
async fn a_newer_database_is_left_alone() {
    for journal in ["DELETE", "WAL"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("newer.sqlite");
        Store::open(&path).await.unwrap().close().await;
        let mut connection = beside(&path).await;
        let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
            VALUES (9999, 'later', 1, x'00', 0)";
        query(newer).execute(&mut connection).await.unwrap();
        query(sqlx::AssertSqlSafe(format!("PRAGMA journal_mode = {journal}"))).execute(&mut connection).await.unwrap();
        sqlx::Connection::close(connection).await.unwrap();
        let before = std::fs::read(&path).unwrap();
        let opened = Store::open(&path).await;
        let Err(StoreError::Newer { found: 9999, known, .. }) = opened else {
            panic!("{opened:?}");
        };
        assert!(known < 9999);
        assert!(std::fs::read(&path).unwrap() == before, "{journal}: the file changed");
    }
}

/// What is no database, and where there is none, is an error with the file's name and loses nothing.
#[tokio::test]
async fn what_cant_be_opened_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let garbage = folder.path().join("garbage.sqlite");
    std::fs::write(&garbage, "no database at all, and longer than a header has to be ".repeat(50)).unwrap();
    let before = std::fs::read(&garbage).unwrap();
    let nowhere = folder.path().join("no/such/folder.sqlite");
    for path in [&garbage, &nowhere] {
        let opened = Store::open(path).await;
        let Err(StoreError::Open { path: named, .. }) = opened else {
            panic!("{opened:?}");
        };
        assert_eq!(&named, path);
    }
    assert_eq!(std::fs::read(&garbage).unwrap(), before);
}

/// RT-10, B-08: everything is there again after closing and opening.
#[tokio::test]
async fn it_is_all_there_again() {
    use super::play::{Play, call};
    let (folder, store) = store().await;
    let mut play = Play::new(countersign_core::mode::Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{\"exact\":  1.0}"), call("read", "{}")]);
    keep(&store, &play).await;
    store.close().await;
    let again = Store::open(&folder.path().join("test.sqlite")).await.unwrap();
    let mut head = again.head(play.head.conversation.id).await.unwrap().unwrap();
    head.conversation.revision = play.head.conversation.revision;
    assert_eq!(head, play.head);
    assert_eq!(again.unfinished().await.unwrap(), vec![]);
    let waiting = again.waiting_calls(play.head.conversation.id).await.unwrap();
    assert_eq!(waiting.len(), 2);
    assert_eq!(waiting[0].call.arguments, "{\"exact\":  1.0}", "the exact text (AS-3)");
}

/// Before an older schema is changed, a copy is put beside the file, for the person alone; nothing is lost.
#[tokio::test]
async fn an_older_schema_is_copied_and_brought_up_to_date() {
    use super::play::{Play, call};
    let (folder, store) = store().await;
    let mut play = Play::new(countersign_core::mode::Mode::Default);
    play.say("Go.").unwrap();
    play.reply(&[call("write", "{}")]);
    keep(&store, &play).await;
    let before = store.head(play.head.conversation.id).await.unwrap();
    store.close().await;
    let path = folder.path().join("test.sqlite");
    let mut connection = beside(&path).await;
    for back in [
        "DROP INDEX run_of_conversation",
        "CREATE INDEX run_of_conversation ON run (conversation, started_at DESC)",
        "DELETE FROM _sqlx_migrations WHERE version > 1",
    ] {
        query(back).execute(&mut connection).await.unwrap();
    }
    sqlx::Connection::close(connection).await.unwrap();
    let again = Store::open(&path).await.unwrap();
    assert_eq!(again.head(play.head.conversation.id).await.unwrap(), before);
    let known = crate::open::MIGRATIONS.iter().map(|migration| migration.version).max().unwrap();
    let copy = folder.path().join(format!("test.before-{known}.sqlite"));
    let mut old = beside(&copy).await;
    let versions = query("SELECT version FROM _sqlx_migrations").fetch_all(&mut old).await.unwrap();
    assert_eq!(versions.len(), 1, "the copy is as it was");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

/// D-56: the order of runs is the order of their storing; a clock that was set back changes nothing.
#[tokio::test]
async fn a_clock_that_goes_back_brings_no_old_run_to_the_front() {
    use super::play::Play;
    use countersign_core::change::Change;
    use countersign_core::ids::At;
    use countersign_core::run::RunEnd;
    let (_folder, store) = store().await;
    let mut play = Play::new(countersign_core::mode::Mode::Default);
    play.say("Go.").unwrap();
    play.fail_model();
    play.say("Again.").unwrap();
    play.reply(&[]);
    let mut runs = 0;
    for change in &mut play.log {
        if let Change::RunStarted(run) = change {
            runs -= 1;
            run.started_at = At(runs);
        }
    }
    keep(&store, &play).await;
    assert_eq!(store.last_end(play.head.conversation.id).await.unwrap(), Some(RunEnd::Completed));
}
