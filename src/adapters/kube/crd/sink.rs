//! What the three sink kinds have in common.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::duration::{DurationText, INTERVAL};
use super::layout::Layout;
use super::reference::SecretReference;
use super::schema::Rule;
use super::template::{PATH_TEMPLATE, TEMPLATE_LENGTH};

/// Words that a key of `spec.options` may not contain: options are shown in clear text.
pub(super) const OPTIONS: &[Rule] = &[Rule::forbidden(
    "!self.exists(key, key.lowerAscii().matches('password|passwd|secret|token|api_?key|access_?key|private_?key|credential'))",
    "options are no place for credentials: put them into a Secret and refer to it",
)];

/// Largest CA bundle: 64 KiB of PEM text, in base64.
const CA_BUNDLE_LENGTH: u32 = 65_536_u32.div_ceil(3) * 4;

/// Fields of every sink, whatever its type.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SinkCommon {
    /// Address of the sink: a Git remote, a bucket URI, or a NATS server when `spec.nats.url` is left out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub endpoint: String,
    /// Secret with the credentials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_ref: Option<SecretReference>,
    /// How the sink's TLS certificate is judged, and how Kollect identifies itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<SinkTls>,
    /// Test the connection whenever the sink changes; true when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection_test: Option<bool>,
    /// Label of the source cluster in exports and paths.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cluster: String,
    /// Path of an exported document. Must contain `{namespace}` and `{name}`; may contain `{cluster}`, `{generation}`
    /// and `{extension}`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = TEMPLATE_LENGTH), extend("x-kubernetes-validations" = PATH_TEMPLATE))]
    pub path_template: String,
    /// Interval at which an unchanged inventory is exported again, unless the reference says otherwise; 0s to 24h.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-kubernetes-validations" = INTERVAL))]
    pub export_min_interval: Option<DurationText>,
    /// Shortest time between two exports of changes, 0s to 24h. When left out: 10s for git and gitlab, 5s for object
    /// stores, none for databases and event streams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-kubernetes-validations" = INTERVAL))]
    pub min_change_interval: Option<DurationText>,
    /// How rows are written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serialization: Option<Serialization>,
    /// Folders and files, for git and gitlab. Refused for other types.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<Layout>,
    /// Who creates the destination.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provisioning: Option<Provisioning>,
    /// Further settings of the type. Credentials are refused.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("maxProperties" = 64, "x-kubernetes-validations" = OPTIONS))]
    pub options: BTreeMap<String, String>,
}

/// TLS settings of a sink.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SinkTls {
    /// Accept any server certificate. The sink then shows the condition `TLSInsecure`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub insecure_skip_verify: bool,
    /// CA certificates as PEM text in base64, at most 64 KiB before encoding. Set this or `caSecretRef`, not both.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = CA_BUNDLE_LENGTH), extend("format" = "byte"))]
    pub ca_bundle: String,
    /// Secret with CA certificates; the keys `tls.crt`, `ca.crt` and `ca.pem` are tried in this order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_secret_ref: Option<SecretReference>,
    /// Secret of type `kubernetes.io/tls` with the certificate and key that Kollect presents to the sink.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_cert_secret_ref: Option<SecretReference>,
}

/// Wire format.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Serialization {
    /// `json`, `yaml`, `ndjson`, `csv` or `parquet`; not every type can write every format. When left out: `yaml` for
    /// git and gitlab, else `json`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// Reserved; it has no effect yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compression: Option<Compression>,
}

/// Format of exported rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// JSON.
    Json,
    /// YAML.
    Yaml,
    /// Parquet.
    Parquet,
    /// Comma-separated values.
    Csv,
    /// One JSON value per line.
    Ndjson,
}

/// Compression of exported documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// None.
    None,
    /// gzip.
    Gzip,
    /// Snappy.
    Snappy,
    /// Zstandard.
    Zstd,
}

/// Creation of the destination (table, collection, bucket, topic).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Provisioning {
    /// `ensure` creates what is missing; `existing` only checks that it is there. `ensure` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<ProvisioningMode>,
    /// Reserved; it has no effect yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub naming: Option<ProvisioningNaming>,
}

/// Who creates the destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProvisioningMode {
    /// Kollect creates what is missing.
    Ensure,
    /// Somebody else; Kollect checks that it is there.
    Existing,
}

/// Names of created destinations.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProvisioningNaming {
    /// Reserved; it has no effect yet.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub template: String,
}
