//! Opening: who may read the file, what a newer one is told, and what is no database.

use sqlx::{Row as _, query};

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
        // The store's own connections are let go by threads of their own, and this is refused as long as one is there.
        let change = || query(sqlx::AssertSqlSafe(format!("PRAGMA journal_mode = {journal}")));
        let mut tries = 0;
        while let Err(refused) = change().execute(&mut connection).await {
            tries += 1;
            assert!(tries < 200, "{refused}");
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
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

/// A database as an earlier version wrote it: its own schema, with the rows of this one in the columns that it had.
async fn older(store_file: &std::path::Path, path: &std::path::Path, version: i64) {
    std::fs::write(path, b"").unwrap();
    let mut connection = beside(path).await;
    let mut migrator = sqlx::migrate::Migrator::DEFAULT;
    migrator.migrations =
        crate::open::MIGRATIONS.iter().filter(|migration| migration.version <= version).cloned().collect();
    migrator.run(&mut connection).await.unwrap();
    query("PRAGMA foreign_keys = OFF").execute(&mut connection).await.unwrap();
    let attach = format!("ATTACH '{}' AS newer", store_file.display());
    query(sqlx::AssertSqlSafe(attach)).execute(&mut connection).await.unwrap();
    // What history is searched by is filled from the rest, and was made with the schema.
    let tables = query(
        "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\' \
         AND name NOT LIKE 'search%' AND name <> 'indexed'",
    );
    for table in tables.fetch_all(&mut connection).await.unwrap() {
        let table: String = table.get(0);
        let columns = format!("SELECT group_concat(name) FROM pragma_table_info('{table}', 'main')");
        let columns: String = query(sqlx::AssertSqlSafe(columns)).fetch_one(&mut connection).await.unwrap().get(0);
        let copy = format!("INSERT INTO main.{table} ({columns}) SELECT {columns} FROM newer.{table} ORDER BY rowid");
        query(sqlx::AssertSqlSafe(copy)).execute(&mut connection).await.unwrap();
    }
    sqlx::Connection::close(connection).await.unwrap();
}

/// Before an older schema is changed, a copy is put beside the file, for the person alone; nothing is lost. From every earlier
/// version.
#[tokio::test]
async fn an_older_schema_is_copied_and_brought_up_to_date() {
    use super::play::{Play, call};
    let mut versions: Vec<i64> = crate::open::MIGRATIONS.iter().map(|migration| migration.version).collect();
    let known = versions.pop().unwrap();
    for (index, version) in versions.into_iter().enumerate() {
        let (folder, store) = store().await;
        let mut play = Play::new(countersign_core::mode::Mode::Default);
        play.say("Go.").unwrap();
        play.reply(&[call("write", "{}")]);
        keep(&store, &play).await;
        let before = store.head(play.head.conversation.id).await.unwrap();
        store.close().await;
        let path = folder.path().join("older.sqlite");
        older(&folder.path().join("test.sqlite"), &path, version).await;
        let again = Store::open(&path).await.unwrap();
        assert_eq!(again.head(play.head.conversation.id).await.unwrap(), before);
        assert!(again.check_journal().await.unwrap() > 0);
        let spent = again.spent(play.head.conversation.id).await.unwrap();
        assert_eq!((spent.counted, spent.input, spent.output, spent.priced), (1, 10, 1, 0), "what was counted is kept");
        let copy = folder.path().join(format!("older.before-{known}.sqlite"));
        let mut old = beside(&copy).await;
        let versions = query("SELECT version FROM _sqlx_migrations").fetch_all(&mut old).await.unwrap();
        assert_eq!(versions.len(), index + 1, "the copy is as it was");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
        }
        // What refers to the table that was made anew still does.
        play.answer(&[(0, countersign_core::answer::AnswerBody::Approve)]).unwrap();
        let changes = play.log.clone();
        let started =
            changes.iter().rposition(|change| matches!(change, countersign_core::change::Change::RunStarted(_)));
        let tail = changes[started.unwrap()..].to_vec();
        again.apply(&play.head, before.unwrap().conversation.revision, tail, play.at()).await.unwrap();
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
