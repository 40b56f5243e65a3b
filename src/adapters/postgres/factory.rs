//! Builds PostgreSQL sinks from their definitions.

use std::sync::Arc;

use kollect_domain::condition::reason;
use kollect_domain::config::sink::{Destination, PostgresTable, SinkSpec};
use kollect_domain::filing::Writer;
use kollect_domain::ids::SinkKey;
use kollect_domain::status::preview::{DestinationPreview, TablePreview};
use kollect_ports::error::{ErrorClass, PortError};
use kollect_ports::secrets::SecretReader;
use kollect_ports::sink::{Sink, SinkFactory};

use super::schema::{Key, Layout};
use super::sink::PostgresSink;
use super::worker::Access;
use crate::endpoint::EndpointPolicy;

/// Option that chooses the key of a table that is created.
const PRIMARY_KEY: &str = "primary_key";

/// Builds sinks of type `postgres`.
#[derive(Debug)]
pub struct PostgresSinkFactory {
    writer: Writer,
    secrets: Arc<dyn SecretReader>,
    policy: Arc<EndpointPolicy>,
}

impl PostgresSinkFactory {
    /// A factory for one writer: the identity of the cluster that rows come from.
    pub fn new(writer: &str, secrets: Arc<dyn SecretReader>, policy: Arc<EndpointPolicy>) -> Self {
        Self {
            writer: Writer::new(writer),
            secrets,
            policy,
        }
    }
}

impl PostgresSinkFactory {
    pub(super) fn sink(&self, key: &SinkKey, spec: &SinkSpec) -> Result<PostgresSink, PortError> {
        let (table, layout) = layout(key, spec)?;
        let access = Access {
            secrets: self.secrets.clone(),
            policy: self.policy.clone(),
            database: table.database.clone(),
            tls: spec.tls.clone(),
            layout,
        };
        Ok(PostgresSink::new(access, self.writer.clone(), spec.cluster.clone()))
    }
}

impl SinkFactory for PostgresSinkFactory {
    fn build(&self, key: &SinkKey, spec: &Arc<SinkSpec>) -> Result<Arc<dyn Sink>, PortError> {
        Ok(Arc::new(self.sink(key, spec)?))
    }

    fn preview(&self, key: &SinkKey, spec: &Arc<SinkSpec>) -> Result<DestinationPreview, PortError> {
        Ok(DestinationPreview {
            postgres: Some(TablePreview {
                expected_ddl: layout(key, spec)?.1.ddl(),
            }),
        })
    }
}

/// The table of a definition, and what it looks like.
fn layout<'s>(key: &SinkKey, spec: &'s SinkSpec) -> Result<(&'s PostgresTable, Layout), PortError> {
    let Destination::Postgres(table) = &spec.destination else {
        let message = format!(
            "sink {key} has type {}, which this build does not serve; supported: postgres",
            spec.kind
        );
        return Err(PortError::new(
            ErrorClass::Misconfigured,
            reason::SINK_TYPE_UNAVAILABLE,
            message,
        ));
    };
    for (field, value) in [
        ("spec.postgres.table", &table.table),
        ("spec.postgres.schema", &table.schema),
    ] {
        if value.trim().is_empty() || value.contains('\0') {
            return Err(invalid(format!("sink {key}: {field} must be a name")));
        }
    }
    Ok((table, Layout::new(table, new_key(key, spec)?, spec.provisioning)))
}

fn new_key(key: &SinkKey, spec: &SinkSpec) -> Result<Key, PortError> {
    match spec.options.get(PRIMARY_KEY).map(String::as_str) {
        None | Some("" | "wide") => Ok(Key::Wide),
        Some("legacy") => Ok(Key::Legacy),
        Some(_) => Err(invalid(format!(
            "sink {key}: option {PRIMARY_KEY} is either wide or legacy"
        ))),
    }
}

fn invalid(message: String) -> PortError {
    PortError::new(ErrorClass::Misconfigured, reason::INVALID_SINK, message)
}
