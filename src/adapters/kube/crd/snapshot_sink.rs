//! `KollectSnapshotSink`: Git repositories and object stores.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::git::{GitLabSettings, GitSettings};
use super::schema::Rule;
use super::sink::SinkCommon;
use super::sink_status::SinkStatus;

const SPEC: &[Rule] = &[
    Rule::forbidden("!has(self.http)", "there is no type that uses http").at(".http"),
    Rule::forbidden(
        "!has(self.git) || self.type in ['git', 'gitlab']",
        "only types git and gitlab use git",
    )
    .at(".git"),
    Rule::forbidden(
        "!has(self.gitlab) || self.type == 'gitlab'",
        "only type gitlab uses gitlab",
    )
    .at(".gitlab"),
    Rule::forbidden(
        "!has(self.objectStore) || self.type in ['s3', 'gcs']",
        "only types s3 and gcs use objectStore",
    )
    .at(".objectStore"),
    Rule::forbidden(
        "!has(self.layout) || self.type in ['git', 'gitlab']",
        "only types git and gitlab have a layout",
    )
    .at(".layout"),
    Rule::invalid(
        "!has(self.serialization) || !has(self.serialization.format) || \
         self.serialization.format in (self.type in ['git', 'gitlab'] ? ['json', 'yaml', 'ndjson'] : ['json', 'parquet', 'csv'])",
        "types git and gitlab write json, yaml and ndjson; types s3 and gcs write json, parquet and csv",
    )
    .at(".serialization.format"),
];

/// A destination of whole documents: a Git repository or an object store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[kube(
    group = "kollect.dev",
    version = "v1alpha1",
    kind = "KollectSnapshotSink",
    namespaced,
    status = "SinkStatus",
    shortname = "ksnap",
    category = "kollect",
    doc = "A snapshot sink receives whole documents: a Git repository or an object store.",
    derive = "PartialEq",
    printcolumn = r#"{"name": "Type", "type": "string", "jsonPath": ".spec.type"}"#,
    printcolumn = r#"{"name": "Verified", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"ConnectionVerified\")].status"}"#,
    printcolumn = r#"{"name": "Reason", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"ConnectionVerified\")].reason"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#
)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = super::schema::structural, extend("x-kubernetes-validations" = SPEC))]
pub struct KollectSnapshotSinkSpec {
    /// `git`, `gitlab`, `s3` or `gcs`.
    #[serde(rename = "type")]
    pub type_: SnapshotSinkType,
    /// Fields of every sink.
    #[serde(flatten)]
    pub common: SinkCommon,
    /// Settings of types git and gitlab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<GitSettings>,
    /// Settings of type gitlab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gitlab: Option<GitLabSettings>,
    /// Settings of types s3 and gcs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object_store: Option<ObjectStoreSettings>,
    /// Deprecated. Refused for every type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpSettings>,
}

/// Kind of a snapshot sink.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SnapshotSinkType {
    /// A Git repository.
    Git,
    /// A GitLab project.
    GitLab,
    /// An S3 bucket.
    S3,
    /// A Google Cloud Storage bucket.
    Gcs,
}

/// Settings of object stores.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObjectStoreSettings {
    /// `json` or `parquet`. `spec.serialization.format` wins where both are set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<ObjectStoreFormat>,
    /// Attributes that become Parquet columns of their own; `image` and `version` when left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub hot_attributes: Vec<String>,
}

/// Format of objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ObjectStoreFormat {
    /// JSON.
    Json,
    /// Parquet.
    Parquet,
}

/// Deprecated. Refused for every type.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HttpSettings {
    /// Deprecated.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub method: String,
}
