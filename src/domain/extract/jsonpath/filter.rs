//! Parses filter expressions.

use serde_json::Value;

use super::ast::{Comparison, Expression, Operand};
use super::cursor::{Cursor, unescape_json};
use super::error::{JsonPathError, Problem};
use super::segments::{self, Place};

/// Parses a condition; `||` binds weakest, then `&&`, then `!`.
pub(super) fn parse(cursor: &mut Cursor) -> Result<Expression, JsonPathError> {
    let mut terms = vec![conjunction(cursor)?];
    while operator(cursor, "||") {
        terms.push(conjunction(cursor)?);
    }
    Ok(single_or(terms, Expression::Or))
}

fn conjunction(cursor: &mut Cursor) -> Result<Expression, JsonPathError> {
    let mut terms = vec![condition(cursor)?];
    while operator(cursor, "&&") {
        terms.push(condition(cursor)?);
    }
    Ok(single_or(terms, Expression::And))
}

fn single_or(mut terms: Vec<Expression>, several: fn(Vec<Expression>) -> Expression) -> Expression {
    match (terms.len(), terms.pop()) {
        (1, Some(only)) => only,
        (_, last) => {
            terms.extend(last);
            several(terms)
        }
    }
}

fn operator(cursor: &mut Cursor, token: &str) -> bool {
    cursor.skip_blanks();
    cursor.eat(token)
}

fn condition(cursor: &mut Cursor) -> Result<Expression, JsonPathError> {
    cursor.skip_blanks();
    if cursor.looks_at("!") && !cursor.looks_at("!=") {
        cursor.bump();
        cursor.descend()?;
        let inner = condition(cursor)?;
        cursor.ascend();
        return Ok(Expression::Not(Box::new(inner)));
    }
    if cursor.eat("(") {
        cursor.descend()?;
        let inner = parse(cursor)?;
        cursor.ascend();
        cursor.skip_blanks();
        cursor.expect(")")?;
        return Ok(inner);
    }
    let left = operand(cursor)?;
    cursor.skip_blanks();
    match comparison(cursor)? {
        None => Ok(Expression::Exists(left)),
        Some(comparison) => Ok(Expression::Compare(left, comparison, operand(cursor)?)),
    }
}

fn comparison(cursor: &mut Cursor) -> Result<Option<Comparison>, JsonPathError> {
    let start = cursor.position();
    let token = cursor.take_while(|next| matches!(next, '=' | '!' | '<' | '>' | '~'));
    let comparison = match token.as_str() {
        "" => return unknown_word_operator(cursor),
        "==" => Comparison::Equal,
        "!=" => Comparison::NotEqual,
        "<" => Comparison::Less,
        "<=" => Comparison::LessOrEqual,
        ">" => Comparison::Greater,
        ">=" => Comparison::GreaterOrEqual,
        _ => return Err(Cursor::error_at(start, Problem::UnknownOperator(token))),
    };
    Ok(Some(comparison))
}

/// `in`, `contains` and the like are operators elsewhere.
fn unknown_word_operator(cursor: &mut Cursor) -> Result<Option<Comparison>, JsonPathError> {
    let start = cursor.position();
    let word = cursor.take_while(|next| next.is_ascii_alphabetic());
    if word.is_empty() {
        Ok(None)
    } else {
        Err(Cursor::error_at(start, Problem::UnknownOperator(word)))
    }
}

fn operand(cursor: &mut Cursor) -> Result<Operand, JsonPathError> {
    cursor.skip_blanks();
    match cursor.peek() {
        None => Err(cursor.error(Problem::Missing("a value"))),
        Some('@') => {
            cursor.bump();
            Ok(Operand::Current(segments::parse(cursor, Place::Filter)?))
        }
        Some('$') => {
            cursor.bump();
            Ok(Operand::Root(segments::parse(cursor, Place::Filter)?))
        }
        Some('.' | '[') => Ok(Operand::Current(segments::parse(cursor, Place::Filter)?)),
        Some('"' | '\'') => {
            let text = unescape_json(&cursor.quoted()?);
            Ok(Operand::Literal(Value::String(text)))
        }
        Some(found) => word(cursor, found),
    }
}

/// A number, a constant, or something that only looks like a value.
fn word(cursor: &mut Cursor, found: char) -> Result<Operand, JsonPathError> {
    let start = cursor.position();
    let word = cursor.take_while(|next| next.is_alphanumeric() || matches!(next, '-' | '+' | '.' | '_'));
    if word.is_empty() {
        return Err(Cursor::error_at(
            start,
            Problem::Expected {
                expected: "a path, a number or a quoted text",
                found,
            },
        ));
    }
    if cursor.looks_at("(") {
        return Err(Cursor::error_at(start, Problem::Function(word)));
    }
    literal(&word)
        .map(Operand::Literal)
        .ok_or_else(|| Cursor::error_at(start, Problem::UnknownWord(word)))
}

/// The number or constant that a word spells.
pub(super) fn literal(word: &str) -> Option<Value> {
    match serde_json::from_str(word) {
        Ok(value @ (Value::Null | Value::Bool(_) | Value::Number(_))) => Some(value),
        _ => None,
    }
}
