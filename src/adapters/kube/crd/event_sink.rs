//! `KollectEventSink`: event streams.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reference::SecretReference;
use super::schema::Rule;
use super::sink::SinkCommon;
use super::sink_status::SinkStatus;

const SPEC: &[Rule] = &[
    Rule::required(
        "self.type != 'nats' || has(self.nats)",
        "type nats needs the settings nats",
    )
    .at(".nats"),
    Rule::required(
        "self.type != 'kafka' || has(self.kafka)",
        "type kafka needs the settings kafka",
    )
    .at(".kafka"),
    Rule::forbidden("self.type == 'nats' || !has(self.nats)", "only type nats uses nats").at(".nats"),
    Rule::forbidden("self.type == 'kafka' || !has(self.kafka)", "only type kafka uses kafka").at(".kafka"),
    Rule::forbidden(
        "!has(self.layout)",
        "event streams have no layout: only snapshot sinks of types git and gitlab do",
    )
    .at(".layout"),
    Rule::invalid(
        "!has(self.serialization) || !has(self.serialization.format) || self.serialization.format == 'json'",
        "event streams carry json",
    )
    .at(".serialization.format"),
];

/// A destination of messages: an event stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[kube(
    group = "kollect.dev",
    version = "v1alpha1",
    kind = "KollectEventSink",
    namespaced,
    status = "SinkStatus",
    shortname = "kevt",
    category = "kollect",
    doc = "An event sink receives messages.",
    derive = "PartialEq",
    printcolumn = r#"{"name": "Type", "type": "string", "jsonPath": ".spec.type"}"#,
    printcolumn = r#"{"name": "Verified", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"ConnectionVerified\")].status"}"#,
    printcolumn = r#"{"name": "Reason", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"ConnectionVerified\")].reason"}"#,
    printcolumn = r#"{"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}"#
)]
#[serde(rename_all = "camelCase")]
#[schemars(transform = super::schema::structural, extend("x-kubernetes-validations" = SPEC))]
pub struct KollectEventSinkSpec {
    /// `nats` or `kafka`.
    #[serde(rename = "type")]
    pub type_: EventSinkType,
    /// Fields of every sink.
    #[serde(flatten)]
    pub common: SinkCommon,
    /// Settings of type nats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nats: Option<NatsSettings>,
    /// Settings of type kafka.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kafka: Option<KafkaSettings>,
}

/// Kind of an event sink.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EventSinkType {
    /// NATS, with persistence.
    Nats,
    /// Apache Kafka.
    Kafka,
}

/// Settings of type nats.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NatsSettings {
    /// URL of the server; `spec.endpoint` when left out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub url: String,
    /// Subject that messages are published to.
    pub subject: String,
    /// Stream that keeps the messages, in which `.` becomes `_`; `kollect_events` when left out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stream: String,
    /// Secret with the keys `token`, or `username` and `password`; `spec.secretRef` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<SecretReference>,
}

/// Settings of type kafka.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KafkaSettings {
    /// Brokers to connect to first, as `host:port`.
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub brokers: Vec<String>,
    /// Topic that messages are published to.
    pub topic: String,
    /// Secret with the keys `username` and `password`, or `token`; `spec.secretRef` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<SecretReference>,
}
