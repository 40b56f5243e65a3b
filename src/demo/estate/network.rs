//! How applications are reached and how they are scaled.

use serde_json::json;

use super::Cluster;
use super::object::Object;
use super::platform::{App, DATABASES, DEPLOYMENTS, FOUNDED, INSTALLED};
use super::template::{labels, selector};

pub(super) fn objects(cluster: Cluster) -> Vec<Object> {
    let kubernetes = Object::new(cluster.namespace("default"), "v1 Service", "kubernetes", FOUNDED)
        .label("component", "apiserver")
        .with(
            "spec",
            json!({"type": "ClusterIP", "clusterIP": "10.96.0.1", "clusterIPs": ["10.96.0.1"], "ports": [{"name": "https", "port": 443}]}),
        );
    let apps = || DEPLOYMENTS.iter().chain(&DATABASES);
    let services = apps()
        .zip(10..)
        .filter_map(|(app, number)| service(cluster, app, number));
    let autoscalers = apps()
        .filter(|app| ["storefront", "catalog", "checkout"].contains(&app.name))
        .map(|app| autoscaler(cluster, app));
    let policies = ["payments", "data"].map(|namespace| policy(cluster, namespace));
    [kubernetes]
        .into_iter()
        .chain(services)
        .chain(autoscalers)
        .chain(policies)
        .chain(ingresses(cluster))
        .collect()
}

fn service(cluster: Cluster, app: &App, number: u32) -> Option<Object> {
    let port = app.port?;
    let is_entry = app.name == "edge-proxy";
    let address = format!("10.96.{}.{number}", cluster as usize);
    let mut spec = json!({
        "type": if is_entry { "LoadBalancer" } else { "ClusterIP" },
        "clusterIP": address,
        "clusterIPs": [address],
        "selector": selector(app),
        "ports": [{"name": "main", "port": port, "targetPort": "main", "protocol": "TCP"}],
    });
    if app.name == "cluster-dns" {
        spec["ports"] = json!([
            {"name": "dns", "port": 53, "targetPort": 53, "protocol": "UDP"},
            {"name": "dns-tcp", "port": 53, "targetPort": 53, "protocol": "TCP"},
        ]);
    }
    let mut status = json!({"loadBalancer": {}});
    if is_entry {
        status["loadBalancer"]["ingress"] = json!([{"ip": entry_address(cluster)}]);
    }
    let service = Object::new(
        cluster.namespace(app.namespace),
        "v1 Service",
        app.name,
        INSTALLED.after(200 + number),
    )
    .labels(&labels(app, app.version_in(cluster)))
    .with("spec", spec)
    .with("status", status);
    Some(service)
}

fn entry_address(cluster: Cluster) -> String {
    format!("198.51.100.{}", 10 + cluster as usize)
}

fn autoscaler(cluster: Cluster, app: &App) -> Object {
    let replicas = app.replicas_in(cluster);
    let is_limited = if app.name == "checkout" { "True" } else { "False" };
    Object::new(
        cluster.namespace(app.namespace),
        "autoscaling/v2 HorizontalPodAutoscaler",
        app.name,
        INSTALLED.after(240),
    )
    .labels(&selector(app))
    .with(
        "spec",
        json!({
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": app.name},
            "minReplicas": 1,
            "maxReplicas": 3 * replicas,
            "metrics": [{
                "type": "Resource",
                "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 70}},
            }],
        }),
    )
    .with(
        "status",
        json!({
            "currentReplicas": replicas,
            "desiredReplicas": replicas,
            "lastScaleTime": cluster.released().after(300).to_string(),
            "conditions": [
                {"type": "AbleToScale", "status": "True"},
                {"type": "ScalingActive", "status": "True"},
                {"type": "ScalingLimited", "status": is_limited},
            ],
        }),
    )
}

/// Only the shop and the payments may come in.
fn policy(cluster: Cluster, namespace: &'static str) -> Object {
    let from = ["shop", "payments"]
        .map(|name| json!({"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": name}}}));
    Object::new(
        cluster.namespace(namespace),
        "networking.k8s.io/v1 NetworkPolicy",
        "from-the-shop",
        INSTALLED.after(30),
    )
    .with(
        "spec",
        json!({"podSelector": {}, "policyTypes": ["Ingress"], "ingress": [{"from": from}]}),
    )
}

fn ingresses(cluster: Cluster) -> impl Iterator<Item = Object> {
    let domain = cluster.domain();
    let routes = [
        (
            "shop",
            "storefront",
            format!("www.{domain}"),
            vec![("/", "storefront"), ("/media", "media"), ("/cart", "cart")],
        ),
        ("payments", "gateway", format!("pay.{domain}"), vec![("/", "gateway")]),
        (
            "search",
            "search",
            format!("search.{domain}"),
            vec![("/", "search-api")],
        ),
    ];
    routes.into_iter().map(move |(namespace, name, host, paths)| {
        let paths: Vec<_> = paths
            .into_iter()
            .map(|(path, service)| {
                let backend = json!({"service": {"name": service, "port": {"name": "main"}}});
                json!({"path": path, "pathType": "Prefix", "backend": backend})
            })
            .collect();
        Object::new(
            cluster.namespace(namespace),
            "networking.k8s.io/v1 Ingress",
            name,
            INSTALLED.after(260),
        )
        .label("app.kubernetes.io/part-of", "fernmart")
        .annotation("edge.fernmart.example/max-body", "8m")
        .with(
            "spec",
            json!({
                "ingressClassName": "edge",
                "tls": [{"hosts": [host], "secretName": format!("{namespace}-tls")}],
                "rules": [{"host": host, "http": {"paths": paths}}],
            }),
        )
        .with(
            "status",
            json!({"loadBalancer": {"ingress": [{"ip": entry_address(cluster)}]}}),
        )
    })
}
