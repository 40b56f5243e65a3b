//! From the text of a path to its steps: templates, relaxed spellings and constants.

use std::fmt;

use serde_json::Value;

use super::ast::Segment;
use super::ast::Selector;
use super::cursor::{Cursor, unescape_json};
use super::error::{JsonPathError, Problem};
use super::filter;
use super::segments::{self, Place};

/// What a text evaluates to.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Template {
    Constant(Value),
    Path(Vec<Segment>),
}

/// A spelling that is accepted but may not mean what its author thinks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// A path without braces and without `$.`.
    Relaxed,
    /// A path that starts like the prefix of an expression language.
    UnknownPrefix,
    /// A text outside braces comes first, so the text is the value.
    Constant,
    /// Further blocks or texts follow and are ignored.
    IgnoredRest,
    /// A step selects the member with the empty name.
    EmptyName,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Relaxed => {
                "the path has neither braces nor a leading `$.`; it is read as a path, where earlier releases \
                 exported the text itself; write `$.a.b` to be clear"
            }
            Self::UnknownPrefix => {
                "the path starts with an unknown prefix and is read as a path; expressions start with `cel:` in \
                 lower case"
            }
            Self::Constant => "the path starts with text outside braces, so its value is always that text",
            Self::IgnoredRest => {
                "only the first block of the path counts and the rest is ignored; use one attribute per value"
            }
            Self::EmptyName => "the path selects a member with an empty name; remove the extra dot",
        })
    }
}

/// Parses a path in any of the accepted spellings.
pub(super) fn parse(text: &str) -> Result<(Template, Vec<Notice>), JsonPathError> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(JsonPathError::new(0, Problem::Empty));
    }
    let (template, mut notices) = if !trimmed.starts_with('$') && trimmed.contains('{') {
        blocks(trimmed)?
    } else {
        relaxed(trimmed)?
    };
    if let Template::Path(segments) = &template
        && segments.iter().any(selects_empty_name)
    {
        notices.push(Notice::EmptyName);
    }
    Ok((template, notices))
}

fn selects_empty_name(segment: &Segment) -> bool {
    matches!(segment, Segment::Children(selectors)
        if selectors.iter().any(|selector| *selector == Selector::Name(String::new())))
}

/// A path without braces.
fn relaxed(text: &str) -> Result<(Template, Vec<Notice>), JsonPathError> {
    let mut cursor = Cursor::new(text);
    let segments = steps(&mut cursor)?;
    if let Some(found) = cursor.peek() {
        return Err(cursor.error(Problem::Unexpected(found)));
    }
    let mut notices = Vec::new();
    if has_unknown_prefix(text) {
        notices.push(Notice::UnknownPrefix);
    } else if !text.starts_with("$.") {
        notices.push(Notice::Relaxed);
    }
    Ok((Template::Path(segments), notices))
}

/// `word:` at the start, as in `CEL:size(object)`.
fn has_unknown_prefix(text: &str) -> bool {
    text.split_once(':')
        .is_some_and(|(prefix, _)| !prefix.is_empty() && prefix.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Steps that may start with a bare name.
fn steps(cursor: &mut Cursor) -> Result<Vec<Segment>, JsonPathError> {
    cursor.skip_blanks();
    let mut segments = Vec::new();
    if cursor.peek().is_some_and(starts_bare_name) {
        segments.push(Segment::Children(vec![segments::name(cursor, Place::Path)]));
    }
    segments.extend(segments::parse(cursor, Place::Path)?);
    cursor.skip_blanks();
    Ok(segments)
}

fn starts_bare_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-' | '\\' | '*')
}

/// One part of a template.
enum Part {
    Text(String),
    Literal(Value),
    Path { segments: Vec<Segment>, bare: bool },
    Range(Vec<Segment>),
    End,
}

/// A path with blocks in braces.
fn blocks(text: &str) -> Result<(Template, Vec<Notice>), JsonPathError> {
    let parts = parts(text)?;
    let mut notices = Vec::new();
    let mut rest = parts.into_iter();
    let template = match rest.next() {
        None | Some(Part::End) => Template::Path(Vec::new()),
        Some(Part::Text(text)) => {
            notices.push(Notice::Constant);
            Template::Constant(Value::String(text))
        }
        Some(Part::Literal(value)) => Template::Constant(value),
        Some(Part::Path { segments, bare }) => {
            if bare {
                notices.push(Notice::Relaxed);
            }
            Template::Path(segments)
        }
        Some(Part::Range(segments)) => range(segments, &mut rest, &mut notices),
    };
    if rest.next().is_some() && !notices.contains(&Notice::IgnoredRest) {
        notices.push(Notice::IgnoredRest);
    }
    Ok((template, notices))
}

/// The values of the first path inside a range, for every node the range visits.
fn range(mut segments: Vec<Segment>, rest: &mut impl Iterator<Item = Part>, notices: &mut Vec<Notice>) -> Template {
    let mut open = 1_usize;
    let mut found = false;
    for part in rest {
        match part {
            Part::End => open -= 1,
            Part::Range(inner) => {
                open += 1;
                if !found {
                    segments.extend(inner);
                }
            }
            Part::Path { segments: inner, .. } if !found => {
                segments.extend(inner);
                found = true;
            }
            Part::Path { .. } => {
                if !notices.contains(&Notice::IgnoredRest) {
                    notices.push(Notice::IgnoredRest);
                }
            }
            // Separators between values: an attribute holds the values themselves.
            Part::Text(_) | Part::Literal(_) => {}
        }
        if open == 0 {
            break;
        }
    }
    Template::Path(segments)
}

fn parts(text: &str) -> Result<Vec<Part>, JsonPathError> {
    let mut cursor = Cursor::new(text);
    let mut parts = Vec::new();
    let mut open_ranges = 0_usize;
    while cursor.peek().is_some() {
        let literal = cursor.take_while(|next| next != '{');
        if !literal.is_empty() {
            parts.push(Part::Text(literal));
            continue;
        }
        let start = cursor.position();
        let part = block(&mut cursor)?;
        match part {
            Part::Range(_) => open_ranges += 1,
            Part::End if open_ranges == 0 => {
                return Err(Cursor::error_at(start, Problem::StrayEnd));
            }
            Part::End => open_ranges -= 1,
            _ => {}
        }
        parts.push(part);
    }
    if open_ranges > 0 {
        return Err(cursor.error(Problem::OpenRange));
    }
    Ok(parts)
}

fn block(cursor: &mut Cursor) -> Result<Part, JsonPathError> {
    cursor.expect("{")?;
    cursor.skip_blanks();
    let part = match cursor.peek() {
        Some('"' | '\'') => Part::Literal(Value::String(unescape_json(&cursor.quoted()?))),
        Some(first) if starts_bare_name(first) => word(cursor)?,
        _ => Part::Path {
            segments: steps(cursor)?,
            bare: false,
        },
    };
    cursor.skip_blanks();
    match cursor.peek() {
        Some(found) if found != '}' => Err(cursor.error(Problem::Unexpected(found))),
        _ => {
            cursor.expect("}")?;
            Ok(part)
        }
    }
}

/// A keyword, a literal, or a path that starts with a bare name.
fn word(cursor: &mut Cursor) -> Result<Part, JsonPathError> {
    let start = cursor.position();
    let word = cursor.take_while(|next| !next.is_whitespace() && !matches!(next, '{' | '}' | '[' | ']' | '@' | '$'));
    if word == "end" {
        return Ok(Part::End);
    }
    if let Some(value) = filter::literal(&word) {
        return Ok(Part::Literal(value));
    }
    if word == "range" {
        return Ok(Part::Range(steps(cursor)?));
    }
    cursor.rewind(start);
    Ok(Part::Path {
        segments: steps(cursor)?,
        bare: true,
    })
}
