//! What both scope kinds allow.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::duration::{DurationText, INTERVAL};
use super::reference::GroupVersionKind;

/// Upper limits that targets, inventories and sinks cannot exceed. An empty list does not restrict anything.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScopeCeiling {
    /// Kinds that may be collected; letter case does not matter. Empty: any kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty", rename = "allowedGVKs")]
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub allowed_gvks: Vec<GroupVersionKind>,
    /// Workload namespaces that may be collected from. Empty: any namespace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(length(min = 1)), extend("x-kubernetes-list-type" = "set"))]
    pub allowed_namespaces: Vec<String>,
    /// Workload namespaces that are never collected from, whatever a target asks for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(length(min = 1)), extend("x-kubernetes-list-type" = "set"))]
    pub denied_namespaces: Vec<String>,
    /// Shortest export interval; shorter ones are raised to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-kubernetes-validations" = INTERVAL))]
    pub min_export_interval: Option<DurationText>,
    /// Snapshot sinks that may be exported to, by name. Empty: any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(length(min = 1)), extend("x-kubernetes-list-type" = "set"))]
    pub snapshot_sink_refs: Vec<String>,
    /// Database sinks that may be exported to, by name. Empty: any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(length(min = 1)), extend("x-kubernetes-list-type" = "set"))]
    pub database_sink_refs: Vec<String>,
    /// Event sinks that may be exported to, by name. Empty: any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(length(min = 1)), extend("x-kubernetes-list-type" = "set"))]
    pub event_sink_refs: Vec<String>,
}
