//! References of an inventory to its sinks: a name, or an object with overrides.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::duration::{self, DurationText};

/// Most sink references of one inventory, over all three lists.
///
/// Each list has this limit in its schema. The sum does not: a schema rule cannot see lists whose elements have no
/// type, so [`check`] judges it.
pub const MAX_SINK_REFS: usize = 20;

/// What happens in a sink to what an inventory exported, once the inventory is deleted or no longer refers to the sink.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum DeletionPolicy {
    /// It is removed.
    Purge,
    /// It stays.
    Retain,
}

/// A reference to one sink, with overrides for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InventorySinkRef {
    /// Name of the sink.
    pub name: String,
    /// Namespace of the sink (cluster inventories only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Interval at which an unchanged inventory is exported again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub export_min_interval: Option<DurationText>,
    /// Shortest time between two exports of changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_change_interval: Option<DurationText>,
    /// Size of the largest document in bytes; larger inventories are split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_export_bytes: Option<i64>,
    /// What happens in this sink when the inventory goes away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion_policy: Option<DeletionPolicy>,
}

impl InventorySinkRef {
    /// A reference without overrides.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            namespace: None,
            export_min_interval: None,
            min_change_interval: None,
            max_export_bytes: None,
            deletion_policy: None,
        }
    }
}

/// One element of a list of sink references, as it is stored.
///
/// Elements are decoded one by one: what one of them gets wrong never hides the others.
///
/// **Shape**: a string (the name) or an object. It is always written as an object, for clients that know only those.
#[derive(Debug, Clone, PartialEq)]
pub enum SinkRefElement {
    /// A reference.
    Ref(InventorySinkRef),
    /// Anything else.
    Malformed {
        /// The element as it is stored.
        element: Value,
        /// Why it is no reference.
        reason: String,
    },
}

impl<'de> Deserialize<'de> for SinkRefElement {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let element = Value::deserialize(deserializer)?;
        Ok(match element {
            Value::String(name) => Self::Ref(InventorySinkRef::named(name)),
            Value::Object(_) => match InventorySinkRef::deserialize(&element) {
                Ok(reference) => Self::Ref(reference),
                Err(error) => Self::Malformed {
                    reason: error.to_string(),
                    element,
                },
            },
            _ => Self::Malformed {
                reason: "must be the name of a sink, or an object with the member `name`".to_owned(),
                element,
            },
        })
    }
}

impl Serialize for SinkRefElement {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Ref(reference) => reference.serialize(serializer),
            Self::Malformed { element, .. } => element.serialize(serializer),
        }
    }
}

/// A list of sink references; `null` is an absent list.
pub(super) fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<SinkRefElement>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Schema of a list of references to sinks of the inventory's own namespace.
pub(super) fn same_namespace_list(_: &mut SchemaGenerator) -> Schema {
    list_schema(&json_schema!({
        "type": "string",
        "maxLength": 0,
        "description": "Not for namespaced inventories: their sinks are in their own namespace.",
    }))
}

/// Schema of a list of references to sinks of any namespace.
pub(super) fn any_namespace_list(_: &mut SchemaGenerator) -> Schema {
    list_schema(&json_schema!({
        "type": "string",
        "maxLength": 63,
        "description": "Namespace of the sink; `spec.sinkNamespace` when left out.",
    }))
}

/// A list whose elements have no type, since a structural schema knows no "string or object".
///
/// Each keyword of an element judges one JSON type only, so impossible bounds refuse the types that are not wanted.
/// Only null cannot be refused. The list is atomic: elements without a type cannot be merged.
fn list_schema(namespace: &Schema) -> Schema {
    let members: Map<String, Value> = ref_members(namespace);
    json_schema!({
        "type": "array",
        "maxItems": MAX_SINK_REFS,
        "x-kubernetes-list-type": "atomic",
        "items": {
            "description": "The name of a sink, or an object with its name and overrides.",
            "x-kubernetes-preserve-unknown-fields": true,
            "minLength": 1,
            "maxLength": 253,
            "minimum": 1,
            "maximum": 0,
            "minItems": 1,
            "maxItems": 0,
            "not": { "enum": [true, false] },
            "required": ["name"],
            "properties": members,
        },
    })
}

fn ref_members(namespace: &Schema) -> Map<String, Value> {
    let duration = |description: &str| {
        json_schema!({
            "type": "string",
            "maxLength": duration::MAX_LENGTH,
            "pattern": duration::PATTERN,
            "description": description,
        })
    };
    let members = [
        (
            "name",
            json_schema!({
                "type": "string", "minLength": 1, "maxLength": 253,
                "description": "Name of the sink.",
            }),
        ),
        ("namespace", namespace.clone()),
        (
            "exportMinInterval",
            duration("Interval at which an unchanged inventory is exported again, 0s to 24h; 0s exports changes only."),
        ),
        (
            "minChangeInterval",
            duration("Shortest time between two exports of changes, 0s to 24h."),
        ),
        (
            "maxExportBytes",
            json_schema!({
                "type": "integer", "format": "int64", "minimum": 1,
                "description": "Size of the largest document in bytes; larger inventories are split.",
            }),
        ),
        (
            "deletionPolicy",
            json_schema!({
                "type": "string", "enum": ["Purge", "Retain"],
                "description": "What happens in this sink when the inventory is deleted or drops the reference.",
            }),
        ),
    ];
    members
        .into_iter()
        .map(|(name, schema)| (name.to_owned(), schema.to_value()))
        .collect()
}

impl JsonSchema for SinkRefElement {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "SinkRefElement".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        any_namespace_list(generator)
            .get("items")
            .and_then(|items| Schema::try_from(items.clone()).ok())
            .unwrap_or_default()
    }
}

/// The three lists of sink references of an inventory.
#[derive(Debug, Clone, Copy)]
pub struct SinkRefLists<'a> {
    /// `spec.snapshotSinkRefs`.
    pub snapshot: &'a [SinkRefElement],
    /// `spec.databaseSinkRefs`.
    pub database: &'a [SinkRefElement],
    /// `spec.eventSinkRefs`.
    pub event: &'a [SinkRefElement],
}

/// Checked references, in the order in which they are written.
#[derive(Debug, Clone, PartialEq)]
pub struct SinkRefs<'a> {
    /// References to snapshot sinks.
    pub snapshot: Vec<&'a InventorySinkRef>,
    /// References to database sinks.
    pub database: Vec<&'a InventorySinkRef>,
    /// References to event sinks.
    pub event: Vec<&'a InventorySinkRef>,
}

/// Something wrong with a sink reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SinkRefProblem {
    /// Path of the field, such as `spec.databaseSinkRefs[0].name`.
    pub path: String,
    /// What is wrong, to be read behind the path.
    pub message: String,
}

impl fmt::Display for SinkRefProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// Judges what the schema of the lists cannot.
///
/// `default_namespace` is where sinks are looked up when a reference names no namespace; `None` for a namespaced
/// inventory, whose references may not name any.
///
/// # Errors
/// All problems at once, in the order of the lists. Too many references are reported alone.
pub fn check<'a>(
    lists: SinkRefLists<'a>,
    default_namespace: Option<&str>,
) -> Result<SinkRefs<'a>, Vec<SinkRefProblem>> {
    let total = lists.snapshot.len() + lists.database.len() + lists.event.len();
    if total > MAX_SINK_REFS {
        return Err(vec![SinkRefProblem {
            path: "spec".to_owned(),
            message: format!("has {total} sink references over its three lists, at most {MAX_SINK_REFS} are allowed"),
        }]);
    }
    let mut problems = Vec::new();
    let mut checked = |field, list| check_list(field, list, default_namespace, &mut problems);
    let refs = SinkRefs {
        snapshot: checked("snapshotSinkRefs", lists.snapshot),
        database: checked("databaseSinkRefs", lists.database),
        event: checked("eventSinkRefs", lists.event),
    };
    if problems.is_empty() { Ok(refs) } else { Err(problems) }
}

fn check_list<'a>(
    field: &str,
    list: &'a [SinkRefElement],
    default_namespace: Option<&str>,
    problems: &mut Vec<SinkRefProblem>,
) -> Vec<&'a InventorySinkRef> {
    let mut seen = BTreeSet::new();
    let mut refs = Vec::with_capacity(list.len());
    for (index, element) in list.iter().enumerate() {
        let path = format!("spec.{field}[{index}]");
        match element {
            SinkRefElement::Malformed { reason, .. } => problems.push(SinkRefProblem {
                path,
                message: reason.clone(),
            }),
            SinkRefElement::Ref(reference) => {
                let namespace = reference.namespace.as_deref().filter(|given| !given.trim().is_empty());
                check_ref(&path, reference, problems);
                if namespace.is_some() && default_namespace.is_none() {
                    problems.push(SinkRefProblem {
                        path: format!("{path}.namespace"),
                        message: "is not allowed: the sinks of a namespaced inventory are in its own namespace"
                            .to_owned(),
                    });
                }
                if !seen.insert((namespace.or(default_namespace), reference.name.as_str())) {
                    problems.push(SinkRefProblem {
                        path: format!("{path}.name"),
                        message: format!("{:?} is referred to twice in this list", reference.name),
                    });
                }
                refs.push(reference);
            }
        }
    }
    refs
}

fn check_ref(path: &str, reference: &InventorySinkRef, problems: &mut Vec<SinkRefProblem>) {
    let mut problem = |member: &str, message: String| {
        problems.push(SinkRefProblem {
            path: format!("{path}.{member}"),
            message,
        });
    };
    if reference.name.trim().is_empty() {
        problem("name", "must not be empty".to_owned());
    }
    if reference.name.contains('/') {
        problem("name", "must be a name without a namespace".to_owned());
    }
    let intervals = [
        ("exportMinInterval", &reference.export_min_interval),
        ("minChangeInterval", &reference.min_change_interval),
    ];
    for (member, interval) in intervals {
        if let Some(Err(error)) = interval.as_ref().map(DurationText::interval) {
            problem(member, error.to_string());
        }
    }
    if reference.max_export_bytes.is_some_and(|bytes| bytes < 1) {
        problem("maxExportBytes", "must be at least 1".to_owned());
    }
}

#[cfg(test)]
mod tests;
