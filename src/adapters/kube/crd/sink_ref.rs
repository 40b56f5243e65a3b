//! References of an inventory to its sinks: a name, or an object with overrides.

mod check;
mod schema;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::duration::DurationText;

pub use check::{SinkRefLists, SinkRefProblem, SinkRefs, check};
pub(super) use schema::{any_namespace_list, same_namespace_list};

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

#[cfg(test)]
mod tests;
