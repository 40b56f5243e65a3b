//! A small made-up estate, the same on every run.

use std::sync::Arc;

use jiff::{Timestamp, ToSpan as _};
use kollect_domain::ids::{NamespacedName, RowKey};
use kollect_ports::fakes::query::FakeReader;
use kollect_ports::query::{InventoryId, ScopeState, StoredRow};
use kollect_ui::Readers;
use serde_json::{Value, json};

/// The last moment of the estate.
pub fn now() -> Timestamp {
    "2026-12-01T15:04:05Z".parse().unwrap()
}

pub fn minutes_ago(minutes: i64) -> Timestamp {
    now().checked_sub(minutes.minutes()).unwrap()
}

pub fn inventory(cluster: &str, namespace: &str, name: &str) -> InventoryId {
    InventoryId {
        cluster: cluster.into(),
        inventory: NamespacedName::new(namespace, name),
    }
}

/// The inventory that has most.
pub fn shop() -> InventoryId {
    inventory("north-1", "shop", "everything")
}

/// A kind, and the name and the namespace of an object.
#[derive(Clone, Copy)]
pub struct Object<'a> {
    pub kind: (&'a str, &'a str, &'a str),
    pub namespace: &'a str,
    pub name: &'a str,
}

pub const DEPLOYMENT: (&str, &str, &str) = ("apps", "v1", "Deployment");
pub const SERVICE: (&str, &str, &str) = ("", "v1", "Service");
pub const NODE: (&str, &str, &str) = ("", "v1", "Node");

/// A row as the program writes it: members that are empty are left out.
pub fn row(inventory: &InventoryId, target: &str, object: Object<'_>, attributes: &Value) -> StoredRow {
    let Object {
        kind: (group, version, kind),
        namespace,
        name,
    } = object;
    let uid = format!("{kind}-{namespace}-{name}").to_lowercase();
    let mut payload = json!({
        "targetNamespace": inventory.inventory.namespace.to_string(),
        "targetName": target,
        "name": name,
        "version": version,
        "kind": kind,
        "uid": uid,
        "attributes": attributes,
    });
    for (member, value) in [("group", group), ("namespace", namespace)] {
        if !value.is_empty() {
            payload[member] = json!(value);
        }
    }
    StoredRow {
        inventory: inventory.clone(),
        key: RowKey {
            target: target.into(),
            uid: uid.into(),
        },
        payload,
        exported_at: now(),
    }
}

pub fn state(target: &str, kind: &str, state: &str, rows: u64) -> ScopeState {
    let is_complete = state == "Complete";
    ScopeState {
        target: target.into(),
        kind: kind.to_owned(),
        scope: String::new(),
        state: state.to_owned(),
        reason: String::new(),
        last_list: is_complete.then(|| minutes_ago(42)),
        last_event: is_complete.then(|| minutes_ago(1)),
        as_of: is_complete.then(now),
        rows,
        updated_at: now(),
    }
}

pub fn readers(reader: &Arc<FakeReader>) -> Readers {
    Readers {
        inventories: reader.clone(),
        health: reader.clone(),
    }
}

const TEAMS: [&str; 4] = ["checkout", "catalog", "delivery", "accounts"];
const APPS: [&str; 10] = [
    "web",
    "api",
    "worker",
    "cache",
    "gateway",
    "search",
    "mailer",
    "reports",
    "images",
    "scheduler",
];

/// Three inventories: one complete with three kinds, one degraded, one whose first list is not done.
pub fn estate() -> Arc<FakeReader> {
    let reader = Arc::new(FakeReader::default());
    fill_shop(&reader);
    fill_platform(&reader);
    let lab = inventory("lab", "experiments", "all");
    reader.record(&lab, vec![state("apps", "apps/v1/Deployment", "Listing", 0)]);
    reader
}

fn fill_shop(reader: &FakeReader) {
    let shop = shop();
    for (index, (team, app)) in TEAMS
        .iter()
        .flat_map(|team| APPS.iter().map(move |app| (team, app)))
        .enumerate()
    {
        let name = format!("{team}-{app}");
        let object = |kind, namespace| Object {
            kind,
            namespace,
            name: &name,
        };
        let minutes = i64::try_from(index * index % 190).unwrap();
        let version = format!("{}.{}.{}", 1 + index % 3, index % 10, index % 4);
        let replicas = 1 + index % 5;
        let mut deployment = json!({
            "images": [format!("registry.example.org/{team}/{app}:{version}")],
            "labels": {"app": app, "team": team},
            "owner": format!("{team}@example.org"),
            "ready": index % 9 != 4,
            "replicas": replicas,
            "version": version,
        });
        if index % 7 == 3 {
            deployment["images"] = json!([
                format!("registry.example.org/{team}/{app}:{version}"),
                "registry.example.org/platform/proxy:3.1.0",
            ]);
            deployment["resources"] = json!({
                "limits": {"cpu": "500m", "memory": "512Mi"},
                "requests": {"cpu": "100m", "memory": "256Mi"},
            });
        }
        let mut deployment = row(&shop, "deployments", object(DEPLOYMENT, team), &deployment);
        deployment.exported_at = minutes_ago(minutes);
        reader.put(deployment);
        if index % 2 == 0 {
            let attributes = json!({
                "clusterIP": format!("10.96.{index}.12"),
                "ports": [{"name": "http", "port": 80, "targetPort": 8080}, {"name": "metrics", "port": 9090}],
                "type": "ClusterIP",
            });
            reader.put(row(&shop, "services", object(SERVICE, team), &attributes));
        }
    }
    for number in 1..=4 {
        let name = format!("node-{number}");
        let object = Object {
            kind: NODE,
            namespace: "",
            name: &name,
        };
        let attributes = json!({"cpu": 8, "kubelet": "v1.36.3", "memoryGiB": 31.4, "schedulable": number != 3});
        reader.put(row(&shop, "nodes", object, &attributes));
    }
    reader.record(
        &shop,
        vec![
            state("deployments", "apps/v1/Deployment", "Complete", 40),
            state("services", "/v1/Service", "Complete", 20),
            state("nodes", "/v1/Node", "Complete", 4),
        ],
    );
}

fn fill_platform(reader: &FakeReader) {
    let platform = inventory("south-2", "platform", "core");
    for app in APPS {
        let object = Object {
            kind: DEPLOYMENT,
            namespace: "platform",
            name: app,
        };
        let attributes = json!({"replicas": 2, "team": "platform"});
        reader.put(row(&platform, "deployments", object, &attributes));
    }
    let forbidden = ScopeState {
        reason: "ScopeForbidden".to_owned(),
        scope: "platform".to_owned(),
        ..state("secrets", "/v1/Secret", "Degraded", 0)
    };
    let away = ScopeState {
        reason: "SourceUnavailable".to_owned(),
        last_list: Some(minutes_ago(300)),
        ..state("deployments", "apps/v1/Deployment", "Degraded", 10)
    };
    reader.record(&platform, vec![forbidden, away]);
}
