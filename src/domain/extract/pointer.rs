//! JSON pointers to what is to be removed. **Source**: RFC 6901.

use serde_json::Value;

/// A checked pointer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer(String);

impl Pointer {
    /// A pointer from a user's text; `None` unless it starts with `/` and each `~` is part of `~0` or `~1`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let escapes = text.split('~').skip(1);
        let is_escaped = escapes.into_iter().all(|rest| rest.starts_with(['0', '1']));
        (text.starts_with('/') && is_escaped).then(|| Self(text.to_owned()))
    }

    /// Removes the member or element. What is missing, or stands elsewhere than the pointer says, is no error; `/`
    /// alone removes nothing.
    pub fn remove_from(&self, value: &mut Value) {
        remove(&self.0, value);
    }
}

/// Removes what a pointer that is known to be well formed leads to.
pub(crate) fn remove(pointer: &str, value: &mut Value) {
    let Some((parent, name)) = pointer.rsplit_once('/') else {
        return;
    };
    if parent.is_empty() && name.is_empty() {
        return;
    }
    match value.pointer_mut(parent) {
        Some(Value::Object(members)) => {
            members.remove(&name.replace("~1", "/").replace("~0", "~"));
        }
        Some(Value::Array(items)) => {
            let is_position =
                name == "0" || (!name.starts_with('0') && name.bytes().all(|digit| digit.is_ascii_digit()));
            let at = name.parse().ok().filter(|at| is_position && *at < items.len());
            if let Some(at) = at {
                items.remove(at);
            }
        }
        _ => {}
    }
}
