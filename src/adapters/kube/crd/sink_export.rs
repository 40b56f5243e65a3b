//! State of one sink of an inventory.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::condition::Condition;

/// State of the exports to one sink.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SinkExportStatus {
    /// Family and name of the sink: `snapshot/…`, `database/…` or `event/…`. Where two sinks of a family share a name,
    /// the namespace stands between.
    pub name: String,
    /// Namespace of the sink (cluster inventories only).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// When the sink acknowledged an export last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_export_time: Option<Time>,
    /// Checksum of the state that the sink acknowledged last.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub last_checksum: String,
    /// `Synced`: whether the sink holds the present state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Vec<Condition>,
}
