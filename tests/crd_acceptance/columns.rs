//! What `kubectl get` shows.

use serde_json::{Value, json};

use crate::api::Api;
use crate::statuses::{condition, store, with_status};

const NAMESPACE: &str = "columns";

/// Long enough ago that the age is given in years.
const LONG_AGO: &str = "2001-02-03T04:05:06Z";

/// One row of a table: cells by column.
type Row = Vec<(String, String)>;

#[test]
fn the_category_shows_every_kind_with_columns_that_tell_its_state() {
    let Some(api) = Api::shared() else { return };
    store(api, &objects());
    let tables = api.run(&["get", "kollect", "-n", NAMESPACE], "");
    let rows: Vec<Row> = tables.split("\n\n").flat_map(parse).collect();
    for (name, cells) in expected() {
        let row = rows
            .iter()
            .find(|row| row[0].1 == name)
            .unwrap_or_else(|| panic!("{name} is not in {tables}"));
        let columns: Vec<&str> = row.iter().map(|(column, _)| column.as_str()).collect();
        let names: Vec<&str> = cells.iter().map(|(column, _)| *column).collect();
        assert_eq!(columns[1..], names, "columns of {name}");
        for ((column, cell), (_, wanted)) in row[1..].iter().zip(&cells) {
            match *wanted {
                SECONDS => assert!(cell.ends_with('s'), "{name} {column}: {cell:?} is no age of seconds"),
                YEARS => assert!(cell.contains('y'), "{name} {column}: {cell:?} is no age of years"),
                wanted => assert_eq!(cell, wanted, "{name} {column}"),
            }
        }
    }
}

/// An object that was just made; the test takes seconds.
const SECONDS: &str = "<seconds>";
const YEARS: &str = "<years>";

fn objects() -> Vec<Value> {
    let row = |kind: &str, name: &str, spec: &Value, status: &Value| with_status(kind, NAMESPACE, name, spec, status);
    let profile = json!({"targetGVK": {"group": "apps", "version": "v1", "kind": "Deployment"}});
    let target = json!({"profileRef": "images"});
    // The columns may not depend on the order of the conditions.
    let ready = json!({
        "itemCount": 42,
        "conditions": [
            condition("Synced", "True", "ScopeForbidden"),
            condition("SinkReachable", "True", "SinksReachable"),
            condition("Ready", "True", "Collecting"),
        ],
    });
    let degraded = json!({
        "itemCount": 7,
        "conditions": [condition("SinkReachable", "False", "SinkNotFound"), condition("Degraded", "True", "ProfileNotFound")],
    });
    let exported = json!({
        "itemCount": 42,
        "lastExportTime": LONG_AGO,
        "conditions": [condition("Ready", "True", "Exported"), condition("Synced", "True", "Exported")],
    });
    let mut rolled_up = exported.clone();
    rolled_up["targetCount"] = 3.into();
    let failing = json!({
        "itemCount": 42,
        "conditions": [condition("Degraded", "True", "SinkUnreachable"), condition("Synced", "False", "SinkUnreachable")],
    });
    let verified = json!({"conditions": [condition("ConnectionVerified", "True", "ConnectionOK")]});
    let refused = json!({
        "conditions": [condition("Degraded", "True", "SecretResolveFailed"), condition("ConnectionVerified", "False", "SecretResolveFailed")],
    });
    let selector = json!({"matchLabels": {"inventory": "tracked"}});
    let cluster_target =
        json!({"profileRef": {"name": "images", "namespace": "columns"}, "namespaceSelector": selector});
    vec![
        row(
            "KollectProfile",
            "good",
            &profile,
            &json!({"conditions": [condition("Ready", "True", "Compiled")]}),
        ),
        row(
            "KollectProfile",
            "bad",
            &profile,
            &json!({"conditions": [condition("Ready", "False", "InvalidPath")]}),
        ),
        row("KollectTarget", "ready", &target, &ready),
        row("KollectTarget", "degraded", &target, &degraded),
        row("KollectTarget", "new", &target, &json!({})),
        row("KollectClusterTarget", "columns-degraded", &cluster_target, &degraded),
        row("KollectInventory", "exported", &json!({}), &exported),
        row("KollectInventory", "failing", &json!({}), &failing),
        row(
            "KollectClusterInventory",
            "columns-exported",
            &json!({"namespaceSelector": selector}),
            &rolled_up,
        ),
        row("KollectSnapshotSink", "repository", &json!({"type": "git"}), &verified),
        row(
            "KollectDatabaseSink",
            "lake",
            &json!({"type": "sqlite", "sqlite": {"file": "a", "table": "b"}}),
            &refused,
        ),
        row(
            "KollectEventSink",
            "feed",
            &json!({"type": "nats", "nats": {"subject": "a"}}),
            &verified,
        ),
        row(
            "KollectConnectionTest",
            "probe",
            &json!({"sinkRef": {"databaseSinkRef": "lake"}}),
            &refused,
        ),
    ]
}

fn expected() -> Vec<(&'static str, Vec<(&'static str, &'static str)>)> {
    let sink = |kind, verified, reason| {
        vec![
            ("TYPE", kind),
            ("VERIFIED", verified),
            ("REASON", reason),
            ("AGE", SECONDS),
        ]
    };
    let target = |ready, reason, items| {
        vec![
            ("PROFILE", "images"),
            ("READY", ready),
            ("REASON", reason),
            ("ITEMS", items),
            ("AGE", SECONDS),
        ]
    };
    let profile = |ready, reason| {
        vec![
            ("KIND", "Deployment"),
            ("READY", ready),
            ("REASON", reason),
            ("AGE", SECONDS),
        ]
    };
    let inventory = |synced, reason, last| {
        vec![
            ("ITEMS", "42"),
            ("SYNCED", synced),
            ("REASON", reason),
            ("LAST EXPORT", last),
            ("AGE", SECONDS),
        ]
    };
    let mut cluster_inventory = inventory("True", "Exported", YEARS);
    cluster_inventory.insert(1, ("TARGETS", "3"));
    vec![
        ("kollectprofile.kollect.dev/good", profile("True", "Compiled")),
        ("kollectprofile.kollect.dev/bad", profile("False", "InvalidPath")),
        ("kollecttarget.kollect.dev/ready", target("True", "Collecting", "42")),
        ("kollecttarget.kollect.dev/degraded", target("", "ProfileNotFound", "7")),
        ("kollecttarget.kollect.dev/new", target("", "", "")),
        (
            "kollectclustertarget.kollect.dev/columns-degraded",
            target("", "ProfileNotFound", "7"),
        ),
        (
            "kollectinventory.kollect.dev/exported",
            inventory("True", "Exported", YEARS),
        ),
        (
            "kollectinventory.kollect.dev/failing",
            inventory("False", "SinkUnreachable", ""),
        ),
        (
            "kollectclusterinventory.kollect.dev/columns-exported",
            cluster_inventory,
        ),
        (
            "kollectsnapshotsink.kollect.dev/repository",
            sink("git", "True", "ConnectionOK"),
        ),
        (
            "kollectdatabasesink.kollect.dev/lake",
            sink("sqlite", "False", "SecretResolveFailed"),
        ),
        (
            "kollecteventsink.kollect.dev/feed",
            sink("nats", "True", "ConnectionOK"),
        ),
        (
            "kollectconnectiontest.kollect.dev/probe",
            vec![
                ("SNAPSHOT", ""),
                ("DATABASE", "lake"),
                ("EVENT", ""),
                ("VERIFIED", "False"),
                ("REASON", "SecretResolveFailed"),
                ("AGE", SECONDS),
            ],
        ),
    ]
}

/// The rows of one table. A column begins where its header does; headers are two blanks apart at least.
fn parse(table: &str) -> Vec<Row> {
    let mut lines = table.lines();
    let header = lines.next().unwrap_or_default();
    let begins = |&(start, character): &(usize, char)| character != ' ' && header[..start].ends_with("  ");
    let starts: Vec<usize> = [0]
        .into_iter()
        .chain(header.char_indices().filter(begins).map(|(start, _)| start))
        .collect();
    let cut = |line: &str| -> Vec<String> {
        let ends = starts.iter().skip(1).copied().chain([line.len()]);
        let ranges = starts.iter().zip(ends);
        ranges
            .map(|(&start, end)| line.get(start..end.min(line.len())).unwrap_or("").trim().to_owned())
            .collect()
    };
    let names = cut(header);
    lines
        .map(|line| names.iter().cloned().zip(cut(line)).collect())
        .collect()
}
