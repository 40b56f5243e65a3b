//! Where the rows go.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::bail;
use async_trait::async_trait;
use kollect_adapters::endpoint::EndpointPolicy;
use kollect_adapters::output::{Format, RowBuffer, RowBufferFactory};
use kollect_adapters::postgres::PostgresSinkFactory;
use kollect_adapters::sqlite::{SqliteFolder, SqliteSinkFactory};
use kollect_domain::config::sink::{
    Destination as SinkDestination, PostgresTable, Provisioning, SecretRef, SinkSpec, SqliteFile, Tls,
};
use kollect_domain::ids::NamespacedName;
use kollect_ports::error::PortError;
use kollect_ports::secrets::{SecretData, SecretReader};
use kollect_ports::sink::SinkFactory;
use secrecy::{ExposeSecret as _, SecretString};

use crate::config::DestinationConfig;

/// Where the rows go.
#[derive(Debug, Clone)]
pub enum Destination {
    /// Standard output.
    Print(Format),
    /// One document for each target in this folder.
    Folder(PathBuf),
    /// A table in a file.
    Sqlite(SqliteFile),
    /// A table on a server.
    Postgres(Server),
}

/// A table on a server.
#[derive(Debug, Clone)]
pub struct Server {
    /// The connection string.
    pub dsn: Arc<SecretString>,
    /// The table.
    pub table: String,
}

/// What a database is called on the command line.
#[derive(Debug, Clone)]
pub enum Database {
    /// A file.
    File(String),
    /// A server's connection string.
    Server(Arc<SecretString>),
}

impl Database {
    /// `postgres://…` or `postgresql://…` is a server; everything else a file, with or without `sqlite:` before it.
    pub fn parse(text: &str) -> Self {
        if is_server(text) {
            return Self::Server(Arc::new(SecretString::from(text)));
        }
        let file = text.strip_prefix("sqlite:").unwrap_or(text);
        Self::File(file.strip_prefix("//").unwrap_or(file).to_owned())
    }
}

fn is_server(text: &str) -> bool {
    text.starts_with("postgres://") || text.starts_with("postgresql://")
}

impl Destination {
    /// What the flags ask for.
    ///
    /// # Errors
    /// `--to` names no database.
    pub fn parse(config: &DestinationConfig) -> anyhow::Result<Self> {
        let DestinationConfig {
            output,
            to,
            table,
            dry_run: _,
        } = config;
        let Some(to) = to else {
            return Ok(match output.as_str() {
                "table" => Self::Print(Format::Table { width: None }),
                "json" => Self::Print(Format::Json),
                "ndjson" => Self::Print(Format::Ndjson),
                "csv" => Self::Print(Format::Csv),
                "yaml" => Self::Print(Format::Yaml),
                folder => Self::Folder(folder.into()),
            });
        };
        let table = table.clone();
        // The text may hold a password, so it is not repeated.
        if !is_server(to) && !to.starts_with("sqlite:") {
            bail!("--to names no database: write sqlite:FILE, or postgres://USER:PASSWORD@HOST/DATABASE");
        }
        Ok(match Database::parse(to) {
            Database::Server(dsn) => Self::Postgres(Server { dsn, table }),
            Database::File(file) if file.trim().is_empty() => bail!("--to sqlite: names no file"),
            Database::File(file) => Self::Sqlite(SqliteFile { file, table }),
        })
    }

    /// The definition of the sink, under a cluster's label.
    pub fn sink(&self, cluster: &str, namespace: &Arc<str>) -> SinkSpec {
        let (kind, destination) = match self {
            Self::Print(_) | Self::Folder(_) => ("caller", SinkDestination::Caller),
            Self::Sqlite(file) => ("sqlite", SinkDestination::Sqlite(file.clone())),
            Self::Postgres(server) => {
                let table = PostgresTable {
                    database: SecretRef {
                        object: NamespacedName::new(namespace, "database"),
                        referrer: namespace.clone(),
                    },
                    schema: "public".to_owned(),
                    table: server.table.clone(),
                };
                ("postgres", SinkDestination::Postgres(table))
            }
        };
        SinkSpec {
            kind: kind.into(),
            cluster: cluster.into(),
            destination,
            tls: Tls::default(),
            provisioning: Provisioning::Ensure,
            export_min_interval: None,
            min_change_interval: None,
            options: BTreeMap::new(),
        }
    }

    /// Builds the sink for one writer; rows for the caller end in `buffer`.
    ///
    /// # Errors
    /// The endpoint policy cannot be built.
    pub fn factory(&self, writer: &str, buffer: &Arc<RowBuffer>) -> anyhow::Result<Arc<dyn SinkFactory>> {
        Ok(match self {
            Self::Print(_) | Self::Folder(_) => Arc::new(RowBufferFactory(buffer.clone())),
            Self::Sqlite(_) => Arc::new(SqliteSinkFactory::new(writer, SqliteFolder::Anywhere)),
            Self::Postgres(server) => {
                let secrets = Arc::new(OneDatabase(server.dsn.clone()));
                Arc::new(PostgresSinkFactory::new(writer, secrets, anywhere()?))
            }
        })
    }

    /// Whether rows come back to the caller.
    pub fn is_caller(&self) -> bool {
        matches!(self, Self::Print(_) | Self::Folder(_))
    }
}

/// Whoever runs the command may connect to wherever they name: the guard is for definitions that others write.
///
/// # Errors
/// The policy cannot be built.
pub fn anywhere() -> anyhow::Result<Arc<EndpointPolicy>> {
    let all = ["0.0.0.0/0".to_owned(), "::/0".to_owned()];
    Ok(Arc::new(EndpointPolicy::parse(&all, &[])?))
}

/// The connection string of the command line as a Secret.
#[derive(Debug)]
pub struct OneDatabase(pub Arc<SecretString>);

#[async_trait]
impl SecretReader for OneDatabase {
    async fn read(&self, _: &SecretRef) -> Result<SecretData, PortError> {
        let dsn = self.0.expose_secret().as_bytes().to_vec();
        Ok(SecretData::new(BTreeMap::from([("dsn".to_owned(), dsn)])))
    }
}
