//! What a row says about itself, as a database would read it from the payload.

use kollect_domain::query::{GroupKind, StoredRow, Visibility};
use serde_json::Value;

/// A member of the payload, empty if it is missing or not text.
pub(super) fn member<'a>(row: &'a StoredRow, name: &str) -> &'a str {
    row.payload.get(name).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn kind(row: &StoredRow) -> GroupKind {
    GroupKind {
        group: member(row, "group").into(),
        kind: member(row, "kind").into(),
    }
}

pub(super) fn is_visible(row: &StoredRow, visibility: &Visibility) -> bool {
    visibility.includes_cluster(&row.inventory.cluster) && visibility.includes_namespace(member(row, "namespace"))
}

/// Whether a text occurs in the name, the namespace or an attribute, whatever the case of ASCII letters.
pub(super) fn mentions(row: &StoredRow, text: &str) -> bool {
    let wanted = text.to_ascii_lowercase();
    let has = |text: &str| text.to_ascii_lowercase().contains(&wanted);
    has(member(row, "name"))
        || has(member(row, "namespace"))
        || row.payload.get("attributes").is_some_and(|value| occurs(value, &has))
}

/// Whether a value, or something inside it, fits. Names of members count: labels are searched by them.
fn occurs(value: &Value, has: &impl Fn(&str) -> bool) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(_) | Value::Number(_) => has(&value.to_string()),
        Value::String(text) => has(text),
        Value::Array(items) => items.iter().any(|item| occurs(item, has)),
        Value::Object(members) => members.iter().any(|(name, value)| has(name) || occurs(value, has)),
    }
}
