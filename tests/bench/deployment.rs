//! The objects that are loaded: Deployments as teams write them, the same in every run.

use serde_json::{Value, json};

/// Namespaces that the objects are spread over.
pub const NAMESPACES: u32 = 20;

const TEAMS: [&str; 7] = [
    "payments",
    "search",
    "checkout",
    "identity",
    "catalogue",
    "delivery",
    "reports",
];

/// The namespace of the object with this number.
pub fn namespace(number: u32) -> String {
    format!("load-{:02}", number % NAMESPACES)
}

/// The name of the object with this number.
pub fn name(number: u32) -> String {
    format!("service-{number:05}")
}

/// The object with this number: about 8 kB as the API server gives it, with the defaults and managed fields that it adds.
pub fn manifest(number: u32) -> Value {
    let team = TEAMS[number as usize % TEAMS.len()];
    let labels = json!({
        "app.kubernetes.io/name": name(number),
        "app.kubernetes.io/part-of": team,
        "app.kubernetes.io/managed-by": "helm",
        "owner": team,
    });
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": name(number),
            "namespace": namespace(number),
            "labels": labels,
            "annotations": {
                "example.com/contact": format!("{team}@example.com"),
                "example.com/runbook": format!("https://runbooks.example.com/{team}/{}", name(number)),
                "example.com/change": format!("change-{:08}", u64::from(number) * 7919),
            },
        },
        "spec": {
            "replicas": 1 + number % 5,
            "revisionHistoryLimit": 3,
            "selector": {"matchLabels": {"app.kubernetes.io/name": name(number)}},
            "template": {
                "metadata": {"labels": labels, "annotations": {"prometheus.io/scrape": "true"}},
                "spec": pod(number, team),
            },
        },
    })
}

fn pod(number: u32, team: &str) -> Value {
    json!({
        "serviceAccountName": team,
        "securityContext": {"runAsNonRoot": true, "runAsUser": 10_000 + number % 1_000},
        "containers": [service(number, team), proxy(number)],
        "volumes": [
            {"name": "configuration", "configMap": {"name": format!("{}-configuration", name(number))}},
            {"name": "temporary", "emptyDir": {"sizeLimit": "64Mi"}},
        ],
        "topologySpreadConstraints": [{
            "maxSkew": 1,
            "topologyKey": "topology.kubernetes.io/zone",
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": {"matchLabels": {"app.kubernetes.io/name": name(number)}},
        }],
    })
}

fn service(number: u32, team: &str) -> Value {
    let variables: Vec<Value> = (0..10)
        .map(|index| {
            json!({
                "name": format!("SETTING_{index}"),
                "value": format!("https://{team}-{index}.internal.example.com:8443/v1/{number:05}"),
            })
        })
        .collect();
    json!({
        "name": "service",
        "image": format!("registry.example.com/{team}/service-{}:1.{}.{}", number % 97, number % 40, number % 13),
        "args": ["serve", "--listen=:8080", "--log-format=json"],
        "env": variables,
        "ports": [{"name": "http", "containerPort": 8080}, {"name": "metrics", "containerPort": 9090}],
        "readinessProbe": probe("/ready"),
        "livenessProbe": probe("/live"),
        "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}},
        "securityContext": {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}},
        "volumeMounts": [
            {"name": "configuration", "mountPath": "/etc/service", "readOnly": true},
            {"name": "temporary", "mountPath": "/tmp"},
        ],
    })
}

fn proxy(number: u32) -> Value {
    json!({
        "name": "proxy",
        "image": format!("registry.example.com/platform/proxy:2.{}.0", number % 11),
        "args": ["--upstream=127.0.0.1:8080", "--listen=:8443"],
        "env": [{"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
        "ports": [{"name": "https", "containerPort": 8443}],
        "readinessProbe": probe("/proxy/ready"),
        "resources": {"requests": {"cpu": "20m", "memory": "32Mi"}, "limits": {"memory": "64Mi"}},
        "securityContext": {"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true},
    })
}

fn probe(path: &str) -> Value {
    json!({"httpGet": {"path": path, "port": 8080}, "periodSeconds": 10, "timeoutSeconds": 2, "failureThreshold": 3})
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn an_object_is_the_same_whenever_it_is_made_and_no_two_have_one_name() {
        assert_eq!(manifest(4_711), manifest(4_711));
        let names: BTreeSet<String> = (0..10_000).map(name).collect();
        assert_eq!(names.len(), 10_000);
    }

    #[test]
    fn consecutive_objects_are_in_all_namespaces() {
        let namespaces: BTreeSet<String> = (0..NAMESPACES).map(namespace).collect();
        assert_eq!(namespaces.len(), NAMESPACES as usize);
    }
}
