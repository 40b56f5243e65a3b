//! Parses the steps of a path.

use super::ast::{Segment, Selector, Slice};
use super::cursor::{Cursor, unescape_json, unescape_plain};
use super::error::{JsonPathError, Problem};
use super::filter;

/// Where a list of steps stands, which decides what ends a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In a template block or on its own.
    Path,
    /// In a filter, where operators and brackets follow.
    Filter,
}

/// Parses steps until something follows that starts none.
pub(super) fn parse(cursor: &mut Cursor, place: Place) -> Result<Vec<Segment>, JsonPathError> {
    let mut segments = Vec::new();
    loop {
        let before = cursor.position();
        cursor.skip_blanks();
        match cursor.peek() {
            Some('.') if cursor.looks_at("..") => {
                if segments.last() == Some(&Segment::Descend) {
                    return Err(cursor.error(Problem::RepeatedDescent));
                }
                cursor.eat("..");
                if cursor.looks_at(".") {
                    return Err(cursor.error(Problem::RepeatedDescent));
                }
                segments.push(Segment::Descend);
                if cursor.peek().is_some_and(|next| starts_name(next, place)) {
                    segments.push(Segment::Children(vec![name(cursor, place)]));
                }
            }
            Some('.') => {
                cursor.eat(".");
                // `.['a']` and `.[0]` are common slips of the pen.
                if !cursor.looks_at("[") {
                    segments.push(Segment::Children(vec![name(cursor, place)]));
                }
            }
            Some('[') => segments.push(Segment::Children(brackets(cursor)?)),
            // The current object, once more.
            Some('@' | '$') if place == Place::Path => {
                cursor.bump();
            }
            _ => {
                // Blanks before an operator belong to it.
                cursor.rewind(before);
                return Ok(segments);
            }
        }
    }
}

fn ends_name(character: char, place: Place) -> bool {
    character.is_whitespace()
        || matches!(character, '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}')
        || (place == Place::Filter
            && matches!(
                character,
                '(' | ')' | '=' | '!' | '<' | '>' | '&' | '|' | '~' | '"' | '\''
            ))
}

fn starts_name(character: char, place: Place) -> bool {
    !ends_name(character, place)
}

/// A name without quotes; a backslash takes the next character as it is.
pub(super) fn name(cursor: &mut Cursor, place: Place) -> Selector {
    let mut name = String::new();
    let mut escaped = false;
    while let Some(next) = cursor.peek() {
        if next == '\\' {
            escaped = true;
            cursor.bump();
            name.extend(cursor.bump());
        } else if ends_name(next, place) {
            break;
        } else {
            name.push(next);
            cursor.bump();
        }
    }
    if name == "*" && !escaped {
        Selector::Wildcard
    } else {
        Selector::Name(name)
    }
}

/// `[...]`: one selector or several separated by commas.
fn brackets(cursor: &mut Cursor) -> Result<Vec<Selector>, JsonPathError> {
    cursor.expect("[")?;
    cursor.skip_blanks();
    if cursor.eat("]") {
        // What `kubectl` makes of empty brackets.
        return Ok(vec![Selector::Index(0)]);
    }
    let mut selectors = Vec::new();
    loop {
        cursor.skip_blanks();
        selectors.push(selector(cursor)?);
        cursor.skip_blanks();
        if cursor.eat("]") {
            return Ok(selectors);
        }
        if !cursor.eat(",") {
            return Err(cursor.error(match cursor.peek() {
                None => Problem::Missing("]"),
                Some(found) => Problem::Expected {
                    expected: "`]` or `,`",
                    found,
                },
            }));
        }
    }
}

fn selector(cursor: &mut Cursor) -> Result<Selector, JsonPathError> {
    match cursor.peek() {
        None => Err(cursor.error(Problem::Missing("]"))),
        Some('*') => {
            cursor.bump();
            Ok(Selector::Wildcard)
        }
        Some('"') => Ok(Selector::Name(unescape_json(&cursor.quoted()?))),
        Some('\'') => single_quoted(cursor),
        Some('?') => {
            cursor.bump();
            cursor.descend()?;
            let expression = filter::parse(cursor)?;
            cursor.ascend();
            Ok(Selector::Filter(Box::new(expression)))
        }
        Some('-' | ':' | '0'..='9') => index_or_slice(cursor),
        Some(found @ (']' | ',' | '[')) => Err(cursor.error(Problem::Expected {
            expected: "a name in quotes, a number, `*` or `?`",
            found,
        })),
        Some(_) => {
            let start = cursor.position();
            let word = cursor.take_while(|next| !matches!(next, ']' | ',' | '['));
            let word = word.trim_end().to_owned();
            Err(Cursor::error_at(start, Problem::UnquotedName(word)))
        }
    }
}

/// `'a'` is a name; `'a.b'` is a name or, where there is none, a path.
fn single_quoted(cursor: &mut Cursor) -> Result<Selector, JsonPathError> {
    let raw = cursor.quoted()?;
    let literal = unescape_plain(&raw);
    if !has_unescaped_step(&raw) {
        return Ok(Selector::Name(literal));
    }
    let mut inner = cursor.nested(&format!(".{}", raw.trim_start_matches('.')))?;
    let path = parse(&mut inner, Place::Path);
    match path {
        Ok(path) if inner.peek().is_none() => Ok(Selector::NameOrPath(literal, path)),
        Err(error) if error.problem() == &Problem::TooDeep => Err(error),
        _ => Ok(Selector::Name(literal)),
    }
}

fn has_unescaped_step(raw: &str) -> bool {
    let mut characters = raw.chars();
    while let Some(next) = characters.next() {
        match next {
            '\\' => {
                characters.next();
            }
            '.' | '[' => return true,
            _ => {}
        }
    }
    false
}

fn index_or_slice(cursor: &mut Cursor) -> Result<Selector, JsonPathError> {
    let start = integer(cursor)?;
    cursor.skip_blanks();
    if !cursor.eat(":") {
        return match start {
            Some(index) => Ok(Selector::Index(index)),
            None => Err(cursor.error(Problem::Missing("a number"))),
        };
    }
    cursor.skip_blanks();
    let end = integer(cursor)?;
    cursor.skip_blanks();
    let step = if cursor.eat(":") {
        cursor.skip_blanks();
        integer(cursor)?
    } else {
        None
    };
    Ok(Selector::Slice(Slice {
        start,
        end,
        step: step.unwrap_or(1),
    }))
}

fn integer(cursor: &mut Cursor) -> Result<Option<i64>, JsonPathError> {
    let start = cursor.position();
    let sign = if cursor.eat("-") { "-" } else { "" };
    let digits = cursor.take_while(|next| next.is_ascii_digit());
    if digits.is_empty() {
        return if sign.is_empty() {
            Ok(None)
        } else {
            Err(cursor.error(Problem::Missing("a number")))
        };
    }
    let text = format!("{sign}{digits}");
    match text.parse() {
        Ok(number) => Ok(Some(number)),
        Err(_) => Err(Cursor::error_at(start, Problem::IndexTooLarge(text))),
    }
}
