//! A position in the text of a path.

use super::error::{JsonPathError, Problem};

/// Filters in filters, templates in templates and paths in quotes nest at most this deep.
const MAX_DEPTH: usize = 16;

/// Reads a path character by character.
#[derive(Debug, Clone)]
pub(super) struct Cursor {
    text: Vec<char>,
    at: usize,
    depth: usize,
}

impl Cursor {
    pub(super) fn new(text: &str) -> Self {
        Self {
            text: text.chars().collect(),
            at: 0,
            depth: 0,
        }
    }

    /// A cursor over a text found inside this one, which counts as one level deeper.
    pub(super) fn nested(&self, text: &str) -> Result<Self, JsonPathError> {
        let mut nested = Self::new(text);
        nested.depth = self.depth;
        nested.descend()?;
        Ok(nested)
    }

    /// Enters one level of nesting; leave it with [`Self::ascend`].
    pub(super) fn descend(&mut self) -> Result<(), JsonPathError> {
        if self.depth >= MAX_DEPTH {
            return Err(self.error(Problem::TooDeep));
        }
        self.depth += 1;
        Ok(())
    }

    pub(super) fn ascend(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let next = self.peek();
        if next.is_some() {
            self.at += 1;
        }
        next
    }

    /// Whether the text continues with `token`.
    pub(super) fn looks_at(&self, token: &str) -> bool {
        token
            .chars()
            .enumerate()
            .all(|(offset, expected)| self.text.get(self.at + offset) == Some(&expected))
    }

    /// Consumes `token` if the text continues with it.
    pub(super) fn eat(&mut self, token: &str) -> bool {
        let found = self.looks_at(token);
        if found {
            self.at += token.chars().count();
        }
        found
    }

    /// Consumes `token` or says what stands there instead.
    pub(super) fn expect(&mut self, token: &'static str) -> Result<(), JsonPathError> {
        if self.eat(token) {
            return Ok(());
        }
        Err(self.error(match self.peek() {
            None => Problem::Missing(token),
            Some(found) => Problem::Expected { expected: token, found },
        }))
    }

    pub(super) fn skip_blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    /// Consumes characters while they satisfy the condition.
    pub(super) fn take_while(&mut self, condition: impl Fn(char) -> bool) -> String {
        let start = self.at;
        while self.peek().is_some_and(&condition) {
            self.at += 1;
        }
        self.text[start..self.at].iter().collect()
    }

    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Goes back to a position that [`Self::position`] returned.
    pub(super) fn rewind(&mut self, position: usize) {
        self.at = position;
    }

    pub(super) fn error(&self, problem: Problem) -> JsonPathError {
        JsonPathError::new(self.at, problem)
    }

    /// An error at an earlier position.
    pub(super) fn error_at(position: usize, problem: Problem) -> JsonPathError {
        JsonPathError::new(position, problem)
    }

    /// A text in the quote that stands here, as it is written between the quotes.
    ///
    /// A backslash keeps the next character from closing the quote; both stay in the result.
    pub(super) fn quoted(&mut self) -> Result<String, JsonPathError> {
        let start = self.at;
        let Some(quote) = self.bump() else {
            return Err(self.error(Problem::OpenQuote));
        };
        let mut raw = String::new();
        loop {
            match self.bump() {
                None => return Err(Self::error_at(start, Problem::OpenQuote)),
                Some(next) if next == quote => return Ok(raw),
                Some('\\') => {
                    raw.push('\\');
                    raw.extend(self.bump());
                }
                Some(next) => raw.push(next),
            }
        }
    }
}

/// Removes backslash escapes: the character after a backslash stands for itself.
pub(super) fn unescape_plain(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut characters = raw.chars();
    while let Some(next) = characters.next() {
        if next == '\\' {
            text.extend(characters.next());
        } else {
            text.push(next);
        }
    }
    text
}

/// Resolves the escapes of JSON strings; any other character after a backslash stands for itself.
pub(super) fn unescape_json(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut characters = raw.chars();
    while let Some(next) = characters.next() {
        if next != '\\' {
            text.push(next);
            continue;
        }
        match characters.next() {
            Some('b') => text.push('\u{8}'),
            Some('f') => text.push('\u{c}'),
            Some('n') => text.push('\n'),
            Some('r') => text.push('\r'),
            Some('t') => text.push('\t'),
            Some('u') => text.push(unicode_escape(&mut characters)),
            other => text.extend(other),
        }
    }
    text
}

/// The character of a `\uXXXX` escape, or of a pair of them; U+FFFD if it is none.
fn unicode_escape(characters: &mut std::str::Chars<'_>) -> char {
    let Some(first) = hex4(characters) else {
        return char::REPLACEMENT_CHARACTER;
    };
    if !(0xd800..0xdc00).contains(&first) {
        return char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER);
    }
    let mut rest = characters.clone();
    let second = (rest.next() == Some('\\') && rest.next() == Some('u'))
        .then(|| hex4(&mut rest))
        .flatten();
    match second {
        Some(second @ 0xdc00..0xe000) => {
            *characters = rest;
            let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
            char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        _ => char::REPLACEMENT_CHARACTER,
    }
}

fn hex4(characters: &mut std::str::Chars<'_>) -> Option<u32> {
    let mut code = 0;
    for _ in 0..4 {
        code = code * 16 + characters.next()?.to_digit(16)?;
    }
    Some(code)
}
