//! Rows about inventories and the cluster kinds.

use serde_json::{Value, json};

use super::Expected::{Accepted, LeftTo, Refused};
use super::Rows;

fn refs(prefix: &str, count: usize) -> Value {
    (0..count).map(|index| json!(format!("{prefix}-{index}"))).collect()
}

pub fn inventories() -> Rows {
    let rows = [
        (json!({"databaseSinkRefs": ["lake"]}), Accepted),
        (json!({"databaseSinkRefs": [{"name": "lake"}]}), Accepted),
        (json!({"databaseSinkRefs": ["lake", {"name": "warehouse"}]}), Accepted),
        (
            json!({"databaseSinkRefs": ["lake"], "snapshotSinkRefs": [{"name": "lake"}]}),
            Accepted,
        ),
        (
            json!({"databaseSinkRefs": [""]}),
            Refused("should be at least 1 chars long"),
        ),
        (json!({"databaseSinkRefs": [true]}), Refused("spec.databaseSinkRefs[0]")),
        (
            json!({"databaseSinkRefs": [["lake"]]}),
            Refused("spec.databaseSinkRefs[0]"),
        ),
        (
            json!({"databaseSinkRefs": [{}]}),
            Refused("spec.databaseSinkRefs[0].name: Required value"),
        ),
        (
            json!({"databaseSinkRefs": [{"name": "lake", "namespace": "x"}]}),
            Refused("spec.databaseSinkRefs[0].namespace"),
        ),
        (
            json!({"databaseSinkRefs": [{"name": "lake", "exportMinInterval": "1d"}]}),
            Refused("spec.databaseSinkRefs[0].exportMinInterval"),
        ),
        (
            json!({"databaseSinkRefs": [{"name": "lake", "exportMinInterval": 30}]}),
            Refused("spec.databaseSinkRefs[0].exportMinInterval"),
        ),
        (
            json!({"databaseSinkRefs": [{"name": "lake", "maxExportBytes": 0}]}),
            Refused("spec.databaseSinkRefs[0].maxExportBytes"),
        ),
        (
            json!({"databaseSinkRefs": [{"name": "lake", "deletionPolicy": "Keep"}]}),
            Refused("spec.databaseSinkRefs[0].deletionPolicy: Unsupported value"),
        ),
        (json!({"snapshotSinkRefs": refs("snapshot", 20)}), Accepted),
        (
            json!({"snapshotSinkRefs": refs("snapshot", 21)}),
            Refused("spec.snapshotSinkRefs: Too many"),
        ),
        (
            json!({"snapshotSinkRefs": refs("snapshot", 7), "databaseSinkRefs": refs("database", 7), "eventSinkRefs": refs("event", 7)}),
            LeftTo("the decoder: a rule cannot see lists whose elements have no type"),
        ),
        (
            json!({"databaseSinkRefs": ["lake", "lake"]}),
            LeftTo("the decoder, for the same reason"),
        ),
        (
            json!({"databaseSinkRefs": ["team-b/lake"]}),
            LeftTo("the decoder, for the same reason"),
        ),
        (json!({"exportMinInterval": "24h"}), Accepted),
        (json!({"exportMinInterval": "0"}), Accepted),
        (json!({"exportMinInterval": "1h0m0s"}), Accepted),
        (json!({"exportMinInterval": "1500µs"}), Accepted),
        (json!({"exportMinInterval": "86400000000000ns"}), Accepted),
        (json!({"exportMinInterval": ".5h29m59.12345678901s"}), Accepted),
        (
            json!({"exportMinInterval": "24h0m1s"}),
            Refused("must be between 0s and 24h"),
        ),
        (
            json!({"exportMinInterval": "-1s"}),
            Refused("must be between 0s and 24h"),
        ),
        (json!({"exportMinInterval": "1d"}), Refused("should match")),
        (
            json!({"exportMinInterval": "9999999999h"}),
            Refused("spec.exportMinInterval"),
        ),
        // A floor of a scope above the default raises the interval at run time; it is not an error.
        (json!({}), Accepted),
        (json!({"maxExportBytes": 0}), Refused("spec.maxExportBytes")),
        (json!({"maxExportBytes": 1_572_864}), Accepted),
        (
            json!({"maxExportBytes": 1_572_865}),
            LeftTo("admission: the limit is a flag of the operator"),
        ),
        (
            json!({"httpEndpoint": {"port": 65_536}}),
            Refused("spec.httpEndpoint.port"),
        ),
        (json!({"deletionPolicy": "Retain"}), Accepted),
    ];
    rows.map(|(spec, expected)| ("KollectInventory", spec, expected)).into()
}

pub fn cluster_kinds() -> Rows {
    let selector = json!({"matchExpressions": [{"key": "team", "operator": "Exists"}]});
    let profile = json!({"name": "images", "namespace": "kollect-system"});
    const INVENTORY: &str = "KollectClusterInventory";
    const TARGET: &str = "KollectClusterTarget";
    const MISSING: &str = "spec.namespaceSelector: Required value";
    vec![
        (INVENTORY, json!({"namespaceSelector": selector}), Accepted),
        (INVENTORY, json!({"namespaces": ["team-a"]}), Refused(MISSING)),
        (INVENTORY, json!({"namespaceSelector": {}}), Refused(MISSING)),
        (
            INVENTORY,
            json!({"namespaceSelector": {"matchLabels": {}, "matchExpressions": []}}),
            Refused(MISSING),
        ),
        (
            INVENTORY,
            json!({"namespaceSelector": selector, "profileRef": {"name": "a"}}),
            Refused("spec.profileRef.namespace: Required value"),
        ),
        (
            INVENTORY,
            json!({"namespaceSelector": selector, "databaseSinkRefs": [{"name": "lake", "namespace": "team-a"}, {"name": "lake", "namespace": "team-b"}]}),
            Accepted,
        ),
        (
            INVENTORY,
            json!({"namespaceSelector": selector, "namespaces": [" team-a"]}),
            Refused("spec.namespaces[0]"),
        ),
        (
            INVENTORY,
            json!({"namespaceSelector": selector, "namespaces": ["a", "a"]}),
            Refused("spec.namespaces[1]: Duplicate value"),
        ),
        (
            INVENTORY,
            json!({"namespaceSelector": selector, "targetRefs": [""]}),
            Refused("spec.targetRefs[0]"),
        ),
        (
            INVENTORY,
            json!({"namespaceSelector": selector, "dedupe": "byName"}),
            Refused("spec.dedupe: Unsupported value"),
        ),
        (
            INVENTORY,
            json!({"namespaceSelector": selector, "sinkNamespace": "a/b"}),
            Refused("spec.sinkNamespace"),
        ),
        (
            TARGET,
            json!({"profileRef": profile, "namespaceSelector": selector}),
            Accepted,
        ),
        (TARGET, json!({"profileRef": profile}), Refused(MISSING)),
        (
            TARGET,
            json!({"profileRef": profile, "namespaceSelector": {}}),
            Refused(MISSING),
        ),
        (
            TARGET,
            json!({"profileRef": {"name": "images"}, "namespaceSelector": selector}),
            Refused("spec.profileRef.namespace"),
        ),
        (
            TARGET,
            json!({"profileRef": {"name": "images", "namespace": ""}, "namespaceSelector": selector}),
            Refused("spec.profileRef.namespace"),
        ),
        (
            TARGET,
            json!({"profileRef": {"name": "team-a/images", "namespace": "team-a"}, "namespaceSelector": selector}),
            Refused("spec.profileRef.name"),
        ),
        (
            "KollectClusterScope",
            json!({}),
            LeftTo("admission: only the operator knows whether it serves one tenant"),
        ),
    ]
}
