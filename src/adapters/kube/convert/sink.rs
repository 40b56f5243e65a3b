//! `KollectDatabaseSink` to its definition.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kollect_domain::config::Invalid;
use kollect_domain::config::sink::{
    Destination, PREVIEW_ANNOTATION, PostgresTable, Provisioning, SecretRef, SinkSpec, SqliteFile, StoredPreview, Tls,
};
use kollect_domain::ids::NamespacedName;
use kube::ResourceExt as _;

use super::{Configured, Problems};
use crate::kube::crd;

/// Schema of a table that names none.
const DEFAULT_SCHEMA: &str = "public";

impl Configured for crd::KollectDatabaseSink {
    type Spec = SinkSpec;

    fn validated(&self) -> Result<SinkSpec, Invalid> {
        let namespace: Arc<str> = self.metadata.namespace.as_deref().unwrap_or_default().into();
        let common = &self.spec.common;
        let mut problems = Problems::default();
        let destination = destination(&self.spec, &namespace, &mut problems);
        let spec = SinkSpec {
            kind: kind(self.spec.type_).into(),
            cluster: common.cluster.trim().into(),
            destination,
            tls: tls(common.tls.as_ref(), &namespace, &mut problems),
            provisioning: provisioning(common.provisioning.as_ref()),
            export_min_interval: problems.interval("spec.exportMinInterval", common.export_min_interval.as_ref()),
            min_change_interval: problems.interval("spec.minChangeInterval", common.min_change_interval.as_ref()),
            options: common.options.clone(),
        };
        problems.into_result(spec)
    }

    fn stored_conditions(&self) -> &[crd::Condition] {
        self.status.as_ref().map_or(&[], |status| &status.conditions)
    }
}

/// Whether a preview is asked for, and the one that is stored.
pub fn preview(sink: &crd::KollectDatabaseSink) -> StoredPreview {
    let annotation = sink.annotations().get(PREVIEW_ANNOTATION);
    let stored = sink.status.as_ref().and_then(|status| status.preview.as_ref());
    StoredPreview {
        wanted: annotation.is_some_and(|value| value.trim().eq_ignore_ascii_case("true")),
        // A preview that cannot be told is rendered anew.
        stored: stored.and_then(|preview| serde_json::to_value(preview).ok()),
    }
}

fn kind(stored: crd::DatabaseSinkType) -> &'static str {
    match stored {
        crd::DatabaseSinkType::Postgres => "postgres",
        crd::DatabaseSinkType::BigQuery => "bigquery",
        crd::DatabaseSinkType::Mongodb => "mongodb",
        crd::DatabaseSinkType::Sqlite => "sqlite",
    }
}

fn destination(spec: &crd::KollectDatabaseSinkSpec, namespace: &Arc<str>, problems: &mut Problems) -> Destination {
    match (spec.type_, &spec.postgres, &spec.sqlite) {
        (crd::DatabaseSinkType::Postgres, Some(postgres), _) => table(postgres, namespace, problems),
        (crd::DatabaseSinkType::Postgres, None, _) => {
            problems.add("spec.postgres: type postgres needs databaseRef and table".to_owned());
            Destination::Unsupported
        }
        (crd::DatabaseSinkType::Sqlite, _, Some(sqlite)) => file(sqlite, problems),
        (crd::DatabaseSinkType::Sqlite, _, None) => {
            problems.add("spec.sqlite: type sqlite needs file and table".to_owned());
            Destination::Unsupported
        }
        (crd::DatabaseSinkType::BigQuery | crd::DatabaseSinkType::Mongodb, _, _) => Destination::Unsupported,
    }
}

fn file(stored: &crd::SqliteSettings, problems: &mut Problems) -> Destination {
    let (file, table) = (stored.file.trim(), stored.table.trim());
    for (field, value) in [("file", file), ("table", table)] {
        if value.is_empty() {
            problems.add(format!("spec.sqlite.{field}: must not be blank"));
        }
    }
    Destination::Sqlite(SqliteFile {
        file: file.to_owned(),
        table: table.to_owned(),
    })
}

fn table(stored: &crd::PostgresSettings, namespace: &Arc<str>, problems: &mut Problems) -> Destination {
    let name = stored.table.trim();
    if name.is_empty() {
        problems.add("spec.postgres.table: must not be blank".to_owned());
    }
    if stored.database_ref.name.trim().is_empty() {
        problems.add("spec.postgres.databaseRef.name: must name the Secret with the connection string".to_owned());
    }
    let schema = match stored.schema.trim() {
        "" => DEFAULT_SCHEMA,
        schema => schema,
    };
    Destination::Postgres(PostgresTable {
        database: secret(&stored.database_ref, namespace),
        schema: schema.to_owned(),
        table: name.to_owned(),
    })
}

fn tls(stored: Option<&crd::SinkTls>, namespace: &Arc<str>, problems: &mut Problems) -> Tls {
    let Some(stored) = stored else {
        return Tls::default();
    };
    let ca_bundle = match stored.ca_bundle.trim() {
        "" => None,
        text => STANDARD
            .decode(text)
            .inspect_err(|_| problems.add("spec.tls.caBundle: must be base64 of PEM text".to_owned()))
            .ok(),
    };
    Tls {
        insecure_skip_verify: stored.insecure_skip_verify,
        ca_bundle,
        ca_secret: stored
            .ca_secret_ref
            .as_ref()
            .map(|reference| secret(reference, namespace)),
        client_cert_secret: stored
            .client_cert_secret_ref
            .as_ref()
            .map(|reference| secret(reference, namespace)),
    }
}

fn provisioning(stored: Option<&crd::Provisioning>) -> Provisioning {
    match stored.and_then(|provisioning| provisioning.mode) {
        Some(crd::ProvisioningMode::Existing) => Provisioning::Existing,
        Some(crd::ProvisioningMode::Ensure) | None => Provisioning::Ensure,
    }
}

/// A reference without a namespace means the sink's own.
fn secret(stored: &crd::SecretReference, referrer: &Arc<str>) -> SecretRef {
    let namespace = stored
        .namespace
        .as_deref()
        .map(str::trim)
        .filter(|namespace| !namespace.is_empty())
        .unwrap_or(referrer);
    SecretRef {
        object: NamespacedName::new(namespace, stored.name.trim()),
        referrer: referrer.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sqlite(settings: &serde_json::Value) -> Result<SinkSpec, Invalid> {
        let sink: crd::KollectDatabaseSink = serde_json::from_value(json!({
            "apiVersion": "kollect.dev/v1alpha1",
            "kind": "KollectDatabaseSink",
            "metadata": { "name": "file", "namespace": "shop" },
            "spec": { "type": "sqlite", "sqlite": settings },
        }))
        .unwrap();
        sink.validated()
    }

    #[test]
    fn a_file_and_its_table_are_a_destination() {
        let spec = sqlite(&json!({ "file": " fleet.db ", "table": "inventory" })).unwrap();
        let expected = SqliteFile {
            file: "fleet.db".to_owned(),
            table: "inventory".to_owned(),
        };
        assert_eq!(
            (&*spec.kind, spec.destination),
            ("sqlite", Destination::Sqlite(expected))
        );
    }

    #[test]
    fn blank_and_missing_settings_of_a_file_are_named() {
        let invalid = sqlite(&json!({ "file": " ", "table": "" })).unwrap_err();
        for field in ["spec.sqlite.file", "spec.sqlite.table"] {
            assert!(invalid.message.contains(field), "{}", invalid.message);
        }
        let invalid = sqlite(&json!(null)).unwrap_err();
        assert!(invalid.message.contains("needs file and table"), "{}", invalid.message);
    }
}
