//! `KollectDatabaseSink`: databases.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::duration::{DurationText, RETENTION};
use super::reference::SecretReference;
use super::schema::Rule;
use super::sink::SinkCommon;
use super::sink_status::SinkStatus;

const SPEC: &[Rule] = &[
    Rule::required(
        "self.type != 'postgres' || has(self.postgres)",
        "type postgres needs the settings postgres",
    )
    .at(".postgres"),
    Rule::required(
        "self.type != 'sqlite' || has(self.sqlite)",
        "type sqlite needs the settings sqlite",
    )
    .at(".sqlite"),
    Rule::required(
        "self.type != 'mongodb' || has(self.mongodb)",
        "type mongodb needs the settings mongodb",
    )
    .at(".mongodb"),
    Rule::required(
        "self.type != 'bigquery' || has(self.bigquery)",
        "type bigquery needs the settings bigquery",
    )
    .at(".bigquery"),
    Rule::forbidden(
        "self.type == 'postgres' || !has(self.postgres)",
        "only type postgres uses postgres",
    )
    .at(".postgres"),
    Rule::forbidden(
        "self.type == 'sqlite' || !has(self.sqlite)",
        "only type sqlite uses sqlite",
    )
    .at(".sqlite"),
    Rule::forbidden(
        "self.type == 'mongodb' || !has(self.mongodb)",
        "only type mongodb uses mongodb",
    )
    .at(".mongodb"),
    Rule::forbidden(
        "self.type == 'bigquery' || !has(self.bigquery)",
        "only type bigquery uses bigquery",
    )
    .at(".bigquery"),
    Rule::forbidden(
        "!has(self.layout)",
        "databases have no layout: only snapshot sinks of types git and gitlab do",
    )
    .at(".layout"),
    Rule::forbidden(
        "!has(self.history) || self.type in ['postgres', 'sqlite']",
        "only types postgres and sqlite keep a history",
    )
    .at(".history"),
    Rule::invalid(
        "!has(self.serialization) || !has(self.serialization.format) || self.serialization.format == 'json'",
        "databases store json",
    )
    .at(".serialization.format"),
];

const BIGQUERY: &[Rule] = &[
    Rule::required(
        "self.project.trim() != '' && self.dataset.trim() != '' && self.table.trim() != ''",
        "project, dataset and table must not be blank",
    ),
    Rule::required(
        "!has(self.secretRef) || self.secretRef.name.trim() != ''",
        "must name a Secret",
    )
    .at(".secretRef.name"),
];

/// A destination of rows: a database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[kube(
    group = "kollect.dev",
    version = "v1alpha1",
    kind = "KollectDatabaseSink",
    namespaced,
    status = "SinkStatus",
    shortname = "kdb",
    category = "kollect",
    doc = "A database sink receives rows.",
    derive = "PartialEq",
    printcolumn = r#"{"name": "Type", "type": "string", "jsonPath": ".spec.type"}"#,
    printcolumn = r#"{"name": "Verified", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"ConnectionVerified\")].status"}"#,
    printcolumn = r#"{"name": "Reason", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"ConnectionVerified\")].reason"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#
)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = super::schema::structural, extend("x-kubernetes-validations" = SPEC))]
pub struct KollectDatabaseSinkSpec {
    /// `postgres`, `sqlite`, `mongodb` or `bigquery`.
    #[serde(rename = "type")]
    pub type_: DatabaseSinkType,
    /// Fields of every sink.
    #[serde(flatten)]
    pub common: SinkCommon,
    /// Settings of type postgres.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postgres: Option<PostgresSettings>,
    /// Settings of type sqlite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sqlite: Option<SqliteSettings>,
    /// Settings of type mongodb.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mongodb: Option<MongodbSettings>,
    /// Settings of type bigquery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bigquery: Option<BigQuerySettings>,
    /// Record of changes beside the table, for types postgres and sqlite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<History>,
}

/// Kind of a database sink.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DatabaseSinkType {
    /// PostgreSQL.
    Postgres,
    /// The data warehouse of Google Cloud.
    BigQuery,
    /// MongoDB.
    Mongodb,
    /// A file of the operator.
    Sqlite,
}

/// Settings of type postgres.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostgresSettings {
    /// Secret with the connection string, under the key `dsn` or `url`.
    pub database_ref: SecretReference,
    /// Table that the rows are written to.
    pub table: String,
    /// Schema of the table; `public` when left out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub schema: String,
}

/// Settings of type sqlite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SqliteSettings {
    /// Name of the file, inside of the folder that the operator is given for such files.
    #[schemars(length(max = 128), regex(pattern = "^[A-Za-z0-9_][A-Za-z0-9._-]*$"))]
    pub file: String,
    /// Table that the rows are written to.
    #[schemars(length(min = 1, max = 63))]
    pub table: String,
}

/// Settings of type mongodb.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MongodbSettings {
    /// Secret with the connection string, under the key `uri`, `url`, `connectionString` or `MONGODB_URI`.
    pub database_ref: SecretReference,
    /// Database of the collection.
    pub database: String,
    /// Collection that the rows are written to.
    pub collection: String,
}

/// Settings of type bigquery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = BIGQUERY))]
pub struct BigQuerySettings {
    /// Project of the dataset.
    #[schemars(length(max = 1024))]
    pub project: String,
    /// Dataset of the table; it must exist.
    #[schemars(length(max = 1024))]
    pub dataset: String,
    /// Table that the rows are written to.
    #[schemars(length(max = 1024))]
    pub table: String,
    /// Location of the dataset.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub location: String,
    /// Secret with the key `credentials.json`; the credentials of the environment when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<SecretReference>,
}

/// Record of changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct History {
    /// Record changes; true when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// How long a row's former versions are kept, such as `2160h`; for ever when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-kubernetes-validations" = RETENTION))]
    pub max_age: Option<DurationText>,
    /// How many former versions of a row are kept; all when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_versions: Option<i32>,
}
