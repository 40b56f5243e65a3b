//! What every schema of ours has in common: validation rules, and the shape the API server works best with.

use schemars::Schema;
use schemars::transform::{Transform, transform_subschemas};
use serde::Serialize;
use serde_json::{Map, Value};

/// One validation rule in CEL, evaluated by the API server on every write that changes its node.
///
/// **Shape**: `message` completes the sentence "`<path>` is invalid: …"; `field_path` points below the node.
/// **Source**: Kubernetes documentation, "Validation rules" of custom resources.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    /// CEL expression; `self` is the node.
    #[serde(rename = "rule")]
    pub cel: &'static str,
    /// What the user reads when the expression is false.
    pub message: &'static str,
    /// Field that the API server names instead of the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field_path: Option<&'static str>,
    /// `FieldValueInvalid`, `FieldValueForbidden` or `FieldValueRequired`.
    pub reason: &'static str,
}

impl Rule {
    /// A value that cannot work.
    pub const fn invalid(cel: &'static str, message: &'static str) -> Self {
        Self::new(cel, message, "FieldValueInvalid")
    }

    /// A field that may not be set here.
    pub const fn forbidden(cel: &'static str, message: &'static str) -> Self {
        Self::new(cel, message, "FieldValueForbidden")
    }

    /// A field that must be set here.
    pub const fn required(cel: &'static str, message: &'static str) -> Self {
        Self::new(cel, message, "FieldValueRequired")
    }

    const fn new(cel: &'static str, message: &'static str, reason: &'static str) -> Self {
        Self {
            cel,
            message,
            field_path: None,
            reason,
        }
    }

    /// The same rule, reported at a field below the node.
    pub const fn at(mut self, field_path: &'static str) -> Self {
        self.field_path = Some(field_path);
        self
    }
}

/// Brings a derived schema into the form that suits the API server.
///
/// * Optional fields are left out, never null: a stored null would suppress a default, and server-side apply owns it.
/// * Descriptions are one line per paragraph; line breaks of the source mean nothing to a reader of the schema.
pub fn structural(schema: &mut Schema) {
    transform_subschemas(&mut structural as &mut dyn Transform, schema);
    if let Some(object) = schema.as_object_mut() {
        drop_null_alternative(object);
        drop_null_type(object);
        join_description_lines(object);
    }
}

/// `anyOf: [X, null]` becomes `X`; what the field itself says wins over what its type says.
fn drop_null_alternative(object: &mut Map<String, Value>) {
    let Some(Value::Array(alternatives)) = object.get("anyOf") else {
        return;
    };
    let [Value::Object(value), Value::Object(null)] = alternatives.as_slice() else {
        return;
    };
    if null.get("type") != Some(&Value::from("null")) {
        return;
    }
    let value = value.clone();
    object.remove("anyOf");
    for (key, member) in value {
        object.entry(key).or_insert(member);
    }
}

fn drop_null_type(object: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = object.get("type")
        && let [kind, null] = types.as_slice()
        && null == "null"
    {
        let kind = kind.clone();
        object.insert("type".to_owned(), kind);
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
}

fn join_description_lines(object: &mut Map<String, Value>) {
    if let Some(Value::String(description)) = object.get_mut("description") {
        let paragraphs: Vec<String> = description
            .split("\n\n")
            .map(|paragraph| paragraph.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        *description = paragraphs.join("\n\n");
    }
}
