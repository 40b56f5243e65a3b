//! Definitions as YAML text.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::{Number, Value};

/// A definition could not be written as YAML.
#[derive(Debug, thiserror::Error)]
pub enum YamlError {
    /// The definition has no JSON form.
    #[error("the definition of {name} has no JSON form")]
    Json {
        /// Name of the definition.
        name: String,
        /// Cause.
        source: serde_json::Error,
    },
    /// The definition has no YAML form.
    #[error("the definition of {name} has no YAML form")]
    Yaml {
        /// Name of the definition.
        name: String,
        /// Cause.
        source: serde_saphyr::ser::Error,
    },
}

/// Name of the file that holds a definition.
pub fn file_name(definition: &CustomResourceDefinition) -> String {
    format!("{}_{}.yaml", definition.spec.group, definition.spec.names.plural)
}

/// A definition as one YAML document without a marker before it; the same definition always gives the same text.
///
/// # Errors
/// [`YamlError`] when the definition cannot be written, which no definition of [`all`](super::all) gives cause for.
pub fn to_yaml(definition: &CustomResourceDefinition) -> Result<String, YamlError> {
    let name = || definition.metadata.name.clone().unwrap_or_default();
    let mut value = serde_json::to_value(definition).map_err(|source| YamlError::Json { name: name(), source })?;
    write_whole_numbers_as_integers(&mut value);
    serde_saphyr::to_string(&value).map_err(|source| YamlError::Yaml { name: name(), source })
}

/// The schema type holds bounds as floating point; `minimum: 1` is what a person would write.
fn write_whole_numbers_as_integers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(whole) = number.as_f64().and_then(whole_number) {
                *number = Number::from(whole);
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(write_whole_numbers_as_integers),
        Value::Object(members) => members.values_mut().for_each(write_whole_numbers_as_integers),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

fn whole_number(number: f64) -> Option<i64> {
    format!("{number}").parse().ok()
}
