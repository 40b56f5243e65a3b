//! Servers that stop, die, fall silent, and come back.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::{StreamExt as _, TryStreamExt as _};
use kollect_ports::error::ErrorClass;
use kollect_ports::sink::{HeldRow, Sink};
use kollect_testbed::Postgres;

use super::{Bench, Server, deliver, inventory, row, run};
use crate::postgres::tests::WRITER;

fn own_server() -> Bench {
    Bench::on(Server::Own(Box::new(Postgres::start().unwrap())))
}

#[test]
fn a_server_that_stops_is_unavailable_and_is_used_again_when_it_is_back() {
    run(async {
        let bench = own_server();
        let sink = bench.claimed().await;
        deliver(&sink, vec![row("u-1", 1)]).await.unwrap();
        bench.server.stop().unwrap();
        let down = deliver(&sink, vec![row("u-2", 1)]).await.unwrap_err();
        assert_eq!(down.class, ErrorClass::Unavailable, "{down}");
        let down = sink.claim(&inventory()).await.unwrap_err();
        assert_eq!(down.class, ErrorClass::Unavailable, "{down}");
        bench.server.start_again().unwrap();
        assert_eq!(sink.claim(&inventory()).await.unwrap().targets, ["deploys".into()]);
        assert_eq!(
            deliver(&sink, vec![row("u-1", 1), row("u-2", 1)])
                .await
                .unwrap()
                .written,
            1
        );
    });
}

#[test]
fn a_session_that_was_replaced_asks_for_a_comparison_before_it_writes() {
    run(async {
        let bench = own_server();
        let sink = bench.claimed().await;
        bench.server.kill().unwrap();
        bench.server.start_again().unwrap();
        // Whether the end of the session was seen already or not, this is the answer.
        let lost = deliver(&sink, vec![row("u-1", 1)]).await.unwrap_err();
        assert_eq!(lost.class, ErrorClass::Unavailable, "{lost}");
        // Even with a new session: a restored backup or a lagging standby may lack what was delivered.
        let not_compared = deliver(&sink, vec![row("u-1", 1)]).await.unwrap_err();
        assert_eq!(not_compared.class, ErrorClass::Unavailable, "{not_compared}");
        sink.claim(&inventory()).await.unwrap();
        assert_eq!(deliver(&sink, vec![row("u-1", 1)]).await.unwrap().written, 1);
    });
}

#[test]
fn a_request_that_the_server_gets_to_too_late_does_nothing() {
    run(async {
        let bench = own_server();
        let sink = bench.claimed().await;
        deliver(&sink, vec![row("u-1", 1)]).await.unwrap();
        let sessions = "SELECT string_agg(pid::text, ' ') FROM pg_stat_activity WHERE application_name = 'kollect'";
        let first = bench.sql(sessions);
        signal("STOP", &first);
        let (delivery, apps) = (super::upserts(vec![row("u-1", 666)]), inventory());
        let given_up = tokio::time::timeout(Duration::from_secs(1), sink.deliver(&apps, &delivery)).await;
        assert!(given_up.is_err(), "the session's process is stopped");
        // The request waits in the socket of the first session while a second one goes on.
        sink.claim(&inventory()).await.unwrap();
        deliver(&sink, vec![row("u-1", 2)]).await.unwrap();
        signal("CONT", &first);
        kollect_testbed::eventually(Duration::from_secs(10), "the first session has ended", || {
            (!bench.sql(sessions).contains(&first)).then_some(())
        })
        .unwrap();
        assert_eq!(bench.sql("SELECT payload->'attributes'->'replicas' FROM items"), "2");
    });
}

fn signal(name: &str, process: &str) {
    let sent = std::process::Command::new("kill")
        .args(["-s", name, process])
        .status()
        .unwrap();
    assert!(sent.success());
}

#[test]
fn a_server_that_is_silent_when_it_is_connected_to_ends_in_a_deadline() {
    run(async {
        let bench = own_server();
        bench.connect_by(&bench.url_with("connect_timeout=4"));
        let sink = bench.build(WRITER, "");
        bench.server.pause().unwrap();
        let asked = Instant::now();
        let silent = sink.claim(&inventory()).await.unwrap_err();
        assert_eq!(silent.class, ErrorClass::Unavailable, "{silent}");
        assert!(asked.elapsed() < Duration::from_secs(25), "{:?}", asked.elapsed());
        bench.server.resume().unwrap();
        sink.claim(&inventory()).await.unwrap();
    });
}

#[test]
fn a_call_that_meets_a_lock_ends_in_its_deadline_and_leaves_nothing_running() {
    run(async {
        let bench = own_server();
        let sink = bench.with_deadline(Duration::from_secs(3));
        sink.claim(&inventory()).await.unwrap();
        let (database, postgres) = (bench.database.clone(), bench.server.url(&bench.database));
        let mut holder = std::process::Command::new("psql")
            .args([
                "--no-psqlrc",
                "--quiet",
                "--command",
                "BEGIN; LOCK TABLE items_sync; SELECT pg_sleep(30)",
                &postgres,
            ])
            .spawn()
            .unwrap();
        let locked = format!(
            "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
             WHERE d.datname = '{database}' AND l.mode = 'AccessExclusiveLock' AND l.granted"
        );
        kollect_testbed::eventually(Duration::from_secs(10), "the table is locked", || {
            (bench.sql(&locked) != "0").then_some(())
        })
        .unwrap();
        let asked = Instant::now();
        let outcome = deliver(&sink, vec![row("u-1", 1)]).await;
        let took = asked.elapsed();
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
        kollect_testbed::eventually(
            Duration::from_secs(5),
            "the statement is cancelled at the server",
            || (bench.sql(waiting) == "0").then_some(()),
        )
        .unwrap();
        holder.kill().unwrap();
        holder.wait().unwrap();
        assert_eq!(outcome.unwrap_err().class, ErrorClass::Unavailable);
        assert!(took < Duration::from_secs(10), "{took:?}");
        assert_eq!(bench.sql("SELECT count(*) FROM items"), "0");
    });
}

#[test]
fn a_call_that_is_dropped_half_way_leaves_nothing_behind() {
    run(async {
        let bench = Bench::new();
        let sink = bench.claimed().await;
        for microseconds in [50, 500, 2_000, 10_000] {
            let rows = (0..5_000)
                .map(|number| row(&format!("u-{number:04}"), microseconds))
                .collect();
            let delivery = super::upserts(rows);
            let apps = inventory();
            let attempt = sink.deliver(&apps, &delivery);
            let _ = tokio::time::timeout(Duration::from_micros(microseconds.unsigned_abs()), attempt).await;
            sink.claim(&inventory()).await.unwrap();
            let generations = bench.sql("SELECT count(DISTINCT payload->'attributes'->'replicas') FROM items");
            assert!(
                ["0", "1"].contains(&generations.as_str()),
                "all of a delivery or nothing: {generations}"
            );
            deliver(&sink, vec![row("w", 1)]).await.unwrap();
            bench.sql("DELETE FROM items WHERE source_uid = 'w'");
        }
    });
}

#[test]
fn a_stream_that_is_dropped_half_way_does_not_spoil_the_next_call() {
    run(async {
        let bench = Bench::new();
        let sink = bench.claimed().await;
        deliver(
            &sink,
            (0..5_000).map(|number| row(&format!("u-{number:04}"), 1)).collect(),
        )
        .await
        .unwrap();
        let mut rows = sink.resume(&inventory(), "deploys");
        assert_eq!(rows.next().await.unwrap().unwrap().len(), 1_000);
        drop(rows);
        assert_eq!(deliver(&sink, vec![row("u-0000", 2)]).await.unwrap().written, 1);
        let rows: Vec<Vec<HeldRow>> = sink.resume(&inventory(), "deploys").try_collect().await.unwrap();
        assert_eq!(rows.iter().map(Vec::len).collect::<Vec<_>>(), [1_000; 5]);
    });
}

impl Bench {
    /// A sink that gives up sooner.
    fn with_deadline(&self, deadline: Duration) -> Arc<dyn Sink> {
        let policy = crate::endpoint::EndpointPolicy::parse(&["127.0.0.0/8"], &[]).unwrap();
        let factory = crate::postgres::PostgresSinkFactory::new(WRITER, self.secrets.clone(), Arc::new(policy));
        Arc::new(
            factory
                .sink(&super::sink_key(), &self.spec)
                .unwrap()
                .with_deadline(deadline),
        )
    }
}
