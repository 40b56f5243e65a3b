//! `kollect ui`: read-only pages over a database that inventories were exported to.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use kollect_adapters::admin;
use kollect_adapters::postgres::PostgresReader;
use kollect_adapters::sqlite::SqliteReader;
use kollect_domain::config::sink::{PostgresTable, SecretRef, Tls};
use kollect_domain::ids::NamespacedName;
use kollect_ports::query::View;
use kollect_ui::{Hosts, Readers, Settings};
use tokio_util::sync::CancellationToken;

use crate::collect::{Database, OneDatabase, anywhere};
use crate::config::{self, UiConfig};
use crate::{runtime, shutdown, telemetry};

/// Serves pages until the program is asked to stop.
///
/// # Errors
/// The database cannot be read, or the address cannot be listened on.
pub fn run(config: UiConfig) -> anyhow::Result<()> {
    telemetry::to_stderr(&config.log_level)?;
    runtime::run(ui(config))
}

async fn ui(config: UiConfig) -> anyhow::Result<()> {
    let UiConfig {
        database,
        table,
        listen,
        hosts,
        base_path,
        log_level: _,
    } = config;
    let readers = readers(&Database::parse(&database), &table)?;
    // A wrong name is best said at once, not on the first page.
    readers
        .inventories
        .inventories(&View::default())
        .await
        .context("the database cannot be read")?;
    let settings = Settings {
        hosts: known_hosts(&hosts),
        base_path: base_path.parse().context("--base-path")?,
        ..settings()
    };
    let stop = CancellationToken::new();
    let signals = shutdown::on_signal(stop.clone())?;
    serve(readers, settings, listen, stop, |_| Ok(())).await?;
    signals.abort();
    Ok(())
}

/// Settings of every server of this program.
pub fn settings() -> Settings {
    Settings {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..Settings::default()
    }
}

fn known_hosts(list: &str) -> Hosts {
    let names = config::list(list);
    match names.as_slice() {
        [] => Hosts::Loopback,
        names if names.iter().any(|name| name == "*") => Hosts::Any,
        _ => Hosts::Named(names.into_iter().collect()),
    }
}

/// Readers of a database.
///
/// # Errors
/// The table's name cannot be one.
pub fn readers(database: &Database, table: &str) -> anyhow::Result<Readers> {
    Ok(match database {
        Database::File(file) => {
            let reader = Arc::new(SqliteReader::new(Path::new(file), table)?);
            Readers {
                inventories: reader.clone(),
                health: reader,
            }
        }
        Database::Server(dsn) => {
            let table = PostgresTable {
                database: SecretRef {
                    object: NamespacedName::new("", "database"),
                    referrer: "".into(),
                },
                schema: "public".to_owned(),
                table: table.to_owned(),
            };
            let secrets = Arc::new(OneDatabase(dsn.clone()));
            let reader = Arc::new(PostgresReader::new(&table, Tls::default(), secrets, anywhere()?)?);
            Readers {
                inventories: reader.clone(),
                health: reader,
            }
        }
    })
}

/// Serves pages until `stop`; says where, once they can be asked for.
///
/// # Errors
/// The address cannot be listened on, or the server fails.
pub async fn serve(
    readers: Readers,
    settings: Settings,
    listen: SocketAddr,
    stop: CancellationToken,
    say: impl FnOnce(&str) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let listener = admin::bind(listen)
        .await
        .with_context(|| format!("cannot listen on {listen}"))?;
    let address = listener.local_addr().context("the listener has no address")?;
    let url = format!("http://{address}{}/", settings.base_path);
    crate::collect::say(&format!("serving {url}"));
    say(&url)?;
    admin::serve(listener, kollect_ui::router(readers, settings), stop)
        .await
        .context("the listener failed")
}
