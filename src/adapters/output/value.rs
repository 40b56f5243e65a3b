//! Values as text.

use std::borrow::Cow;

use serde_json::Value;

/// One line for people: texts as they are, lists with commas, and everything else as JSON. Characters that a terminal
/// would obey are replaced.
pub fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => printable(text).into_owned(),
        Value::Array(elements) if elements.iter().all(is_scalar) => {
            elements.iter().map(shown).collect::<Vec<_>>().join(",")
        }
        other => printable(&other.to_string()).into_owned(),
    }
}

/// Whether the value has no parts.
pub(super) fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}

/// The text without control characters.
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().any(char::is_control) {
        let replaced = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c });
        Cow::Owned(replaced.collect())
    } else {
        Cow::Borrowed(text)
    }
}
