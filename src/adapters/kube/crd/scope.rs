//! `KollectScope`: upper limits of a namespace.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ceiling::ScopeCeiling;

/// What the targets, inventories and sinks of a namespace may do at most.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[kube(
    group = "kollect.dev",
    version = "v1alpha1",
    kind = "KollectScope",
    namespaced,
    shortname = "kscope",
    category = "kollect",
    doc = "A scope limits what the targets, inventories and sinks of its namespace may do. With several scopes, all limits hold.",
    derive = "PartialEq",
    printcolumn = r#"{"name": "Min Interval", "type": "string", "jsonPath": ".spec.minExportInterval"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#
)]
#[schemars(transform = super::schema::structural)]
pub struct KollectScopeSpec {
    /// The limits.
    #[serde(flatten)]
    pub ceiling: ScopeCeiling,
}
