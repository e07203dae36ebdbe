//! Reads server-sent events with bounds.
//!
//! # Design
//! Published readers buffer without a limit, so a broken or hostile server could fill the memory; and some send a
//! request again by themselves, which for a model is a second paid call. This one only reads.

/// The longest line, in bytes.
pub const MOST_LINE: usize = 1024 * 1024;
/// The largest event, in bytes.
pub const MOST_EVENT: usize = 16 * 1024 * 1024;

/// One event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Event {
    /// Its kind; empty if none was given.
    pub name: String,
    /// Its data; several lines are joined by line breaks.
    pub data: String,
}

/// Why a stream can't be read any further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// A line is longer than [`MOST_LINE`].
    #[error("a line of the stream is longer than 1 MiB")]
    LineTooLong,
    /// An event is larger than [`MOST_EVENT`].
    #[error("an event of the stream is larger than 16 MiB")]
    EventTooLarge,
    /// It isn't text.
    #[error("the stream is not valid UTF-8")]
    NotText,
}

/// Turns bytes, cut anywhere, into events.
#[derive(Debug, Default)]
pub struct Parser {
    line: Vec<u8>,
    event: Event,
    /// Whether the event has data yet; an empty data line counts.
    has_data: bool,
    /// Whether the last byte was a carriage return, which swallows a line feed behind it.
    after_return: bool,
    /// Whether the first line is behind us; a byte order mark can only stand before it.
    begun: bool,
}

impl Parser {
    /// Takes the next bytes and gives the events that are complete now.
    ///
    /// # Errors
    /// [`Unreadable`]; nothing that follows can be trusted then.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<Event>, Unreadable> {
        let mut events = Vec::new();
        for &byte in bytes {
            let swallow = std::mem::replace(&mut self.after_return, byte == b'\r') && byte == b'\n';
            match byte {
                b'\n' if swallow => {}
                b'\r' | b'\n' => events.extend(self.end_of_line()?),
                _ if self.line.len() >= MOST_LINE => return Err(Unreadable::LineTooLong),
                _ => self.line.push(byte),
            }
        }
        Ok(events)
    }

    /// The event that was complete but for its blank line when the stream ended. A half line is dropped.
    pub fn finish(&mut self) -> Option<Event> {
        self.dispatch()
    }

    fn dispatch(&mut self) -> Option<Event> {
        let event = std::mem::take(&mut self.event);
        std::mem::take(&mut self.has_data).then_some(event)
    }

    fn end_of_line(&mut self) -> Result<Option<Event>, Unreadable> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8(line).map_err(|_| Unreadable::NotText)?;
        let is_first = !std::mem::replace(&mut self.begun, true);
        let line = line.strip_prefix('\u{FEFF}').filter(|_| is_first).unwrap_or(&line);
        if line.is_empty() {
            return Ok(self.dispatch());
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.event.data.len() + value.len() >= MOST_EVENT {
                    return Err(Unreadable::EventTooLarge);
                }
                if std::mem::replace(&mut self.has_data, true) {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
            }
            "event" => value.clone_into(&mut self.event.name),
            // Comments, ids and retry times mean nothing to us.
            _ => {}
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(chunks: &[&[u8]]) -> Result<Vec<Event>, Unreadable> {
        let mut parser = Parser::default();
        let mut events = Vec::new();
        for chunk in chunks {
            events.extend(parser.feed(chunk)?);
        }
        events.extend(parser.finish());
        Ok(events)
    }

    fn data(data: &str) -> Event {
        Event { name: String::new(), data: data.to_owned() }
    }

    #[test]
    fn lines_comments_and_fields() {
        for (text, expected) in [
            ("data: a\n\ndata: b\n\n", vec![data("a"), data("b")]),
            ("data: a\r\n\r\ndata: b\r\rdata: c\n\n", vec![data("a"), data("b"), data("c")]),
            ("data: a\ndata: b\ndata\n\n", vec![data("a\nb\n")]),
            (": hello\nid: 1\nretry: 5\n\ndata:a\n\n", vec![data("a")]),
            ("\u{FEFF}data: a\n\n", vec![data("a")]),
            ("event: error\ndata: x\n\n", vec![Event { name: "error".to_owned(), data: "x".to_owned() }]),
            ("data: a\n", vec![data("a")]),
            ("data: a", vec![]),
            ("event: x\n\n", vec![]),
        ] {
            assert_eq!(all(&[text.as_bytes()]), Ok(expected), "{text:?}");
        }
    }

    #[test]
    fn bounds_hold() {
        assert_eq!(all(&[&vec![b'a'; MOST_LINE + 1]]), Err(Unreadable::LineTooLong));
        let line = format!("data: {}\n", "a".repeat(MOST_LINE - 6));
        let many = line.repeat(17);
        assert_eq!(all(&[many.as_bytes()]), Err(Unreadable::EventTooLarge));
        assert_eq!(all(&[b"data: \xFF\n\n"]), Err(Unreadable::NotText));
    }

    proptest! {
        /// However the bytes are cut, the events are the same.
        #[test]
        fn any_split_gives_the_same(
            text in r"((data|event|id|: ?x)?(: ?)?[a-zé€😀]{0,4}(\n|\r|\r\n)){0,12}",
            cuts in prop::collection::vec(0_usize..200, 0..8),
        ) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let chunks: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(all(&chunks), all(&[bytes]));
        }
    }
}
