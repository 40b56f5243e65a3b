//! What the API server adds to an object.

use serde_json::{Value, json};

use crate::api::{Api, object};

fn stored(kind: &str, spec: &Value) -> Value {
    let arguments = [
        "apply",
        "--dry-run=server",
        "--validate=strict",
        "-o",
        "json",
        "-f",
        "-",
    ];
    let object = object(kind, "defaults", "smallest", spec).to_string();
    Api::shared().json(&arguments, &object)["spec"].clone()
}

#[test]
fn defaults_that_the_api_promises_are_stored() {
    assert_eq!(
        stored("KollectInventory", &json!({})),
        json!({"exportMinInterval": "30s"})
    );
    let selector = json!({"matchLabels": {"inventory": "tracked"}});
    assert_eq!(
        stored("KollectClusterInventory", &json!({"namespaceSelector": selector})),
        json!({
            "namespaceSelector": selector,
            "exportMinInterval": "30s",
            "dedupe": "keepAll",
            "sinkNamespace": "kollect-system",
        })
    );
    assert_eq!(
        stored("KollectTarget", &json!({"profileRef": "images"})),
        json!({"profileRef": "images", "watchMode": "All"})
    );
    assert_eq!(
        stored("KollectConnectionTest", &json!({"sinkRef": {"eventSinkRef": "feed"}})),
        json!({"sinkRef": {"eventSinkRef": "feed"}, "ttlSecondsAfterFinished": 300})
    );
    let kind = json!({"version": "v1", "kind": "Service"});
    let attributes = json!([{"name": "type", "path": "$.spec.type"}]);
    assert_eq!(
        stored(
            "KollectProfile",
            &json!({"targetGVK": kind, "attributes": attributes, "export": {}})
        ),
        json!({
            "targetGVK": kind,
            "attributes": attributes,
            "export": {"mode": "Attributes", "as": "resource", "include": "SpecAndStatus"},
        })
    );
}

#[test]
fn nothing_else_is_added_so_what_the_author_left_out_stays_known() {
    for (kind, spec) in [
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
    ] {
        assert_eq!(stored(kind, &spec), spec, "{kind}");
    }
}

#[test]
fn null_is_the_same_as_left_out() {
    assert_eq!(
        stored(
            "KollectInventory",
            &json!({"exportMinInterval": null, "maxExportBytes": null, "databaseSinkRefs": null})
        ),
        json!({"exportMinInterval": "30s"})
    );
}
