//! Values in a table: one short line each.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::Value;

/// Longest text of a cell, in characters.
const LONGEST: usize = 80;
/// Longest text of a cell that stays on one line, in characters.
const LONGEST_LINE: usize = 20;
/// Longest text of one value among others.
const LONGEST_PART: usize = 60;
/// Most values that a list or an object shows before it only says how many there are.
const PARTS: usize = 3;
/// Longest line that stands for all attributes of a row.
const LONGEST_PREVIEW: usize = 140;

/// A value in a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// What it looks like: the name of a class of the style sheet.
    pub class: &'static str,
    /// What it says.
    pub text: String,
}

impl Cell {
    /// Whether it may be broken over several lines.
    pub fn is_long(&self) -> bool {
        is_long(&self.text)
    }

    /// The text in the parts between which it is broken first, as paths and image names are read.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.text.split_inclusive(['/', '@', ','])
    }
}

/// Whether a text may be broken over several lines.
pub fn is_long(text: &str) -> bool {
    text.chars().count() > LONGEST_LINE
}

/// A value in short; `None` for an attribute that a row does not have.
pub fn cell(value: Option<&Value>) -> Cell {
    match value {
        None => Cell {
            class: "none",
            text: "–".to_owned(),
        },
        Some(value) => Cell {
            class: class(value),
            text: short(value),
        },
    }
}

/// All attributes in one line, scalars first.
pub fn preview(attributes: &Value) -> Cell {
    let Value::Object(members) = attributes else {
        return cell(Some(attributes));
    };
    let (scalars, others): (Vec<_>, Vec<_>) = members.iter().partition(|(_, value)| is_scalar(value));
    let mut text = String::new();
    for (name, value) in scalars.into_iter().chain(others) {
        let separator = if text.is_empty() { "" } else { " · " };
        // Writing to a text does not fail.
        let _ = write!(text, "{separator}{name}: {}", cut(&short(value), LONGEST_PART));
        if text.chars().count() > LONGEST_PREVIEW {
            break;
        }
    }
    Cell {
        class: "preview",
        text: cut(&text, LONGEST_PREVIEW),
    }
}

/// Whether a value is no list and no object.
pub fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}

/// The look of a value.
pub fn class(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(text) if text.is_empty() => "empty",
        Value::String(_) => "string",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    }
}

/// A scalar whole; nothing for others.
pub fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some("null".to_owned()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::String(text) => Some(text.clone()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

fn short(value: &Value) -> String {
    match value {
        Value::String(text) if text.is_empty() => "empty text".to_owned(),
        Value::Array(items) => {
            let parts = items.iter().map(|item| is_scalar(item).then(|| part(item)));
            joined(parts, ("item", "items"))
        }
        Value::Object(members) => {
            let parts = members
                .iter()
                .map(|(name, value)| is_scalar(value).then(|| format!("{}={}", cut(name, LONGEST_PART), part(value))));
            joined(parts, ("entry", "entries"))
        }
        _ => scalar_in(value, LONGEST),
    }
}

fn part(value: &Value) -> String {
    scalar_in(value, LONGEST_PART)
}

fn scalar_in(value: &Value, longest: usize) -> String {
    match value {
        Value::String(text) => cut(text, longest),
        other => scalar(other).unwrap_or_default(),
    }
}

/// The first parts that fit and how many more there are; only their number if one of the first is not short.
fn joined(parts: impl ExactSizeIterator<Item = Option<String>>, (one, many): (&str, &str)) -> String {
    let count = parts.len();
    if count == 0 {
        return format!("no {many}");
    }
    let Some(first) = parts.take(PARTS).collect::<Option<Vec<String>>>() else {
        return format!("{count} {}", if count == 1 { one } else { many });
    };
    let mut line = String::new();
    let mut shown = 0;
    for part in first {
        // The first is always shown: it is better than a number.
        if shown > 0 && line.chars().count() + part.chars().count() > LONGEST {
            break;
        }
        line.push_str(if shown > 0 { ", " } else { "" });
        line.push_str(&part);
        shown += 1;
    }
    if count > shown {
        // Writing to a text does not fail.
        let _ = write!(line, " +{}", count - shown);
    }
    line
}

/// The beginning of a text on one line, with a mark if there is more.
pub fn cut(text: &str, longest: usize) -> String {
    let mut characters = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut line: String = characters.by_ref().take(longest).collect();
    if characters.next().is_some() {
        line.pop();
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn text(value: &Value) -> String {
        cell(Some(value)).text
    }

    #[test]
    fn scalars_are_shown_as_they_are() {
        let shown = [json!(null), json!(true), json!(-1.5), json!("web"), json!("")].map(|value| text(&value));
        assert_eq!(shown, ["null", "true", "-1.5", "web", "empty text"]);
        assert_eq!(cell(None).text, "–");
    }

    #[test]
    fn short_lists_and_objects_are_shown_and_others_counted() {
        assert_eq!(text(&json!(["a", 1])), "a, 1");
        assert_eq!(text(&json!(["a", "b", "c", "d", "e"])), "a, b, c +2");
        let image = "registry.example.org/checkout/web:1.2.3";
        assert_eq!(text(&json!([image, image, image])), format!("{image}, {image} +1"));
        assert_eq!(text(&json!([image, "x".repeat(60)])), format!("{image} +1"));
        assert_eq!(text(&json!({"app": "web", "tier": 1})), "app=web, tier=1");
        assert_eq!(text(&json!([{"name": "web"}])), "1 item");
        assert_eq!(text(&json!({"a": [], "b": {}})), "2 entries");
        assert_eq!(text(&json!([])), "no items");
    }

    #[test]
    fn a_preview_begins_with_what_is_short() {
        let attributes = json!({"a": ["x"], "b": 1});
        assert_eq!(preview(&attributes).text, "b: 1 · a: x");
    }

    proptest! {
        #[test]
        fn no_value_makes_a_cell_long(text in "(?s).{0,300}", count in 0_usize..2000) {
            let values = [json!(text), json!(vec![text.clone(); count]), json!({text.clone(): text})];
            for value in values {
                for cell in [cell(Some(&value)), preview(&json!({"name": value}))] {
                    prop_assert!(cell.text.chars().count() <= LONGEST_PREVIEW, "{}", cell.text);
                    prop_assert!(!cell.text.contains(char::is_control));
                }
            }
        }
    }
}
