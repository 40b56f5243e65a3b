//! Redaction: values under keys that name credentials never reach a row.
//!
//! It works on keys, not on contents: the value under a sensitive key becomes a marker that says so. Booleans and nulls
//! are kept, as they are switches and absences rather than secrets.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

#[cfg(test)]
mod tests;

/// Keys that are always sensitive, also as the end of a longer key.
const SENSITIVE_KEYS: [&str; 12] = [
    "password",
    "passwd",
    "secret",
    "token",
    "apikey",
    "api_key",
    "privatekey",
    "private_key",
    "credential",
    "auth",
    "clientsecret",
    "connectionstring",
];

/// Ends like a sensitive key, but says whether a token is mounted.
const HARMLESS_KEY: &str = "automountserviceaccounttoken";

/// A copy of the whole object as it was applied, secrets included.
pub(crate) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Shorter keys than this match only as a whole: `id` must not match `uuid`.
const SHORTEST_SUFFIX: usize = 3;

/// What a key says about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sensitivity {
    /// Nothing.
    None,
    /// The key is the plural of a sensitive one: texts below it are secrets, structures may be references.
    Plural,
    /// The value is a secret.
    Full,
}

/// The keys to redact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redaction {
    keys: Vec<String>,
}

impl Redaction {
    /// The built-in keys and additional ones. Case, `-` and `_` do not matter; blank keys are ignored.
    pub fn new<'a>(additional: impl IntoIterator<Item = &'a str>) -> Self {
        let mut keys: Vec<String> = SENSITIVE_KEYS
            .into_iter()
            .chain(additional)
            .map(normalise)
            .filter(|key| !key.is_empty())
            .collect();
        keys.sort();
        keys.dedup();
        Self { keys }
    }

    /// What a key, or the name of an attribute, says about its value.
    pub fn sensitivity(&self, key: &str) -> Sensitivity {
        let key = normalise(key);
        if key == HARMLESS_KEY {
            Sensitivity::None
        } else if self.names(&key) {
            Sensitivity::Full
        } else if key.strip_suffix('s').is_some_and(|singular| self.names(singular)) {
            Sensitivity::Plural
        } else {
            Sensitivity::None
        }
    }

    fn names(&self, key: &str) -> bool {
        let ends_with = |listed: &String| listed.len() >= SHORTEST_SUFFIX && key.ends_with(listed);
        self.keys.iter().any(|listed| key == listed || ends_with(listed))
    }

    /// The value of an attribute without secrets. `of_name` is the sensitivity of the attribute's name.
    pub fn apply<'a>(&self, value: Cow<'a, Value>, of_name: Sensitivity) -> Cow<'a, Value> {
        let is_container = value.is_array() || value.is_object();
        if !is_container && of_name == Sensitivity::None {
            return value;
        }
        let mut value = value.into_owned();
        redact_texts(&mut value, of_name);
        self.redact(&mut value);
        Cow::Owned(value)
    }

    fn redact(&self, value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact(item)),
            Value::Object(members) => self.redact_members(members),
            _ => {}
        }
    }

    fn redact_members(&self, members: &mut Map<String, Value>) {
        let names_secret = members
            .iter()
            .filter(|(key, _)| normalise(key) == "name")
            .filter_map(|(_, name)| name.as_str())
            .any(|name| self.sensitivity(name) != Sensitivity::None);
        for (key, value) in members.iter_mut() {
            if value.is_boolean() || value.is_null() || is_marker(value) {
                continue;
            }
            let sensitivity = self.sensitivity(key);
            let is_named = names_secret && normalise(key) == "value";
            if sensitivity == Sensitivity::Full || is_named || carries_credentials(key, value) {
                *value = marker("sensitive-key");
            } else {
                redact_texts(value, sensitivity);
                self.redact(value);
            }
        }
    }
}

/// Replaces the texts, and under a fully sensitive key the numbers, that a value is or a list consists of.
fn redact_texts(value: &mut Value, sensitivity: Sensitivity) {
    match (value, sensitivity) {
        (_, Sensitivity::None) => {}
        (Value::Array(items), _) => {
            for item in items {
                redact_texts(item, sensitivity);
            }
        }
        (value @ Value::String(_), _) | (value @ Value::Number(_), Sensitivity::Full) => {
            *value = marker("sensitive-key");
        }
        _ => {}
    }
}

/// Whether a member is a reference to a credential, a credential carrier, or a copy of one.
fn carries_credentials(key: &str, value: &Value) -> bool {
    if key == LAST_APPLIED {
        return true;
    }
    let Some(members) = value.as_object() else {
        return false;
    };
    match normalise(key).as_str() {
        "valuefrom" => members.contains_key("secretKeyRef"),
        "secretkeyref" | "secretref" => true,
        "tls" => members.contains_key("key"),
        _ => false,
    }
}

/// What stands in the place of a secret.
fn marker(reason: &str) -> Value {
    json!({"redacted": true, "reason": reason})
}

/// Whether a value is a marker already, whose reason is the better one.
fn is_marker(value: &Value) -> bool {
    let is_reason = |reason: &Value| matches!(reason.as_str(), Some("sensitive-key" | "secret-data"));
    value
        .as_object()
        .is_some_and(|members| members.len() == 2 && members.get("redacted") == Some(&Value::Bool(true)))
        && value.get("reason").is_some_and(is_reason)
}

fn normalise(key: &str) -> String {
    let significant = key.trim().chars().filter(|next| !matches!(next, '-' | '_'));
    significant.flat_map(char::to_lowercase).collect()
}

/// A core Secret whose data are markers; the keys stay visible.
///
/// The copy of the Secret that `kubectl apply` leaves in an annotation is replaced as well.
pub fn without_secret_data(secret: &Value) -> Value {
    let Some(members) = secret.as_object() else {
        return secret.clone();
    };
    let guarded = members.iter().map(|(name, member)| {
        let member = match name.as_str() {
            "data" | "stringData" => values_replaced(member),
            "metadata" => without_last_applied(member),
            _ => member.clone(),
        };
        (name.clone(), member)
    });
    Value::Object(guarded.collect())
}

fn values_replaced(data: &Value) -> Value {
    match data {
        Value::Null => Value::Null,
        Value::Object(entries) => {
            let markers = entries.keys().map(|key| (key.clone(), marker("secret-data")));
            Value::Object(markers.collect())
        }
        _ => marker("secret-data"),
    }
}

fn without_last_applied(metadata: &Value) -> Value {
    let mut metadata = metadata.clone();
    if let Some(copy) = metadata.pointer_mut("/annotations/kubectl.kubernetes.io~1last-applied-configuration") {
        *copy = marker("secret-data");
    }
    metadata
}
