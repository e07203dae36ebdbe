//! Cuts a command line at its top level: operators, blanks, words, redirections. Knows quoting; gives up on the rest.

/// A command line that could be followed.
#[derive(Debug)]
pub struct Line<'a> {
    /// Its parts in order.
    pub segments: Vec<Segment<'a>>,
}

/// What stands between two operators.
#[derive(Debug, Default)]
pub struct Segment<'a> {
    /// What joins it to the part before; empty for the first.
    pub operator: &'a str,
    /// Its tokens, blanks included.
    pub tokens: Vec<Token<'a>>,
}

/// A stretch of a part.
#[derive(Debug)]
pub struct Token<'a> {
    /// The source, exactly.
    pub source: &'a str,
    /// The word after quotes are taken off; what a substitution would give isn't known and left as written.
    pub value: String,
    /// What it is.
    pub shape: Shape,
    /// How it is written.
    pub look: Look,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// White space.
    Blank,
    /// From `#` to the end of the line.
    Comment,
    /// A word.
    Word,
    /// A variable that is set before the program.
    Assignment,
    /// The sign of a redirection.
    Redirect,
    /// What a redirection goes to or comes from.
    Target,
}

/// How a word is written; the later kinds win when several apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Look {
    /// As it is.
    Bare,
    /// With quotes or backslashes.
    Quoted,
    /// With a pattern that the shell fills in.
    Pattern,
    /// With a variable or a substitution.
    Dynamic,
}

impl Segment<'_> {
    /// The index of the program's word.
    pub fn program(&self) -> Option<usize> {
        self.tokens.iter().position(|token| token.shape == Shape::Word && token.value != "!")
    }
}

/// Words with which a shell begins something that has an inner structure.
const STRUCTURE: &[&str] = &[
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "select", "function",
    "coproc", "{", "}", "[[", "]]",
];

/// Cuts a command line; none if it can't be followed for sure.
pub fn scan(text: &str) -> Option<Line<'_>> {
    let mut scanner = Scanner { text, at: 0 };
    let mut segments = Vec::new();
    let mut segment = Segment::default();
    let mut awaits_target = false;
    let mut has_program = false;
    while let Some(byte) = scanner.peek(0) {
        let start = scanner.at;
        if let Some(length) = scanner.operator()? {
            if awaits_target {
                return None;
            }
            scanner.at += length;
            segments.push(std::mem::take(&mut segment));
            segment.operator = scanner.since(start);
            has_program = false;
            continue;
        }
        let token = if matches!(byte, b' ' | b'\t') {
            scanner.skip(|byte| matches!(byte, b' ' | b'\t'));
            scanner.token(start, Shape::Blank)
        } else if byte == b'#' {
            scanner.skip(|byte| byte != b'\n');
            scanner.token(start, Shape::Comment)
        } else if let Some(length) = scanner.redirect()? {
            if awaits_target {
                return None;
            }
            scanner.at += length;
            awaits_target = true;
            scanner.token(start, Shape::Redirect)
        } else {
            let mut word = scanner.word()?;
            if std::mem::take(&mut awaits_target) {
                word.shape = Shape::Target;
            } else if !has_program && is_assignment(&word) {
                word.shape = Shape::Assignment;
            } else if !has_program && !is_plain_program(&word) {
                return None;
            } else {
                has_program = has_program || word.value != "!";
            }
            word
        };
        segment.tokens.push(token);
    }
    if awaits_target {
        return None;
    }
    segments.push(segment);
    Some(Line { segments })
}

/// A program whose name isn't known before it runs, or that opens a structure, can't be followed.
fn is_plain_program(word: &Token<'_>) -> bool {
    let is_known = match word.look {
        Look::Bare | Look::Quoted => true,
        Look::Pattern => word.source == "[",
        Look::Dynamic => false,
    };
    is_known && !STRUCTURE.contains(&word.source)
}

fn is_assignment(word: &Token<'_>) -> bool {
    let Some((name, _)) = word.source.split_once('=') else {
        return false;
    };
    let name = name.strip_suffix('+').unwrap_or(name);
    !name.is_empty()
        && !name.starts_with(|letter: char| letter.is_ascii_digit())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn skip(&mut self, while_true: impl Fn(u8) -> bool) {
        while self.peek(0).is_some_and(&while_true) {
            self.at += 1;
        }
    }

    fn token(&self, start: usize, shape: Shape) -> Token<'a> {
        let source = self.since(start);
        Token { source, value: source.to_owned(), shape, look: Look::Bare }
    }

    /// The length of the operator here; the outer none means that it can't be followed.
    #[expect(clippy::option_option, reason = "no operator and no way on are different answers")]
    fn operator(&self) -> Option<Option<usize>> {
        Some(match (self.peek(0), self.peek(1)) {
            (Some(b';'), Some(b';' | b'&')) | (Some(b'(' | b')'), _) => return None,
            (Some(b'&'), Some(b'>')) => None,
            (Some(b'&'), Some(b'&')) | (Some(b'|'), Some(b'|' | b'&')) => Some(2),
            (Some(b'&' | b'|' | b';' | b'\n'), _) => Some(1),
            (Some(_) | None, _) => None,
        })
    }

    /// The length of the redirection's sign here.
    #[expect(clippy::option_option, reason = "no redirection and no way on are different answers")]
    fn redirect(&self) -> Option<Option<usize>> {
        let mut length = 0;
        while self.peek(length).is_some_and(|byte| byte.is_ascii_digit()) {
            length += 1;
        }
        if length == 0 && self.peek(0) == Some(b'&') && self.peek(1) == Some(b'>') {
            length = 1;
        }
        let sign = match (self.peek(length), self.peek(length + 1)) {
            // Here documents bring further lines, process substitutions further commands.
            (Some(b'<'), Some(b'<')) if self.peek(length + 2) != Some(b'<') => return None,
            (Some(b'<' | b'>'), Some(b'(')) => return None,
            (Some(b'<'), Some(b'<')) => 3,
            (Some(b'<'), Some(b'>' | b'&')) | (Some(b'>'), Some(b'>' | b'&' | b'|')) => 2,
            (Some(b'<' | b'>'), _) => 1,
            (Some(_) | None, _) => return Some(None),
        };
        Some(Some(length + sign))
    }

    fn word(&mut self) -> Option<Token<'a>> {
        let start = self.at;
        let mut value = String::new();
        let mut look = Look::Bare;
        while let Some(byte) = self.peek(0) {
            match byte {
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' => break,
                b'(' | b')' | b'`' => return None,
                b'\'' => {
                    let inner = self.until(b'\'')?;
                    value.push_str(inner);
                    look = look.max(Look::Quoted);
                }
                b'"' => {
                    let inner = self.double_quoted(&mut value)?;
                    look = look.max(inner);
                }
                b'\\' => {
                    self.at += 1;
                    // A backslash before a line break joins the lines.
                    match self.text.get(self.at..)?.chars().next()? {
                        '\n' => {}
                        letter => value.push(letter),
                    }
                    self.at += self.text.get(self.at..)?.chars().next()?.len_utf8();
                    look = look.max(Look::Quoted);
                }
                b'$' => {
                    value.push_str(self.dollar()?);
                    look = Look::Dynamic;
                }
                b'*' | b'?' | b'[' | b'{' => {
                    value.push(char::from(byte));
                    self.at += 1;
                    look = look.max(Look::Pattern);
                }
                _ => {
                    let letter = self.text.get(self.at..)?.chars().next()?;
                    value.push(letter);
                    self.at += letter.len_utf8();
                }
            }
        }
        Some(Token { source: self.since(start), value, shape: Shape::Word, look })
    }

    /// What stands between a quote here and the next one.
    fn until(&mut self, quote: u8) -> Option<&'a str> {
        self.at += 1;
        let start = self.at;
        self.skip(|byte| byte != quote);
        self.peek(0)?;
        let inner = self.since(start);
        self.at += 1;
        Some(inner)
    }

    fn double_quoted(&mut self, value: &mut String) -> Option<Look> {
        self.at += 1;
        let mut look = Look::Quoted;
        loop {
            match self.peek(0)? {
                b'"' => {
                    self.at += 1;
                    return Some(look);
                }
                b'`' => return None,
                b'$' => {
                    value.push_str(self.dollar()?);
                    look = Look::Dynamic;
                }
                b'\\' if matches!(self.peek(1), Some(b'"' | b'\\' | b'$' | b'`')) => {
                    value.extend(self.peek(1).map(char::from));
                    self.at += 2;
                }
                b'\\' if self.peek(1) == Some(b'\n') => self.at += 2,
                _ => {
                    let letter = self.text.get(self.at..)?.chars().next()?;
                    value.push(letter);
                    self.at += letter.len_utf8();
                }
            }
        }
    }

    /// A variable or a substitution without anything inside that would need following.
    fn dollar(&mut self) -> Option<&'a str> {
        let start = self.at;
        self.at += 1;
        let (open, close) = match self.peek(0) {
            // `$'…'` and `$"…"` have escapes of their own, which can spell anything.
            Some(b'\'' | b'"' | b'[') => return None,
            Some(b'(') => (b'(', b')'),
            Some(b'{') => (b'{', b'}'),
            Some(_) | None => {
                self.skip(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                if self.at == start + 1 && matches!(self.peek(0), Some(b'?' | b'@' | b'*' | b'#' | b'!' | b'$' | b'-'))
                {
                    self.at += 1;
                }
                return Some(self.since(start));
            }
        };
        let inner = self.until(close)?;
        let is_simple = inner.bytes().all(|byte| {
            !matches!(
                byte,
                b'"' | b'\''
                    | b'`'
                    | b'\\'
                    | b'$'
                    | b'('
                    | b')'
                    | b'{'
                    | b'}'
                    | b';'
                    | b'&'
                    | b'|'
                    | b'<'
                    | b'>'
                    | b'#'
                    | b'\n'
            )
        });
        (is_simple || (open == b'{' && is_trimming(inner))).then(|| self.since(start))
    }
}

/// `${name##*/}` and the like: signs that do nothing else inside braces.
fn is_trimming(inner: &str) -> bool {
    inner.bytes().all(|byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'#' | b'%' | b'*' | b'/' | b'.' | b':' | b'-')
    })
}
