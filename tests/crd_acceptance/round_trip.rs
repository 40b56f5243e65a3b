//! Objects of the API server, read into our types and written again.

use kollect_adapters::kube::crd::{
    KollectClusterInventory, KollectClusterScope, KollectClusterTarget, KollectConnectionTest, KollectDatabaseSink,
    KollectEventSink, KollectInventory, KollectProfile, KollectScope, KollectSnapshotSink, KollectTarget,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Fails unless our type says exactly what is stored: no field is lost, none is made up.
pub fn assert_nothing_is_lost(stored: &Value) {
    let kind = stored["kind"].as_str().unwrap();
    let written = match kind {
        "KollectClusterInventory" => through::<KollectClusterInventory>(stored),
        "KollectClusterScope" => through::<KollectClusterScope>(stored),
        "KollectClusterTarget" => through::<KollectClusterTarget>(stored),
        "KollectConnectionTest" => through::<KollectConnectionTest>(stored),
        "KollectDatabaseSink" => through::<KollectDatabaseSink>(stored),
        "KollectEventSink" => through::<KollectEventSink>(stored),
        "KollectInventory" => through::<KollectInventory>(stored),
        "KollectProfile" => through::<KollectProfile>(stored),
        "KollectScope" => through::<KollectScope>(stored),
        "KollectSnapshotSink" => through::<KollectSnapshotSink>(stored),
        "KollectTarget" => through::<KollectTarget>(stored),
        other => panic!("{other} is not a kind of ours"),
    };
    let name = &stored["metadata"]["name"];
    assert_eq!(
        written["spec"],
        with_sink_refs_as_objects(kind, &stored["spec"]),
        "spec of {kind} {name}"
    );
    assert_eq!(written["status"], stored["status"], "status of {kind} {name}");
}

fn through<K: DeserializeOwned + Serialize>(stored: &Value) -> Value {
    let read: K = serde_json::from_value(stored.clone()).unwrap();
    serde_json::to_value(read).unwrap()
}

/// The one thing that is written differently from how it may be stored.
fn with_sink_refs_as_objects(kind: &str, spec: &Value) -> Value {
    let mut spec = spec.clone();
    if kind.ends_with("Inventory") {
        for list in ["snapshotSinkRefs", "databaseSinkRefs", "eventSinkRefs"] {
            let elements = spec.get_mut(list).and_then(Value::as_array_mut);
            for element in elements.into_iter().flatten().filter(|element| element.is_string()) {
                *element = json!({ "name": element });
            }
        }
    }
    spec
}
