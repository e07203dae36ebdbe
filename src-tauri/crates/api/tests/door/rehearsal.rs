//! The Rehearsal is kept apart: its own database, its own folder, gone with one command.

use countersign_api::commands::request;
use countersign_api::wire::window::{ApiError, Space};

use crate::house::{House, says};

#[tokio::test]
async fn accept_23_it_has_a_space_of_its_own_and_goes_whole() {
    let house = House::new([says("hello")]).await;
    assert!(matches!(house.app.snapshot(Space::Rehearsal, request::snapshot {}).await, Err(ApiError::Refused { .. })));
    house.app.start_rehearsal(Space::Main, request::start_rehearsal {}).await.unwrap();
    let main = house.snapshot().await;
    assert!(main.rehearsal.is_some() && main.rehearsal_stored);
    assert_eq!(main.conversations.len(), 0, "nothing of it is in the person's own space");
    assert!(!main.first_run, "whoever rehearsed is not greeted again");
    let other = house.app.snapshot(Space::Rehearsal, request::snapshot {}).await.unwrap();
    assert_eq!(other.conversations.len(), 1);
    let folder = house.folder.path().join("rehearsal");
    assert!(folder.join("rehearsal.sqlite").exists());
    house.app.start_rehearsal(Space::Main, request::start_rehearsal {}).await.unwrap();
    house.app.remove_rehearsal(Space::Rehearsal, request::remove_rehearsal {}).await.unwrap();
    assert!(!folder.exists(), "its database is gone");
    assert!(!house.folder.path().join("rehearsal-workspace").exists(), "and its folder");
    assert!(house.snapshot().await.rehearsal.is_none());
}
