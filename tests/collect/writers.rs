//! Other writers, and other databases.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::time::Duration;

use kollect_testbed::Postgres;
use serde_json::Value;

use crate::database::{payloads, rows};
use crate::manifests::{config_map, deployment, put};
use crate::program::{Ended, kollect, sqlite, text};

/// A server that does not let somebody in is given up within this time, its retries included.
const GIVES_UP: Duration = Duration::from_mins(1);

fn manifests() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "a.json", &config_map("a", "zwölf \\ \" \u{1f94a}"));
    put(folder.path(), "b.json", &config_map("b", "2"));
    put(folder.path(), "web.json", &deployment("web", "shop/main:1.0"));
    folder
}

fn collect(folder: &tempfile::TempDir, more: &[&str]) -> Ended {
    let from = ["collect", "--from", text(folder.path())];
    kollect(&[&from[..], more].concat())
}

#[test]
fn a_second_cluster_under_the_same_label_is_refused() {
    let folder = manifests();
    let file = folder.path().join("inventory.db");
    let to = sqlite(&file);
    let write = |id: &str| collect(&folder, &["--cluster", "prod", "--to", &to, "--cluster-id", id]);
    write("first").complete();
    let before = rows(&file);
    put(folder.path(), "a.json", &config_map("a", "changed"));
    write("second").failed(
        2,
        &[
            "is written by another cluster (identity first, this is second)",
            "set a different cluster label",
        ],
    );
    assert_eq!(rows(&file), before);
    write("first").complete();
    assert_ne!(rows(&file), before);
}

#[test]
fn clusters_under_labels_of_their_own_share_a_file() {
    let folder = manifests();
    let file = folder.path().join("inventory.db");
    for label in ["eu", "us"] {
        collect(&folder, &["--cluster", label, "--to", &sqlite(&file)]).complete();
    }
    let clusters: Vec<String> = rows(&file).into_keys().map(|[cluster, ..]| cluster).collect();
    assert_eq!(clusters, ["eu", "eu", "eu", "us", "us", "us"]);
}

#[test]
fn postgres_gets_the_rows_that_a_file_gets() {
    let postgres = Postgres::shared().unwrap();
    let database = postgres.create_database().unwrap();
    let folder = manifests();
    let file = folder.path().join("inventory.db");
    let url = postgres.url(&database);
    for destination in [sqlite(&file), url.clone()] {
        collect(&folder, &["--to", &destination]).complete();
    }
    let stored = |column: &str| {
        let select = format!("SELECT {column} FROM inventory ORDER BY 1");
        postgres.psql(&database, &select).unwrap()
    };
    let in_file = payloads(&file);
    assert_eq!(
        by_uid(stored("payload").lines()),
        by_uid(in_file.iter().map(String::as_str))
    );
    assert_eq!(in_file.len(), 3);
    let times = stored("exported_at");
    collect(&folder, &["--to", &url]).complete();
    let times_again = stored("exported_at");
    let written_again = times_again.lines().filter(|time| !times.contains(time));
    // One row of an inventory is touched now and then, so that its newest time tells that it is current.
    assert!(written_again.count() <= 1, "{times} {times_again}");
}

/// Rows whatever the order of their members is, which the server chooses.
fn by_uid<'a>(payloads: impl Iterator<Item = &'a str>) -> BTreeMap<String, Value> {
    let parsed = payloads.map(|payload| serde_json::from_str::<Value>(payload).unwrap());
    parsed.map(|row| (row["uid"].to_string(), row)).collect()
}

/// A password that nobody could write by chance.
const SECRET: &str = "pa55-of-nobody";

/// The URL with another password and, if given, port.
fn disguised(url: &str, port: Option<u16>) -> String {
    let (scheme, rest) = url.split_once("://").unwrap();
    let (user, address) = rest.rsplit_once('@').unwrap();
    let user = user.split(':').next().unwrap();
    let (host, path) = address.split_once('/').unwrap();
    let host = port.map_or_else(|| host.to_owned(), |port| format!("127.0.0.1:{port}"));
    format!("{scheme}://{user}:{SECRET}@{host}/{path}")
}

fn assert_given_up(url: &str, words: &[&str]) {
    for level in ["error", "trace"] {
        let ended = collect(&manifests(), &["--to", url, "--log-level", level]);
        ended.failed(2, words);
        assert!(ended.took < GIVES_UP, "{:?}", ended.took);
        for output in [&ended.stdout, &ended.stderr] {
            assert!(!output.contains(SECRET), "the password is told: {output}");
        }
    }
}

#[test]
fn a_wrong_password_is_told_without_the_password() {
    let postgres = Postgres::shared().unwrap();
    let url = disguised(&postgres.url(&postgres.create_database().unwrap()), None);
    assert_given_up(&url, &["is not written", "password"]);
}

#[test]
fn a_database_that_is_not_there_is_given_up_in_time() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = disguised("postgres://somebody:x@127.0.0.1/fleet", Some(nobody));
    assert_given_up(&url, &["is not written", "refused"]);
}

#[test]
fn a_file_that_is_no_database_is_left_as_it_is() {
    let folder = manifests();
    let file = folder.path().join("notes.txt");
    let notes = "these are notes, not rows\n".repeat(100);
    std::fs::write(&file, &notes).unwrap();
    collect(&folder, &["--to", &sqlite(&file)]).failed(2, &["not a SQLite database", text(&file)]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), notes);
}
