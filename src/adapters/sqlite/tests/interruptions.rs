//! Full disks, programs that hold the file, time limits, and callers that go away.

use std::time::Duration;

use futures::FutureExt as _;
use kollect_domain::condition::reason;
use kollect_ports::error::ErrorClass;
use kollect_ports::sink::{Delivery, Purge, Sink as _};
use rusqlite::Connection;

use super::{Bench, deliver, inventory, key, row, rows, run, upserts};

/// An endless statement for whoever inserts this row.
const ENDLESS: &str = "CREATE TRIGGER endless BEFORE INSERT ON items WHEN new.source_uid = 'u-endless'
    BEGIN SELECT max(n) FROM (WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c); END";

#[test]
fn a_full_disk_is_said_writes_nothing_of_the_change_and_passes() {
    run(async {
        let bench = Bench::new();
        let sink = bench.sink(|access| access.most_pages = Some(64));
        sink.claim(&inventory()).await.unwrap();
        deliver(&sink, rows(20, 1)).await.unwrap();
        let full = deliver(&sink, rows(3_000, 2)).await.unwrap_err();
        assert_eq!(
            (full.class, full.reason),
            (ErrorClass::Unavailable, reason::SINK_UNREACHABLE)
        );
        assert!(full.message.contains("the disk is full"), "{full}");
        let unchanged = "SELECT count(*), sum(payload ->> '$.attributes.replicas') FROM items";
        assert_eq!(bench.sql(unchanged), "20|20");
        assert_eq!(bench.sql("PRAGMA integrity_check"), "ok");
        let purge = Delivery {
            purge: Purge::Targets(vec!["deploys".into()]),
            ..Delivery::default()
        };
        assert_eq!(sink.deliver(&inventory(), &purge).await.unwrap().deleted, 20);
        assert_eq!(deliver(&sink, rows(20, 3)).await.unwrap().written, 20);
    });
}

#[test]
fn a_program_that_holds_the_file_is_waited_for_and_then_named() {
    run(async {
        let bench = Bench::new();
        let sink = bench.claimed().await;
        let other = bench.open();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let busy = deliver(&*sink, vec![row("u-1", 1)]).await.unwrap_err();
        assert_eq!(busy.class, ErrorClass::Transient);
        assert!(busy.message.contains("another program is writing"), "{busy}");
        other.execute_batch("ROLLBACK").unwrap();
        assert_eq!(deliver(&*sink, vec![row("u-1", 1)]).await.unwrap().written, 1);
    });
}

#[test]
fn work_that_takes_too_long_is_stopped_and_undone() {
    run(async {
        let bench = Bench::new();
        let sink = bench.sink(|_| ()).with_deadline(Duration::from_millis(300));
        sink.claim(&inventory()).await.unwrap();
        bench.execute(ENDLESS);
        let late = deliver(&sink, vec![row("u-1", 1), row("u-endless", 1)])
            .await
            .unwrap_err();
        assert_eq!(late.class, ErrorClass::Unavailable);
        assert!(late.message.contains("took too long"), "{late}");
        assert_eq!(bench.sql("SELECT count(*) FROM items"), "0");
        assert_eq!(
            deliver(&sink, vec![row("u-1", 1)]).await.unwrap().written,
            1,
            "the claim is still held"
        );
    });
}

#[test]
fn a_caller_that_goes_away_leaves_no_transaction_and_a_usable_sink() {
    run(async {
        let bench = Bench::new();
        let sink = bench.claimed().await;
        bench.execute(ENDLESS);
        let mut delivery = Box::pin(deliver(&*sink, vec![row("u-1", 1), row("u-endless", 1)]));
        assert!(delivery.as_mut().now_or_never().is_none());
        // The work began when another program cannot begin to write any more.
        let other = bench.open();
        other.busy_timeout(Duration::ZERO).unwrap();
        while other.execute_batch("BEGIN IMMEDIATE; ROLLBACK").is_ok() {
            tokio::task::yield_now().await;
        }
        drop(delivery);
        let written = deliver(&*sink, vec![row("u-2", 1)]).await.unwrap().written;
        assert_eq!(
            (written, bench.sql("SELECT source_uid FROM items").as_str()),
            (1, "u-2")
        );
    });
}

#[test]
fn a_program_that_ends_in_the_middle_of_a_transaction_leaves_a_readable_file() {
    run(async {
        let bench = Bench::new();
        let sink = bench.claimed().await;
        deliver(&*sink, rows(3, 1)).await.unwrap();
        // What a program leaves that is killed: the files as they are at that moment, a half-written change included.
        let killed = bench.open();
        killed
            .execute_batch("PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE items SET payload = '{}'")
            .unwrap();
        killed
            .execute_batch(
                "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 2000)
                 INSERT INTO items SELECT 'n', 'i', 't', 'half-' || n, 'c', 's', '{}', '' FROM c",
            )
            .unwrap();
        let copy = tempfile::tempdir().unwrap();
        for ending in ["", "-wal"] {
            let from = format!("{}{ending}", bench.path().display());
            std::fs::copy(&from, copy.path().join(format!("fleet.db{ending}"))).unwrap();
        }
        let left = Connection::open(copy.path().join("fleet.db")).unwrap();
        let count = |sql: &str| left.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(count("SELECT count(*) FROM items WHERE payload <> '{}'"), 3);
        assert_eq!(count("SELECT count(*) FROM items"), 3);
        let next = super::build(copy.path(), &bench.spec, super::WRITER, "eu-1").unwrap();
        assert_eq!(next.claim(&inventory()).await.unwrap().targets, ["deploys".into()]);
        assert_eq!(deliver(&*next, rows(4, 1)).await.unwrap().written, 1);
    });
}

#[test]
fn a_session_of_the_same_writer_that_took_the_claim_is_told_apart_from_a_lost_file() {
    run(async {
        let bench = Bench::new();
        let (first, second) = (bench.claimed().await, bench.claimed().await);
        let token = "SELECT writer_session FROM items_sync WHERE target_name = ''";
        let of_second = bench.sql(token);
        assert_eq!(
            first
                .deliver(&inventory(), &upserts(vec![row("u-1", 1)]))
                .await
                .unwrap()
                .written,
            1
        );
        assert_ne!(
            bench.sql(token),
            of_second,
            "the claim goes back to the session that writes"
        );
        let delete = Delivery {
            deletes: vec![key("u-1")],
            ..Delivery::default()
        };
        assert_eq!(second.deliver(&inventory(), &delete).await.unwrap().deleted, 1);
        assert_eq!(bench.sql(token), of_second);
    });
}
