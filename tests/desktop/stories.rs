//! Every component in every state, drawn by the engine that draws the real window: nothing is cut off without a mark, nothing sticks
//! out, whatever is pressed is large enough, and axe finds nothing. `./dev shots stories` pictures them.

use std::path::{Path, PathBuf};

use countersign_tests::desktop::{Desktop, Pages, TestFolder};
use serde_json::{Value, json};

/// How the stories are looked at: words, theme and size.
const LOOKS: [(&str, &str); 6] = [
    ("en-light", "speak=en&theme=light"),
    ("en-dark-compact", "speak=en&theme=dark&compact"),
    ("de-light", "speak=de&theme=light"),
    ("pseudo-dark", "speak=pseudo&theme=dark"),
    ("rtl-light", "speak=pseudo-rtl&theme=light"),
    ("en-contrast", "speak=en&theme=light&contrast"),
];

fn built() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui/node_modules/.stories");
    assert!(folder.join("story.html").is_file(), "the stories aren't built; `./dev test desktop` builds them");
    folder
}

/// (f.18) 29 and 31, c.13.
#[test]
fn accept_29_accept_31_every_story_is_whole_in_the_windows_own_engine() {
    let pages = Pages::serve(&built());
    let folder = TestFolder::new();
    let desktop = Desktop::browse(&folder);
    let mut wrong: Vec<String> = Vec::new();
    for (name, look) in LOOKS {
        desktop.go(&pages.at(&format!("story.html?{look}&look")));
        desktop.until("it was looked at", || desktop.has("#found"));
        let found: Value = serde_json::from_str(
            desktop.script("return document.querySelector('#found').textContent").as_str().unwrap(),
        )
        .unwrap();
        assert!(found["stories"].as_u64().unwrap() > 100, "{name}: all stories are there");
        wrong.extend(found["found"].as_array().unwrap().iter().map(|one| format!("{name}: {}", one.as_str().unwrap())));
        let fonts = desktop.script("return [...document.fonts].some((font) => font.status === 'loaded')");
        assert_eq!(fonts, json!(true), "{name}: the app's own letters are used");
        desktop.shot(&format!("stories-{name}"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
