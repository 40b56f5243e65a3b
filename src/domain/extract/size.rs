//! How large a value is.

use serde_json::Value;

/// Largest value of an attribute: several times what an object can hold.
pub(crate) const MAX_VALUE_BYTES: usize = 8 * 1024 * 1024;

/// What is left of a number of bytes after a value took its part; `None` if it needs more.
pub(crate) fn subtract_size(value: &Value, limit: usize) -> Option<usize> {
    let left = limit.checked_sub(size_of::<Value>())?;
    match value {
        Value::String(text) => left.checked_sub(text.len()),
        Value::Array(items) => items.iter().try_fold(left, |left, item| subtract_size(item, left)),
        Value::Object(members) => members.iter().try_fold(left, |left, (name, member)| {
            subtract_size(member, left.checked_sub(name.len())?)
        }),
        _ => Some(left),
    }
}
