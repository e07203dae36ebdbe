use super::*;

fn text(s: &str) -> Piece {
    Piece::Text { s: s.to_owned() }
}

fn chip(s: &str) -> Piece {
    Piece::Chip { s: s.to_owned(), k: Chip::Hidden }
}

fn check(source: &str, expected: &[Piece]) {
    assert_eq!(safe(source), expected, "{source:?}");
    let all: String = parts(source, Begins::Line).iter().map(|part| part.source).collect();
    assert_eq!(all, source, "nothing may get lost");
}

#[test]
fn hidden_things_become_chips() {
    check("plain\ttext\n\nof\n\n\n\nlines", &[text("plain\ttext\n\nof\n\n\n\nlines")]);
    check("a\u{202E}b", &[text("a"), chip("U+202E right-to-left override"), text("b")]);
    check("a\u{200B}\u{200B}b", &[text("a"), chip("U+200B zero width space ×2"), text("b")]);
    check("a\u{E0041}b", &[text("a"), chip("U+E0041"), text("b")]);
    check("\u{1B}[31mred\u{1B}[0m", &[chip("ESC[31m"), text("red"), chip("ESC[0m")]);
    check("\u{1B}]8;;x\u{7}", &[chip("ESC]"), text("8;;x"), chip("U+0007 bell")]);
    check("\u{1B}\u{1B}", &[chip("ESC"), chip("ESC")]);
    check("end\r\n", &[text("end"), chip("U+000D carriage return"), text("\n")]);
    check(&format!("a{}b", " ".repeat(7)), &[text("a       b")]);
    check(&format!("a{}b", " ".repeat(38)), &[text("a"), chip("38 spaces"), text("b")]);
    check(&format!("a{}b", " \t".repeat(9)), &[text("a"), chip("18 spaces and tabs"), text("b")]);
    check(&format!("{}b", " ".repeat(40)), &[text(&format!("{}b", " ".repeat(40)))]);
    check(&format!("{}b", " ".repeat(240)), &[chip("240 spaces"), text("b")]);
    check(&format!("a{}b", "\n".repeat(60)), &[text("a"), chip("60 line breaks"), text("b")]);
    check(&format!("a{}b", "\n ".repeat(6)), &[text("a"), chip("6 line breaks with 5 spaces"), text(" b")]);
    check(&format!("a{}", "\u{301}".repeat(3)), &[text(&format!("a{}", "\u{301}".repeat(3)))]);
    check(&format!("a{}b", "\u{301}".repeat(4)), &[text("a"), chip("4 combining marks"), text("b")]);
    check("❤\u{FE0F}", &[text("❤\u{FE0F}")]);
    check("1\u{FE0F}\u{20E3}", &[text("1\u{FE0F}\u{20E3}")]);
    check("1\u{FE0F}", &[text("1"), chip("U+FE0F emoji variation selector")]);
    check("x\u{FE0F}", &[text("x"), chip("U+FE0F emoji variation selector")]);
    check("❤\u{FE0F}\u{FE0F}", &[text("❤\u{FE0F}"), chip("U+FE0F emoji variation selector")]);
}

/// Every code point there is: what is in a listed class never stays in a text piece.
#[test]
fn no_hidden_code_point_survives() {
    let look_blank = |code: u32| {
        matches!(code, 0x34F | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F | 0x2800 | 0x3164 | 0xFFA0
            | 0xFE00..=0xFE0F | 0xAD | 0x61C | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0xFEFF
            | 0xFFF0..=0xFFFC | 0x16FE4 | 0x1D159 | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF)
    };
    for letter in '\0'..=char::MAX {
        let by_category = matches!(
            get_general_category(letter),
            GeneralCategory::Control
                | GeneralCategory::Format
                | GeneralCategory::PrivateUse
                | GeneralCategory::Unassigned
                | GeneralCategory::LineSeparator
                | GeneralCategory::ParagraphSeparator
                | GeneralCategory::SpaceSeparator
        );
        let must_hide = (by_category && !matches!(letter, '\n' | '\t' | ' ')) || look_blank(u32::from(letter));
        let shown = safe(&format!("a{letter}b"));
        let survives = shown.iter().any(|piece| matches!(piece, Piece::Text { s } if s.contains(letter)));
        assert_eq!(survives, !must_hide, "U+{:04X}", u32::from(letter));
        let label = hidden::label(letter);
        if must_hide && letter != '\u{1B}' {
            assert!(shown.contains(&chip(&label)), "the chip names U+{:04X}", u32::from(letter));
            let code =
                label.trim_start_matches("U+").split(' ').next().and_then(|hex| u32::from_str_radix(hex, 16).ok());
            assert_eq!(code.and_then(char::from_u32), Some(letter), "the label leads back to the character");
        }
    }
}

#[test]
fn counts_every_hidden_character() {
    let count = |source: &str| hidden_count(&safe(source));
    assert_eq!(count("plain"), 0);
    assert_eq!(count("a\u{200B}\u{200B}\u{200B}b\u{202E}"), 4);
    assert_eq!(count(&format!("a{}b", " ".repeat(90))), 1, "padding counts once");
    assert_eq!(count("a\r\nb\r\n"), 0, "an end of a line hides nothing");
    assert_eq!(count("a\rb\r\r\n"), 3);
    assert_eq!(plain(&safe("a\u{202E}b")), "a⟨U+202E right-to-left override⟩b");
}

#[test]
fn cuts_are_marked_and_on_borders() {
    let cut = |s: &str| Piece::Chip { s: s.to_owned(), k: Chip::Cut };
    assert_eq!(one_line("short", 5), [text("short")]);
    assert_eq!(one_line("a\nb", 10), [text("a"), cut("⏎"), text("b")]);
    assert_eq!(one_line("abcdefghijklmnopqrstuvwxyz", 15), [text("abcdef"), cut("+16"), text("wxyz")]);
    let family = "e\u{301}".repeat(30);
    assert_eq!(one_line(&family, 10), [text(&"e\u{301}".repeat(3)), cut("+25"), text(&"e\u{301}".repeat(2))]);
    let hiding = format!("head{}\u{202E}{}tail", "x".repeat(30), "y".repeat(30));
    let warned = Piece::Chip { s: "+59".to_owned(), k: Chip::CutHidden };
    assert_eq!(one_line(&hiding, 15), [text("headxx"), warned, text("tail")]);
    assert_eq!(path("src/a/very/long/way/down/file.rs", 18), [cut("+19"), text("/down/file.rs")]);
    assert_eq!(path("averylongnamewithoutanyslash.rs", 12), [cut("+24"), text("lash.rs")]);
    for most in 0..12 {
        let line = one_line("some words that are too long", most);
        assert!(line.iter().any(|piece| matches!(piece, Piece::Chip { .. })), "a cut is always marked");
    }
}

/// A cut falls between words where one ends near by, and the amount still counts everything that is left out.
#[test]
fn a_cut_falls_between_words() {
    let text = "git add -A && git commit -m message && git push origin HEAD --force";
    let shown = one_line(text, 40);
    let [Piece::Text { s: head }, Piece::Chip { s: amount, .. }, Piece::Text { s: tail }] = &shown[..] else {
        panic!("head, chip, tail: {shown:?}");
    };
    assert!(head.ends_with(' ') && tail.starts_with(' '), "{shown:?}");
    assert!(text.starts_with(head.as_str()) && text.ends_with(tail.as_str()));
    assert_eq!(*amount, format!("+{}", text.len() - head.len() - tail.len()));
}
