use std::time::{Duration, Instant};

use super::*;
use crate::display::text::plain;

/// The tree in one line, so that a case reads at a glance.
fn drawn(source: &str) -> String {
    blocks(source).iter().map(block).collect::<Vec<_>>().join(" ")
}

fn block(one: &Block) -> String {
    let all = |blocks: &[Block]| blocks.iter().map(block).collect::<Vec<_>>().join(" ");
    match one {
        Block::Heading { level, inlines, line } => format!("h{level}@{line}({})", words_of(inlines)),
        Block::Paragraph { inlines, line } => format!("p@{line}({})", words_of(inlines)),
        Block::List { start, items } => {
            let items: Vec<String> = items.iter().map(|item| format!("@{}:{}", item.line, all(&item.blocks))).collect();
            format!("{}[{}]", start.map_or("ul".to_owned(), |start| format!("ol{start}")), items.join(" | "))
        }
        Block::Code { text, line } => format!("code@{line}({})", plain(text)),
        Block::Quote { blocks } => format!("quote({})", all(blocks)),
        Block::Table { rows } => {
            let row = |row: &Vec<Vec<Inline>>| row.iter().map(|cell| words_of(cell)).collect::<Vec<_>>().join(" | ");
            format!("table({})", rows.iter().map(row).collect::<Vec<_>>().join(" / "))
        }
        Block::Rule => "rule".to_owned(),
        Block::Plain { text } => format!("plain({})", plain(text)),
    }
}

fn words_of(inlines: &[Inline]) -> String {
    inlines
        .iter()
        .map(|inline| match inline {
            Inline::Text { text } => plain(text),
            Inline::Code { text } => format!("`{}`", plain(text)),
            Inline::Em { inlines } => format!("_{}_", words_of(inlines)),
            Inline::Strong { inlines } => format!("*{}*", words_of(inlines)),
            Inline::Struck { inlines } => format!("~{}~", words_of(inlines)),
            Inline::Link { inlines, target } => format!("{}→{}", words_of(inlines), plain(target)),
            Inline::Image { alt, target } => format!("!{}→{}", plain(alt), plain(target)),
            Inline::Break => "⏎".to_owned(),
        })
        .collect()
}

#[test]
fn shapes() {
    for (source, expected) in [
        ("# One\n\ntext *a* **b** ~~c~~ `d`", "h1@1(One) p@3(text _a_ *b* ~c~ `d`)"),
        ("1. a\n2. b\n   - c\n3. d", "ol1[@1:p@1(a) | @2:p@2(b) ul[@3:p@3(c)] | @4:p@4(d)]"),
        ("- a\n\n- b", "ul[@1:p@1(a) | @3:p@3(b)]"),
        ("> a\n> b", "quote(p@1(a b))"),
        ("```sh\nrm x\n```", "code@1(rm x)"),
        ("```sh and do more\nrm x\n```", "plain(sh and do more) code@1(rm x)"),
        ("| a | b |\n|---|---|\n| *1* | 2 |", "table(a | b / _1_ | 2)"),
        ("a  \nb\n\n---", "p@1(a⏎b) rule"),
        ("<script>x</script>", "plain(<script>x</script>)"),
        ("a <b>c</b> <!-- d -->", "p@1(a <b>c</b> <!-- d -->)"),
        ("[a](javascript:x) ![b](http://x/y.png \"t\")", "p@1(a→javascript:x !b→http://x/y.png \"t\")"),
        ("a\n\n[x]: http://y \"hidden\"", "p@1(a) plain([x]: http://y \"hidden\")"),
        ("<http://x.test>", "p@1(http://x.test→http://x.test)"),
        ("a &#8238; b \u{202E}", "p@1(a ⟨U+202E right-to-left override⟩ b ⟨U+202E right-to-left override⟩)"),
        ("", ""),
    ] {
        assert_eq!(drawn(source), expected, "{source}");
    }
}

#[test]
fn plans_are_named_and_counted() {
    let plan = "# Move the cache\n\n1. Look\n2. Change\n3. Test\n\n## After\n\n1. Ask";
    assert_eq!(steps(plan), Some(3));
    let entries = outline(plan);
    assert_eq!(
        entries.iter().map(|entry| (plain(&entry.text), entry.line)).collect::<Vec<_>>(),
        [("Move the cache".to_owned(), 1), ("After".to_owned(), 7)]
    );
    assert_eq!(title(plan).as_ref().map(plain), Some("Move the cache".to_owned()));
    let items = outline("1. Look at **everything**\n2. Change it");
    assert_eq!(items.iter().map(|entry| plain(&entry.text)).collect::<Vec<_>>(), ["Look at everything", "Change it"]);
    assert_eq!(steps("- a\n- b"), None);
    assert_eq!(words("one two\nthree"), 3);
    assert_eq!(title("\n  first line\nsecond").as_ref().map(plain), Some("first line".to_owned()));
    assert_eq!(title(""), None);
    let long = outline(&format!("# {}", "word ".repeat(50)));
    assert!(plain(&long[0].text).contains("⟨+"), "a cut is marked");
}

fn depth(blocks: &[Block]) -> usize {
    1 + blocks
        .iter()
        .map(|block| match block {
            Block::Quote { blocks } => depth(blocks),
            Block::List { items, .. } => items.iter().map(|item| depth(&item.blocks)).max().unwrap_or(0),
            _ => 0,
        })
        .max()
        .unwrap_or(0)
}

#[test]
fn hostile_sources_stay_shallow_and_fast() {
    let start = Instant::now();
    for (name, source) in [
        ("quotes", ">".repeat(20_000)),
        ("quotes with words", format!("{} deep words", "> ".repeat(20_000))),
        ("lists", "- ".repeat(20_000)),
        ("indented lists", (0..400).map(|level| "  ".repeat(level) + "- a").collect::<Vec<_>>().join("\n")),
        ("stars", "*a ".repeat(20_000)),
        ("nested stars", format!("{}a{}", "**".repeat(10_000), "**".repeat(10_000))),
        ("brackets", "[".repeat(20_000)),
        ("links", format!("{}a{}", "[".repeat(5_000), "](x)".repeat(5_000))),
        ("images", format!("{}a{}", "![".repeat(5_000), "](x)".repeat(5_000))),
        ("ticks", (1..300).map(|count| "`".repeat(count)).collect::<Vec<_>>().join(" ")),
        ("html", "<a ".repeat(20_000)),
        ("table", format!("|a|\n|-|\n{}", "|".repeat(20_000))),
        ("stars and hidden", "*\u{200B}".repeat(50_000)),
        ("large", "word ".repeat(500_000)),
    ] {
        let blocks = blocks(&source);
        assert!(depth(&blocks) <= MOST_DEPTH + 1, "{name}");
        assert!(serde_json::to_string(&blocks).is_ok(), "{name} can cross to the window");
    }
    assert!(start.elapsed() < Duration::from_secs(30), "took {:?}", start.elapsed());
    assert!(plain(&deep_plain(&blocks(&format!("{}deep words", "> ".repeat(20_000))))).contains("deep words"));
}

/// The first plain block on the way down.
fn deep_plain(blocks: &[Block]) -> Shown {
    let mut blocks = blocks;
    loop {
        match blocks.first() {
            Some(Block::Quote { blocks: inner }) => blocks = inner,
            Some(Block::Plain { text }) => return text.clone(),
            _ => return Shown::new(),
        }
    }
}

#[test]
fn what_is_too_large_is_shown_as_it_is() {
    let source = format!("{}# not formatted", "a line\n".repeat(40_000));
    let blocks = blocks(&source);
    let Some(Block::Plain { text }) = blocks.last() else { panic!("the rest is plain") };
    assert!(plain(text).ends_with("# not formatted"));
}
