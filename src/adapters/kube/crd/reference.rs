//! References to kinds, objects and Secrets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A kind of the Kubernetes API.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GroupVersionKind {
    /// API group; empty for the core group.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// API version, such as `v1`.
    #[schemars(length(min = 1))]
    pub version: String,
    /// Kind, such as `Deployment`.
    #[schemars(length(min = 1))]
    pub kind: String,
}

/// An object by name and namespace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NamespacedObjectReference {
    /// Name of the object.
    #[schemars(length(max = 253))]
    pub name: String,
    /// Namespace of the object.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 63))]
    pub namespace: String,
}

/// A Secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SecretReference {
    /// Name of the Secret.
    pub name: String,
    /// Namespace of the Secret; the namespace of the sink when left out. Other namespaces must be allowed by the
    /// platform.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
}
