//! `KollectClusterScope`: upper limits of the cluster kinds.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ceiling::ScopeCeiling;

/// What cluster targets and cluster inventories may do at most.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[kube(
    group = "kollect.dev",
    version = "v1alpha1",
    kind = "KollectClusterScope",
    shortname = "kcscope",
    category = "kollect",
    doc = "A cluster scope limits what cluster targets and cluster inventories may do. With several scopes, all limits hold.",
    derive = "PartialEq",
    printcolumn = r#"{"name": "Min Interval", "type": "string", "jsonPath": ".spec.minExportInterval"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#
)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = super::schema::structural)]
pub struct KollectClusterScopeSpec {
    /// The limits.
    #[serde(flatten)]
    pub ceiling: ScopeCeiling,
    /// Namespaces whose profiles and sinks cluster kinds may use. Empty: any namespace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub allowed_static_ref_namespaces: Vec<String>,
}
