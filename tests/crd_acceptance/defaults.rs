//! What the API server adds to an object.

use serde_json::{Value, json};

use crate::api::{Api, object};

/// A kind, what is written as its spec, and what is stored.
type Row = (&'static str, Value, Value);

#[test]
fn defaults_are_stored_where_the_api_promises_them_and_what_else_is_left_out_stays_known() {
    let Some(api) = Api::shared() else { return };
    let rows: Vec<Row> = promised().into_iter().chain(left_out()).collect();
    let objects: Vec<String> = rows
        .iter()
        .zip(0..)
        .map(|((kind, spec, _), number)| object(kind, "defaults", &format!("smallest-{number}"), spec).to_string())
        .collect();
    let arguments = [
        "apply",
        "--dry-run=server",
        "--validate=strict",
        "-o",
        "json",
        "-f",
        "-",
    ];
    let stored = api.json(&arguments, &objects.join("\n"));
    let stored = stored["items"].as_array().unwrap();
    assert_eq!(stored.len(), rows.len());
    for (stored, (kind, written, expected)) in stored.iter().zip(&rows) {
        assert_eq!(&stored["spec"], expected, "{kind} {written}");
    }
}

fn promised() -> Vec<Row> {
    let selector = json!({"matchLabels": {"inventory": "tracked"}});
    let kind = json!({"version": "v1", "kind": "Service"});
    let attributes = json!([{"name": "type", "path": "$.spec.type"}]);
    vec![
        ("KollectInventory", json!({}), json!({"exportMinInterval": "30s"})),
        (
            "KollectInventory",
            json!({"exportMinInterval": null, "maxExportBytes": null, "databaseSinkRefs": null}),
            json!({"exportMinInterval": "30s"}),
        ),
        (
            "KollectClusterInventory",
            json!({"namespaceSelector": selector}),
            json!({
                "namespaceSelector": selector,
                "exportMinInterval": "30s",
                "dedupe": "keepAll",
                "sinkNamespace": "kollect-system",
            }),
        ),
        (
            "KollectTarget",
            json!({"profileRef": "images"}),
            json!({"profileRef": "images", "watchMode": "All"}),
        ),
        (
            "KollectConnectionTest",
            json!({"sinkRef": {"eventSinkRef": "feed"}}),
            json!({"sinkRef": {"eventSinkRef": "feed"}, "ttlSecondsAfterFinished": 300}),
        ),
        (
            "KollectProfile",
            json!({"targetGVK": kind, "attributes": attributes, "export": {}}),
            json!({
                "targetGVK": kind,
                "attributes": attributes,
                "export": {"mode": "Attributes", "as": "resource", "include": "SpecAndStatus"},
            }),
        ),
    ]
}

fn left_out() -> Vec<Row> {
    let specs = [
        ("KollectScope", json!({})),
        ("KollectClusterScope", json!({})),
        (
            "KollectProfile",
            json!({"targetGVK": {"version": "v1", "kind": "Service"}}),
        ),
        (
            "KollectSnapshotSink",
            json!({
                "type": "git",
                "git": {"author": {}, "auth": {}},
                "layout": {"index": {}, "filename": {}},
                "serialization": {},
                "provisioning": {},
                "tls": {},
            }),
        ),
        (
            "KollectDatabaseSink",
            json!({"type": "sqlite", "sqlite": {"file": "a.db", "table": "rows"}, "history": {}}),
        ),
        ("KollectEventSink", json!({"type": "nats", "nats": {"subject": "rows"}})),
        (
            "KollectClusterTarget",
            json!({
                "profileRef": {"name": "images", "namespace": "kollect-system"},
                "namespaceSelector": {"matchLabels": {"inventory": "tracked"}},
            }),
        ),
    ];
    specs.map(|(kind, spec)| (kind, spec.clone(), spec)).into()
}
