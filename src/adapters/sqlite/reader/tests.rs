//! The reader over real files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use kollect_domain::condition::reason;
use kollect_domain::ids::{InventoryKey, RowKey};
use kollect_ports::contract::query::{QueryHarness, Reader};
use kollect_ports::error::ErrorClass;
use kollect_ports::query::{
    HealthReader as _, InventoryId, InventoryReader as _, Order, PageRequest, QUERY_TIMEOUT, ScopeState, StoredRow,
    View,
};
use rusqlite::{Connection, params};
use serde_json::json;
use tempfile::TempDir;

use super::SqliteReader;
use crate::sqlite::tests::{run, tables_at};
use crate::sqlite::time;

kollect_ports::query_contract!(async { Bench::new().await }, run);

/// A file of its own.
struct Bench {
    folder: TempDir,
}

impl Bench {
    /// With the tables as the sink makes them, a claim included.
    async fn new() -> Self {
        let bench = Self::without_tables();
        tables_at(&bench.path()).await;
        bench
    }

    fn without_tables() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("fleet.db")
    }

    fn open(&self) -> Connection {
        let connection = Connection::open(self.path()).unwrap();
        connection.busy_timeout(Duration::from_secs(5)).unwrap();
        connection
    }

    fn reader(&self) -> SqliteReader {
        SqliteReader::new(&self.path(), "items").unwrap()
    }
}

#[async_trait]
impl QueryHarness for Bench {
    async fn reader(&self) -> Arc<dyn Reader> {
        Arc::new(self.reader())
    }

    async fn put(&self, rows: &[StoredRow]) {
        let mut connection = self.open();
        let change = connection.transaction().unwrap();
        let mut insert = change
            .prepare(
                "INSERT OR REPLACE INTO items (cluster, inventory_namespace, inventory_name, target_name, source_uid, \
                 payload, exported_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
            )
            .unwrap();
        for row in rows {
            let InventoryId { cluster, inventory } = &row.inventory;
            let RowKey { target, uid } = &row.key;
            let (payload, exported_at) = (row.payload.to_string(), time::text(row.exported_at));
            insert
                .execute(params![
                    cluster,
                    inventory.namespace,
                    inventory.name,
                    target,
                    uid,
                    payload,
                    exported_at
                ])
                .unwrap();
        }
        drop(insert);
        change.commit().unwrap();
    }

    async fn remove(&self, row: &StoredRow) {
        let InventoryId { cluster, inventory } = &row.inventory;
        let removed = self.open().execute(
            "DELETE FROM items WHERE (cluster, inventory_namespace, inventory_name, target_name, source_uid) \
             = (?, ?, ?, ?, ?)",
            params![
                cluster,
                inventory.namespace,
                inventory.name,
                row.key.target,
                row.key.uid
            ],
        );
        assert_eq!(removed, Ok(1));
    }

    async fn record(&self, inventory: &InventoryId, states: &[ScopeState]) {
        let InventoryId { cluster, inventory } = inventory;
        for state in states {
            let [last_list, last_event, as_of, updated_at] =
                [state.last_list, state.last_event, state.as_of, Some(state.updated_at)].map(|at| at.map(time::text));
            self.open()
                .execute(
                    "INSERT INTO items_sync (cluster, inventory_namespace, inventory_name, target_name, kind, scope, \
                     writer, writer_session, state, reason, last_list, last_event, as_of, rows, updated_at) \
                     VALUES (?, ?, ?, ?, ?, ?, 'w', 's', ?, ?, ?, ?, ?, ?, ?)",
                    params![
                        cluster,
                        inventory.namespace,
                        inventory.name,
                        state.target,
                        state.kind,
                        state.scope,
                        state.state,
                        state.reason,
                        last_list,
                        last_event,
                        as_of,
                        state.rows.cast_signed(),
                        updated_at
                    ],
                )
                .unwrap();
        }
    }
}

fn apps() -> InventoryId {
    InventoryId {
        cluster: "eu-1".into(),
        inventory: InventoryKey::new("team-a", "apps"),
    }
}

fn request() -> PageRequest {
    PageRequest {
        inventory: apps(),
        kind: None,
        text: String::new(),
        order: Order::default(),
        after: None,
        limit: 10,
    }
}

fn row(uid: &str) -> StoredRow {
    StoredRow {
        inventory: apps(),
        key: RowKey {
            target: "deploys".into(),
            uid: uid.into(),
        },
        payload: json!({ "name": uid, "namespace": "shop", "kind": "Pod", "attributes": {} }),
        exported_at: "2026-12-01T10:00:00Z".parse().unwrap(),
    }
}

#[test]
fn a_missing_file_is_not_created_and_is_read_once_it_is_there() {
    run(async {
        let bench = Bench::without_tables();
        let reader = bench.reader();
        let missing = reader.inventories(&View::default()).await.unwrap_err();
        assert_eq!(missing.class, ErrorClass::Unavailable);
        assert!(missing.message.contains("does not exist"), "{missing}");
        assert!(missing.message.contains("fleet.db"), "{missing}");
        assert!(!bench.path().exists());
        tables_at(&bench.path()).await;
        bench.put(&[row("u-1")]).await;
        assert_eq!(reader.inventories(&View::default()).await.unwrap().len(), 1);
    });
}

#[test]
fn files_that_are_no_inventory_are_named() {
    run(async {
        let bench = Bench::without_tables();
        std::fs::write(bench.path(), "somebody's notes\n".repeat(100)).unwrap();
        let refusal = bench.reader().inventories(&View::default()).await.unwrap_err();
        assert_eq!(
            (refusal.class, refusal.reason),
            (ErrorClass::Misconfigured, reason::DESTINATION_INCOMPATIBLE)
        );
        assert!(refusal.message.contains("not a SQLite database"), "{refusal}");
        std::fs::remove_file(bench.path()).unwrap();
        for (change, complaint) in [
            ("CREATE TABLE other (a)", "has no table \"items\""),
            ("CREATE TABLE items (cluster TEXT)", "no such column"),
        ] {
            bench.open().execute_batch(change).unwrap();
            let refusal = bench.reader().page(&request(), &View::default()).await.unwrap_err();
            assert_eq!(refusal.class, ErrorClass::Misconfigured);
            assert!(refusal.message.contains(complaint), "{refusal}");
        }
        let name = SqliteReader::new(Path::new("fleet.db"), "sqlite_schema").unwrap_err();
        assert_eq!(name.reason, reason::INVALID_SINK);
    });
}

#[test]
fn without_a_table_of_states_there_are_rows_and_no_states() {
    run(async {
        let bench = Bench::new().await;
        bench.put(&[row("u-1")]).await;
        bench.open().execute_batch("DROP TABLE items_sync").unwrap();
        let reader = bench.reader();
        let summaries = reader.inventories(&View::default()).await.unwrap();
        assert_eq!(summaries[0].kinds[0].1, 1);
        assert_eq!(reader.states(&apps(), &View::default()).await, Ok(Vec::new()));
    });
}

#[test]
fn values_that_another_program_stored_in_its_own_way_fail_no_page() {
    run(async {
        let bench = Bench::new().await;
        bench.put(&[row("u-1")]).await;
        bench
            .open()
            .execute_batch(
                "INSERT INTO items VALUES ('team-a', 'apps', 't', 'broken', 'eu-1', '', '{broken', 'yesterday'),
                 ('team-a', 'apps', 't', 'bytes', 'eu-1', '', x'ff00', '2026-12-01 10:00:00'),
                 ('team-a', 'apps', 't', 'number', 'eu-1', '', 7, 1764583200),
                 ('team-a', 'apps', 't', 'nested', 'eu-1', '', '[' || replace(hex(zeroblob(300)), '00', '[') ||
                  replace(hex(zeroblob(301)), '00', ']'), '')",
            )
            .unwrap();
        let reader = bench.reader();
        for by in ["namespace", "name", "kind", "exported"] {
            let mut request = request();
            request.order.by = kollect_ports::query::SortBy::from_id(by).unwrap();
            request.limit = 1;
            let mut uids = Vec::new();
            loop {
                let page = reader.page(&request, &View::default()).await.unwrap();
                uids.extend(page.rows.into_iter().map(|row| row.key.uid.to_string()));
                request.after = page.next;
                if request.after.is_none() {
                    break;
                }
            }
            uids.sort_unstable();
            assert_eq!(uids, ["broken", "bytes", "nested", "number", "u-1"], "by {by}");
        }
        let summaries = reader.inventories(&View::default()).await.unwrap();
        assert_eq!(summaries[0].kinds.iter().map(|(_, count)| count).sum::<u64>(), 5);
    });
}

#[test]
fn an_answer_that_takes_too_long_is_stopped() {
    run(async {
        let bench = Bench::new().await;
        bench
            .open()
            .execute_batch(
                "DROP TABLE items; CREATE VIEW items AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)
                 SELECT '' AS cluster, '' AS inventory_namespace, '' AS inventory_name, '' AS target_name,
                 n AS source_uid, '{}' AS payload, '' AS exported_at FROM c",
            )
            .unwrap();
        let reader = bench.reader().with_time_limit(Duration::from_millis(200));
        for _ in 0..5 {
            let late = reader.inventories(&View::default()).await.unwrap_err();
            assert_eq!(
                (late.class, late.reason),
                (ErrorClass::Transient, QUERY_TIMEOUT),
                "{late}"
            );
        }
        bench.open().execute_batch("DROP VIEW items").unwrap();
        tables_at(&bench.path()).await;
        assert_eq!(reader.inventories(&View::default()).await, Ok(Vec::new()));
    });
}

#[cfg(unix)]
#[test]
fn a_file_that_was_replaced_is_read_anew() {
    run(async {
        let (bench, other) = (Bench::new().await, Bench::new().await);
        bench.put(&[row("u-1")]).await;
        other.put(&[row("u-1"), row("u-2")]).await;
        let reader = bench.reader();
        assert_eq!(reader.page(&request(), &View::default()).await.unwrap().rows.len(), 1);
        std::fs::rename(other.path(), bench.path()).unwrap();
        assert_eq!(reader.page(&request(), &View::default()).await.unwrap().rows.len(), 2);
    });
}

#[test]
fn a_reader_cannot_write() {
    run(async {
        let bench = Bench::new().await;
        let reader = bench.reader();
        let refused = reader
            .pool
            .ask(|file| {
                file.execute_batch("DELETE FROM items")
                    .map_err(crate::sqlite::failure::during("sqlite read"))
            })
            .await;
        assert!(refused.is_err());
    });
}
