//! `read_file`: lines of a text file, bounded.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};

use tokio_util::sync::CancellationToken;

use crate::fault::{self, Fault};
use crate::workspace::Workspace;

/// The most bytes of a file that come back.
const MOST_BYTES: usize = 256 * 1024;

/// The most bytes that are passed over to get to a line.
const MOST_SKIPPED: u64 = 256 * 1024 * 1024;

/// Reads lines.
pub(crate) fn read(
    workspace: &Workspace,
    path: &str,
    offset: Option<u64>,
    limit: Option<u64>,
    stop: &CancellationToken,
) -> Result<String, Fault> {
    let way = workspace.way(path)?;
    let open = workspace.file(&way)?;
    let size = open.stat.st_size;
    let mut reader = BufReader::with_capacity(64 * 1024, open.file);
    let first = offset.unwrap_or(1);
    let mut line = 1;
    let mut skipped = 0;
    while line < first {
        match skip_line(&mut reader, &mut skipped, stop).map_err(fault::failed("read", path))? {
            Skipped::Line => line += 1,
            Skipped::Nothing => {
                return Ok(format!("[`{path}` has {} lines; there is no line {first}]", grouped(line - 1)));
            }
            Skipped::Stopped => return Err(Fault::Stopped),
            Skipped::TooMuch => {
                return Ok(format!(
                    "[line {first} of `{path}` lies behind the first 256 MiB; use run_command for that]"
                ));
            }
        }
    }
    let mut bytes = Vec::new();
    let last = first.saturating_add(limit.unwrap_or(u64::MAX)).saturating_sub(1);
    let mut cut = None;
    while line <= last {
        if stop.is_cancelled() {
            return Err(Fault::Stopped);
        }
        let start = bytes.len();
        match take_line(&mut reader, &mut bytes).map_err(fault::failed("read", path))? {
            Taken::Nothing => break,
            Taken::Line => line += 1,
            Taken::TooLong if start == 0 => {
                cut = Some(format!("[line {line} is cut after 256 KiB; go on with offset {}]", line + 1));
                break;
            }
            Taken::TooLong => {
                bytes.truncate(start);
                cut = Some(go_on(first, line));
                break;
            }
        }
    }
    if bytes.contains(&0) {
        return Ok(format!("[`{path}` is a binary file of {size} bytes; it can't be read as text]"));
    }
    let (mut text, note) = match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) if cut.is_some() && error.utf8_error().error_len().is_none() => {
            // Only the cut fell into a character.
            let valid = error.utf8_error().valid_up_to();
            let mut bytes = error.into_bytes();
            bytes.truncate(valid);
            (String::from_utf8(bytes).unwrap_or_default(), None)
        }
        Err(error) => {
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            (text, Some("[not UTF-8 text: what couldn't be read stands as \u{fffd}]"))
        }
    };
    let more = !reader.fill_buf().map_err(fault::failed("read", path))?.is_empty();
    if text.is_empty() && !more && size == 0 {
        return Ok(format!("[`{path}` is empty]"));
    }
    let mut end = |note: &str| {
        if !text.ends_with('\n') && !text.is_empty() {
            text.push('\n');
        }
        let _ = writeln!(text, "{note}");
    };
    match cut {
        Some(cut) => end(&cut),
        None if more => end(&go_on(first, line)),
        None => {}
    }
    if let Some(note) = note {
        end(note);
    }
    Ok(text)
}

fn go_on(first: u64, next: u64) -> String {
    format!("[lines {first} to {}; the file goes on, continue with offset {next}]", next - 1)
}

enum Skipped {
    Line,
    Nothing,
    Stopped,
    TooMuch,
}

/// Passes over one line without keeping it.
fn skip_line(
    reader: &mut impl std::io::BufRead,
    skipped: &mut u64,
    stop: &CancellationToken,
) -> std::io::Result<Skipped> {
    let mut any = Skipped::Nothing;
    loop {
        if stop.is_cancelled() {
            return Ok(Skipped::Stopped);
        }
        if *skipped > MOST_SKIPPED {
            return Ok(Skipped::TooMuch);
        }
        let buffer = reader.fill_buf()?;
        let all = buffer.len();
        if all == 0 {
            return Ok(any);
        }
        any = Skipped::Line;
        let at = buffer.iter().position(|byte| *byte == b'\n');
        let taken = at.map_or(all, |at| at + 1);
        reader.consume(taken);
        *skipped += taken as u64;
        if at.is_some() {
            return Ok(any);
        }
    }
}

enum Taken {
    Nothing,
    Line,
    /// What fits was taken, and there is more of the line.
    TooLong,
}

fn take_line(reader: &mut impl std::io::BufRead, bytes: &mut Vec<u8>) -> std::io::Result<Taken> {
    let room = MOST_BYTES.saturating_sub(bytes.len());
    let before = bytes.len();
    let mut left = room;
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok(if bytes.len() == before { Taken::Nothing } else { Taken::Line });
        }
        if left == 0 {
            return Ok(Taken::TooLong);
        }
        let end = buffer.iter().position(|byte| *byte == b'\n').map_or(buffer.len(), |at| at + 1);
        let taken = end.min(left);
        bytes.extend(buffer.iter().take(taken));
        let ended = bytes.last() == Some(&b'\n');
        reader.consume(taken);
        left -= taken;
        if ended {
            return Ok(Taken::Line);
        }
    }
}

/// A number with its digits in groups of three.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(content: &[u8], offset: Option<u64>, limit: Option<u64>) -> String {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("f"), content).unwrap();
        let workspace = Workspace::open(folder.path(), vec![]).unwrap();
        read(&workspace, "f", offset, limit, &CancellationToken::new()).unwrap()
    }

    #[test]
    fn lines_come_back_and_a_cut_is_stated() {
        for (name, content, offset, limit, expected) in [
            ("whole", "a\nb\n", None, None, "a\nb\n"),
            ("no line end", "a\nb", None, None, "a\nb"),
            ("from the second", "a\nb\nc\n", Some(2), None, "b\nc\n"),
            (
                "one of three",
                "a\nb\nc\n",
                Some(2),
                Some(1),
                "b\n[lines 2 to 2; the file goes on, continue with offset 3]\n",
            ),
            ("beyond", "a\nb\n", Some(5), None, "[`f` has 2 lines; there is no line 5]"),
            ("empty", "", None, None, "[`f` is empty]"),
            ("huge numbers", "a\n", Some(1), Some(u64::MAX), "a\n"),
        ] {
            assert_eq!(with(content.as_bytes(), offset, limit), expected, "{name}");
        }
    }

    #[test]
    fn what_is_no_text_is_said_to_be_none() {
        assert_eq!(with(b"a\0b", None, None), "[`f` is a binary file of 3 bytes; it can't be read as text]");
        assert!(with(b"caf\xe9\n", None, None).starts_with("caf\u{fffd}\n[not UTF-8"));
    }

    #[test]
    fn long_files_and_long_lines_are_bounded() {
        let many = "0123456789\n".repeat(100_000);
        let text = with(many.as_bytes(), None, None);
        assert!(
            text.len() < MOST_BYTES + 100 && text.ends_with("continue with offset 23832]\n"),
            "{}",
            &text[text.len() - 80..]
        );
        let rest = with(many.as_bytes(), Some(23832), Some(1));
        assert!(rest.starts_with("0123456789\n"));
        let last_over = format!("{}\n{}", "a".repeat(MOST_BYTES - 10), "b".repeat(20));
        let text = with(last_over.as_bytes(), None, None);
        assert!(text.ends_with("a\n[lines 1 to 1; the file goes on, continue with offset 2]\n"), "no line is lost");
        assert_eq!(with(last_over.as_bytes(), Some(2), None), "b".repeat(20));
        let long = format!("{}\nnext\n", "é".repeat(MOST_BYTES));
        let text = with(long.as_bytes(), None, None);
        assert!(text.ends_with("[line 1 is cut after 256 KiB; go on with offset 2]\n"));
        assert!(!text.contains('\u{fffd}'), "the cut splits no character");
        assert_eq!(with(long.as_bytes(), Some(2), None), "next\n");
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([7, 1234, 1_234_567].map(grouped), ["7", "1,234", "1,234,567"]);
    }
}
