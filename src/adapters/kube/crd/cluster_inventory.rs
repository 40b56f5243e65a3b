//! `KollectClusterInventory`: the rows of cluster targets, and where they go.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cluster_target::{NAMESPACE_SELECTOR, PROFILE_REF};
use super::condition::Condition;
use super::duration::{DurationText, INTERVAL};
use super::inventory::default_export_interval;
use super::reference::NamespacedObjectReference;
use super::schema::Rule;
use super::selector::LabelSelector;
use super::sink_export::SinkExportStatus;
use super::sink_ref::{self, DeletionPolicy, SinkRefElement, SinkRefLists};

const SINK_NAMESPACE: &[Rule] = &[Rule::invalid("!self.contains('/')", "must be the name of a namespace")];

/// Names without a slash that are not blank; as a pattern, since a list of names has no limit.
const TARGET_NAME: &str = r"^[^/]*[^/\s][^/]*$";

/// All rows of cluster targets, and the sinks they are exported to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[kube(
    group = "kollect.dev",
    version = "v1alpha1",
    kind = "KollectClusterInventory",
    status = "KollectClusterInventoryStatus",
    shortname = "kcinv",
    category = "kollect",
    doc = "A cluster inventory gathers the rows of cluster targets and exports them.",
    derive = "PartialEq",
    printcolumn = r#"{"name": "Items", "type": "integer", "jsonPath": ".status.itemCount"}"#,
    printcolumn = r#"{"name": "Targets", "type": "integer", "jsonPath": ".status.targetCount"}"#,
    printcolumn = r#"{"name": "Synced", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Synced\")].status"}"#,
    printcolumn = r#"{"name": "Reason", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Synced\")].reason"}"#,
    printcolumn = r#"{"name": "Last Export", "type": "date", "jsonPath": ".status.lastExportTime"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#
)]
#[serde(rename_all = "camelCase")]
#[schemars(
    transform = super::schema::structural,
    extend("x-kubernetes-validations" = [NAMESPACE_SELECTOR])
)]
pub struct KollectClusterInventorySpec {
    /// Reserved; only the namespace is judged by cluster scopes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-kubernetes-validations" = PROFILE_REF))]
    pub profile_ref: Option<NamespacedObjectReference>,
    /// Names of the cluster targets to gather. Empty: those that `targetSelector` selects, or all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(regex(pattern = TARGET_NAME)))]
    pub target_refs: Vec<String>,
    /// Labels of the cluster targets to gather, while `targetRefs` is empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_selector: Option<LabelSelector>,
    /// Labels of the namespaces whose rows are gathered; must not be empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace_selector: Option<LabelSelector>,
    /// Namespaces whose rows are gathered, in addition restricted by the selector. Empty: all that the selector selects.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        inner(length(max = 63), regex(pattern = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")),
        extend("x-kubernetes-list-type" = "set")
    )]
    pub namespaces: Vec<String>,
    /// Snapshot sinks, as names or as objects with namespace and overrides. At most 20 sinks in all.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "sink_ref::list")]
    #[schemars(schema_with = "sink_ref::any_namespace_list")]
    pub snapshot_sink_refs: Vec<SinkRefElement>,
    /// Database sinks, as names or as objects with namespace and overrides. At most 20 sinks in all.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "sink_ref::list")]
    #[schemars(schema_with = "sink_ref::any_namespace_list")]
    pub database_sink_refs: Vec<SinkRefElement>,
    /// Event sinks, as names or as objects with namespace and overrides. At most 20 sinks in all.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "sink_ref::list")]
    #[schemars(schema_with = "sink_ref::any_namespace_list")]
    pub event_sink_refs: Vec<SinkRefElement>,
    /// Namespace of sinks whose reference names none.
    #[serde(default = "default_sink_namespace")]
    #[schemars(length(max = 253), extend("x-kubernetes-validations" = SINK_NAMESPACE))]
    pub sink_namespace: String,
    /// Interval at which an unchanged inventory is exported again, 0s to 24h; 0s exports changes only.
    #[serde(default = "default_export_interval")]
    #[schemars(extend("x-kubernetes-validations" = INTERVAL))]
    pub export_min_interval: DurationText,
    /// What happens to a resource that several targets collect: `keepAll` keeps a row for each, `byResourceUID` one.
    #[serde(default)]
    pub dedupe: Dedupe,
    /// What happens in the sinks when the inventory is deleted: `Purge` removes its rows and documents, `Retain` leaves
    /// them. When left out: what the family of the sink has always done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion_policy: Option<DeletionPolicy>,
    /// Stop exporting.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suspend: bool,
}

impl KollectClusterInventorySpec {
    /// The lists of sink references, for [`sink_ref::check`].
    pub fn sink_refs(&self) -> SinkRefLists<'_> {
        SinkRefLists {
            snapshot: &self.snapshot_sink_refs,
            database: &self.database_sink_refs,
            event: &self.event_sink_refs,
        }
    }
}

fn default_sink_namespace() -> String {
    "kollect-system".to_owned()
}

/// What happens to a resource that several targets collect.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Dedupe {
    /// One row for each target.
    #[default]
    #[serde(rename = "keepAll")]
    KeepAll,
    /// One row.
    #[serde(rename = "byResourceUID")]
    ByResourceUid,
}

/// What is known about a cluster inventory. Rows are in the sinks, never here.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = super::schema::structural)]
pub struct KollectClusterInventoryStatus {
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
    /// Number of targets that were gathered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub target_count: Option<i64>,
    /// Number of namespaces that were gathered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub namespace_shard_count: Option<i64>,
    /// Summary of each namespace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["namespace"]))]
    pub namespace_shards: Vec<NamespaceShard>,
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

/// What one namespace contributed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NamespaceShard {
    /// Namespace.
    pub namespace: String,
    /// Number of rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub item_count: Option<i64>,
    /// Number of targets with rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub target_count: Option<i64>,
    /// Checksum of the rows.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub checksum: String,
}
