//! Sync states, freshness and times of rows.

use kollect_ports::sink::{Delivery, Purge, SyncRecord};

use super::{Bench, deliver, inventory, row, rows, run};

fn record(kind: &str, state: &'static str, rows: u64) -> SyncRecord {
    SyncRecord {
        target: "deploys".into(),
        kind: kind.to_owned(),
        scope: "shop".into(),
        state,
        reason: String::new(),
        last_list: Some("2026-12-01T10:00:00Z".parse().unwrap()),
        last_event: None,
        as_of: (state == "Complete").then(|| "2026-12-01T11:00:00.25Z".parse().unwrap()),
        rows,
        checksum: "00112233445566778899aabbccddeeff".to_owned(),
    }
}

const STATES: &str = "SELECT target_name, kind, scope, state, reason, last_list, last_event, as_of, rows, checksum,
    writer FROM items_sync WHERE target_name <> '' ORDER BY kind";

#[test]
fn states_are_kept_per_target_kind_and_scope_and_go_with_their_target() {
    run(async {
        let bench = Bench::new();
        let sink = bench.claimed().await;
        let (deployments, pods) = ("apps/v1/Deployment", "/v1/Pod");
        let first = [record(deployments, "Complete", 3), record(pods, "Listing", 0)];
        sink.record(&inventory(), &first).await.unwrap();
        sink.record(&inventory(), &[record(deployments, "Degraded", 4)])
            .await
            .unwrap();
        let listed = "2026-12-01T10:00:00.000000Z";
        let common = "00112233445566778899aabbccddeeff|cluster-a";
        assert_eq!(
            bench.sql(STATES),
            format!(
                "deploys|/v1/Pod|shop|Listing||{listed}|||0|{common}\n\
                 deploys|apps/v1/Deployment|shop|Degraded||{listed}||2026-12-01T11:00:00.250000Z|4|{common}"
            ),
            "a watermark that was reached stays"
        );
        let purge = Delivery {
            purge: Purge::Targets(vec!["deploys".into()]),
            ..Delivery::default()
        };
        sink.deliver(&inventory(), &purge).await.unwrap();
        assert_eq!(bench.sql(STATES), "");
        let purge = Delivery {
            purge: Purge::Inventory,
            ..Delivery::default()
        };
        sink.deliver(&inventory(), &purge).await.unwrap();
        assert_eq!(
            bench.sql("SELECT count(*) FROM items_sync"),
            "0",
            "no claim is left either"
        );
    });
}

#[test]
fn every_row_of_a_delivery_has_its_time_and_unchanged_rows_keep_theirs() {
    run(async {
        let bench = Bench::new();
        let sink = bench.claimed().await;
        deliver(&*sink, rows(3_000, 1)).await.unwrap();
        let times =
            "SELECT count(DISTINCT exported_at), max(exported_at) GLOB '20??-??-??T??:??:??.??????Z' FROM items";
        assert_eq!(bench.sql(times), "1|1");
        deliver(&*sink, vec![row("u-00000", 2), row("u-00001", 1)])
            .await
            .unwrap();
        let newer = "SELECT source_uid FROM items WHERE exported_at > (SELECT min(exported_at) FROM items)";
        assert_eq!(bench.sql(newer), "u-00000");
    });
}

#[test]
fn an_inventory_that_is_complete_and_quiet_looks_recent_and_costs_one_row() {
    run(async {
        let bench = Bench::new();
        let sink = bench.claimed().await;
        deliver(&*sink, rows(3, 1)).await.unwrap();
        bench.execute("UPDATE items SET exported_at = '2020-01-01T00:00:00.000000Z'");
        let recent = "SELECT count(*) FROM items WHERE exported_at > '2021'";
        let complete = record("apps/v1/Deployment", "Complete", 3);
        sink.record(&inventory(), std::slice::from_ref(&complete))
            .await
            .unwrap();
        assert_eq!(bench.sql(recent), "0", "this process wrote rows a moment ago");
        // A new process does not know when rows were written last.
        let sink = bench.claimed().await;
        sink.record(&inventory(), &[record("apps/v1/Deployment", "Degraded", 3)])
            .await
            .unwrap();
        assert_eq!(bench.sql(recent), "0", "a fault is not freshness");
        sink.record(&inventory(), std::slice::from_ref(&complete))
            .await
            .unwrap();
        sink.record(&inventory(), &[complete]).await.unwrap();
        assert_eq!(bench.sql(recent), "1");
        assert_eq!(deliver(&*sink, rows(3, 1)).await.unwrap().written, 0);
    });
}
