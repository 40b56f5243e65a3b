//! `KollectClusterTarget`: what to watch, for the platform.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::condition::Condition;
use super::filter::{CollectionFilter, CollectionFilterStatus};
use super::reference::NamespacedObjectReference;
use super::schema::Rule;
use super::selector::LabelSelector;

/// Rule of the cluster kinds: what they read must be named, never implied.
pub(super) const NAMESPACE_SELECTOR: Rule = Rule::required(
    "has(self.namespaceSelector) && ((has(self.namespaceSelector.matchLabels) && size(self.namespaceSelector.matchLabels) > 0) || \
     (has(self.namespaceSelector.matchExpressions) && size(self.namespaceSelector.matchExpressions) > 0))",
    "must select namespaces by at least one label or expression",
)
.at(".namespaceSelector");

/// Rules of a reference to a profile of some namespace.
// A reserved word of CEL is written between underscores.
pub(super) const PROFILE_REF: &[Rule] = &[
    Rule::invalid(
        "self.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",
        "must be the name of a profile",
    )
    .at(".name"),
    Rule::required(
        "has(self.__namespace__) && self.__namespace__.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",
        "must be the namespace of the profile",
    )
    .at(".namespace"),
];

/// Which resources of a profile's kind to collect, in all namespaces that are selected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[kube(
    group = "kollect.dev",
    version = "v1alpha1",
    kind = "KollectClusterTarget",
    status = "KollectClusterTargetStatus",
    shortname = "kctgt",
    category = "kollect",
    doc = "A cluster target says which resources of a profile's kind to collect, for cluster inventories.",
    derive = "PartialEq",
    printcolumn = r#"{"name": "Profile", "type": "string", "jsonPath": ".spec.profileRef.name"}"#,
    printcolumn = r#"{"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"}"#,
    printcolumn = r#"{"name": "Reason", "type": "string", "jsonPath": ".status.conditions[?(@.type<\"S\")].reason"}"#,
    printcolumn = r#"{"name": "Items", "type": "integer", "jsonPath": ".status.itemCount"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#
)]
#[serde(rename_all = "camelCase")]
#[schemars(
    transform = super::schema::structural,
    extend("x-kubernetes-validations" = [NAMESPACE_SELECTOR])
)]
pub struct KollectClusterTargetSpec {
    /// The profile, by name and namespace.
    #[schemars(extend("x-kubernetes-validations" = PROFILE_REF))]
    pub profile_ref: NamespacedObjectReference,
    /// Labels of the workload namespaces to collect from; must not be empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace_selector: Option<LabelSelector>,
    /// Namespaces and resources to collect from.
    #[serde(flatten)]
    pub filter: CollectionFilter,
    /// Stop collecting and remove the target's rows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suspend: bool,
}

/// What is known about a cluster target.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = super::schema::structural)]
pub struct KollectClusterTargetStatus {
    /// `Ready` and `Synced`; or `Degraded`, with what to do about it.
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
