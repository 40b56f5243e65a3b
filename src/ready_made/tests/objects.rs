//! One full and one smallest legal object of each kind, and what the profiles make of the full one.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// Adds what every object has: labels, owners, a time of creation.
pub fn with_metadata(body: &Value) -> Value {
    let mut object = body.clone();
    let own = object["metadata"].take();
    object["metadata"] = json!({
        "name": "cart",
        "namespace": "shop",
        "uid": "0d9c2a1e-0000-4000-8000-000000000001",
        "creationTimestamp": "2026-11-05T08:00:00Z",
        "labels": {"app.kubernetes.io/name": "cart", "app.kubernetes.io/version": "2.4.1"},
        "ownerReferences": [
            {"apiVersion": "shop.example/v1", "kind": "Campaign", "name": "autumn", "uid": "u-2"},
            {"apiVersion": "shop.example/v1", "kind": "Shop", "name": "main", "uid": "u-3", "controller": true},
        ],
    });
    if let Value::Object(own) = own {
        for (name, value) in own {
            let slot = &mut object["metadata"][&name];
            match (slot.as_object_mut(), value) {
                (Some(members), Value::Object(more)) => members.extend(more),
                (_, value) => *slot = value,
            }
        }
    }
    object
}

/// What every profile extracts of that.
pub fn expected_metadata() -> Map<String, Value> {
    let expected = json!({
        "labels": {"app.kubernetes.io/name": "cart", "app.kubernetes.io/version": "2.4.1"},
        "owners": ["Shop/main", "Campaign/autumn"],
        "created": "2026-11-05T08:00:00Z",
        "version": "2.4.1",
    });
    expected.as_object().unwrap().clone()
}

/// Bodies of objects by plural, and their attributes besides those of the metadata.
pub fn full() -> BTreeMap<&'static str, (Value, Value)> {
    workloads()
        .into_iter()
        .chain(runs())
        .chain(network())
        .chain(settings())
        .chain(cluster())
        .chain(storage())
        .chain(rules())
        .map(|(plural, body, expected)| (plural, (body, expected)))
        .collect()
}

type Case = (&'static str, Value, Value);

fn template() -> Value {
    json!({"spec": {
        "serviceAccountName": "cart",
        "nodeSelector": {"pool": "web"},
        "initContainers": [{"name": "schema", "image": "r.example/schema:7"}],
        "containers": [
            {"name": "cart", "image": "r.example/cart:2.4.1"},
            {"name": "proxy", "image": "r.example/proxy@sha256:0f"},
        ],
    }})
}

fn images() -> Value {
    json!(["r.example/cart:2.4.1", "r.example/proxy@sha256:0f"])
}

fn workloads() -> Vec<Case> {
    let init = json!(["r.example/schema:7"]);
    let conditions = json!([
        {"type": "Available", "status": "True"},
        {"type": "ReplicaFailure", "status": "False"},
        {"type": "Progressing", "status": "True"},
    ]);
    let claim = json!({"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "20Gi"}}}});
    vec![
        (
            "deployments",
            json!({
                "spec": {"replicas": 3, "strategy": {"type": "RollingUpdate"}, "template": template()},
                "status": {"readyReplicas": 2, "updatedReplicas": 3, "replicas": 3, "conditions": conditions},
            }),
            json!({
                "images": images(), "initImages": init, "replicas": 3, "ready": 2, "updated": 3,
                "strategy": "RollingUpdate", "serviceAccount": "cart", "conditions": ["Available", "Progressing"],
            }),
        ),
        (
            "statefulsets",
            json!({
                "spec": {
                    "replicas": 3, "serviceName": "cart-db", "template": template(), "volumeClaimTemplates": [claim],
                },
                "status": {"readyReplicas": 3, "updatedReplicas": 1},
            }),
            json!({
                "images": images(), "initImages": init, "replicas": 3, "ready": 3, "updated": 1, "service": "cart-db",
                "serviceAccount": "cart", "volumes": ["data"], "volumeSizes": ["20Gi"],
            }),
        ),
        (
            "daemonsets",
            json!({
                "spec": {"template": template()},
                "status": {"desiredNumberScheduled": 6, "numberReady": 5, "updatedNumberScheduled": 4},
            }),
            json!({
                "images": images(), "initImages": init, "desired": 6, "ready": 5, "updated": 4,
                "nodeSelector": {"pool": "web"}, "serviceAccount": "cart",
            }),
        ),
        (
            "replicasets",
            json!({
                "metadata": {"annotations": {"deployment.kubernetes.io/revision": "12"}},
                "spec": {"replicas": 3, "template": template()},
                "status": {"readyReplicas": 2},
            }),
            json!({"images": images(), "initImages": init, "replicas": 3, "ready": 2, "revision": "12"}),
        ),
    ]
}

fn runs() -> Vec<Case> {
    let init = json!(["r.example/schema:7"]);
    let mut pod_spec = template()["spec"].clone();
    pod_spec["nodeName"] = json!("node-1");
    vec![
        (
            "pods",
            json!({
                "spec": pod_spec,
                "status": {
                    "phase": "Running", "reason": "Evicted", "qosClass": "Burstable",
                    "startTime": "2026-11-05T08:00:02Z",
                    "podIPs": [{"ip": "10.0.3.7"}, {"ip": "fd00::37"}],
                    "conditions": [{"type": "PodScheduled", "status": "True"}, {"type": "Ready", "status": "False"}],
                    "containerStatuses": [
                        {"imageID": "r.example/cart@sha256:01", "restartCount": 4,
                         "state": {"waiting": {"reason": "CrashLoopBackOff"}}},
                        {"imageID": "r.example/proxy@sha256:0f", "restartCount": 0, "state": {"running": {}}},
                    ],
                },
            }),
            json!({
                "images": images(), "initImages": init,
                "imageIds": ["r.example/cart@sha256:01", "r.example/proxy@sha256:0f"],
                "phase": "Running", "reason": "Evicted", "ready": "False", "restarts": [4, 0],
                "waiting": ["CrashLoopBackOff"], "node": "node-1", "addresses": ["10.0.3.7", "fd00::37"],
                "qosClass": "Burstable", "serviceAccount": "cart", "started": "2026-11-05T08:00:02Z",
            }),
        ),
        (
            "jobs",
            json!({
                "spec": {"completions": 2, "suspend": false, "template": template()},
                "status": {
                    "active": 1, "succeeded": 1, "failed": 3, "startTime": "2026-11-05T08:01:00Z",
                    "completionTime": "2026-11-05T08:09:00Z",
                    "conditions": [{"type": "Complete", "status": "True"}, {"type": "Failed", "status": "False"}],
                },
            }),
            json!({
                "images": images(), "initImages": init, "completions": 2, "active": 1, "succeeded": 1, "failed": 3,
                "suspended": false, "started": "2026-11-05T08:01:00Z", "finished": "2026-11-05T08:09:00Z",
                "conditions": ["Complete"],
            }),
        ),
        (
            "cronjobs",
            json!({
                "spec": {
                    "schedule": "*/5 * * * *", "timeZone": "Etc/UTC", "suspend": true, "concurrencyPolicy": "Forbid",
                    "jobTemplate": {"spec": {"template": template()}},
                },
                "status": {
                    "active": [{"name": "cart-29"}], "lastScheduleTime": "2026-11-05T09:00:00Z",
                    "lastSuccessfulTime": "2026-11-05T08:55:31Z",
                },
            }),
            json!({
                "images": images(), "initImages": init, "schedule": "*/5 * * * *", "timeZone": "Etc/UTC",
                "suspended": true, "concurrency": "Forbid", "running": ["cart-29"],
                "lastScheduled": "2026-11-05T09:00:00Z", "lastSuccessful": "2026-11-05T08:55:31Z",
            }),
        ),
    ]
}

fn network() -> Vec<Case> {
    let entry = json!({"loadBalancer": {"ingress": [{"ip": "192.0.2.7"}, {"hostname": "lb.example"}]}});
    let backend = |name: &str| json!({"service": {"name": name, "port": {"number": 80}}});
    vec![
        (
            "services",
            json!({
                "spec": {
                    "type": "LoadBalancer", "clusterIPs": ["10.96.0.9"], "externalName": "shop.example",
                    "selector": {"app": "cart"},
                    "ports": [{"port": 80, "targetPort": "http"}, {"port": 53, "protocol": "UDP"}],
                },
                "status": entry,
            }),
            json!({
                "type": "LoadBalancer", "ports": ["80/TCP", "53/UDP"], "selector": {"app": "cart"},
                "clusterIPs": ["10.96.0.9"], "externalName": "shop.example",
                "externalIPs": ["192.0.2.7"], "externalHosts": ["lb.example"],
            }),
        ),
        (
            "ingresses",
            json!({
                "spec": {
                    "ingressClassName": "edge", "defaultBackend": backend("landing"),
                    "tls": [{"hosts": ["shop.example"], "secretName": "shop-tls"}],
                    "rules": [
                        {"host": "shop.example", "http": {"paths": [
                            {"path": "/", "backend": backend("storefront")},
                            {"path": "/cart", "backend": backend("cart")},
                        ]}},
                        {"host": "www.shop.example"},
                    ],
                },
                "status": entry,
            }),
            json!({
                "class": "edge", "hosts": ["shop.example", "www.shop.example"], "paths": ["/", "/cart"],
                "services": ["storefront", "cart"], "defaultService": "landing", "certificates": ["shop-tls"],
                "externalIPs": ["192.0.2.7"], "externalHosts": ["lb.example"],
            }),
        ),
        (
            "networkpolicies",
            json!({"spec": {
                "podSelector": {"matchLabels": {"app": "cart"}}, "policyTypes": ["Ingress", "Egress"],
                "ingress": [{"from": []}, {}], "egress": [],
            }}),
            json!({
                "podLabels": {"app": "cart"}, "directions": ["Ingress", "Egress"], "ingressRules": 2, "egressRules": 0,
            }),
        ),
    ]
}

fn settings() -> Vec<Case> {
    vec![
        (
            "configmaps",
            json!({"data": {"b.yaml": "x: 1", "a": "1"}, "binaryData": {"logo": "AAE="}, "immutable": true}),
            json!({"keys": ["a", "b.yaml"], "binaryKeys": ["logo"], "immutable": true}),
        ),
        (
            "secrets",
            json!({"type": "kubernetes.io/tls", "data": {"tls.key": "AAE="}, "immutable": false}),
            json!({"type": "kubernetes.io/tls", "immutable": false}),
        ),
        (
            "serviceaccounts",
            json!({"automountServiceAccountToken": false, "imagePullSecrets": [{"name": "registry"}]}),
            json!({"automount": false, "pullReferences": ["registry"]}),
        ),
    ]
}

fn cluster() -> Vec<Case> {
    let node_labels = json!({
        "topology.kubernetes.io/region": "north", "topology.kubernetes.io/zone": "north-a",
        "node.kubernetes.io/instance-type": "m8",
    });
    let mut all_labels = expected_metadata()["labels"].clone();
    all_labels
        .as_object_mut()
        .unwrap()
        .extend(node_labels.as_object().unwrap().clone());
    vec![
        (
            "namespaces",
            json!({"status": {"phase": "Terminating"}}),
            json!({"phase": "Terminating"}),
        ),
        (
            "nodes",
            json!({
                "metadata": {"labels": node_labels},
                "spec": {
                    "providerID": "metal://17", "unschedulable": true,
                    "taints": [
                        {"key": "gpu", "value": "yes", "effect": "NoSchedule"}, {"key": "drain", "effect": "NoExecute"},
                    ],
                },
                "status": {
                    "capacity": {"cpu": "8", "memory": "32Gi", "pods": "110"},
                    "addresses": [
                        {"type": "InternalIP", "address": "10.1.0.4"}, {"type": "Hostname", "address": "node-1"},
                    ],
                    "conditions": [{"type": "DiskPressure", "status": "True"}, {"type": "Ready", "status": "Unknown"}],
                    "nodeInfo": {
                        "kubeletVersion": "v1.34.2", "containerRuntimeVersion": "containerd://2.1.4",
                        "osImage": "Linux 12", "kernelVersion": "6.12.8", "architecture": "arm64",
                    },
                },
            }),
            json!({
                "labels": all_labels, "ready": "Unknown", "conditions": ["DiskPressure"], "kubeletVersion": "v1.34.2",
                "runtime": "containerd://2.1.4", "osImage": "Linux 12", "kernel": "6.12.8", "architecture": "arm64",
                "cpu": "8", "memory": "32Gi", "pods": "110", "region": "north", "zone": "north-a",
                "instanceType": "m8", "addresses": ["10.1.0.4"], "providerId": "metal://17", "unschedulable": true,
                "taints": ["gpu=yes:NoSchedule", "drain=:NoExecute"],
            }),
        ),
        (
            "customresourcedefinitions",
            json!({
                "spec": {
                    "group": "shop.example", "scope": "Namespaced", "names": {"kind": "Shop", "plural": "shops"},
                    "versions": [
                        {"name": "v1", "served": true, "storage": true},
                        {"name": "v1beta1", "served": true, "storage": false},
                        {"name": "v1alpha1", "served": false, "storage": false},
                    ],
                },
                "status": {"conditions": [{"type": "Established", "status": "True"}]},
            }),
            json!({
                "definedGroup": "shop.example", "definedKind": "Shop", "scope": "Namespaced",
                "versions": ["v1", "v1beta1", "v1alpha1"], "served": ["v1", "v1beta1"], "storage": "v1",
                "established": "True",
            }),
        ),
    ]
}

fn storage() -> Vec<Case> {
    vec![
        (
            "persistentvolumes",
            json!({
                "spec": {
                    "capacity": {"storage": "20Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "fast",
                    "persistentVolumeReclaimPolicy": "Delete", "claimRef": {"namespace": "shop", "name": "data-0"},
                    "csi": {"driver": "block.example", "volumeHandle": "vol-1"},
                },
                "status": {"phase": "Bound"},
            }),
            json!({
                "phase": "Bound", "capacity": "20Gi", "accessModes": ["ReadWriteOnce"], "storageClass": "fast",
                "reclaimPolicy": "Delete", "claim": "shop/data-0", "driver": "block.example", "volumeHandle": "vol-1",
            }),
        ),
        (
            "persistentvolumeclaims",
            json!({
                "spec": {
                    "accessModes": ["ReadWriteOnce", "ReadOnlyMany"], "storageClassName": "fast", "volumeName": "pv-1",
                    "resources": {"requests": {"storage": "15Gi"}},
                },
                "status": {"phase": "Bound", "capacity": {"storage": "20Gi"}},
            }),
            json!({
                "phase": "Bound", "requested": "15Gi", "capacity": "20Gi",
                "accessModes": ["ReadWriteOnce", "ReadOnlyMany"], "storageClass": "fast", "volume": "pv-1",
            }),
        ),
        (
            "storageclasses",
            json!({
                "metadata": {"annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
                "provisioner": "block.example", "reclaimPolicy": "Retain", "volumeBindingMode": "Immediate",
                "allowVolumeExpansion": true,
            }),
            json!({
                "provisioner": "block.example", "reclaimPolicy": "Retain", "bindingMode": "Immediate",
                "expandable": true, "isDefault": "true",
            }),
        ),
    ]
}

fn rules() -> Vec<Case> {
    let binding = json!({
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
        "subjects": [
            {"kind": "ServiceAccount", "name": "cart", "namespace": "shop"}, {"kind": "Group", "name": "support"},
        ],
    });
    let expected = json!({"role": "ClusterRole/view", "subjects": ["ServiceAccount/shop/cart", "Group/support"]});
    vec![
        (
            "horizontalpodautoscalers",
            json!({
                "spec": {
                    "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "cart"},
                    "minReplicas": 2, "maxReplicas": 9,
                    "metrics": [{"type": "Resource", "resource": {"name": "cpu"}}, {"type": "Pods"}],
                },
                "status": {
                    "currentReplicas": 3, "desiredReplicas": 4, "lastScaleTime": "2026-11-05T08:30:00Z",
                    "conditions": [
                        {"type": "AbleToScale", "status": "True"}, {"type": "ScalingLimited", "status": "False"},
                    ],
                },
            }),
            json!({
                "target": "Deployment/cart", "minReplicas": 2, "maxReplicas": 9, "current": 3, "desired": 4,
                "resources": ["cpu"], "lastScaled": "2026-11-05T08:30:00Z", "conditions": ["AbleToScale"],
            }),
        ),
        ("rolebindings", binding.clone(), expected.clone()),
        ("clusterrolebindings", binding, expected),
    ]
}

/// Bodies with nothing but what the API server insists on and adds itself; kinds that are missing need nothing.
pub fn smallest() -> BTreeMap<&'static str, Value> {
    let template = json!({"spec": {"containers": [{"name": "x"}]}});
    let workload = json!({"spec": {"selector": {}, "template": template}, "status": {}});
    let binding = json!({"roleRef": {"kind": "Role", "name": "r"}});
    BTreeMap::from([
        ("deployments", workload.clone()),
        ("statefulsets", workload.clone()),
        ("daemonsets", workload.clone()),
        ("replicasets", json!({"spec": {"selector": {}}})),
        ("jobs", workload),
        ("pods", template.clone()),
        (
            "cronjobs",
            json!({"spec": {"schedule": "@daily", "jobTemplate": {"spec": {"template": template}}}}),
        ),
        ("services", json!({"spec": {}, "status": {"loadBalancer": {}}})),
        (
            "ingresses",
            json!({"spec": {"defaultBackend": {"resource": {"kind": "Bucket", "name": "b"}}}}),
        ),
        ("networkpolicies", json!({"spec": {"podSelector": {}}})),
        ("persistentvolumes", json!({"spec": {"capacity": {}, "claimRef": {}}})),
        (
            "horizontalpodautoscalers",
            json!({"spec": {"scaleTargetRef": {"kind": "D", "name": "d"}, "maxReplicas": 1}}),
        ),
        ("customresourcedefinitions", json!({"spec": {"versions": []}})),
        ("storageclasses", json!({"provisioner": "p"})),
        ("rolebindings", binding.clone()),
        ("clusterrolebindings", binding),
    ])
}
