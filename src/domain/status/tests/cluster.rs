//! Statuses of the cluster kinds.

use super::*;
use crate::condition::reason;
use crate::engine::rollup::Shard;
use crate::status::cluster_inventory::{self, Gathered};

fn shards(count: usize) -> Vec<Shard> {
    let shard = |i| Shard {
        namespace: format!("n{i:04}"),
        item_count: 1,
        target_count: 1,
        checksum: String::new(),
    };
    (0..count).map(shard).collect()
}

fn gathered(targets: usize, degraded: &[&str]) -> Gathered {
    Gathered {
        targets,
        new: false,
        degraded: degraded.iter().map(|target| (*target).to_owned()).collect(),
        shards: shards(2),
    }
}

fn sink(namespace: &str, name: &str) -> SinkKey {
    SinkKey {
        family: SinkFamily::Database,
        object: NamespacedName::new(namespace, name),
    }
}

fn rendered(bindings: Vec<inventory::Bound>, blocked: Option<(&'static str, &str)>, gathered: Gathered) -> Value {
    let facts = inventory::Facts {
        blocked,
        bindings,
        rows: 3,
        listing: 0,
        cluster: true,
        generation: 2,
        previous: &[],
        now: time(9),
    };
    cluster_inventory::status(&facts, gathered).render(&[], 2, time(9))
}

fn conditions(status: &Value) -> Vec<String> {
    let text = |c: &Value, member: &str| c[member].as_str().unwrap().to_owned();
    let mut shown: Vec<String> = status["conditions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| format!("{}={}/{}", text(c, "type"), text(c, "status"), text(c, "reason")))
        .collect();
    shown.sort();
    shown
}

fn bound(fault: Option<Fault>) -> Vec<inventory::Bound> {
    vec![inventory::Bound {
        sink: sink("hub", "lake"),
        state: Ok(Some(binding(fault))),
    }]
}

#[test]
fn an_exported_cluster_inventory_says_what_it_gathered() {
    let status = rendered(bound(None), None, gathered(2, &[]));
    let expected = [
        "ExportSucceeded=True/Exported",
        "Ready=True/Exported",
        "SinkReachable=True/ExportSucceeded",
        "Synced=True/Exported",
    ];
    assert_eq!(conditions(&status), expected);
    assert_eq!(
        (
            &status["itemCount"],
            &status["targetCount"],
            &status["namespaceShardCount"]
        ),
        (&json!(3), &json!(2), &json!(2))
    );
    assert_eq!(status["namespaceShards"][1]["namespace"], "n0001");
    assert_eq!(status["sinkExports"][0]["namespace"], "hub");
    assert_eq!(status["observedGeneration"], 2);
}

#[test]
fn without_sinks_it_is_rolled_up_and_ready() {
    let status = rendered(vec![], None, gathered(1, &[]));
    let expected = [
        "Ready=True/RolledUp",
        "SinkReachable=True/NoSinksConfigured",
        "Synced=True/RolledUp",
    ];
    assert_eq!(conditions(&status), expected);
}

#[test]
fn a_degraded_target_is_named_while_the_others_are_exported() {
    let status = rendered(bound(None), None, gathered(2, &["web (ProfileNotFound)"]));
    let expected = [
        "Degraded=True/TargetDegraded",
        "ExportSucceeded=True/PartiallySynced",
        "SinkReachable=True/ExportSucceeded",
        "Synced=False/TargetDegraded",
    ];
    assert_eq!(conditions(&status), expected);
    assert!(status.to_string().contains("web (ProfileNotFound)"));
    assert_eq!(
        status["sinkExports"][0]["conditions"][0]["status"], "True",
        "the sink has what can be exported"
    );
}

#[test]
fn faults_of_sinks_are_said_first() {
    let status = rendered(bound(Some(misconfigured())), None, gathered(2, &["web (Listing)"]));
    let expected = [
        "Degraded=True/ExportTerminal",
        "ExportSucceeded=False/ExportTerminal",
        "SinkReachable=False/ExportTerminal",
        "Synced=False/ExportTerminal",
    ];
    assert_eq!(conditions(&status), expected);
}

#[test]
fn no_target_degrades_an_inventory_that_is_not_new() {
    let status = rendered(bound(None), None, gathered(0, &[]));
    assert!(conditions(&status).contains(&"Degraded=True/NoTargets".to_owned()));
    assert!(conditions(&status).contains(&"Synced=False/NoTargets".to_owned()));
    assert!(!status.to_string().contains("\"Ready\""));
    let new = Gathered {
        new: true,
        ..gathered(0, &[])
    };
    let status = rendered(bound(None), None, new);
    assert!(!status.to_string().contains("\"Degraded\""));
    assert!(conditions(&status).contains(&"Synced=False/NoTargets".to_owned()));
}

#[test]
fn a_suspended_cluster_inventory_says_only_that() {
    let status = rendered(
        vec![],
        Some((reason::SUSPENDED, "suspended")),
        gathered(0, &["web (x)"]),
    );
    assert_eq!(
        conditions(&status),
        ["Degraded=True/Suspended", "Synced=False/Suspended"]
    );
}

#[test]
fn many_namespaces_are_counted_and_not_all_listed() {
    let many = Gathered {
        shards: shards(700),
        ..gathered(1, &[])
    };
    let status = rendered(bound(None), None, many);
    assert_eq!(status["namespaceShardCount"], 700);
    assert_eq!(status["namespaceShards"].as_array().unwrap().len(), 500);
}

#[test]
fn sinks_of_one_name_in_several_namespaces_are_told_apart() {
    let bound = |namespace, name| inventory::Bound {
        sink: sink(namespace, name),
        state: Ok(None),
    };
    let bindings = vec![bound("hub", "lake"), bound("shop", "lake"), bound("hub", "sea")];
    let status = rendered(bindings, None, gathered(1, &[]));
    let names: Vec<&Value> = status["sinkExports"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| &e["name"])
        .collect();
    assert_eq!(names, ["database/hub/lake", "database/shop/lake", "database/sea"]);
}

#[test]
fn a_cluster_target_says_where_it_collects_and_nothing_about_sinks() {
    let status = target::status(target::Facts {
        profile: "hub/web",
        blocked: None,
        report: Some(report(7)),
        namespaces: target::Namespaces {
            matched: vec!["blog".into(), "shop".into(), "kube-system".into()],
            effective: vec!["blog".into(), "shop".into()],
        },
        active_rules: 0,
        sinks: None,
    });
    assert_eq!(
        shown(&status.conditions),
        ["Ready=True/Collecting", "Synced=True/Collecting"]
    );
    let message = &status.conditions[0].message;
    assert_eq!(message, "profile hub/web: collecting 7 resource(s) in 2 namespace(s)");
}
