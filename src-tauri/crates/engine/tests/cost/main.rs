//! What a round costs, in counts that are the same on every machine: statements, rows, bytes rendered for the model, bytes written.
//! A binary of its own, because what it counts is counted for the whole process (D-103; P5 to P7 of the goals).
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing that is not as it should be"
)]

#[path = "../engine/house.rs"]
mod house;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use countersign_core::answer::AnswerBody;
use countersign_core::mode::Mode;
use countersign_core::transcript::ViewItem;
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt as _};

use crate::house::{House, Turn, call, calling, words};

static STATEMENTS: AtomicU64 = AtomicU64::new(0);
static ROWS: AtomicU64 = AtomicU64::new(0);
/// One measurement at a time.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// Counts what the store's driver says of each statement.
struct Counting;

impl<S: tracing::Subscriber> Layer<S> for Counting {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        struct Rows(u64);
        impl tracing::field::Visit for Rows {
            fn record_u64(&mut self, field: &tracing::field::Field, value: u64) {
                if field.name() == "rows_returned" {
                    self.0 = value;
                }
            }
            fn record_debug(&mut self, _: &tracing::field::Field, _: &dyn std::fmt::Debug) {}
        }
        if event.metadata().target() == concat!("sqlx", "::query") {
            let mut rows = Rows(0);
            event.record(&mut rows);
            STATEMENTS.fetch_add(1, Ordering::Relaxed);
            ROWS.fetch_add(rows.0, Ordering::Relaxed);
        }
    }
}

/// What this process has handed to the system to write.
fn written() -> u64 {
    let text = std::fs::read_to_string("/proc/self/io").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("wchar: ")).unwrap();
    line.parse().unwrap()
}

/// The bytes that the model is sent in an item.
fn size(item: &ViewItem) -> usize {
    match item {
        ViewItem::User { text } => text.len(),
        ViewItem::Assistant { text, calls, .. } => {
            text.len() + calls.iter().map(|call| call.name.len() + call.arguments.len()).sum::<usize>()
        }
        ViewItem::Results(results) => results.iter().map(|result| result.text.len()).sum(),
    }
}

/// How many bytes of a prompt were not there, rendered, in the one before.
fn rendered(before: &[Arc<ViewItem>], after: &[Arc<ViewItem>]) -> usize {
    let same = before.iter().zip(after).take_while(|(one, other)| Arc::ptr_eq(one, other)).count();
    after[same..].iter().map(|item| size(item)).sum()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cost {
    statements: u64,
    rows: u64,
    rendered: usize,
    written: u64,
}

/// One round trip of about 1 KB: a message, a call that asks, a yes, its result, the last words.
async fn round_trip(house: &mut House) -> Cost {
    let before = (STATEMENTS.load(Ordering::Relaxed), ROWS.load(Ordering::Relaxed), written());
    let prompts = house.script.calls();
    let arguments = format!("{{\"text\":\"{}\"}}", "a".repeat(200));
    house.script.will([Turn::Says(calling(&[call("write", &arguments)])), Turn::Says(words(&"f".repeat(400)))]);
    // The house looks into the store to see where things stand; that isn't the engine's cost, so it waits for the news only.
    house.start(house::text_input(&"u".repeat(200))).await.unwrap();
    let head = ended(house).await;
    let requests = head.requests_in_order();
    let answer = countersign_core::answer::Answer {
        request: requests[0].id,
        digest: requests[0].digest,
        body: AnswerBody::Approve,
    };
    let answers = vec![answer];
    house.start(countersign_core::input::RunInput { answers, ..Default::default() }).await.unwrap();
    ended(house).await;
    let (statements, rows) = (STATEMENTS.load(Ordering::Relaxed) - before.0, ROWS.load(Ordering::Relaxed) - before.1);
    let written = written() - before.2;
    let all = house.script.prompts.lock().unwrap();
    let rendered = (prompts..all.len()).map(|at| rendered(&all[at - 1].messages, &all[at].messages)).sum();
    Cost { statements, rows, rendered, written }
}

/// The head with which the run that goes on ends.
async fn ended(house: &mut House) -> countersign_core::head::Head {
    loop {
        if let countersign_engine::feed::News::Committed { head, changes, .. } = house.hear().await
            && changes.iter().any(|change| change.kind() == "run_ended")
        {
            return countersign_core::head::Head::clone(&head);
        }
    }
}

/// P5 to P7, D-103: after 10 earlier messages and after 800 of 1 KB a round reads the same rows, renders the same bytes and writes
/// nearly the same, and the database grows by the same.
#[tokio::test]
async fn a_round_costs_the_same_after_ten_messages_and_after_eight_hundred() {
    let _alone = ALONE.lock().await;
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(Counting)).unwrap();
    let mut costs = Vec::new();
    for messages in [10, 800] {
        let mut house = House::new(Mode::Default).await;
        for _ in 0..messages / 2 {
            house.script.will([Turn::Says(words(&"h".repeat(1_000)))]);
            house.start(house::text_input(&"h".repeat(1_000))).await.unwrap();
            ended(&mut house).await;
        }
        let mut rounds = Vec::new();
        for _ in 0..10 {
            rounds.push(round_trip(&mut house).await);
        }
        rounds.sort_by_key(|cost| cost.written);
        costs.push(rounds[rounds.len() / 2]);
    }
    let [few, many] = costs[..] else { panic!("two lengths") };
    println!("after 10 messages {few:?}, after 800 {many:?}");
    assert!(few.rows > 0 && few.statements > 0, "nothing was counted: {few:?}");
    assert_eq!((few.statements, few.rows, few.rendered), (many.statements, many.rows, many.rendered));
    assert!(many.written <= few.written * 3 / 2, "more is written the longer it is: {few:?}, {many:?}");
}

/// P7: what a round of 1 KB leaves on the disk, at any length.
#[tokio::test]
async fn a_round_leaves_the_same_on_the_disk_at_any_length() {
    let _alone = ALONE.lock().await;
    let mut house = House::new(Mode::Default).await;
    let mut sizes = Vec::new();
    for round in 0..=300 {
        if round % 100 == 0 {
            // Closing folds the log into the file.
            house = house.again().await;
            sizes.push(std::fs::metadata(house.folder.path().join("house.sqlite")).unwrap().len());
        }
        round_trip_after(&mut house).await;
    }
    let per_round: Vec<u64> = sizes.windows(2).map(|pair| (pair[1] - pair[0]) / 100).collect();
    println!("bytes a round: {per_round:?}");
    assert!(per_round.iter().all(|bytes| *bytes <= MOST_ON_DISK), "{per_round:?}");
    assert!(per_round[2] <= per_round[0] * 5 / 4, "a later round leaves more: {per_round:?}");
}

/// Of a round of 1 KB the journal takes 1.6 KB (twelve rows with two hashes each), messages 0.8, the call 0.9, run, request and their
/// indexes 0.8. The goal is 2.5 KB: more than this is a step back, and less needs a journal that hashes a step instead of a change.
const MOST_ON_DISK: u64 = 4_800;

/// A round trip whose first prompt has none before it.
async fn round_trip_after(house: &mut House) {
    if house.script.calls() == 0 {
        house.start(house::text_input("Hello.")).await.unwrap();
        ended(house).await;
    }
    round_trip(house).await;
}
