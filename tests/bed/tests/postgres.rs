//! The PostgreSQL server of the bed, started for real.

#![expect(clippy::unwrap_used, reason = "a test file: the helpers fail as its tests do")]

use std::net::TcpStream;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use kollect_testbed::{Postgres, eventually, required};

fn table_with_one_row(postgres: &Postgres) -> String {
    let database = postgres.create_database().unwrap();
    postgres
        .psql(
            &database,
            "CREATE TABLE kept (name text); INSERT INTO kept VALUES ('before');",
        )
        .unwrap();
    database
}

#[test]
fn postgres_answers_in_a_database_of_its_own_for_each_test() {
    if !required("postgres") {
        return;
    }
    let postgres = Postgres::shared().unwrap();
    let (one, other) = (postgres.create_database().unwrap(), postgres.create_database().unwrap());
    postgres.psql(&one, "CREATE TABLE mine (i int)").unwrap();
    let tables = "SELECT count(*) FROM pg_tables WHERE tablename = 'mine'";
    assert_eq!(postgres.psql(&one, tables).unwrap(), "1");
    assert_eq!(postgres.psql(&other, tables).unwrap(), "0");
}

#[test]
fn postgres_refuses_a_wrong_password_and_a_wrong_statement() {
    if !required("postgres") {
        return;
    }
    let postgres = Postgres::shared().unwrap();
    let error = postgres.psql("postgres", "SELECT no_such_column");
    let message = error.unwrap_err().to_string();
    assert!(message.contains("no_such_column"), "{message}");

    postgres
        .psql("postgres", "CREATE ROLE reader LOGIN PASSWORD 'right'")
        .unwrap();
    let url = postgres.url("postgres");
    let (_, host) = url.split_once('@').unwrap();
    let psql = |password: &str| {
        std::process::Command::new("psql")
            .args(["-X", "-w", "-c", "SELECT 1"])
            .arg(format!("postgres://reader:{password}@{host}"))
            .output()
            .unwrap()
    };
    assert!(psql("right").status.success());
    let refused = psql("wrong");
    assert!(!refused.status.success());
    let complaint = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(complaint.contains("password authentication failed"), "{complaint}");
}

#[test]
fn postgres_keeps_its_port_and_every_commit_when_stopped_and_when_killed() {
    if !required("postgres") {
        return;
    }
    let postgres = Postgres::start().unwrap();
    let database = table_with_one_row(&postgres);
    let url = postgres.url(&database);

    postgres.stop().unwrap();
    postgres.psql(&database, "SELECT 1").unwrap_err();
    postgres.start_again().unwrap();
    postgres.psql(&database, "INSERT INTO kept VALUES ('after')").unwrap();
    postgres.kill().unwrap();
    postgres.psql(&database, "SELECT 1").unwrap_err();
    postgres.start_again().unwrap();

    let rows = postgres.psql(&database, "SELECT name FROM kept ORDER BY name");
    assert_eq!(rows.unwrap(), "after\nbefore");
    assert_eq!(postgres.url(&database), url);
}

#[test]
fn a_paused_postgres_accepts_connections_and_is_silent_until_resumed() {
    if !required("postgres") {
        return;
    }
    let postgres = Postgres::start().unwrap();
    postgres.pause().unwrap();
    let started = Instant::now();
    postgres.psql("postgres", "SELECT 1").unwrap_err();
    // The client gave up by its own limit of 5 s: it was neither refused nor answered.
    assert!(started.elapsed() >= Duration::from_secs(4));
    postgres.resume().unwrap();
    assert_eq!(postgres.psql("postgres", "SELECT 1").unwrap(), "1");
}

#[test]
fn a_paused_postgres_also_silences_connections_that_are_open() {
    if !required("postgres") {
        return;
    }
    let postgres = Postgres::start().unwrap();
    let (answered, answer) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| answered.send(postgres.psql("postgres", "SELECT 1 FROM pg_sleep(3)")));
        eventually(Duration::from_secs(20), "the statement runs", || {
            let sql = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
            (postgres.psql("postgres", sql).unwrap() == "1").then_some(())
        })
        .unwrap();
        postgres.pause().unwrap();
        // Without the pause the answer would come within 3 s.
        let silence = answer.recv_timeout(Duration::from_secs(5));
        assert!(matches!(silence, Err(RecvTimeoutError::Timeout)), "{silence:?}");
        postgres.resume().unwrap();
        let late = answer.recv_timeout(Duration::from_secs(20)).unwrap();
        assert_eq!(late.unwrap(), "1");
    });
}

#[test]
fn a_postgres_with_tls_refuses_plain_connections_and_proves_its_name() {
    if !required("postgres") {
        return;
    }
    let postgres = Postgres::builder()
        .tls(&["127.0.0.1", "localhost"])
        .setting("application_name", "bed")
        .start()
        .unwrap();
    let Some(authority) = postgres.certificate_authority() else {
        // A server that exists already decides by itself about TLS.
        return;
    };
    let url = postgres.url("postgres");
    let connect = |mode: &str| {
        std::process::Command::new("psql")
            .args(["-X", "-A", "-t", "-w", "-c", "SHOW application_name"])
            .arg(url.replace("sslmode=require", mode))
            .env("PGSSLROOTCERT", authority)
            .env_remove("PGAPPNAME")
            .output()
            .unwrap()
    };
    assert!(connect("sslmode=verify-full").status.success());
    let plain = connect("sslmode=disable");
    assert!(!plain.status.success());
    let complaint = String::from_utf8_lossy(&plain.stderr).into_owned();
    assert!(complaint.contains("no encryption"), "{complaint}");
}

#[test]
fn a_dropped_postgres_is_gone_with_its_port_and_files() {
    if !required("postgres") {
        return;
    }
    let postgres = Postgres::start().unwrap();
    let url = postgres.url("postgres");
    let address = url.split_once('@').unwrap().1.split_once('/').unwrap().0;
    let data = postgres.psql("postgres", "SHOW data_directory").unwrap();
    assert!(TcpStream::connect(address).is_ok());
    assert!(std::path::Path::new(&data).exists());
    drop(postgres);
    assert!(TcpStream::connect(address).is_err());
    assert!(!std::path::Path::new(&data).exists());
}

#[test]
fn a_postgres_that_cannot_start_shows_the_end_of_its_log() {
    if !required("postgres") {
        return;
    }
    let broken = Postgres::builder().setting("shared_buffers", "nonsense").start();
    let message = broken.unwrap_err().to_string();
    assert!(message.starts_with("postgres ended at its start"), "{message}");
    assert!(
        message.contains(r#"invalid value for parameter "shared_buffers""#),
        "{message}"
    );
}
