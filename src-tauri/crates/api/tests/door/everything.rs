//! Everything as one file: each kind of thing is in it, counted, without secrets, and it is whole or not there.

use std::collections::BTreeMap;

use countersign_api::commands::request;
use countersign_api::wire::history::{ExportFormat, ExportOf, Exported};
use countersign_api::wire::inbox::{Decision, Reach};
use countersign_api::wire::window::{ApiError, Space};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::house::{House, calls, says};

const SECRET: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

async fn export(house: &House, path: &str, masked: bool) -> Result<Exported, ApiError> {
    house.app.export_all(Space::Main, request::export_all { masked, path: path.to_owned() }).await
}

/// A house in which there is one of everything.
async fn full() -> House {
    let command = format!("{{\"command\":\"echo {SECRET}\"}}");
    let house = House::new([calls(&[("run_command", &command)]), says("Hidden \u{202e} here.")]).await;
    let set = house.ask("go on").await;
    let reach = Decision::ApproveForConversation { reach: Reach::Exact, any_command: false };
    house.answer(&set, &[(0, reach)]).await.unwrap();
    house.rest(&set.conversation).await;
    let rule = countersign_rules::shipped::shipped(0).remove(0);
    let saved = house.app.save_rule(Space::Main, request::save_rule { rule }).await.unwrap();
    assert_eq!(saved.faults, []);
    house
}

fn lines(path: &str) -> Vec<Value> {
    std::fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// c.10: all of it, by kind, with a manifest that adds up.
#[tokio::test]
async fn everything_is_exported_and_counted() {
    let house = full().await;
    let path = request::export_path { format: ExportFormat::Jsonl, what: ExportOf::Everything };
    let path = house.app.export_path(Space::Main, path).await.unwrap();
    assert!(path.contains("countersign-everything-"), "{path}");
    let done = export(&house, &path, true).await.unwrap();
    let lines = lines(&done.file);
    let mut counts = BTreeMap::<&str, i64>::new();
    for line in &lines {
        *counts.entry(line["is"].as_str().unwrap()).or_default() += 1;
    }
    let expected = [
        ("agent", 1),
        ("conversation", 1),
        ("decision", 1),
        ("message", 3),
        ("rule", 1),
        ("settings", 1),
        ("standing_approval", 1),
    ];
    assert_eq!(counts, BTreeMap::from(expected));
    let manifest: Value = serde_json::from_slice(&std::fs::read(&done.manifest).unwrap()).unwrap();
    assert_eq!(serde_json::to_value(&counts).unwrap(), manifest["counts"]);
    assert_eq!((manifest["lines"].as_i64(), done.count), (Some(9), 9));
    let bytes = std::fs::read(&done.file).unwrap();
    let hash: String = Sha256::digest(&bytes).iter().fold(String::new(), |all, byte| format!("{all}{byte:02x}"));
    assert_eq!((manifest["sha256"].as_str(), &done.sha256), (Some(hash.as_str()), &hash));
    let text = String::from_utf8(bytes).unwrap();
    assert!(!text.contains(SECRET) && manifest["secrets_masked"] == true, "masked by default");
    assert!(!text.contains('\u{202e}') && text.contains("U+202E"), "what is hidden shows");
    // A message belongs to a conversation that is in the file, too.
    let of = lines.iter().find(|line| line["is"] == "message").unwrap()["conversation"].clone();
    assert!(lines.iter().any(|line| line["is"] == "conversation" && line["id"] == of));

    // Unmasked only where the person wants that; no file is replaced, and none is left that isn't whole.
    let open = path.replace(".jsonl", "-open.jsonl");
    let done = export(&house, &open, false).await.unwrap();
    assert!(std::fs::read_to_string(&done.file).unwrap().contains(SECRET));
    let before = std::fs::read(&open).unwrap();
    assert!(export(&house, &open, true).await.is_err());
    assert_eq!(std::fs::read(&open).unwrap(), before);
    assert!(export(&house, "relative.jsonl", true).await.is_err());
    assert!(export(&house, &path.replace(".jsonl", ".sh"), true).await.is_err());
}
