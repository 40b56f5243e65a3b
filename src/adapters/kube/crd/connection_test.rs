//! `KollectConnectionTest`: one probe of a sink.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::condition::Condition;
use super::schema::Rule;

const SINK_REF: &[Rule] = &[
    Rule::invalid(
        "[has(self.snapshotSinkRef) && self.snapshotSinkRef != '', has(self.databaseSinkRef) && self.databaseSinkRef != '', \
         has(self.eventSinkRef) && self.eventSinkRef != ''].exists_one(given, given)",
        "must name exactly one sink: snapshotSinkRef, databaseSinkRef or eventSinkRef",
    ),
    Rule::invalid(
        "(!has(self.snapshotSinkRef) || self.snapshotSinkRef == '' || (self.snapshotSinkRef.trim() != '' && !self.snapshotSinkRef.contains('/'))) && \
         (!has(self.databaseSinkRef) || self.databaseSinkRef == '' || (self.databaseSinkRef.trim() != '' && !self.databaseSinkRef.contains('/'))) && \
         (!has(self.eventSinkRef) || self.eventSinkRef == '' || (self.eventSinkRef.trim() != '' && !self.eventSinkRef.contains('/')))",
        "must be the name of a sink in the test's own namespace",
    ),
];

const PROFILE_REF: &[Rule] = &[Rule::invalid(
    "self == '' || (self.trim() != '' && !self.contains('/'))",
    "must be the name of a profile in the test's own namespace",
)];

/// One probe of a sink's connection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[kube(
    group = "kollect.dev",
    version = "v1alpha1",
    kind = "KollectConnectionTest",
    namespaced,
    status = "KollectConnectionTestStatus",
    shortname = "kconntest",
    category = "kollect",
    doc = "A connection test probes a sink once, reports the result and is deleted some time later.",
    derive = "PartialEq",
    printcolumn = r#"{"name": "Snapshot", "type": "string", "jsonPath": ".spec.sinkRef.snapshotSinkRef"}"#,
    printcolumn = r#"{"name": "Database", "type": "string", "jsonPath": ".spec.sinkRef.databaseSinkRef"}"#,
    printcolumn = r#"{"name": "Event", "type": "string", "jsonPath": ".spec.sinkRef.eventSinkRef"}"#,
    printcolumn = r#"{"name": "Verified", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"ConnectionVerified\")].status"}"#,
    printcolumn = r#"{"name": "Reason", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"ConnectionVerified\")].reason"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#
)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = super::schema::structural)]
pub struct KollectConnectionTestSpec {
    /// The sink to probe: exactly one, in the test's own namespace.
    #[schemars(extend("x-kubernetes-validations" = SINK_REF))]
    pub sink_ref: TestedSink,
    /// Reserved; it has no effect yet.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 253), extend("x-kubernetes-validations" = PROFILE_REF))]
    pub profile_ref: String,
    /// Make the sink the owner of the test, so that it is deleted with the sink; true when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_sink: Option<bool>,
    /// How long the test is kept after it completed, in seconds.
    #[serde(default = "default_ttl")]
    #[schemars(range(min = 0))]
    pub ttl_seconds_after_finished: i32,
}

fn default_ttl() -> i32 {
    300
}

/// A sink by family.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TestedSink {
    /// Name of a snapshot sink.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 253))]
    pub snapshot_sink_ref: String,
    /// Name of a database sink.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 253))]
    pub database_sink_ref: String,
    /// Name of an event sink.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 253))]
    pub event_sink_ref: String,
}

/// What came of a probe.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = super::schema::structural)]
pub struct KollectConnectionTestStatus {
    /// `ConnectionVerified` and `Ready`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Vec<Condition>,
    /// The `metadata.generation` that was probed; a newer one is probed again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub observed_generation: Option<i64>,
    /// How long the last probe took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub latency_ms: Option<i64>,
    /// Whether the probe has ended, well or not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub completed: bool,
    /// When the probe ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Time>,
}
