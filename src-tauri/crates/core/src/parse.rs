//! The one strict reader of arguments: text to a tree whose numbers stay text, duplicate keys refused.
//!
//! Rules, `Exact` approvals, schema checks, facts and the display all use this tree, so that what a person is shown
//! and what a rule judges can't differ. Not here: turning numbers into machine numbers; nobody needs that to decide.

/// A parsed JSON value. Numbers keep their literal, objects their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tree {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// The literal as written.
    Number(String),
    /// A string, unescaped.
    Text(String),
    /// An array.
    List(Vec<Tree>),
    /// An object; no key stands twice.
    Object(Vec<(String, Tree)>),
}

/// Why a text isn't usable as arguments.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Bigger than [`MOST_BYTES`].
    #[error("the arguments are larger than 16 MiB")]
    TooLarge,
    /// Nested deeper than [`MOST_DEPTH`].
    #[error("the arguments are nested deeper than 128 levels")]
    TooDeep,
    /// Not JSON.
    #[error("the arguments are not valid JSON: {what} at byte {at}")]
    Syntax {
        /// What was wrong.
        what: &'static str,
        /// Where, from 0.
        at: usize,
    },
    /// A key stands twice in one object.
    #[error("the key `{0}` stands twice in the arguments")]
    DuplicateKey(String),
    /// JSON, but not an object.
    #[error("the arguments must be a JSON object")]
    NotAnObject,
}

/// The most bytes that are read.
pub const MOST_BYTES: usize = 16 * 1024 * 1024;
/// The most levels of nesting that are read.
pub const MOST_DEPTH: usize = 128;

/// Reads the arguments of a call: exactly one JSON object and nothing after it. Blank text counts as an empty object,
/// because several providers send that for a call without arguments.
///
/// # Errors
/// A [`Fault`] in words for the model.
pub fn arguments(text: &str) -> Result<Tree, Fault> {
    if text.trim().is_empty() {
        return Ok(Tree::Object(Vec::new()));
    }
    match parse(text)? {
        object @ Tree::Object(_) => Ok(object),
        Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::Text(_) | Tree::List(_) => Err(Fault::NotAnObject),
    }
}

/// Reads one JSON value and nothing after it.
///
/// # Errors
/// A [`Fault`].
pub fn parse(text: &str) -> Result<Tree, Fault> {
    if text.len() > MOST_BYTES {
        return Err(Fault::TooLarge);
    }
    let mut reader = Reader { bytes: text.as_bytes(), text, at: 0 };
    reader.space();
    let tree = reader.value(0)?;
    reader.space();
    if reader.at < reader.bytes.len() {
        return Err(reader.fault("something follows the value"));
    }
    Ok(tree)
}

/// The tree as text in which key order and white space don't matter: two argument texts that mean the same give the
/// same canonical text. Numbers compare by their literal (D-73).
pub fn canonical(tree: &Tree) -> String {
    let mut text = String::new();
    write_text(tree, &mut text, Order::Sorted);
    text
}

/// The tree as JSON text, keys in their order and numbers by their literal.
pub fn to_text(tree: &Tree) -> String {
    let mut text = String::new();
    write_text(tree, &mut text, Order::AsIs);
    text
}

impl Tree {
    /// The value of a key, if this is an object that has it.
    pub fn get(&self, key: &str) -> Option<&Tree> {
        match self {
            Self::Object(pairs) => pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Text(_) | Self::List(_) => None,
        }
    }

    /// The text, if this is a string.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::List(_) | Self::Object(_) => None,
        }
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn fault(&self, what: &'static str) -> Fault {
        Fault::Syntax { what, at: self.at }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn word(&mut self, word: &str, tree: Tree) -> Result<Tree, Fault> {
        let end = self.at + word.len();
        if self.bytes.get(self.at..end) == Some(word.as_bytes()) {
            self.at = end;
            return Ok(tree);
        }
        Err(self.fault("an unknown word"))
    }

    fn value(&mut self, depth: usize) -> Result<Tree, Fault> {
        if depth > MOST_DEPTH {
            return Err(Fault::TooDeep);
        }
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => self.string().map(Tree::Text),
            Some(b't') => self.word("true", Tree::Bool(true)),
            Some(b'f') => self.word("false", Tree::Bool(false)),
            Some(b'n') => self.word("null", Tree::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => Err(self.fault("a value was expected")),
            None => Err(self.fault("the text ends too early")),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Tree, Fault> {
        self.at += 1;
        let mut pairs: Vec<(String, Tree)> = Vec::new();
        let mut keys = std::collections::HashSet::new();
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Tree::Object(pairs));
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return Err(self.fault("a key was expected"));
            }
            let key = self.string()?;
            if !keys.insert(key.clone()) {
                return Err(Fault::DuplicateKey(key.chars().take(80).collect()));
            }
            self.space();
            if self.peek() != Some(b':') {
                return Err(self.fault("a colon was expected"));
            }
            self.at += 1;
            self.space();
            let value = self.value(depth + 1)?;
            pairs.push((key, value));
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Tree::Object(pairs));
                }
                Some(_) => return Err(self.fault("a comma or a brace was expected")),
                None => return Err(self.fault("the text ends too early")),
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Tree, Fault> {
        self.at += 1;
        let mut items = Vec::new();
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Tree::List(items));
        }
        loop {
            self.space();
            items.push(self.value(depth + 1)?);
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(Tree::List(items));
                }
                Some(_) => return Err(self.fault("a comma or a bracket was expected")),
                None => return Err(self.fault("the text ends too early")),
            }
        }
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }

    fn number(&mut self) -> Result<Tree, Fault> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let leading_zero = self.peek() == Some(b'0');
        let whole = self.digits();
        if whole == 0 || (leading_zero && whole > 1) {
            return Err(self.fault("an unreadable number"));
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return Err(self.fault("an unreadable number"));
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return Err(self.fault("an unreadable number"));
            }
        }
        Ok(Tree::Number(self.text.get(start..self.at).unwrap_or_default().to_owned()))
    }

    fn string(&mut self) -> Result<String, Fault> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let start = self.at;
            while !matches!(self.peek(), None | Some(b'"' | b'\\' | 0..=0x1F)) {
                self.at += 1;
            }
            text.push_str(self.text.get(start..self.at).unwrap_or_default());
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => {
                    self.at += 1;
                    text.push(self.escape()?);
                }
                Some(_) => return Err(self.fault("a control character stands in a string")),
                None => return Err(self.fault("the text ends too early")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Fault> {
        let letter = self.peek();
        self.at += 1;
        Ok(match letter {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{C}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let unit = self.unit()?;
                match unit {
                    0xD800..=0xDBFF => {
                        if self.bytes.get(self.at..self.at + 2) != Some(b"\\u") {
                            return Err(self.fault("half of a surrogate pair"));
                        }
                        self.at += 2;
                        let low = self.unit()?;
                        if !(0xDC00..=0xDFFF).contains(&low) {
                            return Err(self.fault("half of a surrogate pair"));
                        }
                        char::from_u32(0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
                            .ok_or_else(|| self.fault("half of a surrogate pair"))?
                    }
                    _ => char::from_u32(unit).ok_or_else(|| self.fault("half of a surrogate pair"))?,
                }
            }
            Some(_) | None => return Err(self.fault("an unknown escape")),
        })
    }

    fn unit(&mut self) -> Result<u32, Fault> {
        let hex = self.text.get(self.at..self.at + 4).filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let unit = hex.and_then(|hex| u32::from_str_radix(hex, 16).ok());
        let unit = unit.ok_or_else(|| self.fault("an unreadable escape"))?;
        self.at += 4;
        Ok(unit)
    }
}

#[derive(Clone, Copy)]
enum Order {
    AsIs,
    Sorted,
}

fn write_text(tree: &Tree, text: &mut String, order: Order) {
    match tree {
        Tree::Null => text.push_str("null"),
        Tree::Bool(true) => text.push_str("true"),
        Tree::Bool(false) => text.push_str("false"),
        Tree::Number(literal) => text.push_str(literal),
        Tree::Text(value) => write_string(value, text),
        Tree::List(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_text(item, text, order);
            }
            text.push(']');
        }
        Tree::Object(pairs) => {
            let mut sorted: Vec<&(String, Tree)> = pairs.iter().collect();
            match order {
                Order::AsIs => {}
                Order::Sorted => sorted.sort_by(|one, other| one.0.cmp(&other.0)),
            }
            text.push('{');
            for (index, (key, value)) in sorted.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_string(key, text);
                text.push(':');
                write_text(value, text, order);
            }
            text.push('}');
        }
    }
}

fn write_string(value: &str, text: &mut String) {
    // A string always serializes; an empty text can't be mistaken for one, since a real one has its quotes.
    text.push_str(&serde_json::to_string(value).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_and_order_survive() {
        let tree = arguments(r#" {"b":9007199254740993,"a":1.50e+3,"c":-0} "#).unwrap();
        let number = |literal: &str| Tree::Number(literal.to_owned());
        assert_eq!(
            tree,
            Tree::Object(vec![
                ("b".to_owned(), number("9007199254740993")),
                ("a".to_owned(), number("1.50e+3")),
                ("c".to_owned(), number("-0")),
            ])
        );
    }

    #[test]
    fn what_is_not_one_object_is_refused() {
        for text in [
            "[]",
            "1",
            "\"a\"",
            "null",
            "{} {}",
            "{}x",
            "{\"a\":1,\"a\":2}",
            "{\"a\":01}",
            "{\"a\":1.}",
            "{\"a\":.5}",
            "{\"a\":+1}",
            "{'a':1}",
            "{\"a\":\"\n\"}",
            "{\"a\":\"\\ud800\"}",
            "{\"a\":NaN}",
            "{\"a\":1,}",
            "{",
            "{\"a\"",
            "{\"a\":\"\\u+123\"}",
            "{\"a\":tru}",
        ] {
            assert!(arguments(text).is_err(), "`{text}` is no usable argument text");
        }
        assert_eq!(arguments("  "), Ok(Tree::Object(vec![])));
        assert_eq!(parse(&"[".repeat(200)), Err(Fault::TooDeep));
    }

    #[test]
    fn the_canonical_text_ignores_order_and_space_but_not_literals() {
        let canon = |text| canonical(&parse(text).unwrap());
        assert_eq!(canon(r#"{"a":1,"b":[true,null]}"#), canon("{ \"b\" : [ true , null ] , \"a\" : 1 }"));
        assert_ne!(canon(r#"{"a":1}"#), canon(r#"{"a":1.0}"#));
        assert_ne!(canon(r#"{"a":9007199254740993}"#), canon(r#"{"a":9007199254740992}"#));
        assert_ne!(canon(r#"{"a":"1"}"#), canon(r#"{"a":1}"#));
    }

    proptest! {
        /// Whatever the text, reading it ends, and what is read means the same as another reader says it does.
        #[test]
        fn agrees_with_a_second_reader(text in r#"[\[\]{}",:0-9a-z\\. eE+-]{0,40}"#) {
            if let Ok(tree) = parse(&text) {
                let other: serde_json::Value = serde_json::from_str(&text).unwrap();
                let again: serde_json::Value = serde_json::from_str(&canonical(&tree)).unwrap();
                prop_assert_eq!(other, again);
            }
        }

        #[test]
        fn reads_whatever_a_writer_writes(text in any::<String>()) {
            let written = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(parse(&written), Ok(Tree::Text(text)));
        }
    }
}
