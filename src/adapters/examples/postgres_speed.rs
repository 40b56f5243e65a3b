//! How fast the PostgreSQL sink is against a real server.
//!
//! `cargo run --release -p kollect-adapters --no-default-features --features postgres --example postgres_speed`
//! starts the test bed's server; with `KOLLECT_TEST_POSTGRES_URL` it uses that one.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement for developers")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::TryStreamExt as _;
use kollect_adapters::endpoint::EndpointPolicy;
use kollect_adapters::postgres::PostgresSinkFactory;
use kollect_domain::config::sink::{Destination, PostgresTable, Provisioning, SecretRef, SinkSpec, Tls};
use kollect_domain::ids::{InventoryKey, NamespacedName, RowKey, SinkFamily, SinkKey};
use kollect_domain::row::{Row, RowIdentity};
use kollect_ports::fakes::secrets::FakeSecrets;
use kollect_ports::sink::{Delivery, Purge, Sink, SinkFactory as _};
use kollect_testbed::Postgres;
use serde_json::json;

const SINGLE_DELIVERIES: usize = 2_000;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let server = Postgres::shared().unwrap();
    let sink = sink(&server.url(&server.create_database().unwrap()));
    let apps = InventoryKey::new("team-a", "apps");
    sink.claim(&apps).await.unwrap();
    for count in [10_000, 50_000] {
        let first = rows(count, 1);
        timed(&format!("{count} new rows"), deliver(&sink, &apps, first.clone())).await;
        timed(&format!("{count} unchanged rows"), deliver(&sink, &apps, first)).await;
        timed(&format!("{count} changed rows"), deliver(&sink, &apps, rows(count, 2))).await;
        let held = sink
            .resume(&apps, "deploys")
            .try_fold(0, |sum, batch| async move { Ok(sum + batch.len()) });
        timed(&format!("{count} rows read back and digested"), async {
            held.await.unwrap() as u64
        })
        .await;
        if count == 50_000 {
            single(&sink, &apps).await;
        }
        let purge = Delivery {
            purge: Purge::Inventory,
            ..Delivery::default()
        };
        timed("purge", async { sink.deliver(&apps, &purge).await.unwrap().deleted }).await;
        sink.claim(&apps).await.unwrap();
    }
}

/// One changed row per delivery, into a table of 50,000.
async fn single(sink: &Arc<dyn Sink>, apps: &InventoryKey) {
    let mut took = Vec::with_capacity(SINGLE_DELIVERIES);
    for number in 0..SINGLE_DELIVERIES {
        let delivery = Delivery {
            upserts: vec![row(number, 3)],
            ..Delivery::default()
        };
        let started = Instant::now();
        assert_eq!(sink.deliver(apps, &delivery).await.unwrap().written, 1);
        took.push(started.elapsed());
    }
    took.sort_unstable();
    let (half, most) = (took[SINGLE_DELIVERIES / 2], took[SINGLE_DELIVERIES * 99 / 100]);
    println!("one changed row: p50 {half:?}, p99 {most:?}");
}

async fn timed(what: &str, work: impl Future<Output = u64>) {
    let started = Instant::now();
    let rows = work.await;
    let took: Duration = started.elapsed();
    println!("{what}: {took:.2?} ({rows} rows affected)");
}

async fn deliver(sink: &Arc<dyn Sink>, apps: &InventoryKey, upserts: Vec<(RowKey, Arc<Row>)>) -> u64 {
    sink.deliver(
        apps,
        &Delivery {
            upserts,
            ..Delivery::default()
        },
    )
    .await
    .unwrap()
    .written
}

fn rows(count: usize, generation: u64) -> Vec<(RowKey, Arc<Row>)> {
    (0..count).map(|number| row(number, generation)).collect()
}

fn row(number: usize, generation: u64) -> (RowKey, Arc<Row>) {
    let uid = format!("{number:08}-2222-3333-4444-555555555555");
    let identity = RowIdentity {
        target_namespace: "team-a",
        target_name: "deploys",
        namespace: "shop",
        name: &format!("cart-{number}"),
        group: "apps",
        version: "v1",
        kind: "Deployment",
        uid: &uid,
    };
    let attributes = json!({ "image": "registry.example/cart:1.4", "replicas": 3, "generation": generation });
    let key = RowKey {
        target: "deploys".into(),
        uid: uid.as_str().into(),
    };
    (key, Arc::new(Row::new(&identity, attributes.as_object().unwrap())))
}

fn sink(url: &str) -> Arc<dyn Sink> {
    let secret = NamespacedName::new("team-a", "database");
    let secrets = FakeSecrets::default();
    secrets.set(&secret, &[("dsn", url.as_bytes())]);
    let policy = EndpointPolicy::parse(&["127.0.0.0/8"], &[]).unwrap();
    let factory = PostgresSinkFactory::new("bench", Arc::new(secrets), Arc::new(policy));
    let spec = SinkSpec {
        kind: "postgres".into(),
        cluster: "".into(),
        destination: Destination::Postgres(PostgresTable {
            database: SecretRef {
                object: secret.clone(),
                referrer: "team-a".into(),
            },
            schema: "public".to_owned(),
            table: "items".to_owned(),
        }),
        tls: Tls::default(),
        provisioning: Provisioning::Ensure,
        export_min_interval: None,
        min_change_interval: None,
        options: BTreeMap::new(),
    };
    factory
        .build(
            &SinkKey {
                family: SinkFamily::Database,
                object: secret,
            },
            &Arc::new(spec),
        )
        .unwrap()
}
