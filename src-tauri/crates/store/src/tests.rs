//! The store against the core's own model of it, and against what goes wrong around it.

#[path = "../../core/tests/machine/ops.rs"]
mod ops;
#[path = "../../core/tests/machine/play.rs"]
mod play;

mod agreement;
mod forks;
mod history;
mod opening;
mod quick;
mod search;
mod writing;

use std::path::Path;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Row as _, query};

use crate::open::Store;

/// A store in a folder of its own.
async fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("test.sqlite")).await.unwrap();
    (folder, store)
}

/// Stores a whole play in two steps: the making of its conversation, and everything else.
async fn keep(store: &Store, play: &play::Play) {
    let made = play::Play::new(countersign_core::mode::Mode::Default).head;
    store.apply(&made, 0, play.log[..1].to_vec(), play.at()).await.unwrap();
    store.apply(&play.head, 0, play.log[1..].to_vec(), play.at()).await.unwrap();
}

/// Another way to the same file, for looking and for damaging.
async fn beside(path: &Path) -> SqliteConnection {
    SqliteConnectOptions::new().filename(path).connect().await.unwrap()
}

/// Every row of every table, as text.
async fn dump(path: &Path) -> Vec<String> {
    let mut connection = beside(path).await;
    let tables =
        query("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
            .fetch_all(&mut connection)
            .await
            .unwrap();
    let mut rows = Vec::new();
    for table in tables {
        let table: String = table.get(0);
        let columns = query(sqlx::AssertSqlSafe(format!("SELECT name FROM pragma_table_info('{table}')")))
            .fetch_all(&mut connection)
            .await
            .unwrap();
        let columns: Vec<String> = columns.iter().map(|row| format!("quote({})", row.get::<String, _>(0))).collect();
        let all = format!("SELECT concat_ws('|', {}) FROM {table} ORDER BY 1", columns.join(", "));
        for row in query(sqlx::AssertSqlSafe(all)).fetch_all(&mut connection).await.unwrap() {
            rows.push(format!("{table}: {}", row.get::<String, _>(0)));
        }
    }
    rows
}

/// Architecture 6: a statement that SQLite doesn't accept shows here and not in front of a person.
#[tokio::test]
async fn every_statement_prepares() {
    let (folder, _store) = store().await;
    let mut connection = beside(&folder.path().join("test.sqlite")).await;
    let statements = crate::table::statements();
    assert!(statements.len() > 50, "statements are missing: {}", statements.len());
    for statement in statements {
        use sqlx::Executor as _;
        let prepared = connection.prepare(sqlx::SqlSafeStr::into_sql_str(statement)).await;
        assert!(prepared.is_ok(), "{statement}\n{:?}", prepared.err());
    }
}
