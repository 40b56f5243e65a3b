//! Which attributes a list shows.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::cell::is_scalar;

/// Most attributes that a list shows; more do not fit on a screen.
const MOST: usize = 6;

/// An attribute that a list shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Name of the attribute.
    pub name: String,
    /// Whether all of its values are numbers.
    pub is_numeric: bool,
}

#[derive(Default)]
struct Use {
    rows: usize,
    plain: usize,
    numbers: usize,
    values: BTreeSet<String>,
}

/// The attributes that most rows have, ascending by name; of those that equally many have, rather such with plain
/// values, and then those whose values tell rows apart.
pub fn columns<'a>(rows: impl Iterator<Item = &'a Value>) -> Vec<Column> {
    let mut found: BTreeMap<&str, Use> = BTreeMap::new();
    for (name, value) in rows.filter_map(Value::as_object).flatten() {
        let used = found.entry(name).or_default();
        used.rows += 1;
        used.plain += usize::from(is_plain(value));
        used.numbers += usize::from(value.is_number());
        used.values.insert(value.to_string());
    }
    let mut found: Vec<(&str, Use)> = found.into_iter().collect();
    found.sort_by_key(|(_, used)| Reverse((used.rows, used.plain, used.values.len())));
    found.truncate(MOST);
    found.sort_by_key(|(name, _)| *name);
    let column = |(name, used): (&str, Use)| Column {
        name: name.to_owned(),
        is_numeric: used.numbers == used.rows,
    };
    found.into_iter().map(column).collect()
}

/// A scalar, or a list of them.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Array(elements) => elements.iter().all(is_scalar),
        other => is_scalar(other),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names(rows: &[Value]) -> Vec<String> {
        columns(rows.iter()).into_iter().map(|column| column.name).collect()
    }

    #[test]
    fn the_attributes_that_most_rows_have_are_shown_by_name() {
        let rows = [
            json!({"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "z": 1}),
            json!({"b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "z": 1}),
        ];
        assert_eq!(names(&rows), ["b", "c", "d", "e", "f", "z"]);
    }

    #[test]
    fn plain_values_come_before_nested_ones() {
        let row = json!({"a": [{}], "b": {}, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1, "h": ["x", "y"]});
        assert_eq!(names(&[row]), ["c", "d", "e", "f", "g", "h"]);
    }

    #[test]
    fn values_that_tell_rows_apart_come_before_those_that_all_share() {
        let rows = [
            json!({"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "image": ["web:1"]}),
            json!({"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "image": ["api:1"]}),
        ];
        assert_eq!(names(&rows), ["a", "b", "c", "d", "e", "image"]);
    }

    #[test]
    fn a_column_is_numeric_when_every_value_is() {
        let rows = [json!({"a": 1, "b": 1}), json!({"a": 2.5, "b": "x"})];
        let numeric: Vec<bool> = columns(rows.iter()).iter().map(|column| column.is_numeric).collect();
        assert_eq!(numeric, [true, false]);
    }

    #[test]
    fn rows_without_attributes_have_no_columns() {
        assert_eq!(columns([json!(null), json!("x")].iter()), []);
    }
}
