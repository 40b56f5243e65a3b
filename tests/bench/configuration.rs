//! What the operator is told to do: one profile of six attributes, one target, one inventory in one database.

use serde_json::{Value, json};

use crate::deployment;

/// Namespace of the operator's resources.
pub const NAMESPACE: &str = "bench";
/// Name of the Secret that says which database is written to.
pub const SECRET: &str = "database";
/// Name of the target, which is a column of each row.
pub const TARGET: &str = "deployments";
/// Name of the inventory, which is a column of each row.
pub const INVENTORY: &str = "everything";
/// The table that the rows are in.
pub const TABLE: &str = "kollect_rows";

/// All resources, as kubectl takes them.
pub fn manifests() -> String {
    let namespaces = (0..deployment::NAMESPACES)
        .map(deployment::namespace)
        .chain([NAMESPACE.to_owned()])
        .map(|name| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}));
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": SECRET, "namespace": NAMESPACE}
    });
    let ours = [
        resource("KollectProfile", "deployments", &profile()),
        resource("KollectTarget", TARGET, &json!({"profileRef": "deployments"})),
        resource("KollectDatabaseSink", "warehouse", &sink()),
        resource(
            "KollectInventory",
            INVENTORY,
            &json!({"databaseSinkRefs": ["warehouse"]}),
        ),
    ];
    let items: Vec<Value> = namespaces.chain([secret]).chain(ours).collect();
    json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()
}

fn resource(kind: &str, name: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": "kollect.dev/v1alpha1",
        "kind": kind,
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": spec,
    })
}

fn profile() -> Value {
    json!({
        "targetGVK": {"group": "apps", "version": "v1", "kind": "Deployment"},
        "attributes": [
            {"name": "replicas", "path": "$.spec.replicas", "type": "int"},
            {"name": "owner", "path": "$.metadata.labels.owner", "type": "string"},
            {"name": "image", "path": "$.spec.template.spec.containers[0].image", "type": "string"},
            {"name": "images", "path": "$.spec.template.spec.containers[*].image", "type": "list"},
            {"name": "containers", "path": "cel:size(object.spec.template.spec.containers)", "type": "int"},
            {
                "name": "limited",
                "path": "cel:object.spec.template.spec.containers.all(c, has(c.resources.limits))",
                "type": "bool",
            },
        ],
    })
}

fn sink() -> Value {
    json!({"type": "postgres", "postgres": {"databaseRef": {"name": SECRET}, "schema": "public", "table": TABLE}})
}
