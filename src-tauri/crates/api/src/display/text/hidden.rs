//! Which characters can't be seen or mislead, and what they are called.
//!
//! # Design
//! General categories alone leave look-blank letters and variation selectors through, and tables of standard
//! libraries differ; so the ranges that matter stand here in the open, and a test goes over every code point.

use unicode_general_category::{GeneralCategory, get_general_category};

/// Default-ignorable and look-blank code points, whatever their category says.
const BLANK: &[(u32, u32)] = &[
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x2800, 0x2800),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFC),
    (0x1_6FE4, 0x1_6FE4),
    (0x1_BCA0, 0x1_BCA3),
    (0x1_D159, 0x1_D159),
    (0x1_D173, 0x1_D17A),
    (0xE_0000, 0xE_0FFF),
];

/// Names of the ones that are met in attacks or by accident; the others show their number.
const NAMES: &[(u32, &str)] = &[
    (0x0000, "null"),
    (0x0007, "bell"),
    (0x0008, "backspace"),
    (0x000B, "line tabulation"),
    (0x000C, "form feed"),
    (0x000D, "carriage return"),
    (0x007F, "delete"),
    (0x0085, "next line"),
    (0x009B, "control sequence introducer"),
    (0x00A0, "no-break space"),
    (0x00AD, "soft hyphen"),
    (0x034F, "combining grapheme joiner"),
    (0x061C, "arabic letter mark"),
    (0x115F, "hangul choseong filler"),
    (0x1160, "hangul jungseong filler"),
    (0x1680, "ogham space mark"),
    (0x180E, "mongolian vowel separator"),
    (0x2002, "en space"),
    (0x2003, "em space"),
    (0x2007, "figure space"),
    (0x2009, "thin space"),
    (0x200A, "hair space"),
    (0x200B, "zero width space"),
    (0x200C, "zero width non-joiner"),
    (0x200D, "zero width joiner"),
    (0x200E, "left-to-right mark"),
    (0x200F, "right-to-left mark"),
    (0x2028, "line separator"),
    (0x2029, "paragraph separator"),
    (0x202A, "left-to-right embedding"),
    (0x202B, "right-to-left embedding"),
    (0x202C, "pop directional formatting"),
    (0x202D, "left-to-right override"),
    (0x202E, "right-to-left override"),
    (0x202F, "narrow no-break space"),
    (0x205F, "medium mathematical space"),
    (0x2060, "word joiner"),
    (0x2061, "function application"),
    (0x2062, "invisible times"),
    (0x2063, "invisible separator"),
    (0x2064, "invisible plus"),
    (0x2066, "left-to-right isolate"),
    (0x2067, "right-to-left isolate"),
    (0x2068, "first strong isolate"),
    (0x2069, "pop directional isolate"),
    (0x2800, "braille pattern blank"),
    (0x3000, "ideographic space"),
    (0x3164, "hangul filler"),
    (0xFE0E, "text variation selector"),
    (0xFE0F, "emoji variation selector"),
    (0xFEFF, "zero width no-break space"),
    (0xFFA0, "halfwidth hangul filler"),
    (0xFFFC, "object replacement character"),
];

/// Characters that a variation selector turns into an emoji or back into text.
const EMOJI_BASES: &[(u32, u32)] = &[
    (0x00A9, 0x00A9),
    (0x00AE, 0x00AE),
    (0x203C, 0x203C),
    (0x2049, 0x2049),
    (0x2122, 0x2122),
    (0x2139, 0x2139),
    (0x2194, 0x2199),
    (0x21A9, 0x21AA),
    (0x231A, 0x231B),
    (0x2328, 0x2328),
    (0x23CF, 0x23CF),
    (0x23E9, 0x23FA),
    (0x24C2, 0x24C2),
    (0x25AA, 0x25AB),
    (0x25B6, 0x25B6),
    (0x25C0, 0x25C0),
    (0x25FB, 0x25FE),
    (0x2600, 0x2604),
    (0x260E, 0x27BF),
    (0x2934, 0x2935),
    (0x2B05, 0x2B07),
    (0x2B1B, 0x2B1C),
    (0x2B50, 0x2B50),
    (0x2B55, 0x2B55),
    (0x3030, 0x3030),
    (0x303D, 0x303D),
    (0x3297, 0x3297),
    (0x3299, 0x3299),
    (0x1_F004, 0x1_F004),
    (0x1_F170, 0x1_F251),
    (0x1_F300, 0x1_F6FF),
    (0x1_F900, 0x1_F9FF),
];

/// Whether a character must not be shown as it is. Line feed, tab and the plain space are not among them; they are
/// looked at in runs.
pub(super) fn is_hidden(letter: char) -> bool {
    if matches!(letter, ' '..='~' | '\n' | '\t') {
        return false;
    }
    is_in(BLANK, letter)
        || matches!(
            get_general_category(letter),
            GeneralCategory::Control
                | GeneralCategory::Format
                | GeneralCategory::Surrogate
                | GeneralCategory::PrivateUse
                | GeneralCategory::Unassigned
                | GeneralCategory::LineSeparator
                | GeneralCategory::ParagraphSeparator
                | GeneralCategory::SpaceSeparator
        )
}

/// Whether a character belongs to a real emoji sequence with its neighbours, so that it does what it is for.
pub(super) fn is_emoji_selector(letter: char, before: Option<char>, after: Option<char>) -> bool {
    let is_key = |before: char| matches!(before, '0'..='9' | '#' | '*') && after == Some('\u{20E3}');
    matches!(letter, '\u{FE0E}' | '\u{FE0F}')
        && before.is_some_and(|before| is_in(EMOJI_BASES, before) || is_key(before))
}

/// What stands on the chip of a hidden character.
pub(super) fn label(letter: char) -> String {
    let code = u32::from(letter);
    match NAMES.binary_search_by_key(&code, |(one, _)| *one).ok().and_then(|index| NAMES.get(index)) {
        Some((_, name)) => format!("U+{code:04X} {name}"),
        None => format!("U+{code:04X}"),
    }
}

fn is_in(ranges: &[(u32, u32)], letter: char) -> bool {
    let code = u32::from(letter);
    let behind = ranges.partition_point(|(first, _)| *first <= code);
    behind.checked_sub(1).and_then(|index| ranges.get(index)).is_some_and(|(_, last)| code <= *last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_in_order() {
        assert!(BLANK.windows(2).all(|pair| pair[0].1 < pair[1].0), "look-ups are by halves");
        assert!(EMOJI_BASES.windows(2).all(|pair| pair[0].1 < pair[1].0), "look-ups are by halves");
        assert!(NAMES.windows(2).all(|pair| pair[0].0 < pair[1].0), "look-ups are by halves");
    }
}
