//! The adapter over real files.

mod files;
mod interruptions;
mod readers;
mod states;
mod tables;

use std::collections::BTreeMap;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use kollect_domain::config::sink::{Destination, Provisioning, SinkSpec, SqliteFile, Tls};
use kollect_domain::filing::Writer;
use kollect_domain::ids::{InventoryKey, NamespacedName, RowKey, SinkFamily, SinkKey};
use kollect_domain::row::{Row, RowIdentity};
use kollect_ports::contract::sink::{SinkHarness, StoredRow};
use kollect_ports::error::PortError;
use kollect_ports::sink::{Delivery, Receipt, Sink, SinkFactory as _};
use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;

use super::sink::SqliteSink;
use super::{SqliteFolder, SqliteSinkFactory};

/// No single test of this adapter takes longer.
const TEST_DEADLINE: Duration = Duration::from_mins(1);
const WRITER: &str = "cluster-a";
const FILE: &str = "fleet.db";

kollect_ports::sink_contract!(async { Bench::new() }, run);

/// Runs a test to its end.
pub(super) fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async { tokio::time::timeout(TEST_DEADLINE, test).await.unwrap() });
}

/// A folder of its own, and sinks over a file in it.
struct Bench {
    folder: TempDir,
    spec: SinkSpec,
}

impl Bench {
    fn new() -> Self {
        Self {
            folder: TempDir::new().unwrap(),
            spec: spec(FILE, "items"),
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join(FILE)
    }

    fn build(&self, writer: &str, cluster: &str) -> Arc<dyn Sink> {
        build(self.folder.path(), &self.spec, writer, cluster).unwrap()
    }

    /// A sink with what only tests need.
    fn sink(&self, adapt: impl FnOnce(&mut super::worker::Access)) -> SqliteSink {
        let factory = SqliteSinkFactory::new(WRITER, SqliteFolder::Within(self.folder.path().to_owned()));
        let mut access = factory.access(&sink_key(), &self.spec).unwrap();
        adapt(&mut access);
        SqliteSink::new(access, Writer::new(WRITER), "eu-1".into())
    }

    /// A sink that has claimed the inventory.
    async fn claimed(&self) -> Arc<dyn Sink> {
        let sink = self.build(WRITER, "eu-1");
        sink.claim(&inventory()).await.unwrap();
        sink
    }

    /// The file, as another program opens it.
    fn open(&self) -> Connection {
        let connection = Connection::open(self.path()).unwrap();
        connection.busy_timeout(Duration::from_secs(5)).unwrap();
        connection
    }

    fn execute(&self, sql: &str) {
        self.open().execute_batch(sql).unwrap();
    }

    /// The rows of an answer, columns apart by `|`, rows by line feeds.
    fn sql(&self, sql: &str) -> String {
        let connection = self.open();
        let mut statement = connection.prepare(sql).unwrap();
        let columns = statement.column_count();
        let rows = statement.query_map([], |row| {
            let values = (0..columns).map(|index| match row.get_ref_unwrap(index) {
                rusqlite::types::ValueRef::Integer(number) => number.to_string(),
                value => value.as_str_or_null().unwrap().unwrap_or_default().to_owned(),
            });
            Ok(values.collect::<Vec<_>>().join("|"))
        });
        let rows: Vec<String> = rows.unwrap().collect::<Result<_, _>>().unwrap();
        rows.join("\n")
    }
}

#[async_trait]
impl SinkHarness for Bench {
    async fn sink(&self, writer: &str, cluster: &str) -> Arc<dyn Sink> {
        self.build(writer, cluster)
    }

    async fn rows(&self) -> Vec<StoredRow> {
        if self.sql("SELECT count(*) FROM sqlite_schema WHERE name = 'items'") == "0" {
            return Vec::new();
        }
        let connection = self.open();
        let mut statement = connection
            .prepare(
                "SELECT cluster, inventory_namespace, inventory_name, target_name, source_uid, resource_namespace, \
                 payload FROM items",
            )
            .unwrap();
        let rows = statement.query_map([], |row| {
            let text = |index: usize| row.get::<_, String>(index);
            Ok(StoredRow {
                cluster: text(0)?,
                inventory: InventoryKey::new(&text(1)?, &text(2)?),
                key: RowKey {
                    target: text(3)?.into(),
                    uid: text(4)?.into(),
                },
                namespace: text(5)?,
                payload: serde_json::from_str(&text(6)?).unwrap(),
            })
        });
        rows.unwrap().collect::<Result<_, _>>().unwrap()
    }

    async fn refuse_marked_rows(&self) {
        self.build(WRITER, "none")
            .claim(&InventoryKey::new("none", "none"))
            .await
            .unwrap();
        self.execute(
            "CREATE TRIGGER marked BEFORE INSERT ON items WHEN new.payload ->> '$.attributes.refused' IS NOT NULL
             BEGIN SELECT RAISE(ABORT, 'this row is marked'); END",
        );
    }
}

/// Makes a file with the tables of a sink, claimed by it.
pub(super) async fn tables_at(path: &Path) {
    let file = path.file_name().unwrap().to_str().unwrap();
    let sink = build(path.parent().unwrap(), &spec(file, "items"), WRITER, "eu-1").unwrap();
    sink.claim(&inventory()).await.unwrap();
}

fn build(folder: &Path, spec: &SinkSpec, writer: &str, cluster: &str) -> Result<Arc<dyn Sink>, PortError> {
    let spec = SinkSpec {
        cluster: cluster.into(),
        ..spec.clone()
    };
    SqliteSinkFactory::new(writer, SqliteFolder::Within(folder.to_owned())).build(&sink_key(), &Arc::new(spec))
}

fn spec(file: &str, table: &str) -> SinkSpec {
    SinkSpec {
        kind: "sqlite".into(),
        cluster: "".into(),
        destination: Destination::Sqlite(SqliteFile {
            file: file.to_owned(),
            table: table.to_owned(),
        }),
        tls: Tls::default(),
        provisioning: Provisioning::Ensure,
        export_min_interval: None,
        min_change_interval: None,
        options: BTreeMap::new(),
    }
}

fn sink_key() -> SinkKey {
    SinkKey {
        family: SinkFamily::Database,
        object: NamespacedName::new("team-a", "warehouse"),
    }
}

fn inventory() -> InventoryKey {
    InventoryKey::new("team-a", "apps")
}

fn key(uid: &str) -> RowKey {
    RowKey {
        target: "deploys".into(),
        uid: uid.into(),
    }
}

fn row(uid: &str, replicas: i64) -> (RowKey, Arc<Row>) {
    let identity = RowIdentity {
        target_namespace: "team-a",
        target_name: "deploys",
        namespace: "shop",
        name: uid,
        group: "apps",
        version: "v1",
        kind: "Deployment",
        uid,
    };
    let attributes = json!({ "replicas": replicas, "image": "registry.example/nginx:1.27" });
    (key(uid), Arc::new(Row::new(&identity, attributes.as_object().unwrap())))
}

/// Many rows, sorted by key.
fn rows(count: usize, replicas: i64) -> Vec<(RowKey, Arc<Row>)> {
    (0..count)
        .map(|number| row(&format!("u-{number:05}"), replicas))
        .collect()
}

fn upserts(rows: Vec<(RowKey, Arc<Row>)>) -> Delivery {
    Delivery {
        upserts: rows,
        ..Delivery::default()
    }
}

async fn deliver(sink: &dyn Sink, rows: Vec<(RowKey, Arc<Row>)>) -> Result<Receipt, PortError> {
    sink.deliver(&inventory(), &upserts(rows)).await
}
