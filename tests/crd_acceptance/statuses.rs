//! Statuses with every field that there is.

use serde_json::{Value, json};

use crate::api::{Api, object};
use crate::round_trip::assert_nothing_is_lost;

/// A condition.
pub fn condition(kind: &str, status: &str, reason: &str) -> Value {
    json!({
        "type": kind,
        "status": status,
        "reason": reason,
        "message": "",
        "lastTransitionTime": "2026-01-02T03:04:05Z",
        "observedGeneration": 1,
    })
}

/// An object, to be created and to be given a status.
pub fn with_status(kind: &str, namespace: &str, name: &str, spec: &Value, status: &Value) -> Value {
    let mut object = object(kind, namespace, name, spec);
    object["status"] = status.clone();
    object
}

/// Creates objects and writes their statuses; gives what is then stored, in the same order.
pub fn store(api: &Api, objects: &[Value]) -> Vec<Value> {
    let text = objects.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    api.run(&["apply", "--validate=strict", "-f", "-"], &text);
    let arguments = [
        "replace",
        "--subresource=status",
        "--validate=strict",
        "-o",
        "json",
        "-f",
        "-",
    ];
    let stored = api.run(&arguments, &text);
    serde_json::Deserializer::from_str(&stored)
        .into_iter::<Value>()
        .map(Result::unwrap)
        .collect()
}

const NOW: &str = "2026-01-02T03:04:05Z";

#[test]
fn every_field_of_a_status_is_kept_by_the_api_server_and_by_our_types() {
    let Some(api) = Api::shared() else { return };
    let selector = json!({"matchLabels": {"inventory": "tracked"}});
    let profile_ref = json!({"name": "images", "namespace": "kollect-system"});
    let rows = [
        (
            "KollectProfile",
            json!({"targetGVK": {"version": "v1", "kind": "Service"}}),
            profile(),
        ),
        ("KollectTarget", json!({"profileRef": "images"}), target()),
        ("KollectInventory", json!({}), inventory()),
        (
            "KollectConnectionTest",
            json!({"sinkRef": {"eventSinkRef": "feed"}}),
            connection_test(),
        ),
        ("KollectSnapshotSink", json!({"type": "git"}), sink()),
        (
            "KollectDatabaseSink",
            json!({"type": "sqlite", "sqlite": {"file": "a", "table": "b"}}),
            sink(),
        ),
        (
            "KollectEventSink",
            json!({"type": "nats", "nats": {"subject": "a"}}),
            sink(),
        ),
        (
            "KollectClusterTarget",
            json!({"profileRef": profile_ref, "namespaceSelector": selector}),
            target(),
        ),
        (
            "KollectClusterInventory",
            json!({"namespaceSelector": selector}),
            cluster_inventory(),
        ),
    ];
    let objects = rows.map(|(kind, spec, status)| with_status(kind, "team-a", "every-field", &spec, &status));
    let stored = store(api, &objects);
    assert_eq!(stored.len(), objects.len());
    for (stored, written) in stored.iter().zip(&objects) {
        assert_eq!(stored["status"], written["status"], "{}", written["kind"]);
        assert_nothing_is_lost(stored);
    }
}

fn profile() -> Value {
    json!({"conditions": [condition("Ready", "True", "Compiled")], "observedGeneration": 1})
}

fn target() -> Value {
    json!({
        "conditions": [condition("Degraded", "True", "ExtractionFailed")],
        "observedGeneration": 1,
        "itemCount": 41,
        "extractionFailures": 2,
        "lastExtractionError": "Service team-a/web: attribute type: no match",
        "matchedNamespaces": ["team-a", "team-b"],
        "effectiveNamespaces": ["team-a"],
        "activeResourceRules": 0,
    })
}

fn sink_exports() -> Value {
    json!([{
        "name": "database/lake",
        "namespace": "team-a",
        "lastExportTime": NOW,
        "lastChecksum": "sha256:0a",
        "conditions": [condition("Synced", "True", "Exported")],
    }])
}

fn inventory() -> Value {
    json!({
        "conditions": [condition("Synced", "True", "Exported")],
        "observedGeneration": 1,
        "itemCount": 41,
        "lastExportTime": NOW,
        "sinkExports": sink_exports(),
    })
}

fn cluster_inventory() -> Value {
    json!({
        "conditions": [condition("Synced", "True", "RolledUp")],
        "observedGeneration": 1,
        "itemCount": 41,
        "targetCount": 2,
        "namespaceShardCount": 1,
        "namespaceShards": [{"namespace": "team-a", "itemCount": 41, "targetCount": 2, "checksum": "sha256:0a"}],
        "lastExportTime": NOW,
        "sinkExports": sink_exports(),
    })
}

fn connection_test() -> Value {
    json!({
        "conditions": [condition("ConnectionVerified", "False", "SinkNotFound")],
        "observedGeneration": 1,
        "latencyMs": 12,
        "completed": true,
        "completedAt": NOW,
    })
}

fn sink() -> Value {
    json!({
        "conditions": [condition("TLSInsecure", "True", "InsecureSkipVerify")],
        "observedGeneration": 1,
        "preview": {
            "renderedAt": NOW,
            "inputSampleSource": "synthetic",
            "provisioningMode": "ensure",
            "serializationFormat": "yaml",
            "objectPath": "inventory/team-a/api.yaml",
            "git": {"sampleCommitSubject": "subject", "sampleCommitBody": "body"},
            "layout": {"mode": "split", "content": "item", "prune": true, "samplePaths": ["a.yaml", "b.yaml"]},
            "postgres": {"expectedDDL": "CREATE TABLE rows ()"},
            "mongodb": {"expectedIndexKeys": ["inventory_namespace", "inventory_name", "target_name", "source_uid"]},
            "kafka": {"topic": "rows"},
            "warnings": ["the destination must exist"],
        },
    })
}
