//! What applications are given: settings, Secrets and identities.

use std::fmt::Write as _;

use serde_json::json;

use super::Cluster;
use super::object::Object;
use super::platform::{DEPLOYMENTS, FOUNDED, INSTALLED};
use super::template::selector;

/// Namespaces whose applications talk to databases and to the outside.
const WITH_SECRETS: [&str; 3] = ["shop", "payments", "search"];

/// `placeholder`, in base64: the estate holds nothing secret.
const PLACEHOLDER: &str = "cGxhY2Vob2xkZXI=";

/// Products of the list of products, which makes it 20 kB long.
const PRODUCTS: u32 = 420;

pub(super) fn objects(cluster: Cluster) -> Vec<Object> {
    let settings = DEPLOYMENTS.iter().filter(|app| app.namespace == "shop").map(|app| {
        let text = format!("region: {}\nlog:\n  level: info\n  format: json\n", cluster.region());
        Object::new(
            cluster.namespace(app.namespace),
            "v1 ConfigMap",
            &format!("{}-settings", app.name),
            INSTALLED.after(1),
        )
        .labels(&selector(app))
        .with("data", json!({"settings.yaml": text, "FEATURES": "wishlist,one-click"}))
    });
    let products = Object::new(
        cluster.namespace("shop"),
        "v1 ConfigMap",
        "products",
        INSTALLED.after(2),
    )
    .label("app.kubernetes.io/name", "catalog")
    .with("data", json!({"products.csv": products()}))
    .with("immutable", json!(true));
    let credentials = WITH_SECRETS.map(|namespace| {
        Object::new(
            cluster.namespace(namespace),
            "v1 Secret",
            &format!("{namespace}-credentials"),
            FOUNDED.after(30),
        )
        .label("app.kubernetes.io/part-of", "fernmart")
        .with("type", json!("Opaque"))
        .with("data", json!({"url": PLACEHOLDER, "password": PLACEHOLDER}))
    });
    let certificates = WITH_SECRETS.map(|namespace| {
        Object::new(
            cluster.namespace(namespace),
            "v1 Secret",
            &format!("{namespace}-tls"),
            FOUNDED.after(31),
        )
        .with("type", json!("kubernetes.io/tls"))
        .with("data", json!({"tls.crt": PLACEHOLDER, "tls.key": PLACEHOLDER}))
    });
    settings
        .chain([products])
        .chain(credentials)
        .chain(certificates)
        .chain(identities(cluster))
        .collect()
}

fn products() -> String {
    let kinds = ["fern", "moss", "Farn für draußen", "苔", "lichen"];
    let mut list = String::from("number;name;price in cents;pieces\n");
    for (number, kind) in (0..PRODUCTS).zip(kinds.iter().cycle()) {
        // Writing to a text cannot fail.
        let _ = writeln!(
            list,
            "{:06};{kind}, pot of {} cm;{};{}",
            4711 + 13 * number,
            7 + number % 9,
            399 + 50 * (number % 23),
            number % 41
        );
    }
    list
}

/// One service account for the applications of each namespace, with the right to read its settings.
fn identities(cluster: Cluster) -> Vec<Object> {
    [
        "shop",
        "payments",
        "search",
        "data",
        "ingress",
        "observability",
        "kube-system",
    ]
    .into_iter()
    .flat_map(|namespace| {
        let place = cluster.namespace(namespace);
        let account = Object::new(place, "v1 ServiceAccount", namespace, FOUNDED.after(20))
            .with("automountServiceAccountToken", json!(false))
            .with("imagePullSecrets", json!([{"name": "registry"}]));
        let binding = Object::new(
            place,
            "rbac.authorization.k8s.io/v1 RoleBinding",
            "read-settings",
            FOUNDED.after(21),
        )
        .with(
            "roleRef",
            json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"}),
        )
        .with(
            "subjects",
            json!([{"kind": "ServiceAccount", "name": namespace, "namespace": namespace}]),
        );
        let has_binding = WITH_SECRETS.contains(&namespace);
        [Some(account), has_binding.then_some(binding)]
    })
    .flatten()
    .collect()
}
