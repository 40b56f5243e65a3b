//! `KollectTarget`: what to watch.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::condition::Condition;
use super::filter::{CollectionFilter, CollectionFilterStatus};
use super::schema::Rule;
use super::selector::LabelSelector;

const PROFILE_REF: &[Rule] = &[Rule::invalid(
    "self.trim() != '' && !self.contains('/')",
    "must be the name of a profile in the target's own namespace",
)];

/// Which resources of a profile's kind to collect.
// The column `Reason`: `Ready` and `Degraded` are never there together, and they are the only types of a target that
// sort before `S`, so one comparison finds whichever is there. A printer column cannot say "or".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[kube(
    group = "kollect.dev",
    version = "v1alpha1",
    kind = "KollectTarget",
    namespaced,
    status = "KollectTargetStatus",
    shortname = "ktgt",
    category = "kollect",
    doc = "A target says which resources of a profile's kind to collect.",
    derive = "PartialEq",
    printcolumn = r#"{"name": "Profile", "type": "string", "jsonPath": ".spec.profileRef"}"#,
    printcolumn = r#"{"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"}"#,
    printcolumn = r#"{"name": "Reason", "type": "string", "jsonPath": ".status.conditions[?(@.type<\"S\")].reason"}"#,
    printcolumn = r#"{"name": "Items", "type": "integer", "jsonPath": ".status.itemCount"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#
)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = super::schema::structural)]
pub struct KollectTargetSpec {
    /// Name of the profile, in the target's own namespace.
    #[schemars(length(max = 253), extend("x-kubernetes-validations" = PROFILE_REF))]
    pub profile_ref: String,
    /// Labels of the workload namespaces to collect from; all namespaces when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace_selector: Option<LabelSelector>,
    /// Namespaces and resources to collect from.
    #[serde(flatten)]
    pub filter: CollectionFilter,
    /// Labels of the resources to collect. Has no effect with `resourceRules`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label_selector: Option<LabelSelector>,
    /// Names of the resources to collect. Has no effect with `resourceRules`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Stop collecting and remove the target's rows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suspend: bool,
    /// `All` collects everything that is selected and not opted out by the label `kollect.dev/watch: disabled`; `OptIn`
    /// only what is opted in by `kollect.dev/watch: enabled` on the resource or its namespace.
    #[serde(default)]
    pub watch_mode: WatchMode,
}

/// How watch labels count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum WatchMode {
    /// Everything that is not opted out.
    #[default]
    All,
    /// Only what is opted in.
    OptIn,
}

/// What is known about a target.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = super::schema::structural)]
pub struct KollectTargetStatus {
    /// `Ready`, `Synced` and `SinkReachable`; or `Degraded`, with what to do about it.
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
    /// Number of resources whose extraction fails at present.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub extraction_failures: Option<i64>,
    /// The latest extraction failure.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub last_extraction_error: String,
    /// What the selection came to.
    #[serde(flatten)]
    pub filter: CollectionFilterStatus,
}
