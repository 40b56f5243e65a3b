//! Kinds of the shop's own, and objects of them.

use serde_json::{Value, json};

use super::Cluster;
use super::object::Object;
use super::platform::{FOUNDED, INSTALLED};

const GROUP: &str = "shop.fernmart.example";

pub(super) fn objects(cluster: Cluster) -> Vec<Object> {
    let definitions = [
        definition(cluster, "Campaign", "campaigns"),
        definition(cluster, "Account", "accounts"),
    ];
    definitions
        .into_iter()
        .chain(campaigns(cluster))
        .chain(accounts(cluster))
        .collect()
}

fn definition(cluster: Cluster, kind: &str, plural: &str) -> Object {
    let version = |name: &str, is_stored: bool| {
        json!({
            "name": name,
            "served": true,
            "storage": is_stored,
            "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
        })
    };
    let mut versions = vec![version("v1", true)];
    if cluster != Cluster::Staging {
        versions.push(version("v1beta1", false));
    }
    Object::new(
        cluster.wide(),
        "apiextensions.k8s.io/v1 CustomResourceDefinition",
        &format!("{plural}.{GROUP}"),
        FOUNDED.after(60),
    )
    .with(
        "spec",
        json!({
            "group": GROUP,
            "scope": "Namespaced",
            "names": {
                "kind": kind, "listKind": format!("{kind}List"), "plural": plural, "singular": kind.to_lowercase(),
            },
            "versions": versions,
        }),
    )
    .with(
        "status",
        json!({
            "conditions": [{"type": "NamesAccepted", "status": "True"}, {"type": "Established", "status": "True"}],
            "storedVersions": ["v1"],
        }),
    )
}

fn campaigns(cluster: Cluster) -> [Object; 3] {
    let campaign = |name: &str, title: &str, discount: Value| {
        Object::new(
            cluster.namespace("shop"),
            &format!("{GROUP}/v1 Campaign"),
            name,
            INSTALLED.after(400),
        )
        .label("shop.fernmart.example/season", "autumn.2026")
        .annotation("shop.fernmart.example/title", title)
        .with(
            "spec",
            json!({"title": title, "discount": discount, "markets": [cluster.region()]}),
        )
        .with("status", json!({"phase": "Running", "reached": 1_204_551}))
    };
    [
        campaign("black-fern", "Schwarzer Farn: alles muss raus", json!("12.5%")),
        campaign("first-order", "Première commande 🎁", json!(0.1)),
        campaign("moss-weeks", "苔の週間", json!(null)),
    ]
}

/// Amounts in millionths of a cent do not fit the integers of a double.
fn accounts(cluster: Cluster) -> [Object; 3] {
    let account = |name: &str, balance: u64, limit: &str| {
        Object::new(
            cluster.namespace("payments"),
            &format!("{GROUP}/v1 Account"),
            name,
            INSTALLED.after(420),
        )
        .label(
            "shop.fernmart.example/currency",
            if cluster == Cluster::ProdUs { "USD" } else { "EUR" },
        )
        .with(
            "spec",
            json!({"limit": limit, "owner": {"kind": "Team", "name": "payments"}}),
        )
        .with("status", json!({"balanceMicros": balance, "entries": 88_214}))
    };
    [
        account("customers", 9_007_199_254_740_993, "12Mi"),
        account("suppliers", 9_223_372_036_854_775_807, "1500m"),
        account("refunds", 0, "2e6"),
    ]
}
