//! What a cluster has before anybody uses it: namespaces, nodes, classes of storage.

use serde_json::json;

use super::Cluster;
use super::object::Object;
use super::platform::FOUNDED;

/// All namespaces, and who answers for them.
pub(super) const NAMESPACES: [(&str, &str); 8] = [
    ("default", "platform"),
    ("kube-system", "platform"),
    ("shop", "web"),
    ("payments", "payments"),
    ("search", "discovery"),
    ("data", "platform"),
    ("ingress", "platform"),
    ("observability", "platform"),
];

pub(super) fn objects(cluster: Cluster) -> Vec<Object> {
    let namespaces = NAMESPACES.iter().map(|(name, team)| {
        Object::new(cluster.wide(), "v1 Namespace", name, FOUNDED)
            .label("kubernetes.io/metadata.name", name)
            .label("teams.fernmart.example/owner", team)
            .with("spec", json!({"finalizers": ["kubernetes"]}))
            .with("status", json!({"phase": "Active"}))
    });
    let nodes = (0..cluster.nodes()).map(|number| node(cluster, number));
    let classes = [("fast", "true"), ("archive", "false")].map(|(name, is_default)| {
        Object::new(cluster.wide(), "storage.k8s.io/v1 StorageClass", name, FOUNDED)
            .annotation("storageclass.kubernetes.io/is-default-class", is_default)
            .with("provisioner", json!("block.storage.fernmart.example"))
            .with(
                "reclaimPolicy",
                json!(if name == "archive" { "Retain" } else { "Delete" }),
            )
            .with("volumeBindingMode", json!("WaitForFirstConsumer"))
            .with("allowVolumeExpansion", json!(true))
    });
    namespaces.chain(nodes).chain(classes).collect()
}

fn node(cluster: Cluster, number: u32) -> Object {
    let name = cluster.node_name(number);
    let zone = ["a", "b", "c"][number as usize % 3];
    let is_full = cluster == Cluster::ProdUs && number == 4;
    let since = FOUNDED.after(10 + number).to_string();
    let condition = |kind: &str, holds: bool| {
        let status = if holds { "True" } else { "False" };
        json!({"type": kind, "status": status, "lastTransitionTime": since})
    };
    let mut spec = json!({"providerID": format!("metal://{}/{name}", cluster.region()), "podCIDR": format!("10.40.{number}.0/24")});
    if is_full {
        spec["unschedulable"] = json!(true);
        spec["taints"] = json!([{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]);
    }
    Object::new(cluster.wide(), "v1 Node", &name, FOUNDED.after(5 + number))
        .label("kubernetes.io/hostname", &name)
        .label("kubernetes.io/arch", "arm64")
        .label("kubernetes.io/os", "linux")
        .label(
            "node.kubernetes.io/instance-type",
            if number == 0 { "m8.large" } else { "m8.xlarge" },
        )
        .label("topology.kubernetes.io/region", cluster.region())
        .label("topology.kubernetes.io/zone", &format!("{}-{zone}", cluster.region()))
        .with("spec", spec)
        .with(
            "status",
            json!({
                "capacity": {"cpu": "8", "memory": "32823612Ki", "pods": "110", "ephemeral-storage": "202051056Ki"},
                "allocatable": {"cpu": "7910m", "memory": "31Gi", "pods": "110"},
                "addresses": [
                    {"type": "InternalIP", "address": format!("192.0.2.{}", 10 + number)},
                    {"type": "Hostname", "address": name},
                ],
                "conditions": [
                    condition("MemoryPressure", false),
                    condition("DiskPressure", is_full),
                    condition("PIDPressure", false),
                    condition("Ready", true),
                ],
                "nodeInfo": {
                    "architecture": "arm64",
                    "operatingSystem": "linux",
                    "osImage": "Fern Linux 12.4",
                    "kernelVersion": "6.12.57",
                    "containerRuntimeVersion": "containerd://2.1.5",
                    "kubeletVersion": kubelet(cluster, number),
                },
            }),
        )
}

/// An upgrade is under way in `prod-eu`.
fn kubelet(cluster: Cluster, number: u32) -> &'static str {
    match (cluster, number) {
        (Cluster::Staging, _) => "v1.35.0",
        (Cluster::ProdEu, 0..2) => "v1.34.2",
        _ => "v1.33.6",
    }
}
