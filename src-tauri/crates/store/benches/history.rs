//! History at many rows (P11 to P14): what a page, a search, a count and a batch of the index take. Prints milliseconds; how many rows
//! stands in the first argument, a million by default.
//!
//! `cargo bench -p countersign-store --bench history -- 1000000`

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a measurement that meets something unexpected should stop right there, and prints what it found"
)]

use std::time::{Duration, Instant};

use countersign_core::call::{CallState, Settled};
use countersign_core::ids::At;
use countersign_store::open::Store;
use countersign_store::read::search::{Filter, Word};
use countersign_store::record::Record;
use countersign_store::table::search::{Entry, Facet};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Row as _, query};

/// Calls a conversation.
const EACH: i64 = 1_000;
const MINUTE: i64 = 60_000;
const WORDS: [&str; 12] =
    ["deploy", "cargo", "nextest", "staging", "rm", "exports", "git", "push", "origin", "install", "ticket", "config"];

#[tokio::main]
async fn main() {
    let rows: i64 = std::env::args().find_map(|one| one.parse().ok()).unwrap_or(1_000_000);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bench.sqlite");
    let store = Store::open(&path).await.unwrap();
    made_up(&path, rows).await;
    let took = fill(&store, rows).await;
    println!("rows {rows}");
    say("P13 a batch of 100 in the index", took);
    sizes(&path).await;

    let word = |text: &str| Filter { words: vec![Word { text: text.to_owned(), begins: false }], ..Filter::default() };
    let tool = |filter: Filter, name: &str| Filter { any: vec![(Facet::Tool, vec![name.to_owned()])], ..filter };
    let two =
        Filter { words: vec![word("deploy").words[0].clone(), word("cargo").words[0].clone()], ..Filter::default() };
    for (name, filter) in [
        ("a common word", word("deploy")),
        ("a rare word", word("needle")),
        ("a word that isn't there", word("haystack")),
        ("two common words", two),
        ("a common word and a tool", tool(word("deploy"), "write_file")),
        ("a tool", tool(Filter::default(), "run_command")),
    ] {
        let mut took = Vec::new();
        for at in 0..100 {
            let before = if at % 2 == 0 { i64::MAX } else { rows * at / 100 };
            took.push(timed(async || drop(store.found(&filter, before, 50).await.unwrap())).await);
        }
        say(&format!("P11 50 hits of {name}"), took);
        let mut took = Vec::new();
        for _ in 0..20 {
            took.push(
                timed(async || {
                    let hits = store.found(&filter, i64::MAX, 50).await.unwrap();
                    drop(store.decisions(&hits).await.unwrap());
                })
                .await,
            );
        }
        say(&format!("P11 50 hits of {name}, all of each read"), took);
        let count = timed(async || assert!(store.count_found(&filter).await.is_ok())).await;
        say(&format!("    their count (at most 10,001: {})", store.count_found(&filter).await.unwrap()), vec![count]);
        let facets = timed(async || drop(store.facets(&filter).await.unwrap())).await;
        say("    their facets", vec![facets]);
    }
    let mut took = Vec::new();
    for at in 0..200 {
        let before = (at * 7_919_i64 * 5_003) % rows + 1;
        took.push(timed(async || drop(store.history(before, 50).await.unwrap())).await);
    }
    say("P12 a page of 50 at any depth", took);
    let mut took = Vec::new();
    for _ in 0..20 {
        took.push(timed(async || assert!(store.history_total().await.is_ok())).await);
    }
    say("    how many there are", took);
    let day = 24 * 60 * MINUTE;
    let spans: Vec<_> = (0..30).map(|at| (rows * MINUTE - (30 - at) * day, rows * MINUTE - (29 - at) * day)).collect();
    let month = timed(async || drop(store.decided_in(&spans).await.unwrap())).await;
    say("    30 days, by whom", vec![month]);
    let all: Vec<_> = (0..=rows * MINUTE / (30 * day)).map(|at| (at * 30 * day, (at + 1) * 30 * day)).collect();
    let months = timed(async || drop(store.decided_in(&all).await.unwrap())).await;
    say("    all months", vec![months]);
    drop(store);
    tokio::time::sleep(Duration::from_millis(500)).await;
    let opened = timed(async || {
        let store = Store::open(&path).await.unwrap();
        drop(store.waiting_conversations().await.unwrap());
        drop(store.history(i64::MAX, 100).await.unwrap());
        assert!(store.history_total().await.is_ok());
    });
    say("P14 open and the first page", vec![opened.await]);
}

async fn timed(what: impl AsyncFn()) -> Duration {
    let from = Instant::now();
    what().await;
    from.elapsed()
}

fn say(what: &str, mut took: Vec<Duration>) {
    took.sort_unstable();
    let at = |part: usize| took[(took.len() - 1) * part / 100].as_secs_f64() * 1_000.0;
    println!("{what}: p50 {:.2} ms, p99 {:.2} ms, most {:.2} ms", at(50), at(99), at(100));
}

/// Rows as a long use leaves them, written past the store: a million steps would take an hour.
async fn made_up(path: &std::path::Path, rows: i64) {
    let mut to = SqliteConnectOptions::new().filename(path).foreign_keys(false).connect().await.unwrap();
    query("BEGIN").execute(&mut to).await.unwrap();
    query(
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1) INSERT INTO conversation \
         (id, agent, title, mode, awaits_reply, next_seq, revision, created_at, touched_at) SELECT \
         CAST(printf('c%015d', i) AS BLOB), zeroblob(16), 'Nightly check ' || i, 'default', 0, 0, 0, i, i FROM n",
    )
    .bind((rows + EACH - 1) / EACH)
    .execute(&mut to)
    .await
    .unwrap();
    query(
        "INSERT INTO run (id, conversation, phase, rounds, round_limit, mode_start, owner, agent_revision, \
         left_in_files, caps, model_calls, agents_started, started_at, ended_at, ending) SELECT id, id, 'ended', 1, 9, \
         'default', zeroblob(16), 1, '{}', '{}', 1, 0, 1, 2, '\"done\"' FROM conversation",
    )
    .execute(&mut to)
    .await
    .unwrap();
    query(
        "INSERT INTO message (id, conversation, seq, run, role, body, tokens_in, tokens_out, at) \
         SELECT id, id, 1, id, 'assistant', '{}', 0, 0, 1 FROM conversation",
    )
    .execute(&mut to)
    .await
    .unwrap();
    query(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1) INSERT INTO call (id, \
         conversation, message, position, provider_id, tool, effect, marks, arguments, exact, preconditions, \
         proposed_by, mode, state, state_detail, result, verdicts, proposed_at, settled_at, decided_seq, decided_at, \
         decision, decided_by) SELECT CAST(printf('k%015d', i) AS BLOB), CAST(printf('c%015d', (i - 1) / 1000) AS BLOB), \
         CAST(printf('c%015d', (i - 1) / 1000) AS BLOB), i, 'call_' || i, 'run_command', 'write', '[]', \
         '{\"command\":\"deploy ' || i || '\",\"why\":\"' || hex(zeroblob(150)) || '\"}', '', '[]', \
         CAST(printf('c%015d', (i - 1) / 1000) AS BLOB), 'default', 'settled', ?2, \
         hex(zeroblob(100)), '[]', i, i, i, i * 60000, 'approved', 'person' FROM n",
    )
    .bind(rows)
    .bind(serde_json::to_string(&CallState::Settled(Settled::Succeeded)).unwrap())
    .execute(&mut to)
    .await
    .unwrap();
    query("COMMIT").execute(&mut to).await.unwrap();
    let state: i64 = query("SELECT count(*) FROM call").fetch_one(&mut to).await.unwrap().get(0);
    assert_eq!(state, rows);
}

async fn fill(store: &Store, rows: i64) -> Vec<Duration> {
    let mut took = Vec::new();
    let mut seq = 0;
    while seq < rows {
        let entries: Vec<Entry> = (seq + 1..=(seq + 100).min(rows)).map(entry).collect();
        seq += 100;
        let filled = seq.min(rows);
        let from = Instant::now();
        store.record_beside(Record::Indexed { entries, filled }).await.unwrap();
        took.push(from.elapsed());
    }
    took
}

fn entry(seq: i64) -> Entry {
    let pick = |from: i64| WORDS[usize::try_from((seq * 31 + from * 17) % 12).unwrap()];
    let needle = if seq % 20_011 == 0 { " needle" } else { "" };
    let common = if seq % 3 == 0 { "deploy cargo" } else { "deploy" };
    Entry {
        seq,
        at: At(seq * MINUTE),
        took: (seq % 2 == 0).then_some(seq % 90_000),
        tool: if seq % 4 == 0 { "write_file" } else { "run_command" }.to_owned(),
        decision: if seq % 5 == 0 { "rejected" } else { "approved" }.to_owned(),
        by: if seq % 2 == 0 { "you" } else { "auto" }.to_owned(),
        rules: Vec::new(),
        outcome: "ok".to_owned(),
        kind: "command".to_owned(),
        agent: "00".repeat(16),
        conversation: format!("{:032x}", seq / EACH),
        unsettled: false,
        text: format!("Nightly check {common} {} {} {} {seq} file{} {needle}", pick(1), pick(2), pick(3), seq % 4_000),
    }
}

async fn sizes(path: &std::path::Path) {
    let mut from = SqliteConnectOptions::new().filename(path).connect().await.unwrap();
    let pages = "SELECT sum(pgsize) FROM dbstat WHERE name = ? OR name LIKE ? || '_%'";
    let mut size = async |name: &str| -> Option<i64> {
        query(pages).bind(name).bind(name).fetch_one(&mut from).await.ok().and_then(|row| row.try_get(0).ok())
    };
    let (calls, words, rows) = (size("call").await, size("search").await, size("decision").await);
    println!("P13 bytes: calls {calls:?}, words {words:?}, decisions {rows:?}");
}
