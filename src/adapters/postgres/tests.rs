//! The adapter against a real server.

mod access;
mod encryption;
mod outages;
mod reader;
mod tables;
mod touch;

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use kollect_domain::config::sink::{Destination, PostgresTable, Provisioning, SecretRef, SinkSpec, Tls};
use kollect_domain::ids::{InventoryKey, NamespacedName, RowKey, SinkFamily, SinkKey};
use kollect_domain::row::{Row, RowIdentity};
use kollect_ports::contract::sink::{SinkHarness, StoredRow};
use kollect_ports::error::PortError;
use kollect_ports::fakes::secrets::FakeSecrets;
use kollect_ports::sink::{Delivery, Receipt, Sink, SinkFactory as _};
use kollect_testbed::Postgres;
use serde_json::json;

use super::PostgresSinkFactory;
use crate::endpoint::EndpointPolicy;

/// No single test of this adapter takes longer.
const TEST_DEADLINE: Duration = Duration::from_secs(150);
const WRITER: &str = "cluster-a";

mod contract {
    //! The suite of the port, with statements that the server keeps and with such that are sent each time.

    mod kept_statements {
        use crate::postgres::tests::{Bench, run};

        kollect_ports::sink_contract!(async { Bench::new() }, run);
    }

    mod sent_statements {
        use crate::postgres::tests::{Bench, run};

        fn bench() -> Bench {
            let bench = Bench::new();
            bench.connect_by(&bench.url_with("default_query_exec_mode=exec"));
            bench
        }

        kollect_ports::sink_contract!(async { bench() }, run);
    }
}

/// Runs a test to its end.
fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async { tokio::time::timeout(TEST_DEADLINE, test).await.unwrap() });
}

/// A database of its own on a server, and sinks over it.
struct Bench {
    server: Server,
    database: String,
    secrets: Arc<FakeSecrets>,
    spec: SinkSpec,
}

enum Server {
    Shared(&'static Postgres),
    Own(Box<Postgres>),
}

impl std::ops::Deref for Server {
    type Target = Postgres;

    fn deref(&self) -> &Postgres {
        match self {
            Self::Shared(postgres) => postgres,
            Self::Own(postgres) => postgres,
        }
    }
}

impl Bench {
    fn new() -> Self {
        Self::on(Server::Shared(Postgres::shared().unwrap()))
    }

    fn on(server: Server) -> Self {
        let database = server.create_database().unwrap();
        let bench = Self {
            server,
            database,
            secrets: Arc::default(),
            spec: spec(),
        };
        bench.connect_by(&bench.url());
        bench
    }

    fn url(&self) -> String {
        self.server.url(&self.database)
    }

    /// The URL with more parameters.
    fn url_with(&self, parameters: &str) -> String {
        let url = self.url();
        let separator = if url.contains('?') { '&' } else { '?' };
        format!("{url}{separator}{parameters}")
    }

    /// Puts a connection string into the Secret.
    fn connect_by(&self, dsn: &str) {
        self.secrets.set(&secret().object, &[("dsn", dsn.as_bytes())]);
    }

    fn build(&self, writer: &str, cluster: &str) -> Arc<dyn Sink> {
        let mut spec = self.spec.clone();
        spec.cluster = cluster.into();
        self.factory(writer).build(&sink_key(), &Arc::new(spec)).unwrap()
    }

    fn factory(&self, writer: &str) -> PostgresSinkFactory {
        let policy = EndpointPolicy::parse(&["127.0.0.0/8", "localhost"], &[]).unwrap();
        PostgresSinkFactory::new(writer, self.secrets.clone(), Arc::new(policy))
    }

    fn sql(&self, sql: &str) -> String {
        self.server.psql(&self.database, sql).unwrap()
    }

    /// A sink that has claimed the inventory.
    async fn claimed(&self) -> Arc<dyn Sink> {
        let sink = self.build(WRITER, "eu-1");
        sink.claim(&inventory()).await.unwrap();
        sink
    }
}

#[async_trait]
impl SinkHarness for Bench {
    async fn sink(&self, writer: &str, cluster: &str) -> Arc<dyn Sink> {
        self.build(writer, cluster)
    }

    async fn rows(&self) -> Vec<StoredRow> {
        if self.sql("SELECT to_regclass('public.items') IS NULL") == "t" {
            return Vec::new();
        }
        let rows = self.sql("SELECT coalesce(jsonb_agg(to_jsonb(i)), '[]') FROM public.items i");
        let rows: Vec<BTreeMap<String, serde_json::Value>> = serde_json::from_str(&rows).unwrap();
        let stored = |mut row: BTreeMap<String, serde_json::Value>| {
            let mut text = |column: &str| row.remove(column).unwrap().as_str().unwrap().to_owned();
            StoredRow {
                cluster: text("cluster"),
                inventory: InventoryKey::new(&text("inventory_namespace"), &text("inventory_name")),
                key: RowKey {
                    target: text("target_name").into(),
                    uid: text("source_uid").into(),
                },
                namespace: text("resource_namespace"),
                payload: row.remove("payload").unwrap(),
            }
        };
        rows.into_iter().map(stored).collect()
    }

    async fn refuse_marked_rows(&self) {
        if self.sql("SELECT to_regclass('public.items') IS NULL") == "t" {
            self.build(WRITER, "none")
                .claim(&InventoryKey::new("none", "none"))
                .await
                .unwrap();
        }
        self.sql("ALTER TABLE public.items ADD CHECK (payload->'attributes'->'refused' IS NULL)");
    }
}

fn spec() -> SinkSpec {
    SinkSpec {
        kind: "postgres".into(),
        cluster: "".into(),
        destination: Destination::Postgres(PostgresTable {
            database: secret(),
            schema: "public".to_owned(),
            table: "items".to_owned(),
        }),
        tls: Tls::default(),
        provisioning: Provisioning::Ensure,
        export_min_interval: None,
        min_change_interval: None,
        options: BTreeMap::new(),
    }
}

fn secret() -> SecretRef {
    SecretRef {
        object: NamespacedName::new("team-a", "database"),
        referrer: "team-a".into(),
    }
}

fn sink_key() -> SinkKey {
    SinkKey {
        family: SinkFamily::Database,
        object: NamespacedName::new("team-a", "database"),
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

fn upserts(rows: Vec<(RowKey, Arc<Row>)>) -> Delivery {
    Delivery {
        upserts: rows,
        ..Delivery::default()
    }
}

async fn deliver(sink: &Arc<dyn Sink>, rows: Vec<(RowKey, Arc<Row>)>) -> Result<Receipt, PortError> {
    sink.deliver(&inventory(), &upserts(rows)).await
}
