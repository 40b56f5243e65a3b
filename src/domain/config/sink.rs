//! Sinks, as the adapters that serve them need them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::ids::NamespacedName;

/// Annotation of a sink that asks for a preview in its status: `true` in any letter case.
pub const PREVIEW_ANNOTATION: &str = "kollect.dev/preview";

/// The preview of a sink, as last seen on the API server.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StoredPreview {
    /// Whether it is asked for.
    pub wanted: bool,
    /// The preview of the stored status: the source of its time after a restart.
    pub stored: Option<Value>,
}

/// A validated sink definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SinkSpec {
    /// `spec.type`.
    pub kind: Arc<str>,
    /// Label of the source cluster in what is exported; empty when unset.
    pub cluster: Arc<str>,
    /// Where to deliver to.
    pub destination: Destination,
    /// Transport security.
    pub tls: Tls,
    /// Whether the operator creates the destination or only checks it.
    pub provisioning: Provisioning,
    /// Interval of unchanged payloads.
    pub export_min_interval: Option<Duration>,
    /// Least time between two deliveries of changes.
    pub min_change_interval: Option<Duration>,
    /// Further options of the sink type.
    pub options: BTreeMap<String, String>,
}

/// Where a sink delivers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// A PostgreSQL table.
    Postgres(PostgresTable),
    /// A table in a `SQLite` file.
    Sqlite(SqliteFile),
    /// Whoever started the program, who prints the rows.
    Caller,
    /// A type that this build does not serve; the name is `SinkSpec::kind`.
    Unsupported,
}

/// A PostgreSQL table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostgresTable {
    /// Secret that holds the connection string.
    pub database: SecretRef,
    /// Schema, never empty.
    pub schema: String,
    /// Table, never empty.
    pub table: String,
}

/// A table in a `SQLite` file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqliteFile {
    /// The file, never empty: a bare name in the operator's folder for such files, or a path.
    pub file: String,
    /// Table, never empty.
    pub table: String,
}

/// A reference to a Secret, with its namespace resolved.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecretRef {
    /// Namespace and name of the Secret.
    pub object: NamespacedName,
    /// Namespace of the object that refers to it; decides whether the reference is allowed.
    pub referrer: Arc<str>,
}

/// Transport security of a sink.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tls {
    /// Accept any server certificate.
    pub insecure_skip_verify: bool,
    /// Certificates to trust instead of the system's, PEM.
    pub ca_bundle: Option<Vec<u8>>,
    /// Secret with certificates to trust; `ca_bundle` wins.
    pub ca_secret: Option<SecretRef>,
    /// Secret with a client certificate and key (`tls.crt`, `tls.key`).
    pub client_cert_secret: Option<SecretRef>,
}

/// Who creates the destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Provisioning {
    /// The operator creates what is missing.
    #[default]
    Ensure,
    /// The operator runs no DDL and checks that the destination can be used.
    Existing,
}
