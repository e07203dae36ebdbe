//! The output of a command as far as it is kept: its beginning and its end for the model, and for the person all of it up to a bound.
//! However much comes, it is taken.

use std::collections::VecDeque;
use std::fmt::Write as _;

use countersign_engine::ports::MOST_WHOLE;

use crate::read::grouped;

/// The most bytes kept from the beginning, and the most kept from the end.
const MOST: usize = 24 * 1024;

/// Output being collected.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    dropped: u64,
    /// All of it, up to a bound.
    whole: Vec<u8>,
    /// How much came.
    came: u64,
}

/// The most of all of it. What the command is told to have done stands before it.
const MOST_KEPT: usize = MOST_WHOLE - 128 * 1024;

impl Kept {
    /// Takes what came.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.came += bytes.len() as u64;
        self.whole.extend(bytes.iter().take(MOST_KEPT - self.whole.len()));
        let (head, rest) = bytes.split_at(bytes.len().min(MOST - self.head.len()));
        self.head.extend(head);
        // Of a piece longer than the tail only its end can stay.
        let (gone, rest) = rest.split_at(rest.len().saturating_sub(MOST));
        self.tail.extend(rest);
        let over = self.tail.len().saturating_sub(MOST);
        self.tail.drain(..over);
        self.dropped += (gone.len() + over) as u64;
    }

    /// As text for the model, with the cut stated, and where there is a cut all of it.
    pub(crate) fn text(mut self) -> (String, Option<String>) {
        if self.dropped == 0 {
            self.head.extend(self.tail);
            return (String::from_utf8_lossy(&self.head).into_owned(), None);
        }
        let mut whole = String::from_utf8_lossy(&self.whole).into_owned();
        // Of what didn't fit any more the end is there all the same.
        let over = self.came - self.whole.len() as u64;
        if over > 0 {
            let end = usize::try_from(over).unwrap_or(usize::MAX).min(self.tail.len());
            let gap = over - end as u64;
            if gap > 0 {
                let _ = write!(whole, "\n… {} bytes weren't kept …\n", grouped(gap));
            }
            let end: Vec<u8> = self.tail.iter().skip(self.tail.len() - end).copied().collect();
            whole.push_str(&String::from_utf8_lossy(&end));
        }
        // A character that the cut goes through is left out whole.
        if let Err(error) = std::str::from_utf8(&self.head)
            && error.error_len().is_none()
        {
            self.dropped += (self.head.len() - error.valid_up_to()) as u64;
            self.head.truncate(error.valid_up_to());
        }
        let broken = self.tail.iter().take(3).take_while(|byte| (0x80..0xC0).contains(*byte)).count();
        self.tail.drain(..broken);
        self.dropped += broken as u64;
        let tail: Vec<u8> = self.tail.into();
        let text = format!(
            "{}\n… {} bytes left out …\n{}",
            String::from_utf8_lossy(&self.head),
            grouped(self.dropped),
            String::from_utf8_lossy(&tail)
        );
        (text, Some(whole))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(pieces: impl IntoIterator<Item = Vec<u8>>) -> String {
        let mut kept = Kept::default();
        pieces.into_iter().for_each(|piece| kept.push(&piece));
        kept.text().0
    }

    #[test]
    fn the_middle_is_left_out_and_counted_however_it_comes() {
        assert_eq!(kept([b"a".to_vec(), b"b".to_vec()]), "ab");
        assert_eq!(kept([vec![b'a'; 2 * MOST]]), "a".repeat(2 * MOST));
        let whole: Vec<u8> = (0..2 * MOST + 1_234_567).map(|index| b'a' + u8::try_from(index % 26).unwrap()).collect();
        let head = std::str::from_utf8(&whole[..MOST]).unwrap();
        let tail = std::str::from_utf8(&whole[whole.len() - MOST..]).unwrap();
        let expected = format!("{head}\n… 1,234,567 bytes left out …\n{tail}");
        for size in [1, 7, 4096, MOST, MOST + 1, 3 * MOST, whole.len()] {
            assert_eq!(kept(whole.chunks(size).map(<[u8]>::to_vec)), expected, "in pieces of {size}");
        }
    }

    /// The person can see all of it; of very much its beginning and its end, with the gap stated.
    #[test]
    fn all_of_it_is_kept_for_the_person() {
        let whole = |pieces: &[&[u8]]| {
            let mut kept = Kept::default();
            for piece in pieces {
                kept.push(piece);
            }
            kept.text().1
        };
        assert_eq!(whole(&[b"short"]), None, "the model got it all");
        let much: Vec<u8> = (0..3 * MOST).map(|index| b'a' + u8::try_from(index % 26).unwrap()).collect();
        assert_eq!(whole(&[&much]).unwrap().as_bytes(), much);
        let full = vec![b'f'; MOST_KEPT];
        let all = whole(&[&full, b"the end"]).unwrap();
        assert_eq!((all.len(), all.ends_with("fthe end")), (MOST_KEPT + 7, true));
        let all = whole(&[&full, &much, &much]).unwrap();
        let gap = format!("f\n… {} bytes weren't kept …\n", grouped((6 * MOST - MOST) as u64));
        assert!(all.contains(&gap) && all.as_bytes().ends_with(&much[2 * MOST..]) && all.len() <= MOST_WHOLE);
    }

    #[test]
    fn no_character_is_split_and_what_is_no_text_is_shown_as_such() {
        let text = kept(["€".repeat(MOST).into_bytes(), b"x".to_vec()]);
        assert!(!text.contains('\u{fffd}'));
        assert_eq!(kept([b"a\xffb".to_vec()]), "a\u{fffd}b");
    }
}
