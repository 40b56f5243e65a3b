//! What both target kinds select, and what came of it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reference::GroupVersionKind;
use super::selector::{LabelRequirement, LabelSelector};

/// Namespaces and resources to collect from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CollectionFilter {
    /// Workload namespaces that may be collected from; with `namespaceSelector`, both must allow a namespace. Empty:
    /// the operator's own list, or no restriction.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(length(min = 1)), extend("x-kubernetes-list-type" = "set"))]
    pub included_namespaces: Vec<String>,
    /// Workload namespaces that are never collected from, in addition to the operator's own list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(length(min = 1)), extend("x-kubernetes-list-type" = "set"))]
    pub excluded_namespaces: Vec<String>,
    /// Namespaces whose labels match are not collected from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace_exclude_selector: Option<LabelSelector>,
    /// Resources to collect: what matches any of the rules. Empty: all resources of the profile's kind that the other
    /// fields select.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub resource_rules: Vec<ResourceRule>,
}

/// One way for a resource to be selected; all members must match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceRule {
    /// Kind of the resource. Only the profile's own kind can match.
    pub gvk: GroupVersionKind,
    /// Labels of the namespaces that this rule applies to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace_selector: Option<LabelSelector>,
    /// Labels that the resource must have.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub match_labels: BTreeMap<String, String>,
    /// Requirements on the labels of the resource.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub match_expressions: Vec<LabelRequirement>,
    /// CEL expression over the variable `object`, without the prefix `cel:`. An error counts as no match.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub match_policy: String,
}

/// What a target's selection came to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CollectionFilterStatus {
    /// Namespaces that the target asks for, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub matched_namespaces: Vec<String>,
    /// Namespaces that are really collected from, after scopes and deny lists, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub effective_namespaces: Vec<String>,
    /// Number of resource rules in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub active_resource_rules: Option<i64>,
}
