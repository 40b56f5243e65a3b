//! Compares JSON values by what they mean.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::ast::Comparison;
use super::eval::TooExpensive;

/// Whether the comparison holds.
///
/// Values of different types are neither equal nor different, except that any value but null differs from null.
pub(super) fn holds(
    left: &Value,
    comparison: Comparison,
    right: &Value,
    budget: &mut usize,
) -> Result<bool, TooExpensive> {
    let ordering = |budget: &mut usize| ordering(left, right, budget);
    Ok(match comparison {
        Comparison::Equal => equal(left, right, budget)?,
        Comparison::NotEqual => differ(left, right, budget)?,
        Comparison::Less => ordering(budget)?.is_some_and(Ordering::is_lt),
        Comparison::LessOrEqual => ordering(budget)?.is_some_and(Ordering::is_le),
        Comparison::Greater => ordering(budget)?.is_some_and(Ordering::is_gt),
        Comparison::GreaterOrEqual => ordering(budget)?.is_some_and(Ordering::is_ge),
    })
}

fn differ(left: &Value, right: &Value, budget: &mut usize) -> Result<bool, TooExpensive> {
    match (left, right) {
        (Value::Null, other) | (other, Value::Null) => Ok(!other.is_null()),
        _ if std::mem::discriminant(left) == std::mem::discriminant(right) => {
            equal(left, right, budget).map(|equal| !equal)
        }
        _ => Ok(false),
    }
}

fn equal(left: &Value, right: &Value, budget: &mut usize) -> Result<bool, TooExpensive> {
    charge(left, budget)?;
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => Ok(compare_numbers(left, right).is_some_and(Ordering::is_eq)),
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            for (left, right) in left.iter().zip(right) {
                if !equal(left, right, budget)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::Object(left), Value::Object(right)) if left.len() == right.len() => {
            for (name, left) in left {
                match right.get(name) {
                    Some(right) if equal(left, right, budget)? => {}
                    _ => return Ok(false),
                }
            }
            Ok(true)
        }
        (Value::Array(_), Value::Array(_)) | (Value::Object(_), Value::Object(_)) => Ok(false),
        _ => Ok(left == right),
    }
}

fn ordering(left: &Value, right: &Value, budget: &mut usize) -> Result<Option<Ordering>, TooExpensive> {
    charge(left, budget)?;
    Ok(match (left, right) {
        (Value::Number(left), Value::Number(right)) => compare_numbers(left, right),
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        _ => equal(left, right, budget)?.then_some(Ordering::Equal),
    })
}

/// Long strings cost more, so that comparing one with every node of an object stays bounded.
fn charge(value: &Value, budget: &mut usize) -> Result<(), TooExpensive> {
    let cost = 1 + value.as_str().map_or(0, |text| text.len() / 64);
    *budget = budget.checked_sub(cost).ok_or(TooExpensive)?;
    Ok(())
}

/// Integers exactly, everything else as doubles.
fn compare_numbers(left: &Number, right: &Number) -> Option<Ordering> {
    match (integer(left), integer(right)) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        _ => left.as_f64()?.partial_cmp(&right.as_f64()?),
    }
}

fn integer(number: &Number) -> Option<i128> {
    number
        .as_u64()
        .map(i128::from)
        .or_else(|| number.as_i64().map(i128::from))
}
