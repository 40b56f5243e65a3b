//! The estate is consistent, the same at every call, and as varied as a demo needs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde_json::Value;

use super::*;
use crate::ready_made;

/// The objects that a reader finds in the text.
fn read(cluster: Cluster) -> &'static [Value] {
    // Reading takes far longer than writing.
    static READ: LazyLock<[Vec<Value>; 3]> = LazyLock::new(|| Cluster::ALL.map(parse));
    &READ[cluster as usize]
}

fn parse(cluster: Cluster) -> Vec<Value> {
    let text = manifests(cluster);
    let documents: Vec<Value> = match cluster {
        Cluster::ProdEu => vec![serde_json::from_str(&text).unwrap()],
        Cluster::ProdUs | Cluster::Staging => serde_saphyr::from_multiple(&text).unwrap(),
    };
    documents
        .into_iter()
        .flat_map(|document| match document["kind"].as_str() {
            Some("List") => document["items"].as_array().unwrap().clone(),
            _ => vec![document],
        })
        .collect()
}

fn all() -> impl Iterator<Item = (Cluster, &'static Value)> {
    Cluster::ALL
        .into_iter()
        .flat_map(|cluster| read(cluster).iter().map(move |object| (cluster, object)))
}

fn of_kind(cluster: Cluster, kind: &str) -> Vec<&'static Value> {
    read(cluster).iter().filter(|object| object["kind"] == kind).collect()
}

#[test]
fn what_is_read_is_what_was_built_and_is_the_same_at_every_call() {
    for cluster in Cluster::ALL {
        let built: Vec<Value> = objects(cluster).into_iter().map(Object::into_json).collect();
        assert_eq!(read(cluster), built);
        assert_eq!(manifests(cluster), manifests(cluster));
        let extension = cluster.file_name().rsplit('.').next();
        assert_eq!(manifests(cluster).starts_with('{'), extension == Some("json"));
    }
}

#[test]
fn there_are_hundreds_of_objects_of_many_kinds_in_every_cluster() {
    let total = all().count();
    assert!((300..=500).contains(&total), "{total} objects");
    for cluster in Cluster::ALL {
        let kinds: BTreeSet<String> = read(cluster)
            .iter()
            .map(|object| object["kind"].as_str().unwrap().to_owned())
            .collect();
        for kind in [
            "Namespace",
            "Node",
            "Deployment",
            "ReplicaSet",
            "Pod",
            "Service",
            "Ingress",
            "ConfigMap",
            "Secret",
            "Job",
            "CronJob",
            "PersistentVolumeClaim",
            "StatefulSet",
            "DaemonSet",
            "HorizontalPodAutoscaler",
            "CustomResourceDefinition",
            "Campaign",
            "Account",
            "NetworkPolicy",
            "ServiceAccount",
            "StorageClass",
            "RoleBinding",
        ] {
            assert!(kinds.contains(kind), "{kind} in {}", cluster.name());
        }
    }
}

#[test]
fn every_object_has_its_identity_and_no_two_share_one() {
    let mut uids = BTreeSet::new();
    let mut names = BTreeSet::new();
    for (cluster, object) in all() {
        let metadata = &object["metadata"];
        let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).unwrap().to_owned();
        let namespace = metadata["namespace"].as_str().unwrap_or_default().to_owned();
        let kind = (text(&object["apiVersion"]), text(&object["kind"]));
        let name = text(&metadata["name"]);
        assert!(
            name.len() <= 63
                && name
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c))
        );
        assert!(text(&metadata["creationTimestamp"]).starts_with("2026-11-"), "{name}");
        assert!(uids.insert(text(&metadata["uid"])), "the uid of {name}");
        assert!(names.insert((cluster.name(), kind, namespace, name)), "{metadata}");
    }
}

#[test]
fn objects_live_in_namespaces_of_their_cluster_or_in_none_as_their_kind_wants() {
    const CLUSTER_SCOPED: [&str; 4] = ["Namespace", "Node", "StorageClass", "CustomResourceDefinition"];
    for cluster in Cluster::ALL {
        let namespaces = of_kind(cluster, "Namespace");
        let names: BTreeSet<&str> = namespaces
            .iter()
            .filter_map(|n| n["metadata"]["name"].as_str())
            .collect();
        for object in read(cluster) {
            let kind = object["kind"].as_str().unwrap();
            let namespace = object["metadata"]["namespace"].as_str();
            assert_eq!(namespace.is_none(), CLUSTER_SCOPED.contains(&kind), "{kind}");
            assert!(
                namespace.is_none_or(|namespace| names.contains(namespace)),
                "{namespace:?}"
            );
        }
    }
}

#[test]
fn owners_are_objects_of_the_same_namespace_that_are_older() {
    let mut references = 0;
    for cluster in Cluster::ALL {
        let objects = read(cluster);
        let by_uid: BTreeMap<&str, &Value> = objects
            .iter()
            .map(|object| (object["metadata"]["uid"].as_str().unwrap(), object))
            .collect();
        for object in objects {
            for reference in object["metadata"]["ownerReferences"].as_array().into_iter().flatten() {
                let owner = by_uid[reference["uid"].as_str().unwrap()];
                assert_eq!(owner["apiVersion"], reference["apiVersion"]);
                assert_eq!(owner["kind"], reference["kind"]);
                for member in ["name", "namespace", "creationTimestamp"] {
                    let (of_owner, own) = (&owner["metadata"][member], &object["metadata"][member]);
                    match member {
                        "name" => assert_eq!(of_owner, &reference["name"]),
                        "namespace" => assert_eq!(of_owner, own),
                        _ => assert!(of_owner.as_str() <= own.as_str(), "{of_owner} {own}"),
                    }
                }
                references += 1;
            }
        }
    }
    assert!(references > 100);
}

#[test]
fn what_runs_refers_to_what_there_is() {
    for cluster in Cluster::ALL {
        let names = |kind: &str| -> BTreeSet<String> {
            let objects = of_kind(cluster, kind);
            objects
                .iter()
                .map(|object| {
                    let metadata = &object["metadata"];
                    let namespace = metadata["namespace"].as_str().unwrap_or_default();
                    format!("{namespace}/{}", metadata["name"].as_str().unwrap())
                })
                .collect()
        };
        let (nodes, accounts) = (names("Node"), names("ServiceAccount"));
        for pod in of_kind(cluster, "Pod") {
            let namespace = pod["metadata"]["namespace"].as_str().unwrap();
            let account = pod["spec"]["serviceAccountName"].as_str().unwrap();
            assert!(accounts.contains(&format!("{namespace}/{account}")), "{account}");
            if let Some(node) = pod["spec"]["nodeName"].as_str() {
                assert!(nodes.contains(&format!("/{node}")), "{node}");
            }
        }
        let (services, secrets) = (names("Service"), names("Secret"));
        for ingress in of_kind(cluster, "Ingress") {
            let namespace = ingress["metadata"]["namespace"].as_str().unwrap();
            let certificate = ingress["spec"]["tls"][0]["secretName"].as_str().unwrap();
            assert!(secrets.contains(&format!("{namespace}/{certificate}")), "{certificate}");
            for path in ingress["spec"]["rules"][0]["http"]["paths"].as_array().unwrap() {
                let service = path["backend"]["service"]["name"].as_str().unwrap();
                assert!(services.contains(&format!("{namespace}/{service}")), "{service}");
            }
        }
    }
}

#[test]
fn staging_is_a_release_ahead_and_prod_us_one_behind() {
    let image = |cluster| {
        let deployments = of_kind(cluster, "Deployment");
        let cart = deployments
            .iter()
            .find(|object| object["metadata"]["name"] == "cart")
            .unwrap();
        cart["spec"]["template"]["spec"]["containers"][0]["image"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let images = Cluster::ALL.map(image);
    assert_eq!(
        images,
        ["2.4.1", "2.4.0", "2.5.0"].map(|tag| format!("registry.fernmart.example/shop/cart:{tag}"))
    );
}

#[test]
fn something_is_broken_in_every_cluster_and_the_counts_agree_with_the_pods() {
    for cluster in Cluster::ALL {
        let pods = of_kind(cluster, "Pod");
        let mut degraded = 0;
        for set in of_kind(cluster, "ReplicaSet") {
            let own = pods
                .iter()
                .filter(|pod| pod["metadata"]["ownerReferences"][0]["uid"] == set["metadata"]["uid"]);
            let (mut all, mut ready) = (0, 0);
            for pod in own {
                let conditions = pod["status"]["conditions"].as_array().unwrap();
                all += 1;
                ready += u32::from(conditions.iter().any(|c| c["type"] == "Ready" && c["status"] == "True"));
            }
            assert_eq!(
                (&set["status"]["replicas"], &set["status"]["readyReplicas"]),
                (&json!(all), &json!(ready))
            );
            degraded += u32::from(ready < all);
        }
        assert_eq!(degraded, 1, "{}", cluster.name());
    }
}

#[test]
fn some_data_are_odd() {
    let config_maps = of_kind(Cluster::ProdEu, "ConfigMap");
    let largest = config_maps
        .iter()
        .map(|object| object["data"].to_string().len())
        .max()
        .unwrap();
    assert!((15_000..25_000).contains(&largest), "{largest} bytes");
    let accounts = of_kind(Cluster::ProdUs, "Account");
    let balances: Vec<&Value> = accounts
        .iter()
        .map(|account| &account["status"]["balanceMicros"])
        .collect();
    assert!(
        balances.contains(&&json!(9_007_199_254_740_993_u64)),
        "2^53 + 1: {balances:?}"
    );
    let staging = manifests(Cluster::Staging);
    assert!(staging.contains("Frühstück für Möwen 🐦") && staging.contains("teams.fernmart.example/on-call.primary: "));
}

#[test]
fn most_kinds_have_a_ready_made_profile() {
    let kinds: BTreeSet<String> = all()
        .map(|(_, object)| object["kind"].as_str().unwrap().to_owned())
        .collect();
    let without: Vec<&String> = kinds.iter().filter(|kind| ready_made::profile(kind).is_err()).collect();
    assert_eq!(without, ["Account", "Campaign"]);
}
