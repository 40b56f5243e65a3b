//! The reader against a real server.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use kollect_domain::condition::reason;
use kollect_domain::config::sink::{Destination, Tls};
use kollect_ports::contract::query::{QueryHarness, Reader};
use kollect_ports::error::ErrorClass;
use kollect_ports::query::{
    Cursor, HealthReader as _, INVALID_CURSOR, InventoryId, InventoryReader as _, Order, PageRequest, QUERY_TIMEOUT,
    ScopeState, SortBy, StoredRow, View,
};
use serde_json::{Value, json};

use super::{Bench, deliver, inventory, key, row, run};
use crate::endpoint::EndpointPolicy;
use crate::postgres::PostgresReader;

mod contract {
    //! The suite of the port, with statements that the server keeps and with such that are sent each time.

    mod kept_statements {
        use crate::postgres::tests::reader::Inventories;
        use crate::postgres::tests::run;

        kollect_ports::query_contract!(Inventories::new(""), run);
    }

    mod sent_statements {
        use crate::postgres::tests::reader::Inventories;
        use crate::postgres::tests::run;

        kollect_ports::query_contract!(Inventories::new("default_query_exec_mode=exec"), run);
    }
}

/// A database with the tables as the sink makes them, a claim included.
struct Inventories(Bench);

impl Inventories {
    async fn new(parameters: &str) -> Self {
        let bench = Bench::new();
        bench.claimed().await;
        bench.connect_by(&bench.url_with(parameters));
        Self(bench)
    }
}

impl Bench {
    fn reader(&self) -> PostgresReader {
        let Destination::Postgres(table) = &self.spec.destination else {
            unreachable!("the bench is about PostgreSQL");
        };
        let policy = EndpointPolicy::parse(&["127.0.0.0/8", "localhost"], &[]).unwrap();
        PostgresReader::new(table, Tls::default(), self.secrets.clone(), Arc::new(policy)).unwrap()
    }
}

#[async_trait]
impl QueryHarness for Inventories {
    async fn reader(&self) -> Arc<dyn Reader> {
        Arc::new(self.0.reader())
    }

    async fn put(&self, rows: &[StoredRow]) {
        let records: Vec<Value> = rows.iter().map(|row| record(&row.inventory, row)).collect();
        self.0.sql(&format!(
            "INSERT INTO items (cluster, inventory_namespace, inventory_name, target_name, source_uid, payload, \
             exported_at) SELECT r->>'cluster', r->>'namespace', r->>'name', r->>'target', r->>'uid', r->'payload', \
             (r->>'at')::timestamptz FROM jsonb_array_elements({}) AS r \
             ON CONFLICT (cluster, inventory_namespace, inventory_name, target_name, source_uid) \
             DO UPDATE SET payload = excluded.payload, exported_at = excluded.exported_at",
            literal(&records)
        ));
    }

    async fn remove(&self, row: &StoredRow) {
        self.0.sql(&format!(
            "DELETE FROM items i USING jsonb_array_elements({}) AS r WHERE i.cluster = r->>'cluster' \
             AND i.inventory_namespace = r->>'namespace' AND i.inventory_name = r->>'name' \
             AND i.target_name = r->>'target' AND i.source_uid = r->>'uid'",
            literal(&[record(&row.inventory, row)])
        ));
    }

    async fn record(&self, inventory: &InventoryId, states: &[ScopeState]) {
        let InventoryId { cluster, inventory } = inventory;
        let time = |at: Option<jiff::Timestamp>| at.map(|at| at.to_string());
        let records: Vec<Value> = states
            .iter()
            .map(|state| {
                json!({
                    "cluster": &**cluster, "inventory_namespace": &*inventory.namespace,
                    "inventory_name": &*inventory.name, "target_name": &*state.target, "kind": state.kind,
                    "scope": state.scope, "writer": "w", "writer_session": "s", "state": state.state,
                    "reason": state.reason, "last_list": time(state.last_list), "last_event": time(state.last_event),
                    "as_of": time(state.as_of), "rows": state.rows, "checksum": "",
                    "updated_at": time(Some(state.updated_at)),
                })
            })
            .collect();
        self.0.sql(&format!(
            "INSERT INTO items_sync SELECT * FROM jsonb_populate_recordset(NULL::items_sync, {})",
            literal(&records)
        ));
    }
}

fn record(InventoryId { cluster, inventory }: &InventoryId, row: &StoredRow) -> Value {
    json!({
        "cluster": &**cluster, "namespace": &*inventory.namespace, "name": &*inventory.name,
        "target": &*row.key.target, "uid": &*row.key.uid, "payload": row.payload,
        "at": row.exported_at.to_string(),
    })
}

/// JSON as a value in SQL.
fn literal(values: &[Value]) -> String {
    let text = Value::from(values.to_vec()).to_string();
    format!("'{}'::jsonb", text.replace('\'', "''"))
}

fn apps() -> InventoryId {
    InventoryId {
        cluster: "eu-1".into(),
        inventory: inventory(),
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

#[test]
fn what_a_sink_delivered_is_read() {
    run(async {
        let bench = Bench::new();
        let sink = bench.claimed().await;
        deliver(&sink, vec![row("u-1", 3)]).await.unwrap();
        let page = bench.reader().page(&request(), &View::default()).await.unwrap();
        let expected: Value = serde_json::from_str(row("u-1", 3).1.payload()).unwrap();
        assert_eq!((&page.rows[0].key, &page.rows[0].payload), (&key("u-1"), &expected));
    });
}

#[test]
fn a_missing_table_is_named_and_a_missing_table_of_states_is_no_fault() {
    run(async {
        let bench = Bench::new();
        let reader = bench.reader();
        let refusal = reader.inventories(&View::default()).await.unwrap_err();
        assert_eq!(
            (refusal.class, refusal.reason),
            (ErrorClass::Misconfigured, reason::DESTINATION_INCOMPATIBLE)
        );
        assert!(refusal.message.contains("items"), "{refusal}");
        let sink = bench.claimed().await;
        deliver(&sink, vec![row("u-1", 3)]).await.unwrap();
        bench.sql("DROP TABLE items_sync");
        assert_eq!(reader.inventories(&View::default()).await.unwrap()[0].kinds[0].1, 1);
        assert_eq!(reader.states(&apps(), &View::default()).await, Ok(Vec::new()));
    });
}

#[test]
fn sessions_are_lost_and_opened_again_without_anybody_noticing() {
    run(async {
        let bench = Bench::new();
        bench.claimed().await;
        let reader = bench.reader();
        for _ in 0..3 {
            assert_eq!(reader.inventories(&View::default()).await, Ok(Vec::new()));
            let own = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
                 WHERE application_name = 'kollect-ui' AND datname = current_database()";
            assert_eq!(bench.sql(own), "1", "one session under its own name");
        }
        assert_eq!(reader.inventories(&View::default()).await, Ok(Vec::new()));
    });
}

#[test]
fn a_server_that_takes_too_long_is_stopped() {
    run(async {
        let bench = Bench::new();
        bench.claimed().await;
        slow(&bench, "pg_sleep(30)");
        let reader = bench.reader().with_time_limit(Duration::from_millis(200));
        for _ in 0..2 {
            let late = reader.page(&request(), &View::default()).await.unwrap_err();
            assert_eq!(
                (late.class, late.reason),
                (ErrorClass::Transient, QUERY_TIMEOUT),
                "{late}"
            );
        }
        let working = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'kollect-ui' \
             AND datname = current_database() AND state = 'active'";
        assert_eq!(bench.sql(working), "0");
    });
}

#[test]
fn many_questions_at_once_share_few_sessions() {
    run(async {
        let bench = Bench::new();
        bench.claimed().await;
        slow(&bench, "pg_sleep(0.05)");
        let reader = bench.reader();
        let (request, view) = (request(), View::default());
        let questions = (0..12).map(|_| reader.page(&request, &view));
        let answers = futures::future::join_all(questions).await;
        assert!(answers.iter().all(Result::is_ok), "{answers:?}");
        let sessions = "SELECT count(*) BETWEEN 2 AND 3 FROM pg_stat_activity WHERE application_name = 'kollect-ui' \
             AND datname = current_database()";
        assert_eq!(bench.sql(sessions), "t");
    });
}

#[test]
fn what_a_question_runs_cannot_write() {
    run(async {
        let bench = Bench::new();
        bench.claimed().await;
        bench.sql(
            "CREATE TABLE trace (a int);
             CREATE FUNCTION writes() RETURNS text LANGUAGE sql VOLATILE AS
             $$ INSERT INTO trace VALUES (1) RETURNING 'eu-1' $$",
        );
        slow(&bench, "writes()");
        let refusal = bench.reader().page(&request(), &View::default()).await.unwrap_err();
        assert!(refusal.message.contains("read-only transaction"), "{refusal}");
        assert_eq!(bench.sql("SELECT count(*) FROM trace"), "0");
    });
}

/// Puts a view in the table's place that calls a function for its one row.
fn slow(bench: &Bench, call: &str) {
    bench.sql(&format!(
        "ALTER TABLE items RENAME TO stored;
         CREATE VIEW items AS SELECT 'eu-1'::text AS cluster, 'team-a'::text AS inventory_namespace,
         'apps'::text AS inventory_name, 't'::text AS target_name, 'u'::text AS source_uid,
         jsonb_build_object('name', {call}) AS payload, now() AS exported_at"
    ));
}

#[test]
fn times_and_numbers_that_only_the_server_knows_fail_no_page() {
    run(async {
        let bench = Bench::new();
        bench.claimed().await;
        bench.sql(
            "INSERT INTO items VALUES ('team-a', 'apps', 't', 'a', 'eu-1', '', '{}', 'infinity'),
             ('team-a', 'apps', 't', 'b', 'eu-1', '', '{\"attributes\": 1e400}', '-infinity'),
             ('team-a', 'apps', 't', 'c', 'eu-1', '', '{}', '294000-01-01'),
             ('team-a', 'apps', 't', 'd', 'eu-1', '', '{}', '4000-01-01 BC')",
        );
        let reader = bench.reader();
        let mut request = request();
        (request.order.by, request.limit) = (SortBy::ExportedAt, 1);
        let mut uids = String::new();
        loop {
            let page = reader.page(&request, &View::default()).await.unwrap();
            uids.extend(page.rows.iter().map(|row| &*row.key.uid));
            request.after = page.next;
            if request.after.is_none() {
                break;
            }
        }
        assert_eq!(uids, "bdac");
    });
}

#[test]
fn a_place_that_no_row_has_is_refused_before_the_server_is_asked() {
    run(async {
        let bench = Bench::new();
        let reader = bench.reader();
        let by_time = Order {
            by: SortBy::ExportedAt,
            descending: false,
        };
        let texts = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
        for cursor in [
            Cursor::new(by_time, texts(&["yesterday"]), key("u-1")),
            Cursor::new(Order::default(), texts(&["shop", "a\0"]), key("u-1")),
            Cursor::new(Order::default(), texts(&["shop", "a"]), key("u\0")),
        ] {
            let mut request = request();
            request.order = if cursor.values_for(by_time, 1).is_ok() {
                by_time
            } else {
                Order::default()
            };
            request.after = Some(cursor);
            let refusal = reader.page(&request, &View::default()).await.unwrap_err();
            assert_eq!((refusal.class, refusal.reason), (ErrorClass::Rejected, INVALID_CURSOR));
        }
    });
}
