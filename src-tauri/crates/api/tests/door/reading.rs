//! Reading on in a payload that is too long to cross at once: by parts, by words, and as exact text.

use countersign_api::commands::request;
use countersign_api::display::text::plain;
use countersign_api::wire::inbox::Detail;
use countersign_api::wire::payload::{
    DiffLine, Long, Node, NodeValue, Payload, PayloadList, PayloadPart, PayloadPlaces,
};
use countersign_api::wire::window::{ApiError, Space};

use crate::house::{House, calls};

async fn part(house: &House, opened: u32, list: PayloadList, from: u32, items: u32) -> Result<PayloadPart, ApiError> {
    house.app.payload_part(Space::Main, request::payload_part { opened, list, from, items }).await
}

async fn find(house: &House, opened: u32, list: PayloadList, text: &str) -> PayloadPlaces {
    let text = text.to_owned();
    house.app.find_in_payload(Space::Main, request::find_in_payload { opened, list, text }).await.unwrap()
}

async fn asked(tool: &str, arguments: &str) -> (House, Detail) {
    let house = House::new([calls(&[(tool, arguments)])]).await;
    let set = house.ask("one").await;
    let detail = house.detail(&set.rows[0].id).await;
    (house, detail)
}

/// All of a list: its ends as they crossed, and the stretches between as they are asked for.
async fn all<T>(
    house: &House,
    detail: &Detail,
    list: PayloadList,
    long: Long<T>,
    items: impl Fn(PayloadPart) -> Vec<T>,
) -> Vec<T> {
    let mut all = long.head;
    assert!(long.middle.len() < 60, "{} measures cross", long.middle.len());
    let end = all.len() + long.middle.iter().map(|stretch| stretch.items as usize).sum::<usize>();
    while all.len() < end {
        let from = u32::try_from(all.len()).unwrap();
        let most = u32::try_from(end - all.len()).unwrap().min(200);
        all.extend(items(part(house, detail.opened, list, from, most).await.unwrap()));
    }
    all.extend(long.tail);
    all
}

/// (f.5): the first and last lines cross at once, the rest line by line as it was written, and nothing is left out.
#[tokio::test]
async fn field_l_136_a_long_file_crosses_by_its_ends_and_can_be_read_whole() {
    let content = (1..=30_000).map(|line| format!("line {line}\n")).collect::<Vec<_>>().concat();
    let arguments = serde_json::json!({ "path": "a.txt", "content": content }).to_string();
    let (house, detail) = asked("write_file", &arguments).await;
    let crossed = serde_json::to_string(&detail).unwrap().len();
    assert!(crossed < 120_000, "{crossed} bytes cross for {} of arguments", arguments.len());
    let (Payload::Create { lines, .. } | Payload::Diff { lines, .. }) = detail.payload.clone() else {
        panic!("{:?}", detail.payload)
    };
    assert!(lines.head.len() >= 100 && lines.tail.len() >= 100 && lines.middle.iter().all(|one| one.changes));
    let lines = all(&house, &detail, PayloadList::Main, lines, |part| match part {
        PayloadPart::Lines { items } => items,
        other => panic!("{other:?}"),
    });
    let written = lines.await;
    let text: String = written
        .iter()
        .map(|line| match line {
            DiffLine::Added { parts, .. } => parts.iter().map(|part| plain(&part.text)).collect::<String>() + "\n",
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(text, content);
    let raw = all(&house, &detail, PayloadList::Raw, detail.raw.text.clone(), |part| match part {
        PayloadPart::Text { items } => items,
        other => panic!("{other:?}"),
    });
    assert_eq!(raw.await.iter().map(plain).collect::<String>(), arguments);
    assert_eq!(detail.raw.exact, None, "what is long is fetched by whoever copies it");
    let exact = house.app.exact_arguments(Space::Main, request::exact_arguments { opened: detail.opened }).await;
    assert_eq!(exact.unwrap().text, arguments);
}

/// (f.5): `/` finds words wherever they stand, also where nothing was drawn yet, and hidden characters by their names.
#[tokio::test]
async fn words_are_found_in_all_of_a_payload() {
    let text = format!("{}needle\u{202E}{}NEEDLE end", "hay ".repeat(20_000), "hay ".repeat(20_000));
    let arguments = serde_json::json!({ "path": 7, "inner": { "text": text } }).to_string();
    let (house, detail) = asked("write_file", &arguments).await;
    let Payload::Tree { nodes } = detail.payload.clone() else { panic!("{:?}", detail.payload) };
    let nodes: Vec<Node> = all(&house, &detail, PayloadList::Main, nodes, |part| match part {
        PayloadPart::Nodes { items } => items,
        other => panic!("{other:?}"),
    })
    .await;
    let found = find(&house, detail.opened, PayloadList::Main, "needle").await;
    assert_eq!((found.places.len(), found.more), (2, false));
    for place in &found.places {
        let NodeValue::More { text, .. } = &nodes[place.item as usize].value else { panic!("it is deep in the text") };
        assert!(plain(text).to_lowercase().contains("needle"), "{place:?}");
    }
    assert_eq!(find(&house, detail.opened, PayloadList::Main, "u+202e right").await.places.len(), 1);
    assert_eq!(find(&house, detail.opened, PayloadList::Raw, "NEEDLE end\"}").await.places.len(), 1);
    let many = find(&house, detail.opened, PayloadList::Main, "hay hay").await;
    assert!(many.more && many.places.len() == 1_000, "so many are enough, and that there are more is said");
    assert!(find(&house, detail.opened, PayloadList::Main, "").await.places.is_empty());
    assert!(find(&house, detail.opened, PayloadList::Since, "hay").await.places.is_empty());
}

/// A payload is kept while somebody reads in it; what isn't there is said, and whatever is asked for is bounded.
#[tokio::test]
async fn parts_that_are_not_there_are_refused() {
    let arguments = serde_json::json!({ "path": "a.txt", "content": "x\n".repeat(5_000) }).to_string();
    let (house, detail) = asked("write_file", &arguments).await;
    assert_eq!(house.detail(&detail.id).await.opened, detail.opened, "the same payload is opened once");
    for (opened, list, from, items) in [
        (detail.opened + 1, PayloadList::Main, 0, 1),
        (detail.opened, PayloadList::Main, 0, 201),
        (detail.opened, PayloadList::Main, 4_999, 2),
        (detail.opened, PayloadList::Main, u32::MAX, 1),
        (detail.opened, PayloadList::Since, 0, 1),
    ] {
        let refused = part(&house, opened, list, from, items).await.unwrap_err();
        assert!(format!("{refused:?}").contains("part of what would run"), "{refused:?}");
    }
    assert!(part(&house, detail.opened, PayloadList::Main, 4_999, 1).await.is_ok());
}
