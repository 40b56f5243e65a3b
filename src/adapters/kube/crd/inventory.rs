//! `KollectInventory`: the rows of a namespace, and where they go.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::condition::Condition;
use super::duration::{DurationText, INTERVAL};
use super::sink_export::SinkExportStatus;
use super::sink_ref::{self, DeletionPolicy, SinkRefElement, SinkRefLists};

/// All rows of the targets of one namespace, and the sinks they are exported to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[kube(
    group = "kollect.dev",
    version = "v1alpha1",
    kind = "KollectInventory",
    namespaced,
    status = "KollectInventoryStatus",
    shortname = "kinv",
    category = "kollect",
    doc = "An inventory gathers the rows of all targets of its namespace and exports them.",
    derive = "PartialEq",
    printcolumn = r#"{"name": "Items", "type": "integer", "jsonPath": ".status.itemCount"}"#,
    printcolumn = r#"{"name": "Synced", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Synced\")].status"}"#,
    printcolumn = r#"{"name": "Reason", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Synced\")].reason"}"#,
    printcolumn = r#"{"name": "Last Export", "type": "date", "jsonPath": ".status.lastExportTime"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#
)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = super::schema::structural)]
pub struct KollectInventorySpec {
    /// Snapshot sinks of the same namespace, as names or as objects with overrides. At most 20 sinks in all.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "sink_ref::list")]
    #[schemars(schema_with = "sink_ref::same_namespace_list")]
    pub snapshot_sink_refs: Vec<SinkRefElement>,
    /// Database sinks of the same namespace, as names or as objects with overrides. At most 20 sinks in all.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "sink_ref::list")]
    #[schemars(schema_with = "sink_ref::same_namespace_list")]
    pub database_sink_refs: Vec<SinkRefElement>,
    /// Event sinks of the same namespace, as names or as objects with overrides. At most 20 sinks in all.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "sink_ref::list")]
    #[schemars(schema_with = "sink_ref::same_namespace_list")]
    pub event_sink_refs: Vec<SinkRefElement>,
    /// Interval at which an unchanged inventory is exported again, 0s to 24h; 0s exports changes only.
    #[serde(default = "default_export_interval")]
    #[schemars(extend("x-kubernetes-validations" = INTERVAL))]
    pub export_min_interval: DurationText,
    /// Size of the largest document in bytes; larger inventories are split. The operator's limit when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_export_bytes: Option<i64>,
    /// What happens in the sinks when the inventory is deleted: `Purge` removes its rows and documents, `Retain` leaves
    /// them. When left out: what the family of the sink has always done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion_policy: Option<DeletionPolicy>,
    /// Stop exporting.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suspend: bool,
    /// Reserved; it has no effect yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_endpoint: Option<HttpEndpoint>,
}

impl KollectInventorySpec {
    /// The lists of sink references, for [`sink_ref::check`].
    pub fn sink_refs(&self) -> SinkRefLists<'_> {
        SinkRefLists {
            snapshot: &self.snapshot_sink_refs,
            database: &self.database_sink_refs,
            event: &self.event_sink_refs,
        }
    }
}

/// The interval of an inventory that names none.
pub(super) fn default_export_interval() -> DurationText {
    DurationText::new("30s")
}

/// Reserved; it has no effect yet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HttpEndpoint {
    /// Reserved; it has no effect yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub enabled: bool,
    /// Reserved; it has no effect yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65535))]
    pub port: Option<i32>,
}

/// What is known about an inventory. Rows are in the sinks, never here.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = super::schema::structural)]
pub struct KollectInventoryStatus {
    /// `Ready`, `Synced`, `Degraded`, `SinkReachable`, `ExportSucceeded` and `ExportShardWarning`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Vec<Condition>,
    /// The `metadata.generation` that this status is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub observed_generation: Option<i64>,
    /// Number of rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub item_count: Option<i64>,
    /// When a sink acknowledged an export last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_export_time: Option<Time>,
    /// State of each sink.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 20),
        extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"])
    )]
    pub sink_exports: Vec<SinkExportStatus>,
}
