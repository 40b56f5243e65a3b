//! Status of the three sink kinds.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::condition::Condition;

/// What is known about a sink.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = super::schema::structural)]
pub struct SinkStatus {
    /// `ConnectionVerified`, `Degraded` and `TLSInsecure`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Vec<Condition>,
    /// The `metadata.generation` that this status is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub observed_generation: Option<i64>,
    /// What an export would look like, while the annotation `kollect.dev/preview` is `true`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<SinkPreview>,
}

/// What an export of a made-up inventory would look like.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SinkPreview {
    /// When the preview was rendered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rendered_at: Option<Time>,
    /// Where the rows of the preview come from: `synthetic`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_sample_source: Option<String>,
    /// Provisioning mode in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provisioning_mode: Option<String>,
    /// Format in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serialization_format: Option<String>,
    /// Path of the exported document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object_path: Option<String>,
    /// The commit that would be made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<GitPreview>,
    /// The files that would be written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<LayoutPreview>,
    /// The table that would be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postgres: Option<PostgresPreview>,
    /// The collection that would be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mongodb: Option<MongodbPreview>,
    /// The topic that would be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kafka: Option<KafkaPreview>,
    /// What to know before the sink is used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub warnings: Vec<String>,
}

/// Preview of a commit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GitPreview {
    /// Subject of the commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample_commit_subject: Option<String>,
    /// Body of the commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample_commit_body: Option<String>,
}

/// Preview of a folder layout.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LayoutPreview {
    /// Layout mode in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Layout content in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Whether stale files are removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prune: Option<bool>,
    /// Some of the paths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub sample_paths: Vec<String>,
}

/// Preview of a Postgres table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PostgresPreview {
    /// Statements that create the table.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "expectedDDL")]
    pub expected_ddl: Option<String>,
}

/// Preview of a MongoDB collection.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MongodbPreview {
    /// Fields of the unique index.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub expected_index_keys: Vec<String>,
}

/// Preview of a Kafka topic.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KafkaPreview {
    /// Topic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
}
