//! Rights that are taken away and given back.

use serde_json::json;

use crate::operator::Operator;
use crate::world::{World, until};

/// What an operator may do without reading ConfigMaps.
fn base_rules() -> serde_json::Value {
    json!([
        {"apiGroups": ["kollect.dev"], "resources": ["*"], "verbs": ["get", "list", "watch", "patch", "update"]},
        {"apiGroups": [""], "resources": ["namespaces"], "verbs": ["get", "list", "watch"]},
        {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]},
    ])
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_survive_a_revoked_right_also_across_a_restart_and_the_status_says_why() {
    let world = World::new().await;
    let name = format!("e2e-{}", world.namespace);
    let subject = json!([{"kind": "ServiceAccount", "name": "operator", "namespace": world.namespace}]);
    let grant = |role: &str| {
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
            "metadata": {"name": role}, "subjects": subject,
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
        })
    };
    let role = |role: &str, rules: serde_json::Value| {
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
            "metadata": {"name": role}, "rules": rules,
        })
    };
    let reading = format!("{name}-reading");
    let maps = json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list", "watch"]}]);
    world.apply_all(&[
        json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "operator"}}),
        role(&name, base_rules()),
        grant(&name),
        role(&reading, maps),
        grant(&reading),
    ]);
    let token = world.kubectl(&["create", "token", "operator", "-n", &world.namespace, "--duration=1h"]);
    let kubeconfig = world.cluster.kubeconfig_for_token(token.trim()).unwrap();
    world.collect_maps();
    world.objects.fill(5).await;
    let operator = Operator::start(&kubeconfig, &[]);
    operator.wait_until_ready().await;
    world.assert_level().await;
    let before = world.table.rows().await;

    world.kubectl(&["delete", "clusterrolebinding", &reading]);
    let message = world
        .wait_for("kollecttarget", "maps", "Degraded", "True", "ScopeForbidden")
        .await;
    assert!(message.contains("configmaps"), "the resource is named: {message}");
    world.objects.remove("m00001").await;
    world.objects.put("m00002", "changed unseen").await;
    operator.kill();
    let operator = Operator::start(&kubeconfig, &[]);
    operator.wait_until_ready().await;
    world
        .wait_for("kollecttarget", "maps", "Degraded", "True", "ScopeForbidden")
        .await;
    until("the restarted operator reached the sink", async || {
        world.condition("kollectdatabasesink", "lake", "ConnectionVerified", "True")
    })
    .await;
    assert_eq!(world.table.rows().await, before, "rows stay as they were");

    world.apply(&grant(&reading));
    world.assert_level().await;
    world.kubectl_wait_ready("kollecttarget", "maps");
    for binding in [&name, &reading] {
        world.kubectl(&["delete", "clusterrolebinding,clusterrole", binding]);
    }
}
